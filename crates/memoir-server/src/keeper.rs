//! Keeps the index near the journal in quiet moments, so that a search does not have to.

use crate::Shared;
use crate::errors::ApiError;
use memoir_journal::Seq;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the keeper looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Fewer new records than this are left to searches: they scan them faster than a commit takes.
const RECORDS_MIN: Seq = 1_000;

/// More new records than this since the last look are a bulk load: indexing would take the processor from it.
const RECORDS_BUSY: Seq = 2_000;

/// Runs until it is aborted. A failure is not its business: the next search meets it and says so.
pub(crate) async fn keep_indexed(app: Shared) {
    let mut indexed: Option<Seq> = None;
    let mut seen: Seq = 0;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let worker = Arc::clone(&app);
        let Ok(last) = app.lanes.upkeep(move || Ok(worker.journal.last_seq()?)).await else { continue };
        let behind = last.saturating_sub(indexed.unwrap_or(0));
        let new = last.saturating_sub(std::mem::replace(&mut seen, last));
        if behind < RECORDS_MIN || new > RECORDS_BUSY {
            continue;
        }
        let worker = Arc::clone(&app);
        let caught_up = app.lanes.upkeep(move || {
            let known = worker.index.status(&*worker.journal)?.indexed;
            if last.saturating_sub(known) < RECORDS_MIN {
                return Ok(known);
            }
            worker.index.catch_up(&*worker.journal, &mut |_, _| !worker.stopping.load(Ordering::Relaxed))?;
            Ok::<Seq, ApiError>(last)
        });
        if let Ok(reached) = caught_up.await {
            indexed = Some(reached);
        }
    }
}
