use memoir_event::{Content, Event, Identity, Json, Kind, Source, Time};
use memoir_index::{Hits, Index, IndexOptions, Query, Window};
use memoir_journal::{Admission, Filter, Journal, Outcome, Seq, SqliteJournal, SqliteOptions, View};
use memoir_redact::Redactor;
use std::path::PathBuf;
use std::sync::Arc;

/// A journal and the place of its index, in a directory of their own.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub journal: SqliteJournal,
}

pub const ALL: Window = Window { skip: 0, limit: 1000 };

pub fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.db");
    let journal = SqliteJournal::open(&path, SqliteOptions::long_lived(), Arc::new(|| 1_778_400_000_000)).unwrap();
    Home { dir, journal }
}

impl Home {
    pub fn index_dir(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    /// An index that scans up to `tail_records_max` records and indexes more.
    pub fn index(&self, tail_records_max: u64) -> Index {
        Index::open(&self.index_dir(), IndexOptions { tail_records_max, ..IndexOptions::default() })
    }

    pub fn append(&self, events: Vec<Event>) -> Vec<Outcome> {
        let redactor = Redactor::builtin();
        let admission = Admission::new(&redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[]).unwrap()
    }

    /// Appends messages of one session.
    pub fn say(&self, texts: &[&str]) {
        self.append(texts.iter().enumerate().map(|(n, text)| message("s", &format!("t{n}"), text)).collect());
    }

    pub fn search_in(&self, index: &Index, query: &str, filter: &Filter, view: View) -> Hits {
        let selection = self.journal.select(filter, &view).unwrap();
        index.search(&self.journal, &Query::parse(query), &selection, ALL, &mut |_, _| true).unwrap()
    }

    /// The seqs that a query finds, sorted.
    pub fn find(&self, index: &Index, query: &str) -> Vec<Seq> {
        let mut seqs = self.ranked(index, query);
        seqs.sort_unstable();
        seqs
    }

    /// The seqs that a query finds, the best first.
    pub fn ranked(&self, index: &Index, query: &str) -> Vec<Seq> {
        seqs(&self.search_in(index, query, &Filter::default(), owner()))
    }
}

pub fn owner() -> View {
    View::of(memoir_journal::Audience::Owner)
}

pub fn seqs(hits: &Hits) -> Vec<Seq> {
    hits.hits.iter().map(|hit| hit.seq).collect()
}

/// An event that names itself by its turn.
pub fn message(session: &str, turn: &str, text: &str) -> Event {
    let mut event = Event::new(Source::Recorder, session, Kind::UserMessage, Content::Text(text.to_owned()));
    event.repo = "repo".to_owned();
    event.turn = Some(turn.to_owned());
    event.identities = vec![Identity::Explicit];
    event
}

pub fn at(mut event: Event, ms: i64) -> Event {
    event.time = Some(Time::from_ms(ms));
    event
}

/// A capture of an item that its client names: a longer text is a revision.
pub fn item(source: Source, id: &str, text: &str) -> Event {
    let mut event = Event::new(source, "s", Kind::AssistantMessage, Content::Text(text.to_owned()));
    event.identities = vec![Identity::Item { id: id.to_owned(), block: 0 }];
    event
}

/// Forgets the event at `seq`.
pub fn tombstone(home: &Home, seq: Seq) -> Event {
    let key = home.journal.events(&[seq], &View::owner_all()).unwrap()[0].keys[0].to_string();
    let payload = Json::parse(format!(r#"{{"events":["{key}"],"reason":"test"}}"#)).unwrap();
    let mut event = Event::new(Source::Memoir, "memoir", Kind::Tombstone, Content::Payload(payload));
    event.identities = vec![Identity::Named(key)];
    event
}
