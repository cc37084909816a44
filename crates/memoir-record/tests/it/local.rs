use crate::world::{PLACE, clock, journal, line, lines, spool};
use memoir_journal::{Audience, Clock, Filter, Journal, Order, Page, SqliteJournal, SqliteOptions, View};
use memoir_record::{
    Drain, Drained, End, Input, Lane, LocalOptions, LocalRecorder, LocalSummary, Notice, OnBadLine, Policy, Polled,
    Spool, SpoolListing, Target, drain_into_journal,
};
use memoir_redact::Redactor;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

struct Run<'a> {
    target: Target<'a>,
    home: &'a Path,
    on_bad_line: OnBadLine,
}

impl Run<'_> {
    fn on(&self, input: &mut dyn Input, stop: &AtomicBool) -> (LocalSummary, Vec<Notice>) {
        let (spool, redactor, clock) = (spool(&self.home.join("spool")), Redactor::builtin(), clock());
        let options = LocalOptions { on_bad_line: self.on_bad_line, ..LocalOptions::new(PLACE) };
        let recorder =
            LocalRecorder { target: self.target, spool: &spool, redactor: &redactor, clock: &clock, options, stop };
        let mut notices = Vec::new();
        let summary = recorder.ingest(input, &mut |notice| notices.push(notice)).unwrap();
        (summary, notices)
    }
}

fn ingest(target: Target<'_>, home: &Path, input: &str) -> (LocalSummary, Vec<Notice>) {
    let run = Run { target, home, on_bad_line: OnBadLine::Report };
    run.on(&mut input.as_bytes(), &AtomicBool::new(false))
}

fn events(journal: &dyn Journal) -> u64 {
    journal.stats().unwrap().events
}

fn drained(spool: &Spool, journal: &dyn Journal, repo_of: &dyn Fn(Option<&str>) -> String) -> Drained {
    let (redactor, policy, budget) = (&Redactor::builtin(), &Policy::default(), Duration::from_secs(9));
    let with = Drain { journal, redactor, policy, repo_of, budget, records_max: u64::MAX };
    drain_into_journal(spool, with, &mut |_| {}).unwrap()
}

#[test]
fn what_comes_in_is_in_the_journal_redacted_and_only_once() {
    let home = tempfile::tempdir().unwrap();
    let journal = journal(home.path());
    let input = concat!(
        r#"{"session_id":"s","event_type":"command","content":"export K=ghp_aBcD1234567890aBcD1234567890aBcD1234","turn_id":"1"}"#,
        "\n",
        r#"{"session_id":"s","event_type":"tool_call","content":{"b": 2.50,"a":1},"action_id":"x"}"#,
    );
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), input);
    assert_eq!((summary.accepted, summary.stored, summary.redactions, summary.is_clean()), (2, 2, 1, true));
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), input);
    assert_eq!((summary.stored, summary.duplicate), (0, 2));
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), &line("unnamed").repeat(2));
    assert_eq!((summary.stored, summary.duplicate), (2, 0), "nothing says that these are the same");
    let page =
        journal.page(&Filter::default(), &View::of(Audience::Owner), &Page::first(10, Order::NewestFirst)).unwrap();
    let texts: Vec<&str> = page.events.iter().map(|stored| stored.event.content.verbatim()).collect();
    assert!(texts.iter().any(|text| text.contains("[redacted:")) && !texts.iter().any(|text| text.contains("ghp_")));
    assert!(texts.contains(&r#"{"b": 2.50,"a":1}"#));
    assert!(!home.path().join("spool").exists(), "nothing had to wait");
}

#[test]
fn bad_lines_are_named_and_the_rest_goes_in_unless_it_is_strict() {
    let home = tempfile::tempdir().unwrap();
    let journal = journal(home.path());
    let long = format!("{}\n", "x".repeat(300_000));
    let mut input = lines((0..60).map(|n| format!("a{n}"))).into_bytes();
    input.extend_from_slice(b"nonsense\n\xff\xfe\n");
    input.extend_from_slice(long.as_bytes());
    input.extend_from_slice(br#"{"session_id":"s","event_type":"command","content":"x","visiblity":"sealed"}"#);
    input.push(b'\n');
    input.extend_from_slice(lines((0..40).map(|n| format!("b{n}"))).as_bytes());
    let mut run = Run { target: Target::Journal(&journal), home: home.path(), on_bad_line: OnBadLine::Report };
    let (summary, notices) = run.on(&mut input.as_slice(), &AtomicBool::new(false));
    assert_eq!((summary.stored, summary.refused, summary.lost, summary.is_clean()), (100, 4, 0, false));
    let told: Vec<String> = notices
        .iter()
        .map(|notice| match notice {
            Notice::Line(problem) => problem.to_string(),
            other => format!("{other:?}"),
        })
        .collect();
    assert!(told[0].starts_with("line 61 is not a JSON object"), "{told:?}");
    assert_eq!(told[1], "line 62 is not valid UTF-8 (byte 0)");
    assert_eq!(told[2], "line 63 is 300000 bytes long; the limit is 262144");
    assert_eq!(told[3], "line 64 has the unknown field `visiblity`; did you mean `visibility`?");
    run.on_bad_line = OnBadLine::Stop;
    let (summary, _) = run.on(&mut input.as_slice(), &AtomicBool::new(false));
    assert!(matches!(&summary.end, End::BadLine(problem) if problem.line == 61));
    assert_eq!((summary.stored, summary.accepted), (60, 60));
}

#[test]
fn a_long_input_goes_through_the_writer_thread_whole() {
    let home = tempfile::tempdir().unwrap();
    let journal = journal(home.path());
    let input = lines((0..20_000).map(|n| format!("event number {n}")));
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), &input);
    assert_eq!((summary.stored, summary.lost, summary.is_clean()), (20_000, 0, true));
    assert_eq!(events(&journal), 20_000);
}

#[test]
fn events_of_a_slow_producer_are_durable_while_it_pauses_and_a_signal_is_noticed() {
    let home = tempfile::tempdir().unwrap();
    let journal = journal(home.path());
    let (reader, mut writer) = std::io::pipe().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let run = Run { target: Target::Journal(&journal), home: home.path(), on_bad_line: OnBadLine::Report };
        let stop = &stop;
        let running = scope.spawn(move || run.on(&mut Polled(reader), stop).0);
        for n in 1..=3 {
            writer.write_all(line(&format!("slow {n}")).as_bytes()).unwrap();
            let begun = Instant::now();
            while events(&journal) < n {
                assert!(begun.elapsed() < Duration::from_secs(5));
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        stop.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        let summary = running.join().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1));
        assert!(matches!(summary.end, End::Stopped));
        assert_eq!((summary.accepted, summary.stored), (3, 3));
    });
}

#[test]
fn what_a_locked_journal_cannot_take_waits_in_the_spool_and_is_stored_by_the_next_process_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let options = SqliteOptions { lock_wait: Duration::from_millis(50), ..SqliteOptions::short_lived() };
    let clock: Clock = clock();
    let journal = SqliteJournal::open(&path, options, clock).unwrap();
    let input = format!(
        "{}{}\n",
        lines((0..5).map(|n| format!("e{n}"))),
        r#"{"session_id":"s","event_type":"error","content":"x","turn_id":"t"}"#
    );
    let lock = write_lock(&path);
    let (summary, notices) = ingest(Target::Journal(&journal), home.path(), &input);
    assert_eq!((summary.spooled, summary.stored, summary.lost, summary.is_clean()), (6, 0, 0, false));
    assert!(summary.journal_problem.is_some_and(|problem| problem.is_transient()));
    assert!(matches!(&notices[..], [Notice::Spooled { records: 6, .. }]));
    drop(lock);
    let spool = spool(&home.path().join("spool"));
    let drain = || drained(&spool, &journal, &|_| "repo".to_owned());
    let file = spool.waiting(Lane::Journal).unwrap().remove(0);
    let copy = std::fs::read(&file).unwrap();
    assert_eq!(drain().stored, 6);
    assert_eq!(events(&journal), 6);
    // The process was killed after storing and before removing the file.
    std::fs::write(&file, copy).unwrap();
    assert_eq!(drain().stored, 6);
    assert_eq!(events(&journal), 6);
    assert_eq!(SpoolListing::read(spool.dir()).unwrap(), SpoolListing::default());
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), &input);
    assert_eq!((summary.stored, summary.duplicate), (5, 1), "the named one is known");
}

/// Holds the write lock of a journal, as another process would.
/// Its keys were made before redaction and wait with it: stored at once or by way of the spool, it is one event.
#[test]
fn an_event_with_a_secret_is_stored_once_even_if_it_also_went_through_the_spool() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("journal.db");
    let options = SqliteOptions { lock_wait: Duration::from_millis(50), ..SqliteOptions::short_lived() };
    let journal = SqliteJournal::open(&path, options, clock()).unwrap();
    let line =
        r#"{"session_id":"s","event_type":"command","turn_id":"t1","content":"DB_PASSWORD=correct-horse-battery"}"#;
    let lock = write_lock(&path);
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), line);
    assert_eq!(summary.spooled, 1);
    drop(lock);
    let (summary, _) = ingest(Target::Journal(&journal), home.path(), line);
    assert_eq!((summary.stored, summary.redactions), (1, 1));
    let spool = spool(&home.path().join("spool"));
    drained(&spool, &journal, &|_| String::new());
    assert_eq!(events(&journal), 1);
    assert!(spool.waiting(memoir_record::Lane::Journal).unwrap().is_empty());
}

fn write_lock(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[test]
fn without_a_journal_everything_waits_in_the_spool() {
    let home = tempfile::tempdir().unwrap();
    let (summary, _) = ingest(Target::Spool, home.path(), &lines((0..3000).map(|n| format!("event number {n}"))));
    assert_eq!((summary.spooled, summary.lost, summary.is_clean()), (3000, 0, false));
    assert_eq!(SpoolListing::read(&home.path().join("spool")).unwrap().records, 3000);
}

#[test]
fn when_neither_journal_nor_spool_can_keep_it_the_run_says_so() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("spool"), "a file in the way").unwrap();
    let (summary, _) = ingest(Target::Spool, home.path(), &lines((0..3000).map(|n| format!("event number {n}"))));
    assert!(matches!(summary.end, End::Failed(_)));
    assert_eq!((summary.spooled, summary.lost), (0, summary.accepted));
}
