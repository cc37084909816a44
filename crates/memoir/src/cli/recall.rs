//! How things come back and go for good: the flags of recall, memories and forgetting.

use super::find::{FilterArgs, ViewArgs};
use clap::{Args, Subcommand, ValueEnum};
use memoir_event::{MemoryKind, MemoryStatus};
use std::path::PathBuf;

/// Recalls.
#[derive(Args)]
#[command(after_help = "\
Nothing is printed where nothing helps. What is from the project that you are in
counts more; --project . keeps to it.

Examples:
  memoir recall how do we deploy the staging server
  memoir recall 'flaky login test' --project . --budget 600
  memoir recall 'what broke yesterday' --explain")]
pub struct RecallArgs {
    /// What it is about, in your own words
    #[arg(required = true, num_args = 1..)]
    pub query: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// A file that you are at: sessions that changed it count more; may be given several times
    #[arg(long = "file", value_name = "PATH")]
    pub files: Vec<String>,
    /// At most so many blocks
    #[arg(long, default_value_t = memoir_recall::Request::LIMIT, value_name = "N")]
    pub limit: usize,
    /// At most about so many tokens
    #[arg(long, default_value_t = memoir_recall::Request::BUDGET_TOKENS, value_name = "TOKENS")]
    pub budget: usize,
    /// Only what helps with at least this probability, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub min_confidence: Option<f32>,
    /// Say for each block what each signal added
    #[arg(long)]
    pub explain: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Asks.
#[derive(Args)]
#[command(after_help = "\
Prints the evidence, session by session. If a model is configured (model.url and
model.name), it is sent the question and that evidence, and its answer stands
above; it cites the evidence by number. Nothing that is secret, private or
sealed is sent, and nothing goes anywhere else. Where the model is down, there
is the evidence, and a line that says why there is no answer.

Examples:
  memoir ask 'what changed in authentication?' --session cx-019a0c41
  memoir ask 'why did we drop redis?' --project . --since 90d")]
pub struct AskArgs {
    /// The question
    #[arg(required = true, num_args = 1..)]
    pub question: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many pieces of evidence
    #[arg(long, default_value_t = 16, value_name = "N")]
    pub limit: usize,
    /// At most about so many tokens of evidence
    #[arg(long, default_value_t = 3000, value_name = "TOKENS")]
    pub budget: usize,
    /// Only the evidence, whatever is configured
    #[arg(long)]
    pub no_model: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Makes vectors.
#[derive(Args)]
#[command(after_help = "\
Needs an embedding model, anything that speaks OpenAI's /embeddings. What was
said is sent there, but nothing secret, private, sealed or forgotten; what is
done is kept, and the next run goes on. `memoir serve` does the same by itself.

Examples:
  memoir config set embeddings.url http://127.0.0.1:11434/v1
  memoir config set embeddings.model nomic-embed-text
  memoir embed")]
pub struct EmbedArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Keeps a memory.
#[derive(Args)]
#[command(after_help = "\
Said again, a memory counts the more. A newer statement about the same thing
takes the place of the older one; --history shows both.

Examples:
  memoir remember 'deploys go through ./ship, never kubectl' --kind procedure
  memoir remember 'we moved from npm to pnpm' --kind decision
  memoir remember 'answer in short sentences' --user --kind preference --pin")]
pub struct RememberArgs {
    /// What is worth knowing
    #[arg(required = true, num_args = 1..)]
    pub text: Vec<String>,
    /// What it is
    #[arg(long, value_name = "KIND", default_value = "fact", value_parser = kind)]
    pub kind: MemoryKind,
    /// The project it holds in (`.` or nothing: the one you are in, unless it is about you: `I work at …`)
    #[arg(long, value_name = "ID", conflicts_with_all = ["user", "session"])]
    pub project: Option<String>,
    /// It holds wherever you work
    #[arg(long)]
    pub user: bool,
    /// It holds in one session only
    #[arg(long, value_name = "ID", conflicts_with = "user")]
    pub session: Option<String>,
    /// What it is called; a memory of the same name is replaced
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// What else it is called; may be given several times
    #[arg(long = "alias", value_name = "NAME")]
    pub aliases: Vec<String>,
    /// Keep it always at hand
    #[arg(long)]
    pub pin: bool,
    /// A memory whose place it takes; may be given several times
    #[arg(long, value_name = "ID")]
    pub supersedes: Vec<String>,
    /// An event that it is made of; forgotten with its last one; may be given several times
    #[arg(long = "source", value_name = "EVENT")]
    pub sources: Vec<String>,
    /// Never hand it out but to you with --secret
    #[arg(long)]
    pub secret: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

fn kind(text: &str) -> Result<MemoryKind, String> {
    MemoryKind::parse(text).ok_or_else(|| {
        let known: Vec<&str> = MemoryKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("known are {}", known.join(", "))
    })
}

/// Lists and changes memories.
#[derive(Args)]
#[command(after_help = "\
Examples:
  memoir memories --project .
  memoir memories --review                      # then: memory approve, edit or reject
  memoir memories import notes.json
  memoir memories set 5f2c… --pin
  memoir memories --json > memories.jsonl       # and back: memories import")]
pub struct MemoriesArgs {
    #[command(subcommand)]
    pub action: Option<MemoriesAction>,
    /// Only of this project (`.` is the one you are in), and those for the user
    #[arg(long, visible_alias = "repo", value_name = "ID")]
    pub project: Option<String>,
    /// Only of this kind
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub kind: Option<MemoryKind>,
    /// Only those kept at hand
    #[arg(long)]
    pub pinned: bool,
    /// Only those that `memoir dream` made and nobody has looked at yet
    #[arg(long)]
    pub review: bool,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub limit: usize,
    /// One JSON object to a line
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum MemoriesAction {
    /// Take memories in from a file: a JSON array, or one JSON object to a line
    Import {
        /// The file; - is standard input
        file: PathBuf,
        /// For memories that name no project (`.` or nothing: the one you are in)
        #[arg(long, value_name = "ID")]
        project: Option<String>,
        /// Only say what is in it
        #[arg(long)]
        dry_run: bool,
    },
    /// Change what a memory knows of itself
    Set {
        /// The memory
        id: String,
        /// Keep it always at hand
        #[arg(long, conflicts_with = "unpin")]
        pin: bool,
        /// No longer keep it at hand
        #[arg(long)]
        unpin: bool,
        /// How far it holds
        #[arg(long, value_enum)]
        status: Option<StatusName>,
        /// What it is called
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// What else it is called; may be given several times
        #[arg(long = "alias", value_name = "NAME")]
        aliases: Vec<String>,
    },
}

/// Shows and changes single memories.
#[derive(Args)]
#[command(after_help = "\
What you change or approve stays as you leave it; what you reject is forgotten,
also when a session or a file says it again; `memoir remember` makes it anew.

Examples:
  memoir memories --review
  memoir memory show 5f2c…
  memoir memory approve 5f2c… 81aa…
  memoir memory edit 5f2c… --text 'deploys go through ./ship' --kind procedure
  memoir memory merge 5f2c… 81aa…          # the first one stays")]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub action: MemoryAction,
    /// As JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum MemoryAction {
    /// Show a memory: which rule made it from which events, what it said before, and what it took the place of
    Show {
        /// The memory
        id: String,
        /// Also a secret one
        #[arg(long)]
        secret: bool,
        /// Also private scratch
        #[arg(long)]
        private: bool,
        /// Also a sealed one
        #[arg(long)]
        sealed: bool,
    },
    /// Say it in other words, or as something else
    Edit {
        /// The memory
        id: String,
        /// What it says
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// What it is
        #[arg(long, value_name = "KIND", value_parser = kind)]
        kind: Option<MemoryKind>,
        /// What it is called
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// What else it is called; may be given several times
        #[arg(long = "alias", value_name = "NAME")]
        aliases: Vec<String>,
        /// How far it holds
        #[arg(long, value_enum)]
        status: Option<StatusName>,
    },
    /// Keep memories always at hand
    Pin {
        /// The memories
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// No longer keep memories at hand
    Unpin {
        /// The memories
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Say that memories are right
    Approve {
        /// The memories
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Forget memories; what they took the place of holds again
    Reject {
        /// The memories
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Make one of several: the first one stays and takes the place of the others
    Merge {
        /// The memories
        #[arg(required = true, num_args = 2.., value_name = "ID")]
        ids: Vec<String>,
    },
}

/// Dreams.
#[derive(Args)]
#[command(after_help = "\
Rules read what was committed and keep what is worth knowing: what you asked to
be remembered, decided, prefer; commands that worked, failures and what mended
them. No model is asked. What is secret, private or sealed is only counted.
It runs by itself beside other commands and in `memoir serve`; killed at any
moment, the next one goes on.

Examples:
  memoir dream
  memoir dream --session cx-0193 --dry-run --explain
  memoir dream --again                       # everything anew, after an upgrade")]
pub struct DreamArgs {
    /// Only one session: its id with or without the prefix, or how that begins
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Show which rule made what from which event, and what was left out
    #[arg(long)]
    pub explain: bool,
    /// Dream everything anew: what no rule makes any more is retired; what you changed stays
    #[arg(long, conflicts_with = "session")]
    pub again: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatusName {
    /// It holds
    Active,
    /// It is being tried or weighed
    Exploratory,
    /// It was concluded, nobody said it
    Inferred,
    /// It is settled, and no longer handed out
    Resolved,
}

impl StatusName {
    pub const fn status(self) -> MemoryStatus {
        match self {
            StatusName::Active => MemoryStatus::Active,
            StatusName::Exploratory => MemoryStatus::Exploratory,
            StatusName::Inferred => MemoryStatus::Inferred,
            StatusName::Resolved => MemoryStatus::Resolved,
        }
    }
}

/// What is to be forgotten.
#[derive(Args, Clone, Default)]
pub struct UnwantedArgs {
    /// Events, turns or memories, by their ids; beside turns, --session says whose
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// A session: its id with or without the prefix, or how that begins
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// A project (`.` is the one you are in)
    #[arg(long, visible_alias = "repo", value_name = "ID")]
    pub project: Option<String>,
    /// A contributor
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Whatever says this; capitals, accents, widths and blanks do not matter
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// Only from this time on: 2026-01-31T12:00:00Z, 2026-01-31, or 30m, 12h, 7d ago
    #[arg(long, visible_alias = "since", value_name = "TIME")]
    pub from: Option<String>,
    /// Only what happened before this time; a date is its first moment
    #[arg(long, value_name = "TIME")]
    pub before: Option<String>,
    /// Say what it would take, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Why; shown by `memoir forgotten`
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Do not ask
    #[arg(long, short = 'y')]
    pub yes: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Forgets.
#[derive(Args)]
#[command(after_help = "\
What is forgotten is never shown, searched, recalled or imported again. The
journal keeps it, so that it can be undone; `memoir purge` erases it.

Examples:
  memoir forget 5f2c9a0b7e1d4c3a8b6f0e12
  memoir forget 3 --session cx-019a0c41         # its turn 3
  memoir forget --session cx-019a0c41 --reason 'wrong account'
  memoir forget --text 'acme merger' --dry-run
  memoir forget --undo f-3b9d1c20")]
pub struct ForgetArgs {
    #[command(flatten)]
    pub unwanted: UnwantedArgs,
    /// Take a forgetting back, by its name in `memoir forgotten`
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ids", "session", "project", "actor", "text", "from", "before", "dry_run"])]
    pub undo: Option<String>,
}

/// Forgets and erases.
#[derive(Args)]
#[command(after_help = "\
Forgets, and erases the text from the journal, its log and the index. There is
no way back. The hash of each record stays, so that `memoir verify` still proves
the rest. It says which backups, mirrors and servers it cannot reach.

Without anything to choose by, it finishes purges that were interrupted.

Examples:
  memoir purge --session cx-019a0c41
  memoir purge f-3b9d1c20                       # what was forgotten under that name
  memoir purge")]
pub struct PurgeArgs {
    #[command(flatten)]
    pub unwanted: UnwantedArgs,
}

/// Tells where something is from.
#[derive(Args)]
#[command(after_help = "\
Examples:
  memoir why 5f2c9a0b7e1d4c3a8b6f0e12
  memoir why 5f2c9a0b7e1d4c3a8b6f0e12 --for 'how do we deploy'")]
pub struct WhyArgs {
    /// An event or a memory
    pub id: String,
    /// Say why it is ranked where it is for this query
    #[arg(long = "for", value_name = "QUERY")]
    pub query: Option<String>,
    #[command(flatten)]
    pub view: ViewArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
