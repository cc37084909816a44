//! `memoir file`.

use super::{Context, filter, project, timeline, times};
use crate::cli::FileArgs;
use crate::exit::Done;
use crate::home::Life;
use crate::print::{self, Out, Style, count};
use anyhow::Result;
use memoir_event::{Client, format_ms};
use memoir_recall::{Form, Gate};
use memoir_report::{Touch, Wanted, touches};
use serde_json::json;
use std::path::PathBuf;

pub fn run(context: &Context, args: &FileArgs) -> Result<Done> {
    let (filter, view) = (filter::filter(&args.filter)?, filter::view(&args.view));
    let Some(journal) = context.existing_journal(Life::Short)? else {
        return timeline::nothing(args.json);
    };
    let filter = filter::in_journal(filter, &journal)?;
    let mut place = Place::of(args);
    if let Some(repo) = &place.repo {
        // Events tell where they belong now.
        place.repo = project::present_id(&journal, repo)?.or(place.repo);
    }
    let wanted = Wanted { absolute: &place.absolute, relative: &place.relative, repo: place.repo.as_deref() };
    let mut found = touches(&journal, &filter, &view, wanted, args.limit)?;
    if found.is_empty() && !place.absolute.exists() {
        // What is not here may be a path in another project.
        let elsewhere = Wanted { relative: &args.path, repo: None, ..wanted };
        found = touches(&journal, &filter, &view, elsewhere, args.limit)?;
    }
    let (mut out, redactor) = (Out::new(), context.settings.redactor()?);
    let gate = Gate::new(&redactor, Form::Shown);
    for touch in &mut found {
        touch.path = gate.text(&touch.path);
        touch.prompt = touch.prompt.as_deref().map(|prompt| gate.text(prompt));
        if args.json {
            out.json(&as_json(touch))?;
        } else {
            say(&mut out, touch)?;
        }
    }
    out.flush()?;
    if found.is_empty() { timeline::nothing(args.json) } else { Ok(Done::Well) }
}

/// What the user means by a path.
struct Place {
    absolute: PathBuf,
    relative: PathBuf,
    repo: Option<String>,
}

impl Place {
    fn of(args: &FileArgs) -> Place {
        let absolute = std::path::absolute(&args.path).unwrap_or_else(|_| args.path.clone());
        // The file may be gone; its directory, or the one above that, may still be there.
        let real = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
        let project = project::around(real.ancestors().skip(1).find(|dir| dir.is_dir()).unwrap_or(&real));
        match project.root.as_ref().and_then(|root| real.strip_prefix(root).ok()) {
            Some(relative) if real.exists() || relative.components().count() > 1 => {
                Place { relative: relative.to_owned(), repo: Some(project.id), absolute }
            }
            _ => Place { relative: args.path.clone(), repo: None, absolute },
        }
    }
}

fn say(out: &mut Out, touch: &Touch) -> Result<()> {
    let session = out.styled(Style::Bold, &Client::shown_session(touch.client, &touch.session));
    let when = out.styled(Style::Dim, &times::local(touch.at_ms));
    let changes = if touch.changes > 1 { format!(" ({})", count(touch.changes, "change")) } else { String::new() };
    out.line(&format!("{when}  {session}  {} {}{changes}", touch.action, print::one_line(&touch.path, 100)))?;
    let prompt = touch.prompt.as_deref().map_or_else(|| "(no prompt)".to_owned(), |text| print::one_line(text, 160));
    Ok(out.line(&format!("    {prompt}"))?)
}

fn as_json(touch: &Touch) -> serde_json::Value {
    json!({
        "session": Client::shown_session(touch.client, &touch.session), "sessionId": touch.session,
        "client": touch.client, "repoId": touch.repo, "ts": format_ms(touch.at_ms), "changes": touch.changes,
        "action": touch.action, "path": touch.path, "prompt": touch.prompt,
    })
}
