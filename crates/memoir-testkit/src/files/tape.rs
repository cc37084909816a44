//! What clients leave behind of a scenario, in the order in which they do: lines of files, hook calls, output.

use crate::Client;
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The first scenario begins then: 2026-11-16T03:00:00Z.
const BEGINNING_MS: i64 = 1_794_798_000_000;

/// Scenarios begin so far apart.
const APART_MS: i64 = 7 * 24 * 3600 * 1000;

/// Everything that a client leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The client.
    pub client: Client,
    /// The ids of the sessions: the first, and its fork.
    pub sessions: Vec<String>,
    /// One thing after another.
    pub beats: Vec<Beat>,
}

/// One thing that a client leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Beat {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What.
    pub made: Made,
}

/// What a client does for others to see.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// Appends a line to a file; its path begins at the user's home.
    Line {
        /// The file.
        file: String,
        /// The line, without its newline.
        text: String,
    },
    /// Writes a whole file anew.
    File {
        /// The file.
        file: String,
        /// All of it.
        text: String,
    },
    /// Calls the hook with that payload.
    Hook(String),
    /// Prints a line in its so-manieth run.
    Shown {
        /// The run.
        run: usize,
        /// The line, without its newline.
        text: String,
    },
}

impl Recording {
    /// Every file as it is in the end, in the order in which they were made.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for beat in &self.beats {
            let (Made::Line { file, .. } | Made::File { file, .. }) = &beat.made else { continue };
            let at = files.iter().position(|(known, _)| known == file).unwrap_or_else(|| {
                files.push((file.clone(), Vec::new()));
                files.len() - 1
            });
            let whole = &mut files[at].1;
            match &beat.made {
                Made::Line { text, .. } => {
                    whole.extend_from_slice(text.as_bytes());
                    whole.push(b'\n');
                }
                Made::File { text, .. } => *whole = text.clone().into_bytes(),
                Made::Hook(_) | Made::Shown { .. } => {}
            }
        }
        files
    }

    /// Every hook call and when it is made.
    pub fn hooks(&self) -> Vec<(i64, &str)> {
        let hooks = self.beats.iter().filter_map(|beat| match &beat.made {
            Made::Hook(payload) => Some((beat.at_ms, payload.as_str())),
            _ => None,
        });
        hooks.collect()
    }

    /// What each run printed, line by line.
    pub fn runs(&self) -> Vec<Vec<(i64, &str)>> {
        let mut runs: Vec<Vec<(i64, &str)>> = Vec::new();
        for beat in &self.beats {
            if let Made::Shown { run, text } = &beat.made {
                if runs.len() <= *run {
                    runs.resize(run + 1, Vec::new());
                }
                runs[*run].push((beat.at_ms, text));
            }
        }
        runs
    }
}

/// Where and when a client works: it writes what it leaves behind here.
pub(super) struct Tape {
    pub at_ms: i64,
    number: u32,
    home: PathBuf,
    made_ids: u64,
    sessions: Vec<String>,
    beats: Vec<Beat>,
}

impl Tape {
    pub fn new(number: u32, home: &Path) -> Tape {
        let at_ms = BEGINNING_MS + i64::from(number) * APART_MS;
        Tape { at_ms, number, home: home.to_owned(), made_ids: 0, sessions: Vec::new(), beats: Vec::new() }
    }

    pub fn into_recording(self, client: Client) -> Recording {
        Recording { client, sessions: self.sessions, beats: self.beats }
    }

    /// A session has begun.
    pub fn begin(&mut self, session: &str) {
        self.sessions.push(session.to_owned());
    }

    /// Lets time pass.
    pub fn wait(&mut self, ms: i64) {
        self.at_ms += ms;
    }

    /// The directory in which the session works.
    pub fn cwd(&self) -> String {
        self.home.join("work").to_string_lossy().into_owned()
    }

    /// A file of the user's, by its whole path.
    pub fn path_of(&self, file: &str) -> String {
        self.home.join(file).to_string_lossy().into_owned()
    }

    pub fn line(&mut self, file: &str, line: &Value) {
        self.push(Made::Line { file: file.to_owned(), text: line.to_string() });
    }

    pub fn file(&mut self, file: &str, text: String) {
        self.push(Made::File { file: file.to_owned(), text });
    }

    pub fn hook(&mut self, payload: &Value) {
        self.push(Made::Hook(payload.to_string()));
    }

    pub fn show(&mut self, run: usize, line: &Value) {
        self.push(Made::Shown { run, text: line.to_string() });
    }

    /// What was made so far, for a session that begins with a copy of it.
    pub fn beats(&self) -> &[Beat] {
        &self.beats
    }

    fn push(&mut self, made: Made) {
        self.beats.push(Beat { at_ms: self.at_ms, made });
        self.at_ms += 7;
    }

    /// The time as clients write it.
    pub fn now(&self) -> String {
        iso(self.at_ms)
    }

    /// So many hexadecimal digits that nothing else has.
    pub fn hex(&mut self, digits: usize) -> String {
        self.made_ids += 1;
        let hash = Sha256::digest(format!("{}/{}", self.number, self.made_ids));
        hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..digits].to_owned()
    }

    /// An id without order.
    pub fn uuid(&mut self) -> String {
        let hex = self.hex(32);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
    }

    /// An id that begins with the time.
    pub fn uuid7(&mut self) -> String {
        let (hex, time) = (self.hex(32), format!("{:012x}", self.at_ms));
        format!("{}-{}-7{}-a{}-{}", &time[..8], &time[8..], &hex[13..16], &hex[17..20], &hex[20..])
    }
}

/// A time as clients write it.
pub(super) fn iso(at_ms: i64) -> String {
    let time = Timestamp::from_millisecond(at_ms).expect("a time of this century");
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A time as it stands in the names of files: to the second.
pub(super) fn file_time(at_ms: i64) -> String {
    let time = Timestamp::from_millisecond(at_ms).expect("a time of this century");
    time.strftime("%Y-%m-%dT%H-%M-%S").to_string()
}
