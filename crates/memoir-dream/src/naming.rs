//! Names for memories that were given none: what a statement is about, and what else it names.

use memoir_event::{MEMORY_ALIASES_MAX, MEMORY_NAME_CHARS_MAX};
use memoir_index::name_stem;

/// A name has at most so many words.
const NAME_WORDS_MAX: usize = 4;
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

/// What a statement is about: its first words, up to the verb.
pub fn name_of(text: &str) -> String {
    let sentence = text.split(['\n', '.', ';', ',', ':', '!', '?']).map(str::trim).find(|part| !part.is_empty());
    let words: Vec<&str> = sentence.unwrap_or_default().split_whitespace().collect();
    let is =
        |list: &[&str], word: &str| list.contains(&word.to_lowercase().trim_matches(|c: char| !c.is_alphanumeric()));
    let subject: Vec<&str> =
        words.iter().copied().skip_while(|word| is(&LEADS, word)).take_while(|word| !is(&VERBS, word)).collect();
    let rest = || words.iter().copied().filter(|word| !is(&LEADS, word) && !is(&VERBS, word)).collect();
    let subject: Vec<&str> = if subject.is_empty() { rest() } else { subject };
    // Little words at the end belong to what follows.
    let said: Vec<&str> = subject.into_iter().take(NAME_WORDS_MAX).collect();
    let end = said.iter().rposition(|word| name_stem(word).is_some()).map_or(said.len(), |at| at + 1);
    let name = said.get(..end).unwrap_or_default().join(" ");
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    name.chars().take(MEMORY_NAME_CHARS_MAX).collect()
}

/// What else a statement names: things in quotes, code, and words written with a capital inside a sentence.
pub fn aliases_in(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric());
        let is_new = !found.iter().any(|known| known.eq_ignore_ascii_case(name));
        if name.chars().count() >= 2 && name.chars().count() <= MEMORY_NAME_CHARS_MAX && is_new {
            found.push(name.to_owned());
        }
    };
    for quoted in text.split('`').skip(1).step_by(2) {
        add(quoted);
    }
    let mut begins_sentence = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let shouted = bare.len() >= 2 && bare.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let is_code = bare.contains(['_', '/', '.', ':'])
            || bare.chars().skip(1).any(char::is_uppercase)
            || word.starts_with("./");
        if (is_code || shouted || (capital && !begins_sentence)) && name_stem(bare).is_some() {
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
            ("", ""),
        ] {
            assert_eq!(name_of(text), name, "{text}");
        }
    }

    #[test]
    fn what_a_statement_names_is_another_name_for_it() {
        assert_eq!(aliases_in("deploys go through ./ship, never kubectl"), ["ship"]);
        assert_eq!(
            aliases_in("Run `cargo xtask ci` before a PR to the API. Then tell Mara."),
            ["cargo xtask ci", "PR", "API", "Mara"]
        );
        assert_eq!(aliases_in("see src/auth.rs and getUser"), ["src/auth.rs", "getUser"]);
    }

    proptest! {
        #[test]
        fn any_text_can_be_named(text in ".*") {
            prop_assert!(name_of(&text).chars().count() <= MEMORY_NAME_CHARS_MAX);
            prop_assert!(aliases_in(&text).len() <= MEMORY_ALIASES_MAX);
        }
    }
}
