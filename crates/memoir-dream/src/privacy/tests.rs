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
    assert_eq!(missed.into_iter().filter(|said| takes_back(said).is_none()).collect::<Vec<_>>(), [""; 0]);
    let work = [
        "Forget that the port is 5433",
        "forget that, let's do the cache first",
        "Forget it",
        "forget the linter rule",
        "Did I forget that?",
        "don't forget that",
        "keep that private method",
    ];
    assert_eq!(work.into_iter().filter(|said| takes_back(said).is_some()).collect::<Vec<_>>(), [""; 0]);
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

/// What is not as expected.
fn other_than(expected: Privacy, said: &[&'static str]) -> Vec<(Privacy, &'static str)> {
    let heard = said.iter().map(|said| (privacy_in(&own_sentences(said)), *said));
    heard.filter(|(privacy, _)| *privacy != expected).collect()
}

#[test]
fn what_was_said_before_is_taken_back_in_everyday_words() {
    let said = [
        "that was confidential, don't keep it",
        "that's between us, don't write it down anywhere",
        "oh and keep that to yourself",
        "strike that from the record",
        "please strike that last part from the record",
        "pretend you never heard that",
        "pretend I never told you that, ok?",
        "act like i never said that",
        "you didn't hear that from me",
        "oops i shouldn't have told you the name, delete it please",
        "I wasn't supposed to mention that. Please erase it.",
        "sorry wrong window, forget that",
        "that wasn't meant for you, delete it",
        "that was private, please remove it",
        "don't save that about Tom",
        "dont keep that in your notes please",
        "keep that out of your memory",
        "please leave that out of your notes",
        "delete that from your memory",
        "can you wipe that from memory?",
        "erase what I just told you",
        "forget I said that",
        "forget I ever mentioned it",
        "forget you heard that",
        "forget what I just said",
        "delete my last message",
        "that stays between us",
        "that should stay between you and me",
        "don't tell anyone about that",
        "do not repeat that to anyone",
        "please make no note of that",
        "keep no record of that",
        "never mention that to anyone",
        "don't hold on to that please",
        "take that off the record",
        "none of that is to be remembered",
        "das bleibt unter uns",
        "behalt das bitte für dich",
        "das war vertraulich",
        "Das hast du nie gehört.",
        "schreib das bitte nicht auf",
        "ça reste entre nous",
        "c'était confidentiel",
        "garde ça pour toi",
        "n'en parle à personne",
        "fais comme si je n'avais rien dit",
        "que esto quede entre nosotros",
        "eso era confidencial",
        "no se lo digas a nadie",
        "haz como si no hubiera dicho nada",
        "forget all of that",
        "you didn't hear a thing",
        "nobody else needs to know that",
        "no need to remember that",
        "that never happened",
        "keep that under wraps",
        "non salvare questo",
        "que ça ne sorte pas d'ici",
        "это останется между нами",
        "забудь, что я сказал",
        "никому не говори об этом",
        "не запоминай это",
        "别记住这个",
        "当我没说",
        "请忘掉刚才说的话",
        "今のは忘れてください",
        "これは内緒にしてください",
    ];
    assert_eq!(other_than(Privacy::AndTheOneBefore, &said), []);
}

#[test]
fn who_goes_on_to_a_task_takes_back_only_what_was_before() {
    let said = [
        "Don't save that. Now fix the tests.",
        "don't save that, now fix the tests",
        "Please don't save what I just told you. Now run the tests.",
        "dont store that. anyway, sort the list by date",
        "strike that from the record. can you sort the list?",
        "that was confidential, don't keep it. Fix the header next.",
        "Forget that. Now write the summary.",
    ];
    assert_eq!(other_than(Privacy::OneBefore, &said), []);
    assert!(said.iter().all(|said| !wants_privacy(said) && takes_back(said) == Some(TakenBack::TurnBefore)));
}

#[test]
fn a_message_that_is_not_to_be_kept_says_so_in_everyday_words() {
    let said = [
        "not for the record: Kit is on a warning. make the level list please",
        "no memory of this please. the merger is called Project Linnet",
        "my mother's account has 88k on it, for your information only, don't store it",
        "que no salga de aquí: despedimos a Marta",
        "这个不要记:小李要离职",
        "the next bit is private, don't save it: I owe the tax office 9k",
        "please don't remember this but my salary is 61k. anyway, sort the csv by date",
        "my sister is getting divorced in june. Don't save that. Now fix the tests.",
        "between you and me: Anna is leaving",
        "in confidence: the site closes in may",
        "private: my salary is 61k",
        "this is confidential - the buyer is Halvorsen",
        "keep this out of your notes: Mo is ill",
        "don't write this down: the code is 4711",
        "don't tell anyone, but we are selling the shop",
        "for your ears only: Mia is pregnant",
        "no notes on this please: the offer is 412k",
        "don't put this in your memory: I am ill",
        "strictly between us: we sell in may",
        "off the record, our runway is 4 months",
        "Our runway is 4 months. That stays between us.",
        "Anna is pregnant, keep that to yourself",
        "unter uns: Jonas kündigt im Mai",
        "das bleibt unter uns, Jonas kündigt im Mai",
        "that stays between us, Tom lost his job",
        "nicht fürs Protokoll: Jonas kündigt",
        "don't keep this: Mo is ill",
        "ganz im Vertrauen: der Laden schließt",
        "entre nous : Léa divorce",
        "entre tú y yo: despedimos a Marta",
        "между нами: Анна уходит",
        "не для протокола: мы продаём магазин",
        "请保密：我们要卖公司",
        "ここだけの話、会社を売ります",
        "オフレコで：会社を売ります",
    ];
    assert_eq!(other_than(Privacy::Message, &said), []);
}

#[test]
fn a_whole_conversation_can_be_off_the_record() {
    let said = [
        "this session is off the record",
        "This session is off the record. The merger partner is Hooli.",
        "don't log this conversation",
        "Please don't save or record this chat.",
        "forget everything I said in this session",
        "can you forget everything I said in this session",
        "delete everything we discussed in this conversation",
        "forget everything from this session",
        "let's go off the record",
        "don't remember anything I say today",
        "forget everything I told you so far",
        "we're off the record from now on",
        "keep this whole conversation between us",
        "don't remember anything from this session",
        "no recording of this session please",
        "everything in this chat is confidential",
        "this conversation never goes anywhere, this conversation stays between us",
        "forget this conversation ever happened",
        "please stop recording this conversation",
        "This conversation should not be saved.",
        "dieses Gespräch bleibt unter uns",
        "speichere dieses Gespräch bitte nicht",
        "vergiss alles, was ich in diesem Gespräch gesagt habe",
        "cette conversation est confidentielle",
        "n'enregistre pas cette conversation",
        "esta conversación es confidencial",
        "no guardes esta conversación",
        "не сохраняй этот разговор",
        "不要记录这次对话",
        "この会話は記録しないでください",
    ];
    assert_eq!(other_than(Privacy::Session, &said), []);
    let said = [
        "don't save this session in redis",
        "don't log this conversation id",
        "the session is off, log in again",
        "don't store the session in the cookie",
        "delete this session from the table",
        "this session is too long, compact it",
        "don't save this session, the login test needs a fresh one",
        "why is this conversation not logged?",
        "forget the session cookie, use a header",
        "add a banner: this conversation is off the record",
    ];
    assert_eq!(other_than(Privacy::Open, &said), []);
}

#[test]
fn talk_of_code_that_sounds_alike_is_kept() {
    let said = [
        "don't persist that in the session cookie, use redis",
        "don't save this to disk, keep the buffer in memory",
        "the form should not save when i press escape. don't save that on blur either",
        "do not log this at info level, debug is enough",
        "the temp file is private to the process, don't keep it after exit",
        "don't store that in localStorage, it leaks between tabs",
        "forget the cache, what does the query plan say",
        "delete that, and add a retry instead",
        "delete it please",
        "delete that",
        "the file is generated, delete it please",
        "that's private, make it pub(crate)",
        "that's private",
        "don't commit that, just save it",
        "between us and the api there is a proxy that drops headers",
        "strike through the old price, don't keep it bold",
        "that shouldn't be saved when validation fails",
        "nicht speichern wenn das Feld leer ist",
        "don't do that",
        "undo that",
        "drop that",
        "ignore that",
        "forget it",
        "never mind",
        "don't touch that",
        "that was wrong, take it back",
        "we don't keep that, do we?",
        "don't write that to the log",
        "don't keep that",
        "don't log it",
        "keep it simple",
        "keep that private method",
        "keep it to yourself in the helper, export nothing",
        "the secret is in the vault, don't log it in plain text",
        "this is a secret, read it from the vault",
        "no memory of the last run is kept between restarts",
        "remove that from the log output",
        "erase it from the disk",
        "wipe the memory before each test",
        "clear the memory pool",
        "delete the last message from the queue",
        "forget that branch",
        "forget that we ever had two parsers, merge them",
        "pretend the server never heard of that header",
        "I never said that, I said the other file",
        "nobody reads this, delete it",
        "private: false in the package.json",
        "make the field private: the getter is enough",
        "don't tell the client about it, return 404",
        "the record is off by one",
        "keep this out of the public api",
        "leave that out of the release notes",
        "the note is not for the record type, it's for the index",
        "mark this as confidential in the footer",
        "don't mention it",
        "the callback never happened",
        "no need to save that file",
        "nobody else calls this function",
        "without saving the file first: run the formatter",
        "forget all of the old branches",
        "turn off the recording of metrics",
        "das ist privat, mach es öffentlich",
        "lösch das bitte",
        "supprime ça",
        "borra eso",
        "удали это",
        "删掉这个",
        "我忘了",
    ];
    assert_eq!(other_than(Privacy::Open, &said), []);
}
