//! `memoir uninstall`.

use super::{Context, init};
use crate::cli::UninstallArgs;
use crate::exit::Done;
use crate::print::{self, Out};
use crate::{ask, clients};
use anyhow::Result;
use memoir_event::Client;
use memoir_install::{Change, InstallError, Launcher, Ledger, Plan, undo_plan, undo_registration};
use serde_json::json;
use std::path::{Path, PathBuf};

pub fn run(context: &Context, args: &UninstallArgs) -> Result<Done> {
    let file = context.home.ledger_file();
    let mut ledger = Ledger::load(&file);
    let (plans, mut problems) = plans(context, &ledger, args);
    let needed: Vec<&Plan> = plans.iter().filter(|plan| plan.is_needed()).collect();
    let mut out = Out::new();
    if !args.json {
        let redactor = context.settings.redactor()?;
        for change in needed.iter().flat_map(|plan| plan.changes()).filter(|change| change.is_needed()) {
            init::show(&mut out, change, &redactor)?;
        }
        let others: Vec<&Plan> = plans.iter().filter(|plan| plan.other_home.is_some()).collect();
        for plan in &others {
            print::warn(&of_others(plan));
        }
        if needed.is_empty() && problems.is_empty() && others.is_empty() {
            out.line("no client has hooks of memoir's")?;
        }
        out.flush()?;
    }
    let everything = args.everything && context.home.dir().exists();
    if !args.dry_run {
        const FLAG: &str = "nobody can be asked here: pass --yes to agree, or --dry-run to look";
        if !needed.is_empty() && !args.yes && !ask::yes("Change these files?", FLAG)? {
            anyhow::bail!("nothing was changed");
        }
        let question = format!("Delete all that memoir has recorded in {}?", context.home.dir().display());
        if everything && !args.yes && !ask::yes(&question, FLAG)? {
            anyhow::bail!("nothing was changed");
        }
        for plan in &plans {
            match undo(plan, &mut ledger) {
                Ok(kept) => kept.iter().for_each(|file| {
                    print::warn(&format!(
                        "{}: its settings are gone; as they were, they are in {}",
                        plan.client,
                        file.display()
                    ));
                }),
                Err(error) => problems.push((plan.client, error)),
            }
        }
        ledger.remove_empty_dirs();
        ledger.save(&file)?;
        if ledger.is_empty() && problems.is_empty() {
            Launcher::in_home(context.home.dir()).remove()?;
        }
        if everything && problems.is_empty() && !has_others(args, &ledger) {
            context.home.erase()?;
        }
    }
    for (client, problem) in &problems {
        print::warn(&format!("{client}: {problem}"));
    }
    if args.json {
        let changed: Vec<&PathBuf> = needed
            .iter()
            .flat_map(|plan| plan.changes())
            .filter(|change| change.is_needed())
            .map(|c| &c.path)
            .collect();
        let others: Vec<&PathBuf> = plans.iter().filter_map(|plan| plan.other_home.as_ref()).collect();
        let problems: Vec<String> = problems.iter().map(|(client, problem)| format!("{client}: {problem}")).collect();
        out.json(&json!({"dryRun": args.dry_run, "changed": changed, "erased": everything && !args.dry_run && !has_others(args, &ledger), "problems": problems, "otherHomes": others}))?;
    } else if args.dry_run {
        out.line("nothing was changed: this was a dry run")?;
    } else if everything && has_others(args, &ledger) {
        out.line("other clients still have hooks of memoir's: nothing was deleted; `memoir uninstall --everything` takes out all")?;
    } else if everything && problems.is_empty() {
        out.line("memoir has left nothing behind but its program")?;
    } else if context.home.journal_file().exists() {
        out.line(&format!(
            "what was recorded stays in {}; `memoir uninstall --everything` deletes it",
            context.home.dir().display()
        ))?;
    }
    out.flush()?;
    Ok(if problems.is_empty() { Done::Well } else { Done::Partly })
}

/// Whether hooks stay that were not to be taken out: without the list of them nobody could.
fn has_others(args: &UninstallArgs, ledger: &Ledger) -> bool {
    !args.client.is_empty() && !ledger.is_empty()
}

/// What is to be said of hooks that are not this home's.
fn of_others(plan: &Plan) -> String {
    let (file, home) = (plan.hooks.path.display(), plan.other_home.as_deref().unwrap_or(Path::new("")).display());
    format!("{}: the hooks in {file} are of another home: `memoir --home {home} uninstall` takes them out", plan.client)
}

/// What to undo: where clients keep their settings now, and wherever hooks were installed.
fn plans(context: &Context, ledger: &Ledger, args: &UninstallArgs) -> (Vec<Plan>, Vec<(Client, InstallError)>) {
    let (dirs, launcher) = (clients::dirs(), Launcher::in_home(context.home.dir()));
    let (mut plans, mut problems): (Vec<Plan>, Vec<_>) = (Vec::new(), Vec::new());
    for client in init::wanted(&args.client) {
        let mut places: Vec<PathBuf> = dirs.of(client).map(ToOwned::to_owned).into_iter().collect();
        places.extend(ledger.dirs_of(client).map(ToOwned::to_owned));
        places.sort();
        places.dedup();
        for dir in places {
            match undo_plan(client, &dir, &init::command(context, &launcher, client), ledger) {
                Ok(Some(plan)) => plans.push(plan),
                Ok(None) => {}
                // Nothing of memoir's is behind a link that it never wrote through.
                Err(InstallError::Symlink(path)) if !ledger.knows(&path) => {}
                Err(error) => problems.push((client, error)),
            }
        }
        let mut lists: Vec<PathBuf> = clients::server_list(client).into_iter().collect();
        lists.extend(ledger.server_files_of(client).map(ToOwned::to_owned));
        lists.sort();
        lists.dedup();
        // Where hooks and servers share a file, it is put back as a whole.
        lists.retain(|list| !plans.iter().any(|plan| plan.files.contains(list)));
        for list in lists {
            match undo_registration(client, &list, &init::server(context, &launcher), ledger) {
                Ok(plan) => plans.push(plan),
                Err(InstallError::Symlink(path)) if !ledger.knows(&path) => {}
                // What cannot be read has nothing of memoir's in it, unless memoir put it there.
                Err(InstallError::Plan { path, .. }) if !ledger.knows(&path) => {}
                Err(error) => problems.push((client, error)),
            }
        }
    }
    (plans, problems)
}

/// Undoes it all. What is given back are the last copies of files that are gone.
fn undo(plan: &Plan, ledger: &mut Ledger) -> Result<Vec<PathBuf>, InstallError> {
    if let Some(home) = plan.other_home.as_deref().filter(|_| !plan.is_needed()) {
        // What the other home will put back, with its copy, is not this one's any more.
        let other = Ledger::load(&Ledger::file_in(home));
        plan.files.iter().filter(|file| other.knows(file)).for_each(|file| ledger.forget(file));
        return Ok(Vec::new());
    }
    // The list of what is trusted first: its entries are found by the hooks.
    let changes: Vec<&Change> = plan.changes().collect();
    let kept: Result<Vec<_>, _> = changes.into_iter().rev().map(|change| ledger.undo(change)).collect();
    let kept = kept?;
    plan.remove_copies()?;
    Ok(kept.into_iter().flatten().collect())
}
