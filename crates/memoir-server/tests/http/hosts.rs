//! Host and Origin: web pages of other sites stay out.

use crate::client::send;
use crate::running::{batch, record, settings, start, start_with};
use memoir_server::ServerSettings;

#[test]
fn a_stranger_in_the_host_header_is_refused_everywhere() {
    let server = start();
    for path in ["/health", "/readiness", "/v1/timeline", "/metrics", "/nowhere"] {
        let answer = server.get_with(path, &[("host", "evil.example")]);
        assert_eq!(answer.error(), (421, "HOST_NOT_ALLOWED".to_owned()), "{path}");
    }
    let body = batch(&[record("s", "x")]);
    assert_eq!(server.post_with("/v1/encode/raw/batch", &[("host", "evil.example:8420")], &body).status, 421);
    assert_eq!(server.journal.last_seq().unwrap(), 0);
}

#[test]
fn loopback_names_are_accepted_with_any_port() {
    let server = start();
    for host in ["localhost", "localhost:1234", "127.0.0.1", "[::1]:9", "LOCALHOST"] {
        assert_eq!(server.get_with("/health", &[("host", host)]).status, 200, "{host}");
    }
    assert_eq!(server.get_with("/health", &[("host", "-")]).error(), (400, "VALIDATION_ERROR".to_owned()));
}

#[test]
fn a_name_can_be_allowed() {
    let server = start_with(ServerSettings { allowed_hosts: vec!["memoir.internal".to_owned()], ..settings() });
    assert_eq!(server.get_with("/health", &[("host", "memoir.internal:8420")]).status, 200);
    assert_eq!(server.get_with("/health", &[("host", "memoir.internal.evil.example")]).status, 421);
}

#[test]
fn the_name_in_an_absolute_target_counts_too() {
    let server = start();
    let target = |host: &str| format!("http://{host}/health");
    assert_eq!(send(server.address, "GET", &target("evil.example"), &[], None).status, 421);
    assert_eq!(send(server.address, "GET", &target("localhost"), &[], None).status, 200);
}

#[test]
fn a_page_of_another_site_can_neither_write_nor_send_forms() {
    let server = start();
    let body = batch(&[record("s", "x")]);
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "file://"] {
        let answer = server.post_with("/v1/encode/raw/batch", &[("origin", origin)], &body);
        assert_eq!(answer.error(), (403, "FORBIDDEN".to_owned()), "{origin}");
    }
    assert_eq!(server.post_with("/v1/encode/raw/batch", &[("origin", "http://localhost:3000")], &body).status, 200);
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = server.post_with("/v1/encode/raw/batch", &[("content-type", kind)], &body);
        assert_eq!(answer.error(), (400, "VALIDATION_ERROR".to_owned()), "{kind}");
    }
    for kind in ["-", "application/json; charset=utf-8", "Application/JSON"] {
        assert_eq!(server.post_with("/v1/encode/raw/batch", &[("content-type", kind)], &body).status, 200, "{kind}");
    }
}
