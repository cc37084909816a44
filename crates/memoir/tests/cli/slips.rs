//! Slips of the finger: what nobody knows, what says nothing, what is no file. One clear sentence, and nothing done.

use crate::support::{Home, Ran, event};
use std::fs;

fn told(ran: &Ran, part: &str) {
    assert!(ran.err.contains(part), "{part:?} in {ran:?}");
}

#[test]
fn a_session_that_nobody_knows_is_told_by_every_command() {
    let home = Home::with_one_event();
    let none = "there is no session `nope`: `memoir sessions` lists them";
    let commit = home.run(&["commit", "nope"]).succeeded();
    told(&commit, none);
    assert_eq!(commit.out, "nothing to commit\n");
    let json = home.run(&["commit", "nope", "--json"]).succeeded();
    assert_eq!((&json.json()["unknown"], &json.json()["committed"]), (&"nope".into(), &serde_json::json!([])));
    assert!(home.run(&["commit", "demo", "--json"]).succeeded().json()["unknown"].is_null());
    for args in [&["dream", "--session", "nope"][..], &["archive", "nope"], &["resume", "nope"]] {
        let ran = home.run(args);
        assert_eq!(ran.code(), 2, "{args:?}");
        told(&ran, none);
    }
    let show = home.run(&["show", "nope"]);
    assert_eq!(show.code(), 2);
    told(&show, "nothing is known as `nope`");
    for args in [&["commit", ""][..], &["dream", "--session", " "], &["archive", ""], &["resume", ""], &["show", ""]] {
        let ran = home.run(args);
        assert_eq!(ran.code(), 2, "{args:?}");
        told(&ran, "is named: pass");
    }
}

#[test]
fn forgetting_what_nobody_knows_is_told_before_it_is_asked() {
    let home = Home::with_one_event();
    let warning = "nothing is known of the session `dmo` (did you mean `demo`?); to go on keeps away";
    let asked = home.run(&["forget", "--session", "dmo"]);
    assert_eq!(asked.code(), 2);
    told(&asked, warning);
    assert!(asked.err.find(warning) < asked.err.find("pass --yes"), "{asked:?}");
    assert_eq!(home.run(&["forgotten", "--json"]).json_lines().len(), 0, "nothing was forgotten");
    told(&home.run(&["forget", "--session", "dmo", "--yes"]).succeeded(), warning);
    told(&home.run(&["purge", "--project", "nowhere"]), "nothing is known of the project `nowhere`");
    assert!(!home.run(&["forget", "--session", "demo", "--yes"]).succeeded().err.contains("nothing is known"));
}

#[test]
fn what_says_nothing_changes_nothing() {
    let home = Home::with_one_event();
    home.run(&["remember", "deploys go through ./ship", "--user"]).succeeded();
    let id = home.run(&["memories", "--json"]).json_lines()[0]["memory_id"].as_str().unwrap().to_owned();
    for text in ["", "  "] {
        let edit = home.run(&["memory", "edit", &id, "--text", text]);
        assert_eq!(edit.code(), 2);
        told(&edit, &format!("a memory needs a text: `memoir memory reject {id}` takes it away"));
        let exec = home.run(&["exec", "--program", "/bin/true", text]);
        assert_eq!(exec.code(), 2);
        told(&exec, "the prompt is empty: nothing was run");
    }
}

#[test]
fn a_file_that_is_no_backup_is_named_and_the_journal_stays() {
    let home = Home::with_one_event();
    let bad = home.top().join("notes.txt");
    fs::write(&bad, "these are notes").unwrap();
    let path = bad.to_string_lossy().into_owned();
    let ran = home.run(&["restore", &path, "--yes"]);
    assert_eq!(ran.err, format!("memoir: {path} is no backup of a memoir journal; nothing was changed\n"));
    let ran = home.run(&["restore", "gone.memoir", "--yes"]);
    told(&ran, "cannot read the backup gone.memoir: No such file");
    let copy = home.top().join("copy.memoir");
    home.run(&["backup", &copy.to_string_lossy()]).succeeded();
    let mut bytes = fs::read(&copy).unwrap();
    bytes[8192..].iter_mut().for_each(|byte| *byte ^= 0x5a);
    fs::write(&copy, bytes).unwrap();
    let ran = home.run(&["restore", &copy.to_string_lossy(), "--yes"]);
    assert!(ran.code() != 0 && ran.err.contains("copy.memoir"), "{ran:?}");
    assert_eq!(home.texts(), ["kept from before"]);
}

#[test]
fn a_directory_that_is_not_there_is_excluded_with_a_word() {
    let home = Home::new();
    let ran = home.run(&["exclude", "path", "nowhere"]).succeeded();
    told(&ran, "/nowhere is not there: it is excluded should it come");
    fs::create_dir(home.top().join("here")).unwrap();
    assert_eq!(home.run(&["exclude", "path", "here"]).succeeded().err, "");
    assert_eq!(home.run(&["exclude", "path", "nowhere", "--remove"]).succeeded().err, "");
}

#[test]
fn whoever_wants_less_recorded_gets_it_whatever_else_the_settings_say() {
    let home = Home::new();
    home.ingest(&[event("x")]).succeeded();
    let file = home.dir().join("config.toml");
    fs::write(&file, "acter = 'x'\n[capture]\nexclude_path = ['/p']\n").unwrap();
    let ran = home.run(&["exclude", "tool", "Bash"]).succeeded();
    told(&ran, "did you mean `capture.exclude_paths`?");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("exclude_tools = [\"Bash\"]") && text.contains("exclude_path = ['/p']"), "{text}");
    home.run(&["exclude", "here"]).succeeded();
}
