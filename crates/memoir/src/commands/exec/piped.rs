//! What is piped into the client: it gets it as it comes, and memoir looks at it on the way, for it may be the prompt.
//!
//! A terminal is the client's own, and so is whatever is neither a pipe nor a file. A file is looked at where it lies.

use memoir_record::Policy;
use std::process::{ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// So much of it is kept as the prompt.
const KEPT_BYTES_MAX: usize = 1 << 20;

/// So much of a file is looked at for a marker.
const LOOKED_BYTES_MAX: u64 = 64 << 20;

/// A marker may stand where two reads meet: so much of the first is looked at again.
const OVERLAP_BYTES: usize = 1024;

/// How much is read at once.
const READ_BYTES: usize = 64 << 10;

/// Standard input, as far as it was seen.
#[derive(Clone, Default)]
pub struct Piped(Arc<Inner>);

#[derive(Default)]
struct Inner {
    seen: Mutex<Seen>,
    /// Whether a marker was among it.
    has_marker: AtomicBool,
    /// Whether nothing more will come.
    has_ended: AtomicBool,
}

#[derive(Default)]
struct Seen {
    kept: Vec<u8>,
    /// The end of what was looked at.
    end: Vec<u8>,
}

impl Piped {
    /// Looks at standard input. What the client gets in its place, and whether that is to be fed.
    #[cfg(unix)]
    pub fn open(policy: &Policy) -> (Piped, Stdio) {
        use std::os::unix::fs::FileTypeExt;
        let piped = Piped::default();
        let Some(input) = stdin() else { return (piped.closed(), Stdio::inherit()) };
        let kind = input.metadata().map(|metadata| metadata.file_type());
        match kind {
            Ok(kind) if kind.is_fifo() || kind.is_socket() => (piped, Stdio::piped()),
            Ok(kind) if kind.is_file() => {
                piped.look_at_file(input, policy);
                (piped.closed(), Stdio::inherit())
            }
            _ => (piped.closed(), Stdio::inherit()),
        }
    }

    /// Leaves standard input to the client.
    #[cfg(not(unix))]
    pub fn open(_policy: &Policy) -> (Piped, Stdio) {
        (Piped::default().closed(), Stdio::inherit())
    }

    /// Hands standard input on, for as long as the client takes it.
    pub fn feed(&self, to: Option<ChildStdin>, policy: &Policy) {
        #[cfg(unix)]
        if let (Some(mut to), Some(mut from)) = (to, stdin()) {
            let (piped, policy) = (self.clone(), policy.clone());
            // It ends with the process: somebody may hold the other end open for ever.
            std::thread::spawn(move || {
                use std::io::{Read, Write};
                let mut buffer = vec![0; READ_BYTES];
                loop {
                    let part = match from.read(&mut buffer) {
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                        Ok(read) => buffer.get(..read).unwrap_or_default(),
                        Err(_) => &[],
                    };
                    piped.look_at(part, &policy);
                    if part.is_empty() || to.write_all(part).is_err() {
                        break;
                    }
                }
                piped.0.has_ended.store(true, Ordering::Release);
            });
        }
        #[cfg(not(unix))]
        let _ = (to, policy);
    }

    fn closed(self) -> Piped {
        self.0.has_ended.store(true, Ordering::Release);
        self
    }

    /// A file is read by the client itself: nothing is taken from it here.
    #[cfg(unix)]
    fn look_at_file(&self, mut file: std::fs::File, policy: &Policy) {
        use std::io::Seek;
        use std::os::unix::fs::FileExt;
        let Ok(begin) = file.stream_position() else { return };
        let (mut at, mut buffer) = (begin, vec![0; READ_BYTES]);
        while at - begin < LOOKED_BYTES_MAX {
            let read = file.read_at(&mut buffer, at).unwrap_or(0);
            let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return };
            self.look_at(part, policy);
            at += u64::try_from(read).unwrap_or(u64::MAX);
        }
    }

    fn look_at(&self, part: &[u8], policy: &Policy) {
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT_BYTES_MAX.saturating_sub(seen.kept.len());
        seen.kept.extend(part.iter().take(room));
        let mut looked = std::mem::take(&mut seen.end);
        looked.extend_from_slice(part);
        if policy.is_private(&String::from_utf8_lossy(&looked)) {
            self.0.has_marker.store(true, Ordering::Release);
        }
        let overlap = looked.len().saturating_sub(OVERLAP_BYTES);
        seen.end = looked.split_off(overlap);
    }

    /// Whether nothing more will come.
    pub fn has_ended(&self) -> bool {
        self.0.has_ended.load(Ordering::Acquire)
    }

    /// Set once a marker has come by.
    pub fn has_marker(&self) -> &AtomicBool {
        &self.0.has_marker
    }

    /// What came so far, if anything did.
    pub fn text(&self) -> Option<String> {
        let seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        (!seen.kept.is_empty()).then(|| String::from_utf8_lossy(&seen.kept).into_owned())
    }
}

#[cfg(unix)]
fn stdin() -> Option<std::fs::File> {
    crate::commands::ingest::unbuffered_stdin().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_found_where_two_reads_meet_and_long_input_is_not_all_kept() {
        let policy = Policy::new(vec![], vec![], &[], vec!["#nosave".into()]).unwrap();
        let piped = Piped::default();
        piped.look_at("a".repeat(KEPT_BYTES_MAX).as_bytes(), &policy);
        assert!(!piped.has_marker().load(Ordering::Acquire));
        piped.look_at(b"and #no", &policy);
        piped.look_at(b"Save it", &policy);
        assert!(piped.has_marker().load(Ordering::Acquire));
        assert_eq!(piped.text().unwrap().len(), KEPT_BYTES_MAX);
        assert_eq!(Piped::default().text(), None);
    }
}
