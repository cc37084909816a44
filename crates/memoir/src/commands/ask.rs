//! `memoir ask`: the evidence for a question, session by session.

use super::{Context, recall, timeline, times};
use crate::cli::AskArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::{Client, Memory};
use memoir_recall::{Answer, Block, to_json, what};
use serde_json::json;

pub fn run(context: &Context, args: &AskArgs) -> Result<Done> {
    let question = args.question.join(" ");
    if question.trim().is_empty() {
        return Err(Usage("the question is empty".into()).into());
    }
    let Some(journal) = context.existing_journal(Life::Short)? else { return timeline::nothing(args.json) };
    let mut request = recall::request(&question, &args.filter, &args.view, &journal)?;
    (request.limit, request.budget_tokens) = (args.limit, Some(args.budget));
    let answer = recall::answer(context, &journal, &request)?;
    if answer.blocks.is_empty() && !args.json {
        return timeline::nothing(args.json);
    }
    let mut out = Out::new();
    if args.json {
        let mut value = to_json(&answer);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("question".to_owned(), json!(question));
        }
        out.json(&value)?;
    } else {
        print_evidence(&mut out, &answer)?;
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Memories first, then each session with what was said in it, in its order.
fn print_evidence(out: &mut Out, answer: &Answer) -> Result<()> {
    let mut sessions: Vec<(String, Vec<&Block>)> = Vec::new();
    for block in &answer.blocks {
        let name = match &block.memory {
            Some(_) => Memory::SESSION.to_owned(),
            None => Client::shown_session(block.client, &block.session),
        };
        match sessions.iter_mut().find(|(known, _)| *known == name) {
            Some((_, blocks)) => blocks.push(block),
            None => sessions.push((name, vec![block])),
        }
    }
    for (name, mut blocks) in sessions {
        blocks.sort_by_key(|block| (block.ts_ms, block.seq));
        let day = blocks.first().map(|block| times::day_of(block.ts_ms)).unwrap_or_default();
        let head = out.styled(Style::Bold, &format!("{}, {day}", print::one_line(&name, 60)));
        out.line(&head)?;
        for block in blocks {
            let id = out.styled(Style::Dim, &block.event_id.to_string());
            out.line(&format!("- {}  {id}", print::tame(&what(block))))?;
        }
    }
    Ok(())
}
