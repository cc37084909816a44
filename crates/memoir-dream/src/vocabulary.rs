//! The closed classes of words that a statement is built with.

use crate::phrase::Word;

/// Who does what is told without a subject of its own.
pub(crate) const AGENTS: [&str; 13] = [
    "we",
    "i",
    "you",
    "they",
    "us",
    "team",
    "everyone",
    "everybody",
    "project",
    "repository",
    "repo",
    "codebase",
    "one",
];
/// Those of them that can also be part of a name.
pub(crate) const HERE: [&str; 4] = ["project", "repository", "repo", "codebase"];
pub(crate) const ARTICLES: [&str; 10] = ["the", "a", "an", "our", "my", "your", "their", "this", "these", "its"];
/// Articles of what there is one of.
pub(crate) const DEFINITE: [&str; 4] = ["the", "our", "my", "your"];

/// Words that change nothing.
pub(crate) const FILLERS: [&str; 25] = [
    "please",
    "just",
    "still",
    "currently",
    "that",
    "always",
    "will",
    "shall",
    "should",
    "must",
    "do",
    "does",
    "did",
    "can",
    "may",
    "would",
    "could",
    "has",
    "have",
    "had",
    "been",
    "got",
    "actually",
    "really",
    "all",
];

/// What only leads up to a statement, the longest first.
pub(crate) const LEAD_INS: [&str; 42] = [
    "we have decided not to",
    "we decided not to",
    "we agreed not to",
    "i decided not to",
    "we have decided to",
    "we have decided that",
    "we have agreed to",
    "we decided to",
    "we decided that",
    "we decided on",
    "we agreed to",
    "we agreed that",
    "we agreed on",
    "i decided to",
    "we settled on",
    "we chose to",
    "we are going to",
    "we are not going to",
    "it was decided to",
    "it was decided that",
    "please remember that",
    "remember that",
    "remember to",
    "make sure to",
    "make sure that",
    "note that",
    "for the record",
    "correction",
    "update",
    "decision",
    "actually",
    "remember",
    "heads up",
    "fyi",
    "let us",
    "let",
    "okay",
    "ok",
    "so",
    "well",
    "and",
    "hey",
];

/// Those that say that something was otherwise.
pub(crate) const CORRECTING: [&str; 3] = ["correction", "update", "actually"];

/// Words that tell of a change: what is said with them takes the place of what was.
pub(crate) const CHANGES: [&str; 11] = [
    "from now on",
    "going forward",
    "as of now",
    "now",
    "instead",
    "anymore",
    "any more",
    "any longer",
    "these days",
    "nowadays",
    "meanwhile",
];
/// Since when it is so: no part of what is said.
pub(crate) const TIMES: [&str; 20] = [
    "btw",
    "by the way",
    "tbh",
    "last week",
    "last month",
    "last year",
    "last night",
    "last quarter",
    "last sprint",
    "last monday",
    "last friday",
    "this week",
    "this month",
    "a while ago",
    "a week ago",
    "a month ago",
    "yesterday",
    "recently",
    "lately",
    "this morning",
];
/// What is said of a value that does not hold.
pub(crate) const WRONG: [&str; 6] = ["wrong", "incorrect", "outdated", "old", "stale", "false"];
/// Verbs of giving what one saw to into other hands.
pub(crate) const HANDING: [&str; 5] = ["handed", "passed", "transferred", "gave", "delegated"];
/// Words that say that something else holds as well.
pub(crate) const ADDITIONS: [&str; 5] = ["too", "as well", "also", "additionally", "in addition"];
/// Words that begin a reason or a time, which is not what a statement is about.
pub(crate) const REASONS: [&str; 7] = ["because", "since", "so", "as of", "after all", "although", "though"];
/// Words that narrow what a statement holds for.
pub(crate) const NARROWING: [&str; 12] =
    ["if", "when", "unless", "except", "only", "without", "until", "while", "before", "after", "during", "outside"];

/// Verbs that say what something is.
pub(crate) const COPULAS: [&str; 9] = ["is", "are", "was", "were", "be", "remains", "remain", "stays", "equals"];
/// Verbs that say by which way or where something is done.
pub(crate) const WAYS: [&str; 18] = [
    "go", "goes", "run", "runs", "live", "lives", "sit", "sits", "listen", "listens", "point", "points", "deploy",
    "deploys", "happen", "happens", "resides", "lands",
];
/// Verbs that say what is chosen for a purpose.
pub(crate) const CHOICES: [&str; 13] = [
    "use", "uses", "using", "prefer", "prefers", "choose", "chose", "pick", "adopt", "adopted", "target", "targets",
    "picked",
];
/// Verbs of seeing to something: one does.
pub(crate) const OWNING: [(&str, &str); 5] =
    [("owns", "owned"), ("maintains", "maintained"), ("leads", "led"), ("manages", "managed"), ("handles", "handled")];
/// Verbs of speaking, which is done in one language.
pub(crate) const SPEECH: [&str; 6] = ["answer", "reply", "respond", "speak", "talk", "write"];
/// Verbs of giving something its value.
pub(crate) const SETTING: [&str; 5] = ["set", "keep", "limit", "cap", "pin"];
/// Further verbs that a subject ends at.
pub(crate) const VERBS: [&str; 41] = [
    "has", "have", "had", "need", "needs", "want", "wants", "take", "takes", "review", "reviews", "require",
    "requires", "touch", "touches", "belong", "belongs", "fail", "fails", "merge", "push", "keeps", "install", "test",
    "build", "release", "log", "commit", "add", "call", "calls", "expect", "expects", "support", "supports", "start",
    "starts", "like", "likes", "contains", "costs",
];

/// What was changed, moved, raised: the verbs' forms.
pub(crate) const MOVING: [&str; 46] = [
    "shifted",
    "slipped",
    "postponed",
    "rescheduled",
    "tightened",
    "loosened",
    "moved",
    "moving",
    "move",
    "switched",
    "switching",
    "switch",
    "migrated",
    "migrating",
    "migrate",
    "changed",
    "changing",
    "changes",
    "went",
    "converted",
    "transitioned",
    "transitioning",
    "upgraded",
    "upgrading",
    "upgrade",
    "updated",
    "bumped",
    "bump",
    "downgraded",
    "raised",
    "lowered",
    "increased",
    "decreased",
    "reduced",
    "shortened",
    "extended",
    "ported",
    "relocated",
    "rewrote",
    "rewritten",
    "reassigned",
    "adjusted",
    "jumped",
    "grew",
    "doubled",
    "halved",
];
pub(crate) const REPLACING: [&str; 7] =
    ["replaced", "replaces", "replace", "swapped", "swap", "superseded", "supersedes"];
pub(crate) const RENAMING: [&str; 3] = ["renamed", "rename", "rebranded"];
pub(crate) const DROPPING: [&str; 13] = [
    "dropped",
    "drop",
    "abandoned",
    "removed",
    "retired",
    "ditched",
    "deprecated",
    "sunset",
    "scrapped",
    "discontinued",
    "decommissioned",
    "killed",
    "uninstalled",
];
/// What is said of something that holds no more.
pub(crate) const GONE: [&str; 14] = [
    "deprecated",
    "obsolete",
    "gone",
    "dead",
    "retired",
    "removed",
    "dropped",
    "abandoned",
    "sunset",
    "discontinued",
    "decommissioned",
    "outdated",
    "scrapped",
    "unsupported",
];

/// Words that lead to what is said of something, or to its purpose, place or time.
pub(crate) const PREPOSITIONS: [&str; 26] = [
    "on", "at", "in", "to", "through", "via", "by", "with", "from", "under", "behind", "into", "for", "as", "without",
    "before", "after", "until", "during", "per", "against", "inside", "within", "when", "if", "unless",
];
/// Words that lead to a tool.
pub(crate) const TOOLS: [&str; 5] = ["with", "via", "through", "using", "by"];

/// What was done to something once, at one place, by one means: it is so in one way.
pub(crate) const DONE_ONCE: [&str; 39] = [
    "stored",
    "kept",
    "hosted",
    "deployed",
    "located",
    "written",
    "built",
    "managed",
    "owned",
    "maintained",
    "led",
    "run",
    "served",
    "based",
    "installed",
    "configured",
    "defined",
    "scheduled",
    "placed",
    "saved",
    "handled",
    "powered",
    "generated",
    "released",
    "logged",
    "formatted",
    "linted",
    "bundled",
    "compiled",
    "rendered",
    "signed",
    "backed",
    "assigned",
    "packaged",
    "persisted",
    "sent",
    "routed",
    "implemented",
    "tracked",
];
/// Words between a thing and its value that add nothing.
pub(crate) const CALLED: [&str; 6] = ["called", "named", "set", "fixed", "pinned", "capped"];

/// Traits without an ending that tells.
const TRAITS: [&str; 49] = [
    "healthy",
    "alive",
    "idle",
    "busy",
    "back",
    "slow",
    "fast",
    "down",
    "up",
    "big",
    "small",
    "new",
    "old",
    "cheap",
    "hard",
    "easy",
    "safe",
    "flaky",
    "loud",
    "bad",
    "good",
    "large",
    "private",
    "public",
    "quick",
    "strict",
    "broken",
    "hidden",
    "frozen",
    "clean",
    "dirty",
    "ready",
    "done",
    "here",
    "there",
    "offline",
    "online",
    "fine",
    "full",
    "empty",
    "open",
    "read-only",
    "late",
    "early",
    "live",
    "true",
    "false",
    "on",
    "off",
];
const TRAIT_ENDINGS: [&str; 13] =
    ["ed", "ing", "able", "ible", "ful", "less", "ous", "ive", "ly", "ical", "onal", "ental", "atic"];

const DAYS: [&str; 26] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "today",
    "tomorrow",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "weekday",
];

/// Words that say the opposite of each other.
pub(crate) const OPPOSITES: [(&str, &str); 20] = [
    ("tabs", "spaces"),
    ("single", "double"),
    ("light", "dark"),
    ("on", "off"),
    ("before", "after"),
    ("with", "without"),
    ("enable", "disable"),
    ("enabled", "disabled"),
    ("allowed", "forbidden"),
    ("open", "closed"),
    ("true", "false"),
    ("first", "last"),
    ("public", "private"),
    ("required", "optional"),
    ("up", "down"),
    ("slow", "fast"),
    ("online", "offline"),
    ("manual", "automatic"),
    ("manually", "automatically"),
    ("broken", "fixed"),
];

/// Whether a word says how something is, rather than what it is.
pub(crate) fn is_trait(word: &Word) -> bool {
    let ends = || word.text.chars().count() >= 5 && TRAIT_ENDINGS.iter().any(|end| word.text.ends_with(end));
    is_short_trait(word) || (!word.is_name && ends())
}

/// Whether it does so by itself, whatever its ending.
pub(crate) fn is_short_trait(word: &Word) -> bool {
    word.is(&TRAITS) || word.is(&DONE_ONCE)
}

/// A day or a month; none if it is neither. Whether it comes back: "on Mondays".
pub(crate) fn day(word: &Word) -> Option<bool> {
    let one = |text: &str| DAYS.contains(&text);
    if one(&word.text) {
        return Some(false);
    }
    word.text.strip_suffix('s').filter(|text| one(text)).map(|_| true)
}

/// Whether two words say the opposite of each other.
pub(crate) fn are_opposite(a: &str, b: &str) -> bool {
    OPPOSITES.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
}
