use crate::support::{at, event, home, item};
use memoir_event::{Content, Event, EventId, Identity, Json, Kind, Source};
use memoir_journal::{Audience, Change, Cursor, Filter, Journal, Lookup, Order, Outcome, Page, RecordClass, View};
use proptest::prelude::*;

fn owner() -> View {
    View::of(Audience::Owner)
}

#[test]
fn an_event_appended_twice_is_stored_once_across_openings() {
    let home = home();
    let first = home.append(vec![event("s", "t1", "hello"), event("s", "t1", "hello")]);
    let Outcome::Stored { seq: 1, id, .. } = first[0] else { panic!("{first:?}") };
    assert!(matches!(first[1], Outcome::SeenAgain { of: 1, .. }));
    let again = home.again();
    let outcome = again.append(&crate::support::admit(&again, vec![event("s", "t1", "hello")]), &[]).unwrap();
    assert_eq!(outcome[0].id(), Some(id));
    assert_eq!(again.stats().unwrap().records, 1);
}

#[test]
fn an_event_with_a_secret_is_the_same_whether_it_comes_with_it_or_without() {
    let home = home();
    let text = "export DB_PASSWORD=correct-horse-battery-staple";
    home.append(vec![event("s", "t1", text)]);
    let clean = home.journal.events(&[1], &owner()).unwrap().remove(0).event.content.plain().into_owned();
    assert_ne!(clean, text);
    assert!(matches!(home.append(vec![event("s", "t1", &clean)])[0], Outcome::SeenAgain { of: 1, .. }));
    assert!(matches!(home.append(vec![event("s", "t1", text)])[0], Outcome::SeenAgain { of: 1, .. }));
}

#[test]
fn events_that_name_nothing_are_never_folded() {
    let home = home();
    let mut one = Event::new(Source::Recorder, "s", Kind::Command, Content::Text("ls".into()));
    one.identities = vec![Identity::Unique { at_ms: 5, nonce: 1 }];
    let mut two = one.clone();
    two.identities = vec![Identity::Unique { at_ms: 5, nonce: 2 }];
    let outcomes = home.append(vec![one, two]);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Stored { .. })));
}

#[test]
fn ids_are_derived_from_the_stream_and_its_count() {
    let home = home();
    let given = "2026-05-10T10:00:00+02:00";
    let outcomes =
        home.append(vec![event("demo", "t1", "a"), at(event("demo", "t2", "b"), given), event("other", "t1", "a")]);
    let expected = |thread, n, ts| EventId::derive(Source::Recorder, Some(thread), n, "prompt.submitted", ts);
    assert_eq!(outcomes[0].id(), Some(expected("demo", 1, "")));
    assert_eq!(outcomes[1].id(), Some(expected("demo", 2, given)));
    assert_eq!(outcomes[2].id(), Some(expected("other", 1, "")));
    for outcome in outcomes {
        let id = outcome.id().unwrap();
        let found = home.journal.event(&Lookup::Id(id), &owner()).unwrap().unwrap();
        assert_eq!(found.id, id);
        assert_eq!(outcome.uuid(), Some(found.uuid()));
        assert_eq!(home.journal.event(&Lookup::Uuid(found.uuid()), &owner()).unwrap().unwrap(), found);
    }
}

#[test]
fn a_fuller_capture_is_a_revision_and_readers_see_the_fullest() {
    let home = home();
    let cut = item(Source::ClaudeCodeHook, "u1", "half an ans");
    let whole = item(Source::ClaudeCodeHistory, "u1", "half an answer, and the rest");
    let first = home.append(vec![cut.clone()])[0];
    assert!(matches!(home.append(vec![whole.clone()])[0], Outcome::Revised { seq: 2, of: 1, .. }));
    assert!(matches!(home.append(vec![cut.clone()])[0], Outcome::SeenAgain { of: 1, .. }));
    let found = home.journal.event(&Lookup::Id(first.id().unwrap()), &owner()).unwrap().unwrap();
    assert_eq!((found.seq, found.event.content), (1, whole.content));
    let classes: Vec<_> =
        home.journal.sightings(1).unwrap().into_iter().map(|sighting| (sighting.class, sighting.source)).collect();
    assert_eq!(
        classes,
        [(RecordClass::Event, Source::ClaudeCodeHook), (RecordClass::Revision, Source::ClaudeCodeHistory)]
    );
    assert_eq!(home.journal.stats().unwrap().events, 1);
}

#[test]
fn the_order_of_captures_does_not_matter() {
    let (a, b) = (home(), home());
    let cut = item(Source::ClaudeCodeHook, "u1", "half");
    let whole = item(Source::ClaudeCodeHistory, "u1", "half and more");
    a.append(vec![cut.clone()]);
    a.append(vec![whole.clone()]);
    b.append(vec![whole.clone()]);
    b.append(vec![cut]);
    for home in [&a, &b] {
        let page = home.journal.page(&Filter::default(), &owner(), &Page::first(10, Order::NewestFirst)).unwrap();
        assert_eq!(page.events.len(), 1);
        assert_eq!(page.events[0].event.content, whole.content);
        assert_eq!(home.journal.sightings(1).unwrap().len(), 2);
    }
}

#[test]
fn every_sightings_id_leads_to_the_one_event() {
    let home = home();
    home.append(vec![item(Source::CodexHook, "i1", "same")]);
    home.append(vec![item(Source::CodexHistory, "i1", "same")]);
    let sightings = home.journal.sightings(1).unwrap();
    assert_eq!(sightings.len(), 2);
    for sighting in sightings {
        assert_eq!(home.journal.event(&Lookup::Id(sighting.id), &owner()).unwrap().unwrap().seq, 1);
    }
}

#[test]
fn one_event_may_be_known_by_several_names() {
    let home = home();
    let mut both = item(Source::CodexHistory, "i1", "text");
    both.identities.push(Identity::Named("n1".into()));
    let mut by_name = item(Source::CodexHistory, "unused", "text");
    by_name.identities = vec![Identity::Named("n1".into())];
    home.append(vec![item(Source::CodexHistory, "i1", "text")]);
    assert!(matches!(home.append(vec![both])[0], Outcome::SeenAgain { of: 1, .. }));
    assert!(matches!(home.append(vec![by_name])[0], Outcome::SeenAgain { of: 1, .. }));
}

#[test]
fn a_tombstone_hides_its_event_and_suppresses_it_for_good() {
    let home = home();
    home.append(vec![event("s", "t1", "secret plan"), event("s", "t2", "kept")]);
    let forgotten = home.journal.events(&[1], &owner()).unwrap().remove(0);
    home.append(vec![tombstone(&forgotten.keys[0].to_string())]);
    assert!(home.journal.event(&Lookup::Id(forgotten.id), &View::owner_all()).unwrap().is_none());
    assert!(home.journal.events(&[1], &View::owner_all()).unwrap().is_empty());
    assert_eq!(home.append(vec![event("s", "t1", "secret plan")]), [Outcome::Suppressed]);
    assert_eq!(home.journal.select(&Filter::default(), &owner()).unwrap().hidden, [1]);
    assert_eq!(home.journal.stats().unwrap().forgotten, 1);
    assert_eq!(home.journal.sessions(&Filter::default(), &owner(), 10, 0).unwrap()[0].events, 1);
}

#[test]
fn a_tombstone_works_before_its_event_arrives() {
    let home = home();
    let key = crate::support::admit(&home.journal, vec![event("s", "t9", "not yet")])[0].keys()[0];
    home.append(vec![tombstone(&key.to_string())]);
    assert_eq!(home.append(vec![event("s", "t9", "not yet")]), [Outcome::Suppressed]);
}

fn tombstone(key: &str) -> Event {
    let payload = Json::from_value(&serde_json::json!({"events": [key], "reason": "test"}));
    let mut event = Event::new(Source::Memoir, "memoir", Kind::Tombstone, Content::Payload(payload));
    event.identities = vec![Identity::Named(key.to_owned())];
    event
}

#[test]
fn what_is_superseded_is_shown_only_as_history() {
    let home = home();
    home.append(vec![event("s", "t1", "npm"), event("s", "t2", "pnpm")]);
    let old = home.journal.events(&[1], &owner()).unwrap().remove(0);
    let payload = Json::from_value(&serde_json::json!({"events": [old.keys[0].to_string()]}));
    let mut supersede = Event::new(Source::Memoir, "memoir", Kind::Supersede, Content::Payload(payload));
    supersede.identities = vec![Identity::Named("x".into())];
    home.append(vec![supersede]);
    assert!(home.journal.events(&[1], &owner()).unwrap().is_empty());
    assert_eq!(home.journal.events(&[1], &owner().with_history()).unwrap().len(), 1);
    assert_eq!(home.journal.events(&[1], &View::of(Audience::Raw)).unwrap().len(), 1);
}

#[test]
fn an_alias_gives_a_project_its_new_name_everywhere() {
    let home = home();
    let mut old = event("s", "t1", "x");
    old.repo = "old".into();
    home.append(vec![old, event("s2", "t1", "y")]);
    let payload = Json::from_value(&serde_json::json!({"from": "old", "to": "repo"}));
    let mut alias = Event::new(Source::Memoir, "memoir", Kind::Alias, Content::Payload(payload));
    alias.identities = vec![Identity::Named("old".into())];
    home.append(vec![alias]);
    let filter = Filter { repo: Some("repo".into()), ..Filter::default() };
    let page = home.journal.page(&filter, &owner(), &Page::first(10, Order::OldestFirst)).unwrap();
    assert_eq!(page.events.iter().map(|event| event.event.repo.as_str()).collect::<Vec<_>>(), ["repo", "repo"]);
}

#[test]
fn cursors_move_with_their_batch() {
    let home = home();
    let cursor = Cursor { stream: "file".into(), sequence: 7, position: "1234".into() };
    home.journal
        .append(&crate::support::admit(&home.journal, vec![event("s", "t", "x")]), std::slice::from_ref(&cursor))
        .unwrap();
    assert_eq!(home.journal.cursor("file").unwrap(), Some(cursor));
    assert_eq!(home.journal.cursor("other").unwrap(), None);
}

#[test]
fn a_lease_has_one_holder_until_it_ends() {
    let home = home();
    let other = home.again();
    let lease = home.journal.lease("session/s", "a", 1000).unwrap().unwrap();
    assert_eq!(other.lease("session/s", "b", 1000).unwrap(), None);
    assert_eq!(home.journal.lease("session/s", "a", 2000).unwrap().unwrap().fence, lease.fence);
    home.now_ms.fetch_add(2001, std::sync::atomic::Ordering::SeqCst);
    let taken = other.lease("session/s", "b", 1000).unwrap().unwrap();
    assert!(taken.fence > lease.fence);
    home.journal.release(&lease).unwrap();
    assert_eq!(home.journal.lease("session/s", "a", 1000).unwrap(), None);
    other.release(&taken).unwrap();
    assert!(home.journal.lease("session/s", "a", 1000).unwrap().is_some());
}

#[test]
fn a_lease_from_before_the_clock_went_back_ends() {
    let home = home();
    home.journal.lease("x", "a", 60_000).unwrap().unwrap();
    home.now_ms.fetch_sub(10 * 24 * 60 * 60 * 1000, std::sync::atomic::Ordering::SeqCst);
    assert!(home.journal.lease("x", "b", 1000).unwrap().is_some());
}

#[test]
fn a_clock_that_goes_back_harms_nothing() {
    let home = home();
    home.append(vec![event("s", "t1", "a")]);
    home.now_ms.fetch_sub(1_000_000, std::sync::atomic::Ordering::SeqCst);
    home.append(vec![event("s", "t2", "b")]);
    assert!(home.journal.verify(&mut |_, _| true).unwrap().bad.is_none());
    assert_eq!(home.journal.changes(0, 10).unwrap().iter().map(Change::seq).collect::<Vec<_>>(), [1, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is appended, in whatever batches, again and again: each thing is there once, the chain holds.
    #[test]
    fn appending_again_changes_nothing(
        turns in proptest::collection::vec((0u8..4, 0u8..6, "[a-z \"\\\\é\u{0}]{1,12}"), 1..40),
        cut in 1usize..10,
    ) {
        let home = home();
        let events: Vec<Event> = turns.iter().map(|(s, t, text)| event(&format!("s{s}"), &format!("t{t}"), &format!("x{text}"))).collect();
        for batch in events.chunks(cut) {
            home.append(batch.to_vec());
        }
        let before = home.journal.changes(0, 1000).unwrap();
        for outcome in home.append(events.clone()) {
            let seen = matches!(outcome, Outcome::SeenAgain { .. });
            prop_assert!(seen);
        }
        prop_assert_eq!(&home.journal.changes(0, 1000).unwrap(), &before);
        let distinct: std::collections::HashSet<_> = turns.iter().collect();
        prop_assert_eq!(before.len(), distinct.len());
        prop_assert!(home.journal.verify(&mut |_, _| true).unwrap().bad.is_none());
    }

    /// What goes in comes out.
    #[test]
    fn an_event_survives_the_journal(text in "\\PC{1,200}", turn in "\\PC{1,20}", ms in -60_000_000_000_000i64..250_000_000_000_000) {
        let home = home();
        let mut sent = event("s", &turn, &text);
        sent.topic = Some("topic".into());
        sent.actor = Some("alice".into());
        sent.time = Some(memoir_event::Time::from_ms(ms));
        sent.metadata = Some(Json::parse(r#"{"b": 2.50, "a":[1e400,"\ud800"]}"#.into()).unwrap());
        let admitted = crate::support::admit(&home.journal, vec![sent]);
        home.journal.append(&admitted, &[]).unwrap();
        let got = home.journal.events(&[1], &owner()).unwrap().remove(0).event;
        let mut expected = admitted[0].event().clone();
        expected.identities.clear();
        expected.sequence = Some(1);
        prop_assert_eq!(got, expected);
    }
}
