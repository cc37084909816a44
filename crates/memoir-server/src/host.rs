//! Which names a request may call this server by: a web page that resolves its own name to this machine may not.

use crate::errors::ApiError;
use axum::http::{HeaderMap, HeaderName, Uri, header};
use std::net::IpAddr;

/// The names that are accepted.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    bound: IpAddr,
    host: String,
    allowed: Vec<String>,
}

impl Hosts {
    /// The names of a server that was told to listen on `host` and does so on `bound`.
    pub(crate) fn new(bound: IpAddr, host: &str, allowed: &[String]) -> Hosts {
        let allowed = allowed.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        Hosts { bound: bound.to_canonical(), host: host.to_ascii_lowercase(), allowed }
    }

    /// Refuses a request that calls the server by a stranger's name, or that a stranger's page sent.
    pub(crate) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
        let named = uri.authority().map(|authority| authority.as_str());
        let host = text(headers, header::HOST);
        match host.or(named) {
            None => return Err(ApiError::validation("the request has no Host header")),
            Some(host) if !self.accepts(host) => return Err(ApiError::misdirected()),
            Some(_) => {}
        }
        if named.is_some_and(|named| !self.accepts(named)) {
            return Err(ApiError::misdirected());
        }
        let foreign = |origin: &str| !origin.split_once("://").is_some_and(|(_, host)| self.accepts(host));
        if headers.contains_key(header::ORIGIN) && text(headers, header::ORIGIN).is_none_or(foreign) {
            return Err(ApiError::forbidden("requests from web pages of other sites are refused (Origin header)"));
        }
        Ok(())
    }

    /// Whether `host`, with or without a port, is a name of this server.
    fn accepts(&self, host: &str) -> bool {
        let host = host.trim().to_ascii_lowercase();
        let name = without_port(&host);
        if self.allowed.iter().any(|allowed| *allowed == host || allowed == name) || name == self.host {
            return true;
        }
        let plain = name.strip_suffix('.').unwrap_or(name);
        if plain == "localhost" || plain.ends_with(".localhost") {
            return true;
        }
        // An address cannot be rebound: only a name can. A server that listens on every address has all of them.
        name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok_and(|address| {
            let address = address.to_canonical();
            address.is_loopback() || address == self.bound || self.bound.is_unspecified()
        })
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if port.bytes().all(|byte| byte.is_ascii_digit()) && (!name.contains(':') || name.ends_with(']')) =>
        {
            name
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hosts(bound: &str, allowed: &[&str]) -> Hosts {
        let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
        Hosts::new(bound.parse().unwrap(), bound, &allowed)
    }

    #[test]
    fn a_loopback_server_answers_to_loopback_names_with_any_port() {
        let hosts = hosts("127.0.0.1", &[]);
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:8420", "127.3.3.3", "[::1]:8420", "[::1]", "x.localhost"] {
            assert!(hosts.accepts(host), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8420", "10.0.0.4", "", "[::2]:1"]
        {
            assert!(!hosts.accepts(host), "{host}");
        }
    }

    #[test]
    fn other_names_have_to_be_allowed() {
        let hosts = hosts("0.0.0.0", &["Memoir.Internal", "box:9000"]);
        for host in ["memoir.internal", "memoir.internal:8420", "box:9000", "10.0.0.4:8420", "localhost"] {
            assert!(hosts.accepts(host), "{host}");
        }
        assert!(!hosts.accepts("box:9001") && !hosts.accepts("evil.example"));
    }

    proptest! {
        #[test]
        fn only_a_listed_name_or_an_address_is_ever_accepted(host in "\\PC{0,20}") {
            if hosts("127.0.0.1", &[]).accepts(&host) {
                let plain = host.to_ascii_lowercase();
                prop_assert!(plain.contains("localhost") || plain.contains("127.") || plain.contains(":"), "{host}");
            }
        }

        #[test]
        fn a_name_under_another_domain_is_never_accepted(name in "[a-z0-9.:\\[\\]]{0,12}") {
            let host = format!("{name}.evil.example");
            prop_assert!(!hosts("127.0.0.1", &[]).accepts(&host));
        }
    }
}
