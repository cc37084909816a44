//! Speech as stems: what ranking counts. Documents and queries both go through here.
//!
//! A text is stemmed in its own language, which its little words tell; a query whose language cannot be told is
//! stemmed in all of them. Identifiers keep their whole form beside their parts.

use crate::stop_words::{LANGUAGES, Language};
use crate::token::{Role, Token, Tokens};
use memoir_event::fold_into;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Shorter words are their own stem.
const STEMMED_CHARS_MIN: usize = 3;
/// Words are looked at up to here to tell the language.
const LANGUAGE_WORDS_MAX: usize = 400;
/// Another language than the usual must have so many little words more.
const LANGUAGE_MARGIN: usize = 2;
/// More words of a query are left out.
const QUERY_WORDS_MAX: usize = 64;

/// So many words and their stems are remembered for each language.
const KNOWN_STEMS_MAX: usize = 1 << 15;

/// The stems of one text; reused from text to text.
#[derive(Clone, Default)]
pub(crate) struct Stems {
    tokens: Tokens,
    text: String,
    ends: Vec<u32>,
    known: [KnownStems; LANGUAGES.len()],
}

/// Stems of words that were met before: most words of a text were, and stemming one takes longer than finding it.
#[derive(Clone, Default)]
struct KnownStems(FxHashMap<Box<str>, Box<str>>);

impl KnownStems {
    /// The stem of a word.
    fn stem(&mut self, word: &str, stemmer: &Stemmer) -> &str {
        if self.0.len() >= KNOWN_STEMS_MAX {
            self.0.clear();
        }
        if !self.0.contains_key(word) {
            self.0.insert(word.into(), stemmer.stem(word).into());
        }
        self.0.get(word).map_or("", |stem| stem)
    }
}

impl Stems {
    /// Replaces what is here by the stems of `text`.
    pub fn fill(&mut self, text: &str) {
        self.text.clear();
        self.ends.clear();
        self.tokens.fill(text);
        let language = language_of(&self.tokens).unwrap_or_default();
        let Some((known, spoken)) = self.known.get_mut(language).zip(LANGUAGES.get(language)) else { return };
        let stemmer = Stemmer::create(spoken.algorithm);
        let mut version = Version::default();
        for (term, token) in self.tokens.iter() {
            if token.role == Role::RunEnd || is_stop_word(term, language) {
                continue;
            }
            match stemmable(term, token.role) {
                true => self.text.push_str(known.stem(term, &stemmer)),
                false => self.text.push_str(term),
            }
            self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
            if let Some(whole) = version.take(term, token, text) {
                self.text.push_str(whole);
                self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
            }
        }
    }

    /// The stem at that place.
    pub fn get(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)? as usize;
        let start = if at == 0 { 0 } else { *self.ends.get(at - 1)? as usize };
        self.text.get(start..end)
    }
}

thread_local! {
    /// What is known of words, from one unindexed text to the next.
    static STEMS: RefCell<Stems> = RefCell::default();
}

/// The stems of one text as a ranking wants them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Each stem with its count, sorted.
    pub counts: Vec<(String, u32)>,
    /// Every stem in its order, by its place among the counts.
    order: Vec<u32>,
}

impl Counted {
    /// The stems of `text`.
    pub fn of(text: &str) -> Counted {
        STEMS.with_borrow_mut(|stems| {
            stems.fill(text);
            Counted::from(&*stems)
        })
    }

    fn from(stems: &Stems) -> Counted {
        let list: Vec<&str> = (0..).map_while(|at| stems.get(at)).collect();
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for stem in &list {
            *counts.entry(stem).or_default() += 1;
        }
        let counts: Vec<(String, u32)> = counts.into_iter().map(|(stem, count)| (stem.to_owned(), count)).collect();
        let place = |stem: &&str| counts.binary_search_by(|(known, _)| known.as_str().cmp(stem)).unwrap_or(0);
        let order = list.iter().map(|stem| u32::try_from(place(stem)).unwrap_or(u32::MAX)).collect();
        Counted { counts, order }
    }

    /// How often it has that stem.
    pub fn count(&self, stem: &str) -> u32 {
        let at = self.place(stem).and_then(|at| self.counts.get(at as usize));
        at.map_or(0, |(_, count)| *count)
    }

    /// How often the second stem follows the first.
    pub fn count_pair(&self, first: &str, second: &str) -> u32 {
        let (Some(first), Some(second)) = (self.place(first), self.place(second)) else { return 0 };
        let pairs = self.order.windows(2).filter(|pair| *pair == [first, second]).count();
        u32::try_from(pairs).unwrap_or(u32::MAX)
    }

    /// Where that stem stands, counted in stems.
    pub fn places(&self, stem: &str) -> impl Iterator<Item = u32> {
        let place = self.place(stem);
        (0..).zip(&self.order).filter(move |(_, known)| place == Some(**known)).map(|(at, _)| at)
    }

    /// How many stems it has.
    pub fn len(&self) -> u32 {
        u32::try_from(self.order.len()).unwrap_or(u32::MAX)
    }

    fn place(&self, stem: &str) -> Option<u32> {
        let at = self.counts.binary_search_by(|(known, _)| known.as_str().cmp(stem)).ok()?;
        u32::try_from(at).ok()
    }
}

/// The stems of a text, in their order.
pub fn stems_in(text: &str) -> Vec<String> {
    let mut stems = Stems::default();
    stems.fill(text);
    (0..).map_while(|at| stems.get(at)).map(str::to_owned).collect()
}

/// The stem of a word in a name, which says too little to tell its language; none for a little word.
pub fn name_stem(word: &str) -> Option<String> {
    let mut folded = String::with_capacity(word.len());
    word.chars().for_each(|c| fold_into(c, &mut folded));
    if is_stop_word(&folded, USUAL) {
        return None;
    }
    let is_word = folded.len() >= STEMMED_CHARS_MIN && folded.chars().all(char::is_alphabetic);
    Some(if is_word { Stemmer::create(LANGUAGES[USUAL].algorithm).stem(&folded).into_owned() } else { folded })
}

/// A word of a query: what it looks like, and the stems that count as it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As typed, in lower case.
    pub text: String,
    /// Its stems: one, or one for each language.
    pub stems: Vec<String>,
}

impl Word {
    /// The words of a query that can count, each once.
    pub fn all(query: &str) -> Vec<Word> {
        let tokens = Tokens::of(query);
        let known = language_of(&tokens);
        let languages = || LANGUAGES.iter().enumerate().filter(|(at, _)| known.is_none_or(|known| known == *at));
        let mut words: Vec<Word> = Vec::new();
        let mut version = Version::default();
        for (term, token) in tokens.iter() {
            let is_little = is_stop_word(term, known.unwrap_or(USUAL));
            if token.role == Role::RunEnd || is_little || is_possessive(token, query) {
                continue;
            }
            let mut stems: Vec<String> = if stemmable(term, token.role) {
                languages().map(|(_, language)| Stemmer::create(language.algorithm).stem(term).into_owned()).collect()
            } else {
                vec![term.to_owned()]
            };
            stems.sort_unstable();
            stems.dedup();
            let mut add = |word: Word| {
                if words.len() < QUERY_WORDS_MAX && !words.iter().any(|known| known.stems == word.stems) {
                    words.push(word);
                }
            };
            add(Word { text: term.to_owned(), stems });
            if let Some(whole) = version.take(term, token, query) {
                add(Word { text: whole.to_owned(), stems: vec![whole.to_owned()] });
            }
        }
        words
    }
}

/// Finds numbers that points hold together, such as `1.2.3`: they count as a whole too.
#[derive(Default)]
struct Version {
    from: usize,
    to: usize,
}

impl Version {
    /// Takes the next token; the whole as far as it goes, if the token goes on with one.
    fn take<'t>(&mut self, term: &str, token: Token, text: &'t str) -> Option<&'t str> {
        let (from, to) = (token.from as usize, token.to as usize);
        if !term.bytes().all(|byte| byte.is_ascii_digit()) {
            self.to = 0;
            return None;
        }
        let goes_on = self.to > 0 && text.get(self.to..from) == Some(".");
        if !goes_on {
            self.from = from;
        }
        self.to = to;
        text.get(self.from..to).filter(|_| goes_on && !text.get(to..).is_some_and(continues_version))
    }
}

/// Whether a version goes on behind a number.
fn continues_version(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next() == Some('.') && chars.next().is_some_and(|c| c.is_ascii_digit())
}

/// Whether it is the whole of `Caroline's`: what counts is `Caroline`, whoever says it.
fn is_possessive(token: Token, text: &str) -> bool {
    let unit = text.get(token.from as usize..token.to as usize).unwrap_or_default();
    token.role == Role::Whole && (unit.ends_with("'s") || unit.ends_with("\u{2019}s"))
}

fn stemmable(term: &str, role: Role) -> bool {
    matches!(role, Role::Word | Role::Part) && term.len() >= STEMMED_CHARS_MIN && term.chars().all(char::is_alphabetic)
}

/// The language that is taken where nothing tells.
const USUAL: usize = 0;

/// In which languages each little word is one, a bit for each.
static LITTLE_WORDS: LazyLock<FxHashMap<&str, u8>> = LazyLock::new(|| {
    let mut words: FxHashMap<&str, u8> = FxHashMap::default();
    for (at, language) in LANGUAGES.iter().enumerate() {
        language.stop_words.iter().for_each(|word| *words.entry(word).or_default() |= 1 << at);
    }
    words
});

/// The languages in which a word is a little one.
fn languages_with(term: &str) -> u8 {
    LITTLE_WORDS.get(term).copied().unwrap_or(0)
}

fn is_stop_word(term: &str, language: usize) -> bool {
    languages_with(term) >> language & 1 == 1
}

/// The language with the most little words in the text; none if there are none.
fn language_of(tokens: &Tokens) -> Option<usize> {
    let mut counts = [0usize; LANGUAGES.len()];
    let words = tokens.iter().filter(|(_, token)| token.role == Role::Word).take(LANGUAGE_WORDS_MAX);
    for languages in words.map(|(term, _)| languages_with(term)).filter(|languages| *languages != 0) {
        for (at, count) in counts.iter_mut().enumerate() {
            *count += usize::from(languages >> at & 1);
        }
    }
    let most = counts.iter().copied().max().filter(|most| *most > 0)?;
    let usual = counts.get(USUAL).copied().unwrap_or(0);
    // Short words are shared by many languages: one of them more is no proof against the usual language.
    let enough = if usual > 0 { usual + LANGUAGE_MARGIN } else { 1 };
    Some(counts.iter().position(|count| *count == most && *count >= enough).unwrap_or(USUAL))
}

impl Language {
    pub(crate) const fn new(algorithm: Algorithm, stop_words: &'static [&'static str]) -> Language {
        Language { algorithm, stop_words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> Vec<String> {
        Counted::of(text).counts.into_iter().map(|(stem, _)| stem).collect()
    }

    #[test]
    fn words_of_one_stem_count_as_one_and_little_words_not_at_all() {
        assert_eq!(Counted::of("the runs and the running of it").counts, [("run".to_owned(), 2)]);
        assert_eq!(
            stems("getUserNames 1.2.3 E0502"),
            ["0502", "1", "1.2.3", "2", "3", "e", "e0502", "getusernames", "name", "user"]
        );
    }

    #[test]
    fn stems_that_follow_each_other_are_pairs_whatever_little_words_stand_between() {
        let counted = Counted::of("the running of the tests, tests run, run tests");
        assert_eq!((counted.count_pair("run", "test"), counted.count_pair("test", "run")), (2, 1));
        assert_eq!((counted.count("test"), counted.len(), counted.count("absent")), (3, 6, 0));
    }

    #[test]
    fn a_text_is_stemmed_in_its_own_language() {
        assert_eq!(stems("die Häuser und die Gärten"), ["gart", "haus"]);
        assert!(stems("el servidor no responde para los usuarios").contains(&"usuari".to_owned()));
        let all = Word::all("Häuser");
        assert!(all.first().is_some_and(|word| word.stems.contains(&"haus".to_owned())));
    }

    #[test]
    fn one_little_word_of_another_language_does_not_tell_the_language() {
        assert_eq!(stems("integration tests run in CI"), ["ci", "integr", "run", "test"]);
        assert!(stems("it runs in the cluster").contains(&"cluster".to_owned()));
    }

    #[test]
    fn a_version_counts_as_a_whole() {
        let words: Vec<String> = Word::all("from 10.4.12 on.").into_iter().map(|word| word.text).collect();
        assert_eq!(words, ["10", "4", "12", "10.4.12"]);
        assert!(stems("tokio 1.54, not 1.5.").contains(&"1.54".to_owned()));
        assert!(!stems("in 2024. 5 things").contains(&"2024. 5".to_owned()));
    }

    #[test]
    fn whose_something_is_asks_for_them() {
        let words = |query: &str| Word::all(query).into_iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(words("Caroline's dog and the tests\u{2019}s port"), ["caroline", "dog", "tests", "port"]);
        assert_eq!(words("O'Brien's get_users"), ["o", "brien", "getusers", "users"]);
        assert_eq!(words("O'Brien"), ["obrien", "o", "brien"]);
    }

    #[test]
    fn a_query_gives_each_word_once() {
        let words = Word::all("how do we deploy the deploys?");
        assert_eq!(words.len(), 1);
        assert_eq!(Word::all("").len(), 0);
        assert!(Word::all(&"word1 x".repeat(5000)).len() <= QUERY_WORDS_MAX);
    }

    #[test]
    fn stop_words_are_sorted() {
        for language in &LANGUAGES {
            assert!(language.stop_words.is_sorted());
        }
    }
}
