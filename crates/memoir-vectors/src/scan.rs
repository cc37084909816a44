//! Finds the nearest vectors: a rough look at all of them, then a fine one at those that may be among the nearest. Mostly
//! these are few; where many texts are nearly the same they are many.

use crate::quantise::Needle;
use crate::snapshot::{Snapshot, Spot};
use memoir_journal::Seq;

/// No more than this are looked at again, however near to each other they are.
const AGAIN_MAX: usize = 4096;
/// So many are held before it pays to sort them out.
const HELD_MIN: usize = 256;
/// Nobody wants more than this.
const WANTED_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Rough {
    cosine: f32,
    /// The true cosine is hardly ever further away than this.
    error: f32,
    seq: Seq,
    spot: Spot,
}

/// Those that may be among the wanted: as good, at best, as the last of these is at worst.
struct Best {
    held: Vec<Rough>,
    wanted: usize,
    /// So many are held before they are sorted out again.
    held_max: usize,
    /// What cannot get to this is not among the wanted.
    least: f32,
}

impl Best {
    fn new(wanted: usize) -> Best {
        Best { held: Vec::new(), wanted, held_max: wanted + HELD_MIN, least: f32::NEG_INFINITY }
    }

    fn push(&mut self, rough: Rough) {
        self.held.push(rough);
        if self.held.len() >= self.held_max {
            self.sort_out();
        }
    }

    fn sort_out(&mut self) {
        if self.held.len() > self.wanted {
            let at_worst = |rough: &Rough| rough.cosine - rough.error;
            let worse = |a: &Rough, b: &Rough| at_worst(b).total_cmp(&at_worst(a));
            let (_, last, _) = self.held.select_nth_unstable_by(self.wanted - 1, worse);
            self.least = at_worst(last);
            let least = self.least;
            self.held.retain(|rough| rough.cosine + rough.error >= least);
        }
        let most = AGAIN_MAX.max(self.wanted);
        if self.held.len() > most {
            let better = |a: &Rough, b: &Rough| b.cosine.total_cmp(&a.cosine).then(b.seq.cmp(&a.seq));
            self.held.select_nth_unstable_by(most - 1, better);
            self.held.truncate(most);
        }
        self.held_max = self.held.len() * 2 + HELD_MIN;
    }
}

/// The `k` nearest that are allowed, with their cosines, the best first.
pub(crate) fn near(
    snapshot: &Snapshot,
    needle: &Needle,
    k: usize,
    allowed: &mut dyn FnMut(Seq) -> bool,
) -> Vec<(Seq, f32)> {
    let k = k.min(WANTED_MAX);
    if k == 0 || needle.dimension() != snapshot.dimension() {
        return Vec::new();
    }
    let mut best = Best::new(k);
    for (number, block) in snapshot.blocks.iter().enumerate() {
        for (at, coarse) in block.coarse().enumerate() {
            let scale = block.scale(at);
            let (cosine, error) = (needle.rough_cosine(coarse, scale), needle.rough_error(scale));
            if cosine + error < best.least {
                continue;
            }
            let seq = block.seq(at);
            if snapshot.is_live(seq, number) && allowed(seq) {
                best.push(Rough { cosine, error, seq, spot: Spot { block: number, at } });
            }
        }
    }
    best.sort_out();
    let spots: Vec<(Seq, Spot)> = best.held.iter().map(|rough| (rough.seq, rough.spot)).collect();
    let mut found = cosines(snapshot, needle, &spots);
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    found.truncate(k);
    found
}

/// The cosines of those vectors, as fine as can be.
pub(crate) fn cosines(snapshot: &Snapshot, needle: &Needle, spots: &[(Seq, Spot)]) -> Vec<(Seq, f32)> {
    if needle.dimension() != snapshot.dimension() {
        return Vec::new();
    }
    let mut buffer = Vec::new();
    let cosine = |(seq, spot): &(Seq, Spot)| {
        let block = snapshot.block(*spot)?;
        let (coarse, scale) = (block.coarse().nth(spot.at)?, block.scale(spot.at));
        let cosine = match snapshot.fine(*spot, &mut buffer) {
            Some(fine) => needle.cosine(coarse, fine),
            // Damaged finer bytes cost precision, not the answer; the next catch-up mends them.
            None => needle.rough_cosine(coarse, scale),
        };
        Some((*seq, cosine))
    };
    spots.iter().filter_map(cosine).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Entry, Reached};
    use crate::header::Header;
    use crate::lock::{Lock, Task};
    use crate::quantise::Quantised;
    use crate::snapshot::Opened;
    use crate::write;
    use memoir_model::Identity;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn stored(vectors: &[Vec<f32>]) -> (tempfile::TempDir, Arc<Snapshot>) {
        let dir = tempfile::tempdir().unwrap();
        let lock = Lock::try_take(dir.path(), Task::Write).unwrap().unwrap();
        let identity = Identity { model: "m".into(), dimension: vectors[0].len() };
        write::create(dir.path(), &Header { generation: 1, identity, journal: "j".into() }, &lock).unwrap();
        let entry = |(at, vector): (usize, &Vec<f32>)| Entry {
            seq: at as Seq,
            digest: 0,
            vector: Quantised::of(vector).unwrap(),
        };
        let entries: Vec<Entry> = vectors.iter().enumerate().map(entry).collect();
        for some in entries.chunks(500) {
            write::append(dir.path(), &opened(dir.path(), None), some, Reached::default(), &lock).unwrap();
        }
        let snapshot = opened(dir.path(), None);
        (dir, snapshot)
    }

    fn opened(dir: &std::path::Path, known: Option<&Arc<Snapshot>>) -> Arc<Snapshot> {
        match Snapshot::open(dir, known) {
            Opened::Usable(snapshot) => snapshot,
            Opened::Missing => panic!("missing"),
            Opened::Unusable(reason) => panic!("{reason}"),
        }
    }

    fn exact(vectors: &[Vec<f32>], query: &[f32], k: usize) -> Vec<Seq> {
        let length = |vector: &[f32]| vector.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>().sqrt();
        let cosine = |vector: &[f32]| {
            vector.iter().zip(query).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() / length(vector)
        };
        let mut all: Vec<(f64, Seq)> = vectors.iter().enumerate().map(|(n, v)| (cosine(v), n as Seq)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        all.into_iter().take(k).map(|(_, seq)| seq).collect()
    }

    struct Noise(u64);

    impl Noise {
        fn uniform(&mut self) -> f32 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
        }

        fn vector(&mut self, dimension: usize) -> Vec<f32> {
            (0..dimension).map(|_| (0..4).map(|_| self.uniform()).sum()).collect()
        }
    }

    /// Vectors around centres: the smaller the spread, the nearer they are to each other.
    fn clustered(noise: &mut Noise, count: usize, dimension: usize, centres: usize, spread: f32) -> Vec<Vec<f32>> {
        let centres: Vec<Vec<f32>> = (0..centres).map(|_| noise.vector(dimension)).collect();
        (0..count)
            .map(|n| {
                let own = noise.vector(dimension);
                centres[n % centres.len()].iter().zip(own).map(|(centre, own)| centre + own * spread).collect()
            })
            .collect()
    }

    fn overlap(vectors: &[Vec<f32>], queries: &[Vec<f32>]) -> f64 {
        let (_dir, snapshot) = stored(vectors);
        let mut same = 0;
        for query in queries {
            let found = near(&snapshot, &Needle::of(query).unwrap(), 10, &mut |_| true);
            let wanted = exact(vectors, query, 10);
            same += found.iter().filter(|(seq, _)| wanted.contains(seq)).count();
        }
        same as f64 / (queries.len() * 10) as f64
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn the_nearest_ten_are_those_of_the_whole_vectors(
            seed in any::<u64>(),
            dimension in 32_usize..400,
            centres in 1_usize..60,
            spread in prop_oneof![Just(0.05_f32), Just(0.2), Just(1.0), Just(30.0)],
        ) {
            let mut noise = Noise(seed);
            let vectors = clustered(&mut noise, 2500, dimension, centres, spread);
            let mut queries = clustered(&mut noise, 10, dimension, 10, 1.0);
            let near_some = vectors.iter().step_by(250).map(|vector| {
                vector.iter().map(|number| number + noise.uniform() * spread).collect()
            });
            queries.extend(near_some);
            let overlap = overlap(&vectors, &queries);
            prop_assert!(overlap >= 0.99, "{overlap}");
        }
    }

    #[test]
    fn only_what_is_allowed_is_near_and_little_is_asked_about() {
        let mut noise = Noise(7);
        let vectors = clustered(&mut noise, 3000, 64, 20, 1.0);
        let (_dir, snapshot) = stored(&vectors);
        let needle = Needle::of(&vectors[42]).unwrap();
        let mut asked = 0;
        let found = near(&snapshot, &needle, 5, &mut |seq| {
            asked += 1;
            seq % 2 == 1
        });
        assert_eq!(found.len(), 5);
        assert!(found.iter().all(|(seq, _)| seq % 2 == 1) && asked < 1500, "{asked}: {found:?}");
        let all = near(&snapshot, &needle, 5, &mut |_| true);
        assert!(all[0].0 == 42 && (all[0].1 - 1.0).abs() < 1e-4, "{all:?}");
        assert!(all.is_sorted_by(|a, b| a.1 >= b.1));
        assert_eq!(near(&snapshot, &needle, 0, &mut |_| true), []);
        assert_eq!(near(&snapshot, &needle, usize::MAX, &mut |_| true).len(), 3000);
        assert_eq!(near(&snapshot, &Needle::of(&[1.0]).unwrap(), 5, &mut |_| true), []);
    }
}
