//! Keys and scopes.

use crate::running::{Running, batch, record, settings, start, start_with};
use memoir_server::{ApiKey, Scope, Scopes, ServerError, ServerSettings};
use serde_json::json;

fn keyed() -> Running {
    let key = |secret: &str, scopes: &[Scope]| ApiKey::new(secret, Scopes::of(scopes)).unwrap();
    let keys = vec![
        key("ingest-key", &[Scope::Ingest]),
        key("read-key", &[Scope::Read]),
        key("deep-key", &[Scope::Read, Scope::Secret]),
        key("admin-key", &[Scope::Admin]),
    ];
    start_with(ServerSettings { keys, ..settings() })
}

fn post(server: &Running, key: &str, path: &str, body: &serde_json::Value) -> crate::client::Answer {
    server.post_with(path, &[("authorization", &format!("Bearer {key}"))], body)
}

#[test]
fn without_keys_a_loopback_server_lets_its_own_user_do_everything() {
    let server = start();
    server.store(&[record("s", "x")]);
    let everything = json!({"include_sealed": true, "secrecy_levels": ["secret", "sensitive"]});
    assert_eq!(server.recall(&everything).len(), 1);
    assert_eq!(server.get("/metrics").status, 200);
}

#[test]
fn with_keys_even_a_loopback_server_wants_one_except_for_probes() {
    let server = keyed();
    for path in ["/v1/timeline", "/v1/sessions", "/v1/search?q=x", "/v1/events/0", "/v1/status", "/metrics"] {
        let missing = server.get(path);
        assert_eq!(missing.error(), (401, "UNAUTHORIZED".to_owned()), "{path}");
        assert!(missing.message().starts_with("Missing Authorization header"));
        assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
        let wrong = server.get_with(path, &[("authorization", "Bearer wrong")]);
        assert_eq!(wrong.error(), (401, "UNAUTHORIZED".to_owned()), "{path}");
        assert_eq!(wrong.message(), "Invalid API key");
    }
    for path in ["/v1/encode/raw/batch", "/v1/encode/raw", "/v1/recall/raw"] {
        assert_eq!(server.post(path, &json!({})).status, 401, "{path}");
    }
    for path in ["/health", "/readiness", "/openapi.json"] {
        assert_eq!(server.get(path).status, 200, "{path}");
        assert_eq!(server.get_with(path, &[("authorization", "Bearer wrong")]).status, 200, "{path}");
    }
}

#[test]
fn a_scope_that_is_missing_is_named() {
    let server = keyed();
    let records = batch(&[record("s", "x")]);
    let refused = post(&server, "read-key", "/v1/encode/raw/batch", &records);
    assert_eq!(refused.error(), (403, "FORBIDDEN".to_owned()));
    assert!(refused.message().contains("`ingest`"), "{}", refused.message());
    let refused = post(&server, "ingest-key", "/v1/recall/raw", &json!({"limit": 0}));
    assert!(refused.message().contains("`read`"), "{}", refused.message());
    let read = [("authorization", "Bearer read-key")];
    assert_eq!(server.get_with("/metrics", &read).status, 200);
    assert_eq!(server.get_with("/metrics", &[("authorization", "Bearer ingest-key")]).status, 403);
    for key in ["ingest-key", "admin-key"] {
        assert_eq!(post(&server, key, "/v1/encode/raw/batch", &records).status, 200, "{key}");
    }
}

#[test]
fn sealed_and_secret_records_need_their_scope() {
    let server = keyed();
    for ask in [json!({"include_sealed": true}), json!({"secrecy_levels": ["secret"]})] {
        let refused = post(&server, "read-key", "/v1/recall/raw", &ask);
        assert_eq!(refused.error(), (403, "FORBIDDEN".to_owned()), "{ask}");
        assert!(refused.message().contains("`secret`"), "{}", refused.message());
        for key in ["deep-key", "admin-key"] {
            assert_eq!(post(&server, key, "/v1/recall/raw", &ask).status, 200, "{key} {ask}");
        }
    }
    let scratch = post(&server, "read-key", "/v1/recall/raw", &json!({"include_private_scratch": true}));
    assert_eq!(scratch.status, 200);
}

#[test]
fn the_scheme_may_be_spelt_in_any_case() {
    let server = keyed();
    for header in ["bearer read-key", "BEARER   read-key  "] {
        assert_eq!(server.get_with("/v1/status", &[("authorization", header)]).status, 200, "{header}");
    }
    for header in ["Basic read-key", "read-key", "Bearer"] {
        assert_eq!(server.get_with("/v1/status", &[("authorization", header)]).status, 401, "{header}");
    }
}

#[test]
fn an_address_that_others_reach_is_not_listened_on_without_a_key() {
    let home = tempfile::tempdir().unwrap();
    let clock = crate::running::ticking();
    let parts = memoir_server::Parts {
        journal: crate::running::journal(&home, &clock),
        redactor: std::sync::Arc::new(memoir_redact::Redactor::builtin()),
        index: std::sync::Arc::new(memoir_index::Index::open(
            &home.path().join("index"),
            memoir_index::IndexOptions::default(),
        )),
        clock,
        meaning: None,
        is_paused: std::sync::Arc::new(|| false),
        let_go: std::sync::Arc::new(|_| Ok(0)),
        is_alive: std::sync::Arc::new(|_| false),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let serve = |settings| runtime.block_on(memoir_server::serve(settings, parts.clone(), |_| (), async {}));
    for host in ["0.0.0.0", "::", "[::]"] {
        let error = serve(ServerSettings { host: host.to_owned(), ..settings() }).unwrap_err();
        assert!(matches!(error, ServerError::KeyNeeded { .. }), "{error}");
    }
    let keys = vec![ApiKey::new("k", Scopes::ALL).unwrap()];
    serve(ServerSettings { host: "0.0.0.0".to_owned(), keys, ..settings() }).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let error = serve(ServerSettings { port: taken.local_addr().unwrap().port(), ..settings() }).unwrap_err();
    assert!(error.to_string().starts_with("cannot listen on 127.0.0.1:"), "{error}");
}
