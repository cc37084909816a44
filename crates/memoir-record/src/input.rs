//! Where lines come from: a reader that can tell whether it would block, so that a signal is noticed in time.

use std::io::{self, Read};
use std::time::Duration;

/// A reader that can be waited for.
pub trait Input: Read {
    /// Waits for at most `timeout` until a read would return at once; false if it still would not.
    fn ready(&mut self, timeout: Duration) -> io::Result<bool>;
}

impl Input for &[u8] {
    fn ready(&mut self, _timeout: Duration) -> io::Result<bool> {
        Ok(true)
    }
}

/// A file descriptor: a pipe, a socket or a file. It must not buffer, or what it has read already would be waited for;
/// for standard input hand in a `File` made from its descriptor.
#[derive(Debug)]
pub struct Polled<F>(pub F);

impl<F: Read> Read for Polled<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(unix)]
impl<F: Read + std::os::fd::AsFd> Input for Polled<F> {
    fn ready(&mut self, timeout: Duration) -> io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let timeout = Timespec {
            tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        match poll(&mut fds, Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            // A signal: the caller looks at its stop flag and asks again.
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(not(unix))]
impl<F: Read> Input for Polled<F> {
    fn ready(&mut self, _timeout: Duration) -> io::Result<bool> {
        Ok(true)
    }
}
