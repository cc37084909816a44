//! How many events could be kept nowhere, and when last. The room for it is taken while there is some: on a full disk
//! nothing new can be written, but what has its place can be overwritten.

use crate::home::{Home, now_ms};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The size of the file.
const ROOM_BYTES: usize = 128;

/// Takes the room, unless it is taken.
pub fn reserve(home: &Home) {
    if !home.dropped_file().exists() {
        let _ = open(home).and_then(|file| overwrite(file, ""));
    }
}

/// Counts events that could be kept nowhere. If even this fails, only a message is left.
pub fn count(home: &Home, events: u64) {
    let counted = open(home).and_then(|mut file| {
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let (before, _) = sum(&text);
        overwrite(file, &format!("{} {}\n", now_ms(), before.saturating_add(events)))
    });
    let _ = counted;
}

/// How many events could be kept nowhere since the last import, and when last.
pub fn read(home: &Home) -> (u64, i64) {
    sum(&std::fs::read_to_string(home.dropped_file()).unwrap_or_default())
}

/// Session files have told what was dropped.
pub fn clear(home: &Home) {
    if read(home).0 > 0 {
        let _ = open(home).and_then(|file| overwrite(file, ""));
    }
}

fn open(home: &Home) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(home.dropped_file())
}

/// Writes a text over everything that is there.
fn overwrite(mut file: File, text: &str) -> io::Result<()> {
    let there = usize::try_from(file.metadata()?.len()).unwrap_or(0);
    let room = there.max(ROOM_BYTES).saturating_sub(text.len());
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{text}{}", "\n".repeat(room)).as_bytes())
}

fn sum(text: &str) -> (u64, i64) {
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let numbers = lines.filter_map(|(at, n)| Some((at.parse::<i64>().ok()?, n.parse::<u64>().ok()?)));
    numbers.fold((0, 0), |(sum, last_ms), (at_ms, n)| (sum.saturating_add(n), last_ms.max(at_ms)))
}
