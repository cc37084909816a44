//! What is asked for is found: in long messages, in commands and in what tools said.
#![allow(clippy::unwrap_used, missing_docs)]

use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Admission, Audience, Journal, SqliteJournal, SqliteOptions, View};
use memoir_recall::{Block, Effort, Recall, Request};
use memoir_redact::Redactor;
use std::sync::Arc;

struct World {
    dir: tempfile::TempDir,
    journal: SqliteJournal,
}

/// Words that nobody asks for, the same in every run.
struct Babble(u64);

impl Babble {
    fn words(&mut self, count: usize) -> String {
        let mut next = |of: &str| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(of.as_bytes()[(self.0 >> 33) as usize % of.len()])
        };
        let mut word = || [next("bdfgklmnprstvz"), next("aou"), next("bdfgklmnprt"), next("aou")];
        let words: Vec<String> = (0..count).map(|_| word().iter().collect()).collect();
        words.join(" ")
    }
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(|| 1_794_960_000_000);
        let journal = SqliteJournal::open(&dir.path().join("journal.db"), SqliteOptions::long_lived(), clock).unwrap();
        World { dir, journal }
    }

    /// Forty sessions of six turns of thirty words.
    fn with_babble() -> World {
        let (world, mut babble) = (World::new(), Babble(7));
        let said = (0..240).map(|n| {
            let kind = [Kind::UserMessage, Kind::AssistantMessage][n % 2];
            world.event(n, &format!("s{}", n / 6), kind, &babble.words(30))
        });
        world.append(said.collect());
        world
    }

    fn event(&self, n: usize, session: &str, kind: Kind, text: &str) -> Event {
        let mut event = Event::new(Source::Recorder, session, kind, Content::Text(text.to_owned()));
        event.identities = vec![Identity::Unique { at_ms: 0, nonce: n as u64 }];
        event
    }

    fn say(&self, session: &str, kind: Kind, text: &str) {
        let n = usize::try_from(self.journal.last_seq().unwrap()).unwrap() + 1_000;
        self.append(vec![self.event(n, session, kind, text)]);
    }

    fn append(&self, events: Vec<Event>) {
        let redactor = Redactor::builtin();
        let admission = Admission::new(&redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[]).unwrap();
    }

    fn request(query: &str) -> Request {
        Request::new(query, View::of(Audience::Recall), 0)
    }

    /// What is recalled, with everything indexed; the same must come where nothing is.
    fn recall(&self, request: &Request) -> Vec<Block> {
        let [indexed, scanned] = [0, 100_000].map(|tail_records_max| {
            let options = IndexOptions { tail_records_max, ..IndexOptions::default() };
            let index = Index::open(&self.dir.path().join(format!("index-{tail_records_max}")), options);
            let recall = Recall::new(Arc::new(Redactor::builtin()));
            recall.recall(&self.journal, &index, request, &mut |_, _| true).unwrap().blocks
        });
        let seqs = |blocks: &[Block]| blocks.iter().map(|block| block.seq).collect::<Vec<_>>();
        assert_eq!(seqs(&indexed), seqs(&scanned), "{}", request.query);
        indexed
    }

    fn texts(&self, query: &str) -> Vec<String> {
        self.recall(&World::request(query)).into_iter().map(|block| block.text).collect()
    }
}

/// A page of about so many words, in the middle of which something is said once.
fn page(words: usize, says: &str) -> String {
    let mut babble = Babble(words as u64);
    format!("Please keep to this page.\n\n{}. {says} {}.", babble.words(words / 2), babble.words(words / 2))
}

#[test]
fn what_stands_once_in_a_long_message_is_found_however_long_it_is() {
    let says = "The magic MEMOIRVC begins it, hook.repeat_turns is 12, and the key is behind the pomegranate shelf.";
    for words in [30, 300, 1_000, 3_000, 8_000] {
        for kind in [Kind::UserMessage, Kind::AssistantMessage] {
            let world = World::with_babble();
            world.say("long", kind, &page(words, says));
            for (query, told) in [
                ("MEMOIRVC", "MEMOIRVC"),
                ("what begins with MEMOIRVC?", "MEMOIRVC"),
                ("hook.repeat_turns", "hook.repeat_turns"),
                ("what does hook.repeat_turns do?", "hook.repeat_turns"),
                ("pomegranate", "pomegranate"),
                ("where is the key, behind which shelf?", "pomegranate"),
            ] {
                let blocks = world.recall(&World::request(query));
                let first = blocks.first().unwrap_or_else(|| panic!("{words} {kind:?} {query}: nothing"));
                assert_eq!((first.session.as_str(), first.text.contains(told)), ("long", true), "{words} {query}");
            }
        }
    }
}

#[test]
fn what_follows_a_long_message_does_not_take_its_place() {
    let (world, mut babble) = (World::with_babble(), Babble(99));
    for n in 0..60 {
        if n == 30 {
            world.say("work", Kind::UserMessage, &page(2_000, "The vault is opened by the pomegranate."));
        }
        world.say("work", [Kind::UserMessage, Kind::AssistantMessage][n % 2], &babble.words(4));
    }
    assert!(world.texts("pomegranate").first().unwrap().contains("pomegranate"));
}

#[test]
fn words_all_over_a_long_message_are_no_answer_to_all_of_them_together() {
    let world = World::with_babble();
    let mut babble = Babble(3);
    let far = ["walrus", "granite", "lantern", "harbour"].map(|word| format!("{} {word}", babble.words(800)));
    world.say("long", Kind::UserMessage, &far.join(" "));
    world.say("short", Kind::UserMessage, "the walrus carries a lantern along the harbour");
    let first = world.recall(&World::request("walrus with a granite lantern in the harbour"));
    assert_eq!(first.first().unwrap().session, "short");
}

#[test]
fn a_command_and_what_a_tool_said_are_found_word_by_word_without_quotes() {
    let world = World::with_babble();
    world.say("work", Kind::Command, "cargo update -p tokio --precise 1.38");
    world.say("work", Kind::ToolResult, "hint: see the log\nfatal: refusing to merge unrelated histories\nexit 128");
    world.say("work", Kind::FileChange, "docs/release notes/march.md");
    for (query, told) in [
        ("cargo update -p tokio", "--precise"),
        ("fatal: refusing to merge unrelated histories", "exit 128"),
        ("refusing to merge unrelated histories?", "exit 128"),
        ("release notes", "march.md"),
    ] {
        let texts = world.texts(query);
        assert!(texts.first().is_some_and(|text| text.contains(told)), "{query}: {texts:?}");
        assert_eq!(texts.len(), 1, "{query}");
    }
}

#[test]
fn what_a_tool_said_is_no_answer_to_a_question_that_it_does_not_say() {
    let world = World::with_babble();
    world.say("work", Kind::ToolResult, "fatal: refusing to merge unrelated histories, the tokio update is off");
    for query in ["merge the histories", "how do we update tokio?", "the", "is it", "histories"] {
        assert_eq!(world.texts(query), Vec::<String>::new(), "{query}");
    }
    let asked = World::request("refusing to merge unrelated histories");
    let unasked = Request { effort: Effort::Small, ..asked.clone() };
    assert_eq!((world.recall(&asked).len(), world.recall(&unasked).len()), (1, 0), "nobody asked");
}

#[test]
fn what_was_said_comes_before_the_same_words_in_a_tools_output() {
    let world = World::with_babble();
    world.say("talk", Kind::UserMessage, "unrelated histories: we merge them with the flag that allows it");
    world.say("work", Kind::ToolResult, "fatal: refusing to merge unrelated histories");
    assert!(world.texts("unrelated histories").first().unwrap().contains("the flag"));
}
