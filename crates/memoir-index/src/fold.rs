//! Folds characters: lower case, no accents, no width; and tells which scripts are written without spaces.

use unicode_normalization::char::decompose_compatible;

/// Whether words of this script follow each other without spaces.
pub(crate) const fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0e01..=0x0e4e // Thai
        | 0x0e81..=0x0ece // Lao
        | 0x1000..=0x109f // Myanmar
        | 0x1780..=0x17d3 // Khmer
        | 0x1100..=0x11ff | 0xac00..=0xd7af // Hangul: its particles stick to the words
        | 0x3005..=0x3007 | 0x3041..=0x3096 | 0x3099..=0x309f | 0x30a1..=0x30fa | 0x30fc..=0x30ff
        | 0x3105..=0x312f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0xff66..=0xff9f | 0x20000..=0x3fffd)
}

/// Appends the folded form of `c`.
pub(crate) fn fold_into(c: char, out: &mut String) {
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
