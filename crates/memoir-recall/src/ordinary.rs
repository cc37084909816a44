//! Words that are in everybody's mouth: as a name one of them tells little, and a request that has nothing else asks
//! nothing.

use crate::when::When;
use jiff::tz::TimeZone;
use memoir_index::{is_little, name_stem};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that most requests to an agent are made of, whatever they are about: what one does, where, with what, how.
const EVERYDAY: &str = "
    able accept access account action actual add admin age air allow answer app apply area arm art ask assign attach avoid
    away back bad ball bar base basic bear begin best better big bill bind bit black blank block blue board body book
    boost border bottom bound box branch break bridge bring broken browser brush bug build bump bundle bus button buy
    cache call camera cancel card care carry case cast catch cause cell center chain chance change channel char charge
    chart chat cheap check child choice choose city claim class clean clear click client clock clone close cloud code
    coin cold collapse collect color column combine come command comment commit common company compare complete compress
    compute concept config confirm connect console contain content context continue control convert cook cool copy core
    correct cost count country couple course cover crash create cross cup current custom cut dark dash data date day deal
    debug decide deep default define delete depend design detail dev develop dial different direct disable display do
    doc document dog dot double doubt down draft drag draw dream dress drive drop dry duplicate early east easy echo edge
    edit effect element else email empty enable end endpoint engine enter entire entry equal error escape event example
    exit expand expect explain export express extend extra extract eye face fact fade fail fall false fast favor feature
    feed feel fetch field figure file fill filter final find fine finish fire first fish fit fix flag flash flat flip
    float flow flush fly focus folder follow font food foot force fork form format forward frame free fresh friend front
    full function game gap gate gather general get give glass global go good grab gray great green grid ground group grow
    guard guess guide gulp hack half hand handle hang happen happy hard hash head header health hear heart heat heavy
    height hello help hidden hide high highlight hint hit hold home hook hope horse host hot hour house hover human hurry
    icon idea ignore image import improve include increase indent index info initial inject input insert inside install
    instance instead invoice issue item job join jump keep key kick kind know label lambda land language large last late
    launch law layer layout lazy lead leak learn leave left length less letter level library life lift light like limit
    line link lint list listen little live load local lock log login long look loop lose lost love low machine mail main
    maintain make manage map march mark marketing master match mean measure meet member memory menu merge message method
    migrate mind minute mirror miss mix mode model modern module money month mouse move much name native near need nest
    network new news next nice night node noise normal note notice number object offer office offset old open operate
    option orange order output outside overflow own pack package page paint pair panel paper parent parse part party pass
    past paste patch path pause pay people pick picture piece pin pipe place plain plan plane play please plug plus point
    pool poor pop port position possible post power prefer prefix prepare present press prevent previous price print
    private problem process produce product profile program project promise prompt proper protect prove public pull push
    put quality query question queue quick quiet quit race raise random range rank rate reach read ready real
    reason receive recent record red reduce redirect refactor refresh regular reject relate release remember remove
    rename render repair repeat replace reply repo report request require reset resize resolve response rest restart
    result retry return review rewrite rid right ring rise road rock role roll room root rotate round route row rule run
    rust safe sail sample save say scale scan schedule scene school science scope score screen script scroll search second
    section secure see seed select self sell send sense separate serve server service session set setting setup shadow
    shake shape share sharp shell shift ship shop short show shut side sign signal simple single sit site size skip sleep
    slice slide slow small smart smooth snap sort sound source space speak special speed spell spend split spot spread
    spring square stack staff stage stamp stand standard star start state static status stay step stick still stop store
    story strange stream street string strip stripe strong structure stuff style sub submit success sudden suggest sum
    summer super support sure surface swap sweet swift switch sync system tab table tag take talk target task teach team
    tell template term test text thank theme thing think third thread throw ticket tidy time tip title today together
    toggle token tomorrow tool tooltip top topic total touch trace track trade train transfer translate travel tree trial
    trick trigger trim trip true trust try tune turn tweak twist type under understand undo union unit unknown unlock
    update upgrade upload upper use user usual valid validate value variable variant vault verify version view visit voice
    vote wait walk wall want warm warn wash watch water wave weak web week weight west whale wheel white whole wide width
    wild win wind window wipe wire wish word work world worry wrap write wrong yard year yellow young zero zone zoom
    api cli css db html http id ide io json os pdf pr qa sdk sql ui url ux xml yaml
";

/// Words that a question is framed with: `what do we use for …?` asks about what follows.
const FRAMING: &str =
    "use need have do go get take make handle keep choose live put find long big large often far fast";

/// Words that begin a question, in several languages.
const ASKING: [&str; 24] = [
    "what", "what's", "which", "who", "whose", "where", "when", "why", "how", "is", "are", "do", "does", "did", "wie",
    "was", "welche", "wo", "warum", "comment", "quel", "quelle", "como", "donde",
];

/// Words by which a conversation is kept going: to agree, to thank, to go on, to look once more. In several languages.
const STEERING: &str = "
    absolutely actually again agree agreed ahead alright already also amazing answer anyway apologies approve approved ask
    awesome back begin better bit brilliant bye carry check cheers confirm confirmed continue cool correct
    definitely do doing done double else exactly excellent explain fair far fine finish first fix forward further give go
    going good goodbye got gotcha great guess happy hello hey hi hmm hope idea interesting keep kindly
    know lgtm look looks lot love luck maybe mean mind moment more morning much need neat next nice nope nothing
    noted nvm opinion perfect please pleasure possible proceed quick ready redo repeat retry right same say see
    seem sense sir something somehow soon sorry sound splendid still suggest suggestion sure
    swell tell thank thanks then there thing think thought thx time together tomorrow too totally try     ty understand understood wait want well whatever wonderful worry wow wrong yay yea yep yes yup
    anything everything stuff now later instead quite pretty little minute second once twice one two three
    weiter bitte danke gut genau mach machen nochmal prima passt klar fertig los okay super richtig stimmt sieht schau
    denkst meinst hilfe ja nein naechste nachste
    continue continuez merci oui non bien parfait vas suivant encore penses accord super fais verifie
    gracias sigue adelante perfecto vale bueno claro continua siguiente otra vez piensas revisa hazlo si
    avanti grazie perfetto bene ancora va prossimo obrigado obrigada continue ótimo otimo bom certo de novo
    ga verder dank goed prima doe
    дальше продолжай продолжи спасибо хорошо отлично давай еще раз снова проверь думаешь понятно ладно ок супер
";

/// The same in scripts without spaces, where a message says it as a whole.
const STEERING_RUNS: &str = "
    继续 好的 好 谢谢 可以 没问题 下一步 下一个 再试一次 再试 请继续 是的 对 不错 很好 看起来不错 你觉得呢 你怎么看 再检查一下 再检查一次 行 嗯
    続けて 続けてください 次 次へ はい ありがとう ありがとうございます いいね いいですね もう一度 もう一度確認して お願いします どう思う どう思いますか 了解
    계속 계속해 계속해줘 네 고마워 감사합니다 좋아 좋아요 다음 다시 확인해줘
";

/// What has fewer letters and digits says nothing.
const SAID_CHARS_MIN: usize = 2;

static FRAMING_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FRAMING.split_whitespace().collect());
static EVERYDAY_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| EVERYDAY.split_whitespace().collect());
static STEERING_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STEERING.split_whitespace().collect());

/// Whether a word, by its stem, is one of those that any request may have.
pub(crate) fn is_everyday(stem: &str) -> bool {
    has(&EVERYDAY_WORDS, stem)
}

/// Whether a word, by its stem, only keeps a conversation going.
pub(crate) fn is_steering(stem: &str) -> bool {
    has(&STEERING_WORDS, stem)
}

/// Whether a word, by its stem, only frames a question.
pub(crate) fn is_framing(stem: &str) -> bool {
    has(&FRAMING_WORDS, stem)
}

/// Whether somebody wants to be told something.
pub(crate) fn is_asked(query: &str) -> bool {
    let mut words = query.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    let begins = words.next().is_some_and(|word| ASKING.contains(&word.to_lowercase().as_str()));
    begins || query.trim_end().ends_with(['?', '？'])
}

/// Whether a request is an order that names nothing of its own: `run the tests`, `fix the lint errors`. What it means is
/// where it is given, and nowhere else.
pub fn orders_the_usual(query: &str) -> bool {
    let words = || query.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    let is_usual = |word: &str| {
        let bare = word.split(['\'', '\u{2019}']).next().unwrap_or(word);
        is_little(bare) || name_stem(bare).is_none_or(|stem| is_everyday(&stem) || is_steering(&stem))
    };
    !is_asked(query) && words().next().is_some() && words().all(is_usual)
}

/// Whether a list has a word of that stem. Lists are words as they are written, for stemming a list takes longer than a
/// question has: a stem is a word, or lacks its last letter.
fn has(words: &HashSet<&str>, stem: &str) -> bool {
    words.contains(stem)
        || words.contains(format!("{stem}e").as_str())
        || stem.strip_suffix('i').is_some_and(|stem| words.contains(format!("{stem}y").as_str()))
}

/// Whether a request asks nothing that could be known: it only keeps the conversation going.
///
/// `thanks`, `looks good`, `what do you think?`: what it is about was said just before, and nowhere else.
pub fn asks_nothing(query: &str) -> bool {
    let words = || query.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
    let is_nothing = |word: &str| {
        let bare = word.split(['\'', '\u{2019}']).next().unwrap_or(word);
        STEERING_RUNS.split_whitespace().any(|run| run == word)
            || STEERING_WORDS.contains(bare.to_lowercase().as_str())
            || is_little(bare)
            || name_stem(bare).is_none_or(|stem| is_steering(&stem))
    };
    words().next().is_some() && words().all(is_nothing) && {
        let when = When::of(query, 1, &TimeZone::UTC);
        when.is_open() && when.end.is_none()
    }
}

/// Whether nobody learns anything from it: `thanks`, `go on`, `1`.
pub(crate) fn says_nothing(said: &str) -> bool {
    asks_nothing(said) || said.chars().filter(|c| c.is_alphanumeric()).count() < SAID_CHARS_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_known_in_all_their_forms() {
        for word in ["services", "making", "releases", "queries", "ran", "copies", "changed", "testing", "Tests", "API"]
        {
            let is_known = name_stem(word).is_some_and(|stem| is_everyday(&stem));
            assert_eq!(is_known, word != "ran", "{word}");
        }
        assert!(!is_everyday("kubernet") && !is_everyday("deploy") && !is_everyday("redi"));
    }

    #[test]
    fn a_request_that_only_keeps_the_conversation_going_asks_nothing() {
        for query in [
            "please go on",
            "what do you think?",
            "next",
            "looks good",
            "looks good to me, thanks!",
            "continue",
            "can you check again",
            "thanks",
            "Yes, do it.",
            "ok go ahead",
            "try again please",
            "Great, what's next?",
            "that's right",
            "sounds good, let's do that",
            "mach weiter bitte",
            "продолжай",
            "继续",
            "どう思う？",
        ] {
            assert!(asks_nothing(query), "{query}");
        }
    }

    #[test]
    fn an_order_that_names_nothing_of_its_own_is_told_from_one_that_does_and_from_a_question() {
        for order in ["commit this", "run the tests", "fix the lint errors", "please update the docs and push", "go on"]
        {
            assert!(orders_the_usual(order), "{order}");
        }
        for other in ["", "run the walrus tests", "how do we run the tests?", "which tests run", "deploy to staging"] {
            assert!(!orders_the_usual(other), "{other}");
        }
    }

    #[test]
    fn a_request_that_names_anything_asks_something() {
        for query in [
            "",
            "how do we deploy?",
            "deploy",
            "what did we do yesterday?",
            "what was the last thing we did?",
            "check the login again",
            "k8s?",
            "go on with the parser",
            "what do you think of pnpm?",
            "what does make do?",
            "404",
            "部署",
        ] {
            assert!(!asks_nothing(query), "{query}");
        }
    }
}
