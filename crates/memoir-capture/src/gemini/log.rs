//! `logs.json`: the prompts that were typed, over all sessions of a project, also of sessions whose chats are gone.

use super::chat::Elements;
use crate::lenient::{Number, Raw, Text, lenient};
use crate::out::Out;
use crate::parser::read;
use crate::scene::{Maker, Scene};
use crate::when;
use memoir_event::{Client, Source};
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use std::sync::Arc;

lenient! {
    struct Entry<'a> {
        session_id: Text<'a> = "sessionId",
        message_id: Number = "messageId",
        kind: Text<'a> = "type",
        message: Text<'a> = "message",
        timestamp: Raw<'a> = "timestamp",
    }
}

/// Reads a log entry by entry; `each` takes what every entry gives.
pub fn read_log_json(
    reader: impl std::io::Read,
    cwd: Option<&str>,
    each: &mut dyn FnMut(Out),
) -> Result<(), serde_json::Error> {
    let mut scene = Scene::new(Client::Gemini, Source::GeminiCliLog);
    scene.cwd = cwd.map(Arc::from);
    let mut number = 0;
    let mut give = |record: &RawValue| {
        number += 1;
        let mut out = Out::default();
        out.begin_record();
        one_entry(number, record.get(), &mut scene, &mut out);
        each(out);
    };
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    Elements { give: &mut give }.deserialize(&mut deserializer)
}

fn one_entry(number: u64, text: &str, scene: &mut Scene, out: &mut Out) {
    let Some(entry) = read::<Entry<'_>>(text) else {
        out.problem("not JSON");
        return;
    };
    let (Some(session), Some(message)) = (entry.session_id.said(), entry.message.said()) else {
        out.problem("log entry without session or message");
        return;
    };
    if !entry.kind.is("user") {
        out.left_out("log entry");
        return;
    }
    session.clone_into(&mut scene.session);
    session.clone_into(&mut scene.thread);
    let time = when::read(entry.timestamp).unwrap_or_default();
    let id = entry.message_id.whole().unwrap_or_default();
    // The chat has another id for it: found by its text.
    Maker::of_record(scene, time, number, out).given_prompt(message, &format!("log/{id}"));
}
