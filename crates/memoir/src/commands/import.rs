//! `memoir import`.

use super::{Context, times};
use crate::cli::ImportArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, Progress, count, size};
use anyhow::Result;
use memoir_capture::Counts;
use memoir_record::{ImportSummary, Wanted};
use serde_json::json;

/// So many files with problems are shown.
const PROBLEMS_SHOWN: usize = 10;

/// As a shell says of a command that was interrupted.
const INTERRUPTED: u8 = 130;

pub fn run(context: &Context, args: &ImportArgs) -> Result<Done> {
    let wanted = Wanted {
        clients: args.client.iter().map(|name| name.client()).collect(),
        paths: args.path.clone(),
        since_ms: args.since.as_deref().map(times::parse).transpose()?,
    };
    let summary = import(context, &wanted, args.dry_run)?;
    if args.json {
        let mut out = Out::new();
        out.json(&as_json(&summary, args.dry_run))?;
        out.flush()?;
    } else {
        say(&summary, args.dry_run)?;
    }
    let is_all = args.client.is_empty() && args.path.is_empty() && args.since.is_none();
    if is_all && !args.dry_run && !summary.stopped {
        // Session files have told what hooks could not keep.
        crate::dropped::clear(&context.home);
        memoir_hook::forgive(&context.home.journal(&context.settings, Life::Short)?)?;
    }
    if summary.stopped {
        return Ok(Done::Code(INTERRUPTED));
    }
    let named_nothing = !args.path.is_empty() && summary.clients.values().all(|client| client.files == client.failed);
    let named_missing = args.path.iter().any(|path| !path.exists());
    let unreadable = summary.clients.values().any(|client| client.failed > 0);
    Ok(if named_nothing || named_missing || unreadable { Done::Partly } else { Done::Well })
}

/// Imports what is wanted, with a bar on a terminal.
pub fn import(context: &Context, wanted: &Wanted, dry_run: bool) -> Result<ImportSummary> {
    let journal = context.home.journal(&context.settings, Life::Long)?;
    context.drain(&journal);
    context.with_importer(&journal, |importer| {
        let found = wanted.find(importer.dirs);
        let mut bar = Progress::new("importing");
        let mut progress = |at: memoir_record::Progress| bar.at(at.done >> 20, (at.total >> 20).max(1));
        Ok(if dry_run { importer.look(found, &mut progress)? } else { importer.import(found, &mut progress)? })
    })
}

/// Tells what an import did.
pub fn say(summary: &ImportSummary, dry_run: bool) -> Result<()> {
    let mut out = Out::new();
    for (client, one) in &summary.clients {
        let mut line = format!(
            "{client}: {} ({}), {} with something new, {} found",
            count(one.files, "file"),
            size(one.bytes),
            one.read,
            count(one.events, "event")
        );
        let more = [("rewritten", one.rewritten), ("unfinished", one.unfinished), ("unreadable", one.failed)];
        for (what, number) in more.into_iter().filter(|(_, number)| *number > 0) {
            line.push_str(&format!(", {number} {what}"));
        }
        out.line(&line)?;
    }
    // What stands in the way of all is said once, at the end.
    let is_nothing = summary.clients.is_empty();
    if is_nothing && summary.problems.is_empty() {
        out.line("no session files were found that fit; see `memoir import --help` for where memoir looks")?;
    }
    if dry_run {
        out.line("nothing was stored: this was a dry run")?;
    } else if !is_nothing || summary.problems.is_empty() {
        let counts = [
            ("stored", summary.stored),
            ("fuller", summary.revised),
            ("known", summary.duplicate),
            ("forgotten", summary.suppressed),
            ("secrets taken out", summary.redactions),
            ("projects renamed", summary.renamed),
        ];
        let said: Vec<String> = counts
            .iter()
            .enumerate()
            .filter(|(at, (_, n))| *at == 0 || *n > 0)
            .map(|(_, (name, n))| format!("{name} {n}"))
            .collect();
        out.line(&said.join(", "))?;
    }
    list(&mut out, "not the user's words", &summary.tally.context)?;
    let excluded: Counts = summary.excluded.iter().map(|(reason, n)| (reason.as_str().to_owned(), *n)).collect();
    list(&mut out, "not recorded, as you wish", &excluded)?;
    list(&mut out, "unknown kinds, kept as they are", &summary.tally.unknown)?;
    if !is_nothing {
        list(&mut out, "problems", &summary.tally.problems)?;
    }
    out.flush()?;
    for problem in summary.problems.iter().take(PROBLEMS_SHOWN) {
        let told = |(what, n): (&String, &u64)| if *n == 1 { what.clone() } else { format!("{what} ({n})") };
        let what: Vec<String> = problem.problems.iter().map(told).collect();
        print::warn(&format!("{}: {}", problem.path.display(), what.join(", ")));
    }
    let shown = summary.problems.len().min(PROBLEMS_SHOWN);
    let hidden = summary.files_with_problems.saturating_sub(u64::try_from(shown).unwrap_or(0));
    if hidden > 0 {
        print::warn(&format!("{hidden} more files with problems: see `memoir import --json`"));
    }
    if summary.stopped {
        print::warn("interrupted; what was imported is stored, and the next import goes on");
    }
    Ok(())
}

fn list(out: &mut Out, what: &str, counts: &Counts) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
    out.line(&format!("{what}: {}", said.join(", ")))?;
    Ok(())
}

/// What an import did, for programs.
pub fn as_json(summary: &ImportSummary, dry_run: bool) -> serde_json::Value {
    let clients: serde_json::Map<String, serde_json::Value> = summary
        .clients
        .iter()
        .map(|(client, one)| {
            let value = json!({
                "files": one.files, "read": one.read, "rewritten": one.rewritten, "unfinished": one.unfinished,
                "unreadable": one.failed, "bytes": one.bytes, "lines": one.lines, "events": one.events,
            });
            (client.to_string(), value)
        })
        .collect();
    let excluded: Counts = summary.excluded.iter().map(|(reason, n)| (reason.as_str().to_owned(), *n)).collect();
    let problems: Vec<_> = summary
        .problems
        .iter()
        .map(|file| json!({"path": file.path.to_string_lossy(), "problems": file.problems}))
        .collect();
    json!({
        "dryRun": dry_run, "clients": clients, "stored": summary.stored, "revised": summary.revised,
        "duplicate": summary.duplicate, "suppressed": summary.suppressed, "redacted": summary.redactions,
        "renamedProjects": summary.renamed, "context": summary.tally.context, "leftOut": summary.tally.left_out,
        "unknown": summary.tally.unknown, "problems": summary.tally.problems, "excluded": excluded,
        "files": problems, "filesWithProblems": summary.files_with_problems, "interrupted": summary.stopped,
    })
}
