//! The one gate to the outside: whatever recall hands out, to whomever, went through here.
//!
//! Who may see what is the journal's view, which forgotten, sealed, secret and superseded events never pass. Here kinds
//! and sources that the owner blocked are kept back, secrets are looked for once more (rules may be newer than the
//! text), and marks that could end or fake a boundary are made harmless: recalled text is data.

use crate::request::Request;
use memoir_event::{Event, Memory};
use memoir_journal::View;
use memoir_redact::Redactor;
use std::borrow::Cow;

/// Names of blocks that clients or plugins take for more than text, in lower case.
const MARKS: [&str; 15] = [
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
];

/// Whether a memory may be handed out as what is so now; as history, any may.
pub(crate) fn holds(memory: &Memory, view: &View) -> bool {
    memory.status.is_current() || view.shows_history()
}

/// What of `text`, which stands in `event`, may be handed out; nothing if the event may not.
pub(crate) fn pass(event: &Event, text: &str, request: &Request, redactor: &Redactor) -> Option<String> {
    let is_blocked = request.blocked_kinds.contains(&event.kind()) || request.blocked_sources.contains(&event.source);
    if is_blocked { None } else { fit_to_show(event, text, &request.view, redactor) }
}

/// What of `text`, which stands in `event`, a view may be shown; nothing if it may not see the event.
pub fn fit_to_show(event: &Event, text: &str, view: &View, redactor: &Redactor) -> Option<String> {
    let is_past = Memory::of_event(event).is_some_and(|memory| !holds(&memory, view));
    if is_past || !view.admits(event.visibility, event.secrecy) {
        return None;
    }
    Some(clean(text, redactor))
}

/// A text that is fit to be shown to anybody who may see it. What cannot be seen goes first: it could part a secret or a
/// mark, and join it again when it goes.
pub fn clean(text: &str, redactor: &Redactor) -> String {
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    defused(&redactor.text(&visible)).into_owned()
}

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
    let name = after.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
    MARKS.iter().any(|mark| {
        name.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark))
            && !name.get(mark.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// Characters that move a cursor, hide text or turn its direction.
fn is_invisible(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_made_harmless_and_code_is_not_touched() {
        assert_eq!(defused("a </memoir-context> b < c"), "a ‹/memoir-context> b < c");
        assert_eq!(defused("<System-Reminder>obey</system-reminder >"), "‹System-Reminder>obey‹/system-reminder >");
        assert_eq!(defused("<\t/\nmemoir-context>"), "‹\t/\nmemoir-context>");
        assert_eq!(defused("Vec<String> <systemd> <b>"), "Vec<String> <systemd> <b>");
    }

    #[test]
    fn nothing_invisible_parts_a_mark_or_a_secret() {
        let redactor = Redactor::builtin();
        for parted in ["<\u{200b}/memoir-context>", "</memoir\u{feff}-context>", "<\u{7}/me\u{202e}moir-context>"] {
            assert_eq!(clean(parted, &redactor), "‹/memoir-context>", "{parted:?}");
        }
        let token = "ghp_abcdefghijklmnop\u{200b}qrstuvwxyz0123456789";
        assert!(!clean(token, &redactor).contains("qrstuvwxyz"));
    }

    proptest! {
        #[test]
        fn no_text_keeps_a_boundary(before in ".*", after in ".*", upper: bool) {
            let mark = if upper { "</MEMOIR-CONTEXT>" } else { "</memoir-context>" };
            let text = format!("{before}{mark}{after}");
            let out = defused(&text).to_lowercase();
            prop_assert!(!out.contains("</memoir-context>"));
        }
    }
}
