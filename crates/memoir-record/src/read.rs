//! The loop that both recorders share: lines in, events out, never stuck in a read when a signal comes.

use crate::accept::{Acceptor, OnBadLine};
use crate::input::Input;
use crate::lines::Lines;
use crate::notice::{End, IngestError, Notice};
use memoir_journal::Redacted;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a signal may go unnoticed.
pub const WAIT_MAX: Duration = Duration::from_millis(100);

/// What becomes of the events.
pub trait Sink {
    /// Takes an event.
    fn take(&mut self, event: Redacted, tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError>;

    /// Nothing more is waiting: what is held should go on its way soon. Gives how long reading may block, and is
    /// asked again after that.
    fn idle(&mut self, tell: &mut dyn FnMut(Notice)) -> Result<Duration, IngestError>;

    /// More was read: `read_total` bytes so far.
    fn read(&mut self, _read_total: u64, _tell: &mut dyn FnMut(Notice)) -> Result<(), IngestError> {
        Ok(())
    }
}

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Events taken.
    pub accepted: u64,
    /// Lines not taken.
    pub refused: u64,
    /// Secrets taken out.
    pub redactions: u64,
}

/// Reads lines until the input or somebody's patience ends.
pub struct LineLoop<'a> {
    pub lines: Lines,
    pub acceptor: Acceptor<'a>,
    pub on_bad_line: OnBadLine,
    pub stop: &'a AtomicBool,
    pub tally: Tally,
}

impl LineLoop<'_> {
    /// Runs until `pause` says so (none) or the run is over (how it ended).
    pub fn run(
        &mut self,
        input: &mut dyn Input,
        sink: &mut dyn Sink,
        tell: &mut dyn FnMut(Notice),
        pause: &dyn Fn(&Lines) -> bool,
    ) -> Option<End> {
        match self.go(input, sink, tell, pause) {
            Ok(end) => end,
            Err(error) => Some(End::Failed(error)),
        }
    }

    fn go(
        &mut self,
        input: &mut dyn Input,
        sink: &mut dyn Sink,
        tell: &mut dyn FnMut(Notice),
        pause: &dyn Fn(&Lines) -> bool,
    ) -> Result<Option<End>, IngestError> {
        loop {
            if let Some(end) = self.take_lines(sink, tell)? {
                return Ok(Some(end));
            }
            if self.stop.load(Ordering::Relaxed) {
                return Ok(Some(End::Stopped));
            }
            if pause(&self.lines) {
                return Ok(None);
            }
            if !input.ready(Duration::ZERO).map_err(IngestError::Input)? {
                let wait = sink.idle(tell)?.min(WAIT_MAX);
                if !input.ready(wait).map_err(IngestError::Input)? {
                    continue;
                }
            }
            let more = self.lines.fill(input).map_err(IngestError::Input)?;
            sink.read(self.lines.read_total(), tell)?;
            if !more {
                let end = self.take_lines(sink, tell)?;
                return Ok(Some(end.unwrap_or(End::Finished)));
            }
        }
    }

    /// Hands over every complete line that was read.
    fn take_lines(&mut self, sink: &mut dyn Sink, tell: &mut dyn FnMut(Notice)) -> Result<Option<End>, IngestError> {
        while let Some(line) = self.lines.next_line() {
            match self.acceptor.accept(line) {
                Ok(event) => {
                    self.tally.accepted += 1;
                    self.tally.redactions += event.secrets();
                    sink.take(event, tell)?;
                }
                Err(problem) => {
                    self.tally.refused += 1;
                    tell(Notice::Line(problem.clone()));
                    if self.on_bad_line == OnBadLine::Stop {
                        return Ok(Some(End::BadLine(problem)));
                    }
                }
            }
        }
        Ok(None)
    }
}
