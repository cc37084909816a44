//! What every journal can do, whatever engine keeps it.

use crate::{
    Change, Chosen, Cursor, EventPage, Filter, ForgettingEntry, JournalError, Lease, Lookup, OriginEntry, Outcome,
    Page, Placed, ProjectEntry, Redacted, Selection, Seq, SessionEntry, Sighting, Stats, StoredEvent, Touched,
    Verified, View,
};
use memoir_event::{Client, KeyHasher, Kind, MemoryScope};

/// The append-only journal. Any number of processes may hold one and use it at once.
pub trait Journal: Send + Sync {
    /// Makes the keys of this journal.
    fn hasher(&self) -> &KeyHasher;

    /// Names this journal; another one, or this one after a restore, has another name. Caches are tied to it.
    fn identity(&self) -> Result<String, JournalError>;

    /// Appends a batch and moves stream cursors with it: all of it or nothing, durable when this returns.
    /// Says for each event, in order, what became of it.
    fn append(&self, batch: &[Redacted], cursors: &[Cursor]) -> Result<Vec<Outcome>, JournalError>;

    /// As [`Journal::append`], but only while those cursors are as given here, looked at under the write lock; a cursor
    /// that is gone stands for one that is not there. None, and nothing done, if one has moved meanwhile.
    fn append_if(
        &self,
        expected: &[Cursor],
        batch: &[Redacted],
        cursors: &[Cursor],
    ) -> Result<Option<Vec<Outcome>>, JournalError>;

    /// One page of the events that pass the filter and that the view shows, by the time they happened.
    fn page(&self, filter: &Filter, view: &View, page: &Page) -> Result<EventPage, JournalError>;

    /// The event behind an id of any of its sightings.
    fn event(&self, lookup: &Lookup, view: &View) -> Result<Option<StoredEvent>, JournalError>;

    /// The events at those places, in that order; what the view does not show is left out.
    fn events(&self, seqs: &[Seq], view: &View) -> Result<Vec<StoredEvent>, JournalError>;

    /// The events at those places as their last revision tells them, hidden ones too: for whoever follows the change
    /// feed and keeps what may be shown again one day. Nobody is to be shown these.
    fn unfiltered(&self, seqs: &[Seq]) -> Result<Vec<StoredEvent>, JournalError>;

    /// The change feed: what was stored after `after`, in the order of storage.
    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<Change>, JournalError>;

    /// The place of the last record; 0 for an empty journal.
    fn last_seq(&self) -> Result<Seq, JournalError>;

    /// A filter in the numbers that records and indexes carry.
    fn select(&self, filter: &Filter, view: &View) -> Result<Selection, JournalError>;

    /// The kind of every shape there is, by the shape's number.
    fn kinds(&self) -> Result<Vec<(u32, Kind)>, JournalError>;

    /// Sessions, the latest first.
    fn sessions(
        &self,
        filter: &Filter,
        view: &View,
        limit: usize,
        skip: usize,
    ) -> Result<Vec<SessionEntry>, JournalError>;

    /// The conversations that got an event after that place, in the order in which they got their last one.
    fn touched(&self, after: Seq) -> Result<Vec<Touched>, JournalError>;

    /// What a conversation has after one place and up to another, in the order in which it happened, forgotten or not:
    /// enough to choose what to read of it. Of more than `most` it is any `most`.
    fn placed(
        &self,
        client: Option<Client>,
        session: &str,
        between: (Seq, Seq),
        most: usize,
    ) -> Result<Vec<Placed>, JournalError>;

    /// The places above `after` of the events of a kind, forgotten or not, in the order of storage.
    fn of_kind(&self, kind: Kind, after: Seq) -> Result<Vec<Seq>, JournalError>;

    /// Every capture of an event, revisions included, in the order of storage.
    fn sightings(&self, seq: Seq) -> Result<Vec<Sighting>, JournalError>;

    /// Hands over the origins numbered above `after`, in the order of their numbers.
    fn origins(&self, after: u32, take: &mut dyn FnMut(OriginEntry<'_>)) -> Result<(), JournalError>;

    /// Where a stream stands; none if it never began or was taken away.
    fn cursor(&self, stream: &str) -> Result<Option<Cursor>, JournalError>;

    /// Where every stream stands whose name begins like that.
    fn cursors(&self, prefix: &str) -> Result<Vec<Cursor>, JournalError>;

    /// Every project that has events, the latest first, each under its present id.
    fn projects(&self) -> Result<Vec<ProjectEntry>, JournalError>;

    /// Whether events are recorded, or were forgotten, under that project id and no alias leads elsewhere.
    fn has_project(&self, repo: &str) -> Result<bool, JournalError>;

    /// The places of the events that a forgetting would take, hidden ones too.
    fn chosen(&self, chosen: &Chosen) -> Result<Vec<Seq>, JournalError>;

    /// The events that say a text somewhere, in whatever revision, hidden ones too: everything is read for it.
    /// `progress` gets done and total; if it stops the search, there is no answer.
    fn grep(&self, text: &str, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Option<Vec<Seq>>, JournalError>;

    /// What took the place of an event, and of that, to the last: none if nothing did.
    fn successor(&self, seq: Seq) -> Result<Option<Seq>, JournalError>;

    /// What names an event as what it was made of: memories, whether they still hold or not.
    fn made_of(&self, seq: Seq) -> Result<Vec<Seq>, JournalError>;

    /// Whether a memory in that project and scope that says the same was forgotten, whatever its maker called it.
    fn is_memory_forgotten(&self, project: &str, scope: &MemoryScope, text: &str) -> Result<bool, JournalError>;

    /// How many events nothing hides but the forgetting of that name.
    fn hidden_by_alone(&self, name: &str) -> Result<u64, JournalError>;

    /// Every forgetting there was, the latest first.
    fn forgettings(&self) -> Result<Vec<ForgettingEntry>, JournalError>;

    /// Takes or renews the lease of that name for `ttl_ms`; none if another owner holds it.
    fn lease(&self, name: &str, owner: &str, ttl_ms: i64) -> Result<Option<Lease>, JournalError>;

    /// Gives a lease back; one that was lost meanwhile is left alone.
    fn release(&self, lease: &Lease) -> Result<(), JournalError>;

    /// Figures for `status`; costs the same at any size.
    fn stats(&self) -> Result<Stats, JournalError>;

    /// Proves the hash chain from the first record to the last; `progress` gets done and total and may stop it.
    fn verify(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Verified, JournalError>;
}
