//! One answer to one prompt, from a coding agent that is installed: whoever pays for one needs no key for a model.
//!
//! The agent gets a directory of its own, nothing that it could do but answer, and a variable by which our hooks know that
//! this is not the user's work. Whatever it does, it is ended in time, with all that it has started.

use crate::answering_only;
use crate::error::ModelError;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a child is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// A longer answer is none.
const ANSWER_BYTES_MAX: u64 = 1 << 20;
/// So much of what it complains of is told.
const SAID_CHARS_MAX: usize = 200;

/// A coding agent that answers prompts without a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// `codex exec`.
    Codex,
    /// `claude -p`.
    Claude,
    /// `gemini -p`.
    Gemini,
}

impl AgentKind {
    /// Every kind.
    pub const ALL: [AgentKind; 3] = [AgentKind::Codex, AgentKind::Claude, AgentKind::Gemini];

    /// Its name in settings, which is that of its program.
    pub const fn as_str(self) -> &'static str {
        match self {
            AgentKind::Codex => "codex",
            AgentKind::Claude => "claude",
            AgentKind::Gemini => "gemini",
        }
    }

    /// The agent of that name.
    pub fn parse(name: &str) -> Option<AgentKind> {
        AgentKind::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

/// An agent that can be asked.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Which one it is.
    pub kind: AgentKind,
    /// Its program.
    pub program: PathBuf,
    /// The model it is to use; none is its own.
    pub model: Option<String>,
    /// How much it shall think, of those that can be told; none is as much as usual.
    pub thinking: Option<String>,
    /// The variable that tells our hooks whose work it is, and its value.
    pub marker: (&'static str, &'static str),
}

impl Agent {
    /// Its name, with that of the model if it was told one.
    pub fn name(&self) -> String {
        let model = self.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
        format!("{}{model}", self.kind.as_str())
    }

    /// What it says to that prompt; the answer must be there by then.
    pub fn ask(&self, prompt: &str, until: Instant) -> Result<String, ModelError> {
        let begun = Instant::now();
        let dir = tempfile::Builder::new().prefix("memoir-").tempdir().map_err(|error| self.unable(&error))?;
        let (question, answer) = (dir.path().join("question"), dir.path().join("answer"));
        let complaint = dir.path().join("complaint");
        File::create(&question)
            .and_then(|mut file| file.write_all(prompt.as_bytes()))
            .map_err(|error| self.unable(&error))?;
        let mut child =
            self.started(dir.path(), &question, &answer, &complaint).map_err(|error| self.unable(&error))?;
        let ended = ended(&mut child, until);
        if self.kind == AgentKind::Gemini {
            answering_only::forget_gemini(dir.path());
        }
        let Some(status) = ended.map_err(|error| self.unable(&error))? else {
            return Err(ModelError::Timeout { host: self.name(), after: begun.elapsed() });
        };
        if !status.success() {
            let said = fs::read(&complaint).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            let said: String = said.trim().chars().take(SAID_CHARS_MAX).collect();
            let said = if said.is_empty() { said } else { format!(": {said}") };
            return Err(ModelError::AgentFailed { agent: self.name(), status: status.to_string(), said });
        }
        let mut text = Vec::new();
        File::open(&answer)
            .and_then(|file| file.take(ANSWER_BYTES_MAX + 1).read_to_end(&mut text))
            .map_err(|error| self.unusable(format!("it left none ({error})")))?;
        if text.len() as u64 > ANSWER_BYTES_MAX {
            return Err(ModelError::TooLong { host: self.name(), bytes_max: ANSWER_BYTES_MAX });
        }
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        if text.is_empty() { Err(self.unusable("it says nothing".to_owned())) } else { Ok(text) }
    }

    fn started(&self, dir: &Path, question: &Path, answer: &Path, complaint: &Path) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.current_dir(dir).stdin(File::open(question)?).stderr(File::create(complaint)?);
        command.env(self.marker.0, self.marker.1);
        match self.kind {
            AgentKind::Codex => {
                command.args(self.model.iter().flat_map(|model| ["-m", model]));
                if let Some(thinking) = &self.thinking {
                    command.args(["-c", &format!("model_reasoning_effort=\"{thinking}\"")]);
                }
                command.args(answering_only::codex());
                command.args(["--sandbox", "read-only", "exec", "--ephemeral", "--skip-git-repo-check"]);
                command.arg("--output-last-message").arg(answer).arg("-").stdout(Stdio::null());
            }
            AgentKind::Claude => {
                command.args(["-p", "--output-format", "text", "--tools", "", "--strict-mcp-config"]);
                command.args(["--no-session-persistence"]);
                command.args(self.model.iter().flat_map(|model| ["--model", model])).stdout(File::create(answer)?);
            }
            AgentKind::Gemini => {
                answering_only::gemini(&mut command, dir)?;
                // What stands on its input comes before the prompt of its command line.
                command.args(["--output-format", "text", "--prompt", "Answer what is asked above."]);
                command.args(self.model.iter().flat_map(|model| ["--model", model])).stdout(File::create(answer)?);
            }
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }

    fn unable(&self, error: &io::Error) -> ModelError {
        ModelError::NoAgent { agent: self.name(), reason: error.to_string() }
    }

    fn unusable(&self, what: String) -> ModelError {
        ModelError::Unusable { host: self.name(), what }
    }
}

/// How a child ended by itself; none if it had to be ended.
fn ended(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(status)),
            None if Instant::now() >= until => {
                end(child);
                return Ok(None);
            }
            None => std::thread::sleep(LOOK_EVERY),
        }
    }
}

/// Ends a child and what it has started.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
