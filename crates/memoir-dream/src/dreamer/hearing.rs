//! What was said, turn by turn: what the user tells and wants forgotten or kept out, and what the agent says to it.

use super::listening::is_said_to_memoir;
use super::{DreamError, Due, Pass};
use crate::book::Place;
use crate::privacy::{Privacy, wants_privacy};
use crate::reading::Reading;
use crate::rules::{Derived, Heard, Reach, Told, Turn, Voice, heard, heard_after, heard_from_agent};
use memoir_event::{Archive, EventId, Kind, MemoryScope, Speaker};
use memoir_journal::{Audience, Chosen, Depth, Forgetting, Placed, Scope, Seq, StoredEvent, View, taken_back_by};

/// The turn that is read: a message of the user and what follows it.
#[derive(Default)]
pub(super) struct OpenTurn {
    /// What was said in it.
    said: Vec<EventId>,
    /// The message of the user, unless nothing of it is to be kept.
    prompt: Option<(EventId, String)>,
    /// Where its work begins.
    work_from: usize,
    /// The message of the user that wants nothing of it kept.
    private: Option<EventId>,
    /// Whether that is so until the end of the session.
    is_off: bool,
}

impl Pass<'_> {
    /// The turn in which an archive begins. Most begin with a message of the user that speaks for itself.
    pub(super) fn turn_before(
        &self,
        due: &Due,
        reading: &Reading<'_>,
        first: &StoredEvent,
    ) -> Result<OpenTurn, DreamError> {
        let looks_back = || {
            let first = heard(&first.event.content.plain());
            first.looks_back || first.privacy.takes_back()
        };
        if is_prompt(first) && !looks_back() {
            return Ok(OpenTurn::default());
        }
        let before = reading.turn_before(&due.archive)?;
        let is_private = |prompt: &&StoredEvent| is_prompt(prompt) && wants_privacy(&prompt.event.content.plain());
        let private = before.first().filter(is_private).map(|prompt| prompt.id);
        let prompt = before.first().filter(|prompt| private.is_none() && is_prompt(prompt));
        let prompt = prompt.map(|prompt| (prompt.id, prompt.event.content.plain().into_owned()));
        Ok(OpenTurn {
            said: before.iter().map(|stored| stored.id).collect(),
            prompt,
            work_from: 0,
            private,
            is_off: false,
        })
    }

    /// What a message holds. What it took back, and the user has brought back since, is not taken back again.
    fn heard(&mut self, stored: &StoredEvent, open: &OpenTurn) -> Result<Heard, DreamError> {
        let before = open.prompt.as_ref().map(|(_, said)| said.as_str());
        let heard = heard_after(&stored.event.content.plain(), before);
        if !heard.privacy.takes_back() {
            return Ok(heard);
        }
        let name = taken_back_by(stored.id);
        let is_undone = self.dreamer.journal.forgettings()?.iter().any(|entry| entry.name == name && entry.undone);
        Ok(if is_undone { Heard::default() } else { heard })
    }

    /// Whether the message is not to be told of in any other way either.
    pub(super) fn user_said(
        &mut self,
        due: &Due,
        stored: &StoredEvent,
        open: &mut OpenTurn,
        turns: &mut Vec<Turn>,
    ) -> Result<bool, DreamError> {
        let Heard { privacy, told, forget, passing, hearsay, .. } = self.heard(stored, open)?;
        self.dreamt.passing += passing;
        self.dreamt.hearsay += hearsay;
        if open.is_off {
            self.keep_out(due, stored.id, stored.id);
            return Ok(true);
        }
        if privacy == Privacy::Session {
            turns.clear();
            self.take_back(due, stored, &self.said_before(due, stored)?)?;
            self.unwritten.forgotten.extend(session_of(stored).into_events());
        } else if privacy.takes_back() {
            turns.truncate(open.work_from);
            self.take_back(due, stored, &open.said)?;
        }
        let is_private = !matches!(privacy, Privacy::Open | Privacy::OneBefore);
        let private = is_private.then_some(stored.id);
        let said = (!is_private).then(|| (stored.id, stored.event.content.plain().into_owned()));
        let before = std::mem::replace(&mut open.prompt, said).map(|(id, _)| id);
        let is_off = privacy == Privacy::Session;
        *open = OpenTurn { said: vec![stored.id], work_from: turns.len(), private, prompt: open.prompt.take(), is_off };
        if is_private {
            self.dreamt.private += 1;
            self.explain(due, "private", None, "", "left out", &[stored.id]);
            self.keep_out(due, stored.id, stored.id);
            return Ok(true);
        }
        let mut has_forgotten = false;
        for target in &forget {
            has_forgotten |= self.forget(due, stored, target)?;
        }
        let is_heard = |one: &Told| !self.is_listening || is_said_to_memoir(one.rule);
        for one in told.into_iter().filter(is_heard).collect::<Vec<_>>() {
            self.settle(
                due,
                &Derived {
                    rule: one.rule,
                    kind: one.kind,
                    text: one.text,
                    name: None,
                    about: None,
                    reach: one.reach,
                    ts_ms: stored.ts_ms,
                    secrecy: stored.event.secrecy,
                    sources: before.filter(|_| one.with_before).into_iter().chain([stored.id]).collect(),
                },
            )?;
        }
        Ok(has_forgotten)
    }

    /// Whether what the agent said or did is not to be told of: it belongs to a turn of which nothing is to be kept.
    pub(super) fn agent_acted(
        &mut self,
        due: &Due,
        stored: &StoredEvent,
        is_last: bool,
        open: &mut OpenTurn,
    ) -> Result<bool, DreamError> {
        let is_answer = stored.event.kind() == Kind::AssistantMessage;
        if let Some(wish) = open.private {
            if is_answer {
                self.keep_out(due, stored.id, wish);
            }
            return Ok(true);
        }
        if is_answer {
            open.said.push(stored.id);
            for (rule, kind, text) in heard_from_agent(&stored.event.content.plain(), is_last) {
                let (ts_ms, secrecy, sources) = (stored.ts_ms, stored.event.secrecy, vec![stored.id]);
                let (name, about, reach) = (None, None, Reach::Project);
                self.settle(due, &Derived { rule, kind, text, name, about, reach, ts_ms, secrecy, sources })?;
            }
        }
        Ok(false)
    }

    /// A message is no longer recalled.
    fn keep_out(&mut self, due: &Due, message: EventId, wish: EventId) {
        let place = Place::of(&MemoryScope::Project, &due.project);
        self.unwritten.unsaid.push((place, Vec::new(), vec![message], wish));
    }

    /// What was said in a session before a message.
    fn said_before(&self, due: &Due, wish: &StoredEvent) -> Result<Vec<EventId>, DreamError> {
        let Archive { client, session, .. } = &due.archive;
        let placed = self.dreamer.journal.placed(*client, session, (0, wish.seq.saturating_sub(1)), usize::MAX)?;
        let is_said =
            |one: &&Placed| matches!(one.kind, Kind::UserMessage | Kind::AssistantMessage) && one.thread.is_none();
        let seqs: Vec<Seq> = placed.iter().filter(is_said).map(|one| one.seq).collect();
        let said = self.dreamer.journal.events(&seqs, &View::of(Audience::Dream))?;
        Ok(said.into_iter().map(|stored| stored.id).collect())
    }

    /// What was said in the turn before was not to be kept either: it and what is made of nothing else are gone.
    fn take_back(&mut self, due: &Due, wish: &StoredEvent, said: &[EventId]) -> Result<(), DreamError> {
        let said_ids: Vec<String> = said.iter().map(ToString::to_string).collect();
        for scope in scopes(due) {
            let place = Place::of(&scope, &due.project);
            let shelf = self.book.shelf(&place)?;
            let mut memories: Vec<usize> = said_ids.iter().flat_map(|id| shelf.of_source(id)).collect();
            memories.sort_unstable();
            memories.dedup();
            let is_said = |id: Option<&String>| id.is_some_and(|id| said_ids.contains(id));
            memories.retain(|at| {
                shelf.at(*at).is_some_and(|known| {
                    known.voice == Voice::Work || known.memory.sources.iter().all(|one| is_said(one.event.as_ref()))
                })
            });
            memories.iter().for_each(|at| shelf.unsay(*at, wish.ts_ms));
            self.dreamt.unsaid += memories.len() as u64;
            if !memories.is_empty() {
                self.unwritten.unsaid.push((place, memories, said.to_vec(), wish.id));
            }
        }
        said.iter().for_each(|id| self.keep_out(due, *id, wish.id));
        Ok(())
    }
}

/// The forgetting of a session that a message in it asks for: the journal makes the same where it hears the message.
fn session_of(wish: &StoredEvent) -> Forgetting {
    let session = Some(wish.event.session.clone());
    Forgetting {
        name: taken_back_by(wish.id),
        chosen: Chosen::Scope(Scope { client: wish.event.client, session, ..Scope::default() }),
        depth: Depth::Forget,
        asked: "its session, as the user wished".to_owned(),
        reason: None,
        by: wish.event.actor.clone(),
    }
}

/// Whether the user says it.
pub(super) fn is_prompt(stored: &StoredEvent) -> bool {
    stored.event.kind() == Kind::UserMessage && stored.event.speaker == Speaker::User
}

/// The scopes in which something of a session may stand.
pub(super) fn scopes(due: &Due) -> [MemoryScope; 3] {
    [MemoryScope::Project, MemoryScope::User, MemoryScope::Session(due.archive.session.clone())]
}
