//! The list of sessions, from the running totals of their origins.

use super::idrun::as_u64;
use super::read::Reader;
use crate::{Filter, JournalError, Selection, SessionEntry, View};
use memoir_event::Client;
use rusqlite::Connection;

/// A title is a reminder, not the text.
const TITLE_CHARS_MAX: usize = 120;

/// Sessions with an event in the filter's origins and time range, the latest first.
pub fn sessions(
    connection: &Connection,
    selection: &Selection,
    filter: &Filter,
    view: &View,
    limit: usize,
    skip: usize,
) -> Result<Vec<SessionEntry>, JournalError> {
    let sees_all = view.admits(memoir_event::Visibility::Sealed, memoir_event::Secrecy::Secret);
    let count = if sees_all { "events" } else { "open_events" };
    let only = selection.origins.as_ref().map_or_else(String::new, |origins| {
        let numbers: Vec<String> = origins.iter().map(u32::to_string).collect();
        format!("AND no IN ({})", numbers.join(","))
    });
    let sql = format!(
        "SELECT client, session, max(repo), sum({count}), min(first_ms), max(last_ms), min(first_prompt)
         FROM origin WHERE {count} > 0 {only}
         GROUP BY session, client HAVING max(last_ms) >= ?1 AND min(first_ms) <= ?2
         ORDER BY max(last_ms) DESC, session LIMIT ?3 OFFSET ?4"
    );
    let mut find = connection.prepare(&sql)?;
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let range = (filter.from_ms.unwrap_or(i64::MIN), filter.to_ms.unwrap_or(i64::MAX), number(limit), number(skip));
    let mut rows = find.query(range)?;
    let mut reader = Reader::new(connection);
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        let prompt: Option<i64> = row.get(6)?;
        let title = match prompt {
            Some(seq) => reader.events(&[as_u64(seq)], view)?.first().map(|event| title(&event.event.content.plain())),
            None => None,
        };
        sessions.push(SessionEntry {
            client: Client::from_code(row.get(0)?),
            session: row.get(1)?,
            repo: row.get(2)?,
            events: as_u64(row.get(3)?),
            first_ms: row.get(4)?,
            last_ms: row.get(5)?,
            title,
        });
    }
    Ok(sessions)
}

fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
