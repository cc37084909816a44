//! What memories are called, and whether a query calls them: whole names and aliases, most of a name, a slip in a word.

use memoir_index::{SLIP_CHARS_MIN, name_stem};

/// Most of a name is this share of its words.
const MOST: f32 = 0.6;
/// How much a name counts of which only most was said.
const MOST_WORTH: f32 = 0.7;
/// A slip of the finger leaves so many letters at the beginning alone.
const SLIP_PREFIX_CHARS: usize = 2;

/// A name of one of several memories, found in a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Called {
    /// Which memory.
    pub memory: usize,
    /// Where in the query, by its words: from and to.
    pub at: (usize, usize),
}

/// Which of the memories a query calls, each with the best of its names, from 0 to 1.
///
/// What was said whole is not also a part of something else: "CI pipeline" does not call what is named "functional
/// pipeline".
pub(crate) fn called(query: &str, memories: &[Vec<&str>]) -> Vec<f32> {
    let as_typed = called_in(&words_of(query), memories, &words_of);
    let apart = |text: &str| words_of(&with_parts_apart(text));
    let split = called_in(&apart(query), memories, &apart);
    as_typed.into_iter().zip(split).map(|(a, b)| a.max(b)).collect()
}

fn called_in(words: &[NameWord], memories: &[Vec<&str>], words_of: &dyn Fn(&str) -> Vec<NameWord>) -> Vec<f32> {
    let of_memory =
        |names: &Vec<&str>| names.iter().map(|name| words_of(name)).filter(|name| !name.is_empty()).collect();
    let names: Vec<Vec<Vec<NameWord>>> = memories.iter().map(of_memory).collect();
    let mut whole: Vec<Called> = Vec::new();
    for (memory, names) in names.iter().enumerate() {
        for name in names {
            whole.extend(find_whole(words, name).into_iter().map(|at| Called { memory, at }));
        }
    }
    let worth = |memory: usize, names: &Vec<Vec<NameWord>>| {
        if whole.iter().any(|one| one.memory == memory) {
            return 1.0;
        }
        let is_free = |at: usize| !whole.iter().any(|one| (one.at.0..one.at.1).contains(&at));
        let most = names.iter().map(|name| share_said(words, name, &is_free)).fold(0.0, f32::max);
        if most >= MOST { most * MOST_WORTH } else { 0.0 }
    };
    names.iter().enumerate().map(|(memory, names)| worth(memory, names)).collect()
}

/// A word of a name or a query, as it is typed and as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NameWord {
    typed: String,
    stem: String,
}

/// The words of a text, little ones left out.
fn words_of(text: &str) -> Vec<NameWord> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter_map(|word| Some(NameWord { typed: word.to_lowercase(), stem: name_stem(word)? })).collect()
}

/// With a blank where a capital follows a small letter.
fn with_parts_apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before_small = false;
    for c in text.chars() {
        if before_small && c.is_uppercase() {
            out.push(' ');
        }
        before_small = c.is_lowercase() || c.is_numeric();
        out.push(c);
    }
    out
}

/// Where all words of a name stand one after another.
fn find_whole(words: &[NameWord], name: &[NameWord]) -> Vec<(usize, usize)> {
    let starts = 0..(words.len() + 1).saturating_sub(name.len());
    starts
        .filter(|at| name.iter().zip(words.iter().skip(*at)).all(|(wanted, word)| is_same_word(wanted, word)))
        .map(|at| (at, at + name.len()))
        .collect()
}

/// The share of a name's words that were said, in any order, by words that no other name has.
fn share_said(words: &[NameWord], name: &[NameWord], is_free: &dyn Fn(usize) -> bool) -> f32 {
    let said =
        |wanted: &&NameWord| words.iter().enumerate().any(|(at, word)| is_free(at) && is_same_word(wanted, word));
    // One word of a longer name is not enough to mean it.
    let met = name.iter().filter(said).count();
    if name.len() > 1 && met < 2 { 0.0 } else { met as f32 / name.len().max(1) as f32 }
}

/// Whether two words are the same, but for a slip in longer ones.
fn is_same_word(wanted: &NameWord, word: &NameWord) -> bool {
    if wanted.stem == word.stem {
        return true;
    }
    let (a, b) = (&wanted.typed, &word.typed);
    let (longer, shorter) = (a.chars().count().max(b.chars().count()), a.chars().count().min(b.chars().count()));
    longer >= SLIP_CHARS_MIN
        && shorter + 1 >= SLIP_CHARS_MIN
        && a.chars().take(SLIP_PREFIX_CHARS).eq(b.chars().take(SLIP_PREFIX_CHARS))
        && strsim::damerau_levenshtein(a, b) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(query: &str, memories: &[&[&str]]) -> Vec<f32> {
        called(query, &memories.iter().map(|names| names.to_vec()).collect::<Vec<_>>())
    }

    #[test]
    fn a_name_or_alias_calls_its_memory() {
        let memories: [&[&str]; 2] =
            [&["kubernetes", "k8s"], &["error_handling_explicit", "error handling", "exceptions"]];
        assert_eq!(worth("what's my k8s deploy story?", &memories), [1.0, 0.0]);
        assert_eq!(worth("how do we throw an exception", &memories), [0.0, 1.0]);
        assert_eq!(worth("nothing of the kind", &memories), [0.0, 0.0]);
        assert_eq!(worth("", &memories), [0.0, 0.0]);
    }

    #[test]
    fn a_name_said_whole_keeps_its_words_to_itself() {
        let memories: [&[&str]; 2] = [&["github_actions", "CI pipeline"], &["functional_pipeline", "fp pipeline"]];
        assert_eq!(worth("our CI pipeline is slow", &memories), [1.0, 0.0]);
        assert_eq!(worth("a functional pipeline", &memories), [0.0, 1.0]);
    }

    #[test]
    fn joined_and_parted_spellings_are_one_name() {
        let memories: [&[&str]; 1] = [&["react", "ReactJS", "react.js"]];
        for query in ["REACTJS patterns", "ReactJS", "react.js hooks", "in React"] {
            assert_eq!(worth(query, &memories), [1.0], "{query}");
        }
    }

    #[test]
    fn one_slip_is_forgiven_in_longer_words_only() {
        let memories: [&[&str]; 3] = [&["TypeScript"], &["Mongo"], &["k8s"]];
        assert_eq!(worth("typscript strict mode", &memories), [1.0, 0.0, 0.0]);
        assert_eq!(worth("typsecript config", &memories), [1.0, 0.0, 0.0]);
        assert_eq!(worth("mongod", &memories), [0.0, 1.0, 0.0]);
        assert_eq!(worth("mango pooling", &memories), [0.0, 0.0, 0.0]);
        assert_eq!(worth("k9s pods", &memories), [0.0, 0.0, 0.0]);
        let memories: [&[&str]; 2] = [&["compose"], &["Redis"]];
        assert_eq!(worth("components and readiness probes", &memories), [0.0, 0.0]);
    }
}
