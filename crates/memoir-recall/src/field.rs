//! Everything that scores turn on: the words that were found, and who said what in which session.

use crate::sessions::SessionMap;
use crate::words::Found;
use memoir_event::Kind;
use memoir_index::{Brief, Doc, IndexError, Reading, Unit};
use memoir_journal::{Filter, Journal, JournalError, View};

/// Who speaks in a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    User,
    Agent,
    Thinking,
    /// Commit messages, summaries.
    Note,
    /// Not a part of a conversation.
    Memory,
}

/// Which shapes are whose voice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Voices(Vec<Option<Voice>>);

impl Voices {
    /// The kinds that count, and whose voice they are.
    const SPOKEN: [(Kind, Voice); 7] = [
        (Kind::UserMessage, Voice::User),
        (Kind::AssistantMessage, Voice::Agent),
        (Kind::Reasoning, Voice::Thinking),
        (Kind::Command, Voice::Note),
        (Kind::SessionSummary, Voice::Note),
        (Kind::Archive, Voice::Note),
        (Kind::Memory, Voice::Memory),
    ];

    /// Asks the journal for the numbers of its shapes.
    pub fn read(journal: &dyn Journal) -> Result<Voices, JournalError> {
        let mut voices = Voices::default();
        for (kind, voice) in Voices::SPOKEN {
            for shape in shapes_of(journal, kind)? {
                let at = shape as usize;
                if voices.0.len() <= at {
                    voices.0.resize(at + 1, None);
                }
                if let Some(slot) = voices.0.get_mut(at) {
                    *slot = Some(voice);
                }
            }
        }
        Ok(voices)
    }

    /// Whose voice a shape is.
    pub fn of(&self, shape: u32) -> Option<Voice> {
        self.0.get(shape as usize).copied().flatten()
    }

    /// The shapes that are somebody's voice, sorted.
    pub fn shapes(&self) -> Vec<u32> {
        (0..).zip(&self.0).filter(|(_, voice)| voice.is_some()).map(|(shape, _)| shape).collect()
    }
}

/// The numbers of the shapes of a kind.
pub(crate) fn shapes_of(journal: &dyn Journal, kind: Kind) -> Result<Vec<u32>, JournalError> {
    let filter = Filter { event_type: Some(kind.as_str().to_owned()), ..Filter::default() };
    Ok(journal.select(&filter, &View::owner_all())?.shapes.unwrap_or_default())
}

/// A unit and who speaks in it, in which session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spoken {
    pub doc: Doc,
    pub unit: Unit,
    pub voice: Voice,
    pub session: u32,
}

/// What was found, and where.
pub(crate) struct Field<'a> {
    pub reading: &'a Reading,
    pub sessions: &'a SessionMap,
    pub voices: &'a Voices,
    pub found: Vec<Found>,
    pub pairs: Vec<Found>,
    /// How many stems a unit has on the average.
    pub mean_len: f32,
}

impl Field<'_> {
    /// Who speaks in a unit and in which session; none if it is no part of a conversation.
    pub fn place(&self, brief: Brief) -> Option<(Voice, u32)> {
        let voice = self.voices.of(brief.shape).filter(|voice| *voice != Voice::Memory)?;
        Some((voice, self.sessions.of(brief.origin)?))
    }

    /// The units of a session in their order.
    pub fn units_of(&self, session: u32) -> Result<Vec<Spoken>, IndexError> {
        let mut spoken: Vec<Spoken> = Vec::new();
        for origin in self.sessions.origins(session) {
            for doc in self.reading.units_of(*origin)? {
                let Some(unit) = self.reading.unit(doc) else { continue };
                let Some(voice) = self.voices.of(unit.shape).filter(|voice| *voice != Voice::Memory) else { continue };
                spoken.push(Spoken { doc, unit, voice, session });
            }
        }
        spoken.sort_by_key(|spoken| (spoken.unit.ts_ms, spoken.unit.seq));
        Ok(spoken)
    }
}
