//! The clients' settings in a new world: no question is asked and nobody outside is called.

use std::fs;

use serde_json::{Value, json};

use super::World;
use crate::Client;

/// The key that the clients are given; Claude wants to know its end beforehand.
pub(super) const KEY: &str = "scripted-key";

/// Writes the settings of all clients.
pub(super) fn write(world: &World) {
    let project = world.project();
    let project = project.to_str().expect("a temporary directory with a plain name");
    put(world, Client::Codex, &codex(project));
    put(world, Client::Claude, "{}\n");
    put(world, Client::Gemini, &format!("{:#}\n", gemini()));
    let onboarding = json!({
        "hasCompletedOnboarding": true,
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {project: {"hasTrustDialogAccepted": true}},
    });
    fs::write(world.home().join(".claude.json"), onboarding.to_string()).expect("settings in a new world");
    let trusted = json!({project: "TRUST_FOLDER"});
    fs::write(world.home().join(".gemini/trustedFolders.json"), trusted.to_string()).expect("settings in a new world");
}

fn put(world: &World, client: Client, text: &str) {
    let path = world.settings(client);
    fs::create_dir_all(path.parent().expect("settings lie in a folder")).expect("a folder in a new world");
    fs::write(path, text).expect("settings in a new world");
}

/// The address of the model comes with each run, so that the file can stay as a test left it.
fn codex(project: &str) -> String {
    format!(
        r#"model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[analytics]
enabled = false

[feedback]
enabled = false

[otel]
exporter = "none"
metrics_exporter = "none"
trace_exporter = "none"

[features]
plugins = false
apps = false

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects.{}]
trust_level = "trusted"

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:9/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
"#,
        json!(project)
    )
}

fn gemini() -> Value {
    json!({
        // Else it deletes, whenever it starts, all files of a session that has one without a conversation.
        "general": {
            "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "sessionRetention": {"enabled": false},
        },
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
    })
}

/// The variables that lead a client to the model.
pub(super) fn environment(client: Client, url: &str) -> Vec<(&'static str, String)> {
    match client {
        Client::Codex => vec![("SCRIPTED_KEY", KEY.into())],
        Client::Claude => vec![
            ("ANTHROPIC_BASE_URL", url.into()),
            ("ANTHROPIC_API_KEY", KEY.into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
            ("DISABLE_ERROR_REPORTING", "1".into()),
        ],
        Client::Gemini => vec![
            ("GOOGLE_GEMINI_BASE_URL", url.into()),
            ("GEMINI_API_KEY", KEY.into()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".into()),
        ],
    }
}
