//! `memoir exec` with the real clients.

use crate::check::{everything_is_known_once_and_more, facts};
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::write;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model, Reply, World};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// No run of the tests takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run of `memoir exec`, with its output in a file; it is killed when dropped.
struct Exec {
    child: Child,
    shown: PathBuf,
}

impl Exec {
    fn start(desk: &Desk, client: Client, model: &Model, args: &[&str]) -> Exec {
        let mut command = desk.command(Home::Usual, &["exec"]);
        command.args(args).args(desk.world.model_args(client, model)).env("PATH", path(desk));
        // The client itself gets the signals, not a process that starts it and keeps them to itself.
        command.env("GEMINI_CLI_NO_RELAUNCH", "true");
        desk.world.dress_for(client, model, &mut command);
        let shown = desk.world.root().join("shown");
        let child = command.stdout(File::create(&shown).unwrap()).spawn().unwrap();
        Exec { child, shown }
    }

    /// What the user has seen of the agent's words.
    fn shown(&self) -> String {
        fs::read_to_string(&self.shown).unwrap()
    }

    fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it hangs: {}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn wait_until(&self, holds: impl Fn() -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds() {
            assert!(Instant::now() < end, "waited in vain: {}", self.shown());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A search path on which the clients are found by their names.
fn path(desk: &Desk) -> String {
    let bin = desk.world.root().join("bin");
    if fs::create_dir(&bin).is_ok() {
        for client in Client::ALL {
            symlink(World::program(client), bin.join(client.name())).unwrap();
        }
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

/// The words with which a user runs a prompt through memoir.
fn words(client: Client) -> &'static [&'static str] {
    match client {
        Client::Codex => &["first prompt", "--"],
        Client::Claude => &["--client", "claude", "--", "-p", "first prompt", "--allowedTools", "Bash,Write"],
        Client::Gemini => &["--client", "gemini", "--", "-y", "-p", "first prompt"],
    }
}

for_each_client! {
    codex_a_run_through_memoir_with_hooks_is_known_once: Codex,
    claude_a_run_through_memoir_with_hooks_is_known_once: Claude,
    gemini_a_run_through_memoir_with_hooks_is_known_once: Gemini,
    => |client| Desk::with_hooks().iter().for_each(|desk| a_run_through_memoir(desk, client))
}

for_each_client! {
    codex_a_run_through_memoir_without_hooks_is_known_once: Codex,
    claude_a_run_through_memoir_without_hooks_is_known_once: Claude,
    gemini_a_run_through_memoir_without_hooks_is_known_once: Gemini,
    => |client| Desk::new().iter().for_each(|desk| a_run_through_memoir(desk, client))
}

fn a_run_through_memoir(desk: &Desk, client: Client) {
    let model = Model::start(vec![
        Reply::new().reasoning("I should look.").text("Let me look.").shell("echo from-the-shell"),
        shell("echo it-failed; exit 3"),
        shell("seq 1 30000"),
        write(client),
        text("It is written."),
        text("The second answer."),
    ]);
    let mut exec = Exec::start(desk, client, &model, words(client));
    assert_eq!(exec.end().code(), Some(0));
    assert!(exec.shown().contains("Let me look.") && exec.shown().contains("It is written."), "{}", exec.shown());
    desk.run(client, &model).prompt("second prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    let extra = everything_is_known_once_and_more(desk, client, &model);
    // Claude Code and Gemini CLI tell only their streams that a turn is over.
    let is_end = |fact: &String| client != Client::Codex && fact.contains("\"kind\":\"turn_completed\"");
    assert!(extra.iter().all(is_end), "{extra:#?}");
}

for_each_client! {
    codex_the_same_words_again_through_memoir_are_another_event: Codex,
    claude_the_same_words_again_through_memoir_are_another_event: Claude,
    gemini_the_same_words_again_through_memoir_are_another_event: Gemini,
    => the_same_words_again
}

fn the_same_words_again(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let step = || Reply::new().text("Again.").shell("echo from-the-shell").shell("echo from-the-shell");
    let model = Model::start(vec![step(), step(), text("Again."), text("Again.")]);
    assert_eq!(Exec::start(&desk, client, &model, words(client)).end().code(), Some(0));
    desk.run(client, &model).prompt("first prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once_and_more(&desk, client, &model);
}

for_each_client! {
    codex_the_exit_code_of_a_run_through_memoir_is_the_clients: Codex,
    claude_the_exit_code_of_a_run_through_memoir_is_the_clients: Claude,
    gemini_the_exit_code_of_a_run_through_memoir_is_the_clients: Gemini,
    => the_exit_code_is_the_clients
}

fn the_exit_code_is_the_clients(client: Client) {
    let Some(desk) = Desk::new() else { return };
    let model = Model::start(Vec::new());
    let mut alone = Command::new(World::program(client));
    alone.args(if client == Client::Codex { &["exec", "--no-such-flag"][..] } else { &["--no-such-flag"] });
    desk.world.dress_for(client, &model, &mut alone);
    let code = alone.output().unwrap().status.code();
    assert_ne!(code, Some(0));
    let mut exec = Exec::start(&desk, client, &model, &["--client", client.name(), "--", "--no-such-flag"]);
    assert_eq!(exec.end().code(), code);
}

for_each_client! {
    codex_an_interrupt_of_a_run_through_memoir_loses_nothing_shown: Codex,
    claude_an_interrupt_of_a_run_through_memoir_loses_nothing_shown: Claude,
    gemini_an_interrupt_of_a_run_through_memoir_loses_nothing_shown: Gemini,
    => an_interrupt_loses_nothing_shown
}

fn an_interrupt_loses_nothing_shown(client: Client) {
    let Some(desk) = Desk::new() else { return };
    let model =
        Model::start(vec![text("This takes long.").shell("touch begun; sleep 100"), text("The second answer.")]);
    let begun = desk.world.project().join("begun");
    let mut exec = Exec::start(&desk, client, &model, words(client));
    exec.wait_until(|| begun.exists() && exec.shown().contains("This takes long."));
    let known = desk.events(Home::Usual);
    assert!(
        known.iter().any(|event| event.to_string().contains("This takes long.")),
        "shown, but not known: {known:?}"
    );
    exec.interrupt();
    exec.end();
    desk.run(client, &model).prompt("second prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once_and_more(&desk, client, &model);
}

for_each_client! {
    codex_a_saved_stream_is_the_run_that_it_was_saved_from: Codex,
    claude_a_saved_stream_is_the_run_that_it_was_saved_from: Claude,
    gemini_a_saved_stream_is_the_run_that_it_was_saved_from: Gemini,
    => a_saved_stream_is_its_run
}

/// A run whose stream the user keeps, then another of the same session that says the same.
fn a_saved_stream_is_its_run(client: Client) {
    let Some(desk) = Desk::new() else { return };
    let step = || Reply::new().text("Again.").shell("echo from-the-shell");
    let model = Model::start(vec![step(), text("Done."), step(), text("Done.")]);
    let mut saved = Vec::new();
    for resumes in [false, true] {
        let mut args = vec!["--raw"];
        args.extend(words(client));
        if resumes {
            args.extend(match client {
                Client::Codex => &["resume", "--last"][..],
                Client::Claude => &["--continue"],
                Client::Gemini => &["--resume", "latest"],
            });
        }
        let mut exec = Exec::start(&desk, client, &model, &args);
        assert_eq!(exec.end().code(), Some(0), "{}", exec.shown());
        let file = desk.world.root().join(format!("run-{}.jsonl", saved.len()));
        fs::rename(&exec.shown, &file).unwrap();
        saved.push(file);
    }
    assert_eq!(model.replies_left(), 0);
    let events = desk.events(Home::Usual);
    for file in &saved {
        let copy = file.with_extension("copy.jsonl");
        fs::copy(file, &copy).unwrap();
        for path in [file, &copy] {
            let told = desk.json(Home::Usual, &["import", "--json", "--path", path.to_str().unwrap()]).remove(0);
            assert_eq!((&told["stored"], &told["failed"]), (&0.into(), &Value::Null), "{told}");
        }
    }
    assert_eq!(facts(&desk, client, &desk.events(Home::Usual)), facts(&desk, client, &events));
    // Without the runs themselves, each file is a run of its own, and the copy of a part of it is nothing new.
    let import = |home: &str, path: &Path| {
        let home = desk.world.root().join(home);
        let args = ["--home", home.to_str().unwrap(), "import", "--json", "--path", path.to_str().unwrap()];
        desk.json(Home::Usual, &args).remove(0)["stored"].as_u64().unwrap()
    };
    for file in &saved {
        let part = file.with_extension("part.jsonl");
        let text = fs::read_to_string(file).unwrap();
        let end = text.match_indices('\n').nth_back(1).unwrap().0 + 1;
        fs::write(&part, &text[..end]).unwrap();
        let whole = import("whole", file);
        assert!(whole > 3, "{whole}");
        assert_eq!(import("parts", &part) + import("parts", file), whole);
    }
    everything_is_known_once_and_more(&desk, client, &model);
}
