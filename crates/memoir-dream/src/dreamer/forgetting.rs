//! What the user wants forgotten: memories that say it, the messages that said it, and what the agent said to those.

use super::hearing::{is_prompt, scopes};
use super::{DreamError, Due, Pass};
use crate::book::{Known, Place};
use crate::meant::Meant;
use crate::rules::{Unwanted, Voice, heard};
use memoir_event::{EventId, Kind};
use memoir_journal::{Audience, Filter, Lookup, Order, Page, Seq, StoredEvent, View};
use std::collections::BTreeSet;

/// So many of the newest messages of a project are looked through.
const MESSAGES_MAX: usize = 5_000;
const PAGE: usize = 500;
/// An answer stands so near to what it answers.
const ANSWER_PLACES: Seq = 200;

/// What a wish to forget means.
#[derive(Default)]
struct Found {
    memories: Vec<(Place, Vec<usize>)>,
    /// How many of them hold.
    holding: usize,
    /// The messages that said it.
    said: BTreeSet<EventId>,
    /// Messages that are not the source of any of those memories.
    only_said: usize,
}

impl Pass<'_> {
    /// Whether anything was forgotten.
    pub(super) fn forget(&mut self, due: &Due, wish: &StoredEvent, target: &Unwanted) -> Result<bool, DreamError> {
        let meant = Meant::of(target);
        let mut found = self.find(due, wish, &meant)?;
        let mut is_too_much = meant.is_too_much(found.holding.max(found.only_said));
        if found.is_nothing()
            && let Some(named) = meant.by_names()
        {
            found = self.find(due, wish, &named)?;
            // A name alone tells what is meant only if one thing is known of it.
            is_too_much = found.holding + found.only_said > 1;
        }
        let is_found = !found.is_nothing() && !is_too_much;
        let became = match (is_found, is_too_much) {
            (true, _) => "forgotten",
            (false, true) => "nothing: it could be many things",
            (false, false) => "nothing known",
        };
        self.explain(due, "forget", None, &target.said, became, &[wish.id]);
        if is_found {
            self.unsay(due, wish, &meant, found)?;
        }
        Ok(is_found)
    }

    fn find(&mut self, due: &Due, wish: &StoredEvent, meant: &Meant<'_>) -> Result<Found, DreamError> {
        let mut found = Found::default();
        for scope in scopes(due) {
            let place = Place::of(&scope, &due.project);
            let shelf = self.book.shelf(&place)?;
            let memories = meant.among(shelf, wish.ts_ms);
            let known: Vec<&Known> = memories.iter().filter_map(|at| shelf.at(*at)).collect();
            found.holding += known.iter().filter(|known| known.holds() && known.voice == Voice::User).count();
            let sources = known.iter().flat_map(|known| known.memory.sources.iter());
            found.said.extend(sources.filter_map(|source| EventId::parse(source.event.as_deref()?).ok()));
            if !memories.is_empty() {
                found.memories.push((place, memories));
            }
        }
        if meant.is_of_messages() {
            let messages = self.messages_telling(due, wish, meant)?;
            let only_said: Vec<EventId> = messages.into_iter().filter(|id| !found.said.contains(id)).collect();
            // Beside memories that say it, very many messages are about other matters, too.
            if found.memories.is_empty() || !meant.is_too_much(only_said.len()) {
                found.only_said = only_said.len();
                found.said.extend(only_said);
            }
        }
        Ok(found)
    }

    /// The messages of the user in a project that tell what is meant, the newest.
    fn messages_telling(&self, due: &Due, wish: &StoredEvent, meant: &Meant<'_>) -> Result<Vec<EventId>, DreamError> {
        let event_type = Some(Kind::UserMessage.as_str().to_owned());
        let filter = Filter { repo: Some(due.project.clone()), event_type, ..Filter::default() };
        let mut page = Page::first(PAGE, Order::NewestFirst);
        let mut telling = Vec::new();
        for _ in 0..MESSAGES_MAX / PAGE {
            let read = self.dreamer.journal.page(&filter, &View::of(Audience::Dream), &page)?;
            let is_meant = |stored: &&StoredEvent| {
                let said = stored.event.content.plain();
                is_prompt(stored)
                    && stored.ts_ms <= wish.ts_ms
                    && stored.id != wish.id
                    && meant.is_told_in(&said)
                    && heard(&said).forget.is_empty()
            };
            telling.extend(read.events.iter().filter(is_meant).map(|stored| stored.id));
            match read.next {
                Some(next) => page.after = Some(next),
                None => break,
            }
        }
        Ok(telling)
    }

    /// What the agent said to a message, if it says it again.
    fn answers_to(&self, said: EventId, meant: &Meant<'_>) -> Result<Vec<EventId>, DreamError> {
        let (journal, view) = (self.dreamer.journal, View::of(Audience::Dream));
        let Some(stored) = journal.event(&Lookup::Id(said), &view)? else { return Ok(Vec::new()) };
        let between = (stored.seq, stored.seq.saturating_add(ANSWER_PLACES));
        let placed = journal.placed(stored.event.client, &stored.event.session, between, usize::MAX)?;
        let is_answered = |kind: Kind| kind == Kind::UserMessage;
        let turn = placed.iter().take_while(|one| !is_answered(one.kind) || one.thread.is_some());
        let answers = turn.filter(|one| one.kind == Kind::AssistantMessage && one.thread.is_none());
        let seqs: Vec<Seq> = answers.map(|one| one.seq).collect();
        let says = |stored: &StoredEvent| meant.is_in(&stored.event.content.plain());
        Ok(journal.events(&seqs, &view)?.into_iter().filter(says).map(|stored| stored.id).collect())
    }

    fn unsay(&mut self, due: &Due, wish: &StoredEvent, meant: &Meant<'_>, found: Found) -> Result<(), DreamError> {
        let mut ids: Vec<EventId> = found.said.into_iter().collect();
        let said: Vec<String> = ids.iter().map(ToString::to_string).collect();
        for id in ids.clone() {
            ids.extend(self.answers_to(id, meant)?);
        }
        ids.push(wish.id);
        let mut places = found.memories;
        for scope in scopes(due) {
            let place = Place::of(&scope, &due.project);
            if !places.iter().any(|(known, _)| *known == place) {
                places.push((place, Vec::new()));
            }
        }
        for (place, mut memories) in places {
            let shelf = self.book.shelf(&place)?;
            // What else was made of the same messages quotes them.
            for made in said.iter().flat_map(|event| shelf.of_source(event)).collect::<Vec<_>>() {
                if !memories.contains(&made) && shelf.at(made).is_some_and(|known| known.voice == Voice::Work) {
                    memories.push(made);
                }
            }
            memories.iter().for_each(|at| shelf.unsay(*at, wish.ts_ms));
            self.dreamt.unsaid += memories.len() as u64;
            if !memories.is_empty() || !ids.is_empty() {
                self.unwritten.unsaid.push((place, memories, std::mem::take(&mut ids), wish.id));
            }
        }
        Ok(())
    }
}

impl Found {
    fn is_nothing(&self) -> bool {
        self.memories.is_empty() && self.said.is_empty()
    }
}
