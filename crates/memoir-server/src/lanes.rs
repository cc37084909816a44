//! Where blocking work runs: a bounded number of threads, apart for reading and for writing, so that a writer that
//! waits for the disk holds up no reader.

use crate::errors::ApiError;
use std::sync::Arc;
use tokio::sync::Semaphore;

pub(crate) struct Lanes {
    read: Arc<Semaphore>,
    write: Arc<Semaphore>,
    upkeep: Arc<Semaphore>,
    read_width: u32,
    write_width: u32,
}

impl Lanes {
    /// Lanes of so many threads together.
    pub(crate) fn new(threads: usize) -> Lanes {
        let write_width = u32::try_from(threads / 2).unwrap_or(1).max(1);
        let read_width = u32::try_from(threads - threads / 2).unwrap_or(1).max(1);
        let lane = |width: u32| Arc::new(Semaphore::new(usize::try_from(width).unwrap_or(1)));
        Lanes { read: lane(read_width), write: lane(write_width), upkeep: lane(1), read_width, write_width }
    }

    /// Runs work that reads.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run(&self.read, work).await
    }

    /// Runs work that writes.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run(&self.write, work).await
    }

    /// Runs work that nobody waits for, on one thread more.
    pub(crate) async fn upkeep<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        run(&self.upkeep, work).await
    }

    /// Waits until nothing runs any more. Work goes on when its client has left, so this can outlast every connection.
    pub(crate) async fn idle(&self) {
        let _all = self.write.acquire_many(self.write_width).await;
        let _all = self.read.acquire_many(self.read_width).await;
        let _all = self.upkeep.acquire().await;
    }
}

async fn run<T: Send + 'static>(
    lane: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let permit = Arc::clone(lane).acquire_owned().await.map_err(|_| ApiError::internal())?;
    let done = tokio::task::spawn_blocking(move || {
        // Held by the work, not by the request: a client that leaves does not free a thread that is still busy.
        let _permit = permit;
        work()
    });
    done.await.unwrap_or_else(|_| Err(ApiError::internal()))
}
