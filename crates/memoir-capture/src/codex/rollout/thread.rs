//! Threads: whose lines these are, in which turn, where.

use super::{At, Rollout, details_of};
use crate::lenient::{Number, Raw, Text, lenient};
use crate::scene::Tokens;
use crate::when;
use serde::{Deserialize, Serialize};

/// A fork copies its parent's history in one burst.
pub(super) const COPY_MS_MAX: i64 = 1500;

/// So many threads may have left their history in one file.
const COPIED_MAX: usize = 32;

/// One thread of a session.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Thread {
    pub id: String,
    /// The root session, if it is another.
    pub root: Option<String>,
    /// The turn that the client names.
    named: Option<String>,
    /// How many turns there were that nobody names.
    counted: u64,
    /// The user's turn that a sub-agent works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
}

impl Thread {
    pub fn new(id: &str, root: Option<String>) -> Thread {
        Thread { id: id.to_owned(), root, ..Thread::default() }
    }

    /// The present turn: the client's name for it, or one that we count.
    pub fn turn(&self) -> Option<String> {
        self.named.clone().or_else(|| (self.counted > 0).then(|| format!("~{}/{}", self.id, self.counted)))
    }

    /// The user said something: a new turn, unless the client names them.
    pub fn next_turn(&mut self) {
        if self.named.is_none() {
            self.counted += 1;
        }
    }

    /// A turn begins; `asked` is the user's, which is another one if this is a sub-agent's.
    pub fn enter(&mut self, turn: &str, asked: Option<&str>) {
        self.named = Some(turn.to_owned());
        self.asked = asked.map(str::to_owned);
    }

    /// The user's turn, if the thread is a sub-agent's and its client names it.
    pub fn asked(&self) -> Option<&str> {
        self.asked.as_deref().filter(|_| self.root.is_some())
    }
}

lenient! {
    pub(super) struct Meta<'a> {
        id: Text<'a> = "id",
        session_id: Text<'a> = "session_id",
        timestamp: Raw<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        originator: Text<'a> = "originator",
        cli_version: Text<'a> = "cli_version",
        source: Raw<'a> = "source",
        thread_source: Text<'a> = "thread_source",
        parent_thread_id: Text<'a> = "parent_thread_id",
        forked_from_id: Text<'a> = "forked_from_id",
        forked_at: Raw<'a> = "forked_from_ordinal_exclusive",
        history_mode: Text<'a> = "history_mode",
        own_from: Number = "subagent_history_start_ordinal",
        git: Raw<'a> = "git",
    }
}

lenient! {
    pub(super) struct Git<'a> {
        repository_url: Text<'a> = "repository_url",
        branch: Text<'a> = "branch",
        commit_hash: Text<'a> = "commit_hash",
    }
}

lenient! {
    struct Context<'a> {
        turn_id: Text<'a> = "turn_id",
        root_turn: Text<'a> = "root_turn_id",
        cwd: Text<'a> = "cwd",
        model: Text<'a> = "model",
    }
}

lenient! {
    struct UsageRecord<'a> {
        turn_id: Text<'a> = "turn_id",
        response_id: Text<'a> = "response_id",
        usage: Raw<'a> = "usage",
    }
}

lenient! {
    pub(in crate::codex) struct Usage<'a> {
        input: Number = "input_tokens",
        cached: Number = "cached_input_tokens",
        cache_written: Number = "cache_write_input_tokens",
        output: Number = "output_tokens",
        reasoning: Number = "reasoning_output_tokens",
        total: Number = "total_tokens",
    }
}

impl Usage<'_> {
    pub const NAMES: [&'static str; 6] = [
        "input_tokens",
        "cached_input_tokens",
        "cache_write_input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
        "total_tokens",
    ];

    pub fn tokens(&self) -> Tokens {
        Tokens {
            input: self.input.count(),
            cached: self.cached.count(),
            cache_written: self.cache_written.count(),
            output: self.output.count(),
            reasoning: self.reasoning.count(),
            cost_usd: None,
        }
        .with_cached_in_input()
    }
}

/// When something was given its id, if that begins with the time (UUIDv7).
fn ms_of_id(id: &str) -> Option<i64> {
    let bytes = id.as_bytes();
    if bytes.len() != 36 || bytes.get(14) != Some(&b'7') {
        return None;
    }
    i64::from_str_radix(&format!("{}{}", id.get(..8)?, id.get(9..13)?), 16).ok()
}

impl Rollout {
    pub(super) fn session_meta(&mut self, payload: Raw<'_>, at: &mut At<'_>) {
        let meta: Meta<'_> = payload.read();
        let Some(id) = meta.id.said() else {
            at.out.problem("session without an id");
            return;
        };
        let known = self.state.begun_ms.is_some() || self.state.own.root.is_some();
        if known && id != self.state.own.id {
            // The history of another thread was copied into this file.
            let root = meta.session_id.owned().filter(|root| root != id);
            let begun = when::read(meta.timestamp).ok().flatten();
            self.begin_copy(Thread::new(id, root), begun.map(|time| time.ms()).or_else(|| ms_of_id(id)));
            at.out.left_out("copied session_meta");
            return;
        }
        if known {
            at.out.left_out("repeated session_meta");
            return;
        }
        let source = meta.source.get().unwrap_or_default();
        self.state.is_subagent = meta.thread_source.is("subagent") || source.starts_with("{\"subagent\"");
        let parent =
            meta.parent_thread_id.said().or_else(|| meta.forked_from_id.said().filter(|_| self.state.is_subagent));
        let root = meta.session_id.said().or(parent).filter(|root| *root != id).map(str::to_owned);
        self.state.own = Thread::new(id, root);
        self.state.begun_ms = Some(at.time.as_ref().map_or(i64::MIN / 2, memoir_event::Time::ms));
        self.state.own_from = meta.own_from.count();
        self.state.has_items = meta.history_mode.is("paginated");
        self.state.cwd = meta.cwd.owned();
        self.state.remote = meta.git.read::<Git<'_>>().repository_url.owned();
        self.set_scene();
        let details = details_of(&meta);
        self.maker(at).session_started(details);
    }

    /// The first line of the oldest form.
    pub(super) fn bare_meta(&mut self, line: &super::Line<'_>, at: &mut At<'_>) {
        let Some(id) = line.id.said() else { return };
        self.state.is_bare = true;
        self.state.own = Thread::new(id, None);
        // It calls itself UTC and is local time: nearer than anything else, for no other line has one.
        self.state.bare_ms = at.time.as_ref().map(memoir_event::Time::ms).or(self.state.bare_ms);
        self.state.begun_ms = Some(i64::MIN / 2);
        self.state.remote = line.git.read::<Git<'_>>().repository_url.owned();
        self.set_scene();
        let details = crate::payload::Payload::new().text("thread_id", id).said("remote", self.state.remote.as_deref());
        at.time = self.bare_time();
        self.maker(at).session_started(details);
    }

    /// When something in a file without times happened, as near as that is known: when the session began.
    pub(super) fn bare_time(&self) -> Option<memoir_event::Time> {
        self.state.bare_ms.filter(|_| self.state.is_bare).map(memoir_event::Time::from_ms)
    }

    /// Whether the history of another thread is being read.
    pub(super) const fn is_copy(&self) -> bool {
        self.state.copied.is_some()
    }

    /// The history of another thread begins; what was copied before it goes on after it, perhaps.
    fn begin_copy(&mut self, thread: Thread, begun_ms: Option<i64>) {
        let known = self.state.others.iter().position(|(other, _)| other.id == thread.id);
        let (thread, begun_ms) = known.map_or((thread, begun_ms), |at| self.state.others.remove(at));
        match self.state.copied.take() {
            Some(before) if before.id == thread.id => self.state.copied = Some(before),
            before => {
                if let Some(before) = before.filter(|_| self.state.others.len() < COPIED_MAX) {
                    self.state.others.push((before, self.state.copied_ms));
                }
                (self.state.copied, self.state.copied_ms) = (Some(thread), begun_ms);
            }
        }
        self.set_scene();
    }

    /// The file's own lines begin.
    pub(super) fn end_copy(&mut self) {
        (self.state.copied, self.state.copied_ms) = (None, None);
        self.state.others.clear();
        self.set_scene();
    }

    /// A turn begins in copied history: it is the file's own if it began after the file did, else of the thread that was
    /// the last to begin before it.
    pub(super) fn place_turn(&mut self, turn: Option<&str>, started_s: Option<i64>, at: &At<'_>) {
        let (Some(begun_ms), true) = (self.state.begun_ms, self.is_copy()) else { return };
        let told_ms = turn.and_then(ms_of_id);
        let began_here = |ms: i64| ms >= begun_ms && at.time.as_ref().is_some_and(|now| ms <= now.ms() + 1000);
        let is_own = match (started_s, told_ms) {
            // The id tells the same time, and more of it.
            (Some(started_s), Some(ms)) if (ms / 1000).abs_diff(started_s) <= 1 => ms >= begun_ms,
            (Some(started_s), _) => started_s.saturating_add(1).saturating_mul(1000) >= begun_ms,
            (None, told_ms) => told_ms.is_some_and(began_here),
        };
        if is_own && self.state.own_from.is_none() {
            self.end_copy();
            return;
        }
        let Some(ms) = told_ms.or_else(|| started_s?.checked_mul(1000)).filter(|ms| *ms < begun_ms) else { return };
        let began = |begun_ms: Option<i64>| begun_ms.filter(|begun_ms| *begun_ms <= ms);
        let nearest = self.state.others.iter().enumerate().max_by_key(|(_, (_, begun_ms))| began(*begun_ms));
        let Some((nearest, (_, nearest_ms))) = nearest else { return };
        if began(*nearest_ms) > began(self.state.copied_ms) {
            let (thread, begun_ms) = self.state.others.remove(nearest);
            self.begin_copy(thread, begun_ms);
        }
    }

    pub(super) fn turn_context(&mut self, payload: Raw<'_>, at: &At<'_>) {
        let context: Context<'_> = payload.read();
        self.place_turn(context.turn_id.said(), None, at);
        if let Some(cwd) = context.cwd.owned() {
            self.state.cwd = Some(cwd);
        }
        if let Some(model) = context.model.owned() {
            self.state.model = Some(model);
        }
        if let Some(turn) = context.turn_id.said() {
            self.thread().enter(turn, context.root_turn.said());
        }
        self.set_scene();
    }

    pub(super) fn token_usage(&mut self, payload: Raw<'_>, at: &mut At<'_>) {
        let record: UsageRecord<'_> = payload.read();
        self.state.has_usage = true;
        if record.usage.has_wrong_counts(&Usage::NAMES) {
            at.out.problem("count that is no number");
        }
        let tokens = record.usage.read::<Usage<'_>>().tokens();
        let Some(id) = record.response_id.said() else {
            at.out.problem("usage without an id");
            return;
        };
        self.in_turn_of(record.turn_id.said(), |rollout| {
            let model = rollout.state.model.clone();
            rollout.maker(at).usage(id, model.as_deref(), tokens);
        });
    }

    /// Does something in the turn that a record names.
    pub(super) fn in_turn_of(&mut self, turn: Option<&str>, work: impl FnOnce(&mut Rollout)) {
        if let Some(turn) = turn {
            self.scene.turn = Some(turn.to_owned());
        }
        work(self);
        self.scene.turn = self.thread_turn();
    }
}
