//! Sessions, turns, tokens and cost.

use crate::walk::{Go, each};
use memoir_event::{Client, Kind};
use memoir_journal::{Filter, Journal, JournalError, Order, StoredEvent, View};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Stands where nobody said which model.
const NO_MODEL: &str = "(unknown)";

/// By what figures are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Not at all: one sum.
    All,
    /// By project.
    Project,
    /// By model.
    Model,
    /// By day, in the zone that is handed in.
    Day,
}

/// Tokens that models read and wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read, and not from a cache.
    pub input: u64,
    /// Read from a cache.
    pub cached: u64,
    /// Written into a cache.
    pub cache_written: u64,
    /// Written.
    pub output: u64,
}

impl Tokens {
    fn add(&mut self, other: Tokens) {
        self.input += other.input;
        self.cached += other.cached;
        self.cache_written += other.cache_written;
        self.output += other.output;
    }

    const fn all(self) -> u64 {
        self.input + self.cached + self.cache_written + self.output
    }
}

/// What a model costs, in dollars for a million tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// The model's name; a `*` at its end stands for anything.
    pub model: String,
    /// Input that is not from a cache.
    pub input: f64,
    /// Input from a cache.
    pub cached: f64,
    /// What is written into a cache.
    pub cache_written: f64,
    /// Output.
    pub output: f64,
}

impl Price {
    fn is_for(&self, model: &str) -> bool {
        match self.model.strip_suffix('*') {
            Some(start) => model.starts_with(start),
            None => model == self.model,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "nobody pays for so many tokens that it matters")]
    fn of(&self, tokens: Tokens) -> f64 {
        let million = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        million(tokens.input, self.input)
            + million(tokens.cached, self.cached)
            + million(tokens.cache_written, self.cache_written)
            + million(tokens.output, self.output)
    }
}

/// One line of the figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    /// The project, model or day; empty for the sum of all.
    pub key: String,
    /// Sessions.
    pub sessions: u64,
    /// Prompts of the user's.
    pub turns: u64,
    /// Tokens.
    pub tokens: Tokens,
    /// Cost in dollars: as clients tell, else by the user's prices; none if nobody knows any.
    pub cost_usd: Option<f64>,
    /// Tokens without a known cost.
    pub unpriced: u64,
}

/// A session, as far as figures go.
#[derive(Default)]
struct Session {
    /// What each model used.
    models: HashMap<String, u64>,
    /// What clients say that the session cost so far, in the order of time.
    totals: Vec<(i64, f64)>,
    repo: String,
}

impl Session {
    fn main_model(&self) -> String {
        let most = self.models.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        most.map_or_else(|| NO_MODEL.to_owned(), |(model, _)| model.clone())
    }
}

/// What one response used.
struct Response {
    session: (Option<Client>, String),
    repo: String,
    at_ms: i64,
    model: String,
    tokens: Tokens,
    cost_usd: Option<f64>,
}

/// The figures, the largest or latest first. `day_of` tells the day of a moment.
pub fn usage(
    journal: &dyn Journal,
    filter: &Filter,
    view: &View,
    by: By,
    prices: &[Price],
    day_of: &dyn Fn(i64) -> String,
) -> Result<Vec<Row>, JournalError> {
    let mut sessions: HashMap<(Option<Client>, String), Session> = HashMap::new();
    let mut responses = Vec::new();
    each(journal, filter, view, Kind::Usage, Order::OldestFirst, &mut |event| {
        read(&event, &mut sessions, &mut responses);
        Go::On
    })?;
    let mut turns = Vec::new();
    each(journal, filter, view, Kind::UserMessage, Order::OldestFirst, &mut |event| {
        // What is said to a sub-agent is not the user's.
        if event.event.thread.as_ref().is_none_or(|thread| *thread == event.event.session) {
            turns.push(((event.event.client, event.event.session), event.event.repo, event.ts_ms));
        }
        Go::On
    })?;
    let mut figures = Figures { by, day_of, rows: BTreeMap::new(), members: HashMap::new() };
    for (session, repo, at_ms) in turns {
        let model = sessions.get(&session).map_or_else(|| NO_MODEL.to_owned(), Session::main_model);
        figures.row(&session, &repo, &model, at_ms).turns += 1;
    }
    for response in responses {
        let tells_totals = sessions.get(&response.session).is_some_and(|session| !session.totals.is_empty());
        let price = prices.iter().find(|price| price.is_for(&response.model)).map(|price| price.of(response.tokens));
        let row = figures.row(&response.session, &response.repo, &response.model, response.at_ms);
        row.tokens.add(response.tokens);
        match response.cost_usd.or(price).filter(|_| !tells_totals) {
            Some(cost) => *row.cost_usd.get_or_insert(0.0) += cost,
            None if tells_totals => {}
            None => row.unpriced += response.tokens.all(),
        }
    }
    for (key, session) in &sessions {
        let mut known = 0.0;
        for (at_ms, total) in &session.totals {
            // A resumed session may count anew.
            let more = if *total >= known { total - known } else { *total };
            known = *total;
            let row = figures.row(key, &session.repo, &session.main_model(), *at_ms);
            *row.cost_usd.get_or_insert(0.0) += more;
        }
    }
    Ok(figures.into_rows())
}

/// Adds up by what is asked for.
struct Figures<'a> {
    by: By,
    day_of: &'a dyn Fn(i64) -> String,
    rows: BTreeMap<String, Row>,
    members: HashMap<String, HashSet<(Option<Client>, String)>>,
}

impl Figures<'_> {
    fn row(&mut self, session: &(Option<Client>, String), repo: &str, model: &str, at_ms: i64) -> &mut Row {
        let key = match self.by {
            By::All => String::new(),
            By::Project => repo.to_owned(),
            By::Model => model.to_owned(),
            By::Day => (self.day_of)(at_ms),
        };
        self.members.entry(key.clone()).or_default().insert(session.clone());
        self.rows.entry(key.clone()).or_insert_with(|| Row { key, ..Row::default() })
    }

    fn into_rows(self) -> Vec<Row> {
        let Figures { by, rows, members, .. } = self;
        let count = |key: &str| members.get(key).map_or(0, |sessions| sessions.len() as u64);
        let mut rows: Vec<Row> = rows.into_values().map(|row| Row { sessions: count(&row.key), ..row }).collect();
        match by {
            By::Day => rows.sort_by(|a, b| b.key.cmp(&a.key)),
            _ => rows.sort_by(|a, b| b.tokens.all().cmp(&a.tokens.all()).then_with(|| a.key.cmp(&b.key))),
        }
        rows
    }
}

fn read(event: &StoredEvent, sessions: &mut HashMap<(Option<Client>, String), Session>, responses: &mut Vec<Response>) {
    let payload: Value = serde_json::from_str(event.event.content.verbatim()).unwrap_or_default();
    let number = |name: &str| payload.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cost = |name: &str| payload.get(name).and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
    let key = (event.event.client, event.event.session.clone());
    let session = sessions.entry(key.clone()).or_default();
    session.repo.clone_from(&event.event.repo);
    if let Some(total) = cost("session_cost_usd") {
        session.totals.push((event.ts_ms, total));
        return;
    }
    let model = payload.get("model").and_then(Value::as_str).unwrap_or(NO_MODEL).to_owned();
    let tokens = Tokens {
        input: number("input_tokens"),
        cached: number("cached_input_tokens"),
        cache_written: number("cache_write_tokens"),
        output: number("output_tokens"),
    };
    *session.models.entry(model.clone()).or_default() += tokens.all();
    let repo = event.event.repo.clone();
    responses.push(Response { session: key, repo, at_ms: event.ts_ms, model, tokens, cost_usd: cost("cost_usd") });
}
