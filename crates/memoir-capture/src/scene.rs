//! Makes events: what every parser and hook knows about where it is, and one function for each kind of thing.

use crate::boundary::{self, Stand};
use crate::content::Unknown;
use crate::likeness::{likeness_of_call, likeness_of_files, likeness_of_text, likeness_of_usage, result_of};
use crate::out::{Captured, Out};
use crate::patch::Change;
use crate::payload::{Payload, push_text};
use crate::shell;
use memoir_event::{Client, Content, Event, Identity, Json, Kind, Reasoning, Said, Source, Speaker, Time};
use std::sync::Arc;

/// Derived events of one record share its number; so many have a number of their own.
const PARTS: u64 = 64;

/// How long a digest is.
pub(crate) const DIGEST_CHARS: usize = 24;

/// No kind of record has a longer name.
const TYPE_CHARS_MAX: usize = 64;

/// How the boundary begins around what memoir's own tools answer.
const OWN_ANSWER: &str = "<memoir-context source=\"mcp-";

/// What hooks say of a turn that ended without a word.
pub(crate) const NO_MESSAGE: &str = "The turn ended without a message.";

/// Where and for whom something happens.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub client: Client,
    pub source: Source,
    /// The root session.
    pub session: String,
    /// The session itself, or a sub-agent in it.
    pub thread: String,
    pub turn: Option<String>,
    /// The user's turn that a sub-agent works for, where the client names it.
    pub asked: Option<Arc<str>>,
    pub cwd: Option<Arc<str>>,
    pub remote: Option<Arc<str>>,
}

impl Scene {
    pub fn new(client: Client, source: Source) -> Scene {
        let (session, thread) = (String::new(), String::new());
        Scene { client, source, session, thread, turn: None, asked: None, cwd: None, remote: None }
    }

    /// The name of what was said in this turn of this thread, if the turn has a name: `nth` counts equal texts of one
    /// speaker in it.
    pub fn said(&self, who: &str, text: &str, nth: u32) -> Option<Identity> {
        let turn = self.turn.as_deref().filter(|turn| !turn.is_empty())?;
        Some(Identity::InTurn { name: format!("{}/{turn}/{who}/{}", self.thread, digest(text)), nth })
    }

    /// A path as every way of capture can know it.
    pub fn whole_path(&self, path: &str) -> String {
        match self.cwd.as_deref() {
            Some(cwd) if !is_whole(path) => format!("{}/{path}", cwd.trim_end_matches(['/', '\\'])),
            _ => path.to_owned(),
        }
    }
}

/// Whether captures of this client may come without its ids, so that they have to be found by what they say.
pub(crate) const fn is_seen_unnamed(client: Client) -> bool {
    matches!(client, Client::Codex | Client::Gemini)
}

/// Makes the events of one record and hands them over.
pub(crate) struct Maker<'a> {
    pub scene: &'a Scene,
    pub time: Option<Time>,
    /// The number of the record in its stream; none lets the journal count.
    pub number: Option<u64>,
    pub out: &'a mut Out,
}

/// A finished or running tool call.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    /// The client's id of it.
    pub id: Option<&'a str>,
    pub name: &'a str,
    /// What it was called with, where what came of it is found by that: a way of capture tells neither id nor result.
    pub arguments: Option<&'a str>,
}

/// What is known of the end of a command.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Ending<'a> {
    pub exit_code: Option<i64>,
    pub status: Option<&'a str>,
    pub duration_ms: Option<i64>,
    pub cwd: Option<&'a str>,
}

/// Tokens of one model response, as far as the client tells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Tokens {
    /// Not from a cache.
    pub input: Option<u64>,
    /// Read from a cache.
    pub cached: Option<u64>,
    pub cache_written: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
    pub cost_usd: Option<f64>,
}

impl Tokens {
    /// Of a client that counts what was read from a cache as input, too.
    pub fn with_cached_in_input(self) -> Tokens {
        let fresh = |input: u64| input.saturating_sub(self.cached.unwrap_or(0));
        Tokens { input: self.input.map(fresh), ..self }
    }
}

impl<'a> Maker<'a> {
    /// Makes events of the record with that number.
    pub fn of_record(scene: &'a Scene, time: Option<Time>, number: u64, out: &'a mut Out) -> Maker<'a> {
        Maker { scene, time, number: Some(number), out }
    }

    /// Makes events of something that happens now.
    pub fn live(scene: &'a Scene, time: Option<Time>, out: &'a mut Out) -> Maker<'a> {
        Maker { scene, time, number: None, out }
    }

    /// Hands one event over; `finish` adds what is special about it.
    pub fn push(&mut self, kind: Kind, content: Content, identities: Vec<Identity>, finish: impl FnOnce(&mut Event)) {
        let scene = self.scene;
        let mut event = Event::new(scene.source, &scene.session, kind, content);
        event.client = Some(scene.client);
        event.thread = Some(scene.thread.clone());
        event.turn.clone_from(&scene.turn);
        event.time.clone_from(&self.time);
        // Its number names an event only together with its time: another run of the same thread counts anew.
        let number = self.number.filter(|_| self.time.is_some());
        event.sequence = number.map(|number| number * PARTS + self.out.part().min(PARTS - 1));
        event.identities = identities;
        finish(&mut event);
        let (cwd, remote, asked) = (scene.cwd.clone(), scene.remote.clone(), scene.asked.clone());
        self.out.events.push(Captured { cwd, remote, asked, ..Captured::new(event) });
    }

    /// Adds something about the event that was handed over last.
    pub fn last(&mut self, add: impl FnOnce(&mut Event)) {
        if let Some(last) = self.out.events.last_mut() {
            add(&mut last.event);
        }
    }

    /// Says which tools the event that was handed over last is about, beside those that are known.
    pub fn about(&mut self, tools: impl IntoIterator<Item = impl Into<String>>) {
        if let Some(last) = self.out.events.last_mut() {
            last.tools.extend(tools.into_iter().map(Into::into).filter(|tool: &String| !tool.is_empty()));
        }
    }

    /// Says that a turn begins with the event that was handed over last.
    pub fn begins_turn(&mut self) {
        if let Some(last) = self.out.events.last_mut() {
            last.begins_turn = true;
        }
    }

    /// What the user said.
    pub fn user(&mut self, text: String, mut identities: Vec<Identity>) {
        identities.push(Identity::Alike(Said::Content));
        self.push(Kind::UserMessage, Content::Text(text), identities, |_| {});
    }

    /// A prompt as it was typed: the user's words, and what else stands in it.
    pub fn prompt(&mut self, text: &str) {
        // Claude Code hands orders to hooks as they were typed, the others keep them to themselves.
        let stand = if self.scene.client == Client::Claude { Stand::Typed } else { Stand::Sent };
        let sorted = boundary::sort_of(Some(self.scene.client), text, stand);
        for (nth, (name, kept)) in (0..).zip(&sorted.context) {
            self.out.context(name);
            if let Some(kept) = kept {
                self.context(name, kept, self.scene.said(name, kept, nth).into_iter().collect());
            }
        }
        if let Some(words) = sorted.speech {
            // Named by the whole text, as the session file has it.
            self.user(words.into_owned(), self.scene.said("user", text, 0).into_iter().collect());
            self.begins_turn();
        }
    }

    /// A prompt as [`Maker::prompt`], where the client gives it no name that others know; `name` is the capture's own.
    pub fn given_prompt(&mut self, text: &str, name: &str, stand: Stand) {
        let sorted = boundary::sort_of(Some(self.scene.client), text, stand);
        for (nth, (label, kept)) in sorted.context.iter().enumerate() {
            self.out.context(label);
            if let Some(kept) = kept {
                self.context(label, kept, vec![Identity::Named(format!("{name}/{nth}"))]);
            }
        }
        if let Some(words) = sorted.speech {
            self.user(words.into_owned(), vec![Identity::Named(name.to_owned())]);
        }
    }

    /// What the agent said.
    pub fn assistant(&mut self, text: String, mut identities: Vec<Identity>) {
        identities.push(Identity::Alike(Said::Content));
        self.push(Kind::AssistantMessage, Content::Text(text), identities, |_| {});
    }

    /// What the agent thought; an empty text means that it is kept from us.
    pub fn reasoning(&mut self, text: String, mut identities: Vec<Identity>) {
        let reasoning = if text.trim().is_empty() { Reasoning::Partial } else { Reasoning::Full };
        if reasoning == Reasoning::Full && is_seen_unnamed(self.scene.client) {
            identities.push(Identity::Alike(Said::Content));
        }
        self.push(Kind::Reasoning, Content::Text(text), identities, |event| event.reasoning = reasoning);
    }

    /// A tool call with its arguments as the client wrote them.
    pub fn tool_call(&mut self, call: Call<'_>, arguments: &str) {
        let likeness = likeness_of_call(call.name, arguments);
        let content =
            Payload::new().text("type", "tool_call").text("name", call.name).json("arguments", Some(arguments));
        let identities = self.of_call(call, Some(likeness));
        self.push(Kind::ToolCall, content.into_item(), identities, |event| {
            event.action = call.id.map(str::to_owned);
            event.speaker = Speaker::Assistant;
        });
        self.about([call.name]);
    }

    /// What a tool returned.
    pub fn tool_result(&mut self, call: Call<'_>, output: String, exit_code: Option<i64>, failed: bool) {
        // What memoir's own tools answered is in the journal already.
        let output = if output.contains(OWN_ANSWER) {
            boundary::without_injected(&output, self.out).into_owned()
        } else {
            output
        };
        let mut identities = self.of_call(call, None);
        if is_seen_unnamed(self.scene.client) && call.arguments.is_none() {
            identities.push(Identity::Alike(Said::Content));
        }
        let about = Payload::new()
            .said("tool", Some(call.name).filter(|name| !name.is_empty()))
            .number("exit_code", exit_code)
            .flag("is_error", failed)
            .end();
        self.push(Kind::ToolResult, Content::Text(output), identities, |event| {
            event.action = call.id.map(str::to_owned);
            event.metadata = Json::parse(about).ok().filter(|json| json.as_str() != "{}");
        });
        self.about([call.name]);
    }

    /// Blocks of a result that nobody knows.
    pub fn unknown_of_result(&mut self, id: Option<&str>, blocks: &[Unknown<'_>]) {
        for (nth, block) in (0..).zip(blocks) {
            let mut identities: Vec<Identity> = id.map(|id| item(&format!("result/{id}"), nth)).into_iter().collect();
            if is_seen_unnamed(self.scene.client) {
                identities.push(Identity::Alike(Said::Content));
            }
            self.opaque(&format!("block.{}", block.kind), block.json, identities);
        }
    }

    /// A command that was run.
    pub fn command(&mut self, call: Call<'_>, script: &str, ending: Ending<'_>) {
        let content = Payload::new()
            .text("type", "command_execution")
            .text("command", script)
            .number("exit_code", ending.exit_code)
            .said("status", ending.status)
            .number("duration_ms", ending.duration_ms)
            .said("cwd", ending.cwd);
        let identities = self.of_call(call, Some(shell::likeness(script)));
        self.push(Kind::Command, content.into_item(), identities, |event| {
            event.action = call.id.map(str::to_owned);
        });
        self.about([call.name]);
    }

    /// Files that were changed.
    pub fn file_change(&mut self, call: Call<'_>, changes: &[Change], status: Option<&str>) {
        if changes.is_empty() {
            return;
        }
        let mut list = String::from("[");
        let mut paths = Vec::new();
        for change in changes {
            if list.len() > 1 {
                list.push(',');
            }
            list.push_str("{\"path\":");
            push_text(&mut list, &change.path);
            list.push_str(",\"kind\":");
            push_text(&mut list, change.kind.as_str());
            if let Some(to) = &change.moved_to {
                list.push_str(",\"moved_to\":");
                push_text(&mut list, to);
            }
            list.push('}');
            paths.push(self.scene.whole_path(&change.path));
        }
        list.push(']');
        let content = Payload::new().text("type", "file_change").json("changes", Some(&list)).said("status", status);
        let identities = self.of_call(call, Some(likeness_of_files(paths)));
        self.push(Kind::FileChange, content.into_item(), identities, |event| {
            event.action = call.id.map(str::to_owned);
        });
        self.about([call.name]);
    }

    fn of_call(&self, call: Call<'_>, likeness: Option<String>) -> Vec<Identity> {
        let mut identities: Vec<Identity> = call.id.map(|id| item(id, 0)).into_iter().collect();
        if is_seen_unnamed(self.scene.client)
            && let Some(likeness) = likeness
        {
            identities.push(Identity::Alike(Said::Own(likeness)));
        }
        identities.extend(call.arguments.map(|arguments| result_of(&likeness_of_call(call.name, arguments))));
        identities
    }

    /// What a model response cost; `id` names the response.
    pub fn usage(&mut self, id: &str, model: Option<&str>, tokens: Tokens) {
        self.usage_named(item(&format!("usage/{id}"), 0), model, tokens);
    }

    /// The same, of a response that the client does not name; `name` is the capture's own.
    pub fn usage_named(&mut self, name: Identity, model: Option<&str>, tokens: Tokens) {
        let whole = |n: Option<u64>| n.and_then(|n| i64::try_from(n).ok());
        let cost = tokens.cost_usd.filter(|cost| cost.is_finite()).map(|cost| cost.to_string());
        let content = Payload::new()
            .said("model", model)
            .number("input_tokens", whole(tokens.input))
            .number("cached_input_tokens", whole(tokens.cached))
            .number("cache_write_tokens", whole(tokens.cache_written))
            .number("output_tokens", whole(tokens.output))
            .number("reasoning_tokens", whole(tokens.reasoning))
            .json("cost_usd", cost.as_deref());
        let mut names = vec![name];
        if self.scene.client == Client::Codex {
            names.push(Identity::Alike(Said::Own(likeness_of_usage(tokens.input, tokens.cached, tokens.output))));
        }
        self.push(Kind::Usage, content.into_content(), names, |_| {});
    }

    /// The beginning of the session, or of a sub-agent's part of it.
    pub fn session_started(&mut self, details: Payload) {
        let identities = vec![item(&format!("started/{}", self.scene.thread), 0)];
        self.push(Kind::SessionStarted, details.into_content(), identities, |event| event.turn = None);
    }

    /// The end of a turn; `status` says how it ended.
    pub fn turn_completed(&mut self, turn: &str, status: &str, details: &Payload) {
        self.end_of_turn(item(&format!("done/{turn}"), 0), status, details);
    }

    /// The end of a turn that the client does not name; `name` is the capture's own.
    pub fn end_of_turn(&mut self, name: Identity, status: &str, details: &Payload) {
        let identities = vec![name, Identity::Alike(Said::Own(format!("the turn is {status}")))];
        let content = Payload::new().text("status", status).and(details).into_content();
        self.push(Kind::TurnCompleted, content, identities, |_| {});
    }

    /// A summary that the client made of the session so far.
    pub fn summary(&mut self, text: String, identities: Vec<Identity>) {
        self.notice(text, identities);
        if let Some(last) = self.out.events.last_mut() {
            last.is_recap = true;
        }
    }

    /// What the client says about the session: that it waits, or that a turn ended without a word.
    pub fn notice(&mut self, text: String, identities: Vec<Identity>) {
        self.push(Kind::SessionSummary, Content::Text(text), identities, |_| {});
    }

    /// Something failed.
    pub fn error(&mut self, text: String, mut identities: Vec<Identity>) {
        identities.push(Identity::Alike(Said::Content));
        self.push(Kind::Error, Content::Text(text), identities, |_| {});
    }

    /// Something that was put into the conversation and is nobody's words, worth keeping.
    pub fn context(&mut self, label: &str, text: &str, mut identities: Vec<Identity>) {
        if text.is_empty() {
            return;
        }
        identities.push(Identity::Alike(Said::Own(likeness_of_text(label, text))));
        let content = Payload::new().text("type", label).text("text", text).into_content();
        self.push(Kind::Context, content, identities, |_| {});
    }

    /// A record of a kind that nobody knows, as it is.
    pub fn opaque(&mut self, name: &str, record: &str, identities: Vec<Identity>) {
        crate::out::Tally::add(&mut self.out.tally.unknown, name);
        let content =
            Json::parse(record.to_owned()).map_or_else(|_| Content::Text(record.to_owned()), Content::Payload);
        self.push(Kind::Other, content, identities, |event| {
            event.shape.event_type = format!("{}.{}", event.client.map_or("client", Client::as_str), type_name(name));
        });
    }
}

/// Whether a path begins at a root, be it of this system or another.
fn is_whole(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.get(1..3).is_some_and(|drive| matches!(drive, ":/" | ":\\"))
}

/// A name that can stand in an event type. What reads unlike the name of a kind may be anything, and cut or spelt
/// otherwise nobody could tell any more that it is a secret.
fn type_name(name: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    if name.chars().count() > TYPE_CHARS_MAX || !name.chars().all(is_name) {
        return "unnamed".to_owned();
    }
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }).collect()
}

/// The client's own id of an item.
pub(crate) fn item(id: &str, block: u32) -> Identity {
    Identity::Item { id: id.to_owned(), block }
}

/// The client's own id of a record.
pub(crate) fn record(id: &str, block: u32) -> Identity {
    Identity::Record { id: id.to_owned(), block }
}

/// A short digest of a text, blanks around it aside. Only ever used inside a keyed hash.
pub(crate) fn digest(text: &str) -> String {
    let text = text.trim();
    let hash = if text.contains('\r') {
        blake3::hash(text.replace("\r\n", "\n").as_bytes())
    } else {
        blake3::hash(text.as_bytes())
    };
    hash.to_hex().chars().take(DIGEST_CHARS).collect()
}
