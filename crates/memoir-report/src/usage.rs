//! Sessions, turns, tokens and cost.
//!
//! What is held in memory grows with sessions, models, days and what sessions said that they cost, not with events: those are
//! added up as they come.

use crate::costs::Costs;
use crate::walk::{Go, each};
use memoir_event::{Client, Event, Kind};
use memoir_journal::{Filter, Journal, JournalError, Order, View};
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

    /// What a running total grew by; all of it if it began anew.
    fn since(self, before: Tokens) -> Tokens {
        let less = |now: u64, then: u64| now.checked_sub(then);
        let grown = || {
            Some(Tokens {
                input: less(self.input, before.input)?,
                cached: less(self.cached, before.cached)?,
                cache_written: less(self.cache_written, before.cache_written)?,
                output: less(self.output, before.output)?,
            })
        };
        grown().unwrap_or(self)
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
    /// What its responses add up to.
    responses: Used,
    /// What its turns add up to, as streams tell: the same again, if its responses are known.
    turns: Used,
    /// What a stream told last that the session has used so far.
    running: Tokens,
    /// What the client said last that the session has cost so far.
    total_usd: Option<f64>,
    /// What it said first, and when, in which row.
    first: Option<(i64, f64, Option<String>)>,
    /// What that grew by, by row; a row by model is not known before the end.
    spent: HashMap<Option<String>, f64>,
}

/// What was used.
#[derive(Default)]
struct Used {
    /// By each model, in all kinds of tokens.
    models: HashMap<String, u64>,
    /// By row.
    rows: HashMap<String, Sum>,
}

impl Used {
    fn add(&mut self, row: Option<String>, model: &str, tokens: Tokens, cost_usd: Option<f64>) {
        let sum = self.rows.entry(row.unwrap_or_else(|| model.to_owned())).or_default();
        sum.tokens.add(tokens);
        match cost_usd {
            Some(cost) => *sum.cost_usd.get_or_insert(0.0) += cost,
            None => sum.unpriced += tokens.all(),
        }
        *self.models.entry(model.to_owned()).or_default() += tokens.all();
    }
}

#[derive(Default)]
struct Sum {
    tokens: Tokens,
    cost_usd: Option<f64>,
    unpriced: u64,
}

impl Session {
    /// Leaves out what was spent before it said first what it cost.
    fn leave_out(&mut self, before: impl FnOnce(i64) -> f64) {
        let Some((at_ms, total, row)) = self.first.take() else { return };
        let before = Some(before(at_ms)).filter(|before| *before <= total).unwrap_or(0.0);
        *self.spent.entry(row).or_default() -= before;
    }

    fn main_model(&self) -> String {
        let most = self.responses.models.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        most.map_or_else(|| NO_MODEL.to_owned(), |(model, _)| model.clone())
    }
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
    // None if the row goes by the model.
    let row_of = |repo: &str, at_ms: i64| match by {
        By::All => Some(String::new()),
        By::Project => Some(repo.to_owned()),
        By::Day => Some(day_of(at_ms)),
        By::Model => None,
    };
    let mut sessions: HashMap<(Option<Client>, String), Session> = HashMap::new();
    let mut costs = Costs::default();
    each(journal, filter, view, Kind::Usage, Order::OldestFirst, &mut |event| {
        let row = row_of(&event.event.repo, event.ts_ms);
        let payload: Value = serde_json::from_str(event.event.content.verbatim()).unwrap_or_default();
        costs.take(&event, &payload);
        let session = sessions.entry((event.event.client, event.event.session)).or_default();
        read(&payload, event.ts_ms, row, session, prices);
        Go::On
    })?;
    if *filter != Filter::default() && sessions.values().any(|session| session.first.is_some()) {
        // What was before it may not pass.
        costs = Costs::default();
        each(journal, &Filter::default(), view, Kind::Usage, Order::OldestFirst, &mut |event| {
            let payload: Value = serde_json::from_str(event.event.content.verbatim()).unwrap_or_default();
            costs.take(&event, &payload);
            Go::On
        })?;
    }
    for (name, session) in &mut sessions {
        session.leave_out(|at_ms| costs.before(name, at_ms));
    }
    each(journal, filter, view, Kind::TurnCompleted, Order::OldestFirst, &mut |event| {
        if let Some(told) = streamed(&event.event) {
            let row = row_of(&event.event.repo, event.ts_ms);
            let client = event.event.client;
            let session = sessions.entry((client, event.event.session)).or_default();
            read_turn(&told, client, row.as_deref(), session, prices);
        }
        Go::On
    })?;
    for session in sessions.values_mut().filter(|session| session.responses.rows.is_empty()) {
        session.responses = std::mem::take(&mut session.turns);
    }
    let mut figures = Figures::default();
    each(journal, filter, view, Kind::UserMessage, Order::OldestFirst, &mut |event| {
        // What is said to a sub-agent is not the user's.
        if event.event.thread.as_ref().is_none_or(|thread| *thread == event.event.session) {
            let row = row_of(&event.event.repo, event.ts_ms);
            let session = (event.event.client, event.event.session);
            let model = || sessions.get(&session).map_or_else(|| NO_MODEL.to_owned(), Session::main_model);
            figures.row(row.unwrap_or_else(model), &session).turns += 1;
        }
        Go::On
    })?;
    for (name, session) in &sessions {
        figures.add(name, session);
    }
    Ok(figures.into_rows(by))
}

/// Takes in what one event tells: what a response used, or what the session has cost so far.
fn read(payload: &Value, at_ms: i64, row: Option<String>, session: &mut Session, prices: &[Price]) {
    let number = |name: &str| payload.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cost = |name: &str| payload.get(name).and_then(Value::as_f64).filter(|cost| *cost >= 0.0);
    if let Some(total) = cost("session_cost_usd") {
        session.first.get_or_insert_with(|| (at_ms, total, row.clone()));
        // A resumed session may count anew.
        let known = session.total_usd.replace(total).filter(|known| *known <= total).unwrap_or(0.0);
        *session.spent.entry(row).or_default() += total - known;
        return;
    }
    let model = payload.get("model").and_then(Value::as_str).unwrap_or(NO_MODEL).to_owned();
    let tokens = Tokens {
        input: number("input_tokens"),
        cached: number("cached_input_tokens"),
        cache_written: number("cache_write_tokens"),
        output: number("output_tokens"),
    };
    let cost_usd = cost("cost_usd").or_else(|| price_of(prices, &model, tokens));
    session.responses.add(row, &model, tokens, cost_usd);
}

fn price_of(prices: &[Price], model: &str, tokens: Tokens) -> Option<f64> {
    prices.iter().find(|price| price.is_for(model)).map(|price| price.of(tokens))
}

/// What the end of a turn tells, if it tells what was used.
fn streamed(event: &Event) -> Option<Value> {
    let payload: Value = serde_json::from_str(event.content.verbatim()).unwrap_or_default();
    let told = Some(payload).filter(|payload| payload["usage"].is_object());
    told.or_else(|| Some(event.metadata.as_ref()?.to_value()).filter(|told| told["usage"].is_object()))
}

/// Takes in what a turn used, as a stream tells: it may tell it for each model.
fn read_turn(told: &Value, client: Option<Client>, row: Option<&str>, session: &mut Session, prices: &[Price]) {
    let usage = &told["usage"];
    let mut add = |model: &str, tokens: Tokens| {
        session.turns.add(row.map(str::to_owned), model, tokens, price_of(prices, model, tokens));
    };
    let models = usage["models"].as_object().filter(|models| !models.is_empty());
    if let Some(models) = models {
        models.iter().for_each(|(model, usage)| add(model, tokens_of_turn(usage)));
        return;
    }
    let mut tokens = tokens_of_turn(usage);
    // Codex tells what the session has used so far, the others what this run has.
    if client == Some(Client::Codex) {
        let before = std::mem::replace(&mut session.running, tokens);
        tokens = tokens.since(before);
    }
    add(told["model"].as_str().unwrap_or(NO_MODEL), tokens);
}

/// Streams count what came from a cache into the input.
fn tokens_of_turn(usage: &Value) -> Tokens {
    let number = |names: [&str; 2]| names.iter().find_map(|name| usage[*name].as_u64()).unwrap_or(0);
    let cached = number(["cached_input_tokens", "cached"]);
    Tokens {
        input: number(["input_tokens", "prompt_tokens"]).saturating_sub(cached),
        cached,
        cache_written: number(["cache_write_tokens"; 2]),
        output: number(["output_tokens", "completion_tokens"]),
    }
}

/// The rows so far, and the sessions in each.
#[derive(Default)]
struct Figures {
    rows: BTreeMap<String, Row>,
    members: HashMap<String, HashSet<(Option<Client>, String)>>,
}

impl Figures {
    fn row(&mut self, key: String, session: &(Option<Client>, String)) -> &mut Row {
        let members = self.members.entry(key.clone()).or_default();
        if !members.contains(session) {
            members.insert(session.clone());
        }
        self.rows.entry(key.clone()).or_insert_with(|| Row { key, ..Row::default() })
    }

    fn add(&mut self, name: &(Option<Client>, String), session: &Session) {
        for (key, sum) in &session.responses.rows {
            let row = self.row(key.clone(), name);
            row.tokens.add(sum.tokens);
            // A client that tells what the session cost has told it all.
            if session.total_usd.is_some() {
                continue;
            }
            row.unpriced += sum.unpriced;
            if let Some(cost) = sum.cost_usd {
                *row.cost_usd.get_or_insert(0.0) += cost;
            }
        }
        for (key, spent) in &session.spent {
            let key = key.clone().unwrap_or_else(|| session.main_model());
            *self.row(key, name).cost_usd.get_or_insert(0.0) += spent;
        }
    }

    fn into_rows(self, by: By) -> Vec<Row> {
        let Figures { rows, members } = self;
        let count = |key: &str| members.get(key).map_or(0, |sessions| sessions.len() as u64);
        let mut rows: Vec<Row> = rows.into_values().map(|row| Row { sessions: count(&row.key), ..row }).collect();
        match by {
            By::Day => rows.sort_by(|a, b| b.key.cmp(&a.key)),
            _ => rows.sort_by(|a, b| b.tokens.all().cmp(&a.tokens.all()).then_with(|| a.key.cmp(&b.key))),
        }
        rows
    }
}
