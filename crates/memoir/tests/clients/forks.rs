//! Forks: a new session that begins with another's history.

use crate::check::everything_is_known_once;
use crate::desk::{Desk, Home};
use crate::for_each_client;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model};

for_each_client! {
    codex_what_a_fork_shares_with_its_parent_is_known_once: Codex,
    claude_what_a_fork_shares_with_its_parent_is_known_once: Claude,
    => a_fork
}

fn a_fork(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![
        shell("echo from-the-shell"),
        text("The first answer."),
        text("The forked answer."),
        text("The parent's second answer."),
        text("The fork's second answer."),
    ]);
    let run = || desk.run(client, &model);
    run().prompt("first prompt").run().ok();
    let parent = model.transcript(client)[0].session.clone();
    run().prompt("forked prompt").fork(&parent).run().ok();
    run().prompt("second prompt").resume_id(&parent).run().ok();
    let fork = model.transcript(client).into_iter().map(|heard| heard.session).find(|id| *id != parent).unwrap();
    run().prompt("second prompt").resume_id(&fork).run().ok();
    assert_eq!(model.replies_left(), 0);
    everything_is_known_once(&desk, client, &model);

    let sessions = desk.json(Home::Usual, &["sessions", "--json"]);
    assert_eq!(sessions.len(), 2, "{sessions:?}");
}
