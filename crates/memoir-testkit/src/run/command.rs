//! One run of a client without a terminal: its command line, its signals, its end.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::process::{Signal, end_group, signal_worker};
use super::{World, settings};
use crate::{Client, Model, Seen};

/// How long a run may take before its process group is killed.
const RUN_LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(10);

/// A run of a client that is being prepared.
pub struct Run<'a> {
    world: &'a World,
    client: Client,
    model: &'a Model,
    session: Session,
    prompt: String,
    url: Option<String>,
    model_name: Option<String>,
    json: bool,
    allowed: Vec<String>,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    interrupt: Option<Interrupt<'a>>,
    limit: Duration,
}

type Interrupt<'a> = (Signal, Box<dyn FnMut(&[Seen]) -> bool + 'a>);

enum Session {
    New,
    Last,
    Resumed(String),
    Forked(String),
}

impl<'a> Run<'a> {
    pub(super) fn new(world: &'a World, client: Client, model: &'a Model) -> Run<'a> {
        Run {
            world,
            client,
            model,
            session: Session::New,
            prompt: String::new(),
            url: None,
            model_name: None,
            json: false,
            allowed: Vec::new(),
            args: Vec::new(),
            env: Vec::new(),
            interrupt: None,
            limit: RUN_LIMIT,
        }
    }

    /// What the user says.
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Goes on with the last session of the project.
    pub fn resume(mut self) -> Self {
        self.session = Session::Last;
        self
    }

    /// Goes on with a session by its id.
    pub fn resume_id(mut self, id: impl Into<String>) -> Self {
        self.session = Session::Resumed(id.into());
        self
    }

    /// Begins a new session with the history of another (Codex and Claude).
    pub fn fork(mut self, id: impl Into<String>) -> Self {
        self.session = Session::Forked(id.into());
        self
    }

    /// Makes the client write its events to stdout as JSON lines.
    pub fn json(mut self) -> Self {
        self.json = true;
        self
    }

    /// Adds an argument of the client.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds a variable to the environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Lets Claude use these tools without asking, instead of `Bash` alone.
    pub fn allow(mut self, tools: &[&str]) -> Self {
        self.allowed = tools.iter().map(|tool| (*tool).to_owned()).collect();
        self
    }

    /// Names the language model; with Codex `gpt-6-sol` means code mode and sub-agents, the default is `gpt-5.5`.
    pub fn model_name(mut self, name: impl Into<String>) -> Self {
        self.model_name = Some(name.into());
        self
    }

    /// Sends the client somewhere else than straight to the model, as `http://127.0.0.1:…` without a path of the API.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.url = Some(url.into());
        self
    }

    /// Sends a signal to the working process once this holds; it is asked again and again with all requests so far.
    pub fn interrupt_after(mut self, signal: Signal, holds: impl FnMut(&[Seen]) -> bool + 'a) -> Self {
        self.interrupt = Some((signal, Box::new(holds)));
        self
    }

    /// Kills the run after this time instead of two minutes.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs the client to its end.
    pub fn run(mut self) -> Done {
        let mut command = self.command();
        let output = tempfile::tempdir_in(self.world.output()).expect("a directory for the output");
        let (stdout, stderr) = (output.path().join("stdout"), output.path().join("stderr"));
        // Files, not pipes: a tool that outlives the client would hold a pipe open.
        let create = |path| File::create(path).expect("a file for the output");
        command.stdin(Stdio::null()).stdout(create(&stdout)).stderr(create(&stderr));
        let started = Instant::now();
        let mut child = self.world.start(&mut command);
        let mut timed_out = false;
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if started.elapsed() > self.limit {
                timed_out = true;
                end_group(&child);
            }
            if let Some((signal, holds)) = &mut self.interrupt
                && holds(&self.model.requests())
            {
                signal_worker(&child, self.client, *signal);
                self.interrupt = None;
            }
            thread::sleep(POLL);
        };
        let read = |path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
        Done { status, stdout: read(&stdout), stderr: read(&stderr), took: started.elapsed(), timed_out }
    }

    fn command(&self) -> Command {
        let url = self.url.clone().unwrap_or_else(|| self.model.url());
        let mut command = Command::new(World::program(self.client));
        match self.client {
            Client::Codex => self.codex_args(&mut command, &url),
            Client::Claude => self.claude_args(&mut command),
            Client::Gemini => self.gemini_args(&mut command),
        }
        command.envs(settings::environment(self.client, &url)).envs(self.env.iter().map(|(name, value)| (name, value)));
        self.world.dress(&mut command);
        command
    }

    fn codex_args(&self, command: &mut Command, url: &str) {
        command.args(codex_model(url, self.model_name.as_deref())).arg("exec");
        match &self.session {
            Session::New => {}
            Session::Last => drop(command.args(["resume", "--last"])),
            Session::Resumed(id) => drop(command.args(["resume", id])),
            Session::Forked(id) => drop(command.args(["fork", id])),
        }
        command.args(self.json.then_some("--json")).args(&self.args).args(["--", &self.prompt]);
    }

    fn claude_args(&self, command: &mut Command) {
        command.arg("-p");
        match &self.session {
            Session::New => {}
            Session::Last => drop(command.arg("--continue")),
            Session::Resumed(id) => drop(command.args(["--resume", id])),
            Session::Forked(id) => drop(command.args(["--resume", id, "--fork-session"])),
        }
        if self.json {
            command.args(["--output-format", "stream-json", "--verbose"]);
        }
        if let Some(name) = &self.model_name {
            command.args(["--model", name]);
        }
        let allowed = if self.allowed.is_empty() { "Bash".into() } else { self.allowed.join(",") };
        command.args(["--allowedTools", &allowed]).args(&self.args).args(["--", &self.prompt]);
    }

    fn gemini_args(&self, command: &mut Command) {
        command.arg("-y");
        match &self.session {
            Session::New => {}
            Session::Last => drop(command.args(["-r", "latest"])),
            Session::Resumed(id) => drop(command.args(["-r", id])),
            Session::Forked(_) => panic!("Gemini cannot fork a session"),
        }
        if self.json {
            command.args(["-o", "stream-json"]);
        }
        if let Some(name) = &self.model_name {
            command.args(["-m", name]);
        }
        command.args(&self.args).args(["-p", &self.prompt]);
    }
}

fn codex_model(url: &str, name: Option<&str>) -> [String; 4] {
    let address = format!("model_providers.scripted.base_url={}", json!(format!("{url}/v1")));
    let name = format!("model={}", json!(name.unwrap_or("gpt-5.5")));
    ["-c".into(), address, "-c".into(), name]
}

/// What a command line must say to lead a client to the model; the others are told by their environment.
pub(super) fn model_args(client: Client, url: &str) -> Vec<String> {
    match client {
        Client::Codex => codex_model(url, None).to_vec(),
        Client::Claude | Client::Gemini => Vec::new(),
    }
}

/// The interactive form of a client: Codex without its daemon, all without questions about tools.
pub(super) fn interactive(world: &World, client: Client, model: &Model) -> Command {
    let mut command = Command::new(World::program(client));
    match client {
        Client::Codex => {
            command.args(codex_model(&model.url(), None)).arg("--no-daemon");
            // No setting keeps it from fetching its announcements; the model is not reached by https.
            command.env("HTTPS_PROXY", "http://127.0.0.1:9");
        }
        Client::Claude => drop(command.args(["--allowedTools", "Bash"])),
        Client::Gemini => drop(command.arg("-y")),
    }
    command.envs(settings::environment(client, &model.url()));
    world.dress(&mut command);
    command
}

/// How a run ended.
#[derive(Debug)]
pub struct Done {
    status: ExitStatus,
    /// What the client wrote to stdout.
    pub stdout: String,
    /// What the client wrote to stderr.
    pub stderr: String,
    /// From start to end.
    pub took: Duration,
    /// Whether it was killed because it took too long.
    pub timed_out: bool,
}

impl Done {
    /// The exit code, unless a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// Itself when the run ended well; fails the test with its output otherwise.
    pub fn ok(self) -> Done {
        assert!(self.status.success() && !self.timed_out, "the run failed: {self:#?}");
        self
    }

    /// The lines of stdout that are JSON.
    pub fn lines(&self) -> Vec<Value> {
        self.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
