//! `memoir embed`.

use super::Context;
use super::models::Waits;
use crate::cli::EmbedArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Progress, count, size};
use crate::stop;
use anyhow::Result;
use memoir_vectors::{CatchUp, Made, VectorsStatus, Watch};
use serde_json::json;

/// As a shell says of a command that was interrupted.
const INTERRUPTED: u8 = 130;

/// What to do where no model is configured.
const HOW_TO: &str = "no embedding model is configured: set its address and its name, for example with `memoir config \
                      set embeddings.url http://127.0.0.1:11434/v1` and `memoir config set embeddings.model \
                      nomic-embed-text`";

pub fn run(context: &Context, args: &EmbedArgs) -> Result<Done> {
    let Some(model) = context.embedding_model(Waits::Building)? else { return Err(Usage(HOW_TO.to_owned()).into()) };
    let Some(journal) = context.existing_journal(Life::Long)? else {
        anyhow::bail!("nothing is recorded in {} yet", context.home.dir().display());
    };
    let (vectors, redactor, stop) = (context.vectors(), context.settings.redactor()?, stop::on_signal()?);
    let mut progress = Progress::new("embedding");
    let mut go_on = |done, total| {
        progress.at(done, total);
        !stop::requested(&stop)
    };
    let outcome =
        vectors.catch_up_watched(&journal, &redactor, &model, Watch { progress: &mut go_on, tell: &print::warn });
    drop(progress);
    let outcome = outcome?;
    let status = vectors.status(&journal, &redactor)?;
    tell(outcome, &status, args.json)?;
    Ok(match outcome {
        CatchUp::Current | CatchUp::Done(_) => Done::Well,
        CatchUp::Stopped(_) => Done::Code(INTERRUPTED),
        CatchUp::Busy => Done::Partly,
    })
}

fn tell(outcome: CatchUp, status: &VectorsStatus, json: bool) -> Result<()> {
    let made = match outcome {
        CatchUp::Done(made) | CatchUp::Stopped(made) => made,
        CatchUp::Current | CatchUp::Busy => Made::default(),
    };
    let mut out = Out::new();
    if json {
        out.json(&json!({
            "made": made.vectors, "refused": made.refused, "rebuilt": made.rebuilt, "busy": outcome == CatchUp::Busy,
            "interrupted": matches!(outcome, CatchUp::Stopped(_)), "vectors": as_json(status),
        }))?;
    } else {
        let all = described(status);
        out.line(&match outcome {
            CatchUp::Current => format!("nothing new; {all}"),
            _ => format!("made {}; {all}", count(made.vectors, "vector")),
        })?;
    }
    out.flush()?;
    if let Some(before) = made.replaced_dimension {
        print::warn(&format!(
            "the model's vectors had {before} numbers and have another number now: all are made anew"
        ));
    }
    if made.refused > 0 {
        let texts = count(made.refused, "text");
        print::warn(&format!("the model refused {texts}, also shortened: words alone find what they are of"));
    }
    match outcome {
        CatchUp::Stopped(_) => print::warn("interrupted; what is made is kept, and the next run goes on"),
        CatchUp::Busy => print::warn("another process is making vectors now"),
        CatchUp::Current | CatchUp::Done(_) => {}
    }
    Ok(())
}

/// The vectors in a sentence.
pub fn described(status: &VectorsStatus) -> String {
    let lacking = match status.missing {
        Some(0) => String::new(),
        Some(missing) => format!("; {} without one", count(missing, "event")),
        None => {
            let records = count(status.last.saturating_sub(status.reached), "record");
            format!("; {records} not looked through yet")
        }
    };
    match (&status.made_by, &status.problem) {
        (_, Some(problem)) => format!("not usable ({problem}); `memoir embed` makes them anew"),
        (None, None) => format!("none yet{lacking}"),
        (Some(model), None) => {
            format!("{} by {model}, {}{lacking}", count(status.vectors, "event"), size(status.bytes))
        }
    }
}

/// The vectors, for programs.
pub fn as_json(status: &VectorsStatus) -> serde_json::Value {
    json!({
        "model": status.made_by.as_ref().map(|made_by| &made_by.model),
        "dimension": status.made_by.as_ref().map(|made_by| made_by.dimension),
        "events": status.vectors, "missing": status.missing, "bytes": status.bytes,
        "waiting": status.last.saturating_sub(status.reached), "problem": status.problem,
    })
}
