//! What every parser of a session file or stream can do.

use crate::out::Out;
use std::borrow::Cow;

/// Reads a file or stream line by line. The same lines give the same events, in however many sittings they are read.
pub trait Parser: Send {
    /// Reads one line; the first has the number 1.
    fn line(&mut self, number: u64, line: &str, out: &mut Out);

    /// Nothing more is there for now.
    fn pause(&mut self, out: &mut Out);

    /// Nothing more will ever come, be it whole or not.
    fn end(&mut self, out: &mut Out) {
        self.pause(out);
    }

    /// Whether everything read so far has been handed over: only then can reading go on later from its state.
    fn is_settled(&self) -> bool;

    /// What it takes to go on later, as text. May quote the file.
    fn state(&self) -> String;
}

/// Makes digests that a state may hold: without the salt nobody can tell what a text was by trying.
#[derive(Clone, Copy, Default)]
pub struct Salt(pub [u8; 32]);

impl Salt {
    pub(crate) fn digest(&self, text: &str) -> String {
        let hash = blake3::keyed_hash(&self.0, text.trim().as_bytes());
        hash.to_hex().chars().take(16).collect()
    }
}

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// A line that is no JSON object, once what can be mended is mended.
pub(crate) fn read<'a, T: serde::Deserialize<'a>>(line: &'a str) -> Option<T> {
    serde_json::from_str(line).ok()
}

/// The same without the escapes that no text can hold.
pub(crate) fn mended(json: &str) -> Cow<'_, str> {
    if json.contains("\\ud") || json.contains("\\uD") {
        return memoir_event::without_lone_surrogates(json).into();
    }
    json.into()
}
