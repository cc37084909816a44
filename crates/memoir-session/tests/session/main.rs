//! The life of sessions over a real journal, with a clock that the test moves.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod histories;
mod overviews;
mod races;
mod rules;
mod sealing;
mod states;
mod support;
mod tellings;
