//! Splits text into search terms. Documents, queries and snippets all go through here, so that they agree.
//!
//! A *unit* is a run of letters and digits. A unit that reads as several words (`getUserName`, `get_user_name`,
//! `E0502`) gives its parts one position each, and the whole, glued together, at the position of the first part.
//! Scripts written without spaces give overlapping pairs of characters. Must not know Tantivy.

use crate::fold::is_unspaced;
use memoir_event::fold_into;

/// Longer terms are cut: nobody types more, and a base64 blob must not fill the dictionary.
pub(crate) const TERM_BYTES_MAX: usize = 64;
/// What is behind this in one text is not searched.
pub(crate) const TEXT_BYTES_MAX: usize = 16 << 20;
/// From this length on, a mix of hexadecimal digits is a hash and has no parts.
const HASH_CHARS_MIN: usize = 7;

/// What a token is to its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A unit of one part.
    Word,
    /// A unit of several parts, glued together.
    Whole,
    /// One part of such a unit.
    Part,
    /// Two neighbouring characters of an unspaced script.
    Pair,
    /// The last character of a longer unspaced run: makes every single character a prefix of some token.
    RunEnd,
    /// An unspaced character that stands alone.
    Single,
}

/// One term in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    start: u32,
    end: u32,
    /// Its position, counted in parts.
    pub position: u32,
    /// Where it begins in the text.
    pub from: u32,
    /// Where it ends in the text.
    pub to: u32,
    /// What it is.
    pub role: Role,
}

/// The tokens of one text; reused from text to text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    terms: String,
    list: Vec<Token>,
    chars: Vec<(usize, char)>,
}

impl Tokens {
    /// The tokens of `text`.
    pub fn of(text: &str) -> Tokens {
        let mut tokens = Tokens::default();
        tokens.fill(text);
        tokens.chars = Vec::new();
        tokens
    }

    /// Replaces what is here by the tokens of `text`.
    pub fn fill(&mut self, text: &str) {
        self.terms.clear();
        self.list.clear();
        let text = text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default();
        let mut position = 0;
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let Some(skip) = rest.find(|c: char| c.is_alphanumeric()) else { break };
            let start = at + skip;
            let (len, unspaced) = self.take_run(text.get(start..).unwrap_or_default());
            if unspaced {
                position = self.push_pairs(start, position);
            } else {
                position = self.push_unit(text.get(start..start + len).unwrap_or_default(), start, position);
            }
            at = start + len;
        }
    }

    /// Every token, by position.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Token)> {
        self.list.iter().map(|token| (self.term(token), *token))
    }

    /// The token at that place of the list.
    pub fn get(&self, at: usize) -> Option<(&str, Token)> {
        self.list.get(at).map(|token| (self.term(token), *token))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    fn term(&self, token: &Token) -> &str {
        self.terms.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// The length of the run at the start of `rest`, and whether it is unspaced (then `chars` has it).
    fn take_run(&mut self, rest: &str) -> (usize, bool) {
        let unspaced = rest.chars().next().is_some_and(is_unspaced);
        if unspaced {
            self.chars.clear();
            self.chars.extend(rest.char_indices().take_while(|(_, c)| is_unspaced(*c)));
            return (self.chars.last().map_or(0, |(at, c)| at + c.len_utf8()), true);
        }
        let ascii = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let mut len = ascii;
        for (at, c) in rest.get(ascii..).unwrap_or_default().char_indices().map(|(at, c)| (ascii + at, c)) {
            let inside = if c.is_ascii() { c.is_ascii_alphanumeric() } else { continues_unit(c) };
            if inside {
                len = at + c.len_utf8();
            } else if !is_joiner(c) || len < at {
                break;
            }
        }
        (len, false)
    }

    fn push_unit(&mut self, unit: &str, start: usize, position: u32) -> u32 {
        if is_plain(unit) {
            let term_start = self.terms.len();
            self.terms.push_str(unit);
            if let Some(term) = self.terms.get_mut(term_start..) {
                term.make_ascii_lowercase();
            }
            self.push(term_start, position, start, start + unit.len(), Role::Word);
            return position + 1;
        }
        if unit.len() > TERM_BYTES_MAX || is_hash(unit) || !has_parts(unit) {
            self.push_folded(unit, start, position, Role::Word);
            return position + 1;
        }
        self.push_folded(unit, start, position, Role::Whole);
        let mut next = position;
        let mut from = 0;
        let mut before: Option<char> = None;
        let mut chars = unit.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let after = chars.peek().map(|(_, c)| *c);
            let cut = before.is_some_and(|before| is_boundary(before, c, after));
            if (cut || is_joiner(c)) && from < at {
                self.push_folded(unit.get(from..at).unwrap_or_default(), start + from, next, Role::Part);
                next += 1;
            }
            if is_joiner(c) {
                from = at + c.len_utf8();
            } else if cut {
                from = at;
            }
            before = Some(c).filter(|c| !is_joiner(*c));
        }
        self.push_folded(unit.get(from..).unwrap_or_default(), start + from, next, Role::Part);
        next + 1
    }

    fn push_pairs(&mut self, start: usize, position: u32) -> u32 {
        let chars = std::mem::take(&mut self.chars);
        let count = chars.len();
        for (index, (at, c)) in chars.iter().enumerate() {
            let second = chars.get(index + 1);
            let role = if second.is_some() {
                Role::Pair
            } else if count > 1 {
                Role::RunEnd
            } else {
                Role::Single
            };
            let end = second.map_or(at + c.len_utf8(), |(at, c)| at + c.len_utf8());
            let term_start = self.terms.len();
            fold_into(*c, &mut self.terms);
            if let Some((_, second)) = second {
                fold_into(*second, &mut self.terms);
            }
            self.push(term_start, position.saturating_add(number(index)), start + at, start + end, role);
        }
        self.chars = chars;
        position.saturating_add(number(count))
    }

    fn push_folded(&mut self, text: &str, from: usize, position: u32, role: Role) {
        let start = self.terms.len();
        for c in text.chars().filter(|c| !is_joiner(*c)) {
            fold_into(c, &mut self.terms);
            if self.terms.len() - start >= TERM_BYTES_MAX {
                break;
            }
        }
        let end = self.terms.floor_char_boundary(start + TERM_BYTES_MAX);
        self.terms.truncate(end);
        self.push(start, position, from, from + text.len(), role);
    }

    fn push(&mut self, start: usize, position: u32, from: usize, to: usize, role: Role) {
        let (start, end) = (number(start), number(self.terms.len()));
        // A mark that stands alone folds to nothing.
        if start == end {
            return;
        }
        self.list.push(Token { start, end, position, from: number(from), to: number(to), role });
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn continues_unit(c: char) -> bool {
    (c.is_alphanumeric() || is_mark(c)) && !is_unspaced(c)
}

/// Combining marks belong to the letter before them.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Joins parts to one unit when it stands between letters or digits.
const fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '\'' | '\u{2019}')
}

/// Whether a unit is an ordinary word, as most are: ASCII letters, none but the first in upper case.
fn is_plain(unit: &str) -> bool {
    let rest = unit.as_bytes().get(1..).unwrap_or_default();
    unit.len() <= TERM_BYTES_MAX
        && unit.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && rest.iter().all(u8::is_ascii_lowercase)
}

fn is_hash(unit: &str) -> bool {
    unit.len() >= HASH_CHARS_MIN && unit.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn has_parts(unit: &str) -> bool {
    let mut before: Option<char> = None;
    let mut chars = unit.chars().peekable();
    while let Some(c) = chars.next() {
        if is_joiner(c) || before.is_some_and(|before| is_boundary(before, c, chars.peek().copied())) {
            return true;
        }
        before = Some(c);
    }
    false
}

/// Whether a part ends before `c`: `get|User`, `HTTP|Server`, `utf|8`, `8|bit`.
fn is_boundary(before: char, c: char, after: Option<char>) -> bool {
    if is_mark(c) || is_mark(before) {
        return false;
    }
    let hump = c.is_uppercase() && (before.is_lowercase() || after.is_some_and(char::is_lowercase));
    let digit = before.is_numeric() != c.is_numeric();
    (hump && !before.is_numeric()) || digit
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let tokens = Tokens::of(text);
        let list: Vec<String> = tokens.iter().map(|(term, token)| format!("{term}@{}", token.position)).collect();
        list.join(" ")
    }

    #[test]
    fn identifiers_are_kept_whole_and_in_parts() {
        assert_eq!(shown("getUserName"), "getusername@0 get@0 user@1 name@2");
        assert_eq!(shown("get_user_name x"), "getusername@0 get@0 user@1 name@2 x@3");
        assert_eq!(shown("HTTPServer __init__"), "httpserver@0 http@0 server@1 init@2");
        assert_eq!(shown("E0502 utf8"), "e0502@0 e@0 0502@1 utf8@2 utf@2 8@3");
        assert_eq!(shown("don't"), "dont@0 don@0 t@1");
    }

    #[test]
    fn paths_versions_and_flags_are_units_in_a_row() {
        assert_eq!(shown("src/main.rs:42"), "src@0 main@1 rs@2 42@3");
        assert_eq!(shown("v1.2.3"), "v1@0 v@0 1@1 2@2 3@3");
        assert_eq!(shown("--release 'quoted'"), "release@0 quoted@1");
    }

    #[test]
    fn a_hash_has_no_parts() {
        let sha = "9fceb02d0ae598e95dc970b74767f19372d61af8";
        assert_eq!(shown(sha), format!("{sha}@0"));
        assert_eq!(shown("9fceb02"), "9fceb02@0");
    }

    #[test]
    fn accents_width_and_case_are_folded() {
        assert_eq!(shown("Café naïve STRASSE Straße e\u{301}t\u{e9}"), "cafe@0 naive@1 strasse@2 strasse@3 ete@4");
        assert_eq!(shown("ＡＢＣ Ærø Łódź ёлка"), "abc@0 aero@1 lodz@2 елка@3");
    }

    #[test]
    fn unspaced_scripts_become_pairs() {
        assert_eq!(shown("東京都"), "東京@0 京都@1 都@2");
        assert_eq!(shown("あ x"), "あ@0 x@1");
        assert_eq!(shown("Rustで書く"), "rust@0 で書@1 書く@2 く@3");
    }

    #[test]
    fn a_term_has_a_limit() {
        let tokens = Tokens::of(&"aB".repeat(1000));
        assert_eq!(tokens.len(), 1);
        assert_eq!(tokens.get(0).unwrap().0.len(), TERM_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn any_text_gives_tokens_inside_it_in_order(text in ".*") {
            let tokens = Tokens::of(&text);
            let mut last = 0;
            for (term, token) in tokens.iter() {
                prop_assert!(term.len() <= TERM_BYTES_MAX);
                prop_assert!(text.get(token.from as usize..token.to as usize).is_some());
                prop_assert!(token.role == Role::Part || token.position >= last);
                last = token.position;
            }
        }
    }
}
