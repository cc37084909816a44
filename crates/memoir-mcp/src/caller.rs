//! Who asks: which client, in which session, in which directory. Requests tell it, or the process that the client started.

use memoir_event::Client;
use serde_json::{Map, Value};

/// Whose words it is when something is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writer {
    /// An agent that works for the user.
    #[default]
    UsersAgent,
    /// An agent that memoir itself started: nothing it writes is the user's.
    OwnAgent,
}

/// What a process knows of the client that started it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    sessions: Vec<(Client, String)>,
    dirs: Vec<(Client, String)>,
    cwd: Option<String>,
    writer: Writer,
}

/// Variables that name the session which a client is in.
const SESSION_VARIABLES: [(Client, &str); 3] = [
    (Client::Claude, "CLAUDE_CODE_SESSION_ID"),
    (Client::Gemini, "GEMINI_SESSION_ID"),
    (Client::Copilot, "COPILOT_AGENT_SESSION_ID"),
];

/// Variables that name its project.
const DIR_VARIABLES: [(Client, &str); 2] =
    [(Client::Claude, "CLAUDE_PROJECT_DIR"), (Client::Gemini, "GEMINI_PROJECT_DIR")];

/// A longer name of anything is none.
const NAME_BYTES_MAX: usize = 512;

impl Surroundings {
    /// What those variables and the working directory tell.
    pub fn new(variable: &dyn Fn(&str) -> Option<String>, cwd: Option<String>, writer: Writer) -> Surroundings {
        let of = |known: &[(Client, &str)]| {
            known.iter().filter_map(|(client, name)| Some((*client, sane(&variable(name)?)?))).collect()
        };
        Surroundings { sessions: of(&SESSION_VARIABLES), dirs: of(&DIR_VARIABLES), cwd, writer }
    }
}

/// What a request tells of whoever sent it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sender<'a> {
    /// What the client calls itself.
    pub(crate) name: Option<&'a str>,
    /// The request's `_meta`.
    pub(crate) meta: Option<&'a Map<String, Value>>,
}

/// Who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// What the client calls itself, where it does.
    pub(crate) name: Option<String>,
    /// The session, as people see it.
    pub(crate) session: Option<String>,
    /// The directory of the work.
    pub(crate) dir: Option<String>,
    /// Whether the client said so; else it is where the process was started.
    pub(crate) is_placed: bool,
    pub(crate) writer: Writer,
}

impl Caller {
    /// What a request tells counts more than what the process knows: one process may serve several sessions.
    pub(crate) fn of(around: &Surroundings, sender: &Sender<'_>) -> Caller {
        let name = sender.name.and_then(sane);
        let told = sender.meta.and_then(codex_turn);
        let client = name.as_deref().and_then(client_of).or(told.as_ref().map(|_| Client::Codex));
        let (session, dir) = told.map_or((None, None), |turn| (turn.session, turn.dir));
        let session = session
            .map(|session| (Client::Codex, session))
            .or_else(|| of_client(&around.sessions, client))
            .map(|(client, id)| Client::shown_session(Some(client), &id));
        let dir = dir.or_else(|| of_client(&around.dirs, client).map(|(_, dir)| dir));
        let is_placed = dir.is_some();
        Caller { name, session, dir: dir.or_else(|| around.cwd.clone()), is_placed, writer: around.writer }
    }
}

/// The entry of a client. One agent may run another, which then has the variables of both: without a name only a single
/// one is believed.
fn of_client(known: &[(Client, String)], client: Option<Client>) -> Option<(Client, String)> {
    match (client, known) {
        (Some(client), known) => known.iter().find(|(of, _)| *of == client).cloned(),
        (None, [only]) => Some(only.clone()),
        (None, _) => None,
    }
}

/// The client behind the name by which it introduces itself, such as `codex-mcp-client` or `opencode/1.18.33`.
fn client_of(name: &str) -> Option<Client> {
    let name = name.to_ascii_lowercase();
    let known = [
        ("claude", Client::Claude),
        ("codex", Client::Codex),
        ("gemini", Client::Gemini),
        ("copilot", Client::Copilot),
        ("opencode", Client::Opencode),
    ];
    known.into_iter().find(|(part, _)| name.contains(part)).map(|(_, client)| client)
}

struct Turn {
    session: Option<String>,
    dir: Option<String>,
}

/// What Codex tells with each call: its session, also of a sub-agent, and where it works.
fn codex_turn(meta: &Map<String, Value>) -> Option<Turn> {
    let turn = match meta.get("x-codex-turn-metadata") {
        Some(Value::Object(turn)) => Some(turn.clone()),
        // As a header it is a text.
        Some(Value::String(text)) => serde_json::from_str(text).ok(),
        _ => None,
    };
    let text = |fields: &Map<String, Value>, name: &str| fields.get(name).and_then(Value::as_str).and_then(sane);
    let in_turn = |name: &str| turn.as_ref().and_then(|turn| text(turn, name));
    let session = text(meta, "sessionId")
        .or_else(|| in_turn("session_id"))
        .or_else(|| text(meta, "threadId"))
        .or_else(|| in_turn("thread_id"));
    let workspace = || {
        let workspaces = turn.as_ref()?.get("workspaces")?.as_object()?;
        // Of several it does not say in which one the work is.
        if workspaces.len() == 1 { workspaces.keys().next().and_then(|dir| sane(dir)) } else { None }
    };
    let dir = in_turn("cwd").or_else(workspace);
    (turn.is_some() || session.is_some()).then_some(Turn { session, dir })
}

/// A name that can be one: not blank, not endless, on one line.
fn sane(name: &str) -> Option<String> {
    let is_sane = !name.trim().is_empty() && name.len() <= NAME_BYTES_MAX && !name.chars().any(char::is_control);
    is_sane.then(|| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn around(variables: &[(&str, &str)]) -> Surroundings {
        let variable = |name: &str| variables.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned());
        Surroundings::new(&variable, Some("/home/a/here".to_owned()), Writer::UsersAgent)
    }

    #[expect(clippy::needless_pass_by_value, reason = "`json!` at the call site reads better than a reference to it")]
    fn asks(around: &Surroundings, name: &str, meta: Value) -> (Option<String>, Option<String>) {
        let meta = meta.as_object().cloned().unwrap_or_default();
        let caller = Caller::of(around, &Sender { name: Some(name), meta: Some(&meta) });
        (caller.session, caller.dir)
    }

    #[test]
    fn codex_names_its_session_and_place_with_each_call() {
        let meta = json!({"threadId": "t", "sessionId": "s", "x-codex-turn-metadata": {
            "session_id": "s", "thread_id": "t", "workspaces": {"/home/a/shop": {"has_changes": false}}}});
        let here = around(&[]);
        assert_eq!(asks(&here, "codex-mcp-client", meta), (Some("cx-s".into()), Some("/home/a/shop".into())));
        let as_text = json!({"x-codex-turn-metadata": "{\"session_id\":\"s2\",\"cwd\":\"/home/a/two\"}"});
        assert_eq!(asks(&here, "?", as_text), (Some("cx-s2".into()), Some("/home/a/two".into())));
        let two = json!({"sessionId": "s", "x-codex-turn-metadata": {"workspaces": {"/a": {}, "/b": {}}}});
        assert_eq!(asks(&here, "codex-mcp-client", two), (Some("cx-s".into()), Some("/home/a/here".into())));
    }

    #[test]
    fn claude_names_its_session_in_the_environment() {
        let here = around(&[("CLAUDE_CODE_SESSION_ID", "01a6"), ("CLAUDE_PROJECT_DIR", "/home/a/shop")]);
        let meta = json!({"claudecode/toolUseId": "toolu_1", "progressToken": 2});
        assert_eq!(asks(&here, "claude-code", meta), (Some("cc-01a6".into()), Some("/home/a/shop".into())));
    }

    #[test]
    fn an_agent_inside_another_is_not_taken_for_it() {
        let both = around(&[("CLAUDE_CODE_SESSION_ID", "outer"), ("GEMINI_SESSION_ID", "inner")]);
        assert_eq!(asks(&both, "gemini-cli-mcp-client", json!({})).0, Some("gm-inner".into()));
        assert_eq!(asks(&both, "opencode", json!({})).0, None);
        assert_eq!(asks(&both, "somebody", json!({})).0, None);
        let outer = around(&[("CLAUDE_CODE_SESSION_ID", "outer"), ("CLAUDE_PROJECT_DIR", "/home/a/outer")]);
        assert_eq!(asks(&outer, "opencode", json!({})), (None, Some("/home/a/here".into())));
    }

    proptest! {
        #[test]
        fn no_meta_breaks_it(name in ".{0,20}", session in "\\PC{0,700}", turn in ".{0,60}") {
            let meta = json!({"sessionId": session, "threadId": 5, "x-codex-turn-metadata": turn});
            let (session, _) = asks(&around(&[]), &name, meta);
            prop_assert!(session.is_none_or(|session| session.len() <= NAME_BYTES_MAX + 3));
        }
    }
}
