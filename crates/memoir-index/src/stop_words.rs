//! The little words of each language: they carry no topic, and tell the language of a text. Folded and sorted.

use rust_stemmers::Algorithm;

/// A language that speech can be in.
pub(crate) struct Language {
    pub algorithm: Algorithm,
    pub stop_words: &'static [&'static str],
}

/// Every known language.
pub(crate) static LANGUAGES: [Language; 8] = [
    Language::new(Algorithm::English, &ENGLISH),
    Language::new(Algorithm::German, &GERMAN),
    Language::new(Algorithm::French, &FRENCH),
    Language::new(Algorithm::Spanish, &SPANISH),
    Language::new(Algorithm::Italian, &ITALIAN),
    Language::new(Algorithm::Portuguese, &PORTUGUESE),
    Language::new(Algorithm::Dutch, &DUTCH),
    Language::new(Algorithm::Russian, &RUSSIAN),
];

#[rustfmt::skip]
const ENGLISH: [&str; 214] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "aren",
    "arent", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can",
    "cannot", "cant", "could", "couldn", "couldnt", "d", "did", "didn", "didnt", "do", "does", "doesn", "doesnt",
    "doing", "don", "dont", "down", "during", "each", "even", "ever", "few", "for", "from", "further", "get", "got",
    "had", "hadn", "hadnt", "has", "hasn", "hasnt", "have", "haven", "havent", "having", "he", "hed", "her", "here",
    "hers", "herself", "hes", "him", "himself", "his", "how", "i", "id", "if", "ill", "im", "in", "into", "is", "isn",
    "isnt", "it", "its", "itself", "ive", "just", "kind", "let", "lets", "like", "ll", "m", "many", "may", "me",
    "might", "more", "most", "much", "must", "my", "myself", "no", "nor", "not", "now", "of", "off", "oh", "ok",
    "okay", "on", "once", "only", "or", "other", "our", "ours", "ourselves", "out", "over", "own", "please", "re",
    "really", "s", "same", "shall", "shan", "she", "shed", "shes", "should", "shouldn", "shouldnt", "so", "some",
    "such", "t", "than", "that", "thats", "the", "their", "theirs", "them", "themselves", "then", "there", "theres",
    "these", "they", "theyd", "theyll", "theyre", "theyve", "this", "those", "through", "to", "too", "under", "until",
    "up", "upon", "us", "ve", "very", "was", "wasn", "wasnt", "way", "we", "wed", "well", "were", "weren", "werent",
    "weve", "what", "whats", "when", "where", "which", "while", "who", "whom", "whos", "whose", "why", "will", "with",
    "won", "wont", "would", "wouldn", "wouldnt", "yeah", "yes", "yet", "you", "youd", "youll", "your", "youre",
    "yours", "yourself", "yourselves", "youve",
];

#[rustfmt::skip]
const GERMAN: [&str; 133] = [
    "aber", "alle", "als", "also", "am", "an", "auch", "auf", "aus", "bei", "bin", "bis", "bist", "da", "damit", "dann",
    "das", "dass", "dein", "dem", "den", "denn", "der", "des", "dich", "die", "dies", "diese", "diesem", "diesen",
    "dieser", "dieses", "dir", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es",
    "etwas", "euch", "fur", "gegen", "gibt", "habe", "haben", "hat", "hatte", "hatten", "hier", "ich", "ihm", "ihn",
    "ihr", "ihre", "im", "in", "ins", "ist", "ja", "jede", "jeder", "kann", "kein", "keine", "konnen", "macht", "man",
    "mehr", "mein", "meine", "mich", "mir", "mit", "muss", "mussen", "nach", "nicht", "noch", "nun", "nur", "ob",
    "oder", "ohne", "schon", "sehr", "sein", "seine", "sich", "sie", "sind", "so", "soll", "uber", "um", "und", "uns",
    "unser", "unsere", "unseren", "unserer", "unseres", "unter", "vom", "von", "vor", "war", "waren", "warum", "was",
    "welche", "welchem", "welchen", "welcher", "welches", "wenn", "werden", "wie", "wieder", "wir", "wird", "wo",
    "wurde", "wurden", "zu", "zum", "zur", "zwischen",
];

#[rustfmt::skip]
const FRENCH: [&str; 94] = [
    "ai", "alors", "au", "aussi", "aux", "avec", "avez", "avoir", "avons", "ca", "ce", "cela", "ces", "cet", "cette",
    "comme", "comment", "dans", "de", "des", "donc", "dont", "du", "elle", "elles", "en", "est", "et", "etaient",
    "etait", "ete", "etre", "eu", "faire", "fait", "il", "ils", "je", "la", "le", "les", "leur", "leurs", "lui", "ma",
    "mais", "me", "meme", "mes", "mon", "ne", "nos", "notre", "nous", "on", "ont", "ou", "par", "pas", "plus", "pour",
    "pourquoi", "qu", "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "sa", "sans", "se", "ses", "si",
    "sommes", "son", "sont", "sur", "ta", "te", "tes", "ton", "tous", "tout", "toute", "tres", "tu", "un", "une", "vos",
    "votre", "vous", "y",
];

#[rustfmt::skip]
const SPANISH: [&str; 87] = [
    "al", "algo", "como", "con", "cual", "cuales", "cuando", "cuantos", "de", "del", "desde", "donde", "el", "ella",
    "ellos", "en", "entre", "era", "eres", "es", "esa", "ese", "eso", "esos", "esta", "estaba", "estan", "este", "esto",
    "estos", "fue", "ha", "han", "hasta", "hay", "la", "las", "le", "les", "lo", "los", "mas", "me", "mi", "mis",
    "mucho", "muy", "ni", "no", "nos", "nosotros", "nuestra", "nuestro", "o", "otra", "otro", "para", "pero", "por",
    "porque", "que", "quien", "se", "sea", "ser", "si", "sin", "sobre", "son", "su", "sus", "tambien", "te", "tenemos",
    "tiene", "tienen", "todo", "todos", "tu", "tus", "un", "una", "uno", "unos", "y", "ya", "yo",
];

#[rustfmt::skip]
const ITALIAN: [&str; 75] = [
    "abbiamo", "ai", "al", "alla", "alle", "anche", "che", "chi", "ci", "come", "con", "da", "dal", "dalla", "degli",
    "dei", "del", "della", "delle", "di", "dove", "e", "ed", "era", "gli", "ha", "hanno", "ho", "il", "in", "io", "la",
    "le", "lo", "loro", "ma", "mi", "mia", "mio", "nei", "nel", "nella", "noi", "non", "nostra", "nostro", "o", "per",
    "perche", "piu", "quale", "quali", "quando", "quella", "quello", "questa", "questi", "questo", "siamo", "sono",
    "stato", "sua", "sulla", "suo", "te", "ti", "tra", "tu", "tutti", "tutto", "un", "una", "uno", "vi", "voi",
];

#[rustfmt::skip]
const PORTUGUESE: [&str; 75] = [
    "ao", "aos", "as", "ate", "com", "como", "da", "das", "de", "dela", "dele", "do", "dos", "e", "ela", "ele",
    "eles", "em", "entre", "era", "essa", "esse", "esta", "estao", "este", "eu", "foi", "ha", "isso", "isto", "ja",
    "lhe", "mais", "mas", "me", "mesmo", "meu", "minha", "muito", "na", "nao", "nas", "nem", "no", "nos", "nossa",
    "nosso", "num", "numa", "o", "onde", "os", "ou", "para", "pela", "pelo", "por", "porque", "qual", "quando", "que",
    "quem", "se", "sem", "ser", "seu", "seus", "sua", "suas", "tambem", "te", "tem", "um", "uma", "voce",
];

#[rustfmt::skip]
const DUTCH: [&str; 96] = [
    "aan", "al", "alles", "als", "altijd", "andere", "ben", "bij", "daar", "dan", "dat", "de", "der", "deze", "die",
    "dit", "doch", "doen", "door", "dus", "een", "en", "er", "ge", "geen", "had", "heb", "hebben", "heeft", "hem",
    "het", "hier", "hij", "hoe", "hun", "ik", "in", "is", "ja", "je", "kan", "kon", "kunnen", "maar", "me", "meer",
    "men", "met", "mij", "mijn", "moet", "na", "naar", "niet", "nog", "nu", "of", "om", "omdat", "onder", "ons",
    "ook", "op", "over", "reeds", "te", "tegen", "toch", "toen", "tot", "u", "uit", "uw", "van", "veel", "voor",
    "waarom", "want", "waren", "was", "wat", "we", "wel", "werd", "wie", "wij", "wil", "worden", "zal", "ze", "zich",
    "zij", "zijn", "zo", "zonder", "zou",
];

#[rustfmt::skip]
const RUSSIAN: [&str; 104] = [
    "а", "без", "более", "бы", "был", "была", "были", "было", "быть", "в", "вам", "вас", "весь", "во", "вот", "все",
    "всего", "всех", "вы", "где", "да", "даже", "для", "до", "его", "ее", "если", "есть", "еще", "же", "за", "здесь",
    "и", "из", "или", "им", "их", "к", "как", "какие", "какой", "ко", "когда", "кто", "ли", "либо", "мне", "может",
    "мы", "на", "надо", "наш", "наша", "наше", "наши", "не", "него", "нее", "нет", "ни", "них", "но", "ну", "о", "об",
    "однако", "он", "она", "они", "оно", "от", "очень", "по", "под", "почему", "при", "с", "сколько", "со", "так",
    "также", "такие", "такой", "там", "те", "тем", "то", "того", "тоже", "той", "только", "том", "ты", "у", "уже",
    "хотя", "чего", "чем", "что", "чтобы", "эта", "эти", "это", "я",
];
