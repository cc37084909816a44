//! Hooks call memoir wherever it goes: after an upgrade, after a move, and not at all when it is gone.

use crate::install::{read, user};
use crate::support::{Home, MEMOIR, Ran, run, set_mode};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Puts memoir there. A link, if that can be: while a copy is written, processes that other tests start hold it open, and
/// nobody can run it.
fn put_program(path: &Path) {
    fs::hard_link(MEMOIR, path).or_else(|_| fs::copy(MEMOIR, path).map(drop)).unwrap();
}

/// Runs an installed command as a client does.
pub fn run_hook(home: &Home, command: &str, payload: &str) -> Ran {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home.top());
    run(shell, payload.as_bytes())
}

fn installed_command(home: &Home) -> String {
    let settings: serde_json::Value = serde_json::from_str(&read(home, ".gemini/settings.json")).unwrap();
    settings["hooks"]["BeforeAgent"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
}

#[test]
fn an_installed_hook_records_survives_a_move_of_the_program_and_is_silent_when_it_is_gone() {
    let home = user();
    let program = home.top().join("a memoir's place/memoir");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    put_program(&program);
    let init = |program: &Path| run(home.command_of(program, &["init", "--yes", "--no-import"]), b"").succeeded();
    init(&program);
    let command = installed_command(&home);
    assert_eq!(run_hook(&home, &command, &prompt("one")).succeeded().out, "{}\n");
    let moved = home.top().join("memoir");
    fs::rename(&program, &moved).unwrap();
    let ran = run_hook(&home, &command, &prompt("lost")).succeeded();
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
    init(&moved);
    assert_eq!(installed_command(&home), command);
    run_hook(&home, &command, &prompt("two")).succeeded();
    assert_eq!(home.texts(), ["one", "two"]);
}

fn prompt(text: &str) -> String {
    format!(
        r#"{{"session_id":"s","transcript_path":"","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":"2026-01-01T00:00:00.000Z","prompt":"{text}"}}"#
    )
}

/// A program that a package manager keeps in a directory of its version, with a link to it in `bin`.
fn cellar(home: &Home, version: &str) {
    let (bin, cellar) = (home.top().join("bin"), home.top().join("cellar"));
    fs::create_dir_all(&bin).unwrap();
    let known = fs::read_dir(&cellar).ok().and_then(|mut all| all.next());
    fs::create_dir_all(cellar.join(version)).unwrap();
    match known {
        Some(old) => fs::rename(old.unwrap().path().join("memoir"), cellar.join(version).join("memoir")).unwrap(),
        None => put_program(&cellar.join(version).join("memoir")),
    }
    let _ = fs::remove_file(bin.join("memoir"));
    symlink(format!("../cellar/{version}/memoir"), bin.join("memoir")).unwrap();
}

#[test]
fn an_upgrade_that_moves_the_program_and_its_link_costs_no_event() {
    for by_search_path in [true, false] {
        let home = user();
        cellar(&home, "0.1.0");
        let bin = home.top().join("bin");
        let mut init = home.command_of(&bin.join("memoir"), &["init", "--yes", "--no-import"]);
        if by_search_path {
            init = home.command_of(&home.top().join("cellar/0.1.0/memoir"), &["init", "--yes", "--no-import"]);
            init.env("PATH", format!("/usr/bin:{}:/bin", bin.display()));
        }
        run(init, b"").succeeded();
        let command = installed_command(&home);
        run_hook(&home, &command, &prompt("one")).succeeded();
        cellar(&home, "0.2.0");
        run_hook(&home, &command, &prompt("two")).succeeded();
        assert_eq!(home.texts(), ["one", "two"], "by the search path: {by_search_path}");
    }
}

#[test]
fn a_hook_whose_launcher_is_dead_finds_memoir_on_the_search_path_and_doctor_tells() {
    let home = user();
    let program = home.top().join("elsewhere/memoir");
    fs::create_dir(program.parent().unwrap()).unwrap();
    put_program(&program);
    run(home.command_of(&program, &["init", "--yes", "--no-import"]), b"").succeeded();
    let command = installed_command(&home);
    let moved = home.top().join("bin/memoir");
    fs::create_dir(moved.parent().unwrap()).unwrap();
    fs::rename(&program, &moved).unwrap();
    let hook = |path: &str, text: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &command]).env_clear().env("PATH", path).env("HOME", home.top());
        run(shell, prompt(text).as_bytes()).succeeded().out
    };
    assert_eq!(hook(&format!("{}:/bin", moved.parent().unwrap().display()), "found"), "{}\n");
    assert_eq!(hook("/usr/bin:/bin", "lost"), "");
    assert_eq!(home.texts(), ["found"]);
    let told = home.run(&["doctor"]);
    assert_eq!(told.code(), 1);
    assert!(told.out.contains("fail program - ") && told.out.contains("leads nowhere"), "{}", told.out);
    assert!(told.out.contains(&format!("({} is gone)", program.display())), "{}", told.out);
    assert!(home.run(&["status"]).succeeded().out.contains("program  "), "status tells too");
    assert_eq!(home.status()["program"]["found"], false);
    // A program of that name that is not memoir does not harm the client.
    fs::remove_file(&moved).unwrap();
    fs::write(&moved, "#!/bin/sh\nexit 3\n").unwrap();
    set_mode(&moved, 0o755);
    hook(&format!("{}:/bin", moved.parent().unwrap().display()), "by something else");
}
