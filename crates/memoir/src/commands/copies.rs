//! `memoir backup` and `memoir restore`.

use super::Context;
use crate::ask;
use crate::cli::{BackupArgs, RestoreArgs};
use crate::exit::Done;
use crate::home::{Life, now_ms};
use crate::print::{self, Out, Progress};
use crate::stop;
use anyhow::{Context as _, Result};
use memoir_journal::{Admission, Depth, Forgetting, Journal, JournalError, SqliteJournal, verify_file};
use std::path::Path;

pub fn backup(context: &Context, args: &BackupArgs) -> Result<Done> {
    if args.file.exists() {
        anyhow::bail!("{} exists already: choose another name", args.file.display());
    }
    let Some(journal) = context.existing_journal(Life::Short)? else {
        anyhow::bail!("there is no journal in {} yet", context.home.dir().display());
    };
    let bytes = journal.backup(&args.file).with_context(|| format!("cannot write {}", args.file.display()))?;
    super::copied::note_backup(&journal, &args.file)?;
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
    });
    let verified = verified.map_err(|error| no_backup(&args.file, error))?;
    drop(progress);
    if let Some((seq, problem)) = verified.bad {
        anyhow::bail!("{} is not a good backup: record {seq} {problem}", args.file.display());
    }
    if verified.stopped {
        anyhow::bail!("stopped; nothing was changed");
    }
    let mut out = Out::new();
    context.home.prepare()?;
    let journal = match present(context) {
        Ok((journal, events)) => {
            if events > 0 && !args.yes && !agreed(events, verified.records)? {
                anyhow::bail!("nothing was changed");
            }
            match keep_copy(context, &journal, events, &mut out) {
                Ok(()) => journal,
                Err(damage) => {
                    drop(journal);
                    start_anew(context, &damage, args.yes, &mut out)?
                }
            }
        }
        Err(damage) => start_anew(context, &damage, args.yes, &mut out)?,
    };
    // What was forgotten since the backup was made stays so; a journal that cannot say so has nothing to hand on.
    let wishes = journal.wishes().unwrap_or_default();
    let places = super::copied::places(&journal).unwrap_or_default();
    let journal = journal.restore(&args.file)?;
    remove_index(context)?;
    journal.append(&[], &places)?;
    super::copied::note_backup(&journal, &args.file)?;
    forget_again(context, &journal, wishes, &mut out)?;
    out.line(&format!("restored {} records from {}", verified.records, args.file.display()))?;
    out.flush()?;
    // Only now: what waits in the spool belongs to the journal that stays.
    context.drain(&journal);
    Ok(Done::Well)
}

/// What is wrong with a file that cannot be restored. The journal that is there has no part in it.
fn no_backup(file: &Path, error: JournalError) -> anyhow::Error {
    let file = file.display();
    let why = match error {
        JournalError::NotAJournal { .. } => format!("{file} is no backup of a memoir journal"),
        JournalError::Open { reason, .. } => format!("cannot read the backup {file}: {reason}"),
        JournalError::Damaged(problem) => format!("the backup {file} is damaged: {problem}"),
        error => return anyhow::Error::new(error).context(format!("cannot read the backup {file}")),
    };
    anyhow::anyhow!("{why}; nothing was changed")
}

/// Has what was forgotten before forgotten in what was restored.
fn forget_again(context: &Context, journal: &SqliteJournal, wishes: Vec<Forgetting>, out: &mut Out) -> Result<()> {
    let known: Vec<String> = journal.forgettings()?.into_iter().map(|entry| entry.name).collect();
    let wishes: Vec<Forgetting> = wishes.into_iter().filter(|wish| !known.contains(&wish.name)).collect();
    if wishes.is_empty() {
        return Ok(());
    }
    let redactor = context.settings.redactor()?;
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let (count, purges) = (wishes.len(), wishes.iter().filter(|wish| wish.depth == Depth::Purge).count());
    let events = wishes.into_iter().flat_map(Forgetting::into_events);
    let batch: Vec<_> = events.map(|event| admission.admit(event)).collect();
    journal.append(&batch, &[])?;
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    out.line(&format!("something was forgotten {times} since that backup, and stays so"))?;
    if purges > 0 {
        print::warn("the backup brought back what was purged since: run `memoir purge` to erase it again");
    }
    Ok(())
}

/// The journal as it is, and how many events it has.
fn present(context: &Context) -> Result<(SqliteJournal, u64)> {
    let journal = context.home.journal(&context.settings, Life::Long)?;
    let events = journal.stats()?.records;
    Ok((journal, events))
}

fn keep_copy(context: &Context, journal: &SqliteJournal, events: u64, out: &mut Out) -> Result<()> {
    if events > 0 {
        let aside = context.home.dir().join(format!("journal-before-restore-{}.memoir", now_ms()));
        journal.backup(&aside)?;
        out.line(&format!("the journal as it was is kept in {}", aside.display()))?;
    }
    Ok(())
}

/// A journal too damaged to be copied is moved aside as it is.
fn start_anew(context: &Context, damage: &anyhow::Error, yes: bool, out: &mut Out) -> Result<SqliteJournal> {
    let locked = damage.downcast_ref::<JournalError>().is_some_and(JournalError::is_transient);
    if locked {
        anyhow::bail!("{damage:#}");
    }
    print::warn(&format!("{damage:#}"));
    if !yes && !asked("The journal is damaged. Move it aside and restore the backup?")? {
        anyhow::bail!("nothing was changed");
    }
    let aside = context.home.dir().join(format!("journal-damaged-{}", now_ms()));
    std::fs::create_dir(&aside)?;
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        let file = context.home.dir().join(name);
        if file.exists() {
            std::fs::rename(&file, aside.join(name))?;
        }
    }
    out.line(&format!("the damaged journal is kept in {}", aside.display()))?;
    context.home.journal(&context.settings, Life::Long)
}

fn agreed(events: u64, records: u64) -> Result<bool> {
    asked(&format!("Replace the journal ({events} records) by the backup ({records} records)? A copy is kept."))
}

fn asked(question: &str) -> Result<bool> {
    ask::yes(question, "the journal is not empty: pass --yes to replace it")
}

/// The index belongs to what the journal held before; the next search builds it anew.
fn remove_index(context: &Context) -> Result<()> {
    match std::fs::remove_dir_all(context.home.index_dir()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error).context("cannot remove the old index"),
        _ => Ok(()),
    }
}
