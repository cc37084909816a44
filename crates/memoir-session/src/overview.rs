//! An archive as a reader may see it now: each point read anew from its events, cut to a passage, and cleaned.

use crate::points::{bare, cut, decision_in, loose_end_in};
use crate::told::{Ended, Ran, Told};
use crate::{SessionError, Sessions};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memoir_event::{Archive, EventId, Point, Section};
use memoir_journal::{Lookup, StoredEvent, View};
use memoir_recall::{clean, session_name};
use std::collections::HashSet;
use std::fmt::Write as _;

/// A line quotes at most so many characters.
const LINE_CHARS: usize = 280;
/// Of the outcome it may be more.
const OUTCOME_CHARS: usize = 900;
/// A line names at most so many files.
const PATHS_MAX: usize = 6;

/// An overview for one reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// Its lines, section by section.
    pub lines: Vec<OverviewLine>,
    /// The model that told some of it, in its own words.
    pub told_by: Option<String>,
    /// How many points the reader may not see, or that are gone.
    pub left_out: usize,
    /// The events that it was read from.
    pub made_of: Vec<EventId>,
}

/// One line of an overview.
#[derive(Debug, Clone, PartialEq)]
pub struct OverviewLine {
    /// What it tells.
    pub section: Section,
    /// The text, cleaned, on one line.
    pub text: String,
    /// Whether the event says more.
    pub cut: bool,
    /// The event that it quotes.
    pub event: EventId,
    /// When that happened, in milliseconds since 1970.
    pub ts_ms: i64,
    /// How often, if more than once.
    pub times: u32,
}

impl Sessions<'_> {
    /// The overview of an archive as the reader may see it now; in a model's words where one told it.
    pub fn overview(&self, archive: &Archive, view: &View) -> Result<Overview, SessionError> {
        let mut overview = self.quoted(archive, view)?;
        if let Some(telling) = self.told_of(archive, view)? {
            overview.retell(&telling, self.redactor);
        }
        Ok(overview)
    }

    /// The overview of an archive in the session's own words.
    pub fn quoted(&self, archive: &Archive, view: &View) -> Result<Overview, SessionError> {
        let mut overview = Overview { lines: Vec::new(), told_by: None, left_out: 0, made_of: Vec::new() };
        let mut named = HashSet::new();
        for point in &archive.points {
            let mut events = Vec::new();
            for id in &point.events {
                events.extend(self.journal.event(&Lookup::Id(*id), view)?);
            }
            // What is quoted is the first event: without it there is nothing to say.
            let quoted = events.first().filter(|first| point.events.first() == Some(&first.id));
            let line = quoted.map(|first| self.line(point, first, events.get(1), &mut named));
            match line {
                Some(Some(line)) => {
                    overview.lines.push(line);
                    overview.made_of.extend(events.iter().map(|event| event.id));
                }
                Some(None) => {}
                None => overview.left_out += 1,
            }
        }
        Ok(overview)
    }

    /// The line of a point; none if another line says it already.
    fn line(
        &self,
        point: &Point,
        stored: &StoredEvent,
        by: Option<&StoredEvent>,
        named: &mut HashSet<String>,
    ) -> Option<OverviewLine> {
        let told = Told::of(&stored.event)?;
        let chars_max = if point.section == Section::Outcome { OUTCOME_CHARS } else { LINE_CHARS };
        let text = match (point.section, &told) {
            (Section::Changed, Told::Changed(paths)) => paths_of(paths, named)?,
            (Section::Decided, Told::Asked(text) | Told::Said(text)) => decision_in(text).unwrap_or(text).to_owned(),
            (Section::Open, Told::Said(text)) => loose_end_in(text).unwrap_or(text).to_owned(),
            (Section::Open, Told::Ran(ran)) => format!("{} still fails", quoted(ran)),
            (Section::Ran, Told::Ran(ran)) => format!("{} {}", quoted(ran), ended(ran)),
            (Section::Failed, _) => failure(&told, by.and_then(|by| Told::of(&by.event)).as_ref()),
            (_, told) => plain(told),
        };
        // A secret or a mark is looked for before the text is cut: half of one is not known any more.
        let (text, cut) = cut(&clean(&text, self.redactor), chars_max);
        let (event, ts_ms, times) = (stored.id, stored.ts_ms, point.times);
        (!text.is_empty()).then_some(OverviewLine { section: point.section, text, cut, event, ts_ms, times })
    }
}

fn plain(told: &Told) -> String {
    match told {
        Told::Asked(text) | Told::Said(text) | Told::Failed(text) => text.clone(),
        Told::Ran(ran) => quoted(ran),
        Told::Changed(paths) => paths.join(", "),
    }
}

fn quoted(ran: &Ran) -> String {
    let (command, is_cut) = cut(&bare(&ran.command), LINE_CHARS / 2);
    format!("`{command}{}`", if is_cut { " …" } else { "" })
}

fn ended(ran: &Ran) -> String {
    match ran.ended {
        Ended::Well => "passed".to_owned(),
        Ended::Badly(Some(code)) => format!("failed (exit code {code})"),
        Ended::Badly(None) => "failed".to_owned(),
        Ended::Unknown => "was run".to_owned(),
    }
}

fn failure(told: &Told, by: Option<&Told>) -> String {
    let what = match told {
        Told::Ran(ran) => format!("{} {}", quoted(ran), ended(ran)),
        other => plain(other),
    };
    match by {
        Some(Told::Changed(paths)) => {
            let paths: Vec<&str> = paths.iter().take(PATHS_MAX).map(String::as_str).collect();
            format!("{what}; passed after a change of {}", paths.join(", "))
        }
        Some(Told::Ran(_)) => format!("{what}; passed later"),
        _ => what,
    }
}

/// The paths that no line before has named.
fn paths_of(paths: &[String], named: &mut HashSet<String>) -> Option<String> {
    let fresh: Vec<&str> = paths.iter().filter(|path| named.insert((*path).clone())).map(String::as_str).collect();
    let more = match fresh.len().saturating_sub(PATHS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = fresh.iter().take(PATHS_MAX).copied().collect::<Vec<_>>().join(", ");
    (!fresh.is_empty()).then(|| format!("{shown}{more}"))
}

/// How a section is headed.
const fn heading(section: Section) -> &'static str {
    match section {
        Section::Asked => "Asked",
        Section::Decided => "Decided",
        Section::Changed => "Changed",
        Section::Ran => "Ran",
        Section::Failed => "Failed",
        Section::Outcome => "Outcome",
        Section::Open => "Open",
    }
}

impl Overview {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The overview as text of at most so many characters: a heading for each section, a line for each point with time and
    /// id. Where not all of it fits, each section keeps its first lines.
    ///
    /// Where it stands beside what is from elsewhere each line names the session, too.
    pub fn digest(&self, zone: &TimeZone, chars_max: usize, session: Option<&str>) -> String {
        let shown: Vec<String> = self.lines.iter().map(|line| line.shown(zone, session)).collect();
        let mut fitting: Vec<usize> = Vec::new();
        let mut left = chars_max;
        let mut headed: HashSet<Section> = HashSet::new();
        for at in self.by_rank() {
            let Some((line, text)) = self.lines.get(at).zip(shown.get(at)) else { continue };
            let head = if headed.contains(&line.section) { 0 } else { heading(line.section).len() + 5 };
            let cost = text.chars().count() + 1 + head;
            if cost <= left {
                left -= cost;
                headed.insert(line.section);
                fitting.push(at);
            }
        }
        fitting.sort_unstable();
        let mut out = String::new();
        let mut section = None;
        for (line, text) in fitting.iter().filter_map(|at| self.lines.get(*at).zip(shown.get(*at))) {
            if section.replace(line.section) != Some(line.section) {
                let gap = if out.is_empty() { "" } else { "\n" };
                let _ = writeln!(out, "{gap}## {}", heading(line.section));
            }
            let _ = writeln!(out, "{text}");
        }
        out
    }

    /// The lines in the order in which they are worth their room: the first of each section, then the second ones.
    fn by_rank(&self) -> Vec<usize> {
        let mut ranked: Vec<(usize, u8, usize)> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let before = self.lines.iter().take(at).filter(|other| other.section == line.section).count();
            let urgency = match line.section {
                Section::Open => 0,
                Section::Asked => 1,
                Section::Outcome => 2,
                Section::Decided => 3,
                Section::Failed => 4,
                Section::Changed => 5,
                Section::Ran => 6,
            };
            ranked.push((before, urgency, at));
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(.., at)| at).collect()
    }
}

impl OverviewLine {
    /// The line as people read it: what, how often, when, and the id.
    ///
    /// Among lines of other sessions it names its own.
    pub fn shown(&self, zone: &TimeZone, session: Option<&str>) -> String {
        let time = Timestamp::from_millisecond(self.ts_ms)
            .map(|time| time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string())
            .unwrap_or_default();
        let more = if self.cut { " …" } else { "" };
        let times = if self.times > 1 { format!(", {} times", self.times) } else { String::new() };
        let session = session.map(|session| format!("{}, ", session_name(session))).unwrap_or_default();
        format!("- {}{more} ({session}{time}{times}, {})", self.text, self.event)
    }
}
