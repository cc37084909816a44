//! Streams: the numbers that the journal itself gives to events, and the cursors of those who count themselves.

use super::idrun::{as_i64, as_u64};
use crate::{Cursor, JournalError};
use memoir_event::Event;
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

/// The streams that one batch counts on.
#[derive(Default)]
pub struct Streams {
    /// Each stream and its last number.
    counted: Vec<(String, u64)>,
    by_name: HashMap<String, usize>,
    /// Where an origin's stream is among them; several origins may feed one stream.
    by_origin: HashMap<u32, usize>,
}

impl Streams {
    /// The next number of the event's stream.
    pub fn next(&mut self, connection: &Connection, origin: u32, event: &Event) -> Result<u64, JournalError> {
        let at = match self.by_origin.get(&origin) {
            Some(at) => *at,
            None => self.open(connection, origin, event)?,
        };
        let (_, last) = self.counted.get_mut(at).ok_or_else(|| JournalError::Io("a stream is lost".to_owned()))?;
        *last += 1;
        Ok(*last)
    }

    /// The number that the event would get.
    pub fn expected(&mut self, connection: &Connection, event: &Event) -> Result<u64, JournalError> {
        let at = self.named(connection, event)?;
        Ok(self.counted.get(at).map_or(0, |(_, last)| *last) + 1)
    }

    /// Has the number that the event would get stand for what was not stored.
    pub fn skip(&mut self, connection: &Connection, event: &Event) -> Result<(), JournalError> {
        let at = self.named(connection, event)?;
        if let Some((_, last)) = self.counted.get_mut(at) {
            *last += 1;
        }
        Ok(())
    }

    fn open(&mut self, connection: &Connection, origin: u32, event: &Event) -> Result<usize, JournalError> {
        let at = self.named(connection, event)?;
        self.by_origin.insert(origin, at);
        Ok(at)
    }

    fn named(&mut self, connection: &Connection, event: &Event) -> Result<usize, JournalError> {
        let name = format!("{}|{}", event.source, event.thread.as_deref().unwrap_or("no-thread"));
        let at = match self.by_name.get(&name) {
            Some(at) => *at,
            None => {
                let last = connection
                    .prepare_cached("SELECT sequence FROM cursor WHERE stream = ?1")?
                    .query_row([&name], |row| row.get(0))
                    .optional()?
                    .map_or(0, as_u64);
                self.counted.push((name.clone(), last));
                self.by_name.insert(name, self.counted.len() - 1);
                self.counted.len() - 1
            }
        };
        Ok(at)
    }

    /// Writes how far each stream has come, and the cursors that came with the batch.
    pub fn write(&self, connection: &Connection, cursors: &[Cursor]) -> Result<(), JournalError> {
        let counted = self.counted.iter().map(|(stream, sequence)| (stream.as_str(), *sequence, ""));
        let mut add_to = connection.prepare_cached(
            "INSERT INTO cursor(stream, sequence, position) VALUES(?1, ?2, ?3)
             ON CONFLICT(stream) DO UPDATE SET sequence = sequence + excluded.sequence, position = excluded.position",
        )?;
        for (stream, cursor) in cursors.iter().filter_map(|cursor| Some((cursor.adds_to()?, cursor))) {
            add_to.execute((stream, as_i64(cursor.sequence), &cursor.position))?;
        }
        let moved = cursors.iter().filter(|cursor| !cursor.is_gone() && cursor.adds_to().is_none());
        let moved = moved.map(|cursor| (cursor.stream.as_str(), cursor.sequence, cursor.position.as_str()));
        let mut move_to = connection.prepare_cached(
            "INSERT INTO cursor(stream, sequence, position) VALUES(?1, ?2, ?3)
             ON CONFLICT(stream) DO UPDATE SET sequence = excluded.sequence, position = excluded.position",
        )?;
        for (stream, sequence, position) in counted.chain(moved) {
            move_to.execute((stream, as_i64(sequence), position))?;
        }
        for cursor in cursors.iter().filter(|cursor| cursor.is_gone()) {
            connection.prepare_cached("DELETE FROM cursor WHERE stream = ?1")?.execute([&cursor.stream])?;
        }
        Ok(())
    }
}
