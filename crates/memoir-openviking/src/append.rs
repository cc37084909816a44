//! Messages in: aligned with what the session has, told as events, stored with the session's state in one append.

use crate::align::{Aligned, Heard, Known, Sequence, align};
use crate::fault::Fault;
use crate::memories::peer_row;
use crate::message::Message;
use crate::past::{Past, Pasts};
use crate::session::Spoken;
use crate::state::State;
use crate::tokens::Quarters;
use crate::{Openviking, VIEW};
use memoir_capture::{Captured, Telling, ToldPlace};
use memoir_event::Client;
use memoir_journal::{Cursor, Filter, Journal, Limits, Outcome, Redacted};
use memoir_record::{GitFiles, Intake, Rules};
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{MutexGuard, PoisonError};

/// So often it is tried again when another process has written to the session meanwhile.
pub(crate) const TRIES: usize = 8;

/// What became of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Appended {
    /// The session's id, as it was given.
    pub session_id: String,
    /// So many messages of it are in no archive yet.
    pub message_count: u64,
    /// So many of these messages are new.
    pub added: usize,
    /// About how many tokens are in no archive yet.
    pub pending_tokens: u64,
    /// So many events of them the user does not want to be recorded.
    #[serde(skip_serializing_if = "is_none")]
    pub not_recorded: usize,
    /// What became of the events.
    #[serde(skip)]
    pub outcomes: Vec<Outcome>,
}

impl Openviking {
    /// Takes messages in; durable when this returns. `peer` is where the sender works, if the messages do not say.
    pub fn append(&self, spoken: &Spoken, messages: &[Message], peer: Option<&str>) -> Result<Appended, Fault> {
        let _writing = self.lock(spoken);
        for _ in 0..TRIES {
            if let Some(appended) = self.try_append(spoken, messages, peer)? {
                return Ok(appended);
            }
        }
        Err(Fault::Busy(format!("the session {} is being written to by others", spoken.given)))
    }

    /// The same, unless another process has written to the session since its state was read.
    fn try_append(&self, spoken: &Spoken, messages: &[Message], peer: Option<&str>) -> Result<Option<Appended>, Fault> {
        let peer = messages.iter().find_map(|message| message.peer.as_deref()).or(peer);
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        self.begin(spoken, &mut state, peer)?;
        let heard: Vec<Heard> = messages.iter().map(|message| message.heard(self.journal.hasher())).collect();
        let role = messages.first().map_or("", |message| message.told.role.as_str());
        let sequence = Known {
            total: state.total,
            replay: state.known.replay,
            last_of_speaker: state.known.last.get(role).copied(),
        };
        let aligned = self.aligned(&heard, &sequence, &mut state)?;
        let is_moved = state.known.replay != aligned.replay;
        state.known.replay = aligned.replay;
        let new = messages.get(aligned.known..).unwrap_or_default();
        let new_heard = heard.get(aligned.known..).unwrap_or_default();
        let is_paused = (self.is_paused)();
        let (outcomes, not_recorded) = if new.is_empty() && !is_moved && !state.is_new {
            (Vec::new(), 0)
        } else {
            let stored = if is_paused {
                self.pass_over(&mut state, (new, new_heard))?
            } else {
                self.store(spoken, &mut state, (new, new_heard), peer)?
            };
            match stored {
                Some(stored) => stored,
                None => return Ok(None),
            }
        };
        Ok(Some(Appended {
            session_id: spoken.given.clone(),
            message_count: state.known.live,
            added: if is_paused { 0 } else { new.len() },
            pending_tokens: state.known.live_tokens,
            not_recorded,
            outcomes,
        }))
    }

    /// The messages compared with those that the session has.
    fn aligned(&self, heard: &[Heard], known: &Known, state: &mut State) -> Result<Aligned, Fault> {
        let mut told =
            Told { journal: &*self.journal, pasts: &self.pasts, name: state.name().to_owned(), past: None, state };
        let aligned = align(heard, known, &mut told);
        let Told { past, name, .. } = told;
        past.into_iter().for_each(|past| self.pasts.put(&name, past));
        aligned
    }

    /// What a session is at the moment when something comes.
    fn begin(&self, spoken: &Spoken, state: &mut State, peer: Option<&str>) -> Result<(), Fault> {
        let now_ms = (self.clock)();
        if state.is_new {
            state.known.created_ms = now_ms;
        }
        if state.known.project.is_empty() {
            state.known.project = match (self.project_of(spoken)?, peer) {
                (Some(known), _) => known,
                (None, Some(peer)) => self.project_at(peer)?,
                (None, None) => UNKNOWN_PROJECT.to_owned(),
            };
        }
        self.settle(spoken, state)?;
        state.known.updated_ms = now_ms;
        Ok(())
    }

    /// What was sealed since the last message, whoever did it, is no longer live.
    pub(crate) fn settle(&self, spoken: &Spoken, state: &mut State) -> Result<(), Fault> {
        let archives = self.times_committed(spoken)?;
        if archives != state.known.archives {
            state.known.archives = archives;
            (state.known.live, state.known.live_tokens, state.known.kept) = (0, 0, None);
        }
        Ok(())
    }

    /// The project that a session is known to be in.
    fn project_of(&self, spoken: &Spoken) -> Result<Option<String>, Fault> {
        let filter = Filter { session: Some(spoken.shown()), ..Filter::default() };
        let found = self.journal.sessions(&filter, &VIEW, 1, 0)?;
        Ok(found.into_iter().next().map(|entry| entry.repo).filter(|repo| !repo.is_empty() && repo != UNKNOWN_PROJECT))
    }

    fn store(
        &self,
        spoken: &Spoken,
        state: &mut State,
        (new, heard): (&[Message], &[Heard]),
        peer: Option<&str>,
    ) -> Result<Option<(Vec<Outcome>, usize)>, Fault> {
        let first = state.total;
        let captured = tell(spoken, state, new, heard);
        let (batch, changed, not_recorded) = self.take_in(spoken, &state.known.project, captured)?;
        state.known.open = self.redactor.json(&state.known.open).into_owned();
        let digests: Vec<u64> = heard.iter().map(|heard| heard.digest).collect();
        let mut cursors: Vec<Cursor> = state.push(&*self.journal, &digests)?;
        let mut quarters = Quarters::default();
        for (message, heard) in new.iter().zip(heard) {
            message.count(&mut quarters);
            state.note_speaker(&message.told.role, heard.digest);
        }
        state.known.live += state.total - first;
        state.known.live_tokens += quarters.tokens();
        if state.is_new {
            cursors.extend(self.learnt(peer, &state.known.project));
        }
        if !new.is_empty() {
            state.known.is_gone = false;
            cursors.push(self.touched(spoken)?);
        }
        cursors.extend(changed);
        cursors.push(state.cursor());
        let stored = self.journal.append_if(std::slice::from_ref(&state.as_read), &batch, &cursors)?;
        Ok(stored.map(|outcomes| (outcomes, not_recorded)))
    }

    /// Takes messages in that are not to be recorded, for the user paused. What they were is noted as digests, as of all
    /// messages: when they are sent again, after the pause, they are known.
    fn pass_over(
        &self,
        state: &mut State,
        (new, heard): (&[Message], &[Heard]),
    ) -> Result<Option<(Vec<Outcome>, usize)>, Fault> {
        if state.is_new {
            // Where the user works is not noted either.
            state.known.project.clear();
        }
        let digests: Vec<u64> = heard.iter().map(|heard| heard.digest).collect();
        let mut cursors = state.push(&*self.journal, &digests)?;
        for (message, heard) in new.iter().zip(heard) {
            state.note_speaker(&message.told.role, heard.digest);
        }
        cursors.push(state.cursor());
        let stored = self.journal.append_if(std::slice::from_ref(&state.as_read), &[], &cursors)?;
        Ok(stored.map(|_| (Vec::new(), new.len())))
    }

    /// Judges what is told by the user's wishes and makes it fit for the journal; what has become known of private
    /// requests, and how much is left out.
    fn take_in(
        &self,
        spoken: &Spoken,
        project: &str,
        captured: Vec<Captured>,
    ) -> Result<(Vec<Redacted>, Vec<Cursor>, usize), Fault> {
        let git = GitFiles::default();
        let rules = Rules {
            redactor: &self.redactor,
            policy: &self.policy,
            limits: WHOLE,
            actor: None,
            is_actor_given: true,
            git: &git,
            user_home: None,
            repo: Some(project),
        };
        // The judge takes a client that nobody knows for this one.
        let client = spoken.client.unwrap_or(Client::Codex);
        let mut intake = Intake::of_session(rules, &*self.journal, &[], client, &spoken.session)?;
        intake.look_at(&captured);
        let told = captured.len();
        let batch: Vec<Redacted> = captured.into_iter().filter_map(|captured| intake.take(captured).ok()).collect();
        let changed = intake.judge().take_changed();
        let left_out = told - batch.len();
        Ok((batch, changed, left_out))
    }

    /// Where a peer works, if that is a project with a name of its own: from its path alone nobody could tell.
    fn learnt(&self, peer: Option<&str>, project: &str) -> Option<Cursor> {
        let peer = self.redactor.text(peer?).into_owned();
        let is_known = project != peer && project != UNKNOWN_PROJECT;
        is_known.then(|| Cursor { stream: peer_row(&peer), sequence: 1, position: project.to_owned() })
    }

    /// Notes that a session is there, with nothing in it.
    pub(crate) fn revive(&self, spoken: &Spoken, peer: Option<&str>) -> Result<(), Fault> {
        let _writing = self.lock(spoken);
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        self.begin(spoken, &mut state, peer)?;
        state.known.is_gone = false;
        self.journal.append(&[], &[state.cursor()])?;
        Ok(())
    }

    /// One request at a time writes to a session: two that come at once see each other.
    pub(crate) fn lock(&self, spoken: &Spoken) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        spoken.given.hash(&mut hasher);
        let count = u64::try_from(self.locks.len()).unwrap_or(1);
        let at = usize::try_from(hasher.finish() % count).unwrap_or(0);
        // The array is never empty, and the lock guards no data.
        self.locks[at].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The messages that a session has.
struct Told<'a> {
    journal: &'a dyn Journal,
    state: &'a mut State,
    name: String,
    pasts: &'a Pasts,
    /// All of them, once that is asked for.
    past: Option<Past>,
}

impl Sequence for Told<'_> {
    type Error = Fault;

    fn read(&mut self, from: u64, most: usize) -> Result<Vec<u64>, Fault> {
        match self.past.as_ref().map(|past| past.from(from, most)).filter(|known| !known.is_empty()) {
            Some(known) => Ok(known.to_vec()),
            None => self.state.digests(self.journal, from, most),
        }
    }

    fn places(&mut self, first: &[u64], before: u64) -> Result<Vec<u64>, Fault> {
        let mut past = self.past.take().unwrap_or_else(|| self.pasts.take(&self.name));
        let total = self.state.total;
        past.catch_up(total, &mut |from, most| self.state.digests(self.journal, from, most))?;
        Ok(self.past.insert(past).places(first, before))
    }
}

/// What a plugin sends is kept as it is: its server has a limit for the whole of it.
const WHOLE: Limits = Limits { tool_result_chars: usize::MAX, text_chars: usize::MAX };

fn is_none(number: &usize) -> bool {
    *number == 0
}

/// The project of what nobody can place.
pub(crate) const UNKNOWN_PROJECT: &str = "unknown";

/// The messages as events. Each is named by its place in the session and by what it says: stored twice by two servers at
/// once, it is one.
fn tell(spoken: &Spoken, state: &mut State, new: &[Message], heard: &[Heard]) -> Vec<Captured> {
    let place = ToldPlace { client: spoken.client, session: &spoken.session, thread: spoken.agent.as_deref() };
    let mut telling = Telling::new(&place, &state.known.open);
    let mut out = memoir_capture::Out::default();
    let thread = spoken.agent.as_deref().unwrap_or_default();
    for ((message, heard), place) in new.iter().zip(heard).zip(state.total..) {
        let name = |nth: usize| format!("openviking/{thread}/{:012x}/{nth}/{place}", heard.digest);
        telling.message(&message.told, &name, &mut out);
    }
    state.known.open = telling.state();
    out.events
}
