//! `memoir dream`, `memoir memories --review` and `memoir memory`.

use crate::support::Home;
use memoir_event::{Archive, Trigger};
use memoir_journal::{Admission, Journal, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

fn say(home: &Home, text: &str, minute: u32) {
    let event = json!({
        "session_id": "demo", "event_type": "user_message", "content": text,
        "timestamp": format!("2026-05-01T10:{minute:02}:00Z"), "metadata": {"cwd": home.top()},
    });
    home.ingest(&[event]).succeeded();
}

/// Seals what the session has, as a commit does.
fn commit(home: &Home) {
    let journal = SqliteJournal::open(&home.journal(), SqliteOptions::short_lived(), Arc::new(|| 0)).unwrap();
    let last_seq = journal.last_seq().unwrap();
    let number = u32::try_from(last_seq).unwrap();
    let archive = Archive {
        version: Archive::VERSION,
        client: None,
        session: "demo".to_owned(),
        number,
        after_seq: 0,
        last_seq,
        first_ms: 0,
        last_ms: 0,
        events: last_seq,
        turns: 1,
        trigger: Trigger::Asked,
        points: Vec::new(),
    };
    let redactor = Redactor::builtin();
    let event = Admission::new(&redactor, journal.hasher().clone()).admit(archive.into_event("o/r"));
    journal.append(&[event], &[]).unwrap();
}

fn memories(home: &Home, flags: &[&str]) -> Vec<Value> {
    home.run(&[["memories", "--json"].as_slice(), flags].concat()).succeeded().json_lines()
}

fn texts(home: &Home, flags: &[&str]) -> Vec<String> {
    memories(home, flags).iter().map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

fn dreamt(said: &[&str]) -> Home {
    let home = Home::new();
    (0..).zip(said).for_each(|(minute, text)| say(&home, text, minute));
    commit(&home);
    home.run(&["dream"]).succeeded();
    home
}

#[test]
fn dream_tells_which_rule_made_what_of_which_event_and_recall_has_it_at_once() {
    let home = Home::new();
    say(&home, "Remember that deploys go through ./ship, never kubectl", 0);
    say(&home, "Update this: deploys go through ./ship2 instead of ./ship. Use port 1 for now.", 1);
    commit(&home);
    let dry = home.run(&["dream", "--dry-run", "--explain"]).succeeded();
    assert!(
        dry.out.starts_with("remember convention: new\n    deploys go through ./ship, never kubectl\n    demo, "),
        "{}",
        dry.out
    );
    assert!(dry.err.contains("nothing was stored"), "{}", dry.err);
    let ran = home.run(&["dream", "--json", "--explain"]).succeeded().json();
    assert_eq!(ran["archives"], 1, "{ran}");
    assert_eq!(ran["explained"][0]["rule"], "remember");
    assert!(home.run(&["recall", "how do deploys go?"]).succeeded().out.contains("ship"));
    assert_eq!(home.run(&["dream"]).succeeded().out, "nothing new to dream\n");
    let again = home.run(&["dream", "--again"]).succeeded();
    assert!(again.out.starts_with("read 2 events of 1 archive"), "{}", again.out);
    home.verified();
}

#[test]
fn what_was_said_and_no_longer_holds_gives_its_place_to_what_is_newer() {
    let home = Home::new();
    say(&home, "We use npm for packages.", 0);
    say(&home, "The staging port is 5433.", 1);
    say(
        &home,
        "Please look at the long list of open tickets of the billing team and sort it. We use Jenkins for CI.",
        2,
    );
    say(&home, "We moved to pnpm for packages.", 3);
    say(&home, "Correction: the staging port is 5434.", 4);
    say(&home, "We moved CI from Jenkins to Buildkite.", 5);
    commit(&home);
    home.run(&["dream"]).succeeded();
    for (query, newer, older) in [
        ("what do we use for packages?", "pnpm", "use npm"),
        ("which port has staging?", "5434", "5433"),
        ("what is the staging port, 5433?", "5434", "is 5433"),
    ] {
        let told = home.run(&["recall", query]).succeeded().out;
        assert!(told.contains(newer) && !told.contains(older), "{query}: {told}");
        let history = home.run(&["recall", query, "--history"]).succeeded().out;
        assert!(history.contains(older), "{query}: {history}");
    }
    // At the time that is asked about the older one held.
    let then = ["recall", "what do we use for packages?", "--to", "2026-05-01T10:02:30Z"];
    let told = home.run(&then).succeeded().out;
    assert!(told.contains("use npm") && !told.contains("pnpm"), "{told}");
    // What says much more than that is told all the same.
    let told = home.run(&["recall", "which tickets of the billing team are open?"]).succeeded().out;
    assert!(told.contains("billing team"), "{told}");
    home.verified();
}

#[test]
fn what_nobody_has_looked_at_is_listed_until_somebody_has() {
    let home =
        dreamt(&["Remember that the port is 5433", "I prefer tabs over spaces", "We decided to use pnpm for packages"]);
    let ids: Vec<String> =
        memories(&home, &["--review"]).iter().map(|memory| memory["memory_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 3);
    home.run(&["memory", "approve", &ids[0]]).succeeded();
    home.run(&["memory", "edit", &ids[1], "--text", "I prefer two spaces", "--kind", "convention"]).succeeded();
    let rejected = home.run(&["memory", "reject", &ids[2]]).succeeded();
    assert!(rejected.out.starts_with("rejected 1 memory; `memoir forget --undo f-"), "{}", rejected.out);
    assert_eq!(texts(&home, &["--review"]), [""; 0]);
    assert_eq!(texts(&home, &[]), ["We decided to use pnpm for packages", "I prefer two spaces"]);
    assert_eq!(memories(&home, &[])[0]["status"], "active");
    // Dreamt again, everything stays as the user left it.
    home.run(&["dream", "--again"]).succeeded();
    assert_eq!(texts(&home, &[]), ["We decided to use pnpm for packages", "I prefer two spaces"]);
    let name = rejected.out.split('`').nth(1).unwrap().split(' ').next_back().unwrap();
    home.run(&["forget", "--undo", name]).succeeded();
    assert_eq!(texts(&home, &[]).len(), 3);
}

#[test]
fn a_memory_shows_its_rule_its_sources_and_what_it_took_the_place_of() {
    let home = dreamt(&["Remember that the staging port is 5433", "Correction: the staging port is 5434"]);
    let newer = memories(&home, &[])[0]["memory_id"].as_str().unwrap().to_owned();
    let shown = home.run(&["memory", "show", &newer]).succeeded();
    for part in [
        "the staging port is 5434",
        "update; nobody has looked at it yet",
        "instead of",
        "the staging port is 5433",
        "made of",
    ] {
        assert!(shown.out.contains(part), "`{part}` is missing in {}", shown.out);
    }
    let value = home.run(&["memory", "show", &newer, "--json"]).succeeded().json();
    assert_eq!((&value["rule"], &value["by_user"]), (&json!("update"), &json!(false)));
    assert_eq!(value["supersedes"][0]["text"], "the staging port is 5433");
    // Rejected, what it took the place of holds again, and stays so when everything is dreamt again.
    home.run(&["memory", "reject", &newer]).succeeded();
    assert_eq!(texts(&home, &[]), ["the staging port is 5433"]);
    home.run(&["dream", "--again"]).succeeded();
    assert_eq!(texts(&home, &[]), ["the staging port is 5433"]);
}

#[test]
fn a_memory_shows_what_it_said_before_each_change() {
    let home = Home::new();
    home.run(&["remember", "the staging port is 5432", "--user"]).succeeded();
    let id = memories(&home, &[])[0]["memory_id"].as_str().unwrap().to_owned();
    let edit = |text: &str| home.run(&["memory", "edit", &id, "--text", text]).succeeded();
    let said_before = || {
        let value = home.run(&["memory", "show", &id, "--json"]).succeeded().json();
        let said = value["said_before"].as_array().unwrap().clone();
        assert!(said.iter().all(|said| said["until"].is_string()));
        said.iter().map(|said| said["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(said_before(), [""; 0]);
    edit("the staging port is 5433");
    assert_eq!(said_before(), ["the staging port is 5432"]);
    home.run(&["memory", "pin", &id]).succeeded();
    edit("the staging port is 5434");
    edit("the staging port is 5432");
    assert_eq!(said_before(), ["the staging port is 5432", "the staging port is 5433", "the staging port is 5434"]);
    fs::write(home.dir().join("config.toml"), "[redact]\nrules = [{name = \"port\", pattern = \"5433\"}]\n").unwrap();
    let shown = home.run(&["memory", "show", &id]).succeeded().out;
    for part in ["before: the staging port is 5432", "before: the staging port is [redacted:port]", "port is 5434"] {
        assert!(shown.contains(part), "`{part}` is missing in {shown}");
    }
    assert!(!shown.contains("5433") && shown.matches("changed").count() == 4, "{shown}");
}

#[test]
fn a_secret_memory_is_shown_only_when_it_is_asked_for() {
    let home = Home::new();
    let kept = home.run(&["remember", "the walrus gate opens with 4711", "--user", "--secret", "--json"]).succeeded();
    let id = kept.json()["memory_id"].as_str().unwrap().to_owned();
    for way in [&["memory", "show", &id][..], &["memory", "show", &id, "--json"], &["memory", "show", &id, "--sealed"]]
    {
        home.run(way).failed_in_one_line(2, &["is hidden", "--secret"]);
    }
    assert!(home.run(&["memory", "show", &id, "--secret"]).succeeded().out.contains("4711"));
}

#[test]
fn merged_memories_are_one_with_all_sources_and_names() {
    let home = dreamt(&[
        "Remember that invoices are sent on Mondays by the cron job",
        "Remember that billing mails leave weekly",
    ]);
    let list = memories(&home, &[]);
    let id = |at: usize| list[at]["memory_id"].as_str().unwrap().to_owned();
    home.run(&["memory", "merge", &id(0), &id(1)]).succeeded();
    let merged = memories(&home, &[]);
    assert_eq!(merged.len(), 1);
    assert_eq!((merged[0]["sources"].as_array().unwrap().len(), &merged[0]["reinforced"]), (2, &json!(1)));
    home.run(&["memory", "pin", &id(0)]).succeeded();
    assert_eq!(texts(&home, &["--pinned"]).len(), 1);
    home.run(&["memory", "unpin", &id(0)]).succeeded();
    assert_eq!(texts(&home, &["--pinned"]).len(), 0);
}

#[test]
fn what_was_committed_is_dreamt_by_whatever_command_comes_next() {
    let home = Home::new();
    say(&home, "Remember that the port is 5433", 0);
    home.run(&["commit", "demo"]).succeeded();
    assert_eq!(texts(&home, &[]), ["the port is 5433"]);
    assert_eq!(home.run(&["dream"]).succeeded().out, "nothing new to dream\n");
}

#[test]
fn what_waits_and_what_was_left_out_is_in_the_status() {
    let home = Home::new();
    say(&home, "I heard that the port is 1. Policy: this temporary access expires soon.", 0);
    say(&home, "My word is zebra. Do not save or repeat it.", 1);
    commit(&home);
    home.run(&["dream"]).succeeded();
    home.run(&["dream", "--again"]).succeeded();
    let status = home.status();
    let left_out = &status["dream"]["leftOut"];
    assert_eq!((&left_out["private"], &left_out["passing"]), (&json!(1), &json!(1)));
    assert_eq!(status["dream"]["waitingArchives"], 0);
    let shown = home.run(&["status"]).succeeded().out;
    assert!(shown.contains("left out: 1 kept out as you asked, 1 passing"), "{shown}");
}

#[test]
fn killed_at_any_moment_it_makes_the_same_in_the_end() {
    let said: Vec<String> = (0..40)
        .map(|number| match number % 4 {
            0 => format!("Remember that the port of service{} is {}", number / 8, 5_000 + number),
            1 => format!("Never restart service{} by hand", number / 8),
            2 => format!("Update this: the port of service{} is now {}", number / 8, 6_000 + number),
            _ => format!("We decided to keep service{} because it works", number / 8),
        })
        .collect();
    let lived = || {
        let home = Home::new();
        for (minute, text) in (0..).zip(&said) {
            say(&home, text, minute);
            home.run(&["commit", "demo"]).succeeded();
        }
        home
    };
    let whole = lived();
    whole.run(&["dream"]).succeeded();
    let killed = lived();
    for pause_ms in [1, 3, 5, 8, 12, 20, 30, 50] {
        let mut child = killed.command(&["dream", "--again"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause_ms));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // Whoever was killed holds the lease until it runs out.
    let begun = std::time::Instant::now();
    while killed.run(&["dream", "--again"]).code() != 0 {
        assert!(begun.elapsed().as_secs() < 90, "the lease never ran out");
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let known = |home: &Home| {
        let mut known: Vec<(String, String)> = memories(home, &["--history"])
            .iter()
            .map(|memory| (memory["text"].to_string(), memory["superseded_by"].is_null().to_string()))
            .collect();
        known.sort();
        known
    };
    assert_eq!(known(&killed), known(&whole));
    killed.verified();
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let home = Home::new();
    assert_eq!(home.run(&["dream"]).code(), 1);
    let home = dreamt(&["Remember that the port is 5433"]);
    for (args, part) in [
        (["memory", "show", "nothing"].as_slice(), "there is no memory `nothing`"),
        (&["memory", "approve", "0123456789abcdef01234567"], "there is no memory"),
        (&["memory", "edit", "0123456789abcdef01234567"], "say what to change"),
        (&["dream", "--session", "none"], "there is no session `none`"),
        (&["dream", "--again", "--session", "demo"], "cannot be used with"),
    ] {
        let ran = home.run(args);
        assert_eq!(ran.code(), 2, "{args:?} {}", ran.err);
        assert!(ran.err.contains(part), "{args:?} {}", ran.err);
    }
}
