//! `memoir exec`, with scripts in the place of clients: what is shown is recorded, and the run ends as the client ends.

use crate::support::{Home, Ran, Running, eventually, run, set_mode, text_of};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

const BEGIN: &str = r#"echo '{"type":"thread.started","thread_id":"t1"}'; echo '{"type":"turn.started"}'"#;

fn says(text: &str) -> String {
    format!(r#"echo '{{"type":"item.completed","item":{{"id":"item_0","type":"agent_message","text":"{text}"}}}}'"#)
}

/// A home with a client that is that script.
fn with_client(name: &str, script: &str) -> Home {
    let home = Home::new();
    let bin = home.top().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    set_mode(&bin.join(name), 0o755);
    home
}

fn exec(home: &Home, args: &[&str]) -> Command {
    let all: Vec<&str> = ["exec"].into_iter().chain(args.iter().copied()).collect();
    let mut command = home.command(&all);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", home.top().join("bin").display()));
    command
}

fn ran(home: &Home, args: &[&str]) -> Ran {
    run(exec(home, args), b"")
}

/// What the agent said, as recorded.
fn answers(home: &Home) -> Vec<String> {
    home.events().iter().filter(|event| event["kind"] == "assistant_message").map(text_of).collect()
}

#[test]
fn the_agents_words_are_shown_and_everything_is_recorded_once() {
    let script = format!(
        "{BEGIN}\n{}\n{}\n{}\n{}",
        r#"echo '{"type":"item.completed","item":{"id":"i1","type":"reasoning","text":"thinking it over"}}'"#,
        r#"echo '{"type":"item.completed","item":{"id":"i2","type":"command_execution","command":"/bin/bash -lc ls","aggregated_output":"a","exit_code":2,"status":"failed"}}'"#,
        says("all done"),
        r#"echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2}}'"#
    );
    let home = with_client("codex", &format!("echo \"$@\" > args\n{script}"));
    let ran = ran(&home, &["do it", "--", "-m", "gpt"]).succeeded();
    assert_eq!(ran.out, "all done\n");
    for part in ["thinking it over", "$ ls  (exit 2)"] {
        assert!(ran.err.contains(part), "{part} in {}", ran.err);
    }
    assert_eq!(fs::read_to_string(home.top().join("args")).unwrap(), "exec --json -m gpt do it\n");
    let kinds: Vec<Value> = home.events().iter().map(|event| event["kind"].clone()).collect();
    let expected = [
        "session_started",
        "user_message",
        "reasoning",
        "tool_call",
        "command",
        "tool_result",
        "assistant_message",
        "turn_completed",
    ];
    assert_eq!(kinds, expected);
    assert!(home.events().iter().all(|event| event["source"] == "codex_exec"));
    assert_eq!(home.prompts(), ["do it"]);
}

#[test]
fn the_clients_own_stream_is_passed_on_byte_by_byte() {
    let script = format!("{BEGIN}\necho 'no json at all'\n{}\nprintf 'without an end'", says("x"));
    let home = with_client("codex", &script);
    let ran = ran(&home, &["do it", "--", "--json"]).succeeded();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], r#"{"type":"thread.started","thread_id":"t1"}"#);
    assert_eq!((lines[2], lines[4]), ("no json at all", "without an end"));
    assert_eq!(answers(&home), ["x"]);
}

#[test]
fn a_line_of_many_megabytes_is_passed_on_whole_and_recorded_shortened() {
    let script = format!(
        "{BEGIN}\nprintf '{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"'\n\
         head -c 20000000 /dev/zero | tr '\\0' x\nprintf '\"}}}}\\n'\n{}",
        says("after it")
    );
    let home = with_client("codex", &script);
    let ran = ran(&home, &["x", "--raw"]).succeeded();
    assert!(ran.out.len() > 20_000_000);
    assert!(ran.out.ends_with("\"after it\"}}\n"));
    let answers = answers(&home);
    assert_eq!(answers.len(), 2);
    assert!(answers[0].len() < 2_000_000 && answers[0].starts_with("xxxx"));
}

#[test]
fn exit_codes_and_deadly_signals_are_the_clients() {
    let home = with_client("codex", &format!("{BEGIN}\n{}\nexit 7", says("bye")));
    assert_eq!(ran(&home, &["x"]).code(), 7);
    assert_eq!(answers(&home), ["bye"]);
    let home = with_client("codex", &format!("{BEGIN}\n{}\nkill -SEGV $$", says("bye")));
    assert_eq!(ran(&home, &["x"]).status.signal(), Some(11));
    assert_eq!(answers(&home), ["bye"]);
}

#[test]
fn a_client_that_exits_at_once_loses_nothing() {
    let burst: String = (0..200).map(|n| says(&format!("burst {n}")) + "\n").collect();
    let home = with_client("codex", &format!("{BEGIN}\n{burst}"));
    ran(&home, &["x"]).succeeded();
    assert_eq!(answers(&home).len(), 200);
}

#[test]
fn a_client_that_leaves_something_running_does_not_hold_memoir_up() {
    let home = with_client("codex", &format!("{BEGIN}\n{}\nsleep 30 2>/dev/null &\necho $! > sleeper", says("done")));
    let begun = std::time::Instant::now();
    let ran = ran(&home, &["x"]).succeeded();
    assert_eq!(ran.out, "done\n");
    assert!(begun.elapsed() < std::time::Duration::from_secs(20));
    let sleeper = fs::read_to_string(home.top().join("sleeper")).unwrap();
    let id = rustix::process::Pid::from_raw(sleeper.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(id, Signal::KILL).unwrap();
}

/// A client that says something, tells that it is there, and waits.
fn waiting_client(trap: &str) -> Home {
    with_client("codex", &format!("{trap}\n{BEGIN}\n{}\n: > said\nwhile :; do sleep 0.05; done", says("half")))
}

fn started(home: &Home) -> Running {
    let running = Running::start(exec(home, &["x"]));
    eventually("the client has spoken", || home.top().join("said").exists());
    running
}

#[test]
fn a_kill_of_memoir_loses_nothing_that_was_shown() {
    let home = waiting_client("echo $$ > pid");
    let mut running = started(&home);
    // Shown means stored: it is read from memoir's own output before the kill.
    running.wait_for_output("half");
    running.kill();
    let client = fs::read_to_string(home.top().join("pid")).unwrap();
    let client = rustix::process::Pid::from_raw(client.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(client, Signal::KILL).unwrap();
    assert_eq!(answers(&home), ["half"]);
    home.verified();
}

#[test]
fn a_signal_to_memoir_reaches_the_client_once_and_memoir_ends_as_it_does() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1)] {
        let home = waiting_client("");
        let running = started(&home);
        running.signal(signal);
        assert_eq!(running.finish().status.signal(), Some(number));
        assert_eq!(answers(&home), ["half"]);
    }
    let last_words = says("last words").replace('\'', "'\\''");
    let home = waiting_client(&format!("trap 'echo x >> traps; {last_words}; exit 5' TERM"));
    let running = started(&home);
    running.signal(Signal::TERM);
    assert_eq!(running.finish().code(), 5);
    assert_eq!(answers(&home), ["half", "last words"]);
    assert_eq!(fs::read_to_string(home.top().join("traps")).unwrap(), "x\n");
}

#[test]
fn a_missing_program_is_said_in_one_sentence_and_leaves_no_trace() {
    let home = Home::new();
    home.run(&["exec", "--program", "no-such-codex", "x"]).failed_in_one_line(1, &["no program `no-such-codex`"]);
    home.run(&["exec", "--client", "copilot", "x"]).failed_in_one_line(2, &["cannot run copilot"]);
    home.run(&["exec", "--client", "claude", "x", "--", "--output-format", "json"])
        .failed_in_one_line(2, &["cannot give `json`"]);
}

#[test]
fn the_files_that_an_agent_makes_are_the_users_not_memoirs() {
    use std::os::unix::fs::MetadataExt;
    let home = with_client("codex", &format!("umask > mask\n: > made\n{BEGIN}"));
    let mut command = Command::new("/bin/sh");
    let inner = exec(&home, &[]);
    command.args(["-c", "umask 022; exec \"$0\" exec x"]).arg(inner.get_program()).current_dir(home.top()).env_clear();
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run(command, b"").succeeded();
    assert_eq!(fs::metadata(home.top().join("made")).unwrap().mode() & 0o777, 0o644);
    assert_eq!(fs::metadata(home.journal()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_journal_that_cannot_be_written_costs_nothing_of_a_run() {
    let home = Home::with_one_event();
    let bin = home.top().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("codex"), format!("#!/bin/sh\n{BEGIN}\n{}", says("spooled"))).unwrap();
    set_mode(&bin.join("codex"), 0o755);
    let lock = rusqlite::Connection::open(home.journal()).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let mut command = exec(&home, &["x"]);
    command.env("MEMOIR_JOURNAL_LOCK_WAIT_MS", "50");
    let ran = run(command, b"").succeeded();
    assert_eq!(ran.out, "spooled\n");
    assert!(ran.err.contains("spool"), "{}", ran.err);
    drop(lock);
    assert_eq!(answers(&home), ["spooled"]);
}

#[test]
fn an_answer_of_gemini_is_shown_and_recorded_while_it_grows() {
    let piece = |text: &str| {
        format!(
            r#"echo '{{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"assistant","content":"{text}","delta":true}}'"#
        )
    };
    let init = r#"echo '{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"m"}'"#;
    let script = format!(
        "{init}\n{}\n{}\n: > said\nwhile [ ! -e go ]; do sleep 0.02; done\n{}",
        piece("One "),
        piece("two "),
        piece("three.")
    );
    let home = with_client("gemini", &script);
    let mut running = Running::start(exec(&home, &["--client", "gemini", "x"]));
    running.wait_for_output("One two");
    assert_eq!(answers(&home), ["One two "]);
    fs::write(home.top().join("go"), "").unwrap();
    assert_eq!(running.finish().out, "One two three.\n");
    assert_eq!(answers(&home), ["One two three."]);
}

#[test]
fn a_signal_in_the_middle_of_an_answer_of_gemini_leaves_what_it_said_and_reaches_what_it_started() {
    let piece = r#"echo '{"type":"message","timestamp":"2026-01-01T00:00:01Z","role":"assistant","content":"One two","delta":true}'"#;
    let init = r#"echo '{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"m"}'"#;
    let prompt =
        r#"echo '{"type":"message","timestamp":"2026-01-01T00:00:00Z","role":"user","content":"count to three"}'"#;
    // It starts itself anew as a child and waits for it, as Gemini CLI does.
    let inner = format!("{init}; {prompt}; {piece}; : > said; while :; do sleep 0.05; done").replace('\'', "'\\''");
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2)] {
        let trap = "trap 'kill $child; wait $child; trap - TERM; kill -TERM $$' TERM; trap 'kill $child; wait $child; trap - INT; kill -INT $$' INT";
        let home = with_client("gemini", &format!("sh -c '{inner}' & child=$!\n{trap}\nwait $child"));
        let running = Running::start(exec(&home, &["--client", "gemini", "x"]));
        eventually("the client has spoken", || home.top().join("said").exists());
        running.signal(signal);
        assert_eq!(running.finish().status.signal(), Some(number));
        assert_eq!((home.prompts(), answers(&home)), (vec!["count to three".to_owned()], vec!["One two".to_owned()]));
        home.verified();
    }
}

#[test]
fn pieces_of_claude_that_never_became_an_answer_are_kept() {
    let script = r#"echo '{"type":"system","subtype":"init","session_id":"c1","cwd":"/p"}'
echo '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I was about "}},"session_id":"c1"}'
echo '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"to"}},"session_id":"c1"}'
kill -TERM $$"#;
    let home = with_client("claude", script);
    assert_eq!(ran(&home, &["--client", "claude", "--raw", "x"]).status.signal(), Some(15));
    assert_eq!(answers(&home), ["I was about to"]);
}

#[test]
fn a_stream_of_the_codex_sdk_is_recorded_as_it_comes_and_a_file_of_it_only_once() {
    let home = Home::new();
    let lines = "{\"type\":\"thread.started\",\"thread_id\":\"t9\"}\n{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"by sdk\"}}\n";
    let mut running = Running::start(home.command(&["ingest", "--format", "codex-sdk"]));
    assert!(running.write(lines));
    eventually("the line is stored while the stream is open", || answers(&home) == ["by sdk"]);
    assert!(running.write(
        "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"and on\"}}\n"
    ));
    running.close_input();
    let ran = running.finish().succeeded();
    assert!(ran.err.contains("recorded 3"), "{ran:?}");
    assert!(home.events().iter().all(|event| event["source"] == "codex_sdk"));

    let home = Home::new();
    let file = home.top().join("run.jsonl");
    fs::write(&file, lines).unwrap();
    for _ in 0..2 {
        let mut command = home.command(&["ingest", "--format", "codex-sdk", "--repo", "o/r"]);
        command.stdin(fs::File::open(&file).unwrap());
        assert!(command.output().unwrap().status.success());
    }
    assert_eq!(answers(&home), ["by sdk"]);
    assert_eq!(home.events()[0]["repoId"], "o/r");
    home.feed(&["ingest", "--format", "codex-sdk"], "nonsense\n").failed(1, &["not JSON", "refused 1"]);
}

const CLAUDE: &str = r#"echo '{"type":"system","subtype":"init","session_id":"c1","cwd":"/p"}'
echo '{"type":"assistant","session_id":"c1","uuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"hush answer"}]}}'"#;

const GEMINI: &str = r#"echo '{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"m"}'
echo '{"type":"message","timestamp":"2026-01-01T00:00:01Z","role":"assistant","content":"hush answer","delta":true}'"#;

/// A run of that client, whose output is a script's, with that on standard input.
fn ran_with(client: &str, args: &[&str], input: &str) -> (Home, Ran) {
    let codex = format!("{BEGIN}\n{}", says("hush answer"));
    let script = match client {
        "claude" => CLAUDE,
        "gemini" => GEMINI,
        _ => codex.as_str(),
    };
    // Like the real ones, it reads what it is given before it says anything.
    let home = with_client(client, &format!("cat > got\n{script}"));
    let mut all = vec!["--client", client, "--raw"];
    all.extend(args);
    let ran = run(exec(&home, &all), input.as_bytes()).succeeded();
    assert!(ran.out.contains("hush answer"), "{ran:?}");
    (home, ran)
}

#[test]
fn a_prompt_among_the_clients_own_words_or_on_its_input_is_the_users() {
    for (client, args, input, prompt) in [
        ("codex", &["--", "do it"][..], "", "do it"),
        ("codex", &["--", "-m", "gpt", "resume", "--last", "go on"], "", "go on"),
        ("codex", &["--", "-"], "by pipe\n", "by pipe"),
        ("codex", &["-", "--", "-m", "gpt"], "by pipe\n", "by pipe"),
        ("codex", &["do it"], "a table\n", "do it"),
        ("claude", &["--", "-p", "do it", "--allowedTools", "Bash"], "", "do it"),
        ("claude", &["--", "-p", "--model", "opus"], "by pipe\n", "by pipe"),
        ("claude", &["--", "-p", "do it"], "a table\n", "do it\na table"),
    ] {
        let (home, _) = ran_with(client, args, input);
        assert_eq!(home.prompts(), [prompt], "{client} {args:?}");
        assert_eq!(fs::read_to_string(home.top().join("got")).unwrap(), input, "the client gets it all");
        assert_eq!(answers(&home), ["hush answer"], "{client} {args:?}");
    }
}

#[test]
fn a_private_run_is_not_recorded_wherever_its_prompt_stands_nor_from_what_its_stream_was_saved_to() {
    for (client, args, input) in [
        ("codex", &["hush do it #nosave"][..], ""),
        ("codex", &["--", "hush do it #nosave"], ""),
        ("codex", &["--", "--of-tomorrow", "hush do it #nosave"], ""),
        ("codex", &["--", "-"], "hush do it #nosave"),
        ("codex", &["--", "resume", "--last"], "hush do it #nosave"),
        ("claude", &["--", "-p", "hush do it #nosave", "--allowedTools", "Bash"], ""),
        ("claude", &["--", "-p"], "hush do it [private]\n"),
        ("claude", &["--", "-p", "do it"], "hush: do not save this"),
        ("gemini", &["--", "-y", "-p", "hush do it #nosave"], ""),
        ("gemini", &["--", "-y", "--prompt=hush do it #nosave"], ""),
    ] {
        let (home, ran) = ran_with(client, args, input);
        assert!(home.events().is_empty(), "{client} {args:?}: {:?}", home.events());
        let saved = home.top().join("saved.jsonl");
        fs::write(&saved, &ran.out).unwrap();
        let part = home.top().join("part.jsonl");
        let lines: Vec<&str> = ran.out.lines().collect();
        fs::write(&part, format!("{}\n", lines[..lines.len() - 1].join("\n"))).unwrap();
        for file in [&saved, &part] {
            let told = home.run(&["import", "--path", file.to_str().unwrap()]).succeeded();
            assert!(told.out.contains("marked as private"), "{client} {args:?}: {told:?}");
        }
        if client == "codex" {
            let mut again = home.command(&["ingest", "--format", "codex-sdk"]);
            again.stdin(fs::File::open(&saved).unwrap());
            assert!(again.output().unwrap().status.success());
        }
        assert!(home.events().is_empty(), "{client} {args:?}: {:?}", home.events());
    }
}

#[test]
fn data_beside_a_prompt_is_no_prompt() {
    let (home, _) = ran_with("codex", &["sum it up"], "a table with #nosave in it\n");
    assert_eq!(home.prompts(), ["sum it up"]);
    assert_eq!(answers(&home), ["hush answer"]);
}

#[test]
fn a_prompt_that_never_ends_holds_nothing_up_and_is_private_as_soon_as_it_says_so() {
    let home = with_client(
        "claude",
        &format!("{CLAUDE}\nwhile [ ! -e go ]; do sleep 0.02; done\n{}", CLAUDE.replace("u1", "u2")),
    );
    let mut running = Running::start(exec(&home, &["--client", "claude", "--", "-p", "in the open"]));
    running.wait_for_output("hush answer");
    assert_eq!(home.prompts(), ["in the open"]);
    assert!(running.write("and now #nosave\n"));
    // It is on its way to the client once memoir has seen it.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let before = home.events().len();
    fs::write(home.top().join("go"), "").unwrap();
    running.finish().succeeded();
    assert_eq!(home.events().len(), before);
}

#[test]
fn what_a_client_writes_last_of_all_is_shown_and_recorded() {
    let last_words = says("last words").replace('\'', "'\\''");
    for (signal, name) in [(Signal::TERM, "TERM"), (Signal::INT, "INT"), (Signal::HUP, "HUP")] {
        for _ in 0..8 {
            let home = waiting_client(&format!("trap '{last_words}; exit 5' {name}"));
            let running = started(&home);
            running.signal(signal);
            let ran = running.finish();
            assert_eq!((ran.code(), ran.out.contains("last words")), (5, true), "{name}: {ran:?}");
            assert_eq!(answers(&home), ["half", "last words"], "{name}");
        }
    }
}

/// Turns, tokens from no cache and from one, and tokens written, by model.
fn figures(home: &Home) -> Vec<(String, [u64; 4])> {
    let rows = home.run(&["stats", "--by", "model", "--json"]).succeeded().json_lines();
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let names = ["turns", "inputTokens", "cachedInputTokens", "outputTokens"];
    rows.iter().map(|row| (row["model"].as_str().unwrap().to_owned(), names.map(|name| number(row, name)))).collect()
}

fn turn_of_codex(input: u64, cached: u64, output: u64) -> String {
    format!(
        r#"{{"type":"turn.completed","usage":{{"input_tokens":{input},"cached_input_tokens":{cached},"output_tokens":{output}}}}}"#
    )
}

#[test]
fn what_only_a_stream_tells_was_used_counts_once_and_not_beside_the_session_file() {
    let home = Home::new();
    let begin = r#"{"type":"thread.started","thread_id":"019f2c71-8a40-7c11-9d2e-5b1f0a7c4e21"}"#;
    // Codex tells what the thread has used so far, also when it goes on.
    for (turn, shown) in [([100, 40, 7], [0, 60, 40, 7]), ([250, 90, 20], [0, 160, 90, 20])] {
        let stream = format!("{begin}\n{}\n", turn_of_codex(turn[0], turn[1], turn[2]));
        home.feed(&["ingest", "--format", "codex-sdk"], &stream).succeeded();
        assert_eq!(figures(&home), [("(unknown)".to_owned(), shown)]);
    }
    let file = home.top().join(".codex/sessions/2026/03/01");
    fs::create_dir_all(&file).unwrap();
    let lines = [
        r#"{"timestamp":"2026-03-01T10:00:00.000Z","type":"session_meta","payload":{"id":"019f2c71-8a40-7c11-9d2e-5b1f0a7c4e21","cwd":"/p"}}"#,
        r#"{"timestamp":"2026-03-01T10:00:01.000Z","type":"turn_context","payload":{"turn_id":"t1","cwd":"/p","model":"gpt-5"}}"#,
        r#"{"timestamp":"2026-03-01T10:00:02.000Z","type":"token_usage_record","payload":{"response_id":"r1","turn_id":"t1","usage":{"input_tokens":260,"cached_input_tokens":90,"output_tokens":21}}}"#,
    ];
    let name = "rollout-2026-03-01T10-00-00-019f2c71-8a40-7c11-9d2e-5b1f0a7c4e21.jsonl";
    fs::write(file.join(name), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    home.run(&["import"]).succeeded();
    assert_eq!(figures(&home), [("gpt-5".to_owned(), [0, 170, 90, 21])]);
}

#[test]
fn what_a_run_without_a_session_file_used_goes_to_its_model() {
    let codex = format!("{BEGIN}\n{}\necho '{}'", says("x"), turn_of_codex(100, 40, 7));
    let init = r#"{"type":"init","timestamp":"2026-01-01T00:00:00Z","session_id":"g1","model":"gemini-a"}"#;
    let gemini =
        |stats: &str| format!(r#"echo '{init}'; echo '{{"type":"result","status":"success","stats":{stats}}}'"#);
    let one = r#"{"total_tokens":107,"input_tokens":100,"output_tokens":7,"cached":40,"input":60}"#;
    let each = format!(r#"{{"input_tokens":100,"output_tokens":7,"models":{{"gemini-b":{one}}}}}"#);
    for (client, script, args, model) in [
        ("codex", codex.clone(), &["do it"][..], "(unknown)"),
        ("codex", codex, &["do it", "--", "-m", "gpt-5"], "gpt-5"),
        ("gemini", gemini(one), &["--client", "gemini", "do it"], "gemini-a"),
        ("gemini", gemini(&each), &["--client", "gemini", "do it"], "gemini-b"),
    ] {
        let home = with_client(client, &script);
        ran(&home, args).succeeded();
        let [(name, [_, input, cached, output])] = &figures(&home)[..] else { panic!("{client} {args:?}") };
        assert_eq!((name.as_str(), input, cached, output), (model, &60, &40, &7), "{client} {args:?}");
    }
}

#[test]
fn what_a_client_that_dies_had_half_said_is_told_and_counted() {
    let half = r#"printf '{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"half'"#;
    let home = with_client("codex", &format!("{BEGIN}\necho 'warming up'\n{half}\nexit 3"));
    let ran = ran(&home, &["do it"]);
    assert_eq!(ran.code(), 3);
    assert!(ran.err.contains("not all that the client said could be read and recorded: not JSON (1)"), "{}", ran.err);
    assert_eq!(home.status()["unread"]["not JSON"], 1);
    // What a client says beside its stream is shown, and nothing is amiss.
    let home = with_client("codex", &format!("{BEGIN}\necho 'warming up'\n{}", says("done")));
    let ran = crate::exec::ran(&home, &["do it"]).succeeded();
    assert!(!ran.err.contains("not all"), "{}", ran.err);
    assert_eq!(home.status()["unread"], serde_json::json!({}));
}
