//! `memoir recall`.

use super::{Context, filter, timeline};
use crate::cli::{FilterArgs, RecallArgs, ViewArgs};
use crate::exit::{Done, Usage};
use crate::home::{Life, now_ms};
use crate::print::{self, Out, Progress, Style};
use crate::stop;
use anyhow::Result;
use jiff::tz::TimeZone;
use memoir_event::Client;
use memoir_journal::SqliteJournal;
use memoir_recall::{Answer, Request, Signal, origin, to_json, what};
use serde_json::json;
use std::sync::Arc;

pub fn run(context: &Context, args: &RecallArgs) -> Result<Done> {
    let query = args.query.join(" ");
    if query.trim().is_empty() {
        return Err(Usage("the query is empty: say what it is about".into()).into());
    }
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return nothing(&query, args.json);
    };
    let mut request = request(&query, &args.filter, &args.view, &journal)?;
    request.files.clone_from(&args.files);
    request.limit = args.limit;
    request.budget_tokens = Some(args.budget);
    if let Some(share) = args.min_confidence {
        if !(0.0..=1.0).contains(&share) {
            return Err(Usage(format!("--min-confidence is a share from 0 to 1, not {share}")).into());
        }
        request.min_confidence = share;
    }
    let answer = answer(context, &journal, &request)?;
    if args.json {
        let mut value = to_json(&answer);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("query".to_owned(), json!(query));
        }
        let mut out = Out::new();
        out.json(&value)?;
        out.flush()?;
        return Ok(Done::Well);
    }
    if answer.blocks.is_empty() {
        return timeline::nothing(args.json);
    }
    print_blocks(&answer, args.explain)?;
    Ok(Done::Well)
}

fn nothing(query: &str, json: bool) -> Result<Done> {
    if json {
        let mut out = Out::new();
        out.json(&json!({"query": query, "blocks": [], "sessions": [], "left_out": 0, "tokens": 0, "notes": []}))?;
        out.flush()?;
        return Ok(Done::Well);
    }
    timeline::nothing(json)
}

/// What is asked, as the flags mean it.
pub fn request(query: &str, args: &FilterArgs, view: &ViewArgs, journal: &SqliteJournal) -> Result<Request> {
    let mut filter = filter::in_journal(filter::filter(args)?, journal)?;
    let mut request = Request::new(query, filter::view(view), now_ms());
    request.projects.extend(filter.repo.take());
    request.here = Some(filter::project_here());
    request.filter = filter;
    request.zone = TimeZone::system();
    Ok(request)
}

/// What recall answers; a long tail is indexed first.
pub fn answer(context: &Context, journal: &SqliteJournal, request: &Request) -> Result<Answer> {
    let redactor = Arc::new(context.settings.redactor()?);
    let recall = context.recall(&redactor);
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("indexing");
    let answer = recall.recall(journal, &context.index(), request, &mut |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    })?;
    drop(progress);
    for note in &answer.notes {
        print::warn(&note.to_string());
    }
    Ok(answer)
}

fn print_blocks(answer: &Answer, explain: bool) -> Result<()> {
    let (mut out, zone) = (Out::new(), TimeZone::system());
    for block in &answer.blocks {
        out.line(&format!("- {}", print::tame(&what(block))))?;
        let origin = out.styled(Style::Dim, &print::tame(&origin(block, &zone)));
        out.line(&format!("  {origin}"))?;
        if explain {
            let parts = signals(&block.signals);
            let line = format!("score {:.2}, confidence {:.2}: {parts}", block.score, block.confidence);
            let line = out.styled(Style::Dim, &line);
            out.line(&format!("  {line}"))?;
        }
    }
    if explain && !answer.sessions.is_empty() {
        out.line("sessions that fit:")?;
    }
    for session in answer.sessions.iter().filter(|_| explain) {
        let shown = Client::shown_session(session.client, &session.session);
        let line = format!("score {:.2}: {}", session.score, signals(&session.signals));
        let line = out.styled(Style::Dim, &line);
        out.line(&format!("- {}  {line}", print::tame(&shown)))?;
    }
    out.flush()?;
    if explain && answer.left_out > 0 {
        print::warn(&format!("{} were left out: less likely to help, said twice, or over the budget", answer.left_out));
    }
    Ok(())
}

/// What each signal added, as far as it did.
fn signals(parts: &[(Signal, f32)]) -> String {
    let parts = parts.iter().filter(|(_, value)| value.abs() >= 0.005);
    parts.map(|(signal, value)| format!("{} {value:+.2}", signal.name())).collect::<Vec<_>>().join(", ")
}
