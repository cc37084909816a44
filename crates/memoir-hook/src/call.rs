//! The course of one hook call.

use crate::fired::{self, BAD_PAYLOAD};
use crate::keep::{Kept, for_server, keep};
use memoir_capture::{Captured, HookCall, HookError, Moment, read_hook};
use memoir_event::KeyHasher;
use memoir_event::{Client, Time};
use memoir_journal::{Admission, Cursor, Journal, Redacted};
use memoir_record::{
    CaughtUp, ClientDirs, Importer, Judge, Lane, Mark, Names, Pending, Policy, Projects, Spool, file_of, rename_project,
};
use memoir_redact::Redactor;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// So much of a session file is read in a hook; the rest is left to whoever comes next.
const CATCH_UP_BYTES: u64 = 128 << 10;

/// What a hook works with.
pub struct Hook<'a> {
    /// The journal, if it can be opened.
    pub journal: Option<&'a dyn Journal>,
    /// Where events go that the journal cannot take.
    pub spool: &'a Spool,
    /// Session files that are left for later.
    pub pending: &'a Pending,
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// What is not to be recorded.
    pub policy: &'a Policy,
    /// How much of long texts is kept.
    pub limits: memoir_journal::Limits,
    /// Where clients keep their sessions.
    pub dirs: &'a ClientDirs,
    /// The contributor.
    pub actor: Option<&'a str>,
    /// The user's own directory.
    pub user_home: Option<&'a Path>,
    /// The time.
    pub clock: &'a memoir_journal::Clock,
    /// Whether events also go to a server: they are put into its outbox.
    pub to_server: bool,
}

/// What the client gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// One JSON object with fields that the client accepts.
    pub json: String,
    /// What went wrong, for a log; nothing of it is the client's business.
    pub problems: Vec<String>,
    /// Events that could be kept nowhere.
    pub lost: usize,
    /// Whether something is in the outbox for the server.
    pub has_outbox: bool,
}

impl Answer {
    fn empty() -> Answer {
        Answer { json: "{}".to_owned(), problems: Vec::new(), lost: 0, has_outbox: false }
    }
}

impl Hook<'_> {
    /// Records a call and answers it.
    pub fn answer(&self, client: Client, payload: &str) -> Answer {
        let mut answer = Answer::empty();
        let now = Time::from_ms((self.clock)());
        let call = match read_hook(client, payload, &now) {
            Ok(call) => call,
            Err(error) => {
                self.count_bad(client, &error, &mut answer);
                return answer;
            }
        };
        if let Err(problem) = self.record(&call, &now, &mut answer) {
            answer.problems.push(problem);
        }
        answer
    }

    fn count_bad(&self, client: Client, error: &HookError, answer: &mut Answer) {
        answer.problems.push(error.to_string());
        let counted = self.journal.map(|journal| {
            let cursor = fired::once_more(journal, client, BAD_PAYLOAD, (self.clock)())?;
            journal.append(&[], &[cursor])
        });
        if let Some(Err(error)) = counted {
            answer.problems.push(error.to_string());
        }
    }

    fn record(&self, call: &HookCall, now: &Time, answer: &mut Answer) -> Result<(), String> {
        let names = Names::new(self.clock.clone()).map_err(|error| error.to_string())?;
        let excluded = call.cwd.as_deref().is_some_and(|cwd| self.policy.excludes_dir(cwd))
            || call.tool.as_deref().is_some_and(|tool| self.policy.excludes_tool(tool));
        let mut cursors = self.fired(call, now, answer);
        let (mut batch, mut caught_up) = (Vec::new(), None);
        if !excluded {
            let mut judge = self.judge(call, &mut cursors);
            let read = self.catch_up(call);
            let is_whole = read.as_ref().is_some_and(|read| read.is_whole);
            let fallback = call.fallback.iter().filter(|_| !is_whole);
            batch = self.admit(call.captured.iter().chain(fallback), &mut judge);
            caught_up = read;
        }
        let seen = batch.len();
        for portion in caught_up.into_iter().flat_map(|read| read.portions) {
            batch.extend(portion.batch);
            cursors.extend(portion.cursor);
        }
        let kept = keep(self.journal, self.spool, &names, &batch, &cursors);
        match kept {
            Kept::Stored => {}
            Kept::Spooled(problem) => {
                answer.problems.push(problem);
                // What was read of the session file is read again from there.
                self.mark(call, answer);
            }
            Kept::Lost(problem) => {
                answer.lost = seen;
                answer.problems.push(problem);
            }
        }
        self.rename(call, answer);
        if self.to_server && seen > 0 {
            let records = for_server(batch.get(..seen).unwrap_or_default(), &names);
            match self.spool.keep(Lane::Server, &records) {
                Ok(_) => answer.has_outbox = true,
                Err(error) => answer.problems.push(error.to_string()),
            }
        }
        Ok(())
    }

    fn fired(&self, call: &HookCall, now: &Time, answer: &mut Answer) -> Vec<Cursor> {
        let Some(journal) = self.journal else { return Vec::new() };
        match fired::once_more(journal, call.client, &call.event, now.ms()) {
            Ok(cursor) => vec![cursor],
            Err(error) => {
                answer.problems.push(error.to_string());
                Vec::new()
            }
        }
    }

    /// A judge that knows whether the present turn is private; a prompt decides that anew.
    fn judge(&self, call: &HookCall, cursors: &mut Vec<Cursor>) -> Judge {
        let stream = format!("private|{}|{}", call.client, call.session);
        let known = self.journal.and_then(|journal| journal.cursor(&stream).ok().flatten());
        let known = known.map(|cursor| cursor.position).filter(|turn| !turn.is_empty());
        let (Moment::Prompt, Some(prompt)) = (call.moment, &call.prompt) else {
            let turn = known.map(|turn| if turn == ANY_TURN { String::new() } else { turn });
            return Judge::knowing(&call.session, turn.as_deref());
        };
        let is_private = self.policy.is_private(prompt);
        if is_private || known.is_some() {
            let turn = call.turn.clone().unwrap_or_else(|| ANY_TURN.to_owned());
            let position = if is_private { turn } else { String::new() };
            cursors.push(Cursor { stream, sequence: 0, position });
        }
        Judge::default()
    }

    fn admit<'c>(&self, captured: impl Iterator<Item = &'c Captured>, judge: &mut Judge) -> Vec<Redacted> {
        let hasher = self.journal.map_or_else(|| KeyHasher::new([0; 32]), |journal| journal.hasher().clone());
        let admission = Admission::new(self.redactor, hasher).with_limits(self.limits);
        let mut projects = Projects::new(self.user_home.map(Path::to_owned));
        captured
            .filter(|captured| judge.forbids(self.policy, captured).is_none())
            .map(|captured| {
                let mut event = captured.event.clone();
                event.repo.clone_from(&projects.of(captured.cwd.as_deref(), captured.remote.as_deref()).id);
                event.actor = self.actor.map(str::to_owned);
                admission.admit(event)
            })
            .collect()
    }

    /// Reads what the session file has beyond what hooks see, as far as there is time for it.
    fn catch_up(&self, call: &HookCall) -> Option<CaughtUp> {
        let journal = self.journal?;
        if call.moment == Moment::SessionEnd {
            let _ = self.leave_mark(call, true);
            return None;
        }
        if !matches!(call.moment, Moment::TurnEnd | Moment::Subagent | Moment::Compaction) {
            return None;
        }
        let path = call.agent_transcript.as_ref().or(call.transcript.as_ref())?;
        let file = file_of(call.client, Path::new(path), call.cwd.as_deref())?;
        let never = AtomicBool::new(false);
        let importer = Importer {
            journal,
            redactor: self.redactor,
            policy: self.policy,
            limits: self.limits,
            dirs: self.dirs,
            actor: self.actor,
            user_home: self.user_home,
            clock: self.clock,
            stop: &never,
        };
        let read = importer.catch_up(&file, CATCH_UP_BYTES).ok()?;
        if !read.is_whole {
            let _ = self.leave_mark(call, false);
        }
        Some(read)
    }

    fn mark(&self, call: &HookCall, answer: &mut Answer) {
        if let Err(error) = self.leave_mark(call, false) {
            answer.problems.push(error.to_string());
        }
    }

    fn leave_mark(&self, call: &HookCall, is_ended: bool) -> std::io::Result<()> {
        for path in call.transcript.iter().chain(&call.agent_transcript) {
            let mark = Mark { client: call.client, path: path.into(), cwd: call.cwd.clone(), is_ended };
            self.pending.leave(&mark, self.redactor)?;
        }
        Ok(())
    }

    /// A project that has got an address goes by it from now on.
    fn rename(&self, call: &HookCall, answer: &mut Answer) {
        let (Some(journal), Some(cwd)) = (self.journal, call.cwd.as_deref()) else { return };
        if call.moment != Moment::SessionStart && call.moment != Moment::Prompt {
            return;
        }
        let mut projects = Projects::new(self.user_home.map(Path::to_owned));
        let project = projects.of(Some(cwd), None);
        let Some(path_id) = project.path_id.as_ref().filter(|path_id| **path_id != project.id) else { return };
        if let Err(error) = rename_project(journal, self.redactor, self.clock, path_id, &project.id) {
            answer.problems.push(error.to_string());
        }
    }
}

/// Stands for the turn where a client names none: it lasts until the next prompt.
const ANY_TURN: &str = "*";
