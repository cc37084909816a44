//! Whether hooks are installed, trusted, and have really fired, for each client.

use super::{bad, good};
use crate::clients;
use crate::commands::status::without_memory;
use crate::commands::{Context, init, pause, times};
use crate::home::{Life, now_ms};
use crate::print::count;
use memoir_event::Client;
use memoir_hook::{Fired, Late, fired, late};
use memoir_install::{InstallError, Launcher, Ledger, Registered, State, registered, state};
use memoir_record::{Check, Found, Wanted};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// A session file may be so much newer than the last hook before something is wrong.
const SILENCE_MS: i64 = 10 * 60_000;

/// Payloads that could not be understood are old news after this long.
const NEWS_MS: i64 = 7 * 24 * 3_600_000;

pub fn check(context: &Context) -> Vec<Check> {
    let fired = match context.existing_journal(Life::Short) {
        Ok(Some(journal)) => fired(&journal).unwrap_or_default(),
        _ => Vec::new(),
    };
    let launcher = Launcher::in_home(context.home.dir());
    let dirs = clients::dirs();
    let mut checks: Vec<Check> = program(context, &launcher).into_iter().collect();
    for client in Client::ALL.iter().copied() {
        let Some(dir) = dirs.of(client).filter(|dir| dir.is_dir()) else { continue };
        match state(client, dir, &init::command(context, &launcher, client)) {
            Ok(Some(state)) => checks.push(hooks(context, client, &state, &launcher, &fired)),
            Ok(None) => {}
            Err(error) => checks.push(bad(name(client), error.to_string(), "mend the file, then run `memoir init`")),
        }
        checks.extend(tools(context, client, &launcher));
    }
    checks.extend(left_behind(context, &fired));
    checks.extend(late_ones(context));
    checks
}

/// How often conversations went on without memory; lately that is a problem.
fn late_ones(context: &Context) -> Vec<Check> {
    let journal = context.existing_journal(Life::Short).ok().flatten();
    let all = journal.map(|journal| late(&journal).unwrap_or_default()).unwrap_or_default();
    let check = |late: Late| {
        let detail = without_memory(&late);
        if now_ms() - late.last_ms > NEWS_MS {
            return good("recall in hooks", detail);
        }
        const FIX: &str = "see how long `memoir recall` takes, or give hooks more time with recall.timeout_ms";
        bad("recall in hooks", detail, FIX)
    };
    all.into_iter().map(check).collect()
}

/// Where hooks find memoir, if any were ever installed here.
fn program(context: &Context, launcher: &Launcher) -> Option<Check> {
    let link = launcher.path().display();
    if !launcher.is_alive() {
        if !launcher.is_dangling() && Ledger::load(&context.home.ledger_file()).is_empty() {
            return None;
        }
        let target = launcher.target().map(|target| format!(" ({} is gone)", target.display())).unwrap_or_default();
        let detail = format!("{link} leads nowhere{target}: hooks run memoir only where it is on the search path");
        return Some(bad("program", detail, "run `memoir init` again"));
    }
    let target = launcher.target().unwrap_or_else(|| launcher.path().to_owned());
    let real = |path: &Path| path.canonicalize().ok();
    let own = std::env::current_exe().ok();
    let other = own.filter(|own| real(own) != real(&target)).map(|own| format!("; this is {}", own.display()));
    Some(good("program", format!("hooks call {}{}", target.display(), other.unwrap_or_default())))
}

const fn name(client: Client) -> &'static str {
    match client {
        Client::Codex => "codex hooks",
        Client::Claude => "claude hooks",
        Client::Gemini => "gemini hooks",
        Client::Copilot => "copilot hooks",
        Client::Opencode => "opencode hooks",
    }
}

/// Whether the client offers memoir's tools to its model.
fn tools(context: &Context, client: Client, launcher: &Launcher) -> Option<Check> {
    let name = match client {
        Client::Codex => "codex tools",
        Client::Claude => "claude tools",
        Client::Gemini => "gemini tools",
        Client::Copilot => "copilot tools",
        Client::Opencode => "opencode tools",
    };
    let list = clients::server_list(client)?;
    let file = list.display();
    let missing = || good(name, "not registered: its model cannot ask memoir; `memoir init` registers them".to_owned());
    Some(match registered(client, &list, &init::server(context, launcher)) {
        Ok(Registered::Not) => missing(),
        Ok(Registered::ByHand) => good(name, format!("{file} has an MCP server named memoir, written by hand")),
        Ok(Registered::Here) if !launcher.is_alive() => {
            bad(name, format!("{} leads nowhere", launcher.path().display()), "run `memoir init` again")
        }
        Ok(Registered::Here) => good(name, format!("registered in {file}")),
        Ok(Registered::Elsewhere(Some(home))) => {
            let detail = format!("{file} has them for another home: its model asks {}", home.display());
            bad(name, detail, "set MEMOIR_HOME to that home, or run `memoir init` to have this one asked")
        }
        Ok(Registered::Elsewhere(None)) => {
            bad(name, format!("{file} has them with another command"), "run `memoir init` again")
        }
        // A link that memoir never writes through: nobody registered anything there.
        Err(InstallError::Symlink(_)) => missing(),
        Err(error) => bad(name, error.to_string(), "mend the file, then run `memoir init`"),
    })
}

fn hooks(context: &Context, client: Client, state: &State, launcher: &Launcher, fired: &[Fired]) -> Check {
    let name = name(client);
    let file = state.place.hooks.display();
    let of_client = || fired.iter().filter(|one| one.client == client && one.is_event());
    let last_ms = of_client().map(|one| one.last_ms).max();
    if state.hooks == 0 {
        return good(name, "not installed: only its history is known; `memoir init` installs them".to_owned());
    }
    if let Some(home) = &state.other_home {
        let detail = format!("{file} has them for another home: what it does is recorded in {}", home.display());
        return bad(name, detail, "set MEMOIR_HOME to that home, or run `memoir init` to have it recorded here");
    }
    if let Some(why) = &state.refused {
        let detail = format!("{file} has them, but {client} refuses all of that file ({why})");
        return bad(name, detail, "mend the file: until then none of its hooks runs");
    }
    if let Some(setting) = state.off {
        let fix = format!("change `{setting}` in its settings");
        return bad(name, format!("{file} has them, but the setting `{setting}` keeps them from running"), &fix);
    }
    if !launcher.is_alive() {
        return bad(name, format!("{} leads nowhere", launcher.path().display()), "run `memoir init` again");
    }
    if state.untrusted > 0 {
        let detail =
            format!("{} of {} in {file} are not trusted, so Codex does not run them", state.untrusted, state.hooks);
        return bad(name, detail, "run `memoir init`, or start `codex` and trust them");
    }
    if state.turned_off > 0 {
        let detail = format!("{} of {} in {file} are turned off (`enabled = false`)", state.turned_off, state.hooks);
        return bad(name, detail, "turn them on again in `codex`, with `/hooks`");
    }
    if !state.missing.is_empty() || state.stale > 0 {
        let missing = if state.missing.is_empty() { "nothing".to_owned() } else { state.missing.join(", ") };
        let detail = format!("{file} is of another version: {missing} missing, {} with another command", state.stale);
        return bad(name, detail, "run `memoir init` again");
    }
    let installed =
        format!("{} installed{}", state.hooks, if state.place.trust.is_some() { " and trusted" } else { "" });
    let since_ms = last_ms.unwrap_or(i64::MIN).max(modified_ms(&state.place.hooks));
    let newest = newest_session(client);
    if let Some(session_ms) = newest
        && session_ms > since_ms.saturating_add(SILENCE_MS)
        && !pause::is_paused(&context.home)
    {
        let last = last_ms.map_or_else(|| "never".to_owned(), times::local);
        let detail =
            format!("{installed}, but it wrote a session at {} and they fired last: {last}", times::local(session_ms));
        return bad(name, detail, "see what the client says about hooks when it starts");
    }
    match last_ms {
        None => good(name, format!("{installed}; none has fired yet: start a session")),
        Some(last_ms) => {
            let events: Vec<String> = of_client().map(|one| format!("{} {}", one.event, one.count)).collect();
            good(name, format!("{installed}; fired last at {} ({})", times::local(last_ms), events.join(", ")))
        }
    }
}

fn modified_ms(path: &Path) -> i64 {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(i64::MIN)
}

/// When a client last wrote to a session file.
fn newest_session(client: Client) -> Option<i64> {
    let found: Found = Wanted { clients: vec![client], ..Wanted::default() }.find(&clients::dirs());
    found.files.iter().map(|file| file.modified_ms).max()
}

/// What hooks could not do.
fn left_behind(context: &Context, fired: &[Fired]) -> Vec<Check> {
    let mut checks = Vec::new();
    let (lost, at_ms) = crate::dropped::read(&context.home);
    if lost > 0 {
        let detail = format!("hooks could keep {} nowhere, last at {}", count(lost, "event"), times::local(at_ms));
        checks.push(bad("dropped", detail, "make room on the disk, then run `memoir import`: session files have them"));
    }
    for one in fired.iter().filter(|one| one.is_bad_payload() && one.last_ms > now_ms() - NEWS_MS) {
        let what = format!("{} sent {} that memoir cannot read", one.client, count(one.count, "payload"));
        let detail = format!("{what}, last at {}", times::local(one.last_ms));
        checks.push(bad("payloads", detail, "run `memoir import`: session files have what they were about"));
    }
    let is_new = |one: &&Fired| one.last_ms > now_ms() - NEWS_MS;
    for (one, name) in fired.iter().filter(is_new).filter_map(|one| Some((one, one.misread()?))) {
        let met =
            format!("{} of {} met a `{name}` that cannot be understood", count(one.count, "hook call"), one.client);
        let detail = format!("{met}, last at {}; its default held", times::local(one.last_ms));
        checks.push(bad("settings", detail, "mend it in config.toml, or in the environment of the client"));
    }
    let pending = context.pending().count() as u64;
    if pending > 0 {
        checks.push(good("pending", format!("{} to be read by the next command", count(pending, "session file"))));
    }
    checks
}
