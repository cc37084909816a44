//! `memoir forgotten`: what was forgotten, when, by whom and why; never what it said.

use super::{Context, timeline, times};
use crate::cli::JsonArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, count};
use anyhow::Result;
use memoir_event::format_ms;
use memoir_journal::{Depth, ForgettingEntry, Journal};
use serde_json::json;

/// So many ids of a forgetting are shown.
const IDS_SHOWN: usize = 5;
/// And so many are told as JSON.
const IDS_MAX: usize = 10_000;

pub fn run(context: &Context, args: &JsonArgs) -> Result<Done> {
    let Some(journal) = context.existing_journal(Life::Short)? else { return timeline::nothing(args.json) };
    let entries = journal.forgettings()?;
    let mut out = Out::new();
    let most = if args.json { IDS_MAX } else { IDS_SHOWN };
    for entry in &entries {
        let events = journal.forgotten_by(&entry.name)?.unwrap_or_default();
        let ids = journal.ids_of(events.get(..most).unwrap_or(&events))?;
        let left = events.len() - ids.len();
        if args.json {
            out.json(&json!({
                "name": entry.name, "at": format_ms(entry.at_ms), "asked": entry.asked, "reason": entry.reason,
                "by": entry.by, "events": entry.events, "purged": entry.depth == Depth::Purge, "undone": entry.undone,
                "finished": entry.finished, "ids": ids, "idsLeftOut": left,
            }))?;
        } else {
            out.line(&in_words(entry))?;
            let mut shown: Vec<String> = ids.iter().map(ToString::to_string).collect();
            shown.extend((left > 0).then(|| format!("and {left} more")));
            if !shown.is_empty() {
                out.line(&format!("    {}", shown.join(" ")))?;
            }
        }
    }
    out.flush()?;
    if entries.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

fn in_words(entry: &ForgettingEntry) -> String {
    let how = match (entry.depth, entry.undone, entry.finished) {
        (Depth::Purge, _, true) => "purged",
        (Depth::Purge, _, false) => "to be purged: `memoir purge` finishes it",
        (Depth::Forget, true, _) => "undone",
        (Depth::Forget, false, _) => "forgotten",
    };
    let by = entry.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
    let why = entry.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
    print::one_line(
        &format!(
            "{}  {}  {}  {} ({how}{by}){why}",
            times::local(entry.at_ms),
            entry.name,
            entry.asked,
            count(entry.events, "event")
        ),
        400,
    )
}
