//! Sessions as the API shows them: made, listed, told, sealed, forgotten.

use crate::append::TRIES;
use crate::fault::Fault;
use crate::session::Spoken;
use crate::state::{Kept, State};
use crate::uri;
use crate::{Openviking, USER, VIEW};
use memoir_event::{Archive, EventId, Kind, Memory, MemorySource, format_ms};
use memoir_journal::{Filter, Lookup, SessionEntry};
use memoir_recall::Unwanted;
use memoir_session::Sealed;
use serde_json::{Value, json};

/// A list names at most so many sessions.
const LISTED_MAX: usize = 1_000;

/// So many memories are looked through for those of a session, the newest.
const EXTRACTED_MAX: usize = 1_000;

impl Openviking {
    /// Makes a session, or finds it. Without an id it gets `unique`.
    pub fn create(&self, id: Option<&str>, unique: &dyn Fn() -> String, peer: Option<&str>) -> Result<Value, Fault> {
        let spoken = match id {
            Some(id) => Spoken::parse(id)?,
            None => Spoken::parse(&unique())?,
        };
        self.open(&spoken, peer)?;
        Ok(json!({
            "session_id": spoken.given, "uri": uri::of_session(&spoken.given), "user": user(),
            "auto_commit_policy": null, "memory_extraction_config": null,
        }))
    }

    /// Notes a session that nothing was said in yet.
    fn open(&self, spoken: &Spoken, peer: Option<&str>) -> Result<(), Fault> {
        if self.is_told(spoken)? || self.entry(spoken)?.is_some() {
            return Ok(());
        }
        self.revive(spoken, peer)
    }

    /// Sessions, the latest first.
    pub fn list(&self) -> Result<Value, Fault> {
        let found = self.journal.sessions(&Filter::default(), &VIEW, LISTED_MAX, 0)?;
        let row = |entry: SessionEntry| {
            let shown = entry.shown();
            json!({
                "session_id": shown, "uri": uri::of_session(&shown), "is_dir": true,
                "mod_time": format_ms(entry.last_ms),
            })
        };
        Ok(Value::Array(found.into_iter().map(row).collect()))
    }

    /// What there is to know of a session; `make` it if it is not there.
    pub fn session(&self, spoken: &Spoken, make: Making, peer: Option<&str>) -> Result<Value, Fault> {
        if make == Making::Yes {
            self.open(spoken, peer)?;
        }
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        let entry = self.entry(spoken)?;
        let is_spoken = !state.is_new && !state.known.is_gone;
        if entry.is_none() && !is_spoken {
            return Err(Fault::NotFound(format!("there is no session {}", spoken.given)));
        }
        self.settle(spoken, &mut state)?;
        let known = &state.known;
        let archives = self.times_committed(spoken)?;
        let sealed = self.archives(spoken)?;
        let last_ms = sealed.last().map(|(_, archive)| archive.last_ms);
        let times = entry.as_ref().map(|entry| (entry.first_ms, entry.last_ms));
        let (created_ms, updated_ms) =
            if is_spoken { (known.created_ms, known.updated_ms) } else { times.unwrap_or_default() };
        Ok(json!({
            "session_id": spoken.given,
            "created_at": format_ms(created_ms),
            "updated_at": format_ms(updated_ms),
            "message_count": known.live,
            "total_message_count": if is_spoken { state.total } else { entry.map_or(0, |entry| entry.events) },
            "commit_count": archives,
            "last_commit_at": last_ms.map(format_ms),
            "memories_extracted": self.extracted(spoken, &sealed)?,
            "pending_tokens": known.live_tokens,
            "keep_recent_count": known.kept.map_or(0, |kept| kept.count),
            "memory_policy": null,
            "auto_commit_policy": null,
            "uri": uri::of_session(&spoken.given),
            "user": user(),
        }))
    }

    /// How many memories a session has led to, in all and by the directories that they lie in.
    fn extracted(&self, spoken: &Spoken, archives: &[(EventId, Archive)]) -> Result<Value, Fault> {
        let mut counted = serde_json::Map::from_iter(uri::DIRS.map(|(_, dir)| (dir.to_owned(), 0.into())));
        let mut total = 0u64;
        // Memories are made of archives, so none is older than the first of them.
        if let Some((_, first)) = archives.first() {
            let seqs = self.journal.of_kind(Kind::Memory, first.last_seq)?;
            let latest = seqs.get(seqs.len().saturating_sub(EXTRACTED_MAX)..).unwrap_or_default();
            let (shown, own) = (spoken.shown(), &spoken.session);
            for stored in self.journal.events(latest, &VIEW)? {
                let Some(memory) = Memory::of_event(&stored.event) else { continue };
                let is_of_it = |source: &MemorySource| {
                    source.session.as_ref().is_some_and(|session| *session == shown || session == own)
                };
                if memory.status.is_current() && memory.sources.iter().any(is_of_it) {
                    let count = &mut counted[uri::dir_of(memory.kind)];
                    *count = (count.as_u64().unwrap_or(0) + 1).into();
                    total += 1;
                }
            }
        }
        counted.insert("total".to_owned(), total.into());
        Ok(Value::Object(counted))
    }

    /// Seals what a session has so far; its last `keep` messages are told as live all the same. A session that nobody
    /// knows, or that has no more than these, has nothing: its sender can forget it.
    pub fn commit(&self, spoken: &Spoken, keep: u64) -> Result<Value, Fault> {
        if spoken.agent.is_some() {
            // A sub-agent is a thread of its session, and is sealed with it.
            return Ok(skipped(spoken, "part_of_session"));
        }
        let _writing = self.lock(spoken);
        let mut kept = None;
        if keep > 0 && self.is_told(spoken)? {
            match self.before_the_last(spoken, keep)? {
                Some(after) => kept = Some(Kept { count: keep, after }),
                None => return Ok(skipped(spoken, "no_messages")),
            }
        }
        let sealed = self.seal(spoken)?;
        if matches!(sealed, Sealed::Archive(_) | Sealed::Nothing) {
            self.keep(spoken, kept)?;
        }
        let active_tokens = match kept {
            Some(kept) => self.messages(spoken, (kept.after, self.journal.last_seq()?), u64::MAX)?.1,
            None => 0,
        };
        match sealed {
            Sealed::Archive(committed) => Ok(json!({
                "session_id": spoken.given,
                "status": "accepted",
                "task_id": committed.id.to_string(),
                "archive_uri": uri::of_archive(&spoken.given, committed.archive.number),
                "archived": true,
                "effective_enable_working_memory": true,
                "trace_id": committed.id.to_string(),
                "estimated_active_tokens": active_tokens,
                "budget_exceeded": false,
            })),
            Sealed::Nothing => Ok(skipped(spoken, "no_messages")),
            Sealed::Due => Ok(json!({
                "session_id": spoken.given, "status": "accepted", "task_id": null, "archive_uri": null,
                "archived": false, "trace_id": "", "estimated_active_tokens": 0, "budget_exceeded": false,
            })),
            Sealed::Busy => Err(Fault::Busy(format!("the session {} is being committed", spoken.given))),
        }
    }

    /// Notes which messages stay live though they are sealed.
    fn keep(&self, spoken: &Spoken, kept: Option<Kept>) -> Result<(), Fault> {
        for _ in 0..TRIES {
            let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
            if state.is_new || state.known.is_gone || kept.is_none() && state.known.kept.is_none() {
                return Ok(());
            }
            let live = state.known.live;
            self.settle(spoken, &mut state)?;
            state.known.live = kept.map_or(0, |kept| kept.count.min(live));
            (state.known.live_tokens, state.known.kept) = (0, kept);
            let cursor = state.cursor();
            if self.journal.append_if(std::slice::from_ref(&state.as_read), &[], &[cursor])?.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// What became of a commit: it was done when it was answered.
    pub fn task(&self, id: &str) -> Result<Value, Fault> {
        let unknown = || Fault::NotFound("there is no such task".to_owned());
        let event = EventId::parse(id.trim()).map_err(|_| unknown())?;
        let stored = self.journal.event(&Lookup::Id(event), &VIEW)?.ok_or_else(unknown)?;
        let archive = Archive::of_event(&stored.event).ok_or_else(unknown)?;
        let uri = uri::of_archive(&archive.shown_session(), archive.number);
        Ok(json!({
            "task_id": id, "task_type": "session_commit", "status": "completed", "stage": "done",
            "resource_id": archive.shown_session(), "created_at": format_ms(stored.at_ms),
            "updated_at": format_ms(stored.at_ms), "processing_seconds": 0.0, "error": null,
            "result": {"archive_uri": uri, "session_id": archive.shown_session(), "messages": archive.events},
        }))
    }

    /// Forgets a session: what it said is never told again, nor taken in again.
    pub fn delete(&self, spoken: &Spoken, name: String) -> Result<Value, Fault> {
        let _writing = self.lock(spoken);
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        let is_known = !state.is_new && !state.known.is_gone;
        if spoken.agent.is_some() {
            return Err(Fault::Denied("a sub-agent is forgotten with its session".to_owned()));
        }
        let entry = self.entry(spoken)?;
        if entry.is_none() && !is_known {
            return Err(Fault::NotFound(format!("there is no session {}", spoken.given)));
        }
        if entry.is_some() {
            self.forget(&Unwanted { session: Some(spoken.shown()), ..Unwanted::default() }, name)?;
        }
        if is_known {
            // The digests stay: whoever sends it again is told that it is known.
            let known = &mut state.known;
            (known.is_gone, known.live, known.live_tokens) = (true, 0, 0);
            known.open.clear();
            self.journal.append(&[], &[state.cursor()])?;
        }
        Ok(json!({"session_id": spoken.given}))
    }

    /// The session in the journal's list.
    pub(crate) fn entry(&self, spoken: &Spoken) -> Result<Option<SessionEntry>, Fault> {
        let filter = Filter { session: Some(spoken.shown()), ..Filter::default() };
        let found = self.journal.sessions(&filter, &VIEW, 8, 0)?;
        Ok(found.into_iter().find(|entry| entry.client == spoken.client && entry.events > 0))
    }

    /// Whether a session was told over this API.
    fn is_told(&self, spoken: &Spoken) -> Result<bool, Fault> {
        let state = State::read(&*self.journal, &self.redactor, spoken)?;
        Ok(!state.is_new && !state.known.is_gone)
    }

    /// Fails if nothing is known of a session.
    pub(crate) fn known_session(&self, spoken: &Spoken) -> Result<(), Fault> {
        if !self.is_told(spoken)? && self.entry(spoken)?.is_none() {
            return Err(Fault::NotFound(format!("there is no session {}", spoken.given)));
        }
        Ok(())
    }

    /// An archive by its number.
    pub(crate) fn archive_of(&self, spoken: &Spoken, number: u32) -> Result<Archive, Fault> {
        let found = self.archives(spoken)?.into_iter().find(|(_, archive)| archive.number == number);
        let missing = || Fault::NotFound(format!("the session {} has no archive {number}", spoken.given));
        found.map(|(_, archive)| archive).ok_or_else(missing)
    }

    /// The kinds of events that are messages.
    pub(crate) const fn is_message(kind: Kind) -> bool {
        matches!(kind, Kind::UserMessage | Kind::AssistantMessage | Kind::ToolCall | Kind::ToolResult)
    }
}

/// Whether a session is made when it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Making {
    /// It is made.
    Yes,
    /// It has to be there.
    No,
}

fn user() -> Value {
    json!({"account_id": USER, "user_id": USER})
}

fn skipped(spoken: &Spoken, reason: &str) -> Value {
    json!({
        "session_id": spoken.given, "status": "skipped", "task_id": null, "archive_uri": null, "archived": false,
        "reason": reason, "trace_id": "",
    })
}
