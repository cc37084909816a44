//! memoir in a client's list of MCP servers. Each client has its list in a file and a form of its own.

use super::hooks::{PlanError, json_text, once, parse, text_of};
use super::{behind_mark, in_json, without_mark};
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject};
use memoir_event::Client;
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// What the server is called in every list.
const NAME: &str = "memoir";

/// No settings file has this in it.
const STAND_IN: &str = "\u{e000}memoir server";

/// What stands under memoir's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// Nothing.
    Not,
    /// An entry of memoir's own form; what it runs.
    Ours(Vec<String>),
    /// An entry that somebody wrote by hand.
    ByHand,
}

/// The name of the list.
const fn list_of(client: Client) -> &'static str {
    match client {
        Client::Codex => "mcp_servers",
        Client::Claude | Client::Gemini | Client::Copilot => "mcpServers",
        Client::Opencode => "mcp",
    }
}

/// Whether that is how memoir writes what a client is to run: by the link in a home.
fn is_ours(command: &[String]) -> bool {
    let program = command.first().map(std::path::Path::new);
    program.is_some_and(|program| {
        program.is_absolute() && (program.ends_with("bin/memoir") || program.ends_with("bin/memoir.exe"))
    }) && command.last().is_some_and(|last| last == "mcp")
}

/// What stands under memoir's name in that client's list.
pub fn listed(client: Client, text: &str) -> Result<Listed, PlanError> {
    let entry = match client {
        Client::Codex => {
            let document = parse_toml(text)?;
            let Some(entry) = document.get(list_of(client)).and_then(|list| list.get(NAME)) else {
                return Ok(Listed::Not);
            };
            let texts = |name: &str| {
                let array = entry.get(name).and_then(Item::as_array);
                array.into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect::<Vec<_>>()
            };
            let program = entry.get("command").and_then(Item::as_str).map(str::to_owned);
            program.into_iter().chain(texts("args")).collect()
        }
        _ => {
            let root = parse(text)?;
            let list = root.object_value().and_then(|root| root.object_value(list_of(client)));
            let Some(property) = list.and_then(|list| list.get(NAME)) else { return Ok(Listed::Not) };
            property.object_value().map(|entry| command_in(&entry)).unwrap_or_default()
        }
    };
    Ok(if is_ours(&entry) { Listed::Ours(entry) } else { Listed::ByHand })
}

/// What an entry of a JSON list runs: a program and its arguments, or both in one list.
fn command_in(entry: &CstObject) -> Vec<String> {
    let words = |name: &str| {
        let elements = entry.array_value(name).map(|list| list.elements()).unwrap_or_default();
        elements.iter().filter_map(word).collect::<Vec<_>>()
    };
    text_of(entry, "command").into_iter().chain(words("command")).chain(words("args")).collect()
}

fn word(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}

/// Changes a list in the form that the client's has.
fn changed(
    client: Client,
    text: &str,
    change: impl FnOnce(&str) -> Result<String, PlanError>,
) -> Result<String, PlanError> {
    if client == Client::Codex { behind_mark(text, change) } else { in_json(text, change) }
}

/// The settings with memoir in the list; the same text if it is there already, by whomever.
pub fn with_server(client: Client, text: &str, command: &[String]) -> Result<String, PlanError> {
    changed(client, text, |text| match listed(client, text)? {
        Listed::ByHand => Ok(text.to_owned()),
        Listed::Ours(known) if known == command => Ok(text.to_owned()),
        Listed::Ours(_) => put_in(client, &take_out(client, text)?, command),
        Listed::Not => put_in(client, text, command),
    })
}

fn put_in(client: Client, text: &str, command: &[String]) -> Result<String, PlanError> {
    if client == Client::Codex { put_into_toml(text, command) } else { put_into_json(client, text, command) }
}

fn put_into_json(client: Client, text: &str, command: &[String]) -> Result<String, PlanError> {
    let list = list_of(client);
    let wrong = |what: &str| PlanError::WrongShape(what.to_owned());
    let root = parse(text)?;
    let whole = root.object_value().ok_or_else(|| wrong("the settings object"))?;
    once(&whole, list)?;
    let servers = whole.object_value_or_create(list).ok_or_else(|| wrong(list))?;
    once(&servers, NAME)?;
    servers.append(NAME, CstInputValue::String(STAND_IN.to_owned()));
    let mut after = root.to_string().replacen(&json_text(STAND_IN), &json_entry(client, command), 1);
    if text.trim().is_empty() {
        after.push('\n');
    }
    Ok(after)
}

/// The entry on one line, in the form that the client writes itself.
fn json_entry(client: Client, command: &[String]) -> String {
    let list = |words: &[String]| serde_json::Value::from(words.to_vec()).to_string();
    let (program, args) = command
        .split_first()
        .map_or((String::new(), String::new()), |(program, args)| (json_text(program), list(args)));
    match client {
        Client::Claude => format!(r#"{{"type": "stdio", "command": {program}, "args": {args}}}"#),
        Client::Copilot => format!(r#"{{"type": "local", "command": {program}, "args": {args}, "tools": ["*"]}}"#),
        Client::Opencode => format!(r#"{{"type": "local", "command": {}, "enabled": true}}"#, list(command)),
        Client::Codex | Client::Gemini => format!(r#"{{"command": {program}, "args": {args}}}"#),
    }
}

fn parse_toml(text: &str) -> Result<DocumentMut, PlanError> {
    without_mark(text).parse().map_err(|error: toml_edit::TomlError| PlanError::NotToml(error.message().to_owned()))
}

fn put_into_toml(text: &str, command: &[String]) -> Result<String, PlanError> {
    let list = list_of(Client::Codex);
    let wrong = || PlanError::WrongShape(list.to_owned());
    let mut document = parse_toml(text)?;
    if document.get(list).is_none() {
        let mut hidden = Table::new();
        hidden.set_implicit(true);
        document.insert(list, Item::Table(hidden));
    }
    let servers = document.get_mut(list).and_then(Item::as_table_like_mut).ok_or_else(wrong)?;
    let (program, args) = command.split_first().ok_or_else(wrong)?;
    let mut entry = Table::new();
    entry.insert("command", value(program));
    entry.insert("args", value(args.iter().collect::<Array>()));
    // Codex hands a server few of its variables: this one says that memoir itself started the agent.
    entry.insert("env_vars", value(Array::from_iter(["MEMOIR_AGENT"])));
    servers.insert(NAME, Item::Table(entry));
    let after = document.to_string();
    // There are many ways to write a table: better no entry than settings that mean something else.
    if listed(Client::Codex, &after)? == Listed::Ours(command.to_vec()) { Ok(after) } else { Err(wrong()) }
}

/// The settings without memoir's own entry, if what it runs `goes`, and without a list that is empty because of that.
pub fn without_server(client: Client, text: &str, goes: &dyn Fn(&[String]) -> bool) -> Result<String, PlanError> {
    changed(client, text, |text| match listed(client, text)? {
        Listed::Ours(command) if goes(&command) => take_out(client, text),
        _ => Ok(text.to_owned()),
    })
}

fn take_out(client: Client, text: &str) -> Result<String, PlanError> {
    let list = list_of(client);
    if client == Client::Codex {
        let mut document = parse_toml(text)?;
        if let Some(servers) = document.get_mut(list).and_then(Item::as_table_like_mut) {
            servers.remove(NAME);
            if servers.is_empty() {
                document.remove(list);
            }
        }
        return Ok(document.to_string());
    }
    let root = parse(text)?;
    let Some(whole) = root.object_value() else { return Ok(text.to_owned()) };
    let Some(servers) = whole.object_value(list) else { return Ok(text.to_owned()) };
    if let Some(property) = servers.get(NAME) {
        property.remove();
    }
    if servers.properties().is_empty()
        && let Some(property) = whole.get(list)
    {
        property.remove();
    }
    Ok(root.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command(home: &str) -> Vec<String> {
        vec![format!("{home}/.memoir/bin/memoir"), "mcp".to_owned()]
    }

    fn before(client: Client) -> &'static str {
        match client {
            Client::Codex => "# mine\nmodel = \"gpt-5\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n",
            Client::Opencode => {
                "{\n  // mine\n  \"mcp\": {\n    \"other\": { \"type\": \"remote\", \"url\": \"http://x\" }\n  }\n}\n"
            }
            _ => {
                "{\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } // keep\n  },\n  \"zeta\": [1,\n   2]\n}\n"
            }
        }
    }

    #[test]
    fn every_client_gets_the_entry_beside_others_and_loses_only_that() {
        for client in Client::ALL.iter().copied() {
            let before = before(client);
            let after = with_server(client, before, &command("/h")).unwrap();
            assert_eq!(listed(client, &after).unwrap(), Listed::Ours(command("/h")), "{after}");
            assert_eq!(with_server(client, &after, &command("/h")).unwrap(), after);
            assert!(after.contains("other"), "{after}");
            assert_eq!(without_server(client, &after, &|_| true).unwrap(), before, "{client}");
            assert_eq!(without_server(client, &after, &|_| false).unwrap(), after);
            let moved = with_server(client, &after, &command("/new")).unwrap();
            assert_eq!(listed(client, &moved).unwrap(), Listed::Ours(command("/new")), "{moved}");
            assert_eq!(moved.matches(".memoir/bin/memoir").count(), 1, "{moved}");
        }
    }

    #[test]
    fn an_empty_file_gets_a_list_and_is_empty_again_without_it() {
        for client in Client::ALL.iter().copied() {
            let after = with_server(client, "", &command("/h")).unwrap();
            assert_eq!(listed(client, &after).unwrap(), Listed::Ours(command("/h")), "{after}");
            let rest = without_server(client, &after, &|_| true).unwrap();
            assert!(matches!(rest.trim(), "" | "{}"), "{client}: {rest}");
        }
    }

    #[test]
    fn what_somebody_wrote_by_hand_stays_theirs() {
        let by_hand = [
            (Client::Codex, "[mcp_servers.memoir]\ncommand = \"memoir\"\nargs = [\"mcp\"]\n"),
            (Client::Claude, r#"{"mcpServers": {"memoir": {"command": "memoir", "args": ["mcp"]}}}"#),
            (Client::Gemini, r#"{"mcpServers": {"memoir": {"httpUrl": "http://127.0.0.1:8420/mcp"}}}"#),
            (Client::Opencode, r#"{"mcp": {"memoir": {"type": "remote", "url": "http://x"}}}"#),
        ];
        for (client, text) in by_hand {
            assert_eq!(listed(client, text).unwrap(), Listed::ByHand, "{text}");
            assert_eq!(with_server(client, text, &command("/h")).unwrap(), text);
            assert_eq!(without_server(client, text, &|_| true).unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_changed_safely_is_refused() {
        assert!(matches!(with_server(Client::Claude, "{ nope", &command("/h")), Err(PlanError::NotJson(_))));
        assert!(matches!(
            with_server(Client::Claude, r#"{"mcpServers": 5}"#, &command("/h")),
            Err(PlanError::WrongShape(_))
        ));
        let twice = r#"{"mcpServers": {}, "mcpServers": {}}"#;
        assert!(matches!(with_server(Client::Gemini, twice, &command("/h")), Err(PlanError::Twice(_))));
        assert!(matches!(with_server(Client::Codex, "= 5", &command("/h")), Err(PlanError::NotToml(_))));
        assert!(with_server(Client::Codex, "mcp_servers = 5", &command("/h")).is_err());
        let inline =
            with_server(Client::Codex, "mcp_servers = { other = { command = \"x\" } }\n", &command("/h")).unwrap();
        assert_eq!(listed(Client::Codex, &inline).unwrap(), Listed::Ours(command("/h")), "{inline}");
    }

    proptest! {
        #[test]
        fn whatever_was_in_the_file_is_there_again_without_the_entry(
            model in "[a-z]{0,6}", indent in "( {2,4}|\t)", comment in "[a-z ]{0,10}", others in 1usize..3,
        ) {
            let servers: Vec<String> =
                (0..others).map(|n| format!("{indent}{indent}\"s{n}\": {{\"command\": \"x\"}}")).collect();
            let before = format!(
                "{{\n{indent}\"model\": \"{model}\", // {comment}\n{indent}\"mcpServers\": {{\n{}\n{indent}}}\n}}\n",
                servers.join(",\n")
            );
            let after = with_server(Client::Claude, &before, &command("/h")).unwrap();
            prop_assert_eq!(without_server(Client::Claude, &after, &|_| true).unwrap(), before);
        }
    }
}
