//! What must hold after whatever a client did.

use crate::desk::{Desk, Home};
use crate::things::{LONG_BYTES, Thing, heard, stored};
use memoir_testkit::{Client, Model, Said};
use serde_json::{Map, Value};
use std::fmt::Debug;

/// What two captures of one thing may differ in: by which way it came, and when.
const OF_THE_CAPTURE: [&str; 8] =
    ["eventId", "source", "ts", "tsMs", "recordedAt", "journalSequence", "sequence", "metadata"];

/// Hooks have seen a session: all of it is known once, with no more than what the client wrote down, and the hooks are
/// known to work.
pub fn everything_is_known_once(desk: &Desk, client: Client, model: &Model) {
    let extra = everything_is_known_once_and_more(desk, client, model);
    assert!(extra.is_empty(), "an import alone does not know\n{extra:#?}");
    hooks_have_fired(desk, client);
}

/// With an import the journal holds everything that the model heard, once, and all that an import alone would hold;
/// another import changes nothing; the session is of its project.
///
/// What is known beyond what the client wrote down is given back.
pub fn everything_is_known_once_and_more(desk: &Desk, client: Client, model: &Model) -> Vec<String> {
    desk.import(Home::Usual);
    let events = desk.events(Home::Usual);
    let sort = if keeps_order(client, model, &events) { by_thread } else { by_everything };
    assert_same("the model and the journal", &sort(heard(client, model)), &sort(stored(client, &events)));
    let again = desk.import(Home::Usual);
    assert_eq!((&again["stored"], &again["revised"]), (&0.into(), &0.into()), "{again}");
    assert_eq!(desk.events(Home::Usual), events, "a second import changes nothing");
    desk.import(Home::Apart);
    let (alone, mut both) = (facts(desk, client, &desk.events(Home::Apart)), facts(desk, client, &events));
    let extra = only_in(&both, &alone);
    both.retain(|fact| !extra.contains(fact));
    assert_same("an import alone and all ways together", &alone, &both);
    is_of_the_project(desk, &events);
    desk.memoir(Home::Usual, &["verify"]);
    extra
}

/// No event has another project than the one in which the clients work.
fn is_of_the_project(desk: &Desk, events: &[Value]) {
    let projects = desk.json(Home::Usual, &["projects", "--json"]);
    assert_eq!(projects.len(), 1, "{projects:?}");
    assert_eq!(projects[0]["directory"], desk.world.project().to_str().unwrap());
    assert!(events.iter().all(|event| event["repoId"] == projects[0]["project"]), "{projects:?}");
}

pub fn hooks_have_fired(desk: &Desk, client: Client) {
    let check = desk.doctor(client);
    assert_eq!(check["ok"], true, "{check}");
    assert!(check["detail"].as_str().unwrap().contains("fired last at"), "{check}");
}

/// Whether things are heard and recorded in one order: not those of threads that cannot be told apart, nor of calls that
/// the model makes at once, nor what comes by a stream, which is seen a moment later than what hooks tell.
fn keeps_order(client: Client, model: &Model, events: &[Value]) -> bool {
    let is_told_apart = client != Client::Gemini || model.agent_transcript(client).is_empty();
    let said = model.transcript(client);
    let calls_at_once = said.windows(2).any(|two| two.iter().all(|heard| matches!(heard.said, Said::Call { .. })));
    let is_streamed = events.iter().any(|event| event["source"].as_str().unwrap().ends_with("_exec"));
    is_told_apart && !calls_at_once && !is_streamed
}

/// Threads apart, as they run side by side; each in its order.
fn by_thread(mut things: Vec<Thing>) -> Vec<Thing> {
    things.sort_by(|one, other| (&one.session, &one.agent).cmp(&(&other.session, &other.agent)));
    things
}

/// In no order.
fn by_everything(mut things: Vec<Thing>) -> Vec<Thing> {
    things.sort();
    things
}

/// What is told about each event, sorted.
pub fn facts(desk: &Desk, client: Client, events: &[Value]) -> Vec<String> {
    let project = format!("{}/", desk.world.project().display());
    let mut facts: Vec<String> = events
        .iter()
        // What memoir itself makes of a session is no part of it.
        .filter(|event| event["source"] != "memoir")
        .map(|event| {
            let mut fields: Map<String, Value> = event.as_object().unwrap().clone();
            fields.retain(|name, _| !OF_THE_CAPTURE.contains(&name.as_str()));
            if fields["kind"] == "turn_completed" {
                // A file tells how long it took, a stream what it cost.
                fields["payload"] = fields["payload"]["status"].clone();
            }
            if client == Client::Gemini {
                // Its hooks do not tell which agent calls a tool.
                fields.remove("threadId");
            }
            let mut fact = Value::Object(fields);
            if let Some(text) = fact.pointer_mut("/payload/item/text")
                && text.as_str().is_some_and(|text| text.len() > LONG_BYTES)
            {
                *text = "long".into();
            }
            // A client may name a file in the project by either path.
            fact.to_string().replace(&project, "")
        })
        .collect();
    facts.sort();
    facts
}

/// Fails with what only one side has.
pub fn assert_same<T: PartialEq + Clone + Debug>(what: &str, one: &[T], other: &[T]) {
    let (first, second) = (only_in(one, other), only_in(other, one));
    if !first.is_empty() || !second.is_empty() {
        panic!("{what} differ.\nonly the first has {first:#?}\nonly the second has {second:#?}");
    }
    assert!(one == other, "{what} differ in their order:\n{one:#?}\n{other:#?}");
}

/// What these have and those have not, or not so often.
fn only_in<T: PartialEq + Clone>(these: &[T], those: &[T]) -> Vec<T> {
    let mut left: Vec<&T> = those.iter().collect();
    let mut only = Vec::new();
    for thing in these {
        match left.iter().position(|one| *one == thing) {
            Some(at) => drop(left.remove(at)),
            None => only.push(thing.clone()),
        }
    }
    only
}
