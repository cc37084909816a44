//! `memoir doctor`.

mod clients;
mod models;

use super::Context;
use super::models::key_variables;
use super::remote::connect;
use crate::cli::DoctorArgs;
use crate::exit::Done;
use crate::home::{Home, Life, non_empty, system_clock};
use crate::print::{Out, Progress, Style, one_line, size};
use crate::settings::{SETTINGS, Settings};
use crate::stop;
use anyhow::Result;
use memoir_journal::{Journal, SCHEMA_VERSION, SqliteJournal};
use memoir_record::{Check, IngestProbe, Names, check_remote, check_spool};
use serde_json::json;

/// Below this much free space a disk is as good as full.
const FREE_BYTES_MIN: u64 = 100 << 20;

/// Variables that are no settings of the home.
const OTHER_VARIABLES: [&str; 2] = ["MEMOIR_HOME", super::hook::OWN_AGENT];

pub fn run(context: &Context, args: &DoctorArgs) -> Result<Done> {
    let mut checks = vec![home(&context.home), disk(&context.home), variables(&context.settings)];
    checks.extend(journal(context));
    checks.extend(models::check(context));
    checks.extend(clients::check(context));
    let spool = context.spool()?;
    let redactor = context.settings.redactor()?;
    match args.server_url.as_deref().or(context.settings.server_url.as_deref()) {
        None if !spool.dir().exists() => checks.push(good("spool", "nothing waits".to_owned())),
        None => checks.push(check_spool(&spool)),
        Some(url) => {
            let client = connect(&context.settings, url)?;
            let names = Names::new(system_clock())?;
            let probe = if args.skip_raw_ingest_probe { IngestProbe::AuthOnly } else { IngestProbe::Write };
            checks.extend(check_remote(&client, &spool, &names, &redactor, probe));
        }
    }
    show(&checks, args.json)
}

/// What can be said when not even the settings can be read.
pub fn without_settings(home: &Home, error: &anyhow::Error, args: &DoctorArgs) -> Result<Done> {
    let settings = bad(
        "settings",
        format!("{error:#}"),
        "mend config.toml or the environment; `memoir config` lists every setting",
    );
    show(&[self::home(home), disk(home), settings, versions()], args.json)
}

fn show(checks: &[Check], json: bool) -> Result<Done> {
    let mut out = Out::new();
    for check in checks {
        if json {
            out.json(&json!({"check": check.name, "ok": check.ok, "detail": check.detail, "fix": check.fix}))?;
            continue;
        }
        let word = if check.ok { out.styled(Style::Green, "ok  ") } else { out.styled(Style::Red, "fail") };
        let fix = check.fix.as_ref().map_or_else(String::new, |fix| format!(" → {fix}"));
        out.line(&format!("{word} {} - {}{}", check.name, one_line(&check.detail, 400), fix))?;
    }
    out.flush()?;
    Ok(if checks.iter().all(|check| check.ok) { Done::Well } else { Done::Partly })
}

fn good(name: &'static str, detail: String) -> Check {
    Check { name, ok: true, detail, fix: None }
}

fn bad(name: &'static str, detail: String, fix: &str) -> Check {
    Check { name, ok: false, detail, fix: Some(fix.to_owned()) }
}

fn home(home: &Home) -> Check {
    let dir = home.dir();
    if !dir.exists() {
        let around = dir.ancestors().find(|dir| dir.exists());
        if let Some(around) = around.filter(|around| tempfile::tempfile_in(around).is_err()) {
            let detail = format!("{} does not exist and cannot be created in {}", dir.display(), around.display());
            return bad("home", detail, "make that writable for you, or set MEMOIR_HOME");
        }
        return good("home", format!("{} does not exist yet; the first event creates it", dir.display()));
    }
    match home.problem() {
        Some(problem) => bad("home", problem, "mend its owner and permissions, or set MEMOIR_HOME"),
        None if tempfile::tempfile_in(dir).is_err() => {
            bad("home", format!("{} cannot be written", dir.display()), "make it writable for you, or set MEMOIR_HOME")
        }
        None => good("home", format!("{} is private and can be written", dir.display())),
    }
}

fn disk(home: &Home) -> Check {
    let existing = home.dir().ancestors().find(|dir| dir.exists());
    let free = existing.and_then(free_bytes);
    match free {
        Some(free) if free < FREE_BYTES_MIN => bad(
            "disk",
            format!("only {} are free", size(free)),
            "free some space: events are lost when neither journal nor spool can grow",
        ),
        Some(free) => good("disk", format!("{} are free", size(free))),
        None => good("disk", "free space is not known here".to_owned()),
    }
}

#[cfg(unix)]
fn free_bytes(dir: &std::path::Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(dir).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_dir: &std::path::Path) -> Option<u64> {
    None
}

/// A variable with our prefix that nothing reads is a slip of the finger.
fn variables(settings: &Settings) -> Check {
    let own = || SETTINGS.iter().flat_map(|setting| setting.env.iter().copied()).chain(OTHER_VARIABLES);
    let known = || own().chain(key_variables(settings));
    let unknown = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .find(|name| name.starts_with("MEMOIR_") && !known().any(|known| known == name));
    if let Some(problem) = settings.passed_over.first() {
        return bad("settings", format!("{problem}; it is passed over"), "correct it, or set memoir's own variable");
    }
    match unknown {
        None => good("settings", "config.toml and the environment are understood".to_owned()),
        Some(name) => {
            let meant = memoir_event::nearest(&name, known()).map(|known| format!("; did you mean {known}?"));
            bad(
                "settings",
                format!("the variable {name} means nothing{}", meant.unwrap_or_default()),
                "correct or unset it",
            )
        }
    }
}

fn journal(context: &Context) -> Vec<Check> {
    let journal = match context.existing_journal(Life::Short) {
        Ok(Some(journal)) => journal,
        Ok(None) => return vec![good("journal", "there is none yet".to_owned()), versions()],
        Err(error) => {
            return vec![
                bad(
                    "journal",
                    format!("{error:#}"),
                    "see what holds or harmed the file; `memoir restore` brings a backup back",
                ),
                versions(),
            ];
        }
    };
    let mut checks = vec![opened(&journal), chain(&journal), index(context, &journal)];
    checks.extend(purges(&journal));
    checks.push(versions());
    checks
}

/// What somebody wanted erased must not lie about unnoticed.
fn purges(journal: &SqliteJournal) -> Option<Check> {
    match journal.unfinished_purges() {
        Ok(names) if names.is_empty() => None,
        Ok(names) => {
            let detail = format!("{} did not come to its end: its text may still be there", names.join(", "));
            Some(bad("purge", detail, "run `memoir purge`"))
        }
        Err(error) => Some(bad("purge", error.to_string(), "run `memoir verify`")),
    }
}

fn opened(journal: &SqliteJournal) -> Check {
    match journal.stats() {
        Ok(stats) => good("journal", format!("{} events, {}", stats.events, size(stats.bytes))),
        Err(error) => bad("journal", error.to_string(), "run `memoir verify`, then `memoir restore` from a backup"),
    }
}

fn chain(journal: &SqliteJournal) -> Check {
    let Ok(stop) = stop::on_signal() else { return good("chain", "not checked".to_owned()) };
    let mut progress = Progress::new("verifying");
    let verified = journal.verify(&mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    });
    match verified {
        Ok(verified) => match (verified.bad, verified.tables) {
            (Some((seq, problem)), _) => {
                bad("chain", format!("record {seq} {problem}"), "restore a backup with `memoir restore`")
            }
            (None, Some(problem)) => {
                bad("chain", format!("the tables are damaged: {problem}"), "restore a backup with `memoir restore`")
            }
            (None, None) if verified.stopped => {
                good("chain", format!("stopped after {} proven records", verified.records))
            }
            (None, None) => good("chain", format!("all {} records are proven", verified.records)),
        },
        Err(error) => bad("chain", error.to_string(), "restore a backup with `memoir restore`"),
    }
}

fn index(context: &Context, journal: &SqliteJournal) -> Check {
    match context.index().status(journal) {
        Ok(status) => match status.problem {
            // It is a cache: a bad one costs a rebuild, not an answer.
            Some(problem) => good("index", format!("not usable ({problem}); the next search rebuilds it")),
            None => good(
                "index",
                format!(
                    "{} events, {} records behind the journal",
                    status.events,
                    status.last.saturating_sub(status.indexed)
                ),
            ),
        },
        Err(error) => {
            bad("index", error.to_string(), "delete the directory `index` in the home; the next search rebuilds it")
        }
    }
}

fn versions() -> Check {
    let server = non_empty("MEMOIR_SERVER_URL").map(|_| ", server from MEMOIR_SERVER_URL").unwrap_or_default();
    good("versions", format!("memoir {}, journal schema {SCHEMA_VERSION}{server}", env!("CARGO_PKG_VERSION")))
}
