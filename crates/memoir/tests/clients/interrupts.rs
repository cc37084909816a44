//! Turns that the user ends: what was said and begun by then is known, and the session goes on.

use crate::check::{everything_is_known_once_and_more, hooks_have_fired};
use crate::desk::{Desk, Home};
use crate::for_each_client;
use memoir_testkit::model::text;
use memoir_testkit::{Client, Model, Signal};

for_each_client! {
    codex_an_interrupted_turn_is_known_once: Codex,
    claude_an_interrupted_turn_is_known_once: Claude,
    gemini_an_interrupted_turn_is_known_once: Gemini,
    => an_interrupted_turn
}

fn an_interrupted_turn(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model =
        Model::start(vec![text("This takes long.").shell("touch begun; sleep 100"), text("The second answer.")]);
    let begun = desk.world.project().join("begun");
    let signal = if client == Client::Gemini { Signal::Terminate } else { Signal::Interrupt };
    let first = desk.run(client, &model).prompt("first prompt");
    let first = first.interrupt_after(signal, |_| begun.exists()).run();
    assert!(!first.timed_out, "{first:?}");
    desk.import(Home::Usual);
    desk.run(client, &model).prompt("second prompt").resume().run().ok();
    assert_eq!(model.replies_left(), 0);
    let extra = everything_is_known_once_and_more(&desk, client, &model);
    // Gemini does not write down a call that never returned.
    assert_eq!(extra.len(), usize::from(client == Client::Gemini), "{extra:#?}");
    hooks_have_fired(&desk, client);
    assert!(extra.iter().all(|fact| fact.contains("touch begun; sleep 100")), "{extra:#?}");
}
