//! The real clients in worlds of their own: each test proves that the kit can drive one thing, for each client.

#![allow(clippy::expect_used, reason = "what is unexpected fails the test")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use memoir_testkit::model::{Sent, shell, status, text, tool};
use memoir_testkit::{Client, Heard, Model, Purpose, Reply, Said, Signal, World};
use serde_json::{Value, json};

fn user(text: &str) -> Said {
    Said::User(text.into())
}

fn assistant(text: &str) -> Said {
    Said::Assistant(text.into())
}

/// What was said, with long results cut down to whether they have this text.
fn said(heard: &[Heard], result: &str) -> Vec<Said> {
    let shorten = |said: &Said| match said {
        Said::Result { name, text } if text.contains(result) => {
            Said::Result { name: name.clone(), text: result.into() }
        }
        other => other.clone(),
    };
    heard.iter().map(|heard| shorten(&heard.said)).collect()
}

/// A call of the client's shell tool and its result.
fn ran(client: Client, command: &str, result: &str) -> [Said; 2] {
    let described = json!({"command": command, "description": "Runs a command of the test"});
    let (name, args) = match client {
        Client::Codex => ("exec_command", json!({"cmd": command})),
        Client::Claude => ("Bash", described),
        Client::Gemini => ("run_shell_command", described),
    };
    [Said::Call { name: name.into(), args }, Said::Result { name: name.into(), text: result.into() }]
}

fn sessions(heard: &[Heard]) -> Vec<&str> {
    let mut ids: Vec<&str> = heard.iter().map(|heard| heard.session.as_str()).collect();
    ids.dedup();
    ids
}

fn purposes(model: &Model) -> Vec<Purpose> {
    model.requests().iter().map(|seen| seen.purpose).filter(|purpose| *purpose != Purpose::Side).collect()
}

fn is_stored(world: &World, client: Client, words: &str) -> bool {
    world.sessions(client).iter().any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(words)))
}

/// A first turn with a command and a second turn of the same session are heard and stored word for word.
fn holds_a_conversation(client: Client) {
    let Some(world) = World::with_clients() else { return };
    let model = Model::start(vec![
        Reply::new().reasoning("I should look.").text("Let me look.").shell("echo from-the-shell; exit 3"),
        text("It printed from-the-shell."),
        text("The second answer."),
    ]);
    let first = world.run(client, &model).prompt("first prompt").run().ok();
    assert!(first.stdout.contains("It printed from-the-shell."), "{}", first.stdout);
    let second = world.run(client, &model).prompt("second prompt").resume().json().run().ok();
    assert!(!second.lines().is_empty(), "{}", second.stdout);

    let [call, result] = ran(client, "echo from-the-shell; exit 3", "from-the-shell");
    let heard = model.transcript(client);
    let expected = vec![
        user("first prompt"),
        assistant("Let me look."),
        call,
        result,
        assistant("It printed from-the-shell."),
        user("second prompt"),
        assistant("The second answer."),
    ];
    assert_eq!(said(&heard, "from-the-shell"), expected);
    assert_eq!(sessions(&heard).len(), 1);
    assert_eq!(model.replies_left(), 0);
    // When a session goes on in a later minute, Gemini begins another file for it; both end with the session's id.
    let files = world.sessions(client);
    let mut ids: Vec<_> = files.iter().filter_map(|file| file.file_stem()?.to_str()?.rsplit('-').next()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{files:?}");
    assert!(is_stored(&world, client, "The second answer."));
}

#[test]
fn codex_holds_a_conversation() {
    holds_a_conversation(Client::Codex);
}

#[test]
fn claude_holds_a_conversation() {
    holds_a_conversation(Client::Claude);
}

#[test]
fn gemini_holds_a_conversation() {
    holds_a_conversation(Client::Gemini);
}

#[test]
fn codex_runs_commands_in_code_mode() {
    let Some(world) = World::with_clients() else { return };
    let model = Model::start(vec![shell("echo from-javascript"), text("Done.")]);
    world.codex(&model).model_name("gpt-6-sol").prompt("first prompt").run().ok();
    let heard = model.transcript(Client::Codex);
    let [_, Heard { said: Said::Call { name, args }, .. }, Heard { said: Said::Result { text, .. }, .. }, _] =
        &heard[..]
    else {
        panic!("{heard:#?}")
    };
    assert_eq!(name, "exec");
    assert!(args.as_str().is_some_and(|script| script.contains("echo from-javascript")), "{args}");
    assert!(text.contains("from-javascript"), "{text}");
}

/// A run that is interrupted in a command ends soon, and its session goes on.
fn is_interrupted(client: Client, signal: Signal) {
    let Some(world) = World::with_clients() else { return };
    let model =
        Model::start(vec![text("This takes long.").shell("touch begun; sleep 100"), text("The second answer.")]);
    let begun = world.project().join("begun");
    let first = world.run(client, &model).prompt("first prompt").interrupt_after(signal, |_| begun.exists()).run();
    assert!(!first.timed_out && first.took < Duration::from_secs(30), "{first:#?}");
    assert!(!first.stdout.contains("The second answer."), "{first:#?}");
    world.run(client, &model).prompt("second prompt").resume().run().ok();
    let heard = said(&model.transcript(client), "");
    let [call, _] = ran(client, "touch begun; sleep 100", "");
    assert_eq!(heard[..3], [user("first prompt"), assistant("This takes long."), call]);
    assert_eq!(heard[heard.len() - 2..], [user("second prompt"), assistant("The second answer.")]);
}

#[test]
fn codex_is_interrupted() {
    is_interrupted(Client::Codex, Signal::Interrupt);
}

#[test]
fn claude_is_interrupted() {
    is_interrupted(Client::Claude, Signal::Interrupt);
}

#[test]
fn gemini_is_interrupted() {
    is_interrupted(Client::Gemini, Signal::Terminate);
}

#[test]
fn a_killed_client_leaves_nothing_running() {
    let Some(world) = World::with_clients() else { return };
    let model = Model::start(vec![shell("exec setsid sh -c 'echo $$ > pid; exec sleep 97'")]);
    let pid = world.project().join("pid");
    let run = world.codex(&model).prompt("first prompt");
    let done = run.interrupt_after(Signal::Kill, |_| fs::read(&pid).is_ok_and(|text| !text.is_empty())).run();
    assert_eq!(done.signal(), Some(9), "{done:#?}");
    let home = world.home();
    assert!(runs_with_home(&home), "the command outlives its client");
    drop(world);
    assert!(!runs_with_home(&home), "but not the world");
    assert!(!home.exists());
}

/// Whether a process has this home, as far as the system shows.
fn runs_with_home(home: &Path) -> bool {
    let mark = format!("HOME={}", home.display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut environments = processes.filter_map(|process| fs::read(process.path().join("environ")).ok());
    environments.any(|all| all.split(|byte| *byte == 0).any(|one| one == mark.as_bytes()))
}

/// A sub-agent's words are heard apart from its parent's, and stored in a file of their own.
fn has_a_sub_agent(client: Client, spawn: Reply, child: Reply, more: Vec<Reply>, answer: &str) {
    let Some(world) = World::with_clients() else { return };
    let mut script = vec![child.for_agent(), spawn];
    script.extend(more);
    script.push(text("The parent is done."));
    let model = Model::start(script);
    let mut run = world.run(client, &model).prompt("first prompt").allow(&["Bash", "Agent"]);
    if client == Client::Codex {
        run = run.model_name("gpt-6-sol");
    }
    let done = run.run().ok();
    assert!(done.stdout.contains("The parent is done."), "{}", done.stdout);
    let parent = said(&model.transcript(client), "");
    assert_eq!(parent[0], user("first prompt"));
    assert_eq!(parent.last(), Some(&assistant("The parent is done.")));
    let child = model.agent_transcript(client);
    assert_eq!(child[0].said, user("the child's task"), "{child:#?}");
    assert!(format!("{child:?}").contains(answer), "{child:#?}");
    assert!(!parent.contains(&user("the child's task")), "{parent:#?}");
    assert_eq!(world.sessions(client).len(), 2, "{:#?}", world.sessions(client));
    assert_eq!(model.replies_left(), 0);
}

#[test]
fn codex_has_a_sub_agent() {
    let spawn = tool("spawn_agent", json!({"task_name": "helper", "message": "the child's task"}));
    let wait = vec![tool("wait_agent", json!({"timeout_ms": 10_000}))];
    has_a_sub_agent(Client::Codex, spawn, text("The child's answer."), wait, "The child's answer.");
}

#[test]
fn claude_has_a_sub_agent() {
    let task = json!({
        "description": "a task", "prompt": "the child's task", "subagent_type": "general-purpose", "run_in_background": false,
    });
    has_a_sub_agent(
        Client::Claude,
        tool("Agent", task),
        text("The child's answer."),
        Vec::new(),
        "The child's answer.",
    );
}

#[test]
fn gemini_has_a_sub_agent() {
    let spawn = tool("invoke_agent", json!({"agent_name": "generalist", "prompt": "the child's task"}));
    let done = tool("complete_task", json!({"result": {"response": "The child's answer."}}));
    has_a_sub_agent(Client::Gemini, spawn, done, Vec::new(), "The child's answer.");
}

/// After a compaction the session goes on, and what was said before is not heard again.
fn is_compacted(client: Client, world: &World, model: &Model, result: &str) {
    assert!(purposes(model).contains(&Purpose::Compaction), "{:?}", purposes(model));
    let after = model.requests().into_iter().rev().find(|seen| seen.purpose == Purpose::Turn).expect("turns");
    assert!(after.body.to_string().contains("A summary of the test."), "the summary reaches the model");
    let [call, result_heard] = ran(client, "echo from-the-shell", result);
    let expected = vec![
        user("first prompt"),
        assistant("The first answer."),
        user("second prompt"),
        call,
        result_heard,
        assistant("The second answer."),
        user("third prompt"),
        assistant("The third answer."),
    ];
    assert_eq!(said(&model.transcript(client), result), expected);
    assert!(is_stored(world, client, "A summary of the test."));
    assert_eq!(model.replies_left(), 0);
}

/// Three turns; the second claims so many tokens that the client compacts before its next step.
fn long_conversation(summary: &str, tokens: u64) -> Model {
    Model::start(vec![
        text(summary).for_compaction().always(),
        text("The first answer."),
        shell("echo from-the-shell").usage(tokens, 20, 0),
        text("The second answer."),
        text("The third answer."),
    ])
}

#[test]
fn codex_is_compacted() {
    let Some(world) = World::with_clients() else { return };
    let model = long_conversation("A summary of the test.", 9000);
    let run = || world.codex(&model).arg("-c").arg("model_auto_compact_token_limit=5000");
    run().prompt("first prompt").run().ok();
    run().prompt("second prompt").resume().run().ok();
    run().prompt("third prompt").resume().run().ok();
    is_compacted(Client::Codex, &world, &model, "from-the-shell");
}

#[test]
fn claude_is_compacted() {
    let Some(world) = World::with_clients() else { return };
    let model = long_conversation("<summary>A summary of the test.</summary>", 990_000);
    world.claude(&model).prompt("first prompt").run().ok();
    world.claude(&model).prompt("second prompt").resume().run().ok();
    world.claude(&model).prompt("third prompt").resume().run().ok();
    is_compacted(Client::Claude, &world, &model, "from-the-shell");
}

#[test]
fn claude_is_compacted_by_command() {
    let Some(world) = World::with_clients() else { return };
    let model = long_conversation("<summary>A summary of the test.</summary>", 100);
    world.claude(&model).prompt("first prompt").run().ok();
    world.claude(&model).prompt("second prompt").resume().run().ok();
    world.claude(&model).prompt("/compact").resume().run().ok();
    world.claude(&model).prompt("third prompt").resume().run().ok();
    is_compacted(Client::Claude, &world, &model, "from-the-shell");
}

#[test]
fn gemini_is_compacted() {
    let Some(world) = World::with_clients() else { return };
    let model = long_conversation("<state_snapshot>A summary of the test.</state_snapshot>", 600_000);
    world.gemini(&model).prompt("first prompt").run().ok();
    world.gemini(&model).prompt("second prompt").resume().run().ok();
    world.gemini(&model).prompt("third prompt").resume().run().ok();
    is_compacted(Client::Gemini, &world, &model, "from-the-shell");
}

/// A command of the test is called with the client's own payloads.
fn calls_hooks(client: Client, events: &[&str]) {
    let Some(world) = World::with_clients() else { return };
    let model = Model::start(vec![shell("echo from-the-shell"), text("Done.")]);
    let calls = world.root().join("calls");
    let hook = world.root().join("hook.sh");
    fs::write(&hook, format!("{{ tr -d '\\n'; echo; }} >> '{}'\necho '{{}}'\n", calls.display())).expect("a hook");
    world.hooks(client, &format!("/bin/sh {}", hook.display()), events);
    world.run(client, &model).prompt("first prompt").run().ok();
    let calls = fs::read_to_string(calls).expect("the hook was called");
    let calls: Vec<Value> = calls.lines().map(|line| serde_json::from_str(line).expect("a payload")).collect();
    let fired: Vec<&str> = calls.iter().filter_map(|call| call["hook_event_name"].as_str()).collect();
    assert_eq!(fired, events);
    assert!(calls.iter().any(|call| call["prompt"] == "first prompt"), "{calls:#?}");
    assert!(calls.iter().any(|call| call.to_string().contains("echo from-the-shell")), "{calls:#?}");
}

#[test]
fn codex_calls_hooks() {
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    calls_hooks(Client::Codex, &events);
}

#[test]
fn claude_calls_hooks() {
    let events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
    calls_hooks(Client::Claude, &events);
}

#[test]
fn gemini_calls_hooks() {
    calls_hooks(
        Client::Gemini,
        &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"],
    );
}

/// A fork goes on under another id, and its history is not heard twice.
fn forks(client: Client) {
    let Some(world) = World::with_clients() else { return };
    let model = Model::start(vec![text("The first answer."), text("The forked answer.")]);
    world.run(client, &model).prompt("first prompt").run().ok();
    let parent = model.transcript(client)[0].session.clone();
    world.run(client, &model).prompt("forked prompt").fork(&parent).run().ok();
    let heard = model.transcript(client);
    let expected = vec![
        user("first prompt"),
        assistant("The first answer."),
        user("forked prompt"),
        assistant("The forked answer."),
    ];
    assert_eq!(said(&heard, ""), expected);
    assert_eq!(sessions(&heard).len(), 2, "{heard:#?}");
}

#[test]
fn codex_forks_a_session() {
    forks(Client::Codex);
}

#[test]
fn claude_forks_a_session() {
    forks(Client::Claude);
}

/// What a broken answer brought is heard only when the client keeps it, and a repeated request is no second prompt.
fn retries(client: Client, kept: &[Said], events: usize) {
    let Some(world) = World::with_clients() else { return };
    let broken = text("A broken answer.").text("That goes on.").cut_after(events);
    let mut script = vec![broken];
    if client != Client::Gemini {
        script.push(status(500, "overloaded"));
    }
    script.extend([text("The answer."), text("The second answer.")]);
    let model = Model::start(script);
    world.run(client, &model).prompt("first prompt").run().ok();
    world.run(client, &model).prompt("second prompt").resume().run().ok();
    let after = [assistant("The answer."), user("second prompt"), assistant("The second answer.")];
    let expected = [&[user("first prompt")], kept, &after].concat();
    assert_eq!(said(&model.transcript(client), ""), expected);
    assert!(model.requests().iter().any(|seen| seen.sent == Sent::Part));
}

#[test]
fn codex_keeps_the_whole_parts_of_a_broken_answer() {
    retries(Client::Codex, &[assistant("A broken answer.")], 7);
}

#[test]
fn claude_forgets_a_broken_answer() {
    // Of an answer with a whole part it sometimes keeps that part, as it has had time to note it: none is whole here.
    retries(Client::Claude, &[], 3);
}

#[test]
fn gemini_forgets_a_broken_answer() {
    retries(Client::Gemini, &[], 3);
}

/// In a terminal: a turn, the command that compacts, another turn, a turn that Esc ends, and the end.
fn chats(client: Client, compact: &str, compacted: &str, quit: &str) {
    let Some(world) = World::with_clients() else { return };
    let summary = "<summary>A summary of the test.</summary><state_snapshot>A summary of the test.</state_snapshot>";
    let model = Model::start(vec![
        text(summary).for_compaction().always(),
        text("The first answer.").usage(600_000, 20, 0),
        text("The second answer."),
        text("This never ends.").delay(Duration::from_secs(100)),
    ]);
    let mut chat = world.chat(client, &model);
    chat.submit("first prompt");
    chat.wait_for("The first answer.");
    chat.submit(compact);
    chat.wait_for(compacted);
    chat.submit("second prompt");
    chat.wait_for("The second answer.");
    chat.submit("third prompt");
    assert!(model.wait_until(Duration::from_secs(20), |seen| seen.iter().any(|seen| seen.reply == Some(3))));
    thread::sleep(Duration::from_millis(500));
    chat.send("\x1b");
    thread::sleep(Duration::from_millis(500));
    // Clients put the prompt that was not answered back into the line.
    chat.send("\x15");
    thread::sleep(Duration::from_millis(500));
    chat.submit(quit);
    assert!(chat.wait_exit(Duration::from_secs(20)).is_some(), "{}", chat.screen());
    let expected = vec![
        user("first prompt"),
        assistant("The first answer."),
        user("second prompt"),
        assistant("The second answer."),
        user("third prompt"),
    ];
    assert_eq!(said(&model.transcript(client), ""), expected);
    assert!(purposes(&model).contains(&Purpose::Compaction));
    assert!(is_stored(&world, client, "The second answer."));
}

#[test]
fn codex_chats_in_a_terminal() {
    chats(Client::Codex, "/compact", "Context compacted", "/quit");
}

#[test]
fn claude_chats_in_a_terminal() {
    chats(Client::Claude, "/compact", "Compacted", "/exit");
}

#[test]
fn gemini_chats_in_a_terminal() {
    chats(Client::Gemini, "/compress", "compressed from", "/quit");
}

#[test]
fn a_terminal_shows_what_a_command_prints_and_takes_keys() {
    let world = World::new();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "stty size; pwd; read line; echo \"got $line\""]);
    let mut terminal = world.terminal(command);
    terminal.wait_for("50 160");
    terminal.wait_for(world.project().to_str().expect("a plain path"));
    terminal.submit("some words");
    terminal.wait_for("got some words");
    assert!(terminal.wait_exit(Duration::from_secs(10)).is_some_and(|status| status.success()));
}
