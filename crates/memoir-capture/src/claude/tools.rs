//! What Claude Code's tools return: the result that the client keeps, told in as few words as say it all.

use super::record::Texts;
use crate::content::returned;
use crate::lenient::{Flag, List, Number, Raw, Text, lenient};
use crate::patch::{Change, ChangeKind};
use crate::shell;
use serde::{Deserialize, Serialize};

/// A call whose result has not been seen.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub id: String,
    pub name: String,
    pub script: Option<String>,
    pub path: Option<String>,
}

impl Pending {
    pub fn new(id: &str, name: &str, input: &str) -> Pending {
        let input_fields: Input<'_> = serde_json::from_str(input).unwrap_or_default();
        let path = input_fields.file_path.owned().or_else(|| input_fields.notebook_path.owned());
        Pending { id: id.to_owned(), name: name.to_owned(), script: shell::script_of_call(name, input), path }
    }
}

lenient! {
    struct Input<'a> {
        file_path: Text<'a> = "file_path",
        notebook_path: Text<'a> = "notebook_path",
    }
}

lenient! {
    /// `toolUseResult`, or `tool_response` of a hook: the same object.
    struct Outcome<'a> {
        kind: Text<'a> = "type",
        stdout: Text<'a> = "stdout",
        stderr: Text<'a> = "stderr",
        interrupted: Flag = "interrupted",
        file_path: Text<'a> = "filePath",
        notebook_path: Text<'a> = "notebook_path",
        file: File<'a> = "file",
        filenames: Texts<'a> = "filenames",
        content: Raw<'a> = "content",
        patch: List<Raw<'a>> = "structuredPatch",
        old: Text<'a> = "oldString",
        edits: BashEdits<'a> = "bashEditDiff",
        code: Number = "code",
    }
}

lenient! {
    struct File<'a> {
        path: Text<'a> = "filePath",
        content: Text<'a> = "content",
        base64: Text<'a> = "base64",
        media_type: Text<'a> = "type",
    }
}

lenient! {
    struct BashEdits<'a> {
        files: List<EditedFile<'a>> = "files",
    }
}

lenient! {
    struct EditedFile<'a> {
        path: Text<'a> = "filePath",
        created: Flag = "created",
    }
}

/// A result, told.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub output: String,
    pub exit_code: Option<i64>,
    pub failed: bool,
    pub changes: Vec<Change>,
}

/// What a finished call returned: `outcome` is the client's own object, `content` what the model was shown.
pub(super) fn told(call: &Pending, outcome: Raw<'_>, content: Option<String>, is_error: bool) -> Told {
    if is_error || outcome.get().is_some_and(|text| text.starts_with("\"Error: ")) {
        let text = content.unwrap_or_else(|| outcome.read::<Text<'_>>().owned().unwrap_or_default());
        return failed(text.strip_prefix("Error: ").unwrap_or(&text));
    }
    if !outcome.is_object() {
        let output = content.unwrap_or_else(|| returned(outcome).text);
        let exit_code = call.script.is_some().then_some(0);
        return Told { output, exit_code, changes: changed(call, None), ..Told::default() };
    }
    let found: Outcome<'_> = outcome.read();
    let output = output_of(call, &found, content, outcome);
    let exit_code = call.script.as_ref().map(|_| 0).filter(|_| !found.interrupted.is_set());
    Told { output, exit_code, failed: false, changes: changed(call, Some(&found)) }
}

fn failed(text: &str) -> Told {
    let (code, rest) = match text.strip_prefix("Exit code ").map(|rest| rest.split_once('\n').unwrap_or((rest, ""))) {
        Some((code, rest)) => (code.trim().parse().ok(), rest),
        None => (None, text),
    };
    let output = if code.is_some() { rest } else { text };
    Told { output: output.to_owned(), exit_code: code, failed: true, changes: Vec::new() }
}

fn output_of(call: &Pending, found: &Outcome<'_>, content: Option<String>, outcome: Raw<'_>) -> String {
    if found.stdout.get().is_some() || found.stderr.get().is_some() {
        let parts = [found.stdout.get().unwrap_or_default(), found.stderr.get().unwrap_or_default()];
        let said: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        return said.join("\n");
    }
    if let Some(text) = found.file.content.get() {
        return text.to_owned();
    }
    if let Some(data) = found.file.base64.get() {
        let kind = found.file.media_type.said().unwrap_or("image");
        return crate::media::Media::of_base64(kind, data).note();
    }
    if let Some(path) = found.file_path.said().or_else(|| found.notebook_path.said()) {
        // The change itself stands in the call.
        return format!("{} {path}", kind_of(found).as_str());
    }
    if !found.filenames.0.is_empty() {
        let names: Vec<&str> = found.filenames.0.iter().filter_map(Text::get).collect();
        return names.join("\n");
    }
    let own = returned(found.content).text;
    if !own.trim().is_empty() {
        return own;
    }
    content.unwrap_or_else(|| {
        if call.name.is_empty() { String::new() } else { outcome.get().unwrap_or_default().to_owned() }
    })
}

fn kind_of(found: &Outcome<'_>) -> ChangeKind {
    if found.kind.is("create") { ChangeKind::Add } else { ChangeKind::Update }
}

/// The files that a call changed.
fn changed(call: &Pending, found: Option<&Outcome<'_>>) -> Vec<Change> {
    let is_edit = matches!(call.name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let path = found.and_then(|found| found.file_path.said().or_else(|| found.notebook_path.said()));
    if is_edit {
        let kind = found.map_or(ChangeKind::Update, kind_of);
        return path.or(call.path.as_deref()).map(|path| Change::new(path, kind)).into_iter().collect();
    }
    let by_command = found.into_iter().flat_map(|found| &found.edits.files.0);
    by_command
        .filter_map(|file| {
            let kind = if file.created.is_set() { ChangeKind::Add } else { ChangeKind::Update };
            file.path.said().map(|path| Change::new(path, kind))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tell(name: &str, input: &str, outcome: &str, content: Option<&str>, is_error: bool) -> Told {
        let raw: Raw<'_> = serde_json::from_str(outcome).unwrap();
        told(&Pending::new("t", name, input), raw, content.map(str::to_owned), is_error)
    }

    #[test]
    fn a_command_tells_output_and_exit_code_whether_a_hook_or_the_file_shows_it() {
        let ok =
            tell("Bash", r#"{"command":"ls"}"#, r#"{"stdout":"a\nb","stderr":"w","interrupted":false}"#, None, false);
        assert_eq!((ok.output.as_str(), ok.exit_code, ok.failed), ("a\nb\nw", Some(0), false));
        let bad = tell("Bash", r#"{"command":"x"}"#, r#""Error: Exit code 3\nout""#, Some("Exit code 3\nout"), true);
        assert_eq!((bad.output.as_str(), bad.exit_code, bad.failed), ("out", Some(3), true));
        let hook = tell("Bash", r#"{"command":"x"}"#, "null", Some("Exit code 3"), true);
        assert_eq!((hook.output.as_str(), hook.exit_code), ("", Some(3)));
    }

    #[test]
    fn an_edit_names_the_file_that_it_changed() {
        let outcome =
            r#"{"type":"create","filePath":"/p/a.rs","content":"fn","structuredPatch":[],"originalFile":null}"#;
        let told = tell("Write", r#"{"file_path":"/p/a.rs","content":"fn"}"#, outcome, Some("created"), false);
        assert_eq!(
            (told.output.as_str(), told.changes),
            ("add /p/a.rs", vec![Change::new("/p/a.rs", ChangeKind::Add)])
        );
        let refused = tell("Edit", r#"{"file_path":"/p/a.rs"}"#, r#""Error: no""#, Some("no"), true);
        assert!(refused.changes.is_empty() && refused.failed);
    }
}
