//! What failed: with what mended it, if something did.

use super::commands::Runs;
use super::{Mark, point};
use memoir_event::{Point, Section};

/// What the client itself reported last; more of that says little.
const ERRORS_MAX: usize = 2;

/// What nothing mended first, then what was mended, the latest first; then what the client reported.
pub(crate) fn chosen(runs: &Runs, errors: &[(Mark, String)], max: usize) -> Vec<Point> {
    let broken = runs.broken().map(|mark| vec![mark.id]);
    let mended = runs.mended().into_iter().rev().map(|(failed, by)| vec![failed.id, by.id]);
    let mut said: Vec<&str> = Vec::new();
    let reported = errors.iter().rev().filter(|(_, text)| {
        let is_new = !said.contains(&text.as_str());
        said.push(text);
        is_new
    });
    let reported: Vec<Vec<_>> = reported.take(ERRORS_MAX).map(|(mark, _)| vec![mark.id]).collect();
    let kept = max.saturating_sub(reported.len());
    let all = broken.chain(mended).take(kept).chain(reported);
    all.map(|events| point(Section::Failed, &events, 1)).collect()
}
