//! What a client makes of a settings file: one that it cannot read it leaves out whole, hooks and all.
//!
//! Measured on Codex 0.166, Claude Code 2.1 and Gemini CLI 0.61, which differ in what they let pass.

use super::without_mark;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use memoir_event::Client;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Why the client does not take the file with the hooks, in a reader's words; none if it does.
pub fn refused(client: Client, text: &str) -> Option<String> {
    match client {
        Client::Codex => serde_json::from_str::<CodexFile>(text).err().map(|error| error.to_string()),
        Client::Claude => serde_json::from_str::<IgnoredAny>(without_mark(text)).err().map(|error| error.to_string()),
        Client::Gemini => CstRootNode::parse(text, &COMMENTS_ONLY).err().map(|error| error.to_string()),
        Client::Copilot | Client::Opencode => None,
    }
}

/// JSON, and comments.
const COMMENTS_ONLY: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// `hooks.json` as Codex reads it: a name that it does not know at the top, or a wrong type anywhere, and all is lost.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CodexFile {
    #[serde(rename = "description", default)]
    _description: Option<String>,
    #[serde(rename = "hooks", default)]
    _hooks: CodexEvents,
}

/// An event that is not among these may have any form.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct CodexEvents {
    pre_tool_use: Vec<CodexGroup>,
    permission_request: Vec<CodexGroup>,
    post_tool_use: Vec<CodexGroup>,
    pre_compact: Vec<CodexGroup>,
    post_compact: Vec<CodexGroup>,
    session_start: Vec<CodexGroup>,
    session_end: Vec<CodexGroup>,
    user_prompt_submit: Vec<CodexGroup>,
    subagent_start: Vec<CodexGroup>,
    subagent_stop: Vec<CodexGroup>,
    stop: Vec<CodexGroup>,
    interrupt: Vec<CodexGroup>,
    pre_model_request: Vec<CodexGroup>,
    post_model_request: Vec<CodexGroup>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only whether they can be read is asked")]
struct CodexGroup {
    #[serde(default)]
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<CodexHandler>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "only whether they can be read is asked")]
enum CodexHandler {
    Command {
        command: String,
        #[serde(rename = "commandWindows", alias = "command_windows", default)]
        command_windows: Option<String>,
        #[serde(default)]
        timeout: Option<u64>,
        #[serde(rename = "async", default)]
        is_async: bool,
        #[serde(rename = "statusMessage", default)]
        status_message: Option<String>,
        #[serde(rename = "additionalContextLimit", default)]
        additional_context_limit: Option<usize>,
    },
    McpTool {
        server: String,
        tool: String,
        #[serde(default)]
        input: Option<serde_json::Map<String, serde_json::Value>>,
        #[serde(default)]
        timeout: Option<u64>,
        #[serde(rename = "statusMessage", default)]
        status_message: Option<String>,
    },
    Prompt {},
    Agent {},
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each was given to Codex 0.166.0, with a hook of ours beside it.
    #[test]
    fn codex_takes_what_it_takes_and_refuses_what_it_refuses() {
        let ours = r#""UserPromptSubmit":[{"hooks":[{"type":"command","command":"x","timeout":10}]}]"#;
        let beside = |more: &str| format!(r#"{{"hooks":{{{more},{ours}}}}}"#);
        let handler = |fields: &str| beside(&format!(r#""Stop":[{{"hooks":[{{{fields}}}]}}]"#));
        let taken = [
            format!(r#"{{"hooks":{{{ours}}}}}"#),
            format!(r#"{{"description":"d","hooks":{{{ours}}}}}"#),
            format!(r#"{{"description":null,"hooks":{{{ours}}}}}"#),
            beside(r#""Foo":[]"#),
            beside(r#""Foo":5"#),
            beside(r#""Notification":null"#),
            beside(r#""PreToolUse":[{"matcher":"["}]"#),
            beside(r#""Stop":[{"matcher":null,"name":"n","hooks":[]}]"#),
            handler(r#""type":"command","command":"","timeout":null,"name":"n","timeoutSec":"x""#),
            handler(r#""type":"prompt","prompt":5"#),
            handler(r#""type":"agent""#),
            handler(r#""type":"mcp_tool","server":"s","tool":"t""#),
            "{}".to_owned(),
        ];
        for text in taken {
            assert_eq!(refused(Client::Codex, &text), None, "{text}");
        }
        let whole = |more: &str| format!(r#"{{{more}"hooks":{{{ours}}}}}"#);
        let refused_ones = [
            whole(r#""version":1,"#),
            whole(r#""$schema":"s","#),
            whole(r#""x":null,"#),
            whole(r#""description":5,"#),
            whole(r#""hooks":{},"#),
            whole("// comment\n"),
            format!("\u{feff}{}", whole("")),
            format!(r#"{{"hooks":{{{ours},}}}}"#),
            beside(r#""UserPromptSubmit":[]"#),
            beside(r#""PreToolUse":null"#),
            beside(r#""PostModelRequest":null"#),
            beside(r#""PreToolUse":{}"#),
            beside(r#""Stop":["x"]"#),
            beside(r#""Stop":[{"hooks":null}]"#),
            beside(r#""Stop":[{"hooks":[],"hooks":[]}]"#),
            beside(r#""PreToolUse":[{"matcher":5,"hooks":[]}]"#),
            handler(r#""type":"command""#),
            handler(r#""command":"x""#),
            handler(r#""type":"nonsense""#),
            handler(r#""type":"command","command":5"#),
            handler(r#""type":"command","command":"x","timeout":"10""#),
            handler(r#""type":"command","command":"x","timeout":1.5"#),
            handler(r#""type":"command","command":"x","timeout":-1"#),
            handler(r#""type":"command","command":"x","async":null"#),
            handler(r#""type":"command","command":"x","statusMessage":5"#),
            handler(r#""type":"command","command":"x","additionalContextLimit":"x""#),
            handler(r#""type":"command","command":"x","command_windows":5"#),
            handler(r#""type":"mcp_tool","server":"s""#),
            handler(r#""type":"mcp_tool","server":"s","tool":"t","input":"a""#),
            r#"{"hooks":null}"#.to_owned(),
            String::new(),
        ];
        for text in refused_ones {
            assert!(refused(Client::Codex, &text).is_some(), "{text}");
        }
        let why = refused(Client::Codex, &whole(r#""version":1,"#)).unwrap();
        assert!(why.starts_with("unknown field `version`, expected `description` or `hooks`"), "{why}");
    }

    #[test]
    fn claude_wants_plain_json_and_gemini_lets_comments_pass() {
        let taken = |text: &str| [Client::Claude, Client::Gemini].map(|client| refused(client, text).is_none());
        assert_eq!(taken("{\"hooks\": {}, \"x\": 1}"), [true, true]);
        assert_eq!(taken("{ // mine\n}"), [false, true]);
        assert_eq!(taken("{\"a\": 1,}"), [false, false]);
        assert_eq!(taken("\u{feff}{}"), [true, false]);
        assert_eq!(taken("{'a': 1}"), [false, false]);
    }
}
