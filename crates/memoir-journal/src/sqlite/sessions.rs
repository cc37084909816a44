//! The lists of sessions and projects, from the running totals of their origins.

use super::directive;
use super::idrun::{as_i64, as_u64};
use super::intern::client_code;
use super::read::Reader;
use crate::{Filter, JournalError, Placed, ProjectEntry, Selection, Seq, SessionEntry, Touched, View};
use memoir_event::{Client, Kind, Source};
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};

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
    // What memoir itself says about events is no conversation.
    let own = Source::Memoir.code();
    let sql = format!(
        "SELECT client, session, max(repo), sum({count}), min(first_ms), max(last_ms), min(first_prompt)
         FROM origin WHERE {count} > 0 AND source <> {own} {only}
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
        let first = match prompt {
            Some(seq) => reader.events(&[as_u64(seq)], view)?.pop(),
            None => None,
        };
        let said = first.as_ref().map(|first| first.event.content.plain());
        let title = said.as_deref().map(title);
        let is_whole = said.as_deref().map(str::trim) == title.as_deref();
        let (client, session): (_, String) = (Client::from_code(row.get(0)?), row.get(1)?);
        let repo: String = row.get(2)?;
        sessions.push(SessionEntry {
            repo: directive::project_of(connection, client, &session, &repo)?,
            client,
            session,
            events: as_u64(row.get(3)?),
            first_ms: row.get(4)?,
            last_ms: row.get(5)?,
            title,
            title_is: first.filter(|_| is_whole).map(|first| first.id),
        });
    }
    Ok(sessions)
}

/// The conversations that got an event after that place.
pub fn touched(connection: &Connection, after: Seq) -> Result<Vec<Touched>, JournalError> {
    let mut find = connection.prepare_cached(&format!(
        "SELECT client, session, max(repo), max(new.last), sum(new.number), max(new.ms)
         FROM (SELECT origin, max(seq) AS last, count(*) AS number, max(ts_ms) AS ms FROM record
               WHERE seq > ?1 AND event IS NULL GROUP BY origin) AS new
         JOIN origin ON origin.no = new.origin
         WHERE source <> {} GROUP BY client, session ORDER BY max(new.last)",
        Source::Memoir.code()
    ))?;
    let rows = find.query_map([as_i64(after)], |row| {
        Ok(Touched {
            client: Client::from_code(row.get(0)?),
            session: row.get(1)?,
            repo: row.get(2)?,
            last_seq: as_u64(row.get(3)?),
            events: as_u64(row.get(4)?),
            last_ms: row.get(5)?,
        })
    })?;
    let mut touched: Vec<Touched> = rows.collect::<Result<_, _>>()?;
    for one in &mut touched {
        one.repo = directive::project_of(connection, one.client, &one.session, &one.repo)?;
    }
    Ok(touched)
}

/// What a conversation has between two places, in the order in which it happened.
pub fn placed(
    connection: &Connection,
    (client, session): (Option<Client>, &str),
    (after, last): (Seq, Seq),
    most: usize,
) -> Result<Vec<Placed>, JournalError> {
    let mut find = connection.prepare_cached(&format!(
        "SELECT seq, ts_ms, kind, thread
         FROM origin JOIN record INDEXED BY by_origin ON record.origin = origin.no JOIN shape ON shape.no = record.shape
         WHERE session = ?1 AND client = ?2 AND source <> {} AND event IS NULL AND seq > ?3 AND seq <= ?4
         LIMIT ?5",
        Source::Memoir.code()
    ))?;
    let most = i64::try_from(most).unwrap_or(-1);
    let rows = find.query_map((session, client_code(client), as_i64(after), as_i64(last), most), |row| {
        let thread: Option<String> = row.get(3)?;
        Ok(Placed {
            seq: as_u64(row.get(0)?),
            ts_ms: row.get(1)?,
            kind: Kind::from_code(row.get(2)?).unwrap_or(Kind::Other),
            thread: thread.filter(|thread| thread != session),
        })
    })?;
    let mut placed: Vec<Placed> = rows.collect::<Result<_, _>>()?;
    placed.sort_unstable_by_key(|one| (one.ts_ms, one.seq));
    Ok(placed)
}

/// Every project, the latest first: what was recorded under several ids is one project if aliases say so.
pub fn projects(connection: &Connection) -> Result<Vec<ProjectEntry>, JournalError> {
    // Memories are of a project, and their session is no conversation.
    let mut find = connection.prepare_cached(&format!(
        "SELECT repo, client, session, sum(events), min(first_ms), max(last_ms), max(source <> {}) FROM origin
         WHERE events > 0 AND repo <> '' GROUP BY repo, client, session",
        Source::Memoir.code()
    ))?;
    let mut rows = find.query([])?;
    let mut projects: HashMap<String, (ProjectEntry, HashSet<(u8, String)>)> = HashMap::new();
    while let Some(row) = rows.next()? {
        let (recorded, client, session): (String, u8, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let repo = directive::project_of(connection, Client::from_code(client), &session, &recorded)?;
        let (first_ms, last_ms): (i64, i64) = (row.get(4)?, row.get(5)?);
        let (project, sessions) = projects.entry(repo.clone()).or_insert_with(|| {
            let empty = ProjectEntry { repo, aliases: Vec::new(), sessions: 0, events: 0, first_ms, last_ms };
            (empty, HashSet::new())
        });
        project.events += as_u64(row.get(3)?);
        project.first_ms = project.first_ms.min(first_ms);
        project.last_ms = project.last_ms.max(last_ms);
        if recorded != project.repo && !project.aliases.contains(&recorded) {
            project.aliases.push(recorded);
        }
        if row.get(6)? {
            sessions.insert((client, session));
        }
    }
    let mut projects: Vec<ProjectEntry> = projects
        .into_values()
        .map(|(project, sessions)| ProjectEntry { sessions: u64::try_from(sessions.len()).unwrap_or(0), ..project })
        .collect();
    projects.sort_by(|a, b| b.last_ms.cmp(&a.last_ms).then_with(|| a.repo.cmp(&b.repo)));
    Ok(projects)
}

fn title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
