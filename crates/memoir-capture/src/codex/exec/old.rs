//! The form of the stream until September 2025: numbered messages; commands begin and end apart, under one id.

use super::{COMMANDS_MAX, ExecStream};
use crate::lenient::{List, Number, Text, Words, lenient};
use crate::out::Out;
use crate::scene::{Call, Ending};
use crate::shell;

lenient! {
    pub(super) struct OldMessage<'a> {
        kind: Text<'a> = "type",
        session_id: Text<'a> = "session_id",
        message: Words<'a> = "message",
        text: Words<'a> = "text",
        call_id: Text<'a> = "call_id",
        command: List<Text<'a>> = "command",
        output: Words<'a> = "aggregated_output",
        stdout: Words<'a> = "stdout",
        exit_code: Number = "exit_code",
    }
}

impl ExecStream {
    pub(super) fn old(&mut self, message: &OldMessage<'_>, number: u64, out: &mut Out) {
        match message.kind.get() {
            Some("session_configured") => {
                if let Some(thread) = message.session_id.owned() {
                    self.enter(&thread, number, out);
                }
            }
            Some(kind @ ("agent_message" | "agent_reasoning")) => {
                let text = message.message.owned().or_else(|| message.text.owned());
                let name = self.name("item");
                if let (Some(text), false) = (text, self.scene.session.is_empty()) {
                    let mut maker = self.maker(number, out);
                    if kind == "agent_message" {
                        maker.assistant(text, vec![name])
                    } else {
                        maker.reasoning(text, vec![name])
                    }
                }
            }
            Some("error") => {
                let name = self.name("item");
                if let Some(text) = message.message.owned() {
                    self.maker(number, out).error(text, vec![name]);
                }
            }
            Some("exec_command_begin") => self.old_command(message, number, out),
            Some("exec_command_end") => self.old_result(message, number, out),
            Some(kind) => out.left_out(kind),
            None => out.problem("event without a type"),
        }
    }

    fn old_command(&mut self, message: &OldMessage<'_>, number: u64, out: &mut Out) {
        let words: Vec<&str> = message.command.0.iter().filter_map(Text::get).collect();
        let Some(id) = message.call_id.owned().filter(|_| !self.scene.session.is_empty()) else { return };
        if self.state.commands.len() >= COMMANDS_MAX {
            self.state.commands.remove(0);
        }
        let script = shell::script_of_words(&words);
        let call = Call { id: Some(&id), name: "Bash", arguments: None };
        self.maker(number, out).tool_call(call, &shell::arguments_of(&script));
        self.state.commands.push((id, script));
    }

    fn old_result(&mut self, message: &OldMessage<'_>, number: u64, out: &mut Out) {
        let at = self.state.commands.iter().position(|(id, _)| message.call_id.is(id));
        let Some((id, script)) = at.map(|at| self.state.commands.remove(at)) else {
            out.problem("result without a call");
            return;
        };
        let exit_code = message.exit_code.whole();
        let failed = exit_code.is_some_and(|code| code != 0);
        let status = if failed { "failed" } else { "completed" };
        let call = Call { id: Some(&id), name: "Bash", arguments: None };
        let output = message.output.owned().or_else(|| message.stdout.owned()).unwrap_or_default();
        let mut maker = self.maker(number, out);
        maker.command(call, &script, Ending { exit_code, status: Some(status), ..Ending::default() });
        maker.tool_result(call, output, exit_code, failed);
    }
}
