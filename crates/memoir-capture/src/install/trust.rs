//! Codex runs a hook only if its settings say that this very hook is trusted: a digest of what it is, under its place.

use super::settings::{Installed, PlanError, installed};
use memoir_event::Client;
use sha2::{Digest, Sha256};
use toml_edit::{DocumentMut, Item, Table, value};

/// The longest that Codex lets the hooks at the end of a session run, in seconds.
const END_SECONDS_MAX: u64 = 3;

/// Codex's own default.
const DEFAULT_SECONDS: u64 = 600;

/// An entry of the trust list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trust {
    /// `file:event:group:handler`.
    pub key: String,
    /// `sha256:…`.
    pub hash: String,
}

/// The entries that make Codex run memoir's hooks in the file at `path`.
pub fn trust_entries(path: &str, hooks: &str) -> Result<Vec<Trust>, PlanError> {
    let found = installed(Client::Codex, hooks)?;
    Ok(found
        .iter()
        .map(|hook| {
            let label = label(&hook.event);
            let key = format!("{path}:{label}:{}:{}", hook.group, hook.handler);
            Trust { key, hash: hash(hook, &label) }
        })
        .collect())
}

/// `SessionStart` as `session_start`.
fn label(event: &str) -> String {
    let mut label = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(c.to_ascii_lowercase());
    }
    label
}

/// The digest of a hook: compact JSON with sorted names, defaults filled in.
fn hash(hook: &Installed, label: &str) -> String {
    let is_end = matches!(hook.event.as_str(), "SessionEnd" | "Interrupt");
    let timeout = match (hook.timeout, is_end) {
        (Some(seconds), true) => seconds.clamp(1, END_SECONDS_MAX),
        (None, true) => 1,
        (Some(seconds), false) => seconds.max(1),
        (None, false) => DEFAULT_SECONDS,
    };
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let handler =
        format!(r#"{{"async":false,"command":{},"timeout":{timeout},"type":"command"}}"#, text(&hook.command));
    let mut whole = format!(r#"{{"event_name":{},"hooks":[{handler}]"#, text(label));
    let has_matcher = !matches!(hook.event.as_str(), "UserPromptSubmit" | "Stop");
    if let Some(matcher) = hook.matcher.as_deref().filter(|_| has_matcher) {
        whole.push_str(&format!(r#","matcher":{}"#, text(matcher)));
    }
    whole.push('}');
    let digest = Sha256::digest(whole.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn parse(text: &str) -> Result<DocumentMut, PlanError> {
    text.parse().map_err(|error: toml_edit::TomlError| PlanError::NotToml(error.message().to_owned()))
}

/// The settings with those entries in their trust list; the same text if they are there already.
pub fn with_trust(config: &str, entries: &[Trust]) -> Result<String, PlanError> {
    let mut document = parse(config)?;
    let missing: Vec<&Trust> =
        entries.iter().filter(|entry| hash_in(&document, &entry.key) != Some(&entry.hash)).collect();
    if missing.is_empty() {
        return Ok(config.to_owned());
    }
    let state = state_of(&mut document).ok_or_else(|| PlanError::WrongShape("hooks.state".to_owned()))?;
    for entry in missing {
        let mut table = Table::new();
        table.insert("trusted_hash", value(&entry.hash));
        match state.get_mut(&entry.key).and_then(Item::as_table_mut) {
            Some(known) => {
                known.insert("trusted_hash", value(&entry.hash));
            }
            None => {
                state.insert(&entry.key, Item::Table(table));
            }
        }
    }
    Ok(document.to_string())
}

/// The table of trusted hooks, made if need be.
fn state_of(document: &mut DocumentMut) -> Option<&mut Table> {
    let hidden = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let hooks = document.entry("hooks").or_insert_with(hidden).as_table_mut()?;
    hooks.entry("state").or_insert_with(hidden).as_table_mut()
}

fn hash_in<'a>(document: &'a DocumentMut, key: &str) -> Option<&'a str> {
    document.get("hooks")?.get("state")?.get(key)?.get("trusted_hash")?.as_str()
}

/// Which of the entries the settings have.
pub fn trusted(config: &str, entries: &[Trust]) -> Result<Vec<bool>, PlanError> {
    let document = parse(config)?;
    Ok(entries.iter().map(|entry| hash_in(&document, &entry.key) == Some(&entry.hash)).collect())
}

/// The settings without those entries, wherever in the list of their event the hooks stood when they were trusted, and
/// without tables that are empty because of that.
pub fn without_trust(config: &str, entries: &[Trust]) -> Result<String, PlanError> {
    let mut document = parse(config)?;
    let Some(state) = document.get_mut("hooks").and_then(|hooks| hooks.get_mut("state")).and_then(Item::as_table_mut)
    else {
        return Ok(config.to_owned());
    };
    let is_ours = |key: &str, item: &Item| {
        let hash = item.get("trusted_hash").and_then(Item::as_str);
        entries.iter().any(|entry| hash == Some(&entry.hash) && list_of(&entry.key) == list_of(key))
    };
    let ours: Vec<String> =
        state.iter().filter(|(key, item)| is_ours(key, item)).map(|(key, _)| key.to_owned()).collect();
    for key in &ours {
        state.remove(key);
    }
    let moved = moved_up(state, entries);
    for (from, to) in &moved {
        if let Some(item) = state.remove(from) {
            state.insert(to, item);
        }
    }
    if ours.is_empty() && moved.is_empty() {
        return Ok(config.to_owned());
    }
    let is_empty = |item: Option<&Item>| item.and_then(Item::as_table).is_some_and(Table::is_empty);
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_mut)
        && is_empty(hooks.get("state"))
    {
        hooks.remove("state");
    }
    if is_empty(document.get("hooks")) {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

/// Entries of hooks that stand behind ours, the first ones first, and their keys once ours are gone.
fn moved_up(state: &Table, ours: &[Trust]) -> Vec<(String, String)> {
    let mut moved: Vec<(u64, String, String)> = Vec::new();
    for (key, _) in state {
        let Some((list, group, handler)) = place_of(key) else { continue };
        let is_before = |place: (&str, u64, &str)| place.0 == list && place.1 < group;
        let gone = ours.iter().filter(|entry| place_of(&entry.key).is_some_and(is_before)).count() as u64;
        if gone > 0 {
            moved.push((group, key.to_owned(), format!("{list}:{}:{handler}", group - gone)));
        }
    }
    moved.sort();
    moved.into_iter().map(|(_, from, to)| (from, to)).collect()
}

/// The file and event of a key, its group, and its handler.
fn place_of(key: &str) -> Option<(&str, u64, &str)> {
    let (rest, handler) = key.rsplit_once(':')?;
    let (list, group) = rest.rsplit_once(':')?;
    Some((list, group.parse().ok()?, handler))
}

/// The file and event of a key.
fn list_of(key: &str) -> Option<&str> {
    place_of(key).map(|(list, ..)| list)
}

/// Whether the settings say that no hook runs at all.
pub fn runs_no_hooks(config: &str) -> Result<bool, PlanError> {
    let document = parse(config)?;
    let feature = |name: &str| document.get("features").and_then(|features| features.get(name)?.as_bool());
    Ok(feature("hooks") == Some(false))
}

#[cfg(test)]
mod tests {
    use super::super::settings::with_hooks;
    use super::*;

    fn entries() -> Vec<Trust> {
        let hooks = with_hooks(Client::Codex, "{}", "exec /h/memoir hook codex").unwrap();
        trust_entries("/h/.codex/hooks.json", &hooks).unwrap()
    }

    #[test]
    fn hooks_behind_ours_move_up_and_stay_trusted() {
        let own = |event: &str, group: u64, hash: &str| {
            format!("[hooks.state.\"/h/.codex/hooks.json:{event}:{group}:0\"]\ntrusted_hash = \"{hash}\"\n")
        };
        let hooks = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}"#;
        let hooks = with_hooks(Client::Codex, hooks, "exec /h/memoir hook codex").unwrap();
        let entries = trust_entries("/h/.codex/hooks.json", &hooks).unwrap();
        let before = [own("stop", 0, "a"), own("stop", 2, "b"), own("stop", 3, "c"), own("other", 2, "d")].concat();
        let after = without_trust(&with_trust(&before, &entries).unwrap(), &entries).unwrap();
        let document = parse(&after).unwrap();
        let hash = |key: &str| hash_in(&document, &format!("/h/.codex/hooks.json:{key}")).map(str::to_owned);
        let hashes = ["stop:0:0", "stop:1:0", "stop:2:0", "stop:3:0", "other:2:0"].map(hash);
        assert_eq!(hashes.map(Option::unwrap_or_default), ["a", "b", "c", "", "d"], "{after}");
    }

    #[test]
    fn an_entry_names_the_place_of_the_hook_and_digests_what_it_is() {
        let entries = entries();
        assert_eq!(entries[0].key, "/h/.codex/hooks.json:session_start:0:0");
        assert!(entries.iter().any(|entry| entry.key.ends_with(":user_prompt_submit:0:0")));
        let again = with_hooks(Client::Codex, "{}", "exec /other/memoir hook codex").unwrap();
        assert_ne!(trust_entries("/h/.codex/hooks.json", &again).unwrap()[0].hash, entries[0].hash);
        let expected = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"exec /h/memoir hook codex","timeout":10,"type":"command"}],"matcher":"*"}"#;
        let digest: String = Sha256::digest(expected.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(entries.iter().any(|entry| entry.hash == format!("sha256:{digest}")));
    }

    #[test]
    fn entries_go_in_and_out_and_leave_the_settings_as_they_were() {
        for before in [
            "",
            "# mine\nmodel = \"gpt\"\n\n[projects.\"/p\"]\ntrust_level = \"trusted\" # yes\n",
            "[hooks.state.\"/other:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
        ] {
            let after = with_trust(before, &entries()).unwrap();
            assert!(trusted(&after, &entries()).unwrap().iter().all(|is_so| *is_so));
            assert_eq!(with_trust(&after, &entries()).unwrap(), after);
            assert_eq!(without_trust(&after, &entries()).unwrap(), before);
        }
        let moved = with_trust("", &entries()).unwrap().replace(":0:0\"", ":3:1\"");
        assert_eq!(without_trust(&moved, &entries()).unwrap(), "");
        assert!(runs_no_hooks("[features]\nhooks = false\n").unwrap());
        assert!(!runs_no_hooks("[features]\nhooks = true\n").unwrap());
        assert!(matches!(with_trust("a = ", &entries()), Err(PlanError::NotToml(_))));
        assert!(matches!(with_trust("hooks = 5\n", &entries()), Err(PlanError::WrongShape(_))));
    }
}
