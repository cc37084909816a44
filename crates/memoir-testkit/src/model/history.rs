//! The conversation that a request carries, without what the client put in itself.

use serde_json::Value;

use super::seen::Seen;
use crate::Client;

/// One thing that was said or done, as a request repeats it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// A person's words (in a sub-agent: the task), with the item's id where the client has one.
    User { id: Option<String>, text: String },
    /// The model's words.
    Assistant(String),
    /// A call of a tool.
    Call { id: String, name: String, args: Value },
    /// What a tool gave back.
    Result { id: String, text: String },
}

/// Starts of texts in the user's role that no user wrote; an opening tag in lower case counts as well.
const NOT_THE_USER: [&str; 10] = [
    "# AGENTS.md instructions",
    "Another language model started to solve this problem",
    "Warning: The maximum number of unified exec processes",
    "Warning: apply_patch was requested via",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
    "Stop hook feedback:",
    "CRITICAL: Respond with TEXT ONLY",
    "You are performing a CONTEXT CHECKPOINT COMPACTION",
    "You have stopped calling tools without finishing",
];

/// The entries of a request, oldest first.
pub(super) fn entries(seen: &Seen) -> Vec<Entry> {
    let body = &seen.body;
    let mut entries = Vec::new();
    match seen.client {
        Some(Client::Codex) => items(&body["input"]).iter().for_each(|item| codex(item, &mut entries)),
        Some(Client::Claude) => items(&body["messages"]).iter().for_each(|message| claude(message, &mut entries)),
        Some(Client::Gemini) => items(&body["contents"]).iter().for_each(|content| gemini(content, &mut entries)),
        None => {}
    }
    entries
}

fn codex(item: &Value, entries: &mut Vec<Entry>) {
    let id = item["id"].as_str().map(str::to_owned);
    match (word(item, "type"), word(item, "role")) {
        ("message", "user") => {
            let texts = texts(&item["content"]);
            if texts.iter().all(|text| is_users(text)) && !texts.is_empty() {
                entries.push(user(id, &texts.concat()));
            }
        }
        ("message", "assistant") => entries.push(Entry::Assistant(texts(&item["content"]).concat())),
        // A spawned agent repeats its parent's conversation up to this line.
        ("message", "developer")
            if texts(&item["content"])
                .iter()
                .any(|text| text.starts_with("You are now a newly spawned child agent")) =>
        {
            entries.clear();
        }
        ("agent_message", _) if texts(&item["content"]).iter().any(|text| text.contains("Message Type: NEW_TASK")) => {
            let task = items(&item["content"]).iter().filter_map(|part| part["encrypted_content"].as_str());
            entries.push(Entry::User { id, text: task.collect() });
        }
        ("function_call" | "custom_tool_call", _) => {
            let args = item["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
            let args = args.unwrap_or_else(|| item["input"].clone());
            entries.push(Entry::Call { id: word(item, "call_id").into(), name: word(item, "name").into(), args });
        }
        ("function_call_output" | "custom_tool_call_output", _) => {
            entries.push(Entry::Result { id: word(item, "call_id").into(), text: texts(&item["output"]).concat() });
        }
        _ => {}
    }
}

fn claude(message: &Value, entries: &mut Vec<Entry>) {
    let whole = [Value::String(word(message, "content").into())];
    let blocks = message["content"].as_array().map_or(whole.as_slice(), Vec::as_slice);
    for block in blocks {
        let text = block["text"].as_str().or(block.as_str()).unwrap_or_default();
        match (word(block, "type"), word(message, "role")) {
            ("text" | "", "user") if is_users(text) => entries.push(user(None, text)),
            ("text" | "", "assistant") => entries.push(Entry::Assistant(text.into())),
            ("tool_use", _) => {
                let (id, name) = (word(block, "id").into(), word(block, "name").into());
                entries.push(Entry::Call { id, name, args: block["input"].clone() });
            }
            ("tool_result", _) => {
                let text = texts(&block["content"]).join("\n");
                entries.push(Entry::Result { id: word(block, "tool_use_id").into(), text });
            }
            _ => {}
        }
    }
}

fn gemini(content: &Value, entries: &mut Vec<Entry>) {
    let mut said = String::new();
    for part in items(&content["parts"]) {
        let (call, result) = (&part["functionCall"], &part["functionResponse"]);
        match part["text"].as_str() {
            Some(text) if word(content, "role") == "user" && is_users(text) => {
                entries.push(user(None, text));
            }
            Some(text) if word(content, "role") == "model" && part["thought"] != true => said.push_str(text),
            _ => {}
        }
        if call.is_object() {
            entries.extend(Some(std::mem::take(&mut said)).filter(|said| !said.is_empty()).map(Entry::Assistant));
            let (id, name) = (word(call, "id").into(), word(call, "name").into());
            entries.push(Entry::Call { id, name, args: call["args"].clone() });
        }
        if result.is_object() {
            let answer = &result["response"];
            let text = answer["output"].as_str().or(answer["error"].as_str());
            let text = text.map_or_else(|| answer.to_string(), str::to_owned);
            entries.push(Entry::Result { id: word(result, "id").into(), text });
        }
    }
    entries.extend(Some(said).filter(|said| !said.is_empty()).map(Entry::Assistant));
}

/// Clients add a line's end where they put texts together.
fn user(id: Option<String>, text: &str) -> Entry {
    Entry::User { id, text: text.trim_end().to_owned() }
}

/// Whether a text in the user's role is the user's.
fn is_users(text: &str) -> bool {
    let text = text.trim_start();
    let tagged = text.strip_prefix('<').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()));
    !text.is_empty() && !tagged && !NOT_THE_USER.iter().any(|start| text.starts_with(start))
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts of content that is one string or a list of parts.
fn texts(content: &Value) -> Vec<&str> {
    match content {
        Value::String(text) => vec![text],
        other => items(other).iter().filter_map(|part| part["text"].as_str()).collect(),
    }
}
