//! The way from what a parser captures to what the journal takes: judged, given its project and contributor, redacted.

use crate::policy::{Judge, Policy, Reason};
use crate::project::Projects;
use memoir_capture::Captured;
use memoir_event::KeyHasher;
use memoir_journal::{Admission, Limits, Redacted};
use memoir_redact::Redactor;
use std::collections::BTreeSet;
use std::path::Path;

/// For whom and by which rules things are taken in.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    /// What takes secrets out.
    pub redactor: &'a Redactor,
    /// What is not to be recorded.
    pub policy: &'a Policy,
    /// How much of long texts is kept.
    pub limits: Limits,
    /// The contributor.
    pub actor: Option<&'a str>,
    /// The user's own directory.
    pub user_home: Option<&'a Path>,
    /// The project, if it is not for the directory to tell.
    pub repo: Option<&'a str>,
}

/// Takes things in, in the order in which they happened.
pub struct Intake<'a> {
    rules: Rules<'a>,
    admission: Admission<'a>,
    projects: Projects,
    judge: Judge,
    renamed: BTreeSet<(String, String)>,
}

impl<'a> Intake<'a> {
    /// Takes in for the journal whose keys `hasher` makes.
    pub fn new(rules: Rules<'a>, hasher: KeyHasher) -> Intake<'a> {
        let admission = Admission::new(rules.redactor, hasher).with_limits(rules.limits);
        let projects = Projects::new(rules.user_home.map(Path::to_owned));
        Intake { rules, admission, projects, judge: Judge::default(), renamed: BTreeSet::new() }
    }

    /// Who judges.
    pub const fn judge(&mut self) -> &mut Judge {
        &mut self.judge
    }

    /// Takes one thing in, or says why it must not be recorded.
    pub fn take(&mut self, captured: Captured) -> Result<Redacted, Reason> {
        if let Some(reason) = self.judge.forbids(self.rules.policy, &captured) {
            return Err(reason);
        }
        let Captured { mut event, cwd, remote } = captured;
        let project = self.projects.of(cwd.as_deref(), remote.as_deref());
        event.repo = self.rules.repo.unwrap_or(&project.id).to_owned();
        if let Some(path_id) = project.path_id.as_ref().filter(|path_id| **path_id != project.id) {
            self.renamed.insert((path_id.clone(), project.id.clone()));
        }
        event.actor = self.rules.actor.map(str::to_owned);
        Ok(self.admission.admit(event))
    }

    /// Projects that were known by a path once and by an address now, as met so far.
    pub fn take_renamed(&mut self) -> BTreeSet<(String, String)> {
        std::mem::take(&mut self.renamed)
    }
}
