//! The clients' own programs as the model that tells archives.

use crate::desk::{Desk, Home};
use crate::for_each_client;
use memoir_testkit::model::text;
use memoir_testkit::{Client, Model, Seen, World};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

const ASKED: &str = "The login test is flaky, find out why.";
const DECIDED: &str = "We decided to poll the port because sleeping is slow.";
const TOLD: &str = r#"{"section":"decided","text":"Polling the port won over sleeping.","from":["e2"]}"#;

for_each_client! {
    codex_tells_an_archive_and_can_do_nothing_else: Codex,
    claude_tells_an_archive_and_can_do_nothing_else: Claude,
    gemini_tells_an_archive_and_can_do_nothing_else: Gemini,
    => it_tells_an_archive
}

fn it_tells_an_archive(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let telling = if client == Client::Codex { text(TOLD) } else { text(TOLD).for_side().always() };
    let model = Model::start(vec![text(DECIDED), telling]);
    desk.run(client, &model).prompt(ASKED).run().ok();
    let before = model.requests().len();
    let started = give_it_a_server(&desk, client);

    let mut commit = desk.command(Home::Usual, &["commit", "--all"]);
    desk.world.dress_for(client, &model, &mut commit);
    if client == Client::Codex {
        let path = desk.world.settings(client);
        let settings = fs::read_to_string(&path).unwrap().replace("http://127.0.0.1:9", &model.url());
        fs::write(&path, settings).unwrap();
    }
    let program = World::program(client);
    let path =
        std::env::join_paths(program.parent().map(PathBuf::from).into_iter().chain(["/usr/bin".into(), "/bin".into()]));
    commit.env("MEMOIR_MODEL_KIND", client.name()).env("MEMOIR_MODEL_ARCHIVES", "yes").env("PATH", path.unwrap());
    commit.env("MEMOIR_MODEL_TIMEOUT_MS", "60000").env_remove("GEMINI_CLI_TRUST_WORKSPACE");
    let output = commit.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 archive told by"), "{said}");

    let asked: Vec<Seen> = model
        .requests()
        .split_off(before)
        .into_iter()
        .filter(|seen| seen.body.to_string().contains("poll the port"))
        .collect();
    assert!(!asked.is_empty());
    for seen in &asked {
        let tools = tools_of(&seen.body);
        assert!(tools.iter().all(|name| ["apply_patch", "request_user_input"].contains(&name.as_str())), "{tools:?}");
    }
    assert!(!started.exists(), "the user's MCP server was started");
    // What it was asked is not the user's work.
    desk.import(Home::Usual);
    let prompts: Vec<Value> =
        desk.events(Home::Usual).into_iter().filter(|event| event["kind"] == "user_message").collect();
    assert!(prompts.len() == 1 && prompts[0].to_string().contains(ASKED), "{prompts:?}");
}

/// Settings with an MCP server that leaves a file when it is started.
fn give_it_a_server(desk: &Desk, client: Client) -> PathBuf {
    let started = desk.world.root().join("server-started");
    let script = format!("touch {}; cat", started.display());
    let path = desk.world.settings(client);
    let settings = fs::read_to_string(&path).unwrap();
    let server = serde_json::json!({"command": "/bin/sh", "args": ["-c", script]});
    let settings = if client == Client::Codex {
        format!("{settings}\n[mcp_servers.mine]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"{script}\"]\n")
    } else {
        let mut settings: Value = serde_json::from_str(&settings).unwrap();
        settings["mcpServers"]["mine"] = server;
        settings.to_string()
    };
    fs::write(&path, settings).unwrap();
    started
}

fn tools_of(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().into_iter().flatten();
    let named = tools.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(functions) => functions.clone(),
        None => vec![tool.clone()],
    });
    named.map(|tool| tool["name"].as_str().or(tool["type"].as_str()).unwrap_or("?").to_owned()).collect()
}
