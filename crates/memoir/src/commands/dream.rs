//! `memoir dream`: derives memories from what was committed.

use super::{Context, session};
use crate::cli::DreamArgs;
use crate::exit::Done;
use crate::home::{Life, system_clock};
use crate::print::{self, Out, Progress, Style, count};
use crate::stop;
use anyhow::Result;
use memoir_dream::{DreamWish, Dreamer, Dreamt, Explained};
use memoir_journal::SqliteJournal;
use memoir_recall::{Form, Gate};
use serde_json::{Value, json};

/// As a shell says of a command that was interrupted.
const INTERRUPTED: u8 = 130;

pub fn run(context: &Context, args: &DreamArgs) -> Result<Done> {
    if !context.home.journal_file().exists() {
        anyhow::bail!("nothing is recorded in {} yet", context.home.dir().display());
    }
    // Without what other commands do beside: that would dream.
    let journal = context.home.journal(&context.settings, Life::Long)?;
    let named = args.session.as_deref().map(|name| session::named(&journal, name)).transpose()?;
    let wish = DreamWish {
        session: named.map(|session| (session.client, session.session)),
        archives_max: None,
        events_max: None,
        dry_run: args.dry_run,
        explain: args.explain,
        again: args.again,
    };
    let (redactor, clock, stop) = (context.settings.redactor()?, system_clock(), stop::on_signal()?);
    let uncommitted =
        if args.dry_run { context.with_sessions(&journal, |sessions| Ok(sessions.pending()?.len()))? } else { 0 };
    if !args.dry_run {
        commit_what_is_over(context, &journal, &mut || !stop::requested(&stop))?;
    }
    let dreamer = Dreamer { journal: &journal, redactor: &redactor, clock: &clock };
    let mut progress = Progress::new("dreaming");
    let dreamt = dreamer.dream(&wish, &mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    });
    drop(progress);
    let mut dreamt = dreamt?;
    let gate = Gate::new(&redactor, Form::Shown);
    dreamt.explained = dreamt.explained.into_iter().map(|one| shown(one, &gate)).collect();
    tell(&dreamt, uncommitted as u64, args)?;
    Ok(match (dreamt.was_stopped, dreamt.is_busy) {
        (true, _) => Done::Code(INTERRUPTED),
        (_, true) => Done::Partly,
        _ => Done::Well,
    })
}

/// What is told of one of them.
fn shown(one: Explained, gate: &Gate<'_>) -> Explained {
    Explained {
        text: gate.text(&one.text),
        superseded: one.superseded.iter().map(|text| gate.text(text)).collect(),
        session: gate.text(&one.session),
        ..one
    }
}

/// Only what was committed is dreamt: after an import, nothing of it is yet.
fn commit_what_is_over(context: &Context, journal: &SqliteJournal, go_on: &mut dyn FnMut() -> bool) -> Result<()> {
    context.take_in_from_others(journal);
    let mut bar = Progress::new("committing");
    let mut total = 0;
    let done = context.with_sessions(journal, |sessions| {
        let done = sessions.work_off(&mut |left| {
            total = total.max(left);
            bar.at((total - left) as u64, total as u64);
            go_on()
        })?;
        Ok(done)
    })?;
    if let Some(problem) = done.problem {
        print::warn(&format!("{} could not be committed: {problem}", count(done.failed as u64, "session")));
    }
    Ok(())
}

fn tell(dreamt: &Dreamt, uncommitted: u64, args: &DreamArgs) -> Result<()> {
    let mut out = Out::new();
    if args.json {
        out.json(&to_json(dreamt, args))?;
        out.flush()?;
        return Ok(());
    }
    for one in &dreamt.explained {
        print_one(&mut out, one)?;
    }
    out.line(&in_words(dreamt))?;
    out.flush()?;
    if args.dry_run {
        print::warn("nothing was stored: this was a dry run");
        if uncommitted > 0 {
            let sessions = count(uncommitted, "session");
            print::warn(&format!("{sessions} not committed yet and not looked at: `memoir commit --all` first"));
        }
    }
    if dreamt.was_stopped {
        let kept = if args.again { "nothing was changed" } else { "what is dreamt is kept, and the next run goes on" };
        print::warn(&format!("interrupted; {kept}"));
    }
    if dreamt.is_busy {
        print::warn("another process dreams now");
    }
    Ok(())
}

fn print_one(out: &mut Out, one: &Explained) -> Result<()> {
    let rule = out.styled(Style::Bold, one.rule);
    let kind = one.kind.map(|kind| format!(" {kind}")).unwrap_or_default();
    let from: Vec<String> = one.sources.iter().map(ToString::to_string).collect();
    let from = out.styled(Style::Dim, &format!("{}, {}", one.session, from.join(", ")));
    out.line(&format!("{rule}{kind}: {}", one.became))?;
    if !one.text.is_empty() {
        out.line(&format!("    {}", print::one_line(&one.text, 200)))?;
    }
    for text in &one.superseded {
        out.line(&format!("    instead of: {}", print::one_line(text, 180)))?;
    }
    out.line(&format!("    {from}"))?;
    Ok(())
}

/// What was dreamt, in a sentence.
fn in_words(dreamt: &Dreamt) -> String {
    if dreamt.archives == 0 && dreamt.left == 0 {
        return "nothing new to dream".to_owned();
    }
    let counts = [
        (dreamt.again, "said again"),
        (dreamt.superseded, "superseded"),
        (dreamt.unsaid, "forgotten as you asked"),
        (dreamt.retired, "retired"),
        (dreamt.private, "messages kept out as you asked"),
        (dreamt.passing + dreamt.hearsay, "passing or hearsay"),
        (dreamt.outweighed, "outweighed"),
        (dreamt.forgotten, "forgotten before"),
        (dreamt.withheld, "events kept back"),
        (dreamt.left, "archives left"),
    ];
    let more: String = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!(", {n} {what}")).collect();
    let read = format!("{} of {}", count(dreamt.events, "event"), count(dreamt.archives, "archive"));
    let made = if dreamt.made == 1 { "1 new memory".to_owned() } else { format!("{} new memories", dreamt.made) };
    format!("read {read}: {made}{more}")
}

fn to_json(dreamt: &Dreamt, args: &DreamArgs) -> Value {
    let explained: Vec<Value> = dreamt
        .explained
        .iter()
        .map(|one| {
            json!({
                "rule": one.rule, "kind": one.kind, "text": one.text, "became": one.became, "session": one.session,
                "superseded": one.superseded, "sources": one.sources,
            })
        })
        .collect();
    json!({
        "dryRun": args.dry_run, "archives": dreamt.archives, "events": dreamt.events, "withheld": dreamt.withheld,
        "new": dreamt.made, "episodes": dreamt.episodes, "again": dreamt.again, "superseded": dreamt.superseded,
        "unsaid": dreamt.unsaid, "private": dreamt.private, "passing": dreamt.passing, "hearsay": dreamt.hearsay,
        "outweighed": dreamt.outweighed, "forgotten": dreamt.forgotten, "retired": dreamt.retired,
        "left": dreamt.left, "busy": dreamt.is_busy, "interrupted": dreamt.was_stopped,
        "explained": args.explain.then_some(explained),
    })
}
