//! What a commit seals, and what is left for the next one.

use crate::support::*;
use memoir_event::{Kind, Trigger};
use memoir_journal::{Chosen, Depth, Forgetting, Journal, Scope};
use memoir_session::{Began, Effort, Sealed};

#[test]
fn what_a_client_notes_around_a_conversation_is_no_archive_of_its_own() {
    let home = home();
    home.stop("cx-a", "work");
    home.commit_anew("cx-a");
    home.tell("cx-a", Kind::Usage, r#"{"input_tokens":7}"#);
    home.say("cx-a", Kind::SessionSummary, "what the compaction made of it");
    assert!(!home.is_open("cx-a"));
    assert_eq!(home.commit("cx-a"), Sealed::Nothing);
    home.stop("cx-a", "more");
    assert_eq!(home.commit_anew("cx-a").archive.events, 4);
    home.assert_whole("cx-a");
}

#[test]
fn the_latest_archive_is_the_last_in_which_the_user_said_something() {
    let home = home();
    home.stop("cx-a", "make the port configurable");
    home.commit_anew("cx-a");
    home.run("cx-a", "cargo build", 0);
    home.commit_anew("cx-a");
    let latest = home.with(|sessions| sessions.latest(&name("cx-a"))).unwrap().unwrap();
    assert_eq!((latest.1.number, home.archives("cx-a").len()), (1, 2));
}

#[test]
fn too_much_for_a_hook_is_left_as_due_and_worked_off_later() {
    let home = home();
    for turn in 0..20 {
        home.stop("cx-a", &format!("turn {turn}"));
    }
    let hook = Effort { events_max: 10 };
    let sealed = home.with(|sessions| sessions.commit(&name("cx-a"), Trigger::Compaction, hook)).unwrap();
    assert_eq!((sealed, home.archives("cx-a").len()), (Sealed::Due, 0));
    home.stop("cx-a", "goes on");
    assert_eq!(home.worked_off(), ["cx-a"]);
    assert_eq!(home.archives("cx-a")[0].trigger, Trigger::Compaction);
    home.assert_whole("cx-a");
}

#[test]
fn one_start_shares_its_effort_among_all_that_are_over() {
    let home = home();
    for session in ["cx-a", "cx-b", "cx-c"] {
        home.stop(session, "work");
    }
    home.wait(40 * MINUTE);
    let effort = Effort { events_max: 4 };
    let committed = home.with(|sessions| sessions.began(&name("cx-d"), Began::Startup, None, effort)).unwrap();
    assert_eq!(shown_of(&committed), ["cx-a", "cx-b"]);
    assert_eq!(home.pending()[0].due, Some(Trigger::Idle));
    assert_eq!(home.worked_off(), ["cx-c"]);
}

#[test]
fn a_hook_meets_thousands_of_sessions_that_are_over_and_commits_a_few() {
    let home = home();
    let events: Vec<_> = (0..200)
        .map(|n| {
            home.event(&format!("cc-old{n}"), Kind::UserMessage, memoir_event::Content::Text("imported".to_owned()))
        })
        .collect();
    home.append(events, &[]);
    home.with(|sessions| sessions.work_off(&mut |_| false)).unwrap();
    home.stop("cx-just", "work");
    home.wait(31 * MINUTE);
    home.with(|sessions| sessions.work_off(&mut |_| false)).unwrap();
    let effort = Effort { events_max: 300 };
    let committed = home.with(|sessions| sessions.began(&name("cx-new"), Began::Startup, None, effort)).unwrap();
    assert_eq!((committed.len(), shown_of(&committed)[0].as_str()), (8, "cx-just"));
    assert_eq!(home.work_off().committed.len(), 193);
}

#[test]
fn sessions_that_only_an_import_touched_are_found_and_committed_when_they_are_idle() {
    let home = home();
    home.say("cc-a", Kind::UserMessage, "imported");
    assert_eq!(home.pending_names(), ["cc-a"]);
    assert_eq!(home.worked_off(), [""; 0]);
    home.wait(31 * MINUTE);
    assert_eq!(home.worked_off(), ["cc-a"]);
    assert_eq!(home.pending().len(), 0);
    // Something old that arrives late is new, and is committed, too.
    home.wait(-5 * 24 * 60 * MINUTE);
    home.say("cc-a", Kind::AssistantMessage, "from the file, days later");
    home.wait(5 * 24 * 60 * MINUTE);
    assert_eq!(home.worked_off(), ["cc-a"]);
    home.assert_whole("cc-a");
}

#[test]
fn what_is_dated_in_the_future_is_committed_half_an_hour_after_it_was_found() {
    let home = home();
    home.wait(400 * 24 * 60 * MINUTE);
    home.say("cc-a", Kind::UserMessage, "from a machine with a wrong clock");
    home.wait(-400 * 24 * 60 * MINUTE);
    assert_eq!(home.worked_off(), [""; 0]);
    home.wait(31 * MINUTE);
    assert_eq!(home.worked_off(), ["cc-a"]);
}

#[test]
fn work_stops_when_it_is_told_to_and_goes_on_where_it_was() {
    let home = home();
    for session in ["cx-a", "cx-b", "cx-c"] {
        home.say(session, Kind::UserMessage, "imported");
    }
    home.wait(31 * MINUTE);
    let first = home.with(|sessions| sessions.work_off(&mut |left| left > 2)).unwrap();
    assert_eq!((first.committed.len(), first.left), (1, 2));
    assert_eq!(home.worked_off().len(), 2);
}

#[test]
fn a_sub_agent_is_a_thread_of_its_session_and_no_request_of_the_user() {
    let home = home();
    home.stop("cc-a", "review the login module");
    let mut task =
        home.event("cc-a", Kind::UserMessage, memoir_event::Content::Text("sub-agent: read it all".to_owned()));
    task.thread = Some("agent-1".to_owned());
    home.append(vec![task], &[]);
    let archive = home.commit_anew("cc-a").archive;
    assert_eq!((archive.events, archive.turns), (3, 1));
    home.assert_whole("cc-a");
}

#[test]
fn a_session_that_is_forgotten_is_told_by_no_archive_and_goes_on_afterwards() {
    let home = home();
    home.stop("cx-a", "the secret plan");
    home.commit_anew("cx-a");
    let scope = Scope { session: Some("a".to_owned()), to_ms: Some(home.now()), ..Scope::default() };
    let wish = Forgetting {
        name: "f1".to_owned(),
        chosen: Chosen::Scope(scope),
        depth: Depth::Forget,
        asked: String::new(),
        reason: None,
        by: None,
    };
    home.append(wish.into_events(), &[]);
    assert_eq!(home.archives("cx-a").len(), 0);
    home.wait(MINUTE);
    home.stop("cx-a", "something else");
    let archive = home.commit_anew("cx-a").archive;
    assert_eq!((archive.number, archive.events), (2, 2));
    // The row is damaged: what was forgotten still counts, and no number is used twice.
    let mut row = home.journal.cursor("session|sealed|cx-a").unwrap().unwrap();
    row.position = "?".to_owned();
    home.append(Vec::new(), &[row]);
    home.wait(MINUTE);
    home.stop("cx-a", "more");
    assert_eq!(home.commit_anew("cx-a").archive.number, 3);
}

#[test]
fn a_session_forgotten_before_its_commit_is_sealed_without_an_archive() {
    let home = home();
    home.stop("cx-a", "the secret plan");
    let scope = Scope { session: Some("a".to_owned()), to_ms: Some(home.now() + 1), ..Scope::default() };
    let wish = Forgetting {
        name: "f1".to_owned(),
        chosen: Chosen::Scope(scope),
        depth: Depth::Forget,
        asked: String::new(),
        reason: None,
        by: None,
    };
    home.append(wish.into_events(), &[]);
    assert_eq!(home.commit("cx-a"), Sealed::Nothing);
    assert_eq!((home.archives("cx-a").len(), home.pending().len()), (0, 0));
}
