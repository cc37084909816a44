use crate::support::{Fake, home, item, made, message, open, text};
use memoir_event::{Kind, Secrecy, Visibility};
use memoir_journal::{Depth, Forgetting, Journal, Seq};
use memoir_redact::Redactor;
use memoir_vectors::{CatchUp, Made, Probe, TEXT_CHARS_MAX, VectorsError};

#[test]
fn nothing_is_on_disk_before_it_is_needed() {
    let home = home();
    let (vectors, model) = (home.vectors(), Fake::new("m", 16));
    assert_eq!(home.all(&vectors, &model), Vec::<Seq>::new());
    let status = vectors.status(&home.journal, &Redactor::builtin()).unwrap();
    assert_eq!((status.vectors, status.missing, status.made_by), (0, Some(0), None));
    assert!(!home.vectors_dir().exists());
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Current);
    assert_eq!(home.files().len(), 0);
}

#[test]
fn what_was_said_is_found_by_what_is_like_it() {
    let home = home();
    home.say(&["deploy the server with ./ship", "pasta needs salt", "the login test is flaky"]);
    let (vectors, model) = (home.vectors(), Fake::new("m", 64));
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(3, true)));
    assert_eq!(home.near(&vectors, &model, "deploying servers", 1), [1]);
    assert_eq!(home.near(&vectors, &model, "flaky tests of the login", 1), [3]);
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Current);
    home.say(&["tomatoes with pasta"]);
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(1, false)));
    assert_eq!(home.near(&vectors, &model, "tomato pasta", 2), [4, 2]);
    assert_eq!(model.asked().len(), 4);
    let status = vectors.status(&home.journal, &Redactor::builtin()).unwrap();
    assert_eq!((status.vectors, status.missing, status.reached, status.last), (4, Some(0), 4, 4));
    assert_eq!(status.made_by.unwrap().to_string(), "m (64 dimensions)");
    assert!(status.bytes > 4 * 128 && status.problem.is_none());
}

#[test]
fn only_speech_that_may_be_handed_out_is_given_to_a_model() {
    let home = home();
    let mut secret = message(Kind::UserMessage, "the secret plan");
    secret.secrecy = Secrecy::Secret;
    let mut scratch = message(Kind::UserMessage, "private scratch");
    scratch.visibility = Visibility::PrivateScratch;
    let mut sealed = message(Kind::AssistantMessage, "sealed words");
    sealed.visibility = Visibility::Sealed;
    home.append(vec![
        secret,
        scratch,
        sealed,
        message(Kind::ToolResult, "what a tool printed"),
        message(Kind::UserMessage, "  … --- … "),
        message(Kind::UserMessage, "to be forgotten"),
        message(Kind::AssistantMessage, "this may be known"),
        message(Kind::UserMessage, &"long ".repeat(1000)),
    ]);
    home.forget("f-1", &[6], Depth::Forget);
    let (vectors, model) = (home.vectors(), Fake::new("m", 16));
    let missing =
        |home: &crate::support::Home| home.vectors().status(&home.journal, &Redactor::builtin()).unwrap().missing;
    assert_eq!(missing(&home), Some(2));
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(2, true)));
    let asked = model.asked();
    assert_eq!(asked.iter().map(|text| text.chars().count()).max(), Some(TEXT_CHARS_MAX));
    assert!(asked.contains(&"this may be known".to_owned()), "{asked:?}");
    assert_eq!(missing(&home), Some(0));
    home.append(vec![Forgetting::undoing("f-1", None)]);
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(1, false)));
    assert_eq!(model.asked().last().unwrap(), "to be forgotten");
    assert_eq!(home.all(&vectors, &model), [6, 7, 8]);
}

#[test]
fn rules_that_are_newer_than_a_text_hold_for_what_a_model_sees() {
    let home = home();
    home.say(&["our customer is called Zebedee"]);
    let rule = memoir_redact::CustomRule { name: "customer".into(), pattern: "Zebedee".into() };
    let redactor = Redactor::new(&memoir_redact::Settings { rules: vec![rule], allow: vec![] }).unwrap();
    let model = Fake::new("m", 16);
    home.vectors().catch_up(&home.journal, &redactor, &model, &mut |_, _| true).unwrap();
    assert_eq!(model.asked().len(), 1);
    assert!(!model.asked()[0].contains("Zebedee"), "{:?}", model.asked());
}

#[test]
fn a_fuller_revision_takes_the_place_of_what_was_known() {
    let home = home();
    home.append(vec![item("a", "the answer grows"), item("b", "another")]);
    let (vectors, model) = (home.vectors(), Fake::new("m", 64));
    home.catch_up(&vectors, &model);
    home.append(vec![item("a", "the answer grows and speaks of elephants at last")]);
    let status = vectors.status(&home.journal, &Redactor::builtin()).unwrap();
    assert_eq!((status.vectors, status.missing), (2, Some(1)));
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(1, false)));
    assert_eq!(home.all(&vectors, &model), [1, 2]);
    for vectors in [vectors, home.vectors()] {
        let vector = memoir_testkit::provider::embedding("the answer grows and speaks of elephants at last", 64);
        let journal = home.journal.identity().unwrap();
        let probe = Probe { vector: &vector, model: "m", journal: &journal };
        let found = vectors.near(&probe, 5, &mut |_| true);
        assert!(found.len() == 2 && found[0].0 == 1 && found[0].1 > 0.999, "{found:?}");
        assert_eq!(vectors.cosines(&probe, &[2, 1, 1, 99, 3]).iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), [2, 1]);
        let cosines: Vec<(Seq, f32)> = vectors.cosines(&probe, &[1]);
        assert_eq!(cosines, [found[0]]);
    }
    home.append(vec![item("c", "short"), item("c", "short and then longer")]);
    assert_eq!(home.catch_up(&home.vectors(), &model), CatchUp::Done(made(1, false)));
    assert_eq!(model.asked().last().unwrap(), "short and then longer");
}

#[test]
fn the_same_text_is_sent_once_in_a_batch() {
    let home = home();
    for turn in ["1", "2", "3", "4"] {
        let mut event = message(Kind::UserMessage, if turn == "2" { "yes" } else { "continue" });
        event.turn = Some(turn.to_owned());
        home.append(vec![event]);
    }
    let (vectors, model) = (home.vectors(), Fake::new("m", 16));
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(4, true)));
    assert_eq!(model.asked(), ["continue", "yes"]);
    assert_eq!(home.near(&vectors, &model, "continue", 2), [4, 3]);
}

#[test]
fn what_is_done_is_kept_when_it_is_stopped_or_the_model_goes() {
    let home = home();
    home.say_many(0, 300);
    let vectors = home.vectors();
    let mut model = Fake::new("m", 16);
    model.fails_after = 130;
    let redactor = Redactor::builtin();
    let error = vectors.catch_up(&home.journal, &redactor, &model, &mut |_, _| true).unwrap_err();
    assert!(matches!(error, VectorsError::Model(_)), "{error:?}");
    assert_eq!(home.all(&vectors, &model), (1..=128).collect::<Vec<Seq>>());
    model.fails_after = usize::MAX;
    let mut seen = Vec::new();
    let stopped = home.vectors().catch_up(&home.journal, &redactor, &model, &mut |done, total| {
        seen.push((done, total));
        done < 250
    });
    assert_eq!(stopped.unwrap(), CatchUp::Stopped(made(64, false)));
    assert!(seen.iter().all(|(done, total)| done <= total && *total == 300) && seen.len() > 1, "{seen:?}");
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Done(made(108, false)));
    let mut asked = model.asked();
    asked.sort();
    asked.dedup();
    assert_eq!((asked.len(), model.asked().len()), (300, 300));
    assert_eq!(home.near(&vectors, &model, &text(200), 1), [201]);
}

#[test]
fn another_model_starts_anew_and_the_old_vectors_are_never_compared_with_it() {
    let home = home();
    home.say_many(0, 100);
    let (vectors, old) = (home.vectors(), Fake::new("old", 16));
    home.catch_up(&vectors, &old);
    let same_length = Fake::new("new", 16);
    assert_eq!(home.all(&vectors, &same_length), Vec::<Seq>::new());
    assert_eq!(home.all(&vectors, &old).len(), 100);
    let down = Fake { fails_after: 0, ..Fake::new("new", 16) };
    assert!(vectors.catch_up(&home.journal, &Redactor::builtin(), &down, &mut |_, _| true).is_err());
    assert_eq!(home.all(&vectors, &old).len(), 100, "the old ones stay until the new model answers");
    assert_eq!(home.catch_up(&vectors, &same_length), CatchUp::Done(made(100, true)));
    assert_eq!((home.all(&vectors, &old).len(), home.all(&vectors, &same_length).len()), (0, 100));
    let longer = Fake::new("new", 24);
    assert_eq!(home.all(&vectors, &longer), Vec::<Seq>::new());
    home.say_many(100, 1);
    assert_eq!(
        home.catch_up(&vectors, &longer),
        CatchUp::Done(Made { replaced_dimension: Some(16), ..made(101, true) })
    );
    assert_eq!((home.all(&vectors, &same_length).len(), home.all(&vectors, &longer).len()), (0, 101));
    assert_eq!(home.files().len(), 2);
}

#[test]
fn vectors_of_another_journal_are_never_used_and_those_that_fit_are_taken_over() {
    let first = home();
    first.say_many(0, 200);
    let model = Fake::new("m", 16);
    first.catch_up(&first.vectors(), &model);
    let second = home();
    second.say_many(0, 150);
    second.say_many(1000, 30);
    std::fs::create_dir(second.vectors_dir()).unwrap();
    for file in first.files() {
        std::fs::copy(&file, second.vectors_dir().join(file.file_name().unwrap())).unwrap();
    }
    let vectors = second.vectors();
    assert_eq!(second.all(&vectors, &model), Vec::<Seq>::new());
    let status = vectors.status(&second.journal, &Redactor::builtin()).unwrap();
    assert_eq!(status.problem.as_deref(), Some("they are of another journal"));
    let before = model.asked().len();
    assert_eq!(second.catch_up(&vectors, &model), CatchUp::Done(made(30, false)));
    assert_eq!(model.asked().len() - before, 30, "what is the same in both is not embedded again");
    assert_eq!(second.all(&vectors, &model), (1..=180).collect::<Vec<Seq>>());
    assert_eq!(second.near(&vectors, &model, &text(1003), 1), [154]);
    let reopened = open(&second.dir.path().join("journal.db"));
    assert_eq!(reopened.identity().unwrap(), second.journal.identity().unwrap());
}

#[test]
fn many_small_steps_do_not_leave_many_small_pieces() {
    let home = home();
    let (vectors, model) = (home.vectors(), Fake::new("m", 16));
    for n in 0..200 {
        home.say_many(n, 1);
        home.catch_up(&vectors, &model);
    }
    assert_eq!(home.all(&vectors, &model).len(), 200);
    assert_eq!(model.asked().len(), 200);
    let coarse = std::fs::metadata(home.vectors_dir().join("coarse")).unwrap().len();
    assert!(coarse < 200 * 36 + 120 * 48 + 200, "{coarse}");
}

#[test]
fn records_without_speech_are_looked_through_once() {
    let home = home();
    home.say(&["something"]);
    let (vectors, model) = (home.vectors(), Fake::new("m", 16));
    home.catch_up(&vectors, &model);
    home.append((0..1000).map(|n| message(Kind::ToolResult, &format!("line {n}"))).collect());
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Current);
    let status = home.vectors().status(&home.journal, &Redactor::builtin()).unwrap();
    assert!(status.reached > 700, "{status:?}");
    assert_eq!(model.asked().len(), 1);
}
