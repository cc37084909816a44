//! The rules: what of a conversation is worth knowing later, and what the user wishes done about it.
//!
//! Each rule has a name that `--explain` shows. Rules read words and outcomes, never a model, and hold for any subject:
//! what the user says counts above what the agent says, and that above what a tool says. What a tool or a page tells
//! the agent to do is never a rule's matter.

mod agent;
mod back;
mod changes;
mod doubt;
mod facts;
mod forget;
mod goals;
mod habits;
mod headings;
mod leads;
mod matter;
mod named;
mod occasion;
mod pasted;
mod scope;
mod sentences;
mod standing;
mod stated;
mod states;
mod things;
mod told;
mod user;
mod wishes;
mod words;
mod work;

pub(crate) use agent::heard_from_agent;
pub(crate) use facts::TROUBLE;
pub(crate) use forget::{Sought, Unwanted};
pub(crate) use headings::split_heading;
pub(crate) use leads::without_leads;
pub use scope::is_of_self;
pub(crate) use sentences::{Sentence, own_sentences};
pub(crate) use told::Told;
pub(crate) use user::{Heard, heard, heard_after};
pub(crate) use wishes::asks_to_keep;
pub(crate) use words::{begins, find, has};
pub(crate) use work::{Turn, Work, derive_from_work, worth_naming};

use memoir_event::{EventId, MemoryKind, Secrecy};
use std::fmt;

/// What made a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// The user said: remember, keep in mind, don't forget.
    Remember,
    /// The user said: from now on, going forward.
    FromNowOn,
    /// The user corrected or updated something.
    Update,
    /// The user says what may be a change: it is one if something is known that it changes.
    Correction,
    /// The user said that something still holds.
    Confirm,
    /// The user decided something.
    Decision,
    /// The user said: never, always, don't.
    Always,
    /// The user likes something done in a way.
    Preference,
    /// How things are done here, in the user's words.
    Convention,
    /// What something may be used for, in the user's words.
    Limit,
    /// The user stated something under a heading: `Procedure: …`, `Outcome: …`.
    Note,
    /// The user told of what they have and are.
    Fact,
    /// The user said by the way how something is.
    State,
    /// The user said who somebody is or who sees to something.
    Person,
    /// The user left something open.
    Open,
    /// The agent decided something and said why.
    AgentDecision,
    /// The agent left something open at the end.
    AgentOpen,
    /// A command failed, something was changed, and it worked.
    Fix,
    /// A command worked for what the user asked for.
    Procedure,
    /// A file that was changed again and again.
    File,
    /// What was asked for and what came of it.
    Episode,
}

/// Every rule and its name.
const NAMES: [(Rule, &str); 21] = [
    (Rule::Remember, "remember"),
    (Rule::FromNowOn, "from_now_on"),
    (Rule::Update, "update"),
    (Rule::Correction, "correction"),
    (Rule::Confirm, "confirm"),
    (Rule::Decision, "decision"),
    (Rule::Always, "always"),
    (Rule::Preference, "preference"),
    (Rule::Convention, "convention"),
    (Rule::Limit, "limit"),
    (Rule::Note, "note"),
    (Rule::Fact, "fact"),
    (Rule::State, "state"),
    (Rule::Person, "person"),
    (Rule::Open, "open"),
    (Rule::AgentDecision, "agent_decision"),
    (Rule::AgentOpen, "agent_open"),
    (Rule::Fix, "fix"),
    (Rule::Procedure, "procedure"),
    (Rule::File, "file"),
    (Rule::Episode, "episode"),
];

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Rule {
    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(rule, _)| *rule == self).map_or("", |(_, name)| name)
    }

    /// What `made_by` says of a memory that a rule made.
    pub fn made_by(self) -> String {
        format!("{MADE_BY}{self}")
    }

    /// The rule that made a memory, if one did.
    pub fn of(made_by: Option<&str>) -> Option<Rule> {
        let name = made_by?.strip_prefix(MADE_BY)?;
        NAMES.iter().find(|(_, known)| *known == name).map(|(rule, _)| *rule)
    }

    /// How much its word counts.
    pub(crate) const fn voice(self) -> Voice {
        match self {
            Rule::AgentDecision | Rule::AgentOpen => Voice::Agent,
            Rule::Fix | Rule::Procedure | Rule::File | Rule::Episode => Voice::Work,
            _ => Voice::User,
        }
    }

    /// Whether the user asked for it to be kept: then it is, whatever it says.
    pub(crate) const fn is_wish(self) -> bool {
        matches!(self, Rule::Remember | Rule::FromNowOn)
    }

    /// How sure it is.
    pub(crate) const fn confidence(self) -> f32 {
        match self {
            Rule::Remember => 0.95,
            Rule::FromNowOn | Rule::Update => 0.9,
            Rule::Correction | Rule::Decision | Rule::Confirm | Rule::Limit => 0.85,
            Rule::Always | Rule::Preference | Rule::Note => 0.8,
            Rule::Convention | Rule::Person => 0.75,
            Rule::Fact => 0.7,
            Rule::Fix | Rule::Open | Rule::State => 0.6,
            Rule::Procedure | Rule::Episode => 0.5,
            Rule::AgentDecision | Rule::AgentOpen => 0.45,
            Rule::File => 0.4,
        }
    }
}

const MADE_BY: &str = "dream:";

/// Whose word it is, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Voice {
    /// What was run and changed.
    Work,
    /// The agent.
    Agent,
    /// The user.
    User,
}

/// How far what was said holds, as far as it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    User,
    Project,
    Session,
}

/// Something that a rule found worth knowing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Derived {
    pub rule: Rule,
    pub kind: MemoryKind,
    pub text: String,
    /// What it is called, where the rule knows.
    pub name: Option<String>,
    /// What it is about, where that is not what it says: a newer one about the same takes its place.
    pub about: Option<String>,
    pub reach: Reach,
    pub ts_ms: i64,
    pub secrecy: Secrecy,
    pub sources: Vec<EventId>,
}
