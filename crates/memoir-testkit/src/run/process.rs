//! Processes and their groups: the right one to signal, and the end of all that a world started.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use crate::Client;
use rustix::process::{Pid, Signal as OsSignal, kill_process, kill_process_group};

/// A signal that ends or interrupts a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// What ctrl-c sends.
    Interrupt,
    /// A polite end.
    Terminate,
    /// The terminal went away.
    HangUp,
    /// An end without warning.
    Kill,
}

impl Signal {
    fn os(self) -> OsSignal {
        match self {
            Signal::Interrupt => OsSignal::INT,
            Signal::Terminate => OsSignal::TERM,
            Signal::HangUp => OsSignal::HUP,
            Signal::Kill => OsSignal::KILL,
        }
    }
}

/// Sends a signal to the process that does the work.
///
/// Codex (under an older Node) and Gemini are started by a launcher; Gemini's does not pass signals on.
pub(super) fn signal_worker(child: &Child, client: Client, signal: Signal) {
    let launcher = child.id();
    let is_worker = |pid: &u32| {
        let line = command_line(*pid);
        let program = line.split(['\0', ' ']).next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        match client {
            Client::Codex => program == "codex",
            Client::Claude => false,
            Client::Gemini => program == "node" && line.contains("gemini"),
        }
    };
    let worker = children(launcher).into_iter().find(is_worker).unwrap_or(launcher);
    if let Some(pid) = pid(worker) {
        let _ = kill_process(pid, signal.os());
    }
}

/// Kills the process group of a child that was started as the head of one.
pub(super) fn end_group(child: &Child) {
    if let Some(pid) = pid(child.id()) {
        let _ = kill_process_group(pid, OsSignal::KILL);
    }
}

/// Kills every process with this home: tools and daemons leave the group of the client that started them.
///
/// Where the system does not show the environment of processes, the groups that were started must do.
pub(super) fn end_all_of(home: &Path, groups: &[u32]) {
    const ROUNDS_MAX: usize = 50;
    if !Path::new("/proc/self/environ").exists() {
        for group in groups.iter().filter_map(|group| pid(*group)) {
            let _ = kill_process_group(group, OsSignal::KILL);
        }
        return;
    }
    let mark = [b"HOME=", home.as_os_str().as_encoded_bytes()].concat();
    for _ in 0..ROUNDS_MAX {
        let found: Vec<u32> = all().into_iter().filter(|pid| has_variable(*pid, &mark)).collect();
        if found.is_empty() {
            return;
        }
        for pid in found.into_iter().filter_map(pid) {
            let _ = kill_process(pid, OsSignal::KILL);
        }
        // A process that is being killed may have just started another.
        thread::sleep(Duration::from_millis(10));
    }
}

/// Every process, where the system lists them as files.
fn all() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn has_variable(pid: u32, mark: &[u8]) -> bool {
    // The environment of a dead process that nobody waited for reads as empty.
    fs::read(format!("/proc/{pid}/environ")).is_ok_and(|all| all.split(|byte| *byte == 0).any(|one| one == mark))
}

fn children(parent: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
    let listed = listed.or_else(|_| {
        let output = Command::new("pgrep").args(["-P", &parent.to_string()]).output()?;
        Ok::<_, std::io::Error>(String::from_utf8_lossy(&output.stdout).into_owned())
    });
    listed.unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn command_line(pid: u32) -> String {
    match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => Command::new("ps")
            .args(["-o", "command=", "-p", &pid.to_string()])
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default(),
    }
}

fn pid(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}
