//! The words of which a wish for privacy is made.

/// Whole clauses that say it.
pub(super) const PHRASES: &[&str] = &[
    "off the record",
    "just between us",
    "between you and me",
    "for your eyes only",
    "keep this between us",
    "keep this to yourself",
    "keep this confidential",
    "this is confidential",
    "strictly confidential",
    "treat this as confidential",
    "treat that as confidential",
    "behalte das für dich",
    "das bleibt unter uns",
    "entre nous",
    "que quede entre nosotros",
    "ここだけの話",
    "オフレコ",
    "内緒にして",
];

/// What may stand before such a phrase and makes a clause of it.
pub(super) const PHRASE_LEADS: &[&str] = &[
    "this is",
    "that is",
    "that's",
    "it's",
    "it is",
    "that was",
    "this was",
    "all of this is",
    "all this is",
    "this session is",
    "this conversation is",
    "this chat is",
    "this message is",
    "this part is",
    "what i told you is",
    "what i said is",
    "keep this",
    "keep it",
    "keep that",
    "can you",
    "could you",
    "would you",
    "can we",
    "could we",
    "let's",
    "i want to",
    "i'd like to",
    "strictly",
    "completely",
];

/// Words that deny.
pub(super) const NOTS: &[&str] =
    &["not", "don't", "dont", "never", "nicht", "niemals", "weder", "ne", "n'", "pas", "jamais", "no", "ni", "nunca"];

/// Verbs that are said of memory.
pub(super) const REMEMBERING: &[&str] =
    &["save", "store", "remember", "record", "memorize", "memorise", "retain", "persist", "repeat"];

/// Of these the verbs that nobody says of a file.
pub(super) const MINDING: &[&str] = &[
    "remember",
    "memorize",
    "memorise",
    "merken",
    "merk",
    "merke",
    "retiens",
    "retenez",
    "retenir",
    "mémorise",
    "mémorisez",
    "mémoriser",
    "recuerdes",
    "recuerde",
    "memorices",
    "memorice",
    "memorizar",
];

/// Verbs of telling others: beside a verb of keeping they leave no doubt of what is meant.
pub(super) const TELLING: &[&str] = &[
    "repeat",
    "share",
    "wiederholen",
    "wiederhole",
    "weitergeben",
    "répète",
    "répétez",
    "répéter",
    "repitas",
    "repita",
    "repetir",
];

/// Verbs that are said of much else: they take a text that follows.
pub(super) const SHARING: &[&str] = &["keep", "share", "reuse", "log"];

/// The same in other languages, in the forms in which they are asked for.
pub(super) const FOREIGN: &[&str] = &[
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
pub(super) const POINTERS: &[&str] = &["this", "that", "it", "these", "those", "them", "any", "anything", "following"];
pub(super) const FOREIGN_POINTERS: &[&str] = &[
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
pub(super) const SAID: &[&str] = &[
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

/// Of these the words that call what was said, and no thing.
pub(super) const SPOKEN: &[&str] = &[
    "message",
    "conversation",
    "secret",
    "information",
    "info",
    "detail",
    "details",
    "nachricht",
    "conversación",
    "mensaje",
    "información",
];

/// What was said, called by that.
pub(super) const BACK: &[&str] = &[
    "what i",
    "what we",
    "anything i",
    "anything we",
    "everything i",
    "everything we",
    "whatever i",
    "my last",
    "my previous",
    "the last",
    "the previous",
    "was ich",
    "was wir",
    "ce que",
    "lo que",
];
/// One of these must stand in it.
pub(super) const SPEAKING: &[&str] = &[
    "told",
    "tell",
    "said",
    "say",
    "wrote",
    "mentioned",
    "shared",
    "discussed",
    "talked",
    "message",
    "messages",
    "prompt",
    "gesagt",
    "geschrieben",
    "erzählt",
    "besprochen",
    "dit",
    "dire",
    "écrit",
    "dije",
    "dicho",
    "conté",
];

/// What joins verbs, and what is polite.
pub(super) const LITTLE: &[&str] = &[
    "do", "or", "and", "nor", "either", "please", "ever", "just", "oder", "und", "noch", "auch", "bitte", "dir", "du",
    "sollst", "ou", "et", "merci", "de", "veuillez", "s'il", "te", "vous", "plaît", "o", "y", "por", "favor",
];

/// Who is not to hear it.
pub(super) const NOBODY: &[&str] = &[
    "to anyone",
    "to anybody",
    "to others",
    "to anyone else",
    "to anybody else",
    "with anyone",
    "with anybody",
    "with others",
    "with anyone else",
    "with anybody else",
    "anywhere",
    "anywhere else",
    "an niemanden",
    "à personne",
    "a nadie",
];

/// Where it is not to be kept, which is where this is.
pub(super) const IN_MEMORY: &[&str] = &[
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
pub(super) const SUBJECTS: &[&str] = &[
    "i", "we", "they", "he", "she", "it", "this", "that", "who", "which", "if", "when", "why", "because", "did",
    "does", "should", "could", "would", "will", "can", "must", "is", "are", "was", "ich", "wir", "je", "yo",
];

/// Words with which what is not to be kept begins, where no mark stands before it.
pub(super) const STARTERS: &[&str] = &[
    "the", "my", "our", "their", "his", "her", "a", "an", "i", "we", "he", "she", "but", "because", "as", "der", "die",
    "mein", "meine", "unser", "unsere", "denn", "mon", "ma", "notre", "car", "mi", "nuestro", "nuestra", "porque",
];

/// Languages without blanks: what denies and keeps, what may go on after that, and what may stand around it.
pub(super) const TIGHT: &[&str] = &[
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
pub(super) const TIGHT_MORE: &[&str] = &["保存", "记住", "记录", "储存", "存储", "重复", "复述"];
pub(super) const TIGHT_LITTLE: &[&str] = &[
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

/// Parts of such a clause that leave no doubt.
pub(super) const TIGHT_SURE: &[&str] = &[
    "记住",
    "重复",
    "复述",
    "消息",
    "信息",
    "内容",
    "句话",
    "メッセージ",
    "情報",
    "内容",
    "話",
    "記憶",
    "覚え",
    "繰り返",
];

/// Marks that end a run of words.
pub(super) const MARKS: &[char] =
    &[':', ',', ';', '.', '!', '?', '–', '—', '-', '(', ')', '：', '，', '、', '。', '；', '！', '？', '…'];
/// Marks after which a text follows.
pub(super) const LEADING_ON: &[char] = &[':', '：', '–', '—', '-'];
