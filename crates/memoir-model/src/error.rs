//! What can go wrong with a model, each in one sentence. None of them shows a key.

use crate::address::AddressError;
use std::time::Duration;

/// Why a model could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The address is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// No model is named.
    #[error("the model has no name")]
    NoName,
    /// The key would travel in clear.
    #[error("the key would travel unencrypted to {0}; use https:// or a loopback address")]
    KeyInClear(String),
    /// The key cannot be sent.
    #[error("the key has characters that no header can hold")]
    BadKey,
    /// The proxy is none.
    #[error("the proxy for {0} is not a proxy address")]
    BadProxy(String),
    /// More was asked than one call may ask.
    #[error("{0} texts are too many for one call")]
    TooMany(usize),
    /// Nobody is there.
    #[error("the model at {host} cannot be reached: {reason}")]
    Unreachable {
        /// Where.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// It took too long.
    #[error("the model at {host} did not answer within {} ms", after.as_millis())]
    Timeout {
        /// Where.
        host: String,
        /// How long it had.
        after: Duration,
    },
    /// The key is wrong or missing.
    #[error("the model at {host} does not accept the key (HTTP {status})")]
    Denied {
        /// Where.
        host: String,
        /// The status.
        status: u16,
    },
    /// There is no such endpoint or model.
    #[error("the server at {host} has no such address or model{said}")]
    Missing {
        /// Where.
        host: String,
        /// What it says, as `: …`, or nothing.
        said: String,
    },
    /// It leads elsewhere; what is meant for one place is not sent to another.
    #[error("the model at {host} redirects to another address (HTTP {status}): configure that address")]
    Redirected {
        /// Where.
        host: String,
        /// The status.
        status: u16,
    },
    /// Not now.
    #[error("the model at {host} is too busy (HTTP {status}{said}){}", wished(*after))]
    Busy {
        /// Where.
        host: String,
        /// The status.
        status: u16,
        /// What it says, as `: …`, or nothing.
        said: String,
        /// When to try again, if it says so.
        after: Option<Duration>,
    },
    /// Not this input.
    #[error("the model at {host} refused the request (HTTP {status}{said})")]
    Refused {
        /// Where.
        host: String,
        /// The status.
        status: u16,
        /// What it says, as `: …`, or nothing.
        said: String,
    },
    /// It fails.
    #[error("the model at {host} failed (HTTP {status}{said})")]
    Failed {
        /// Where.
        host: String,
        /// The status.
        status: u16,
        /// What it says, as `: …`, or nothing.
        said: String,
    },
    /// The agent that is to answer cannot be run.
    #[error("{agent} cannot be run: {reason}")]
    NoAgent {
        /// Which one.
        agent: String,
        /// What the system says.
        reason: String,
    },
    /// The agent that is to answer gave up.
    #[error("{agent} ended with {status}{said}")]
    AgentFailed {
        /// Which one.
        agent: String,
        /// How.
        status: String,
        /// What it says, as `: …`, or nothing.
        said: String,
    },
    /// It says more than an answer can have.
    #[error("the model at {host} answered with more than {bytes_max} bytes")]
    TooLong {
        /// Where.
        host: String,
        /// The limit.
        bytes_max: u64,
    },
    /// It says something else.
    #[error("the model at {host} gave an answer that cannot be used: {what}")]
    Unusable {
        /// Where.
        host: String,
        /// What is wrong with it.
        what: String,
    },
}

/// When it wants to be asked again, as the end of a sentence.
fn wished(after: Option<Duration>) -> String {
    match after.map(|after| after.as_secs()) {
        None | Some(0) => String::new(),
        Some(seconds) if seconds < 120 => format!(" and wants to be asked again in {seconds} s"),
        Some(seconds) => format!(" and wants to be asked again in {} min", seconds.div_ceil(60)),
    }
}

impl ModelError {
    /// Whether it may be for what was sent, so that less or something else could succeed.
    pub const fn may_be_the_input(&self) -> bool {
        matches!(self, ModelError::Refused { .. } | ModelError::Failed { .. } | ModelError::AgentFailed { .. })
    }

    /// Whether the settings are wrong: trying again cannot help.
    pub const fn is_misconfigured(&self) -> bool {
        matches!(
            self,
            ModelError::Address(_)
                | ModelError::NoName
                | ModelError::KeyInClear(_)
                | ModelError::BadKey
                | ModelError::BadProxy(_)
        )
    }
}
