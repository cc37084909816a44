//! How things get in, and what does not: the flags of capture.

use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

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

Each client, Copilot CLI and opencode too, also gets `memoir mcp` in its list of
MCP servers, so that its model can recall and remember; --no-mcp leaves that out.
An entry of that name that you wrote yourself stays as it is.

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
    /// Do not register memoir's tools (MCP) with the clients
    #[arg(long)]
    pub no_mcp: bool,
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
A prompt with one of the private markers ([private] or #nosave, unless you set
others), or that says it in words (\"do not save or repeat this\"), is not
recorded, nor what the agent does about it. What is excluded is not imported either; what is recorded already stays.

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
