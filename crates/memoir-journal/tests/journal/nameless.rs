//! Events that were stored without a name, or that one way of capture gives none.

use crate::support::{at, home};
use memoir_event::{Client, Content, Event, Identity, Kind, Said, Source};
use memoir_journal::Outcome;

fn called(time: &str, name: Option<u32>) -> Event {
    let mut event = Event::new(Source::CodexHistory, "s", Kind::ToolCall, Content::Text("search".to_owned()));
    event.client = Some(Client::Codex);
    event.thread = Some("s".to_owned());
    event.identities = vec![Identity::Alike(Said::Content)];
    event.identities.extend(name.map(|nth| Identity::InTurn { name: "s/t/search".to_owned(), nth }));
    at(event, time)
}

#[test]
fn what_has_no_name_is_known_by_its_very_time_once_it_has_one() {
    let home = home();
    let times = ["2026-01-01T10:00:00Z", "2026-01-01T10:00:05Z", "2026-01-01T10:00:05Z"];
    home.append(times.iter().map(|time| called(time, None)).collect());
    for _ in 0..2 {
        let again = home.append((0..).zip(times).map(|(nth, time)| called(time, Some(nth))).collect());
        assert!(again.iter().all(|outcome| matches!(outcome, Outcome::SeenAgain { .. })), "{again:?}");
    }
    let other = home.append(vec![called("2026-01-01T10:00:05Z", Some(3)), called("2026-01-01T10:00:09Z", Some(4))]);
    assert!(other.iter().all(|outcome| matches!(outcome, Outcome::Stored { .. })), "{other:?}");
}

#[test]
fn what_codex_printed_is_not_what_it_said_in_the_same_words_minutes_before() {
    let home = home();
    let said = |source, time: &str, nth: Option<u32>| {
        let mut event = called(time, nth);
        event.source = source;
        event.shape.kind = Kind::AssistantMessage;
        event
    };
    let [early, late, at_once] = ["2026-01-01T10:00:00Z", "2026-01-01T10:03:00Z", "2026-01-01T10:03:01Z"];
    home.append(vec![said(Source::CodexExec, late, None)]);
    let read =
        home.append(vec![said(Source::CodexHistory, early, Some(0)), said(Source::CodexHistory, at_once, Some(1))]);
    assert!(matches!(read[0], Outcome::Stored { .. }) && matches!(read[1], Outcome::SeenAgain { .. }), "{read:?}");
}
