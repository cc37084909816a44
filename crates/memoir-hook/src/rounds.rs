//! Before a compaction, what the session file still has: read and stored in rounds, each of which is whole by itself.

use crate::call::{Hook, Recorded, session_file};
use memoir_capture::HookCall;
use memoir_record::{Found, Kept, Names, ReadState, SourceFile, is_unread_fork, keep};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// So much of the file is read in each round.
const ROUND_BYTES: u64 = 1 << 20;
/// And for so long: a compaction takes many seconds itself.
const TIME: Duration = Duration::from_millis(1_000);
/// Where more than this is left, all of it could not be read in that time, and what is not whole is not sealed.
const LEFT_BYTES_MAX: u64 = 64 << 20;

impl Hook<'_> {
    /// Reads the session file to its end if there is time for that. What is left is for whoever comes next.
    pub(crate) fn catch_up_in_rounds(&self, call: &HookCall, names: &Names, recorded: &mut Recorded) {
        let Some((journal, file)) = self.journal.zip(session_file(call)) else { return };
        let (never, begun) = (AtomicBool::new(false), Instant::now());
        let importer = self.importer(journal, &never);
        let found = Found { files: vec![file.clone()], unreadable: Vec::new() };
        let left =
            importer.coverage(&found).ok().and_then(|found| found.first().map(|known| left_of(&file, known.state)));
        let is_little = left.is_some_and(|left| (1..=LEFT_BYTES_MAX).contains(&left));
        if !is_little || is_unread_fork(&importer, &call.session, &file).unwrap_or(true) {
            return;
        }
        while begun.elapsed() < TIME {
            let Ok(read) = importer.catch_up(&file, &call.session, ROUND_BYTES) else { return };
            let (is_whole, mut batch, mut cursors) = (read.is_whole, Vec::new(), Vec::new());
            for portion in read.portions {
                batch.extend(portion.batch);
                cursors.extend(portion.cursors);
            }
            if cursors.is_empty() {
                return;
            }
            match keep(self.journal, self.spool, names, &batch, &cursors) {
                Kept::Stored if !is_whole => {}
                Kept::Stored => return,
                Kept::Spooled(problem) | Kept::Lost(problem) => {
                    // What was read of the session file is read again from there.
                    recorded.problems.push(problem);
                    return;
                }
            }
        }
    }
}

/// How many bytes of a file are not read yet.
fn left_of(file: &SourceFile, state: ReadState) -> u64 {
    match state {
        ReadState::Whole => 0,
        ReadState::Behind(bytes) => bytes,
        ReadState::Unread => std::fs::metadata(&file.path).map_or(0, |metadata| metadata.len()),
    }
}
