//! What is known of a file or a command before a tool touches it: that the command failed, and which sessions changed
//! the file.

use crate::context::{Occasion, wrapped};
use crate::essence::{day, quoted};
use crate::inject::{InjectError, Injector, Time};
use crate::shown::Shown;
use memoir_capture::HookCall;
use memoir_event::{Client, Kind};
use memoir_index::{Query, Window};
use memoir_journal::{Audience, Filter, Journal as _, Selection, Seq, StoredEvent, View};
use memoir_recall::clean;
use serde_json::Value;
use std::fmt::Write as _;

/// So many events are looked at.
const HITS_MAX: usize = 40;
/// So many sessions are told.
const SESSIONS_MAX: usize = 3;
/// A longer command is a script: nobody runs it twice.
const COMMAND_BYTES_MAX: usize = 1_000;

/// What a tool is about to touch.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    Command(String),
    File(String),
}

impl Injector {
    /// What is known of what a tool is about to touch.
    pub(crate) fn before_tool(&self, call: &HookCall, time: Time) -> Result<Option<String>, InjectError> {
        let Some(target) = call.input.as_deref().and_then(|input| target_in(input, call.cwd.as_deref())) else {
            return Ok(None);
        };
        let row = Shown::row(&*self.journal, call.client, &call.session)?;
        let mut shown = self.shown_of(call, row.as_ref())?;
        let lines = match &target {
            Target::Command(command) => self.failures(call, command, &mut shown, time)?,
            Target::File(path) => self.changes(call, path, &mut shown, time)?,
        };
        let Some(lines) = lines else { return Ok(None) };
        self.keep(&shown)?;
        Ok(Some(wrapped(Occasion::Tool, &lines, None)))
    }

    /// How often a command failed, if it failed when it was last run.
    fn failures(
        &self,
        call: &HookCall,
        command: &str,
        shown: &mut Shown,
        time: Time,
    ) -> Result<Option<String>, InjectError> {
        let runs: Vec<StoredEvent> = self.mentions(call, command, Kind::Command, time)?;
        let same: Vec<(&StoredEvent, Option<i64>)> =
            runs.iter().filter_map(|stored| Some((stored, exit_code(stored, command)?))).collect();
        let Some((last, Some(code))) = same.first().filter(|(_, code)| code.is_some_and(|code| code != 0)) else {
            return Ok(None);
        };
        if shown.has(&last.id) {
            return Ok(None);
        }
        shown.add(last.id);
        let failed = same.iter().filter(|(_, code)| code.is_some_and(|code| code != 0)).count();
        let times = if failed == 1 { "once".to_owned() } else { format!("{failed} times") };
        let said = quoted(&clean(command, &self.redactor));
        let mut out = format!("- command: {said} failed {times} here, last with exit code {code}\n");
        let _ = writeln!(out, "  {}", self.origin(last));
        Ok(Some(out))
    }

    /// Which sessions changed a file before.
    fn changes(
        &self,
        call: &HookCall,
        path: &str,
        shown: &mut Shown,
        time: Time,
    ) -> Result<Option<String>, InjectError> {
        let changes = self.mentions(call, path, Kind::FileChange, time)?;
        let mut told: Vec<&StoredEvent> = Vec::new();
        for stored in &changes {
            let is_told = told.iter().any(|other| other.event.session == stored.event.session);
            let is_asking = stored.event.session == call.session;
            if !is_told && !is_asking && told.len() < SESSIONS_MAX {
                told.push(stored);
            }
        }
        told.retain(|stored| !shown.has(&stored.id));
        let mut out = String::new();
        for stored in told {
            shown.add(stored.id);
            let filter = Filter { session: Some(shown_session(stored)), ..Filter::default() };
            let session = self.shown().sessions(&filter, &View::of(Audience::Recall), 1, 0)?.pop();
            let title = session.and_then(|session| session.title).map(|title| clean(&title, &self.redactor));
            let about =
                title.map_or_else(String::new, |title| format!(" in a session that began with {}", quoted(&title)));
            let _ = writeln!(out, "- {} was changed{about}", quoted(&clean(path, &self.redactor)));
            let _ = writeln!(out, "  {}", self.origin(stored));
        }
        Ok((!out.is_empty()).then_some(out))
    }

    /// Events of a kind in the project that have a text as it is, the latest first.
    fn mentions(&self, call: &HookCall, text: &str, kind: Kind, time: Time) -> Result<Vec<StoredEvent>, InjectError> {
        let filter = Filter { repo: Some(self.project(call)), ..Filter::default() };
        let view = View::of(Audience::Recall);
        let shapes = self.journal.kinds()?.into_iter().filter(|(_, of)| *of == kind).map(|(shape, _)| shape).collect();
        let selection = Selection { shapes: Some(shapes), ..self.journal.select(&filter, &view)? };
        if selection.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query::parse(&format!("\"{}\"", text.replace('"', " ")));
        let window = Window { skip: 0, limit: HITS_MAX };
        let hits = self.index.search(&*self.journal, &query, &selection, window, &mut |_, _| time.is_left())?;
        let seqs: Vec<Seq> = hits.hits.iter().map(|hit| hit.seq).collect();
        let mut events = self.shown().events(&seqs, &view)?;
        events.sort_by_key(|stored| std::cmp::Reverse((stored.ts_ms, stored.seq)));
        Ok(events)
    }

    fn origin(&self, stored: &StoredEvent) -> String {
        format!("{}, {}, {}", shown_session(stored), day(stored.ts_ms, &self.zone), stored.id)
    }
}

fn shown_session(stored: &StoredEvent) -> String {
    Client::shown_session(stored.event.client, &stored.event.session)
}

/// How a run of that very command ended; none if it is another command.
fn exit_code(stored: &StoredEvent, command: &str) -> Option<Option<i64>> {
    let payload: Value = serde_json::from_str(stored.event.content.verbatim()).ok()?;
    let item = payload.get("item").unwrap_or(&payload);
    let ran = item.get("command").and_then(Value::as_str)?;
    (ran.trim() == command.trim()).then(|| item.get("exit_code").and_then(Value::as_i64))
}

/// What a tool's input says that it will touch.
fn target_in(input: &str, cwd: Option<&str>) -> Option<Target> {
    let input: Value = serde_json::from_str(input).ok()?;
    let text = |name: &str| input.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let here = |path: &str| {
        let inside = cwd.and_then(|cwd| path.strip_prefix(cwd)).map(|rest| rest.trim_start_matches('/'));
        inside.unwrap_or(path).trim_start_matches("./").to_owned()
    };
    if let Some(path) = ["file_path", "notebook_path", "path"].iter().find_map(|name| text(name)) {
        return Some(Target::File(here(path)));
    }
    let command = text("command").or_else(|| text("cmd")).or_else(|| text("input"))?;
    if let Some(patched) = patched_file(command) {
        return Some(Target::File(here(patched)));
    }
    (command.len() <= COMMAND_BYTES_MAX).then(|| Target::Command(command.to_owned()))
}

/// The first file that a patch touches.
fn patched_file(patch: &str) -> Option<&str> {
    let marks = ["*** Update File: ", "*** Delete File: ", "*** Add File: "];
    patch.starts_with("*** Begin Patch").then_some(())?;
    patch.lines().find_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark))).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tools_input_says_what_it_will_touch() {
        let target = |input: &str| target_in(input, Some("/p"));
        let file = |path: &str| Some(Target::File(path.to_owned()));
        assert_eq!(target(r#"{"file_path":"/p/src/a.rs","old_string":"x"}"#), file("src/a.rs"));
        assert_eq!(target(r#"{"file_path":"/elsewhere/a.rs"}"#), file("/elsewhere/a.rs"));
        assert_eq!(
            target(r#"{"command":"*** Begin Patch\n*** Update File: src/b.rs\n*** End Patch"}"#),
            file("src/b.rs")
        );
        assert_eq!(target(r#"{"command":"cargo test"}"#), Some(Target::Command("cargo test".to_owned())));
        for none in ["", "[]", r#"{"command":["ls"]}"#, r#"{"command":""}"#, r#"{"query":"x"}"#] {
            assert_eq!(target(none), None, "{none}");
        }
        assert_eq!(target(&format!(r#"{{"command":"{}"}}"#, "x".repeat(2_000))), None);
    }
}
