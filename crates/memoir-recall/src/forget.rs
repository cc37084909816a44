//! Finds what somebody wants forgotten, and has it forgotten. Everything that recalls goes through the journal's view, so
//! what is forgotten there is forgotten everywhere, at once.

use crate::recall::RecallError;
use memoir_event::{Client, EventId};
use memoir_index::{Index, Query, Window};
use memoir_journal::{
    Admission, Chosen, Depth, Filter, Forgetting, ForgettingEntry, Journal, JournalError, Lookup, Order, Page,
    Redacted, Scope, Seq, Turn, View, comparable,
};
use memoir_redact::Redactor;
use std::collections::BTreeSet;

/// So many sessions are named where a turn is in several.
const SESSIONS_NAMED_MAX: usize = 5;
/// So many hits are looked at at once for the sessions they are in.
const TURN_HITS: usize = 500;
const EVENTS_A_PAGE: usize = 500;

/// What somebody wants forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unwanted {
    /// Ids of events, turns or memories.
    pub ids: Vec<String>,
    /// The session, by its id with or without the client's prefix.
    pub session: Option<String>,
    /// The project.
    pub project: Option<String>,
    /// The contributor.
    pub actor: Option<String>,
    /// Whatever says this.
    pub text: Option<String>,
    /// From this moment on.
    pub from_ms: Option<i64>,
    /// Up to and including this moment.
    pub to_ms: Option<i64>,
}

impl Choice {
    /// The wish that it be forgotten under a name.
    pub fn into_wish(self, depth: Depth, name: String, reason: Option<String>, by: Option<String>) -> Forgetting {
        Forgetting { name, chosen: self.chosen, depth, asked: self.asked, reason, by }
    }
}

impl Unwanted {
    /// Whether nothing is asked for: that would be everything.
    pub fn is_nothing(&self) -> bool {
        *self == Unwanted::default()
    }

    /// What is asked for by a name that is empty: nobody means that, and memoir's own events have empty names.
    fn blank(&self) -> Option<&'static str> {
        let named = [
            ("session", &self.session),
            ("project", &self.project),
            ("contributor", &self.actor),
            ("text", &self.text),
        ];
        let is_blank = |name: &Option<String>| name.as_ref().is_some_and(|name| name.trim().is_empty());
        named.into_iter().find(|(_, name)| is_blank(name)).map(|(what, _)| what)
    }

    fn has_scope(&self) -> bool {
        let time = self.from_ms.is_some() || self.to_ms.is_some();
        self.session.is_some() || self.project.is_some() || self.actor.is_some() || time
    }

    /// Whether only turns are asked for, in a session.
    fn names_turns(&self) -> bool {
        let others = [&self.project, &self.actor, &self.text].into_iter().flatten().count();
        let is_turn = |id: &String| EventId::parse(id).is_err();
        others == 0 && self.from_ms.is_none() && self.to_ms.is_none() && self.ids.iter().all(is_turn)
    }

    /// Refuses a reason that says what is to be forgotten: reasons are kept.
    pub fn check_reason(&self, reason: Option<&str>) -> Result<(), ForgetError> {
        let (Some(text), Some(reason)) = (&self.text, reason) else { return Ok(()) };
        let text = comparable(text);
        if !text.is_empty() && comparable(reason).contains(&text) {
            return Err(ForgetError::TellingReason);
        }
        Ok(())
    }

    /// What is asked for, in words that tell nothing of what it says.
    fn in_words(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        match self.ids.as_slice() {
            [] => {}
            [id] => words.push(id.clone()),
            ids => words.push(format!("{} ids", ids.len())),
        }
        let named = [("session", &self.session), ("project", &self.project), ("actor", &self.actor)];
        words.extend(named.iter().filter_map(|(what, name)| Some(format!("{what} {}", name.as_ref()?))));
        words.extend(self.text.as_ref().map(|_| "text".to_owned()));
        words.extend(self.from_ms.map(|ms| format!("from {}", memoir_event::format_ms(ms))));
        words.extend(self.to_ms.map(|ms| format!("up to {}", memoir_event::format_ms(ms))));
        words.join(", ")
    }
}

/// What a wish comes down to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which events, known or to come.
    pub chosen: Chosen,
    /// The events that are there now, hidden ones too.
    pub events: Vec<Seq>,
    /// Ids that nothing is known of: it is forgotten when it comes.
    pub unknown: Vec<String>,
    asked: String,
}

/// Why something could not be chosen.
#[derive(Debug, thiserror::Error)]
pub enum ForgetError {
    /// Nothing is known by that name, and it is no id that something could have.
    #[error("nothing is known as `{0}`: pass an event id, a turn or a memory; a session goes by --session")]
    Unknown(String),
    /// Ids name what they name; nothing else can be asked beside them.
    #[error("pass ids or describe what to forget, not both; only beside turns can their --session be named")]
    Both,
    /// Several sessions have a turn of that name.
    #[error("`{turn}` is a turn of several sessions ({sessions}): say which one with --session (`session` over HTTP)")]
    Ambiguous {
        /// The turn.
        turn: String,
        /// The sessions.
        sessions: String,
    },
    /// The session has no such turn.
    #[error("the session {session} has no turn `{turn}`")]
    NoTurn {
        /// The turn.
        turn: String,
        /// The session.
        session: String,
    },
    /// The reason says what is to be forgotten.
    #[error("the reason says what is to be forgotten, and it is kept: give another one")]
    TellingReason,
    /// A name is empty.
    #[error("the {0} to forget is empty: say which one")]
    Blank(&'static str),
    /// The search was stopped.
    #[error("stopped; nothing was forgotten")]
    Stopped,
    /// There is no forgetting of that name.
    #[error("nothing was forgotten as `{0}`: `memoir forgotten` lists what was")]
    NoForgetting(String),
    /// What was purged is gone.
    #[error("`{0}` was purged: its text is erased and cannot be brought back")]
    Purged(String),
    /// It was undone before.
    #[error("`{0}` was undone before")]
    Undone(String),
    /// The journal or the index cannot be read.
    #[error(transparent)]
    Recall(#[from] RecallError),
}

impl From<JournalError> for ForgetError {
    fn from(error: JournalError) -> ForgetError {
        ForgetError::Recall(error.into())
    }
}

/// Forgets in one journal.
pub struct Forgetter<'a> {
    /// The journal.
    pub journal: &'a dyn Journal,
    /// Its index.
    pub index: &'a Index,
    /// Takes secrets out of reasons.
    pub redactor: &'a Redactor,
    /// The time: a session or project is forgotten up to now.
    pub now_ms: i64,
}

impl Forgetter<'_> {
    /// What a wish comes down to; nothing is changed. `progress` gets done and total of what must be read through.
    pub fn choose(
        &self,
        unwanted: &Unwanted,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Choice, ForgetError> {
        if let Some(what) = unwanted.blank() {
            return Err(ForgetError::Blank(what));
        }
        let asked = unwanted.in_words();
        if !unwanted.ids.is_empty() {
            return match &unwanted.session {
                Some(session) if unwanted.names_turns() => self.by_turns(&unwanted.ids, session, asked),
                None if !unwanted.has_scope() && unwanted.text.is_none() => self.by_ids(&unwanted.ids, asked),
                _ => Err(ForgetError::Both),
            };
        }
        let scope = self.scope(unwanted)?;
        let within =
            if unwanted.has_scope() { Some(self.journal.chosen(&Chosen::Scope(scope.clone()))?) } else { None };
        let Some(text) = &unwanted.text else {
            let events = within.unwrap_or_default();
            return Ok(Choice { chosen: Chosen::Scope(scope), events, unknown: Vec::new(), asked });
        };
        let mut events = self.journal.grep(text, progress)?.ok_or(ForgetError::Stopped)?;
        if let Some(within) = within {
            events.retain(|seq| within.binary_search(seq).is_ok());
        }
        let events = self.journal.chosen(&Chosen::Events(events))?;
        Ok(Choice { chosen: Chosen::Events(events.clone()), events, unknown: Vec::new(), asked })
    }

    fn scope(&self, unwanted: &Unwanted) -> Result<Scope, ForgetError> {
        let session = unwanted.session.as_deref().map(Client::split_session);
        // What happens from now on is something else; but what is there goes, whatever clock it was stamped by.
        let to_ms = match unwanted.to_ms {
            Some(to_ms) => to_ms,
            None => self.now_ms.max(self.last_ms(unwanted)?),
        };
        Ok(Scope {
            client: session.and_then(|(client, _)| client),
            session: session.map(|(_, id)| id.to_owned()),
            repo: unwanted.project.clone(),
            actor: unwanted.actor.clone(),
            from_ms: unwanted.from_ms,
            to_ms: Some(to_ms),
        })
    }

    /// When the last event happened that is there.
    fn last_ms(&self, unwanted: &Unwanted) -> Result<i64, ForgetError> {
        let filter = Filter {
            repo: unwanted.project.clone(),
            session: unwanted.session.clone(),
            actor: unwanted.actor.clone(),
            from_ms: unwanted.from_ms,
            ..Filter::default()
        };
        let last = self.journal.page(&filter, &View::owner_all(), &Page::first(1, Order::NewestFirst))?;
        Ok(last.events.first().map_or(i64::MIN, |event| event.ts_ms))
    }

    fn by_ids(&self, ids: &[String], asked: String) -> Result<Choice, ForgetError> {
        let (mut events, mut unknown): (BTreeSet<Seq>, Vec<String>) = (BTreeSet::new(), Vec::new());
        let (mut to_come, mut of_turns) = (Vec::new(), BTreeSet::new());
        for id in ids {
            let lookup = Lookup::parse(id);
            let known =
                lookup.as_ref().map(|lookup| self.journal.event(lookup, &View::owner_all())).transpose()?.flatten();
            let of_id = match EventId::parse(id) {
                Ok(id) => self.journal.chosen(&Chosen::Ids(vec![id]))?,
                Err(_) => Vec::new(),
            };
            let of_turn = if known.is_none() && of_id.is_empty() { self.of_turn(id)? } else { Vec::new() };
            of_turns.extend(of_turn.iter().copied());
            let found: Vec<Seq> = known.map(|event| event.seq).into_iter().chain(of_id).chain(of_turn).collect();
            if found.is_empty() {
                to_come.push(EventId::parse(id).map_err(|_| ForgetError::Unknown(id.clone()))?);
                unknown.push(id.clone());
            }
            events.extend(found);
        }
        let events: Vec<Seq> = events.into_iter().collect();
        let chosen = if to_come.is_empty() && of_turns.is_empty() {
            Chosen::Events(events.clone())
        } else {
            self.all_of(&events, &of_turns, to_come)?
        };
        Ok(Choice { chosen, events, unknown, asked })
    }

    /// The events of turns of one session.
    fn by_turns(&self, turns: &[String], session: &str, asked: String) -> Result<Choice, ForgetError> {
        let mut events: BTreeSet<Seq> = BTreeSet::new();
        for turn in turns {
            let found = self.of_turn_in(turn, session)?;
            if found.is_empty() {
                return Err(ForgetError::NoTurn { turn: turn.clone(), session: session.to_owned() });
            }
            events.extend(found);
        }
        let chosen = {
            let events: Vec<Seq> = events.iter().copied().collect();
            self.all_of(&events, &events.iter().copied().collect(), Vec::new())?
        };
        Ok(Choice { chosen, events: events.into_iter().collect(), unknown: Vec::new(), asked })
    }

    /// Events by their ids, some of them to come, and whatever there will be of the turns of some of them.
    fn all_of(&self, events: &[Seq], of_turns: &BTreeSet<Seq>, to_come: Vec<EventId>) -> Result<Chosen, ForgetError> {
        let (mut ids, mut turns) = (Vec::new(), BTreeSet::new());
        for seqs in events.chunks(EVENTS_A_PAGE) {
            for stored in self.journal.events(seqs, &View::owner_all())? {
                ids.push(stored.id);
                if of_turns.contains(&stored.seq) {
                    turns.extend(Turn::of(&stored.event));
                }
            }
        }
        ids.extend(to_come);
        let turns: Vec<Turn> = turns.into_iter().collect();
        Ok(if turns.is_empty() { Chosen::Ids(ids) } else { Chosen::Turns { turns, ids } })
    }

    /// The events of a turn in a session: all of them, however many there are.
    fn of_turn_in(&self, turn: &str, session: &str) -> Result<Vec<Seq>, ForgetError> {
        let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
        let (mut found, mut page) = (Vec::new(), Page::first(EVENTS_A_PAGE, Order::OldestFirst));
        loop {
            let events = self.journal.page(&filter, &View::owner_all(), &page)?;
            let of_turn = events.events.iter().filter(|event| event.event.turn.as_deref() == Some(turn));
            found.extend(of_turn.map(|event| event.seq));
            match events.next {
                Some(next) => page.after = Some(next),
                None => return Ok(found),
            }
        }
    }

    /// The events of a turn, if one session alone has a turn of that name.
    fn of_turn(&self, turn: &str) -> Result<Vec<Seq>, ForgetError> {
        let sessions = self.sessions_with(turn)?;
        match sessions.as_slice() {
            [] => Ok(Vec::new()),
            [session] => self.of_turn_in(turn, session),
            several => {
                let more = if several.len() > SESSIONS_NAMED_MAX { " and more" } else { "" };
                let named: Vec<&str> = several.iter().take(SESSIONS_NAMED_MAX).map(String::as_str).collect();
                let sessions = format!("{}{more}", named.join(", "));
                Err(ForgetError::Ambiguous { turn: turn.to_owned(), sessions })
            }
        }
    }

    /// The sessions that have a turn of that name; of many, a few more than are named.
    fn sessions_with(&self, turn: &str) -> Result<Vec<String>, ForgetError> {
        if turn.trim().is_empty() || turn.contains('"') {
            return Ok(Vec::new());
        }
        let mut selection = self.journal.select(&Filter::default(), &View::owner_all())?;
        let mut origins: Vec<u32> = Vec::new();
        self.journal.origins(0, &mut |entry| origins.push(entry.no))?;
        let query = Query::parse(&format!("turn:\"{turn}\""));
        let window = Window { skip: 0, limit: TURN_HITS };
        let mut sessions: Vec<String> = Vec::new();
        while sessions.len() <= SESSIONS_NAMED_MAX {
            let hits = self.index.search(self.journal, &query, &selection, window, &mut |_, _| true);
            let seqs: Vec<Seq> = hits.map_err(RecallError::from)?.hits.iter().map(|hit| hit.seq).collect();
            let found = self.journal.events(&seqs, &View::owner_all())?;
            let looked_at: BTreeSet<u32> = found.iter().map(|event| event.origin).collect();
            if looked_at.is_empty() {
                break;
            }
            for stored in found.iter().filter(|stored| stored.event.turn.as_deref() == Some(turn)) {
                let session = Client::shown_session(stored.event.client, &stored.event.session);
                if !sessions.contains(&session) {
                    sessions.push(session);
                }
            }
            // Then everywhere else.
            let is_left = |no: &u32| {
                let is_before = selection.origins.as_ref().is_none_or(|left| left.binary_search(no).is_ok());
                is_before && !looked_at.contains(no)
            };
            let left: Vec<u32> = origins.iter().copied().filter(is_left).collect();
            selection.origins = Some(left);
        }
        Ok(sessions)
    }

    /// Forgets as a wish says. Invisible everywhere when this returns.
    pub fn forget(&self, forgetting: Forgetting) -> Result<(), ForgetError> {
        let admission = Admission::new(self.redactor, self.journal.hasher().clone());
        let batch: Vec<Redacted> = forgetting.into_events().into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[])?;
        Ok(())
    }

    /// Takes a forgetting back; what nothing else hides is there again. Says what it was, with how many events those are.
    pub fn undo(&self, name: &str, by: Option<String>) -> Result<ForgettingEntry, ForgetError> {
        let entries = self.journal.forgettings()?;
        let entry = entries.into_iter().find(|entry| entry.name == name);
        let mut entry = entry.ok_or_else(|| ForgetError::NoForgetting(name.to_owned()))?;
        match (entry.depth, entry.undone) {
            (Depth::Purge, _) => return Err(ForgetError::Purged(name.to_owned())),
            (Depth::Forget, true) => return Err(ForgetError::Undone(name.to_owned())),
            (Depth::Forget, false) => entry.events = self.journal.hidden_by_alone(name)?,
        }
        let admission = Admission::new(self.redactor, self.journal.hasher().clone());
        self.journal.append(&[admission.admit(Forgetting::undoing(name, by))], &[])?;
        Ok(entry)
    }
}
