//! Where blocking work runs: a bounded number of threads, so that a client that asks much at once cannot take them all.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// So many tools work at once; further ones wait.
const WORKING_MAX: usize = 3;

#[derive(Clone)]
pub(crate) struct Lanes(Arc<Semaphore>);

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes(Arc::new(Semaphore::new(WORKING_MAX)))
    }
}

impl Lanes {
    /// Runs work that blocks; none if it broke.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let permit = Arc::clone(&self.0).acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            // Held by the work, not by whoever waits for it: a client that leaves does not free a busy thread.
            let _permit = permit;
            work()
        });
        done.await.ok()
    }
}
