//! Where a token may start: after anything that is not part of a word, seen through escapes and colours.

/// Longest colour sequence that is looked through.
const ANSI_BYTES_MAX: usize = 24;

/// Whether a token can start at `at`.
///
/// `\nghp_…` in JSON text, `\u001b[32mghp_…` in a captured terminal and `%3Dghp_…` in a URL all put a letter or a
/// digit in front of the token without being part of it.
pub(crate) fn starts_at(text: &[u8], at: usize) -> bool {
    let Some(&before) = at.checked_sub(1).and_then(|i| text.get(i)) else {
        return true;
    };
    if !before.is_ascii_alphanumeric() && before != b'_' {
        return true;
    }
    let head = &text[..at];
    let n = head.len();
    (n >= 2 && head[n - 2] == b'\\' && matches!(before, b'n' | b't' | b'r' | b'b' | b'f'))
        || (n >= 3 && head[n - 3] == b'%' && is_hex(&head[n - 2..]))
        || (n >= 6 && head[n - 6] == b'\\' && head[n - 5] == b'u' && is_hex(&head[n - 4..]))
        || (before == b'm' && ansi_start(head).is_some())
}

fn is_hex(s: &[u8]) -> bool {
    s.iter().all(u8::is_ascii_hexdigit)
}

/// Where the colour sequence starts that ends at the end of `head`.
fn ansi_start(head: &[u8]) -> Option<usize> {
    let body = head.len().checked_sub(1)?;
    let params =
        head[..body].iter().rev().take(ANSI_BYTES_MAX).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    let bracket = body.checked_sub(params + 1)?;
    (head[bracket] == b'[').then_some(())?;
    let lead = &head[..bracket];
    [&b"\x1b"[..], b"\\u001b", b"\\u001B", b"\\x1b", b"\\x1B", b"\\033", b"\\e"]
        .iter()
        .find(|esc| lead.ends_with(esc))
        .map(|esc| bracket - esc.len())
}

/// How many bytes at the start of `text` are colour sequences, raw or escaped.
pub(crate) fn ansi_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(n) = one_ansi(&text[len..]) {
        len += n;
    }
    len
}

fn one_ansi(text: &[u8]) -> Option<usize> {
    let esc = match *text.first()? {
        0x1b => 1,
        b'\\' => {
            let slashes = text.iter().take_while(|&&b| b == b'\\').count();
            let rest = &text[slashes..];
            let known = [&b"u001b"[..], b"u001B", b"x1b", b"x1B", b"033", b"e"]
                .into_iter()
                .find(|k| rest.starts_with(k) && rest.get(k.len()) == Some(&b'['))?;
            slashes + known.len()
        }
        _ => return None,
    };
    (*text.get(esc)? == b'[').then_some(())?;
    let params = text[esc + 1..].iter().take(ANSI_BYTES_MAX).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    let end = esc + 1 + params;
    text.get(end)?.is_ascii_alphabetic().then_some(end + 1)
}

/// `.png` and the like: what stands before is a file's name, not a token.
pub(crate) fn is_file_name(rest: &[u8]) -> bool {
    const EXTENSIONS: [&[u8]; 16] = [
        b".png", b".jpg", b".jpeg", b".gif", b".svg", b".ico", b".js", b".css", b".map", b".html", b".woff", b".tgz",
        b".json", b".webp", b".rs", b".py",
    ];
    rest.first() == Some(&b'.')
        && EXTENSIONS.iter().any(|e| rest.starts_with(e) && !rest.get(e.len()).is_some_and(u8::is_ascii_alphanumeric))
}
