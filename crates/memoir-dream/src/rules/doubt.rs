//! What is said and not to be relied on: hearsay, what passes by itself, and what only tells of the work at hand.

use super::habits::is_instruction;
use super::sentences::Sentence;
use super::words::{begins, find, has};

/// Nobody vouches for it, or it is of somewhere else.
pub(super) const HEARSAY: &[&str] = &[
    "i heard",
    "i've heard",
    "i have heard",
    "i read somewhere",
    "heard from someone",
    "rumor",
    "rumour",
    "unverified",
    "unconfirmed",
    "not verified",
    "not confirmed",
    "allegedly",
    "supposedly",
    "apparently",
    "reportedly",
    "someone said",
    "somebody said",
    "someone mentioned",
    "someone told me",
    "they say",
    "not sure if",
    "not sure whether",
    "i'm not sure",
    "i am not sure",
    "i think maybe",
    "might be wrong",
    "from another workspace",
    "from another project",
    "from another team",
    "from another repo",
    "from another session",
    "from another customer",
    "from a different workspace",
    "from a different project",
    "from some other project",
    "from someone else's",
    "discussed elsewhere",
    "not authoritative",
    "angeblich",
    "ich habe gehört",
    "il paraît",
    "j'ai entendu",
    "he oído",
    "听说",
];

/// Ways to hand on what somebody or something else says, beside those with a verb.
const REPORTED: &[&str] = &[
    "according to",
    "as instructed",
    "instructions in",
    "instructions on",
    "instructions from",
    "as requested by",
    "as required by",
    "per the",
    "laut",
    "selon",
    "según",
];

/// Verbs with which it is handed on.
const SAYING: &[&str] = &[
    "says",
    "said",
    "say",
    "tells",
    "told",
    "states",
    "stated",
    "instructs",
    "instructed",
    "demands",
    "demanded",
    "wrote",
    "writes",
    "recommends",
    "recommended",
    "insists",
    "claims",
    "claimed",
    "reckons",
    "thinks",
    "warns",
    "complains",
    "schreibt",
    "sagt",
    "sagte",
    "verlangt",
    "meint",
    "dit",
    "dice",
];
/// What may stand between who speaks and that verb.
const ADVERBS: &[&str] = &[
    "already",
    "just",
    "also",
    "always",
    "now",
    "have",
    "has",
    "had",
    "once",
    "clearly",
    "explicitly",
    "only",
    "that",
    "as",
    "which",
    "who",
    "still",
];
/// Who speaks for themselves.
const SELF: &[&str] =
    &["i", "we", "i've", "we've", "ich", "wir", "je", "nous", "yo", "to", "let", "should", "can", "will", "must"];
/// Who hands something on says so in the first words.
const FIRST_REPORTED: usize = 6;

/// It ends soon by itself.
pub(super) const PASSING: &[&str] = &[
    "for now",
    "for the moment",
    "for the time being",
    "for today",
    "today only",
    "this time",
    "just once",
    "this once",
    "only once",
    "one time only",
    "until tomorrow",
    "until monday",
    "until friday",
    "until next week",
    "until further notice",
    "right now",
    "at the moment",
    "is temporary",
    "are temporary",
    "expires",
    "will expire",
    "has expired",
    "have expired",
    "not yet",
    "in this turn",
    "vorläufig",
    "diesmal",
    "dieses mal",
    "nur heute",
    "fürs erste",
    "im moment",
    "pour l'instant",
    "pour le moment",
    "cette fois",
    "temporairement",
    "por ahora",
    "esta vez",
    "de momento",
    "temporalmente",
    "暂时",
    "这次",
    "nothing yet",
    "in an hour",
    "in a minute",
    "be right back",
    "before i go",
    "before i leave",
    "tonight",
    "by tomorrow",
    "this afternoon",
    "this morning",
    "this evening",
    "just to see",
    "just to try",
    "just to test",
    "to see what happens",
    "as an experiment",
];

/// At the beginning, of what is told of: it passes.
pub(super) const PASSING_FIRST: &[&str] = &[
    "temporary",
    "temporarily",
    "expired",
    "short-lived",
    "throwaway",
    "one-off",
    "stale",
    "temporär",
    "temporaire",
    "temporal",
    "临时",
];

/// What a sentence is about stands in its first words.
const FIRST_WORDS: usize = 5;
/// An order about what was just named is short.
const ORDER_WORDS_MAX: usize = 4;

/// What is done when this work is.
const THIS_WORK: &[&str] = &[
    "this task",
    "this turn",
    "this commit",
    "this pr",
    "in this change",
    "for this change",
    "in this patch",
    "in this diff",
    "in this branch",
    "in this refactoring",
    "for this issue",
    "for this ticket",
    "before you finish",
    "before you are done",
    "when you are done",
    "when you're done",
    "wenn du fertig bist",
];

/// Whether nobody vouches for it.
pub(super) fn is_hearsay(lower: &str) -> bool {
    has(lower, HEARSAY)
}

/// Whether it is told of what somebody or something else says.
pub(super) fn is_reported(lower: &str) -> bool {
    has(lower, REPORTED) || is_said_by_others(lower, usize::MAX)
}

/// The same of what begins so: what follows is theirs.
pub(super) fn begins_reported(lower: &str) -> bool {
    begins(lower, REPORTED).is_some() || is_said_by_others(lower, FIRST_REPORTED)
}

fn is_said_by_others(lower: &str, words_max: usize) -> bool {
    let is_mark = |c: char| !(c.is_alphanumeric() || c == '\'');
    let words: Vec<&str> = lower.split_whitespace().take(words_max).map(|word| word.trim_matches(is_mark)).collect();
    words.iter().enumerate().any(|(at, word)| {
        let who = words.iter().take(at).rev().find(|word| !ADVERBS.contains(word));
        SAYING.contains(word) && who.is_some_and(|who| !SELF.contains(who))
    })
}

/// Whether an agent hands on what a page or a tool says, or tells somebody what to do: that is nobody's wish.
pub(super) fn hands_on(said: &Sentence) -> bool {
    let is_quote = said.lower.contains(['"', '“', '„', '«', '「']) && said.lower.contains("__");
    is_quote || is_reported(&said.lower) || is_instruction(&said.lower)
}

/// Whether it ends soon by itself, as it says of itself: what else it speaks of may be as old as it likes.
pub(super) fn passes(lower: &str) -> bool {
    let first = lower.match_indices(' ').nth(FIRST_WORDS - 1).map_or(lower, |(at, _)| lower.get(..at).unwrap_or(lower));
    has(lower, PASSING) || has(first, PASSING_FIRST)
}

/// Whether it is of the work at hand only, even if it is to be remembered for that.
pub(super) fn is_for_this_work(lower: &str) -> bool {
    has(lower, THIS_WORK)
}

/// What is supposed, planned, wondered or wanted.
const SUPPOSED: &[&str] = &[
    "if",
    "whether",
    "maybe",
    "perhaps",
    "probably",
    "possibly",
    "i think",
    "i guess",
    "i wonder",
    "i assume",
    "i suppose",
    "i believe",
    "i bet",
    "suppose",
    "imagine",
    "assume",
    "assuming",
    "might",
    "would",
    "could",
    "should",
    "planning",
    "plan to",
    "want",
    "wants",
    "wanted",
    "need to",
    "needs to",
    "going to",
    "gonna",
    "will",
    "won't",
    "we'll",
    "it'll",
    "i'll",
    "hopefully",
    "let's",
    "lets",
    "looks like",
    "look like",
    "seems",
    "seem",
    "sounds like",
    "feels",
    "trying",
    "tried",
    "what if",
    "once",
    "until",
    "wish",
    "hope",
    "expected",
    "expects",
    "supposed to",
    "tomorrow",
    "next week",
    "next month",
    "someday",
    "eventually",
    "almost",
    "nearly",
    "as soon as",
    "in theory",
    "for example",
    "e.g",
    "like this",
    "i was",
    "i thought",
    "confused",
    "somehow",
    "somewhere",
    "for some reason",
    "wenn",
    "falls",
    "vielleicht",
    "si",
    "peut-être",
    "quizás",
    "tal vez",
    "如果",
    "也许",
    "если",
    "может быть",
];

/// Whether it is only supposed, planned or wanted.
pub(super) fn is_supposed(lower: &str) -> bool {
    has(lower, SUPPOSED)
}

/// Whether it ends with an order about what it tells of, as in "the file is at src/main.rs, open it": that is the work
/// at hand.
pub(super) fn orders_now(lower: &str) -> bool {
    let lower = lower.trim_end_matches(['.', '!']);
    let clause =
        [", ", "; ", ". ", " - ", " – ", " so "].iter().filter_map(|cut| lower.rsplit_once(cut)).map(|(_, last)| last);
    let Some(last) = clause.min_by_key(|last| last.len()) else { return false };
    let last = begins(last, &["please", "so", "and", "then", "now", "can you", "bitte"])
        .map_or(last, |end| last.get(end..).unwrap_or_default());
    let (verb, rest) = last.trim().split_once(' ').unwrap_or_default();
    let is_statement = matches!(
        verb,
        "it" | "we"
            | "i"
            | "you"
            | "they"
            | "he"
            | "she"
            | "this"
            | "that"
            | "not"
            | "never"
            | "always"
            | "the"
            | "in"
            | "on"
            | "at"
            | "for"
            | "with"
            | "to"
    );
    let is_short = !is_statement && last.split_whitespace().count() <= ORDER_WORDS_MAX;
    let is_sought = || begins(last.trim(), &["find out", "look into", "figure out", "investigate", "debug"]).is_some();
    is_short
        && (["it", "this", "that", "them", "these", "those"].iter().any(|this| find(rest, this).is_some())
            || is_sought())
}
