//! What this API needs of those who seal sessions.

use crate::fault::Fault;
use crate::session::Spoken;
use memoir_event::{Archive, EventId};
use memoir_journal::Cursor;

/// What became of a wish to seal a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Sealed {
    /// What it had is in an archive.
    Archive(EventId, Box<Archive>),
    /// There was nothing new.
    Nothing,
    /// It is noted, and will be done.
    Due,
    /// Somebody else is at it.
    Busy,
}

/// Seals sessions, and knows their archives.
pub trait Sealer: Send + Sync {
    /// What to store with something new of a session, so that it is known to be open.
    fn touched(&self, spoken: &Spoken) -> Result<Option<Cursor>, Fault>;

    /// How many archives a session has.
    fn count(&self, spoken: &Spoken) -> Result<u64, Fault>;

    /// Seals what a session has so far.
    fn commit(&self, spoken: &Spoken) -> Result<Sealed, Fault>;

    /// The archives of a session, the first one first.
    fn archives(&self, spoken: &Spoken) -> Result<Vec<(EventId, Archive)>, Fault>;

    /// The overview of an archive, as it may be told now.
    fn overview(&self, archive: &Archive) -> Result<String, Fault>;
}

/// Seals nothing.
pub struct Unsealed;

impl Sealer for Unsealed {
    fn touched(&self, _: &Spoken) -> Result<Option<Cursor>, Fault> {
        Ok(None)
    }

    fn count(&self, _: &Spoken) -> Result<u64, Fault> {
        Ok(0)
    }

    fn commit(&self, _: &Spoken) -> Result<Sealed, Fault> {
        Ok(Sealed::Nothing)
    }

    fn archives(&self, _: &Spoken) -> Result<Vec<(EventId, Archive)>, Fault> {
        Ok(Vec::new())
    }

    fn overview(&self, _: &Archive) -> Result<String, Fault> {
        Ok(String::new())
    }
}
