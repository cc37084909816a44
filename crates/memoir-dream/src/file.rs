//! Memories in files: a JSON array, or one JSON object to a line, in memoir's own form or one that others write.

use crate::remember::{Given, Way};
use memoir_event::{MemoryKind, MemoryScope, MemorySource, MemoryStatus, Secrecy, Visibility, nearest, parse_ms};
use serde_json::{Map, Value};

/// A memory that cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("memory {number}: {reason}")]
pub struct BadMemory {
    /// Which one, counted from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A memory as a file has it.
#[derive(Debug, Clone)]
pub struct Brought {
    /// The memory.
    pub given: Given,
    /// What it goes by in its file: its maker's name, and the id that it had where it was.
    pub names: Vec<String>,
    /// The name of what took its place.
    pub superseded_by: Option<String>,
    /// The names of what it takes the place of: in the file, or ids of memories that are known.
    pub supersedes: Vec<String>,
}

/// What a file has: each memory, or why it cannot be read.
pub type Read = Vec<Result<Brought, BadMemory>>;

/// By what a memory may go in a file.
const NAMES: [&str; 4] = ["uid", "id", "_id", "memory_id"];

/// Reads a file's memories; `project` is for those that name none.
pub fn read_memories(text: &str, project: &str) -> Read {
    let text = text.trim_start_matches('\u{feff}').trim();
    let values: Vec<Result<Value, String>> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => list.into_iter().map(Ok).collect(),
        Ok(Value::Object(object)) => match object.get("memories") {
            Some(Value::Array(list)) => list.iter().cloned().map(Ok).collect(),
            _ => vec![Ok(Value::Object(object))],
        },
        _ => text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str(line).map_err(|error| format!("not JSON: {error}")))
            .collect(),
    };
    let read = |(at, value): (usize, Result<Value, String>)| {
        value.and_then(|value| one(&value, project)).map_err(|reason| BadMemory { number: at + 1, reason })
    };
    values.into_iter().enumerate().map(read).collect()
}

fn one(value: &Value, project: &str) -> Result<Brought, String> {
    let object = value.as_object().ok_or("not a JSON object")?;
    let text = first(object, &["text", "content", "statement"]).ok_or("it has no `text`")?;
    let mut given = Given { way: Way::Brought, ..Given::new(&text, project) };
    if let Some(kind) = first(object, &["kind", "type"]) {
        given.kind = kind_of(&kind)?;
    }
    given.name = first(object, &["name", "canonical_name"]);
    given.aliases = texts(object.get("aliases"));
    given.related = ["related", "participants"].iter().flat_map(|name| texts(object.get(*name))).collect();
    given.pinned = object.get("pinned").and_then(Value::as_bool).unwrap_or(false);
    given.confidence = number(object, "confidence")?.unwrap_or(1.0);
    let again = object.get("reinforced").or_else(|| object.get("reinforcement_count")).and_then(Value::as_u64);
    given.reinforced = again.and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    given.reinforced_ms = time(object, &["reinforced_at", "last_reinforced_at"])?;
    given.ts_ms = time(object, &["created_at", "ts", "timestamp"])?;
    given.uid = first(object, &NAMES);
    given.made_by = first(object, &["made_by"]);
    given.actor = first(object, &["actor", "user_id", "by"]);
    scope(object, &mut given)?;
    if let Some(status) = first(object, &["status", "epistemic_status"]) {
        given.status = named(
            &status,
            "status",
            MemoryStatus::parse(&status),
            MemoryStatus::ALL.iter().map(|known| known.as_str()),
        )?;
    }
    if time(object, &["resolved_at"])?.is_some() && given.status.is_current() {
        given.status = MemoryStatus::Resolved;
    }
    if let Some(secrecy) = first(object, &["secrecy", "secrecy_level"]) {
        given.secrecy =
            named(&secrecy, "secrecy", Secrecy::parse(&secrecy), Secrecy::ALL.iter().map(|known| known.as_str()))?;
    }
    if let Some(visibility) = first(object, &["visibility"]) {
        let known = Visibility::ALL.iter().map(|known| known.as_str());
        given.visibility = named(&visibility, "visibility", Visibility::parse(&visibility), known)?;
    }
    given.sources = sources(object);
    let names = NAMES.iter().filter_map(|name| first(object, &[name])).collect();
    let supersedes = texts(object.get("supersedes"));
    Ok(Brought { given, names, superseded_by: first(object, &["superseded_by"]), supersedes })
}

fn kind_of(name: &str) -> Result<MemoryKind, String> {
    let known = match name {
        "open_question" | "open-question" => Some(MemoryKind::Question),
        "event" => Some(MemoryKind::Episode),
        "rule" | "convention" => Some(MemoryKind::Preference),
        other => MemoryKind::parse(other),
    };
    named(name, "kind", known, MemoryKind::ALL.iter().map(|known| known.as_str()))
}

fn named<'a, T>(
    text: &str,
    what: &str,
    found: Option<T>,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Result<T, String> {
    found.ok_or_else(|| match nearest(text, known.clone()) {
        Some(near) => format!("`{text}` is no {what}; did you mean `{near}`?"),
        None => format!("`{text}` is no {what}; known are {}", known.collect::<Vec<_>>().join(", ")),
    })
}

/// `user`, `project`, `session:ID`; a list of the form `domain:NAME` names projects.
fn scope(object: &Map<String, Value>, given: &mut Given) -> Result<(), String> {
    if let Some(project) = first(object, &["project", "repo"]) {
        given.project = project;
    }
    let named = match object.get("scope") {
        Some(Value::Object(scope)) => scope.get("session").and_then(Value::as_str).map(|id| format!("session:{id}")),
        scope => texts(scope).into_iter().next(),
    };
    let Some(scope) = named else { return Ok(()) };
    given.scope = match scope.split_once(':') {
        None if scope == "user" => MemoryScope::User,
        None if scope == "project" => MemoryScope::Project,
        Some(("user", _)) => MemoryScope::User,
        Some(("session", id)) => MemoryScope::Session(id.to_owned()),
        Some(("domain" | "project", name)) => {
            given.project = name.to_owned();
            MemoryScope::Project
        }
        _ => return Err(format!("`{scope}` is no scope; known are user, project, session:ID")),
    };
    Ok(())
}

fn sources(object: &Map<String, Value>) -> Vec<MemorySource> {
    let one = |value: &Value| -> Option<MemorySource> {
        let text = |names: &[&str]| value.as_object().and_then(|object| first(object, names));
        let event = text(&["event", "event_id"]).or_else(|| value.as_str().map(str::to_owned));
        let source =
            MemorySource { event, session: text(&["session", "session_id"]), turn: text(&["turn", "turn_id"]) };
        (source != MemorySource::default()).then_some(source)
    };
    match object.get("sources").or_else(|| object.get("provenance")) {
        Some(Value::Array(list)) => list.iter().filter_map(one).collect(),
        Some(value) => one(value).into_iter().collect(),
        None => Vec::new(),
    }
}

fn first(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| object.get(*name)?.as_str()).map(str::to_owned).filter(|text| !text.trim().is_empty())
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

fn number(object: &Map<String, Value>, name: &str) -> Result<Option<f32>, String> {
    let Some(value) = object.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
    #[expect(clippy::cast_possible_truncation, reason = "a share needs no more digits")]
    number.map(|number| Some(number as f32)).ok_or_else(|| format!("`{name}` must be a number from 0 to 1"))
}

fn time(object: &Map<String, Value>, names: &[&str]) -> Result<Option<i64>, String> {
    let Some(text) = first(object, names) else { return Ok(None) };
    parse_ms(&text).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_others_are_read_too() {
        let text = r#"[{"_id":"b-1","type":"open_question","canonical_name":"auth_strategy","aliases":["JWT"],
            "content":"JWT or sessions?","scope":["domain:code"],"epistemic_status":"exploratory","confidence":0.7,
            "pinned":true,"reinforcement_count":3,"superseded_by":"b-2","resolved_at":null,
            "provenance":{"session_id":"seed","turn_id":"t"}}]"#;
        let mut read = read_memories(text, "here");
        let Brought { given, superseded_by, .. } = read.remove(0).unwrap();
        assert_eq!(
            (given.kind, given.status, superseded_by.as_deref()),
            (MemoryKind::Question, MemoryStatus::Exploratory, Some("b-2"))
        );
        assert_eq!((given.project.as_str(), given.uid.as_deref(), given.reinforced), ("code", Some("b-1"), 3));
        assert_eq!(given.sources[0].session.as_deref(), Some("seed"));
    }

    #[test]
    fn what_a_memory_takes_the_place_of_is_read_by_its_names() {
        let read = |text: &str| read_memories(text, "p").remove(0).unwrap().supersedes;
        assert_eq!(read(r#"[{"text":"a","supersedes":["m-1","m-2"]}]"#), ["m-1", "m-2"]);
        assert_eq!(read(r#"[{"text":"a","supersedes":"m-1"}]"#), ["m-1"]);
        assert_eq!(read(r#"[{"text":"a"}]"#), [""; 0]);
    }

    #[test]
    fn each_bad_memory_is_told_by_its_number_and_the_others_are_read() {
        let read = read_memories(
            "{\"text\":\"a\"}\nnonsense\n{\"text\":\"b\",\"kind\":\"procedur\"}\n{\"kind\":\"fact\"}\n",
            "p",
        );
        let told: Vec<String> = read
            .iter()
            .map(|one| match one {
                Ok(brought) => brought.given.text.clone(),
                Err(bad) => bad.to_string(),
            })
            .collect();
        assert_eq!(told[0], "a");
        assert!(told[1].starts_with("memory 2: not JSON"), "{}", told[1]);
        assert_eq!(told[2], "memory 3: `procedur` is no kind; did you mean `procedure`?");
        assert_eq!(told[3], "memory 4: it has no `text`");
        assert!(read_memories("", "p").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in ".*") {
            let _ = read_memories(&text, "p");
        }
    }
}
