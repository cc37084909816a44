//! One value of a setting: found under its key, made of a text, checked, shown.

use super::known::{Kind, SETTINGS, Setting};
use super::{Misread, ModelKind, Origin};
use crate::clients;
use crate::exit::Usage;
use crate::home::{Home, non_empty};
use memoir_event::{Kind as EventKind, Source, nearest};
use memoir_model::check_address;
use memoir_record::{Policy, ServerUrl};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Value;

/// Turns tables into dotted keys; of an unknown one `unknown` gets a sentence that names the nearest known.
pub fn flatten<E>(
    table: &toml::Table,
    unknown: &mut dyn FnMut(&str, String) -> Result<(), E>,
) -> Result<BTreeMap<String, Value>, E> {
    let mut found = BTreeMap::new();
    let mut insert = |key: String, value: &Value| match find(&key) {
        Ok(_) => {
            found.insert(key, value.clone());
            Ok(())
        }
        Err(problem) => unknown(&key, problem),
    };
    for (name, value) in table {
        let is_section =
            SETTINGS.iter().any(|setting| setting.key.split_once('.').is_some_and(|(section, _)| section == name));
        match value {
            Value::Table(inner) if is_section => {
                for (key, value) in inner {
                    insert(format!("{name}.{key}"), value)?;
                }
            }
            value => insert(name.clone(), value)?,
        }
    }
    Ok(found)
}

/// The setting of that name.
pub fn find(key: &str) -> Result<&'static Setting, String> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let meant = nearest(key, SETTINGS.iter().map(|setting| setting.key));
        let meant = meant
            .map_or_else(|| "; `memoir config` lists them all".to_owned(), |name| format!("; did you mean `{name}`?"));
        format!("unknown setting `{key}`{meant}")
    })
}

/// The value that a text means for a setting.
pub fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    Ok(match setting.kind {
        Kind::Text | Kind::Secret => Value::String(text.to_owned()),
        Kind::Number(..) => Value::Integer(text.parse().map_err(|_| format!("must be a whole number, not `{text}`"))?),
        Kind::Flag => Value::Boolean(flag(text).ok_or_else(|| format!("must be true or false, not `{text}`"))?),
        Kind::List => {
            Value::Array(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect())
        }
        Kind::Tables => {
            Value::Array(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect())
        }
    })
}

/// `1`, `on`, `yes` and their opposites are how others spell true and false.
fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" | "yes" => Some(true),
        "false" | "0" | "off" | "no" => Some(false),
        _ => None,
    }
}

/// Checks that a value fits its setting.
pub fn check(setting: &Setting, value: &Value) -> Result<(), String> {
    if let ("server_url", Some(url)) = (setting.key, value.as_str().filter(|url| !url.is_empty())) {
        return ServerUrl::parse(url).map(drop).map_err(|error| format!("is not a server address: {error}"));
    }
    match (setting.key, value.as_str().filter(|text| !text.is_empty())) {
        ("embeddings.url" | "model.url", Some(url)) => {
            return check_address(url).map_err(|error| format!("does not fit: {error}"));
        }
        ("model.kind", Some(kind)) if ModelKind::parse(kind).is_none() => {
            return Err(format!("must be openai, anthropic, codex, claude or gemini, not `{kind}`"));
        }
        _ => {}
    }
    let fits = match setting.kind {
        Kind::Text | Kind::Secret => value.is_str(),
        Kind::Number(least, most) => {
            return match value.as_integer().and_then(|n| u64::try_from(n).ok()) {
                Some(n) if (least..=most).contains(&n) => Ok(()),
                _ => Err(format!("must be a whole number from {least} to {most}, not `{value}`")),
            };
        }
        Kind::Flag => value.is_bool(),
        Kind::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_str)),
        Kind::Tables => value.is_array(),
    };
    let expected = match setting.kind {
        Kind::Flag => "true or false",
        Kind::List => "a list of texts",
        Kind::Tables => "a list of tables",
        _ => "a text",
    };
    if setting.key == "capture.exclude_paths"
        && let Some(path) = strings(Some(value)).iter().find(|path| !in_home(path).is_absolute())
    {
        return Err(format!("must be whole paths, not `{path}`: begin with `/` or `~/`"));
    }
    if setting.key == "capture.exclude_patterns" {
        Policy::new(Vec::new(), Vec::new(), &strings(Some(value)), Vec::new()).map_err(|error| error.to_string())?;
    }
    if matches!(setting.key, "recall.blocked_kinds" | "recall.blocked_sources") {
        known_names(setting, value)?;
    }
    if fits { Ok(()) } else { Err(format!("must be {expected}, not {}", value.type_str())) }
}

/// Refuses a kind or a source that there is not.
fn known_names(setting: &Setting, value: &Value) -> Result<(), String> {
    let kinds = || EventKind::ALL.iter().map(|kind| kind.as_str());
    let sources = || Source::ALL.iter().map(|source| source.as_str());
    let known: Vec<&str> = if setting.key == "recall.blocked_kinds" { kinds().collect() } else { sources().collect() };
    let names = strings(Some(value));
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let meant = nearest(unknown, known.iter().copied());
    let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Err(format!("names `{unknown}`, which there is not{meant} (known are {})", known.join(", ")))
}

/// Whether a key or a variable is memoir's own; others are another program's, and understood here as far as can be.
pub(super) fn is_ours(name: &str) -> bool {
    !name.starts_with("OPENVIKING_")
}

/// The value of a setting and where it is from.
pub(super) fn value_of(
    setting: &'static Setting,
    file: &BTreeMap<String, Value>,
    home: &Home,
    misread: &mut Vec<Misread>,
) -> Result<(Value, Origin), Usage> {
    for name in setting.env {
        let Some(text) = non_empty(name) else { continue };
        match from_text(setting, &text) {
            Ok(value) if is_ours(name) => {
                check(setting, &value).map_err(|what| Usage(format!("`{name}` {what}")))?;
                return Ok((value, Origin::Environment(name)));
            }
            Ok(value) => return Ok((within(setting, value), Origin::Environment(name))),
            Err(what) if is_ours(name) => return Err(Usage(format!("{name} {what}"))),
            Err(what) => misread.push(Misread { name: (*name).to_owned(), problem: format!("{name} {what}") }),
        }
    }
    let Some(value) = file.get(setting.key) else {
        return Ok((from_text(setting, setting.default).map_err(Usage)?, Origin::Default));
    };
    check(setting, value)
        .map_err(|what| Usage(format!("{}: `{}` {what}", home.config_file().display(), setting.key)))?;
    Ok((value.clone(), Origin::File))
}

/// What another program may take in its range, brought into memoir's.
fn within(setting: &Setting, value: Value) -> Value {
    match (setting.kind, value) {
        (Kind::Number(least, most), Value::Integer(number)) => {
            let bound = |bound: u64| i64::try_from(bound).unwrap_or(i64::MAX);
            Value::Integer(number.clamp(bound(least), bound(most)))
        }
        (_, value) => value,
    }
}

pub(super) fn show(setting: &Setting, value: &Value) -> String {
    match (setting.kind, value) {
        (Kind::Secret, Value::String(text)) if !text.is_empty() => "(set)".to_owned(),
        (Kind::Tables, Value::Array(items)) => format!("({} given)", items.len()),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(items)) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        (_, value) => value.to_string(),
    }
}

/// A path that may begin with `~`.
pub fn in_home(path: &str) -> PathBuf {
    let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    match (rest, clients::user_home()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        _ => PathBuf::from(path),
    }
}

pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
