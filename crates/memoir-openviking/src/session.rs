//! Which session an id of the API means: a client's own, a sub-agent's part of one, or one that only the API knows.

use crate::fault::Fault;
use memoir_event::Client;

/// A longer id is none.
pub const SESSION_ID_BYTES_MAX: usize = 256;

/// What stands between a session's id and its sub-agent's.
const SUBAGENT: &str = "__subagent-";

/// A session as the API names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken {
    /// The id as it was given.
    pub given: String,
    /// The client, told by the prefix.
    pub client: Option<Client>,
    /// The client's own session id.
    pub session: String,
    /// The sub-agent, whose part of the session it is.
    pub agent: Option<String>,
}

impl Spoken {
    /// The session that an id means.
    pub fn parse(given: &str) -> Result<Spoken, Fault> {
        if given.trim().is_empty() || given.len() > SESSION_ID_BYTES_MAX {
            let message = format!("a session id has 1 to {SESSION_ID_BYTES_MAX} bytes");
            return Err(Fault::invalid("session_id", message));
        }
        if given.chars().any(char::is_control) {
            return Err(Fault::invalid("session_id", "a session id has no control characters"));
        }
        let (client, id) = Client::split_session(given);
        let (session, agent) = match id.split_once(SUBAGENT) {
            Some((session, agent)) if client.is_some() && !session.is_empty() && !agent.is_empty() => {
                (session, Some(agent.to_owned()))
            }
            _ => (id, None),
        };
        Ok(Spoken { given: given.to_owned(), client, session: session.to_owned(), agent })
    }

    /// The session as people see it, sub-agents aside.
    pub fn shown(&self) -> String {
        Client::shown_session(self.client, &self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_prefix_tells_the_client_and_the_tail_the_sub_agent() {
        let cx = Spoken::parse("cx-0193").unwrap();
        assert_eq!((cx.client, cx.session.as_str(), cx.agent), (Some(Client::Codex), "0193", None));
        let agent = Spoken::parse("cc-7d__subagent-a1").unwrap();
        assert_eq!((agent.session.as_str(), agent.agent.as_deref()), ("7d", Some("a1")));
        assert_eq!(agent.shown(), "cc-7d");
        let own = Spoken::parse("mcp-store-12__subagent-x").unwrap();
        assert_eq!((own.client, own.session.as_str(), own.agent), (None, "mcp-store-12__subagent-x", None));
        for odd in ["../../etc/passwd", "a/b", ".", "cx-"] {
            assert_eq!(Spoken::parse(odd).unwrap().shown(), odd);
        }
    }

    #[test]
    fn an_id_that_can_name_nothing_is_refused() {
        for bad in ["", "  ", "a\nb", &"x".repeat(SESSION_ID_BYTES_MAX + 1)] {
            assert!(matches!(Spoken::parse(bad), Err(Fault::Invalid { .. })), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_session_or_refused(id in "\\PC{0,300}") {
            if let Ok(spoken) = Spoken::parse(&id) {
                prop_assert!(spoken.agent.is_some() || spoken.shown() == id);
            }
        }
    }
}
