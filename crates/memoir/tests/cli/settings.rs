//! `memoir config`: file, then environment, then flag.

use crate::support::{Home, dead_port, event, to_lines};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_setting_is_written_read_and_taken_out_again() {
    let home = Home::new();
    let path = home.run(&["config", "path"]).succeeded().out;
    assert_eq!(path.trim(), home.dir().join("config.toml").to_str().unwrap());
    assert_eq!(home.run(&["config", "get", "server.port"]).succeeded().out, "8420\n");
    home.run(&["config", "set", "server.port", "9000"]).succeeded();
    home.run(&["config", "set", "server.allowed_hosts", "a.example, b.example"]).succeeded();
    home.run(&["config", "set", "actor", "alice"]).succeeded();
    assert_eq!(home.run(&["config", "get", "server.port"]).succeeded().out, "9000\n");
    assert_eq!(home.run(&["config", "get", "server.allowed_hosts"]).succeeded().out, "a.example,b.example\n");
    assert_eq!(fs::metadata(path.trim()).unwrap().permissions().mode() & 0o777, 0o600);
    home.run(&["config", "unset", "server.port"]).succeeded();
    assert_eq!(home.run(&["config", "get", "server.port"]).succeeded().out, "8420\n");
    assert_eq!(home.run(&["config", "get", "actor"]).succeeded().out, "alice\n");
}

#[test]
fn a_change_keeps_comments_and_everything_else() {
    let home = Home::with_one_event();
    let file = home.dir().join("config.toml");
    fs::write(&file, "# mine\nactor = 'bob' # me\n\n[spool]\nbytes_max = 8192\n").unwrap();
    home.run(&["config", "set", "spool.bytes_max", "4096"]).succeeded();
    assert_eq!(fs::read_to_string(&file).unwrap(), "# mine\nactor = 'bob' # me\n\n[spool]\nbytes_max = 4096\n");
}

#[test]
fn the_environment_beats_the_file_and_a_flag_beats_both() {
    let home = Home::new();
    home.run(&["config", "set", "actor", "from-file"]).succeeded();
    let line = to_lines(&[event("who")]);
    home.feed(&["ingest"], &line).succeeded();
    let mut with_variable = home.command(&["ingest"]);
    with_variable.env("MEMOIR_ACTOR", "from-variable");
    crate::support::run(with_variable, line.as_bytes()).succeeded();
    let mut with_flag = home.command(&["ingest", "--actor", "from-flag"]);
    with_flag.env("MEMOIR_ACTOR", "from-variable");
    crate::support::run(with_flag, line.as_bytes()).succeeded();
    let actors: Vec<String> = home.events().iter().map(|event| event["actorId"].as_str().unwrap().to_owned()).collect();
    assert_eq!(actors, ["from-file", "from-variable", "from-flag"]);
    let listed = home.run_with(&[("MEMOIR_ACTOR", "x")], &["config", "--json"]).succeeded().json_lines();
    let actor = listed.iter().find(|setting| setting["key"] == "actor").unwrap();
    assert_eq!((actor["value"].as_str(), actor["from"].as_str()), (Some("x"), Some("MEMOIR_ACTOR")));
}

#[test]
fn a_home_given_by_flag_beats_the_variable_and_the_default_is_dot_memoir() {
    let home = Home::new();
    let other = home.top().join("other");
    home.feed(&["--home", other.to_str().unwrap(), "ingest"], to_lines(&[event("there")])).succeeded();
    assert!(other.join("journal.db").exists() && !home.dir().exists());
    let mut command = home.command(&["ingest"]);
    command.env_remove("MEMOIR_HOME");
    crate::support::run(command, to_lines(&[event("default")]).as_bytes()).succeeded();
    assert!(home.top().join(".memoir/journal.db").exists());
    let mut nowhere = home.command(&["status"]);
    nowhere.env_remove("MEMOIR_HOME").env_remove("HOME");
    crate::support::run(nowhere, b"").failed_in_one_line(2, &["no home directory", "set MEMOIR_HOME"]);
}

#[test]
fn an_unknown_setting_names_the_nearest_wherever_it_stands() {
    let home = Home::with_one_event();
    home.run(&["config", "get", "server.prt"]).failed_in_one_line(2, &["`server.prt`", "did you mean `server.port`?"]);
    home.run(&["config", "set", "acter", "x"]).failed_in_one_line(2, &["did you mean `actor`?"]);
    fs::write(home.dir().join("config.toml"), "[ingest]\nbatch_max_record = 5\n").unwrap();
    for command in ["status", "config", "ingest", "serve"] {
        let ran = home.run(&[command]);
        ran.failed_in_one_line(2, &["config.toml", "`ingest.batch_max_record`", "`ingest.batch_max_records`"]);
    }
    fs::remove_file(home.dir().join("config.toml")).unwrap();
    let doctor = home.run_with(&[("MEMOIR_SERVER_PROT", "1")], &["doctor"]);
    assert_eq!(doctor.code(), 1);
    assert!(doctor.out.contains("did you mean MEMOIR_SERVER_PORT?"), "{}", doctor.out);
}

#[test]
fn a_value_that_does_not_fit_is_refused_and_nothing_is_written() {
    let home = Home::with_one_event();
    for (key, value) in
        [("server.port", "70000"), ("server.port", "http"), ("server.limit_loopback", "maybe"), ("server.keys", "x")]
    {
        home.run(&["config", "set", key, value]).failed_in_one_line(2, &[key]);
    }
    assert!(!home.dir().join("config.toml").exists());
    home.run_with(&[("MEMOIR_SERVER_PORT", "x")], &["status"])
        .failed_in_one_line(2, &["MEMOIR_SERVER_PORT", "whole number"]);
    fs::write(home.dir().join("config.toml"), "actor = 5").unwrap();
    home.run(&["status"]).failed_in_one_line(2, &["`actor` must be a text"]);
    fs::write(home.dir().join("config.toml"), "actor = [").unwrap();
    home.run(&["status"]).failed_in_one_line(2, &["config.toml line 1 is not valid TOML"]);
    home.run(&["config", "set", "actor", "x"]).failed_in_one_line(2, &["config.toml is not valid TOML"]);
}

#[test]
fn a_key_is_never_shown() {
    let home = Home::with_one_event();
    let key = "a-key-that-nobody-may-see";
    let ran = home.run_with(&[("MEMOIR_SERVER_API_KEY", key)], &["config"]).succeeded();
    assert!(!ran.out.contains(key) && ran.out.contains("server_api_key = (set)"), "{}", ran.out);
    fs::write(home.dir().join("config.toml"), format!("[[server.keys]]\nkey = '{key}'\nscopes = ['reed']\n")).unwrap();
    for args in [&["config"][..], &["config", "get", "server.keys"], &["serve", "--port", "0"]] {
        let ran = home.run(args);
        assert!(!ran.out.contains(key) && !ran.err.contains(key), "{ran:?}");
    }
    home.run(&["serve", "--port", "0"]).failed_in_one_line(2, &["unknown scope `reed`", "did you mean `read`?"]);
}

#[test]
fn a_server_from_the_settings_is_used_and_one_that_cannot_be_an_address_is_refused() {
    let home = Home::new();
    home.run(&["config", "set", "server_url", &format!("http://127.0.0.1:{}", dead_port())]).succeeded();
    let ran = home.ingest(&[event("for the server")]).succeeded();
    assert!(ran.err.contains("spooled 1"), "{}", ran.err);
    assert_eq!(home.waiting(), 1);
    for bad in ["ftp://x", "http://", "http://user:pw@host/", "http://h/?q", "http://h/#f", "not a url"] {
        let ran = home.feed(&["ingest", "--server-url", bad], to_lines(&[event("x")]));
        ran.failed_in_one_line(2, &["is not a server address"]);
    }
    let key = [("MEMOIR_SERVER_API_KEY", "k")];
    let ran = home.run_with(&key, &["ingest", "--server-url", "http://memoir.example:80"]);
    ran.failed_in_one_line(2, &["would travel unencrypted"]);
}

#[test]
fn another_programs_variable_stops_nothing_and_doctor_names_it() {
    let home = Home::with_one_event();
    let odd = [
        ("OPENVIKING_DEBUG", "verbose"),
        ("OPENVIKING_RECALL_TIMEOUT_MS", "900000"),
        ("OPENVIKING_CAPTURE_TOOL_MAX_CHARS", "50"),
    ];
    for args in [&["status"][..], &["sessions"], &["config"], &["search", "kept"]] {
        let ran = home.run_with(&odd, args).succeeded();
        assert_eq!(ran.err, "", "{args:?}");
    }
    let get = |key: &str| home.run_with(&odd, &["config", "get", key]).succeeded().out;
    assert_eq!((get("recall.timeout_ms"), get("capture.tool_result_chars")), ("600000\n".into(), "100\n".into()));
    assert_eq!(get("debug"), "false\n");
    home.run(&["config", "set", "debug", "true"]).succeeded();
    assert_eq!(get("debug"), "true\n", "what it cannot say, the file says");
    let doctor = home.run_with(&odd, &["doctor"]).out;
    assert!(doctor.contains("fail settings - OPENVIKING_DEBUG must be true or false, not `verbose`"), "{doctor}");
    // memoir's own variable is meant for it.
    assert_eq!(home.run_with(&[("MEMOIR_DEBUG", "verbose")], &["status"]).code(), 2);
    let longer = [("MEMOIR_COMPRESSOR_MODEL", "gpt-z")];
    assert_eq!(home.run_with(&longer, &["config", "get", "recall.timeout_ms"]).succeeded().out, "120000\n");
}

/// The cells of the rows of a page's tables that begin with a key.
fn documented(page: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
    page.lines().filter(|line| line.starts_with("| `")).map(cells).collect()
}

#[test]
fn the_documented_settings_are_those_that_there_are() {
    let home = Home::new();
    let known = home.run(&["config", "--json"]).succeeded().json_lines();
    let variables = |key: &str| -> Vec<String> {
        let setting = known.iter().find(|setting| setting["key"] == key).unwrap_or_else(|| panic!("no setting {key}"));
        setting["env"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let rows = documented(include_str!("../../../../docs/HOOKS.md"));
    let rows: Vec<_> = rows.into_iter().filter(|row| row.len() == 5).collect();
    for row in &rows {
        let also = row[2].split(", ").filter(|name| !name.is_empty());
        let named: Vec<String> = std::iter::once(row[1].as_str()).chain(also).map(str::to_owned).collect();
        assert_eq!(named, variables(&row[0]), "{}", row[0]);
        let set = known.iter().find(|setting| setting["key"] == row[0].as_str()).unwrap();
        let default = row[3].split(';').next().unwrap().trim();
        assert_eq!(default, set["value"].as_str().unwrap(), "the default of {}", row[0]);
    }
    // What OpenViking's plugins are told by: each has a row, but for the directory of a state that memoir has elsewhere.
    for variable in [
        "OPENVIKING_CODEX_ACTIVE_WINDOW_MS",
        "OPENVIKING_CODEX_IDLE_TTL_MS",
        "OPENVIKING_RECALL_TIMEOUT_MS",
        "OPENVIKING_RECALL_COMPRESS",
        "OPENVIKING_RECALL_COMPRESS_MODEL",
        "OPENVIKING_RECALL_COMPRESS_THINKING",
        "OPENVIKING_RECALL_COMPRESS_REASONING_EFFORT",
        "OPENVIKING_RECALL_COMPRESS_DETECT_ON_STARTUP",
        "OPENVIKING_RECALL_COMPRESS_DETECT_TIMEOUT_MS",
        "OPENVIKING_RECALL_COMPRESS_DETECT_TTL_MS",
        "OPENVIKING_RESUME_ARCHIVE_INJECT",
        "OPENVIKING_RESUME_ARCHIVE_TOKEN_BUDGET",
        "OPENVIKING_RESUME_ARCHIVE_MAX_CHARS",
        "OPENVIKING_CAPTURE_TOOL_MAX_CHARS",
        "OPENVIKING_DEBUG",
    ] {
        let row = rows.iter().find(|row| row[2].split(", ").any(|name| name == variable));
        let row = row.unwrap_or_else(|| panic!("{variable} is not documented"));
        assert!(row[1].starts_with("MEMOIR_") && known.iter().any(|setting| setting["key"] == row[0].as_str()));
        let values = ["7", "on", "off", "gpt-z"];
        let told = |value: &&str| {
            let set = home.run_with(&[(variable, value)], &["config", "--json"]).succeeded().json_lines();
            set.iter().any(|setting| setting["key"] == row[0].as_str() && setting["from"] == variable)
        };
        assert!(values.iter().any(told), "{variable} sets nothing");
    }
    // And of no other page's tables is a setting that there is not.
    for page in [include_str!("../../../../docs/MODELS.md"), include_str!("../../../../docs/SESSIONS.md")] {
        for row in documented(page).into_iter().filter(|row| row.len() >= 3 && row[1].starts_with("MEMOIR_")) {
            for (key, variable) in row[0].split(", ").zip(row[1].split(", ")) {
                assert!(variables(key).iter().any(|known| known == variable), "{row:?}");
            }
        }
    }
}

#[test]
fn who_records_is_the_account_where_nothing_else_tells() {
    let home = Home::new();
    let mut command = home.command(&["ingest"]);
    command.env_remove("USER").env_remove("LOGNAME");
    crate::support::run(command, to_lines(&[event("who")]).as_bytes()).succeeded();
    let named = std::process::Command::new("id").arg("-un").output().unwrap();
    let named = String::from_utf8(named.stdout).unwrap().trim().to_owned();
    let accounts = fs::read_to_string("/etc/passwd").unwrap_or_default();
    if accounts.lines().any(|line| line.starts_with(&format!("{named}:"))) {
        assert_eq!(home.events()[0]["actorId"], named);
    } else {
        eprintln!("SKIPPED: the account of this user is not in /etc/passwd");
    }
}
