//! The model without any client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Model, Purpose, Sent, shell, status, text, tool};
use crate::{Client, Heard, Said};

/// Sends a request as bytes; the status and the rest of the answer.
fn send(model: &Model, head: &str, body: &[u8]) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", model.port())).expect("the model is there");
    stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes()).expect("sent");
    stream.write_all(body).expect("sent");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    (status, answer)
}

fn post(model: &Model, path: &str, body: &Value) -> (u16, String) {
    send(model, &format!("POST {path} HTTP/1.1"), body.to_string().as_bytes())
}

fn claude(words: &str) -> Value {
    json!({"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": words}]})
}

#[test]
fn each_request_takes_the_first_reply_that_is_for_it() {
    let model = Model::start(vec![
        text("for the summary").for_compaction(),
        text("for blue").when("blue"),
        text("for long").when_seen(|seen| seen.body.to_string().len() > 1000).always(),
        text("for anyone"),
    ]);
    let answer = |words: &str| post(&model, "/v1/messages", &claude(words)).1;
    assert!(answer("red").contains("for anyone"));
    assert!(answer("blue").contains("for blue"));
    assert!(answer(&"long".repeat(300)).contains("for long"));
    assert!(answer(&"long".repeat(300)).contains("for long"));
    assert!(answer("blue").contains("The script is over."));
    assert_eq!(model.replies_left(), 1);
    assert!(answer("CRITICAL: Respond with TEXT ONLY.").contains("for the summary"));
    assert!(answer("CRITICAL: Respond with TEXT ONLY.").contains("A summary."));
    assert_eq!(model.replies_left(), 0);
    let replies: Vec<_> = model.requests().iter().map(|seen| seen.reply).collect();
    assert_eq!(replies, [Some(3), Some(1), Some(2), Some(2), None, Some(0), None]);
}

#[test]
fn a_wanted_schema_is_answered_by_an_instance_and_uses_up_no_reply() {
    let model = Model::start(vec![text("unused")]);
    let schema = json!({
        "type": "OBJECT", "required": ["score", "kind"],
        "properties": {"score": {"type": "INTEGER"}, "kind": {"enum": ["one", "two"]}, "more": {"type": "STRING"}},
    });
    let body = json!({"contents": [], "generationConfig": {"responseJsonSchema": schema}});
    let (status, answer) = post(&model, "/v1beta/models/some:generateContent", &body);
    assert_eq!(status, 200);
    assert!(answer.contains(r#"{\"score\":1,\"kind\":\"one\"}"#), "{answer}");
    assert_eq!((model.requests()[0].purpose, model.replies_left()), (Purpose::Side, 1));
}

#[test]
fn bodies_are_decompressed_and_what_is_no_model_call_is_answered() {
    let model = Model::start(vec![text("seen")]);
    let body = zstd::encode_all(json!({"input": [], "stream": true}).to_string().as_bytes(), 0).expect("compressed");
    let (status, answer) = send(&model, "POST /v1/responses HTTP/1.1\r\nContent-Encoding: zstd", &body);
    assert_eq!(status, 200);
    assert!(answer.contains("event: response.completed"), "{answer}");
    assert_eq!(model.requests()[0].body["stream"], true);
    assert_eq!(send(&model, "GET /v1/responses HTTP/1.1\r\nUpgrade: websocket", b"").0, 426);
    assert_eq!(send(&model, "GET /v1/other HTTP/1.1", b"").0, 404);
    assert_eq!(post(&model, "/v1/messages/count_tokens", &claude("words")).0, 200);
    assert_eq!(model.requests()[3].purpose, Purpose::Count);
}

#[test]
fn answers_fail_break_and_wait_as_scripted() {
    let wait = Duration::from_millis(200);
    let model = Model::start(vec![status(529, "busy"), text("broken").cut_after(3), text("late").delay(wait)]);
    let mut body = claude("words");
    body["stream"] = json!(true);
    let (code, answer) = post(&model, "/v1/messages", &body);
    assert_eq!(code, 529);
    assert!(answer.contains("busy"));
    let (code, answer) = post(&model, "/v1/messages", &body);
    assert_eq!((code, answer.matches("data: ").count()), (200, 3));
    let started = Instant::now();
    assert!(post(&model, "/v1/messages", &body).1.ends_with("0\r\n\r\n"));
    assert!(started.elapsed() >= wait);
    assert!(model.wait_until(Duration::from_secs(5), |seen| seen[2].sent == Sent::Whole));
    let sent: Vec<Sent> = model.requests().iter().map(|seen| seen.sent).collect();
    assert_eq!(sent, [Sent::Nothing, Sent::Part, Sent::Whole]);
}

#[test]
fn a_model_that_is_dropped_keeps_nobody_waiting() {
    let model = Model::start(vec![text("never").delay(Duration::from_secs(100))]);
    let port = model.port();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the model is there");
    let body = claude("words").to_string();
    let head = format!("POST /v1/messages HTTP/1.1\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + &body).as_bytes()).expect("sent");
    assert!(model.wait_until(Duration::from_secs(5), |seen| seen.len() == 1));
    drop(model);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(answer.is_empty());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_shell_is_called_by_the_name_that_is_offered() {
    let model = Model::start(vec![shell("echo 'hi'"), shell("ls"), tool("spawn_agent", json!({}))]);
    let exec = json!({"type": "custom", "name": "exec"});
    let spawn = json!({"type": "namespace", "name": "collaboration", "tools": [{"name": "spawn_agent"}]});
    let code_mode = json!({"input": [{"type": "additional_tools", "tools": [exec, spawn]}]});
    let (_, answer) = post(&model, "/v1/responses", &code_mode);
    assert!(answer.contains(r#"tools.exec_command({cmd: \"echo 'hi'\"})"#), "{answer}");
    assert_eq!(post(&model, "/v1/responses", &json!({"tools": [{"name": "view_image"}]})).0, 400);
    assert!(post(&model, "/v1/responses", &code_mode).1.contains(r#""namespace":"collaboration""#));
}

#[test]
fn the_same_words_in_two_conversations_are_heard_twice() {
    let model = Model::start(vec![text("one"), text("two"), text("three")]);
    let path = "/v1beta/models/some:generateContent";
    let turn = |role: &str, words: &str| json!({"role": role, "parts": [{"text": words}]});
    let ask = |contents: Value| {
        post(&model, path, &json!({"tools": [{"functionDeclarations": [{"name": "glob"}]}], "contents": contents}));
    };
    ask(json!([turn("user", "<session_context>\nhere"), turn("user", "hello")]));
    ask(json!([turn("user", "hello")]));
    ask(json!([turn("user", "hello"), turn("model", "one"), turn("user", "hello")]));
    let heard =
        |conversation: usize, said: Said| Heard { session: format!("conversation-{conversation}"), agent: None, said };
    let (user, assistant) = (|text: &str| Said::User(text.into()), |text: &str| Said::Assistant(text.into()));
    let expected = [
        heard(1, user("hello")),
        heard(1, assistant("one")),
        heard(2, user("hello")),
        heard(2, assistant("two")),
        heard(1, user("hello")),
        heard(1, assistant("three")),
    ];
    assert_eq!(model.transcript(Client::Gemini), expected);
}
