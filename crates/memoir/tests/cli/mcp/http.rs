//! The same tools over HTTP, behind the server's gate.

use super::{said, text_of};
use crate::http::{self, Answer};
use crate::support::{Home, Server};
use serde_json::{Value, json};

fn ask(server: &Server, key: Option<&str>, method: &str, params: Value) -> Answer {
    http::post(server, "/mcp", key, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn call(server: &Server, key: Option<&str>, tool: &str, arguments: Value) -> Value {
    let answer = ask(server, key, "tools/call", json!({"name": tool, "arguments": arguments}));
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["result"].clone()
}

#[test]
fn a_client_over_http_has_the_same_tools() {
    let home = Home::new();
    home.ingest(&[said("s1", "2026-05-01T10:00:00Z", "the walrus cache is flushed by ./flush --all")]).succeeded();
    let server = home.serve();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "opencode", "version": "1"}});
    let hello = ask(&server, None, "initialize", params);
    assert_eq!((hello.status, &hello.body["result"]["serverInfo"]["name"]), (200, &json!("memoir")), "{}", hello.body);
    let note = http::post(&server, "/mcp", None, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(note.status, 202);
    assert_eq!(ask(&server, None, "tools/list", json!({})).body["result"]["tools"][0]["name"], "recall");
    let told = call(&server, None, "recall", json!({"query": "how is the walrus cache flushed?"}));
    assert!(text_of(&told).contains("./flush"), "{told}");
    let kept = call(&server, None, "remember", json!({"text": "the walrus is fed at noon", "scope": "user"}));
    assert_eq!(kept["structuredContent"]["said"], "new", "{kept}");
    assert_eq!(ask(&server, None, "no/such", json!({})).body["error"]["code"], -32601);
    let codex = json!({"name": "recall", "arguments": {"query": "how is the walrus cache flushed?"}, "_meta": {"sessionId": "s1"}});
    let own = ask(&server, None, "tools/call", codex);
    assert!(!own.body.to_string().contains("./flush"), "{}", own.body);
    // Prompts and resources are there, too.
    let prompts = ask(&server, None, "prompts/list", json!({})).body["result"]["prompts"].clone();
    assert_eq!(prompts.as_array().map(Vec::len), Some(2), "{prompts}");
    let asked = json!({"name": "recall", "arguments": {"about": "how is the walrus cache flushed?"}});
    let filled = ask(&server, None, "prompts/get", asked).body.to_string();
    assert!(filled.contains("./flush"), "{filled}");
    let resources = ask(&server, None, "resources/list", json!({})).body["result"]["resources"].clone();
    assert_eq!(resources[0]["uri"], "memoir://session/cx-s1", "{resources}");
    let read = ask(&server, None, "resources/read", json!({"uri": "memoir://session/cx-s1"})).body.to_string();
    assert!(read.contains("./flush"), "{read}");
    let missing = ask(&server, None, "resources/read", json!({"uri": "memoir://session/nope"}));
    assert!(missing.body["error"]["message"].as_str().is_some_and(|said| said.contains("nope")), "{}", missing.body);
    server.stop().succeeded();
}

#[test]
fn what_a_key_may_not_do_its_tools_refuse() {
    let home = Home::with_one_event();
    let keys = "read:reader-key,ingest+read:writer-key,admin:admin-key,ingest:recorder-key";
    let server = home.serve_with(&[("MEMOIR_SERVER_KEYS", keys)]);
    let keep = json!({"text": "the walrus is fed at noon", "scope": "user"});
    assert_eq!(ask(&server, None, "tools/list", json!({})).status, 401);
    assert_eq!(ask(&server, Some("nonsense"), "tools/list", json!({})).status, 401);
    assert_eq!(ask(&server, Some("recorder-key"), "tools/list", json!({})).status, 403);
    assert_ne!(call(&server, Some("reader-key"), "search", json!({"query": "kept"}))["isError"], true);
    let refused = call(&server, Some("reader-key"), "remember", keep.clone());
    assert!(refused["isError"] == true && text_of(&refused).contains("`ingest`"), "{refused}");
    assert_ne!(call(&server, Some("writer-key"), "remember", keep)["isError"], true);
    let refused = call(&server, Some("writer-key"), "forget", json!({"text": "kept"}));
    assert!(refused["isError"] == true && text_of(&refused).contains("`admin`"), "{refused}");
    assert_ne!(call(&server, Some("admin-key"), "forget", json!({"text": "kept"}))["isError"], true);
    server.stop().succeeded();
}

#[test]
fn what_is_no_message_gets_an_error_in_json_and_the_server_goes_on() {
    let home = Home::new();
    let server = home.serve();
    for body in [
        json!([]),
        json!(5),
        json!({"jsonrpc": "2.0"}),
        json!("x"),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
    ] {
        let answer = http::post(&server, "/mcp", None, &body);
        assert!(answer.status >= 400 && answer.body.is_object(), "{body}: {} {}", answer.status, answer.body);
    }
    let get = http::get(&server, "/mcp", None);
    assert_eq!((get.status, &get.body["code"]), (405, &json!("METHOD_NOT_ALLOWED")));
    let probe = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}});
    assert!(ask(&server, None, "server/discover", probe).body["error"].is_object());
    assert_eq!(ask(&server, None, "server/no_such", json!({})).body["error"]["code"], -32601);
    assert_eq!(ask(&server, None, "ping", json!({})).status, 200);
    server.stop().succeeded();
}
