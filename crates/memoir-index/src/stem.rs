//! Speech as stems: what ranking counts. Documents and queries both go through here.
//!
//! A text is stemmed in its own language, which its little words tell; a query whose language cannot be told is
//! stemmed in all of them. Identifiers keep their whole form beside their parts.

use crate::little_runs::without_little_runs;
use crate::short_forms::short_and_long;
use crate::stop_words::{LANGUAGES, Language};
use crate::token::{Role, Token, Tokens};
use memoir_event::fold_into;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Shorter words are their own stem.
pub(crate) const STEMMED_CHARS_MIN: usize = 3;
/// Words are looked at up to here to tell the language.
const LANGUAGE_WORDS_MAX: usize = 400;
/// And its letters up to here.
const LETTERS_BYTES_MAX: usize = 4 << 10;
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
            self.0.insert(word.into(), stem_of(stemmer, word).into());
        }
        self.0.get(word).map_or("", |stem| stem)
    }
}

/// The stem of a folded word. Folding takes the mark off a Russian `й`, which only an ending has behind a vowel.
pub(crate) fn stem_of<'w>(stemmer: &Stemmer, word: &'w str) -> Cow<'w, str> {
    const VOWELS: [char; 8] = ['а', 'е', 'и', 'о', 'у', 'ы', 'ю', 'я'];
    match word.strip_suffix('и').filter(|rest| rest.ends_with(VOWELS)) {
        Some(rest) => Cow::Owned(stemmer.stem(&format!("{rest}й")).into_owned()),
        None => stemmer.stem(word),
    }
}

impl Stems {
    /// Replaces what is here by the stems of `text`.
    pub fn fill(&mut self, text: &str) {
        self.text.clear();
        self.ends.clear();
        self.tokens.fill(text);
        let language = language_of(&self.tokens, text).unwrap_or_default();
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

pub(crate) fn folded(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    word.chars().for_each(|c| fold_into(c, &mut folded));
    folded
}

/// Whether a word is a little one in any language.
pub fn is_little(word: &str) -> bool {
    languages_with(&folded(word)) != 0
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
        let told = without_little_runs(query);
        let words = Word::all_of(&told);
        // Where nothing but little words was said, they are all that there is.
        if words.is_empty() && told != query { Word::all_of(query) } else { words }
    }

    fn all_of(query: &str) -> Vec<Word> {
        let tokens = Tokens::of(query);
        let known = languages_of(&tokens, query);
        let has_pairs = tokens.iter().any(|(_, token)| token.role == Role::Pair);
        // What was said in few words was taken for the usual language, whatever it is in.
        let languages = || {
            LANGUAGES
                .iter()
                .enumerate()
                .filter(|(at, _)| *at == USUAL || known.is_none_or(|known| known >> at & 1 == 1))
        };
        let mut words: Vec<Word> = Vec::new();
        let mut version = Version::default();
        for (term, token) in tokens.iter() {
            let is_little = languages_with(term) & known.unwrap_or(1 << USUAL) != 0;
            let is_lone = token.role == Role::Single && has_pairs;
            if token.role == Role::RunEnd || is_little || is_lone || is_possessive(token, query) {
                continue;
            }
            let mut stems: Vec<String> = if stemmable(term, token.role) {
                languages()
                    .map(|(_, language)| stem_of(&Stemmer::create(language.algorithm), term).into_owned())
                    .collect()
            } else {
                vec![term.to_owned()]
            };
            stems.extend(short_and_long(term, &stems));
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
pub(crate) const USUAL: usize = 0;

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

pub(crate) fn is_stop_word(term: &str, language: usize) -> bool {
    languages_with(term) >> language & 1 == 1
}

/// The only known language that is written in the letters of a word, if there is one.
pub(crate) fn language_of_letters(word: &str) -> Option<usize> {
    let is_cyrillic = word.chars().any(|c| matches!(c, '\u{400}'..='\u{4ff}'));
    place_of(Algorithm::Russian).filter(|_| is_cyrillic)
}

fn place_of(algorithm: Algorithm) -> Option<usize> {
    LANGUAGES.iter().position(|language| language.algorithm == algorithm)
}

/// What only words of one language end in, folded.
const ENDINGS: [(Algorithm, &[&str]); 5] = [
    (Algorithm::German, &["ungen", "keit", "heit", "schaft", "lich", "ieren", "iert"]),
    (Algorithm::Spanish, &["cion", "ciones", "encias", "izar", "amiento", "idad"]),
    (Algorithm::Portuguese, &["cao", "coes"]),
    (Algorithm::Italian, &["zione", "zioni", "amento", "izzare"]),
    (Algorithm::Dutch, &["heid", "heden", "lijk", "eerd"]),
];
/// A word must be this much longer than its ending.
const BEFORE_ENDING_MIN: usize = 4;

/// The language of a text without any little word, by how its words are written and what they end in; none if that tells
/// nothing, or two things.
fn language_of_forms(tokens: &Tokens, text: &str) -> Option<usize> {
    let words = || tokens.iter().filter(|(_, token)| token.role == Role::Word).take(LANGUAGE_WORDS_MAX);
    if let Some(language) = words().find_map(|(term, _)| language_of_letters(term)) {
        return Some(language);
    }
    let mut told: Vec<Algorithm> = Vec::new();
    let begin = text.get(..text.floor_char_boundary(LETTERS_BYTES_MAX)).unwrap_or_default();
    told.extend(begin.chars().filter_map(|c| match c {
        'ä' | 'ö' | 'ü' | 'ß' | 'Ä' | 'Ö' | 'Ü' => Some(Algorithm::German),
        'ñ' | 'Ñ' | '¿' | '¡' => Some(Algorithm::Spanish),
        'ã' | 'õ' | 'Ã' | 'Õ' => Some(Algorithm::Portuguese),
        'è' | 'ù' | 'œ' | 'î' | 'û' => Some(Algorithm::French),
        _ => None,
    }));
    if told.is_empty() {
        for (term, _) in words() {
            let ends = |(_, endings): &&(Algorithm, &[&str])| {
                let ending = endings.iter().find(|ending| term.ends_with(**ending));
                ending.is_some_and(|ending| term.len() >= ending.len() + BEFORE_ENDING_MIN)
            };
            told.extend(ENDINGS.iter().filter(ends).map(|(algorithm, _)| *algorithm));
        }
    }
    let first = *told.first()?;
    told.iter().all(|other| *other == first).then(|| place_of(first)).flatten()
}

/// The language with the most little words in the text; where there are none, the one that its letters tell, if they do.
pub(crate) fn language_of(tokens: &Tokens, text: &str) -> Option<usize> {
    languages_of(tokens, text).map(|languages| languages.trailing_zeros() as usize)
}

/// The same with all languages that have as many, a bit for each.
fn languages_of(tokens: &Tokens, text: &str) -> Option<u8> {
    let mut counts = [0usize; LANGUAGES.len()];
    let words = tokens.iter().filter(|(_, token)| token.role == Role::Word).take(LANGUAGE_WORDS_MAX);
    for languages in words.map(|(term, _)| languages_with(term)).filter(|languages| *languages != 0) {
        for (at, count) in counts.iter_mut().enumerate() {
            *count += usize::from(languages >> at & 1);
        }
    }
    let Some(most) = counts.iter().copied().max().filter(|most| *most > 0) else {
        return language_of_forms(tokens, text).map(|language| 1 << language);
    };
    let usual = counts.get(USUAL).copied().unwrap_or(0);
    // Short words are shared by many languages: one of them more is no proof against the usual language.
    let enough = if usual > 0 { usual + LANGUAGE_MARGIN } else { 1 };
    let has_most = |count: usize| count == most && count >= enough;
    let languages = (0..).zip(counts).filter(|(_, count)| has_most(*count)).fold(0, |bits, (at, _)| bits | 1 << at);
    Some(if languages == 0 { 1 << USUAL } else { languages })
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

    /// Whether every word of a query meets a word of a text.
    fn meets(query: &str, text: &str) -> bool {
        let has = stems(text);
        let words = Word::all(query);
        !words.is_empty() && words.iter().all(|word| word.stems.iter().any(|stem| has.contains(stem)))
    }

    #[test]
    fn a_few_words_of_another_language_are_met_in_other_forms() {
        let mut wrong = Vec::new();
        for (query, text) in [
            ("почему падают сборки?", "Сборка падает"),
            ("что с базой данных?", "База данных"),
            ("Welche Datenbanken haben wir?", "Unsere Datenbank"),
            ("Datenbanken", "Datenbank"),
            ("Wie ist die Verbindung?", "Datenbank Verbindungen prüfen"),
            ("prüfung der Verbindung", "Verbindungen, Prüfungen"),
            ("las dependencias", "Actualizar dependencias"),
            ("la dependencia", "Actualizar dependencias"),
        ] {
            wrong.extend((!meets(query, text)).then(|| (query, Word::all(query), stems(text))));
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn a_few_english_words_are_english() {
        for text in
            ["rename foo bar", "fix login test", "young movement", "server error", "parser lexer", "element colour"]
        {
            assert!(language_of(&Tokens::of(text), text).is_none_or(|language| language == USUAL), "{text}");
        }
    }

    #[test]
    fn a_question_without_blanks_is_met_by_what_it_is_about() {
        for (query, text) in [
            ("用什么部署", "部署用 ./ship 脚本"),
            ("我们用哪个数据库？", "数据库用 Postgres"),
            ("どうやってデプロイする?", "デプロイは ./ship で行う"),
        ] {
            assert!(meets(query, text), "{query}: {:?}", Word::all(query));
        }
        assert!(!Word::all("什么").is_empty() && !Word::all("使い方").is_empty());
    }

    #[test]
    fn a_short_form_meets_the_long_one_and_the_other_way_round() {
        for (query, text) in [
            ("what changed in authentication?", "auth changed"),
            ("auth", "authentication"),
            ("config", "the configuration"),
            ("repository", "repo"),
            ("kubernetes", "k8s"),
            ("db", "databases"),
            ("environments", "env"),
            ("deps", "a dependency"),
        ] {
            assert!(meets(query, text), "{query}: {:?}", Word::all(query));
        }
    }

    #[test]
    fn stop_words_are_sorted() {
        for language in &LANGUAGES {
            assert!(language.stop_words.is_sorted());
        }
    }
}
