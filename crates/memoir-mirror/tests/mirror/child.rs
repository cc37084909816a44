//! This test binary as a writer or remover in a process of its own, for tests that kill it or take its disk away.

use crate::world::{SMALL, event_saying, id_set, project, wall_clock};
use memoir_event::Envelope;
use memoir_mirror::{Mirror, MirrorError};
use std::path::Path;
use std::process::Command;

const DIR: &str = "MEMOIR_MIRROR_CHILD_DIR";
const FROM: &str = "MEMOIR_MIRROR_CHILD_FROM";
const SESSIONS: u64 = 5;
const BATCH: u64 = 60;
/// How many events a remover works on.
pub const STOCK: u64 = 120;

/// The `n`th event of all children; sizes vary, so that buffers fill at different moments.
pub fn nth(n: u64) -> Envelope {
    let text = format!("{n} {}", "w".repeat(usize::try_from(n * 7919 % 1500).unwrap()));
    event_saying(&format!("session-{}", n % SESSIONS), n, &text)
}

/// The arguments and variables that make this binary a writer of all events from `from` on.
pub fn prepare(command: &mut Command, dir: &Path, from: u64) {
    command.args(["child::writes_until_it_is_stopped", "--exact", "--nocapture"]);
    command.env(DIR, dir).env(FROM, from.to_string());
}

/// The arguments and variables that make this binary a remover, which begins with this round.
pub fn prepare_removal(command: &mut Command, dir: &Path, round: u64) {
    command.args(["child::removes_and_writes_again_until_it_is_stopped", "--exact", "--nocapture"]);
    command.env(DIR, dir).env(FROM, round.to_string());
}

/// What a remover takes out in a round: all of a session, or some of each.
pub fn going_in(round: u64) -> Vec<Envelope> {
    let goes = |n: &u64| if round.is_multiple_of(3) { n % SESSIONS == round % SESSIONS } else { n % 7 == round % 7 };
    (0..STOCK).filter(goes).map(nth).collect()
}

/// The number in what a child said, after `word`.
pub fn number_after(said: &str, word: &str) -> Option<u64> {
    said.strip_prefix(word)?.trim().parse().ok()
}

/// Does nothing unless another test starts it as a child.
#[test]
fn writes_until_it_is_stopped() {
    let (Ok(dir), Ok(from)) = (std::env::var(DIR), std::env::var(FROM)) else { return };
    let mirror = Mirror::at(Path::new(&dir)).with_limits(SMALL);
    let mut next: u64 = from.parse().unwrap();
    eprintln!("ready 0");
    loop {
        let written = (|| {
            let mut writer = mirror.writer(&project(), &wall_clock())?;
            // Some of the batch before comes again, as it does when nobody knows how far that one came.
            for n in next.saturating_sub(BATCH / 2)..next + BATCH {
                writer.append(&nth(n))?;
            }
            writer.finish()
        })();
        if let Err(error) = written {
            eprintln!("refused {error}");
            return;
        }
        next += BATCH;
        eprintln!("committed {next}");
    }
}

/// Does nothing unless another test starts it as a child.
#[test]
fn removes_and_writes_again_until_it_is_stopped() {
    let (Ok(dir), Ok(from)) = (std::env::var(DIR), std::env::var(FROM)) else { return };
    let mirror = Mirror::at(Path::new(&dir)).with_limits(SMALL);
    let mut round: u64 = from.parse().unwrap();
    eprintln!("ready 0");
    loop {
        let going = going_in(round);
        let done = (|| {
            mirror.remove(&id_set(&going), &wall_clock())?;
            eprintln!("removed {round}");
            let mut writer = mirror.writer(&project(), &wall_clock())?;
            for event in &going {
                writer.append(event)?;
            }
            writer.finish()?;
            Ok::<_, MirrorError>(())
        })();
        if let Err(error) = done {
            eprintln!("refused {error}");
            return;
        }
        round += 1;
        eprintln!("round {round}");
    }
}
