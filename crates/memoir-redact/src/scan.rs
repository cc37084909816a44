//! One pass over the text: a filter finds the few places worth a look, and each rule looks only there.
//!
//! The filter is a bitmap over four-byte windows, folded to one case: two instructions and one load per byte, and
//! nothing to build but the bitmap itself. An Aho-Corasick automaton over the same keywords costs a millisecond to
//! build, which a process that redacts a single event would pay each time.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::glue::Glue;
use crate::providers::contextual::CONTEXTUAL;
use crate::providers::prefixed::PREFIXED;
use crate::shape::{self, Part};
use crate::{assign, commands, context, entropy, foreign, headers, hosts, pem, special, urls};

/// Something to replace.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub start: usize,
    pub end: usize,
    pub rule: Cow<'static, str>,
    /// The higher rank names the marker where hits overlap.
    pub rank: Rank,
}

/// How much a rule knows of what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    Named,
    Shape,
    Block,
    Custom,
}

/// A hand-written rule: looks at the text around an offset.
type Call = fn(&mut Scan<'_>, usize);

/// What to do where a window of the filter is met.
#[derive(Clone, Copy)]
enum Action {
    Shape { index: u16, offset: u8 },
    Provider { index: u16, offset: u8 },
    Call(Call),
}

/// State of one pass.
pub(crate) struct Scan<'t> {
    pub text: &'t str,
    pub bytes: &'t [u8],
    pub hits: Vec<Hit>,
    /// Everything before this offset has been looked at as a name.
    pub name_done: usize,
    pub url_done: usize,
    pub command_done: usize,
}

impl Scan<'_> {
    /// `sk-abc...`, `eyJhbGci…`, `xoxp-1234-####`: somebody has already cut or masked it.
    fn is_cut(&self, start: usize, end: usize) -> bool {
        let (piece, rest) = (&self.bytes[start..end], &self.bytes[end..]);
        let marks = rest.iter().take(2).take_while(|b| matches!(b, b'-' | b'_')).count();
        let masked = |s: &[u8]| s.starts_with(b"####") || s.starts_with(b"****");
        let dotted = rest.starts_with(b"..") || rest.starts_with("…".as_bytes());
        let dots_inside = piece.ends_with(b"...") || piece.ends_with("…".as_bytes());
        masked(&rest[marks..]) || (8..=CUT_BYTES_MAX).contains(&piece.len()) && (dotted || dots_inside)
    }

    pub fn hit(&mut self, start: usize, end: usize, rule: impl Into<Cow<'static, str>>, rank: Rank) {
        let rule = rule.into();
        let cut = rank == Rank::Named && !rule.ends_with("password") && self.is_cut(start, end);
        if start < end && !cut {
            self.hits.push(Hit { start, end, rule, rank });
        }
    }
}

/// Longest piece of a secret before an ellipsis that counts as cut: more than this is worth hiding all the same.
const CUT_BYTES_MAX: usize = 40;

/// Windows that lead to a hand-written rule.
const CALLS: &[(&[&str], Call)] = &[
    (
        &[
            "pass", "secr", "logi", "toke", "cred", "auth", "cook", "crum", "mnem", "seed", "apik", "_srt", "_pat",
            "-pat", "_pwd", "ssps",
        ],
        assign::at,
    ),
    (&["bear", "basi"], headers::scheme_at),
    (&["begi", "putt"], pem::at),
    (&["curl", "wget", "http", "xh -"], commands::curl_at),
    (&["mysq", "mari", "sshp", "redi", "mong", "psql", "ldap", "smbc", "inis", "plin"], commands::short_flag_at),
    (&["ogin"], commands::login_at),
    (&["fied"], commands::identified_by_at),
    (&["-pas"], commands::openssl_at),
    (&["htpa"], commands::htpasswd_at),
    (&["priv", "acce"], assign::word_at),
    (&["secu"], commands::secure_string_at),
    (&["arn:"], hosts::arn_at),
    (
        &[
            ".s3.", ".s3-", "s3-u", "s3-e", "s3-a", "s3-c", "s3-s", "s3.a", ".sto", ".mys", ".ope", ".blo", ".aut",
            ".app", ".my.", ".clo", ".azu", ".sno", ".okt", "hook", "disc", "outl", ".web", "make", "open", "oapi",
            "qyap",
        ],
        hosts::at,
    ),
    (&["5432", "5433", "6432", ":*:*"], commands::pgpass_at),
    (&["$krb"], special::kerberos_at),
    (&["{ssh", "{sha", "{smd", "{md5", "{cry", "{pbk", "{arg"], special::ldap_at),
    (&["zxlk", "zxlj"], special::encoded_jwt_at),
    (&["amz-", "atur"], urls::signature_at),
    (&["wand", "nozb", "mwor", "ourc", "erak", "entm", "quar"], crate::context::bare_at),
];

/// Three-byte windows: a fourth of any kind in the set follows.
const SHORT_CALLS: &[(&str, &[u8], Call)] = &[
    ("key", b"=: \t\"'\\-_.>`)],|s\x1b", assign::at),
    ("pwd", b"=: \t\"'\\>`)],|", assign::at),
    ("pat", b"=: \t\"'\\>`", assign::at),
    ("jwt", b"=: \t\"'\\>`)],|", assign::at),
    ("eyj", b"abcdefghijklmnopqrstuvwxyz0123456789", special::jwt_at),
    ("://", ANY, urls::at),
    (":aa", b"abcdefghijklmnopqrstuvwxyz0123456789-\x7f", special::telegram_at),
    ("-us", b"0123456789", special::mailchimp_at),
    ("_pw", b"=: \"'\\", assign::at),
    ("_id", b"=: \"'\\\t", crate::context::id_at),
    ("ssw", b"s", headers::scheme_at),
];

const ANY: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789-\x7f.~%$<{[:@*\"'\\/`";

/// Bits in the bitmap, as a power of two: 32 KiB, which stays near the core and lets one window in fifty through by chance.
const MAP_BITS: u32 = 18;

/// Buckets for the actions, as a power of two.
const BUCKET_BITS: u32 = 13;
/// The end of a chain.
const NONE: u16 = u16::MAX;

struct Filter {
    map: Vec<u64>,
    /// First action of each bucket.
    heads: Vec<u16>,
    actions: Vec<Entry>,
}

/// An action, the folded window it waits for, and the next one in its bucket.
struct Entry {
    window: u32,
    next: u16,
    action: Action,
}

impl Filter {
    fn add(&mut self, bytes: [u8; 4], action: Action) {
        let window = window(bytes);
        let s = slot(window);
        self.map[s >> 6] |= 1 << (s & 63);
        let head = &mut self.heads[s >> (MAP_BITS - BUCKET_BITS)];
        self.actions.push(Entry { window, next: *head, action });
        *head = (self.actions.len() - 1) as u16;
    }
}

fn slot(window: u32) -> usize {
    (window.wrapping_mul(0x9E37_79B1) >> (32 - MAP_BITS)) as usize
}

fn filter() -> &'static Filter {
    static FILTER: OnceLock<Filter> = OnceLock::new();
    FILTER.get_or_init(build)
}

fn build() -> Filter {
    let mut filter = Filter {
        map: vec![0; 1 << (MAP_BITS - 6)],
        heads: vec![NONE; 1 << BUCKET_BITS],
        actions: Vec::with_capacity(4608),
    };
    for &(words, call) in CALLS {
        for word in words {
            if let &[a, b, c, d] = word.as_bytes() {
                filter.add([a, b, c, d], Action::Call(call));
            }
        }
    }
    for &(word, nexts, call) in SHORT_CALLS {
        if let &[a, b, c] = word.as_bytes() {
            nexts.iter().for_each(|&d| filter.add([a, b, c, d], Action::Call(call)));
        }
    }
    foreign::windows(|bytes| filter.add(bytes, Action::Call(foreign::at)));
    for (index, prefixed) in PREFIXED.iter().enumerate() {
        anchor(prefixed.pattern, |bytes, offset| filter.add(bytes, Action::Shape { index: index as u16, offset }));
    }
    for (index, provider) in CONTEXTUAL.iter().enumerate().filter(|(_, p)| context::stands_alone(p)) {
        let keyword = provider.keyword.as_bytes();
        let rarest = (0..=keyword.len() - 4).max_by_key(|&i| keyword[i..i + 4].iter().map(|&b| rarity(b)).sum::<u32>());
        let offset = rarest.unwrap_or(0);
        if let Some(&[a, b, c, d]) = keyword.get(offset..offset + 4) {
            filter.add([a, b, c, d], Action::Provider { index: index as u16, offset: offset as u8 });
        }
    }
    filter
}

/// How rare a letter is in English and in code: rare windows wake the rules less often.
fn rarity(b: u8) -> u32 {
    match b {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 0,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' => 1,
        b'f' | b'p' | b'g' | b'w' | b'y' | b'b' => 2,
        b'v' | b'k' => 3,
        b'x' | b'j' | b'q' | b'z' => 6,
        _ => 4,
    }
}

fn window(b: [u8; 4]) -> u32 {
    u32::from_le_bytes(b.map(|b| b | 0x20))
}

/// Calls `put` with each four-byte window by which `pattern` can be noticed, and its offset in the match.
///
/// The window is taken from the longest literal at a fixed place; a literal of two or three bytes is filled up with
/// every byte that the run after it allows.
fn anchor(pattern: &str, mut put: impl FnMut([u8; 4], u8)) {
    let mut best: Option<(usize, &[u8], u8)> = None;
    let mut offset = 0;
    let mut parts = shape::parts(pattern).peekable();
    while let Some(part) = parts.next() {
        match part {
            Part::Literal(literal) => {
                let next = match parts.peek() {
                    Some(Part::Run { class, .. }) => *class,
                    _ => 0,
                };
                if best.is_none_or(|(_, b, _)| literal.len() > b.len()) {
                    best = Some((offset, literal, next));
                }
                offset += literal.len();
            }
            Part::Run { min, max, .. } if min == max => offset += min,
            Part::Run { .. } => break,
        }
    }
    let Some((offset, literal, next)) = best else { return };
    let rare = |b: u8| !b.is_ascii_lowercase();
    // Windows are folded, so one byte of each that fold to the same is enough.
    let is_first = |b: u8| shape::in_class(next, b) && (b | 0x20 == b || !shape::in_class(next, b | 0x20));
    match *literal {
        [a, b] => {
            let nexts: Vec<u8> = (0u8..128).filter(|&b| is_first(b)).collect();
            for &c in &nexts {
                nexts.iter().for_each(|&d| put([a, b, c, d], offset as u8));
            }
        }
        [a, b, c] => (0u8..128).filter(|&d| is_first(d)).for_each(|d| put([a, b, c, d], offset as u8)),
        _ => {
            let at = literal
                .windows(4)
                .take(8)
                .enumerate()
                .max_by_key(|(i, w)| w.iter().filter(|&&b| rare(b)).count() * 16 + 8 - i)
                .map_or(0, |(i, _)| i);
            if let Some(&[a, b, c, d]) = literal.get(at..at + 4) {
                put([a, b, c, d], (offset + at) as u8);
            }
        }
    }
}

/// All hits of the built-in rules in `text`, unsorted.
pub(crate) fn scan(text: &str) -> Vec<Hit> {
    let filter = filter();
    let bytes = text.as_bytes();
    let mut scan = Scan { text, bytes, hits: Vec::new(), name_done: 0, url_done: 0, command_done: 0 };
    let Some(map) = filter.map.first_chunk::<{ 1 << (MAP_BITS - 6) }>() else { return scan.hits };
    for (at, w) in bytes.windows(4).enumerate() {
        let &[a, b, c, d] = w else { break };
        let folded = u32::from_le_bytes([a, b, c, d]) | 0x2020_2020;
        let s = slot(folded);
        if map[s >> 6] >> (s & 63) & 1 != 0 {
            dispatch(filter, &mut scan, folded, at);
        }
    }
    scan.hits
}

#[inline(never)]
fn dispatch(filter: &Filter, scan: &mut Scan<'_>, folded: u32, at: usize) {
    let mut index = filter.heads[slot(folded) >> (MAP_BITS - BUCKET_BITS)];
    while let Some(entry) = filter.actions.get(usize::from(index)) {
        if entry.window == folded {
            match entry.action {
                Action::Call(call) => call(scan, at),
                Action::Provider { index, offset } => {
                    context::keyword_at(scan, usize::from(index), at.wrapping_sub(usize::from(offset)))
                }
                Action::Shape { index, offset } => {
                    shape_at(scan, usize::from(index), at.wrapping_sub(usize::from(offset)))
                }
            }
        }
        index = entry.next;
    }
}

fn shape_at(scan: &mut Scan<'_>, index: usize, at: usize) {
    let rule = &PREFIXED[index];
    let Some(found) = shape::match_at(rule.pattern, scan.bytes, at.min(scan.bytes.len())) else { return };
    let body = &scan.bytes[found.body..found.end];
    let glue = Glue { prefix: shape::prefix(rule.pattern), pattern: rule.pattern, any_body: rule.floor == 0.0 };
    if !glue.stands(scan.bytes, at, body) {
        return;
    }
    // `AC9f8e….png` is a file's name; `backup-ghp_….json` is one with a token in it.
    if found.file_name && !glue.names_file(scan.bytes, at, body) {
        return;
    }
    let next = scan.bytes.get(found.end);
    if glue.any_body && matches!(next, Some(b'/' | b'+')) || glue.prefix.len() < 5 && next == Some(&b'+') {
        return;
    }
    if rule.floor > 0.0 && (entropy::bits(body) < rule.floor || entropy::is_filler(body) || entropy::is_runs(body)) {
        return;
    }
    if rule.floor > 0.0 && body.len() >= 20 && is_words(body) {
        return;
    }
    scan.hit(at, found.end, rule.name, Rank::Shape);
}

/// `learn-contrib-package-list`: small words joined by dashes, no digit.
fn is_words(body: &[u8]) -> bool {
    entropy::Mix::of(body).digit == 0
        && body.split(|b| matches!(b, b'-' | b'_' | b'.')).count() >= 3
        && body.iter().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_small_enough_for_its_indices() {
        let filter = build();
        eprintln!("actions: {}", filter.actions.len());
        assert!(filter.actions.len() < usize::from(NONE));
        assert!(filter.actions.len() < 6000, "expansion of a short prefix has grown out of hand");
    }
}
