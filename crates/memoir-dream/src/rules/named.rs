//! Wishes to forget that name what is known by what it is: "forget the jenkins thing", "drop the rule about any", "delete
//! what I told you about the lab", "the linter rule is off".

use super::sentences::Sentence;
use crate::shapes::{Classes, Shapes, Word, is_clause_end, words_of};
use std::sync::LazyLock;

const CLASSES: &Classes = &[
    // Verbs that are said of memory, and verbs that are said of work, too.
    (
        "FORGET",
        &[
            "forget/unremember/vergiss/vergesst/oublie/oubliez/olvida/olvide/забудь/забудьте",
            "stop/quit remembering",
            "no longer remember",
            "forget about",
            "забудь/забудьте про",
            "olvídate de",
        ],
    ),
    (
        "DROP",
        &[
            "drop/delete/remove/erase/scratch/scrap/ditch/discard/wipe/lose/ignore/disregard/cancel/strike/abandon/nevermind",
            "never mind about?",
            "get rid of",
            "throw out/away",
            "we/i have? dropped/scrapped/ditched/lifted/abandoned/cancelled/canceled",
            "lösche/lösch/streiche/streich/verwirf",
            "supprime/supprimez/efface/effacez",
            "borra/elimina/quita/ignora",
            "удали/сотри",
        ],
    ),
    ("POLITE", &["please/bitte/just/doch/mal/now/again/completely/all"]),
    (
        "THE",
        &[
            "the/dem/den/il/un/una/une/that/this/these/those/my/our/your/der/die/das/meine/unsere/le/la/les/l'/ma/el/los/mi/nuestra",
        ],
    ),
    // What calls a memory by what it is.
    (
        "KIND",
        &[
            "rule/rules/note/notes/memory/memories/convention/conventions/preference/preferences/instruction/instructions",
            "decision/decisions/fact/policy/guideline/habit/reminder/regel/notiz/vorliebe/règle/préférence/regla/nota",
            "правило",
        ],
    ),
    ("THING", &["thing/things/stuff/bit/bits/business/sache/truc/chose/cosa/asunto"]),
    (
        "ABOUT",
        &["about/with/on/regarding/concerning/for/against/over/zu/über/mit/für/sur/de/du/del/avec/sobre/про/о/об/с"],
    ),
    (
        "SPOKE",
        &["said/told/mentioned/wrote/discussed/decided/agreed/know/remember/asked/explained/shared", "talked/talk"],
    ),
    (
        "OVER",
        &[
            "is/was/are off/gone/over/out/dropped/cancelled/canceled/scrapped/void/history/dead/obsolete/outdated/lifted",
            "is/are no_longer/not valid/needed/true/relevant/in_force anymore/any_more/any_longer?",
            "no longer applies/apply/holds/hold/counts/stands",
            "does/do not apply/hold/count/matter anymore/any_more/any_longer",
            "can go",
            "gilt/gelten nicht_mehr",
            "ne s'applique/vaut plus",
            "ya no aplica/vale",
        ],
    ),
    ("MEMORY", &["your? memory/memories/notes/records/mind/head/brain", "what you remember/know"]),
];

struct Named {
    forget: Shapes,
    drop: Shapes,
    polite: Shapes,
    said: Shapes,
    kind: Shapes,
    thing: Shapes,
    the: Shapes,
    kind_word: Shapes,
    thing_word: Shapes,
    over: Shapes,
    from_memory: Shapes,
    tail: Shapes,
}

static NAMED: LazyLock<Named> = LazyLock::new(|| {
    let shapes = |list: &[&'static str]| Shapes::new(list, CLASSES);
    Named {
        forget: shapes(&["FORGET"]),
        drop: shapes(&["DROP"]),
        polite: shapes(&["POLITE"]),
        said: shapes(&["what/everything/anything/all/whatever that? i/we/you just? have? SPOKE you? ABOUT"]),
        kind: shapes(&["THE? KIND ABOUT"]),
        thing: shapes(&[
            "THE? THING about/with/on/regarding/concerning/mit/über/sur/de/du/del/sobre/с",
            "that about/regarding/concerning",
            "das mit/über",
            "lo de/del/sobre",
        ]),
        the: shapes(&["THE"]),
        kind_word: shapes(&["KIND"]),
        thing_word: shapes(&["THING"]),
        over: shapes(&["OVER"]),
        from_memory: shapes(&["from/out_of/off/aus/de/из MEMORY"]),
        tail: shapes(&["please/pls/bitte/thanks/now/again/then/anymore/forever/completely"]),
    }
});

/// How it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    /// By what was said of it: "what I told you about …".
    Said,
    /// By what it is: "the … rule".
    Kind,
    /// As a thing: "the … thing".
    Thing,
}

/// What is named, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub from: usize,
    pub to: usize,
    /// Where what calls it ends.
    pub end: usize,
    pub called: Called,
    /// Whether the verb is said of memory alone.
    pub is_sure: bool,
}

/// The clause of a wish that names something known, if it is one.
pub(super) fn named_in(bare: &Sentence) -> Option<Name> {
    let words = words_of(&bare.lower);
    let verb = |shapes: &Shapes| shapes.ends(&words, 0).into_iter().max();
    let name = match (verb(&NAMED.forget), verb(&NAMED.drop)) {
        (Some(end), _) => NAMED.target(&words, end, true),
        (None, Some(end)) => NAMED.target(&words, end, false),
        (None, None) => NAMED.over(&words),
    }?;
    // What stands in the same clause after it belongs to the wish.
    let last = words.iter().find(|word| word.to >= name.to && (word.mark.is_some() || word.to == bare.lower.len()));
    Some(Name { end: last.map_or(name.to, |last| last.to), ..name })
}

impl Named {
    fn target(&self, words: &[Word<'_>], verb: usize, is_sure: bool) -> Option<Name> {
        let from = self.polite.many(words, verb).into_iter().max()?;
        // A mark after the verb parts it from what follows.
        words.get(from.checked_sub(1)?).filter(|word| word.mark.is_none_or(|mark| mark == ','))?;
        let about = |shapes: &Shapes| shapes.ends(words, from).into_iter().filter(|end| *end < words.len()).max();
        let (begin, called) = about(&self.said)
            .map(|end| (end, Some(Called::Said)))
            .or_else(|| about(&self.kind).map(|end| (end, Some(Called::Kind))))
            .or_else(|| about(&self.thing).map(|end| (end, Some(Called::Thing))))
            .unwrap_or((from, None));
        let end = (begin + 1..=words.len()).find(|end| is_clause_end(words, *end))?;
        let end = (begin..end).find(|at| self.tail.many(words, *at).contains(&end)).unwrap_or(end);
        let memory = (begin + 1..end).find(|at| self.from_memory.ends(words, *at).contains(&end));
        let called = called.or_else(|| memory.map(|_| Called::Kind));
        match called {
            Some(called) => self.name(words, (begin, memory.unwrap_or(end)), called, is_sure || memory.is_some()),
            None => self.called_last(words, (begin, end), is_sure),
        }
    }

    /// "The jenkins thing", "the linter rule".
    fn called_last(&self, words: &[Word<'_>], (begin, end): (usize, usize), is_sure: bool) -> Option<Name> {
        let last = end.checked_sub(1)?;
        let called = match (self.kind_word.ends(words, last), self.thing_word.ends(words, last)) {
            (kind, _) if kind.contains(&end) => Called::Kind,
            (_, thing) if thing.contains(&end) => Called::Thing,
            _ => return None,
        };
        self.name(words, (begin, last), called, is_sure)
    }

    /// "The linter rule is off", "the rule about any no longer applies".
    fn over(&self, words: &[Word<'_>]) -> Option<Name> {
        let end = (1..=words.len()).find(|end| is_clause_end(words, *end))?;
        let over = (1..end)
            .find(|at| self.over.ends(words, *at).iter().any(|over| self.tail.many(words, *over).contains(&end)))?;
        // Who speaks of a thing and not of "the …" speaks of something else.
        self.the.ends(words, 0).first()?;
        let about = |shapes: &Shapes| shapes.ends(words, 0).into_iter().filter(|end| *end < over).max();
        match about(&self.kind) {
            Some(begin) => self.name(words, (begin, over), Called::Kind, false),
            None => self.called_last(words, (0, over), false),
        }
    }

    fn name(&self, words: &[Word<'_>], (begin, end): (usize, usize), called: Called, is_sure: bool) -> Option<Name> {
        // "The" says nothing; "that" alone names nothing.
        let begin = self.the.ends(words, begin).into_iter().filter(|at| *at < end).max().unwrap_or(begin);
        let (first, last) = (words.get(begin)?, words.get(end.checked_sub(1)?)?);
        (begin < end && !self.the.ends(words, begin).contains(&end)).then_some(Name {
            from: first.from,
            to: last.to,
            end: last.to,
            called,
            is_sure,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(said: &str) -> Option<(String, Called, bool)> {
        let sentence = Sentence::new(said);
        let name = named_in(&sentence)?;
        let text = sentence.to(name.to).from(name.from).said;
        Some((text.trim_end_matches(['.', ',', '!']).to_owned(), name.called, name.is_sure))
    }

    #[test]
    fn what_is_known_is_named_by_what_it_is() {
        use Called::{Kind, Said, Thing};
        for (said, name, called, is_sure) in [
            ("forget the jenkins thing", "jenkins", Thing, true),
            ("forget the thing about jenkins", "jenkins", Thing, true),
            ("drop the rule about any", "any", Kind, false),
            ("forget the any rule", "any", Kind, true),
            ("scratch that about Blythe, please", "Blythe", Thing, false),
            ("the requests.csv rule is off", "requests.csv", Kind, false),
            ("the rule about any no longer applies", "any", Kind, false),
            ("delete what I told you about the Osei lab", "Osei lab", Said, false),
            ("never mind the petty cash thing", "petty cash", Thing, false),
            ("ignore what i said about the level 3 boss, that's cut", "level 3 boss", Said, false),
            ("remove my tabs preference from your memory", "tabs preference", Kind, true),
            ("erase the bit about the alarm company", "alarm company", Thing, false),
            ("unremember the feature flag thing", "feature flag", Thing, true),
            ("forget about the monday thing, the weekend rule stays", "monday", Thing, true),
            ("vergiss das mit dem Gefrierschrank", "Gefrierschrank", Thing, true),
            ("olvida lo del IVA", "IVA", Thing, true),
            ("oublie le truc sur la TVA", "TVA", Thing, true),
            ("забудь про правило с отступами", "отступами", Kind, true),
            ("we dropped the linter rule", "linter", Kind, false),
        ] {
            assert_eq!(named(said), Some((name.to_owned(), called, is_sure)), "{said}");
        }
    }

    #[test]
    fn work_names_nothing_that_is_known() {
        for said in [
            "drop the users table",
            "remove the tabs component",
            "delete the function about dates",
            "ignore the warning about X",
            "forget the login test for a sec",
            "forget the inventory",
            "remove the rule from .eslintrc",
            "delete the firewall rule on port 80 from the script",
            "scratch that, use the first version",
            "never mind, it works now",
            "never mind the typo",
            "drop that",
            "forget it",
            "forget that thing",
            "the light is off",
            "rule 12 is off by one",
            "the test is off",
            "remove the part about dates from the readme",
            "a rule about dates is missing",
            "strike the old price",
            "erase the disk",
        ] {
            assert_eq!(named(said), None, "{said}");
        }
    }
}
