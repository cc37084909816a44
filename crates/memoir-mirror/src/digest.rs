//! The checksum of a segment.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{self, Read};

/// Hashes what is read through it.
pub struct Hashing<R> {
    reader: R,
    hash: Sha256,
}

impl<R> Hashing<R> {
    pub fn new(reader: R) -> Hashing<R> {
        Hashing { reader, hash: Sha256::new() }
    }

    /// The hash of all that was read.
    pub fn finish(self) -> Sha256 {
        self.hash
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.hash.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// The hash so far, as a manifest has it.
pub fn checksum(hash: &Sha256) -> String {
    let mut text = "sha256:".to_owned();
    for byte in hash.clone().finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
