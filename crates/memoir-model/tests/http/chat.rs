use memoir_model::{ChatKind, ChatModel, ChatSettings, ModelError, Secret};
use memoir_testkit::provider::{Mode, Provider};
use std::time::Duration;

fn settings(url: &str) -> ChatSettings {
    ChatSettings {
        url: url.to_owned(),
        model: "scripted".into(),
        key: Secret::new("k-1"),
        proxy: None,
        timeout: Duration::from_secs(5),
        kind: None,
    }
}

#[test]
fn both_protocols_bring_the_same_answer() {
    let provider = Provider::start(8);
    provider.set_answer("  Forty-two.\n");
    let openai = ChatModel::new(settings(&provider.url())).unwrap();
    let kind = Some(ChatKind::Anthropic);
    let anthropic = ChatModel::new(ChatSettings { kind, ..settings(&format!("{}/v1", provider.url())) }).unwrap();
    for model in [&openai, &anthropic] {
        assert_eq!(model.complete("be short", "what is it?", 77).unwrap().text, "Forty-two.");
    }
    let asked = provider.asked();
    assert_eq!([&*asked[0].path, &*asked[1].path], ["/v1/chat/completions", "/v1/messages"]);
    assert_eq!(asked[0].header("authorization"), Some("Bearer k-1"));
    assert_eq!(asked[0].body["messages"][0]["content"], "be short");
    assert_eq!(asked[0].body["messages"][1]["content"], "what is it?");
    assert_eq!((asked[1].header("x-api-key"), asked[1].header("anthropic-version")), (Some("k-1"), Some("2023-06-01")));
    assert_eq!(asked[1].header("authorization"), None);
    assert_eq!(
        (&asked[1].body["system"], &asked[1].body["messages"][0]["content"]),
        (&"be short".into(), &"what is it?".into())
    );
    assert!(asked.iter().all(|asked| asked.body["max_tokens"] == 77 && asked.body["model"] == "scripted"));
}

#[test]
fn the_protocol_is_told_from_the_address() {
    let provider = Provider::start(8);
    provider.set_answer("yes");
    for (path, asked) in [("", "/v1/chat/completions"), ("/v1/messages", "/v1/messages")] {
        let model = ChatModel::new(settings(&format!("{}{path}", provider.url()))).unwrap();
        model.complete("s", "u", 5).unwrap();
        assert_eq!(provider.asked().last().unwrap().path, asked);
    }
    assert_eq!(ChatKind::parse("Anthropic "), Some(ChatKind::Anthropic));
    assert_eq!(ChatKind::parse("claude"), None);
}

#[test]
fn a_model_that_knows_the_limit_by_another_name_is_asked_again() {
    let provider = Provider::start(8);
    provider.set(Mode::Status(400, "Unsupported parameter: use 'max_completion_tokens' instead.".into()));
    let model = ChatModel::new(settings(&provider.url())).unwrap();
    assert!(matches!(model.complete("s", "u", 5), Err(ModelError::Refused { .. })));
    let asked = provider.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!((&asked[1].body["max_completion_tokens"], asked[1].body.get("max_tokens")), (&5.into(), None));
}

#[test]
fn what_is_no_answer_is_told_in_a_sentence() {
    let provider = Provider::start(8);
    for kind in ChatKind::ALL {
        let model = ChatModel::new(ChatSettings { kind: Some(kind), ..settings(&provider.url()) }).unwrap();
        for (mode, part) in [(Mode::NotJson, "it is not JSON"), (Mode::OtherJson, "it has no message")] {
            provider.set(mode);
            let error = model.complete("s", "u", 5).unwrap_err();
            assert!(matches!(&error, ModelError::Unusable { what, .. } if what.starts_with(part)), "{error}");
        }
        provider.set(Mode::Ok);
        provider.set_answer(" \n ");
        let error = model.complete("s", "u", 5).unwrap_err();
        assert_eq!(error.to_string(), "the model at 127.0.0.1 gave an answer that cannot be used: it says nothing");
    }
    provider.set(Mode::Hang);
    let model =
        ChatModel::new(ChatSettings { timeout: Duration::from_millis(200), ..settings(&provider.url()) }).unwrap();
    assert!(matches!(model.complete("s", "u", 5), Err(ModelError::Timeout { .. })));
    provider.set(Mode::Huge);
    let model = ChatModel::new(settings(&provider.url())).unwrap();
    assert!(matches!(model.complete("s", "u", 5), Err(ModelError::TooLong { .. })));
}
