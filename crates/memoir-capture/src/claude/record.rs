//! The shapes of Claude Code's records, in session files and in `--output-format stream-json`.

use crate::content::Unknown;
use crate::lenient::{Flag, List, Number, Raw, Text, Words, lenient};
use serde::{Deserialize, Deserializer};

lenient! {
    /// One line.
    pub(super) struct Record<'a> {
        kind: Text<'a> = "type",
        uuid: Text<'a> = "uuid",
        session_id: Text<'a> = "sessionId",
        stream_session: Text<'a> = "session_id",
        agent_id: Text<'a> = "agentId",
        stream_agent: Text<'a> = "agent_id",
        parent_tool: Text<'a> = "parent_tool_use_id",
        timestamp: Raw<'a> = "timestamp",
        cwd: Text<'a> = "cwd",
        branch: Text<'a> = "gitBranch",
        version: Text<'a> = "version",
        prompt_id: Text<'a> = "promptId",
        prompt_source: Text<'a> = "promptSource",
        origin: Origin<'a> = "origin",
        is_sidechain: Flag = "isSidechain",
        is_meta: Flag = "isMeta",
        is_summary: Flag = "isCompactSummary",
        is_unseen: Flag = "isVisibleInTranscriptOnly",
        is_api_error: Flag = "isApiErrorMessage",
        is_virtual: Flag = "isVirtual",
        plan: Text<'a> = "planContent",
        block_index: Number = "apiBlockIndex",
        message: Message<'a> = "message",
        tool_use_result: Raw<'a> = "toolUseResult",
        stream_result: Raw<'a> = "tool_use_result",
        feedback: Words<'a> = "userFeedback",
        subtype: Text<'a> = "subtype",
        content: Words<'a> = "content",
        operation: Text<'a> = "operation",
        attachment: Attachment<'a> = "attachment",
        total_cost: Number = "totalCostUSD",
        stream_cost: Number = "total_cost_usd",
        stream_usage: Raw<'a> = "usage",
        stream_models: Raw<'a> = "model_usage_since_last_result",
        stream_models_ever: Raw<'a> = "modelUsage",
        title: Text<'a> = "aiTitle",
        custom_title: Text<'a> = "customTitle",
        pr_url: Text<'a> = "prUrl",
        result: Words<'a> = "result",
        is_error: Flag = "is_error",
        error: Raw<'a> = "error",
        model: Text<'a> = "model",
        duration_ms: Number = "durationMs",
        is_replay: Flag = "isReplay",
    }
}

lenient! {
    pub(super) struct Origin<'a> {
        kind: Text<'a> = "kind",
    }
}

lenient! {
    pub(super) struct Message<'a> {
        id: Text<'a> = "id",
        role: Text<'a> = "role",
        model: Text<'a> = "model",
        content: Blocks<'a> = "content",
        stop_reason: Text<'a> = "stop_reason",
        usage: Raw<'a> = "usage",
    }
}

lenient! {
    pub(super) struct Block<'a> {
        kind: Text<'a> = "type",
        text: Words<'a> = "text",
        thinking: Words<'a> = "thinking",
        id: Text<'a> = "id",
        name: Text<'a> = "name",
        input: Raw<'a> = "input",
        tool_use_id: Text<'a> = "tool_use_id",
        content: Raw<'a> = "content",
        is_error: Flag = "is_error",
        source: Source<'a> = "source",
    }
}

lenient! {
    pub(super) struct Source<'a> {
        media_type: Text<'a> = "media_type",
        data: Text<'a> = "data",
    }
}

impl Usage<'_> {
    pub const NAMES: [&'static str; 4] =
        ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
}

lenient! {
    pub(super) struct Usage<'a> {
        input: Number = "input_tokens",
        output: Number = "output_tokens",
        cache_written: Number = "cache_creation_input_tokens",
        cached: Number = "cache_read_input_tokens",
    }
}

lenient! {
    pub(super) struct Attachment<'a> {
        kind: Text<'a> = "type",
        prompt: Blocks<'a> = "prompt",
        mode: Text<'a> = "commandMode",
        origin: Origin<'a> = "origin",
        source_uuid: Text<'a> = "source_uuid",
    }
}

/// What stands in a message, block by block; a text is a block of its own.
#[derive(Debug, Default)]
pub(super) struct Blocks<'a> {
    pub list: Vec<Written<'a>>,
    /// Whether there is any content, be it an empty one.
    pub is_there: bool,
}

/// A block, and how it is written.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub json: &'a str,
    block: Block<'a>,
}

impl<'a> std::ops::Deref for Written<'a> {
    type Target = Block<'a>;

    fn deref(&self) -> &Block<'a> {
        &self.block
    }
}

impl<'de> Deserialize<'de> for Blocks<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = Raw::deserialize(deserializer)?;
        let parts: List<Raw<'de>> = content.read();
        let is_list =
            content.is_list() && (parts.0.is_empty() || parts.0.iter().any(|part| part.is_text() || part.is_object()));
        let parts = if is_list { parts.0 } else { vec![content] };
        let list = parts.into_iter().filter_map(|part| Written::of(part, is_list)).collect();
        Ok(Blocks { list, is_there: content.get().is_some() })
    }
}

impl<'a> Written<'a> {
    /// The block that stands there; what is none is a text.
    fn of(raw: Raw<'a>, is_in_list: bool) -> Option<Written<'a>> {
        let json = raw.get()?;
        let block: Block<'a> = raw.read();
        if raw.is_object() && (is_in_list || block.kind.get().is_some()) {
            return Some(Written { json, block });
        }
        let (kind, text) = (Text(Some("text".into())), raw.read());
        Some(Written { json, block: Block { kind, text, ..Block::default() } })
    }

    /// The same as a block that nobody knows.
    pub fn as_unknown(&self) -> Unknown<'a> {
        Unknown { kind: self.kind.said().unwrap_or("block").to_owned(), json: self.json }
    }
}

impl Blocks<'_> {
    /// The texts of its blocks, a line for each.
    pub fn text(&self) -> String {
        self.list.iter().filter_map(|block| block.text.owned()).collect::<Vec<_>>().join("\n")
    }
}

impl Block<'_> {
    /// The picture or document that it holds.
    pub fn media(&self) -> Option<crate::media::Media> {
        let kind = self.source.media_type.said().unwrap_or("image");
        match self.kind.get() {
            Some("image" | "document") => {
                Some(crate::media::Media::of_base64(kind, self.source.data.get().unwrap_or_default()))
            }
            _ => None,
        }
    }
}

/// A list of texts that are ids or names.
pub(super) type Texts<'a> = List<Text<'a>>;
