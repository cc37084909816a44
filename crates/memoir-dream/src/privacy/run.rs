//! A wish for privacy as a run of words in which each plays a part: it denies, it is a verb of keeping, it points at what
//! is said, or it is polite. So "don't save it to disk" is none.

use super::sayings::{
    ANNOUNCING, BARE, BESIDE_NO_WORK, CLASSES, COMPANIONS, REGRETS, SESSION_BESIDE_NO_WORK, SESSION_SURE, SURE,
};
use super::words::{
    ABOUT, ABOUT_WORDS_MAX, BACK, FOREIGN, FOREIGN_POINTERS, IN_MEMORY, LEADING_ON, LITTLE, MINDING, NOBODY, NOTS,
    POINTERS, POINTING_BACK, REMEMBERING, SAID, SHARING, SPEAKING, SPOKEN, STARTERS, SUBJECTS, TELLING, TIGHT,
    TIGHT_BACK, TIGHT_LITTLE, TIGHT_MORE, TIGHT_SESSION, TIGHT_SURE,
};
use crate::rules::begins;
use crate::shapes::{MARKS, Shapes, Word, clause_starts, is_clause_end, words_of};
use std::sync::LazyLock;

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
    /// Whether it points at what was said before it.
    pub is_back: bool,
    /// Whether it is said of the whole conversation.
    pub of_session: bool,
    /// Whether a colon stands before it.
    pub is_shown: bool,
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

/// What else a message says that bears upon a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    /// Nothing.
    Nothing,
    /// A wish that leaves no doubt.
    SureWish,
    /// That something should not have been said.
    Regret,
}

/// The wish in a sentence, if it has one.
pub(super) fn run_in(lower: &str, beside: Beside) -> Option<Run> {
    let words = words_of(lower);
    shape_in(lower, beside).or_else(|| (0..words.len()).find_map(|at| run_at(&words, at))).or_else(|| tight_in(lower))
}

/// The sayings, and what of politeness stands around them.
struct Sayings {
    lead: Shapes,
    tail: Shapes,
    sure: Shapes,
    bare: Shapes,
    announcing: Shapes,
    beside_no_work: Shapes,
    regrets: Shapes,
    companions: Shapes,
    session_sure: Shapes,
    session_beside_no_work: Shapes,
}

static SAYINGS: LazyLock<Sayings> = LazyLock::new(|| {
    let shapes = |list| Shapes::new(list, CLASSES);
    Sayings {
        lead: shapes(&["LEAD"]),
        tail: shapes(&["TAIL"]),
        sure: shapes(SURE),
        bare: shapes(BARE),
        announcing: shapes(ANNOUNCING),
        beside_no_work: shapes(BESIDE_NO_WORK),
        regrets: shapes(REGRETS),
        companions: shapes(COMPANIONS),
        session_sure: shapes(SESSION_SURE),
        session_beside_no_work: shapes(SESSION_BESIDE_NO_WORK),
    }
});

impl Sayings {
    /// Where a saying ends with its clause, polite words and all.
    fn end(&self, shapes: &Shapes, words: &[Word<'_>], from: usize) -> Option<usize> {
        let polite = |end: usize| self.tail.many(words, end);
        shapes.ends(words, from).into_iter().flat_map(polite).filter(|end| is_clause_end(words, *end)).max()
    }

    /// The saying that begins at a place: where it ends, how sure it is, and whether it is of the whole conversation.
    fn at(&self, words: &[Word<'_>], from: usize, is_first: bool, beside: Beside) -> Option<(usize, Sure, bool)> {
        let (sure, doubtful, announced) = (Sure::Yes, Sure::WithWhatIsTold, Sure::OnlyWithWhatIsTold);
        let said = |shapes: &Shapes, sure, of_session| Some((self.end(shapes, words, from)?, sure, of_session));
        let of_regret = || if beside == Beside::Regret { said(&self.companions, sure, false) } else { None };
        said(&self.session_sure, sure, true)
            .or_else(|| said(&self.session_beside_no_work, doubtful, true))
            .or_else(|| said(&self.sure, sure, false))
            .or_else(of_regret)
            .or_else(|| said(&self.beside_no_work, doubtful, false))
            .or_else(|| said(&self.bare, if is_first { sure } else { announced }, false))
            .or_else(|| Some((self.announced_end(words, from)?, announced, false)))
    }

    /// "Off the record the partner is …", "private: the partner is …": where what announces it ends.
    fn announced_end(&self, words: &[Word<'_>], from: usize) -> Option<usize> {
        let is_led_on = |end: &usize| {
            let mark = end.checked_sub(1).and_then(|last| words.get(last)?.mark);
            mark.is_some_and(|mark| LEADING_ON.contains(&mark)) && *end < words.len()
        };
        let starts = |end: &usize| from == 0 && words.get(*end).is_some_and(|word| STARTERS.contains(&word.text));
        let bare = self.bare.ends(words, from).into_iter().find(starts);
        bare.or_else(|| self.announcing.ends(words, from).into_iter().find(is_led_on))
    }
}

/// A clause that is nothing but a saying with that meaning.
fn shape_in(lower: &str, beside: Beside) -> Option<Run> {
    let words = words_of(lower);
    let first = SAYINGS.lead.many(&words, 0);
    let found = |start: usize| {
        // What is taken off as polite may belong to the saying.
        let from = SAYINGS.lead.many(&words, start);
        let said = from.into_iter().find_map(|from| SAYINGS.at(&words, from, first.contains(&start), beside));
        said.map(|said| (start, said))
    };
    let (start, (end, sure, of_session)) = clause_starts(&words).find_map(found)?;
    let said = words.get(start..end)?;
    let (first, last) = (said.first()?, said.last()?);
    let is_led_on = last.mark.is_none_or(|mark| LEADING_ON.contains(&mark));
    let leads_on = end < words.len() && is_led_on;
    let is_back = !leads_on && said.iter().any(|word| POINTING_BACK.contains(&word.text));
    Some(Run {
        from: first.from,
        to: last.to,
        sure,
        leads_on,
        is_back,
        of_session,
        is_shown: is_shown(lower, first.from),
    })
}

/// Whether a colon stands before a place.
fn is_shown(lower: &str, at: usize) -> bool {
    lower.get(..at).is_some_and(|before| before.trim_end().ends_with([':', '：']))
}

/// Whether a clause says that something should not have been said.
pub(super) fn regrets(clause: &str) -> bool {
    let words = words_of(clause);
    SAYINGS.lead.many(&words, 0).into_iter().any(|from| !SAYINGS.regrets.ends(&words, from).is_empty())
}

/// Whether a clause belongs to a wish that stands beside it.
pub(super) fn goes_with_a_wish(clause: &str) -> bool {
    let words = words_of(clause);
    let ends = |from| SAYINGS.end(&SAYINGS.companions, &words, from) == Some(words.len());
    SAYINGS.lead.many(&words, 0).into_iter().any(ends)
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
    is_back: bool,
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
            (heard.points, heard.is_of_words, heard.is_back) = (true, true, true);
            run += back;
            break;
        } else if is(NOTS, word) {
            heard.denies = true;
        } else if is(FOREIGN_POINTERS, word) || (run > 0 && is(POINTERS, word)) {
            heard.points = true;
            heard.is_back |= is(POINTING_BACK, word);
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
    let about = about_in(rest).filter(|_| heard.is_back && last.mark.is_none());
    let is_apart = last.mark.is_some()
        || rest.is_empty()
        || in_memory.is_some()
        || about.is_some()
        || (heard.points && (begins(&joined, STARTERS).is_some() || last.text == "the"));
    // Where it is not to be kept belongs to the wish.
    let place = in_memory.map(|end| joined.get(..end).unwrap_or_default().split(' ').count()).or(about).unwrap_or(0);
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
    let is_back = heard.is_back && !leads_on;
    Some(Run { from: words.get(at)?.from, to, sure, leads_on, is_back, of_session: false, is_shown: false })
}

/// "Don't save that about Tom": how many words say what it is about, if they end the clause.
fn about_in(rest: &[Word<'_>]) -> Option<usize> {
    rest.first().filter(|word| ABOUT.contains(&word.text) && word.mark.is_none())?;
    let end = rest.iter().position(|word| word.mark.is_some()).map_or(rest.len(), |last| last + 1);
    (2..=ABOUT_WORDS_MAX).contains(&end).then_some(end)
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
    let leads_on = rest.starts_with(LEADING_ON) && rest.chars().any(char::is_alphanumeric);
    let of_session = TIGHT_SESSION.iter().any(|session| clause.contains(session));
    let is_back = !leads_on && TIGHT_BACK.iter().any(|back| clause.contains(back));
    Some(Run { from: at, to, sure, leads_on, is_back, of_session, is_shown: is_shown(lower, at) })
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
        let (verb, more, little) = (
            begins_with(TIGHT),
            begins_with(TIGHT_MORE).filter(|_| wishes),
            begins_with(TIGHT_SESSION).or_else(|| begins_with(TIGHT_LITTLE)),
        );
        let Some(end) = verb.or(more).or(little) else { return false };
        wishes |= verb.is_some();
        rest = rest.get(end..).unwrap_or_default();
    }
    wishes
}
