//! Where memoir itself is, and the name by which hooks call it.

use anyhow::{Context, Result};
use memoir_install::{Launcher, stable_path};
use std::path::PathBuf;

/// Lets the launcher lead to this program, by a path that outlives an upgrade.
pub fn launch_by(launcher: &Launcher) -> Result<()> {
    let program = std::env::current_exe().context("cannot tell where memoir itself is")?;
    let called_as = std::env::args_os().next().map(PathBuf::from);
    let search = std::env::var_os("PATH").unwrap_or_default();
    let path = stable_path(&program, called_as.as_deref(), std::env::split_paths(&search), launcher);
    Ok(launcher.point_at(&path)?)
}
