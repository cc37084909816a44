//! Homes and projects of their own for the clients, and the running of them.
//!
//! Nothing of the caller's environment but PATH reaches a client, and nothing outside the world's directory is written.

mod command;
mod hooks;
mod process;
mod screen;
mod settings;
mod terminal;

use std::cell::RefCell;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::{Client, Clients, Model};

pub use command::{Done, Run};
pub use process::Signal;
pub use terminal::Terminal;

/// A home, a project and the clients' settings in a directory that goes away with it, together with every process that
/// was started in it.
pub struct World {
    root: PathBuf,
    groups: RefCell<Vec<u32>>,
    // Dropped last: the processes end before their directory goes.
    _directory: TempDir,
}

impl World {
    /// Makes a new world: an empty home with settings that keep the clients off the network, and a git project.
    pub fn new() -> World {
        let directory = tempfile::Builder::new().prefix("memoir-world-").tempdir().expect("a directory for the world");
        let root = fs::canonicalize(directory.path()).expect("the directory that was just made");
        let world = World { root, groups: RefCell::default(), _directory: directory };
        // Codex makes its helper links only when its home is not inside the directory for temporary files.
        for path in [world.temp(), world.project(), world.output()] {
            fs::create_dir_all(&path).expect("directories in a new world");
        }
        world.make_project();
        settings::write(&world);
        world
    }

    /// A new world when the clients can be had; otherwise a line on stderr says why not, and the test shall return.
    pub fn with_clients() -> Option<World> {
        Clients::get().map(|_| World::new())
    }

    /// The home directory of the clients.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The project that the clients work in, a git repository with one commit.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The directory of everything, for what a test wants to lay beside home and project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The settings file of a client; it is there from the start and may be changed between runs.
    pub fn settings(&self, client: Client) -> PathBuf {
        self.home().join(match client {
            Client::Codex => ".codex/config.toml",
            Client::Claude => ".claude/settings.json",
            Client::Gemini => ".gemini/settings.json",
        })
    }

    /// The session files of a client, those of sub-agents included, sorted by path.
    pub fn sessions(&self, client: Client) -> Vec<PathBuf> {
        let folder = self.home().join(match client {
            Client::Codex => ".codex/sessions",
            Client::Claude => ".claude/projects",
            Client::Gemini => ".gemini/tmp",
        });
        let mut files = Vec::new();
        collect(&folder, &mut files);
        files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        files
    }

    /// Lets a client call a command for these of its events, in addition to the hooks that it has.
    ///
    /// For Codex the hooks are trusted as well; without that it would not run them, and not say so.
    pub fn hooks(&self, client: Client, command: &str, events: &[&str]) {
        hooks::write(self, client, command, events);
    }

    /// A run of Codex (`codex exec`).
    pub fn codex<'a>(&'a self, model: &'a Model) -> Run<'a> {
        Run::new(self, Client::Codex, model)
    }

    /// A run of Claude Code (`claude -p`).
    pub fn claude<'a>(&'a self, model: &'a Model) -> Run<'a> {
        Run::new(self, Client::Claude, model)
    }

    /// A run of Gemini CLI (`gemini -y -p`).
    pub fn gemini<'a>(&'a self, model: &'a Model) -> Run<'a> {
        Run::new(self, Client::Gemini, model)
    }

    /// A run of any client.
    pub fn run<'a>(&'a self, client: Client, model: &'a Model) -> Run<'a> {
        Run::new(self, client, model)
    }

    /// Starts a command in a terminal of its own, in the project, with the world's environment.
    pub fn terminal(&self, mut command: Command) -> Terminal {
        self.dress(&mut command);
        Terminal::start(|stdin, stdout, stderr| self.start(command.stdin(stdin).stdout(stdout).stderr(stderr)))
    }

    /// Starts the interactive form of a client in a terminal and waits until it takes keys.
    pub fn chat(&self, client: Client, model: &Model) -> Terminal {
        let terminal = self.terminal(self.interactive(client, model));
        terminal.wait_for(match client {
            Client::Codex => "Ask Codex to do anything",
            Client::Claude => "❯",
            Client::Gemini => "Type your message",
        });
        terminal
    }

    /// The command of the interactive form of a client, for [`World::terminal`] with more arguments or variables.
    pub fn interactive(&self, client: Client, model: &Model) -> Command {
        command::interactive(self, client, model)
    }

    /// Gives a command the project as its directory and an environment of nothing but the world's.
    pub fn dress(&self, command: &mut Command) {
        let own: Vec<_> =
            command.get_envs().map(|(key, value)| (key.to_owned(), value.map(ToOwned::to_owned))).collect();
        command.current_dir(self.project()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home()).env("TMPDIR", self.temp());
        command.envs([("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh")]);
        for (key, value) in own {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
    }

    /// Arguments that lead a client to the model, for a caller that starts it in its own way.
    pub fn model_args(&self, client: Client, model: &Model) -> Vec<String> {
        command::model_args(client, &model.url())
    }

    /// Dresses a command that starts a client in its own way, with what leads it to the model.
    pub fn dress_for(&self, client: Client, model: &Model, command: &mut Command) {
        command.envs(settings::environment(client, &model.url()));
        self.dress(command);
    }

    /// The program of a client.
    pub fn program(client: Client) -> PathBuf {
        Clients::get().expect("a test that runs clients begins with World::with_clients").program(client)
    }

    fn temp(&self) -> PathBuf {
        self.home().join("tmp")
    }

    fn output(&self) -> PathBuf {
        self.root.join("output")
    }

    /// Starts a command as the head of a process group that ends with the world.
    fn start(&self, command: &mut Command) -> Child {
        let child = command.process_group(0).spawn().expect("a client that is installed can be started");
        self.groups.borrow_mut().push(child.id());
        child
    }

    fn make_project(&self) {
        fs::write(self.project().join("README.md"), "A project for tests.\n").expect("a file in the project");
        let author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        for words in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-q", "-m", "Begin"]] {
            let mut git = Command::new("git");
            git.args(author).args(words).stdin(Stdio::null());
            self.dress(&mut git);
            assert!(git.status().expect("git is there").success(), "git {words:?} failed");
        }
    }
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        process::end_all_of(&self.home(), &self.groups.borrow());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            Ok(_) => files.push(entry.path()),
            Err(_) => {}
        }
    }
}
