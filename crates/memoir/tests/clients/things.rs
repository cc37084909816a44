//! The things of a conversation, in a form in which the model's side and the journal's side can be compared.

use memoir_testkit::{Client, Heard, Model, Said};
use serde_json::Value;

/// One thing that was said or done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thing {
    /// The session; Gemini does not tell its model.
    pub session: String,
    /// The sub-agent, if it was one; Gemini does not tell its hooks.
    pub agent: String,
    /// What memoir calls it.
    pub kind: String,
    /// What it says.
    pub text: String,
}

/// The kinds that a model hears of.
const HEARD: [&str; 4] = ["user_message", "assistant_message", "tool_call", "tool_result"];

/// Tools that write the file of the tests.
const WRITERS: [&str; 3] = ["apply_patch", "Write", "write_file"];

/// Of a longer result only that it is long is compared.
pub const LONG_BYTES: usize = 2000;

/// Everything that was said in a client's conversations, as the model heard it.
pub fn heard(client: Client, model: &Model) -> Vec<Thing> {
    let main = model.transcript(client).into_iter();
    // Codex gives an agent its task in a form that is for the server alone; it is known from the call that sends it.
    let is_hidden = |heard: &Heard| client == Client::Codex && matches!(heard.said, Said::User(_));
    let agents = model.agent_transcript(client).into_iter().filter(|heard| !is_hidden(heard));
    main.chain(agents).map(|heard| thing_heard(client, heard)).collect()
}

fn thing_heard(client: Client, heard: Heard) -> Thing {
    let Heard { session, agent, said } = heard;
    let (kind, text) = match said {
        Said::User(text) if agent.is_some() => ("context", text),
        Said::User(text) => ("user_message", text),
        Said::Assistant(text) => ("assistant_message", text),
        Said::Call { name, args } => ("tool_call", call(&name, &args)),
        Said::Result { name, text } => ("tool_result", result(&name, told(client, &text))),
    };
    let (session, agent) = match client {
        Client::Gemini => (String::new(), String::new()),
        Client::Codex | Client::Claude => (session, agent.unwrap_or_default()),
    };
    Thing { session, agent, kind: kind.to_owned(), text: text.trim().to_owned() }
}

/// The same of a journal's events.
pub fn stored(client: Client, events: &[Value]) -> Vec<Thing> {
    events.iter().filter_map(|event| thing_stored(client, event)).collect()
}

fn thing_stored(client: Client, event: &Value) -> Option<Thing> {
    let kind = word(event, "kind");
    let (payload, item) = (&event["payload"], &event["payload"]["item"]);
    let is_task = kind == "context" && payload["type"] == "subagent-task";
    if event["client"] != client.name() || !(is_task || HEARD.contains(&kind)) || is_between_steps(event) {
        return None;
    }
    let text = match kind {
        "user_message" => word(payload, "prompt").to_owned(),
        "context" => word(payload, "text").to_owned(),
        "tool_call" => call(word(item, "name"), &item["arguments"]),
        "tool_result" => result(word(&event["metadata"], "tool"), word(item, "text")),
        _ => word(item, "text").to_owned(),
    };
    let (session, agent) = match (word(event, "sessionId"), word(event, "threadId")) {
        _ if client == Client::Gemini => ("", ""),
        (session, thread) if session == thread => (session, ""),
        both => both,
    };
    Some(Thing {
        session: session.to_owned(),
        agent: agent.to_owned(),
        kind: kind.to_owned(),
        text: text.trim().to_owned(),
    })
}

/// Whether it happened where no model hears of it: a tool that a script called (Codex), the last step of an agent, after
/// which its model is not asked again (Gemini).
fn is_between_steps(event: &Value) -> bool {
    let is_end = event["kind"] == "tool_result" && event["metadata"]["tool"] == "complete_task";
    word(event, "actionId").starts_with("exec-") || is_end
}

/// A call by what it does: clients call one tool by several names.
fn call(name: &str, args: &Value) -> String {
    let patch = args.as_str().or(args["input"].as_str()).or(args["command"].as_str()).unwrap_or_default();
    let script = args["command"].as_str().or(args["cmd"].as_str());
    // Codex puts tools into groups, of which its model is told apart from the name.
    let name = name.rsplit("__").next().unwrap_or(name);
    match (name, script) {
        ("exec", _) => format!("script {patch}"),
        ("apply_patch", _) => format!("write notes.txt: {}", patch.contains("+a note")),
        ("Write" | "write_file", _) => format!("write notes.txt: {}", args["content"] == "a note\n"),
        (_, Some(script)) => format!("run {script}"),
        (_, None) => format!("{name} {args}"),
    }
}

/// A result; what a file became and what an agent answered is told in many words.
fn result(name: &str, text: &str) -> String {
    match name {
        _ if WRITERS.contains(&name) => format!("notes.txt: {}", text.contains("notes.txt")),
        "Agent" => format!("the child's answer: {}", text.contains("The child's answer.")),
        // Clients cut long results each in their own way, and what is known may be more than what the model heard.
        _ if text.len() > LONG_BYTES => "long".to_owned(),
        _ => text.to_owned(),
    }
}

/// What a tool said, without what the client says about it to the model.
fn told(client: Client, text: &str) -> &str {
    match client {
        Client::Codex => text.split_once("Output:\n").map_or(text, |(_, output)| output),
        Client::Claude => match text.strip_prefix("Exit code ") {
            Some(rest) => rest.split_once('\n').map_or("", |(_, output)| output),
            None => text,
        },
        Client::Gemini => match text.split_once("Output: ") {
            Some((_, rest)) => {
                let end = ["\nExit Code:", "\nProcess Group PGID:"].iter().filter_map(|mark| rest.find(mark)).min();
                rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
            }
            None => text,
        },
    }
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
