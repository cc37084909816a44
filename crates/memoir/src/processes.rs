//! The process of the client that called a hook, where the system tells.

use crate::home::non_empty;
use memoir_session::Process;

/// So many shells may stand between a client and its hook.
#[cfg(target_os = "linux")]
const SHELLS_MAX: usize = 3;
/// In the command of Codex's daemon, under which sessions of all terminals run.
#[cfg(target_os = "linux")]
const SHARED: &[u8] = b"app-server";

/// Whether that very process is still running; a process that was started later under the same number is another.
pub fn is_alive(process: &Process) -> bool {
    started(process.pid) == Some(process.started)
}

/// The client that called this hook; none where many sessions share one process, or nobody can tell.
pub fn client() -> Option<Process> {
    let named = non_empty("CLAUDE_PID").and_then(|pid| pid.parse().ok());
    let pid = named.or_else(caller)?;
    Some(Process { pid, started: started(pid)? })
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
        pid = field(pid, 1)?.parse().ok()?;
    }
    None
}

#[cfg(not(target_os = "linux"))]
const fn caller() -> Option<u32> {
    None
}

/// When a process was started, in the system's ticks since it came up.
#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<u64> {
    field(pid, 19)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
const fn started(_pid: u32) -> Option<u64> {
    None
}

/// A field of what the system tells of a process, counted from behind its name, which may hold anything.
#[cfg(target_os = "linux")]
fn field(pid: u32, number: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(number).map(str::to_owned)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_number_and_when_it_was_started() {
        let pid = std::process::id();
        let me = Process { pid, started: started(pid).unwrap() };
        assert!(is_alive(&me));
        assert!(!is_alive(&Process { started: me.started + 1, ..me }));
        assert!(!is_alive(&Process { pid: u32::MAX, ..me }));
        let parent = std::os::unix::process::parent_id();
        assert_eq!(field(pid, 1).and_then(|pid| pid.parse().ok()), Some(parent));
    }
}
