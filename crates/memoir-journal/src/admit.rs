//! The gate: an event gets its keys, then loses its secrets, and only then can reach a journal.

use crate::body::Packed;
use crate::cut::{Limits, cut_json, cut_text};
use memoir_event::{Content, Event, Identity, Json, KeyHasher, Keys, Kind, Said};
use memoir_redact::{Findings, Redactor};
use std::borrow::Cow;

/// An event that has been through redaction. Only [`Admission`] makes one, and nothing else can be appended.
#[derive(Debug, Clone)]
pub struct Redacted {
    event: Event,
    keys: Keys,
    secrets: u64,
    body: Option<Packed>,
}

impl Redacted {
    /// What the journal itself says about events that are in it: all of it was redacted before.
    pub(crate) fn own(event: Event, hasher: &KeyHasher) -> Redacted {
        let keys = hasher.keys(&event);
        Redacted { event, keys, secrets: 0, body: None }
    }

    /// The event without its secrets.
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// Its keys, made before redaction.
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// How many secrets were taken out.
    pub const fn secrets(&self) -> u64 {
        self.secrets
    }

    /// The same, with secrets that were taken out of it on its way to the gate.
    #[must_use]
    pub fn and_before(self, secrets: u64) -> Redacted {
        Redacted { secrets: self.secrets + secrets, ..self }
    }

    /// Its body, if it was packed on the way in.
    pub(crate) const fn body(&self) -> Option<&Packed> {
        self.body.as_ref()
    }

    /// The event without its secrets, to send it elsewhere.
    pub fn into_event(self) -> Event {
        self.event
    }
}

/// Makes [`Redacted`] events for one journal.
#[derive(Clone)]
pub struct Admission<'a> {
    redactor: &'a Redactor,
    hasher: KeyHasher,
    way: Way,
    limits: Option<Limits>,
}

/// Cuts what is too long; whether anything was.
fn cut(event: &mut Event, limits: Limits) -> bool {
    let chars_max = if event.kind() == Kind::ToolResult { limits.tool_result_chars } else { limits.text_chars };
    let before = event.content.verbatim().len();
    match &mut event.content {
        Content::Text(text) => cut_text(text, chars_max),
        Content::Json(json) | Content::Payload(json) => cut_json(json, chars_max),
    }
    event.content.verbatim().len() != before
}

const fn is_about_content(identity: &Identity) -> bool {
    matches!(identity, Identity::Explicit | Identity::Alike(_))
}

/// Where admitted events go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Into the journal: bodies are packed here, before anyone holds the write lock.
    Journal,
    /// Elsewhere.
    Out,
}

impl<'a> Admission<'a> {
    /// A gate with those rules, for the journal with that hasher.
    pub const fn new(redactor: &'a Redactor, hasher: KeyHasher) -> Admission<'a> {
        Admission { redactor, hasher, way: Way::Journal, limits: None }
    }

    /// A gate for events that are sent elsewhere instead.
    pub const fn for_sending(redactor: &'a Redactor, hasher: KeyHasher) -> Admission<'a> {
        Admission { redactor, hasher, way: Way::Out, limits: None }
    }

    /// The same gate, but texts that are too long lose their middle.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Admission<'a> {
        self.limits = Some(limits);
        self
    }

    /// Takes the keys of an event, then its secrets.
    pub fn admit(&self, event: Event) -> Redacted {
        let keys = self.hasher.keys(&event);
        self.clean(event, keys)
    }

    /// As [`Admission::admit`], for an event that lost its secrets and got its keys from this journal before; without
    /// such keys it gets them from what is left of it.
    pub fn admit_again(&self, event: Event, keys: Keys) -> Redacted {
        if keys.is_empty() { self.admit(event) } else { self.clean(event, keys) }
    }

    fn clean(&self, mut event: Event, mut keys: Keys) -> Redacted {
        let mut found = Findings::default();
        let ids = [
            &mut event.adapter,
            &mut event.actor,
            &mut event.thread,
            &mut event.turn,
            &mut event.topic,
            &mut event.action,
        ];
        for id in ids.into_iter().flatten().chain([&mut event.session, &mut event.repo]) {
            self.text(id, &mut found);
        }
        if event.shape.event_type != event.kind().event_type() {
            // Whatever stands in a record where its kind should.
            self.text(&mut event.shape.event_type, &mut found);
        }
        match &mut event.content {
            Content::Text(text) => self.text(text, &mut found),
            Content::Json(json) | Content::Payload(json) => self.json(json, &mut found),
        }
        for json in [&mut event.metadata, &mut event.meta].into_iter().flatten() {
            self.json(json, &mut found);
        }
        for identity in &mut event.identities {
            if let Identity::Alike(Said::Own(text)) = identity {
                self.text(text, &mut found);
            }
        }
        if !found.is_empty() && event.identities.iter().any(is_about_content) {
            // Another way of capture may bring this event without its secrets: it is known under that key too.
            keys.extend(self.hasher.keys(&event));
        }
        if self.limits.is_some_and(|limits| cut(&mut event, limits)) && event.identities.iter().any(is_about_content) {
            // From another journal it comes as long as it is kept there.
            keys.extend(self.hasher.keys(&event));
        }
        // What cannot be packed now is tried again, and reported, by the append.
        let body = (self.way == Way::Journal).then(|| Packed::of(&event, &self.hasher).ok()).flatten();
        Redacted { event, keys, secrets: found.total(), body }
    }

    fn text(&self, text: &mut String, found: &mut Findings) {
        if let Cow::Owned(clean) = self.redactor.text_with(text, found) {
            *text = clean;
        }
    }

    fn json(&self, json: &mut Json, found: &mut Findings) {
        if let Cow::Owned(clean) = self.redactor.json_with(json.as_str(), found) {
            // The redactor keeps JSON valid; should it ever not, the text still must not pass unredacted.
            *json = Json::parse(clean).unwrap_or_else(|_| Json::from_value(&"[redacted:unreadable-json]".into()));
        }
    }
}
