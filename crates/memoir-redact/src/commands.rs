//! Secrets on command lines: `curl -u user:pass`, `mysql -pSECRET`, `sshpass -p x`, `docker login -p x`, and `.pgpass`.

use crate::entropy;
use crate::headers;
use crate::scan::{Rank, Scan};
use crate::value;

/// How much of a command is read.
const COMMAND_BYTES_MAX: usize = 2048;
/// How far before a word of SQL its statement is looked for.
const STATEMENT_BYTES_MAX: usize = 160;

/// One word of a command line.
struct Word {
    start: usize,
    end: usize,
}

/// Splits a command into words: up to the line's end, over `\` continuations, quotes kept as one word.
fn words(text: &[u8], from: usize) -> Vec<Word> {
    let limit = text.len().min(from + COMMAND_BYTES_MAX);
    let mut out = Vec::new();
    let mut pos = from;
    while pos < limit {
        match text[pos] {
            b' ' | b'\t' => pos += 1,
            b'\\' if matches!(text.get(pos + 1), Some(b'\n' | b'\r')) => pos += 2,
            b'\\' if text[pos..limit].starts_with(b"\\\\\\n") => pos += 4,
            b'\\' if text[pos..limit].starts_with(b"\\\\n") => pos += 3,
            b'\n' | b'\r' | b'|' | b';' | b'`' => break,
            _ => {
                let start = pos;
                let mut quote = 0;
                while pos < limit {
                    let b = text[pos];
                    let escaped = pos > start && text[pos - 1] == b'\\';
                    match b {
                        b'"' | b'\'' if quote == 0 => quote = b,
                        _ if b == quote && !escaped => quote = 0,
                        b'"' if quote == b'"' && escaped => quote = 0,
                        b'\n' => break,
                        b' ' | b'\t' | b';' | b'|' if quote == 0 => break,
                        _ => {}
                    }
                    pos += 1;
                }
                out.push(Word { start, end: pos });
                if pos < limit && matches!(text[pos], b';' | b'|') {
                    break;
                }
            }
        }
    }
    out
}

/// `-u user:pass`, `--user`, `-b cookie`, `--cookie`, also of wget and HTTPie.
pub(crate) fn curl_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if at < scan.command_done || at > 0 && text[at - 1].is_ascii_alphanumeric() && !crate::boundary::starts_at(text, at)
    {
        return;
    }
    let word = text[at..].iter().take(8).take_while(|b| b.is_ascii_alphanumeric()).count();
    if !matches!(&text[at..at + word], b"curl" | b"wget" | b"http" | b"https" | b"xh")
        || !matches!(text.get(at + word), Some(b' ' | b'\\'))
    {
        return;
    }
    let words = words(text, at + word);
    scan.command_done = words.last().map_or(at + word, |w| w.end);
    for (i, w) in words.iter().enumerate() {
        let flag = &text[w.start..w.end];
        let next = words.get(i + 1);
        match flag {
            b"-u" | b"--user" | b"--proxy-user" | b"-U" | b"-a" | b"--auth" => {
                if let Some(n) = next {
                    user_password(scan, n.start, n.end);
                }
            }
            b"-b" | b"--cookie" => {
                if let Some(n) = next {
                    let skip = text[n.start..n.end].iter().take_while(|b| matches!(b, b'\\' | b'"' | b'\'')).count();
                    headers::cookie_value(scan, n.start + skip);
                }
            }
            _ if flag.starts_with(b"--user=") => user_password(scan, w.start + 7, w.end),
            _ if flag.starts_with(b"-u") && flag.len() > 4 && flag.contains(&b':') => {
                user_password(scan, w.start + 2, w.end)
            }
            _ => {}
        }
    }
}

/// `user:pass`, quoted as a whole or in part.
fn user_password(scan: &mut Scan<'_>, start: usize, end: usize) {
    let text = scan.bytes;
    let Some(colon) = memchr::memchr(b':', &text[start..end]) else { return };
    if text[start..end].contains(&b'<') {
        return;
    }
    let mut from = start + colon + 1;
    let mut to = end;
    while from < to && matches!(text[from], b'\'' | b'"' | b'\\') {
        from += 1;
    }
    while to > from && matches!(text[to - 1], b'\'' | b'"' | b'\\' | b')' | b',') {
        to -= 1;
    }
    let v = &text[from..to];
    if v.is_empty() {
        // `curl -u key:` sends an API key as the user.
        let user = text[start..start + colon].trim_ascii_start();
        let skip = user.iter().take_while(|b| matches!(b, b'\'' | b'"' | b'\\')).count();
        let key = &user[skip..];
        if entropy::looks_random(key, 8) || key.len() >= 10 && entropy::Mix::of(key).seams > 1 {
            scan.hit(start + skip, start + colon, "password", Rank::Named);
        }
        return;
    }
    const WORDS: &[&[u8]] = &[b"token", b"password", b"apikey", b"api_key", b"api_token", b"your_password"];
    let user = text[start..start + colon].trim_ascii();
    let quotes = |b: &u8| matches!(b, b'\'' | b'"' | b'\\');
    let user = &user[user.iter().take_while(|b| quotes(b)).count()..];
    let literal = !value::is_placeholder(v)
        && !value::is_teaching_pair(user, v)
        && !WORDS.iter().any(|w| v.eq_ignore_ascii_case(w));
    let variable = v.starts_with(b"$") && v.len() > 1;
    if !v.is_empty() && literal && !variable && !v.starts_with(b"//") {
        scan.hit(from, to, "password", Rank::Named);
    }
}

/// `mysql -pSECRET`, `sshpass -p x`, `redis-cli -a x`, `mongo -p x`, `ldapsearch -w x`.
pub(crate) fn short_flag_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if at > 0 && text[at - 1].is_ascii_alphanumeric() && !crate::boundary::starts_at(text, at) {
        return;
    }
    let len = text[at..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
    if text.get(at + len) != Some(&b' ') {
        return;
    }
    let (flag, glued, spaced): (&[u8], bool, bool) = match &text[at..at + len] {
        b"mysql" | b"mysqldump" | b"mysqladmin" | b"mysqlimport" | b"mariadb" | b"mariadb-dump" | b"mysqlsh"
        | b"mysqlshow" | b"mysqlcheck" => (b"-p", true, false),
        b"sshpass" => (b"-p", true, true),
        b"redis-cli" => (b"-a", false, true),
        b"mongo" | b"mongosh" | b"mongodump" | b"mongorestore" => (b"-p", true, true),
        b"ldapsearch" | b"ldapadd" | b"ldapmodify" | b"ldapwhoami" | b"ldapdelete" => (b"-w", false, true),
        b"plink" => (b"-pw", false, true),
        _ => return,
    };
    let words = words(text, at + len);
    for (i, w) in words.iter().enumerate() {
        let word = &text[w.start..w.end];
        if glued && word.starts_with(flag) && word.len() > flag.len() && !word.starts_with(b"--") {
            plain(scan, w.start + flag.len(), w.end);
            return;
        }
        if spaced && word == flag {
            if let Some(n) = words.get(i + 1) {
                plain(scan, n.start, n.end);
            }
            return;
        }
    }
}

/// `docker login -u x -p y`, `az login -p`, `podman login -p`.
pub(crate) fn login_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let end = at + 4;
    if at < 2 || !matches!(text[at - 1], b'l') || text[at - 2] != b' ' || text.get(end) != Some(&b' ') {
        return;
    }
    let words = words(text, end);
    for pair in words.windows(2) {
        if &text[pair[0].start..pair[0].end] == b"-p" {
            plain(scan, pair[1].start, pair[1].end);
        }
    }
}

/// `openssl … -passin pass:x`, `-passout pass:x`: the kind of source stays.
pub(crate) fn openssl_at(scan: &mut Scan<'_>, at: usize) {
    let rest = &scan.bytes[at..];
    let flag = rest.iter().take(16).take_while(|b| b.is_ascii_lowercase() || **b == b'-').count();
    if !matches!(&rest[..flag], b"-pass" | b"-passin" | b"-passout") {
        return;
    }
    let gap = rest[flag..].iter().take(8).take_while(|b| b" \t=\"',\\".contains(b)).count();
    let start = at + flag + gap + b"pass:".len();
    if gap == 0 || !rest[flag + gap..].starts_with(b"pass:") {
        return;
    }
    let quote = scan.bytes[at + flag..start].iter().rev().find(|b| matches!(b, b'"' | b'\'')).copied();
    let end = scan.bytes[start..]
        .iter()
        .take(COMMAND_BYTES_MAX)
        .position(|&b| b == b'\n' || quote.map_or(b.is_ascii_whitespace() || b";|&\"'`".contains(&b), |q| b == q))
        .unwrap_or(scan.bytes.len().min(start + COMMAND_BYTES_MAX) - start);
    plain(scan, start, start + end);
}

/// `htpasswd -b FILE USER PASSWORD`, and `-nb USER PASSWORD`.
pub(crate) fn htpasswd_at(scan: &mut Scan<'_>, at: usize) {
    const NAME: &[u8] = b"htpasswd ";
    let text = scan.bytes;
    if !text[at..].starts_with(NAME) {
        return;
    }
    let (mut batch, mut to_stdout, mut cost) = (false, false, false);
    let mut place = 0;
    for w in words(text, at + NAME.len()) {
        let word = &text[w.start..w.end];
        if let Some(flags) = word.strip_prefix(b"-").filter(|_| place == 0) {
            batch |= flags.contains(&b'b');
            to_stdout |= flags.contains(&b'n');
            cost = matches!(flags.last(), Some(b'C' | b'r'));
            continue;
        }
        if std::mem::take(&mut cost) && word.iter().all(u8::is_ascii_digit) {
            continue;
        }
        place += 1;
        if batch && place == if to_stdout { 2 } else { 3 } {
            return plain(scan, w.start, w.end);
        }
    }
}

/// `CREATE USER … IDENTIFIED BY '…'`, also `IDENTIFIED WITH plugin BY '…'`, and without quotes.
pub(crate) fn identified_by_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let Some(start) = at.checked_sub(6).filter(|&s| text[s..at].eq_ignore_ascii_case(b"identi")) else { return };
    let from = start.saturating_sub(STATEMENT_BYTES_MAX);
    let before = text[from..start].to_ascii_lowercase();
    let statement =
        [&b"create user"[..], b"alter user", b"grant ", b"create role"].iter().any(|w| entropy::contains(&before, w));
    let words = words(text, at + 4);
    let is = |w: &Word, word: &[u8]| text[w.start..w.end].eq_ignore_ascii_case(word);
    let by = words.iter().take(3).position(|w| is(w, b"by") || is(w, b"as"));
    let Some(by) = by.filter(|&by| if by == 0 { is(&words[0], b"by") } else { is(&words[0], b"with") }) else { return };
    let Some(value) = words[by + 1..].iter().find(|w| !is(w, b"password") && !is(w, b"values")) else { return };
    let lead = text[value.start..value.end].iter().take_while(|&&b| b == b'\\').count();
    let from = value.start + lead + 1;
    match text.get(value.start + lead) {
        Some(quote @ (b'\'' | b'"')) if statement || text[start].is_ascii_uppercase() => {
            let len = text[from..value.end].iter().position(|b| b == quote).unwrap_or(value.end - from);
            plain(scan, from, from + len);
        }
        Some(_) if statement && is_word_value(&text[value.start..value.end]) => plain(scan, value.start, value.end),
        _ => {}
    }
}

/// A password that Oracle takes without quotes.
fn is_word_value(v: &[u8]) -> bool {
    v.len() >= 4 && v.iter().all(|b| b.is_ascii_alphanumeric() || b"_#$".contains(b))
}

fn plain(scan: &mut Scan<'_>, start: usize, end: usize) {
    let text = scan.bytes;
    let (mut from, mut to) = (start, end);
    while from < to && matches!(text[from], b'\'' | b'"' | b'\\') {
        from += 1;
    }
    while to > from && matches!(text[to - 1], b'\'' | b'"' | b'\\' | b',') {
        to -= 1;
    }
    let v = &text[from..to];
    if v.len() >= 2 && !value::is_placeholder(v) && !v.starts_with(b"-") && !v.starts_with(b"$") {
        scan.hit(from, to, "password", Rank::Named);
    }
}

/// A `.pgpass` line: `host:port:database:user:password`.
pub(crate) fn pgpass_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let from = text[..at]
        .iter()
        .rev()
        .take(256)
        .position(|&b| b == b'\n' || b == b' ')
        .map_or(at.saturating_sub(256), |n| at - n);
    let to = text[at..]
        .iter()
        .take(512)
        .position(|b| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'\\'))
        .map_or(text.len().min(at + 512), |n| at + n);
    let line = &text[from..to];
    let mut fields = line.splitn(5, |&b| b == b':');
    let (Some(host), Some(port), Some(db), Some(user), Some(secret)) =
        (fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return;
    };
    let port_ok = port == b"*" || !port.is_empty() && port.len() <= 5 && port.iter().all(u8::is_ascii_digit);
    let name = |f: &[u8]| !f.is_empty() && f.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.*".contains(b));
    if port_ok
        && name(host)
        && name(db)
        && name(user)
        && secret.len() >= 4
        && !value::is_placeholder(secret)
        && !db.iter().all(u8::is_ascii_digit)
    {
        scan.hit(to - secret.len(), to, "password", Rank::Named);
    }
}

/// `ConvertTo-SecureString "x" -AsPlainText`.
pub(crate) fn secure_string_at(scan: &mut Scan<'_>, at: usize) {
    let rest = &scan.bytes[at..];
    if !rest.starts_with(b"SecureString ") || !scan.bytes[..at].ends_with(b"ConvertTo-") {
        return;
    }
    let words = words(scan.bytes, at + 13);
    let value = words.iter().find(|w| matches!(scan.bytes[w.start], b'"' | b'\''));
    if let Some(w) = value {
        plain(scan, w.start, w.end);
    }
}
