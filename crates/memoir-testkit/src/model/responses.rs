//! OpenAI Responses: what Codex offers, and how an answer looks in the stream.

use serde_json::{Value, json};

use super::new_id;
use super::reply::{Offered, Spoken, Usage};

/// The tools of a request, those hidden in an `additional_tools` item included.
pub(super) fn offered(body: &Value) -> Vec<Offered> {
    let mut offered = Vec::new();
    add(&body["tools"], None, &mut offered);
    for item in body["input"].as_array().into_iter().flatten() {
        if item["type"] == "additional_tools" {
            add(&item["tools"], None, &mut offered);
        }
    }
    offered
}

fn add(tools: &Value, namespace: Option<&str>, offered: &mut Vec<Offered>) {
    for tool in tools.as_array().into_iter().flatten() {
        let name = tool["name"].as_str().or(tool["type"].as_str()).unwrap_or_default();
        if tool["type"] == "namespace" {
            // Functions of the name "functions" are called without a namespace.
            add(&tool["tools"], Some(name).filter(|name| *name != "functions"), offered);
        } else {
            offered.push(Offered { name: name.into(), namespace: namespace.map(str::to_owned) });
        }
    }
}

/// Whether the request wants the server to compact, which is answered by something only the server could read.
pub(super) fn wants_compaction_item(body: &Value) -> bool {
    body["input"].as_array().and_then(|items| items.last()).is_some_and(|item| item["type"] == "compaction_trigger")
}

/// The events of an answer, the last of which has the whole of it.
pub(super) fn events(said: &[Spoken], usage: Usage, body: &Value) -> Vec<Value> {
    let items: Vec<Value> = match wants_compaction_item(body) {
        true => vec![json!({"type": "compaction", "id": new_id("cmp_"), "encrypted_content": "c3VtbWFyeQ=="})],
        false => said.iter().map(item).collect(),
    };
    let mut response = json!({
        "id": new_id("resp_"), "object": "response", "created_at": 0, "model": body["model"],
        "status": "in_progress", "output": [],
    });
    let mut events = vec![json!({"type": "response.created", "response": response})];
    for (index, item) in items.iter().enumerate() {
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        events.push(json!({"type": "response.output_item.added", "output_index": index, "item": begun}));
        for mut delta in deltas(item) {
            delta["output_index"] = json!(index);
            delta["item_id"] = item["id"].clone();
            events.push(delta);
        }
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
    }
    response["status"] = json!("completed");
    response["output"] = json!(items);
    response["usage"] = json!({
        "input_tokens": usage.input, "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input + usage.output,
    });
    events.push(json!({"type": "response.completed", "response": response}));
    events
}

fn item(part: &Spoken) -> Value {
    match part {
        Spoken::Reasoning(text) => json!({
            "type": "reasoning", "id": new_id("rs_"), "encrypted_content": "dGhvdWdodA==",
            "summary": [{"type": "summary_text", "text": text}],
        }),
        Spoken::Text(text) => json!({
            "type": "message", "id": new_id("msg_"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Spoken::Call { id, name, namespace, args } => {
            let (namespace, name) = match (namespace, deferred(name)) {
                (None, Some((server, tool))) => (Some(server), tool),
                _ => (namespace.as_deref(), name.as_str()),
            };
            let mut item = json!({
                "type": "function_call", "id": new_id("fc_"), "call_id": id, "name": name,
                "arguments": args.to_string(), "status": "completed",
            });
            if let Some(namespace) = namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
        Spoken::Custom { id, name, input } => json!({
            "type": "custom_tool_call", "id": new_id("ctc_"), "call_id": id, "name": name, "input": input,
            "status": "completed",
        }),
    }
}

/// The namespace and name of a tool of an MCP server: Codex offers those only to whoever searches for them.
fn deferred(name: &str) -> Option<(&str, &str)> {
    let at = name.strip_prefix("mcp__")?.find("__")? + "mcp__".len();
    Some((name.get(..at)?, name.get(at + 2..)?))
}

fn deltas(item: &Value) -> Vec<Value> {
    match item["type"].as_str().unwrap_or_default() {
        "reasoning" => {
            let text = &item["summary"][0]["text"];
            let part = json!({"type": "summary_text", "text": ""});
            vec![
                json!({"type": "response.reasoning_summary_part.added", "summary_index": 0, "part": part}),
                json!({"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": text}),
                json!({"type": "response.reasoning_summary_text.done", "summary_index": 0, "text": text}),
            ]
        }
        "message" => super::halves(item["content"][0]["text"].as_str().unwrap_or_default())
            .map(|half| json!({"type": "response.output_text.delta", "content_index": 0, "delta": half}))
            .collect(),
        "function_call" => {
            vec![json!({"type": "response.function_call_arguments.delta", "delta": item["arguments"]})]
        }
        "custom_tool_call" => vec![json!({"type": "response.custom_tool_call_input.delta", "delta": item["input"]})],
        _ => Vec::new(),
    }
}

/// An answer in one piece.
pub(super) fn whole(said: &[Spoken], usage: Usage, body: &Value) -> Value {
    events(said, usage, body).pop().map(|mut event| event["response"].take()).unwrap_or_default()
}
