//! The words with which each client runs without a terminal and streams what it does.

use super::asked::{Asked, InputIs, asked};
use crate::exit::Usage;
use memoir_event::Client;
use std::ffi::{OsStr, OsString};

/// How a client is called.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its arguments.
    pub args: Vec<OsString>,
    /// What is set in its environment.
    pub variables: &'static [(&'static str, &'static str)],
    /// Whether the user asked for the client's own stream.
    pub is_raw: bool,
    /// What it is asked.
    pub asked: Asked,
}

/// Gemini CLI starts itself a second time, and the first process keeps signals to itself: without that one they reach
/// who works.
const ONE_GEMINI: &[(&str, &str)] = &[("GEMINI_CLI_NO_RELAUNCH", "true")];

/// The arguments of a run with that prompt and those flags of the user's.
pub fn program_args(client: Client, prompt: Option<&str>, flags: &[OsString]) -> Result<Shape, Usage> {
    let has = |names: &[&str]| flags.iter().any(|flag| names.iter().any(|name| flag == name));
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let asked = said(client, prompt, flags);
    let variables = if client == Client::Gemini { ONE_GEMINI } else { &[] };
    let prompt = prompt.map(OsString::from);
    match client {
        Client::Codex => {
            let flags = without_exec(flags);
            let rest = flags.iter().filter(|flag| *flag != "--json").cloned();
            // An image's flag takes every word behind it, and a prompt may look like a flag.
            let looks_taken = has(&["-i", "--image"]) || prompt.as_ref().is_some_and(|prompt| looks_like_flag(prompt));
            let mark = prompt.is_some() && looks_taken && !has(&["--"]);
            let mark = mark.then(|| OsString::from("--"));
            let args = words(&["exec", "--json"]).into_iter().chain(rest).chain(mark).chain(prompt).collect();
            Ok(Shape { args, variables, is_raw: has(&["--json"]), asked })
        }
        Client::Claude => {
            let (rest, is_raw) = without_format(flags, &["--output-format"])?;
            let rest: Vec<OsString> = rest.into_iter().filter(|flag| flag != "--verbose").collect();
            let print =
                if rest.iter().any(|flag| flag == "-p" || flag == "--print") { None } else { Some("-p".into()) };
            let stream = words(&["--output-format", "stream-json", "--verbose"]);
            let args = print.into_iter().chain(prompt).chain(rest).chain(stream).collect();
            Ok(Shape { args, variables, is_raw, asked })
        }
        Client::Gemini => {
            let (rest, is_raw) = without_format(flags, &["--output-format", "-o"])?;
            let given = prompt.into_iter().flat_map(|prompt| [OsString::from("-p"), prompt]);
            let args = given.chain(rest).chain(words(&["--output-format", "stream-json"])).collect();
            Ok(Shape { args, variables, is_raw, asked })
        }
        Client::Copilot | Client::Opencode => {
            Err(Usage(format!("memoir cannot run {client}: known are codex, claude and gemini")))
        }
    }
}

/// What a client is asked by a prompt and flags.
fn said(client: Client, prompt: Option<&str>, flags: &[OsString]) -> Asked {
    let by_flags = asked(client, without_exec(flags));
    let Some(prompt) = prompt else { return by_flags };
    let words = std::iter::once(prompt.to_owned()).chain(by_flags.words).collect();
    let prompt = Some(prompt.to_owned()).filter(|prompt| prompt != "-");
    let is_data = client == Client::Codex && prompt.is_some();
    Asked { input: if is_data { InputIs::Data } else { by_flags.input }, prompt, words }
}

/// Codex's flags without the command that memoir gives itself.
fn without_exec(flags: &[OsString]) -> &[OsString] {
    flags.strip_prefix(&[OsString::from("exec")]).unwrap_or(flags)
}

fn looks_like_flag(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.len() > 1 && word.starts_with('-')
}

/// The flags without the one that says how to print, and whether it asked for the stream itself.
fn without_format(flags: &[OsString], names: &[&str]) -> Result<(Vec<OsString>, bool), Usage> {
    let (mut rest, mut format): (Vec<OsString>, Option<OsString>) = (Vec::new(), None);
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        let text = flag.to_string_lossy();
        if names.iter().any(|name| *name == text) {
            format = Some(flags.next().cloned().unwrap_or_default());
        } else if let Some((_, value)) = text.split_once('=').filter(|(name, _)| names.contains(name)) {
            format = Some(value.into());
        } else {
            rest.push(flag.clone());
        }
    }
    match format.as_deref().map(OsStr::to_string_lossy).as_deref() {
        None | Some("text") => Ok((rest, false)),
        Some("stream-json") => Ok((rest, true)),
        Some(other) => Err(Usage(format!(
            "memoir reads the client's stream and cannot give `{other}`: leave the output format out, or say stream-json"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(client: Client, prompt: Option<&str>, flags: &str) -> (String, bool) {
        let flags: Vec<OsString> = flags.split_whitespace().map(OsString::from).collect();
        let shape = program_args(client, prompt, &flags).unwrap();
        let words: Vec<String> = shape.args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (words.join(" "), shape.is_raw)
    }

    #[test]
    fn each_client_streams_and_the_users_flags_are_passed_on() {
        assert_eq!(args(Client::Codex, Some("do"), "-m x"), ("exec --json -m x do".into(), false));
        assert_eq!(args(Client::Codex, None, "exec resume 1 --json"), ("exec --json resume 1".into(), true));
        assert_eq!(
            args(Client::Claude, Some("do"), "--model x"),
            ("-p do --model x --output-format stream-json --verbose".into(), false)
        );
        assert_eq!(
            args(Client::Claude, None, "-p do --output-format=stream-json --verbose"),
            ("-p do --output-format stream-json --verbose".into(), true)
        );
        assert_eq!(
            args(Client::Gemini, Some("do"), "-y -o text"),
            ("-p do -y --output-format stream-json".into(), false)
        );
        assert_eq!(args(Client::Codex, Some("do"), "-i x.png").0, "exec --json -i x.png -- do");
        assert_eq!(args(Client::Codex, Some("-v?"), "").0, "exec --json -- -v?");
        assert_eq!(args(Client::Codex, Some("-"), "").0, "exec --json -");
        let json = [OsString::from("--output-format"), OsString::from("json")];
        assert!(program_args(Client::Claude, None, &json).is_err());
    }
}
