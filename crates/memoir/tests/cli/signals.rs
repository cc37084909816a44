//! Being told to stop: everything read so far is kept, and said.

use crate::http;
use crate::support::{Home, Running, dead_port, event, eventually, identified, to_lines};
use crate::wire::{record, records};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

const STOPS: [Signal; 2] = [Signal::TERM, Signal::INT];

/// Long enough for a process to have read what was written to it.
fn let_it_read() {
    std::thread::sleep(Duration::from_millis(400));
}

fn stopped(mut running: Running, signal: Signal) -> crate::support::Ran {
    let_it_read();
    assert!(running.is_running());
    running.signal(signal);
    running.finish()
}

#[test]
fn a_local_stream_that_is_told_to_stop_has_stored_all_it_read() {
    for signal in STOPS {
        let home = Home::new();
        let mut running = home.streaming(&[]);
        running.write(to_lines(&(0..100).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()));
        running.write("{\"session_id\":\"half a line");
        let ran = stopped(running, signal).succeeded();
        assert_eq!(ran.err, "memoir: stored 100\n", "{signal:?}");
        assert_eq!(home.texts().len(), 100);
        assert_eq!(home.verified(), 100);
    }
}

#[test]
fn a_long_local_stream_that_is_told_to_stop_has_stored_all_it_read() {
    let home = Home::new();
    let mut running = home.streaming(&[]);
    running.write(to_lines(&(0..3000).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()));
    let ran = stopped(running, Signal::TERM).succeeded();
    assert_eq!(ran.err, "memoir: stored 3000\n");
    assert_eq!(home.texts().len(), 3000);
}

#[test]
fn a_stream_to_a_server_that_is_told_to_stop_sends_what_it_holds() {
    for signal in STOPS {
        let home = Home::new();
        let server = home.serve();
        let mut running = home.streaming(&["--server-url", &server.url(), "--flush-interval-ms", "600000"]);
        running.write(to_lines(&(0..40).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()));
        let ran = stopped(running, signal).succeeded();
        assert_eq!(ran.err, "memoir: sent 40\n", "{signal:?}");
        assert_eq!(home.texts().len(), 40);
    }
}

#[test]
fn a_stream_to_nobody_that_is_told_to_stop_spools_what_it_holds() {
    let home = Home::new();
    let url = format!("http://127.0.0.1:{}", dead_port());
    let mut running = home.streaming(&["--server-url", &url, "--flush-interval-ms", "600000"]);
    running.write(to_lines(&(0..40).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()));
    let ran = stopped(running, Signal::TERM).succeeded();
    assert!(ran.err.ends_with("memoir: sent 0, spooled 40\n"), "{}", ran.err);
    assert_eq!(home.waiting(), 40);
}

#[test]
fn a_stream_to_a_server_that_hangs_is_still_told_to_stop() {
    let home = Home::new();
    let hanging = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", hanging.local_addr().unwrap());
    let mut running = home.streaming(&["--server-url", &url, "--flush-interval-ms", "600000"]);
    running.write(to_lines(&[event("one")]));
    let_it_read();
    let begun = std::time::Instant::now();
    running.signal(Signal::TERM);
    let ran = running.finish().succeeded();
    assert!(begun.elapsed() < Duration::from_secs(8), "it took {:?}", begun.elapsed());
    assert!(ran.err.contains("spooled 1"), "{}", ran.err);
    assert_eq!(home.waiting(), 1);
}

#[test]
fn a_server_that_is_told_to_stop_finishes_what_it_accepted() {
    for signal in STOPS {
        let home = Home::new();
        let server = home.serve();
        let body = records(&[record("s", "in flight")]).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let head = format!(
            "POST /v1/encode/raw/batch HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            server.port,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body.as_bytes()[..20]).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        server.signal(signal);
        eventually("it accepts no new connection", || TcpStream::connect(("127.0.0.1", server.port)).is_err());
        stream.write_all(&body.as_bytes()[20..]).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        let ran = server.finish().succeeded();
        assert_eq!(ran.err, "memoir: finishing what was accepted\n");
        assert_eq!(home.texts(), ["in flight"]);
        home.verified();
    }
}

#[test]
fn a_server_that_is_killed_keeps_what_it_answered_for_and_starts_again() {
    let home = Home::new();
    let mut server = home.serve();
    for n in 0..10 {
        let answer = http::post(&server, "/v1/encode/raw/batch", None, &records(&[record("s", &format!("event {n}"))]));
        assert_eq!(answer.status, 200);
    }
    server.kill();
    assert_eq!(home.texts().len(), 10);
    let server = home.serve();
    assert_eq!(http::get(&server, "/readiness", None).status, 200);
    assert_eq!(home.verified(), 10);
}

#[test]
fn a_second_signal_ends_at_once_what_the_first_could_not() {
    let home = Home::new();
    home.ingest(&(0..20).map(|n| identified(&format!("event {n} {}", "x".repeat(100_000)))).collect::<Vec<_>>())
        .succeeded();
    // Nobody reads, so the export waits in a write.
    let mut export = home.command(&["export"]);
    let mut child = Stuck(export.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let pid = rustix::process::Pid::from_child(&child.0);
    std::thread::sleep(Duration::from_millis(300));
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert!(child.0.try_wait().unwrap().is_none());
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    eventually("it ends", || child.0.try_wait().unwrap().is_some());
    assert_eq!(child.0.wait().unwrap().code(), Some(128 + 15));
}

struct Stuck(Child);

impl Drop for Stuck {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
