//! How things are kept, checked and carried elsewhere: the flags of the rest.

use super::find::{FilterArgs, ViewArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

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

/// Gives agents tools.
#[derive(Args)]
#[command(after_help = "\
Clients start this themselves, and end it: `memoir init` registers it in each.
It speaks MCP on standard input and output until its input is closed, and knows
the session and project that it is asked from. Now and then it does what hooks
left for later. By hand:
  claude mcp add --scope user memoir -- memoir mcp
  codex mcp add memoir -- memoir mcp
  gemini mcp add --scope user memoir memoir mcp

`memoir serve` has the same tools at http://127.0.0.1:8420/mcp.

Tools: recall, search, read, timeline, remember, forget, commit, status.
Nothing secret, private, sealed, forgotten or superseded is ever shown.")]
pub struct McpArgs {}

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

/// Conventions in AGENTS.md, CLAUDE.md and GEMINI.md.
#[derive(Args)]
#[command(after_help = "\
Shows what memoir's part of the project's instructions files would be: its
conventions, and memories of the project that are pinned. --write puts it there,
between marks, into each of AGENTS.md, CLAUDE.md and GEMINI.md that exists, else
into a new AGENTS.md. What others wrote is not touched, and links are refused. A
file that is a link to another of these, or takes in @AGENTS.md, is left alone.

--read takes the items of their lists in as conventions of the project. What is
no longer there at the next --read no longer holds.

Examples:
  memoir agents-md
  memoir agents-md --write
  memoir agents-md --read
  memoir agents-md --remove --yes")]
pub struct AgentsMdArgs {
    /// Write memoir's part
    #[arg(long)]
    pub write: bool,
    /// Take memoir's part out again
    #[arg(long, conflicts_with = "write")]
    pub remove: bool,
    /// Take in what the files say
    #[arg(long, conflicts_with_all = ["write", "remove"])]
    pub read: bool,
    /// Only this file of the project
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// The directory of the files (else that of the project that you are in)
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
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
