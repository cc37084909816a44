//! What a wish to forget means, of all that is known and was said.

use crate::book::{Fate, Known, Shelf};
use crate::phrase::words_of;
use crate::privacy::{Matter, matter_of};
use crate::rules::{Sentence, Sought, Unwanted, Voice, own_sentences};
use crate::settle::UNSAID_SHARE;
use crate::statement::Statement;
use memoir_index::name_stem;
use std::collections::BTreeSet;

/// A memory of which a wish to forget says this much is meant by it.
const MEANT_SHARE: f32 = 0.75;

/// One word that is to be forgotten must be so much of what a memory says.
const NAMED_SHARE: f32 = 0.2;
/// Little words of other languages, beside those that no stem is made of.
const LITTLE: [&str; 38] = [
    "", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "mein", "meine", "meinen", "unser", "unsere",
    "unseren", "was", "ich", "wir", "zum", "zur", "über", "von", "le", "la", "les", "un", "une", "mon", "ma", "mes",
    "notre", "el", "los", "mi", "mis", "nuestro", "nuestra",
];

/// What is called one thing is at most so many memories, or messages.
const ONE_MAX: usize = 3;
/// A text is looked at more closely if it has the beginnings of all words.
const BEGINNING_CHARS: usize = 3;

/// What is to be forgotten, as it is looked for.
pub(crate) struct Meant<'a> {
    wish: &'a Unwanted,
    stems: BTreeSet<String>,
    names: BTreeSet<String>,
    /// All its words, for what is called by a little one.
    words: BTreeSet<String>,
}

impl<'a> Meant<'a> {
    pub fn of(wish: &'a Unwanted) -> Meant<'a> {
        let (stems, names) = (Statement::whole(&wish.named).stems, names_in(&wish.named));
        Meant { wish, stems, names, words: plain_words(&wish.named) }
    }

    /// The same thing by its names alone: "Whitlock's rate" is told of Whitlock.
    pub fn by_names(&self) -> Option<Meant<'a>> {
        // What begins a sentence is large anyway.
        let words = words_of(&format!("of {}", self.wish.named));
        let owner = self.wish.named.split("'s ").next().filter(|owner| owner.len() < self.wish.named.len());
        let is_owner = |word: &str| owner.is_some_and(|owner| plain_words(owner).contains(word));
        let named = words.iter().filter(|word| word.is_name || is_owner(&word.text));
        let names: BTreeSet<String> = named.filter_map(|word| name_stem(&word.text)).collect();
        let is_less = !names.is_empty() && names.len() < self.names.len();
        is_less.then(|| Meant { wish: self.wish, stems: names.clone(), names, words: BTreeSet::new() })
    }

    /// Whether messages are meant, too.
    pub fn is_of_messages(&self) -> bool {
        matches!(self.wish.sought, Sought::ThingSaid | Sought::All)
    }

    /// Whether so many are too many to be the one thing that was named.
    pub fn is_too_much(&self, found: usize) -> bool {
        found > ONE_MAX && self.wish.sought != Sought::All && self.wish.sought != Sought::Memories
    }

    /// The memories of a shelf that are meant, of those that were said by then.
    pub fn among(&self, shelf: &Shelf, ts_ms: i64) -> Vec<usize> {
        let mut found: BTreeSet<usize> = meant(shelf, &self.wish.said, ts_ms).into_iter().collect();
        if self.wish.named != self.wish.said && (found.is_empty() || self.wish.sought != Sought::Memories) {
            found.extend(meant(shelf, &self.wish.named, ts_ms));
        }
        if self.wish.sought != Sought::Memories {
            let all: Vec<usize> = match self.stems.is_empty() {
                true => (0..shelf.known.len()).collect(),
                false => self.stems.union(&self.names).flat_map(|stem| shelf.saying(stem)).collect(),
            };
            let says = |at: &usize| {
                shelf.at(*at).is_some_and(|known| {
                    known.voice == Voice::User && is_there(known, ts_ms) && self.is_in(&known.memory.text)
                })
            };
            found.extend(all.into_iter().filter(says));
        }
        found.into_iter().collect()
    }

    /// Whether a message tells it: what it asks for and what it wants done is work.
    pub fn is_told_in(&self, message: &str) -> bool {
        let lower = message.to_lowercase();
        let begins = |word: &String| {
            let end = word.char_indices().nth(BEGINNING_CHARS).map_or(word.len(), |(at, _)| at);
            lower.contains(word.get(..end).unwrap_or(word))
        };
        let is_near = self.stems.iter().all(begins) || self.names.iter().all(begins);
        let tells = |sentence: &Sentence| {
            matches!(matter_of(sentence), Matter::Told | Matter::Other) && self.is_in(&sentence.said)
        };
        is_near && own_sentences(message).iter().any(tells)
    }

    /// Whether a text says it, in whatever words around it.
    pub fn is_in(&self, text: &str) -> bool {
        if self.stems.is_empty() && self.names.is_empty() {
            return !self.words.is_empty() && self.words.is_subset(&plain_words(text));
        }
        let has = |sought: &BTreeSet<String>, said: BTreeSet<String>| !sought.is_empty() && sought.is_subset(&said);
        has(&self.stems, Statement::whole(text).stems) || has(&self.names, names_in(text))
    }
}

/// The memories that a wish to forget means, of those that were said by then.
fn meant(shelf: &Shelf, target: &str, ts_ms: i64) -> Vec<usize> {
    let (stems, names) = (Statement::whole(target).stems, names_in(target));
    let near: BTreeSet<usize> = stems.union(&names).flat_map(|stem| shelf.saying(stem)).collect();
    let is_meant = |at: &usize| {
        let Some(known) = shelf.at(*at) else { return false };
        let (of_memory, of_wish) = known.statement.covered_by(&stems);
        is_there(known, ts_ms)
            && (of_memory >= MEANT_SHARE
                || (of_wish >= UNSAID_SHARE && stems.len() >= 2)
                || says_names(known, &names, stems.len().max(names.len())))
    };
    near.into_iter().filter(is_meant).collect()
}

/// Whether what the user said is about those names, in whatever language they are put: one name is much of what it says.
fn says_names(known: &Known, names: &BTreeSet<String>, words: usize) -> bool {
    let said = names_in(&known.memory.text);
    let is_about = words >= 2 || 1.0 / said.len().max(1) as f32 >= NAMED_SHARE;
    known.voice == Voice::User && is_about && !names.is_empty() && names.is_subset(&said)
}

/// The words of a text that can name something, whatever its language.
fn names_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !LITTLE.contains(&word.as_str())).filter_map(|word| name_stem(&word)).collect()
}

fn is_there(known: &Known, ts_ms: i64) -> bool {
    matches!(known.fate, Fate::Holds | Fate::Superseded(_)) && known.first_ms <= ts_ms
}

/// The words of a text as they are.
fn plain_words(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| !LITTLE.contains(&word.as_str()) && !matches!(word.as_str(), "the" | "s")).collect()
}
