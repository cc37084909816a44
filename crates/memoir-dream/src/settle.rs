//! Takes what a rule found into the book: as something new, as something said again, in the place of something older,
//! or not at all.

use crate::about::{Meets, only_meant};
use crate::book::{Fate, Known, Shelf};
use crate::claim::{Claim, Relation};
use crate::naming::name_of;
use crate::remember::{Given, memory_of};
use crate::rules::{Derived, Rule, Voice, find};
use crate::statement::{Statement, core};
use memoir_event::{EventId, MemoryScope, MemorySource, MemoryStatus, Visibility};
use memoir_redact::Redactor;
use std::collections::BTreeSet;

/// So many sources are kept of a memory.
const SOURCES_MAX: usize = 32;
/// Statements are compared that share this much.
const NEAR_SHARE: f32 = 0.4;
/// Who says this much of what is to be forgotten says it again.
pub(crate) const UNSAID_SHARE: f32 = 0.8;
/// What became of what a rule found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Became {
    /// A memory of its own.
    New,
    /// It was known, and was said again.
    Again,
    /// It was known already from these very events.
    Known,
    /// What is known is newer, or weighs more.
    Outweighed,
    /// It was forgotten, and stays so.
    Forgotten,
    /// There is nothing in it.
    Empty,
}

impl Became {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Became::New => "new",
            Became::Again => "again",
            Became::Known => "known",
            Became::Outweighed => "outweighed",
            Became::Forgotten => "forgotten",
            Became::Empty => "empty",
        }
    }
}

/// What came of it: which memory, and which others it took the place of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    pub became: Became,
    pub at: Option<usize>,
    /// Older ones and what takes their place.
    pub superseded: Vec<(usize, usize)>,
}

impl Settled {
    const fn only(became: Became) -> Settled {
        Settled { became, at: None, superseded: Vec::new() }
    }
}

/// Settles one finding on the shelf of its scope.
pub(crate) struct Settling<'a> {
    pub shelf: &'a mut Shelf,
    pub redactor: &'a Redactor,
    pub scope: &'a MemoryScope,
    pub project: &'a str,
    /// The session as people see it.
    pub session: &'a str,
    /// Names a statement so that nothing can be read from the name.
    pub name: &'a dyn Fn(&str) -> String,
}

impl Settling<'_> {
    pub fn settle(&mut self, derived: &Derived) -> Settled {
        let mut statement = Statement::of(derived.about.as_deref().unwrap_or(&derived.text));
        // Who says "from now on" or "correction" says that it is new, and no such word is kept.
        statement.is_new |= matches!(derived.rule, Rule::FromNowOn | Rule::Update) && statement.subject().is_some();
        if statement.is_empty() {
            return Settled::only(Became::Empty);
        }
        if derived.rule == Rule::Correction
            && let Some(right) = self.put_right(derived, &statement)
        {
            return self.settle(&right);
        }
        let (uid, is_work) = (self.uid(derived, &statement), derived.rule.voice() == Voice::Work);
        if let Some(at) = self.shelf.of_uid(&uid).filter(|at| is_work || !self.is_in_other_order(*at, &statement))
            && let Some(settled) = self.meet_same(at, derived)
        {
            return settled;
        }
        let near: Vec<(usize, Meets)> = if is_work { Vec::new() } else { self.near(&statement, derived.ts_ms) };
        if let Some((at, _)) = near.iter().find(|(_, meets)| *meets == Meets::Same)
            && let Some(settled) = self.meet_same(*at, derived)
        {
            return settled;
        }
        if !is_work && !derived.rule.is_wish() && self.says_what_was_unsaid(&statement) {
            return Settled::only(Became::Forgotten);
        }
        if is_work {
            self.in_place_of_same_work(derived, &statement, uid)
        } else {
            self.add(derived, &statement, uid, &near)
        }
    }

    /// "5433 is wrong, it should be 5434" says something only with what it corrects: that is told again with the new value.
    fn put_right(&self, derived: &Derived, statement: &Statement) -> Option<Derived> {
        let change = statement.change();
        let ([left], [came]) = (change.left.as_slice(), change.came.as_slice()) else { return None };
        // Who names what it is of needs no help.
        let is_bare = |claim: &Claim| claim.relation == Relation::Is && claim.subject.iter().all(|word| word == "it");
        if !statement.claims.iter().all(is_bare) {
            return None;
        }
        // As it was written.
        let came = find(&derived.text.to_ascii_lowercase(), &came.to_ascii_lowercase())
            .and_then(|at| derived.text.get(at..at + came.len()))
            .unwrap_or(came);
        let meant = self.near(statement, derived.ts_ms).into_iter().filter(|(_, meets)| *meets == Meets::Otherwise);
        let mut told =
            meant.filter_map(|(at, _)| self.shelf.at(at)).filter(|known| known.holds()).filter_map(|known| {
                let text = &known.memory.text;
                let at = find(&text.to_ascii_lowercase(), &left.to_ascii_lowercase())?;
                Some(format!("{}{came}{}", text.get(..at)?, text.get(at + left.len()..)?))
            });
        let text = told.next().filter(|_| told.next().is_none())?;
        Some(Derived { rule: Rule::Update, text, ..derived.clone() })
    }

    /// What a finding is called: after what it says and for whom it holds. Work is called after what it is about.
    fn uid(&self, derived: &Derived, statement: &Statement) -> String {
        let scope = match self.scope {
            MemoryScope::Session(session) => session.as_str(),
            other => other.name(),
        };
        let project = if *self.scope == MemoryScope::User { "" } else { self.project };
        let name = |what: &str| (self.name)(&format!("{project}\0{scope}\0{what}"));
        let key = statement.key();
        match derived.rule.voice() {
            Voice::Work => {
                let text = Statement::of(&derived.text).key();
                format!("w-{}-{}", name(&format!("{}\0{key}", derived.rule)), name(&text))
            }
            _ => format!("d-{}", name(&key)),
        }
    }

    /// The same is known. None if that does not hold any more and this is newer: then it is something new.
    fn meet_same(&mut self, at: usize, derived: &Derived) -> Option<Settled> {
        let known = self.shelf.at(at)?;
        match known.fate {
            Fate::Forgotten => Some(Settled::only(Became::Forgotten)),
            Fate::Unsaid(when) if derived.rule.is_wish() && derived.ts_ms > when => None,
            Fate::Unsaid(_) => Some(Settled::only(Became::Forgotten)),
            Fate::Superseded(when) if derived.ts_ms > when && !self.has_sources(at, derived) => None,
            Fate::Retired if known.is_users() => Some(Settled::only(Became::Outweighed)),
            Fate::Retired => {
                self.shelf.at_mut(at)?.fate = Fate::Holds;
                self.shelf.at_mut(at)?.memory.status = MemoryStatus::Inferred;
                self.shelf.touch(at);
                Some(self.again(at, derived))
            }
            Fate::Superseded(_) => {
                let settled = self.again(at, derived);
                Some(Settled { became: Became::Outweighed, ..settled })
            }
            Fate::Holds => Some(self.again(at, derived)),
        }
    }

    fn has_sources(&self, at: usize, derived: &Derived) -> bool {
        self.shelf.at(at).is_some_and(|known| derived.sources.iter().all(|id| has_source(known, *id)))
    }

    /// It counts the more for having been said again.
    fn again(&mut self, at: usize, derived: &Derived) -> Settled {
        let is_known = self.has_sources(at, derived);
        let sources: Vec<MemorySource> = derived.sources.iter().map(|id| self.source(*id)).collect();
        let Some(known) = self.shelf.at_mut(at) else { return Settled::only(Became::Empty) };
        let is_full = known.memory.sources.len() >= SOURCES_MAX;
        // Beyond what is kept of its sources, only what is later than all of them is surely new.
        let is_new = if is_full { derived.ts_ms > known.last_ms() } else { !is_known };
        // What fewer may see says nothing about what more may.
        if !is_new || derived.secrecy.code() > known.secrecy.code() {
            return Settled { became: Became::Known, at: Some(at), superseded: Vec::new() };
        }
        known.memory.reinforced = known.memory.reinforced.saturating_add(1);
        known.memory.reinforced_ms = Some(known.last_ms().max(derived.ts_ms));
        known.memory.confidence = known.memory.confidence.max(derived.rule.confidence());
        for source in sources.into_iter().take(SOURCES_MAX.saturating_sub(known.memory.sources.len())) {
            if !known.memory.sources.contains(&source) {
                known.memory.sources.push(source);
            }
        }
        self.shelf.touch(at);
        for id in &derived.sources {
            self.shelf.note_source(Some(&id.to_string()), at);
        }
        Settled { became: Became::Again, at: Some(at), superseded: Vec::new() }
    }

    /// Whether what has that name has the same words and says something else: "merge this into that".
    fn is_in_other_order(&self, at: usize, statement: &Statement) -> bool {
        let is_other = |known: &Known| {
            known.statement.key() == statement.key() && statement.meets(&known.statement) != Meets::Same
        };
        self.shelf.at(at).is_some_and(is_other)
    }

    /// What may be about the same, and what the newer of both is to the older.
    fn near(&self, statement: &Statement, ts_ms: i64) -> Vec<(usize, Meets)> {
        let mut near: BTreeSet<usize> = self.shelf.near(&statement.stems, NEAR_SHARE).into_iter().collect();
        if let Some(subject) = statement.subject() {
            near.extend(self.shelf.near(subject, UNSAID_SHARE));
        }
        near.extend(self.shelf.sought_by(statement));
        let meets = |at: usize| {
            let known = self.shelf.at(at).filter(|known| known.voice != Voice::Work)?;
            let meets = match (ts_ms >= known.last_ms(), statement.meets(&known.statement)) {
                (false, meets) if meets != Meets::Same => turned(known.statement.meets(statement)),
                (_, meets) => meets,
            };
            (meets != Meets::Apart).then_some((at, meets))
        };
        near.into_iter().rev().filter_map(meets).collect()
    }

    /// Whether it repeats, among other words, what the user wants forgotten.
    fn says_what_was_unsaid(&self, statement: &Statement) -> bool {
        self.shelf.unsaid().any(|known| known.statement.covered_by(&statement.stems).0 >= UNSAID_SHARE)
    }

    /// A statement that nobody made before: what it takes the place of, and what stands against it.
    fn add(&mut self, derived: &Derived, statement: &Statement, uid: String, near: &[(usize, Meets)]) -> Settled {
        let (voice, ts_ms) = (derived.rule.voice(), derived.ts_ms);
        let mut older: Vec<usize> = Vec::new();
        let mut against: Vec<usize> = Vec::new();
        let mut by = None;
        let holding: Vec<(usize, Meets)> =
            near.iter().copied().filter(|(at, _)| self.shelf.at(*at).is_some_and(Known::holds)).collect();
        for (at, meets) in only_meant(holding) {
            let Some(known) = self.shelf.at(at) else { continue };
            match meets {
                Meets::Briefer => return self.again(at, derived),
                // What corrects nothing tells no more than what is known, or is another matter.
                Meets::Fuller if derived.rule == Rule::Correction => {}
                Meets::Against => against.push(at),
                Meets::Fuller | Meets::Otherwise if voice < known.voice => return Settled::only(Became::Outweighed),
                // What the user pinned or wrote by hand gives way only to their clear word.
                Meets::Otherwise if known.memory.pinned && !is_clear(derived.rule) => against.push(at),
                Meets::Fuller | Meets::Otherwise if ts_ms >= known.last_ms() => older.push(at),
                Meets::Fuller | Meets::Otherwise => by = Some(at),
                Meets::Same | Meets::Apart | Meets::OtherwiseIfAlone => {}
            }
        }
        // What nobody said before cannot be confirmed: it may be a wish to find out. Nor can it be corrected.
        if derived.rule == Rule::Confirm || (derived.rule == Rule::Correction && older.is_empty() && by.is_none()) {
            return Settled::only(Became::Empty);
        }
        let at = self.put(derived, statement, uid);
        self.settle_among(at, older, &against, by)
    }

    /// The newest work on the same thing tells most.
    fn in_place_of_same_work(&mut self, derived: &Derived, statement: &Statement, uid: String) -> Settled {
        let mut older = Vec::new();
        let mut by = None;
        for at in self.shelf.of_work(&uid) {
            let Some(known) = self.shelf.at(at) else { continue };
            let has_same_sources = || {
                known.memory.sources.iter().all(|source| {
                    derived.sources.iter().any(|id| source.event.as_deref() == Some(id.to_string().as_str()))
                })
            };
            // It was forgotten for itself, not for what it quoted.
            if known.fate == Fate::Forgotten && has_same_sources() {
                return Settled::only(Became::Forgotten);
            }
            if !known.holds() {
                continue;
            }
            if derived.ts_ms >= known.last_ms() { older.push(at) } else { by = Some(at) }
        }
        let at = self.put(derived, statement, uid);
        self.settle_among(at, older, &[], by)
    }

    fn settle_among(&mut self, at: usize, older: Vec<usize>, against: &[usize], by: Option<usize>) -> Settled {
        let mut superseded = Vec::new();
        let ts_ms = self.shelf.at(at).map_or(0, Known::last_ms);
        if let Some(by) = by {
            let when = self.shelf.at(by).map_or(ts_ms, Known::last_ms);
            if let Some(known) = self.shelf.at_mut(at) {
                known.fate = Fate::Superseded(when);
            }
            superseded.push((at, by));
        } else {
            for one in older {
                if let Some(known) = self.shelf.at_mut(one) {
                    known.fate = Fate::Superseded(ts_ms);
                }
                superseded.push((one, at));
            }
        }
        self.note_contradictions(at, against);
        Settled { became: Became::New, at: Some(at), superseded }
    }

    /// Two that deny each other know of each other, as far as they have ids.
    fn note_contradictions(&mut self, at: usize, against: &[usize]) {
        for other in against {
            let Some(id) = self.shelf.at(*other).and_then(|known| known.id) else { continue };
            if let Some(known) = self.shelf.at_mut(at) {
                known.memory.contradicts.push(id.to_string());
            }
        }
    }

    fn source(&self, id: EventId) -> MemorySource {
        MemorySource { event: Some(id.to_string()), session: Some(self.session.to_owned()), turn: None }
    }

    /// Puts a new memory on the shelf, under its name or, if that is taken, under one that also tells from what it is.
    fn put(&mut self, derived: &Derived, statement: &Statement, uid: String) -> usize {
        let uid = match (self.shelf.of_uid(&uid), derived.sources.first()) {
            (Some(_), Some(first)) => format!("{uid}/{first}"),
            _ => uid,
        };
        let given = Given {
            kind: derived.kind,
            name: Some(derived.name.clone().unwrap_or_else(|| name_of(core(&derived.text))))
                .filter(|name| !name.is_empty()),
            scope: self.scope.clone(),
            status: MemoryStatus::Inferred,
            confidence: derived.rule.confidence(),
            sources: derived.sources.iter().take(SOURCES_MAX).map(|id| self.source(*id)).collect(),
            made_by: Some(derived.rule.made_by()),
            ..Given::new(&derived.text, self.project)
        };
        let mut memory = memory_of(&given, &uid, self.redactor);
        memory.quotes = derived.rule.voice() == Voice::Work;
        // A rule took the name from what was said.
        memory.given_names.clear();
        let before = self.shelf.before.remove(&uid);
        let known = Known {
            id: before.as_ref().and_then(|before| before.id),
            project: if *self.scope == MemoryScope::User { String::new() } else { self.project.to_owned() },
            first_ms: derived.ts_ms,
            secrecy: before.as_ref().map_or(derived.secrecy, |before| before.secrecy),
            visibility: Visibility::Normal,
            statement: statement.clone(),
            voice: derived.rule.voice(),
            fate: Fate::Holds,
            was_superseded: before.as_ref().is_some_and(|before| before.was_superseded),
            is_changed: true,
            memory,
        };
        self.shelf.put(known)
    }
}

/// The same of two statements, seen from the newer one where it was seen from the older.
const fn turned(meets: Meets) -> Meets {
    match meets {
        Meets::Fuller => Meets::Briefer,
        Meets::Briefer => Meets::Fuller,
        meets => meets,
    }
}

/// Whether the user says plainly that it is to be so from now on.
const fn is_clear(rule: Rule) -> bool {
    matches!(rule, Rule::Remember | Rule::FromNowOn | Rule::Update | Rule::Decision)
}

fn has_source(known: &Known, id: EventId) -> bool {
    let id = id.to_string();
    known.memory.sources.iter().any(|source| source.event.as_deref() == Some(id.as_str()))
}
