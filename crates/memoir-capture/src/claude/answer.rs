//! Records in the agent's role: what it said, thought and called, and what that cost.

use super::record::{Record, Usage, Written};
use super::speech::finish;
use super::transcript::{At, OpenUsage, Transcript};
use crate::content;
use crate::lenient::Raw;
use crate::scene::{Call, Scene, Tokens, record};
use crate::turns::{Form, Who};
use memoir_event::Identity;

impl Transcript {
    pub(super) fn assistant_record(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let message = &found.message;
        if message.model.is("<synthetic>") || found.is_api_error.is_set() {
            let text = message.content.text();
            if found.is_api_error.is_set() && !text.is_empty() {
                self.maker(at).error(text, Vec::new());
            } else {
                at.out.left_out("synthetic answer");
            }
            return;
        }
        if !message.content.is_there {
            at.out.problem("message without content");
        }
        for (number, block) in (0..).zip(&message.content.list) {
            self.block(found, block, number, at);
        }
        self.count(found, at);
    }

    fn block(&mut self, found: &Record<'_>, block: &Written<'_>, number: u32, at: &mut At<'_>) {
        match block.kind.get() {
            Some("text") if block.text.get().is_some() => {
                if let Some(text) = block.text.said() {
                    self.answer(text, is_final(found), number, at);
                }
            }
            Some("thinking") => {
                let text = block.thinking.get().or_else(|| block.text.get()).unwrap_or_default().to_owned();
                self.thought(text, number, at);
            }
            Some("redacted_thinking") => {
                self.thought(String::new(), number, at);
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                let name = block.name.said().unwrap_or("tool");
                let input = block.input.get().unwrap_or("{}");
                let id = block.id.said();
                if let Some(id) = id {
                    self.remember_call(id, name, input);
                }
                self.maker(at).tool_call(Call { id, name, arguments: None }, input);
            }
            Some(kind) if kind.ends_with("_tool_result") && block.tool_use_id.said().is_some() => {
                let id = block.tool_use_id.said().unwrap_or_default();
                let call = self.take_call(id);
                let shown = server_result(block.content);
                finish(&mut self.maker(at), Some(id), &call, Raw::default(), Some(shown), block.is_error.is_set());
            }
            Some(kind) => {
                let names = names(&at.uuid, number);
                self.maker(at).opaque(&format!("block.{kind}"), block.json, names);
            }
            None => {
                let names = names(&at.uuid, number);
                self.maker(at).opaque("block", block.json, names);
            }
        }
    }

    /// What it thought. Nothing else names it, so its record's name stays with it.
    fn thought(&mut self, text: String, number: u32, at: &mut At<'_>) {
        let (names, uuid) = (names(&at.uuid, number), at.uuid.clone());
        let mut maker = self.maker(at);
        maker.reasoning(text, names);
        maker.last(|event| event.action = (number == 0 && !uuid.is_empty()).then_some(uuid));
    }

    fn answer(&mut self, text: &str, is_final: bool, number: u32, at: &mut At<'_>) {
        if text.trim().is_empty() {
            return;
        }
        let turn = self.scene.turn.clone().unwrap_or_default();
        let nth = self.turns().meet(&turn, Who::Assistant, text, Form::Event).unwrap_or(0);
        let mut identities = names(&at.uuid, number);
        identities.extend(self.scene.said("assistant", text, nth));
        if is_final {
            identities.extend(answer_place(&self.scene));
        }
        self.maker(at).assistant(text.to_owned(), identities);
    }

    /// Adds up what a message cost. It is written once for each block of it; a new message hands the last one over.
    fn count(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        if found.message.usage.has_wrong_counts(&Usage::NAMES) {
            at.out.problem("count that is no number");
        }
        if self.is_stream() {
            // Written when an answer has only begun: what it cost in the end is told at the end of the run.
            at.out.left_out("usage at the beginning of an answer");
            return;
        }
        let usage: Usage<'_> = found.message.usage.read();
        let tokens = Tokens {
            input: usage.input.count(),
            cached: usage.cached.count(),
            cache_written: usage.cache_written.count(),
            output: usage.output.count(),
            ..Tokens::default()
        };
        if tokens == Tokens::default() {
            return;
        }
        let message = found.message.id.get().unwrap_or_default();
        if let Some(open) = &mut self.usage
            && open.message == message
            && !message.is_empty()
            && found.block_index.whole() != Some(0)
            && tokens.output >= open.tokens.output
        {
            open.tokens = tokens;
            return;
        }
        self.flush(at.out);
        let model = found.message.model.owned();
        let (uuid, time) = self.counted(message, found.block_index.whole() == Some(0), at);
        let message = message.to_owned();
        self.usage =
            Some(OpenUsage { message, uuid, model, tokens, time, number: at.number, scene: self.scene.clone() });
    }
}

/// The place of a turn's last answer: a hook may see it before all of it is written.
pub(crate) fn answer_place(scene: &Scene) -> Option<Identity> {
    let turn = scene.turn.as_deref().filter(|turn| !turn.is_empty() && !turn.starts_with('~'))?;
    Some(Identity::Growing(format!("answer/{}/{turn}", scene.thread)))
}

fn is_final(found: &Record<'_>) -> bool {
    !found.message.stop_reason.is("tool_use")
}

fn names(uuid: &str, number: u32) -> Vec<Identity> {
    if uuid.is_empty() { Vec::new() } else { vec![record(uuid, number)] }
}

/// What a tool said that the model's own server ran: its text, or else all of it but what only the model can read.
fn server_result(content: Raw<'_>) -> String {
    let said = content::returned(content).text;
    if !said.is_empty() && !content.is_object() {
        return said;
    }
    let mut value: serde_json::Value = content.read();
    without_encrypted(&mut value);
    if value.is_null() { String::new() } else { value.to_string() }
}

fn without_encrypted(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_encrypted),
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| !name.starts_with("encrypted_"));
            fields.values_mut().for_each(without_encrypted);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::claude::Transcript;
    use crate::out::Out;
    use crate::parser::{Parser, Salt};
    use memoir_event::Kind;

    fn read(record: &str) -> Out {
        let (mut parser, mut out) = (Transcript::new(Some("s"), Salt::default()), Out::default());
        parser.line(1, record, &mut out);
        parser.end(&mut out);
        out
    }

    fn others(record: &str) -> Vec<(String, String)> {
        let of = read(record).events.into_iter().filter(|one| one.event.kind() == Kind::Other);
        of.map(|one| (one.event.shape.event_type.clone(), one.event.content.verbatim().to_owned())).collect()
    }

    #[test]
    fn what_nobody_knows_is_kept_as_it_is() {
        let block = r#"{"type":"brand_new","foo":"kept 1"}"#;
        let said = format!(
            r#"{{"type":"assistant","uuid":"u1","sessionId":"s","message":{{"role":"assistant","content":[{{"type":"text","text":"hi"}},{block}]}}}}"#
        );
        assert_eq!(others(&said), [("claude.block.brand_new".to_owned(), block.to_owned())]);
        let system = r#"{"type":"system","subtype":"brand_new","uuid":"u2","sessionId":"s","content":"kept 2"}"#;
        assert_eq!(others(system), [("claude.system.brand_new".to_owned(), system.to_owned())]);
        let attached =
            r#"{"type":"attachment","uuid":"u3","sessionId":"s","attachment":{"type":"brand_new","foo":"kept 3"}}"#;
        assert_eq!(others(attached), [("claude.attachment.brand_new".to_owned(), attached.to_owned())]);
        let known = [
            r#"{"type":"system","subtype":"stop_hook_summary","uuid":"u4","sessionId":"s"}"#,
            r#"{"type":"attachment","uuid":"u5","sessionId":"s","attachment":{"type":"skill_listing","content":"x"}}"#,
        ];
        assert!(known.iter().all(|record| others(record).is_empty()));
    }

    #[test]
    fn what_a_server_side_tool_found_is_its_result() {
        let record = r#"{"type":"assistant","uuid":"u1","sessionId":"s","message":{"role":"assistant","content":[
            {"type":"server_tool_use","id":"st1","name":"web_search","input":{"query":"q"}},
            {"type":"web_search_tool_result","tool_use_id":"st1","content":[{"type":"web_search_result","title":"A page","url":"http://x","encrypted_content":"zzz"}]}]}}"#;
        let out = read(&record.replace('\n', ""));
        let result = out.events.iter().find(|one| one.event.kind() == Kind::ToolResult).unwrap();
        assert_eq!(result.event.action.as_deref(), Some("st1"));
        let text = result.event.content.verbatim();
        assert!(text.contains("A page") && text.contains("http://x") && !text.contains("zzz"), "{text}");
    }
}
