//! Shell commands: the script behind a tool call, and the exit code and output behind what a model was told.

use crate::masked::masked;
use crate::payload::Payload;
use serde_json::Value;

/// Tools of the known clients that run a shell command.
const SHELL_TOOLS: [&str; 9] = [
    "Bash",
    "bash",
    "shell",
    "exec_command",
    "shell_command",
    "local_shell",
    "container.exec",
    "run_shell_command",
    "PowerShell",
];

/// Tools that go on with a command which another one began: they tell what it wrote.
const SHELL_FOLLOWERS: [&str; 5] = ["write_stdin", "BashOutput", "KillShell", "KillBash", "read_background_output"];

/// Whether a tool runs shell commands or tells of them: one client has several names for it, and others have others.
pub fn is_shell_tool(name: &str) -> bool {
    runs_commands(name) || SHELL_FOLLOWERS.contains(&name)
}

/// Whether a tool begins a shell command.
pub(crate) fn runs_commands(name: &str) -> bool {
    SHELL_TOOLS.contains(&name)
}

/// The script that a call of a shell tool runs.
pub(crate) fn script_of_call(name: &str, arguments: &str) -> Option<String> {
    if !runs_commands(name) {
        return None;
    }
    let value: Value = serde_json::from_str(arguments).ok()?;
    let command = ["command", "cmd", "script"].iter().find_map(|name| value.get(name))?;
    match command {
        Value::String(text) => Some(script_of_line(text)),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            Some(script_of_words(&words))
        }
        _ => None,
    }
}

/// The arguments of a call that runs a script.
pub(crate) fn arguments_of(script: &str) -> String {
    Payload::new().text("command", script).end()
}

/// The script of a command given as words: `bash -lc SCRIPT` is `SCRIPT`.
pub(crate) fn script_of_words(words: &[&str]) -> String {
    match words {
        [shell, flag, script] if is_shell(shell) && is_script_flag(flag) => (*script).to_owned(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

/// The script of a command given as one line, as Codex shows it.
pub(crate) fn script_of_line(line: &str) -> String {
    let mut parts = line.splitn(3, ' ');
    if let (Some(shell), Some(flag), Some(rest)) = (parts.next(), parts.next(), parts.next())
        && is_shell(shell)
        && is_script_flag(flag)
        && let Some(script) = unquoted(rest)
    {
        return script;
    }
    line.to_owned()
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "bash" | "sh" | "zsh" | "dash" | "fish" | "ksh" | "bash.exe")
}

fn is_script_flag(word: &str) -> bool {
    matches!(word, "-c" | "-lc" | "-ic" | "-lic")
}

/// The one shell word that a text is, without its quotes; none if it is more than one word.
fn unquoted(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inner => out.push(inner),
                }
            },
            '"' => loop {
                match chars.next()? {
                    '"' => break,
                    '\\' => match chars.next()? {
                        escaped @ ('"' | '\\' | '$' | '`') => out.push(escaped),
                        other => out.extend(['\\', other]),
                    },
                    inner => out.push(inner),
                }
            },
            '\\' => out.push(chars.next()?),
            c if c.is_whitespace() => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// By what a command is compared with one that has no id.
pub(crate) fn likeness(script: &str) -> String {
    format!("shell\n{}", masked(script.trim()))
}

/// What a model was told about a finished command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub output: String,
    pub exit_code: Option<i64>,
}

/// Takes the frame off a tool output in one of the forms that Codex has used.
pub(crate) fn told_by_codex(text: &str) -> Told {
    if text.starts_with("{\"output\":")
        && let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(text)
        && let Some(output) = fields.get("output").and_then(Value::as_str)
    {
        let exit_code = fields.get("metadata").and_then(|about| about.get("exit_code")).and_then(Value::as_i64);
        return Told { output: output.to_owned(), exit_code };
    }
    let framed = ["Exit code: ", "Chunk ID: ", "Wall time", "Script completed", "Script failed", "Script running"]
        .iter()
        .any(|head| text.starts_with(head));
    let body = if framed { text.split_once("Output:\n").or_else(|| text.split_once("Output:")) } else { None };
    let Some((head, output)) = body.filter(|(head, _)| head.lines().count() <= 8) else {
        return Told { output: text.to_owned(), exit_code: None };
    };
    let exit_code = head.lines().find_map(|line| {
        let code = line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))?;
        code.trim().parse().ok()
    });
    Told { output: output.to_owned(), exit_code }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_command_has_one_script_however_a_client_writes_it() {
        let script = "echo it's; exit 3";
        assert_eq!(script_of_words(&["/bin/bash", "-lc", script]), script);
        assert_eq!(script_of_line(r#"/bin/bash -lc "echo it's; exit 3""#), script);
        assert_eq!(script_of_line("/bin/bash -lc 'echo it'\\''s; exit 3'"), script);
        assert_eq!(script_of_call("exec_command", r#"{"cmd":"echo it's; exit 3"}"#).as_deref(), Some(script));
        assert_eq!(
            script_of_call("shell", r#"{"command":["bash","-lc","echo it's; exit 3"]}"#).as_deref(),
            Some(script)
        );
        assert_eq!(script_of_call("Read", r#"{"command":"x"}"#), None);
        assert_eq!(script_of_line("git commit -m 'a b'"), "git commit -m 'a b'");
        assert_eq!(script_of_words(&["ls", "a b"]), "ls 'a b'");
    }

    #[test]
    fn the_frame_around_an_output_is_taken_off() {
        let told = |text: &str| {
            let told = told_by_codex(text);
            (told.output, told.exit_code)
        };
        assert_eq!(
            told(r#"{"output":"hi\n","metadata":{"exit_code":2,"duration_seconds":0.1}}"#),
            ("hi\n".into(), Some(2))
        );
        assert_eq!(told("Exit code: 0\nWall time: 0 seconds\nOutput:\nok\n"), ("ok\n".into(), Some(0)));
        let unified = "Chunk ID: d6\nWall time: 0.0 seconds\nProcess exited with code 3\nOriginal token count: 5\nOutput:\nx\nOutput:\ny";
        assert_eq!(told(unified), ("x\nOutput:\ny".into(), Some(3)));
        assert_eq!(told("plain\nOutput:\ntext"), ("plain\nOutput:\ntext".into(), None));
    }

    proptest! {
        #[test]
        fn a_quoted_script_is_found_again(script in "\\PC{1,40}") {
            prop_assume!(!script.trim().is_empty());
            let line = format!("/bin/bash -lc {}", quoted(&script));
            prop_assert_eq!(script_of_line(&line), script);
        }
    }
}
