//! What a session had come to: its latest archive, read anew for whoever goes on with it, and what archives left open.

use crate::context::{Occasion, wrapped};
use crate::inject::{InjectError, Injector};
use crate::life::name_of;
use crate::shown::Shown;
use memoir_capture::HookCall;
use memoir_event::{Archive, EventId, Section};
use memoir_journal::{Audience, Journal, View};
use memoir_recall::Essence;
use memoir_session::{CommitRules, Process, SessionName, Sessions};
use std::collections::HashSet;

/// So many archives of a session are looked at, the latest first.
const ARCHIVES_MAX: usize = 6;
/// Of one before the latest only so much: what it came to.
const EARLIER_CHARS_MAX: usize = 1_200;
/// Stands before each of these.
const BEFORE: &str = "\n# Before that\n";

/// Nobody asks a hook's injection whether a process is alive.
const NOBODY: &dyn Fn(&Process) -> bool = &|_| false;

impl Injector {
    /// Whether something of the session came after its latest archive.
    pub(crate) fn is_open(&self, call: &HookCall) -> Result<bool, InjectError> {
        Ok(self.sessions(&*self.journal).is_open(&name_of(call))?)
    }

    /// The overview of a session's latest archive; after a compaction, also what those before came to, for that is no
    /// longer in the conversation. What it tells is known to be shown.
    pub(crate) fn archive(
        &self,
        call: &HookCall,
        occasion: Occasion,
        shown: &mut Shown,
    ) -> Result<Option<String>, InjectError> {
        let journal = self.shown();
        let (sessions, session) = (self.sessions(&journal), name_of(call));
        let mut archives = sessions.archives(&session)?;
        let told_last = archives.iter().rposition(|(_, archive)| archive.turns > 0);
        archives.truncate(told_last.map_or(archives.len(), |at| at + 1));
        let wanted = if occasion == Occasion::Compaction { ARCHIVES_MAX } else { 1 };
        let (name, view) = (session.shown(), View::of(Audience::Recall));
        let (mut body, mut left) = (String::new(), self.wanted.resume_chars_max);
        let mut told: HashSet<EventId> = HashSet::new();
        for (_, archive) in archives.iter().rev().take(wanted) {
            let mut overview = sessions.overview(archive, &view)?;
            overview.lines.retain(|line| !told.contains(&line.event));
            let (head, most) = if body.is_empty() { ("", left) } else { (BEFORE, left.min(EARLIER_CHARS_MAX)) };
            let digest = overview.digest(&self.zone, most.saturating_sub(head.len()), Some(&name));
            if digest.trim().is_empty() {
                continue;
            }
            told.extend(overview.lines.iter().map(|line| line.event).filter(|id| digest.contains(&id.to_string())));
            left = left.saturating_sub(head.len() + digest.chars().count());
            body.push_str(head);
            body.push_str(&digest);
        }
        told.into_iter().for_each(|id| shown.add(id));
        let more = format!(
            "For exact commands, paths, code or output read it: `memoir archive {name}`, `memoir show ID`, or the tool `read` of memoir's MCP server."
        );
        Ok((!body.is_empty()).then(|| wrapped(occasion, &body, Some(&more))))
    }

    /// What the latest archives of a project's last sessions say is still to do, a line for each thing: what several left
    /// open in the same words stands as the last one said it.
    pub(crate) fn loose_ends(&self, essence: &Essence) -> Result<Vec<(EventId, String)>, InjectError> {
        let shown = self.shown();
        let sessions = self.sessions(&shown);
        let (mut ends, mut said) = (Vec::new(), HashSet::new());
        for last in &essence.sessions {
            let Some((_, mut archive)) = sessions.latest(&SessionName::parse(&last.shown))? else { continue };
            keep_open(&mut archive);
            let overview = sessions.quoted(&archive, &View::of(Audience::Recall))?;
            let new = overview.lines.into_iter().filter(|line| said.insert(line.text.clone()));
            ends.extend(new.map(|line| (line.event, line.shown(&self.zone, Some(&last.shown)))));
        }
        Ok(ends)
    }

    fn sessions<'s>(&'s self, journal: &'s dyn Journal) -> Sessions<'s> {
        Sessions {
            journal,
            redactor: &self.redactor,
            clock: &self.clock,
            rules: CommitRules::default(),
            owner: "hook",
            is_alive: NOBODY,
        }
    }
}

/// Only what is open is wanted.
fn keep_open(archive: &mut Archive) {
    archive.points.retain(|point| point.section == Section::Open);
}
