//! What an import did: counted by client, problems by file.

use super::files::Unreadable;
use crate::policy::Reason;
use memoir_capture::{Counts, Tally};
use memoir_event::Client;
use memoir_journal::Outcome;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

/// At most so many files with problems are listed; all are counted.
const LISTED_MAX: usize = 1000;

/// What reading one file came to.
#[derive(Debug, Default)]
pub(super) struct FileReport {
    pub bytes: u64,
    pub lines: u64,
    pub events: u64,
    pub redactions: u64,
    pub unchanged: bool,
    pub rewritten: bool,
    pub unfinished: bool,
    /// Bytes that are left for another time.
    pub left_bytes: u64,
    pub failed: Option<String>,
    /// Nothing was taken of it: it is a sub-agent's, and to be read after the others.
    pub is_left: bool,
    pub tally: Tally,
    pub excluded: BTreeMap<Reason, u64>,
}

impl FileReport {
    pub fn fail(&mut self, said: &str, error: &io::Error) {
        self.failed = Some(if said.is_empty() { error.to_string() } else { said.to_owned() });
    }
}

/// A file that something was wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// The file.
    pub path: PathBuf,
    /// What, and how often.
    pub problems: Counts,
}

/// What was done for one client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientSummary {
    /// Files there.
    pub files: u64,
    /// Files that had something new.
    pub read: u64,
    /// Files that were not what they had been, and were read again.
    pub rewritten: u64,
    /// Files whose last line is not finished.
    pub unfinished: u64,
    /// Files that could not be read.
    pub failed: u64,
    /// Bytes there.
    pub bytes: u64,
    /// Lines read.
    pub lines: u64,
    /// Events found.
    pub events: u64,
}

/// What an import did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// By client.
    pub clients: BTreeMap<Client, ClientSummary>,
    /// Events that are new in the journal.
    pub stored: u64,
    /// Events that are known, and fuller now.
    pub revised: u64,
    /// Events that are known.
    pub duplicate: u64,
    /// Events that were forgotten, and stay so.
    pub suppressed: u64,
    /// Secrets taken out.
    pub redactions: u64,
    /// Texts that are nobody's words, records that hold nothing, unknown kinds, problems.
    pub tally: Tally,
    /// What the user does not want recorded, by reason.
    pub excluded: BTreeMap<Reason, u64>,
    /// Files that something was wrong with, as many as are worth listing.
    pub problems: Vec<FileProblem>,
    /// How many files something was wrong with.
    pub files_with_problems: u64,
    /// Projects that got their address.
    pub renamed: u64,
    /// Whether it was interrupted; the next import goes on.
    pub stopped: bool,
}

impl ImportSummary {
    pub(super) fn add(&mut self, client: Client, path: PathBuf, report: FileReport) {
        let one = self.clients.entry(client).or_default();
        one.files += 1;
        one.bytes += report.bytes;
        one.lines += report.lines;
        one.events += report.events;
        one.read += u64::from(!report.unchanged && report.failed.is_none());
        one.rewritten += u64::from(report.rewritten);
        one.unfinished += u64::from(report.unfinished);
        one.failed += u64::from(report.failed.is_some());
        self.redactions += report.redactions;
        let mut tally = report.tally;
        if let Some(reason) = report.failed {
            Tally::add(&mut tally.problems, &reason);
        }
        self.list(path, &tally.problems);
        self.tally.merge(tally);
        for (reason, count) in report.excluded {
            *self.excluded.entry(reason).or_default() += count;
        }
    }

    /// Counts what could not even be looked into.
    pub(super) fn add_unreadable(&mut self, unreadable: Unreadable) {
        let failed = FileReport { failed: Some(unreadable.reason), ..FileReport::default() };
        match unreadable.client {
            Some(client) => self.add(client, unreadable.path, failed),
            None => {
                let mut problems = Counts::default();
                failed.failed.iter().for_each(|reason| Tally::add(&mut problems, reason));
                self.list(unreadable.path, &problems);
                self.tally.merge(Tally { problems, ..Tally::default() });
            }
        }
    }

    fn list(&mut self, path: PathBuf, problems: &Counts) {
        if problems.is_empty() {
            return;
        }
        self.files_with_problems += 1;
        if self.problems.len() < LISTED_MAX {
            self.problems.push(FileProblem { path, problems: problems.clone() });
        }
    }

    pub(super) fn count(&mut self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Stored { .. } => &mut self.stored,
            Outcome::Revised { .. } => &mut self.revised,
            Outcome::SeenAgain { .. } => &mut self.duplicate,
            Outcome::Suppressed => &mut self.suppressed,
        };
        *counter += 1;
    }
}
