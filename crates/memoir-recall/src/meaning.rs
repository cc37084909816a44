//! What an embedding model adds, if there is one: it brings in what says the same in other words, and moves up what means
//! the same. It is believed as far as it agrees with the words: vectors that know nothing change nothing.

use crate::field::Field;
use crate::rank::{RankedUnit, Ranking, add};
use crate::weights::{Signal, Weights};
use memoir_index::Doc;
use memoir_journal::{Journal, Seq};
use std::collections::HashMap;

/// So many units are brought in by what they mean.
const NEAREST: usize = 48;
/// So many of their sessions are looked at beside those that have the words.
const SESSIONS_MAX: usize = 16;
/// So many units that have the words are compared by what they mean.
const COMPARED: usize = 160;
/// So many units from anywhere tell how near anything is.
const ANYWHERE: u32 = 96;
/// So many of the best units by their words tell whether to believe.
const WITNESSES: usize = 10;

/// If these are on the average not nearer than this, on the way from anything to the nearest, the vectors know nothing;
/// if they are as near as that, they are believed.
const DOUBTED: f32 = 0.2;
const BELIEVED: f32 = 0.4;

/// The nearest of some is by chance about so many deviations nearer than the others; that much more it hardly ever is.
const COMMON: f32 = 3.5;
const RARELY_MORE: f32 = 2.5;
/// How far apart things are is not known from a few of them: so much more, shared by as many as there are.
const UNKNOWN: f32 = 12.0;
/// Things are at least so far apart.
const DEVIATION_MIN: f32 = 0.03;
/// Among few, chance alone makes one stand out: it must also be nearer than the others by that much.
const LITTLE: f32 = 0.15;
const MUCH: f32 = 0.3;
/// So many of the nearest may be meant: they do not tell how near anything is.
const MEANT: std::ops::RangeInclusive<usize> = 1..=3;
/// And one in so many.
const MEANT_OF: usize = 10;
/// So many memories are looked at for what they mean.
const MEMORIES: usize = 8;

/// Knows how near events are to a question in what they mean.
pub trait Meaning: Send + Sync {
    /// The question in a form that can be compared; none if nobody can tell now.
    fn of<'a>(&'a self, journal: &dyn Journal, query: &str) -> Option<Box<dyn Nearness + 'a>>;
}

/// A question, comparable with events.
pub trait Nearness {
    /// The nearest events that are allowed, the nearest first, with how near they are, from -1 to 1.
    fn nearest(&self, count: usize, allowed: &mut dyn FnMut(Seq) -> bool) -> Vec<(Seq, f32)>;

    /// How near those events are of which it is known.
    fn near(&self, seqs: &[Seq]) -> Vec<(Seq, f32)>;
}

/// The units nearest to the question, and how to compare others.
pub(crate) struct Near<'a> {
    question: Box<dyn Nearness + 'a>,
    units: HashMap<Doc, f32>,
    /// The sessions that they bring in, the nearest first.
    sessions: Vec<u32>,
    /// How near anything is, and how near the nearest is.
    range: (f32, f32),
    /// How far apart things are in how near they are.
    deviation: f32,
    /// How many of those the nearest is nearer by chance: the more there are, the more.
    common: f32,
    /// Memories that stand out, with how far, from 0 to 1.
    memories: HashMap<Seq, f32>,
}

impl<'a> Near<'a> {
    /// Looks for the nearest units and memories, those of `is_memory`; none if there are no vectors to compare with.
    pub fn find(
        question: Box<dyn Nearness + 'a>,
        field: &Field<'_>,
        is_memory: &dyn Fn(u32) -> bool,
    ) -> Option<Near<'a>> {
        let unit = |seq: Seq| {
            let doc = field.reading.unit_at(seq)?;
            let unit = field.reading.unit(doc)?;
            Some((doc, field.place_of(unit.shape, unit.origin)?.1))
        };
        let nearest = question.nearest(NEAREST, &mut |seq| unit(seq).is_some());
        let shape = |seq: Seq| field.reading.unit(field.reading.unit_at(seq)?).map(|unit| unit.shape);
        let remembered = question.nearest(MEMORIES, &mut |seq| shape(seq).is_some_and(is_memory));
        let most = nearest.iter().chain(&remembered).map(|(_, near)| *near).fold(f32::MIN, f32::max);
        let docs = u32::try_from(field.reading.docs()).unwrap_or(u32::MAX);
        let step = (docs / ANYWHERE).max(1) as usize;
        let anywhere: Vec<Seq> =
            (0..docs).step_by(step).filter_map(|doc| field.reading.unit(doc).map(|unit| unit.seq)).collect();
        let mut anywhere: Vec<f32> = question.near(&anywhere).into_iter().map(|(_, near)| near).collect();
        anywhere.sort_unstable_by(f32::total_cmp);
        // What is meant is none of the others that it stands out from.
        let meant = (anywhere.len() / MEANT_OF).clamp(*MEANT.start(), *MEANT.end());
        anywhere.truncate(anywhere.len().saturating_sub(meant).max(1));
        let count = anywhere.len().max(1) as f32;
        let mean = anywhere.iter().sum::<f32>() / count;
        let square = anywhere.iter().map(|near| (near - mean).powi(2)).sum::<f32>();
        let deviation = (square / count).sqrt().max(DEVIATION_MIN);
        let (units, sessions, memories) = (HashMap::new(), Vec::new(), HashMap::new());
        let common = (2.0 * (docs.max(1) as f32).ln()).sqrt().max(COMMON) + UNKNOWN / count;
        let mut near = Near { question, units, sessions, range: (mean, most), deviation, common, memories };
        for (seq, cosine) in nearest {
            let Some((doc, session)) = unit(seq) else { continue };
            near.units.insert(doc, near.share(cosine));
            if near.sessions.len() < SESSIONS_MAX && !near.sessions.contains(&session) {
                near.sessions.push(session);
            }
        }
        let memories = remembered.into_iter().map(|(seq, cosine)| (seq, near.stands_out(cosine)));
        near.memories = memories.filter(|(_, stands_out)| *stands_out > 0.0).collect();
        (!near.units.is_empty() || !near.memories.is_empty()).then_some(near)
    }

    /// Memories that stand out in what they mean, with how far, from 0 to 1.
    pub fn memories(&self) -> &HashMap<Seq, f32> {
        &self.memories
    }

    /// How far something that is so near stands out from anything, from 0 to 1.
    fn stands_out(&self, cosine: f32) -> f32 {
        let ahead = cosine - self.range.0;
        let between = |value: f32, least: f32, most: f32| ((value - least) / (most - least)).clamp(0.0, 1.0);
        between(ahead / self.deviation, self.common, self.common + RARELY_MORE).min(between(ahead, LITTLE, MUCH))
    }

    /// How near something is: 0 like anything, 1 like the nearest; below 0 if it is farther than most.
    fn share(&self, cosine: f32) -> f32 {
        let (mean, most) = self.range;
        if most - mean > f32::EPSILON { (cosine - mean) / (most - mean) } else { 0.0 }
    }

    /// The sessions that it brings in.
    pub fn sessions(&self) -> &[u32] {
        &self.sessions
    }

    /// Whether a unit is among the nearest.
    pub fn has(&self, doc: Doc) -> bool {
        self.units.contains_key(&doc)
    }

    /// Adds to each unit what it means. The units come sorted by their words, and none gets past the first of them, but
    /// the newer of two that are level: a model helps to find more, words know better what fits best. Sessions keep their
    /// order for the same reason.
    pub fn weigh(&self, ranking: &mut Ranking, weights: &Weights) {
        let compared = |(at, unit): &(usize, &RankedUnit)| *at < COMPARED && !self.has(unit.spoken.doc);
        let seqs: Vec<Seq> =
            ranking.units.iter().enumerate().filter(compared).map(|(_, unit)| unit.spoken.unit.seq).collect();
        let mut near: HashMap<Seq, f32> =
            self.question.near(&seqs).into_iter().map(|(seq, cosine)| (seq, self.share(cosine))).collect();
        let known =
            ranking.units.iter().filter_map(|unit| Some((unit.spoken.unit.seq, *self.units.get(&unit.spoken.doc)?)));
        near.extend(known);
        let belief = self.belief(ranking, &near);
        let most = ranking.units.first().map_or(1.0, |unit| unit.score.max(1.0));
        let weight = weights.of(Signal::Meaning, weights.meaning) * belief * most;
        let limit = ranking.units.first().map_or(0.0, |unit| unit.score);
        let limit = if limit > 0.0 { limit } else { most };
        for unit in &mut ranking.units {
            let share = near.get(&unit.spoken.unit.seq).copied().unwrap_or(0.0).clamp(0.0, 1.0);
            let stands_out = || self.stands_out(self.range.0 + share * (self.range.1 - self.range.0));
            unit.meaning = if unit.said > 0.0 { share * belief } else { (share * belief).min(stands_out()) };
            let worth = (share * weight).min(limit - unit.score);
            add(&mut unit.parts, Signal::Meaning, worth);
            unit.score += worth;
        }
    }

    /// How far to believe the vectors: as far as they agree that the best by their words are near. Where nothing has the
    /// words, as far as the nearest stands out from anything.
    fn belief(&self, ranking: &Ranking, near: &HashMap<Seq, f32>) -> f32 {
        let witnesses: Vec<f32> = ranking
            .units
            .iter()
            .filter(|unit| unit.said > 0.0)
            .take(WITNESSES)
            .filter_map(|unit| near.get(&unit.spoken.unit.seq).copied())
            .collect();
        if witnesses.is_empty() {
            return self.stands_out(self.range.1);
        }
        let mean = witnesses.iter().sum::<f32>() / witnesses.len() as f32;
        ((mean - DOUBTED) / (BELIEVED - DOUBTED)).clamp(0.0, 1.0)
    }
}
