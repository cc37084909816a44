//! What comes for a request, and what must not: prompts that ask nothing, questions without an answer, names that are
//! everyday words, what is said of another project, what was said once.
#![allow(clippy::unwrap_used, missing_docs)]

use memoir_dream::{Given, Remembering};
use memoir_event::{Client, Content, Event, Identity, Kind, MemorySource, Source, Time, repo_id_of_path};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Admission, Audience, Journal, Seq, SqliteJournal, SqliteOptions, View};
use memoir_recall::{Answer, Copied, Recall, Request, digest, essence};
use memoir_redact::Redactor;
use std::cell::Cell;
use std::sync::Arc;

/// Noon of 2026-11-18, a Wednesday.
const NOW_MS: i64 = 1_795_003_200_000;
const DAY_MS: i64 = 86_400_000;

struct World {
    dir: tempfile::TempDir,
    journal: SqliteJournal,
    said: Cell<u64>,
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| NOW_MS);
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), clock).unwrap();
        World { dir, journal, said: Cell::new(0) }
    }

    /// With some sessions about this and that.
    fn with_talk() -> World {
        let world = World::new();
        for n in 0..12_i64 {
            let session = format!("talk{n}");
            world.say(&session, Kind::UserMessage, &format!("rename thing {n} alpha beta"), 30 + n);
            world.say(&session, Kind::AssistantMessage, &format!("Renamed thing {n} to gamma."), 30 + n);
        }
        world
    }

    fn event(&self, session: &str, kind: Kind, text: &str, days_ago: i64) -> Event {
        self.said.set(self.said.get() + 1);
        let nonce = self.said.get();
        let mut event = Event::new(Source::Recorder, session, kind, Content::Text(text.to_owned()));
        event.repo = "o/here".to_owned();
        let later = i64::try_from(nonce).unwrap() * 1_000;
        event.time = Some(Time::from_ms(NOW_MS - days_ago * DAY_MS - 3_600_000 + later));
        event.identities = vec![Identity::Unique { at_ms: 0, nonce }];
        event
    }

    fn say(&self, session: &str, kind: Kind, text: &str, days_ago: i64) -> Seq {
        self.append(self.event(session, kind, text, days_ago))
    }

    fn append(&self, event: Event) -> Seq {
        let redactor = Redactor::builtin();
        let admission = Admission::new(&redactor, self.journal.hasher().clone());
        self.journal.append(&[admission.admit(event)], &[]).unwrap();
        self.journal.last_seq().unwrap()
    }

    fn remember(&self, given: &Given) {
        let (redactor, unique) = (Redactor::builtin(), || format!("u-{}", given.text));
        let remembering =
            Remembering { journal: &self.journal, redactor: &redactor, now_ms: NOW_MS - DAY_MS, unique: &unique };
        remembering.remember(given).unwrap();
    }

    fn request(query: &str) -> Request {
        Request { here: Some("o/here".to_owned()), ..Request::new(query, View::of(Audience::Recall), NOW_MS) }
    }

    fn recall(&self, request: &Request) -> Answer {
        let index = Index::open(&self.dir.path().join("index"), IndexOptions::default());
        let recall = Recall::new(Arc::new(Redactor::builtin()));
        recall.recall(&self.journal, &index, request, &mut |_, _| true).unwrap()
    }

    fn texts(&self, query: &str) -> Vec<String> {
        self.recall(&World::request(query)).blocks.into_iter().map(|block| block.text).collect()
    }
}

#[test]
fn an_everyday_word_of_a_request_brings_no_memory_and_a_question_about_it_does() {
    let world = World::new();
    for text in [
        "Run `make` before every commit",
        "deploys go through ./ship, never kubectl",
        "we use Go for services",
        "The API key of Stripe is in Vault",
        "Use `test` helpers from tests/common",
        "releases are tagged by Mara",
        "logging goes through tracing",
        "部署用 ./ship 脚本",
    ] {
        world.remember(&Given::new(text, "o/here"));
    }
    let wrong: Vec<_> = [
        "make the button blue",
        "please make this function faster",
        "ship the new landing page to marketing",
        "go to the settings page and change the font",
        "stripe the table rows",
        "test whether the form validates",
        "add an API endpoint for invoices",
        "release the lock after the loop",
        "log in fails for admin users",
        "the vault door animation is choppy",
        "services page layout is broken",
        "tag the user in the comment",
    ]
    .into_iter()
    .map(|query| (query, world.texts(query)))
    .filter(|(_, texts)| !texts.is_empty())
    .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let wrong: Vec<_> = [
        ("how do we deploy?", "./ship"),
        ("how do deploys work here?", "./ship"),
        ("where is the Stripe key?", "Vault"),
        ("where is the stripe key", "Vault"),
        ("do we use Go for services?", "Go for services"),
        ("do I run `make` before a commit?", "before every commit"),
        ("who tags releases?", "Mara"),
        ("用什么部署", "./ship"),
    ]
    .into_iter()
    .map(|(query, told)| (query, told, world.texts(query)))
    .filter(|(_, told, texts)| !texts.first().is_some_and(|text| text.contains(told)))
    .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_prompt_that_asks_nothing_brings_nothing() {
    let world = World::with_talk();
    world.say("s", Kind::UserMessage, "what do you think? looks good, please go on and check again. thanks, next", 3);
    world.say("s", Kind::AssistantMessage, "Thanks, I will go on and check it again. Next: looks good, I think.", 3);
    for query in
        ["please go on", "what do you think?", "next", "looks good", "continue", "can you check again", "thanks"]
    {
        assert_eq!(world.texts(query), Vec::<String>::new(), "{query}");
    }
}

#[test]
fn a_question_that_nobody_answered_is_no_answer_and_an_answered_one_brings_its_answer() {
    let world = World::with_talk();
    world.say("asks", Kind::UserMessage, "tell me again how we deploy to production", 3);
    for query in ["how do we deploy to production?", "how do we deploy to production"] {
        assert_eq!(world.texts(query), Vec::<String>::new(), "{query}");
    }
    assert_eq!(world.texts("what did I ask you about the deploy to production?").len(), 1, "that is what was asked");
    world.say("told", Kind::UserMessage, "How do we deploy to production?", 2);
    world.say("told", Kind::AssistantMessage, "With ./ship prod, after the freeze.", 2);
    let texts = world.texts("how do we deploy to production?");
    assert_eq!(texts.first().map(String::as_str), Some("With ./ship prod, after the freeze."));
    assert!(!texts.iter().any(|text| text.contains('?') || text.contains("tell me")), "{texts:?}");
}

#[test]
fn a_reworded_question_is_no_answer_either_and_who_does_not_know_does_not_answer() {
    let world = World::with_talk();
    for (n, (asked, answered)) in [
        ("do you know how deploys to production go", "I don't know how deploys to production go."),
        (
            "any idea how we deploy to production",
            "Sorry, I couldn't find anything about a deploy to production. What do you use?",
        ),
        ("how is production deployed?", "I do not have any information about deploys."),
    ]
    .into_iter()
    .enumerate()
    {
        world.say(&format!("asks{n}"), Kind::UserMessage, asked, 3);
        world.say(&format!("asks{n}"), Kind::AssistantMessage, answered, 3);
    }
    for query in ["how do we deploy to production?", "remind me how we deploy to production"] {
        assert_eq!(world.texts(query), Vec::<String>::new(), "{query}");
    }
    world.say("told", Kind::UserMessage, "How do we deploy to production?", 2);
    world.say("told", Kind::AssistantMessage, "I don't know yet.", 2);
    world.say("told", Kind::AssistantMessage, "Found it: with ./ship prod, after the freeze.", 2);
    assert_eq!(world.texts("how do we deploy to production?"), ["Found it: with ./ship prod, after the freeze."]);
}

#[test]
fn what_was_gives_way_to_what_is_unless_it_is_asked_for() {
    let world = World::with_talk();
    world.say("a", Kind::UserMessage, "the retry limit of the importer used to be 5", 2);
    world.say("b", Kind::AssistantMessage, "I looked: the importer has a retry limit, which is 8.", 9);
    let first = |query: &str| world.texts(query).first().cloned().unwrap_or_default();
    assert!(first("what is the retry limit of the importer?").contains("which is 8"));
    assert!(first("what was the retry limit of the importer before?").contains("used to be 5"));
}

#[test]
fn a_memory_is_found_by_what_a_question_is_about_whatever_it_is_framed_with() {
    let world = World::with_talk();
    world.remember(&Given::new("we moved to pnpm for packages", "o/here"));
    world.remember(&Given::new("fixtures live in spec/data", "o/here"));
    for (query, told) in [("what do we use for packages?", "pnpm"), ("where do we keep the fixtures?", "spec/data")] {
        assert!(
            world.texts(query).first().is_some_and(|text| text.contains(told)),
            "{query}: {:?}",
            world.texts(query)
        );
    }
    assert_eq!(world.texts("what do we use for the walrus harbour?"), Vec::<String>::new());
    assert_eq!(world.texts("what are my moving preferences?"), Vec::<String>::new());
    world.remember(&Given::new("we settled on 12 hour shifts", "o/here"));
    assert!(world.texts("how long are shifts?").first().is_some_and(|text| text.contains("12 hour")));
}

#[test]
fn what_was_said_once_is_told_once_though_a_memory_is_made_of_it() {
    let world = World::with_talk();
    let said = "The nightly export writes parquet files to the cold bucket";
    let seq = world.say("s", Kind::UserMessage, said, 3);
    let id = world.journal.events(&[seq], &View::owner_all()).unwrap().first().unwrap().id;
    let source = MemorySource { event: Some(id.to_string()), session: Some("s".to_owned()), turn: None };
    world.remember(&Given { sources: vec![source], ..Given::new(said, "o/here") });
    let answer = world.recall(&World::request("where does the nightly export write its parquet files?"));
    let told = digest(&answer, &jiff::tz::TimeZone::UTC);
    assert_eq!(answer.blocks.iter().filter(|block| block.text == said).count(), 1, "{told}");
    assert!(answer.blocks.first().unwrap().memory.is_some() && !told.contains("said"), "{told}");
    world.say("t", Kind::UserMessage, said, 2);
    let told = digest(
        &world.recall(&World::request("where does the nightly export write its parquet files?")),
        &jiff::tz::TimeZone::UTC,
    );
    assert!(told.contains("said 2 times"), "{told}");
}

#[test]
fn what_is_said_of_another_project_says_so() {
    let world = World::with_talk();
    let mut there = world.event("there", Kind::UserMessage, "deploys need a VPN, always", 2);
    there.repo = "o/there".to_owned();
    world.append(there);
    world.remember(&Given::new("deploys need a token of the billing app", "o/third"));
    let answer = world.recall(&World::request("how do deploys work here?"));
    let told = digest(&answer, &jiff::tz::TimeZone::UTC);
    assert!(
        told.contains(", in project o/there\n") && told.contains(", in project o/third\n") && !told.contains("o/here"),
        "{told}"
    );
    assert!(answer.blocks.iter().all(|block| block.elsewhere));
}

#[test]
fn a_project_without_an_address_goes_by_the_name_of_its_directory() {
    let world = World::with_talk();
    let repo = repo_id_of_path("/home/alice/shop");
    for (kind, text) in
        [(Kind::SessionStarted, r#"{"cwd":"/home/alice/shop/src"}"#), (Kind::UserMessage, "deploys need a VPN, always")]
    {
        world.append(Event { repo: repo.clone(), ..world.event("there", kind, text, 2) });
    }
    let told = digest(&world.recall(&World::request("how do deploys work here?")), &jiff::tz::TimeZone::UTC);
    assert!(told.contains(", in project shop\n") && !told.contains(&repo), "{told}");
}

#[test]
fn a_question_about_a_session_that_nothing_in_it_fits_is_answered_by_what_it_says() {
    let world = World::with_talk();
    world.say("s", Kind::UserMessage, "verify the signature with the new key set", 3);
    world.say("s", Kind::AssistantMessage, "Done, the clock skew is checked too.", 3);
    let mut request = World::request("what changed in the walrus harbour?");
    request.filter.session = Some("s".to_owned());
    assert_eq!(world.recall(&request).blocks.len(), 0);
    request.tells_session = true;
    let texts: Vec<String> = world.recall(&request).blocks.into_iter().map(|block| block.text).collect();
    assert_eq!(texts, ["verify the signature with the new key set", "Done, the clock skew is checked too."]);
    request.filter.session = None;
    assert_eq!(world.recall(&request).blocks.len(), 0);
}

#[test]
fn a_short_form_and_the_long_one_are_one_word() {
    let world = World::with_talk();
    world.say("s", Kind::UserMessage, "auth: verify JWT with jose in packages/auth/src/session.ts", 3);
    assert!(world.texts("what changed in authentication?").first().is_some_and(|text| text.contains("jose")));
    world.say("t", Kind::UserMessage, "the configuration of the walrus lives in etc", 3);
    assert!(world.texts("walrus config").first().is_some_and(|text| text.contains("configuration")));
}

#[test]
fn what_was_said_of_a_file_comes_before_the_traces_of_an_edit_and_one_edit_comes_once() {
    let world = World::with_talk();
    let act = |kind: Kind, text: &str| {
        let mut event = world.event("s", kind, text, 3);
        (event.client, event.action) = (Some(Client::Claude), Some("toolu_1".to_owned()));
        world.append(event);
    };
    act(Kind::ToolCall, "Edit /home/me/src/login.rs a b");
    act(Kind::FileChange, "/home/me/src/login.rs update completed");
    world.say("s", Kind::AssistantMessage, "I made it wait for the port in src/login.rs:42.", 3);
    let texts = world.texts("src/login.rs");
    assert!(texts.first().is_some_and(|text| text.contains("wait for the port")), "{texts:?}");
    assert_eq!(texts.len(), 2, "{texts:?}");
}

#[test]
fn a_question_for_a_time_is_answered_by_what_was_said_then() {
    let world = World::new();
    for (days_ago, text) in [
        (0, "tidy the walrus"),
        (1, "fix the export of granite"),
        (2, "port the lantern"),
        (4, "paint the harbour"),
        (9, "week of the march"),
        (240, "set up the beacon"),
        (600, "found the quarry"),
    ] {
        world.say(&format!("s{days_ago}"), Kind::UserMessage, text, days_ago);
    }
    let wrong: Vec<_> = [
        ("what did we do yesterday?", &["fix the export of granite"][..]),
        ("what did we do on Nov 16", &["port the lantern"]),
        ("what did I ask you on Monday", &["port the lantern"]),
        ("what did we do in March?", &["set up the beacon"]),
        ("what did we do last weekend?", &["paint the harbour"]),
        ("this morning", &["tidy the walrus"]),
        ("what did we do in 2025?", &["found the quarry"]),
        ("was haben wir gestern gemacht?", &["fix the export of granite"]),
        ("昨日何をしましたか", &["fix the export of granite"]),
        ("what was the last thing we did?", &["tidy the walrus"]),
    ]
    .into_iter()
    .map(|(query, told)| (query, told, world.texts(query)))
    .filter(|(_, told, texts)| {
        texts.first().map(String::as_str) != told.first().copied() || !(texts.len() == 1 || texts.len() == 3)
    })
    .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for (query, told) in [
        ("export yesterday", "fix the export of granite"),
        ("gestern der export", "fix the export of granite"),
        ("the beacon in March", "set up the beacon"),
        ("harbour last weekend", "paint the harbour"),
    ] {
        assert_eq!(world.texts(query).first().map(String::as_str), Some(told), "{query}");
    }
    let mut there = world.event("there", Kind::UserMessage, "book the hiking trip", 1);
    there.repo = "o/there".to_owned();
    world.append(there);
    world.say("s1", Kind::UserMessage, "thanks", 1);
    assert_eq!(world.texts("what did we do yesterday?"), ["fix the export of granite"]);
    let since = world.texts("what did we do since Monday?");
    assert_eq!(since.len(), 3, "{since:?}");
    assert_eq!(world.texts("what did we do between Nov 9 and Nov 15?").len(), 2);
}

#[test]
fn a_part_of_a_day_and_hours_are_told_from_the_rest_of_the_day() {
    let world = World::new();
    for (session, hours_ago, text) in
        [("a", 9, "tidy the walrus"), ("b", 5, "port the lantern"), ("c", 2, "paint the harbour"), ("d", 30, "book it")]
    {
        let mut event = world.event(session, Kind::UserMessage, text, 0);
        event.time = Some(Time::from_ms(NOW_MS + 4 * 3_600_000 - hours_ago * 3_600_000));
        world.append(event);
    }
    for (query, told) in [
        ("what did we do this morning?", &["port the lantern", "tidy the walrus"][..]),
        ("what did we do this afternoon?", &["paint the harbour"]),
        ("what did we do two hours ago?", &["paint the harbour"]),
        ("what did we do in the last 3 hours?", &["paint the harbour"]),
    ] {
        let request = Request { now_ms: NOW_MS + 4 * 3_600_000, ..World::request(query) };
        let mut texts: Vec<String> = world.recall(&request).blocks.into_iter().map(|block| block.text).collect();
        texts.sort();
        assert_eq!(texts, told, "{query}");
    }
}

#[test]
fn an_essence_tells_what_sessions_began_with_that_still_holds_and_says_something() {
    let world = World::new();
    world.say("a", Kind::UserMessage, "yes go on", 5);
    world.say("a", Kind::UserMessage, "port the lantern to wasm", 5);
    let seq = world.say("b", Kind::UserMessage, "the staging port is 5433", 4);
    world.say("b", Kind::UserMessage, "paint the harbour", 4);
    world.say("c", Kind::UserMessage, "thanks!", 3);
    let id = world.journal.events(&[seq], &View::owner_all()).unwrap().first().unwrap().id;
    let source = MemorySource { event: Some(id.to_string()), session: Some("b".to_owned()), turn: None };
    world.remember(&Given { sources: vec![source], ..Given::new("the staging port is 5433", "o/here") });
    let began = || -> Vec<String> {
        let told = essence(&world.journal, &Redactor::builtin(), "o/here", "", 3).unwrap();
        told.sessions.into_iter().map(|session| session.title).collect()
    };
    assert_eq!(began(), ["the staging port is 5433", "port the lantern to wasm"]);
    world.remember(&Given::new("the staging port is 5434", "o/here"));
    assert_eq!(began(), ["paint the harbour", "port the lantern to wasm"]);
}

#[test]
fn a_session_is_not_told_a_memory_that_was_made_of_what_it_said_itself_and_others_are() {
    let world = World::with_talk();
    let said = "the orca queue is called oq1";
    let seq = world.say("s", Kind::UserMessage, said, 3);
    let id = world.journal.events(&[seq], &View::owner_all()).unwrap().first().unwrap().id;
    let source = MemorySource { event: Some(id.to_string()), session: Some("s".to_owned()), turn: None };
    world.remember(&Given { sources: vec![source], ..Given::new(said, "o/here") });
    let told = |asking: &str, dropped: Option<i64>| {
        let request = Request {
            not_session: Some(asking.to_owned()),
            dropped_before_ms: dropped,
            ..World::request("what is the orca queue called?")
        };
        world.recall(&request).blocks.len()
    };
    assert_eq!((told("s", None), told("other", None), told("s", Some(NOW_MS))), (0, 1, 1));
}

#[test]
fn what_a_session_began_as_a_copy_of_is_before_its_reader_and_what_came_later_is_not() {
    let world = World::with_talk();
    let said = "the orca queue is called oq1";
    world.say("s", Kind::UserMessage, said, 3);
    let at_ms = |text: &str| {
        let told = world.recall(&World::request(text)).blocks;
        told.iter().find(|block| block.text == text).map(|block| block.ts_ms).unwrap()
    };
    let until_ms = at_ms(said);
    world.say("s", Kind::UserMessage, "the orca cache is called oc1", 2);
    assert!(at_ms("the orca cache is called oc1") > until_ms);
    let told = |copied: Vec<Copied>, dropped: Option<i64>| {
        let request = Request {
            not_session: Some("fork".to_owned()),
            dropped_before_ms: dropped,
            copied,
            ..World::request("what is called orca?")
        };
        let mut texts: Vec<String> = world.recall(&request).blocks.into_iter().map(|block| block.text).collect();
        texts.retain(|text| text.contains("orca"));
        texts.sort();
        texts
    };
    let copied = |session: &str| vec![Copied { session: session.to_owned(), until_ms }];
    assert_eq!(told(copied("s"), None), ["the orca cache is called oc1"]);
    for all in [told(Vec::new(), None), told(copied("other"), None), told(copied("s"), Some(until_ms + 1))] {
        assert_eq!(all, ["the orca cache is called oc1", said]);
    }
}
