//! What helps with a prompt.

use crate::compress::{Compressed, compress, shown as shown_lines};
use crate::inject::{InjectError, Injector, Time};
use crate::shown::Shown;
use memoir_event::{EventId, Kind};
use memoir_journal::{Audience, View};
use memoir_recall::{Answer, Block, Effort, Request, digest, orders_the_usual};
use std::borrow::Cow;
use std::collections::HashSet;

/// So many blocks at most.
const BLOCKS_MAX: usize = 8;
/// What was only said comes among the first so many: beyond them, only what somebody keeps.
const SAID_MAX: usize = 6;
/// So many are looked at: some were shown already.
const LOOKED_AT: usize = 20;
/// With fewer than this from here, what is from elsewhere may come too.
const FEW: usize = 3;
/// What is from here helps if it is as sure as this. A prompt is not a question: most ask for nothing that is known.
const SURE_HERE: f32 = 0.2;
/// What is from other projects has to be surer.
const SURE_ELSEWHERE: f32 = 0.3;
/// What tools say may hold anything, also what wants to be obeyed: it waits until somebody asks for it.
const NOT_UNASKED: [Kind; 3] = [Kind::ToolCall, Kind::ToolResult, Kind::Context];
/// About so many bytes are a token, and so many tokens stand around a block.
const TOKEN_BYTES: usize = 4;
const FRAME_TOKENS: usize = 24;
/// Of a longer prompt only so much of its beginning and its end is what it is about.
const HEAD_BYTES: usize = 900;
const TAIL_BYTES: usize = 300;
/// A word of fewer letters tells nothing of what a prompt is about.
const WORD_CHARS_MIN: usize = 3;
/// A prompt of fewer such words is about what was said just before.
const WORDS_MIN: usize = 2;
/// Characters that are words of their own; so many are about something.
const IDEOGRAPHS_MIN: usize = 4;

/// Who asks what, and where.
pub(crate) struct Asking<'a> {
    /// What the user says.
    pub speech: &'a str,
    /// The project.
    pub project: &'a str,
    /// The session, as people see it.
    pub session: &'a str,
}

impl Injector {
    /// What helps with a prompt and was not shown lately; it is known to be shown from now on. None if nothing helps.
    pub(crate) fn recalled(
        &self,
        asking: &Asking<'_>,
        shown: &mut Shown,
        time: Time,
    ) -> Result<Option<String>, InjectError> {
        if !is_telling(asking.speech) {
            return Ok(None);
        }
        let mut chosen = Chosen::new(self.wanted.budget_tokens);
        let mut request = Request::new(&question_of(asking.speech), View::of(Audience::Recall), (self.clock)());
        request.projects = vec![asking.project.to_owned()];
        request.here = Some(asking.project.to_owned());
        request.not_session = Some(asking.session.to_owned());
        request.dropped_before_ms = shown.dropped_ms();
        request.copied = shown.copied();
        request.leaves_out_echoes = true;
        request.effort = Effort::Small;
        request.limit = LOOKED_AT;
        request.budget_tokens = None;
        request.min_confidence = SURE_HERE;
        request.blocked_kinds = NOT_UNASKED.to_vec();
        request.zone = self.zone.clone();
        let mut blocks = self.ask(&request, time)?;
        // `run the tests` means those that are here, and what was ever said in passing of running them helps nobody.
        let is_usual = orders_the_usual(asking.speech);
        blocks.retain(|block| !is_usual || block.memory.is_some());
        chosen.take(blocks, shown);
        if chosen.blocks.len() < FEW && time.is_left() && !is_usual {
            request.projects.clear();
            request.min_confidence = SURE_ELSEWHERE;
            chosen.take(self.ask(&request, time)?, shown);
        }
        let (digest, told) = self.digest(asking.speech, chosen.blocks, time);
        told.iter().flat_map(ids_of).for_each(|id| shown.add(id));
        Ok(digest)
    }

    /// What there is to tell of blocks, and those that it is of.
    fn digest(&self, speech: &str, blocks: Vec<Block>, time: Time) -> (Option<String>, Vec<Block>) {
        if blocks.is_empty() {
            return (None, blocks);
        }
        let now_ms = (self.clock)();
        let compressor = self.compressor.as_ref().filter(|_| !self.wanted.is_private);
        let known = compressor.and_then(|compressor| Some((compressor, compressor.known(now_ms)?)));
        if let Some((compressor, profile)) = known {
            match compress(compressor, &profile, (speech, &blocks), &self.redactor, time.end) {
                Compressed::Nothing => return (None, Vec::new()),
                Compressed::Lines(lines) => {
                    let digest = shown_lines(&lines, &blocks, &self.zone);
                    let is_told = |block: &Block| lines.iter().any(|(_, id)| *id == block.event_id);
                    return (Some(digest), blocks.into_iter().filter(is_told).collect());
                }
                Compressed::Failed(_) => compressor.give_up(&profile, now_ms),
            }
        }
        let answer = Answer { blocks, ..Answer::default() };
        (Some(digest(&answer, &self.zone)), answer.blocks)
    }

    pub(crate) fn ask(&self, request: &Request, time: Time) -> Result<Vec<Block>, InjectError> {
        let answer = self.recall.recall(&*self.journal, &self.index, request, &mut |_, _| time.is_left())?;
        Ok(answer.blocks)
    }
}

/// Blocks as they are taken, within a budget.
struct Chosen {
    blocks: Vec<Block>,
    ids: HashSet<EventId>,
    tokens_left: usize,
}

impl Chosen {
    fn new(tokens: usize) -> Chosen {
        Chosen { blocks: Vec::new(), ids: HashSet::new(), tokens_left: tokens }
    }

    fn take(&mut self, blocks: Vec<Block>, shown: &Shown) {
        for block in blocks {
            let tokens = block.text.len().div_ceil(TOKEN_BYTES) + FRAME_TOKENS;
            let is_known = ids_of(&block).any(|id| shown.has(&id) || self.ids.contains(&id));
            let most = if block.memory.is_some() { BLOCKS_MAX } else { SAID_MAX };
            if self.blocks.len() >= most || is_known || tokens > self.tokens_left {
                continue;
            }
            self.tokens_left -= tokens;
            self.ids.extend(ids_of(&block));
            self.blocks.push(block);
        }
    }
}

/// A block, what says the same, and what it is made of.
fn ids_of(block: &Block) -> impl Iterator<Item = EventId> {
    let sources = block.memory.iter().flat_map(|memory| &memory.sources);
    let sources = sources.filter_map(|source| EventId::parse(source.event.as_deref()?).ok());
    std::iter::once(block.event_id).chain(block.same.iter().copied()).chain(sources)
}

/// What a prompt is about: of a long one its beginning and its end, for what is pasted stands between them.
fn question_of(speech: &str) -> Cow<'_, str> {
    if speech.len() <= HEAD_BYTES + TAIL_BYTES {
        return Cow::Borrowed(speech);
    }
    let head = speech.get(..speech.floor_char_boundary(HEAD_BYTES)).unwrap_or_default();
    let tail = speech.get(speech.ceil_char_boundary(speech.len() - TAIL_BYTES)..).unwrap_or_default();
    Cow::Owned(format!("{head}\n{tail}"))
}

/// Whether a prompt says what it is about.
fn is_telling(speech: &str) -> bool {
    let words = speech.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= WORD_CHARS_MIN);
    let ideographs = speech.chars().filter(|c| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')).count();
    words.take(WORDS_MIN).count() >= WORDS_MIN || ideographs >= IDEOGRAPHS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::tests::block;
    use memoir_event::{Memory, MemoryKind};

    #[test]
    fn a_prompt_that_says_nothing_of_itself_is_no_question() {
        for empty in ["go on", "fix it", "continue", "do it!", "?", "y", "再试"] {
            assert!(!is_telling(empty), "{empty}");
        }
        for telling in ["how do we deploy?", "run cargo test", "почини вход", "登录测试失败了"] {
            assert!(is_telling(telling), "{telling}");
        }
    }

    #[test]
    fn what_is_kept_may_be_more_than_what_was_only_said() {
        let said = |n: u32| Block { text: "short".to_owned(), ..block(n) };
        let kept = |n: u32| Block { memory: Some(Memory::new("m", MemoryKind::Fact, "short", "it")), ..said(n) };
        let shown = Shown::default();
        let taken = |blocks: Vec<Block>| {
            let mut chosen = Chosen::new(1_000);
            chosen.take(blocks, &shown);
            chosen.blocks.len()
        };
        assert_eq!(taken((0..20).map(said).collect()), SAID_MAX);
        assert_eq!(taken((0..20).map(kept).collect()), BLOCKS_MAX);
        assert_eq!(taken((0..5).map(said).chain((5..20).map(kept)).collect()), BLOCKS_MAX);
    }

    #[test]
    fn a_long_prompt_is_about_what_stands_at_its_ends() {
        let long = format!("begin {} end", "ж".repeat(5_000));
        let about = question_of(&long);
        assert!(about.starts_with("begin ") && about.ends_with(" end") && about.len() < HEAD_BYTES + TAIL_BYTES + 8);
        assert_eq!(question_of("short"), "short");
    }
}
