//! What is said of the sentence before: "remember that", "use this only for …". It is no memory by itself, and that
//! sentence is none without it.

use super::Rule;
use super::leads::without_leads;
use super::scope::is_scope;
use super::sentences::{Sentence, own_sentences};
use super::stated::{LIMITS, stated};
use super::states::state;
use super::told::{Told, keep, kept};
use super::words::{begins, has};
use memoir_event::MemoryKind;

/// What a sentence wants of the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Back {
    /// It is to be remembered.
    Remember,
    /// It holds within the limit that this sentence is.
    Limit,
}

/// Wishes that point at what was said, and say nothing else.
const REMEMBER_THAT: &[&str] = &[
    "remember that",
    "remember this",
    "remember it",
    "keep that in mind",
    "keep this in mind",
    "keep it in mind",
    "bear that in mind",
    "bear this in mind",
    "bear it in mind",
    "don't forget that",
    "don't forget this",
    "don't forget it",
    "do not forget that",
    "do not forget this",
    "do not forget it",
    "never forget that",
    "never forget this",
    "never forget it",
    "make a note of that",
    "make a note of this",
    "make a note of it",
    "note that down",
    "note this down",
    "note it down",
    "write that down",
    "save that to memory",
    "save this to memory",
    "save it to memory",
    "memorize that",
    "memorize this",
    "memorize it",
    "memorise that",
    "memorise this",
    "memorise it",
    "merk dir das",
    "merke dir das",
    "vergiss das nicht",
    "denk daran",
    "retiens ça",
    "retiens-le",
    "n'oublie pas ça",
    "recuérdalo",
    "recuerda eso",
    "no lo olvides",
    "记住这个",
    "记住这一点",
    "请记住",
];
/// What may follow them.
const TAILS: &[&str] = &[
    "please",
    "for later",
    "for next time",
    "for the future",
    "from now on",
    "well",
    "ok",
    "okay",
    "bitte",
    "thanks",
    "s'il te plaît",
    "por favor",
    "always",
];

/// Who takes back a number says so in so many words.
const MISSPOKEN_WORDS_MAX: usize = 6;

/// When it is to be thought of is said in so many words.
const TAIL_WORDS_MAX: usize = 5;

/// What a limit points at, where it names nothing itself.
const POINTERS: &[&str] = &[
    "this",
    "that",
    "it",
    "these",
    "those",
    "they",
    "use this",
    "use that",
    "use it",
    "use these",
    "use them",
    "only use this",
    "only use that",
    "only use it",
    "only use these",
    "only use them",
    "use only for",
    "nur verwenden",
];

/// What a sentence wants of the one before it, if it wants anything of it.
pub(super) fn looks_back(bare: &Sentence) -> Option<Back> {
    let lower = bare.lower.trim_end_matches(['.', '!', ' ']);
    if let Some(end) = begins(lower, REMEMBER_THAT) {
        let mut rest = bare.from(end).to(lower.len() - end).bare();
        while let Some(end) = begins(&rest.lower, TAILS) {
            rest = rest.from(end).bare();
        }
        // "…, keep that in mind when parsing".
        let is_when =
            || begins(&rest.lower, &["when", "whenever", "while", "for"]).is_some() && rest.words() <= TAIL_WORDS_MAX;
        return (rest.lower.is_empty() || is_scope(&rest.lower) || is_when()).then_some(Back::Remember);
    }
    let names_nothing = begins(lower, POINTERS).is_some() && !lower.contains(':');
    (names_nothing && has(lower, LIMITS)).then_some(Back::Limit)
}

/// "…, remember it": what stands before such a wish.
pub(super) fn without_last_wish(bare: &Sentence) -> Option<Sentence> {
    [", ", "; ", " - ", " – ", " — ", "，"].iter().find_map(|mark| {
        let at = bare.lower.rfind(mark)?;
        let last = without_leads(&bare.from(at + mark.len()).bare()).0;
        (looks_back(&last) == Some(Back::Remember)).then(|| bare.to(at))
    })
}

/// "Typo, 5427", "wait no, every 90 days", "I meant 42": what the message before told, with the other number.
pub(super) fn misspoken(message: &str, before: Option<&str>) -> Option<Told> {
    const MISSPOKEN: &[&str] = &[
        "typo",
        "i meant",
        "make that",
        "wait no",
        "no wait",
        "sorry",
        "oops",
        "correction",
        "ich meinte",
        "je voulais dire",
        "quise decir",
    ];
    let sentence = Sentence::new(message);
    let is_short = sentence.words() <= MISSPOKEN_WORDS_MAX && !sentence.asks();
    begins(&sentence.lower, MISSPOKEN).filter(|_| is_short)?;
    let said = without_leads(&own_sentences(before?).pop()?).0;
    let (right, wrong) = (only_number(&sentence.said)?, only_number(&said.said)?);
    let is_told = state(&said, None, &said.said).or_else(|| stated(&said)).is_some();
    let told =
        is_told.then(|| kept(Rule::Update, &Sentence::new(&said.said.replacen(wrong, right, 1)), &said.lower))??;
    Some(Told { with_before: true, ..told })
}

/// The number of a text that has one and no other.
fn only_number(text: &str) -> Option<&str> {
    let is_mark = |c: char| !c.is_alphanumeric();
    let has_digit = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let mut numbers = text.split_whitespace().map(|word| word.trim_matches(is_mark)).filter(has_digit);
    numbers.next().filter(|_| numbers.next().is_none())
}

/// What was said, with what is now said of it.
pub(super) fn joined(before: &Sentence, back: Back, bare: &Sentence) -> Option<Told> {
    let said = without_leads(before).0;
    if said.asks() {
        return None;
    }
    let whole = format!("{} {}", said.lower, bare.lower);
    if back == Back::Remember {
        return kept(Rule::Remember, &said, &whole);
    }
    let first = bare.said.chars().next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
    let limit = bare.said.get(bare.said.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
    let text = format!("{}; {first}{limit}", said.said.trim_end_matches(['.', '!', ';', ' ']));
    keep(Rule::Limit, MemoryKind::Convention, &text, &whole)
}
