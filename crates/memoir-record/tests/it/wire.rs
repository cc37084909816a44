use memoir_event::{Content, Event, Identity, Json, Kind, Secrecy, Source, Speaker, Time, Visibility};
use memoir_record::wire::{
    BatchRequest, Block, Capture, Destination, ErrorBody, Modality, RawContent, RawRecord, RawSource, RecallRecord,
    Refusal, Sender, WireError, encode,
};
use proptest::prelude::*;
use serde_json::{Value, json};

const HTTP: Capture = Capture { source: Source::Http, at_ms: 5, nonce: 9 };

fn record(value: &Value) -> RawRecord {
    RawRecord::parse(value.to_string().as_bytes()).unwrap()
}

fn minimal() -> Value {
    json!({
        "session_id": "s", "source": "conversation", "speaker": "user", "visibility": "normal",
        "secrecy_level": "sensitive", "content": {"blocks": [{"modality": "text", "format": "text/plain", "data": [104, 105]}]}
    })
}

fn with(name: &str, value: Value) -> Value {
    let mut record = minimal();
    record[name] = value;
    record
}

fn stored(event: Event) -> memoir_journal::StoredEvent {
    let id = memoir_event::EventId::derive(Source::Http, Some("s"), 1, "prompt.submitted", "");
    memoir_journal::StoredEvent { seq: 1, id, keys: vec![], ts_ms: 1000, at_ms: 2000, origin: 1, shape: 1, event }
}

#[test]
fn what_the_recorder_of_the_contract_sends_is_taken_field_by_field() {
    let sent = std::fs::read("tests/golden/recorder-batch.json").unwrap();
    let batch = BatchRequest::parse(&sent).unwrap();
    assert_eq!(batch.records.len(), 9);
    let kinds: Vec<Kind> =
        batch.records.iter().take(8).map(|record| record.clone().into_event(HTTP).unwrap().kind()).collect();
    assert_eq!(kinds, Kind::CAPTURED);
    let event = batch.records[0].clone().into_event(HTTP).unwrap();
    let mut expected = Event::new(Source::Http, "demo", Kind::UserMessage, Content::Text("Grüße – 日本".into()));
    expected.client = Some(memoir_event::Client::Codex);
    expected.adapter = Some("codex".into());
    expected.repo = memoir_event::repo_id_of_path("/home/dev/api");
    expected.turn = Some("turn-1".into());
    expected.topic = Some("topic-1".into());
    expected.action = Some("action-1".into());
    expected.time = Some(Time::parse("2026-05-10T08:00:00+00:00").unwrap());
    expected.secrecy = Secrecy::Public;
    expected.metadata = Some(Json::parse(r#"{"cwd":"/home/dev/api","n":2.50}"#.into()).unwrap());
    expected.meta = Some(Json::parse(r#"{"schema_version":1,"confidence":0.9}"#.into()).unwrap());
    expected.identities = vec![Identity::Explicit];
    assert_eq!(event, expected);
    let bare = batch.records[8].clone().into_event(HTTP).unwrap();
    assert_eq!(bare.identities, [Identity::Unique { at_ms: 5, nonce: 9 }]);
    assert_eq!((bare.meta, bare.metadata, bare.repo), (None, None, memoir_event::repo_id_of_path("/home/dev")));
}

#[test]
fn our_recorder_sends_the_golden_request() {
    let mut event = Event::new(Source::Recorder, "demo", Kind::UserMessage, Content::Text("hé".into()));
    event.adapter = Some("codex".into());
    event.time = Some(Time::parse("2026-05-10T10:00:00+02:00").unwrap());
    event.metadata = Some(Json::parse(r#"{"cwd": "/r"}"#.into()).unwrap());
    let json = Content::Json(Json::parse(r#"{"b": 2.50,"a":1}"#.into()).unwrap());
    let mut call = Event::new(Source::Recorder, "demo", Kind::ToolCall, json);
    call.turn = Some("t1".into());
    call.meta = Some(Json::parse(r#"{"intent":"x"}"#.into()).unwrap());
    let sender = Sender { cwd: Some("/home/dev"), to: Destination::Server };
    let records = [encode(&event, sender, Some("k1")), encode(&call, sender, Some("k2"))];
    let request = BatchRequest { header: memoir_record::wire::Header, records: records.to_vec() };
    golden("batch-request.json", &format!("{}\n", serde_json::to_string(&request).unwrap()));
}

/// Compares with a golden file; `MEMOIR_GOLDEN=write` makes it.
pub fn golden(name: &str, found: &str) {
    let path = format!("tests/golden/{name}");
    if std::env::var("MEMOIR_GOLDEN").is_ok_and(|mode| mode == "write") {
        std::fs::write(&path, found).unwrap();
    }
    assert_eq!(found, std::fs::read_to_string(&path).unwrap(), "{path}");
}

#[test]
fn a_record_without_recorder_metadata_gets_its_kind_from_source_and_speaker() {
    for (source, speaker, kind) in [
        ("conversation", "user", Kind::UserMessage),
        ("conversation", "assistant", Kind::AssistantMessage),
        ("conversation", "system", Kind::AssistantMessage),
        ("tool_io", "tool", Kind::ToolResult),
        ("tool_io", "assistant", Kind::ToolCall),
        ("tool_io", "user", Kind::Command),
        ("tool_io", "system", Kind::ToolResult),
        ("scratchpad", "assistant", Kind::Reasoning),
        ("summary", "system", Kind::SessionSummary),
        ("imported", "user", Kind::Other),
    ] {
        let mut sent = with("source", json!(source));
        sent["speaker"] = json!(speaker);
        let event = record(&sent).into_event(HTTP).unwrap();
        assert_eq!((event.kind(), event.speaker.as_str()), (kind, speaker), "{source} {speaker}");
        let recalled = serde_json::to_value(RecallRecord::from(&stored(event))).unwrap();
        assert_eq!((&recalled["source"], &recalled["speaker"]), (&json!(source), &json!(speaker)));
    }
    let named = with("metadata", json!({"event_type": "user_message"}));
    assert_eq!(record(&named).into_event(HTTP).unwrap().kind(), Kind::UserMessage);
    let contradicting = with("metadata", json!({"event_type": "command"}));
    assert_eq!(record(&contradicting).into_event(HTTP).unwrap().kind(), Kind::UserMessage);
}

#[test]
fn metadata_of_anyone_else_is_kept_and_given_back_where_it_was() {
    for metadata in [json!({"a": 1, "observed_at": "2026-05-10T08:00:00Z"}), json!({"nested": {"x": [1, 2]}})] {
        let event = record(&with("metadata", metadata.clone())).into_event(HTTP).unwrap();
        assert_eq!(event.metadata.as_ref().map(Json::to_value), Some(metadata.clone()));
        assert_eq!(event.time, None);
        let recalled = RecallRecord::from(&stored(event)).metadata.to_value();
        for (name, value) in metadata.as_object().unwrap() {
            assert_eq!(&recalled[name], value);
        }
        assert_eq!(recalled["event_type"], "user_message");
    }
    for odd in [json!(5), json!("x"), json!([1]), json!(true)] {
        let event = record(&with("metadata", odd.clone())).into_event(HTTP).unwrap();
        assert_eq!(event.metadata.map(|json| json.to_value()), Some(odd));
    }
}

#[test]
fn a_field_that_a_newer_recorder_adds_is_not_lost() {
    let metadata =
        json!({"recorder": "cerememory-recorder", "event_type": "user_message", "action_id": "a", "host": "h"});
    let event = record(&with("metadata", metadata.clone())).into_event(HTTP).unwrap();
    assert_eq!(event.action.as_deref(), Some("a"));
    assert_eq!(event.metadata.as_ref().map(Json::to_value), Some(metadata));
    assert_eq!(RecallRecord::from(&stored(event)).metadata.to_value()["host"], "h");
}

#[test]
fn an_idempotency_key_names_a_record_that_nothing_else_names() {
    let sent = with("metadata", json!({"idempotency_key": "k-1", "other": 1}));
    assert_eq!(record(&sent).into_event(HTTP).unwrap().identities, [Identity::Named("k-1".into())]);
    let mut turned = sent;
    turned["turn_id"] = json!("t");
    assert_eq!(record(&turned).into_event(HTTP).unwrap().identities, [Identity::Explicit]);
    assert_eq!(record(&turned).idempotency_key().as_deref(), Some("k-1"));
}

#[test]
fn every_wrong_record_is_refused_with_its_reason() {
    let block = |modality: &str, data: &[u8]| {
        with("content", json!({"blocks": [{"modality": modality, "format": "f", "data": data}]}))
    };
    let refusal = |value: &Value| record(value).into_event(HTTP).unwrap_err();
    assert_eq!(refusal(&with("session_id", json!("  "))), WireError::BlankSession);
    assert_eq!(refusal(&with("content", json!({"blocks": []}))), WireError::NoBlocks);
    assert_eq!(refusal(&block("text", &[0xff])), WireError::NotUtf8 { block: 0 });
    assert!(matches!(refusal(&block("structured", b"{x")), WireError::NotJson { block: 0, .. }));
    assert!(matches!(refusal(&with("meta", json!({"confidence": 1.5}))), WireError::Meta(_)));
    let vector = json!({"blocks": [{"modality": "text", "format": "f", "data": [], "embedding": ["x"]}]});
    assert_eq!(refusal(&with("content", vector)), WireError::Embedding { block: 0 });
    for broken in [with("source", json!("nowhere")), with("speaker", json!(null)), with("turn_id", json!(5)), json!([])]
    {
        assert!(matches!(RawRecord::parse(broken.to_string().as_bytes()), Err(WireError::Shape(_))), "{broken}");
    }
    for data in ["[256]", "[-1]", "[1.5]", "[\"a\"]", "{}", "null", "[1"] {
        let text = minimal().to_string().replace("[104,105]", data);
        assert!(RawRecord::parse(text.as_bytes()).is_err(), "{data}");
    }
}

#[test]
fn a_block_over_the_limit_of_its_modality_is_too_large() {
    let mib = 1 << 20;
    let limits =
        [(Modality::Text, mib), (Modality::Structured, mib), (Modality::Image, 10 * mib), (Modality::Audio, 50 * mib)];
    for (modality, max) in limits {
        let mut sent = record(&minimal());
        let data = |len: usize| if modality == Modality::Structured { vec![b'1'; len] } else { vec![b'a'; len] };
        sent.content.blocks[0] = Block { modality, format: "f".into(), data: data(max), embedding: None };
        assert!(sent.clone().into_event(HTTP).is_ok(), "{modality:?}");
        sent.content.blocks[0].data = data(max + 1);
        let error = sent.into_event(HTTP).unwrap_err();
        assert_eq!((error.refusal(), error.refusal().status()), (Refusal::TooLarge, 413));
    }
}

#[test]
fn the_record_at_fault_is_named() {
    let mut bad = minimal();
    bad["speaker"] = json!("nobody");
    let batch = json!({"header": {"version": 1}, "records": [minimal(), minimal(), bad]});
    assert_eq!(BatchRequest::parse(batch.to_string().as_bytes()).unwrap_err().record, Some(2));
    assert_eq!(BatchRequest::parse(b"{\"records\":5}").unwrap_err().record, None);
    assert_eq!(BatchRequest::parse(b"nonsense").unwrap_err().record, None);
    assert_eq!(BatchRequest::parse(b"{\"records\":[]}").unwrap().records, []);
}

#[test]
fn an_error_body_keeps_the_shape_of_the_contract() {
    let text = r#"{"code":"RATE_LIMITED","message":"m","details":null,"retry_after":3,"request_id":"r"}"#;
    let body: ErrorBody = serde_json::from_str(text).unwrap();
    assert_eq!((body.retry_after, body.record), (Some(3), None));
    assert_eq!(serde_json::to_string(&body).unwrap(), text);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(".*", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
        ]
    })
}

fn any_event() -> impl Strategy<Value = Event> {
    let word = || proptest::option::of("[a-zA-Zé|/-][^\u{0}]{0,12}");
    let content = prop_oneof![
        "(?s).{1,200}".prop_map(Content::Text),
        any_json().prop_map(|value| Content::Json(Json::from_value(&value)))
    ];
    let labels = (
        proptest::sample::select(Kind::CAPTURED.to_vec()),
        proptest::sample::select(Speaker::ALL),
        proptest::sample::select(Visibility::ALL),
        proptest::sample::select(Secrecy::ALL),
    );
    let times = proptest::option::of(0i64..4_000_000_000_000);
    let json = || proptest::option::of(any_json().prop_filter("null is absent", |value| !value.is_null()));
    (content, labels, (word(), word(), word(), word()), times, json(), "[a-z]{1,8}").prop_map(
        |(content, (kind, speaker, visibility, secrecy), (turn, topic, action, adapter), at, metadata, session)| {
            let mut event = Event::new(Source::Http, &session, kind, content);
            event.client = adapter.as_deref().and_then(memoir_event::Client::from_adapter);
            (event.turn, event.topic, event.action, event.adapter) = (turn, topic, action, adapter);
            (event.speaker, event.visibility, event.secrecy) = (speaker, visibility, secrecy);
            event.time = at.map(Time::from_ms);
            event.metadata = metadata.map(|value| Json::from_value(&value));
            event.meta = Some(Json::from_value(&json!({"intent": "because", "confidence": 0.5})));
            event
        },
    )
}

fn any_block() -> impl Strategy<Value = Block> {
    let modalities = [Modality::Text, Modality::Image, Modality::Structured, Modality::Spatial, Modality::Temporal];
    let format = prop_oneof![Just("text/plain".to_owned()), Just("application/json".to_owned()), "[a-z/]{1,9}"];
    let vector = proptest::option::of(Just(Json::parse("[1, 2.50]".into()).unwrap()));
    let data = proptest::collection::vec(any::<u8>(), 0..40);
    (proptest::sample::select(modalities.to_vec()), format, data, any_json(), vector, ".*").prop_map(
        |(modality, format, bytes, value, embedding, text)| {
            let data = match modality {
                Modality::Text => text.into_bytes(),
                Modality::Structured => format!(" {value}\n").trim_start_matches(&text).as_bytes().to_vec(),
                _ => bytes,
            };
            Block { modality, format, data, embedding }
        },
    )
}

proptest! {
    #[test]
    fn an_event_survives_the_wire(event in any_event(), key in "[0-9a-f]{8}") {
        let sent = encode(&event, Sender { cwd: None, to: Destination::Server }, Some(&key));
        let line = sent.to_line();
        let received = RawRecord::parse(line.as_bytes()).unwrap();
        prop_assert_eq!(&received, &sent);
        prop_assert_eq!(received.to_line(), line);
        prop_assert_eq!(received.idempotency_key(), Some(key.clone()));
        let mut arrived = received.into_event(HTTP).unwrap();
        let explicit = event.turn.is_some() || event.action.is_some() || event.time.is_some();
        let identity = if explicit { Identity::Explicit } else { Identity::Named(key) };
        prop_assert_eq!(&arrived.identities, &vec![identity]);
        arrived.identities.clear();
        arrived.repo.clear();
        prop_assert_eq!(arrived, event);
    }

    #[test]
    fn blocks_of_any_kind_come_back_from_recall_as_they_went_in(
        blocks in proptest::collection::vec(any_block(), 1..4),
        summary in proptest::option::of(".*"),
    ) {
        let mut sent = record(&minimal());
        sent.source = RawSource::Imported;
        sent.content = RawContent { blocks, summary };
        let event = sent.clone().into_event(HTTP).unwrap();
        prop_assert_eq!(RecallRecord::from(&stored(event)).content, sent.content);
    }

    #[test]
    fn any_bytes_are_a_batch_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = BatchRequest::parse(&bytes);
        let _ = RawRecord::parse(&bytes);
    }

    #[test]
    fn any_json_in_any_field_is_an_event_or_an_error(
        field in proptest::sample::select(vec!["session_id", "turn_id", "source", "content", "metadata", "meta", "header"]),
        value in any_json(),
    ) {
        if let Ok(record) = RawRecord::parse(with(field, value).to_string().as_bytes()) {
            let _ = record.into_event(HTTP);
        }
    }

    #[test]
    fn bytes_survive_their_integers(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        let block = Block { modality: Modality::Image, format: "f".into(), data, embedding: None };
        let text = serde_json::to_string(&block).unwrap();
        let plain: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&plain["data"], &json!(block.data));
        prop_assert_eq!(serde_json::from_str::<Block>(&text).unwrap(), block);
    }
}
