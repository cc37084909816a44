//! `memoir ask`: the evidence for a question, session by session, and an answer from it where a model is configured.

mod synthesis;

use super::{Context, recall, timeline, times};
use crate::cli::AskArgs;
use crate::exit::{Done, Usage};
use crate::home::Life;
use crate::print::{self, Out, Style};
use anyhow::Result;
use memoir_event::{Client, Memory};
use memoir_recall::{Answer, Block, to_json, what};
use serde_json::{Value, json};
use synthesis::Synthesis;

pub fn run(context: &Context, args: &AskArgs) -> Result<Done> {
    let question = args.question.join(" ");
    if question.trim().is_empty() {
        return Err(Usage("the question is empty".into()).into());
    }
    let Some(journal) = context.existing_journal(Life::Short)? else { return nothing(&question, args.json) };
    let mut request = recall::request(&question, &args.filter, &args.view, &journal)?;
    (request.limit, request.budget_tokens, request.tells_session) = (args.limit, Some(args.budget), true);
    let mut answer = recall::answer(context, &journal, &request)?;
    if answer.blocks.is_empty() && !args.json {
        return timeline::nothing(args.json);
    }
    answer.blocks = in_sessions(std::mem::take(&mut answer.blocks));
    let said = match args.no_model {
        true => Synthesis::NotWanted,
        false => synthesis::of(context, &journal, &question, &answer.blocks)?,
    };
    if matches!(said, Synthesis::Interrupted) {
        return Ok(Done::Code(synthesis::INTERRUPTED));
    }
    let mut out = Out::new();
    if args.json {
        out.json(&as_json(&question, &answer, &said))?;
    } else {
        if let Synthesis::Said { text, .. } = &said {
            out.line(&print::tame(text))?;
            out.line("")?;
        }
        print_evidence(&mut out, &answer, matches!(said, Synthesis::Said { .. }))?;
    }
    out.flush()?;
    if let Synthesis::Failed { reason, .. } = &said {
        print::warn(&format!("no answer, only evidence: {reason}"));
    }
    Ok(Done::Well)
}

fn nothing(question: &str, json: bool) -> Result<Done> {
    if !json {
        return timeline::nothing(json);
    }
    let mut out = Out::new();
    out.json(&as_json(question, &Answer::default(), &Synthesis::NotWanted))?;
    out.flush()?;
    Ok(Done::Well)
}

/// How a block is cited, by its place in the evidence.
fn name(at: usize) -> String {
    format!("e{}", at + 1)
}

fn as_json(question: &str, answer: &Answer, said: &Synthesis) -> Value {
    let mut value = to_json(answer);
    let Some(fields) = value.as_object_mut() else { return value };
    let mut evidence = fields.remove("blocks").unwrap_or_default();
    for (at, block) in evidence.as_array_mut().into_iter().flatten().enumerate() {
        if let Some(block) = block.as_object_mut() {
            block.insert("cite".to_owned(), name(at).into());
        }
    }
    let (text, model, reason) = match said {
        Synthesis::Said { text, model } => (Some(text), Some(model), None),
        Synthesis::Failed { model, reason } => (None, model.as_ref(), Some(reason)),
        Synthesis::NotWanted | Synthesis::Interrupted => (None, None, None),
    };
    let own = json!({
        "question": question, "answer": text, "model": model, "why_no_answer": reason, "evidence": evidence,
    });
    if let Value::Object(own) = own {
        fields.extend(own);
    }
    value
}

/// What a block is listed under.
fn heading(block: &Block) -> String {
    match &block.memory {
        Some(_) => Memory::SESSION.to_owned(),
        None => Client::shown_session(block.client, &block.session),
    }
}

/// Blocks of a session together, in its order; the session of the best block first.
fn in_sessions(blocks: Vec<Block>) -> Vec<Block> {
    let mut sessions: Vec<(String, Vec<Block>)> = Vec::new();
    for block in blocks {
        let name = heading(&block);
        match sessions.iter_mut().find(|(known, _)| *known == name) {
            Some((_, blocks)) => blocks.push(block),
            None => sessions.push((name, vec![block])),
        }
    }
    for (_, blocks) in &mut sessions {
        blocks.sort_by_key(|block| (block.ts_ms, block.seq));
    }
    sessions.into_iter().flat_map(|(_, blocks)| blocks).collect()
}

/// Each session with what was said in it, numbered where an answer cites it.
fn print_evidence(out: &mut Out, answer: &Answer, is_cited: bool) -> Result<()> {
    let mut last = None;
    for (at, block) in answer.blocks.iter().enumerate() {
        let session = heading(block);
        if last.as_ref() != Some(&session) {
            let head = format!("{}, {}", print::one_line(&session, 60), times::day_of(block.ts_ms));
            let head = out.styled(Style::Bold, &head);
            out.line(&head)?;
            last = Some(session);
        }
        let id = out.styled(Style::Dim, &block.event_id.to_string());
        let cited = if is_cited { format!("[{}] ", name(at)) } else { String::new() };
        out.line(&format!("- {cited}{}  {id}", print::tame(&what(block))))?;
    }
    Ok(())
}
