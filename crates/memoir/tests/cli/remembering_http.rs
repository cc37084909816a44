//! `POST /v1/memories`: all of a list is checked before the first is stored, and what it says of others is heard.

use crate::http::{get, post};
use crate::support::{Home, Server};
use serde_json::{Value, json};

fn texts(server: &Server) -> Vec<String> {
    let listed = get(server, "/v1/memories", None).body;
    let mut texts: Vec<String> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["text"].as_str().unwrap().to_owned())
        .collect();
    texts.sort();
    texts
}

#[test]
fn a_list_with_one_bad_memory_stores_none_of_it() {
    let home = Home::new();
    let server = home.serve();
    let good = json!({"text": "walrus", "project": "o/r"});
    let bad: [(Value, &str); 8] = [
        (json!({"text": "x", "project": "o/r", "knid": "fact"}), "did you mean `kind`?"),
        (json!({"text": "x"}), "names no `project`"),
        (json!({"text": "x".repeat(9_000), "project": "o/r"}), "at most 8000"),
        (json!({"text": "x", "project": "o/r", "supersedes": ["0123456789abcdef01234567"]}), "there is no memory"),
        (json!({"text": "x", "project": "o/r", "supersedes": "nonsense"}), "there is no memory"),
        (json!({"text": "x", "project": "o/r", "superseded_by": "nobody"}), "names no memory"),
        (json!({"text": "x", "project": "o/r", "pinned": 1}), "`pinned` must be true or false"),
        (json!({"text": "x", "scope": "session"}), "does not name one"),
    ];
    for (bad, part) in bad {
        let answer = post(&server, "/v1/memories", None, &json!([good, bad]));
        let message = answer.body["message"].as_str().unwrap_or_default().to_owned();
        assert_eq!(answer.status, 400, "{message}");
        assert!(
            message.contains(part) && message.contains("memory 2") && message.contains("nothing was stored"),
            "{message}"
        );
        assert_eq!((&answer.body["record"], texts(&server)), (&json!(1), Vec::new()));
    }
}

#[test]
fn what_is_about_the_user_needs_no_project_and_holds_everywhere() {
    let home = Home::new();
    let server = home.serve();
    let answer = post(&server, "/v1/memories", None, &json!({"text": "I work at Contoso"}));
    assert_eq!((answer.status, &answer.body["results"][0]["scope"]), (200, &json!("user")), "{}", answer.body);
    let here = json!({"text": "My timezone is Europe/Lisbon", "scope": "project", "project": "o/r"});
    assert_eq!(post(&server, "/v1/memories", None, &here).body["results"][0]["scope"], "project");
}

#[test]
fn what_a_memory_takes_the_place_of_and_what_took_its_place_are_heard() {
    let home = Home::new();
    let server = home.serve();
    let add = |memories: Value| {
        let answer = post(&server, "/v1/memories", None, &memories);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["results"].clone()
    };
    let first = add(json!({"text": "the registry is at 4873", "project": "o/r", "uid": "u1"}));
    let id = first[0]["memory_id"].as_str().unwrap();
    let second =
        add(json!({"text": "packages come from elsewhere", "project": "o/r", "uid": "u2", "supersedes": [id]}));
    assert_eq!(second[0]["superseded"], json!([id]));
    assert_eq!(texts(&server), ["packages come from elsewhere"]);
    add(json!([
        {"text": "tabs", "project": "o/r", "uid": "old", "superseded_by": "new"},
        {"text": "spaces", "project": "o/r", "uid": "new"},
    ]));
    assert_eq!(texts(&server), ["packages come from elsewhere", "spaces"]);
    let listed = home.run(&["memories", "--history", "--json"]).succeeded().json_lines();
    let old = listed.iter().find(|memory| memory["text"] == "tabs").unwrap();
    let new = listed.iter().find(|memory| memory["text"] == "spaces").unwrap();
    assert_eq!(old["superseded_by"], new["memory_id"]);
    let of_session = add(json!({"text": "only now", "scope": "session", "session": "s9", "project": "o/r"}));
    assert_eq!(of_session[0]["said"], "new");
    let listed = home.run(&["memories", "--json"]).succeeded().json_lines();
    let now = listed.iter().find(|memory| memory["text"] == "only now").unwrap();
    assert_eq!((&now["scope"], &now["session"]), (&json!("session:s9"), &json!("s9")));
    // What is handed out is taken in again.
    let out = get(&server, "/v1/memories", None).body["memories"].clone();
    add(out);
}
