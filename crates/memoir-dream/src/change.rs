//! What a clause tells of a change: what was left behind, what came instead, and for what.

use crate::claim::{Claim, Relation, Shape, is_number, limits, name_of, shape};
use crate::kindred::is_known;
use crate::phrase::{Word, compared};
use crate::vocabulary::{
    AGENTS, ARTICLES, COPULAS, DROPPING, FILLERS, GONE, HANDING, MOVING, PREPOSITIONS, RENAMING, REPLACING, TOOLS, day,
};
use std::collections::BTreeSet;

/// What a statement says was left, and what came instead.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// What holds no more.
    pub left: Vec<String>,
    /// What came instead.
    pub came: Vec<String>,
}

/// What was left, and how far that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub thing: Vec<Word>,
    /// For what it was left; empty if altogether.
    pub role: BTreeSet<String>,
}

/// What a clause with a verb of change says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Changed {
    pub left: Vec<Left>,
    pub came: Vec<Vec<Word>>,
    /// What is so from then on.
    pub claim: Option<Claim>,
}

/// Reads a clause that tells of a change; none if it does not.
pub(crate) fn changed(words: &[Word]) -> Option<Changed> {
    let words: Vec<Word> = words.iter().filter(|word| !word.is(&FILLERS)).cloned().collect();
    // "… in favor of Y".
    if let Some(at) = words.iter().position(|word| word.is(&["favor", "favour"])).filter(|at| *at > 0) {
        let mut changed = changed(words.get(..at - 1)?)?;
        changed.came.extend(some(thing(words.get(at + 2..)?).0));
        return Some(changed);
    }
    let is_verb = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        !before.is_some_and(|word| word.is(&ARTICLES) || word.is(&PREPOSITIONS))
    };
    let find =
        |list: &[&str]| (0..words.len()).find(|at| words.get(*at).is_some_and(|word| word.is(list)) && is_verb(*at));
    let parts = |at: usize| -> Option<(&[Word], &[Word])> { Some((words.get(..at)?, words.get(at + 1..)?)) };
    if let Some(handed) = handed(&words) {
        return Some(handed);
    }
    if let Some((before, after)) = find(&REPLACING).and_then(parts) {
        return replaced(before, after);
    }
    if let Some((before, after)) = find(&RENAMING).and_then(parts) {
        return renamed(before, after);
    }
    if let Some((before, after)) = find(&["stopped", "quit"]).and_then(parts) {
        return stopped(before, after);
    }
    if let Some(at) = find(&MOVING)
        && let (Some((before, after)), Some(verb)) = (parts(at), words.get(at))
        && let Some(changed) = moved(before, verb, after)
    {
        return Some(changed);
    }
    if let Some((before, after)) = find(&GONE).and_then(parts)
        && before.last().is_some_and(|word| word.is(&COPULAS))
    {
        return gone(before, after);
    }
    let (before, after) = find(&DROPPING).and_then(parts)?;
    dropped(before, after)
}

/// "X was replaced by Y", "we replaced X with Y", "Y replaces X".
fn replaced(before: &[Word], after: &[Word]) -> Option<Changed> {
    let (first, came) = split(after, &["by", "with", "for"]);
    let (came, rest) = came.map_or((Vec::new(), &[][..]), thing);
    if before.last().is_some_and(|word| word.is(&COPULAS)) {
        return became(subject(before), came, role(rest));
    }
    let (old, more) = thing(first);
    let came = if came.is_empty() { subject(before) } else { came };
    let role = if rest.is_empty() { role(more) } else { role(rest) };
    let is_known_thing = old.iter().any(|word| is_known(&word.text));
    let claim =
        (old.len() > 1 && !is_known_thing && role.is_empty()).then(|| Claim::of_change(&old, Relation::Became, &came));
    (!old.is_empty() && !came.is_empty()).then(|| Changed { claim, ..changed_to(old, came, role) })
}

/// "We renamed X to Y", "X was renamed to Y".
fn renamed(before: &[Word], after: &[Word]) -> Option<Changed> {
    let (first, came) = split(after, &["to", "into", "as"]);
    let (came, _) = thing(came?);
    if before.last().is_some_and(|word| word.is(&COPULAS)) {
        return became(subject(before), came, BTreeSet::new());
    }
    let old = thing(first).0;
    let old = if old.is_empty() { subject(before) } else { old };
    // What is renamed by what it is, "our main branch", is called so from then on.
    let claim = (old.len() > 1).then(|| Claim::of_change(&old, Relation::Became, &came));
    // What has another name has it everywhere.
    (!old.is_empty() && !came.is_empty()).then(|| Changed { claim, ..changed_to(old, came, BTreeSet::new()) })
}

/// What was changed, of a clause that does not tell to what: "they raised the limit".
pub(crate) fn changed_thing(words: &[Word]) -> Option<Vec<Word>> {
    let at = words.iter().position(|word| word.is(&MOVING)).filter(|at| *at > 0)?;
    let (before, after) = (words.get(..at)?, words.get(at + 1..)?);
    let is_whole = !after.is_empty() && !after.iter().any(|word| word.is(&PREPOSITIONS));
    (is_whole && subject(before).is_empty()).then(|| after.to_vec())
}

/// "Mara handed billing over to Jo", "Bob took over payments from Mara": who sees to it from then on.
pub(crate) fn handed(words: &[Word]) -> Option<Changed> {
    let is = |at: usize, list: &[&str]| words.get(at).is_some_and(|word| word.is(list));
    let part = |from: usize, to: usize| -> Vec<Word> {
        let said = words.get(from..to).unwrap_or_default().iter();
        said.filter(|word| !word.is(&["over", "off"]) && !word.is_mark()).cloned().collect()
    };
    let owned = |what: &[Word], who: Vec<Word>, from: Vec<Word>| {
        let owner = Claim::of_change(what, Relation::Done(compared("owned"), "by".to_owned()), &who);
        let role = owner.subject.clone();
        let is_told = !owner.subject.is_empty() && !owner.value.is_empty();
        let left = (!from.is_empty()).then_some(Left { thing: from, role });
        is_told.then(|| Changed { left: left.into_iter().collect(), came: some(who), claim: Some(owner) })
    };
    if let Some(over) = (1..words.len()).find(|at| is(*at, &["took", "takes"]) && is(at + 1, &["over"])) {
        let from = words.iter().position(|word| word.is(&["from"]));
        let what = part(over + 2, from.unwrap_or(words.len()));
        return owned(
            &what,
            part(0, over),
            from.map(|at| thing(words.get(at + 1..).unwrap_or_default()).0).unwrap_or_default(),
        );
    }
    let verb = words.iter().take(4).position(|word| word.is(&HANDING))?;
    let to = words.iter().position(|word| word.is(&["to"])).filter(|to| *to > verb + 1)?;
    let is_owner = !words.get(..verb)?.iter().any(|word| word.is(&COPULAS)) && words.get(to + 1)?.is_name;
    let (who, _) = thing(words.get(to + 1..)?);
    let from = part(0, verb).into_iter().filter(|word| !word.is(&AGENTS)).collect();
    is_owner.then(|| owned(&part(verb + 1, to), who, from)).flatten()
}

/// "We stopped using X for P", "we stopped deploying with X".
fn stopped(before: &[Word], after: &[Word]) -> Option<Changed> {
    let is_use = after.first().is_some_and(|word| word.is(&["using"]));
    let tool = after.iter().position(|word| word.is(&TOOLS)).filter(|at| !is_use && *at <= 2);
    let from = if is_use { 1 } else { tool? + 1 };
    let (old, rest) = thing(after.get(from..)?);
    let own = subject(before).into_iter().map(|word| word.key);
    let role = role(rest).into_iter().chain(own).collect();
    (!old.is_empty()).then(|| Changed { left: vec![Left { thing: old, role }], ..Changed::default() })
}

/// "We moved P from X to Y", "P moved to Y", "we switched to Y for P", "we upgraded P to Y".
fn moved(before: &[Word], verb: &Word, after: &[Word]) -> Option<Changed> {
    let is_choice =
        ["switch", "migrat", "upgrad", "chang", "transition", "convert"].iter().any(|of| verb.text.starts_with(of));
    let is_move = ["mov", "switch", "migrat", "port", "relocat"].iter().any(|verb_of| verb.text.starts_with(verb_of));
    // "We from npm switched to pnpm".
    let early = before.iter().position(|word| word.is(&["from"])).map(|at| before.split_at(at));
    let (before, early) = early.map_or((before, &[][..]), |(before, early)| (before, early));
    let mut old = early.get(1..).map(thing).map(|(old, _)| old).unwrap_or_default();
    // "We switched the repo over to pnpm."
    let object =
        Some(thing(after).0).filter(|object| !object.iter().all(|word| word.is(&AGENTS) || word.is(&["over"])));
    let object = object.unwrap_or_default();
    let from = after.iter().position(|word| word.is(&["from"]));
    if let Some(at) = from {
        old = thing(after.get(at + 1..)?).0;
    }
    let to = after.iter().position(|word| word.is(&["to", "onto", "into"])).or_else(|| {
        // "Rewritten in React".
        let first = after.first().is_some_and(|word| word.is(&["in", "on"]));
        first.then_some(0)
    });
    let Some(to) = to else {
        let left = Left { thing: old, role: subject_role(before, &object) };
        return (!left.thing.is_empty()).then(|| Changed { left: vec![left], ..Changed::default() });
    };
    let said = after.get(to + 1..)?;
    let object = if to == 0 || from == Some(0) { Vec::new() } else { object };
    let own: Vec<Word> = subject(before);
    let is_object = own.is_empty();
    let subject = if is_object { object } else { own };
    let relation = if subject.is_empty() { Relation::Use } else { Relation::Became };
    let lead = said.first().is_some_and(|word| word.is(&["on", "in"]));
    let claim = Claim::of_change(&subject, relation, said.get(usize::from(lead)..)?);
    let role = claim.subject.union(&claim.limits).cloned().collect();
    let came = claim.value.clone();
    // "We changed the readme to mention it" tells of work, not of a value.
    let is_work = is_object && !is_move && claim.shape() == Shape::Plain && claim.keys().len() > 1;
    // Whoever moved to a town uses it no more than before.
    let is_own = subject.is_empty() && before.first().is_some_and(|word| word.is(&["i"])) && !is_choice;
    if came.is_empty() || is_work || is_own {
        return None;
    }
    let left = (!old.is_empty() && !is_number(&name_of(&old))).then_some(Left { thing: old, role });
    Some(Changed { left: left.into_iter().collect(), came: some(came), claim: Some(claim) })
}

/// "X is deprecated".
fn gone(before: &[Word], after: &[Word]) -> Option<Changed> {
    let old = subject(before);
    let left = Left { thing: old, role: role(after) };
    (!left.thing.is_empty()).then(|| Changed { left: vec![left], ..Changed::default() })
}

/// "We dropped X as P".
fn dropped(before: &[Word], after: &[Word]) -> Option<Changed> {
    if !subject(before).is_empty() {
        return None;
    }
    // "We dropped support for X."
    let is_support = after.first().is_some_and(|word| word.is(&["support"]));
    let (old, rest) = thing(after.get(if is_support { 2 } else { 0 }..)?);
    let left = Left { thing: old, role: role(rest) };
    (!left.thing.is_empty()).then(|| Changed { left: vec![left], ..Changed::default() })
}

/// "The gateway was replaced by Y" tells of Y too: what the gateway is.
fn became(old: Vec<Word>, came: Vec<Word>, role: BTreeSet<String>) -> Option<Changed> {
    let claim = Claim::of_change(&old, Relation::Became, &came);
    let is_role = !came.is_empty() && shape(&old) != Shape::Address;
    let left = vec![Left { thing: old, role }];
    (!left.iter().any(|left| left.thing.is_empty())).then(|| Changed {
        left,
        came: some(came),
        claim: is_role.then_some(claim),
    })
}

fn changed_to(old: Vec<Word>, came: Vec<Word>, role: BTreeSet<String>) -> Changed {
    Changed { left: vec![Left { thing: old, role }], came: some(came), claim: None }
}

fn some(words: Vec<Word>) -> Vec<Vec<Word>> {
    if words.is_empty() { Vec::new() } else { vec![words] }
}

/// Words up to one of those, and after it.
fn split<'a>(words: &'a [Word], leads: &[&str]) -> (&'a [Word], Option<&'a [Word]>) {
    let Some(at) = words.iter().position(|word| word.is(leads)) else { return (words, None) };
    (words.get(..at).unwrap_or_default(), words.get(at + 1..))
}

/// The thing that words begin with, and what follows it.
pub(crate) fn thing(words: &[Word]) -> (Vec<Word>, &[Word]) {
    let end = words.iter().position(|word| word.is(&PREPOSITIONS) || word.is_mark() || word.is(&["and"]));
    let (thing, rest) = words.split_at(end.unwrap_or(words.len()));
    (thing.iter().filter(|word| !word.is(&ARTICLES)).cloned().collect(), rest)
}

/// What a clause is about, if that is not who speaks.
fn subject(before: &[Word]) -> Vec<Word> {
    let said = |word: &&Word| !word.is(&ARTICLES) && !word.is(&COPULAS) && !word.is_mark();
    let words: Vec<Word> = before.iter().filter(said).cloned().collect();
    if words.iter().all(|word| word.is(&AGENTS)) { Vec::new() } else { words }
}

fn subject_role(before: &[Word], object: &[Word]) -> BTreeSet<String> {
    subject(before).iter().chain(object).map(|word| word.key.clone()).collect()
}

/// For what; when it was is told beside that.
fn role(rest: &[Word]) -> BTreeSet<String> {
    let said: Vec<Word> = rest.iter().filter(|word| day(word).is_none()).cloned().collect();
    limits(&said)
}
