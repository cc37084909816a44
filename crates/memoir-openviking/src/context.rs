//! What a session has to say: the overviews of its archives, and the messages that are in none yet.

use crate::fault::Fault;
use crate::memories::one_line;
use crate::session::Spoken;
use crate::state::State;
use crate::tokens::tokens_of;
use crate::uri::archive_number;
use crate::{Openviking, VIEW};
use memoir_event::{Archive, Content, EventId, Kind, Section, format_ms};
use memoir_journal::{Journal as _, Lookup, Placed, Seq, StoredEvent};
use memoir_recall::clean;
use serde_json::{Value, json};

/// A longer output of a tool is told as a preview.
const OUTPUT_CHARS_MAX: usize = 20_000;
/// A preview has so many characters.
const PREVIEW_CHARS: usize = 2_000;
/// So many messages are told at once.
const MESSAGES_TOLD_MAX: usize = 1_000;
/// So many events are read at once.
const PORTION: usize = 64;
/// If nobody says how many tokens.
pub const TOKENS_DEFAULT: u64 = 128_000;
/// So many abstracts of older archives are told.
const ABSTRACTS_MAX: usize = 20;
/// An abstract has so many characters.
const ABSTRACT_CHARS: usize = 256;
/// So much of an output is told at once if nobody says how much.
const RESULT_CHARS_DEFAULT: usize = 20_000;

impl Openviking {
    /// The latest archive's overview, abstracts of those before it, and what is live, within a number of tokens.
    pub fn context(&self, spoken: &Spoken, budget: u64) -> Result<Value, Fault> {
        self.known_session(spoken)?;
        let archives = self.archives(spoken)?;
        let total = archives.len();
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        self.settle(spoken, &mut state)?;
        let after = live_after(&archives, &state);
        let (mut overview, mut used) = (String::new(), 0);
        if let Some((_, archive)) = archives.last() {
            overview = self.overview_of(archive)?;
            let tokens = tokens_of(&overview);
            if tokens > budget {
                overview.clear();
            } else {
                used = tokens;
            }
        }
        let mut abstracts = Vec::new();
        for (_, archive) in archives.iter().rev().skip(1).take(ABSTRACTS_MAX) {
            let text = self.abstract_of(archive)?;
            let tokens = tokens_of(&text);
            if used + tokens > budget {
                break;
            }
            used += tokens;
            abstracts.push(json!({"archive_id": archive.name(), "abstract": text}));
        }
        let archive_tokens = used;
        let (messages, active) = self.messages(spoken, (after, self.journal.last_seq()?), budget - used.min(budget))?;
        let included = abstracts.len() + usize::from(!overview.is_empty());
        Ok(json!({
            "latest_archive_overview": overview,
            "pre_archive_abstracts": abstracts,
            "messages": messages,
            "estimatedTokens": archive_tokens + active,
            "stats": {
                "totalArchives": total, "includedArchives": included, "droppedArchives": total - included.min(total),
                "failedArchives": 0, "activeTokens": active, "archiveTokens": archive_tokens,
            },
        }))
    }

    /// An archive: what it is about, and what was said.
    pub fn archive(&self, spoken: &Spoken, name: &str) -> Result<Value, Fault> {
        let unknown = || Fault::NotFound(format!("the session {} has no such archive", spoken.given));
        let number = archive_number(name).ok_or_else(unknown)?;
        let archive = self.archive_of(spoken, number)?;
        let range = (archive.after_seq, archive.last_seq);
        let (messages, _) = self.messages(spoken, range, u64::MAX)?;
        Ok(json!({
            "archive_id": archive.name(),
            "abstract": self.abstract_of(&archive)?,
            "overview": self.overview_of(&archive)?,
            "messages": messages,
        }))
    }

    /// What an archive is about, in one paragraph: what was asked first.
    pub(crate) fn abstract_of(&self, archive: &Archive) -> Result<String, Fault> {
        let asked = archive.points.iter().find(|point| point.section == Section::Asked);
        let first = asked.and_then(|point| point.events.first());
        let said = match first {
            Some(id) => self.shown().event(&Lookup::Id(*id), &VIEW)?,
            None => None,
        };
        let about = said.map(|stored| one_line(&clean(&stored.event.content.plain(), &self.redactor), ABSTRACT_CHARS));
        let when = format_ms(archive.last_ms);
        let counted = format!("{} events, {} turns, until {when}", archive.events, archive.turns);
        Ok(about.map_or_else(|| counted.clone(), |about| format!("{about} ({counted})")))
    }

    /// The place after which the last `count` live messages lie; none if there are no more than these.
    pub(crate) fn before_the_last(&self, spoken: &Spoken, count: u64) -> Result<Option<Seq>, Fault> {
        let mut state = State::read(&*self.journal, &self.redactor, spoken)?;
        self.settle(spoken, &mut state)?;
        let after = live_after(&self.archives(spoken)?, &state);
        let mut seqs = self.message_seqs(spoken, (after, self.journal.last_seq()?))?;
        seqs.sort_unstable();
        let mut passed = 0;
        for portion in seqs.rchunks(PORTION) {
            let mut shown: Vec<Seq> = self.shown().events(portion, &VIEW)?.iter().map(|stored| stored.seq).collect();
            shown.sort_unstable();
            for seq in shown.into_iter().rev() {
                if passed == count {
                    return Ok(Some(seq));
                }
                passed += 1;
            }
        }
        Ok(None)
    }

    /// The places of the messages between two places, in the order in which they were said.
    fn message_seqs(&self, spoken: &Spoken, between: (Seq, Seq)) -> Result<Vec<Seq>, Fault> {
        let placed = self.journal.placed(spoken.client, &spoken.session, between, usize::MAX)?;
        let is_told =
            |one: &&Placed| Openviking::is_message(one.kind) && one.thread.as_deref() == spoken.agent.as_deref();
        Ok(placed.iter().filter(is_told).map(|one| one.seq).collect())
    }

    /// The messages between two places, the last ones that the budget holds; and how many tokens they have.
    pub(crate) fn messages(
        &self,
        spoken: &Spoken,
        between: (Seq, Seq),
        budget: u64,
    ) -> Result<(Vec<Value>, u64), Fault> {
        let seqs = self.message_seqs(spoken, between)?;
        let (mut messages, mut tokens) = (Vec::new(), 0u64);
        'all: for portion in seqs.rchunks(PORTION) {
            let events = self.shown().events(portion, &VIEW)?;
            for stored in events.iter().rev() {
                let (message, cost) = self.told(stored);
                if tokens.saturating_add(cost) > budget || messages.len() >= MESSAGES_TOLD_MAX {
                    break 'all;
                }
                tokens += cost;
                messages.push(message);
            }
        }
        messages.reverse();
        Ok((messages, tokens))
    }

    /// An event as a message, and about how many tokens it has.
    fn told(&self, stored: &StoredEvent) -> (Value, u64) {
        let event = &stored.event;
        let text = clean(&event.content.plain(), &self.redactor);
        let mut cost = tokens_of(&text);
        let (role, part) = match event.kind() {
            Kind::UserMessage => ("user", json!({"type": "text", "text": text})),
            Kind::AssistantMessage => ("assistant", json!({"type": "text", "text": text})),
            Kind::ToolCall => {
                let payload = payload(&event.content);
                let name = payload["item"]["name"].as_str().unwrap_or("tool").to_owned();
                let input = clean(&payload["item"]["arguments"].to_string(), &self.redactor);
                let input: Value = serde_json::from_str(&input).unwrap_or(Value::String(input));
                let part = json!({
                    "type": "tool", "tool_id": event.action, "tool_name": name, "tool_input": input,
                    "tool_status": "running",
                });
                ("assistant", part)
            }
            _ => {
                let about = event.metadata.as_ref().map(memoir_event::Json::to_value).unwrap_or_default();
                let is_long = text.chars().count() > OUTPUT_CHARS_MAX;
                let output = if is_long { text.chars().take(PREVIEW_CHARS).collect() } else { text };
                if is_long {
                    cost = tokens_of(&output);
                }
                let status = if about["is_error"] == true { "error" } else { "completed" };
                let mut part = json!({
                    "type": "tool", "tool_id": event.action, "tool_name": about["tool"], "tool_output": output,
                    "tool_status": status,
                });
                if is_long {
                    part["tool_output_ref"] = json!({"tool_result_id": stored.id.to_string()});
                }
                ("user", part)
            }
        };
        let message = json!({
            "id": format!("msg_{}", stored.id), "role": role, "parts": [part], "created_at": format_ms(stored.ts_ms),
            "peer_id": null,
        });
        (message, cost)
    }

    /// What a tool returned, from one character on, at most so many.
    pub fn tool_result(&self, spoken: &Spoken, id: &str, from: usize, most: Option<usize>) -> Result<Value, Fault> {
        let text = self.output(spoken, id)?;
        let total = text.chars().count();
        let part: String = text.chars().skip(from).take(most.unwrap_or(RESULT_CHARS_DEFAULT)).collect();
        let end = from.saturating_add(part.chars().count());
        Ok(json!({
            "tool_result_id": id, "content": part, "offset": from, "total_chars": total, "has_more": end < total,
            "next_offset": (end < total).then_some(end),
        }))
    }

    /// The lines of what a tool returned that say a text.
    pub fn search_tool_result(&self, spoken: &Spoken, id: &str, text: &str) -> Result<Value, Fault> {
        let output = self.output(spoken, id)?;
        let wanted = text.to_lowercase();
        if wanted.trim().is_empty() {
            return Err(Fault::invalid("q", "say what to look for"));
        }
        let found = (1u64..).zip(output.lines()).filter(|(_, line)| line.to_lowercase().contains(&wanted));
        let matches: Vec<Value> =
            found.take(100).map(|(line, content)| json!({"line": line, "content": content})).collect();
        Ok(json!({"tool_result_id": id, "count": matches.len(), "matches": matches}))
    }

    fn output(&self, spoken: &Spoken, id: &str) -> Result<String, Fault> {
        let unknown = || Fault::NotFound("there is no such result".to_owned());
        let id = EventId::parse(id.trim()).map_err(|_| unknown())?;
        let stored = self.shown().event(&Lookup::Id(id), &VIEW)?.ok_or_else(unknown)?;
        if stored.event.session != spoken.session || stored.event.kind() != Kind::ToolResult {
            return Err(unknown());
        }
        Ok(clean(&stored.event.content.plain(), &self.redactor))
    }
}

/// After which place a session is live: what was kept at the last commit is.
fn live_after(archives: &[(EventId, Archive)], state: &State) -> Seq {
    let sealed = archives.last().map_or(0, |(_, archive)| archive.last_seq);
    state.known.kept.map_or(sealed, |kept| kept.after)
}

fn payload(content: &Content) -> Value {
    match content {
        Content::Payload(json) | Content::Json(json) => json.to_value(),
        Content::Text(_) => Value::Null,
    }
}
