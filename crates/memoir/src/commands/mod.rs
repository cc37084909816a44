//! One file per command; each reads its flags, calls the libraries and prints.

mod agents_md;
mod archive;
mod ask;
mod commit;
mod completions;
mod config;
mod context;
mod copied;
mod copies;
mod coverage;
mod demo;
mod doctor;
mod dream;
mod embed;
mod exclude;
mod exec;
mod export;
mod file;
mod filter;
mod forget;
mod forgotten;
mod hook;
mod housekeeping;
mod import;
mod ingest;
mod init;
mod install_hook;
mod mcp;
mod memories;
mod memory;
mod mirror;
mod models;
mod pause;
mod project;
mod projects;
mod purge;
mod push;
mod recall;
mod remember;
mod remote;
mod resume;
mod scrub;
mod search;
mod serve;
mod session;
mod sessions;
mod show;
mod spool;
mod stats;
mod status;
mod telling;
mod timeline;
mod times;
mod uninstall;
mod verify;
mod watch;
mod why;

use crate::cli::{Cli, Command};
use crate::exit::Done;
use crate::home::Home;
use crate::settings::Settings;
use anyhow::Result;
pub use context::Context;
pub use hook::answer_misspelt as answer_misspelt_hook;

/// Runs the command.
pub fn run(cli: Cli) -> Result<Done> {
    match &cli.command {
        Command::Completions(args) => return completions::run(args),
        Command::Demo => return demo::run(),
        Command::Hook(args) => return hook::run(cli.home.as_deref(), args),
        _ => {}
    }
    let home = Home::locate(cli.home.as_deref())?;
    if let Command::Config(args) = &cli.command {
        return config::run(&home, args);
    }
    if let Command::Doctor(args) = &cli.command
        && let Err(error) = Settings::load(&home)
    {
        return doctor::without_settings(&home, &error, args);
    }
    if let Some(problem) = home.problem().filter(|_| home.dir().exists() && !home.dir().is_dir()) {
        anyhow::bail!("{problem}");
    }
    let mut settings = match Settings::load(&home) {
        Err(_) if matches!(cli.command, Command::Exclude(_)) => {
            let (settings, misread) = Settings::for_excluding(&home)?;
            misread.iter().for_each(|misread| crate::print::warn(&misread.problem));
            settings
        }
        // To leave, and to be left alone, must be possible whatever is in there.
        Err(error) if matches!(cli.command, Command::Uninstall(_) | Command::Pause(_) | Command::Unpause) => {
            crate::print::warn(&format!("{error:#}; going on without it"));
            Settings::without_file(&home)?
        }
        loaded => loaded?,
    };
    let spool_dir = match &cli.command {
        Command::Ingest(args) => args.spool_dir.as_ref(),
        Command::Doctor(args) => args.spool_dir.as_ref(),
        Command::Spool(args) => args.spool_dir.as_ref(),
        _ => None,
    };
    if let Some(dir) = spool_dir {
        settings.spool_dir.clone_from(dir);
    }
    let context = Context { home, settings };
    match cli.command {
        Command::Ingest(args) => ingest::run(&context, &args),
        Command::Init(args) => init::run(&context, &args),
        Command::Uninstall(args) => uninstall::run(&context, &args),
        Command::InstallHook(args) => install_hook::run(&context, &args),
        Command::Import(args) => import::run(&context, &args),
        Command::Exec(args) => exec::run(&context, &args),
        Command::Watch(args) => watch::run(&context, &args),
        Command::Resume(args) => resume::run(&context, &args),
        Command::File(args) => file::run(&context, &args),
        Command::Stats(args) => stats::run(&context, &args),
        Command::Coverage(args) => coverage::run(&context, &args),
        Command::Projects(args) => projects::run(&context, &args),
        Command::Pause(args) => pause::run(&context, &args),
        Command::Unpause => pause::end(&context),
        Command::Exclude(args) => exclude::run(&context, &args),
        Command::Recall(args) => recall::run(&context, &args),
        Command::Ask(args) => ask::run(&context, &args),
        Command::Remember(args) => remember::run(&context, &args),
        Command::Memories(args) => memories::run(&context, &args),
        Command::Memory(args) => memory::run(&context, &args),
        Command::Dream(args) => dream::run(&context, &args),
        Command::AgentsMd(args) => agents_md::run(&context, &args),
        Command::Why(args) => why::run(&context, &args),
        Command::Forget(args) => forget::run(&context, &args),
        Command::Purge(args) => purge::run(&context, &args),
        Command::Forgotten(args) => forgotten::run(&context, &args),
        Command::Search(args) => search::run(&context, &args),
        Command::Timeline(args) => timeline::run(&context, &args),
        Command::Sessions(args) => sessions::run(&context, &args),
        Command::Commit(args) => commit::run(&context, &args),
        Command::Archive(args) => archive::run(&context, &args),
        Command::Show(args) => show::run(&context, &args),
        Command::Embed(args) => embed::run(&context, &args),
        Command::Serve(args) => serve::run(&context, &args),
        Command::Mcp(_) => mcp::run(context),
        Command::Status(args) => status::run(&context, &args),
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Verify(args) => verify::run(&context, &args),
        Command::Backup(args) => copies::backup(&context, &args),
        Command::Restore(args) => copies::restore(&context, &args),
        Command::Export(args) => export::run(&context, &args),
        Command::Push(args) => push::run(&context, &args),
        Command::Mirror(args) => mirror::run(&context, &args),
        Command::Spool(args) => spool::run(&context, &args),
        Command::Config(_) | Command::Completions(_) | Command::Demo | Command::Hook(_) => Ok(Done::Well),
    }
}
