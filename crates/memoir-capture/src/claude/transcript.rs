//! Claude Code session files, and the stream of `claude -p --output-format stream-json`: the same records in both.

use super::notes;
use super::record::Record;
use super::tools::Pending;
use crate::boundary::{self, Stand};
use crate::lenient::{Text, lenient};
use crate::out::{Captured, Out};
use crate::parser::{Parser, Salt, mended, read};
use crate::payload::Payload;
use crate::scene::{Maker, Scene, Tokens, digest, item, record};
use crate::turns::Turns;
use crate::when;
use memoir_event::{Client, Identity, Json, Source, Time};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::Arc;

/// So many calls may be on their way at once.
const CALLS_MAX: usize = 64;

/// So many prompts may wait while the agent works.
const QUEUED_MAX: usize = 32;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    session: String,
    thread: String,
    /// The thread whose beginning was told last.
    started: String,
    cwd: Option<String>,
    /// The user's turn, of the session itself.
    turn: Option<String>,
    /// The user's turn that a sub-agent works in.
    agent_turn: Option<String>,
    turns: Turns,
    calls: Vec<Pending>,
    queued: Vec<String>,
    /// Digests of queued prompts that were taken in; the same text may come again as a record.
    absorbed: Vec<String>,
    cost: Option<String>,
    /// The first record of the session in the file that tells usage: copies of the session begin with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
    /// How many responses of the session there were in the file.
    responses: u64,
    /// When something was written last.
    time: Option<String>,
    /// The message whose cost was told last: more of it may follow.
    counted: Counted,
}

/// A message and the record of it that names its cost: the first.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Counted {
    message: String,
    uuid: String,
    time: Option<String>,
}

/// What a message cost, until all of its records have been seen: the last one tells the most.
#[derive(Debug, Clone)]
pub(super) struct OpenUsage {
    pub message: String,
    pub uuid: String,
    pub model: Option<String>,
    pub tokens: Tokens,
    pub time: Option<Time>,
    pub number: u64,
    pub scene: Scene,
}

/// Reads a session file or a stream.
pub struct Transcript {
    state: State,
    pub(super) scene: Scene,
    pub(super) usage: Option<OpenUsage>,
    /// What is to be known of a live stream.
    stream: Stream,
    salt: Salt,
}

/// A stream that is read while it is written.
#[derive(Default)]
struct Stream {
    /// Names this run.
    run: String,
    /// What the user asked: the stream does not say.
    prompt: Option<String>,
    now: Option<crate::codex::Now>,
    /// Pieces of an answer whose whole has not come yet.
    pieces: String,
}

lenient! {
    struct PieceLine<'a> {
        event: PieceEvent<'a> = "event",
    }
}

lenient! {
    struct PieceEvent<'a> {
        delta: Piece<'a> = "delta",
    }
}

lenient! {
    struct Piece<'a> {
        text: Text<'a> = "text",
    }
}

/// Where in the file the parser is, and where what it finds goes.
pub(super) struct At<'a> {
    pub number: u64,
    pub time: Option<Time>,
    pub uuid: String,
    /// The record as it stands there.
    pub text: &'a str,
    pub out: &'a mut Out,
}

impl Transcript {
    /// A reader at the beginning of a file; `session` is the id in its name.
    pub fn new(session: Option<&str>, salt: Salt) -> Transcript {
        let state = State { session: session.unwrap_or_default().to_owned(), ..State::default() };
        Transcript::with(state, Source::ClaudeCodeHistory, salt)
    }

    /// A reader of a live stream.
    pub fn stream(run: &str, cwd: Option<&str>, prompt: Option<String>, now: Option<crate::codex::Now>) -> Transcript {
        let state = State { cwd: cwd.map(str::to_owned), ..State::default() };
        let mut transcript = Transcript::with(state, Source::ClaudeCodeExec, Salt::default());
        transcript.stream = Stream { run: run.to_owned(), prompt, now, pieces: String::new() };
        transcript
    }

    /// A reader that goes on from a state.
    pub fn resume(source: Source, state: &str, salt: Salt) -> Option<Transcript> {
        serde_json::from_str(state).ok().map(|state| Transcript::with(state, source, salt))
    }

    fn with(mut state: State, source: Source, salt: Salt) -> Transcript {
        state.turns.set_salt(salt);
        let mut scene = Scene::new(Client::Claude, source);
        scene.session.clone_from(&state.session);
        scene.thread.clone_from(&state.thread);
        scene.turn.clone_from(&state.turn);
        scene.cwd = state.cwd.as_deref().map(Arc::from);
        Transcript { state, scene, usage: None, stream: Stream::default(), salt }
    }

    pub(super) fn maker<'a>(&'a self, at: &'a mut At<'_>) -> Maker<'a> {
        Maker::of_record(&self.scene, at.time.clone(), at.number, at.out)
    }

    /// One line, which may hold two records glued together.
    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let whole = text.trim();
        let text = whole.trim_matches('\0').trim();
        if text.len() < whole.len() {
            out.problem("NUL bytes");
        }
        if text.is_empty() {
            return;
        }
        if let Some(kind) = notes::left_out_at_once(text) {
            out.left_out(kind);
            return;
        }
        if let Some(found) = read::<Record<'_>>(text) {
            self.one_record(number, text, &found, out);
            return;
        }
        let mut parts = serde_json::Deserializer::from_str(text).into_iter::<&serde_json::value::RawValue>();
        let mut any = false;
        while let Some(Ok(part)) = parts.next() {
            if let Some(found) = read::<Record<'_>>(part.get()) {
                any = true;
                self.one_record(number, part.get(), &found, out);
            }
        }
        if !any || parts.byte_offset() < text.len() {
            out.problem("not JSON");
        }
    }

    fn one_record(&mut self, number: u64, text: &str, found: &Record<'_>, out: &mut Out) {
        let Some(kind) = found.kind.get() else {
            out.problem("record without a type");
            return;
        };
        if let Some(kind) = notes::left_out(kind) {
            if kind == "stream_event" && !self.stream.run.is_empty() {
                let piece: PieceLine<'_> = read(text).unwrap_or_default();
                self.stream.pieces.push_str(piece.event.delta.text.get().unwrap_or_default());
            }
            out.left_out(kind);
            return;
        }
        if kind == "assistant" {
            self.stream.pieces.clear();
        }
        let time = when::told(found.timestamp, out);
        let time = time.or_else(|| self.stream.now.as_ref().map(|now| Time::from_ms(now())));
        let time = time.or_else(|| self.time_of_note(found));
        self.state.time = time.as_ref().map(|time| time.given().to_owned()).or_else(|| self.state.time.take());
        self.enter(found);
        let is_said = matches!(kind, "user" | "assistant");
        let uuid = found.uuid.owned().or_else(|| is_said.then(|| format!("line/{}", digest(text))));
        let mut at = At { number, time, uuid: uuid.unwrap_or_default(), text, out };
        self.begin(found, &mut at);
        match kind {
            "user" => self.user_record(found, &mut at),
            "assistant" => self.assistant_record(found, &mut at),
            "system" => self.system_record(found, &mut at),
            "attachment" => self.attachment(found, &mut at),
            "queue-operation" => self.queue(found, &mut at),
            "cost-state" => self.cost(found.total_cost.0, &mut at),
            "ai-title" | "custom-title" => self.title(found, &mut at),
            "result" => self.result(found, &mut at),
            "pr-link" => {
                if let Some(url) = found.pr_url.said() {
                    let name = item(&format!("pull-request/{url}"), 0);
                    self.maker(&mut at).context("pull-request", url, vec![name]);
                }
            }
            kind => self.unknown(kind, &mut at),
        }
        let At { uuid, out, .. } = at;
        name_by_record(&uuid, out);
    }

    /// When a note was made that says no time itself: after what was written last.
    fn time_of_note(&self, found: &Record<'_>) -> Option<Time> {
        let is_note = found.uuid.get().is_none() && found.timestamp.get().is_none();
        self.state.time.as_deref().filter(|_| is_note).and_then(|time| Time::parse(time).ok())
    }

    /// Sets the scene to where the record happened.
    fn enter(&mut self, found: &Record<'_>) {
        let is_throw_away =
            found.kind.is("system") && found.subtype.get().is_some_and(|kind| kind.starts_with("hook_"));
        let session = found.session_id.said().or_else(|| found.stream_session.said().filter(|_| !is_throw_away));
        if let Some(session) = session
            && session != self.state.session
        {
            session.clone_into(&mut self.state.session);
        }
        self.scene.session.clone_from(&self.state.session);
        let agent = found.agent_id.said().or_else(|| found.stream_agent.said()).or_else(|| found.parent_tool.said());
        let thread = match agent {
            Some(agent) => agent.to_owned(),
            None if found.is_sidechain.is_set() => format!("{}/sidechain", self.state.session),
            None => self.state.session.clone(),
        };
        self.state.thread.clone_from(&thread);
        self.scene.thread = thread;
        if let Some(cwd) = found.cwd.said()
            && self.state.cwd.as_deref() != Some(cwd)
        {
            self.state.cwd = Some(cwd.to_owned());
        }
        if self.scene.cwd.as_deref() != self.state.cwd.as_deref() {
            self.scene.cwd = self.state.cwd.as_deref().map(Arc::from);
        }
        let is_agent = self.scene.thread != self.scene.session;
        let turn = if is_agent { &mut self.state.agent_turn } else { &mut self.state.turn };
        if let Some(named) = found.prompt_id.said().filter(|_| found.kind.is("user")) {
            *turn = Some(named.to_owned());
        }
        self.scene.turn.clone_from(turn);
        self.scene.asked = self.scene.turn.as_deref().filter(|_| is_agent).map(Arc::from);
    }

    /// Tells the beginning of a thread, once.
    fn begin(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let is_message = found.kind.is("user") || found.kind.is("assistant") || found.subtype.is("init");
        if !is_message || self.state.session.is_empty() || self.state.started == self.scene.thread {
            return;
        }
        self.state.started.clone_from(&self.scene.thread);
        let is_agent = self.scene.thread != self.scene.session;
        let details = Payload::new()
            .text("thread_id", &self.scene.thread)
            .said("cwd", self.scene.cwd.as_deref())
            .said("version", found.version.said())
            .said("branch", found.branch.said())
            .said("parent_thread", is_agent.then_some(self.scene.session.as_str()));
        // Named by its thread alone: a copy of a session is a session of its own.
        let uuid = std::mem::take(&mut at.uuid);
        self.maker(at).session_started(details);
        if !is_agent && let Some(prompt) = self.stream.prompt.take() {
            let name = format!("{}/prompt", self.stream.run);
            self.maker(at).given_prompt(&prompt, &name, Stand::Typed);
        }
        at.uuid = uuid;
    }

    /// The user has spoken: a new turn. What the turn before cost is told before it.
    pub(super) fn next_turn(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        if at.out.part() == 0 {
            self.flush(at.out);
            at.out.begin_record();
        }
        let turn = found.prompt_id.owned().unwrap_or_else(|| format!("~{}", found.uuid.get().unwrap_or_default()));
        if self.scene.thread == self.scene.session {
            self.state.turns.begin(&turn);
            self.state.turn = Some(turn.clone());
        }
        self.scene.turn = Some(turn);
    }

    /// The record that names the cost of a message, and its time: the first that told of it.
    pub(super) fn counted(&mut self, message: &str, is_first: bool, at: &At<'_>) -> (String, Option<Time>) {
        let known = &self.state.counted;
        if (message.is_empty() || known.message != message) && self.scene.thread == self.scene.session {
            self.state.responses += 1;
            self.state.root.get_or_insert_with(|| at.uuid.clone());
        }
        if is_first || message.is_empty() || known.message != message {
            let time = at.time.as_ref().map(|time| time.given().to_owned());
            self.state.counted = Counted { message: message.to_owned(), uuid: at.uuid.clone(), time };
            return (at.uuid.clone(), at.time.clone());
        }
        (known.uuid.clone(), known.time.as_deref().and_then(|time| Time::parse(time).ok()))
    }

    pub(super) fn turns(&mut self) -> &mut Turns {
        &mut self.state.turns
    }

    pub(super) fn remember_call(&mut self, id: &str, name: &str, input: &str) {
        if self.state.calls.len() >= CALLS_MAX {
            self.state.calls.remove(0);
        }
        self.state.calls.push(Pending::new(id, name, input));
    }

    pub(super) fn take_call(&mut self, id: &str) -> Pending {
        let at = self.state.calls.iter().position(|call| call.id == id);
        at.map_or_else(Pending::default, |at| self.state.calls.remove(at))
    }

    /// Whether this text was taken in from the queue before.
    pub(super) fn was_absorbed(&mut self, text: &str) -> bool {
        let digest = self.salt.digest(text);
        let at = self.state.absorbed.iter().position(|known| *known == digest);
        at.map(|at| self.state.absorbed.remove(at)).is_some()
    }

    /// Prompts that are typed while the agent works.
    fn queue(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let content = found.content.owned();
        let state = &mut self.state;
        match found.operation.get() {
            Some("enqueue") => {
                if let Some(content) = content.filter(|_| state.queued.len() < QUEUED_MAX) {
                    state.queued.push(content);
                }
            }
            Some(operation @ ("dequeue" | "remove")) => {
                let place =
                    content.as_ref().and_then(|content| state.queued.iter().position(|queued| queued == content));
                let place = place.or((!state.queued.is_empty()).then_some(0));
                let taken = place.map(|place| state.queued.remove(place));
                if let Some(text) = taken.filter(|_| operation == "remove") {
                    if state.absorbed.len() >= QUEUED_MAX {
                        state.absorbed.remove(0);
                    }
                    state.absorbed.push(self.salt.digest(&text));
                    self.queued_prompt(&text, at);
                }
            }
            Some("popAll") => state.queued.clear(),
            _ => {}
        }
        at.out.left_out("queue-operation");
    }

    pub(super) fn cost(&mut self, total: Option<f64>, at: &mut At<'_>) {
        let Some(total) = total.filter(|total| total.is_finite()) else { return };
        let total = total.to_string();
        if self.state.cost.as_deref() == Some(&total) {
            at.out.left_out("cost-state");
            return;
        }
        let details = Payload::new().json("session_cost_usd", Some(&total)).into_content();
        let name = item(&format!("cost/{total}"), 0);
        self.state.cost = Some(total);
        // A copy of a session tells with its own cost what the other one had cost: this says what it is a copy of. Streams
        // show only what is their own.
        let root = self.state.root.clone().filter(|_| self.stream.run.is_empty());
        let about = root.map(|root| json!({"root": root, "responses": self.state.responses}));
        self.maker(at).push(memoir_event::Kind::Usage, details, vec![name], |event| {
            event.metadata = about.as_ref().map(Json::from_value);
        });
    }

    fn title(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let title = found.title.said().or_else(|| found.custom_title.said()).or_else(|| found.content.said());
        match title {
            Some(title) => {
                let name = item(&format!("title/{}", digest(title)), 0);
                self.maker(at).context("title", title, vec![name]);
            }
            None => at.out.left_out("title"),
        }
    }

    /// Hands over what a message cost.
    pub(super) fn flush(&mut self, out: &mut Out) {
        let Some(open) = self.usage.take() else { return };
        let before = out.events.len();
        Maker::of_record(&open.scene, open.time, open.number, out).usage(
            &open.uuid,
            open.model.as_deref(),
            open.tokens,
        );
        for captured in out.events.iter_mut().skip(before) {
            // Beyond the parts of the record itself.
            captured.event.sequence = captured.event.sequence.map(|number| number + 63);
            captured.event.identities.insert(0, record(&format!("usage/{}", open.uuid), 0));
            captured.event.action = Some(open.uuid.clone()).filter(|uuid| !uuid.is_empty());
        }
    }

    fn system_record(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        match found.subtype.get() {
            Some("api_error") => {
                let text = found.error.read::<Text<'_>>().owned().or_else(|| found.content.owned());
                let text =
                    text.or_else(|| found.error.get().map(str::to_owned)).unwrap_or_else(|| "API error".to_owned());
                self.maker(at).error(text, Vec::new());
            }
            Some("local_command") => {
                let sorted =
                    boundary::sort_of(Some(Client::Claude), found.content.get().unwrap_or_default(), Stand::Marked);
                self.tell_context(&sorted.context, at);
            }
            Some("turn_duration") => {
                let turn = self.scene.turn.clone().unwrap_or_default();
                let details = Payload::new().number("duration_ms", found.duration_ms.whole());
                self.maker(at).turn_completed(&turn, "completed", &details);
            }
            Some(kind) if !notes::is_about_client(kind) => self.unknown(&format!("system.{kind}"), at),
            other => at.out.left_out(&format!("system/{}", other.unwrap_or("other"))),
        }
    }

    /// Keeps a record that nobody knows as it is.
    pub(super) fn unknown(&self, kind: &str, at: &mut At<'_>) {
        let (name, text) = (format!("line/{}", digest(at.text)), at.text);
        self.maker(at).opaque(kind, text, vec![item(&name, 0)]);
    }
}

/// Gives every event of a record that record's name too: copies of it in other sessions are the same thing.
fn name_by_record(uuid: &str, out: &mut Out) {
    if uuid.is_empty() {
        return;
    }
    // The beginning of a thread is told with whatever record comes first: it is none of its parts.
    let is_part = |captured: &&mut Captured| captured.event.shape.kind != memoir_event::Kind::SessionStarted;
    for (block, captured) in (0..).zip(out.of_record().filter(is_part)) {
        let identities = &mut captured.event.identities;
        let has_name =
            identities.iter().any(|identity| matches!(identity, Identity::Record { .. } | Identity::Named(_)));
        if !has_name {
            identities.insert(0, record(uuid, block));
        }
    }
}

impl Parser for Transcript {
    fn line(&mut self, number: u64, line: &str, out: &mut Out) {
        out.begin_record();
        self.one_line(number, &mended(line), out);
    }

    fn pause(&mut self, out: &mut Out) {
        out.begin_record();
        self.flush(out);
    }

    fn end(&mut self, out: &mut Out) {
        self.pause(out);
        let pieces = std::mem::take(&mut self.stream.pieces);
        if !pieces.trim().is_empty() && !self.scene.session.is_empty() {
            let time = self.stream.now.as_ref().map(|now| Time::from_ms(now()));
            let name = Identity::Named(format!("{}/pieces", self.stream.run));
            Maker::live(&self.scene, time, out).assistant(pieces, vec![name]);
        }
    }

    fn is_settled(&self) -> bool {
        self.usage.is_none()
    }

    fn state(&self) -> String {
        serde_json::to_string(&self.state).unwrap_or_default()
    }
}
