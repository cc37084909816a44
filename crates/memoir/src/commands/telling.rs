//! Has the configured model tell archives, within its budget. Nothing waits for it, and nothing is lost by it.

use super::Context;
use super::housekeeping::Keeping;
use super::models::chat_model;
use crate::budget::Budget;
use crate::print::{self, Progress, count};
use crate::settings::Settings;
use crate::stop;
use anyhow::Result;
use memoir_journal::Journal;
use memoir_model::{ChatModel, ModelError};
use memoir_redact::Redactor;
use memoir_session::{Answer, Silence, ToldOff};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The overview of one archive takes at most about so many tokens.
const TOKENS_MAX: u32 = 2_000;
/// A model that is not there is left in peace for so long.
const PEACE: Duration = Duration::from_secs(300);

/// A model that tells archives.
pub struct Teller {
    model: ChatModel,
    budget: Budget,
    keeping: Keeping,
    at_peace_until: Cell<Option<Instant>>,
}

impl Teller {
    /// As the settings say; none if no model is to tell archives.
    pub fn of(settings: &Settings) -> Result<Option<Teller>> {
        if !settings.model_archives {
            return Ok(None);
        }
        let Some(model) = chat_model(settings)? else { return Ok(None) };
        let (budget, keeping) = (settings.model_budget, Keeping::new(settings));
        Ok(Some(Teller { model, budget, keeping, at_peace_until: Cell::new(None) }))
    }

    /// Tells what waits, until `go_on` says stop.
    fn tell(
        &self,
        journal: &dyn Journal,
        redactor: &Redactor,
        go_on: &mut dyn FnMut(usize) -> bool,
    ) -> Result<ToldOff> {
        let ask = |system: &str, prompt: &str| self.ask(journal, system, prompt);
        self.keeping.with_sessions(journal, redactor, |sessions| Ok(sessions.tell(&ask, go_on)?))
    }

    /// As a server does it: it goes on, whatever becomes of it. `memoir status` tells.
    pub fn tell_quietly(&self, journal: &dyn Journal, redactor: &Redactor, go_on: &mut dyn FnMut() -> bool) {
        if self.at_peace_until.get().is_some_and(|until| Instant::now() < until) {
            return;
        }
        let problem = match self.tell(journal, redactor, &mut |_| go_on()) {
            Ok(done) => done.problem.filter(|_| done.left > 0),
            Err(error) => Some(format!("{error:#}")),
        };
        if let Some(problem) = problem {
            print::warn(&format!("archives are not told for now: {problem}"));
            self.at_peace_until.set(Some(Instant::now() + PEACE));
        }
    }

    fn ask(&self, journal: &dyn Journal, system: &str, prompt: &str) -> Result<Answer, Silence> {
        let for_now = |error: anyhow::Error| Silence::ForNow(format!("{error:#}"));
        let question = format!("{system}\n{prompt}");
        let reserved = self.budget.reserve(journal, &question, TOKENS_MAX).map_err(for_now)?;
        let Some(reserved) = reserved else {
            return Err(Silence::ForNow(self.budget.used_up(journal).map_err(for_now)?));
        };
        match self.model.complete(system, prompt, TOKENS_MAX) {
            Ok(answer) => {
                reserved.settle(journal, answer.tokens).map_err(for_now)?;
                Ok(Answer { text: answer.text, model: self.model.name() })
            }
            Err(error) => {
                // Whoever took long may have worked for it.
                if !matches!(error, ModelError::Timeout { .. } | ModelError::AgentFailed { .. }) {
                    reserved.give_back(journal).map_err(for_now)?;
                }
                let is_this_one = matches!(
                    error,
                    ModelError::Unusable { .. } | ModelError::TooLong { .. } | ModelError::Refused { .. }
                );
                let problem = error.to_string();
                Err(if is_this_one { Silence::ThisOne(problem) } else { Silence::ForNow(problem) })
            }
        }
    }
}

/// Has the model tell what waits, for somebody who looks on.
pub fn by_model(context: &Context, journal: &dyn Journal) -> Result<()> {
    let teller = match Teller::of(&context.settings) {
        Ok(Some(teller)) => teller,
        Ok(None) => return Ok(()),
        Err(error) => {
            print::warn(&format!("archives stay as the rules chose them: {error:#}"));
            return Ok(());
        }
    };
    let (stop, mut bar, mut total) = (stop::on_signal()?, Progress::new("telling"), 0);
    let done = teller.tell(journal, &context.settings.redactor()?, &mut |left| {
        total = total.max(left);
        bar.at((total - left) as u64, total as u64);
        !stop::requested(&stop)
    })?;
    drop(bar);
    if !done.told.is_empty() {
        let spent = context.settings.model_budget.described(journal)?;
        print::warn(&format!("{} told by {}; {spent}", count(done.told.len() as u64, "archive"), teller.model.name()));
    }
    if let Some(problem) = &done.problem {
        let stay = count((done.fell_back + done.left) as u64, "archive");
        print::warn(&format!("{stay} as the rules chose it: {problem}"));
    }
    Ok(())
}
