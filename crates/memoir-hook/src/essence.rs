//! What one should know when a session begins, in a few lines.

use crate::shown::Shown;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memoir_capture::HookCall;
use memoir_event::{Client, EventId};
use memoir_recall::{Essence, Kept, LastSession, memory_from, session_name};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

/// All of it takes about so many tokens at most.
const TOKENS_MAX: usize = 600;
const TOKEN_BYTES: usize = 4;
/// So many memories that hold are told.
const KEPT_MAX: usize = 10;
/// So many open questions.
const OPEN_MAX: usize = 4;
/// So many of the last sessions.
pub(crate) const SESSIONS_MAX: usize = 3;
/// Instructions are looked for in so many directories, each above the last.
const LEVELS_MAX: usize = 8;
/// A larger file is not looked through.
const FILE_BYTES_MAX: u64 = 128 << 10;
/// So many files that one takes in are read.
const TAKEN_IN_MAX: usize = 8;
/// Nobody needs to read more of one at once.
const TEXT_CHARS_MAX: usize = 240;

/// The lines of an essence; nothing if there is nothing. What is told is known to be shown.
pub(crate) fn told(
    essence: &Essence,
    loose: &[(EventId, String)],
    shown: &mut Shown,
    zone: &TimeZone,
) -> Option<String> {
    let mut lines = Lines { out: String::new(), room: TOKENS_MAX * TOKEN_BYTES, told: HashSet::new() };
    lines.kept("What holds:", &essence.kept, KEPT_MAX, shown, zone);
    lines.kept("Left open:", &essence.open, OPEN_MAX, shown, zone);
    let ends = loose.iter().take(OPEN_MAX).map(|(id, line)| (vec![*id], line.clone()));
    lines.section("Left open at the end of a session:", ends, shown);
    lines.sessions(&essence.sessions, shown, zone);
    (!lines.out.is_empty()).then_some(lines.out)
}

/// Leaves out what the client reads by itself, from the instructions file of the directory or of one above it, and from
/// files that these take in: `@AGENTS.md`.
pub(crate) fn leave_out_instructions(essence: &mut Essence, call: &HookCall) {
    let name = match call.client {
        Client::Claude => "CLAUDE.md",
        Client::Gemini => "GEMINI.md",
        _ => "AGENTS.md",
    };
    let dirs = call.cwd.as_deref().map(Path::new).into_iter().flat_map(Path::ancestors).take(LEVELS_MAX);
    let is_small =
        |path: &Path| std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= FILE_BYTES_MAX);
    let read = |path: &Path| is_small(path).then(|| std::fs::read_to_string(path).ok()).flatten();
    let mut texts: Vec<String> = Vec::new();
    for dir in dirs {
        let Some(text) = read(&dir.join(name)) else { continue };
        let taken_in = text.lines().filter_map(|line| line.trim().strip_prefix('@')).take(TAKEN_IN_MAX);
        texts.extend(taken_in.filter_map(|file| read(&dir.join(file.trim()))));
        texts.push(text);
    }
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = texts.iter().map(|text| one_line(text)).collect();
    essence.kept.retain(|kept| !texts.iter().any(|text| text.contains(&one_line(&kept.text))));
}

struct Lines {
    out: String,
    room: usize,
    /// What a line here says already.
    told: HashSet<EventId>,
}

impl Lines {
    /// Adds lines under a heading, as far as there is room.
    fn section(&mut self, heading: &str, lines: impl Iterator<Item = (Vec<EventId>, String)>, shown: &mut Shown) {
        let mut has_heading = false;
        for (ids, line) in lines {
            let heading_bytes = if has_heading { 0 } else { heading.len() + 1 };
            let is_told = !ids.is_empty() && ids.iter().any(|id| self.told.contains(id));
            if is_told || line.len() + heading_bytes > self.room {
                continue;
            }
            self.told.extend(&ids);
            if !has_heading {
                let _ = writeln!(self.out, "{heading}");
            }
            let _ = writeln!(self.out, "{line}");
            self.room -= line.len() + heading_bytes;
            has_heading = true;
            ids.into_iter().for_each(|id| shown.add(id));
        }
    }

    fn kept(&mut self, heading: &str, kept: &[Kept], most: usize, shown: &mut Shown, zone: &TimeZone) {
        let line = |kept: &Kept| {
            let (kind, text) = (kept.memory.kind, quoted(&kept.text));
            let line =
                format!("- {kind}: {text}\n  {}, {}, {}", memory_from(&kept.memory), day(kept.ts_ms, zone), kept.id);
            (ids_of(kept), line)
        };
        self.section(heading, kept.iter().take(most).map(line), shown);
    }

    fn sessions(&mut self, sessions: &[LastSession], shown: &mut Shown, zone: &TimeZone) {
        let line = |last: &LastSession| {
            let id = last.title_is.map(|id| format!(", {id}")).unwrap_or_default();
            let from = format!("{}, {}{id}", session_name(&last.shown), day(last.last_ms, zone));
            let line = format!("- {}\n  {from}", quoted(&last.title));
            (last.title_is.into_iter().collect(), line)
        };
        let told: Vec<(Vec<EventId>, String)> = sessions.iter().map(line).collect();
        self.section("Last sessions began with:", told.into_iter(), shown);
    }
}

/// A memory and what it is made of: neither is to be told again.
fn ids_of(kept: &Kept) -> Vec<EventId> {
    let sources = kept.memory.sources.iter().filter_map(|source| EventId::parse(source.event.as_deref()?).ok());
    std::iter::once(kept.id).chain(sources).collect()
}

/// On one line, in quotes, no longer than needed.
pub(crate) fn quoted(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('"', "'");
    match line.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("\"{}\" …", line.get(..end).unwrap_or_default()),
        None => format!("\"{line}\""),
    }
}

/// The day and time of a moment.
pub(crate) fn day(ts_ms: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_millisecond(ts_ms).map(|time| time.to_zoned(zone.clone()));
    time.map(|time| time.strftime("%Y-%m-%d %H:%M").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Memory, MemoryKind};

    fn kept(n: u32, text: &str) -> Kept {
        let memory = Memory::new(&format!("m{n}"), MemoryKind::Decision, text, "it");
        Kept { id: EventId::parse(&format!("{n:024x}")).unwrap(), text: text.to_owned(), ts_ms: 0, memory }
    }

    #[test]
    fn an_essence_is_small_and_what_it_tells_is_known_to_be_shown() {
        let text = "we always do it this way ".repeat(30);
        let essence = Essence { kept: (0..50).map(|n| kept(n, &text)).collect(), ..Essence::default() };
        let mut shown = Shown::new(Client::Codex, "s");
        let told = told(&essence, &[], &mut shown, &TimeZone::UTC).unwrap();
        assert!(told.len() <= TOKENS_MAX * TOKEN_BYTES + 64, "{}", told.len());
        assert!(told.starts_with("What holds:\n- decision: \"we always"), "{told}");
        assert!(shown.has(&essence.kept[0].id) && !shown.has(&essence.kept[49].id));
    }

    #[test]
    fn what_the_instructions_take_in_is_not_told_again() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("CLAUDE.md"), "@AGENTS.md\n").unwrap();
        std::fs::write(dir.path().join("AGENTS.md"), "- always run make\n").unwrap();
        let mut essence = Essence { kept: vec![kept(1, "always run make"), kept(2, "use tabs")], ..Essence::default() };
        let payload = serde_json::json!({
            "session_id": "s", "transcript_path": null, "cwd": dir.path(), "hook_event_name": "SessionStart",
            "source": "startup",
        });
        let now = memoir_event::Time::from_ms(0);
        let call = memoir_capture::read_hook(Client::Claude, &payload.to_string(), &now).unwrap();
        leave_out_instructions(&mut essence, &call);
        assert_eq!(essence.kept.iter().map(|kept| kept.text.as_str()).collect::<Vec<_>>(), ["use tabs"]);
    }

    #[test]
    fn nothing_known_is_nothing_told() {
        assert_eq!(told(&Essence::default(), &[], &mut Shown::default(), &TimeZone::UTC), None);
    }
}
