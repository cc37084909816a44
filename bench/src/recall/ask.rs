//! Asks every question and counts what comes back.

use super::homes::{Home, Homes};
use super::questions::{Question, Questions};
use crate::scores::Scores;
use anyhow::{Context as _, Result};
use memoir_journal::{Audience, Filter, View};
use memoir_recall::{Answer, Recall, Request, Weights};
use std::collections::HashMap;
use std::sync::Arc;

/// How questions are asked.
#[derive(Clone, Copy)]
pub struct Asking {
    /// Only what was said before.
    pub earlier: bool,
    /// With the files that the question is about.
    pub files: bool,
    /// Print what is missed.
    pub misses: bool,
}

/// A recall for each home, with those weights.
pub fn recalls<'a>(homes: &'a Homes, weights: &Weights) -> HashMap<&'a str, Recall> {
    let redactor = Arc::new(memoir_redact::Redactor::builtin());
    let new = |home: &Home| {
        Recall::new(Arc::clone(&redactor)).with_weights(weights.clone()).with_meaning(home.meaning.clone())
    };
    homes.iter().map(|(name, home)| (name.as_str(), new(home))).collect()
}

/// What is asked, without any limit but the number.
pub fn request(question: &Question, asking: Asking) -> Request {
    let asked_ms = question.asked_ms.filter(|_| asking.earlier);
    let mut request = Request::new(&question.query, View::of(Audience::Recall), asked_ms.unwrap_or(0));
    (request.limit, request.budget_tokens, request.min_confidence) = (10, None, 0.0);
    request.filter = Filter { to_ms: asked_ms, ..Filter::default() };
    if asking.files {
        request.files.clone_from(&question.files);
    }
    request
}

/// Turns and sessions that were found.
pub fn ask_all(questions: &Questions, homes: &Homes, weights: &Weights, asking: Asking) -> Result<(Scores, Scores)> {
    let recalls = recalls(homes, weights);
    let first = recalls.keys().next().copied().unwrap_or_default().to_owned();
    let (mut turns, mut sessions) = (Scores::default(), Scores::default());
    for question in &questions.list {
        let home = homes.of(&question.group)?;
        let recall = recalls.get(question.group.as_str()).or_else(|| recalls.get(first.as_str())).context("no home")?;
        let answer = recall.recall(&home.journal, &home.index, &request(question, asking), &mut |_, _| true)?;
        let found: Vec<&str> = answer.blocks.iter().filter_map(|block| block.turn.as_deref()).collect();
        turns.add(&found, &question.turns);
        let found = sessions_of(&answer, home, question);
        if asking.misses && !found.iter().any(|name| question.sessions.contains(name)) {
            println!("missed: {} {:?}", question.query, question.sessions);
        }
        sessions.add(&found.iter().map(String::as_str).collect::<Vec<_>>(), &question.sessions);
    }
    Ok((turns, sessions))
}

/// The sessions of an answer as the set calls them.
fn sessions_of(answer: &Answer, home: &Home, question: &Question) -> Vec<String> {
    let name = |session: &str| {
        let names = home.names_of(session);
        let right = names.iter().find(|name| question.sessions.contains(*name)).cloned();
        right.or_else(|| names.into_iter().next()).unwrap_or_default()
    };
    answer.sessions.iter().map(|block| name(&block.session)).collect()
}
