//! What one clause claims: of which subject, in which relation, which value, for what and where.

use crate::kindred::is_known;
use crate::phrase::{Word, compared};
use crate::vocabulary::{
    AGENTS, ARTICLES, CALLED, CHOICES, COPULAS, DEFINITE, DONE_ONCE, FILLERS, HERE, OWNING, PREPOSITIONS, SETTING,
    SPEECH, TOOLS, VERBS, WAYS, day, is_short_trait, is_trait,
};
use std::collections::BTreeSet;

/// Subject words that only say that it is this one.
const THIS_ONE: [&str; 4] = ["version", "current", "actual", "new"];
/// The unit at the end of a number is short: `1Password` is no number.
const UNIT_CHARS_MAX: usize = 3;
/// What a rate is measured by.
const PER: [&str; 10] = ["s", "sec", "second", "min", "minute", "h", "hour", "day", "week", "month"];
/// A subject has at most so many words: what is longer is a story.
const SUBJECT_WORDS_MAX: usize = 24;

/// How a value belongs to its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is that.
    Is,
    /// It is, runs or lives on, in, at, through that.
    At(String),
    /// It is done so: stored in, written in, owned by.
    Done(String, String),
    /// It is used for the subject, or by whoever speaks.
    Use,
    /// It became that.
    Became,
    /// It does something to that.
    Does(String, String),
}

/// What one clause claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// What it is about, with what tells it from others; empty if whoever speaks is.
    pub subject: BTreeSet<String>,
    /// The word of the subject that the others tell more of.
    pub head: String,
    pub relation: Relation,
    pub value: Vec<Word>,
    /// For what, where, when: all further words.
    pub limits: BTreeSet<String>,
    /// What it is done with, besides the value.
    pub tools: Vec<Vec<Word>>,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A number, with or without a unit.
    Number,
    /// A path, a host, an address.
    Address,
    /// A day or a month.
    Day,
    /// Days that come back.
    Days,
    /// Something that is written like a name or known as one.
    Name,
    /// Other words.
    Plain,
    /// How something is.
    Trait,
    /// Several things.
    List,
}

impl Claim {
    /// The claim that words make, if they make one. Their denial, marks of change and the like are off already.
    pub fn of(words: &[Word]) -> Option<Claim> {
        let words: Vec<Word> = without_fillers(words);
        let at = verb(&words)?;
        let (before, after) = (words.get(..at)?, words.get(at + 1..)?);
        if before.len() > SUBJECT_WORDS_MAX {
            return None;
        }
        let verb = words.get(at)?;
        let claim = if verb.is(&COPULAS) {
            of_being(before, after)
        } else if verb.is(&CHOICES) {
            Claim::new(before, Relation::Use, after)
        } else if let Some((_, done)) = OWNING.iter().find(|(owns, _)| verb.is(&[owns])) {
            // "Mara owns billing" is told of billing.
            Claim { value: before.to_vec(), ..Claim::new(after, Relation::Done(compared(done), "by".to_owned()), &[]) }
        } else if verb.is(&SETTING) && before.iter().all(is_silent) {
            of_setting(verb, after)?
        } else if verb.is(&SPEECH) && after.first().is_some_and(|word| word.is(&["in"])) {
            Claim::new(before, Relation::At("speak".to_owned()), after.get(1..)?)
        } else {
            let lead = after.first().filter(|word| word.is(&PREPOSITIONS)).map(|word| word.text.clone());
            let value = after.get(usize::from(lead.is_some())..)?;
            let has_subject = !before.iter().all(is_silent);
            match lead {
                Some(lead) if verb.is(&WAYS) && has_subject => Claim::new(before, at_place(&lead), value),
                lead => Claim::new(before, Relation::Does(verb.key.clone(), lead.unwrap_or_default()), value),
            }
        };
        Some(claim.numbered()).filter(|claim| !claim.value.is_empty())
    }

    /// A claim of a subject, with a value and what follows it.
    pub fn new(subject: &[Word], relation: Relation, said: &[Word]) -> Claim {
        let end = said.iter().skip(1).position(|word| word.is(&PREPOSITIONS)).map_or(said.len(), |at| at + 1);
        let (value, rest) = said.split_at(end.min(said.len()));
        let (subject, head) = named(subject);
        let value: Vec<Word> = value.iter().filter(|word| !word.is_mark()).cloned().collect();
        Claim { subject, head, relation, value, limits: limits(rest), tools: tools(rest) }
    }

    /// What is so after a change.
    pub fn of_change(subject: &[Word], relation: Relation, said: &[Word]) -> Claim {
        Claim::new(subject, relation, said).numbered()
    }

    /// What is told of something with a number is told of it: "we use Node 20", "it listens on port 5434".
    fn numbered(mut self) -> Claim {
        let content: Vec<Word> = self.value.iter().filter(|word| !word.is(&ARTICLES)).cloned().collect();
        let Some((number, names)) = content.split_last().filter(|(last, _)| is_number(&last.text)) else { return self };
        let is_told = match &self.relation {
            Relation::Does(_, lead) => lead.is_empty() && !self.subject.is_empty() && !names.is_empty(),
            _ => true,
        };
        if !is_told || names.iter().any(|word| is_number(&word.text)) {
            return self;
        }
        let is_port = matches!(&self.relation, Relation::At(lead) if lead == "on") && is_digits(&number.text);
        let (names, head) = match names {
            [] if is_port => ([compared("port")].into(), compared("port")),
            names => named(names),
        };
        if names.is_empty() {
            return self;
        }
        self.subject.extend(names);
        self.head = head;
        self.relation = if self.relation == Relation::Became { Relation::Became } else { Relation::Is };
        self.value = vec![number.clone()];
        self
    }

    /// The words of the value, as they are compared.
    pub fn keys(&self) -> Vec<&str> {
        content(&self.value)
    }

    /// The value in small letters.
    pub fn name(&self) -> String {
        name_of(&self.value)
    }

    pub fn shape(&self) -> Shape {
        shape(&self.value)
    }

    /// What it is for: its subject and its limits.
    pub fn role(&self) -> BTreeSet<String> {
        let mut role: BTreeSet<String> = self.subject.union(&self.limits).cloned().collect();
        match &self.relation {
            Relation::Done(done, _) => role.insert(done.clone()),
            Relation::Does(does, _) => role.insert(does.clone()),
            _ => false,
        };
        role
    }
}

/// The words of something as they are compared, without articles.
pub(crate) fn content(words: &[Word]) -> Vec<&str> {
    words.iter().filter(|word| !word.is(&ARTICLES) && !word.is_mark()).map(|word| word.key.as_str()).collect()
}

/// Something in small letters, without articles.
pub(crate) fn name_of(words: &[Word]) -> String {
    let said: Vec<&str> =
        words.iter().filter(|word| !word.is(&ARTICLES) && !word.is_mark()).map(|word| word.text.as_str()).collect();
    said.join(" ")
}

pub(crate) fn shape(value: &[Word]) -> Shape {
    let said: Vec<&Word> = value.iter().filter(|word| !word.is(&ARTICLES)).collect();
    let Some(first) = said.first() else { return Shape::Trait };
    if said.iter().any(|word| word.is(&["and", "or"])) {
        return Shape::List;
    }
    if is_number(&first.text) {
        return Shape::Number;
    }
    if is_known(&name_of(value)) {
        return Shape::Name;
    }
    if said.iter().any(|word| is_address(&word.text)) {
        return Shape::Address;
    }
    if let Some(comes_back) = day(first) {
        return if comes_back { Shape::Days } else { Shape::Day };
    }
    // What is one of many is no name: "a React component".
    // "The billing team" and "quadratic factoring" are no traits, "billing" may be one.
    let is_ing = |word: &Word| word.text.ends_with("ing");
    let is_sure = is_trait(first) && (is_short_trait(first) || !is_ing(first) && first.text.ends_with("ed"));
    let is_last = said.last().is_some_and(|last| is_trait(last) && (said.len() == 1 || !is_ing(last)));
    let is_trait = is_sure || (is_trait(first) && is_last);
    if value.first().is_some_and(|word| word.is(&["a", "an"])) || is_trait {
        return Shape::Trait;
    }
    if said.iter().all(|word| word.is_name || is_known(&word.text)) { Shape::Name } else { Shape::Plain }
}

/// The unit of a number: "30s", "30 seconds".
pub(crate) fn unit(value: &[Word]) -> Option<String> {
    let said = content(value);
    let own = said.first()?.split('/').next()?.trim_start_matches(|c: char| c.is_ascii_digit() || ".:-v".contains(c));
    let next = said.get(1).copied().unwrap_or_default();
    Some(if own.is_empty() { next } else { own }).filter(|unit| !unit.is_empty()).map(str::to_owned)
}

pub(crate) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('v').unwrap_or(text);
    // "250/min" is no path.
    let (digits, per) = digits.split_once('/').unwrap_or((digits, ""));
    let letters = digits.chars().filter(|c| c.is_alphabetic()).count();
    let is_rate = !text.contains('/') || (letters == 0 && PER.contains(&per));
    digits.starts_with(|c: char| c.is_ascii_digit()) && is_rate && letters <= UNIT_CHARS_MAX
}

fn is_digits(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_digit())
}

fn is_address(text: &str) -> bool {
    text.contains('/') || (text.contains(['.', ':', '@']) && !is_number(text) && !text.contains(' '))
}

pub(crate) fn is_silent(word: &Word) -> bool {
    word.is(&AGENTS) || word.is(&ARTICLES) || word.is(&FILLERS)
}

fn without_fillers(words: &[Word]) -> Vec<Word> {
    let kept = |(at, word): &(usize, &Word)| {
        let next = words.get(at + 1);
        let is_last = next.is_none_or(Word::is_mark);
        let follows_copula = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| word.is(&COPULAS));
        // What stands at the end is what is said: "the build tool is just".
        // "It has replicas" has a verb of its own, "it has changed" has none.
        // "2 May" is a day.
        let is_day = word.is(&["may"])
            && at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| is_number(&word.text));
        let is_own = |next: &Word| !next.is(&["to", "been"]) && !next.text.ends_with("ed") && !is_verb(next);
        let owns = word.is(&["has", "have", "had"]) && next.is_some_and(is_own);
        (is_last && follows_copula) || is_day || owns || !word.is(&FILLERS)
    };
    words.iter().enumerate().filter(kept).map(|(_, word)| word.clone()).collect()
}

/// Where the verb is. What looks like one and stands before another one, or after an article, is a noun.
fn verb(words: &[Word]) -> Option<usize> {
    let is_verb = |at: usize| words.get(at).is_some_and(is_verb);
    let is_noun = |at: usize| {
        let is_copula = words.get(at).is_some_and(|word| word.is(&COPULAS));
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        before.is_some_and(|word| word.is(&ARTICLES) || word.is(&PREPOSITIONS) || (word.is(&["new"]) && !is_copula))
            || (words.get(at).is_some() && !is_copula && is_verb(at + 1))
    };
    let known = (0..words.len()).find(|at| is_verb(*at) && !is_noun(*at));
    // Any other verb is known by where it stands: after who does it, before what leads to a place or a time.
    let after_agent = || {
        let at = words.iter().position(|word| !word.is(&["we", "i", "you", "they", "the", "team"]))?;
        let is_agent = words.first().is_some_and(|word| word.is(&["we", "i", "they"]));
        (is_agent && words.get(at).is_some_and(|word| !word.is_name && !word.is_mark())).then_some(at)
    };
    let before_lead = || {
        let does = |at: &usize| {
            let word = |at: usize| words.get(at);
            let ends = |word: &Word| word.text.ends_with('s') && !word.text.ends_with("ss") && !word.is_name;
            let leads = |word: &Word| word.is(&PREPOSITIONS) || word.is(&ARTICLES);
            let is_plural = || word(at - 1).is_some_and(ends) && word(*at).is_some_and(|word| !word.is_name);
            (word(*at).is_some_and(ends) || is_plural()) && word(at + 1).is_some_and(leads) && !is_noun(*at)
        };
        (1..words.len()).find(does)
    };
    known.or_else(after_agent).or_else(before_lead)
}

pub(crate) fn is_verb(word: &Word) -> bool {
    [&COPULAS[..], &WAYS, &CHOICES, &SPEECH, &SETTING, &VERBS].iter().any(|list| word.is(list))
        || OWNING.iter().any(|(owns, _)| word.is(&[owns]))
}

/// Whether a word can only be the verb of a sentence.
pub(crate) fn is_finite(word: &Word) -> bool {
    word.is(&["is", "are", "was", "were", "remains", "uses", "runs", "goes", "lives", "listens", "owns", "needs"])
}

/// What is told with a form of "to be".
fn of_being(before: &[Word], after: &[Word]) -> Claim {
    let word = |at: usize| after.get(at);
    let is_lead = |at: usize| word(at).is_some_and(|word| word.is(&PREPOSITIONS));
    let rest = |from: usize| after.get(from..).unwrap_or_default();
    let lead = |at: usize| word(at).map(|word| word.text.clone()).unwrap_or_default();
    let is_agent = before.iter().all(is_silent);
    if word(0).is_some_and(|word| word.is(&["using", "used"])) {
        // "Redis is used for the queue", "we are using Rust".
        let is_passive = word(0).is_some_and(|word| word.is(&["used"])) && !is_agent;
        return match is_passive {
            true => Claim { limits: limits(rest(1)), ..Claim::new(&[], Relation::Use, before) },
            false => Claim::new(before, Relation::Use, rest(1)),
        };
    }
    if word(0).is_some_and(|word| word.is(&CALLED)) {
        return Claim::new(before, Relation::Is, rest(1 + usize::from(is_lead(1))));
    }
    let in_charge =
        ["in", "charge", "of"].iter().enumerate().all(|(at, said)| word(at).is_some_and(|word| word.is(&[said])));
    if in_charge || (word(0).is_some_and(|word| word.is(&["responsible"])) && is_lead(1)) {
        let done = Relation::Done(compared("owned"), "by".to_owned());
        return Claim { value: before.to_vec(), ..Claim::new(rest(if in_charge { 3 } else { 2 }), done, &[]) };
    }
    if let Some(done) = word(0).and_then(done).filter(|_| is_lead(1)) {
        return Claim::new(before, Relation::Done(done, lead(1)), rest(2));
    }
    // "Billing is with Aisha": she sees to it.
    if lead(0) == "with" && word(1).is_some_and(|word| word.is_name) && after.len() == 2 {
        return Claim::new(before, Relation::Done(compared("owned"), "by".to_owned()), rest(1));
    }
    if is_lead(0) {
        let is_number = word(1).is_some_and(|word| is_number(&word.text));
        let relation = if is_number && lead(0) == "at" { Relation::Is } else { at_place(&lead(0)) };
        return Claim::new(before, relation, rest(1));
    }
    let claim = Claim::new(before, Relation::Is, after);
    // "Bob is the lead" tells who the lead is.
    let is_role = word(0).is_some_and(|word| word.is(&DEFINITE)) && after.len() > 1;
    let is_name = before.first().is_some_and(|word| !word.is(&ARTICLES)) && before.len() <= 3 && !is_agent;
    let is_it = before.iter().any(|word| word.is(&["it", "this", "that", "there", "which"]));
    if is_role && is_name && !is_it && after.iter().all(|word| !word.is_mark()) {
        return Claim { limits: BTreeSet::new(), ..Claim::new(after, Relation::Is, before) };
    }
    claim
}

/// What was done, as it is compared; what is done anew was done before.
fn done(word: &Word) -> Option<String> {
    let text = word.text.as_str();
    let base = text.strip_prefix("re").filter(|base| DONE_ONCE.contains(base)).unwrap_or(text);
    (DONE_ONCE.contains(&base) || (text.ends_with("ed") && text.len() > 4)).then(|| compared(base))
}

/// "Set the timeout to 30s", "keep lines under 100".
fn of_setting(verb: &Word, after: &[Word]) -> Option<Claim> {
    let at = after.iter().position(|word| word.is(&["to", "at", "as", "under", "below"]))?;
    let (subject, value) = (after.get(..at)?, after.get(at + 1..)?);
    let mut claim = Claim::new(subject, Relation::Is, value);
    if verb.is(&["limit", "cap"]) {
        claim.subject.insert(verb.key.clone());
    }
    Some(claim)
}

fn at_place(lead: &str) -> Relation {
    Relation::At(if lead == "via" { "through" } else { lead }.to_owned())
}

/// What a subject is called, and its head.
fn named(words: &[Word]) -> (BTreeSet<String>, String) {
    let says = |word: &Word| !is_silent(word) && !word.is_mark() && !word.is(&["of"]);
    // "The project" is here, "the project's owner" is somebody.
    let has_more = words.iter().any(|word| says(word) && !word.is(&PREPOSITIONS));
    let said: Vec<&Word> = words.iter().filter(|word| says(word) || (has_more && word.is(&HERE))).collect();
    let first_end = words.iter().position(|word| word.is(&PREPOSITIONS) || word.is(&["of"])).unwrap_or(words.len());
    let is_more = |word: &&&Word| said.len() == 1 || !word.is(&THIS_ONE);
    let kept: Vec<&&Word> = said.iter().filter(is_more).filter(|word| !word.is(&PREPOSITIONS)).collect();
    let is_kept = |word: &&Word| kept.iter().any(|kept| **kept == *word);
    let head = words.get(..first_end).unwrap_or_default().iter().rev().find(is_kept);
    let head = head.or_else(|| kept.last().map(|word| **word)).map(|word| word.key.clone()).unwrap_or_default();
    (kept.iter().map(|word| word.key.clone()).collect(), head)
}

/// What follows a value: its words, and the little words that narrow it.
pub(crate) fn limits(words: &[Word]) -> BTreeSet<String> {
    let counts = |word: &&Word| {
        let is_plain_lead = word.is(&["for", "in", "on", "at", "as", "to", "of", "by", "from"]);
        !is_silent(word) && !word.is_mark() && !is_plain_lead && !word.is(&THIS_ONE)
    };
    words.iter().filter(counts).map(|word| word.key.clone()).collect()
}

/// What something is done with: "with npm", "through ./ship".
fn tools(words: &[Word]) -> Vec<Vec<Word>> {
    let leads = words.iter().enumerate().filter(|(_, word)| word.is(&TOOLS));
    let tool = |at: usize| -> Vec<Word> {
        let rest = words.get(at + 1..).unwrap_or_default();
        rest.iter().take_while(|word| !word.is(&PREPOSITIONS) && !word.is_mark()).cloned().collect()
    };
    leads.map(|(at, _)| tool(at)).filter(|tool| !tool.is_empty()).collect()
}
