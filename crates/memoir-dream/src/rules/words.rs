//! Where phrases stand in a text, as whole words.

/// Where a phrase stands in a text as whole words.
pub(crate) fn find(lower: &str, phrase: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = lower.get(from..).and_then(|rest| rest.find(phrase)) {
        let at = from + found;
        let end = at + phrase.len();
        if is_whole(lower, phrase, at, end) {
            return Some(at);
        }
        from = at + phrase.chars().next().map_or(1, char::len_utf8);
    }
    None
}

fn is_whole(lower: &str, phrase: &str, at: usize, end: usize) -> bool {
    // Chinese has no blanks between words.
    if !phrase.is_ascii() && phrase.chars().all(|c| c > '\u{2e80}') {
        return true;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = lower.get(..at).and_then(|text| text.chars().next_back());
    let after = lower.get(end..).and_then(|text| text.chars().next());
    !before.is_some_and(is_word) && !after.is_some_and(|c| is_word(c) || (c == '-' && phrase.len() < 4))
}

/// Whether any of the phrases stands in a text.
pub(crate) fn has(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| find(lower, phrase).is_some())
}

/// The longest of the phrases with which a text begins: where it ends.
pub(crate) fn begins(lower: &str, phrases: &[&str]) -> Option<usize> {
    let fits = |phrase: &&&str| lower.starts_with(**phrase) && is_whole(lower, phrase, 0, phrase.len());
    phrases.iter().filter(fits).map(|phrase| phrase.len()).max()
}
