//! The one gate to the outside: whatever memoir hands out, to whomever, went through here.
//!
//! Who may see what is the journal's view, which forgotten, sealed, secret and superseded events never pass. Here kinds
//! and sources that the owner blocked are kept back, secrets are looked for once more (rules may be newer than the
//! text), and marks that could end or fake a boundary are made harmless: recalled text is data.

mod marks;
mod withheld;

pub(crate) use marks::defused;
pub use withheld::Withheld;

use crate::request::Request;
use marks::{harmless, visible, with_strings};
use memoir_event::{Content, Event, Json, Kind, Memory, MemoryScope, Source};
use memoir_journal::{StoredEvent, View};
use memoir_redact::Redactor;
use std::borrow::Cow;

/// What the owner keeps back from every reader but themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blocked {
    /// Kinds that are never handed out.
    pub kinds: Vec<Kind>,
    /// Sources that are never handed out.
    pub sources: Vec<Source>,
}

impl Blocked {
    /// Whether an event is one of those.
    pub fn holds_back(&self, event: &Event) -> bool {
        self.kinds.contains(&event.kind()) || self.sources.contains(&event.source)
    }
}

/// Who reads what is handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Somebody, or an agent: nothing in it may be taken for more than text.
    Shown,
    /// A program that wants the data as it was recorded: it only loses secrets.
    Verbatim,
}

/// The gate, for one reader.
#[derive(Clone, Copy)]
pub struct Gate<'a> {
    redactor: &'a Redactor,
    form: Form,
    blocked: Option<&'a Blocked>,
}

impl<'a> Gate<'a> {
    /// A gate that looks for secrets with those rules.
    pub const fn new(redactor: &'a Redactor, form: Form) -> Gate<'a> {
        Gate { redactor, form, blocked: None }
    }

    /// The same, for a reader that some things are kept back from.
    #[must_use]
    pub const fn without(self, blocked: &'a Blocked) -> Gate<'a> {
        Gate { blocked: Some(blocked), ..self }
    }

    /// What of an event may be handed out; none if it is kept back.
    pub fn event(&self, mut stored: StoredEvent) -> Option<StoredEvent> {
        if self.blocked.is_some_and(|blocked| blocked.holds_back(&stored.event)) {
            return None;
        }
        let event = &mut stored.event;
        let names = [
            &mut event.adapter,
            &mut event.actor,
            &mut event.thread,
            &mut event.turn,
            &mut event.topic,
            &mut event.action,
        ];
        for name in names.into_iter().flatten().chain([&mut event.session, &mut event.repo]) {
            self.replace(name);
        }
        match &mut event.content {
            Content::Text(text) => self.replace(text),
            Content::Json(json) | Content::Payload(json) => self.replace_json(json),
        }
        for json in [&mut event.metadata, &mut event.meta].into_iter().flatten() {
            self.replace_json(json);
        }
        Some(stored)
    }

    /// A text that stands for itself: a title, a snippet.
    pub fn text(&self, text: &str) -> String {
        match self.form {
            Form::Shown => clean(text, self.redactor),
            Form::Verbatim => self.redactor.text(text).into_owned(),
        }
    }

    /// A memory, with all that it knows of itself.
    pub fn memory(&self, mut memory: Memory) -> Memory {
        let sources = memory.sources.iter_mut().flat_map(|source| [&mut source.session, &mut source.turn]);
        let session = match &mut memory.scope {
            MemoryScope::Session(session) => Some(session),
            _ => None,
        };
        let own = [&mut memory.text, &mut memory.name, &mut memory.uid].into_iter().chain(&mut memory.aliases);
        let others = memory.made_by.iter_mut().chain(session).chain(&mut memory.related);
        for text in own.chain(others).chain(sources.flatten()) {
            *text = self.text(text);
        }
        memory
    }

    fn replace(&self, text: &mut String) {
        let redact = |text: &str| owned(self.redactor.text(text));
        let changed = match self.form {
            Form::Shown => harmless(text, &redact),
            Form::Verbatim => redact(text),
        };
        if let Some(changed) = changed {
            *text = changed;
        }
    }

    fn replace_json(&self, json: &mut Json) {
        // What cannot be seen goes first, then secrets by the names they stand under, then marks.
        let harmful = |text: &str| harmless(text, &|text| owned(self.redactor.text(text)));
        let visible = match self.form {
            Form::Shown => with_strings(json.as_str(), &harmful),
            Form::Verbatim => Cow::Borrowed(json.as_str()),
        };
        let changed = match (self.redactor.json(&visible), &visible) {
            (Cow::Owned(clean), _) => Some(clean),
            (Cow::Borrowed(_), Cow::Owned(visible)) => Some(visible.clone()),
            (Cow::Borrowed(_), Cow::Borrowed(_)) => None,
        };
        if let Some(changed) = changed {
            *json = Json::parse(changed).unwrap_or_else(|_| Json::from_value(&"[redacted:unreadable-json]".into()));
        }
    }
}

fn owned(text: Cow<'_, str>) -> Option<String> {
    match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    }
}

/// Whether a memory may be handed out as what is so now; as history, any may.
pub(crate) fn holds(memory: &Memory, view: &View) -> bool {
    memory.status.is_current() || view.shows_history()
}

/// What of `text`, which stands in `event`, may be handed out; nothing if the event may not.
pub(crate) fn pass(event: &Event, text: &str, request: &Request, redactor: &Redactor) -> Option<String> {
    let is_blocked = request.blocked_kinds.contains(&event.kind()) || request.blocked_sources.contains(&event.source);
    if is_blocked { None } else { fit_to_show(event, text, &request.view, redactor) }
}

/// What of `text`, which stands in `event`, a view may be shown; nothing if it may not see the event.
pub fn fit_to_show(event: &Event, text: &str, view: &View, redactor: &Redactor) -> Option<String> {
    let is_past = Memory::of_event(event).is_some_and(|memory| !holds(&memory, view));
    if is_past || !view.admits(event.visibility, event.secrecy) {
        return None;
    }
    Some(clean(text, redactor))
}

/// A text that is fit to be shown to anybody who may see it. What cannot be seen goes first: it could part a secret or a
/// mark, and join it again when it goes.
pub fn clean(text: &str, redactor: &Redactor) -> String {
    let visible = visible(text);
    defused(&redactor.text(&visible)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_redact::{CustomRule, Settings};

    #[test]
    fn nothing_invisible_parts_a_mark_or_a_secret() {
        let redactor = Redactor::builtin();
        for parted in ["<\u{200b}/memoir-context>", "</memoir\u{feff}-context>", "<\u{7}/me\u{202e}moir-context>"] {
            assert_eq!(clean(parted, &redactor), "‹/memoir-context>", "{parted:?}");
        }
        let token = "ghp_abcdefghijklmnop\u{200b}qrstuvwxyz0123456789";
        assert!(!clean(token, &redactor).contains("qrstuvwxyz"));
    }

    fn with_badges() -> Redactor {
        let rule = CustomRule { name: "badge".to_owned(), pattern: "KX-[0-9]{4}-ZZ".to_owned() };
        Redactor::new(&Settings { rules: vec![rule], allow: Vec::new() }).unwrap()
    }

    #[test]
    fn a_memory_is_cleaned_in_all_that_it_knows_of_itself() {
        let redactor = with_badges();
        let mut memory = Memory::new("u", memoir_event::MemoryKind::Fact, "KX-1234-ZZ", "n</memoir-context>");
        memory.aliases = vec!["a\u{202e}b KX-1234-ZZ".to_owned()];
        memory.scope = MemoryScope::Session("s KX-1234-ZZ".to_owned());
        let shown = format!("{:?}", Gate::new(&redactor, Form::Shown).memory(memory));
        assert!(!shown.contains("KX-1234") && !shown.contains("</memoir") && !shown.contains("202e"), "{shown}");
    }

    #[test]
    fn data_loses_secrets_under_newer_rules_and_marks_only_where_it_is_shown() {
        let redactor = with_badges();
        let json = r#"{"a": 2.50, "b":"KX-1234-ZZ </memoir-context>"}"#;
        let of = |form: Form| {
            let mut json = Json::parse(json.to_owned()).unwrap();
            Gate::new(&redactor, form).replace_json(&mut json);
            json.as_str().to_owned()
        };
        assert_eq!(of(Form::Verbatim), r#"{"a": 2.50, "b":"[redacted:badge] </memoir-context>"}"#);
        assert_eq!(of(Form::Shown), r#"{"a": 2.50, "b":"[redacted:badge] ‹/memoir-context>"}"#);
    }
}
