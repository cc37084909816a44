//! Session files that come in pieces, together, doubled, packed, copied, rewritten and in any order.

use crate::any_order::{any_client, check};
use crate::world::{World, cases};
use memoir_testkit::Client;
use memoir_testkit::files::{
    Manner, Recording, Scenario, Way, in_old_codex_form, in_old_gemini_form, record, scenario,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fs;

/// A piece of a file: which file grows, how far, and whether somebody imports then.
type Piece = (Index, Index, bool);

/// How a session is spelt: Codex copied what forks go on from, until it began to name where that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Today,
    /// Copied, each line with its turn.
    Copied,
    /// Copied, and no line tells its turn.
    CopiedBare,
}

type Session = (Client, Scenario, Form);

/// Two sessions of two clients, or of one.
fn two_sessions() -> impl Strategy<Value = [Session; 2]> {
    let form = || select(vec![Form::Today, Form::Copied, Form::CopiedBare]);
    [(any_client(), scenario(0).boxed(), form()), (any_client(), scenario(1).boxed(), form())]
}

/// As [`two_sessions`], none of which begins with a copy of another: such a file is never there before the other.
fn two_roots() -> impl Strategy<Value = [Session; 2]> {
    two_sessions().prop_map(|sessions| {
        sessions.map(|(client, scenario, _)| (client, Scenario { fork: None, ..scenario }, Form::Today))
    })
}

struct Two {
    world: World,
    told: Vec<(Recording, Scenario)>,
}

impl Two {
    fn new(sessions: [Session; 2]) -> Two {
        let world = World::new();
        let home = world.home();
        let told = sessions.map(|(client, scenario, form)| {
            let recording = record(client, &scenario, &home);
            let recording = match (client, form) {
                (Client::Codex, Form::Copied) => in_old_codex_form(&recording, true),
                (Client::Codex, Form::CopiedBare) => in_old_codex_form(&recording, false),
                _ => recording,
            };
            (recording, scenario)
        });
        Two { world, told: told.into() }
    }

    /// Every file of both sessions. What the client shares between sessions is there once, with both in it.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = Vec::new();
        for (name, bytes) in self.told.iter().flat_map(|(recording, _)| recording.files()) {
            match files.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) if name.ends_with(".json") => *known = joined(known, &bytes),
                Some((_, known)) => known.extend(bytes),
                None => files.push((name, bytes)),
            }
        }
        files
    }

    fn check(&self) -> Result<(), TestCaseError> {
        self.told.iter().try_for_each(|(recording, scenario)| check(&self.world, recording, scenario, &[Way::History]))
    }
}

/// Two JSON lists as one.
fn joined(first: &[u8], second: &[u8]) -> Vec<u8> {
    let list = |bytes: &[u8]| serde_json::from_slice::<Vec<serde_json::Value>>(bytes).unwrap();
    serde_json::to_vec(&[list(first), list(second)].concat()).unwrap()
}

/// Every line as often as that says.
fn repeated(bytes: &[u8], times: &[u8]) -> Vec<u8> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').zip(times.iter().cycle());
    lines.flat_map(|(line, times)| line.repeat(usize::from(*times))).collect()
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn files_that_grow_in_pieces_of_any_size_give_the_same(sessions in two_roots(), pieces in vec(any::<Piece>(), 0..24)) {
        let two = Two::new(sessions);
        let files = two.files();
        let mut ends = vec![0; files.len()];
        for (which, how_far, imports) in pieces {
            let at = which.index(files.len());
            let ((name, bytes), end) = (&files[at], &mut ends[at]);
            let next = *end + how_far.index(bytes.len() - *end + 1);
            two.world.append(name, &bytes[*end..next]);
            *end = next;
            if imports {
                two.world.import();
            }
        }
        for ((name, bytes), end) in files.iter().zip(ends) {
            two.world.append(name, &bytes[end..]);
        }
        two.world.import();
        two.check()?;
    }

    #[test]
    fn files_that_are_cut_replaced_or_written_anew_give_the_same(
        sessions in two_roots(), pieces in vec(any::<Piece>(), 1..12),
    ) {
        let two = Two::new(sessions);
        let files = two.files();
        for (which, how_much, anew) in pieces {
            let (name, bytes) = &files[which.index(files.len())];
            if anew {
                let _ = fs::remove_file(two.world.path(name));
            }
            two.world.put(name, &bytes[..how_much.index(bytes.len() + 1)]);
            two.world.import();
        }
        files.iter().for_each(|(name, bytes)| two.world.put(name, bytes));
        two.world.import();
        two.check()?;
    }

    #[test]
    fn lines_that_are_written_twice_count_once(sessions in two_sessions(), times in vec(1u8..3, 1..30)) {
        let two = Two::new(sessions);
        for (name, bytes) in two.files() {
            let is_lines = name.ends_with(".jsonl");
            two.world.put(&name, &if is_lines { repeated(&bytes, &times) } else { bytes });
        }
        two.world.import();
        two.check()?;
    }

    #[test]
    fn files_read_one_by_one_in_any_order_and_again_as_copies_give_the_same(
        sessions in two_sessions(), order in vec(any::<Index>(), 0..6),
    ) {
        let two = Two::new(sessions);
        let files = two.files();
        for (name, bytes) in &files {
            two.world.put(name, bytes);
            two.world.put(&copy_of(name), bytes);
        }
        for which in order {
            two.world.import_path(&two.world.path(&files[which.index(files.len())].0));
        }
        two.world.import();
        two.check()?;
    }

    #[test]
    fn rollouts_that_are_packed_or_archived_meanwhile_give_the_same(
        scenario in scenario(0), how_far in any::<Index>(), archives: bool,
    ) {
        let two = Two::new([
            (Client::Codex, scenario.clone(), Form::Today),
            (Client::Claude, Scenario { number: 1, fork: None, ..scenario }, Form::Today),
        ]);
        let files = two.files();
        for (name, bytes) in &files {
            two.world.put(name, &bytes[..how_far.index(bytes.len() + 1)]);
        }
        two.world.import();
        for (name, bytes) in &files {
            let is_rollout = name.starts_with(".codex/");
            if !is_rollout {
                two.world.put(name, bytes);
                continue;
            }
            fs::remove_file(two.world.path(name)).unwrap();
            if archives {
                let file = name.rsplit('/').next().unwrap();
                two.world.put(&format!(".codex/archived_sessions/{file}"), bytes);
            } else {
                two.world.put(&format!("{name}.zst"), &zstd::encode_all(bytes.as_slice(), 3).unwrap());
            }
        }
        two.world.import();
        two.check()?;
    }

    #[test]
    fn chats_of_old_and_of_today_give_the_same(mut scenario in scenario(0), old_first: bool) {
        // Neither form tells where the other was cut off.
        scenario.manner = Manner::Typed;
        let two = Two::new([
            (Client::Gemini, scenario.clone(), Form::Today),
            (Client::Claude, Scenario { number: 1, ..scenario }, Form::Today),
        ]);
        let recording = &two.told[0].0;
        let old = in_old_gemini_form(recording);
        let (first, second) = if old_first { (&old, recording) } else { (recording, &old) };
        for form in [first, second] {
            two.world.put_all(form);
            two.world.import();
        }
        two.world.put_all(&two.told[1].0);
        two.world.import();
        two.check()?;
    }
}

/// Where a copy of a session file may stand: clients keep sessions of other projects beside it.
fn copy_of(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((dir, file)) if name.starts_with(".claude/") => format!("{dir}-copied/{file}"),
        Some((_, file)) if name.starts_with(".codex/") => format!(".codex/archived_sessions/{file}"),
        _ => name.to_owned(),
    }
}
