//! Texts that lost their middle before they were read, because nobody can hold them: what is stored of them says how long
//! they were.
//!
//! The journal cuts what is too long, and notes the length that it sees. Of such a text it would see what is left of it:
//! so it is cut here already, after redaction like there, to what the journal takes as it is.

use memoir_event::{Content, Event, Json, Kind};
use memoir_journal::Limits;
use memoir_redact::{Findings, Redactor};
use serde_json::Value;

/// Stands around a mark; no text has it where a mark has it.
const EDGE: char = '\u{2063}';

/// What a mark says after its number.
const SAID: &str = " characters left out]…";

/// Texts below this are whole: much more than that is kept of any.
const WHOLE_BYTES: usize = 1 << 20;

/// Room for the note.
const NOTE_CHARS: usize = 100;

/// What stands in the place of so many characters.
pub(crate) fn mark(left_out: u64) -> String {
    format!("{EDGE}…[{left_out}{SAID}{EDGE}")
}

/// Cuts what lost its middle to what is kept of such a text, with a note of its full size. Tells which secrets were in it.
pub(crate) fn settle(event: &mut Event, limits: Limits, redactor: &Redactor) -> Findings {
    let mut found = Findings::default();
    if event.content.verbatim().len() < WHOLE_BYTES || !event.content.verbatim().contains(SAID) {
        return found;
    }
    let chars_max = if event.kind() == Kind::ToolResult { limits.tool_result_chars } else { limits.text_chars };
    match &mut event.content {
        Content::Text(text) => {
            if let Some(cut) = cut(text, chars_max, redactor, &mut found) {
                *text = cut;
            }
        }
        Content::Json(json) | Content::Payload(json) => {
            let mut value = json.to_value();
            cut_values(&mut value, chars_max, redactor, &mut found);
            *json = Json::from_value(&value);
        }
    }
    found
}

fn cut_values(value: &mut Value, chars_max: usize, redactor: &Redactor, found: &mut Findings) {
    match value {
        Value::String(text) => {
            if let Some(cut) = cut(text, chars_max, redactor, found) {
                *text = cut;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_values(item, chars_max, redactor, found)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, value)| cut_values(value, chars_max, redactor, found)),
        _ => {}
    }
}

/// The two ends of a text with marks in it; none if it has none.
fn cut(text: &str, chars_max: usize, redactor: &Redactor, found: &mut Findings) -> Option<String> {
    parts(text)?;
    // A cut could hide half of a secret from the rules.
    let clean = redactor.text_with(text, found);
    let (pieces, left_out) = parts(&clean)?;
    let chars: usize = pieces.iter().map(|piece| piece.chars().count()).sum();
    let total = u64::try_from(chars).unwrap_or(u64::MAX).saturating_add(left_out);
    let (first, last) = (pieces.first()?, pieces.last()?);
    let half = chars_max.saturating_sub(NOTE_CHARS) / 2;
    let head = first.char_indices().nth(half).and_then(|(end, _)| first.get(..end)).unwrap_or(first);
    let tail_from = last.char_indices().rev().nth(half.saturating_sub(1)).map_or(0, |(from, _)| from);
    let tail = if half == 0 { "" } else { last.get(tail_from..).unwrap_or_default() };
    let kept = u64::try_from(head.chars().count() + tail.chars().count()).unwrap_or(u64::MAX);
    let left_out = total.saturating_sub(kept);
    Some(format!("{head}\n…[{left_out} of {total}{SAID}\n{tail}"))
}

/// What stands between the marks of a text, and how much they stand for; none if there is no mark.
fn parts(text: &str) -> Option<(Vec<&str>, u64)> {
    let (mut pieces, mut left_out, mut rest) = (Vec::new(), 0_u64, text);
    while let Some((before, after)) = rest.split_once(EDGE) {
        let number = after.strip_prefix("…[").and_then(|after| after.split_once(SAID));
        let marked = number.and_then(|(number, after)| Some((number.parse::<u64>().ok()?, after.strip_prefix(EDGE)?)));
        let (number, after) = marked?;
        pieces.push(before);
        left_out = left_out.saturating_add(number);
        rest = after;
    }
    pieces.push(rest);
    (pieces.len() > 1).then_some((pieces, left_out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::Source;

    fn settled(kind: Kind, content: Content, limits: Limits) -> String {
        let mut event = Event::new(Source::CodexHistory, "s", kind, content);
        settle(&mut event, limits, &Redactor::builtin());
        event.content.verbatim().to_owned()
    }

    #[test]
    fn what_is_stored_says_how_long_the_text_was_and_the_journal_need_not_cut_it() {
        let text = format!("{}é{}{}", "a".repeat(WHOLE_BYTES), mark(56_000_000), "b".repeat(WHOLE_BYTES));
        let limits = Limits::default();
        let told = settled(Kind::ToolResult, Content::Text(text.clone()), limits);
        let total = 56_000_000 + 2 * WHOLE_BYTES + 1;
        let kept = limits.tool_result_chars - NOTE_CHARS;
        assert!(
            told.contains(&format!("…[{} of {total} characters left out]…", total - kept)),
            "{}",
            &told[49_900..50_200]
        );
        assert!(told.starts_with("aaa") && told.ends_with("bbb") && told.chars().count() <= limits.tool_result_chars);
        let payload = Json::parse(serde_json::json!({"item": {"text": text, "n": 1}}).to_string()).unwrap();
        let told = settled(Kind::ToolCall, Content::Payload(payload), limits);
        assert!(told.contains(&format!("of {total} characters left out]…")) && told.ends_with("\"n\":1}}"));
        let small = settled(Kind::ToolResult, Content::Text(text), Limits { tool_result_chars: 0, ..limits });
        assert!(small.starts_with("\n…[") && small.ends_with("]…\n"), "{}", small.len());
    }

    #[test]
    fn a_text_in_several_pieces_is_as_long_as_all_of_them() {
        let long = "x".repeat(WHOLE_BYTES);
        let text = format!("{long}{}{long}{}{long}", mark(10), mark(20));
        let told = settled(Kind::AssistantMessage, Content::Text(text), Limits::default());
        assert!(told.contains(&format!(" of {} characters", 30 + 3 * WHOLE_BYTES)));
    }

    #[test]
    fn what_others_say_about_such_things_is_left_alone() {
        for text in ["…[5 of 10 characters left out]…", "\u{2063}…[x characters left out]…\u{2063}", "\u{2063}"]
        {
            let text = format!("{}{text}", "x".repeat(WHOLE_BYTES));
            assert_eq!(settled(Kind::ToolResult, Content::Text(text.clone()), Limits::default()), text);
        }
    }

    #[test]
    fn half_a_secret_is_none() {
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let head = "x ".repeat((100_000 - NOTE_CHARS) / 4 - 2) + &secret + " ";
        let text = format!("{head}{}{}{}", "y".repeat(WHOLE_BYTES), mark(1), "z".repeat(WHOLE_BYTES));
        let told = settled(Kind::ToolResult, Content::Text(text), Limits::default());
        assert!(!told.contains("ghp_"), "{}", &told[49_800..50_100]);
    }
}
