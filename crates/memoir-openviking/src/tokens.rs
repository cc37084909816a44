//! How many tokens a text is about, counted as the API's clients count.

/// Quarters of a token: the API counts in fractions and rounds up once, at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quarters(u64);

impl Quarters {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        // ASCII is the rule, and counts as many quarters as it has bytes.
        let quarters = if text.is_ascii() {
            u64::try_from(text.len()).unwrap_or(u64::MAX)
        } else {
            text.chars().map(quarters_of).sum()
        };
        self.0 = self.0.saturating_add(quarters);
    }

    /// Whole tokens.
    pub const fn tokens(self) -> u64 {
        self.0.div_ceil(4)
    }
}

/// The tokens of one text.
pub fn tokens_of(text: &str) -> u64 {
    let mut quarters = Quarters::default();
    quarters.add(text);
    quarters.tokens()
}

const fn quarters_of(c: char) -> u64 {
    match c {
        '\u{10000}'.. => 8,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' => 6,
        '\u{ff00}'..='\u{ffef}' => 6,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_more_and_only_the_sum_is_rounded() {
        assert_eq!((tokens_of(""), tokens_of("abcd"), tokens_of("abcde")), (0, 1, 2));
        assert_eq!((tokens_of("好的"), tokens_of("🦀"), tokens_of("é")), (3, 2, 1));
        let mut both = Quarters::default();
        both.add("ab");
        both.add("cd");
        assert_eq!(both.tokens(), 1);
    }
}
