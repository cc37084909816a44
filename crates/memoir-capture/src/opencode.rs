//! opencode: the rows of its database. Reading the database is somebody else's work; here a row becomes events.

use crate::boundary;
use crate::lenient::{Flag, Number, Raw, Text, lenient};
use crate::media::Media;
use crate::out::Out;
use crate::parser::{mended, read};
use crate::patch::{Change, ChangeKind};
use crate::payload::Payload;
use crate::scene::{Call, Ending, Maker, Scene, Tokens, digest, item};
use crate::shell;
use memoir_event::{Client, Identity, Source, Time};
use std::sync::Arc;

/// A row of the table of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// The session that it is a sub-agent of.
    pub parent: Option<String>,
    /// The session at the root.
    pub root: String,
    /// Its directory.
    pub directory: String,
    /// The client's version.
    pub version: String,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
}

/// A row of the table of parts, with the message it belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartRow {
    /// The part's id.
    pub id: String,
    /// What the part says, as JSON.
    pub data: String,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
    /// The message's id.
    pub message: String,
    /// What the message says, as JSON.
    pub message_data: String,
    /// Counts the rows of the database.
    pub number: u64,
}

lenient! {
    struct Message<'a> {
        role: Text<'a> = "role",
        parent: Text<'a> = "parentID",
        model: Text<'a> = "modelID",
        time: Times<'a> = "time",
        summary: Raw<'a> = "summary",
        error: Failure<'a> = "error",
    }
}

lenient! {
    struct Times<'a> {
        created: Number = "created",
        start: Number = "start",
        end: Number = "end",
    }
}

lenient! {
    struct Failure<'a> {
        data: FailureData<'a> = "data",
        name: Text<'a> = "name",
    }
}

lenient! {
    struct FailureData<'a> {
        message: Text<'a> = "message",
    }
}

lenient! {
    struct Part<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        synthetic: Flag = "synthetic",
        ignored: Flag = "ignored",
        time: Times<'a> = "time",
        tool: Text<'a> = "tool",
        call_id: Text<'a> = "callID",
        state: ToolState<'a> = "state",
        mime: Text<'a> = "mime",
        url: Text<'a> = "url",
        filename: Text<'a> = "filename",
        tokens: Usage<'a> = "tokens",
        cost: Number = "cost",
        prompt: Text<'a> = "prompt",
    }
}

lenient! {
    struct ToolState<'a> {
        status: Text<'a> = "status",
        input: Raw<'a> = "input",
        output: Text<'a> = "output",
        error: Text<'a> = "error",
        about: About<'a> = "metadata",
        time: Times<'a> = "time",
    }
}

lenient! {
    struct About<'a> {
        exit: Number = "exit",
        path: Text<'a> = "filepath",
        exists: Flag = "exists",
    }
}

lenient! {
    struct Usage<'a> {
        input: Number = "input",
        output: Number = "output",
        reasoning: Number = "reasoning",
        cache: Cache<'a> = "cache",
    }
}

lenient! {
    struct Cache<'a> {
        read: Number = "read",
        write: Number = "write",
    }
}

lenient! {
    struct EditInput<'a> {
        path: Text<'a> = "filePath",
    }
}

fn scene_of(session: &SessionRow) -> Scene {
    let mut scene = Scene::new(Client::Opencode, Source::OpencodeHistory);
    scene.session.clone_from(&session.root);
    scene.thread.clone_from(&session.id);
    scene.cwd = Some(Arc::from(session.directory.as_str()));
    scene
}

/// The beginning of a session.
pub fn read_session(session: &SessionRow, number: u64, out: &mut Out) {
    out.begin_record();
    let details = Payload::new()
        .text("thread_id", &session.id)
        .text("cwd", &session.directory)
        .text("version", &session.version)
        .said("parent_thread", session.parent.as_deref());
    let time = Some(Time::from_ms(session.created_ms));
    Maker::of_record(&scene_of(session), time, number, out).session_started(details);
}

/// One part of a message.
pub fn read_part(session: &SessionRow, row: &PartRow, out: &mut Out) {
    out.begin_record();
    let (message, part) = (mended(&row.message_data), mended(&row.data));
    let (Some(message), Some(part)) = (read::<Message<'_>>(&message), read::<Part<'_>>(&part)) else {
        out.problem("not JSON");
        return;
    };
    let mut scene = scene_of(session);
    let is_user = message.role.is("user");
    scene.turn = if is_user { Some(row.message.clone()) } else { message.parent.owned() };
    // A fork copies everything under new ids; times and texts stay.
    let at_ms = part.time.start.whole().or_else(|| message.time.created.whole()).unwrap_or(row.created_ms);
    let mut maker = Maker::of_record(&scene, Some(Time::from_ms(at_ms)), row.number, out);
    match part.kind.get() {
        Some("text") if is_user => user_text(session, row, &part, &mut maker),
        Some("text") => {
            if let Some(text) = part.text.owned() {
                let names = names(row, "assistant", &text);
                if message.summary.get() == Some("true") {
                    maker.summary(text, names);
                } else {
                    maker.assistant(text, names);
                }
            }
        }
        Some("reasoning") => {
            let text = part.text.get().unwrap_or_default().to_owned();
            let names = names(row, "reasoning", &text);
            maker.reasoning(text, names);
        }
        Some("tool") => tool(&part, &mut maker),
        Some("step-finish") => {
            let tokens = Tokens {
                input: part.tokens.input.count(),
                cached: part.tokens.cache.read.count(),
                cache_written: part.tokens.cache.write.count(),
                output: part.tokens.output.count(),
                reasoning: part.tokens.reasoning.count(),
                cost_usd: part.cost.0.filter(|cost| *cost > 0.0),
            };
            maker.usage(&row.id, message.model.said(), tokens);
        }
        Some("file") => {
            let media = part.url.said().map_or(Media { kind: "file".into(), bytes: None }, Media::of_url);
            let name = part.filename.said().unwrap_or_default();
            let note =
                format!("{} {name}", Media { kind: part.mime.said().unwrap_or("file").to_owned(), ..media }.note());
            maker.context("attachment", note.trim(), vec![item(&row.id, 0)]);
        }
        Some("subtask") => {
            if let Some(text) = part.prompt.said() {
                maker.context("subagent-task", text, vec![item(&row.id, 0)]);
            }
        }
        Some(kind @ ("step-start" | "patch" | "compaction" | "agent" | "snapshot" | "retry")) => {
            maker.out.left_out(kind);
        }
        Some(kind) => maker.opaque(kind, &row.data, vec![item(&row.id, 0)]),
        None => maker.out.problem("part without a type"),
    }
}

/// What went wrong with a message, if anything.
pub fn read_message(session: &SessionRow, id: &str, data: &str, number: u64, out: &mut Out) {
    out.begin_record();
    let data = mended(data);
    let Some(message) = read::<Message<'_>>(&data) else {
        out.problem("not JSON");
        return;
    };
    let Some(text) = message.error.data.message.said().or_else(|| message.error.name.said()) else { return };
    let mut scene = scene_of(session);
    scene.turn = message.parent.owned();
    let time = message.time.created.whole().map(Time::from_ms);
    let mut maker = Maker::of_record(&scene, time, number, out);
    if message.error.name.is("MessageAbortedError") {
        let details = Payload::new().text("reason", "user");
        maker.turn_completed(message.parent.said().unwrap_or(id), "interrupted", &details);
    } else {
        maker.error(text.to_owned(), vec![item(id, 0)]);
    }
}

fn user_text(session: &SessionRow, row: &PartRow, part: &Part<'_>, maker: &mut Maker<'_>) {
    let Some(text) = part.text.said() else { return };
    if part.synthetic.is_set() || part.ignored.is_set() {
        maker.out.context("meta");
        return;
    }
    let text = unquoted(text);
    if session.parent.is_some() {
        maker.context("subagent-task", text, vec![item(&row.id, 0)]);
        return;
    }
    let sorted = boundary::sort(text);
    for (nth, (name, kept)) in (1..).zip(&sorted.context) {
        maker.out.context(name);
        if let Some(kept) = kept {
            maker.context(name, kept, vec![item(&row.id, nth)]);
        }
    }
    if let Some(words) = sorted.speech {
        maker.user(words.into_owned(), names(row, "user", text));
    }
}

/// `opencode run "two words"` keeps the quotes.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| inner.contains(' ') && !inner.contains('"')).unwrap_or(text)
}

fn names(row: &PartRow, who: &str, text: &str) -> Vec<Identity> {
    vec![item(&row.id, 0), Identity::Record { id: format!("{who}/{}", digest(text)), block: 0 }]
}

fn tool(part: &Part<'_>, maker: &mut Maker<'_>) {
    let name = part.tool.said().unwrap_or("tool");
    let call = Call { id: part.call_id.said(), name, arguments: None };
    let state = &part.state;
    let input = state.input.get().unwrap_or("{}");
    maker.tool_call(call, input);
    let named = |maker: &mut Maker<'_>| {
        // A copy of a session keeps the ids of its calls.
        let id = part.call_id.get().unwrap_or_default().to_owned();
        maker.last(|event| event.identities.push(Identity::Record { id, block: 0 }));
    };
    named(maker);
    let failed = state.status.is("error");
    if !failed && !state.status.is("completed") {
        return;
    }
    if let Some(end) = state.time.end.whole() {
        maker.time = Some(Time::from_ms(end));
    }
    let exit_code = state.about.exit.whole();
    let output = state.error.said().or_else(|| state.output.get()).unwrap_or_default().to_owned();
    maker.tool_result(call, output, exit_code, failed || exit_code.is_some_and(|code| code != 0));
    named(maker);
    if let Some(script) = shell::script_of_call(name, input) {
        maker.command(call, &script, Ending { exit_code, status: state.status.said(), ..Ending::default() });
        named(maker);
    }
    if !failed && matches!(name, "write" | "edit" | "patch") {
        let asked: EditInput<'_> = serde_json::from_str(input).unwrap_or_default();
        let is_new = name == "write" && state.about.exists.0 == Some(false);
        let kind = if is_new { ChangeKind::Add } else { ChangeKind::Update };
        let path = state.about.path.said().or_else(|| asked.path.said());
        let changes: Vec<Change> = path.map(|path| Change::new(path, kind)).into_iter().collect();
        if !changes.is_empty() {
            maker.file_change(call, &changes, Some("completed"));
            named(maker);
        }
    }
}
