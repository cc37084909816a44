//! What fits and tells nothing: the same asked before, an answer that nobody knows. A question leads to its answer, if
//! there is one near it; what only tells what was gives way to what is.

use crate::claims::{asks_what_was, knows_nothing, only_asks, tells_what_was};
use crate::field::{Field, Spoken, Voice};
use crate::ordinary::is_steering;
use crate::rank::RankedUnit;
use memoir_index::{Doc, IndexError, speech_of, stems_in};
use memoir_journal::{Journal, Seq, View};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// So many of the best are looked at.
const LOOKED_AT: usize = 24;
/// Fewer words may be an answer as well as a question.
const WORDS_MIN: usize = 3;
/// A question with this share of words that the query has not is another one.
const OTHER_SHARE: f32 = 0.25;
/// What only tells what was is worth this share where somebody asks for what is.
pub(crate) const WHAT_WAS_WORTH: f32 = 0.5;

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
    let mut said = Said { journal, known: HashMap::new() };
    said.read(&looked_at)?;
    let is_about_now = questions && !asks_what_was(query);
    let mut was: HashSet<Doc> = HashSet::new();
    let mut gone: HashSet<Doc> = HashSet::new();
    let mut answers: Vec<(Doc, RankedUnit)> = Vec::new();
    for unit in units.iter().take(LOOKED_AT) {
        let (doc, voice) = (unit.spoken.doc, unit.spoken.voice);
        let Some(text) = said.of(&unit.spoken)?.map(str::to_owned) else { continue };
        if is_about_now && tells_what_was(&text) {
            was.insert(doc);
        }
        if questions && voice == Voice::Agent && knows_nothing(&text) {
            let spoken = field.units_of(unit.spoken.session)?;
            let before = spoken.iter().take_while(|one| one.doc != doc).filter(|one| one.voice == Voice::User).last();
            if before.map(|before| said.of(before)).transpose()?.flatten().is_some_and(only_asks) {
                gone.insert(doc);
            }
        } else if questions && voice == Voice::User && only_asks(&text) {
            let spoken = field.units_of(unit.spoken.session)?;
            let answer = answer_of(&spoken, doc, units, &mut said)?;
            match answer.filter(|_| is_same_question(&stems, &text)) {
                Some(answer) => answers.push((doc, answering(units, unit, answer))),
                None if answer.is_none() => drop(gone.insert(doc)),
                None => {}
            }
        } else if repeats && asked.len() >= WORDS_MIN && words(&text) == asked {
            gone.insert(doc);
        }
    }
    put(units, answers);
    units.retain(|unit| !gone.contains(&unit.spoken.doc));
    if !was.is_empty() {
        for unit in units.iter_mut().filter(|unit| was.contains(&unit.spoken.doc)) {
            unit.score *= WHAT_WAS_WORTH;
        }
        units.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    Ok(())
}

/// What was said, read as it is asked for.
struct Said<'a> {
    journal: &'a dyn Journal,
    known: HashMap<Seq, Option<String>>,
}

impl Said<'_> {
    fn read(&mut self, seqs: &[Seq]) -> Result<(), IndexError> {
        self.known.extend(seqs.iter().map(|seq| (*seq, None)));
        for stored in self.journal.events(seqs, &View::owner_all())? {
            self.known.insert(stored.seq, speech_of(&stored.event).map(Cow::into_owned));
        }
        Ok(())
    }

    /// What a unit says.
    fn of(&mut self, spoken: &Spoken) -> Result<Option<&str>, IndexError> {
        let seq = spoken.unit.seq;
        if !self.known.contains_key(&seq) {
            self.read(&[seq])?;
        }
        Ok(self.known.get(&seq).and_then(Option::as_deref))
    }
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

/// What the agent says before the user goes on: the best of it, or else the last; not that it does not know.
fn answer_of(
    spoken: &[Spoken],
    question: Doc,
    units: &[RankedUnit],
    said: &mut Said<'_>,
) -> Result<Option<Spoken>, IndexError> {
    let after = spoken.iter().skip_while(|one| one.doc != question).skip(1);
    let rest = after.take_while(|one| one.voice != Voice::User);
    let mut answers: Vec<Spoken> =
        rest.filter(|one| one.voice == Voice::Agent && !one.unit.traits.asks()).copied().collect();
    loop {
        let best = units.iter().find_map(|unit| answers.iter().position(|one| one.doc == unit.spoken.doc));
        let Some(at) = best.or(answers.len().checked_sub(1)) else { return Ok(None) };
        let answer = answers.swap_remove(at);
        if !said.of(&answer)?.is_some_and(knows_nothing) {
            return Ok(Some(answer));
        }
        answers.sort_by_key(|one| (one.unit.ts_ms, one.unit.seq));
    }
}

/// Whether a question asks for no more than the query.
fn is_same_question(query: &HashSet<String>, text: &str) -> bool {
    let other = told(text);
    let more = other.difference(query).count() as f32;
    !other.is_empty() && more <= other.len() as f32 * OTHER_SHARE
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
    fn a_question_is_the_same_that_asks_for_no_more() {
        let query = told("how do we deploy to production?");
        assert!(is_same_question(&query, "tell me again how we deploy to production"));
        assert!(!is_same_question(&query, "how do we deploy to production from the release branch with helm?"));
    }
}
