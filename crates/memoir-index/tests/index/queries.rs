//! What people type, and what it finds; each case from the tail and from the index.

use crate::support::*;
use memoir_event::{Content, Event, Identity, Json, Kind, Source};
use memoir_index::{Index, Note, Query, Window};
use memoir_journal::{Filter, Journal};

/// Checks each query against an index that only scans and against one that has everything indexed.
fn both(texts: &[&str], cases: &[(&str, &[u64])]) {
    let home = home();
    home.say(texts);
    let (scanning, indexed) = (home.index(1_000_000), home.index(0));
    for (query, expected) in cases {
        assert_eq!(home.find(&scanning, query), *expected, "scanned: {query}");
    }
    for (query, expected) in cases {
        assert_eq!(home.find(&indexed, query), *expected, "indexed: {query}");
    }
    assert_eq!(indexed.status(&home.journal).unwrap().indexed, home.journal.last_seq().unwrap());
}

#[test]
fn words_phrases_signs_and_beginnings_find_what_they_say() {
    both(
        &["the quick brown fox", "the lazy dog", "a quick dog barks", "brown bread"],
        &[
            ("quick", &[1, 3]),
            ("quick dog", &[1, 2, 3]),
            ("\"quick brown\"", &[1]),
            ("\"brown quick\"", &[]),
            ("+quick dog", &[1, 3]),
            ("+quick +dog", &[3]),
            ("quick -dog", &[1]),
            ("-quick", &[2, 4]),
            ("-\"quick brown\" brown", &[4]),
            ("bro*", &[1, 4]),
            ("\"lazy dog\" bark*", &[2, 3]),
            ("absent", &[]),
        ],
    );
}

#[test]
fn punctuation_finds_itself_and_is_never_an_error() {
    both(
        &[
            "panic at src/main.rs:42 in release",
            "cargo build --release",
            "I don't know",
            "call foo(bar) twice",
            "error: x is not y",
            "key was [redacted:x] there",
            "unrelated words",
        ],
        &[
            ("src/main.rs:42", &[1]),
            ("main.rs", &[1]),
            ("main.rs:42", &[1]),
            ("src/main.rs:43", &[]),
            ("--release", &[1, 2]),
            ("don't", &[3]),
            ("dont", &[3]),
            ("don\u{2019}t", &[3]),
            ("foo(bar)", &[4]),
            ("error: x", &[5, 6]),
            ("[redacted:x]", &[6]),
            ("\"unrelated", &[7]),
            ("\" - + * : () -- ! \u{0}", &[]),
            ("", &[]),
            ("   \n", &[]),
        ],
    );
}

#[test]
fn code_is_found_whole_and_in_parts() {
    let sha = "9fceb02d0ae598e95dc970b74767f19372d61af8";
    both(
        &[
            "fn getUserName() {}",
            "def get_user_name():",
            "bump to v1.2.3 now",
            &format!("commit {sha} broke it"),
            "error[E0502]: cannot borrow",
            "HTTPServer started on 127.0.0.1:8420",
        ],
        &[
            ("getUserName", &[1, 2]),
            ("get_user_name", &[1, 2]),
            ("getusername", &[1, 2]),
            ("user", &[1, 2]),
            ("UserName", &[1, 2]),
            ("getUser*", &[1, 2]),
            ("v1.2.3", &[3]),
            ("1.2.3", &[3]),
            (sha, &[4]),
            ("9fceb02", &[4]),
            ("E0502", &[5]),
            ("e0502", &[5]),
            ("http", &[6]),
            ("httpserver", &[6]),
            ("127.0.0.1:8420", &[6]),
            ("127.0.0.*", &[6]),
            ("\"started on\"", &[6]),
        ],
    );
}

#[test]
fn unspaced_scripts_and_accents_are_found() {
    both(
        &["東京都に住んでいます", "京都は古い", "Le café est fermé", "설정을 바꿨다", "ｆｕｌｌ width"],
        &[
            ("東京", &[1]),
            ("京都", &[1, 2]),
            ("住んで", &[1]),
            ("古", &[2]),
            ("い", &[1, 2]),
            ("cafe", &[3]),
            ("FERME", &[3]),
            ("설정", &[4]),
            ("full", &[5]),
        ],
    );
}

#[test]
fn fields_narrow_and_unknown_ones_are_words() {
    let home = home();
    let mut events = vec![
        message("alpha", "t1", "hello one"),
        message("beta", "t2", "hello two"),
        message("beta", "t3", "type:string source:unknown"),
    ];
    let mut command = Event::new(Source::CodexHook, "beta", Kind::Command, Content::Text("hello ls".to_owned()));
    command.repo = "other repo".to_owned();
    command.topic = Some("Build".to_owned());
    command.identities = vec![Identity::Named("c".to_owned())];
    events.push(command);
    home.append(events);
    for index in [home.index(1_000_000), home.index(0)] {
        let cases: &[(&str, &[u64])] = &[
            ("session:alpha", &[1]),
            ("session:alpha hello", &[1]),
            ("session:beta hello", &[2, 4]),
            ("session:alpha session:beta hello", &[1, 2, 4]),
            ("session:beta -type:command", &[2, 3]),
            ("-session:beta hello", &[1]),
            ("type:command", &[4]),
            ("kind:command_execution", &[4]),
            ("source:codex_hook", &[4]),
            ("repo:\"other repo\" hello", &[4]),
            ("topic:build", &[4]),
            ("turn:t2", &[2]),
            ("speaker:tool", &[4]),
            ("speaker:user -turn:t1", &[2, 3]),
            ("session:nowhere hello", &[]),
            ("type:string", &[3]),
            ("source:unknown", &[3]),
            ("type:error hello", &[]),
        ];
        for (query, expected) in cases {
            assert_eq!(home.find(&index, query), *expected, "{query}");
        }
    }
}

#[test]
fn better_and_newer_hits_come_first() {
    let home = home();
    home.append(vec![
        at(message("s", "t1", "apple pie with apple sauce"), 1000),
        at(message("s", "t2", "apple and many other words that say something else entirely"), 2000),
        at(message("s", "t3", "plain tie"), 3000),
        at(message("s", "t4", "plain tie"), 4000),
    ]);
    for index in [home.index(1_000_000), home.index(0)] {
        assert_eq!(home.ranked(&index, "apple"), [1, 2]);
        assert_eq!(home.ranked(&index, "tie"), [4, 3]);
        assert_eq!(home.ranked(&index, "session:s"), [4, 3, 2, 1]);
        assert_eq!(home.ranked(&index, "-apple"), [4, 3]);
    }
}

#[test]
fn pages_follow_each_other() {
    let home = home();
    home.say(&["word a", "word b", "word c"]);
    let index = home.index(0);
    let selection = home.journal.select(&Filter::default(), &owner()).unwrap();
    let page = |skip, limit| {
        let query = Query::parse("word");
        let hits = index.search(&home.journal, &query, &selection, Window { skip, limit }, &mut |_, _| true).unwrap();
        (seqs(&hits), hits.more)
    };
    assert_eq!(page(0, 2), (vec![3, 2], true));
    assert_eq!(page(2, 2), (vec![1], false));
    assert_eq!(page(3, 2), (vec![], false));
    assert_eq!(page(0, 0), (vec![], false));
}

#[test]
fn json_is_searched_by_its_words_and_marked_in_its_plain_text() {
    let home = home();
    let json = Json::parse(r#"{"command":"cargo\ntest","exit":101}"#.to_owned()).unwrap();
    let mut event = Event::new(Source::Recorder, "s", Kind::Command, Content::Json(json));
    event.identities = vec![Identity::Named("j".to_owned())];
    home.append(vec![event]);
    for index in [home.index(1_000_000), home.index(0)] {
        let hits = home.search_in(&index, "test 101", &Filter::default(), owner());
        assert_eq!(seqs(&hits), [1]);
        let event = home.journal.events(&[1], &owner()).unwrap().remove(0);
        let snippet = hits.marker.snippet(&event.event.content.plain(), 80);
        let marked: Vec<&str> = snippet.marks.iter().map(|mark| &snippet.text[mark.clone()]).collect();
        assert_eq!((snippet.text.as_str(), marked), ("command cargo test exit 101", vec!["test", "101"]));
    }
}

#[test]
fn a_huge_query_is_cut_and_says_so() {
    let home = home();
    home.say(&["needle", "x"]);
    let index: Index = home.index(0);
    let query = format!("needle {}", "x1 ".repeat(400_000));
    let hits = home.search_in(&index, &query, &Filter::default(), owner());
    assert_eq!((seqs(&hits), hits.notes), (vec![1], vec![Note::QueryCut]));
    let hits = home.search_in(&index, &"y".repeat(1 << 20), &Filter::default(), owner());
    assert_eq!(seqs(&hits), [0u64; 0]);
}
