//! `memoir remember` and `memoir memories`.

use crate::support::{Home, identified};
use serde_json::{Value, json};
use std::fs;

fn remember(home: &Home, args: &[&str]) -> Value {
    home.run(&[["remember", "--json", "--project", "o/r"].as_slice(), args].concat()).succeeded().json()
}

fn texts(home: &Home, args: &[&str]) -> Vec<String> {
    let listed = home.run(&[["memories", "--json"].as_slice(), args].concat()).succeeded().json_lines();
    listed.iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_memory_is_kept_listed_recalled_and_explained() {
    let home = Home::new();
    let ran = home
        .run(&["remember", "deploys go through ./ship, never kubectl", "--project", "o/r", "--kind", "procedure"])
        .succeeded();
    assert!(ran.out.starts_with("remembered as ") && ran.out.contains("(deploys)"), "{}", ran.out);
    let id = ran.out.split(' ').nth(2).unwrap().to_owned();
    let again = home
        .run(&["remember", "deploys go through ./ship, never kubectl", "--project", "o/r", "--kind", "procedure"])
        .succeeded();
    assert_eq!(again.out, format!("{id} (deploys) was said again: 2 times by now\n"));
    let listed = home.run(&["memories", "--project", "o/r"]).succeeded();
    assert!(
        listed.out.contains(&id) && listed.out.contains("procedure") && listed.out.contains("said 2 times"),
        "{}",
        listed.out
    );
    assert_eq!(texts(&home, &["--project", "other"]), [""; 0]);
    assert_eq!(texts(&home, &["--kind", "fact"]), [""; 0]);
    let recalled = home.run(&["recall", "how do deploys go?"]).succeeded();
    assert!(
        recalled.out.starts_with("- procedure: \"deploys go through ./ship, never kubectl\"\n  memory, "),
        "{}",
        recalled.out
    );
    let block = home.run(&["recall", "how do deploys go?", "--json"]).json()["blocks"][0].clone();
    assert_eq!(
        (&block["memory_id"], &block["memory"]["reinforced"], &block["memory"]["scope"]),
        (&json!(id), &json!(1), &json!("project"))
    );
    let why = home.run(&["why", &id]).succeeded();
    for part in ["kind  procedure", "called  deploys", "holds for  project", "said again  1 times"] {
        assert!(why.out.contains(part), "`{part}` is missing in {}", why.out);
    }
    let pinned = home.run(&["memories", "set", &id, "--pin", "--alias", "shipping", "--json"]).succeeded().json();
    assert_eq!((&pinned["pinned"], &pinned["aliases"]), (&json!(true), &json!(["./ship", "shipping"])));
    assert_eq!(texts(&home, &["--pinned"]).len(), 1);
    home.run(&["memories", "set", &id, "--status", "resolved"]).succeeded();
    assert_eq!((texts(&home, &[]).len(), texts(&home, &["--history"]).len()), (0, 1));
    assert_eq!(home.run(&["recall", "how do deploys go?"]).succeeded().out, "");
}

#[test]
fn what_is_about_the_user_holds_wherever_they_work_unless_they_say_otherwise() {
    let home = Home::new();
    let ran = home.run(&["remember", "My timezone is Europe/Lisbon"]).succeeded();
    assert!(ran.out.contains("it is about you, so it holds wherever you work"), "{}", ran.out);
    assert_eq!(texts(&home, &["--project", "elsewhere"]), ["My timezone is Europe/Lisbon"]);
    let here = remember(&home, &["I work at Contoso"]);
    assert_eq!(here["memory"]["scope"], "project");
    let other = home.run(&["remember", "we work with npm", "--json"]).succeeded().json();
    assert_eq!(other["memory"]["scope"], "project");
}

#[test]
fn the_newer_statement_holds_and_history_shows_both() {
    let home = Home::new();
    let older = remember(&home, &["install packages with npm"]);
    let newer = remember(&home, &["we moved from npm to pnpm", "--kind", "decision"]);
    assert_eq!(newer["superseded"], json!([older["memory_id"]]));
    assert_eq!(texts(&home, &[]), ["we moved from npm to pnpm"]);
    let history = home.run(&["memories", "--history", "--json"]).succeeded().json_lines();
    assert_eq!(history.len(), 2);
    let old = history.iter().find(|memory| memory["text"] == "install packages with npm").unwrap();
    assert_eq!(old["superseded_by"], newer["memory_id"]);
    let asked = "do we use npm or pnpm?";
    let now = home.run(&["recall", asked]).succeeded();
    assert!(now.out.contains("moved from npm") && !now.out.contains("install packages"), "{}", now.out);
    let then = home.run(&["recall", asked, "--history"]).succeeded();
    let lines: Vec<&str> = then.out.lines().collect();
    assert!(
        lines[0].contains("moved from npm to pnpm") && lines[2].contains("install packages with npm"),
        "{}",
        then.out
    );
    assert!(lines[3].ends_with(&format!("superseded by {}", newer["memory_id"].as_str().unwrap())), "{}", then.out);
    let why = home.run(&["why", old["memory_id"].as_str().unwrap(), "--history"]).succeeded();
    assert!(why.out.contains("superseded  by "), "{}", why.out);
    // Back again: the last word counts.
    remember(&home, &["install packages with npm"]);
    assert!(texts(&home, &[]).contains(&"install packages with npm".to_owned()));
    // A statement can say itself what it replaces, by id or by name.
    let a = remember(&home, &["the office is in Berlin", "--name", "office"]);
    let b = remember(&home, &["people meet in Hamburg from May on", "--name", "office"]);
    assert_eq!(b["superseded"], json!([a["memory_id"]]));
    let c = remember(&home, &["nobody meets at all", "--supersedes", b["memory_id"].as_str().unwrap()]);
    assert_eq!(c["superseded"], json!([b["memory_id"]]));
}

#[test]
fn contradictions_are_shown_until_they_are_resolved() {
    let home = Home::new();
    let yes = remember(&home, &["integration tests run in docker"]);
    let ran =
        home.run(&["remember", "integration tests never run in podman or containers", "--project", "o/r"]).succeeded();
    let yes_id = yes["memory_id"].as_str().unwrap();
    assert!(ran.out.contains(&format!("{yes_id} says otherwise; both are shown")), "{}", ran.out);
    assert_eq!(home.run(&["memories"]).succeeded().out.matches("contradicts ").count(), 2);
    let recalled = home.run(&["recall", "do integration tests run in docker?"]).succeeded();
    assert!(recalled.out.contains("contradicted by another memory"), "{}", recalled.out);
    home.run(&["forget", yes_id, "--yes"]).succeeded();
    assert_eq!(home.run(&["memories"]).succeeded().out.matches("contradicts ").count(), 0);
}

#[test]
fn a_memory_loses_a_source_and_vanishes_with_the_last() {
    let home = Home::new();
    home.ingest(&[identified("walrus source one"), identified("walrus source two")]).succeeded();
    let ids: Vec<String> = home.events().iter().map(|event| event["eventId"].as_str().unwrap().to_owned()).collect();
    let made = remember(&home, &["the walrus has two tusks", "--source", &ids[0], "--source", &ids[1]]);
    let id = made["memory_id"].as_str().unwrap();
    let sources = || home.run(&["memories", "--json"]).json_lines()[0]["sources"].as_array().unwrap().len();
    assert_eq!(sources(), 2);
    home.run(&["forget", &ids[0], "--yes"]).succeeded();
    assert_eq!((texts(&home, &[]).len(), sources()), (1, 1));
    let last = home.run(&["forget", &ids[1], "--yes", "--json"]).succeeded().json();
    assert_eq!(texts(&home, &["--history"]), [""; 0]);
    home.run(&["why", id]).failed_in_one_line(2, &["nothing is known"]);
    assert_eq!(home.run(&["recall", "how many tusks has the walrus?"]).succeeded().out, "");
    let stays =
        home.run(&["remember", "the walrus has two tusks", "--project", "o/r", "--source", &ids[1]]).succeeded();
    assert!(stays.out.contains("this was forgotten, and stays so"), "{}", stays.out);
    home.run(&["forget", "--undo", last["name"].as_str().unwrap()]).succeeded();
    assert_eq!(texts(&home, &[]), ["the walrus has two tusks"]);
}

#[test]
fn what_a_file_says_to_supersede_is_superseded_or_told_to_be_unknown() {
    let home = Home::new();
    let known = remember(&home, &["people meet in Hamburg"])["memory_id"].as_str().unwrap().to_owned();
    let file = format!(
        r#"[{{"uid":"m-1","text":"the office is closed","project":"o/r"}},
            {{"uid":"m-2","text":"nobody meets","project":"o/r","supersedes":["m-1","{known}"]}},
            {{"text":"the cat sleeps","project":"o/r","supersedes":["nope"]}}]"#
    );
    let ran = home.feed(&["memories", "import", "-", "--json"], &file);
    let told = ran.json();
    assert_eq!((&told["new"], &told["superseded"], &told["unknown"]), (&json!(3), &json!(2), &json!(1)));
    assert!(ran.err.contains("the cat sleeps: it supersedes `nope`, and nothing goes by that"), "{}", ran.err);
    let mut now = texts(&home, &[]);
    now.sort();
    assert_eq!(now, ["nobody meets", "the cat sleeps"]);
}

#[test]
fn memories_come_from_files_in_several_forms_and_go_out_and_in_again() {
    let home = Home::new();
    let own = r#"[{"uid":"m-1","text":"the registry is at port 4873","kind":"fact","project":"o/r","aliases":["verdaccio"]},
                  {"uid":"m-2","text":"the registry is at port 4874","kind":"fact","project":"o/r"}]"#;
    let beliefs = concat!(
        r#"{"id":"b-1","statement":"Mara prefers tabs","type":"preference","canonical_name":"tabs","scope":["domain:o/r"],"#,
        r#""epistemic_status":"inferred","confidence":0.7,"reinforcement_count":3,"superseded_by":"b-2"}"#,
        "\n",
        r#"{"id":"b-2","statement":"Mara prefers spaces now","type":"preference","canonical_name":"spaces","scope":["domain:o/r"]}"#,
        "\n",
    );
    let wrapped =
        r#"{"memories":[{"content":"the office closes at six","created_at":"2026-01-02T03:04:05Z","user_id":"mara"}]}"#;
    let import = |name: &str, text: &str| {
        let file = home.top().join(name);
        fs::write(&file, text).unwrap();
        home.run(&["memories", "import", file.to_str().unwrap(), "--project", "o/r", "--json"]).succeeded().json()
    };
    let dry = home.feed(&["memories", "import", "-", "--dry-run", "--json"], own).succeeded().json();
    assert_eq!((&dry["read"], &dry["new"]), (&json!(2), &json!(0)));
    assert_eq!(import("own.json", own)["new"], 2);
    assert_eq!(import("own.json", own)["again"], 2);
    let read = import("beliefs.jsonl", beliefs);
    assert_eq!((&read["new"], &read["superseded"]), (&json!(2), &json!(1)));
    assert_eq!(import("wrapped.json", wrapped)["new"], 1);
    let now = texts(&home, &["--project", "o/r"]);
    assert_eq!(now.len(), 4, "{now:?}");
    assert!(!now.contains(&"Mara prefers tabs".to_owned()) && now.contains(&"Mara prefers spaces now".to_owned()));
    // Out, and in elsewhere; and nothing is forgotten in vain.
    let out = home.run(&["memories", "--json"]).succeeded().out;
    let elsewhere = Home::new();
    elsewhere.feed(&["memories", "import", "-"], &out).succeeded();
    assert_eq!(texts(&elsewhere, &[]), now);
    // With its history: what was replaced is known there, and holds no more.
    let past = home.run(&["memories", "--history", "--json"]).succeeded().out;
    let with_past = Home::new();
    with_past.feed(&["memories", "import", "-"], &past).succeeded();
    assert_eq!(texts(&with_past, &[]), now);
    assert_eq!(texts(&with_past, &["--history"]), texts(&home, &["--history"]));
    let replaced = past.lines().find(|line| line.contains("prefers tabs")).unwrap();
    let alone = Home::new();
    alone.feed(&["memories", "import", "-"], replaced).succeeded();
    assert_eq!((texts(&alone, &[]).len(), texts(&alone, &["--history"]).len()), (0, 1));
    home.run(&["forget", "--text", "office closes", "--yes"]).succeeded();
    let again = import("wrapped.json", wrapped);
    assert_eq!((&again["forgotten"], &again["new"]), (&json!(1), &json!(0)), "{again}");
    let all = home.feed(&["memories", "import", "-", "--json"], &out).succeeded().json();
    assert_eq!(all["forgotten"], 1, "{all}");
    assert!(!texts(&home, &["--history"]).contains(&"the office closes at six".to_owned()));
}

#[test]
fn what_is_wrong_with_a_memory_is_said_in_one_sentence() {
    let home = Home::new();
    home.run(&["remember", "  "]).failed_in_one_line(2, &["a memory needs a text"]);
    let fax = home.run(&["remember", "x", "--kind", "fax"]);
    assert!(fax.code() == 2 && fax.err.contains("known are fact, preference"), "{fax:?}");
    home.run(&["remember", &"x".repeat(9_000)]).failed_in_one_line(2, &["at most 8000 characters", "9000"]);
    home.run(&["remember", "x", "--supersedes", "0123456789abcdef01234567"])
        .failed_in_one_line(2, &["there is no memory"]);
    home.run(&["remember", "x", "--supersedes", "nonsense"]).failed_in_one_line(2, &["nonsense"]);
    home.run(&["remember", "x", "--session", "nobody"]).failed_in_one_line(2, &["nobody"]);
    home.run(&["memories", "set", "nonsense", "--pin"]).failed_in_one_line(2, &["there is no memory `nonsense`"]);
    home.run(&["memories", "import", "/nowhere/at/all.json"])
        .failed_in_one_line(2, &["/nowhere/at/all.json cannot be read"]);
    let garbage = home.feed(&["memories", "import", "-"], b"\xff\xfe\x00binary").failed_in_one_line(2, &["not UTF-8"]);
    assert_eq!(garbage.out, "");
    let bad = home.feed(&["memories", "import", "-"], "no json\n{\"text\":\"good\"}\n[]\n{\"text\":\"\"}");
    assert_eq!(bad.code(), 1, "{bad:?}");
    assert!(bad.err.lines().count() == 3 && bad.out.contains("new 1, refused 3"), "{bad:?}");
    assert_eq!(home.feed(&["memories", "import", "-"], "").succeeded().out, "new 0\n");
    let told = home.run(&["remember", "push with ghp_abcdefghijklmnopqrstuvwxyz0123456789"]).succeeded();
    assert!(told.err.contains("1 secret taken out") && !told.out.contains("ghp_abcdef"), "{told:?}");
    assert!(!home.run(&["memories", "--json"]).succeeded().out.contains("ghp_abcdef"));
}

#[test]
fn memories_are_no_session_of_a_project() {
    let home = Home::new();
    home.feed(&["ingest", "--repo", "o/r"], identified("hello").to_string()).succeeded();
    remember(&home, &["the walrus sings"]);
    home.run(&["remember", "alone", "--project", "only/memories"]).succeeded();
    let projects = home.run(&["projects", "--json"]).succeeded().json_lines();
    let sessions =
        |repo: &str| projects.iter().find(|one| one["project"] == repo).unwrap()["sessions"].as_u64().unwrap();
    assert_eq!((sessions("o/r"), sessions("only/memories")), (1, 0));
    assert_eq!(home.run(&["sessions", "--json"]).succeeded().json_lines().len(), 1);
}

#[test]
fn what_many_say_at_once_is_one_memory_said_so_often() {
    let home = Home::new();
    remember(&home, &["the walrus port is number 7000"]);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| remember(&home, &["the walrus port is number 7000"]));
        }
    });
    let listed = home.run(&["memories", "--json", "--project", "o/r"]).succeeded().json_lines();
    assert_eq!((listed.len(), &listed[0]["reinforced"]), (1, &json!(6)), "{listed:?}");
    let (file, said) = (home.top().join("said.json"), r#"[{"text": "the walrus gate is green"}]"#);
    fs::write(&file, said).unwrap();
    for _ in 0..2 {
        home.run(&["memories", "import", file.to_str().unwrap(), "--project", "o/r"]).succeeded();
    }
    let listed = home.run(&["memories", "--json", "--project", "o/r"]).succeeded().json_lines();
    let gate = listed.iter().find(|memory| memory["text"] == "the walrus gate is green").unwrap();
    assert_eq!(gate["reinforced"], 0);
}
