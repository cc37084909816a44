//! Texts in which secrets may have been replaced, made comparable: Codex takes secrets out of the commands that a stream
//! shows, and leaves them in its files and to hooks.

use std::borrow::Cow;

/// What stands where a secret was taken out.
const MARKS: [&str; 2] = ["[REDACTED_SECRET]", "[redacted"];

/// How secrets begin that are known by themselves, and at least so many characters follow.
const BEGINNINGS: [&str; 9] = ["sk-", "AKIA", "ASIA", "ghp_", "gho_", "github_pat_", "glpat-", "xox", "eyJ"];
const BEGUN_CHARS_MIN: usize = 16;

/// What secrets are called, and how long one is at least.
const NAMES: [&str; 9] =
    ["apikey", "api_key", "api-key", "token", "secret", "password", "passwd", "bearer", "authorization"];
const NAMED_CHARS_MIN: usize = 8;

/// The text with a star for each word that is a secret, or stands where one was.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    if !may_hide(text) {
        return Cow::Borrowed(text);
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let (mut out, mut is_named) = (String::with_capacity(text.len()), false);
    for piece in text.split_inclusive(is_end) {
        let word = piece.trim_end_matches(is_end);
        let end = piece.strip_prefix(word).unwrap_or_default();
        let (head, value) = named(word);
        let is_value = is_named || !head.is_empty();
        if hides(word) || is_value && value.chars().count() >= NAMED_CHARS_MIN && !is_name(word) {
            out.push_str(head);
            out.push('*');
        } else {
            out.push_str(word);
        }
        out.push_str(end);
        // `token = "…"`: the name, a sign and an opening quote may stand apart.
        is_named = is_name(word) || is_named && value.trim_matches(['=', ':']).is_empty();
    }
    Cow::Owned(out)
}

/// The name of a secret with its sign, and the rest of the word.
fn named(word: &str) -> (&str, &str) {
    let signs = word.match_indices(['=', ':']).map(|(at, sign)| word.split_at(at + sign.len()));
    signs.into_iter().find(|(head, _)| is_name(head)).unwrap_or(("", word))
}

fn may_hide(text: &str) -> bool {
    let has_name = || {
        let lower = text.to_ascii_lowercase();
        NAMES.iter().any(|name| lower.contains(name))
    };
    MARKS.iter().chain(&BEGINNINGS).any(|sign| text.contains(sign)) || has_name()
}

fn is_name(word: &str) -> bool {
    let word = word.trim_end_matches(['=', ':']).to_ascii_lowercase();
    NAMES.iter().any(|name| word.ends_with(name))
}

fn hides(word: &str) -> bool {
    let follows = |rest: &str| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).count();
    MARKS.iter().any(|mark| word.contains(mark))
        || BEGINNINGS.iter().any(|begin| {
            word.match_indices(begin).any(|(at, _)| follows(word.split_at(at + begin.len()).1) >= BEGUN_CHARS_MIN)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_reads_the_same_with_a_secret_and_where_it_was_taken_out() {
        let mark = "[REDACTED_SECRET]";
        for (whole, taken_out) in [
            ("echo AWS key AKIAIOSFODNN7EXAMPLQ; exit 3", format!("echo AWS key {mark}; exit 3")),
            (
                "curl -H 'Authorization: Bearer abcdefghij.klmnop-q' x",
                format!("curl -H 'Authorization: Bearer {mark}' x"),
            ),
            ("run --token=abcdefgh12 now", format!("run --token={mark} now")),
            ("password = \"hunter2hunter2\" go", format!("password = \"{mark}\" go")),
            ("K=sk-abcdefghijklmnopqrstuvwx/y z", format!("K={mark}/y z")),
        ] {
            assert_eq!(masked(whole), masked(&taken_out));
            assert!(!masked(whole).contains("abcdef"), "{}", masked(whole));
        }
    }

    #[test]
    fn what_hides_nothing_stays_as_it_is() {
        for text in ["git show 0123456789abcdef0123456789abcdef01234567", "cat token.rs", "echo 'the token is: x'"] {
            assert_eq!(masked(text), text);
        }
    }
}
