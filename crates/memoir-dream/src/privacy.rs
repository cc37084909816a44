//! Whether a message asks that it be not kept: "do not save or repeat this: …", "bitte nicht speichern", 「これは保存しないで」.
//!
//! Such a wish is a run of words in which each plays a part: it denies, it is a verb of keeping, it points at what is said,
//! or it is polite. So "don't save it to disk" is none.

use crate::rules::{Sentence, begins, has, own_sentences};

/// Whole phrases that say it.
const PHRASES: &[&str] = &[
    "off the record",
    "just between us",
    "between you and me",
    "for your eyes only",
    "keep this between us",
    "keep this to yourself",
    "keep this confidential",
    "this is confidential",
    "behalte das für dich",
    "das bleibt unter uns",
    "entre nous",
    "que quede entre nosotros",
    "ここだけの話",
    "オフレコ",
    "内緒にして",
];

/// Words that deny.
const NOTS: &[&str] =
    &["not", "don't", "dont", "never", "nicht", "niemals", "weder", "ne", "n'", "pas", "jamais", "no", "ni", "nunca"];

/// Verbs that are said of memory.
const REMEMBERING: &[&str] =
    &["save", "store", "remember", "record", "memorize", "memorise", "retain", "persist", "repeat"];

/// Verbs that are said of much else: they take a text that follows.
const SHARING: &[&str] = &["keep", "share", "reuse", "log"];

/// The same in other languages, in the forms in which they are asked for.
const FOREIGN: &[&str] = &[
    "speichern",
    "speichere",
    "speicher",
    "abspeichern",
    "merken",
    "merk",
    "merke",
    "wiederholen",
    "wiederhole",
    "aufschreiben",
    "aufzeichnen",
    "weitergeben",
    "retiens",
    "retenez",
    "retenir",
    "enregistre",
    "enregistrez",
    "enregistrer",
    "sauvegarde",
    "sauvegardez",
    "sauvegarder",
    "mémorise",
    "mémorisez",
    "mémoriser",
    "répète",
    "répétez",
    "répéter",
    "garde",
    "gardez",
    "garder",
    "guardes",
    "guarde",
    "guardar",
    "recuerdes",
    "recuerde",
    "memorices",
    "memorice",
    "memorizar",
    "repitas",
    "repita",
    "repetir",
    "registres",
    "registre",
    "almacenes",
];

/// What points at what is said.
const POINTERS: &[&str] = &["this", "that", "it", "these", "those", "them", "any", "anything", "following"];
const FOREIGN_POINTERS: &[&str] = &[
    "das",
    "dies",
    "dieses",
    "diese",
    "es",
    "folgendes",
    "ça",
    "ceci",
    "cela",
    "cette",
    "ce",
    "le",
    "la",
    "l'",
    "esto",
    "eso",
    "este",
    "esta",
    "lo",
];

/// What it may be called, after a word that points at it.
const SAID: &[&str] = &[
    "value",
    "secret",
    "detail",
    "details",
    "information",
    "info",
    "message",
    "key",
    "password",
    "token",
    "conversation",
    "part",
    "data",
    "note",
    "number",
    "credential",
    "one",
    "anywhere",
    "anything",
    "content",
    "of",
    "nachricht",
    "wert",
    "passwort",
    "conversación",
    "mensaje",
    "información",
    "valeur",
];

/// What joins verbs, and what is polite.
const LITTLE: &[&str] = &[
    "do", "or", "and", "nor", "either", "please", "ever", "just", "oder", "und", "noch", "auch", "bitte", "dir", "du",
    "sollst", "ou", "et", "merci", "de", "veuillez", "s'il", "te", "vous", "plaît", "o", "y", "por", "favor",
];

/// Where it is not to be kept, which is where this is.
const IN_MEMORY: &[&str] = &[
    "in memory",
    "to memory",
    "in your memory",
    "to your memory",
    "in memoir",
    "in deinem gedächtnis",
    "en mémoire",
    "en memoria",
];

/// Before "do not remember this" these tell of somebody's memory, or of what a program does.
const SUBJECTS: &[&str] = &[
    "i", "we", "they", "he", "she", "it", "this", "that", "who", "which", "if", "when", "why", "because", "did",
    "does", "should", "could", "would", "will", "can", "must", "is", "are", "was", "ich", "wir", "je", "yo",
];

/// Words with which what is not to be kept begins, where no mark stands before it.
const STARTERS: &[&str] = &[
    "the", "my", "our", "their", "his", "her", "a", "an", "i", "we", "he", "she", "but", "because", "as", "der", "die",
    "mein", "meine", "unser", "unsere", "denn", "mon", "ma", "notre", "car", "mi", "nuestro", "nuestra", "porque",
];

/// Languages without blanks: what denies and keeps, what may go on after that, and what may stand around it.
const TIGHT: &[&str] = &[
    "不要保存",
    "不要记住",
    "不要记录",
    "不要储存",
    "不要存储",
    "不要重复",
    "不要复述",
    "请勿保存",
    "请勿记住",
    "请勿记录",
    "请勿重复",
    "勿保存",
    "别保存",
    "别记住",
    "别记录",
    "别重复",
    "保存しない",
    "記憶しない",
    "記録しない",
    "覚えない",
    "覚えておかない",
    "繰り返さない",
    "メモしない",
    "残さない",
];
const TIGHT_MORE: &[&str] = &["保存", "记住", "记录", "储存", "存储", "重复", "复述"];
const TIGHT_LITTLE: &[&str] = &[
    "请",
    "您",
    "你",
    "这个",
    "这条",
    "这些",
    "这",
    "此",
    "它",
    "以下",
    "消息",
    "信息",
    "内容",
    "句话",
    "也",
    "或者",
    "或",
    "和",
    "下来",
    "これ",
    "それ",
    "以下",
    "この",
    "メッセージ",
    "情報",
    "内容",
    "話",
    "件",
    "は",
    "を",
    "も",
    "や",
    "どうか",
    "絶対に",
    "保存したり",
    "記録したり",
    "覚えたり",
    "繰り返したり",
    "で",
    "ください",
    "下さい",
    "ね",
];

/// Marks that end a run of words.
const MARKS: &[char] =
    &[':', ',', ';', '.', '!', '?', '–', '—', '-', '(', ')', '：', '，', '、', '。', '；', '！', '？', '…'];
/// Marks after which a text follows.
const LEADING_ON: &[char] = &[':', '：', '–', '—', '-'];

/// A sentence that has no more words tells nothing.
const EMPTY_WORDS_MAX: usize = 2;

/// What a message wants kept out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Privacy {
    /// Nothing.
    #[default]
    Open,
    /// The message itself.
    Message,
    /// The message before it, too: there is nothing else in this one that could be meant.
    AndTheOneBefore,
}

/// Whether a message asks that nothing of it be kept.
pub fn wants_privacy(text: &str) -> bool {
    privacy_in(&own_sentences(text)) != Privacy::Open
}

/// What the sentences of a message want kept out.
pub(crate) fn privacy_in(sentences: &[Sentence]) -> Privacy {
    let (mut wishes, mut tells) = (false, false);
    for sentence in sentences {
        let beside = words_beside_wish(&sentence.lower);
        wishes |= beside.is_some();
        tells |= beside.unwrap_or_else(|| sentence.words()) > EMPTY_WORDS_MAX;
    }
    match (wishes, tells) {
        (false, _) => Privacy::Open,
        (true, true) => Privacy::Message,
        (true, false) => Privacy::AndTheOneBefore,
    }
}

/// How many words a sentence has beside its wish, if it has one.
fn words_beside_wish(lower: &str) -> Option<usize> {
    if has(lower, PHRASES) {
        // Such a phrase is mostly said of what follows.
        return Some(usize::MAX);
    }
    let words = words_of(lower);
    if let Some(run) = (0..words.len()).find_map(|at| wish_at(&words, at)) {
        return Some(words.iter().filter(|word| !word.text.is_empty()).count() - run);
    }
    let clauses = lower.split(|c: char| c.is_whitespace() || MARKS.contains(&c)).filter(|clause| !clause.is_empty());
    clauses
        .clone()
        .any(is_tight_wish)
        .then(|| clauses.filter(|clause| !is_tight_wish(clause)).map(|one| one.chars().count()).sum())
}

/// A word, and whether and which mark stands after it.
struct Word<'a> {
    text: &'a str,
    mark: Option<char>,
}

/// The words of a sentence; what is elided is a word of its own: `n'enregistre`.
fn words_of(lower: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for word in lower.split_whitespace() {
        let text = word.trim_matches(|c: char| MARKS.contains(&c) || matches!(c, '"' | '*' | '_'));
        if text.is_empty() {
            if let Some(last) = words.last_mut() {
                last.mark = last.mark.or(word.chars().next());
            }
            continue;
        }
        let mark = word.chars().next_back().filter(|c| MARKS.contains(c));
        let elided = ["n'", "l'"].into_iter().find(|short| text.starts_with(short) && text.len() > short.len());
        if let Some(short) = elided {
            words.push(Word { text: text.get(..short.len()).unwrap_or_default(), mark: None });
        }
        words.push(Word { text: text.get(elided.map_or(0, str::len)..).unwrap_or_default(), mark });
    }
    words
}

/// A run of words that begins here and is a wish: how many they are.
fn wish_at(words: &[Word<'_>], at: usize) -> Option<usize> {
    let is = |list: &[&str], word: &Word<'_>| list.contains(&word.text);
    let before = at.checked_sub(1).and_then(|before| words.get(before)).filter(|word| word.mark.is_none());
    let is_polite = words.get(at).is_some_and(|word| matches!(word.text, "please" | "bitte"));
    if before.is_some_and(|word| is(LITTLE, word) || is(NOTS, word) || (!is_polite && tells_of(words, at))) {
        return None;
    }
    let (mut denies, mut points, mut remembers, mut shares, mut is_foreign) = (false, false, false, false, false);
    let mut run: usize = 0;
    for word in words.get(at..)? {
        let is_foreign_verb = is(FOREIGN, word);
        if is_foreign_verb || (denies && is(REMEMBERING, word)) {
            (remembers, is_foreign) = (true, is_foreign || is_foreign_verb);
        } else if denies && is(SHARING, word) {
            shares = true;
        } else if is(NOTS, word) {
            denies = true;
        } else if is(FOREIGN_POINTERS, word) || (run > 0 && is(POINTERS, word)) {
            points = true;
        } else if !(is(LITTLE, word) || (points && is(SAID, word)) || (run > 0 && word.text == "the")) {
            break;
        }
        run += 1;
        if word.mark.is_some() {
            break;
        }
    }
    let last = words.get(at + run.checked_sub(1)?)?;
    let rest: Vec<&str> = words.get(at + run..)?.iter().map(|word| word.text).collect();
    let rest = rest.join(" ");
    let is_apart = last.mark.is_some()
        || rest.is_empty()
        || begins(&rest, IN_MEMORY).is_some()
        || (points && (begins(&rest, STARTERS).is_some() || last.text == "the"));
    let leads_on = last.mark.is_some_and(|mark| LEADING_ON.contains(&mark)) && !rest.is_empty();
    // "Nicht speichern" is said of what was said only where nothing else stands before it.
    let is_meant = points || leads_on || (is_foreign && (before.is_none() || is_polite));
    (denies && (remembers || (shares && leads_on)) && is_apart && is_meant).then_some(run)
}

/// Whether the words before a place make a story of what follows: "I do not remember this", "if you don't save it".
fn tells_of(words: &[Word<'_>], at: usize) -> bool {
    let word = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).map_or("", |word| word.text);
    let is_bare_not = words.get(at).is_some_and(|word| word.text == "not") && !matches!(word(1), "to" | "you");
    let is_condition = word(1) == "you" && matches!(word(2), "if" | "when" | "unless" | "why" | "do" | "did");
    SUBJECTS.contains(&word(1)) || is_bare_not || is_condition
}

/// The same in a language without blanks: nothing of the clause may be left over.
fn is_tight_wish(clause: &str) -> bool {
    let (mut rest, mut wishes) = (clause, false);
    while !rest.is_empty() {
        let begins_with =
            |list: &[&str]| list.iter().filter(|word| rest.starts_with(**word)).map(|word| word.len()).max();
        let (verb, more, little) =
            (begins_with(TIGHT), begins_with(TIGHT_MORE).filter(|_| wishes), begins_with(TIGHT_LITTLE));
        let Some(end) = verb.or(more).or(little) else { return false };
        wishes |= verb.is_some();
        rest = rest.get(end..).unwrap_or_default();
    }
    wishes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_message_that_is_not_to_be_kept_says_so_before_or_after_what_it_tells() {
        for said in [
            "Do not save or repeat this: the demo customer is Acme Corp.",
            "Please do not save or repeat this: the demo customer is Acme Corp.",
            "Do not save or repeat this, the demo customer is Acme Corp.",
            "Do not save or repeat this - the demo customer is Acme Corp.",
            "Do not save or repeat this — the demo customer is Acme Corp.",
            "Do not save or repeat this\nThe demo customer is Acme Corp.",
            "Do not save or repeat this the demo customer is Acme Corp.",
            "Do not save or repeat the following: the demo customer is Acme Corp.",
            "Don't save this: the demo customer is Acme Corp.",
            "Don't store or share this: the demo customer is Acme Corp.",
            "Don't share this: the demo customer is Acme Corp.",
            "Don't remember this: the demo customer is Acme Corp.",
            "Don\u{2019}t remember this: the demo customer is Acme Corp.",
            "The demo customer is Acme Corp, please do not remember this",
            "My pin is 4711 please don't store this value",
            "Could you please not save this in your memory? The pin is 4711.",
            "Please never store this value",
            "Don't remember that number",
            "Bitte weder speichern noch wiederholen: der Kunde ist Acme.",
            "Nicht speichern: der Kunde ist Acme.",
            "Merk dir das bitte nicht: der Kunde ist Acme.",
            "Das bitte nicht speichern, der Kunde ist Acme.",
            "Der Kunde ist Acme, bitte nicht speichern.",
            "Speichere diese Nachricht nicht. Der Kunde ist Acme.",
            "N'enregistre pas ceci : le client est Acme.",
            "Merci de ne pas enregistrer ni répéter cela, le client est Acme.",
            "Ne retiens pas ça: le client est Acme.",
            "No guardes ni repitas esto: el cliente es Acme.",
            "Por favor, no lo guardes: el cliente es Acme.",
            "请不要保存这条信息：客户是 Acme。",
            "不要保存或重复：客户是 Acme。",
            "これは保存しないでください：顧客はAcmeです。",
            "顧客はAcmeです。このメッセージは保存しないでください。",
            "Just between us: the demo customer is Acme Corp.",
        ] {
            assert!(wants_privacy(said), "{said}");
        }
    }

    #[test]
    fn what_is_not_said_of_the_message_itself_asks_for_no_privacy() {
        for said in [
            "Don't save it to disk",
            "Do not store keys in code",
            "Never store credentials from incident logs",
            "Don't save this file in the root folder",
            "Don't log this",
            "Don't repeat that mistake",
            "I do not remember this",
            "I don't remember that, what did we do?",
            "Why does the app not save this?",
            "The form does not store it.",
            "Save this and not that",
            "Bitte die Datei nicht speichern",
            "Speichere das Dokument nicht im Cache",
            "N'enregistre pas le fichier ici",
            "No guardes el archivo en disco",
            "不要保存文件到桌面",
            "ファイルを保存しないでください",
            "Write \"do not save or repeat this\" on the page",
        ] {
            assert!(!wants_privacy(said), "{said}");
        }
    }

    #[test]
    fn a_wish_alone_is_said_of_the_message_before() {
        let privacy = |text: &str| privacy_in(&own_sentences(text));
        for said in [
            "Don't save or repeat that.",
            "Oh, please do not remember this.",
            "Bitte nicht speichern.",
            "これは保存しないでください",
        ] {
            assert_eq!(privacy(said), Privacy::AndTheOneBefore, "{said}");
        }
        for said in ["The pin is 4711. Don't save that.", "Don't save this: the pin is 4711", "Off the record"] {
            assert_eq!(privacy(said), Privacy::Message, "{said}");
        }
    }

    proptest! {
        #[test]
        fn any_message_can_be_asked(text in ".*", wish in "((do|n'|l'|not|save|this|-|:|no|不要保存|これ) ?){0,9}.*") {
            let _ = (wants_privacy(&text), wants_privacy(&wish));
        }
    }
}
