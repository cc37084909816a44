//! The way of a query: words, units, ranks, blocks.

use crate::choose::Chosen;
use crate::confidence::{self, Evidence};
use crate::echo;
use crate::exact;
use crate::field::{Field, Spoken, Voice, Voices};
use crate::listed;
use crate::meaning::{Meaning, Near};
use crate::memories::{FoundMemory, MemorySearch};
use crate::ordinary::{asks_nothing, says_nothing};
use crate::outdated::Standing;
use crate::passage::Passage;
use crate::place::Place;
use crate::policy::{self, Blocked, Form, Gate};
use crate::projects::ProjectNames;
use crate::rank::{Parts, RankedSession, RankedUnit, Ranker};
use crate::request::{Answer, Block, Effort, Request, SessionBlock};
use crate::scope::Scoped;
use crate::sessions::{Named, SessionMap};
use crate::weights::{Signal, Weights};
use crate::when::{Asked, When};
use crate::words::{asks_for_questions, find, find_pairs, names_in};
use jiff::tz::TimeZone;
use memoir_event::{Kind, Memory};
use memoir_index::{Index, IndexError, Word, speech_of};
use memoir_journal::{Filter, Journal, JournalError, Seq, SessionEntry, StoredEvent};
use memoir_redact::Redactor;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// A longer query loses its end.
pub const QUERY_BYTES_MAX: usize = 16 << 10;
/// So many sessions are told beside the blocks.
const SESSIONS_TOLD_MAX: usize = 10;
/// So many sessions are looked at for their time alone.
const SESSIONS_THEN_MAX: usize = 16;
/// So many where the last is asked for.
const LAST_SESSIONS_MAX: usize = 3;
/// So much of what a user said in each is told, where nothing but a time is asked for.
const SAID_THEN_MAX: usize = 3;
/// So much of what a session says is looked at where nothing in it fits.
const SPOKEN_OF_SESSION_MAX: usize = 200;
/// Blocks are looked at in portions of this size, until there are enough.
const PORTION: usize = 16;

/// Why nothing could be recalled.
#[derive(Debug, thiserror::Error)]
pub enum RecallError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Recalls from one journal; keeps what it learns of it between questions.
pub struct Recall {
    sessions: Mutex<Arc<SessionMap>>,
    weights: Weights,
    redactor: Arc<Redactor>,
    meaning: Option<Arc<dyn Meaning>>,
    blocked: Blocked,
}

/// What speaks for an event, and how.
struct Offer {
    seq: Seq,
    score: f32,
    confidence: f32,
    parts: Parts,
    /// The session that it is said in, of a unit.
    session: Option<u32>,
}

impl Recall {
    /// Recall that looks for secrets with those rules once more.
    pub fn new(redactor: Arc<Redactor>) -> Recall {
        let (sessions, weights, blocked) = (Mutex::default(), Weights::default(), Blocked::default());
        Recall { sessions, weights, redactor, meaning: None, blocked }
    }

    /// With other weights, for measuring.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Recall {
        Recall { weights, ..self }
    }

    /// With somebody who knows what things mean.
    #[must_use]
    pub fn with_meaning(self, meaning: Option<Arc<dyn Meaning>>) -> Recall {
        Recall { meaning, ..self }
    }

    /// Without what the owner keeps back, whoever asks.
    #[must_use]
    pub fn without(self, blocked: Blocked) -> Recall {
        Recall { blocked, ..self }
    }

    /// The few things from the past that help.
    pub fn recall(
        &self,
        journal: &dyn Journal,
        index: &Index,
        request: &Request,
        progress: &mut dyn FnMut(Seq, Seq) -> bool,
    ) -> Result<Answer, RecallError> {
        let query = request.query.get(..request.query.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default();
        let words = Word::all(query);
        let when = When::of(query, request.now_ms, &request.zone);
        let is_empty = (words.is_empty() && when.is_open() && when.end.is_none()) || asks_nothing(query);
        let tells_session = request.tells_session && request.filter.session.is_some();
        if (is_empty && !tells_session) || request.limit == 0 {
            return Ok(Answer::default());
        }
        let sessions = self.sessions(journal)?;
        let voices = Voices::read(journal)?;
        let scoped = Scoped::new(journal, request, &sessions, &voices)?;
        let mut reading = index.reading(journal, scoped.spoken.clone(), progress)?;
        let notes = std::mem::take(&mut reading.notes);
        let found = find(&reading, words.clone(), request.effort)?;
        let pairs = if self.weights.has(Signal::Pairs) { find_pairs(&reading, &found)? } else { Vec::new() };
        let mean_len = reading.lengths().stems() as f32 / reading.lengths().units().max(1) as f32;
        let field = Field {
            reading: &reading,
            sessions: &sessions,
            voices: &voices,
            found,
            pairs,
            mean_len: mean_len.max(1.0),
        };
        let whereabouts = (request.here.as_deref(), request.files.as_slice());
        let place = Place::find(journal, index, (&sessions, &voices), whereabouts, &scoped.anything)?;
        let names = names_in(query);
        let (weights, zone, now_ms) = (&self.weights, &request.zone, request.now_ms);
        let asked = if when.is_all_that_is_asked(query) { Asked::OnlyTime } else { Asked::Something };
        let then = self.sessions_then(journal, request, (&when, asked), (&sessions, &scoped))?;
        let ranker = Ranker { weights, when: &when, zone, now_ms, names, place: &place, then };
        let meaning = self.meaning.as_ref().filter(|_| self.weights.has(Signal::Meaning));
        let question = meaning.and_then(|meaning| meaning.of(journal, query));
        let is_memory = |shape: u32| scoped.memory_shapes.contains(&shape);
        let near = question.and_then(|question| Near::find(question, &field, &is_memory));
        let mut ranking = ranker.rank(&field, near.as_ref())?;
        let questions = self.weights.has(Signal::Manner) && !asks_for_questions(query);
        if request.leaves_out_echoes || questions {
            echo::leave_out(journal, &field, query, (request.leaves_out_echoes, questions), &mut ranking.units)?;
        }
        let ideal = field.found.iter().map(|found| found.idf).sum::<f32>() * 1.6;
        let meant = near.as_ref().map(Near::memories);
        let search =
            MemorySearch { journal, reading: &reading, request, scoped: &scoped, weights: &self.weights, meant };
        let memories: Vec<Offer> =
            search.find(query, &words, &field.found, ideal)?.into_iter().map(Offer::from).collect();
        let mut answer = Answer { notes, ..Answer::default() };
        let mut then = Vec::new();
        if asked == Asked::OnlyTime {
            then = self.said_then(&ranker.then, &field, &when, zone)?;
            // What merely says `week` or `March` is not what was asked for.
            ranking.units.retain(|unit| when.has(unit.spoken.unit.ts_ms, zone));
        }
        let (ranked, units) = (ranking.sessions, units(ranking.units, ideal));
        let is_answered = [&memories, &units, &then].into_iter().flatten().any(Offer::is_as_sure_as_typed);
        let mut typed = exact::terms(query);
        // What all of a query says is looked up where nothing else helps, or something is looked up anyway; and where
        // somebody asked: a prompt that happens to stand in a log is no question about it.
        if request.effort == Effort::Full && !(typed.is_empty() && is_answered) {
            typed.extend(exact::verbatim(query, &words));
        }
        let exact = self.exact(journal, index, &typed, (&scoped, &voices))?;
        let passage = Passage::new(&field.found, &typed);
        let offers = best_first([memories, units, exact, then]);
        answer.sessions = told(&ranked, &sessions, &offers, request);
        self.fill(journal, (request, &scoped), &offers, &passage, &mut answer)?;
        if answer.blocks.is_empty() && tells_session {
            let request = Request { min_confidence: 0.0, ..request.clone() };
            let offers = best_of_session(journal, &request, offers, &field)?;
            self.fill(journal, (&request, &scoped), &offers, &passage, &mut answer)?;
        }
        Ok(answer)
    }

    /// The sessions of the time that the query means, the best first: what was said then may be said in other words.
    fn sessions_then(
        &self,
        journal: &dyn Journal,
        request: &Request,
        (when, asked): (&When, Asked),
        (sessions, scoped): (&SessionMap, &Scoped),
    ) -> Result<Vec<u32>, RecallError> {
        let mut then: Vec<(f32, u32)> = Vec::new();
        let is_for_me = |session: &u32| sessions.origins(*session).any(|origin| scoped.has_origin(origin));
        if when.is_open() && asked == Asked::OnlyTime {
            let mut last = journal.sessions(&request.filter, &request.view, SESSIONS_THEN_MAX, 0)?;
            only_from_here(&mut last, request);
            let named = last.iter().filter_map(|entry| sessions.named(entry.client, &entry.session));
            return Ok(named.filter(is_for_me).take(LAST_SESSIONS_MAX).collect());
        }
        let spans = if self.weights.has(Signal::Time) { when.spans(&request.zone, asked) } else { Vec::new() };
        for (from, to) in spans {
            let within =
                |known: Option<i64>, at: i64, choose: fn(i64, i64) -> i64| known.map_or(at, |known| choose(known, at));
            let filter = Filter {
                from_ms: Some(within(request.filter.from_ms, from, i64::max)),
                to_ms: Some(within(request.filter.to_ms, to, i64::min)),
                ..request.filter.clone()
            };
            let mut entries = journal.sessions(&filter, &request.view, SESSIONS_THEN_MAX, 0)?;
            if asked == Asked::OnlyTime {
                only_from_here(&mut entries, request);
            }
            for entry in entries {
                let Some(session) = sessions.named(entry.client, &entry.session) else { continue };
                if is_for_me(&session) && then.iter().all(|(_, known)| *known != session) {
                    let ends = [entry.first_ms, entry.last_ms].map(|ms| when.fit(ms, &request.zone));
                    then.push((ends.into_iter().fold(0.0, f32::max), session));
                }
            }
        }
        then.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        Ok(then.into_iter().map(|(_, session)| session).take(SESSIONS_THEN_MAX).collect())
    }

    /// What users said in sessions of the time that is asked for, where nothing but a time is asked for.
    fn said_then(
        &self,
        then: &[u32],
        field: &Field<'_>,
        when: &When,
        zone: &TimeZone,
    ) -> Result<Vec<Offer>, RecallError> {
        let mut offers = Vec::new();
        for (at, session) in then.iter().enumerate() {
            let spoken = field.units_of(*session)?;
            let mut asked: Vec<Spoken> = spoken.into_iter().filter(|one| one.voice == Voice::User).collect();
            if when.is_open() {
                // The last of the last session comes first.
                asked.reverse();
            } else if asked.iter().any(|one| when.has(one.unit.ts_ms, zone)) {
                asked.retain(|one| when.has(one.unit.ts_ms, zone));
            }
            for one in asked.iter().take(SAID_THEN_MAX) {
                let fit = match when.is_open() {
                    true => 1.0 / (at + 1) as f32,
                    false if when.has(one.unit.ts_ms, zone) => 1.0,
                    false => when.fit(one.unit.ts_ms, zone),
                };
                let parts = vec![(Signal::Time, fit)];
                let confidence = confidence::of_time(fit);
                offers.push(Offer { seq: one.unit.seq, score: fit, confidence, parts, session: Some(*session) });
            }
        }
        if offers.iter().any(|offer| offer.score >= 1.0) {
            offers.retain(|offer| when.is_open() || offer.score >= 1.0);
        }
        offers.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        Ok(offers)
    }

    /// The sessions as they are now.
    fn sessions(&self, journal: &dyn Journal) -> Result<Arc<SessionMap>, RecallError> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if !sessions.is_current(journal)? {
            Arc::make_mut(&mut sessions).refresh(journal)?;
        }
        Ok(Arc::clone(&sessions))
    }

    /// What is found as it was typed, with the share of it that each event has.
    fn exact(
        &self,
        journal: &dyn Journal,
        index: &Index,
        terms: &[String],
        (scoped, voices): (&Scoped, &Voices),
    ) -> Result<Vec<Offer>, RecallError> {
        if terms.is_empty() || !self.weights.has(Signal::Exact) {
            return Ok(Vec::new());
        }
        let hits = exact::find(journal, index, voices, terms, &scoped.anything)?;
        let most = hits.first().map_or(1.0, |(_, score)| score.max(f32::MIN_POSITIVE));
        let traces = exact::traces(journal, &hits)?;
        let offer = |(seq, score): (Seq, f32)| Offer {
            seq,
            score,
            confidence: if traces.contains(&seq) {
                confidence::of_trace(score / most)
            } else {
                confidence::of_exact(score / most)
            },
            parts: vec![(Signal::Exact, score)],
            session: None,
        };
        Ok(hits.into_iter().map(offer).collect())
    }

    /// Makes blocks of what is offered until there are enough.
    fn fill(
        &self,
        journal: &dyn Journal,
        (request, scoped): (&Request, &Scoped),
        offers: &[Offer],
        passage: &Passage,
        answer: &mut Answer,
    ) -> Result<(), RecallError> {
        let mut chosen = Chosen::new(request);
        let enough: Vec<&Offer> = offers.iter().filter(|offer| offer.confidence >= request.min_confidence).collect();
        let too_little = offers.len() - enough.len();
        let mut told: HashSet<Seq> = enough.iter().map(|offer| offer.seq).collect();
        for portion in enough.chunks(PORTION) {
            if chosen.is_full() {
                break;
            }
            let seqs: Vec<Seq> = portion.iter().map(|offer| offer.seq).collect();
            let events: HashMap<Seq, StoredEvent> =
                journal.events(&seqs, &request.view)?.into_iter().map(|event| (event.seq, event)).collect();
            for offer in portion {
                let stored = events.get(&offer.seq).filter(|stored| !request.has_said(stored));
                let Some(stored) = stored else { continue };
                let block = match Standing::of(journal, stored, (request, scoped))? {
                    Standing::Holds => self.block(stored, offer, passage, request),
                    Standing::Outdated(None) => None,
                    // Once is enough.
                    Standing::Outdated(Some(newer)) if told.contains(&newer.seq) => None,
                    Standing::Outdated(Some(newer)) => {
                        told.insert(newer.seq);
                        self.block(&newer, offer, passage, request)
                    }
                };
                if let Some(block) = block {
                    chosen.offer_in_turn(block);
                }
            }
        }
        (answer.blocks, answer.left_out, answer.tokens) = chosen.finish();
        ProjectNames::new(journal, request.view).call(&mut answer.blocks, &self.redactor)?;
        answer.left_out += too_little;
        for block in answer.blocks.iter_mut().filter(|block| block.memory.is_some()) {
            if request.view.shows_history() {
                block.superseded_by = listed::successor(journal, block.seq)?;
            }
            if let Some(memory) = &mut block.memory {
                listed::without_what_is_gone(journal, memory)?;
            }
        }
        Ok(())
    }

    fn block(&self, stored: &StoredEvent, offer: &Offer, passage: &Passage, request: &Request) -> Option<Block> {
        let event = &stored.event;
        if self.blocked.holds_back(event) {
            return None;
        }
        let said = speech_of(event).unwrap_or_else(|| event.content.plain());
        let is_typed = offer.parts.iter().any(|(signal, _)| *signal == Signal::Exact);
        if event.kind() != Kind::Memory && !is_typed && says_nothing(&said) {
            return None;
        }
        let (text, cut) = passage.of(&said);
        let text = policy::pass(event, &text, request, &self.redactor)?;
        let gate = Gate::new(&self.redactor, Form::Shown);
        Some(Block {
            seq: stored.seq,
            event_id: stored.id,
            memory: Memory::of_event(event).map(|memory| gate.memory(memory)),
            client: event.client,
            session: gate.text(&event.session),
            turn: event.turn.as_deref().map(|turn| gate.text(turn)),
            action: event.action.clone(),
            repo: gate.text(&event.repo),
            project: None,
            actor: event.actor.as_deref().map(|actor| gate.text(actor)),
            ts_ms: stored.ts_ms,
            kind: event.kind(),
            source: event.source,
            speaker: event.speaker,
            score: offer.score,
            confidence: offer.confidence,
            text,
            cut,
            signals: offer.parts.clone(),
            same: Vec::new(),
            elsewhere: request.here.as_deref().is_some_and(|here| !event.repo.is_empty() && here != event.repo),
            superseded_by: None,
        })
    }
}

/// What a session says, the best first: what has any of the query, then what it came to, what its user asked for and what
/// the agent answered.
fn best_of_session(
    journal: &dyn Journal,
    request: &Request,
    mut offers: Vec<Offer>,
    field: &Field<'_>,
) -> Result<Vec<Offer>, RecallError> {
    let known: HashSet<Seq> = offers.iter().map(|offer| offer.seq).collect();
    let mut spoken: Vec<Spoken> = Vec::new();
    for entry in journal.sessions(&request.filter, &request.view, LAST_SESSIONS_MAX, 0)? {
        let Some(session) = field.sessions.named(entry.client, &entry.session) else { continue };
        spoken.extend(field.units_of(session)?);
    }
    spoken.retain(|one| one.voice != Voice::Thinking && !known.contains(&one.unit.seq));
    spoken.sort_by_key(|one| match one.voice {
        Voice::Note => 0,
        Voice::User => 1,
        _ => 2,
    });
    let offer = |one: Spoken| Offer {
        seq: one.unit.seq,
        score: 0.0,
        confidence: 0.0,
        parts: Vec::new(),
        session: Some(one.session),
    };
    offers.extend(spoken.into_iter().take(SPOKEN_OF_SESSION_MAX).map(offer));
    Ok(offers)
}

/// Where nothing but a time is asked for, what was done where the reader is, if anything was.
fn only_from_here(entries: &mut Vec<SessionEntry>, request: &Request) {
    let is_here = |entry: &SessionEntry| Some(&entry.repo) == request.here.as_ref();
    if entries.iter().any(is_here) {
        entries.retain(is_here);
    }
}

impl Offer {
    /// Whether it is at least as likely to help as anything that is found as it was typed.
    fn is_as_sure_as_typed(&self) -> bool {
        self.confidence >= confidence::of_exact(0.0)
    }
}

impl From<FoundMemory> for Offer {
    fn from(found: FoundMemory) -> Offer {
        let FoundMemory { seq, score, confidence, parts } = found;
        Offer { seq, score, confidence, parts, session: None }
    }
}

/// What was said, each with how likely it helps.
fn units(units: Vec<RankedUnit>, ideal: f32) -> Vec<Offer> {
    let best = units.first().map_or(1.0, |unit| unit.score.max(f32::MIN_POSITIVE));
    let offer = |(at, unit): (usize, RankedUnit)| {
        let (coverage, fit, of_best) = (unit.coverage, fit(&unit, ideal), unit.score / best);
        let confidence = confidence::of_unit(Evidence { coverage, fit, of_best, meaning: unit.meaning, rank: at + 1 });
        let (seq, session) = (unit.spoken.unit.seq, Some(unit.spoken.session));
        Offer { seq, score: unit.score, confidence, parts: unit.parts, session }
    };
    units.into_iter().enumerate().map(offer).collect()
}

/// All lists as one, the likeliest first; each list keeps its own order, and of equal ones the earlier list comes first.
fn best_first<const N: usize>(lists: [Vec<Offer>; N]) -> Vec<Offer> {
    let mut lists = lists.map(|list| list.into_iter().peekable());
    let mut offers = Vec::new();
    loop {
        let mut best: Option<(usize, f32)> = None;
        for (at, list) in lists.iter_mut().enumerate() {
            let sure = list.peek().map(|offer| offer.confidence);
            if let Some(sure) = sure.filter(|sure| best.is_none_or(|(_, most)| *sure > most)) {
                best = Some((at, sure));
            }
        }
        match best.and_then(|(at, _)| lists.get_mut(at)?.next()) {
            Some(offer) => offers.push(offer),
            None => return offers,
        }
    }
}

/// How well a unit says what was asked, by its words, from 0 to 1.
fn fit(unit: &RankedUnit, ideal: f32) -> f32 {
    let own = [Signal::Words, Signal::Neighbours];
    let words: f32 = unit.parts.iter().filter(|(signal, _)| own.contains(signal)).map(|(_, score)| score).sum();
    // A time that it meets counts as said; where nothing else is, it tells nothing.
    let words = if words > 0.0 { words + unit.then } else { 0.0 };
    if ideal > 0.0 { (words / ideal).clamp(0.0, 1.0) } else { 0.0 }
}

/// The sessions that fit; where little helps, only those that a block is from which is sure enough.
fn told(ranked: &[RankedSession], sessions: &SessionMap, offers: &[Offer], request: &Request) -> Vec<SessionBlock> {
    let enough = offers.iter().filter(|offer| offer.confidence >= request.min_confidence);
    let sure: HashSet<u32> = enough.filter_map(|offer| offer.session).collect();
    let is_wanted = |session: u32| {
        let is_blocked = |named: Named<'_>| request.blocked_sources.contains(&named.source);
        (request.min_confidence <= 0.0 || sure.contains(&session)) && !sessions.name(session).is_some_and(is_blocked)
    };
    let blocks = ranked.iter().filter(|ranked| is_wanted(ranked.session)).take(SESSIONS_TOLD_MAX);
    let blocks = blocks.filter_map(|ranked| {
        let named = sessions.name(ranked.session)?;
        Some(SessionBlock {
            client: named.client,
            session: named.session.to_owned(),
            score: ranked.score,
            signals: ranked.parts.clone(),
        })
    });
    blocks.collect()
}
