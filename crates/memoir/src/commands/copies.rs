//! `memoir backup` and `memoir restore`.

use super::Context;
use crate::cli::{BackupArgs, RestoreArgs};
use crate::exit::{Done, Usage};
use crate::home::{Life, now_ms};
use crate::print::{self, Out, Progress};
use crate::stop;
use anyhow::{Context as _, Result};
use memoir_journal::{Journal, verify_file};
use std::io::{BufRead, IsTerminal, Write};

pub fn backup(context: &Context, args: &BackupArgs) -> Result<Done> {
    if args.file.exists() {
        anyhow::bail!("{} exists already: choose another name", args.file.display());
    }
    let Some(journal) = context.existing_journal(Life::Short)? else {
        anyhow::bail!("there is no journal in {} yet", context.home.dir().display());
    };
    let bytes = journal.backup(&args.file)?;
    let mut out = Out::new();
    out.line(&format!("{} holds all of the journal ({})", args.file.display(), print::size(bytes)))?;
    out.flush()?;
    Ok(Done::Well)
}

pub fn restore(context: &Context, args: &RestoreArgs) -> Result<Done> {
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("verifying the backup");
    let verified = verify_file(&args.file, &mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    })?;
    drop(progress);
    if let Some((seq, problem)) = verified.bad {
        anyhow::bail!("{} is not a good backup: record {seq} {problem}", args.file.display());
    }
    if verified.stopped {
        anyhow::bail!("stopped; nothing was changed");
    }
    let journal = context.journal(Life::Long)?;
    let now = journal.stats()?;
    let mut out = Out::new();
    if now.records > 0 {
        if !args.yes && !agreed(now.events, verified.records)? {
            anyhow::bail!("nothing was changed");
        }
        let aside = context.home.dir().join(format!("journal-before-restore-{}.memoir", now_ms()));
        journal.backup(&aside)?;
        out.line(&format!("the journal as it was is kept in {}", aside.display()))?;
    }
    journal.restore(&args.file)?;
    remove_index(context)?;
    out.line(&format!("restored {} records from {}", verified.records, args.file.display()))?;
    out.flush()?;
    Ok(Done::Well)
}

fn agreed(events: u64, records: u64) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Usage("the journal is not empty: pass --yes to replace it".into()).into());
    }
    let question =
        format!("Replace the journal ({events} events) by the backup ({records} records)? A copy is kept. [y/N] ");
    std::io::stderr().write_all(question.as_bytes())?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// The index belongs to what the journal held before; the next search builds it anew.
fn remove_index(context: &Context) -> Result<()> {
    match std::fs::remove_dir_all(context.home.index_dir()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context("cannot remove the old index"),
        _ => Ok(()),
    }
}
