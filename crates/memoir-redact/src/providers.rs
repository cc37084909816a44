//! The token shapes of real providers, as data.

pub(crate) mod contextual;
pub(crate) mod prefixed;
