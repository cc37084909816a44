//! Sentences of a text, and how a long text is cut.

/// The sentences and lines of a text, without blanks around them. What stands in a fenced block is code, not speech.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    let lines = text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        !is_fence && !in_code
    });
    lines.flat_map(of_line).map(without_bullet).filter(|sentence| !sentence.is_empty())
}

fn of_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (sentence, after) = rest.split_at(end_of_sentence(rest));
        rest = after;
        Some(sentence.trim())
    })
}

/// A sentence ends at a mark with a blank behind it, or at a full-width one.
fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '.' | '!' | '?' => chars.peek().is_some_and(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' => true,
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}

fn without_bullet(sentence: &str) -> &str {
    let rest = sentence.trim_start_matches(['-', '*', '#', '•', '>', ' ', '\t']);
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let after = rest.get(digits..).unwrap_or_default();
    if digits > 0
        && let Some(item) = after.strip_prefix(['.', ')'])
    {
        return item.trim();
    }
    rest.trim()
}

/// The text on one line, at most so many characters of it, and whether that is not all.
pub(crate) fn cut(text: &str, chars_max: usize) -> (String, bool) {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let blank = usize::from(!out.is_empty());
        let chars = word.chars().count();
        if count + blank + chars > chars_max {
            if out.is_empty() {
                out.extend(word.chars().take(chars_max));
            }
            return (out, true);
        }
        if blank == 1 {
            out.push(' ');
        }
        out.push_str(word);
        count += blank + chars;
    }
    (out, false)
}

/// Whether any of those phrases stands in a text in lower case, not as a part of longer words.
pub(crate) fn says_any(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| says(lower, phrase))
}

fn says(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, found)| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        let after = lower.get(at + found.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_falls_into_sentences_and_code_is_left_out() {
        let text = "Done. See v1.2 now!\n- first point\n2) second? yes\n```\nlet x = 1. ;\n```\n終わり。次。";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["Done.", "See v1.2 now!", "first point", "second?", "yes", "終わり。", "次。"]);
    }

    #[test]
    fn a_cut_ends_at_a_word_and_a_word_without_end_is_cut_too() {
        assert_eq!(cut("one two  three", 9), ("one two".to_owned(), true));
        assert_eq!(cut(" one\ntwo ", 9), ("one two".to_owned(), false));
        assert_eq!(cut("ääääääää", 3), ("äää".to_owned(), true));
    }

    #[test]
    fn phrases_are_whole_words() {
        assert!(says_any("we use tabs", &["we use"]) && !says_any("we used tabs", &["we use"]));
        assert!(says_any("so: because.", &["because"]));
    }

    proptest! {
        #[test]
        fn nothing_is_longer_than_asked_and_nothing_breaks(text in ".*", max in 0usize..40) {
            let (cut, _) = cut(&text, max);
            prop_assert!(cut.chars().count() <= max);
            prop_assert!(sentences(&text).all(|sentence| text.contains(sentence)));
        }
    }
}
