//! Acknowledged is durable: the sync comes before the word. A kill cannot show this, a trace of system calls can.

use crate::http;
use crate::support::{Home, MEMOIR, Running, Server, event, eventually, to_lines};
use crate::wire::{record, records};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const CALLS: &str = "trace=fsync,fdatasync,write,writev,sendto,sendmsg,rename,renameat,renameat2";

fn can_trace() -> bool {
    let tried = Command::new("strace").args(["-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("SKIPPED: there is no strace here, or it may not trace");
    }
    can
}

fn traced(home: &Home, args: &[&str]) -> Command {
    // With -D the traced process is our own child, and signals and guards reach it.
    let mut all = vec!["-D", "-f", "-y", "-s", "64", "-e", CALLS, "-o", "trace", MEMOIR];
    all.extend(args);
    home.command_of(Path::new("strace"), &all)
}

fn trace(home: &Home) -> Vec<String> {
    let read = || fs::read_to_string(home.top().join("trace")).unwrap();
    eventually("the trace is complete", || read().contains("+++ exited with"));
    read().lines().map(str::to_owned).collect()
}

/// Where the first line with all of these words is.
fn first(trace: &[String], words: &[&str]) -> usize {
    let found = trace.iter().position(|line| words.iter().all(|word| line.contains(word)));
    found.unwrap_or_else(|| panic!("no line with {words:?} in\n{}", trace.join("\n")))
}

#[test]
fn an_event_is_synced_before_the_summary_says_stored() {
    if !can_trace() {
        return;
    }
    let home = Home::with_one_event();
    let mut running = Running::start(traced(&home, &["ingest"]));
    running.write(to_lines(&[event("durable")]));
    running.close_input();
    running.finish().succeeded();
    let trace = trace(&home);
    assert!(first(&trace, &["sync(", "journal.db-wal"]) < first(&trace, &["memoir: stored 1"]), "{trace:?}");
}

#[test]
fn a_spooled_record_and_its_name_are_synced_before_the_summary_says_spooled() {
    if !can_trace() {
        return;
    }
    let home = Home::with_one_event();
    let lock = crate::locked::hold(&home);
    let mut command = traced(&home, &["ingest"]);
    command.env("MEMOIR_JOURNAL_LOCK_WAIT_MS", "20");
    let mut running = Running::start(command);
    running.write(to_lines(&[event("durable")]));
    running.close_input();
    assert_eq!(running.finish().code(), 1);
    drop(lock);
    let trace = trace(&home);
    let file = first(&trace, &["sync(", "spool/journal-", ".tmp>"]);
    let renamed = first(&trace, &["rename", ".tmp\"", ".jsonl\""]);
    let directory = first(&trace, &["sync(", "/spool>"]);
    let said = first(&trace, &["memoir: stored 0, spooled 1"]);
    assert!(file < renamed && renamed < directory && directory < said, "{trace:?}");
}

#[test]
fn a_server_syncs_before_it_answers() {
    if !can_trace() {
        return;
    }
    let home = Home::with_one_event();
    let server = Server::start(traced(&home, &["serve", "--port", "0"]));
    assert_eq!(http::post(&server, "/v1/encode/raw/batch", None, &records(&[record("s", "durable")])).status, 200);
    server.signal(rustix::process::Signal::TERM);
    server.finish().succeeded();
    let trace = trace(&home);
    assert!(first(&trace, &["sync(", "journal.db-wal"]) < first(&trace, &["HTTP/1.1 200 OK"]), "{trace:?}");
}
