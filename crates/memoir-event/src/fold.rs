//! Folds characters, so that a text is found however it is typed: lower case, no accents, no width.

use unicode_normalization::char::decompose_compatible;

/// Appends the folded form of `c`.
pub fn fold_into(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
        return;
    }
    match c {
        'ß' | 'ẞ' => out.push_str("ss"),
        'æ' | 'Æ' => out.push_str("ae"),
        'œ' | 'Œ' => out.push_str("oe"),
        'ø' | 'Ø' => out.push('o'),
        'đ' | 'Đ' | 'ð' | 'Ð' => out.push('d'),
        'ł' | 'Ł' => out.push('l'),
        'ı' => out.push('i'),
        'þ' | 'Þ' => out.push_str("th"),
        _ if has_accents(c) => decompose_compatible(c, |part| {
            if !matches!(part, '\u{300}'..='\u{36f}') {
                out.extend(part.to_lowercase());
            }
        }),
        '\u{300}'..='\u{36f}' => {}
        _ => out.extend(c.to_lowercase()),
    }
}

/// The blocks whose characters are a letter with an accent or a width. Elsewhere a mark is part of the letter.
const fn has_accents(c: char) -> bool {
    matches!(c as u32, 0xaa..=0x24f | 0x370..=0x52f | 0x1e00..=0x1fff | 0x2070..=0x209f | 0xfb00..=0xfb06 | 0xff00..=0xffef)
}

/// Whether a character moves a cursor, hides text, turns its direction, or is a letter that nobody sees.
pub fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{feff}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}
