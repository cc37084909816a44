//! What is on disk against what is in the journal.

use super::database;
use super::files::SourceFile;
use super::format::Format;
use super::position::{Fate, Position, Stamp};
use std::fs;

/// How far a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadState {
    /// Never.
    Unread,
    /// Not to its end: so many bytes are left.
    Behind(u64),
    /// To its end.
    Whole,
}

/// One file, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage {
    /// The file.
    pub file: SourceFile,
    /// How far it was read.
    pub state: ReadState,
    /// How many events it gave.
    pub events: u64,
    /// How many problems it had.
    pub problems: u64,
}

impl Coverage {
    /// What became of a file; `is_moved` says whether it is elsewhere than its position says.
    pub(super) fn of(file: &SourceFile, known: Option<&Position>, is_moved: &dyn Fn(&Position) -> bool) -> Coverage {
        let (events, problems) = known.map_or((0, 0), |known| (known.events, known.problems));
        let stamp = match file.format {
            Format::OpencodeDatabase => database::stamp(&file.path).ok(),
            _ => fs::metadata(&file.path).ok().map(|metadata| Stamp::of(&metadata)),
        };
        let state = match (known, stamp) {
            (None, Some(stamp)) if stamp.bytes == 0 => ReadState::Whole,
            (None, _) => ReadState::Unread,
            (Some(known), Some(stamp)) if known.fate(stamp, &|| is_moved(known)) != Fate::Same => {
                ReadState::Behind(stamp.bytes.saturating_sub(known.offset).max(1))
            }
            (Some(_), _) => ReadState::Whole,
        };
        Coverage { file: file.clone(), state, events, problems }
    }
}
