//! What the user wants forgotten.

use super::named::{Called, named_in};
use super::scope::is_for_now;
use super::sentences::Sentence;
use super::stated::stated;
use super::words::{begins, find, has};
use crate::privacy::{Matter, matter_of};
use crate::statement::Statement;

/// No longer keep this.
pub(super) const FORGET: &[&str] = &[
    "forget and delete",
    "forget everything about",
    "forget all about",
    "forget about",
    "forget what i said about",
    "forget what i told you about",
    "forget that",
    "forget the",
    "forget my",
    "forget our",
    "forget",
    "stop remembering",
    "no longer remember",
    "delete the memory",
    "delete the note",
    "delete what you know about",
    "remove from memory",
    "erase from memory",
    "delete from memory",
    "drop the memory",
    "vergiss, dass",
    "vergiss das",
    "vergiss den",
    "vergiss die",
    "vergiss alles über",
    "vergiss",
    "oublie que",
    "oublie",
    "oubliez",
    "olvida que",
    "olvida",
    "olvide",
    "忘记",
    "忘掉",
    "erase what you know about",
    "vergiss was ich über",
    "vergiss, was ich über",
    "vergesst",
    "olvídate de",
    "oublie ce que j'ai dit sur",
];

/// What may stand before such a wish.
const LEADS: &[&str] = &[
    "actually",
    "sorry",
    "wait",
    "hm",
    "hmm",
    "hang on",
    "you may",
    "you can",
    "please",
    "would you",
    "will you",
    "tatsächlich",
    "ach",
    "en fait",
    "en realidad",
];

/// Verbs of forgetting that a "not" may follow: then they ask to remember.
const VERBS: &[&str] = &["forget", "vergiss", "vergesst", "vergessen sie", "oublie", "oubliez", "olvides", "olvide"];
const POLITE: &[&str] = &["bitte", "please", "ja", "doch", "auch", "s'il te plaît", "por favor"];
const NOTS: &[&str] = &["nicht", "not", "pas", "nie", "niemals"];

/// What calls a memory by what it is, and says nothing of what it says.
const MEMORY_WORDS: &[&str] = &[
    "rule",
    "rules",
    "note",
    "notes",
    "memory",
    "memories",
    "convention",
    "preference",
    "instruction",
    "instructions",
    "decision",
    "fact",
    "regel",
    "notiz",
    "règle",
    "regla",
];

/// Where what is to be forgotten ends and why begins.
const CUTS: &[&str] = &[", ", "; ", " - ", " – ", " — ", " because ", " since ", " weil "];

/// Words with which a reason begins.
const REASONS: &[&str] = &[
    "we",
    "we've",
    "we're",
    "it",
    "it's",
    "its",
    "that",
    "that's",
    "this",
    "they",
    "i",
    "our",
    "the",
    "now",
    "because",
    "since",
    "wir",
    "es",
    "das",
    "der",
    "die",
    "on",
    "c'est",
    "not needed",
    "not true",
    "not relevant",
    "not happening",
    "not used",
    "not valid",
    "no longer",
    "no need",
    "obsolete",
    "outdated",
    "wrong",
    "cancelled",
    "canceled",
    "nicht mehr",
    "plus besoin",
    "ya no",
];

/// What follows such a word where it says what is done next.
const NEXT: &[&str] = &[
    "we work",
    "we do",
    "we'll",
    "we will",
    "we should",
    "we need to",
    "we have to",
    "we must",
    "we go",
    "we focus",
    "we start",
    "we continue",
    "we first",
    "i want",
    "i need",
    "i'd",
    "i'll",
    "now do",
    "now let's",
    "that can wait",
    "this can wait",
    "it can wait",
    "wir machen",
    "wir müssen",
];

/// Where a list goes on.
const LISTED: &[&str] = &["the", "my", "our", "what", "everything", "all", "its", "their", "any"];
/// What is only polite, and how thoroughly it is meant.
const COURTESY: &[&str] = &[
    "please",
    "thanks",
    "thank",
    "you",
    "ok",
    "okay",
    "will",
    "would",
    "for",
    "good",
    "forever",
    "completely",
    "now",
    "again",
    "bitte",
    "danke",
    "merci",
    "gracias",
    "too",
    "entirely",
    "right",
    "all",
];
/// Wishes that name the memory itself.
const OF_MEMORY: &[&str] = &[
    "forget and delete",
    "forget everything about",
    "stop remembering",
    "no longer remember",
    "delete the memory",
    "delete the note",
    "delete what you know about",
    "remove from memory",
    "erase from memory",
    "delete from memory",
    "drop the memory",
    "erase what you know about",
    "vergiss alles über",
    "vergiss, dass",
    "oublie que",
    "olvida que",
];
/// Verbs of speaking.
const SPEAKING: &[&str] = &[
    "said",
    "told",
    "mentioned",
    "wrote",
    "discussed",
    "decided",
    "agreed",
    "know",
    "gesagt",
    "erzählt",
    "geschrieben",
    "besprochen",
    "weißt",
    "dit",
    "dije",
    "dicho",
    "sais",
    "sabes",
];
/// The same where they end a sentence.
const SAID_LAST: &[&str] = &[
    "gesagt habe",
    "gesagt hatte",
    "gesagt haben",
    "erzählt habe",
    "erzählt hatte",
    "geschrieben habe",
    "besprochen haben",
    "weißt",
];
/// What was spoken of is named after so few words.
const ABOUT_WORDS_MAX: usize = 7;

/// Something that the user wants forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unwanted {
    /// In the user's words.
    pub said: String,
    /// Without what comes after it and says why, and without the words that only call it a rule or a note.
    pub named: String,
    /// Where it is looked for.
    pub sought: Sought,
}

/// Where what is to be forgotten is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sought {
    /// Among memories that are about it.
    Memories,
    /// It is called one thing: among all memories that say it.
    ThingKnown,
    /// Among messages, too.
    ThingSaid,
    /// All that is known of it, and was said of it.
    All,
}

/// Whether a sentence begins with a wish to forget.
pub(super) fn forgets(bare: &Sentence) -> bool {
    begins(&bare.lower, FORGET).is_some() && does_not_forget(bare).is_none()
}

/// "Vergiss bitte nicht …": where it ends.
pub(super) fn does_not_forget(bare: &Sentence) -> Option<usize> {
    let lower = bare.lower.as_str();
    let mut end = begins(lower, VERBS)?;
    loop {
        let rest = lower.get(end..)?;
        let blank = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if let Some(not) = begins(rest, NOTS) {
            return Some(end + blank + not);
        }
        end += blank + begins(rest, POLITE)?;
    }
}

/// What the user wants forgotten, and what they say beside it. "Forget the retry logic, do the cache first" and "forget it"
/// change the subject: who goes on to the next task wants nothing forgotten, unless they name what was said or a rule.
pub(super) fn to_forget(bare: &Sentence, next: Option<&Sentence>) -> Option<(Unwanted, Option<Sentence>)> {
    let mut bare = bare.clone();
    while let Some(end) = begins(&bare.lower, LEADS) {
        bare = bare.from(end).bare();
    }
    if let Some(named) = never_mind(&bare) {
        return Some((Unwanted { said: named.clone(), named, sought: Sought::Memories }, None));
    }
    if let Some(found) = thing_to_forget(&bare, next) {
        return Some(found);
    }
    let bare = without_courtesy(&bare);
    // "Forget the tests for now" puts it off.
    if !forgets(&bare) || is_for_now(&bare.lower) || bare.lower.starts_with("forget to") {
        return None;
    }
    let said_about = said_about(&bare);
    let end = said_about.or_else(|| begins(&bare.lower, FORGET))?;
    // "Forget that, use postgres" points at what was said last, and goes on.
    let rest = bare.from(end).trimmed();
    if rest.lower.starts_with([',', ';', '.', '!', '-', '–', '—']) {
        return None;
    }
    let target = without_saying(&rest.bare());
    let (first, rest) = cut(&target);
    let named = without_memory_words(&first.said);
    let is_called = named != first.said.trim_end_matches(['.', '!', '?']).trim();
    let is_stated = bare.lower.starts_with("forget that ") && Statement::of(&first.said).subject().is_some();
    let names_it = said_about.is_some() || is_called || is_stated || begins(&bare.lower, OF_MEMORY).is_some();
    let reason = rest.filter(is_reason);
    let is_task = |rest: &Sentence| !is_reason(rest) && !is_polite(rest);
    if !names_it && (cut(&target).1.is_some_and(|rest| is_task(&rest)) || next.is_some_and(turns_to)) {
        return None;
    }
    let stems = Statement::whole(&named).stems.len();
    // One word could mean anything: it takes a reason, or the name of a rule.
    let is_sure = stems >= 2 || names_it || reason.is_some();
    let is_all = matches!(first.lower.split(' ').next(), Some("everything" | "all" | "alles" | "tout" | "todo"));
    if stems == 0 || !is_sure || (is_all && !names_it) {
        return None;
    }
    let said = target.said.trim_end_matches('?').to_owned();
    Some((Unwanted { said, named, sought: Sought::Memories }, reason))
}

/// What is named as a thing that is known: "the … rule", "the … thing", "what I told you about …".
fn thing_to_forget(bare: &Sentence, next: Option<&Sentence>) -> Option<(Unwanted, Option<Sentence>)> {
    let name = named_in(bare).filter(|_| !is_for_now(&bare.lower))?;
    let target = without_saying(&bare.to(name.to).from(name.from));
    let (first, inner) = cut(&target);
    let after = Some(bare.from(name.end).bare()).filter(|after| after.lower.contains(char::is_alphanumeric));
    let rest = inner.or(after);
    let is_task = |rest: &Sentence| !is_reason(rest) && !is_polite(rest);
    // "Drop the tabs thing, use a sidebar" speaks of work.
    if name.called == Called::Thing && (rest.as_ref().is_some_and(is_task) || next.is_some_and(turns_to)) {
        return None;
    }
    let named = without_memory_words(&first.said).trim_end_matches([',', ';', ' ']).to_owned();
    let is_all = has(&bare.lower, &["everything", "anything", "all", "alles", "tout", "todo"]);
    let sought = match (name.called, name.is_sure) {
        (Called::Said, _) if is_all => Sought::All,
        (Called::Said, _) | (_, true) => Sought::ThingSaid,
        (_, false) => Sought::ThingKnown,
    };
    let reason = rest.filter(is_reason);
    Some((Unwanted { said: first.said.trim_end_matches(['.', '!', '?', ' ']).to_owned(), named, sought }, reason))
}

/// What is to be forgotten, and what stands after it.
fn cut(target: &Sentence) -> (Sentence, Option<Sentence>) {
    let and = target.lower.match_indices(" and ").map(|(at, _)| at).find(|at| {
        let after = target.lower.get(at + " and ".len()..).unwrap_or_default();
        let words = after.split(' ').count();
        let is_order = words == 2 && after.trim_end_matches(['.', '!']).ends_with(" it");
        (words > 2 || is_order) && begins(after, LISTED).is_none()
    });
    let at = CUTS.iter().filter_map(|cut| target.lower.find(cut)).chain(and).min();
    match at {
        Some(at) => (target.to(at), Some(target.from(at).bare()).filter(|rest| !rest.said.is_empty())),
        None => (target.clone(), None),
    }
}

/// Whether it says why, and not what comes next.
fn is_reason(rest: &Sentence) -> bool {
    if stated(rest).is_some() {
        return true;
    }
    begins(&rest.lower, REASONS).is_some() && begins(&rest.lower, NEXT).is_none() && matter_of(rest) != Matter::Work
}

fn is_polite(rest: &Sentence) -> bool {
    let words = rest.lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    begins(&rest.lower, LISTED).is_some_and(|_| matter_of(rest) != Matter::Work)
        || rest.lower.starts_with("and ")
            && begins(rest.lower.get("and ".len()..).unwrap_or_default(), LISTED).is_some()
        || words.clone().all(|word| COURTESY.contains(&word))
}

/// Whether a sentence goes on to another task in the place of what was named: "Let's do the dashboard instead."
fn turns_to(next: &Sentence) -> bool {
    let lower = next.bare().lower;
    has(&lower, &["instead", "first", "stattdessen", "zuerst"]) && matter_of(next) != Matter::Told
        || begins(&lower, &["let's", "lets", "let us", "focus on", "work on", "go on with", "continue with"]).is_some()
}

/// "Vergiss bitte, …": the same without the courtesy after the verb.
fn without_courtesy(bare: &Sentence) -> Sentence {
    let Some(end) = begins(&bare.lower, VERBS).filter(|_| does_not_forget(bare).is_none()) else { return bare.clone() };
    let mut rest = bare.from(end).bare();
    let before = rest.said.len();
    while let Some(end) = begins(&rest.lower, POLITE) {
        rest = rest.from(end).bare();
    }
    if rest.said.len() == before {
        bare.clone()
    } else {
        Sentence::new(&format!("{} {}", bare.to(end).said, rest.said))
    }
}

/// "Forget what I said about …", "vergiss, was ich über … gesagt habe": where what was spoken of begins.
fn said_about(bare: &Sentence) -> Option<usize> {
    let verb = begins(&bare.lower, VERBS)?;
    let rest = bare.from(verb).bare();
    let from = bare.said.len() - rest.said.len();
    begins(&rest.lower, &["what", "anything", "everything", "all", "was", "alles", "ce que", "lo que", "whatever"])?;
    let about = ["about", "regarding", "über", "sur", "sobre", "zu", "on"].iter().filter_map(|about| {
        let at = find(&rest.lower, about)?;
        let is_near = rest.lower.get(..at)?.split(' ').count() <= ABOUT_WORDS_MAX;
        is_near.then_some(at + about.len())
    });
    let end = about.min()?;
    let before = rest.lower.get(..end)?;
    let is_spoken = has(before, SPEAKING) || has(&rest.lower, SPEAKING) && has(before, &["ich", "wir"]);
    is_spoken.then_some(from + end)
}

/// The verb of speaking at the end, as German has it.
fn without_saying(target: &Sentence) -> Sentence {
    let lower = target.lower.trim_end_matches(['.', '!', '?', ' ']);
    let end = SAID_LAST.iter().find_map(|said| lower.strip_suffix(said)).map(|before| before.trim_end().len());
    end.map_or(target.clone(), |end| target.to(end))
}

/// "Never mind about my phone number, forget it."
fn never_mind(bare: &Sentence) -> Option<String> {
    let end = begins(&bare.lower, &["never mind about", "nevermind about", "never mind", "nevermind"])?;
    let rest = bare.from(end).bare();
    let at =
        ["forget it", "forget that", "forget about it", "delete it"].iter().find_map(|it| find(&rest.lower, it))?;
    let named = rest.to(at).said.trim_end_matches([' ', ',', '-', '–', '—', '.']).to_owned();
    (!Statement::whole(&named).is_empty()).then_some(named)
}

fn without_memory_words(said: &str) -> String {
    let said = said.trim_end_matches(['.', '!', '?']);
    let plain = |word: &&str| !MEMORY_WORDS.contains(&word.to_lowercase().as_str());
    let words: Vec<&str> = said.split(' ').filter(plain).collect();
    // "Forget the rule" names nothing else.
    let named = words.join(" ");
    if Statement::whole(&named).is_empty() { said.to_owned() } else { named }
}
