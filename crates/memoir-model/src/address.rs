//! The address of a model, however much of it somebody gave.

use std::net::IpAddr;
use ureq::http::Uri;

/// Endings that an address may be given with: it is the same model with or without them.
const ENDPOINTS: [&str; 3] = ["/embeddings", "/chat/completions", "/messages"];

/// Why a text is not the address of a model. None of these shows the text: it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not a URL.
    #[error("the model's address is not a URL such as http://127.0.0.1:11434/v1")]
    NotAUrl,
    /// Another protocol.
    #[error("the model's address must begin with http:// or https://")]
    Scheme,
    /// No host.
    #[error("the model's address names no host")]
    NoHost,
    /// Name or password inside.
    #[error("the model's address must not hold a name or password; configure a key instead")]
    Credentials,
    /// A query or fragment.
    #[error("the model's address must not have a query or a fragment")]
    Query,
}

/// Where a model's endpoints are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    base: String,
    host: String,
    is_encrypted: bool,
    has_anthropic_endpoint: bool,
}

impl Address {
    /// Reads an address: the server alone, with its API's path (`…/v1`), or with an endpoint (`…/v1/embeddings`).
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::NotAUrl)?;
        let is_encrypted = scheme.eq_ignore_ascii_case("https");
        if !is_encrypted && !scheme.eq_ignore_ascii_case("http") {
            return Err(AddressError::Scheme);
        }
        if text.contains(['#', '?']) {
            return Err(AddressError::Query);
        }
        if rest.is_empty() || rest.starts_with(['/', ':']) {
            return Err(AddressError::NoHost);
        }
        let uri: Uri = text.parse().map_err(|_| AddressError::NotAUrl)?;
        let authority = uri.authority().ok_or(AddressError::NoHost)?;
        if authority.as_str().contains('@') {
            return Err(AddressError::Credentials);
        }
        let host = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        if host.is_empty() {
            return Err(AddressError::NoHost);
        }
        let given = text.trim_end_matches('/');
        let base = ENDPOINTS.iter().find_map(|endpoint| given.strip_suffix(endpoint)).unwrap_or(given);
        let path = base.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
        let version = if path.split('/').any(is_version) { "" } else { "/v1" };
        Ok(Address {
            base: format!("{}{version}", base.trim_end_matches('/')),
            host,
            is_encrypted,
            has_anthropic_endpoint: given.ends_with("/messages"),
        })
    }

    /// The URL of an endpoint such as `/embeddings`.
    pub fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The host without a port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether a key may travel there: nobody on the way can read it.
    pub fn keeps_secrets(&self) -> bool {
        let is_loopback =
            self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        self.is_encrypted || is_loopback
    }

    /// Whether it looks like a place where Anthropic's protocol is spoken.
    pub fn is_anthropic(&self) -> bool {
        let of_anthropic = self.host == "anthropic.com" || self.host.ends_with(".anthropic.com");
        self.has_anthropic_endpoint || of_anthropic
    }
}

/// Checks that a text is the address of a model, before anything is sent there.
pub fn check_address(text: &str) -> Result<(), AddressError> {
    Address::parse(text).map(drop)
}

/// Whether a part of a path is a version: `v1`, `v1beta`.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_understood_however_much_of_it_is_given() {
        for (text, expected) in [
            ("http://127.0.0.1:11434", Ok("http://127.0.0.1:11434/v1/embeddings")),
            ("http://127.0.0.1:11434/", Ok("http://127.0.0.1:11434/v1/embeddings")),
            ("http://127.0.0.1:11434/v1", Ok("http://127.0.0.1:11434/v1/embeddings")),
            (" http://[::1]:8080/v1/ ", Ok("http://[::1]:8080/v1/embeddings")),
            ("https://api.example/v1/embeddings", Ok("https://api.example/v1/embeddings")),
            ("https://api.example/embeddings", Ok("https://api.example/v1/embeddings")),
            ("https://api.example/v1/chat/completions", Ok("https://api.example/v1/embeddings")),
            ("https://gate.example/ollama", Ok("https://gate.example/ollama/v1/embeddings")),
            ("https://api.example/v1beta/openai/", Ok("https://api.example/v1beta/openai/embeddings")),
            ("https://v1.example", Ok("https://v1.example/v1/embeddings")),
            ("not a url", Err(AddressError::NotAUrl)),
            ("127.0.0.1:11434", Err(AddressError::NotAUrl)),
            ("http://ho st/", Err(AddressError::NotAUrl)),
            ("ftp://host", Err(AddressError::Scheme)),
            ("http://", Err(AddressError::NoHost)),
            ("http:///v1", Err(AddressError::NoHost)),
            ("http://:80", Err(AddressError::NoHost)),
            ("http://user:pass@host", Err(AddressError::Credentials)),
            ("http://host/v1?key=1", Err(AddressError::Query)),
            ("http://host/#x", Err(AddressError::Query)),
        ] {
            let found = Address::parse(text).map(|address| address.endpoint("/embeddings"));
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn it_is_known_where_a_key_may_go_and_which_protocol_is_spoken() {
        let address = |text: &str| Address::parse(text).unwrap();
        assert!(address("http://localhost").keeps_secrets() && address("https://far.example").keeps_secrets());
        assert!(!address("http://far.example").keeps_secrets() && !address("http://10.0.0.1").keeps_secrets());
        assert!(address("https://api.anthropic.com").is_anthropic());
        assert!(address("http://localhost:1/v1/messages").is_anthropic());
        assert!(!address("https://notanthropic.com/v1").is_anthropic());
    }
}
