//! Ranks what was said: the sessions that the first look chose, and the units in them, by all signals.

use crate::field::{Field, Spoken, Voice};
use crate::first_look::{FirstLook, role, shortness, unit_bm25};
use crate::long_units::LongUnits;
use crate::meaning::Near;
use crate::place::Place;
use crate::session_score::{SessionParts, session_score};
use crate::weights::{Signal, Weights};
use crate::when::{End, When};
use crate::words::{Found, bm25};
use jiff::tz::TimeZone;
use memoir_index::{Doc, IndexError};
use std::collections::{HashMap, HashSet};

/// In all chosen sessions, at most about so many units are scored.
const SESSION_UNITS_MAX: usize = 6_000;
/// Of a longer session only so many units before and after the best ones are scored.
const REACH: usize = 3;

/// How much of a word that tells a time is said by what was said then.
const MET_BY_TIME: f32 = 0.6;

/// What each signal added.
pub(crate) type Parts = Vec<(Signal, f32)>;

/// A ranked unit.
#[derive(Debug, Clone)]
pub(crate) struct RankedUnit {
    pub spoken: Spoken,
    /// Its score by what is said in and around it.
    pub said: f32,
    pub score: f32,
    /// The share of the query that it and its neighbours cover.
    pub coverage: f32,
    /// What the words of the query tell that it meets by when it was said.
    pub then: f32,
    /// How near it is in what it means, as far as that is believed.
    pub meaning: f32,
    pub parts: Parts,
}

/// A ranked session.
#[derive(Debug, Clone)]
pub(crate) struct RankedSession {
    pub session: u32,
    pub score: f32,
    pub parts: Parts,
    /// When its last unit was said.
    pub last_ms: i64,
}

/// Units and sessions, the best first.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub units: Vec<RankedUnit>,
    pub sessions: Vec<RankedSession>,
}

impl Ranking {
    fn sort(&mut self) {
        self.units.sort_by(|a: &RankedUnit, b: &RankedUnit| {
            b.score.total_cmp(&a.score).then_with(|| b.spoken.unit.seq.cmp(&a.spoken.unit.seq))
        });
        self.sessions.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.session.cmp(&a.session)));
    }
}

pub(crate) struct Ranker<'a> {
    pub weights: &'a Weights,
    pub when: &'a When,
    pub zone: &'a TimeZone,
    /// What recent is told from; 0 if nobody knows.
    pub now_ms: i64,
    /// Names in the query, in lower case.
    pub names: Vec<String>,
    pub place: &'a Place,
    /// Sessions of the time that the query means.
    pub then: Vec<u32>,
}

/// A session as it is scored: its units and how often each says each word.
pub(crate) struct Scene<'a> {
    pub session: u32,
    pub spoken: &'a [Spoken],
    /// How often each word is said, by word, then by unit.
    pub counts: Vec<Vec<f32>>,
    /// The same of words that follow each other.
    pub pairs: Vec<Vec<f32>>,
    pub short: f32,
    /// What long units say.
    pub long: &'a LongUnits,
    /// How much of a unit is what its neighbours speak of: a long one says much else.
    pub told_on: Vec<f32>,
}

impl Scene<'_> {
    fn new<'a>(
        field: &Field<'_>,
        weights: &Weights,
        (session, spoken): (u32, &'a [Spoken]),
        long: &'a LongUnits,
    ) -> Scene<'a> {
        let total: f32 = spoken.iter().map(|spoken| spoken.unit.len as f32).sum();
        let short = shortness(weights, total / (spoken.len().max(1)) as f32);
        let told_on = spoken
            .iter()
            .map(|one| (weights.long_length * field.mean_len / one.unit.len.max(1) as f32).min(1.0))
            .collect();
        let count = |found: &[Found]| {
            found.iter().map(|found| found.counts(spoken.iter().map(|one| one.doc))).collect::<Vec<_>>()
        };
        Scene { session, spoken, counts: count(&field.found), pairs: count(&field.pairs), short, long, told_on }
    }

    /// How often a unit says a word.
    fn count(&self, word: usize, at: usize) -> f32 {
        self.counts.get(word).and_then(|counts| counts.get(at)).copied().unwrap_or(0.0)
    }

    /// How often a unit says a word that may be meant by its neighbours too.
    fn count_near(&self, word: usize, at: Option<usize>) -> f32 {
        at.map_or(0.0, |at| self.count(word, at) * self.told_on.get(at).copied().unwrap_or(0.0))
    }
}

impl Ranker<'_> {
    /// Ranks everything that has a word of the query, and what is near to it.
    pub fn rank(&self, field: &Field<'_>, near: Option<&Near<'_>>) -> Result<Ranking, IndexError> {
        let look = FirstLook::new(field, self.weights);
        let bm = unit_bm25(self.weights, shortness(self.weights, field.mean_len));
        let long = LongUnits::find(field, &look, self.weights.long_length, bm)?;
        let best: HashSet<Doc> = look.units.iter().map(|(doc, _)| *doc).collect();
        let mut ranking = Ranking::default();
        let mut left = SESSION_UNITS_MAX;
        let mut brought: Vec<u32> = Vec::new();
        for session in self.then.iter().chain(near.map_or(&[][..], Near::sessions)) {
            if !look.chosen.contains(session) && !brought.contains(session) {
                brought.push(*session);
            }
        }
        for session in look.chosen.iter().chain(&brought) {
            let is_near = |doc: Doc| best.contains(&doc) || near.is_some_and(|near| near.has(doc));
            let spoken = within_reach(field.units_of(*session)?, is_near, &mut left);
            let scene = Scene::new(field, self.weights, (*session, &spoken), &long);
            let (units, session) = self.look_closely(field, &scene, &look, near);
            ranking.units.extend(units);
            ranking.sessions.push(session);
        }
        self.favour_an_end(&mut ranking, look.most);
        ranking.sort();
        if let Some(near) = near {
            near.weigh(&mut ranking, self.weights);
            ranking.sort();
        }
        Ok(ranking)
    }

    fn look_closely(
        &self,
        field: &Field<'_>,
        scene: &Scene<'_>,
        look: &FirstLook,
        meant: Option<&Near<'_>>,
    ) -> (Vec<RankedUnit>, RankedSession) {
        let weights = self.weights;
        let base = look.sessions.get(scene.session as usize).copied().unwrap_or(0.0);
        let time = self.time_of(scene.spoken) * weights.of(Signal::Time, weights.time);
        let (recency, place) = (self.recency(scene.spoken), self.place.of(scene.session));
        let near_here = place * weights.of(Signal::Place, weights.place);
        let words: Vec<(f32, f32, f32)> = (0..scene.spoken.len()).map(|at| self.words_of(field, scene, at)).collect();
        let by_time = self.met_by_time(field, scene);
        let mut units = Vec::with_capacity(scene.spoken.len());
        for (at, one) in scene.spoken.iter().enumerate() {
            let (own, near, pairs) = words.get(at).copied().unwrap_or_default();
            let said = own + near + pairs;
            let weighed = said * role(weights, one.voice, scene.short);
            let answer = self.answer_of(scene, &words, at);
            if weighed + answer <= 0.0 && !meant.is_some_and(|meant| meant.has(one.doc)) {
                continue;
            }
            let (speaker, manner) = (self.speaker(one), self.manner(one));
            let here = (weighed + answer) * (1.0 + speaker + manner);
            let around = base * weights.of(Signal::Session, weights.session_in_unit);
            let (coverage, then) = coverage(field, scene, (at, &by_time));
            let parts = vec![
                (Signal::Words, own),
                (Signal::Neighbours, near),
                (Signal::Pairs, pairs),
                (Signal::Role, weighed - said),
                (Signal::Answer, answer),
                (Signal::Speaker, (weighed + answer) * speaker),
                (Signal::Manner, (weighed + answer) * manner),
                (Signal::Session, around),
                (Signal::Time, (here + around) * time),
                (Signal::Recency, (here + around) * recency),
                (Signal::Place, (here + around) * near_here),
            ];
            units.push(RankedUnit {
                spoken: *one,
                said: said * (1.0 + speaker + manner),
                score: parts.iter().map(|(_, part)| part).sum(),
                coverage,
                then,
                meaning: 0.0,
                parts,
            });
        }
        let parts = SessionParts { base, time, recency, place };
        let session = session_score(field, scene, look, &units, parts, weights);
        (units, session)
    }

    /// What a unit says: alone, what its neighbours add, and what words that follow each other add. A long one is as good
    /// as its best stretch.
    fn words_of(&self, field: &Field<'_>, scene: &Scene<'_>, at: usize) -> (f32, f32, f32) {
        let Some(one) = scene.spoken.get(at) else { return (0.0, 0.0, 0.0) };
        let length = one.unit.len as f32 / field.mean_len;
        let whole = self.told(field, scene, (at, length), |word| scene.count(word, at));
        let Some(stretch) = scene.long.of(one.doc) else { return whole };
        let says = |word: usize| stretch.get(word).copied().unwrap_or(0.0);
        let length = length.min(self.weights.long_length);
        let best = self.told(field, scene, (at, length), says);
        let sum = |(own, near, pairs): (f32, f32, f32)| own + near + pairs;
        if sum(best) > sum(whole) { best } else { whole }
    }

    /// The same of that many times each word in a text of that length.
    fn told(
        &self,
        field: &Field<'_>,
        scene: &Scene<'_>,
        (at, length): (usize, f32),
        says: impl Fn(usize) -> f32,
    ) -> (f32, f32, f32) {
        let weights = self.weights;
        let bm = unit_bm25(weights, scene.short);
        let share = weights.of(Signal::Neighbours, scene.short);
        let (mut own, mut all) = (0.0, 0.0);
        for (word, found) in field.found.iter().enumerate() {
            let here = says(word);
            let mut near = 0.0;
            for (step, (before, after)) in weights.before.iter().zip(weights.after).enumerate() {
                let (earlier, later) = (at.checked_sub(step + 1), Some(at + step + 1));
                near += before * scene.count_near(word, earlier) + after * scene.count_near(word, later);
            }
            own += bm25(found.idf, here, bm, length);
            all += bm25(found.idf, here + share * near, bm, length);
        }
        let pair =
            |(pair, counts): (&Found, &Vec<f32>)| bm25(pair.idf, counts.get(at).copied().unwrap_or(0.0), bm, length);
        let pairs = field.pairs.iter().zip(&scene.pairs).map(pair).sum::<f32>();
        (own, all - own, pairs * weights.of(Signal::Pairs, weights.pairs))
    }

    /// What a question gets of its answer's score.
    fn answer_of(&self, scene: &Scene<'_>, words: &[(f32, f32, f32)], at: usize) -> f32 {
        let share = self.weights.of(Signal::Answer, self.weights.answer) * (1.0 - scene.short);
        let is = |at: usize, voice| scene.spoken.get(at).is_some_and(|one| one.voice == voice);
        if share <= 0.0 || !is(at, Voice::User) || !is(at + 1, Voice::Agent) {
            return 0.0;
        }
        words.get(at + 1).map_or(0.0, |(own, near, pairs)| (own + near + pairs) * share)
    }

    fn speaker(&self, one: &Spoken) -> f32 {
        let named = self.names.iter().any(|name| one.unit.traits.is_said_by(name));
        if named { self.weights.of(Signal::Speaker, self.weights.speaker) } else { 0.0 }
    }

    fn manner(&self, one: &Spoken) -> f32 {
        let (traits, weights) = (one.unit.traits, self.weights);
        if !weights.has(Signal::Manner) {
            return 0.0;
        }
        let when = |holds: bool, weight: f32| if holds { weight } else { 0.0 };
        when(traits.names_time() && self.when.asks_when, weights.names_time)
            + when(traits.first_person(), weights.first_person)
            - when(traits.asks(), weights.asks)
    }

    fn time_of(&self, spoken: &[Spoken]) -> f32 {
        if self.when.is_open() {
            return 0.0;
        }
        let ends = [spoken.first(), spoken.last()];
        ends.into_iter().flatten().map(|one| self.when.fit(one.unit.ts_ms, self.zone)).fold(0.0, f32::max)
    }

    /// How much of each word of the query a session meets by its time: who asks for `last week` need not find these words.
    fn met_by_time(&self, field: &Field<'_>, scene: &Scene<'_>) -> Vec<f32> {
        let fits = self.time_of(scene.spoken) * MET_BY_TIME;
        let met = |found: &Found| match fits > 0.0 && When::is_told_by(&found.word.text) {
            true => found.idf * fits,
            // `latest` says what is wanted, and nothing of what is.
            false if self.when.end == Some(End::Last) && When::is_last(&found.word.text) => found.idf,
            false => 0.0,
        };
        field.found.iter().map(met).collect()
    }

    /// How much a session counts for being recent.
    fn recency(&self, spoken: &[Spoken]) -> f32 {
        const DAY_MS: f32 = 86_400_000.0;
        let Some(last) = spoken.last().filter(|_| self.now_ms > 0) else { return 0.0 };
        let days = (self.now_ms - last.unit.ts_ms).max(0) as f32 / DAY_MS;
        self.weights.of(Signal::Recency, self.weights.recency) * (-days / self.weights.recency_days).exp2()
    }

    /// Of those that fit, the earliest or the latest is meant.
    fn favour_an_end(&self, ranking: &mut Ranking, most: f32) {
        let Some(end) = self.when.end.filter(|_| self.weights.has(Signal::Time)) else { return };
        let fits = |session: &&RankedSession| {
            self.when.is_open() || session.parts.iter().any(|(signal, part)| *signal == Signal::Time && *part > 0.0)
        };
        let mut order: Vec<(i64, u32)> =
            ranking.sessions.iter().filter(fits).map(|session| (session.last_ms, session.session)).collect();
        order.sort_unstable();
        let span = order.len().saturating_sub(1).max(1) as f32;
        let fits: HashMap<u32, f32> = (0..)
            .zip(&order)
            .map(|(at, (_, session))| {
                let late = at as f32 / span;
                (*session, if end == End::First { 1.0 - late } else { late })
            })
            .collect();
        let fit = |session: u32| fits.get(&session).copied().unwrap_or(0.0) * self.weights.end;
        for session in &mut ranking.sessions {
            add(&mut session.parts, Signal::Time, fit(session.session) * most);
            session.score += fit(session.session) * most;
        }
        for unit in &mut ranking.units {
            let bonus = unit.score * fit(unit.spoken.session);
            add(&mut unit.parts, Signal::Time, bonus);
            unit.score += bonus;
        }
    }
}

/// Adds to what a signal gave.
pub(crate) fn add(parts: &mut Parts, signal: Signal, value: f32) {
    match parts.iter_mut().find(|(known, _)| *known == signal) {
        Some((_, part)) => *part += value,
        None => parts.push((signal, value)),
    }
}

/// Of a session that is too long, only what is around the best units.
fn within_reach(mut spoken: Vec<Spoken>, is_near: impl Fn(Doc) -> bool, left: &mut usize) -> Vec<Spoken> {
    if spoken.len() > *left {
        let best = spoken.iter().enumerate().filter(|(_, spoken)| is_near(spoken.doc));
        let keep: HashSet<usize> = best.flat_map(|(at, _)| at.saturating_sub(REACH)..=at + REACH).collect();
        let mut at = 0;
        spoken.retain(|_| {
            at += 1;
            keep.contains(&(at - 1))
        });
    }
    *left = left.saturating_sub(spoken.len());
    spoken
}

/// The share of what the query's words tell that a unit and its neighbours have, and what of it they have by when they
/// were said: as far as they say what else is asked.
fn coverage(field: &Field<'_>, scene: &Scene<'_>, (at, by_time): (usize, &[f32])) -> (f32, f32) {
    let reach = at.saturating_sub(REACH)..(at + REACH + 1).min(scene.spoken.len());
    let (mut all, mut met, mut then) = (0.0, 0.0, 0.0);
    let (mut other, mut other_met) = (0.0, 0.0);
    for ((found, counts), by_time) in field.found.iter().zip(&scene.counts).zip(by_time) {
        let is_met = counts.get(reach.clone()).is_some_and(|near| near.iter().any(|count| *count > 0.0));
        let idf = if is_met { found.idf } else { 0.0 };
        all += found.idf;
        met += idf;
        if *by_time > 0.0 {
            then += if is_met { 0.0 } else { *by_time };
        } else {
            other += found.idf;
            other_met += idf;
        }
    }
    then *= if other > 0.0 { other_met / other } else { 0.0 };
    (if all > 0.0 { (met + then) / all } else { 0.0 }, then)
}
