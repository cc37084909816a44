//! What Gemini CLI's tools return.

use crate::boundary;
use crate::content::Unknown;
use crate::lenient::{Flag, List, Raw, Text, Words, lenient};
use crate::media::Media;
use crate::out::Out;
use crate::patch::{Change, ChangeKind};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A result, told.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub output: String,
    pub exit_code: Option<i64>,
    pub failed: bool,
}

/// What the model was told about a finished call.
pub(super) fn told(name: &str, text: &str, failed: bool, out: &mut Out) -> Told {
    let text = boundary::without_injected(text, out);
    let (note, text) = without_note(&text);
    let text = unframed(text);
    if !crate::shell::runs_commands(name) {
        return Told { output: format!("{note}{text}"), exit_code: None, failed };
    }
    let lines: Vec<&str> = text.lines().collect();
    let about = |line: &str| {
        ["Exit Code: ", "Process Group PGID: ", "Background PIDs: ", "Signal: "]
            .iter()
            .any(|head| line.starts_with(head))
    };
    let tail = lines.iter().rev().take_while(|line| about(line)).count();
    let (body, about) = lines.split_at(lines.len() - tail);
    let exit_code = about.iter().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse::<i64>().ok());
    let body = body.join("\n");
    let output = body.strip_prefix("Output: ").unwrap_or(&body);
    let output = if output == "(empty)" { "" } else { output };
    let exit_code = exit_code.or((tail > 0 || body.starts_with("Output: ")).then_some(0));
    Told { output: format!("{note}{output}"), exit_code, failed: failed || exit_code.is_some_and(|code| code != 0) }
}

/// The line that says where the whole of a result is that was cut, and what is left of the result.
fn without_note(text: &str) -> (&str, &str) {
    let end = text.trim_start().starts_with("Output too large.").then(|| text.find("\n<untrusted_context>")).flatten();
    text.split_at(end.map_or(0, |end| end + 1))
}

/// The text inside the mark that Gemini CLI puts around what tools return.
fn unframed(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("<untrusted_context>").and_then(|rest| rest.strip_suffix("</untrusted_context>"));
    inner.map_or(text, str::trim)
}

/// What stands in a message: a text, a part, or a list of parts.
#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    pub texts: Vec<String>,
    pub media: Vec<Media>,
    /// Parts that nobody knows.
    pub unknown: Vec<Unknown<'a>>,
}

impl<'a> Parts<'a> {
    pub fn of(content: Raw<'a>) -> Parts<'a> {
        let mut found = Parts::default();
        let parts: List<Raw<'a>> = content.read();
        match content.is_list() {
            true => parts.0.into_iter().for_each(|part| found.take(part)),
            false => found.take(content),
        }
        found
    }

    fn take(&mut self, raw: Raw<'a>) {
        let Some(json) = raw.get() else { return };
        let fields: BTreeMap<Cow<'a, str>, Raw<'a>> = raw.read();
        let field = |name: &str| fields.get(name).copied().filter(|value| value.get().is_some());
        if !raw.is_object() {
            self.texts.extend(raw.read::<Words<'_>>().get().map(str::to_owned));
        } else if let Some(text) = field("text") {
            self.texts.extend(text.read::<Words<'_>>().get().map(str::to_owned));
        } else if let Some(data) = field("inlineData").or_else(|| field("fileData")) {
            self.media.push(media_of(&data.read()));
        } else if field("functionCall").is_none() && field("functionResponse").is_none() {
            let kind = format!("part.{}", fields.keys().next().map_or("", |name| name));
            self.unknown.push(Unknown { kind, json });
        }
    }

    /// Its texts and notes of its attachments, a line for each.
    pub fn text(&self) -> String {
        let notes = self.media.iter().map(Media::note);
        let lines: Vec<String> = self.texts.iter().filter(|text| !text.is_empty()).cloned().chain(notes).collect();
        lines.join("\n")
    }
}

/// The text of a result as the model gets it: a text, a part, a list of parts, or any value of a program's.
pub(super) fn text_of_result(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::Array(parts) if parts.iter().any(|part| part.is_object() || part.is_string()) => {
            parts.iter().map(text_of_result).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Array(parts) if parts.is_empty() => String::new(),
        Value::Object(part) => {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                return text.to_owned();
            }
            if let Some(data) = part.get("inlineData").or_else(|| part.get("fileData")) {
                return media_of(data).note();
            }
            match part.get("functionResponse").and_then(|response| response.get("response")) {
                Some(response) => {
                    let said = ["output", "error", "content"].iter().find_map(|name| response.get(name));
                    said.map_or_else(|| plain(response), text_of_result)
                }
                None => content.to_string(),
            }
        }
        value => plain(value),
    }
}

/// A text, or the JSON of anything else.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn media_of(data: &Value) -> Media {
    let kind = data.get("mimeType").and_then(Value::as_str).unwrap_or("data");
    match data.get("data").and_then(Value::as_str) {
        Some(bytes) => Media::of_base64(kind, bytes),
        None => Media { kind: kind.to_owned(), bytes: None },
    }
}

lenient! {
    struct Display<'a> {
        path: Text<'a> = "filePath",
        is_new: Flag = "isNewFile",
    }
}

lenient! {
    struct Arguments<'a> {
        file_path: Text<'a> = "file_path",
    }
}

/// The files that a successful call changed.
pub(super) fn changes(name: &str, arguments: &str, display: Raw<'_>) -> Vec<Change> {
    if !matches!(name, "write_file" | "replace" | "edit") {
        return Vec::new();
    }
    let shown: Display<'_> = display.read();
    let asked: Arguments<'_> = serde_json::from_str(arguments).unwrap_or_default();
    let kind = if shown.is_new.is_set() { ChangeKind::Add } else { ChangeKind::Update };
    shown.path.said().or_else(|| asked.file_path.said()).map(|path| Change::new(path, kind)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_any_shape_is_told() {
        for (json, expected) in [
            (r#"[{"functionResponse":{"response":{"output":"o"}}}]"#, "o"),
            (r#"{"functionResponse":{"response":{"other":1}}}"#, r#"{"other":1}"#),
            (r#"{"x":"y"}"#, r#"{"x":"y"}"#),
            (r#"["a",{"text":"b"},{"odd":1}]"#, "a\nb\n{\"odd\":1}"),
            ("[1,2]", "[1,2]"),
            ("42", "42"),
            ("null", ""),
        ] {
            assert_eq!(text_of_result(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
    }

    #[test]
    fn output_and_exit_code_come_out_of_their_frame() {
        let mut out = Out::default();
        let mut tell = |text: &str| told("run_shell_command", text, false, &mut out);
        let framed = "<untrusted_context>\nOutput: one\ntwo\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>\n\n<hook_context>x</hook_context>";
        assert_eq!(tell(framed), Told { output: "one\ntwo".into(), exit_code: Some(3), failed: true });
        let good = "<untrusted_context>\nOutput: (empty)\nProcess Group PGID: 7\n</untrusted_context>";
        assert_eq!(tell(good), Told { output: String::new(), exit_code: Some(0), failed: false });
        let cut = "Output too large. For full output see: /x\n<untrusted_context>\nOutput: 1\n... [9 characters omitted] ...\n9\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>";
        let output = "Output too large. For full output see: /x\n1\n... [9 characters omitted] ...\n9";
        assert_eq!(tell(cut), Told { output: output.into(), exit_code: Some(2), failed: true });
        assert_eq!(tell("Error: not run"), Told { output: "Error: not run".into(), exit_code: None, failed: false });
    }
}
