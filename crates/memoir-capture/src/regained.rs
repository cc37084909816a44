//! Names for events that come as envelopes: from a mirror, a push, or another journal in any way.
//!
//! An envelope tells what happened, but not under which names it was captured. What is in it suffices to give back the
//! names that captures of the same thing have, so that whoever sees it here, before or after, finds the one event.

use crate::likeness::{likeness_of_call, likeness_of_files, likeness_of_text, likeness_of_usage, result_of};
use crate::scene::{DIGEST_CHARS, NO_MESSAGE, Scene, digest, is_seen_unnamed, item, record};
use crate::shell;
use memoir_event::{Client, Content, Event, Identity, Kind, Said, Source};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// So many texts are counted; then counting begins anew.
const TEXTS_MAX: usize = 100_000;

/// So many calls wait for their results.
const CALLS_MAX: usize = 256;

/// Of so many sessions it is known where they are.
const SESSIONS_MAX: usize = 10_000;

/// What hooks call the end of something that says nothing, and what the client tells beside a conversation.
const NOTICES: [&str; 4] = ["Stop", "SubagentStop", "notification", "Notification"];

/// Gives events of one mirror or request their names, in the order in which they come.
#[derive(Debug, Default)]
pub struct RegainedNames {
    /// How often each text was said in its turn.
    counted: HashMap<String, u32>,
    /// The directory in which each session began.
    places: HashMap<String, Arc<str>>,
    /// Calls of tools, and what they were called with.
    calls: VecDeque<Called>,
    /// The call that was answered last: what it changed is told next.
    answered: Option<Called>,
}

#[derive(Debug)]
struct Called {
    session: String,
    thread: Option<String>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Called {
    fn is_of(&self, event: &Event) -> bool {
        self.session == event.session && self.thread == event.thread && self.id == event.action
    }
}

impl RegainedNames {
    /// Adds to the event's names those that a capture of it would have.
    pub fn give(&mut self, event: &mut Event) {
        let mut names = Vec::new();
        if matches!(event.source, Source::Recorder | Source::Http) {
            // What a recorder sends is known by what it says of itself.
            let is_identified = event.turn.is_some() || event.action.is_some() || event.time.is_some();
            names.extend(is_identified.then_some(Identity::Explicit));
        } else if let Some(client) = event.client {
            self.of_client(client, event, &mut names);
        }
        let has_place = event.identities.iter().any(is_in_turn);
        for name in names {
            if event.identities.contains(&name) || has_place && is_in_turn(&name) {
                continue;
            }
            event.identities.push(name);
        }
    }

    fn of_client(&mut self, client: Client, event: &Event, names: &mut Vec<Identity>) {
        let payload = match &event.content {
            Content::Payload(json) | Content::Json(json) => json.to_value(),
            Content::Text(_) => Value::Null,
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (mut scene, said) = (scene_of(client, event), event.content.plain());
        scene.cwd = self.places.get(&event.session).map(Arc::clone);
        let turn = event.turn.as_deref().unwrap_or_default();
        let of_record = event.action.as_deref().filter(|_| client == Client::Claude);
        let is_unnamed = is_seen_unnamed(client);
        let mut alike = None;
        match event.kind() {
            Kind::UserMessage => {
                names.extend(self.in_turn(&scene, "user", &said));
                alike = Some(Said::Content);
            }
            Kind::AssistantMessage => {
                names.extend(self.in_turn(&scene, "assistant", &said));
                names.extend((client == Client::Claude).then(|| crate::claude::answer_place(&scene)).flatten());
                alike = Some(Said::Content);
            }
            Kind::Reasoning => {
                names.extend(self.in_turn(&scene, "reasoning", &said));
                names.extend(of_record.map(|id| record(id, 0)));
                alike = (is_unnamed && !said.trim().is_empty()).then_some(Said::Content);
            }
            Kind::Error => {
                names.extend(self.in_turn(&scene, "error", &said));
                alike = Some(Said::Content);
            }
            Kind::ToolCall => {
                let (name, arguments) = (text(&payload["item"]["name"]), payload["item"]["arguments"].to_string());
                alike = is_unnamed.then(|| Said::Own(likeness_of_call(&name, &arguments)));
                self.remember(event, name, arguments);
            }
            Kind::Command => {
                let script = shell::likeness(&text(&payload["item"]["command"]));
                names.extend(is_unnamed.then(|| result_of(&script)));
                alike = is_unnamed.then_some(Said::Own(script));
            }
            Kind::FileChange => {
                let changes = payload["item"]["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
                let paths = changes.iter().map(|change| scene.whole_path(&text(&change["path"]))).collect();
                let call = self.answered.as_ref().filter(|call| is_unnamed && call.is_of(event));
                names.extend(call.map(|call| result_of(&likeness_of_call(&call.name, &call.arguments))));
                alike = is_unnamed.then(|| Said::Own(likeness_of_files(paths)));
            }
            Kind::ToolResult => {
                self.answered = self.take(event);
                let call = self.answered.as_ref().filter(|_| is_unnamed);
                names.extend(call.map(|call| result_of(&likeness_of_call(&call.name, &call.arguments))));
                alike = is_unnamed.then_some(Said::Content);
            }
            Kind::Context => {
                let (label, text) = (text(&payload["type"]), text(&payload["text"]));
                names.extend((label == "title").then(|| item(&format!("title/{}", digest(&text)), 0)));
                names.extend(self.in_turn(&scene, &label, &text));
                alike = Some(Said::Own(likeness_of_text(&label, &text)));
            }
            Kind::SessionStarted => {
                names.push(item(&format!("started/{}", scene.thread), 0));
                if let Some(cwd) = payload["cwd"].as_str() {
                    self.remember_place(&event.session, cwd);
                }
            }
            Kind::TurnCompleted => {
                names.extend((!turn.is_empty()).then(|| item(&format!("done/{turn}"), 0)));
                alike = Some(Said::Own(format!("the turn is {}", text(&payload["status"]))));
            }
            Kind::SessionSummary => {
                names.extend(self.compaction(&scene, &said).map(|place| item(&place, 0)));
                names.extend(NOTICES.iter().filter_map(|who| self.in_turn(&scene, who, &said)));
            }
            Kind::Usage => {
                let cost = &payload["session_cost_usd"];
                names.extend(cost.is_number().then(|| item(&format!("cost/{cost}"), 0)));
                names.extend(of_record.map(|id| item(&format!("usage/{id}"), 0)));
                let [input, cached, output] =
                    ["input_tokens", "cached_input_tokens", "output_tokens"].map(|name| payload[name].as_u64());
                alike = (client == Client::Codex).then(|| Said::Own(likeness_of_usage(input, cached, output)));
            }
            _ => {}
        }
        if matches!(event.kind(), Kind::ToolCall | Kind::ToolResult | Kind::Command | Kind::FileChange) {
            names.extend(event.action.iter().map(|id| item(id, 0)));
        }
        if event.source == Source::GeminiCliHook {
            let name = |time| crate::gemini::name_of_kind(event.kind(), time, event.content.verbatim());
            names.extend(event.time.as_ref().and_then(name));
        }
        names.extend(alike.map(Identity::Alike));
    }

    /// The place of a summary, if it is one of a compaction; a turn of Codex has one at most.
    fn compaction(&mut self, scene: &Scene, text: &str) -> Option<String> {
        let turn = scene.turn.as_deref().unwrap_or_default();
        match scene.client {
            _ if text == NO_MESSAGE => None,
            Client::Codex => {
                let place = format!("compaction/{turn}");
                self.is_first(format!("{}/{place}", scene.session)).then_some(place)
            }
            Client::Claude => Some(format!("compaction/{turn}/{}", digest(text))),
            _ => Some(format!("compaction/{}", digest(text))),
        }
    }

    fn is_first(&mut self, name: String) -> bool {
        self.count(name) == 0
    }

    /// How often that was counted before.
    fn count(&mut self, name: String) -> u32 {
        if self.counted.len() >= TEXTS_MAX {
            self.counted.clear();
        }
        let counted = self.counted.entry(name).or_default();
        *counted += 1;
        *counted - 1
    }

    /// The name of what was said in its turn, if the turn has one.
    fn in_turn(&mut self, scene: &Scene, who: &str, text: &str) -> Option<Identity> {
        let Identity::InTurn { name, .. } = scene.said(who, text, 0)? else { return None };
        let nth = self.count(format!("{}/{name}", scene.session));
        Some(Identity::InTurn { name, nth })
    }

    fn remember_place(&mut self, session: &str, cwd: &str) {
        if self.places.len() >= SESSIONS_MAX {
            self.places.clear();
        }
        self.places.entry(session.to_owned()).or_insert_with(|| Arc::from(cwd));
    }

    fn remember(&mut self, event: &Event, name: String, arguments: String) {
        if self.calls.len() >= CALLS_MAX {
            self.calls.pop_front();
        }
        let (session, thread, id) = (event.session.clone(), event.thread.clone(), event.action.clone());
        self.calls.push_back(Called { session, thread, id, name, arguments });
    }

    /// The call that this is the result of: the one with its id, or else the first of its tool that has none.
    fn take(&mut self, event: &Event) -> Option<Called> {
        let about = event.metadata.as_ref().map(memoir_event::Json::to_value).unwrap_or_default();
        let tool = about["tool"].as_str();
        let at = self
            .calls
            .iter()
            .position(|call| call.is_of(event) && (call.id.is_some() || tool.is_none_or(|tool| tool == call.name)))?;
        self.calls.remove(at)
    }
}

const fn is_in_turn(name: &Identity) -> bool {
    matches!(name, Identity::InTurn { .. })
}

/// Those of an event's names that may leave this machine: a digest in them is one of what the event itself says, so that
/// nobody can try out what was taken out of it.
pub fn open_names(event: &Event) -> Vec<Identity> {
    let own = [digest(&event.content.plain()), digest(event.content.verbatim())];
    let is_open = |id: &str| id.split('/').all(|part| !is_digest(part) || own.iter().any(|own| own == part));
    let names = event.identities.iter().filter(|identity| match identity {
        Identity::Named(id) | Identity::Item { id, .. } | Identity::Record { id, .. } | Identity::Growing(id) => {
            is_open(id)
        }
        Identity::InTurn { name, .. } => is_open(name),
        Identity::Alike(_) => true,
        Identity::Explicit | Identity::Id(_) | Identity::Unique { .. } => false,
    });
    names.cloned().collect()
}

fn is_digest(part: &str) -> bool {
    part.len() == DIGEST_CHARS && part.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn scene_of(client: Client, event: &Event) -> Scene {
    let mut scene = Scene::new(client, event.source);
    scene.session.clone_from(&event.session);
    scene.thread = event.thread.clone().unwrap_or_else(|| event.session.clone());
    scene.turn.clone_from(&event.turn);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Event {
        let mut event = Event::new(Source::CodexHook, "s", Kind::UserMessage, Content::Text(text.to_owned()));
        (event.client, event.turn) = (Some(Client::Codex), Some("t".to_owned()));
        event
    }

    #[test]
    fn a_name_that_was_made_of_more_than_the_event_says_does_not_leave() {
        let scene = scene_of(Client::Codex, &said(""));
        let of = |text: &str| scene.said("user", text, 0).unwrap();
        let mut event = said("the password is [redacted]");
        event.identities = vec![of("the password is hunter2"), item("call_1", 0), Identity::Alike(Said::Content)];
        assert_eq!(open_names(&event), event.identities[1..]);
        let mut event = said("hello");
        event.identities = vec![of("hello"), Identity::Explicit];
        assert_eq!(open_names(&event), [of("hello")]);
    }

    #[test]
    fn equal_texts_of_one_turn_get_the_names_that_their_captures_have() {
        let mut names = RegainedNames::default();
        for nth in 0..3 {
            let mut event = said("go on");
            names.give(&mut event);
            let Some(Identity::InTurn { nth: given, .. }) = event.identities.first() else {
                panic!("{:?}", event.identities)
            };
            assert_eq!(*given, nth);
        }
    }

    #[test]
    fn what_a_recorder_sent_is_known_by_what_it_says_of_itself() {
        let mut event = said("x");
        event.source = Source::Recorder;
        RegainedNames::default().give(&mut event);
        assert_eq!(event.identities, [Identity::Explicit]);
    }
}
