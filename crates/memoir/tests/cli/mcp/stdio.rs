//! The protocol over standard input and output, as real clients begin it and as broken ones go on.

use super::{Client, client, said};
use crate::support::{Home, eventually};
use serde_json::{Value, json};

#[test]
fn a_client_that_introduces_itself_learns_what_there_is() {
    let home = Home::new();
    let mut client = Client::silent(home.command(&["mcp"]));
    let probe = json!({"jsonrpc": "2.0", "id": "probe-1", "method": "server/discover", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "2.1"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {"listChanged": true}}}}});
    client.send(&probe.to_string());
    assert_eq!(client.answer(&json!("probe-1"))["error"]["code"], -32601);
    for version in ["2025-11-25", "2025-06-18", "2024-11-05"] {
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        let told = answer["result"]["instructions"].as_str().unwrap();
        assert!(told.len() <= 1_500 && told.contains("recall"), "{told}");
    }
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let tools = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["recall", "search", "read", "timeline", "remember", "forget", "status"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let forget = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "forget").unwrap();
    assert_eq!(forget["annotations"]["destructiveHint"], true);
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let prompts = client.ask("prompts/list", json!({}))["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().unwrap().len(), 2);
    assert_eq!(client.ask("resources/templates/list", json!({}))["result"]["resourceTemplates"][0]["name"], "session");
    let ran = client.leave().succeeded();
    assert!(ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn what_it_does_not_understand_ends_nothing() {
    let home = Home::new();
    let mut client = client(&home);
    for line in [
        "",
        "nonsense",
        "{",
        "[]",
        "{\"jsonrpc\":\"2.0\"}",
        "null",
        "5",
        "{\"jsonrpc\":\"2.0\",\"id\":null}",
        "\u{feff}{}",
    ] {
        assert!(client.send(line));
    }
    assert_eq!(client.ask("no/such/method", json!({"x": 1}))["error"]["code"], -32601);
    assert!(
        client.ask("tools/call", json!({"name": "purge"}))["error"]["message"].as_str().unwrap().contains("recall")
    );
    assert!(client.ask("tools/call", json!({"name": 5}))["error"].is_object());
    assert!(client.ask("tools/call", json!({"name": "recall", "arguments": "x"}))["error"].is_object());
    let misspelt = client.refusal("recall", json!({"query": "x", "limt": 3}));
    assert!(misspelt.contains("limt") && misspelt.contains("limit"), "{misspelt}");
    assert!(client.refusal("recall", json!({"query": "  "})).contains("query"));
    assert!(client.refusal("recall", json!({"query": 5})).contains("wrong arguments"));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#);
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/nobody/knows","params":{}}"#);
    client.send(r#"{"jsonrpc":"2.0","id":7777,"result":{"roots":[]}}"#);
    assert!(client.text("status", json!({})).contains("0 events"));
    client.leave().succeeded();
}

#[test]
fn what_is_no_json_is_answered_as_such_and_messages_around_it_are_whole() {
    let home = Home::new();
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
    let long = "x".repeat((16 << 20) + 1);
    let lines = ["{", &ping(1), "nonsense", "", "  ", "{\"a\":\"\\ud800\"}", &ping(2), &long, &ping(3)].join("\n");
    let ran = home.feed(&["mcp"], format!("{lines}\n")).succeeded();
    let answers = ran.json_lines();
    let with = |code: i64| answers.iter().filter(|one| one["error"]["code"] == code && one["id"].is_null()).count();
    assert_eq!((with(-32700), with(-32600)), (3, 1), "{answers:?}");
    assert!((1..=3).all(|id| answers.iter().any(|one| one["id"] == id && one["result"].is_object())), "{answers:?}");
}

#[test]
fn ten_megabytes_are_answered_and_more_than_a_line_may_have_is_dropped() {
    let home = Home::new();
    let mut client = client(&home);
    let long = "walrus ".repeat(10 << 20 >> 3);
    assert!(client.refusal("remember", json!({"text": long, "scope": "user"})).contains("at most"));
    client.text("recall", json!({"query": long}));
    client.send(
        &json!({"jsonrpc": "2.0", "id": "big", "method": "ping", "params": {"x": "y".repeat(17 << 20)}}).to_string(),
    );
    assert!(client.text("status", json!({})).contains("0 events"));
    client.leave().succeeded();
}

#[test]
fn what_was_asked_before_the_client_left_is_answered() {
    let home = Home::new();
    home.ingest(&[said("s1", "2026-05-01T10:00:00Z", "the walrus cache is flushed by ./flush")]).succeeded();
    let lines: String = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "recall", "arguments": {"query": "how is the walrus cache flushed?"}}}),
    ]
    .iter()
    .map(|message| format!("{message}\n"))
    .collect();
    let ran = home.feed(&["mcp"], lines).succeeded();
    let answers = ran.json_lines();
    let recalled = answers.iter().find(|answer| answer["id"] == 2).unwrap();
    assert!(recalled.to_string().contains("./flush"), "{recalled}");
}

#[test]
fn nothing_stays_when_the_client_is_gone() {
    let home = Home::new();
    let mut client = client(&home);
    client.running().signal(rustix::process::Signal::TERM);
    eventually("it ends when it is told to", || !client.running().is_running());

    // A shell starts it and is killed; something else still holds the pipe open.
    let script = format!("'{}' mcp <&0 & echo $! > pid; wait", crate::support::MEMOIR);
    let mut shell = crate::process::Running::start(home.command_of(std::path::Path::new("sh"), &["-c", &script]));
    let pid_file = home.top().join("pid");
    let mut pid = None;
    eventually("it started", || {
        pid = std::fs::read_to_string(&pid_file).ok().and_then(|text| text.trim().parse::<u32>().ok());
        pid.is_some()
    });
    shell.signal(rustix::process::Signal::KILL);
    let proc = format!("/proc/{}/stat", pid.unwrap());
    let lives = || std::fs::read_to_string(&proc).is_ok_and(|stat| !stat.contains(") Z "));
    eventually("it ends with whoever started it", || !lives());
    let _ = shell.is_running();
}

#[test]
fn a_reader_that_is_gone_breaks_nothing() {
    let home = Home::new();
    let script = format!("'{}' mcp | head -c 10 > /dev/null", crate::support::MEMOIR);
    let mut shell = crate::process::Running::start(home.command_of(std::path::Path::new("sh"), &["-c", &script]));
    for id in 0..50 {
        let ping = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}});
        shell.write(format!("{ping}\n"));
    }
    shell.close_input();
    let ran = shell.finish();
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn two_clients_at_once_see_what_each_other_writes() {
    let home = Home::new();
    let (mut one, mut two) = (client(&home), client(&home));
    let kept = [
        ("the walrus cache is flushed by ./flush", "deploys go through the ship script"),
        ("lint runs with clippy before each push", "the narwhal database lives in Dublin"),
        ("Sabine owns the billing service", "screenshots are kept for thirty days"),
    ];
    for (first, second) in kept {
        one.text("remember", json!({"text": first, "scope": "user"}));
        two.text("remember", json!({"text": second, "scope": "user"}));
    }
    for (first, second) in kept {
        assert!(one.text("recall", json!({"query": second})).contains(second));
        assert!(two.text("recall", json!({"query": first})).contains(first));
    }
    let memories = home.run(&["memories", "--json"]).succeeded().json_lines();
    assert_eq!(memories.len(), 6);
    one.leave().succeeded();
    two.leave().succeeded();
    home.verified();
}

#[test]
fn a_home_that_cannot_be_opened_is_told_to_whoever_asks() {
    let home = Home::new();
    std::fs::create_dir(home.dir()).unwrap();
    crate::support::set_mode(&home.dir(), 0o700);
    std::fs::write(home.journal(), "this is no journal, and never was").unwrap();
    let mut client = client(&home);
    let told = client.refusal("status", json!({}));
    assert!(told.contains("cannot open its journal"), "{told}");
    std::fs::remove_file(home.journal()).unwrap();
    assert!(client.text("status", json!({})).contains("0 events"));
    client.leave().succeeded();
}

#[test]
fn prompts_and_resources_are_filled_in() {
    let home = Home::new();
    home.ingest(&[said("s1", "2026-05-01T10:00:00Z", "the walrus cache is flushed by ./flush")]).succeeded();
    let mut client = client(&home);
    let prompt = client.ask("prompts/get", json!({"name": "recall", "arguments": {"about": "flush the walrus cache"}}));
    assert!(prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("./flush"), "{prompt}");
    assert_eq!(client.ask("prompts/get", json!({"name": "recall"}))["error"]["code"], -32602);
    let listed = client.ask("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "memoir://session/cx-s1", "{listed}");
    let read: Value = client.ask("resources/read", json!({"uri": "memoir://session/cx-s1"}));
    assert!(read["result"]["contents"][0]["text"].as_str().unwrap().contains("./flush"), "{read}");
    assert!(client.ask("resources/read", json!({"uri": "memoir://session/none"}))["error"].is_object());
    assert!(client.ask("resources/read", json!({"uri": "file:///etc/passwd"}))["error"].is_object());
    client.leave().succeeded();
}
