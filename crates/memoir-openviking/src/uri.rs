//! `viking://` addresses, and what lies there.
//!
//! ```text
//! viking://user/default/memories/profile.md              what is pinned for the user
//! viking://user/default/memories/preferences/NAME.md     a memory
//! viking://user/default/sessions/cx-…                    a session; `default` may be left out
//! viking://user/default/sessions/cx-…/events/ID          an event of it
//! viking://user/default/sessions/cx-…/history/archive_001/overview.md
//! ```
//! `viking://~` is the user's own root, `viking://session/ID` another name of a session.

use crate::USER;
use crate::fault::Fault;
use crate::session::Spoken;
use memoir_event::{EventId, MemoryKind};
use std::fmt::Write as _;

/// How addresses begin.
pub const SCHEME: &str = "viking://";

/// A longer address is none.
const URI_BYTES_MAX: usize = 4_096;

/// The directories that memories lie in, by their kinds.
pub const DIRS: [(MemoryKind, &str); 10] = [
    (MemoryKind::Convention, "conventions"),
    (MemoryKind::Decision, "decisions"),
    (MemoryKind::Entity, "entities"),
    (MemoryKind::Episode, "events"),
    (MemoryKind::Fact, "facts"),
    (MemoryKind::Fix, "fixes"),
    (MemoryKind::Preference, "preferences"),
    (MemoryKind::Procedure, "procedures"),
    (MemoryKind::Question, "questions"),
    (MemoryKind::Relation, "relations"),
];

/// A file of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFile {
    /// In one paragraph.
    Abstract,
    /// The overview.
    Overview,
    /// Its messages.
    Messages,
}

impl ArchiveFile {
    /// Every file of an archive, with its name.
    pub const ALL: [(ArchiveFile, &'static str); 3] = [
        (ArchiveFile::Abstract, "abstract.md"),
        (ArchiveFile::Overview, "overview.md"),
        (ArchiveFile::Messages, "messages.jsonl"),
    ];
}

/// What an address means.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// `viking://`
    Root,
    /// `viking://user`
    Users,
    /// The user's own root.
    User,
    /// All memories.
    Memories,
    /// What is pinned for the user.
    Profile,
    /// The memories of a kind.
    Kind(MemoryKind),
    /// A memory, by the name of its file.
    Memory(MemoryKind, String),
    /// All sessions.
    Sessions,
    /// A session.
    Session(Spoken),
    /// An event of a session.
    Event(Spoken, EventId),
    /// The archives of a session.
    History(Spoken),
    /// An archive, by its number.
    Archive(Spoken, u32),
    /// A file of an archive.
    OfArchive(Spoken, u32, ArchiveFile),
    /// A place of the API that memoir keeps nothing in.
    Nothing,
}

impl Place {
    /// The place at an address.
    pub fn parse(uri: &str) -> Result<Place, Fault> {
        let uri = uri.trim();
        let wrong = |message: &str| Fault::invalid("uri", format!("{message}: {}", shortened(uri)));
        if uri.len() > URI_BYTES_MAX {
            return Err(wrong("the address is too long"));
        }
        let path = match uri.strip_prefix(SCHEME) {
            Some(path) => path,
            None if uri.contains("://") => return Err(wrong("an address begins with viking://")),
            None => uri,
        };
        let mut segments = Vec::new();
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            if matches!(segment, "." | "..") || segment.chars().any(char::is_control) {
                return Err(wrong("an address has no . or .. in it"));
            }
            segments.push(decoded(segment));
        }
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            [] => Ok(Place::Root),
            ["user"] => Ok(Place::Users),
            ["~", rest @ ..] => Place::of_user(uri, rest),
            ["user", name, rest @ ..] if *name == USER => Place::of_user(uri, rest),
            // Older plugins leave out whose session it is.
            ["user", rest @ ..] if matches!(rest, ["sessions", ..]) => Place::of_user(uri, rest),
            ["session", id, rest @ ..] => Place::of_session(uri, id, rest),
            ["resources" | "agent", ..] => Ok(Place::Nothing),
            _ => Err(Fault::no_such(uri)),
        }
    }

    fn of_user(uri: &str, rest: &[&str]) -> Result<Place, Fault> {
        match rest {
            [] => Ok(Place::User),
            ["memories"] => Ok(Place::Memories),
            ["memories", "profile.md"] => Ok(Place::Profile),
            ["memories", dir] => kind_of(dir).map(Place::Kind).ok_or_else(|| Fault::no_such(uri)),
            ["memories", dir, name @ ..] => {
                let name = name.join("/");
                kind_of(dir).map(|kind| Place::Memory(kind, name)).ok_or_else(|| Fault::no_such(uri))
            }
            ["sessions"] => Ok(Place::Sessions),
            ["sessions", id, rest @ ..] => Place::of_session(uri, id, rest),
            ["skills" | "resources" | "peers", ..] => Ok(Place::Nothing),
            _ => Err(Fault::no_such(uri)),
        }
    }

    fn of_session(uri: &str, id: &str, rest: &[&str]) -> Result<Place, Fault> {
        let spoken = Spoken::parse(id)?;
        let nothing = || Fault::no_such(uri);
        match rest {
            [] => Ok(Place::Session(spoken)),
            ["events", id] => EventId::parse(id).map(|id| Place::Event(spoken, id)).map_err(|_| nothing()),
            ["history"] => Ok(Place::History(spoken)),
            ["history", name] => archive_number(name).map(|number| Place::Archive(spoken, number)).ok_or_else(nothing),
            ["history", name, file] => {
                let file = file.trim_start_matches('.');
                let file = ArchiveFile::ALL.iter().find(|(_, name)| *name == file).map(|(file, _)| *file);
                let number = archive_number(name);
                file.zip(number).map(|(file, number)| Place::OfArchive(spoken, number, file)).ok_or_else(nothing)
            }
            _ => Err(nothing()),
        }
    }
}

/// The number in an archive's name.
pub fn archive_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("archive_").unwrap_or(name);
    digits.parse().ok().filter(|number| *number > 0)
}

/// The kind of the memories in a directory.
pub fn kind_of(dir: &str) -> Option<MemoryKind> {
    let by_dir = DIRS.iter().find(|(_, name)| *name == dir).map(|(kind, _)| *kind);
    by_dir.or_else(|| MemoryKind::parse(dir))
}

/// The directory of the memories of a kind.
pub fn dir_of(kind: MemoryKind) -> &'static str {
    DIRS.iter().find(|(known, _)| *known == kind).map_or("facts", |(_, dir)| *dir)
}

/// The user's own root.
pub fn user_root() -> String {
    format!("{SCHEME}user/{USER}")
}

/// Where memories of a kind lie.
pub fn of_kind(kind: MemoryKind) -> String {
    format!("{}/memories/{}", user_root(), dir_of(kind))
}

/// Where a session lies, by the id that it was given.
pub fn of_session(given: &str) -> String {
    format!("{}/sessions/{}", user_root(), encoded(given))
}

/// Where an archive of a session lies.
pub fn of_archive(given: &str, number: u32) -> String {
    format!("{}/history/archive_{number:03}", of_session(given))
}

/// An address in a message: not longer than a line.
fn shortened(uri: &str) -> String {
    uri.chars().filter(|c| !c.is_control()).take(120).collect()
}

/// A name as one segment of an address.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '/' | '%' | '?' | '#' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    // A name that is nothing but dots would lead elsewhere.
    if matches!(out.as_str(), "." | "..") { out.replace('.', "%2E") } else { out }
}

fn decoded(segment: &str) -> String {
    if !segment.contains('%') {
        return segment.to_owned();
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| segment.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(uri: &str) -> Place {
        Place::parse(uri).unwrap_or_else(|fault| panic!("{uri}: {fault}"))
    }

    #[test]
    fn every_place_has_an_address() {
        assert_eq!(
            (at("viking://"), at("viking://user"), at("viking://user/")),
            (Place::Root, Place::Users, Place::Users)
        );
        assert_eq!((at("viking://~"), at("viking://user/default")), (Place::User, Place::User));
        assert_eq!(at("viking://~/memories/preferences"), Place::Kind(MemoryKind::Preference));
        assert_eq!(at("viking://~/memories/profile.md"), Place::Profile);
        let memory = Place::Memory(MemoryKind::Entity, "project/shop.md".into());
        assert_eq!(at("viking://user/default/memories/entities/project/shop.md"), memory);
        let spoken = Spoken::parse("cx-1").unwrap();
        assert_eq!(at("viking://~/sessions/cx-1/history/"), Place::History(spoken.clone()));
        assert_eq!(at("viking://session/cx-1/history/archive_012"), Place::Archive(spoken.clone(), 12));
        assert_eq!(at("viking://user/sessions/cx-1/history/"), Place::History(spoken.clone()));
        assert_eq!(at("viking://user/sessions"), Place::Sessions);
        let overview = Place::OfArchive(spoken, 1, ArchiveFile::Overview);
        assert_eq!(at("viking://~/sessions/cx-1/history/archive_001/.overview.md"), overview);
        assert_eq!(at("viking://resources/x/y"), Place::Nothing);
    }

    #[test]
    fn what_leads_nowhere_is_said() {
        for uri in
            ["viking://user/other/memories", "viking://user/memories", "viking://~/memories/spells", "viking://x"]
        {
            assert!(matches!(Place::parse(uri), Err(Fault::NotFound(_))), "{uri}");
        }
        for uri in ["http://x/y", "viking://~/../etc", "viking://~/sessions/."] {
            assert!(matches!(Place::parse(uri), Err(Fault::Invalid { .. })), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn a_session_of_any_id_is_found_at_its_address(id in "\\PC{1,40}") {
            if let Ok(spoken) = Spoken::parse(&id)
                && spoken.given.trim() == spoken.given
            {
                prop_assert_eq!(at(&of_session(&id)), Place::Session(spoken));
            }
        }

        #[test]
        fn any_text_is_a_place_or_refused(uri in "(viking://)?\\PC{0,60}") {
            let _ = Place::parse(&uri);
        }
    }
}
