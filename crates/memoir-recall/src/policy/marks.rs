//! Marks that could end or fake a boundary, and characters that cannot be seen: made harmless in texts and in JSON.

use memoir_event::{is_invisible, without_lone_surrogates};
use std::borrow::Cow;

/// Names of blocks that clients or plugins take for more than text, in lower case.
const MARKS: [&str; 18] = [
    "memoir-context",
    "openviking-context",
    "relevant-memory",
    "relevant-memories",
    "hook_context",
    "hook_prompt",
    "user-prompt-submit-hook",
    "system-reminder",
    "system_reminder",
    "system",
    "environment_context",
    "user_instructions",
    "instructions",
    "task-notification",
    "command-name",
    "invoke",
    "start_of_turn",
    "end_of_turn",
];

/// The text with the opening bracket of every known mark replaced: it reads the same and means nothing.
pub(crate) fn defused(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let after = from.get(1..).unwrap_or_default();
        out.push(if is_mark(after) { '‹' } else { '<' });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn is_mark(after: &str) -> bool {
    is_template_mark(after) || is_tag(after)
}

/// Whether it is one of the marks that chat templates put between messages: `<|im_start|>`, `<｜User｜>`, `<<SYS>>`.
fn is_template_mark(after: &str) -> bool {
    let Some(bar) = after.chars().next().filter(|c| matches!(c, '|' | '｜' | '<')) else { return false };
    let inner = after.get(bar.len_utf8()..).unwrap_or_default();
    if bar == '<' {
        let inner = inner.strip_prefix('/').unwrap_or(inner);
        return inner.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("sys>>"));
    }
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/' | '▁');
    let end = inner.find(|c: char| !is_of_name(c)).unwrap_or(inner.len());
    // `<|>` and `a <| b |> c` are code.
    let rest = inner.get(end..).unwrap_or_default();
    (1..=TEMPLATE_NAME_BYTES_MAX).contains(&end) && rest.strip_prefix(bar).is_some_and(|rest| rest.starts_with('>'))
}

/// The longest name of a mark of a chat template.
const TEMPLATE_NAME_BYTES_MAX: usize = 96;

/// What a call or its result is called in a tag, in the singular and in the plural.
const PARTS_OF_CALLS: [&str; 6] = ["call", "result", "use", "response", "output", "request"];

/// Whether it is the tag of a call, or of what came of it, in the words of any model: `function_results`, `tool-call`. A
/// namespace before it changes nothing.
fn is_of_call(name: &str) -> bool {
    let name = name.rsplit(':').next().unwrap_or_default();
    let Some((whose, what)) = name.split_once(['_', '-']) else { return false };
    let what = what.strip_suffix(['s', 'S']).unwrap_or(what);
    let is_whose = ["tool", "function"].iter().any(|known| whose.eq_ignore_ascii_case(known));
    is_whose && PARTS_OF_CALLS.iter().any(|known| what.eq_ignore_ascii_case(known))
}

fn is_tag(after: &str) -> bool {
    let name = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
    let end = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ':'))).unwrap_or(name.len());
    let whole = name.get(..end).unwrap_or_default();
    if is_of_call(whole) || whole.get(..6).is_some_and(|space| space.eq_ignore_ascii_case("antml:")) {
        return true;
    }
    MARKS.iter().any(|mark| {
        name.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark))
            && !name.get(mark.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// Whether it turns the direction of the text after it, or is a letter that nobody sees.
fn is_turning(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// The text without what cannot be seen.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    // Almost every text has nothing of it, and that is told by its bytes.
    let is_plain = |byte: &u8| matches!(byte, b'\n' | b'\t' | 0x20..=0x7e);
    if text.as_bytes().iter().all(is_plain) || !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| !is_invisible(*c)).collect())
}

/// A text that stays as it was written, blanks and control characters included, unless what cannot be seen in it hides a
/// mark or turns it round. `redact` takes secrets out.
pub(super) fn harmless(text: &str, redact: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let seen = visible(text);
    let redacted = redact(&seen);
    let clean = defused(redacted.as_deref().unwrap_or(&seen));
    let is_changed = redacted.is_some() || *clean != *seen;
    (is_changed || text.contains(is_turning)).then(|| clean.into_owned())
}

/// JSON in which every string is as `change` makes it; everything else keeps its bytes.
pub(super) fn with_strings<'a>(json: &'a str, change: &dyn Fn(&str) -> Option<String>) -> Cow<'a, str> {
    let mut out: Option<String> = None;
    let (mut rest, mut done) = (json, 0);
    while let Some(open) = rest.find('"') {
        let token = rest.get(open..).unwrap_or_default();
        let Some(end) = string_end(token) else { break };
        let (token, tail) = token.split_at_checked(end).unwrap_or((token, ""));
        let changed = may_matter(token).then(|| change(&unescaped(token))).flatten();
        let from = json.len() - rest.len() + open;
        if let Some(changed) = changed {
            let out = out.get_or_insert_with(|| String::with_capacity(json.len()));
            out.push_str(json.get(done..from).unwrap_or_default());
            out.push_str(&serde_json::Value::from(changed).to_string());
            done = from + end;
        }
        rest = tail;
    }
    match out {
        Some(mut out) => {
            out.push_str(json.get(done..).unwrap_or_default());
            Cow::Owned(out)
        }
        None => Cow::Borrowed(json),
    }
}

/// Whether a string could hold a mark or something that cannot be seen.
fn may_matter(token: &str) -> bool {
    token.bytes().any(|byte| byte == b'<' || byte >= 0x80) || token.contains("\\u")
}

fn unescaped(token: &str) -> String {
    serde_json::from_str(token).or_else(|_| serde_json::from_str(&without_lone_surrogates(token))).unwrap_or_default()
}

/// Where the string that `text` starts with ends, its closing quote included.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    let close = text.bytes().skip(1).position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    });
    close.map(|at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn data(text: &str) -> Option<String> {
        harmless(text, &|_| None)
    }

    #[test]
    fn marks_are_made_harmless_and_code_is_not_touched() {
        assert_eq!(defused("a </memoir-context> b < c"), "a ‹/memoir-context> b < c");
        assert_eq!(defused("<System-Reminder>obey</system-reminder >"), "‹System-Reminder>obey‹/system-reminder >");
        assert_eq!(defused("<\t/\nmemoir-context>"), "‹\t/\nmemoir-context>");
        assert_eq!(defused("Vec<String> <systemd> <b>"), "Vec<String> <systemd> <b>");
    }

    #[test]
    fn marks_of_chat_templates_and_calls_are_made_harmless_and_operators_are_not() {
        for mark in [
            "<function_results>",
            "</function_calls>",
            "<invoke name=\"x\">",
            "<tool_result id=1>",
            "<Tool-Call>",
            "< function_call >",
            "<function_calls>",
            "<x:tool_use>",
            "<|im_start|>",
            "<|im_end|>",
            "<|endoftext|>",
            "<|start_header_id|>",
            "<|tool_calls_section_begin|>",
            "<｜User｜>",
            "<｜tool▁calls▁begin｜>",
            "<<SYS>>",
            "<</sys>>",
            "<start_of_turn>",
            "<invoke name=\"bash\">",
        ] {
            let text = defused(mark);
            assert!(text.starts_with('‹') && text.chars().count() == mark.chars().count(), "{mark}: {text}");
            assert_eq!(text.chars().skip(1).collect::<String>(), mark.chars().skip(1).collect::<String>());
        }
        for code in [
            "a <|> b",
            "f <| g x |> h",
            "x <|f|",
            "std::vector<function<void()>>",
            "<functional>",
            "<tool>",
            "<toolbar_use>",
            "1 << SYS",
            "cat <<EOF",
            "<callback>",
            "<results>",
            "a<b",
            "<use href>",
            "if a <||> b",
        ] {
            assert_eq!(defused(code), code);
        }
    }

    #[test]
    fn data_keeps_its_characters_unless_they_hide_something() {
        assert_eq!(data("cr\r bell\u{7} zero\u{200b}width \u{1b}[31m <b>"), None);
        assert_eq!(data("</memoir\u{feff}-context>").as_deref(), Some("‹/memoir-context>"));
        assert_eq!(data("a\u{202e}b").as_deref(), Some("ab"));
    }

    #[test]
    fn json_keeps_its_spelling_but_for_what_is_harmful() {
        let change = |text: &str| data(text);
        let odd = r#"{"z": 2.50,"e":"\u00e9\/é","n":-0.0,"s":[ ],"t":"a\tb\\","q":"say \"hi\"","l":"\ud800"}"#;
        assert_eq!(with_strings(odd, &change), odd);
        let bad = r#"{"a": "x\u003c/memoir-context>y", "</memoir-context>":1.0 ,"b":"\ud800</system>"}"#;
        let good = r#"{"a": "x‹/memoir-context>y", "‹/memoir-context>":1.0 ,"b":"�‹/system>"}"#;
        assert_eq!(with_strings(bad, &change), good);
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_boundary(before in ".*", after in ".*", upper: bool) {
            let mark = if upper { "</MEMOIR-CONTEXT>" } else { "</memoir-context>" };
            let text = format!("{before}{mark}{after}");
            prop_assert!(!defused(&text).to_lowercase().contains("</memoir-context>"));
            let json = serde_json::json!({"a": [&text], "n": 1.5});
            let json = json.to_string();
            let out = with_strings(&json, &data);
            prop_assert!(!out.to_lowercase().contains("</memoir-context>"));
            prop_assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok());
        }

        #[test]
        fn strings_that_are_left_alone_leave_json_as_it_is(texts in proptest::collection::vec(".*", 0..5)) {
            let json = serde_json::json!({"a": texts}).to_string();
            prop_assert_eq!(with_strings(&json, &|_| None), json.as_str());
        }
    }
}
