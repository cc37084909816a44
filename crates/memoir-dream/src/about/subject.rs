//! Whether two claims are about one subject.

use super::{Marks, SUBJECT_LONG, SUBJECT_SHARE, share_of};
use crate::claim::{Claim, Relation};
use crate::phrase::compared;

impl Claim {
    pub(super) fn is_one_subject(&self, older: &Claim) -> bool {
        let is_long = self.subject.len().min(older.subject.len()) >= SUBJECT_LONG;
        self.subject == older.subject || (is_long && share_of(&self.subject, &older.subject) >= SUBJECT_SHARE)
    }

    /// "The port", said of the staging port.
    pub(super) fn is_short_for(&self, older: &Claim) -> bool {
        !self.subject.is_empty()
            && self.subject.is_subset(&older.subject)
            && (self.head == older.head || self.is_owned())
    }

    /// "Staging moved to …", said of the staging URL; "the release moved to …", said of its date.
    pub(super) fn moves_what_is_of(&self, older: &Claim, marks: Marks) -> bool {
        const OF_THINGS: [&str; 8] = ["url", "host", "address", "date", "day", "time", "server", "port"];
        let is_of = |word: &String| OF_THINGS.iter().any(|of| compared(of) == *word);
        let is_there = matches!(self.relation, Relation::Is | Relation::At(_)) && marks.is_new;
        (self.relation == Relation::Became || is_there)
            && self.shape() == older.shape()
            && !self.subject.is_empty()
            && self.subject.is_subset(&older.subject)
            && older.subject.difference(&self.subject).all(is_of)
    }

    pub(super) fn speaks(&self) -> bool {
        self.relation == Relation::At("speak".to_owned())
    }

    /// Whether it tells who sees to its subject.
    pub fn is_owned(&self) -> bool {
        matches!(&self.relation, Relation::Done(done, by) if by == "by" && *done == compared("owned"))
    }
}
