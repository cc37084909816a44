//! Tokens without a prefix, beside a word that says what they are: `algolia key 0a1b…`, `cloudplanSECRET-ABCD…`.

use std::sync::OnceLock;

use crate::assign::Name;
use crate::names::Named;
use crate::providers::contextual::{CONTEXTUAL, Contextual};
use crate::scan::{Rank, Scan};
use crate::{boundary, entropy, shape};

/// How far before a value its provider's name may stand, and how far after a word its value.
pub(crate) const REACH_BYTES: usize = 64;
/// Words that may stand between the name and the value.
const WORDS_BETWEEN_MAX: usize = 4;
const CANDIDATE_BYTES_MIN: usize = 10;

/// Providers by the first three letters of their keyword.
struct Index {
    heads: Vec<u16>,
    nexts: Vec<u16>,
}

const NONE: u16 = u16::MAX;
const INDEX_BITS: u32 = 12;

impl Index {
    fn get() -> &'static Index {
        static INDEX: OnceLock<Index> = OnceLock::new();
        INDEX.get_or_init(|| {
            let mut index = Index { heads: vec![NONE; 1 << INDEX_BITS], nexts: vec![NONE; CONTEXTUAL.len()] };
            for (i, provider) in CONTEXTUAL.iter().enumerate() {
                if let &[a, b, c, ..] = provider.keyword.as_bytes() {
                    let head = &mut index.heads[Index::slot([a, b, c])];
                    index.nexts[i] = *head;
                    *head = i as u16;
                }
            }
            index
        })
    }

    fn slot([a, b, c]: [u8; 3]) -> usize {
        (u32::from_le_bytes([a, b, c, 0]).wrapping_mul(0x9E37_79B1) >> (32 - INDEX_BITS)) as usize
    }

    /// The providers whose keyword stands in `text`, which is lower case.
    fn named_in(&self, text: &[u8]) -> Vec<&'static Contextual> {
        let mut found = Vec::new();
        for (at, w) in text.windows(3).enumerate() {
            let &[a, b, c] = w else { continue };
            let mut next = self.heads[Index::slot([a, b, c])];
            while let Some(provider) = CONTEXTUAL.get(usize::from(next)) {
                if text[at..].starts_with(provider.keyword.as_bytes()) {
                    found.push(provider);
                }
                next = self.nexts[usize::from(next)];
            }
        }
        found
    }
}

/// Looks for a token after `name`.
pub(crate) fn after(scan: &mut Scan<'_>, name: Name, named: Named) {
    let Some(run) = candidate(scan.bytes, name.end) else { return };
    judge(scan, name, named, run);
}

/// A keyword that is enough on its own: `wandb 0a1b…`.
pub(crate) fn bare_at(scan: &mut Scan<'_>, at: usize) {
    let end = scan.bytes[at..].iter().take(24).take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count() + at;
    let Some(run) = candidate(scan.bytes, end) else { return };
    let from = line_start(scan.bytes, run.0);
    let before = scan.bytes[from..run.0].to_ascii_lowercase();
    for start in starts(scan.bytes, run) {
        let found = CONTEXTUAL
            .iter()
            .filter(|p| p.bare)
            .find(|p| entropy::contains(&before, p.keyword.as_bytes()) && fits(p.shapes, scan.bytes, start, run.1));
        if let Some(provider) = found {
            scan.hit(start, run.1, format!("{}-token", provider.keyword), Rank::Shape);
            return;
        }
    }
}

/// Providers whose client or application id is half of a credential: `auth0_client_id = '…'`.
const ID_PROVIDERS: &[&str] =
    &["auth0", "paypal", "facebook", "fb_app", "twitter", "anypoint", "bot_id", "adobe", "okta"];

/// An id of a provider whose ids the scanners count as findings; any other id stays.
pub(crate) fn id_at(scan: &mut Scan<'_>, at: usize) {
    let end = at + 3;
    let from = line_start(scan.bytes, at);
    let before = scan.bytes[from..end].to_ascii_lowercase();
    if !ID_PROVIDERS.iter().any(|p| entropy::contains(&before, p.as_bytes())) {
        return;
    }
    let Some(run) = candidate(scan.bytes, end) else { return };
    let found = CONTEXTUAL.iter().find(|p| {
        ID_PROVIDERS.contains(&p.keyword)
            && entropy::contains(&before, p.keyword.as_bytes())
            && fits(p.shapes, scan.bytes, run.0, run.1)
    });
    if let Some(provider) = found {
        scan.hit(run.0, run.1, format!("{}-id", provider.keyword.replace('_', "-")), Rank::Shape);
    }
}

/// Words that are a provider's name and much else.
const COMMON: &[&str] = &[
    "abstract",
    "capsule",
    "segment",
    "column",
    "square",
    "capture",
    "github",
    "gitlab",
    "google",
    "privacy",
    "magnetic",
    "moderation",
    "sentiment",
    "autopilot",
    "harvest",
    "notion",
    "terraform",
    "elastic",
    "strava",
    "travis",
    "facebook",
    "shortcut",
    "protocols",
    "readability",
    "guardian",
    "polygon",
    "prospect",
    "persona",
    "stripe",
    "twitter",
    "linkedin",
    "youtube",
    "dropbox",
    "zipcode",
    "sparkpay",
    "monday",
];

/// Whether `theprovider=…` is enough: the name is long and no other word, and the shapes are exact.
pub(crate) fn stands_alone(provider: &Contextual) -> bool {
    !provider.bare && provider.keyword.len() >= 5 && provider.keyword.is_ascii() && !COMMON.contains(&provider.keyword)
}

/// A provider's name as a variable of its own: `everhour=…`, `the-odds-api: …`.
pub(crate) fn keyword_at(scan: &mut Scan<'_>, index: usize, at: usize) {
    let provider = &CONTEXTUAL[index];
    let end = at.wrapping_add(provider.keyword.len());
    let Some(word) = scan.bytes.get(at..end) else { return };
    if !word.eq_ignore_ascii_case(provider.keyword.as_bytes()) || !boundary::starts_at(scan.bytes, at) {
        return;
    }
    let gap = scan.bytes[end..].iter().take(6).take_while(|b| matches!(b, b' ' | b'"' | b'\'' | b'\\')).count();
    let assigned = matches!(scan.bytes.get(end + gap), Some(b'=' | b':'));
    if !assigned && gap == 0 {
        return;
    }
    let start = end + gap + usize::from(assigned);
    let skip = scan.bytes[start..]
        .iter()
        .take(8)
        .take_while(|b| matches!(b, b' ' | b'"' | b'\'' | b'\\' | b'`' | b'=' | b'>'))
        .count();
    let start = start + skip;
    let stop = start + scan.bytes[start..].iter().take(256).take_while(|&&b| is_token_byte(b)).count();
    let body = &scan.bytes[start..stop];
    let mix = entropy::Mix::of(body);
    let exact = provider
        .shapes
        .split('|')
        .filter(|s| {
            shape::parts(s).all(|p| {
                matches!(p, shape::Part::Literal(_)) || matches!(p, shape::Part::Run { min, max, .. } if min == max)
            })
        })
        .any(|s| fits(s, scan.bytes, start, stop));
    // After a blank alone a hash is more likely a commit or a digest.
    let hash = body.iter().all(u8::is_ascii_hexdigit);
    if exact
        && (assigned || !hash && mix.other == 0 && mix.seams >= 4)
        && mix.digit >= 2
        && mix.letters() > 0
        && entropy::bits(body) > 2.9
        && body.len() >= 16
    {
        scan.hit(start, stop, format!("{}-token", provider.keyword.replace(['.', '_'], "-")), Rank::Shape);
    }
}

fn line_start(text: &[u8], at: usize) -> usize {
    let from = at.saturating_sub(REACH_BYTES);
    memchr::memrchr(b'\n', &text[from..at]).map_or(from, |n| from + n + 1)
}

/// The first run after `from` that is not a word: its start and end.
fn candidate(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let limit = text.len().min(from + REACH_BYTES);
    let mut pos = from;
    for _ in 0..=WORDS_BETWEEN_MAX {
        while pos < limit && is_gap(text[pos]) {
            pos += 1;
        }
        pos += boundary::ansi_len(&text[pos..]);
        while pos < limit && is_gap(text[pos]) {
            pos += 1;
        }
        let start = pos;
        while pos < text.len() && is_token_byte(text[pos]) && pos - start < 2048 {
            pos += 1;
        }
        let run = &text[start..pos];
        if run.is_empty() {
            return None;
        }
        let mix = entropy::Mix::of(run);
        let scrambled = run.len() >= 18 && mix.upper >= 4 && mix.lower >= 4 && mix.other == 0;
        let word = !scrambled
            && run.len() < 24
            && run.iter().filter(|b| b.is_ascii_digit()).count() <= 8
            && (entropy::Mix::of(run).digit == 0 || run.len() < CANDIDATE_BYTES_MIN || entropy::contains(run, b"key"));
        if !word {
            let mut end = pos;
            while end > start && matches!(text[end - 1], b'.' | b',' | b'-' | b'/') {
                end -= 1;
            }
            return (end - start >= CANDIDATE_BYTES_MIN).then_some((start, end));
        }
        if pos >= limit {
            return None;
        }
    }
    None
}

fn is_gap(b: u8) -> bool {
    matches!(
        b,
        b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'>' | b',' | b'(' | b'{' | b'|' | b'\\' | b'*' | b'-'
    )
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'%' | b'~' | b':')
}

/// Places in a run where the token itself may start: at its start, and after each mark.
fn starts(text: &[u8], (start, end): (usize, usize)) -> impl Iterator<Item = usize> {
    std::iter::once(start).chain(
        (start..end.saturating_sub(CANDIDATE_BYTES_MIN))
            .filter(move |&i| matches!(text[i], b'-' | b'_' | b'.' | b'=' | b':' | b'/'))
            .map(|i| i + 1)
            .take(12),
    )
}

fn judge(scan: &mut Scan<'_>, name: Name, named: Named, run: (usize, usize)) {
    let bytes = scan.bytes;
    let from = line_start(bytes, name.start.max(1)).min(name.start);
    let before = bytes[from..run.0].to_ascii_lowercase();
    let filler = entropy::is_filler(&bytes[run.0..run.1]);
    if filler || entropy::contains(&bytes[run.0..run.1], b"://") {
        return;
    }
    let providers = Index::get().named_in(&before);
    for start in starts(bytes, run).filter(|_| !providers.is_empty()) {
        let body = &bytes[start..run.1];
        if entropy::bits(body) <= 2.0 && !body.starts_with(b"6L")
            || body.len() < 20 && entropy::Mix::of(body).seams == 0
        {
            continue;
        }
        if is_words(body) {
            continue;
        }
        let found = providers.iter().find(|p| fits(p.shapes, bytes, start, run.1));
        if let Some(provider) = found {
            scan.hit(start, run.1, format!("{}-token", provider.keyword.replace(['.', '_'], "-")), Rank::Shape);
            return;
        }
    }
    if !providers.is_empty() && unlisted(scan, run) {
        return;
    }
    if matches!(named, Named::Token | Named::Secret | Named::Password) {
        generic(scan, name, named, run);
    }
}

/// A provider's name and a secret word, and a value that looks random but has none of the listed shapes.
fn unlisted(scan: &mut Scan<'_>, run: (usize, usize)) -> bool {
    for start in starts(scan.bytes, run) {
        let body = &scan.bytes[start..run.1];
        let solid = body.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'='));
        let hash = matches!(body.len(), 40 | 64) && body.iter().all(u8::is_ascii_hexdigit);
        let mix = entropy::Mix::of(body);
        if solid
            && !hash
            && !entropy::is_uuid(body)
            && mix.other <= 2
            && mix.digit >= 3
            && entropy::looks_random(body, 20)
        {
            scan.hit(start, run.1, "token", Rank::Named);
            return true;
        }
    }
    false
}

/// A token of no known provider: letters and digits well mixed, directly after the name.
fn generic(scan: &mut Scan<'_>, name: Name, named: Named, run: (usize, usize)) {
    let bytes = scan.bytes;
    let between = &bytes[name.end..run.0];
    if between.len() > 24 || between.contains(&b'(') || between.contains(&b'{') {
        return;
    }
    for start in starts(bytes, run) {
        let body = &bytes[start..run.1];
        let marks = body.iter().filter(|b| matches!(b, b'.' | b'/' | b'-' | b':')).count();
        if body.len() >= 20 && marks * 12 <= body.len() && entropy::looks_random(body, 20) {
            let rule = if start == run.0 || named != Named::Password { named.rule() } else { "token" };
            scan.hit(start, run.1, rule, Rank::Named);
            return;
        }
    }
}

/// Words joined by marks, or a path: `kubernetes/pkg/util`, `some-long-label`.
fn is_words(body: &[u8]) -> bool {
    let mix = entropy::Mix::of(body);
    mix.digit == 0 && mix.other > 0 && mix.lower > 0 && !entropy::looks_random(body, 16)
}

fn fits(shapes: &str, text: &[u8], start: usize, end: usize) -> bool {
    shapes.split('|').any(|s| shape::match_at(s, &text[..end], start).is_some_and(|m| m.end == end))
}
