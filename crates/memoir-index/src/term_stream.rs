//! Hands our tokens to Tantivy.

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
