//! How sessions and the processes of their clients are named.

use memoir_event::Client;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A session by its client and the client's own id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName {
    /// The agent program, if it is one we know.
    pub client: Option<Client>,
    /// The client's own id.
    pub id: String,
}

impl SessionName {
    /// A session of that client.
    pub fn new(client: Option<Client>, id: &str) -> SessionName {
        SessionName { client, id: id.to_owned() }
    }

    /// Reads `cx-0193…`; any other text is the id of a session without a client.
    pub fn parse(text: &str) -> SessionName {
        let (client, id) = Client::split_session(text);
        SessionName::new(client, id)
    }

    /// The form that people see.
    pub fn shown(&self) -> String {
        Client::shown_session(self.client, &self.id)
    }
}

impl SessionName {
    /// How rows name it. An id that only looks as if a client had given it is marked: nobody may take it for that client's.
    pub(crate) fn in_row(&self) -> String {
        let is_misleading = SessionName::parse(&self.id) != *self || self.id.starts_with(MARK);
        if self.client.is_none() && is_misleading { format!("{MARK}{}", self.id) } else { self.shown() }
    }

    /// As a row names it.
    pub(crate) fn of_row(name: &str) -> SessionName {
        name.strip_prefix(MARK).map_or_else(|| SessionName::parse(name), |id| SessionName::new(None, id))
    }
}

/// What marks such an id.
const MARK: char = '=';

impl fmt::Display for SessionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

/// The process of a client: its id, and when it started, so that an id that is used again is told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started, in whatever the system counts.
    pub started: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_one_session_and_no_other() {
        let names =
            [(None, "s"), (None, "cx-s"), (Some(Client::Codex), "s"), (None, "=cx-s"), (None, "=s"), (None, "cx-")];
        let names = names.map(|(client, id)| SessionName::new(client, id));
        for name in &names {
            assert_eq!(SessionName::of_row(&name.in_row()), *name);
            assert_eq!(names.iter().filter(|other| other.in_row() == name.in_row()).count(), 1, "{name:?}");
        }
        assert_eq!(names[2].in_row(), "cx-s");
    }
}
