//! What the user does not want to be recorded: paths, tools, patterns, and prompts that say so.

use memoir_capture::is_shell_tool;
use memoir_journal::{Hears, TakenBack};
use regex::RegexSet;
use std::path::{Path, PathBuf};

/// A file of this name in a directory keeps everything below it from being recorded.
pub const OFF_FILE: &str = ".nomemoir";

/// The user's wishes.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    paths: Vec<PathBuf>,
    tools: Vec<String>,
    patterns: RegexSet,
    markers: Vec<String>,
    wish: Option<fn(&str) -> bool>,
    takes_back: Option<Hears>,
    /// What takes something back is not private by itself.
    lets_take_back: bool,
    pauses: Vec<(i64, i64)>,
}

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("has a pattern that cannot be read ({0})")]
pub struct PolicyError(String);

/// Why something is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// It happened in an excluded directory.
    Path,
    /// An excluded tool did it.
    Tool,
    /// It matches an excluded pattern.
    Pattern,
    /// The prompt of its turn asks for it.
    Private,
    /// It happened while recording was paused.
    Paused,
}

impl Reason {
    /// As it is counted.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::Path => "excluded path",
            Reason::Tool => "excluded tool",
            Reason::Pattern => "excluded pattern",
            Reason::Private => "marked as private",
            Reason::Paused => "while paused",
        }
    }
}

impl Policy {
    /// The policy of those settings.
    pub fn new(
        paths: Vec<PathBuf>,
        tools: Vec<String>,
        patterns: &[String],
        markers: Vec<String>,
    ) -> Result<Policy, PolicyError> {
        let patterns = RegexSet::new(patterns).map_err(|error| {
            let said = error.to_string();
            let last = said.lines().last().unwrap_or_default().trim();
            PolicyError(last.strip_prefix("error: ").unwrap_or(last).to_owned())
        })?;
        let paths = paths.into_iter().map(|path| std::fs::canonicalize(&path).unwrap_or(path)).collect();
        let markers =
            markers.into_iter().map(|marker| marker.to_lowercase()).filter(|marker| !marker.is_empty()).collect();
        Ok(Policy {
            paths,
            tools,
            patterns,
            markers,
            wish: None,
            takes_back: None,
            lets_take_back: false,
            pauses: Vec::new(),
        })
    }

    /// The policy of a user who may also say in their own words that a prompt is not to be kept; `wish` hears that, and
    /// `takes_back` that it is said of what went before.
    pub fn hearing(self, wish: fn(&str) -> bool, takes_back: Hears) -> Policy {
        Policy { wish: Some(wish), takes_back: Some(takes_back), ..self }
    }

    /// The policy for a prompt that goes on with a session: what says of the one before that it is not to be kept has to
    /// reach the journal.
    #[must_use]
    pub fn letting_take_back(self) -> Policy {
        Policy { lets_take_back: true, ..self }
    }

    /// The policy of a user who paused from each first time until the second, in milliseconds since 1970: what happened
    /// then is not recorded later either.
    pub fn with_pauses(self, pauses: Vec<(i64, i64)>) -> Policy {
        Policy { pauses, ..self }
    }

    /// Whether recording was paused at that time.
    pub(crate) fn is_paused(&self, at_ms: i64) -> bool {
        self.pauses.iter().any(|(from_ms, until_ms)| (*from_ms..*until_ms).contains(&at_ms))
    }

    /// Whether nothing that happens in that directory is recorded.
    pub fn excludes_dir(&self, dir: &str) -> bool {
        let given = Path::new(dir);
        let real = std::fs::canonicalize(given).ok();
        let paths = [Some(given), real.as_deref()];
        let listed = || paths.iter().flatten().any(|dir| self.paths.iter().any(|path| dir.starts_with(path)));
        listed() || given.ancestors().any(|dir| dir.join(OFF_FILE).exists())
    }

    /// Whether a tool is excluded. All tools that run shell commands go by any of their names.
    pub fn excludes_tool(&self, tool: &str) -> bool {
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == pattern || is_shell_tool(tool) && is_shell_tool(pattern),
        };
        self.tools.iter().any(|pattern| fits(pattern))
    }

    /// Whether any tool is excluded.
    pub(crate) const fn excludes_tools(&self) -> bool {
        !self.tools.is_empty()
    }

    /// Whether a prompt asks not to be recorded.
    pub fn is_private(&self, prompt: &str) -> bool {
        let lower = prompt.to_lowercase();
        let is_wished =
            || self.wish.is_some_and(|wish| wish(prompt)) && !(self.lets_take_back && self.takes_back(prompt));
        self.markers.iter().any(|marker| lower.contains(marker)) || is_wished()
    }

    /// Whether a prompt says of what went before that it is not to be kept: the journal has to hear that.
    pub fn takes_back(&self, prompt: &str) -> bool {
        self.taken_back(prompt).is_some()
    }

    /// What of that which went before a prompt wants not to be kept.
    pub(crate) fn taken_back(&self, prompt: &str) -> Option<TakenBack> {
        self.takes_back.and_then(|takes_back| takes_back(prompt))
    }

    /// Whether any pattern excludes texts: of a text that grows nobody can tell before its end.
    pub fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Whether a text is excluded by a pattern.
    pub fn excludes_text(&self, text: &str) -> bool {
        self.has_patterns() && self.patterns.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_a_directory_turns_recording_off_below_it() {
        let policy = || Policy::default();
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        assert!(!policy().excludes_dir(&dir.path().join("a/b").to_string_lossy()));
        std::fs::write(dir.path().join("a").join(OFF_FILE), "").unwrap();
        assert!(policy().excludes_dir(&dir.path().join("a/b").to_string_lossy()));
        assert!(Policy::new(vec![], vec![], &["(".into()], vec![]).is_err());
    }
}
