//! Keeps the best hits seen so far.

use memoir_journal::Seq;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// An event with its score; of equal scores, the newest is the best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranked {
    pub score: f32,
    pub ts_ms: i64,
    pub seq: Seq,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        self.score.total_cmp(&other.score).then(self.ts_ms.cmp(&other.ts_ms)).then(self.seq.cmp(&other.seq))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Ranked) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

/// The best `limit` hits.
pub(crate) struct Top {
    limit: usize,
    heap: BinaryHeap<Reverse<Ranked>>,
}

impl Top {
    pub fn new(limit: usize) -> Top {
        Top { limit, heap: BinaryHeap::new() }
    }

    /// Offers a hit.
    pub fn push(&mut self, hit: Ranked) {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(hit));
        } else if let Some(mut worst) = self.heap.peek_mut()
            && hit > worst.0
        {
            *worst = Reverse(hit);
        }
    }

    /// Only scores above this can still get in. An equal score can, if it is newer.
    pub fn threshold(&self) -> f32 {
        if self.heap.len() < self.limit {
            return f32::MIN;
        }
        self.heap.peek().map_or(f32::MIN, |worst| worst.0.score.next_down())
    }

    /// The hits, the best first.
    pub fn into_sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec().into_iter().map(|hit| hit.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_and_the_newest_of_equals() {
        let mut top = Top::new(2);
        for (score, ts_ms, seq) in [(1.0, 1, 1), (2.0, 1, 2), (1.0, 5, 3), (0.5, 9, 4)] {
            if score > top.threshold() {
                top.push(Ranked { score, ts_ms, seq });
            }
        }
        let seqs: Vec<Seq> = top.into_sorted().iter().map(|hit| hit.seq).collect();
        assert_eq!(seqs, [2, 3]);
    }
}
