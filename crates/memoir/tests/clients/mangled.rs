//! Session files that a real client wrote, cut, grown, replaced and doubled: the journal ends up the same.

use crate::check::{assert_same, facts};
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::{answer_of_agent, send_agent, wait_for_agent, write};
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model, Reply};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::fs;
use std::path::PathBuf;

for_each_client! {
    codex_files_in_any_pieces_give_the_same: Codex,
    claude_files_in_any_pieces_give_the_same: Claude,
    gemini_files_in_any_pieces_give_the_same: Gemini,
    => files_in_any_pieces
}

fn files_in_any_pieces(client: Client) {
    let Some(desk) = Desk::new() else { return };
    work(&desk, client);
    desk.import(Home::Usual);
    let whole = facts(&desk, client, &desk.events(Home::Usual));
    let files: Vec<(PathBuf, Vec<u8>)> =
        desk.world.sessions(client).into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
    let step = (any::<Index>(), any::<Index>(), prop_oneof![Just(Write::Anew), Just(Write::Over), Just(Write::Twice)]);
    let mut runner = TestRunner::new(Config {
        cases: 8,
        rng_seed: RngSeed::Fixed(0),
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&proptest::collection::vec(step, 1..8), |steps| {
        let _ = fs::remove_dir_all(desk.home_dir(Home::Apart));
        files.iter().for_each(|(file, _)| fs::write(file, "").unwrap());
        for (which, how_far, write) in steps {
            let (file, bytes) = &files[which.index(files.len())];
            write.put(file, &bytes[..how_far.index(bytes.len() + 1)]);
            desk.import(Home::Apart);
        }
        files.iter().for_each(|(file, bytes)| fs::write(file, bytes).unwrap());
        desk.import(Home::Apart);
        assert_same("whole files and pieces", &whole, &facts(&desk, client, &desk.events(Home::Apart)));
        Ok(())
    });
    result.unwrap();
}

/// How a piece of a file gets there.
#[derive(Debug, Clone, Copy)]
enum Write {
    /// In a new file of that name.
    Anew,
    /// Into the file that is there.
    Over,
    /// With its last line written twice.
    Twice,
}

impl Write {
    fn put(self, file: &PathBuf, bytes: &[u8]) {
        match self {
            Write::Anew => fs::remove_file(file).unwrap(),
            Write::Over | Write::Twice => {}
        }
        let mut bytes = bytes.to_vec();
        if matches!(self, Write::Twice) && bytes.ends_with(b"\n") {
            let start = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            bytes.extend_from_within(start..);
        }
        fs::write(file, bytes).unwrap();
    }
}

/// A session with tools and a sub-agent, and its resume.
fn work(desk: &Desk, client: Client) {
    let mut replies = vec![
        Reply::new().reasoning("I should look.").text("Let me look.").shell("echo from-the-shell"),
        shell("echo it-failed; exit 3"),
        write(client),
        send_agent(client),
        answer_of_agent(client).for_agent(),
    ];
    replies.extend(wait_for_agent(client));
    replies.extend([text("It is written."), shell("echo from-the-shell"), text("It is written.")]);
    let model = Model::start(replies);
    let run = || match client {
        Client::Codex => desk.run(client, &model).model_name("gpt-6-sol"),
        Client::Claude | Client::Gemini => desk.run(client, &model),
    };
    run().allow(&["Bash", "Write", "Agent"]).prompt("first prompt").run().ok();
    run().allow(&["Bash", "Write", "Agent"]).prompt("first prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
}
