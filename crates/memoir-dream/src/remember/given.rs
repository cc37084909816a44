//! What somebody gives to be remembered, and the memory that it makes.

use crate::about::change_in;
use crate::naming::{aliases_in, name_of, tells_by_itself};
use memoir_event::{
    EventId, MEMORY_ALIASES_MAX, MEMORY_NAME_CHARS_MAX, Memory, MemoryKind, MemoryScope, MemorySource, MemoryStatus,
    Secrecy, Visibility,
};
use memoir_journal::StoredEvent;
use memoir_redact::Redactor;

/// A memory that somebody gives. What is left out is found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// What it says.
    pub text: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// What it is called.
    pub name: Option<String>,
    /// What else it is called.
    pub aliases: Vec<String>,
    /// For whom it holds.
    pub scope: MemoryScope,
    /// The project.
    pub project: String,
    /// How far it holds.
    pub status: MemoryStatus,
    /// How sure it is.
    pub confidence: f32,
    /// Whether the user wants it always at hand.
    pub pinned: bool,
    /// How often it was said again, if that is known.
    pub reinforced: u32,
    /// When, in milliseconds since 1970.
    pub reinforced_ms: Option<i64>,
    /// Ids of memories that belong with it.
    pub related: Vec<String>,
    /// Where it is from.
    pub sources: Vec<MemorySource>,
    /// Who or what made it.
    pub made_by: Option<String>,
    /// Who says it.
    pub actor: Option<String>,
    /// When it was said, if not now.
    pub ts_ms: Option<i64>,
    /// How confidential it is.
    pub secrecy: Secrecy,
    /// Where it may appear.
    pub visibility: Visibility,
    /// What its maker calls it; the same again is the same memory.
    pub uid: Option<String>,
    /// Memories whose place it takes, by their ids.
    pub supersedes: Vec<EventId>,
    /// How it comes here.
    pub way: Way,
}

/// How a memory comes here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The user says it now: this holds, whatever was forgotten before.
    Said,
    /// An agent says it now: it counts the more when it is said again, but what the user forgot stays so.
    SaidByAgent,
    /// A file or a program brings it: if it was forgotten, it stays so.
    Brought,
}

impl Given {
    /// Something that the user says, in a project.
    pub fn new(text: &str, project: &str) -> Given {
        Given {
            text: text.to_owned(),
            kind: MemoryKind::Fact,
            name: None,
            aliases: Vec::new(),
            scope: MemoryScope::Project,
            project: project.to_owned(),
            status: MemoryStatus::Active,
            confidence: 1.0,
            pinned: false,
            reinforced: 0,
            reinforced_ms: None,
            related: Vec::new(),
            sources: Vec::new(),
            made_by: None,
            actor: None,
            ts_ms: None,
            secrecy: Secrecy::Sensitive,
            visibility: Visibility::Normal,
            uid: None,
            supersedes: Vec::new(),
            way: Way::Said,
        }
    }

    /// Whether fewer may see it than that.
    pub(super) fn is_stricter_than(&self, stored: &StoredEvent) -> bool {
        let event = &stored.event;
        self.secrecy.code() > event.secrecy.code() || self.visibility.code() > event.visibility.code()
    }
}

/// The memory that is made of what was given.
pub(crate) fn memory_of(given: &Given, uid: &str, redactor: &Redactor) -> Memory {
    let text = given.text.trim();
    // What it is called is taken from what may be kept of it.
    let kept = redactor.text(text);
    let given_name = given.name.clone().filter(|name| !name.trim().is_empty());
    // What comes out of memoir and back in has names that were found, too.
    let found = if given.way == Way::Brought { [aliases_in(&kept), vec![name_of(&kept)]].concat() } else { Vec::new() };
    let is_given = |name: &&String| !name.trim().is_empty() && !found.contains(name);
    let given_names: Vec<String> = given_name.iter().chain(&given.aliases).filter(is_given).cloned().collect();
    let name: String = given_name.unwrap_or_else(|| name_of(&kept)).chars().take(MEMORY_NAME_CHARS_MAX).collect();
    let mut aliases = given.aliases.clone();
    // Whoever brings names of their own knows best.
    if given.uid.is_none() || given.aliases.is_empty() {
        let change = change_in(&kept);
        aliases.extend(change.came.into_iter().chain(change.left).filter(|thing| tells_by_itself(thing)));
        aliases.extend(aliases_in(&kept));
    }
    aliases.retain(|alias| !alias.trim().is_empty() && !alias.eq_ignore_ascii_case(&name));
    let mut seen: Vec<String> = Vec::new();
    aliases.retain(|alias| {
        let is_new = !seen.contains(&alias.to_lowercase());
        seen.push(alias.to_lowercase());
        is_new
    });
    aliases.truncate(MEMORY_ALIASES_MAX);
    Memory {
        aliases,
        scope: given.scope.clone(),
        status: given.status,
        confidence: given.confidence.clamp(0.0, 1.0),
        pinned: given.pinned,
        reinforced: given.reinforced,
        reinforced_ms: given.reinforced_ms,
        related: given.related.clone(),
        sources: given.sources.clone(),
        made_by: given.made_by.clone(),
        given_names,
        ..Memory::new(uid, given.kind, text, &name)
    }
}
