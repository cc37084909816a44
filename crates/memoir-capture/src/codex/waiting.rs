//! Messages that wait for their other form.

use crate::media::Media;
use crate::turns::Who;
use memoir_event::Time;

/// So many messages may wait.
const HELD_MAX: usize = 64;

/// A message in the item form, waiting for its event form. Where none comes, it is handed over itself.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub who: Who,
    pub text: String,
    /// The turn that the record names.
    pub turn: Option<String>,
    pub time: Option<Time>,
    pub number: u64,
    pub media: Vec<Media>,
}

/// Messages that wait for their other form.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Vec<Held>);

impl Waiting {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.0.len() >= HELD_MAX
    }

    pub fn hold(&mut self, held: Held) {
        self.0.push(held);
    }

    /// The other form has come.
    pub fn settle(&mut self, who: Who, text: &str) -> Option<Held> {
        let at = self.0.iter().position(|held| held.who == who && held.text.trim() == text.trim())?;
        Some(self.0.remove(at))
    }

    /// Takes back what was held last, if the agent said it: it was a summary for a compaction.
    pub fn drop_last_answer(&mut self) {
        if self.0.last().is_some_and(|held| held.who == Who::Assistant) {
            self.0.pop();
        }
    }

    pub fn take(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.0)
    }
}
