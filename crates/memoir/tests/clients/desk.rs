//! A user's desk: a home, a project, the clients, and memoir in it.

use memoir_testkit::{Client, Model, Run, World};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub const MEMOIR: &str = env!("CARGO_BIN_EXE_memoir");

/// A home of memoir's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The usual one, which hooks write to.
    Usual,
    /// One that no hook knows.
    Apart,
}

/// A world with memoir in it.
pub struct Desk {
    pub world: World,
    /// What the user has set in the environment.
    pub variables: Vec<(&'static str, PathBuf)>,
}

impl Desk {
    /// A desk without hooks, if the clients can be had.
    pub fn new() -> Option<Desk> {
        World::with_clients().map(|world| Desk { world, variables: Vec::new() })
    }

    /// A desk where the user has said `memoir init` and agreed to everything.
    pub fn with_hooks() -> Option<Desk> {
        let desk = Desk::new()?;
        desk.memoir(Home::Usual, &["init", "--yes"]);
        Some(desk)
    }

    pub fn home_dir(&self, home: Home) -> PathBuf {
        match home {
            Home::Usual => self.world.home().join(".memoir"),
            Home::Apart => self.world.root().join("apart"),
        }
    }

    /// A call of memoir, in the project.
    pub fn command(&self, home: Home, args: &[&str]) -> Command {
        let mut command = Command::new(MEMOIR);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if home == Home::Apart {
            command.arg("--home").arg(self.home_dir(home));
        }
        command.args(args).stdin(Stdio::null());
        self.world.dress(&mut command);
        command
    }

    /// A run of a client.
    pub fn run<'a>(&'a self, client: Client, model: &'a Model) -> Run<'a> {
        let run = self.world.run(client, model);
        self.variables.iter().fold(run, |run, (name, value)| run.env(name, value))
    }

    /// What memoir prints; it must do well.
    pub fn memoir(&self, home: Home, args: &[&str]) -> String {
        let output = self.command(home, args).output().unwrap();
        assert!(output.status.success(), "memoir {args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What memoir prints, as JSON lines.
    pub fn json(&self, home: Home, args: &[&str]) -> Vec<Value> {
        self.memoir(home, args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Everything in the journal, the oldest first.
    pub fn events(&self, home: Home) -> Vec<Value> {
        self.json(home, &["export", "--everything"])
    }

    /// Imports what is on disk, and gives the summary.
    pub fn import(&self, home: Home) -> Value {
        self.json(home, &["import", "--json"]).remove(0)
    }

    /// What doctor says of a client's hooks.
    pub fn doctor(&self, client: Client) -> Value {
        let name = format!("{} hooks", client.name());
        let checks = self.json(Home::Usual, &["doctor", "--json"]);
        checks.iter().find(|check| check["check"] == name.as_str()).unwrap().clone()
    }
}
