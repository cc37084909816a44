use memoir_event::{Archive, Content, Event, EventId, Identity, Json, Kind, Source, Time, Trigger};
use memoir_journal::{Admission, Clock, Cursor, Journal, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use memoir_session::{
    Began, CommitRules, Committed, Effort, Pending, Process, Sealed, SessionError, SessionName, Sessions, WorkedOff,
};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// 2026-05-10T08:00:00Z.
pub const START_MS: i64 = 1_778_400_000_000;
pub const MINUTE: i64 = 60_000;

/// A journal in a directory of its own.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub now_ms: Arc<AtomicI64>,
    pub clock: Clock,
    pub journal: SqliteJournal,
    pub redactor: Redactor,
    pub running: RefCell<Vec<Process>>,
    count: Cell<u32>,
}

pub fn open(dir: &Path, clock: &Clock) -> SqliteJournal {
    SqliteJournal::open(&dir.join("journal.db"), SqliteOptions::short_lived(), clock.clone()).unwrap()
}

pub fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let now_ms = Arc::new(AtomicI64::new(START_MS));
    let read = now_ms.clone();
    let clock: Clock = Arc::new(move || read.load(Ordering::SeqCst));
    let journal = open(dir.path(), &clock);
    let (redactor, running, count) = (Redactor::builtin(), RefCell::default(), Cell::new(0));
    Home { dir, now_ms, clock, journal, redactor, running, count }
}

pub fn name(shown: &str) -> SessionName {
    SessionName::parse(shown)
}

pub fn process(pid: u32) -> Process {
    Process { pid, started: 1_000 + u64::from(pid) }
}

impl Home {
    /// Does something with the sessions of that journal, as of now.
    pub fn with<T>(&self, work: impl FnOnce(&Sessions<'_>) -> T) -> T {
        let is_alive = |process: &Process| self.running.borrow().contains(process);
        work(&Sessions {
            journal: &self.journal,
            redactor: &self.redactor,
            clock: &self.clock,
            rules: CommitRules::default(),
            owner: "test",
            is_alive: &is_alive,
        })
    }

    pub fn wait(&self, ms: i64) {
        self.now_ms.fetch_add(ms, Ordering::SeqCst);
    }

    pub fn now(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    /// An event of a session that happens now, not stored.
    pub fn event(&self, shown: &str, kind: Kind, content: Content) -> Event {
        let session = name(shown);
        self.count.set(self.count.get() + 1);
        let mut event = Event::new(Source::Recorder, &session.id, kind, content);
        event.client = session.client;
        event.repo = "acme/shop".to_owned();
        event.time = Some(Time::from_ms(self.now()));
        event.identities = vec![Identity::Named(format!("n{}", self.count.get()))];
        event
    }

    pub fn append(&self, events: Vec<Event>, cursors: &[Cursor]) -> Vec<EventId> {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, cursors).unwrap().iter().filter_map(memoir_journal::Outcome::id).collect()
    }

    pub fn say(&self, session: &str, kind: Kind, text: &str) -> EventId {
        self.append(vec![self.event(session, kind, Content::Text(text.to_owned()))], &[])[0]
    }

    pub fn tell(&self, session: &str, kind: Kind, json: &str) -> EventId {
        self.append(vec![self.event(session, kind, Content::Payload(Json::parse(json.to_owned()).unwrap()))], &[])[0]
    }

    pub fn run(&self, session: &str, command: &str, exit_code: i32) -> EventId {
        let json =
            serde_json::json!({"item": {"type": "command_execution", "command": command, "exit_code": exit_code}});
        self.tell(session, Kind::Command, &json.to_string())
    }

    pub fn change(&self, session: &str, path: &str) -> EventId {
        let json = serde_json::json!({"item": {"type": "file_change", "changes": [{"path": path, "kind": "update"}]}});
        self.tell(session, Kind::FileChange, &json.to_string())
    }

    /// What a Stop does: the turn's events and the touch, in one append.
    pub fn stop_in(&self, shown: &str, text: &str, process: Option<Process>) {
        let touched = self.with(|sessions| sessions.touched(&name(shown), process)).unwrap();
        let asked = self.event(shown, Kind::UserMessage, Content::Text(text.to_owned()));
        let said = self.event(shown, Kind::AssistantMessage, Content::Text(format!("done: {text}")));
        self.append(vec![asked, said], &[touched]);
    }

    pub fn stop(&self, shown: &str, text: &str) {
        self.stop_in(shown, text, None);
    }

    /// What a SessionStart does; gives the sessions that were committed.
    pub fn start_in(&self, shown: &str, how: Began, process: Option<Process>) -> Vec<String> {
        shown_of(&self.with(|sessions| sessions.began(&name(shown), how, process, Effort::ALL)).unwrap())
    }

    pub fn start(&self, shown: &str, how: Began) -> Vec<String> {
        self.start_in(shown, how, None)
    }

    pub fn commit(&self, shown: &str) -> Sealed {
        self.with(|sessions| sessions.commit(&name(shown), Trigger::Asked, Effort::ALL)).unwrap()
    }

    pub fn commit_anew(&self, shown: &str) -> Committed {
        match self.commit(shown) {
            Sealed::Archive(committed) => committed,
            other => panic!("{other:?}"),
        }
    }

    pub fn end(&self, shown: &str) {
        let ended = self.with(|sessions| sessions.ended(&name(shown))).unwrap();
        self.append(Vec::new(), &[ended]);
    }

    pub fn work_off(&self) -> WorkedOff {
        self.with(|sessions| sessions.work_off(&mut |_| true)).unwrap()
    }

    pub fn worked_off(&self) -> Vec<String> {
        shown_of(&self.work_off().committed)
    }

    pub fn pending(&self) -> Vec<Pending> {
        self.with(|sessions| sessions.pending()).unwrap()
    }

    pub fn pending_names(&self) -> Vec<String> {
        self.pending().iter().map(|one| one.session.shown()).collect()
    }

    pub fn is_open(&self, shown: &str) -> bool {
        self.with(|sessions| sessions.is_open(&name(shown))).unwrap()
    }

    pub fn archives(&self, shown: &str) -> Vec<Archive> {
        let archives: Result<_, SessionError> = self.with(|sessions| sessions.archives(&name(shown)));
        archives.unwrap().into_iter().map(|(_, archive)| archive).collect()
    }

    /// Every place of the session is in one archive and in no other; the archives follow each other without a gap.
    pub fn assert_whole(&self, shown: &str) {
        let session = name(shown);
        let archives = self.archives(shown);
        let mut after = 0;
        for (at, archive) in archives.iter().enumerate() {
            assert_eq!((archive.number as usize, archive.after_seq), (at + 1, after), "{archives:?}");
            assert!(archive.last_seq > archive.after_seq);
            let placed = self
                .journal
                .placed(session.client, &session.id, (archive.after_seq, archive.last_seq), usize::MAX)
                .unwrap();
            assert_eq!(placed.len() as u64, archive.events);
            after = archive.last_seq;
        }
        let left = self.journal.placed(session.client, &session.id, (after, u64::MAX >> 1), usize::MAX).unwrap();
        assert_eq!(left, [], "not in any archive");
    }
}

pub fn shown_of(committed: &[Committed]) -> Vec<String> {
    committed.iter().map(|one| one.session.shown()).collect()
}
