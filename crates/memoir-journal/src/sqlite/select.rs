//! Filters: turned into numbers, then answered from the index that fits.

use super::hidden::Hidden;
use super::idrun::{as_i64, as_u64};
use super::read::Reader;
use crate::alias::SESSION_MARK;
use crate::{EventPage, Filter, JournalError, Order, Page, PageToken, Selection, Seq, View};
use memoir_event::{Client, Kind};
use rusqlite::types::ToSql;
use rusqlite::{Connection, params_from_iter};

/// Up to so many origins or shapes are each looked up in their index; more are sifted from the index by time.
const SEEKS_MAX: usize = 4096;

/// The filter and view in numbers.
pub fn select(
    connection: &Connection,
    filter: &Filter,
    view: &View,
    hidden: &Hidden,
) -> Result<Selection, JournalError> {
    Ok(Selection {
        origins: origins(connection, filter)?,
        shapes: shapes(connection, filter)?,
        from_ms: filter.from_ms,
        to_ms: filter.to_ms,
        access_mask: view.access_mask(),
        hidden: hidden.of(connection, view)?,
    })
}

pub fn origins(connection: &Connection, filter: &Filter) -> Result<Option<Vec<u32>>, JournalError> {
    let mut conditions: Vec<String> = Vec::new();
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    if let Some(session) = &filter.session {
        let (client, id) = Client::split_session(session);
        let code = client.map_or(0, Client::code);
        conditions.push("(session = ? OR (session = ? AND client = ?))".to_owned());
        values.extend([boxed(session), boxed(&id), Box::new(code) as Box<dyn ToSql>]);
    }
    if let Some(thread) = &filter.thread {
        // Most threads are their session; only the others are in the index of threads.
        conditions.push("((session = ? AND thread = session) OR (thread = ? AND thread <> session))".to_owned());
        values.extend([boxed(thread), boxed(thread)]);
    }
    if let Some(repo) = &filter.repo {
        let (condition, names) = in_project(connection, repo)?;
        conditions.push(condition);
        values.extend(names.into_iter().map(|name| Box::new(name) as Box<dyn ToSql>));
    }
    if let Some(actor) = &filter.actor {
        conditions.push("actor = ?".to_owned());
        values.push(boxed(actor));
    }
    if let Some(source) = filter.source {
        conditions.push("source = ?".to_owned());
        values.push(Box::new(source.code()));
    }
    if conditions.is_empty() {
        return Ok(None);
    }
    let sql = format!("SELECT no FROM origin WHERE {} ORDER BY no", conditions.join(" AND "));
    let mut find = connection.prepare_cached(&sql)?;
    let numbers = find.query_map(params_from_iter(values), |row| row.get(0))?;
    Ok(Some(numbers.collect::<Result<_, _>>()?))
}

fn boxed(text: &(impl AsRef<str> + ?Sized)) -> Box<dyn ToSql> {
    Box::new(text.as_ref().to_owned())
}

/// What makes an origin one of the project: its own id, or an alias of its session.
fn in_project(connection: &Connection, repo: &str) -> Result<(String, Vec<String>), JournalError> {
    let mut names = aliases_of(connection, repo)?;
    let count = names.len();
    let listed = |count: usize| vec!["?"; count].join(",");
    let moved: Vec<(String, String)> = {
        let mut find = connection.prepare_cached("SELECT repo, to_repo FROM alias WHERE repo > ?1 AND repo < ?2")?;
        // The character after the newline that ends the mark.
        let end = format!("{}\u{b}", SESSION_MARK.trim_end());
        let rows = find.query_map((SESSION_MARK, end), |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<Result<_, _>>()?
    };
    if moved.is_empty() {
        return Ok((format!("repo IN ({})", listed(count)), names));
    }
    let key = format!("'{SESSION_MARK}' || {} || char(10) || session", client_name());
    let (here, away): (Vec<_>, Vec<_>) = moved.into_iter().partition(|(_, to)| names.contains(to));
    let condition = format!(
        "((repo IN ({}) AND {key} NOT IN ({})) OR {key} IN ({}))",
        listed(count),
        listed(away.len()),
        listed(here.len())
    );
    names.extend(away.into_iter().chain(here).map(|(key, _)| key));
    Ok((condition, names))
}

/// SQL for the name of an origin's client.
fn client_name() -> String {
    let names = Client::ALL.iter().map(|client| format!("WHEN {} THEN '{client}'", client.code()));
    format!("CASE client {} ELSE '' END", names.collect::<Vec<_>>().join(" "))
}

/// Every id under which the project was ever known.
fn aliases_of(connection: &Connection, repo: &str) -> Result<Vec<String>, JournalError> {
    let mut find = connection.prepare_cached(
        "WITH RECURSIVE known(name) AS (VALUES(?1) UNION SELECT alias.repo FROM alias JOIN known ON alias.to_repo = known.name)
         SELECT name FROM known",
    )?;
    let names = find.query_map([repo], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

fn shapes(connection: &Connection, filter: &Filter) -> Result<Option<Vec<u32>>, JournalError> {
    if filter.event_type.is_none() && filter.item_type.is_none() {
        return Ok(None);
    }
    let mut passing = Vec::new();
    each_shape(connection, |no, kind, event_type, item_type| {
        if filter.passes_shape(kind, event_type, item_type) {
            passing.push(no);
        }
    })?;
    Ok(Some(passing))
}

/// The events of a kind above a place, in the order of storage.
pub fn of_kind(connection: &Connection, kind: Kind, after: Seq) -> Result<Vec<Seq>, JournalError> {
    let mut find = connection.prepare_cached(
        "SELECT seq FROM record INDEXED BY by_shape
         WHERE shape IN (SELECT no FROM shape WHERE kind = ?1) AND event IS NULL AND seq > ?2 ORDER BY seq",
    )?;
    let seqs = find.query_map((kind.code(), as_i64(after)), |row| row.get(0).map(as_u64))?;
    Ok(seqs.collect::<Result<_, _>>()?)
}

/// The kind of every shape there is.
pub fn kinds(connection: &Connection) -> Result<Vec<(u32, Kind)>, JournalError> {
    let mut kinds = Vec::new();
    each_shape(connection, |no, kind, _, _| kinds.push((no, kind)))?;
    Ok(kinds)
}

fn each_shape(
    connection: &Connection,
    mut found: impl FnMut(u32, Kind, &str, Option<&str>),
) -> Result<(), JournalError> {
    let mut all = connection.prepare_cached("SELECT no, kind, event_type, item_type FROM shape ORDER BY no")?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let kind = Kind::from_code(row.get(1)?).unwrap_or(Kind::Other);
        let (event_type, item_type): (String, Option<String>) = (row.get(2)?, row.get(3)?);
        found(row.get(0)?, kind, &event_type, item_type.as_deref());
    }
    Ok(())
}

/// One page of what the selection admits.
pub fn page(
    connection: &Connection,
    selection: &Selection,
    view: &View,
    page: &Page,
) -> Result<EventPage, JournalError> {
    if selection.is_empty() || page.limit == 0 {
        return Ok(EventPage { events: Vec::new(), next: None });
    }
    // One more than asked for tells whether there is another page.
    let wanted = page.limit.saturating_add(1);
    let mut places = match (&selection.origins, &selection.shapes) {
        (Some(origins), _) if origins.len() <= SEEKS_MAX => {
            each(connection, "origin", origins, selection, page, wanted)?
        }
        (None, Some(shapes)) => each(connection, "shape", shapes, selection, page, wanted)?,
        _ => walk(connection, None, selection, page, wanted)?,
    };
    match page.order {
        Order::NewestFirst => places.sort_unstable_by(|a, b| b.cmp(a)),
        Order::OldestFirst => places.sort_unstable(),
    }
    let more = places.len() > page.limit;
    places.truncate(page.limit);
    let next = more.then(|| places.last().map(|(ts_ms, seq)| PageToken { ts_ms: *ts_ms, seq: *seq })).flatten();
    let seqs: Vec<Seq> = places.iter().map(|(_, seq)| *seq).collect();
    Ok(EventPage { events: Reader::new(connection).events(&seqs, view)?, next })
}

/// The best places of each origin or shape together; the caller sorts and cuts them.
fn each(
    connection: &Connection,
    column: &'static str,
    numbers: &[u32],
    selection: &Selection,
    page: &Page,
    wanted: usize,
) -> Result<Vec<(i64, Seq)>, JournalError> {
    let mut places = Vec::new();
    for no in numbers {
        places.extend(walk(connection, Some((column, *no)), selection, page, wanted)?);
        if places.len() > wanted.saturating_mul(8) {
            keep_best(&mut places, page.order, wanted);
        }
    }
    keep_best(&mut places, page.order, wanted);
    Ok(places)
}

fn keep_best(places: &mut Vec<(i64, Seq)>, order: Order, wanted: usize) {
    match order {
        Order::NewestFirst => places.sort_unstable_by(|a, b| b.cmp(a)),
        Order::OldestFirst => places.sort_unstable(),
    }
    places.truncate(wanted);
}

/// Walks one index in the page's order and takes what the selection admits.
fn walk(
    connection: &Connection,
    fixed: Option<(&'static str, u32)>,
    selection: &Selection,
    page: &Page,
    wanted: usize,
) -> Result<Vec<(i64, Seq)>, JournalError> {
    let (mut from, mut to) = (selection.from_ms.unwrap_or(i64::MIN), selection.to_ms.unwrap_or(i64::MAX));
    let mut places = Vec::new();
    if let Some(after) = page.after {
        // The rest of a moment is a range of its own, of the places in it: there may be any number of events in one, and
        // none of those before shall be looked at again.
        if (from..=to).contains(&after.ts_ms) {
            let rest = Stretch::Moment(after);
            take(connection, fixed, selection, page.order, rest, wanted, &mut places)?;
        }
        match page.order {
            Order::NewestFirst => to = to.min(after.ts_ms.saturating_sub(1)),
            Order::OldestFirst => from = from.max(after.ts_ms.saturating_add(1)),
        }
    }
    take(connection, fixed, selection, page.order, Stretch::Times(from, to), wanted, &mut places)?;
    Ok(places)
}

/// A part of an index by time.
#[derive(Clone, Copy)]
enum Stretch {
    /// From the first time to the second.
    Times(i64, i64),
    /// What is behind that place at the same moment.
    Moment(PageToken),
}

/// Takes what the selection admits of a stretch, until there are as many as wanted.
fn take(
    connection: &Connection,
    fixed: Option<(&'static str, u32)>,
    selection: &Selection,
    order: Order,
    stretch: Stretch,
    wanted: usize,
    places: &mut Vec<(i64, Seq)>,
) -> Result<(), JournalError> {
    let (first, second) = match stretch {
        Stretch::Times(from, to) => (from, to),
        Stretch::Moment(after) => (after.ts_ms, as_i64(after.seq)),
    };
    let mut statement = connection.prepare_cached(&sql(fixed.map(|(column, _)| column), order, stretch))?;
    let values = [first, second].into_iter().chain(fixed.map(|(_, no)| i64::from(no)));
    let mut rows = statement.query(params_from_iter(values))?;
    while places.len() < wanted
        && let Some(row) = rows.next()?
    {
        let (ts_ms, seq): (i64, i64) = (row.get(0)?, row.get(1)?);
        let flags: u32 = row.get(4)?;
        let access = u8::try_from(flags & 15).unwrap_or(15);
        if selection.admits(as_u64(seq), row.get(2)?, row.get(3)?, ts_ms, access) {
            places.push((ts_ms, as_u64(seq)));
        }
    }
    Ok(())
}

fn sql(column: Option<&'static str>, order: Order, stretch: Stretch) -> String {
    let (direction, compare) = match order {
        Order::NewestFirst => ("DESC", "<"),
        Order::OldestFirst => ("ASC", ">"),
    };
    let condition = match stretch {
        Stretch::Times(..) => "ts_ms BETWEEN ?1 AND ?2".to_owned(),
        Stretch::Moment(_) => format!("ts_ms = ?1 AND seq {compare} ?2"),
    };
    let index = column.unwrap_or("time");
    let only = column.map_or_else(String::new, |column| format!("{column} = ?3 AND"));
    format!(
        "SELECT ts_ms, seq, origin, shape, flags FROM record INDEXED BY by_{index}
         WHERE event IS NULL AND {only} {condition}
         ORDER BY ts_ms {direction}, seq {direction}"
    )
}

#[cfg(test)]
mod tests {
    use super::super::schema::{Access, open};
    use super::*;

    #[test]
    fn a_page_is_a_range_of_an_index_and_nothing_is_sorted_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let connection = open(&dir.path().join("journal.db"), Access::Write, std::time::Duration::ZERO).unwrap();
        for column in [None, Some("origin"), Some("shape")] {
            for order in [Order::NewestFirst, Order::OldestFirst] {
                for stretch in [Stretch::Times(0, 1), Stretch::Moment(PageToken { ts_ms: 0, seq: 1 })] {
                    let explain = format!("EXPLAIN QUERY PLAN {}", sql(column, order, stretch));
                    let mut statement = connection.prepare(&explain).unwrap();
                    let lines = statement.query_map(
                        [1; 3].get(..2 + usize::from(column.is_some())).map(params_from_iter).unwrap(),
                        |row| row.get(3),
                    );
                    let lines: Vec<String> = lines.unwrap().collect::<Result<_, _>>().unwrap();
                    assert_eq!(lines.len(), 1, "{lines:?}");
                    let by_place = lines[0].contains("seq") || lines[0].contains("rowid");
                    assert_eq!(by_place, matches!(stretch, Stretch::Moment(_)), "{lines:?}");
                }
            }
        }
    }
}
