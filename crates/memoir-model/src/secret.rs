//! A key that no log, error or debug output shows.

use std::fmt;

/// A secret key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key; a blank one is none.
    pub fn new(key: &str) -> Option<Secret> {
        let key = key.trim();
        (!key.is_empty()).then(|| Secret(key.to_owned()))
    }

    /// Whether a header can hold it.
    pub(crate) fn is_sendable(&self) -> bool {
        self.0.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
    }

    /// The key itself, to be sent and for nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// A text in which the key does not stand.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        text.replace(&self.0, "(the key)")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
