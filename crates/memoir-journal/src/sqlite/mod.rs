//! The journal in one SQLite file in WAL mode, written and read by any number of processes at once.

mod alike;
mod chain;
mod cite;
mod copy;
mod directive;
mod erase;
mod forget;
mod fuller;
mod grep;
mod hidden;
mod idrun;
mod ids;
mod intern;
mod leases;
mod queue;
mod read;
mod schema;
mod select;
mod sessions;
mod streams;
mod suppress;
mod take_back;
mod verify;
mod write;

pub use copy::verify_file;
pub use erase::{Erased, TextDigest};
pub use grep::comparable;
pub use schema::SCHEMA_VERSION;
pub use take_back::{Hears, TakenBack, taken_back_by};

use self::hidden::Hidden;
use self::idrun::as_u64;
use self::intern::{Interned, fact};
use self::queue::Queue;
use self::read::Reader;
use self::schema::Access;
use self::write::Appending;
use crate::{
    Change, Chosen, Clock, Cursor, EventPage, Filter, ForgettingEntry, Journal, JournalError, Lease, Lookup,
    OriginEntry, Outcome, Page, Placed, ProjectEntry, Redacted, Selection, Seq, SessionEntry, Sighting, Stats,
    StoredEvent, Touched, Verified, View,
};
use memoir_event::{Client, KeyHasher, Kind, MemoryScope};
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a journal is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long to wait for another process's write lock.
    pub lock_wait: Duration,
    /// The log is folded into the file when it has grown to this size.
    pub log_bytes_max: u64,
    /// At most so many reading connections are kept. With none, reads take the writing one while nobody writes: to
    /// open another is a good part of what a short process does.
    pub readers_max: usize,
    /// So much of the file is held in memory by the connection that writes.
    pub cache_bytes: u32,
}

/// A log of this size is read again in a moment by the next process that finds no other one using the journal.
const SHORT_LOG_BYTES: u64 = 640 << 10;

impl SqliteOptions {
    /// For a process that lives for a moment: opening must not have to re-read a long log.
    pub const fn short_lived() -> SqliteOptions {
        SqliteOptions {
            lock_wait: Duration::from_secs(5),
            log_bytes_max: SHORT_LOG_BYTES,
            readers_max: 0,
            cache_bytes: 2 << 20,
        }
    }

    /// For bulk work and servers.
    pub const fn long_lived() -> SqliteOptions {
        SqliteOptions {
            lock_wait: Duration::from_secs(5),
            log_bytes_max: 16 << 20,
            readers_max: 4,
            cache_bytes: 32 << 20,
        }
    }
}

/// The SQLite journal.
pub struct SqliteJournal {
    path: PathBuf,
    options: SqliteOptions,
    clock: Clock,
    secret: [u8; 32],
    hasher: KeyHasher,
    takes_back: Option<Hears>,
    writer: Mutex<Writer>,
    readers: Mutex<Vec<Connection>>,
    hidden: Hidden,
    queue: Queue,
}

/// The one writing connection and what it remembers.
struct Writer {
    connection: Connection,
    interned: Interned,
}

impl SqliteJournal {
    /// Opens the journal at `path`, creating or upgrading it as needed.
    pub fn open(path: &Path, options: SqliteOptions, clock: Clock) -> Result<SqliteJournal, JournalError> {
        create_private(path)?;
        let connection = schema::open(path, Access::Write, options.lock_wait)?;
        connection.pragma_update(None, "cache_size", -i64::from(options.cache_bytes >> 10))?;
        let secret = secret_of(&connection)?;
        Ok(SqliteJournal {
            path: path.to_owned(),
            options,
            clock,
            secret,
            hasher: KeyHasher::new(secret),
            takes_back: None,
            writer: Mutex::new(Writer { connection, interned: Interned::default() }),
            readers: Mutex::new(Vec::new()),
            hidden: Hidden::default(),
            queue: Queue::new(with_suffix(path, "-wanted"), options.lock_wait),
        })
    }

    /// The same journal, which hears when the user takes back what they said: `takes_back` tells such a message, and when
    /// it is stored, what it takes back is forgotten with it.
    #[must_use]
    pub fn hearing(mut self, takes_back: Hears) -> SqliteJournal {
        self.takes_back = Some(takes_back);
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the journal would suppress each of these if it came now; nothing is stored.
    pub fn suppressed(&self, batch: &[Redacted]) -> Result<Vec<bool>, JournalError> {
        if batch.is_empty() || !self.with_reader(forget::has_any)? {
            return Ok(vec![false; batch.len()]);
        }
        self.with_writer(|writer| {
            let Writer { connection, interned } = writer;
            let judged = (|| {
                // What is written here is never committed: the very way of an append judges, so that both agree.
                let transaction = self.queue.begin(connection)?;
                let mut appending =
                    Appending::begin(&transaction, interned, &self.secret, &self.hasher, (self.clock)())?
                        .hearing(self.takes_back);
                let outcomes = batch.iter().map(|event| appending.event(event)).collect::<Result<Vec<_>, _>>()?;
                drop(appending);
                transaction.rollback()?;
                Ok(outcomes.iter().map(|outcome| *outcome == Outcome::Suppressed).collect())
            })();
            interned.clear();
            judged
        })
    }

    /// Folds the log into the file and empties it, unless someone is reading from it right now.
    pub fn checkpoint(&self) -> Result<(), JournalError> {
        self.with_writer(|writer| {
            // Readers and writers come first: what cannot be had at once is left to the next append.
            writer.connection.busy_timeout(Duration::ZERO)?;
            let folded = writer.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            writer.connection.busy_timeout(self.options.lock_wait)?;
            match folded.map_err(JournalError::from) {
                Err(JournalError::Locked) => Ok(()),
                folded => folded,
            }
        })
    }

    /// Keeps the log short. The events are already safe in it, so a failure here is not theirs.
    fn fold_log(&self, bytes_max: u64) {
        let log = with_suffix(&self.path, "-wal");
        if std::fs::metadata(log).is_ok_and(|log| log.len() > bytes_max) {
            let _ = self.checkpoint();
        }
    }

    fn with_writer<T>(&self, work: impl FnOnce(&mut Writer) -> Result<T, JournalError>) -> Result<T, JournalError> {
        // A panic elsewhere cannot leave half a write behind: the transaction was rolled back with its guard.
        let mut writer: MutexGuard<'_, Writer> = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut writer)
    }

    /// Runs `work` on a reading connection inside one transaction, so that all it reads is of one moment.
    fn with_reader<T>(&self, work: impl FnOnce(&Connection) -> Result<T, JournalError>) -> Result<T, JournalError> {
        if self.options.readers_max == 0
            && let Ok(writer) = self.writer.try_lock()
        {
            return work(&writer.connection);
        }
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => schema::open(&self.path, Access::Read, self.options.lock_wait)?,
        };
        let result = work(&connection);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < self.options.readers_max {
            readers.push(connection);
        }
        result
    }

    fn in_snapshot<T>(&self, work: impl FnOnce(&Connection) -> Result<T, JournalError>) -> Result<T, JournalError> {
        self.with_reader(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            let result = work(&snapshot)?;
            snapshot.finish()?;
            Ok(result)
        })
    }
}

/// The name of a file that SQLite keeps beside the journal.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn secret_of(connection: &Connection) -> Result<[u8; 32], JournalError> {
    let secret =
        connection.query_row("SELECT value FROM fact WHERE name = 'secret'", [], |row| row.get(0)).optional()?;
    secret.ok_or_else(|| JournalError::Damaged("its secret is missing".to_owned()))
}

/// Makes sure that the file exists and only its owner can read it: SQLite's own files take its mode.
fn create_private(path: &Path) -> Result<(), JournalError> {
    if path.exists() {
        return Ok(());
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.kind() {
            std::io::ErrorKind::StorageFull => JournalError::Full,
            _ => JournalError::Open { path: path.to_owned(), reason: error.to_string() },
        }),
    }
}

impl Drop for SqliteJournal {
    /// Bulk work leaves no long log behind: the next hook would have to read and fold all of it.
    fn drop(&mut self) {
        if self.options.log_bytes_max > SHORT_LOG_BYTES {
            self.fold_log(SHORT_LOG_BYTES);
        }
    }
}

impl Journal for SqliteJournal {
    fn hasher(&self) -> &KeyHasher {
        &self.hasher
    }

    fn identity(&self) -> Result<String, JournalError> {
        self.with_reader(|connection| {
            let name = "SELECT group_concat(lower(hex(value)), '-') FROM (SELECT value FROM fact WHERE name IN ('journal', 'epoch') ORDER BY name)";
            Ok(connection.query_row(name, [], |row| row.get(0))?)
        })
    }

    fn append(&self, batch: &[Redacted], cursors: &[Cursor]) -> Result<Vec<Outcome>, JournalError> {
        Ok(self.append_if(&[], batch, cursors)?.unwrap_or_default())
    }

    fn append_if(
        &self,
        expected: &[Cursor],
        batch: &[Redacted],
        cursors: &[Cursor],
    ) -> Result<Option<Vec<Outcome>>, JournalError> {
        if batch.is_empty() && cursors.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let appended = self.with_writer(|writer| {
            let Writer { connection, interned } = writer;
            let result = (|| {
                let transaction = self.queue.begin(connection)?;
                if !leases::are_at(&transaction, expected)? {
                    return Ok(None);
                }
                let mut appending =
                    Appending::begin(&transaction, interned, &self.secret, &self.hasher, (self.clock)())?
                        .hearing(self.takes_back);
                let outcomes = batch.iter().map(|event| appending.event(event)).collect::<Result<Vec<_>, _>>()?;
                appending.finish(cursors)?;
                transaction.commit()?;
                Ok(Some(outcomes))
            })();
            if result.is_err() {
                interned.clear();
            }
            result
        });
        self.fold_log(self.options.log_bytes_max);
        appended
    }

    fn page(&self, filter: &Filter, view: &View, page: &Page) -> Result<EventPage, JournalError> {
        self.in_snapshot(|connection| {
            let selection = select::select(connection, filter, view, &self.hidden)?;
            select::page(connection, &selection, view, page)
        })
    }

    fn event(&self, lookup: &Lookup, view: &View) -> Result<Option<StoredEvent>, JournalError> {
        self.in_snapshot(|connection| Reader::new(connection).lookup(lookup, view))
    }

    fn events(&self, seqs: &[Seq], view: &View) -> Result<Vec<StoredEvent>, JournalError> {
        self.in_snapshot(|connection| Reader::new(connection).events(seqs, view))
    }

    fn unfiltered(&self, seqs: &[Seq]) -> Result<Vec<StoredEvent>, JournalError> {
        self.in_snapshot(|connection| {
            let mut reader = Reader::new(connection);
            let events = seqs.iter().map(|seq| reader.fullest(*seq)).collect::<Result<Vec<_>, _>>()?;
            Ok(events.into_iter().flatten().collect())
        })
    }

    fn changes(&self, after: Seq, limit: usize) -> Result<Vec<Change>, JournalError> {
        self.in_snapshot(|connection| Reader::new(connection).changes(after, limit))
    }

    fn last_seq(&self) -> Result<Seq, JournalError> {
        self.with_reader(hidden::last_seq)
    }

    fn select(&self, filter: &Filter, view: &View) -> Result<Selection, JournalError> {
        self.in_snapshot(|connection| select::select(connection, filter, view, &self.hidden))
    }

    fn kinds(&self) -> Result<Vec<(u32, Kind)>, JournalError> {
        self.with_reader(select::kinds)
    }

    fn sessions(
        &self,
        filter: &Filter,
        view: &View,
        limit: usize,
        skip: usize,
    ) -> Result<Vec<SessionEntry>, JournalError> {
        self.in_snapshot(|connection| {
            let selection = select::select(connection, filter, view, &self.hidden)?;
            sessions::sessions(connection, &selection, filter, view, limit, skip)
        })
    }

    fn touched(&self, after: Seq) -> Result<Vec<Touched>, JournalError> {
        self.in_snapshot(|connection| sessions::touched(connection, after))
    }

    fn placed(
        &self,
        client: Option<Client>,
        session: &str,
        between: (Seq, Seq),
        most: usize,
    ) -> Result<Vec<Placed>, JournalError> {
        self.in_snapshot(|connection| sessions::placed(connection, (client, session), between, most))
    }

    fn of_kind(&self, kind: Kind, after: Seq) -> Result<Vec<Seq>, JournalError> {
        self.with_reader(|connection| select::of_kind(connection, kind, after))
    }

    fn sightings(&self, seq: Seq) -> Result<Vec<Sighting>, JournalError> {
        self.in_snapshot(|connection| Reader::new(connection).sightings(seq))
    }

    fn origins(&self, after: u32, take: &mut dyn FnMut(OriginEntry<'_>)) -> Result<(), JournalError> {
        self.with_reader(|connection| intern::origins(connection, after, take))
    }

    fn cursor(&self, stream: &str) -> Result<Option<Cursor>, JournalError> {
        self.with_reader(|connection| leases::cursor(connection, stream))
    }

    fn cursors(&self, prefix: &str) -> Result<Vec<Cursor>, JournalError> {
        self.with_reader(|connection| leases::cursors(connection, prefix))
    }

    fn projects(&self) -> Result<Vec<ProjectEntry>, JournalError> {
        self.in_snapshot(sessions::projects)
    }

    fn has_project(&self, repo: &str) -> Result<bool, JournalError> {
        self.with_reader(|connection| {
            let known = connection
                .prepare_cached(
                    "SELECT (EXISTS(SELECT 1 FROM origin WHERE repo = ?1 AND events > 0)
                            OR EXISTS(SELECT 1 FROM forgotten_scope WHERE repo = ?1))
                        AND NOT EXISTS(SELECT 1 FROM alias WHERE repo = ?1)",
                )?
                .query_row([repo], |row| row.get(0))?;
            Ok(known)
        })
    }

    fn chosen(&self, chosen: &Chosen) -> Result<Vec<Seq>, JournalError> {
        self.in_snapshot(|connection| forget::chosen(connection, chosen))
    }

    fn grep(&self, text: &str, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Option<Vec<Seq>>, JournalError> {
        self.with_reader(|connection| grep::grep(connection, text, progress))
    }

    fn successor(&self, seq: Seq) -> Result<Option<Seq>, JournalError> {
        self.in_snapshot(|connection| directive::successor(connection, seq))
    }

    fn made_of(&self, seq: Seq) -> Result<Vec<Seq>, JournalError> {
        self.with_reader(|connection| cite::made_of(connection, seq))
    }

    fn is_memory_forgotten(&self, project: &str, scope: &MemoryScope, text: &str) -> Result<bool, JournalError> {
        self.with_reader(|connection| suppress::is_memory_forgotten(connection, &self.hasher, project, scope, text))
    }

    fn hidden_by_alone(&self, name: &str) -> Result<u64, JournalError> {
        self.with_reader(|connection| forget::hidden_by_alone(connection, name))
    }

    fn forgettings(&self) -> Result<Vec<ForgettingEntry>, JournalError> {
        self.in_snapshot(forget::list)
    }

    fn lease(&self, name: &str, owner: &str, ttl_ms: i64) -> Result<Option<Lease>, JournalError> {
        let now_ms = (self.clock)();
        self.with_writer(|writer| leases::take(self.queue.begin(&writer.connection)?, name, owner, now_ms, ttl_ms))
    }

    fn release(&self, lease: &Lease) -> Result<(), JournalError> {
        self.with_writer(|writer| leases::release(&writer.connection, lease))
    }

    fn stats(&self) -> Result<Stats, JournalError> {
        let stats = self.in_snapshot(|connection| {
            let last = connection
                .prepare_cached("SELECT seq, ts_ms + lag_ms FROM record ORDER BY seq DESC LIMIT 1")?
                .query_row([], |row| Ok((as_u64(row.get(0)?), row.get(1)?)))
                .optional()?;
            let forgotten: i64 =
                connection.query_row("SELECT count(DISTINCT event) FROM forgotten", [], |row| row.get(0))?;
            Ok(Stats {
                records: last.map_or(0, |(seq, _)| seq),
                events: fact(connection, "events")?,
                sessions: fact(connection, "sessions")?,
                forgotten: as_u64(forgotten),
                redactions: fact(connection, "redactions")?,
                bytes: 0,
                last_at_ms: last.map(|(_, at_ms)| at_ms),
            })
        })?;
        let bytes =
            ["", "-wal"].map(|suffix| std::fs::metadata(with_suffix(&self.path, suffix)).map_or(0, |file| file.len()));
        Ok(Stats { bytes: bytes.iter().sum(), ..stats })
    }

    fn verify(&self, progress: &mut dyn FnMut(Seq, Seq) -> bool) -> Result<Verified, JournalError> {
        self.with_reader(|connection| verify::verify(connection, &self.hasher, progress))
    }
}
