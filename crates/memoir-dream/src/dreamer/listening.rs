//! What the user says to memoir itself holds at once: what they want remembered, corrected or forgotten does not wait until
//! their session is over. What else they say does; dreamt then, this is known already and changes nothing.

use super::hearing::is_prompt;
use super::{DreamError, DreamWish, Dreamer, Dreamt, Due, LEASE_MS, Pass};
use crate::reading::{Portion, Reading};
use crate::rules::{Heard, Rule, heard};
use crate::tally::LeftOut;
use memoir_event::{Archive, Client, Kind, Trigger};
use memoir_journal::{Audience, Seq, View};

/// The last message is looked for among so many records.
const RECORDS_MAX: Seq = 200;
/// A longer message is work, or holds some: what else it says waits, for a hook has no time to read all of it.
const MESSAGE_BYTES_MAX: usize = 1_000;

/// Whether the rule hears what is said to memoir itself.
pub(super) const fn is_said_to_memoir(rule: Rule) -> bool {
    matches!(rule, Rule::Remember | Rule::FromNowOn | Rule::Update | Rule::Correction | Rule::Confirm)
}

impl Dreamer<'_> {
    /// Does what the last message of the user in a session wants of memory. Nothing, while another process dreams: what is
    /// said is heard when the session is dreamt.
    pub fn listen(&self, client: Option<Client>, session: &str) -> Result<Dreamt, DreamError> {
        let Some((due, text)) = self.last_message(client, session)? else { return Ok(Dreamt::default()) };
        let Heard { told, forget, looks_back, .. } = heard(&text);
        if forget.is_empty() && !looks_back && !told.iter().any(|one| is_said_to_memoir(one.rule)) {
            return Ok(Dreamt::default());
        }
        let owner = format!("listen-{}-{}", std::process::id(), (self.clock)());
        let Some(lease) = self.journal.lease("dream", &owner, LEASE_MS)? else {
            return Ok(Dreamt { is_busy: true, ..Dreamt::default() });
        };
        let wish = DreamWish::default();
        let done = self.open(&wish).and_then(|mut pass| pass.listen(&due).map(|()| pass.dreamt));
        self.journal.release(&lease)?;
        done
    }

    /// The last message of the user, as an archive of nothing else, and what it says.
    fn last_message(&self, client: Option<Client>, session: &str) -> Result<Option<(Due, String)>, DreamError> {
        let last_seq = self.journal.last_seq()?;
        let near = (last_seq.saturating_sub(RECORDS_MAX), last_seq);
        let placed = self.journal.placed(client, session, near, usize::MAX)?;
        let message = placed.iter().rfind(|one| one.kind == Kind::UserMessage && one.thread.is_none());
        let Some(seq) = message.map(|message| message.seq) else { return Ok(None) };
        let stored = self.journal.events(&[seq], &View::of(Audience::Dream))?.pop();
        let Some(stored) = stored.filter(is_prompt) else { return Ok(None) };
        let archive = Archive {
            version: Archive::VERSION,
            client,
            session: session.to_owned(),
            number: 0,
            after_seq: seq.saturating_sub(1),
            last_seq: seq,
            first_ms: stored.ts_ms,
            last_ms: stored.ts_ms,
            events: 1,
            turns: 1,
            trigger: Trigger::Asked,
            points: Vec::new(),
        };
        let text = stored.event.content.plain().into_owned();
        if text.len() > MESSAGE_BYTES_MAX {
            return Ok(None);
        }
        Ok(Some((Due { seq, archive, project: stored.event.repo, after: seq.saturating_sub(1) }, text)))
    }
}

impl Pass<'_> {
    fn listen(&mut self, due: &Due) -> Result<(), DreamError> {
        self.is_listening = true;
        let mut reading = Reading::of(self.dreamer.journal, &due.archive, due.after)?;
        let Some(Portion { events, .. }) = reading.portion()? else { return Ok(()) };
        let Some((_, message)) = events.first() else { return Ok(()) };
        let mut open = self.turn_before(due, &reading, message)?;
        self.user_said(due, message, &mut open, &mut Vec::new())?;
        // What was left out is counted when the session is dreamt.
        self.tallied = LeftOut::of(&self.dreamt);
        self.write()
    }
}
