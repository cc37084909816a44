//! For any bytes, and for any order of events.

use crate::world::{SMALL, World, append, event_saying, export, id_set, ids_of, line, project, wall_clock};
use memoir_event::Envelope;
use proptest::prelude::*;
use std::collections::BTreeMap;

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

/// One thing that is done to a mirror with some events, each with how much it says: more or less than before.
#[derive(Debug, Clone)]
struct Deed {
    what: What,
    events: Vec<(Which, usize)>,
    /// Before that a writer appends these events and is gone before it commits.
    interrupted: bool,
    small: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Append,
    Remove,
}

/// A session, and an event of it.
type Which = (usize, u64);

const SESSIONS: [&str; 4] = ["a", "A", "b/c", "d"];
const PER_SESSION: u64 = 8;

fn deed() -> impl Strategy<Value = Deed> {
    let what = prop_oneof![Just(What::Append), Just(What::Remove)];
    let events = proptest::collection::vec(((0..SESSIONS.len(), 0..PER_SESSION), 0usize..200), 0..12);
    let deed = |(what, events, interrupted, small)| Deed { what, events, interrupted, small };
    (what, events, proptest::bool::weighted(0.2), any::<bool>()).prop_map(deed)
}

fn all() -> impl Iterator<Item = Which> {
    (0..SESSIONS.len()).flat_map(|session| (0..PER_SESSION).map(move |n| (session, n)))
}

/// What only this event says.
fn mark((session, n): Which) -> String {
    format!("<said in {session} as number {n}>")
}

fn saying((which, extra): &(Which, usize)) -> Envelope {
    event_saying(SESSIONS[which.0], which.1, &(mark(*which) + &"x".repeat(*extra)))
}

/// The payload of each event that a mirror has.
fn held(world: &World) -> BTreeMap<Which, String> {
    if !world.mirror.exists() {
        return BTreeMap::new();
    }
    let by_id: BTreeMap<String, Which> = all().map(|which| (saying(&(which, 0)).event_id.to_string(), which)).collect();
    world.read().0.into_iter().map(|event| (by_id[&event.event_id], event.payload.as_str().to_owned())).collect()
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

    #[test]
    fn after_any_appends_and_removals_a_mirror_holds_the_fullest_of_what_is_not_removed(
        deeds in proptest::collection::vec(deed(), 1..12),
    ) {
        let world = World::new();
        let small = world.mirror.clone().with_limits(SMALL);
        let mut model: BTreeMap<Which, String> = BTreeMap::new();
        for deed in deeds {
            let mirror = if deed.small { &small } else { &world.mirror };
            let events: Vec<Envelope> = deed.events.iter().map(saying).collect();
            if deed.interrupted {
                let mut writer = mirror.writer(&project(), &wall_clock()).unwrap();
                events.iter().for_each(|event| _ = append(&mut writer, event));
            }
            if deed.what == What::Append {
                export(mirror, &events);
                for ((which, _), event) in deed.events.iter().zip(&events) {
                    let fullest = model.entry(*which).or_default();
                    if event.payload.as_str().len() > fullest.len() {
                        *fullest = event.payload.as_str().to_owned();
                    }
                }
            } else {
                let there = deed.events.iter().filter(|(which, _)| model.remove(which).is_some()).count();
                let removed = mirror.remove(&id_set(&events), &wall_clock()).unwrap();
                prop_assert!(removed.events == u64::try_from(there).unwrap() || deed.interrupted);
                prop_assert_eq!(removed.events == 0, removed.segments == 0);
                world.holds_none_of(&events);
            }
            prop_assert_eq!(held(&world), model.clone());
            if world.mirror.exists() {
                prop_assert_eq!(world.findings(), Vec::<String>::new());
                for which in all().filter(|which| !model.contains_key(which)) {
                    prop_assert_eq!(world.files_with(&mark(which)), Vec::<String>::new());
                }
            }
        }
    }
}
