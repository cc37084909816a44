//! Compaction: the client forgets and goes on with a summary; memoir forgets nothing and hears nothing twice.

use crate::check::everything_is_known_once;
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::summary;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model, Purpose, Run};

for_each_client! {
    codex_a_compacted_session_is_known_once: Codex,
    claude_a_compacted_session_is_known_once: Claude,
    gemini_a_compacted_session_is_known_once: Gemini,
    => a_compacted_session
}

/// Three turns; the second claims so many tokens that the client compacts before its next step.
fn a_compacted_session(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let tokens = match client {
        Client::Codex => 9000,
        Client::Claude => 990_000,
        Client::Gemini => 600_000,
    };
    let model = long_conversation(client, tokens);
    let run = || compacting(client, desk.run(client, &model));
    run().prompt("first prompt").run().ok();
    run().prompt("second prompt").resume().run().ok();
    run().prompt("third prompt").resume().run().ok();
    is_compacted(&desk, client, &model);
}

#[test]
fn claude_a_session_that_its_user_compacts_is_known_once() {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = long_conversation(Client::Claude, 100);
    let run = || desk.run(Client::Claude, &model);
    run().prompt("first prompt").run().ok();
    run().prompt("second prompt").resume().run().ok();
    run().prompt("/compact").resume().run().ok();
    run().prompt("third prompt").resume().run().ok();
    is_compacted(&desk, Client::Claude, &model);
}

fn long_conversation(client: Client, tokens: u64) -> Model {
    Model::start(vec![
        summary(client).for_compaction().always(),
        text("The first answer."),
        shell("echo from-the-shell").usage(tokens, 20, 0),
        text("The second answer."),
        text("The third answer."),
    ])
}

/// Lets Codex compact early; the others have no such setting.
fn compacting(client: Client, run: Run<'_>) -> Run<'_> {
    match client {
        Client::Codex => run.arg("-c").arg("model_auto_compact_token_limit=5000"),
        Client::Claude | Client::Gemini => run,
    }
}

fn is_compacted(desk: &Desk, client: Client, model: &Model) {
    assert!(model.requests().iter().any(|seen| seen.purpose == Purpose::Compaction));
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(desk, client, model);
    let events = desk.events(Home::Usual);
    let summaries: Vec<String> =
        events.iter().filter(|event| event["kind"] == "session_summary").map(|event| event.to_string()).collect();
    assert_eq!(summaries.len(), 1, "{summaries:#?}");
    assert!(summaries.iter().all(|summary| summary.contains("A summary of the test.")), "{summaries:#?}");
}
