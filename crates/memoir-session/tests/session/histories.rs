//! Whatever happens in whatever order: every event is in one archive, and in no other.

use crate::support::*;
use memoir_event::Kind;
use memoir_journal::Cursor;
use memoir_session::Began;
use proptest::prelude::*;

const SESSIONS: [&str; 3] = ["cx-a", "cc-b", "c"];

#[derive(Debug, Clone)]
enum Act {
    /// A turn that a hook tells.
    Stop(usize, Option<u32>),
    /// Something that only an import brings.
    Say(usize),
    Start(usize, Began, Option<u32>),
    Commit(usize),
    End(usize),
    WorkOff,
    Wait(i64),
    Runs(u32),
    Ends,
    /// A row of state is damaged.
    Break(usize, &'static str, &'static str),
}

fn acts() -> impl Strategy<Value = Act> {
    let session = 0..SESSIONS.len();
    let process = proptest::option::of(1..3_u32);
    let how = prop_oneof![Just(Began::Startup), Just(Began::Clear), Just(Began::Resume), Just(Began::Compact)];
    let wait = prop_oneof![Just(1_000), Just(3 * MINUTE), Just(31 * MINUTE), Just(-5 * MINUTE), Just(-90 * MINUTE)];
    let row = prop_oneof![Just("live"), Just("old"), Just("sealed")];
    let bad = prop_oneof![Just(""), Just("?"), Just("{}"), Just(r#"{"v":2,"touched":1,"created":1}"#)];
    prop_oneof![
        4 => (session.clone(), process.clone()).prop_map(|(session, process)| Act::Stop(session, process)),
        2 => session.clone().prop_map(Act::Say),
        3 => (session.clone(), how, process).prop_map(|(session, how, process)| Act::Start(session, how, process)),
        1 => session.clone().prop_map(Act::Commit),
        1 => session.clone().prop_map(Act::End),
        2 => Just(Act::WorkOff),
        3 => wait.prop_map(Act::Wait),
        1 => (1..3_u32).prop_map(Act::Runs),
        1 => Just(Act::Ends),
        1 => (session, row, bad).prop_map(|(session, row, bad)| Act::Break(session, row, bad)),
    ]
}

fn play(home: &Home, act: &Act) {
    match act {
        Act::Stop(session, pid) => home.stop_in(SESSIONS[*session], "work", pid.map(process)),
        Act::Say(session) => drop(home.say(SESSIONS[*session], Kind::UserMessage, "imported")),
        Act::Start(session, how, pid) => drop(home.start_in(SESSIONS[*session], *how, pid.map(process))),
        Act::Commit(session) => drop(home.commit(SESSIONS[*session])),
        Act::End(session) => home.end(SESSIONS[*session]),
        Act::WorkOff => drop(home.work_off()),
        Act::Wait(ms) => home.wait(*ms),
        Act::Runs(pid) => home.running.borrow_mut().push(process(*pid)),
        Act::Ends => home.running.borrow_mut().clear(),
        Act::Break(session, row, bad) => {
            let stream = format!("session|{row}|{}", SESSIONS[*session]);
            home.append(Vec::new(), &[Cursor { stream, sequence: 1, position: (*bad).to_owned() }]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn every_event_is_in_one_archive_and_in_no_other(acts in proptest::collection::vec(acts(), 1..40)) {
        let home = home();
        for act in &acts {
            play(&home, act);
        }
        // In the end everything is over.
        home.running.borrow_mut().clear();
        home.wait(400 * MINUTE);
        home.work_off();
        for session in SESSIONS {
            home.commit(session);
            home.assert_whole(session);
        }
        prop_assert_eq!(home.pending(), []);
        prop_assert_eq!(home.worked_off(), [""; 0]);
    }
}
