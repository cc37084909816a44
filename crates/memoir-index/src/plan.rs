//! What a query looks for: terms of the tokenizer, and a selection narrowed by its fields.
//!
//! The index and the scan of the unindexed tail both work from one plan, so that they answer alike.

use crate::query::{Clause, Field, Query, Sign, What};
use crate::token::{Role, Tokens};
use memoir_event::{Client, Event, Source, Speaker};
use memoir_journal::{Filter, Journal, JournalError, Selection, SessionEntry, View};

/// More terms than this in one query are left out.
pub(crate) const TERMS_MAX: usize = 512;
/// From this length on, a run of hexadecimal digits may be the beginning of a hash.
const HASH_PREFIX_CHARS: std::ops::Range<usize> = 7..40;

/// One thing to look for in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Leaf {
    /// This term.
    Term(String),
    /// A term that begins like this.
    Prefix(String),
    /// These terms at these distances from each other; at least two.
    Phrase(Vec<(u32, String)>),
    /// The same, but of the last term only the beginning is known.
    PhrasePrefix(Vec<(u32, String)>),
}

/// Leaves of which any will do; the best counts.
pub(crate) type Any = Vec<Leaf>;

/// A query, ready to be looked up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// All of these.
    pub must: Vec<Any>,
    /// If there is no `must`, one of these; they count either way.
    pub may: Vec<Any>,
    /// None of these.
    pub not: Vec<Any>,
    /// One label of each group.
    pub labels: Vec<Vec<String>>,
    /// None of these labels.
    pub not_labels: Vec<String>,
    /// Origins that must not be.
    pub not_origins: Vec<u32>,
    /// Shapes that must not be.
    pub not_shapes: Vec<u32>,
    /// What the caller selected, narrowed by fields.
    pub selection: Selection,
    /// Whether a part of the query was left out.
    pub cut: bool,
    /// Whether nothing can match.
    pub nothing: bool,
}

impl Plan {
    /// Plans `query` within `selection`.
    pub fn new(query: &Query, selection: &Selection, journal: &dyn Journal) -> Result<Plan, JournalError> {
        let mut plan = Plan { selection: selection.clone(), cut: query.is_cut(), ..Plan::default() };
        let mut groups = Groups::default();
        for clause in &query.clauses {
            match &clause.what {
                What::Field { field, value } => {
                    if !plan.narrow(clause, *field, value, journal, &mut groups)? {
                        plan.add(clause.sign, any_of_word(&format!("{}:{value}", field.name())));
                    }
                }
                What::Word(word) => plan.add(clause.sign, any_of_word(word)),
                What::Phrase(text) => plan.add(clause.sign, of_phrase(text)),
                What::Prefix(text) => plan.add(clause.sign, of_prefix(text)),
            }
        }
        for origins in groups.origins.into_iter().filter_map(|(_, numbers)| numbers) {
            intersect(&mut plan.selection.origins, origins);
        }
        groups.shapes.into_iter().for_each(|shapes| intersect(&mut plan.selection.shapes, shapes));
        plan.labels = groups.labels.into_iter().map(|(_, labels)| labels).collect();
        plan.drop_beyond_limit();
        plan.nothing = query.is_empty() || plan.selection.is_empty() || plan.says_nothing();
        Ok(plan)
    }

    /// Whether anything but filters is looked for: only then do scores mean something.
    pub fn is_scored(&self) -> bool {
        !self.must.is_empty() || !self.may.is_empty()
    }

    /// Every leaf that a match can show.
    pub fn shown(&self) -> impl Iterator<Item = &Leaf> {
        self.must.iter().chain(&self.may).flatten()
    }

    /// Every leaf there is.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.must.iter().chain(&self.may).chain(&self.not).flatten()
    }

    fn says_nothing(&self) -> bool {
        let filters = !self.labels.is_empty() || self.selection.origins.is_some() || self.selection.shapes.is_some();
        let words_out = !self.not.is_empty() || !self.not_labels.is_empty();
        let numbers_out = !self.not_origins.is_empty() || !self.not_shapes.is_empty();
        !(self.is_scored() || filters || words_out || numbers_out)
    }

    fn add(&mut self, sign: Sign, any: Any) {
        if any.is_empty() {
            return;
        }
        match sign {
            Sign::May => self.may.push(any),
            Sign::Must => self.must.push(any),
            Sign::Not => self.not.push(any),
        }
    }

    /// Applies `field:value`; false if the value is none that the field can have, so that it is mere words.
    fn narrow(
        &mut self,
        clause: &Clause,
        field: Field,
        value: &str,
        journal: &dyn Journal,
        groups: &mut Groups,
    ) -> Result<bool, JournalError> {
        let own = |value: &str| Some(value.to_owned());
        let filter = match field {
            Field::Session => Filter { session: own(value), ..Filter::default() },
            Field::Thread => Filter { thread: own(value), ..Filter::default() },
            Field::Repo => Filter { repo: own(value), ..Filter::default() },
            Field::Actor => Filter { actor: own(value), ..Filter::default() },
            Field::Source => match Source::parse(&value.to_ascii_lowercase()) {
                Some(source) => Filter { source: Some(source), ..Filter::default() },
                None => return Ok(false),
            },
            Field::Type => return self.narrow_type(clause.sign, value, journal, groups),
            Field::Speaker if Speaker::parse(&value.to_ascii_lowercase()).is_none() => return Ok(false),
            Field::Client if Client::parse(&value.to_ascii_lowercase()).is_none() => return Ok(false),
            Field::Speaker | Field::Client | Field::Topic | Field::Turn | Field::Action => {
                let label = label(field, value);
                match clause.sign {
                    Sign::Not => self.not_labels.push(label),
                    Sign::May | Sign::Must => groups.label(field, label),
                }
                return Ok(true);
            }
        };
        let mut origins = journal.select(&filter, &View::owner_all())?.origins.unwrap_or_default();
        if origins.is_empty() && field == Field::Session {
            origins = origins_of_sessions(journal, value)?;
        }
        match clause.sign {
            Sign::Not => self.not_origins = union(std::mem::take(&mut self.not_origins), origins),
            Sign::May | Sign::Must => groups.origin(field, origins),
        }
        Ok(true)
    }

    fn narrow_type(
        &mut self,
        sign: Sign,
        value: &str,
        journal: &dyn Journal,
        groups: &mut Groups,
    ) -> Result<bool, JournalError> {
        let select = |filter: Filter| journal.select(&filter, &View::owner_all());
        let by_event = select(Filter { event_type: Some(value.to_owned()), ..Filter::default() })?;
        let by_item = select(Filter { item_type: Some(value.to_owned()), ..Filter::default() })?;
        let shapes = union(by_event.shapes.unwrap_or_default(), by_item.shapes.unwrap_or_default());
        if shapes.is_empty() && memoir_event::Kind::parse(value).is_none() {
            return Ok(false);
        }
        match sign {
            Sign::Not => self.not_shapes = union(std::mem::take(&mut self.not_shapes), shapes),
            Sign::May | Sign::Must => groups.shapes = Some(union(groups.shapes.take().unwrap_or_default(), shapes)),
        }
        Ok(true)
    }

    fn drop_beyond_limit(&mut self) {
        let mut left = TERMS_MAX;
        for list in [&mut self.must, &mut self.not, &mut self.may] {
            let before = list.len();
            list.retain(|any| {
                let terms: usize = any.iter().map(Leaf::terms).sum();
                let fits = terms <= left;
                left = if fits { left - terms } else { left };
                fits
            });
            self.cut |= list.len() < before;
        }
    }
}

impl Leaf {
    const fn terms(&self) -> usize {
        match self {
            Leaf::Term(_) | Leaf::Prefix(_) => 1,
            Leaf::Phrase(terms) | Leaf::PhrasePrefix(terms) => terms.len(),
        }
    }
}

/// Values of one field are alternatives; different fields must all hold.
#[derive(Default)]
struct Groups {
    origins: Vec<(Field, Option<Vec<u32>>)>,
    shapes: Option<Vec<u32>>,
    labels: Vec<(Field, Vec<String>)>,
}

impl Groups {
    fn origin(&mut self, field: Field, numbers: Vec<u32>) {
        match self.origins.iter_mut().find(|(known, _)| *known == field) {
            Some((_, known)) => *known = Some(union(known.take().unwrap_or_default(), numbers)),
            None => self.origins.push((field, Some(numbers))),
        }
    }

    fn label(&mut self, field: Field, label: String) {
        match self.labels.iter_mut().find(|(known, _)| *known == field) {
            Some((_, labels)) => labels.push(label),
            None => self.labels.push((field, vec![label])),
        }
    }
}

fn union(mut a: Vec<u32>, b: Vec<u32>) -> Vec<u32> {
    a.extend(b);
    a.sort_unstable();
    a.dedup();
    a
}

fn intersect(known: &mut Option<Vec<u32>>, with: Vec<u32>) {
    *known = Some(match known.take() {
        Some(known) => known.into_iter().filter(|no| with.binary_search(no).is_ok()).collect(),
        None => with,
    });
}

fn label(field: Field, value: &str) -> String {
    format!("{}:{}", field.name(), value.to_lowercase())
}

/// What an event can be found by beside its text, origin and shape.
pub(crate) fn labels_of(event: &Event) -> impl Iterator<Item = String> {
    [
        Some(label(Field::Speaker, event.speaker.as_str())),
        event.client.map(|client| label(Field::Client, client.as_str())),
        event.topic.as_deref().map(|topic| label(Field::Topic, topic)),
        event.turn.as_deref().map(|turn| label(Field::Turn, turn)),
        event.action.as_deref().map(|action| label(Field::Action, action)),
    ]
    .into_iter()
    .flatten()
}

/// The tokens that stand for a query's text: no parts where the whole is known.
fn standing(tokens: &Tokens) -> Vec<(u32, String, Role)> {
    let keep = |role: Role| !matches!(role, Role::Part | Role::RunEnd);
    let list = tokens.iter().filter(|(_, token)| keep(token.role));
    list.map(|(term, token)| (token.position, term.to_owned(), token.role)).collect()
}

fn any_of_word(text: &str) -> Any {
    let tokens = Tokens::of(text);
    let standing = standing(&tokens);
    let [(_, term, role)] = standing.as_slice() else { return of_terms(standing) };
    match role {
        // A reader may have written it apart or together: both are meant.
        Role::Whole => {
            let parts = tokens.iter().filter(|(_, token)| token.role == Role::Part);
            let parts: Vec<(u32, String)> = parts.map(|(term, token)| (token.position, term.to_owned())).collect();
            vec![Leaf::Term(term.clone()), Leaf::Phrase(parts)]
        }
        Role::Single => vec![Leaf::Prefix(term.clone())],
        _ if HASH_PREFIX_CHARS.contains(&term.len()) && is_hash_like(term) => vec![Leaf::Prefix(term.clone())],
        _ => vec![Leaf::Term(term.clone())],
    }
}

fn is_hash_like(term: &str) -> bool {
    term.bytes().all(|byte| byte.is_ascii_hexdigit()) && term.bytes().any(|byte| byte.is_ascii_digit())
}

fn of_phrase(text: &str) -> Any {
    let standing = standing(&Tokens::of(text));
    if standing.len() == 1 { any_of_word(text) } else { of_terms(standing) }
}

fn of_terms(standing: Vec<(u32, String, Role)>) -> Any {
    let first = standing.first().map_or(0, |(position, ..)| *position);
    let mut terms: Vec<(u32, String)> =
        standing.into_iter().map(|(position, term, _)| (position - first, term)).collect();
    match terms.len() {
        0 => Any::new(),
        1 => terms.pop().map(|(_, term)| vec![Leaf::Term(term)]).unwrap_or_default(),
        _ => vec![Leaf::Phrase(terms)],
    }
}

fn of_prefix(text: &str) -> Any {
    match of_terms(standing(&Tokens::of(text))).pop() {
        Some(Leaf::Term(term)) => vec![Leaf::Prefix(term)],
        Some(Leaf::Phrase(terms)) => vec![Leaf::PhrasePrefix(terms)],
        _ => Any::new(),
    }
}

/// The beginning of a session's id that is long enough to stand for it.
const BEGINNING_CHARS_MIN: usize = 4;

/// So many sessions are looked through.
const SESSIONS_MAX: usize = 1_000_000;

/// At most so many sessions that begin alike are meant.
const ALIKE_MAX: usize = 64;

/// The origins of the sessions whose id, with or without the client's letters, begins so.
fn origins_of_sessions(journal: &dyn Journal, beginning: &str) -> Result<Vec<u32>, JournalError> {
    let mut origins = Vec::new();
    if beginning.chars().count() < BEGINNING_CHARS_MIN {
        return Ok(origins);
    }
    let sessions = journal.sessions(&Filter::default(), &View::owner_all(), SESSIONS_MAX, 0)?;
    let begin =
        |session: &SessionEntry| session.shown().starts_with(beginning) || session.session.starts_with(beginning);
    for session in sessions.iter().filter(|session| begin(session)).take(ALIKE_MAX) {
        let filter = Filter { session: Some(session.shown()), ..Filter::default() };
        let found = journal.select(&filter, &View::owner_all())?.origins.unwrap_or_default();
        origins = union(origins, found);
    }
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrase(terms: &[(u32, &str)]) -> Leaf {
        Leaf::Phrase(terms.iter().map(|(at, term)| (*at, (*term).to_owned())).collect())
    }

    #[test]
    fn a_word_with_punctuation_is_a_phrase_of_its_units() {
        assert_eq!(any_of_word("src/main.rs:42"), [phrase(&[(0, "src"), (1, "main"), (2, "rs"), (3, "42")])]);
        assert_eq!(any_of_word("obj.getName(x)"), [phrase(&[(0, "obj"), (1, "getname"), (3, "x")])]);
        assert_eq!(any_of_word("--release"), [Leaf::Term("release".to_owned())]);
    }

    #[test]
    fn an_identifier_is_meant_whole_or_apart() {
        let expected = [Leaf::Term("getname".to_owned()), phrase(&[(0, "get"), (1, "name")])];
        assert_eq!(any_of_word("getName"), expected);
        assert_eq!(of_phrase("get_name"), expected);
    }

    #[test]
    fn short_hashes_and_single_characters_are_beginnings() {
        assert_eq!(any_of_word("9fceb02"), [Leaf::Prefix("9fceb02".to_owned())]);
        assert_eq!(any_of_word("東"), [Leaf::Prefix("東".to_owned())]);
        assert_eq!(any_of_word("東京都"), [phrase(&[(0, "東京"), (1, "京都")])]);
        assert_eq!(of_prefix("src/ma"), [Leaf::PhrasePrefix(vec![(0, "src".to_owned()), (1, "ma".to_owned())])]);
    }
}
