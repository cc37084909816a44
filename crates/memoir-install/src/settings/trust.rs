//! Codex runs a hook only if its settings say that this very hook is trusted: a digest of what it is, under its place.

use super::hooks::{Installed, PlanError};
use super::{behind_mark, without_mark};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

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
    /// Whether the hook's group goes with it: nothing else is in it.
    pub is_alone: bool,
}

/// The entries that make Codex run those hooks in the file at `path`.
pub fn trust_entries(path: &str, hooks: &[Installed]) -> Vec<Trust> {
    let entry = |hook: &Installed| {
        let label = label(&hook.event);
        let key = format!("{path}:{label}:{}:{}", hook.group, hook.handler);
        Trust { key, hash: hash(hook, &label), is_alone: hook.is_alone }
    };
    hooks.iter().map(entry).collect()
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
    without_mark(text).parse().map_err(|error: toml_edit::TomlError| PlanError::NotToml(error.message().to_owned()))
}

/// The settings with those entries in their trust list; the same text if they are there already. A list that is written
/// as an inline table grows in place: nothing outside may add to one.
pub fn with_trust(config: &str, entries: &[Trust]) -> Result<String, PlanError> {
    behind_mark(config, |config| put_in(config, entries))
}

fn put_in(config: &str, entries: &[Trust]) -> Result<String, PlanError> {
    let wrong = || PlanError::WrongShape("hooks.state".to_owned());
    let mut document = parse(config)?;
    let missing: Vec<&Trust> =
        entries.iter().filter(|entry| hash_in(&document, &entry.key) != Some(&entry.hash)).collect();
    if missing.is_empty() {
        return Ok(config.to_owned());
    }
    let hooks = child(document.as_table_mut(), "hooks").ok_or_else(wrong)?;
    let state = child(hooks, "state").ok_or_else(wrong)?;
    for entry in missing {
        match state.get_mut(&entry.key) {
            Some(known) => {
                known.as_table_like_mut().ok_or_else(wrong)?.insert("trusted_hash", value(&entry.hash));
            }
            None => {
                let mut table = Table::new();
                table.insert("trusted_hash", value(&entry.hash));
                state.insert(&entry.key, Item::Table(table));
            }
        }
    }
    let text = document.to_string();
    // There are many ways to write a table: better none of these entries than settings that mean something else.
    if trusted(&text, entries)?.contains(&false) { Err(wrong()) } else { Ok(text) }
}

/// A table in a table, made if need be; none if something else stands there.
fn child<'a>(parent: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    if parent.get(name).is_none() {
        let mut hidden = Table::new();
        hidden.set_implicit(true);
        parent.insert(name, Item::Table(hidden));
    }
    parent.get_mut(name)?.as_table_like_mut()
}

fn entry_in<'a>(document: &'a DocumentMut, key: &str) -> Option<&'a Item> {
    document.get("hooks")?.get("state")?.get(key)
}

fn hash_in<'a>(document: &'a DocumentMut, key: &str) -> Option<&'a str> {
    entry_in(document, key)?.get("trusted_hash")?.as_str()
}

/// Which of the entries the settings have.
pub fn trusted(config: &str, entries: &[Trust]) -> Result<Vec<bool>, PlanError> {
    let document = parse(config)?;
    Ok(entries.iter().map(|entry| hash_in(&document, &entry.key) == Some(&entry.hash)).collect())
}

/// How many of the entries say that their hook is turned off.
pub fn turned_off_entries(config: &str, entries: &[Trust]) -> Result<usize, PlanError> {
    let document = parse(config)?;
    let is_off = |entry: &&Trust| {
        let enabled = entry_in(&document, &entry.key).and_then(|item| item.get("enabled")?.as_bool());
        enabled == Some(false)
    };
    Ok(entries.iter().filter(is_off).count())
}

/// The settings without those entries, wherever in the list of their event the hooks stood when they were trusted, and
/// without tables that are empty because of that. What stands at the place of one is of an earlier command there. Of
/// `gone`, hooks that are not there any more, the same goes only for what is theirs by its digest.
pub fn without_trust(config: &str, entries: &[Trust], gone: &[Trust]) -> Result<String, PlanError> {
    behind_mark(config, |config| take_out(config, entries, gone))
}

fn take_out(config: &str, entries: &[Trust], gone: &[Trust]) -> Result<String, PlanError> {
    let mut document = parse(config)?;
    let state = document.get_mut("hooks").and_then(|hooks| hooks.get_mut("state")).and_then(Item::as_table_like_mut);
    let Some(state) = state else { return Ok(config.to_owned()) };
    let is_ours = |key: &str, item: &Item| {
        let hash = item.get("trusted_hash").and_then(Item::as_str);
        let is_of = |entry: &Trust| hash == Some(&entry.hash) && list_of(&entry.key) == list_of(key);
        entries.iter().any(|entry| entry.key == key || is_of(entry)) || gone.iter().any(is_of)
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
    let is_empty = |item: Option<&Item>| item.and_then(Item::as_table_like).is_some_and(TableLike::is_empty);
    if let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut)
        && is_empty(hooks.get("state"))
    {
        hooks.remove("state");
    }
    if is_empty(document.get("hooks")) {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

/// Entries of hooks that stand behind ours, in their group or in groups behind it, the first ones first, and their keys
/// once ours are gone.
fn moved_up(state: &dyn TableLike, ours: &[Trust]) -> Vec<(String, String)> {
    let mut moved: Vec<((u64, u64), String, String)> = Vec::new();
    for (key, _) in state.iter() {
        let Some((list, group, handler)) = place_of(key) else { continue };
        let in_list = || ours.iter().filter_map(|entry| Some((entry, place_of(&entry.key)?)));
        let in_list = || in_list().filter(|(_, place)| place.0 == list);
        let groups: BTreeSet<u64> =
            in_list().filter(|(entry, place)| entry.is_alone && place.1 < group).map(|(_, place)| place.1).collect();
        let handlers: BTreeSet<u64> =
            in_list().filter(|(_, place)| place.1 == group && place.2 < handler).map(|(_, place)| place.2).collect();
        let (gone, gone_within) = (groups.len() as u64, handlers.len() as u64);
        if gone > 0 || gone_within > 0 {
            moved.push((
                (group, handler),
                key.to_owned(),
                format!("{list}:{}:{}", group - gone, handler - gone_within),
            ));
        }
    }
    moved.sort();
    moved.into_iter().map(|(_, from, to)| (from, to)).collect()
}

/// The file and event of a key, its group, and its handler.
fn place_of(key: &str) -> Option<(&str, u64, u64)> {
    let (rest, handler) = key.rsplit_once(':')?;
    let (list, group) = rest.rsplit_once(':')?;
    Some((list, group.parse().ok()?, handler.parse().ok()?))
}

/// The file and event of a key.
fn list_of(key: &str) -> Option<&str> {
    place_of(key).map(|(list, ..)| list)
}

/// Whether the settings say that no hook runs at all: the name of the setting, the old one if the new one says nothing.
pub fn runs_no_hooks(config: &str) -> Result<Option<&'static str>, PlanError> {
    let document = parse(config)?;
    let feature = |name: &str| document.get("features").and_then(|features| features.get(name)?.as_bool());
    Ok(match (feature("hooks"), feature("codex_hooks")) {
        (Some(false), _) => Some("features.hooks"),
        (None, Some(false)) => Some("features.codex_hooks"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::hooks::{installed, with_hooks};
    use super::*;
    use memoir_event::Client;

    /// The entries for the hooks that run `command` in a file that has these already.
    fn entries_of(hooks: &str, command: &str) -> Vec<Trust> {
        let hooks = with_hooks(Client::Codex, hooks, command).unwrap();
        trust_entries("/h/.codex/hooks.json", &installed(Client::Codex, &hooks).unwrap())
    }

    fn entries() -> Vec<Trust> {
        entries_of("{}", "exec /h/memoir hook codex")
    }

    #[test]
    fn hooks_behind_ours_move_up_and_stay_trusted() {
        let own = |event: &str, group: u64, hash: &str| {
            format!("[hooks.state.\"/h/.codex/hooks.json:{event}:{group}:0\"]\ntrusted_hash = \"{hash}\"\n")
        };
        let hooks = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}"#;
        let entries = entries_of(hooks, "exec /h/memoir hook codex");
        let before = [own("stop", 0, "a"), own("stop", 2, "b"), own("stop", 3, "c"), own("other", 2, "d")].concat();
        let after = without_trust(&with_trust(&before, &entries).unwrap(), &entries, &[]).unwrap();
        let document = parse(&after).unwrap();
        let hash = |key: &str| hash_in(&document, &format!("/h/.codex/hooks.json:{key}")).map(str::to_owned);
        let hashes = ["stop:0:0", "stop:1:0", "stop:2:0", "stop:3:0", "other:2:0"].map(hash);
        assert_eq!(hashes.map(Option::unwrap_or_default), ["a", "b", "c", "", "d"], "{after}");
    }

    #[test]
    fn hooks_in_our_group_move_up_in_it_and_groups_behind_it_stay() {
        let hooks = with_hooks(Client::Codex, "{}", "exec /h/memoir hook codex").unwrap();
        let mut hooks: serde_json::Value = serde_json::from_str(&hooks).unwrap();
        let mine = serde_json::json!({"type": "command", "command": "mine"});
        hooks["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap().push(mine);
        let entries = trust_entries("/h/.codex/hooks.json", &installed(Client::Codex, &hooks.to_string()).unwrap());
        let own = |place: &str| format!("[hooks.state.\"/h/.codex/hooks.json:{place}\"]\ntrusted_hash = \"{place}\"\n");
        let before = [own("stop:0:1"), own("stop:1:0"), own("session_start:1:0")].concat();
        let after = without_trust(&with_trust(&before, &entries).unwrap(), &entries, &[]).unwrap();
        let document = parse(&after).unwrap();
        let hash = |key: &str| hash_in(&document, &format!("/h/.codex/hooks.json:{key}")).map(str::to_owned);
        let hashes = ["stop:0:0", "stop:1:0", "session_start:0:0"].map(hash).map(Option::unwrap_or_default);
        assert_eq!(hashes, ["stop:0:1", "stop:1:0", "session_start:1:0"], "{after}");
    }

    #[test]
    fn an_entry_names_the_place_of_the_hook_and_digests_what_it_is() {
        let entries = entries();
        assert_eq!(entries[0].key, "/h/.codex/hooks.json:session_start:0:0");
        assert!(entries.iter().any(|entry| entry.key.ends_with(":user_prompt_submit:0:0")));
        assert_ne!(entries_of("{}", "exec /other/memoir hook codex")[0].hash, entries[0].hash);
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
            assert_eq!(without_trust(&after, &entries(), &[]).unwrap(), before);
        }
        let moved = with_trust("", &entries()).unwrap().replace(":0:0\"", ":3:1\"");
        assert_eq!(without_trust(&moved, &entries(), &[]).unwrap(), "");
        assert_eq!(runs_no_hooks("[features]\nhooks = false\n").unwrap(), Some("features.hooks"));
        assert_eq!(runs_no_hooks("[features]\ncodex_hooks = false\n").unwrap(), Some("features.codex_hooks"));
        assert_eq!(runs_no_hooks("[features]\nhooks = true\ncodex_hooks = false\n").unwrap(), None);
        assert!(matches!(with_trust("a = ", &entries()), Err(PlanError::NotToml(_))));
        assert!(matches!(with_trust("hooks = 5\n", &entries()), Err(PlanError::WrongShape(_))));
    }

    /// Every value of a document with the names that lead to it, however its tables are written.
    fn values(text: &str) -> Vec<(String, String)> {
        fn walk(path: &str, item: &Item, all: &mut Vec<(String, String)>) {
            match item.as_table_like() {
                Some(table) => table.iter().for_each(|(name, item)| walk(&format!("{path}/{name}"), item, all)),
                None => all.push((path.to_owned(), item.to_string().trim().to_owned())),
            }
        }
        let mut all = Vec::new();
        walk("", parse(text).unwrap().as_item(), &mut all);
        all.sort();
        all
    }

    #[test]
    fn however_the_list_is_written_it_grows_by_the_entries_alone_and_shrinks_again() {
        let other = r#"{ "/other:stop:0:0" = { trusted_hash = "sha256:1" } }"#;
        for before in [
            format!("model = \"x\"\nhooks = {{ state = {other} }}\n\n[tui]\ntheme = \"y\"\n"),
            format!("[hooks]\nstate = {other} # mine\n[tui]\ntheme = \"y\"\n"),
            "hooks.state.\"/other:stop:0:0\".trusted_hash = \"sha256:1\"\nmodel = \"x\"\n[tui]\ntheme = \"y\"\n"
                .to_owned(),
            "[hooks]\nstate.\"/other:stop:0:0\" = { trusted_hash = \"sha256:1\" }\n".to_owned(),
            "[hooks.state]\n\"/other:stop:0:0\" = { trusted_hash = \"sha256:1\" }\n".to_owned(),
            "hooks = { Stop = [] }\nmodel = \"x\"\n".to_owned(),
            "hooks = {}\n".to_owned(),
            "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"x\" }]\n".to_owned(),
            "\u{feff}model = \"x\"\n".to_owned(),
        ] {
            let after = with_trust(&before, &entries()).unwrap();
            let mut expected = values(&before);
            let hash = |entry: &Trust| format!("\"{}\"", entry.hash);
            expected.extend(entries().iter().map(|e| (format!("/hooks/state/{}/trusted_hash", e.key), hash(e))));
            expected.sort();
            assert_eq!(values(&after), expected, "{after}");
            assert_eq!(after.starts_with('\u{feff}'), before.starts_with('\u{feff}'));
            assert_eq!(with_trust(&after, &entries()).unwrap(), after);
            let back = without_trust(&after, &entries(), &[]).unwrap();
            assert_eq!(values(&back), values(&before), "{back}");
        }
    }

    #[test]
    fn an_entry_for_an_earlier_command_takes_the_new_digest_and_keeps_the_rest() {
        let key = &entries()[0].key;
        for before in [
            format!("[hooks.state]\n\"{key}\" = {{ trusted_hash = \"sha256:old\", enabled = false }}\n"),
            format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:old\"\nenabled = false\n"),
        ] {
            let after = with_trust(&before, &entries()).unwrap();
            assert!(!after.contains("sha256:old") && after.contains("enabled = false"), "{after}");
            assert_eq!(turned_off_entries(&after, &entries()).unwrap(), 1);
            assert_eq!(without_trust(&after, &entries(), &[]).unwrap(), "");
            assert_eq!(without_trust(&before, &entries(), &[]).unwrap(), "", "at the place of a hook of ours");
        }
    }

    #[test]
    fn trust_in_hooks_that_are_gone_is_known_by_its_digest() {
        let theirs = "[hooks.state.\"/h/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:theirs\"\n";
        let ours = with_trust("", &entries()).unwrap().replace(":0:0\"", ":2:0\"");
        let after = without_trust(&format!("{theirs}{ours}"), &[], &entries()).unwrap();
        assert_eq!(after, theirs);
    }
}
