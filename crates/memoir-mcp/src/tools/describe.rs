//! What a model is told: one or two sentences for each tool, and what it takes.

use super::{Access, Tool};
use memoir_event::MemoryKind;
use rmcp::model::{Tool as Described, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

impl Tool {
    /// The tool as clients list it.
    pub(crate) fn described(self) -> Described {
        let access = self.access();
        let hints = ToolAnnotations::new()
            .read_only(access == Access::Read)
            .destructive(access == Access::Forget)
            .idempotent(access == Access::Read)
            .open_world(false);
        Described::new(self.name(), self.description(), Arc::new(self.schema())).annotate(hints)
    }

    pub(crate) const fn description(self) -> &'static str {
        match self {
            Tool::Recall => {
                "What helps from earlier sessions and from memories, best first, each with its session and id. Use it before you start on a task, when the user refers to something from before, and when something fails that may have failed before. An empty answer means that nothing helps."
            }
            Tool::Search => {
                "Finds events by their exact words (commands, paths, errors, outputs too), with snippets. Use it for something literal; for a question use recall. \"quoted words\" must stand together, -word must not be there."
            }
            Tool::Read => {
                "Reads one thing in full by its id, page by page: an event or memory (24 hex characters), a session (cx-…, cc-…, gm-…), an archive (SESSION/archive_001), or a turn."
            }
            Tool::Timeline => {
                "What happened, by time, newest first: in a session, a project, a span of time. Use it for what was done last or on a day."
            }
            Tool::Remember => {
                "Keeps one statement that will be worth knowing in later sessions: a decision and its reason, a preference of the user, how something is done here, what fixed an error. Only what is settled, one thing at a time, never secrets. Said again it counts the more; a newer one about the same thing replaces the older."
            }
            Tool::Forget => {
                "Makes memoir never show something again: by ids, a session, or whatever says a text. Only when the user asks for it. The first call changes nothing: it shows what would go and a confirm code; show that to the user, then call again with the code."
            }
            Tool::Commit => {
                "Seals what a session has so far into an archive, so that its overview is there for later sessions at once. memoir does this by itself when a session ends; use it only when the user asks, or before a hand-over."
            }
            Tool::Status => "What memoir has recorded, and which session and project it takes you to be in.",
        }
    }

    fn schema(self) -> Map<String, Value> {
        let (fields, needed): (Value, &[&str]) = match self {
            Tool::Recall => (
                json!({
                    "query": text("What it is about, in plain words"),
                    "project": text(PROJECT),
                    "session": text("Only from this session"),
                    "since": text(SINCE),
                    "until": text("Only up to this time"),
                    "files": list("Files you are at: sessions that changed them count more"),
                    "limit": number("At most so many, 8 if you do not say", 1, 50),
                    "budget": number("At most about so many tokens, 1200 if you do not say", 50, 10_000),
                }),
                &["query"],
            ),
            Tool::Search => (
                json!({
                    "query": text("The words"),
                    "project": text(PROJECT),
                    "session": text("Only in this session"),
                    "since": text(SINCE),
                    "until": text("Only up to this time"),
                    "type": text(TYPE),
                    "limit": number("At most so many, 10 if you do not say", 1, 50),
                    "cursor": text(CURSOR),
                }),
                &["query"],
            ),
            Tool::Read => (
                json!({
                    "id": text("What to read"),
                    "cursor": text(CURSOR),
                }),
                &["id"],
            ),
            Tool::Timeline => (
                json!({
                    "session": text("Only of this session"),
                    "project": text(PROJECT),
                    "since": text(SINCE),
                    "until": text("Only up to this time"),
                    "type": text(TYPE),
                    "oldest_first": {"type": "boolean", "description": "From the beginning on"},
                    "limit": number("At most so many, 20 if you do not say", 1, 100),
                    "cursor": text(CURSOR),
                }),
                &[],
            ),
            Tool::Remember => (
                json!({
                    "text": text("One or two sentences that can be understood on their own"),
                    "kind": {"type": "string", "enum": kinds(), "description": "fact if you do not say"},
                    "scope": {"type": "string", "enum": ["project", "user", "session"],
                        "description": "Where it holds: in this project, wherever the user works, or in this session only; what is about the user (`I work at …`) holds wherever they work if you do not say"},
                    "project": text("The project it holds in, if it is not the one you are in"),
                    "name": text("What it is about, in a few words; a memory of that name is replaced"),
                    "supersedes": list("Ids of memories whose place it takes"),
                    "sources": list("Ids of events it is made of: it goes with the last of them"),
                }),
                &["text"],
            ),
            Tool::Forget => (
                json!({
                    "ids": list("Events, turns or memories"),
                    "session": text("A whole session"),
                    "text": text("Whatever says this"),
                    "reason": text("Why"),
                    "confirm": text("The code that the first call showed"),
                }),
                &[],
            ),
            Tool::Commit => (json!({"session": text("The session; yours, if you do not say")}), &[]),
            Tool::Status => (json!({}), &[]),
        };
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), fields);
        if !needed.is_empty() {
            schema.insert("required".to_owned(), json!(needed));
        }
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }
}

const PROJECT: &str = "Only from this project; . is the one you are in";
const SINCE: &str = "Only from this time on: 2026-01-31T12:00:00Z, 2026-01-31, or 12h, 7d, 2w ago";
const TYPE: &str =
    "Only of this kind: user_message, assistant_message, command, tool_result, file_change, error, memory …";
const CURSOR: &str = "Where the last answer says that it goes on";

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn list(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn number(description: &str, least: u64, most: u64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most, "description": description})
}

fn kinds() -> Vec<&'static str> {
    MemoryKind::ALL.iter().map(|kind| kind.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_in_a_few_words_and_says_what_it_needs() {
        let mut bytes = 0;
        for tool in Tool::ALL {
            let described = tool.described();
            bytes += serde_json::to_string(&described).unwrap().len();
            assert!(tool.description().len() <= 400, "{}", tool.name());
            let properties = described.input_schema["properties"].as_object().unwrap();
            let needed = described.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            assert!(needed.iter().all(|name| properties.contains_key(name.as_str().unwrap())), "{}", tool.name());
            assert_eq!(Tool::named(tool.name()), Some(tool));
        }
        assert!(bytes < 9_000, "{bytes} bytes for every session of every client");
    }
}
