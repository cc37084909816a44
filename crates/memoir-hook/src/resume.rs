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

/// Nobody asks a hook's injection whether a process is alive.
const NOBODY: &dyn Fn(&Process) -> bool = &|_| false;

impl Injector {
    /// Whether something of the session came after its latest archive.
    pub(crate) fn is_open(&self, call: &HookCall) -> Result<bool, InjectError> {
        Ok(self.sessions(&*self.journal).is_open(&name_of(call))?)
    }

    /// The overview of a session's latest archive. What it tells is known to be shown.
    pub(crate) fn archive(
        &self,
        call: &HookCall,
        occasion: Occasion,
        shown: &mut Shown,
    ) -> Result<Option<String>, InjectError> {
        let journal = self.shown();
        let (sessions, session) = (self.sessions(&journal), name_of(call));
        let Some((_, archive)) = sessions.latest(&session)? else { return Ok(None) };
        let overview = sessions.overview(&archive, &View::of(Audience::Recall))?;
        if overview.is_empty() {
            return Ok(None);
        }
        let digest = overview.digest(&self.zone, self.wanted.resume_chars_max, Some(&session.shown()));
        let told = overview.lines.iter().map(|line| line.event).filter(|id| digest.contains(&id.to_string()));
        told.for_each(|id| shown.add(id));
        let name = session.shown();
        let more = format!(
            "For exact commands, paths, code or output read it: `memoir archive {name}`, `memoir show ID`, or the tool `read` of memoir's MCP server."
        );
        Ok((!digest.trim().is_empty()).then(|| wrapped(occasion, &digest, Some(&more))))
    }

    /// What the latest archives of a project's last sessions say is still to do, a line for each.
    pub(crate) fn loose_ends(&self, essence: &Essence) -> Result<Vec<(EventId, String)>, InjectError> {
        let shown = self.shown();
        let sessions = self.sessions(&shown);
        let mut ends = Vec::new();
        for last in &essence.sessions {
            let Some((_, mut archive)) = sessions.latest(&SessionName::parse(&last.shown))? else { continue };
            keep_open(&mut archive);
            let overview = sessions.quoted(&archive, &View::of(Audience::Recall))?;
            ends.extend(overview.lines.iter().map(|line| (line.event, line.shown(&self.zone, Some(&last.shown)))));
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
