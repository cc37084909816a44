//! The sessions, files and searches that OpenViking's clients ask for, out of a journal.
//!
//! Owns what their messages become, how what they send again is told from what is new, and how `viking://` addresses
//! lie over sessions, archives and memories. Plain synchronous code: whoever serves it brings the requests. Must not know
//! who may call.

mod align;
mod append;
mod change;
mod content;
mod context;
mod fault;
mod grep;
mod ledger;
mod memories;
mod message;
mod moving;
mod past;
mod sealing;
mod search;
mod session;
mod sessions;
mod state;
mod tokens;
mod tree;
mod uri;

pub use append::Appended;
pub use change::{Reach, Write};
pub use content::{Lines, Writing};
pub use context::TOKENS_DEFAULT;
pub use fault::Fault;
pub use grep::{Glob, Grep};
pub use memories::Reader;
pub use message::{MESSAGES_MAX, Message, check_peer, read_batch, read_message};
pub use search::{Search, Way};
pub use session::{SESSION_ID_BYTES_MAX, Spoken};
pub use sessions::Making;
pub use tree::{Depth, Form, ROWS_MAX, Rows};

pub(crate) use append::UNKNOWN_PROJECT;

use memoir_index::Index;
use memoir_journal::{Audience, Clock, Journal, View};
use memoir_recall::{Blocked, Recall, Withheld};
use memoir_record::Policy;
use memoir_redact::Redactor;
use std::sync::{Arc, Mutex};

/// What readers of this API see.
pub(crate) const VIEW: View = View::of(Audience::Recall);

/// The one user whose memory this is.
pub const USER: &str = "default";

/// So many sessions can be written to at once.
const LOCKS: usize = 64;

/// Tells whether nothing may be recorded now.
pub type Paused = Arc<dyn Fn() -> bool + Send + Sync>;

/// The API over one journal.
pub struct Openviking {
    journal: Arc<dyn Journal>,
    redactor: Arc<Redactor>,
    index: Arc<Index>,
    recall: Arc<Recall>,
    policy: Policy,
    blocked: Blocked,
    is_paused: Paused,
    owner: String,
    clock: Clock,
    locks: [Mutex<()>; LOCKS],
    /// What is moved is looked for and told anew by one at a time.
    moving: Mutex<()>,
    ledger: ledger::Ledger,
    pasts: past::Pasts,
}

/// What the API works with.
pub struct Parts {
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// The rules that take secrets out of what comes in.
    pub redactor: Arc<Redactor>,
    /// The full-text index.
    pub index: Arc<Index>,
    /// Answers questions.
    pub recall: Arc<Recall>,
    /// What is not to be recorded.
    pub policy: Policy,
    /// What is never handed out.
    pub blocked: Blocked,
    /// Whether nothing may be recorded now: the user may want a pause at any moment.
    pub is_paused: Paused,
    /// Who works: its name on leases.
    pub owner: String,
    /// Tells the time.
    pub clock: Clock,
}

impl Openviking {
    /// The API over a journal.
    pub fn new(parts: Parts) -> Openviking {
        let Parts { journal, redactor, index, recall, policy, blocked, is_paused, owner, clock } = parts;
        let locks = std::array::from_fn(|_| Mutex::default());
        let (ledger, pasts) = (ledger::Ledger::default(), past::Pasts::default());
        let moving = Mutex::default();
        Openviking {
            journal,
            redactor,
            index,
            recall,
            policy,
            blocked,
            is_paused,
            owner,
            clock,
            locks,
            moving,
            ledger,
            pasts,
        }
    }

    /// The journal as it is handed out.
    pub(crate) fn shown(&self) -> Withheld<'_> {
        Withheld::new(&*self.journal, &self.blocked)
    }
}
