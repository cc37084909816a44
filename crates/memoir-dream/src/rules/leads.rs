//! What may stand before what is said, and says nothing: "ok, but please …", "I already told you: …".

use super::sentences::Sentence;
use super::words::begins;

/// What may stand before a wish and says nothing.
const LEADS: &[&str] = &[
    "please",
    "pls",
    "ok",
    "okay",
    "so",
    "and",
    "also",
    "but",
    "hey",
    "btw",
    "by the way",
    "yes",
    "well",
    "then",
    "oh",
    "one more thing",
    "important",
    "just",
    "for the future",
    "bitte",
    "also bitte",
    "s'il te plaît",
    "s'il vous plaît",
    "stp",
    "por favor",
    "请",
    "另外",
    "you should",
    "you must",
    "can you",
    "could you",
    "i want you to",
    "i'd like you to",
    "i would like you to",
    "i need you to",
    "let's",
    "no,",
    "nope",
    "nein,",
    "nein",
    "non,",
    "i already told you",
    "i have told you",
    "i've told you",
    "i told you",
    "as i said",
    "like i said",
    "as i told you",
    "i said",
    "once more",
    "once again",
    "again",
    "alright",
    "noch was",
    "außerdem",
];

/// What begins like a lead and asks to be kept in mind.
const TELLING: &[&str] = &["just so you know", "so you know"];

/// Leads with which a question is a wish.
const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "will you", "kannst du", "könntest du", "peux-tu", "puedes"];

/// So many leads stand before a wish at most.
const LEADS_MAX: usize = 4;

/// The sentence without what only leads up to it, and whether that asks for something.
pub(crate) fn without_leads(sentence: &Sentence) -> (Sentence, bool) {
    without_leads_until(sentence, &[])
}

/// The same, up to a phrase that is not to be taken off.
pub(super) fn without_leads_until(sentence: &Sentence, stop: &[&str]) -> (Sentence, bool) {
    let mut bare = sentence.bare();
    let mut is_request = false;
    for _ in 0..LEADS_MAX {
        // What begins a wish is no lead: "bitte" is one, "no olvides" is none.
        match begins(&bare.lower, LEADS)
            .filter(|_| begins(&bare.lower, stop).or_else(|| begins(&bare.lower, TELLING)).is_none())
        {
            Some(end) => {
                is_request |= begins(&bare.lower, REQUESTS).is_some();
                bare = bare.from(end).bare();
            }
            None => break,
        }
    }
    (bare, is_request)
}
