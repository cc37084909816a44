//! Response items: what the model saw and said.

use super::{At, Form, Held, Pending, Rollout, Who};
use crate::boundary::{self, Stand};
use crate::codex::code;
use crate::content::{Piece, Unknown, pieces, pieces_of_result};
use crate::lenient::{Flag, List, Raw, Text, Words, lenient};
use crate::likeness;
use crate::media::Media;
use crate::patch::{Change, ChangeKind, changes_of_patch};
use crate::payload::push_text;
use crate::scene::{Call, Ending};
use crate::shell;
use memoir_event::{Client, Json};
use std::borrow::Cow;

/// What the user types that is no speech: written in both forms, and counted in the other one.
const TYPED: [&str; 4] = ["ack", "slash-command", "shell-command", "task-notification"];

lenient! {
    struct Item<'a> {
        kind: Text<'a> = "type",
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        content: Raw<'a> = "content",
        summary: Raw<'a> = "summary",
        name: Text<'a> = "name",
        namespace: Text<'a> = "namespace",
        call_id: Text<'a> = "call_id",
        arguments: Raw<'a> = "arguments",
        input: Words<'a> = "input",
        output: Raw<'a> = "output",
        action: Raw<'a> = "action",
        result: Text<'a> = "result",
        revised_prompt: Text<'a> = "revised_prompt",
        author: Text<'a> = "author",
        recipient: Text<'a> = "recipient",
        passthrough: Passthrough<'a> = "internal_chat_message_metadata_passthrough",
    }
}

lenient! {
    struct Passthrough<'a> {
        turn_id: Text<'a> = "turn_id",
        kinds: List<Text<'a>> = "content_item_kinds",
        about: List<About<'a>> = "content_item_metadata",
    }
}

lenient! {
    struct About<'a> {
        provenance: Provenance<'a> = "provenance",
    }
}

lenient! {
    struct Provenance<'a> {
        kind: Text<'a> = "type",
        hook: Flag = "hook",
    }
}

lenient! {
    struct LineMetadata<'a> {
        compaction_output: Flag = "compaction_output",
    }
}

impl Rollout {
    pub(super) fn item_line(&mut self, payload: Raw<'_>, metadata: Raw<'_>, at: &mut At<'_>) {
        let item: Item<'_> = payload.read();
        let turn = item.passthrough.turn_id.owned();
        match item.kind.get() {
            Some("message") => self.message(&item, metadata, turn, at),
            Some("reasoning") => self.reasoning(&item, turn.as_deref(), at),
            Some(kind @ ("function_call" | "custom_tool_call")) if is_misnamed(&item, payload) => {
                at.out.problem("call whose name is no text");
                let (kind, text) = (format!("item.{kind}"), payload.get().unwrap_or_default().to_owned());
                self.in_turn_of(turn.as_deref(), |rollout| rollout.opaque(&kind, &text, at));
            }
            Some(
                "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" | "web_search_call",
            ) => {
                self.in_turn_of(turn.as_deref(), |rollout| rollout.call(&item, at));
            }
            Some("function_call_output" | "custom_tool_call_output" | "tool_search_output") => {
                self.in_turn_of(turn.as_deref(), |rollout| rollout.output(&item, at));
            }
            Some("agent_message") => self.in_turn_of(turn.as_deref(), |rollout| rollout.agent_message(&item, at)),
            Some(
                kind @ ("additional_tools"
                | "ghost_snapshot"
                | "compaction"
                | "compaction_summary"
                | "context_compaction"
                | "configuration_update"),
            ) => at.out.left_out(kind),
            Some("image_generation_call") => {
                self.in_turn_of(turn.as_deref(), |rollout| rollout.image(&item, at));
            }
            Some(kind) => {
                let (kind, text) = (format!("item.{kind}"), payload.get().unwrap_or_default().to_owned());
                self.opaque(&kind, &text, at);
            }
            None => at.out.problem("item without a type"),
        }
    }

    fn message(&mut self, item: &Item<'_>, metadata: Raw<'_>, turn: Option<String>, at: &mut At<'_>) {
        let is_hook = item.passthrough.about.0.iter().any(|about| about.provenance.hook.is_set());
        match item.role.get() {
            Some("assistant") => {
                if metadata.read::<LineMetadata<'_>>().compaction_output.is_set() {
                    at.out.left_out("compaction answer");
                    return;
                }
                let said = Message::of(item.content);
                self.unknown_blocks(Who::Assistant, &said.unknown, turn.as_deref(), at);
                self.hold(Who::Assistant, said.texts.join("\n"), Vec::new(), turn, at);
            }
            Some("user") if is_hook => at.out.context("hook-context"),
            Some("user") => {
                let said = Message::of(item.content);
                let is_users = is_users(item);
                let mut words = Vec::new();
                for text in said.texts {
                    if is_users == Some(false) {
                        at.out.context("environment");
                        continue;
                    }
                    let sorted = boundary::sort_of(Some(Client::Codex), &text, Stand::Sent);
                    match sorted.speech {
                        Some(_) if !is_image_mark(&text) => words.push(text.into_owned()),
                        Some(_) => {}
                        // Envelopes come in this form alone; what the user typed comes again in the other.
                        None => sorted
                            .context
                            .iter()
                            .filter(|(name, _)| self.state.is_bare || !TYPED.contains(name))
                            .for_each(|(name, _)| at.out.context(name)),
                    }
                }
                if is_users == Some(false) {
                    return;
                }
                if !words.is_empty() || !said.media.is_empty() {
                    self.hold(Who::User, words.join("\n"), said.media, turn.clone(), at);
                }
                self.unknown_blocks(Who::User, &said.unknown, turn.as_deref(), at);
            }
            Some("developer" | "system") => {
                let name = if is_hook { "hook-context" } else { "instructions" };
                at.out.context(name);
            }
            _ => at.out.problem("message without a role"),
        }
    }

    /// Keeps a message until its event form comes, or hands it over where there is no such form.
    fn hold(&mut self, who: Who, text: String, media: Vec<Media>, turn: Option<String>, at: &mut At<'_>) {
        if text.trim().is_empty() && media.is_empty() {
            return;
        }
        if self.state.is_bare {
            self.said(who, &text, &media, Form::Item, turn.as_deref(), at);
            return;
        }
        if who == Who::User || self.waiting.is_full() {
            self.flush(at.out);
        }
        self.waiting.hold(Held { who, text, turn, time: at.time.clone(), number: at.number, media });
    }

    fn reasoning(&mut self, item: &Item<'_>, turn: Option<&str>, at: &mut At<'_>) {
        if self.state.has_items {
            // Written again, as an item with its id.
            return;
        }
        let [summary, whole] = [item.summary, item.content].map(Message::of);
        let texts: Vec<_> =
            summary.texts.into_iter().chain(whole.texts).filter(|text| !text.trim().is_empty()).collect();
        for unknown in [&summary.unknown, &whole.unknown] {
            self.unknown_blocks(Who::Reasoning, unknown, turn, at);
        }
        for text in &texts {
            self.said(Who::Reasoning, text, &[], Form::Item, turn, at);
        }
        if texts.is_empty() {
            self.in_turn_of(turn, |rollout| rollout.hidden_thought(item.id.said(), at));
        }
    }

    /// A thought that is kept from us.
    pub(super) fn hidden_thought(&mut self, id: Option<&str>, at: &mut At<'_>) {
        let turn = self.scene.turn.clone().unwrap_or_default();
        let name = match id {
            Some(id) => Some(crate::scene::item(&format!("thought/{id}"), 0)),
            None => {
                let nth = self.state.turns.count(&turn, "thought", "");
                self.scene.said(Who::Reasoning.as_str(), "", nth)
            }
        };
        self.maker(at).reasoning(String::new(), name.into_iter().collect());
    }

    fn call(&mut self, item: &Item<'_>, at: &mut At<'_>) {
        let name = match (item.namespace.said(), item.name.said(), item.kind.get()) {
            (Some(space), Some(name), _) => format!("{space}__{name}"),
            (None, Some(name), _) => name.to_owned(),
            (_, None, Some("local_shell_call")) => "local_shell".to_owned(),
            (_, None, Some("web_search_call")) => "web_search".to_owned(),
            (_, None, Some("tool_search_call")) => "tool_search".to_owned(),
            (_, None, _) => {
                at.out.problem("call without a name");
                "tool".to_owned()
            }
        };
        let id = item.call_id.said().or_else(|| item.id.said()).map(str::to_owned);
        let arguments = arguments_of(item);
        let script = shell::script_of_call(&name, &arguments);
        let patch = item.input.get().or(script.as_deref()).unwrap_or(&arguments);
        let changes = if name == "apply_patch" || script.is_some() { patched(patch, &arguments) } else { Vec::new() };
        let tools = self.inner_tools(&name, item.input.get(), &arguments);
        if let Some(id) = &id {
            let changes = changes.iter().map(|change| (change.kind.as_str().to_owned(), change.path.clone())).collect();
            let asked = if script.is_some() { None } else { likeness::arguments_to_keep(&name, &arguments) };
            let (id, name) = (id.clone(), name.clone());
            self.remember_call(Pending { id, name, script, asked, changes, tools: tools.clone() });
        }
        let mut maker = self.maker(at);
        maker.tool_call(Call { id: id.as_deref(), name: &name, arguments: None }, &arguments);
        maker.about(tools);
    }

    /// A picture that was made: asked for, and noted by its type and size.
    fn image(&mut self, item: &Item<'_>, at: &mut At<'_>) {
        let id = item.id.said().or_else(|| item.call_id.said());
        let call = Call { id, name: "image_generation", arguments: None };
        let mut arguments = String::from("{\"prompt\":");
        push_text(&mut arguments, item.revised_prompt.get().unwrap_or_default());
        arguments.push('}');
        let mut maker = self.maker(at);
        maker.tool_call(call, &arguments);
        if let Some(data) = item.result.said() {
            maker.tool_result(call, Media::of_base64("image", data).note(), None, false);
        }
    }

    /// The tools that a call calls itself: in code mode it is a script, or waits for one.
    fn inner_tools(&self, name: &str, input: Option<&str>, arguments: &str) -> Vec<String> {
        lenient! {
            struct Waited<'a> {
                cell: Text<'a> = "cell_id",
            }
        }
        match (name, input) {
            ("exec", Some(script)) => code::tools_of(script),
            ("wait", _) => {
                let waited: Waited<'_> = serde_json::from_str(arguments).unwrap_or_default();
                let known = self.state.cells.iter().find(|(cell, _)| waited.cell.is(cell));
                known.map(|(_, tools)| tools.clone()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn output(&mut self, item: &Item<'_>, at: &mut At<'_>) {
        let Some(id) = item.call_id.said() else {
            at.out.problem("result without a call");
            return;
        };
        let (text, unknown) = output_text(item.output);
        if item.output.get().is_none() && !item.kind.is("tool_search_output") {
            at.out.problem("result without an output");
        }
        let told = shell::told_by_codex(&text);
        let pending = self.take_call(id);
        let tools = pending.as_ref().map(|call| call.tools.clone()).unwrap_or_default();
        if let Some(cell) = code::running_cell(&text).filter(|_| !tools.is_empty()) {
            self.remember_cell(cell, &tools);
        }
        let name = pending.as_ref().map_or("", |call| call.name.as_str()).to_owned();
        let call = Call { id: Some(id), name: &name, arguments: None };
        let is_error = told.exit_code.is_some_and(|code| code != 0);
        let worked = told.exit_code == Some(0) || told.output.trim_start().starts_with("Success.");
        let has_items = self.state.has_items;
        let asked = |call: &Pending| call.script.as_deref().map(shell::arguments_of).or_else(|| call.asked.clone());
        let arguments = pending.as_ref().and_then(asked);
        let mut maker = self.maker(at);
        let answered = Call { arguments: arguments.as_deref(), ..call };
        maker.tool_result(answered, told.output, told.exit_code, is_error);
        maker.about(tools);
        maker.unknown_of_result(Some(id), &unknown);
        let Some(pending) = pending.filter(|_| !has_items) else { return };
        if let Some(script) = pending.script.filter(|_| told.exit_code.is_some()) {
            let status = if is_error { "failed" } else { "completed" };
            maker.command(
                call,
                &script,
                Ending { exit_code: told.exit_code, status: Some(status), ..Ending::default() },
            );
        }
        if worked {
            let changes: Vec<Change> =
                pending.changes.iter().map(|(kind, path)| Change::new(path, ChangeKind::parse(kind))).collect();
            maker.file_change(call, &changes, Some("completed"));
        }
    }

    /// What agents of a team say to each other.
    fn agent_message(&mut self, item: &Item<'_>, at: &mut At<'_>) {
        let said = Message::of(item.content);
        self.unknown_blocks(Who::Assistant, &said.unknown, None, at);
        let text = said.texts.concat();
        if text.trim().is_empty() {
            return;
        }
        let id = item.id.owned();
        let identity = id.map(|id| crate::scene::item(&id, 0)).or_else(|| self.scene.said("agent", &text, 0));
        let from = [("author", &item.author), ("recipient", &item.recipient)];
        let about = from.iter().fold(crate::payload::Payload::new(), |about, (name, who)| about.said(name, who.said()));
        let about = Json::parse(about.end()).ok();
        let mut maker = self.maker(at);
        maker.context("agent-message", &text, identity.into_iter().collect());
        maker.last(|event| event.metadata = about);
    }
}

/// Whether a message is the user's, where the client says so.
fn is_users(item: &Item<'_>) -> Option<bool> {
    let provenance = item.passthrough.about.0.iter().find_map(|about| about.provenance.kind.said());
    let kinds = &item.passthrough.kinds.0;
    match provenance {
        Some(provenance) => Some(provenance == "user"),
        // A kind without provenance was not typed by anyone.
        None if kinds.iter().any(|kind| kind.is("unknown")) => Some(false),
        None => None,
    }
}

/// What stands in a message.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub texts: Vec<Cow<'a, str>>,
    pub media: Vec<Media>,
    pub unknown: Vec<Unknown<'a>>,
}

impl Message<'_> {
    pub fn of(content: Raw<'_>) -> Message<'_> {
        let mut message = Message::default();
        for piece in pieces(content) {
            match piece {
                Piece::Text(text) if text.trim().is_empty() => {}
                Piece::Text(text) => message.texts.push(text),
                Piece::Media(media) => message.media.push(media),
                Piece::Unknown(block) => message.unknown.push(block),
            }
        }
        message
    }
}

/// The marks that stand around a picture.
fn is_image_mark(text: &str) -> bool {
    let text = text.trim();
    text == "</image>" || text == "<image>" || (text.starts_with("<image name=") && text.ends_with('>'))
}

/// The arguments as one JSON document: most come as JSON inside a text.
fn arguments_of(item: &Item<'_>) -> String {
    if let Some(input) = item.input.get() {
        let mut json = String::from("{\"input\":");
        push_text(&mut json, input);
        return json + "}";
    }
    let raw = item.arguments.get().or_else(|| item.action.get());
    let Some(raw) = raw else { return "{}".to_owned() };
    match serde_json::from_str::<String>(raw) {
        Ok(text) if Json::parse(text.clone()).is_ok() => text,
        Ok(_) | Err(_) if Json::parse(raw.to_owned()).is_ok() => raw.to_owned(),
        _ => "{}".to_owned(),
    }
}

fn patched(patch: &str, arguments: &str) -> Vec<Change> {
    let changes = changes_of_patch(patch);
    if !changes.is_empty() {
        return changes;
    }
    // Inside JSON the lines of a patch are escaped.
    let value: serde_json::Value = serde_json::from_str(arguments).unwrap_or_default();
    value
        .get("input")
        .or_else(|| value.get("patch"))
        .and_then(|text| text.as_str())
        .map(changes_of_patch)
        .unwrap_or_default()
}

/// The text of an output, and what nobody knows of it.
fn output_text(output: Raw<'_>) -> (String, Vec<Unknown<'_>>) {
    let (mut text, mut unknown) = (String::new(), Vec::new());
    for piece in pieces_of_result(output) {
        match piece {
            Piece::Text(more) => {
                if text.ends_with("Output:") {
                    text.push('\n');
                }
                text.push_str(&more);
            }
            Piece::Media(media) => text.push_str(&media.note()),
            Piece::Unknown(block) => unknown.push(block),
        }
    }
    (text, unknown)
}

/// Whether something stands where a call's name should be that is none.
fn is_misnamed(item: &Item<'_>, payload: Raw<'_>) -> bool {
    let named = || serde_json::from_str::<serde_json::Value>(payload.get()?).ok()?.get("name").cloned();
    item.name.get().is_none() && named().is_some_and(|name| !name.is_null())
}
