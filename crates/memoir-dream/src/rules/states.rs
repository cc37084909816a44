//! How things are, in plain words: "the database is Postgres", "CI runs on Jenkins", "we release on Fridays".
//!
//! Most sentences with "is" tell of the work at hand. So it is heard only of short messages, of one short clause, about
//! something that is settled once or that has a name, a place or days for its value.

use super::Rule;
use super::doubt::{begins_reported, orders_now, passes};
use super::facts::TROUBLE;
use super::matter::{Matter, Who, Worth};
use super::sentences::Sentence;
use super::told::{Told, keep, kind_of};
use super::words::{begins, has};
use crate::claim::{Claim, Relation, Shape};
use crate::kindred::is_known;
use memoir_event::MemoryKind;

/// A statement has at most so many words.
const WORDS_MAX: usize = 11;
/// Of what is longer, most was not written to tell how things are.
const MESSAGE_BYTES_MAX: usize = 600;

/// What "we" do by habit, beside what is heard as a custom.
const HABITS: &[&str] = &[
    "target",
    "deploy",
    "release",
    "ship",
    "host",
    "support",
    "build",
    "publish",
    "track",
    "monitor",
    "document",
    "tag",
    "merge",
    "review",
    "lint",
    "cache",
    "serve",
    "bill",
    "bundle",
    "package",
    "hash",
    "sign",
    "meet",
    "plan",
    "squash",
    "speak",
    "rely",
    "depend",
    "log",
    "report",
    "pair",
    "rotate",
    "back",
    "communicate",
    "develop",
];

/// How something is, as the user says by the way.
pub(super) fn state(bare: &Sentence, next: Option<&Sentence>, message: &str) -> Option<Told> {
    let lower = bare.lower.as_str();
    let is_plain = |c: char| !matches!(c, ',' | ';' | '(' | '"' | '?' | '=' | '…') && c != '—';
    let is_short = message.len() <= MESSAGE_BYTES_MAX
        && !lower.contains(": ")
        && !lower.contains("->")
        && bare.words() <= WORDS_MAX
        && lower.chars().all(is_plain);
    if !is_short || has(lower, TROUBLE) || passes(lower) || orders_now(lower) || begins_reported(lower) {
        return None;
    }
    if has(lower, &["but", "because", "then", "right now", "still", "currently", "today"]) || is_taken_back(next) {
        return None;
    }
    let matter = Matter::of(bare)?;
    let statement = &matter.statement;
    let [claim] = statement.claims.as_slice() else { return None };
    // "We don't deploy on Fridays."
    let is_denied = statement.denies && matter.who != Who::We;
    if is_denied || statement.is_new || !statement.left.is_empty() || matter.is_worked_on(claim) {
        return None;
    }
    let is_value = matches!(claim.shape(), Shape::Number | Shape::Plain | Shape::Trait | Shape::List);
    let worth = matter.worth(claim);
    let is_told = match matter.who {
        Who::We => {
            let verb = matter.words().iter().skip(1).find(|word| !word.is(&["not", "never"]));
            verb.is_some_and(|word| word.is(HABITS)) && worth == Worth::Sure
        }
        Who::Thing if matter.tells_past => false,
        Who::Thing => match &claim.relation {
            Relation::Is if is_value => worth >= Worth::Word && matter.is_settled(claim),
            // "Marek is in charge of billing": who is named first is written like any first word.
            Relation::Done(..) if worth == Worth::Word => {
                bare.said.starts_with(char::is_uppercase) && is_of_person(claim)
            }
            Relation::Is | Relation::At(_) | Relation::Done(..) | Relation::Use => {
                worth == Worth::Sure && !claim.subject.is_empty()
            }
            Relation::Does(..) | Relation::Became => false,
        },
        // "I use fish."
        Who::I => {
            claim.relation == Relation::Use
                && worth == Worth::Sure
                && claim.value.iter().any(|word| is_known(&word.text))
        }
        Who::Told => false,
    };
    is_told.then(|| keep(Rule::State, kind_of(lower, MemoryKind::Fact), &bare.said, lower)).flatten()
}

/// Whether it tells who sees to something.
fn is_of_person(claim: &Claim) -> bool {
    matches!(&claim.relation, Relation::Done(_, by) if by == "by") && !claim.subject.is_empty()
}

/// Whether the next sentence says that it is not to be so.
fn is_taken_back(next: Option<&Sentence>) -> bool {
    const BACK: &[&str] = &[
        "it should",
        "should",
        "but",
        "fix",
        "change it",
        "that's wrong",
        "that is wrong",
        "this is wrong",
        "it must",
        "instead",
        "is that",
        "is this",
        "why",
        "make it",
        "update it",
        "can you change",
        "please change",
        "however",
    ];
    next.is_some_and(|next| begins(&next.bare().lower, BACK).is_some())
}
