//! What lies in a home is the owner's alone.

use crate::support::{Home, Running, dead_port, event, identified, to_lines};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every file and directory below, and the directory itself.
pub fn walk(dir: &Path) -> Vec<PathBuf> {
    let mut all = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            all.extend(walk(&entry.path()));
        } else {
            all.push(entry.path());
        }
    }
    all
}

#[test]
fn a_home_made_by_every_command_is_private_everywhere() {
    let home = Home::new();
    let open_umask = |args: &str| {
        let script = format!("umask 0; exec {} {args}", crate::support::MEMOIR);
        let command: Command = home.command_of(Path::new("sh"), &["-c", &script]);
        Running::start(command)
    };
    let feed = |args: &str, input: String| {
        let mut running = open_umask(args);
        running.write(input);
        running.close_input();
        running.finish()
    };
    let dead = format!("http://127.0.0.1:{}", dead_port());
    feed("ingest", to_lines(&[identified("one"), event("two")])).succeeded();
    feed(&format!("ingest --server-url {dead}"), to_lines(&[event("waits")])).succeeded();
    feed("search one", String::new()).succeeded();
    feed("config set actor alice", String::new()).succeeded();
    feed("backup copy", String::new()).succeeded();
    feed("restore copy --yes", String::new()).succeeded();
    let mut many = open_umask("ingest");
    many.write(to_lines(&(0..3000).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()));
    many.close_input();
    many.finish().succeeded();
    feed("search event", String::new()).succeeded();
    fs::write(home.spool().join("batch-0000000000001-x.jsonl"), "broken\n").unwrap();
    fs::set_permissions(home.spool().join("batch-0000000000001-x.jsonl"), fs::Permissions::from_mode(0o600)).unwrap();
    feed(&format!("ingest --server-url {dead}"), to_lines(&[event("waits too")]));
    feed("doctor", String::new());
    let all = walk(&home.dir());
    for path in &all {
        let metadata = fs::symlink_metadata(path).unwrap();
        let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o7777, expected, "{}", path.display());
    }
    let names: Vec<_> = all.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    for name in ["journal.db", "journal.db-wal", "config.toml", "index", "spool"] {
        assert!(names.contains(&name), "{name} was never made: {names:?}");
    }
    assert_eq!(fs::metadata(home.top().join("copy")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn missing_parents_of_a_home_are_created_private_too() {
    let home = Home::new();
    let deep = home.top().join("a/b/c");
    home.feed(&["--home", deep.to_str().unwrap(), "ingest"], to_lines(&[event("x")])).succeeded();
    for dir in ["a", "a/b", "a/b/c"] {
        assert_eq!(fs::metadata(home.top().join(dir)).unwrap().permissions().mode() & 0o777, 0o700, "{dir}");
    }
}

#[test]
fn the_index_is_a_cache_and_answers_the_same_after_it_is_gone_or_garbled() {
    let home = Home::new();
    home.ingest(&(0..3000).map(|n| identified(&format!("event {n} word{}", n % 50))).collect::<Vec<_>>()).succeeded();
    let search = || home.run(&["search", "--json", "--limit", "100", "word7"]).succeeded();
    let before = search().out;
    assert_eq!(before.lines().count(), 60);
    let index = home.dir().join("index");
    fs::remove_dir_all(&index).unwrap();
    assert_eq!(search().out, before);
    for path in walk(&index).iter().filter(|path| path.is_file()) {
        fs::write(path, "garbage").unwrap();
    }
    let again = search();
    assert_eq!(again.out, before);
    home.run(&["doctor"]).succeeded();
}
