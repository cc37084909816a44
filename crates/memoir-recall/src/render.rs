//! A digest that people and agents read: for each block one line of what, then where it is from.

use crate::request::{Answer, Block};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memoir_event::{Client, Speaker};
use std::fmt::Write as _;

/// The answer as text.
pub fn digest(answer: &Answer, zone: &TimeZone) -> String {
    let mut out = String::new();
    for block in &answer.blocks {
        let _ = writeln!(out, "- {}: \"{}\"{}", who(block), one_line(&block.text), if block.cut { " …" } else { "" });
        let _ = writeln!(out, "  {}", origin(block, zone));
    }
    out
}

/// Where a block is from: session, date, id.
pub fn origin(block: &Block, zone: &TimeZone) -> String {
    let day = Timestamp::from_millisecond(block.ts_ms)
        .map(|time| time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string())
        .unwrap_or_default();
    let session = one_line(&Client::shown_session(block.client, &block.session));
    let same = match block.same.len() {
        0 => String::new(),
        count => format!(", said {} times", count + 1),
    };
    format!("{session}, {day}, {}{same}", block.event_id)
}

const fn who(block: &Block) -> &'static str {
    match block.speaker {
        Speaker::User => "user said",
        Speaker::Assistant => "agent said",
        _ => "noted",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
