//! The first look: every unit and every session by its words alone, to choose what is looked at closely.

use crate::field::{Field, Voice};
use crate::weights::{Signal, Weights};
use crate::words::{bm25, idf};
use memoir_index::Doc;
use std::cmp::Reverse;
use std::collections::HashMap;

/// So many units bring their sessions in.
const UNITS_MAX: usize = 120;
/// So many sessions are looked at closely.
const SESSIONS_MAX: usize = 48;

/// What the first look found.
#[derive(Debug, Default)]
pub(crate) struct FirstLook {
    /// The best units by their words, the best first.
    pub units: Vec<(Doc, f32)>,
    /// The score of each session by its words.
    pub sessions: Vec<f32>,
    /// The sessions to look at closely, the best first.
    pub chosen: Vec<u32>,
    /// How long sessions are on the average, in stems.
    pub mean_len: f32,
    /// The score of the best of those.
    pub most: f32,
}

/// How short units of that mean length are: 1 for chat, near 0 for long messages.
pub(crate) fn shortness(weights: &Weights, mean_len: f32) -> f32 {
    (weights.short_stems / mean_len.max(1.0)).min(1.0)
}

/// BM25 of units that are so short.
pub(crate) fn unit_bm25(weights: &Weights, short: f32) -> [f32; 2] {
    let between = |long: f32, at_short: f32| long + (at_short - long) * short;
    let ([long_k1, long_b], [short_k1, short_b]) = (weights.long_unit, weights.short_unit);
    [between(long_k1, short_k1), between(long_b, short_b)]
}

/// How much what a voice says counts, where units are so short.
pub(crate) fn role(weights: &Weights, voice: Voice, short: f32) -> f32 {
    if !weights.has(Signal::Role) {
        return 1.0;
    }
    match voice {
        Voice::User | Voice::Note | Voice::Memory => 1.0,
        Voice::Agent => 1.0 / (1.0 + (weights.user - 1.0) * (1.0 - short)),
        Voice::Thinking => weights.thinking,
    }
}

/// Counts of one word in each session, by who says it.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    main: f32,
    user: f32,
    thinking: f32,
}

impl FirstLook {
    pub fn new(field: &Field<'_>, weights: &Weights) -> FirstLook {
        let short = shortness(weights, field.mean_len);
        let bm = unit_bm25(weights, short);
        let mut units = vec![0.0_f32; field.reading.docs()];
        let (lens, mean_len) = session_lengths(field);
        let mut look = FirstLook { sessions: vec![0.0; field.sessions.len()], mean_len, ..FirstLook::default() };
        let mut counts: Vec<Counts> = vec![Counts::default(); field.sessions.len()];
        for found in &field.found {
            let mut met: Vec<u32> = Vec::new();
            for (doc, count, brief) in &found.units {
                let Some((voice, session)) = field.place(*brief) else { continue };
                let (count, length) = (*count as f32, (brief.len as f32 / field.mean_len).min(weights.long_length));
                if let Some(score) = units.get_mut(*doc as usize) {
                    *score += bm25(found.idf, count, bm, length) * role(weights, voice, short);
                }
                let Some(slot) = counts.get_mut(session as usize) else { continue };
                if slot.main + slot.thinking == 0.0 {
                    met.push(session);
                }
                match voice {
                    Voice::Thinking => slot.thinking += count,
                    _ => slot.main += count,
                }
                if voice == Voice::User {
                    slot.user += count;
                }
            }
            let by_sessions = idf(field.sessions.len() as f32, met.len() as f32);
            let idf = by_sessions + (found.idf - by_sessions) * weights.session_unit_idf;
            for session in met {
                let at = session as usize;
                let counts = counts.get_mut(at).map(std::mem::take).unwrap_or_default();
                let length = lens.get(at).copied().unwrap_or(1.0) / mean_len;
                let part = |count| bm25(idf, count, weights.session, length);
                let voices = weights.user_voice * part(counts.user) + weights.thinking_voice * part(counts.thinking);
                if let Some(slot) = look.sessions.get_mut(at) {
                    *slot += part(counts.main) + weights.of(Signal::Voices, voices);
                }
            }
        }
        look.units = best(field, units);
        look.choose(field);
        look
    }

    /// The sessions with the best units and the best words.
    fn choose(&mut self, field: &Field<'_>) {
        let mut worth: HashMap<u32, f32> = HashMap::new();
        for (doc, score) in &self.units {
            let session = field.reading.unit(*doc).and_then(|unit| field.sessions.of(unit.origin));
            if let Some(session) = session {
                let slot = worth.entry(session).or_default();
                *slot = slot.max(*score);
            }
        }
        let by_words = (0..).zip(self.sessions.iter().copied()).filter(|(_, score)| *score > 0.0).collect();
        for (session, score) in top(by_words, SESSIONS_MAX) {
            *worth.entry(session).or_default() += score;
        }
        self.chosen = top(worth.into_iter().collect(), SESSIONS_MAX).into_iter().map(|(session, _)| session).collect();
        let scores = self.chosen.iter().filter_map(|session| self.sessions.get(*session as usize));
        self.most = scores.copied().fold(0.0, f32::max);
    }
}

/// The best units, the best first, of equal ones the newest; `scores` has a score for each that was found.
fn best(field: &Field<'_>, mut scores: Vec<f32>) -> Vec<(Doc, f32)> {
    let met = field.found.iter().flat_map(|found| &found.units);
    // Each is taken when it is first met.
    let taken = met.filter_map(|(doc, ..)| Some((*doc, std::mem::take(scores.get_mut(*doc as usize)?))));
    let mut list: Vec<(Doc, f32)> = taken.filter(|(_, score)| *score > 0.0).collect();
    if list.len() > UNITS_MAX {
        let (_, least, _) = list.select_nth_unstable_by(UNITS_MAX - 1, |a, b| b.1.total_cmp(&a.1));
        let least = least.1;
        list.retain(|(_, score)| *score >= least);
    }
    // The numbers of units differ from one index to the next, the places of their events do not.
    let place = |doc: Doc| field.reading.unit(doc).map_or(0, |unit| unit.seq);
    list.sort_by_cached_key(|(doc, score)| (Reverse(score.to_bits()), Reverse(place(*doc))));
    list.truncate(UNITS_MAX);
    list
}

/// The best of a list, the best first; of equal ones the lower number.
fn top(mut list: Vec<(u32, f32)>, count: usize) -> Vec<(u32, f32)> {
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if list.len() > count {
        list.select_nth_unstable_by(count, order);
        list.truncate(count);
    }
    list.sort_unstable_by(order);
    list
}

/// The stems of each session, and the mean.
fn session_lengths(field: &Field<'_>) -> (Vec<f32>, f32) {
    let mut lens = vec![0.0_f32; field.sessions.len()];
    let lengths = field.reading.lengths();
    for origin in 0..lengths.origins() {
        let slot = field.sessions.of(origin).and_then(|session| lens.get_mut(session as usize));
        if let Some(slot) = slot {
            *slot += lengths.of(origin).1 as f32;
        }
    }
    let spoken = lens.iter().filter(|len| **len > 0.0).count().max(1);
    let mean = (lens.iter().sum::<f32>() / spoken as f32).max(1.0);
    (lens, mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_of_equal_ones_the_lower_number() {
        assert_eq!(top(vec![(3, 1.0), (1, 2.0), (2, 2.0), (9, 0.5)], 3), [(1, 2.0), (2, 2.0), (3, 1.0)]);
    }

    #[test]
    fn short_units_are_scored_as_chat_and_long_ones_as_documents() {
        let weights = Weights::default();
        let is_near = |a: [f32; 2], b: [f32; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(is_near(unit_bm25(&weights, 1.0), weights.short_unit));
        assert!(is_near(unit_bm25(&weights, 0.0), weights.long_unit));
        assert!(shortness(&weights, 10.0) >= 1.0 && shortness(&weights, 300.0) < 0.1);
        assert!(role(&weights, Voice::Agent, 0.0) < role(&weights, Voice::Agent, 1.0));
    }
}
