//! What happens in a session, in words of no client.

/// One session, and perhaps another one that goes on from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Tells this session from every other: ids and times follow from it.
    pub number: u32,
    /// How the client is used.
    pub manner: Manner,
    /// What the user asks, one thing after another.
    pub turns: Vec<Turn>,
    /// A second session that begins with a copy of the first.
    pub fork: Option<Fork>,
}

/// How the client is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Started anew for each prompt, with its output read by a program.
    Printed,
    /// At a terminal, all prompts in one run.
    Typed,
}

/// A session that goes on from another.
#[derive(Debug, Clone, PartialEq)]
pub struct Fork {
    /// So many turns of the other are its past.
    pub after: usize,
    /// What happens in it.
    pub turns: Vec<Turn>,
}

/// What the user asked and all that the agent did until it stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Seconds since the turn before.
    pub pause_s: u32,
    /// What the user typed.
    pub prompt: String,
    /// What else stands in the prompt.
    pub blocks: Vec<Block>,
    /// The conversation is compacted into this before the agent begins.
    pub compaction: Option<String>,
    /// What the model said, each time with calls of tools.
    pub replies: Vec<Reply>,
    /// How it ended.
    pub end: End,
}

/// A text that is put into a prompt by somebody else than the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it stands.
    pub side: Side,
}

/// Where a block stands in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Above what the user typed.
    Before,
    /// Below it.
    After,
}

/// What is put into prompts by plugins of any client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// memoir's own.
    Memoir,
    /// OpenViking's.
    OpenViking,
    /// OpenViking's of old.
    RelevantMemories,
    /// OpenViking's without any mark around it.
    Digest,
    /// What a hook said.
    HookContext,
    /// What the client reminds the model of.
    Reminder,
}

impl BlockKind {
    /// Every kind.
    pub const ALL: [BlockKind; 6] = [
        BlockKind::Memoir,
        BlockKind::OpenViking,
        BlockKind::RelevantMemories,
        BlockKind::Digest,
        BlockKind::HookContext,
        BlockKind::Reminder,
    ];

    /// The block as it stands in a prompt; each says [`INJECTED`].
    pub fn text(self) -> String {
        match self {
            BlockKind::Memoir => format!("<memoir-context source=\"recall\">\n{INJECTED}\n</memoir-context>"),
            BlockKind::OpenViking => {
                format!(
                    "<openviking-context source=\"auto-recall\" format=\"digest\">\n- {INJECTED}\n</openviking-context>"
                )
            }
            BlockKind::RelevantMemories => format!("<relevant-memories>\n{INJECTED}\n</relevant-memories>"),
            BlockKind::Digest => format!("OpenViking memory digest:\n- {INJECTED}\n  and more of it\n"),
            BlockKind::HookContext => format!("<hook_context>{INJECTED}</hook_context>"),
            BlockKind::Reminder => format!("<system-reminder>\n{INJECTED}\n</system-reminder>"),
        }
    }
}

/// What every injected text says, so that a test can look for it.
pub const INJECTED: &str = "nobody typed this remembered line";

/// One answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it thought.
    pub thought: Option<String>,
    /// What it said, block by block.
    pub texts: Vec<String>,
    /// What it had done.
    pub calls: Vec<Call>,
    /// Tokens read and written.
    pub tokens: (u32, u32),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A command.
    Run(Run),
    /// A new file.
    Write(Write),
    /// An agent that works on its own.
    Agent(Agent),
}

/// A command that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The script.
    pub command: String,
    /// What it printed, without a newline at its end.
    pub output: String,
    /// How it ended.
    pub exit_code: u8,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// Its path in the project.
    pub path: String,
    /// What stands in it: one line.
    pub line: String,
}

/// An agent that another one sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// What it was told to do.
    pub task: String,
    /// What it ran.
    pub runs: Vec<Run>,
    /// What it answered.
    pub answer: String,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// With an answer, which has no calls.
    Answer(Reply),
    /// The model could not be reached.
    Failure(String),
    /// By the user.
    Interrupt,
}

impl Turn {
    /// The prompt with everything that stands in it.
    pub fn whole_prompt(&self) -> String {
        let blocks = |side: Side| self.blocks.iter().filter(move |block| block.side == side);
        let mut parts: Vec<String> = blocks(Side::Before).map(|block| block.kind.text()).collect();
        parts.push(self.prompt.clone());
        parts.extend(blocks(Side::After).map(|block| block.kind.text()));
        parts.join("\n")
    }

    /// The answer, if there is one.
    pub const fn answer(&self) -> Option<&Reply> {
        match &self.end {
            End::Answer(reply) => Some(reply),
            End::Failure(_) | End::Interrupt => None,
        }
    }

    /// What the agent said last, if it came to an answer.
    pub fn last_text(&self) -> Option<&str> {
        self.answer().and_then(|reply| reply.texts.last()).map(String::as_str)
    }
}
