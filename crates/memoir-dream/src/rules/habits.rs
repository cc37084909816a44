//! How things are to be done: never, always, don't; what the user likes; what is done here.

use super::Rule;
use super::doubt::is_reported;
use super::sentences::Sentence;
use super::standing::standing;
use super::told::{Told, keep};
use super::wishes::{FROM_NOW_ON, REMEMBER};
use super::words::{begins, has};
use memoir_event::MemoryKind;

/// This way and no other.
pub(super) const ALWAYS: &[&str] = &[
    "never",
    "always",
    "don't ever",
    "do not ever",
    "under no circumstances",
    "make sure to always",
    "we always",
    "we never",
    "niemals",
    "immer",
    "nie",
    "auf keinen fall",
    "wir verwenden nie",
    "ne jamais",
    "toujours",
    "n'utilise jamais",
    "n'utilisez jamais",
    "jamais",
    "nunca",
    "siempre",
    "jamás",
    "永远不要",
    "总是",
    "一定要",
    "绝对不要",
    "千万不要",
    "不要",
    "don't",
    "do not",
    "avoid",
    "verwende nie",
    "benutze immer",
    "verwende immer",
    "nutze immer",
    "benutze kein",
    "benutze keine",
    "benutze keinen",
    "benutze nie",
    "benutze niemals",
    "verwende kein",
    "verwende keine",
    "verwende keinen",
    "nutze kein",
    "nutze keine",
    "nutze nie",
    "nimm kein",
    "nimm keine",
    "nimm nie",
];

/// Verbs after "don't" that ask for nothing that lasts.
pub(super) const IDLE_DONTS: &[&str] = &[
    "worry",
    "bother",
    "know",
    "hesitate",
    "mind",
    "care",
    "think",
    "understand",
    "see",
    "get",
    "be",
    "have",
    "need",
    "want",
    "believe",
    "remember",
    "recall",
    "forget",
    "stop",
    "you",
    "we",
    "i",
];

/// What is always so is no order.
const PLEASANT: &[&str] = &["good", "nice", "great", "happy", "glad", "fun", "lovely", "welcome", "interesting"];

/// Somebody likes it so.
pub(super) const PREFER: &[&str] = &[
    "i prefer",
    "i'd prefer",
    "i would prefer",
    "i'd rather",
    "i would rather",
    "i'd much rather",
    "i would much rather",
    "we prefer",
    "i like",
    "i love",
    "i enjoy",
    "i don't like",
    "i do not like",
    "i hate",
    "i dislike",
    "i can't stand",
    "i don't want",
    "i do not want",
    "not a fan of",
    "i'm not a fan of",
    "i am not a fan of",
    "prefer",
    "i always want",
    "i never want",
    "my preference is",
    "my favorite",
    "my favourite",
    "ich bevorzuge",
    "ich mag",
    "mir ist lieber",
    "ich hasse",
    "je préfère",
    "j'aime",
    "je n'aime pas",
    "prefiero",
    "me gusta",
    "no me gusta",
    "我喜欢",
    "我更喜欢",
];

/// How it is done here.
pub(super) const CUSTOM: &[&str] = &[
    "we use",
    "we're using",
    "we are using",
    "we write",
    "we keep",
    "we name",
    "we put",
    "we store",
    "we deploy",
    "we run",
    "we test",
    "we format",
    "we follow",
    "we require",
    "our convention",
    "our policy",
    "our rule",
    "our standard",
    "our workflow",
    "the convention is",
    "the rule is",
    "the policy is",
    "in this repo",
    "in this repository",
    "in this project",
    "in this codebase",
    "wir verwenden",
    "wir benutzen",
    "nous utilisons",
    "usamos",
    "wir nutzen",
    "wir setzen",
    "wir schreiben",
    "on utilise",
    "utilizamos",
    "我们使用",
    "我们用",
];

/// What makes a rule of a sentence, wherever it stands.
const RULES: &[&str] = &[
    "must always",
    "must never",
    "should always",
    "should never",
    "must not",
    "mustn't",
    "has to always",
    "may only",
    "is always",
    "are always",
    "is never",
    "are never",
];

/// What the user likes.
pub(super) fn preference(bare: &Sentence) -> Option<Told> {
    let end = begins(&bare.lower, PREFER)?;
    let after = bare.from(end).bare();
    let first = after.lower.split([' ', ',', '.', '!']).next().unwrap_or_default();
    let wants = bare.lower.get(..end).is_some_and(|liked| liked.ends_with("want"))
        && matches!(first, "to" | "you" | "any" | "a" | "an");
    let is_about_this = wants || matches!(first, "this" | "that" | "it" | "the" | "your" | "how" | "what" | "where");
    let is_about_this = is_about_this
        || has(
            &after.lower,
            &["for this", "for that", "here", "can you", "in this file", "in this function", "in this pr"],
        );
    (!is_about_this).then(|| keep(Rule::Preference, MemoryKind::Preference, &bare.said, &bare.lower)).flatten()
}

/// Never, always, don't; how things are done here.
pub(super) fn habit(bare: &Sentence) -> Option<Told> {
    let lower = bare.lower.as_str();
    if let Some(end) = begins(lower, ALWAYS) {
        let rest = bare.from(end).bare();
        let kind = if is_manner(&rest.lower) { MemoryKind::Preference } else { MemoryKind::Convention };
        return (!is_idle(lower, &rest)).then(|| keep(Rule::Always, kind, &bare.said, lower)).flatten();
    }
    if stops(bare) || always_if(lower) || forbids(bare) || orders_always(bare) {
        return keep(Rule::Always, MemoryKind::Convention, &bare.said, lower);
    }
    if let Some(ban) = insisted(bare) {
        return habit(&ban);
    }
    let is_for_all = ["all ", "every ", "each ", "any ", "no "].iter().any(|all| lower.starts_with(all))
        && !lower.starts_with("no need ")
        && has(lower, &["must", "should", "needs to", "need to", "has to"]);
    let is_item = lower.starts_with(|c: char| c.is_ascii_digit());
    let is_rule = (is_for_all || (has(lower, RULES) && !is_item)) && !lower.starts_with("this ") && !is_reported(lower);
    if is_rule || (begins(lower, CUSTOM).is_some() && begins(lower, HAPPENINGS).is_none()) {
        return keep(Rule::Convention, MemoryKind::Convention, &bare.said, lower);
    }
    standing(bare)
}

/// What begins like a custom and tells what happens.
const HAPPENINGS: &[&str] = &[
    "we run out",
    "we run into",
    "we keep getting",
    "we keep seeing",
    "we keep hitting",
    "we keep running",
    "we use this",
    "we use it",
    "we put this",
    "we put it",
    "we write this",
    "we write it",
    "we run this",
    "we run it",
];

/// Ways to say that it was said before, or that it counts.
const TELLING: &[&str] = &[
    "i told",
    "i've told",
    "i have told",
    "i said",
    "i've said",
    "i keep",
    "how many times",
    "how often",
    "as i",
    "like i",
    "as always",
    "as usual",
    "seriously",
    "listen",
    "look",
    "heads up",
    "attention",
    "hinweis",
    "wichtig",
    "achtung",
    "ich habe",
    "wie gesagt",
    "comme je",
    "te dije",
    "a hundred times",
    "a thousand times",
    "a million times",
    "many times",
    "so many times",
    "before",
    "already",
    "twice",
    "yesterday",
];
/// Such a lead has so many words.
const LEAD_WORDS_MAX: usize = 8;

/// "Make sure to never …", "I told you a hundred times, never …": the ban in it.
fn insisted(bare: &Sentence) -> Option<Sentence> {
    const INSISTING: &[&str] = &[
        "make sure to",
        "make sure you",
        "make sure that you",
        "make sure we",
        "be sure to",
        "ensure you",
        "ensure that you",
        "take care to",
        "see to it that you",
        "achte darauf,",
        "achte darauf",
        "stell sicher, dass du",
    ];
    let told = || {
        let (at, mark) =
            [", ", ": ", " - ", " – "].iter().filter_map(|mark| Some((bare.lower.find(mark)?, mark))).min()?;
        let before = bare.lower.get(..at)?;
        let is_lead = begins(before, TELLING).is_some() && before.split(' ').count() <= LEAD_WORDS_MAX;
        is_lead.then_some(at + mark.len())
    };
    let rest = bare.from(begins(&bare.lower, INSISTING).or_else(told)?).bare();
    begins(&rest.lower, &["never", "always", "don't ever", "do not ever", "nie", "niemals", "immer"]).map(|_| rest)
}

/// "Stop adding comments to every line": and not "stop doing that".
fn stops(bare: &Sentence) -> bool {
    let Some(end) = begins(&bare.lower, &["stop", "quit", "please stop"]) else { return false };
    let rest = bare.from(end).bare();
    let mut words = rest.lower.split([' ', ',', '.', '!', ';']).filter(|word| !word.is_empty());
    let is_doing = words.next().is_some_and(|verb| verb.len() > 4 && verb.ends_with("ing") && verb != "being");
    let what: Vec<&str> = words.collect();
    let is_now =
        what.iter().take(3).any(|word| matches!(*word, "this" | "that" | "it" | "them" | "here" | "now" | "the"));
    is_doing && !what.is_empty() && !is_now
}

/// "We can't use GPL libraries": and not "we can't use this".
fn forbids(bare: &Sentence) -> bool {
    const MUST_NOT: &[&str] = &[
        "we can't use",
        "we cannot use",
        "we can not use",
        "we must not",
        "we mustn't",
        "we may not use",
        "we're not allowed to",
        "we are not allowed to",
        "we don't use",
        "we do not use",
        "you can't use",
        "you cannot use",
        "you must not",
        "wir dürfen",
        "wir können",
    ];
    let Some(end) = begins(&bare.lower, MUST_NOT) else { return false };
    let rest = bare.from(end).bare();
    let first = rest.lower.split([' ', ',', '.']).next().unwrap_or_default();
    let is_of_this =
        matches!(first, "" | "this" | "that" | "it" | "the" | "them" | "these" | "those" | "a" | "an" | "any");
    let is_german = bare.lower.starts_with("wir");
    let denies = !is_german || has(&rest.lower, &["nicht", "kein", "keine", "keinen", "nie"]);
    denies && !is_of_this && !has(&rest.lower, &["yet", "here", "anymore", "any more", "any longer"])
}

/// "Committe nie ohne Review", "commite toujours en anglais": who orders in these languages says how often after the verb.
fn orders_always(bare: &Sentence) -> bool {
    const TELLING: &[&str] =
        &["es", "das", "ich", "wir", "er", "sie", "war", "hat", "ist", "habe", "wird", "il", "elle", "je", "on"];
    let mut words = bare.lower.split([' ', ',']);
    let (verb, often) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_often = matches!(often, "nie" | "niemals" | "immer" | "toujours" | "jamais" | "siempre" | "nunca");
    is_often && verb.len() > 3 && !TELLING.contains(&verb) && words.next().is_some()
}

/// "If the tests fail, always rerun them once."
fn always_if(lower: &str) -> bool {
    const IF: &[&str] =
        &["if", "when", "whenever", "before", "after", "unless", "wenn", "bevor", "si", "quand", "cuando"];
    let always = |clause: &str| {
        begins(clause.trim(), &["always", "never", "immer", "nie", "niemals", "toujours", "siempre", "nunca"])
    };
    // What the agent itself runs may fail again and again.
    const RUN: &[&str] = &[
        "build", "tests", "test", "ci", "command", "lint", "linter", "deploy", "push", "merge", "commit", "you",
        "unsure",
    ];
    begins(lower, IF).is_some()
        && lower.split_once(", ").is_some_and(|(condition, rest)| {
            let forbids = || has(condition, RUN) && begins(rest.trim(), &["don't", "do not"]).is_some();
            always(rest).is_some() || forbids()
        })
}

/// Whether it is about how the agent is to speak to the user.
pub(super) fn is_manner(lower: &str) -> bool {
    const SPEAKING: &[&str] = &[
        "answer", "reply", "respond", "speak", "talk", "write", "explain", "antworte", "sprich", "schreib", "réponds",
        "responde",
    ];
    const HOW: &[&str] = &[
        "me",
        "to me",
        "mir",
        "moi",
        "in english",
        "in german",
        "in french",
        "in spanish",
        "in italian",
        "in chinese",
        "in japanese",
        "in portuguese",
        "in russian",
        "in dutch",
        "in polish",
        "auf deutsch",
        "auf englisch",
        "en français",
        "en español",
        "briefly",
        "concisely",
        "shortly",
        "tersely",
        "politely",
        "formally",
        "short",
        "in short sentences",
        "in one sentence",
        "in plain language",
        "kurz",
    ];
    const ALWAYS_OF_SPEECH: &[&str] =
        &["emoji", "emojis", "call me", "address me", "be concise", "be brief", "be terse"];
    has(lower, ALWAYS_OF_SPEECH) || (begins(lower, SPEAKING).is_some() && has(lower, HOW))
}

/// Whether it tells somebody what to do from now on.
pub(super) fn is_instruction(lower: &str) -> bool {
    begins(lower, ALWAYS).is_some()
        || begins(lower, REMEMBER).is_some()
        || has(lower, FROM_NOW_ON)
        || has(lower, &["always", "never", "ignore"])
}

/// Whether a "don't" asks for nothing that lasts.
fn is_idle(lower: &str, rest: &Sentence) -> bool {
    let first = rest.lower.split([' ', ',', '.']).next().unwrap_or_default();
    let denies_once =
        lower.starts_with("do") || lower.starts_with("avoid") || lower.starts_with('不') || lower.starts_with('别');
    // What is not to be done with "this" is about this moment.
    let clause = [" - ", " – ", "; "].iter().filter_map(|mark| rest.lower.find(mark)).min().unwrap_or(rest.lower.len());
    let mut first_words = rest.lower.get(..clause).unwrap_or_default().split([' ', ',', '.', ';']).take(4);
    let mut is_now = || {
        first_words.any(|word| matches!(word, "this" | "that" | "it" | "them"))
            || has(&rest.lower, &["yet", "now"])
            || rest.lower.contains(", just ")
    };
    first == "mind" || PLEASANT.contains(&first) || (denies_once && (IDLE_DONTS.contains(&first) || is_now()))
}
