//! Sessions in a terminal: a turn, the command that compacts, another turn, a turn that Esc ends, and the end.

use crate::check::{everything_is_known_once_and_more, hooks_have_fired};
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::summary;
use memoir_testkit::model::text;
use memoir_testkit::{Client, Model};
use std::thread::sleep;
use std::time::Duration;

/// A client takes a moment to settle after keys that it answers with nothing to wait for.
const MOMENT: Duration = Duration::from_millis(500);

for_each_client! {
    codex_a_session_in_a_terminal_is_known_once: Codex,
    claude_a_session_in_a_terminal_is_known_once: Claude,
    gemini_a_session_in_a_terminal_is_known_once: Gemini,
    => a_session_in_a_terminal
}

/// What the user types to compact, what then is on the screen, and what the user types to leave.
fn commands(client: Client) -> [&'static str; 3] {
    match client {
        Client::Codex => ["/compact", "Context compacted", "/quit"],
        Client::Claude => ["/compact", "Compacted", "/exit"],
        Client::Gemini => ["/compress", "compressed from", "/quit"],
    }
}

fn a_session_in_a_terminal(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let [compact, compacted, quit] = commands(client);
    let model = Model::start(vec![
        summary(client).for_compaction().always(),
        text("The first answer.").usage(600_000, 20, 0),
        text("Let me look.").shell("echo from-the-shell"),
        text("The second answer."),
        text("This never ends.").delay(Duration::from_secs(100)),
    ]);
    let mut chat = desk.world.chat(client, &model);
    chat.submit("first prompt");
    chat.wait_for("The first answer.");
    chat.submit(compact);
    chat.wait_for(compacted);
    chat.submit("second prompt");
    chat.wait_for("The second answer.");
    chat.submit("third prompt");
    assert!(model.wait_until(Duration::from_secs(20), |seen| seen.iter().any(|seen| seen.reply == Some(4))));
    sleep(MOMENT);
    chat.send("\x1b");
    sleep(MOMENT);
    // Clients put the prompt that was not answered back into the line.
    chat.send("\x15");
    sleep(MOMENT);
    chat.submit(quit);
    assert!(chat.wait_exit(Duration::from_secs(20)).is_some(), "{}", chat.screen());
    let extra = everything_is_known_once_and_more(&desk, client, &model);
    assert!(extra.is_empty(), "{extra:#?}");
    hooks_have_fired(&desk, client);

    let sessions = desk.json(Home::Usual, &["sessions", "--json"]);
    assert_eq!(sessions.len(), 1, "{sessions:?}");
}
