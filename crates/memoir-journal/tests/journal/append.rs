use crate::support::{at, event, home, item};
use memoir_event::{Content, Event, EventId, Identity, Json, Kind, Said, Source};
use memoir_journal::{
    Alias, Audience, Change, Cursor, Filter, Journal, Lookup, Order, Outcome, Page, RecordClass, View,
};
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
fn metadata_that_says_more_comes_with_a_revision_and_what_was_known_stays() {
    let said = |text: &str, metadata: &str| {
        let mut event = item(Source::CodexHook, "u1", text);
        event.metadata = Some(Json::parse(metadata.to_owned()).unwrap());
        event
    };
    let (seen, told) = (said("bad", r#"{"tool":"Bash"}"#), said("bad", r#"{"exit_code":1,"tool":"shell"}"#));
    let longer = said("bad and more", r#"{"cwd":"/p"}"#);
    for order in [[&seen, &told, &longer], [&longer, &told, &seen], [&told, &longer, &seen]] {
        let home = home();
        for event in order {
            home.append(vec![(*event).clone()]);
        }
        let known = home.journal.events(&[1], &owner()).unwrap().remove(0).event;
        let metadata = known.metadata.unwrap().to_value();
        assert_eq!((metadata["exit_code"].clone(), metadata["cwd"].clone()), (1.into(), "/p".into()));
        assert_eq!(known.content, Content::Text("bad and more".to_owned()));
        assert!(metadata["tool"].is_string());
        assert!(matches!(home.append(vec![told.clone()])[0], Outcome::SeenAgain { .. }), "nothing new");
    }
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

/// A capture without a name of the client's: a hook that shows a text, an exec stream.
fn unnamed(source: Source, capture: &str, text: &str, ms: i64) -> Event {
    let mut event = Event::new(source, "s", Kind::UserMessage, Content::Text(text.to_owned()));
    event.time = Some(memoir_event::Time::from_ms(ms));
    event.identities = vec![Identity::Named(capture.to_owned()), Identity::Alike(Said::Content)];
    event
}

/// The same text as the client's own file has it.
fn named(id: &str, text: &str, ms: i64) -> Event {
    let mut event = unnamed(Source::GeminiCliHistory, id, text, ms);
    event.identities = vec![Identity::Item { id: id.to_owned(), block: 0 }, Identity::Alike(Said::Content)];
    event
}

fn times(home: &crate::support::Home) -> Vec<i64> {
    let page = home.journal.page(&Filter::default(), &owner(), &Page::first(100, Order::OldestFirst)).unwrap();
    page.events.iter().map(|event| event.ts_ms).collect()
}

#[test]
fn a_text_seen_by_a_hook_and_in_the_file_is_one_event_in_any_order() {
    let hook = |n: i64| unnamed(Source::GeminiCliHook, &format!("h{n}"), "continue", n * 60_000);
    let file = |n: i64| named(&format!("f{n}"), "continue", n * 60_000 + 250);
    let captures = || vec![hook(1), hook(2), hook(3), file(1), file(2), file(3)];
    for turn in 0..6 {
        let home = home();
        let mut order = captures();
        order.rotate_left(turn);
        for event in &order {
            home.append(vec![event.clone()]);
        }
        assert_eq!(home.journal.stats().unwrap().events, 3, "{turn}");
        home.append(captures());
        assert_eq!(home.journal.stats().unwrap().events, 3, "{turn}, again");
        for place in
            home.journal.page(&Filter::default(), &owner(), &Page::first(9, Order::OldestFirst)).unwrap().events
        {
            assert_eq!(home.journal.sightings(place.seq).unwrap().len(), 2);
        }
    }
}

#[test]
fn a_hook_that_came_late_takes_the_nearest_of_equal_texts() {
    let home = home();
    home.append(vec![unnamed(Source::GeminiCliHook, "h3", "ok", 20 * 60_000)]);
    home.append(vec![named("f1", "ok", 0), named("f2", "ok", 10 * 60_000), named("f3", "ok", 20 * 60_000 + 5)]);
    assert_eq!(times(&home), [0, 10 * 60_000, 20 * 60_000]);
}

#[test]
fn what_its_client_names_differently_is_never_one_event() {
    let home = home();
    let mut hook = named("call_1", "ls", 1000);
    hook.source = Source::CodexHook;
    let mut file = named("call_2", "ls", 1001);
    file.source = Source::CodexHistory;
    home.append(vec![hook, file]);
    assert_eq!(home.journal.stats().unwrap().events, 2);
}

#[test]
fn a_stream_without_times_is_matched_in_its_order() {
    let home = home();
    home.append(vec![named("f1", "ok", 0), named("f2", "ok", 86_400_000)]);
    let mut late = unnamed(Source::CodexExec, "x1", "ok", 0);
    late.time = None;
    assert!(matches!(home.append(vec![late.clone()])[0], Outcome::SeenAgain { of: 1, .. }));
    late.identities[0] = Identity::Named("x2".into());
    assert!(matches!(home.append(vec![late.clone()])[0], Outcome::SeenAgain { of: 2, .. }));
    late.identities[0] = Identity::Named("x3".into());
    assert!(matches!(home.append(vec![late])[0], Outcome::Stored { .. }));
}

#[test]
fn another_turn_is_another_event_however_alike() {
    let home = home();
    let turn = |mut event: Event, turn: &str| {
        event.turn = Some(turn.to_owned());
        event
    };
    home.append(vec![turn(unnamed(Source::GeminiCliHook, "h", "ok", 0), "a"), turn(named("f", "ok", 1), "b")]);
    assert_eq!(home.journal.stats().unwrap().events, 2);
    home.append(vec![turn(named("g", "ok", 1), "~1")]);
    assert_eq!(home.journal.stats().unwrap().events, 2);
}

#[test]
fn a_text_that_grows_is_one_event_and_another_text_in_its_place_is_not() {
    let home = home();
    let answer = |source, id: &str, text: &str| {
        let mut event = item(source, id, text);
        event.identities.push(Identity::Growing("answer/p1".into()));
        event
    };
    home.append(vec![answer(Source::ClaudeCodeHook, "h", "half an ans")]);
    let whole = home.append(vec![answer(Source::ClaudeCodeHistory, "u1", "half an answer, and the rest")]);
    assert!(matches!(whole[0], Outcome::Revised { of: 1, .. }));
    assert!(matches!(
        home.append(vec![answer(Source::ClaudeCodeHistory, "u2", "another answer altogether")])[0],
        Outcome::Stored { .. }
    ));
    assert_eq!(home.journal.stats().unwrap().events, 2);
}

#[test]
fn a_text_is_not_continued_by_what_a_hook_says_after_it() {
    let home = home();
    let answer = |source, id: &str, text: &str| {
        let mut event = item(source, id, text);
        event.identities.push(Identity::Growing("answer/p1".into()));
        event
    };
    home.append(vec![answer(Source::ClaudeCodeHistory, "u1", "Done")]);
    let more = home.append(vec![answer(Source::ClaudeCodeHook, "h", "Done. All tests pass.")]);
    assert!(matches!(more[0], Outcome::Stored { .. }));
}

/// A record of a session file, said in a turn that has a name.
fn recorded(session: &str, id: &str, turn: &str, text: &str) -> Event {
    let mut event = item(Source::ClaudeCodeHistory, id, text);
    event.session = session.into();
    event.identities =
        vec![Identity::Record { id: id.into(), block: 0 }, Identity::InTurn { name: format!("{turn}/{text}"), nth: 0 }];
    event
}

#[test]
fn two_records_of_one_file_are_two_events_even_in_one_place_of_a_turn() {
    let home = home();
    let both = home.append(vec![recorded("s", "u1", "p1", "ok"), recorded("s", "u2", "p1", "ok")]);
    assert!(both.iter().all(|outcome| matches!(outcome, Outcome::Stored { .. })));
    let again = home.append(vec![recorded("s", "u1", "p1", "ok"), recorded("s", "u2", "p1", "ok")]);
    assert!(matches!(again[..], [Outcome::SeenAgain { of: 1, .. }, Outcome::SeenAgain { of: 2, .. }]));
}

#[test]
fn a_copy_in_another_session_takes_no_name_there() {
    let home = home();
    home.append(vec![recorded("parent", "u1", "p1", "ok")]);
    let copy = home.append(vec![recorded("fork", "u1", "p2", "ok")]);
    assert!(matches!(copy[0], Outcome::SeenAgain { of: 1, .. }));
    let mut said = recorded("fork", "u2", "p2", "ok");
    said.source = Source::ClaudeCodeHook;
    said.identities.remove(0);
    assert!(matches!(home.append(vec![said])[0], Outcome::Stored { .. }));
}

#[test]
fn the_highest_count_is_the_fullest() {
    let home = home();
    let usage = |tokens: u32| {
        let count = Content::Payload(Json::parse(format!("{{\"output_tokens\":{tokens}}}")).unwrap());
        let mut event = Event::new(Source::ClaudeCodeHistory, "s", Kind::Usage, count);
        event.identities = vec![Identity::Item { id: "usage/m1".into(), block: 0 }];
        event
    };
    home.append(vec![usage(12)]);
    assert!(matches!(home.append(vec![usage(57)])[0], Outcome::Revised { of: 1, .. }));
    assert!(matches!(home.append(vec![usage(34)])[0], Outcome::SeenAgain { of: 1, .. }));
}

#[test]
fn what_was_forgotten_stays_so_when_another_way_of_capture_brings_it() {
    let home = home();
    home.append(vec![unnamed(Source::GeminiCliHook, "h1", "my plan", 0)]);
    let forgotten = home.journal.events(&[1], &owner()).unwrap().remove(0);
    home.append(vec![tombstone(&forgotten.keys[0].to_string())]);
    assert_eq!(home.append(vec![named("f1", "my plan", 10)]), [Outcome::Suppressed]);
    assert_eq!(home.append(vec![named("f1", "my plan", 10)]), [Outcome::Suppressed]);
    assert!(matches!(home.append(vec![named("f2", "my plan", 3_600_000)])[0], Outcome::Stored { .. }));
}

#[test]
fn a_capture_that_knows_more_about_an_event_is_a_revision() {
    let home = home();
    home.append(vec![unnamed(Source::GeminiCliHook, "h1", "hello", 0)]);
    let mut file = named("f1", "hello", 5);
    file.turn = Some("f1".into());
    assert!(matches!(home.append(vec![file])[0], Outcome::Revised { of: 1, .. }));
    assert_eq!(home.journal.events(&[1], &owner()).unwrap()[0].event.turn.as_deref(), Some("f1"));
}

#[test]
fn a_shorter_capture_that_knows_more_about_an_event_leaves_its_text() {
    let home = home();
    home.append(vec![unnamed(Source::GeminiCliHook, "h1", "hello", 0)]);
    let mut file = named("f1", "hello", 5);
    file.turn = Some("f1".into());
    home.append(vec![file]);
    let mut growing = named("f1", "hello and more", 5);
    growing.action = Some("a1".into());
    home.append(vec![growing]);
    let mut shorter = named("f1", "hell", 5);
    shorter.topic = Some("p1".into());
    home.append(vec![shorter]);
    let known = home.journal.events(&[1], &owner()).unwrap().remove(0).event;
    assert_eq!(known.content.plain(), "hello and more");
    let ids = [known.turn.as_deref(), known.action.as_deref(), known.topic.as_deref()];
    assert_eq!(ids, [Some("f1"), Some("a1"), Some("p1")]);
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
    assert_eq!(home.journal.select(&Filter::default(), &owner()).unwrap().hidden.as_ref(), [1]);
    assert_eq!(home.journal.stats().unwrap().forgotten, 1);
    assert_eq!(home.journal.sessions(&Filter::default(), &owner(), 10, 0).unwrap()[0].events, 1);
}

#[test]
fn a_tombstone_works_before_its_event_arrives() {
    let home = home();
    let key = crate::support::admit(&home.journal, vec![event("s", "t9", "not yet")])[0].keys().names[0];
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
fn a_session_can_be_moved_to_another_project_and_back() {
    let home = home();
    let in_project = |session: &str, repo: &str| {
        let mut event = event(session, "t1", session);
        event.repo = repo.into();
        event
    };
    home.append(vec![in_project("a", "one"), in_project("b", "one"), in_project("c", "two")]);
    let alias = |session: &str, to: &str, name: &str| {
        Alias::Session { client: None, session: session.into(), to: to.into() }.into_event(name.into())
    };
    let sessions_of = |repo: &str| {
        let filter = Filter { repo: Some(repo.into()), ..Filter::default() };
        let page = home.journal.page(&filter, &owner(), &Page::first(10, Order::OldestFirst)).unwrap();
        assert!(page.events.iter().all(|event| event.event.repo == repo));
        page.events.into_iter().map(|event| event.event.session).collect::<Vec<_>>()
    };
    home.append(vec![alias("b", "two", "1")]);
    assert_eq!((sessions_of("one"), sessions_of("two")), (vec!["a".to_owned()], vec!["b".to_owned(), "c".to_owned()]));
    let projects = home.journal.projects().unwrap();
    assert_eq!(projects.iter().map(|p| (p.repo.as_str(), p.sessions)).collect::<Vec<_>>(), [("one", 1), ("two", 2)]);
    home.append(vec![alias("b", "one", "2")]);
    assert_eq!(sessions_of("one"), ["a", "b"]);
}

#[test]
fn a_merge_of_projects_can_be_undone() {
    let home = home();
    let mut old = event("s", "t1", "x");
    old.repo = "old".into();
    home.append(vec![old]);
    let alias = |to: &str, name: &str| Alias::Project { from: "old".into(), to: to.into() }.into_event(name.into());
    home.append(vec![alias("new", "1")]);
    assert_eq!(home.journal.projects().unwrap()[0].repo, "new");
    assert_eq!(home.journal.projects().unwrap()[0].aliases, ["old"]);
    home.append(vec![alias("old", "2")]);
    assert_eq!(home.journal.projects().unwrap()[0].repo, "old");
    assert_eq!(home.journal.sessions(&Filter::default(), &owner(), 5, 0).unwrap()[0].repo, "old");
}

#[test]
fn cursors_are_listed_by_the_beginning_of_their_names() {
    let home = home();
    let cursor = |stream: &str| Cursor { stream: stream.into(), sequence: 1, position: String::new() };
    home.journal.append(&[], &[cursor("import|a"), cursor("import|b"), cursor("importer"), cursor("hook|x")]).unwrap();
    let names: Vec<_> = home.journal.cursors("import|").unwrap().into_iter().map(|cursor| cursor.stream).collect();
    assert_eq!(names, ["import|a", "import|b"]);
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
fn an_append_that_expects_cursors_is_done_only_while_they_are_as_expected() {
    let home = home();
    let row =
        |sequence: u64, position: &str| Cursor { stream: "s".to_owned(), sequence, position: position.to_owned() };
    let admitted = |text: &str| crate::support::admit(&home.journal, vec![event("a", text, text)]);
    let (gone, first) = (Cursor::gone("s".to_owned()), row(1, "x"));
    let append = |expected: &Cursor, text: &str, cursor: &Cursor| {
        let expected = std::slice::from_ref(expected);
        home.journal.append_if(expected, &admitted(text), std::slice::from_ref(cursor)).unwrap().is_some()
    };
    assert!(!append(&first, "one", &first));
    assert!(append(&gone, "one", &first));
    assert!(!append(&gone, "two", &row(2, "")));
    assert!(!append(&row(1, "y"), "two", &row(2, "")));
    assert!(append(&first, "two", &gone));
    assert!(append(&gone, "three", &first));
    assert_eq!((home.journal.last_seq().unwrap(), home.journal.cursor("s").unwrap()), (3, Some(first)));
}

#[test]
fn a_lease_is_no_reason_to_lose_what_is_appended_after_it() {
    let home = home();
    let lease = home.journal.lease("work", "a", 1_000).unwrap().unwrap();
    home.append(vec![event("a", "1", "one")]);
    home.journal.release(&lease).unwrap();
    home.append(vec![event("a", "2", "two")]);
    let again = home.again();
    assert_eq!(again.last_seq().unwrap(), 2);
    assert!(again.lease("work", "b", 1_000).unwrap().is_some());
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

/// The same event as another journal knows it.
fn mirrored(event: &Event) -> Event {
    let id = event.derived_id().unwrap();
    memoir_event::Envelope::new(event.clone(), id, 0, 0, 1).into_event()
}

fn numbered(number: u64, text: &str, time: Option<&str>) -> Event {
    let mut event = item(Source::CodexHistory, &format!("item-{number}"), text);
    event.sequence = Some(number);
    match time {
        Some(time) => at(event, time),
        None => event,
    }
}

#[test]
fn what_comes_by_its_id_is_stored_once_and_keeps_its_id() {
    let (here, there) = (home(), home());
    let event = numbered(7, "said", Some("2026-05-10T08:00:00.000Z"));
    let own = here.append(vec![event.clone()]);
    assert!(matches!(here.append(vec![mirrored(&event)])[0], Outcome::SeenAgain { of: 1, .. }));
    assert_eq!(here.journal.stats().unwrap().records, 1);

    let outcomes = there.append(vec![mirrored(&event), mirrored(&event)]);
    assert_eq!(outcomes[0].id(), own[0].id());
    assert!(matches!(outcomes[1], Outcome::SeenAgain { of: 1, .. }));
    // The client's own file is read there later: it is known by the id that it would get.
    assert!(matches!(there.append(vec![event.clone()])[0], Outcome::SeenAgain { of: 1, .. }));
    assert_eq!(there.journal.stats().unwrap().events, 1);
    // From then on under its own names as well.
    let mut moved = event;
    moved.sequence = Some(8);
    assert!(matches!(there.append(vec![moved])[0], Outcome::SeenAgain { of: 1, .. }));
}

#[test]
fn an_id_of_something_without_a_time_counts_only_for_what_says_the_same() {
    let home = home();
    let (one, other) = (numbered(1, "mine", None), numbered(1, "yours", None));
    assert_eq!(one.derived_id(), other.derived_id());
    for _ in 0..2 {
        home.append(vec![mirrored(&one), mirrored(&other)]);
    }
    assert_eq!(home.journal.stats().unwrap().events, 2);
}

#[test]
fn an_id_that_another_tool_made_is_known_again() {
    let home = home();
    let foreign = EventId::parse("00112233445566778899aabb").unwrap();
    let event = numbered(1, "from elsewhere", Some("2026-05-10T08:00:00.000Z"));
    let event = memoir_event::Envelope::new(event, foreign, 0, 0, 1).into_event();
    for _ in 0..2 {
        home.append(vec![event.clone()]);
    }
    assert_eq!(home.journal.stats().unwrap().events, 1);
}

#[test]
fn two_mirrored_events_that_say_the_same_stay_two() {
    let home = home();
    let said = |source: Source, number: u64, time: &str| {
        let mut event = numbered(number, "continue", Some(time));
        event.source = source;
        let mut event = mirrored(&event);
        event.identities.push(Identity::Alike(Said::Content));
        event
    };
    home.append(vec![said(Source::CodexHook, 1, "2026-05-10T08:00:00.000Z")]);
    home.append(vec![said(Source::CodexHistory, 2, "2026-05-10T08:00:05.000Z")]);
    assert_eq!(home.journal.stats().unwrap().events, 2);
}
