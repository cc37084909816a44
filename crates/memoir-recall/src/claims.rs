//! What a text claims, by its sentences: nothing, because it only asks or does not know; or what was, and is no more.

use crate::ordinary::is_steering;
use memoir_index::name_stem;

/// Who says in more words than this that he asks or does not know tells something too.
const WORDS_MAX: usize = 40;

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
const TELLING: [&[&str]; 18] = [
    &["tell", "me"],
    &["remind", "me"],
    &["show", "me"],
    &["explain"],
    &["wonder"],
    &["wondering"],
    &["was", "wondering"],
    &["am", "wondering"],
    &["describe"],
    &["recap"],
    &["any", "idea"],
    &["any", "clue"],
    &["do", "we", "know"],
    &["do", "you", "know"],
    &["forgot", "how"],
    &["forgot", "what"],
    &["forgot", "where"],
    &["need", "to", "know"],
];
/// By which somebody says that he does not know.
const NOT_KNOWING: [&str; 42] = [
    "i don't know",
    "i do not know",
    "i don't have",
    "i do not have",
    "i have no",
    "i'm not sure",
    "i am not sure",
    "not sure",
    "no idea",
    "i'm not aware",
    "i am not aware",
    "i couldn't find",
    "i could not find",
    "i can't find",
    "i cannot find",
    "i couldn't tell",
    "i can't tell",
    "i cannot tell",
    "i can't say",
    "i don't see",
    "i do not see",
    "i didn't find",
    "i did not find",
    "i found no",
    "i found nothing",
    "nothing found",
    "nothing was found",
    "i was unable to find",
    "i'm unable to",
    "i am unable to",
    "i don't recall",
    "i don't remember",
    "there is no mention",
    "there's no mention",
    "there is nothing",
    "there's nothing",
    "das weiß ich nicht",
    "ich weiß nicht",
    "keine ahnung",
    "je ne sais pas",
    "no lo sé",
    "no sé",
];
/// The same in scripts without blanks.
const NOT_KNOWING_RUNS: [&str; 5] = ["不知道", "不清楚", "わかりません", "分かりません", "모르겠"];
/// Before them.
const BEFORE: [&str; 12] =
    ["sorry", "unfortunately", "honestly", "hmm", "hm", "well", "but", "and", "leider", "désolé", "lo siento", "so"];

/// By which somebody tells what was and is no more.
const NO_MORE: [&str; 5] = ["used to be", "formerly", "früher war", "antes era", "раньше"];
/// Who also tells what is now tells what holds.
const NOW: [&str; 14] = [
    "now",
    "today",
    "currently",
    "anymore",
    "nowadays",
    "instead",
    "since",
    "changed",
    "moved",
    "jetzt",
    "heute",
    "maintenant",
    "ahora",
    "теперь",
];
/// By which somebody asks for what was.
const WAS: [&str; 18] = [
    "was",
    "were",
    "did",
    "used",
    "before",
    "formerly",
    "previous",
    "previously",
    "originally",
    "old",
    "earlier",
    "former",
    "history",
    "changed",
    "früher",
    "war",
    "avant",
    "antes",
];

/// Whether a text does nothing but ask to be told something. Who asks for something to be done tells what is wanted.
pub(crate) fn only_asks(text: &str) -> bool {
    all_sentences(text, |part, words| {
        let is_marked = part.trim_end().ends_with(['?', '？']) && !is_said_to_be_confirmed(part);
        is_question(words, is_marked)
    })
}

/// Whether a text says that nobody knows, and nothing else but perhaps a question.
pub(crate) fn knows_nothing(text: &str) -> bool {
    let mut is_said = false;
    let is_all = all_sentences(text, |part, words| {
        let is_unknown = is_not_knowing(part, words);
        is_said |= is_unknown;
        is_unknown || part.trim_end().ends_with(['?', '？'])
    });
    is_said && is_all
}

/// Whether a text tells what was, and not what is.
pub(crate) fn tells_what_was(text: &str) -> bool {
    let lower = text.to_lowercase();
    NO_MORE.iter().any(|told| has_words(&lower, told)) && !NOW.iter().any(|now| has_words(&lower, now))
}

/// Whether a query asks for what was.
pub(crate) fn asks_what_was(query: &str) -> bool {
    let lower = query.to_lowercase();
    WAS.iter().any(|was| has_words(&lower, was))
}

/// Whether words stand in a text, and not in the middle of others.
fn has_words(text: &str, words: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(words).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + words.len()..).unwrap_or_default());
        is_end(before.chars().next_back()) && is_end(after.chars().next())
    })
}

/// Whether something holds of each sentence of a text, those left out that only keep a conversation going, and there is
/// one.
fn all_sentences(text: &str, mut holds: impl FnMut(&str, &[&str]) -> bool) -> bool {
    let text = text.trim();
    if text.split_whitespace().count() > WORDS_MAX || text.contains("```") {
        return false;
    }
    let mut sentences = 0;
    for part in text.split_inclusive(['.', '!', '?', '\n', '。', '？', '！']) {
        let lower = part.to_lowercase().replace('\u{2019}', "'");
        let words: Vec<&str> =
            lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).collect();
        if words.is_empty() || words.iter().all(|word| name_stem(word).is_none_or(|stem| is_steering(&stem))) {
            // `I don't know` is made of little words, too.
            if !is_not_knowing(part, &words) {
                continue;
            }
        }
        if !holds(part, &words) {
            return false;
        }
        sentences += 1;
    }
    sentences > 0
}

/// Whether a sentence says that its speaker does not know.
fn is_not_knowing(part: &str, words: &[&str]) -> bool {
    let told = words.iter().skip_while(|word| BEFORE.contains(word)).copied().collect::<Vec<_>>().join(" ");
    NOT_KNOWING
        .iter()
        .any(|known| told.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
        || NOT_KNOWING_RUNS.iter().any(|known| part.contains(known))
}

/// Whether the words of a sentence ask to be told something.
fn is_question(words: &[&str], is_marked: bool) -> bool {
    let rest: Vec<&str> = words.iter().copied().skip_while(|word| LEADS.contains(word)).collect();
    let lead: Vec<&str> = words.iter().copied().take(words.len() - rest.len()).collect();
    let (first, second) = (rest.first().copied().unwrap_or_default(), rest.get(1).copied().unwrap_or_default());
    if TELLING.iter().any(|told| rest.starts_with(told)) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            "any idea how we deploy",
            "do you know how deploys go to production",
            "I was wondering how we deploy",
            "I forgot how we deploy",
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
    fn who_says_that_he_does_not_know_tells_nothing() {
        for text in [
            "I don't know.",
            "Sorry, I don’t know how you deploy to production.",
            "I do not have any information about the deploy. Could you point me to the runbook?",
            "I couldn't find anything about deploys in this repository.",
            "Not sure. What do you use?",
            "Keine Ahnung.",
            "不知道部署怎么做。",
        ] {
            assert!(knows_nothing(text), "{text}");
        }
        for text in [
            "",
            "With ./ship prod.",
            "I don't know who wrote it. It runs ./ship prod.",
            "There is nothing to do: deploys are automatic. They run at noon.",
            "What do you use?",
        ] {
            assert!(!knows_nothing(text), "{text}");
        }
    }

    #[test]
    fn what_was_is_told_from_what_is() {
        assert!(tells_what_was("the retry limit used to be 5"));
        assert!(!tells_what_was("the retry limit used to be 5, now it is 8"));
        assert!(!tells_what_was("we used tokio") && !tells_what_was("the limit is 8"));
        assert!(asks_what_was("what was the limit?") && asks_what_was("what did the limit use to be"));
        assert!(!asks_what_was("what is the retry limit?") && !asks_what_was("wash the car"));
    }
}
