//! Records in the user's role: the user's words, tool results, and much that is neither.

use super::notes;
use super::record::{Record, Written};
use super::tools::{self, Pending};
use super::transcript::{At, Transcript};
use crate::boundary::{self, Stand};
use crate::content::{self, Unknown};
use crate::lenient::Raw;
use crate::media::{self, Media};
use crate::payload::Payload;
use crate::scene::{Call, Ending, digest, item, record};
use crate::turns::{Form, Who};
use memoir_event::{Client, Identity};
use std::collections::BTreeMap;

/// What follows this in the result of a tool that the user refused are the user's words.
const REFUSED_WITH: &str = "the user said:\n";

/// Words in that place that the client wrote.
const CLIENTS_WORDS: &str = "The user wants to clarify these questions.";

impl Transcript {
    pub(super) fn user_record(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        if found.is_summary.is_set() {
            let text = found.message.content.text();
            if !text.is_empty() {
                self.summary(&text, at);
            }
            return;
        }
        if !found.message.content.is_there {
            at.out.problem("message without content");
        }
        let (mut texts, mut media, mut unknown, mut returned) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut place = Place::Alone;
        for block in &found.message.content.list {
            match block.kind.get() {
                Some("tool_result") => {
                    place = Place::BesideResult;
                    returned.push((block.tool_use_id.said(), self.tool_result(found, block, at)));
                }
                Some("text") if block.text.get().is_some() => texts.extend(block.text.said()),
                Some("image" | "document") => media.extend(block.media()),
                _ => unknown.push(block.as_unknown()),
            }
        }
        if !texts.is_empty() || (!media.is_empty() && place == Place::Alone) {
            self.texts(found, &texts, &media, place, at);
        }
        // Last, so that what else is in the record is called as it always was.
        for (call, blocks) in returned {
            self.maker(at).unknown_of_result(call, &blocks);
        }
        self.unknown_blocks(&unknown, at);
    }

    /// Keeps blocks that nobody knows.
    fn unknown_blocks(&self, blocks: &[Unknown<'_>], at: &mut At<'_>) {
        let name = format!("block/{}", at.uuid);
        for (nth, block) in (0..).zip(blocks) {
            self.maker(at).opaque(&format!("block.{}", block.kind), block.json, vec![item(&name, nth)]);
        }
    }

    /// The texts of one record, sorted into words of the user and everything else.
    fn texts(&mut self, found: &Record<'_>, texts: &[&str], media: &[Media], place: Place, at: &mut At<'_>) {
        if self.scene.thread != self.scene.session {
            let task = texts.join("\n");
            if found.is_meta.is_set() || task.trim().is_empty() {
                at.out.context("meta");
            } else {
                self.maker(at).context("subagent-task", &task, Vec::new());
            }
            return;
        }
        if let Some(plan) = found.plan.said() {
            self.next_turn(found, at);
            at.out.context("plan");
            self.maker(at).context("plan", plan, Vec::new());
            return;
        }
        let is_spoken = is_spoken(found);
        let (mut words, mut whole, mut context) = (Vec::new(), Vec::new(), Vec::new());
        for text in texts {
            let sorted = boundary::sort_of(Some(Client::Claude), text, Stand::Marked);
            context.extend(sorted.context);
            match sorted.speech {
                Some(speech) if is_spoken => {
                    words.push(speech.into_owned());
                    whole.push(*text);
                }
                Some(_) => context.push(("meta", None)),
                None => {}
            }
        }
        let says = !words.is_empty() || (is_spoken && !media.is_empty() && context.is_empty());
        let is_order =
            is_spoken && context.iter().any(|(name, _)| matches!(*name, "slash-command" | "ack" | "shell-command"));
        if place == Place::Alone && (says || is_order || found.prompt_source.is("system")) {
            self.next_turn(found, at);
        }
        self.tell_context(&context, at);
        if !says || self.was_absorbed(&whole.join("\n")) {
            return;
        }
        let words = if words.is_empty() { media::notes(media) } else { words.join("\n") };
        let whole = whole.join("\n");
        let before = at.out.events.len();
        self.speech(&words, &whole, Form::Event, media, at);
        if place == Place::Alone && at.out.events.len() > before {
            self.maker(at).begins_turn();
        }
    }

    fn speech(&mut self, words: &str, whole: &str, form: Form, media: &[Media], at: &mut At<'_>) {
        let turn = self.scene.turn.clone().unwrap_or_default();
        let Some(nth) = self.turns().meet(&turn, Who::User, whole, form) else { return };
        let mut identities: Vec<Identity> = self.scene.said("user", whole, nth).into_iter().collect();
        if !at.uuid.is_empty() {
            identities.insert(0, record(&at.uuid, 0));
        }
        let mut maker = self.maker(at);
        maker.user(words.to_owned(), identities);
        maker.last(|event| event.metadata = media::metadata(media));
    }

    /// A prompt that was typed while the agent worked and taken in at once.
    pub(super) fn queued_prompt(&mut self, text: &str, at: &mut At<'_>) {
        let sorted = boundary::sort_of(Some(Client::Claude), text, Stand::Marked);
        self.tell_context(&sorted.context, at);
        if let Some(words) = sorted.speech {
            self.speech(&words, text, Form::Item, &[], at);
        }
    }

    pub(super) fn attachment(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let attachment = &found.attachment;
        match attachment.kind.get() {
            Some("queued_command") => {
                let by_human = attachment.origin.kind.get().is_none_or(|kind| kind == "human");
                let is_prompt = attachment.mode.get().is_none_or(|mode| mode == "prompt");
                let blocks = &attachment.prompt.list;
                if blocks.is_empty() {
                    return;
                }
                let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.said()).collect();
                let media: Vec<Media> = blocks.iter().filter_map(|block| block.media()).collect();
                let whole = texts.join("\n");
                let sorted = boundary::sort_of(Some(Client::Claude), &whole, Stand::Marked);
                self.tell_context(&sorted.context, at);
                self.was_absorbed(&whole);
                if let Some(words) = sorted.speech.filter(|_| by_human && is_prompt) {
                    self.speech(&words, &whole, Form::Event, &media, at);
                }
            }
            Some(kind) if kind.starts_with("hook_") => at.out.context("hook-context"),
            Some(kind) if !notes::is_known_attachment(kind) => self.unknown(&format!("attachment.{kind}"), at),
            _ => at.out.left_out("attachment"),
        }
    }

    /// Counts what is not the user's, and keeps what is worth it.
    pub(super) fn tell_context(&mut self, context: &[(&'static str, Option<String>)], at: &mut At<'_>) {
        let turn = self.scene.turn.clone().unwrap_or_default();
        for (nth, (name, kept)) in (0..).zip(context) {
            at.out.context(name);
            if *name == "interrupt" {
                let details = Payload::new().text("reason", "user");
                self.maker(at).turn_completed(&turn, "interrupted", &details);
            }
            if let Some(kept) = kept {
                let said = self.scene.said(name, kept, nth);
                self.maker(at).context(name, kept, said.into_iter().collect());
            }
        }
    }

    fn summary(&mut self, text: &str, at: &mut At<'_>) {
        let turn = self.scene.turn.clone().unwrap_or_default();
        let text = summary_text(text);
        let name = item(&format!("compaction/{turn}/{}", digest(&text)), 0);
        self.maker(at).summary(text, vec![name]);
    }

    /// Gives the blocks of the result that nobody knows.
    fn tool_result<'r>(&mut self, found: &Record<'_>, block: &Written<'r>, at: &mut At<'_>) -> Vec<Unknown<'r>> {
        let Some(id) = block.tool_use_id.said() else {
            at.out.problem("result without a call");
            return vec![block.as_unknown()];
        };
        let call = self.take_call(id);
        let returned = content::returned(block.content);
        let shown = returned.text;
        let outcome = if found.tool_use_result.get().is_some() { found.tool_use_result } else { found.stream_result };
        // One object stands for the record; with several results in it, it belongs to none for sure.
        let outcome = if has_one_result(found) { outcome } else { Raw::default() };
        let shown = boundary::without_injected(&shown, at.out).into_owned();
        let words = refused_with(&shown, found.feedback.said());
        finish(&mut self.maker(at), Some(id), &call, outcome, Some(shown), block.is_error.is_set());
        let answers = answers_of(outcome);
        for (said, block) in words.into_iter().chain(answers).zip(900..) {
            let mut names: Vec<Identity> = self.scene.said("user", &said, 0).into_iter().collect();
            if !at.uuid.is_empty() {
                names.insert(0, record(&at.uuid, block));
            }
            self.maker(at).user(said, names);
        }
        returned.unknown
    }
}

/// Where the texts of a record stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Alone,
    /// Words that the user added to a permission.
    BesideResult,
}

/// Makes the events of a finished call.
pub(crate) fn finish(
    maker: &mut crate::scene::Maker<'_>,
    id: Option<&str>,
    call: &Pending,
    outcome: Raw<'_>,
    shown: Option<String>,
    is_error: bool,
) {
    let told = tools::told(call, outcome, shown, is_error);
    let of = Call { id, name: &call.name, arguments: None };
    maker.tool_result(of, told.output, told.exit_code, told.failed);
    if let Some(script) = &call.script {
        let status = if told.failed { "failed" } else { "completed" };
        let ending = Ending { exit_code: told.exit_code, status: Some(status), ..Ending::default() };
        maker.command(of, script, ending);
    }
    maker.file_change(of, &told.changes, Some("completed"));
}

/// Whether a person said it, as far as the record tells.
fn is_spoken(found: &Record<'_>) -> bool {
    let of_client = found.is_meta.is_set()
        || found.is_unseen.is_set()
        || found.is_virtual.is_set()
        || found.prompt_source.is("system")
        || found.origin.kind.get().is_some_and(|kind| kind != "human");
    !of_client
}

fn has_one_result(found: &Record<'_>) -> bool {
    found.message.content.list.iter().filter(|block| block.kind.is("tool_result")).count() == 1
}

/// The summary itself, without what the client says around it.
pub(super) fn summary_text(text: &str) -> String {
    if let Some((_, rest)) = text.split_once("<summary>") {
        return rest.split_once("</summary>").map_or(rest, |(summary, _)| summary).trim().to_owned();
    }
    let preamble = || {
        text.split_once("the earlier portion of the conversation.\n")
            .filter(|_| text.starts_with("This session is being"))
    };
    let body = text.split_once("Summary:\n").or_else(preamble).map_or(text, |(_, body)| body).trim_start();
    // What the client reminds the model of stands before the summary.
    let after = body.strip_prefix("<system-reminder>").and_then(|rest| rest.split_once("</system-reminder>"));
    let body = after.map_or(body, |(_, body)| body);
    let body =
        body.split_once("\n\nIf you need specific details from before compaction").map_or(body, |(body, _)| body);
    body.trim().to_owned()
}

/// The words with which the user refused a tool.
fn refused_with(shown: &str, feedback: Option<&str>) -> Option<String> {
    if let Some(words) = feedback {
        return Some(words.to_owned());
    }
    if !shown.starts_with("The user doesn't want to") {
        return None;
    }
    let (_, words) = shown.split_once(REFUSED_WITH)?;
    let words = words.split_once("\nNote: The user's next message").map_or(words, |(words, _)| words).trim();
    (!words.is_empty() && !words.starts_with(CLIENTS_WORDS)).then(|| words.to_owned())
}

/// The user's answers to the agent's questions.
fn answers_of(outcome: Raw<'_>) -> Option<String> {
    let text = outcome.get().filter(|text| text.contains("\"answers\""))?;
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let answers: BTreeMap<&String, String> = value
        .get("answers")?
        .as_object()?
        .iter()
        .map(|(question, answer)| (question, answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)))
        .collect();
    let lines: Vec<String> = answers.iter().map(|(question, answer)| format!("{question} {answer}")).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_reads_the_same_whatever_the_client_puts_around_it() {
        let before = "This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n";
        let reminder =
            "<system-reminder>\n<tools-used-before-summary>Bash</tools-used-before-summary>\n</system-reminder>\n";
        let after = "\n\nIf you need specific details from before compaction, read the transcript.";
        for text in [
            "x5".to_owned(),
            "<analysis>a</analysis><summary>\nx5\n</summary>".to_owned(),
            format!("{before}x5{after}"),
            format!("{before}{reminder}x5{after}"),
            format!("{before}Summary:\nx5{after}"),
        ] {
            assert_eq!(summary_text(&text), "x5", "{text}");
        }
    }
}
