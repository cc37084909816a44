//! Records in the agent's role: what it said, thought and called, and what that cost.

use super::record::{Block, Record};
use super::transcript::{At, OpenUsage, Transcript};
use crate::lenient::TextOr;
use crate::scene::{Call, Scene, Tokens, record};
use crate::turns::{Form, Who};
use memoir_event::Identity;

impl Transcript {
    pub(super) fn assistant_record(&mut self, found: &Record<'_>, at: &mut At<'_>) {
        let message = &found.message;
        if message.model.is("<synthetic>") || found.is_api_error.is_set() {
            let text = match &message.content {
                TextOr::Text(text) => text.clone().into_owned(),
                TextOr::List(blocks) => {
                    blocks.iter().filter_map(|block| block.text.owned()).collect::<Vec<_>>().join("\n")
                }
                TextOr::Neither => String::new(),
            };
            if found.is_api_error.is_set() && !text.is_empty() {
                self.maker(at).error(text, Vec::new());
            } else {
                at.out.left_out("synthetic answer");
            }
            return;
        }
        match &message.content {
            TextOr::Text(text) => self.answer(text, is_final(found), 0, at),
            TextOr::List(blocks) => {
                for (number, block) in (0..).zip(blocks) {
                    self.block(found, block, number, at);
                }
            }
            TextOr::Neither => at.out.problem("message without content"),
        }
        self.count(found, at);
    }

    fn block(&mut self, found: &Record<'_>, block: &Block<'_>, number: u32, at: &mut At<'_>) {
        match block.kind.get() {
            Some("text") => {
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
            Some(kind) => at.out.left_out(&format!("block/{kind}")),
            None => at.out.problem("block without a type"),
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
        let usage = &found.message.usage;
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
