//! What stands at an address, and what is written there.

use crate::fault::Fault;
use crate::memories::{File, Reader, one_line};
use crate::tree::{Depth, Form};
use crate::uri::{ArchiveFile, Place};
use crate::{Openviking, VIEW};
use memoir_event::{EventId, MemoryKind};
use memoir_journal::{Journal as _, Lookup};
use memoir_recall::clean;
use serde_json::{Value, json};

/// An abstract has so many characters.
const ABSTRACT_CHARS: usize = 256;
/// An overview has so many characters.
const OVERVIEW_CHARS: usize = 4_000;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// In the place of what stands there.
    Replace,
    /// Below what stands there.
    Append,
    /// Only if nothing stands there.
    Create,
}

/// What of a file is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lines {
    /// From this line on, counted from nought.
    pub from: usize,
    /// At most so many.
    pub most: Option<usize>,
}

impl Openviking {
    /// What a file says.
    pub fn read(&self, uri: &str, lines: Lines, reader: &Reader) -> Result<String, Fault> {
        let text = self.read_place(&Place::parse(uri)?, uri, reader)?;
        if lines == Lines::default() {
            return Ok(text);
        }
        let most = lines.most.unwrap_or(usize::MAX);
        Ok(text.split_inclusive('\n').skip(lines.from).take(most).collect())
    }

    pub(crate) fn read_place(&self, place: &Place, uri: &str, reader: &Reader) -> Result<String, Fault> {
        match place {
            Place::Profile => self.profile(reader)?.ok_or_else(|| Fault::no_such(uri)),
            Place::Memory(kind, name) => {
                let file = self.memory_file(*kind, name, reader)?.ok_or_else(|| Fault::no_such(uri))?;
                Ok(format!("{}\n", file.text.trim_end()))
            }
            Place::Event(spoken, id) => {
                let stored = self.shown().event(&Lookup::Id(*id), &VIEW)?;
                let stored = stored.filter(|stored| stored.event.session == spoken.session);
                let stored = stored.ok_or_else(|| Fault::no_such(uri))?;
                Ok(clean(&stored.event.content.plain(), &self.redactor))
            }
            Place::OfArchive(spoken, number, file) => {
                let archive = self.archive_of(spoken, *number)?;
                match file {
                    ArchiveFile::Abstract => self.abstract_of(&archive),
                    ArchiveFile::Overview => self.overview_of(&archive),
                    ArchiveFile::Messages => {
                        let range = (archive.after_seq, archive.last_seq);
                        let (messages, _) = self.messages(spoken, range, u64::MAX)?;
                        Ok(messages.iter().map(|message| format!("{message}\n")).collect())
                    }
                }
            }
            Place::Nothing => Err(Fault::no_such(uri)),
            _ => Err(Fault::invalid("uri", "this is a directory; list it, or read its overview")),
        }
    }

    /// A place in one paragraph.
    pub fn summary(&self, uri: &str, reader: &Reader) -> Result<String, Fault> {
        match Place::parse(uri)? {
            Place::Archive(spoken, number) => self.abstract_of(&self.archive_of(&spoken, number)?),
            Place::Session(spoken) | Place::History(spoken) => {
                self.known_session(&spoken)?;
                let last = self.archives(&spoken)?.pop();
                last.map_or_else(|| Ok(String::new()), |(_, archive)| self.abstract_of(&archive))
            }
            place if is_dir(&place) => Ok(one_line(&self.listed(uri, reader)?, ABSTRACT_CHARS)),
            place => Ok(one_line(&self.read_place(&place, uri, reader)?, ABSTRACT_CHARS)),
        }
    }

    /// A place in a page.
    pub fn overview(&self, uri: &str, reader: &Reader) -> Result<String, Fault> {
        let text = match Place::parse(uri)? {
            Place::Archive(spoken, number) => self.overview_of(&self.archive_of(&spoken, number)?)?,
            Place::Session(spoken) | Place::History(spoken) => {
                self.known_session(&spoken)?;
                let last = self.archives(&spoken)?.pop();
                last.map_or_else(|| Ok(String::new()), |(_, archive)| self.overview_of(&archive))?
            }
            place if is_dir(&place) => self.listed(uri, reader)?,
            place => self.read_place(&place, uri, reader)?,
        };
        Ok(text.chars().take(OVERVIEW_CHARS).collect())
    }

    /// A directory as a text.
    fn listed(&self, uri: &str, reader: &Reader) -> Result<String, Fault> {
        let depth = if Place::parse(uri)? == Place::Memories { Depth::All } else { Depth::One };
        let rows = self.ls(uri, Form::Agent, depth, 200, reader)?.rows;
        let line = |row: &Value| {
            let (name, about) = (row["rel_path"].as_str(), row["abstract"].as_str());
            format!("- {}: {}\n", name.unwrap_or_default(), about.unwrap_or_default())
        };
        Ok(rows.iter().map(line).collect())
    }

    /// Writes a file: of these only memories can be written, and what is written is remembered.
    pub fn write(
        &self,
        uri: &str,
        content: &str,
        writing: Writing,
        reader: &Reader,
        unique: &dyn Fn() -> String,
    ) -> Result<Value, Fault> {
        let (kind, name, known) = self.check_write(uri, writing, reader)?;
        let text = match (&known, writing) {
            (Some(known), Writing::Append) => format!("{}\n{content}", known.text.trim_end()),
            _ => content.to_owned(),
        };
        let file = self.remember(kind, &name, &text, reader, unique)?;
        Ok(json!({
            "uri": uri, "canonical_uri": file.uri(), "written_bytes": content.len(), "mode": writing.as_str(),
            "semantic_status": "complete", "vector_status": "complete", "queue_status": null,
        }))
    }

    /// Which memory is written at an address, and what stands there, if it can be written in that way.
    pub(crate) fn check_write(
        &self,
        uri: &str,
        writing: Writing,
        reader: &Reader,
    ) -> Result<(MemoryKind, String, Option<File>), Fault> {
        let Place::Memory(kind, name) = Place::parse(uri)? else {
            let message = "only memories can be written: viking://~/memories/KIND/NAME.md; pin one for the user \
                           and it is in the profile";
            return Err(Fault::Denied(message.to_owned()));
        };
        if !name.ends_with(".md") {
            return Err(Fault::invalid("uri", "a memory is a file whose name ends in .md"));
        }
        let known = self.memory_file(kind, &name, reader)?;
        match writing {
            Writing::Create if known.is_some() => Err(Fault::Exists(format!("there is a file at {uri}"))),
            _ => Ok((kind, name, known)),
        }
    }

    /// The address of what a block of recall is about.
    pub(crate) fn uri_of_event(client: Option<memoir_event::Client>, session: &str, id: EventId) -> String {
        let shown = memoir_event::Client::shown_session(client, session);
        format!("{}/events/{id}", crate::uri::of_session(&shown))
    }
}

impl Writing {
    /// The mode of that name.
    pub fn parse(name: &str) -> Result<Writing, Fault> {
        match name {
            "replace" => Ok(Writing::Replace),
            "append" => Ok(Writing::Append),
            "create" => Ok(Writing::Create),
            _ => Err(Fault::invalid("mode", "the mode is replace, append or create")),
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Writing::Replace => "replace",
            Writing::Append => "append",
            Writing::Create => "create",
        }
    }
}

const fn is_dir(place: &Place) -> bool {
    !matches!(place, Place::Profile | Place::Memory(..) | Place::Event(..) | Place::OfArchive(..))
}
