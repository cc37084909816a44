//! Memories beside raw turns: found by what they are called or by what they say, kept out by what they know of
//! themselves.

use crate::claims::{asks_what_was, tells_what_was};
use crate::confidence;
use crate::echo::WHAT_WAS_WORTH;
use crate::names::{Callable, Called, called};
use crate::ordinary::{is_asked, is_framing};
use crate::policy;
use crate::rank::Parts;
use crate::request::Request;
use crate::scope::Scoped;
use crate::weights::{Signal, Weights};
use crate::words::{Found, bm25};
use memoir_event::{EventId, Memory, MemoryKind, MemoryScope};
use memoir_index::{IndexError, Reading, Word};
use memoir_journal::{Audience, Filter, Journal, JournalError, Lookup, Selection, Seq, StoredEvent, View};
use std::collections::{HashMap, HashSet};

/// So many memories are looked at for what they say.
const BY_TEXT_MAX: usize = 32;
/// What a memory says must cover this share of the query to count without its name.
const TEXT_COVERAGE: f32 = 0.6;
/// And so many of its words.
const TEXT_WORDS_MIN: usize = 2;
/// Where so much was said, a word tells little that more than this share of it has.
const COMMON_UNITS_MIN: f32 = 400.0;
const COMMON_SHARE: f32 = 0.05;
/// How much what is related to a memory counts.
const RELATED_WORTH: f32 = 0.8;

/// How much what a memory took the place of counts.
const HISTORY_WORTH: f32 = 0.9;

/// A memory that fits.
#[derive(Debug, Clone)]
pub(crate) struct FoundMemory {
    pub seq: Seq,
    pub score: f32,
    pub confidence: f32,
    pub parts: Parts,
}

pub(crate) struct MemorySearch<'a> {
    pub journal: &'a dyn Journal,
    pub reading: &'a Reading,
    pub request: &'a Request,
    pub scoped: &'a Scoped,
    pub weights: &'a Weights,
    /// Those that stand out in what they mean, with how far.
    pub meant: Option<&'a HashMap<Seq, f32>>,
}

/// A candidate and what speaks for it.
struct Candidate {
    stored: StoredEvent,
    memory: Memory,
    name: f32,
    covers: f32,
    text: f32,
    words: f32,
    /// How far it stands out in what it means.
    meant: f32,
}

impl MemorySearch<'_> {
    /// The memories that fit a query, the best first.
    pub fn find(
        &self,
        query: &str,
        words: &[Word],
        found: &[Found],
        ideal: f32,
    ) -> Result<Vec<FoundMemory>, IndexError> {
        let by_text = self.by_text(query, found);
        let mut seqs = self.reading.memories_called(words, &self.scoped.memories)?;
        let meant = self.meant.into_iter().flat_map(HashMap::keys);
        seqs.extend(by_text.keys().chain(meant));
        seqs.sort_unstable_by(|a, b| b.cmp(a));
        seqs.dedup();
        let mut candidates = self.candidates(&seqs, &by_text)?;
        let callables: Vec<Callable<'_>> = candidates
            .iter()
            .map(|one| Callable { names: one.memory.names().collect(), text: &one.memory.text })
            .collect();
        let worth = called(query, &callables, &|word| self.is_common(found, word));
        for (candidate, called) in candidates.iter_mut().zip(worth) {
            candidate.name = self.weights.of(Signal::Name, called.name);
            candidate.covers = called.covers;
        }
        // Where a memory is called by its name, what merely mentions the same is not what was asked for.
        let is_called = candidates.iter().any(|one| one.name >= 1.0);
        candidates.retain(|one| one.name > 0.0 || !is_called && (one.text >= TEXT_COVERAGE || one.meant > 0.0));
        let mut best: HashMap<Seq, Candidate> = HashMap::new();
        for candidate in self.with_history(self.with_related(candidates)?)? {
            let Some(candidate) = self.current(candidate)? else { continue };
            match best.get_mut(&candidate.stored.seq) {
                Some(known) if known.name >= candidate.name => {}
                _ => {
                    best.insert(candidate.stored.seq, candidate);
                }
            }
        }
        let is_about_now = !asks_what_was(query) && !self.request.view.shows_history();
        let scored = |one: Candidate| {
            let worth = if is_about_now && tells_what_was(&one.memory.text) { WHAT_WAS_WORTH } else { 1.0 };
            let found = self.scored(one, ideal);
            FoundMemory { score: found.score * worth, confidence: found.confidence * worth, ..found }
        };
        let mut list: Vec<FoundMemory> = best.into_values().map(scored).collect();
        list.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
        Ok(list)
    }

    /// Whether a word is said all the time here.
    fn is_common(&self, found: &[Found], word: &str) -> bool {
        let units = self.reading.lengths().units() as f32;
        let with = found.iter().find(|found| found.word.text == word).map_or(0, |found| found.units.len()) as f32;
        units >= COMMON_UNITS_MIN && with > units * COMMON_SHARE
    }

    /// The memories whose texts have the words of the query: the share that they cover, and BM25.
    fn by_text(&self, query: &str, found: &[Found]) -> HashMap<Seq, (f32, f32)> {
        // What a question is framed with is not what it is about.
        let is_framing = |found: &Found| found.word.stems.iter().any(|stem| is_framing(stem));
        let is_framed = is_asked(query) && !found.iter().all(is_framing);
        let found: Vec<&Found> = found.iter().filter(|found| !(is_framed && is_framing(found))).collect();
        let all: f32 = found.iter().map(|found| found.idf).sum();
        let mut docs: HashMap<u32, (f32, f32, usize)> = HashMap::new();
        for found in &found {
            for (doc, count, brief) in &found.units {
                if self.scoped.memory_shapes.contains(&brief.shape) {
                    let slot = docs.entry(*doc).or_default();
                    slot.0 += found.idf;
                    slot.1 += bm25(found.idf, *count as f32, self.weights.short_unit, 1.0);
                    slot.2 += 1;
                }
            }
        }
        let mut best: Vec<(u32, (f32, f32, usize))> =
            docs.into_iter().filter(|(_, (_, _, words))| *words >= TEXT_WORDS_MIN.min(found.len())).collect();
        best.sort_by(|a, b| b.1.1.total_cmp(&a.1.1).then(b.0.cmp(&a.0)));
        let seq = |(doc, (met, score, _)): (u32, (f32, f32, usize))| {
            Some((self.reading.unit(doc)?.seq, (if all > 0.0 { met / all } else { 0.0 }, score)))
        };
        best.into_iter().take(BY_TEXT_MAX).filter_map(seq).collect()
    }

    fn candidates(&self, seqs: &[Seq], by_text: &HashMap<Seq, (f32, f32)>) -> Result<Vec<Candidate>, JournalError> {
        let stored = self.journal.events(seqs, &View::owner_all())?;
        let candidate = |stored: StoredEvent| {
            let memory = Memory::of_event(&stored.event)?;
            let (text, words) = by_text.get(&stored.seq).copied().unwrap_or_default();
            let meant = self.meant.and_then(|meant| meant.get(&stored.seq)).copied().unwrap_or(0.0);
            Some(Candidate { stored, memory, name: 0.0, covers: 0.0, text, words, meant })
        };
        Ok(stored.into_iter().filter_map(candidate).filter(|one| self.is_for_reader(one)).collect())
    }

    /// Whether the memory holds where the reader is, and is for such readers at all.
    fn is_for_reader(&self, candidate: &Candidate) -> bool {
        let event = &candidate.stored.event;
        if !self.request.view.admits(event.visibility, event.secrecy) {
            return false;
        }
        if is_of_conversation(candidate, self.request) {
            return false;
        }
        match &candidate.memory.scope {
            // Of one session only what holds in it is asked for.
            MemoryScope::User | MemoryScope::Project if self.request.filter.session.is_some() => false,
            MemoryScope::User => true,
            MemoryScope::Project => admits(&self.scoped.memories, &candidate.stored),
            MemoryScope::Session(session) => {
                let asked = [&self.request.filter.session, &self.request.not_session];
                asked.into_iter().flatten().any(|asked| asked == session || asked.ends_with(&format!("-{session}")))
            }
        }
    }

    /// What took the place of a memory, if something did; none if it holds no more.
    fn current(&self, mut candidate: Candidate) -> Result<Option<Candidate>, JournalError> {
        if !self.request.view.shows_history()
            && let Some(newer) = self.journal.successor(candidate.stored.seq)?
        {
            let Some(stored) = self.journal.events(&[newer], &self.request.view)?.pop() else { return Ok(None) };
            let Some(memory) = Memory::of_event(&stored.event) else { return Ok(None) };
            candidate = Candidate { stored, memory, ..candidate };
            if !self.is_for_reader(&candidate) {
                return Ok(None);
            }
        }
        Ok(policy::holds(&candidate.memory, &self.request.view).then_some(candidate))
    }

    /// A relation brings what it relates.
    fn with_related(&self, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, JournalError> {
        let known: HashSet<Seq> = candidates.iter().map(|one| one.stored.seq).collect();
        let mut related = Vec::new();
        for candidate in candidates.iter().filter(|one| one.memory.kind == MemoryKind::Relation && one.name > 0.0) {
            for id in candidate.memory.related.iter().filter_map(|id| EventId::parse(id).ok()) {
                let Some(stored) = self.journal.event(&Lookup::Id(id), &View::owner_all())? else { continue };
                let Some(memory) = Memory::of_event(&stored.event).filter(|_| !known.contains(&stored.seq)) else {
                    continue;
                };
                let name = candidate.name * RELATED_WORTH;
                let Candidate { covers, text, words, meant, .. } = *candidate;
                related.push(Candidate { stored, memory, name, covers, text, words, meant });
            }
        }
        related.retain(|one| self.is_for_reader(one));
        candidates.extend(related);
        Ok(candidates)
    }

    /// Where history is asked for, a memory brings what it took the place of.
    fn with_history(&self, mut candidates: Vec<Candidate>) -> Result<Vec<Candidate>, JournalError> {
        if !self.request.view.shows_history() {
            return Ok(candidates);
        }
        let known: HashMap<Seq, [f32; 5]> = candidates
            .iter()
            .map(|one| (one.stored.seq, [one.name, one.covers, one.text, one.words, one.meant]))
            .collect();
        let now = View::of(Audience::Owner).with_secret().with_private().with_sealed();
        let hidden = self.journal.select(&Filter::default(), &now)?.hidden;
        let is_forgotten = |seq: &Seq| self.scoped.memories.hidden.binary_search(seq).is_ok();
        for seq in hidden.iter().filter(|seq| !is_forgotten(seq) && !known.contains_key(seq)) {
            let newer = self.journal.successor(*seq)?;
            let Some([name, covers, text, words, meant]) = newer.and_then(|newer| known.get(&newer)).copied() else {
                continue;
            };
            let Some(stored) = self.journal.events(&[*seq], &View::owner_all())?.pop() else { continue };
            let Some(memory) = Memory::of_event(&stored.event) else { continue };
            let (name, text, words) = (name * HISTORY_WORTH, text * HISTORY_WORTH, words * HISTORY_WORTH);
            candidates.push(Candidate { stored, memory, name, covers, text, words, meant });
        }
        candidates.retain(|one| self.is_for_reader(one));
        Ok(candidates)
    }

    fn scored(&self, candidate: Candidate, ideal: f32) -> FoundMemory {
        let Candidate { stored, memory, name, covers, text, words, meant } = candidate;
        let named = name * ideal.max(1.0);
        let again = (1.0 + memory.reinforced as f32).ln() * 0.05 + if memory.pinned { 0.1 } else { 0.0 };
        let reinforced = (named + words) * self.weights.of(Signal::Reinforced, again);
        let meaning = self.weights.of(Signal::Meaning, meant) * ideal.max(1.0);
        let parts = vec![
            (Signal::Words, words),
            (Signal::Name, named),
            (Signal::Reinforced, reinforced),
            (Signal::Meaning, meaning),
        ];
        let said = confidence::of_memory(Called { name, covers }, text, memory.confidence);
        let confidence = said.max(confidence::of_meaning(self.weights.of(Signal::Meaning, meant), 1));
        FoundMemory { seq: stored.seq, score: parts.iter().map(|(_, part)| part).sum(), confidence, parts }
    }
}

/// Whether the reader has it before them: it is made of nothing but what the conversation that asks says.
fn is_of_conversation(candidate: &Candidate, request: &Request) -> bool {
    let sources = &candidate.memory.sources;
    let is_here = |session: &String| request.has_before_it(session, candidate.stored.ts_ms);
    !sources.is_empty() && sources.iter().all(|source| source.session.as_ref().is_some_and(is_here))
}

fn admits(selection: &Selection, stored: &StoredEvent) -> bool {
    selection.admits(stored.seq, stored.origin, stored.shape, stored.ts_ms, stored.access())
}
