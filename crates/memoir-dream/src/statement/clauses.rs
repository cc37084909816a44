//! The words of a statement put in order, and cut into clauses.

use super::{CORE_STEPS_MAX, HEAD_WORDS_MAX};
use crate::claim::{is_finite, is_verb};
use crate::phrase::{DENIALS, Word};
use crate::vocabulary::{AGENTS, COPULAS, CORRECTING, FILLERS, LEAD_INS, PREPOSITIONS, REASONS};

/// What is put for something else has at most so many words.
const PUT_WORDS_MAX: usize = 4;

/// "Not jenkins, ./ship", "sorry, not Colm, Ciaran": it is the second and not the first.
pub(super) fn put_straight(words: &mut Vec<Word>) {
    let is_lead = |word: &&Word| word.is(&["sorry", "no", "wait", "oops"]) || word.is_mark();
    let lead = words.iter().take_while(is_lead).count();
    let Some((_, said)) = words.get(lead..).and_then(<[Word]>::split_first).filter(|(first, _)| first.is(&["not"]))
    else {
        return;
    };
    let Some(at) = said.iter().position(Word::is_mark).filter(|at| (1..=PUT_WORDS_MAX).contains(at)) else { return };
    let (wrong, right) = (said.get(..at).unwrap_or_default(), said.get(at + 1..).unwrap_or_default());
    let right: Vec<Word> = right.iter().filter(|word| !word.is(&["but", "."])).cloned().collect();
    let is_plain = |words: &[Word]| !words.iter().any(|word| is_verb(word) || word.is_mark());
    if !right.is_empty() && right.len() <= PUT_WORDS_MAX && is_plain(wrong) && is_plain(&right) {
        let [it, is, mark, not] = ["it", "is", ",", "not"].map(Word::little);
        *words = [vec![it, is], right, vec![mark, not], wrong.to_vec()].concat();
    }
}

/// "Use tabs not spaces": what is denied beside a choice is a clause of its own.
pub(super) fn set_apart(words: &mut Vec<Word>) {
    let is_own = |at: usize| {
        let (before, after) = (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default());
        let last = before.last();
        let end = after.iter().position(Word::is_mark).unwrap_or(after.len());
        before.len() > 1
            && last.is_some_and(|word| !word.is_mark() && !word.is(&COPULAS) && !word.is(&FILLERS) && !word.is(&AGENTS))
            && before.iter().any(is_verb)
            && end > 0
            && !after.iter().take(end).any(|word| is_verb(word) || word.is(&["only"]) || word.is(&PREPOSITIONS))
    };
    let at = words.iter().position(|word| word.is(&["not"])).filter(|at| is_own(*at));
    if let Some(at) = at {
        words.insert(at, Word::little(","));
    }
}

/// Takes what only leads up to the statement off its beginning; whether it says that something was otherwise.
pub(super) fn lead_off(words: &mut Vec<Word>) -> bool {
    let mut corrects = false;
    for _ in 0..CORE_STEPS_MAX {
        let fits = |lead: &&&str| {
            let long = lead.split(' ').count();
            long < words.len() && lead.split(' ').zip(words.iter()).all(|(lead, word)| word.text == lead)
        };
        let Some(lead) = LEAD_INS.iter().find(fits) else { break };
        corrects |= CORRECTING.contains(lead);
        words.drain(..lead.split(' ').count());
        while words.first().is_some_and(Word::is_mark) {
            words.remove(0);
        }
        if lead.contains(" not ") {
            words.insert(0, Word::little("not"));
        }
    }
    corrects
}

/// "Line length limit: 80": a colon after a few words says what they are.
pub(super) fn equate(words: &mut [Word]) {
    let Some(at) = words.iter().position(Word::is_mark).filter(|at| (1..=HEAD_WORDS_MAX).contains(at)) else { return };
    let is_verb_free = |words: &[Word]| !words.iter().any(is_finite) && !words.first().is_some_and(is_verb);
    let (head, rest) = (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default());
    let says_what = is_verb_free(head) && is_verb_free(rest) && !rest.is_empty();
    if let Some(mark) = words.get_mut(at).filter(|mark| says_what && mark.is(&[":"])) {
        *mark = Word::little("is");
    }
}

/// The clauses of a statement, without reasons.
pub(super) fn clauses(words: &[Word]) -> Vec<Vec<Word>> {
    let mut clauses: Vec<Vec<Word>> = Vec::new();
    let mut is_reason = false;
    for (at, part) in parts(words) {
        let rest = words.get(at..).unwrap_or_default();
        let begins_not = part.first().is_some_and(|word| word.is(&DENIALS));
        let is_own = begins_not || part.iter().any(is_verb) || rest.first().is_some_and(|word| word.is(&["instead"]));
        let reason = part.first().is_some_and(|word| word.is(&REASONS)) && at > 0;
        if reason {
            is_reason = true;
            continue;
        }
        match clauses.iter_mut().rev().find(|clause| !clause.first().is_some_and(|word| word.is(&DENIALS))) {
            Some(last) if !is_own => {
                // What follows a reason belongs to it.
                if !is_reason {
                    last.extend(part.iter().cloned());
                }
            }
            _ => {
                is_reason = false;
                clauses.push(part.to_vec());
            }
        }
    }
    clauses
}

/// Words between marks, reasons and what begins a sentence of its own; each with its place.
fn parts(words: &[Word]) -> Vec<(usize, &[Word])> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, word) in words.iter().enumerate() {
        let rest = words.get(at + 1..).unwrap_or_default();
        let says_more = || {
            let end = rest.iter().position(Word::is_mark).unwrap_or(rest.len());
            let clause = rest.get(..end).unwrap_or_default();
            clause.iter().any(is_finite) || clause.first().is_some_and(|word| word.is(&AGENTS) || word.is(&DENIALS))
        };
        let ends = word.is_mark() || (word.is(&["and", "but"]) && says_more());
        let is_reason = word.is(&REASONS) && at > from && !word.is(&["so"]);
        if ends || is_reason {
            parts.push((from, words.get(from..at).unwrap_or_default()));
            from = if is_reason { at } else { at + 1 };
        }
    }
    parts.push((from, words.get(from..).unwrap_or_default()));
    parts.retain(|(_, part)| !part.is_empty());
    parts
}
