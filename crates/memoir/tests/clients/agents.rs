//! Sub-agents: what they were told and did is known, and is nobody's speech in the parent's thread.

use crate::check::everything_is_known_once;
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::{answer_of_agent, send_agent, send_background_agent, wait_for_agent};
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model};
use std::time::Duration;

for_each_client! {
    codex_a_sub_agent_is_known_once: Codex,
    claude_a_sub_agent_is_known_once: Claude,
    gemini_a_sub_agent_is_known_once: Gemini,
    => a_sub_agent
}

fn a_sub_agent(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let mut script = vec![shell("echo from-the-child").for_agent(), answer_of_agent(client).for_agent()];
    script.push(send_agent(client));
    script.extend(wait_for_agent(client));
    script.push(text("The parent is done."));
    let model = Model::start(script);
    let mut run = desk.run(client, &model).prompt("first prompt").allow(&["Bash", "Agent"]);
    if client == Client::Codex {
        run = run.model_name("gpt-6-sol");
    }
    run.run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, client, &model);

    let sessions = desk.json(Home::Usual, &["sessions", "--json"]);
    assert_eq!(sessions.len(), 1, "an agent is a part of its parent's session: {sessions:?}");
}

#[test]
fn claude_what_the_client_says_of_a_background_agent_is_nobodys_speech() {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![
        // The parent has answered by then, and is woken.
        text("The child's answer.").delay(Duration::from_millis(1500)).for_agent(),
        send_background_agent(),
        text("It is on its way."),
        text("The parent is done."),
    ]);
    desk.run(Client::Claude, &model).prompt("first prompt").allow(&["Bash", "Agent"]).run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, Client::Claude, &model);
}
