//! Takes a memory in: as something new, as something said again, or in the place of something older.

mod given;

pub(crate) use given::memory_of;
pub use given::{Given, Way};

use crate::about::{Likeness, Meets, only_meant};
use crate::statement::Statement;
use memoir_event::{
    Content, Event, EventId, Identity, Json, Kind, MEMORY_ALIASES_MAX, MEMORY_CHARS_MAX, Memory, MemoryKind,
    MemoryScope, Source, Speaker, Time,
};
use memoir_journal::{
    Admission, Audience, Filter, Journal, JournalError, Lookup, Order, Outcome, Page, Redacted, StoredEvent, View,
};
use memoir_redact::Redactor;
use serde_json::json;
use std::cell::OnceCell;
use std::time::Duration;

/// So many memories of a project are compared with a new one, the newest first.
const COMPARED_MAX: usize = 5_000;
const PAGE: usize = 500;
/// Who takes a memory in holds up others no longer than this.
const TURN_MS: i64 = 5_000;
/// So often somebody asks whether it is their turn, with a pause between.
const TURN_TRIES_MAX: usize = 400;
const TURN_PAUSE: Duration = Duration::from_millis(5);

/// Why a memory was not taken.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// It says nothing.
    #[error("a memory needs a text")]
    Empty,
    /// It says too much.
    #[error(
        "a memory has at most {MEMORY_CHARS_MAX} characters, this one has {0}: keep the point of it, the journal has the rest"
    )]
    TooLong(usize),
    /// It supersedes something that is not there.
    #[error("there is no memory {0}")]
    Unknown(String),
    /// The journal cannot take it.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What became of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// It is new.
    New,
    /// It was known, and was said again.
    Again,
    /// It was known under its name and says something else now.
    Changed,
    /// It was forgotten, and stays so.
    Forgotten,
}

/// A memory that was taken in.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// Its id; none if it stays forgotten.
    pub id: Option<EventId>,
    /// What became of it.
    pub said: Said,
    /// The memory as it is kept now.
    pub memory: Memory,
    /// What it took the place of.
    pub superseded: Vec<EventId>,
    /// What says otherwise, and nobody knows which is right.
    pub contradicts: Vec<EventId>,
    /// How many secrets were taken out.
    pub secrets: u64,
}

/// Takes memories into one journal.
pub struct Remembering<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// Takes secrets out.
    pub redactor: &'a Redactor,
    /// The time.
    pub now_ms: i64,
    /// A name that nothing else has, whenever it is asked.
    pub unique: &'a dyn Fn() -> String,
}

/// A memory that is known.
struct Known {
    stored: StoredEvent,
    memory: Memory,
    statement: OnceCell<Statement>,
    /// Something took its place.
    is_superseded: bool,
    /// Whether it holds for the same as what is given, or for more or fewer.
    is_elsewhere: bool,
}

impl Known {
    fn holds(&self) -> bool {
        self.memory.status.is_current() && !self.is_superseded
    }

    /// Read only of what is compared.
    fn statement(&self) -> &Statement {
        self.statement.get_or_init(|| Statement::of(&self.memory.text))
    }
}

impl Remembering<'_> {
    /// Takes one memory in.
    pub fn remember(&self, given: &Given) -> Result<Remembered, MemoryError> {
        let text = given.text.trim();
        let chars = text.chars().count();
        if text.is_empty() {
            return Err(MemoryError::Empty);
        }
        if chars > MEMORY_CHARS_MAX {
            return Err(MemoryError::TooLong(chars));
        }
        for id in &given.supersedes {
            if self.journal.event(&Lookup::Id(*id), &View::owner_all())?.is_none() {
                return Err(MemoryError::Unknown(id.to_string()));
            }
        }
        self.in_turn(|| self.take_in(given))
    }

    /// What is known is read and written by one at a time: two that say the same at once would each be the first. Who
    /// waits too long goes on all the same.
    fn in_turn<T>(&self, work: impl FnOnce() -> Result<T, MemoryError>) -> Result<T, MemoryError> {
        let owner = (self.unique)();
        let mut lease = None;
        for _ in 0..TURN_TRIES_MAX {
            lease = self.journal.lease("memories", &owner, TURN_MS)?;
            if lease.is_some() {
                break;
            }
            std::thread::sleep(TURN_PAUSE);
        }
        let done = work();
        if let Some(lease) = lease {
            self.journal.release(&lease)?;
        }
        done
    }

    fn take_in(&self, given: &Given) -> Result<Remembered, MemoryError> {
        let known = self.known(given)?;
        let here = || known.iter().filter(|one| !one.is_elsewhere);
        let of_uid = |uid: &str| here().find(|one| one.memory.uid == uid);
        if let Some(one) = given.uid.as_deref().and_then(of_uid) {
            if !given.is_stricter_than(&one.stored) {
                return self.change(given, one);
            }
            // Who may see an event is settled when it is stored: what is to be seen by fewer is told anew.
            let uid = format!("{}/{}/{}", one.memory.uid, given.secrecy, given.visibility);
            let told = of_uid(&uid);
            let stricter = Given { uid: Some(uid), supersedes: vec![one.stored.id], ..given.clone() };
            return told.map_or_else(|| self.add(&stricter, &known), |told| self.change(&stricter, told));
        }
        let statement = Statement::of(given.text.trim());
        let is_equal =
            |one: &&Known| one.holds() && is_of_one_kind(given, one) && statement.meets(one.statement()) == Meets::Same;
        let equal = here().find(|one| given.uid.is_none() && is_equal(one));
        match equal {
            Some(one) if given.is_stricter_than(&one.stored) => {
                let supersedes = given.supersedes.iter().copied().chain([one.stored.id]).collect();
                self.add(&Given { supersedes, ..given.clone() }, &known)
            }
            // A file that is brought twice says nothing twice.
            Some(one) if given.way == Way::Brought => self.keep(given, one.memory.clone(), Said::Again, &[], &[]),
            Some(one) => self.again(given, one),
            None => self.add(given, &known),
        }
    }

    /// What is known in the same scope, and what holds there for more or in part of it, the newest first.
    fn known(&self, given: &Given) -> Result<Vec<Known>, JournalError> {
        let mut known = match given.scope {
            MemoryScope::User => self.known_in(given, None)?,
            _ => self.known_in(given, Some(given.project.clone()))?,
        };
        // What is the user's everywhere is in no project.
        if given.scope == MemoryScope::Project && !given.project.is_empty() {
            known.extend(self.known_in(given, Some(String::new()))?);
        }
        Ok(known)
    }

    fn known_in(&self, given: &Given, repo: Option<String>) -> Result<Vec<Known>, JournalError> {
        let event_type = Some(Kind::Memory.as_str().to_owned());
        let filter = Filter { repo, event_type, ..Filter::default() };
        let view = View::owner_all();
        let superseded = {
            let now = View::of(Audience::Owner).with_secret().with_private().with_sealed();
            self.journal.select(&filter, &now)?.hidden
        };
        let (mut known, mut page) = (Vec::new(), Page::first(PAGE, Order::NewestFirst));
        while known.len() < COMPARED_MAX {
            let found = self.journal.page(&filter, &view, &page)?;
            known.extend(found.events.into_iter().filter_map(|stored| {
                let memory = Memory::of_event(&stored.event)?;
                let is_elsewhere = memory.scope != given.scope;
                // What holds in one session is an exception to all else, and meant so.
                let is_of_session = |scope: &MemoryScope| matches!(scope, MemoryScope::Session(_));
                if is_elsewhere && (is_of_session(&memory.scope) || is_of_session(&given.scope)) {
                    return None;
                }
                let is_superseded = superseded.binary_search(&stored.seq).is_ok();
                Some(Known { stored, memory, statement: OnceCell::new(), is_superseded, is_elsewhere })
            }));
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        Ok(known)
    }

    /// Somebody's own memory, told anew.
    fn change(&self, given: &Given, one: &Known) -> Result<Remembered, MemoryError> {
        let memory =
            Memory { contradicts: one.memory.contradicts.clone(), ..memory_of(given, &one.memory.uid, self.redactor) };
        let said = if memory == one.memory { Said::Again } else { Said::Changed };
        self.keep(given, memory, said, &[], &[])
    }

    /// The same was said before: it counts the more.
    fn again(&self, given: &Given, one: &Known) -> Result<Remembered, MemoryError> {
        let mut memory = one.memory.clone();
        memory.reinforced = memory.reinforced.saturating_add(1);
        memory.reinforced_ms = Some(given.ts_ms.unwrap_or(self.now_ms));
        memory.pinned |= given.pinned;
        // What dream made and the user says themselves is theirs.
        memory.by_user |= memory.made_by.is_some() && given.made_by.is_none() && given.way == Way::Said;
        memory.kind = given.kind;
        memory.status = given.status;
        memory.confidence = memory.confidence.max(given.confidence);
        for alias in &given.aliases {
            memory.give_name(alias);
        }
        memory.aliases.truncate(MEMORY_ALIASES_MAX);
        for source in &given.sources {
            if !memory.sources.contains(source) {
                memory.sources.push(source.clone());
            }
        }
        self.keep(given, memory, Said::Again, &[], &[])
    }

    fn add(&self, given: &Given, known: &[Known]) -> Result<Remembered, MemoryError> {
        let uid = given.uid.clone().unwrap_or_else(|| self.uid_of_text(given, known));
        let mut memory = memory_of(given, &uid, self.redactor);
        if given.way != Way::Said && self.is_forgotten(given, &memory)? {
            let (superseded, contradicts) = (Vec::new(), Vec::new());
            return Ok(Remembered { id: None, said: Said::Forgotten, memory, superseded, contradicts, secrets: 0 });
        }
        let Met { older, against, newer } = self.met(given, known);
        memory.contradicts = against.iter().map(ToString::to_string).collect();
        let mut remembered = self.keep(given, memory.clone(), Said::New, &older, &against)?;
        if remembered.said == Said::Forgotten && given.way == Way::Said && given.uid.is_none() {
            let anew = Memory { uid: (self.unique)(), ..memory };
            remembered = self.keep(given, anew, Said::New, &older, &against)?;
        }
        if let Some(id) = remembered.id {
            for one in known.iter().filter(|one| against.contains(&one.stored.id)) {
                self.note_contradiction(one, id)?;
            }
            if let Some(newer) = newer {
                self.journal.append(&[self.admit(supersede(&[id], newer, given.actor.as_deref()))], &[])?;
            }
        }
        Ok(remembered)
    }

    /// What a statement that was not known takes the place of, what it is against, and what took its own place since it
    /// was said.
    fn met(&self, given: &Given, known: &[Known]) -> Met {
        let mut met = Met { older: given.supersedes.clone(), ..Met::default() };
        // Statements from elsewhere say themselves what they replace.
        if given.uid.is_some() {
            return met;
        }
        let statement = Statement::of(given.text.trim());
        let said_ms = given.ts_ms.unwrap_or(self.now_ms);
        let is_later = |one: &Known| given.ts_ms.is_some() && one.stored.ts_ms > said_ms;
        let others = known.iter().filter(|one| one.holds() && !given.supersedes.contains(&one.stored.id));
        let meets = |one| -> (&Known, Meets) {
            let one: &Known = one;
            let name = &one.memory.name;
            let is_named_so = given.name.as_ref().is_some_and(|given| given.eq_ignore_ascii_case(name));
            let meets = match (is_named_so && !one.is_elsewhere, is_later(one)) {
                (true, _) => Meets::Otherwise,
                (_, _) if !is_of_one_kind(given, one) => Meets::Apart,
                (_, true) => one.statement().meets(&statement),
                (_, false) => statement.meets(one.statement()),
            };
            (one, meets)
        };
        for (one, meets) in only_meant(others.map(meets).collect()) {
            let like = match meets {
                Meets::Same => Likeness::About,
                meets => meets.likeness(),
            };
            match like {
                // A rule of one project is an exception to what holds everywhere: neither takes the other's place.
                Likeness::About if one.is_elsewhere && meets != Meets::Same => met.against.push(one.stored.id),
                Likeness::Against => met.against.push(one.stored.id),
                Likeness::About if one.is_elsewhere => {}
                Likeness::About if is_later(one) => met.newer = met.newer.or(Some(one.stored.id)),
                Likeness::About => met.older.push(one.stored.id),
                Likeness::Equal | Likeness::Apart => {}
            }
        }
        met
    }

    /// Whether the user had it forgotten, in these words or in little other ones.
    fn is_forgotten(&self, given: &Given, memory: &Memory) -> Result<bool, JournalError> {
        let text = self.redactor.text(&memory.text);
        if self.journal.is_memory_forgotten(&given.project, &given.scope, &text)? {
            return Ok(true);
        }
        if given.way != Way::SaidByAgent || given.uid.is_some() {
            return Ok(false);
        }
        let hidden = self.journal.select(&Filter::default(), &View::owner_all())?.hidden;
        if hidden.is_empty() {
            return Ok(false);
        }
        let mut forgotten = self.journal.of_kind(Kind::Memory, 0)?;
        forgotten.retain(|seq| hidden.binary_search(seq).is_ok());
        let statement = Statement::of(&text);
        for seqs in forgotten.chunks(PAGE) {
            for stored in self.journal.unfiltered(seqs)? {
                let is_here = |memory: &Memory| {
                    memory.scope == given.scope
                        && (given.scope == MemoryScope::User || stored.event.repo == given.project)
                };
                let says_it = |memory: Memory| statement.meets(&Statement::of(&memory.text)) == Meets::Same;
                if Memory::of_event(&stored.event).filter(is_here).is_some_and(says_it) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What a statement is called whose maker does not say: after what it says, so that the same brought again is the
    /// same. The name is keyed: it tells nothing of a text that was purged.
    fn uid_of_text(&self, given: &Given, known: &[Known]) -> String {
        let said = format!("{}\0{:?}\0{}\0{}", given.project, given.scope, given.kind, given.text.trim());
        let hash = self.journal.hasher().hash(said.as_bytes());
        let uid: String = "t-".chars().chain(hash.iter().take(16).flat_map(|byte| hex(*byte))).collect();
        // What was superseded or settled and is said again is something new.
        if known.iter().any(|one| one.memory.uid == uid) { (self.unique)() } else { uid }
    }

    /// The older of two that deny each other knows of it too.
    fn note_contradiction(&self, one: &Known, newer: EventId) -> Result<(), MemoryError> {
        let mut memory = one.memory.clone();
        memory.contradicts.push(newer.to_string());
        let mut event = memory.into_event(&one.stored.event.repo);
        (event.secrecy, event.visibility) = (one.stored.event.secrecy, one.stored.event.visibility);
        self.journal.append(&[self.admit(event)], &[])?;
        Ok(())
    }

    /// Stores a memory, then that it takes the place of others.
    fn keep(
        &self,
        given: &Given,
        memory: Memory,
        said: Said,
        older: &[EventId],
        against: &[EventId],
    ) -> Result<Remembered, MemoryError> {
        let mut event = memory.clone().into_event(&given.project);
        event.actor.clone_from(&given.actor);
        if given.made_by.is_none() {
            event.speaker = Speaker::User;
        }
        event.time = given.ts_ms.map(Time::from_ms);
        (event.secrecy, event.visibility) = (given.secrecy, given.visibility);
        let redacted = self.admit(event);
        let secrets = redacted.secrets();
        let memory = Memory::of_event(redacted.event()).unwrap_or(memory);
        let outcome = self.journal.append(&[redacted], &[])?.pop();
        let id = outcome.as_ref().and_then(Outcome::id);
        let said = if id.is_none() { Said::Forgotten } else { said };
        let older: Vec<EventId> = older.iter().copied().filter(|older| Some(*older) != id).collect();
        if let Some(id) = id.filter(|_| !older.is_empty()) {
            self.journal.append(&[self.admit(supersede(&older, id, given.actor.as_deref()))], &[])?;
        }
        let superseded = if id.is_some() { older } else { Vec::new() };
        Ok(Remembered { id, said, memory, superseded, contradicts: against.to_vec(), secrets })
    }

    fn admit(&self, event: Event) -> Redacted {
        Admission::new(self.redactor, self.journal.hasher().clone()).admit(event)
    }
}

fn hex(byte: u8) -> [char; 2] {
    [byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0'))
}

/// The event that says that something took the place of others.
pub fn supersede(older: &[EventId], newer: EventId, actor: Option<&str>) -> Event {
    let ids: Vec<String> = older.iter().map(ToString::to_string).collect();
    let name = format!("{newer}/{}", ids.join("/"));
    let payload = Json::from_value(&json!({"version": 1, "ids": ids, "by": newer.to_string()}));
    let mut event = Event::new(Source::Memoir, "memoir", Kind::Supersede, Content::Payload(payload));
    event.actor = actor.map(str::to_owned);
    event.identities = vec![Identity::Named(name)];
    event
}

/// What came of comparing a statement with all that is known.
#[derive(Default)]
struct Met {
    older: Vec<EventId>,
    against: Vec<EventId>,
    /// It was said before something that takes its place.
    newer: Option<EventId>,
}

/// Whether two can say the same or otherwise. What happened, what is open and what mended something is told once; all
/// else is told as one kind today and as another tomorrow.
fn is_of_one_kind(given: &Given, one: &Known) -> bool {
    let states = |kind| !matches!(kind, MemoryKind::Fix | MemoryKind::Episode | MemoryKind::Question);
    given.kind == one.memory.kind || (states(given.kind) && states(one.memory.kind))
}
