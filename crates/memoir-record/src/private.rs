//! Private requests: from when until when a session does what the user does not want recorded, and which turns and
//! sub-agents belong to it.
//!
//! A prompt with a marker opens one, the user's next words end it. The sub-agents that work for it have files of their
//! own, and each hook call is a process of its own: what is known is shared between readers, and kept among the
//! journal's cursors as digests and times.

use crate::spool::Note;
use memoir_capture::Salt;
use memoir_event::Client;
use memoir_journal::{Cursor, Journal, JournalError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the names of these cursors begin with.
pub(crate) const PREFIX: &str = "private|";

/// So many turns and sub-agents of one request are remembered.
const NAMES_MAX: usize = 256;

/// So many requests of one session are remembered, the latest.
const REQUESTS_MAX: usize = 1024;

/// A session, in a form that tells nothing about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place(String);

impl Place {
    pub fn new(client: Client, session: &str, salt: Salt) -> Place {
        Place(format!("{client}|{}", digest(session, salt)))
    }

    /// As it is kept with a file's position.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it was kept.
    pub fn kept(text: &str) -> Place {
        Place(text.to_owned())
    }
}

/// The name of a turn, a sub-agent or a request, in a form that tells nothing about it.
pub(crate) fn digest(name: &str, salt: Salt) -> String {
    blake3::keyed_hash(&salt.0, name.as_bytes()).to_hex().chars().take(16).collect()
}

/// The name of a request that began in that turn at that time.
pub(crate) fn name_of(turn: Option<&str>, at_ms: Option<i64>, salt: Salt) -> String {
    digest(&format!("{} {}", turn.unwrap_or_default(), at_ms.unwrap_or_default()), salt)
}

/// One private request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    /// When the user asked, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_ms: Option<i64>,
    /// When the user said something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until_ms: Option<i64>,
    /// Whether the user has said something else since.
    #[serde(default)]
    is_over: bool,
    /// Digests of the turns and sub-agents that work for it.
    #[serde(default)]
    names: Vec<String>,
}

impl Request {
    /// Whether something happened in its time; what has no time did if it is not over.
    fn covers(&self, at_ms: Option<i64>) -> bool {
        let Some(at_ms) = at_ms else { return !self.is_over };
        let has_begun = self.from_ms.is_none_or(|from_ms| at_ms >= from_ms);
        has_begun && if self.is_over { self.until_ms.is_some_and(|until_ms| at_ms < until_ms) } else { true }
    }

    /// Adds what somebody else knows of the same request.
    fn join(&mut self, other: Request) {
        let both = |one: Option<i64>, other: Option<i64>| one.into_iter().chain(other).min();
        self.from_ms = both(self.from_ms, other.from_ms);
        self.until_ms = both(self.until_ms, other.until_ms);
        self.is_over |= other.is_over;
        for name in other.names {
            if !self.has(&name) && self.names.len() < NAMES_MAX {
                self.names.push(name);
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }
}

/// Requests of one session, by their names.
type Requests = BTreeMap<String, Request>;

/// Every private request that is known, for as many readers as want to know.
#[derive(Debug, Clone, Default)]
pub(crate) struct PrivateRequests(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether there is any: mostly there is none, and nobody has to wait for anybody.
    any: AtomicBool,
    by_session: Mutex<HashMap<Place, Requests>>,
}

impl PrivateRequests {
    /// All that a journal knows of.
    pub fn of(journal: &dyn Journal) -> Result<PrivateRequests, JournalError> {
        PrivateRequests::with_prefix(journal, PREFIX)
    }

    /// Those of one session.
    pub fn of_session(journal: &dyn Journal, place: &Place) -> Result<PrivateRequests, JournalError> {
        PrivateRequests::with_prefix(journal, &format!("{PREFIX}{}|", place.0))
    }

    fn with_prefix(journal: &dyn Journal, prefix: &str) -> Result<PrivateRequests, JournalError> {
        let known = PrivateRequests::default();
        for cursor in journal.cursors(prefix)? {
            known.hear(&cursor.stream, &cursor.position);
        }
        Ok(known)
    }

    /// Adds what a cursor tells of a request to what is known of it. The request, if the cursor is of one.
    pub fn hear(&self, stream: &str, position: &str) -> Option<(Place, String)> {
        let (place, name) = stream.strip_prefix(PREFIX)?.rsplit_once('|')?;
        let told: Request = serde_json::from_str(position).ok()?;
        self.0.any.store(true, Ordering::Relaxed);
        let place = Place::kept(place);
        self.lock().entry(place.clone()).or_default().entry(name.to_owned()).or_default().join(told);
        Some((place, name.to_owned()))
    }

    /// Adds what waits to be told of requests. Which requests that is about.
    pub fn hear_notes(&self, notes: &[Note], salt: Salt) -> Vec<(Place, String)> {
        let one = |note: &Note| match note {
            Note::Cursor { stream, position, .. } => self.hear(stream, position),
            Note::Private { client, session, turn, at_ms } => {
                let turn = turn.as_deref().map(|turn| digest(turn, salt));
                let (place, name) = (Place::new(*client, session, salt), name_of(turn.as_deref(), *at_ms, salt));
                self.begin(&place, &name, turn.as_deref(), *at_ms);
                Some((place, name))
            }
        };
        notes.iter().filter_map(one).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Requests>> {
        self.0.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether there is any at all.
    pub fn any(&self) -> bool {
        self.0.any.load(Ordering::Relaxed)
    }

    /// The request of that session that nothing has ended yet.
    pub fn open(&self, place: &Place) -> Option<String> {
        let by_session = self.lock();
        let mut open = by_session.get(place)?.iter().filter(|(_, request)| !request.is_over);
        open.next_back().map(|(name, _)| name.clone())
    }

    /// A request begins, in that turn.
    pub fn begin(&self, place: &Place, name: &str, turn: Option<&str>, at_ms: Option<i64>) {
        self.0.any.store(true, Ordering::Relaxed);
        let mut by_session = self.lock();
        let requests = by_session.entry(place.clone()).or_default();
        if requests.len() >= REQUESTS_MAX && !requests.contains_key(name) {
            let oldest = requests.iter().min_by_key(|(_, request)| request.from_ms).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| requests.remove(&oldest));
        }
        let request = requests.entry(name.to_owned()).or_default();
        (request.is_over, request.until_ms) = (false, None);
        request.from_ms = [request.from_ms, at_ms].into_iter().flatten().min();
        let is_new = turn.filter(|turn| !request.has(turn));
        request.names.extend(is_new.map(str::to_owned));
    }

    /// The user said something else: every request that was open then is over. Their names.
    pub fn end(&self, place: &Place, at_ms: Option<i64>) -> Vec<String> {
        let mut by_session = self.lock();
        let Some(requests) = by_session.get_mut(place) else { return Vec::new() };
        let mut ended = Vec::new();
        for (name, request) in requests.iter_mut() {
            // What is asked later is not ended by what was said before.
            let has_begun = at_ms.is_none_or(|at_ms| request.from_ms.is_none_or(|from_ms| from_ms <= at_ms));
            let is_known =
                request.is_over && request.until_ms.is_none_or(|until_ms| at_ms.is_none_or(|at_ms| at_ms >= until_ms));
            if has_begun && !is_known {
                (request.is_over, request.until_ms) = (true, at_ms);
                ended.push(name.clone());
            }
        }
        ended
    }

    /// A turn or a sub-agent works for that request. Says whether that is news.
    pub fn add(&self, place: &Place, request: &str, name: &str) -> bool {
        let mut by_session = self.lock();
        let Some(request) = by_session.get_mut(place).and_then(|requests| requests.get_mut(request)) else {
            return false;
        };
        let is_new = !request.has(name) && request.names.len() < NAMES_MAX;
        if is_new {
            request.names.push(name.to_owned());
        }
        is_new
    }

    /// A turn of that name is not private: those that were are over. The requests that had it.
    pub fn take_back(&self, place: &Place, turn: &str) -> Vec<String> {
        let mut by_session = self.lock();
        let requests = by_session.get_mut(place).into_iter().flatten();
        let had = requests.filter_map(|(name, request)| {
            let before = request.names.len();
            request.names.retain(|known| known != turn);
            (request.names.len() < before).then(|| name.clone())
        });
        had.collect()
    }

    /// Whether a turn belongs to that request.
    pub fn is_of(&self, place: &Place, request: &str, turn: &str) -> bool {
        self.lock().get(place).and_then(|requests| requests.get(request)).is_some_and(|request| request.has(turn))
    }

    /// Whether a turn is private.
    pub fn has(&self, place: &Place, turn: &str) -> bool {
        self.lock().get(place).is_some_and(|requests| requests.values().any(|request| request.has(turn)))
    }

    /// Whether something happened in the time of a request of that session.
    pub fn covers(&self, place: &Place, at_ms: Option<i64>) -> bool {
        let by_session = self.lock();
        at_ms.is_some()
            && by_session.get(place).is_some_and(|requests| requests.values().any(|request| request.covers(at_ms)))
    }

    /// The request that a sub-agent works for at that time; `asked` is the user's turn, where the client names it.
    pub fn of_agent(&self, place: &Place, agent: &str, asked: Option<&str>, at_ms: Option<i64>) -> Option<String> {
        let by_session = self.lock();
        let works_for = |request: &Request| {
            request.has(agent) || asked.map_or_else(|| request.covers(at_ms), |asked| request.has(asked))
        };
        by_session.get(place)?.iter().find(|(_, request)| works_for(request)).map(|(name, _)| name.clone())
    }

    /// Whether any request of that session came before that time: then it is in what sums the session up.
    pub fn any_before(&self, place: &Place, at_ms: Option<i64>) -> bool {
        let is_before = |request: &Request| match (request.from_ms, at_ms) {
            (Some(from_ms), Some(at_ms)) => from_ms <= at_ms,
            _ => true,
        };
        self.lock().get(place).is_some_and(|requests| requests.values().any(is_before))
    }

    /// How a journal keeps that request.
    pub fn cursor(&self, place: &Place, name: &str) -> Option<Cursor> {
        let by_session = self.lock();
        let request = by_session.get(place)?.get(name)?;
        let position = serde_json::to_string(request).ok()?;
        Some(Cursor { stream: format!("{PREFIX}{}|{name}", place.0), sequence: 0, position })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place::new(Client::Codex, "s", Salt::default())
    }

    #[test]
    fn a_request_lasts_from_its_prompt_to_the_next() {
        let (known, place) = (PrivateRequests::default(), place());
        assert!(!known.any());
        known.begin(&place, "r", Some("turn"), Some(1_000));
        let at = |at_ms| known.of_agent(&place, "agent", None, Some(at_ms));
        assert_eq!((at(999), at(1_000), at(9_000)), (None, Some("r".to_owned()), Some("r".to_owned())));
        assert_eq!(known.open(&place).as_deref(), Some("r"));
        assert!(known.end(&place, Some(500)).is_empty(), "what was said before ends nothing");
        assert_eq!(known.end(&place, Some(2_000)), ["r"]);
        assert_eq!((at(1_999).is_some(), at(2_000), known.open(&place)), (true, None, None));
        assert!(known.end(&place, Some(3_000)).is_empty(), "it is over already");
        assert_eq!(known.of_agent(&place, "agent", Some("turn"), Some(9_000)).as_deref(), Some("r"));
        assert_eq!(known.of_agent(&place, "agent", Some("other"), Some(1_500)), None);
        assert!(known.add(&place, "r", "agent") && !known.add(&place, "r", "agent"));
        assert_eq!(known.of_agent(&place, "agent", Some("other"), Some(9_000)).as_deref(), Some("r"));
        assert!(known.any_before(&place, Some(1_000)) && !known.any_before(&place, Some(999)));
    }

    #[test]
    fn a_request_survives_its_cursor_and_names_nobody() {
        let (known, place) = (PrivateRequests::default(), place());
        known.begin(&place, "r", Some("t"), Some(1));
        let cursor = known.cursor(&place, "r").unwrap();
        assert!(cursor.stream.starts_with("private|codex|") && cursor.stream.ends_with("|r"), "{}", cursor.stream);
        let request: Request = serde_json::from_str(&cursor.position).unwrap();
        assert_eq!(request, Request { from_ms: Some(1), names: vec!["t".into()], ..Request::default() });
        assert_eq!(digest("turn", Salt::default()).len(), 16);
    }

    #[test]
    fn requests_and_their_names_are_bounded() {
        let (known, place) = (PrivateRequests::default(), place());
        for n in 0..=REQUESTS_MAX {
            known.begin(&place, &format!("r{n}"), None, i64::try_from(n).ok());
        }
        assert_eq!(known.lock().get(&place).unwrap().len(), REQUESTS_MAX);
        assert!(known.cursor(&place, "r0").is_none() && known.cursor(&place, "r1").is_some());
        let added = (0..NAMES_MAX + 1).filter(|n| known.add(&place, "r1", &n.to_string())).count();
        assert_eq!(added, NAMES_MAX);
    }
}
