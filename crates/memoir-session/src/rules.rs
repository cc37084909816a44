//! When a session is taken for ended: the two windows of time, and how much may be done at once.

/// The windows of time by which sessions are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitRules {
    /// A session that was touched within this time of now may be the one that just ended.
    pub active_window_ms: i64,
    /// A session that nobody touched for longer is over for the time being.
    pub idle_ttl_ms: i64,
}

impl Default for CommitRules {
    fn default() -> CommitRules {
        CommitRules { active_window_ms: 120_000, idle_ttl_ms: 1_800_000 }
    }
}

impl CommitRules {
    /// Whether a session touched then may be the one that just ended. A clock that was set back changes nothing: what
    /// counts is how far the two times are apart.
    pub(crate) fn is_active(&self, touched_ms: i64, now_ms: i64) -> bool {
        i128::from(touched_ms).abs_diff(i128::from(now_ms)) <= width(self.active_window_ms)
    }

    /// Whether a session touched then is over for the time being. One that seems to have been touched far ahead of now
    /// was touched before the clock was set back.
    pub(crate) fn is_idle(&self, touched_ms: i64, now_ms: i64) -> bool {
        i128::from(touched_ms).abs_diff(i128::from(now_ms)) > width(self.idle_ttl_ms)
    }
}

fn width(ms: i64) -> u128 {
    u128::from(ms.max(0).unsigned_abs())
}

/// How much may be done now: a hook has little time, a command has all there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// At most so many new events are sealed; a session with more is left as due.
    pub events_max: usize,
}

impl Effort {
    /// No limit.
    pub const ALL: Effort = Effort { events_max: usize::MAX };
}

/// How a session began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// A new one, in a fresh process or in one that goes on.
    Startup,
    /// The user cleared the conversation: a new one, too.
    Clear,
    /// A known one goes on.
    Resume,
    /// A known one goes on after its conversation was compacted.
    Compact,
    /// A copy of a known one goes its own way.
    Fork,
}

impl Began {
    /// Reads what clients call it; what is not known changes nothing, like going on.
    pub fn parse(source: &str) -> Began {
        match source {
            "startup" | "new" => Began::Startup,
            "clear" => Began::Clear,
            "compact" => Began::Compact,
            "fork" => Began::Fork,
            _ => Began::Resume,
        }
    }

    /// Whether another session may have ended by it.
    pub(crate) const fn may_end_another(self) -> bool {
        matches!(self, Began::Startup | Began::Clear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_close_to_the_millisecond() {
        let rules = CommitRules::default();
        assert!(rules.is_active(1_000, 121_000) && !rules.is_active(1_000, 121_001));
        assert!(!rules.is_idle(1_000, 1_801_000) && rules.is_idle(1_000, 1_801_001));
    }

    #[test]
    fn a_clock_that_was_set_back_neither_hides_a_session_nor_keeps_it_open() {
        let rules = CommitRules::default();
        assert!(rules.is_active(60_000, 0) && !rules.is_idle(60_000, 0));
        assert!(!rules.is_active(86_400_000, 0) && rules.is_idle(86_400_000, 0));
        assert!(rules.is_idle(i64::MIN, i64::MAX) && !rules.is_active(i64::MAX, i64::MIN));
    }
}
