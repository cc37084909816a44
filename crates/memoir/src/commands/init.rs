//! `memoir init`.

use super::{Context, import};
use crate::cli::{ClientName, InitArgs};
use crate::exit::Done;
use crate::print::{self, Out, Style, count, size};
use crate::{ask, clients, program};
use anyhow::Result;
use memoir_event::Client;
use memoir_install::{Change, InstallError, Launcher, Ledger, Plan, plan};
use memoir_record::Wanted;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

mod servers;

use servers::Tools;
pub use servers::command as server;

/// What becomes of one client.
struct Decided {
    client: Client,
    outcome: Outcome,
    tools: Tools,
}

enum Outcome {
    /// It is not on this machine.
    Absent,
    /// It has no hooks for memoir.
    HistoryOnly,
    /// Its settings cannot be changed.
    Failed(InstallError),
    /// These changes are to be made, if any is needed.
    Planned(Box<Plan>),
}

impl Outcome {
    const fn plan(&self) -> Option<&Plan> {
        match self {
            Outcome::Planned(plan) => Some(plan),
            Outcome::Absent | Outcome::HistoryOnly | Outcome::Failed(_) => None,
        }
    }
}

impl Decided {
    fn is_needed(&self) -> bool {
        self.outcome.plan().is_some_and(Plan::is_needed) || self.tools.is_needed()
    }

    /// Whether memoir is called by it, by hooks or for tools.
    fn calls_memoir(&self) -> bool {
        matches!(self.outcome, Outcome::Planned(_)) || self.tools.change().is_some()
    }
}

pub fn run(context: &Context, args: &InitArgs) -> Result<Done> {
    let launcher = Launcher::in_home(context.home.dir());
    let mut decided = decide(context, args, &launcher);
    let mut out = Out::new();
    if !args.json {
        explain(context, args, &mut out, &decided)?;
    }
    let is_needed = decided.iter().any(Decided::is_needed);
    if !args.dry_run {
        if is_needed && !args.yes {
            agree(context, args, &launcher, &mut decided)?;
        }
        install(context, &launcher, &mut decided)?;
    }
    let failed = decided.iter().any(|one| matches!(one.outcome, Outcome::Failed(_)) || one.tools.has_failed());
    if args.json {
        say_json(context, args, &mut out, &decided)?;
    } else {
        say(args, &mut out, &decided)?;
        import_history(context, args, &mut out)?;
        let is_ready = decided.iter().any(|one| matches!(one.outcome, Outcome::Planned(_) | Outcome::HistoryOnly));
        if is_ready && !args.dry_run && !args.no_import {
            out.line("next: work as usual; `memoir doctor` shows whether the hooks fire, `memoir search` finds what was done")?;
            out.flush()?;
        }
    }
    Ok(if failed { Done::Partly } else { Done::Well })
}

/// The clients that the user names, or else all.
pub fn wanted(named: &[ClientName]) -> Vec<Client> {
    if named.is_empty() { Client::ALL.to_vec() } else { named.iter().map(|name| name.client()).collect() }
}

/// The command that hooks run.
pub fn command(context: &Context, launcher: &Launcher, client: Client) -> String {
    let home = (!context.home.is_usual()).then(|| context.home.dir());
    launcher.command(client, home)
}

fn decide(context: &Context, args: &InitArgs, launcher: &Launcher) -> Vec<Decided> {
    let dirs = clients::dirs();
    let one = |client: Client| {
        let is_here = |dir: &Path| dir.is_dir() || !args.client.is_empty() || clients::is_installed(client);
        let Some(dir) = dirs.of(client).filter(|dir| is_here(dir)) else {
            return Decided { client, outcome: Outcome::Absent, tools: Tools::Without };
        };
        let outcome = match plan(client, dir, &command(context, launcher, client)) {
            Ok(Some(mut plan)) => {
                if args.no_trust {
                    plan.trust = None;
                }
                Outcome::Planned(Box::new(plan))
            }
            Ok(None) => Outcome::HistoryOnly,
            Err(error) => Outcome::Failed(error),
        };
        let mut one = Decided { client, outcome, tools: Tools::Without };
        if !args.no_mcp {
            one.tools = servers::plan(context, launcher, &one);
        }
        one
    };
    wanted(&args.client).into_iter().map(one).collect()
}

/// Shows what will change, and why.
fn explain(context: &Context, args: &InitArgs, out: &mut Out, decided: &[Decided]) -> Result<()> {
    let redactor = context.settings.redactor()?;
    for one in decided {
        match &one.outcome {
            Outcome::Absent if args.client.is_empty() => {}
            Outcome::Absent => out.line(&format!("{}: no directory for it is known", one.client))?,
            Outcome::HistoryOnly if args.no_import => out.line(&format!("{}: no hooks", one.client))?,
            Outcome::HistoryOnly => out.line(&format!("{}: no hooks; its history is imported", one.client))?,
            Outcome::Failed(error) => print::warn(&format!("{}: {error}", one.client)),
            Outcome::Planned(plan) if !plan.is_needed() => {
                out.line(&format!("{}: hooks are installed already", one.client))?;
            }
            Outcome::Planned(plan) => {
                let name = out.styled(Style::Bold, &one.client.to_string());
                out.line(&format!("{name}: memoir is to be called at each step of a session"))?;
                if let Some(home) = &plan.other_home {
                    let here = context.home.dir().display();
                    out.line(&format!(
                        "{name}: so far it is for another home, {}; from now on it is for {here}",
                        home.display()
                    ))?;
                }
                show(out, &plan.hooks, &redactor)?;
                if let Some(trust) = plan.trust.as_ref().filter(|trust| trust.is_needed()) {
                    out.line(
                        "Codex runs a hook only if its settings trust that very hook; else it asks when it starts,",
                    )?;
                    out.line(
                        "and `codex exec` leaves the hook out without a word. These entries say: trust memoir's.",
                    )?;
                    show(out, trust, &redactor)?;
                }
            }
        }
        one.tools.explain(context, out, one.client, &redactor)?;
    }
    for plan in decided.iter().filter_map(|one| one.outcome.plan()) {
        if let Some(problem) = refusal(plan) {
            print::warn(&format!("{}: {problem}", plan.client));
        }
    }
    if decided.iter().all(|one| matches!(one.outcome, Outcome::Absent)) {
        out.line("no client was found: memoir knows codex, claude, gemini, copilot and opencode")?;
    }
    Ok(out.flush()?)
}

/// What is to be said of a file that the client does not take.
fn refusal(plan: &Plan) -> Option<String> {
    let why = plan.refused.as_ref()?;
    Some(format!("it refuses all of {} ({why}): no hook in it runs until you mend that", plan.hooks.path.display()))
}

/// Shows a change; a secret that stands near it stays secret.
pub fn show(out: &mut Out, change: &Change, redactor: &memoir_redact::Redactor) -> Result<()> {
    let safe = |text: &Option<String>| redactor.text(text.as_deref().unwrap_or_default()).into_owned();
    Ok(print::diff(out, &change.path, &safe(&change.before), &safe(&change.after))?)
}

/// Asks; a plan that the user does not want is left out.
fn agree(context: &Context, args: &InitArgs, launcher: &Launcher, decided: &mut [Decided]) -> Result<()> {
    const FLAG: &str = "nobody can be asked here: pass --yes to agree, or --dry-run to look";
    if !ask::yes("Change these files?", FLAG)? {
        anyhow::bail!("nothing was changed");
    }
    for one in decided {
        let Outcome::Planned(plan) = &mut one.outcome else { continue };
        let asks_trust = !args.no_trust && plan.trust.as_ref().is_some_and(Change::is_needed);
        if asks_trust && !ask::yes("Let Codex trust memoir's hooks?", FLAG)? {
            plan.trust = None;
            // The list of servers stands in the same file, and now begins where that is.
            if one.tools.change().is_some() {
                one.tools = servers::plan(context, launcher, one);
            }
        }
    }
    Ok(())
}

fn install(context: &Context, launcher: &Launcher, decided: &mut [Decided]) -> Result<()> {
    if !decided.iter().any(Decided::calls_memoir) {
        return Ok(());
    }
    context.home.prepare()?;
    program::launch_by(launcher)?;
    let file = context.home.ledger_file();
    let mut ledger = Ledger::load(&file);
    for one in decided {
        if let Outcome::Planned(plan) = &one.outcome {
            take_over((plan.client, plan.other_home.as_deref(), &plan.files), &mut ledger, &file)?;
            if let Err(error) = write(plan, &mut ledger, &file) {
                print::warn(&format!("{}: {error}; nothing of it was changed", one.client));
                one.outcome = Outcome::Failed(error);
            }
        }
        if matches!(one.outcome, Outcome::Failed(_)) {
            one.tools = Tools::Without;
        }
        one.tools.write(one.client, &mut ledger, &file)?;
        // After each client: whatever happens next, what was done can be undone.
        ledger.save(&file)?;
    }
    Ok(())
}

/// What another home's list knows of the files is this one's to know, if its hooks are. First here, then no longer there:
/// whatever happens in between, the files can be put back.
fn take_over(
    (client, other_home, files): (Client, Option<&Path>, &[PathBuf]),
    ledger: &mut Ledger,
    file: &Path,
) -> Result<()> {
    let Some(home) = other_home else { return Ok(()) };
    let theirs = Ledger::file_in(home);
    let mut other = Ledger::load(&theirs);
    ledger.take_over(&mut other, files);
    ledger.save(file)?;
    if let Err(error) = other.save(&theirs) {
        print::warn(&format!("{client}: {error}"));
    }
    Ok(())
}

/// Makes all changes of a plan, or none.
fn write(plan: &Plan, ledger: &mut Ledger, list: &Path) -> Result<(), InstallError> {
    let (was, mut done) = (ledger.clone(), Vec::new());
    for change in plan.changes().filter(|change| change.is_needed()) {
        let dir = change.path.parent().map_or(Ok(()), |dir| ledger.create_dir(dir));
        if let Err(problem) = dir.and_then(|()| ledger.make(plan.client, change, list)) {
            ledger.take_back(&was, &done, list)?;
            return Err(problem);
        }
        done.push(change);
    }
    Ok(())
}

fn say(args: &InitArgs, out: &mut Out, decided: &[Decided]) -> Result<()> {
    for one in decided {
        if !args.dry_run {
            one.tools.say(out, one.client)?;
        }
        let Outcome::Planned(plan) = &one.outcome else { continue };
        if args.dry_run || !plan.is_needed() {
            continue;
        }
        out.line(&format!("{}: hooks are in {}", one.client, plan.hooks.path.display()))?;
        if one.client == Client::Codex && plan.trust.is_none() {
            out.line("codex: start `codex` once and trust the hooks; until then it does not run them")?;
        }
    }
    if args.dry_run {
        out.line("nothing was changed: this was a dry run")?;
    }
    Ok(out.flush()?)
}

fn import_history(context: &Context, args: &InitArgs, out: &mut Out) -> Result<()> {
    let wanted = Wanted { clients: wanted(&args.client), ..Wanted::default() };
    if args.no_import {
        return Ok(());
    }
    if args.dry_run {
        let found = wanted.find(&clients::dirs());
        let bytes = found.files.iter().map(|file| file.bytes).sum();
        let files = count(found.files.len() as u64, "session file");
        out.line(&format!("would import {files} ({})", size(bytes)))?;
        return Ok(out.flush()?);
    }
    let summary = import::import(context, &wanted, false)?;
    import::say(&summary, false)
}

fn say_json(context: &Context, args: &InitArgs, out: &mut Out, decided: &[Decided]) -> Result<()> {
    let clients: Vec<_> = decided
        .iter()
        .map(|one| {
            let mut shown = outcome_json(one, args);
            if let Some(fields) = shown.as_object_mut() {
                fields.insert("tools".to_owned(), one.tools.as_json());
            }
            shown
        })
        .collect();
    let history = if args.no_import || args.dry_run {
        Value::Null
    } else {
        let wanted = Wanted { clients: wanted(&args.client), ..Wanted::default() };
        import::as_json(&import::import(context, &wanted, false)?, false)
    };
    out.json(&json!({"dryRun": args.dry_run, "clients": clients, "import": history}))?;
    Ok(out.flush()?)
}

fn outcome_json(one: &Decided, args: &InitArgs) -> Value {
    let change = |change: &Change| json!({"path": change.path, "changed": change.is_needed()});
    match &one.outcome {
        Outcome::Absent => json!({"client": one.client, "state": "absent"}),
        Outcome::HistoryOnly => json!({"client": one.client, "state": "history only"}),
        Outcome::Failed(error) => json!({"client": one.client, "state": "failed", "problem": error.to_string()}),
        Outcome::Planned(plan) => json!({
            "client": one.client,
            "state": if args.dry_run { "planned" } else { "installed" },
            "hooks": change(&plan.hooks),
            "trust": plan.trust.as_ref().map(change),
            "otherHome": plan.other_home,
            "problem": refusal(plan),
        }),
    }
}
