//! The index as a cache: shared, stoppable, deletable, and never stale.

use crate::support::*;
use memoir_event::Source;
use memoir_index::{CatchUp, Index, IndexOptions, Note};
use memoir_journal::{Filter, Journal, SqliteJournal, SqliteOptions};
use std::sync::Arc;

fn many(home: &Home, from: usize, count: usize) {
    let events =
        (from..from + count).map(|n| message(&format!("s{}", n / 100), &format!("t{n}"), &format!("word number{n}")));
    home.append(events.collect());
}

#[test]
fn a_short_tail_is_scanned_and_leaves_no_trace() {
    let home = home();
    many(&home, 0, 50);
    let index = home.index(100);
    let hits = home.search_in(&index, "word", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned, hits.notes.len()), (50, 50, 0));
    assert!(!home.index_dir().exists());
    many(&home, 50, 100);
    let hits = home.search_in(&index, "word", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned), (150, 0));
    many(&home, 150, 5);
    let hits = home.search_in(&index, "word", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned), (155, 5));
    assert_eq!(home.find(&index, "number152"), [153]);
}

#[test]
fn a_deleted_index_is_rebuilt_and_answers_the_same() {
    let home = home();
    many(&home, 0, 500);
    let index = home.index(10);
    let before: Vec<_> = ["word", "number7*", "word -number3", "session:s2 number250"]
        .iter()
        .map(|query| home.ranked(&index, query))
        .collect();
    let after = |index: &Index| -> Vec<_> {
        ["word", "number7*", "word -number3", "session:s2 number250"]
            .iter()
            .map(|query| home.ranked(index, query))
            .collect()
    };
    assert!(index.delete().unwrap());
    assert_eq!(after(&index), before);
    std::fs::remove_dir_all(home.index_dir()).unwrap();
    assert_eq!(after(&index), before);
    assert_eq!(after(&home.index(10)), before);
}

#[test]
fn a_fuller_revision_takes_the_place_of_what_was_indexed() {
    let home = home();
    let index = home.index(3);
    home.append(vec![item(Source::CodexHook, "a", "draft"), item(Source::CodexHook, "b", "other draft")]);
    home.append((0..5).map(|n| message("s", &format!("t{n}"), "noise")).collect());
    assert_eq!(home.find(&index, "draft"), [1, 2]);
    // In the tail: the indexed document is out of date.
    home.append(vec![item(Source::CodexHistory, "a", "finished at last")]);
    assert_eq!((home.find(&index, "draft"), home.find(&index, "finished")), (vec![2], vec![1]));
    // In the index: the document is replaced, also one of the same commit, twice.
    home.append(vec![item(Source::CodexHook, "c", "new draft")]);
    home.append(vec![item(Source::CodexHook, "c", "new draft, longer")]);
    home.append(vec![item(Source::CodexHistory, "c", "entirely new and finished")]);
    assert_eq!((home.find(&index, "draft"), home.find(&index, "finished")), (vec![2], vec![1, 9]));
    let status = index.status(&home.journal).unwrap();
    assert_eq!((status.indexed, status.events), (11, 8));
    assert_eq!(home.ranked(&home.index(1_000_000), "finished"), home.ranked(&index, "finished"));
}

#[test]
fn the_index_of_another_journal_is_not_believed() {
    let (first, second) = (home(), home());
    many(&first, 0, 50);
    many(&second, 1000, 60);
    let dir = first.index_dir();
    let options = IndexOptions { tail_records_max: 1, ..IndexOptions::default() };
    assert_eq!(first.find(&Index::open(&dir, options), "number5"), [6]);
    let index = Index::open(&dir, options);
    assert_eq!(second.find(&index, "number5"), [0u64; 0]);
    assert_eq!(second.find(&index, "number1005"), [6]);
    assert_eq!(index.status(&second.journal).unwrap().events, 60);
}

#[test]
fn a_reader_without_the_lock_answers_in_full_and_says_what_it_cost() {
    let home = home();
    many(&home, 0, 50);
    let index = home.index(10);
    std::fs::create_dir_all(home.index_dir()).unwrap();
    let lock = std::fs::File::create(home.index_dir().join(".catch-up.lock")).unwrap();
    lock.try_lock().unwrap();
    assert_eq!(index.catch_up(&home.journal, &mut |_, _| true).unwrap(), CatchUp::Busy);
    let hits = home.search_in(&index, "word", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned), (50, 50));
    assert!(matches!(&hits.notes[..], [Note::NotIndexed { records: 50, .. }]), "{:?}", hits.notes);
    assert!(!index.delete().unwrap());
    drop(lock);
    let hits = home.search_in(&index, "word", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned, hits.notes.len()), (50, 0, 0));
}

#[test]
fn a_catch_up_can_be_stopped_and_goes_on_later() {
    let home = home();
    many(&home, 0, 300);
    let index = home.index(10);
    let mut reached = 0;
    let stopped = index.catch_up(&home.journal, &mut |at, last| {
        assert_eq!(last, 300);
        reached = at;
        false
    });
    assert_eq!(stopped.unwrap(), CatchUp::Stopped);
    let status = index.status(&home.journal).unwrap();
    assert!(status.indexed == reached && reached < 300, "{status:?}");
    let done = index.catch_up(&home.journal, &mut |_, _| true).unwrap();
    assert_eq!(done, CatchUp::Done { records: 300 - reached, rebuilt: false });
    assert_eq!(index.catch_up(&home.journal, &mut |_, _| true).unwrap(), CatchUp::Current);
    assert_eq!(home.find(&index, "word").len(), 300);
}

#[test]
fn many_at_once_index_and_search_while_events_come_in() {
    let home = Arc::new(home());
    many(&home, 0, 200);
    std::thread::scope(|scope| {
        let writing = home.clone();
        scope.spawn(move || (0..20).for_each(|round| many(&writing, 200 + round * 50, 50)));
        for reader in 0..4 {
            let home = home.clone();
            scope.spawn(move || {
                let path = home.dir.path().join("journal.db");
                let options = SqliteOptions::short_lived();
                let journal = SqliteJournal::open(&path, options, Arc::new(|| 0)).unwrap();
                for round in 0..20 {
                    let index = home.index(reader * 40);
                    let before = journal.last_seq().unwrap();
                    let selection = journal.select(&Filter::default(), &owner()).unwrap();
                    let query = memoir_index::Query::parse("word");
                    let window = memoir_index::Window { skip: 0, limit: 5000 };
                    let hits = index.search(&journal, &query, &selection, window, &mut |_, _| true).unwrap();
                    assert!(hits.hits.len() as u64 >= before, "round {round}: {} of {before}", hits.hits.len());
                    let mut found = seqs(&hits);
                    found.sort_unstable();
                    found.dedup();
                    assert_eq!(found.len(), hits.hits.len());
                    if reader == 3 && round % 5 == 4 {
                        index.delete().unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(home.find(&home.index(0), "number1199"), [1200]);
    let status = home.index(0).status(&home.journal).unwrap();
    assert_eq!((status.indexed, status.events), (1200, 1200));
}
