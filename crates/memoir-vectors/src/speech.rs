//! What of an event a model gets to see, if anything.

use memoir_index::speech_of;
use memoir_journal::{Audience, StoredEvent, View};
use memoir_redact::Redactor;

/// More than this of a text is not embedded: models read no further, and its beginning says what it is about.
pub const TEXT_CHARS_MAX: usize = 2_000;

/// What may be given to a model: nothing secret, private, sealed or forgotten. What was superseded may, as history.
pub(crate) const fn view() -> View {
    View::of(Audience::Dream)
}

/// The text of an event as a model gets it, redacted once more (rules may be newer than the text).
pub(crate) fn text_for_model(stored: &StoredEvent, redactor: &Redactor) -> Option<String> {
    let event = &stored.event;
    if !view().admits(event.visibility, event.secrecy) {
        return None;
    }
    let said = speech_of(event)?;
    let said = redactor.text(said.trim());
    let end = said.char_indices().nth(TEXT_CHARS_MAX).map_or(said.len(), |(end, _)| end);
    let text = said.get(..end).unwrap_or_default();
    text.chars().any(char::is_alphanumeric).then(|| text.to_owned())
}

/// Tells one text from another.
pub(crate) fn digest(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}
