//! Chooses blocks: new, not all from one place, within the budget.

use crate::request::{Block, Request};
use memoir_event::Kind;
use std::collections::HashSet;

/// Texts whose words are shared to this part say the same.
const SAME_SHARE: f32 = 0.85;
/// Shorter texts are the same only if they are equal.
const SAME_WORDS_MIN: usize = 4;
/// About so many bytes are a token.
const TOKEN_BYTES: usize = 4;
/// What stands around a block's text, in tokens.
const FRAME_TOKENS: usize = 24;

/// This share of the blocks may be from one session before others have had their turn.
const ONE_SESSION_SHARE: f32 = 0.5;
/// But nobody waits for what fits less well than this share of it.
const WORTH_WAITING: f32 = 0.8;

/// Blocks as they are chosen, the best first.
pub(crate) struct Chosen<'a> {
    request: &'a Request,
    blocks: Vec<(Block, HashSet<String>)>,
    /// What is good enough but would be too much from one session.
    waiting: Vec<Block>,
    tokens: usize,
    left_out: usize,
}

impl<'a> Chosen<'a> {
    pub fn new(request: &'a Request) -> Chosen<'a> {
        Chosen { request, blocks: Vec::new(), waiting: Vec::new(), tokens: 0, left_out: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.blocks.len() >= self.request.limit
    }

    /// Takes the block, or has it wait until other sessions had their turn.
    pub fn offer_in_turn(&mut self, block: Block) {
        let waited = self.waiting.first().map(|first| first.score);
        if waited.is_some_and(|waited| block.score < waited * WORTH_WAITING) {
            self.end_of_waiting();
        }
        if self.has_enough_of(&block) && !self.is_full() { self.waiting.push(block) } else { self.offer(block) }
    }

    fn end_of_waiting(&mut self) {
        for block in std::mem::take(&mut self.waiting) {
            self.offer(block);
        }
    }

    fn has_enough_of(&self, block: &Block) -> bool {
        let most = ((self.request.limit as f32 * ONE_SESSION_SHARE) as usize).max(2);
        let is_same =
            |known: &Block| known.memory.is_none() && (known.client, &known.session) == (block.client, &block.session);
        let is_one_wanted = self.request.filter.session.is_some();
        !is_one_wanted
            && block.memory.is_none()
            && self.blocks.iter().filter(|(known, _)| is_same(known)).count() >= most
    }

    /// Takes the block if it is new and fits.
    pub fn offer(&mut self, block: Block) {
        if self.is_full() || block.text.is_empty() {
            self.left_out += 1;
            return;
        }
        let words = words_of(&block.text);
        let is_same =
            |(known, said): &&mut (Block, HashSet<String>)| says_same(said, &words) || is_one_act(known, &block);
        if let Some((known, said)) = self.blocks.iter_mut().find(is_same) {
            self.left_out += 1;
            if is_made_of(&block, known) {
                // What was said once is told once: as the memory that it became.
                let (confidence, score, same) = (known.confidence, known.score, std::mem::take(&mut known.same));
                *known = Block { confidence, score, same, ..block };
                *said = words;
            } else if known.event_id != block.event_id && !is_made_of(known, &block) && !is_one_act(known, &block) {
                known.same.push(block.event_id);
            }
            return;
        }
        let tokens = tokens_of(&block.text);
        if self.request.budget_tokens.is_some_and(|budget| self.tokens + tokens > budget) {
            self.left_out += 1;
            return;
        }
        self.tokens += tokens;
        self.blocks.push((block, words));
    }

    /// The blocks, how many were left out, and about how many tokens they take.
    pub fn finish(mut self) -> (Vec<Block>, usize, usize) {
        self.end_of_waiting();
        (self.blocks.into_iter().map(|(block, _)| block).collect(), self.left_out, self.tokens)
    }
}

/// Whether a block is a memory that was made of what the other says.
fn is_made_of(block: &Block, other: &Block) -> bool {
    let sources = block.memory.iter().flat_map(|memory| &memory.sources);
    other.memory.is_none()
        && sources.into_iter().any(|source| match (&source.event, &source.turn) {
            (Some(event), _) => *event == other.event_id.to_string(),
            (None, Some(turn)) => Some(turn) == other.turn.as_ref(),
            (None, None) => source.session.as_deref().is_some_and(|session| session.ends_with(&other.session)),
        })
}

/// Whether two blocks only tell of one edit: the call, and what it changed.
fn is_one_act(a: &Block, b: &Block) -> bool {
    const OF_AN_ACT: [Kind; 2] = [Kind::ToolCall, Kind::FileChange];
    let is_act = |block: &Block| OF_AN_ACT.contains(&block.kind) && block.action.is_some();
    is_act(a) && is_act(b) && (a.client, &a.session, &a.action) == (b.client, &b.session, &b.action)
}

/// About how many tokens a block of that text takes.
pub(crate) fn tokens_of(text: &str) -> usize {
    text.len().div_ceil(TOKEN_BYTES) + FRAME_TOKENS
}

fn words_of(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn says_same(a: &HashSet<String>, b: &HashSet<String>) -> bool {
    if a.len().min(b.len()) < SAME_WORDS_MIN {
        return a == b;
    }
    let both = a.intersection(b).count() as f32;
    let all = (a.len() + b.len()) as f32 - both;
    both / all >= SAME_SHARE
}
