//! The shapes of Claude Code's records, in session files and in `--output-format stream-json`.

use crate::lenient::{Flag, List, Number, Raw, Text, TextOr, lenient};

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
        feedback: Text<'a> = "userFeedback",
        subtype: Text<'a> = "subtype",
        content: Text<'a> = "content",
        operation: Text<'a> = "operation",
        attachment: Attachment<'a> = "attachment",
        total_cost: Number = "totalCostUSD",
        stream_cost: Number = "total_cost_usd",
        title: Text<'a> = "aiTitle",
        custom_title: Text<'a> = "customTitle",
        pr_url: Text<'a> = "prUrl",
        result: Text<'a> = "result",
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
        content: TextOr<'a, Block<'a>> = "content",
        stop_reason: Text<'a> = "stop_reason",
        usage: Usage<'a> = "usage",
    }
}

lenient! {
    pub(super) struct Block<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        thinking: Text<'a> = "thinking",
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
        prompt: TextOr<'a, Block<'a>> = "prompt",
        mode: Text<'a> = "commandMode",
        origin: Origin<'a> = "origin",
        source_uuid: Text<'a> = "source_uuid",
    }
}

/// A list of content blocks or a text, as text: pictures are notes.
pub(super) fn text_of(content: Raw<'_>) -> String {
    match content.read::<TextOr<'_, Block<'_>>>() {
        TextOr::Text(text) => text.into_owned(),
        TextOr::List(blocks) => {
            let texts: Vec<String> = blocks.iter().filter_map(Block::shown).collect();
            texts.join("\n")
        }
        TextOr::Neither => String::new(),
    }
}

impl Block<'_> {
    /// The text of a block, or a note of what it holds.
    fn shown(&self) -> Option<String> {
        match self.kind.get() {
            Some("text") => self.text.owned(),
            Some("image" | "document") => self.media().map(|media| media.note()),
            _ => None,
        }
    }

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
