//! A wish for privacy as a run of words in which each plays a part: it denies, it is a verb of keeping, it points at what
//! is said, or it is polite. So "don't save it to disk" is none.

use super::words::{
    BACK, FOREIGN, FOREIGN_POINTERS, IN_MEMORY, LEADING_ON, LITTLE, MARKS, MINDING, NOBODY, NOTS, PHRASE_LEADS,
    PHRASES, POINTERS, REMEMBERING, SAID, SHARING, SPEAKING, SPOKEN, STARTERS, SUBJECTS, TELLING, TIGHT, TIGHT_LITTLE,
    TIGHT_MORE, TIGHT_SURE,
};
use crate::rules::begins;

/// A wish in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Where it begins and ends.
    pub from: usize,
    pub to: usize,
    /// How sure it is that it is about what is said, and not about a file or a piece of code.
    pub sure: Sure,
    /// Whether a mark stands after it that what is meant follows.
    pub leads_on: bool,
}

/// How sure a wish is by its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sure {
    /// By itself.
    Yes,
    /// If something is told beside it, or if it stands alone.
    WithWhatIsTold,
    /// Only if something is told beside it.
    OnlyWithWhatIsTold,
}

/// The wish in a sentence, if it has one.
pub(super) fn run_in(lower: &str) -> Option<Run> {
    let words = words_of(lower);
    phrase_in(lower).or_else(|| (0..words.len()).find_map(|at| run_at(&words, at))).or_else(|| tight_in(lower))
}

/// A clause that is nothing but a phrase which says it.
fn phrase_in(lower: &str) -> Option<Run> {
    for (at, clause) in clauses_of(lower) {
        let end = at + clause.len();
        let whole = clause.trim();
        let mut bare = if begins(whole, PHRASES).is_some() { whole } else { without_little(clause) };
        while let Some(lead) = begins(bare, PHRASE_LEADS).filter(|_| begins(bare, PHRASES).is_none()) {
            bare = without_little(bare.get(lead..).unwrap_or_default());
        }
        let is_first = lower.get(..at).is_some_and(|before| !before.contains(char::is_alphanumeric));
        let phrase = begins(bare, PHRASES);
        if phrase.is_some_and(|end| end == bare.len()) {
            let sure = if is_first { Sure::Yes } else { Sure::OnlyWithWhatIsTold };
            return Some(Run { from: at, to: end, sure, leads_on: leads_on(lower, end) });
        }
        // "Off the record the partner is …"
        let said = phrase.and_then(|end| bare.get(end..)).unwrap_or_default().trim_start();
        if is_first && begins(said, STARTERS).is_some() {
            let sure = Sure::OnlyWithWhatIsTold;
            return Some(Run { from: at, to: end - said.len(), sure, leads_on: false });
        }
    }
    None
}

fn leads_on(lower: &str, end: usize) -> bool {
    let rest = lower.get(end..).unwrap_or_default().trim_start();
    rest.starts_with(LEADING_ON)
}

fn without_little(clause: &str) -> &str {
    let mut clause = clause.trim();
    while let Some((_, rest)) = clause.split_once(' ').filter(|(word, _)| LITTLE.contains(word)) {
        clause = rest.trim_start();
    }
    while let Some((rest, _)) = clause.rsplit_once(' ').filter(|(_, word)| LITTLE.contains(word)) {
        clause = rest.trim_end();
    }
    clause
}

/// The clauses of a sentence, each with its place: a mark inside a word parts nothing.
pub(super) fn clauses_of(lower: &str) -> Vec<(usize, &str)> {
    let mut clauses = Vec::new();
    let mut start = 0;
    let mut chars = lower.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = MARKS.contains(&c) && (c.len_utf8() > 1 || chars.peek().is_none_or(|(_, next)| *next == ' '));
        if is_end {
            clauses.push((start, lower.get(start..at).unwrap_or_default()));
            start = at + c.len_utf8();
        }
    }
    clauses.push((start, lower.get(start..).unwrap_or_default()));
    clauses.retain(|(_, clause)| clause.chars().any(char::is_alphanumeric));
    clauses
}

/// A word, where it stands, and whether and which mark stands after it.
struct Word<'a> {
    text: &'a str,
    from: usize,
    to: usize,
    mark: Option<char>,
}

/// The words of a sentence; what is elided is a word of its own: `n'enregistre`.
fn words_of(lower: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut from = 0;
    for word in lower.split(char::is_whitespace) {
        let (start, to) = (from, from + word.len());
        from = lower.get(to..).and_then(|rest| rest.chars().next()).map_or(to, |blank| to + blank.len_utf8());
        let text = word.trim_matches(|c: char| MARKS.contains(&c) || matches!(c, '"' | '*' | '_'));
        if text.is_empty() {
            if let Some(last) = words.last_mut() {
                last.mark = last.mark.or(word.chars().next());
            }
            continue;
        }
        let mark = word.chars().next_back().filter(|c| MARKS.contains(c));
        let elided = ["n'", "l'"].into_iter().find(|short| text.starts_with(short) && text.len() > short.len());
        if let Some(short) = elided {
            words.push(Word { text: text.get(..short.len()).unwrap_or_default(), from: start, to, mark: None });
        }
        words.push(Word { text: text.get(elided.map_or(0, str::len)..).unwrap_or_default(), from: start, to, mark });
    }
    words
}

/// What the words of a run said so far.
#[derive(Default)]
struct Heard {
    denies: bool,
    points: bool,
    remembers: bool,
    shares: bool,
    is_foreign: bool,
    /// It is of memory, or of telling others what was said.
    minds: bool,
    tells_others: bool,
    verbs: usize,
    is_of_words: bool,
}

impl Heard {
    fn verb(&mut self, word: &str) {
        self.minds |= MINDING.contains(&word);
        self.tells_others |= TELLING.contains(&word);
        self.verbs += 1;
    }

    fn sure(&self) -> Sure {
        if self.minds || self.is_of_words || (self.tells_others && self.verbs > 1) {
            Sure::Yes
        } else if self.remembers {
            Sure::WithWhatIsTold
        } else {
            Sure::OnlyWithWhatIsTold
        }
    }
}

/// A run of words that begins here and is a wish.
fn run_at(words: &[Word<'_>], at: usize) -> Option<Run> {
    let is = |list: &[&str], word: &Word<'_>| list.contains(&word.text);
    let before = at.checked_sub(1).and_then(|before| words.get(before)).filter(|word| word.mark.is_none());
    let is_polite = words.get(at).is_some_and(|word| matches!(word.text, "please" | "bitte"));
    if before.is_some_and(|word| is(LITTLE, word) || is(NOTS, word) || (!is_polite && tells_of(words, at))) {
        return None;
    }
    let mut heard = Heard::default();
    let mut run: usize = 0;
    while let Some(word) = words.get(at + run) {
        let is_foreign_verb = is(FOREIGN, word);
        if is_foreign_verb || (heard.denies && is(REMEMBERING, word)) {
            heard.verb(word.text);
            (heard.remembers, heard.is_foreign) = (true, heard.is_foreign || is_foreign_verb);
        } else if heard.denies && is(SHARING, word) {
            heard.verb(word.text);
            heard.shares = true;
        } else if let Some(back) = called_back(words, at + run).filter(|_| heard.denies && heard.verbs > 0) {
            (heard.points, heard.is_of_words) = (true, true);
            run += back;
            break;
        } else if is(NOTS, word) {
            heard.denies = true;
        } else if is(FOREIGN_POINTERS, word) || (run > 0 && is(POINTERS, word)) {
            heard.points = true;
        } else if heard.points && is(SAID, word) {
            heard.is_of_words |= is(SPOKEN, word);
        } else if !(is(LITTLE, word) || (run > 0 && word.text == "the")) {
            break;
        }
        run += 1;
        if word.mark.is_some() {
            break;
        }
    }
    let last = words.get(at + run.checked_sub(1)?)?;
    let rest = words.get(at + run..)?;
    let joined = rest.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let in_memory = begins(&joined, IN_MEMORY).or_else(|| begins(&joined, NOBODY)).filter(|_| last.mark.is_none());
    let is_apart = last.mark.is_some()
        || rest.is_empty()
        || in_memory.is_some()
        || (heard.points && (begins(&joined, STARTERS).is_some() || last.text == "the"));
    // Where it is not to be kept belongs to the wish.
    let place = in_memory.map_or(0, |end| joined.get(..end).unwrap_or_default().split(' ').count());
    let end = words.get(at + run + place - 1).unwrap_or(last);
    let leads_on = end.mark.is_some_and(|mark| LEADING_ON.contains(&mark)) && rest.len() > place;
    // "Nicht speichern" is said of what was said only where nothing else stands before it.
    let is_meant = heard.points || leads_on || (heard.is_foreign && (before.is_none() || is_polite));
    let is_kept = heard.remembers || (heard.shares && (leads_on || begins(&joined, NOBODY).is_some()));
    if !(heard.denies && is_kept && is_apart && is_meant) {
        return None;
    }
    let to = end.to;
    let sure = if in_memory.is_some() { Sure::Yes } else { heard.sure() };
    Some(Run { from: words.get(at)?.from, to, sure, leads_on })
}

/// What was said, called by that: "what I just told you", "my last message". How many words it has.
fn called_back(words: &[Word<'_>], at: usize) -> Option<usize> {
    let rest = words.get(at..)?;
    let end = rest.iter().position(|word| word.mark.is_some()).map_or(rest.len(), |last| last + 1);
    let rest: Vec<&str> = rest.get(..end)?.iter().map(|word| word.text).collect();
    let is_called = begins(&rest.join(" "), BACK).is_some() && rest.iter().any(|word| SPEAKING.contains(word));
    is_called.then_some(end)
}

/// Whether a text calls by that what was said, and says nothing else: "was ich gesagt habe" bitte nicht speichern.
pub(super) fn calls_back(before: &str) -> bool {
    let words = words_of(before);
    called_back(&words, 0) == Some(words.len())
}

/// Whether the words before a place make a story of what follows: "I do not remember this", "if you don't save it".
fn tells_of(words: &[Word<'_>], at: usize) -> bool {
    let word = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).map_or("", |word| word.text);
    let is_bare_not = words.get(at).is_some_and(|word| word.text == "not") && !matches!(word(1), "to" | "you");
    let is_condition = word(1) == "you" && matches!(word(2), "if" | "when" | "unless" | "why" | "do" | "did");
    SUBJECTS.contains(&word(1)) || is_bare_not || is_condition
}

/// The same in a language without blanks: a clause of which nothing is left over.
fn tight_in(lower: &str) -> Option<Run> {
    let (at, clause) = parts_of(lower).into_iter().find(|(_, clause)| is_tight_wish(clause))?;
    let to = at + clause.len();
    let is_sure = TIGHT_SURE.iter().any(|sure| clause.contains(sure));
    let sure = if is_sure { Sure::Yes } else { Sure::WithWhatIsTold };
    let rest = lower.get(to..).unwrap_or_default();
    let leads_on = rest.starts_with(LEADING_ON);
    Some(Run { from: at, to, sure, leads_on })
}

/// What stands between blanks and marks, each with its place.
fn parts_of(lower: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in lower.char_indices().filter(|(_, c)| c.is_whitespace() || MARKS.contains(c)) {
        parts.push((start, lower.get(start..at).unwrap_or_default()));
        start = at + c.len_utf8();
    }
    parts.push((start, lower.get(start..).unwrap_or_default()));
    parts
}

fn is_tight_wish(clause: &str) -> bool {
    let (mut rest, mut wishes) = (clause, false);
    while !rest.is_empty() {
        let begins_with =
            |list: &[&str]| list.iter().filter(|word| rest.starts_with(**word)).map(|word| word.len()).max();
        let (verb, more, little) =
            (begins_with(TIGHT), begins_with(TIGHT_MORE).filter(|_| wishes), begins_with(TIGHT_LITTLE));
        let Some(end) = verb.or(more).or(little) else { return false };
        wishes |= verb.is_some();
        rest = rest.get(end..).unwrap_or_default();
    }
    wishes
}
