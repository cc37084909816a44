//! Questions: answered by recall, as a list of hits or as context that is ready to be put into a prompt.

use crate::fault::Fault;
use crate::memories::{Reader, file_name, one_line};
use crate::message::check_peer;
use crate::session::Spoken;
use crate::state::State;
use crate::tokens::tokens_of;
use crate::uri::{self, Place};
use crate::{Openviking, UNKNOWN_PROJECT, VIEW};
use memoir_event::{MemoryKind, format_ms, parse_ms};
use memoir_recall::{Block, Request};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A search gives at most so many hits.
pub const HITS_MAX: usize = 100;
/// A list has so many hits if nobody says how many.
const HITS_DEFAULT: usize = 10;
/// Context is looked for among so many.
const CANDIDATES: usize = 24;
/// Context has at most so many entries.
const ENTRIES_MAX: usize = 12;
/// Context takes at most so many tokens if nobody says how many.
const TOKENS_DEFAULT: u64 = 1_600;
/// Nobody may ask for context of more.
const TOKENS_MAX: u64 = 32_000;
/// Characters that the older form of recall gives to a token.
const CHARS_PER_TOKEN: u64 = 4;

/// What a search may say. Context and lists share it, each takes its part.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    query: String,
    mode: Option<String>,
    purpose: Option<String>,
    session_id: Option<String>,
    score_threshold: Option<f32>,
    dedup_turns: Option<usize>,
    quotas: Option<Map<String, Value>>,
    max_tokens: Option<u64>,
    peer_scope: Option<String>,
    query_expansion: Option<Value>,
    rewrite: Option<Value>,
    target_uri: Option<Value>,
    limit: Option<usize>,
    node_limit: Option<usize>,
    context_type: Option<Value>,
    tags: Option<Value>,
    since: Option<String>,
    until: Option<String>,
    level: Option<Value>,
    // The older form of recall.
    max_chars: Option<u64>,
    min_score: Option<f32>,
    render: Option<bool>,
}

/// Which search is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A list of hits.
    Find,
    /// A list, or context if its mode says so.
    Search,
    /// Context, in the older form.
    Recall,
}

/// Where a search looks.
#[derive(Debug, Default, PartialEq)]
struct Target {
    session: Option<String>,
    kind: Option<MemoryKind>,
    is_memories: bool,
}

/// At most so many places are searched at once.
const TARGETS_MAX: usize = 16;

impl Search {
    /// Reads a search; a field that it does not have is named.
    pub fn parse(body: &[u8], way: Way) -> Result<Search, Fault> {
        let search: Search = serde_json::from_slice(body).map_err(|error| Fault::invalid("body", error.to_string()))?;
        if search.query.trim().is_empty() {
            return Err(Fault::invalid("query", "say what to look for"));
        }
        let is_context = search.is_context(way);
        match search.mode.as_deref() {
            None | Some("context" | "list") => {}
            Some(_) => return Err(Fault::invalid("mode", "the form of a search is context or list")),
        }
        let only_context = [
            ("dedup_turns", search.dedup_turns.is_some()),
            ("quotas", search.quotas.is_some()),
            ("max_tokens", search.max_tokens.is_some()),
            ("rewrite", search.rewrite.is_some()),
        ];
        if let Some((field, _)) = only_context.iter().find(|(_, given)| *given && !is_context) {
            return Err(Fault::invalid(field, "this goes with context only"));
        }
        if !named_uris(search.target_uri.as_ref())?.is_empty() && is_context {
            return Err(Fault::invalid("target_uri", "this does not go with context"));
        }
        for share in [search.score_threshold, search.min_score].into_iter().flatten() {
            if !(0.0..=1.0).contains(&share) {
                return Err(Fault::invalid("score_threshold", "a score is from 0 to 1"));
            }
        }
        Ok(search)
    }

    fn is_context(&self, way: Way) -> bool {
        way == Way::Recall || way == Way::Search && self.mode.as_deref() == Some("context")
    }

    fn score_min(&self) -> f32 {
        self.score_threshold.or(self.min_score).unwrap_or(0.0)
    }

    /// So many entries of a category at most.
    fn quota(&self, category: &str) -> Option<usize> {
        let quota = self.quotas.as_ref()?.get(category)?.as_u64()?;
        usize::try_from(quota).ok()
    }
}

impl Openviking {
    /// Answers a search.
    pub fn search(
        &self,
        search: &Search,
        way: Way,
        reader: &Reader,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Value, Fault> {
        let session = search.session_id.as_deref().filter(|id| !id.trim().is_empty()).map(Spoken::parse).transpose()?;
        if let Some(peer) = &reader.peer {
            check_peer("X-OpenViking-Actor-Peer", peer)?;
        }
        let mut request = Request::new(&search.query, VIEW, (self.clock)());
        let scale = Scale { enough: request.min_confidence };
        request.min_confidence = scale.confidence(search.score_min()).max(scale.enough);
        request.not_session = session.as_ref().map(|session| session.session.clone());
        request.here = self.here(session.as_ref(), reader)?;
        if search.peer_scope.as_deref() == Some("actor") {
            request.projects.extend(request.here.clone());
        }
        request.filter.from_ms = time("since", search.since.as_deref())?;
        request.filter.to_ms = time("until", search.until.as_deref())?;
        request.budget_tokens = None;
        if search.is_context(way) {
            request.limit = CANDIDATES;
            let blocks = self.recall.recall(&*self.journal, &self.index, &request, &mut |_, _| go_on())?.blocks;
            return Ok(self.as_context(search, session.as_ref(), &blocks, scale));
        }
        let limit = search.limit.or(search.node_limit).unwrap_or(HITS_DEFAULT).min(HITS_MAX);
        let not_session = request.not_session.clone();
        let mut found: Vec<Block> = Vec::new();
        let targets = targets(search.target_uri.as_ref())?;
        for target in &targets {
            request.not_session = not_session.clone().filter(|_| target.session.is_none());
            request.filter.session.clone_from(&target.session);
            request.limit = if target.is_memories { HITS_MAX } else { limit };
            let mut blocks = self.recall.recall(&*self.journal, &self.index, &request, &mut |_, _| go_on())?.blocks;
            blocks.retain(|block| {
                let kind = block.memory.as_ref().map(|memory| memory.kind);
                (!target.is_memories || kind.is_some()) && (target.kind.is_none() || kind == target.kind)
            });
            blocks.retain(|block| found.iter().all(|known| known.event_id != block.event_id));
            found.extend(blocks);
        }
        if targets.len() > 1 {
            found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        }
        found.truncate(limit);
        Ok(listed(&found, scale))
    }

    /// The project in which somebody asks.
    fn here(&self, session: Option<&Spoken>, reader: &Reader) -> Result<Option<String>, Fault> {
        if let Some(session) = session {
            let state = State::read(&*self.journal, &self.redactor, session)?;
            let project = state.known.project;
            if !project.is_empty() && project != UNKNOWN_PROJECT {
                return Ok(Some(project));
            }
        }
        reader.peer.as_deref().map(|peer| self.project_at(peer)).transpose()
    }

    fn as_context(&self, search: &Search, session: Option<&Spoken>, blocks: &[Block], scale: Scale) -> Value {
        let turns = search.dedup_turns.unwrap_or(0);
        let known = match session {
            Some(session) if turns > 0 => self.ledger.told(&session.given, &search.query, turns),
            _ => std::collections::HashSet::new(),
        };
        let by_chars = search.max_chars.map(|chars| chars / CHARS_PER_TOKEN);
        let tokens_max = search.max_tokens.or(by_chars).unwrap_or(TOKENS_DEFAULT).min(TOKENS_MAX);
        let (mut entries, mut rendered, mut told) = (Vec::new(), String::new(), Vec::new());
        let (mut used, mut repeated) = (0, 0);
        let mut taken: Map<String, Value> = Map::new();
        for block in blocks {
            let uri = uri_of(block);
            if known.contains(&uri) {
                repeated += 1;
                continue;
            }
            let category = category(block);
            let count = taken.get(category).and_then(Value::as_u64).unwrap_or(0);
            let is_full = search.quota(category).is_some_and(|quota| count >= u64::try_from(quota).unwrap_or(u64::MAX));
            let text = rendered_entry(block, &uri, scale.score(block.confidence));
            let cost = tokens_of(&text);
            if is_full || used + cost > tokens_max || entries.len() >= ENTRIES_MAX {
                continue;
            }
            used += cost;
            taken.insert(category.to_owned(), (count + 1).into());
            rendered.push_str(&text);
            entries.push(json!({
                "uri": uri, "category": category, "score": rounded(scale.score(block.confidence)), "detail": "abstract",
                "text": block.text, "origin": "self", "ts": format_ms(block.ts_ms),
            }));
            told.push(uri);
        }
        if let Some(session) = session.filter(|_| turns > 0) {
            self.ledger.note(&session.given, &search.query, told);
        }
        let rendered = if search.render == Some(false) { String::new() } else { rendered.trim_end().to_owned() };
        json!({
            "stats": {
                "candidates": blocks.len(), "returned": entries.len(), "excluded": blocks.len() - entries.len(),
                "max_tokens": tokens_max, "used_tokens": used, "tier_counts": taken,
                "dedup": {"turns": turns, "excluded": repeated},
            },
            "entries": entries, "rendered": rendered, "digest": "",
        })
    }
}

/// Where a block of recall lies.
pub(crate) fn uri_of(block: &Block) -> String {
    match &block.memory {
        Some(memory) => format!("{}/{}", uri::of_kind(memory.kind), file_name(memory, block.event_id)),
        None => Openviking::uri_of_event(block.client, &block.session, block.event_id),
    }
}

fn category(block: &Block) -> &'static str {
    block.memory.as_ref().map_or("events", |memory| uri::dir_of(memory.kind))
}

fn rendered_entry(block: &Block, uri: &str, score: f32) -> String {
    let quoted = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    // The mark of the entry itself must not stand in it.
    let text = block.text.replace("</memory", "‹/memory").replace("<memory", "‹memory");
    let day: String = format_ms(block.ts_ms).chars().take(10).collect();
    format!(
        "<memory uri=\"{}\" type=\"{}\" score=\"{:.2}\" date=\"{day}\" detail=\"abstract\">\n{}\n</memory>\n",
        quoted(uri),
        category(block),
        score,
        text.trim()
    )
}

fn listed(blocks: &[Block], scale: Scale) -> Value {
    let hit = |block: &Block| {
        json!({
            "context_type": "memory", "uri": uri_of(block), "level": 2, "score": rounded(scale.score(block.confidence)),
            "category": category(block), "abstract": one_line(&block.text, 480), "overview": null,
            "tags": [], "ts": format_ms(block.ts_ms),
        })
    };
    let memories: Vec<Value> = blocks.iter().map(hit).collect();
    json!({"total": memories.len(), "memories": memories, "resources": [], "skills": []})
}

/// The score below which plugins take nothing.
const SCORE_ENOUGH: f32 = 0.35;

/// Scores of this API for the confidence of recall: what is sure enough here is what plugins ask for.
#[derive(Debug, Clone, Copy)]
struct Scale {
    enough: f32,
}

impl Scale {
    fn score(self, confidence: f32) -> f32 {
        let confidence = confidence.clamp(0.0, 1.0);
        if confidence < self.enough {
            return confidence / self.enough * SCORE_ENOUGH;
        }
        SCORE_ENOUGH + (confidence - self.enough) / (1.0 - self.enough) * (1.0 - SCORE_ENOUGH)
    }

    fn confidence(self, score: f32) -> f32 {
        if score < SCORE_ENOUGH {
            return score / SCORE_ENOUGH * self.enough;
        }
        self.enough + (score - SCORE_ENOUGH) / (1.0 - SCORE_ENOUGH) * (1.0 - self.enough)
    }
}

/// The addresses that a search gives.
fn named_uris(given: Option<&Value>) -> Result<Vec<&str>, Fault> {
    let uris: Vec<&str> = match given {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(uri)) => vec![uri],
        Some(Value::Array(uris)) => uris.iter().filter_map(Value::as_str).collect(),
        Some(_) => return Err(Fault::invalid("target_uri", "an address, or a list of them")),
    };
    Ok(uris.into_iter().filter(|uri| !uri.trim().is_empty()).collect())
}

/// Where a search looks: at one address, or at each of a list; one that leads nowhere has nothing.
fn targets(given: Option<&Value>) -> Result<Vec<Target>, Fault> {
    let uris = named_uris(given)?;
    if uris.is_empty() {
        return Ok(vec![Target::default()]);
    }
    if uris.len() > TARGETS_MAX {
        return Err(Fault::invalid("target_uri", format!("at most {TARGETS_MAX} addresses can be searched at once")));
    }
    let mut targets: Vec<Target> = Vec::new();
    for uri in uris {
        let found = match Place::parse(uri) {
            Ok(Place::Root | Place::Users | Place::User | Place::Sessions) => Target::default(),
            Ok(Place::Memories | Place::Profile) => Target { is_memories: true, ..Target::default() },
            Ok(Place::Kind(kind) | Place::Memory(kind, _)) => {
                Target { kind: Some(kind), is_memories: true, ..Target::default() }
            }
            Ok(
                Place::Session(spoken)
                | Place::History(spoken)
                | Place::Archive(spoken, _)
                | Place::OfArchive(spoken, ..)
                | Place::Event(spoken, _),
            ) => Target { session: Some(spoken.shown()), ..Target::default() },
            Ok(Place::Nothing) | Err(Fault::NotFound(_)) => continue,
            Err(fault) => return Err(fault),
        };
        if !targets.contains(&found) {
            targets.push(found);
        }
    }
    Ok(targets)
}

/// A day is written with so many characters: `2026-01-31`.
const DAY_CHARS: usize = 10;

pub(crate) fn time(field: &str, given: Option<&str>) -> Result<Option<i64>, Fault> {
    let Some(text) = given.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    // A day alone begins at its first moment.
    let whole = if text.len() == DAY_CHARS { format!("{text}T00:00:00Z") } else { text.to_owned() };
    parse_ms(&whole).map(Some).map_err(|error| Fault::invalid(field, error.to_string()))
}

/// To two digits, as the plugins show it.
fn rounded(share: f32) -> f64 {
    (f64::from(share) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn refused(body: &str, way: Way) -> String {
        match Search::parse(body.as_bytes(), way) {
            Err(Fault::Invalid { field, .. }) => field,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_search_says_what_it_does_not_take() {
        assert_eq!(refused(r#"{"query":"x","quary":1}"#, Way::Search), "body");
        assert_eq!(refused(r#"{"query":" "}"#, Way::Find), "query");
        assert_eq!(refused(r#"{"query":"x","mode":"poem"}"#, Way::Search), "mode");
        assert_eq!(refused(r#"{"query":"x","dedup_turns":5}"#, Way::Search), "dedup_turns");
        assert_eq!(refused(r#"{"query":"x","mode":"context","target_uri":"viking://~"}"#, Way::Search), "target_uri");
        for nowhere in [r#""""#, "[]", "null"] {
            let query =
                format!(r#"{{"query":"x","mode":"context","session_id":null,"target_uri":{nowhere},"limit":10}}"#);
            assert!(Search::parse(query.as_bytes(), Way::Search).is_ok(), "{nowhere}");
        }
        assert_eq!(refused(r#"{"query":"x","score_threshold":7}"#, Way::Find), "score_threshold");
        assert_eq!(refused("", Way::Find), "body");
        let plugins = r#"{"query":"x","mode":"context","purpose":"coding","score_threshold":0.35,"session_id":"cx-1","dedup_turns":5,"rewrite":"auto"}"#;
        assert!(Search::parse(plugins.as_bytes(), Way::Search).is_ok());
        let older =
            r#"{"query":"x","quotas":{"events":5,"entities":4},"max_chars":6500,"min_score":0.35,"render":true}"#;
        assert!(Search::parse(older.as_bytes(), Way::Recall).is_ok());
    }

    #[test]
    fn a_target_is_a_place_or_nowhere() {
        let all = |uri: Value| targets(Some(&uri)).unwrap();
        let at = |uri: &str| all(uri.into()).pop().unwrap();
        assert_eq!(at("viking://~/memories/preferences").kind, Some(MemoryKind::Preference));
        assert_eq!(at("viking://~/sessions/cx-1").session.as_deref(), Some("cx-1"));
        assert!(all("viking://~/skills".into()).is_empty() && all("viking://user/other/memories".into()).is_empty());
        assert!(at("") == Target::default() && at("viking://~/memories").is_memories);
        let two =
            all(json!(["viking://~/memories", "viking://~/skills", "viking://~/sessions", "viking://~/memories"]));
        assert_eq!(two.len(), 2);
        assert!(targets(Some(&json!(7))).is_err() && targets(Some(&json!(vec!["viking://~"; 17]))).is_err());
    }

    proptest! {
        #[test]
        fn a_score_is_a_confidence_and_back(share in 0.0f32..=1.0) {
            let scale = Scale { enough: 0.15 };
            prop_assert!((scale.confidence(scale.score(share)) - share).abs() < 0.001);
            prop_assert!((0.0..=1.0).contains(&scale.score(share)));
        }

        #[test]
        fn any_body_is_a_search_or_refused(body in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Search::parse(&body, Way::Search);
        }
    }
}
