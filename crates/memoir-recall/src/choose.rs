//! Chooses blocks: new, not all from one place, within the budget.

use crate::request::{Block, Request};
use std::collections::HashSet;

/// Texts whose words are shared to this part say the same.
const SAME_SHARE: f32 = 0.85;
/// Shorter texts are the same only if they are equal.
const SAME_WORDS_MIN: usize = 4;
/// About so many bytes are a token.
const TOKEN_BYTES: usize = 4;
/// What stands around a block's text, in tokens.
const FRAME_TOKENS: usize = 24;

/// Blocks as they are chosen, the best first.
pub(crate) struct Chosen<'a> {
    request: &'a Request,
    blocks: Vec<(Block, HashSet<String>)>,
    tokens: usize,
    left_out: usize,
}

impl<'a> Chosen<'a> {
    pub fn new(request: &'a Request) -> Chosen<'a> {
        Chosen { request, blocks: Vec::new(), tokens: 0, left_out: 0 }
    }

    pub fn is_full(&self) -> bool {
        self.blocks.len() >= self.request.limit
    }

    /// Takes the block if it is new and fits.
    pub fn offer(&mut self, block: Block) {
        if self.is_full() || block.text.is_empty() {
            self.left_out += 1;
            return;
        }
        let words = words_of(&block.text);
        if let Some((known, _)) = self.blocks.iter_mut().find(|(_, known)| says_same(known, &words)) {
            known.same.push(block.event_id);
            self.left_out += 1;
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
    pub fn finish(self) -> (Vec<Block>, usize, usize) {
        (self.blocks.into_iter().map(|(block, _)| block).collect(), self.left_out, self.tokens)
    }
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
