//! Gemini CLI chats: `session-*.jsonl` of today, and `session-*.json` before it.

use super::tools::{self, Parts};
use crate::boundary::{self, Stand};
use crate::lenient::{List, Number, Raw, Text, Words, lenient};
use crate::media;
use crate::out::Out;
use crate::parser::{Parser, mended, read};
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, Scene, Tokens, digest, item};
use crate::shell;
use crate::when;
use memoir_event::{Client, Source, Time};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A message is written again as it grows: so many things that were handed over are remembered.
const GIVEN_MAX: usize = 64;

/// What stands around the summary of a compression.
const SNAPSHOT: (&str, &str) = ("<state_snapshot>", "</state_snapshot>");

/// What the files around a chat say about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatPlace {
    /// The project's directory.
    pub cwd: Option<String>,
    /// The session that a sub-agent's chat belongs to.
    pub parent: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    session: String,
    parent: Option<String>,
    cwd: Option<String>,
    is_agent: bool,
    turn: Option<String>,
    started: bool,
    given: Vec<String>,
}

/// Reads a chat.
pub struct Chat {
    state: State,
    scene: Scene,
}

lenient! {
    struct Line<'a> {
        id: Text<'a> = "id",
        timestamp: Raw<'a> = "timestamp",
        kind: Text<'a> = "type",
        content: Raw<'a> = "content",
        display: Raw<'a> = "displayContent",
        thoughts: List<Thought<'a>> = "thoughts",
        tokens: Raw<'a> = "tokens",
        model: Text<'a> = "model",
        calls: List<ToolCall<'a>> = "toolCalls",
        session_id: Text<'a> = "sessionId",
        project_hash: Text<'a> = "projectHash",
        start: Raw<'a> = "startTime",
        role: Text<'a> = "kind",
        set: Raw<'a> = "$set",
        rewind: Text<'a> = "$rewindTo",
    }
}

lenient! {
    struct Changed<'a> {
        messages: List<Message<'a>> = "messages",
    }
}

lenient! {
    struct Message<'a> {
        kind: Text<'a> = "type",
        timestamp: Raw<'a> = "timestamp",
        content: Raw<'a> = "content",
    }
}

lenient! {
    struct Thought<'a> {
        subject: Words<'a> = "subject",
        description: Words<'a> = "description",
    }
}

lenient! {
    struct Usage<'a> {
        input: Number = "input",
        output: Number = "output",
        cached: Number = "cached",
        thoughts: Number = "thoughts",
    }
}

lenient! {
    struct ToolCall<'a> {
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        args: Raw<'a> = "args",
        result: Raw<'a> = "result",
        status: Text<'a> = "status",
        timestamp: Raw<'a> = "timestamp",
        display: Raw<'a> = "resultDisplay",
    }
}

impl Chat {
    /// A reader at the beginning of a chat.
    pub fn new(place: ChatPlace) -> Chat {
        let is_agent = place.parent.is_some();
        Chat::with(State { cwd: place.cwd, parent: place.parent, is_agent, ..State::default() })
    }

    /// A reader that goes on from a state.
    pub fn resume(state: &str) -> Option<Chat> {
        serde_json::from_str(state).ok().map(Chat::with)
    }

    fn with(state: State) -> Chat {
        let mut chat = Chat { state, scene: Scene::new(Client::Gemini, Source::GeminiCliHistory) };
        chat.set_scene();
        chat
    }

    fn set_scene(&mut self) {
        let state = &self.state;
        self.scene.session.clone_from(state.parent.as_ref().unwrap_or(&state.session));
        self.scene.thread.clone_from(&state.session);
        self.scene.turn.clone_from(&state.turn);
        self.scene.cwd = state.cwd.as_deref().map(Arc::from);
    }

    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let Some(line) = read::<Line<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        if let Some(set) = line.set.get() {
            self.set(set, number, out);
        } else if line.rewind.said().is_some() {
            out.left_out("$rewindTo");
        } else if line.id.said().is_some() && line.kind.said().is_some() {
            self.message(number, text, &line, out);
        } else if let Some(session) = line.session_id.said() {
            self.header(session, &line, number, out);
        } else {
            let name = format!("line/{}", digest(text));
            Maker::of_record(&self.scene, None, number, out).opaque("record", text, vec![item(&name, 0)]);
        }
    }

    /// A change of the whole chat: if its messages were compressed, the summary stands among the new ones.
    fn set(&mut self, set: &str, number: u64, out: &mut Out) {
        out.left_out("$set");
        if let Some(unknown) = unknown_in(set) {
            let name = item(&format!("line/{}", digest(&unknown)), 0);
            Maker::of_record(&self.scene, None, number, out).opaque("$set", &unknown, vec![name]);
        }
        if !set.contains(SNAPSHOT.0) {
            return;
        }
        let changed: Changed<'_> = serde_json::from_str(set).unwrap_or_default();
        for message in changed.messages.0.iter().filter(|message| message.kind.is("user")) {
            let parts = Parts::of(message.content);
            let time = when::told(message.timestamp, out);
            if let Some(summary) = parts.texts.iter().find_map(|text| snapshot(text)) {
                self.summary(summary, time, number, out);
            }
        }
    }

    /// What a compression made of the chat. It stays in the chat, and is written again with every change of it.
    fn summary(&mut self, text: &str, time: Option<Time>, number: u64, out: &mut Out) {
        let name = format!("compaction/{}", digest(text));
        if self.is_new(name.clone()) {
            Maker::of_record(&self.scene, time, number, out).summary(text.to_owned(), vec![item(&name, 0)]);
        }
    }

    fn header(&mut self, session: &str, line: &Line<'_>, number: u64, out: &mut Out) {
        session.clone_into(&mut self.state.session);
        self.state.is_agent |= line.role.is("subagent");
        self.set_scene();
        if self.state.started {
            return;
        }
        self.state.started = true;
        let details = Payload::new()
            .text("thread_id", session)
            .said("cwd", self.state.cwd.as_deref())
            .said("parent_thread", self.state.parent.as_deref());
        let time = when::told(line.start, out);
        Maker::of_record(&self.scene, time, number, out).session_started(details);
    }

    /// Whether something has to be handed over; the same message may be written three times.
    fn is_new(&mut self, name: String) -> bool {
        if self.state.given.contains(&name) {
            return false;
        }
        if self.state.given.len() >= GIVEN_MAX {
            self.state.given.remove(0);
        }
        self.state.given.push(name);
        true
    }

    fn message(&mut self, number: u64, text: &str, line: &Line<'_>, out: &mut Out) {
        let time = when::told(line.timestamp, out);
        let id = line.id.get().unwrap_or_default().to_owned();
        match line.kind.get().unwrap_or_default() {
            kind @ ("user" | "gemini") => {
                if kind == "user" {
                    self.user(&id, line, time.clone(), number, out);
                } else {
                    self.answer(&id, line, time.clone(), number, out);
                }
                for (nth, part) in (0..).zip(Parts::of(line.content).unknown) {
                    if self.is_new(format!("part/{id}/{nth}")) {
                        let name = item(&format!("part/{id}"), nth);
                        Maker::of_record(&self.scene, time.clone(), number, out).opaque(
                            &part.kind,
                            part.json,
                            vec![name],
                        );
                    }
                }
            }
            "error" => {
                let said = Parts::of(line.content).text();
                if !said.trim().is_empty() && self.is_new(format!("error/{id}")) {
                    Maker::of_record(&self.scene, time, number, out).error(said, vec![item(&id, 0)]);
                }
            }
            "info" if Parts::of(line.content).text().starts_with("Request cancelled") => {
                let turn = self.state.turn.clone().unwrap_or_default();
                let details = Payload::new().text("reason", "user");
                Maker::of_record(&self.scene, time, number, out).turn_completed(&turn, "interrupted", &details);
            }
            kind @ ("info" | "warning") => out.left_out(kind),
            kind => {
                Maker::of_record(&self.scene, time, number, out).opaque(kind, text, vec![item(&id, 9)]);
            }
        }
    }

    fn user(&mut self, id: &str, line: &Line<'_>, time: Option<Time>, number: u64, out: &mut Out) {
        let content = value(line.content);
        if is_function_response(&content) {
            out.left_out("function response");
            return;
        }
        let all = Parts::of(line.content);
        if let Some(summary) = all.texts.iter().find_map(|text| snapshot(text)) {
            self.summary(summary, time, number, out);
            return;
        }
        let is_typed = line.display.get().is_some();
        let Parts { texts, media, .. } = Parts::of(if is_typed { line.display } else { line.content });
        if is_typed {
            // What stands only in the content was put there by the client or by hooks.
            for text in all.texts.iter().filter(|text| !texts.contains(text)) {
                boundary::sort_of(Some(Client::Gemini), text, Stand::Sent)
                    .context
                    .iter()
                    .for_each(|(name, _)| out.context(name));
            }
        }
        let mut words = Vec::new();
        let mut context = Vec::new();
        for text in &texts {
            let text = text.split("\n--- Content from referenced files ---").next().unwrap_or_default();
            let sorted = boundary::sort_of(Some(Client::Gemini), text, Stand::Sent);
            context.extend(sorted.context);
            words.extend(sorted.speech.map(std::borrow::Cow::into_owned));
        }
        if words.is_empty() && media.is_empty() && context.iter().all(|(_, kept)| kept.is_none()) {
            context.iter().for_each(|(name, _)| out.context(name));
            return;
        }
        if !self.is_new(format!("msg/{id}/{}", words.iter().map(String::len).sum::<usize>())) {
            return;
        }
        if !self.state.is_agent {
            self.state.turn = Some(id.to_owned());
            self.set_scene();
        }
        let mut maker = Maker::of_record(&self.scene, time, number, out);
        for (nth, (name, kept)) in (1..).zip(&context) {
            maker.out.context(name);
            if let Some(kept) = kept {
                maker.context(name, kept, vec![item(&format!("msg/{id}"), nth)]);
            }
        }
        if words.is_empty() && media.is_empty() {
            return;
        }
        let words = if words.is_empty() { media::notes(&media) } else { words.join("\n") };
        let name = item(&format!("msg/{id}"), 0);
        if self.state.is_agent {
            maker.context("subagent-task", &words, vec![name]);
        } else {
            maker.user(words, vec![name]);
            maker.last(|event| event.metadata = media::metadata(&media));
        }
    }

    fn answer(&mut self, id: &str, line: &Line<'_>, time: Option<Time>, number: u64, out: &mut Out) {
        for (nth, thought) in (0..).zip(&line.thoughts.0) {
            let said: Vec<&str> =
                [&thought.subject, &thought.description].into_iter().filter_map(|text| text.said()).collect();
            if self.is_new(format!("thought/{id}/{nth}")) {
                let name = item(&format!("thought/{id}"), nth);
                Maker::of_record(&self.scene, time.clone(), number, out).reasoning(said.join("\n"), vec![name]);
            }
        }
        let text = Parts::of(line.content).text();
        if !text.trim().is_empty() && self.is_new(format!("msg/{id}/{}", text.len())) {
            let name = item(&format!("msg/{id}"), 0);
            Maker::of_record(&self.scene, time.clone(), number, out).assistant(text, vec![name]);
        }
        for call in &line.calls.0 {
            self.call(call, time.as_ref(), number, out);
        }
        if line.tokens.has_wrong_counts(&["input", "output", "cached", "thoughts"]) {
            out.problem("count that is no number");
        }
        let usage: Usage<'_> = line.tokens.read();
        let tokens = Tokens {
            input: usage.input.count(),
            cached: usage.cached.count(),
            output: usage.output.count(),
            reasoning: usage.thoughts.count(),
            ..Tokens::default()
        }
        .with_cached_in_input();
        if tokens != Tokens::default() && self.is_new(format!("usage/{id}")) {
            let model = line.model.said();
            Maker::of_record(&self.scene, time, number, out).usage(id, model, tokens);
        }
    }

    fn call(&mut self, call: &ToolCall<'_>, time: Option<&Time>, number: u64, out: &mut Out) {
        let (Some(id), name) = (call.id.said(), call.name.said().unwrap_or("tool")) else {
            out.problem("call without an id");
            return;
        };
        let arguments = call.args.get().unwrap_or("{}");
        let of = Call { id: Some(id), name, arguments: None };
        if self.is_new(format!("call/{id}")) {
            Maker::of_record(&self.scene, time.cloned(), number, out).tool_call(of, arguments);
        }
        let Some(result) = call.result.get() else { return };
        if !self.is_new(format!("result/{id}")) {
            return;
        }
        let done = when::told(call.timestamp, out).or_else(|| time.cloned());
        // At a terminal a call is written after its result, and its message is a moment younger.
        let done = done.map(|done| time.filter(|call| call.ms() > done.ms()).cloned().unwrap_or(done));
        let shown: Value = serde_json::from_str(result).unwrap_or_default();
        let failed = call.status.is("error") || call.status.is("cancelled");
        let told = tools::told(name, &tools::text_of_result(&shown), failed, out);
        let changes = if failed { Vec::new() } else { tools::changes(name, arguments, call.display) };
        let mut maker = Maker::of_record(&self.scene, done, number, out);
        let of = Call { arguments: Some(arguments), ..of };
        maker.tool_result(of, told.output, told.exit_code, told.failed);
        if let Some(script) = shell::script_of_call(name, arguments) {
            let status = call.status.said();
            maker.command(of, &script, Ending { exit_code: told.exit_code, status, ..Ending::default() });
        }
        maker.file_change(of, &changes, Some("completed"));
    }
}

fn value(raw: Raw<'_>) -> Value {
    raw.get().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn is_function_response(content: &Value) -> bool {
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    !parts.is_empty()
        && parts.iter().any(|part| part.get("functionResponse").is_some())
        && parts.iter().all(|part| part.get("functionResponse").is_some() || part.get("inlineData").is_some())
}

/// What the client is known to change of a chat as a whole.
const CHANGED: [&str; 10] = [
    "messages",
    "lastUpdated",
    "sessionId",
    "summary",
    "projectHash",
    "startTime",
    "kind",
    "directories",
    "memoryScratchpad",
    "model",
];

/// What a change of a chat says that nobody knows.
fn unknown_in(set: &str) -> Option<String> {
    let fields: BTreeMap<&str, &RawValue> = serde_json::from_str(set).ok()?;
    let unknown: Vec<String> = fields
        .into_iter()
        .filter(|(name, _)| !CHANGED.contains(name))
        .map(|(name, value)| format!("{}:{}", Value::from(name), value.get()))
        .collect();
    (!unknown.is_empty()).then(|| format!("{{\"$set\":{{{}}}}}", unknown.join(",")))
}

/// The summary that a compression left in a text, if it is one.
fn snapshot(text: &str) -> Option<&str> {
    let inside = text.trim_start().strip_prefix(SNAPSHOT.0)?;
    let summary = inside.rsplit_once(SNAPSHOT.1).map_or(inside, |(summary, _)| summary).trim();
    (!summary.is_empty()).then_some(summary)
}

impl Parser for Chat {
    fn line(&mut self, number: u64, line: &str, out: &mut Out) {
        out.begin_record();
        self.one_line(number, &mended(line), out);
    }

    fn pause(&mut self, _out: &mut Out) {}

    fn is_settled(&self) -> bool {
        true
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.state).unwrap_or_default()
    }
}

/// Reads a chat that is one JSON object, message by message; `each` takes what every message gives.
///
/// The object's own fields may stand before or after its messages: `session` is used until they are seen.
pub fn read_chat_json(
    reader: impl std::io::Read,
    place: ChatPlace,
    session: &str,
    each: &mut dyn FnMut(Out),
) -> Result<(), serde_json::Error> {
    let mut chat = Chat::new(place);
    session.clone_into(&mut chat.state.session);
    chat.set_scene();
    let mut number = 0;
    let mut give = |record: &RawValue| {
        number += 1;
        let mut out = Out::default();
        chat.line(number, record.get(), &mut out);
        each(out);
    };
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    ChatObject { give: &mut give }.deserialize(&mut deserializer)
}

/// The fields of a chat object, of which `messages` is read element by element.
struct ChatObject<'a> {
    give: &'a mut dyn FnMut(&RawValue),
}

impl<'de> DeserializeSeed<'de> for ChatObject<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ChatObject<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chat")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let (mut session, mut start) = (None::<String>, None::<String>);
        let mut told = false;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "sessionId" => session = map.next_value::<Text<'de>>()?.owned(),
                "startTime" => start = map.next_value::<Text<'de>>()?.owned(),
                "messages" | "history" => {
                    tell_header(session.as_deref(), start.as_deref(), self.give);
                    told = true;
                    map.next_value_seed(Elements { give: &mut *self.give })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !told {
            tell_header(session.as_deref(), start.as_deref(), self.give);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        Elements { give: self.give }.visit_seq(seq)
    }
}

fn tell_header(session: Option<&str>, start: Option<&str>, give: &mut dyn FnMut(&RawValue)) {
    let Some(session) = session else { return };
    let header = Payload::new().text("sessionId", session).said("startTime", start).end();
    if let Ok(raw) = RawValue::from_string(header) {
        give(&raw);
    }
}

/// The elements of a list, one by one.
pub(super) struct Elements<'a> {
    pub give: &'a mut dyn FnMut(&RawValue),
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(record) = seq.next_element::<Box<RawValue>>()? {
            (self.give)(&record);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::unknown_in;

    #[test]
    fn what_nobody_knows_of_a_change_is_kept_and_the_rest_is_not() {
        let set = r#"{"messages":[{"id":"m","type":"user"}],"brand new":{"a":"kept"},"lastUpdated":"x"}"#;
        assert_eq!(unknown_in(set).as_deref(), Some(r#"{"$set":{"brand new":{"a":"kept"}}}"#));
        assert_eq!(unknown_in(r#"{"summary":"s","sessionId":"x"}"#), None);
    }
}
