//! Private key blocks: PEM, OpenSSH, PGP, SSH2, PuTTY; whole, cut off, coloured, quoted in a diff or escaped in JSON.

use crate::entropy;
use crate::scan::{Rank, Scan};

const BLOCK_BYTES_MAX: usize = 64 * 1024;
/// Lines without key material that may stand inside a block: headers, blank lines.
const ODD_LINES_MAX: usize = 4;
/// Fewest letters and digits in a block that has both ends: less is no key, but a word put in its place.
const WHOLE_BYTES_MIN: usize = 20;
/// Fewest in a block that was cut off.
const CUT_BYTES_MIN: usize = 8;

/// Looks at `BEGIN … PRIVATE KEY` or `PuTTY-User-Key-File` at `at`.
pub(crate) fn at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let rest = &text[at..];
    if rest.starts_with(b"PuTTY-User-Key-File-") {
        putty(scan, at);
        return;
    }
    if !rest.starts_with(b"BEGIN ") || at < 4 || !text[..at].trim_ascii_end().ends_with(b"---") {
        return;
    }
    let label_end = rest.iter().take(80).position(|&b| b == b'-').unwrap_or(0);
    let label = &rest[..label_end];
    if !entropy::contains(label, b"PRIVATE KEY")
        && !label.starts_with(b"BEGIN AGE ENCRYPTED")
        && !entropy::contains(label, b"OPENVPN STATIC KEY")
    {
        return;
    }
    let dashes = rest[label_end..].iter().take_while(|&&b| b == b'-').count();
    let start = at + label_end + dashes;
    let body = &text[start..text.len().min(start + BLOCK_BYTES_MAX)];
    let (end, least) = match end_marker(body) {
        Some(end) => (start + end, WHOLE_BYTES_MIN),
        None => (start + material(body), CUT_BYTES_MIN),
    };
    let inner = &text[start..end];
    if inner.iter().filter(|b| b.is_ascii_alphanumeric()).count() < least || entropy::contains(inner, b"[redacted:") {
        return;
    }
    let marked = inner.trim_ascii();
    if entropy::is_filler(marked) && marked.len() < 80 || marked.starts_with(b"...") {
        return;
    }
    scan.hit(start, end, "private-key", Rank::Block);
    scan.name_done = scan.name_done.max(end);
}

/// Where the body ends: at the dashes of `-----END`, less the line break and what a diff puts before them.
fn end_marker(body: &[u8]) -> Option<usize> {
    let end = memchr::memmem::find(body, b"END ")?;
    let mut pos = end;
    while pos > 0 && matches!(body[pos - 1], b'-' | b' ') {
        pos -= 1;
    }
    (end - pos >= 3).then_some(pos)
}

/// A block without its end: as many lines as look like key material.
fn material(body: &[u8]) -> usize {
    let mut end = 0;
    let mut pos = 0;
    let mut odd = 0;
    while pos < body.len() {
        let (line_len, break_len) = line(&body[pos..]);
        let line = &body[pos..pos + line_len];
        if is_material(line) {
            end = pos + line_len;
            odd = 0;
        } else {
            odd += 1;
            if odd > ODD_LINES_MAX && end > 0 || odd > ODD_LINES_MAX + 2 {
                break;
            }
        }
        pos += line_len + break_len;
        if break_len == 0 {
            break;
        }
    }
    end
}

/// Length of the first line and of its break, which may be escaped to any depth (`\n`, `\\n`).
fn line(text: &[u8]) -> (usize, usize) {
    let mut pos = 0;
    while pos < text.len() {
        match text[pos] {
            b'\n' => return (pos, 1),
            b'\\' => {
                let slashes = text[pos..].iter().take_while(|&&b| b == b'\\').count();
                if matches!(text.get(pos + slashes), Some(b'n' | b'r')) {
                    return (pos, slashes + 1);
                }
                pos += slashes;
            }
            _ => pos += 1,
        }
    }
    (pos, 0)
}

/// Whether a line holds base64, once prefixes of diffs, line numbers and colours are gone.
fn is_material(line: &[u8]) -> bool {
    let longest = line
        .split(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')))
        .max_by_key(|run| run.len())
        .unwrap_or(b"");
    let words = line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty()).count();
    longest.len() >= 16 && words <= 4
}

/// A PuTTY key: from `Private-Lines` (or from its first line on, if that is missing) to the MAC.
fn putty(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let rest = &text[at..text.len().min(at + BLOCK_BYTES_MAX)];
    let Some(lines) = memchr::memmem::find(rest, b"Private-Lines:") else { return };
    let start = at + lines + 14;
    let body = &text[start..at + rest.len()];
    let end = memchr::memmem::find(body, b"Private-MAC").map_or_else(|| material(body), |mac| line_tail(body, mac));
    if end > 8 && !entropy::contains(&body[..end], b"[redacted:") {
        scan.hit(start, start + end, "private-key", Rank::Block);
    }
}

fn line_tail(body: &[u8], from: usize) -> usize {
    from + line(&body[from..]).0
}
