//! The tables, how a connection is set up, and how an older journal is brought up to date.

use crate::JournalError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::{Duration, Instant};

/// The version that this memoir writes.
pub const SCHEMA_VERSION: i64 = 6;

/// Marks the file as a memoir journal ("memo").
const APPLICATION_ID: i64 = 0x6d65_6d6f;

/// One step per version: the step at index `n` brings version `n` to `n + 1`.
const MIGRATIONS: [&str; 6] = [
    include_str!("schema_v1.sql"),
    include_str!("schema_v2.sql"),
    include_str!("schema_v3.sql"),
    include_str!("schema_v4.sql"),
    include_str!("schema_v5.sql"),
    include_str!("schema_v6.sql"),
];

/// How a connection is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads and writes; creates the file if it is not there.
    Write,
    /// Reads only.
    Read,
}

/// Opens the file, checks that it is ours and brings it up to date.
pub fn open(path: &Path, access: Access, wait: Duration) -> Result<Connection, JournalError> {
    let flags = match access {
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let open_error = |error: &rusqlite::Error| JournalError::Open { path: path.to_owned(), reason: error.to_string() };
    let mut connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(|error| open_error(&error))?;
    connection.busy_timeout(wait)?;
    connection.set_prepared_statement_cache_capacity(64);
    // A short-lived process must not pay for a checkpoint when it closes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // Else SQLite plans a statement anew for each value that it is given.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let (application, version, tables) = match identify(&connection) {
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == rusqlite::ErrorCode::NotADatabase => {
            return Err(JournalError::NotAJournal { path: path.to_owned() });
        }
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) => {
            return Err(open_error(&error));
        }
        other => other?,
    };
    if application != APPLICATION_ID && (application, version, tables) != (0, 0, 0) {
        return Err(JournalError::NotAJournal { path: path.to_owned() });
    }
    if version > SCHEMA_VERSION {
        return Err(JournalError::Newer { path: path.to_owned(), found: version, known: SCHEMA_VERSION });
    }
    if access == Access::Write {
        if version < SCHEMA_VERSION {
            migrate_with_patience(&mut connection, path, wait)?;
        }
        connection.pragma_update(None, "synchronous", "FULL")?;
        // SQLite's own checkpoints never shorten the log, and a process that finds no other one using the journal has
        // to read all of it again: see `fold_log`.
        connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    } else if version < SCHEMA_VERSION {
        return Err(JournalError::ReadOnly);
    }
    Ok(connection)
}

/// What the file says it is: application id, schema version, and how many tables it has.
type Marks = (i64, i64, i64);

/// Reads the marks as of one moment: another process may be creating the journal right now.
fn identify(connection: &Connection) -> Result<Marks, rusqlite::Error> {
    let snapshot = connection.unchecked_transaction()?;
    let tables = snapshot.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application = snapshot.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version = snapshot.pragma_query_value(None, "user_version", |row| row.get(0))?;
    snapshot.finish()?;
    Ok((application, version, tables))
}

/// Turning the log on takes a lock that SQLite does not wait for: while others create the journal too, we try again.
fn migrate_with_patience(connection: &mut Connection, path: &Path, wait: Duration) -> Result<(), JournalError> {
    let deadline = Instant::now() + wait;
    loop {
        match migrate(connection, path) {
            Err(JournalError::Locked) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(3)),
            done => return done,
        }
    }
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
    let (application, _, tables) = identify(connection)?;
    if application != APPLICATION_ID {
        if tables > 0 {
            return Err(JournalError::NotAJournal { path: path.to_owned() });
        }
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    }
    // Another process may be migrating at the same moment: whoever gets the lock second finds nothing left to do.
    let migration = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = migration.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    for step in MIGRATIONS.iter().skip(done) {
        migration.execute_batch(step)?;
    }
    if done == 0 {
        let mut secret = [0u8; 32];
        let mut name = [0u8; 16];
        getrandom::fill(&mut secret).map_err(|error| JournalError::Io(error.to_string()))?;
        getrandom::fill(&mut name).map_err(|error| JournalError::Io(error.to_string()))?;
        migration.execute("INSERT INTO fact(name, value) VALUES('secret', ?1), ('journal', ?2)", (secret, name))?;
    }
    migration.pragma_update(None, "application_id", APPLICATION_ID)?;
    migration.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    migration.commit()?;
    Ok(())
}
