//! Rows that are damaged, of another version, or of nobody.

use crate::support::*;
use memoir_event::Trigger;
use memoir_journal::{Cursor, Journal};
use memoir_session::{Began, Sealed};

fn write(home: &Home, stream: &str, sequence: u64, position: &str) {
    home.append(Vec::new(), &[Cursor { stream: stream.to_owned(), sequence, position: position.to_owned() }]);
}

#[test]
fn a_row_that_cannot_be_read_is_worked_out_from_the_journal() {
    for bad in ["", "?", "{", "[]", r#"{"v":99,"touched":1,"created":1}"#, r#"{"v":1,"touched":"soon"}"#, "\u{0}"] {
        let home = home();
        home.stop("cx-a", "work");
        write(&home, "session|live|cx-a", 7, bad);
        assert_eq!(home.pending_names(), ["cx-a"], "{bad:?}");
        home.wait(MINUTE);
        assert_eq!(home.start("cx-b", Began::Startup), ["cx-a"], "{bad:?}");
        home.assert_whole("cx-a");
    }
}

#[test]
fn a_place_that_cannot_be_believed_doubles_nothing() {
    for (sequence, position) in [(3, "?"), (u64::MAX >> 1, "1"), (1, "-1"), (0, "99999999999")] {
        let home = home();
        home.stop("cx-a", "one");
        home.commit_anew("cx-a");
        home.stop("cx-a", "two");
        home.commit_anew("cx-a");
        write(&home, "session|sealed|cx-a", sequence, position);
        assert_eq!(home.commit("cx-a"), Sealed::Nothing, "{sequence} {position}");
        home.stop("cx-a", "three");
        assert_eq!(home.commit_anew("cx-a").archive.number, 3, "{sequence} {position}");
        home.assert_whole("cx-a");
    }
}

#[test]
fn a_row_of_a_session_that_nobody_knows_goes_away() {
    let home = home();
    write(&home, "session|live|cx-ghost", 1, r#"{"v":1,"touched":1,"created":1}"#);
    write(&home, "session|old|cx-ghost2", 1, "?");
    write(&home, "session|live|", 1, "x");
    assert_eq!(home.pending().len(), 0);
    home.wait(31 * MINUTE);
    assert_eq!(home.worked_off(), [""; 0]);
    assert_eq!(home.journal.cursors("session|live|").unwrap().len(), 0);
    assert_eq!(home.journal.cursors("session|old|").unwrap().len(), 0);
}

#[test]
fn what_was_seen_of_another_journal_is_looked_for_again() {
    let home = home();
    home.say("cc-a", memoir_event::Kind::UserMessage, "imported");
    write(&home, "session|seen", 1 << 40, "");
    home.wait(31 * MINUTE);
    home.work_off();
    assert_eq!(home.worked_off(), ["cc-a"]);
}

#[test]
fn a_due_row_keeps_its_reason_through_a_failed_commit() {
    let home = home();
    home.stop("cx-a", "work");
    home.end("cx-a");
    // Somebody else holds the lease: nothing is done, and the state is as it was.
    let lease = home.journal.lease("session|cx-a", "another", 60_000).unwrap().unwrap();
    assert_eq!(home.commit("cx-a"), Sealed::Busy);
    assert_eq!(home.worked_off(), [""; 0]);
    assert_eq!(home.pending()[0].due, Some(Trigger::Ended));
    home.journal.release(&lease).unwrap();
    assert_eq!(home.worked_off(), ["cx-a"]);
}

#[test]
fn a_secret_in_a_session_id_reaches_no_row() {
    let home = home();
    let id = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    home.stop(id, "work");
    let rows = home.journal.cursors("session|").unwrap();
    assert!(rows.iter().all(|row| !row.stream.contains("qrstuvwxyz")), "{rows:?}");
    assert!(matches!(home.commit(id), Sealed::Archive(_)));
}
