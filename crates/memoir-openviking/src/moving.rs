//! Moving memories: the same memory told at another address, in the place of the one at the first.

use crate::fault::Fault;
use crate::memories::{File, Reader, title_of};
use crate::uri::{Place, dir_of};
use crate::{Openviking, VIEW};
use memoir_dream::supersede;
use memoir_event::{EventId, Memory, MemoryKind};
use memoir_journal::{Admission, Lookup, Outcome};
use serde_json::{Value, json};
use std::sync::PoisonError;

/// At most so many files are moved at once.
const MOVES_MAX: usize = 100;

/// One memory on its way.
struct Move {
    id: EventId,
    kind: MemoryKind,
    name: String,
    /// What it is called from now on, if its file is called otherwise.
    title: Option<String>,
}

impl Openviking {
    /// Moves a memory, or those in a directory. What cannot be moved is said before anything is.
    pub fn mv(&self, from: &str, to: &str, reader: &Reader, unique: &dyn Fn() -> String) -> Result<Value, Fault> {
        let (place, target) = (Place::parse(from)?, Place::parse(to)?);
        let _one_at_a_time = self.moving.lock().unwrap_or_else(PoisonError::into_inner);
        let files = self.movable(&place, from, reader)?;
        if place != target {
            let is_file = matches!(&place, Place::Memory(_, name) if is_file(name));
            let moves = files.iter().map(|(file, below)| to_make(file, below, &target, is_file));
            let moves = moves.collect::<Result<Vec<Move>, Fault>>()?;
            for one in &moves {
                if self.memory_file(one.kind, &one.name, reader)?.is_some() {
                    return Err(Fault::Exists(format!("there is a file {}/{} already", dir_of(one.kind), one.name)));
                }
            }
            for one in &moves {
                self.make(one, unique)?;
            }
        }
        Ok(json!({"from": from, "to": to}))
    }

    /// The memories at an address, each with its path below it.
    fn movable(&self, place: &Place, uri: &str, reader: &Reader) -> Result<Vec<(File, String)>, Fault> {
        let files: Vec<(File, String)> = match place {
            Place::Memory(kind, name) if is_file(name) => {
                let leaf = name.rsplit('/').next().unwrap_or(name).to_owned();
                let file = self.memory_file(*kind, name, reader)?.ok_or_else(|| Fault::no_such(uri))?;
                vec![(file, leaf)]
            }
            Place::Memory(kind, dir) => {
                let prefix = format!("{dir}/");
                let below = |file: File| Some((file.path().strip_prefix(&prefix)?.to_owned(), file));
                let files = self.files(Some(*kind), reader)?;
                files.into_iter().filter_map(below).map(|(path, file)| (file, path)).collect()
            }
            Place::Kind(kind) => {
                let with_path = |file: File| (file.path(), file);
                let files = self.files(Some(*kind), reader)?.into_iter().map(with_path);
                files.map(|(path, file)| (file, path)).collect()
            }
            Place::Nothing => return Err(Fault::no_such(uri)),
            Place::Profile => {
                self.read_place(place, uri, reader)?;
                let message = "the profile is made of what is pinned for the user: unpin that, or move it itself";
                return Err(Fault::Denied(message.to_owned()));
            }
            Place::Session(spoken) | Place::History(spoken) => {
                self.known_session(spoken)?;
                return Err(recorded());
            }
            Place::Archive(spoken, number) => {
                self.archive_of(spoken, *number)?;
                return Err(recorded());
            }
            Place::Event(..) | Place::OfArchive(..) => {
                self.read_place(place, uri, reader)?;
                return Err(recorded());
            }
            Place::Root | Place::Users | Place::User | Place::Memories | Place::Sessions => {
                return Err(Fault::Denied("this directory is where memoir keeps things: it stays".to_owned()));
            }
        };
        match files.len() {
            0 => Err(Fault::no_such(uri)),
            count if count > MOVES_MAX => {
                let message = format!("at most {MOVES_MAX} files can be moved at once, here are {count}");
                Err(Fault::invalid("from_uri", message))
            }
            _ => Ok(files),
        }
    }

    /// Tells a memory at its new address with all that is known of it, and that this took the place of the old one.
    fn make(&self, one: &Move, unique: &dyn Fn() -> String) -> Result<(), Fault> {
        let gone = || Fault::Busy("it was changed meanwhile: try again".to_owned());
        let stored = self.journal.event(&Lookup::Id(one.id), &VIEW)?.ok_or_else(gone)?;
        let memory = Memory::of_event(&stored.event).ok_or_else(gone)?;
        let moved = Memory {
            uid: self.uid_for(one.kind, &one.name, unique)?,
            kind: one.kind,
            name: one.title.clone().unwrap_or_else(|| memory.name.clone()),
            ..memory
        };
        let mut event = moved.into_event(&stored.event.repo);
        (event.time, event.actor) = (stored.event.time, stored.event.actor.clone());
        (event.secrecy, event.visibility) = (stored.event.secrecy, stored.event.visibility);
        event.speaker = stored.event.speaker;
        let admit = |event| Admission::new(&self.redactor, self.journal.hasher().clone()).admit(event);
        let id = self.journal.append(&[admit(event)], &[])?.pop().as_ref().and_then(Outcome::id).ok_or_else(gone)?;
        let actor = stored.event.actor.as_deref();
        self.journal.append(&[admit(supersede(&[one.id], id, actor))], &[])?;
        Ok(())
    }
}

fn is_file(name: &str) -> bool {
    name.ends_with(".md")
}

/// Where a file goes: to a file's address as that, into a directory under its path below the one that is moved.
fn to_make(file: &File, below: &str, target: &Place, is_file_itself: bool) -> Result<Move, Fault> {
    let (kind, name) = match target {
        Place::Memory(kind, name) if !is_file(name) => (*kind, format!("{name}/{below}")),
        Place::Memory(kind, name) if is_file_itself => (*kind, name.clone()),
        Place::Memory(..) => return Err(Fault::invalid("to_uri", "a directory cannot become a file")),
        Place::Kind(kind) => (*kind, below.to_owned()),
        _ => {
            let message = "memories stay memories: move them to viking://~/memories/KIND/NAME.md or a directory there";
            return Err(Fault::Denied(message.to_owned()));
        }
    };
    let (was, is) = (title_of(below), title_of(&name));
    Ok(Move { id: file.id, kind, name, title: (was != is).then_some(is) })
}

fn recorded() -> Fault {
    let message =
        "what was recorded stays where it is: sessions, their events and archives go by the ids of their clients";
    Fault::Denied(message.to_owned())
}
