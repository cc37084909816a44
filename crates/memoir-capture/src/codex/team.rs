//! Calls between agents of a team, as streams and items of a turn show them.

use crate::lenient::{List, Raw, Text, Words, lenient};
use crate::payload::{Payload, push_text};
use crate::scene::{Call, Maker};

lenient! {
    /// What was called, and what became of it.
    pub(super) struct TeamCall<'a> {
        tool: Text<'a> = "tool",
        status: Text<'a> = "status",
        prompt: Words<'a> = "prompt",
        receivers: List<Text<'a>> = "receiver_thread_ids",
        states: Raw<'a> = "agents_states",
    }
}

impl TeamCall<'_> {
    /// Tells of the call and its result; without an id they are found by what they say.
    pub fn tell(&self, id: Option<&str>, maker: &mut Maker<'_>) {
        let tool = match self.tool.said().unwrap_or("call") {
            "spawnAgent" => "spawn_agent",
            "sendInput" => "send_input",
            "resumeAgent" => "resume_agent",
            "closeAgent" => "close_agent",
            tool => tool,
        };
        let mut ids = String::from("[");
        for id in self.receivers.0.iter().filter_map(Text::said) {
            if ids.len() > 1 {
                ids.push(',');
            }
            push_text(&mut ids, id);
        }
        ids.push(']');
        // Whom it made is what comes of a call that makes one.
        let ids = (tool != "spawn_agent").then_some(ids.as_str());
        let arguments = Payload::new().said("message", self.prompt.said()).json("ids", ids).end();
        maker.tool_call(Call { id, name: tool, arguments: None }, &arguments);
        let answered = Call { id, name: tool, arguments: Some(&arguments) };
        let failed = self.status.is("failed");
        maker.tool_result(answered, self.states.get().unwrap_or("{}").to_owned(), None, failed);
    }
}
