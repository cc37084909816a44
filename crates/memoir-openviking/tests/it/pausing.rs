//! Messages that come in a pause.

use memoir_index::{Index, IndexOptions};
use memoir_journal::{Clock, Filter, Journal, Order, Page, SqliteJournal, SqliteOptions, View};
use memoir_openviking::{Message, Openviking, Parts, Spoken, read_batch};
use memoir_recall::Recall;
use memoir_record::Policy;
use memoir_redact::Redactor;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

struct Api {
    api: Openviking,
    journal: Arc<dyn Journal>,
    is_paused: Arc<AtomicBool>,
    _home: tempfile::TempDir,
}

fn start() -> Api {
    let home = tempfile::tempdir().unwrap();
    let clock: Clock = Arc::new(|| 1_780_315_200_000);
    let path = home.path().join("journal.db");
    let journal: Arc<dyn Journal> =
        Arc::new(SqliteJournal::open(&path, SqliteOptions::long_lived(), Arc::clone(&clock)).unwrap());
    let redactor = Arc::new(Redactor::builtin());
    let is_paused = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_paused);
    let api = Openviking::new(Parts {
        journal: Arc::clone(&journal),
        redactor: Arc::clone(&redactor),
        index: Arc::new(Index::open(&home.path().join("index"), IndexOptions::default())),
        recall: Arc::new(Recall::new(redactor)),
        policy: Policy::default(),
        blocked: memoir_recall::Blocked::default(),
        is_paused: Arc::new(move || asked.load(Ordering::Relaxed)),
        owner: "test".to_owned(),
        clock,
    });
    Api { api, journal, is_paused, _home: home }
}

impl Api {
    fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Relaxed);
    }

    fn stored(&self) -> Vec<String> {
        let page = Page::first(100, Order::OldestFirst);
        let events = self.journal.page(&Filter::default(), &View::owner_all(), &page).unwrap().events;
        events.iter().map(|stored| stored.event.content.plain().into_owned()).collect()
    }
}

fn said(texts: &[&str]) -> Vec<Message> {
    let messages: Vec<_> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
    read_batch(json!({"messages": messages}).to_string().as_bytes()).unwrap()
}

#[test]
fn what_comes_in_a_pause_is_accepted_and_not_stored_then_or_later() {
    let run = start();
    let session = Spoken::parse("cx-1").unwrap();
    let append = |texts: &[&str]| {
        let appended = run.api.append(&session, &said(texts), Some("-home-dev-shop")).unwrap();
        (appended.added, appended.not_recorded, appended.message_count)
    };
    assert_eq!(append(&["the first thing"]), (1, 0, 1));
    run.pause(true);
    assert_eq!(append(&["my PIN is 7413", "and now to the shop"]), (0, 2, 1));
    assert_eq!(append(&["my PIN is 7413", "and now to the shop"]), (0, 0, 1), "it is known when it is sent again");
    run.pause(false);
    assert_eq!(append(&["the first thing", "my PIN is 7413", "and now to the shop", "after it"]), (1, 0, 2));
    assert_eq!(run.stored(), ["the first thing", "after it"]);
    let cursors = run.journal.cursors("").unwrap();
    assert!(cursors.iter().all(|cursor| !cursor.position.contains("7413")), "{cursors:?}");
}

#[test]
fn a_session_that_begins_in_a_pause_is_there_and_empty() {
    let run = start();
    run.pause(true);
    let session = Spoken::parse("cc-2").unwrap();
    let messages = r#"{"messages":[{"role":"assistant","parts":[{"type":"tool","tool_id":"t","tool_name":"Bash",
        "tool_input":{"command":"cat secret-plan"},"tool_status":"running"}]}]}"#;
    let appended = run.api.append(&session, &read_batch(messages.as_bytes()).unwrap(), Some("-home-dev-plan")).unwrap();
    assert_eq!((appended.added, appended.message_count, appended.pending_tokens), (0, 0, 0));
    assert!(run.stored().is_empty());
    assert_eq!(run.api.session(&session, memoir_openviking::Making::No, None).unwrap()["message_count"], 0);
    assert_eq!(run.api.commit(&session, 0).unwrap()["status"], "skipped");
    let cursors = run.journal.cursors("").unwrap();
    let tells = |word: &str| cursors.iter().any(|cursor| cursor.position.contains(word));
    assert!(!tells("plan") && !tells("Bash"), "{cursors:?}");
}
