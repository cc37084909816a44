//! Tokens without a prefix, beside a word that says what they are: `algolia key 0a1b…`, `cloudplanSECRET-ABCD…`.

mod index;

use index::Index;

use crate::assign::Name;
use crate::names::{self, Named};
use crate::providers::contextual::{CONTEXTUAL, Contextual};
use crate::scan::{Rank, Scan};
use crate::{boundary, entropy, shape};

/// How far before a value its provider's name may stand, and how far after a word its value.
pub(crate) const REACH_BYTES: usize = 64;
/// How far after a provider's name a secret word may stand.
const WORD_REACH_BYTES: usize = 32;
/// How far after a provider's name a long token needs no such word.
const NEAR_BYTES: usize = 20;
/// Longest token that is looked for near a provider's name.
const NEAR_RUN_BYTES_MAX: usize = 400;
/// Longest run of token characters that is read.
const RUN_BYTES_MAX: usize = 2048;
/// Words that may stand between the name and the value.
const WORDS_BETWEEN_MAX: usize = 4;
const CANDIDATE_BYTES_MIN: usize = 10;

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

/// A provider's name, and near it a token of its shape.
///
/// The forms of the public scanners: `provider … secret word … token`, also over a line break; `provider=token`; and
/// `provider token` where the token is long.
pub(crate) fn keyword_at(scan: &mut Scan<'_>, index: usize, at: usize) {
    let provider = &CONTEXTUAL[index];
    let end = at.wrapping_add(provider.keyword.len());
    let Some(word) = scan.bytes.get(at..end) else { return };
    if !word.eq_ignore_ascii_case(provider.keyword.as_bytes()) || !boundary::starts_at(scan.bytes, at) {
        return;
    }
    let mut pos = end;
    let limit = scan.bytes.len().min(end + WORD_REACH_BYTES + REACH_BYTES);
    for _ in 0..=WORDS_BETWEEN_MAX {
        pos = skip_gap(scan.bytes, pos, limit);
        let start = pos;
        pos += scan.bytes[start..].iter().take(NEAR_RUN_BYTES_MAX).take_while(|&&b| is_token_byte(b)).count();
        if pos == start || start >= limit || pos - start == NEAR_RUN_BYTES_MAX {
            return;
        }
        for from in starts(scan.bytes, (start, pos)) {
            if let Some(rule) = near(scan.bytes, provider, end, (from, pos)) {
                scan.hit(from, pos, rule, Rank::Shape);
                return;
            }
        }
    }
}

/// Past blanks, quotes and separators, colours, and one line break.
fn skip_gap(text: &[u8], from: usize, limit: usize) -> usize {
    let mut pos = from;
    let mut breaks = 0;
    while pos < limit {
        let colour = boundary::ansi_len(&text[pos..]);
        breaks += usize::from(text[pos] == b'\n');
        if colour == 0 && !is_gap(text[pos]) && !matches!(text[pos], b'\n' | b'\r') || breaks > 1 {
            break;
        }
        pos += colour.max(1);
    }
    pos
}

/// Words by which the public scanners know that a token comes.
const SECRET_WORDS: [&[u8]; 8] = [b"secret", b"private", b"access", b"key", b"token", b"api", b"auth", b"pass"];
/// Words that say a hash comes.
const HASH_WORDS: [&[u8]; 8] = [b"commit", b"sha", b"hash", b"rev", b"digest", b"md5", b"etag", b"checksum"];

/// Whether the run is a token of `provider`, whose name ends at `end`; its rule.
fn near(text: &[u8], provider: &Contextual, end: usize, run: (usize, usize)) -> Option<String> {
    let body = &text[run.0..run.1];
    let mix = entropy::Mix::of(body);
    if body.len() < 16 || mix.digit < 2 || mix.letters() == 0 || entropy::is_filler(body) {
        return None;
    }
    let between = text[end..run.0].to_ascii_lowercase();
    let tight = between.iter().all(|b| matches!(b, b' ' | b'"' | b'\'' | b'\\' | b'`' | b'=' | b':' | b'>'));
    let assigned = tight && between.iter().any(|b| matches!(b, b'=' | b':'));
    let hash = body.iter().all(u8::is_ascii_hexdigit);
    let names_hash = HASH_WORDS.iter().any(|w| entropy::contains(&between, w));
    let head = &between[..between.len().min(WORD_REACH_BYTES)];
    let worded = SECRET_WORDS.iter().any(|w| entropy::contains(head, w));
    let short = between.iter().filter(|b| b.is_ascii_alphanumeric()).count() <= 2;
    let random = entropy::bits(body) > 2.9;
    if hash && names_hash || !fits_exactly(provider, text, run) {
        // No shape of the provider's: only a long random value directly under its name.
        let solid = mix.other == 0 && body.len() >= 32 && !hash_length(body) && mix.seams >= 4;
        return (assigned && solid && random && !entropy::is_sample(body)).then(|| "token".to_owned());
    }
    let counts = assigned && random
        || worded
            && !entropy::is_uuid(body)
            && mix.other * 8 <= body.len()
            && (random || entropy::bits(body) > 1.5 && tight)
        || between.len() <= NEAR_BYTES
            && random
            && mix.other == 0
            && if hash { short && body.len() >= 32 && provider.keyword.len() >= 7 } else { mix.seams >= 4 };
    counts.then(|| format!("{}-token", provider.keyword.replace(['.', '_'], "-")))
}

/// As long as the digests that tools print.
fn hash_length(body: &[u8]) -> bool {
    body.iter().all(u8::is_ascii_hexdigit) && matches!(body.len(), 32 | 40 | 56 | 64 | 96 | 128)
}

/// Whether a shape of fixed length fits.
fn fits_exactly(provider: &Contextual, text: &[u8], run: (usize, usize)) -> bool {
    let fixed = |s: &&str| {
        shape::parts(s).all(|p| match p {
            shape::Part::Literal(_) => true,
            shape::Part::Run { min, max, .. } => min == max,
        })
    };
    provider.shapes.split('|').filter(fixed).any(|s| fits(s, text, run.0, run.1))
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
        while pos < text.len() && is_token_byte(text[pos]) && pos - start < RUN_BYTES_MAX {
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
    let run = match inner_name(bytes, run) {
        // `secret … --from-literal=password=…`: the nearer name is looked at on its own.
        Some((start, end)) if scan.text.get(start..end).is_some_and(|n| names::classify(n) != Named::Plain) => return,
        Some((_, end)) => (end + 1, run.1),
        None => run,
    };
    let from = line_start(bytes, name.start.max(1)).min(name.start);
    let before = bytes[from..run.0].to_ascii_lowercase();
    let filler = entropy::is_filler(&bytes[run.0..run.1]);
    if filler || entropy::contains(&bytes[run.0..run.1], b"://") {
        return;
    }
    let providers = Index::get().named_in(&before);
    let whole = run.1 + bytes[run.1..].iter().take(4).take_while(|&&b| b == b'-').count();
    for start in starts(bytes, run).filter(|_| !providers.is_empty()) {
        let body = &bytes[start..run.1];
        if entropy::bits(body) <= 1.5 || body.len() < 20 && entropy::Mix::of(body).seams == 0 {
            continue;
        }
        if is_words(body) {
            continue;
        }
        // A mark at the end may belong to the token or to the sentence.
        let found = providers.iter().find_map(|p| {
            [run.1, whole].into_iter().find(|&e| fits_within(p.shapes, &bytes[..whole], start, e)).map(|e| (p, e))
        });
        if let Some((provider, end)) = found {
            scan.hit(start, end, format!("{}-token", provider.keyword.replace(['.', '_'], "-")), Rank::Shape);
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

/// `name=` inside a run: where the name starts and ends.
fn inner_name(text: &[u8], (start, end): (usize, usize)) -> Option<(usize, usize)> {
    let padding = text[start..end].iter().rev().take_while(|&&b| b == b'=').count();
    let equals = start + memchr::memrchr(b'=', &text[start..end - padding])?;
    let len = text[start..equals].iter().rev().take_while(|b| b.is_ascii_alphabetic() || b"-_.".contains(b)).count();
    (len > 1).then_some((equals - len, equals))
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
            && (mix.digit >= 3 && entropy::looks_random(body, 20) || body.len() >= 20 && entropy::is_balanced(body))
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
        if body.len() >= 20 && marks * 12 <= body.len() && entropy::looks_random(body, 20) && !entropy::is_sample(body)
        {
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
    fits_within(shapes, &text[..end], start, end)
}

/// Whether a shape ends at `end` in a text that may go on.
fn fits_within(shapes: &str, text: &[u8], start: usize, end: usize) -> bool {
    shapes.split('|').any(|s| shape::match_at(s, text, start).is_some_and(|m| m.end == end && !m.file_name))
}
