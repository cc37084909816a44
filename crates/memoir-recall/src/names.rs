//! What memories are called, and whether a query calls them: whole names and aliases, most of a name, a slip in a word.
//!
//! A name of one word that everybody uses for anything calls nothing by itself: `make the button blue` is not about
//! `make`. It takes more of the memory in the query, or hardly anything else in it.

use crate::name_words::{Capitals, Languages, Name, NameWord, QueryWord};
use memoir_index::{Beginnings, SLIP_CHARS_MIN};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Most of a name is this share of its words.
const MOST: f32 = 0.6;
/// How much a name counts of which only most was said.
const MOST_WORTH: f32 = 0.7;
/// How much an ordinary name counts that more speaks for.
const ORDINARY_WORTH: f32 = 0.6;
/// A memory must cover more than this share of a query to be called by an ordinary name alone.
const ORDINARY_COVER: f32 = 0.5;
/// How much an everyday word tells of what a query is about, against any other.
const EVERYDAY_WEIGHT: f32 = 0.4;
/// So many everyday words speak for an ordinary name as one other does.
const EVERYDAY_WORDS_MIN: usize = 2;
/// A slip of the finger leaves so many letters at the beginning alone.
const SLIP_PREFIX_CHARS: usize = 2;

/// A memory as far as it can be called.
pub(crate) struct Callable<'a> {
    pub names: Vec<&'a str>,
    pub text: &'a str,
}

/// How a query calls a memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Called {
    /// How much its best name counts, from 0 to 1.
    pub name: f32,
    /// The share of the query that its names and its text cover.
    pub covers: f32,
}

/// A name of one of several memories, found in a query.
struct Place {
    /// Which memory.
    memory: usize,
    /// Where in the query, by its words: from and to.
    at: (usize, usize),
    worth: f32,
}

/// Which of the memories a query calls, each with the best of its names; `is_common` tells words that are said all the
/// time.
///
/// What was said whole is not also a part of something else: "CI pipeline" does not call what is named "functional
/// pipeline".
pub(crate) fn called(query: &str, memories: &[Callable<'_>], is_common: &dyn Fn(&str) -> bool) -> Vec<Called> {
    let languages = Languages::of(query, memories);
    let words = languages.query_words(query, Capitals::of(query));
    let same = SameWords::of(&words, &languages);
    let as_typed = called_in(&same, memories, &|text| languages.words_of(text), is_common);
    let texts = || memories.iter().flat_map(|memory| memory.names.iter().copied().chain([memory.text]));
    if std::iter::once(query).chain(texts()).all(|text| !has_parts(text)) {
        return as_typed;
    }
    let words = languages.query_words(&with_parts_apart(query), Capitals::TellNothing);
    let apart = |text: &str| languages.words_of(&with_parts_apart(text));
    let split = called_in(&SameWords::of(&words, &languages), memories, &apart, is_common);
    let best = |(a, b): (Called, Called)| Called { name: a.name.max(b.name), covers: a.covers.max(b.covers) };
    as_typed.into_iter().zip(split).map(best).collect()
}

fn called_in(
    same: &SameWords<'_>,
    memories: &[Callable<'_>],
    words_of: &dyn Fn(&str) -> Name,
    is_common: &dyn Fn(&str) -> bool,
) -> Vec<Called> {
    let words = same.words;
    let mut whole: Vec<Place> = Vec::new();
    let mut known = Vec::with_capacity(memories.len());
    for (memory, callable) in memories.iter().enumerate() {
        let text = words_of(callable.text);
        let names = callable.names.iter().map(|name| words_of(name)).filter(|name| !name.is_empty());
        let names: Vec<Name> = names.map(|name| without_first_capital(name, &text)).collect();
        let mut has = vec![false; words.len()];
        for known in names.iter().flatten().chain(&text) {
            for at in same.places(known).iter() {
                has[*at] = true;
            }
        }
        for name in &names {
            for at in same.whole(name) {
                let worth = worth_of(words, (name, at), &has, is_common);
                whole.extend((worth > 0.0).then_some(Place { memory, at, worth }));
            }
        }
        known.push((names, covered(words, &has)));
    }
    let called = |(memory, (names, covers)): (usize, &(Vec<Name>, f32))| {
        let best = whole.iter().filter(|one| one.memory == memory).map(|one| one.worth).fold(0.0, f32::max);
        if best >= 1.0 {
            return Called { name: best, covers: *covers };
        }
        let is_free = |at: usize| !whole.iter().any(|one| (one.at.0..one.at.1).contains(&at));
        let most = names.iter().map(|name| same.share(name, &is_free)).fold(0.0, f32::max);
        let most = if most >= MOST { most * MOST_WORTH } else { 0.0 };
        Called { name: best.max(most), covers: *covers }
    };
    known.iter().enumerate().map(called).collect()
}

/// A name as it is written inside a sentence: what begins a text begins with a capital anyway.
fn without_first_capital(mut name: Name, text: &[Rc<NameWord>]) -> Name {
    if let (Some(name), Some((first, rest))) = (name.first_mut(), text.split_first())
        && name.typed == first.typed
        && !rest.iter().any(|word| word.typed == first.typed && word.is_capital)
    {
        Rc::make_mut(name).is_capital = false;
    }
    name
}

/// How much a name counts that stands whole in a query, of which the memory has those words.
fn worth_of(
    words: &[QueryWord],
    (name, at): (&[Rc<NameWord>], (usize, usize)),
    has: &[bool],
    is_common: &dyn Fn(&str) -> bool,
) -> f32 {
    let ([name], Some(said)) = (name, words.get(at.0)) else { return 1.0 };
    let is_same_code = name.is_code && said.word.typed == name.typed && !said.is_everyday;
    if is_same_code || said.is_quoted || said.is_named {
        return 1.0;
    }
    if name.is_capital && said.is_begun && !said.word.is_capital {
        return 0.0;
    }
    let is_ordinary = said.is_everyday
        || is_common(&said.word.typed)
        || (name.is_capital && !said.word.is_capital && !said.word.is_code);
    if !is_ordinary {
        return 1.0;
    }
    let others = || (0..).zip(words).zip(has).filter(|((other, _), has)| **has && *other != at.0);
    // Who asks means the thing: `how do we run tests?`; who wants something done to something else does not.
    let is_topic = said.is_asked_for && covered(words, has) >= ORDINARY_COVER;
    let is_backed =
        is_topic || others().any(|((_, word), _)| !word.is_everyday) || others().count() >= EVERYDAY_WORDS_MIN;
    match covered(words, has) {
        // Nothing else is said.
        covered if covered >= 1.0 => 1.0,
        covered if is_backed || covered > ORDINARY_COVER => ORDINARY_WORTH,
        _ => 0.0,
    }
}

/// The share of a query's words that a memory has, by what they tell.
fn covered(words: &[QueryWord], has: &[bool]) -> f32 {
    let weight = |word: &QueryWord| if word.is_everyday { EVERYDAY_WEIGHT } else { 1.0 };
    let all: f32 = words.iter().map(weight).sum();
    let met: f32 = words.iter().zip(has).filter(|(_, has)| **has).map(|(word, _)| weight(word)).sum();
    if all > 0.0 { met / all } else { 0.0 }
}

/// Whether a capital follows a small letter.
fn has_parts(text: &str) -> bool {
    let is_small = |c: char| c.is_lowercase() || c.is_numeric();
    text.chars().zip(text.chars().skip(1)).any(|(before, c)| is_small(before) && c.is_uppercase())
}

/// With a blank where a capital follows a small letter.
fn with_parts_apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before_small = false;
    for c in text.chars() {
        if before_small && c.is_uppercase() {
            out.push(' ');
        }
        before_small = c.is_lowercase() || c.is_numeric();
        out.push(c);
    }
    out
}

/// Where a query has a word; each word is looked up once, however many memories have it.
struct SameWords<'q> {
    words: &'q [QueryWord],
    languages: &'q Languages,
    begin: Beginnings,
    /// By language and stem.
    by_stem: FxHashMap<(usize, &'q str), Vec<usize>>,
    /// By the letters that a slip leaves alone.
    by_beginning: FxHashMap<String, Vec<usize>>,
    known: RefCell<FxHashMap<String, Rc<[usize]>>>,
}

impl<'q> SameWords<'q> {
    fn of(words: &'q [QueryWord], languages: &'q Languages) -> SameWords<'q> {
        let mut same = SameWords {
            words,
            languages,
            begin: Beginnings::default(),
            by_stem: FxHashMap::default(),
            by_beginning: FxHashMap::default(),
            known: RefCell::default(),
        };
        for (at, word) in words.iter().enumerate() {
            same.begin.add(languages.stems(&word.word));
            for (language, stem) in languages.stems(&word.word).iter().enumerate() {
                same.by_stem.entry((language, stem)).or_default().push(at);
            }
            same.by_beginning.entry(beginning(&word.word.typed)).or_default().push(at);
        }
        same
    }

    /// The places of the words that are the same as that, in their order.
    fn places(&self, wanted: &NameWord) -> Rc<[usize]> {
        if let Some(known) = self.known.borrow().get(&wanted.typed) {
            return Rc::clone(known);
        }
        let stems =
            if self.begin.may_have(&wanted.stem) { self.languages.stems(wanted) } else { &[] }.iter().enumerate();
        let same = stems.filter_map(|(language, stem)| self.by_stem.get(&(language, stem.as_str())));
        let mut places: Vec<usize> = same.flatten().copied().collect();
        let alike = self.by_beginning.get(&beginning(&wanted.typed)).into_iter().flatten();
        let is_slip = |word: &QueryWord| is_slip(wanted, &word.word) && !self.languages.is_everyday(&word.word);
        places.extend(alike.filter(|at| self.words.get(**at).is_some_and(is_slip)));
        places.sort_unstable();
        places.dedup();
        let places: Rc<[usize]> = places.into();
        self.known.borrow_mut().insert(wanted.typed.clone(), Rc::clone(&places));
        places
    }

    /// Where all words of a name stand one after another.
    fn whole(&self, name: &[Rc<NameWord>]) -> Vec<(usize, usize)> {
        let Some((first, rest)) = name.split_first() else { return Vec::new() };
        let follows = |at: usize| (at + 1..).zip(rest).all(|(at, word)| self.places(word).binary_search(&at).is_ok());
        let starts = self.places(first);
        starts.iter().filter(|at| follows(**at)).map(|at| (*at, at + name.len())).collect()
    }

    /// The share of a name's words that were said, in any order, by words that no other name has.
    fn share(&self, name: &[Rc<NameWord>], is_free: &dyn Fn(usize) -> bool) -> f32 {
        let met = name.iter().filter(|word| self.places(word).iter().any(|at| is_free(*at))).count();
        // One word of a longer name is not enough to mean it.
        if met < 2 { 0.0 } else { met as f32 / name.len().max(1) as f32 }
    }
}

/// The letters of a word that a slip leaves alone.
fn beginning(word: &str) -> String {
    word.chars().take(SLIP_PREFIX_CHARS).collect()
}

/// Whether a word of a query is another one with a slip in it, which both are long enough for. They begin alike. (What is
/// a word of everyday is no slip of another.)
fn is_slip(wanted: &NameWord, word: &NameWord) -> bool {
    let (a, b) = (&wanted.typed, &word.typed);
    let (longer, shorter) = (a.chars().count().max(b.chars().count()), a.chars().count().min(b.chars().count()));
    longer >= SLIP_CHARS_MIN
        && shorter + 1 >= SLIP_CHARS_MIN
        && longer - shorter <= 1
        && strsim::damerau_levenshtein(a, b) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(query: &str, memories: &[&[&str]]) -> Vec<f32> {
        let memories: Vec<_> = memories.iter().map(|names| Callable { names: names.to_vec(), text: "" }).collect();
        called(query, &memories, &|_| false).into_iter().map(|called| called.name).collect()
    }

    /// How a statement of that name is called.
    fn calls(query: &str, names: &[&str], text: &str) -> Called {
        called(query, &[Callable { names: names.to_vec(), text }], &|_| false).pop().unwrap()
    }

    #[test]
    fn an_everyday_word_calls_nothing_by_itself() {
        for (query, names, text) in [
            ("make the button blue", &["make"][..], "Run `make` before every commit"),
            ("please make this function faster", &["make"], "Run `make` before every commit"),
            ("make sure that the tests run before you push", &["make"], "Run `make` before every commit"),
            ("make it work", &["make"], "Run `make` before every commit"),
            ("how do I make it work?", &["make"], "Run `make` before every commit"),
            ("can you make buttons blue?", &["make"], "Run `make` before every commit"),
            ("how do we test the form?", &["tests"], "tests live in spec/"),
            (
                "ship the new landing page to marketing",
                &["deploys", "ship"],
                "deploys go through ./ship, never kubectl",
            ),
            ("go to the settings page and change the font", &["Go"], "we use Go for services"),
            ("test whether the form validates", &["test", "tests/common"], "Use `test` helpers from tests/common"),
            ("add an API endpoint for invoices", &["API key of Stripe", "API"], "The API key of Stripe is in Vault"),
            ("stripe the table rows", &["API key of Stripe", "Stripe"], "The API key of Stripe is in Vault"),
            ("strip the blanks at the end", &["API key of Stripe", "Stripe"], "The API key of Stripe is in Vault"),
            ("the vault door animation is choppy", &["Vault"], "The API key of Stripe is in Vault"),
            ("bun the hair of the character", &["Bun"], "We use Bun for scripts"),
            ("MAKE THE BUTTON BLUE", &["make"], "Run `make` before every commit"),
        ] {
            assert_eq!(calls(query, names, text).name, 0.0, "{query}");
        }
    }

    #[test]
    fn an_everyday_word_calls_its_memory_where_more_speaks_for_it_or_nothing_else_is_said() {
        for (query, names, text) in [
            ("make", &["make"][..], "Run `make` before every commit"),
            ("how do we run tests?", &["tests"], "tests live in spec/"),
            ("which frontend framework", &["Frontend", "Svelte"], "Frontend uses Svelte 5"),
            ("where do errors go?", &["errors", "Sentry"], "errors are reported to Sentry"),
            ("what cache do we use", &["cache", "Valkey"], "The cache is Valkey"),
            ("what does `make` do before a release?", &["make"], "Run `make` before every commit"),
            ("make before the commit?", &["make"], "Run `make` before every commit"),
            ("how do we deploy?", &["deploys", "ship"], "deploys go through ./ship, never kubectl"),
            ("deploy the page", &["deploys", "ship"], "deploys go through ./ship, never kubectl"),
            ("ship or kubectl?", &["deploys", "ship"], "deploys go through ./ship, never kubectl"),
            ("which services are in Go?", &["Go"], "we use Go for services"),
            ("is it written in Go", &["Go"], "we use Go for services"),
            ("where is the Stripe key?", &["API key of Stripe", "Stripe"], "The API key of Stripe is in Vault"),
            ("where is the stripe key", &["API key of Stripe", "Stripe"], "The API key of Stripe is in Vault"),
            ("what is in vault?", &["Vault"], "The API key of Stripe is in Vault"),
        ] {
            assert!(calls(query, names, text).name >= ORDINARY_WORTH, "{query}");
        }
    }

    #[test]
    fn a_word_that_is_said_all_the_time_is_an_everyday_word_there() {
        let memory = [Callable { names: vec!["kubelet"], text: "The kubelet runs as root" }];
        let worth = |is_common: bool| called("why does the kubelet refuse the lease?", &memory, &|_| is_common);
        assert_eq!(worth(false)[0].name, 1.0);
        assert_eq!(worth(true)[0].name, 0.0);
    }

    #[test]
    fn a_memory_covers_what_it_has_of_the_query() {
        let covers =
            |query: &str| calls(query, &["deploys", "ship"], "deploys go through ./ship, never kubectl").covers;
        assert!((covers("how do we deploy?") - 1.0).abs() < 1e-6);
        assert!(covers("deploy the walrus through the harbour") < 0.5);
    }

    #[test]
    fn a_name_or_alias_calls_its_memory() {
        let memories: [&[&str]; 2] =
            [&["kubernetes", "k8s"], &["error_handling_explicit", "error handling", "exceptions"]];
        assert_eq!(worth("what's my k8s deploy story?", &memories), [1.0, 0.0]);
        assert_eq!(worth("how do we throw an exception", &memories), [0.0, 1.0]);
        assert_eq!(worth("nothing of the kind", &memories), [0.0, 0.0]);
        assert_eq!(worth("", &memories), [0.0, 0.0]);
    }

    #[test]
    fn a_name_said_whole_keeps_its_words_to_itself() {
        let memories: [&[&str]; 2] = [&["github_actions", "CI pipeline"], &["functional_pipeline", "fp pipeline"]];
        assert_eq!(worth("our CI pipeline is slow", &memories), [1.0, 0.0]);
        assert_eq!(worth("a functional pipeline", &memories), [0.0, 1.0]);
    }

    #[test]
    fn joined_and_parted_spellings_are_one_name() {
        let memories: [&[&str]; 1] = [&["react", "ReactJS", "react.js"]];
        for query in ["REACTJS patterns", "ReactJS", "react.js hooks", "in React"] {
            assert_eq!(worth(query, &memories), [1.0], "{query}");
        }
    }

    #[test]
    fn one_slip_is_forgiven_in_longer_words_only() {
        let memories: [&[&str]; 3] = [&["TypeScript"], &["Mongo"], &["k8s"]];
        assert_eq!(worth("typscript strict mode", &memories), [1.0, 0.0, 0.0]);
        assert_eq!(worth("typsecript config", &memories), [1.0, 0.0, 0.0]);
        assert_eq!(worth("mongod", &memories), [0.0, 1.0, 0.0]);
        assert_eq!(worth("mango pooling", &memories), [0.0, 0.0, 0.0]);
        assert_eq!(worth("k9s pods", &memories), [0.0, 0.0, 0.0]);
        let memories: [&[&str]; 2] = [&["compose"], &["Redis"]];
        assert_eq!(worth("components and readiness probes", &memories), [0.0, 0.0]);
    }
}
