//! Where a client says that it works, if it offers to tell: its roots.

use rmcp::service::{Peer, RoleServer};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A client that offers its roots and does not tell them holds up its first request no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

/// A longer address is none.
const URI_BYTES_MAX: usize = 4_096;

/// What a client told, kept until it says that it is otherwise.
#[derive(Default)]
pub(crate) struct Roots(Mutex<Option<Option<String>>>);

impl Roots {
    /// The one directory in which the client works; none if it does not tell, or tells several.
    pub(crate) async fn dir(&self, peer: &Peer<RoleServer>) -> Option<String> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(told) = told {
            return told;
        }
        if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
            return None;
        }
        let asked = tokio::time::timeout(PATIENCE, uris(peer)).await;
        let dir = only_dir(&asked.unwrap_or_default());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(dir.clone());
        dir
    }

    /// The client's roots are others now.
    pub(crate) fn changed(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[expect(deprecated, reason = "it is how clients tell their directory, until they have another way")]
async fn uris(peer: &Peer<RoleServer>) -> Vec<String> {
    let told = peer.list_roots().await;
    told.map(|told| told.roots.into_iter().map(|root| root.uri).collect()).unwrap_or_default()
}

/// The directory of a single root. Of several nobody says in which one the work is.
fn only_dir(uris: &[String]) -> Option<String> {
    match uris {
        [only] => path_of(only),
        _ => None,
    }
}

/// The path of a `file:` address on this machine.
fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://").filter(|_| uri.len() <= URI_BYTES_MAX)?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let Some((first, tail)) = left.split_first() {
        let hex = tail.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let (byte, after) = match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => (byte, tail.get(2..).unwrap_or_default()),
            None => (*first, tail),
        };
        bytes.push(byte);
        left = after;
    }
    let path = String::from_utf8(bytes).ok().filter(|path| path.starts_with('/'))?;
    // A drive stands behind the first slash.
    let is_drive = path.as_bytes().get(2) == Some(&b':');
    Some(if is_drive { path.trim_start_matches('/').to_owned() } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_single_root_is_where_the_client_works() {
        let dir = |uris: &[&str]| only_dir(&uris.iter().map(|uri| (*uri).to_owned()).collect::<Vec<_>>());
        assert_eq!(dir(&["file:///home/a/my%20shop"]).as_deref(), Some("/home/a/my shop"));
        assert_eq!(dir(&["file://localhost/srv"]).as_deref(), Some("/srv"));
        assert_eq!(dir(&["file:///C:/shop"]).as_deref(), Some("C:/shop"));
        for none in [&["https://x/y"][..], &["file://elsewhere/x"], &[], &["file:///a", "file:///b"], &["file:///%ff"]]
        {
            assert_eq!(dir(none), None, "{none:?}");
        }
    }

    proptest! {
        #[test]
        fn any_address_is_a_path_or_none(uri in "(file://)?\\PC{0,60}") {
            let _ = path_of(&uri);
        }
    }
}
