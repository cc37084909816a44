//! What a session that began as a copy had cost before: it tells what the other one cost with its own.

use memoir_event::Client;
use memoir_journal::StoredEvent;
use serde_json::Value;
use std::collections::HashMap;

type Name = (Option<Client>, String);

/// What clients told that sessions had cost, and when.
#[derive(Default)]
pub(crate) struct Costs {
    sessions: HashMap<Name, Session>,
}

#[derive(Default)]
struct Session {
    /// The first record in its file: copies of it begin with the same.
    root: Option<String>,
    told: Vec<Told>,
    /// When it first used something itself.
    begun_ms: Option<i64>,
    /// Responses of its own before it told its cost.
    own: u64,
}

struct Told {
    at_ms: i64,
    total: f64,
    /// Responses in its file by then, copied ones too.
    responses: u64,
}

impl Costs {
    /// Takes in an event of usage and what it tells; they come in the order of time.
    pub fn take(&mut self, event: &StoredEvent, told: &Value) {
        if event.event.client != Some(Client::Claude) {
            return;
        }
        let is_own = event.event.thread.as_ref().is_none_or(|thread| *thread == event.event.session);
        let session = self.sessions.entry((event.event.client, event.event.session.clone())).or_default();
        let Some(total) = told["session_cost_usd"].as_f64() else {
            // A response may be told after the cost that came with it, with the same time.
            if is_own && session.told.first().is_none_or(|first| event.ts_ms <= first.at_ms) {
                session.begun_ms.get_or_insert(event.ts_ms);
                session.own += 1;
            }
            return;
        };
        let about = event.event.metadata.as_ref().map(memoir_event::Json::to_value).unwrap_or_default();
        let responses = about["responses"].as_u64().unwrap_or(0);
        if let (None, Some(root)) = (&session.root, about["root"].as_str()) {
            session.root = Some(root.to_owned());
        }
        session.told.push(Told { at_ms: event.ts_ms, total, responses });
    }

    /// What had been told before a session told at that moment what it cost: by itself, or else by the one that it began
    /// as a copy of.
    pub fn before(&self, name: &Name, at_ms: i64) -> f64 {
        let Some(session) = self.sessions.get(name) else { return 0.0 };
        let own = session.told.iter().rev().find(|told| told.at_ms < at_ms);
        own.map_or_else(|| self.copied(name, session).unwrap_or(0.0), |told| told.total)
    }

    fn copied(&self, name: &Name, session: &Session) -> Option<f64> {
        let (first, root) = (session.told.first()?, session.root.as_ref()?);
        let copied = first.responses.checked_sub(session.own).filter(|copied| *copied > 0)?;
        let begun_ms = session.begun_ms.unwrap_or(first.at_ms).min(first.at_ms);
        let others = self.sessions.iter().filter(|(other, of)| *other != name && of.root.as_ref() == Some(root));
        let told = others.filter_map(|(_, of)| of.told.iter().rev().find(|told| told.at_ms <= begun_ms));
        // A client that counts anew for a copy tells less.
        let told = told.filter(|told| told.total <= first.total);
        // Of copies of copies it is the one that had so many responses by then, and of those the latest.
        let nearest = told.min_by_key(|told| (copied.abs_diff(told.responses), std::cmp::Reverse(told.at_ms)));
        nearest.map(|told| told.total)
    }
}
