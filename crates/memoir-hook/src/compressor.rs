//! Which model makes digests: tried when a session begins, kept in the home, believed for a while.

use memoir_model::{Agent, AgentKind};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What is asked to see whether a model answers.
const PROBE: &str = "Answer with the one word READY. Use no tools.";

const VERSION: u32 = 1;

/// Tried after the configured one: a model, and how much it shall think.
const FALLBACKS: [(&str, Option<&str>); 2] = [("gpt-5.3-codex-spark", None), ("gpt-5.5", Some("low"))];

/// What says that a model shall think as much as it usually does.
const USUAL: &str = "default";

/// A program that asks models, and what is configured of it.
#[derive(Debug, Clone)]
pub struct Compressor {
    /// The program, `codex`.
    pub program: PathBuf,
    /// The model to try first.
    pub model: Option<String>,
    /// How much it shall think.
    pub thinking: Option<String>,
    /// Whether to try which one answers when a session begins.
    pub detect: bool,
    /// How long each may take then.
    pub detect_timeout: Duration,
    /// How long that is believed.
    pub detect_ttl_ms: i64,
    /// Where what was found is kept.
    pub profile_file: PathBuf,
    /// The variable that keeps our hooks from recording the child.
    pub marker: &'static str,
}

/// A model that answers, or that none does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Profile {
    version: u32,
    checked_ms: i64,
    /// What was configured when it was found.
    wish: String,
    /// Whether there is one.
    pub is_on: bool,
    /// The model; none is the client's own.
    pub model: Option<String>,
    /// How much it shall think; none is as much as usual.
    pub thinking: Option<String>,
}

impl Compressor {
    /// Tries one model after another and keeps the first that answers, or that none does.
    pub(crate) fn detect(&self, now_ms: i64, until: Instant) {
        let candidates = self.candidates(now_ms);
        let answers = |profile: &Profile| {
            let until = until.min(Instant::now() + self.detect_timeout);
            self.agent(profile).ask(PROBE, until).is_ok()
        };
        let off = Profile { is_on: false, model: None, thinking: None, ..self.profile(None, None, now_ms) };
        let found = candidates.into_iter().find(answers).unwrap_or(off);
        self.keep(&found);
    }

    /// What was found last, if it is still to be believed; else the first candidate. None if no model answers.
    pub(crate) fn known(&self, now_ms: i64) -> Option<Profile> {
        let text = fs::read_to_string(&self.profile_file).ok();
        let kept: Option<Profile> = text.and_then(|text| serde_json::from_str(&text).ok());
        let is_believed = |kept: &Profile| {
            let age_ms = now_ms.saturating_sub(kept.checked_ms);
            kept.version == VERSION && kept.wish == self.wish() && (0..=self.detect_ttl_ms).contains(&age_ms)
        };
        match kept.filter(is_believed) {
            Some(kept) => kept.is_on.then_some(kept),
            None => self.candidates(now_ms).into_iter().next(),
        }
    }

    /// That model, ready to be asked.
    pub(crate) fn agent(&self, profile: &Profile) -> Agent {
        let (model, thinking) = (profile.model.clone(), profile.thinking.clone());
        let (kind, program) = (AgentKind::Codex, self.program.clone());
        Agent { kind, program, model, thinking, marker: (self.marker, "compressor") }
    }

    /// It failed: until the next session begins nobody waits for it.
    pub(crate) fn give_up(&self, profile: &Profile, now_ms: i64) {
        self.keep(&Profile { is_on: false, checked_ms: now_ms, ..profile.clone() });
    }

    fn candidates(&self, now_ms: i64) -> Vec<Profile> {
        let thinking = self.thinking.as_deref().filter(|thinking| *thinking != USUAL);
        let is_configured = self.model.is_some() || thinking.is_some();
        let own = is_configured.then(|| self.profile(self.model.as_deref(), thinking, now_ms));
        let others = FALLBACKS.iter().map(|(model, thinking)| self.profile(Some(model), *thinking, now_ms));
        own.into_iter().chain(others).collect()
    }

    fn profile(&self, model: Option<&str>, thinking: Option<&str>, now_ms: i64) -> Profile {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (model, thinking) = (owned(model), owned(thinking));
        Profile { version: VERSION, checked_ms: now_ms, wish: self.wish(), is_on: true, model, thinking }
    }

    fn wish(&self) -> String {
        format!("{}|{}", self.model.as_deref().unwrap_or_default(), self.thinking.as_deref().unwrap_or_default())
    }

    /// Whole or not at all; if it cannot be kept, it is found again.
    fn keep(&self, profile: &Profile) {
        let (Some(dir), Ok(text)) = (self.profile_file.parent(), serde_json::to_string(profile)) else { return };
        let written = tempfile::Builder::new().prefix(".memoir-").tempfile_in(dir).and_then(|mut partial| {
            partial.write_all(text.as_bytes())?;
            partial.persist(&self.profile_file).map(drop).map_err(|error| error.error)
        });
        drop(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressor(dir: &std::path::Path, model: Option<&str>) -> Compressor {
        Compressor {
            program: dir.join("codex"),
            model: model.map(str::to_owned),
            thinking: Some("low".to_owned()),
            detect: true,
            detect_timeout: Duration::from_secs(10),
            detect_ttl_ms: 1_000,
            profile_file: dir.join("compressor.json"),
            marker: "MEMOIR_AGENT",
        }
    }

    fn names(compressor: &Compressor) -> Vec<String> {
        compressor.candidates(0).into_iter().filter_map(|profile| profile.model).collect()
    }

    #[test]
    fn the_configured_model_is_tried_first() {
        let dir = tempfile::tempdir().unwrap();
        let own = compressor(dir.path(), Some("mine"));
        assert_eq!(names(&own), ["mine", "gpt-5.3-codex-spark", "gpt-5.5"]);
        assert_eq!(own.candidates(0)[0].thinking.as_deref(), Some("low"));
        assert_eq!(
            (own.candidates(0)[1].thinking.as_deref(), own.candidates(0)[2].thinking.as_deref()),
            (None, Some("low"))
        );
        let usual = Compressor { thinking: Some(USUAL.to_owned()), ..compressor(dir.path(), Some("mine")) };
        assert_eq!(usual.candidates(0)[0].thinking, None);
    }

    #[test]
    fn what_was_found_is_believed_for_a_while_and_for_one_wish() {
        let dir = tempfile::tempdir().unwrap();
        let own = compressor(dir.path(), Some("mine"));
        let found = own.profile(Some("gpt-5.5"), None, 5_000);
        own.keep(&found);
        assert_eq!(own.known(5_500), Some(found.clone()));
        assert_eq!(own.known(7_000).unwrap().model.as_deref(), Some("mine"));
        assert_eq!(compressor(dir.path(), Some("other")).known(5_500).unwrap().model.as_deref(), Some("other"));
        own.give_up(&found, 5_600);
        assert_eq!(own.known(5_700), None);
        fs::write(&own.profile_file, "nonsense").unwrap();
        assert_eq!(own.known(5_700).unwrap().model.as_deref(), Some("mine"));
    }

    #[cfg(unix)]
    #[test]
    fn the_first_model_that_answers_is_kept_and_a_slow_one_is_ended() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let own = Compressor { detect_timeout: Duration::from_millis(300), ..compressor(dir.path(), Some("mine")) };
        let script = "#!/bin/sh\n[ -n \"$MEMOIR_AGENT\" ] || exit 9\n[ \"$2\" = mine ] && sleep 30\n[ \"$2\" = gpt-5.5 ] || exit 1\nwhile [ \"$1\" != --output-last-message ]; do shift; done\necho READY > \"$2\"\n";
        fs::write(&own.program, script).unwrap();
        fs::set_permissions(&own.program, fs::Permissions::from_mode(0o700)).unwrap();
        let begun = Instant::now();
        own.detect(0, begun + Duration::from_secs(20));
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert_eq!(own.known(10).unwrap().model.as_deref(), Some("gpt-5.5"));
        fs::write(&own.program, "#!/bin/sh\nexit 1\n").unwrap();
        own.detect(20, Instant::now() + Duration::from_secs(20));
        assert_eq!(own.known(30), None);
    }
}
