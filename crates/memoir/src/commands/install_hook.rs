//! `memoir install-hook`.

use super::{Context, init};
use crate::cli::{HookScript, InstallHookArgs};
use crate::exit::{Done, Usage};
use crate::print::Out;
use crate::program;
use anyhow::Result;
use memoir_event::Client;
use memoir_install::{Launcher, ScriptOptions, write_script};
use memoir_record::ServerUrl;

pub fn run(context: &Context, args: &InstallHookArgs) -> Result<Done> {
    let client = match args.client {
        HookScript::Codex => Client::Codex,
    };
    let url = args.server_url.clone().or_else(|| context.settings.server_url.clone());
    let url = url.ok_or_else(|| Usage("no server is named: pass --server-url, or set `server_url`".into()))?;
    ServerUrl::parse(&url).map_err(|error| Usage(format!("--server-url: {error}")))?;
    let launcher = Launcher::in_home(context.home.dir());
    let options = ScriptOptions {
        target_dir: &args.target_dir,
        command: &init::command(context, &launcher, client),
        server_url: &url,
        force: args.force,
    };
    // They belong to the project, not to memoir.
    let files = crate::umask::as_the_user(|| write_script(options))?;
    context.home.prepare()?;
    program::launch_by(&launcher)?;
    let mut out = Out::new();
    out.line(&format!("wrote {}", files.script.display()))?;
    out.line(&format!("wrote {}", files.example.display()))?;
    out.line("copy what you want of the example into the project's .codex/hooks.json or your own")?;
    out.flush()?;
    Ok(Done::Well)
}
