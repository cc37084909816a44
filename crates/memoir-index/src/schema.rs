//! What the index stores of an event: its terms, and the numbers that filters need. Never its text.

use crate::plan::labels_of;
use crate::speech::{Traits, speech_of};
use crate::term_stream::{SpeechTokenizer, TermTokenizer};
use memoir_event::{Event, Kind, Memory, Telling};
use memoir_journal::{Change, Journal, JournalError, Seq, StoredEvent};
use tantivy::schema::{FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;
use tantivy::{Index, TantivyDocument};

/// Rises with every change of the schema, the tokenizer or the meaning of a field: an index of another version is
/// rebuilt.
pub(crate) const INDEX_VERSION: u32 = 3;

const TOKENIZER: &str = "memoir";
const SPEECH_TOKENIZER: &str = "memoir-speech";

/// The fields of the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub body: Field,
    pub said: Field,
    /// What a memory is called.
    pub name: Field,
    pub label: Field,
    pub origin: Field,
    seq: Field,
    shape: Field,
    ts_ms: Field,
    access: Field,
    traits: Field,
}

pub(crate) const SEQ: &str = "seq";
pub(crate) const ORIGIN: &str = "origin";
pub(crate) const SHAPE: &str = "shape";
pub(crate) const TS_MS: &str = "ts_ms";
pub(crate) const ACCESS: &str = "access";
pub(crate) const TRAITS: &str = "traits";

impl Fields {
    /// The schema and its fields.
    pub fn schema() -> (Schema, Fields) {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(indexing));
        let stems = TextFieldIndexing::default()
            .set_tokenizer(SPEECH_TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let said = schema.add_text_field("said", TextOptions::default().set_indexing_options(stems));
        let called = TextFieldIndexing::default()
            .set_tokenizer(SPEECH_TOKENIZER)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::Basic);
        let name = schema.add_text_field("name", TextOptions::default().set_indexing_options(called));
        // Lengths are for ranking: labels and numbers only filter.
        let exact = TextFieldIndexing::default()
            .set_tokenizer(RAW_TOKENIZER_NAME)
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false);
        let label = schema.add_text_field("label", TextOptions::default().set_indexing_options(exact));
        let number = NumericOptions::default();
        let fields = Fields {
            body,
            said,
            name,
            label,
            origin: schema.add_u64_field(ORIGIN, number.clone().set_indexed() | FAST),
            seq: schema.add_u64_field(SEQ, number.clone() | FAST),
            shape: schema.add_u64_field(SHAPE, number.clone() | FAST),
            ts_ms: schema.add_i64_field(TS_MS, number.clone() | FAST),
            access: schema.add_u64_field(ACCESS, number.clone() | FAST),
            traits: schema.add_u64_field(TRAITS, number | FAST),
        };
        (schema.build(), fields)
    }

    /// The document of an event.
    pub fn document(&self, stored: &StoredEvent) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_text(self.body, text_of(&stored.event));
        if let Some(speech) = speech_of(&stored.event) {
            document.add_text(self.said, speech.as_ref());
            document.add_u64(self.traits, Traits::of(&speech).bits());
        }
        if let Some(memory) = Memory::of_event(&stored.event) {
            memory.names().for_each(|name| document.add_text(self.name, name));
        }
        for label in labels_of(&stored.event) {
            document.add_text(self.label, label);
        }
        document.add_u64(self.origin, u64::from(stored.origin));
        document.add_u64(self.seq, stored.seq);
        document.add_u64(self.shape, u64::from(stored.shape));
        document.add_i64(self.ts_ms, stored.ts_ms);
        document.add_u64(self.access, u64::from(stored.access()));
        document
    }
}

/// The text of an event that is searched and shown.
pub(crate) fn text_of(event: &Event) -> std::borrow::Cow<'_, str> {
    match event.kind() {
        // It only names events, which are found by themselves.
        Kind::Archive => "".into(),
        Kind::Telling => Telling::of_event(event).map(|telling| telling.text()).unwrap_or_default().into(),
        _ => event.content.plain(),
    }
}

/// Makes our tokenizers known to an index.
pub(crate) fn register_tokenizer(index: &Index) {
    index.tokenizers().register(TOKENIZER, TermTokenizer::default());
    index.tokenizers().register(SPEECH_TOKENIZER, SpeechTokenizer::default());
}

/// How far a commit reaches, written with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Checkpoint {
    /// Everything up to here is in.
    pub seq: Seq,
    /// What the journal has at `seq`: tells whether it is still that journal.
    pub mark: String,
}

impl Checkpoint {
    /// The checkpoint at `seq`.
    pub fn at(seq: Seq, journal: &dyn Journal) -> Result<Checkpoint, JournalError> {
        Ok(Checkpoint { seq, mark: mark(seq, journal)? })
    }

    /// Whether the journal still has at that place what it had then.
    pub fn fits(&self, journal: &dyn Journal) -> Result<bool, JournalError> {
        Ok(mark(self.seq, journal)? == self.mark)
    }

    pub fn payload(&self) -> String {
        format!("{INDEX_VERSION} {} {}", self.seq, self.mark)
    }

    /// Reads a payload of this version.
    pub fn parse(payload: &str) -> Option<Checkpoint> {
        let mut words = payload.split(' ');
        let version: u32 = words.next()?.parse().ok()?;
        let seq = words.next()?.parse().ok()?;
        let mark = words.next()?.to_owned();
        (version == INDEX_VERSION).then_some(Checkpoint { seq, mark })
    }
}

fn mark(seq: Seq, journal: &dyn Journal) -> Result<String, JournalError> {
    let Some(before) = seq.checked_sub(1) else { return Ok("empty".to_owned()) };
    let change = journal.changes(before, 1)?.pop().filter(|change| change.seq() == seq);
    Ok(match change {
        Some(Change::Event(event)) => format!("event-{}", event.id),
        Some(Change::Revision { event, .. }) => format!("revision-{}", event.id),
        Some(Change::Sighting { of, .. }) => format!("sighting-{of}"),
        None => "missing".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_survives_its_payload_and_another_version_does_not() {
        let checkpoint = Checkpoint { seq: 42, mark: "event-abc".to_owned() };
        assert_eq!(checkpoint.payload(), "3 42 event-abc");
        assert_eq!(Checkpoint::parse(&checkpoint.payload()), Some(checkpoint));
        assert_eq!(Checkpoint::parse("2 42 event-abc"), None);
        assert_eq!(Checkpoint::parse("nonsense"), None);
    }
}
