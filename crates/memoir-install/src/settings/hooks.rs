//! Hooks in a client's settings file, which is JSON and may have comments.

use super::events::{HookEvent, hook_events};
use super::{in_json, without_mark};
use crate::Launcher;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use memoir_event::Client;
use std::collections::BTreeSet;

/// Why a settings file cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It is not JSON, with or without comments.
    #[error("is not JSON ({0}); mend it first")]
    NotJson(String),
    /// It is not TOML.
    #[error("is not TOML ({0}); mend it first")]
    NotToml(String),
    /// Something else stands where hooks belong.
    #[error("has something else where `{0}` should be; mend it first")]
    WrongShape(String),
    /// A name stands there more than once: clients take the last, people see the first.
    #[error("has `{0}` twice; mend it first")]
    Twice(String),
}

/// A hook of memoir's in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The event.
    pub event: String,
    /// The number of its group in the event's list.
    pub group: usize,
    /// Its number in the group.
    pub handler: usize,
    /// Whether the group holds nothing but memoir's.
    pub is_alone: bool,
    /// What it runs.
    pub command: String,
    /// Which tools it is for.
    pub matcher: Option<String>,
    /// How long the client waits, if the file says so.
    pub timeout: Option<u64>,
}

/// Whether a command is memoir's hook for that client, of whatever version and place.
fn is_ours(client: Client, command: &str) -> bool {
    Launcher::wrote(client, command)
}

/// What stands in settings beside the hooks themselves: it stays when they go, be it empty.
#[derive(Debug, Default)]
pub struct Frame {
    has_hooks: bool,
    events: BTreeSet<String>,
}

impl Frame {
    /// The frame of settings as they were before memoir came.
    pub fn of(original: &str) -> Frame {
        let hooks = parse(original).ok().and_then(|root| root.object_value()?.object_value("hooks"));
        let events = hooks.iter().flat_map(CstObject::properties).filter_map(|property| property.decoded_name());
        Frame { has_hooks: hooks.is_some(), events: events.collect() }
    }
}

pub(super) fn parse(text: &str) -> Result<CstRootNode, PlanError> {
    let text = without_mark(text);
    let text = if text.trim().is_empty() { "{}" } else { text };
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| PlanError::NotJson(error.to_string()))
}

/// The hooks of memoir's in a settings file.
pub fn installed(client: Client, text: &str) -> Result<Vec<Installed>, PlanError> {
    let root = parse(text)?;
    let Some(hooks) = root.object_value().and_then(|root| root.object_value("hooks")) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for property in hooks.properties() {
        let (Some(event), Some(groups)) = (property.decoded_name(), property.array_value()) else { continue };
        for (group, element) in groups.elements().iter().enumerate() {
            let Some(fields) = element.as_object() else { continue };
            let matcher = text_of(&fields, "matcher");
            let all = handlers(&fields);
            let command_of = |element: &CstNode| {
                element.as_object().and_then(|fields| text_of(&fields, "command")).unwrap_or_default()
            };
            let is_alone = all.iter().all(|element| is_ours(client, &command_of(element)));
            for (handler, element) in all.iter().enumerate() {
                let Some(fields) = element.as_object() else { continue };
                let command = command_of(element);
                if is_ours(client, &command) {
                    let timeout = fields.get("timeout").and_then(|value| value.to_serde_value()?.as_u64());
                    let event = event.clone();
                    let matcher = matcher.clone();
                    found.push(Installed { event, group, handler, is_alone, command, matcher, timeout });
                }
            }
        }
    }
    Ok(found)
}

fn handlers(group: &CstObject) -> Vec<CstNode> {
    group.array_value("hooks").map(|handlers| handlers.elements()).unwrap_or_default()
}

pub(super) fn text_of(fields: &CstObject, name: &str) -> Option<String> {
    fields.get(name)?.value()?.as_string_lit()?.decoded_value().ok()
}

/// The settings with memoir's hooks in them; the same text if they are there already. Hooks that another home of
/// memoir's has put there become this one's.
pub fn with_hooks(client: Client, text: &str, command: &str) -> Result<String, PlanError> {
    in_json(text, |text| put_in(client, text, command))
}

fn put_in(client: Client, text: &str, command: &str) -> Result<String, PlanError> {
    let root = parse(text)?;
    let wrong = |what: &str| PlanError::WrongShape(what.to_owned());
    let whole = root.object_value().ok_or_else(|| wrong("the settings object"))?;
    once(&whole, "hooks")?;
    let hooks = whole.object_value_or_create("hooks").ok_or_else(|| wrong("hooks"))?;
    let mut added = Vec::new();
    for event in hook_events(client) {
        once(&hooks, event.name)?;
        let groups = hooks.array_value_or_create(event.name).ok_or_else(|| wrong(&format!("hooks.{}", event.name)))?;
        if !renew(client, &groups, event, command) {
            // Stands for the group until the text is there: the tree would spread it over a dozen lines.
            let stand_in = format!("{STAND_IN}{}", event.name);
            groups.append(CstInputValue::String(stand_in.clone()));
            added.push((json_text(&stand_in), group(client, event, command)));
        }
    }
    let mut text_after = root.to_string();
    for (stand_in, group) in added {
        text_after = text_after.replacen(&stand_in, &group, 1);
    }
    if text.trim().is_empty() {
        text_after.push('\n');
    }
    Ok(text_after)
}

pub(super) fn once(object: &CstObject, name: &str) -> Result<(), PlanError> {
    let is_named = |property: &CstObjectProp| {
        property.name().and_then(|name| name.decoded_value().ok()).is_some_and(|found| found == name)
    };
    match object.properties().iter().filter(|property| is_named(property)).count() {
        0 | 1 => Ok(()),
        _ => Err(PlanError::Twice(name.to_owned())),
    }
}

/// No settings file has this in it.
const STAND_IN: &str = "\u{e000}memoir group of ";

pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Brings a hook of memoir's that is there already up to date; its place, and so its name in a trust list, stays.
fn renew(client: Client, groups: &CstArray, event: &HookEvent, command: &str) -> bool {
    for group in groups.elements() {
        let Some(fields) = group.as_object() else { continue };
        for handler in handlers(&fields) {
            let Some(fields) = handler.as_object() else { continue };
            let known = text_of(&fields, "command").unwrap_or_default();
            if !is_ours(client, &known) {
                continue;
            }
            if known != command
                && let Some(property) = fields.get("command")
            {
                property.set_value(CstInputValue::String(command.to_owned()));
            }
            let timeout = fields.get("timeout").and_then(|value| value.to_serde_value()?.as_u64());
            if timeout != Some(event.timeout) {
                let value = CstInputValue::Number(event.timeout.to_string());
                match fields.get("timeout") {
                    Some(property) => property.set_value(value),
                    None => {
                        fields.append("timeout", value);
                    }
                }
            }
            return true;
        }
    }
    false
}

/// A group with one hook, on one line.
fn group(client: Client, event: &HookEvent, command: &str) -> String {
    let matcher = event.matcher.map(|tools| format!("\"matcher\": {}, ", json_text(tools))).unwrap_or_default();
    let name = if client == Client::Gemini { "\"name\": \"memoir\", " } else { "" };
    let (command, timeout) = (json_text(command), event.timeout);
    format!("{{{matcher}\"hooks\": [{{\"type\": \"command\", {name}\"command\": {command}, \"timeout\": {timeout}}}]}}")
}

/// The settings without those of memoir's hooks whose command `goes`, and without what is empty because of that.
pub fn without_hooks(client: Client, text: &str, goes: &dyn Fn(&str) -> bool) -> Result<String, PlanError> {
    without_hooks_in(&Frame::default(), client, text, goes)
}

/// The same, but what is in the frame stays.
pub fn without_hooks_in(
    frame: &Frame,
    client: Client,
    text: &str,
    goes: &dyn Fn(&str) -> bool,
) -> Result<String, PlanError> {
    in_json(text, |text| take_out(frame, client, text, goes))
}

fn take_out(frame: &Frame, client: Client, text: &str, goes: &dyn Fn(&str) -> bool) -> Result<String, PlanError> {
    let root = parse(text)?;
    let Some(hooks) = root.object_value().and_then(|root| root.object_value("hooks")) else {
        return Ok(text.to_owned());
    };
    let mut changed = false;
    for property in hooks.properties() {
        let Some(groups) = property.array_value() else { continue };
        let mut is_emptied = false;
        for group in groups.elements() {
            let Some(fields) = group.as_object() else { continue };
            let ours: Vec<CstNode> = handlers(&fields)
                .into_iter()
                .filter(|handler| {
                    let command = handler.as_object().and_then(|fields| text_of(&fields, "command"));
                    command.is_some_and(|command| is_ours(client, &command) && goes(&command))
                })
                .collect();
            if ours.is_empty() {
                continue;
            }
            (changed, is_emptied) = (true, true);
            ours.into_iter().for_each(CstNode::remove);
            if handlers(&fields).is_empty() {
                group.remove();
            }
        }
        let is_framed = property.decoded_name().is_some_and(|name| frame.events.contains(&name));
        if is_emptied && groups.elements().is_empty() && !is_framed {
            property.remove();
        }
    }
    if changed
        && !frame.has_hooks
        && hooks.properties().is_empty()
        && let Some(property) = root.object_value().and_then(|root| root.get("hooks"))
    {
        property.remove();
    }
    Ok(if changed { root.to_string() } else { text.to_owned() })
}

/// Whether the settings say that no hook runs, or not memoir's: the name of the setting.
pub fn turned_off(client: Client, text: &str) -> Result<Option<&'static str>, PlanError> {
    let value = parse(text)?.to_serde_value().unwrap_or_default();
    let hooks = |name: &str| value.get("hooksConfig").and_then(|hooks| hooks.get(name)).cloned().unwrap_or_default();
    Ok(match client {
        Client::Claude if value.get("disableAllHooks") == Some(&true.into()) => Some("disableAllHooks"),
        Client::Gemini if hooks("enabled") == false => Some("hooksConfig.enabled"),
        Client::Gemini
            if hooks("disabled").as_array().is_some_and(|names| names.iter().any(|name| name == "memoir")) =>
        {
            Some("hooksConfig.disabled")
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMAND: &str = "[ -x '/h/.memoir/bin/memoir' ] || exit 0; exec '/h/.memoir/bin/memoir' hook claude";

    #[test]
    fn a_name_that_is_there_twice_is_refused() {
        for text in [r#"{"hooks":{"Stop":[]},"hooks":{}}"#, r#"{"hooks":{"Stop":[],"Stop":[]}}"#] {
            assert!(matches!(with_hooks(Client::Claude, text, COMMAND), Err(PlanError::Twice(_))), "{text}");
        }
    }

    #[test]
    fn hooks_go_into_a_file_with_comments_and_everything_else_stays_as_it_is() {
        let before = "{\n  // my model\n  \"model\": \"opus\", /* keep */\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] } // mine\n    ]\n  },\n  \"zeta\": [1, 2,\n    3]\n}\n";
        let after = with_hooks(Client::Claude, before, COMMAND).unwrap();
        for kept in ["// my model", "/* keep */", "\"say done\"", "// mine", "[1, 2,\n    3]"] {
            assert!(after.contains(kept), "{kept} in {after}");
        }
        assert!(after.find("\"model\"") < after.find("\"hooks\"") && after.find("\"hooks\"") < after.find("\"zeta\""));
        let found = installed(Client::Claude, &after).unwrap();
        assert_eq!(found.len(), hook_events(Client::Claude).len());
        let stop = found.iter().find(|hook| hook.event == "Stop").unwrap();
        assert_eq!((stop.group, stop.handler, stop.timeout), (1, 0, Some(10)));
        assert_eq!(with_hooks(Client::Claude, &after, COMMAND).unwrap(), after);
        assert_eq!(without_hooks(Client::Claude, &after, &|_| true).unwrap(), before);
    }

    #[test]
    fn a_byte_order_mark_stays_in_front() {
        for before in ["\u{feff}{\n  \"model\": \"opus\"\n}\n", "\u{feff}{\r\n  \"a\": 1\r\n}\r\n"] {
            let after = with_hooks(Client::Claude, before, COMMAND).unwrap();
            assert!(after.starts_with("\u{feff}{") && after.matches('\u{feff}').count() == 1, "{after}");
            assert_eq!(installed(Client::Claude, &after).unwrap().len(), hook_events(Client::Claude).len());
            assert_eq!(with_hooks(Client::Claude, &after, COMMAND).unwrap(), after);
            assert_eq!(without_hooks(Client::Claude, &after, &|_| true).unwrap(), before);
            assert_eq!(turned_off(Client::Claude, &after).unwrap(), None);
        }
        assert!(with_hooks(Client::Claude, "\u{feff}", COMMAND).unwrap().starts_with("\u{feff}{"));
    }

    #[test]
    fn only_the_hooks_that_go_are_taken_out() {
        let mine = with_hooks(Client::Codex, "{}", "exec /mine/memoir hook codex").unwrap();
        let both =
            mine.replacen("[{", r#"[{"hooks": [{"type": "command", "command": "/theirs/memoir hook codex"}]}, {"#, 1);
        let left = without_hooks(Client::Codex, &both, &|command| command.contains("/mine/")).unwrap();
        let left = installed(Client::Codex, &left).unwrap();
        assert_eq!(left.iter().map(|hook| hook.command.as_str()).collect::<Vec<_>>(), ["/theirs/memoir hook codex"]);
        assert_eq!(without_hooks(Client::Codex, &mine, &|_| false).unwrap(), mine);
    }

    #[test]
    fn a_hook_of_the_users_stays_whatever_its_command_says() {
        let users = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "memoir-notes hook claude"}]}]}}"#;
        let after = with_hooks(Client::Claude, users, COMMAND).unwrap();
        assert!(after.contains("memoir-notes hook claude"), "{after}");
        assert_eq!(installed(Client::Claude, &after).unwrap().len(), hook_events(Client::Claude).len());
        let left = without_hooks(Client::Claude, &after, &|_| true).unwrap();
        let value = |text: &str| parse(text).unwrap().to_serde_value().unwrap();
        assert_eq!(value(&left), value(users));
    }

    #[test]
    fn what_was_empty_before_the_hooks_came_stays_when_they_go() {
        for before in
            [r#"{"hooks": {"Stop": [], "Notification": []}}"#, r#"{"hooks": {"Own": []}}"#, r#"{"hooks": {}}"#]
        {
            let after = with_hooks(Client::Claude, before, COMMAND).unwrap();
            let edited = after.replacen('{', r#"{"model": "x", "#, 1);
            let left = without_hooks_in(&Frame::of(before), Client::Claude, &edited, &|_| true).unwrap();
            let value = |text: &str| parse(text).unwrap().to_serde_value().unwrap();
            assert_eq!(value(&left), value(&before.replacen('{', r#"{"model": "x", "#, 1)), "{left}");
        }
        let others = r#"{"hooks": {"Own": []}}"#;
        let after = with_hooks(Client::Claude, others, COMMAND).unwrap();
        assert!(without_hooks(Client::Claude, &after, &|_| true).unwrap().contains("Own"));
    }

    #[test]
    fn an_empty_file_gets_a_whole_one() {
        for client in [Client::Codex, Client::Claude, Client::Gemini] {
            let command = COMMAND.replace("claude", client.as_str());
            let after = with_hooks(client, "", &command).unwrap();
            let value: serde_json::Value = serde_json::from_str(&after).unwrap();
            assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), ["hooks"]);
            assert_eq!(installed(client, &after).unwrap().len(), hook_events(client).len());
            assert_eq!(without_hooks(client, &after, &|_| true).unwrap().trim(), "{}");
        }
    }

    #[test]
    fn another_binary_takes_the_place_of_the_old_one() {
        let old = with_hooks(Client::Codex, "{}", "exec /old/memoir hook codex").unwrap();
        let new = with_hooks(Client::Codex, &old, "exec /new/memoir hook codex").unwrap();
        let found = installed(Client::Codex, &new).unwrap();
        assert!(found.iter().all(|hook| hook.command == "exec /new/memoir hook codex" && hook.group == 0));
        assert_eq!(found.len(), hook_events(Client::Codex).len());
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        assert!(matches!(with_hooks(Client::Claude, "{ nope", COMMAND), Err(PlanError::NotJson(_))));
        assert!(matches!(with_hooks(Client::Claude, "[]", COMMAND), Err(PlanError::WrongShape(_))));
        let wrong = with_hooks(Client::Claude, "{\"hooks\":{\"Stop\":5}}", COMMAND);
        assert_eq!(wrong, Err(PlanError::WrongShape("hooks.Stop".into())));
        assert_eq!(installed(Client::Claude, "{\"hooks\":[1]}"), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn whatever_was_in_the_file_is_there_again_without_the_hooks(
            model in "[a-z]{0,6}", indent in "( {2,4}|\t)", comment in "[a-z ]{0,10}", others in 0usize..3,
        ) {
            let hooks: Vec<String> =
                (0..others).map(|n| format!("{indent}{indent}\"Event{n}\": [{{\"hooks\": []}}]")).collect();
            let before = format!(
                "{{\n{indent}\"model\": \"{model}\", // {comment}\n{indent}\"hooks\": {{\n{}\n{indent}}}\n}}\n",
                hooks.join(",\n")
            );
            let after = with_hooks(Client::Gemini, &before, "memoir hook gemini").unwrap();
            let without = without_hooks(Client::Gemini, &after, &|_| true).unwrap();
            let value = |text: &str| parse(text).unwrap().to_serde_value().unwrap();
            let mut expected = value(&before);
            if others == 0 {
                expected.as_object_mut().unwrap().remove("hooks");
            }
            prop_assert_eq!(value(&without), expected);
            let marker = format!("// {comment}");
            prop_assert!(without.contains(&marker));
        }
    }

    #[test]
    fn settings_that_turn_hooks_off_are_noticed() {
        let off = |client, text: &str| turned_off(client, text).unwrap();
        assert_eq!(off(Client::Claude, "{\"disableAllHooks\": true} // x"), Some("disableAllHooks"));
        assert_eq!(off(Client::Claude, "{\"disableAllHooks\": false}"), None);
        assert_eq!(off(Client::Gemini, "{\"hooksConfig\": {\"enabled\": false}}"), Some("hooksConfig.enabled"));
        assert_eq!(
            off(Client::Gemini, "{\"hooksConfig\": {\"disabled\": [\"memoir\"]}}"),
            Some("hooksConfig.disabled")
        );
        assert_eq!(off(Client::Gemini, ""), None);
    }
}
