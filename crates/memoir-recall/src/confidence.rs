//! How likely it is that a block helps: calibrated, so that one threshold holds for all questions.

/// Below this nothing is shown unless asked for.
pub(crate) const ENOUGH: f32 = 0.25;

/// Of a unit: from the share of the query that it and its neighbours cover, and from how well it says it.
pub(crate) fn of_unit(coverage: f32, fit: f32) -> f32 {
    let x = 4.0 * coverage + 3.0 * fit - 4.0;
    1.0 / (1.0 + (-x).exp())
}

/// Of a memory: a name that was said tells most, then the share of the query that its text covers; and how sure it is.
pub(crate) fn of_memory(name: f32, text: f32, sure: f32) -> f32 {
    let fit = if name > 0.0 { 0.5 + 0.45 * name } else { 0.6 * text };
    fit * (0.6 + 0.4 * sure.clamp(0.0, 1.0))
}

/// Of something that was found as it was typed: the share of what was typed that it has.
pub(crate) fn of_exact(share: f32) -> f32 {
    0.3 + 0.4 * share.clamp(0.0, 1.0)
}
