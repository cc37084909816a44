//! Events that come by their ids, from a mirror or another journal. What a client's own files tell has the same id in
//! every journal: once something has come that way, whatever else is captured is looked up by its id as well.

use super::intern::{add_to_fact, fact};
use super::read::Reader;
use super::{alike, idrun};
use crate::{JournalError, Seq};
use memoir_event::{Event, EventId, Identity};
use rusqlite::Connection;
use std::collections::HashMap;

/// Says that something in the journal came by its id.
const MIRRORED: &str = "mirrored";

/// Ids during one append.
pub struct Ids {
    is_mirrored: bool,
    /// The newest ids by how they begin, read when first needed.
    recent: Option<HashMap<u64, Vec<Seq>>>,
}

impl Ids {
    pub fn new(connection: &Connection) -> Result<Ids, JournalError> {
        Ok(Ids { is_mirrored: fact(connection, MIRRORED)? > 0, recent: None })
    }

    /// The event that has the id which the capture brings, or will have.
    pub fn find_event(&mut self, connection: &Connection, captured: &Event) -> Result<Option<Seq>, JournalError> {
        let brought = captured.identities.iter().find_map(|identity| match identity {
            Identity::Id(id) => Some(*id),
            _ => None,
        });
        // Without a time the number alone does not name it.
        let derived = || captured.derived_id().filter(|_| self.is_mirrored && captured.time.is_some());
        let Some(id) = brought.or_else(derived) else { return Ok(None) };
        for of in self.find(connection, id)? {
            // Two journals may count the same number for things that nobody timed: those must say the same, too.
            if captured.time.is_some() || alike::continues(connection, of, captured)? {
                return Ok(Some(of));
            }
        }
        Ok(None)
    }

    fn find(&mut self, connection: &Connection, id: EventId) -> Result<Vec<Seq>, JournalError> {
        let recent = match &mut self.recent {
            Some(recent) => recent,
            None => self.recent.insert(idrun::recent(connection)?),
        };
        let mut places = recent.get(&id.prefix()).cloned().unwrap_or_default();
        places.extend(idrun::find_older(connection, id.prefix())?);
        Reader::new(connection).events_of(id, &places)
    }

    /// A record was written.
    pub fn note(&mut self, id: EventId, seq: Seq) {
        if let Some(recent) = &mut self.recent {
            recent.entry(id.prefix()).or_default().push(seq);
        }
    }

    /// From now on ids count, if the event came by one.
    pub fn remember_mirror(&mut self, connection: &Connection, event: &Event) -> Result<(), JournalError> {
        if alike::comes_by_id(event) && !self.is_mirrored {
            add_to_fact(connection, MIRRORED, 1)?;
            self.is_mirrored = true;
        }
        Ok(())
    }
}
