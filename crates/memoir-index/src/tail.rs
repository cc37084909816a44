//! The part of the journal that is not indexed yet: read, matched and scored like the rest, without a commit.

use crate::brief::{Brief, Sieve};
use crate::matching::{Matcher, Places};
use crate::plan::{Leaf, Plan, labels_of};
use crate::rank::{Ranked, Top};
use crate::reading::rounded;
use crate::schema::text_of;
use crate::speech::{Traits, speech_of};
use crate::stats::{Figures, TailFigures};
use crate::stem::Counted;
use crate::token::Tokens;
use memoir_event::Kind;
use memoir_journal::{Change, Journal, JournalError, Seq, StoredEvent};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::{Arc, OnceLock};
use tantivy::Term;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25Weight;
use tantivy::schema::Field;

/// How much of the change feed is read at once.
pub(crate) const CHUNK_EVENTS: usize = 128;
/// A tail that takes more memory than this is read again for each search.
const CACHE_BYTES_MAX: usize = 32 << 20;
/// What a byte of text and its tokens take.
const TOKENED_BYTES: usize = 5;
/// More matches than this in an unindexed tail are not ranked.
const MATCHES_MAX: usize = 200_000;

/// One unindexed event.
#[derive(Debug)]
pub(crate) struct TailEvent {
    pub seq: Seq,
    pub origin: u32,
    pub shape: u32,
    pub ts_ms: i64,
    pub access: u8,
    pub is_memory: bool,
    labels: Vec<String>,
    /// What it says; its tokens are made when a search first asks for them.
    text: String,
    tokens: OnceLock<Tokens>,
    /// What was said, if the event is speech; its stems are made when recall first asks for them.
    speech: Option<String>,
    stems: OnceLock<Counted>,
    traits: OnceLock<Traits>,
}

impl TailEvent {
    fn new(stored: &StoredEvent) -> TailEvent {
        TailEvent {
            seq: stored.seq,
            origin: stored.origin,
            shape: stored.shape,
            ts_ms: stored.ts_ms,
            access: stored.access(),
            is_memory: stored.event.kind() == Kind::Memory,
            labels: labels_of(&stored.event).collect(),
            text: text_of(&stored.event).into_owned(),
            tokens: OnceLock::new(),
            speech: speech_of(&stored.event).map(Cow::into_owned),
            stems: OnceLock::new(),
            traits: OnceLock::new(),
        }
    }

    fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| Tokens::of(&self.text))
    }

    /// About how much memory it takes, its tokens included.
    fn bytes(&self) -> usize {
        size_of::<TailEvent>() + TOKENED_BYTES * self.text.len() + self.speech.as_ref().map_or(0, String::len)
    }

    /// Whether a sieve lets it through.
    pub fn passes(&self, sieve: &Sieve) -> bool {
        sieve.admits_event(self.seq, self.origin, self.shape, self.ts_ms, self.access)
    }

    /// It in short.
    pub fn brief(&self) -> Brief {
        let len = self.said().map_or(0, |stems| rounded(stems.len()));
        Brief { origin: self.origin, shape: self.shape, len, access: self.access, is_gone: false }
    }

    /// The stems of what is said; none if nobody speaks in it.
    pub fn said(&self) -> Option<&Counted> {
        let speech = self.speech.as_ref()?;
        Some(self.stems.get_or_init(|| Counted::of(speech)))
    }

    /// What kind of speech it is; none if nobody speaks in it.
    pub fn traits(&self) -> Option<Traits> {
        let speech = self.speech.as_ref()?;
        Some(*self.traits.get_or_init(|| Traits::of(speech)))
    }

    fn is_selected(&self, plan: &Plan) -> bool {
        plan.selection.admits(self.seq, self.origin, self.shape, self.ts_ms, self.access)
            && plan.not_origins.binary_search(&self.origin).is_err()
            && plan.not_shapes.binary_search(&self.shape).is_err()
            && plan.labels.iter().all(|group| group.iter().any(|label| self.labels.contains(label)))
            && !plan.not_labels.iter().any(|label| self.labels.contains(label))
    }
}

/// Which events of a tail may say a stem, by a hash of it: who asks for many words looks at each event once.
#[derive(Default)]
pub(crate) struct TailWords(FxHashMap<u64, Vec<u32>>);

impl TailWords {
    pub fn of(tail: &[Arc<TailEvent>]) -> TailWords {
        let mut words = TailWords::default();
        for (at, event) in (0..).zip(tail) {
            for (stem, _) in event.said().iter().flat_map(|stems| &stems.counts) {
                words.0.entry(FxBuildHasher.hash_one(stem.as_str())).or_default().push(at);
            }
        }
        words
    }

    /// The places of the events that may say it.
    pub fn with(&self, stem: &str) -> &[u32] {
        self.0.get(&FxBuildHasher.hash_one(stem)).map_or(&[], Vec::as_slice)
    }
}

/// The events after the last commit, in their newest revision.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    after: Seq,
    upto: Seq,
    bytes: usize,
    events: Vec<Arc<TailEvent>>,
    places: HashMap<Seq, usize>,
}

impl Tail {
    /// The tail after `after`, going on from what is known of it, up to `last`; none if it takes too much memory.
    pub fn read(
        known: Option<&Arc<Tail>>,
        after: Seq,
        last: Seq,
        journal: &dyn Journal,
    ) -> Result<Option<Arc<Tail>>, JournalError> {
        let known = known.filter(|known| known.after == after);
        if let Some(known) = known.filter(|known| known.upto >= last) {
            return Ok(Some(Arc::clone(known)));
        }
        let mut tail = known.map_or_else(|| Tail { after, upto: after, ..Tail::default() }, |known| Tail::clone(known));
        while tail.upto < last {
            let changes = journal.changes(tail.upto, CHUNK_EVENTS)?;
            if changes.is_empty() {
                break;
            }
            for change in changes {
                tail.upto = change.seq();
                if let Change::Event(event) | Change::Revision { event, .. } = change {
                    tail.put(TailEvent::new(&event));
                }
            }
            if tail.bytes > CACHE_BYTES_MAX {
                return Ok(None);
            }
        }
        Ok(Some(Arc::new(tail)))
    }

    /// Everything between, whatever memory it takes.
    pub fn read_all(after: Seq, last: Seq, journal: &dyn Journal) -> Result<Tail, JournalError> {
        let mut tail = Tail { after, upto: after, ..Tail::default() };
        while tail.upto < last {
            let changes = journal.changes(tail.upto, CHUNK_EVENTS)?;
            if changes.is_empty() {
                break;
            }
            for change in changes {
                tail.upto = change.seq();
                if let Change::Event(event) | Change::Revision { event, .. } = change {
                    tail.put(TailEvent::new(&event));
                }
            }
        }
        Ok(tail)
    }

    /// Its events.
    pub fn events(&self) -> &[Arc<TailEvent>] {
        &self.events
    }

    /// The events of the index that it has in a newer revision, sorted.
    pub fn replaced(&self, indexed: Seq) -> Vec<Seq> {
        let mut seqs: Vec<Seq> = self.events.iter().map(|event| event.seq).filter(|seq| *seq <= indexed).collect();
        seqs.sort_unstable();
        seqs
    }

    fn put(&mut self, event: TailEvent) {
        self.bytes += event.bytes();
        let place = *self.places.entry(event.seq).or_insert(self.events.len());
        match self.events.get_mut(place) {
            Some(known) => *known = Arc::new(event),
            None => self.events.push(Arc::new(event)),
        }
    }
}

/// What matched in the tail, before it can be scored.
pub(crate) struct TailMatches<'p> {
    plan: &'p Plan,
    matcher: Matcher<'p>,
    places: Places,
    matches: HashMap<Seq, Match>,
    seen: HashMap<Seq, ()>,
    /// What the tail adds to the figures.
    pub figures: TailFigures,
    /// How many events were looked at.
    pub scanned: u64,
    /// How many matches were too many.
    pub dropped: u64,
}

struct Match {
    ts_ms: i64,
    norm: u8,
    counts: Vec<u32>,
}

impl<'p> TailMatches<'p> {
    pub fn new(plan: &'p Plan) -> TailMatches<'p> {
        let (matcher, places) = (Matcher::new(plan), Places::default());
        let (matches, seen, figures) = (HashMap::new(), HashMap::new(), TailFigures::default());
        TailMatches { plan, matcher, places, matches, seen, figures, scanned: 0, dropped: 0 }
    }

    /// Looks at a tail in memory.
    pub fn look_at(&mut self, tail: &Tail) {
        tail.events.iter().for_each(|event| self.look(event));
    }

    /// Looks at everything after `after` straight from the journal.
    pub fn look_through(&mut self, after: Seq, last: Seq, journal: &dyn Journal) -> Result<(), JournalError> {
        let mut upto = after;
        while upto < last {
            let changes = journal.changes(upto, CHUNK_EVENTS)?;
            if changes.is_empty() {
                break;
            }
            for change in changes {
                upto = change.seq();
                if let Change::Event(event) | Change::Revision { event, .. } = change {
                    self.look(&TailEvent::new(&event));
                }
            }
        }
        Ok(())
    }

    fn look(&mut self, event: &TailEvent) {
        self.scanned += 1;
        let tokens = event.tokens();
        self.matcher.places(tokens, &mut self.places);
        if self.seen.insert(event.seq, ()).is_none() {
            self.figures.docs += 1;
            self.figures.tokens += tokens.len() as u64;
            for (term, there) in self.matcher.exact_terms(&self.places) {
                if there {
                    *self.figures.doc_freq.entry(term.to_owned()).or_insert(0) += 1;
                }
            }
        }
        // A later revision may match where an earlier one did not, and the other way round.
        self.matches.remove(&event.seq);
        if !event.is_selected(self.plan) || !self.matcher.matches(&self.places) {
            return;
        }
        if self.matches.len() >= MATCHES_MAX {
            self.dropped += 1;
            return;
        }
        let counts = self.plan.shown().map(|leaf| self.matcher.count(leaf, &self.places)).collect();
        let len = u32::try_from(tokens.len()).unwrap_or(u32::MAX);
        let norm = FieldNormReader::fieldnorm_to_id(len);
        self.matches.insert(event.seq, Match { ts_ms: event.ts_ms, norm, counts });
    }

    /// The events that the tail has: what the index says of them is out of date. Sorted.
    pub fn replaced(&self, indexed: Seq) -> Vec<Seq> {
        let mut seqs: Vec<Seq> = self.seen.keys().copied().filter(|seq| *seq <= indexed).collect();
        seqs.sort_unstable();
        seqs
    }

    /// Offers every match to `top`.
    pub fn rank(&self, figures: &Figures<'_>, body: Field, top: &mut Top) -> tantivy::Result<()> {
        if self.matches.is_empty() {
            return Ok(());
        }
        let weights = self.plan.shown().map(|leaf| weight(leaf, figures, body)).collect::<tantivy::Result<Vec<_>>>()?;
        let groups: Vec<usize> = self.plan.must.iter().chain(&self.plan.may).map(Vec::len).collect();
        for (seq, found) in &self.matches {
            let mut scores = weights.iter().zip(&found.counts).map(|(weight, count)| match (weight, count) {
                (_, 0) => 0.0,
                (Some(weight), count) => weight.score(found.norm, *count),
                (None, _) => 1.0,
            });
            let score = groups.iter().fold(0.0, |sum, len| sum + scores.by_ref().take(*len).fold(0.0, f32::max));
            top.push(Ranked { score, ts_ms: found.ts_ms, seq: *seq });
        }
        Ok(())
    }
}

/// How much an occurrence counts; none for beginnings, which count the same whatever they stand for.
fn weight(leaf: &Leaf, figures: &Figures<'_>, body: Field) -> tantivy::Result<Option<Bm25Weight>> {
    let term = |text: &str| Term::from_field_text(body, text);
    let terms: Vec<Term> = match leaf {
        Leaf::Term(text) => vec![term(text)],
        Leaf::Phrase(terms) => terms.iter().map(|(_, text)| term(text)).collect(),
        Leaf::Prefix(_) | Leaf::PhrasePrefix(_) => return Ok(None),
    };
    Bm25Weight::for_terms(figures, &terms).map(Some)
}
