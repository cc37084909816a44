//! `eventid-index.jsonl`: one line for every event, appended to; or written anew when it cannot be trusted.

use crate::error::{MirrorError, refused};
use crate::files;
use crate::ids::IdKey;
use crate::lines::{End, Lines};
use memoir_event::EventId;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// No id is that long.
pub const LINE_BYTES_MAX: usize = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IndexLine<'a> {
    #[serde(borrow)]
    event_id: Cow<'a, str>,
    #[serde(borrow)]
    ts: Cow<'a, str>,
}

/// What an index turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loaded {
    /// Every line is good, up to here; what follows is half a line.
    Good { whole_bytes: u64, lines_cut: u64 },
    /// Some line is no line of an index.
    Bad,
}

/// Hands out the ids of an index; a missing one has none. Stops when `each` is told of an id that it does not want.
pub fn load(path: &Path, each: &mut dyn FnMut(IdKey) -> Wanted) -> Result<Loaded, MirrorError> {
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Loaded::Good { whole_bytes: 0, lines_cut: 0 });
        }
        opened => opened.map_err(refused("read", path))?,
    };
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, file), LINE_BYTES_MAX);
    let mut whole_bytes = 0;
    while let Some(line) = lines.read_line().map_err(refused("read", path))? {
        if line.end == End::File {
            return Ok(Loaded::Good { whole_bytes, lines_cut: 1 });
        }
        let Some(bytes) = line.bytes else { return Ok(Loaded::Bad) };
        whole_bytes = line.offset + u64::try_from(bytes.len()).unwrap_or(0) + 1;
        match id_in(bytes).map(&mut *each) {
            Some(Wanted::Yes) => {}
            Some(Wanted::No) | None => return Ok(Loaded::Bad),
        }
    }
    Ok(Loaded::Good { whole_bytes, lines_cut: 0 })
}

/// Hands out every id of an index as it is written, and where its line is; a missing index has none, and a line that is
/// none is passed over. Gives the size of the index.
pub fn each_line(path: &Path, each: &mut dyn FnMut(&str, Range<u64>)) -> Result<u64, MirrorError> {
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened.map_err(refused("read", path))?,
    };
    let mut lines = Lines::new(BufReader::with_capacity(1 << 20, file), LINE_BYTES_MAX);
    while let Some(line) = lines.read_line().map_err(refused("read", path))? {
        let Some(bytes) = line.bytes else { continue };
        let end = line.offset + u64::try_from(bytes.len() + usize::from(line.end == End::Newline)).unwrap_or(0);
        if let Ok(read) = serde_json::from_slice::<IndexLine<'_>>(bytes) {
            each(&read.event_id, line.offset..end);
        }
    }
    Ok(lines.offset())
}

/// Whether an id was expected in an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Yes,
    No,
}

/// The id in a line, if it is a good one. Lines as we write them are taken apart without a JSON parser: there may be
/// millions, and each opening of the mirror reads them all.
pub fn id_in(line: &[u8]) -> Option<IdKey> {
    let ours = || {
        let rest = line.strip_prefix(br#"{"eventId":""#)?;
        let (id, rest) = rest.split_at_checked(24)?;
        let ts = rest.strip_prefix(br#"","ts":""#)?.strip_suffix(br#""}"#)?;
        let plain = ts.iter().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'));
        let id = std::str::from_utf8(id).ok().filter(|_| plain)?;
        EventId::parse(id).ok().map(IdKey::from)
    };
    let any = || IdKey::of(&serde_json::from_slice::<IndexLine<'_>>(line).ok()?.event_id);
    ours().or_else(any)
}

/// An index that takes new ids.
pub struct IdIndex {
    path: PathBuf,
    to: To,
}

enum To {
    /// To the end of the file, when committed.
    End { whole_bytes: u64, lines_cut: u64, waiting: Vec<u8> },
    /// To a file that will take the place of the old one, when committed.
    Anew { writer: BufWriter<File>, failed: Option<io::Error> },
}

impl IdIndex {
    /// An index that is good so far.
    pub const fn good(path: PathBuf, whole_bytes: u64, lines_cut: u64) -> IdIndex {
        IdIndex { path, to: To::End { whole_bytes, lines_cut, waiting: Vec::new() } }
    }

    /// An index that starts empty, whatever the file has.
    pub fn anew(path: PathBuf) -> Result<IdIndex, MirrorError> {
        let file = files::create_anew(&files::unfinished(&path)).map_err(refused("write", &path))?;
        Ok(IdIndex { path, to: To::Anew { writer: BufWriter::with_capacity(1 << 20, file), failed: None } })
    }

    /// Adds an id. What goes wrong comes out at the commit, before which nothing counts.
    pub fn push(&mut self, id: &str, ts: &str) {
        let line = IndexLine { event_id: Cow::Borrowed(id), ts: Cow::Borrowed(ts) };
        match &mut self.to {
            To::End { waiting, .. } => {
                // Writing strings to memory cannot fail.
                let _ = serde_json::to_writer(&mut *waiting, &line);
                waiting.push(b'\n');
            }
            To::Anew { writer, failed: failed @ None } => {
                let written = serde_json::to_writer(&mut *writer, &line).map_err(io::Error::from);
                *failed = written.and_then(|()| writer.write_all(b"\n")).err();
            }
            To::Anew { .. } => {}
        }
    }

    /// How much waits in memory.
    pub const fn waiting_bytes(&self) -> usize {
        match &self.to {
            To::End { waiting, .. } => waiting.len(),
            To::Anew { .. } => 0,
        }
    }

    /// Makes every id durable. The segments are durable already: an id that is found here has its event.
    pub fn commit(&mut self) -> Result<(), MirrorError> {
        let whole_bytes = match &mut self.to {
            To::End { lines_cut: 0, waiting, .. } if waiting.is_empty() => return Ok(()),
            To::End { whole_bytes, lines_cut, waiting } => append(&self.path, *whole_bytes, *lines_cut, waiting)?,
            To::Anew { writer, failed } => {
                let written = failed.take().map_or_else(|| put_in_place(writer, &self.path), Err);
                written.map_err(refused("write", &self.path))?
            }
        };
        self.to = To::End { whole_bytes, lines_cut: 0, waiting: Vec::new() };
        Ok(())
    }
}

/// Appends to the whole lines; only half a line that was there before may be lost by that.
fn append(path: &Path, whole_bytes: u64, lines_cut: u64, waiting: &[u8]) -> Result<u64, MirrorError> {
    let mut file = files::open_to_append(path)?;
    let failed = |source| refused("write", path)(source);
    let found = file.metadata().map_err(failed)?.len();
    if found < whole_bytes || (found > whole_bytes && lines_cut == 0) {
        return Err(MirrorError::Changed { path: path.to_owned() });
    }
    let written = file.set_len(whole_bytes).and_then(|()| file.write_all(waiting)).and_then(|()| file.sync_all());
    written.map_err(failed)?;
    Ok(whole_bytes + u64::try_from(waiting.len()).unwrap_or(0))
}

fn put_in_place(writer: &mut BufWriter<File>, path: &Path) -> io::Result<u64> {
    writer.flush()?;
    writer.get_ref().sync_all()?;
    fs::rename(files::unfinished(path), path)?;
    Ok(writer.get_ref().metadata()?.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_good_one_or_none() {
        let ours = br#"{"eventId":"a2f0f8e7aa90f2f729efebd4","ts":"2024-03-01T10:00:00.000Z"}"#;
        assert_eq!(id_in(ours), IdKey::of("a2f0f8e7aa90f2f729efebd4"));
        assert_eq!(id_in(br#"{ "eventId" : "evt-1" , "ts" : "x" }"#), IdKey::of("evt-1"));
        assert_eq!(id_in(br#"{"eventId":"a2f0f8e7aa90f2f729efebd4","ts":"a"b"}"#), None);
        for cut in 0..ours.len() {
            assert_eq!(id_in(&ours[..cut]), None);
        }
        assert_eq!(id_in(&[0; 80]), None);
    }
}
