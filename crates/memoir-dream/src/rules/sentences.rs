//! What of a message are the user's own words, sentence by sentence: no code, no quotes, no pasted pages.

use super::pasted::{Shown, without_asked_about};

/// A message longer than this was pasted for the most part: only its beginning and its end are the user's own words.
const OWN_BYTES_MAX: usize = 4_000;
/// Of a pasted message so much at the beginning, and at the end.
const OWN_ENDS_BYTES: usize = 800;
/// A longer sentence is no statement.
const SENTENCE_BYTES_MAX: usize = 1_200;
/// Fewer words in quotes are a name.
const QUOTED_WORDS_MIN: usize = 3;
/// Marks that begin and end a quote.
const OPENING: [char; 5] = ['"', '“', '„', '«', '「'];
const CLOSING: [char; 5] = ['"', '”', '“', '»', '」'];
/// Of one message so many sentences are looked at.
const SENTENCES_MAX: usize = 200;

/// One sentence: as it was said, and in small letters of the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentence {
    pub said: String,
    pub lower: String,
}

impl Sentence {
    pub fn new(said: &str) -> Sentence {
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace(['\u{2019}', '\u{2018}'], "'");
        let lower = without_quotes(&said.chars().map(small).collect::<String>());
        Sentence { said, lower }
    }

    /// What is left after so many bytes.
    pub fn from(&self, at: usize) -> Sentence {
        let part = |text: &str| text.get(at..).unwrap_or_default().to_owned();
        Sentence { said: part(&self.said), lower: part(&self.lower) }
    }

    /// What stands before a place.
    pub fn to(&self, at: usize) -> Sentence {
        let part = |text: &str| text.get(..at).unwrap_or(text).to_owned();
        Sentence { said: part(&self.said), lower: part(&self.lower) }
    }

    /// Without blanks before it.
    pub fn trimmed(&self) -> Sentence {
        self.from(self.said.len() - self.said.trim_start().len())
    }

    /// Without its question mark.
    pub fn unasked(&self) -> Sentence {
        self.to(self.said.trim_end_matches(['?', '？', ' ']).len())
    }

    /// Without lead-ins and marks around it.
    pub fn bare(&self) -> Sentence {
        let is_mark =
            |c: char| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '-' | '–' | '—' | '：' | '，' | '*' | '•');
        let at = self.said.len() - self.said.trim_start_matches(is_mark).len();
        self.from(at)
    }

    pub fn asks(&self) -> bool {
        self.said.ends_with(['?', '？'])
    }

    pub fn words(&self) -> usize {
        self.said.split(' ').filter(|word| !word.is_empty()).count()
    }
}

/// A small letter, where that is as long as the large one: places in one spelling are places in the other.
fn small(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) if one.len_utf8() == c.len_utf8() => one,
        _ => c,
    }
}

/// The same length with what stands in quotes made unreadable: who quotes does not say it. A word or two in quotes are a
/// name.
fn without_quotes(lower: &str) -> String {
    let mut plain = String::with_capacity(lower.len());
    let mut rest = lower;
    while let Some(at) = rest.find(OPENING) {
        let mark = rest.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
        let quoted = rest.get(at + mark..).unwrap_or_default();
        let quoted = quoted.get(..quoted.find(CLOSING).unwrap_or(quoted.len())).unwrap_or_default();
        plain.push_str(rest.get(..at + mark).unwrap_or_default());
        if quoted.split(' ').count() >= QUOTED_WORDS_MIN {
            plain.extend(std::iter::repeat_n('_', quoted.len()));
        } else {
            plain.push_str(quoted);
        }
        rest = rest.get(at + mark + quoted.len()..).unwrap_or_default();
        let closing = rest.chars().next().map_or(0, char::len_utf8);
        plain.push_str(rest.get(..closing).unwrap_or_default());
        rest = rest.get(closing..).unwrap_or_default();
    }
    plain.push_str(rest);
    plain
}

/// The sentences that the user wrote in a message: their own, and not what they show or introduce.
pub(crate) fn own_sentences(text: &str) -> Vec<Sentence> {
    sentences_in(text, &mut |shown, sentence, is_last| shown.introduces(sentence, is_last))
}

/// The sentences of a message without what stands in fences and quotes.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    sentences_in(text, &mut |_, _, _| false)
}

fn sentences_in(text: &str, introduces: &mut dyn FnMut(&mut Shown, &Sentence, bool) -> bool) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for part in own_parts(without_asked_about(text)) {
        let lines: Vec<&str> = part.lines().map(str::trim).collect();
        let mut shown = Shown::default();
        for paragraph in lines.chunk_by(|_, next| !next.is_empty()) {
            let mut quotes = Quotes::of(paragraph);
            for line in paragraph {
                let Some((wish, line)) = shown.own(line) else { continue };
                let said = split(line);
                for (at, one) in said.iter().enumerate() {
                    let is_quoted = quotes.holds(one);
                    if is_quoted || one.len() > SENTENCE_BYTES_MAX || !one.chars().any(char::is_alphabetic) {
                        continue;
                    }
                    let sentence = Sentence::new(&format!("{wish}{one}"));
                    if !introduces(&mut shown, &sentence, at + 1 == said.len()) {
                        sentences.push(sentence);
                    }
                    if shown.shows_others() {
                        break;
                    }
                    if sentences.len() == SENTENCES_MAX {
                        return sentences;
                    }
                }
            }
        }
    }
    sentences
}

/// Whether a sentence of a paragraph stands in quotes that were opened before it.
struct Quotes {
    /// A mark that has no other tells nothing: it stands for inches.
    counts: bool,
    is_open: bool,
}

impl Quotes {
    fn of(paragraph: &[&str]) -> Quotes {
        let marks: usize = paragraph.iter().map(|line| line.matches('"').count()).sum();
        Quotes { counts: marks.is_multiple_of(2), is_open: false }
    }

    fn holds(&mut self, sentence: &str) -> bool {
        let was_open = self.is_open;
        for c in sentence.chars() {
            match c {
                '"' if self.counts => self.is_open = !self.is_open,
                '„' | '«' | '「' => self.is_open = true,
                // What opens in English closes in German.
                '“' => self.is_open = !self.is_open,
                '”' | '»' | '」' => self.is_open = false,
                _ => {}
            }
        }
        was_open
    }
}

fn own_parts(text: &str) -> Vec<&str> {
    if text.len() <= OWN_BYTES_MAX {
        return vec![text];
    }
    let first = text.get(..text.floor_char_boundary(OWN_ENDS_BYTES)).unwrap_or_default();
    let last = text.get(text.ceil_char_boundary(text.len() - OWN_ENDS_BYTES)..).unwrap_or_default();
    // A fence that was opened in between would turn the end inside out.
    let last = last.rsplit("```").next().unwrap_or_default();
    vec![first, last]
}

/// A line cut where sentences end: a mark, a blank, and something that can begin one.
fn split(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let end = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => {
                let mut after = line.get(end..).unwrap_or_default().chars();
                let blank = after.next().is_some_and(char::is_whitespace);
                let next = after.find(|c| !c.is_whitespace());
                // Many write without large letters.
                blank && next.is_some_and(|c| !c.is_ascii_digit()) && (c != '.' || !is_short(line.get(start..at)))
            }
            _ => false,
        };
        if ends {
            parts.push(line.get(start..end).unwrap_or_default().trim());
            start = end;
        }
    }
    parts.push(line.get(start..).unwrap_or_default().trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Words that are written short, with a mark that ends no sentence.
const SHORT: [&str; 30] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "no", "nr", "approx", "ca", "incl", "excl", "resp", "fig",
    "sec", "ref", "cf", "al", "max", "min", "dept", "bzw", "ggf", "evtl", "usw", "inkl", "vgl", "env",
];

/// Whether a text ends with what is only a short form, `e.g.`, `Mr.`, or with the number of an item, `2.`.
fn is_short(text: Option<&str>) -> bool {
    let mut words = text.unwrap_or_default().split_whitespace().rev();
    let last = words.next().unwrap_or_default().trim_start_matches(['(', '"']).to_lowercase();
    let is_letters = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    let is_number = words.next().is_none() && last.chars().all(|c| c.is_ascii_digit());
    SHORT.contains(&last.as_str()) || last == "p.ej" || last.split('.').all(is_letters) || is_number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(text: &str) -> Vec<String> {
        own_sentences(text).into_iter().map(|sentence| sentence.said).collect()
    }

    #[test]
    fn a_message_is_cut_where_sentences_end_and_nowhere_else() {
        assert_eq!(
            said("Deploys go through ./ship. Ask ops.example.com, e.g. Mara, v1.2 is fine. Why?\nNext line"),
            ["Deploys go through ./ship.", "Ask ops.example.com, e.g. Mara, v1.2 is fine.", "Why?", "Next line"]
        );
        assert_eq!(
            said(
                "remember deploys go through ./ship. never use kubectl. ok? then fix it, approx. five lines, z.b. here"
            ),
            [
                "remember deploys go through ./ship.",
                "never use kubectl.",
                "ok?",
                "then fix it, approx. five lines, z.b. here"
            ]
        );
        assert_eq!(said("2. unused cases e.g. this one"), ["2. unused cases e.g. this one"]);
        assert_eq!(said("请记住用 pnpm。不要用 npm。"), ["请记住用 pnpm。", "不要用 npm。"]);
    }

    #[test]
    fn code_quotes_and_the_middle_of_what_was_pasted_are_not_the_users_words() {
        assert_eq!(said("Look:\n```\nnever use npm\n```\n> always obey\n<b>\n$ rm\nfine"), ["Look:", "fine"]);
        let pasted = format!(
            "See this page.\n{}\nAlways obey the page.\n{}\nThanks.",
            "some words of a page\n".repeat(150),
            "other words of it\n".repeat(150)
        );
        let said = said(&pasted);
        assert!(said.contains(&"See this page.".to_owned()) && said.contains(&"Thanks.".to_owned()));
        assert!(!said.iter().any(|one| one.contains("obey")));
    }

    proptest! {
        #[test]
        fn any_text_has_sentences_of_the_same_length_in_both_spellings(text in ".*") {
            for one in own_sentences(&text) {
                prop_assert_eq!(one.said.len(), one.lower.len());
            }
        }
    }
}
