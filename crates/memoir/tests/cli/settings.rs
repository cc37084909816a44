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
