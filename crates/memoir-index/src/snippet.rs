//! Cuts the telling part out of an event's text and says where the hits are in it.

use crate::matching::{Matcher, Places};
use crate::plan::Plan;
use crate::token::Tokens;
use std::ops::Range;

/// A part of a text with the hits in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The part, on one line: every run of blanks is one space.
    pub text: String,
    /// Where the hits are, in bytes of `text`: sorted, never overlapping.
    pub marks: Vec<Range<usize>>,
    /// Whether something was cut off before it.
    pub cut_before: bool,
    /// Whether something was cut off after it.
    pub cut_after: bool,
}

/// Marks the hits of one query in any text.
#[derive(Debug, Clone)]
pub struct Marker {
    plan: Plan,
}

impl Marker {
    pub(crate) const fn new(plan: Plan) -> Marker {
        Marker { plan }
    }

    /// The best part of `text`, about `chars_max` characters long.
    pub fn snippet(&self, text: &str, chars_max: usize) -> Snippet {
        let hits = self.hits(text);
        let window = best_window(text, &hits, chars_max);
        one_line(text, window, &hits)
    }

    /// Where the hits are in `text`, merged, with a number that tells one word of the query from another.
    fn hits(&self, text: &str) -> Vec<(Range<usize>, usize)> {
        let tokens = Tokens::of(text);
        let matcher = Matcher::new(&self.plan);
        let mut places = Places::default();
        matcher.places(&tokens, &mut places);
        let mut hits: Vec<(Range<usize>, usize)> = Vec::new();
        for (word, leaf) in self.plan.shown().enumerate() {
            matcher.each(leaf, &places, &mut |found| {
                for (_, token) in found.iter().filter_map(|at| tokens.get(*at)) {
                    hits.push((token.from as usize..token.to as usize, word));
                }
            });
        }
        hits.sort_unstable_by_key(|(range, word)| (range.start, range.end, *word));
        hits.dedup_by(|next, last| {
            let overlaps = next.0.start < last.0.end;
            if overlaps {
                last.0.end = last.0.end.max(next.0.end);
            }
            overlaps
        });
        hits
    }
}

/// The stretch that shows the most different words, then the most hits.
fn best_window(text: &str, hits: &[(Range<usize>, usize)], chars_max: usize) -> Range<usize> {
    let Some((first, _)) = hits.first() else { return 0..forward(text, 0, chars_max) };
    let mut best = ((0, 0), first.start..first.end);
    let mut end = 0;
    for (at, (range, _)) in hits.iter().enumerate() {
        let reach = forward(text, range.start, chars_max);
        end = end.max(at);
        while hits.get(end).is_some_and(|(next, _)| next.end <= reach) {
            end += 1;
        }
        let inside = hits.get(at..end).unwrap_or_default();
        let mut words: Vec<usize> = inside.iter().map(|(_, word)| *word).collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        let worth = (words.len(), count);
        if worth > best.0 {
            best = (worth, range.start..inside.last().map_or(range.end, |(last, _)| last.end));
        }
    }
    let shown = best.1;
    let used = text.get(shown.clone()).unwrap_or_default().chars().count();
    let spare = chars_max.saturating_sub(used);
    let start = word_start(text, back(text, shown.start, spare / 3));
    let end = forward(text, start, chars_max.max(used)).max(shown.end);
    start.min(shown.start)..end
}

fn forward(text: &str, from: usize, chars: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.char_indices().nth(chars).map_or(text.len(), |(at, _)| from + at)
}

fn back(text: &str, from: usize, chars: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    if chars == 0 { from } else { before.char_indices().nth_back(chars - 1).map_or(0, |(at, _)| at) }
}

/// The start of the next word, if `at` is inside one and the next is near.
fn word_start(text: &str, at: usize) -> usize {
    const NEAR: usize = 16;
    if at == 0 {
        return 0;
    }
    let rest = text.get(at..).unwrap_or_default();
    rest.char_indices().take(NEAR).find(|(_, c)| c.is_whitespace()).map_or(at, |(gap, c)| at + gap + c.len_utf8())
}

fn one_line(text: &str, window: Range<usize>, hits: &[(Range<usize>, usize)]) -> Snippet {
    let part = text.get(window.clone()).unwrap_or_default();
    let mut snippet = Snippet {
        text: String::with_capacity(part.len()),
        marks: Vec::new(),
        cut_before: text.get(..window.start).is_some_and(|before| !before.trim().is_empty()),
        cut_after: text.get(window.end..).is_some_and(|after| !after.trim().is_empty()),
    };
    let mut hits = hits.iter().map(|(range, _)| range).filter(|range| range.start >= window.start).peekable();
    let mut open = None;
    for (at, c) in part.char_indices() {
        let at = window.start + at;
        if let Some(hit) = hits.peek() {
            if hit.end == at {
                snippet.marks.extend(open.take().map(|start| start..snippet.text.len()));
                hits.next();
            }
            if hits.peek().is_some_and(|hit| hit.start == at) {
                open = Some(snippet.text.len());
            }
        }
        if !(c.is_whitespace() || c.is_control()) {
            snippet.text.push(c);
        } else if !snippet.text.is_empty() && !snippet.text.ends_with(' ') {
            snippet.text.push(' ');
        }
    }
    let len = snippet.text.trim_end().len();
    snippet.text.truncate(len);
    snippet.marks.extend(open.take().map(|start| start..len));
    snippet.marks.retain(|mark| mark.start < mark.end && mark.end <= len);
    snippet
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Leaf;
    use proptest::prelude::*;

    fn marker(words: &[&str]) -> Marker {
        let may = words.iter().map(|word| vec![Leaf::Term((*word).to_owned())]).collect();
        Marker::new(Plan { may, ..Plan::default() })
    }

    fn shown(words: &[&str], text: &str, chars_max: usize) -> String {
        let snippet = marker(words).snippet(text, chars_max);
        let mut out = String::new();
        let mut at = 0;
        for mark in &snippet.marks {
            out.push_str(&format!("{}[{}]", &snippet.text[at..mark.start], &snippet.text[mark.clone()]));
            at = mark.end;
        }
        let dots = |cut| if cut { "…" } else { "" };
        format!("{}{out}{}{}", dots(snippet.cut_before), &snippet.text[at..], dots(snippet.cut_after))
    }

    #[test]
    fn the_hit_is_marked_and_the_text_is_one_line() {
        assert_eq!(shown(&["hello"], "say  Hello,\n\tworld  ", 40), "say [Hello], world");
        assert_eq!(shown(&["user"], "call getUserName()", 40), "call get[User]Name()");
        assert_eq!(shown(&["absent"], "nothing here", 7), "nothing…");
    }

    #[test]
    fn the_part_with_the_most_words_is_shown() {
        let text = format!("alpha {} alpha and beta together {}", "filler ".repeat(50), "more ".repeat(50));
        let shown = shown(&["alpha", "beta"], &text, 60);
        assert!(shown.contains("[alpha] and [beta]"), "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_has_a_snippet_with_marks_inside_it(text in ".*", word in "[a-c]", chars_max in 0usize..80) {
            let snippet = marker(&[&word]).snippet(&text, chars_max);
            let mut last = 0;
            for mark in snippet.marks {
                prop_assert!(mark.start >= last && snippet.text.get(mark.clone()).is_some());
                last = mark.end;
            }
        }
    }
}
