//! How far something holds: in this conversation only, in this project, or wherever the user works.

use super::Reach;
use super::sentences::Sentence;
use super::words::{begins, has};
use memoir_event::MemoryKind;

/// For this conversation, in so many words.
const THIS_SESSION: &[&str] = &[
    "for this session",
    "in this session",
    "for this conversation",
    "in this conversation",
    "for this chat",
    "in this chat",
    "for the rest of this session",
    "für diese sitzung",
    "in dieser sitzung",
    "für dieses gespräch",
    "pour cette session",
    "para esta sesión",
    "这次会话",
    "本次会话",
];

/// For a while, which ends with this conversation at the latest.
const FOR_NOW: &[&str] = &["for now", "for today", "for the moment", "just this once", "only this time"];

/// A wish that holds wherever the user works.
pub(super) const EVERYWHERE: &[&str] = &[
    "everywhere",
    "in all projects",
    "in every project",
    "across projects",
    "across all projects",
    "in any project",
    "globally",
    "in all my projects",
    "in all sessions",
    "wherever i work",
    "überall",
    "in allen projekten",
    "partout",
    "dans tous les projets",
    "en todos los proyectos",
    "en todas partes",
    "所有项目",
    "无论在哪",
    "for all projects",
    "for all my projects",
    "for every project",
    "in all my repos",
    "in all my repositories",
    "in all repos",
    "everywhere else too",
    "in allen meinen projekten",
    "für alle projekte",
    "dans tous mes projets",
    "en todos mis proyectos",
];

/// What "everywhere" may be of: this project and no other.
const HERE: &[&str] = &[
    "in this codebase",
    "in the codebase",
    "in this repo",
    "in the repo",
    "in this repository",
    "in the repository",
    "in this project",
    "in our codebase",
    "in our repo",
    "in diesem projekt",
    "dans ce projet",
    "en este proyecto",
];

/// How the agent is to speak, which is the same everywhere.
pub(super) const MANNERS: &[&str] = &[
    "answer",
    "answers",
    "reply",
    "replies",
    "respond",
    "responses",
    "explain",
    "explanations",
    "speak",
    "talk",
    "call me",
    "address me",
    "your tone",
    "be concise",
    "be brief",
    "be terse",
    "emoji",
    "emojis",
    "my name",
    "antworte",
    "réponds",
    "responde",
    "回答",
    "回复",
    "language",
];

/// For this project and no other, said before what holds in it.
const FOR_HERE: &[&str] = &[
    "for this repo",
    "for this repository",
    "for this project",
    "for this codebase",
    "in this repo",
    "in this repository",
    "in this project",
    "in this codebase",
    "für dieses projekt",
    "für dieses repo",
    "pour ce projet",
    "para este proyecto",
    "这个项目",
];

/// What the user tells of themselves, wherever they work.
const OF_SELF: &[&str] = &[
    "i am",
    "i'm",
    "i live",
    "i work at",
    "i work for",
    "i work as",
    "i work in",
    "i work from",
    "i work with",
    "i speak",
    "my name",
    "my timezone",
    "my time zone",
    "my pronouns",
    "my native language",
    "my mother tongue",
    "my job",
    "my birthday",
    "my employer",
    "my email",
    "my github",
    "ich wohne",
    "ich arbeite",
    "ich heiße",
    "mein name",
    "meine zeitzone",
    "je m'appelle",
    "je travaille",
    "j'habite",
    "mon fuseau horaire",
    "me llamo",
    "trabajo en",
    "vivo en",
    "mi zona horaria",
    "меня зовут",
];

/// Words after a scope that only stress it.
const STRESS: &[&str] = &["only", "nur", "seulement", "solo", "please", "bitte"];

/// How far it holds, as far as it tells.
pub(super) fn reach(kind: MemoryKind, lower: &str) -> Reach {
    if has(lower, THIS_SESSION) || has(lower, FOR_NOW) {
        Reach::Session
    } else if has(lower, HERE) {
        Reach::Project
    } else if has(lower, EVERYWHERE)
        || (kind == MemoryKind::Preference && has(lower, MANNERS))
        || begins(lower, OF_SELF).is_some()
    {
        Reach::User
    } else {
        Reach::Project
    }
}

/// Whether a text is about the user themselves, and so holds wherever they work.
pub fn is_of_self(text: &str) -> bool {
    begins(&Sentence::new(text).bare().lower, OF_SELF).is_some()
}

/// Whether it ends with this conversation.
pub(super) fn is_for_now(lower: &str) -> bool {
    has(lower, THIS_SESSION) || has(lower, FOR_NOW)
}

/// What a sentence says after the scope with which it begins, and whether a mark stands between: "Everywhere: …",
/// "for this session only, …".
pub(super) struct Scoped {
    pub reach: Reach,
    pub rest: Sentence,
    /// Whether the scope is set apart, so that what follows is meant to hold in it.
    pub is_set_apart: bool,
}

pub(super) fn scoped(bare: &Sentence) -> Option<Scoped> {
    let lower = bare.lower.as_str();
    let (end, reach) = [
        (THIS_SESSION, Reach::Session),
        (FOR_NOW, Reach::Session),
        (EVERYWHERE, Reach::User),
        (FOR_HERE, Reach::Project),
    ]
    .into_iter()
    .filter_map(|(phrases, reach)| Some((begins(lower, phrases)?, reach)))
    .max_by_key(|(end, _)| *end)?;
    let after = bare.from(end);
    let stressed = after.trimmed();
    let after = begins(&stressed.lower, STRESS).map_or(after, |end| stressed.from(end));
    let is_set_apart = after.lower.trim_start().starts_with([':', ',', '：', '，', '-', '–', '—']);
    // What is asked for here at work is no rule for all that is done here: "in this repo, add a page".
    let is_stressed = after.lower.len() < stressed.lower.len() || after.lower.trim_start().starts_with([':', '：']);
    (reach != Reach::Project || (is_stressed && is_set_apart)).then(|| Scoped {
        reach,
        rest: after.bare(),
        is_set_apart,
    })
}

/// The same without the scope with which it ends: "Answer in French for this session."
pub(super) fn without_last_scope(bare: &Sentence) -> Option<Sentence> {
    let end = bare.lower.trim_end_matches(['.', '!']).len();
    let lower = bare.lower.get(..end)?;
    let lower = lower.strip_suffix(" only").unwrap_or(lower);
    let before = THIS_SESSION.iter().find_map(|phrase| lower.strip_suffix(phrase))?.trim_end_matches([' ', ',']);
    Some(bare.to(before.len()))
}

/// Whether that is a scope and nothing else.
pub(super) fn is_scope(lower: &str) -> bool {
    [THIS_SESSION, FOR_NOW, EVERYWHERE].iter().any(|phrases| begins(lower, phrases) == Some(lower.len()))
}
