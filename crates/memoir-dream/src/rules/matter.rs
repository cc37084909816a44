//! What a sentence of the user is about, as far as that tells how things are from what is being worked on: who speaks of
//! whom, whether it is told or asked for, whether what it says has a name, a number, a place.

use super::doubt::is_supposed;
use super::facts::{AT_WORK, STATES};
use super::sentences::Sentence;
use super::things::{CODE, OPENERS, ORDERS, POINTING, SEEING, SETTLED, SOURCES, WHICH};
use super::words::{begins, has};
use crate::change::handed;
use crate::claim::{Claim, Relation, Shape, is_number, is_verb, shape};
use crate::kindred::is_known;
use crate::phrase::{Word, lifts, words_of};
use crate::statement::Statement;
use crate::vocabulary::{ARTICLES, CHANGES, CHOICES, COPULAS, DROPPING, FILLERS, MOVING, RENAMING, REPLACING, day};

/// A change of today.
pub(super) const NOW: &[&str] =
    &["now", "meanwhile", "nowadays", "jetzt", "inzwischen", "nun", "désormais", "maintenant", "ahora", "теперь"];

/// A thing is named in so many words before its verb.
const SUBJECT_WORDS_MAX: usize = 6;
/// What has more words than this says more than one thing.
const WORDS_MAX: usize = 24;
/// A value has at most so many words.
const VALUE_WORDS_MAX: usize = 4;

/// Who a project is.
const WE: &[&str] = &["we", "they", "everyone", "everybody", "team"];

/// Whom a sentence speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    We,
    I,
    /// A thing or somebody with a name.
    Thing,
    /// Whoever is spoken to.
    Told,
}

/// What a value is worth for knowing it later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Worth {
    /// It passes, or tells nothing.
    Nothing,
    /// Words that may mean anything.
    Vague,
    /// A single word.
    Word,
    /// A name, a number, a place, a day.
    Sure,
}

/// What a sentence is about.
pub(super) struct Matter {
    pub statement: Statement,
    pub who: Who,
    /// Whether it tells, in the past, that something was changed.
    pub tells_past: bool,
    /// Whether it says that it is so by now.
    pub is_new: bool,
    /// Whether somebody is told what to choose.
    pub is_choice: bool,
    /// Whether it lifts what was asked for.
    pub ends: bool,
    words: Vec<Word>,
}

impl Matter {
    /// None of what is asked, supposed or planned, and of what a program wrote.
    pub fn of(bare: &Sentence) -> Option<Matter> {
        if is_supposed(&bare.lower) {
            return None;
        }
        Matter::corrected(bare)
    }

    /// The same of what may say how it should be.
    pub fn corrected(bare: &Sentence) -> Option<Matter> {
        if bare.asks() || is_of_program(&bare.said) || bare.lower.contains("___") {
            return None;
        }
        let all = words_of(&bare.said);
        // "Can we use …" asks, whatever its mark.
        // And "port is 9090" is told of a port.
        const ASKING: &[&str] =
            &["why", "how", "when", "where", "what", "who", "and", "but", "or", "so", "as", "yes", "no", "not"];
        let is_noun = |word: &Word| !word.is(ASKING) && !word.is(&COPULAS);
        let is_subject =
            all.first().is_some_and(is_noun) && all.get(1).is_some_and(|word| word.is(&COPULAS) || is_told_past(word));
        let begins_no_thing = |word: &Word| word.is(ORDERS) || word.is(OPENERS);
        let is_order = |word: &Word| begins_no_thing(word) && !word.is(&["no", "not"]);
        let begins_asking = !is_subject && all.first().is_some_and(is_order);
        let words: Vec<Word> = all.into_iter().filter(|word| !word.is(&FILLERS)).collect();
        let first = words.first()?;
        let is_past = |at: usize| words.get(at).is_some_and(is_told_past);
        let verb = (1..words.len().min(SUBJECT_WORDS_MAX + 3)).find(|at| is_past(*at));
        let who = if begins_asking {
            Who::Told
        } else if first.is(WE) || (first.is(&ARTICLES) && words.get(1).is_some_and(|word| word.is(&["team"]))) {
            Who::We
        } else if first.is(&["i"]) {
            Who::I
        } else if (begins_no_thing(first) && !is_subject) || first.is(&["you"]) {
            Who::Told
        } else {
            Who::Thing
        };
        let is_thing = || {
            let mut ahead = words.iter().skip(1).chain(std::iter::repeat(first));
            // "Marek left, billing is with Aisha now."
            let ends = |word: &Word, next: &Word| {
                is_told_past(word) || is_verb(word) || word.is_mark() || (word.is(&["left"]) && next.is_mark())
            };
            let subject = words.iter().take_while(|word| ahead.next().is_some_and(|next| !ends(word, next)));
            let subject: Vec<&Word> = subject.take(SUBJECT_WORDS_MAX).collect();
            !subject.iter().any(|word| word.is(WHICH) || word.is(POINTING) || word.is(&["everywhere", "i"]))
        };
        let statement = Statement::of(&bare.said);
        // "All changes pushed" says nothing of what is so from now on.
        let says_now = |list: &[&str]| list.iter().any(|now| has(&lower_of(&words), &[now]));
        let is_new = says_now(&CHANGES) || says_now(&["no longer", "instead", "rather than"]);
        let tells_past = verb.is_some() || handed(&words).is_some();
        // What a colon introduces is another matter, or somebody's.
        // "New release date: 2 May."
        let is_one = who == Who::We || first.is(&["new"]) || !words.iter().any(|word| word.is(&[":"]));
        let is_of_it = first.is(&["it"]) && !statement.left.is_empty() && verb.is_none();
        let fits = is_one
            && words.len() <= WORDS_MAX
            && (who != Who::Thing || is_of_it || (is_thing() && begins(&bare.lower, POINTING).is_none()));
        let is_choice =
            first.is(&CHOICES) || (first.is(&["no"]) && words.get(1).is_some_and(|word| word.is(&["more"])));
        let ends = lifts(&bare.lower).is_some_and(|(_, denies)| denies);
        fits.then_some(Matter { statement, who, tells_past, is_new, is_choice, ends, words })
    }

    /// Whether what a claim is about is being worked on.
    pub fn is_worked_on(&self, claim: &Claim) -> bool {
        let Some(at) = self.words.iter().position(|word| word.key == claim.head) else { return false };
        // Who sees to a module is told of the module.
        if claim.is_owned() && claim.value.iter().all(|word| word.is_name) {
            return false;
        }
        let named = self.words.get(at.saturating_sub(2)..at).unwrap_or_default();
        // The default branch is nobody's branch at work, and a deploy script is what it is called by.
        let is_lasting =
            named.iter().any(|word| word.is(&["default", "main", "release", "deploy", "production", "prod"]));
        let is_at_work = |word: &Word| word.is(AT_WORK) || (word.is(CODE) && !is_lasting);
        self.words.get(at).is_some_and(is_at_work) || claim.value.iter().any(|word| is_source(&word.text))
    }

    /// What the value of a claim is worth.
    pub fn worth(&self, claim: &Claim) -> Worth {
        if let Relation::Does(does, _) = &claim.relation {
            let is_past = |word: &Word| word.text.ends_with("ed") && !word.text.ends_with("eed");
            let is_seen = self.words.iter().any(|word| word.key == *does && (word.is(SEEING) || is_past(word)));
            let after = self.words.iter().skip_while(|word| word.key != *does).skip(1);
            let is_sure = |word: &Word| word.is_name || is_known(&word.text) || day(word).is_some();
            let mut after = after.take_while(|word| !word.is_mark());
            return if !is_seen && after.any(is_sure) && !claim.value.iter().any(|word| word.is(POINTING)) {
                Worth::Sure
            } else {
                Worth::Nothing
            };
        }
        self.worth_of(&claim.value)
    }

    /// The same of any words.
    pub fn worth_of(&self, value: &[Word]) -> Worth {
        let said: Vec<&Word> = value.iter().filter(|word| !word.is_mark() && !word.is(&["again", "still"])).collect();
        let Some(first) = said.first() else { return Worth::Nothing };
        if said.iter().any(|word| word.is(POINTING)) || said.iter().all(|word| word.is(STATES)) || first.is(WHICH) {
            return Worth::Nothing;
        }
        let is_led = first.is(&ARTICLES) && !first.is(&["our", "my"]);
        let has_name = said.iter().any(|word| word.is_name || is_known(&word.text));
        let is_short = said.len() <= VALUE_WORDS_MAX;
        match shape(value) {
            _ if is_led => {
                if has_name && is_short {
                    Worth::Vague
                } else {
                    Worth::Nothing
                }
            }
            Shape::Number | Shape::Day | Shape::Days => Worth::Sure,
            Shape::Address | Shape::Name | Shape::List if has_name && is_short => Worth::Sure,
            Shape::Plain if is_short && said.len() > 1 && has_name && said.iter().any(|word| is_known(&word.text)) => {
                Worth::Sure
            }
            Shape::Plain if said.len() == 1 => Worth::Word,
            Shape::Trait if said.len() > 1 => Worth::Nothing,
            _ => Worth::Vague,
        }
    }

    /// Whether one word is enough for what it became: "the default branch is now called trunk", "renamed to Studio".
    pub fn says_what_became(&self, claim: &Claim) -> bool {
        let is_settled = self.is_settled(claim);
        let is_called = self.words.iter().any(|word| word.is(&["called", "named", "renamed"]));
        let is_way = matches!(claim.relation, Relation::At(_) | Relation::Done(..)) && self.statement.is_new;
        is_called || is_settled || is_way || (self.tells_past && claim.subject.is_empty())
    }

    /// Whether a claim is about what is settled once.
    pub fn is_settled(&self, claim: &Claim) -> bool {
        self.words.iter().any(|word| word.key == claim.head && word.is(SETTLED))
    }

    /// Whether somebody chose something: who went or is somewhere did not.
    pub fn is_chosen(&self, claim: &Claim) -> bool {
        match &claim.relation {
            Relation::Use | Relation::Does(..) => true,
            Relation::At(lead) => lead == "on" || lead == "speak",
            _ => false,
        }
    }

    /// "The tests no longer need Docker", "we don't run make lint before pushing anymore".
    pub fn ends_habit(&self, claim: &Claim) -> bool {
        let is_seen = self.words.iter().any(|word| word.is(SEEING) && !word.is(&["need", "have"]));
        match self.who {
            Who::We | Who::I => !is_seen && self.words.len() >= 4,
            Who::Thing => {
                !is_seen && !self.is_worked_on(claim) && {
                    let of_value = self.worth_of(&claim.value);
                    of_value == Worth::Sure
                        || claim.value.iter().any(|word| word.is_name)
                        || matches!(claim.relation, Relation::Done(..))
                }
            }
            Who::Told => false,
        }
    }

    /// Its words, without those that change nothing.
    pub fn words(&self) -> &[Word] {
        &self.words
    }
}

/// Whether a verb tells that something was changed.
fn is_told_past(word: &Word) -> bool {
    const IRREGULAR: [&str; 6] = ["went", "grew", "rewrote", "rewritten", "replaces", "supersedes"];
    let is_past = word.text.ends_with("ed") || word.is(&IRREGULAR);
    is_past && (is_changing(word) || word.is(&["stopped", "deprecated"]))
}

/// Whether a text in small letters begins with the verb of such a change.
pub(super) fn begins_told(lower: &str) -> bool {
    let first = Word::little(lower.split(' ').next().unwrap_or_default());
    is_told_past(&first) || first.is(&["handed", "transferred"])
}

fn lower_of(words: &[Word]) -> String {
    words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

fn is_changing(word: &Word) -> bool {
    word.is(&MOVING) || word.is(&REPLACING) || word.is(&RENAMING) || word.is(&DROPPING)
}

fn is_source(text: &str) -> bool {
    SOURCES.iter().any(|ending| text.ends_with(ending)) && !is_number(text) && text.len() > 4
}

/// `[info] …`, `12:03:01 …`, `WARN: …`.
fn is_of_program(said: &str) -> bool {
    const LEVELS: [&str; 10] =
        ["info", "warn", "warning", "error", "debug", "trace", "fatal", "notice", "panic", "exception"];
    let first = said.split_whitespace().next().unwrap_or_default();
    let level = first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_stamp = first.chars().filter(char::is_ascii_digit).count() >= 4 && first.contains([':', '-', 'T']);
    said.starts_with(['[', '{', '(', '=', '+', '@']) || is_stamp || LEVELS.contains(&level.as_str())
}
