//! The process of the client that called a hook, where the system tells.

use crate::home::non_empty;
use crate::process_table;
use memoir_event::Client;
use memoir_session::Process;

/// So many shells may stand between a client and its hook.
#[cfg(target_os = "linux")]
const SHELLS_MAX: usize = 3;
/// In the command of Codex's daemon, under which sessions of all terminals run.
#[cfg(target_os = "linux")]
const SHARED: &[u8] = b"app-server";

/// The client that called this hook; none where many sessions share one process, or nobody can tell. Claude Code names its
/// process to whatever it starts, another client too.
pub fn client(client: Client) -> Option<Process> {
    let named = non_empty("CLAUDE_PID").filter(|_| client == Client::Claude).and_then(|pid| pid.parse().ok());
    process_table::process(named.or_else(caller)?)
}

/// The first process above this one that is no shell.
#[cfg(target_os = "linux")]
fn caller() -> Option<u32> {
    let mut pid = std::os::unix::process::parent_id();
    for _ in 0..SHELLS_MAX {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let mut words = command.split(|byte| *byte == 0);
        let program = words.next().unwrap_or_default().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_shell = [&b"sh"[..], b"bash", b"dash", b"zsh"].contains(&program) && words.next() == Some(b"-c");
        if !is_shell {
            let is_shared = command.split(|byte| *byte == 0).any(|word| word == SHARED);
            return (!is_shared && pid > 1).then_some(pid);
        }
        pid = parent(pid)?;
    }
    None
}

#[cfg(not(target_os = "linux"))]
const fn caller() -> Option<u32> {
    None
}

/// The process above a process. Its name in brackets may hold anything.
#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_above_this_one_is_known() {
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
        assert_eq!(parent(u32::MAX), None);
    }
}
