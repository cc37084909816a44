//! What a model tells of an archive, in place of the lines that rules choose.
//!
//! It is stored as the payload of an event of kind `telling`, beside the archive, which has no text of its own. It holds
//! only as long as all that the model was shown may be shown: forgotten or purged, each of it takes the telling along.

use crate::archive::{Section, named};
use crate::content::{Content, Json};
use crate::event::Event;
use crate::id::EventId;
use crate::kind::Kind;
use crate::source::{Client, Source};
use serde::{Deserialize, Serialize};

/// One thing that is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldLine {
    /// Where it belongs.
    pub section: Section,
    /// What is told, on one line.
    pub text: String,
    /// The events that it rests on.
    pub events: Vec<EventId>,
}

/// An archive in a model's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Telling {
    /// The version of this form.
    pub version: u32,
    /// The agent program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// The client's own id of the session.
    pub session: String,
    /// Which archive of its session it tells of.
    pub number: u32,
    /// What it tells. Of a section that is not among them, nothing could be used.
    pub told: Vec<ToldLine>,
    /// All that the model was shown.
    pub made_of: Vec<EventId>,
    /// The model.
    pub made_by: String,
}

impl Telling {
    /// The version that this memoir writes.
    pub const VERSION: u32 = 1;

    /// The telling that an event holds.
    pub fn of_event(event: &Event) -> Option<Telling> {
        if event.kind() != Kind::Telling {
            return None;
        }
        let telling: Telling = serde_json::from_str(event.content.verbatim()).ok()?;
        (telling.version <= Telling::VERSION).then_some(telling)
    }

    /// The event that says it, in a project: in the session that it is of, though no part of the conversation.
    pub fn into_event(self, project: &str) -> Event {
        let name = named("telling", self.client, &self.session, self.number);
        let content = Content::Payload(Json::from_value(&serde_json::to_value(&self).unwrap_or_default()));
        let mut event = Event::new(Source::Memoir, &self.session, Kind::Telling, content);
        event.client = self.client;
        project.clone_into(&mut event.repo);
        event.identities = vec![name];
        event
    }

    /// What it says, as text.
    pub fn text(&self) -> String {
        self.told.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_as_promised_and_survives_its_event() {
        let id = EventId::parse("0123456789abcdef01234567").unwrap();
        let told = ToldLine { section: Section::Decided, text: "Poll the port.".to_owned(), events: vec![id] };
        let telling = Telling {
            version: Telling::VERSION,
            client: Some(Client::Codex),
            session: "0193".to_owned(),
            number: 2,
            told: vec![told],
            made_of: vec![id],
            made_by: "m".to_owned(),
        };
        let golden = r#"{"version":1,"client":"codex","session":"0193","number":2,"told":[{"section":"decided","text":"Poll the port.","events":["0123456789abcdef01234567"]}],"made_of":["0123456789abcdef01234567"],"made_by":"m"}"#;
        let event = telling.clone().into_event("acme/shop");
        assert_eq!(event.content.verbatim(), golden);
        assert_eq!((event.repo.as_str(), event.session.as_str()), ("acme/shop", "0193"));
        assert_eq!(Telling::of_event(&event), Some(telling));
        let newer = golden.replace("\"version\":1", "\"version\":2");
        let event = Event::new(Source::Memoir, "m", Kind::Telling, Content::Payload(Json::parse(newer).unwrap()));
        assert_eq!(Telling::of_event(&event), None);
    }
}
