//! `memoir verify`.

use super::Context;
use crate::cli::VerifyArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{Out, Progress};
use crate::stop;
use anyhow::Result;
use memoir_journal::{Journal, Verified, verify_file};
use serde_json::json;

pub fn run(context: &Context, args: &VerifyArgs) -> Result<Done> {
    let stop = stop::on_signal()?;
    let mut progress = Progress::new("verifying");
    let mut step = |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    };
    let verified = match &args.file {
        Some(file) => verify_file(file, &mut step)?,
        None => match context.existing_journal(Life::Short)? {
            Some(journal) => journal.verify(&mut step)?,
            None => Verified::default(),
        },
    };
    drop(progress);
    let mut out = Out::new();
    let bad = verified.bad.as_ref();
    if args.json {
        out.json(&json!({
            "ok": verified.is_whole(),
            "records": verified.records,
            "stopped": verified.stopped,
            "badRecord": bad.map(|bad| bad.0),
            "problem": bad.map(|bad| &bad.1).or(verified.tables.as_ref()),
        }))?;
    } else if let Some((seq, problem)) = bad {
        out.line(&format!("record {seq} {problem}"))?;
        out.line(&format!(
            "the {} records before it are proven; restore a backup with `memoir restore`",
            verified.records
        ))?;
    } else if let Some(problem) = &verified.tables {
        out.line(&format!(
            "all {} records are proven, but the tables around them are damaged: {problem}",
            verified.records
        ))?;
        out.line("make a copy with `memoir export --everything`, then restore a backup with `memoir restore`")?;
    } else if verified.stopped {
        out.line(&format!("stopped: {} records are proven so far", verified.records))?;
    } else {
        let all = match verified.records {
            1 => "the only record is".to_owned(),
            records => format!("all {records} records are"),
        };
        out.line(&format!("{all} proven: none was changed, moved or taken out"))?;
    }
    out.flush()?;
    Ok(if verified.is_whole() { Done::Well } else { Done::Partly })
}
