//! What the user wants forgotten, in everyday words: the memory and the messages that said it go, and nothing else does.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use memoir_dream::{DreamWish, Dreamer, Dreamt};
use memoir_event::{Archive, Client, Content, Event, Identity, Kind, Memory, Source, Speaker, Time, Trigger};
use memoir_journal::{Admission, Audience, Clock, Filter, Journal, Order, Page, SqliteJournal, SqliteOptions, View};
use memoir_redact::Redactor;
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;
const FIRST_MS: i64 = 1_780_000_000_000;

struct Home {
    _dir: tempfile::TempDir,
    journal: SqliteJournal,
    redactor: Redactor,
    clock: Clock,
}

impl Home {
    /// A home in which that was said, each a day after the other in a session of its own, and dreamt; what begins with
    /// `A: ` the agent said, and what begins with `+ ` was said in the session before.
    fn of(said: &[&str]) -> (Home, Dreamt) {
        let dir = tempfile::tempdir().unwrap();
        let clock: Clock = Arc::new(|| FIRST_MS + 100 * DAY_MS);
        let options = SqliteOptions::short_lived();
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), options, Arc::clone(&clock)).unwrap();
        let home = Home { _dir: dir, journal, redactor: Redactor::builtin(), clock };
        let (mut session, mut explained) = (0, Dreamt::default());
        for (at, text) in said.iter().enumerate() {
            let answer = text.strip_prefix("A: ");
            let goes_on = text.strip_prefix("+ ");
            session += i32::from(answer.is_none() && goes_on.is_none());
            let mut event = Event::new(
                Source::CodexHook,
                &format!("s{session}"),
                if answer.is_some() { Kind::AssistantMessage } else { Kind::UserMessage },
                Content::Text(answer.or(goes_on).unwrap_or(text).to_owned()),
            );
            event.speaker = if answer.is_some() { Speaker::Assistant } else { Speaker::User };
            event.client = Some(Client::Codex);
            event.repo = "o/r".to_owned();
            event.time = Some(Time::from_ms(FIRST_MS + i64::try_from(at).unwrap() * DAY_MS));
            event.identities = vec![Identity::Named(format!("e-{at}"))];
            let after = home.journal.last_seq().unwrap();
            home.append(event);
            let last = home.journal.last_seq().unwrap();
            let archive = Archive {
                version: Archive::VERSION,
                client: Some(Client::Codex),
                session: format!("s{session}"),
                number: u32::try_from(at).unwrap() + 1,
                after_seq: after,
                last_seq: last,
                first_ms: 0,
                last_ms: 0,
                events: last - after,
                turns: 0,
                trigger: Trigger::Asked,
                points: Vec::new(),
            };
            home.append(archive.into_event("o/r"));
            explained = home.dream(&DreamWish { explain: true, ..DreamWish::default() });
        }
        (home, explained)
    }

    fn append(&self, event: Event) {
        let admission = Admission::new(&self.redactor, self.journal.hasher().clone());
        self.journal.append(&[admission.admit(event)], &[]).unwrap();
    }

    fn dream(&self, wish: &DreamWish) -> Dreamt {
        let dreamer = Dreamer { journal: &self.journal, redactor: &self.redactor, clock: &self.clock };
        dreamer.dream(wish, &mut |_, _| true).unwrap()
    }

    /// Everything that is still recalled: memories and messages.
    fn recalled(&self) -> String {
        let page = Page::first(1_000, Order::OldestFirst);
        let view = View::of(Audience::Recall);
        let hidden = self.journal.select(&Filter::default(), &view).unwrap().hidden;
        let all = self.journal.page(&Filter::default(), &view, &page).unwrap().events;
        let kinds = [Kind::Memory, Kind::UserMessage, Kind::AssistantMessage];
        let shown = all.iter().filter(|one| kinds.contains(&one.event.kind()) && !hidden.contains(&one.seq));
        let text = |event: &Event| match Memory::of_event(event) {
            Some(memory) => memory.text,
            None => event.content.plain().into_owned(),
        };
        shown.map(|one| format!("{}\n", text(&one.event))).collect()
    }
}

const KEPT: &str = "remember that the logo is a green otter";

#[test]
fn what_is_named_in_everyday_words_goes_with_the_messages_that_said_it() {
    for (told, wish, gone) in [
        ("deploys go through jenkins, remember that", "forget the jenkins thing", "through jenkins"),
        ("deploys go through jenkins, remember that", "please forget the thing about jenkins", "through jenkins"),
        ("deploys go through jenkins, remember that", "stop remembering the jenkins thing", "through jenkins"),
        ("never use any in typescript", "drop the rule about any", "use any"),
        ("never use any in typescript", "forget the any rule", "use any"),
        ("never use any in typescript", "the any rule no longer applies", "use any"),
        ("remember that Nurse Blythe can't do nights", "scratch that about Blythe, please", "do nights"),
        ("from now on put all requests in requests.csv", "the requests.csv rule is off", "put all requests"),
        ("our collaborator is the Osei lab in Accra", "please delete what I told you about the Osei lab", "Accra"),
        (
            "always log-transform the counts",
            "you can forget about log-transforming the counts, not needed anymore",
            "always log",
        ),
        ("Mrs Whitlock charges 85 an hour, note that", "forget what I said about Whitlock's rate", "85 an hour"),
        ("remember that petty cash is in the blue tin", "never mind the petty cash thing", "blue tin"),
        ("the boss of level 3 is called Morrigane", "ignore what i said about the level 3 boss, that's cut", "Morri"),
        ("I prefer tabs over spaces", "remove my tabs preference from your memory", "over spaces"),
        ("our alarm company is Sentry Home", "erase the bit about the alarm company", "Sentry"),
        ("we use feature flags for everything", "unremember the feature flag thing", "for everything"),
        ("the roster goes out on Mondays", "forget about the monday thing, the weekend rule stays", "goes out"),
        ("vergiss nicht: der Gefrierschrank ist F3", "vergiss das mit dem Gefrierschrank", "F3"),
        ("recuerda que el IVA es 21%", "olvida lo del IVA", "21%"),
        ("Always run the linter before committing.", "we dropped the linter rule", "before committing"),
        ("Remember that the staging port is 5433", "forget the staging port", "5433"),
    ] {
        for goes_on in ["", "+ "] {
            let answer = "A: Fine.";
            let (home, explained) = Home::of(&[KEPT, told, answer, &format!("{goes_on}{wish}")]);
            let left = home.recalled();
            assert!(!left.contains(gone), "{wish}: {left} {explained:?}");
            assert!(left.contains("green otter"), "{wish}: {left}");
            assert!(!left.contains(wish), "the wish is no memory and not recalled: {left}");
            home.dream(&DreamWish { again: true, ..DreamWish::default() });
            assert!(!home.recalled().contains(gone), "{wish}");
        }
    }
}

#[test]
fn what_the_agent_said_to_it_is_gone_too() {
    let told = "remember that deploys go through jenkins";
    let (home, _) = Home::of(&[told, "A: Noted: jenkins deploys it.", "A: Anything else?", "forget the jenkins thing"]);
    let left = home.recalled();
    assert!(!left.contains("jenkins") && left.contains("Anything else?"), "{left}");
}

#[test]
fn work_that_sounds_alike_forgets_nothing() {
    let told = [
        "remember that the client is called Veltro",
        "the users table has 12 columns, remember that",
        "I prefer tabs over spaces",
        "remember that dates are in UTC",
        "never use any in typescript",
        "our login test takes 40 seconds",
        "deploys go through jenkins, remember that",
    ];
    let before = Home::of(&told).0.recalled();
    for work in [
        "forget the login test for a sec and run the linter first",
        "drop the users table",
        "remove the tabs component",
        "delete the function about dates",
        "ignore the warning about dates",
        "forget the client, let's do the main menu first",
        "scratch that, use the first version",
        "never mind, it works now",
        "never mind the typo",
        "remove the jenkins container",
        "drop the any cast in line 4",
        "delete the rule on any from .eslintrc",
        "the jenkins job is off, start it again",
        "forget the deploys, run the tests",
        "ignore the jenkins output for now",
        "remove the bit about jenkins from the readme",
        "did you forget the jenkins thing?",
        "don't forget the jenkins thing",
        "forget it",
        "drop that",
        "forget the port",
        "forget the harbour thing",
        "delete everything in the build directory",
        "erase the old jenkins logs",
        "the tabs are off by one pixel",
    ] {
        let mut said = told.to_vec();
        said.push(work);
        let left = Home::of(&said).0.recalled();
        let missing: Vec<&str> = before.lines().filter(|line| !left.contains(line)).collect();
        assert_eq!(missing, [""; 0], "{work}");
    }
}

#[test]
fn what_could_be_many_things_is_not_forgotten_and_explained() {
    let told = [
        "remember that the red box is for paper",
        "remember that the blue box is for glass",
        "remember that the old box is in the cellar",
        "remember that the new box costs 40 euros",
        "remember that a box holds 20 kilos",
    ];
    let mut said = told.to_vec();
    said.push("forget the box thing");
    let (home, explained) = Home::of(&said);
    assert_eq!(explained.explained.last().unwrap().became, "nothing: it could be many things");
    assert!(told.iter().all(|one| home.recalled().contains(one)));
    said.pop();
    said.push("forget the harbour thing");
    let (_, explained) = Home::of(&said);
    assert_eq!(explained.explained.last().unwrap().became, "nothing known");
}

#[test]
fn a_session_that_is_off_the_record_is_forgotten_and_stays_so() {
    for wish in ["forget everything I said in this session", "this session is off the record"] {
        let said = ["our logo is an otter", "our offer for the house is 412k", "A: Noted: 412k."];
        let wish = format!("+ {wish}");
        let said = [&said[..], &[&wish, "+ our limit is 430k", "A: 430k, then."]].concat();
        let (home, _) = Home::of(&said);
        let left = home.recalled();
        assert!(
            !left.contains("412k") && !left.contains("430k") && !left.contains(wish.trim_start_matches("+ ")),
            "{left}"
        );
        assert!(left.contains("otter"));
    }
}

#[test]
fn who_takes_back_what_was_said_and_goes_on_is_heard_further() {
    let (home, _) = Home::of(&["our runway is 4 months", "+ Don't save that. Now remember that the logo is an otter."]);
    let left = home.recalled();
    assert!(!left.contains("runway") && left.contains("logo is an otter"), "{left}");
}
