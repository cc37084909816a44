//! The same session in two homes, and what one has brought to the other: by a mirror, a push, or as it happens.

use crate::support::{Home, eventually, run};
use crate::transcripts::{import, made_up, put};
use memoir_testkit::Client;
use memoir_testkit::files::Recording;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

const NUMBER: u32 = 7;

fn hooks(home: &Home, recording: &Recording, variables: &[(&str, &str)]) {
    for (_, payload) in recording.hooks() {
        let mut command = home.command(&["hook", recording.client.name()]);
        command.envs(variables.iter().copied());
        run(command, payload.as_bytes()).succeeded();
    }
}

/// What is there of the session and how often: paths apart, and but for what only files tell.
fn things(home: &Home) -> BTreeMap<String, usize> {
    let mut things = BTreeMap::new();
    for event in home.events() {
        if event["repoId"] == Value::Null
            || ["usage", "archive", "memory", "supersede"].iter().any(|kind| event["kind"] == *kind)
        {
            continue;
        }
        let payload = &event["payload"];
        let call = json!([payload["item"]["arguments"], payload["item"]["command"], payload["item"]["changes"]]);
        let words = json!([payload["prompt"], payload["item"]["text"], payload["status"]]);
        *things.entry(json!([event["kind"], words, call]).to_string()).or_default() += 1;
    }
    things
}

/// Exports what a home has of every project.
fn mirrored(home: &Home) -> Vec<PathBuf> {
    let projects = home.run(&["projects", "--json"]).succeeded().json_lines();
    let export = |project: &Value| {
        let repo = project["project"].as_str().unwrap();
        let dir = home.top().join(format!("mirror-{}", repo.replace('/', "_")));
        std::fs::create_dir_all(&dir).unwrap();
        home.run(&["mirror", "export", dir.to_str().unwrap(), "--repo", repo]).succeeded();
        dir
    };
    projects.iter().map(export).collect()
}

fn bring(home: &Home, mirrors: &[PathBuf]) -> u64 {
    let import = |dir: &PathBuf| {
        let ran = home.run(&["mirror", "import", dir.to_str().unwrap(), "--json"]).succeeded();
        ran.json()["stored"].as_u64().unwrap()
    };
    mirrors.iter().map(import).sum()
}

#[test]
fn a_mirror_and_an_import_of_one_session_give_each_thing_once_in_either_order() {
    for client in Client::ALL {
        let recording = made_up(client, NUMBER, 2);
        let (there, alone) = (Home::new(), Home::new());
        hooks(&there, &recording, &[]);
        let mirrors = mirrored(&there);
        put(&alone, &recording);
        import(&alone);
        hooks(&alone, &recording, &[]);
        let expected = things(&alone);
        for is_mirror_first in [true, false] {
            let home = Home::new();
            put(&home, &recording);
            if is_mirror_first {
                assert!(bring(&home, &mirrors) > 0);
                import(&home);
            } else {
                import(&home);
                bring(&home, &mirrors);
            }
            let brought_first = format!("{}, mirror first: {is_mirror_first}", client.name());
            assert_eq!(things(&home), expected, "{brought_first}");
            assert_eq!(bring(&home, &mirrors), 0, "{brought_first}");
            home.verified();
        }
        assert_eq!(bring(&there, &mirrors), 0, "its own mirror");
    }
}

#[test]
fn what_hooks_send_to_a_server_and_a_push_of_it_are_one_event_each() {
    for client in Client::ALL {
        let recording = made_up(client, NUMBER, 2);
        let (home, server_home) = (Home::new(), Home::new());
        let server = server_home.serve();
        hooks(&home, &recording, &[("MEMOIR_SERVER_URL", &server.url())]);
        eventually("the outbox is empty", || {
            home.run_with(&[("MEMOIR_SERVER_URL", &server.url())], &["spool", "flush"]);
            home.waiting() == 0
        });
        let sent = things(&server_home);
        assert_eq!(sent, things(&home), "{}: as it happened", client.name());
        let pushed = home.run(&["push", "--remote", &server.url(), "--all", "--json"]).succeeded().json();
        assert_eq!(pushed["stored"], 0, "{}: {pushed}", client.name());
        put(&server_home, &recording);
        import(&server_home);
        drop(server);
        put(&home, &recording);
        import(&home);
        assert_eq!(things(&server_home), things(&home), "{}: with the session's files", client.name());
        server_home.verified();
    }
}
