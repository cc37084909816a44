//! What has to change so that a client offers memoir's tools to its model, or no longer does.

use crate::change::{Change, read};
use crate::link::words_of_home;
use crate::plan::{File, Plan, wrong};
use crate::settings::{Listed, listed, with_server, without_server};
use crate::{InstallError, Ledger};
use memoir_event::Client;
use std::path::{Path, PathBuf};

/// What is to be done with a client's list of servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The file with the list, as it is and as it shall be.
    pub change: Change,
    /// Somebody wrote an entry of that name; it is left alone.
    pub is_by_hand: bool,
    /// Another home of memoir's, in use, whose entry is taken over.
    pub other_home: Option<PathBuf>,
}

/// What has to change in `file` so that the client runs `command` as a server. If another change to that file comes
/// first, this one begins where that ends.
pub fn register(
    client: Client,
    file: &Path,
    command: &[String],
    first: Option<&Change>,
) -> Result<Registration, InstallError> {
    let before = match first.filter(|first| first.path == file) {
        Some(first) => first.after.clone(),
        None => read(file)?,
    };
    let text = before.as_deref().unwrap_or_default();
    let known = listed(client, text).map_err(wrong(file))?;
    let after = with_server(client, text, command).map_err(wrong(file))?;
    let other_home = match &known {
        Listed::Ours(known) => other_home(known, command),
        Listed::Not | Listed::ByHand => None,
    };
    let has_ours = matches!(known, Listed::Ours(_)) || first.is_some_and(|first| first.path == file && first.has_ours);
    let after = if known == Listed::ByHand { before.clone() } else { Some(after) };
    let change = Change { path: file.to_owned(), before, after, has_ours };
    Ok(Registration { change, is_by_hand: known == Listed::ByHand, other_home })
}

/// What has to change so that the client no longer runs memoir for this home, in a file that hooks are not about.
pub fn undo_registration(
    client: Client,
    file: &Path,
    command: &[String],
    ledger: &Ledger,
) -> Result<Plan, InstallError> {
    let before = read(file)?;
    let known = listed(client, before.as_deref().unwrap_or_default()).map_err(wrong(file))?;
    let goes = |found: &[String]| other_home(found, command).is_none();
    let theirs = match &known {
        Listed::Ours(known) => other_home(known, command),
        Listed::Not | Listed::ByHand => None,
    };
    let mut copies = Vec::new();
    let after = match &before {
        None => None,
        Some(text) => {
            let rest = without_server(client, text, &goes).map_err(wrong(file))?;
            let is_clean =
                |original: &str| without_server(client, original, &|_| true).is_ok_and(|rest| rest == original);
            let with = |original: &str| match &known {
                Listed::Ours(known) => with_server(client, original, known).ok(),
                Listed::Not | Listed::ByHand => None,
            };
            File { path: file, now: text, rest }.put_back(ledger, &mut copies, &is_clean, &with)
        }
    };
    let change = Change { path: file.to_owned(), has_ours: before != after, before, after };
    let files = vec![file.to_owned()];
    Ok(Plan { client, hooks: change, trust: None, files, other_home: theirs, refused: None, copies })
}

/// Whether the client has memoir in its list; none if the file is not there or has it not.
pub fn registered(client: Client, file: &Path, command: &[String]) -> Result<Registered, InstallError> {
    let text = read(file)?.unwrap_or_default();
    Ok(match listed(client, &text).map_err(wrong(file))? {
        Listed::Not => Registered::Not,
        Listed::ByHand => Registered::ByHand,
        Listed::Ours(known) if known == command => Registered::Here,
        Listed::Ours(known) => Registered::Elsewhere(other_home(&known, command)),
    })
}

/// What a client's list says of memoir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It is not in it.
    Not,
    /// It is, as memoir writes it.
    Here,
    /// It is, by hand.
    ByHand,
    /// It is, with another command; for another home, if that one is in use.
    Elsewhere(Option<PathBuf>),
}

/// Another home that is in use, for which a command runs memoir.
pub(crate) fn other_home(found: &[String], own: &[String]) -> Option<PathBuf> {
    let (found, own) = (words_of_home(found)?, words_of_home(own));
    let is_own = own.is_some_and(|own| crate::link::is_same(&own, &found));
    (!is_own && crate::link::is_inhabited(&found)).then_some(found)
}
