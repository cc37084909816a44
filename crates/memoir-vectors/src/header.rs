//! The head of the coarse file: what made the vectors, of which journal, and where their finer bytes are.

use memoir_model::{DIMENSION_MAX, Identity};
use std::io::{self, Read};

const MAGIC: &[u8; 8] = b"MEMOIRVC";
/// Another version is another format: it is built anew.
pub(crate) const VERSION: u32 = 1;
const FIXED_BYTES: usize = 32;
const NAME_BYTES_MAX: usize = 4096;

/// What a store is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    /// Names the file with the finer bytes; each rewriting has its own.
    pub generation: u64,
    /// What made the vectors.
    pub identity: Identity,
    /// The journal that they are of.
    pub journal: String,
}

impl Header {
    /// As bytes, with their checksum at the end.
    pub fn encode(&self) -> Vec<u8> {
        let short = |text: &str| text.get(..text.floor_char_boundary(NAME_BYTES_MAX)).unwrap_or_default().to_owned();
        let (model, journal) = (short(&self.identity.model), short(&self.journal));
        let mut bytes = Vec::with_capacity(FIXED_BYTES + model.len() + journal.len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&small(self.identity.dimension).to_le_bytes());
        bytes.extend_from_slice(&self.generation.to_le_bytes());
        bytes.extend_from_slice(&small(model.len()).to_le_bytes());
        bytes.extend_from_slice(&small(journal.len()).to_le_bytes());
        bytes.extend_from_slice(model.as_bytes());
        bytes.extend_from_slice(journal.as_bytes());
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a header; gives also how long it is.
    pub fn read(input: &mut impl Read) -> io::Result<(Header, u64)> {
        let mut bytes = vec![0; FIXED_BYTES];
        input.read_exact(&mut bytes)?;
        let version = number(&bytes, 8);
        if bytes.get(..8) != Some(MAGIC.as_slice()) {
            return Err(damaged("it is not a file of vectors"));
        }
        if version != VERSION {
            return Err(damaged("it is of another version"));
        }
        let dimension = size(number(&bytes, 12));
        let generation = u64::from(number(&bytes, 16)) | u64::from(number(&bytes, 20)) << 32;
        let (model_len, journal_len) = (size(number(&bytes, 24)), size(number(&bytes, 28)));
        if model_len > NAME_BYTES_MAX || journal_len > NAME_BYTES_MAX || dimension == 0 || dimension > DIMENSION_MAX {
            return Err(damaged("its head is damaged"));
        }
        bytes.resize(FIXED_BYTES + model_len + journal_len + 4, 0);
        input.read_exact(bytes.get_mut(FIXED_BYTES..).unwrap_or_default())?;
        let body = bytes.len() - 4;
        if crc32fast::hash(bytes.get(..body).unwrap_or_default()) != number(&bytes, body) {
            return Err(damaged("its head is damaged"));
        }
        let name =
            |from: usize, len: usize| String::from_utf8(bytes.get(from..from + len).unwrap_or_default().to_vec());
        let model = name(FIXED_BYTES, model_len).map_err(|_| damaged("its head is damaged"))?;
        let journal = name(FIXED_BYTES + model_len, journal_len).map_err(|_| damaged("its head is damaged"))?;
        let header = Header { generation, identity: Identity { model, dimension }, journal };
        Ok((header, u64::try_from(bytes.len()).unwrap_or(u64::MAX)))
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Four bytes as a number; zero where there are none.
pub(crate) fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// Eight bytes as a number; zero where there are none.
pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()).map_or(0, u64::from_le_bytes)
}

pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(crate) fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let identity = Identity { model: "nomic-embed-text".into(), dimension: 768 };
        Header { generation: 0x0123_4567_89ab_cdef, identity, journal: "ab-01".into() }
    }

    #[test]
    fn the_stored_form_is_as_promised() {
        let bytes = header().encode();
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let golden = "4d454d4f49525643\
                      01000000\
                      00030000\
                      efcdab8967452301\
                      10000000\
                      05000000\
                      6e6f6d69632d656d6265642d74657874\
                      61622d3031";
        assert!(hex.starts_with(golden), "{hex}");
        assert_eq!(Header::read(&mut &*bytes).unwrap(), (header(), bytes.len() as u64));
    }

    #[test]
    fn damage_anywhere_is_seen() {
        let bytes = header().encode();
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert!(Header::read(&mut &*bad).is_err(), "byte {at}");
            assert!(Header::read(&mut &bytes[..at]).is_err(), "cut at {at}");
        }
    }
}
