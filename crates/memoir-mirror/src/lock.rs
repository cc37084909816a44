//! One writer at a time: `sync-lock.json` for everybody to see, and a lock of the system on the directory.
//!
//! The file tells other tools and people who writes. It outlives a killed writer, so it is judged and taken over, and
//! two could take it over at once: the lock of the system, which dies with its process, lets only one of ours judge.
//! Where the system has no such lock, the file alone decides.

use crate::Clock;
use crate::error::{Holder, MirrorError, refused};
use crate::files;
use crate::layout::Layout;
use memoir_event::{format_ms, parse_ms};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// A lock that says nothing is given this long to be written.
const UNREADABLE_MS_MAX: i64 = 10_000;
/// After this long a living process of that number is taken for another one.
const HELD_MS_MAX: i64 = 3_600_000;
const POLL: Duration = Duration::from_millis(20);
/// How long the system's lock may be held by someone who does not say who.
const PASSING_MAX: Duration = Duration::from_millis(500);
const LOCK_BYTES_MAX: u64 = 64 << 10;
/// How often one attempt meets a new lock in the place of the one it removed.
const TAKEOVERS_MAX: usize = 4;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    token: String,
    pid: u32,
    started_at: String,
    mode: String,
}

/// The right to write, until this value is gone.
pub struct Lock {
    path: PathBuf,
    token: String,
    /// Whether a dead writer's lock was in the way.
    pub took_over: TookOver,
    guard: Option<File>,
}

/// Whether a lock had to be taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TookOver {
    Yes,
    No,
}

enum Attempt {
    Taken(Lock),
    Held(Holder),
    /// Someone has the lock of the system and no file: a writer that comes or goes, or somebody who looks.
    Passing,
}

enum Guard {
    Ours(Option<File>),
    Others,
}

enum Judged {
    Stale,
    Held(Holder),
    Gone,
}

impl Lock {
    /// Takes the lock, waiting for another writer as long as `patience` lasts.
    pub fn take(layout: &Layout, clock: &Clock, patience: Duration) -> Result<Lock, MirrorError> {
        let (mut left, mut left_to_pass) = (patience, PASSING_MAX);
        loop {
            let (holder, left) = match attempt(layout, clock)? {
                Attempt::Taken(lock) => return Ok(lock),
                Attempt::Held(holder) => (holder, &mut left),
                Attempt::Passing => (Holder::default(), if left.is_zero() { &mut left_to_pass } else { &mut left }),
            };
            if left.is_zero() {
                return Err(MirrorError::Locked { dir: layout.dir().to_owned(), holder });
            }
            let pause = POLL.min(*left);
            std::thread::sleep(pause);
            *left -= pause;
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Whoever took it over keeps it. An error here leaves a lock of a dead process, which is no harm.
        if read(&self.path).is_some_and(|written| written.token == self.token) {
            let _ = fs::remove_file(&self.path);
        }
        let_go(self.guard.as_ref());
    }
}

/// Closing would not do: a process that another thread is just starting has the file open too, for a moment.
fn let_go(guard: Option<&File>) {
    let _ = guard.map(File::unlock);
}

/// Whether one of our writers is at work, without waiting.
pub fn is_held(layout: &Layout) -> bool {
    match guard(layout) {
        Guard::Others => true,
        Guard::Ours(guard) => {
            let_go(guard.as_ref());
            false
        }
    }
}

fn attempt(layout: &Layout, clock: &Clock) -> Result<Attempt, MirrorError> {
    let path = layout.lock();
    let guard = match guard(layout) {
        Guard::Ours(guard) => guard,
        Guard::Others if path.exists() => return Ok(Attempt::Held(holder(layout))),
        Guard::Others => return Ok(Attempt::Passing),
    };
    let mut took_over = TookOver::No;
    for _ in 0..TAKEOVERS_MAX {
        let now_ms = clock();
        let written = Written::new(now_ms);
        match written.put(&path, guard.as_ref()) {
            Ok(()) => return Ok(Attempt::Taken(Lock { path, token: written.token, took_over, guard })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused("create", &path)(error)),
        }
        match judge(layout, guard.as_ref(), now_ms) {
            Judged::Held(holder) => return Ok(Attempt::Held(holder)),
            Judged::Gone => {}
            Judged::Stale => {
                took_over = TookOver::Yes;
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(refused("remove", &path)(error));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(Attempt::Held(holder(layout)))
}

/// The system's lock on the directory; none where it has no such thing.
fn guard(layout: &Layout) -> Guard {
    let Ok(dir) = File::open(layout.dir()) else { return Guard::Ours(None) };
    match dir.try_lock() {
        Ok(()) => Guard::Ours(Some(dir)),
        Err(TryLockError::WouldBlock) => Guard::Others,
        Err(TryLockError::Error(_)) => Guard::Ours(None),
    }
}

impl Written {
    fn new(now_ms: i64) -> Written {
        let pid = std::process::id();
        let token = format!("{pid}-{now_ms}-{:016x}", RandomState::new().hash_one(now_ms));
        Written { token, pid, started_at: format_ms(now_ms), mode: "export".to_owned() }
    }

    /// Puts the lock there if none is. Whoever has the lock of the system links it there complete: killed at any
    /// moment, it leaves no empty one, which nobody could judge before it is old.
    fn put(&self, path: &Path, guard: Option<&File>) -> io::Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        if guard.is_some() {
            let tmp = files::unfinished(path);
            let linked = files::create_anew(&tmp).and_then(|mut file| {
                file.write_all(&bytes)?;
                Ok(fs::hard_link(&tmp, path))
            });
            let _ = fs::remove_file(&tmp);
            match linked? {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {} // Not every file system has links.
                linked => return linked,
            }
        }
        let mut file = files::careful().write(true).create_new(true).open(path)?;
        file.write_all(&bytes).inspect_err(|_| drop(fs::remove_file(path)))
    }
}

fn read(path: &Path) -> Option<Written> {
    serde_json::from_slice(&files::read_whole(path, LOCK_BYTES_MAX).ok()??).ok()
}

/// Who the lock says it is.
pub fn holder(layout: &Layout) -> Holder {
    let written = read(&layout.lock());
    Holder { pid: written.as_ref().map(|written| written.pid), since: written.map(|written| written.started_at) }
}

fn judge(layout: &Layout, guard: Option<&File>, now_ms: i64) -> Judged {
    let path = layout.lock();
    let Ok(found) = fs::symlink_metadata(&path) else { return Judged::Gone };
    let modified = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified_ms = modified.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(now_ms);
    let Some(written) = read(&path) else {
        let stale = now_ms.saturating_sub(modified_ms) > UNREADABLE_MS_MAX;
        return if stale { Judged::Stale } else { Judged::Held(Holder::default()) };
    };
    // A clock that went back must not make a lock young for ever.
    let since_ms = parse_ms(&written.started_at).map_or(modified_ms, |started_ms| started_ms.min(modified_ms));
    let old = now_ms.saturating_sub(since_ms) > HELD_MS_MAX;
    // Ours it cannot be while we have the lock of the system: someone of the same number died. That happens in
    // containers, where every first process is number 1.
    let is_ours = guard.is_some() && written.pid == std::process::id();
    if old || is_ours || !is_alive(written.pid) {
        return Judged::Stale;
    }
    Judged::Held(Holder { pid: Some(written.pid), since: Some(written.started_at) })
}

/// Whether there is a process of that number.
#[cfg(unix)]
fn is_alive(pid: u32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let named = i32::try_from(pid).ok().and_then(Pid::from_raw);
    named.is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

/// Elsewhere nobody can tell: its age decides.
#[cfg(not(unix))]
fn is_alive(_pid: u32) -> bool {
    true
}
