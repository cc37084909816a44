//! The end of a segment: a torn last line is cut off, a whole one that lacks its newline gets it.

use crate::error::{MirrorError, refused};
use crate::files;
use crate::scan::sift;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

const CHUNK_BYTES: u64 = 64 << 10;

/// A segment that ends with a newline, or is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mended {
    /// Its size.
    pub bytes: u64,
    /// How many torn lines were cut off.
    pub lines_cut: u64,
}

/// Makes the file end where a line ends.
pub fn mend(path: &Path, line_bytes_max: usize) -> Result<Mended, MirrorError> {
    let mended = files::open(path).and_then(|mut file| {
        let len = file.metadata()?.len();
        let whole = after_last_newline(&mut file, len)?;
        if whole == len {
            return Ok(Mended { bytes: len, lines_cut: 0 });
        }
        if is_event(&mut file, whole, len, line_bytes_max)? {
            files::careful().append(true).open(path)?.write_all(b"\n")?;
            return Ok(Mended { bytes: len + 1, lines_cut: 0 });
        }
        files::careful().write(true).open(path)?.set_len(whole)?;
        Ok(Mended { bytes: whole, lines_cut: 1 })
    });
    mended.map_err(refused("mend", path))
}

fn after_last_newline(file: &mut File, len: u64) -> io::Result<u64> {
    let mut end = len;
    let mut chunk = Vec::new();
    while end > 0 {
        // Most files end as they should: one byte shows it.
        let start = if end == len { len - 1 } else { end.saturating_sub(CHUNK_BYTES) };
        chunk.clear();
        file.seek(SeekFrom::Start(start))?;
        file.take(end - start).read_to_end(&mut chunk)?;
        if let Some(at) = memchr::memrchr(b'\n', &chunk) {
            return Ok(start + u64::try_from(at).unwrap_or(0) + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Whether the rest of the file is an event, and nothing else.
fn is_event(file: &mut File, start: u64, end: u64, line_bytes_max: usize) -> io::Result<bool> {
    if usize::try_from(end - start).map_or(true, |len| len > line_bytes_max) {
        return Ok(false);
    }
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(end - start).read_to_end(&mut line)?;
    let mut events = 0;
    let sifted = sift(&line, &mut |record| events += usize::from(record.event_id().is_some()));
    Ok(events > 0 && !sifted.broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(content: &[u8]) -> (Mended, Vec<u8>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::fs::write(&path, content).unwrap();
        let mended = mend(&path, 200_000).unwrap();
        (mended, std::fs::read(&path).unwrap())
    }

    #[test]
    fn a_file_that_ends_well_is_left_alone() {
        for content in [&b""[..], b"\n", b"{}\n", b"rubbish\n"] {
            let bytes = u64::try_from(content.len()).unwrap();
            assert_eq!(mended(content), (Mended { bytes, lines_cut: 0 }, content.to_owned()));
        }
    }

    #[test]
    fn a_torn_line_is_cut_off_however_long_it_is() {
        assert_eq!(mended(b"{\"ev"), (Mended { bytes: 0, lines_cut: 1 }, Vec::new()));
        assert_eq!(mended(b"{}\n{\"ev"), (Mended { bytes: 3, lines_cut: 1 }, b"{}\n".to_vec()));
        let long = [b"{}\n".to_vec(), vec![0; 300_000]].concat();
        assert_eq!(mended(&long), (Mended { bytes: 3, lines_cut: 1 }, b"{}\n".to_vec()));
    }

    #[test]
    fn a_whole_event_without_its_newline_gets_it() {
        let line = br#"{"eventId":"a","sessionId":"s"}"#;
        assert_eq!(mended(line), (Mended { bytes: 32, lines_cut: 0 }, [&line[..], b"\n"].concat()));
    }
}
