//! Where work was: on which day, in which project, for which prompt.

use crate::reports::{Session, repository};
use crate::support::{Home, run};
use serde_json::{Value, json};
use std::fs;

#[test]
fn what_led_to_a_change_is_told_also_where_it_was_no_prompt() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let path = project.join("src/a.rs");
    let path = path.to_str().unwrap();
    for (id, said, expected) in [
        ("c1", "Implement the following plan:\n\n# Add a retry\n\nIn src/a.rs.", "# Add a retry"),
        ("c2", "<command-message>fix</command-message>\n<command-name>/fix</command-name>", "/fix"),
        ("c3", "yes", "yes"),
    ] {
        let mut session = Session::new(&home, id, &project);
        session.prompt(1, said);
        session.edit(1, path);
        home.run(&["import"]).succeeded();
        let rows = home.run(&["file", path, "--json", "--session", id]).succeeded().json_lines();
        assert!(rows[0]["prompt"].as_str().is_some_and(|prompt| prompt.contains(expected)), "{said}: {rows:?}");
    }
    // A path in a project is found from anywhere.
    let mut command = home.command(&["file", "src/a.rs", "--json"]);
    let elsewhere = home.top().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    command.current_dir(&elsewhere);
    assert_eq!(run(command, b"").succeeded().json_lines().len(), 3);
}

#[test]
fn a_session_and_its_file_are_of_one_day() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let mut claude = Session::new(&home, "c1", &project);
    claude.prompt(3, "at 2026-03-01T00:00:00Z {\"timestamp\": \"2020-01-01T00:00:00Z\"}");
    claude.prompt(5, "two days later");
    let codex = home.top().join(".codex/sessions/2026/03/04/rollout-2026-03-04T23-00-00-x1.jsonl");
    fs::create_dir_all(codex.parent().unwrap()).unwrap();
    let line = |second: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-03-04T23:00:{second:02}.000Z"), "type": kind, "payload": payload});
    let meta = line(0, "session_meta", json!({"id": "x1", "cwd": project, "timestamp": "2026-03-04T23:00:00Z"}));
    let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "in codex"}]});
    fs::write(&codex, format!("{meta}\n{}\n", line(1, "response_item", said))).unwrap();
    home.run(&["import"]).succeeded();
    let rows = home.run(&["coverage", "--json"]).succeeded().json_lines();
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            (row["client"].as_str().unwrap(), row["day"].as_str().unwrap(), &row["files"], &row["sessionsInJournal"])
        })
        .collect();
    let one = json!(1);
    assert_eq!(told, [("claude", "2026-03-03", &one, &one), ("codex", "2026-03-04", &one, &one)], "{rows:?}");
}

#[test]
fn a_project_without_an_address_goes_by_the_name_of_its_directory() {
    let home = Home::new();
    let shop = home.top().join("shop");
    fs::create_dir_all(shop.join("src")).unwrap();
    fs::create_dir_all(shop.join(".git")).unwrap();
    fs::write(shop.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    Session::new(&home, "c1", &shop.join("src")).prompt(1, "the walrus is fed at noon");
    home.run(&["import"]).succeeded();
    let id = home.run(&["projects", "--json"]).json_lines()[0]["project"].as_str().unwrap().to_owned();
    assert_eq!(id.len(), 12);
    let remembered = home.run(&["remember", "the walrus is fed at noon", "--project", "shop", "--json"]).succeeded();
    let memory = remembered.json()["memory_id"].as_str().unwrap().to_owned();
    let listed = home.run(&["memories"]).succeeded().out;
    assert!(listed.contains("  fact  shop  ") && !listed.contains(&id), "{listed}");
    let in_full = format!("shop ({id})");
    for args in [&["memory", "show", &memory][..], &["show", &memory], &["why", &memory]] {
        let told = home.run(args).succeeded().out;
        assert!(told.contains(&in_full), "{args:?}: {told}");
    }
    assert!(home.run(&["stats", "--by", "project"]).succeeded().out.contains("\nshop "), "stats");
    // And by that name it is asked for.
    for args in [
        &["memories", "--project", "shop", "--json"][..],
        &["timeline", "--repo", "shop", "--json"],
        &["search", "walrus", "--repo", "shop", "--json"],
        &["sessions", "--repo", "shop", "--json"],
    ] {
        assert!(!home.run(args).succeeded().json_lines().is_empty(), "{args:?}");
    }
    let gone = home.run(&["forget", "--project", "shop", "--yes"]).succeeded();
    assert!(gone.out.contains("forgot 3 events"), "{gone:?}");
}

#[test]
fn a_project_that_gets_an_address_is_one_project_also_by_ingest() {
    let home = Home::new();
    let shop = home.top().join("shop");
    fs::create_dir_all(shop.join(".git")).unwrap();
    fs::write(shop.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let said = |text: &str| {
        let mut event = crate::support::event(text);
        event["metadata"] = json!({"cwd": shop.to_str().unwrap()});
        home.ingest(&[event]).succeeded();
    };
    said("before it had one");
    fs::write(shop.join(".git/config"), "[remote \"origin\"]\n\turl = git@github.com:o/shop.git\n").unwrap();
    said("after");
    let projects = home.run(&["projects", "--json"]).succeeded().json_lines();
    let ids: Vec<&str> = projects.iter().map(|project| project["project"].as_str().unwrap()).collect();
    assert_eq!(ids, ["o/shop"]);
    assert_eq!(home.run(&["search", "before", "--repo", "o/shop", "--json"]).json_lines().len(), 1);
}
