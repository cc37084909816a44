//! `memoir push`.

use super::remote::connect;
use super::{Context, filter, project};
use crate::cli::{PushArgs, PushScope};
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Progress, count};
use crate::stop;
use anyhow::{Context as _, Result};
use memoir_journal::Journal;
use memoir_recall::{Form, Gate};
use memoir_record::{Push, PushEnd, PushSummary, RunScope};
use serde_json::json;

pub fn run(context: &Context, args: &PushArgs) -> Result<Done> {
    let remote = args.remote.as_deref().or(context.settings.server_url.as_deref());
    let remote = remote.ok_or_else(|| Usage("no server is named: pass --remote, or set `server_url`".into()))?;
    let client = connect(&context.settings, remote)?;
    let Some(journal) = context.existing_journal(Life::Long)? else {
        anyhow::bail!("there is no journal in {} yet", context.home.dir().display());
    };
    const HINT: &str = "pass --repo to choose another, or --all";
    let repos = match (&args.repo, args.all) {
        (_, true) => journal.projects()?.into_iter().map(|project| project.repo).collect(),
        (Some(repo), _) => vec![project::named(&journal, repo, HINT)?.repo],
        (None, _) => {
            let cwd = std::env::current_dir().context("this directory cannot be told")?;
            vec![project::at(context, &journal, &project::around(&cwd), HINT)?.repo]
        }
    };
    let (view, stop) = (filter::view(&args.view), stop::on_signal()?);
    let redactor = context.settings.redactor()?;
    let gate = Gate::new(&redactor, Form::Verbatim);
    let scope = match args.scope {
        PushScope::Project => RunScope::Project,
        PushScope::Session => RunScope::Session,
    };
    let mut bar = Progress::new("pushing");
    let push = Push {
        client: &client,
        journal: &journal,
        repos: &repos,
        view: &view,
        gate: &|stored| gate.event(stored),
        scope,
        from_start: args.from_start,
        stop: &stop,
    };
    let summary = push.run(&mut |at, last| bar.at(at, last))?;
    drop(bar);
    tell(&summary, args.json)?;
    match &summary.end {
        PushEnd::Done => {}
        PushEnd::Stopped => {
            print::warn("interrupted; what was sent is there, and the next push goes on");
            return Ok(Done::Partly);
        }
        PushEnd::Outage(reason) => {
            anyhow::bail!("the server is not to be had now ({reason}): the next push sends the rest")
        }
        PushEnd::Denied(reason) => {
            anyhow::bail!("the server does not take them ({reason}): check --remote and MEMOIR_SERVER_API_KEY")
        }
    }
    if let Some(reason) = &summary.refusal {
        let refused = summary.projects.values().map(|counts| counts.refused).sum();
        print::warn(&format!("{} refused: {reason}", count(refused, "event")));
        return Ok(Done::Partly);
    }
    Ok(Done::Well)
}

fn tell(summary: &PushSummary, json: bool) -> Result<()> {
    let mut out = Out::new();
    for (repo, counts) in &summary.projects {
        if json {
            out.json(&json!({
                "project": repo, "sent": counts.sent, "stored": counts.stored, "revised": counts.revised,
                "known": counts.known, "suppressed": counts.suppressed, "refused": counts.refused,
                "done": summary.end == PushEnd::Done,
            }))?;
            continue;
        }
        let more = [("fuller", counts.revised), ("known", counts.known), ("forgotten", counts.suppressed)];
        let said: String = more.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!(", {what} {n}")).collect();
        out.line(&format!("{repo}: sent {}, new there {}{said}", counts.sent, counts.stored))?;
    }
    Ok(out.flush()?)
}
