//! `memoir mirror`: a project's events as files, out and in again, with what is damaged named and mended.

use crate::support::Home;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn said(session: &str, at: u32, text: &str) -> Value {
    json!({
        "session_id": session, "event_type": "user_message", "content": text, "turn_id": format!("t{at}"),
        "timestamp": format!("2026-05-10T08:00:{at:02}Z"),
    })
}

/// A home with events of a project, and that project's directory.
fn recorded() -> (Home, PathBuf) {
    let home = Home::new();
    let project = home.top().join("project");
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(project.join(".git/config"), "[remote \"origin\"]\n\turl = git@github.com:o/r.git\n").unwrap();
    let events = [said("one", 1, "first"), said("one", 2, "second"), said("two", 3, "third")];
    home.feed(&["ingest", "--repo", "o/r"], crate::support::to_lines(&events)).succeeded();
    home.feed(&["ingest", "--repo", "other/repo"], said("three", 4, "of another project").to_string()).succeeded();
    (home, project)
}

fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

fn ids(home: &Home) -> Vec<Value> {
    home.events().iter().map(|event| event["eventId"].clone()).collect()
}

#[test]
fn a_project_goes_out_and_comes_in_elsewhere_with_the_same_ids() {
    let (home, project) = recorded();
    let dir = project.to_str().unwrap();
    let out = home.run(&["mirror", "export", dir, "--json"]).succeeded().json();
    assert_eq!((&out["new"], &out["segments"], &out["project"]), (&json!(3), &json!(2), &json!("o/r")));
    let before = files(&project.join(".codaph"));
    assert!(before.keys().any(|path| path.ends_with("manifest.json")));
    let again = home.run(&["mirror", "export", dir, "--json"]).succeeded().json();
    assert_eq!((&again["new"], &again["known"]), (&json!(0), &json!(3)));
    assert_eq!(files(&project.join(".codaph")), before);
    home.run(&["mirror", "verify", dir]).succeeded();

    let here = home.run(&["mirror", "import", dir, "--json"]).succeeded().json();
    assert_eq!((&here["stored"], &here["known"]), (&json!(0), &json!(3)));
    let elsewhere = Home::new();
    for stored in [3, 0] {
        let there = elsewhere.run(&["mirror", "import", dir, "--json"]).succeeded().json();
        assert_eq!(there["stored"], stored);
    }
    let own: Vec<Value> = ids(&home).into_iter().filter(|id| ids(&elsewhere).contains(id)).collect();
    assert_eq!(own, ids(&elsewhere));
    assert_eq!(elsewhere.prompts(), ["first", "second", "third"]);
    assert!(elsewhere.events().iter().all(|event| event["repoId"] == "o/r"));
}

#[test]
fn one_new_event_touches_one_segment_and_the_indexes_alone() {
    let (home, project) = recorded();
    let dir = project.to_str().unwrap();
    home.run(&["mirror", "export", dir]).succeeded();
    let before = files(&project.join(".codaph"));
    home.feed(&["ingest", "--repo", "o/r"], said("two", 9, "fourth").to_string()).succeeded();
    home.run(&["mirror", "export", dir]).succeeded();
    let changed: Vec<String> = files(&project.join(".codaph"))
        .into_iter()
        .filter(|(path, bytes)| before.get(path) != Some(bytes))
        .map(|(path, _)| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(changed, ["eventid-index.jsonl", "manifest.json", "two.jsonl", "sparse-index.jsonl"]);
}

#[test]
fn secret_events_stay_out_of_a_mirror_unless_they_are_asked_for() {
    let (home, project) = recorded();
    let mut secret = said("one", 8, "not for everybody");
    secret["secrecy_level"] = json!("secret");
    home.feed(&["ingest", "--repo", "o/r"], secret.to_string()).succeeded();
    let dir = project.to_str().unwrap();
    assert_eq!(home.run(&["mirror", "export", dir, "--json"]).succeeded().json()["new"], 3);
    assert_eq!(home.run(&["mirror", "export", dir, "--json", "--secret"]).succeeded().json()["new"], 1);
}

#[test]
fn damage_is_named_and_nothing_is_lost_of_the_rest() {
    let (home, project) = recorded();
    let dir = project.to_str().unwrap();
    home.run(&["mirror", "export", dir]).succeeded();
    let segment = project.join(".codaph/segments/one.jsonl");
    let text = fs::read_to_string(&segment).unwrap();
    fs::write(&segment, text.replace("first", "forged")).unwrap();
    let ran = home.run(&["mirror", "verify", dir]);
    assert_eq!(ran.code(), 1);
    assert!(ran.out.contains("one.jsonl"), "{}", ran.out);
    fs::write(&segment, format!("{text}not json\n")).unwrap();
    let elsewhere = Home::new();
    let ran = elsewhere.run(&["mirror", "import", dir]).failed(1, &["one.jsonl"]);
    assert!(ran.out.contains("stored 3"), "{}", ran.out);
}

#[test]
fn verify_promises_of_an_export_only_what_it_does() {
    let (home, project) = recorded();
    let dir = project.to_str().unwrap();
    let export = || home.run(&["mirror", "export", dir]).succeeded();
    let verify = || home.run(&["mirror", "verify", dir]);
    export();
    fs::remove_file(project.join(".codaph/eventid-index.jsonl")).unwrap();
    assert!(verify().out.contains("`memoir mirror export` mends it"), "{}", verify().out);
    export();
    assert_eq!(verify().code(), 0);
    let segment = project.join(".codaph/segments/one.jsonl");
    let text = fs::read_to_string(&segment).unwrap();
    fs::write(&segment, format!("{text}{text}")).unwrap();
    for _ in 0..2 {
        let ran = verify();
        assert_eq!(ran.code(), 1);
        assert!(ran.out.contains("(no export mends it)") && ran.out.contains("remove that file"), "{}", ran.out);
        home.run(&["mirror", "export", dir]);
    }
    // As it is said, so it goes.
    home.run(&["mirror", "import", dir]);
    fs::remove_file(&segment).unwrap();
    export();
    assert_eq!(verify().code(), 0, "{}", verify().out);
}

#[test]
fn the_layout_that_codaph_writes_is_read() {
    let home = Home::new();
    let day = home.top().join("p/.codaph/events/o%2Fr/2026/05/10");
    fs::create_dir_all(&day).unwrap();
    let line = |id: &str, prompt: &str| {
        json!({
            "eventId": id, "source": "codex_history", "repoId": "o/r", "actorId": "ann", "sessionId": "s1",
            "threadId": "s1", "ts": "2026-05-10T08:00:00.000Z", "eventType": "prompt.submitted",
            "payload": {"prompt": prompt}, "reasoningAvailability": "unavailable",
        })
    };
    let text =
        format!("{}\n{}\n", line("00112233445566778899aabb", "hello"), line("00112233445566778899aabc", "again"));
    fs::write(day.join("segment-000.jsonl"), text).unwrap();
    for stored in [2, 0] {
        let ran = home.run(&["mirror", "import", home.top().join("p").to_str().unwrap(), "--json"]).succeeded();
        assert_eq!(ran.json()["stored"], stored, "{ran:?}");
    }
    assert_eq!(home.prompts(), ["hello", "again"]);
    assert!(home.events().iter().all(|event| event["client"] == "codex" && event["actorId"] == "ann"));
}

#[test]
fn a_mirror_cannot_make_a_journal_forget_or_move_anything() {
    let (home, _) = recorded();
    let dir = home.top().join("evil/.codaph/segments");
    fs::create_dir_all(&dir).unwrap();
    let line = json!({
        "eventId": "00112233445566778899aabb", "source": "memoir", "repoId": "o/r", "actorId": null, "sessionId": "memoir",
        "threadId": "memoir", "ts": "2026-05-10T08:00:00.000Z", "eventType": "memoir.alias", "kind": "alias",
        "payload": {"from": "o/r", "to": "evil/repo"}, "reasoningAvailability": "unavailable",
    });
    fs::write(dir.join("memoir.jsonl"), format!("{line}\n")).unwrap();
    home.run(&["mirror", "import", home.top().join("evil").to_str().unwrap()]);
    let projects = home.run(&["projects"]).succeeded().out;
    assert!(projects.contains("o/r") && !projects.contains("evil"), "{projects}");
}

#[test]
fn what_is_no_mirror_and_what_is_no_project_is_said_in_one_sentence() {
    let (home, project) = recorded();
    home.run(&["mirror", "import", "/nowhere"]).failed_in_one_line(1, &["there is no mirror at /nowhere"]);
    home.run(&["mirror", "verify", "/nowhere"]).failed_in_one_line(1, &["there is no mirror"]);
    let dir = project.to_str().unwrap();
    home.run(&["mirror", "export", dir, "--repo", "no/such"]).failed_in_one_line(2, &["nothing is recorded of"]);
    assert!(!project.join(".codaph").exists());
}
