//! What the user does not want to be recorded: paths, tools, patterns, and prompts that say so.

use memoir_capture::{Captured, is_shell_tool};
use memoir_event::Kind;
use regex::RegexSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A file of this name in a directory keeps everything below it from being recorded.
pub const OFF_FILE: &str = ".nomemoir";

/// So many private or excluded things are remembered at once.
const REMEMBERED_MAX: usize = 4096;

/// The user's wishes.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    paths: Vec<PathBuf>,
    tools: Vec<String>,
    patterns: RegexSet,
    markers: Vec<String>,
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
        Ok(Policy { paths, tools, patterns, markers, pauses: Vec::new() })
    }

    /// The policy of a user who paused from each first time until the second, in milliseconds since 1970: what happened
    /// then is not recorded later either.
    pub fn with_pauses(self, pauses: Vec<(i64, i64)>) -> Policy {
        Policy { pauses, ..self }
    }

    fn is_paused(&self, at_ms: i64) -> bool {
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

    /// Whether a prompt asks not to be recorded.
    pub fn is_private(&self, prompt: &str) -> bool {
        let prompt = prompt.to_lowercase();
        self.markers.iter().any(|marker| prompt.contains(marker))
    }

    /// Whether a text is excluded by a pattern.
    pub fn excludes_text(&self, text: &str) -> bool {
        !self.patterns.is_empty() && self.patterns.is_match(text)
    }
}

/// Applies a policy to a stream of captured things, in their order.
#[derive(Debug, Default)]
pub struct Judge {
    /// The private turn of each thread; an empty one lasts until the next prompt.
    private: HashMap<String, String>,
    /// Calls of excluded tools.
    calls: Vec<String>,
    dirs: HashMap<String, bool>,
}

impl Judge {
    /// Begins with another file or session, of which these private turns are known by their threads.
    pub fn begin<'t>(&mut self, private: impl IntoIterator<Item = (&'t str, &'t str)>) {
        self.private = private.into_iter().map(|(thread, turn)| (thread.to_owned(), turn.to_owned())).collect();
        self.calls.clear();
    }

    /// The private turns, by thread.
    pub fn private(&self) -> impl Iterator<Item = (&str, &str)> {
        self.private.iter().map(|(thread, turn)| (thread.as_str(), turn.as_str()))
    }

    /// Why something must not be recorded; none if it may.
    pub fn forbids(&mut self, policy: &Policy, captured: &Captured) -> Option<Reason> {
        let event = &captured.event;
        if let Some(dir) = captured.cwd.as_deref()
            && *self.dirs.entry(dir.to_owned()).or_insert_with(|| policy.excludes_dir(dir))
        {
            return Some(Reason::Path);
        }
        if event.time.as_ref().is_some_and(|time| policy.is_paused(time.ms())) {
            return Some(Reason::Paused);
        }
        let thread = event.thread.as_deref().unwrap_or(&event.session);
        if event.kind() == Kind::UserMessage {
            if policy.is_private(&event.content.plain()) {
                if self.private.len() >= REMEMBERED_MAX {
                    self.private.clear();
                }
                self.private.insert(thread.to_owned(), event.turn.clone().unwrap_or_default());
                return Some(Reason::Private);
            }
            let same_turn =
                self.private.get(thread).is_some_and(|turn| !turn.is_empty() && event.turn.as_ref() == Some(turn));
            if !same_turn {
                self.private.remove(thread);
            }
        }
        // A sub-agent works for the turn of its session.
        for thread in [thread, &event.session] {
            if let Some(turn) = self.private.get(thread)
                && (turn.is_empty() || event.turn.as_ref().is_none_or(|own| own == turn))
            {
                return Some(Reason::Private);
            }
        }
        self.forbids_tool(policy, captured)
            .or_else(|| policy.excludes_text(&event.content.plain()).then_some(Reason::Pattern))
    }

    fn forbids_tool(&mut self, policy: &Policy, captured: &Captured) -> Option<Reason> {
        if policy.tools.is_empty() {
            return None;
        }
        let event = &captured.event;
        let call = event.action.as_deref().unwrap_or_default();
        if event.kind() == Kind::ToolCall {
            let payload: serde_json::Value = serde_json::from_str(event.content.verbatim()).unwrap_or_default();
            let name = payload.get("item").and_then(|item| item.get("name")).and_then(|name| name.as_str());
            if name.is_some_and(|name| policy.excludes_tool(name)) {
                if self.calls.len() >= REMEMBERED_MAX {
                    self.calls.clear();
                }
                self.calls.push(call.to_owned());
                return Some(Reason::Tool);
            }
        }
        let by_name = event.metadata.as_ref().and_then(|json| {
            let tool = json.to_value().get("tool").and_then(|tool| tool.as_str().map(str::to_owned));
            tool.filter(|tool| policy.excludes_tool(tool))
        });
        let known = !call.is_empty() && self.calls.iter().any(|known| known == call);
        // What a client's output shows of a command or a change has no call: it goes by the tool that does such things.
        let by_kind = call.is_empty()
            && match event.kind() {
                Kind::Command => policy.excludes_tool("Bash"),
                Kind::FileChange => policy.excludes_tool("apply_patch"),
                _ => false,
            };
        (known || by_kind || by_name.is_some()).then_some(Reason::Tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Content, Event, Json, Source};

    fn policy() -> Policy {
        let markers = vec!["[private]".to_owned()];
        Policy::new(
            vec!["/secret/place".into()],
            vec!["Web*".into(), "Bash".into()],
            &["(?i)acme corp".into()],
            markers,
        )
        .unwrap()
    }

    fn captured(kind: Kind, turn: &str, content: Content) -> Captured {
        let mut event = Event::new(Source::ClaudeCodeHistory, "s", kind, content);
        event.turn = Some(turn.to_owned());
        Captured { event, cwd: Some("/work".into()), remote: None }
    }

    fn text(kind: Kind, turn: &str, text: &str) -> Captured {
        captured(kind, turn, Content::Text(text.to_owned()))
    }

    #[test]
    fn a_private_prompt_takes_its_whole_turn_with_it_and_not_the_next() {
        let (policy, mut judge) = (policy(), Judge::default());
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "1", "hi")), None);
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "2", "[Private] my salary")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::AssistantMessage, "2", "ok")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::ToolResult, "2", "out")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "3", "and now?")), None);
        assert_eq!(judge.forbids(&policy, &text(Kind::AssistantMessage, "3", "this")), None);
        let mut later = Judge::default();
        later.begin([("s", "2"), ("t", "9")]);
        assert_eq!(later.forbids(&policy, &text(Kind::ToolCall, "2", "x")), Some(Reason::Private));
    }

    #[test]
    fn what_happened_in_a_pause_is_not_recorded_afterwards() {
        let (policy, mut judge) = (policy().with_pauses(vec![(1_000, 2_000)]), Judge::default());
        let at = |ms| {
            let mut captured = text(Kind::UserMessage, "1", "hi");
            captured.event.time = Some(memoir_event::Time::from_ms(ms));
            captured
        };
        assert_eq!(judge.forbids(&policy, &at(999)), None);
        assert_eq!(judge.forbids(&policy, &at(1_500)), Some(Reason::Paused));
        assert_eq!(judge.forbids(&policy, &at(2_000)), None);
    }

    #[test]
    fn excluded_paths_tools_and_patterns_are_kept_out() {
        let (policy, mut judge) = (policy(), Judge::default());
        let mut inside = text(Kind::UserMessage, "1", "hi");
        inside.cwd = Some("/secret/place/deep".into());
        assert_eq!(judge.forbids(&policy, &inside), Some(Reason::Path));
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "1", "for ACME Corp")), Some(Reason::Pattern));
        let json = Json::parse(r#"{"item":{"type":"tool_call","name":"WebFetch","arguments":{}}}"#.into()).unwrap();
        let mut call = captured(Kind::ToolCall, "1", Content::Payload(json));
        call.event.action = Some("c1".into());
        assert_eq!(judge.forbids(&policy, &call), Some(Reason::Tool));
        let mut change = text(Kind::FileChange, "1", "x");
        change.event.action = Some("c1".into());
        assert_eq!(judge.forbids(&policy, &change), Some(Reason::Tool));
        let mut result = text(Kind::ToolResult, "1", "x");
        result.event.metadata = Json::parse(r#"{"tool":"Bash"}"#.into()).ok();
        assert_eq!(judge.forbids(&policy, &result), Some(Reason::Tool));
        change.event.action = Some("c2".into());
        assert_eq!(judge.forbids(&policy, &change), None);
    }

    #[test]
    fn a_shell_is_excluded_by_any_of_its_names_and_commands_with_it() {
        let (policy, mut judge) = (policy(), Judge::default());
        let json =
            Json::parse(r#"{"item":{"type":"tool_call","name":"shell_command","arguments":{}}}"#.into()).unwrap();
        assert_eq!(judge.forbids(&policy, &captured(Kind::ToolCall, "1", Content::Payload(json))), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &text(Kind::Command, "1", "ls")), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &text(Kind::FileChange, "1", "a.txt")), None);
    }

    #[test]
    fn a_file_in_a_directory_turns_recording_off_below_it() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
        assert!(!policy().excludes_dir(&dir.path().join("a/b").to_string_lossy()));
        std::fs::write(dir.path().join("a").join(OFF_FILE), "").unwrap();
        assert!(policy().excludes_dir(&dir.path().join("a/b").to_string_lossy()));
        assert!(Policy::new(vec![], vec![], &["(".into()], vec![]).is_err());
    }
}
