//! A lease: the right to work on something alone, until a time.

/// A held lease. The fence grows with every new holder, so that late work of an old one can be told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// What is held, such as a session.
    pub name: String,
    /// Who holds it.
    pub owner: String,
    /// Until when, in milliseconds since 1970.
    pub until_ms: i64,
    /// Grows with every new holder.
    pub fence: u64,
}
