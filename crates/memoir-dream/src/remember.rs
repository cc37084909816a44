//! Takes a memory in: as something new, as something said again, or in the place of something older.

use crate::about::{Likeness, change_in, is_left_behind, likeness};
use crate::naming::{aliases_in, name_of};
use memoir_event::{
    Content, Event, EventId, Identity, Json, Kind, MEMORY_ALIASES_MAX, MEMORY_CHARS_MAX, MEMORY_NAME_CHARS_MAX, Memory,
    MemoryKind, MemoryScope, MemorySource, MemoryStatus, Secrecy, Source, Speaker, Time, Visibility,
};
use memoir_journal::{
    Admission, Audience, Filter, Journal, JournalError, Lookup, Order, Outcome, Page, Redacted, StoredEvent, View,
};
use memoir_redact::Redactor;
use serde_json::json;
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

/// A memory that somebody gives. What is left out is found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What it says.
    pub text: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// What it is called.
    pub name: Option<String>,
    /// What else it is called.
    pub aliases: Vec<String>,
    /// For whom it holds.
    pub scope: MemoryScope,
    /// The project.
    pub project: String,
    /// How far it holds.
    pub status: MemoryStatus,
    /// How sure it is.
    pub confidence: f32,
    /// Whether the user wants it always at hand.
    pub pinned: bool,
    /// How often it was said again, if that is known.
    pub reinforced: u32,
    /// When, in milliseconds since 1970.
    pub reinforced_ms: Option<i64>,
    /// Ids of memories that belong with it.
    pub related: Vec<String>,
    /// Where it is from.
    pub sources: Vec<MemorySource>,
    /// Who or what made it.
    pub made_by: Option<String>,
    /// Who says it.
    pub actor: Option<String>,
    /// When it was said, if not now.
    pub ts_ms: Option<i64>,
    /// How confidential it is.
    pub secrecy: Secrecy,
    /// Where it may appear.
    pub visibility: Visibility,
    /// What its maker calls it; the same again is the same memory.
    pub uid: Option<String>,
    /// Memories whose place it takes, by their ids.
    pub supersedes: Vec<EventId>,
    /// How it comes here.
    pub way: Way,
}

/// How a memory comes here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The user says it now: this holds, whatever was forgotten before.
    Said,
    /// A file or a program brings it: if it was forgotten, it stays so.
    Brought,
}

impl Given {
    /// Something that the user says, in a project.
    pub fn new(text: &str, project: &str) -> Given {
        Given {
            text: text.to_owned(),
            kind: MemoryKind::Fact,
            name: None,
            aliases: Vec::new(),
            scope: MemoryScope::Project,
            project: project.to_owned(),
            status: MemoryStatus::Active,
            confidence: 1.0,
            pinned: false,
            reinforced: 0,
            reinforced_ms: None,
            related: Vec::new(),
            sources: Vec::new(),
            made_by: None,
            actor: None,
            ts_ms: None,
            secrecy: Secrecy::Sensitive,
            visibility: Visibility::Normal,
            uid: None,
            supersedes: Vec::new(),
            way: Way::Said,
        }
    }

    /// Whether fewer may see it than that.
    fn is_stricter_than(&self, stored: &StoredEvent) -> bool {
        let event = &stored.event;
        self.secrecy.code() > event.secrecy.code() || self.visibility.code() > event.visibility.code()
    }
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
    /// Something took its place.
    is_superseded: bool,
}

impl Known {
    fn holds(&self) -> bool {
        self.memory.status.is_current() && !self.is_superseded
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
        let of_uid = |uid: &str| known.iter().find(|one| one.memory.uid == uid);
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
        let equal = known.iter().find(|one| given.uid.is_none() && one.holds() && is_equal(given, &one.memory));
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

    /// What is known in the same scope, the newest first.
    fn known(&self, given: &Given) -> Result<Vec<Known>, JournalError> {
        let event_type = Some(Kind::Memory.as_str().to_owned());
        let repo = (given.scope != MemoryScope::User).then(|| given.project.clone());
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
                let memory = Memory::of_event(&stored.event).filter(|memory| memory.scope == given.scope)?;
                let is_superseded = superseded.binary_search(&stored.seq).is_ok();
                Some(Known { stored, memory, is_superseded })
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
        memory.status = given.status;
        memory.confidence = memory.confidence.max(given.confidence);
        for alias in given
            .aliases
            .iter()
            .filter(|alias| !memory.names().any(|name| name == alias.as_str()))
            .cloned()
            .collect::<Vec<_>>()
        {
            memory.aliases.push(alias);
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
        let is_forgotten =
            || self.journal.is_memory_forgotten(&given.project, &given.scope, &self.redactor.text(&memory.text));
        if given.way == Way::Brought && is_forgotten()? {
            let (superseded, contradicts) = (Vec::new(), Vec::new());
            return Ok(Remembered { id: None, said: Said::Forgotten, memory, superseded, contradicts, secrets: 0 });
        }
        let change = change_in(&memory.text);
        let (mut older, mut against): (Vec<EventId>, Vec<EventId>) = (given.supersedes.clone(), Vec::new());
        // Statements from elsewhere say themselves what they replace.
        for one in
            known.iter().filter(|one| given.uid.is_none() && one.holds() && !given.supersedes.contains(&one.stored.id))
        {
            let names: Vec<&str> = one.memory.names().collect();
            let is_named_so = given.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(&one.memory.name));
            let like =
                if one.memory.kind == memory.kind { likeness(&memory.text, &one.memory.text) } else { Likeness::Apart };
            if is_named_so || like == Likeness::About || is_left_behind(&one.memory.text, &names, &change) {
                older.push(one.stored.id);
            } else if like == Likeness::Against {
                against.push(one.stored.id);
            }
        }
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
        }
        Ok(remembered)
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

fn is_equal(given: &Given, memory: &Memory) -> bool {
    given.kind == memory.kind && likeness(given.text.trim(), &memory.text) == Likeness::Equal
}

pub(crate) fn memory_of(given: &Given, uid: &str, redactor: &Redactor) -> Memory {
    let text = given.text.trim();
    // What it is called is taken from what may be kept of it.
    let kept = redactor.text(text);
    let name = given.name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| name_of(&kept));
    let mut aliases = given.aliases.clone();
    // Whoever brings names of their own knows best.
    if given.uid.is_none() || given.aliases.is_empty() {
        let change = change_in(&kept);
        aliases.extend(change.came.into_iter().chain(change.left));
        aliases.extend(aliases_in(&kept));
    }
    aliases.retain(|alias| !alias.trim().is_empty() && !alias.eq_ignore_ascii_case(&name));
    let mut seen: Vec<String> = Vec::new();
    aliases.retain(|alias| {
        let is_new = !seen.contains(&alias.to_lowercase());
        seen.push(alias.to_lowercase());
        is_new
    });
    aliases.truncate(MEMORY_ALIASES_MAX);
    Memory {
        aliases,
        scope: given.scope.clone(),
        status: given.status,
        confidence: given.confidence.clamp(0.0, 1.0),
        pinned: given.pinned,
        reinforced: given.reinforced,
        reinforced_ms: given.reinforced_ms,
        related: given.related.clone(),
        sources: given.sources.clone(),
        made_by: given.made_by.clone(),
        ..Memory::new(uid, given.kind, text, &name.chars().take(MEMORY_NAME_CHARS_MAX).collect::<String>())
    }
}
