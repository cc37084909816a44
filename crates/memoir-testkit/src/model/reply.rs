//! What the model is told to say: one [`Reply`] per request, built step by step.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::seen::{Purpose, Seen};

/// One answer of the model, and which request it is for.
///
/// A reply without [`Reply::when`], [`Reply::for_agent`] or [`Reply::for_compaction`] answers the main conversation
/// only, so that sub-agents and summaries, which come when they like, use up nothing that was meant for it.
#[derive(Clone, Default)]
pub struct Reply {
    pub(super) parts: Vec<Part>,
    pub(super) failure: Option<(u16, String)>,
    pub(super) delay: Duration,
    pub(super) pause: Duration,
    pub(super) events_max: Option<usize>,
    pub(super) usage: Usage,
    pub(super) always: bool,
    audience: Audience,
    condition: Option<Condition>,
}

type Condition = Arc<dyn Fn(&Seen) -> bool + Send + Sync>;

#[derive(Clone, Copy, Default, PartialEq)]
enum Audience {
    #[default]
    Main,
    Agent,
    Compaction,
    Side,
    Conditional,
}

#[derive(Clone)]
pub(super) enum Part {
    Reasoning(String),
    Text(String),
    Shell(String),
    Tool { name: String, args: Value },
    Custom { name: String, input: String },
}

/// Token counts that a reply claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Tokens of the request that came from a cache.
    pub cached: u64,
}

impl Default for Usage {
    fn default() -> Usage {
        Usage { input: 100, output: 20, cached: 0 }
    }
}

/// A reply that says one text.
pub fn text(text: impl Into<String>) -> Reply {
    Reply::new().text(text)
}

/// A reply that runs a command with the shell tool of the client.
pub fn shell(command: impl Into<String>) -> Reply {
    Reply::new().shell(command)
}

/// A reply that calls one tool.
pub fn tool(name: impl Into<String>, args: Value) -> Reply {
    Reply::new().tool(name, args)
}

/// A reply that is an HTTP error.
pub fn status(code: u16, message: impl Into<String>) -> Reply {
    Reply { failure: Some((code, message.into())), ..Reply::default() }
}

impl Reply {
    /// A reply that says nothing yet.
    pub fn new() -> Reply {
        Reply::default()
    }

    /// Adds a block of text; several stay apart where the wire format keeps them apart.
    pub fn text(mut self, text: impl Into<String>) -> Reply {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// Adds thinking.
    pub fn reasoning(mut self, text: impl Into<String>) -> Reply {
        self.parts.push(Part::Reasoning(text.into()));
        self
    }

    /// Adds a call of whatever shell tool the client offers, in code mode through JavaScript.
    pub fn shell(mut self, command: impl Into<String>) -> Reply {
        self.parts.push(Part::Shell(command.into()));
        self
    }

    /// Adds a call of a named tool, offered or not.
    pub fn tool(mut self, name: impl Into<String>, args: Value) -> Reply {
        self.parts.push(Part::Tool { name: name.into(), args });
        self
    }

    /// Adds a call of a tool that takes free text (Codex: `exec` in code mode, `apply_patch`).
    pub fn custom(mut self, name: impl Into<String>, input: impl Into<String>) -> Reply {
        self.parts.push(Part::Custom { name: name.into(), input: input.into() });
        self
    }

    /// Waits before the first byte.
    pub fn delay(mut self, delay: Duration) -> Reply {
        self.delay = delay;
        self
    }

    /// Waits after each event of the stream.
    pub fn pause(mut self, pause: Duration) -> Reply {
        self.pause = pause;
        self
    }

    /// Breaks the connection after that many events of the stream.
    pub fn cut_after(mut self, events: usize) -> Reply {
        self.events_max = Some(events);
        self
    }

    /// Claims these token counts; a high `input` makes clients compact.
    pub fn usage(mut self, input: u64, output: u64, cached: u64) -> Reply {
        self.usage = Usage { input, output, cached };
        self
    }

    /// Answers only a request of the model (turn, sub-agent or compaction) whose body contains this text.
    pub fn when(self, substring: impl Into<String>) -> Reply {
        let substring = substring.into();
        self.when_seen(move |seen| seen.text.contains(&substring))
    }

    /// Answers only a request of the model for which this holds.
    pub fn when_seen(mut self, holds: impl Fn(&Seen) -> bool + Send + Sync + 'static) -> Reply {
        if self.audience == Audience::Main {
            self.audience = Audience::Conditional;
        }
        self.condition = Some(Arc::new(holds));
        self
    }

    /// Answers sub-agents only.
    pub fn for_agent(mut self) -> Reply {
        self.audience = Audience::Agent;
        self
    }

    /// Answers requests for a summary of the conversation only.
    pub fn for_compaction(mut self) -> Reply {
        self.audience = Audience::Compaction;
        self
    }

    /// Answers requests that offer no tool, of Claude Code and Gemini CLI, only.
    pub fn for_side(mut self) -> Reply {
        self.audience = Audience::Side;
        self
    }

    /// Is never used up.
    pub fn always(mut self) -> Reply {
        self.always = true;
        self
    }

    pub(super) fn answers(&self, seen: &Seen) -> bool {
        let meant = match (self.audience, seen.purpose) {
            (Audience::Main, Purpose::Turn)
            | (Audience::Agent, Purpose::Agent)
            | (Audience::Compaction, Purpose::Compaction)
            | (Audience::Side, Purpose::Side)
            | (Audience::Conditional, Purpose::Turn | Purpose::Agent | Purpose::Compaction) => true,
            (_, _) => false,
        };
        meant && self.condition.as_ref().is_none_or(|holds| holds(seen))
    }
}

/// A part of a reply once the client's tools are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spoken {
    Reasoning(String),
    Text(String),
    Call { id: String, name: String, namespace: Option<String>, args: Value },
    Custom { id: String, name: String, input: String },
}

/// A tool that the request offers to the model.
pub(super) struct Offered {
    pub name: String,
    pub namespace: Option<String>,
}

/// Turns the parts of a reply into what is said; fails when a shell is wanted and none is offered.
pub(super) fn spoken(reply: &Reply, offered: &[Offered], new_id: impl Fn() -> String) -> Result<Vec<Spoken>, String> {
    let call = |name: String, args: Value| {
        let namespace = offered.iter().find(|tool| tool.name == name).and_then(|tool| tool.namespace.clone());
        Spoken::Call { id: new_id(), name, namespace, args }
    };
    let mut said = Vec::new();
    for part in &reply.parts {
        said.push(match part.clone() {
            Part::Reasoning(text) => Spoken::Reasoning(text),
            Part::Text(text) => Spoken::Text(text),
            Part::Tool { name, args } => call(name, args),
            Part::Custom { name, input } => Spoken::Custom { id: new_id(), name, input },
            Part::Shell(command) => match shell_tool(&command, offered) {
                Some((name, args)) => call(name, args),
                None if offered.iter().any(|tool| tool.name == "exec") => {
                    let input = format!(
                        "const done = await tools.exec_command({{cmd: {}}});\ntext(done.output);",
                        json!(command)
                    );
                    Spoken::Custom { id: new_id(), name: "exec".into(), input }
                }
                None => {
                    let names: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
                    return Err(format!("no shell tool that is known among {names:?}"));
                }
            },
        });
    }
    Ok(said)
}

fn shell_tool(command: &str, offered: &[Offered]) -> Option<(String, Value)> {
    const WHY: &str = "Runs a command of the test";
    let known = [
        ("Bash", json!({"command": command, "description": WHY})),
        ("run_shell_command", json!({"command": command, "description": WHY})),
        ("exec_command", json!({"cmd": command})),
        ("shell_command", json!({"command": command})),
        ("shell", json!({"command": ["bash", "-lc", command]})),
    ];
    known
        .into_iter()
        .find(|(name, _)| offered.iter().any(|tool| tool.name == *name))
        .map(|(name, args)| (name.into(), args))
}
