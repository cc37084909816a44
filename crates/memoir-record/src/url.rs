//! The address of a server, checked before anything is sent to it.

use std::net::IpAddr;
use ureq::http::Uri;

/// Why a text is not the address of a server. None of these shows the text: it may hold a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not a URL.
    #[error("the server URL is not a URL such as http://127.0.0.1:8420")]
    NotAUrl,
    /// Another protocol.
    #[error("the server URL must begin with http:// or https://")]
    Scheme,
    /// No host.
    #[error("the server URL names no host")]
    NoHost,
    /// Name or password inside.
    #[error("the server URL must not hold a name or password; set MEMOIR_SERVER_API_KEY instead")]
    Credentials,
    /// A query or fragment.
    #[error("the server URL must not have a query or a fragment")]
    Query,
}

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain.
    Http,
    /// Encrypted.
    Https,
}

/// The address of a server: scheme, host, port and perhaps a path before the API's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUrl {
    base: String,
    scheme: Scheme,
    host: String,
}

impl ServerUrl {
    /// Checks an address.
    pub fn parse(text: &str) -> Result<ServerUrl, UrlError> {
        let text = text.trim();
        if text.contains('#') {
            return Err(UrlError::Query);
        }
        let scheme = match text.split_once("://") {
            Some((name, _)) if name.eq_ignore_ascii_case("http") => Scheme::Http,
            Some((name, _)) if name.eq_ignore_ascii_case("https") => Scheme::Https,
            Some(_) => return Err(UrlError::Scheme),
            None => return Err(UrlError::NotAUrl),
        };
        if text.split_once("://").is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['/', ':', '?'])) {
            return Err(UrlError::NoHost);
        }
        let uri: Uri = text.parse().map_err(|_| UrlError::NotAUrl)?;
        let authority = uri.authority().ok_or(UrlError::NoHost)?;
        if authority.as_str().contains('@') {
            return Err(UrlError::Credentials);
        }
        if uri.query().is_some() {
            return Err(UrlError::Query);
        }
        let host = authority.host().trim_matches(['[', ']']).to_ascii_lowercase();
        if host.is_empty() {
            return Err(UrlError::NoHost);
        }
        Ok(ServerUrl { base: text.trim_end_matches('/').to_owned(), scheme, host })
    }

    /// The address of an endpoint such as `/health`.
    pub fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Whether the connection is encrypted.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host without a port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether the server is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl std::fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.base)
    }
}

/// Proxies as the environment names them, handed in by whoever may read it.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// `HTTP_PROXY`.
    pub http: Option<String>,
    /// `HTTPS_PROXY`.
    pub https: Option<String>,
    /// `ALL_PROXY`.
    pub all: Option<String>,
    /// `NO_PROXY`.
    pub none_for: Option<String>,
}

impl Proxies {
    /// The proxy on the way to a server; never one to this machine.
    pub fn on_the_way_to(&self, url: &ServerUrl) -> Option<&str> {
        if url.is_loopback() || self.is_excepted(url.host()) {
            return None;
        }
        let own = match url.scheme() {
            Scheme::Http => &self.http,
            Scheme::Https => &self.https,
        };
        own.as_deref().or(self.all.as_deref()).map(str::trim).filter(|proxy| !proxy.is_empty())
    }

    fn is_excepted(&self, host: &str) -> bool {
        let names = self.none_for.as_deref().unwrap_or_default().split(',');
        names.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty()).any(|name| {
            let bare = name.trim_start_matches("*.").trim_start_matches('.');
            name == "*" || host == bare || host.strip_suffix(bare).is_some_and(|front| front.ends_with('.'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_server_addresses_are_taken() {
        for (text, expected) in [
            ("http://127.0.0.1:8420", Ok("http://127.0.0.1:8420/health")),
            ("https://memoir.example/team/", Ok("https://memoir.example/team/health")),
            ("HTTP://[::1]:80", Ok("HTTP://[::1]:80/health")),
            ("not a url", Err(UrlError::NotAUrl)),
            ("127.0.0.1:8420", Err(UrlError::NotAUrl)),
            ("ftp://host", Err(UrlError::Scheme)),
            ("http://", Err(UrlError::NoHost)),
            ("http:///path", Err(UrlError::NoHost)),
            ("http://:80", Err(UrlError::NoHost)),
            ("http://user:pass@host", Err(UrlError::Credentials)),
            ("http://host/?q=1", Err(UrlError::Query)),
            ("http://host/#x", Err(UrlError::Query)),
            ("http://ho st/", Err(UrlError::NotAUrl)),
        ] {
            let found = ServerUrl::parse(text).map(|url| url.endpoint("/health"));
            assert_eq!(found, expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn loopback_is_known_by_name_and_by_number() {
        for (text, loopback) in [
            ("http://localhost", true),
            ("http://127.9.9.9:1", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example", false),
        ] {
            assert_eq!(ServerUrl::parse(text).unwrap().is_loopback(), loopback, "{text}");
        }
    }

    #[test]
    fn a_proxy_is_never_on_the_way_to_this_machine() {
        let proxies = Proxies {
            http: Some("http://proxy:3128".into()),
            https: Some(" ".into()),
            all: Some("http://all:1".into()),
            none_for: Some("intern.example, .corp,10.0.0.7".into()),
        };
        let to = |text: &str| proxies.on_the_way_to(&ServerUrl::parse(text).unwrap()).map(str::to_owned);
        assert_eq!(to("http://127.0.0.1:8420"), None);
        assert_eq!(to("http://LOCALHOST"), None);
        assert_eq!(to("http://far.example"), Some("http://proxy:3128".into()));
        assert_eq!(to("http://a.intern.example"), None);
        assert_eq!(to("http://x.corp"), None);
        assert_eq!(to("http://10.0.0.7"), None);
        assert_eq!(to("http://notintern.example"), Some("http://proxy:3128".into()));
    }
}
