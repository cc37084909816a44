//! Takes what was purged out of whatever else the home holds: what waits in the spool, and older copies of the journal.

use super::Context;
use crate::home::system_clock;
use anyhow::Result;
use memoir_journal::{Admission, Depth, Forgetting, Journal, Seq, SqliteJournal, SqliteOptions, TextDigest};
use memoir_record::{Claimed, Lane, Spool};
use memoir_vectors::Removed;
use std::collections::HashSet;
use std::path::PathBuf;

/// Leaves nothing of those texts in what waits to be delivered.
pub fn spool(context: &Context, journal: &SqliteJournal, texts: &HashSet<TextDigest>, problems: &mut Vec<String>) {
    if let Err(error) = try_spool(context, journal, texts, problems) {
        problems.push(format!("what waits in the spool could not be searched: {error:#}"));
    }
}

fn try_spool(
    context: &Context,
    journal: &SqliteJournal,
    texts: &HashSet<TextDigest>,
    problems: &mut Vec<String>,
) -> Result<()> {
    let spool = context.spool()?;
    for lane in [Lane::Journal, Lane::Server] {
        for file in spool.waiting(lane)? {
            scrub_file(&spool, &file, journal, texts, problems)?;
        }
    }
    let set_aside = memoir_record::SpoolListing::read(&context.settings.spool_dir)?.quarantined;
    if set_aside > 0 {
        let files = crate::print::count(set_aside, "file");
        problems
            .push(format!("{files} set aside in the spool cannot be read and may hold it: `memoir spool` tells where"));
    }
    Ok(())
}

fn scrub_file(
    spool: &Spool,
    file: &std::path::Path,
    journal: &SqliteJournal,
    texts: &HashSet<TextDigest>,
    problems: &mut Vec<String>,
) -> Result<()> {
    let mut claim = match spool.claim(file)? {
        Claimed::Ours(claim) => claim,
        Claimed::Others => {
            problems.push(format!("another process has {} open: run the command again", file.display()));
            return Ok(());
        }
        Claimed::SetAside(_) => return Ok(()),
    };
    let all = claim.take_records();
    let says = |record: &memoir_record::wire::RawRecord| {
        record.content.blocks.iter().any(|block| texts.contains(&journal.text_digest(&block.data)))
    };
    let rest: Vec<_> = all.iter().filter(|record| !says(record)).cloned().collect();
    match (rest.len() == all.len(), rest.is_empty()) {
        (true, _) => {}
        (false, true) => claim.done(spool)?,
        (false, false) => claim.keep_rest(spool, &rest)?,
    }
    Ok(())
}

/// Leaves no byte of the vectors of what was purged.
pub fn vectors(context: &Context, journal: &SqliteJournal, problems: &mut Vec<String>) -> Result<()> {
    let mut purged: HashSet<Seq> = HashSet::new();
    for entry in journal.forgettings()?.iter().filter(|entry| entry.depth == Depth::Purge) {
        purged.extend(journal.forgotten_by(&entry.name)?.unwrap_or_default());
    }
    match context.vectors().remove(&mut |seq| purged.contains(&seq)) {
        Ok(Removed::Done(_)) => {}
        Ok(Removed::Busy) => {
            problems.push("another process writes the vectors: run `memoir purge` again when it is done".to_owned())
        }
        Err(error) => problems.push(format!("the vectors may still hold it: {error}; delete that directory")),
    }
    Ok(())
}

/// Purges the same from copies of the journal that a restore left in the home.
pub fn copies(context: &Context, purge: &Forgetting, problems: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(context.home.dir()) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with("journal-before-restore-") && name.ends_with(".memoir") {
            if let Err(error) = purge_copy(context, &path, purge) {
                problems.push(format!("{} still holds it: {error:#}; delete it", path.display()));
            }
        } else if name.starts_with("journal-damaged-") {
            problems.push(format!("{} is a damaged journal that may hold it: delete it", path.display()));
        }
    }
}

fn purge_copy(context: &Context, path: &std::path::Path, purge: &Forgetting) -> Result<()> {
    let journal = SqliteJournal::open(path, SqliteOptions::long_lived(), system_clock())?;
    let redactor = context.settings.redactor()?;
    let admission = Admission::new(&redactor, journal.hasher().clone());
    let batch: Vec<_> = purge.clone().into_events().into_iter().map(|event| admission.admit(event)).collect();
    journal.append(&batch, &[])?;
    anyhow::ensure!(journal.erase(&mut |_, _| true)?.is_clean, "another process reads it");
    drop(journal);
    for suffix in ["-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        let _ = std::fs::remove_file(file);
    }
    Ok(())
}
