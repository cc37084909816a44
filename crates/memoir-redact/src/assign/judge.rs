//! Whether the value of a name is a secret, by the name, the separator and the value itself.

use super::separator::Sep;
use crate::names::Named;
use crate::{entropy, shape, value};

/// How the name was written.
#[derive(Clone, Copy)]
pub(super) struct Written<'n> {
    pub word: &'n str,
    /// After a dash: a command's flag.
    pub flag: bool,
    /// On a line of its own, below a line that names the user.
    pub ini: bool,
    /// Alone on a line of a settings file: `password: word`.
    pub config: bool,
}

impl Written<'_> {
    /// An environment variable: no lower-case letter.
    fn is_environment(&self) -> bool {
        self.word.len() > 2 && !self.word.bytes().any(|b| b.is_ascii_lowercase())
    }
}

/// Whether the value of a name is a secret.
pub(super) fn is_secret(named: Named, sep: Sep, v: &[u8], quoted: bool, written: Written<'_>) -> bool {
    // The one documented shape of an AWS secret counts even when it is made of one letter.
    if v.len() == 40 && written.word.to_ascii_lowercase().replace('_', "").ends_with("secretaccesskey") {
        return v.iter().all(|&b| shape::in_class(b'b', b));
    }
    let len_min = if sep == Sep::Tight && named == Named::Password { 2 } else { 4 };
    if value::is_placeholder(v) || v.len() < len_min {
        return false;
    }
    let literal = quoted || sep == Sep::Tag;
    let loose = written.flag || written.is_environment() || sep == Sep::Tight;
    if literal && value::is_prose(v) {
        return false;
    }
    if matches!(named, Named::Token | Named::Weak) && entropy::is_sample(v) {
        return false;
    }
    // `pass` alone is a word of test runners: only a quoted value makes it a password.
    if !literal && matches!(written.word, "pass" | "pw") {
        return false;
    }
    let digits = v.iter().all(u8::is_ascii_digit);
    match named {
        Named::Password => match sep {
            _ if literal => true,
            Sep::Cell => entropy::Mix::of(v).digit > 0 && !value::is_code(v),
            _ if loose => !is_expression(v),
            Sep::Colon if written.config && is_plain_password(v) => true,
            _ if written.ini => !v.contains(&b'.') && !v.contains(&b'(') && !entropy::contains(v, b"pass"),
            _ => !value::is_code(v) && (entropy::Mix::of(v).seams > 0 || digits || has_symbol(v)),
        },
        Named::Secret => match sep {
            Sep::Compare if literal => v.len() >= 6,
            _ if literal => v.len() >= 6 && !digits && !is_label(v),
            _ if loose => v.len() >= 6 && !is_expression(v) && !digits && !is_label(v),
            _ => v.len() >= 6 && !value::is_code(v) && entropy::Mix::of(v).seams > 0,
        },
        Named::Token => {
            let solid = !v.contains(&b' ') && !digits && v.len() >= 8 && entropy::bits(v) > 2.0;
            match sep {
                _ if !solid => false,
                _ if literal => entropy::looks_random(v, 8) || v.len() >= 16 && !is_label(v) && !value::is_code(v),
                _ if loose => {
                    entropy::looks_random(v, 8)
                        || sep == Sep::Tight && entropy::Mix::of(v).seams > 0 && !value::is_code(v) && !is_label(v)
                        || v.len() >= 12 && !is_expression(v) && !is_label(v) && !value::is_code(v)
                }
                _ => entropy::looks_random(v, 10) && !value::is_code(v),
            }
        }
        Named::Weak => {
            matches!(sep, Sep::Tight | Sep::Equals | Sep::Colon | Sep::Comma | Sep::NameValue)
                && entropy::looks_random(v, 16)
                && !entropy::is_uuid(v)
                && !value::is_code(v)
                && !v.contains(&b' ')
                && !entropy::contains(v, b"://")
                && !is_label(v)
        }
        _ => false,
    }
}

/// A word in lower case after `password:`, alone on its line, that is no type, state or field.
fn is_plain_password(v: &[u8]) -> bool {
    const NOT_VALUES: &[&str] = &[
        "str",
        "string",
        "text",
        "char",
        "varchar",
        "bytes",
        "bytea",
        "binary",
        "blob",
        "int",
        "integer",
        "number",
        "bool",
        "boolean",
        "any",
        "unknown",
        "object",
        "uuid",
        "type",
        "field",
        "input",
        "self",
        "this",
        "void",
        "never",
        "none",
        "null",
        "nil",
        "undefined",
        "empty",
        "blank",
        "required",
        "optional",
        "unset",
        "default",
        "yes",
        "no",
        "on",
        "off",
        "true",
        "false",
        "ok",
        "okay",
        "pass",
        "fail",
        "failed",
        "valid",
        "invalid",
        "correct",
        "incorrect",
        "wrong",
        "missing",
        "mismatch",
        "weak",
        "strong",
        "enabled",
        "disabled",
        "expired",
        "changed",
        "unchanged",
        "updated",
        "reset",
        "set",
        "present",
        "absent",
        "ignored",
        "sensitive",
        "secret",
        "hidden",
        "masked",
        "redacted",
        "encrypted",
        "hashed",
        "hash",
        "plain",
        "plaintext",
        "prompt",
        "ask",
        "password",
        "passwd",
        "pwd",
        "token",
        "credentials",
        "username",
        "user",
        "value",
        "example",
        "placeholder",
        "same",
        "above",
        "below",
        "here",
        "see",
        "supported",
        "unsupported",
        "deprecated",
        "protected",
        "readonly",
        "writeonly",
        "nullable",
        "pending",
        "done",
        "todo",
        "tbd",
        "literal",
        "keyof",
        "typeof",
        "readable",
        "random",
        "generated",
        "auto",
        "automatic",
        "external",
        "internal",
        "public",
        "private",
        "anonymous",
        "incorrectly",
    ];
    v.len() >= 4
        && v[0].is_ascii_lowercase()
        && v.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-'))
        && !NOT_VALUES.iter().any(|w| v == w.as_bytes())
}

/// A call, an index, a path of identifiers with dots: an expression even where any word may be a password.
fn is_expression(v: &[u8]) -> bool {
    value::is_code(v) && v.iter().any(|b| matches!(b, b'.' | b'(' | b'[' | b':'))
        || matches!(v, b"None" | b"null" | b"nil" | b"str" | b"self")
}

fn has_symbol(v: &[u8]) -> bool {
    v.iter().any(|b| matches!(b, b'@' | b'!' | b'$' | b'#' | b'%' | b'^' | b'*' | b'+' | b'=' | b'~'))
        && entropy::Mix::of(v).letters() > 0
        && !v.starts_with(b"!")
}

/// `my-app-secret`, `color.primary`, `next_page`: words joined by marks.
fn is_label(v: &[u8]) -> bool {
    let word =
        |s: &[u8]| s.iter().all(|b| b.is_ascii_lowercase()) || s.iter().all(|b| b.is_ascii_digit()) && s.len() < 4;
    let title = |s: &[u8]| !s.is_empty() && s[1..].iter().all(|b| b.is_ascii_lowercase());
    let joined = v.iter().any(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':'));
    joined && v.split(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':')).all(|s| (word(s) || title(s)) && s.len() <= 16)
        || !joined && title(v) && v.len() <= 16 && v.iter().all(u8::is_ascii_alphabetic)
}
