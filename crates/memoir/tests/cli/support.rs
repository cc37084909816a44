//! What the tests stand on: a home of their own, and the binary in it.

pub use crate::process::{Ran, Running, Server, run, run_measured};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

pub const MEMOIR: &str = env!("CARGO_BIN_EXE_memoir");

/// A throw-away directory with a home for memoir in it.
pub struct Home {
    top: tempfile::TempDir,
}

impl Home {
    pub fn new() -> Home {
        Home { top: tempfile::Builder::new().prefix("memoir-cli-").tempdir().unwrap() }
    }

    /// A home that has an event in it already.
    pub fn with_one_event() -> Home {
        let home = Home::new();
        home.ingest(&[event("kept from before")]).succeeded();
        home
    }

    /// The throw-away directory around the home.
    pub fn top(&self) -> &Path {
        self.top.path()
    }

    pub fn dir(&self) -> PathBuf {
        self.top().join("home")
    }

    pub fn journal(&self) -> PathBuf {
        self.dir().join("journal.db")
    }

    pub fn spool(&self) -> PathBuf {
        self.dir().join("spool")
    }

    /// The binary in this home and in no other surroundings.
    pub fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(MEMOIR), args)
    }

    /// Any program in the same surroundings.
    pub fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.top())
            .env("MEMOIR_HOME", self.dir())
            .env("TZ", "UTC")
            .env("USER", "tester")
            .current_dir(self.top());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args), b"")
    }

    pub fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Ran {
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        run(command, b"")
    }

    pub fn feed(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        run(self.command(args), input.as_ref())
    }

    pub fn ingest(&self, events: &[Value]) -> Ran {
        self.feed(&["ingest"], to_lines(events))
    }

    /// Starts a recorder whose input stays open.
    pub fn streaming(&self, args: &[&str]) -> Running {
        let mut all = vec!["ingest"];
        all.extend(args);
        Running::start(self.command(&all))
    }

    pub fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    pub fn serve_with(&self, variables: &[(&str, &str)]) -> Server {
        let mut command = self.command(&["serve", "--port", "0"]);
        command.envs(variables.iter().copied());
        Server::start(command)
    }

    /// Everything in the journal, the oldest first.
    pub fn events(&self) -> Vec<Value> {
        self.run(&["export", "--everything"]).succeeded().json_lines()
    }

    /// The texts of all events, the oldest first.
    pub fn texts(&self) -> Vec<String> {
        self.events().iter().map(text_of).collect()
    }

    /// What the user said, the oldest first.
    pub fn prompts(&self) -> Vec<String> {
        self.events().iter().filter(|event| event["kind"] == "user_message").map(text_of).collect()
    }

    pub fn status(&self) -> Value {
        self.run(&["status", "--json"]).succeeded().json()
    }

    /// How many records wait in the spool.
    pub fn waiting(&self) -> u64 {
        self.run(&["spool", "list", "--json"]).succeeded().json()["records"].as_u64().unwrap()
    }

    /// The chain is whole, and holds so many records.
    pub fn verified(&self) -> u64 {
        let verified = self.run(&["verify", "--json"]).succeeded().json();
        assert_eq!(verified["ok"], true, "{verified}");
        verified["records"].as_u64().unwrap()
    }

    /// Names of the files in the spool.
    pub fn spooled_files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.spool()) else { return Vec::new() };
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub fn event(text: &str) -> Value {
    json!({"session_id": "demo", "event_type": "user_message", "content": text})
}

/// An event that names itself: it is stored once however often it comes.
pub fn identified(text: &str) -> Value {
    json!({"session_id": "demo", "event_type": "user_message", "content": text, "turn_id": text})
}

pub fn to_lines(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

/// What an envelope says.
pub fn text_of(envelope: &Value) -> String {
    let payload = &envelope["payload"];
    let item = &payload["item"];
    let said = [&payload["prompt"], &payload["message"], &item["text"], &item["content"]];
    let said = said.into_iter().find(|value| !value.is_null()).unwrap_or_else(|| panic!("nothing said in {envelope}"));
    said.as_str().map_or_else(|| said.to_string(), str::to_owned)
}

pub fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A port on which nobody listens.
pub fn dead_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Tries until it is so; a test that never gets there fails.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
