//! A program in a terminal of its own: keys go in, the screen can be read.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::process::{Signal, end_group, signal_worker};
use super::screen::{COLUMNS, ROWS, Screen};
use crate::Client;

/// How long a text on the screen is waited for.
const WAIT_LIMIT: Duration = Duration::from_secs(30);
/// Keys that come faster than a person types are taken for a paste, in which Enter sends nothing.
const KEY_PAUSE: Duration = Duration::from_millis(300);
const POLL: Duration = Duration::from_millis(20);

/// A program in a terminal of 50 rows and 160 columns; it is killed with its process group when dropped.
///
/// The terminal is not the program's controlling one, so closing it sends no signal; use [`Terminal::signal`].
pub struct Terminal {
    child: Child,
    master: File,
    screen: Arc<Mutex<Screen>>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    pub(super) fn start(start: impl FnOnce(Stdio, Stdio, Stdio) -> Child) -> Terminal {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a pseudo-terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("the other side of the terminal");
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("a terminal has a size");
        let name = ptsname(&master, Vec::new()).expect("a terminal has a name");
        let name = name.to_str().expect("a plain name");
        let open = || {
            // A session leader without a terminal would otherwise get this one as its own.
            let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
            Stdio::from(rustix::fs::open(name, flags, rustix::fs::Mode::empty()).expect("the terminal opens"))
        };
        let child = start(open(), open(), open());
        let master = File::from(master);
        let screen = Arc::new(Mutex::new(Screen::new()));
        let (input, shared) = (master.try_clone().expect("a second handle"), Arc::clone(&screen));
        let reader = Some(thread::spawn(move || show(input, &shared)));
        Terminal { child, master, screen, reader }
    }

    /// Sends keys as they are: `"\r"` is Enter, `"\x1b"` Esc, `"\x03"` ctrl-c.
    pub fn send(&self, keys: &str) {
        (&self.master).write_all(keys.as_bytes()).expect("a terminal takes keys");
    }

    /// Types a line, waits until it is on the screen, and presses Enter.
    pub fn submit(&self, line: &str) {
        self.send(line);
        self.wait_for(line);
        thread::sleep(KEY_PAUSE);
        self.send("\r");
    }

    /// What is on the screen now.
    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().text()
    }

    /// Waits until a text is on the screen; fails the test with the screen after half a minute.
    pub fn wait_for(&self, text: &str) {
        self.wait_until(text, |screen| screen.contains(text));
    }

    /// Waits until this holds for the screen.
    pub fn wait_until(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let end = Instant::now() + WAIT_LIMIT;
        while !holds(&self.screen()) {
            assert!(Instant::now() < end, "waited in vain for {what:?} on this screen:\n{}", self.screen());
            thread::sleep(POLL);
        }
    }

    /// Sends a signal to the client's working process.
    pub fn signal(&self, client: Client, signal: Signal) {
        signal_worker(&self.child, client, signal);
    }

    /// Waits until the program has ended; none when it has not within the limit.
    pub fn wait_exit(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        loop {
            let status = self.child.try_wait().expect("a child can be waited for");
            if status.is_some() || Instant::now() > end {
                return status;
            }
            thread::sleep(POLL);
        }
    }

    /// Ends the program, whatever it is at.
    pub fn close(self) {}
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            end_group(&self.child);
            let _ = self.child.wait();
        }
        // A tool that outlives the program keeps the terminal open, so the reader is not waited for.
        drop(self.reader.take());
    }
}

fn show(mut terminal: File, screen: &Mutex<Screen>) {
    let mut bytes = [0; 8192];
    // Reading fails once nobody has the other side open.
    while let Ok(count @ 1..) = terminal.read(&mut bytes) {
        let answers = screen.lock().unwrap().feed(&bytes[..count]);
        if !answers.is_empty() && terminal.write_all(answers.as_bytes()).is_err() {
            return;
        }
    }
}
