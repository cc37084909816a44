//! What the user says to memoir itself is heard at once, and once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use memoir_dream::{DreamWish, Dreamer};
use memoir_event::{Archive, Client, Content, Event, Identity, Kind, Memory, Source, Time, Trigger};
use memoir_journal::{Admission, Clock, Filter, Journal, Order, Page, SqliteJournal, SqliteOptions, View};
use memoir_redact::Redactor;
use std::sync::Arc;
use tempfile::TempDir;

const FIRST_MS: i64 = 1_780_000_000_000;
const HOUR_MS: i64 = 3_600_000;

struct Conversation {
    _dir: TempDir,
    journal: SqliteJournal,
    redactor: Redactor,
    clock: Clock,
}

impl Conversation {
    fn new() -> Conversation {
        let dir = tempfile::tempdir().unwrap();
        let clock: Clock = Arc::new(|| FIRST_MS + 1_000 * HOUR_MS);
        let path = dir.path().join("journal.db");
        let journal = SqliteJournal::open(&path, SqliteOptions::short_lived(), Arc::clone(&clock)).unwrap();
        Conversation { _dir: dir, journal, redactor: Redactor::builtin(), clock }
    }

    fn append(&self, event: Event) {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone());
        self.journal.append(&[admission.admit(event)], &[]).unwrap();
    }

    fn say(&self, session: &str, text: &str, hour: i64) {
        let mut event = Event::new(Source::CodexHook, session, Kind::UserMessage, Content::Text(text.to_owned()));
        event.client = Some(Client::Codex);
        event.repo = "o/r".to_owned();
        event.time = Some(Time::from_ms(FIRST_MS + hour * HOUR_MS));
        event.identities = vec![Identity::Named(format!("e-{hour}"))];
        self.append(event);
    }

    fn commit(&self, session: &str) {
        let last_seq = self.journal.last_seq().unwrap();
        let archive = Archive {
            version: Archive::VERSION,
            client: Some(Client::Codex),
            session: session.to_owned(),
            number: 1,
            after_seq: 0,
            last_seq,
            first_ms: 0,
            last_ms: 0,
            events: last_seq,
            turns: 0,
            trigger: Trigger::Asked,
            points: Vec::new(),
        };
        self.append(archive.into_event("o/r"));
    }

    fn dreamer(&self) -> Dreamer<'_> {
        Dreamer { journal: &self.journal, redactor: &self.redactor, clock: &self.clock }
    }

    fn dream(&self) {
        self.dreamer().dream(&DreamWish::default(), &mut |_, _| true).unwrap();
    }

    fn listen(&self, session: &str) {
        self.dreamer().listen(Some(Client::Codex), session).unwrap();
    }

    /// Every memory that may be recalled, whole.
    fn memories(&self) -> Vec<Memory> {
        let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
        let page = Page::first(1_000, Order::OldestFirst);
        let page = self.journal.page(&filter, &View::of(memoir_journal::Audience::Recall), &page).unwrap();
        let mut memories: Vec<Memory> =
            page.events.iter().filter_map(|stored| Memory::of_event(&stored.event)).collect();
        // Each journal names them in its own way.
        memories.iter_mut().for_each(|memory| memory.uid.clear());
        memories.sort_by(|a, b| a.text.cmp(&b.text));
        memories
    }

    fn current(&self) -> Vec<String> {
        self.memories().into_iter().filter(|memory| memory.status.is_current()).map(|memory| memory.text).collect()
    }
}

#[test]
fn a_correction_and_a_wish_to_forget_hold_while_their_session_goes_on() {
    let talk = Conversation::new();
    talk.say("first", "Remember that the staging port is 5433.", 0);
    talk.say("first", "Remember that deploys go through ./ship.", 1);
    talk.commit("first");
    talk.dream();
    talk.say("second", "Correction: the staging port is 5434.", 2);
    talk.listen("second");
    assert_eq!(talk.current(), ["deploys go through ./ship.", "the staging port is 5434."]);
    talk.say("second", "Forget what I said about deploys.", 3);
    talk.listen("second");
    assert_eq!(talk.current(), ["the staging port is 5434."]);
    // What is no word to memoir waits until the session is over.
    talk.say("second", "We decided to use pnpm for packages.", 4);
    talk.listen("second");
    assert_eq!(talk.current().len(), 1);
}

#[test]
fn heard_at_once_or_when_the_session_is_dreamt_the_same_is_known() {
    let said = [
        ("Remember that the staging port is 5433.", "one"),
        ("We use npm for packages.", "one"),
        ("Remember: the cache is Redis", "one"),
        ("From now on answer in German.", "two"),
        ("Correction: the staging port is 5434.", "two"),
        ("Please fix the login test.", "two"),
        ("we switched to pnpm for packages", "two"),
        ("Remember that the staging port is 5434.", "two"),
        ("forget what I said about the cache", "two"),
    ];
    let known = |listens: bool| {
        let talk = Conversation::new();
        for (at, (text, session)) in said.iter().enumerate() {
            talk.say(session, text, i64::try_from(at).unwrap());
            if listens {
                talk.listen(session);
                talk.listen(session);
            }
        }
        ["one", "two"].iter().for_each(|session| talk.commit(session));
        talk.dream();
        talk.memories()
    };
    let (heard, dreamt) = (known(true), known(false));
    assert!(dreamt.len() >= 3, "{dreamt:#?}");
    assert_eq!(heard, dreamt);
}
