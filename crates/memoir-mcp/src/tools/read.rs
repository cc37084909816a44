//! The tool `read`: one thing in full, page by page.

use super::session_read::{PAGE_CHARS, Walk, walk};
use super::{Desk, after};
use crate::answer::Answer;
use crate::error::ToolError;
use crate::library::VIEW;
use crate::{lines, when};
use memoir_event::{Archive, Kind, Memory, MemoryScope};
use memoir_index::{HITS_MAX, Query, Window};
use memoir_journal::{Filter, Journal as _, Lookup, Order, Seq, SessionEntry, StoredEvent};
use memoir_recall::{Listed, clean, fit_to_show};
use memoir_session::SessionName;
use serde::Deserialize;
use std::fmt::Write as _;

/// How the names of resources begin.
pub(crate) const SCHEME: &str = "memoir://";
/// On a session's page an event is cut to so many characters.
const EVENT_CHARS: usize = 1_500;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Asked {
    pub(crate) id: String,
    pub(crate) cursor: Option<String>,
}

pub(crate) fn run(desk: &Desk<'_>, asked: &Asked) -> Result<Answer, ToolError> {
    let name = plain_name(&asked.id);
    if name.is_empty() {
        return Err(ToolError::wrong("say in `id` what to read: an id that recall, search or timeline showed"));
    }
    let cursor = asked.cursor.as_deref();
    if let Some(lookup) = Lookup::parse(name)
        && let Some(stored) = desk.library.shown().event(&lookup, &VIEW)?
    {
        return one(desk, stored, cursor);
    }
    if let Some((session, archive)) = name.split_once('/').filter(|(_, archive)| archive.starts_with("archive_")) {
        return named_archive(desk, session, archive);
    }
    if let Some(session) = desk.library.session(name)? {
        return whole_session(desk, &session, cursor);
    }
    turn(desk, name, cursor)?.ok_or_else(|| {
        ToolError::unknown(format!(
            "nothing is known as `{name}`, or it may not be shown here: pass an id that recall, search or timeline showed"
        ))
    })
}

/// The id within the name of a resource, or the id as it is.
fn plain_name(id: &str) -> &str {
    let id = id.trim();
    let Some(rest) = id.strip_prefix(SCHEME) else { return id };
    let kinds = ["session/", "archive/", "memory/", "event/", "turn/"];
    kinds.iter().find_map(|kind| rest.strip_prefix(kind)).unwrap_or(rest).trim_end_matches('/')
}

/// One event, memory or archive.
fn one(desk: &Desk<'_>, stored: StoredEvent, cursor: Option<&str>) -> Result<Answer, ToolError> {
    if let Some(archive) = Archive::of_event(&stored.event) {
        return show_archive(desk, &archive);
    }
    if stored.event.kind() == Kind::Memory {
        return memory(desk, stored);
    }
    let from: usize = match cursor {
        Some(text) => text.trim().parse().map_err(|_| ToolError::wrong("the cursor of an event is a number"))?,
        None => 0,
    };
    let hidden = || ToolError::unknown("it says nothing that may be shown here");
    let whole =
        fit_to_show(&stored.event, &stored.event.content.plain(), &VIEW, &desk.library.redactor).ok_or_else(hidden)?;
    let total = whole.chars().count();
    let rest: String = whole.chars().skip(from).collect();
    let (part, left) = lines::cut(&rest, PAGE_CHARS);
    let mut text = format!("{} ({})\n", lines::who(&stored), lines::origin(desk.library, &stored));
    let project = project_of(desk, &stored.event.repo)?;
    for (what, value) in [("project", Some(&project)), ("turn", stored.event.turn.as_ref())] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            let value = fit_to_show(&stored.event, &lines::one_line(value), &VIEW, &desk.library.redactor);
            let _ = writeln!(text, "{what}: {}", value.unwrap_or_default());
        }
    }
    let _ = write!(text, "\n{part}");
    let more = if left > 0 {
        format!("{left} of {total} characters are left: pass cursor {}.", total - left)
    } else {
        String::new()
    };
    Ok(Answer::quoted("read", &text, &more))
}

/// What a project is called.
fn project_of(desk: &Desk<'_>, project: &str) -> Result<String, ToolError> {
    Ok(desk.project_names(&desk.library.shown())?.of(project)?)
}

fn memory(desk: &Desk<'_>, stored: StoredEvent) -> Result<Answer, ToolError> {
    let gone = || ToolError::unknown("that memory no longer holds");
    let is_current = Memory::of_event(&stored.event).is_some_and(|memory| memory.status.is_current());
    let said = lines::said(desk.library, &stored).filter(|_| is_current).ok_or_else(gone)?;
    let Some(listed) = Listed::read(&desk.library.shown(), stored)? else { return Err(gone()) };
    let (stored, memory) = (&listed.stored, &listed.memory);
    let fit = |text: &str| fit_to_show(&stored.event, text, &VIEW, &desk.library.redactor).unwrap_or_default();
    let scope = match &memory.scope {
        MemoryScope::User => "wherever the user works".to_owned(),
        MemoryScope::Project => format!("in {}", fit(&project_of(desk, &stored.event.repo)?)),
        MemoryScope::Session(session) => format!("in session {}", fit(session)),
    };
    let mut text = format!("{}: {said}\n\nname: {}\nholds: {scope}\n", memory.kind, fit(&memory.name));
    let _ = writeln!(
        text,
        "status: {}, confidence {:.2}, said {} times, since {}",
        memory.status,
        memory.confidence,
        memory.reinforced + 1,
        when::shown(stored.ts_ms, &desk.library.zone)
    );
    if let Some(maker) = &memory.made_by {
        let _ = writeln!(text, "made by: {}", fit(&lines::one_line(maker)));
    }
    for source in &memory.sources {
        let names = [&source.event, &source.session, &source.turn];
        let named: Vec<String> = names.into_iter().flatten().map(|name| fit(&lines::one_line(name))).collect();
        let _ = writeln!(text, "from: {}", named.join(", "));
    }
    for id in &memory.contradicts {
        let _ = writeln!(text, "contradicted by: {}", fit(id));
    }
    Ok(Answer::quoted("read", &text, ""))
}

fn whole_session(desk: &Desk<'_>, session: &SessionEntry, cursor: Option<&str>) -> Result<Answer, ToolError> {
    let filter = Filter { session: Some(session.shown()), ..Filter::default() };
    let walked = walk(
        desk,
        &Walk {
            filter,
            order: Order::OldestFirst,
            after: after(cursor)?,
            events_max: usize::MAX,
            event_chars: EVENT_CHARS,
        },
    )?;
    let mut text = String::new();
    if cursor.is_none() {
        let (first, last) =
            (when::shown(session.first_ms, &desk.library.zone), when::shown(session.last_ms, &desk.library.zone));
        let name = lines::one_line(&session.shown());
        let project = lines::one_line(&project_of(desk, &session.repo)?);
        let _ = writeln!(text, "session {name}, project {project}, {first} to {last}");
        let shown = desk.library.shown();
        for (id, archive) in desk.sessions(&shown).archives(&SessionName::new(session.client, &session.session))? {
            let _ = writeln!(text, "has {} ({id})", archive.name());
        }
    }
    text = clean(&text, &desk.library.redactor);
    text.push_str(&walked.text);
    let more = walked.next.map(|next| format!("It goes on: pass cursor {next}.")).unwrap_or_default();
    Ok(Answer::quoted("read", &text, &more))
}

fn named_archive(desk: &Desk<'_>, session: &str, name: &str) -> Result<Answer, ToolError> {
    let session = desk.library.known_session(session)?;
    let shown = desk.library.shown();
    let found = desk.sessions(&shown).archives(&SessionName::new(session.client, &session.session))?;
    match found.iter().find(|(_, archive)| archive.name() == name) {
        Some((_, archive)) => show_archive(desk, archive),
        None => {
            Err(ToolError::unknown(format!("{} has no {name}: read the session to see which it has", session.shown())))
        }
    }
}

/// What an archive tells: the events it names, as they may be shown now.
fn show_archive(desk: &Desk<'_>, archive: &Archive) -> Result<Answer, ToolError> {
    let library = desk.library;
    let shown = library.shown();
    let overview = desk.sessions(&shown).overview(archive, &VIEW)?;
    let head = clean(&lines::one_line(&lines::of_archive(archive)), &library.redactor);
    let text = format!("{head}\n\n{}", overview.digest(&library.zone, PAGE_CHARS, None));
    let name = clean(&lines::one_line(&archive.shown_session()), &library.redactor);
    let after = format!("`read` shows each by its id, and all of it with id {name}.");
    Ok(Answer::quoted("read", &text, &after))
}

/// The events of a turn.
fn turn(desk: &Desk<'_>, name: &str, cursor: Option<&str>) -> Result<Option<Answer>, ToolError> {
    if name.contains('"') {
        return Ok(None);
    }
    let journal = &desk.library.shown();
    let selection = journal.select(&Filter::default(), &VIEW)?;
    let query = Query::parse(&format!("turn:\"{name}\""));
    let mut go_on = |_, _| (desk.go_on)();
    let window = Window { skip: 0, limit: HITS_MAX };
    let hits = desk.library.index.search(journal, &query, &selection, window, &mut go_on)?;
    let seqs: Vec<Seq> = hits.hits.iter().map(|hit| hit.seq).collect();
    let mut events = journal.events(&seqs, &VIEW)?;
    events.retain(|stored| stored.event.turn.as_deref() == Some(name));
    events.sort_by_key(|stored| (stored.ts_ms, stored.seq));
    if events.is_empty() {
        return Ok(None);
    }
    let from = after(cursor)?.map_or((i64::MIN, 0), |token| (token.ts_ms, token.seq));
    let (mut text, mut chars, mut more) = (String::new(), 0, String::new());
    let mut last = from;
    for stored in events.iter().filter(|stored| (stored.ts_ms, stored.seq) > from) {
        let Some(entry) = lines::entry(desk.library, stored, EVENT_CHARS) else { continue };
        chars += entry.chars().count();
        if chars > PAGE_CHARS && !text.is_empty() {
            more = format!("It goes on: pass cursor {}.{}.", last.0, last.1);
            break;
        }
        text.push_str(&entry);
        last = (stored.ts_ms, stored.seq);
    }
    Ok(Some(Answer::quoted("read", &text, &more)))
}

#[cfg(test)]
mod tests {
    use super::plain_name;

    #[test]
    fn a_resource_is_named_like_the_thing_it_is() {
        assert_eq!(plain_name(" cx-0193 "), "cx-0193");
        assert_eq!(plain_name("memoir://session/cx-0193/"), "cx-0193");
        assert_eq!(plain_name("memoir://archive/cx-0193/archive_001"), "cx-0193/archive_001");
        assert_eq!(plain_name("memoir://memory/0123456789abcdef01234567"), "0123456789abcdef01234567");
        assert_eq!(plain_name("memoir://"), "");
    }
}
