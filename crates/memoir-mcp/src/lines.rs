//! Events as lines: who said what, then where it is from. Everything goes through recall's policy first.

use crate::library::{Library, VIEW};
use crate::when;
use memoir_event::{Archive, Client, Kind, Memory, Speaker, Trigger};
use memoir_index::speech_of;
use memoir_journal::StoredEvent;
use memoir_recall::fit_to_show;
use std::borrow::Cow;

/// What happens in a session and tells a reader nothing.
const fn is_noise(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Usage | Kind::TurnStarted | Kind::TurnCompleted | Kind::Tombstone | Kind::Supersede | Kind::Alias
    )
}

/// What an event says, fit to be shown; none if it may not be shown or says nothing to a reader.
pub(crate) fn said(library: &Library, stored: &StoredEvent) -> Option<String> {
    let event = &stored.event;
    if is_noise(event.kind()) {
        return None;
    }
    let text: Cow<'_, str> = match (Archive::of_event(event), Memory::of_event(event)) {
        (Some(archive), _) => Cow::Owned(of_archive(&archive)),
        (None, Some(memory)) => Cow::Owned(memory.text),
        (None, None) => speech_of(event).unwrap_or_else(|| event.content.plain()),
    };
    let text = fit_to_show(event, text.trim(), &VIEW, &library.redactor)?;
    (!text.trim().is_empty()).then_some(text)
}

/// An archive in one line; it has no text of its own.
pub(crate) fn of_archive(archive: &Archive) -> String {
    let why = match archive.trigger {
        Trigger::Compaction => "its conversation was compacted",
        Trigger::Replaced => "another session began",
        Trigger::Idle => "nobody touched it for a while",
        Trigger::Ended => "it was over",
        Trigger::Asked => "somebody asked for it",
    };
    let (name, session) = (archive.name(), archive.shown_session());
    format!("{session}/{name}: {} events, {} turns, sealed because {why}", archive.events, archive.turns)
}

/// Who said it, in two words.
pub(crate) fn who(stored: &StoredEvent) -> String {
    let event = &stored.event;
    match (Memory::of_event(event), event.kind(), event.speaker) {
        (Some(memory), _, _) => memory.kind.to_string(),
        (None, Kind::UserMessage, _) => "user said".to_owned(),
        (None, Kind::AssistantMessage, _) => "agent said".to_owned(),
        (None, Kind::Reasoning, _) => "agent thought".to_owned(),
        (None, kind, Speaker::User) => format!("user's {}", kind.as_str().replace('_', " ")),
        (None, kind, _) => kind.as_str().replace('_', " "),
    }
}

/// Where an event is from: session, time, id.
pub(crate) fn origin(library: &Library, stored: &StoredEvent) -> String {
    let event = &stored.event;
    let from = if event.kind() == Kind::Memory {
        "memory".to_owned()
    } else {
        one_line(&Client::shown_session(event.client, &event.session))
    };
    let from = fit_to_show(event, &from, &VIEW, &library.redactor).unwrap_or_default();
    format!("{from}, {}, {}", when::shown(stored.ts_ms, &library.zone), stored.id)
}

/// Two lines of an event: what, in quotes, then where from.
pub(crate) fn entry(library: &Library, stored: &StoredEvent, chars_max: usize) -> Option<String> {
    let text = said(library, stored)?;
    let (text, more) = cut(&one_line(&text), chars_max);
    let more = if more > 0 { " …" } else { "" };
    let text = text.replace('"', "'");
    Some(format!("- {}: \"{text}\"{more}\n  {}\n", who(stored), origin(library, stored)))
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, and how many characters of it are left out.
pub(crate) fn cut(text: &str, chars_max: usize) -> (String, usize) {
    match text.char_indices().nth(chars_max) {
        None => (text.to_owned(), 0),
        Some((at, _)) => {
            let (kept, rest) = text.split_at(at);
            (kept.to_owned(), rest.chars().count())
        }
    }
}
