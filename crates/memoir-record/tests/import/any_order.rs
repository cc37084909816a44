//! Session files, hook calls and output, in any order and any number of times.

use crate::world::{World, cases, knowable, sorted};
use memoir_testkit::Client;
use memoir_testkit::files::{Way, expected, record, scenario};
use proptest::prelude::*;
use proptest::sample::select;

fn any_client() -> impl Strategy<Value = Client> {
    select(Client::ALL.to_vec())
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn an_import_finds_everything_once_and_in_order(client in any_client(), scenario in scenario(0)) {
        let world = World::new();
        let recording = record(client, &scenario, &world.home());
        world.put_all(&recording);
        let summary = world.import();
        prop_assert!(summary.problems.is_empty(), "{:?}", summary.problems);
        prop_assert!(summary.tally.unknown.is_empty(), "{:?}", summary.tally.unknown);
        let expected = expected(client, &scenario);
        prop_assert_eq!(sorted(world.seen(&recording)), knowable(&expected, &[Way::History]));
        let again = world.import();
        prop_assert_eq!((again.stored, again.revised), (0, 0));
    }
}
