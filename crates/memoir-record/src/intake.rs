//! The way from what a parser captures to what the journal takes: judged, given its project and contributor, redacted.

use crate::git::GitFiles;
use crate::judge::Judge;
use crate::policy::{Policy, Reason};
use crate::private::{Place, PrivateRequests};
use crate::project::Projects;
use crate::runs::salt_of;
use crate::shortened;
use crate::spool::Note;
use memoir_capture::Captured;
use memoir_event::{Client, KeyHasher};
use memoir_journal::{Admission, Journal, JournalError, Limits, Redacted};
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
    /// The contributor; as git knows the user in a repository, unless it was said who it is.
    pub actor: Option<&'a str>,
    /// Whether it was said who the contributor is.
    pub is_actor_given: bool,
    /// What git is told for every repository.
    pub git: &'a GitFiles,
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
        Intake::knowing(rules, hasher, PrivateRequests::default())
    }

    /// The same, with what is known of private requests, and what others come to know of them.
    pub(crate) fn knowing(rules: Rules<'a>, hasher: KeyHasher, known: PrivateRequests) -> Intake<'a> {
        let judge = Judge::new(salt_of(&hasher), known);
        let admission = Admission::new(rules.redactor, hasher).with_limits(rules.limits);
        let projects = Projects::new(rules.user_home.map(Path::to_owned)).with_git(rules.git.clone());
        Intake { rules, admission, projects, judge, renamed: BTreeSet::new() }
    }

    /// Takes in what happens in a session now: a private request that it is at goes on, also one that the journal is yet
    /// to hear of, for which `notes` wait.
    pub fn of_session(
        rules: Rules<'a>,
        journal: &dyn Journal,
        notes: &[Note],
        client: Client,
        session: &str,
    ) -> Result<Intake<'a>, JournalError> {
        let hasher = journal.hasher().clone();
        let salt = salt_of(&hasher);
        let known = PrivateRequests::of_session(journal, &Place::new(client, session, salt))?;
        known.hear_notes(notes, salt);
        let mut intake = Intake::knowing(rules, hasher, known);
        intake.judge.go_on(client, session);
        Ok(intake)
    }

    /// Who judges.
    pub const fn judge(&mut self) -> &mut Judge {
        &mut self.judge
    }

    /// Looks at what one record or call tells, before it is taken in.
    pub fn look_at(&mut self, coming: &[Captured]) {
        self.judge.look_at(self.rules.policy, coming);
    }

    /// Takes one thing in, or says why it must not be recorded.
    pub fn take(&mut self, captured: Captured) -> Result<Redacted, Reason> {
        if let Some(reason) = self.judge.forbids(self.rules.policy, &captured) {
            return Err(reason);
        }
        let Captured { mut event, cwd, remote, .. } = captured;
        let project = self.projects.of(cwd.as_deref(), remote.as_deref());
        event.repo = self.rules.repo.unwrap_or(&project.id).to_owned();
        if let Some(path_id) = project.path_id.as_ref().filter(|path_id| **path_id != project.id) {
            self.renamed.insert((path_id.clone(), project.id.clone()));
        }
        let known = project.user.as_deref().filter(|_| !self.rules.is_actor_given);
        event.actor = known.or(self.rules.actor).map(str::to_owned);
        let found = shortened::settle(&mut event, self.rules.limits, self.rules.redactor);
        Ok(self.admission.admit(event).and_before(found.total()))
    }

    /// Projects that were known by a path once and by an address now, as met so far.
    pub fn take_renamed(&mut self) -> BTreeSet<(String, String)> {
        std::mem::take(&mut self.renamed)
    }
}
