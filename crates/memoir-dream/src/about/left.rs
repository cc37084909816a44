//! What a newer statement leaves of an older one, and whether two values can stand for each other.

use super::Meets;
use crate::change::Left;
use crate::claim::{Claim, Relation, Shape, content, name_of, unit};
use crate::kindred::ends_of;
use crate::phrase::{Word, compared};
use crate::statement::Statement;
use crate::vocabulary::day;
use std::collections::BTreeSet;

/// What a thing is for, as far as is known.
pub(super) fn ends(claim: &Claim) -> BTreeSet<String> {
    ends_of(&claim.name()).map(compared).collect()
}

pub(super) fn is_month(unit: &str) -> bool {
    day(&Word::little(unit)).is_some() || unit == "may"
}

/// Whether two values are measured alike.
pub(super) fn is_one_unit(own: &Claim, other: &Claim) -> bool {
    const TIMES: [&str; 12] = ["ms", "s", "sec", "second", "m", "min", "minut", "h", "hour", "day", "week", "month"];
    let (own, other) = (unit(&own.value), unit(&other.value));
    let (Some(own), Some(other)) = (own, other) else { return true };
    // "14 March" and "2 May" are days.
    if is_month(&own) && is_month(&other) {
        return true;
    }
    own == other || (TIMES.contains(&own.as_str()) && TIMES.contains(&other.as_str()))
}

/// Whether an older statement uses what was left behind, for what it was left.
pub(super) fn leaves(left: &Left, older: &Statement) -> Meets {
    if left.thing.is_empty() || older.denies {
        return Meets::Apart;
    }
    older
        .claims
        .iter()
        .map(|claim| leaves_claim(left, claim))
        .find(|meets| *meets != Meets::Apart)
        .unwrap_or(Meets::Apart)
}

pub(super) fn leaves_claim(left: &Left, claim: &Claim) -> Meets {
    let name = content(&left.thing);
    let is_it = |words: &[Word]| content(words) == name;
    let is_value = is_it(&claim.value) && claim.shape() != Shape::Trait;
    // "We host docs on Netlify", "we moved our docs from Netlify to Vercel".
    let does = matches!(claim.relation, Relation::Does(..));
    let is_place_of =
        does && !left.role.is_empty() && !name.is_empty() && name.iter().all(|key| claim.limits.contains(*key));
    if !is_value && !is_place_of && !claim.tools.iter().any(|tool| is_it(tool)) {
        return Meets::Apart;
    }
    let is_name = |key: &String| name.contains(&key.as_str());
    let mut role: BTreeSet<String> = claim.role().into_iter().filter(|key| !is_name(key)).collect();
    if !is_value {
        role.extend(claim.keys().into_iter().map(str::to_owned));
    }
    let is_for_all = role.is_empty();
    if is_for_all {
        role.extend(ends_of(&name_of(&left.thing)).map(compared));
    }
    // What has an address of its own is one thing, whatever it is for.
    let is_place = crate::claim::shape(&left.thing) == Shape::Address;
    let of: BTreeSet<String> = left.role.iter().filter(|key| !is_name(key)).cloned().collect();
    if of.is_subset(&role) || is_place {
        Meets::Otherwise
    } else if role.is_subset(&of) || is_for_all {
        // It was left for part of that.
        Meets::Against
    } else {
        Meets::Apart
    }
}
