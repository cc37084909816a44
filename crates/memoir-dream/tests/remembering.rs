//! Memories in a real journal: what is said again, what is newer, what is denied, what is seen by fewer, what was
//! forgotten.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use memoir_dream::{Given, Remembered, Remembering, Said, Way, read_memories};
use memoir_event::{EventId, Kind, Memory, MemoryKind, MemoryScope, Secrecy, Visibility};
use memoir_journal::{
    Admission, Audience, Chosen, Depth, Filter, Forgetting, Journal, Order, Page, SqliteJournal, SqliteOptions, View,
};
use memoir_redact::Redactor;
use std::cell::Cell;
use std::sync::Arc;

struct Home {
    _dir: tempfile::TempDir,
    journal: SqliteJournal,
    redactor: Redactor,
    count: Cell<u32>,
}

impl Home {
    fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| 1_780_000_000_000);
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::short_lived(), clock).unwrap();
        Home { _dir: dir, journal, redactor: Redactor::builtin(), count: Cell::new(0) }
    }

    fn keep(&self, given: &Given) -> Remembered {
        let unique = || {
            self.count.set(self.count.get() + 1);
            format!("unique-{}", self.count.get())
        };
        let (journal, redactor) = (&self.journal, &self.redactor);
        Remembering { journal, redactor, now_ms: 1_780_000_000_000, unique: &unique }.remember(given).unwrap()
    }

    fn say(&self, text: &str) -> Remembered {
        self.keep(&Given::new(text, "o/r"))
    }

    fn bring(&self, text: &str) -> Remembered {
        self.keep(&Given { way: Way::Brought, ..Given::new(text, "o/r") })
    }

    fn forget(&self, name: &str, id: EventId) {
        let chosen = Chosen::Ids(vec![id]);
        let (name, asked) = (name.to_owned(), String::new());
        let wish = Forgetting { name, chosen, depth: Depth::Forget, asked, reason: None, by: None };
        self.append(wish.into_events());
    }

    fn append(&self, events: Vec<memoir_event::Event>) {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[]).unwrap();
    }

    fn shown(&self, view: &View) -> Vec<String> {
        let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
        let page = self.journal.page(&filter, view, &Page::first(100, Order::OldestFirst)).unwrap();
        page.events.iter().filter_map(|stored| Memory::of_event(&stored.event)).map(|memory| memory.text).collect()
    }

    fn current(&self) -> Vec<String> {
        self.shown(&View::of(Audience::Recall))
    }
}

#[test]
fn a_newer_statement_takes_the_place_of_the_older_and_history_has_both() {
    let home = Home::new();
    let older = home.say("install packages with npm").id.unwrap();
    let newer = home.say("we moved from npm to pnpm");
    assert_eq!((newer.said, newer.superseded), (Said::New, vec![older]));
    assert_eq!(home.current(), ["we moved from npm to pnpm"]);
    assert_eq!(home.shown(&View::owner_all()), ["install packages with npm", "we moved from npm to pnpm"]);
}

#[test]
fn what_was_superseded_and_is_said_again_holds_again() {
    let home = Home::new();
    home.say("the staging database is on port 5433");
    home.say("the staging database is on port 5434");
    let back = home.say("the staging database is on port 5433");
    assert_eq!((back.said, back.superseded.len()), (Said::New, 1));
    assert_eq!(home.current(), ["the staging database is on port 5433"]);
    let again = home.say("the staging database is on port 5433");
    assert_eq!((again.said, again.id, again.memory.reinforced), (Said::Again, back.id, 1));
}

#[test]
fn what_is_told_as_another_kind_is_the_same_matter() {
    let home = Home::new();
    let decided = |text: &str| home.keep(&Given { kind: MemoryKind::Decision, ..Given::new(text, "o/r") });
    let older = home.say("the staging port is 5433").id.unwrap();
    assert_eq!(decided("the staging port is 5434").superseded, [older]);
    let again = decided("the staging port is 5434");
    assert_eq!((again.said, again.memory.kind), (Said::Again, MemoryKind::Decision));
    assert_eq!(home.say("the staging port is 5434").memory.kind, MemoryKind::Fact);
    assert_eq!(home.current(), ["the staging port is 5434"]);
    // What is open, what happened and what mended something says nothing about what is so.
    home.keep(&Given { kind: MemoryKind::Question, ..Given::new("the staging port is 5435", "o/r") });
    assert_eq!(home.current().len(), 2);
}

#[test]
fn what_holds_everywhere_and_what_holds_in_one_project_know_of_each_other_and_both_stay() {
    for turned in [false, true] {
        let home = Home::new();
        let here = Given::new("the prod port is 6433", "o/r");
        let everywhere = Given { scope: MemoryScope::User, ..Given::new("the prod port is 6434", "o/r") };
        let (first, second) = if turned { (&everywhere, &here) } else { (&here, &everywhere) };
        let first = home.keep(first).id.unwrap();
        let second = home.keep(second);
        assert_eq!((&second.superseded, &second.contradicts), (&vec![], &vec![first]), "{turned}");
        assert_eq!(home.current().len(), 2);
        // What is newer where it holds takes the place of what held there only.
        let newer = home.keep(&Given { text: "the prod port is 6500".to_owned(), ..everywhere });
        assert_eq!((newer.superseded.len(), newer.contradicts.len()), (1, 1));
    }
    let home = Home::new();
    home.say("the port is 8080");
    let session = MemoryScope::Session("s".to_owned());
    let exception = home.keep(&Given { scope: session, ..Given::new("the port is 9999", "o/r") });
    assert!(exception.superseded.is_empty() && exception.contradicts.is_empty());
}

#[test]
fn a_change_that_names_nothing_it_replaces_means_the_one_that_it_can_mean() {
    let home = Home::new();
    home.say("we use walrus for packages");
    assert_eq!(home.say("we switched to seal").superseded.len(), 1);
    let home = Home::new();
    home.say("we use walrus for packages");
    home.say("we use otter for tests");
    assert!(home.say("we switched to seal").superseded.is_empty());
    home.say("we use npm for the site");
    assert_eq!(home.say("we switched to pnpm").superseded.len(), 1);
    assert_eq!(home.current().len(), 4);
}

#[test]
fn what_was_said_before_something_newer_is_history_at_once() {
    let home = Home::new();
    home.say("the staging port is 5434");
    let old =
        Given { ts_ms: Some(1_700_000_000_000), way: Way::Brought, ..Given::new("the staging port is 5433", "o/r") };
    assert!(home.keep(&old).superseded.is_empty());
    assert_eq!(home.current(), ["the staging port is 5434"]);
}

#[test]
fn an_agent_does_not_bring_back_what_the_user_forgot() {
    let home = Home::new();
    let agent = |text: &str| home.keep(&Given { way: Way::SaidByAgent, ..Given::new(text, "o/r") });
    let id = home.say("the walrus eats at noon").id.unwrap();
    assert_eq!(agent("the walrus eats at noon").memory.reinforced, 1);
    home.forget("f-1", id);
    for text in ["the walrus eats at noon", "The walrus eats at noon.", "remember that the walrus always eats at noon"]
    {
        let kept = agent(text);
        assert_eq!((kept.said, kept.id), (Said::Forgotten, None), "{text}");
    }
    assert_eq!(home.current(), [""; 0]);
    assert_eq!(agent("the walrus sleeps at noon").said, Said::New);
    assert_eq!(home.say("the walrus eats at noon").said, Said::New);
    assert_eq!(agent("the walrus eats at noon").said, Said::Again);
}

#[test]
fn names_that_are_given_are_told_from_names_that_are_found() {
    let home = Home::new();
    let found = home.say("Tell Mara before `cargo xtask ci` runs").memory;
    assert!(found.given_names.is_empty() && found.aliases == ["cargo xtask ci", "Mara"], "{found:?}");
    let text = "the walrus eats at noon";
    let name = Some("lunch".to_owned());
    let given = home.keep(&Given { name, aliases: vec!["meal".to_owned()], ..Given::new(text, "o/r") }).memory;
    assert_eq!(given.given_names, ["lunch", "meal"]);
    let again = home.keep(&Given { aliases: vec!["dinner".to_owned()], ..Given::new(text, "o/r") }).memory;
    assert_eq!((again.given_names.len(), again.is_given_name("Dinner")), (3, true));
    // Out of memoir and in again, what was found is found.
    let name = Some(memoir_dream::name_of("Ask Jo about the seal"));
    let brought = Given { name, way: Way::Brought, ..Given::new("Ask Jo about the seal", "o/r") };
    assert_eq!(home.keep(&brought).memory.given_names, [""; 0]);
}

#[test]
fn statements_that_deny_each_other_know_of_each_other() {
    let home = Home::new();
    let yes = home.say("integration tests run in docker").id.unwrap();
    let no = home.say("integration tests never run in podman or containers");
    assert_eq!((no.superseded.len(), &no.contradicts), (0, &vec![yes]));
    assert_eq!(home.current().len(), 2);
    let older = home.journal.event(&memoir_journal::Lookup::Id(yes), &View::owner_all()).unwrap().unwrap();
    assert_eq!(Memory::of_event(&older.event).unwrap().contradicts, [no.id.unwrap().to_string()]);
}

#[test]
fn what_is_to_be_seen_by_fewer_is_seen_by_fewer_at_once() {
    let home = Home::new();
    home.say("the vault is in the cellar");
    home.keep(&Given { secrecy: Secrecy::Secret, ..Given::new("the vault is in the cellar", "o/r") });
    assert_eq!(home.current(), [""; 0]);
    let own = |visibility: Visibility| Given {
        uid: Some("m-1".to_owned()),
        visibility,
        way: Way::Brought,
        ..Given::new("the key is under the mat", "o/r")
    };
    home.keep(&own(Visibility::Normal));
    assert_eq!(home.current().len(), 1);
    for _ in 0..2 {
        home.keep(&own(Visibility::Sealed));
        assert_eq!(home.current(), [""; 0]);
        let sealed = View::of(Audience::Owner).with_sealed();
        assert_eq!(home.shown(&sealed), ["the key is under the mat"]);
    }
    home.keep(&own(Visibility::Normal));
    assert_eq!(home.current(), [""; 0], "what is sealed is not opened by telling it again");
}

#[test]
fn what_was_forgotten_stays_so_when_it_is_brought_and_not_when_the_user_says_it() {
    let home = Home::new();
    let id = home.bring("the registry is at port 4873").id.unwrap();
    assert_eq!(home.bring("the registry is at port 4873").said, Said::Again);
    home.forget("f-1", id);
    let again = home.bring("the registry is at port 4873");
    assert_eq!((again.said, again.id), (Said::Forgotten, None));
    assert_eq!(home.current(), [""; 0]);
    let said = home.say("the registry is at port 4873");
    assert_eq!(said.said, Said::New);
    home.forget("f-2", said.id.unwrap());
    assert_eq!(home.bring("the registry is at port 4873").said, Said::Forgotten);
    home.append(vec![Forgetting::undoing("f-1", None)]);
    assert_eq!(home.current(), ["the registry is at port 4873"]);
}

#[test]
fn what_the_user_said_and_forgot_is_not_brought_back_by_a_file() {
    let home = Home::new();
    let id = home.say("the walrus eats at noon").id.unwrap();
    home.forget("f-1", id);
    let file = r#"[{"text": "the walrus eats at noon"}]"#;
    let given = read_memories(file, "o/r").remove(0).unwrap().given;
    assert_eq!(home.keep(&given).said, Said::Forgotten);
}

#[test]
fn scopes_are_kept_apart() {
    let home = Home::new();
    home.say("answers are short");
    let user = Given { scope: MemoryScope::User, ..Given::new("answers are short", "o/r") };
    assert_eq!(home.keep(&user).said, Said::New);
    assert_eq!(home.keep(&Given::new("answers are short", "other/project")).said, Said::New);
    let session = Given { scope: MemoryScope::Session("s".to_owned()), ..Given::new("answers are short", "o/r") };
    assert_eq!(home.keep(&session).said, Said::New);
    assert_eq!(home.current().len(), 4);
}

#[test]
fn secrets_are_taken_out_of_a_memory_and_of_what_it_is_called() {
    let home = Home::new();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let kept = home.say(&format!("push with {token} from the server"));
    assert_eq!(kept.secrets, 1);
    let stored =
        home.journal.event(&memoir_journal::Lookup::Id(kept.id.unwrap()), &View::owner_all()).unwrap().unwrap();
    assert!(!stored.event.content.verbatim().contains(token), "{}", stored.event.content.verbatim());
}

#[test]
fn files_of_others_are_read_and_what_is_wrong_is_named() {
    let read = |text: &str| read_memories(text, "o/r");
    for good in [
        r#"[{"text":"a"},{"content":"b","type":"rule"}]"#,
        "{\"text\":\"a\"}\n\n{\"statement\":\"b\",\"kind\":\"open_question\"}\n",
        r#"{"memories":[{"text":"a","scope":["domain:acme"]},{"text":"b","scope":"user"}]}"#,
        "\u{feff}{\"text\":\"a\"}\n{\"text\":\"b\",\"provenance\":{\"session\":\"s\"}}",
    ] {
        let found = read(good);
        assert!(found.len() == 2 && found.iter().all(Result::is_ok), "{good}: {found:?}");
    }
    for (bad, part) in [
        ("no json at all", "not JSON"),
        ("[1]", "not a JSON object"),
        ("[{}]", "no `text`"),
        (r#"[{"text":"a","kind":"facts"}]"#, "did you mean `fact`?"),
        (r#"[{"text":"a","status":"dead"}]"#, "is no status"),
        (r#"[{"text":"a","scope":"galaxy"}]"#, "is no scope"),
        (r#"[{"text":"a","created_at":"yesterday"}]"#, "RFC 3339"),
        (r#"[{"text":"a","confidence":"high"}]"#, "confidence"),
        (r#"{"text":"a"#, "not JSON"),
    ] {
        let found = read(bad);
        assert!(
            found.iter().any(|one| one.as_ref().is_err_and(|bad| bad.to_string().contains(part))),
            "{bad}: {found:?}"
        );
    }
}
