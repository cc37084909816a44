//! When a session is committed, and when it is not.

use crate::support::*;
use memoir_event::{Kind, Trigger};
use memoir_session::{Began, Effort, Process, Sealed};

#[test]
fn a_stop_only_appends_and_never_commits() {
    let home = home();
    for turn in 0..5 {
        home.stop("cx-a", &format!("turn {turn}"));
        home.wait(MINUTE);
    }
    assert_eq!(home.archives("cx-a").len(), 0);
    assert!(home.is_open("cx-a"));
    assert_eq!(home.pending_names(), ["cx-a"]);
}

#[test]
fn a_compaction_commits_its_own_session_and_no_other() {
    let home = home();
    home.stop("cx-a", "one");
    home.stop("cx-b", "two");
    let sealed = home.with(|sessions| sessions.commit(&name("cx-a"), Trigger::Compaction, Effort::ALL)).unwrap();
    assert!(matches!(sealed, Sealed::Archive(one) if one.archive.trigger == Trigger::Compaction));
    assert_eq!((home.is_open("cx-a"), home.is_open("cx-b")), (false, true));
    home.assert_whole("cx-a");
}

#[test]
fn a_session_has_the_same_id_before_and_after_a_commit_and_its_archives_follow_each_other() {
    let home = home();
    home.stop("cx-a", "first half");
    home.commit_anew("cx-a");
    home.wait(MINUTE);
    home.stop("cx-a", "second half");
    let second = home.commit_anew("cx-a");
    assert_eq!((second.session.shown().as_str(), second.archive.number), ("cx-a", 2));
    home.assert_whole("cx-a");
}

#[test]
fn nobody_touched_a_moment_ago_means_nothing_is_committed() {
    let home = home();
    home.stop("cx-a", "work");
    home.wait(2 * MINUTE + 1);
    assert_eq!(home.start("cx-b", Began::Startup), [""; 0]);
    assert!(home.is_open("cx-a"));
}

#[test]
fn the_one_session_touched_a_moment_ago_is_committed_by_startup_and_by_clear() {
    for how in [Began::Startup, Began::Clear] {
        let home = home();
        home.stop("cx-a", "work");
        home.wait(2 * MINUTE);
        assert_eq!(home.start("cx-b", how), ["cx-a"]);
        assert_eq!(home.archives("cx-a")[0].trigger, Trigger::Replaced);
        assert_eq!(home.start("cx-c", how), [""; 0]);
    }
}

#[test]
fn of_two_sessions_touched_a_moment_ago_none_is_committed() {
    let home = home();
    home.stop("cx-a", "work");
    home.stop("cc-b", "other work");
    assert_eq!(home.start("cx-c", Began::Startup), [""; 0]);
    assert_eq!(home.pending_names().len(), 2);
    home.wait(30 * MINUTE + 1);
    let mut swept = home.start("cx-d", Began::Startup);
    swept.sort();
    assert_eq!(swept, ["cc-b", "cx-a"]);
}

#[test]
fn the_new_session_itself_does_not_count() {
    let home = home();
    home.stop("cx-a", "work");
    home.stop("cx-b", "the new one, touched before its start is told");
    assert_eq!(home.start("cx-b", Began::Startup), ["cx-a"]);
    assert!(home.is_open("cx-b"));
}

#[test]
fn a_session_untouched_for_half_an_hour_is_swept_at_the_next_start() {
    let home = home();
    home.stop("cx-a", "work");
    home.wait(30 * MINUTE);
    assert_eq!(home.start("cx-b", Began::Startup), [""; 0]);
    home.wait(1);
    assert_eq!(home.start("cx-b", Began::Clear), ["cx-a"]);
    assert_eq!(home.archives("cx-a")[0].trigger, Trigger::Idle);
}

#[test]
fn the_active_window_and_the_sweep_both_happen_at_one_start() {
    let home = home();
    home.stop("cx-old", "work");
    home.wait(40 * MINUTE);
    home.stop("cx-just", "work");
    assert_eq!(home.start("cx-new", Began::Startup), ["cx-just", "cx-old"]);
}

#[test]
fn resume_compact_and_fork_neither_commit_nor_sweep() {
    for how in [Began::Resume, Began::Compact, Began::Fork] {
        let home = home();
        home.stop("cx-old", "work");
        home.wait(40 * MINUTE);
        home.stop("cx-just", "work");
        assert_eq!(home.start("cx-just", how), [""; 0]);
        assert_eq!(home.start("cx-new", how), [""; 0]);
        assert_eq!(home.pending_names().len(), 2);
    }
}

#[test]
fn what_clients_call_a_start_is_understood_and_the_unknown_changes_nothing() {
    let read = ["startup", "clear", "resume", "compact", "fork", "", "Startup?"].map(Began::parse);
    use Began::{Clear, Compact, Fork, Resume, Startup};
    assert_eq!(read, [Startup, Clear, Resume, Compact, Fork, Resume, Resume]);
}

#[test]
fn a_stop_that_was_killed_leaves_an_old_time_and_the_sweep_finds_the_session() {
    let home = home();
    home.stop("cx-a", "the last turn whose Stop came through");
    home.wait(5 * MINUTE);
    // The last Stop was cancelled: its turn reaches the journal by an import, and the time of touch stays old.
    home.say("cx-a", memoir_event::Kind::AssistantMessage, "what the cancelled Stop would have told");
    assert_eq!(home.start("cx-b", Began::Startup), [""; 0]);
    home.wait(26 * MINUTE);
    assert_eq!(home.start("cx-c", Began::Startup), ["cx-a"]);
    home.assert_whole("cx-a");
}

#[test]
fn an_end_that_the_client_tells_is_committed_at_the_next_occasion_and_may_be_told_thrice() {
    let home = home();
    home.stop("gm-a", "work");
    for _ in 0..3 {
        home.end("gm-a");
    }
    assert_eq!(home.pending()[0].due, Some(Trigger::Ended));
    assert_eq!(home.worked_off(), ["gm-a"]);
    assert_eq!(home.archives("gm-a")[0].trigger, Trigger::Ended);
    home.end("gm-a");
    assert_eq!(home.worked_off(), [""; 0]);
    assert_eq!((home.archives("gm-a").len(), home.pending().len()), (1, 0));
}

#[test]
fn a_session_that_goes_on_after_its_end_is_open_again() {
    let home = home();
    home.stop("cc-a", "work");
    home.end("cc-a");
    home.stop("cc-a", "more work, resumed");
    assert_eq!(home.pending()[0].due, None);
    assert_eq!(home.worked_off(), [""; 0]);
}

/// What a prompt does, or a start that goes on.
fn goes_on(home: &Home, session: &str, process: Option<memoir_session::Process>) {
    let cursor = home.with(|sessions| sessions.goes_on(&name(session), process)).unwrap();
    home.append(Vec::new(), &cursor.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_session_that_its_running_client_takes_up_again_is_not_taken_for_ended() {
    for (client, wait) in [(7, 1), (7, 40), (8, 1), (8, 40)] {
        let home = home();
        *home.running.borrow_mut() = vec![process(7), process(8)];
        home.stop_in("cc-a", "hello", Some(process(7)));
        home.end("cc-a");
        // In the same process as before or in a new one.
        goes_on(&home, "cc-a", Some(process(client)));
        home.wait(wait * MINUTE);
        assert!(home.start_in("cx-b", Began::Startup, Some(process(9))).is_empty());
        assert!(home.work_off().committed.is_empty());
        home.running.borrow_mut().clear();
        home.wait(40 * MINUTE);
        assert_eq!(home.work_off().committed.len(), 1);
    }
}

#[test]
fn going_on_where_nobody_knows_the_process_takes_the_end_back_and_is_no_touch() {
    let home = home();
    home.stop("cx-a", "hello");
    home.end("cx-a");
    home.wait(MINUTE);
    goes_on(&home, "cx-a", None);
    home.wait(MINUTE + 1);
    assert!(home.start("cx-b", Began::Startup).is_empty());
    home.wait(29 * MINUTE);
    assert_eq!(home.start("cx-c", Began::Startup), ["cx-a"]);
    // Of a session that nobody waits for there is nothing to say.
    assert_eq!(home.with(|sessions| sessions.goes_on(&name("cx-d"), None)).unwrap(), None);
}

#[test]
fn a_turn_that_goes_on_is_not_ended_by_another_session_of_the_same_process() {
    let home = home();
    *home.running.borrow_mut() = vec![process(7)];
    goes_on(&home, "cx-a", Some(process(7)));
    home.say("cx-a", Kind::UserMessage, "a long task");
    home.wait(1_000);
    assert!(home.start_in("cx-b", Began::Startup, Some(process(7))).is_empty());
    // With its process gone and nothing heard of it, it is over.
    home.running.borrow_mut().clear();
    home.wait(31 * MINUTE);
    assert_eq!(home.worked_off(), ["cx-a"]);
}

#[test]
fn a_first_prompt_in_a_running_client_keeps_its_session_open_however_long_the_turn() {
    let home = home();
    *home.running.borrow_mut() = vec![process(7)];
    goes_on(&home, "cc-a", Some(process(7)));
    home.say("cc-a", Kind::UserMessage, "a long task");
    home.wait(50 * MINUTE);
    assert!(home.start_in("cx-b", Began::Startup, None).is_empty() && home.work_off().committed.is_empty());
}

#[test]
fn a_session_whose_client_is_running_is_not_taken_for_ended() {
    let home = home();
    home.running.borrow_mut().push(process(1));
    home.stop_in("cc-a", "work", Some(process(1)));
    assert_eq!(home.start_in("cc-b", Began::Startup, Some(process(2))), [""; 0]);
    home.wait(60 * MINUTE);
    assert_eq!(home.worked_off(), [""; 0]);
    assert!(home.pending()[0].is_alive);
    home.running.borrow_mut().clear();
    assert_eq!(home.worked_off(), ["cc-a"]);
}

#[test]
fn a_process_id_that_is_used_again_is_another_process() {
    let home = home();
    home.stop_in("cc-a", "work", Some(process(1)));
    home.running.borrow_mut().push(Process { pid: 1, started: 99_999 });
    home.wait(MINUTE);
    assert_eq!(home.start_in("cc-b", Began::Startup, Some(process(2))), ["cc-a"]);
}

#[test]
fn a_running_session_does_not_hide_the_one_that_ended() {
    let home = home();
    home.running.borrow_mut().push(process(1));
    home.stop_in("cc-runs", "work", Some(process(1)));
    home.stop_in("cc-ended", "work", Some(process(2)));
    assert_eq!(home.start_in("cc-new", Began::Startup, Some(process(3))), ["cc-ended"]);
}

#[test]
fn what_the_same_process_leaves_for_a_new_session_is_over() {
    let home = home();
    home.running.borrow_mut().push(process(1));
    home.stop_in("cx-a", "work", Some(process(1)));
    assert_eq!(home.start_in("cx-b", Began::Clear, Some(process(1))), ["cx-a"]);
    // Also if nobody noticed at once: only the last session of a process is taken to be running.
    home.stop_in("cx-b", "work", Some(process(1)));
    home.wait(5 * MINUTE);
    home.stop_in("cx-c", "work", Some(process(1)));
    home.wait(60 * MINUTE);
    assert_eq!(home.worked_off(), ["cx-b"]);
}

#[test]
fn under_a_shared_daemon_the_seed_rule_alone_decides() {
    let home = home();
    home.stop_in("cx-a", "work", None);
    assert_eq!(home.start_in("cx-b", Began::Startup, None), ["cx-a"]);
}

#[test]
fn a_clock_that_jumps_back_loses_nothing() {
    let home = home();
    home.stop("cx-a", "work");
    home.wait(-3 * 24 * 60 * MINUTE);
    assert_eq!(home.start("cx-b", Began::Startup), ["cx-a"]);
    home.stop("cx-a", "more work, before it began");
    home.commit_anew("cx-a");
    home.assert_whole("cx-a");
    // By little: the session is still the one touched a moment ago.
    home.stop("cx-b", "work");
    home.wait(-MINUTE);
    assert_eq!(home.start("cx-c", Began::Startup), ["cx-b"]);
}

#[test]
fn an_unknown_session_is_no_error_and_nothing_is_stored_for_it() {
    let home = home();
    let before = home.journal.last_seq_now();
    assert_eq!(home.commit("cx-nobody"), Sealed::Nothing);
    home.with(|sessions| {
        assert!(!sessions.is_open(&name("cx-nobody")).unwrap());
        assert!(sessions.archives(&name("cx-nobody")).unwrap().is_empty());
        assert!(sessions.latest(&name("cx-nobody")).unwrap().is_none());
    });
    assert_eq!((home.journal.last_seq_now(), home.pending().len()), (before, 0));
}

#[test]
fn a_commit_said_again_changes_nothing() {
    let home = home();
    home.stop("cx-a", "work");
    home.commit_anew("cx-a");
    let before = home.journal.last_seq_now();
    for _ in 0..3 {
        assert_eq!(home.commit("cx-a"), Sealed::Nothing);
    }
    assert_eq!((home.journal.last_seq_now(), home.archives("cx-a").len()), (before, 1));
}

#[test]
fn ids_of_any_form_are_sessions_of_their_own() {
    let home = home();
    for shown in ["cx-a/b", "cx-a.b", "cx-a|b", "cx-ä b", "a%20b", "cx-", "cx-a"] {
        home.stop(shown, "work");
    }
    for shown in ["cx-a/b", "cx-a.b", "cx-a|b", "cx-ä b", "a%20b", "cx-", "cx-a"] {
        assert_eq!(home.commit_anew(shown).archive.turns, 1, "{shown}");
        home.assert_whole(shown);
    }
}

trait LastSeq {
    fn last_seq_now(&self) -> u64;
}

impl LastSeq for memoir_journal::SqliteJournal {
    fn last_seq_now(&self) -> u64 {
        memoir_journal::Journal::last_seq(self).unwrap()
    }
}
