//! A mirror in a directory of its own, and events to put into it.

use memoir_event::{Envelope, EventId, Json, Kind, Reasoning, Secrecy, Source, Speaker, Visibility, format_ms};
use memoir_mirror::{
    Appended, Clock, Limits, Mirror, MirrorError, MirrorEvent, ProjectInfo, ReadSummary, Removed, Summary,
    VerifyReport, Writer,
};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// 2026-03-01T10:00:00Z.
pub const START_MS: i64 = 1_772_359_200_000;

/// Limits that a handful of events reach.
pub const SMALL: Limits = Limits { line_bytes_max: 1 << 20, buffer_bytes_max: 4 << 10, index_bytes_max: 2 << 10 };

pub struct World {
    pub root: TempDir,
    pub mirror: Mirror,
}

/// What a file is, so that any change of it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub bytes: Vec<u8>,
    #[cfg(unix)]
    pub inode: u64,
    pub modified: std::time::SystemTime,
}

impl World {
    pub fn new() -> World {
        let root = tempfile::tempdir().unwrap();
        let mirror = Mirror::at(root.path());
        World { root, mirror }
    }

    pub fn with(events: &[Envelope]) -> World {
        let world = World::new();
        world.export(events);
        world
    }

    pub fn dir(&self) -> &Path {
        self.mirror.dir()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.text(name);
        assert!(text.contains(from), "{name} has no {from}: {text}");
        self.write(name, text.replacen(from, to, 1));
    }

    pub fn writer(&self) -> Result<Writer, MirrorError> {
        self.mirror.writer(&project(), &wall_clock())
    }

    pub fn export(&self, events: &[Envelope]) -> Summary {
        export(&self.mirror, events)
    }

    pub fn try_remove(&self, events: &[Envelope]) -> Result<Removed, MirrorError> {
        self.mirror.remove(&id_set(events), &wall_clock())
    }

    pub fn remove(&self, events: &[Envelope]) -> Removed {
        self.try_remove(events).unwrap()
    }

    /// The files that have this text in them; none if there is no mirror.
    pub fn files_with(&self, text: &str) -> Vec<String> {
        let has = |stamp: &Stamp| memchr::memmem::find(&stamp.bytes, text.as_bytes()).is_some();
        self.stamps().into_iter().filter(|(_, stamp)| has(stamp)).map(|(name, _)| name).collect()
    }

    /// No id of these is in any file, and no file is left half written.
    pub fn holds_none_of(&self, events: &[Envelope]) {
        for id in ids_of(events) {
            assert_eq!(self.files_with(&id), Vec::<String>::new(), "{id}");
        }
        assert_eq!(self.unfinished(), None);
    }

    /// A file that is half written.
    pub fn unfinished(&self) -> Option<String> {
        self.stamps().into_keys().find(|name| name.ends_with(".tmp"))
    }

    pub fn read(&self) -> (Vec<MirrorEvent>, ReadSummary) {
        let mut events = Vec::new();
        let summary = self.mirror.read(&mut |event| events.push(event)).unwrap();
        (events, summary)
    }

    /// The ids that come out, in any order.
    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.read().0.into_iter().map(|event| event.event_id).collect();
        ids.sort();
        ids
    }

    pub fn verify(&self) -> VerifyReport {
        self.mirror.verify(&mut |_| {}).unwrap()
    }

    pub fn findings(&self) -> Vec<String> {
        self.verify().findings.iter().map(ToString::to_string).collect()
    }

    /// All is well, and exactly these events are there, each in one line.
    pub fn holds_once(&self, events: &[Envelope]) {
        assert_eq!(self.findings(), Vec::<String>::new());
        assert_eq!(self.ids(), ids_of(events));
        assert_eq!(self.read().1.duplicates, 0);
        assert_eq!(self.text("eventid-index.jsonl").lines().count(), events.len());
    }

    /// Every file but the lock, by its path in the mirror.
    pub fn stamps(&self) -> BTreeMap<String, Stamp> {
        let mut stamps = BTreeMap::new();
        let mut waiting = Vec::from_iter(self.mirror.exists().then(|| self.dir().to_owned()));
        while let Some(dir) = waiting.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let found = std::fs::symlink_metadata(&path).unwrap();
                if found.is_dir() {
                    waiting.push(path);
                    continue;
                }
                #[cfg(unix)]
                let inode = std::os::unix::fs::MetadataExt::ino(&found);
                let stamp = Stamp {
                    bytes: std::fs::read(&path).unwrap(),
                    #[cfg(unix)]
                    inode,
                    modified: found.modified().unwrap(),
                };
                stamps.insert(path.strip_prefix(self.dir()).unwrap().to_str().unwrap().to_owned(), stamp);
            }
        }
        stamps
    }
}

pub fn export(mirror: &Mirror, events: &[Envelope]) -> Summary {
    let mut writer = mirror.writer(&project(), &wall_clock()).unwrap();
    for event in events {
        writer.append(event).unwrap();
    }
    writer.finish().unwrap()
}

pub fn append(writer: &mut Writer, event: &Envelope) -> Appended {
    writer.append(event).unwrap()
}

pub fn wall_clock() -> Clock {
    Arc::new(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    })
}

pub fn project() -> ProjectInfo {
    ProjectInfo { path: "/home/alice/widgets".into(), repo_id: "acme/widgets".into(), label: "widgets".into() }
}

/// The `n`th event of a session.
pub fn event(session: &str, n: u64) -> Envelope {
    event_saying(session, n, &format!("word {n}"))
}

pub fn event_saying(session: &str, n: u64, text: &str) -> Envelope {
    let ts_ms = START_MS + i64::try_from(n).unwrap() * 1000;
    let ts = format_ms(ts_ms);
    let payload = serde_json::json!({"item": {"type": "agent_message", "text": text}});
    Envelope {
        event_id: EventId::derive(Source::CodexHistory, Some(session), n, "item.completed", &ts),
        source: Source::CodexHistory,
        repo_id: "acme/widgets".into(),
        actor_id: Some("alice".into()),
        session_id: session.into(),
        thread_id: Some(session.into()),
        ts,
        event_type: "item.completed".into(),
        payload: Json::from_value(&payload),
        reasoning_availability: Reasoning::Unavailable,
        kind: Kind::AssistantMessage,
        client: None,
        capture_source: None,
        turn_id: None,
        topic_id: None,
        action_id: None,
        speaker: Speaker::Assistant,
        visibility: Visibility::Normal,
        secrecy_level: Secrecy::Sensitive,
        metadata: None,
        meta: None,
        ts_ms,
        recorded_at: format_ms(ts_ms + 500),
        journal_sequence: n + 1,
        sequence: n,
    }
}

/// `per_session` events for each session.
pub fn events(sessions: &[&str], per_session: u64) -> Vec<Envelope> {
    (0..per_session).flat_map(|n| sessions.iter().map(move |session| event(session, n))).collect()
}

/// The line of an event.
pub fn line(event: &Envelope) -> String {
    serde_json::to_string(event).unwrap() + "\n"
}

pub fn ids_of(events: &[Envelope]) -> Vec<String> {
    let mut ids: Vec<String> = events.iter().map(|event| event.event_id.to_string()).collect();
    ids.sort();
    ids
}

pub fn id_set(events: &[Envelope]) -> HashSet<EventId> {
    events.iter().map(|event| event.event_id).collect()
}
