//! Hands our tokens to Tantivy.

use crate::stem::Stems;
use crate::token::Tokens;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Our tokenizer in Tantivy's clothes.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer {
    tokens: Tokens,
    token: Token,
}

/// The tokens of one text.
pub(crate) struct TermStream<'a> {
    tokens: &'a Tokens,
    token: &'a mut Token,
    next: usize,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.tokens.fill(text);
        self.token.reset();
        TermStream { tokens: &self.tokens, token: &mut self.token, next: 0 }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let Some((term, token)) = self.tokens.get(self.next) else { return false };
        self.next += 1;
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = token.position as usize;
        self.token.offset_from = token.from as usize;
        self.token.offset_to = token.to as usize;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

/// The stems of what was said, in Tantivy's clothes.
#[derive(Clone, Default)]
pub(crate) struct SpeechTokenizer {
    stems: Stems,
    token: Token,
}

/// The stems of one text.
pub(crate) struct StemStream<'a> {
    stems: &'a Stems,
    token: &'a mut Token,
    next: usize,
}

impl Tokenizer for SpeechTokenizer {
    type TokenStream<'a> = StemStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> StemStream<'a> {
        self.stems.fill(text);
        self.token.reset();
        StemStream { stems: &self.stems, token: &mut self.token, next: 0 }
    }
}

impl TokenStream for StemStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(stem) = self.stems.get(self.next) else { return false };
        self.token.position = self.next;
        self.next += 1;
        self.token.text.clear();
        self.token.text.push_str(stem);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
