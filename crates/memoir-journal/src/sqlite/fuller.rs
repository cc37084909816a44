//! Which of two captures of one event says more, and what both say together.

use memoir_event::{Event, Json, Kind};

/// How much an event says: a count says the more the higher it is.
fn weight(event: &Event) -> u64 {
    let said = event.content.verbatim();
    match event.kind() {
        Kind::Usage => {
            let counts: serde_json::Map<String, serde_json::Value> = serde_json::from_str(said).unwrap_or_default();
            counts.values().filter_map(serde_json::Value::as_u64).fold(0, u64::saturating_add)
        }
        _ => u64::try_from(said.len()).unwrap_or(u64::MAX),
    }
}

/// What readers are to see from now on, if a capture says more than what is known: more text, or more about it. What it
/// leaves out and was known stays.
pub fn fuller(event: &Event, known: &Event) -> Option<Event> {
    if event.kind() == Kind::Memory {
        // What is known of something changes: the last word counts.
        return (event.content != known.content).then(|| event.clone());
    }
    let (new, old) = (weight(event), weight(known));
    let ids = |event: &Event| [event.turn.is_some(), event.topic.is_some(), event.action.is_some()];
    let names_more = ids(event).into_iter().zip(ids(known)).any(|(new, old)| new && !old);
    let tells_more =
        has_more(event.metadata.as_ref(), known.metadata.as_ref()) && (known.metadata.is_some() || new == old);
    let names_agent = event.session == known.session && is_of_agent(event) && !is_of_agent(known);
    if new <= old && !names_more && !tells_more && !names_agent {
        return None;
    }
    let mut fuller = event.clone();
    if new < old {
        fuller.content = known.content.clone();
        fuller.metadata = both(known.metadata.as_ref(), event.metadata.as_ref());
        fuller.reasoning = known.reasoning;
    } else if new == old && names_in(known.metadata.as_ref()) > names_in(event.metadata.as_ref()) {
        fuller.metadata = both(known.metadata.as_ref(), event.metadata.as_ref());
    } else {
        fuller.metadata = both(event.metadata.as_ref(), known.metadata.as_ref());
    }
    fuller.turn = fuller.turn.or_else(|| known.turn.clone());
    fuller.topic = fuller.topic.or_else(|| known.topic.clone());
    fuller.action = fuller.action.or_else(|| known.action.clone());
    Some(fuller)
}

/// Whether a sub-agent did it: not every way of capture knows that, and who says so knows.
pub fn is_of_agent(event: &Event) -> bool {
    event.thread.as_ref().is_some_and(|thread| *thread != event.session)
}

/// Whether metadata says something that the known one does not speak of.
fn has_more(new: Option<&Json>, known: Option<&Json>) -> bool {
    match (new, known) {
        (Some(_), None) => true,
        (Some(new), Some(known)) if new != known => {
            let (new, known) = (new.to_value(), known.to_value());
            let (new, known) = (new.as_object(), known.as_object());
            let (Some(new), Some(known)) = (new, known) else { return false };
            new.keys().any(|name| !known.contains_key(name))
        }
        _ => false,
    }
}

/// Of how many things metadata speaks.
fn names_in(metadata: Option<&Json>) -> usize {
    metadata.and_then(|json| json.to_value().as_object().map(serde_json::Map::len)).unwrap_or(0)
}

/// What both say; where they differ, the first counts.
fn both(first: Option<&Json>, second: Option<&Json>) -> Option<Json> {
    let (Some(first), Some(second)) = (first, second) else { return first.or(second).cloned() };
    if !has_more(Some(second), Some(first)) {
        return Some(first.clone());
    }
    let (mut all, more) = (first.to_value(), second.to_value());
    if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
        for (name, value) in more {
            all.entry(name).or_insert_with(|| value.clone());
        }
    }
    Some(Json::from_value(&all))
}
