//! Names for memories that were given none: what a statement is about, and what else it names.

use crate::kindred::is_known;
use crate::phrase::Word;
use crate::vocabulary::day;
use memoir_event::{MEMORY_ALIASES_MAX, MEMORY_NAME_CHARS_MAX};
use memoir_index::name_stem;

/// A name has at most so many words.
const NAME_WORDS_MAX: usize = 4;
/// One word of so many letters says what a statement is about: `deploys`, but not `test`. Recall weighs how ordinary it is.
const SUBJECT_CHARS_MIN: usize = 5;
/// So many further names are taken from a text.
const ALIASES_FOUND_MAX: usize = 8;

/// Words that begin what is said about a subject.
const VERBS: [&str; 56] = [
    "is", "are", "was", "were", "be", "has", "have", "had", "go", "goes", "went", "use", "uses", "used", "run", "runs",
    "live", "lives", "must", "should", "shall", "can", "cannot", "may", "will", "would", "need", "needs", "want",
    "wants", "prefer", "prefers", "like", "likes", "happen", "happens", "fail", "fails", "work", "works", "take",
    "takes", "come", "comes", "belong", "belongs", "mean", "means", "require", "requires", "expect", "expects", "do",
    "does", "never", "always",
];

/// Words that only lead up to a subject.
const LEADS: [&str; 33] = [
    "the", "a", "an", "our", "my", "your", "their", "his", "her", "its", "this", "that", "these", "those", "all",
    "every", "each", "any", "we", "i", "you", "they", "don't", "dont", "not", "never", "always", "please", "now",
    "from", "on", "remember", "that",
];

/// Words that some thing is called and that say much else, too.
const EVERYDAY: [&str; 22] = [
    "make", "just", "go", "rust", "swift", "yarn", "bun", "fish", "solid", "ember", "spring", "express", "parcel",
    "nose", "black", "rest", "linear", "teams", "moment", "cursor", "edge", "drone",
];

/// Whether a word is a name by itself: whoever says it means that thing, and no other. A word of everyday is not, nor is
/// what half of all statements name.
pub(crate) fn tells_by_itself(name: &str) -> bool {
    let name = name.trim();
    if name.split_whitespace().count() > 1 {
        return name.chars().count() >= 4;
    }
    let lower = name.to_lowercase();
    let is_marked =
        name.chars().any(|c| c.is_ascii_digit() || matches!(c, '/' | '.' | '_' | ':' | '-' | '@' | '+' | '#'));
    let has_inner_capital = name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    let is_plain = name.chars().all(char::is_alphabetic);
    // `PR`, `API`, `CI`: short for what everybody has.
    let is_short_form = is_plain && name.chars().count() <= 4 && name.chars().all(char::is_uppercase);
    let cannot_be_said = name.is_ascii() && !lower.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    // Written in small letters it is that word; with a capital inside a sentence it is a name.
    let is_everyday = EVERYDAY.contains(&lower.as_str()) && (name == lower || name.chars().count() < 3);
    let is_name = name.chars().next().is_some_and(char::is_uppercase) && name.chars().count() >= 3;
    let is_day = day(&Word::little(&lower)).is_some();
    let says_something = is_marked || has_inner_capital || cannot_be_said || is_known(&lower) || is_name;
    says_something && !is_short_form && !is_day && !is_everyday && name_stem(name).is_some()
}

/// What a statement is about: its first words, up to the verb. One word of everyday says too little: then what is said of
/// it belongs to its name.
pub fn name_of(text: &str) -> String {
    let is_end = |(at, c): (usize, char)| {
        let goes_on =
            text.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric);
        matches!(c, '\n' | ';' | ',' | '!' | '?')
            || (matches!(c, '.' | ':') && !goes_on && !text.get(at..).unwrap_or_default().starts_with("./"))
    };
    let mut from = 0;
    let mut sentence = "";
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        if at == text.len() || is_end((at, c)) {
            sentence = text.get(from..at).unwrap_or_default().trim();
            from = at + c.len_utf8();
            if sentence.chars().any(char::is_alphanumeric) {
                break;
            }
        }
    }
    let sentence = sentence.replace('`', "");
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let is =
        |list: &[&str], word: &str| list.contains(&word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()));
    let led: Vec<&str> = words.iter().copied().skip_while(|word| is(&LEADS, word)).collect();
    let subject: Vec<&str> = led.iter().copied().take_while(|word| !is(&VERBS, word)).collect();
    let rest = || words.iter().copied().filter(|word| !is(&LEADS, word) && !is(&VERBS, word)).collect();
    let subject: Vec<&str> = if subject.is_empty() { rest() } else { subject };
    let name = ended(subject);
    let is_subject = name.chars().count() >= SUBJECT_CHARS_MIN && !EVERYDAY.contains(&name.to_lowercase().as_str());
    let name = if name.split(' ').count() > 1 || is_subject || tells_by_itself(&name) { name } else { ended(led) };
    name.chars().take(MEMORY_NAME_CHARS_MAX).collect()
}

/// The first words, without little ones at the end: they belong to what follows.
fn ended(words: Vec<&str>) -> String {
    let said: Vec<&str> = words.into_iter().take(NAME_WORDS_MAX).collect();
    let end = said.iter().rposition(|word| name_stem(word).is_some()).map_or(said.len(), |at| at + 1);
    trimmed(&said.get(..end).unwrap_or_default().join(" ")).to_owned()
}

/// A name without the marks around it; what begins a path stays.
fn trimmed(name: &str) -> &str {
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '+' && c != '#');
    name.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '@'))
}

/// What else a statement names: things in quotes, code, and words written with a capital inside a sentence; each only if
/// it tells by itself.
pub fn aliases_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = trimmed(name);
        let is_new = !found.iter().any(|known| known.eq_ignore_ascii_case(name));
        let fits = (2..=MEMORY_NAME_CHARS_MAX).contains(&name.chars().count());
        if fits && is_new && tells_by_itself(name) {
            found.push(name.to_owned());
        }
    };
    for quoted in text.split('`').skip(1).step_by(2) {
        add(quoted);
    }
    let mut begins_sentence = true;
    for word in text.split_whitespace() {
        let bare = trimmed(word);
        let bare = bare.strip_suffix("'s").unwrap_or(bare);
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let inside = bare.get(bare.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
        let is_code = inside.contains(['_', '/', '.', ':']) || inside.chars().any(char::is_uppercase);
        if is_code || (capital && !begins_sentence) {
            add(bare);
        }
        begins_sentence = word.ends_with(['.', '!', '?', ':']);
    }
    found.truncate(ALIASES_FOUND_MAX.min(MEMORY_ALIASES_MAX));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_statement_is_named_after_its_subject() {
        for (text, name) in [
            ("deploys go through ./ship, never kubectl", "deploys"),
            ("The staging database is on port 5433", "staging database"),
            ("We use pnpm", "pnpm"),
            ("Uses Biome for linting and formatting.", "Biome for linting"),
            ("integration tests need Docker", "integration tests"),
            ("don't push to main", "push to main"),
            ("now deploys go through ./ship", "deploys"),
            ("Run `make` before every commit", "make before commit"),
            ("see src/auth.rs: it is generated", "see src/auth.rs"),
            ("the API is slow", "API is slow"),
            ("", ""),
        ] {
            assert_eq!(name_of(text), name, "{text}");
        }
    }

    #[test]
    fn what_a_statement_names_is_another_name_for_it() {
        assert_eq!(aliases_in("deploys go through ./ship, never kubectl"), ["./ship"]);
        assert_eq!(
            aliases_in("Run `cargo xtask ci` before a PR to the API. Then tell Mara."),
            ["cargo xtask ci", "Mara"]
        );
        assert_eq!(aliases_in("see src/auth.rs and getUser"), ["src/auth.rs", "getUser"]);
    }

    #[test]
    fn a_word_of_everyday_is_no_name() {
        for text in
            ["Run `make` and `test` in Go on Fridays", "the API and the CI are one", "just `use` it, NOT `ship`"]
        {
            assert_eq!(aliases_in(text), [""; 0], "{text}");
        }
        for text in ["we use make", "Run `make` often", "use it often", "the API is slow", "test first"] {
            let name = name_of(text);
            assert!(!["make", "use", "API", "test"].contains(&name.as_str()), "{text}: {name}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_named(text in ".*") {
            prop_assert!(name_of(&text).chars().count() <= MEMORY_NAME_CHARS_MAX);
            prop_assert!(aliases_in(&text).len() <= MEMORY_ALIASES_MAX);
        }
    }
}
