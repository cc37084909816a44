//! Every command and flag, with help that is enough to work without the documents.

mod capture;
mod find;
mod keep;
mod recall;
mod session;

pub use capture::*;
pub use find::*;
pub use keep::*;
pub use recall::*;
pub use session::*;

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The memory of coding agents: records what they do, takes secrets out, keeps it for good, finds it again.
#[derive(Parser)]
#[command(name = "memoir", version, propagate_version = true, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "\
First steps:
  memoir demo                  see the main job in a throw-away home
  memoir init                  install hooks and import what your agents have on disk
  memoir recall QUESTION       what helps from earlier sessions
  memoir search WORDS          find anything by its words
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
    /// Recall what helps, from whatever was said and done before
    Recall(RecallArgs),
    /// Gather the evidence for a question, session by session
    Ask(AskArgs),
    /// Keep something worth knowing
    Remember(RememberArgs),
    /// List memories, take them in from a file, or change one
    Memories(MemoriesArgs),
    /// Show one memory; edit, pin, approve, reject or merge memories
    Memory(MemoryArgs),
    /// Derive memories from what was committed
    Dream(DreamArgs),
    /// Keep the project's conventions in AGENTS.md and its like, or read theirs
    AgentsMd(AgentsMdArgs),
    /// Say where something is from, and why it was recalled
    Why(WhyArgs),
    /// Never show, recall or import something again; can be undone
    Forget(ForgetArgs),
    /// Forget something and erase its text
    Purge(PurgeArgs),
    /// List what was forgotten, when, by whom and why
    Forgotten(JsonArgs),
    /// Find events by their words
    Search(SearchArgs),
    /// List events by time
    Timeline(TimelineArgs),
    /// List sessions, the latest first, or those that wait to be committed
    Sessions(SessionsArgs),
    /// Seal what sessions have so far into archives
    Commit(CommitArgs),
    /// Show what an archive of a session tells
    Archive(ArchiveArgs),
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
    /// Have the configured model make vectors of what was said, for recall
    Embed(EmbedArgs),
    /// Serve the journal over HTTP
    Serve(ServeArgs),
    /// Give agents tools over MCP, on standard input and output; clients start it
    Mcp(McpArgs),
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
