//! Names and their values: `DB_PASSWORD=…`, `"api_key": "…"`, `password => '…'`, `--token …`, `<password>…</password>`.

use crate::names::{self, NAME_BYTES_MAX, Named};
use crate::scan::{Rank, Scan};
use crate::value::{self, Value};
use crate::{boundary, context, entropy, headers, shape};

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sep {
    /// `=` with no blank around it: shell, `.env`, connection strings, queries.
    Tight,
    /// `=` or `:=` with blanks, `=>`.
    Equals,
    Colon,
    /// `==`, `===`.
    Compare,
    /// `password is 'x'`.
    Is,
    /// `--password x`, `password "x"`.
    Blank,
    /// `"name", "value"`.
    Comma,
    /// `<password>x`.
    Tag,
    /// `| name | value |`.
    Cell,
    /// `name="password" value="x"`, `"name": "password", "value": "x"`.
    NameValue,
}

/// A name in the text.
#[derive(Clone, Copy)]
pub(crate) struct Name {
    pub start: usize,
    pub end: usize,
}

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
    let bytes = &scan.bytes[value.start..value.end];
    // `sk-abc...`: somebody has already cut it.
    if !value.quoted && named != Named::Password && scan.bytes[value.end..].starts_with(b"..") {
        return false;
    }
    let flag = name.start > 0 && scan.bytes[name.start - 1] == b'-';
    if is_secret(named, sep, bytes, value.quoted, Written { word, flag, ini: is_ini(scan.bytes, name, value) })
        && !is_call(scan.bytes, name, sep, value)
    {
        scan.hit(value.start, value.end, named.rule(), Rank::Named);
        return true;
    }
    false
}

/// How the name was written.
#[derive(Clone, Copy)]
struct Written<'n> {
    word: &'n str,
    /// After a dash: a command's flag.
    flag: bool,
    /// On a line of its own, below a line that names the user.
    ini: bool,
}

impl Written<'_> {
    /// An environment variable: no lower-case letter.
    fn is_environment(&self) -> bool {
        self.word.len() > 2 && !self.word.bytes().any(|b| b.is_ascii_lowercase())
    }
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

/// The separator after a name and where the value starts.
fn separator(text: &[u8], name: Name) -> Option<(Sep, usize)> {
    let mut pos = name.end;
    pos += boundary::ansi_len(&text[pos..]);
    let quoted_name = skip_quote(text, &mut pos);
    if quoted_name && text.get(pos) == Some(&b']') {
        pos += 1;
    }
    pos += boundary::ansi_len(&text[pos..]);
    let after_name = pos;
    pos = skip_blanks(text, pos);
    let gap = pos > after_name;
    if text.get(pos) == Some(&b'?') {
        pos += 1;
    }
    let rest = text.get(pos..)?;
    let (sep, len) = match rest {
        [b'=', b'=', b'=', ..] => (Sep::Compare, 3),
        [b'=' | b'!', b'=', ..] => (Sep::Compare, 2),
        [b'=', b'>', ..] => (Sep::Equals, 2),
        [b':', b'=', ..] => (Sep::Equals, 2),
        [b':', b':', ..] => return None,
        [b'=', next, ..] => (if gap || next.is_ascii_whitespace() { Sep::Equals } else { Sep::Tight }, 1),
        [b'%', b'3', b'D' | b'd', ..] => (Sep::Tight, 3),
        [b':', ..] => (Sep::Colon, 1),
        [b'>', ..] if !gap && name.start > 0 && matches!(text[name.start - 1], b'<' | b':') => (Sep::Tag, 1),
        [b',', ..] if quoted_name => (Sep::Comma, 1),
        [b'|', ..] => (Sep::Cell, 1),
        [b'i' | b'I', b's', b' ', ..] if gap => (Sep::Is, 2),
        [b'"' | b'\'', ..] if gap && !quoted_name => (Sep::Blank, 0),
        _ if gap && name.start > 0 && text[name.start - 1] == b'-' => (Sep::Blank, 0),
        _ if gap && is_netrc(text, name) => (Sep::Blank, 0),
        _ if quoted_name => return name_value(text, pos),
        _ => return stated(text, pos),
    };
    if sep == Sep::Comma
        && let Some(found) = name_value(text, pos)
    {
        return Some(found);
    }
    let at = skip_blanks(text, pos + len);
    let at = at + boundary::ansi_len(&text[at..]);
    let at = skip_blanks(text, at);
    if sep == Sep::Colon
        && let Some(assigned) = after_type(text, at)
    {
        return Some((Sep::Equals, assigned));
    }
    Some((sep, at))
}

/// `the password for the user "x" is "y"`: a quoted value after `is`, on the same line.
fn stated(text: &[u8], pos: usize) -> Option<(Sep, usize)> {
    let line = &text[pos..text.len().min(pos + 64)];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let is = memchr::memmem::find(line, b" is ")?;
    let at = pos + is + 4;
    matches!(text.get(at), Some(b'"' | b'\'' | b'`')).then_some((Sep::Is, at))
}

/// `"name": "X", "value": "…"` and `key="X" value="…"`: the value has a name of its own.
fn name_value(text: &[u8], mut pos: usize) -> Option<(Sep, usize)> {
    while pos < text.len()
        && (text[pos].is_ascii_whitespace() || matches!(text[pos], b',' | b'\\' | b'"' | b'\'' | b'n'))
    {
        pos += 1;
    }
    let rest = text.get(pos..)?;
    let word = [&b"value"[..], b"Value", b"content"].into_iter().find(|w| rest.starts_with(w))?;
    pos += word.len();
    skip_quote(text, &mut pos);
    pos = skip_blanks(text, pos);
    matches!(text.get(pos), Some(b'=' | b':')).then(|| (Sep::NameValue, skip_blanks(text, pos + 1)))
}

/// `password: &str = "x"`: where the value after the type starts.
fn after_type(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let len = rest
        .iter()
        .take(40)
        .take_while(|b| {
            b.is_ascii_alphanumeric()
                || matches!(b, b'_' | b'&' | b'<' | b'>' | b'[' | b']' | b'\'' | b'|' | b' ' | b'.' | b':' | b'*')
        })
        .count();
    if len == 0
        || rest[..len].iter().all(u8::is_ascii_digit)
        || !matches!(rest.get(len), Some(b'='))
        || rest[len - 1] != b' '
    {
        return None;
    }
    let at = skip_blanks(text, at + len + 1);
    matches!(text.get(at), Some(b'"' | b'\'' | b'`')).then_some(at)
}

/// `machine h login u password p`, also over several lines.
fn is_netrc(text: &[u8], name: Name) -> bool {
    let from = name.start.saturating_sub(160);
    let before = &text[from..name.start];
    &text[name.start..name.end] == b"password"
        && entropy::contains(before, b"login ")
        && (entropy::contains(before, b"machine ") || entropy::contains(before, b"default"))
}

fn skip_quote(text: &[u8], pos: &mut usize) -> bool {
    let slashes = text[*pos..].iter().take(64).take_while(|&&b| b == b'\\').count();
    if matches!(text.get(*pos + slashes), Some(b'"' | b'\'' | b'`')) {
        *pos += slashes + 1;
        return true;
    }
    false
}

pub(crate) fn skip_blanks(text: &[u8], mut pos: usize) -> usize {
    while pos < text.len() && matches!(text[pos], b' ' | b'\t') {
        pos += 1;
    }
    pos
}

/// Reads the value at `at`.
fn read(text: &[u8], sep: Sep, at: usize) -> Option<Value> {
    let rest = text.get(at..)?;
    if rest.is_empty() || matches!(rest[0], b'\n' | b'\r') {
        return None;
    }
    if sep == Sep::Tag {
        let end = memchr::memchr3(b'<', b'\n', b'>', rest)?;
        return rest[end..].starts_with(b"</").then_some(Value { start: at, end: at + end, quoted: true });
    }
    // String prefixes of Python, Rust, C# and the shell: b"", r#"", @"", $''.
    let lead =
        rest.iter().take(3).take_while(|b| matches!(b, b'b' | b'r' | b'f' | b'u' | b'L' | b'@' | b'$' | b'#')).count();
    for skip in [lead, 0] {
        if let Some(value) = value::quoted(text, at + skip) {
            return Some(value);
        }
    }
    Some(value::unquoted(text, at))
}

/// Whether the value of a name is a secret.
fn is_secret(named: Named, sep: Sep, v: &[u8], quoted: bool, written: Written<'_>) -> bool {
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
