//! Names and their values: `DB_PASSWORD=…`, `"api_key": "…"`, `password => '…'`, `--token …`, `<password>…</password>`.

mod judge;
mod separator;

use judge::Written;
use separator::{Sep, read, separator};

use crate::names::{self, NAME_BYTES_MAX, Named};
use crate::scan::{Rank, Scan};
use crate::value::{self, Value};
use crate::{boundary, context, entropy, headers};

pub(crate) use separator::skip_blanks;

/// A name in the text.
#[derive(Clone, Copy)]
pub(crate) struct Name {
    pub start: usize,
    pub end: usize,
}

/// How far around a name and its value a line is read.
const LEAD_BYTES_MAX: usize = 96;

/// Looks at the name around `at`.
pub(crate) fn at(scan: &mut Scan<'_>, at: usize) {
    if at < scan.name_done {
        return;
    }
    let name = name_around(scan.bytes, at);
    scan.name_done = name.end.max(at + 1);
    let Some(word) = scan.text.get(name.start..name.end) else { return };
    if word.len() >= 24 && !word.contains(['_', '-', '.']) && entropy::looks_random(word.as_bytes(), 24) {
        return;
    }
    let named = names::classify(word);
    let done = match named {
        Named::Plain => false,
        Named::Authorization => headers::authorization(scan, name),
        Named::Cookie => headers::cookie(scan, name),
        _ => assignment(scan, name, named),
    };
    if !done {
        context::after(scan, name, named);
    }
}

/// Looks at `private` and `access`, which mean something only beside a provider's name.
pub(crate) fn word_at(scan: &mut Scan<'_>, at: usize) {
    if at < scan.name_done {
        return;
    }
    let name = name_around(scan.bytes, at);
    let Some(word) = scan.text.get(name.start..name.end) else { return };
    if word.len() >= 24 && entropy::looks_random(word.as_bytes(), 24) {
        return;
    }
    if names::classify(word) != Named::Plain {
        return self::at(scan, at);
    }
    scan.name_done = name.end.max(at + 1);
    context::after(scan, name, Named::Plain);
}

/// The name around `at`: letters, digits, `_`, and `-` or `.` between words.
fn name_around(text: &[u8], at: usize) -> Name {
    let mut start = at;
    while start > 0 && at - start < NAME_BYTES_MAX {
        let b = text[start - 1];
        let joins = b.is_ascii_alphanumeric() || b == b'_';
        let links = matches!(b, b'-' | b'.') && start >= 2 && text[start - 2].is_ascii_alphanumeric();
        if !joins && !links || joins && start < at && b.is_ascii_alphabetic() && starts_after_escape(text, start) {
            break;
        }
        start -= 1;
    }
    if starts_after_escape(text, start + 1) {
        start += 1;
    }
    let mut end = at;
    while end < text.len() && end - at < NAME_BYTES_MAX {
        let b = text[end];
        if b.is_ascii_alphanumeric() || b == b'_' {
            end += 1;
            continue;
        }
        let segment = text[end + 1..].iter().take(20).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let word = matches!(b, b'-' | b'.')
            && (1..16).contains(&segment)
            && text[end + 1..end + 1 + segment].iter().all(|b| b.is_ascii_alphabetic() || *b == b'_');
        if !word {
            break;
        }
        end += 1 + segment;
    }
    Name { start, end }
}

/// Whether what ends before `at` is an escape (`\n`) or a colour, and a word starts here.
fn starts_after_escape(text: &[u8], at: usize) -> bool {
    at > 0 && at <= text.len() && (text[at - 1].is_ascii_alphanumeric()) && boundary::starts_at(text, at)
}

/// Redacts the value of `name`, if it has one that is a secret. False if there was no value to judge.
fn assignment(scan: &mut Scan<'_>, name: Name, named: Named) -> bool {
    let Some((sep, at)) = separator(scan.bytes, name) else { return false };
    let Some(value) = read(scan.bytes, sep, at) else { return false };
    let word = scan.text.get(name.start..name.end).unwrap_or("");
    // What follows a marker is judged alone: the marker does not cover it.
    let bytes = value::after_markers(&scan.bytes[value.start..value.end]);
    // `sk-abc...`: somebody has already cut it.
    if !value.quoted && named != Named::Password && scan.bytes[value.end..].starts_with(b"..") {
        return false;
    }
    let named = match named {
        // A path is judged, and found to be the working directory.
        Named::Pwd if value::is_path(bytes) => return true,
        Named::Pwd => Named::Password,
        other => other,
    };
    let flag = name.start > 0 && scan.bytes[name.start - 1] == b'-';
    if judge::is_secret(
        named,
        sep,
        bytes,
        value.quoted,
        Written { word, flag, ini: is_ini(scan.bytes, name, value), config: is_config(scan.bytes, name, value) },
    ) && !is_call(scan.bytes, name, sep, value)
    {
        let before = scan.hits.len();
        scan.hit(value.start, value.end, named.rule(), Rank::Named);
        if scan.hits.len() > before {
            // Names inside it go with it.
            scan.name_done = scan.name_done.max(value.end);
        }
        return true;
    }
    false
}

/// `connect(password=secret, host=h)`: an argument that is an identifier.
fn is_call(text: &[u8], name: Name, sep: Sep, value: Value) -> bool {
    if value.quoted || sep != Sep::Tight || !value::is_code(&text[value.start..value.end]) {
        return false;
    }
    let before = text[..name.start].iter().rev().find(|b| !b.is_ascii_whitespace());
    let after = text.get(value.end);
    matches!(before, Some(b'(' | b',')) || matches!(after, Some(b')'))
}

/// `password: word` as a settings file has it: alone on its line, and no list of fields or arguments around it.
fn is_config(text: &[u8], name: Name, value: Value) -> bool {
    if value.quoted || text[name.end..value.start].trim_ascii() != b":" {
        return false;
    }
    let from = name.start.saturating_sub(LEAD_BYTES_MAX);
    let line_start = memchr::memrchr(b'\n', &text[from..name.start]).map_or(from, |n| from + n + 1);
    let lead = text[line_start..name.start].trim_ascii();
    if !matches!(lead, b"" | b"-" | b"+" | b"- -" | b"+ -" | b"export" | b"set") {
        return false;
    }
    let to = text.len().min(value.end + LEAD_BYTES_MAX);
    let line_end = memchr::memchr(b'\n', &text[value.end..to]).map_or(to, |n| value.end + n);
    let rest = text[value.end..line_end].trim_ascii();
    let above = text[line_start.saturating_sub(LEAD_BYTES_MAX)..line_start].trim_ascii_end().last();
    let below = text[line_end..text.len().min(line_end + LEAD_BYTES_MAX)].trim_ascii_start().first();
    (rest.is_empty() || rest.starts_with(b"#"))
        && !matches!(above, Some(b',' | b'{' | b'(' | b';' | b'[' | b'|' | b'&'))
        && !matches!(below, Some(b'}' | b')' | b']' | b','))
}

/// `user = x` and below it `password = y`, each alone on its line: a file of settings, where any word is a value.
fn is_ini(text: &[u8], name: Name, value: Value) -> bool {
    if value.quoted
        || name.start == 0
        || text[name.start - 1] != b'\n'
        || !matches!(text.get(value.end), None | Some(b'\n' | b'\r'))
    {
        return false;
    }
    let above = &text[name.start.saturating_sub(160)..name.start];
    above.split(|&b| b == b'\n').any(|line| {
        let user = line.strip_prefix(b"username").or(line.strip_prefix(b"user")).or(line.strip_prefix(b"login"));
        user.is_some_and(|rest| {
            rest.trim_ascii_start().starts_with(b"=")
                && rest.len() < 48
                && !rest.contains(&b'(')
                && !rest.contains(&b'.')
        })
    })
}
