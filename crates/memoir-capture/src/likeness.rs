//! By what captures are compared where a way of capture tells no id: what was called, with what, and what came of it.
//!
//! Ways of capture spell the same thing differently. What is compared is what all of them tell.

use crate::masked::masked;
use crate::shell;
use memoir_event::{Identity, Said};
use serde_json::Value;

/// The longest text by which things are compared.
const CHARS_MAX: usize = 2000;

/// By what the outcome of a tool call is found where neither an id nor its text is told; `call` is the call's likeness.
pub(crate) fn result_of(call: &str) -> Identity {
    Identity::Alike(Said::Own(format!("result of\n{call}")))
}

/// By what a tool call is compared with one that has no id.
pub(crate) fn likeness_of_call(name: &str, arguments: &str) -> String {
    if let Some(script) = shell::script_of_call(name, arguments) {
        return shell::likeness(&script);
    }
    let value: Value = serde_json::from_str(arguments).unwrap_or_default();
    if name == "update_plan" {
        return cut(&format!("plan\n{}", steps(&value)));
    }
    match team_tool(name, &value) {
        Some(tool) => cut(&format!("team\n{tool}\n{}", message_of(&value))),
        None => cut(&format!("{name}\n{}", sorted(&value))),
    }
}

/// What has to be kept of a call's arguments to find what came of it by them: none if an id tells that in every way of
/// capture.
pub(crate) fn arguments_to_keep(name: &str, arguments: &str) -> Option<String> {
    if let Some(script) = shell::script_of_call(name, arguments) {
        return Some(shell::arguments_of(&script));
    }
    let value: Value = serde_json::from_str(arguments).ok()?;
    team_tool(name, &value)?;
    Some(serde_json::json!({"message": cut(&message_of(&value)), "ids": []}).to_string())
}

/// The tool of a team of agents that is called, as the stream spells it. Files, hooks and streams put the team's name
/// before it in their own ways, or leave it out.
fn team_tool(name: &str, arguments: &Value) -> Option<&'static str> {
    const TOOLS: [(&str, &str); 5] = [
        ("spawnagent", "spawn_agent"),
        ("sendinput", "send_input"),
        ("resumeagent", "resume_agent"),
        ("closeagent", "close_agent"),
        ("waitagent", "wait"),
    ];
    let name: String = name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
    let is_of_team = name.starts_with("multiagent") || name.starts_with("collab");
    let is_tool = |tool: &str| if is_of_team { name.ends_with(tool) } else { name == tool };
    if is_of_team && name.ends_with("wait") || name == "wait" && arguments.get("ids").is_some() {
        return Some("wait");
    }
    TOOLS.iter().find(|(ending, _)| is_tool(ending)).map(|(_, tool)| *tool)
}

/// What an agent of a team is told.
fn message_of(arguments: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let items = || {
        let texts: Vec<String> =
            arguments.get("items")?.as_array()?.iter().filter_map(|item| text(&item["text"])).collect();
        Some(texts.join("\n"))
    };
    let told = arguments.get("message").and_then(text).or_else(items).unwrap_or_default();
    told.trim().to_owned()
}

/// The steps of a plan, and which of them are done.
fn steps(arguments: &Value) -> String {
    let step = |step: &Value| {
        let is_done = step["status"] == "completed";
        format!("{}{}\n", if is_done { "+" } else { "-" }, step["step"].as_str().unwrap_or_default().trim())
    };
    arguments["plan"].as_array().map(|plan| plan.iter().map(step).collect()).unwrap_or_default()
}

/// By what changes of files are compared.
pub(crate) fn likeness_of_files(mut paths: Vec<String>) -> String {
    paths.sort_unstable();
    cut(&format!("files\n{}", paths.join("\n")))
}

/// By what a labelled text is compared.
pub(crate) fn likeness_of_text(label: &str, text: &str) -> String {
    cut(&format!("{label}\n{text}"))
}

/// By what the cost of a model response is compared.
pub(crate) fn likeness_of_usage(input: Option<u64>, cached: Option<u64>, output: Option<u64>) -> String {
    format!("usage\n{} {} {}", input.unwrap_or(0), cached.unwrap_or(0), output.unwrap_or(0))
}

fn cut(text: &str) -> String {
    masked(text).chars().take(CHARS_MAX).collect()
}

/// JSON with the names of every object in order: writers differ in it.
fn sorted(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.iter().collect();
            names.sort_unstable_by_key(|(name, _)| name.as_str());
            let parts: Vec<String> = names.iter().map(|(name, value)| format!("{name}:{}", sorted(value))).collect();
            format!("{{{}}}", parts.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(sorted).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}
