use crate::stub::{Reply, Request, Stub, nobody};
use crate::world::{PLACE, clock, line, lines, spool};
use memoir_record::{
    Client, ClientError, End, Lane, Notice, OnBadLine, Polled, Proxies, RemoteOptions, RemoteRecorder, RemoteSummary,
    ServerUrl, SpoolListing, Timeouts,
};
use memoir_redact::Redactor;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

struct Recorder {
    home: tempfile::TempDir,
    timeouts: Timeouts,
    options: RemoteOptions<'static>,
}

impl Recorder {
    fn new() -> Recorder {
        let timeouts = Timeouts { connect: Duration::from_secs(2), total: Duration::from_millis(700) };
        Recorder { home: tempfile::tempdir().unwrap(), timeouts, options: RemoteOptions::new(PLACE) }
    }

    fn dir(&self) -> PathBuf {
        self.home.path().join("spool")
    }

    fn run(&self, url: &str, input: &str) -> (RemoteSummary, Vec<Notice>) {
        let mut notices = Vec::new();
        let summary = self.run_until(url, &mut input.as_bytes(), &AtomicBool::new(false), &mut notices);
        (summary, notices)
    }

    fn run_until(
        &self,
        url: &str,
        input: &mut dyn memoir_record::Input,
        stop: &AtomicBool,
        notices: &mut Vec<Notice>,
    ) -> RemoteSummary {
        let (spool, clock, redactor) = (spool(&self.dir()), clock(), Redactor::builtin());
        let client =
            Client::new(ServerUrl::parse(url).unwrap(), Some("k"), &Proxies::default(), self.timeouts).unwrap();
        let recorder = RemoteRecorder {
            client: &client,
            spool: &spool,
            redactor: &redactor,
            clock: &clock,
            options: self.options,
            stop,
        };
        recorder.ingest(input, &mut |notice| notices.push(notice)).unwrap()
    }

    fn held(&self) -> SpoolListing {
        SpoolListing::read(&self.dir()).unwrap()
    }

    fn bad_files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir()).unwrap().map(|entry| entry.unwrap().path());
        let bad = entries.filter(|path| path.to_string_lossy().contains(".bad-"));
        bad.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }
}

fn numbers(of: std::ops::Range<u32>) -> String {
    lines(of.map(|n| format!("event {n:03}")))
}

fn refuse_poison(request: &Request, body: &str) -> Reply {
    let poisoned = request.texts().iter().any(|text| text.contains("poison"));
    if poisoned { Reply::Status(400, body.to_owned()) } else { Reply::Stored }
}

#[test]
fn fifty_one_events_go_in_two_requests_as_the_contract_shows_them() {
    let stub = Stub::start(|_, _| Reply::Stored);
    let recorder = Recorder::new();
    let (summary, notices) = recorder.run(&format!("{}/", stub.url), &numbers(0..51));
    assert_eq!((summary.accepted, summary.delivered.sent, summary.lost), (51, 51, 0));
    assert!(summary.is_clean() && notices.is_empty());
    let requests = stub.requests();
    assert_eq!(requests.iter().map(|request| request.records().len()).collect::<Vec<_>>(), [50, 1]);
    assert_eq!(requests[0].path, "/v1/encode/raw/batch");
    assert_eq!(requests[0].headers["accept"], "application/json");
    assert_eq!(requests[0].headers["content-type"], "application/json");
    assert_eq!(requests[0].headers["authorization"], "Bearer k");
    assert_eq!(stub.stored().len(), 51);
}

#[test]
fn a_server_that_is_away_or_busy_or_failing_costs_nothing_but_time() {
    type Script = fn() -> Reply;
    let scripts: [Script; 6] = [
        || Reply::Status(500, "oops".into()),
        || Reply::Status(503, String::new()),
        || Reply::RetryAfter(429, 1),
        || Reply::Drop,
        || Reply::Hang(Duration::from_secs(2)),
        || Reply::StoredThenSay("not json"),
    ];
    for (at, script) in scripts.into_iter().enumerate() {
        let recorder = Recorder::new();
        let failing = Stub::start(move |_, _| script());
        let (summary, _) = recorder.run(&failing.url, &numbers(0..120));
        assert_eq!((summary.accepted, summary.delivered.sent, summary.delivered.spooled), (120, 0, 120), "{at}");
        assert!(summary.is_clean(), "{at}: waiting for a server is no failure");
        assert_eq!(failing.requests().len(), 1, "{at}: after one failure the server is left in peace");
        assert_eq!(recorder.held().records, 120);
        let healthy = Stub::start(|_, _| Reply::Stored);
        let (summary, _) = recorder.run(&healthy.url, &line("new"));
        assert_eq!((summary.delivered.replayed, summary.delivered.sent), (120, 1), "{at}");
        assert_eq!(healthy.stored().len(), 121);
        assert_eq!(healthy.requests().last().unwrap().texts(), ["new"], "what waited goes first");
        assert_eq!(recorder.held(), SpoolListing::default());
    }
}

#[test]
fn nobody_there_is_noticed_at_once_and_new_input_is_kept_each_time() {
    let recorder = Recorder::new();
    for run in 1..4 {
        let (summary, notices) = recorder.run(&nobody(), &line(&format!("event {run}")));
        assert_eq!((summary.delivered.spooled, summary.lost), (1, 0));
        assert!(notices.iter().any(|notice| matches!(notice, Notice::Spooled { records: 1, .. })));
        assert_eq!(recorder.held().records, run);
    }
}

#[test]
fn a_wrong_key_spools_and_ends_with_a_failure_and_later_events_are_kept_too() {
    let recorder = Recorder::new();
    for status in [401, 403] {
        let stub = Stub::start(move |_, _| Reply::Status(status, r#"{"code":"UNAUTHORIZED","message":"no"}"#.into()));
        for run in 0..3 {
            let (summary, _) = recorder.run(&stub.url, &line(&format!("{status} {run}")));
            assert_eq!((summary.delivered.spooled, summary.lost, summary.is_clean()), (1, 0, false));
            assert!(summary.delivered.denied.as_deref().unwrap().contains("UNAUTHORIZED"));
        }
    }
    let healthy = Stub::start(|_, _| Reply::Stored);
    let (summary, _) = recorder.run(&healthy.url, "");
    assert_eq!((summary.delivered.replayed, summary.is_clean()), (6, true));
}

#[test]
fn a_poison_record_is_set_aside_alone_whether_the_server_names_it_or_not() {
    for body in [
        r#"{"code":"VALIDATION_ERROR","message":"bad ghp_aBcD1234567890aBcD1234567890aBcD1234","record":RECORD}"#,
        r#"{"code":"VALIDATION_ERROR","message":"bad"}"#,
        "{}",
    ] {
        let recorder = Recorder::new();
        let stub = Stub::start(move |_, request| {
            let at = request.texts().iter().position(|text| text.contains("poison"));
            refuse_poison(request, &body.replace("RECORD", &at.unwrap_or(0).to_string()))
        });
        let input = format!("{}{}{}", numbers(0..30), line("poison"), numbers(30..60));
        let (summary, notices) = recorder.run(&stub.url, &input);
        assert_eq!((summary.delivered.sent, summary.delivered.set_aside, summary.lost), (60, 1, 0), "{body}");
        assert!(!summary.is_clean());
        assert_eq!((stub.stored().len(), stub.repeats()), (60, 0));
        let aside = recorder.bad_files();
        assert_eq!(aside.len(), 1);
        assert!(aside[0].contains("\"status\":400") && !aside[0].contains("ghp_aBcD"), "{}", aside[0]);
        assert!(notices.iter().any(|notice| matches!(notice, Notice::SetAside { .. })));
        if body.contains("RECORD") {
            assert_eq!(stub.requests().len(), 3, "a named record costs one more request");
        }
    }
}

#[test]
fn a_poison_record_in_the_spool_holds_up_nothing() {
    let recorder = Recorder::new();
    recorder.run(&nobody(), &format!("{}{}{}", numbers(0..10), line("poison"), numbers(10..20)));
    recorder.run(&nobody(), &numbers(20..25));
    let stub = Stub::start(|_, request| refuse_poison(request, r#"{"code":"VALIDATION_ERROR","message":"bad"}"#));
    let (summary, _) = recorder.run(&stub.url, &line("new"));
    let delivered = &summary.delivered;
    assert_eq!((delivered.replayed, delivered.set_aside, delivered.sent, summary.lost), (25, 1, 1, 0));
    let (summary, _) = recorder.run(&stub.url, &line("newer"));
    assert_eq!((summary.delivered.replayed, summary.is_clean()), (0, true));
}

#[test]
fn something_that_refuses_everything_is_not_believed() {
    let recorder = Recorder::new();
    let stub = Stub::start(|_, _| Reply::Status(400, "<html>bad request</html>".into()));
    let (summary, _) = recorder.run(&stub.url, &numbers(0..4));
    assert_eq!((summary.delivered.spooled, summary.delivered.set_aside, summary.is_clean()), (4, 0, false));
    let stub = Stub::start(|_, _| Reply::Status(404, String::new()));
    let (summary, _) = recorder.run(&stub.url, &numbers(4..5));
    assert_eq!((summary.delivered.spooled, summary.delivered.set_aside, summary.is_clean()), (1, 0, false));
    assert_eq!(recorder.held().records, 5);
}

#[test]
fn a_retry_after_a_lost_answer_stores_nothing_twice() {
    for lost in [|| Reply::StoredThenDrop, || Reply::StoredThenSay(r#"{"results":[]}"#)] {
        let recorder = Recorder::new();
        let stub = Stub::start(move |number, _| if number == 0 { lost() } else { Reply::Stored });
        let (summary, _) = recorder.run(&stub.url, &numbers(0..20));
        assert_eq!(summary.delivered.spooled, 20);
        recorder.run(&stub.url, "");
        assert_eq!((stub.stored().len(), stub.repeats()), (20, 20), "same keys: nothing new");
    }
}

#[test]
fn a_server_that_comes_back_is_used_again_in_the_same_run() {
    let recorder = Recorder::new();
    let stub = Stub::start(|number, _| if number == 0 { Reply::Status(503, String::new()) } else { Reply::Stored });
    let (reader, mut writer) = std::io::pipe().unwrap();
    let url = stub.url.clone();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut options = recorder.options;
            options.flush_interval = Duration::from_millis(50);
            let recorder = Recorder { home: tempfile::tempdir().unwrap(), timeouts: recorder.timeouts, options };
            let summary = recorder.run_until(&url, &mut Polled(reader), &AtomicBool::new(false), &mut Vec::new());
            (summary, recorder.held())
        });
        use std::io::Write as _;
        writer.write_all(line("early").as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        writer.write_all(line("late").as_bytes()).unwrap();
        drop(writer);
        let (summary, held) = run.join().unwrap();
        assert_eq!((summary.delivered.spooled, summary.delivered.replayed, summary.delivered.sent), (1, 1, 1));
        assert_eq!(held.records, 0);
    });
    assert_eq!(stub.stored(), ["early", "late"]);
}

#[test]
fn a_hanging_server_stalls_a_run_once_however_much_waits() {
    let recorder = Recorder::new();
    for run in 0..5 {
        recorder.run(&nobody(), &line(&format!("old {run}")));
    }
    let stub = Stub::start(|_, _| Reply::Hang(Duration::from_secs(5)));
    let begun = Instant::now();
    let (summary, _) = recorder.run(&stub.url, &numbers(0..200));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((summary.delivered.spooled, summary.lost), (200, 0));
    assert_eq!(recorder.held().records, 205);
}

#[test]
fn a_slow_server_and_a_long_backlog_do_not_keep_new_input_waiting() {
    let mut recorder = Recorder::new();
    recorder.run(&nobody(), &numbers(0..900));
    recorder.options.batch_records_max = 10;
    recorder.options.replay_budget = Duration::from_millis(300);
    let stub = Stub::start(|_, _| {
        std::thread::sleep(Duration::from_millis(30));
        Reply::Stored
    });
    let begun = Instant::now();
    let (summary, _) = recorder.run(&stub.url, &line("new"));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert_eq!((summary.delivered.sent, summary.lost), (1, 0));
    let left = recorder.held().records;
    assert!(left > 0 && left + summary.delivered.replayed == 900, "{left}");
    assert_eq!(stub.repeats(), 0);
}

#[test]
fn a_signal_sends_or_spools_what_was_accepted() {
    for (url, spooled) in [(None, 3), (Some(()), 0)] {
        let mut recorder = Recorder::new();
        recorder.options.flush_interval = Duration::from_secs(60);
        let stub = Stub::start(|_, _| Reply::Stored);
        let url = url.map_or_else(nobody, |()| stub.url.clone());
        let (reader, mut writer) = std::io::pipe().unwrap();
        let stop = AtomicBool::new(false);
        let summary = std::thread::scope(|scope| {
            let run = scope.spawn(|| recorder.run_until(&url, &mut Polled(reader), &stop, &mut Vec::new()));
            use std::io::Write as _;
            writer.write_all(numbers(0..3).as_bytes()).unwrap();
            writer.write_all(b"{\"session_id\":\"half a li").unwrap();
            std::thread::sleep(Duration::from_millis(700));
            stop.store(true, Ordering::Relaxed);
            let begun = Instant::now();
            let summary = run.join().unwrap();
            assert!(begun.elapsed() < Duration::from_secs(1));
            summary
        });
        assert!(matches!(summary.end, End::Stopped));
        assert_eq!((summary.accepted, summary.delivered.spooled, summary.lost), (3, spooled, 0));
        assert_eq!(recorder.held().records, spooled);
    }
}

#[test]
fn bad_lines_are_reported_and_the_rest_goes_on() {
    let recorder = Recorder::new();
    let stub = Stub::start(|_, _| Reply::Stored);
    let input = format!("{}not json\n{}", numbers(0..60), numbers(60..100));
    let (summary, notices) = recorder.run(&stub.url, &input);
    assert_eq!((summary.accepted, summary.refused, summary.delivered.sent, summary.is_clean()), (100, 1, 100, false));
    assert!(matches!(&notices[..], [Notice::Line(problem)] if problem.line == 61), "{notices:?}");
    let mut strict = Recorder::new();
    strict.options.on_bad_line = OnBadLine::Stop;
    let (summary, _) = strict.run(&stub.url, &input);
    assert!(matches!(summary.end, End::BadLine(_)));
    assert_eq!((summary.accepted, summary.delivered.sent), (60, 60));
}

#[test]
fn secrets_reach_neither_server_nor_spool() {
    let recorder = Recorder::new();
    let secret = "ghp_aBcD1234567890aBcD1234567890aBcD1234";
    let stub = Stub::start(|_, _| Reply::Status(500, String::new()));
    let (summary, _) = recorder.run(&stub.url, &line(&format!("my key {secret}")));
    assert!(summary.redactions > 0);
    let sent = stub.requests()[0].texts();
    assert!(sent[0].starts_with("my key [redacted:"), "{sent:?}");
    let waiting = spool(&recorder.dir()).waiting(Lane::Server).unwrap();
    let bytes = std::fs::read_to_string(&waiting[0]).unwrap();
    let spelt: Vec<String> = secret.bytes().map(|byte| byte.to_string()).collect();
    assert!(!bytes.contains(secret) && !bytes.contains(&spelt.join(",")));
}

#[test]
fn a_full_spool_and_no_server_end_the_run_with_a_clear_sentence() {
    let recorder = Recorder::new();
    let limits = memoir_record::SpoolLimits { bytes_max: 10_000, files_max: 100 };
    let spool = memoir_record::Spool::new(recorder.dir(), limits, clock()).unwrap();
    let client =
        Client::new(ServerUrl::parse(&nobody()).unwrap(), None, &Proxies::default(), recorder.timeouts).unwrap();
    let (clock, redactor, stop) = (clock(), Redactor::builtin(), AtomicBool::new(false));
    let full = RemoteRecorder {
        client: &client,
        spool: &spool,
        redactor: &redactor,
        clock: &clock,
        options: recorder.options,
        stop: &stop,
    };
    let summary = full.ingest(&mut numbers(0..5000).as_bytes(), &mut |_| {}).unwrap();
    let End::Failed(error) = &summary.end else { panic!("{summary:?}") };
    assert!(std::error::Error::source(error).unwrap().to_string().contains("is full"), "{error}");
    assert_eq!(summary.accepted, summary.delivered.spooled + summary.lost);
    assert!(!summary.is_clean());
}

#[test]
fn a_spool_that_cannot_be_used_is_refused_before_anything_is_read() {
    let recorder = Recorder::new();
    std::os::unix::fs::symlink(recorder.home.path(), recorder.dir()).unwrap();
    let (spool, clock, redactor, stop) = (spool(&recorder.dir()), clock(), Redactor::builtin(), AtomicBool::new(false));
    let client =
        Client::new(ServerUrl::parse(&nobody()).unwrap(), None, &Proxies::default(), recorder.timeouts).unwrap();
    let options = recorder.options;
    let refused =
        RemoteRecorder { client: &client, spool: &spool, redactor: &redactor, clock: &clock, options, stop: &stop };
    let input = numbers(0..3);
    let mut rest = input.as_bytes();
    assert!(refused.ingest(&mut rest, &mut |_| {}).is_err());
    assert_eq!(rest.len(), input.len());
}

#[test]
fn a_key_never_travels_in_clear_and_loopback_never_through_a_proxy() {
    let client = |url: &str, key: Option<&str>, proxies: &Proxies| {
        Client::new(ServerUrl::parse(url).unwrap(), key, proxies, Timeouts::default())
    };
    let none = Proxies::default();
    assert_eq!(
        client("http://far.example", Some("k"), &none).err(),
        Some(ClientError::KeyInClear("far.example".into()))
    );
    assert!(client("http://far.example", Some("  "), &none).is_ok());
    assert!(client("https://far.example", Some("k"), &none).is_ok());
    assert_eq!(client("http://127.0.0.1", Some("a\nb"), &none).err(), Some(ClientError::BadKey));
    let trap = Stub::start(|_, _| Reply::Status(502, String::new()));
    let stub = Stub::start(|_, _| Reply::Stored);
    let through = Proxies { http: Some(trap.url.clone()), all: Some(trap.url.clone()), ..Proxies::default() };
    let client = client(&stub.url, Some("k"), &through).unwrap();
    let home = tempfile::tempdir().unwrap();
    let delivered = flush(&client, home.path());
    assert_eq!((delivered, stub.stored().len(), trap.requests().len()), (1, 1, 0));
}

fn flush(client: &Client, home: &Path) -> u64 {
    let (spool, clock, redactor) = (spool(&home.join("spool")), clock(), Redactor::builtin());
    spool.keep(Lane::Server, &[crate::spool::record("waiting")]).unwrap();
    let (stop, options) = (AtomicBool::new(false), RemoteOptions::new(PLACE));
    let recorder = RemoteRecorder { client, spool: &spool, redactor: &redactor, clock: &clock, options, stop: &stop };
    recorder.flush(Duration::from_secs(5), &mut |_| {}).unwrap().replayed
}
