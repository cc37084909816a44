//! A text word by word: what is a word, what is written like a name, where a clause ends. Short forms are written out,
//! and what other languages say with little words is put into the grammar of one.

use crate::tongues::{in_english, spaced};
use memoir_index::name_stem;

/// Words that deny.
pub(crate) const DENIALS: [&str; 6] = ["not", "no", "never", "cannot", "stop", "avoid"];

/// What was asked for and is no more.
const NO_LONGER: [&str; 8] = [
    "it's no longer true that ",
    "it is no longer true that ",
    "you no longer need to ",
    "you no longer have to ",
    "we no longer need to ",
    "we no longer have to ",
    "you no longer ",
    "we no longer ",
];

/// The same around what it says.
const NOT_ANY_MORE: [&str; 9] = [
    "you don't need to ",
    "you do not need to ",
    "you don't have to ",
    "you do not have to ",
    "we don't need to ",
    "we don't have to ",
    "no need to ",
    "we don't ",
    "we do not ",
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

/// Words at the end that only say that it is so by now.
const BY_NOW: [&str; 3] = [" now", " again", " these days"];

/// Little words that tell English from other languages.
const ENGLISH: [&str; 33] = [
    "the", "a", "an", "we", "our", "is", "are", "to", "of", "for", "in", "on", "at", "with", "use", "not", "never",
    "always", "and", "that", "was", "be", "must", "should", "please", "now", "i", "it", "from", "by", "as", "my",
    "longer",
];

/// Short names and the words that they stand for.
const SHORT: [(&str, &str); 8] = [
    ("db", "database"),
    ("prod", "production"),
    ("k8s", "kubernetes"),
    ("env", "environment"),
    ("repo", "repository"),
    ("config", "configuration"),
    ("postgresql", "postgres"),
    ("golang", "go"),
];

/// Words that are written short before a name: their mark ends nothing.
const TITLES: [&str; 6] = ["dr", "mr", "mrs", "ms", "prof", "st"];

/// What the word before an apostrophe and what is after it say.
const ENDINGS: [(&str, &str); 6] =
    [("n't", "not"), ("'re", "are"), ("'m", "am"), ("'ll", "will"), ("'ve", "have"), ("'d", "")];
const UNMARKED: [(&str, &str); 8] = [
    ("dont", "do"),
    ("doesnt", "does"),
    ("didnt", "did"),
    ("isnt", "is"),
    ("arent", "are"),
    ("wont", "will"),
    ("cant", "can"),
    ("shouldnt", "should"),
];

/// One word, or what stands in code marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// In small letters, without the marks around it.
    pub text: String,
    /// As it is compared.
    pub key: String,
    /// Whether it is written like a name: with a capital, a digit, a mark inside, or as code.
    pub is_name: bool,
}

impl Word {
    fn new(text: &str, is_name: bool) -> Word {
        Word { key: compared(text), text: text.to_owned(), is_name }
    }

    /// A word that only joins others.
    pub fn little(text: &str) -> Word {
        Word::new(text, false)
    }

    pub fn is(&self, list: &[&str]) -> bool {
        list.contains(&self.text.as_str())
    }

    /// Whether it ends a clause.
    pub fn is_mark(&self) -> bool {
        self.is(&[",", ";", ":", "."])
    }
}

/// The words of a text, and marks between its clauses.
pub(crate) fn words_of(text: &str) -> Vec<Word> {
    let text = spaced(&text.replace(['’', '‘'], "'"));
    let is_code_paired = text.matches('`').count().is_multiple_of(2);
    let mut words: Vec<Word> = Vec::new();
    for (at, part) in text.split('`').enumerate() {
        if is_code_paired && at % 2 == 1 {
            let code = part.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            if !code.is_empty() {
                words.push(Word::new(&code, true));
            }
        } else {
            add_plain(part, &mut words);
        }
    }
    in_one_grammar(&words)
}

fn add_plain(part: &str, words: &mut Vec<Word>) {
    let mut raws = part.split_whitespace().peekable();
    while let Some(raw) = raws.next() {
        let begins = words.last().is_none_or(Word::is_mark);
        if matches!(raw, "-" | "–" | "—" | "--") {
            words.push(Word::new(";", false));
            continue;
        }
        if matches!(raw, "->" | "→" | "=>") {
            words.push(Word::new("to", false));
            continue;
        }
        let bare = bare(raw);
        if let Some((name, value)) = bare.split_once('=').filter(|(name, value)| is_identifier(name) && is_set(value)) {
            words.push(Word::new(&name.to_lowercase(), true));
            words.push(Word::new("is", false));
            add_word(value, false, words);
        } else if bare == "=" {
            words.push(Word::new("is", false));
        } else if let Some(name) =
            bare.strip_suffix("'s").filter(|_| raws.peek().is_some_and(|next| begins_number(next)))
        {
            // "The port's 9090."
            add_word(name, begins, words);
            words.push(Word::new("is", false));
        } else if !bare.is_empty() {
            add_word(bare, begins, words);
        }
        if TITLES.contains(&bare.to_lowercase().as_str()) {
            continue;
        }
        let end = raw.trim_end_matches(['"', '\'', ')', ']', '”', '*']);
        let mark = match end.chars().next_back().filter(|_| !bare.ends_with(':')) {
            Some(',' | '，') => ",",
            Some(';' | '；') => ";",
            Some(':' | '：') => ":",
            Some('.' | '!' | '?' | '。' | '！' | '？') => ".",
            _ => continue,
        };
        words.push(Word::new(mark, false));
    }
}

fn add_word(bare: &str, begins: bool, words: &mut Vec<Word>) {
    let lower = bare.to_lowercase();
    let mut inside = bare.chars();
    let first = inside.next().unwrap_or_default();
    let has_capital = inside.clone().any(char::is_uppercase) && bare.chars().any(char::is_lowercase);
    let is_shouted = bare.len() >= 2 && !bare.chars().any(char::is_lowercase) && bare.chars().any(char::is_uppercase);
    let is_marked = inside.any(|c| matches!(c, '/' | '.' | ':' | '_' | '@' | '+' | '#')) || bare.contains('/');
    let has_digit = bare.chars().any(|c| c.is_ascii_digit());
    let is_name =
        (first.is_uppercase() && !begins && lower != "i") || has_capital || is_shouted || is_marked || has_digit;
    if let Some((_, base)) = UNMARKED.iter().find(|(word, _)| *word == lower) {
        words.extend([Word::new(base, false), Word::new("not", false)]);
        return;
    }
    let short = ENDINGS.iter().find_map(|(end, says)| Some((lower.strip_suffix(end)?, *says)));
    let short = short.or_else(|| {
        let base = lower.strip_suffix("'s")?;
        let is_verb = matches!(base, "it" | "that" | "there" | "here" | "what" | "he" | "she" | "let");
        Some((base, if is_verb && base != "let" { "is" } else { "" }))
    });
    match short.filter(|(base, _)| !base.is_empty()) {
        Some((base, says)) => {
            let base = match (base, says) {
                ("ca", "not") => "can",
                ("wo", "not") => "will",
                _ => base,
            };
            words.push(Word::new(base, is_name && says.is_empty()));
            words.extend((!says.is_empty()).then(|| Word::new(says, false)));
        }
        None => {
            for (at, part) in parts(&lower).enumerate() {
                words.push(Word::new(part, is_name && at + 1 == parts(&lower).count()));
            }
        }
    }
}

/// `l'API` and `n'utilisons` are two words.
fn parts(lower: &str) -> impl Iterator<Item = &str> {
    let split = lower.split_once('\'').filter(|(first, rest)| {
        matches!(*first, "l" | "d" | "n" | "j" | "qu" | "s") && rest.chars().next().is_some_and(char::is_alphabetic)
    });
    let (first, rest) = split.map_or((lower, None), |(first, rest)| (first, Some(rest)));
    std::iter::once(first).chain(rest)
}

fn in_one_grammar(words: &[Word]) -> Vec<Word> {
    let lower: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
    let put = in_english(&lower);
    let word = |(text, from): (String, Option<usize>)| match from.and_then(|at| words.get(at)) {
        Some(word) if word.text == text => word.clone(),
        _ => Word::new(&text, false),
    };
    put.into_iter().map(word).collect()
}

/// Whether it is a little word of English.
pub(crate) fn is_little(lower: &str) -> bool {
    ENGLISH.contains(&lower)
}

/// Whether a text denies what it says.
pub(crate) fn denies(text: &str) -> bool {
    words_of(text).iter().any(|word| word.is(&DENIALS))
}

/// What a text in small letters lifts, and whether that does not hold then: what was asked for, as in "you no longer need to
/// …", or what was forbidden, as in "it's fine to …".
pub(crate) fn lifts(lower: &str) -> Option<(&str, bool)> {
    let lower = lower.trim().trim_end_matches(['.', '!']);
    let after = |list: &[&str]| list.iter().find_map(|words| lower.strip_prefix(words));
    if let Some(named) = ends_rule(lower) {
        return Some((named, false));
    }
    let by_now = |text| BY_NOW.iter().find_map(|words| str::strip_suffix(text, words)).unwrap_or(text);
    if let Some(rest) = after(&ALLOWED) {
        let rest = by_now(rest.strip_prefix("now ").unwrap_or(rest));
        return Some((rest, denies(rest)));
    }
    if let Some(rest) = IS_ALLOWED.iter().find_map(|words| by_now(lower).strip_suffix(words)) {
        return Some((by_now(rest), denies(rest)));
    }
    let any_more = || {
        let rest = after(&NOT_ANY_MORE)?;
        ANY_MORE.iter().find_map(|words| rest.strip_suffix(words))
    };
    after(&NO_LONGER).or_else(any_more).map(|rest| (rest, !denies(rest)))
}

/// What a text in small letters says is forbidden no more, or is no rule any more: "we no longer ban …", "the … rule is off".
pub(crate) fn ends_rule(lower: &str) -> Option<&str> {
    const BANNING: [&str; 5] = ["ban ", "forbid ", "avoid ", "prohibit ", "disallow "];
    const OFF: [&str; 9] = [
        " rule no longer applies",
        " rule is off",
        " rule is gone",
        " rule is history",
        " rule is no longer in force",
        " rule was dropped",
        " rule has been dropped",
        " rule doesn't apply anymore",
        " rule doesn't apply any more",
    ];
    const DROPPED: [&str; 3] = ["we dropped the ", "we lifted the ", "they dropped the "];
    let lower = lower.trim().trim_end_matches(['.', '!']);
    let any_more = |rest| ANY_MORE.iter().find_map(|words| str::strip_suffix(rest, words));
    let unasked = NO_LONGER.iter().find_map(|words| lower.strip_prefix(words));
    let unasked =
        unasked.or_else(|| NOT_ANY_MORE.iter().find_map(|words| lower.strip_prefix(words)).and_then(any_more));
    let allowed = unasked.and_then(|rest| BANNING.iter().find_map(|ban| rest.strip_prefix(ban)));
    let off = || {
        let named = OFF.iter().find_map(|off| lower.strip_suffix(off));
        let dropped = || DROPPED.iter().find_map(|lead| lower.strip_prefix(lead))?.strip_suffix(" rule");
        named.or_else(dropped).map(|named| named.strip_prefix("the ").unwrap_or(named))
    };
    allowed.or_else(off).filter(|named| !named.is_empty() && !matches!(*named, "this" | "that"))
}

/// A word without the marks around it; what belongs to a name stays: `./ship`, `C++`.
fn bare(word: &str) -> &str {
    let word = word.trim_end_matches([
        '.', ',', ';', ':', '!', '?', '"', '\'', ')', ']', '”', '*', '。', '，', '！', '？', '；', '：',
    ]);
    let word = word.trim_start_matches(['"', '\'', '(', '[', ',', '“', '*']);
    if word.starts_with("./") || word.starts_with("../") { word } else { word.trim_start_matches('.') }
}

fn is_identifier(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || "_.-".contains(c))
}

fn is_set(value: &str) -> bool {
    !value.is_empty() && !value.starts_with('=')
}

fn begins_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// What a short name stands for.
fn written_out(word: &str) -> Option<&'static str> {
    SHORT.iter().find(|(short, _)| *short == word).map(|(_, long)| *long)
}

/// A word as it is compared: its stem, unless it is exact.
pub(crate) fn compared(word: &str) -> String {
    let word = written_out(word).unwrap_or(word);
    let is_exact = word.contains(['+', '#', '/', '.', ':', ' ']) || word.chars().any(|c| c.is_ascii_digit());
    let exact = || word.trim_end_matches('/').to_owned();
    if is_exact { exact() } else { name_stem(word).unwrap_or_else(|| word.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        words_of(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_text_is_words_names_and_marks() {
        assert_eq!(
            texts("We don't use `make deploy`, it's ./ship."),
            ["we", "do", "not", "use", "make deploy", ",", "it", "is", "./ship", "."]
        );
        assert_eq!(texts("DB_PORT=5433 on staging"), ["db_port", "is", "5433", "on", "staging"]);
        assert_eq!(texts("nous n'utilisons plus npm"), ["we", "use", "no", "longer", "npm"]);
        let names = words_of("The API of GitHub is Mara's, see src/a.rs and v2 then");
        let names: Vec<&str> = names.iter().filter(|word| word.is_name).map(|word| word.text.as_str()).collect();
        assert_eq!(names, ["api", "github", "mara", "src/a.rs", "v2"]);
    }

    #[test]
    fn what_is_lifted_is_told_with_whether_it_holds() {
        for (text, lifted) in [
            ("you can use lodash again.", Some(("use lodash", false))),
            ("it's fine to push to main on fridays now", Some(("push to main on fridays", false))),
            ("pushing to main directly is okay now", Some(("pushing to main directly", false))),
            ("we don't run make lint before pushing anymore", Some(("run make lint before pushing", true))),
            ("you no longer need to run tests", Some(("run tests", true))),
            ("run the tests", None),
        ] {
            assert_eq!(lifts(text), lifted, "{text}");
        }
    }
}
