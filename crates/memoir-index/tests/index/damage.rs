//! Whatever happens to the files of the index, a search answers in full.

use crate::support::*;
use memoir_index::Index;
use memoir_journal::{Filter, Journal};
use std::fs;
use std::path::{Path, PathBuf};

fn filled() -> Home {
    let home = home();
    for batch in 0..3 {
        let events = (0..100).map(|n| {
            let n = batch * 100 + n;
            message(&format!("s{}", n / 10), &format!("t{n}"), &format!("common number{n} text"))
        });
        home.append(events.collect());
        check(&home, &home.index(5), (batch + 1) * 100);
    }
    home
}

fn check(home: &Home, index: &Index, count: usize) {
    assert_eq!(home.find(index, "common").len(), count);
    assert_eq!(home.find(index, "number42"), [43]);
    assert_eq!(home.find(index, "\"number7 text\" session:s1"), [0u64; 0]);
    assert_eq!(home.find(index, "session:s1 common").len(), 10);
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Spoils each file of a fresh copy of the index in turn, and searches.
fn spoil_each(spoil: impl Fn(&Path)) {
    let home = filled();
    let sound = home.dir.path().join("sound");
    fs::rename(home.index_dir(), &sound).unwrap();
    let names: Vec<_> = files(&sound).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let _ = fs::remove_dir_all(home.index_dir());
        fs::create_dir(home.index_dir()).unwrap();
        for path in files(&sound) {
            fs::copy(&path, home.index_dir().join(path.file_name().unwrap())).unwrap();
        }
        spoil(&home.index_dir().join(&name));
        check(&home, &home.index(5), 300);
        let index = home.index(5);
        check(&home, &index, 300);
        assert_eq!(index.status(&home.journal).unwrap().problem, None, "{name:?}");
    }
}

#[test]
fn a_truncated_file_does_no_harm() {
    spoil_each(|path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    });
}

#[test]
fn a_garbled_file_does_no_harm() {
    spoil_each(|path| {
        let mut bytes = fs::read(path).unwrap();
        for (at, byte) in bytes.iter_mut().enumerate() {
            if at % 3 == 0 {
                *byte ^= 0x5a;
            }
        }
        fs::write(path, bytes).unwrap();
    });
}

#[test]
fn one_flipped_bit_does_no_harm() {
    spoil_each(|path| {
        let mut bytes = fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 1;
        }
        fs::write(path, bytes).unwrap();
    });
}

#[test]
fn an_empty_or_missing_file_does_no_harm() {
    spoil_each(|path| fs::write(path, "").unwrap());
    spoil_each(|path| fs::remove_file(path).unwrap());
}

#[test]
fn a_copied_index_is_still_good() {
    let home = filled();
    let copy = home.dir.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for path in files(&home.index_dir()) {
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let index = Index::open(&copy, memoir_index::IndexOptions::default());
    let status = index.status(&home.journal).unwrap();
    assert_eq!((status.events, status.problem), (300, None));
}

#[test]
fn a_foreign_index_is_rebuilt_and_foreign_files_stay() {
    let home = filled();
    fs::remove_dir_all(home.index_dir()).unwrap();
    fs::create_dir(home.index_dir()).unwrap();
    fs::write(home.index_dir().join("meta.json"), r#"{"segments":[],"schema":[],"opstamp":0}"#).unwrap();
    fs::write(home.index_dir().join("notes.txt"), "mine").unwrap();
    check(&home, &home.index(5), 300);
    assert_eq!(fs::read_to_string(home.index_dir().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn what_a_killed_writer_left_is_cleared_away() {
    let home = filled();
    let left = home.index_dir().join("0123456789abcdef0123456789abcdef.idx");
    fs::write(&left, "half a segment").unwrap();
    home.append((300..400).map(|n| message("s", &format!("t{n}"), "common")).collect());
    check(&home, &home.index(5), 400);
    assert!(!left.exists());
}

#[test]
fn a_place_that_cannot_be_written_only_costs_time() {
    let home = filled();
    // A file where the directory should be fails for every user, root too.
    let blocked = home.dir.path().join("file");
    fs::write(&blocked, "").unwrap();
    let options = memoir_index::IndexOptions { tail_records_max: 5, ..memoir_index::IndexOptions::default() };
    let index = Index::open(&blocked.join("index"), options);
    let hits = home.search_in(&index, "common", &Filter::default(), owner());
    assert_eq!((hits.hits.len(), hits.scanned, hits.notes.len()), (300, 300, 1));
    assert!(
        hits.notes[0].to_string().starts_with("300 records are not indexed and were read one by one: cannot write")
    );
    assert!(index.catch_up(&home.journal, &mut |_, _| true).is_err());
    assert_eq!(home.journal.last_seq().unwrap(), 300);
}

#[test]
fn an_index_in_a_read_only_directory_is_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = filled();
    fs::set_permissions(home.index_dir(), fs::Permissions::from_mode(0o500)).unwrap();
    for path in files(&home.index_dir()) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o400)).unwrap();
    }
    home.append((300..310).map(|n| message("s", &format!("t{n}"), "common")).collect());
    check(&home, &home.index(5), 310);
    fs::set_permissions(home.index_dir(), fs::Permissions::from_mode(0o700)).unwrap();
}
