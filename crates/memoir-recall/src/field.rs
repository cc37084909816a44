//! Everything that scores turn on: the words that were found, and who said what in which session.

use crate::sessions::SessionMap;
use crate::words::Found;
use memoir_event::Kind;
use memoir_index::{Brief, Doc, IndexError, Reading, Unit};
use memoir_journal::{Journal, JournalError};

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

/// Which shapes are of which kind, and whose voice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Voices {
    kinds: Vec<(u32, Kind)>,
    voices: Vec<Option<Voice>>,
}

impl Voices {
    /// Asks the journal for the numbers of its shapes.
    pub fn read(journal: &dyn Journal) -> Result<Voices, JournalError> {
        let kinds = journal.kinds()?;
        let mut voices = vec![None; kinds.last().map_or(0, |(shape, _)| *shape as usize + 1)];
        for (shape, kind) in &kinds {
            if let Some(slot) = voices.get_mut(*shape as usize) {
                *slot = voice_of(*kind);
            }
        }
        Ok(Voices { kinds, voices })
    }

    /// Whose voice a shape is.
    pub fn of(&self, shape: u32) -> Option<Voice> {
        self.voices.get(shape as usize).copied().flatten()
    }

    /// The shapes that are somebody's voice, sorted.
    pub fn shapes(&self) -> Vec<u32> {
        self.shapes_of(|kind| voice_of(kind).is_some())
    }

    /// The shapes of some kinds, sorted.
    pub fn shapes_of(&self, wanted: impl Fn(Kind) -> bool) -> Vec<u32> {
        self.kinds.iter().filter(|(_, kind)| wanted(*kind)).map(|(shape, _)| *shape).collect()
    }
}

/// Whose voice a kind is; none for what does not count.
const fn voice_of(kind: Kind) -> Option<Voice> {
    match kind {
        Kind::UserMessage => Some(Voice::User),
        Kind::AssistantMessage => Some(Voice::Agent),
        Kind::Reasoning => Some(Voice::Thinking),
        Kind::Command | Kind::SessionSummary | Kind::Telling => Some(Voice::Note),
        Kind::Memory => Some(Voice::Memory),
        _ => None,
    }
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
        self.place_of(brief.shape, brief.origin)
    }

    /// The same, by shape and origin.
    pub fn place_of(&self, shape: u32, origin: u32) -> Option<(Voice, u32)> {
        let voice = self.voices.of(shape).filter(|voice| *voice != Voice::Memory)?;
        Some((voice, self.sessions.of(origin)?))
    }

    /// The units of a session in their order.
    pub fn units_of(&self, session: u32) -> Result<Vec<Spoken>, IndexError> {
        let mut spoken: Vec<Spoken> = Vec::new();
        for origin in self.sessions.origins(session) {
            for doc in self.reading.units_of(origin)? {
                let Some(unit) = self.reading.unit(doc) else { continue };
                let Some(voice) = self.voices.of(unit.shape).filter(|voice| *voice != Voice::Memory) else { continue };
                spoken.push(Spoken { doc, unit, voice, session });
            }
        }
        spoken.sort_by_key(|spoken| (spoken.unit.ts_ms, spoken.unit.seq));
        Ok(spoken)
    }
}
