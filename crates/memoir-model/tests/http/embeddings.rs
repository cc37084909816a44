use memoir_model::{Embedder, EmbeddingModel, EmbeddingSettings, Identity, ModelError, Secret, TEXTS_MAX};
use memoir_testkit::provider::{Mode, Provider, embedding};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const KEY: &str = "sk-nobody-may-see-this";

fn settings(url: &str, timeout: Duration) -> EmbeddingSettings {
    EmbeddingSettings { url: url.to_owned(), model: "scripted".into(), key: Secret::new(KEY), proxy: None, timeout }
}

fn model(provider: &Provider) -> EmbeddingModel {
    EmbeddingModel::new(settings(&provider.url(), Duration::from_secs(10))).unwrap()
}

#[test]
fn each_text_gets_its_own_vector_whatever_order_the_answer_has() {
    let provider = Provider::start(32);
    let model = model(&provider);
    assert_eq!(model.identity(), None);
    let vectors = model.embed(&["one fish", "two fish", "red \"fish\"\n"]).unwrap();
    let expected = ["one fish", "two fish", "red \"fish\"\n"].map(|text| embedding(text, 32));
    assert_eq!(vectors, expected);
    assert_eq!(model.identity(), Some(Identity { model: "scripted".into(), dimension: 32 }));
    assert_eq!(model.embed(&[]).unwrap(), Vec::<Vec<f32>>::new());
    let asked = provider.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].path, "/v1/embeddings");
    assert_eq!(asked[0].header("authorization"), Some("Bearer sk-nobody-may-see-this"));
    assert_eq!(
        (asked[0].body["model"].as_str(), asked[0].body["encoding_format"].as_str()),
        (Some("scripted"), Some("float"))
    );
}

#[test]
fn an_answer_that_is_none_is_told_in_a_sentence() {
    let provider = Provider::start(16);
    for (mode, part) in [
        (Mode::NotJson, "not a list of embeddings"),
        (Mode::OtherJson, "not a list of embeddings"),
        (Mode::NaN, "not a list of embeddings"),
        (Mode::WrongCount, "1 vectors for 2 texts"),
        (Mode::WrongDimension, "vectors of 16 and of 15 numbers"),
        (Mode::WrongOrder, "fits no text"),
        (Mode::Infinite, "not finite"),
        (Mode::Zeros, "nothing but zeros"),
        (Mode::Empty, "a vector of 0 numbers"),
    ] {
        provider.set(mode.clone());
        let error = model(&provider).embed(&["a", "b"]).unwrap_err();
        assert!(matches!(error, ModelError::Unusable { .. }), "{mode:?}: {error:?}");
        assert!(error.to_string().contains(part), "{mode:?}: {error}");
    }
}

#[test]
fn every_status_has_its_own_meaning_and_no_key_is_shown() {
    let provider = Provider::start(16);
    for (status, part) in [
        (400, "refused the request (HTTP 400: no "),
        (401, "does not accept the key (HTTP 401)"),
        (403, "does not accept the key (HTTP 403)"),
        (404, "has no such address or model: no "),
        (422, "refused the request (HTTP 422"),
        (429, "is too busy (HTTP 429"),
        (500, "failed (HTTP 500: no "),
        (503, "is too busy (HTTP 503"),
    ] {
        provider.set(Mode::Status(status, format!("no {KEY}\n\u{1b}[2J {}", "x".repeat(5000))));
        let error = model(&provider).embed(&["a"]).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(part), "{status}: {said}");
        assert!(!said.contains(KEY) && !format!("{error:?}").contains(KEY), "{said}");
        assert!(said.len() < 400 && !said.contains('\n') && !said.contains('\u{1b}'), "{said}");
        assert_eq!(error.may_be_the_input(), matches!(status, 400 | 422 | 500), "{status}");
    }
    provider.set(Mode::Redirect("http://127.0.0.1:1/elsewhere".into()));
    assert!(matches!(model(&provider).embed(&["a"]), Err(ModelError::Redirected { status: 307, .. })));
    assert!(!format!("{:?}", model(&provider)).contains(KEY));
    assert!(!format!("{:?}", settings("http://localhost", Duration::ZERO)).contains(KEY));
}

#[test]
fn a_call_ends_in_time_whatever_the_server_does() {
    let provider = Provider::start(16);
    let limit = Duration::from_millis(300);
    let pause = Duration::from_millis(20);
    for mode in [Mode::Hang, Mode::Drip(pause), Mode::DripHead(pause), Mode::Slow(Duration::from_secs(2))] {
        provider.set(mode.clone());
        let model = EmbeddingModel::new(settings(&provider.url(), limit)).unwrap();
        let start = Instant::now();
        let error = model.embed(&["some words"]).unwrap_err();
        let took = start.elapsed();
        assert_eq!(error, ModelError::Timeout { host: "127.0.0.1".into(), after: limit }, "{mode:?}");
        assert_eq!(error.to_string(), "the model at 127.0.0.1 did not answer within 300 ms");
        assert!(took >= limit - pause && took < limit + Duration::from_millis(700), "{mode:?} took {took:?}");
    }
}

#[test]
fn a_failure_that_never_ends_being_explained_ends_in_time_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let door = std::thread::spawn(move || {
        use std::io::Write as _;
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(b"HTTP/1.1 500 Oh\r\ncontent-length: 100000\r\n\r\n");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let model = EmbeddingModel::new(settings(&url, Duration::from_millis(300))).unwrap();
    let start = Instant::now();
    assert!(matches!(model.embed(&["a"]), Err(ModelError::Failed { status: 500, .. })));
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    drop(model);
    door.join().unwrap();
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let provider = Provider::start(16);
    let model = model(&provider);
    model.embed(&["a"]).unwrap();
    provider.set(Mode::Huge);
    let error = model.embed(&["a"]).unwrap_err();
    assert!(matches!(error, ModelError::TooLong { .. }), "{error:?}");
}

#[test]
fn nobody_there_is_told_at_once() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = EmbeddingModel::new(settings(&format!("http://127.0.0.1:{port}"), Duration::from_secs(5))).unwrap();
    let error = model.embed(&["a"]).unwrap_err();
    assert!(error.to_string().starts_with("the model at 127.0.0.1 cannot be reached: "), "{error}");
    let provider = Provider::start(16);
    provider.set(Mode::HangUp);
    let error = self::model(&provider).embed(&["a"]).unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
}

#[test]
fn a_model_keeps_its_dimension() {
    let provider = Provider::start(16);
    let model = model(&provider);
    model.embed(&["a"]).unwrap();
    provider.set_dimension(8);
    let error = model.embed(&["a"]).unwrap_err();
    assert!(error.to_string().ends_with("vectors of 8 numbers, after such of 16"), "{error}");
}

#[test]
fn wrong_settings_are_told_before_anything_is_sent() {
    let limit = Duration::from_secs(1);
    let refused = |settings: EmbeddingSettings| EmbeddingModel::new(settings).unwrap_err();
    assert!(matches!(refused(settings("localhost:1", limit)), ModelError::Address(_)));
    assert_eq!(refused(settings("http://far.example", limit)), ModelError::KeyInClear("far.example".into()));
    assert!(EmbeddingModel::new(EmbeddingSettings { key: None, ..settings("http://far.example", limit) }).is_ok());
    let key = Secret::new("a\nb");
    assert_eq!(refused(EmbeddingSettings { key, ..settings("http://localhost", limit) }), ModelError::BadKey);
    let model = String::from(" ");
    assert_eq!(refused(EmbeddingSettings { model, ..settings("http://localhost", limit) }), ModelError::NoName);
    let proxy = Some("::".to_owned());
    let bad = refused(EmbeddingSettings { proxy, ..settings("https://far.example", limit) });
    assert_eq!(bad, ModelError::BadProxy("far.example".into()));
    assert_eq!(Secret::new("  "), None);
    let model = EmbeddingModel::new(settings("http://localhost", limit)).unwrap();
    let many = vec!["x"; TEXTS_MAX + 1];
    assert_eq!(model.embed(&many), Err(ModelError::TooMany(TEXTS_MAX + 1)));
}
