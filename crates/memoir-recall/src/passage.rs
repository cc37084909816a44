//! Cuts a long source to the passage that matched.

use crate::words::Found;
use memoir_index::stems_in;
use std::collections::HashMap;

/// A passage is at most about so many characters.
const PASSAGE_CHARS: usize = 480;

/// Finds the passage that says most of a query.
pub(crate) struct Passage {
    worth: HashMap<String, f32>,
}

impl Passage {
    pub fn new(found: &[Found]) -> Passage {
        let worth = found.iter().flat_map(|found| found.word.stems.iter().map(|stem| (stem.clone(), found.idf)));
        Passage { worth: worth.collect() }
    }

    /// The passage, and whether there is more.
    pub fn of(&self, text: &str) -> (String, bool) {
        let text = text.trim();
        if text.chars().count() <= PASSAGE_CHARS {
            return (text.to_owned(), false);
        }
        let sentences = sentences(text);
        let values: Vec<f32> =
            sentences.iter().map(|(from, to)| self.value(text.get(*from..*to).unwrap_or_default())).collect();
        let mut best = (0.0, 0..1);
        for from in 0..sentences.len() {
            let start = sentences.get(from).map_or(0, |(start, _)| *start);
            let mut value = 0.0;
            for to in from..sentences.len() {
                let end = sentences.get(to).map_or(start, |(_, end)| *end);
                if end - start > PASSAGE_CHARS && to > from {
                    break;
                }
                value += values.get(to).copied().unwrap_or(0.0);
                if value > best.0 {
                    best = (value, from..to + 1);
                }
            }
        }
        let start = sentences.get(best.1.start).map_or(0, |(start, _)| *start);
        let end = sentences.get(best.1.end.saturating_sub(1)).map_or(text.len(), |(_, end)| *end);
        let mut passage = text.get(start..end).unwrap_or_default().trim();
        if let Some((cut, _)) = passage.char_indices().nth(PASSAGE_CHARS) {
            passage = passage.get(..cut).unwrap_or_default();
        }
        (passage.to_owned(), true)
    }

    fn value(&self, sentence: &str) -> f32 {
        let mut stems = stems_in(sentence);
        stems.sort_unstable();
        stems.dedup();
        stems.iter().filter_map(|stem| self.worth.get(stem)).sum()
    }
}

/// Where sentences and lines begin and end.
fn sentences(text: &str) -> Vec<(usize, usize)> {
    let mut list = Vec::new();
    let mut from = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = c == '\n'
            || (matches!(c, '.' | '!' | '?') && chars.peek().is_some_and(|(_, next)| next.is_whitespace()))
            || matches!(c, '。' | '！' | '？');
        if ends {
            let end = at + c.len_utf8();
            list.push((from, end));
            from = end;
        }
    }
    if from < text.len() {
        list.push((from, text.len()));
    }
    list
}
