//! What an event tells, as far as an overview cares: what was asked, said, run, changed, or failed.

use memoir_event::{Event, Kind};
use serde_json::Value;

/// What an event tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    /// The user said it.
    Asked(String),
    /// The agent said it.
    Said(String),
    /// A command, and how it ended.
    Ran(Ran),
    /// Files that were changed.
    Changed(Vec<String>),
    /// Something failed.
    Failed(String),
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub command: String,
    pub ended: Ended,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Well,
    /// With that exit code, if it is known.
    Badly(Option<i64>),
    Unknown,
}

impl Told {
    /// What that event tells, if it is of a kind that matters.
    pub fn of(event: &Event) -> Option<Told> {
        match event.kind() {
            Kind::UserMessage => Some(Told::Asked(words(event)?)),
            Kind::AssistantMessage => Some(Told::Said(words(event)?)),
            Kind::Error => Some(Told::Failed(words(event)?)),
            Kind::Command => ran(event).map(Told::Ran),
            Kind::FileChange => changed(event).map(Told::Changed),
            _ => None,
        }
    }
}

fn words(event: &Event) -> Option<String> {
    let text = event.content.plain();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn ran(event: &Event) -> Option<Ran> {
    let item = item(event);
    let command = match item.get("command") {
        Some(Value::String(command)) => command.clone(),
        _ => words(event)?,
    };
    let about = event.metadata.as_ref().map(|metadata| metadata.to_value()).unwrap_or_default();
    let code = [&item, &about].into_iter().find_map(|value| value.get("exit_code").and_then(Value::as_i64));
    let status = item.get("status").or_else(|| about.get("status")).and_then(Value::as_str);
    let ended = match (code, status) {
        (Some(0), _) => Ended::Well,
        (Some(code), _) => Ended::Badly(Some(code)),
        (None, Some("completed" | "success" | "ok" | "succeeded")) => Ended::Well,
        (None, Some("failed" | "error" | "failure")) => Ended::Badly(None),
        _ if about.get("is_error") == Some(&Value::Bool(true)) => Ended::Badly(None),
        _ => Ended::Unknown,
    };
    Some(Ran { command: command.trim().to_owned(), ended })
}

fn changed(event: &Event) -> Option<Vec<String>> {
    let item = item(event);
    let path = |change: &Value| Some(change.get("path")?.as_str()?.to_owned());
    let mut paths: Vec<String> = match (item.get("changes"), item.get("path")) {
        (Some(Value::Array(changes)), _) => changes.iter().filter_map(path).collect(),
        (_, Some(Value::String(path))) => vec![path.clone()],
        _ => words(event)?.lines().take(1).map(str::to_owned).collect(),
    };
    paths.dedup();
    (!paths.is_empty()).then_some(paths)
}

/// What a payload holds, wherever the way of capture put it.
fn item(event: &Event) -> Value {
    let mut value: Value = serde_json::from_str(event.content.verbatim()).unwrap_or_default();
    match value.get_mut("item") {
        Some(item) => item.take(),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Content, Json, Source};

    fn event(kind: Kind, json: &str) -> Event {
        Event::new(Source::Recorder, "s", kind, Content::Payload(Json::parse(json.to_owned()).unwrap()))
    }

    #[test]
    fn a_command_tells_how_it_ended() {
        let ended = |json: &str| match Told::of(&event(Kind::Command, json)) {
            Some(Told::Ran(ran)) => ran.ended,
            other => panic!("{other:?}"),
        };
        assert_eq!(ended(r#"{"item":{"type":"command_execution","command":"ls","exit_code":0}}"#), Ended::Well);
        assert_eq!(ended(r#"{"item":{"command":"ls","exit_code":2,"status":"failed"}}"#), Ended::Badly(Some(2)));
        assert_eq!(ended(r#"{"item":{"command":"ls","status":"completed"}}"#), Ended::Well);
        assert_eq!(ended(r#"{"command":"ls"}"#), Ended::Unknown);
    }

    #[test]
    fn a_change_tells_its_paths_and_a_text_is_its_own_path() {
        let json =
            r#"{"item":{"type":"file_change","changes":[{"path":"a.rs","kind":"add"},{"path":"b.rs"},{"x":1}]}}"#;
        assert_eq!(
            Told::of(&event(Kind::FileChange, json)),
            Some(Told::Changed(vec!["a.rs".to_owned(), "b.rs".to_owned()]))
        );
        let text = Event::new(Source::Recorder, "s", Kind::FileChange, Content::Text("src/x.rs\nmore".to_owned()));
        assert_eq!(Told::of(&text), Some(Told::Changed(vec!["src/x.rs".to_owned()])));
    }

    #[test]
    fn whatever_a_payload_holds_nothing_breaks() {
        for json in ["null", "[]", "7", r#""x""#, r#"{"item":null}"#, r#"{"item":{"changes":7}}"#, r#"{"command":[1]}"#]
        {
            for kind in [Kind::Command, Kind::FileChange, Kind::UserMessage, Kind::Error] {
                let _ = Told::of(&event(kind, json));
            }
        }
    }
}
