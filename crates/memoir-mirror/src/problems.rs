//! What is wrong with lines and files that are read: counted, never a failure.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProblemKind {
    /// A line is no JSON object, or some of it is not.
    Unparsable,
    /// The last line has no end: torn, or still being written.
    Torn,
    /// Several events share a line; those that are whole are read.
    Glued,
    /// A line is longer than any event may be.
    TooLong,
    /// A line is not UTF-8; it is read with U+FFFD in place of the bad bytes.
    InvalidUtf8,
    /// An object without an event id.
    NoEventId,
    /// An event without a session.
    NoSessionId,
    /// A link, a pipe or a directory is called like a segment; it is not opened.
    NotAFile,
    /// The file was removed, or changed in its middle, while it was read.
    Changed,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProblemKind::Unparsable => "not a JSON object",
            ProblemKind::Torn => "torn at the end",
            ProblemKind::Glued => "several events in one line",
            ProblemKind::TooLong => "too long",
            ProblemKind::InvalidUtf8 => "not UTF-8",
            ProblemKind::NoEventId => "without an event id",
            ProblemKind::NoSessionId => "without a session",
            ProblemKind::NotAFile => "not a file",
            ProblemKind::Changed => "changed while being read",
        })
    }
}

/// A kind of problem in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as a path inside the mirror.
    pub file: PathBuf,
    /// What is wrong.
    pub kind: ProblemKind,
    /// How often.
    pub count: u64,
}

/// The problems of one file by kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Problems(BTreeMap<ProblemKind, u64>);

impl Problems {
    pub fn add(&mut self, kind: ProblemKind) {
        *self.0.entry(kind).or_default() += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = (ProblemKind, u64)> + '_ {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    /// The same, with the file they are in.
    pub fn in_file(&self, file: &Path) -> impl Iterator<Item = Problem> {
        self.iter().map(move |(kind, count)| Problem { file: file.to_owned(), kind, count })
    }
}
