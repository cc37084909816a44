//! What fits and tells nothing: the same asked before. It leads to its answer, if there is one near it.

use crate::field::{Field, Spoken, Voice};
use crate::ordinary::is_steering;
use crate::rank::RankedUnit;
use memoir_index::{Doc, IndexError, speech_of, stems_in};
use memoir_journal::{Journal, Seq, View};
use std::collections::{HashMap, HashSet};

/// So many of the best are looked at.
const LOOKED_AT: usize = 24;
/// Fewer words may be an answer as well as a question.
const WORDS_MIN: usize = 3;
/// Who asks in more words than this tells something too.
const QUESTION_WORDS_MAX: usize = 40;
/// A question with this share of words that the query has not is another one.
const OTHER_SHARE: f32 = 0.25;

/// Before a question proper.
const LEADS: [&str; 26] = [
    "please", "hey", "hi", "ok", "okay", "so", "and", "but", "also", "well", "now", "again", "sorry", "once", "more",
    "can", "could", "would", "will", "you", "quick", "question", "just", "hm", "hmm", "i",
];
/// Words that begin a question, in the languages that most questions are asked in.
const ASKING: [&str; 23] = [
    "how", "what", "what's", "whats", "where", "where's", "which", "who", "who's", "why", "wie", "wo", "warum",
    "welche", "welcher", "wer", "comment", "pourquoi", "quel", "quelle", "como", "donde", "why's",
];
/// What follows them in a question; in a statement something else does: "what we need is …".
const ASKING_VERBS: [&str; 30] = [
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will", "has", "have", "had",
    "to", "about", "ist", "sind", "war", "wird", "werden", "hat", "haben", "kann", "machen", "est", "sont", "es",
    "son",
];
/// What asks for something to be told.
const TELLING: [[&str; 2]; 8] = [
    ["tell", "me"],
    ["remind", "me"],
    ["show", "me"],
    ["explain", ""],
    ["wonder", ""],
    ["wondering", ""],
    ["describe", ""],
    ["recap", ""],
];

/// Takes out what only repeats the query, if that is wanted, and turns that only ask: what was answered gives its place
/// to the answer.
pub(crate) fn leave_out(
    journal: &dyn Journal,
    field: &Field<'_>,
    query: &str,
    (repeats, questions): (bool, bool),
    units: &mut Vec<RankedUnit>,
) -> Result<(), IndexError> {
    let (asked, stems) = (words(query), told(query));
    let looked_at: Vec<Seq> = units.iter().take(LOOKED_AT).map(|unit| unit.spoken.unit.seq).collect();
    let said: HashMap<Seq, String> = journal
        .events(&looked_at, &View::owner_all())?
        .into_iter()
        .filter_map(|stored| Some((stored.seq, speech_of(&stored.event)?.into_owned())))
        .collect();
    let mut gone: HashSet<Doc> = HashSet::new();
    let mut answers: Vec<(Doc, RankedUnit)> = Vec::new();
    for unit in units.iter().take(LOOKED_AT) {
        let Some(text) = said.get(&unit.spoken.unit.seq) else { continue };
        if questions && unit.spoken.voice == Voice::User && only_asks(text) {
            let spoken = field.units_of(unit.spoken.session)?;
            let answer = answer_of(&spoken, unit.spoken.doc, units);
            match answer.filter(|_| is_same_question(&stems, text)) {
                Some(answer) => answers.push((unit.spoken.doc, answering(units, unit, answer))),
                None if answer.is_none() => drop(gone.insert(unit.spoken.doc)),
                None => {}
            }
        } else if repeats && asked.len() >= WORDS_MIN && words(text) == asked {
            gone.insert(unit.spoken.doc);
        }
    }
    put(units, answers);
    units.retain(|unit| !gone.contains(&unit.spoken.doc));
    Ok(())
}

/// Puts answers where their questions are, and nowhere else.
fn put(units: &mut Vec<RankedUnit>, answers: Vec<(Doc, RankedUnit)>) {
    for (question, answer) in answers {
        let place = |doc: Doc, units: &[RankedUnit]| units.iter().position(|unit| unit.spoken.doc == doc);
        let Some(at) = place(question, units) else { continue };
        match place(answer.spoken.doc, units) {
            Some(known) if known < at => {
                units.remove(at);
            }
            known => {
                if let Some(known) = known {
                    units.remove(known);
                }
                if let Some(slot) = units.get_mut(at) {
                    *slot = answer;
                }
            }
        }
    }
}

/// The answer, which fits as well as the question that it answers.
fn answering(units: &[RankedUnit], question: &RankedUnit, answer: Spoken) -> RankedUnit {
    let coverage = units.iter().find(|unit| unit.spoken.doc == answer.doc).map_or(0.0, |unit| unit.coverage);
    RankedUnit { spoken: answer, coverage: coverage.max(question.coverage), ..question.clone() }
}

/// What the agent says before the user goes on: the best of it, or else the last.
fn answer_of(spoken: &[Spoken], question: Doc, units: &[RankedUnit]) -> Option<Spoken> {
    let at = spoken.iter().position(|one| one.doc == question)?;
    let rest = spoken.get(at + 1..)?.iter().take_while(|one| one.voice != Voice::User);
    let answers: Vec<Spoken> =
        rest.filter(|one| one.voice == Voice::Agent && !one.unit.traits.asks()).copied().collect();
    let best = units.iter().find_map(|unit| answers.iter().find(|one| one.doc == unit.spoken.doc));
    best.or(answers.last()).copied()
}

/// Whether a question asks for no more than the query.
fn is_same_question(query: &HashSet<String>, text: &str) -> bool {
    let other = told(text);
    let more = other.difference(query).count() as f32;
    !other.is_empty() && more <= other.len() as f32 * OTHER_SHARE
}

/// Whether a text does nothing but ask to be told something. Who asks for something to be done tells what is wanted.
fn only_asks(text: &str) -> bool {
    let text = text.trim();
    if text.split_whitespace().count() > QUESTION_WORDS_MAX || text.contains("```") {
        return false;
    }
    let mut sentences = 0;
    for part in text.split_inclusive(['.', '!', '?', '\n', '。', '？', '！']) {
        let lower = part.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}')))
            .filter(|word| !word.is_empty())
            .collect();
        if words.is_empty()
            || words.iter().all(|word| memoir_index::name_stem(word).is_none_or(|stem| is_steering(&stem)))
        {
            continue;
        }
        let is_marked = part.trim_end().ends_with(['?', '？']) && !is_said_to_be_confirmed(part);
        if !is_question(&words, is_marked) {
            return false;
        }
        sentences += 1;
    }
    sentences > 0
}

/// Whether the words of a sentence ask to be told something.
fn is_question(words: &[&str], is_marked: bool) -> bool {
    let rest: Vec<&str> = words.iter().copied().skip_while(|word| LEADS.contains(word)).collect();
    let lead: Vec<&str> = words.iter().copied().take(words.len() - rest.len()).collect();
    let (first, second) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    if TELLING.iter().any(|[verb, whom]| first == *verb && (whom.is_empty() || second == *whom)) {
        return true;
    }
    if ASKING.contains(&first) {
        return is_marked || ASKING_VERBS.contains(&second) || first.contains('\'');
    }
    // `can you add …?` wants something done.
    is_marked && !lead.contains(&"you")
}

/// Whether a sentence says something and only wants to hear that it is so: `The port is 5433, right?`
fn is_said_to_be_confirmed(sentence: &str) -> bool {
    let Some((said, tag)) = sentence.rsplit_once(',') else { return false };
    said.split_whitespace().count() > 2 && tag.split_whitespace().count() <= 2
}

/// What a question is about: the stems that do more than keep a conversation going.
fn told(text: &str) -> HashSet<String> {
    stems_in(text).into_iter().filter(|stem| !is_steering(stem)).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_has_the_same_words_however_they_are_set() {
        assert_eq!(words("Run the tests."), words("run  THE tests"));
        assert_ne!(words("Run the tests."), words("run the tests twice"));
    }

    #[test]
    fn who_asks_to_be_told_something_only_asks() {
        for text in [
            "tell me again how we deploy to production",
            "How do we deploy to production?",
            "how do we deploy to production",
            "Hey, quick question: where is the Stripe key?",
            "can you explain how the parser works?",
            "Is the cache on? And where?",
            "ok thanks. what is the port of staging",
            "wie deployen wir?",
            "どうやってデプロイする？",
        ] {
            assert!(only_asks(text), "{text}");
        }
        for text in [
            "",
            "deploys go through ./ship",
            "What we need is a cache.",
            "How we deploy: ./ship prod",
            "It broke. Why?",
            "can you add pagination to the users table?",
            "The port is 5433, right? I think so.",
            "why is it red?\n```\nerror: E0502\n```",
            "run the tests",
        ] {
            assert!(!only_asks(text), "{text}");
        }
    }

    #[test]
    fn a_question_is_the_same_that_asks_for_no_more() {
        let query = told("how do we deploy to production?");
        assert!(is_same_question(&query, "tell me again how we deploy to production"));
        assert!(!is_same_question(&query, "how do we deploy to production from the release branch with helm?"));
    }
}
