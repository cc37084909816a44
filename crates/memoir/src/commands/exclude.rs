//! `memoir exclude`: what is not to be recorded.

use super::{Context, config, project};
use crate::cli::{ExcludeArgs, ExcludeWhat};
use crate::exit::{Done, Usage};
use crate::print::{self, Out};
use crate::settings::in_home;
use crate::settings::{Origin, Settings};
use anyhow::{Context as _, Result};
use memoir_record::{OFF_FILE, Policy};
use serde_json::json;
use std::fs;
use std::path::{Component, Path, PathBuf};

pub fn run(context: &Context, args: &ExcludeArgs) -> Result<Done> {
    let said = match &args.what {
        None => return list(context, args.json),
        Some(ExcludeWhat::Here) => here(args.remove)?,
        Some(ExcludeWhat::Path { dir }) => {
            let dir = in_home(&dir.to_string_lossy());
            let dir = fs::canonicalize(&dir).unwrap_or_else(|_| plain(&dir));
            if !args.remove && !dir.exists() {
                print::warn(&format!("{} is not there: it is excluded should it come", dir.display()));
            }
            change(context, "capture.exclude_paths", &dir.to_string_lossy(), args.remove)?
        }
        Some(ExcludeWhat::Tool { name }) => change(context, "capture.exclude_tools", name, args.remove)?,
        Some(ExcludeWhat::Pattern { pattern }) => {
            let policy = Policy::new(Vec::new(), Vec::new(), std::slice::from_ref(pattern), Vec::new());
            if !args.remove && policy.is_ok_and(|policy| policy.excludes_text("")) {
                return Err(
                    Usage(format!("`{pattern}` matches everything: to record nothing, use `memoir pause`")).into()
                );
            }
            change(context, "capture.exclude_patterns", pattern, args.remove)?
        }
    };
    let mut out = Out::new();
    out.line(&said)?;
    out.flush()?;
    Ok(Done::Well)
}

/// A directory that is not there, without dots.
fn plain(dir: &Path) -> PathBuf {
    let whole = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    whole.components().fold(PathBuf::new(), |mut path, part| {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
        path
    })
}

/// The file that turns recording off for this directory, if there is one: here or in any directory around it.
pub fn off_here() -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    cwd.ancestors().map(|dir| dir.join(OFF_FILE)).find(|file| file.exists())
}

/// The excluded path that this directory is in, if it is in one, as the settings name it.
pub fn excluded_here(settings: &Settings) -> Option<&str> {
    let cwd = std::env::current_dir().ok()?;
    let holds = |path: &&String| {
        let path = in_home(path);
        cwd.starts_with(fs::canonicalize(&path).unwrap_or(path))
    };
    settings.exclude_paths.iter().find(holds).map(String::as_str)
}

/// What is excluded, for whoever asks.
pub fn excluded(settings: &Settings) -> [(&'static str, &[String]); 4] {
    [
        ("paths", &settings.exclude_paths),
        ("tools", &settings.exclude_tools),
        ("patterns", &settings.exclude_patterns),
        ("private markers", &settings.private_markers),
    ]
}

fn list(context: &Context, json: bool) -> Result<Done> {
    let settings = &context.settings;
    let mut out = Out::new();
    if json {
        out.json(&json!({
            "paths": settings.exclude_paths, "tools": settings.exclude_tools,
            "patterns": settings.exclude_patterns, "privateMarkers": settings.private_markers,
        }))?;
    } else {
        for (what, names) in excluded(settings) {
            out.line(&format!("{what}: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }))?;
        }
        out.line(&format!("projects: those with a file named {OFF_FILE} in them"))?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Adds to a list in config.toml, or takes out of it.
fn change(context: &Context, key: &'static str, value: &str, remove: bool) -> Result<String> {
    if let Some((_, Origin::Environment(name))) = context.settings.shown.get(key) {
        return Err(Usage(format!("{name} sets this list: change it there")).into());
    }
    let mut names = match key {
        "capture.exclude_paths" => context.settings.exclude_paths.clone(),
        "capture.exclude_tools" => context.settings.exclude_tools.clone(),
        _ => context.settings.exclude_patterns.clone(),
    };
    if value.trim().is_empty() {
        return Err(Usage("nothing is named: pass what is not to be recorded".into()).into());
    }
    let is_there = names.iter().any(|name| name == value);
    match (remove, is_there) {
        (true, false) => return Err(Usage(format!("`{value}` is not excluded")).into()),
        (false, true) => return Ok(format!("`{value}` is excluded already")),
        (true, true) => names.retain(|name| name != value),
        (false, false) => names.push(value.to_owned()),
    }
    config::set_list(&context.home, key, &names)?;
    Ok(match remove {
        true => format!("`{value}` is recorded again from now on"),
        false => format!("`{value}` is not recorded from now on; what is recorded already stays"),
    })
}

/// Turns recording off, or on again, for the project around this directory.
fn here(remove: bool) -> Result<String> {
    // It works for what lies below it.
    let file = project::top()?.join(OFF_FILE);
    let root = file.parent().unwrap_or(&file).display();
    if remove {
        if !file.exists() {
            return Err(Usage(format!("{root} is not excluded by a {OFF_FILE}")).into());
        }
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        return Ok(format!("{root} is recorded again from now on"));
    }
    crate::umask::as_the_user(|| fs::OpenOptions::new().create(true).append(true).open(&file))
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(format!("nothing below {root} is recorded from now on ({OFF_FILE} says so)"))
}
