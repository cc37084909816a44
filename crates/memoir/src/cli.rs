//! Every command and flag, with help that is enough to work without the documents.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// The memory of coding agents: records what they do, takes secrets out, keeps it for good, finds it again.
#[derive(Parser)]
#[command(name = "memoir", version, propagate_version = true, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
First steps:
  memoir demo                  see the main job in a throw-away home
  memoir init                  install hooks and import what your agents have on disk
  memoir search WORDS          find them again
  memoir doctor                check that everything is in order

Everything is kept in ~/.memoir (MEMOIR_HOME), readable only by you.
No server, model or network is needed.

Exit codes: 0 done; 1 failed, or part of the input was refused;
2 wrong usage or settings; of `memoir exec`, those of the client.")]
pub struct Cli {
    /// The directory that holds the journal (else MEMOIR_HOME, else ~/.memoir)
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Install hooks into your agents and import their history
    Init(InitArgs),
    /// Take the hooks out again, and leave every file as it was
    Uninstall(UninstallArgs),
    /// Write a hook script for Codex into one project, and touch no settings
    InstallHook(InstallHookArgs),
    /// Read capture events, one JSON object to a line, and record them
    Ingest(IngestArgs),
    /// What installed hooks run: reads a payload, records it, answers the client
    Hook(HookArgs),
    /// Import what agents have on disk; again: only what is new
    Import(ImportArgs),
    /// Run an agent, watch it live, and have everything recorded
    Exec(ExecArgs),
    /// Follow session files as agents write them, without hooks
    Watch(WatchArgs),
    /// Record nothing for a while, or until `memoir unpause`
    Pause(PauseArgs),
    /// Record again
    Unpause,
    /// List what is not to be recorded, or add to it
    Exclude(ExcludeArgs),
    /// Find events by their words
    Search(SearchArgs),
    /// List events by time
    Timeline(TimelineArgs),
    /// List sessions, the latest first
    Sessions(SessionsArgs),
    /// Show one event in full, or the events of a session
    Show(ShowArgs),
    /// Print the command that goes on with a session, or run it
    Resume(ResumeArgs),
    /// Show which sessions and prompts changed a file
    File(FileArgs),
    /// Count sessions, turns, tokens and cost
    Stats(StatsArgs),
    /// Compare what is on disk with what is in the journal
    Coverage(CoverageArgs),
    /// List projects, merge two or split one
    Projects(ProjectsArgs),
    /// Serve the journal over HTTP
    Serve(ServeArgs),
    /// Show what is recorded and whether anything waits or failed
    Status(JsonArgs),
    /// Check the home, the hooks of each client and the server, and say what to do about each problem
    Doctor(DoctorArgs),
    /// Prove that no stored record was changed or lost
    Verify(VerifyArgs),
    /// List settings and where they come from, or change one
    Config(ConfigArgs),
    /// Copy the journal into a file while it is in use
    Backup(BackupArgs),
    /// Replace the journal by a backup
    Restore(RestoreArgs),
    /// Write events out, one JSON object to a line
    Export(ExportArgs),
    /// Keep a project's events as files beside it, for other tools
    Mirror(MirrorArgs),
    /// Send a project's events to another memoir server
    Push(PushArgs),
    /// Look at what waits to be delivered, or deliver it now
    Spool(SpoolArgs),
    /// Print a script that completes commands in your shell
    Completions(CompletionsArgs),
    /// Show the main job in seconds, in a throw-away home
    Demo,
}

/// Reads capture events from standard input.
#[derive(Args)]
#[command(after_help = "\
A capture event has session_id, event_type and content, and may have turn_id,
topic_id, action_id, source, speaker, timestamp, visibility, secrecy_level,
metadata and meta. Event types: user_message, assistant_message, tool_call,
tool_result, command, file_change, session_summary, error.

A line that cannot be taken is reported with its number; the others still go
in, and the exit code is 1. An event with a turn_id, action_id or timestamp is
stored once, however often it comes.

With --server-url (or MEMOIR_SERVER_URL) events go to a server, its key in
MEMOIR_SERVER_API_KEY; what cannot be delivered now waits in the spool and
goes with the next run.

With --format codex-sdk the lines are what a thread of the Codex SDK streams:
pipe each event as JSON, and it is recorded as it comes.

Example:
  printf '%s\\n' '{\"session_id\":\"demo\",\"event_type\":\"command\",\"content\":\"ls\"}' |
    memoir ingest")]
pub struct IngestArgs {
    /// What the lines are
    #[arg(long, value_enum, default_value_t = IngestFormat::Events)]
    pub format: IngestFormat,
    /// Send the events to this server instead of the journal here
    #[arg(long, value_name = "URL")]
    pub server_url: Option<String>,
    /// Stop at the first line that cannot be taken
    #[arg(long)]
    pub strict: bool,
    /// The project these events belong to (else from their metadata's cwd, else this directory)
    #[arg(long, value_name = "ID")]
    pub repo: Option<String>,
    /// Who records (else the setting `actor`, else git's user, else the login name)
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Refuse longer lines
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_event_bytes: Option<u64>,
    /// Records in one request to the server
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub batch_max_records: Option<u64>,
    /// How long a record may wait for its batch
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub flush_interval_ms: Option<u64>,
    /// Where undelivered records wait
    #[arg(long, value_name = "DIR")]
    pub spool_dir: Option<PathBuf>,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IngestFormat {
    /// Capture events
    Events,
    /// Events of the Codex SDK, as its threads stream them
    CodexSdk,
}

/// An agent program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientName {
    /// OpenAI Codex CLI
    Codex,
    /// Anthropic Claude Code
    Claude,
    /// Google Gemini CLI
    Gemini,
    /// GitHub Copilot CLI
    Copilot,
    /// opencode
    Opencode,
}

impl ClientName {
    /// The client of that name.
    pub const fn client(self) -> memoir_event::Client {
        match self {
            ClientName::Codex => memoir_event::Client::Codex,
            ClientName::Claude => memoir_event::Client::Claude,
            ClientName::Gemini => memoir_event::Client::Gemini,
            ClientName::Copilot => memoir_event::Client::Copilot,
            ClientName::Opencode => memoir_event::Client::Opencode,
        }
    }
}

/// Installs hooks and imports history.
#[derive(Args)]
#[command(after_help = "\
Finds Codex, Claude Code and Gemini CLI by their directories (CODEX_HOME,
CLAUDE_CONFIG_DIR, GEMINI_CLI_HOME, or the usual ones) or programs, shows what
it will change in their settings, asks, and changes it. The file as it was is kept
beside it as NAME.before-memoir. Hooks call memoir by a link in its home, so
that an upgrade changes nothing. Then imports what the agents have on disk;
Copilot CLI and opencode have no hooks for memoir, only history.

Codex runs a hook only if its config.toml trusts that very hook, and
`codex exec` says nothing about one that it leaves out. Codex asks about them
when it starts; or memoir writes the entries, if you agree.

Examples:
  memoir init --dry-run
  memoir init --client codex
  memoir init --yes --no-import")]
pub struct InitArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask: install hooks, and let Codex trust them
    #[arg(long)]
    pub yes: bool,
    /// Leave Codex's list of trusted hooks alone; Codex asks about them itself
    #[arg(long)]
    pub no_trust: bool,
    /// Do not import history
    #[arg(long)]
    pub no_import: bool,
    /// Print what was done as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Takes the hooks out.
#[derive(Args)]
#[command(after_help = "\
A settings file that nobody else has written to since is put back byte by
byte; of any other only memoir's part is taken out. What memoir has recorded
stays, unless you pass --everything.")]
pub struct UninstallArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// Also delete everything that memoir has recorded, and its settings
    #[arg(long, conflicts_with = "client")]
    pub everything: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
    /// Print what was done as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Writes a hook script into one project.
#[derive(Args)]
#[command(after_help = "\
Writes .codex/hooks/memoir-codex-hook, a script that calls memoir, and
.codex/hooks/memoir.example.json, which shows how Codex is told to run it.
Both places are checked before either is written; links are refused, with
--force too. Copy from the example what you want to use. If the server wants a
key, put it into MEMOIR_SERVER_API_KEY where Codex runs.")]
pub struct InstallHookArgs {
    /// The client
    #[arg(value_enum)]
    pub client: HookScript,
    /// The server that events go to, beside the journal here (else the setting `server_url`)
    #[arg(long, value_name = "URL")]
    pub server_url: Option<String>,
    /// The project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub target_dir: PathBuf,
    /// Overwrite the two files
    #[arg(long)]
    pub force: bool,
}

/// A client that such a script is for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookScript {
    /// OpenAI Codex CLI
    Codex,
}

/// One hook call.
#[derive(Args)]
#[command(after_help = "\
The payload comes on standard input as JSON, the answer goes to standard
output. Whatever happens, the exit code is 0 and the answer is valid: a hook
must never be in the way of its client. `memoir doctor` shows what went wrong.")]
pub struct HookArgs {
    /// The client that calls: codex, claude or gemini
    pub client: String,
}

/// Imports session files.
#[derive(Args)]
#[command(after_help = "\
Looks where clients keep their sessions: CODEX_HOME or ~/.codex,
CLAUDE_CONFIG_DIR or ~/.claude, GEMINI_CLI_HOME or ~, COPILOT_HOME or
~/.copilot, XDG_DATA_HOME or ~/.local/share.

What is known already is not stored twice. Ctrl-C is safe at any moment; the
next import goes on from there.

Examples:
  memoir import --dry-run
  memoir import --client claude --since 30d
  memoir import --path run.jsonl        # output of codex exec --json, too")]
pub struct ImportArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// This file or directory instead; may be given several times
    #[arg(long, value_name = "PATH")]
    pub path: Vec<PathBuf>,
    /// Only files written to since then: 2026-01-31, or 12h, 30d ago
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Count what would be imported, and store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs an agent.
#[derive(Args)]
#[command(after_help = "\
Runs `codex exec`, `claude -p` or `gemini -p`. The agent's words go to standard
output, what it does goes to standard error, and all of it is recorded before
it is shown. Exit code and signals are the client's own.

Flags of the client go behind `--`. Asking for its stream (`--json` of Codex,
`--output-format stream-json` of the others) shows that stream itself.

Examples:
  memoir exec 'Refactor auth module'
  memoir exec 'Go on' -- resume --last
  memoir exec --client claude -- -p 'Explain main.rs' --model opus")]
pub struct ExecArgs {
    /// The client to run
    #[arg(long, value_enum, value_name = "CLIENT", default_value = "codex")]
    pub client: ClientName,
    /// Its program, if it is not on the search path
    #[arg(long, value_name = "PATH")]
    pub program: Option<OsString>,
    /// Show the client's own stream
    #[arg(long)]
    pub raw: bool,
    /// What to do
    pub prompt: Option<String>,
    /// The client's own flags
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<OsString>,
}

/// Follows session files.
#[derive(Args)]
#[command(after_help = "\
First imports what is new, as `memoir import` does; then looks every second at
the files that agents are writing to, and every ten seconds for new ones.
Ctrl-C ends it.")]
pub struct WatchArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// One JSON object to a line
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
Files count on the day of their last write, sessions on the day of their last
event: the two may differ.")]
pub struct CoverageArgs {
    /// Only this client; may be given several times
    #[arg(long, value_enum, value_name = "CLIENT")]
    pub client: Vec<ClientName>,
    /// Only files written to since then: 2026-01-31, or 12h, 30d ago
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

/// Pauses recording.
#[derive(Args)]
#[command(after_help = "\
What agents do in a pause is not recorded, and not imported later either.")]
pub struct PauseArgs {
    /// For so long: 30m, 1h, 2d
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
}

/// Keeps things from being recorded.
#[derive(Args)]
#[command(after_help = "\
A prompt with one of the private markers ([private], #nosave or `do not save
this`, unless you set others) is not recorded, nor what the agent does about
it. What is excluded is not imported either; what is recorded already stays.

Examples:
  memoir exclude path ~/clients/acme
  memoir exclude tool 'mcp__bank__*'
  memoir exclude pattern '(?i)project x'
  memoir exclude here                 # this project
  memoir exclude path ~/clients/acme --remove")]
pub struct ExcludeArgs {
    #[command(subcommand)]
    pub what: Option<ExcludeWhat>,
    /// Record it again
    #[arg(long, global = true)]
    pub remove: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum ExcludeWhat {
    /// Whatever happens in this directory or below it
    Path {
        /// The directory
        dir: PathBuf,
    },
    /// Calls and results of this tool; a * at the end stands for anything
    Tool {
        /// Its name
        name: String,
    },
    /// Whatever matches this regular expression
    Pattern {
        /// The expression
        pattern: String,
    },
    /// The project around this directory: writes a file named .nomemoir into it
    Here,
}

/// What events must match.
#[derive(Args, Clone, Default)]
pub struct FilterArgs {
    /// Only this session: its id with or without the prefix (cx-, cc-, …), or how that begins
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this project
    #[arg(long, value_name = "ID")]
    pub repo: Option<String>,
    /// Only this thread
    #[arg(long, value_name = "ID")]
    pub thread: Option<String>,
    /// Only this contributor
    #[arg(long, value_name = "NAME")]
    pub actor: Option<String>,
    /// Only from this time on: 2026-01-31T12:00:00Z, 2026-01-31, or 30m, 12h, 7d ago
    #[arg(long, value_name = "TIME")]
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

/// Serves the journal over HTTP until it is told to stop.
#[derive(Args)]
#[command(after_help = "\
Other memoir processes may go on using the journal. On a loopback address no
key is needed; any other address needs one: [[server.keys]] in config.toml, or
MEMOIR_SERVER_KEYS='ingest+read:KEY'. GET /openapi.json describes the API.")]
pub struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<String>,
    /// The port to listen on; 0 chooses a free one
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
}

/// A command with no other flag.
#[derive(Args)]
pub struct JsonArgs {
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Checks the home, and the server if one is set.
#[derive(Args)]
pub struct DoctorArgs {
    /// Check this server too
    #[arg(long, value_name = "URL")]
    pub server_url: Option<String>,
    /// Where undelivered records wait
    #[arg(long, value_name = "DIR")]
    pub spool_dir: Option<PathBuf>,
    /// Write no probe record to the server: check the key by a raw recall instead
    #[arg(long)]
    pub skip_raw_ingest_probe: bool,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

/// Proves the hash chain.
#[derive(Args)]
pub struct VerifyArgs {
    /// Verify a backup instead
    pub file: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// Lists or changes settings.
#[derive(Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    pub action: Option<ConfigAction>,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum ConfigAction {
    /// Print one setting
    Get {
        /// Its name, such as server.port
        key: String,
    },
    /// Write one setting into config.toml
    Set {
        /// Its name, such as server.port
        key: String,
        /// Its value; lists are separated by commas
        value: String,
    },
    /// Take one setting out of config.toml
    Unset {
        /// Its name
        key: String,
    },
    /// Print where config.toml is
    Path,
}

/// Copies the journal.
#[derive(Args)]
pub struct BackupArgs {
    /// The file to write; it must not exist
    pub file: PathBuf,
}

/// Replaces the journal by a backup.
#[derive(Args)]
pub struct RestoreArgs {
    /// The backup
    pub file: PathBuf,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}

/// Writes events out, the oldest first.
#[derive(Args)]
pub struct ExportArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub view: ViewArgs,
    /// Also secret, private, sealed and superseded events
    #[arg(long)]
    pub everything: bool,
    /// The form
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub format: ExportFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One envelope to a line
    Jsonl,
}

/// Mirrors a project's events into files.
#[derive(Args)]
#[command(after_help = "\
A mirror is a directory .codaph with one file of JSON lines for each session,
checksums and indexes. Exporting again adds what is new and touches nothing
else. Importing stores what the journal does not have; what it has is known by
its id, whichever machine it was recorded on. Secret, private and sealed
events stay out of a mirror unless you ask for them.

Examples:
  memoir mirror export ~/work/project
  memoir mirror verify ~/work/project
  memoir mirror import ~/work/project")]
pub struct MirrorArgs {
    #[command(subcommand)]
    pub action: MirrorAction,
    /// As JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum MirrorAction {
    /// Write the project's events into the mirror in DIR
    Export {
        /// The project's directory, or the .codaph directory itself
        dir: PathBuf,
        /// The project (else the one that DIR is in)
        #[arg(long, value_name = "ID")]
        repo: Option<String>,
        #[command(flatten)]
        view: ViewArgs,
    },
    /// Read the mirror in DIR into the journal
    Import {
        /// The project's directory, or the .codaph directory itself
        dir: PathBuf,
        /// Count what is there, and store nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Check every file of the mirror in DIR
    Verify {
        /// The project's directory, or the .codaph directory itself
        dir: PathBuf,
    },
}

/// Sends events to another memoir.
#[derive(Args)]
#[command(after_help = "\
Sends what the server does not have yet, and remembers how far it came: after
an outage the next push sends the rest. Events are known there by their ids,
whoever sends them. The server's key goes into MEMOIR_SERVER_API_KEY. Secret,
private and sealed events stay here unless you ask for them.

Examples:
  memoir push --remote https://memoir.example.org
  memoir push --remote http://127.0.0.1:8420 --scope session --all")]
pub struct PushArgs {
    /// The server (else the setting `server_url`)
    #[arg(long, value_name = "URL")]
    pub remote: Option<String>,
    /// One run for the project, codaph:PROJECT, or one for each session, codaph:PROJECT:SESSION
    #[arg(long, value_enum, default_value_t = PushScope::Project)]
    pub scope: PushScope,
    /// The project (else the one that this directory is in)
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub repo: Option<String>,
    /// Every project
    #[arg(long)]
    pub all: bool,
    /// Send everything again, should the server have lost it
    #[arg(long)]
    pub from_start: bool,
    #[command(flatten)]
    pub view: ViewArgs,
    /// One JSON object to a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PushScope {
    /// One run for the project
    Project,
    /// One run for each session
    Session,
}

/// What waits to be delivered.
#[derive(Args)]
pub struct SpoolArgs {
    #[command(subcommand)]
    pub action: Option<SpoolAction>,
    /// Where undelivered records wait
    #[arg(long, global = true, value_name = "DIR")]
    pub spool_dir: Option<PathBuf>,
    /// As JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum SpoolAction {
    /// List what waits and what was set aside
    List,
    /// Deliver what waits, now
    Flush {
        /// The server to deliver to (else the setting `server_url`)
        #[arg(long, value_name = "URL")]
        server_url: Option<String>,
    },
}

/// Prints a completion script.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
