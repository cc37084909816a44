//! What the user asks to be kept: remember, from now on, for this session, everywhere.

use super::forget::{does_not_forget, forgets};
use super::headings::{kind_under, split_heading};
use super::scope::{is_scope, scoped, without_last_scope};
use super::sentences::Sentence;
use super::stated::stated;
use super::things::ORDERS;
use super::told::{Told, keep, kept, kind_of};
use super::words::{begins, find, has};
use super::{Reach, Rule};
use memoir_event::MemoryKind;

/// Keep this.
pub(super) const REMEMBER: &[&str] = &[
    "always remember",
    "keep remembering",
    "remember that",
    "remember to",
    "remember",
    "keep in mind that",
    "keep in mind",
    "keep it in mind that",
    "keep it in mind",
    "keep this in mind",
    "keep that in mind",
    "save this for later",
    "note for next time",
    "note for later",
    "make sure you remember that",
    "make sure you remember",
    "make sure to remember that",
    "make sure to remember",
    "try to remember that",
    "try to remember",
    "bear in mind that",
    "bear in mind",
    "just so you know",
    "so you know",
    "you should know that",
    "note to self",
    "note that",
    "take note that",
    "take note of",
    "take note",
    "make a note that",
    "make a note of",
    "make a note",
    "do not forget that",
    "do not forget to",
    "do not forget",
    "don't forget that",
    "don't forget to",
    "don't forget",
    "never forget that",
    "never forget",
    "for future reference",
    "for the record",
    "memorize that",
    "memorize",
    "memorise that",
    "memorise",
    "save to memory",
    "add to memory",
    "store in memory",
    "fyi",
    "запомни, что",
    "запомни",
    "запомните",
    "помни, что",
    "помни",
    "не забудь, что",
    "не забудь",
    "не забывай",
    "имей в виду",
    "merk dir, dass",
    "merk dir",
    "merke dir",
    "denk daran, dass",
    "denk daran",
    "denke daran",
    "erinnere dich daran",
    "behalte im kopf",
    "souviens-toi que",
    "souviens-toi",
    "souvenez-vous",
    "rappelle-toi que",
    "rappelle-toi",
    "rappelez-vous",
    "n'oublie pas que",
    "n'oublie pas",
    "n'oubliez pas",
    "retiens que",
    "retiens",
    "recuerda que",
    "recuerda",
    "recuerde",
    "no olvides que",
    "no olvides",
    "ten en cuenta que",
    "记住",
    "记得",
    "别忘了",
    "牢记",
    "不要忘记",
    "merkt euch",
    "denk dran",
    "denk dran, dass",
    "daran denken",
    "tenga en cuenta que",
    "请记住",
    "覚えておいて",
    "覚えて",
];

/// This holds from today.
pub(super) const FROM_NOW_ON: &[&str] = &[
    "from now on",
    "from here on",
    "from this point on",
    "going forward",
    "moving forward",
    "henceforth",
    "from today on",
    "starting today",
    "as of today",
    "as of now",
    "starting now",
    "ab jetzt",
    "ab sofort",
    "ab heute",
    "von nun an",
    "von jetzt an",
    "désormais",
    "dorénavant",
    "à partir de maintenant",
    "a partir de ahora",
    "de ahora en adelante",
    "de hoy en adelante",
    "从现在开始",
    "从现在起",
    "今后",
    "从今以后",
    "с этого момента",
    "отныне",
    "впредь",
    "теперь всегда",
];

/// The same, where a sentence begins with it: elsewhere it only tells of a time.
pub(super) const IN_FUTURE: &[&str] = &[
    "next time",
    "nächstes mal",
    "beim nächsten mal",
    "la prochaine fois",
    "la próxima vez",
    "下次",
    "в следующий раз",
    "in the future",
    "in future",
    "in zukunft",
    "künftig",
    "zukünftig",
    "en adelante",
    "以后",
    "à l'avenir",
];

/// What follows a scope and asks for nothing that could hold in it.
const IDLE: &[&str] = &[
    "let's",
    "i",
    "i'll",
    "i'm",
    "i've",
    "we",
    "we'll",
    "we're",
    "that's",
    "this",
    "that",
    "it's",
    "thanks",
    "there",
    "everything",
];

/// What the user asks to be kept.
pub(super) fn wished(bare: &Sentence) -> Option<Told> {
    if let Some(end) = asks_to_keep(bare) {
        if is_looking_back(bare, end) {
            return None;
        }
        return kept(Rule::Remember, &said_after(bare, end), &bare.lower);
    }
    scoped_wish(bare).or_else(|| asked_before(bare)).or_else(|| for_the_future(bare)).or_else(|| asked_inside(bare))
}

/// What leads up to a wish has at most so many words.
const LEAD_WORDS_MAX: usize = 16;
/// An order about what was told is short.
const ORDER_WORDS_MAX: usize = 3;

/// Words after "remember" that only point at what follows.
const POINTING: &[&str] = &[
    "this for later",
    "this for next time",
    "this well",
    "this",
    "the following",
    "it",
    "these things",
    "das",
    "dies",
    "folgendes",
    "ceci",
    "esto",
];

/// Where "remember", or "don't forget", ends.
pub(crate) fn asks_to_keep(bare: &Sentence) -> Option<usize> {
    let saves = || begins(&bare.lower, &["save this", "store this"]).filter(|end| is_announced(bare, *end));
    let end = begins(&bare.lower, REMEMBER).or_else(|| does_not_forget(bare)).or_else(saves)?;
    let rest = bare.lower.get(end..).unwrap_or_default();
    let blank = rest.len() - rest.trim_start().len();
    let pointing = begins(rest.trim_start(), POINTING).map(|pointing| end + blank + pointing);
    Some(pointing.filter(|end| is_announced(bare, *end)).unwrap_or(end))
}

/// Whether a mark, or a scope, leads on to what is meant.
fn is_announced(bare: &Sentence, end: usize) -> bool {
    let rest = bare.from(end);
    let after = rest.lower.trim_start();
    after.starts_with([':', ',', '-', '–', '—', '：', '，'])
        || scoped(&rest.bare()).is_some_and(|scoped| scoped.is_set_apart)
}

/// What stands after a wish, without the scope and the words that lead up to it: "… everywhere that …".
fn said_after(bare: &Sentence, end: usize) -> Sentence {
    let rest = bare.from(end).bare();
    let rest = scoped(&rest).map_or(rest, |scoped| scoped.rest);
    begins(&rest.lower, &["that", "dass", "daran, dass", "que"]).map_or(rest.clone(), |end| rest.from(end).bare())
}

/// "From now on …", "in future …": where it stands, it is left out.
fn for_the_future(bare: &Sentence) -> Option<Told> {
    let anywhere = FROM_NOW_ON.iter().find_map(|phrase| Some((find(&bare.lower, phrase)?, phrase)));
    let at_first =
        || IN_FUTURE.iter().find_map(|phrase| find(&bare.lower, phrase).filter(|at| *at == 0).map(|at| (at, phrase)));
    let (at, phrase) = anywhere.or_else(at_first)?;
    let (before, after) = (bare.said.get(..at)?, bare.from(at + phrase.len()).bare().said);
    let before = before.trim_end_matches([' ', ',']);
    // "… from now on." leaves a mark behind.
    let blank = if before.is_empty() || after.starts_with(['.', '!']) { "" } else { " " };
    let text = format!("{before}{blank}{after}");
    let whole = Sentence::new(text.trim());
    let is_idle = begins(&bare.lower, IN_FUTURE).is_some() && begins(&whole.lower, IDLE).is_some();
    if is_idle {
        return None;
    }
    // "From now on the function returns an Option, fix callers."
    if turns_to_order(&whole.lower) {
        return None;
    }
    let whole = begins(&whole.lower, &["please", "bitte", "pls"]).map_or(whole.clone(), |end| whole.from(end).bare());
    let wish = begins(&whole.lower, REMEMBER).map_or(whole.clone(), |end| whole.from(end).bare());
    kept(Rule::FromNowOn, &wish, &bare.lower)
}

/// Whether a statement about something at hand ends with a short order.
fn turns_to_order(lower: &str) -> bool {
    let Some((said, last)) = lower.rsplit_once(", ") else { return false };
    let is_at_hand = begins(said, &["the", "this", "that"]).is_some();
    is_at_hand && begins(last, ORDERS).is_some() && last.split(' ').count() <= ORDER_WORDS_MAX
}

/// "For this session only, …", "Everywhere: …", "… for this session".
fn scoped_wish(bare: &Sentence) -> Option<Told> {
    let Some(scoped) = scoped(bare) else {
        let said = without_last_scope(bare)?;
        let is_idle = begins(&said.lower, IDLE).is_some() || (stated(&said).is_some() && stated(bare).is_some());
        return (!is_idle).then(|| kept(Rule::FromNowOn, &said, &bare.lower)).flatten();
    };
    let reach = scoped.reach;
    let told = wished(&scoped.rest).or_else(|| stated(&scoped.rest));
    let instructs = || scoped.is_set_apart && begins(&scoped.rest.lower, IDLE).is_none() && !forgets(&scoped.rest);
    // What holds for a while only is asked for, however it is said.
    let rule = |told: Told| if reach == Reach::Session { Rule::FromNowOn } else { told.rule };
    told.map(|told| Told { rule: rule(told.clone()), reach, ..told })
        .or_else(|| instructs().then(|| kept(Rule::FromNowOn, &scoped.rest, &bare.lower)).flatten())
        .map(|told| Told { reach, ..told })
}

/// "This is important so keep it in mind for all my projects: …": what follows is meant.
fn asked_before(bare: &Sentence) -> Option<Told> {
    const ASKING: [&str; 9] = [
        "keep it in mind",
        "keep this in mind",
        "keep that in mind",
        "remember this",
        "remember it",
        "remember that",
        "bear it in mind",
        "note this",
        "don't forget it",
    ];
    const WEIGHTY: &[&str] = &["this", "it's", "that", "important", "very", "one", "listen", "heads", "attention"];
    let colon = bare.lower.find([':', '：'])?;
    let before = bare.lower.get(..colon)?;
    let end = ASKING.iter().filter_map(|asking| Some(find(before, asking)? + asking.len())).max()?;
    let scope = bare.to(colon).from(end).bare();
    let is_scope = scope.lower.is_empty() || is_scope(&scope.lower);
    let what = bare.from(colon + 1).bare();
    let fits = begins(before, WEIGHTY).is_some() && before.split(' ').count() <= LEAD_WORDS_MAX && is_scope;
    let reach = scoped(&scope).map(|scoped| scoped.reach);
    fits.then(|| kept(Rule::Remember, &what, &what.lower))
        .flatten()
        .map(|told| Told { reach: reach.unwrap_or(told.reach), ..told })
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
