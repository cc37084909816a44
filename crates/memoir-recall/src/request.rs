//! What is asked of recall, and what it answers.

use crate::weights::Signal;
use jiff::tz::TimeZone;
use memoir_event::{Client, EventId, Kind, Memory, Source, Speaker};
use memoir_index::Note;
use memoir_journal::{Filter, Seq, StoredEvent, View};

/// How much an answer may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Effort {
    /// Every word counts.
    #[default]
    Full,
    /// Of a long query only the words that tell most: somebody waits, and did not even ask.
    Small,
}

/// A session that another began as a copy of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// As people see it.
    pub session: String,
    /// Up to and including that moment.
    pub until_ms: i64,
}

/// What somebody is about to do, and what they may be told.
#[derive(Debug, Clone)]
pub struct Request {
    /// What it is about, in anybody's words.
    pub query: String,
    /// Only from there; its project is asked for by `projects`.
    pub filter: Filter,
    /// Only from these projects, and what holds for the user everywhere; none means all.
    pub projects: Vec<String>,
    /// The project that the reader is in: what is from there counts more.
    pub here: Option<String>,
    /// Files that the reader is at: sessions that changed them count more.
    pub files: Vec<String>,
    /// Not from this session, in which the question is asked: it knows what was said in it.
    pub not_session: Option<String>,
    /// But what was said in it before that moment may come: it was dropped from the conversation.
    pub dropped_before_ms: Option<i64>,
    /// The asking session began as a copy of these: what was said in them by then is in it, too.
    pub copied: Vec<Copied>,
    /// Whether what says no more than the query itself is left out: somebody asked the same before.
    pub leaves_out_echoes: bool,
    /// Whether, where one session is asked about and nothing in it fits, the best of what it says is told.
    pub tells_session: bool,
    /// Who reads.
    pub view: View,
    /// At most so many blocks.
    pub limit: usize,
    /// At most so many tokens altogether; none means as many as it takes.
    pub budget_tokens: Option<usize>,
    /// Nothing that is less likely to help.
    pub min_confidence: f32,
    /// Kinds that are never handed out.
    pub blocked_kinds: Vec<Kind>,
    /// Sources that are never handed out.
    pub blocked_sources: Vec<Source>,
    /// How much it may cost.
    pub effort: Effort,
    /// What "yesterday" is told from; 0 if nobody knows.
    pub now_ms: i64,
    /// Where the reader's days begin.
    pub zone: TimeZone,
}

impl Request {
    /// Whether the reader has an event before them.
    pub(crate) fn has_said(&self, stored: &StoredEvent) -> bool {
        let event = &stored.event;
        self.has_before_it(&Client::shown_session(event.client, &event.session), stored.ts_ms)
    }

    /// Whether what that session said then stands in the conversation that asks. Either form of its id will do.
    pub(crate) fn has_before_it(&self, session: &str, ts_ms: i64) -> bool {
        let (_, id) = Client::split_session(session);
        let is_named = |name: &str| name == session || name == id || Client::split_session(name).1 == session;
        let is_copied = |copied: &Copied| is_named(&copied.session) && ts_ms <= copied.until_ms;
        let is_said = self.not_session.as_deref().is_some_and(is_named) || self.copied.iter().any(is_copied);
        is_said && self.dropped_before_ms.is_none_or(|before_ms| ts_ms >= before_ms)
    }

    /// So many blocks are given unless somebody asks for another number.
    pub const LIMIT: usize = 8;
    /// So many tokens they take at most.
    pub const BUDGET_TOKENS: usize = 1200;

    /// A request with the usual limits.
    pub fn new(query: &str, view: View, now_ms: i64) -> Request {
        Request {
            query: query.to_owned(),
            filter: Filter::default(),
            projects: Vec::new(),
            here: None,
            files: Vec::new(),
            not_session: None,
            dropped_before_ms: None,
            copied: Vec::new(),
            leaves_out_echoes: false,
            tells_session: false,
            view,
            limit: Request::LIMIT,
            budget_tokens: Some(Request::BUDGET_TOKENS),
            min_confidence: crate::confidence::ENOUGH,
            blocked_kinds: Vec::new(),
            blocked_sources: Vec::new(),
            effort: Effort::Full,
            now_ms,
            zone: TimeZone::UTC,
        }
    }
}

/// Something from the past that helps, and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The event's place.
    pub seq: Seq,
    /// Its id; of a memory, the memory's.
    pub event_id: EventId,
    /// The memory, if it is one.
    pub memory: Option<Memory>,
    /// The client.
    pub client: Option<Client>,
    /// The client's own session id.
    pub session: String,
    /// The turn, where the client names one.
    pub turn: Option<String>,
    /// What the agent did, where the client names it.
    pub action: Option<String>,
    /// The project.
    pub repo: String,
    /// What that is called for people, if it is another than the one that the reader is in.
    pub project: Option<String>,
    /// Who did it.
    pub actor: Option<String>,
    /// When it was said.
    pub ts_ms: i64,
    /// What it is.
    pub kind: Kind,
    /// How it was captured.
    pub source: Source,
    /// Who said it.
    pub speaker: Speaker,
    /// How well it fits; comparable within one answer.
    pub score: f32,
    /// How likely it is that it helps, from 0 to 1.
    pub confidence: f32,
    /// The passage that matched, fit to be shown.
    pub text: String,
    /// Whether the source is longer.
    pub cut: bool,
    /// What each signal added to the score.
    pub signals: Vec<(Signal, f32)>,
    /// Others that say the same.
    pub same: Vec<EventId>,
    /// Whether it is from another project than the one that the reader is in.
    pub elsewhere: bool,
    /// What took its place, where history is shown.
    pub superseded_by: Option<EventId>,
}

/// A session that fits.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionBlock {
    /// The client.
    pub client: Option<Client>,
    /// The client's own session id.
    pub session: String,
    /// How well it fits.
    pub score: f32,
    /// What each signal added.
    pub signals: Vec<(Signal, f32)>,
}

/// What recall found.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The blocks, the best first.
    pub blocks: Vec<Block>,
    /// The sessions that fit, the best first.
    pub sessions: Vec<SessionBlock>,
    /// How many further blocks were left out because they were not good enough, said the same, or did not fit.
    pub left_out: usize,
    /// About how many tokens the blocks take.
    pub tokens: usize,
    /// What the reader should know about this answer.
    pub notes: Vec<Note>,
}
