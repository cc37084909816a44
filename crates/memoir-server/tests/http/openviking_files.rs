//! Memories as files of the OpenViking API.

use crate::openviking::{PLUGIN, SESSION, error, result, text};
use crate::running::{Running, start};
use serde_json::{Value, json};

fn at(route: &str, uri: &str, more: &str) -> String {
    format!("/api/v1/{route}?uri={}{more}", uri.replace('%', "%25").replace(':', "%3A").replace('/', "%2F"))
}

fn remember(server: &Running, memories: &Value) {
    let answer = server.post("/v1/memories", memories);
    assert_eq!(answer.status, 200, "{}", answer.text());
}

fn write(server: &Running, uri: &str, content: &str, mode: &str) -> crate::client::Answer {
    let body = json!({"uri": uri, "content": content, "mode": mode, "wait": true});
    server.post_with("/api/v1/content/write", &PLUGIN, &body)
}

#[test]
fn what_is_pinned_for_the_user_is_the_profile_and_the_rest_is_listed_by_kind() {
    let server = start();
    remember(
        &server,
        &json!([
            {"text": "The user is called Kim.", "kind": "fact", "scope": "user", "pinned": true},
            {"text": "Prefers tabs over spaces in Makefiles.", "kind": "preference", "name": "Makefiles", "scope": "user"},
            {"text": "The shop is a Rust service.", "kind": "entity", "name": "shop", "project": "-home-dev-shop"},
            {"text": "The bank is a Go service.", "kind": "entity", "name": "bank", "project": "-home-dev-bank"},
        ]),
    );
    let profile =
        result(&server.get_with(&at("content/read", "viking://user/default/memories/profile.md", ""), &PLUGIN));
    assert_eq!(profile, "# Profile\n- The user is called Kim.\n");
    let list = |uri: &str| {
        let path = at("fs/ls", uri, "&output=agent&recursive=true&abs_limit=512&node_limit=512");
        result(&server.get_with(&path, &PLUGIN)).as_array().unwrap().clone()
    };
    let preferences = list("viking://user/default/memories/preferences");
    let row = &preferences[0];
    assert!(row["rel_path"].as_str().unwrap().starts_with("makefiles-") && row["isDir"] == false, "{row}");
    assert_eq!(row["abstract"], "Prefers tabs over spaces in Makefiles.");
    let entities = list("viking://~/memories/entities");
    assert_eq!(entities.len(), 1, "what holds in another project is not listed: {entities:?}");
    let all = list("viking://~/memories");
    let paths: Vec<&str> = all.iter().map(|row| row["rel_path"].as_str().unwrap()).collect();
    assert!(paths.contains(&"profile.md") && paths.iter().any(|path| path.starts_with("entities/shop-")), "{paths:?}");
    let read = result(&server.get_with(&at("content/read", row["uri"].as_str().unwrap(), ""), &PLUGIN));
    assert_eq!(read, "Prefers tabs over spaces in Makefiles.\n");
    let stat = result(&server.get_with(&at("fs/stat", row["uri"].as_str().unwrap(), ""), &PLUGIN));
    assert_eq!(stat["isDir"], false);
    let glob = json!({"pattern": "**/*.md", "uri": "viking://~/memories"});
    let glob = result(&server.post_with("/api/v1/search/glob", &PLUGIN, &glob));
    assert_eq!(glob["count"], 4, "{glob}");
}

#[test]
fn what_is_written_into_a_memorys_file_is_remembered() {
    let server = start();
    let uri = "viking://~/memories/decisions/deploys.md";
    let written = result(&write(&server, uri, "Deploys go through ./ship.", "create"));
    assert_eq!(written["uri"], uri);
    let read = |uri: &str| result(&server.get_with(&at("content/read", uri, ""), &PLUGIN));
    assert_eq!(read(uri), "Deploys go through ./ship.\n");
    assert_eq!(read(written["canonical_uri"].as_str().unwrap()), read(uri));
    result(&write(&server, uri, "Never through kubectl.", "append"));
    assert_eq!(read(uri), "Deploys go through ./ship.\nNever through kubectl.\n");
    assert_eq!(result(&server.get(&at("content/read", uri, "&offset=1&limit=1"))), "Never through kubectl.\n");
    assert_eq!(error(&write(&server, uri, "x", "create")), (409, "ALREADY_EXISTS".to_owned()));
    assert_eq!(error(&write(&server, "viking://~/memories/profile.md", "x", "replace")).0, 403);
    assert_eq!(error(&write(&server, "viking://resources/x.md", "x", "replace")).0, 403);
    let search = json!({"query": "how do deploys go", "target_uri": "viking://~/memories", "limit": 5});
    let found = result(&server.post_with("/api/v1/search/find", &PLUGIN, &search));
    assert_eq!(found["memories"][0]["category"], "decisions", "{found}");
    assert_eq!((&found["total"], &found["resources"], &found["skills"]), (&1.into(), &json!([]), &json!([])));
    server.say(SESSION, &[text("user", "the deploys do not go out on fridays"), text("assistant", "Noted.")]);
    let both = json!({"query": "how do deploys go", "target_uri": ["viking://~/memories", "viking://~/sessions"]});
    let both = result(&server.post_with("/api/v1/search/find", &PLUGIN, &both));
    assert!(both["total"].as_u64() > Some(1), "each address has its own: {both}");
    let nowhere = json!({"query": "how do deploys go", "target_uri": "viking://~/skills"});
    assert_eq!(result(&server.post("/api/v1/search/find", &nowhere))["total"], 0);
}

#[test]
fn a_tree_is_all_that_lies_below_an_address() {
    let server = start();
    server.say(SESSION, &[text("user", "the shop sells shoes and boots"), text("assistant", "Noted.")]);
    result(&server.post(&format!("/api/v1/sessions/{SESSION}/commit"), &json!({})));
    remember(&server, &json!([{"text": "Prefers tabs.", "kind": "preference", "name": "tabs", "scope": "user"}]));
    let get = |route: &str, uri: &str, more: &str| server.get_with(&at(route, uri, more), &PLUGIN);
    let paths = |route: &str, uri: &str, more: &str| -> Vec<String> {
        let rows = result(&get(route, uri, more));
        rows.as_array().unwrap().iter().map(|row| row["rel_path"].as_str().unwrap().to_owned()).collect()
    };
    let history = |below: &str| -> Vec<String> {
        [
            "history",
            "history/archive_001",
            "history/archive_001/abstract.md",
            "history/archive_001/overview.md",
            "history/archive_001/messages.jsonl",
        ]
        .map(|path| format!("{below}{path}"))
        .to_vec()
    };
    let session = format!("viking://user/default/sessions/{SESSION}");
    assert_eq!(paths("fs/tree", &session, ""), history(""));
    assert_eq!(paths("fs/ls", &session, ""), ["history"]);
    let all = paths("fs/tree", "viking://user/default", "");
    assert_eq!(all[..2], ["memories", "memories/preferences"]);
    assert!(all[2].starts_with("memories/preferences/tabs-"), "{all:?}");
    assert_eq!(all[3..5], ["sessions".to_owned(), format!("sessions/{SESSION}")]);
    assert_eq!(all[5..], history(&format!("sessions/{SESSION}/")));
    assert_eq!(paths("fs/ls", "viking://user/default", "&recursive=true"), all);
    assert_eq!(paths("fs/ls", "viking://user/default", ""), ["memories", "sessions"]);
    assert_eq!(paths("fs/tree", "viking://", "").len(), all.len() + 2);
    for row in result(&get("fs/tree", "viking://user/default", "&output=original")).as_array().unwrap() {
        let stat = result(&get("fs/stat", row["uri"].as_str().unwrap(), ""));
        assert_eq!((&stat["isDir"], &stat["name"]), (&row["isDir"], &row["name"]), "{row}");
    }
    for limit in 0..all.len() {
        let part = get("fs/tree", "viking://user/default", &format!("&node_limit={limit}"));
        assert_eq!((result(&part).as_array().unwrap().len(), &part.json()["has_more"]), (limit, &true.into()));
    }
    assert_eq!(error(&get("fs/tree", "viking://~/sessions/cx-none", "")).0, 404);
}

#[test]
fn the_root_is_called_by_its_address() {
    let server = start();
    for uri in ["viking://", "viking:///", "/"] {
        let stat = result(&server.get(&at("fs/stat", uri, "")));
        assert_eq!(
            (&stat["uri"], &stat["name"], &stat["isDir"]),
            (&"viking://".into(), &"viking://".into(), &true.into())
        );
    }
}

#[test]
fn lines_are_found_by_a_pattern_in_sessions_and_memories() {
    let server = start();
    server.say(SESSION, &[text("user", "first line\nerror E0277 in checkout.rs\nlast line")]);
    remember(&server, &json!({"text": "E0277 was a missing bound.", "kind": "fix", "scope": "user"}));
    let grep = |body: Value| result(&server.post("/api/v1/search/grep", &body));
    let all = grep(json!({"uri": "viking://~", "pattern": "E0277"}));
    assert_eq!((&all["count"], &all["match_count"]), (&2.into(), &2.into()), "{all}");
    let here = grep(json!({"uri": format!("viking://~/sessions/{SESSION}"), "pattern": "^error E\\d+"}));
    assert_eq!((&here["matches"][0]["line"], &here["count"]), (&2.into(), &1.into()), "{here}");
    assert_eq!(here["matches"][0]["content"], "error E0277 in checkout.rs");
    let fixes = grep(json!({"uri": "viking://~/memories/fixes", "pattern": "e0277", "case_insensitive": true}));
    assert_eq!(fixes["count"], 1, "{fixes}");
    let wordless = server.post("/api/v1/search/grep", &json!({"uri": "viking://~", "pattern": ".*"}));
    assert_eq!(error(&wordless), (400, "INVALID_ARGUMENT".to_owned()));
}

#[test]
fn what_is_deleted_at_an_address_is_forgotten_and_nothing_more() {
    let server = start();
    for name in ["deploys", "tests", "names"] {
        result(&write(
            &server,
            &format!("viking://~/memories/decisions/{name}.md"),
            &format!("About {name}."),
            "create",
        ));
    }
    server.say(SESSION, &[text("user", "the shop sells shoes and boots"), text("assistant", "Noted.")]);
    let there = |uri: &str| server.get_with(&at("content/read", uri, ""), &PLUGIN).status == 200;
    let delete = |uri: &str, more: &str| server.delete_with(&at("fs", uri, more), &PLUGIN);
    let deploys = "viking://~/memories/decisions/deploys.md";
    let gone = result(&delete(deploys, ""));
    assert_eq!((&gone["uri"], &gone["estimated_deleted_count"]), (&json!(deploys), &json!(1)));
    assert!(!there(deploys) && there("viking://~/memories/decisions/tests.md"));
    assert_eq!(error(&delete(deploys, "")), (404, "NOT_FOUND".to_owned()));
    assert_eq!(error(&delete("viking://~/memories/decisions", "")).0, 400);
    assert_eq!(error(&delete("viking://~/memories", "&recursive=true")).0, 403);
    assert_eq!(error(&delete("viking://resources/x", "&recursive=true")).0, 404);
    assert_eq!(result(&delete("viking://~/memories/decisions", "&recursive=true"))["estimated_deleted_count"], 2);
    assert!(!there("viking://~/memories/decisions/tests.md"));
    let session = format!("viking://~/sessions/{SESSION}");
    assert_eq!(error(&delete(&session, "")).0, 400);
    assert_eq!(result(&delete(&session, "&recursive=true"))["estimated_deleted_count"], 2);
    assert_eq!(server.get(&format!("/api/v1/sessions/{SESSION}")).status, 404);
}

#[test]
fn every_other_way_to_change_files_is_answered_in_the_envelope() {
    let server = start();
    let post = |path: &str, body: &Value| server.post_with(&format!("/api/v1/{path}"), &PLUGIN, body);
    let dir = json!({"uri": "viking://~/memories/entities/project", "description": "x"});
    assert_eq!(result(&post("fs/mkdir", &dir)), json!({"uri": dir["uri"]}));
    assert_eq!(error(&post("fs/mkdir", &json!({"uri": "viking://resources/x"}))).0, 403);
    assert_eq!(error(&post("fs/mkdir", &json!({}))).0, 400);
    let batch = |operations: Value| {
        post("content/batch-write", &json!({"root_uri": "viking://~/memories", "operations": operations, "wait": true}))
    };
    let two = json!([
        {"uri": "decisions/one.md", "content": "One.", "mode": "create"},
        {"uri": "viking://~/memories/facts/two.md", "content": "Two."}
    ]);
    assert_eq!(result(&batch(two.clone()))["written_count"], 2);
    assert_eq!(error(&batch(two)), (409, "ALREADY_EXISTS".to_owned()));
    let half = json!([{"uri": "facts/three.md", "content": "Three."}, {"uri": "nothing", "content": "x"}]);
    assert!(error(&batch(half)).0 >= 400);
    let read = |route: &str, uri: &str| server.get_with(&at(route, uri, ""), &PLUGIN);
    assert_eq!(error(&read("content/read", "viking://~/memories/facts/three.md")).0, 404, "all or nothing");
    assert_eq!(read("content/download", "viking://~/memories/facts/two.md").text(), "Two.\n");
    assert_eq!(error(&read("content/download", "viking://~/memories/facts/none.md")), (404, "NOT_FOUND".to_owned()));
}

#[test]
fn what_can_be_written_can_be_moved_with_all_that_is_known_of_it() {
    let server = start();
    let post = |path: &str, body: &Value| server.post_with(&format!("/api/v1/{path}"), &PLUGIN, body);
    let mv = |from: &str, to: &str| post("fs/mv", &json!({"from_uri": from, "to_uri": to}));
    let get = |route: &str, uri: &str| server.get_with(&at(route, uri, ""), &PLUGIN);
    let read = |uri: &str| get("content/read", uri).json()["result"].as_str().map(str::to_owned);
    let (one, two) = ("viking://~/memories/decisions/deploys.md", "viking://~/memories/facts/how-we-ship.md");
    result(&write(&server, one, "Deploys go through ./ship.", "create"));
    assert_eq!(result(&mv(one, two)), json!({"from": one, "to": two}));
    assert_eq!((read(one), read(two).as_deref()), (None, Some("Deploys go through ./ship.\n")));
    let search = json!({"query": "how do deploys go", "target_uri": "viking://~/memories"});
    let found = result(&post("search/find", &search));
    assert_eq!((&found["total"], &found["memories"][0]["category"]), (&json!(1), &json!("facts")), "{found}");
    // It is written, moved back and moved on like any other; the old address is free for something new.
    result(&write(&server, two, "Never by hand.", "append"));
    result(&mv(two, one));
    assert_eq!((read(two), read(one).as_deref()), (None, Some("Deploys go through ./ship.\nNever by hand.\n")));
    result(&write(&server, two, "Something else.", "create"));
    assert_eq!(read(two).as_deref(), Some("Something else.\n"));
    assert_eq!(error(&mv(one, two)), (409, "ALREADY_EXISTS".to_owned()));
    assert_eq!(result(&mv(one, one)), json!({"from": one, "to": one}));
    // A memory of another maker goes by the name of its file, and keeps whose it is.
    remember(
        &server,
        &json!({"text": "Prefers tabs.", "kind": "preference", "name": "tabs", "scope": "user", "pinned": true}),
    );
    let tabs = result(&get("fs/ls", "viking://~/memories/preferences"))[0]["uri"].as_str().unwrap().to_owned();
    result(&mv(&tabs, "viking://~/memories/conventions/"));
    assert_eq!(read(&tabs), None);
    assert!(read("viking://~/memories/profile.md").unwrap().contains("Prefers tabs."), "pinned as before");
    // Directories: what was written below a path, and all of a kind.
    for name in ["a", "b"] {
        result(&write(
            &server,
            &format!("viking://~/memories/entities/shop/{name}.md"),
            &format!("Part {name}."),
            "create",
        ));
    }
    result(&mv("viking://~/memories/entities/shop", "viking://~/memories/entities/store"));
    assert_eq!(read("viking://~/memories/entities/store/b.md").as_deref(), Some("Part b.\n"));
    result(&mv("viking://~/memories/entities", "viking://~/memories/facts"));
    assert_eq!(read("viking://~/memories/facts/store/a.md").as_deref(), Some("Part a.\n"));
    assert_eq!(result(&get("fs/ls", "viking://~/memories/entities")), json!([]));
}

#[test]
fn what_cannot_be_moved_is_refused_with_its_reason() {
    let server = start();
    server.say(SESSION, &[text("user", "the shop sells shoes and boots"), text("assistant", "Noted.")]);
    result(&server.post(&format!("/api/v1/sessions/{SESSION}/commit"), &json!({})));
    result(&write(&server, "viking://~/memories/facts/two.md", "Two.", "create"));
    let mv =
        |from: &str, to: &str| server.post_with("/api/v1/fs/mv", &PLUGIN, &json!({"from_uri": from, "to_uri": to}));
    let session = format!("viking://~/sessions/{SESSION}");
    let (there, facts) = ("viking://~/memories/facts/three.md", "viking://~/memories/facts/two.md");
    for (from, to, status, part) in [
        (session.as_str(), "viking://~/sessions/cx-other", 403, "what was recorded stays where it is"),
        (&format!("{session}/history/archive_001"), there, 403, "what was recorded"),
        (&format!("{session}/history/archive_001/overview.md"), there, 403, "what was recorded"),
        ("viking://~/sessions/cx-none", there, 404, ""),
        ("viking://~/memories", "viking://~/memories/facts/x", 403, "it stays"),
        ("viking://~/memories/facts/none.md", there, 404, "nothing at"),
        ("viking://~/memories/facts/nowhere", there, 404, "nothing at"),
        ("viking://resources/x.md", there, 404, "nothing at"),
        (facts, "viking://resources/x.md", 403, "memories stay memories"),
        (facts, "viking://~/memories/profile.md", 403, "memories stay memories"),
        (facts, "viking://~/memories/spells/x.md", 404, ""),
        ("viking://~/memories/facts", there, 400, "directory cannot become a file"),
    ] {
        let answer = mv(from, to);
        assert_eq!(error(&answer).0, status, "{from} {to}: {}", answer.text());
        assert!(answer.json()["error"]["message"].as_str().unwrap().contains(part), "{from} {to}: {}", answer.text());
    }
    let missing = server.post_with("/api/v1/fs/mv", &PLUGIN, &json!({"from_uri": facts}));
    assert_eq!(error(&missing), (400, "INVALID_ARGUMENT".to_owned()));
}

#[test]
fn what_is_written_where_something_was_deleted_is_another_memory_and_the_deleted_one_stays_away() {
    let server = start();
    let uri = "viking://~/memories/facts/port.md";
    result(&write(&server, uri, "The port is 8080.", "create"));
    result(&server.delete_with(&at("fs", uri, ""), &PLUGIN));
    assert_eq!(error(&write(&server, uri, "The port is 8080.", "create")).0, 403, "forgotten is forgotten");
    result(&write(&server, uri, "The port is 9090.", "create"));
    assert_eq!(result(&server.get_with(&at("content/read", uri, ""), &PLUGIN)), "The port is 9090.\n");
}
