//! Anthropic Messages: what Claude Code offers, and how an answer looks in the stream.

use serde_json::{Value, json};

use super::new_id;
use super::reply::{Offered, Spoken, Usage};

/// The tools of a request.
pub(super) fn offered(body: &Value) -> Vec<Offered> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str()).map(|name| Offered { name: name.into(), namespace: None }).collect()
}

/// An answer in one piece.
pub(super) fn whole(said: &[Spoken], usage: Usage, body: &Value) -> Value {
    let content: Vec<Value> = said.iter().map(block).collect();
    let stop = match content.last() {
        Some(last) if last["type"] == "tool_use" => "tool_use",
        _ => "end_turn",
    };
    json!({
        "id": new_id("msg_"), "type": "message", "role": "assistant", "model": body["model"], "content": content,
        "stop_reason": stop, "stop_sequence": null,
        "usage": {
            "input_tokens": usage.input, "output_tokens": usage.output,
            "cache_read_input_tokens": usage.cached, "cache_creation_input_tokens": 0,
        },
    })
}

fn block(part: &Spoken) -> Value {
    match part {
        Spoken::Reasoning(text) => json!({"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}),
        Spoken::Text(text) => json!({"type": "text", "text": text}),
        Spoken::Call { id, name, args, .. } => json!({"type": "tool_use", "id": id, "name": name, "input": args}),
        Spoken::Custom { id, name, input } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": {"input": input}})
        }
    }
}

/// The events of an answer.
pub(super) fn events(said: &[Spoken], usage: Usage, body: &Value) -> Vec<Value> {
    let full = whole(said, usage, body);
    let mut start = full.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut events = vec![json!({"type": "message_start", "message": start}), json!({"type": "ping"})];
    for (index, block) in full["content"].as_array().into_iter().flatten().enumerate() {
        let (begun, deltas) = pieces(block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": begun}));
        events.extend(
            deltas.into_iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let end = json!({"stop_reason": full["stop_reason"], "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": full["usage"]}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A block as it begins, and what is added to it bit by bit.
fn pieces(block: &Value) -> (Value, Vec<Value>) {
    match block["type"].as_str().unwrap_or_default() {
        "text" => {
            let halves = super::halves(block["text"].as_str().unwrap_or_default());
            let deltas = halves.map(|half| json!({"type": "text_delta", "text": half})).collect();
            (json!({"type": "text", "text": ""}), deltas)
        }
        "thinking" => (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                json!({"type": "signature_delta", "signature": block["signature"]}),
            ],
        ),
        _ => (
            json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}),
            vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})],
        ),
    }
}
