//! Who a request comes from and what it may do: bearer keys with scopes.

use crate::errors::ApiError;
use crate::owner::Owner;
use axum::http::{HeaderMap, HeaderName, header};
use sha2::{Digest, Sha256};
use std::fmt;

/// One thing that a key may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Storing records.
    Ingest,
    /// Reading what anyone who may read the journal sees.
    Read,
    /// Reading sealed and secret records, where they are asked for.
    Secret,
    /// Everything.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 4] = [Scope::Ingest, Scope::Read, Scope::Secret, Scope::Admin];

    /// Its name in settings and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Ingest => "ingest",
            Scope::Read => "read",
            Scope::Secret => "secret",
            Scope::Admin => "admin",
        }
    }

    /// The scope of that name; `sealed` is another name of `secret`.
    pub fn parse(name: &str) -> Option<Scope> {
        let name = name.trim();
        let name = if name == "sealed" { "secret" } else { name };
        Scope::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What a key allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scopes(u8);

impl Scopes {
    /// Everything.
    pub const ALL: Scopes = Scopes(0b1111);

    /// Those scopes.
    pub fn of(scopes: &[Scope]) -> Scopes {
        Scopes(scopes.iter().fold(0, |bits, scope| bits | scope.bit()))
    }

    /// Whether that scope is among them; `admin` implies every other.
    pub const fn allow(self, scope: Scope) -> bool {
        self.0 & (scope.bit() | Scope::Admin.bit()) != 0
    }

    const fn union(self, other: Scopes) -> Scopes {
        Scopes(self.0 | other.0)
    }
}

/// What a caller of unknown owner may do where no key is set: it can be any user of the machine, so nothing secret.
const UNKNOWN_CALLER: Scopes = Scopes(Scope::Ingest.bit() | Scope::Read.bit());

/// A key: the hash of a secret and what it allows. The secret itself is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    hash: [u8; 32],
    scopes: Scopes,
}

/// A text that cannot be a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ApiKeyError {
    /// Nothing there.
    #[error("a key must not be blank")]
    Blank,
    /// A hash that is none.
    #[error("after `sha256:` a key needs 64 hexadecimal characters")]
    Hash,
    /// Characters that no header can carry.
    #[error("a key may only have printable ASCII characters without blanks")]
    Characters,
    /// Nothing allowed.
    #[error("a key needs at least one scope of ingest, read, secret, admin")]
    Scopes,
}

impl ApiKey {
    /// A key from its secret, or from `sha256:` and the secret's hash in hexadecimal.
    pub fn new(secret: &str, scopes: Scopes) -> Result<ApiKey, ApiKeyError> {
        let secret = secret.trim();
        if secret.is_empty() {
            return Err(ApiKeyError::Blank);
        }
        if scopes == Scopes::default() {
            return Err(ApiKeyError::Scopes);
        }
        if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ApiKeyError::Characters);
        }
        let hash = match secret.strip_prefix("sha256:") {
            Some(hash) => from_hex(hash).ok_or(ApiKeyError::Hash)?,
            None => Sha256::digest(secret).into(),
        };
        Ok(ApiKey { hash, scopes })
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiKey").field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0u8; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(hash)
}

/// The header in which clients of the OpenViking API show a key, before any other.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Where a key may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// In `Authorization`.
    Authorization,
    /// In `X-API-Key`, or else in `Authorization`.
    Either,
}

/// What the request may do; an error if it shows no key although one is needed, or a wrong one.
pub(crate) fn scopes_of(
    keys: &[ApiKey],
    headers: &HeaderMap,
    header: KeyHeader,
    owner: Owner,
) -> Result<Scopes, ApiError> {
    if keys.is_empty() {
        return match owner {
            Owner::Ours => Ok(Scopes::ALL),
            Owner::Unknown => Ok(UNKNOWN_CALLER),
            Owner::Other => Err(ApiError::unauthorized(
                "this server has no keys and serves only its own user; ask for one in [[server.keys]]",
            )),
        };
    }
    if header == KeyHeader::Either
        && let Some(given) = headers.get(API_KEY)
    {
        let secret = given.to_str().unwrap_or_default().trim();
        return scopes_of_secret(keys, secret).ok_or_else(|| ApiError::unauthorized("Invalid API key"));
    }
    let header = headers
        .get(header::AUTHORIZATION)
        .ok_or_else(|| ApiError::unauthorized("Missing Authorization header. Expected: Authorization: Bearer <key>"))?;
    let secret =
        header.to_str().ok().and_then(bearer).ok_or_else(|| {
            ApiError::unauthorized("Invalid Authorization header. Expected: Authorization: Bearer <key>")
        })?;
    scopes_of_secret(keys, secret).ok_or_else(|| ApiError::unauthorized("Invalid API key"))
}

/// Fails with the name of the scope that is missing.
pub(crate) fn require(scopes: Scopes, needed: Scope, what_for: &str) -> Result<(), ApiError> {
    if scopes.allow(needed) {
        return Ok(());
    }
    Err(ApiError::forbidden(format!("this key lacks the scope `{}`, which {what_for} needs", needed.as_str())))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, secret) = header.trim().split_once([' ', '\t'])?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty()).then_some(secret)
}

/// Compares with every key, and every byte of it, so that the time taken tells nothing.
fn scopes_of_secret(keys: &[ApiKey], secret: &str) -> Option<Scopes> {
    let hash: [u8; 32] = Sha256::digest(secret).into();
    let found = keys.iter().fold(Scopes::default(), |found, key| {
        let difference = key.hash.iter().zip(&hash).fold(0u8, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
        let mask = u8::from(difference == 0).wrapping_neg();
        found.union(Scopes(key.scopes.0 & mask))
    });
    (found != Scopes::default()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn keys() -> Vec<ApiKey> {
        // The second is the hash of `beta`.
        let hash = "sha256:f44e64e75f3948e9f73f8dfa94721c4ce8cbb4f265c4790c702b2d41cfbf2753";
        vec![
            ApiKey::new("alpha", Scopes::of(&[Scope::Ingest])).unwrap(),
            ApiKey::new(hash, Scopes::of(&[Scope::Admin])).unwrap(),
        ]
    }

    fn with(header: &'static str) -> Result<Scopes, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static(header));
        scopes_of(&keys(), &headers, KeyHeader::Authorization, Owner::Ours).map_err(|error| error.status.as_u16())
    }

    #[test]
    fn without_keys_only_the_servers_own_user_may_do_everything() {
        let scopes =
            |owner| scopes_of(&[], &HeaderMap::new(), KeyHeader::Either, owner).map_err(|error| error.status.as_u16());
        assert_eq!(scopes(Owner::Ours), Ok(Scopes::ALL));
        assert_eq!(scopes(Owner::Other), Err(401));
        assert!(scopes(Owner::Unknown).is_ok_and(|scopes| scopes.allow(Scope::Read) && !scopes.allow(Scope::Secret)));
    }

    #[test]
    fn a_key_is_found_whatever_the_case_of_its_scheme_and_the_blanks_around_it() {
        for header in ["Bearer alpha", "bearer alpha", "BEARER   alpha ", " Bearer\talpha"] {
            assert_eq!(with(header), Ok(Scopes::of(&[Scope::Ingest])), "{header}");
        }
        assert!(with("Bearer beta").unwrap().allow(Scope::Secret));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for header in ["Bearer", "Bearer ", "Basic alpha", "alpha", "Bearer alph", "Bearer alphaa", "Bearer ALPHA"] {
            assert_eq!(with(header), Err(401), "{header}");
        }
        assert!(scopes_of(&keys(), &HeaderMap::new(), KeyHeader::Either, Owner::Ours).is_err());
    }

    #[test]
    fn a_scope_allows_itself_only_and_admin_everything() {
        let ingest = Scopes::of(&[Scope::Ingest]);
        assert!(ingest.allow(Scope::Ingest) && !ingest.allow(Scope::Read) && !ingest.allow(Scope::Admin));
        assert!(Scope::ALL.into_iter().all(|scope| Scopes::of(&[Scope::Admin]).allow(scope)));
    }

    #[test]
    fn a_bad_key_says_why_and_none_shows_its_secret() {
        assert_eq!(ApiKey::new("  ", Scopes::ALL), Err(ApiKeyError::Blank));
        assert_eq!(ApiKey::new("sha256:12", Scopes::ALL), Err(ApiKeyError::Hash));
        assert_eq!(ApiKey::new("a b", Scopes::ALL), Err(ApiKeyError::Characters));
        assert_eq!(ApiKey::new("alpha", Scopes::default()), Err(ApiKeyError::Scopes));
        assert!(!format!("{:?}", keys()).contains("alpha"));
        assert_eq!(Scope::parse(" sealed"), Some(Scope::Secret));
    }
}
