//! Shapes of sayings: words in their order, of which some may be others or be missing.
//!
//! A shape is written as it is said: `keep IT to yourself`. `a/b` is either, `a_b` is two words in one place, `a?` may be
//! missing, `a*` may come any number of times, and what is written in capitals stands for the shapes of that name.

use std::collections::HashMap;

/// Shapes by the name under which others use them.
pub(crate) type Classes = [(&'static str, &'static [&'static str])];

/// Marks that end a clause.
pub(crate) const MARKS: &[char] =
    &[':', ',', ';', '.', '!', '?', '–', '—', '-', '(', ')', '：', '，', '、', '。', '；', '！', '？', '…'];

/// Short forms of two words.
const SHORT: &[(&str, &str, &str)] = &[
    ("can't", "can", "not"),
    ("cant", "can", "not"),
    ("cannot", "can", "not"),
    ("won't", "will", "not"),
    ("wont", "will", "not"),
    ("dont", "do", "not"),
    ("doesnt", "does", "not"),
    ("didnt", "did", "not"),
    ("shouldnt", "should", "not"),
    ("wasnt", "was", "not"),
    ("let's", "let", "us"),
    ("lets", "let", "us"),
    ("thats", "that", "is"),
    ("i'm", "i", "am"),
];
/// Ends of words that are words of their own, and what they say.
const ENDS: &[(&str, &str)] = &[("n't", "not"), ("'ve", "have"), ("'re", "are"), ("'ll", "will"), ("'d", "would")];
/// Words after which `'s` says "is".
const BEING: &[&str] = &["that", "this", "it", "what", "here", "there", "everything", "nothing", "he", "she"];

/// A word of a sentence in small letters: where it stands, and whether and which mark stands after it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    pub from: usize,
    pub to: usize,
    pub mark: Option<char>,
}

/// The words of a sentence; short forms are written out.
pub(crate) fn words_of(lower: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut from = 0;
    for raw in lower.split(char::is_whitespace) {
        let (start, to) = (from, from + raw.len());
        from = lower.get(to..).and_then(|rest| rest.chars().next()).map_or(to, |blank| to + blank.len_utf8());
        let text = raw.trim_matches(|c: char| MARKS.contains(&c) || matches!(c, '"' | '*' | '_'));
        let mark = raw.chars().rev().find(|c| !matches!(c, '"' | '*' | '_')).filter(|c| MARKS.contains(c));
        if text.is_empty() {
            if let Some(last) = words.last_mut() {
                last.mark = last.mark.or(mark);
            }
            continue;
        }
        let (first, second) = written_out(text);
        let word = |text, mark| Word { text, from: start, to, mark };
        words.push(word(first, if second.is_empty() { mark } else { None }));
        if !second.is_empty() {
            words.push(word(second, mark));
        }
    }
    words
}

fn written_out(text: &str) -> (&str, &str) {
    if let Some((_, first, second)) = SHORT.iter().find(|(short, ..)| *short == text) {
        return (first, second);
    }
    let elided = ["n'", "l'"].into_iter().find_map(|short| Some((text.get(..2)?, text.strip_prefix(short)?)));
    if let Some(elided) = elided.filter(|(_, rest)| !rest.is_empty()) {
        return elided;
    }
    let is = text.strip_suffix("'s").filter(|base| BEING.contains(base)).map(|base| (base, "is"));
    let end = || ENDS.iter().find_map(|(end, says)| Some((text.strip_suffix(end)?, *says)));
    is.or_else(end).filter(|(base, _)| !base.is_empty()).unwrap_or((text, ""))
}

/// The places after all the ways in which a shape fits the words from a place on.
fn ends(shape: &str, words: &[Word<'_>], from: usize, classes: &Classes) -> Vec<usize> {
    let mut places = vec![from];
    for token in shape.split(' ') {
        let mut next: Vec<usize> = Vec::new();
        let (token, is_optional, is_many) = match (token.strip_suffix('?'), token.strip_suffix('*')) {
            (Some(token), _) => (token, true, false),
            (_, Some(token)) => (token, true, true),
            _ => (token, false, false),
        };
        if is_optional {
            next.clone_from(&places);
        }
        loop {
            let goes_on = |at: &&usize| **at == from || !is_parted(words, **at);
            let ends_after = |at: &usize| ends_of_token(token, words, *at, classes);
            let mut found: Vec<usize> = places.iter().filter(goes_on).flat_map(ends_after).collect();
            found.retain(|at| !next.contains(at));
            found.sort_unstable();
            found.dedup();
            next.extend(&found);
            if !is_many || found.is_empty() {
                break;
            }
            places = found;
        }
        if next.is_empty() {
            return next;
        }
        places = next;
    }
    places
}

fn ends_of_token(token: &str, words: &[Word<'_>], at: usize, classes: &Classes) -> Vec<usize> {
    let is_class = token.starts_with(|c: char| c.is_ascii_uppercase());
    if let Some((_, shapes)) = classes.iter().find(|(name, _)| is_class && *name == token) {
        return shapes.iter().flat_map(|shape| ends(shape, words, at, classes)).collect();
    }
    let fits = |option: &str| {
        let mut end = at;
        for part in option.split('_') {
            words.get(end).filter(|word| word.text == part && (end == at || !is_parted(words, end)))?;
            end += 1;
        }
        Some(end)
    };
    token.split('/').filter_map(fits).collect()
}

/// Whether a mark stands before a place over which no saying goes: it goes over a comma.
fn is_parted(words: &[Word<'_>], at: usize) -> bool {
    at.checked_sub(1).and_then(|last| words.get(last)?.mark).is_some_and(|mark| mark != ',')
}

/// Shapes with what they are made of, found by the words with which they begin.
pub(crate) struct Shapes {
    classes: &'static Classes,
    by_first: HashMap<&'static str, Vec<&'static str>>,
}

impl Shapes {
    pub fn new(shapes: &[&'static str], classes: &'static Classes) -> Shapes {
        let mut by_first: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
        for shape in shapes {
            let mut firsts = firsts_of(shape, classes);
            firsts.sort_unstable();
            firsts.dedup();
            firsts.into_iter().for_each(|first| by_first.entry(first).or_default().push(shape));
        }
        Shapes { classes, by_first }
    }

    /// The places after all the ways in which one of them fits the words from a place on.
    pub fn ends(&self, words: &[Word<'_>], from: usize) -> Vec<usize> {
        let shapes = words.get(from).and_then(|word| self.by_first.get(word.text));
        let ends = |shape: &&'static str| ends(shape, words, from, self.classes);
        shapes.into_iter().flatten().flat_map(ends).filter(|end| *end > from).collect()
    }

    /// The places after any number of them, one after another.
    pub fn many(&self, words: &[Word<'_>], from: usize) -> Vec<usize> {
        let mut places = vec![from];
        let mut at = 0;
        while let Some(place) = places.get(at).copied() {
            // What a mark parts other than a comma goes on with none of them.
            if place == from || !is_parted(words, place) {
                let next: Vec<usize> =
                    self.ends(words, place).into_iter().filter(|end| !places.contains(end)).collect();
                places.extend(next);
            }
            at += 1;
        }
        places
    }
}

/// The words with which a shape begins.
fn firsts_of(shape: &'static str, classes: &'static Classes) -> Vec<&'static str> {
    let mut firsts = Vec::new();
    for token in shape.split(' ') {
        let bare = token.trim_end_matches(['?', '*']);
        match classes.iter().find(|(name, _)| *name == bare) {
            Some((_, shapes)) => firsts.extend(shapes.iter().flat_map(|shape| firsts_of(shape, classes))),
            None => firsts.extend(bare.split('/').filter_map(|option| option.split('_').next())),
        }
        if bare.len() == token.len() {
            break;
        }
    }
    firsts
}

/// Whether a clause ends before a place.
pub(crate) fn is_clause_end(words: &[Word<'_>], end: usize) -> bool {
    end == words.len() || end.checked_sub(1).and_then(|last| words.get(last)).is_some_and(|word| word.mark.is_some())
}

/// Where clauses begin.
pub(crate) fn clause_starts(words: &[Word<'_>]) -> impl Iterator<Item = usize> {
    (0..words.len()).filter(|at| *at == 0 || is_clause_end(words, *at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CLASSES: &Classes = &[("IT", &["it/that", "what i SPOKE you?"]), ("SPOKE", &["said/told"])];

    #[test]
    fn a_shape_fits_words_in_their_order() {
        let fits = |shape: &'static str, said: &str| {
            let words = words_of(said);
            let ends = Shapes::new(&[shape], CLASSES).ends(&words, 0);
            ends.into_iter().filter(|end| is_clause_end(&words, *end)).max()
        };
        assert_eq!(fits("keep IT to_yourself", "keep that to yourself, please"), Some(4));
        assert_eq!(fits("forget IT", "forget what i told you"), Some(5));
        assert_eq!(fits("forget IT", "forget, what i told you"), Some(5));
        assert_eq!(fits("do not please* keep IT", "don't please please keep that."), Some(6));
        assert_eq!(fits("that is private", "that's private"), Some(3));
        assert_eq!(fits("forget IT", "forget that port"), None, "the clause goes on");
        assert_eq!(fits("forget IT", "forget: that"), None, "it is parted");
    }

    proptest! {
        #[test]
        fn any_text_has_words_at_their_places(text in ".*") {
            let words = words_of(&text);
            prop_assert!(words.iter().all(|word| text.get(word.from..word.to).is_some()));
            let _ = Shapes::new(&["IT* not? IT*"], CLASSES).ends(&words, 0);
        }
    }
}
