//! What a request to remember may say: a field that is not known, or holds what it cannot, refuses all of it.

use crate::errors::ApiError;
use memoir_event::{EventId, nearest};
use serde_json::{Map, Value};

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Text,
    Texts,
    Flag,
    Number,
    /// Read with care further on.
    Anything,
}

/// Every field: memoir's own names, and those that others use.
const FIELDS: [(&str, Holds); 42] = [
    ("text", Holds::Text),
    ("content", Holds::Text),
    ("statement", Holds::Text),
    ("kind", Holds::Text),
    ("type", Holds::Text),
    ("name", Holds::Text),
    ("canonical_name", Holds::Text),
    ("aliases", Holds::Texts),
    ("related", Holds::Texts),
    ("participants", Holds::Texts),
    ("pinned", Holds::Flag),
    ("confidence", Holds::Number),
    ("reinforced", Holds::Number),
    ("reinforcement_count", Holds::Number),
    ("reinforced_at", Holds::Text),
    ("last_reinforced_at", Holds::Text),
    ("created_at", Holds::Text),
    ("ts", Holds::Text),
    ("timestamp", Holds::Text),
    ("resolved_at", Holds::Text),
    ("uid", Holds::Text),
    ("id", Holds::Text),
    ("_id", Holds::Text),
    ("memory_id", Holds::Text),
    ("made_by", Holds::Text),
    ("actor", Holds::Text),
    ("user_id", Holds::Text),
    ("by", Holds::Text),
    ("project", Holds::Text),
    ("repo", Holds::Text),
    ("scope", Holds::Anything),
    ("session", Holds::Text),
    ("status", Holds::Text),
    ("epistemic_status", Holds::Text),
    ("secrecy", Holds::Text),
    ("secrecy_level", Holds::Text),
    ("visibility", Holds::Text),
    ("sources", Holds::Anything),
    ("provenance", Holds::Anything),
    ("supersedes", Holds::Texts),
    ("superseded_by", Holds::Text),
    ("contradicts", Holds::Texts),
];

/// The memories of a body: an object, a list, `{"memories": […]}`, or one object to a line; each checked.
pub(super) fn objects(text: &str) -> Result<Vec<Map<String, Value>>, ApiError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let values: Vec<Result<Value, serde_json::Error>> = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(list)) => list.into_iter().map(Ok).collect(),
        Ok(Value::Object(mut object)) => match object.remove("memories") {
            Some(Value::Array(list)) => list.into_iter().map(Ok).collect(),
            Some(_) => return Err(ApiError::validation("`memories` must be a list")),
            None => vec![Ok(Value::Object(object))],
        },
        Ok(_) => return Err(ApiError::validation("a memory is a JSON object")),
        Err(_) => text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect(),
    };
    let checked = values.into_iter().enumerate().map(|(at, value)| {
        let value = value.map_err(|error| refused(at, &format!("not JSON: {error}")))?;
        let Value::Object(object) = value else { return Err(refused(at, "not a JSON object")) };
        one(object).map_err(|reason| refused(at, &reason))
    });
    checked.collect()
}

/// The error about one memory of a body.
pub(super) fn refused(at: usize, reason: &str) -> ApiError {
    let mut error = ApiError::validation(format!("memory {}: {reason}; nothing was stored", at + 1));
    error.record = Some(at);
    error
}

/// Whether it says for whom it holds.
pub(super) fn has_scope(object: &Map<String, Value>) -> bool {
    match object.get("scope") {
        None | Some(Value::Null) => false,
        Some(Value::String(scope)) => !scope.trim().is_empty(),
        Some(Value::Array(list)) => !list.is_empty(),
        Some(_) => true,
    }
}

/// The ids in `supersedes`.
pub(super) fn supersedes(object: &Map<String, Value>) -> Result<Vec<EventId>, String> {
    let texts = match object.get("supersedes") {
        Some(Value::String(id)) => vec![id.as_str()],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let id = |text: &str| EventId::parse(text).map_err(|_| format!("there is no memory {text}"));
    texts.into_iter().map(id).collect()
}

fn one(mut object: Map<String, Value>) -> Result<Map<String, Value>, String> {
    for (name, value) in &object {
        let known = FIELDS.iter().find(|(known, _)| known == name);
        let Some((_, holds)) = known else {
            let meant = nearest(name, FIELDS.iter().map(|(known, _)| *known));
            let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
            return Err(format!("it has an unknown field `{name}`{meant}"));
        };
        if !value.is_null() && !fits(value, *holds) {
            return Err(format!("`{name}` must be {}", expected(*holds)));
        }
    }
    session(&mut object)?;
    Ok(object)
}

/// `"scope":"session","session":"s9"` is the scope `session:s9`.
fn session(object: &mut Map<String, Value>) -> Result<(), String> {
    let session = object.get("session").and_then(Value::as_str).filter(|session| !session.trim().is_empty());
    if object.get("scope").and_then(Value::as_str) == Some("session") {
        let session = session.ok_or("its scope is a session, and `session` does not name one")?;
        let scope = format!("session:{session}");
        object.insert("scope".to_owned(), Value::from(scope));
    }
    Ok(())
}

fn fits(value: &Value, holds: Holds) -> bool {
    match holds {
        Holds::Text => value.is_string(),
        Holds::Texts => value.is_string() || value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        Holds::Flag => value.is_boolean(),
        Holds::Number => value.is_number(),
        Holds::Anything => true,
    }
}

const fn expected(holds: Holds) -> &'static str {
    match holds {
        Holds::Text => "a text",
        Holds::Texts => "a text or a list of texts",
        Holds::Flag => "true or false",
        Holds::Number => "a number",
        Holds::Anything => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn problem(body: &str) -> String {
        objects(body).map(|_| String::new()).unwrap_or_else(|error| error.message)
    }

    #[test]
    fn what_is_misspelt_or_of_another_kind_is_refused_by_its_number() {
        assert!(problem(r#"[{"text":"a"},{"text":"b","knid":"fact"}]"#).starts_with("memory 2: "));
        assert!(problem(r#"{"text":"a","supercedes":["x"]}"#).contains("did you mean `supersedes`?"));
        assert!(problem(r#"{"text":"a","pinned":"yes"}"#).contains("`pinned` must be true or false"));
        assert!(problem(r#"{"text":"a","scope":"session"}"#).contains("does not name one"));
        assert!(problem("[1]").contains("not a JSON object") && problem("3").contains("JSON object"));
        assert_eq!(problem(r#"{"memories":[{"text":"a","supersedes":"x","superseded_by":null}]}"#), "");
        let read = objects(r#"{"text":"a","scope":"session","session":"s9"}"#).unwrap();
        assert_eq!(read[0]["scope"], "session:s9");
    }

    proptest! {
        #[test]
        fn any_body_is_memories_or_an_error(body in ".*") {
            let _ = objects(&body);
        }
    }
}
