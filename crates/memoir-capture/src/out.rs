//! What comes out of a parser: captured events, and a count of everything that is none.

use memoir_event::Event;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One thing that a client shows. Its project and contributor are not known here.
#[derive(Debug, Clone, PartialEq)]
pub struct Captured {
    /// The event, without project and contributor.
    pub event: Event,
    /// The directory in which it happened.
    pub cwd: Option<Arc<str>>,
    /// The address of the repository, where the client says so.
    pub remote: Option<Arc<str>>,
    /// The user's turn that a sub-agent works for, where the client names it.
    pub asked: Option<Arc<str>>,
    /// The tools that it is about: the one that was called, and those that a script calls.
    pub tools: Vec<String>,
    /// Whether a turn begins with it, also where the turn has the name of another: a copy of a session may name all of
    /// its turns alike.
    pub begins_turn: bool,
    /// Whether it sums up the conversation before it, private requests included.
    pub is_recap: bool,
}

impl Captured {
    /// Something that happened nowhere in particular.
    pub const fn new(event: Event) -> Captured {
        Captured { event, cwd: None, remote: None, asked: None, tools: Vec::new(), begins_turn: false, is_recap: false }
    }
}

/// How often something was met, by its name.
pub type Counts = BTreeMap<String, u64>;

/// Everything that did not become an event of its own, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Texts in a user's message that are not the user's words, by what they are.
    pub context: Counts,
    /// Records of a known kind that hold nothing to remember, by kind.
    pub left_out: Counts,
    /// Records of a kind that nobody knows yet: kept as they are.
    pub unknown: Counts,
    /// What could not be read, by what is wrong with it.
    pub problems: Counts,
}

impl Tally {
    /// Counts one.
    pub fn add(counts: &mut Counts, name: &str) {
        match counts.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                counts.insert(name.to_owned(), 1);
            }
        }
    }

    /// Adds another tally to this one.
    pub fn merge(&mut self, other: Tally) {
        let pairs = [
            (&mut self.context, other.context),
            (&mut self.left_out, other.left_out),
            (&mut self.unknown, other.unknown),
            (&mut self.problems, other.problems),
        ];
        for (to, from) in pairs {
            for (name, count) in from {
                *to.entry(name).or_default() += count;
            }
        }
    }
}

/// Where parsers put what they find.
#[derive(Debug, Default)]
pub struct Out {
    /// Captured events, in their order.
    pub events: Vec<Captured>,
    /// Everything else.
    pub tally: Tally,
    /// How many events there were when the present record began.
    record_start: usize,
}

impl Out {
    /// A record begins: its events are its parts, counted from nought.
    pub(crate) fn begin_record(&mut self) {
        self.record_start = self.events.len();
    }

    /// Events of the present record.
    pub(crate) fn of_record(&mut self) -> impl Iterator<Item = &mut Captured> {
        self.events.iter_mut().skip(self.record_start)
    }

    /// The number of the next part.
    pub(crate) fn part(&self) -> u64 {
        u64::try_from(self.events.len().saturating_sub(self.record_start)).unwrap_or(u64::MAX)
    }

    pub(crate) fn context(&mut self, name: &str) {
        Tally::add(&mut self.tally.context, name);
    }

    pub(crate) fn left_out(&mut self, name: &str) {
        Tally::add(&mut self.tally.left_out, name);
    }

    pub(crate) fn problem(&mut self, name: &str) {
        Tally::add(&mut self.tally.problems, name);
    }
}
