//! Filters apply before the best are cut off, and the one read view holds for index and tail.

use crate::support::*;
use memoir_event::{Secrecy, Source, Visibility};
use memoir_index::{Query, Window};
use memoir_journal::{Audience, Filter, Journal, View};

#[test]
fn a_rare_session_is_found_among_fifty_thousand_others() {
    let home = home();
    let mut n = 0;
    let mut events = Vec::new();
    for session in 0..500 {
        for _ in 0..100 {
            n += 1;
            events.push(message(&format!("other-{session}"), &format!("t{n}"), "alpha alpha alpha"));
        }
    }
    events.insert(30_000, message("rare", "r1", "alpha in a much longer text that scores worse than any other"));
    for batch in events.chunks(5000) {
        home.append(batch.to_vec());
    }
    let index = home.index(0);
    for filter in [
        Filter { session: Some("rare".to_owned()), ..Filter::default() },
        Filter { session: Some("rare".to_owned()), source: Some(Source::Recorder), ..Filter::default() },
    ] {
        let selection = home.journal.select(&filter, &owner()).unwrap();
        let window = Window { skip: 0, limit: 3 };
        let hits = index.search(&home.journal, &Query::parse("alpha"), &selection, window, &mut |_, _| true).unwrap();
        assert_eq!((seqs(&hits), hits.more, hits.scanned), (vec![30_001], false, 0));
    }
    // Many origins are sifted, not looked up.
    let selection =
        home.journal.select(&Filter { repo: Some("repo".to_owned()), ..Filter::default() }, &owner()).unwrap();
    assert!(selection.origins.as_ref().is_some_and(|origins| origins.len() == 501));
    let window = Window { skip: 0, limit: 3 };
    let hits = index.search(&home.journal, &Query::parse("longer"), &selection, window, &mut |_, _| true).unwrap();
    assert_eq!(seqs(&hits), [30_001]);
}

#[test]
fn times_types_and_access_hold_in_index_and_tail() {
    let home = home();
    let mut secret = at(message("s", "t3", "word"), 3000);
    secret.secrecy = Secrecy::Secret;
    let mut sealed = at(message("s", "t4", "word"), 4000);
    sealed.visibility = Visibility::Sealed;
    home.append(vec![at(message("s", "t1", "word"), 1000), at(message("s", "t2", "word"), 2000), secret, sealed]);
    for index in [home.index(1_000_000), home.index(0)] {
        let find = |filter: Filter, view| {
            let mut found = seqs(&home.search_in(&index, "word", &filter, view));
            found.sort_unstable();
            found
        };
        let open = View::of(Audience::Recall);
        assert_eq!(find(Filter::default(), open), [1, 2]);
        assert_eq!(find(Filter::default(), View::owner_all()), [1, 2, 3, 4]);
        assert_eq!(find(Filter::default(), owner().with_secret()), [1, 2, 3]);
        assert_eq!(find(Filter { from_ms: Some(2000), ..Filter::default() }, open), [2]);
        assert_eq!(find(Filter { to_ms: Some(1999), ..Filter::default() }, open), [1]);
        assert_eq!(find(Filter { event_type: Some("command".to_owned()), ..Filter::default() }, open), [0u64; 0]);
        assert_eq!(find(Filter { event_type: Some("user_message".to_owned()), ..Filter::default() }, open), [1, 2]);
    }
}

#[test]
fn a_forgotten_event_is_found_neither_in_the_index_nor_in_the_tail() {
    let home = home();
    home.say(&["secret plan", "public plan"]);
    let (scanning, indexed) = (home.index(1_000_000), home.index(0));
    assert_eq!(home.find(&indexed, "plan"), [1, 2]);
    let forget = tombstone(&home, 1);
    home.append(vec![forget]);
    assert_eq!(home.find(&scanning, "plan"), [2]);
    assert_eq!(home.find(&indexed, "plan"), [2]);
    assert!(indexed.delete().unwrap());
    assert_eq!(home.find(&indexed, "plan"), [2]);
}
