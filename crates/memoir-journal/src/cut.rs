//! Cuts what is too long out of the middle of a text, after redaction: a cut could hide half of a secret from the rules.

use memoir_event::Json;

/// How much of a text is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Characters of a tool's result.
    pub tool_result_chars: usize,
    /// Characters of any other text.
    pub text_chars: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tool_result_chars: 100_000, text_chars: 1_000_000 }
    }
}

/// Cuts the text to so many characters, with a note of its full size.
pub(crate) fn cut_text(text: &mut String, chars_max: usize) {
    // Characters are at least a byte each: most texts need no counting.
    if text.len() <= chars_max {
        return;
    }
    let chars = text.chars().count();
    if chars <= chars_max {
        return;
    }
    let half = chars_max / 2;
    let head = text.char_indices().nth(half).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().nth_back(half.saturating_sub(1)).map_or(0, |(at, _)| at);
    let tail = if half == 0 { text.len() } else { tail };
    let note = format!("\n…[{} of {chars} characters left out]…\n", chars - 2 * half);
    let kept = format!("{}{note}{}", text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    *text = kept;
}

/// Cuts every text inside a document.
pub(crate) fn cut_json(json: &mut Json, chars_max: usize) {
    if json.as_str().len() <= chars_max {
        return;
    }
    let mut value = json.to_value();
    if cut_value(&mut value, chars_max) {
        *json = Json::from_value(&value);
    }
}

fn cut_value(value: &mut serde_json::Value, chars_max: usize) -> bool {
    match value {
        serde_json::Value::String(text) => {
            let before = text.len();
            cut_text(text, chars_max);
            text.len() != before
        }
        serde_json::Value::Array(items) => items.iter_mut().fold(false, |cut, item| cut_value(item, chars_max) | cut),
        serde_json::Value::Object(fields) => {
            fields.iter_mut().fold(false, |cut, (_, value)| cut_value(value, chars_max) | cut)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_keeps_its_ends_and_says_how_long_it_was() {
        let mut text = format!("start{}end", "é".repeat(1000));
        cut_text(&mut text, 10);
        assert_eq!(text, "start\n…[998 of 1008 characters left out]…\néénd".replace("éénd", "ééend"));
        let mut json = Json::parse(format!(r#"{{"a":1.50,"b":["{}"]}}"#, "x".repeat(50))).unwrap();
        cut_json(&mut json, 10);
        assert_eq!(json.as_str(), r#"{"a":1.5,"b":["xxxxx\n…[40 of 50 characters left out]…\nxxxxx"]}"#);
    }

    proptest! {
        #[test]
        fn a_cut_never_breaks_a_text_and_short_ones_stay(text in "\\PC{0,60}", max in 0usize..80) {
            let mut cut = text.clone();
            cut_text(&mut cut, max);
            prop_assert_eq!(cut == text, text.chars().count() <= max);
        }
    }
}
