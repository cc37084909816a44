//! Settings: `config.toml`, then the environment, then flags; the later wins. One table describes them all.

mod known;
mod tables;
mod value;

pub use known::{Kind, SETTINGS, Setting};
pub use value::{check, find, flatten, from_text, in_home};

use crate::budget::Budget;
use crate::exit::Usage;
use crate::home::{Home, non_empty};
use anyhow::{Context, Result};
use memoir_event::{Kind as EventKind, Source, nearest};
use memoir_journal::Limits;
use memoir_model::{AgentKind, ChatKind, Secret};
use memoir_recall::Blocked;
use memoir_record::Policy;
use memoir_redact::Redactor;
use memoir_report::Price;
use memoir_server::Scope;
use memoir_session::CommitRules;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tables::{prices, redact_rules, server_keys};
use toml::Value;
use value::{is_ours, show, strings, value_of};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nothing set it.
    Default,
    /// The settings file.
    File,
    /// That environment variable.
    Environment(&'static str),
}

/// A model that somebody configured, or did not.
#[derive(Debug, Clone, Default)]
pub struct ModelAccess {
    /// Where it is; without an address there is none.
    pub url: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// The key for it.
    pub key: Option<Secret>,
    /// The environment variable that holds the key.
    pub key_env: Option<String>,
    /// How long a call may take.
    pub timeout_ms: u64,
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// At its address, in that protocol.
    Http(ChatKind),
    /// By running that agent.
    Agent(AgentKind),
}

impl ModelKind {
    /// The kind of that name.
    pub fn parse(name: &str) -> Option<ModelKind> {
        ChatKind::parse(name).map(ModelKind::Http).or_else(|| AgentKind::parse(name).map(ModelKind::Agent))
    }
}

impl Settings {
    /// Whether somebody configured a model that answers.
    pub fn has_model(&self) -> bool {
        self.model.url.is_some() || matches!(self.model_kind, Some(ModelKind::Agent(_)))
    }
}

/// What hooks give to conversations.
#[derive(Debug, Clone, Copy)]
pub struct HookSettings {
    /// How long recall may take.
    pub timeout_ms: u64,
    /// What helps with each prompt.
    pub recall: bool,
    /// What one should know when a session begins.
    pub essence: bool,
    /// What is known of a file or a command before a tool.
    pub before_tool: bool,
    /// Nothing again within so many turns.
    pub repeat_turns: u64,
    /// About so many tokens with a prompt.
    pub budget_tokens: usize,
    /// A sealed session's overview when it goes on.
    pub resume: bool,
    /// About so many tokens of archives are looked at.
    pub resume_token_budget: usize,
    /// So many characters of it are given.
    pub resume_chars_max: usize,
}

/// What makes a digest of what is recalled.
#[derive(Debug, Clone)]
pub struct CompressorSettings {
    /// Whether there is one.
    pub is_on: bool,
    /// The model to try first.
    pub model: Option<String>,
    /// How much it shall think.
    pub thinking: Option<String>,
    /// Whether a session's beginning tries which model answers.
    pub detect: bool,
    /// How long each may take then.
    pub detect_timeout_ms: u64,
    /// How long that is believed.
    pub detect_ttl_ms: u64,
}

/// Said instead of a model or of how much it shall think.
const OFF: &str = "off";

/// Two minutes: a compressor takes its time.
const TIMEOUT_WITH_COMPRESSOR_MS: u64 = 120_000;

/// All settings, checked.
#[derive(Debug)]
pub struct Settings {
    /// Who records.
    pub actor: Option<String>,
    /// Where events are sent.
    pub server_url: Option<String>,
    /// The key for it.
    pub server_api_key: Option<String>,
    /// The longest line.
    pub max_event_bytes: usize,
    /// Records in a request.
    pub batch_max_records: usize,
    /// How long a record may wait.
    pub flush_interval_ms: u64,
    /// How long a request may take.
    pub timeout_ms: u64,
    /// How much of a tool's result is kept.
    pub tool_result_chars: usize,
    /// Where nothing is recorded.
    pub exclude_paths: Vec<String>,
    /// Tools that are not recorded.
    pub exclude_tools: Vec<String>,
    /// Patterns of what is not recorded.
    pub exclude_patterns: Vec<String>,
    /// What marks a prompt as private.
    pub private_markers: Vec<String>,
    /// Where undelivered records wait.
    pub spool_dir: PathBuf,
    /// How much may wait there.
    pub spool_bytes_max: u64,
    /// How long to wait for the journal.
    pub lock_wait_ms: u64,
    /// What is never handed out.
    pub blocked: Blocked,
    /// Memory of the index writer.
    pub index_memory_mb: u64,
    /// What makes vectors of texts.
    pub embeddings: ModelAccess,
    /// How long making many of them may take.
    pub embeddings_build_timeout_ms: u64,
    /// What answers from evidence.
    pub model: ModelAccess,
    /// Which protocol it speaks.
    pub model_kind: Option<ModelKind>,
    /// Whether it tells archives.
    pub model_archives: bool,
    /// What it may take in a day.
    pub model_budget: Budget,
    /// When a session is taken for ended.
    pub commit_rules: CommitRules,
    /// What hooks give to conversations.
    pub hooks: HookSettings,
    /// What makes a digest of what they give.
    pub compressor: CompressorSettings,
    /// Whether hooks write down what they did.
    pub debug: bool,
    /// Where to listen.
    pub server_host: String,
    /// On which port.
    pub server_port: u16,
    /// Further names of the server.
    pub server_allowed_hosts: Vec<String>,
    /// The largest body.
    pub server_body_bytes_max: usize,
    /// The rate limit; none is off.
    pub server_rate: Option<(u32, u32)>,
    /// Whether it counts loopback.
    pub server_limit_loopback: bool,
    /// Keys and their scopes.
    pub server_keys: Vec<(String, Vec<Scope>)>,
    /// What models cost.
    pub prices: Vec<Price>,
    /// Further redaction rules and exceptions.
    pub redact: memoir_redact::Settings,
    /// What other programs' variables say that cannot be understood here.
    pub passed_over: Vec<String>,
    /// Each value as text with where it came from, for `memoir config`.
    pub shown: BTreeMap<&'static str, (String, Origin)>,
}

impl Settings {
    /// Reads the settings of a home.
    pub fn load(home: &Home) -> Result<Settings> {
        let (settings, misread) = Settings::tolerant(home)?;
        settings.unless(misread)
    }

    /// The same for whoever must go on: where a value cannot be understood its default holds, and that is told. What is
    /// not to be recorded or handed out must be understood.
    pub fn tolerant(home: &Home) -> Result<(Settings, Vec<Misread>)> {
        Settings::read(home, &may_guard)
    }

    /// The same for whoever wants less recorded: a key that nobody knows does not stop that, whatever it is meant for.
    pub fn for_excluding(home: &Home) -> Result<(Settings, Vec<Misread>)> {
        Settings::read(home, &|_| false)
    }

    /// Reads them; an unknown key that `must_be_known` is an error.
    fn read(home: &Home, must_be_known: &dyn Fn(&str) -> bool) -> Result<(Settings, Vec<Misread>)> {
        let file = home.config_file();
        let table = match std::fs::read_to_string(&file) {
            Ok(text) => text.parse::<toml::Table>().map_err(|error| {
                let line = error
                    .span()
                    .map_or(1, |span| 1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count());
                Usage(format!("{} line {line} is not valid TOML: {}", file.display(), error.message()))
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => toml::Table::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        let mut misread = Vec::new();
        let found = flatten(&table, &mut |key, problem| {
            let problem = format!("{}: {problem}", file.display());
            if must_be_known(key) {
                return Err(Usage(problem));
            }
            misread.push(Misread { name: key.to_owned(), problem });
            Ok(())
        })?;
        let settings = Settings::from_values(home, &found, &mut misread)?;
        Ok((settings, misread))
    }

    /// What holds where `config.toml` says nothing, or nothing that can be understood.
    pub fn without_file(home: &Home) -> Result<Settings> {
        let mut misread = Vec::new();
        let settings = Settings::from_values(home, &BTreeMap::new(), &mut misread)?;
        settings.unless(misread)
    }

    /// The settings, unless one of memoir's own cannot be understood. A variable that another program is told by stops
    /// nothing here; `memoir doctor` names it.
    fn unless(mut self, misread: Vec<Misread>) -> Result<Settings> {
        for misread in misread {
            if is_ours(&misread.name) {
                return Err(Usage(misread.problem).into());
            }
            self.passed_over.push(misread.problem);
        }
        Ok(self)
    }

    fn from_values(home: &Home, file: &BTreeMap<String, Value>, misread: &mut Vec<Misread>) -> Result<Settings, Usage> {
        let mut shown = BTreeMap::new();
        let mut values = BTreeMap::new();
        for setting in SETTINGS {
            let (value, origin) = match value_of(setting, file, home, misread) {
                Err(Usage(problem)) if !may_guard(setting.key) => {
                    let variable = setting.env.iter().find(|name| is_ours(name) && non_empty(name).is_some());
                    let name = variable.map_or(setting.key, |name| *name).to_owned();
                    misread.push(Misread { name, problem });
                    (from_text(setting, setting.default).map_err(Usage)?, Origin::Default)
                }
                found => found?,
            };
            shown.insert(setting.key, (show(setting, &value), origin));
            values.insert(setting.key, value);
        }
        let text = |key: &str| values.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let optional = |key: &str| Some(text(key)).filter(|text| !text.is_empty());
        let number =
            |key: &str| values.get(key).and_then(Value::as_integer).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let small = |key: &str| usize::try_from(number(key)).unwrap_or(usize::MAX);
        let list = |key: &str| strings(values.get(key));
        let rate = u32::try_from(number("server.requests_per_second")).unwrap_or(u32::MAX);
        let flag = |key: &str| values.get(key).and_then(Value::as_bool).unwrap_or(false);
        let is_default = |key: &str| shown.get(key).is_none_or(|(_, origin)| *origin == Origin::Default);
        let (model, thinking) = (optional("compressor.model"), optional("compressor.thinking"));
        let is_off = |word: &Option<String>| word.as_deref().is_some_and(|word| word.eq_ignore_ascii_case(OFF));
        let compressor = CompressorSettings {
            is_on: (flag("compressor.enabled") || is_default("compressor.enabled") && model.is_some())
                && !is_off(&model)
                && !is_off(&thinking),
            model,
            thinking,
            detect: flag("compressor.detect"),
            detect_timeout_ms: number("compressor.detect_timeout_ms"),
            detect_ttl_ms: number("compressor.detect_ttl_ms"),
        };
        let is_longer = compressor.is_on && is_default("recall.timeout_ms");
        let timeout_ms = if is_longer { TIMEOUT_WITH_COMPRESSOR_MS } else { number("recall.timeout_ms") };
        let origin = shown.get("recall.timeout_ms").map_or(Origin::Default, |(_, origin)| origin.clone());
        shown.insert("recall.timeout_ms", (timeout_ms.to_string(), origin));
        let hooks = HookSettings {
            timeout_ms,
            recall: flag("hook.recall"),
            essence: flag("hook.essence"),
            before_tool: flag("hook.before_tool"),
            repeat_turns: number("hook.repeat_turns"),
            budget_tokens: small("hook.budget_tokens"),
            resume: flag("resume.inject"),
            resume_token_budget: small("resume.token_budget"),
            resume_chars_max: small("resume.chars_max"),
        };
        Ok(Settings {
            actor: optional("actor"),
            server_url: optional("server_url"),
            server_api_key: optional("server_api_key"),
            max_event_bytes: small("ingest.max_event_bytes"),
            batch_max_records: small("ingest.batch_max_records"),
            flush_interval_ms: number("ingest.flush_interval_ms"),
            timeout_ms: number("ingest.timeout_ms"),
            tool_result_chars: small("capture.tool_result_chars"),
            exclude_paths: list("capture.exclude_paths"),
            exclude_tools: list("capture.exclude_tools"),
            exclude_patterns: list("capture.exclude_patterns"),
            private_markers: list("capture.private_markers"),
            spool_dir: optional("spool.dir").map_or_else(|| home.spool_dir(), PathBuf::from),
            spool_bytes_max: number("spool.bytes_max"),
            lock_wait_ms: number("journal.lock_wait_ms"),
            blocked: Blocked {
                kinds: list("recall.blocked_kinds").iter().filter_map(|name| EventKind::parse(name)).collect(),
                sources: list("recall.blocked_sources").iter().filter_map(|name| Source::parse(name)).collect(),
            },
            index_memory_mb: number("index.memory_mb"),
            embeddings: ModelAccess {
                url: optional("embeddings.url"),
                name: optional("embeddings.model"),
                key: Secret::new(&text("embeddings.key")),
                key_env: optional("embeddings.key_env"),
                timeout_ms: number("embeddings.timeout_ms"),
            },
            embeddings_build_timeout_ms: number("embeddings.build_timeout_ms"),
            model: ModelAccess {
                url: optional("model.url"),
                name: optional("model.name"),
                key: Secret::new(&text("model.key")),
                key_env: optional("model.key_env"),
                timeout_ms: number("model.timeout_ms"),
            },
            model_kind: ModelKind::parse(&text("model.kind")),
            model_archives: flag("model.archives"),
            model_budget: Budget { daily_tokens: number("model.daily_tokens") },
            commit_rules: CommitRules {
                active_window_ms: i64::try_from(number("session.active_window_ms")).unwrap_or(i64::MAX),
                idle_ttl_ms: i64::try_from(number("session.idle_ttl_ms")).unwrap_or(i64::MAX),
            },
            hooks,
            compressor,
            debug: flag("debug"),
            server_host: text("server.host"),
            server_port: u16::try_from(number("server.port")).unwrap_or(0),
            server_allowed_hosts: list("server.allowed_hosts"),
            server_body_bytes_max: small("server.body_bytes_max"),
            server_rate: (rate > 0).then(|| (rate, u32::try_from(number("server.burst")).unwrap_or(u32::MAX))),
            server_limit_loopback: flag("server.limit_loopback"),
            server_keys: server_keys(values.get("server.keys"))?,
            prices: prices(values.get("stats.prices")).unwrap_or_else(|Usage(problem)| {
                misread.push(Misread { name: "stats.prices".to_owned(), problem });
                Vec::new()
            }),
            redact: memoir_redact::Settings {
                rules: redact_rules(values.get("redact.rules"))?,
                allow: list("redact.allow"),
            },
            passed_over: Vec::new(),
            shown,
        })
    }

    /// What the user does not want recorded.
    pub fn policy(&self) -> Result<Policy> {
        let paths = self.exclude_paths.iter().map(|path| in_home(path)).collect();
        let policy =
            Policy::new(paths, self.exclude_tools.clone(), &self.exclude_patterns, self.private_markers.clone());
        let policy = policy.map(|policy| policy.hearing(memoir_dream::wants_privacy, memoir_dream::takes_back));
        policy.map_err(|error| Usage(format!("config.toml: `capture.exclude_patterns` {error}")).into())
    }

    /// How much of long texts is kept.
    pub fn limits(&self) -> Limits {
        Limits { tool_result_chars: self.tool_result_chars, ..Limits::default() }
    }

    /// The redactor with the user's own rules.
    pub fn redactor(&self) -> Result<Redactor> {
        if self.redact.rules.is_empty() && self.redact.allow.is_empty() {
            return Ok(Redactor::builtin());
        }
        Redactor::new(&self.redact).map_err(|error| Usage(format!("config.toml: {error}")).into())
    }
}

/// A setting that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// Its key, or the variable that it was read from.
    pub name: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Whether a key is, or may be meant to be, one that says what is not to be recorded or handed out, or who may ask.
fn may_guard(key: &str) -> bool {
    let guards = |key: &str| {
        ["capture.exclude", "capture.private", "redact.", "recall.blocked", "server."]
            .iter()
            .any(|guard| key.starts_with(guard))
    };
    let is_known = SETTINGS.iter().any(|setting| setting.key == key);
    guards(key) || !is_known && nearest(key, SETTINGS.iter().map(|setting| setting.key)).is_some_and(guards)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(toml: &str) -> String {
        let home = Home::locate(Some(std::path::Path::new("/nowhere"))).unwrap();
        let table: toml::Table = toml.parse().unwrap();
        let mut misread = Vec::new();
        let found = flatten(&table, &mut |_, problem| Err(Usage(problem)));
        match found.and_then(|found| Settings::from_values(&home, &found, &mut misread)) {
            Err(Usage(problem)) => problem,
            Ok(_) => misread.into_iter().next().map(|misread| misread.problem).unwrap_or_default(),
        }
    }

    #[test]
    fn what_guards_is_never_passed_over() {
        for key in ["capture.exclude_paths", "capture.exclude_path", "redact.alow", "recall.blocked_kind", "redact.x"] {
            assert!(may_guard(key), "{key}");
        }
        for key in ["hook.recall", "hook.recal", "recall.timeout_ms", "debug", "zzz.yyy"] {
            assert!(!may_guard(key), "{key}");
        }
    }

    #[test]
    fn an_unknown_key_names_the_nearest_known_one() {
        assert_eq!(problem("[server]\nprt = 1"), "unknown setting `server.prt`; did you mean `server.port`?");
        assert_eq!(problem("acter = 'x'"), "unknown setting `acter`; did you mean `actor`?");
        assert!(problem("[zzz]\nyyy = 1").contains("`memoir config` lists them all"));
    }

    #[test]
    fn a_wrong_value_is_named() {
        assert_eq!(
            problem("[server]\nport = 70000"),
            "/nowhere/config.toml: `server.port` must be a whole number from 0 to 65535, not `70000`"
        );
        assert_eq!(problem("actor = 5"), "/nowhere/config.toml: `actor` must be a text, not integer");
        assert_eq!(
            problem("[redact]\nallow = 'x'"),
            "/nowhere/config.toml: `redact.allow` must be a list of texts, not string"
        );
        assert!(problem("[[redact.rules]]\nname = 'x'").contains("needs a `name` and a `pattern`"));
        assert_eq!(problem("[server]\nport = 1\n[[server.keys]]\nkey = 'k'\nscopes = ['read']"), "");
    }
}
