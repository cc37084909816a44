//! `memoir forget` and `memoir forgotten`: gone at once, everywhere, for good; and back when it is undone.

use crate::http::{get, post};
use crate::support::{Home, Running, to_lines};
use crate::transcripts;
use serde_json::{Value, json};
use std::fs;

fn said(session: &str, number: u32, text: &str) -> Value {
    json!({
        "session_id": session, "event_type": "user_message", "content": text, "turn_id": format!("{session}-t{number}"),
        "timestamp": format!("2026-05-{number:02}T08:00:00Z"),
    })
}

fn worked() -> Home {
    let home = Home::new();
    home.feed(
        &["ingest", "--repo", "o/r"],
        to_lines(&[said("a", 1, "walrus one"), said("a", 2, "walrus two"), said("b", 3, "walrus three")]),
    )
    .succeeded();
    home.feed(&["ingest", "--repo", "o/other"], to_lines(&[said("c", 4, "walrus four")])).succeeded();
    let mut ann = home.command(&["ingest", "--repo", "o/r"]);
    ann.env("MEMOIR_ACTOR", "ann").env("USER", "ann");
    crate::support::run(ann, said("d", 5, "walrus five").to_string().as_bytes()).succeeded();
    home
}

/// What every way of asking tells of walruses.
fn told(home: &Home) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        let all = ["one", "two", "three", "four", "five", "six"];
        all.iter().filter(|word| text.contains(&format!("walrus {word}"))).map(|word| (*word).to_owned()).collect()
    };
    let timeline = words(&home.run(&["timeline", "--json", "--limit", "1000"]).succeeded().out);
    for args in [
        ["search", "walrus", "--json"].as_slice(),
        &["export"],
        &["recall", "walrus", "--json", "--min-confidence", "0", "--limit", "100"],
        &["ask", "walrus", "--json", "--limit", "100"],
    ] {
        let found = words(&home.run(args).succeeded().out);
        assert!(
            found.iter().all(|word| timeline.contains(word)),
            "{args:?} tells {found:?}, the timeline {timeline:?}"
        );
        if args[0] != "ask" {
            assert_eq!(found, timeline, "{args:?}");
        }
    }
    let sessions = home.run(&["sessions", "--json"]).succeeded().out;
    assert!(words(&sessions).iter().all(|word| timeline.contains(word)), "{sessions}");
    timeline
}

#[test]
fn everything_can_be_forgotten_and_undone_by_each_way_of_saying_what() {
    let home = worked();
    let all = ["one", "two", "three", "four", "five"];
    assert_eq!(told(&home), all);
    let id = home.run(&["search", "one", "--json"]).json_lines()[0]["event"]["eventId"].as_str().unwrap().to_owned();
    let ways: [(&[&str], &[&str], &str); 9] = [
        (&[&id], &["two", "three", "four", "five"], &id),
        (&["a-t2"], &["one", "three", "four", "five"], "a-t2"),
        (&["--session", "a"], &["three", "four", "five"], "session a"),
        (&["--project", "o/r"], &["four"], "project o/r"),
        (&["--actor", "ann"], &["one", "two", "three", "four"], "actor ann"),
        (&["--text", "WALRUS   three"], &["one", "two", "four", "five"], "text"),
        (&["--before", "2026-05-03T08:00:01Z"], &["four", "five"], "up to 2026-05-03"),
        (&["--session", "a", "--from", "2026-05-02"], &["one", "three", "four", "five"], "session a, from 2026-05-02"),
        (&["--text", "walrus", "--project", "o/other"], &["one", "two", "three", "five"], "project o/other, text"),
    ];
    for (way, left, asked) in ways {
        let dry = home.run(&[["forget"].as_slice(), way, &["--dry-run", "--json"]].concat()).succeeded().json();
        assert_eq!(dry["events"], json!(all.len() - left.len()), "{way:?}: {dry}");
        assert_eq!(dry["ids"].as_array().unwrap().len(), all.len() - left.len());
        let shown = home.run(&[["forget"].as_slice(), way, &["--dry-run"]].concat()).succeeded();
        assert!(
            shown.out.contains("walrus") && shown.out.contains(" in 1 session") | shown.out.contains("sessions"),
            "{}",
            shown.out
        );
        assert_eq!(told(&home), all, "a dry run changes nothing");
        home.run(&[["forget"].as_slice(), way].concat()).failed_in_one_line(2, &["--yes"]);
        let done = home.run(&[["forget"].as_slice(), way, &["--reason", "a test", "--yes"]].concat()).succeeded();
        let name = done
            .out
            .lines()
            .find_map(|line| line.split("--undo ").nth(1))
            .unwrap()
            .split('`')
            .next()
            .unwrap()
            .to_owned();
        assert_eq!(told(&home), left, "{way:?}");
        let listed = home.run(&["forgotten", "--json"]).succeeded().json_lines().remove(0);
        assert!(listed["asked"].as_str().unwrap().contains(asked), "{listed}");
        assert_eq!(
            (&listed["reason"], &listed["by"], &listed["undone"]),
            (&json!("a test"), &json!("tester"), &json!(false))
        );
        assert!(
            !home.run(&["forgotten"]).succeeded().out.to_lowercase().contains("walrus"),
            "it never says what it said"
        );
        let undone = home.run(&["forget", "--undo", &name]).succeeded();
        assert!(undone.out.contains("are there again"), "{}", undone.out);
        assert_eq!(told(&home), all, "{way:?}");
        home.run(&["forget", "--undo", &name]).failed_in_one_line(2, &["was undone before"]);
    }
    home.verified();
}

#[test]
fn what_is_forgotten_does_not_come_again_whatever_way_it_comes() {
    let home = worked();
    let project = home.top().join("project");
    fs::create_dir_all(&project).unwrap();
    home.run(&["mirror", "export", project.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    let copy = home.top().join("copy");
    let elsewhere = Home::new();
    let (from, to) = (project.join(".codaph"), copy.join(".codaph"));
    crate::support::run(
        home.command_of("cp".as_ref(), &["-r", project.to_str().unwrap(), copy.to_str().unwrap()]),
        b"",
    )
    .succeeded();
    assert!(from.exists() && to.exists());
    elsewhere.run(&["mirror", "import", copy.to_str().unwrap()]).succeeded();
    transcripts::write(&home, "s", transcripts::prompt(1, "walrus six"));
    transcripts::import(&home);
    let forgotten = home.run(&["forget", "--text", "walrus", "--yes"]).succeeded();
    assert!(forgotten.out.contains("taken out of the mirror in"), "{}", forgotten.out);
    assert_eq!(told(&home), [""; 0]);
    // Ingest, import, the mirror as it was, a push from elsewhere, a new index.
    home.feed(&["ingest", "--repo", "o/r"], to_lines(&[said("a", 1, "walrus one"), said("b", 3, "walrus three")]))
        .succeeded();
    transcripts::import(&home);
    let path = transcripts::session(&home, "s");
    transcripts::append(&path, transcripts::prompt(2, "something else"));
    transcripts::import(&home);
    home.run(&["mirror", "import", copy.to_str().unwrap()]).succeeded();
    let server = home.serve();
    elsewhere.run(&["push", "--remote", &server.url(), "--repo", "o/r"]).succeeded();
    fs::remove_dir_all(home.dir().join("index")).ok();
    assert_eq!(told(&home), [""; 0]);
    let mirrored = fs::read_dir(project.join(".codaph/segments")).unwrap();
    assert!(mirrored.flatten().all(|file| !fs::read_to_string(file.path()).unwrap().contains("walrus")));
}

#[test]
fn an_event_that_comes_after_its_tombstone_stays_out() {
    let (home, other) = (worked(), Home::new());
    let ids: Vec<String> = home
        .events()
        .iter()
        .filter(|event| event["sessionId"] == "a")
        .map(|event| event["eventId"].as_str().unwrap().to_owned())
        .collect();
    // Nothing was ever recorded there.
    let early = other.run(&["forget", &ids[0], "--yes"]).succeeded();
    assert!(early.out.contains("is not known yet: it is forgotten when it comes"), "{}", early.out);
    let project = home.top().join("project");
    fs::create_dir_all(&project).unwrap();
    home.run(&["mirror", "export", project.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    let imported = other.run(&["mirror", "import", project.to_str().unwrap(), "--json"]).succeeded().json();
    assert_eq!((&imported["suppressed"], &imported["stored"]), (&json!(1), &json!(3)), "{imported}");
    let server = other.serve();
    home.run(&["push", "--remote", &server.url(), "--repo", "o/r"]).succeeded();
    assert_eq!(told(&other), ["two", "three", "five"]);
}

#[test]
fn events_that_are_dated_after_now_are_forgotten_with_their_session() {
    let home = Home::new();
    let ahead = json!({"session_id": "a", "event_type": "user_message", "content": "walrus one", "turn_id": "t1", "timestamp": "2099-01-01T00:00:00Z"});
    home.ingest(&[ahead, said("a", 2, "walrus two"), said("b", 3, "walrus three")]).succeeded();
    home.run(&["forget", "--session", "a", "--yes"]).succeeded();
    assert_eq!(told(&home), ["three"]);
}

#[test]
fn what_cannot_be_forgotten_or_undone_is_said_in_one_sentence() {
    let home = worked();
    home.run(&["forget"]).failed_in_one_line(2, &["say what to forget"]);
    home.run(&["forget", "nonsense", "--yes"]).failed_in_one_line(2, &["nothing is known as `nonsense`"]);
    home.run(&["forget", "", "--yes"]).failed_in_one_line(2, &["nothing is known as"]);
    for (flag, what) in
        [("--session", "session"), ("--project", "project"), ("--actor", "contributor"), ("--text", "text")]
    {
        let said = format!("the {what} to forget is empty");
        home.run(&["forget", flag, " ", "--yes"]).failed_in_one_line(2, &[&said]);
    }
    home.run(&["forget", "0123456789abcdef01234567", "--session", "a", "--yes"]).failed_in_one_line(2, &["not both"]);
    home.run(&["forget", "--undo", "f-nothing"]).failed_in_one_line(2, &["nothing was forgotten as `f-nothing`"]);
    home.run(&["forget", "--before", "some day", "--yes"]).failed(2, &["some day"]);
    home.run(&["purge", "nonsense", "--yes"]).failed_in_one_line(2, &["nothing is known as"]);
    home.run(&["purge", "--dry-run"]).failed_in_one_line(2, &["say what to purge"]);
    let nothing = home.run(&["forget", "--text", "narwhal", "--yes", "--json"]).succeeded();
    assert_eq!((nothing.json()["name"].clone(), nothing.err.contains("nothing says that")), (Value::Null, true));
    assert_eq!(home.run(&["forgotten", "--json"]).succeeded().out, "");
    let unknown = home.run(&["forget", "0123456789abcdef01234567", "--yes", "--json"]).succeeded().json();
    assert_eq!(unknown["events"], 0);
    let empty = Home::new();
    for args in [["forget", "--text", "a", "--yes"], ["purge", "--text", "a", "--yes"]] {
        empty.run(&args).failed_in_one_line(1, &["nothing is recorded in"]);
    }
    assert_eq!(empty.run(&["forgotten"]).succeeded().out, "");
}

#[test]
fn what_one_process_forgets_is_gone_at_once_in_every_other() {
    let home = worked();
    let server = home.serve();
    let http = || {
        let recalled =
            post(&server, "/v1/recall", None, &json!({"query": "walrus", "min_confidence": 0.0, "limit": 100}));
        let found = get(&server, "/v1/search?q=walrus&limit=100", None);
        let line = get(&server, "/v1/timeline?limit=100", None);
        let raw = post(&server, "/v1/recall/raw", None, &json!({"limit": 100})).body.to_string();
        let told = [recalled.body, found.body, line.body].map(|body| body.to_string().contains("walrus three"));
        [told[0], told[1], told[2], raw.contains("\"session_id\":\"b\"")]
    };
    assert_eq!(http(), [true; 4]);
    for _ in 0..3 {
        let name =
            home.run(&["forget", "--session", "b", "--yes", "--json"]).json()["name"].as_str().unwrap().to_owned();
        assert_eq!(http(), [false; 4]);
        home.run(&["forget", "--undo", &name]).succeeded();
        assert_eq!(http(), [true; 4]);
    }
    // And the other way round, with the mirror.
    let project = home.top().join("project");
    fs::create_dir_all(&project).unwrap();
    home.run(&["mirror", "export", project.to_str().unwrap(), "--repo", "o/r"]).succeeded();
    let done = post(&server, "/v1/forget", None, &json!({"session": "b"}));
    assert_eq!((done.status, done.body["mirrors"].as_array().unwrap().len()), (200, 1), "{}", done.body);
    assert_eq!(told(&home), ["one", "two", "four", "five"]);
    assert!(
        !fs::read_dir(project.join(".codaph/segments"))
            .unwrap()
            .flatten()
            .any(|file| fs::read_to_string(file.path()).unwrap().contains("walrus three"))
    );
    let nothing = post(&server, "/v1/forget", None, &json!({"text": "narwhal"}));
    assert_eq!((nothing.status, &nothing.body["name"]), (200, &Value::Null));
}

#[test]
fn many_processes_record_recall_and_forget_at_once() {
    let home = worked();
    let seal = |at: usize, n: u32| said(&format!("w{at}"), n % 27 + 1, &format!("seal {n} of {at} beside the walrus"));
    let seals: Vec<Value> = (0..3).flat_map(|at| (0..12).map(move |n| (at, n))).map(|(at, n)| seal(at, n)).collect();
    home.feed(&["ingest", "--repo", "o/r"], to_lines(&seals)).succeeded();
    let mut writers: Vec<Running> = (0..3).map(|_| home.streaming(&["--repo", "o/r"])).collect();
    let server = home.serve();
    std::thread::scope(|scope| {
        let forgetting = scope.spawn(|| {
            for n in 0..12 {
                let text = format!("seal {n} of");
                let ran = home.run(&["forget", "--text", &text, "--yes", "--json"]).succeeded();
                // From here on nobody finds it.
                let found = home.run(&["recall", &text, "--json", "--min-confidence", "0"]).succeeded();
                assert!(!found.out.contains(&format!("\"text\":\"{text} ")), "{} {}", ran.out, found.out);
                let asked = json!({"query": text, "min_confidence": 0.0});
                assert!(
                    !post(&server, "/v1/recall", None, &asked).body["blocks"]
                        .to_string()
                        .contains(&format!("\"{text} "))
                );
            }
        });
        let reading: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for n in 0..15 {
                        home.run(&["recall", &format!("walrus seal {n}"), "--json"]).succeeded();
                        home.run(&["search", "walrus"]).succeeded();
                    }
                })
            })
            .collect();
        // They send new things, and the old ones over and over again.
        for n in 0..60 {
            for (at, writer) in writers.iter_mut().enumerate() {
                let other = said(&format!("o{at}"), n % 27 + 1, &format!("otter {n} of {at} beside the walrus"));
                assert!(writer.write(to_lines(&[other, seal(at, n % 12)])));
            }
        }
        forgetting.join().unwrap();
        reading.into_iter().for_each(|reader| reader.join().unwrap());
    });
    for mut writer in writers {
        writer.close_input();
        writer.finish().succeeded();
    }
    let left = home.run(&["timeline", "--json", "--limit", "1000"]).succeeded().out;
    assert_eq!((left.matches("\"seal ").count(), left.matches("\"otter ").count()), (0, 180));
    home.verified();
}

#[test]
fn a_name_that_nobody_knows_is_said_to_be_unknown_and_what_nobody_sees_hides_nothing() {
    let home = Home::new();
    home.ingest(&[said("s", 1, "the zero\u{200b}width walrus")]).succeeded();
    for wish in [&["--session", "typo"][..], &["--project", "no/such"], &["0123456789abcdef01234567"]] {
        let ran = home.run(&[&["forget"], wish, &["--yes"]].concat()).succeeded();
        assert!(ran.out.contains("\nnothing is known of that") && ran.out.contains("--undo f-"), "{ran:?}");
    }
    let ran = home.run(&["forget", "--text", "zerowidth", "--yes"]).succeeded();
    assert!(ran.out.contains("forgot 1 event"), "{ran:?}");
    assert!(!home.run(&["timeline"]).out.contains("walrus"));
}

#[test]
fn a_session_whose_id_only_looks_like_a_clients_is_forgotten_and_committed_like_any_other() {
    let home = Home::new();
    home.ingest(&[said("cx-zed", 1, "remember that the walrus is warm")]).succeeded();
    assert!(home.run(&["commit"]).succeeded().out.contains("cx-zed: archive_001"));
    assert!(home.run(&["dream"]).succeeded().out.contains("1 new memory"));
    home.run(&["forget", "--session", "cx-zed", "--yes"]).succeeded();
    home.ingest(&[said("cx-zed", 2, "the walrus is back")]).succeeded();
    assert_eq!(home.run(&["search", "walrus"]).out, "");
}
