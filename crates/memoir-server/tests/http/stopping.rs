//! Stopping: what was accepted is finished.

use crate::client::{connect, read_answer, write_request};
use crate::odd_journal::{Mood, Odd};
use crate::running::{batch, record, settings, start, start_over};
use memoir_journal::{Audience, Filter, Order, Page, View};
use memoir_server::ServerSettings;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const BATCH: &str = "/v1/encode/raw/batch";

fn begin(server: &crate::running::Running) -> TcpStream {
    let mut stream = connect(server.address);
    let body = batch(&[record("s", "in flight")]).to_string();
    write_request(&mut stream, server.address, "POST", BATCH, &[], Some(body.as_bytes()));
    std::thread::sleep(Duration::from_millis(200));
    stream
}

fn stored(server: &crate::running::Running) -> usize {
    let page = Page::first(10, Order::OldestFirst);
    server.journal.page(&Filter::default(), &View::of(Audience::Raw), &page).unwrap().events.len()
}

#[test]
fn a_request_in_flight_is_answered_and_new_connections_are_not_taken() {
    let odd = Odd::slow(Duration::from_millis(700));
    let mut server = start_over(settings(), |journal| odd.over(journal));
    let mut stream = begin(&server);
    server.tell_to_stop();
    std::thread::sleep(Duration::from_millis(100));
    assert!(TcpStream::connect(server.address).is_err());
    let answer = read_answer(&mut stream);
    assert_eq!(answer.status, 200);
    let _home = server.wait();
    odd.set(Mood::Well);
    assert_eq!(stored(&server), 1);
}

#[test]
fn what_a_client_that_left_had_sent_is_still_stored() {
    let odd = Odd::slow(Duration::from_millis(500));
    let mut server = start_over(settings(), |journal| odd.over(journal));
    drop(begin(&server));
    let _home = server.wait();
    odd.set(Mood::Well);
    assert_eq!(stored(&server), 1);
}

#[test]
fn idle_connections_do_not_hold_the_server_up() {
    let mut server = start();
    let fresh = connect(server.address);
    let mut used = connect(server.address);
    write_request(&mut used, server.address, "GET", "/health", &[], None);
    assert_eq!(read_answer(&mut used).status, 200);
    let started = Instant::now();
    server.wait();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    drop(fresh);
}

#[test]
fn a_request_that_never_ends_is_given_up_after_the_grace() {
    let grace = Duration::from_millis(300);
    let mut server = crate::running::start_with(ServerSettings { shutdown_grace: grace, ..settings() });
    let mut stream = connect(server.address);
    write_request(&mut stream, server.address, "POST", BATCH, &[("content-length", "1000")], Some(b"{"));
    std::thread::sleep(Duration::from_millis(100));
    let started = Instant::now();
    server.wait();
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn one_connection_serves_many_requests() {
    let server = start();
    let mut stream = connect(server.address);
    for n in 0..50 {
        let body = batch(&[record("s", &n.to_string())]).to_string();
        write_request(&mut stream, server.address, "POST", BATCH, &[], Some(body.as_bytes()));
        assert_eq!(read_answer(&mut stream).status, 200);
    }
    assert_eq!(server.journal.stats().unwrap().events, 50);
}
