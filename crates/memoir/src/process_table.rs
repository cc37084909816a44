//! Which processes are running: how a session is known to go on though nobody touches it.

use memoir_session::Process;

/// The process of that id, if there is one.
pub fn process(pid: u32) -> Option<Process> {
    let started = started(pid)?;
    Some(Process { pid, started })
}

/// Whether that very process is running: not another one that got its id later.
pub fn is_alive(process: &Process) -> bool {
    started(process.pid) == Some(process.started)
}

/// When a process started, in the ticks that the kernel counts; none if there is no such process, or it is only waiting to
/// be buried.
#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, brackets and blanks too.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    if matches!(fields.first(), Some(&("Z" | "X"))) {
        return None;
    }
    fields.get(19)?.parse().ok()
}

/// Whether there is a process of that id; when it started is not asked here.
#[cfg(all(unix, not(target_os = "linux")))]
fn started(pid: u32) -> Option<u64> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    rustix::process::test_kill_process(pid).ok().map(|()| 0)
}

#[cfg(not(unix))]
fn started(_pid: u32) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_alive_until_it_ends_and_another_with_its_id_is_not_it() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let known = Process { pid: child.id(), started: started(child.id()).unwrap() };
        assert!(is_alive(&known));
        if cfg!(target_os = "linux") {
            assert!(!is_alive(&Process { started: known.started + 1, ..known }));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(&known));
    }
}
