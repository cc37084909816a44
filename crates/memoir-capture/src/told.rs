//! Conversations as a program tells them, message by message: the messages API that the OpenViking plugins use.
//!
//! The plugins send what stands in a client's session file, so the events get the names by which hooks and the file are
//! found. Where a message has nothing of the kind it gets a name from whoever hands it in.

use crate::boundary;
use crate::claude::{Pending, finish};
use crate::lenient::Raw;
use crate::media::{self, Media};
use crate::out::Out;
use crate::patch::{Change, changes_of_patch};
use crate::scene::{Call, Ending, Maker, Scene};
use crate::shell;
use memoir_event::{Client, Identity, Json, Source, Time};
use serde::{Deserialize, Serialize};

/// So many calls may wait for their results.
const CALLS_MAX: usize = 32;

/// A longer script is not kept until its result comes: the call has it.
const SCRIPT_BYTES_MAX: usize = 4_000;

/// A longer role is cut: it is a name.
const ROLE_CHARS_MAX: usize = 32;

/// One message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToldMessage {
    /// Who speaks: `user`, `assistant`, `system` or anything else.
    pub role: String,
    /// What it is made of.
    pub parts: Vec<ToldPart>,
    /// When it was said, if the sender knows.
    pub time: Option<Time>,
    /// The turn, if the sender knows.
    pub turn: Option<String>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum ToldPart {
    /// A text.
    Text(String),
    /// A tool that is called, or was.
    Tool(ToldTool),
    /// A picture, by its address.
    Image(String),
    /// Something that was put into the conversation from a memory.
    Injected,
    /// A part of a kind that nobody knows, as JSON.
    Other(String),
}

/// A tool that is called, or was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToldTool {
    /// The client's id of the call.
    pub id: Option<String>,
    /// The tool.
    pub name: Option<String>,
    /// What it is called with, as JSON.
    pub input: Option<String>,
    /// What it returned.
    pub output: Option<String>,
    /// Whether it failed.
    pub failed: bool,
}

/// Where a conversation takes place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldPlace<'a> {
    /// The client, if it is one that memoir knows.
    pub client: Option<Client>,
    /// The client's own session id.
    pub session: &'a str,
    /// The sub-agent, if it is not the session itself.
    pub thread: Option<&'a str>,
}

/// A call whose result has not come yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Open {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<(String, String)>,
}

/// A conversation that is being told.
pub struct Telling {
    scene: Scene,
    client: Option<Client>,
    open: Vec<Open>,
}

impl Telling {
    /// A conversation that goes on from `state`; an empty or unreadable one knows of no open calls.
    pub fn new(place: &ToldPlace<'_>, state: &str) -> Telling {
        // A client that nobody knows is compared by what it says, as those are that give no ids.
        let mut scene = Scene::new(place.client.unwrap_or(Client::Codex), Source::Http);
        place.session.clone_into(&mut scene.session);
        place.thread.unwrap_or(place.session).clone_into(&mut scene.thread);
        Telling { scene, client: place.client, open: serde_json::from_str(state).unwrap_or_default() }
    }

    /// What must be known to go on. It quotes what was called: it needs redaction before it is kept.
    pub fn state(&self) -> String {
        if self.open.is_empty() { String::new() } else { serde_json::to_string(&self.open).unwrap_or_default() }
    }

    /// Makes events of a message; `name` gives one of its events its name, by its number in the message.
    pub fn message(&mut self, message: &ToldMessage, name: &dyn Fn(usize) -> String, out: &mut Out) {
        out.begin_record();
        self.scene.turn.clone_from(&message.turn);
        match message.role.as_str() {
            "user" | "human" => self.user(message, out),
            "assistant" | "model" => self.assistant(message, out),
            role => self.other(role, message, out),
        }
        let client = self.client;
        for (nth, captured) in out.of_record().enumerate() {
            captured.event.client = client;
            let identities = &mut captured.event.identities;
            if !identities.iter().any(|identity| matches!(identity, Identity::Item { .. })) {
                identities.insert(0, Identity::Named(name(nth)));
            }
        }
    }

    fn user(&mut self, message: &ToldMessage, out: &mut Out) {
        self.tools(message, out);
        let texts = texts(message);
        if self.scene.thread != self.scene.session {
            let task = texts.join("\n");
            self.maker(message, out).context("subagent-task", &task, Vec::new());
            return;
        }
        let (mut words, mut is_order) = (Vec::new(), false);
        for text in texts {
            let sorted = boundary::sort(text);
            for (label, kept) in &sorted.context {
                out.context(label);
                is_order = true;
                if let Some(kept) = kept {
                    self.maker(message, out).context(label, kept, Vec::new());
                }
            }
            words.extend(sorted.speech.map(std::borrow::Cow::into_owned));
        }
        let media: Vec<Media> = media(message);
        if words.is_empty() && (media.is_empty() || is_order) {
            return;
        }
        let said = if words.is_empty() { media::notes(&media) } else { words.join("\n") };
        let mut maker = self.maker(message, out);
        maker.user(said, Vec::new());
        maker.last(|event| event.metadata = media::metadata(&media));
        maker.begins_turn();
    }

    fn assistant(&mut self, message: &ToldMessage, out: &mut Out) {
        let texts = texts(message);
        // Claude Code keeps each block as a message of its own, Codex joins them.
        let said: Vec<String> = match self.scene.client {
            Client::Claude => texts.into_iter().map(str::to_owned).collect(),
            _ if texts.is_empty() => Vec::new(),
            _ => vec![texts.join("\n")],
        };
        for text in said {
            self.maker(message, out).assistant(text, Vec::new());
        }
        self.tools(message, out);
    }

    /// What neither the user nor the agent said: kept, as nobody's words.
    fn other(&mut self, role: &str, message: &ToldMessage, out: &mut Out) {
        self.tools(message, out);
        let label: String = role.chars().take(ROLE_CHARS_MAX).collect();
        let label = if label.trim().is_empty() { "message".to_owned() } else { label };
        out.context(&label);
        self.maker(message, out).context(&label, &texts(message).join("\n"), Vec::new());
    }

    fn tools(&mut self, message: &ToldMessage, out: &mut Out) {
        for part in &message.parts {
            match part {
                ToldPart::Tool(tool) => self.tool(tool, message, out),
                ToldPart::Injected => out.context("openviking-context"),
                ToldPart::Other(json) => self.maker(message, out).opaque("part", json, Vec::new()),
                ToldPart::Text(_) | ToldPart::Image(_) => {}
            }
        }
    }

    fn tool(&mut self, tool: &ToldTool, message: &ToldMessage, out: &mut Out) {
        let name = tool.name.as_deref().unwrap_or("tool");
        let call = Call { id: tool.id.as_deref(), name, arguments: None };
        let open = tool.input.as_deref().map(|input| open_call(tool, name, input));
        if let Some(input) = tool.input.as_deref().or_else(|| tool.output.is_none().then_some("{}")) {
            let input = if Json::parse(input.to_owned()).is_ok() { input } else { "{}" };
            self.maker(message, out).tool_call(call, input);
        }
        match (&tool.output, open) {
            (Some(output), open) => {
                let known = tool.id.as_deref().and_then(|id| self.take(id));
                self.result(tool, output, &open.or(known).unwrap_or_default(), message, out);
            }
            (None, Some(open)) if !open.id.is_empty() => self.remember(open),
            (None, _) => {}
        }
    }

    fn result(&self, tool: &ToldTool, output: &str, open: &Open, message: &ToldMessage, out: &mut Out) {
        let name = tool.name.as_deref().unwrap_or(&open.name);
        let output = boundary::without_injected(output, out).into_owned();
        let mut maker = self.maker(message, out);
        if self.client == Some(Client::Claude) {
            let call = Pending {
                id: open.id.clone(),
                name: name.to_owned(),
                script: open.script.clone(),
                path: open.path.clone(),
            };
            finish(&mut maker, tool.id.as_deref(), &call, Raw::default(), Some(output), tool.failed);
            return;
        }
        let told = shell::told_by_codex(&output);
        let failed = tool.failed || told.exit_code.is_some_and(|code| code != 0);
        let call = Call { id: tool.id.as_deref(), name, arguments: None };
        let worked = !failed && (told.exit_code == Some(0) || told.output.trim_start().starts_with("Success."));
        let arguments = open.script.as_deref().map(shell::arguments_of);
        let answered = Call { arguments: arguments.as_deref(), ..call };
        maker.tool_result(answered, told.output, told.exit_code, failed);
        if let Some(script) = &open.script {
            let status = if failed { "failed" } else { "completed" };
            maker.command(
                call,
                script,
                Ending { exit_code: told.exit_code, status: Some(status), ..Ending::default() },
            );
        }
        if worked {
            let change = |(kind, path): &(String, String)| Change::new(path, crate::patch::ChangeKind::parse(kind));
            let changes: Vec<Change> = open.changes.iter().map(change).collect();
            maker.file_change(call, &changes, Some("completed"));
        }
    }

    fn remember(&mut self, open: Open) {
        if self.open.len() >= CALLS_MAX {
            self.open.remove(0);
        }
        self.open.push(open);
    }

    fn take(&mut self, id: &str) -> Option<Open> {
        let at = self.open.iter().position(|open| open.id == id)?;
        Some(self.open.remove(at))
    }

    fn maker<'a>(&'a self, message: &ToldMessage, out: &'a mut Out) -> Maker<'a> {
        Maker::live(&self.scene, message.time.clone(), out)
    }
}

fn open_call(tool: &ToldTool, name: &str, input: &str) -> Open {
    let pending = Pending::new(tool.id.as_deref().unwrap_or_default(), name, input);
    let short = |text: &String| text.len() <= SCRIPT_BYTES_MAX;
    let patch = pending.script.clone().or_else(|| {
        let value: serde_json::Value = serde_json::from_str(input).ok()?;
        let text = value.get("input").or_else(|| value.get("patch")).or_else(|| value.get("value"))?;
        text.as_str().map(str::to_owned)
    });
    let changes = patch.as_deref().map(changes_of_patch).unwrap_or_default();
    Open {
        id: pending.id,
        name: pending.name,
        script: pending.script.filter(short),
        path: pending.path,
        changes: changes.into_iter().map(|change| (change.kind.as_str().to_owned(), change.path)).collect(),
    }
}

fn texts(message: &ToldMessage) -> Vec<&str> {
    let mut texts = Vec::new();
    for part in &message.parts {
        if let ToldPart::Text(text) = part
            && !text.trim().is_empty()
        {
            texts.push(text.as_str());
        }
    }
    texts
}

fn media(message: &ToldMessage) -> Vec<Media> {
    let image = |part: &ToldPart| match part {
        ToldPart::Image(url) => Some(Media::of_url(url)),
        _ => None,
    };
    message.parts.iter().filter_map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Event, Kind};

    fn text(role: &str, text: &str) -> ToldMessage {
        ToldMessage { role: role.into(), parts: vec![ToldPart::Text(text.into())], ..ToldMessage::default() }
    }

    fn tell(client: Option<Client>, thread: Option<&str>, messages: &[ToldMessage]) -> Vec<Event> {
        let mut telling = Telling::new(&ToldPlace { client, session: "s", thread }, "");
        let mut out = Out::default();
        for (at, message) in messages.iter().enumerate() {
            telling.message(message, &|nth| format!("{at}/{nth}"), &mut out);
        }
        out.events.into_iter().map(|captured| captured.event).collect()
    }

    fn kinds(events: &[Event]) -> Vec<Kind> {
        events.iter().map(Event::kind).collect()
    }

    #[test]
    fn what_a_plugin_sends_as_the_users_loses_what_was_put_into_it() {
        let message = ToldMessage {
            role: "user".into(),
            parts: vec![
                ToldPart::Text("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>".into()),
                ToldPart::Text("<environment_context>\n<cwd>/p</cwd>\n</environment_context>".into()),
                ToldPart::Text(
                    "fix it <openviking-context source=\"auto-recall\">\n- old\n</openviking-context>".into(),
                ),
            ],
            ..ToldMessage::default()
        };
        let events = tell(Some(Client::Codex), None, &[message, text("user", "ok"), text("user", "/status")]);
        assert_eq!(kinds(&events), [Kind::UserMessage, Kind::Context, Kind::Context]);
        assert_eq!(events[0].content.plain(), "fix it");
        assert_eq!((events[0].client, events[0].session.as_str()), (Some(Client::Codex), "s"));
    }

    #[test]
    fn a_call_and_its_result_in_two_messages_are_a_command() {
        let tool = |input: Option<&str>, output: Option<&str>| ToldMessage {
            role: "assistant".into(),
            parts: vec![ToldPart::Tool(ToldTool {
                id: Some("c1".into()),
                name: Some("exec_command".into()),
                input: input.map(str::to_owned),
                output: output.map(str::to_owned),
                failed: false,
            })],
            ..ToldMessage::default()
        };
        let output = "Chunk ID: d6\nProcess exited with code 3\nOutput:\nno";
        let events = tell(
            Some(Client::Codex),
            None,
            &[
                tool(Some(r#"{"cmd":"cargo test"}"#), None),
                ToldMessage { role: "user".into(), ..tool(None, Some(output)) },
            ],
        );
        assert_eq!(kinds(&events), [Kind::ToolCall, Kind::ToolResult, Kind::Command]);
        assert_eq!(events[1].content.plain(), "no");
        assert!(events[2].content.verbatim().contains(r#""exit_code":3"#), "{}", events[2].content.verbatim());
        assert!(events.iter().all(|event| event.action.as_deref() == Some("c1")));
    }

    #[test]
    fn in_a_sub_agent_the_user_is_the_agent_that_sent_it() {
        let events = tell(Some(Client::Claude), Some("a1"), &[text("user", "count it"), text("assistant", "3")]);
        assert_eq!(kinds(&events), [Kind::Context, Kind::AssistantMessage]);
        assert_eq!(events[1].thread.as_deref(), Some("a1"));
    }

    #[test]
    fn a_role_that_nobody_knows_is_kept_as_nobodys_words() {
        let events = tell(None, None, &[text("system", "be kind"), text("", "x"), text(&"r".repeat(99), "y")]);
        assert_eq!(kinds(&events), [Kind::Context; 3]);
        assert!(events.iter().all(|event| event.client.is_none()));
    }

    #[test]
    fn open_calls_are_taken_up_again_and_a_broken_state_is_none() {
        let place = ToldPlace { client: Some(Client::Claude), session: "s", thread: None };
        let mut telling = Telling::new(&place, "{broken");
        let part = ToldTool { id: Some("t".into()), name: Some("Bash".into()), ..ToldTool::default() };
        let called = ToldTool { input: Some(r#"{"command":"ls"}"#.into()), ..part.clone() };
        let message =
            |part| ToldMessage { role: "user".into(), parts: vec![ToldPart::Tool(part)], ..ToldMessage::default() };
        let mut out = Out::default();
        telling.message(&message(called), &|nth| nth.to_string(), &mut out);
        let mut again = Telling::new(&place, &telling.state());
        again.message(&message(ToldTool { output: Some("a\nb".into()), ..part }), &|nth| nth.to_string(), &mut out);
        let kinds: Vec<Kind> = out.events.iter().map(|captured| captured.event.kind()).collect();
        assert_eq!(kinds, [Kind::ToolCall, Kind::ToolResult, Kind::Command]);
        assert_eq!(again.state(), "");
    }
}
