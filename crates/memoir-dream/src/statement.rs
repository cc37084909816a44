//! A statement as it is compared: what it claims, what it says was left behind, and whether it denies.

mod clauses;

use crate::change::{Change, Left, changed, changed_thing, thing};
use crate::claim::{Claim, Relation, Shape, content, is_number, is_silent, is_verb, limits, name_of};
use crate::kindred::lines_of;
use crate::phrase::{DENIALS, Word, denies, ends_rule, lifts, words_of};
use crate::rules::split_heading;
use crate::vocabulary::{ADDITIONS, CHANGES, COPULAS, DEFINITE, FILLERS, NARROWING, PREPOSITIONS, TIMES, WRONG};
use clauses::{clauses, equate, lead_off, put_straight, set_apart};
use memoir_index::{name_stem, stems_in};
use std::collections::BTreeSet;

/// So many headings one after another are taken off.
const CORE_STEPS_MAX: usize = 4;
/// Who reports something is named in at most so many words.
const REPORT_WORDS_MAX: usize = 5;
/// What is longer is a text: it makes no single claim.
const CLAIM_WORDS_MAX: usize = 60;
/// Scripts from here on write words without blanks.
const FIRST_UNSPACED: u32 = 0x2E80;
/// What stands before a colon and is a thing has at most so many words.
const HEAD_WORDS_MAX: usize = 5;

/// Stems of words that say how often, since when, or that it is still so: not what a statement is about.
const HOW_OFTEN: [&str; 16] = [
    "use", "always", "alway", "never", "immer", "nie", "niemal", "niemals", "siempr", "nunca", "anymor", "instead",
    "longer", "remain", "current", "still",
];

/// A statement as it is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Statement {
    /// All that counts of it, sorted.
    pub stems: BTreeSet<String>,
    pub denies: bool,
    /// Whether it asks: a question claims nothing.
    pub asks: bool,
    /// What it claims, clause by clause.
    pub claims: Vec<Claim>,
    /// What it says was left behind.
    pub left: Vec<Left>,
    /// What it says came instead.
    pub came: Vec<Vec<Word>>,
    /// Whether it says of itself that it is new.
    pub is_new: bool,
    /// Whether it allows again what was forbidden.
    pub allows_again: bool,
    /// Whether it says that something else holds too.
    pub adds: bool,
    /// Whether it says that nothing else holds.
    pub is_only: bool,
    /// Whether it says for what it holds.
    pub is_narrow: bool,
    /// Its words in their order, as they are compared.
    pub order: Vec<String>,
    /// The same, as they are written.
    pub written: Vec<String>,
}

impl Statement {
    /// A statement, without the headings before it.
    pub fn of(text: &str) -> Statement {
        let core = core(text);
        let lower = core.to_lowercase();
        let lifted = lifts(&lower);
        let (said, lifted_denies) = lifted.map_or((core, None), |(said, denies)| (said, Some(denies)));
        let asks = text.trim_end().ends_with(['?', '\u{ff1f}']);
        let mut statement = Statement { asks, ..Statement::default() };
        let mut words = words_of(said);
        put_straight(&mut words);
        statement.is_new = lead_off(&mut words);
        // "The new release date is 2 May."
        statement.is_new |= words
            .iter()
            .take(2)
            .position(|word| word.is(&["new"]))
            .is_some_and(|at| words.iter().take(at).all(|word| word.is(&DEFINITE)));
        statement.is_new |= take(&mut words, &CHANGES, &["of"]);
        take(&mut words, &["after all", "again"], &[]);
        take(&mut words, &TIMES, &[]);
        set_apart(&mut words);
        equate(&mut words);
        statement.adds = take(&mut words, &ADDITIONS, &[]);
        statement.is_only = take(&mut words, &["only"], &[]);
        statement.is_narrow = statement.is_only || words.iter().any(|word| word.is(&NARROWING));
        if words.len() <= CLAIM_WORDS_MAX {
            statement.read(&words);
        }
        match lifted_denies {
            Some(true) => {
                statement.denies = true;
                statement.leave_denied();
            }
            // What is allowed is not what is done; but one language is spoken at a time.
            Some(false) => {
                statement.denies = false;
                let ends_rule = ends_rule(&lower);
                statement.allows_again = ends_rule.is_some() || ["again", "now"].iter().any(|end| lower.ends_with(end));
                let thing = ends_rule.map(words_of);
                statement.left.extend(thing.map(|thing| Left { thing, role: BTreeSet::new() }));
                let is_spoken = |claim: &Claim| claim.relation == Relation::At("speak".to_owned());
                statement.claims.retain(is_spoken);
                statement.is_new |= !statement.claims.is_empty();
            }
            None => {}
        }
        let kept = counting(&words);
        statement.stems = set(&kept);
        statement.order = kept.iter().map(|word| word.key.clone()).collect();
        statement.written = kept.into_iter().map(|word| word.text).collect();
        statement
    }

    /// All the words of a text, headings and all.
    pub fn whole(text: &str) -> Statement {
        Statement { stems: set(&counting(&words_of(text))), denies: denies(text), ..Statement::default() }
    }

    /// One name for all statements that say the same.
    pub fn key(&self) -> String {
        let words: Vec<&str> = self.stems.iter().map(String::as_str).collect();
        format!("{}\0{}", if self.denies { "not" } else { "" }, words.join(" "))
    }

    /// What it is about, if it says so.
    pub fn subject(&self) -> Option<&BTreeSet<String>> {
        let told = |claim: &&Claim| !claim.subject.is_empty() && !matches!(claim.relation, Relation::Does(..));
        self.claims.first().filter(told).map(|claim| &claim.subject)
    }

    /// Whether there is anything in it.
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// What it says was left, and what came instead.
    pub fn change(&self) -> Change {
        let names = |things: &mut dyn Iterator<Item = &Vec<Word>>| -> Vec<String> {
            things.map(|thing| name_of(thing)).filter(|name| !name.is_empty()).collect()
        };
        Change { left: names(&mut self.left.iter().map(|left| &left.thing)), came: names(&mut self.came.iter()) }
    }

    /// By what it is found, beside its stems: its subjects, what it names, the lines that this is of.
    pub fn handles(&self) -> BTreeSet<String> {
        let mut handles = BTreeSet::new();
        for claim in &self.claims {
            handles.insert(handle("about", &claim.subject));
            handles.insert(handle("about", &claim.limits));
            handles.insert(format!("head {}", claim.head));
            for thing in claim.tools.iter().chain([&claim.value]) {
                handles.insert(format!("thing {}", content(thing).join(" ")));
                handles.extend(lines_of(&name_of(thing)).into_iter().map(|line| format!("line {line}")));
            }
        }
        handles
    }

    /// The handles of what it may take the place of.
    pub fn seeks(&self) -> BTreeSet<String> {
        let mut sought = BTreeSet::new();
        sought.extend(self.left.iter().map(|left| format!("thing {}", content(&left.thing).join(" "))));
        for claim in &self.claims {
            let is_choice = claim.relation == Relation::Use;
            if is_choice && claim.limits.is_empty() {
                sought.extend(lines_of(&claim.name()).into_iter().map(|line| format!("line {line}")));
            }
            let about = [&claim.subject, &claim.limits].into_iter().filter(|words| !words.is_empty());
            sought.extend(about.map(|words| handle("about", words)));
            if self.is_new {
                sought.extend(lines_of(&claim.name()).into_iter().map(|line| format!("line {line}")));
                sought.extend((!claim.head.is_empty()).then(|| format!("head {}", claim.head)));
                sought.extend(is_choice.then(|| handle("about", &claim.subject)));
            }
        }
        sought
    }

    /// How much of this statement another text says, and how much of that text is this statement.
    pub fn covered_by(&self, stems: &BTreeSet<String>) -> (f32, f32) {
        let both = self.stems.intersection(stems).count() as f32;
        (both / self.stems.len().max(1) as f32, both / stems.len().max(1) as f32)
    }

    /// Reads its clauses.
    fn read(&mut self, words: &[Word]) {
        let mut beside = Vec::new();
        let (mut before, mut is_past) = (None, false);
        let clauses = clauses(words);
        let is_of_it = clauses.get(1).is_some_and(|next| next.first().is_some_and(|word| word.is(&["it"])));
        for (at, clause) in clauses.into_iter().enumerate() {
            // "They raised the limit, it's 250 now."
            if at == 0
                && is_of_it
                && let Some(thing) = changed_thing(&clause)
            {
                (before, is_past, self.is_new) = (Some(thing), true, true);
                continue;
            }
            if at == 0 && self.read_past(&clause, &mut before) {
                is_past = true;
                continue;
            }
            let clause = before.take().map_or(clause.clone(), |before| of_before(before, clause));
            self.read_clause(&clause, at == 0, &mut beside);
        }
        if is_past || (self.came.is_empty() && !beside.is_empty() && !self.denies) {
            self.came.extend(self.claims.first().map(|claim| claim.value.clone()));
        }
        // What is named beside a claim, as what it is not, was for the same.
        let mut role = self.claims.first().map(Claim::role).unwrap_or_default();
        role.retain(|word| !PRONOUNS.contains(&word.as_str()));
        self.left.extend(beside.into_iter().map(|thing| Left { thing, role: role.clone() }));
        self.leave_denied();
    }

    /// "The limit used to be 5", "5433 is wrong", "no more tabs": what was so and is not. What is said after it is said of the same.
    fn read_past(&mut self, clause: &[Word], before: &mut Option<Vec<Word>>) -> bool {
        let is = |at: usize, list: &[&str]| clause.get(at).is_some_and(|word| word.is(list));
        if is(0, &["no"]) && is(1, &["more"]) && clause.len() > 2 {
            let (thing, rest) = thing(clause.get(2..).unwrap_or_default());
            self.is_new = true;
            self.left.push(Left { thing, role: limits(rest) });
            return true;
        }
        let used_to = (1..clause.len()).find(|at| is(*at, &["used"]) && is(at + 1, &["to"]) && !is(at - 1, &COPULAS));
        if let Some(at) = used_to {
            let subject = clause.get(..at).unwrap_or_default();
            let said = [subject, clause.get(at + 2..).unwrap_or_default()].concat();
            let Some(claim) = Claim::of(&said) else { return false };
            self.left.push(Left { thing: claim.value.clone(), role: claim.role() });
            *before = Some(subject.to_vec());
            return true;
        }
        let Some(at) = clause.iter().position(|word| word.is(&COPULAS)).filter(|at| *at > 0) else { return false };
        let is_wrong = clause.len() == at + 2 && clause.last().is_some_and(|word| word.is(&WRONG));
        let Some((value, subject)) = clause.get(..at).and_then(<[Word]>::split_last) else { return false };
        let has_value = value.is_name || is_number(&value.text);
        if !is_wrong || !has_value || subject.len() > HEAD_WORDS_MAX {
            return false;
        }
        let named: Vec<Word> = subject.iter().filter(|word| !is_silent(word)).cloned().collect();
        let role = named.iter().map(|word| word.key.clone()).collect();
        self.left.push(Left { thing: vec![value.clone()], role });
        self.is_new = true;
        *before = Some(named);
        true
    }

    fn read_clause(&mut self, clause: &[Word], is_first: bool, beside: &mut Vec<Vec<Word>>) {
        let mut words = clause.to_vec();
        let no_longer = take(&mut words, &["no longer"], &[]);
        self.is_new |= no_longer;
        let is_bare = !words.iter().any(is_verb);
        let denies = take(&mut words, &DENIALS, &["only"]) || no_longer;
        if denies && is_bare && !is_first {
            // "…, not X".
            beside.push(thing(&words).0);
            return;
        }
        beside.extend(self.take_rather(&mut words));
        if !denies && let Some(changed) = changed(&words) {
            self.is_new = true;
            self.left.extend(changed.left);
            self.came.extend(changed.came);
            self.claims.extend(changed.claim);
            return;
        }
        let Some(claim) = Claim::of(&words) else {
            self.denies |= denies && is_first;
            return;
        };
        let is_it = clause.first().is_some_and(|word| word.is(&["it"]));
        match self.claims.first_mut() {
            // "The day is no longer Tuesday, it's Thursday."
            Some(first) if is_it && self.denies => {
                let role = first.subject.clone();
                let old = std::mem::replace(&mut first.value, claim.value.clone());
                self.left.push(Left { thing: old, role });
                self.came.push(claim.value);
                self.denies = false;
            }
            _ => {
                self.denies |= denies && is_first;
                if is_first || !denies {
                    self.claims.push(claim);
                }
            }
        }
        if is_first && !self.denies && !beside.is_empty() {
            self.came.extend(self.claims.first().map(|claim| claim.value.clone()));
        }
    }

    /// "Y instead of X", "prefer Y over X".
    fn take_rather(&mut self, words: &mut Vec<Word>) -> Vec<Vec<Word>> {
        let mut found = Vec::new();
        for (first, second) in [("instead", "of"), ("rather", "than"), ("in place", "of"), ("over", "")] {
            let prefers =
                || words.iter().any(|word| word.is(&["prefer", "prefers", "choose", "chose", "picked", "pick"]));
            let at = words.iter().position(|word| word.is(&[first]));
            let Some(at) = at.filter(|at| match second {
                "" => prefers(),
                second => words.get(at + 1).is_some_and(|word| word.is(&[second])),
            }) else {
                continue;
            };
            let from = at + 1 + usize::from(!second.is_empty());
            let rest = words.split_off(at);
            let (old, after) = thing(rest.get(from - at..).unwrap_or_default());
            words.extend(after.iter().cloned());
            if !old.is_empty() {
                found.push(old);
                self.is_new |= first != "over";
            }
        }
        found
    }

    /// What is used no more was left, for what it was used.
    fn leave_denied(&mut self) {
        if !self.denies {
            return;
        }
        let left = self.claims.first().filter(|claim| claim.relation == Relation::Use && claim.shape() != Shape::List);
        if let Some(claim) = left
            && self.left.is_empty()
        {
            self.left.push(Left { thing: claim.value.clone(), role: claim.role() });
        }
    }
}

/// Words that stand for what was named before.
const PRONOUNS: [&str; 3] = ["it", "this", "that"];

/// "It is 5434", said of what was told of before.
fn of_before(before: Vec<Word>, clause: Vec<Word>) -> Vec<Word> {
    let said = clause.iter().skip_while(|word| word.is(&FILLERS) || word.is(&["it", "now", "but"])).cloned();
    let is_of_it = clause.iter().take(3).any(|word| word.is(&["it"]) || word.is(&["be"]));
    if is_of_it { before.into_iter().chain(said).collect() } else { clause }
}

fn handle(what: &str, words: &BTreeSet<String>) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    format!("{what} {}", words.join(" "))
}

/// Takes words out; whether there were any. Those that are followed by one of `but` stay.
fn take(words: &mut Vec<Word>, list: &[&str], but: &[&str]) -> bool {
    let before = words.len();
    for phrase in list {
        let long = phrase.split(' ').count();
        let mut at = 0;
        while at + long <= words.len() {
            let fits = phrase.split(' ').zip(words.iter().skip(at)).all(|(phrase, word)| word.text == phrase);
            let stays = words.get(at + long).is_some_and(|word| word.is(but));
            if fits && !stays {
                words.drain(at..at + long);
            } else {
                at += 1;
            }
        }
    }
    words.len() < before
}

/// The words that say what a statement says.
fn counting(words: &[Word]) -> Vec<Word> {
    let counts = |word: &&Word| !is_silent(word) && !word.is_mark() && !word.is(&DENIALS);
    words.iter().filter(counts).cloned().collect()
}

/// The stems that count: whether something is so always or never is not what it is about. Each word is stemmed by itself:
/// a few words do not tell their language, and what is compared must be stemmed alike.
fn set(words: &[Word]) -> BTreeSet<String> {
    let is_little = |word: &&Word| word.is(&COPULAS) || word.is(&PREPOSITIONS);
    let is_spaced = |c: char| c.is_alphabetic() && u32::from(c) < FIRST_UNSPACED;
    let mut stems = BTreeSet::new();
    for word in words.iter().filter(|word| !is_little(word)) {
        if word.text.chars().all(is_spaced) {
            stems.extend(name_stem(&word.text).map(|_| word.key.clone()));
        } else {
            stems.extend(stems_in(&word.text));
        }
    }
    stems.retain(|stem| !HOW_OFTEN.contains(&stem.as_str()));
    stems
}

/// What a face says is no part of a statement.
const SMILEYS: [&str; 6] = [":)", ":(", ";)", ":-)", ":-(", ":/"];

/// What is left of a text without the headings that announce it and the words that report it: `Outcome: confirmed
/// outcome: it works`, `The review confirmed that it works`.
pub(crate) fn core(text: &str) -> &str {
    let text = text.trim();
    let text = SMILEYS.iter().find_map(|smiley| text.strip_suffix(smiley)).unwrap_or(text);
    let mut rest = text.trim().trim_end_matches(['.', '!', '。', '！']);
    for _ in 0..CORE_STEPS_MAX {
        let Some((heading, said)) = split_heading(rest) else { break };
        let goes_on = || split_heading(said).is_some_and(|(inner, _)| inner.is_some());
        if said.trim().is_empty() || (heading.is_none() && !goes_on()) {
            break;
        }
        rest = said.trim();
    }
    let reported = [" confirmed that ", " confirms that ", " showed that ", " says that "];
    for report in reported {
        if let Some((before, said)) = rest.split_once(report)
            && before.split_whitespace().count() <= REPORT_WORDS_MAX
        {
            return said.trim();
        }
    }
    rest
}
