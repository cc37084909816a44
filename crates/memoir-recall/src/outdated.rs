//! What somebody said that no longer holds: what took its place is told instead.

use crate::policy;
use crate::request::Request;
use crate::scope::Scoped;
use memoir_event::{Memory, MemoryKind, MemoryScope};
use memoir_index::speech_of;
use memoir_journal::{Journal, JournalError, Seq, StoredEvent, View};

/// What an event says beside a statement that no longer holds is worth telling if it is more than this share of it.
const BESIDE_SHARE: f32 = 0.5;

/// What became of what an event says.
pub(crate) enum Standing {
    /// It holds, as far as anybody knows.
    Holds,
    /// Something newer took its place; that, if this reader may see it.
    Outdated(Option<Box<StoredEvent>>),
}

impl Standing {
    /// Whether what was made of an event still holds.
    pub fn of(
        journal: &dyn Journal,
        stored: &StoredEvent,
        (request, scoped): (&Request, &Scoped),
    ) -> Result<Standing, JournalError> {
        if request.view.shows_history() || Memory::of_event(&stored.event).is_some() {
            return Ok(Standing::Holds);
        }
        let Some(newer) = replaced(journal, stored)? else { return Ok(Standing::Holds) };
        let Some(newer) = journal.events(&[newer], &request.view)?.pop() else { return Ok(Standing::Outdated(None)) };
        match Memory::of_event(&newer.event).filter(|memory| policy::holds(memory, &request.view)) {
            None => Ok(Standing::Outdated(None)),
            // In the session or at the time that is asked about, the older one held.
            Some(memory) if !is_asked_for(&newer, &memory, (request, scoped)) => Ok(Standing::Holds),
            Some(_) => Ok(Standing::Outdated(Some(Box::new(newer)))),
        }
    }
}

/// What took the place of what an event says: none as long as some of it holds, or most of it was never a statement.
pub(crate) fn replaced(journal: &dyn Journal, stored: &StoredEvent) -> Result<Option<Seq>, JournalError> {
    let made = journal.made_of(stored.seq)?;
    if made.is_empty() {
        return Ok(None);
    }
    let (mut newer, mut said) = (None, 0);
    for made in journal.events(&made, &View::owner_all())? {
        let Some(memory) = Memory::of_event(&made.event).filter(|memory| is_statement(memory.kind)) else {
            continue;
        };
        match journal.successor(made.seq)? {
            Some(by) if by != made.seq => newer = Some(by),
            // Some of what it says holds.
            _ => return Ok(None),
        }
        said += memory.text.chars().count();
    }
    let all = speech_of(&stored.event).map_or(0, |speech| speech.chars().count());
    Ok(newer.filter(|_| said as f32 >= BESIDE_SHARE * all as f32))
}

/// Whether a memory is within what is asked for.
fn is_asked_for(stored: &StoredEvent, memory: &Memory, (request, scoped): (&Request, &Scoped)) -> bool {
    let filter = &request.filter;
    match memory.scope {
        MemoryScope::Session(_) => false,
        MemoryScope::User => {
            filter.session.is_none()
                && filter.from_ms.is_none_or(|from_ms| stored.ts_ms >= from_ms)
                && filter.to_ms.is_none_or(|to_ms| stored.ts_ms < to_ms)
        }
        MemoryScope::Project => {
            scoped.memories.admits(stored.seq, stored.origin, stored.shape, stored.ts_ms, stored.access())
        }
    }
}

/// Whether such a memory says what an event says; others tell what was done in several.
fn is_statement(kind: MemoryKind) -> bool {
    !matches!(kind, MemoryKind::Episode | MemoryKind::Fix | MemoryKind::Procedure)
}
