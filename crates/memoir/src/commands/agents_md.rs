//! `memoir agents-md`: the project's conventions in its instructions files, and theirs as memories.

use super::{Context, copied, filter, init, project, remember};
use crate::ask;
use crate::cli::AgentsMdArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, count};
use anyhow::Result;
use memoir_dream::{Given, Said, Way};
use memoir_event::{Memory, MemoryKind, MemoryStatus};
use memoir_install::{Change, has_instructions, instructions_change, rules_in};
use memoir_journal::{Journal, SqliteJournal};
use memoir_recall::{Kept, essence};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The files that agents read, each its own.
const FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// More rules than this nobody follows.
const RULES_MAX: usize = 40;

pub fn run(context: &Context, args: &AgentsMdArgs) -> Result<Done> {
    let dir = match &args.dir {
        Some(dir) => std::path::absolute(dir)?,
        None => project::top()?,
    };
    if !dir.is_dir() {
        return Err(Usage(format!("{} is not a directory", dir.display())).into());
    }
    let project = filter::project(&dir.to_string_lossy());
    if args.read {
        return read(context, &dir, &project);
    }
    let kept = if args.remove { Vec::new() } else { conventions(context, &project)? };
    let changes = changes(&dir, args, &kept)?;
    let needed: Vec<&Change> = changes.iter().filter(|change| change.is_needed()).collect();
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    for change in &needed {
        init::show(&mut out, change, &redactor)?;
    }
    if args.write || args.remove {
        changes.iter().filter(|change| !change.is_needed()).try_for_each(|change| note(context, change, &project))?;
    }
    if needed.is_empty() {
        let nothing = if kept.is_empty() && !args.remove {
            "no conventions of this project are known"
        } else {
            "nothing is to be changed"
        };
        out.line(nothing)?;
        out.flush()?;
        return Ok(Done::Well);
    }
    out.flush()?;
    if !args.write && !args.remove {
        print::warn("nothing was changed: --write writes it");
        return Ok(Done::Well);
    }
    const FLAG: &str = "nobody can be asked here: pass --yes to agree, or leave --write out to look";
    if !args.yes && !ask::yes("Change these files?", FLAG)? {
        anyhow::bail!("nothing was changed");
    }
    for change in needed {
        // Known before it is there: what is forgotten meanwhile is taken out of it.
        if has_part(change) {
            note(context, change, &project)?;
        }
        change.make()?;
        note(context, change, &project)?;
        let done = if change.after.is_some() { "written" } else { "removed" };
        out.line(&format!("{} is {done}", change.path.display()))?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Whether a part of the file will be memoir's.
fn has_part(change: &Change) -> bool {
    change.after.as_deref().is_some_and(has_instructions)
}

/// Remembers whether a part of the file is memoir's: what is forgotten is taken out of it.
fn note(context: &Context, change: &Change, project: &str) -> Result<()> {
    match context.existing_journal(Life::Short)? {
        Some(journal) if has_part(change) => copied::note_instructed(&journal, &change.path, project),
        Some(journal) => copied::note_not_instructed(&journal, &change.path),
        None => Ok(()),
    }
}

/// The conventions of the project, as many as are written.
fn conventions(context: &Context, project: &str) -> Result<Vec<Kept>> {
    let Some(journal) = context.existing_journal(Life::Short)? else { return Ok(Vec::new()) };
    let redactor = context.settings.redactor()?;
    let mut kept = memoir_recall::conventions(&journal, &redactor, project)?;
    kept.truncate(RULES_MAX);
    // The same memories are the same text, in whatever order they were reinforced.
    kept.sort_by_key(|kept| (kept.ts_ms, kept.id));
    Ok(kept)
}

fn changes(dir: &Path, args: &AgentsMdArgs, kept: &[Kept]) -> Result<Vec<Change>> {
    let named: Vec<PathBuf> = match &args.file {
        Some(file) => vec![dir.join(file)],
        None => {
            let there = FILES.iter().map(|name| dir.join(name)).filter(|path| path.symlink_metadata().is_ok());
            // One that leads to another of them has what that has.
            there.filter(|path| !leads_to_another(path)).collect()
        }
    };
    let files = if named.is_empty() { vec![dir.join("AGENTS.md")] } else { named };
    let change = |path: &PathBuf| {
        let own = source_of(path);
        // What the file itself says is not said twice in it.
        let rules: Vec<String> = kept
            .iter()
            .filter(|kept| kept.memory.made_by.as_deref() != Some(own.as_str()))
            .map(|kept| kept.text.clone())
            .collect();
        Ok(instructions_change(path, (!args.remove).then_some(rules.as_slice()))?)
    };
    files.iter().map(change).collect()
}

/// Whether a link leads to one of the files in the same directory, or the file takes in another whole.
fn leads_to_another(path: &Path) -> bool {
    let other = |name: &str| path.parent().map(|dir| dir.join(name)).filter(|other| other != path);
    let target =
        path.symlink_metadata().is_ok_and(|file| file.is_symlink()).then(|| path.canonicalize().ok()).flatten();
    let is_link = FILES.iter().filter_map(|name| other(name)?.canonicalize().ok()).any(|other| target == Some(other));
    let takes_in =
        || std::fs::read_to_string(path).is_ok_and(|text| text.lines().any(|line| line.trim() == "@AGENTS.md"));
    is_link || takes_in()
}

fn source_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Takes the rules in the project's files in as conventions; one that is no longer there holds no more.
fn read(context: &Context, dir: &Path, project: &str) -> Result<Done> {
    context.home.prepare()?;
    let journal = context.journal(Life::Short)?;
    let redactor = context.settings.redactor()?;
    let known = essence(&journal, &redactor, project, "", 0)?.kept;
    let (mut new, mut gone, mut again) = (0, 0, 0);
    for name in FILES {
        let rules = rules_in(&dir.join(name))?;
        let mut there = HashSet::new();
        for rule in rules {
            let given = given(&journal, name, &rule, project);
            there.extend(given.uid.clone());
            if known.iter().any(|kept| Some(&kept.memory.uid) == given.uid.as_ref()) {
                again += 1;
                continue;
            }
            let remembered = remember::remember(context, &journal, &given)?;
            new += u64::from(remembered.said == Said::New || remembered.said == Said::Changed);
        }
        let prefix = uid_prefix(name);
        let left = |kept: &&Kept| kept.memory.uid.starts_with(&prefix) && !there.contains(&kept.memory.uid);
        for kept in known.iter().filter(left) {
            let past = Given { status: MemoryStatus::Superseded, ..given_with(&kept.memory, project) };
            remember::remember(context, &journal, &past)?;
            gone += 1;
        }
    }
    let mut out = Out::new();
    out.line(&format!("{} taken in, {again} known, {gone} no longer there", count(new, "convention")))?;
    out.flush()?;
    Ok(Done::Well)
}

fn uid_prefix(file: &str) -> String {
    format!("file/{file}/")
}

/// A rule of a file, as a memory that says where it is from.
fn given(journal: &SqliteJournal, file: &str, rule: &str, project: &str) -> Given {
    // The name is keyed: it tells nothing of a text that was purged.
    let hash = journal.hasher().hash(format!("{project}\0{rule}").as_bytes());
    let name: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    Given {
        kind: MemoryKind::Convention,
        uid: Some(format!("{}{name}", uid_prefix(file))),
        made_by: Some(file.to_owned()),
        way: Way::Brought,
        ..Given::new(rule, project)
    }
}

fn given_with(memory: &Memory, project: &str) -> Given {
    Given {
        kind: memory.kind,
        uid: Some(memory.uid.clone()),
        name: Some(memory.name.clone()),
        aliases: memory.aliases.clone(),
        made_by: memory.made_by.clone(),
        way: Way::Brought,
        ..Given::new(&memory.text, project)
    }
}
