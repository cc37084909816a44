//! Settings that are tables of their own: prices, redaction rules, keys of the server.

use super::value::strings;
use crate::exit::Usage;
use memoir_event::nearest;
use memoir_redact::CustomRule;
use memoir_report::Price;
use memoir_server::Scope;
use std::str::FromStr;
use toml::Value;

pub(super) fn prices(value: Option<&Value>) -> Result<Vec<Price>, Usage> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries
        .map(|entry| {
            let dollars = |name: &str| match entry.get(name) {
                None => Some(0.0),
                Some(value) => {
                    value.as_float().or_else(|| value.as_integer().and_then(|n| f64::from_str(&n.to_string()).ok()))
                }
            };
            let price = entry.get("model").and_then(Value::as_str).and_then(|model| {
                Some(Price {
                    model: model.to_owned(),
                    input: dollars("input")?,
                    cached: dollars("cached")?,
                    cache_written: dollars("cache_written")?,
                    output: dollars("output")?,
                })
            });
            price
                .filter(|price| {
                    [price.input, price.cached, price.cache_written, price.output].iter().all(|d| *d >= 0.0)
                })
                .ok_or_else(|| {
                    Usage("config.toml: each of [[stats.prices]] needs a `model` and prices that are numbers".into())
                })
        })
        .collect()
}

pub(super) fn redact_rules(value: Option<&Value>) -> Result<Vec<CustomRule>, Usage> {
    let rules = value.and_then(Value::as_array).into_iter().flatten();
    rules
        .map(|rule| {
            let field = |name| rule.get(name).and_then(Value::as_str).map(str::to_owned);
            match (field("name"), field("pattern")) {
                (Some(name), Some(pattern)) => Ok(CustomRule { name, pattern }),
                _ => Err(Usage("config.toml: each of [[redact.rules]] needs a `name` and a `pattern`".into())),
            }
        })
        .collect()
}

pub(super) fn server_keys(value: Option<&Value>) -> Result<Vec<(String, Vec<Scope>)>, Usage> {
    let keys = value.and_then(Value::as_array).into_iter().flatten();
    let known = |scopes: Vec<String>| -> Result<Vec<Scope>, Usage> {
        scopes.iter().map(|name| Scope::parse(name).ok_or_else(|| unknown_scope(name))).collect()
    };
    keys.map(|entry| {
        if let Some(text) = entry.as_str() {
            let (scopes, key) = text
                .split_once(':')
                .ok_or_else(|| Usage("MEMOIR_SERVER_KEYS must look like ingest+read:KEY,admin:KEY".into()))?;
            return Ok((key.to_owned(), known(scopes.split('+').map(str::to_owned).collect())?));
        }
        let key = entry.get("key").and_then(Value::as_str);
        let key = key.ok_or_else(|| Usage("config.toml: each of [[server.keys]] needs a `key` and `scopes`".into()))?;
        Ok((key.to_owned(), known(strings(entry.get("scopes")))?))
    })
    .collect()
}

fn unknown_scope(name: &str) -> Usage {
    let known = Scope::ALL.map(Scope::as_str);
    let meant = nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Usage(format!("unknown scope `{name}` of a server key{meant} (known are {})", known.join(", ")))
}
