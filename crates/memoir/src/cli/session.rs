//! Flags of what seals sessions and shows what they came to.

use super::ViewArgs;
use clap::Args;

/// Seals what sessions have so far.
#[derive(Args)]
#[command(after_help = "\
A commit seals what a session has so far into an archive. The session goes on as before, and can
be committed any number of times. It happens by itself: before a compaction, when another session
begins, when the client says that it is over, after half an hour of silence, while `memoir serve`
runs. Without a session, this does at once what would happen then. A session that has nothing
new, or that nobody knows, is no failure: the second is told, on standard error and as `unknown`.

Examples:
  memoir commit                     every session that is over
  memoir commit --all               every session that has something new
  memoir commit cx-0193             this one, by how its id begins")]
pub struct CommitArgs {
    /// The session: its id, or how it begins
    #[arg(value_name = "SESSION", conflicts_with = "all")]
    pub session: Option<String>,
    /// Also sessions that still go on
    #[arg(long)]
    pub all: bool,
    /// Do not have the configured model tell archives
    #[arg(long)]
    pub no_model: bool,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
}

/// Shows an archive.
#[derive(Args)]
#[command(after_help = "\
What was asked, decided, changed, run, mended and left open, each with time and id. An archive
holds no text of its own: each line is read from its event anew, and is gone when that is
forgotten. `memoir show ID` has the whole of it.

Examples:
  memoir archive cx-0193            the latest archive
  memoir archive cx-0193 --number 1
  memoir archive cx-0193 --list     all archives of the session")]
pub struct ArchiveArgs {
    /// The session: its id, or how it begins
    #[arg(value_name = "SESSION")]
    pub session: String,
    /// Which archive; the first is 1
    #[arg(long, value_name = "N", conflicts_with = "list")]
    pub number: Option<u32>,
    /// List all archives of the session
    #[arg(long)]
    pub list: bool,
    #[command(flatten)]
    pub view: ViewArgs,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}
