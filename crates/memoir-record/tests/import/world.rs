//! A user's home with session files in it, and a journal.

use memoir_capture::{Parser, claude, codex, gemini};
use memoir_event::{Client, Event, Kind, Source};
use memoir_hook::Hook;
use memoir_journal::{
    Admission, Clock, Filter, Journal, Limits, Order, Page, SqliteJournal, SqliteOptions, StoredEvent, View,
};
use memoir_record::{
    ClientDirs, GitFiles, ImportSummary, Importer, Live, LiveStream, Names, Pending, Policy, ReadState, Rules, Run,
    Spool, SpoolLimits, Wanted,
};
use memoir_redact::Redactor;
use memoir_testkit::Client as Agent;
use memoir_testkit::files::{Recording, Thing, Way};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// No repository is told anything.
static NO_GIT: GitFiles = GitFiles { home: None, files: Vec::new() };

/// Later than everything that scenarios tell of.
const LATER_MS: i64 = 1_900_000_000_000;

/// What a prompt says that is not to be recorded.
pub const PRIVATE: &str = "[private]";

pub struct World {
    _dir: tempfile::TempDir,
    user: PathBuf,
    now: Arc<AtomicI64>,
    clock: Clock,
    pub journal: SqliteJournal,
    spool: Spool,
    pending: Pending,
    redactor: Redactor,
    policy: Policy,
}

impl World {
    pub fn new() -> World {
        let dir = tempfile::Builder::new().prefix("memoir-import-").tempdir().unwrap();
        let now = Arc::new(AtomicI64::new(LATER_MS));
        let told = Arc::clone(&now);
        let clock: Clock = Arc::new(move || told.fetch_add(1, Ordering::Relaxed));
        let journal =
            SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), clock.clone()).unwrap();
        let spool = Spool::new(dir.path().join("spool"), SpoolLimits::default(), clock.clone()).unwrap();
        let pending = Pending::new(dir.path().join("pending"));
        let markers = vec![PRIVATE.to_owned()];
        let policy = Policy::new(vec![], vec![], &[], markers).unwrap();
        let user = dir.path().join("user");
        World { _dir: dir, user, now, clock, journal, spool, pending, redactor: Redactor::builtin(), policy }
    }

    /// The same, for a user who wants nothing of that tool.
    pub fn without_tool(self, tool: &str) -> World {
        let policy = Policy::new(vec![], vec![tool.to_owned()], &[], vec![PRIVATE.to_owned()]).unwrap();
        World { policy, ..self }
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.user.clone()
    }

    /// The same user on another day: nothing is left of what clients wrote, and the journal is another one.
    pub fn of_same_user(other: &World) -> World {
        fs::remove_dir_all(&other.user).ok();
        World { user: other.user.clone(), ..World::new() }
    }

    /// Whether no client has left anything yet.
    pub fn is_empty(&self) -> bool {
        !self.home().exists()
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.home().join(file)
    }

    fn dirs(&self) -> ClientDirs {
        ClientDirs {
            codex: Some(self.path(".codex")),
            claude: Some(self.path(".claude")),
            gemini: Some(self.path(".gemini")),
            copilot: Some(self.path(".copilot")),
            opencode: Some(self.path(".local/share/opencode")),
        }
    }

    pub fn put(&self, file: &str, bytes: &[u8]) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn append(&self, file: &str, bytes: &[u8]) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(bytes).unwrap();
    }

    /// Every file of a recording as it is in the end, made in the order in which the client made them.
    pub fn put_all(&self, recording: &Recording) {
        recording.files().iter().for_each(|(file, bytes)| self.put(file, bytes));
    }

    fn rules(&self) -> Rules<'_> {
        Rules {
            redactor: &self.redactor,
            policy: &self.policy,
            limits: Limits::default(),
            actor: None,
            is_actor_given: true,
            git: &NO_GIT,
            user_home: None,
            repo: Some("the/project"),
        }
    }

    /// Imports whatever is new.
    pub fn import(&self) -> ImportSummary {
        self.import_wanted(&Wanted::default())
    }

    pub fn import_path(&self, path: &Path) -> ImportSummary {
        self.import_wanted(&Wanted { paths: vec![path.to_owned()], ..Wanted::default() })
    }

    fn import_wanted(&self, wanted: &Wanted) -> ImportSummary {
        self.now.fetch_max(LATER_MS, Ordering::Relaxed);
        let (dirs, never) = (self.dirs(), AtomicBool::new(false));
        let importer =
            Importer { journal: &self.journal, rules: self.rules(), dirs: &dirs, clock: &self.clock, stop: &never };
        importer.import(wanted.find(&dirs), &mut |_| {}).unwrap()
    }

    /// How far each file that is there was read.
    pub fn coverage(&self) -> Vec<ReadState> {
        let (dirs, never) = (self.dirs(), AtomicBool::new(false));
        let importer =
            Importer { journal: &self.journal, rules: self.rules(), dirs: &dirs, clock: &self.clock, stop: &never };
        let files = importer.coverage(&Wanted::default().find(&dirs)).unwrap();
        files.into_iter().map(|file| file.state).collect()
    }

    /// Calls the hook as the client does at that time.
    pub fn hook(&self, client: Client, at_ms: i64, payload: &str) {
        self.now.store(at_ms, Ordering::Relaxed);
        let dirs = self.dirs();
        let hook = Hook {
            journal: Some(&self.journal),
            spool: &self.spool,
            pending: &self.pending,
            rules: self.rules(),
            dirs: &dirs,
            clock: &self.clock,
            to_server: false,
            life: None,
        };
        let recorded = hook.record(client, payload);
        assert_eq!((recorded.lost, recorded.problems.len()), (0, 0), "{:?}", recorded.problems);
    }

    /// Reads a client's output while it runs; the so-manieth time that somebody does.
    pub fn listen(&self, client: Client, prompt: Option<&str>, lines: &[(i64, &str)], time: u32) {
        let names = Names::new(self.clock.clone()).unwrap();
        let clock = self.clock.clone();
        let now: codex::Now = Box::new(move || clock());
        let (run, prompt) = (format!("{}-{time}", names.uuid()), prompt.map(str::to_owned));
        let parser: Box<dyn Parser> = match client {
            Client::Claude => Box::new(claude::Transcript::stream(&run, None, prompt, Some(now))),
            Client::Gemini => Box::new(gemini::ExecStream::new(&run, None, Some(now))),
            _ => Box::new(codex::ExecStream::new(Source::CodexExec, &run, None, Some(now)).with_prompt(prompt)),
        };
        let live = Live {
            is_paused: &|| false,
            journal: Some(&self.journal),
            spool: &self.spool,
            rules: self.rules(),
            names: &names,
            to_server: false,
        };
        let mut stream = LiveStream::new(live, Run::new(client, run.clone()), parser);
        let mut input = Told { lines: lines.to_vec(), now: Arc::clone(&self.now) };
        stream.run(&mut input, &mut || true, &mut |_| {}).unwrap();
        assert_eq!((stream.summary.lost, stream.summary.spooled), (0, 0));
    }

    /// Stores events that come from another home.
    pub fn take_in(&self, events: &[Event]) {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone()).with_limits(Limits::default());
        let admitted: Vec<_> = events.iter().map(|event| admission.admit(event.clone())).collect();
        self.journal.append(&admitted, &[]).unwrap();
    }

    /// Everything in the journal, by the time it happened.
    pub fn events(&self) -> Vec<StoredEvent> {
        let mut events = Vec::new();
        let mut page = Page::first(500, Order::OldestFirst);
        loop {
            let found = self.journal.page(&Filter::default(), &View::owner_all(), &page).unwrap();
            events.extend(found.events);
            match found.next {
                Some(next) => page.after = Some(next),
                None => return events,
            }
        }
    }

    /// Everything in the journal and who saw it, for when a test fails.
    pub fn told(&self) -> String {
        let line = |stored: &StoredEvent| {
            let event = &stored.event;
            let sightings = self.journal.sightings(stored.seq).unwrap();
            let sources: Vec<&str> = sightings.iter().map(|sighting| sighting.source.as_str()).collect();
            let text: String = event.content.plain().chars().take(60).collect();
            let turn = event.turn.as_deref().unwrap_or("-");
            format!("{} {} {turn} {} {sources:?} {text:?}", stored.ts_ms, event.session, event.kind().as_str())
        };
        self.events().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// What the journal holds of one recording, in the words in which it is expected.
    pub fn seen(&self, recording: &Recording) -> Vec<Seen> {
        let cwd = format!("{}/", self.path("work").display());
        let seen = self.events().into_iter().filter_map(|stored| {
            let session = recording.sessions.iter().position(|session| *session == stored.event.session)?;
            Some(Seen::new(session, &stored, &cwd))
        });
        seen.collect()
    }
}

/// A client's output that comes when it came.
struct Told<'a> {
    lines: Vec<(i64, &'a str)>,
    now: Arc<AtomicI64>,
}

impl std::io::Read for Told<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.lines.is_empty() {
            return Ok(0);
        }
        let (at_ms, line) = self.lines.remove(0);
        self.now.store(at_ms, Ordering::Relaxed);
        let bytes = format!("{line}\n").into_bytes();
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl memoir_record::Input for Told<'_> {
    fn ready(&mut self, _timeout: std::time::Duration) -> std::io::Result<bool> {
        Ok(true)
    }
}

/// An event, told as far as every client tells it alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    pub session: usize,
    pub kind: String,
    pub text: String,
}

impl Seen {
    fn new(session: usize, stored: &StoredEvent, cwd: &str) -> Seen {
        let text = match &stored.event.content {
            memoir_event::Content::Text(text) => text.clone(),
            content => told(stored, &serde_json::from_str(content.verbatim()).unwrap()),
        };
        let text = match text.as_str() {
            // What Claude Code tells its model of silence.
            "(Bash completed with no output)" => String::new(),
            agent if agent.starts_with("{\"agent_id\":") => "spawned".to_owned(),
            _ => text,
        };
        let text = text.replace(cwd, "").trim().to_owned();
        Seen { session, kind: stored.event.kind().as_str().to_owned(), text }
    }

    pub fn expected(thing: &Thing) -> Seen {
        Seen { session: thing.session, kind: thing.kind.to_owned(), text: thing.text.clone() }
    }
}

/// What a payload says.
fn told(stored: &StoredEvent, payload: &Value) -> String {
    let item = &payload["item"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match stored.event.kind() {
        Kind::SessionStarted => {
            let is_root = payload["thread_id"] == stored.event.session;
            if is_root { "session".to_owned() } else { "agent".to_owned() }
        }
        Kind::ToolCall => {
            let asked = &item["arguments"];
            let first = |names: &[&str]| names.iter().map(|name| &asked[*name]).find(|value| value.is_string());
            match text(&item["name"]).as_str() {
                "apply_patch" => {
                    let patch = text(first(&["input", "command"]).unwrap());
                    let path = patch.lines().nth(1).unwrap().trim_start_matches("*** Add File: ").to_owned();
                    format!("write {path}")
                }
                "Write" | "write_file" => format!("write {}", text(&asked["file_path"])),
                "Agent" | "invoke_agent" => format!("agent {}", text(&asked["prompt"])),
                name if name.contains("spawn_agent") => format!("agent {}", text(&asked["message"])),
                _ => format!("run {}", text(first(&["command", "cmd"]).unwrap())),
            }
        }
        Kind::Command => format!("{} -> {}", text(&item["command"]), item["exit_code"]),
        Kind::FileChange => {
            let change = &item["changes"][0];
            format!("{} {}", text(&change["kind"]), text(&change["path"]))
        }
        Kind::Usage if !payload["session_cost_usd"].is_null() => format!("cost {}", payload["session_cost_usd"]),
        Kind::Usage => format!("{}/{}", payload["input_tokens"], payload["output_tokens"]),
        Kind::TurnCompleted => text(&payload["status"]),
        Kind::Context => text(&payload["text"]),
        _ => payload.to_string(),
    }
}

/// Things that can be known in those ways, sorted.
pub fn knowable(things: &[Thing], ways: &[Way]) -> Vec<Seen> {
    let known = things.iter().filter(|thing| thing.ways.iter().any(|way| ways.contains(way)));
    let mut seen: Vec<Seen> = known.map(Seen::expected).collect();
    seen.sort();
    seen
}

/// What a journal holds, sorted.
pub fn sorted(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort();
    seen
}

pub fn client_of(agent: Agent) -> Client {
    match agent {
        Agent::Codex => Client::Codex,
        Agent::Claude => Client::Claude,
        Agent::Gemini => Client::Gemini,
    }
}

/// So many cases as that share of what proptest runs by default; `PROPTEST_CASES` makes them more.
pub fn cases(share: u32) -> proptest::test_runner::Config {
    let default = proptest::test_runner::Config::default();
    let rng_seed = match std::env::var_os("PROPTEST_RNG_SEED") {
        Some(_) => default.rng_seed,
        None => proptest::test_runner::RngSeed::Fixed(0),
    };
    let cases = (default.cases * share / 256).max(1);
    proptest::test_runner::Config { cases, rng_seed, failure_persistence: None, ..default }
}
