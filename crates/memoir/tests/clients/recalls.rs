//! What one session taught reaches the model in the next, in whatever client, once, and does not come back as anybody's
//! words.

use crate::check::everything_is_known_once;
use crate::desk::{Desk, Home};
use crate::for_each_client;
use crate::script::summary;
use memoir_testkit::model::{shell, text};
use memoir_testkit::{Client, Model, Purpose, Seen, Signal};
use std::thread;
use std::time::Duration;

const LESSON: &str = "Deploys go through the script ship-it.sh, never through kubectl.";
const QUESTION: &str = "How do we deploy, with kubectl?";
/// The same for a terminal, where a question mark is a key of its own.
const TYPED: &str = "How do we deploy, with kubectl";
/// Words of the lesson that nothing else has.
const TAUGHT: &str = "never through kubectl";

/// What the model was sent with the last request of a conversation.
fn last_request(model: &Model, client: Client) -> Seen {
    let of_client = |seen: &Seen| seen.client == Some(client) && seen.purpose == Purpose::Turn;
    model.requests().into_iter().rfind(of_client).unwrap()
}

fn times_heard(seen: &Seen) -> usize {
    seen.body.to_string().matches(TAUGHT).count()
}

fn times_known(desk: &Desk) -> usize {
    desk.events(Home::Usual).iter().filter(|event| event.to_string().contains(TAUGHT)).count()
}

for_each_client! {
    codex_what_a_session_taught_reaches_the_next_ones_of_all_clients_once: Codex,
    claude_what_a_session_taught_reaches_the_next_ones_of_all_clients_once: Claude,
    gemini_what_a_session_taught_reaches_the_next_ones_of_all_clients_once: Gemini,
    => what_a_session_taught
}

fn what_a_session_taught(teacher: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![text("Understood.")]);
    desk.run(teacher, &model).prompt(LESSON).run().ok();
    for pupil in Client::ALL {
        let model = Model::start(vec![text("With the script."), text("As before.")]);
        desk.run(pupil, &model).prompt(QUESTION).run().ok();
        let seen = last_request(&model, pupil);
        assert_eq!(times_heard(&seen), 1, "{teacher:?} to {pupil:?}: {}", seen.body);
        assert!(seen.body.to_string().contains("memoir-context"), "{teacher:?} to {pupil:?}");
        // Gone on with, it is still there once: it was said in this conversation already.
        desk.run(pupil, &model).prompt("And how do we deploy on fridays, with kubectl?").resume().run().ok();
        let seen = last_request(&model, pupil);
        assert_eq!(times_heard(&seen), 1, "{teacher:?} to {pupil:?}, gone on: {}", seen.body);
        desk.import(Home::Usual);
        assert_eq!(times_known(&desk), 1, "{teacher:?} to {pupil:?}");
        everything_is_known(&desk, pupil, &model);
    }
    assert_eq!(times_known(&desk), 1);
}

/// Whatever the pupil's model heard of its user is known, and nothing else is the user's.
fn everything_is_known(desk: &Desk, pupil: Client, model: &Model) {
    let prompts: Vec<String> = desk
        .events(Home::Usual)
        .iter()
        .filter(|event| event["kind"] == "user_message" && event["client"] == pupil.name())
        .map(|event| event["payload"]["prompt"].as_str().unwrap().trim().to_owned())
        .collect();
    assert_eq!(model.replies_left(), 0);
    assert!(prompts.iter().all(|prompt| !prompt.contains("memoir-context")), "{prompts:?}");
    assert!(prompts.iter().filter(|prompt| *prompt == QUESTION).count() == 1, "{prompts:?}");
}

for_each_client! {
    codex_what_was_injected_changes_nothing_of_what_is_known: Codex,
    claude_what_was_injected_changes_nothing_of_what_is_known: Claude,
    gemini_what_was_injected_changes_nothing_of_what_is_known: Gemini,
    => what_was_injected
}

fn what_was_injected(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![text("Understood."), shell("echo from-the-shell"), text("With the script.")]);
    desk.run(client, &model).prompt(LESSON).run().ok();
    desk.run(client, &model).prompt(QUESTION).allow(&["Bash"]).run().ok();
    assert_eq!(times_heard(&last_request(&model, client)), 1);
    everything_is_known_once(&desk, client, &model);
}

/// What a compaction dropped may come again; Gemini does not tell hooks of it.
#[test]
fn codex_and_claude_are_told_again_what_a_compaction_dropped() {
    for (client, tokens) in [(Client::Codex, 9_000), (Client::Claude, 990_000)] {
        let Some(desk) = Desk::with_hooks() else { return };
        let model = Model::start(vec![
            summary(client).for_compaction().always(),
            text("Understood."),
            shell("echo from-the-shell").usage(tokens, 20, 0),
            text("Done."),
            text("With the script."),
        ]);
        let run = || {
            let run = desk.run(client, &model);
            if client == Client::Codex { run.arg("-c").arg("model_auto_compact_token_limit=5000") } else { run }
        };
        run().prompt(LESSON).run().ok();
        run().prompt("second prompt").resume().run().ok();
        run().prompt(QUESTION).resume().run().ok();
        assert!(model.requests().iter().any(|seen| seen.purpose == Purpose::Compaction), "{client:?}");
        let seen = last_request(&model, client);
        assert!(times_heard(&seen) >= 1, "{client:?}: {}", seen.body);
    }
}

for_each_client! {
    codex_what_a_killed_session_taught_reaches_the_next: Codex,
    claude_what_a_killed_session_taught_reaches_the_next: Claude,
    gemini_what_a_killed_session_taught_reaches_the_next: Gemini,
    => what_a_killed_session_taught
}

fn what_a_killed_session_taught(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![text("This takes long.").shell("touch begun; sleep 100"), text("With the script.")]);
    let begun = desk.world.project().join("begun");
    desk.run(client, &model).prompt(LESSON).interrupt_after(Signal::Kill, |_| begun.exists()).run();
    desk.run(client, &model).prompt(QUESTION).run().ok();
    assert_eq!(times_heard(&last_request(&model, client)), 1);
    desk.import(Home::Usual);
    assert_eq!(times_known(&desk), 1);
}

for_each_client! {
    codex_two_sessions_at_once_are_told_the_same_once_each: Codex,
    claude_two_sessions_at_once_are_told_the_same_once_each: Claude,
    gemini_two_sessions_at_once_are_told_the_same_once_each: Gemini,
    => two_at_once
}

fn two_at_once(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![text("Understood.")]);
    desk.run(client, &model).prompt(LESSON).run().ok();
    let models = [(); 2].map(|()| Model::start(vec![text("With the script.").delay(Duration::from_secs(1))]));
    let mut chats: Vec<_> = models.iter().map(|model| desk.world.chat(client, model)).collect();
    chats.iter().for_each(|chat| chat.submit(TYPED));
    chats.iter().for_each(|chat| chat.wait_for("With the script."));
    for (chat, model) in chats.iter_mut().zip(&models) {
        assert_eq!(times_heard(&last_request(model, client)), 1);
        chat.submit(if client == Client::Claude { "/exit" } else { "/quit" });
        assert!(chat.wait_exit(Duration::from_secs(20)).is_some(), "{}", chat.screen());
    }
    desk.import(Home::Usual);
    assert_eq!(times_known(&desk), 1);
    desk.memoir(Home::Usual, &["verify"]);
}

for_each_client! {
    codex_a_conversation_that_is_cleared_is_remembered_in_the_next: Codex,
    claude_a_conversation_that_is_cleared_is_remembered_in_the_next: Claude,
    gemini_a_conversation_that_is_cleared_is_remembered_in_the_next: Gemini,
    => a_cleared_conversation
}

fn a_cleared_conversation(client: Client) {
    let Some(desk) = Desk::with_hooks() else { return };
    let model = Model::start(vec![text("Understood."), text("With the script.")]);
    let mut chat = desk.world.chat(client, &model);
    chat.submit(LESSON);
    chat.wait_for("Understood.");
    // The turn is over only when its hooks are: until then no client takes a command.
    thread::sleep(Duration::from_secs(3));
    // Codex asks about `/new` where it shall run.
    chat.submit("/clear");
    thread::sleep(Duration::from_secs(3));
    chat.submit(TYPED);
    chat.wait_for("With the script.");
    assert_eq!(times_heard(&last_request(&model, client)), 1);
    chat.submit(if client == Client::Claude { "/exit" } else { "/quit" });
    assert!(chat.wait_exit(Duration::from_secs(20)).is_some(), "{}", chat.screen());
    desk.import(Home::Usual);
    assert_eq!(times_known(&desk), 1);
}
