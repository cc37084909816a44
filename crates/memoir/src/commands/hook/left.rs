//! What earlier hooks left: somebody who uses nothing but hooks has nobody else who would do it. A little at a time, when
//! a session or a prompt begins.

use crate::commands::context::{Context, Wishes, project_of};
use crate::home::system_clock;
use anyhow::Result;
use memoir_journal::Journal;
use memoir_record::{ClientDirs, Drain, Importer, Spool, drain_into_journal};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// So many spooled records are stored, or a file more.
const RECORDS_MAX: u64 = 50;

/// For so long.
const TIME: Duration = Duration::from_millis(5);

/// So much of a session file is read, or twice that to a good place to stop at.
const BYTES_MAX: u64 = 4 << 10;

/// Does a little of what waits: what is spooled first, and when there is none of that, a piece of a session file.
pub(super) fn work_off(
    context: &Context,
    wishes: &Wishes,
    journal: &dyn Journal,
    spool: &Spool,
    dirs: &ClientDirs,
) -> Result<()> {
    if spool.waits_for_journal()? {
        let (redactor, policy) = (&wishes.redactor, &wishes.policy);
        let with = Drain { journal, redactor, policy, repo_of: &project_of, budget: TIME, records_max: RECORDS_MAX };
        drain_into_journal(spool, with, &mut |_| {})?;
        return Ok(());
    }
    let pending = context.pending();
    if pending.count() > 0 {
        let (clock, never) = (system_clock(), AtomicBool::new(false));
        let importer = Importer { journal, rules: wishes.rules(), dirs, clock: &clock, stop: &never };
        pending.work_off_a_little(&importer, BYTES_MAX)?;
    }
    Ok(())
}
