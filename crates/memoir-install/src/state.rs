//! Whether a client's settings call memoir, as they are now.

use crate::InstallError;
use crate::change::read;
use crate::place::{Place, place};
use crate::plan::{other_home, trust, wrong};
use crate::settings::{hook_events, installed, refused, runs_no_hooks, trusted, turned_off, turned_off_entries};
use memoir_event::Client;
use std::path::{Path, PathBuf};

/// What the settings of a client say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Where they are.
    pub place: Place,
    /// How many hooks of memoir's are in them.
    pub hooks: usize,
    /// Why the client does not take the file with the hooks.
    pub refused: Option<String>,
    /// Events that memoir wants and is not called for.
    pub missing: Vec<&'static str>,
    /// Commands of memoir's that are not the one it would install.
    pub stale: usize,
    /// Another home, in use, for which the hooks call memoir.
    pub other_home: Option<PathBuf>,
    /// Hooks of memoir's that the client does not trust, and so does not run.
    pub untrusted: usize,
    /// Hooks of memoir's that somebody turned off, one by one.
    pub turned_off: usize,
    /// The setting that turns hooks off.
    pub off: Option<&'static str>,
}

/// Looks at the settings of a client in `dir`; none if it has no hooks that memoir can use.
pub fn state(client: Client, dir: &Path, command: &str) -> Result<Option<State>, InstallError> {
    let Some(place) = place(client, dir) else { return Ok(None) };
    let text = read(&place.hooks)?.unwrap_or_default();
    let found = installed(client, &text).map_err(wrong(&place.hooks))?;
    let events = hook_events(client).iter().map(|event| event.name);
    let missing = events.filter(|event| !found.iter().any(|hook| hook.event == *event)).collect();
    let stale = found.iter().filter(|hook| hook.command != command).count();
    let mut off = turned_off(client, &text).map_err(wrong(&place.hooks))?;
    let (mut untrusted, mut one_by_one) = (0, 0);
    if let Some(path) = &place.trust {
        let config = read(path)?.unwrap_or_default();
        let entries = trust(&place.hooks, &found);
        let are_trusted = trusted(&config, &entries).map_err(wrong(path))?;
        untrusted = are_trusted.iter().filter(|is_trusted| !**is_trusted).count();
        one_by_one = turned_off_entries(&config, &entries).map_err(wrong(path))?;
        off = off.or(runs_no_hooks(&config).map_err(wrong(path))?);
    }
    Ok(Some(State {
        hooks: found.len(),
        refused: refused(client, &text),
        missing,
        stale,
        other_home: other_home(&found, command),
        untrusted,
        turned_off: one_by_one,
        off,
        place,
    }))
}
