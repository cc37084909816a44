//! For any bytes, and for any order of events.

use crate::world::{SMALL, World, event_saying, export, ids_of, line};
use memoir_event::Envelope;
use proptest::prelude::*;

/// Bytes that look like trouble more often than random ones do.
fn rubbish() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..40),
        Just(b"{\"eventId\":\"".to_vec()),
        Just(b"{\"eventId\":\"x\",\"sessionId\":\"y\"".to_vec()),
        Just(b"}{".to_vec()),
        Just(b"\"\\ud800".to_vec()),
        Just(b"[[[[{\"a\":".to_vec()),
        Just(vec![0; 30]),
        Just(b"\r\n\n".to_vec()),
    ];
    proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn some_event() -> impl Strategy<Value = Envelope> {
    ("[a-cA]{1,2}", 0u64..12, "\\PC{0,30}").prop_map(|(session, n, text)| event_saying(&session, n, &text))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_between_them_whole_lines_come_out_before_and_after_repair(
        parts in proptest::collection::vec((rubbish(), 0u64..40), 1..8),
        tail in rubbish(),
        index in rubbish(),
        manifest in rubbish(),
    ) {
        let world = World::new();
        let mut bytes = Vec::new();
        let mut whole = Vec::new();
        for (n, (rubbish, extra)) in parts.into_iter().enumerate() {
            let event = event_saying("s", u64::try_from(n).unwrap(), &"x".repeat(usize::try_from(extra).unwrap()));
            bytes.extend_from_slice(&rubbish);
            bytes.push(b'\n');
            bytes.extend_from_slice(line(&event).as_bytes());
            whole.push(event);
        }
        bytes.extend_from_slice(&tail);
        world.write("segments/s.jsonl", &bytes);
        world.write("segments/t.jsonl", &tail);
        world.write("events/r/2026/segment-1.jsonl", &tail);
        world.write("eventid-index.jsonl", index);
        world.write("manifest.json", manifest);
        let all_there = |world: &World| {
            let ids = world.ids();
            ids_of(&whole).iter().all(|id| ids.binary_search(id).is_ok())
        };
        prop_assert!(all_there(&world));
        world.verify();
        world.export(&[]);
        prop_assert!(all_there(&world));
        prop_assert!(!world.export(&whole).repairs.any());
        let findings = world.findings();
        let unexpected = |finding: &&String| {
            !finding.contains(".jsonl: ") || ["checksum", "manifest says", "not committed", "index"].iter().any(|word| finding.contains(word))
        };
        let about_days = |finding: &String| finding.starts_with("events");
        prop_assert_eq!(findings.iter().filter(|finding| !about_days(finding)).find(unexpected), None);
    }

    #[test]
    fn events_in_any_order_and_number_end_in_a_mirror_that_a_second_export_leaves_alone(
        all in proptest::collection::vec(some_event(), 0..40),
        cut in 0usize..40,
    ) {
        let world = World::new();
        let small = world.mirror.clone().with_limits(SMALL);
        let cut = cut.min(all.len());
        export(&small, &all[..cut]);
        world.export(&all[cut..]);
        prop_assert_eq!(world.findings(), Vec::<String>::new());
        let before = world.stamps();
        let again = world.export(&all);
        prop_assert_eq!((again.new, again.revised), (0, 0));
        prop_assert!(!again.repairs.any());
        prop_assert_eq!(world.stamps(), before);
        let mut distinct = ids_of(&all);
        distinct.dedup();
        prop_assert_eq!(world.ids(), distinct);
        for read in world.read().0 {
            let same = all.iter().filter(|event| event.event_id.to_string() == read.event_id);
            let fullest = same.map(|event| event.payload.as_str().len()).max();
            prop_assert_eq!(Some(read.payload.as_str().len()), fullest);
        }
    }

    #[test]
    fn a_mirror_cut_anywhere_is_whole_again_after_the_next_export(
        which in 0usize..6,
        at in 0.0f64..1.0,
    ) {
        let all: Vec<Envelope> = (0..30).map(|n| event_saying(["a", "b"][usize::try_from(n % 2).unwrap()], n, "some text")).collect();
        let world = World::with(&all);
        let names = ["manifest.json", "sparse-index.jsonl", "eventid-index.jsonl", "segments/a.jsonl", "segments/b.jsonl", "project.json"];
        let text = world.text(names[which]);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let cut = (text.len() as f64 * at) as usize;
        world.write(names[which], &text[..cut]);
        world.export(&all);
        world.holds_once(&all);
        prop_assert!(!world.export(&all).repairs.any());
    }
}
