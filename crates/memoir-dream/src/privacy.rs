//! Whether a message asks that it be not kept: "do not save or repeat this: …", "bitte nicht speichern", 「これは保存しないで」.
//!
//! Such a wish costs a record, so it must be beyond doubt: a clause that is nothing but the wish. "Don't save this" is also
//! said of files; it is a wish where it stands alone, or beside something that is told, and not beside work that is to be
//! done.

mod matter;
mod run;
mod sayings;
mod words;

use crate::rules::{Sentence, begins, own_sentences};
pub(crate) use matter::{Matter, matter_of};
use memoir_journal::TakenBack;
use run::{Beside, Run, Sure, calls_back, clauses_of, goes_with_a_wish, regrets, run_in};

/// What a message wants kept out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Privacy {
    /// Nothing.
    #[default]
    Open,
    /// The message itself.
    Message,
    /// The message before it, too: there is nothing else in this one that could be meant.
    AndTheOneBefore,
    /// The message before it, and not this one: it goes on to something else.
    OneBefore,
    /// All that is said in the conversation.
    Session,
}

impl Privacy {
    /// Whether it is said of what was said before, too.
    pub const fn takes_back(self) -> bool {
        matches!(self, Privacy::AndTheOneBefore | Privacy::OneBefore | Privacy::Session)
    }
}

/// Whether a message asks that nothing of it be kept.
pub fn wants_privacy(text: &str) -> bool {
    !matches!(privacy_in(&own_sentences(text)), Privacy::Open | Privacy::OneBefore)
}

/// What of that which was said before it a message asks not to keep: "don't save that", and nothing else that could be
/// meant.
pub fn takes_back(text: &str) -> Option<TakenBack> {
    match privacy_in(&own_sentences(text)) {
        Privacy::Open | Privacy::Message => None,
        Privacy::AndTheOneBefore => Some(TakenBack::ThisToo),
        Privacy::OneBefore => Some(TakenBack::TurnBefore),
        Privacy::Session => Some(TakenBack::Session),
    }
}

/// A piece of a sentence.
enum Part {
    Wish(Run),
    Clause {
        matter: Matter,
        /// Whether it goes on to something else.
        turns: bool,
    },
}

impl Part {
    const fn matter(&self) -> Matter {
        match self {
            Part::Wish(_) => Matter::Nothing,
            Part::Clause { matter, .. } => *matter,
        }
    }
}

/// What the sentences of a message want kept out.
pub(crate) fn privacy_in(sentences: &[Sentence]) -> Privacy {
    let parts = |beside| sentences.iter().map(|sentence| parts_of(sentence, beside)).collect::<Vec<_>>();
    let has_regret = || sentences.iter().flat_map(|one| clauses_of(&one.lower)).any(|(_, clause)| regrets(clause));
    let mut said = parts(if has_regret() { Beside::Regret } else { Beside::Nothing });
    let is_sure = |part: &Part| matches!(part, Part::Wish(run) if run.sure == Sure::Yes);
    if !said.iter().flatten().any(|part| matches!(part, Part::Wish(_))) {
        return Privacy::Open;
    }
    if !has_regret() && said.iter().flatten().any(is_sure) {
        said = parts(Beside::SureWish);
    }
    let said = Said(said);
    let meant: Vec<(usize, usize, Run)> = said.wishes().filter(|(at, nth, _)| said.is_meant(*at, *nth)).collect();
    let Some(first) = meant.first() else { return Privacy::Open };
    if meant.iter().any(|(.., run)| run.of_session) {
        return Privacy::Session;
    }
    let all = said.all_matters();
    let has = |one| all.contains(&one);
    let leads_on = meant.iter().any(|(.., run)| run.leads_on);
    // What points back and begins a message is said of the one before, unless its own sentence goes on to tell something.
    let (at, nth, run) = *first;
    let goes_on = matches!(said.after(at, nth), Some(Matter::Told | Matter::Other)) && !said.turns_after(at, nth);
    let is_first_back = run.is_back && !leads_on && !goes_on && said.is_first(at, nth);
    let is_told = has(Matter::Told) || has(Matter::Other) && !said.turns_after(at, nth);
    match (is_first_back, is_told || leads_on, has(Matter::Work) || has(Matter::Other)) {
        (_, false, false) | (true, true, _) => Privacy::AndTheOneBefore,
        (true, false, true) => Privacy::OneBefore,
        (false, ..) => Privacy::Message,
    }
}

/// Whether a sentence has a wish for privacy in it.
pub(crate) fn is_private_wish(sentence: &Sentence) -> bool {
    parts_of(sentence, Beside::Nothing).iter().any(|part| matches!(part, Part::Wish(_)))
}

/// Ways to ask politely: such a question is a wish.
const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "will you", "kannst du", "könntest du", "peux-tu", "puedes"];

/// Words with which a wish ends that asks whether it is heard.
const TAGS: &[&str] = &[" ok", " okay", " please", " alright", " yes", " ja", " bitte", " vale"];

/// Words with which a message goes on to something else.
const TURNS: &[&str] = &[
    "now",
    "and now",
    "ok now",
    "anyway",
    "anyways",
    "next",
    "back to",
    "moving on",
    "on to",
    "jetzt",
    "nun",
    "und jetzt",
    "weiter",
    "ahora",
    "maintenant",
    "теперь",
];

/// The wishes of a sentence, and what stands between them.
fn parts_of(sentence: &Sentence, beside: Beside) -> Vec<Part> {
    let parts = wishes_in(sentence, beside);
    let is_wish_last = matches!(parts.last(), Some(Part::Wish(_)));
    // "Don't save that?" asks for nothing; "don't save that, ok?" does.
    let said = sentence.lower.trim_end_matches(['?', '？', ' ']);
    let is_request = || begins(said, REQUESTS).is_some() || TAGS.iter().any(|tag| said.ends_with(tag));
    let is_question = sentence.asks() && is_wish_last && !is_request();
    if is_question { clauses_in(sentence, beside) } else { parts }
}

fn wishes_in(sentence: &Sentence, beside: Beside) -> Vec<Part> {
    let Some(mut run) = run_in(&sentence.lower, beside).filter(|run| run.from < run.to) else {
        return clauses_in(sentence, beside);
    };
    let (before, after) = (sentence.to(run.from), sentence.from(run.to));
    let mut parts = if calls_back(&before.lower) {
        (run.sure, run.is_back) = (Sure::Yes, true);
        Vec::new()
    } else {
        wishes_in(&before, beside)
    };
    parts.push(Part::Wish(run));
    parts.extend(wishes_in(&after, beside));
    parts
}

/// What the clauses of a text are, without those in which there is nothing.
fn clauses_in(text: &Sentence, beside: Beside) -> Vec<Part> {
    let clauses = clauses_of(&text.lower);
    let asks = text.asks();
    let last = clauses.len();
    let part = |(nth, (at, lower)): (usize, (usize, &str))| {
        let clause = text.from(at).to(lower.len()).trimmed();
        let is_of_wish = regrets(lower) || (beside == Beside::SureWish && goes_with_a_wish(lower));
        let matter = if is_of_wish { Matter::Nothing } else { matter_of(&clause) };
        let is_asked = asks && nth + 1 == last && matter != Matter::Nothing;
        let matter = if is_asked { Matter::Work } else { matter };
        Part::Clause { matter, turns: begins(&clause.lower, TURNS).is_some() }
    };
    let is_something =
        |part: &Part| matches!(part, Part::Clause { matter, turns } if *turns || *matter != Matter::Nothing);
    clauses.into_iter().enumerate().map(part).filter(is_something).collect()
}

/// What several clauses are together.
fn all_of(matters: &[Matter]) -> Matter {
    let has = |one| matters.contains(&one);
    [Matter::Told, Matter::Other, Matter::Work].into_iter().find(|one| has(*one)).unwrap_or(Matter::Nothing)
}

/// What a message says, sentence by sentence.
struct Said(Vec<Vec<Part>>);

impl Said {
    fn wishes(&self) -> impl Iterator<Item = (usize, usize, Run)> {
        self.0.iter().enumerate().flat_map(|(at, parts)| {
            parts.iter().enumerate().filter_map(move |(nth, part)| match part {
                Part::Wish(run) => Some((at, nth, *run)),
                Part::Clause { .. } => None,
            })
        })
    }

    fn parts(&self, at: usize) -> &[Part] {
        self.0.get(at).map_or(&[], Vec::as_slice)
    }

    /// What a sentence is without its wishes.
    fn matter(&self, at: usize) -> Matter {
        all_of(&self.parts(at).iter().map(Part::matter).collect::<Vec<_>>())
    }

    fn all_matters(&self) -> Vec<Matter> {
        self.0.iter().flatten().map(Part::matter).collect()
    }

    /// The clause before a place of a sentence, and the one after it.
    fn before(&self, at: usize, nth: usize) -> Option<Matter> {
        self.parts(at).get(..nth)?.iter().rev().map(Part::matter).find(|matter| *matter != Matter::Nothing)
    }

    fn after(&self, at: usize, nth: usize) -> Option<Matter> {
        self.parts(at).get(nth + 1..)?.iter().map(Part::matter).find(|matter| *matter != Matter::Nothing)
    }

    /// Whether nothing but wishes stands before that place.
    fn is_first(&self, at: usize, nth: usize) -> bool {
        self.before(at, nth).is_none() && (0..at).all(|before| self.matter(before) == Matter::Nothing)
    }

    /// Whether the message goes on to something else right after that place.
    fn turns_after(&self, at: usize, nth: usize) -> bool {
        let rest = self.parts(at).get(nth + 1..).unwrap_or_default().iter();
        let mut rest = rest.chain(self.0.iter().skip(at + 1).flatten());
        rest.find_map(|part| match part {
            Part::Wish(_) => None,
            Part::Clause { turns, .. } => Some(*turns),
        }) == Some(true)
    }

    /// Whether a wish is said of what is told, where its own words leave a doubt.
    fn is_meant(&self, at: usize, nth: usize) -> bool {
        let Some(Part::Wish(run)) = self.parts(at).get(nth) else { return false };
        // "Add a banner: this is off the record."
        if run.is_shown && self.before(at, nth) == Some(Matter::Work) {
            return false;
        }
        let needs_told = match run.sure {
            Sure::Yes => return true,
            Sure::WithWhatIsTold => false,
            Sure::OnlyWithWhatIsTold => true,
        };
        if !needs_told && run.is_back && self.is_first(at, nth) && self.turns_after(at, nth) {
            return true;
        }
        let (before, after) = (self.before(at, nth), self.after(at, nth));
        if before.is_some() || after.is_some() {
            let fits = |matter: Option<Matter>| matter.is_none_or(|matter| matter == Matter::Told);
            let is_shown = run.leads_on && after == Some(Matter::Other) && !needs_told;
            return fits(before) && (fits(after) || is_shown);
        }
        let around = |at: Option<usize>| at.map_or(Matter::Nothing, |at| self.matter(at));
        let is_first = (0..at).all(|before| self.matter(before) == Matter::Nothing);
        let is_alone = (0..self.0.len()).all(|at| self.matter(at) == Matter::Nothing);
        (is_alone && !needs_told)
            || around(at.checked_sub(1)) == Matter::Told
            || (is_first && around(Some(at + 1)) == Matter::Told)
    }
}

#[cfg(test)]
mod tests;
