//! What a conversation was shown already, so that nothing comes twice within a few turns.
//!
//! Kept as one cursor for each session, and bounded: what was shown long ago is not in it.

use memoir_capture::Start;
use memoir_event::{Client, EventId};
use memoir_journal::{Cursor, Journal, JournalError};
use memoir_recall::Copied;
use serde::{Deserialize, Serialize};

/// So many are remembered at once.
const SHOWN_MAX: usize = 96;

/// A copy of a copy, and so on: so many are known.
const COPIED_MAX: usize = 8;

/// A beginning that is told again within this time is the same one.
const AGAIN_MS: u64 = 60_000;

/// And where a session goes on: it may be left and taken up again, or compacted again, soon after.
const AGAIN_ON_MS: u64 = 5_000;

/// What the next prompt of a session is due, where the moment itself could not be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Due {
    /// Nothing.
    #[default]
    Nothing,
    /// What one should know when a session begins.
    Essence,
    /// What the session had come to when it was sealed.
    Resumed,
    /// What was dropped from the conversation.
    Compacted,
}

/// What a session was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    stream: String,
    /// How many times its user has asked something.
    pub turn: u64,
    kept: Kept,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    version: u32,
    due: Due,
    /// Before that moment, what was said was dropped from the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_ms: Option<i64>,
    /// How the session began, and when that was last told.
    #[serde(skip_serializing_if = "Option::is_none")]
    begun: Option<(String, i64)>,
    /// The sessions that it began as a copy of, each with the moment up to which.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    copied: Vec<(String, i64)>,
    /// What was shown, and at which turn.
    shown: Vec<(EventId, u64)>,
}

const VERSION: u32 = 1;

impl Shown {
    /// What a session was shown; none if it is not known yet. What cannot be read is as if nothing was.
    pub fn read(journal: &dyn Journal, client: Client, session: &str) -> Result<Option<Shown>, JournalError> {
        let row = Shown::row(journal, client, session)?;
        Ok(row.as_ref().map(Shown::of))
    }

    /// As its row says.
    pub fn of(row: &Cursor) -> Shown {
        let kept = serde_json::from_str(&row.position).ok().filter(|kept: &Kept| kept.version == VERSION);
        Shown { stream: row.stream.clone(), turn: row.sequence, kept: kept.unwrap_or_default() }
    }

    /// The row of a session.
    pub fn row(journal: &dyn Journal, client: Client, session: &str) -> Result<Option<Cursor>, JournalError> {
        journal.cursor(&stream(client, session))
    }

    /// Of a session that was shown nothing.
    pub fn new(client: Client, session: &str) -> Shown {
        Shown { stream: stream(client, session), ..Shown::default() }
    }

    /// The same, of a session that began as a copy of another: what that was shown, and what it was a copy of itself.
    #[must_use]
    pub fn copying(self, other: &Shown, name: &str, until_ms: i64) -> Shown {
        let mut kept = Kept { due: Due::Nothing, begun: None, ..other.kept.clone() };
        kept.copied.iter_mut().for_each(|(_, until)| *until = until_ms.min(*until));
        kept.copied.insert(0, (name.to_owned(), until_ms));
        kept.copied.truncate(COPIED_MAX);
        Shown { turn: other.turn, kept, ..self }
    }

    /// What it began as a copy of.
    pub fn copied(&self) -> Vec<Copied> {
        let copied = |(session, until_ms): &(String, i64)| Copied { session: session.clone(), until_ms: *until_ms };
        self.kept.copied.iter().map(copied).collect()
    }

    /// The user asks something more.
    pub fn next_turn(&mut self, turns: u64) {
        self.turn += 1;
        self.kept.begun = None;
        let turn = self.turn;
        self.kept.shown.retain(|(_, at)| at.saturating_add(turns) > turn);
    }

    /// Whether it was shown in the last turns.
    pub fn has(&self, id: &EventId) -> bool {
        self.kept.shown.iter().any(|(shown, _)| shown == id)
    }

    /// It is shown now.
    pub fn add(&mut self, id: EventId) {
        if self.has(&id) {
            return;
        }
        if self.kept.shown.len() >= SHOWN_MAX {
            self.kept.shown.remove(0);
        }
        self.kept.shown.push((id, self.turn));
    }

    /// The conversation begins anew or goes on without what was said before.
    pub fn dropped(&mut self, at_ms: i64) {
        self.kept.shown.clear();
        self.kept.dropped_ms = Some(at_ms);
    }

    /// Before that moment, what was said is no longer in the conversation.
    pub fn dropped_ms(&self) -> Option<i64> {
        self.kept.dropped_ms
    }

    /// What is due at the next prompt, and no longer then.
    pub fn take_due(&mut self) -> Due {
        std::mem::take(&mut self.kept.due)
    }

    /// The next prompt is due that.
    pub fn set_due(&mut self, due: Due) {
        self.kept.due = due;
    }

    /// It begins now, in that way; false if it was told so a moment ago, and nothing was asked since: hooks may be
    /// delivered twice.
    pub fn begin(&mut self, how: Start, now_ms: i64) -> bool {
        let (how, again_ms) = match how {
            Start::Startup => ("startup", AGAIN_MS),
            Start::Clear => ("clear", AGAIN_MS),
            Start::Fork => ("fork", AGAIN_MS),
            Start::Resume => ("resume", AGAIN_ON_MS),
            Start::Compact => ("compact", AGAIN_ON_MS),
        };
        let is_again = |(known, at_ms): &(String, i64)| known == how && at_ms.abs_diff(now_ms) <= again_ms;
        if self.kept.begun.as_ref().is_some_and(is_again) {
            return false;
        }
        self.kept.begun = Some((how.to_owned(), now_ms));
        true
    }

    /// As it is kept.
    pub fn cursor(&self) -> Cursor {
        let kept = Kept { version: VERSION, ..self.kept.clone() };
        let position = serde_json::to_string(&kept).unwrap_or_default();
        Cursor { stream: self.stream.clone(), sequence: self.turn, position }
    }
}

fn stream(client: Client, session: &str) -> String {
    format!("shown|{}", Client::shown_session(Some(client), session))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> EventId {
        EventId::parse(&format!("{n:024x}")).unwrap()
    }

    #[test]
    fn what_was_shown_may_come_again_after_so_many_turns_of_the_user() {
        let mut shown = Shown::new(Client::Codex, "s");
        shown.next_turn(3);
        shown.add(id(1));
        for _ in 0..2 {
            shown.next_turn(3);
            assert!(shown.has(&id(1)));
        }
        shown.next_turn(3);
        assert!(!shown.has(&id(1)));
    }

    #[test]
    fn it_is_bounded_and_forgets_what_was_shown_first() {
        let mut shown = Shown::new(Client::Codex, "s");
        (0..=255).for_each(|n| shown.add(id(n)));
        assert_eq!(shown.kept.shown.len(), SHOWN_MAX);
        assert!(!shown.has(&id(0)) && shown.has(&id(255)));
        assert!(shown.cursor().position.len() < 4096);
    }

    #[test]
    fn a_copy_was_shown_what_the_other_was_and_is_a_copy_of_what_that_was_a_copy_of() {
        let mut first = Shown::new(Client::Claude, "a");
        first.next_turn(5);
        first.add(id(1));
        let mut second = Shown::new(Client::Claude, "b").copying(&first, "cc-a", 50);
        assert!(second.has(&id(1)) && second.turn == 1);
        second.add(id(2));
        let third = Shown::new(Client::Claude, "c").copying(&second, "cc-b", 40);
        assert!(third.has(&id(1)) && third.has(&id(2)));
        let names: Vec<(String, i64)> = third.copied().into_iter().map(|one| (one.session, one.until_ms)).collect();
        assert_eq!(names, [("cc-b".to_owned(), 40), ("cc-a".to_owned(), 40)]);
        assert_eq!(Shown::of(&third.cursor()).copied(), third.copied());
    }

    #[test]
    fn the_kept_form_is_as_promised_and_a_newer_one_is_as_if_nothing_was_shown() {
        let mut shown = Shown::new(Client::Claude, "s");
        shown.next_turn(5);
        shown.add(id(7));
        shown.set_due(Due::Essence);
        let cursor = shown.cursor();
        let golden = r#"{"version":1,"due":"essence","shown":[["000000000000000000000007",1]]}"#;
        assert_eq!((cursor.stream.as_str(), cursor.sequence, cursor.position.as_str()), ("shown|cc-s", 1, golden));
    }
}
