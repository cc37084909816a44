//! Processes of the binary, and guards that end what they started.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// No command of the suite takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a finished process left behind.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("ended by signal {:?}: {self:?}", self.status.signal()))
    }

    pub fn succeeded(self) -> Ran {
        assert_eq!(self.code(), 0, "{self:?}");
        self
    }

    /// It failed with that code, said so in words that people read, and those hold each of `parts`.
    pub fn failed(self, code: i32, parts: &[&str]) -> Ran {
        assert_eq!(self.code(), code, "{self:?}");
        assert!(!self.err.trim().is_empty(), "it says nothing: {self:?}");
        for line in self.err.lines() {
            assert!(line.starts_with("memoir: "), "not a sentence of ours: {line}");
        }
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing: {self:?}");
        }
        self
    }

    /// As [`Ran::failed`], and in exactly one line.
    pub fn failed_in_one_line(self, code: i32, parts: &[&str]) -> Ran {
        let ran = self.failed(code, parts);
        assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
        ran
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.out.lines().map(parse).collect()
    }
}

/// Runs to the end.
pub fn run(command: Command, input: &[u8]) -> Ran {
    run_measured(command, input).0
}

/// Runs to the end; and the most memory that it held, in kB.
pub fn run_measured(command: Command, input: &[u8]) -> (Ran, u64) {
    let mut running = Running::start(command);
    let mut stdin = running.stdin.take().unwrap();
    let input = input.to_owned();
    // A process that refuses to start does not read its input; that is its right.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let ran = running.finish_measured();
    feeder.join().unwrap();
    ran
}

/// A process that is killed and waited for when the test is done with it.
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    out: Option<Collected>,
    err: Option<Collected>,
}

/// What a process has written, as it comes.
struct Collected {
    so_far: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

impl Collected {
    fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.so_far.lock().unwrap()).into_owned()
    }

    fn all(self) -> String {
        self.thread.join().unwrap();
        String::from_utf8_lossy(&self.so_far.lock().unwrap()).into_owned()
    }
}

impl Running {
    pub fn start(mut command: Command) -> Running {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{error}: {command:?}"));
        let stdin = child.stdin.take();
        let out = child.stdout.take().map(collect);
        let err = child.stderr.take().map(collect);
        Running { child, stdin, out, err }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes to its input; false once it does not read any more.
    pub fn write(&mut self, text: impl AsRef<[u8]>) -> bool {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_ref()).and_then(|()| stdin.flush()).is_ok()
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_raw(self.child.id().try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// What it has written so far, up to its last whole line.
    pub fn out_so_far(&self) -> String {
        let so_far = self.out.as_ref().unwrap().so_far();
        so_far.rfind('\n').map_or(String::new(), |end| so_far[..=end].to_owned())
    }

    /// Waits until its output has that in it.
    pub fn wait_for_output(&mut self, part: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.out.as_ref().unwrap().so_far().contains(part) {
            assert!(Instant::now() < deadline, "`{part}` never came");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// SIGKILL, at once.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end; one that does not come fails the test.
    pub fn finish(self) -> Ran {
        self.finish_measured().0
    }

    /// As [`Running::finish`]; and the most memory that it held, in kB.
    pub fn finish_measured(mut self) -> (Ran, u64) {
        let deadline = Instant::now() + PATIENCE;
        let mut peak_kb = 0;
        let status = loop {
            peak_kb = peak_kb.max(self.peak_kb());
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it hangs");
            std::thread::sleep(Duration::from_millis(2));
        };
        let out = self.out.take().unwrap().all();
        let err = self.err.take().unwrap().all();
        for sign in ["panicked", "RUST_BACKTRACE", "stack backtrace", "thread 'main'"] {
            assert!(!err.contains(sign) && !out.contains(sign), "it panicked: {out}{err}");
        }
        (Ran { status, out, err }, peak_kb)
    }

    /// The most memory that it held so far, as far as the system tells.
    fn peak_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

fn collect(mut from: impl Read + Send + 'static) -> Collected {
    let so_far = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&so_far);
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            into.lock().unwrap().extend_from_slice(&buffer[..read]);
        }
    });
    Collected { so_far, thread }
}

/// A running `memoir serve`.
pub struct Server {
    running: Running,
    pub port: u16,
}

impl Server {
    pub fn start(mut command: Command) -> Server {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let err = child.stderr.take().map(collect);
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        stdout.read_line(&mut first).unwrap();
        let out = Some(collect(stdout));
        let running = Running { child, stdin: None, out, err };
        let Some(port) = first.trim().strip_prefix("memoir listens on http://127.0.0.1:") else {
            panic!("the server does not say where it listens: {first}{:?}", running.finish());
        };
        Server { port: port.parse().unwrap(), running }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn kill(&mut self) {
        self.running.kill();
    }

    /// What it has said on standard error so far.
    pub fn err_so_far(&self) -> String {
        self.running.err.as_ref().map(Collected::so_far).unwrap_or_default()
    }

    /// SIGTERM, and the end that follows.
    pub fn stop(self) -> Ran {
        self.signal(rustix::process::Signal::TERM);
        self.finish()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        self.running.signal(signal);
    }

    pub fn finish(self) -> Ran {
        self.running.finish()
    }
}
