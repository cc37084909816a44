//! Memories as files: which there are for a reader, what they are called, and the profile.

use crate::fault::Fault;
use crate::uri;
use crate::{Openviking, VIEW};
use memoir_dream::{Given, Remembering, Way};
use memoir_event::{EventId, Kind, Memory, MemoryKind, MemoryScope, MemoryStatus};
use memoir_journal::{Filter, Lookup, Order, Page, View};
use memoir_recall::{Listed, memory_json};

/// So many memories are looked through for a list, the newest first.
const LOOKED_AT_MAX: usize = 5_000;
const PAGE: usize = 500;

/// The longest name of a file, its id aside.
const NAME_CHARS_MAX: usize = 48;

/// So many characters an abstract has.
const ABSTRACT_CHARS: usize = 200;

/// Pinned memories beyond that many are not in the profile.
const PROFILE_MAX: usize = 64;

/// For whom memories are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reader {
    /// Where the reader works, as the plugins name it.
    pub peer: Option<String>,
}

/// A memory as a file.
pub(crate) struct File {
    pub id: EventId,
    pub kind: MemoryKind,
    pub name: String,
    pub text: String,
    pub title: String,
    pub uid: String,
    pub ts_ms: i64,
    pub is_pinned: bool,
    pub is_users: bool,
}

impl File {
    pub fn uri(&self) -> String {
        format!("{}/{}", uri::of_kind(self.kind), self.name)
    }

    pub fn short(&self) -> String {
        one_line(&self.text, ABSTRACT_CHARS)
    }

    /// Its path in the directory of its kind: the one under which somebody wrote it, or else the name of its file.
    pub fn path(&self) -> String {
        let written = self.uid.strip_prefix(&format!("openviking/{}/", uri::dir_of(self.kind)));
        let path = written.map(|path| path.split_once(AGAIN).map_or(path, |(path, _)| path));
        path.map_or_else(|| self.name.clone(), |path| format!("{path}.md"))
    }
}

/// What a file is called in words.
pub(crate) fn title_of(path: &str) -> String {
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    stem.replace(['-', '_'], " ")
}

/// The first characters of a text, on one line.
pub(crate) fn one_line(text: &str, chars_max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// The name of a memory's file: what it is called, and the beginning of its id.
pub(crate) fn file_name(memory: &Memory, id: EventId) -> String {
    let called = if memory.name.trim().is_empty() { &memory.text } else { &memory.name };
    let mut slug = String::new();
    for c in called.chars() {
        if slug.len() >= NAME_CHARS_MAX {
            break;
        }
        match c {
            c if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let id = id.to_string();
    format!("{}-{}.md", slug.trim_matches('-'), id.get(..8).unwrap_or(&id)).trim_start_matches('-').to_owned()
}

impl Openviking {
    /// The memories that hold for a reader, the newest first.
    pub(crate) fn files(&self, kind: Option<MemoryKind>, reader: &Reader) -> Result<Vec<File>, Fault> {
        let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
        let here = reader.peer.as_deref().map(|peer| self.project_at(peer)).transpose()?;
        let origins = match &here {
            Some(project) => {
                let of_project = Filter { repo: Some(project.clone()), ..filter.clone() };
                self.journal.select(&of_project, &VIEW)?.origins
            }
            None => None,
        };
        let (mut files, mut looked_at) = (Vec::new(), 0);
        let mut page = Page::first(PAGE, Order::NewestFirst);
        loop {
            let found = self.journal.page(&filter, &VIEW, &page)?;
            looked_at += found.events.len();
            for stored in found.events {
                let Some(memory) = Memory::of_event(&stored.event).filter(|memory| memory.status.is_current()) else {
                    continue;
                };
                let is_here = match &memory.scope {
                    MemoryScope::User => true,
                    MemoryScope::Project => {
                        origins.as_ref().is_none_or(|origins| origins.binary_search(&stored.origin).is_ok())
                    }
                    MemoryScope::Session(_) => false,
                };
                if is_here
                    && kind.is_none_or(|kind| kind == memory.kind)
                    && let Some(listed) = Listed::read(&*self.journal, stored)?
                {
                    files.push(self.file(&listed));
                }
            }
            match found.next {
                Some(next) if looked_at < LOOKED_AT_MAX => page.after = Some(next),
                _ => return Ok(files),
            }
        }
    }

    fn file(&self, listed: &Listed) -> File {
        let json = memory_json(listed, &self.redactor);
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        let memory = &listed.memory;
        File {
            id: listed.stored.id,
            kind: memory.kind,
            name: file_name(memory, listed.stored.id),
            text: text("text"),
            title: text("name"),
            uid: memory.uid.clone(),
            ts_ms: listed.stored.ts_ms,
            is_pinned: memory.pinned,
            is_users: memory.scope == MemoryScope::User,
        }
    }

    /// A memory by the name of its file, or by the name under which somebody wrote it.
    pub(crate) fn memory_file(&self, kind: MemoryKind, name: &str, reader: &Reader) -> Result<Option<File>, Fault> {
        let uid = uid_of(kind, name);
        let files = self.files(Some(kind), reader)?;
        Ok(files.into_iter().find(|file| file.name == name || is_of(&file.uid, &uid)))
    }

    /// A name for what is written at an address: that of the address, unless something had it that is moved, replaced or
    /// settled by now.
    pub(crate) fn uid_for(&self, kind: MemoryKind, name: &str, unique: &dyn Fn() -> String) -> Result<String, Fault> {
        let uid = uid_of(kind, name);
        let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
        let (mut page, mut looked_at) = (Page::first(PAGE, Order::NewestFirst), 0);
        loop {
            let found = self.journal.page(&filter, &View::owner_all(), &page)?;
            looked_at += found.events.len();
            let mut known = found.events.iter().filter_map(|stored| Memory::of_event(&stored.event));
            if known.any(|memory| is_of(&memory.uid, &uid)) {
                return Ok(format!("{uid}{AGAIN}{}", unique()));
            }
            match found.next.filter(|_| looked_at < LOOKED_AT_MAX) {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        Ok(uid)
    }

    /// A memory by its id, as a file.
    pub(crate) fn file_of(&self, id: EventId) -> Result<Option<File>, Fault> {
        let Some(stored) = self.journal.event(&Lookup::Id(id), &VIEW)? else { return Ok(None) };
        Ok(Listed::read(&*self.journal, stored)?.map(|listed| self.file(&listed)))
    }

    /// What is pinned for the user wherever they work, as one text; none if nothing is.
    pub(crate) fn profile(&self, reader: &Reader) -> Result<Option<String>, Fault> {
        let mut pinned = self.files(None, reader)?;
        pinned.retain(|file| file.is_pinned && file.is_users);
        if pinned.is_empty() {
            return Ok(None);
        }
        pinned.sort_by_key(|file| (file.kind.code(), file.ts_ms));
        let lines = pinned.iter().take(PROFILE_MAX).map(|file| format!("- {}\n", one_line(&file.text, 2_000)));
        Ok(Some(format!("# Profile\n{}", lines.collect::<String>())))
    }

    /// Remembers what somebody writes into a memory's file.
    pub(crate) fn remember(
        &self,
        kind: MemoryKind,
        name: &str,
        text: &str,
        reader: &Reader,
        unique: &dyn Fn() -> String,
    ) -> Result<File, Fault> {
        let project = reader.peer.as_deref().map(|peer| self.project_at(peer)).transpose()?;
        let known = self.memory_file(kind, name, reader)?;
        let is_new = known.is_none();
        let is_users = known.as_ref().map_or(kind == MemoryKind::Preference || project.is_none(), |file| file.is_users);
        let given = Given {
            kind,
            name: Some(known.as_ref().map_or_else(|| title_of(name), |file| file.title.clone())),
            scope: if is_users { MemoryScope::User } else { MemoryScope::Project },
            pinned: known.as_ref().is_some_and(|file| file.is_pinned),
            status: MemoryStatus::Active,
            uid: Some(known.map_or_else(|| self.uid_for(kind, name, unique), |file| Ok(file.uid))?),
            made_by: Some("openviking".to_owned()),
            way: Way::SaidByAgent,
            ..Given::new(text, project.as_deref().unwrap_or_default())
        };
        let (redactor, now_ms) = (&*self.redactor, (self.clock)());
        let remembering = Remembering { journal: &*self.journal, redactor, now_ms, unique };
        let mut remembered = remembering.remember(&given)?;
        if remembered.id.is_none() && is_new {
            // What was at this address is forgotten; what says otherwise is another memory.
            let uid = format!("{}{AGAIN}{}", uid_of(kind, name), unique());
            remembered = remembering.remember(&Given { uid: Some(uid), ..given })?;
        }
        let file = remembered.id.map(|id| self.file_of(id)).transpose()?.flatten();
        file.ok_or_else(|| Fault::Denied("this was forgotten, and stays so".to_owned()))
    }

    /// The project that a peer stands for.
    pub(crate) fn project_at(&self, peer: &str) -> Result<String, Fault> {
        let peer = self.redactor.text(peer).into_owned();
        let known = self.journal.cursor(&peer_row(&peer))?;
        Ok(known.map(|known| known.position).filter(|project| !project.is_empty()).unwrap_or(peer))
    }
}

/// The row that says which project a peer stands for.
pub(crate) fn peer_row(peer: &str) -> String {
    format!("openviking|peer|{peer}")
}

/// Stands in a name between an address and what tells its later memories from the first.
const AGAIN: &str = "?again=";

/// Whether a memory is called after that address.
fn is_of(uid: &str, address: &str) -> bool {
    uid.strip_prefix(address).is_some_and(|rest| rest.is_empty() || rest.starts_with(AGAIN))
}

/// What a memory is called by whoever writes it under that name.
fn uid_of(kind: MemoryKind, name: &str) -> String {
    format!("openviking/{}/{}", uri::dir_of(kind), name.trim_end_matches(".md"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_its_memory() {
        let id = EventId::parse("0123456789abcdef01234567").unwrap();
        let named = |name: &str, text: &str| file_name(&Memory::new("u", MemoryKind::Fact, text, name), id);
        assert_eq!(named("Tabs in Makefiles!", "x"), "tabs-in-makefiles-01234567.md");
        assert_eq!(named("", "../../etc/passwd"), "etc-passwd-01234567.md");
        assert_eq!(named("…", "x"), "01234567.md");
        assert!(named(&"word ".repeat(99), "x").len() < 64);
    }
}
