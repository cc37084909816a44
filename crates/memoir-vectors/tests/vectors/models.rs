//! Catching up with a model over a real socket that does not always do what it should.

use crate::support::{Fake, home, made, text};
use memoir_model::{Embedder, EmbeddingModel, EmbeddingSettings, ModelError};
use memoir_redact::Redactor;
use memoir_testkit::provider::{Mode, Provider};
use memoir_vectors::{CatchUp, Made, VectorsError, Watch};
use std::cell::RefCell;
use std::time::{Duration, Instant};

fn model(provider: &Provider) -> EmbeddingModel {
    let (url, timeout) = (provider.url(), Duration::from_secs(5));
    EmbeddingModel::new(EmbeddingSettings { url, model: "scripted".into(), key: None, proxy: None, timeout }).unwrap()
}

#[test]
fn a_text_that_is_too_long_for_the_model_is_shortened_and_holds_up_no_other() {
    for status in [400, 500] {
        let (home, provider) = (home(), Provider::start(32));
        home.say_many(0, 70);
        home.say(&["elephants walk far ".repeat(90).trim()]);
        home.say_many(70, 10);
        provider.set(Mode::LongerFails(status, 1000));
        let outcome = home.catch_up(&home.vectors(), &model(&provider));
        assert_eq!(
            outcome,
            CatchUp::Done(Made { vectors: 81, refused: 0, rebuilt: true, ..Made::default() }),
            "{status}"
        );
    }
}

#[test]
fn a_text_that_the_model_takes_in_no_form_is_counted_and_left_out() {
    let (home, provider) = (home(), Provider::start(32));
    home.say(&["short", &"x".repeat(300), "brief"]);
    provider.set(Mode::LongerFails(422, 100));
    let outcome = home.catch_up(&home.vectors(), &model(&provider));
    assert_eq!(outcome, CatchUp::Done(Made { vectors: 2, refused: 1, rebuilt: true, ..Made::default() }));
    home.say(&[&"y".repeat(300)]);
    let outcome = home.catch_up(&home.vectors(), &model(&provider));
    assert_eq!(outcome, CatchUp::Done(Made { vectors: 0, refused: 1, rebuilt: false, ..Made::default() }));
}

#[test]
fn a_model_that_refuses_everything_is_an_error_and_not_asked_for_long() {
    let (home, provider) = (home(), Provider::start(32));
    home.say_many(0, 500);
    for (mode, said) in [
        (Mode::Status(400, "no embeddings here".into()), "no embeddings here"),
        (Mode::Status(500, "out of memory".into()), "out of memory"),
        (Mode::Status(404, "no such model".into()), "no such model"),
        (Mode::Status(401, String::new()), "does not accept the key"),
        (Mode::NotJson, "cannot be used"),
    ] {
        provider.set(mode.clone());
        let before = provider.asked().len();
        let outcome = home.vectors().catch_up(&home.journal, &Redactor::builtin(), &model(&provider), &mut |_, _| true);
        let error = outcome.unwrap_err();
        assert!(matches!(&error, VectorsError::Model(_)) && error.to_string().contains(said), "{mode:?}: {error}");
        assert!(provider.asked().len() - before < 200, "{mode:?}");
    }
    assert_eq!(home.files().len(), 0);
}

/// Wants to be asked again after so long, always.
struct Busy(Duration);

impl Embedder for Busy {
    fn model(&self) -> &str {
        "busy"
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        Err(ModelError::Busy { host: "there".into(), status: 429, said: String::new(), after: Some(self.0) })
    }
}

#[test]
fn a_model_that_wants_to_be_left_alone_for_long_is_and_what_is_waited_for_is_told() {
    let home = home();
    home.say(&[&text(1)]);
    let told = RefCell::new(Vec::new());
    let ask = |after: u64, mut calls: u32| {
        let mut go_on = |_, _| {
            calls = calls.saturating_sub(1);
            calls > 0
        };
        let tell = |what: &str| told.borrow_mut().push(what.to_owned());
        let model = Busy(Duration::from_secs(after));
        let watch = Watch { progress: &mut go_on, tell: &tell };
        home.vectors().catch_up_watched(&home.journal, &Redactor::builtin(), &model, watch)
    };
    let start = Instant::now();
    let error = ask(3_600, 1_000).unwrap_err().to_string();
    assert!(error.contains("asked again in 60 min"), "{error}");
    assert_eq!(told.borrow().len(), 0);
    assert!(matches!(ask(30, 5).unwrap(), CatchUp::Stopped(_)));
    assert!(told.borrow().first().is_some_and(|what| what.contains("asking again in 30 s")), "{told:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_model_of_the_same_name_that_makes_longer_vectors_makes_all_of_them_anew() {
    let home = home();
    home.say_many(0, 5);
    let (short, long) = (Fake::new("m", 16), Fake::new("m", 32));
    assert_eq!(home.catch_up(&home.vectors(), &short), CatchUp::Done(made(5, true)));
    // Nothing new was said, and nobody else has noticed.
    let outcome = home.catch_up(&home.vectors(), &long);
    assert_eq!(outcome, CatchUp::Done(Made { replaced_dimension: Some(16), ..made(5, true) }));
    assert_eq!(home.all(&home.vectors(), &long).len(), 5);
    let vectors = home.vectors();
    assert_eq!((home.catch_up(&vectors, &long), home.catch_up(&vectors, &long)), (CatchUp::Current, CatchUp::Current));
    // And where something new was said.
    home.say_many(5, 1);
    let outcome = home.catch_up(&home.vectors(), &short);
    assert_eq!(outcome, CatchUp::Done(Made { replaced_dimension: Some(32), ..made(6, true) }));
    assert_eq!(home.all(&home.vectors(), &short).len(), 6);
}

#[test]
fn a_busy_model_is_asked_again_and_waiting_can_be_stopped() {
    let (home, provider) = (home(), Provider::start(32));
    home.say(&[&text(1)]);
    provider.set(Mode::BusyFor(3));
    let outcome = home.catch_up(&home.vectors(), &model(&provider));
    assert_eq!(outcome, CatchUp::Done(Made { vectors: 1, refused: 0, rebuilt: true, ..Made::default() }));
    home.say(&[&text(2)]);
    provider.set(Mode::Status(429, "later".into()));
    let (start, mut calls) = (Instant::now(), 0);
    let outcome = home.vectors().catch_up(&home.journal, &Redactor::builtin(), &model(&provider), &mut |_, _| {
        calls += 1;
        calls < 5
    });
    assert!(matches!(outcome.unwrap(), CatchUp::Stopped(_)));
    assert!(start.elapsed() < Duration::from_secs(3));
}
