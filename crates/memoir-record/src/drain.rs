//! Stores what waits in the spool for the journal here: the next memoir process finishes what an earlier one could not.

use crate::accept::whole_sentence;
use crate::deliver::clean_reason;
use crate::notice::Notice;
use crate::spool::{Claimed, Lane, Recovered, Spool, SpoolError};
use crate::wire::{Capture, RawRecord, WireError};
use memoir_event::{Event, Keys, Source};
use memoir_journal::{Admission, Journal, JournalError, Redacted};
use memoir_redact::Redactor;
use std::time::{Duration, Instant};

/// Why the spool could not be emptied into the journal.
#[derive(Debug, thiserror::Error)]
pub enum DrainError {
    /// The spool cannot be read.
    #[error(transparent)]
    Spool(#[from] SpoolError),
    /// The journal still cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Drained {
    /// Records that are in the journal now.
    pub stored: u64,
    /// Records that no journal can take.
    pub set_aside: u64,
}

/// Stores what waits for the journal, file by file, for at most `budget`. Costs one look if nothing waits.
pub fn drain_into_journal(
    spool: &Spool,
    journal: &dyn Journal,
    redactor: &Redactor,
    repo_of: &dyn Fn(Option<&str>) -> String,
    budget: Duration,
    tell: &mut dyn FnMut(Notice),
) -> Result<Drained, DrainError> {
    let mut drained = Drained::default();
    let begun = Instant::now();
    let recovered = spool.recover()?;
    if recovered != Recovered::default() {
        tell(Notice::Recovered(recovered));
    }
    let admission = Admission::new(redactor, journal.hasher().clone());
    for path in spool.waiting(Lane::Journal)? {
        if begun.elapsed() >= budget {
            break;
        }
        let mut claim = match spool.claim(&path)? {
            Claimed::Ours(claim) => claim,
            Claimed::Others => continue,
            Claimed::SetAside(path) => {
                tell(Notice::Quarantined { path });
                continue;
            }
        };
        if let Some(path) = claim.bad_lines() {
            tell(Notice::Quarantined { path: path.to_owned() });
        }
        let (mut batch, mut bad): (Vec<Redacted>, Vec<(RawRecord, WireError)>) = (Vec::new(), Vec::new());
        for record in claim.take_records() {
            match event(&record, spool, repo_of) {
                Ok((event, keys)) => batch.push(admission.admit_again(event, keys)),
                Err(error) => bad.push((record, error)),
            }
        }
        journal.append(&batch, &[])?;
        drained.stored += u64::try_from(batch.len()).unwrap_or(0);
        for (record, error) in bad {
            let reason = clean_reason(&whole_sentence(&error), redactor);
            let path = spool.set_aside(&record, None, &reason)?;
            drained.set_aside += 1;
            tell(Notice::SetAside { path, reason });
        }
        claim.done(spool)?;
    }
    Ok(drained)
}

fn event(
    record: &RawRecord,
    spool: &Spool,
    repo_of: &dyn Fn(Option<&str>) -> String,
) -> Result<(Event, Keys), WireError> {
    let names = spool.names();
    let capture = Capture { source: Source::Recorder, at_ms: names.now_ms(), nonce: names.nonce() };
    let (mut event, keys) = record.clone().into_kept_event(capture)?;
    if event.repo.is_empty() {
        event.repo = repo_of(record.cwd().as_deref());
    }
    Ok((event, keys))
}
