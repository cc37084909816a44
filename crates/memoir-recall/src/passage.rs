//! Cuts a long source to the passage that matched.

use crate::words::Found;
use memoir_index::stems_in;
use std::collections::HashMap;

/// A passage is at most about so many characters.
const PASSAGE_CHARS: usize = 480;

/// A longer sentence is looked at in pieces of about so many bytes.
const PIECE_BYTES: usize = 96;

/// Finds the passage that says most of a query.
pub(crate) struct Passage {
    worth: HashMap<String, f32>,
    /// What is looked for as it was typed, in lower case.
    typed: Vec<String>,
    /// How much one of those tells.
    typed_worth: f32,
}

impl Passage {
    /// Passages for the words of a query, and for what in it is meant as it is.
    pub fn new(found: &[Found], typed: &[String]) -> Passage {
        let most = found.iter().map(|found| found.idf).fold(1.0, f32::max);
        let worth = found.iter().flat_map(|found| found.word.stems.iter().map(|stem| (stem.clone(), found.idf)));
        let typed = typed.iter().map(|term| term.to_lowercase()).collect();
        Passage { worth: worth.collect(), typed, typed_worth: 2.0 * most }
    }

    /// The passage, and whether there is more.
    pub fn of(&self, text: &str) -> (String, bool) {
        let text = text.trim();
        if text.chars().count() <= PASSAGE_CHARS {
            return (text.to_owned(), false);
        }
        let pieces = pieces(text);
        let piece = |at: usize| pieces.get(at).and_then(|(from, to)| text.get(*from..*to)).unwrap_or_default();
        let values: Vec<f32> = (0..pieces.len()).map(|at| self.value(piece(at))).collect();
        let start = |at: usize| pieces.get(at).map_or(0, |(from, _)| *from);
        let end = |at: usize| pieces.get(at).map_or(text.len(), |(_, to)| *to);
        let mut best = (0.0, 0, 0);
        for (from, first) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let (mut value, mut to) = (*first, from);
            let mut sure = (value, from);
            while to + 1 < pieces.len() && end(to + 1) - start(from) <= PASSAGE_CHARS {
                to += 1;
                value += values.get(to).copied().unwrap_or(0.0);
                if value > sure.0 {
                    sure = (value, to);
                }
            }
            if sure.0 > best.0 {
                best = (sure.0, from, sure.1);
            }
        }
        let (mut from, mut to) = (best.1, best.2);
        // What is around it says what it is about: first after, then before.
        loop {
            let room = |from: usize, to: usize| end(to) - start(from) <= PASSAGE_CHARS;
            match (to + 1 < pieces.len() && room(from, to + 1), from > 0 && room(from - 1, to)) {
                (true, _) if end(to) - end(best.2) <= start(best.1) - start(from) || from == 0 => to += 1,
                (_, true) => from -= 1,
                (true, false) => to += 1,
                (false, false) => break,
            }
        }
        let mut passage = text.get(start(from)..end(to)).unwrap_or_default().trim();
        if let Some((cut, _)) = passage.char_indices().nth(PASSAGE_CHARS) {
            passage = passage.get(..cut).unwrap_or_default();
        }
        (passage.to_owned(), true)
    }

    fn value(&self, piece: &str) -> f32 {
        let mut stems = stems_in(piece);
        stems.sort_unstable();
        stems.dedup();
        let lower = piece.to_lowercase();
        let typed = self.typed.iter().filter(|term| lower.contains(term.as_str())).count();
        stems.iter().filter_map(|stem| self.worth.get(stem)).sum::<f32>() + typed as f32 * self.typed_worth
    }
}

/// Sentences and lines; what is longer than a passage, in pieces between its words.
fn pieces(text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    for (from, to) in sentences(text) {
        if to - from <= PASSAGE_CHARS {
            pieces.push((from, to));
            continue;
        }
        let mut begin = from;
        while begin < to {
            let want = text.floor_char_boundary((begin + PIECE_BYTES).min(to)).max(begin + 1);
            let rest = text.get(want..to).unwrap_or_default();
            let gap = rest.find(char::is_whitespace).filter(|gap| *gap <= PIECE_BYTES);
            let end = text.ceil_char_boundary(gap.map_or(want, |gap| want + gap).min(to));
            pieces.push((begin, end));
            begin = end;
        }
    }
    pieces
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_match_deep_in_a_sentence_without_end_is_shown_with_what_is_around_it() {
        let filler: Vec<String> = (0..500).map(|n| format!("tok{n}")).collect();
        let text = format!("{} ECONNREFUSED_XY port 54321 {}", filler.join(" "), filler.join(" "));
        let (passage, cut) = Passage::new(&[], &["ECONNREFUSED_XY".to_owned()]).of(&text);
        assert!(cut && passage.contains("ECONNREFUSED_XY port 54321"), "{passage}");
        let at = passage.find("ECONNREFUSED_XY").unwrap();
        assert!((100..380).contains(&at), "{at} of {}", passage.len());
    }

    proptest! {
        #[test]
        fn a_passage_is_part_of_its_text_and_not_too_long(text in "(\\PC{0,40}[.\n ]?){0,60}", term in "[a-z]{2,4}") {
            let (passage, cut) = Passage::new(&[], &[term]).of(&text);
            prop_assert!(text.contains(&passage) && passage.chars().count() <= PASSAGE_CHARS);
            prop_assert_eq!(cut, text.trim().chars().count() > PASSAGE_CHARS);
        }
    }
}
