//! The course of one hook call.

use crate::fired::{self, BAD_PAYLOAD, MISREAD};
use crate::fork::began_as_copy;
use crate::life::{SessionLife, is_before_compaction};
use memoir_capture::{Captured, HookCall, HookError, Moment, read_hook};
use memoir_event::KeyHasher;
use memoir_event::{Client, Time};
use memoir_journal::{Cursor, Journal, Redacted};
use memoir_record::{
    CaughtUp, ClientDirs, Importer, Intake, Kept, Lane, Mark, Names, Pending, Reason, Rules, SourceFile, Spool,
    count_left_out, file_of, for_server, is_unread_fork, keep, rename_project,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// So much of a session file is read in a hook, or twice that to a good place to stop at; the rest is left to whoever
/// comes next.
const CATCH_UP_BYTES: u64 = 4 << 10;

/// Gemini CLI deletes the files of a session that goes on later, and its chats begin with all that it loaded: what is not
/// read now may never be.
const CATCH_UP_BYTES_OF_GEMINI: u64 = 16 << 10;

/// What a hook works with.
pub struct Hook<'a> {
    /// The journal, if it can be opened.
    pub journal: Option<&'a dyn Journal>,
    /// Where events go that the journal cannot take.
    pub spool: &'a Spool,
    /// Session files that are left for later.
    pub pending: &'a Pending,
    /// For whom and by which rules.
    pub rules: Rules<'a>,
    /// Where clients keep their sessions.
    pub dirs: &'a ClientDirs,
    /// The time.
    pub clock: &'a memoir_journal::Clock,
    /// Whether events also go to a server: they are put into its outbox.
    pub to_server: bool,
    /// What moves the state of sessions, if there is a journal.
    pub life: Option<SessionLife<'a>>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorded {
    /// The call, if it may be answered with more than nothing: it was understood, and memoir is not to stay away.
    pub call: Option<HookCall>,
    /// What went wrong, for a log; nothing of it is the client's business.
    pub problems: Vec<String>,
    /// Events that could be kept nowhere.
    pub lost: usize,
    /// Whether something is in the outbox for the server.
    pub has_outbox: bool,
}

impl Hook<'_> {
    /// Records a call.
    pub fn record(&self, client: Client, payload: &str) -> Recorded {
        let mut recorded = Recorded::default();
        let now = Time::from_ms((self.clock)());
        let call = match read_hook(client, payload, &now) {
            Ok(call) => call,
            Err(error) => {
                self.count_bad(client, &error, &mut recorded);
                return recorded;
            }
        };
        match self.keep_call((&call, payload), &now, &mut recorded) {
            Ok(is_excluded) => recorded.call = (!is_excluded).then_some(call),
            Err(problem) => recorded.problems.push(problem),
        }
        recorded
    }

    /// Notes that the call met that setting, which cannot be understood.
    pub fn count_misread(&self, client: Client, name: &str) -> Result<(), String> {
        let Some(journal) = self.journal else { return Ok(()) };
        let more = fired::once_more(client, &format!("{MISREAD}{name}"), (self.clock)());
        journal.append(&[], &[more]).map(drop).map_err(|error| error.to_string())
    }

    fn count_bad(&self, client: Client, error: &HookError, recorded: &mut Recorded) {
        recorded.problems.push(error.to_string());
        if matches!(error, HookError::NoHooks(_)) {
            return;
        }
        let counted =
            self.journal.map(|journal| journal.append(&[], &[fired::once_more(client, BAD_PAYLOAD, (self.clock)())]));
        if let Some(Err(error)) = counted {
            recorded.problems.push(error.to_string());
        }
    }

    /// Keeps what a call tells; true if memoir is to stay away from where it was made.
    fn keep_call(
        &self,
        (call, payload): (&HookCall, &str),
        now: &Time,
        recorded: &mut Recorded,
    ) -> Result<bool, String> {
        let names = Names::new(self.clock.clone()).map_err(|error| error.to_string())?;
        let excluded = call.cwd.as_deref().is_some_and(|cwd| self.rules.policy.excludes_dir(cwd))
            || call.tool.as_deref().is_some_and(|tool| self.rules.policy.excludes_tool(tool));
        let mut cursors = vec![fired::once_more(call.client, &self.rules.redactor.text(&call.event), now.ms())];
        if call.is_fork() {
            cursors.push(began_as_copy(call, payload, now));
        }
        let (mut batch, mut caught_up, mut renamed) = (Vec::new(), None, BTreeSet::new());
        let (mut is_whole, mut left_out) = (true, BTreeMap::<Reason, u64>::new());
        if !excluded {
            if is_before_compaction(call) {
                self.catch_up_in_rounds(call, &names, recorded);
            }
            let (mut intake, is_known) = self.intake(call, recorded);
            let read = self.catch_up(call);
            is_whole = read.as_ref().map_or_else(|| !self.has_file(call), |read| read.is_whole);
            cursors.extend(self.life_cursor(call, recorded));
            let seen: Vec<Captured> = call.captured.iter().chain(self.instead_of_file(call)).cloned().collect();
            intake.look_at(&seen);
            for captured in seen {
                match intake.take(captured) {
                    Ok(redacted) => batch.push(redacted),
                    Err(reason) => *left_out.entry(reason).or_default() += 1,
                }
            }
            cursors.extend(intake.judge().take_changed());
            renamed = intake.take_renamed();
            caught_up = read;
            if !is_known {
                self.tell_later(call, &mut intake, &mut batch, recorded);
            }
        }
        if excluded {
            let by_path = call.cwd.as_deref().is_some_and(|cwd| self.rules.policy.excludes_dir(cwd));
            left_out.insert(if by_path { Reason::Path } else { Reason::Tool }, 1);
        }
        cursors.extend(count_left_out(&left_out));
        let seen = batch.len();
        for portion in caught_up.into_iter().flat_map(|read| read.portions) {
            batch.extend(portion.batch);
            cursors.extend(portion.cursors);
            renamed.extend(portion.renamed);
        }
        if matches!(call.moment, Moment::SessionStart | Moment::Prompt) {
            self.rename(&renamed, recorded);
        }
        let kept = keep(self.journal, self.spool, &names, &batch, &cursors);
        match kept {
            Kept::Stored if excluded => {}
            Kept::Stored => {
                let went_on = self.life.map(|life| life.go_on(call, is_whole));
                recorded.problems.extend(went_on.and_then(Result::err).map(|error| error.to_string()));
            }
            Kept::Spooled(problem) => {
                recorded.problems.push(problem);
                // What was read of the session file is read again from there.
                self.mark(call, recorded);
            }
            Kept::Lost(problem) => {
                recorded.lost = seen;
                recorded.problems.push(problem);
            }
        }
        if self.to_server && seen > 0 {
            let records = for_server(batch.get(..seen).unwrap_or_default(), &names);
            match self.spool.keep(Lane::Server, &records) {
                Ok(_) => recorded.has_outbox = true,
                Err(error) => recorded.problems.push(error.to_string()),
            }
        }
        Ok(excluded)
    }

    /// What the call means for the life of its session.
    fn life_cursor(&self, call: &HookCall, recorded: &mut Recorded) -> Option<Cursor> {
        match self.life?.cursor(call) {
            Ok(cursor) => cursor,
            Err(error) => {
                recorded.problems.push(error.to_string());
                None
            }
        }
    }

    /// An intake, and whether it knows if the session is at a private request.
    fn intake(&self, call: &HookCall, recorded: &mut Recorded) -> (Intake<'_>, bool) {
        let Some(journal) = self.journal else { return (Intake::new(self.rules, KeyHasher::new([0; 32])), false) };
        match Intake::of_session(self.rules, journal, &self.spool.notes(), call.client, &call.session) {
            Ok(intake) => (intake, true),
            Err(error) => {
                recorded.problems.push(error.to_string());
                (Intake::new(self.rules, journal.hasher().clone()), false)
            }
        }
    }

    /// Nobody can say whether the session is at a private request. If it has a file, that tells later what may be stored;
    /// if it has none, what waits is judged when it is stored. A request that begins now is noted.
    fn tell_later(&self, call: &HookCall, intake: &mut Intake<'_>, batch: &mut Vec<Redacted>, recorded: &mut Recorded) {
        if let Err(error) = self.spool.note(&intake.judge().take_begun()) {
            recorded.problems.push(error.to_string());
        }
        if self.has_file(call) && self.leave_mark(call, false).is_ok() {
            batch.clear();
        }
    }

    fn has_file(&self, call: &HookCall) -> bool {
        call.transcript.as_deref().is_some_and(|path| Path::new(path).is_file())
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
        let file = session_file(call)?;
        let never = AtomicBool::new(false);
        let importer = self.importer(journal, &never);
        if is_unread_fork(&importer, &call.session, &file).ok()? {
            // What it begins with is another session's: whoever comes next looks for that one first.
            let _ = self.leave_mark(call, false);
            return None;
        }
        let bytes = if call.client == Client::Gemini { CATCH_UP_BYTES_OF_GEMINI } else { CATCH_UP_BYTES };
        let read = importer.catch_up(&file, &call.session, bytes).ok()?;
        if !read.is_whole {
            let _ = self.leave_mark(call, false);
        }
        Some(read)
    }

    pub(crate) fn importer<'i>(&'i self, journal: &'i dyn Journal, stop: &'i AtomicBool) -> Importer<'i> {
        Importer { journal, rules: self.rules, dirs: self.dirs, clock: self.clock, stop }
    }

    /// What the call tells in the place of the session file, if there is none. What is not read of a file now is read
    /// later, and then says the same in other words.
    fn instead_of_file<'a>(&self, call: &'a HookCall) -> &'a [Captured] {
        if !self.has_file(call) {
            return &call.fallback;
        }
        if self.journal.is_none() && !call.fallback.is_empty() {
            let _ = self.leave_mark(call, false);
        }
        &[]
    }

    fn mark(&self, call: &HookCall, recorded: &mut Recorded) {
        if let Err(error) = self.leave_mark(call, false) {
            recorded.problems.push(error.to_string());
        }
    }

    fn leave_mark(&self, call: &HookCall, is_ended: bool) -> std::io::Result<()> {
        for path in call.transcript.iter().chain(&call.agent_transcript) {
            let mark = Mark { client: call.client, path: path.into(), cwd: call.cwd.clone(), is_ended };
            self.pending.leave(&mark, self.rules.redactor)?;
        }
        Ok(())
    }

    /// A project that has got an address goes by it from now on, and what was forgotten of it stays away under that, too.
    fn rename(&self, renamed: &BTreeSet<(String, String)>, recorded: &mut Recorded) {
        let Some(journal) = self.journal else { return };
        for (from, to) in renamed {
            if let Err(error) = rename_project(journal, self.rules.redactor, self.clock, from, to) {
                recorded.problems.push(error.to_string());
            }
        }
    }
}

/// The file of the session, or of the agent in it, that a call is about.
pub(crate) fn session_file(call: &HookCall) -> Option<SourceFile> {
    let path = call.agent_transcript.as_ref().or(call.transcript.as_ref())?;
    file_of(call.client, Path::new(path), call.cwd.as_deref())
}
