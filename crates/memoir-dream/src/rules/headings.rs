//! Headings: `Procedure: …`, `Outcome of the review: …`. They say what follows them, and as what.

use super::Rule;
use super::sentences::Sentence;
use super::told::{Told, keep, kind_of};
use memoir_event::MemoryKind;

/// A heading has at most so many words.
const HEADING_WORDS_MAX: usize = 24;
/// One that stands alone in its line has fewer.
const LINE_WORDS_MAX: usize = 3;

/// Words before a colon that say what follows, and as what.
const HEADINGS: [(&str, Heading); 47] = [
    ("procedure", Heading::Procedure),
    ("runbook", Heading::Procedure),
    ("steps", Heading::Procedure),
    ("recipe", Heading::Procedure),
    ("workflow", Heading::Procedure),
    ("how-to", Heading::Procedure),
    ("decision", Heading::Decision),
    ("decided", Heading::Decision),
    ("resolution", Heading::Decision),
    ("preference", Heading::Preference),
    ("preferences", Heading::Preference),
    ("style", Heading::Preference),
    ("constraint", Heading::Convention),
    ("constraints", Heading::Convention),
    ("rule", Heading::Convention),
    ("rules", Heading::Convention),
    ("policy", Heading::Convention),
    ("convention", Heading::Convention),
    ("guideline", Heading::Convention),
    ("requirement", Heading::Convention),
    ("access", Heading::Convention),
    ("permission", Heading::Convention),
    ("authorization", Heading::Convention),
    ("scope", Heading::Convention),
    ("outcome", Heading::Episode),
    ("result", Heading::Episode),
    ("finding", Heading::Episode),
    ("findings", Heading::Episode),
    ("observation", Heading::Episode),
    ("follow-up", Heading::Episode),
    ("milestone", Heading::Episode),
    ("incident", Heading::Episode),
    ("status", Heading::Fact),
    ("feedback", Heading::Fact),
    ("lesson", Heading::Fact),
    ("lessons", Heading::Fact),
    ("learning", Heading::Fact),
    ("reflection", Heading::Fact),
    ("takeaway", Heading::Fact),
    ("insight", Heading::Fact),
    ("fact", Heading::Fact),
    ("reminder", Heading::Fact),
    ("memo", Heading::Fact),
    ("note", Heading::Fact),
    ("notes", Heading::Fact),
    ("confirmation", Heading::Episode),
    ("background", Heading::Fact),
];

/// As what a heading announces something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heading {
    Procedure,
    Decision,
    Preference,
    Convention,
    Episode,
    Fact,
}

/// `Procedure: …`, `Outcome of the review: …`.
pub(super) fn under_heading(bare: &Sentence) -> Option<Told> {
    let (heading, said) = split_heading(&bare.said)?;
    let heading = heading?;
    // Compilers write notes too, in small letters.
    if !bare.said.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_ascii()) {
        return None;
    }
    // Who speaks in the heading tells a story.
    let first = bare.lower.split(' ').next().unwrap_or_default();
    if matches!(first, "i" | "i've" | "i'm" | "we" | "you" | "this" | "that" | "it" | "here" | "there" | "if" | "when")
    {
        return None;
    }
    let kind = kind_under(heading);
    let kind = if kind == MemoryKind::Fact { kind_of(&said.to_lowercase(), kind) } else { kind };
    keep(Rule::Note, kind, &bare.said, &bare.lower)
}

/// Whether a line announces, in a word or two, what its writer knows or wants.
pub(super) fn announces(line: &str) -> bool {
    let lower = line.to_lowercase();
    let words = || lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty());
    let is_own = |heading: Heading| !matches!(heading, Heading::Procedure | Heading::Episode);
    words().count() <= LINE_WORDS_MAX
        && words().any(|word| HEADINGS.iter().any(|(name, heading)| *name == word && is_own(*heading)))
}

/// A heading and what stands under it, if the text begins with one; what it announces, if its words tell.
pub(crate) fn split_heading(text: &str) -> Option<(Option<Heading>, &str)> {
    let (at, mark) = text.char_indices().find(|(_, c)| matches!(c, ':' | '：'))?;
    let (before, said) = (text.get(..at)?, text.get(at + mark.len_utf8()..)?);
    let is_heading = (said.starts_with(' ') || mark == '：') && before.split_whitespace().count() <= HEADING_WORDS_MAX;
    if !is_heading || before.contains(['`', '{', '(', '=']) {
        return None;
    }
    let lower = before.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).collect();
    // The last word that tells is the head of the heading; what comes after "for" or "of" only says of what.
    let head = words
        .iter()
        .position(|word| matches!(*word, "for" | "of" | "from" | "on" | "to" | "about"))
        .unwrap_or(words.len());
    let known = |word: &&str| HEADINGS.iter().find(|(name, _)| *name == *word).map(|(_, heading)| *heading);
    let found = words.iter().take(head).rev().find_map(known).or_else(|| words.iter().rev().find_map(known));
    Some((found, said.trim_start()))
}

pub(super) const fn kind_under(heading: Heading) -> MemoryKind {
    match heading {
        Heading::Procedure => MemoryKind::Procedure,
        Heading::Decision => MemoryKind::Decision,
        Heading::Preference => MemoryKind::Preference,
        Heading::Convention => MemoryKind::Convention,
        Heading::Episode => MemoryKind::Episode,
        Heading::Fact => MemoryKind::Fact,
    }
}
