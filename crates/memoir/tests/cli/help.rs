//! What memoir says about itself.

use crate::support::Home;

const COMMANDS: [&str; 16] = [
    "ingest",
    "search",
    "timeline",
    "sessions",
    "show",
    "serve",
    "status",
    "doctor",
    "verify",
    "config",
    "backup",
    "restore",
    "export",
    "spool",
    "completions",
    "demo",
];

#[test]
fn every_command_explains_itself() {
    let home = Home::new();
    let all = home.run(&["--help"]).succeeded().out;
    for name in COMMANDS {
        assert!(all.contains(name), "{name} is missing from the help");
        let help = home.run(&[name, "--help"]).succeeded().out;
        assert!(help.contains("Usage: memoir ") && help.contains(name) && help.lines().count() > 4, "{name}: {help}");
        assert_eq!(home.run(&["help", name]).succeeded().out, help);
    }
    assert!(home.run(&["--version"]).succeeded().out.starts_with("memoir "));
    assert_eq!(home.run(&[]).code(), 2);
    assert_eq!(home.run(&["frobnicate"]).code(), 2);
    assert_eq!(home.run(&["ingest", "--max-event-bytes", "0"]).code(), 2);
    assert_eq!(home.run(&["timeline", "--limit", "many"]).code(), 2);
}

#[test]
fn completions_exist_for_each_shell() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.run(&["completions", shell]).succeeded().out;
        assert!(script.contains("memoir") && script.contains("timeline"), "{shell}");
    }
    assert_eq!(home.run(&["completions", "csh"]).code(), 2);
    assert!(!home.dir().exists());
}

#[test]
fn the_demo_shows_the_main_job_and_leaves_nothing() {
    let home = Home::new();
    let ran = crate::support::run(
        {
            let mut command = home.command(&["demo"]);
            command.env("TMPDIR", home.top()).env("MEMOIR_SERVER_URL", "http://127.0.0.1:9");
            command
        },
        b"",
    );
    let shown = ran.succeeded().out;
    let signs =
        ["stored 4, refused 1, redacted 2", "did you mean `visibility`?", "duplicate 1", "[flaky]", "are proven"];
    for sign in signs {
        assert!(shown.contains(sign), "{sign} is missing:\n{shown}");
    }
    assert!(!shown.contains("hunter2") && !shown.contains("sk-ant-api03-Zq8"));
    assert_eq!(std::fs::read_dir(home.top()).unwrap().count(), 0);
}
