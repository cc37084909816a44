use crate::world::{clock, spool};
use memoir_event::{Content, Event, Json, Kind, Source};
use memoir_record::wire::{Destination, RawRecord, Sender, encode};
use memoir_record::{Claimed, Lane, Recovered, Spool, SpoolError, SpoolLimits, SpoolListing};
use std::fs::{self, File};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

pub fn record(text: &str) -> RawRecord {
    let event = Event::new(Source::Recorder, "demo", Kind::Command, Content::Text(text.to_owned()));
    encode(&event, Sender { cwd: Some("/home/dev"), to: Destination::Server }, Some(&format!("key-{text}")))
}

fn records(texts: &[&str]) -> Vec<RawRecord> {
    texts.iter().map(|text| record(text)).collect()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn private(dir: &Path) {
    fs::DirBuilder::new().mode(0o700).create(dir).unwrap();
}

fn take(spool: &Spool, path: &Path) -> Vec<RawRecord> {
    match spool.claim(path).unwrap() {
        Claimed::Ours(mut claim) => {
            let records = claim.take_records();
            claim.done(spool).unwrap();
            records
        }
        _ => Vec::new(),
    }
}

#[test]
fn records_are_kept_privately_and_come_back_in_order() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("a/b/spool");
    let spool = spool(&dir);
    assert_eq!(spool.waiting(Lane::Server).unwrap(), Vec::<PathBuf>::new());
    assert!(!dir.exists(), "looking creates nothing");
    let first = spool.keep(Lane::Server, &records(&["1", "2"])).unwrap();
    let second = spool.keep(Lane::Server, &records(&["3"])).unwrap();
    spool.keep(Lane::Journal, &records(&["4"])).unwrap();
    for made in ["a", "a/b", "a/b/spool"] {
        assert_eq!(mode(&home.path().join(made)), 0o700, "{made}");
    }
    assert_eq!(mode(&first), 0o600);
    assert_eq!(spool.waiting(Lane::Server).unwrap(), [first.clone(), second.clone()]);
    assert_eq!(take(&spool, &first), records(&["1", "2"]));
    assert_eq!(spool.waiting(Lane::Server).unwrap(), [second]);
    let listing = SpoolListing::read(&dir).unwrap();
    assert_eq!((listing.files.len(), listing.records, listing.quarantined), (2, 2, 0));
    assert!(listing.oldest_ms.is_some_and(|at| at >= 1_790_000_000_000));
}

#[test]
fn a_spool_file_has_one_record_to_a_line() {
    let home = tempfile::tempdir().unwrap();
    let spool = spool(&home.path().join("spool"));
    let mut pretty = Event::new(Source::Recorder, "demo", Kind::ToolCall, Content::Text("x".into()));
    pretty.metadata = Some(Json::parse("{\n  \"a\": \"line\\nbreak\"\n}".into()).unwrap());
    let records = [record("a"), encode(&pretty, Sender { cwd: None, to: Destination::Server }, Some("k"))];
    let path = spool.keep(Lane::Server, &records).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(name.starts_with("batch-1790000000") && name.ends_with(".jsonl"), "{name}");
    crate::wire::golden("spool-batch.jsonl", &fs::read_to_string(&path).unwrap());
    assert_eq!(take(&spool, &path).len(), 2);
}

#[test]
fn a_directory_that_is_not_ours_alone_is_refused_and_left_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    let open = home.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
    let refusal = spool(&open).keep(Lane::Server, &records(&["x"])).unwrap_err();
    assert!(matches!(refusal, SpoolError::NotPrivate { mode: 0o755, .. }), "{refusal}");
    assert_eq!((mode(&open), names(&open).len()), (0o755, 0));
    let real = home.path().join("real");
    private(&real);
    let link = home.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    assert!(matches!(spool(&link).ensure(), Err(SpoolError::Link { .. })));
    let dangling = home.path().join("dangling");
    std::os::unix::fs::symlink(home.path().join("nowhere"), &dangling).unwrap();
    assert!(matches!(spool(&dangling).ensure(), Err(SpoolError::Link { .. })));
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(spool(&file).ensure(), Err(SpoolError::NotADirectory { .. })));
}

/// Runs one of the tests marked `ignored` as another user; true if that could be done and it passed.
fn as_another_user(test: &str, dir: &Path) {
    use std::os::unix::process::CommandExt as _;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // The build directory may be closed to others: they get a copy of this program.
    let copy = dir.join("tests-for-another-user");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let status = std::process::Command::new(&copy)
        .args(["--exact", test, "--ignored"])
        .env("MEMOIR_TEST_DIR", dir)
        .current_dir(dir)
        .uid(65534)
        .gid(65534)
        .status()
        .unwrap();
    assert!(status.success(), "{test} as another user");
}

fn open_dir() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    home
}

#[test]
fn another_users_spool_is_refused() {
    let home = open_dir();
    private(&home.path().join("roots"));
    fs::create_dir(home.path().join("shut")).unwrap();
    fs::create_dir(home.path().join("free")).unwrap();
    fs::set_permissions(home.path().join("free"), fs::Permissions::from_mode(0o777)).unwrap();
    as_another_user("spool::child_is_refused_by_the_spool_of_another_user", home.path());
}

#[test]
#[ignore = "run by another_users_spool_is_refused, as another user"]
fn child_is_refused_by_the_spool_of_another_user() {
    let Some(home) = std::env::var_os("MEMOIR_TEST_DIR").map(PathBuf::from) else { return };
    let refusal = spool(&home.join("roots")).keep(Lane::Server, &records(&["x"])).unwrap_err();
    assert!(matches!(refusal, SpoolError::NotOurs { owner: 0, ours: 65534, .. }), "{refusal}");
    let refusal = spool(&home.join("shut/new/spool")).keep(Lane::Server, &records(&["x"])).unwrap_err();
    assert!(matches!(refusal, SpoolError::Io { doing: "create", .. }), "{refusal}");
    let own = home.join("free/spool");
    spool(&own).keep(Lane::Server, &records(&["x"])).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o500)).unwrap();
    let refusal = spool(&own).keep(Lane::Server, &records(&["y"])).unwrap_err();
    assert!(matches!(refusal, SpoolError::Io { doing: "write to", .. }), "{refusal}");
    assert_eq!(SpoolListing::read(&own).unwrap().records, 1);
}

#[test]
fn at_its_limit_the_spool_refuses_and_what_it_holds_stays() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let one = record("x").to_line().len() as u64 + 1;
    let limits = SpoolLimits { bytes_max: 3 * one, files_max: 100 };
    let small = Spool::new(dir.clone(), limits, clock()).unwrap();
    for _ in 0..3 {
        small.keep(Lane::Server, &records(&["x"])).unwrap();
    }
    let refusal = small.keep(Lane::Server, &records(&["x"])).unwrap_err();
    assert!(refusal.to_string().contains("is full (3 files"), "{refusal}");
    assert_eq!(names(&dir).len(), 3);
    let oldest = small.waiting(Lane::Server).unwrap()[0].clone();
    assert_eq!(take(&small, &oldest).len(), 1);
    small.keep(Lane::Server, &records(&["x"])).unwrap();
    let few = Spool::new(dir, SpoolLimits { bytes_max: u64::MAX, files_max: 3 }, clock()).unwrap();
    assert!(matches!(few.keep(Lane::Server, &records(&["x"])), Err(SpoolError::Full { files: 3, .. })));
}

#[test]
fn good_records_of_a_malformed_file_are_saved_and_its_bad_lines_set_aside() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let spool = spool(&dir);
    let path = spool.keep(Lane::Server, &records(&["1", "2"])).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    let (first, second) = good.split_once('\n').unwrap();
    fs::write(&path, format!("{first}\n{{broken\n\u{0}\n{second}")).unwrap();
    let Claimed::Ours(mut claim) = spool.claim(&path).unwrap() else { panic!("not ours") };
    assert_eq!(claim.take_records(), records(&["1", "2"]));
    assert_eq!(fs::read_to_string(claim.bad_lines().unwrap()).unwrap(), "{broken\n\u{0}\n");
    drop(claim);
    assert!(!path.exists());
    let left = spool.waiting(Lane::Server).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(fs::read_to_string(&left[0]).unwrap(), good);
    let hopeless = dir.join("batch-0000000000001-x.jsonl");
    fs::write(&hopeless, b"\xff\xfe").unwrap();
    assert!(matches!(spool.claim(&hopeless).unwrap(), Claimed::SetAside(_)));
    assert_eq!(SpoolListing::read(&dir).unwrap().quarantined, 2);
}

#[test]
fn leftovers_of_a_killed_process_are_found() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let spool = spool(&dir);
    spool.ensure().unwrap();
    let whole = format!("{}\n{}\n", record("1").to_line(), record("2").to_line());
    let half = whole.get(..whole.len() - 30).unwrap();
    fs::write(dir.join("batch-1780000000000-a.jsonl.tmp"), &whole).unwrap();
    fs::write(dir.join("journal-1780000000000-b.jsonl.tmp"), half).unwrap();
    fs::write(dir.join("batch-1780000000000-c.jsonl.tmp"), "").unwrap();
    let written_now = dir.join("batch-1780000000000-d.jsonl.tmp");
    fs::write(&written_now, &whole).unwrap();
    let lock = File::open(&written_now).unwrap();
    lock.lock().unwrap();
    assert_eq!(spool.recover().unwrap(), Recovered { records: 3, quarantined: 1 });
    assert_eq!(take(&spool, &spool.waiting(Lane::Server).unwrap()[0]), records(&["1", "2"]));
    assert_eq!(take(&spool, &spool.waiting(Lane::Journal).unwrap()[0]), records(&["1"]));
    let listing = SpoolListing::read(&dir).unwrap();
    assert_eq!((listing.files.len(), listing.quarantined, listing.unfinished), (0, 1, 1), "{:?}", names(&dir));
}

#[test]
fn a_claimed_file_is_nobody_elses_and_a_vanished_one_is_no_error() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let (one, other) = (spool(&dir), spool(&dir));
    let path = one.keep(Lane::Server, &records(&["1", "2", "3"])).unwrap();
    let Claimed::Ours(claim) = one.claim(&path).unwrap() else { panic!("not ours") };
    assert!(matches!(other.claim(&path).unwrap(), Claimed::Others));
    claim.keep_rest(&one, &records(&["3"])).unwrap();
    assert!(matches!(other.claim(&path).unwrap(), Claimed::Others));
    let rest = other.waiting(Lane::Server).unwrap();
    assert_eq!(take(&other, &rest[0]), records(&["3"]));
    assert_eq!(names(&dir), Vec::<String>::new());
}

#[test]
fn whatever_was_kept_before_a_kill_is_there_exactly_once_after_it() {
    let home = tempfile::tempdir().unwrap();
    let mut kept = Vec::new();
    for round in 0..8 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "spool::child_keeps_records_until_it_is_killed", "--ignored", "--nocapture"])
            .env("MEMOIR_TEST_DIR", home.path())
            .env("MEMOIR_TEST_ROUND", round.to_string())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let reader = std::thread::spawn(move || {
            use std::io::BufRead as _;
            let lines = std::io::BufReader::new(output).lines().map_while(Result::ok);
            lines.filter_map(|line| line.strip_prefix("kept ").map(str::to_owned)).collect::<Vec<_>>()
        });
        std::thread::sleep(std::time::Duration::from_millis(40 + 17 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        kept.extend(reader.join().unwrap());
    }
    let spool = spool(&home.path().join("spool"));
    let recovered = spool.recover().unwrap();
    let mut found: Vec<String> = Vec::new();
    for path in spool.waiting(Lane::Server).unwrap() {
        found.extend(take(&spool, &path).iter().filter_map(RawRecord::idempotency_key));
    }
    found.sort();
    let mut once = found.clone();
    once.dedup();
    assert_eq!(found, once, "nothing twice");
    assert!(kept.len() > 20, "only {} kept", kept.len());
    let lost: Vec<&String> = kept.iter().filter(|key| !found.contains(key)).collect();
    assert!(lost.is_empty(), "lost {lost:?}, recovered {recovered:?}");
    assert_eq!(SpoolListing::read(spool.dir()).unwrap().unfinished, 0);
}

#[test]
#[ignore = "run by whatever_was_kept_before_a_kill_is_there_exactly_once_after_it, as a process to kill"]
fn child_keeps_records_until_it_is_killed() {
    use std::io::Write as _;
    let Some(home) = std::env::var_os("MEMOIR_TEST_DIR").map(PathBuf::from) else { return };
    let round = std::env::var("MEMOIR_TEST_ROUND").unwrap();
    let spool = spool(&home.join("spool"));
    for n in 0.. {
        let texts = [format!("{round}-{n}-a"), format!("{round}-{n}-b")];
        spool.keep(Lane::Server, &[record(&texts[0]), record(&texts[1])]).unwrap();
        let told = format!("\nkept key-{}\nkept key-{}\n", texts[0], texts[1]);
        std::io::stdout().write_all(told.as_bytes()).unwrap();
    }
}
