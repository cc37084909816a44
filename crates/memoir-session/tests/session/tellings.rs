//! Archives in a model's words: what is asked, what is taken, what falls back, and what is gone with its source.

use crate::support::*;
use memoir_event::{EventId, Kind, Section};
use memoir_journal::{Audience, Chosen, Depth, Forgetting, View};
use memoir_session::{Answer, Overview, Silence, TellingTally, ToldOff, silent_since};
use std::cell::RefCell;

const DAY: i64 = 24 * 60 * MINUTE;

/// A session with enough to tell; gives what was asked first.
fn work(home: &Home, session: &str) -> EventId {
    let asked = home.say(session, Kind::UserMessage, "the login test is flaky, find out why");
    home.run(session, "cargo test login", 101);
    home.change(session, "src/login.rs");
    home.run(session, "cargo test login", 0);
    home.say(session, Kind::AssistantMessage, "It passes now. We decided to poll port 5432 because sleeping is slow.");
    home.commit_anew(session);
    asked
}

fn overview_in(home: &Home, session: &str, view: &View) -> Overview {
    let archive = home.archives(session).pop().unwrap();
    home.with(|sessions| sessions.overview(&archive, view)).unwrap()
}

fn overview(home: &Home, session: &str) -> Overview {
    overview_in(home, session, &View::of(Audience::Recall))
}

fn texts(overview: &Overview, section: Section) -> Vec<&str> {
    overview.lines.iter().filter(|line| line.section == section).map(|line| line.text.as_str()).collect()
}

/// What a model was asked, and what came of it.
fn tell(home: &Home, answer: impl Fn() -> Result<String, Silence>) -> (Vec<String>, ToldOff) {
    let asked = RefCell::new(Vec::new());
    let ask = |_: &str, prompt: &str| {
        asked.borrow_mut().push(prompt.to_owned());
        answer().map(|text| Answer { text, model: "scripted".to_owned() })
    };
    let done = home.with(|sessions| sessions.tell(&ask, &mut |_| true)).unwrap();
    (asked.into_inner(), done)
}

/// Decided anew in a model's words, resting on every note.
fn decided(prompt_lines: usize, text: &str) -> String {
    let from: Vec<String> = (1..=prompt_lines).map(|n| format!("\"e{n}\"")).collect();
    format!(r#"{{"section":"decided","text":"{text}","from":[{}]}}"#, from.join(","))
}

#[test]
fn a_model_tells_a_section_and_the_rules_tell_the_others() {
    let home = home();
    work(&home, "cx-a");
    let before = overview(&home, "cx-a");
    let (asked, done) = tell(&home, || Ok(decided(2, "Polling won over sleeping.")));
    assert_eq!((asked.len(), done.told.len(), done.fell_back, done.left), (1, 1, 0, 0), "{done:?}");
    assert!(asked[0].contains("the login test is flaky") && asked[0].contains("\"id\":\"e1\""), "{asked:?}");
    let after = overview(&home, "cx-a");
    assert_eq!(texts(&after, Section::Decided), ["Polling won over sleeping."]);
    assert_eq!(texts(&after, Section::Asked), texts(&before, Section::Asked));
    assert_eq!(after.told_by.as_deref(), Some("scripted"));
    // What is told once is not told again.
    assert_eq!(tell(&home, || panic!("asked again")).1, ToldOff::default());
    assert_eq!(home.with(|sessions| TellingTally::read(sessions.journal)).unwrap().told, 1);
    home.assert_whole("cx-a");
}

#[test]
fn prose_and_made_up_things_fall_back_and_the_next_archive_is_told_all_the_same() {
    let home = home();
    work(&home, "cx-a");
    work(&home, "cx-b");
    let before = overview(&home, "cx-a");
    let answers = RefCell::new(vec![decided(2, "Polling won."), "I am sorry, here is 1 overview: none".to_owned()]);
    let (_, done) = tell(&home, || Ok(answers.borrow_mut().pop().unwrap()));
    assert_eq!((done.told.len(), done.fell_back, done.left), (1, 1, 0));
    assert!(done.problem.unwrap().contains("scripted said nothing that can be used"));
    assert_eq!(overview(&home, "cx-a"), before);
    assert_eq!(texts(&overview(&home, "cx-b"), Section::Decided), ["Polling won."]);
}

#[test]
fn a_model_that_is_not_there_is_asked_once_and_the_archives_wait_for_it() {
    let home = home();
    work(&home, "cx-a");
    work(&home, "cx-b");
    let (asked, done) = tell(&home, || Err(Silence::ForNow("it is down".to_owned())));
    assert_eq!((asked.len(), done.told.len(), done.left, done.problem.as_deref()), (1, 0, 2, Some("it is down")));
    assert!(silent_since(&home.journal).unwrap().is_some());
    assert_eq!(tell(&home, || Ok(decided(2, "Polling won."))).1.told.len(), 2);
    assert_eq!(silent_since(&home.journal).unwrap(), None);
}

#[test]
fn switched_on_it_tells_what_was_sealed_since_the_day_before() {
    let home = home();
    work(&home, "cx-old");
    home.wait(2 * DAY);
    work(&home, "cx-new");
    let (asked, done) = tell(&home, || Ok(decided(2, "Polling won.")));
    assert_eq!((asked.len(), done.told[0].shown_session()), (1, "cx-new".to_owned()));
}

#[test]
fn a_telling_is_gone_with_the_first_thing_that_it_was_made_of_and_comes_back_with_it() {
    let home = home();
    let asked = work(&home, "cx-a");
    let before = overview(&home, "cx-a");
    tell(&home, || Ok(decided(2, "Polling won.")));
    let forget = |chosen: Chosen| {
        let (name, asked) = ("f".to_owned(), String::new());
        let wish = Forgetting { name, chosen, depth: Depth::Forget, asked, reason: None, by: None };
        home.append(wish.into_events(), &[]);
    };
    forget(Chosen::Ids(vec![asked]));
    let after = overview(&home, "cx-a");
    assert_eq!(after.told_by, None);
    assert!(texts(&after, Section::Asked).is_empty(), "{after:?}");
    assert_eq!(texts(&after, Section::Decided), texts(&before, Section::Decided));
    // It is nowhere else either.
    let owner = overview_in(&home, "cx-a", &View::owner_all());
    assert_eq!(owner.told_by, None);
}

#[test]
fn a_purge_takes_the_words_of_a_model_too() {
    let home = home();
    let asked = work(&home, "cx-a");
    tell(&home, || Ok(decided(2, "Polling wins over sleeping zyzzyva.")));
    let (name, text) = ("p".to_owned(), String::new());
    let wish =
        Forgetting { name, chosen: Chosen::Ids(vec![asked]), depth: Depth::Purge, asked: text, reason: None, by: None };
    home.append(wish.into_events(), &[]);
    let erased = home.journal.erase(&mut |_, _| true).unwrap();
    assert_eq!((erased.records, erased.is_clean), (2, true), "the message and what was told of it");
}

#[test]
fn a_model_gets_no_secret_and_nothing_private() {
    let home = home();
    let mut secret = home.event(
        "cx-a",
        Kind::UserMessage,
        memoir_event::Content::Text("merge with Globex, we decided so because it pays".to_owned()),
    );
    secret.secrecy = memoir_event::Secrecy::Secret;
    home.append(vec![secret], &[]);
    work(&home, "cx-a");
    let (asked, _) = tell(&home, || Ok(decided(2, "Polling won.")));
    assert!(!asked[0].contains("Globex"), "{asked:?}");
}
