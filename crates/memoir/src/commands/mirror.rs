//! `memoir mirror`.

use super::{Context, copied, filter, project};
use crate::cli::{MirrorAction, MirrorArgs, ViewArgs};
use crate::exit::Done;
use crate::home::{Life, system_clock};
use crate::print::{self, Out, Progress, count, size};
use crate::stop;
use anyhow::{Context as _, Result};
use memoir_capture::RegainedNames;
use memoir_event::Event;
use memoir_journal::{Admission, Filter, Journal, JournalError, Order, Outcome, Page, SqliteJournal, View};
use memoir_mirror::{Appended, Mend, Mirror, MirrorError, ProjectInfo, ReadSummary, Summary};
use memoir_recall::{Form, Gate};
use memoir_redact::Redactor;
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Events in one page, and in one append.
const BATCH_EVENTS: usize = 500;

/// How long to wait for another writer of the mirror.
const PATIENCE: Duration = Duration::from_secs(10);

/// So many problems are shown.
const PROBLEMS_SHOWN: usize = 20;

pub fn run(context: &Context, args: &MirrorArgs) -> Result<Done> {
    match &args.action {
        MirrorAction::Export { dir, repo, view } => export(context, dir, repo.as_deref(), view, args.json),
        MirrorAction::Import { dir, dry_run } => import(context, dir, *dry_run, args.json),
        MirrorAction::Verify { dir } => verify(dir, args.json),
    }
}

fn export(context: &Context, dir: &Path, repo: Option<&str>, view: &ViewArgs, json: bool) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Long)? else {
        anyhow::bail!("there is no journal in {} yet", context.home.dir().display());
    };
    let mirror = Mirror::at(dir).with_patience(PATIENCE);
    const HINT: &str = "pass --repo to choose another";
    let around = mirror.dir().parent().unwrap_or(Path::new("."));
    let project = project::around(&std::path::absolute(around).unwrap_or_else(|_| around.to_owned()));
    let entry = match repo {
        Some(repo) => project::named(&journal, repo, HINT)?,
        None => project::at(context, &journal, &project, HINT)?,
    };
    let filter = Filter { repo: Some(entry.repo.clone()), ..Filter::default() };
    let (view, stop, redactor) = (filter::view(view), stop::on_signal()?, context.settings.redactor()?);
    let leaving = Leaving { journal: &journal, filter: &filter, view: &view, redactor: &redactor };
    let rules = leaving.rules(&context.settings.redact);
    let outdated = if copied::is_mirror_by(&journal, mirror.dir(), &rules)? {
        0
    } else {
        leaving.take_out_outdated(&mirror, &stop)?
    };
    let gate = leaving.gate();
    let place = project.root.as_deref().or(mirror.dir().parent()).unwrap_or(dir);
    let info = info_of(place, &entry.repo, &gate);
    let mut writer = mirror.writer(&info, &system_clock())?;
    copied::note_mirror(&journal, mirror.dir())?;
    let mut bar = Progress::new("exporting");
    let (mut page, mut done, mut left_out) = (Page::first(BATCH_EVENTS, Order::OldestFirst), 0, 0);
    while !stop::requested(&stop) {
        let found = journal.page(&filter, &view, &page)?;
        for event in found.events.into_iter().filter_map(|event| gate.event(event)) {
            done += 1;
            match writer.append(&event.into_envelope()) {
                Ok(Appended::New | Appended::Revised | Appended::Known) => {}
                Err(error @ (MirrorError::TooLong { .. } | MirrorError::NotJson { .. })) => {
                    print::warn(&error.to_string());
                    left_out += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
        bar.at(done, entry.events.max(done));
        match found.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    drop(bar);
    // What was written so far is whole; the next export adds the rest.
    let summary = writer.finish()?;
    let stopped = stop::requested(&stop);
    if !stopped {
        copied::note_mirror_is_by(&journal, mirror.dir(), &rules)?;
    }
    let exported = Exported { outdated, left_out, stopped, summary };
    exported.tell(mirror.dir(), &info.repo_id, json)?;
    Ok(if left_out > 0 || stopped { Done::Partly } else { Done::Well })
}

fn info_of(place: &Path, repo: &str, gate: &Gate<'_>) -> ProjectInfo {
    let label = place.file_name().map_or_else(|| repo.to_owned(), |name| name.to_string_lossy().into_owned());
    ProjectInfo { path: gate.text(&place.to_string_lossy()), repo_id: gate.text(repo), label: gate.text(&label) }
}

/// What an export did.
struct Exported {
    /// How many events stood in the mirror as no rule of today would let them leave.
    outdated: u64,
    left_out: u64,
    stopped: bool,
    summary: Summary,
}

impl Exported {
    fn tell(&self, dir: &Path, project: &str, json: bool) -> Result<()> {
        let Exported { outdated, left_out, stopped, summary } = self;
        let mut out = Out::new();
        if json {
            out.json(&json!({
                "mirror": dir, "project": project, "new": summary.new, "revised": summary.revised,
                "known": summary.known, "outdated": outdated, "events": summary.events, "segments": summary.segments,
                "repaired": summary.repairs.any(), "leftOut": left_out, "interrupted": stopped,
            }))?;
        } else {
            let fuller = if summary.revised > 0 { format!(", {} fuller", summary.revised) } else { String::new() };
            let (events, segments) = (count(summary.events, "event"), count(summary.segments, "session"));
            out.line(&format!("{}: {} new{fuller}; {events} of {segments} in all", dir.display(), summary.new))?;
            if *outdated > 0 {
                let events = count(*outdated, "event");
                out.line(&format!("{events} written anew: newer redaction rules take something out"))?;
            }
            if summary.repairs.any() {
                out.line("what an earlier writer left unfinished was mended")?;
            }
        }
        out.flush()?;
        if summary.repairs.checksums > 0 {
            let changed = count(summary.repairs.checksums, "session");
            print::warn(&format!(
                "somebody changed the files of {changed} after they were written; they now count as they are"
            ));
        }
        if *stopped {
            print::warn("interrupted; what was exported is whole, and the next export goes on");
        }
        Ok(())
    }
}

/// What leaves for a mirror, and by which rules.
struct Leaving<'a> {
    journal: &'a SqliteJournal,
    filter: &'a Filter,
    view: &'a View,
    redactor: &'a Redactor,
}

impl Leaving<'_> {
    fn gate(&self) -> Gate<'_> {
        Gate::new(self.redactor, Form::Verbatim)
    }

    /// A digest of the rules, of what they were applied to, and of the memoir that did.
    fn rules(&self, redact: &memoir_redact::Settings) -> String {
        let text = format!("{}\n{redact:?}\n{:?}\n{:?}", env!("CARGO_PKG_VERSION"), self.filter, self.view);
        self.journal.hasher().hash(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Takes out of a mirror what stands in it as no rule of today would let it leave; the export writes it anew.
    fn take_out_outdated(&self, mirror: &Mirror, stop: &AtomicBool) -> Result<u64> {
        let (gate, mut outdated) = (self.gate(), HashSet::new());
        let mut page = Page::first(BATCH_EVENTS, Order::OldestFirst);
        while mirror.exists() && !stop::requested(stop) {
            let found = self.journal.page(self.filter, self.view, &page)?;
            for event in found.events {
                if gate.event(event.clone()).as_ref() != Some(&event) {
                    // A mirror knows an event by the id that any of its captures was given.
                    outdated.extend(self.journal.sightings(event.seq)?.into_iter().map(|sighting| sighting.id));
                }
            }
            match found.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        let removed = mirror.remove(&outdated, &system_clock())?;
        if removed.elsewhere > 0 {
            let events = count(removed.elsewhere, "event");
            print::warn(&format!(
                "in files that another tool wrote there stand {events} as they were; delete them by hand"
            ));
        }
        Ok(removed.events)
    }
}

/// What an import did.
#[derive(Default)]
struct Imported {
    stored: u64,
    revised: u64,
    known: u64,
    suppressed: u64,
    redactions: u64,
}

fn import(context: &Context, dir: &Path, dry_run: bool, json: bool) -> Result<Done> {
    let mirror = Mirror::at(dir);
    let journal = if dry_run { None } else { Some(context.journal(Life::Long)?) };
    let (redactor, stop) = (context.settings.redactor()?, stop::on_signal()?);
    let mut imported = Imported::default();
    let mut failure = None;
    let mut batch: Vec<Event> = Vec::new();
    let mut names = RegainedNames::default();
    let flush = |batch: &mut Vec<Event>, imported: &mut Imported| -> Result<(), JournalError> {
        let Some(journal) = &journal else { return Ok(()) };
        append(journal, &redactor, std::mem::take(batch), context, imported)
    };
    let summary = mirror.read(&mut |event| {
        if failure.is_some() || stop::requested(&stop) {
            return;
        }
        let mut event = event.into_event();
        if event.kind().is_own() {
            // Each memoir makes its own; another's would change what this journal says.
            return;
        }
        names.give(&mut event);
        batch.push(event);
        if batch.len() >= BATCH_EVENTS
            && let Err(error) = flush(&mut batch, &mut imported)
        {
            failure = Some(error);
        }
    })?;
    if failure.is_none()
        && let Err(error) = flush(&mut batch, &mut imported)
    {
        failure = Some(error);
    }
    if let Some(error) = failure {
        return Err(error).context("what was imported so far is stored; run the command again");
    }
    if let Some(journal) = &journal {
        copied::note_imported(journal, dir)?;
    }
    tell(&mirror, &summary, &imported, dry_run, json)?;
    let stopped = stop::requested(&stop);
    if stopped {
        print::warn("interrupted; what was imported is stored, and the next import goes on");
    }
    Ok(if stopped || !summary.problems.is_empty() { Done::Partly } else { Done::Well })
}

fn append(
    journal: &SqliteJournal,
    redactor: &Redactor,
    batch: Vec<Event>,
    context: &Context,
    imported: &mut Imported,
) -> Result<(), JournalError> {
    let admission = Admission::new(redactor, journal.hasher().clone()).with_limits(context.settings.limits());
    let admitted: Vec<_> = batch.into_iter().map(|event| admission.admit(event)).collect();
    imported.redactions += admitted.iter().map(memoir_journal::Redacted::secrets).sum::<u64>();
    for outcome in journal.append(&admitted, &[])? {
        match outcome {
            Outcome::Stored { .. } => imported.stored += 1,
            Outcome::Revised { .. } => imported.revised += 1,
            Outcome::SeenAgain { .. } => imported.known += 1,
            Outcome::Suppressed => imported.suppressed += 1,
        }
    }
    Ok(())
}

fn tell(mirror: &Mirror, summary: &ReadSummary, imported: &Imported, dry_run: bool, json: bool) -> Result<()> {
    let mut out = Out::new();
    if json {
        let problems: Vec<_> = summary
            .problems
            .iter()
            .map(|problem| json!({"file": problem.file, "problem": problem.kind.to_string(), "count": problem.count}))
            .collect();
        out.json(&json!({
            "mirror": mirror.dir(), "dryRun": dry_run, "events": summary.events, "duplicates": summary.duplicates,
            "sessionFiles": summary.session_files, "dayFiles": summary.day_files, "bytes": summary.bytes,
            "stored": imported.stored, "revised": imported.revised, "known": imported.known,
            "suppressed": imported.suppressed, "redacted": imported.redactions, "problems": problems,
        }))?;
        return Ok(out.flush()?);
    }
    let files = count(summary.session_files + summary.day_files, "file");
    out.line(&format!(
        "{}: {} in {files} ({})",
        mirror.dir().display(),
        count(summary.events, "event"),
        size(summary.bytes)
    ))?;
    if dry_run {
        out.line("nothing was stored: this was a dry run")?;
    } else {
        let more = [
            ("fuller", imported.revised),
            ("known", imported.known),
            ("forgotten", imported.suppressed),
            ("secrets taken out", imported.redactions),
        ];
        let said: String = more.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!(", {what} {n}")).collect();
        out.line(&format!("stored {}{said}", imported.stored))?;
    }
    out.flush()?;
    for problem in summary.problems.iter().take(PROBLEMS_SHOWN) {
        print::warn(&format!("{}: {} ({})", problem.file.display(), problem.kind, problem.count));
    }
    Ok(())
}

fn verify(dir: &Path, json: bool) -> Result<Done> {
    let mirror = Mirror::at(dir);
    let mut bar = Progress::new("verifying");
    let report = mirror.verify(&mut |at| bar.at(at.bytes_done >> 20, (at.bytes >> 20).max(1)))?;
    drop(bar);
    let mut out = Out::new();
    if json {
        let findings: Vec<_> = report
            .findings
            .iter()
            .map(|one| json!({"file": one.file, "what": one.what, "exportMends": one.mend == Mend::Export}))
            .collect();
        out.json(&json!({
            "mirror": mirror.dir(), "ok": report.ok(), "events": report.events, "bytes": report.bytes,
            "sessionFiles": report.session_files, "dayFiles": report.day_files, "findings": findings,
            "notes": report.notes,
        }))?;
    } else {
        for finding in &report.findings {
            let lasting = if finding.mend == Mend::Never { " (no export mends it)" } else { "" };
            out.line(&print::tame(&format!("{finding}{lasting}")))?;
        }
        for note in &report.notes {
            out.line(&print::tame(note))?;
        }
        let files = count(report.session_files + report.day_files, "file");
        let said = if report.ok() {
            "every file is whole"
        } else if report.is_mended_by_export() {
            "the mirror is damaged; `memoir mirror export` mends it"
        } else {
            "the mirror is damaged; what no export mends goes only with its file: `memoir mirror import` takes in what \
             can be read, then remove that file and export again"
        };
        out.line(&format!("{} in {files} ({}): {said}", count(report.events, "event"), size(report.bytes)))?;
    }
    out.flush()?;
    Ok(if report.ok() { Done::Well } else { Done::Partly })
}
