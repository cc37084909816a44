//! Long units, judged by the stretch of them that says most of a query: a page that somebody pasted says a rare word
//! once, and is found by it as if that stretch had been said alone.

use crate::field::Field;
use crate::first_look::FirstLook;
use crate::words::bm25;
use memoir_index::{Doc, IndexError};
use std::collections::HashMap;

/// So many long units are looked into, the best by their words first.
const LONG_UNITS_MAX: usize = 24;

/// The best stretches of long units.
#[derive(Debug, Default)]
pub(crate) struct LongUnits {
    /// How often each word of the query is said in the best stretch.
    counts: HashMap<Doc, Vec<f32>>,
}

impl LongUnits {
    /// Looks into the units that are longer than so many times the mean.
    pub fn find(field: &Field<'_>, look: &FirstLook, length: f32, bm: [f32; 2]) -> Result<LongUnits, IndexError> {
        let limit = field.mean_len * length;
        let is_long = |doc: &Doc| field.reading.unit(*doc).is_some_and(|unit| unit.len as f32 > limit);
        let units = look.units.iter().map(|(doc, _)| *doc);
        let mut docs: Vec<Doc> = units.filter(is_long).take(LONG_UNITS_MAX).collect();
        docs.sort_unstable();
        if docs.is_empty() {
            return Ok(LongUnits::default());
        }
        let mut said: Vec<Vec<(u32, usize)>> = vec![Vec::new(); docs.len()];
        for (word, found) in field.found.iter().enumerate().filter(|(_, found)| !found.units.is_empty()) {
            let places = field.reading.places(&found.word, &docs)?;
            for (said, places) in said.iter_mut().zip(places) {
                said.extend(places.into_iter().map(|place| (place, word)));
            }
        }
        let idf: Vec<f32> = field.found.iter().map(|found| found.idf).collect();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "some hundred stems")]
        let stems = limit as u32;
        let best = docs.into_iter().zip(said).map(|(doc, mut said)| {
            said.sort_unstable();
            let worth = |word: usize, count: f32| bm25(idf.get(word).copied().unwrap_or(0.0), count, bm, length);
            (doc, best_stretch(&said, stems, idf.len(), worth))
        });
        Ok(LongUnits { counts: best.collect() })
    }

    /// How often each word is said in the best stretch of a unit, if it is a long one.
    pub fn of(&self, doc: Doc) -> Option<&[f32]> {
        self.counts.get(&doc).map(Vec::as_slice)
    }
}

/// How often each word is said in the best so many stems; `said` are places and words, in their order.
fn best_stretch(said: &[(u32, usize)], stems: u32, words: usize, worth: impl Fn(usize, f32) -> f32) -> Vec<f32> {
    let mut inside = vec![0.0_f32; words];
    let mut best = inside.clone();
    let (mut value, mut most, mut from) = (0.0_f32, 0.0_f32, 0);
    for (at, word) in said {
        value += count(&mut inside, *word, 1.0, &worth);
        while let Some((_, gone)) = said.get(from).filter(|(first, _)| first.saturating_add(stems) <= *at) {
            value += count(&mut inside, *gone, -1.0, &worth);
            from += 1;
        }
        if value > most {
            most = value;
            best.clone_from(&inside);
        }
    }
    best
}

/// Counts a word once more or once less; what that changes.
fn count(inside: &mut [f32], word: usize, by: f32, worth: &impl Fn(usize, f32) -> f32) -> f32 {
    let Some(slot) = inside.get_mut(word) else { return 0.0 };
    let before = worth(word, *slot);
    *slot += by;
    worth(word, *slot) - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_stretch_has_the_words_that_stand_together() {
        let said = [(0, 0), (1, 0), (2, 0), (500, 1), (505, 0), (900, 1)];
        let worth = |word: usize, count: f32| [1.0, 4.0][word] * count / (count + 1.0);
        assert_eq!(best_stretch(&said, 40, 2, worth), [1.0, 1.0]);
        assert_eq!(best_stretch(&said, 5, 2, worth), [0.0, 1.0]);
        assert_eq!(best_stretch(&[], 5, 2, worth), [0.0, 0.0]);
    }
}
