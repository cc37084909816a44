//! `memoir purge`: forgets, erases the text from everything in the home, and says what it cannot reach.

use super::Context;
use super::copied::Copies;
use super::forget::{Work, unwanted_is_nothing};
use super::scrub::Said;
use crate::ask;
use crate::cli::{PurgeArgs, UnwantedArgs};
use crate::exit::{Done, Usage};
use crate::print::{self, Out, Progress, count};
use crate::stop;
use anyhow::Result;
use memoir_journal::{Depth, ForgettingEntry, Journal, comparable};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// At most so many names that say a purged text are told.
const NAMED_MAX: usize = 20;

/// How long to wait for another process that writes the index.
const INDEX_PATIENCE: Duration = Duration::from_secs(10);

/// What a purge did and what it could not do.
#[derive(Default)]
struct Told {
    name: Option<String>,
    events: u64,
    records: u64,
    mirrors: Vec<String>,
    /// Instructions files that no longer have it.
    files: Vec<String>,
    /// Places that it cannot reach.
    beyond: Vec<String>,
    problems: Vec<String>,
}

pub fn run(context: &Context, args: &PurgeArgs) -> Result<Done> {
    let Some(work) = Work::open_for(context, &args.unwanted)? else {
        anyhow::bail!("nothing is recorded in {} yet", context.home.dir().display());
    };
    if unwanted_is_nothing(&args.unwanted) {
        if args.unwanted.dry_run {
            let message = "say what to purge: an id, --session, --project, --actor, --text or --before";
            return Err(Usage(message.to_owned()).into());
        }
        if unfinished(&work)?.is_empty() {
            print::warn(&nothing_to_go_on_with(&work)?);
            return Ok(Done::Well);
        }
        let mut told = Told::default();
        erase(context, &work, &mut told)?;
        return tell(&told, args.unwanted.json);
    }
    let (names, wanted) = of_forgettings(&work, &args.unwanted)?;
    if unwanted_is_nothing(&wanted) {
        // Nothing stood here: what was held back under these names is all there is.
        if !wanted.dry_run
            && (wanted.yes || ask::yes("Erase this for good?", "pass --yes to erase without being asked")?)
        {
            drop_held(context, &names)?;
        }
        return tell(&Told::default(), wanted.json);
    }
    let Some((name, choice)) = work.choose_and_ask(&wanted, Depth::Purge)? else { return Ok(Done::Well) };
    drop_held(context, &names)?;
    let events = u64::try_from(choice.events.len()).unwrap_or(u64::MAX);
    let mut told = Told { events, ..Told::default() };
    // First what was never stored: whoever is interrupted here asks for the same again.
    let unstored = Said::of(&work.journal, &[])?.and_unstored(work.unwanted(&wanted)?)?.scrub_spool(context);
    told.problems.extend(unstored.busy);
    work.forget(work.wish(choice, Depth::Purge, &name, args.unwanted.reason.clone()))?;
    told.name = work.journal.unfinished_purges()?.contains(&name).then_some(name);
    erase(context, &work, &mut told)?;
    told.beyond.extend(wanted.text.as_ref().map(|text| still_named(&work, text)).transpose()?.unwrap_or_default());
    tell(&told, args.unwanted.json)
}

/// Names that say a text. They are part of the chain and cannot be erased without breaking it.
fn still_named(work: &Work<'_>, text: &str) -> Result<Vec<String>> {
    let text = comparable(text);
    let says = |name: &str| comparable(name).contains(&text);
    let mut named: BTreeSet<String> = BTreeSet::new();
    work.journal.origins(0, &mut |origin| {
        named.extend(says(origin.session).then(|| format!("the name of the session {}", origin.session)));
        named.extend(says(origin.repo).then(|| format!("the name of the project {}", origin.repo)));
        let thread = origin.thread.filter(|thread| *thread != origin.session && says(thread));
        named.extend(thread.map(|thread| format!("the name of the thread {thread}")));
    })?;
    for entry in work.journal.forgettings()? {
        let reason = entry.reason.filter(|reason| says(reason));
        named.extend(reason.map(|_| format!("the reason given for {}", entry.name)));
    }
    let gate = work.gate();
    let told = |place: String| format!("{}: names and reasons are what the chain proves, and stay", gate.text(&place));
    Ok(named.into_iter().take(NAMED_MAX).map(told).collect())
}

/// Purges that have not come to their end.
fn unfinished(work: &Work<'_>) -> Result<Vec<ForgettingEntry>> {
    Ok(work.journal.forgettings()?.into_iter().filter(|entry| !entry.finished).collect())
}

/// What there is to purge, for somebody who did not say what.
fn nothing_to_go_on_with(work: &Work<'_>) -> Result<String> {
    let kept = |entry: &ForgettingEntry| entry.depth == Depth::Forget && !entry.undone && entry.events > 0;
    let kept: Vec<String> = work.journal.forgettings()?.into_iter().filter(kept).map(|entry| entry.name).collect();
    let Some(first) = kept.first() else {
        return Ok("no purge waits; to purge something, say what: an id, --session, --text …".to_owned());
    };
    let count = kept.len();
    let what =
        if count == 1 { "one forgetting hides events".to_owned() } else { format!("{count} forgettings hide events") };
    Ok(format!(
        "no purge waits; {what}, and what was not purged since is still there as text: `memoir purge {first}` erases it, `memoir forgotten` lists all"
    ))
}

/// The names of forgettings stand for what they hid: the names that were passed, and what to purge instead.
fn of_forgettings(work: &Work<'_>, args: &UnwantedArgs) -> Result<(Vec<String>, UnwantedArgs)> {
    let known: Vec<String> = work.journal.forgettings()?.into_iter().map(|entry| entry.name).collect();
    let (names, ids): (Vec<String>, Vec<String>) = args.ids.iter().cloned().partition(|id| known.contains(id));
    let mut args = UnwantedArgs { ids, ..args.clone() };
    let others = UnwantedArgs { ids: Vec::new(), ..args.clone() };
    if !names.is_empty() && !unwanted_is_nothing(&others) {
        return Err(Usage("pass names of forgettings or describe what to purge, not both".to_owned()).into());
    }
    for name in &names {
        let events = work.journal.forgotten_by(name)?.unwrap_or_default();
        args.ids.extend(work.journal.ids_of(&events)?.iter().map(ToString::to_string));
    }
    Ok((names, args))
}

/// Erases what was held back under these names.
fn drop_held(context: &Context, names: &[String]) -> Result<()> {
    let spool = context.spool()?;
    Ok(names.iter().try_for_each(|name| spool.drop_held(name))?)
}

/// Erases whatever unfinished purges ask for, this one's and those that were interrupted. What was not reached leaves
/// them unfinished: the next purge begins again.
fn erase(context: &Context, work: &Work<'_>, told: &mut Told) -> Result<()> {
    let events = work.journal.to_be_erased()?;
    let hindered = Said::of(&work.journal, &events)?.scrub(context, &unfinished(work)?);
    told.problems.extend(hindered.left);
    if !hindered.busy.is_empty() {
        // Without the text it could not be found there any more.
        told.problems.extend(hindered.busy);
        told.problems.push("nothing is erased yet: run `memoir purge` again".to_owned());
        return Ok(());
    }
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("erasing");
    let erased = work.journal.erase(&mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    })?;
    drop(progress);
    told.records = erased.records;
    if stop::requested(&stop) {
        told.problems.push("interrupted: run `memoir purge` to erase the rest".to_owned());
        return Ok(());
    }
    if !erased.is_clean {
        told.problems.push(
            "another process still reads an older state of the journal: stop it, then run `memoir purge` again"
                .to_owned(),
        );
    }
    rebuild_index(work, told)?;
    let mirrors = work.take_out_of_copies(&events);
    told.mirrors = mirrors.done;
    told.files = mirrors.files;
    told.beyond.extend(mirrors.beyond);
    told.problems.extend(mirrors.problems);
    if told.problems.is_empty() {
        work.journal.finish_purges(&erased.purges)?;
    }
    let copies = Copies::read(&work.journal)?;
    told.beyond.extend(copies.backups.iter().map(|file| format!("the backup {}", file.display())));
    told.beyond.extend(copies.servers.iter().map(|url| format!("what was pushed to {url}")));
    if let Some(url) = &context.settings.server_url {
        told.beyond.push(format!("what was sent to {url}"));
    }
    let clients = "the session files of your agents";
    told.beyond.push(format!("{clients}, which memoir does not change: what is in them is not imported again"));
    Ok(())
}

/// The index has the words of what was erased: it is built anew.
fn rebuild_index(work: &Work<'_>, told: &mut Told) -> Result<()> {
    let deadline = Instant::now() + INDEX_PATIENCE;
    while !work.index.delete()? {
        if Instant::now() >= deadline {
            told.problems.push("another process writes the index: run `memoir purge` again when it is done".to_owned());
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("indexing");
    let rebuilt = work.index.catch_up(&work.journal, &mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    });
    drop(progress);
    if let Err(error) = rebuilt {
        print::warn(&format!("{error}; the next search builds the index"));
    }
    Ok(())
}

fn tell(told: &Told, json: bool) -> Result<Done> {
    let mut out = Out::new();
    if json {
        out.json(&json!({
            "name": told.name, "events": told.events, "erased": told.records, "mirrors": told.mirrors, "files": told.files,
            "notReached": told.beyond, "problems": told.problems,
        }))?;
    } else {
        let name = told.name.as_ref().map(|name| format!(" as {name}")).unwrap_or_default();
        out.line(&format!("erased the text of {}{name}", count(told.records, "record")))?;
        for place in &told.mirrors {
            out.line(&format!("taken out of the mirror in {place}"))?;
        }
        for file in &told.files {
            out.line(&format!("taken out of memoir's part of {file}"))?;
        }
        if !told.beyond.is_empty() {
            out.line("not reached, as far as it was there:")?;
            for place in &told.beyond {
                out.line(&format!("  {place}"))?;
            }
        }
    }
    out.flush()?;
    told.problems.iter().for_each(|problem| print::warn(problem));
    Ok(if told.problems.is_empty() { Done::Well } else { Done::Partly })
}
