//! Several at once: builders, removers and readers.

use crate::support::{Fake, home, open, text};
use memoir_journal::{Journal, Seq};
use memoir_redact::Redactor;
use memoir_testkit::provider::embedding;
use memoir_vectors::{CatchUp, Probe, Vectors};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn one_builds_at_a_time_and_nothing_is_embedded_twice() {
    let home = home();
    home.say_many(0, 500);
    let model = Fake::new("m", 16);
    let outcomes: Vec<CatchUp> = thread::scope(|scope| {
        let build = || {
            let (vectors, journal) = (home.vectors(), open(&home.dir.path().join("journal.db")));
            vectors.catch_up(&journal, &Redactor::builtin(), &model, &mut |_, _| true).unwrap()
        };
        let builders: Vec<_> = (0..4).map(|_| scope.spawn(build)).collect();
        builders.into_iter().map(|builder| builder.join().unwrap()).collect()
    });
    let done = outcomes.iter().filter(|outcome| matches!(outcome, CatchUp::Done(_))).count();
    assert_eq!(done, 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| matches!(outcome, CatchUp::Done(_) | CatchUp::Busy | CatchUp::Current)));
    assert_eq!(model.asked().len(), 500);
    assert_eq!(home.all(&home.vectors(), &model).len(), 500);
}

#[test]
fn readers_see_only_whole_and_right_vectors_while_others_write_and_remove() {
    let home = home();
    let model = Fake::new("m", 16);
    home.say_many(0, 64);
    home.catch_up(&home.vectors(), &model);
    let journal = home.journal.identity().unwrap();
    let stop = AtomicBool::new(false);
    let read = |vectors: &Vectors| {
        let mut most = 0;
        while !stop.load(Ordering::Relaxed) {
            let vector = embedding(&text(5), 16);
            let probe = Probe { vector: &vector, model: "m", journal: &journal };
            let found = vectors.near(&probe, 2000, &mut |_| true);
            assert!(found[0].0 == 6 && found[0].1 > 0.9999, "{:?}", found.first());
            let mut seqs: Vec<Seq> = found.iter().map(|(seq, _)| *seq).collect();
            seqs.sort_unstable();
            seqs.dedup();
            assert_eq!(seqs.len(), found.len(), "each event once");
            assert!(found.iter().all(|(_, cosine)| cosine.abs() < 1.001));
            most = most.max(found.len());
        }
        most
    };
    let one = home.vectors();
    thread::scope(|scope| {
        let readers = [scope.spawn(|| read(&one)), scope.spawn(|| read(&one)), scope.spawn(|| read(&home.vectors()))];
        let remover = scope.spawn(|| {
            let vectors = home.vectors();
            let mut n = 100;
            while !stop.load(Ordering::Relaxed) {
                vectors.remove(&mut |seq| seq == n).unwrap();
                n += 1;
            }
        });
        for part in 1..=12 {
            home.say_many(part * 64, 64);
            home.catch_up(&home.vectors(), &model);
        }
        stop.store(true, Ordering::Relaxed);
        remover.join().unwrap();
        for reader in readers {
            assert!(reader.join().unwrap() > 64);
        }
    });
    assert_eq!(home.files().len(), 2);
}
