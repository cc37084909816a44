//! The words of a query in everything that was said: which units have them, and how much each of them tells.

use crate::request::Effort;
use memoir_index::{Brief, Doc, IndexError, Reading, Word};

/// Words that more units than this have are left out if the query has rarer ones: they tell next to nothing, and counting
/// them takes all the time.
const FREQUENT_UNITS: u64 = 100_000;
/// So many units are counted for all words of a query together, the rarest words first.
const COUNTED_UNITS_MAX: u64 = 400_000;
/// The same for an answer that must be there at once, and so many words at most.
const SMALL_COUNTED_UNITS_MAX: u64 = 40_000;
const SMALL_WORDS_MAX: usize = 16;
/// Words that more units than this have are not looked for in pairs.
const PAIRED_UNITS_MAX: usize = 60_000;

/// One word and where it is.
pub(crate) struct Found {
    pub word: Word,
    /// The units that have it, by number, each with its count.
    pub units: Vec<(Doc, u32, Brief)>,
    /// How much it tells, by the units that have it.
    pub idf: f32,
}

impl Found {
    /// How often each of those units says it. They lie close together: only what is between them is searched.
    pub fn counts(&self, docs: impl Iterator<Item = Doc> + Clone) -> Vec<f32> {
        let (Some(least), Some(most)) = (docs.clone().min(), docs.clone().max()) else { return Vec::new() };
        let from = self.units.partition_point(|(doc, ..)| *doc < least);
        let near = self.units.get(from..).unwrap_or_default();
        let near = near.get(..near.partition_point(|(doc, ..)| *doc <= most)).unwrap_or_default();
        let count = |doc: Doc| match near.binary_search_by_key(&doc, |(doc, ..)| *doc) {
            Ok(at) => near.get(at).map_or(0.0, |(_, count, _)| *count as f32),
            Err(_) => 0.0,
        };
        docs.map(count).collect()
    }
}

/// How rare it is to have a word that `with` of `all` have.
pub(crate) fn idf(all: f32, with: f32) -> f32 {
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// How much it tells that nobody ever said a word: little, where little was said at all.
fn acquaintance(units: f32) -> f32 {
    const MUCH: f32 = 400.0;
    ((1.0 + units).ln() / (1.0 + MUCH).ln()).min(1.0)
}

/// BM25's part of one word; `length` is told by the mean.
pub(crate) fn bm25(idf: f32, count: f32, [k1, b]: [f32; 2], length: f32) -> f32 {
    if count <= 0.0 { 0.0 } else { idf * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length)) }
}

/// Finds the words that tell something, as many as the effort allows.
pub(crate) fn find(reading: &Reading, words: Vec<Word>, effort: Effort) -> Result<Vec<Found>, IndexError> {
    let (words_max, counted_units_max) = match effort {
        Effort::Full => (usize::MAX, COUNTED_UNITS_MAX),
        Effort::Small => (SMALL_WORDS_MAX, SMALL_COUNTED_UNITS_MAX),
    };
    let units = reading.lengths().units() as f32;
    let mut by_rarity: Vec<(u64, usize)> = Vec::with_capacity(words.len());
    for (at, word) in words.iter().enumerate() {
        by_rarity.push((reading.frequency(word)?, at));
    }
    by_rarity.sort_unstable();
    let rarest = by_rarity.iter().find(|(frequency, _)| *frequency > 0).map_or(0, |(frequency, _)| *frequency);
    let limit = FREQUENT_UNITS.max(rarest);
    let (mut counted, mut known) = (0, 0);
    let mut is_counted = vec![false; words.len()];
    for (frequency, at) in by_rarity {
        counted += frequency;
        known += usize::from(frequency > 0);
        if let Some(slot) = is_counted.get_mut(at) {
            let is_affordable = known <= words_max && counted <= counted_units_max;
            *slot = frequency <= limit && (is_affordable || frequency <= rarest);
        }
    }
    let mut found = Vec::with_capacity(words.len());
    for (word, _) in words.into_iter().zip(is_counted).filter(|(_, is_counted)| *is_counted) {
        let mut with = Vec::new();
        reading.units_with(&word, &mut |doc, count, brief| with.push((doc, count, brief)))?;
        let known = if with.is_empty() { acquaintance(units) } else { 1.0 };
        let idf = idf(units, with.len() as f32) * known;
        found.push(Found { word, units: with, idf });
    }
    Ok(found)
}

/// Finds words of the query that follow each other.
pub(crate) fn find_pairs(reading: &Reading, found: &[Found]) -> Result<Vec<Found>, IndexError> {
    let units = reading.lengths().units() as f32;
    let mut pairs = Vec::new();
    for pair in found.windows(2) {
        let [first, second] = pair else { continue };
        let both = !first.units.is_empty() && !second.units.is_empty();
        if !both || first.units.len().max(second.units.len()) > PAIRED_UNITS_MAX {
            continue;
        }
        let mut with = Vec::new();
        reading.units_with_pair(&first.word, &second.word, &mut |doc, count, brief| with.push((doc, count, brief)))?;
        if !with.is_empty() {
            let word = Word { text: format!("{} {}", first.word.text, second.word.text), stems: Vec::new() };
            let idf = idf(units, with.len() as f32);
            pairs.push(Found { word, units: with, idf });
        }
    }
    Ok(pairs)
}

/// Whether what was asked is what is wanted: `what did I ask you about the cache?`
pub(crate) fn asks_for_questions(query: &str) -> bool {
    const ASKED: [&str; 6] = ["ask", "asks", "asked", "question", "questions", "gefragt"];
    query.split(|c: char| !c.is_alphanumeric()).any(|word| ASKED.iter().any(|asked| word.eq_ignore_ascii_case(asked)))
}

/// Words of the query that may be names: written with a capital, but not the first of all.
pub(crate) fn names_in(query: &str) -> Vec<String> {
    let words = query.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    let capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    words.skip(1).filter(capital).map(|word| word.trim_end_matches("'s").to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_tells_more_and_saying_it_again_adds_less_and_less() {
        assert!(idf(1000.0, 1.0) > idf(1000.0, 500.0) && idf(10.0, 10.0) >= 0.0);
        let score = |count| bm25(1.0, count, [1.2, 0.75], 1.0);
        assert!(score(0.0) == 0.0 && score(2.0) - score(1.0) > score(3.0) - score(2.0));
        assert!(bm25(1.0, 1.0, [1.2, 0.75], 3.0) < score(1.0));
    }
}
