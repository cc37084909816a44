//! Google Gemini: what the CLI offers, and how an answer looks in the stream.

use serde_json::{Value, json};

use super::reply::{Offered, Spoken, Usage};
use super::seen::gemini_tools;
use super::{halves, new_id};

/// The tools of a request.
pub(super) fn offered(body: &Value) -> Vec<Offered> {
    gemini_tools(body).into_iter().map(|name| Offered { name: name.into(), namespace: None }).collect()
}

/// An answer in one piece.
pub(super) fn whole(said: &[Spoken], usage: Usage, path: &str) -> Value {
    answer(&said.iter().map(part).collect::<Vec<_>>(), Some(usage), &new_id("resp_"), path)
}

/// The events of an answer: texts in two chunks, everything else in one; only the last has the token counts.
pub(super) fn events(said: &[Spoken], usage: Usage, path: &str) -> Vec<Value> {
    let id = new_id("resp_");
    let mut chunks: Vec<Value> = Vec::new();
    for spoken in said {
        match spoken {
            Spoken::Text(text) => chunks.extend(halves(text).map(|half| json!({"text": half}))),
            other => chunks.push(part(other)),
        }
    }
    let last = chunks.pop().unwrap_or_else(|| json!({"text": ""}));
    let mut events: Vec<Value> = chunks.into_iter().map(|chunk| answer(&[chunk], None, &id, path)).collect();
    events.push(answer(&[last], Some(usage), &id, path));
    events
}

fn part(spoken: &Spoken) -> Value {
    // As the service does it, calls have no id: the client makes one.
    let call = |name: &str, args: &Value| json!({"functionCall": {"name": name, "args": args}, "thoughtSignature": "c2lnbmVk"});
    match spoken {
        Spoken::Reasoning(text) => json!({"text": text, "thought": true}),
        Spoken::Text(text) => json!({"text": text}),
        Spoken::Call { name, args, .. } => call(name, args),
        Spoken::Custom { name, input, .. } => call(name, &json!({"input": input})),
    }
}

fn answer(parts: &[Value], end: Option<Usage>, id: &str, path: &str) -> Value {
    let model = path.rsplit('/').next().and_then(|last| last.split(':').next()).unwrap_or_default();
    let mut answer = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": model, "responseId": id,
    });
    if let Some(usage) = end {
        answer["candidates"][0]["finishReason"] = json!("STOP");
        answer["usageMetadata"] = json!({
            "promptTokenCount": usage.input, "candidatesTokenCount": usage.output,
            "cachedContentTokenCount": usage.cached, "totalTokenCount": usage.input + usage.output,
        });
    }
    answer
}
