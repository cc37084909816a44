//! The score of a session: its words, its best units, its best stretch, and what speaks for it otherwise.

use crate::field::Field;
use crate::first_look::FirstLook;
use crate::rank::{RankedSession, RankedUnit, Scene};
use crate::weights::{Signal, Weights};
use crate::words::{Found, bm25};

/// So many of a session's best units speak for it.
const BEST_UNITS: usize = 10;

/// What is known of a session before its units are looked at, each as a share of the best score but the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionParts {
    pub base: f32,
    pub time: f32,
    pub recency: f32,
    pub place: f32,
}

pub(crate) fn session_score(
    field: &Field<'_>,
    scene: &Scene<'_>,
    look: &FirstLook,
    units: &[RankedUnit],
    known: SessionParts,
    weights: &Weights,
) -> RankedSession {
    let mut best: Vec<f32> = units.iter().map(|unit| unit.said).collect();
    best.sort_unstable_by(|a, b| b.total_cmp(a));
    let top = best.first().copied().unwrap_or(0.0);
    let best = top + together(&best) * weights.units_together;
    let parts = vec![
        (Signal::Words, known.base),
        (Signal::Pairs, pairs(field, scene, look, weights)),
        (Signal::Session, best * weights.of(Signal::Session, weights.units_in_session)),
        (Signal::Stretch, stretch(field, scene, look, weights)),
        (Signal::Time, known.time * look.most),
        (Signal::Recency, known.recency * look.most),
        (Signal::Place, known.place * weights.of(Signal::Place, weights.place) * look.most),
    ];
    let last_ms = scene.spoken.last().map_or(0, |one| one.unit.ts_ms);
    RankedSession { session: scene.session, score: parts.iter().map(|(_, part)| part).sum(), parts, last_ms }
}

/// What units say together, the best first: several good ones add up, and what hardly fits adds next to nothing.
fn together(best: &[f32]) -> f32 {
    best.iter().take(BEST_UNITS).map(|said| said.max(0.0).powi(3)).sum::<f32>().cbrt()
}

/// What words add that follow each other anywhere in the session.
fn pairs(field: &Field<'_>, scene: &Scene<'_>, look: &FirstLook, weights: &Weights) -> f32 {
    let total: f32 = scene.spoken.iter().map(|spoken| spoken.unit.len as f32).sum();
    let part = |(pair, counts): (&Found, &Vec<f32>)| {
        bm25(pair.idf, counts.iter().sum(), weights.session, total / look.mean_len)
    };
    field.pairs.iter().zip(&scene.pairs).map(part).sum::<f32>() * weights.of(Signal::Pairs, weights.pairs)
}

/// The score of the best run of units of about so many stems. Where sessions are hardly longer than that it says nothing
/// new: one measure for all of them, else long sessions would be favoured.
fn stretch(field: &Field<'_>, scene: &Scene<'_>, look: &FirstLook, weights: &Weights) -> f32 {
    let limit = weights.stretch_stems.max(1);
    let longer = 1.0 - (3.0 * limit as f32 / look.mean_len).min(1.0);
    let weight = weights.of(Signal::Stretch, weights.stretch) * longer;
    if weight <= 0.0 {
        return 0.0;
    }
    let mut inside = vec![0.0_f32; field.found.len()];
    let add = |inside: &mut [f32], at: usize, sign: f32| {
        for (slot, counts) in inside.iter_mut().zip(&scene.counts) {
            *slot += sign * counts.get(at).copied().unwrap_or(0.0);
        }
    };
    let (mut best, mut from, mut stems) = (0.0_f32, 0, 0);
    for (at, one) in scene.spoken.iter().enumerate() {
        add(&mut inside, at, 1.0);
        stems += one.unit.len;
        while stems > limit && from < at {
            add(&mut inside, from, -1.0);
            stems -= scene.spoken.get(from).map_or(0, |one| one.unit.len);
            from += 1;
        }
        let length = stems.max(limit) as f32 / limit as f32;
        let words = field.found.iter().zip(&inside);
        best = best.max(words.map(|(found, count)| bm25(found.idf, *count, [1.2, 0.75], length)).sum());
    }
    best * weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_good_units_add_up_and_poor_ones_add_next_to_nothing() {
        assert!(together(&[2.0, 2.0]) > 1.2 * together(&[2.0]));
        assert!(together(&[2.0, 0.4, 0.4, 0.4, 0.4]) < 1.02 * together(&[2.0]));
        assert!(together(&[1.0; 10]) >= together(&[1.0; 1000]) && together(&[-1.0]) == 0.0 && together(&[]) == 0.0);
    }
}
