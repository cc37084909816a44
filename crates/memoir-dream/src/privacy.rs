//! Whether a message asks that it be not kept: "do not save or repeat this: …", "bitte nicht speichern", 「これは保存しないで」.
//!
//! Such a wish costs a record, so it must be beyond doubt: a clause that is nothing but the wish. "Don't save this" is also
//! said of files; it is a wish where it stands alone, or beside something that is told, and not beside work that is to be
//! done.

mod matter;
mod run;
mod words;

use crate::rules::{Sentence, begins, own_sentences};
pub(crate) use matter::{Matter, matter_of};
use run::{Run, Sure, calls_back, clauses_of, run_in};

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

/// Whether a message asks that nothing of the one before it be kept: "don't save that", and nothing else that could be meant.
pub fn takes_back(text: &str) -> bool {
    privacy_in(&own_sentences(text)) == Privacy::AndTheOneBefore
}

/// A sentence with its wish, and what stands around that.
struct Wish {
    run: Run,
    before: Vec<Matter>,
    after: Vec<Matter>,
}

/// What takes back the message before, if a message says nothing else.
const FORGET_THAT: &[&str] = &[
    "forget that",
    "forget what i just said",
    "forget what i said",
    "forget what i just told you",
    "forget my last message",
    "forget my previous message",
    "forget the last message",
    "delete that from your memory",
    "delete my last message from your memory",
    "keep that private",
    "keep that to yourself",
    "vergiss das",
    "vergiss das wieder",
    "vergiss, was ich gerade gesagt habe",
    "vergiss meine letzte nachricht",
    "oublie ça",
    "oublie ce que je viens de dire",
    "oublie mon dernier message",
    "olvida eso",
    "olvida lo que acabo de decir",
    "olvida mi último mensaje",
    "忘了刚才说的",
    "忘记刚才说的话",
];

/// Words around a wish that only make it polite.
const POLITE: [&str; 8] = ["please", "bitte", "por favor", "s'il te plaît", "ok", "oh", "no", "sorry"];

/// Whether a message is nothing but the wish that the one before it be forgotten.
fn forgets_the_one_before(sentences: &[Sentence]) -> bool {
    let [only] = sentences else { return false };
    let bare = |text: &str| text.trim_matches(|c: char| c.is_whitespace() || ",.!。！".contains(c)).to_owned();
    let mut said = bare(&only.lower);
    for word in POLITE.iter().chain(&POLITE) {
        let without = said.strip_prefix(word).filter(|rest| rest.starts_with([' ', ',', '.']));
        said = bare(without.or_else(|| said.strip_suffix(word)).unwrap_or(&said));
    }
    FORGET_THAT.contains(&said.as_str())
}

/// What the sentences of a message want kept out.
pub(crate) fn privacy_in(sentences: &[Sentence]) -> Privacy {
    if forgets_the_one_before(sentences) {
        return Privacy::AndTheOneBefore;
    }
    let wishes: Vec<Option<Wish>> = sentences.iter().map(wish_of).collect();
    if wishes.iter().all(Option::is_none) {
        return Privacy::Open;
    }
    let matters: Vec<Matter> = sentences
        .iter()
        .zip(&wishes)
        .map(|(sentence, wish)| wish.as_ref().map_or_else(|| all_of(&matters_in(sentence)), Wish::beside))
        .collect();
    let is_meant =
        wishes.iter().enumerate().any(|(at, wish)| wish.as_ref().is_some_and(|wish| wish.is_meant(at, &matters)));
    let tells = matters.iter().any(|matter| matches!(matter, Matter::Told | Matter::Other))
        || wishes.iter().flatten().any(|wish| wish.run.leads_on && !wish.after.is_empty());
    match (is_meant, tells) {
        (false, _) => Privacy::Open,
        (true, true) => Privacy::Message,
        (true, false) => Privacy::AndTheOneBefore,
    }
}

/// Ways to ask politely: such a question is a wish.
const REQUESTS: &[&str] =
    &["can you", "could you", "would you", "will you", "kannst du", "könntest du", "peux-tu", "puedes"];

fn wish_of(sentence: &Sentence) -> Option<Wish> {
    let mut run = run_in(&sentence.lower)?;
    let (before, after) = (sentence.to(run.from), sentence.from(run.to));
    let (mut before_matters, after) = (matters_in(&before), matters_in(&after));
    if calls_back(&before.lower) {
        run.sure = Sure::Yes;
        before_matters.clear();
    }
    let is_question = sentence.asks() && after.is_empty() && begins(&sentence.lower, REQUESTS).is_none();
    (!is_question).then_some(Wish { run, before: before_matters, after })
}

/// What the clauses of a text are, without those in which there is nothing.
fn matters_in(text: &Sentence) -> Vec<Matter> {
    let clauses = clauses_of(&text.lower);
    let clause = |(at, clause): (usize, &str)| text.from(at).to(clause.len()).trimmed();
    let asks = text.asks();
    let last = clauses.len();
    let matter = |(nth, place): (usize, (usize, &str))| {
        let matter = matter_of(&clause(place));
        if asks && nth + 1 == last && matter != Matter::Nothing { Matter::Work } else { matter }
    };
    clauses.into_iter().enumerate().map(matter).filter(|matter| *matter != Matter::Nothing).collect()
}

/// What several clauses are together.
fn all_of(matters: &[Matter]) -> Matter {
    let has = |one| matters.contains(&one);
    [Matter::Told, Matter::Other, Matter::Work].into_iter().find(|one| has(*one)).unwrap_or(Matter::Nothing)
}

impl Wish {
    /// What stands beside it in its sentence.
    fn beside(&self) -> Matter {
        all_of(&[all_of(&self.before), all_of(&self.after)])
    }

    /// Whether it is said of what is told, where its own words leave a doubt.
    fn is_meant(&self, at: usize, matters: &[Matter]) -> bool {
        let needs_told = match self.run.sure {
            Sure::Yes => return true,
            Sure::WithWhatIsTold => false,
            Sure::OnlyWithWhatIsTold => true,
        };
        let (before, after) = (self.before.last().copied(), self.after.first().copied());
        if before.is_some() || after.is_some() {
            let fits = |matter: Option<Matter>| matter.is_none_or(|matter| matter == Matter::Told);
            let is_shown = self.run.leads_on && after == Some(Matter::Other) && !needs_told;
            return fits(before) && (fits(after) || is_shown);
        }
        let around = |matter: Option<&Matter>| matter.copied().unwrap_or(Matter::Nothing);
        let previous = at.checked_sub(1).and_then(|at| matters.get(at));
        let is_first = matters.iter().take(at).all(|matter| *matter == Matter::Nothing);
        let is_alone = matters.iter().all(|matter| *matter == Matter::Nothing);
        (is_alone && !needs_told)
            || around(previous) == Matter::Told
            || (is_first && around(matters.get(at + 1)) == Matter::Told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_message_that_is_not_to_be_kept_says_so_before_or_after_what_it_tells() {
        let kept = [
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
            "Just between us, who is the better engineer?",
            "The demo customer is Acme Corp, off the record.",
            "This session is off the record. The merger partner is Hooli.",
            "off the record the merger partner is Hooli",
            "my PIN is 7413, do not save this",
            "Please don't save what I just told you. Now run the tests.",
            "Don't store anything I said about the merger.",
            "Was ich dir gesagt habe bitte nicht speichern.",
            "The merger partner is Hooli. Don't save that. Now run the tests.",
            "Do not save this. Our merger partner is Hooli.",
            "don't save this: Anna earns 90k",
            "Can you keep this between us? The budget is 4 million.",
            "Please keep this off the record: Anna is leaving in June",
            "Never repeat this to anyone: the pin is 4711",
            "Please treat this as confidential. The client is Globex.",
            "Don't share this with anyone. Our merger partner is Hooli.",
            "Do not persist this anywhere, the token is abc-4711",
        ]
        .into_iter()
        .filter(|said| !wants_privacy(said));
        assert_eq!(kept.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn forget_that_takes_back_the_message_before_and_forget_it_for_some_work_does_not() {
        let missed = [
            "Forget that.",
            "please forget what I just said",
            "Please forget my last message, please!",
            "Oh no, sorry, please forget that",
            "Vergiss das wieder, bitte.",
            "Vergiss das wieder.",
            "Oublie ce que je viens de dire.",
            "Olvida eso, por favor",
            "忘了刚才说的。",
        ];
        assert_eq!(missed.into_iter().filter(|said| !takes_back(said)).collect::<Vec<_>>(), [""; 0]);
        let work = [
            "Forget that the port is 5433",
            "forget that, let's do the cache first",
            "Forget it",
            "forget the linter rule",
            "Did I forget that?",
            "don't forget that",
            "keep that private method",
        ];
        assert_eq!(work.into_iter().filter(|said| takes_back(said)).collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn what_is_not_said_of_the_message_itself_asks_for_no_privacy() {
        let lost = [
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
            "Rename the button to Off the record",
            "Rename the button to: Off the record",
            "Implement off the record mode for the chat widget",
            "Add a tab called \"Off the record\"",
            "please don't save this, I want to see the diff first",
            "Please do not save this yet, the tests are still running",
            "Don't save this. Run the tests first.",
            "don't save this because it is still broken",
            "please don't save this, the diff is too big",
            "Do not repeat this: extract it into a helper function",
            "Don't repeat this, use a loop",
            "Don't persist or store this, compute it on the fly",
            "Don't log this: it floods the console",
            "bitte nicht speichern, erst den Test laufen lassen",
            "Bitte das noch nicht speichern, wir sollten erst testen",
            "请不要保存，先看一下差异",
            "Don't save that?",
            "don't keep this in memory, stream it",
            "Keep this private, only expose the getter",
            "Do not record this call in the audit log",
            "Do not log or store this value in the request handler",
            "Don't remember this selection between reloads",
            "Add a toast that says don't save this",
            "don't save it, I'll do it myself",
        ]
        .into_iter()
        .filter(|said| wants_privacy(said));
        assert_eq!(lost.collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn a_wish_alone_is_said_of_the_message_before() {
        let privacy = |text: &str| privacy_in(&own_sentences(text));
        for said in [
            "Don't save or repeat that.",
            "Oh, please do not remember this.",
            "Bitte nicht speichern.",
            "これは保存しないでください",
            "don't save that",
            "Please do not save or repeat this.",
            "off the record",
            "That was off the record, please.",
            "Please don't save what I just told you. Now run the tests.",
            "Could you please not remember that?",
        ] {
            assert_eq!(privacy(said), Privacy::AndTheOneBefore, "{said}");
        }
        for said in ["The pin is 4711. Don't save that.", "Don't save this: the pin is 4711"] {
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
