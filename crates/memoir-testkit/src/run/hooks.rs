//! Hook settings for the clients, so that tests need no installer.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::World;
use crate::Client;

/// Adds a hook for each event to the client's settings.
pub(super) fn write(world: &World, client: Client, command: &str, events: &[&str]) {
    let path = match client {
        Client::Codex => world.home().join(".codex/hooks.json"),
        Client::Claude | Client::Gemini => world.settings(client),
    };
    let mut settings = read(&path);
    for event in events {
        let groups = settings.entry("hooks").or_insert_with(|| json!({}));
        let groups = groups.as_object_mut().expect("hooks are an object").entry(*event).or_insert_with(|| json!([]));
        let groups = groups.as_array_mut().expect("an event has a list of groups");
        groups.push(json!({"hooks": [{"type": "command", "command": command}]}));
        if client == Client::Codex {
            trust(world, &path, event, groups.len() - 1, command);
        }
    }
    fs::write(&path, format!("{:#}\n", Value::Object(settings))).expect("settings can be written");
}

fn read(path: &Path) -> Map<String, Value> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).expect("settings are a JSON object"),
        Err(_) => Map::new(),
    }
}

/// Writes what Codex itself writes when its user trusts a hook.
fn trust(world: &World, path: &Path, event: &str, group: usize, command: &str) {
    let label = snake_case(event);
    let hash = trusted_hash(event, command);
    let place = format!("{}:{label}:{group}:0", path.display());
    let entry = format!("\n[hooks.state.{}]\ntrusted_hash = \"sha256:{hash}\"\n", json!(place));
    let config = OpenOptions::new().append(true).open(world.settings(Client::Codex));
    config.and_then(|mut config| config.write_all(entry.as_bytes())).expect("trust can be written");
}

/// The hash over one handler with its defaults, in compact JSON with sorted keys.
fn trusted_hash(event: &str, command: &str) -> String {
    let timeout = match event {
        "SessionEnd" | "Interrupt" => 1,
        _ => 600,
    };
    let (label, command) = (json!(snake_case(event)), json!(command));
    let handler = format!(r#"{{"async":false,"command":{command},"timeout":{timeout},"type":"command"}}"#);
    let hash = Sha256::digest(format!(r#"{{"event_name":{label},"hooks":[{handler}]}}"#));
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn snake_case(event: &str) -> String {
    let mut label = String::new();
    for (at, letter) in event.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            label.push('_');
        }
        label.push(letter.to_ascii_lowercase());
    }
    label
}
