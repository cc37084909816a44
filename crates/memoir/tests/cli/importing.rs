//! History that is torn, garbled, strange, missing or changing: import goes on, and says what it met.

use crate::support::{Home, Running, eventually, set_mode, text_of};
use crate::torture::{Dice, number_from};
use crate::transcripts::{
    append, assert_problems, import, import_path, made_up, problems_of, prompt, prompt_with, prompts, put, session,
    told, write,
};
use memoir_testkit::Client;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn a_torn_last_line_is_left_and_read_once_it_is_finished() {
    let home = Home::new();
    let whole = prompts(0..3);
    for cut in [1, 40, whole.len() / 3 - 2] {
        let path = write(&home, &format!("cut-{cut}"), &whole[..whole.len() - cut]);
        let summary = import(&home);
        let is_object = cut == 1;
        assert_eq!(summary["clients"]["claude"]["unfinished"], u64::from(!is_object), "{cut}: {summary}");
        append(&path, &whole[whole.len() - cut..]);
        let summary = import(&home);
        assert_eq!(summary["clients"]["claude"]["unfinished"], 0, "{cut}: {summary}");
        assert_eq!(summary["problems"], json!({}), "{cut}: {summary}");
    }
    assert_eq!(home.prompts(), ["prompt 0", "prompt 1", "prompt 2"]);
    let said = home.run(&["import"]).succeeded();
    assert!(!said.out.contains("unfinished"), "{said:?}");
}

#[test]
fn sessions_of_every_client_may_be_cut_anywhere_and_finished_later() {
    for client in Client::ALL {
        let recording = made_up(client, 1, 2);
        let whole = Home::new();
        put(&whole, &recording);
        import(&whole);
        let torn = Home::new();
        put(&torn, &recording);
        let mut dice = Dice(7);
        for (file, bytes) in recording.files() {
            let path = torn.top().join(file);
            for _ in 0..6 {
                let cut = usize::try_from(dice.roll(bytes.len() as u64)).unwrap();
                let so_far = fs::read(&path).unwrap().len().min(bytes.len());
                // Files only grow: a cut before what was there once is another fault.
                fs::write(&path, &bytes[..if so_far == bytes.len() { cut } else { cut.max(so_far) }]).unwrap();
                import(&torn);
            }
            fs::write(&path, &bytes).unwrap();
        }
        import(&torn);
        assert_eq!(told(&torn), told(&whole), "{client:?}");
    }
}

#[test]
fn bytes_that_are_no_text_cost_no_event_and_are_counted() {
    let home = Home::new();
    let mut text = prompt(0, "before").into_bytes();
    let mut bad = prompt(1, "bad Q bytes").into_bytes();
    let at = bad.iter().position(|byte| *byte == b'Q').unwrap();
    bad.splice(at..=at, [0xff, 0xc3, 0xe2, 0x82]);
    text.extend(bad);
    text.extend(b"\xff\xfe\xfd\n");
    text.extend(prompt(2, "after").into_bytes());
    let path = write(&home, "s", text);
    let summary = import(&home);
    assert_problems(&summary, &path, &json!({"invalid UTF-8": 2, "not JSON": 1}));
    assert_eq!(home.prompts(), ["before", "bad \u{fffd}\u{fffd}\u{fffd} bytes", "after"]);
}

#[test]
fn nul_bytes_cost_only_their_own_line() {
    let home = Home::new();
    let mut text = prompt(0, "before").into_bytes();
    text.extend([0; 4096]);
    text.push(b'\n');
    text.extend(prompt(1, "raw Q nul").replace('Q', "\0").into_bytes());
    text.extend(prompt(2, "escaped \0 nul").into_bytes());
    text.extend(prompt(3, "after").into_bytes());
    // A file that grew by a hole when the machine lost its power.
    text.extend([0; 512]);
    let path = write(&home, "s", text);
    let summary = import(&home);
    // A line of nothing else is a hole in the file.
    assert_problems(&summary, &path, &json!({"NUL bytes": 1, "not JSON": 1}));
    assert_eq!(summary["clients"]["claude"]["unfinished"], 1);
    assert_eq!(home.prompts(), ["before", "escaped \0 nul", "after"]);
}

#[test]
fn of_two_equal_names_the_last_counts() {
    let home = Home::new();
    let line =
        prompt(0, "first").replace("\"message\":", "\"message\":{\"role\":\"user\",\"content\":\"no\"},\"message\":");
    assert_eq!(line.matches("\"message\"").count(), 2);
    write(&home, "s", line.replace("{\"type\"", "{\"uuid\":5,\"uuid\":[],\"type\":{},\"type\""));
    let summary = import(&home);
    assert_eq!((&summary["problems"], home.prompts()), (&json!({}), vec!["first".to_owned()]));
}

#[test]
fn times_that_are_none_cost_no_event_and_are_counted() {
    let home = Home::new();
    let odd = [
        json!("yesterday"),
        json!(""),
        json!("2026-05-10"),
        json!("2026-13-45T99:00:00Z"),
        json!({}),
        json!([1]),
        json!(true),
        json!(1e300),
        json!("\u{0}"),
    ];
    let mut text = prompt(0, "before");
    for (n, time) in odd.iter().enumerate() {
        text += &prompt_with(n + 1, &format!("at {time}"), json!({"timestamp": time}));
    }
    text += &prompt_with(90, "at no time", json!({"timestamp": null}));
    text += &prompt_with(91, "at a number", json!({"timestamp": 1_778_400_000_000_u64}));
    let path = write(&home, "s", text);
    let summary = import(&home);
    assert_problems(&summary, &path, &json!({"bad time": odd.len()}));
    assert_eq!(home.prompts().len(), odd.len() + 3, "{:?}", home.prompts());
    home.run(&["timeline"]).succeeded();
    let again = import(&home);
    assert_eq!((&again["stored"], home.prompts().len()), (&json!(0), odd.len() + 3));
}

#[test]
fn empty_files_are_files_with_nothing_in_them() {
    let home = Home::new();
    for (name, content) in [("a", ""), ("b", "\n\n\n"), ("c", "   \r\n\t\n"), ("d", "\u{feff}")] {
        write(&home, name, content);
    }
    let chats = home.top().join(".gemini/tmp/p/chats");
    fs::create_dir_all(&chats).unwrap();
    let old = chats.join("session-1.json");
    fs::write(&old, "").unwrap();
    fs::write(chats.join("session-2.jsonl"), "").unwrap();
    let rollouts = home.top().join(".codex/sessions/2026/05/10");
    fs::create_dir_all(&rollouts).unwrap();
    fs::write(rollouts.join("rollout-a.jsonl"), "").unwrap();
    let packed = rollouts.join("rollout-b.jsonl.zst");
    fs::write(&packed, "").unwrap();
    let database = home.top().join(".local/share/opencode/opencode.db");
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    fs::write(&database, "").unwrap();
    let summary = import(&home);
    assert_eq!(summary["stored"], 0, "{summary}");
    assert_eq!(problems_of(&summary, &old), json!({"unfinished JSON": 1}));
    assert_eq!(summary["clients"]["claude"]["files"], 4);
    assert!(home.events().is_empty());
}

#[test]
fn fifty_thousand_files_take_seconds() {
    let home = Home::new();
    let dir = session(&home, "s").parent().unwrap().to_owned();
    for n in 0..50_000 {
        let path = dir.join(format!("{n}.jsonl"));
        match n % 25 {
            0 => fs::write(path, prompt(n, &format!("prompt {n}"))).unwrap(),
            1 => fs::write(path, "garbage\n").unwrap(),
            _ => drop(fs::File::create(path).unwrap()),
        }
    }
    let begun = Instant::now();
    let summary = import(&home);
    assert!(begun.elapsed() < Duration::from_secs(30), "it took {:?}", begun.elapsed());
    assert_eq!((&summary["clients"]["claude"]["files"], &summary["stored"].as_u64().unwrap()), (&json!(50_000), &2001));
    assert_eq!((&summary["problems"]["not JSON"], &summary["filesWithProblems"]), (&json!(2000), &json!(2000)));
    let begun = Instant::now();
    assert_eq!(import(&home)["clients"]["claude"]["read"], 0);
    assert!(begun.elapsed() < Duration::from_secs(10), "nothing new took {:?}", begun.elapsed());
}

#[test]
fn what_cannot_be_read_is_counted_for_its_client_and_the_rest_is_imported() {
    let home = Home::new();
    write(&home, "good", prompts(0..1));
    let link = session(&home, "dangling");
    std::os::unix::fs::symlink("/nowhere/at/all", &link).unwrap();
    fs::create_dir(session(&home, "directory")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, session(&home, "pipe"), rustix::fs::Mode::RUSR).unwrap();
    let locked = write(&home, "locked", prompts(1..2));
    set_mode(&locked, 0o000);
    let ran = home.run(&["import", "--json"]);
    let (code, summary) = (ran.code(), ran.json());
    assert_eq!(code, 1, "{summary}");
    let problem = json!({"No such file or directory (os error 2)": 1});
    assert_problems(&summary, &link, &problem);
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        eprintln!("SKIPPED: root may read what nobody may");
    } else {
        assert_problems(&summary, &locked, &json!({"Permission denied (os error 13)": 1}));
    }
    let claude = &summary["clients"]["claude"];
    assert_eq!(
        (&claude["unreadable"], summary["clients"].as_object().unwrap().len()),
        (&json!(2 - u64::from(is_root)), 1)
    );
    assert_eq!(home.prompts().len(), 1 + usize::from(is_root));
    let said = home.run(&["import"]);
    assert_eq!(said.code(), 1, "{said:?}");
    assert!(said.out.contains(" unreadable") && said.out.contains("problems: "), "{said:?}");
    assert!(said.err.contains("dangling.jsonl: No such file or directory (os error 2)\n"), "{said:?}");
    set_mode(&locked, 0o600);
    home.run(&["import"]);
    assert_eq!(home.prompts().len(), 2);
}

#[test]
fn a_path_that_cannot_be_imported_is_said_and_ends_with_one() {
    let home = Home::new();
    let pipe = home.top().join("pipe.jsonl");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RUSR).unwrap();
    fs::write(home.top().join("notes.jsonl"), "my own notes\n").unwrap();
    for (name, why) in [
        ("pipe.jsonl", "it is no file"),
        ("nowhere.jsonl", "No such file or directory (os error 2)"),
        ("notes.jsonl", "it is no session file that memoir knows"),
    ] {
        let ran = import_path(&home, &home.top().join(name));
        assert_eq!(ran.code(), 1, "{ran:?}");
        assert_problems(&ran.json(), &home.top().join(name), &json!({why: 1}));
        assert_eq!(ran.json()["clients"], json!({}), "nobody knows whose it is");
    }
    // One that cannot be read takes nothing from one that can, and a directory with a pipe in it holds nobody up.
    let good = home.top().join("good.jsonl");
    fs::write(&good, prompts(0..2)).unwrap();
    home.run(&["import", "--path", "nowhere.jsonl", "--path", "good.jsonl"]).failed_in_one_line(1, &["nowhere.jsonl"]);
    assert_eq!(home.prompts().len(), 2);
    home.run(&["import", "--path", "."]).succeeded();
    assert_eq!(home.prompts().len(), 2);
}

#[test]
fn what_cannot_be_imported_at_all_is_said_once() {
    let home = Home::new();
    let nowhere = home.run(&["import", "--path", "nowhere"]);
    assert_eq!((nowhere.code(), nowhere.out.as_str()), (1, ""), "{nowhere:?}");
    assert_eq!(nowhere.err, "memoir: nowhere: No such file or directory (os error 2)\n");
    fs::create_dir(home.top().join("empty")).unwrap();
    let empty = home.run(&["import", "--path", "empty"]);
    assert_eq!((empty.code(), empty.out.as_str()), (1, ""), "{empty:?}");
    assert_eq!(empty.err, "memoir: empty: no session file that memoir knows is in it\n");
    let none = home.run(&["import"]).succeeded();
    assert!(none.out.starts_with("no session files were found that fit"), "{none:?}");
}

#[test]
fn a_path_in_no_encoding_is_imported_and_reported() {
    let home = Home::new();
    let dir = home.top().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("s.jsonl"), prompts(0..1) + "garbage\n").unwrap();
    let mut command = home.command(&["import", "--json", "--path"]);
    command.arg(&dir);
    let summary = crate::support::run(command, b"").succeeded().json();
    assert_eq!((&summary["stored"].as_u64().unwrap(), &summary["files"][0]["problems"]), (&2, &json!({"not JSON": 1})));
}

#[test]
fn more_files_with_problems_than_are_listed_are_all_counted() {
    let home = Home::new();
    for n in 0..1100 {
        write(&home, &n.to_string(), "garbage\n");
    }
    let said = home.run(&["import"]).succeeded();
    assert!(said.out.contains("problems: not JSON 1100"), "{said:?}");
    assert!(said.err.ends_with("memoir: 1090 more files with problems: see `memoir import --json`\n"), "{said:?}");
}

#[test]
fn a_file_that_is_deleted_while_it_is_read_gives_all_or_nothing() {
    let home = Home::new();
    let lines: String = (0..4000).map(|n| prompt(n, &format!("prompt {n} {}", "word ".repeat(200)))).collect();
    for wait_ms in [5, 15, 30, 60, 120] {
        let path = write(&home, &format!("s{wait_ms}"), &lines);
        let running = Running::start(home.command(&["import", "--json"]));
        std::thread::sleep(Duration::from_millis(wait_ms));
        fs::remove_file(&path).unwrap();
        let summary = running.finish().succeeded().json();
        let known = summary["stored"].as_u64().unwrap() + summary["duplicate"].as_u64().unwrap();
        assert!(known == 0 || known == 4001, "{summary}");
        if let Some(problems) = summary["problems"].as_object().filter(|problems| !problems.is_empty()) {
            assert_eq!(problems.keys().collect::<Vec<_>>(), ["it is gone"], "{summary}");
            assert_problems(&summary, &path, &json!({"it is gone": 1}));
        }
    }
    home.verified();
}

#[test]
fn files_that_vanish_before_they_are_read_are_counted_and_the_others_imported() {
    let home = Home::new();
    let paths: Vec<_> = (0..600).map(|n| write(&home, &n.to_string(), prompt(n, &format!("prompt {n}")))).collect();
    let running = Running::start(home.command(&["import", "--json"]));
    for path in paths.iter().rev().step_by(2) {
        fs::remove_file(path).unwrap();
    }
    let summary = running.finish().succeeded().json();
    let gone = summary["problems"].as_object().unwrap();
    assert!(gone.keys().all(|kind| kind == "it is gone" || kind.starts_with("No such file")), "{summary}");
    assert!(home.prompts().len() >= 300);
    home.verified();
}

#[test]
fn two_imports_at_once_store_everything_once() {
    let sources = |home: &Home| {
        for client in Client::ALL {
            (0..12).for_each(|number| put(home, &made_up(client, number, 6)));
        }
    };
    let (alone, together) = (Home::new(), Home::new());
    sources(&alone);
    import(&alone);
    sources(&together);
    let running: Vec<Running> = (0..3).map(|_| Running::start(together.command(&["import", "--json"]))).collect();
    let stored: u64 = running.into_iter().map(|one| one.finish().succeeded().json()["stored"].as_u64().unwrap()).sum();
    assert_eq!(told(&together), told(&alone));
    assert_eq!(usize::try_from(stored).unwrap(), told(&alone).values().sum::<usize>());
    together.verified();
}

#[test]
fn an_import_that_is_killed_at_any_moment_and_run_again_gives_the_same_journal() {
    let kills = number_from("MEMOIR_TORTURE").unwrap_or(40) / 2;
    let seed = number_from("MEMOIR_TORTURE_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    eprintln!("MEMOIR_TORTURE_SEED={seed}");
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let sources = |home: &Home| {
        for client in Client::ALL {
            (0..6).for_each(|number| put(home, &made_up(client, number, 25)));
        }
    };
    let undisturbed = Home::new();
    sources(&undisturbed);
    let begun = Instant::now();
    import(&undisturbed);
    let whole_ms = u64::try_from(begun.elapsed().as_millis()).unwrap().max(5);
    let expected = told(&undisturbed);
    for _ in 0..kills.div_ceil(4) {
        let home = Home::new();
        sources(&home);
        for _ in 0..4 {
            let mut running = Running::start(home.command(&["import"]));
            dice.pause(whole_ms);
            running.kill();
        }
        import(&home);
        assert!(told(&home) == expected, "{}", difference(&home, &undisturbed));
        assert_eq!(import(&home)["stored"], 0);
        home.verified();
    }
}

/// What one journal has and another has not.
fn difference(one: &Home, other: &Home) -> String {
    let (one, other) = (told(one), told(other));
    let surplus: Vec<_> = one.iter().filter(|(said, count)| other.get(*said) != Some(count)).collect();
    let missing: Vec<_> = other.iter().filter(|(said, count)| one.get(*said) != Some(count)).collect();
    format!("surplus {:.600}\nmissing {:.600}", format!("{surplus:?}"), format!("{missing:?}"))
}

#[test]
fn a_database_with_anything_in_its_columns_is_read_as_far_as_it_goes() {
    let home = Home::new();
    let path = home.top().join(".local/share/opencode/opencode.db");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    database(&path);
    let summary = import(&home);
    assert_problems(&summary, &path, &json!({"row of a wrong form": 4, "not JSON": 1}));
    assert_eq!(home.prompts(), ["asked"]);
    assert_eq!(import(&home)["clients"]["opencode"]["read"], 0);
}

/// An opencode database with one good prompt among rows of every wrong type.
fn database(path: &Path) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE session (id, parent_id, directory, version, time_created);
             CREATE TABLE message (id, session_id, data, time_created, time_updated);
             CREATE TABLE part (id, session_id, message_id, data, time_created, time_updated);
             INSERT INTO session VALUES ('s', NULL, '/p', '1.0', 1778400000000), (5, 6, 7, 8, 'nine'), ('t', 1, 2, 3, '4');
             INSERT INTO message VALUES ('m', 's', '{\"role\":\"user\"}', 1778400000000, 1778400000000),
                 (7, 's', '{}', 1778400000000, 1778400000000), ('n', 's', 'no JSON', 'never', 1778400000000);
             INSERT INTO part VALUES ('p', 's', 'm', '{\"type\":\"text\",\"text\":\"asked\"}', 1778400000000, 1778400000000),
                 (NULL, 's', 'm', x'00ff', 1778400000000, 1778400000000), ('q', 's', 'm', 5.5, NULL, 1778400000001);",
        )
        .unwrap();
}

#[test]
fn a_file_that_grows_while_it_is_read_is_read_to_its_end_by_the_next_import() {
    let home = Home::new();
    let path = write(&home, "s", prompts(0..500));
    let running = Running::start(home.command(&["import", "--json"]));
    append(&path, prompts(500..1500));
    running.finish().succeeded();
    import(&home);
    assert_eq!(home.prompts().len(), 1500);
    let watched: Vec<Value> = home.events();
    assert_eq!(
        watched.iter().filter(|event| event["kind"] == "user_message" && text_of(event) == "prompt 700").count(),
        1
    );
    eventually("nothing is left", || import(&home)["clients"]["claude"]["read"] == 0);
}
