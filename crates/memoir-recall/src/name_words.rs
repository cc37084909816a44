//! The words of names and queries, as they are typed, as they are compared, and how they stand in a query.

use crate::names::Callable;
use crate::ordinary::is_everyday;
use memoir_index::{NameStem, Tongue};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// Before a request proper: what is behind them is its first word.
const LEADING_UP: [&str; 20] = [
    "please", "can", "could", "would", "should", "you", "we", "let", "lets", "us", "to", "and", "then", "now", "just",
    "also", "want", "need", "help", "me",
];
/// After the first word of a request they tell that it is something to do.
const DETERMINERS: [&str; 24] = [
    "the", "a", "an", "this", "that", "these", "those", "my", "our", "your", "its", "it", "all", "every", "each",
    "some", "any", "me", "us", "them", "whether", "if", "in", "out",
];

/// What begins a question.
const ASKING: [&str; 16] = [
    "what", "which", "who", "whose", "where", "when", "why", "how", "wie", "was", "welche", "wo", "comment", "quel",
    "como", "donde",
];

/// A word of a name or a query, as it is typed and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameWord {
    pub typed: String,
    pub stem: NameStem,
    /// Its stem in each of the languages that are spoken, once somebody asks: most words are compared with none.
    stems: OnceCell<Vec<String>>,
    /// Whether it begins with a capital and goes on without.
    pub is_capital: bool,
    /// Whether no word of prose looks like it.
    pub is_code: bool,
}

/// A name, or a text, word by word.
pub(crate) type Name = Vec<Rc<NameWord>>;

/// A word of a query, and how it stands there.
pub(crate) struct QueryWord {
    pub word: Rc<NameWord>,
    pub is_everyday: bool,
    /// Written as code or as a quotation.
    pub is_quoted: bool,
    /// Written with a capital that nothing but a name asks for.
    pub is_named: bool,
    /// The first word of a request, as something to do.
    pub is_begun: bool,
    /// In a question, and nothing is done to anything by it.
    pub is_asked_for: bool,
}

/// What it tells that a word begins with a capital.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    Name,
    TellNothing,
}

impl Capitals {
    /// Other languages write more than names with capitals.
    pub fn of(query: &str) -> Capitals {
        if Tongue::of(query).is_none() { Capitals::Name } else { Capitals::TellNothing }
    }
}

/// The languages that words are compared in: the usual one, and those of the query and of the memories.
pub(crate) struct Languages {
    tongues: Vec<Tongue>,
    /// The words that were met: many memories have the same ones.
    known: RefCell<FxHashMap<String, Option<Rc<NameWord>>>>,
}

impl Languages {
    pub fn of(query: &str, memories: &[Callable<'_>]) -> Languages {
        let mut tongues: Vec<Tongue> = Vec::new();
        for tongue in std::iter::once(query).chain(memories.iter().map(|one| one.text)).filter_map(Tongue::of) {
            if !tongues.contains(&tongue) {
                tongues.push(tongue);
            }
        }
        Languages { tongues, known: RefCell::default() }
    }

    /// A word; none if it is a little one.
    fn word(&self, word: &str) -> Option<Rc<NameWord>> {
        if let Some(known) = self.known.borrow().get(word) {
            return known.clone();
        }
        let new = self.new_word(word).map(Rc::new);
        self.known.borrow_mut().insert(word.to_owned(), new.clone());
        new
    }

    fn new_word(&self, word: &str) -> Option<NameWord> {
        let stem = NameStem::of(word, &self.tongues)?;
        let rest_is = |test: fn(char) -> bool| word.chars().skip(1).any(test);
        let begins_large = word.chars().next().is_some_and(char::is_uppercase);
        let is_code = rest_is(char::is_numeric) || word.starts_with(char::is_numeric) || rest_is(char::is_uppercase);
        let (typed, is_capital) = (word.to_lowercase(), begins_large && !is_code);
        Some(NameWord { typed, stem, stems: OnceCell::new(), is_capital, is_code })
    }

    /// The stems of a word.
    pub fn stems<'w>(&self, word: &'w NameWord) -> &'w [String] {
        word.stems.get_or_init(|| word.stem.all(&self.tongues))
    }

    /// Whether a word is one of those that any request may have.
    pub fn is_everyday(&self, word: &NameWord) -> bool {
        self.stems(word).first().is_some_and(|stem| is_everyday(stem))
    }

    /// The words of a text, little ones left out.
    pub fn words_of(&self, text: &str) -> Name {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.filter_map(|word| self.word(word)).collect()
    }

    /// The words of a query and how they stand there, little ones left out.
    pub fn query_words(&self, query: &str, capitals: Capitals) -> Vec<QueryWord> {
        let spans: Vec<(usize, usize)> = spans_of(query);
        let text = |at: usize| spans.get(at).and_then(|(from, to)| query.get(*from..*to)).unwrap_or_default();
        let mut words = Vec::with_capacity(spans.len());
        let is_question = is_question(query, text(0));
        let (mut leads_up, mut begins) = (true, true);
        for (at, (from, to)) in spans.iter().enumerate() {
            let typed = text(at);
            let lower = typed.to_lowercase();
            let before = query.get(..*from).unwrap_or_default();
            let after = query.get(*to..).unwrap_or_default();
            if before.trim_end().ends_with(['.', '!', '?', ':', '\n']) {
                (leads_up, begins) = (true, true);
            }
            let takes_object = DETERMINERS.contains(&text(at + 1).to_lowercase().as_str());
            if let Some(word) = self.word(typed) {
                words.push(QueryWord {
                    is_everyday: self.is_everyday(&word),
                    is_quoted: before.ends_with('`')
                        || after.starts_with('`')
                        || before.ends_with('"') && after.starts_with('"'),
                    is_named: word.is_capital && !begins && capitals == Capitals::Name,
                    is_begun: leads_up && takes_object,
                    is_asked_for: is_question && !takes_object,
                    word,
                });
            }
            leads_up = leads_up && LEADING_UP.contains(&lower.as_str());
            begins = false;
        }
        words
    }
}

/// Whether a query asks for something rather than wants something done.
fn is_question(query: &str, first: &str) -> bool {
    let first = first.to_lowercase();
    let is_request = LEADING_UP.contains(&first.as_str());
    ASKING.contains(&first.as_str()) || (!is_request && query.trim_end().ends_with(['?', '？']))
}

/// Where the words of a text begin and end.
fn spans_of(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut from = None;
    for (at, c) in text.char_indices().chain(std::iter::once((text.len(), ' '))) {
        match (c.is_alphanumeric(), from) {
            (true, None) => from = Some(at),
            (false, Some(begin)) => {
                spans.push((begin, at));
                from = None;
            }
            _ => {}
        }
    }
    spans
}
