//! Where the reader is: sessions of the same project, and sessions that changed the same files.

use crate::field::Voices;
use crate::sessions::SessionMap;
use memoir_event::Kind;
use memoir_index::{Index, IndexError, Query, Window};
use memoir_journal::{Filter, Journal, Selection, View};
use std::collections::{HashMap, HashSet};

/// So many files are looked for.
const FILES_MAX: usize = 16;
/// Of each, so many changes.
const CHANGES_MAX: usize = 400;

/// How much each session is where the reader is.
#[derive(Debug, Default)]
pub(crate) struct Place {
    project: HashSet<u32>,
    files: HashMap<u32, f32>,
}

impl Place {
    /// How much a session is there: its project, and the share of the files that it changed.
    pub fn of(&self, session: u32) -> f32 {
        let project = if self.project.contains(&session) { 0.5 } else { 0.0 };
        project + self.files.get(&session).copied().unwrap_or(0.0)
    }

    /// The sessions of a project and those that changed files.
    pub fn find(
        journal: &dyn Journal,
        index: &Index,
        (sessions, voices): (&SessionMap, &Voices),
        (project, files): (Option<&str>, &[String]),
        selection: &Selection,
    ) -> Result<Place, IndexError> {
        let mut place = Place::default();
        if let Some(project) = project {
            let filter = Filter { repo: Some(project.to_owned()), ..Filter::default() };
            let origins = journal.select(&filter, &View::owner_all())?.origins.unwrap_or_default();
            place.project = origins.into_iter().filter_map(|origin| sessions.of(origin)).collect();
        }
        if files.is_empty() {
            return Ok(place);
        }
        let changes =
            Selection { shapes: Some(voices.shapes_of(|kind| kind == Kind::FileChange)), ..selection.clone() };
        let share = 1.0 / files.len().min(FILES_MAX) as f32;
        for file in files.iter().take(FILES_MAX) {
            let query = Query::parse(&format!("\"{}\"", file.trim_start_matches("./").replace('"', " ")));
            let window = Window { skip: 0, limit: CHANGES_MAX };
            let hits = index.search(journal, &query, &changes, window, &mut |_, _| false)?;
            let seqs: Vec<_> = hits.hits.iter().map(|hit| hit.seq).collect();
            let events = journal.events(&seqs, &View::owner_all())?;
            let touched: HashSet<u32> = events.iter().filter_map(|event| sessions.of(event.origin)).collect();
            // A file that everything changes tells little of where one is.
            let tells = 1.0 / (1.0 + (touched.len() as f32).ln().max(0.0));
            for session in touched {
                *place.files.entry(session).or_default() += share * (0.5 + tells);
            }
        }
        Ok(place)
    }
}
