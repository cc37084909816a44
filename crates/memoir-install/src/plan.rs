//! What has to change so that a client calls memoir, or no longer does.

use crate::change::{Change, read};
use crate::ledger::backup_of;
use crate::link::{is_inhabited, is_same, words_of_home};
use crate::place::{Place, place};
use crate::settings::{
    Frame, Installed, Listed, PlanError, Trust, installed, listed, refused, trust_entries, trusted, with_hooks,
    with_server, with_trust, without_hooks, without_hooks_in, without_server, without_trust,
};
use crate::{InstallError, Launcher, Ledger};
use memoir_event::Client;
use std::fs;
use std::path::{Path, PathBuf};

/// The changes for one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The client.
    pub client: Client,
    /// Its hooks.
    pub hooks: Change,
    /// The list of what it trusts, if it has one.
    pub trust: Option<Change>,
    /// All files of the client that hooks are about, whether they change or not.
    pub files: Vec<PathBuf>,
    /// Another home of memoir's whose hooks are in the settings: they are taken over, or else left alone.
    pub other_home: Option<PathBuf>,
    /// Why the client does not take the file with the hooks, although nothing of memoir's is to blame.
    pub refused: Option<String>,
    /// Copies of memoir's that no list knows, to be removed at the end.
    pub copies: Vec<PathBuf>,
}

impl Plan {
    /// The changes, in the order in which they are to be made.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        std::iter::once(&self.hooks).chain(&self.trust)
    }

    /// Whether there is anything to do.
    pub fn is_needed(&self) -> bool {
        self.changes().any(Change::is_needed)
    }

    /// Removes memoir's own copies that are needed no more.
    pub fn remove_copies(&self) -> Result<(), InstallError> {
        self.copies.iter().try_for_each(|copy| fs::remove_file(copy).map_err(InstallError::io("remove", copy)))
    }
}

/// What has to change so that a client with its settings in `dir` runs `command` at each event; none if it cannot.
pub fn plan(client: Client, dir: &Path, command: &str) -> Result<Option<Plan>, InstallError> {
    let Some(Place { hooks, trust: list }) = place(client, dir) else { return Ok(None) };
    let files = std::iter::once(&hooks).chain(&list).cloned().collect();
    let before = read(&hooks)?;
    let text = before.as_deref().unwrap_or_default();
    let after = with_hooks(client, text, command).map_err(wrong(&hooks))?;
    let found = installed(client, text).map_err(wrong(&hooks))?;
    let wanted = installed(client, &after).map_err(wrong(&hooks))?;
    let trust = match list {
        None => None,
        Some(path) => {
            let (known, wanted) = (trust(&hooks, &found), trust(&hooks, &wanted));
            let before = read(&path)?;
            let text = before.as_deref().unwrap_or_default();
            let has_ours = trusted(text, &known).map_err(wrong(&path))?.contains(&true);
            let after = with_trust(text, &wanted).map_err(wrong(&path))?;
            Some(Change { path, before, after: Some(after), has_ours })
        }
    };
    let refused = refused(client, &after);
    let hooks = Change { path: hooks, before, after: Some(after), has_ours: !found.is_empty() };
    Ok(Some(Plan { client, hooks, trust, files, other_home: other_home(&found, command), refused, copies: Vec::new() }))
}

/// What has to change so that the client no longer calls memoir for the home that `command` calls it for. Hooks of
/// another home stay, unless that home is gone: nobody else would take them out.
pub fn undo_plan(client: Client, dir: &Path, command: &str, ledger: &Ledger) -> Result<Option<Plan>, InstallError> {
    let Some(Place { hooks, trust: list }) = place(client, dir) else { return Ok(None) };
    let files = std::iter::once(&hooks).chain(&list).cloned().collect();
    let mut copies = Vec::new();
    let before = read(&hooks)?;
    let text = before.as_deref().unwrap_or_default();
    let mut mine = installed(client, text).map_err(wrong(&hooks))?;
    let other_home = other_home(&mine, command);
    let goes = |found: &str| !is_of_others(found, command);
    mine.retain(|hook| goes(&hook.command));
    let after = match &before {
        None => None,
        Some(text) => {
            let server = Shared::find(client, Holds::Hooks, text, command).map_err(wrong(&hooks))?;
            let frame = ledger.before(&hooks).map(|original| Frame::of(&original)).unwrap_or_default();
            let rest = without_hooks_in(&frame, client, text, &goes).and_then(|rest| server.without(&rest));
            let rest = rest.map_err(wrong(&hooks))?;
            let is_clean = |original: &str| {
                let rest = without_hooks(client, original, &|_| true).and_then(|rest| server.without_any(&rest));
                rest.is_ok_and(|rest| rest == original)
            };
            let with = |original: &str| match mine.first() {
                Some(hook) => with_hooks(client, original, &hook.command).and_then(|text| server.with(&text)).ok(),
                None => server.with(original).ok(),
            };
            let file = File { path: &hooks, now: text, rest };
            file.put_back(ledger, &mut copies, &is_clean, &with)
        }
    };
    let trust = match list {
        None => None,
        Some(path) => {
            let entries = trust(&hooks, &mine);
            // Hooks that somebody else has taken out may have left their trust behind.
            let anew = with_hooks(client, "", command).and_then(|text| installed(client, &text));
            let gone = trust(&hooks, &anew.map_err(wrong(&hooks))?);
            let before = read(&path)?;
            let after = match &before {
                None => None,
                Some(text) => {
                    let server = Shared::find(client, Holds::Trust, text, command).map_err(wrong(&path))?;
                    let without = |text: &str| without_trust(text, &entries, &gone);
                    let rest = without(text).and_then(|rest| server.without(&rest)).map_err(wrong(&path))?;
                    let file = File { path: &path, now: text, rest };
                    let is_clean = |original: &str| {
                        let rest = without(original).and_then(|rest| server.without_any(&rest));
                        rest.is_ok_and(|rest| rest == original)
                    };
                    let with = |original: &str| with_trust(original, &entries).and_then(|text| server.with(&text)).ok();
                    file.put_back(ledger, &mut copies, &is_clean, &with)
                }
            };
            Some(Change { path, has_ours: before != after, before, after })
        }
    };
    let hooks = Change { path: hooks, before, after, has_ours: !mine.is_empty() };
    Ok(Some(Plan { client, hooks, trust, files, other_home, refused: None, copies }))
}

/// Another home that is in use, and for which hooks in the settings call memoir.
pub(crate) fn other_home(found: &[Installed], command: &str) -> Option<PathBuf> {
    let other = found.iter().find(|hook| is_of_others(&hook.command, command))?;
    Launcher::home_in(&other.command)
}

/// Whether a command that was found calls memoir for another home than `own` does, one that is in use.
fn is_of_others(found: &str, own: &str) -> bool {
    let own = Launcher::home_in(own);
    Launcher::home_in(found).is_some_and(|home| !own.is_some_and(|own| is_same(&own, &home)) && is_inhabited(&home))
}

/// What a file holds beside a list of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Hooks,
    Trust,
}

/// The list of servers in a file that hooks are about too.
struct Shared {
    client: Client,
    /// Whether the file has one at all.
    has_list: bool,
    /// What it runs for this home, if memoir is in it.
    mine: Option<Vec<String>>,
}

impl Shared {
    fn find(client: Client, holds: Holds, text: &str, command: &str) -> Result<Shared, PlanError> {
        let has_list = matches!((client, holds), (Client::Codex, Holds::Trust) | (Client::Gemini, Holds::Hooks));
        let found = if has_list { listed(client, text)? } else { Listed::Not };
        let own = Launcher::home_in(command);
        let is_mine = |found: &[String]| {
            let home = words_of_home(found);
            home.is_none_or(|home| own.as_ref().is_some_and(|own| is_same(own, &home)) || !is_inhabited(&home))
        };
        let mine = match found {
            Listed::Ours(found) if is_mine(&found) => Some(found),
            _ => None,
        };
        Ok(Shared { client, has_list, mine })
    }

    fn without(&self, text: &str) -> Result<String, PlanError> {
        if self.mine.is_some() { self.without_any(text) } else { Ok(text.to_owned()) }
    }

    fn without_any(&self, text: &str) -> Result<String, PlanError> {
        if self.has_list { without_server(self.client, text, &|_| true) } else { Ok(text.to_owned()) }
    }

    fn with(&self, text: &str) -> Result<String, PlanError> {
        match &self.mine {
            Some(command) => with_server(self.client, text, command),
            None => Ok(text.to_owned()),
        }
    }
}

/// A settings file from which memoir goes.
pub(crate) struct File<'a> {
    pub(crate) path: &'a Path,
    pub(crate) now: &'a str,
    /// What is left of it without memoir's part.
    pub(crate) rest: String,
}

impl File<'_> {
    /// The file as it was before memoir came, if that is known; else without memoir's part; else not at all, if nothing
    /// but memoir's part was in it. `with` puts memoir's part in, to see whether that is how the file came about.
    pub(crate) fn put_back(
        self,
        ledger: &Ledger,
        copies: &mut Vec<PathBuf>,
        is_clean: &dyn Fn(&str) -> bool,
        with: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        match ledger.original(self.path, self.now) {
            Some(None) => return None,
            Some(Some(original)) if is_clean(&original) => return Some(original),
            _ => {}
        }
        // The list may be lost, or of another home that is.
        let copy = backup_of(self.path);
        let is_mine = self.rest != self.now;
        let became_this = |original: &str| is_mine && is_clean(original) && with(original).as_deref() == Some(self.now);
        match read(&copy) {
            Ok(Some(original)) if became_this(&original) => {
                copies.push(copy);
                return Some(original);
            }
            // Somebody has written to the file since; the copy is memoir's all the same.
            Ok(Some(original)) if is_mine && !ledger.has_copy(self.path) && is_clean(&original) => copies.push(copy),
            Ok(None) if became_this("") => return None,
            _ => {}
        }
        let is_empty = matches!(self.rest.trim(), "" | "{}");
        if ledger.is_new(self.path) && is_empty { None } else { Some(self.rest) }
    }
}

/// What Codex must trust to run memoir's hooks. It knows a file by its real path if `CODEX_HOME` names the directory,
/// and by the path through `~/.codex` if not: where the two differ, both are needed.
pub(crate) fn trust(file: &Path, hooks: &[Installed]) -> Vec<Trust> {
    let real = file.parent().and_then(|dir| dir.canonicalize().ok()).zip(file.file_name());
    let real = real.map(|(dir, name)| dir.join(name)).filter(|real| real != file);
    let paths = std::iter::once(file).chain(real.as_deref());
    paths.flat_map(|path| trust_entries(&path.to_string_lossy(), hooks)).collect()
}

pub(crate) fn wrong(path: &Path) -> impl FnOnce(PlanError) -> InstallError {
    let path = PathBuf::from(path);
    move |problem| InstallError::Plan { path, problem }
}
