//! Which session of Gemini CLI begins when another one is cleared: its log does not say, and its chats do.
//!
//! What was found once is kept with the log's position: chats go away, and an entry must not change its session then.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A session that takes the place of another begins at most so long after.
const BEGINS_WITHIN_MS: i64 = 10_000;

/// A chat's first line is no longer than this.
const HEADER_BYTES_MAX: u64 = 64 << 10;

/// So many sessions are remembered, the latest.
const REMEMBERED_MAX: usize = 1000;

/// The sessions that followed others.
#[derive(Debug, Default)]
pub(super) struct Clears {
    chats: PathBuf,
    /// The session that began, by the time at which the other was cleared, and which that was.
    known: BTreeMap<(i64, String), String>,
}

/// What a chat begins with.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    session_id: String,
    start_time: String,
}

impl Clears {
    /// What is known for that log, from the state that was kept with its position.
    pub fn new(log: &Path, state: Option<&str>) -> Clears {
        let kept: Vec<(i64, String, String)> =
            state.and_then(|state| serde_json::from_str(state).ok()).unwrap_or_default();
        let known = kept.into_iter().map(|(at_ms, from, to)| ((at_ms, from), to)).collect();
        Clears { chats: log.with_file_name("chats"), known }
    }

    /// What is to be kept.
    pub fn state(&self) -> String {
        let surplus = self.known.len().saturating_sub(REMEMBERED_MAX);
        let kept: Vec<(i64, &str, &str)> =
            self.known.iter().skip(surplus).map(|((at_ms, from), to)| (*at_ms, from.as_str(), to.as_str())).collect();
        serde_json::to_string(&kept).unwrap_or_default()
    }

    /// The session that began when that one was cleared.
    pub fn after(&mut self, session: &str, cleared_ms: i64) -> Option<String> {
        let cleared = (cleared_ms, session.to_owned());
        if let Some(known) = self.known.get(&cleared) {
            return Some(known.clone());
        }
        let next = self.begun_at(cleared_ms).filter(|next| next != session)?;
        self.known.insert(cleared, next.clone());
        Some(next)
    }

    /// The first session that begins within a while after that time.
    fn begun_at(&self, from_ms: i64) -> Option<String> {
        // The name of a chat tells its minute.
        let minutes = [from_ms, from_ms + BEGINS_WITHIN_MS].map(minute_of);
        let entries = fs::read_dir(&self.chats).ok()?.flatten();
        let near = entries.filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.strip_prefix("session-").is_some_and(|rest| minutes.iter().any(|minute| rest.starts_with(minute)))
        });
        let begun = near.filter_map(|entry| header(&entry.path())).filter_map(|header| {
            let start_ms = memoir_event::Time::parse(&header.start_time).ok()?.ms();
            (from_ms..=from_ms + BEGINS_WITHIN_MS).contains(&start_ms).then_some((start_ms, header.session_id))
        });
        begun.min().map(|(_, session)| session)
    }
}

/// The minute of a time as the names of chats have it.
fn minute_of(ms: i64) -> String {
    memoir_event::format_ms(ms).chars().take(16).map(|c| if c == ':' { '-' } else { c }).collect()
}

/// The header of a chat: its first line, or the fields before the messages of an older one.
fn header(path: &Path) -> Option<Header> {
    let mut reader = BufReader::new(File::open(path).ok()?.take(HEADER_BYTES_MAX));
    if path.extension().is_some_and(|end| end == "jsonl") {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        return serde_json::from_str(&line).ok();
    }
    let mut text = String::new();
    let _ = reader.read_to_string(&mut text);
    let fields = text.split("\"messages\"").next()?.trim_end().trim_end_matches(',');
    serde_json::from_str(&format!("{fields}}}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEARED_MS: i64 = 1_794_799_302_626; // 2026-11-16T03:21:42.626Z

    #[test]
    fn the_session_that_begins_when_another_is_cleared_is_found_by_its_chat_and_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("logs.json");
        let chat = |name: &str, text: &str| {
            fs::create_dir_all(dir.path().join("chats")).unwrap();
            fs::write(dir.path().join("chats").join(name), text).unwrap();
        };
        chat("session-2026-11-16T03-20-aaaa.jsonl", r#"{"sessionId":"a","startTime":"2026-11-16T03:20:59.914Z"}"#);
        chat(
            "session-2026-11-16T03-21-bbbb.jsonl",
            "{\"sessionId\":\"b\",\"startTime\":\"2026-11-16T03:21:42.801Z\"}\n{}",
        );
        chat("session-2026-11-16T03-21-cccc.jsonl", r#"{"sessionId":"c","startTime":"2026-11-16T03:21:44.000Z"}"#);
        let mut clears = Clears::new(&log, None);
        assert_eq!(clears.after("a", CLEARED_MS).as_deref(), Some("b"));
        assert_eq!(clears.after("a", CLEARED_MS - 30_000), None, "nothing begins then");
        let state = clears.state();
        fs::remove_dir_all(dir.path().join("chats")).unwrap();
        assert_eq!(Clears::new(&log, Some(&state)).after("a", CLEARED_MS).as_deref(), Some("b"));
        assert_eq!(Clears::new(&log, None).after("a", CLEARED_MS), None);
        chat(
            "session-2026-11-16T03-21-dddd.json",
            "{\n \"sessionId\": \"d\",\n \"startTime\": \"2026-11-16T03:21:43.000Z\",\n \"messages\": [{}]\n}",
        );
        assert_eq!(Clears::new(&log, Some("nonsense")).after("a", CLEARED_MS).as_deref(), Some("d"));
    }
}
