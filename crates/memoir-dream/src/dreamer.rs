//! Dreams: follows archives, in the order in which they were made, and derives memories from what they hold.
//!
//! Every archive is dreamt once; how far a session is done is a cursor that moves when its memories are written. Dreamt
//! again, everything comes out the same: memories are named after what they say and have the times of their events.

mod forgetting;
mod hearing;
mod listening;

use crate::book::{Book, Past, Place};
use crate::keep::{Keeping, Unwritten};
use crate::reading::{Portion, Reading};
use crate::remember::MemoryError;
use crate::rules::{Derived, Reach, Rule, Turn, derive_from_work};
use crate::settle::{Became, Settled, Settling};
use crate::tally::LeftOut;
use hearing::{OpenTurn, is_prompt};
use memoir_event::{Archive, Client, EventId, Kind, MemoryKind, MemoryScope};
use memoir_journal::{Clock, Cursor, Journal, JournalError, Seq, View};
use memoir_redact::Redactor;

/// Archives are read in portions of this size.
const ARCHIVES: usize = 64;
/// After so many archives, or changed memories, everything is written.
const ARCHIVES_UNWRITTEN_MAX: usize = 32;
const CHANGES_UNWRITTEN_MAX: usize = 500;
/// More memories than this are let go of and read again when they are needed.
const MEMORIES_HELD_MAX: usize = 60_000;
/// Whoever dreams holds the lease for so long: who is killed holds up others no longer.
const LEASE_MS: i64 = 10_000;
/// And renews it after so long.
const RENEW_MS: i64 = 2_000;
/// So many findings are explained.
const EXPLAINED_MAX: usize = 10_000;
/// How far all archives are done.
pub(crate) const ALL: &str = "dreamt|archives";

/// Why nothing could be dreamt.
#[derive(Debug, thiserror::Error)]
pub enum DreamError {
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A memory cannot be kept.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// What is to be dreamt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DreamWish {
    /// Only archives of this session.
    pub session: Option<(Option<Client>, String)>,
    /// At most so many archives.
    pub archives_max: Option<usize>,
    /// Stop before an archive with more events than this: it takes longer than there is time.
    pub events_max: Option<u64>,
    /// Write nothing.
    pub dry_run: bool,
    /// Tell which rule found what.
    pub explain: bool,
    /// Everything anew: what no rule makes any more is retired; what the user changed stays.
    pub again: bool,
}

/// What was dreamt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dreamt {
    /// Archives that were read.
    pub archives: u64,
    /// Events in them.
    pub events: u64,
    /// Of these, how many dream may not see.
    pub withheld: u64,
    /// Memories that are new.
    pub made: u64,
    /// Of these, episodes.
    pub episodes: u64,
    /// What was said again.
    pub again: u64,
    /// Memories whose place a newer one took.
    pub superseded: u64,
    /// Memories that the user wanted forgotten.
    pub unsaid: u64,
    /// Messages of which the user wanted nothing kept.
    pub private: u64,
    /// What was left out: it passes by itself.
    pub passing: u64,
    /// What was left out: nobody vouches for it.
    pub hearsay: u64,
    /// What was left out: what is known is newer or weighs more.
    pub outweighed: u64,
    /// What was left out: it was forgotten, and stays so.
    pub forgotten: u64,
    /// Memories that no rule makes any more.
    pub retired: u64,
    /// Archives that are still to be dreamt.
    pub left: u64,
    /// Another process dreams now.
    pub is_busy: bool,
    /// It was stopped before its end.
    pub was_stopped: bool,
    /// What each rule found, if that was asked for.
    pub explained: Vec<Explained>,
}

/// One finding of a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The rule.
    pub rule: &'static str,
    /// What it is.
    pub kind: Option<MemoryKind>,
    /// What it says.
    pub text: String,
    /// What became of it.
    pub became: &'static str,
    /// What it took the place of.
    pub superseded: Vec<String>,
    /// The events that it is made of.
    pub sources: Vec<EventId>,
    /// The session as people see it.
    pub session: String,
}

/// Dreams over one journal.
pub struct Dreamer<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// Takes secrets out.
    pub redactor: &'a Redactor,
    /// Tells the time.
    pub clock: &'a Clock,
}

/// One pass.
struct Pass<'a> {
    dreamer: &'a Dreamer<'a>,
    wish: &'a DreamWish,
    /// Only what is said to memoir itself counts.
    is_listening: bool,
    book: Book<'a>,
    unwritten: Unwritten,
    archives_unwritten: usize,
    dreamt: Dreamt,
    /// What was left out when it was last written down.
    tallied: LeftOut,
}

/// An archive that is to be dreamt.
struct Due {
    seq: Seq,
    archive: Archive,
    project: String,
    after: Seq,
}

impl Dreamer<'_> {
    /// Dreams what is due, until `go_on`, which gets events done and in all, says stop.
    pub fn dream(&self, wish: &DreamWish, go_on: &mut dyn FnMut(u64, u64) -> bool) -> Result<Dreamt, DreamError> {
        let due = self.due(wish)?;
        if due.is_empty() && !wish.again {
            return Ok(Dreamt::default());
        }
        let owner = format!("dream-{}-{}", std::process::id(), (self.clock)());
        if wish.dry_run {
            return self.pass(wish, &due, go_on, &mut || Ok(true));
        }
        let Some(lease) = self.journal.lease("dream", &owner, LEASE_MS)? else {
            return Ok(Dreamt { is_busy: true, left: due.len() as u64, ..Dreamt::default() });
        };
        let mut renew = || Ok(self.journal.lease("dream", &owner, LEASE_MS)?.is_some());
        let dreamt = self.pass(wish, &due, go_on, &mut renew);
        self.journal.release(&lease)?;
        dreamt
    }

    fn pass(
        &self,
        wish: &DreamWish,
        due: &[Due],
        go_on: &mut dyn FnMut(u64, u64) -> bool,
        renew: &mut dyn FnMut() -> Result<bool, DreamError>,
    ) -> Result<Dreamt, DreamError> {
        let mut pass = self.open(wish)?;
        let total: u64 = due.iter().map(|one| one.archive.events).sum();
        let mut renewed_ms = (self.clock)();
        for one in due {
            if !go_on(pass.dreamt.events, total) {
                pass.dreamt.was_stopped = true;
                break;
            }
            pass.archive(one)?;
            if pass.is_full() && !wish.dry_run && !wish.again {
                pass.write()?;
            }
            let now_ms = (self.clock)();
            if now_ms.abs_diff(renewed_ms) > RENEW_MS.unsigned_abs() {
                renewed_ms = now_ms;
                if !renew()? {
                    pass.dreamt.is_busy = true;
                    break;
                }
            }
        }
        pass.dreamt.left = (due.len() as u64).saturating_sub(pass.dreamt.archives);
        // Half of a new dream is none: it would retire what the other half makes.
        if !wish.dry_run && !(wish.again && (pass.dreamt.was_stopped || pass.dreamt.is_busy)) {
            pass.finish()?;
        }
        Ok(pass.dreamt)
    }

    fn open<'a>(&'a self, wish: &'a DreamWish) -> Result<Pass<'a>, DreamError> {
        let past = if wish.again { Past::IsMadeAgain } else { Past::Counts };
        Ok(Pass {
            dreamer: self,
            wish,
            is_listening: false,
            book: Book::open(self.journal, past)?,
            unwritten: Unwritten::default(),
            archives_unwritten: 0,
            dreamt: Dreamt::default(),
            tallied: LeftOut::default(),
        })
    }

    /// The archives that are to be dreamt, in the order in which they were made.
    fn due(&self, wish: &DreamWish) -> Result<Vec<Due>, DreamError> {
        let is_all = wish.again || wish.session.is_some();
        let seen = if is_all { 0 } else { self.journal.cursor(ALL)?.map_or(0, |cursor| cursor.sequence) };
        let mut due = Vec::new();
        for seqs in self.journal.of_kind(Kind::Archive, seen)?.chunks(ARCHIVES) {
            for stored in self.journal.events(seqs, &View::owner_all())? {
                if wish.archives_max.is_some_and(|max| due.len() >= max) {
                    return Ok(due);
                }
                let Some(archive) = Archive::of_event(&stored.event) else { continue };
                let is_wanted = |(client, session): &(Option<Client>, String)| {
                    archive.session == *session && (client.is_none() || archive.client == *client)
                };
                if !wish.session.as_ref().is_none_or(is_wanted) {
                    continue;
                }
                let done = if wish.again { 0 } else { self.done(&archive)? };
                if wish.events_max.is_some_and(|max| archive.events > max) {
                    return Ok(due);
                }
                if archive.last_seq > done || wish.again {
                    due.push(Due { seq: stored.seq, archive, project: stored.event.repo, after: done });
                }
            }
        }
        Ok(due)
    }

    /// The last place of a session that was dreamt.
    fn done(&self, archive: &Archive) -> Result<Seq, JournalError> {
        Ok(self.journal.cursor(&stream_of(archive))?.map_or(0, |cursor| cursor.sequence))
    }
}

fn stream_of(archive: &Archive) -> String {
    format!("dream|{}", archive.shown_session())
}

impl Pass<'_> {
    fn archive(&mut self, due: &Due) -> Result<(), DreamError> {
        let mut reading = Reading::of(self.dreamer.journal, &due.archive, due.after)?;
        let last_answer = reading.last_answer();
        let mut turns: Vec<Turn> = Vec::new();
        let mut open = OpenTurn::default();
        let mut is_first = true;
        while let Some(Portion { events, withheld }) = reading.portion()? {
            self.dreamt.withheld += withheld;
            for (at, stored) in &events {
                if std::mem::take(&mut is_first) {
                    open = self.turn_before(due, &reading, stored)?;
                }
                let is_quiet = if is_prompt(stored) {
                    self.user_said(due, stored, &mut open, &mut turns)?
                } else {
                    self.agent_acted(due, stored, last_answer == Some(stored.seq), &mut open)?
                };
                if !is_quiet {
                    turns.extend(reading.work(*at, stored)?);
                }
            }
        }
        for derived in derive_from_work(&turns) {
            self.settle(due, &derived)?;
        }
        self.dreamt.archives += 1;
        self.dreamt.events += reading.events();
        self.archives_unwritten += 1;
        let sequence = due.archive.last_seq;
        self.unwritten.cursors.retain(|cursor| cursor.stream != stream_of(&due.archive) && cursor.stream != ALL);
        self.unwritten.cursors.push(Cursor { stream: stream_of(&due.archive), sequence, position: String::new() });
        if self.wish.session.is_none() {
            self.unwritten.cursors.push(Cursor { stream: ALL.to_owned(), sequence: due.seq, position: String::new() });
        }
        Ok(())
    }

    fn settle(&mut self, due: &Due, derived: &Derived) -> Result<(), DreamError> {
        let scope = match derived.reach {
            Reach::User => MemoryScope::User,
            Reach::Project => MemoryScope::Project,
            Reach::Session => MemoryScope::Session(due.archive.session.clone()),
        };
        let place = Place::of(&scope, &due.project);
        let hasher = self.dreamer.journal.hasher();
        let name = |what: &str| {
            let hash = hasher.hash(what.as_bytes());
            hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let shown = due.archive.shown_session();
        let shelf = self.book.shelf(&place)?;
        let (redactor, project) = (self.dreamer.redactor, due.project.as_str());
        let mut settling = Settling { shelf, redactor, scope: &scope, project, session: &shown, name: &name };
        let settled = settling.settle(derived);
        self.count(derived, &settled);
        if self.wish.explain {
            let text_of = |at: &usize| shelf_text(&mut self.book, &place, *at);
            let older: Vec<usize> = settled.superseded.iter().map(|(older, _)| *older).collect();
            let superseded = older.iter().filter_map(text_of).collect();
            self.explain(
                due,
                derived.rule.name(),
                Some(derived.kind),
                &derived.text,
                settled.became.name(),
                &derived.sources,
            );
            if let Some(last) = self.dreamt.explained.last_mut() {
                last.superseded = superseded;
            }
        }
        self.unwritten
            .superseded
            .extend(settled.superseded.into_iter().map(|(older, newer)| (place.clone(), older, newer)));
        Ok(())
    }

    fn count(&mut self, derived: &Derived, settled: &Settled) {
        let dreamt = &mut self.dreamt;
        dreamt.superseded += settled.superseded.len() as u64;
        match settled.became {
            Became::New => {
                dreamt.made += 1;
                dreamt.episodes += u64::from(derived.rule == Rule::Episode);
            }
            Became::Again => dreamt.again += 1,
            Became::Outweighed => dreamt.outweighed += 1,
            Became::Forgotten => dreamt.forgotten += 1,
            Became::Known | Became::Empty => {}
        }
    }

    fn explain(
        &mut self,
        due: &Due,
        rule: &'static str,
        kind: Option<MemoryKind>,
        text: &str,
        became: &'static str,
        sources: &[EventId],
    ) {
        if self.wish.explain && self.dreamt.explained.len() < EXPLAINED_MAX {
            self.dreamt.explained.push(Explained {
                rule,
                kind,
                text: text.to_owned(),
                became,
                superseded: Vec::new(),
                sources: sources.to_vec(),
                session: due.archive.shown_session(),
            });
        }
    }

    fn is_full(&mut self) -> bool {
        let changed: usize = self.book.shelves().map(|(_, shelf)| shelf.changes()).sum();
        self.archives_unwritten >= ARCHIVES_UNWRITTEN_MAX || changed >= CHANGES_UNWRITTEN_MAX
    }

    fn write(&mut self) -> Result<(), DreamError> {
        let keeping = Keeping { journal: self.dreamer.journal, redactor: self.dreamer.redactor };
        let now = LeftOut::of(&self.dreamt);
        // What is dreamt again was counted before.
        if now != self.tallied && !self.wish.again {
            let sums = LeftOut::read(self.dreamer.journal)?.and_since(self.tallied, now);
            self.unwritten.cursors.push(sums.row());
            self.tallied = now;
        }
        keeping.write(&mut self.book, &std::mem::take(&mut self.unwritten))?;
        self.archives_unwritten = 0;
        if self.book.len() > MEMORIES_HELD_MAX {
            self.book.close();
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), DreamError> {
        if self.wish.again {
            self.book.renew();
        }
        self.write()?;
        if self.wish.again {
            let keeping = Keeping { journal: self.dreamer.journal, redactor: self.dreamer.redactor };
            self.dreamt.retired = keeping.retire(&mut self.book)?;
        }
        Ok(())
    }
}

fn shelf_text(book: &mut Book<'_>, place: &Place, at: usize) -> Option<String> {
    Some(book.shelf(place).ok()?.at(at)?.memory.text.clone())
}
