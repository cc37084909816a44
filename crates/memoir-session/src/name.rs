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
