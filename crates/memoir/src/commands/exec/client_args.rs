//! The words with which each client runs without a terminal and streams what it does.

use crate::exit::Usage;
use memoir_event::Client;
use std::ffi::{OsStr, OsString};

/// How a client is called.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Whether the user asked for the client's own stream.
    pub is_raw: bool,
}

/// The arguments of a run with that prompt and those flags of the user's.
pub fn program_args(client: Client, prompt: Option<&str>, flags: &[OsString]) -> Result<Shape, Usage> {
    let has = |names: &[&str]| flags.iter().any(|flag| names.iter().any(|name| flag == name));
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let prompt = prompt.map(OsString::from);
    match client {
        Client::Codex => {
            let flags = flags.strip_prefix(&[OsString::from("exec")]).unwrap_or(flags);
            let rest = flags.iter().filter(|flag| *flag != "--json").cloned();
            let args = words(&["exec", "--json"]).into_iter().chain(rest).chain(prompt).collect();
            Ok(Shape { args, is_raw: has(&["--json"]) })
        }
        Client::Claude => {
            let (rest, is_raw) = without_format(flags, &["--output-format"])?;
            let rest: Vec<OsString> = rest.into_iter().filter(|flag| flag != "--verbose").collect();
            let print =
                if rest.iter().any(|flag| flag == "-p" || flag == "--print") { None } else { Some("-p".into()) };
            let stream = words(&["--output-format", "stream-json", "--verbose"]);
            Ok(Shape { args: print.into_iter().chain(prompt).chain(rest).chain(stream).collect(), is_raw })
        }
        Client::Gemini => {
            let (rest, is_raw) = without_format(flags, &["--output-format", "-o"])?;
            let asked = prompt.into_iter().flat_map(|prompt| [OsString::from("-p"), prompt]);
            Ok(Shape { args: asked.chain(rest).chain(words(&["--output-format", "stream-json"])).collect(), is_raw })
        }
        Client::Copilot | Client::Opencode => {
            Err(Usage(format!("memoir cannot run {client}: known are codex, claude and gemini")))
        }
    }
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
        let json = [OsString::from("--output-format"), OsString::from("json")];
        assert!(program_args(Client::Claude, None, &json).is_err());
    }
}
