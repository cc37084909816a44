//! What the user says, and what they wish done about it.

use super::phrases::{self as of, Heading, begins, find, has};
use super::sentences::{Sentence, own_sentences};
use super::{Reach, Rule};
use crate::about::change_in;
use crate::statement::Statement;
use memoir_event::MemoryKind;

/// A statement has at least so many words.
const WORDS_MIN: usize = 3;
/// What a statement is about stands in its first words.
const PASSING_WORDS: usize = 5;
/// And at most so many characters.
const CHARS_MAX: usize = 1_000;
/// Where something is takes at most so many words.
const PLACE_WORDS_MAX: usize = 14;
/// A heading has at most so many words.
const HEADING_WORDS_MAX: usize = 24;

/// What a message holds for memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Heard {
    /// The user wants nothing of the message kept.
    pub is_private: bool,
    /// What is worth knowing.
    pub told: Vec<Told>,
    /// What is to be forgotten.
    pub forget: Vec<String>,
    /// How many statements were left out because they pass by themselves.
    pub passing: u64,
    /// How many were left out because nobody vouches for them.
    pub hearsay: u64,
}

/// One thing that the user told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub rule: Rule,
    pub kind: MemoryKind,
    pub text: String,
    pub reach: Reach,
}

/// What a message of the user holds for memory.
pub(crate) fn heard(text: &str) -> Heard {
    let sentences = own_sentences(text);
    if sentences.iter().any(is_private) {
        return Heard { is_private: true, ..Heard::default() };
    }
    let mut heard = Heard::default();
    for sentence in &sentences {
        let bare = without_leads(sentence);
        if bare.asks() {
            continue;
        }
        if let Some(target) = to_forget(&bare) {
            heard.forget.push(target);
            continue;
        }
        let Some(told) = told(&bare) else { continue };
        if has(&sentence.lower, &of::HEARSAY) {
            heard.hearsay += 1;
        } else if !told.rule.is_wish() && passes(&sentence.lower) {
            heard.passing += 1;
        } else {
            heard.told.push(told);
        }
    }
    heard
}

/// Whether it ends soon by itself, as it says of itself: what else it speaks of may be as old as it likes.
fn passes(lower: &str) -> bool {
    let first =
        lower.match_indices(' ').nth(PASSING_WORDS - 1).map_or(lower, |(at, _)| lower.get(..at).unwrap_or(lower));
    has(lower, &of::PASSING) || has(first, &of::PASSING_FIRST)
}

/// The words "do not save this", in whatever order of verbs, said of what is being said.
fn is_private(sentence: &Sentence) -> bool {
    let lower = sentence.lower.as_str();
    if has(lower, &of::PRIVATE) {
        return true;
    }
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty()).collect();
    (0..words.len()).any(|at| {
        let word = |step: usize| words.get(at + step).copied().unwrap_or_default();
        let verb = match (word(0), word(1)) {
            ("do", "not") => 2,
            ("don't" | "dont" | "never", _) => 1,
            _ => return false,
        };
        let mut next = verb;
        let mut verbs = 0;
        while of::KEEPING.contains(&word(next)) || (verbs > 0 && matches!(word(next), "or" | "and" | "nor")) {
            verbs += usize::from(of::KEEPING.contains(&word(next)));
            next += 1;
        }
        // To keep and to share are said of much else; to save and to remember are said of what is told.
        let is_memory =
            (verb..next).any(|step| !matches!(word(step), "keep" | "share" | "reuse" | "log" | "or" | "and"));
        let object = matches!(word(next), "this" | "it" | "that" | "these" | "them" | "any");
        let rest = word(next + 1);
        verbs > 0 && is_memory && object && (rest.is_empty() || of::SAID_THINGS.contains(&rest))
    })
}

/// The sentence without what only leads up to it.
fn without_leads(sentence: &Sentence) -> Sentence {
    let mut bare = sentence.bare();
    for _ in 0..4 {
        match begins(&bare.lower, &of::LEADS) {
            // "No longer" is no "no".
            Some(_) if bare.lower.starts_with("no longer") => break,
            Some(end) => bare = bare.from(end).bare(),
            None => break,
        }
    }
    bare
}

/// What the user wants forgotten.
fn to_forget(bare: &Sentence) -> Option<String> {
    let end = begins(&bare.lower, &of::FORGET)?;
    // "Forget it" ends a thought, and "forget the tests for now" puts it off.
    if has(&bare.lower, &of::FOR_THIS_SESSION) || bare.lower.starts_with("forget to") {
        return None;
    }
    let target = bare.from(end).bare().said;
    (Statement::whole(&target).stems.len() >= 2).then_some(target)
}

/// What a sentence tells that is worth knowing.
fn told(bare: &Sentence) -> Option<Told> {
    wished(bare).or_else(|| stated(bare))
}

/// What the user asks to be kept.
fn wished(bare: &Sentence) -> Option<Told> {
    if let Some(end) = begins(&bare.lower, &of::REMEMBER) {
        if is_looking_back(bare, end) {
            return None;
        }
        return kept(Rule::Remember, &bare.from(end).bare(), &bare.lower);
    }
    let anywhere = of::FROM_NOW_ON.iter().find_map(|phrase| Some((find(&bare.lower, phrase)?, phrase)));
    let at_first = || {
        of::IN_FUTURE.iter().find_map(|phrase| find(&bare.lower, phrase).filter(|at| *at == 0).map(|at| (at, phrase)))
    };
    if let Some((at, phrase)) = anywhere.or_else(at_first) {
        let (before, after) = (bare.said.get(..at)?, bare.from(at + phrase.len()).bare().said);
        let text =
            if before.trim().is_empty() { after } else { format!("{} {after}", before.trim_end_matches([' ', ','])) };
        let whole = Sentence::new(text.trim());
        let wish = begins(&whole.lower, &of::REMEMBER).map_or(whole.clone(), |end| whole.from(end).bare());
        return kept(Rule::FromNowOn, &wish, &bare.lower);
    }
    asked_inside(bare)
}

/// "For the launch, remember this constraint: …", "you may remember this address: …".
fn asked_inside(bare: &Sentence) -> Option<Told> {
    let at = find(&bare.lower, "remember").filter(|at| *at > 0)?;
    let before = bare.said.get(..at)?.trim_end();
    let after = bare.from(at + "remember".len()).bare();
    if has(bare.lower.get(..at)?, &["don't", "do not", "i", "can't", "cannot", "not", "never"])
        || !after.said.contains([':', ' '])
    {
        return None;
    }
    let is_permission = before.to_lowercase().ends_with(" to") || before.to_lowercase().ends_with(" may");
    if let Some((heading, said)) = split_heading(&bare.said).filter(|_| is_permission) {
        // "Procedure to remember: …" announces what follows.
        let kind = heading.map_or_else(|| kind_of(&said.to_lowercase(), MemoryKind::Fact), kind_under);
        return keep(Rule::Remember, kind, &bare.said, &bare.lower).filter(|_| before.len() < bare.said.len() / 2);
    }
    if before.ends_with(',') || before.ends_with(':') {
        let rest = after.said.trim_start_matches("that ");
        let text = format!("{before} {rest}");
        let kind = kind_of(&after.lower, MemoryKind::Fact);
        return keep(Rule::Remember, kind, &text, &bare.lower);
    }
    is_permission.then(|| kept(Rule::Remember, &after, &bare.lower)).flatten()
}

/// "Remember when we …" looks back and asks for nothing.
fn is_looking_back(bare: &Sentence, end: usize) -> bool {
    let rest = bare.from(end).bare();
    ["when ", "how we ", "the time ", "last time"].iter().any(|back| rest.lower.starts_with(back))
}

/// What the user states and did not ask to be kept.
fn stated(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    if lower.contains(['?', '？']) {
        return None;
    }
    if has(lower, &of::LIMITS) {
        return keep(Rule::Limit, MemoryKind::Convention, &bare.said, lower);
    }
    if let Some(end) = begins(lower, &of::CONFIRM) {
        let rest = bare.from(end).bare();
        let rest = if rest.lower.starts_with("that ") { rest.from(5) } else { rest };
        return kept(Rule::Confirm, &rest, lower);
    }
    if let Some(end) = begins(lower, &of::UPDATE) {
        let is_whole = lower.starts_with("we ");
        let is_announced = lower.get(end..).is_some_and(|rest| rest.starts_with([':', ',', '：', '，', '.']));
        let what = if is_whole { bare.clone() } else { bare.from(end).bare() };
        let says = Statement::of(&what.said).subject().is_some() || !change_in(&what.said).left.is_empty();
        return if (is_whole || is_announced) && says { kept(Rule::Update, &what, lower) } else { None };
    }
    if begins(lower, &of::DECIDED).is_some() && bare.words() > WORDS_MIN + 1 {
        let is_short = lower.starts_with("go with") || lower.starts_with("stick");
        return (!is_short || bare.words() <= 30)
            .then(|| keep(Rule::Decision, MemoryKind::Decision, &bare.said, lower))
            .flatten();
    }
    let is_open = begins(lower, &of::OPEN).is_some_and(|end| {
        // "To do this, …" leaves nothing open.
        let is_mark = lower.starts_with("to") || lower.starts_with("tbd");
        let after = lower.get(end..).unwrap_or_default().trim_start();
        !is_mark || after.starts_with([':', '：', '-', '–'])
    });
    if is_open || has(lower, &OPEN_STARTS) {
        return keep(Rule::Open, MemoryKind::Question, &bare.said, lower);
    }
    if begins(lower, &of::PREFER).is_some() {
        let is_about_this = ["this", "that", "it", "the", "your", "how", "what", "where"].iter().any(|this| {
            begins(lower, &of::PREFER).is_some_and(|end| bare.from(end).bare().lower.split(' ').next() == Some(this))
        });
        return (!is_about_this).then(|| keep(Rule::Preference, MemoryKind::Preference, &bare.said, lower)).flatten();
    }
    under_heading(bare).or_else(|| habit(bare)).or_else(|| fact(bare))
}

const OPEN_STARTS: [&str; 6] =
    ["open question", "we still need to", "still to do", "remains open", "is still open", "needs to be decided"];

/// `Procedure: …`, `Outcome of the review: …`.
fn under_heading(bare: &Sentence) -> Option<Told> {
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

/// Never, always, don't; how things are done here.
fn habit(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    if let Some(end) = begins(lower, &of::ALWAYS) {
        let rest = bare.from(end).bare();
        let first = rest.lower.split([' ', ',', '.']).next().unwrap_or_default();
        if first == "mind" {
            return None;
        }
        let denies_once =
            lower.starts_with("do") || lower.starts_with("avoid") || lower.starts_with('不') || lower.starts_with('别');
        let is_idle = denies_once && of::IDLE_DONTS.contains(&first);
        // What is not to be done with "this" is about this moment.
        let mut first_words = rest.lower.split([' ', ',', '.', ';']).take(4);
        let is_now = denies_once
            && (first_words.any(|word| matches!(word, "this" | "that" | "it" | "them"))
                || has(&rest.lower, &["yet", "now"]));
        return (!is_idle && !is_now).then(|| keep(Rule::Always, MemoryKind::Convention, &bare.said, lower)).flatten();
    }
    let is_rule = [
        "must always",
        "must never",
        "should always",
        "should never",
        "must not",
        "has to always",
        "may only",
        "is always",
        "are always",
        "is never",
        "are never",
    ];
    let is_for_all = ["all ", "every ", "each ", "any ", "no "].iter().any(|all| lower.starts_with(all))
        && has(lower, &["must", "should", "needs to", "need to", "has to"]);
    if begins(lower, &of::CUSTOM).is_some() || has(lower, &is_rule) || is_for_all {
        return keep(Rule::Convention, MemoryKind::Convention, &bare.said, lower);
    }
    None
}

/// What the user has and is, who is who, and where things are.
fn fact(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    if has(lower, &of::TROUBLE) {
        return None;
    }
    if is_person(bare) {
        return keep(Rule::Person, MemoryKind::Entity, &bare.said, lower);
    }
    let first = lower.split(' ').next().unwrap_or_default();
    let says = [
        " is ",
        " are ",
        " lives ",
        " live ",
        " runs ",
        " uses ",
        " belongs ",
        " goes ",
        " ist ",
        " sind ",
        " est ",
        " es ",
        "是",
    ];
    let joint = says.iter().filter_map(|joint| lower.find(joint)).min()?;
    let subject_words = lower.get(..joint)?.split(' ').count();
    if matches!(
        first,
        "my" | "our" | "mein" | "meine" | "unser" | "unsere" | "mon" | "ma" | "notre" | "mi" | "nuestro" | "nuestra"
    ) || lower.starts_with("我的")
        || lower.starts_with("我们的")
    {
        return (subject_words <= 8)
            .then(|| keep(Rule::Fact, kind_of(lower, MemoryKind::Fact), &bare.said, lower))
            .flatten();
    }
    let own = ["i am a ", "i'm a ", "i am an ", "i'm an ", "i am the ", "i'm the ", "i work ", "i live ", "we are a "];
    if own.iter().any(|own| lower.starts_with(own)) {
        return keep(Rule::Fact, MemoryKind::Fact, &bare.said, lower);
    }
    // A long sentence about "the" something tells of the work at hand.
    let is_place = first == "the"
        && subject_words <= 5
        && bare.words() <= PLACE_WORDS_MAX
        && lower.get(joint..).is_some_and(|said| said.split(' ').any(is_value));
    is_place.then(|| keep(Rule::Fact, MemoryKind::Fact, &bare.said, lower)).flatten()
}

/// "Mara owns the billing service", "Jo is our DBA".
fn is_person(bare: &Sentence) -> bool {
    let mut words = bare.said.split(' ');
    let name = words.next().unwrap_or_default();
    let is_name = name.chars().next().is_some_and(char::is_uppercase)
        && name.len() >= 2
        && name.chars().all(char::is_alphabetic)
        && !matches!(
            name,
            "The"
                | "This"
                | "That"
                | "It"
                | "There"
                | "Here"
                | "We"
                | "They"
                | "He"
                | "She"
                | "You"
                | "What"
                | "Everything"
        );
    let verb = words.next().unwrap_or_default();
    let rest: Vec<&str> = words.take(2).collect();
    let next = rest.first().copied().unwrap_or_default();
    is_name
        && bare.words() <= 20
        && (matches!(verb, "owns" | "maintains" | "leads" | "manages" | "reviews")
            || (verb == "is" && matches!(next, "our" | "my")))
}

/// A path, an address, a port, a version: something that can be looked up.
fn is_value(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '`' && c != '.');
    let digits = word.chars().filter(char::is_ascii_digit).count();
    word.starts_with('`')
        || word.contains("://")
        || word.contains('/')
        || digits >= 2
        || (word.contains('.') && word.len() > 3 && digits > 0)
}

fn kept(rule: Rule, what: &Sentence, whole: &str) -> Option<Told> {
    let usual = if rule == Rule::FromNowOn { MemoryKind::Preference } else { MemoryKind::Fact };
    keep(rule, kind_of(&what.lower, usual), &what.said, whole)
}

fn keep(rule: Rule, kind: MemoryKind, text: &str, whole: &str) -> Option<Told> {
    let text = text.trim().trim_matches(['"', '“', '”']).trim();
    let words = text.split_whitespace().count();
    let is_enough =
        words >= WORDS_MIN || (text.chars().count() >= 4 && !text.is_ascii()) || (rule.is_wish() && words >= 2);
    if !is_enough || text.chars().count() > CHARS_MAX {
        return None;
    }
    Some(Told { rule, kind, text: text.to_owned(), reach: reach(kind, whole) })
}

/// How far it holds, as far as it tells.
fn reach(kind: MemoryKind, lower: &str) -> Reach {
    if has(lower, &of::FOR_THIS_SESSION) {
        Reach::Session
    } else if has(lower, &of::EVERYWHERE)
        || (kind == MemoryKind::Preference && has(lower, &of::MANNERS))
        || begins(lower, &["i am", "i'm", "i live", "i work", "my name"]).is_some()
    {
        Reach::User
    } else {
        Reach::Project
    }
}

/// What a statement is, by its words.
fn kind_of(lower: &str, usual: MemoryKind) -> MemoryKind {
    let early = lower.get(..lower.floor_char_boundary(120)).unwrap_or_default();
    if has(early, &["prefer", "prefers", "preference", "style", "favorite", "favourite", "tone", "rather"]) {
        MemoryKind::Preference
    } else if has(early, &["decided", "decision", "agreed", "chose", "we moved", "we switched"]) {
        MemoryKind::Decision
    } else if has(
        early,
        &["procedure", "steps", "runbook", "first run", "then run", "to deploy", "to release", "to build", "to test"],
    ) {
        MemoryKind::Procedure
    } else if has(
        early,
        &["never", "always", "must", "constraint", "rule", "policy", "convention", "only", "do not", "don't"],
    ) {
        MemoryKind::Convention
    } else {
        usual
    }
}

const fn kind_under(heading: Heading) -> MemoryKind {
    match heading {
        Heading::Procedure => MemoryKind::Procedure,
        Heading::Decision => MemoryKind::Decision,
        Heading::Preference => MemoryKind::Preference,
        Heading::Convention => MemoryKind::Convention,
        Heading::Episode => MemoryKind::Episode,
        Heading::Fact => MemoryKind::Fact,
    }
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
    let known = |word: &&str| of::HEADINGS.iter().find(|(name, _)| *name == *word).map(|(_, heading)| *heading);
    let found = words.iter().take(head).rev().find_map(known).or_else(|| words.iter().rev().find_map(known));
    Some((found, said.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(text: &str) -> Vec<(Rule, String)> {
        heard(text).told.into_iter().map(|told| (told.rule, told.text)).collect()
    }

    #[test]
    fn a_wish_inside_a_sentence_keeps_what_it_is_about() {
        assert_eq!(
            rules("For the launch of the shop, remember this constraint: keep the old API alive."),
            [(Rule::Remember, "For the launch of the shop, this constraint: keep the old API alive.".to_owned())]
        );
        assert_eq!(
            rules("Procedure to remember: check the backups before the migration."),
            [(Rule::Remember, "Procedure to remember: check the backups before the migration.".to_owned())]
        );
        assert_eq!(rules("I can't remember: was it port 1 or 2?"), []);
        assert_eq!(rules("Remember when we broke the build?"), []);
    }

    #[test]
    fn only_a_heading_that_announces_something_makes_a_note() {
        assert_eq!(rules("Lessons from the outage: the cache was cold").len(), 1);
        assert_eq!(rules("Look: the cache was cold"), []);
        assert_eq!(rules("note: run with RUST_BACKTRACE=1 to display a backtrace"), []);
        assert_eq!(rules("Update the readme please"), []);
        assert_eq!(rules("To do this, open the settings first"), []);
        assert_eq!(rules("Confirm that the tests pass").iter().filter(|(rule, _)| *rule != Rule::Confirm).count(), 0);
    }

    #[test]
    fn what_passes_says_so_of_itself() {
        assert_eq!(heard("Policy: this temporary access expires on Monday").passing, 1);
        assert_eq!(rules("Feedback: the plan worked, avoid expired fallbacks").len(), 1);
        assert_eq!(rules("Remember the temporary password policy for guests").len(), 1);
    }

    #[test]
    fn only_what_was_just_said_can_be_kept_out() {
        for said in ["Do not save or repeat it.", "Please never store this value", "Don't remember that number"] {
            assert!(heard(said).is_private, "{said}");
        }
        for said in
            ["Don't save it to disk", "Do not store keys in code", "Don't log this", "Don't repeat that mistake"]
        {
            assert!(!heard(said).is_private, "{said}");
        }
    }

    #[test]
    fn what_is_to_be_forgotten_is_named() {
        assert_eq!(heard("Please forget about the old runbook for deploys.").forget, ["the old runbook for deploys."]);
        for said in ["Forget it, let's go on", "Forget the tests for now", "Don't forget the tests tomorrow"] {
            assert_eq!(heard(said).forget, [""; 0], "{said}");
        }
    }

    proptest! {
        #[test]
        fn any_message_can_be_heard(text in ".*", wish in "(remember|forget|from now on|note|do not save|记住|vergiss)[ :,]?.*") {
            let _ = (heard(&text), heard(&wish), heard(&format!("{text}. {wish}")));
        }
    }
}
