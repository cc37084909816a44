//! What the journal tells about the work in it: files, figures, coverage, projects, and how to go on with a session.

use crate::support::{Home, Running, eventually, run, set_mode};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A Claude session in the making.
pub struct Session {
    file: PathBuf,
    id: String,
    cwd: String,
    lines: u32,
    turn: u32,
}

impl Session {
    pub fn new(home: &Home, id: &str, cwd: &Path) -> Session {
        let file = home.top().join(format!(".claude/projects/p/{id}.jsonl"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        Session { file, id: id.to_owned(), cwd: cwd.to_string_lossy().into_owned(), lines: 0, turn: 0 }
    }

    fn line(&mut self, day: u32, mut line: Value) {
        self.lines += 1;
        let common = json!({
            "uuid": format!("{}-{}", self.id, self.lines), "parentUuid": null, "sessionId": self.id, "cwd": self.cwd,
            "timestamp": format!("2026-03-{day:02}T10:00:{:02}.000Z", self.lines), "version": "2.1.0",
        });
        line.as_object_mut().unwrap().extend(common.as_object().unwrap().clone());
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&self.file).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    pub fn prompt(&mut self, day: u32, text: &str) {
        self.turn += 1;
        let turn = format!("{}-turn-{}", self.id, self.turn);
        self.line(day, json!({"type": "user", "promptId": turn, "message": {"role": "user", "content": text}}));
    }

    fn answer(&mut self, day: u32, model: &str, tokens: [u64; 3], content: Value) {
        let usage = json!({"input_tokens": tokens[0], "cache_read_input_tokens": tokens[1],
                           "cache_creation_input_tokens": 0, "output_tokens": tokens[2]});
        let id = format!("msg-{}-{}", self.id, self.lines);
        self.line(
            day,
            json!({"type": "assistant", "message": {"id": id, "role": "assistant", "model": model,
                              "content": content, "usage": usage, "stop_reason": "end_turn"}}),
        );
    }

    pub fn edit(&mut self, day: u32, path: &str) {
        let id = format!("call-{}-{}", self.id, self.lines);
        let call = json!([{"type": "tool_use", "id": id, "name": "Edit",
                           "input": {"file_path": path, "old_string": "a", "new_string": "b"}}]);
        self.answer(day, "opus", [1, 0, 1], call);
        self.line(
            day,
            json!({"type": "user", "toolUseResult": {"filePath": path, "oldString": "a", "newString": "b"},
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "done"}]}}),
        );
    }
}

/// A repository with a remote.
pub fn repository(home: &Home, name: &str) -> PathBuf {
    let dir = home.top().join(name);
    fs::create_dir_all(dir.join(".git")).unwrap();
    fs::create_dir_all(dir.join("src")).unwrap();
    fs::write(dir.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    dir.canonicalize().unwrap()
}

#[test]
fn a_file_tells_which_prompts_changed_it_the_latest_first() {
    let home = Home::new();
    let project = repository(&home, "shop");
    fs::write(project.join("src/auth.rs"), "").unwrap();
    let path = project.join("src/auth.rs");
    let mut one = Session::new(&home, "c1", &project);
    one.prompt(1, "add a login");
    one.edit(1, path.to_str().unwrap());
    one.edit(1, path.to_str().unwrap());
    one.edit(1, project.join("src/other.rs").to_str().unwrap());
    let mut two = Session::new(&home, "c2", &project);
    two.prompt(2, "fix the logout");
    two.edit(2, "src/auth.rs");
    home.run(&["import"]).succeeded();

    let mut command = home.command(&["file", "auth.rs", "--json"]);
    command.current_dir(project.join("src"));
    let found = run(command, b"").succeeded().json_lines();
    let told: Vec<(&str, &str, u64)> = found
        .iter()
        .map(|line| {
            (line["session"].as_str().unwrap(), line["prompt"].as_str().unwrap(), line["changes"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(told, [("cc-c2", "fix the logout", 1), ("cc-c1", "add a login", 2)]);
    // By its name alone, from anywhere.
    assert_eq!(home.run(&["file", "other.rs", "--json"]).succeeded().json_lines().len(), 1);
    let none = home.run(&["file", "nobody.rs"]).succeeded();
    assert!(none.err.contains("nothing found"), "{none:?}");
    let shown = home.run(&["file", path.to_str().unwrap(), "--limit", "1"]).succeeded().out;
    assert!(shown.contains("fix the logout") && !shown.contains("add a login"), "{shown}");
}

#[test]
fn figures_add_up_by_project_model_and_day() {
    let home = Home::new();
    let (shop, blog) = (repository(&home, "shop"), repository(&home, "blog"));
    let mut one = Session::new(&home, "c1", &shop);
    one.prompt(1, "first");
    one.answer(1, "opus", [100, 1000, 10], json!([{"type": "text", "text": "one"}]));
    one.prompt(2, "second");
    one.answer(2, "haiku", [50, 0, 5], json!([{"type": "text", "text": "two"}]));
    let mut two = Session::new(&home, "c2", &blog);
    two.prompt(2, "third");
    two.answer(2, "opus", [1, 2, 3], json!([{"type": "text", "text": "three"}]));
    home.run(&["import"]).succeeded();
    let rows = |by: &[&str]| -> Vec<Value> {
        let args: Vec<&str> = ["stats", "--json"].into_iter().chain(by.iter().copied()).collect();
        home.run(&args).succeeded().json_lines()
    };
    let all = rows(&[]);
    assert_eq!(all.len(), 1);
    let figures = |row: &Value| {
        ["sessions", "turns", "inputTokens", "cachedInputTokens", "outputTokens"]
            .map(|name| row[name].as_u64().unwrap())
    };
    assert_eq!(figures(&all[0]), [2, 3, 151, 1002, 18]);
    assert!(all[0]["costUsd"].is_null());
    let of = |rows: &[Value], name: &str, key: &str| {
        figures(rows.iter().find(|row| row[name] == key).unwrap_or_else(|| panic!("{key} in {rows:?}")))
    };
    let models = rows(&["--by", "model"]);
    assert_eq!(of(&models, "model", "haiku"), [1, 0, 50, 0, 5]);
    assert_eq!(of(&models, "model", "opus"), [2, 3, 101, 1002, 13]);
    let days = rows(&["--by", "day"]);
    assert_eq!(of(&days, "day", "2026-03-01"), [1, 1, 100, 1000, 10]);
    assert_eq!(of(&days, "day", "2026-03-02"), [2, 2, 51, 2, 8]);
    assert_eq!(rows(&["--by", "project"]).len(), 2);

    fs::write(
        home.dir().join("config.toml"),
        "[[stats.prices]]\nmodel = \"op*\"\ninput = 10\ncached = 1.0\noutput = 100\n",
    )
    .unwrap();
    let all = rows(&[]).remove(0);
    let cost = all["costUsd"].as_f64().unwrap();
    assert!((cost - (101.0 * 10.0 + 1002.0 + 13.0 * 100.0) / 1e6).abs() < 1e-9, "{cost}");
    assert_eq!(all["unpricedTokens"], 55);
    let shown = home.run(&["stats", "--by", "model"]).succeeded().out;
    assert!(shown.contains("opus") && shown.contains("$0.00"), "{shown}");
    fs::write(home.dir().join("config.toml"), "[[stats.prices]]\nmodel = 5\n").unwrap();
    home.run(&["stats"]).failed_in_one_line(2, &["[[stats.prices]]"]);
}

#[test]
fn what_a_client_says_that_a_session_cost_counts_once() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let mut session = Session::new(&home, "c1", &project);
    session.prompt(1, "first");
    session.answer(1, "opus", [100, 0, 10], json!([{"type": "text", "text": "one"}]));
    for (day, total) in [(1, 0.25), (1, 0.5), (2, 1.5)] {
        session.line(day, json!({"type": "cost-state", "totalCostUSD": total}));
    }
    home.run(&["import"]).succeeded();
    let days = home.run(&["stats", "--by", "day", "--json"]).succeeded().json_lines();
    let costs: Vec<(&str, f64)> =
        days.iter().map(|row| (row["day"].as_str().unwrap(), row["costUsd"].as_f64().unwrap())).collect();
    assert_eq!(costs, [("2026-03-02", 1.0), ("2026-03-01", 0.5)]);
}

/// Begins a session with a copy of what is in another one's file: the records with an id.
fn fork(home: &Home, of: &Session, id: &str) -> Session {
    // Files of one moment would not tell which of them was first.
    home.run(&["import"]).succeeded();
    let mut fork = Session::new(home, id, Path::new(&of.cwd));
    for line in fs::read_to_string(&of.file).unwrap().lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record["type"] == "cost-state" {
            continue;
        }
        record["sessionId"] = json!(id);
        let mut file = fs::OpenOptions::new().create(true).append(true).open(&fork.file).unwrap();
        writeln!(file, "{record}").unwrap();
    }
    fork.lines = of.lines;
    fork
}

#[test]
fn a_copy_of_a_session_costs_only_what_was_spent_after_the_copying() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let say = |session: &mut Session, day: u32, text: &str, total: f64| {
        session.prompt(day, text);
        session.answer(day, "opus", [100, 0, 10], json!([{"type": "text", "text": format!("answer to {text}")}]));
        // A note of the client's, without an id or a time.
        let note = json!({"type": "cost-state", "sessionId": session.id, "totalCostUSD": total});
        let mut file = fs::OpenOptions::new().append(true).open(&session.file).unwrap();
        writeln!(file, "{note}").unwrap();
    };
    let mut parent = Session::new(&home, "c1", &project);
    say(&mut parent, 1, "first", 1.0);
    let (mut one, mut two) = (fork(&home, &parent, "f1"), fork(&home, &parent, "f2"));
    say(&mut one, 2, "the first copy", 1.25);
    let mut of_copy = fork(&home, &one, "f3");
    say(&mut two, 3, "the second copy", 1.5);
    say(&mut of_copy, 4, "the copy of the copy", 1.375);
    say(&mut of_copy, 5, "and on", 1.5);
    // One that counts anew.
    let mut anew = fork(&home, &two, "f4");
    say(&mut anew, 6, "anew", 0.5);
    say(&mut parent, 7, "the original goes on", 3.0);
    home.run(&["import"]).succeeded();
    let cost = |args: &[&str]| {
        let all: Vec<&str> = ["stats", "--json"].iter().chain(args).copied().collect();
        home.run(&all).succeeded().json_lines()[0]["costUsd"].as_f64().unwrap()
    };
    for (session, expected) in [("c1", 3.0), ("f1", 0.25), ("f2", 0.5), ("f3", 0.25), ("f4", 0.5)] {
        let named = format!("cc-{session}");
        assert!((cost(&["--session", &named]) - expected).abs() < 1e-9, "{session}: {}", cost(&["--session", &named]));
    }
    assert!((cost(&[]) - 4.5).abs() < 1e-9, "{}", cost(&[]));
}

#[test]
fn coverage_tells_what_is_on_disk_and_not_in_the_journal() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let mut session = Session::new(&home, "c1", &project);
    session.prompt(1, "first");
    let left = |home: &Home| -> (u64, u64) {
        let rows = home.run(&["coverage", "--json"]).succeeded().json_lines();
        let sum = |name: &str| rows.iter().map(|row| row[name].as_u64().unwrap()).sum();
        (sum("bytesLeft"), sum("filesRead"))
    };
    let (bytes, read) = left(&home);
    assert!(bytes > 100 && read == 0);
    home.run(&["import"]).succeeded();
    assert_eq!(left(&home), (0, 1));
    let shown = home.run(&["coverage"]).succeeded().out;
    assert!(shown.contains("every session file on disk is in the journal"), "{shown}");
    session.prompt(1, "second");
    let (bytes, read) = left(&home);
    assert!(bytes > 0 && read == 0);
    let shown = home.run(&["coverage", "--client", "claude"]).succeeded().out;
    assert!(shown.contains("1 file with something that is not in the journal"), "{shown}");
}

#[test]
fn projects_are_listed_merged_and_split() {
    let home = Home::new();
    let (shop, blog) = (repository(&home, "shop"), repository(&home, "blog"));
    Session::new(&home, "c1", &shop).prompt(1, "in the shop");
    Session::new(&home, "c2", &blog).prompt(1, "in the blog");
    home.run(&["import"]).succeeded();
    let projects = || home.run(&["projects", "--json"]).succeeded().json_lines();
    let id = |dir: &Path| {
        let listed = projects();
        let own = listed.iter().find(|project| project["directory"] == dir.to_str().unwrap()).unwrap();
        own["project"].as_str().unwrap().to_owned()
    };
    let (a, b) = (id(&shop), id(&blog));
    home.run(&["projects", "merge", &a, &b]).succeeded();
    assert_eq!(projects().len(), 1);
    assert_eq!(home.run(&["sessions", "--repo", &b, "--json"]).succeeded().json_lines().len(), 2);
    home.run(&["projects", "merge", &a, &b]).failed_in_one_line(2, &["belongs to"]);
    home.run(&["projects", "split", &a]).succeeded();
    assert_eq!(projects().len(), 2);
    home.run(&["projects", "split", "cc-c1", "--to", "o/new"]).succeeded();
    let listed = projects();
    assert!(listed.iter().any(|project| project["project"] == "o/new" && project["sessions"] == 1), "{listed:?}");
    home.run(&["projects", "merge", "no/such", &b]).failed_in_one_line(2, &["there is no project"]);
    home.run(&["projects", "split", "no/such"]).failed_in_one_line(2, &["--to"]);
    home.run(&["projects", "split", "cc-nobody", "--to", "x"]).failed_in_one_line(2, &["there is no session"]);
}

#[test]
fn a_session_that_was_moved_by_itself_is_not_what_a_merge_is_undone_from() {
    let home = Home::new();
    let shop = repository(&home, "shop");
    Session::new(&home, "c1", &shop).prompt(1, "stays with the shop");
    Session::new(&home, "c2", &shop).prompt(1, "goes elsewhere");
    home.run(&["import"]).succeeded();
    let id = home.events()[0]["repoId"].as_str().unwrap().to_owned();
    home.run(&["projects", "split", "cc-c2", "--to", "other/place"]).succeeded();
    home.run(&["projects", "split", &id]).failed_in_one_line(2, &["was not merged", "`other/place`", "one by one"]);
    home.run(&["projects", "merge", &id, "acme/shop"]).succeeded();
    let said = home.run(&["projects", "split", &id]).succeeded().out;
    let expected = format!(
        "`{id}` is a project of its own again, apart from `acme/shop`; sessions that were moved to `other/place` stay there\n"
    );
    assert_eq!(said, expected);
    // With no session left there is no project to part from anything.
    home.run(&["projects", "split", "cc-c1", "--to", "other/place"]).succeeded();
    home.run(&["projects", "split", &id]).failed_in_one_line(2, &["was not merged"]);
    home.run(&["projects", "merge", &id, "x/y"]).failed_in_one_line(2, &["there is no project"]);
    assert!(
        home.events().iter().filter(|event| event["kind"] != "alias").all(|event| event["repoId"] == "other/place")
    );
}

#[test]
fn a_file_is_found_after_its_project_was_merged() {
    let home = Home::new();
    let shop = repository(&home, "shop");
    let event = json!({"session_id": "s", "event_type": "file_change", "content": "src/a.rs"});
    let mut ingest = home.command(&["ingest"]);
    ingest.current_dir(&shop);
    crate::support::run(ingest, event.to_string().as_bytes()).succeeded();
    let id = home.events()[0]["repoId"].as_str().unwrap().to_owned();
    home.run(&["projects", "merge", &id, "acme/shop"]).succeeded();
    fs::create_dir_all(shop.join("src")).unwrap();
    fs::write(shop.join("src/a.rs"), "").unwrap();
    let mut file = home.command(&["file", "src/a.rs", "--json"]);
    file.current_dir(&shop);
    assert_eq!(crate::support::run(file, b"").succeeded().json()["repoId"], "acme/shop");
}

#[test]
fn a_remote_that_is_added_later_renames_the_project_and_worktrees_belong_to_it() {
    let home = Home::new();
    let project = repository(&home, "shop");
    Session::new(&home, "c1", &project).prompt(1, "before the remote");
    home.run(&["import"]).succeeded();
    fs::write(project.join(".git/config"), "[remote \"origin\"]\n\turl = https://github.com/o/shop.git\n").unwrap();
    let tree = home.top().join("tree");
    fs::create_dir_all(project.join(".git/worktrees/tree")).unwrap();
    fs::write(project.join(".git/worktrees/tree/commondir"), "../..\n").unwrap();
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}/.git/worktrees/tree\n", project.display())).unwrap();
    Session::new(&home, "c2", &tree).prompt(2, "in the worktree");
    home.run(&["import"]).succeeded();
    let projects = home.run(&["projects", "--json"]).succeeded().json_lines();
    assert_eq!(projects.len(), 1, "{projects:?}");
    assert_eq!((&projects[0]["project"], &projects[0]["sessions"]), (&json!("o/shop"), &json!(2)));
}

#[test]
fn a_session_goes_on_with_its_clients_own_command() {
    let home = Home::new();
    let project = repository(&home, "my shop");
    Session::new(&home, "0193aaaa-1", &project).prompt(1, "first");
    Session::new(&home, "0193bbbb-1", &project).prompt(1, "first");
    home.run(&["import"]).succeeded();
    let shown = home.run(&["resume", "cc-0193aa"]).succeeded().out;
    assert_eq!(shown, format!("cd '{}' && claude --resume 0193aaaa-1\n", project.display()));
    home.run(&["resume", "0193"]).failed_in_one_line(2, &["2 sessions begin with `0193`"]);
    home.run(&["resume", "nobody"]).failed_in_one_line(2, &["there is no session"]);
    // Everything that takes a session takes how its id begins.
    for begun in
        [["show", "cc-0193aa"].as_slice(), &["timeline", "--session", "0193aa"], &["export", "--session", "cc-0193aa"]]
    {
        assert!(home.run(begun).succeeded().out.lines().count() > 0, "{begun:?}");
    }
    home.run(&["timeline", "--session", "0193"]).failed_in_one_line(2, &["2 sessions begin with `0193`"]);

    let bin = home.top().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("claude"), "#!/bin/sh\npwd\necho \"$@\"\nexit 3\n").unwrap();
    set_mode(&bin.join("claude"), 0o755);
    let mut command = home.command(&["resume", "0193aaaa-1", "--run"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let ran = run(command, b"");
    assert_eq!((ran.code(), ran.out), (3, format!("{}\n--resume 0193aaaa-1\n", project.display())));
    let mut command = home.command(&["resume", "0193aaaa-1", "--run"]);
    command.env("PATH", "/nowhere");
    run(command, b"").failed_in_one_line(1, &["there is no program `claude`"]);
}

#[test]
fn what_agents_write_is_followed_without_hooks() {
    let home = Home::new();
    let project = repository(&home, "shop");
    let mut session = Session::new(&home, "c1", &project);
    session.prompt(1, "before the watch");
    let watch = Running::start(home.command(&["watch"]));
    eventually("what was there is imported", || home.prompts() == ["before the watch"]);
    session.prompt(1, "while it watches");
    eventually("what is new is imported", || home.prompts().len() == 2);
    watch.signal(rustix::process::Signal::INT);
    let ran = watch.finish().succeeded();
    assert!(ran.out.contains("claude: "), "{ran:?}");
}

#[test]
fn a_project_may_be_merged_back() {
    let home = Home::new();
    let dirs = ["a", "b", "c"].map(|name| repository(&home, name));
    for (number, dir) in dirs.iter().enumerate() {
        Session::new(&home, &format!("c{number}"), dir).prompt(1, "a prompt");
    }
    home.run(&["import"]).succeeded();
    let projects = || home.run(&["projects", "--json"]).succeeded().json_lines();
    let names: Vec<String> = projects().iter().map(|project| project["project"].as_str().unwrap().to_owned()).collect();
    let [a, b, c] = &names[..] else { panic!("{names:?}") };
    let said = home.run(&["projects", "--json", "merge", a, b]).succeeded().json();
    assert_eq!((&said["project"], &said["belongsTo"]), (&json!(a), &json!(b)));
    home.run(&["projects", "merge", b, a]).succeeded();
    home.run(&["projects", "merge", c, b]).succeeded();
    let listed = projects();
    assert_eq!((listed.len(), &listed[0]["project"], &listed[0]["sessions"]), (1, &json!(a), &json!(3)), "{listed:?}");
    assert_eq!(home.run(&["sessions", "--repo", a, "--json"]).succeeded().json_lines().len(), 3);
}

#[test]
fn a_query_may_name_a_session_by_how_its_id_begins() {
    let home = Home::new();
    let project = repository(&home, "shop");
    Session::new(&home, "0aa11111-2222", &project).prompt(1, "the parser fails");
    Session::new(&home, "0bb11111-2222", &project).prompt(1, "the parser works");
    home.run(&["import"]).succeeded();
    for (query, texts) in [
        ("session:cc-0aa1 parser", &["the parser fails"][..]),
        ("session:0bb1 parser", &["the parser works"]),
        ("-session:cc-0aa1 parser", &["the parser works"]),
        ("session:0cc1 parser", &[]),
    ] {
        let found = home.run(&["search", "--json", query]).succeeded().json_lines();
        let found: Vec<String> = found.iter().map(|hit| crate::support::text_of(&hit["event"])).collect();
        assert_eq!(found, texts, "{query}");
    }
}

#[test]
fn what_a_stream_wrote_into_the_cache_is_counted() {
    let home = Home::new();
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "5e55", "model": "opus", "cwd": "/p"}),
        json!({"type": "assistant", "session_id": "5e55", "uuid": "u2", "message": {"id": "m1", "role": "assistant",
            "model": "opus", "content": [{"type": "text", "text": "One file."}],
            "usage": {"input_tokens": 6, "output_tokens": 1}}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "One file.", "session_id": "5e55",
            "uuid": "u4", "usage": {"input_tokens": 6, "cache_read_input_tokens": 90,
            "cache_creation_input_tokens": 70, "output_tokens": 40}}),
    ];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(home.top().join("stream.jsonl"), text).unwrap();
    home.run(&["import", "--path", "stream.jsonl"]).succeeded();
    let told = home.run(&["stats", "--json"]).succeeded().json_lines().remove(0);
    let figures = ["inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens"].map(|name| &told[name]);
    assert_eq!(figures, [&json!(6), &json!(90), &json!(70), &json!(40)], "{told}");
}
