//! What the user asks in a client's own command line.
//!
//! Owns which flags of which client take words of their own; every other word may be the prompt. A flag that is not
//! known yet may take a word or not: such a word counts as the prompt only if there is no other.

use memoir_event::Client;
use std::ffi::OsString;

/// What a command line says.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The prompt, unless it is to come from standard input.
    pub prompt: Option<String>,
    /// Every word that may be the prompt or a part of it.
    pub words: Vec<String>,
    /// What standard input holds.
    pub input: InputIs,
}

/// What standard input is to a client.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum InputIs {
    /// What the user asks, or the rest of it.
    #[default]
    Prompt,
    /// Prompts in a form of the client's own, one after another.
    Prompts,
    /// Something that the prompt is about.
    Data,
}

/// The flags of a client by what they take.
struct Flags {
    /// One word.
    one: &'static [&'static str],
    /// Every word up to the next flag.
    many: &'static [&'static str],
    /// The next word, if it is no flag.
    maybe: &'static [&'static str],
    /// Nothing.
    none: &'static [&'static str],
}

const CODEX: Flags = Flags {
    one: &[
        "-c",
        "--config",
        "--enable",
        "--disable",
        "-m",
        "--model",
        "--local-provider",
        "-p",
        "--profile",
        "-s",
        "--sandbox",
        "-a",
        "--ask-for-approval",
        "-C",
        "--cd",
        "--add-dir",
        "--thread-source",
        "--cyber-access-program",
        "--output-schema",
        "--color",
        "-o",
        "--output-last-message",
        "--base",
        "--commit",
        "--title",
    ],
    many: &["-i", "--image"],
    maybe: &[],
    none: &[
        "--all",
        "--approve-for-me",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--ephemeral",
        "--full-auto",
        "--ignore-rules",
        "--ignore-user-config",
        "--json",
        "--last",
        "--oss",
        "--search",
        "--skip-git-repo-check",
        "--strict-config",
        "--uncommitted",
        "--worktree",
        "--yolo",
    ],
};

const CLAUDE: Flags = Flags {
    one: &[
        "--agent",
        "--agents",
        "--append-system-prompt",
        "--append-system-prompt-file",
        "--autocompact",
        "--debug-file",
        "--effort",
        "--environment",
        "--fallback-model",
        "--input-format",
        "--json-schema",
        "--max-budget-usd",
        "--max-turns",
        "--model",
        "-n",
        "--name",
        "--output-format",
        "--permission-mode",
        "--permission-prompt-tool",
        "--permission-prompts",
        "--plugin-dir",
        "--plugin-url",
        "--remote-control-session-name-prefix",
        "--session-id",
        "--setting-sources",
        "--settings",
        "--system-prompt",
        "--system-prompt-file",
        "--system-prompt-snapshot",
    ],
    many: &[
        "--add-dir",
        "--allowedTools",
        "--allowed-tools",
        "--betas",
        "--disallowedTools",
        "--disallowed-tools",
        "--file",
        "--mcp-config",
        "--tools",
    ],
    maybe: &[
        "--cloud",
        "-d",
        "--debug",
        "--from-pr",
        "--prompt-suggestions",
        "--remote-control",
        "-r",
        "--resume",
        "--teleport",
        "-w",
        "--worktree",
    ],
    none: &[
        "--allow-dangerously-skip-permissions",
        "--ax-screen-reader",
        "--bare",
        "--brief",
        "--chrome",
        "-c",
        "--continue",
        "--dangerously-skip-permissions",
        "--disable-slash-commands",
        "--exclude-dynamic-system-prompt-sections",
        "--fork-session",
        "--forward-subagent-text",
        "--ide",
        "--include-hook-events",
        "--include-partial-messages",
        "--no-chrome",
        "--no-session-persistence",
        "-p",
        "--print",
        "--replay-user-messages",
        "--restricted",
        "--safe-mode",
        "--strict-mcp-config",
        "--verbose",
    ],
};

const GEMINI: Flags = Flags {
    one: &[
        "-m",
        "--model",
        "-w",
        "--worktree",
        "--approval-mode",
        "-r",
        "--resume",
        "--session-file",
        "--session-id",
        "--delete-session",
        "-o",
        "--output-format",
    ],
    many: &[
        "--policy",
        "--admin-policy",
        "--allowed-mcp-server-names",
        "--allowed-tools",
        "-e",
        "--extensions",
        "--include-directories",
    ],
    maybe: &[],
    none: &[
        "-d",
        "--debug",
        // What these take is the prompt.
        "-p",
        "--prompt",
        "-i",
        "--prompt-interactive",
        "--skip-trust",
        "-s",
        "--sandbox",
        "-y",
        "--yolo",
        "--screen-reader",
        "--raw-output",
        "--accept-raw-output-risk",
    ],
};

/// What a client is asked by these arguments of its own.
pub fn asked(client: Client, args: &[OsString]) -> Asked {
    let flags = match client {
        Client::Claude => &CLAUDE,
        Client::Gemini => &GEMINI,
        _ => &CODEX,
    };
    let args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
    let mut words = Words::default();
    words.read(flags, &args);
    if client == Client::Codex {
        let takes_last = args.iter().any(|arg| arg == "--last");
        words.leave_command(takes_last);
    }
    let Words { sure, doubtful } = words;
    let prompt = sure.first().or(doubtful.last()).cloned();
    let prompt = prompt.filter(|prompt| prompt != "-" && !prompt.trim().is_empty());
    let is_stream = args.windows(2).any(|pair| pair == ["--input-format", "stream-json"])
        || args.iter().any(|arg| arg == "--input-format=stream-json");
    let input = match (client, &prompt) {
        (Client::Claude, _) if is_stream => InputIs::Prompts,
        // It goes into a block of its own.
        (Client::Codex, Some(_)) => InputIs::Data,
        _ => InputIs::Prompt,
    };
    Asked { prompt, words: sure.into_iter().chain(doubtful).collect(), input }
}

impl Asked {
    /// What the client is asked, given what is piped into it.
    pub fn with_input(&self, input: Option<&str>) -> Option<String> {
        let input = input.filter(|input| !input.trim().is_empty() && self.input == InputIs::Prompt);
        match (&self.prompt, input) {
            (Some(prompt), Some(input)) => Some(format!("{prompt}\n{input}")),
            (Some(prompt), None) => Some(prompt.clone()),
            (None, input) => input.map(str::to_owned),
        }
    }
}

/// Words that no known flag takes.
#[derive(Default)]
struct Words {
    sure: Vec<String>,
    /// Behind a flag that is not known.
    doubtful: Vec<String>,
}

impl Words {
    fn read(&mut self, flags: &Flags, args: &[String]) {
        let is_flag = |arg: &String| arg.len() > 1 && arg.starts_with('-');
        let mut args = args.iter().peekable();
        while let Some(arg) = args.next() {
            if arg == "--" {
                self.sure.extend(args.cloned());
                return;
            }
            if !is_flag(arg) {
                self.sure.push(arg.clone());
                continue;
            }
            if let Some((name, value)) = arg.split_once('=').filter(|(name, _)| name.starts_with("--")) {
                // What stands right in the flag is a flag's, but for those whose word is the prompt.
                if flags.none.contains(&name) {
                    self.sure.push(value.to_owned());
                }
                continue;
            }
            let short = arg.get(..2).filter(|_| !arg.starts_with("--"));
            let known = |list: &[&str]| list.contains(&arg.as_str());
            if known(flags.one) {
                args.next();
            } else if known(flags.many) {
                while args.next_if(|next| !is_flag(next)).is_some() {}
            } else if known(flags.maybe) {
                args.next_if(|next| !is_flag(next));
            } else if let Some(short) = short.filter(|short| arg.len() > 2 && flags.knows(short)) {
                // `-mgpt`, `-pPROMPT`, or several in one.
                if flags.none.contains(&short) {
                    self.doubtful.extend(arg.get(2..).map(str::to_owned));
                }
            } else if !known(flags.none) {
                self.doubtful.extend(args.next_if(|next| !is_flag(next)).cloned());
            }
        }
    }

    /// Takes out what is Codex's own: a command, and the session that it is about.
    fn leave_command(&mut self, takes_last: bool) {
        match self.sure.first().map(String::as_str) {
            Some("resume" | "fork") => {
                let session = usize::from(!takes_last);
                self.sure.drain(..(1 + session).min(self.sure.len()));
            }
            // A review asks in words of its own.
            Some("review") => {
                self.doubtful.clear();
                self.sure.remove(0);
            }
            _ => {}
        }
    }
}

impl Flags {
    fn knows(&self, flag: &str) -> bool {
        [self.one, self.many, self.maybe, self.none].iter().any(|flags| flags.contains(&flag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(client: Client, args: &[&str]) -> Option<String> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        asked(client, &args).prompt
    }

    #[test]
    fn the_prompt_is_found_wherever_a_client_takes_it() {
        for (client, args) in [
            (Client::Codex, &["do it"][..]),
            (Client::Codex, &["-m", "gpt", "--full-auto", "do it"]),
            (Client::Codex, &["do it", "-c", "a=b", "-i", "x.png", "y.png"]),
            (Client::Codex, &["--model=gpt", "--", "do it"]),
            (Client::Codex, &["resume", "--last", "do it"]),
            (Client::Codex, &["resume", "0193", "--json", "do it"]),
            (Client::Codex, &["fork", "0193", "do it"]),
            (Client::Codex, &["-mgpt", "do it"]),
            (Client::Codex, &["do it", "--of-tomorrow", "x"]),
            (Client::Codex, &["--of-tomorrow", "do it"]),
            (Client::Claude, &["-p", "do it", "--allowedTools", "Bash"]),
            (Client::Claude, &["-p", "--allowedTools", "Bash", "Edit", "--", "do it"]),
            (Client::Claude, &["do it", "--print", "-r", "0193"]),
            (Client::Claude, &["--continue", "-p", "--model", "opus", "do it"]),
            (Client::Gemini, &["-y", "-p", "do it"]),
            (Client::Gemini, &["--prompt=do it", "-m", "x"]),
            (Client::Gemini, &["-m", "x", "do it"]),
            (Client::Gemini, &["-pdo it"]),
        ] {
            assert_eq!(prompt(client, args).as_deref(), Some("do it"), "{client} {args:?}");
        }
    }

    #[test]
    fn where_there_is_none_it_comes_from_standard_input() {
        for (client, args) in [
            (Client::Codex, &["-"][..]),
            (Client::Codex, &["-m", "gpt"]),
            (Client::Codex, &["resume", "--last"]),
            (Client::Codex, &["resume", "0193", "-"]),
            (Client::Claude, &["-p", "--output-format", "stream-json", "--verbose"]),
            (Client::Claude, &["-p", "-r", "0193", "--allowedTools", "Bash"]),
        ] {
            assert_eq!(prompt(client, args), None, "{client} {args:?}");
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            let asked = asked(client, &args);
            assert_eq!(asked.with_input(Some("by pipe\n")).as_deref(), Some("by pipe\n"));
            assert_eq!(asked.with_input(None), None);
            assert_eq!(asked.input, InputIs::Prompt);
        }
        let both = asked(Client::Codex, &["do it".into()]);
        assert_eq!(both.input, InputIs::Data);
        assert_eq!(both.with_input(Some("a table\n")).as_deref(), Some("do it"));
        let both = asked(Client::Claude, &["-p".into(), "do it".into()]);
        assert_eq!(both.with_input(Some("a table\n")).as_deref(), Some("do it\na table\n"));
        let stream = asked(Client::Claude, &["-p".into(), "--input-format=stream-json".into()]);
        assert_eq!((stream.input, stream.with_input(Some("{}"))), (InputIs::Prompts, None));
    }

    #[test]
    fn every_word_that_may_be_the_prompt_is_known() {
        let args = ["-m", "gpt", "--of-tomorrow", "perhaps", "surely", "--", "-too"].map(OsString::from);
        assert_eq!(asked(Client::Codex, &args).words, ["surely", "-too", "perhaps"]);
        assert_eq!(asked(Client::Codex, &["review".into(), "closely".into()]).prompt.as_deref(), Some("closely"));
    }
}
