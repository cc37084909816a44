//! Directories: what lies where, in the two forms that the API knows.

use crate::USER;
use crate::fault::Fault;
use crate::memories::{File, Reader, one_line};
use crate::session::Spoken;
use crate::uri::{self, ArchiveFile, DIRS, Place};
use crate::{Openviking, VIEW};
use memoir_event::{Archive, format_ms};
use memoir_journal::{Filter, Journal as _};
use memoir_recall::clean;
use serde_json::{Value, json};

/// A list has at most so many rows.
pub const ROWS_MAX: usize = 1_000;

/// How rows are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For agents: addresses and abstracts.
    Agent,
    /// As a file system has them.
    Original,
}

/// Whether a list goes on into directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Only what lies in it.
    One,
    /// Everything below it.
    All,
}

/// One row.
struct Row {
    uri: String,
    name: String,
    rel_path: String,
    size: usize,
    is_dir: bool,
    mod_time: String,
    about: String,
    /// What lies in it, if that is still to be listed.
    inner: Option<Place>,
}

impl Row {
    fn dir(parent: &str, name: &str) -> Row {
        Row {
            uri: format!("{parent}/{name}"),
            name: name.to_owned(),
            rel_path: name.to_owned(),
            size: 0,
            is_dir: true,
            mod_time: format_ms(0),
            about: String::new(),
            inner: None,
        }
    }

    fn with(self, inner: Place) -> Row {
        Row { inner: Some(inner), ..self }
    }

    fn file(parent: &str, name: &str, size: usize, ms: i64) -> Row {
        Row { size, is_dir: false, mod_time: format_ms(ms), ..Row::dir(parent, name) }
    }

    fn of(file: &File) -> Row {
        let about = file.short();
        Row { about, ..Row::file(&uri::of_kind(file.kind), &file.name, file.text.len(), file.ts_ms) }
    }

    fn below(self, dir: &str) -> Row {
        Row { rel_path: format!("{dir}/{}", self.rel_path), ..self }
    }

    fn told(&self, form: Form) -> Value {
        match form {
            Form::Agent => json!({
                "uri": self.uri, "name": self.name, "rel_path": self.rel_path, "size": self.size,
                "isDir": self.is_dir, "modTime": self.mod_time, "abstract": self.about,
            }),
            Form::Original => json!({
                "name": self.name, "size": self.size, "mode": if self.is_dir { 493 } else { 420 },
                "modTime": self.mod_time, "isDir": self.is_dir, "uri": self.uri, "rel_path": self.rel_path,
            }),
        }
    }
}

/// A list of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Value>,
    /// Whether there are more.
    pub has_more: bool,
}

impl Openviking {
    /// What lies in a directory.
    pub fn ls(&self, uri: &str, form: Form, depth: Depth, limit: usize, reader: &Reader) -> Result<Rows, Fault> {
        let limit = limit.min(ROWS_MAX);
        let place = Place::parse(uri)?;
        if let Place::Session(spoken) | Place::History(spoken) = &place {
            self.known_session(spoken)?;
        }
        let mut rows = self.rows(&place, depth, limit.saturating_add(1), reader)?;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        Ok(Rows { rows: rows.iter().map(|row| row.told(form)).collect(), has_more })
    }

    /// One row about a place itself.
    pub fn stat(&self, uri: &str, reader: &Reader) -> Result<Value, Fault> {
        let place = Place::parse(uri)?;
        let uri = uri.trim_end_matches('/');
        let (parent, name) = uri.rsplit_once('/').unwrap_or(("", uri));
        let row = match &place {
            Place::Root => Row { uri: uri::SCHEME.to_owned(), ..Row::dir("", uri::SCHEME) },
            Place::Memory(kind, name) => {
                let file = self.memory_file(*kind, name, reader)?.ok_or_else(|| Fault::no_such(uri))?;
                Row::of(&file)
            }
            Place::Profile | Place::OfArchive(..) | Place::Event(..) => {
                Row::file(parent, name, self.read_place(&place, uri, reader)?.len(), 0)
            }
            Place::Session(spoken) | Place::History(spoken) => {
                self.known_session(spoken)?;
                Row::dir(parent, name)
            }
            Place::Archive(spoken, number) => {
                self.archive_of(spoken, *number)?;
                Row::dir(parent, name)
            }
            _ => Row::dir(parent, name),
        };
        Ok(row.told(Form::Original))
    }

    /// The rows of a directory, at least `limit` of them if there are so many; with all depth each directory is followed
    /// by what lies in it.
    fn rows(&self, place: &Place, depth: Depth, limit: usize, reader: &Reader) -> Result<Vec<Row>, Fault> {
        let rows = self.rows_in(place, depth, limit, reader)?;
        if depth == Depth::One {
            return Ok(rows);
        }
        let mut all = Vec::with_capacity(rows.len());
        for mut row in rows {
            if all.len() >= limit {
                break;
            }
            let (inner, path) = (row.inner.take(), row.rel_path.clone());
            all.push(row);
            if let Some(inner) = inner {
                let inner = self.rows(&inner, depth, limit.saturating_sub(all.len()), reader)?;
                all.extend(inner.into_iter().map(|row| row.below(&path)));
            }
        }
        Ok(all)
    }

    /// The same, but what lies in directories with an `inner` place is left to others.
    fn rows_in(&self, place: &Place, depth: Depth, limit: usize, reader: &Reader) -> Result<Vec<Row>, Fault> {
        let root = uri::user_root();
        Ok(match place {
            Place::Root => vec![Row::dir("viking:/", "user").with(Place::Users)],
            Place::Users => vec![Row::dir("viking://user", USER).with(Place::User)],
            Place::User => vec![
                Row::dir(&root, "memories").with(Place::Memories),
                Row::dir(&root, "sessions").with(Place::Sessions),
            ],
            Place::Memories => self.memory_rows(depth, reader)?,
            Place::Kind(kind) => self.files(Some(*kind), reader)?.iter().take(limit).map(Row::of).collect(),
            Place::Sessions => self.session_rows(limit)?,
            Place::Session(spoken) => {
                vec![Row::dir(&uri::of_session(&spoken.given), "history").with(Place::History(spoken.clone()))]
            }
            Place::History(spoken) => self.archive_rows(spoken, depth, limit)?,
            Place::Archive(spoken, number) => archive_files(spoken, &self.archive_of(spoken, *number)?).collect(),
            Place::Nothing => Vec::new(),
            Place::Profile | Place::Memory(..) | Place::OfArchive(..) | Place::Event(..) => {
                return Err(Fault::invalid("uri", "this is a file, not a directory"));
            }
        })
    }

    fn memory_rows(&self, depth: Depth, reader: &Reader) -> Result<Vec<Row>, Fault> {
        let root = format!("{}/memories", uri::user_root());
        let files = self.files(None, reader)?;
        let profile = self.profile(reader)?;
        let mut rows: Vec<Row> =
            profile.iter().map(|text| Row::file(&root, "profile.md", text.len(), (self.clock)())).collect();
        for (kind, dir) in DIRS {
            let of_kind: Vec<&File> = files.iter().filter(|file| file.kind == kind).collect();
            if of_kind.is_empty() {
                continue;
            }
            rows.push(Row { about: format!("{} memories", of_kind.len()), ..Row::dir(&root, dir) });
            if depth == Depth::All {
                rows.extend(of_kind.into_iter().map(|file| Row::of(file).below(dir)));
            }
        }
        Ok(rows)
    }

    fn session_rows(&self, limit: usize) -> Result<Vec<Row>, Fault> {
        let found = self.shown().sessions(&Filter::default(), &VIEW, limit.min(ROWS_MAX + 1), 0)?;
        let row = |entry: memoir_journal::SessionEntry| {
            let shown = entry.shown();
            let about = titled(entry.title.map(|title| clean(&title, &self.redactor)).as_deref());
            // An id that is none for this API has nothing below it.
            let inner = Spoken::parse(&shown).ok().map(Place::Session);
            let (uri, mod_time) = (uri::of_session(&shown), format_ms(entry.last_ms));
            Row { uri, about, mod_time, inner, ..Row::dir("", &shown) }
        };
        Ok(found.into_iter().map(row).collect())
    }

    fn archive_rows(&self, spoken: &Spoken, depth: Depth, limit: usize) -> Result<Vec<Row>, Fault> {
        let parent = format!("{}/history", uri::of_session(&spoken.given));
        let mut rows = Vec::new();
        for (_, archive) in self.archives(spoken)? {
            if rows.len() >= limit {
                break;
            }
            let about = self.abstract_of(&archive)?;
            let mod_time = format_ms(archive.last_ms);
            let name = archive.name();
            rows.push(Row { about, mod_time, ..Row::dir(&parent, &name) });
            if depth == Depth::All {
                rows.extend(archive_files(spoken, &archive).map(|row| row.below(&name)));
            }
        }
        Ok(rows)
    }
}

fn archive_files(spoken: &Spoken, archive: &Archive) -> impl Iterator<Item = Row> {
    let (parent, last_ms) = (uri::of_archive(&spoken.given, archive.number), archive.last_ms);
    ArchiveFile::ALL.into_iter().map(move |(_, name)| Row::file(&parent, name, 0, last_ms))
}

fn titled(title: Option<&str>) -> String {
    title.map(|title| one_line(title, 120)).unwrap_or_default()
}
