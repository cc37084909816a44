//! Gets events into a journal: here or on a server, with a spool for what cannot go there yet.
//!
//! Owns the ways in that read lines, the wire format of raw records, and what waits in the spool. Must not know the
//! environment, the home directory or the terminal: these are handed in.

mod accept;
mod client;
mod deliver;
mod doctor;
mod drain;
mod fork;
mod git;
mod import;
mod input;
mod intake;
mod judge;
mod keep;
mod left_out;
mod lines;
mod live;
mod local;
mod names;
mod notice;
mod pending;
mod policy;
mod private;
mod project;
mod push;
mod read;
mod remote;
mod runs;
mod shortened;
mod spool;
mod url;
pub mod wire;

pub use accept::{LineError, LineProblem, OnBadLine, Place, whole_sentence};
pub use client::{Client, ClientError, Timeouts};
pub use deliver::{Delivered, Forgotten};
pub use doctor::{Check, IngestProbe, check_remote, check_spool};
pub use drain::{Drain, DrainError, Drained, drain_into_journal};
pub use fork::{fork_cursor, is_unread_fork};
pub use git::GitFiles;
pub use import::{
    CaughtUp, ClientDirs, ClientSummary, Coverage, FileProblem, Format, Found, ImportError, ImportSummary, Importer,
    Portion, Progress, ReadState, SourceFile, Unreadable, Wanted, read_shrunk, rename_project,
};
pub use input::{Input, Polled};
pub use intake::{Intake, Rules};
pub use judge::Judge;
pub use keep::{Kept, for_server, keep};
pub use left_out::{count_left_out, count_unread, left_out, unread};
pub use lines::{BadLine, Line, Lines};
pub use live::{Live, LiveStream, LiveSummary, Shown};
pub use local::{LocalOptions, LocalRecorder, LocalSummary, Target};
pub use names::{Names, NamesError};
pub use notice::{End, IngestError, Notice};
pub use pending::{Mark, Pending, file_of, gone};
pub use policy::{OFF_FILE, Policy, PolicyError, Reason};
pub use project::{Project, Projects, id_of_address};
pub use push::{Push, PushCounts, PushEnd, PushSummary, RunScope};
pub use remote::{RemoteOptions, RemoteRecorder, RemoteSummary};
pub use runs::{RUN_HEAD_BYTES, Run, Runs, salt_of};
pub use spool::{Claim, Claimed, Lane, Note, Recovered, Spool, SpoolError, SpoolFile, SpoolLimits, SpoolListing};
pub use url::{Proxies, Scheme, ServerUrl, UrlError};
