//! What the user takes back right after they said it is gone with that, whichever way it came.

use crate::support::{Home, event, home};
use memoir_event::{Event, Kind, Speaker};
use memoir_journal::{
    Filter, Forgetting, Journal as _, Order, Outcome, Page, SqliteJournal, TakenBack, View, taken_back_by,
};
use proptest::prelude::*;

fn hearing() -> Home {
    let Home { dir, now_ms, journal } = home();
    Home { dir, now_ms, journal: journal.hearing(hears) }
}

fn hears(text: &str) -> Option<TakenBack> {
    match text {
        "take it back" => Some(TakenBack::ThisToo),
        "take it back, and go on" => Some(TakenBack::TurnBefore),
        "take all back" => Some(TakenBack::Session),
        _ => None,
    }
}

fn answer(session: &str, turn: &str, text: &str) -> Event {
    let mut answer = event(session, turn, text);
    answer.shape.kind = Kind::AssistantMessage;
    answer.speaker = Speaker::Assistant;
    answer
}

fn shown(journal: &SqliteJournal) -> Vec<String> {
    let page = Page::first(10_000, Order::OldestFirst);
    let events = journal.page(&Filter::default(), &View::owner_all(), &page).unwrap().events;
    let said = events.into_iter().filter(|event| !event.event.kind().is_own());
    said.map(|event| event.event.content.plain().into_owned()).collect()
}

fn conversation() -> Vec<Event> {
    vec![
        event("a", "1", "one"),
        answer("a", "1", "answer one"),
        event("b", "1", "elsewhere"),
        event("a", "2", "two"),
        answer("a", "2", "answer two"),
        event("a", "3", "take it back"),
    ]
}

#[test]
fn what_the_user_takes_back_is_gone_with_its_answers_and_with_the_wish_in_one_append() {
    let home = hearing();
    home.append(conversation());
    assert_eq!(shown(&home.journal), ["one", "answer one", "elsewhere"]);
    let late = home.append(vec![answer("a", "2", "more of two"), answer("a", "3", "answer to the wish")]);
    assert_eq!(late, [Outcome::Suppressed, Outcome::Suppressed]);
    home.append(vec![event("a", "4", "four")]);
    assert_eq!(shown(&home.journal), ["one", "answer one", "elsewhere", "four"]);
    home.journal.verify(&mut |_, _| true).unwrap();
}

#[test]
fn what_was_taken_back_can_be_had_again_and_stays_so_when_the_wish_comes_again() {
    let home = hearing();
    let stored = home.append(conversation());
    let wish = stored.last().and_then(Outcome::id);
    let name = home.journal.forgettings().unwrap().remove(0).name;
    home.append(vec![Forgetting::undoing(&name, None)]);
    let all = ["one", "answer one", "elsewhere", "two", "answer two", "take it back"];
    assert_eq!(shown(&home.journal), all);
    home.append(conversation());
    assert_eq!(shown(&home.journal), all);
    assert_eq!(wish.map(taken_back_by), Some(name));
}

#[test]
fn a_wish_with_nothing_before_it_and_one_that_is_no_users_take_nothing_else_back() {
    let home = hearing();
    home.append(vec![event("b", "1", "elsewhere"), event("a", "1", "take it back")]);
    assert_eq!(shown(&home.journal), ["elsewhere"]);
    let mut told = event("b", "2", "take it back");
    told.thread = Some("an agent".to_owned());
    home.append(vec![answer("b", "1", "take it back"), told]);
    assert_eq!(shown(&home.journal), ["elsewhere", "take it back", "take it back"]);
}

#[test]
fn what_is_taken_back_beside_a_task_leaves_the_task() {
    let home = hearing();
    let mut all = conversation();
    all.pop();
    all.push(event("a", "3", "take it back, and go on"));
    home.append(all);
    home.append(vec![answer("a", "3", "gone on"), answer("a", "2", "more of two")]);
    let left = ["one", "answer one", "elsewhere", "take it back, and go on", "gone on"];
    assert_eq!(shown(&home.journal), left);
}

#[test]
fn a_session_that_is_taken_back_is_gone_with_all_that_is_still_to_come_of_it() {
    let home = hearing();
    let mut all = conversation();
    all.pop();
    all.push(event("a", "3", "take all back"));
    home.append(all.clone());
    let late = home.append(vec![answer("a", "3", "yes"), event("a", "4", "four"), event("b", "2", "elsewhere, too")]);
    assert_eq!(late[..2], [Outcome::Suppressed, Outcome::Suppressed]);
    home.append(all);
    assert_eq!(shown(&home.journal), ["elsewhere", "elsewhere, too"]);
    let name = home.journal.forgettings().unwrap().remove(0).name;
    home.append(vec![Forgetting::undoing(&name, None), event("a", "5", "five")]);
    let left = ["one", "answer one", "elsewhere", "two", "answer two", "take all back", "elsewhere, too", "five"];
    assert_eq!(shown(&home.journal), left);
    home.journal.verify(&mut |_, _| true).unwrap();
}

#[test]
fn a_journal_that_does_not_hear_keeps_it_all() {
    let home = home();
    home.append(conversation());
    assert_eq!(shown(&home.journal).len(), 6);
}

proptest! {
    #[test]
    fn however_it_is_cut_and_repeated_the_same_is_left(cuts in proptest::collection::vec(0usize..=6, 0..4)) {
        let home = hearing();
        let all = conversation();
        for cut in cuts {
            home.append(all[..cut].to_vec());
        }
        home.append(all.clone());
        prop_assert_eq!(shown(&home.journal), ["one", "answer one", "elsewhere"]);
        home.append(all);
        prop_assert_eq!(shown(&home.journal), ["one", "answer one", "elsewhere"]);
    }
}
