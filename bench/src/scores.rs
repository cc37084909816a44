//! The usual figures of ranked answers.

use std::collections::HashSet;

/// Sums over questions.
#[derive(Debug, Clone, Default)]
pub struct Scores {
    questions: f64,
    hit_1: f64,
    hit_5: f64,
    recall_5: f64,
    recall_10: f64,
    ndcg_10: f64,
    mrr: f64,
}

impl Scores {
    /// Counts one answer, the best first; each thing counts where it first stands.
    pub fn add(&mut self, found: &[&str], right: &HashSet<String>) {
        if right.is_empty() {
            return;
        }
        let mut seen = HashSet::new();
        let found: Vec<bool> =
            found.iter().filter(|name| seen.insert(**name)).map(|name| right.contains(*name)).collect();
        let hits = |k: usize| found.iter().take(k).filter(|hit| **hit).count() as f64;
        let all = right.len() as f64;
        let gain = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let ideal: f64 = (0..right.len().min(10)).map(gain).sum();
        let gained: f64 = found.iter().take(10).enumerate().filter(|(_, hit)| **hit).map(|(rank, _)| gain(rank)).sum();
        self.questions += 1.0;
        self.hit_1 += hits(1).min(1.0);
        self.hit_5 += hits(5).min(1.0);
        self.recall_5 += hits(5) / all;
        self.recall_10 += hits(10) / all;
        self.ndcg_10 += gained / ideal;
        self.mrr += found.iter().position(|hit| *hit).map_or(0.0, |rank| 1.0 / (rank + 1) as f64);
    }

    fn line(&self) -> String {
        let percent = |sum: f64| 100.0 * sum / self.questions.max(1.0);
        format!(
            "{:6.1} {:6.1} {:6.1} {:6.1} {:6.1} {:6.1}",
            percent(self.hit_1),
            percent(self.hit_5),
            percent(self.recall_5),
            percent(self.recall_10),
            percent(self.ndcg_10),
            percent(self.mrr)
        )
    }
}

/// Prints a row for each way of ranking.
pub struct Table {
    turns: bool,
}

impl Table {
    /// With or without turns.
    pub fn new(turns: bool) -> Table {
        let columns = "hit@1  hit@5    r@5   r@10 ndcg10    mrr";
        match turns {
            true => println!("{:<20} turns: {columns}   sessions: {columns}", ""),
            false => println!("{:<20} sessions: {columns}", ""),
        }
        Table { turns }
    }

    /// One row.
    pub fn row(&mut self, name: &str, turns: &Scores, sessions: &Scores) {
        match self.turns {
            true => println!("{name:<20}       {}            {}", turns.line(), sessions.line()),
            false => println!("{name:<20}          {}", sessions.line()),
        }
    }
}
