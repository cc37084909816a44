use crate::stub::{Reply, Stub};
use crate::world::{PLACE, clock, line, spool};
use memoir_record::{Client, Lane, Proxies, RemoteOptions, RemoteRecorder, ServerUrl, Timeouts};
use memoir_redact::Redactor;
use std::sync::atomic::AtomicBool;

#[test]
fn four_recorders_on_one_spool_lose_nothing_and_send_nothing_twice() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let stub = Stub::start(|_, _| Reply::Stored);
    let mut expected = Vec::new();
    for file in 0..40 {
        let texts: Vec<String> = (0..5).map(|n| format!("old {file} {n}")).collect();
        let records: Vec<_> = texts.iter().map(|text| crate::spool::record(text)).collect();
        spool(&dir).keep(Lane::Server, &records).unwrap();
        expected.extend(texts);
    }
    std::thread::scope(|scope| {
        for recorder in 0..4 {
            let (dir, url) = (&dir, &stub.url);
            expected.push(format!("new {recorder}"));
            scope.spawn(move || {
                let (spool, clock, redactor) = (spool(dir), clock(), Redactor::builtin());
                let url = ServerUrl::parse(url).unwrap();
                let client = Client::new(url, None, &Proxies::default(), Timeouts::default()).unwrap();
                let stop = AtomicBool::new(false);
                let options = RemoteOptions::new(PLACE);
                let recorder_to = RemoteRecorder {
                    client: &client,
                    spool: &spool,
                    redactor: &redactor,
                    clock: &clock,
                    options,
                    stop: &stop,
                };
                let input = line(&format!("new {recorder}"));
                let summary = recorder_to.ingest(&mut input.as_bytes(), &mut |_| {}).unwrap();
                assert!(summary.is_clean(), "{summary:?}");
                assert_eq!(summary.delivered.sent, 1);
            });
        }
    });
    expected.sort();
    assert_eq!(stub.stored(), expected);
    assert_eq!(stub.repeats(), 0);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}
