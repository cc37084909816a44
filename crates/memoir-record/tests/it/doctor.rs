use crate::stub::{Reply, Stub, nobody};
use crate::world::{clock, spool};
use memoir_record::{Check, Client, IngestProbe, Names, Proxies, ServerUrl, Timeouts, check_remote};
use memoir_redact::Redactor;

fn checks(url: &str, probe: IngestProbe, dir: &std::path::Path) -> Vec<Check> {
    let client =
        Client::new(ServerUrl::parse(url).unwrap(), Some("k"), &Proxies::default(), Timeouts::default()).unwrap();
    check_remote(&client, &spool(dir), &Names::new(clock()).unwrap(), &Redactor::builtin(), probe)
}

fn shown(checks: &[Check]) -> Vec<(&'static str, bool)> {
    checks.iter().map(|check| (check.name, check.ok)).collect()
}

fn answer(path: &str, on_api: Reply) -> Reply {
    match path {
        "/health" => Reply::Status(200, r#"{"status":"ok"}"#.into()),
        "/readiness" => Reply::Status(200, r#"{"status":"ready"}"#.into()),
        _ => on_api,
    }
}

#[test]
fn a_healthy_server_passes_and_the_probe_is_scratch() {
    let home = tempfile::tempdir().unwrap();
    let stub = Stub::start(|_, request| answer(&request.path, Reply::Stored));
    let found = checks(&stub.url, IngestProbe::Write, &home.path().join("spool"));
    assert_eq!(shown(&found), [("health", true), ("readiness", true), ("spool", true), ("raw_ingest", true)]);
    assert_eq!(found[0].detail, r#"server returned {"status":"ok"}"#);
    let probe = &stub.requests()[2].records()[0];
    assert_eq!((probe["visibility"].as_str(), probe["speaker"].as_str()), (Some("private_scratch"), Some("system")));
    assert_eq!(probe["metadata"]["capture_metadata"]["doctor_probe"], true);
    assert_eq!(stub.requests()[2].headers["authorization"], "Bearer k");
}

#[test]
fn the_check_that_writes_nothing_asks_for_nothing() {
    let home = tempfile::tempdir().unwrap();
    let recalled = r#"{"records":[],"total_candidates":0}"#;
    let stub = Stub::start(move |_, request| answer(&request.path, Reply::Status(200, recalled.into())));
    let found = checks(&stub.url, IngestProbe::AuthOnly, &home.path().join("spool"));
    assert!(found.iter().all(|check| check.ok), "{found:?}");
    assert_eq!(found[3].name, "auth");
    let asked = stub.requests().pop().unwrap();
    assert_eq!(asked.path, "/v1/recall/raw");
    assert!(asked.body.starts_with(br#"{"limit":0,"session_id":"recorder-doctor-auth-probe-"#));
}

#[test]
fn every_failing_check_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("spool");
    let denied = r#"{"code":"UNAUTHORIZED","message":"Invalid API key"}"#;
    let stub = Stub::start(move |_, request| answer(&request.path, Reply::Status(401, denied.into())));
    for probe in [IngestProbe::Write, IngestProbe::AuthOnly] {
        let found = checks(&stub.url, probe, &dir);
        let auth = found.iter().find(|check| check.name == "auth").unwrap();
        assert!(!auth.ok && auth.detail.contains("Invalid API key"), "{auth:?}");
        assert!(auth.fix.as_deref().unwrap().contains("MEMOIR_SERVER_API_KEY"));
    }
    std::fs::write(dir.join("x.bad-1"), "x").unwrap();
    let found = checks(&nobody(), IngestProbe::Write, &dir);
    assert_eq!(shown(&found), [("health", false), ("readiness", false), ("spool", false), ("raw_ingest", false)]);
    assert!(found.iter().all(|check| check.fix.is_some()), "{found:?}");
}
