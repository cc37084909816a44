//! Checks a caller's MetaMemory before it is accepted, so that no later reader has to refuse the record.

use serde_json::{Map, Value};

/// What is wrong with a MetaMemory object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`meta{path}` {problem}")]
pub struct MetaError {
    /// Where, such as `.evidence[0].confidence`.
    pub path: String,
    /// What is wrong there.
    pub problem: &'static str,
}

type Check = Result<(), MetaError>;

const TEXTS: [&str; 4] = ["intent", "rationale", "trigger", "decision"];
const TEXT_LISTS: [&str; 3] = ["goals", "assumptions", "tags"];
const ID_LISTS: [&str; 2] = ["source_record_ids", "parent_meta_ids"];
const STATUSES: [&str; 4] = ["provided", "inferred", "legacy", "unavailable"];
const RELATIONS: [&str; 8] =
    ["motivated_by", "caused_by", "derived_from", "supports", "contradicts", "chose_over", "explains", "context_of"];
const NIL_UUID: &str = "00000000-0000-0000-0000-000000000000";

/// Checks types and ranges of every known field; unknown ones are left alone.
pub fn check_meta(meta: &Value) -> Check {
    let fields = object("", meta)?;
    each(fields, "", &TEXTS, text)?;
    each(fields, "", &TEXT_LISTS, |path, value| list(path, value, text))?;
    each(fields, "", &ID_LISTS, |path, value| list(path, value, uuid))?;
    each(fields, "", &["schema_version"], |path, value| {
        ensure(value.as_u64().is_some_and(|n| n >= 1), path, "must be a whole number of at least 1")
    })?;
    each(fields, "", &["capture_status"], |path, value| {
        ensure(one_of(value, &STATUSES), path, "must be provided, inferred, legacy or unavailable")
    })?;
    each(fields, "", &["confidence"], confidence)?;
    each(fields, "", &["captured_at"], time)?;
    each(fields, "", &["evidence"], |path, value| list(path, value, evidence))?;
    each(fields, "", &["alternatives"], |path, value| list(path, value, alternative))?;
    each(fields, "", &["context_edges"], |path, value| list(path, value, edge))
}

fn evidence(path: &str, value: &Value) -> Check {
    let fields = object(path, value)?;
    each(fields, path, &["record_id", "raw_record_id"], uuid)?;
    each(fields, path, &["label", "excerpt", "uri"], text)?;
    each(fields, path, &["confidence"], confidence)
}

fn alternative(path: &str, value: &Value) -> Check {
    let fields = object(path, value)?;
    ensure(fields.get("option").is_some_and(Value::is_string), &format!("{path}.option"), "must be a string")?;
    each(fields, path, &["reason"], text)?;
    each(fields, path, &["chosen"], |path, value| ensure(value.is_boolean(), path, "must be true or false"))
}

fn edge(path: &str, value: &Value) -> Check {
    let fields = object(path, value)?;
    each(fields, path, &["source_id"], uuid)?;
    let target = fields.get("target_id").unwrap_or(&Value::Null);
    uuid(&format!("{path}.target_id"), target)?;
    ensure(target.as_str() != Some(NIL_UUID), &format!("{path}.target_id"), "must not be the nil UUID")?;
    let relation = fields.get("relation").unwrap_or(&Value::Null);
    ensure(one_of(relation, &RELATIONS), &format!("{path}.relation"), "must be a known relation, such as supports")?;
    each(fields, path, &["rationale"], text)?;
    each(fields, path, &["confidence"], confidence)?;
    each(fields, path, &["created_at"], time)?;
    each(fields, path, &["evidence"], |path, value| list(path, value, evidence))
}

/// Runs `check` on those of `names` that are there and not null.
fn each(fields: &Map<String, Value>, path: &str, names: &[&str], check: impl Fn(&str, &Value) -> Check) -> Check {
    names
        .iter()
        .filter_map(|name| fields.get(*name).filter(|value| !value.is_null()).map(|value| (name, value)))
        .try_for_each(|(name, value)| check(&format!("{path}.{name}"), value))
}

fn list(path: &str, value: &Value, check: impl Fn(&str, &Value) -> Check) -> Check {
    let items = value.as_array().ok_or_else(|| error(path, "must be an array"))?;
    items.iter().enumerate().try_for_each(|(at, item)| check(&format!("{path}[{at}]"), item))
}

fn object<'a>(path: &str, value: &'a Value) -> Result<&'a Map<String, Value>, MetaError> {
    value.as_object().ok_or_else(|| error(path, "must be an object"))
}

fn text(path: &str, value: &Value) -> Check {
    ensure(value.is_string(), path, "must be a string")
}

fn uuid(path: &str, value: &Value) -> Check {
    let plain = value.as_str().map(|text| text.replace('-', "")).unwrap_or_default();
    ensure(plain.len() == 32 && plain.bytes().all(|byte| byte.is_ascii_hexdigit()), path, "must be a UUID")
}

fn confidence(path: &str, value: &Value) -> Check {
    ensure(value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)), path, "must be a number from 0 to 1")
}

fn time(path: &str, value: &Value) -> Check {
    let good = value.as_str().is_some_and(|text| crate::time::Time::parse(text).is_ok());
    ensure(good, path, "must be an RFC 3339 time")
}

fn one_of(value: &Value, known: &[&str]) -> bool {
    value.as_str().is_some_and(|text| known.contains(&text))
}

fn ensure(good: bool, path: &str, problem: &'static str) -> Check {
    if good { Ok(()) } else { Err(error(path, problem)) }
}

fn error(path: &str, problem: &'static str) -> MetaError {
    MetaError { path: path.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_full_meta_passes() {
        let id = "019a1111-0000-7000-8000-000000000001";
        let meta = json!({
            "schema_version": 1, "capture_status": "provided", "intent": "i", "goals": ["g"], "confidence": 0.9,
            "evidence": [{"record_id": id, "raw_record_id": null, "label": "log", "confidence": 0.75}],
            "alternatives": [{"option": "a", "reason": null, "chosen": false}],
            "context_edges": [{"source_id": id, "target_id": id, "relation": "caused_by", "created_at": "2026-05-10T08:00:00Z"}],
            "source_record_ids": [id], "captured_at": "2026-05-10T08:00:00Z", "unknown": 5
        });
        assert_eq!(check_meta(&meta), Ok(()));
    }

    #[test]
    fn each_wrong_field_is_named() {
        for (meta, path) in [
            (json!([]), ""),
            (json!({"confidence": 1.5}), ".confidence"),
            (json!({"schema_version": 0}), ".schema_version"),
            (json!({"goals": "x"}), ".goals"),
            (json!({"goals": ["x", 1]}), ".goals[1]"),
            (json!({"evidence": [{"confidence": -1}]}), ".evidence[0].confidence"),
            (
                json!({"context_edges": [{"target_id": NIL_UUID, "relation": "supports"}]}),
                ".context_edges[0].target_id",
            ),
            (json!({"capture_status": "maybe"}), ".capture_status"),
            (json!({"captured_at": 5}), ".captured_at"),
        ] {
            assert_eq!(check_meta(&meta).unwrap_err().path, path, "{meta}");
        }
    }
}
