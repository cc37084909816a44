//! Alias events: a project is known under another id, or a session belongs to another project.
//!
//! What was recorded is never changed; an alias tells readers where it belongs now. The latest one counts.

use memoir_event::{Client, Content, Event, Identity, Json, Kind, Source};
use serde_json::{Value, json};

/// What an alias event says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alias {
    /// A project goes by another id; the same id again ends that.
    Project {
        /// The id it was recorded under.
        from: String,
        /// Its id from now on.
        to: String,
    },
    /// A session belongs to that project, whatever was recorded.
    Session {
        /// The client.
        client: Option<Client>,
        /// The client's own id.
        session: String,
        /// The project.
        to: String,
    },
}

impl Alias {
    /// The event that says so. `name` makes it one of its kind: said again later, it is said again.
    pub fn into_event(self, name: String) -> Event {
        let payload = match &self {
            Alias::Project { from, to } => json!({"from": from, "to": to}),
            Alias::Session { client, session, to } => json!({"client": client, "session": session, "to": to}),
        };
        let payload = Content::Payload(Json::from_value(&payload));
        let mut event = Event::new(Source::Memoir, "memoir", Kind::Alias, payload);
        event.identities = vec![Identity::Named(name)];
        event
    }

    /// What the payload of an alias event says.
    pub(crate) fn read(payload: &Value) -> Option<Alias> {
        let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
        let to = text("to")?;
        match (text("from"), text("session")) {
            (Some(from), _) => Some(Alias::Project { from, to }),
            (None, Some(session)) => {
                let client = text("client").as_deref().and_then(Client::parse);
                Some(Alias::Session { client, session, to })
            }
            (None, None) => None,
        }
    }

    /// The name under which the alias is looked up: of a project its id, of a session a text that no id is.
    pub(crate) fn key(&self) -> String {
        match self {
            Alias::Project { from, .. } => from.clone(),
            Alias::Session { client, session, .. } => session_key(*client, session),
        }
    }

    /// Where it leads.
    pub(crate) fn to(&self) -> &str {
        match self {
            Alias::Project { to, .. } | Alias::Session { to, .. } => to,
        }
    }
}

/// The name under which the alias of a session is looked up.
pub(crate) fn session_key(client: Option<Client>, session: &str) -> String {
    format!("{SESSION_MARK}{}\n{session}", client.map_or("", Client::as_str))
}

/// No project id begins like this.
pub(crate) const SESSION_MARK: &str = "session\n";
