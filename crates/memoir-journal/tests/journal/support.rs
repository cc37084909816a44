use memoir_event::{Content, Event, Identity, Kind, Source, Time};
use memoir_journal::{Admission, Journal, Outcome, Redacted, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// 2026-05-10T08:00:00Z.
pub const START_MS: i64 = 1_778_400_000_000;

/// A journal in a directory of its own, with a clock that the test moves.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub now_ms: Arc<AtomicI64>,
    pub journal: SqliteJournal,
}

pub fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let now_ms = Arc::new(AtomicI64::new(START_MS));
    let journal = open(dir.path(), &now_ms);
    Home { dir, now_ms, journal }
}

pub fn open(dir: &Path, now_ms: &Arc<AtomicI64>) -> SqliteJournal {
    let clock = now_ms.clone();
    SqliteJournal::open(
        &dir.join("journal.db"),
        SqliteOptions::long_lived(),
        Arc::new(move || clock.load(Ordering::SeqCst)),
    )
    .unwrap()
}

impl Home {
    pub fn append(&self, events: Vec<Event>) -> Vec<Outcome> {
        self.journal.append(&admit(&self.journal, events), &[]).unwrap()
    }

    pub fn again(&self) -> SqliteJournal {
        open(self.dir.path(), &self.now_ms)
    }

    pub fn file(&self) -> std::path::PathBuf {
        self.dir.path().join("journal.db")
    }
}

pub fn admit(journal: &SqliteJournal, events: Vec<Event>) -> Vec<Redacted> {
    let redactor = Redactor::builtin();
    let admission = Admission::new(&redactor, journal.hasher().clone());
    events.into_iter().map(|event| admission.admit(event)).collect()
}

/// An event that names itself by its turn.
pub fn event(session: &str, turn: &str, text: &str) -> Event {
    let mut event = Event::new(Source::Recorder, session, Kind::UserMessage, Content::Text(text.to_owned()));
    event.repo = "repo".to_owned();
    event.turn = Some(turn.to_owned());
    event.identities = vec![Identity::Explicit];
    event
}

pub fn at(mut event: Event, time: &str) -> Event {
    event.time = Some(Time::parse(time).unwrap());
    event
}

/// A capture of an item that its client names.
pub fn item(source: Source, id: &str, text: &str) -> Event {
    let mut event = Event::new(source, "s", Kind::AssistantMessage, Content::Text(text.to_owned()));
    event.identities = vec![Identity::Item { id: id.to_owned(), block: 0 }];
    event
}
