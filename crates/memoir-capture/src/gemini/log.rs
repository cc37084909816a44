//! `logs.json`: the prompts that were typed, over all sessions of a project, also of sessions whose chats are gone.
//!
//! The log keeps the name of the session that the client was started with. After `/clear` the client is at another one,
//! whose chat begins then.

use super::chat::Elements;
use crate::boundary::Stand;
use crate::lenient::{Number, Raw, Text, lenient};
use crate::out::Out;
use crate::parser::{mended, read};
use crate::scene::{Maker, Scene};
use crate::when;
use memoir_event::{Client, Source};
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;
use std::collections::HashMap;
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

/// The session that begins when another one is cleared at that time, in milliseconds since 1970, if that is known.
pub type AfterClear<'a> = &'a mut dyn FnMut(&str, i64) -> Option<String>;

/// Reads a log entry by entry; `each` takes what every entry gives.
pub fn read_log_json(
    reader: impl std::io::Read,
    cwd: Option<&str>,
    after_clear: AfterClear<'_>,
    each: &mut dyn FnMut(Out),
) -> Result<(), serde_json::Error> {
    let mut scene = Scene::new(Client::Gemini, Source::GeminiCliLog);
    scene.cwd = cwd.map(Arc::from);
    let mut log = Log { scene, now_at: HashMap::new(), number: 0 };
    let mut give = |record: &RawValue| {
        log.number += 1;
        let mut out = Out::default();
        out.begin_record();
        log.entry(&mended(record.get()), after_clear, &mut out);
        each(out);
    };
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    Elements { give: &mut give }.deserialize(&mut deserializer)
}

/// A log, as far as it was read.
struct Log {
    scene: Scene,
    /// The session that the client is at, by the one that it was started with.
    now_at: HashMap<String, String>,
    number: u64,
}

impl Log {
    fn entry(&mut self, text: &str, after_clear: AfterClear<'_>, out: &mut Out) {
        let Some(entry) = read::<Entry<'_>>(text) else {
            out.problem("not JSON");
            return;
        };
        let (Some(started), Some(message)) = (entry.session_id.said(), entry.message.said()) else {
            out.problem("log entry without session or message");
            return;
        };
        if !entry.kind.is("user") {
            out.left_out("log entry");
            return;
        }
        let session = self.now_at.get(started).map_or(started, String::as_str).to_owned();
        self.scene.session.clone_from(&session);
        self.scene.thread.clone_from(&session);
        let time = when::told(entry.timestamp, out);
        if let Some(time) = time.as_ref().filter(|_| message.split_whitespace().next() == Some("/clear"))
            && let Some(next) = after_clear(&session, time.ms())
        {
            self.now_at.insert(started.to_owned(), next);
        }
        let id = entry.message_id.whole().unwrap_or_default();
        // The chat has another id for it: found by its text.
        Maker::of_record(&self.scene, time, self.number, out).given_prompt(message, &format!("log/{id}"), Stand::Typed);
    }
}
