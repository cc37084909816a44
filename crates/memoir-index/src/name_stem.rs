//! Words of names, which say too little to tell their language: stemmed in several, and only where they may be met.

use crate::stem::{STEMMED_CHARS_MIN, USUAL, folded, is_stop_word, language_of, language_of_letters, stem_of};
use crate::stop_words::LANGUAGES;
use crate::token::Tokens;
use rust_stemmers::Stemmer;
use std::collections::HashSet;

/// The stem of a word in a name, which says too little to tell its language but by its letters; none for a little word.
pub fn name_stem(word: &str) -> Option<String> {
    let (language, folded) = (language_of_letters(word).unwrap_or(USUAL), folded(word));
    (!is_stop_word(&folded, language)).then(|| stem_of_folded(language, &folded))
}

fn stem_of_folded(language: usize, folded: &str) -> String {
    let is_word = folded.len() >= STEMMED_CHARS_MIN && folded.chars().all(char::is_alphabetic);
    let algorithm = LANGUAGES.get(language).map(|language| language.algorithm).filter(|_| is_word);
    algorithm.map_or_else(|| folded.to_owned(), |algorithm| stem_of(&Stemmer::create(algorithm), folded).into_owned())
}

/// A language that names are stemmed in beside the usual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tongue(usize);

impl Tongue {
    /// The language of a text, if it is another than the usual.
    pub fn of(text: &str) -> Option<Tongue> {
        language_of(&Tokens::of(text), text).filter(|language| *language != USUAL).map(Tongue)
    }
}

/// How a word or a stem begins; `y` may become `i` (`sky`, `skies`).
type Beginning = [Option<char>; 3];

fn beginning(word: &str) -> Beginning {
    let mut chars = word.chars().map(|c| if c == 'y' { 'i' } else { c });
    [chars.next(), chars.next(), chars.next()]
}

/// The beginning that all words have of which that is a stem: what is short may have lost or changed a letter (`using`,
/// `use`; `dying`, `die`).
fn common_beginning(stem: &str) -> Beginning {
    let [first, second, third] = beginning(stem);
    match stem.chars().count() {
        0 | 1 => [first, None, None],
        2 | 3 => [first, second, None],
        _ => [first, second, third],
    }
}

/// A word of a name, which may be stemmed in several languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameStem {
    folded: String,
    own: usize,
}

impl NameStem {
    /// A word that is compared in those languages beside the usual one; none if it is a little one in any of them.
    pub fn of(word: &str, tongues: &[Tongue]) -> Option<NameStem> {
        let (folded, own) = (folded(word), language_of_letters(word).unwrap_or(USUAL));
        let mut languages = tongues.iter().map(|tongue| tongue.0).chain([own]);
        (!languages.any(|language| is_stop_word(&folded, language))).then_some(NameStem { folded, own })
    }

    /// Its stem as [`name_stem`] tells it, then the one in each of the languages.
    pub fn all(&self, tongues: &[Tongue]) -> Vec<String> {
        let languages = [self.own].into_iter().chain(tongues.iter().map(|tongue| tongue.0));
        languages.map(|language| stem_of_folded(language, &self.folded)).collect()
    }
}

/// How words begin: tells of most others without stemming them that they have no stem of theirs.
#[derive(Debug, Clone, Default)]
pub struct Beginnings(HashSet<Beginning>);

impl Beginnings {
    /// Adds the stems of a word.
    pub fn add(&mut self, stems: &[String]) {
        self.0.extend(stems.iter().map(|stem| common_beginning(stem)));
    }

    /// Whether a word may have a stem of one that was added.
    pub fn may_have(&self, word: &NameStem) -> bool {
        let [first, second, third] = beginning(&word.folded);
        [[first, second, third], [first, second, None], [first, None, None]].iter().any(|begin| self.0.contains(begin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins_alike(stem: &str, word: &str) -> bool {
        let mut beginnings = Beginnings::default();
        beginnings.add(&[stem.to_owned()]);
        beginnings.may_have(&NameStem { folded: word.to_owned(), own: USUAL })
    }

    #[test]
    fn no_stem_begins_otherwise_than_its_word() {
        for language in &LANGUAGES {
            let stemmer = Stemmer::create(language.algorithm);
            let odd = [
                "skies", "dying", "using", "icing", "ties", "cries", "rated", "idly", "only", "ueber", "gegessen",
                "yeux", "jeux", "ыть", "оы", "yyyy", "ies",
            ];
            for word in LANGUAGES.iter().flat_map(|one| one.stop_words).chain(&odd).filter(|word| word.len() > 2) {
                assert!(begins_alike(&stem_of(&stemmer, word), word), "{word}");
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(4_000))]
        #[test]
        fn no_stem_of_any_word_begins_otherwise(word in "[a-z]{3,12}|[а-я]{3,12}|[a-z]{1,2}(ing|ies|eed|ion|ement|heid|s)") {
            for language in &LANGUAGES {
                let stem = stem_of(&Stemmer::create(language.algorithm), &word).into_owned();
                proptest::prop_assert!(begins_alike(&stem, &word), "{}", stem);
            }
        }
    }
}
