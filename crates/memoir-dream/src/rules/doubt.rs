//! What is said and not to be relied on: hearsay, what passes by itself, and what only tells of the work at hand.

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

/// Somebody or something else says it.
const REPORTED: &[&str] = &[
    "it says",
    "it said",
    "says that",
    "the spec says",
    "the docs say",
    "the page says",
    "the readme says",
    "the ticket says",
    "the issue says",
    "according to",
    "he said",
    "she said",
    "they said",
    "laut",
    "selon",
    "según",
];

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
    has(lower, REPORTED)
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
    let is_statement =
        matches!(verb, "it" | "we" | "i" | "you" | "they" | "he" | "she" | "this" | "that" | "not" | "never" | "the");
    !is_statement
        && last.split_whitespace().count() <= ORDER_WORDS_MAX
        && ["it", "this", "that", "them", "these"].iter().any(|this| find(rest, this) == Some(0))
}
