//! Finds events by id. Ids are hashes, and a plain index over hashes would dirty a page for every insert: so the
//! newest ids lie in a list in the order of storage, and each full list becomes a sorted run, cut into buckets by
//! the first bits of the id. Runs are merged a few at a time; a look-up reads one bucket of each.

use crate::{JournalError, Seq};
use rusqlite::Connection;
use std::collections::HashMap;

/// So many ids make a run of level 0.
const TAIL_MAX: u64 = 4096;

/// So many runs of one level become one of the next.
const FANOUT: usize = 8;

/// Runs of this level are not merged any more: a merge must not hold the write lock for long.
const LEVEL_MAX: i64 = 2;

/// So many ids, on average, lie in one bucket: about one page.
const BUCKET_IDS: u64 = 256;

const ENTRY_BYTES: usize = 12;

/// Bucket numbers are `run << 20 | bucket`.
const BUCKET_SHIFT: u32 = 20;

/// Turns a full list into a run, and full levels into runs of the next.
pub fn tidy(connection: &Connection) -> Result<(), JournalError> {
    let bounds: (Option<i64>, Option<i64>) = connection
        .prepare_cached("SELECT (SELECT min(seq) FROM id_tail), (SELECT max(seq) FROM id_tail)")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (Some(first), Some(last)) = bounds else { return Ok(()) };
    if as_u64(last) - as_u64(first) + 1 < TAIL_MAX {
        return Ok(());
    }
    let mut entries = Vec::new();
    let mut tail = connection.prepare_cached("SELECT prefix, seq FROM id_tail")?;
    let mut rows = tail.query([])?;
    while let Some(row) = rows.next()? {
        entries.push((row.get::<_, i64>(0)?.cast_unsigned(), as_u64(row.get(1)?)));
    }
    write_run(connection, 0, as_u64(first), &mut entries)?;
    connection.execute("DELETE FROM id_tail", [])?;
    (0..LEVEL_MAX).try_for_each(|level| merge_level(connection, level))
}

fn merge_level(connection: &Connection, level: i64) -> Result<(), JournalError> {
    let runs: Vec<Run> = runs(connection)?.into_iter().filter(|run| run.level == level).collect();
    if runs.len() < FANOUT {
        return Ok(());
    }
    let first_seq = runs.iter().map(|run| run.first_seq).min().unwrap_or(0);
    let mut entries = Vec::new();
    for run in &runs {
        let (from, to) = (run.no << BUCKET_SHIFT, (run.no + 1) << BUCKET_SHIFT);
        let mut buckets = connection.prepare_cached("SELECT entries FROM id_bucket WHERE no >= ?1 AND no < ?2")?;
        let mut rows = buckets.query((from, to))?;
        while let Some(row) = rows.next()? {
            entries.extend(read_entries(row.get_ref(0)?.as_blob().unwrap_or_default(), run.first_seq));
        }
        connection.execute("DELETE FROM id_bucket WHERE no >= ?1 AND no < ?2", (from, to))?;
        connection.execute("DELETE FROM id_run WHERE no = ?1", [run.no])?;
    }
    write_run(connection, level + 1, first_seq, &mut entries)
}

fn write_run(
    connection: &Connection,
    level: i64,
    first_seq: Seq,
    entries: &mut [(u64, Seq)],
) -> Result<(), JournalError> {
    entries.sort_unstable();
    let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    let bits = (count / BUCKET_IDS).max(1).ilog2();
    let no: i64 = connection
        .prepare_cached("INSERT INTO id_run(level, first_seq, bits) VALUES(?1, ?2, ?3) RETURNING no")?
        .query_row((level, as_i64(first_seq), bits), |row| row.get(0))?;
    let mut insert = connection.prepare_cached("INSERT INTO id_bucket(no, entries) VALUES(?1, ?2)")?;
    for bucket in entries.chunk_by(|a, b| bucket_of(a.0, bits) == bucket_of(b.0, bits)) {
        let Some((prefix, _)) = bucket.first() else { continue };
        let mut bytes = Vec::with_capacity(bucket.len() * ENTRY_BYTES);
        for (prefix, seq) in bucket {
            bytes.extend_from_slice(&prefix.to_be_bytes());
            bytes.extend_from_slice(&u32::try_from(seq - first_seq).unwrap_or(u32::MAX).to_be_bytes());
        }
        insert.execute((no << BUCKET_SHIFT | as_i64(bucket_of(*prefix, bits)), bytes))?;
    }
    Ok(())
}

/// The places of records whose id starts like this; almost always one or none.
pub fn find(connection: &Connection, prefix: u64) -> Result<Vec<Seq>, JournalError> {
    let mut found = find_older(connection, prefix)?;
    let mut tail = connection.prepare_cached("SELECT seq FROM id_tail WHERE prefix = ?1")?;
    let mut rows = tail.query([prefix.cast_signed()])?;
    while let Some(row) = rows.next()? {
        found.push(as_u64(row.get(0)?));
    }
    Ok(found)
}

/// The newest records by how their ids start.
pub fn recent(connection: &Connection) -> Result<HashMap<u64, Vec<Seq>>, JournalError> {
    let mut recent: HashMap<u64, Vec<Seq>> = HashMap::new();
    let mut tail = connection.prepare_cached("SELECT prefix, seq FROM id_tail")?;
    let mut rows = tail.query([])?;
    while let Some(row) = rows.next()? {
        recent.entry(row.get::<_, i64>(0)?.cast_unsigned()).or_default().push(as_u64(row.get(1)?));
    }
    Ok(recent)
}

/// As [`find`], without the newest.
pub fn find_older(connection: &Connection, prefix: u64) -> Result<Vec<Seq>, JournalError> {
    let mut found = Vec::new();
    for run in runs(connection)? {
        let no = run.no << BUCKET_SHIFT | as_i64(bucket_of(prefix, run.bits));
        let mut bucket = connection.prepare_cached("SELECT entries FROM id_bucket WHERE no = ?1")?;
        let mut rows = bucket.query([no])?;
        while let Some(row) = rows.next()? {
            let entries = read_entries(row.get_ref(0)?.as_blob().unwrap_or_default(), run.first_seq);
            found.extend(entries.filter(|entry| entry.0 == prefix).map(|entry| entry.1));
        }
    }
    Ok(found)
}

struct Run {
    no: i64,
    level: i64,
    first_seq: Seq,
    bits: u32,
}

fn runs(connection: &Connection) -> Result<Vec<Run>, JournalError> {
    let mut statement = connection.prepare_cached("SELECT no, level, first_seq, bits FROM id_run")?;
    let runs = statement.query_map([], |row| {
        Ok(Run { no: row.get(0)?, level: row.get(1)?, first_seq: as_u64(row.get(2)?), bits: row.get(3)? })
    })?;
    Ok(runs.collect::<Result<_, _>>()?)
}

const fn bucket_of(prefix: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { prefix >> (u64::BITS - bits) }
}

fn read_entries(bytes: &[u8], first_seq: Seq) -> impl Iterator<Item = (u64, Seq)> + '_ {
    bytes.chunks_exact(ENTRY_BYTES).map(move |entry| {
        let number = |part: &[u8]| part.iter().fold(0u64, |n, byte| n << 8 | u64::from(*byte));
        let (prefix, offset) = entry.split_at(8);
        (number(prefix), first_seq + number(offset))
    })
}

/// SQLite's integers are signed; places and counts are not, and never reach the difference.
pub fn as_i64(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

/// The other way round.
pub fn as_u64(seq: i64) -> u64 {
    u64::try_from(seq).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_found_through_all_levels() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("schema_v1.sql")).unwrap();
        let prefix =
            |seq: u64| blake3::hash(&seq.to_le_bytes()).as_bytes()[..8].iter().fold(0, |n, b| n << 8 | u64::from(*b));
        let count = 300_000;
        for seq in 1..=count {
            connection
                .execute("INSERT INTO id_tail(seq, prefix) VALUES(?1, ?2)", (as_i64(seq), prefix(seq).cast_signed()))
                .unwrap();
            if seq % 500 == 0 {
                tidy(&connection).unwrap();
            }
        }
        for seq in (1..=count).step_by(997) {
            assert_eq!(find(&connection, prefix(seq)).unwrap(), [seq]);
        }
        assert!(find(&connection, 12345).unwrap().is_empty());
        assert!(runs(&connection).unwrap().len() < 24);
    }
}
