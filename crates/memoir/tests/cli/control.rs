//! What the user decides about recording: pauses, exclusions, prompts that are private, projects that are off.

use crate::support::{Home, Ran};
use serde_json::{Value, json};
use std::fs;

fn hook(home: &Home, client: &str, payload: &Value) -> Ran {
    let ran = home.feed(&["hook", client], payload.to_string()).succeeded();
    assert_eq!(ran.out, "{}\n", "{ran:?}");
    ran
}

fn prompt(home: &Home, turn: &str, cwd: &str, text: &str) {
    let payload = json!({
        "session_id": "s", "turn_id": turn, "transcript_path": null, "cwd": cwd,
        "hook_event_name": "UserPromptSubmit", "prompt": text,
    });
    hook(home, "codex", &payload);
}

/// One line of a Claude transcript.
fn line(uuid: &str, at: &str, text: &str) -> String {
    let line = json!({
        "type": "user", "uuid": uuid, "parentUuid": null, "sessionId": "c1", "cwd": "/p", "timestamp": at,
        "promptId": uuid, "message": {"role": "user", "content": text},
    });
    format!("{line}\n")
}

#[test]
fn nothing_of_a_pause_is_recorded_not_even_by_an_import_after_it() {
    let home = Home::new();
    prompt(&home, "1", "/p", "before");
    home.run(&["pause"]).succeeded();
    let status = home.run(&["status"]).succeeded();
    assert!(status.out.contains("paused  until `memoir unpause`"), "{}", status.out);
    assert_eq!(home.status()["pausedUntil"], "unpause");
    prompt(&home, "2", "/p", "in the pause");
    home.ingest(&[crate::support::event("piped in the pause")]).failed_in_one_line(1, &["recording is paused"]);
    let in_pause = now();
    let file = home.top().join(".claude/projects/p/c1.jsonl");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, line("u1", "2026-01-01T00:00:00Z", "long ago") + &line("u2", &in_pause, "meanwhile")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    home.run(&["unpause"]).succeeded();
    prompt(&home, "3", "/p", "after");
    let summary = home.run(&["import", "--json"]).succeeded().json();
    assert_eq!(summary["excluded"], json!({"while paused": 1}));
    assert_eq!(home.status()["leftOutByHooks"]["while paused"], 1, "and the hook's is counted");
    assert_eq!(home.prompts(), ["long ago", "before", "after"]);
    assert!(home.status()["pausedUntil"].is_null());
    home.run(&["pause", "--for", "soon"]).failed_in_one_line(2, &["no length of time"]);
}

/// Now, as a client writes it.
fn now() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    memoir_event::format_ms(i64::try_from(now.as_millis()).unwrap())
}

#[test]
fn a_pause_ends_by_itself() {
    let home = Home::with_one_event();
    home.run(&["pause", "--for", "0m"]).succeeded();
    prompt(&home, "1", "/p", "after it");
    assert_eq!(home.prompts(), ["kept from before", "after it"]);
}

#[test]
fn what_is_excluded_is_not_recorded_and_is_said_in_the_status() {
    let home = Home::new();
    let project = home.top().join("secret project");
    fs::create_dir_all(project.join("deep")).unwrap();
    let cwd = project.join("deep");
    let cwd = cwd.to_str().unwrap();
    home.run(&["exclude", "path", project.to_str().unwrap()]).succeeded();
    home.run(&["exclude", "pattern", "(?i)acme, inc{1,2}"]).succeeded();
    home.run(&["exclude", "tool", "shell*"]).succeeded();
    prompt(&home, "1", cwd, "in the excluded place");
    prompt(&home, "2", "/p", "for Acme, Inc only");
    prompt(&home, "3", "/p", "[private] my salary");
    let tool = |name: &str| {
        json!({"session_id": "s", "turn_id": "4", "transcript_path": null, "cwd": "/p", "tool_use_id": name,
               "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {"command": name}})
    };
    prompt(&home, "4", "/p", "in the open");
    hook(&home, "codex", &tool("shell_command"));
    hook(&home, "codex", &tool("apply_patch"));
    let events = home.events();
    assert_eq!(events.len(), 2, "{events:?}");
    let status = home.run(&["status"]).succeeded().out;
    for part in ["paths: ", "secret project", "patterns: (?i)acme, inc{1,2}", "tools: shell*", "[private]"] {
        assert!(status.contains(part), "{part} in {status}");
    }
    home.run(&["exclude", "path", project.to_str().unwrap(), "--remove"]).succeeded();
    prompt(&home, "5", cwd, "recorded again");
    assert_eq!(home.prompts().last().unwrap(), "recorded again");
}

#[test]
fn a_pattern_that_cannot_be_read_is_refused_before_it_can_harm() {
    let home = Home::new();
    home.run(&["exclude", "pattern", "a("]).failed_in_one_line(2, &["unclosed group"]);
    home.run(&["config", "set", "capture.exclude_patterns", "a("]).failed_in_one_line(2, &["unclosed group"]);
    home.run(&["exclude", "tool", "Bash", "--remove"]).failed_in_one_line(2, &["is not excluded"]);
    prompt(&home, "1", "/p", "still recorded");
    assert_eq!(home.prompts(), ["still recorded"]);
    // Written by hand, it must not cost the hook's client anything, nor the record for good.
    fs::write(home.dir().join("config.toml"), "[capture]\nexclude_patterns = [\"a(\"]\n").unwrap();
    let ran = home.feed(&["hook", "codex"], r#"{"session_id":"s","hook_event_name":"Stop"}"#).succeeded();
    assert_eq!(ran.out, "{}\n");
    assert!(ran.err.contains("unclosed group"), "{ran:?}");
}

#[test]
fn a_project_is_turned_off_by_a_file_in_it() {
    let home = Home::new();
    let project = home.top().join("project");
    fs::create_dir_all(project.join("src")).unwrap();
    fs::create_dir_all(project.join(".git")).unwrap();
    fs::write(project.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let mut command = home.command(&["exclude", "here"]);
    command.current_dir(project.join("src"));
    crate::support::run(command, b"").succeeded();
    assert!(project.join(".nomemoir").exists());
    let cwd = project.join("src");
    prompt(&home, "1", cwd.to_str().unwrap(), "off");
    prompt(&home, "2", home.top().to_str().unwrap(), "on");
    assert_eq!(home.prompts(), ["on"]);
    let mut status = home.command(&["status"]);
    status.current_dir(project.join("src"));
    assert!(crate::support::run(status, b"").succeeded().out.contains("this project is not recorded"));
}

fn status_in(home: &Home, dir: &std::path::Path) -> (String, Value) {
    let status = |args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(dir);
        crate::support::run(command, b"").succeeded()
    };
    (status(&["status"]).out, status(&["status", "--json"]).json()["excluded"].clone())
}

#[test]
fn every_reason_why_this_directory_is_not_recorded_is_in_the_status() {
    let home = Home::new();
    // No repository: the switch is of the directory, and works below it.
    let (plain, other) = (home.top().join("plain"), home.top().join("other"));
    fs::create_dir_all(plain.join("deep/er")).unwrap();
    fs::create_dir_all(other.join("deep")).unwrap();
    let mut here = home.command(&["exclude", "here"]);
    here.current_dir(&plain);
    crate::support::run(here, b"").succeeded();
    for dir in [plain.clone(), plain.join("deep/er")] {
        prompt(&home, "1", dir.to_str().unwrap(), "off");
        let (text, excluded) = status_in(&home, &dir);
        let file = fs::canonicalize(&plain).unwrap().join(".nomemoir");
        assert!(text.contains(&format!("off  this project is not recorded: {} says so", file.display())), "{text}");
        assert_eq!(excluded["offHere"], json!(file));
    }
    home.run(&["exclude", "path", "~/other"]).succeeded();
    prompt(&home, "1", other.join("deep").to_str().unwrap(), "off");
    let (text, excluded) = status_in(&home, &other.join("deep"));
    assert!(text.contains("off  this directory is not recorded: "), "{text}");
    assert!(excluded["excludedHere"].as_str().unwrap().ends_with("/other"), "{excluded}");
    let (text, excluded) = status_in(&home, home.top());
    assert!(!text.contains("off  "), "{text}");
    assert_eq!((&excluded["offHere"], &excluded["excludedHere"]), (&Value::Null, &Value::Null));
    assert!(home.events().is_empty());
}

#[test]
fn a_worktree_is_turned_off_by_a_file_of_its_own() {
    let home = Home::new();
    let (main, tree) = (home.top().join("main"), home.top().join("tree"));
    fs::create_dir_all(main.join(".git/worktrees/tree")).unwrap();
    fs::write(main.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(main.join(".git/worktrees/tree/commondir"), "../..\n").unwrap();
    fs::create_dir_all(tree.join("src")).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}/.git/worktrees/tree\n", main.display())).unwrap();
    let mut here = home.command(&["exclude", "here"]);
    here.current_dir(tree.join("src"));
    crate::support::run(here, b"").succeeded();
    prompt(&home, "1", tree.join("src").to_str().unwrap(), "off");
    prompt(&home, "2", main.to_str().unwrap(), "on");
    assert_eq!(home.prompts(), ["on"]);
    assert!(status_in(&home, &tree.join("src")).0.contains("tree/.nomemoir says so"));
    assert!(!status_in(&home, &main).0.contains("off  "));
}

#[test]
fn nobody_excludes_everything_by_a_slip() {
    let home = Home::new();
    home.run(&["exclude", "tool", ""]).failed_in_one_line(2, &["nothing is named"]);
    home.run(&["exclude", "pattern", ""]).failed_in_one_line(2, &["matches everything"]);
    home.run(&["exclude", "pattern", "a*"]).failed_in_one_line(2, &["matches everything"]);
}

#[test]
fn a_path_that_is_not_there_is_excluded_without_dots() {
    let home = Home::new();
    home.run(&["exclude", "path", "/nowhere/at/../all/."]).succeeded();
    assert!(home.run(&["exclude"]).succeeded().out.contains("paths: /nowhere/all\n"));
}

#[test]
fn what_memoirs_own_agents_do_is_not_recorded() {
    let home = Home::new();
    let payload = r#"{"session_id":"s","turn_id":"t","hook_event_name":"UserPromptSubmit","prompt":"mine","cwd":"/p"}"#;
    let mut command = home.command(&["hook", "codex"]);
    command.env("MEMOIR_AGENT", "1");
    assert_eq!(crate::support::run(command, payload.as_bytes()).succeeded().out, "{}\n");
    assert!(!home.dir().exists());
}

#[test]
fn an_excluded_path_may_begin_with_a_tilde_and_must_be_whole() {
    let home = Home::new();
    let dir = home.top().join("clients/acme");
    home.run(&["config", "set", "capture.exclude_paths", "~/clients"]).succeeded();
    prompt(&home, "1", dir.to_str().unwrap(), "not for memoir");
    assert!(home.events().is_empty());
    home.run(&["exclude", "path", "~/other"]).succeeded();
    let listed = home.run(&["exclude", "--json"]).succeeded().json();
    assert_eq!(listed["paths"], json!(["~/clients", home.top().join("other")]));
    home.run(&["config", "set", "capture.exclude_paths", "clients"]).failed_in_one_line(2, &["`clients`", "`~/`"]);
}

#[test]
fn leaving_and_pausing_work_whatever_the_settings_file_holds() {
    let home = Home::new();
    fs::create_dir_all(home.top().join(".claude")).unwrap();
    home.run(&["init", "--yes"]).succeeded();
    let hooks = home.top().join(".claude/settings.json");
    assert!(hooks.exists());
    for broken in ["not toml at all", "nonsense = 1\n"] {
        fs::write(home.dir().join("config.toml"), broken).unwrap();
        let said = home.run(&["pause"]).succeeded();
        assert!(said.err.contains("going on without it"), "{said:?}");
        home.run(&["unpause"]).succeeded();
        let listed = home.run(&["config"]);
        assert_eq!(listed.code(), 2);
        assert!(listed.out.contains("capture.exclude_paths"), "{listed:?}");
    }
    home.run(&["uninstall", "--yes"]).succeeded();
    assert!(!hooks.exists());
}

#[test]
fn a_wish_in_the_users_words_that_nothing_be_kept_is_heard_at_once() {
    for wish in ["Do not save or repeat this.", "Bitte weder speichern noch wiederholen.", "これは保存しないでください"]
    {
        let home = Home::new();
        let said = format!("The demo customer is Acme Corp. {wish}");
        for more in [
            json!({"hook_event_name": "UserPromptSubmit", "prompt": said}),
            json!({"hook_event_name": "Stop", "last_assistant_message": "Understood, Acme Corp it is."}),
        ] {
            let mut payload = json!({"session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": "/p"});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            hook(&home, "codex", &payload);
        }
        assert!(!home.events().iter().any(|event| event.to_string().contains("Acme")), "{wish}");
        assert!(!home.run(&["recall", "who is the demo customer?"]).out.contains("Acme"));
    }
}

/// What a user asks and an agent answers, through Codex's hooks.
fn turn(home: &Home, turn: &str, prompt: &str, answer: &str) {
    for more in [
        json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt}),
        json!({"hook_event_name": "Stop", "last_assistant_message": answer}),
    ] {
        let mut payload = json!({"session_id": "s", "turn_id": turn, "transcript_path": null, "cwd": "/p"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hook(home, "codex", &payload);
    }
}

#[test]
fn what_the_user_takes_back_is_nowhere_at_once_and_can_be_had_again() {
    for wish in ["Don't save or repeat that.", "off the record", "that was confidential, don't keep it"] {
        let home = Home::new();
        turn(&home, "1", "We use pnpm here.", "Understood.");
        turn(&home, "2", "The merger partner is Hooli.", "Hooli, then.");
        turn(&home, "3", wish, "I will not tell of Hooli.");
        turn(&home, "4", "Now the next thing.", "Done.");
        for shown in
            [&["search", "Hooli"][..], &["recall", "who is the merger partner?"], &["timeline"], &["show", "cx-s"]]
        {
            let out = home.run(shown).out;
            assert!(!out.contains("Hooli"), "{wish} {shown:?}: {out}");
        }
        assert!(home.run(&["search", "pnpm"]).out.contains("We use"), "{wish}");
        assert!(home.run(&["search", "next thing"]).out.contains("next"), "{wish}");
        let forgotten = home.run(&["forgotten"]).succeeded().out;
        let name = forgotten.split_whitespace().find(|word| word.starts_with("wish-")).unwrap();
        home.run(&["forget", "--undo", name]).succeeded();
        assert!(home.run(&["search", "Hooli"]).out.contains("merger partner"), "{wish}");
    }
}

#[test]
fn a_task_beside_what_is_taken_back_is_recorded() {
    for wish in ["Please don't save what I just told you. Now run the tests.", "don't save that, now run the tests"] {
        let home = Home::new();
        turn(&home, "1", "The merger partner is Hooli.", "I see.");
        turn(&home, "2", wish, "All of them passed.");
        let out = home.run(&["timeline"]).out;
        assert!(!out.contains("Hooli") && out.contains("run the tests") && out.contains("passed"), "{wish}: {out}");
    }
}

#[test]
fn a_session_off_the_record_is_nowhere_from_its_beginning_to_its_end() {
    for wish in ["this session is off the record", "forget everything I said in this session"] {
        let home = Home::new();
        turn(&home, "1", "The merger partner is Hooli.", "I see.");
        turn(&home, "2", wish, "Understood.");
        turn(&home, "3", "The price is 88 million.", "88, then.");
        turn(&home, "4", "Now the next thing.", "Done.");
        let out = home.run(&["timeline"]).out;
        assert!(!["Hooli", "88", "next thing"].iter().any(|said| out.contains(said)), "{wish}: {out}");
        let forgotten = home.run(&["forgotten"]).succeeded().out;
        let name = forgotten.split_whitespace().find(|word| word.starts_with("wish-")).unwrap();
        home.run(&["forget", "--undo", name]).succeeded();
        assert!(home.run(&["search", "Hooli"]).out.contains("merger partner"), "{wish}");
    }
}

#[test]
fn work_in_words_that_sound_like_a_wish_is_recorded() {
    for said in [
        "Rename the button to Off the record",
        "please do not save this, I want to see the diff first",
        "bitte nicht speichern, erst den Test laufen lassen",
    ] {
        let home = Home::new();
        turn(&home, "1", said, "Done so.");
        let out = home.run(&["show", "cx-s"]).out;
        assert!(out.contains(said) && out.contains("Done so."), "{said}: {out}");
    }
}
