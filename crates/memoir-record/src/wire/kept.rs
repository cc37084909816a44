//! What a record knows beyond the wire: enough to be stored, here later or by another memoir, as exactly the event it was.
//!
//! Keys are never sent: a server has no use for those of another journal. Nor is a name that tells more than the event.

use memoir_event::{Client, Content, Event, EventId, Identity, Key, Keys, Kind, Reasoning, Said, Shape, Source};
use serde::{Deserialize, Serialize};

/// The parts of an event that the wire has no place for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    source: Option<Source>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<Client>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
    kind: Option<Kind>,
    event_type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item_type: Option<String>,
    reasoning: Option<Reasoning>,
    /// Whether JSON content is a whole payload.
    payload: bool,
    names: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    in_turn: Vec<String>,
    growing: Vec<String>,
    alike: Vec<String>,
    /// What names the event, for when no journal was there to make keys.
    identities: Vec<KeptIdentity>,
}

/// An identity, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptIdentity {
    Explicit,
    Named(String),
    Item(String, u32),
    Record(String, u32),
    InTurn(String, u32),
    Growing(String),
    AlikeContent,
    Alike(String),
    Id(EventId),
    Unique(i64, u64),
}

impl Kept {
    /// What to keep of a redacted event; without a journal there are no keys yet.
    pub fn new(event: &Event, keys: Option<&Keys>) -> Kept {
        let text = |keys: &[Key]| keys.iter().map(ToString::to_string).collect();
        let none = Keys::default();
        let keys = keys.unwrap_or(&none);
        Kept {
            source: Some(event.source),
            client: event.client,
            thread: event.thread.clone(),
            sequence: event.sequence,
            kind: Some(event.kind()),
            event_type: event.shape.event_type.clone(),
            item_type: event.shape.item_type.clone(),
            reasoning: Some(event.reasoning),
            payload: matches!(event.content, Content::Payload(_)),
            names: text(&keys.names),
            in_turn: text(&keys.in_turn),
            growing: text(&keys.growing),
            alike: text(&keys.alike),
            identities: event.identities.iter().map(KeptIdentity::of).collect(),
        }
    }

    /// What a memoir server needs to know the very event again; nothing of what a recorder sends, which is known by what
    /// it says of itself.
    pub fn for_server(event: &Event) -> Option<Kept> {
        Client::of_source(event.source)?;
        let identities = memoir_capture::open_names(event);
        Some(Kept { identities: identities.iter().map(KeptIdentity::of).collect(), ..Kept::new(event, None) })
    }

    /// Whether it is of an event that a client's work was captured as.
    pub fn is_captured(&self) -> bool {
        let is_foreign = |kind: Kind| !kind.is_own();
        self.source.and_then(Client::of_source).is_some() && self.kind.is_some_and(is_foreign)
    }

    /// The keys it had.
    pub fn keys(&self) -> Keys {
        let keys = |texts: &[String]| texts.iter().filter_map(|text| Key::parse(text).ok()).collect();
        Keys {
            names: keys(&self.names),
            in_turn: keys(&self.in_turn),
            growing: keys(&self.growing),
            alike: keys(&self.alike),
        }
    }

    /// Gives an event back what the wire could not carry.
    pub fn restore(self, event: &mut Event) {
        event.source = self.source.unwrap_or(event.source);
        event.client = self.client;
        event.thread = self.thread;
        event.sequence = self.sequence;
        event.reasoning = self.reasoning.unwrap_or(event.reasoning);
        if let Some(kind) = self.kind {
            event.shape = Shape { kind, event_type: self.event_type, item_type: self.item_type };
        }
        if self.payload
            && let Content::Json(json) = &event.content
        {
            event.content = Content::Payload(json.clone());
        }
        if !self.identities.is_empty() {
            event.identities = self.identities.into_iter().map(KeptIdentity::restored).collect();
        }
    }
}

impl KeptIdentity {
    fn of(identity: &Identity) -> KeptIdentity {
        match identity {
            Identity::Explicit => KeptIdentity::Explicit,
            Identity::Named(name) => KeptIdentity::Named(name.clone()),
            Identity::Item { id, block } => KeptIdentity::Item(id.clone(), *block),
            Identity::Record { id, block } => KeptIdentity::Record(id.clone(), *block),
            Identity::InTurn { name, nth } => KeptIdentity::InTurn(name.clone(), *nth),
            Identity::Growing(place) => KeptIdentity::Growing(place.clone()),
            Identity::Alike(Said::Content) => KeptIdentity::AlikeContent,
            Identity::Alike(Said::Own(text)) => KeptIdentity::Alike(text.clone()),
            Identity::Id(id) => KeptIdentity::Id(*id),
            Identity::Unique { at_ms, nonce } => KeptIdentity::Unique(*at_ms, *nonce),
        }
    }

    fn restored(self) -> Identity {
        match self {
            KeptIdentity::Explicit => Identity::Explicit,
            KeptIdentity::Named(name) => Identity::Named(name),
            KeptIdentity::Item(id, block) => Identity::Item { id, block },
            KeptIdentity::Record(id, block) => Identity::Record { id, block },
            KeptIdentity::InTurn(name, nth) => Identity::InTurn { name, nth },
            KeptIdentity::Growing(place) => Identity::Growing(place),
            KeptIdentity::AlikeContent => Identity::Alike(Said::Content),
            KeptIdentity::Alike(text) => Identity::Alike(Said::Own(text)),
            KeptIdentity::Id(id) => Identity::Id(id),
            KeptIdentity::Unique(at_ms, nonce) => Identity::Unique { at_ms, nonce },
        }
    }
}
