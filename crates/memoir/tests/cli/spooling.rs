//! What waits for a server: malformed, refused, shared, flushed.

use crate::remote::send;
use crate::support::{Home, dead_port, event, set_mode, to_lines};
use crate::wire::record;
use serde_json::json;
use std::fs;

#[test]
fn a_malformed_spool_file_is_set_aside_and_its_good_records_and_the_rest_go_on() {
    let (client, home) = (Home::new(), Home::new());
    let url = format!("http://127.0.0.1:{}", dead_port());
    send(&client, &url, &[event("good one"), event("good two")]).succeeded();
    let file = client.spool().join(&client.spooled_files()[0]);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen('\n', "\n{\"torn\": \n", 1)).unwrap();
    let plain = |name: &str, content: &[u8]| {
        fs::write(client.spool().join(name), content).unwrap();
        set_mode(&client.spool().join(name), 0o600);
    };
    plain("batch-0000000000001-aaaa.jsonl", b"\xff\xfe not text\n");
    plain("batch-0000000000002-bbbb.jsonl", format!("{}\n", record("s", "from a recorder of theirs")).as_bytes());
    plain(
        "batch-0000000000003-cccc.jsonl.tmp",
        format!("{}\n{{\"half", record("s", "left by a killed run")).as_bytes(),
    );
    plain("notes.txt", b"mine");
    let server = home.serve();
    let ran = send(&client, &server.url(), &[event("new")]);
    assert!(ran.err.contains("set aside in"), "{}", ran.err);
    let mut texts = home.texts();
    texts.sort();
    assert_eq!(texts, ["from a recorder of theirs", "good one", "good two", "left by a killed run", "new"]);
    let left = client.spooled_files();
    assert!(left.contains(&"notes.txt".to_owned()));
    assert_eq!(left.iter().filter(|name| name.contains(".bad-")).count(), 3, "{left:?}");
    assert_eq!(left.len(), 4, "{left:?}");
    assert_eq!(client.waiting(), 0);
    assert_eq!(client.run(&["doctor"]).code(), 1);
}

#[test]
fn a_record_that_the_server_refuses_is_set_aside_alone() {
    let (client, home) = (Home::new(), Home::new());
    send(&client, &format!("http://127.0.0.1:{}", dead_port()), &[event("before")]).succeeded();
    let mut poison = record("s", "poison");
    poison["meta"] = json!({"confidence": 1.5});
    let file = client.spool().join("batch-0000000000001-poison.jsonl");
    let lines = [record("s", "first"), poison, record("s", "last")].map(|record| format!("{record}\n")).concat();
    fs::write(&file, lines).unwrap();
    set_mode(&file, 0o600);
    let server = home.serve();
    let ran = send(&client, &server.url(), &[event("new")])
        .failed(1, &["a record was set aside", "confidence", "set aside 1"]);
    assert!(ran.err.contains("sent 1, replayed 3"), "{}", ran.err);
    let mut texts = home.texts();
    texts.sort();
    assert_eq!(texts, ["before", "first", "last", "new"]);
    let kept = client.spooled_files();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let bad = fs::read_to_string(client.spool().join(&kept[0])).unwrap();
    assert!(
        bad.contains("\"status\":400") && bad.contains("poison") || bad.contains("112,111,105,115,111,110"),
        "{bad}"
    );
    send(&client, &server.url(), &[event("later")]).succeeded();
    assert_eq!(home.texts().len(), 5);
}

#[test]
fn four_recorders_share_a_spool_and_each_record_goes_once() {
    let (client, home) = (Home::new(), Home::new());
    let dead = format!("http://127.0.0.1:{}", dead_port());
    for n in 0..6 {
        send(&client, &dead, &[event(&format!("old {n} a")), event(&format!("old {n} b"))]).succeeded();
    }
    let server = home.serve();
    let url = server.url();
    let mut recorders: Vec<_> = (0..4).map(|_| client.streaming(&["--server-url", &url])).collect();
    for (n, recorder) in recorders.iter_mut().enumerate() {
        recorder.write(to_lines(&[event(&format!("new {n}"))]));
        recorder.close_input();
    }
    for recorder in recorders {
        recorder.finish().succeeded();
    }
    client.run(&["spool", "flush", "--server-url", &url]).succeeded();
    let mut texts = home.texts();
    texts.sort();
    texts.dedup();
    assert_eq!((texts.len(), home.texts().len()), (16, 16));
    assert_eq!(client.spooled_files(), [""; 0]);
}

#[test]
fn a_flush_says_what_it_delivered_and_needs_a_server_only_for_records_that_want_one() {
    let (client, home) = (Home::new(), Home::new());
    assert_eq!(client.run(&["spool", "flush"]).succeeded().out, "delivered 0 records; 0 still waiting\n");
    let dead = format!("http://127.0.0.1:{}", dead_port());
    send(&client, &dead, &(0..120).map(|n| event(&format!("event {n}"))).collect::<Vec<_>>()).succeeded();
    client.run(&["spool", "flush"]).failed_in_one_line(2, &["--server-url"]);
    let still = client.run(&["spool", "flush", "--server-url", &dead, "--json"]);
    assert_eq!((still.code(), still.json()["waiting"].as_u64()), (1, Some(120)));
    let server = home.serve();
    let ran = client.run(&["spool", "flush", "--server-url", &server.url()]).succeeded();
    assert_eq!(ran.out, "delivered 120 records; 0 still waiting\n");
    assert_eq!(home.texts().len(), 120);
}

#[test]
fn an_event_that_waited_keeps_the_time_of_its_capture() {
    let (client, server_home) = (Home::new(), Home::new());
    let url = format!("http://127.0.0.1:{}", crate::support::dead_port());
    client.feed(&["ingest", "--server-url", &url], to_lines(&[event("waits")])).succeeded();
    let spooled = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let server = server_home.serve();
    client.run(&["spool", "flush", "--server-url", &server.url()]).succeeded();
    let stored = server_home.events().remove(0);
    assert!(u128::from(stored["tsMs"].as_u64().unwrap()) <= spooled, "{stored}");
    assert_ne!(stored["ts"], stored["recordedAt"]);
}
