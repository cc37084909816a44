//! The word for a password in other languages: `パスワード：…`, `contraseña: …`, `пароль=…`.
//!
//! `Passwort` is among the English names: it is written like them.

use crate::scan::{Rank, Scan};
use crate::{entropy, value};

/// The words in lower case, and the four bytes by which each is noticed in a text.
const WORDS: &[(&str, [u8; 4])] = &[
    ("パスワード", [0xaf, 0xe3, 0x83, 0xbc]),
    ("密码", [0x86, 0xe7, 0xa0, 0x81]),
    ("密碼", [0x86, 0xe7, 0xa2, 0xbc]),
    ("비밀번호", [0x88, 0xed, 0x98, 0xb8]),
    ("contraseña", *b"se\xc3\xb1"),
    ("contraseÑa", *b"SE\xc3\x91"),
    ("contrasena", *b"sena"),
    ("mot de passe", *b"mot "),
    ("mot_de_passe", *b"mot_"),
    ("kennwort", *b"nnwo"),
    ("senha", *b"senh"),
    ("пароль", [0xbe, 0xd0, 0xbb, 0xd1]),
    ("ПАРОЛЬ", [0x9e, 0xd0, 0x9b, 0xd0]),
    ("Пароль", [0xbe, 0xd0, 0xbb, 0xd1]),
    ("wachtwoord", *b"htwo"),
    ("lösenord", *b"seno"),
    ("lÖsenord", *b"SENO"),
];

/// What may stand between the word and the value.
const SEPARATORS: [&str; 6] = [":", "=", "：", "＝", "は", "是"];
/// Quotes that are no ASCII.
const QUOTES: [&str; 6] = ["「", "『", "“", "„", "«", "‘"];
/// Shortest value.
const VALUE_BYTES_MIN: usize = 4;
/// Shortest value whose kinds of letters are enough.
const MIXED_BYTES_MIN: usize = 8;
/// Longest value that is read.
const VALUE_BYTES_MAX: usize = 256;

/// Calls `put` with the bytes that lead to [`at`].
pub(crate) fn windows(mut put: impl FnMut([u8; 4])) {
    for (i, &(_, window)) in WORDS.iter().enumerate() {
        // One case stands for both.
        if WORDS[..i].iter().all(|(_, w)| !w.eq_ignore_ascii_case(&window)) {
            put(window);
        }
    }
}

/// Whether `name` ends in one of the words.
pub(crate) fn ends(name: &[u8]) -> bool {
    // The last letters of the words: most names end otherwise.
    let [.., a, b] = name else { return false };
    let may = match b | 0x20 {
        b'a' => matches!(a | 0x20, b'h' | b'n' | 0xb1),
        b'e' => a | 0x20 == b's',
        b't' | b'd' => a | 0x20 == b'r',
        _ => !b.is_ascii(),
    };
    may && WORDS.iter().any(|(word, _)| ends_with(name, word))
}

fn ends_with(text: &[u8], word: &str) -> bool {
    let tail = text.len().checked_sub(word.len()).map(|from| &text[from..]);
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word.as_bytes()))
}

/// Looks for a word around `at`, and for a value after it.
pub(crate) fn at(scan: &mut Scan<'_>, at: usize) {
    let Some(after) = word_end(scan.bytes, at) else { return };
    let Some(rest) = scan.text.get(after..) else { return };
    let quote = |c: char| matches!(c, '"' | '\'' | '`' | '\\' | '*');
    let blanks = |s: &str| s.trim_start_matches([' ', '\t', '\u{3000}']).len();
    let closed = rest.trim_start_matches(quote);
    let spaced = &rest[rest.len() - blanks(closed)..];
    let Some(separated) = SEPARATORS.iter().find_map(|s| spaced.strip_prefix(s)) else { return };
    let start = scan.text.len() - blanks(separated);
    let mut value = &scan.text[start..];
    value = value.trim_start_matches(quote);
    value = QUOTES.iter().find_map(|q| value.strip_prefix(q)).unwrap_or(value);
    let start = scan.text.len() - value.len();
    let len = value
        .bytes()
        .take(VALUE_BYTES_MAX)
        .take_while(|b| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>' | b'|'))
        .count();
    let word = value[..len].trim_end_matches([',', ';', '.', ':', ')', '}', ']']);
    if is_password(word.as_bytes()) {
        scan.hit(start, start + word.len(), "password", Rank::Named);
    }
}

/// Where the word ends that the window at `at` is part of.
fn word_end(text: &[u8], at: usize) -> Option<usize> {
    WORDS.iter().find_map(|(word, window)| {
        let offset = word.as_bytes().windows(4).position(|w| w.eq_ignore_ascii_case(window))?;
        let start = at.checked_sub(offset)?;
        let found = text.get(start..start + word.len())?;
        found.eq_ignore_ascii_case(word.as_bytes()).then_some(start + word.len())
    })
}

/// Nothing that a sentence or a program would have there.
fn is_password(v: &[u8]) -> bool {
    if v.len() < VALUE_BYTES_MIN || value::is_placeholder(v) || value::is_prose(v) || v.contains(&b'(') {
        return false;
    }
    let mix = entropy::Mix::of(v);
    let symbol = v.iter().any(|b| b"@!$#%^*+=~&?".contains(b));
    let tail = entropy::Mix::of(&v[1..]);
    mix.letters() > 0 && (mix.digit > 0 || symbol)
        || v.len() >= MIXED_BYTES_MIN && tail.upper > 0 && tail.lower > 0 && mix.other == 0
}
