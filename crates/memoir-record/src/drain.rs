//! Stores what waits in the spool for the journal here: the next memoir process finishes what an earlier one could not.

use crate::accept::whole_sentence;
use crate::deliver::clean_reason;
use crate::fork;
use crate::judge::Judge;
use crate::notice::Notice;
use crate::policy::Policy;
use crate::private::{self, PrivateRequests};
use crate::runs::{self, Run, salt_of};
use crate::spool::{Claimed, Lane, Note, Notes, Recovered, Spool, SpoolError};
use crate::wire::{Capture, RawRecord, WireError};
use memoir_capture::{Captured, Salt};
use memoir_event::{Client, Event, Keys, Source};
use memoir_journal::{Admission, Cursor, Journal, JournalError, Redacted};
use memoir_redact::Redactor;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the names of cursors begin with that count hook calls. A note of an earlier version has the number itself.
const HOOK: &str = "hook|";

/// How the rows of sessions that wait to be committed begin: that one is over, nobody says again.
const LIVE: &str = "session|live|";

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
    /// Records that the user does not want to be recorded, as turned out.
    pub left_out: u64,
}

/// What is needed to store what waits.
#[derive(Clone, Copy)]
pub struct Drain<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// What is not to be recorded: when it was spooled, nobody could ask whether the session was at a private request.
    pub policy: &'a Policy,
    /// The project of a directory.
    pub repo_of: &'a dyn Fn(Option<&str>) -> String,
    /// For how long.
    pub budget: Duration,
    /// At most so many records, or a file more.
    pub records_max: u64,
}

/// Stores what waits for the journal, file by file. Costs one look if nothing waits.
pub fn drain_into_journal(spool: &Spool, with: Drain<'_>, tell: &mut dyn FnMut(Notice)) -> Result<Drained, DrainError> {
    let mut drained = Drained::default();
    let begun = Instant::now();
    let recovered = spool.recover()?;
    if recovered != Recovered::default() {
        tell(Notice::Recovered(recovered));
    }
    let Drain { journal, redactor, .. } = with;
    let notes = spool.take_notes();
    let mut judge = Judging::new(with, &notes)?;
    if !notes.is_empty() {
        journal.append(&[], &judge.told(&notes)?)?;
    }
    notes.done();
    let admission = Admission::new(redactor, journal.hasher().clone());
    for path in spool.waiting(Lane::Journal)? {
        if begun.elapsed() >= with.budget || drained.stored + drained.left_out >= with.records_max {
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
            match event(&record, spool, with.repo_of) {
                Ok((event, _)) if judge.forbids(&event) => drained.left_out += 1,
                Ok((event, keys)) => batch.push(admission.admit_again(event, keys)),
                Err(error) => bad.push((record, error)),
            }
        }
        journal.append(&batch, &judge.judge.take_changed())?;
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

/// Whether a cursor has to be kept that the journal cannot take: others are worked out again.
pub(crate) fn is_kept(cursor: &Cursor) -> bool {
    let stream = cursor.adds_to().unwrap_or(&cursor.stream);
    [private::PREFIX, runs::PREFIX, fork::PREFIX, HOOK, LIVE].iter().any(|prefix| stream.starts_with(prefix))
}

/// Judges again what was spooled: only now it is known what happened before it.
struct Judging<'a> {
    with: Drain<'a>,
    salt: Salt,
    known: PrivateRequests,
    judge: Judge,
}

impl<'a> Judging<'a> {
    fn new(with: Drain<'a>, notes: &Notes) -> Result<Judging<'a>, JournalError> {
        let salt = salt_of(with.journal.hasher());
        let known = PrivateRequests::of(with.journal)?;
        let judge = Judge::new(salt, known.clone());
        known.hear_notes(&notes.notes, salt);
        Ok(Judging { with, salt, known, judge })
    }

    /// Whether the user does not want that recorded. What a recorder sends is no client's: it says itself what may be.
    fn forbids(&mut self, event: &Event) -> bool {
        Client::of_source(event.source).is_some()
            && self.judge.forbids(self.with.policy, &Captured::new(event.clone())).is_some()
    }

    /// The cursors that notes stand for, together with what the journal knows by now.
    fn told(&self, notes: &Notes) -> Result<Vec<Cursor>, JournalError> {
        let requests = self.known.hear_notes(&notes.notes, self.salt);
        let mut cursors: BTreeMap<String, Cursor> = BTreeMap::new();
        for cursor in requests.iter().filter_map(|(place, name)| self.known.cursor(place, name)) {
            cursors.insert(cursor.stream.clone(), cursor);
        }
        for note in &notes.notes {
            let Note::Cursor { stream, sequence, position } = note else { continue };
            if stream.starts_with(private::PREFIX) {
                continue;
            }
            let noted = Cursor { stream: stream.clone(), sequence: *sequence, position: position.clone() };
            if noted.adds_to().is_some() {
                let before = cursors.remove(stream).map_or(0, |before| before.sequence);
                let sequence = noted.sequence.saturating_add(before);
                cursors.insert(stream.clone(), Cursor { sequence, ..noted });
                continue;
            }
            let known = match cursors.remove(stream) {
                Some(known) => Some(known),
                None => self.with.journal.cursor(stream)?,
            };
            cursors.insert(stream.clone(), known.map_or_else(|| noted.clone(), |known| joined(known, &noted)));
        }
        Ok(cursors.into_values().collect())
    }
}

/// What a journal knows, and what it has not heard of yet.
fn joined(known: Cursor, noted: &Cursor) -> Cursor {
    if known.stream.starts_with(runs::PREFIX) {
        return Run::of_both(&known, noted).unwrap_or(known);
    }
    if known.stream.starts_with(HOOK) {
        let ms = |cursor: &Cursor| cursor.position.parse::<i64>().unwrap_or_default();
        let position = ms(&known).max(ms(noted)).to_string();
        return Cursor { sequence: known.sequence + 1, position, ..known };
    }
    if known.stream.starts_with(LIVE) && touched_ms(noted) >= touched_ms(&known) {
        return noted.clone();
    }
    known
}

/// When anything was last known of a session, as its row says.
fn touched_ms(row: &Cursor) -> i64 {
    let told: serde_json::Value = serde_json::from_str(&row.position).unwrap_or_default();
    ["touched", "seen"].iter().filter_map(|name| told.get(name)?.as_i64()).max().unwrap_or(i64::MIN)
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
