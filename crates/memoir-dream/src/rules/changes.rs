//! What the user says is otherwise than it was: "we switched to pnpm", "the timeout was raised to 60 seconds", "CI runs on
//! GitHub Actions now", "we don't … any more", "you can use lodash again".
//!
//! A sentence is read as a statement is read that is compared: what it claims of what, what it says was left, whether it
//! says that this is new. Who works on something tells of changes, too: "I moved the function to utils.rs" is one in a
//! file, not in how things are. So what changed is a thing that lasts, and what it became has a name, a number, a place.

use super::Rule;
use super::doubt::{begins_reported, orders_now};
use super::facts::{TROUBLE, fact};
use super::habits::{habit, preference};
use super::matter::{Matter, NOW, Who, Worth, begins_told};
use super::sentences::Sentence;
use super::told::{Told, kept};
use super::words::has;
use crate::claim::Relation;
use crate::phrase::{ends_rule, lifts};

/// Before so many words it is said that something is new.
const SUBJECT_WORDS_MAX: usize = 5;
const ARTICLES: &[&str] = &["the", "a", "an", "another", "next", "some", "your", "this", "that", "each", "both", "one"];
const POINTING: &[&str] = &["it", "this", "that", "them", "these", "those", "there", "here"];

/// What may be a change is told in so many words.
const CORRECTION_WORDS_MAX: usize = 14;

/// What the user says has changed, told whole.
pub(super) fn changed(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.trim_end_matches(['.', '!']);
    if has(lower, TROUBLE) || orders_now(lower) || begins_reported(lower) {
        return None;
    }
    // "Switched the repo over to pnpm": who says it is not told.
    let whole = begins_told(lower).then(|| Sentence::new(&format!("we {}", bare.said)));
    let is_change = || {
        Matter::of(whole.as_ref().unwrap_or(bare))
            .is_some_and(|matter| tells_of_change(&matter) && (matter.statement.denies || habit(bare).is_none()))
    };
    (is_allowed(lower) || ends_rule(lower).is_some() || is_change() || is_new(bare))
        .then(|| kept(Rule::Update, bare, &bare.lower))
        .flatten()
}

/// What may be a change: it counts if it takes the place of something that is known, and is nothing else.
pub(super) fn perhaps_changed(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.trim_end_matches(['.', '!']);
    let corrects = corrects(bare);
    let is_short = bare.words() <= CORRECTION_WORDS_MAX && !lower.starts_with(['*', '-', '#', '|', '`']);
    if !is_short || (!corrects && has(lower, TROUBLE)) || orders_now(lower) || begins_reported(lower) {
        return None;
    }
    let is_lifted = ["now", "again"].iter().any(|end| lower.ends_with(end))
        && lifts(lower).is_some_and(|(said, _)| !has(said, POINTING));
    let is_told = || Matter::of(bare).is_some_and(|matter| may_tell_of_change(&matter));
    (corrects || is_lifted || is_told()).then(|| kept(Rule::Correction, bare, &bare.lower)).flatten()
}

/// What is told so and not otherwise: a fact, a habit, a preference.
pub(super) fn plainly(bare: &Sentence) -> Option<Told> {
    changed(bare).or_else(|| habit(bare)).or_else(|| fact(bare)).or_else(|| preference(bare))
}

/// Whether it tells that something that lasts is otherwise than it was.
fn tells_of_change(matter: &Matter) -> bool {
    let statement = &matter.statement;
    if matter.who == Who::Told || !(matter.tells_past || matter.ends || matter.is_new) {
        return false;
    }
    let Some(claim) = statement.claims.first() else {
        // "We dropped Travis", "./ship is deprecated": what was left has a name.
        let is_named = |thing| matter.worth_of(thing) == Worth::Sure;
        return statement.left.iter().any(|left| is_named(&left.thing)) && matter.who != Who::I;
    };
    if statement.denies {
        return matter.ends_habit(claim);
    }
    let is_about_thing = !claim.subject.is_empty();
    if is_about_thing && matter.is_worked_on(claim) {
        return false;
    }
    let worth = matter.worth(claim);
    match matter.who {
        Who::I => worth == Worth::Sure && !is_about_thing && claim.relation == Relation::Use,
        Who::We | Who::Thing => {
            let is_told = worth == Worth::Sure || (worth == Worth::Word && matter.says_what_became(claim));
            is_told && (is_about_thing || matter.is_chosen(claim))
        }
        Who::Told => false,
    }
}

/// Whether it would say what is otherwise, if what it speaks of is known.
fn may_tell_of_change(matter: &Matter) -> bool {
    let statement = &matter.statement;
    if matter.who == Who::Told {
        // "Use tabs not spaces", and not "rename master to main".
        return matter.is_choice && statement.left.len() == 1 && !statement.denies;
    }
    let is_new = matter.tells_past || matter.is_new || !statement.left.is_empty();
    match statement.claims.first() {
        Some(claim) if statement.denies => is_new && !claim.subject.is_empty() && !matter.is_worked_on(claim),
        Some(claim) => {
            let is_being = matches!(claim.relation, Relation::Is | Relation::At(_) | Relation::Done(..));
            let is_told = is_being && !claim.subject.is_empty() && matter.worth(claim) >= Worth::Word;
            (is_new || is_told)
                && (matter.who != Who::I || claim.relation == Relation::Use || matter.worth(claim) == Worth::Sure)
                && matter.worth(claim) != Worth::Nothing
                && !matter.is_worked_on(claim)
        }
        None => !statement.left.is_empty(),
    }
}

/// "5433 is wrong, it should be 5434", "it's 5434, not 5433": what is wrong and what is right, and not of what.
fn corrects(bare: &Sentence) -> bool {
    let Some(matter) = Matter::corrected(bare) else { return false };
    let statement = &matter.statement;
    let is_of_nothing = statement.claims.first().is_some_and(|claim| claim.subject.len() <= 1);
    statement.left.len() == 1 && statement.came.len() == 1 && is_of_nothing
}

fn words(lower: &str) -> Vec<&str> {
    let is_mark = |c: char| matches!(c, ',' | ';' | ':' | '"' | '`' | '(' | ')' | '!');
    lower.split_whitespace().map(|word| word.trim_matches(is_mark)).filter(|word| !word.is_empty()).collect()
}

/// Whether it can be the name of something: no article stands before it, and it is not pointed at.
fn is_named(words: &[&str]) -> bool {
    words.first().is_some_and(|first| !ARTICLES.contains(first) && !POINTING.contains(first))
}

/// "It's fine to push to main on Fridays now", "you can use lodash again": and not "you can run the tests again".
fn is_allowed(lower: &str) -> bool {
    const AGAIN: [&str; 3] = ["again", "now", "from now on"];
    let Some(rest) = AGAIN.iter().find_map(|again| lower.strip_suffix(again)) else { return false };
    // "Pushing to main is allowed again."
    if lifts(rest)
        .is_some_and(|(said, _)| rest.trim().starts_with(said) && said.contains(' ') && is_named(&words(said)))
    {
        return true;
    }
    let Some((said, _)) = lifts(lower) else { return false };
    let words = words(said);
    let object = words.get(1..).unwrap_or_default();
    let object: Vec<&str> = object.iter().filter(|word| !AGAIN.contains(word)).copied().collect();
    let is_general = words.first() == Some(&"use") || object.len() >= 2;
    rest.ends_with(' ') && is_general && is_named(&object) && !object.iter().any(|word| POINTING.contains(word))
}

/// "Jo now owns the billing service": told without its "now", it is a fact or a habit.
fn is_new(bare: &Sentence) -> bool {
    let words: Vec<&str> = bare.said.split(' ').collect();
    let is_now = |word: &&str| NOW.contains(&word.to_lowercase().as_str());
    let Some(at) = words.iter().take(SUBJECT_WORDS_MAX + 2).position(is_now).filter(|at| *at > 0) else { return false };
    let rest = [words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default()].concat();
    let plain = Sentence::new(&rest.join(" "));
    rest.len() > 2
        && habit(bare).is_none()
        && fact(bare).is_none()
        && (habit(&plain).is_some() || fact(&plain).is_some() || preference(&plain).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::user::heard;
    use super::*;

    /// What counts by itself.
    fn rules(said: &str) -> Vec<Rule> {
        let told = heard(said).told.into_iter().map(|told| told.rule);
        told.filter(|rule| *rule != Rule::Correction).collect()
    }

    #[test]
    fn what_is_otherwise_now_is_heard_in_everyday_words() {
        let missed = [
            "Actually the staging port is 5434 now.",
            "actually, the staging port is 5434",
            "We switched to pnpm.",
            "We've switched over to pnpm",
            "We now use pnpm for linting instead of npm.",
            "it's fine to push to main on Fridays now",
            "You can use lodash again.",
            "You can push to main again.",
            "Jo now owns the billing service.",
            "Mara no longer owns the billing service.",
            "I no longer prefer dark mode.",
            "We don't run make lint before pushing anymore.",
            "The staging host changed to hawk.internal:80",
            "The prod database moved to db2.internal:5432.",
            "Our docs have moved to Notion.",
            "We migrated our CI to GitHub Actions.",
            "We recently moved everything to Hetzner.",
            "We're on Node 22 now.",
            "we upgraded to Rust 1.85",
            "./ship was replaced by ./deploy",
            "The old payments API is deprecated, use v2",
            "The design team was renamed to Studio",
            "Wir benutzen npm nicht mehr zum Bauen",
            "CI now runs on Buildkite",
            "Tests are now in tests/unit",
            "The default branch is now called trunk",
            "We changed the deploy command to ./release",
            "Kubernetes replaced Nomad",
            "Bob took over the payments service from Mara",
            "Pushing to main is allowed again",
        ]
        .into_iter()
        .filter(|said| rules(said) != [Rule::Update]);
        assert_eq!(missed.map(|said| (said, rules(said))).collect::<Vec<_>>(), []);
        assert_eq!(rules("Wir verwenden jetzt GitLab"), [Rule::Convention]);
        assert_eq!(rules("Remember: the build tool is just."), [Rule::Remember]);
    }

    #[test]
    fn what_changed_in_the_work_at_hand_is_no_update() {
        let heard = [
            "I moved the function to utils.rs",
            "I changed the color to blue",
            "We moved to the next step",
            "I switched to another branch",
            "You can run the tests again",
            "You can continue now",
            "You can merge it now",
            "it's fine to delete that now",
            "I don't see the button anymore",
            "the page no longer loads",
            "it was replaced by a stub",
            "the button moved to the left",
            "We updated the readme to mention pnpm",
            "Actually the tests are slow",
            "Actually I think we should wait",
            "Actually, never mind",
            "now the tests are green",
            "We're on it now",
            "We're on the same page now",
            "The docs say we switched to pnpm",
            "did we switch to pnpm?",
            "We moved the function to utils.rs",
            "the parser now uses serde",
            "The tests are now green",
            "the form now uses a map",
            "No need to save this",
        ]
        .into_iter()
        .filter(|said| !rules(said).is_empty());
        assert_eq!(heard.map(|said| (said, rules(said))).collect::<Vec<_>>(), []);
    }
}
