//! Codex session files ("rollouts"): every form from 2025-08 to today.
//!
//! A file may mix forms: bare response items without times; enveloped items beside events; items with ordinals. It may
//! begin with a copy of another thread's history, which then belongs to that thread.

pub(super) mod event_line;
mod item_line;
mod thread;

use super::waiting::{Held, Waiting};
use crate::boundary::{self, Stand};
use crate::content::Unknown;
use crate::lenient::{Raw, Text, Words, lenient};
use crate::media::{self, Media};
use crate::out::Out;
use crate::parser::{Parser, Salt, mended, read};
use crate::payload::Payload;
use crate::scene::{Maker, Scene, item};
use crate::turns::{Form, Turns, Who};
use crate::when;
pub(super) use event_line::mcp_returned;
use memoir_event::{Client, Identity, Source, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thread::Thread;
pub(super) use thread::Usage;

/// So many calls may be on their way at once.
const CALLS_MAX: usize = 64;

/// A call whose result has not been seen.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pending {
    id: String,
    name: String,
    script: Option<String>,
    /// What it was called with, if what came of it is found by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    changes: Vec<(String, String)>,
    /// Tools that it calls itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<String>,
}

/// What a reader has to know to go on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    /// The thread that the file is of.
    own: Thread,
    /// The thread whose copied history is being read, if any.
    copied: Option<Thread>,
    /// When that thread began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    copied_ms: Option<i64>,
    /// Other threads whose history was copied with it: what is copied may begin with a copy itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<(Thread, Option<i64>)>,
    /// When the file began.
    begun_ms: Option<i64>,
    /// Own lines of a sub-agent begin at this ordinal.
    own_from: Option<u64>,
    is_subagent: bool,
    /// Whether lines are bare items without an envelope.
    is_bare: bool,
    /// When such a file began, in milliseconds since 1970: its lines have no times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bare_ms: Option<i64>,
    /// Whether each model response has a record of what it cost.
    has_usage: bool,
    /// Whether the file has items with ids of their own: then results need not be guessed from texts.
    has_items: bool,
    cwd: Option<String>,
    remote: Option<String>,
    model: Option<String>,
    turns: Turns,
    calls: Vec<Pending>,
    /// Scripts that go on running, by their cells, and the tools that they call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cells: Vec<(String, Vec<String>)>,
    /// A digest of the line before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    last: String,
}

/// Reads a rollout.
pub struct Rollout {
    state: State,
    waiting: Waiting,
    scene: Scene,
    /// The line before: few lines have an id, so a line that is written twice has to be known as a whole.
    last: String,
    salt: Salt,
}

lenient! {
    /// One line.
    struct Line<'a> {
        timestamp: Raw<'a> = "timestamp",
        ordinal: crate::lenient::Number = "ordinal",
        kind: Text<'a> = "type",
        record_type: Text<'a> = "record_type",
        payload: Raw<'a> = "payload",
        metadata: Raw<'a> = "metadata",
        id: Text<'a> = "id",
        git: Raw<'a> = "git",
    }
}

impl Rollout {
    /// A reader at the beginning of a file; `thread` is the id in its name.
    pub fn new(thread: Option<&str>, salt: Salt) -> Rollout {
        let own = Thread::new(thread.unwrap_or_default(), None);
        Rollout::with(State { own, ..State::default() }, salt)
    }

    /// The same reader, of a file whose name says when it began: a file without any times was written about then.
    #[must_use]
    pub fn begun(mut self, named: Option<Time>) -> Rollout {
        self.state.bare_ms = named.map(|time| time.ms());
        self
    }

    /// A reader that goes on from a state.
    pub fn resume(state: &str, salt: Salt) -> Option<Rollout> {
        serde_json::from_str(state).ok().map(|state| Rollout::with(state, salt))
    }

    fn with(mut state: State, salt: Salt) -> Rollout {
        state.turns.set_salt(salt);
        let mut rollout = Rollout {
            state,
            waiting: Waiting::default(),
            scene: Scene::new(Client::Codex, Source::CodexHistory),
            last: String::new(),
            salt,
        };
        rollout.set_scene();
        rollout
    }

    /// Puts the scene where the state says.
    fn set_scene(&mut self) {
        let thread = self.state.copied.as_ref().unwrap_or(&self.state.own);
        self.scene.session.clone_from(thread.root.as_ref().unwrap_or(&thread.id));
        self.scene.thread.clone_from(&thread.id);
        self.scene.turn = thread.turn();
        if self.scene.asked.as_deref() != thread.asked() {
            self.scene.asked = thread.asked().map(Arc::from);
        }
        if self.scene.cwd.as_deref() != self.state.cwd.as_deref() {
            self.scene.cwd = self.state.cwd.as_deref().map(Arc::from);
        }
        if self.scene.remote.as_deref() != self.state.remote.as_deref() {
            self.scene.remote = self.state.remote.as_deref().map(Arc::from);
        }
    }

    fn thread(&mut self) -> &mut Thread {
        self.state.copied.as_mut().unwrap_or(&mut self.state.own)
    }

    fn one_line(&mut self, number: u64, text: &str, out: &mut Out) {
        let Some(line) = read::<Line<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        let time = when::told(line.timestamp, out);
        self.leave_copy(&line, time.as_ref());
        let mut at = At { number, time, out };
        match (line.kind.get(), line.payload.is_object()) {
            (Some("session_meta"), true) => self.session_meta(line.payload, &mut at),
            (Some("response_item"), true) => self.item_line(line.payload, line.metadata, &mut at),
            (Some("event_msg"), true) => self.event_line(line.payload, &mut at),
            (Some("turn_context"), true) => self.turn_context(line.payload, &at),
            (Some("compacted"), true) => self.compacted(line.payload, &mut at),
            (Some("token_usage_record"), true) => self.token_usage(line.payload, &mut at),
            (
                Some(
                    kind @ ("world_state"
                    | "inter_agent_communication_metadata"
                    | "inter_agent_communication"
                    | "retained_context"
                    | "dynamic_tools_updated"
                    | "security_risk_score"),
                ),
                _,
            ) => at.out.left_out(kind),
            (Some(kind), true) => self.opaque_line(kind, text, line.payload, &mut at),
            // Before September 2025: a first line without a type, then bare items.
            (None, _) if line.record_type.get().is_some() => at.out.left_out("state"),
            (None, _) if line.id.said().is_some() => self.bare_meta(&line, &mut at),
            (Some(_), false) => {
                self.state.is_bare = true;
                at.time = at.time.take().or_else(|| self.bare_time());
                let raw = serde_json::from_str(text).unwrap_or_default();
                self.item_line(raw, Raw::default(), &mut at);
            }
            (None, _) => self.opaque("record", text, &mut at),
        }
    }

    /// Copied history ends where a sub-agent's own lines begin, or where time goes on after the fork.
    fn leave_copy(&mut self, line: &Line<'_>, time: Option<&Time>) {
        if self.state.copied.is_none() {
            return;
        }
        let own = match (self.state.own_from, line.ordinal.count()) {
            (Some(from), Some(ordinal)) => ordinal >= from,
            (Some(_), None) => false,
            (None, _) => match (time, self.state.begun_ms) {
                (Some(time), Some(begun_ms)) => time.ms() > begun_ms + thread::COPY_MS_MAX,
                _ => false,
            },
        };
        if own {
            self.end_copy();
        }
    }

    fn maker<'a>(&'a self, at: &'a mut At<'_>) -> Maker<'a> {
        Maker::of_record(&self.scene, at.time.clone(), at.number, at.out)
    }

    fn opaque(&mut self, kind: &str, text: &str, at: &mut At<'_>) {
        let name = format!("line/{}/{}", self.scene.thread, crate::scene::digest(text));
        self.maker(at).opaque(kind, text, vec![item(&name, 0)]);
    }

    /// A line of a kind that nobody knows. A copy of it has another time: there it is found by what it tells.
    fn opaque_line(&mut self, kind: &str, text: &str, payload: Raw<'_>, at: &mut At<'_>) {
        let turn = self.scene.turn.clone().unwrap_or_default();
        let place = if turn.is_empty() { &self.scene.thread } else { &turn };
        let told = payload.get().unwrap_or(text);
        let nth = self.state.turns.count(place, kind, told);
        let name = format!("{}/{turn}/{kind}/{}", self.scene.thread, crate::scene::digest(told));
        let line = format!("line/{}/{}", self.scene.thread, crate::scene::digest(text));
        let names = [(!self.is_copy()).then(|| item(&line, 0)), Some(Identity::InTurn { name, nth })];
        self.maker(at).opaque(kind, text, names.into_iter().flatten().collect());
    }

    /// Gives each event of a record a name that has none, so that it is known again when the file is read again, or a
    /// copy of it: what it is and says, in its turn, by its number among equal ones.
    fn name_the_nameless(&mut self, out: &mut Out) {
        for captured in out.of_record() {
            let event = &mut captured.event;
            if !event.identities.iter().all(|identity| matches!(identity, Identity::Alike(_))) {
                continue;
            }
            let (thread, turn) =
                (event.thread.as_deref().unwrap_or_default(), event.turn.as_deref().unwrap_or_default());
            let kind = event.kind().as_str();
            let place = if turn.is_empty() { thread } else { turn };
            let nth = self.state.turns.count(place, kind, event.content.verbatim());
            let name = format!("{thread}/{turn}/{kind}/{}", crate::scene::digest(event.content.verbatim()));
            event.identities.push(Identity::InTurn { name, nth });
        }
    }

    /// Keeps blocks of a message that nobody knows; its two forms may both have them.
    fn unknown_blocks(&mut self, who: Who, blocks: &[Unknown<'_>], turn: Option<&str>, at: &mut At<'_>) {
        if blocks.is_empty() {
            return;
        }
        self.in_turn_of(turn, |rollout| {
            let place = format!("{}/{}", rollout.scene.thread, rollout.scene.turn.as_deref().unwrap_or_default());
            for (at_block, block) in blocks.iter().enumerate() {
                let nth = blocks.iter().take(at_block).filter(|other| other.json == block.json).count();
                let name = format!("block/{place}/{}/{}", who.as_str(), crate::scene::digest(block.json));
                let name = item(&name, u32::try_from(nth).unwrap_or(u32::MAX));
                rollout.maker(at).opaque(&format!("block.{}", block.kind), block.json, vec![name]);
            }
        });
    }

    /// A message in one of its forms: handed over unless another form of it was.
    fn said(&mut self, who: Who, text: &str, media: &[Media], form: Form, turn: Option<&str>, at: &mut At<'_>) {
        let held = (form == Form::Event).then(|| self.waiting.settle(who, text)).flatten();
        let mut media = media.to_vec();
        if media.is_empty() {
            media = held.map(|held| held.media).unwrap_or_default();
        }
        if who == Who::User && turn.is_none() {
            let now = self.scene.turn.clone().unwrap_or_default();
            if !self.state.turns.is_other_half(&now, who, text, form) {
                self.thread().next_turn();
                self.set_scene();
            }
        }
        if let Some(turn) = turn {
            self.scene.turn = Some(turn.to_owned());
        }
        let turn = self.scene.turn.clone().unwrap_or_default();
        if let Some(nth) = self.state.turns.meet(&turn, who, text, form) {
            self.give(who, text, &media, &turn, nth, at);
        }
        self.scene.turn = self.thread_turn();
    }

    fn thread_turn(&self) -> Option<String> {
        self.state.copied.as_ref().unwrap_or(&self.state.own).turn()
    }

    fn give(&mut self, who: Who, text: &str, media: &[Media], turn: &str, nth: u32, at: &mut At<'_>) {
        let mut identities: Vec<Identity> = self.scene.said(who.as_str(), text, nth).into_iter().collect();
        // A file may be rewritten with turn ids that are made up; its lines keep their times.
        let may_be_rewritten = !self.state.has_items || turn.starts_with("rollout-");
        // Without times of their own, equal texts could not be told apart by it; copies have the time of the copying.
        if may_be_rewritten && at.time.is_some() && !self.state.is_bare && !self.is_copy() {
            let name = format!("{}/{}/{}", self.scene.thread, who.as_str(), crate::scene::digest(text));
            identities.push(Identity::Record { id: name, block: nth });
        }
        match who {
            Who::Assistant => self.maker(at).assistant(text.to_owned(), identities),
            Who::Reasoning => self.maker(at).reasoning(text.to_owned(), identities),
            Who::User if self.is_task() => self.maker(at).context("subagent-task", text, identities),
            Who::User => self.user(text, media, identities, at),
        }
    }

    /// In a sub-agent's file the user is the agent that sent it.
    fn is_task(&self) -> bool {
        self.state.is_subagent && self.state.copied.is_none()
    }

    /// What stands in a user's message: the user's words, and everything else.
    fn user(&mut self, text: &str, media: &[Media], identities: Vec<Identity>, at: &mut At<'_>) {
        let sorted = boundary::sort_of(Some(Client::Codex), text, Stand::Sent);
        for (nth, (name, kept)) in (0..).zip(&sorted.context) {
            at.out.context(name);
            if let Some(kept) = kept {
                let said = self.scene.said(name, kept, nth);
                self.maker(at).context(name, kept, said.into_iter().collect());
            }
        }
        let words = match (&sorted.speech, media.is_empty()) {
            (Some(words), _) => words.clone().into_owned(),
            (None, false) => media::notes(media),
            (None, true) => return,
        };
        let mut maker = self.maker(at);
        maker.user(words, identities);
        maker.last(|event| event.metadata = media::metadata(media));
    }

    /// Hands over what waits for a form that never came.
    fn flush(&mut self, out: &mut Out) {
        for held in self.waiting.take() {
            let Held { who, text, turn, time, number, media } = held;
            out.begin_record();
            let mut at = At { number, time, out };
            self.said(who, &text, &media, Form::Item, turn.as_deref(), &mut at);
            self.name_the_nameless(out);
        }
    }

    fn remember_call(&mut self, call: Pending) {
        if self.state.calls.len() >= CALLS_MAX {
            self.state.calls.remove(0);
        }
        self.state.calls.push(call);
    }

    /// A script goes on: whoever waits for it is told what its tools return.
    fn remember_cell(&mut self, cell: &str, tools: &[String]) {
        self.state.cells.retain(|(known, _)| known != cell);
        if self.state.cells.len() >= CALLS_MAX {
            self.state.cells.remove(0);
        }
        self.state.cells.push((cell.to_owned(), tools.to_vec()));
    }

    fn take_call(&mut self, id: &str) -> Option<Pending> {
        let at = self.state.calls.iter().position(|call| call.id == id)?;
        Some(self.state.calls.remove(at))
    }

    fn compacted(&mut self, payload: Raw<'_>, at: &mut At<'_>) {
        self.waiting.drop_last_answer();
        self.flush(at.out);
        let message: Compacted<'_> = payload.read();
        let text = message.message.said().map(|text| {
            // What stands before it is the same in every session.
            text.split_once("with your own analysis:\n").map_or(text, |(_, summary)| summary).trim().to_owned()
        });
        let turn = self.scene.turn.clone().unwrap_or_default();
        let identities = vec![item(&format!("compaction/{turn}"), 0)];
        self.maker(at).summary(text.unwrap_or_else(|| "The conversation was compacted.".to_owned()), identities);
    }
}

/// Where in the file the parser is, and where what it finds goes.
struct At<'a> {
    number: u64,
    time: Option<Time>,
    out: &'a mut Out,
}

lenient! {
    struct Compacted<'a> {
        message: Words<'a> = "message",
    }
}

impl Parser for Rollout {
    fn line(&mut self, number: u64, line: &str, out: &mut Out) {
        out.begin_record();
        let was_last = self.last.is_empty() && !self.state.last.is_empty() && self.salt.digest(line) == self.state.last;
        if line == self.last || was_last {
            out.left_out("repeated line");
            return;
        }
        self.state.last.clear();
        line.clone_into(&mut self.last);
        self.one_line(number, &mended(line), out);
        self.name_the_nameless(out);
    }

    fn pause(&mut self, out: &mut Out) {
        self.flush(out);
    }

    fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }

    fn state(&self) -> String {
        let last = if self.last.is_empty() { self.state.last.clone() } else { self.salt.digest(&self.last) };
        serde_json::to_string(&State { last, ..self.state.clone() }).unwrap_or_default()
    }
}

/// What a thread is made of, for the event that begins it.
fn details_of(meta: &thread::Meta<'_>) -> Payload {
    let git: thread::Git<'_> = meta.git.read();
    Payload::new()
        .said("thread_id", meta.id.said())
        .said("cwd", meta.cwd.said())
        .said("originator", meta.originator.said())
        .said("version", meta.cli_version.said())
        .said("forked_from", meta.forked_from_id.said())
        .json("forked_at", meta.forked_at.get())
        .said("parent_thread", meta.parent_thread_id.said())
        .said("branch", git.branch.said())
        .said("commit", git.commit_hash.said())
        .said("remote", git.repository_url.said())
}
