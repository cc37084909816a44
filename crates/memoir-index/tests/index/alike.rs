//! Index, tail and any mixture of them answer alike, and no text is a bad query.

use crate::support::*;
use memoir_index::{Index, IndexOptions};
use memoir_journal::Filter;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-d]{1,2}",
        Just("getUserName".to_owned()),
        Just("get_user_name".to_owned()),
        Just("src/main.rs:42".to_owned()),
        Just("東京都".to_owned()),
        Just("don't".to_owned()),
        Just("E0502".to_owned()),
    ];
    proptest::collection::vec(word, 1..8).prop_map(|words| words.join(" "))
}

fn query() -> impl Strategy<Value = String> {
    let clause =
        (prop_oneof![Just(""), Just("+"), Just("-")], text(), 0..4u8).prop_map(|(sign, text, form)| match form {
            0 => format!("{sign}\"{text}\""),
            1 => format!("{sign}{}*", text.split(' ').next().unwrap_or_default()),
            2 => format!("{sign}session:s{}", text.len() % 3),
            _ => format!("{sign}{text}"),
        });
    proptest::collection::vec(clause, 1..4).prop_map(|clauses| clauses.join(" "))
}

/// The seqs that a query finds, sorted, and the scores, the best first.
fn answer(home: &Home, index: &Index, query: &str) -> (Vec<u64>, Vec<f32>) {
    let hits = home.search_in(index, query, &Filter::default(), owner());
    let mut found = seqs(&hits);
    found.sort_unstable();
    (found, hits.hits.iter().map(|hit| hit.score).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn index_tail_and_mixture_find_the_same(
        texts in proptest::collection::vec(text(), 2..20),
        queries in proptest::collection::vec(query(), 12),
        cut in 0usize..20,
    ) {
        let home = home();
        let cut = cut.min(texts.len());
        let event = |(n, text): (usize, &String)| message(&format!("s{}", n % 3), &format!("t{n}"), text);
        let events: Vec<_> = texts.iter().enumerate().map(event).collect();
        home.append(events[..cut].to_vec());
        let mixed = home.index(1000);
        mixed.catch_up(&home.journal, &mut |_, _| true).unwrap();
        home.append(events[cut..].to_vec());
        let scanned = Index::open(&home.dir.path().join("none"), IndexOptions::default());
        let options = IndexOptions { tail_records_max: 0, ..IndexOptions::default() };
        let indexed = Index::open(&home.dir.path().join("full"), options);
        for query in queries {
            let expected = answer(&home, &indexed, &query);
            for (how, index) in [("scanned", &scanned), ("mixed", &mixed)] {
                let found = answer(&home, index, &query);
                prop_assert_eq!(&found.0, &expected.0, "{}: {}", how, &query);
                // The same sums in another order differ in their last bits.
                let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
                prop_assert!(found.1.iter().zip(&expected.1).all(near), "{how}: {query}: {:?} {:?}", found.1, expected.1);
            }
        }
    }
}

#[test]
fn any_text_is_answered() {
    let home = home();
    home.say(&["hello world", "getUserName src/main.rs:42", "東京都"]);
    let indexes = [home.index(1000), home.index(0)];
    let mut runner = proptest::test_runner::TestRunner::default();
    let texts = prop_oneof![".*", "[-+\"*:a-c東 session:type]{0,30}", "\\PC{0,20}"];
    runner
        .run(&texts, |text| {
            for index in &indexes {
                let _ = home.find(index, &text);
            }
            Ok(())
        })
        .unwrap();
}
