//! A statement word by word, in its order: its subject, its verb, what it says of it.
//!
//! Which of two statements takes the other's place is a matter of where they differ. What they say of one subject is a
//! value that changes; another subject is another thing.

use memoir_index::name_stem;

/// Words that deny.
const DENIALS: [&str; 22] = [
    "not", "no", "never", "dont", "don't", "doesnt", "doesn't", "isnt", "isn't", "arent", "aren't", "cannot", "stop",
    "avoid", "nicht", "nie", "niemals", "kein", "keine", "keinen", "jamais", "nunca",
];

/// Words that tell of a change: what is said with them takes the place of what was.
const CHANGES: [&str; 6] = ["now", "instead", "anymore", "jetzt", "désormais", "ahora"];

/// What was asked for and is no more.
const NO_LONGER: [&str; 6] = [
    "you no longer need to ",
    "you no longer have to ",
    "we no longer need to ",
    "we no longer have to ",
    "you no longer ",
    "we no longer ",
];

/// The same around what it says.
const NOT_ANY_MORE: [&str; 8] = [
    "you don't need to ",
    "you do not need to ",
    "you don't have to ",
    "you do not have to ",
    "we don't need to ",
    "we don't have to ",
    "no need to ",
    "we don't ",
];
const ANY_MORE: [&str; 4] = [" anymore", " any more", " any longer", " from now on"];

/// What was forbidden and is so no more.
const ALLOWED: [&str; 13] = [
    "you can ",
    "we can ",
    "it's fine to ",
    "it is fine to ",
    "it's ok to ",
    "it is ok to ",
    "it's okay to ",
    "it is okay to ",
    "you may ",
    "you're allowed to ",
    "you are allowed to ",
    "we may ",
    "we are allowed to ",
];

/// The same after it.
const IS_ALLOWED: [&str; 4] = [" is fine", " is ok", " is okay", " is allowed"];

/// Verbs of speaking, which is done in one language.
const SPEECH: [&str; 5] = ["answer", "reply", "respond", "speak", "talk"];

/// Words that change nothing.
const FILLERS: [&str; 25] = [
    "the",
    "a",
    "an",
    "our",
    "my",
    "your",
    "we",
    "i",
    "you",
    "they",
    "now",
    "please",
    "just",
    "also",
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
    "of",
];

/// Verbs that say what something is.
const COPULAS: [&str; 6] = ["is", "are", "was", "were", "be", "remains"];

/// Verbs that say by which way or where something is done: there is one.
const WAYS: [&str; 16] = [
    "go", "goes", "run", "runs", "live", "lives", "sit", "sits", "listen", "listens", "point", "points", "deploy",
    "deploys", "happen", "happens",
];

/// Verbs that say what is chosen for a purpose.
const CHOICES: [&str; 8] = ["use", "uses", "using", "prefer", "prefers", "choose", "pick", "adopt"];

/// Verbs of seeing to something: one does.
const OWNING: [&str; 4] = ["owns", "maintains", "leads", "manages"];

/// Further verbs that a subject ends at.
const VERBS: [&str; 25] = [
    "has", "have", "had", "need", "needs", "want", "wants", "own", "owns", "take", "takes", "review", "reviews",
    "require", "requires", "touch", "touches", "belong", "belongs", "fail", "fails", "merge", "push", "write", "keep",
];

/// Words that lead to what is said.
const LEADS: [&str; 16] = [
    "on", "at", "in", "to", "through", "via", "by", "with", "from", "under", "behind", "into", "over", "only",
    "turned", "set",
];

/// Words that lead to a purpose.
const PURPOSES: [&str; 4] = ["for", "as", "to", "für"];

/// Words that say the opposite of each other.
const OPPOSITES: [(&str, &str); 15] = [
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
];

/// A value has at most so many words: what is longer says something else.
const VALUE_WORDS_MAX: usize = 4;

/// A statement, word by word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Phrase {
    /// Its words as they are compared, without those that change nothing.
    pub words: Vec<String>,
    /// The same as they are written.
    written: Vec<String>,
    /// Where its verb is.
    verb: Option<usize>,
    /// Whether it denies what it says.
    pub denies: bool,
    /// Whether it says of itself that it is new.
    pub is_new: bool,
}

impl Phrase {
    pub fn of(text: &str) -> Phrase {
        let mut phrase = Phrase::default();
        for word in text.split_whitespace() {
            let word = bare(word).to_lowercase();
            phrase.is_new |= CHANGES.contains(&word.as_str());
            if word.is_empty() || FILLERS.contains(&word.as_str()) {
                continue;
            }
            if DENIALS.contains(&word.as_str()) {
                phrase.denies = true;
                continue;
            }
            // What looks like a verb and stands before another one is a noun: `deploys go`, `tests run`.
            if is_verb(&word) && phrase.verb.is_none_or(|verb| verb == 0 && phrase.words.len() == 1) {
                phrase.verb = Some(phrase.words.len());
            }
            phrase.words.push(compared(&word));
            phrase.written.push(word);
        }
        phrase
    }

    /// What it is about: the words before its verb.
    pub fn subject(&self) -> &[String] {
        self.words.get(..self.verb.unwrap_or(0)).unwrap_or_default()
    }

    /// Whether it says something else of the same thing, and nothing that could hold beside it.
    pub fn says_otherwise(&self, older: &Phrase) -> bool {
        if self.is_reordered(older) {
            return self.subject() == older.subject();
        }
        let same = |(a, b): &(&String, &String)| a == b;
        let before = self.words.iter().zip(&older.words).take_while(same).count();
        let shorter = self.words.len().min(older.words.len()) - before;
        let after = self.words.iter().rev().zip(older.words.iter().rev()).take_while(same).count().min(shorter);
        let middle = |phrase: &Phrase| {
            let words = phrase.written.get(before..phrase.written.len() - after);
            words.unwrap_or_default().to_vec()
        };
        let (new, old) = (middle(self), middle(older));
        if are_opposite(&new, &old) {
            return true;
        }
        if self.is_owned_by_another(older, before, after) {
            return true;
        }
        // What differs must be said of the subject, not be the subject.
        if self.verb.is_none() || self.verb != older.verb || self.verb.is_none_or(|verb| before <= verb) {
            return false;
        }
        if old.is_empty() {
            // It says the same, and more.
            return before + after >= 2;
        }
        if new.is_empty() || new.len().max(old.len()) > VALUE_WORDS_MAX {
            return false;
        }
        (is_value(&new) && is_value(&old)) || self.tells_one_thing(before, after)
    }

    /// Whether what stands at that place is the one thing that its verb tells of its subject.
    fn tells_one_thing(&self, before: usize, after: usize) -> bool {
        // Of what is forbidden, one thing does not take the place of another.
        let Some(verb) = self.verb.filter(|_| !self.denies) else { return false };
        let word = self.written.get(verb).map(String::as_str).unwrap_or_default();
        let between = self.written.get(verb + 1..before.max(verb + 1)).unwrap_or_default();
        let is_next = between.iter().all(|word| LEADS.contains(&word.as_str()));
        if CHOICES.contains(&word) {
            let purpose = self.written.get(self.written.len() - after).map(String::as_str);
            let has_purpose = after >= 2 && purpose.is_some_and(|word| PURPOSES.contains(&word));
            return is_next && (has_purpose || self.is_new);
        }
        if SPEECH.contains(&word) {
            return between == ["in"] && after == 0;
        }
        is_next && verb > 0 && (COPULAS.contains(&word) || WAYS.contains(&word))
    }

    /// Whether all but the owner is the same: "Jo owns the billing service", "Mara owns the billing service".
    fn is_owned_by_another(&self, older: &Phrase, before: usize, after: usize) -> bool {
        let owning = |phrase: &Phrase| {
            let verb = phrase.verb?;
            let word = phrase.written.get(verb)?;
            (OWNING.contains(&word.as_str()) && phrase.written.len() - verb <= after).then_some(verb)
        };
        before == 0 && !self.denies && owning(self) == Some(1) && owning(older) == Some(1)
    }

    /// Whether one word stands where another does in the other, and all else is the same.
    pub fn swaps_one_word(&self, older: &Phrase) -> bool {
        self.words.len() == older.words.len()
            && self.words.iter().zip(&older.words).filter(|(a, b)| a != b).count() == 1
    }

    /// Whether it has the same words in another order.
    fn is_reordered(&self, older: &Phrase) -> bool {
        if self.words.len() != older.words.len() || self.swaps_one_word(older) {
            return false;
        }
        let sorted = |phrase: &Phrase| {
            let mut words = phrase.words.clone();
            words.sort_unstable();
            words
        };
        sorted(self) == sorted(older)
    }
}

/// Whether a text denies what it says.
pub(crate) fn denies(text: &str) -> bool {
    Phrase::of(text).denies
}

/// What a text in small letters lifts, and whether that does not hold then: what was asked for, as in "you no longer need to
/// …", or what was forbidden, as in "it's fine to …".
pub(crate) fn lifts(lower: &str) -> Option<(&str, bool)> {
    let lower = lower.trim().trim_end_matches(['.', '!']);
    let after = |list: &[&str]| list.iter().find_map(|words| lower.strip_prefix(words));
    if let Some(rest) = after(&ALLOWED) {
        return Some((rest.strip_prefix("now ").unwrap_or(rest), denies(rest)));
    }
    if let Some(rest) = IS_ALLOWED.iter().find_map(|words| lower.strip_suffix(words)) {
        return Some((rest, denies(rest)));
    }
    let any_more = || {
        let rest = after(&NOT_ANY_MORE)?;
        ANY_MORE.iter().find_map(|words| rest.strip_suffix(words))
    };
    after(&NO_LONGER).or_else(any_more).map(|rest| (rest, !denies(rest)))
}

/// A word without the marks around it; what belongs to a name stays: `./ship`, `C++`.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', '"', '\'', ')', '`']);
    let word = word.trim_start_matches(['"', '\'', '(', '`', ',']);
    if word.starts_with("./") { word } else { word.trim_start_matches('.') }
}

fn compared(word: &str) -> String {
    let is_exact = word.contains(['+', '#', '/', '.', ':']) || word.chars().any(|c| c.is_ascii_digit());
    if is_exact { word.to_owned() } else { name_stem(word).unwrap_or_else(|| word.to_owned()) }
}

fn is_verb(word: &str) -> bool {
    [&COPULAS[..], &WAYS, &CHOICES, &OWNING, &SPEECH, &VERBS].iter().any(|list| list.contains(&word))
}

fn are_opposite(new: &[String], old: &[String]) -> bool {
    let [new, old] = [new, old].map(|words| words.first().filter(|_| words.len() == 1).map(String::as_str));
    OPPOSITES.iter().any(|(a, b)| (new, old) == (Some(a), Some(b)) || (new, old) == (Some(b), Some(a)))
}

/// Whether it is a number, a version, an address, a path or a time.
fn is_value(words: &[String]) -> bool {
    words.iter().any(|word| word.chars().any(|c| c.is_ascii_digit()) || word.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_phrase_has_a_subject_and_knows_what_it_denies() {
        let phrase = Phrase::of("The staging database never runs on `./old`.");
        assert_eq!(phrase.written, ["staging", "database", "runs", "on", "./old"]);
        assert_eq!((phrase.subject().len(), phrase.denies), (2, true));
        assert!(Phrase::of("").subject().is_empty() && Phrase::of("C++, C# and C").words.contains(&"c++".to_owned()));
    }

    proptest! {
        #[test]
        fn any_two_phrases_can_be_compared(a in ".*", b in "([a-z]{1,4} ?){0,8}") {
            let (a, b) = (Phrase::of(&a), Phrase::of(&b));
            let _ = (a.says_otherwise(&b), b.says_otherwise(&a));
        }
    }
}
