//! The few numbers that ranking turns on, and the switches that a benchmark turns off.

use serde::{Deserialize, Serialize};

/// Something that moves a rank. Each can be seen with `--explain` and switched off in the benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// What it says itself: BM25 over stems.
    Words,
    /// What its neighbours say, where turns are short.
    Neighbours,
    /// Whether user, agent or thinking said it.
    Role,
    /// The answer's score, added to its question.
    Answer,
    /// The session around a unit, the best units of a session.
    Session,
    /// The best stretch of a session.
    Stretch,
    /// What users and thinking of a session say, counted once more.
    Voices,
    /// The query's own sense of time.
    Time,
    /// The speaker whom the query names.
    Speaker,
    /// Whether it asks or tells, speaks of itself, says when.
    Manner,
    /// Words of the query that follow each other.
    Pairs,
    /// How long ago it was.
    Recency,
    /// The project and the files that the reader is at.
    Place,
    /// What a memory is called.
    Name,
    /// How often a memory was said again, and whether it is pinned.
    Reinforced,
    /// What an embedding model finds alike.
    Meaning,
    /// Codes, paths and numbers, found as they are.
    Exact,
}

impl Signal {
    /// All of them.
    pub const ALL: [Signal; 17] = [
        Signal::Words,
        Signal::Neighbours,
        Signal::Role,
        Signal::Answer,
        Signal::Session,
        Signal::Stretch,
        Signal::Voices,
        Signal::Time,
        Signal::Speaker,
        Signal::Manner,
        Signal::Pairs,
        Signal::Recency,
        Signal::Place,
        Signal::Name,
        Signal::Reinforced,
        Signal::Meaning,
        Signal::Exact,
    ];

    /// Its name, as people type and read it.
    pub const fn name(self) -> &'static str {
        match self {
            Signal::Words => "words",
            Signal::Neighbours => "neighbours",
            Signal::Role => "role",
            Signal::Answer => "answer",
            Signal::Session => "session",
            Signal::Stretch => "stretch",
            Signal::Voices => "voices",
            Signal::Time => "time",
            Signal::Speaker => "speaker",
            Signal::Manner => "manner",
            Signal::Pairs => "pairs",
            Signal::Recency => "recency",
            Signal::Place => "place",
            Signal::Name => "name",
            Signal::Reinforced => "reinforced",
            Signal::Meaning => "meaning",
            Signal::Exact => "exact",
        }
    }
}

/// One set of numbers for every kind of conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Turns of so many stems and fewer are short; between short and long everything moves smoothly.
    pub short_stems: f32,
    /// BM25 of long units: how soon saying it again counts no more, and how much length counts.
    pub long_unit: [f32; 2],
    /// BM25 of short units.
    pub short_unit: [f32; 2],
    /// A unit that is longer than so many times the mean is judged by its best stretch of that length.
    pub long_length: f32,
    /// BM25 of sessions.
    pub session: [f32; 2],
    /// In sessions a word tells by how few sessions have it; this much of it by how few units do.
    pub session_unit_idf: f32,
    /// How much the words of the units before count, nearest first.
    pub before: [f32; 3],
    /// How much the words of the units after count, nearest first.
    pub after: [f32; 3],
    /// How much a user's long message counts against an agent's.
    pub user: f32,
    /// How much thinking counts.
    pub thinking: f32,
    /// How much of an answer's score its question gets.
    pub answer: f32,
    /// How much of its session's score a unit gets.
    pub session_in_unit: f32,
    /// How much of its best units' scores a session gets.
    pub units_in_session: f32,
    /// How much its best units together count against the best one.
    pub units_together: f32,
    /// How much words that follow each other count.
    pub pairs: f32,
    /// How much the best stretch of a session counts.
    pub stretch: f32,
    /// How long a stretch is, in stems.
    pub stretch_stems: u32,
    /// How much the user's words of a session count once more.
    pub user_voice: f32,
    /// How much its thinking counts once more.
    pub thinking_voice: f32,
    /// How much a session counts that fits the query's time, as a share of the best score.
    pub time: f32,
    /// How much the first or the last counts, as a share of the best score.
    pub end: f32,
    /// How much a session counts that is recent, as a share of the best score.
    pub recency: f32,
    /// After so many days it counts half.
    pub recency_days: f32,
    /// How much a session counts that is where the reader is, as a share of the best score.
    pub place: f32,
    /// How much a unit counts that the named speaker said, as a share of its own score.
    pub speaker: f32,
    /// How much a unit loses that only asks.
    pub asks: f32,
    /// How much a unit gains that says when, for a query that asks when.
    pub names_time: f32,
    /// How much a unit gains whose speaker speaks of themselves.
    pub first_person: f32,
    /// How much likeness by a model counts, as a share of the best score.
    pub meaning: f32,
    /// The signals that are switched off.
    pub off: Vec<Signal>,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            short_stems: 15.0,
            long_unit: [1.2, 0.85],
            short_unit: [0.4, 0.0],
            long_length: 4.0,
            session: [3.0, 0.8],
            session_unit_idf: 0.4,
            before: [0.3, 0.15, 0.08],
            after: [0.15, 0.08, 0.04],
            user: 2.2,
            thinking: 0.3,
            answer: 0.4,
            session_in_unit: 0.35,
            units_in_session: 0.4,
            units_together: 0.6,
            pairs: 0.2,
            stretch: 0.8,
            stretch_stems: 120,
            user_voice: 0.2,
            thinking_voice: 0.3,
            time: 1.0,
            end: 0.4,
            recency: 0.4,
            recency_days: 7.0,
            place: 0.5,
            speaker: 0.2,
            asks: 0.3,
            names_time: 0.6,
            first_person: 0.2,
            meaning: 0.2,
            off: Vec::new(),
        }
    }
}

impl Weights {
    /// Whether a signal counts.
    pub fn has(&self, signal: Signal) -> bool {
        !self.off.contains(&signal)
    }

    /// The weight, or nothing if its signal is off.
    pub fn of(&self, signal: Signal, weight: f32) -> f32 {
        if self.has(signal) { weight } else { 0.0 }
    }

    /// Plain BM25: words alone.
    pub fn plain() -> Weights {
        let off = Signal::ALL.into_iter().filter(|signal| *signal != Signal::Words).collect();
        let usual = [1.2, 0.75];
        Weights {
            long_unit: usual,
            short_unit: usual,
            long_length: f32::MAX,
            session: usual,
            session_unit_idf: 0.0,
            off,
            ..Weights::default()
        }
    }
}
