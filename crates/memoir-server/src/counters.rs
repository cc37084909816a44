//! What the server counts, and how Prometheus reads it.

use memoir_journal::{Outcome, Stats};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the latency buckets, in microseconds.
const BUCKETS_US: [u64; 12] =
    [500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000, 30_000_000];

#[derive(Default)]
struct RouteCounts {
    by_status: BTreeMap<u16, u64>,
    by_bucket: [u64; BUCKETS_US.len()],
    total: u64,
    total_us: u64,
}

/// The counters of one server since it started.
#[derive(Default)]
pub(crate) struct Counters {
    routes: Mutex<BTreeMap<&'static str, RouteCounts>>,
    stored: AtomicU64,
    revised: AtomicU64,
    duplicate: AtomicU64,
    suppressed: AtomicU64,
    refused: AtomicU64,
    rate_limited: AtomicU64,
}

/// What became of the events that were sent to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub(crate) struct EventCounts {
    pub(crate) stored: u64,
    pub(crate) revised: u64,
    pub(crate) duplicate: u64,
    pub(crate) suppressed: u64,
    pub(crate) refused: u64,
}

impl Counters {
    /// Counts one answered request.
    pub(crate) fn count(&self, route: &'static str, status: u16, took: Duration) {
        let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = routes.entry(route).or_default();
        *counts.by_status.entry(status).or_default() += 1;
        counts.total += 1;
        counts.total_us = counts.total_us.saturating_add(took_us);
        for (slot, bound) in counts.by_bucket.iter_mut().zip(BUCKETS_US) {
            *slot += u64::from(took_us <= bound);
        }
    }

    /// Counts what became of a batch.
    pub(crate) fn appended(&self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            let counter = match outcome {
                Outcome::Stored { .. } => &self.stored,
                Outcome::Revised { .. } => &self.revised,
                Outcome::SeenAgain { .. } => &self.duplicate,
                Outcome::Suppressed => &self.suppressed,
            };
            counter.fetch_add(1, Relaxed);
        }
    }

    /// Counts records that were not taken.
    pub(crate) fn refused(&self, records: usize) {
        self.refused.fetch_add(u64::try_from(records).unwrap_or(u64::MAX), Relaxed);
    }

    /// Counts a request that came too soon.
    pub(crate) fn rate_limited(&self) {
        self.rate_limited.fetch_add(1, Relaxed);
    }

    /// What became of the events so far.
    pub(crate) fn events(&self) -> EventCounts {
        EventCounts {
            stored: self.stored.load(Relaxed),
            revised: self.revised.load(Relaxed),
            duplicate: self.duplicate.load(Relaxed),
            suppressed: self.suppressed.load(Relaxed),
            refused: self.refused.load(Relaxed),
        }
    }

    /// All of it in the text format of Prometheus; without the journal's figures if it could not be asked.
    pub(crate) fn render(&self, journal: Option<&Stats>) -> String {
        let mut text = String::with_capacity(4096);
        self.render_requests(&mut text);
        let events = self.events();
        head(&mut text, "memoir_events_total", "counter", "Events received over HTTP, by what became of them.");
        for (outcome, count) in [
            ("stored", events.stored),
            ("revised", events.revised),
            ("duplicate", events.duplicate),
            ("suppressed", events.suppressed),
            ("refused", events.refused),
        ] {
            let _ = writeln!(text, "memoir_events_total{{outcome=\"{outcome}\"}} {count}");
        }
        let limited = self.rate_limited.load(Relaxed);
        single(&mut text, "memoir_rate_limited_total", "counter", "Requests refused by the rate limit.", limited);
        single(&mut text, "memoir_journal_up", "gauge", "Whether the journal answers.", u64::from(journal.is_some()));
        if let Some(stats) = journal {
            single(&mut text, "memoir_journal_records", "gauge", "Records in the journal.", stats.records);
            single(&mut text, "memoir_journal_events", "gauge", "Events in the journal.", stats.events);
            single(&mut text, "memoir_journal_sessions", "gauge", "Sessions in the journal.", stats.sessions);
            single(&mut text, "memoir_journal_bytes", "gauge", "Bytes of the journal on disk.", stats.bytes);
        }
        text
    }

    fn render_requests(&self, text: &mut String) {
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        head(text, "memoir_http_requests_total", "counter", "Requests by route and status.");
        for (route, counts) in routes.iter() {
            for (status, count) in &counts.by_status {
                let _ = writeln!(text, "memoir_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
            }
        }
        let name = "memoir_http_request_duration_seconds";
        head(text, name, "histogram", "Time from the head of a request to its answer.");
        for (route, counts) in routes.iter() {
            for (count, bound) in counts.by_bucket.iter().zip(BUCKETS_US) {
                let _ = writeln!(text, "{name}_bucket{{route=\"{route}\",le=\"{}\"}} {count}", seconds(bound));
            }
            let _ = writeln!(text, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {}", counts.total);
            let _ = writeln!(text, "{name}_sum{{route=\"{route}\"}} {}", seconds(counts.total_us));
            let _ = writeln!(text, "{name}_count{{route=\"{route}\"}} {}", counts.total);
        }
    }
}

fn seconds(us: u64) -> f64 {
    Duration::from_micros(us).as_secs_f64()
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn single(text: &mut String, name: &str, kind: &str, help: &str, value: u64) {
    head(text, name, kind, help);
    let _ = writeln!(text, "{name} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_count_once_and_buckets_add_up() {
        let counters = Counters::default();
        counters.count("/health", 200, Duration::from_micros(700));
        counters.count("/health", 200, Duration::from_secs(100));
        counters.count("/v1/timeline", 401, Duration::from_millis(3));
        counters.appended(&[Outcome::Suppressed]);
        counters.refused(3);
        let text = counters.render(Some(&Stats { records: 7, ..Stats::default() }));
        for line in [
            "memoir_http_requests_total{route=\"/health\",status=\"200\"} 2",
            "memoir_http_request_duration_seconds_bucket{route=\"/health\",le=\"0.0005\"} 0",
            "memoir_http_request_duration_seconds_bucket{route=\"/health\",le=\"0.001\"} 1",
            "memoir_http_request_duration_seconds_bucket{route=\"/health\",le=\"+Inf\"} 2",
            "memoir_http_request_duration_seconds_sum{route=\"/health\"} 100.0007",
            "memoir_events_total{outcome=\"suppressed\"} 1",
            "memoir_events_total{outcome=\"refused\"} 3",
            "memoir_journal_records 7",
            "memoir_journal_up 1",
        ] {
            assert_eq!(text.lines().filter(|found| *found == line).count(), 1, "{line}\n{text}");
        }
        assert!(counters.render(None).contains("memoir_journal_up 0"));
    }
}
