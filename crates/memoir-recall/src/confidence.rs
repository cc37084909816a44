//! How likely it is that a block helps: calibrated, so that one threshold holds for all questions.

use crate::names::Called;

/// Below this nothing is shown unless asked for: of questions that a journal cannot answer, one in twenty still gets an
/// answer then.
pub(crate) const ENOUGH: f32 = 0.15;

/// As sure as one can be of what stands out in what it means, and has no word of the query.
const MEANT_MAX: f32 = 0.45;

/// What is known of a unit when it is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence {
    /// The share of the query that it and its neighbours cover.
    pub coverage: f32,
    /// How well it says it, against the best that one could say.
    pub fit: f32,
    /// Its score as a share of the best one's.
    pub of_best: f32,
    /// How near it is in what it means, as far as that is believed; 0 where nobody can tell.
    pub meaning: f32,
    /// Its place in the ranking, from 1.
    pub rank: usize,
}

/// Of a unit: how often one with such evidence was the right one, by logistic regression over labelled conversations
/// and the same questions asked where nothing answers them (`memoir-bench recall --silence`).
pub(crate) fn of_unit(evidence: Evidence) -> f32 {
    let rank = (evidence.rank.max(1) as f32).ln();
    let x = 0.9 * evidence.coverage + 3.1 * evidence.fit + 1.4 * evidence.of_best + 1.5 * evidence.meaning - rank - 4.3;
    let sure = 1.0 / (1.0 + (-x).exp());
    // What has no word of the query can only be meant.
    if evidence.fit > 0.0 { sure } else { sure.max(of_meaning(evidence.meaning, evidence.rank)) }
}

/// Of what says nothing of the query in its words: how far it stands out in what it means.
pub(crate) fn of_meaning(meaning: f32, rank: usize) -> f32 {
    MEANT_MAX * meaning.clamp(0.0, 1.0) / rank.max(1) as f32
}

/// Of a memory: a name that was said tells most, then the share of the query that the memory covers; and how sure it is.
pub(crate) fn of_memory(called: Called, text: f32, sure: f32) -> f32 {
    let named = (0.5 + 0.45 * called.name) * (0.6 + 0.4 * called.covers.clamp(0.0, 1.0));
    let fit = if called.name > 0.0 { named.max(0.6 * text) } else { 0.6 * text };
    fit * (0.6 + 0.4 * sure.clamp(0.0, 1.0))
}

/// Of something that was found as it was typed: the share of what was typed that it has.
pub(crate) fn of_exact(share: f32) -> f32 {
    0.3 + 0.4 * share.clamp(0.0, 1.0)
}

/// The same of what only tells that something was touched: what was said of it tells more.
pub(crate) fn of_trace(share: f32) -> f32 {
    0.5 * of_exact(share)
}

/// Of something that was said at the time that was asked for, where nothing else was asked.
pub(crate) fn of_time(fit: f32) -> f32 {
    0.5 * fit.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_the_evidence_the_surer() {
        let sure = |coverage, fit, of_best, rank| of_unit(Evidence { coverage, fit, of_best, meaning: 0.0, rank });
        assert!(sure(1.0, 0.8, 1.0, 1) > sure(0.5, 0.8, 1.0, 1) && sure(1.0, 0.8, 1.0, 1) > sure(1.0, 0.2, 1.0, 1));
        assert!(sure(1.0, 0.8, 1.0, 1) > sure(1.0, 0.8, 0.9, 2));
        assert!(sure(0.3, 0.1, 1.0, 1) < ENOUGH && sure(1.0, 0.6, 1.0, 1) > ENOUGH);
        let memory = |name, covers, text, sure| of_memory(Called { name, covers }, text, sure);
        assert!(memory(1.0, 1.0, 0.0, 1.0) > memory(0.5, 1.0, 0.0, 1.0) && memory(0.0, 0.0, 1.0, 1.0) > ENOUGH);
        assert!(memory(1.0, 1.0, 0.0, 1.0) > memory(1.0, 0.2, 0.0, 1.0) && memory(1.0, 0.1, 0.0, 1.0) > ENOUGH);
        assert!(memory(1.0, 1.0, 0.0, 0.0) < memory(1.0, 1.0, 0.0, 1.0) && of_exact(1.0) > of_exact(0.1));
    }
}
