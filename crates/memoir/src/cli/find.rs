//! How things are found and counted: the flags of reading.

use super::capture::ClientName;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What events must match.
#[derive(Args, Clone, Default)]
pub struct FilterArgs {
    /// Only this session: its id with or without the prefix (cx-, cc-, …), or how that begins
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this project; `.` is the one you are in
    #[arg(long, visible_alias = "project", value_name = "ID")]
    pub repo: Option<String>,
    /// Only this thread
    #[arg(long, value_name = "ID")]
    pub thread: Option<String>,
    /// Only this contributor
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Only from this time on: 2026-01-31T12:00:00Z, 2026-01-31, or 30m, 12h, 7d ago
    #[arg(long, visible_alias = "since", value_name = "TIME")]
    pub from: Option<String>,
    /// Only up to this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only this type, such as user_message or item.completed
    #[arg(long = "type", value_name = "TYPE")]
    pub event_type: Option<String>,
    /// Only this item type, such as agent_message
    #[arg(long, value_name = "TYPE")]
    pub item_type: Option<String>,
    /// Only what came in this way, such as recorder or http
    #[arg(long, value_name = "SOURCE")]
    pub source: Option<String>,
}

/// What to show beyond the usual.
#[derive(Args, Clone, Default)]
pub struct ViewArgs {
    /// Also secret events
    #[arg(long)]
    pub secret: bool,
    /// Also private scratch events
    #[arg(long)]
    pub private: bool,
    /// Also sealed events
    #[arg(long)]
    pub sealed: bool,
    /// Also what was superseded
    #[arg(long)]
    pub history: bool,
}

/// Finds events by their words.
#[derive(Args)]
#[command(after_help = "\
Queries: words (any of them, best first), \"a phrase\", -without, prefix*,
field:value (session, type, source, repo, actor, speaker, topic, turn, thread).
Punctuation is never an error: src/main.rs:42, --release, don't.

Examples:
  memoir search flaky login test
  memoir search '\"connection refused\" -retry' --from 7d
  memoir search 'session:demo deploy*' --json")]
pub struct SearchArgs {
    /// The query
    #[arg(required = true, num_args = 1..)]
    pub query: Vec<String>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub limit: usize,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

/// Lists events by time.
#[derive(Args)]
pub struct TimelineArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Only events with these words, as in `memoir search`
    #[arg(long, value_name = "QUERY")]
    pub text: Option<String>,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: usize,
    /// Begin with the oldest
    #[arg(long)]
    pub oldest_first: bool,
    /// Go on where an earlier page ended
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<String>,
    /// One envelope to a line
    #[arg(long)]
    pub json: bool,
}

/// Lists sessions.
#[derive(Args)]
pub struct SessionsArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Leave out so many of the latest
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub skip: usize,
    /// Only those that wait to be committed, and why
    #[arg(long)]
    pub pending: bool,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

/// Shows one event, or a session.
#[derive(Args)]
pub struct ShowArgs {
    /// An event id, a record UUID, or a session id
    pub id: String,
    #[command(flatten)]
    pub view: ViewArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Goes on with a session.
#[derive(Args)]
#[command(after_help = "\
Examples:
  memoir resume cx-019a0c41
  memoir resume cc-3f2b --run")]
pub struct ResumeArgs {
    /// The session's id, or how it begins
    pub session: String,
    /// Run the command, in the session's directory
    #[arg(long)]
    pub run: bool,
    /// As JSON
    #[arg(long, conflicts_with = "run")]
    pub json: bool,
}

/// Tells who changed a file.
#[derive(Args)]
#[command(after_help = "\
A path in this project finds the file wherever the project lies; the name of a
file that is not here finds every file of that name.

Examples:
  memoir file src/auth.rs
  memoir file src/auth.rs --from 30d --json")]
pub struct FileArgs {
    /// The file
    pub path: PathBuf,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// At most so many prompts
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

/// Counts.
#[derive(Args)]
#[command(after_help = "\
Cost is what clients tell. Where they tell none, your own prices count, in
dollars for a million tokens, in config.toml:
  [[stats.prices]]
  model = \"gpt-5*\"
  input = 1.25
  cached = 0.125
  output = 10.0")]
pub struct StatsArgs {
    /// Tell the figures apart
    #[arg(long, value_enum, value_name = "WHAT")]
    pub by: Option<StatsBy>,
    #[command(flatten)]
    pub filter: FilterArgs,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsBy {
    /// By project
    Project,
    /// By model
    Model,
    /// By day
    Day,
}

/// Compares files with the journal.
#[derive(Args)]
#[command(after_help = "\
Files count on the day of their first record, sessions on the day of their first
event.")]
pub struct CoverageArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// Only files and sessions with something since then: 2026-01-31, or 12h, 30d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

/// Lists and mends projects.
#[derive(Args)]
#[command(after_help = "\
A project is its git repository: by the address of its remote, or by its path
if it has none. All its worktrees are one project. What was recorded is never
changed; merge and split add an entry that says where it belongs.

Examples:
  memoir projects merge 5d41402abc4b owner/repo
  memoir projects split 5d41402abc4b                # undoes that merge
  memoir projects split cx-019a0c41 --to owner/other")]
pub struct ProjectsArgs {
    #[command(subcommand)]
    pub action: Option<ProjectsAction>,
    /// As JSON, one object to a line
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum ProjectsAction {
    /// From now on, what is recorded as project A belongs to project B
    Merge {
        /// The project that goes
        from: String,
        /// The project that stays
        to: String,
    },
    /// Take a merged project, or single sessions, out again
    Split {
        /// A project that was merged into another, or sessions
        #[arg(required = true)]
        what: Vec<String>,
        /// The project to which the sessions belong
        #[arg(long, value_name = "ID")]
        to: Option<String>,
    },
}
