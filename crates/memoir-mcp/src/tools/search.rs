//! The tool `search`: events by their words, the best first.

use super::{Desk, Wanted};
use crate::answer::Answer;
use crate::error::ToolError;
use crate::library::VIEW;
use crate::lines;
use memoir_index::{HITS_MAX, Hits, Query, Window};
use memoir_journal::{Journal as _, Seq, StoredEvent};
use serde::Deserialize;
use std::fmt::Write as _;

const LIMIT: usize = 10;
const LIMIT_MAX: usize = 50;
/// About how long a snippet is.
const SNIPPET_CHARS: usize = 300;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    query: String,
    project: Option<String>,
    session: Option<String>,
    since: Option<String>,
    until: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

pub(super) fn run(desk: &Desk<'_>, asked: &Asked) -> Result<Answer, ToolError> {
    if asked.query.trim().is_empty() {
        return Err(ToolError::wrong("say in `query` which words to look for"));
    }
    let wanted = Wanted::at([&asked.project, &asked.session], [&asked.since, &asked.until]).of_kind(&asked.kind);
    let wrong = |text: &str| ToolError::wrong(format!("`{text}` is not a cursor: pass what an earlier answer showed"));
    let skip = match asked.cursor.as_deref() {
        Some(text) => text.trim().parse::<usize>().map_err(|_| wrong(text))?.min(HITS_MAX),
        None => 0,
    };
    let limit = asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX);
    let library = desk.library;
    let selection = library.journal.select(&desk.filter(&wanted)?, &VIEW)?;
    let mut go_on = |_, _| (desk.go_on)();
    let query = Query::parse(&asked.query);
    let found = library.index.search(&*library.journal, &query, &selection, Window { skip, limit }, &mut go_on)?;
    let seqs: Vec<Seq> = found.hits.iter().map(|hit| hit.seq).collect();
    let mut history = String::new();
    for stored in library.shown().events(&seqs, &VIEW)? {
        if let Some(entry) = entry(desk, &stored, &found) {
            history.push_str(&entry);
        }
    }
    let mut notes: Vec<String> = found.notes.iter().map(ToString::to_string).collect();
    if found.more && skip + limit < HITS_MAX {
        notes.push(format!("There is more: pass cursor {}.", skip + limit));
    }
    if history.is_empty() {
        notes.insert(0, "Nothing says that.".to_owned());
        return Ok(Answer::told(notes.join("\n")));
    }
    Ok(Answer::quoted("search", &history, &notes.join("\n")))
}

fn entry(desk: &Desk<'_>, stored: &StoredEvent, found: &Hits) -> Option<String> {
    let said = lines::said(desk.library, stored)?;
    let snippet = found.marker.snippet(&said, SNIPPET_CHARS);
    let (before, after) = (if snippet.cut_before { "… " } else { "" }, if snippet.cut_after { " …" } else { "" });
    let text = lines::one_line(&snippet.text).replace('"', "'");
    let mut entry = format!("- {}: {before}\"{text}\"{after}\n", lines::who(stored));
    let origin = lines::origin(desk.library, stored);
    let is_own = desk.caller.session.as_ref().is_some_and(|own| origin.starts_with(&format!("{own},")));
    let own = if is_own { " (this session)" } else { "" };
    let _ = writeln!(entry, "  {origin}{own}");
    Some(entry)
}
