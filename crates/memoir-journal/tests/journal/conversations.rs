//! What a conversation got since, and where it lies; cursors that are taken away.

use crate::support::{at, event, home};
use memoir_event::{Archive, Client, Kind, Trigger};
use memoir_journal::{Alias, Cursor, Journal as _, Seq};

fn sealed(session: &str, number: u32, last_seq: Seq) -> Archive {
    Archive {
        version: Archive::VERSION,
        client: Some(Client::Codex),
        session: session.to_owned(),
        number,
        after_seq: 0,
        last_seq,
        first_ms: 0,
        last_ms: 0,
        events: 1,
        turns: 1,
        trigger: Trigger::Asked,
        points: Vec::new(),
    }
}

#[test]
fn what_a_conversation_got_since_a_place_is_told_without_what_memoir_says_of_it() {
    let home = home();
    let codex = |session: &str, turn: &str, text: &str| {
        let mut event = event(session, turn, text);
        (event.client, event.repo) = (Some(Client::Codex), "old".to_owned());
        event
    };
    home.append(vec![codex("a", "t1", "one"), codex("b", "t1", "two"), codex("a", "t2", "three")]);
    home.append(vec![sealed("a", 1, 3).into_event("old")]);
    home.append(vec![Alias::Project { from: "old".to_owned(), to: "new".to_owned() }.into_event("x".to_owned())]);
    let since = |after: Seq| {
        let touched = home.journal.touched(after).unwrap();
        touched.into_iter().map(|one| (one.session, one.repo, one.last_seq, one.events)).collect::<Vec<_>>()
    };
    let told = |session: &str, last: Seq, events: u64| (session.to_owned(), "new".to_owned(), last, events);
    assert_eq!(since(0), [told("b", 2, 1), told("a", 3, 2)]);
    assert_eq!(since(2), [told("a", 3, 1)]);
    assert_eq!(since(3), []);
}

#[test]
fn the_places_of_a_conversation_are_in_the_order_in_which_it_happened() {
    let home = home();
    let timed = |session: &str, turn: &str, time: &str| at(event(session, turn, turn), time);
    let mut agent = timed("a", "agent", "2026-01-01T00:00:02Z");
    agent.thread = Some("child".to_owned());
    home.append(vec![
        timed("a", "later", "2026-01-01T00:00:03Z"),
        timed("a", "first", "2026-01-01T00:00:01Z"),
        timed("b", "other", "2026-01-01T00:00:01Z"),
        agent,
    ]);
    let placed = |after: Seq, last: Seq| {
        let placed = home.journal.placed(None, "a", (after, last), usize::MAX).unwrap();
        placed.into_iter().map(|one| (one.seq, one.kind, one.thread)).collect::<Vec<_>>()
    };
    let said = |seq: Seq| (seq, Kind::UserMessage, None);
    let child = (4, Kind::UserMessage, Some("child".to_owned()));
    assert_eq!(placed(0, 10), [said(2), child, said(1)]);
    assert_eq!(placed(1, 3), [said(2)]);
    assert_eq!(home.journal.placed(None, "a", (0, 10), 2).unwrap().len(), 2);
    assert_eq!(home.journal.placed(Some(Client::Codex), "a", (0, 10), usize::MAX).unwrap(), []);
}

#[test]
fn a_cursor_without_number_and_position_is_taken_away() {
    let home = home();
    let cursor = |sequence: u64| Cursor { stream: "a|b".to_owned(), sequence, position: String::new() };
    home.journal.append(&[], &[cursor(1)]).unwrap();
    assert_eq!(home.journal.cursor("a|b").unwrap(), Some(cursor(1)));
    home.journal.append(&[], &[Cursor::gone("a|b".to_owned()), Cursor::gone("never".to_owned())]).unwrap();
    assert_eq!(home.journal.cursor("a|b").unwrap(), None);
    assert_eq!(home.journal.cursors("").unwrap(), []);
    assert!(home.journal.verify(&mut |_, _| true).unwrap().is_whole());
}
