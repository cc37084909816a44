//! `memoir search`.

use super::{Context, filter, timeline, times};
use crate::cli::SearchArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Progress, Style};
use crate::stop;
use anyhow::Result;
use memoir_event::Client;
use memoir_index::{HITS_MAX, Hits, Query, Snippet, Window};
use memoir_journal::{Filter, Journal, Order, Page, PageToken, SqliteJournal, StoredEvent, View};
use memoir_recall::{Form, Gate};
use serde_json::json;

const SNIPPET_CHARS: usize = 160;

pub fn run(context: &Context, args: &SearchArgs) -> Result<Done> {
    let filter = filter::filter(&args.filter)?;
    let view = filter::view(&args.view);
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return timeline::nothing(args.json);
    };
    let filter = filter::in_journal(filter, &journal)?;
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err(Usage("the query is empty: pass a word or two, or use `memoir timeline`".into()).into());
    }
    let window = Window { skip: 0, limit: args.limit };
    let found = find(context, &journal, &query, &filter, &view, window)?;
    let seqs: Vec<_> = found.hits.iter().map(|hit| hit.seq).collect();
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let gate = Gate::new(&redactor, Form::Shown);
    let events: Vec<_> = journal.events(&seqs, &view)?.into_iter().filter_map(|event| gate.event(event)).collect();
    for event in &events {
        let score = found.hits.iter().find(|hit| hit.seq == event.seq).map_or(0.0, |hit| hit.score);
        let snippet = found.marker.snippet(&gate.text(&event.event.content.plain()), SNIPPET_CHARS);
        if args.json {
            print_json(&mut out, event, score, &snippet)?;
        } else {
            print_hit(&mut out, event, &snippet)?;
        }
    }
    out.flush()?;
    if found.more {
        print::warn("there is more: raise --limit, or narrow the words or the time");
    }
    if events.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

fn find(
    context: &Context,
    journal: &SqliteJournal,
    query: &str,
    filter: &Filter,
    view: &View,
    window: Window,
) -> Result<Hits> {
    let selection = journal.select(filter, view)?;
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("indexing");
    let found = context.index().search(journal, &Query::parse(query), &selection, window, &mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    })?;
    drop(progress);
    for note in &found.notes {
        print::warn(&note.to_string());
    }
    Ok(found)
}

/// The events with those words, by time: for `memoir timeline --text`.
pub fn by_time(
    context: &Context,
    journal: &SqliteJournal,
    query: &str,
    filter: &Filter,
    view: &View,
    page: &Page,
) -> Result<(Vec<StoredEvent>, Option<PageToken>)> {
    let found = find(context, journal, query, filter, view, Window { skip: 0, limit: HITS_MAX })?;
    if found.more {
        print::warn(&format!("only the {HITS_MAX} best matches are listed: narrow the words or the time"));
    }
    let seqs: Vec<_> = found.hits.iter().map(|hit| hit.seq).collect();
    let mut events = journal.events(&seqs, view)?;
    let place = |event: &StoredEvent| (event.ts_ms, event.seq);
    events.sort_unstable_by_key(place);
    if page.order == Order::NewestFirst {
        events.reverse();
    }
    if let Some(after) = page.after {
        let start = (after.ts_ms, after.seq);
        events.retain(|event| match page.order {
            Order::NewestFirst => place(event) < start,
            Order::OldestFirst => place(event) > start,
        });
    }
    let more = events.len() > page.limit;
    events.truncate(page.limit);
    let next = more.then(|| events.last().map(|event| PageToken { ts_ms: event.ts_ms, seq: event.seq })).flatten();
    Ok((events, next))
}

fn print_json(out: &mut Out, event: &StoredEvent, score: f32, snippet: &Snippet) -> Result<()> {
    let marks: Vec<_> = snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect();
    let snippet = json!({"text": snippet.text, "marks": marks});
    let envelope = serde_json::to_string(&event.clone().into_envelope())?;
    // Joined as text: the envelope's payload must not be spelt anew.
    out.line(&format!("{{\"score\":{score},\"snippet\":{snippet},\"event\":{envelope}}}"))?;
    Ok(())
}

fn print_hit(out: &mut Out, event: &StoredEvent, snippet: &Snippet) -> Result<()> {
    let time = out.styled(Style::Dim, &times::local(event.ts_ms));
    let id = out.styled(Style::Dim, &event.id.to_string());
    let session = print::one_line(&Client::shown_session(event.event.client, &event.event.session), 24);
    out.line(&format!("{time}  {id}  {session}  {}", event.event.kind()))?;
    let mut shown = String::new();
    let mut done = 0;
    for mark in &snippet.marks {
        shown.push_str(&print::tame(snippet.text.get(done..mark.start).unwrap_or_default()));
        let hit = print::tame(snippet.text.get(mark.clone()).unwrap_or_default());
        shown.push_str(&out.mark(&hit));
        done = mark.end;
    }
    shown.push_str(&print::tame(snippet.text.get(done..).unwrap_or_default()));
    let (before, after) = (if snippet.cut_before { "…" } else { "" }, if snippet.cut_after { "…" } else { "" });
    out.line(&format!("    {before}{shown}{after}"))?;
    Ok(())
}
