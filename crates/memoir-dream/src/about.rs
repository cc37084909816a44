//! What a newer statement is to an older one: whether it says the same, takes its place, denies it, or is another matter.
//!
//! One thing can be told of in many ways, and most things have many sides. So a statement takes the place of another only
//! if both claim a value of one subject in one relation that has one value at a time, if it names what it leaves behind,
//! or if it denies what the other says. Whatever cannot be told so, stays: a true memory that is hidden is worse than an
//! old one that is kept.

mod left;
mod subject;

use crate::change::{Change, Left};
use crate::claim::{Claim, Relation, Shape, content, unit};
use crate::kindred::{Kinship, kinship, lines_of};
use crate::phrase::compared;
use crate::statement::Statement;
use crate::vocabulary::are_opposite;
use left::{ends, is_month, is_one_unit, leaves, leaves_claim};
use std::collections::BTreeSet;

/// Statements that share this much are about one thing.
const SAME_SHARE: f32 = 0.6;
/// Statements of which one denies the other are near from here on.
const NEAR_SHARE: f32 = 0.5;
/// Long subjects that share this much are the same.
const SUBJECT_SHARE: f32 = 0.8;
/// So many words make a subject long.
const SUBJECT_LONG: usize = 5;
/// A value has at most so many words, unless its subject is named closely: what is longer says something else.
const VALUE_WORDS_MAX: usize = 4;
/// Where no claim is found, a statement says enough with so many words.
const CLAIMLESS_STEMS_MIN: usize = 4;
/// A subject is named closely with so many words.
const SUBJECT_CLOSE: usize = 3;

/// What two statements are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same.
    Equal,
    /// They are about one thing, and the newer one counts.
    About,
    /// One denies the other, or part of it: nobody can tell which holds.
    Against,
    /// They have nothing to do with each other.
    Apart,
}

/// What a newer statement is to an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meets {
    /// It says the same.
    Same,
    /// It says the same and more.
    Fuller,
    /// It says part of the same.
    Briefer,
    /// It says something else of the same thing.
    Otherwise,
    /// The same, if there is no other that it could mean.
    OtherwiseIfAlone,
    /// It may deny it: nobody can tell which holds.
    Against,
    /// It has nothing to do with it.
    Apart,
}

impl Meets {
    /// The same for whoever knows no other statement.
    pub const fn likeness(self) -> Likeness {
        match self {
            Meets::Same => Likeness::Equal,
            Meets::Fuller | Meets::Otherwise | Meets::OtherwiseIfAlone => Likeness::About,
            Meets::Against => Likeness::Against,
            Meets::Briefer | Meets::Apart => Likeness::Apart,
        }
    }
}

/// What is meant by a statement that may mean several: if it does not name what it replaces and there is more than one
/// such, or one that it names, none of those.
pub(crate) fn only_meant<T: Copy>(met: Vec<(T, Meets)>) -> Vec<(T, Meets)> {
    let count = |wanted: Meets| met.iter().filter(|(_, meets)| *meets == wanted).count();
    let is_one = count(Meets::OtherwiseIfAlone) == 1 && count(Meets::Otherwise) == 0;
    let meant = |(one, meets): (T, Meets)| match meets {
        Meets::OtherwiseIfAlone => is_one.then_some((one, Meets::Otherwise)),
        meets => Some((one, meets)),
    };
    met.into_iter().filter_map(meant).collect()
}

/// What two statements of one scope are to each other.
pub fn likeness(newer: &str, older: &str) -> Likeness {
    Statement::of(newer).meets(&Statement::of(older)).likeness()
}

/// What a text says was left behind.
pub fn change_in(text: &str) -> Change {
    Statement::of(text).change()
}

impl Statement {
    /// What it is to an older one.
    pub fn meets(&self, older: &Statement) -> Meets {
        if self.asks != older.asks {
            return Meets::Apart;
        }
        if self.is_same(older) {
            return Meets::Same;
        }
        let left = self.left.iter().map(|left| leaves(left, older)).max_by_key(|meets| *meets != Meets::Apart);
        if let Some(meets) = left.filter(|meets| *meets != Meets::Apart) {
            // Of several things that it says, another may hold on.
            let is_part = meets == Meets::Otherwise && older.claims.len() > 1 && self.left.len() < older.claims.len();
            return if is_part && !self.speaks_of_all(older) { Meets::Against } else { meets };
        }
        if self.denies != older.denies {
            return self.denied(older);
        }
        // Of what is forbidden, one thing does not take the place of another.
        if self.denies {
            return Meets::Apart;
        }
        if self.is_reversed(older) {
            return Meets::Otherwise;
        }
        match self.replaces(older) {
            Meets::Apart => self.covers(older),
            meets => meets,
        }
    }

    /// Whether it leaves something that is part of all that the older one says.
    fn speaks_of_all(&self, older: &Statement) -> bool {
        let says = |claim: &Claim| {
            self.left.iter().any(|left| leaves_claim(left, claim) != Meets::Apart) || claim.keys().is_empty()
        };
        older.claims.iter().all(says)
    }

    /// Whether it says the same, whatever its little words and their order.
    fn is_same(&self, older: &Statement) -> bool {
        if self.denies != older.denies {
            return false;
        }
        let things = |statement: &Statement| -> Vec<Vec<String>> {
            let owned = |left: &Left| content(&left.thing).into_iter().map(str::to_owned).collect();
            statement.left.iter().map(owned).collect()
        };
        if self.stems == older.stems {
            return self.says_alike(older) && !self.is_opposed(older) && things(self) == things(older);
        }
        match (self.claims.as_slice(), older.claims.as_slice()) {
            ([own], [other]) => {
                let is_one = own.relation == other.relation && own.keys() == other.keys() && own.limits == other.limits;
                is_one && own.subject == other.subject && !own.subject.is_empty() && things(self) == things(older)
            }
            _ => false,
        }
    }

    /// Whether the same words say the same: who does what to whom is in their order.
    fn says_alike(&self, older: &Statement) -> bool {
        let sides = |statement: &Statement| {
            let claim = statement.claims.first()?;
            let value: BTreeSet<String> = claim.keys().into_iter().map(str::to_owned).collect();
            Some((claim.subject.clone(), value))
        };
        let (own, other) = (sides(self), sides(older));
        self.order == older.order || own.is_none() || other.is_none() || own == other
    }

    /// Whether one of two denies the other.
    fn denied(&self, older: &Statement) -> Meets {
        let share = share_of(&self.stems, &older.stems);
        let (is_fuller, is_briefer) = (self.stems.is_superset(&older.stems), self.stems.is_subset(&older.stems));
        if is_fuller && is_briefer {
            return Meets::Otherwise;
        }
        // Who allows something again ends every ban of it.
        if is_briefer && self.allows_again && !self.stems.is_empty() {
            return Meets::Otherwise;
        }
        if is_briefer && self.stems.len() >= 2 {
            // Whoever denies all of it denies every part; what is allowed in general may be forbidden in part.
            return if self.denies { Meets::Otherwise } else { Meets::Against };
        }
        if is_fuller && older.stems.len() >= 2 {
            return Meets::Against;
        }
        let subjects = (self.subject(), older.subject());
        let is_one_subject = matches!(subjects, (Some(own), Some(other)) if own == other);
        if share >= SAME_SHARE && !self.swaps_one_word(older) || share >= NEAR_SHARE && is_one_subject {
            return Meets::Against;
        }
        Meets::Apart
    }

    /// Whether a claim of it takes the place of one of the older statement.
    fn replaces(&self, older: &Statement) -> Meets {
        if self.adds {
            return Meets::Apart;
        }
        if self.is_opposed(older) {
            return Meets::Otherwise;
        }
        let marks = Marks { is_new: self.is_new, is_only: self.is_only };
        let mut best = Meets::Apart;
        for own in &self.claims {
            for other in &older.claims {
                match own.takes_place_of(other, marks) {
                    Meets::Apart => {}
                    // What names what it leaves means nothing else.
                    Meets::OtherwiseIfAlone if !self.left.is_empty() => {}
                    // Of several things that it says, another part may hold on.
                    _ if older.claims.len() > self.claims.len() => best = Meets::Against,
                    meets if best != Meets::Otherwise => best = meets,
                    _ => {}
                }
            }
        }
        best
    }

    /// Whether it says all of the older one and more, or part of it. A rule that is told for less is another rule.
    fn covers(&self, older: &Statement) -> Meets {
        let is_rule = |statement: &Statement| {
            let claim = statement.claims.first();
            claim.is_some_and(|claim| claim.subject.is_empty()) || statement.is_narrow
        };
        let subjects = |statement: &Statement| statement.claims.first().map(|claim| claim.subject.clone());
        let is_said_shortly = self.claims.is_empty() && self.stems.len().min(older.stems.len()) < CLAIMLESS_STEMS_MIN;
        let says = |statement: &Statement| -> BTreeSet<String> {
            let claim = statement.claims.first();
            claim.map(|claim| claim.keys().into_iter().map(str::to_owned).collect()).unwrap_or_default()
        };
        let (own, other) = (says(self), says(older));
        let is_more = own.is_superset(&other) || own.is_subset(&other);
        let is_other = subjects(self) != subjects(older) || self.swaps_one_word(older) || self.adds || !is_more;
        if is_rule(self) || is_rule(older) || is_other || is_said_shortly {
            return Meets::Apart;
        }
        let share = share_of(&self.stems, &older.stems);
        if share >= SAME_SHARE && self.stems.is_superset(&older.stems) {
            Meets::Fuller
        } else if share >= SAME_SHARE && self.stems.is_subset(&older.stems) {
            Meets::Briefer
        } else {
            Meets::Apart
        }
    }

    /// Whether one word stands where another does in the other, and all else is the same.
    fn swaps_one_word(&self, older: &Statement) -> bool {
        self.order.len() == older.order.len()
            && self.order.iter().zip(&older.order).filter(|(a, b)| a != b).count() == 1
    }

    /// Whether one word says the opposite of the other's, and all else is the same.
    fn is_opposed(&self, older: &Statement) -> bool {
        let mut others = self.written.iter().zip(&older.written).filter(|(a, b)| compared(a) != compared(b));
        let first = others.next();
        self.written.len() == older.written.len()
            && others.next().is_none()
            && first.is_some_and(|(a, b)| are_opposite(a, b))
            && self.written.len() > 1
    }

    /// Whether it has the same words of the same subject in another order: "merge this into that".
    fn is_reversed(&self, older: &Statement) -> bool {
        let sorted = |statement: &Statement| {
            let mut words = statement.order.clone();
            words.sort_unstable();
            words
        };
        let acts = |statement: &Statement| {
            statement.claims.first().map(|claim| (claim.subject.clone(), claim.relation.clone()))
        };
        self.stems == older.stems
            && !self.says_alike(older)
            && acts(self) == acts(older)
            && sorted(self) == sorted(older)
    }
}

/// What a statement says of its own newness.
#[derive(Debug, Clone, Copy)]
struct Marks {
    /// It says that it is so by now.
    is_new: bool,
    /// It says that nothing else is so.
    is_only: bool,
}

impl Claim {
    /// Whether it takes the place of an older one.
    fn takes_place_of(&self, older: &Claim, marks: Marks) -> Meets {
        if self.keys() == older.keys() && self.relation != Relation::Use {
            return self.is_done_elsewhere(older, marks);
        }
        match (&self.relation, &older.relation) {
            (Relation::Use, Relation::Use) => self.is_chosen_before(older, marks),
            (Relation::Use, _) => self.is_choice_for(older, &self.limits, &older.subject, marks),
            (_, Relation::Use) => self.is_choice_for(older, &self.subject, &older.limits, marks),
            _ => self.is_of_one_slot(older, marks),
        }
    }

    /// Two choices: for one purpose, or of one line.
    fn is_chosen_before(&self, older: &Claim, marks: Marks) -> Meets {
        let (own, other) = (self.shape(), older.shape());
        if self.keys() == older.keys() || self.subject != older.subject {
            return Meets::Apart;
        }
        let is_one_purpose = self.limits == older.limits;
        if own == Shape::Number && other == Shape::Number {
            return if is_one_purpose && is_one_unit(self, older) { Meets::Otherwise } else { Meets::Apart };
        }
        let is_thing = |shape: Shape| matches!(shape, Shape::Name | Shape::Plain | Shape::Address | Shape::Trait);
        if !is_thing(own) || !is_thing(other) || self.keys().len().max(older.keys().len()) > VALUE_WORDS_MAX {
            return Meets::Apart;
        }
        let kin = kinship(&self.name(), &older.name());
        let is_within = is_one_purpose || (!self.limits.is_empty() && self.limits == ends(older));
        let is_wide = self.limits.is_subset(&older.limits) || is_within;
        let ends: BTreeSet<String> = ends(self).union(&ends(older)).cloned().collect();
        if is_one_purpose && !self.limits.is_disjoint(&ends) {
            return Meets::Otherwise;
        }
        match (kin, marks.is_new) {
            (Kinship::Strangers, _) => Meets::Apart,
            // Of what one is known for and the other is not, nobody can tell.
            (Kinship::HalfKnown, true) if !is_one_purpose || self.limits.is_empty() && !self.tells_more_of(older) => {
                Meets::Apart
            }
            (Kinship::OneLine, true) if is_wide => Meets::Otherwise,
            (_, true) if is_one_purpose && (!self.limits.is_empty() || self.tells_more_of(older)) => Meets::Otherwise,
            // Of two things without a word on what they are for, one may be meant instead of the other.
            (_, true) if is_wide && self.keys().len().max(older.keys().len()) == 1 => Meets::OtherwiseIfAlone,
            (Kinship::OneLine | Kinship::Unknown, false) if is_one_purpose && !self.limits.is_empty() => {
                Meets::Otherwise
            }
            _ => Meets::Apart,
        }
    }

    /// "Short answers", "detailed answers".
    fn tells_more_of(&self, older: &Claim) -> bool {
        let (own, other) = (self.keys(), older.keys());
        own.len() > 1 && other.len() > 1 && own.last() == other.last()
    }

    /// "We track bugs in Linear", "we track bugs in Jira now".
    fn is_done_elsewhere(&self, older: &Claim, marks: Marks) -> Meets {
        let is_act = matches!(self.relation, Relation::Does(..)) && self.relation == older.relation;
        let is_moved = self.limits.len() == 1 && older.limits.len() == 1 && self.limits != older.limits;
        let is_other = marks.is_new && is_act && is_moved && self.subject == older.subject;
        if is_other { Meets::Otherwise } else { Meets::Apart }
    }

    /// One chose something for what the other tells of: "CI runs on Jenkins", "we use GitHub Actions for CI now".
    fn is_choice_for(&self, older: &Claim, own: &BTreeSet<String>, other: &BTreeSet<String>, marks: Marks) -> Meets {
        let is_told_so = |claim: &Claim| matches!(claim.relation, Relation::Does(..));
        if !marks.is_new || is_told_so(self) || is_told_so(older) {
            return Meets::Apart;
        }
        let kin = kinship(&self.name(), &older.name());
        let ends = |claim: &Claim| ends(claim);
        let is_one_role = match (own.is_empty(), other.is_empty()) {
            (false, false) => own == other,
            // "Our package manager is npm", "we use pnpm now".
            (true, false) => kin == Kinship::OneLine && other.is_subset(&ends(older)),
            (false, true) => kin == Kinship::OneLine && own.is_subset(&ends(older)),
            (true, true) => false,
        };
        let is_thing = |claim: &Claim| matches!(claim.shape(), Shape::Name | Shape::Plain | Shape::Address);
        let fits = is_thing(self) && is_thing(older) && kin != Kinship::Strangers;
        if is_one_role && fits { Meets::Otherwise } else { Meets::Apart }
    }

    /// Two values of one subject in one relation.
    fn is_of_one_slot(&self, older: &Claim, marks: Marks) -> Meets {
        let is_one_relation = match (&self.relation, &older.relation) {
            (own, other) if own == other => true,
            (Relation::Became, Relation::Is | Relation::At(_) | Relation::Done(..)) => true,
            (Relation::Is | Relation::At(_) | Relation::Done(..), Relation::Became) => true,
            (Relation::At(own), Relation::Done(_, other)) | (Relation::Done(_, own), Relation::At(other)) => {
                own == other && marks.is_new
            }
            // "The meeting is on Wednesdays", "the meeting is Thursdays from now on".
            (Relation::Is, Relation::At(lead)) | (Relation::At(lead), Relation::Is) => {
                let is_day = |claim: &Claim| {
                    let is_dated =
                        || claim.shape() == Shape::Number && unit(&claim.value).is_some_and(|unit| is_month(&unit));
                    matches!(claim.shape(), Shape::Day | Shape::Days) || is_dated()
                };
                marks.is_new && lead == "on" && is_day(self) && is_day(older)
            }
            (Relation::Does(own, _), Relation::Does(other, _)) => own == other && marks.is_only,
            (Relation::At(_), Relation::Does(..)) | (Relation::Does(..), Relation::At(_)) => marks.is_only,
            _ => false,
        };
        // What somebody does with one thing they may do with another, but a measure is one.
        let is_measure =
            matches!((self.shape(), older.shape()), (Shape::Number, Shape::Number) | (Shape::Day, Shape::Day));
        let does = matches!(self.relation, Relation::Does(..)) && !marks.is_new && !marks.is_only && !is_measure;
        if !is_one_relation || does || (self.subject.is_empty() && !marks.is_new && !self.speaks()) {
            return Meets::Apart;
        }
        // What the subject says is no further limit.
        let further =
            |claim: &Claim| -> BTreeSet<String> { claim.limits.difference(&claim.subject).cloned().collect() };
        let (own, other) = (further(self), further(older));
        // Who names a thing at length says all of it there; what follows the new value belongs to that.
        let is_told_closely = self.subject.len() > SUBJECT_CLOSE && self.is_one_subject(older);
        let is_wide = marks.is_new && (own.is_subset(&other) || is_told_closely);
        let is_within = own == other || is_wide || marks.is_only;
        if !is_within || !self.is_other_value(older, marks) {
            return Meets::Apart;
        }
        match self.is_one_subject(older) {
            true => Meets::Otherwise,
            false if self.moves_what_is_of(older, marks) => Meets::OtherwiseIfAlone,
            false if marks.is_new && self.is_short_for(older) => Meets::OtherwiseIfAlone,
            false => Meets::Apart,
        }
    }

    /// Whether the values exclude each other.
    fn is_other_value(&self, older: &Claim, marks: Marks) -> bool {
        let longest = self.keys().len().max(older.keys().len());
        let is_close = self.subject.len() >= SUBJECT_CLOSE;
        if longest > VALUE_WORDS_MAX && !(is_close && self.relation == Relation::Is || marks.is_new) {
            return false;
        }
        let is_once = match &self.relation {
            Relation::Done(..) => true,
            Relation::At(lead) => lead == "through" || lead == "speak",
            _ => false,
        };
        let is_being = matches!(self.relation, Relation::Is | Relation::Became);
        // What goes through one thing goes through no other, whatever that is.
        let is_way = self.relation == Relation::At("through".to_owned());
        let kin = || kinship(&self.name(), &older.name());
        match (self.shape(), older.shape()) {
            (Shape::Number, Shape::Number) => is_one_unit(self, older),
            (Shape::Address, Shape::Address) | (Shape::Day, Shape::Day) => true,
            (Shape::Days, Shape::Days) => marks.is_new || marks.is_only,
            (Shape::Address, Shape::Name | Shape::Plain) => {
                (marks.is_new || is_once) && (is_way || lines_of(&older.name()).is_empty())
            }
            (Shape::Name | Shape::Plain, Shape::Address) => {
                (marks.is_new || is_once) && (is_way || lines_of(&self.name()).is_empty())
            }
            (Shape::Name | Shape::Plain, Shape::Name | Shape::Plain) if is_once || marks.is_only => {
                !self.speaks() || kin() == Kinship::OneLine
            }
            (own @ (Shape::Name | Shape::Plain), other @ (Shape::Name | Shape::Plain)) => match kin() {
                Kinship::OneLine => true,
                Kinship::Strangers => false,
                Kinship::HalfKnown => marks.is_new || (is_being && own == other),
                Kinship::Unknown => marks.is_new || is_being || (own == Shape::Name && other == Shape::Name),
            },
            _ => marks.is_only,
        }
    }
}

fn share_of(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let both = a.intersection(b).count();
    both as f32 / (a.len() + b.len() - both).max(1) as f32
}

#[cfg(test)]
mod tests;
