//! memoir's tools in the hands of the real clients' models.

use crate::desk::{Desk, Home};
use crate::for_each_client;
use memoir_testkit::model::{text, tool};
use memoir_testkit::{Client, Model, Reply};
use serde_json::json;

for_each_client! {
    codex_its_model_recalls_and_remembers_over_mcp: Codex,
    claude_its_model_recalls_and_remembers_over_mcp: Claude,
    gemini_its_model_recalls_and_remembers_over_mcp: Gemini,
    => its_model_recalls_and_remembers
}

/// What a tool is called in the client.
fn name(client: Client, tool: &str) -> String {
    match client {
        Client::Codex | Client::Claude => format!("mcp__memoir__{tool}"),
        Client::Gemini => format!("mcp_memoir_{tool}"),
    }
}

/// A call of one of memoir's tools.
fn call(client: Client, name_of_tool: &str, arguments: serde_json::Value) -> Reply {
    tool(name(client, name_of_tool), arguments)
}

fn its_model_recalls_and_remembers(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    desk.memoir(Home::Usual, &["remember", "the walrus cache is flushed by ./flush --all", "--user"]);
    let model = Model::start(vec![
        call(client, "recall", json!({"query": "how is the walrus cache flushed?"})),
        call(client, "remember", json!({"text": "the walrus cache lives in /var/walrus", "kind": "fact"})),
        call(client, "status", json!({})),
        text("Done."),
    ]);
    let allowed = ["recall", "remember", "status"].map(|tool| format!("mcp__memoir__{tool}"));
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    desk.run(client, &model).allow(&allowed).prompt("look it up").run().ok();
    assert_eq!(model.replies_left(), 0);
    let heard: String = model.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(heard.contains("./flush --all"), "what was recalled did not reach the model");
    assert!(heard.contains("memoir-context"), "it has no boundary");
    let memories = desk.json(Home::Usual, &["memories", "--json"]);
    let kept = memories.iter().find(|memory| memory["text"] == "the walrus cache lives in /var/walrus").unwrap();
    assert!(kept["made_by"].as_str().unwrap().contains(client.name()), "{kept}");
    assert!(!kept["project"].as_str().unwrap().is_empty(), "{kept}");
    // What was recalled is not recorded once more, by hook or from the session file.
    desk.import(Home::Usual);
    let events = desk.events(Home::Usual);
    let again: Vec<_> =
        events.iter().filter(|event| event["kind"] != "memory" && event.to_string().contains("./flush")).collect();
    assert!(again.is_empty(), "{again:?}");
    // `status` tells which session it takes the caller to be in; Gemini does not say.
    let session = events.iter().find(|event| event["kind"] == "user_message").unwrap()["sessionId"].as_str().unwrap();
    let shown = format!("{}-{session}", if client == Client::Codex { "cx" } else { "cc" });
    assert!(client == Client::Gemini || heard.contains(&shown), "it does not know that it is in {shown}");
}
