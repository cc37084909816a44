//! What stands beside a wish for privacy: something told, which the wish can be about, or work, which "don't save this" is
//! then part of.

use super::words::LITTLE;
use crate::rules::{Sentence, TROUBLE, asks_to_keep, begins, has, without_leads};

/// What a clause is to a wish beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matter {
    /// There is nothing in it.
    Nothing,
    /// It tells something of somebody or something.
    Told,
    /// It asks for something or says what is done next.
    Work,
    /// Nobody can tell.
    Other,
}

/// Words that say nothing.
const EMPTY: &[&str] =
    &["thanks", "thank", "oh", "ok", "okay", "hey", "hi", "um", "hm", "sorry", "wait", "danke", "well", "yes", "no"];
/// So few words tell nothing.
const EMPTY_WORDS_MAX: usize = 2;

/// What the writer is about to do.
const PLANS: &[&str] = &[
    "i want",
    "i need",
    "i'd",
    "i would",
    "i'll",
    "i will",
    "i must",
    "i should",
    "i have to",
    "i'm going",
    "i'm not",
    "i am not",
    "we need",
    "we'd",
    "we'll",
    "we will",
    "we must",
    "we should",
    "we have to",
    "we want",
    "we're going",
    "let me",
    "let us",
    "let's",
    "ich will",
    "ich möchte",
    "ich muss",
    "ich würde",
    "wir müssen",
    "wir sollten",
    "wir wollen",
    "je veux",
    "je dois",
    "je voudrais",
    "on doit",
    "quiero",
    "tengo que",
    "hay que",
];

/// Words with which, or before which, an order of work is told.
const ORDER: &[&str] =
    &["first", "now", "then", "next", "instead", "until", "before", "erst", "zuerst", "dann", "d'abord", "primero"];

/// What begins what somebody speaks of.
const DETERMINERS: &[&str] = &[
    "the", "a", "an", "my", "our", "their", "his", "her", "your", "der", "die", "das", "den", "dem", "ein", "eine",
    "mein", "meine", "unser", "unsere", "ihr", "ihre", "le", "la", "les", "l'", "un", "une", "mon", "ma", "mes",
    "notre", "nos", "el", "los", "las", "una", "mi", "mis", "nuestro", "nuestra", "su",
];
const PRONOUNS: &[&str] =
    &["i", "we", "he", "she", "they", "ich", "wir", "er", "sie", "je", "nous", "il", "elle", "yo"];
const PREPOSITIONS: &[&str] = &[
    "of", "for", "in", "at", "on", "to", "from", "with", "von", "für", "bei", "mit", "im", "de", "du", "des", "pour",
    "para", "en",
];
/// What a verb of an order is followed by.
const OBJECTS: &[&str] =
    &["it", "this", "that", "these", "those", "them", "me", "us", "es", "ihn", "uns", "into", "out", "up", "lo"];
/// What is pointed at and not told of.
const POINTING: &[&str] =
    &["it", "it's", "this", "that", "that's", "these", "those", "there", "which", "what", "es", "ça"];

const JOINTS: &[&str] = &[
    "is", "are", "am", "was", "were", "has", "have", "had", "i'm", "we're", "costs", "means", "earns", "ist", "sind",
    "bin", "war", "waren", "hat", "heißt", "lautet", "est", "sont", "suis", "était", "es", "son", "soy", "era", "=",
];
/// The same in languages without blanks.
const TIGHT_JOINTS: &[&str] = &["是", "は", "です", "为"];

/// What is said of a thing that is being worked on.
const STATES: &[&str] = &[
    "too",
    "still",
    "not",
    "already",
    "very",
    "so",
    "just",
    "only",
    "yet",
    "almost",
    "nearly",
    "ready",
    "done",
    "fine",
    "good",
    "bad",
    "big",
    "long",
    "ugly",
    "unfinished",
    "incomplete",
    "odd",
    "strange",
    "noch",
    "nicht",
    "zu",
    "pas",
    "trop",
    "encore",
    "no",
    "demasiado",
    "todavía",
];
/// Things that are being worked on.
const WORKED_ON: &[&str] = &[
    "file", "files", "diff", "code", "test", "tests", "build", "function", "method", "class", "schema", "draft",
    "document", "form", "page", "button", "change", "changes", "patch", "branch", "commit", "layout", "datei",
    "fichier", "archivo",
];

/// What a clause is.
pub(crate) fn matter_of(clause: &Sentence) -> Matter {
    let (bare, is_request) = without_leads(clause);
    let bare = asks_to_keep(&bare).map_or(bare.clone(), |end| bare.from(end).bare());
    let said = words(&bare.said);
    let lower: Vec<String> = said.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let has_digit = bare.lower.chars().any(|c| c.is_ascii_digit());
    let is_empty = lower.iter().all(|word| LITTLE.contains(word) || EMPTY.contains(word));
    if is_empty {
        return Matter::Nothing;
    }
    if is_tight(&bare.lower) {
        return if TIGHT_JOINTS.iter().any(|joint| bare.lower.contains(joint)) { Matter::Told } else { Matter::Other };
    }
    let plans = begins(&clause.bare().lower, PLANS).is_some();
    if clause.asks() || is_request || plans || is_work(&bare.lower, &lower) {
        return Matter::Work;
    }
    // The first word is large in any sentence.
    let has_name = said.iter().skip(1).any(|word| word.starts_with(char::is_uppercase));
    let joint = lower.iter().position(|word| JOINTS.contains(word));
    let tells = match joint {
        Some(joint) => tells_of_subject(&lower, joint) && !has(&bare.lower, TROUBLE),
        None => (has_digit || has_name) && (is_subject(&lower, 1) || begins_with_name(&said)),
    };
    if tells {
        return Matter::Told;
    }
    if lower.len() <= EMPTY_WORDS_MAX && !has_digit { Matter::Nothing } else { Matter::Other }
}

fn words(text: &str) -> Vec<&str> {
    let is_mark = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '='));
    text.split_whitespace().map(|word| word.trim_matches(is_mark)).filter(|word| !word.is_empty()).collect()
}

/// Whether it is a text of a language without blanks.
fn is_tight(text: &str) -> bool {
    let tight = text.chars().filter(|c| *c > '\u{2e80}').count();
    tight * 2 > text.chars().count()
}

fn begins_with_name(said: &[&str]) -> bool {
    said.first().is_some_and(|word| word.starts_with(char::is_uppercase))
        && said.get(1).is_some_and(|word| word.ends_with('s') && word.len() > 2)
}

/// Whether it orders something, or says what its writer does next.
fn is_work(lower: &str, words: &[&str]) -> bool {
    let first = words.first().copied().unwrap_or_default();
    let second = words.get(1).copied().unwrap_or_default();
    let last = words.last().copied().unwrap_or_default();
    let is_subject = is_subject(words, 1) || POINTING.contains(&first);
    begins(lower, PLANS).is_some()
        || ORDER.contains(&first)
        || ORDER.contains(&last)
        || (!is_subject && (OBJECTS.contains(&second) || DETERMINERS.contains(&second)))
}

/// Whether the first words are what something is told of.
fn is_subject(words: &[&str], end: usize) -> bool {
    let Some(first) = words.first() else { return false };
    let begins_well = DETERMINERS.contains(first) || PRONOUNS.contains(first);
    // "Make sure the test …": what has an article in it begins with a verb.
    let mut inner = (1..end).filter_map(|at| Some((words.get(at - 1)?, words.get(at)?)));
    let holds_none = inner.all(|(before, word)| {
        let begins_other = DETERMINERS.contains(word) || PRONOUNS.contains(word) || POINTING.contains(word);
        !begins_other || PREPOSITIONS.contains(before)
    });
    if end > 1 { holds_none } else { begins_well }
}

/// Whether something is told of what stands before the joint, and not only how the work on it goes.
fn tells_of_subject(words: &[&str], joint: usize) -> bool {
    let (subject, said) = words.split_at(joint);
    let said = said.get(1..).unwrap_or_default();
    let (Some(first), Some(head)) = (subject.first().or(words.first()), subject.last().or(words.first())) else {
        return false;
    };
    let is_named = if subject.is_empty() { first.contains('\'') } else { is_subject(words, joint.max(2)) };
    let is_state =
        said.first().is_none_or(|word| STATES.contains(word)) || said.last().is_some_and(|word| *word == "yet");
    is_named && !POINTING.contains(first) && !WORKED_ON.contains(head) && !is_state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_told_from_what_is_to_be_done() {
        for (matter, clauses) in [
            (
                Matter::Told,
                &[
                    "the demo customer is Acme Corp",
                    "my pin is 4711",
                    "der Kunde ist Acme",
                    "el cliente es Acme",
                    "le client est Acme",
                    "客户是",
                    "I am leaving the company in May",
                    "Anna earns 90k",
                    "our merger partner Hooli signs on May 3",
                    "customer of the demo is acme",
                ][..],
            ),
            (
                Matter::Work,
                &[
                    "I want to see the diff first",
                    "extract it into a helper function",
                    "erst den Test laufen lassen",
                    "now run the tests",
                    "run the linter",
                    "can you show me the diff",
                    "the tests first",
                    "let's look at it together",
                    "we should test it",
                ],
            ),
            (Matter::Nothing, &["please", "oh,", "thanks!", "hush", ""]),
            (
                Matter::Other,
                &["it is still wrong", "the diff is too big", "because that's broken", "the build has failed"],
            ),
        ] {
            let other = clauses.iter().map(|clause| (matter_of(&Sentence::new(clause)), *clause));
            assert_eq!(other.filter(|(found, _)| *found != matter).collect::<Vec<_>>(), [], "{matter:?}");
        }
    }
}
