//! Orders to the client itself, such as `/status`, and what only looks like one: a path in a sentence.

/// Where a text stands: that tells which orders may be among the user's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stand {
    /// As it was typed, before the client looked at it: orders stand there as they are.
    Typed,
    /// In what the client sent on. It takes orders itself, as a rule: what is left is the user's words.
    Sent,
    /// In files of a client that puts marks around every order that it takes.
    Marked,
}

/// More words than an order has after its name, where in doubt they are the user's.
const ARGUMENTS_MAX: usize = 2;

/// What makes a sentence of the words before it.
const VERBS: [&str; 23] = [
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "can", "could", "should", "will", "would",
    "must", "may", "might", "isn't", "doesn't", "didn't", "won't", "can't",
];

/// So many words behind a path may stand before its verb: an order may have one further on.
const SUBJECT_WORDS: usize = 1;

/// `/status`, `/hello world`: an order to the client, as it was typed.
pub(super) fn slash_command(text: &str, stand: Stand) -> Option<String> {
    let (name, arguments) = text.strip_prefix('/')?.split_once(char::is_whitespace).unwrap_or((&text[1..], ""));
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'));
    let is_order = is_name
        && text.lines().count() <= 3
        && match stand {
            _ if arguments.trim().is_empty() => true,
            Stand::Typed => !is_sentence(arguments),
            Stand::Sent => !is_sentence(arguments) && !may_be_sentence(arguments),
            Stand::Marked => false,
        };
    is_order.then(|| text.to_owned())
}

/// Whether the words behind a path make a sentence of it: there is a verb, or more than one clause.
fn is_sentence(words: &str) -> bool {
    let has_verb = words.split_whitespace().take(SUBJECT_WORDS + 1).any(|word| {
        let word = word.trim_end_matches([',', '.', '?', '!']);
        VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb))
    });
    let is_ended = words.trim_end().ends_with(['.', '?', '!', '。', '？', '！']);
    let has_clauses = [", ", "; ", ". ", "? ", "! ", " - ", "，"].iter().any(|mark| words.contains(mark));
    has_verb || is_ended || has_clauses
}

/// Whether they may: they are many, or what comes first may be a verb.
fn may_be_sentence(words: &str) -> bool {
    let first = words.split_whitespace().next().unwrap_or_default();
    let is_verb =
        first.len() > 3 && first.chars().all(char::is_alphabetic) && (first.ends_with('s') || first.ends_with("ed"));
    is_verb || words.split_whitespace().count() > ARGUMENTS_MAX
}
