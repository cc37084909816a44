//! `hook.log` in the home, for whoever looks for what hooks do: events, times and sizes, and no texts.

use crate::home::{Home, now_ms};
use memoir_event::{Client, format_ms};
use memoir_redact::Redactor;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

/// A longer log begins anew.
const BYTES_MAX: u64 = 1 << 20;

/// What one call did.
pub struct Entry<'a> {
    pub client: Client,
    pub event: &'a str,
    pub session: &'a str,
    pub answer_bytes: usize,
    pub took: Duration,
    pub problems: &'a [String],
}

/// Writes one line; if that fails, nobody is told.
pub fn write(home: &Home, entry: &Entry<'_>, redactor: &Redactor) {
    let Entry { client, event, session, answer_bytes, took, problems } = entry;
    let session = Client::shown_session(Some(*client), session);
    let problems = problems.iter().map(|problem| format!("; {problem}")).collect::<String>();
    let line = format!(
        "{} {event} {session} {} ms, answered {answer_bytes} bytes{problems}",
        format_ms(now_ms()),
        took.as_millis()
    );
    let line = redactor.text(&line).replace(['\n', '\r'], " ");
    let file = home.dir().join("hook.log");
    let is_long = std::fs::metadata(&file).is_ok_and(|file| file.len() > BYTES_MAX);
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(!is_long).truncate(is_long);
    if let Ok(mut log) = options.open(&file) {
        let _ = log.write_all(format!("{line}\n").as_bytes());
    }
}
