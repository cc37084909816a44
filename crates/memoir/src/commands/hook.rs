//! `memoir hook`: never fails, never waits, never says anything that the client would not accept.

mod inject;
mod left;
mod log;
mod payload;

use super::remote::flush_outbox;
use super::{Context, pause};
use crate::cli::HookArgs;
use crate::clients;
use crate::dropped;
use crate::exit::Done;
use crate::home::{Home, Life, non_empty, now_ms, system_clock};
use crate::settings::Settings;
use crate::{print, process_table, processes};
use anyhow::Result;
use inject::Given;
use log::Entry;
use memoir_capture::{Moment, read_hook};
use memoir_dream::Dreamer;
use memoir_event::{Client, Time};
use memoir_hook::{Hook, SessionLife};
use memoir_journal::Journal;
use memoir_record::{Mark, Pending, Reason, count_left_out, read_shrunk};
use memoir_redact::Redactor;
use memoir_session::Sessions;
use payload::OneObject;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Agents that memoir itself starts carry this variable; what they do is not the user's work.
pub const OWN_AGENT: &str = "MEMOIR_AGENT";

/// What the outbox may take of a client's time.
const OUTBOX_TIME: Duration = Duration::from_millis(200);

/// The answer that every client accepts.
const EMPTY: &str = "{}";

pub fn run(home: Option<&Path>, args: &HookArgs) -> Result<Done> {
    let problems = std::panic::catch_unwind(|| match Client::parse(&args.client) {
        Some(client) => call(home, client),
        None => {
            say(EMPTY);
            vec![format!("`{}` is no client with hooks: known are codex, claude and gemini", args.client)]
        }
    });
    let problems = problems.unwrap_or_else(|_| {
        say(EMPTY);
        vec!["memoir hook broke; please report it".to_owned()]
    });
    for problem in problems {
        print::warn(&problem);
    }
    Ok(Done::Well)
}

/// Answers a hook call whose flags this memoir does not know; somebody at a terminal is told instead.
pub fn answer_misspelt(words: &[OsString], error: &clap::Error) -> Option<ExitCode> {
    // A flag that nobody knows may have a value, so that `hook` need not be the first word.
    let is_client = |word: &OsString| Client::parse(&word.to_string_lossy()).is_some();
    let mut plain = words.iter().skip(1).filter(|word| !word.to_string_lossy().starts_with('-'));
    let is_hook = plain.clone().next().is_some_and(|word| word == "hook")
        || plain.by_ref().any(|word| word == "hook") && plain.next().is_some_and(is_client);
    let asks = matches!(error.kind(), clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion);
    if !is_hook || asks || std::io::stdin().is_terminal() {
        return None;
    }
    say(EMPTY);
    print::warn(error.to_string().lines().next().unwrap_or_default());
    Some(ExitCode::SUCCESS)
}

fn say(answer: &str) {
    let mut out = std::io::stdout();
    let _ = out.write_all(answer.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
}

/// Answers one call; gives what went wrong.
fn call(home: Option<&Path>, client: Client) -> Vec<String> {
    // Read to its end whatever comes of it: a client that is still writing must not find a closed pipe.
    let payload = read_shrunk(&mut OneObject::of(std::io::stdin()));
    if non_empty(OWN_AGENT).is_some() {
        say(EMPTY);
        return Vec::new();
    }
    let payload = match payload {
        Ok(Some(payload)) => payload,
        Ok(None) => {
            say(EMPTY);
            return vec!["the payload is too long".to_owned()];
        }
        Err(error) => {
            say(EMPTY);
            return vec![format!("the payload cannot be read: {error}")];
        }
    };
    match record(home, client, &payload) {
        Ok(problems) => problems,
        Err(error) => {
            say(EMPTY);
            vec![format!("{error:#}")]
        }
    }
}

fn record(home: Option<&Path>, client: Client, payload: &str) -> Result<Vec<String>> {
    let begun = Instant::now();
    let home = Home::locate(home)?;
    if pause::is_paused(&home) {
        say(EMPTY);
        return Ok(count_paused(&home, client, payload).err().map(|error| format!("{error:#}")).into_iter().collect());
    }
    let (settings, misread) = match Settings::tolerant(&home) {
        Ok(read) => read,
        Err(error) => {
            // Nobody knows what may be recorded; when it is known again, the session file tells.
            if !leave_mark(&home, client, payload) {
                dropped::count(&home, 1);
            }
            return Err(error);
        }
    };
    let mut problems: Vec<String> = misread.iter().map(|misread| misread.problem.clone()).collect();
    let context = Context { home, settings };
    let wishes = context.wishes()?;
    let journal = match context.home.journal(&context.settings, Life::Hook) {
        Ok(journal) => Some(Arc::new(journal)),
        Err(error) => {
            problems.push(format!("{error:#}"));
            None
        }
    };
    let (spool, pending, dirs, clock) = (context.spool()?, context.pending(), clients::dirs(), system_clock());
    let owner = format!("hook/{}", std::process::id());
    let life = journal.as_deref().map(|journal| {
        let sessions = Sessions {
            journal,
            redactor: &wishes.redactor,
            clock: &clock,
            rules: context.settings.commit_rules,
            owner: &owner,
            is_alive: &process_table::is_alive,
        };
        SessionLife { sessions, process: processes::client(client) }
    });
    let hook = Hook {
        journal: journal.as_deref().map(|journal| journal as &dyn Journal),
        spool: &spool,
        pending: &pending,
        rules: wishes.rules(),
        dirs: &dirs,
        clock: &clock,
        to_server: context.settings.server_url.is_some(),
        life,
    };
    let recorded = hook.record(client, payload);
    problems.extend(misread.iter().filter_map(|misread| hook.count_misread(client, &misread.name).err()));
    problems.extend(recorded.problems.iter().cloned());
    let about = recorded.call.as_ref().map(|call| (call.event.clone(), call.session.clone()));
    let begins =
        recorded.call.as_ref().is_some_and(|call| matches!(call.moment, Moment::SessionStart | Moment::Prompt));
    let spoken_in =
        recorded.call.as_ref().filter(|call| call.moment == Moment::Prompt).map(|call| call.session.clone());
    let given = match (&journal, recorded.call) {
        (Some(journal), Some(call)) => inject::answer(&context, &wishes, journal, call, begun),
        _ => Given::default(),
    };
    say(given.json.as_deref().unwrap_or(EMPTY));
    problems.extend(given.problem);
    if let (Some(journal), Some(session)) = (&journal, spoken_in) {
        let dreamer = Dreamer { journal: &**journal, redactor: &wishes.redactor, clock: &clock };
        problems.extend(dreamer.listen(Some(client), &session).err().map(|error| error.to_string()));
    }
    if let Some(journal) = journal.as_deref().filter(|_| begins)
        && let Err(error) = left::work_off(&context, &wishes, journal, &spool, &dirs)
    {
        problems.push(format!("{error:#}"));
    }
    if context.settings.debug {
        let (event, session) = about.unwrap_or_else(|| ("(not understood, or excluded)".to_owned(), String::new()));
        let (answer_bytes, took) = (given.json.map_or(EMPTY.len(), |json| json.len()), begun.elapsed());
        let entry = Entry { client, event: &event, session: &session, answer_bytes, took, problems: &problems };
        log::write(&context.home, &entry, &wishes.redactor);
    }
    if recorded.lost > 0 {
        dropped::count(&context.home, u64::try_from(recorded.lost).unwrap_or(u64::MAX));
    }
    if recorded.has_outbox
        && let Some(url) = &context.settings.server_url
    {
        flush_outbox(&context.settings, url, &spool, (&wishes.redactor, journal.as_deref()), OUTBOX_TIME)?;
    }
    Ok(problems)
}

/// Counts what the call would have told, had there been no pause.
fn count_paused(home: &Home, client: Client, payload: &str) -> Result<()> {
    let Ok(call) = read_hook(client, payload, &Time::from_ms(now_ms())) else { return Ok(()) };
    if call.captured.is_empty() || !home.journal_file().exists() {
        return Ok(());
    }
    let journal = home.journal(&Settings::tolerant(home)?.0, Life::Hook)?;
    let events = u64::try_from(call.captured.len()).unwrap_or(u64::MAX);
    journal.append(&[], &count_left_out(&BTreeMap::from([(Reason::Paused, events)])))?;
    Ok(())
}

/// Whether the session has a file that tells later what the call would have told.
fn leave_mark(home: &Home, client: Client, payload: &str) -> bool {
    let Ok(call) = read_hook(client, payload, &Time::from_ms(now_ms())) else { return true };
    let mut has_file = call.captured.is_empty();
    for path in call.transcript.iter().chain(&call.agent_transcript) {
        let mark = Mark { client, path: path.into(), cwd: call.cwd.clone(), is_ended: false };
        let left = Pending::new(home.pending_dir()).leave(&mark, &Redactor::builtin());
        has_file |= left.is_ok() && Path::new(path).is_file();
    }
    has_file
}
