//! `memoir stats`.

use super::{Context, filter, project, times};
use crate::cli::{StatsArgs, StatsBy};
use crate::exit::Done;
use crate::home::Life;
use crate::print::{Out, table};
use anyhow::Result;
use memoir_journal::{Audience, View};
use memoir_report::{By, Row, usage};
use serde_json::json;

pub fn run(context: &Context, args: &StatsArgs) -> Result<Done> {
    let filter = filter::filter(&args.filter)?;
    // Figures quote nobody: everything counts, whoever may read it.
    let view = View::of(Audience::Owner).with_secret().with_private().with_sealed();
    let by = match args.by {
        None => By::All,
        Some(StatsBy::Project) => By::Project,
        Some(StatsBy::Model) => By::Model,
        Some(StatsBy::Day) => By::Day,
    };
    let rows = match context.existing_journal(Life::Short)? {
        Some(journal) => usage(
            &journal,
            &filter::in_journal(filter, &journal)?,
            &view,
            by,
            &context.settings.prices,
            &times::day_of,
        )?,
        None => Vec::new(),
    };
    let mut out = Out::new();
    let rows = if args.json { rows } else { named(rows, by, context)? };
    if args.json {
        for row in &rows {
            out.json(&as_json(row, by))?;
        }
    } else if rows.is_empty() {
        out.line("nothing is recorded yet")?;
    } else {
        let name = match by {
            By::All => "",
            By::Project => "project",
            By::Model => "model",
            By::Day => "day",
        };
        let heads = [name, "sessions", "turns", "input", "cached", "cache written", "output", "cost"];
        let lines: Vec<Vec<String>> = rows.iter().map(cells).collect();
        let skip = usize::from(by == By::All);
        let cut = |cells: &[String]| cells.iter().skip(skip).cloned().collect::<Vec<_>>();
        table(
            &mut out,
            heads.get(skip..).unwrap_or_default(),
            &lines.iter().map(|line| cut(line)).collect::<Vec<_>>(),
        )?;
        if rows.iter().any(|row| row.unpriced > 0 && row.cost_usd.is_some()) {
            out.line("* without tokens of unknown price; see `memoir stats --help`")?;
        }
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Rows of projects with what those are called.
fn named(mut rows: Vec<Row>, by: By, context: &Context) -> Result<Vec<Row>> {
    if let (By::Project, Some(journal)) = (by, context.existing_journal(Life::Short)?) {
        let names = project::names(&journal);
        for row in &mut rows {
            row.key = names.of(&row.key)?;
        }
    }
    Ok(rows)
}

fn cells(row: &Row) -> Vec<String> {
    let star = if row.unpriced > 0 { "*" } else { "" };
    let cost = row.cost_usd.map_or_else(|| "-".to_owned(), |cost| format!("${cost:.2}{star}"));
    let tokens = row.tokens;
    let numbers = [row.sessions, row.turns, tokens.input, tokens.cached, tokens.cache_written, tokens.output];
    std::iter::once(row.key.clone()).chain(numbers.iter().map(ToString::to_string)).chain([cost]).collect()
}

fn as_json(row: &Row, by: By) -> serde_json::Value {
    let mut value = json!({
        "sessions": row.sessions, "turns": row.turns, "inputTokens": row.tokens.input,
        "cachedInputTokens": row.tokens.cached, "cacheWriteTokens": row.tokens.cache_written,
        "outputTokens": row.tokens.output, "costUsd": row.cost_usd, "unpricedTokens": row.unpriced,
    });
    let name = match by {
        By::All => return value,
        By::Project => "project",
        By::Model => "model",
        By::Day => "day",
    };
    if let Some(object) = value.as_object_mut() {
        object.insert(name.to_owned(), row.key.clone().into());
    }
    value
}
