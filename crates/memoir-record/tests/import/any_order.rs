//! Session files, hook calls and output, in any order and any number of times.

use crate::world::{Seen, World, cases, client_of, knowable, sorted};
use memoir_testkit::Client;
use memoir_testkit::files::{
    End, Fork, Made, Manner, Recording, Reply, Scenario, Turn, Way, expected, record, scenario,
};
use proptest::prelude::*;
use proptest::sample::select;

pub fn any_client() -> impl Strategy<Value = Client> {
    select(Client::ALL.to_vec())
}

/// Something that memoir does, or that is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Imports what is there in the end.
    Import,
    /// Hears of every hook call, one after another: while files grow, or when all is over.
    Hooks,
    /// Reads what each run printed.
    Streams,
}

impl World {
    pub fn act(&self, act: Act, recording: &Recording, scenario: &Scenario, time: u32) {
        let client = client_of(recording.client);
        match act {
            Act::Import => {
                self.put_all(recording);
                self.import();
            }
            Act::Hooks if self.is_empty() => self.live(recording, scenario, false, &|_| false),
            Act::Hooks => recording.hooks().iter().for_each(|(at_ms, payload)| self.hook(client, *at_ms, payload)),
            Act::Streams => {
                for (run, lines) in recording.runs().iter().enumerate() {
                    self.listen(client, Some(&prompt_of(scenario, run)), lines, time);
                }
            }
        }
    }

    /// Lets everything happen as it did: files grow, hooks are called, output is read. `at_rest` says after which beats
    /// somebody imports.
    pub fn live(&self, recording: &Recording, scenario: &Scenario, listens: bool, at_rest: &dyn Fn(usize) -> bool) {
        let client = client_of(recording.client);
        let runs = recording.runs();
        let is_last = |run: usize, number: usize| {
            !recording.beats[number + 1..]
                .iter()
                .any(|beat| matches!(&beat.made, Made::Shown { run: of, .. } if *of == run))
        };
        for (number, beat) in recording.beats.iter().enumerate() {
            match &beat.made {
                Made::Line { file, text } => self.append(file, format!("{text}\n").as_bytes()),
                Made::File { file, text } => self.put(file, text.as_bytes()),
                Made::Hook(payload) => self.hook(client, beat.at_ms, payload),
                Made::Shown { run, .. } if listens && is_last(*run, number) => {
                    self.listen(client, Some(&prompt_of(scenario, *run)), &runs[*run], 0);
                }
                Made::Shown { .. } => {}
            }
            if at_rest(number) {
                self.import();
            }
        }
    }
}

/// What the user asked in the so-manieth run.
fn prompt_of(scenario: &Scenario, run: usize) -> String {
    let own = scenario.fork.iter().flat_map(|fork| &fork.turns);
    scenario.turns.iter().chain(own).nth(run).map(Turn::whole_prompt).unwrap_or_default()
}

fn ways_of(acts: &[Act]) -> Vec<Way> {
    let way = |act: &Act| match act {
        Act::Import => Way::History,
        Act::Hooks => Way::Hooks,
        Act::Streams => Way::Stream,
    };
    acts.iter().map(way).collect()
}

pub fn check(world: &World, recording: &Recording, scenario: &Scenario, ways: &[Way]) -> Result<(), TestCaseError> {
    let expected = knowable(&expected(recording.client, scenario), ways);
    let seen = sorted(world.seen(recording));
    let missing: Vec<&Seen> = without(&expected, &seen);
    let too_many: Vec<&Seen> = without(&seen, &expected);
    prop_assert!(
        missing.is_empty() && too_many.is_empty(),
        "missing {missing:#?}\ntoo many {too_many:#?}\n{}",
        world.told()
    );
    Ok(())
}

/// What is left of `these` when each of `others` takes one away.
fn without<'a>(these: &'a [Seen], others: &[Seen]) -> Vec<&'a Seen> {
    let mut others: Vec<&Seen> = others.iter().collect();
    let mut left = Vec::new();
    for seen in these {
        match others.iter().position(|other| *other == seen) {
            Some(at) => drop(others.swap_remove(at)),
            None => left.push(seen),
        }
    }
    left
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
        check(&world, &recording, &scenario, &[Way::History])?;
        let again = world.import();
        prop_assert_eq!((again.stored, again.revised), (0, 0));
    }

    #[test]
    fn hooks_and_files_as_they_come_give_each_thing_once(
        client in any_client(), scenario in scenario(0), listens: bool, rest in 0usize..40,
    ) {
        let world = World::new();
        let recording = record(client, &scenario, &world.home());
        world.live(&recording, &scenario, listens, &|number| rest > 0 && number % rest == rest - 1);
        world.import();
        let ways = if listens { vec![Way::History, Way::Hooks, Way::Stream] } else { vec![Way::History, Way::Hooks] };
        check(&world, &recording, &scenario, &ways)?;
    }

    #[test]
    fn every_order_of_capture_gives_each_thing_once(
        client in any_client(),
        scenario in scenario(0),
        acts in Just(vec![Act::Import, Act::Hooks, Act::Streams, Act::Import, Act::Hooks]).prop_shuffle(),
        few in 1usize..6,
    ) {
        let acts = &acts[..few];
        let world = World::new();
        let recording = record(client, &scenario, &world.home());
        for (time, act) in (0..).zip(acts) {
            world.act(*act, &recording, &scenario, time);
        }
        let mut ways = ways_of(acts);
        ways.push(Way::History);
        world.act(Act::Import, &recording, &scenario, 0);
        check(&world, &recording, &scenario, &ways)?;
    }
}

/// What one home holds, brought into another as a mirror or a push brings it.
fn bring(from: &World, to: &World, at_once: usize) {
    let mut names = memoir_capture::RegainedNames::default();
    let mut stored = from.events();
    stored.sort_by_key(|stored| stored.seq);
    let events: Vec<_> = stored
        .into_iter()
        .map(|stored| {
            let mut event = stored.into_envelope().into_event();
            names.give(&mut event);
            event
        })
        .collect();
    for part in events.chunks(at_once) {
        to.take_in(part);
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn what_comes_from_another_home_is_the_same_thing_as_what_is_captured_here(
        client in any_client(),
        scenario in scenario(0),
        there in Just(vec![Act::Import, Act::Hooks, Act::Streams]).prop_shuffle(),
        here in Just(vec![Act::Import, Act::Hooks, Act::Streams]).prop_shuffle(),
        few in (1usize..4, 0usize..4),
        brought_after in 0usize..4,
        at_once in select(vec![3usize, 500]),
    ) {
        let (there, here) = (&there[..few.0], &here[..few.1]);
        let other = World::new();
        let recording = record(client, &scenario, &other.home());
        for (time, act) in (0..).zip(there) {
            other.act(*act, &recording, &scenario, time);
        }
        let world = World::of_same_user(&other);
        let whole = sorted(other.seen(&recording)).len();
        let brought_after = brought_after.min(here.len());
        for (time, act) in (0..).zip(&here[..brought_after]) {
            world.act(*act, &recording, &scenario, time);
        }
        bring(&other, &world, at_once);
        if brought_after == 0 {
            prop_assert_eq!(world.seen(&recording).len(), whole, "{}\n\n{}", other.told(), world.told());
        }
        for (time, act) in (5..).zip(&here[brought_after..]) {
            world.act(*act, &recording, &scenario, time);
        }
        world.act(Act::Import, &recording, &scenario, 9);
        let before = world.events().len();
        bring(&other, &world, at_once);
        prop_assert_eq!(world.events().len(), before, "brought again");
        let mut ways: Vec<Way> = ways_of(there).into_iter().chain(ways_of(here)).collect();
        ways.push(Way::History);
        check(&world, &recording, &scenario, &ways)?;
    }
}

/// One exchange, "ok" and "Done".
fn exchange(compaction: Option<&str>) -> Turn {
    let reply = Reply { thought: None, texts: vec!["Done".to_owned()], calls: Vec::new(), tokens: (1, 1) };
    Turn {
        pause_s: 1,
        prompt: "ok".to_owned(),
        blocks: Vec::new(),
        compaction: compaction.map(str::to_owned),
        replies: Vec::new(),
        end: End::Answer(reply),
    }
}

#[test]
fn what_is_brought_twice_is_stored_once_also_of_a_fork_that_says_the_same() {
    let fork = Fork { after: 1, turns: vec![exchange(Some("The story so far. so"))] };
    let scenario = Scenario { number: 0, manner: Manner::Printed, turns: vec![exchange(None)], fork: Some(fork) };
    let other = World::new();
    let recording = record(Client::Claude, &scenario, &other.home());
    other.act(Act::Hooks, &recording, &scenario, 0);
    let world = World::of_same_user(&other);
    world.act(Act::Import, &recording, &scenario, 0);
    world.act(Act::Hooks, &recording, &scenario, 1);
    bring(&other, &world, 3);
    world.act(Act::Import, &recording, &scenario, 9);
    let before = world.told();
    bring(&other, &world, 3);
    assert_eq!(world.told(), before, "{}", other.told());
}
