//! What changes files beside writing one: deleting, several at once, and directories that nobody has to make.

use crate::Openviking;
use crate::content::Writing;
use crate::fault::Fault;
use crate::memories::Reader;
use crate::uri::{Place, SCHEME};
use memoir_event::EventId;
use memoir_journal::{Depth, Journal as _, Lookup};
use memoir_recall::{Forgetter, Unwanted, take_out_of_copies};
use serde_json::{Value, json};

/// At most so many files are written at once.
const WRITES_MAX: usize = 100;

/// Whether what lies in a directory goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only a file.
    File,
    /// A directory and what lies in it, too.
    Below,
}

/// One of several files to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Where, from the root on or as a whole.
    pub uri: String,
    /// What.
    pub content: String,
    /// How.
    pub writing: Writing,
}

impl Openviking {
    /// Forgets what lies at an address: a memory, an event or a session; with [`Reach::Below`] all memories of a kind.
    pub fn remove(&self, uri: &str, reach: Reach, reader: &Reader, name: String) -> Result<Value, Fault> {
        let ids: Vec<EventId> = match Place::parse(uri)? {
            Place::Session(spoken) if reach == Reach::Below => {
                let events = self.entry(&spoken)?.map_or(0, |entry| entry.events);
                self.delete(&spoken, name)?;
                return Ok(removed(uri, events));
            }
            Place::Memory(kind, file) => {
                let file = self.memory_file(kind, &file, reader)?.ok_or_else(|| Fault::no_such(uri))?;
                vec![file.id]
            }
            Place::Event(spoken, id) => {
                let stored = self.shown().event(&Lookup::Id(id), &crate::VIEW)?;
                let stored = stored.filter(|stored| stored.event.session == spoken.session);
                vec![stored.ok_or_else(|| Fault::no_such(uri))?.id]
            }
            Place::Kind(kind) if reach == Reach::Below => {
                self.files(Some(kind), reader)?.into_iter().map(|file| file.id).collect()
            }
            Place::Session(_) | Place::Kind(_) => {
                return Err(Fault::invalid("recursive", "this is a directory: pass recursive=true"));
            }
            Place::Nothing => return Err(Fault::no_such(uri)),
            _ => {
                let message = "memories, events and sessions can be deleted, and all memories of a kind";
                return Err(Fault::Denied(message.to_owned()));
            }
        };
        let count = u64::try_from(ids.len()).unwrap_or(u64::MAX);
        if count > 0 {
            let unwanted = Unwanted { ids: ids.iter().map(EventId::to_string).collect(), ..Unwanted::default() };
            self.forget(&unwanted, name)?;
        }
        Ok(removed(uri, count))
    }

    /// Has something forgotten, here and in what memoir keeps elsewhere.
    pub(crate) fn forget(&self, unwanted: &Unwanted, name: String) -> Result<(), Fault> {
        let now_ms = (self.clock)();
        let forgetter = Forgetter { journal: &*self.journal, index: &self.index, redactor: &self.redactor, now_ms };
        let choice = forgetter.choose(unwanted, &mut |_, _| true)?;
        let seqs = choice.events.clone();
        forgetter.forget(choice.into_wish(Depth::Forget, name, None, Some("openviking".to_owned())))?;
        let _ = take_out_of_copies(&*self.journal, &self.redactor, &seqs, &self.clock);
        Ok(())
    }

    /// Directories are where something lies: whoever makes one where memories can lie finds it there.
    pub fn mkdir(&self, uri: &str) -> Result<Value, Fault> {
        match Place::parse(uri)? {
            Place::Root | Place::Users | Place::User | Place::Memories | Place::Kind(_) | Place::Sessions => {}
            Place::Memory(_, name) if !name.ends_with(".md") => {}
            Place::Session(spoken) | Place::History(spoken) => self.known_session(&spoken).map(drop)?,
            _ => {
                let message = "there are directories for memories only: viking://~/memories/KIND/…";
                return Err(Fault::Denied(message.to_owned()));
            }
        }
        Ok(json!({"uri": uri}))
    }

    /// Writes several files below a directory. What is wrong with one of them is said before any is written.
    pub fn write_batch(
        &self,
        root: &str,
        writes: &[Write],
        reader: &Reader,
        unique: &dyn Fn() -> String,
    ) -> Result<Value, Fault> {
        let is_root = |place: &Place| matches!(place, Place::User | Place::Memories | Place::Kind(_));
        if !is_root(&Place::parse(root)?) {
            return Err(Fault::Denied("only memories can be written, below viking://~/memories".to_owned()));
        }
        if writes.len() > WRITES_MAX {
            return Err(Fault::invalid("operations", format!("at most {WRITES_MAX} files can be written at once")));
        }
        let root = root.trim_end_matches('/');
        let whole = |uri: &str| match uri.starts_with(SCHEME) {
            true => uri.to_owned(),
            false => format!("{root}/{}", uri.trim_start_matches('/')),
        };
        let uris: Vec<String> = writes.iter().map(|write| whole(&write.uri)).collect();
        for (uri, write) in uris.iter().zip(writes) {
            if !is_below(root, uri)? {
                return Err(Fault::invalid("operations", "each file has to lie below root_uri"));
            }
            self.check_write(uri, write.writing, reader)?;
        }
        let written: Vec<Value> = uris
            .iter()
            .zip(writes)
            .map(|(uri, write)| self.write(uri, &write.content, write.writing, reader, unique))
            .collect::<Result<_, _>>()?;
        Ok(json!({
            "root_uri": root, "written_count": written.len(), "operations": written,
            "semantic_status": "complete", "vector_status": "complete", "queue_status": null,
        }))
    }
}

fn removed(uri: &str, count: u64) -> Value {
    json!({"uri": uri, "estimated_deleted_count": count, "task_id": null})
}

/// Whether a memory lies below a directory, however the two are spelt.
fn is_below(root: &str, uri: &str) -> Result<bool, Fault> {
    Ok(match (Place::parse(root)?, Place::parse(uri)?) {
        (Place::Kind(root), Place::Memory(kind, _)) => root == kind,
        (Place::User | Place::Memories, _) => true,
        _ => false,
    })
}
