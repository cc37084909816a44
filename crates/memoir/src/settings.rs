//! Settings: `config.toml`, then the environment, then flags; the later wins. One table describes them all.

use crate::clients;
use crate::exit::Usage;
use crate::home::{Home, non_empty};
use anyhow::{Context, Result};
use memoir_event::{Kind as EventKind, Source, nearest};
use memoir_journal::Limits;
use memoir_model::{ChatKind, Secret, check_address};
use memoir_recall::Blocked;
use memoir_record::{Policy, ServerUrl};
use memoir_redact::{CustomRule, Redactor};
use memoir_report::Price;
use memoir_server::Scope;
use memoir_session::CommitRules;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use toml::Value;

/// One setting.
pub struct Setting {
    /// Its name in `config.toml`, with its table.
    pub key: &'static str,
    /// The environment variables that set it, the first wins.
    pub env: &'static [&'static str],
    /// What kind of value it has.
    pub kind: Kind,
    /// Its value if nothing sets it, as text.
    pub default: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// A text that must not be shown.
    Secret,
    /// A whole number in a range.
    Number(u64, u64),
    /// true or false.
    Flag,
    /// A list of texts.
    List,
    /// Tables of their own.
    Tables,
}

const fn setting(
    key: &'static str,
    env: &'static [&'static str],
    kind: Kind,
    default: &'static str,
    about: &'static str,
) -> Setting {
    Setting { key, env, kind, default, about }
}

/// Every setting there is.
pub static SETTINGS: &[Setting] = &[
    setting(
        "actor",
        &["MEMOIR_ACTOR"],
        Kind::Text,
        "",
        "who records; stored with every event (else git's user, else the login name)",
    ),
    setting(
        "server_url",
        &["MEMOIR_SERVER_URL"],
        Kind::Text,
        "",
        "send captured events to this server; hooks and exec also keep them here, ingest does not",
    ),
    setting(
        "server_api_key",
        &["MEMOIR_SERVER_API_KEY", "CEREMEMORY_SERVER_API_KEY"],
        Kind::Secret,
        "",
        "the key for that server; better kept in the environment",
    ),
    setting(
        "ingest.max_event_bytes",
        &["MEMOIR_INGEST_MAX_EVENT_BYTES"],
        Kind::Number(1, 1 << 30),
        "262144",
        "longer lines are refused before parsing",
    ),
    setting(
        "ingest.batch_max_records",
        &["MEMOIR_INGEST_BATCH_MAX_RECORDS"],
        Kind::Number(1, 10_000),
        "50",
        "records in one request to the server",
    ),
    setting(
        "ingest.flush_interval_ms",
        &["MEMOIR_INGEST_FLUSH_INTERVAL_MS"],
        Kind::Number(1, 600_000),
        "1000",
        "how long a record may wait for its batch",
    ),
    setting(
        "ingest.timeout_ms",
        &["MEMOIR_INGEST_TIMEOUT_MS"],
        Kind::Number(1, 600_000),
        "10000",
        "how long a request to the server may take",
    ),
    setting(
        "spool.dir",
        &["MEMOIR_SPOOL_DIR", "CEREMEMORY_RECORDER_SPOOL_DIR"],
        Kind::Text,
        "",
        "where undelivered records wait (else `spool` in the home)",
    ),
    setting(
        "spool.bytes_max",
        &["MEMOIR_SPOOL_BYTES_MAX"],
        Kind::Number(4096, 1 << 50),
        "268435456",
        "how much may wait there",
    ),
    setting(
        "journal.lock_wait_ms",
        &["MEMOIR_JOURNAL_LOCK_WAIT_MS"],
        Kind::Number(0, 600_000),
        "5000",
        "how long to wait for another process's write",
    ),
    setting(
        "capture.tool_result_chars",
        &["MEMOIR_CAPTURE_TOOL_RESULT_CHARS", "OPENVIKING_CAPTURE_TOOL_MAX_CHARS"],
        Kind::Number(100, 100_000_000),
        "100000",
        "a longer tool result loses its middle",
    ),
    setting(
        "capture.exclude_paths",
        &["MEMOIR_CAPTURE_EXCLUDE_PATHS"],
        Kind::List,
        "",
        "directories in which nothing is recorded",
    ),
    setting(
        "capture.exclude_tools",
        &["MEMOIR_CAPTURE_EXCLUDE_TOOLS"],
        Kind::List,
        "",
        "tools whose calls and results are not recorded; a * at the end stands for anything",
    ),
    setting(
        "capture.exclude_patterns",
        &[],
        Kind::List,
        "",
        "patterns (regular expressions); what matches one is not recorded",
    ),
    setting(
        "capture.private_markers",
        &["MEMOIR_CAPTURE_PRIVATE_MARKERS"],
        Kind::List,
        "[private],#nosave,do not save this",
        "a prompt with one of these is not recorded, nor what the agent does about it",
    ),
    setting(
        "recall.blocked_kinds",
        &["MEMOIR_RECALL_BLOCKED_KINDS"],
        Kind::List,
        "",
        "kinds of events that recall, ask and readers over HTTP never get, such as reasoning",
    ),
    setting(
        "recall.blocked_sources",
        &["MEMOIR_RECALL_BLOCKED_SOURCES"],
        Kind::List,
        "",
        "sources whose events recall, ask and readers over HTTP never get, such as http",
    ),
    setting(
        "index.memory_mb",
        &["MEMOIR_INDEX_MEMORY_MB"],
        Kind::Number(16, 4096),
        "64",
        "memory that indexing may use",
    ),
    setting(
        "embeddings.url",
        &["MEMOIR_EMBEDDINGS_URL"],
        Kind::Text,
        "",
        "where an embedding model is (OpenAI's /embeddings: Ollama, llama.cpp, a cloud), with or without /v1; none: words alone rank",
    ),
    setting(
        "embeddings.model",
        &["MEMOIR_EMBEDDINGS_MODEL"],
        Kind::Text,
        "",
        "that model's name; another one makes all vectors anew",
    ),
    setting(
        "embeddings.key",
        &["MEMOIR_EMBEDDINGS_KEY"],
        Kind::Secret,
        "",
        "the key for it; better kept in the environment",
    ),
    setting(
        "embeddings.key_env",
        &["MEMOIR_EMBEDDINGS_KEY_ENV"],
        Kind::Text,
        "",
        "the environment variable that holds the key for it, such as OPENAI_API_KEY",
    ),
    setting(
        "embeddings.timeout_ms",
        &["MEMOIR_EMBEDDINGS_TIMEOUT_MS"],
        Kind::Number(1, 600_000),
        "300",
        "how long a question waits for it; then words alone rank",
    ),
    setting(
        "embeddings.build_timeout_ms",
        &["MEMOIR_EMBEDDINGS_BUILD_TIMEOUT_MS"],
        Kind::Number(1, 3_600_000),
        "60000",
        "how long `memoir embed` and `memoir serve` wait for it with each batch of texts",
    ),
    setting(
        "model.url",
        &["MEMOIR_MODEL_URL"],
        Kind::Text,
        "",
        "where a model is that `memoir ask` may have answer from the evidence, with or without /v1; none: evidence only",
    ),
    setting("model.name", &["MEMOIR_MODEL_NAME"], Kind::Text, "", "that model's name"),
    setting("model.key", &["MEMOIR_MODEL_KEY"], Kind::Secret, "", "the key for it; better kept in the environment"),
    setting(
        "model.key_env",
        &["MEMOIR_MODEL_KEY_ENV"],
        Kind::Text,
        "",
        "the environment variable that holds the key for it, such as ANTHROPIC_API_KEY",
    ),
    setting(
        "model.kind",
        &["MEMOIR_MODEL_KIND"],
        Kind::Text,
        "",
        "openai or anthropic: which protocol it speaks (else told from its address)",
    ),
    setting(
        "model.timeout_ms",
        &["MEMOIR_MODEL_TIMEOUT_MS"],
        Kind::Number(1, 3_600_000),
        "30000",
        "how long an answer may take",
    ),
    setting(
        "session.active_window_ms",
        &["MEMOIR_SESSION_ACTIVE_WINDOW_MS", "OPENVIKING_CODEX_ACTIVE_WINDOW_MS"],
        Kind::Number(0, 86_400_000),
        "120000",
        "when a session begins, the only one touched within this time is taken for ended and committed",
    ),
    setting(
        "session.idle_ttl_ms",
        &["MEMOIR_SESSION_IDLE_TTL_MS", "OPENVIKING_CODEX_IDLE_TTL_MS"],
        Kind::Number(0, 31_536_000_000),
        "1800000",
        "a session that nobody touched for longer is committed",
    ),
    setting(
        "recall.timeout_ms",
        &["MEMOIR_RECALL_TIMEOUT_MS", "OPENVIKING_RECALL_TIMEOUT_MS"],
        Kind::Number(1, 600_000),
        "2000",
        "how long a hook may take to recall; then the prompt goes on without (120000 with a compressor, unless set)",
    ),
    setting(
        "hook.recall",
        &["MEMOIR_HOOK_RECALL"],
        Kind::Flag,
        "true",
        "whether hooks give what helps with each prompt to the agent",
    ),
    setting(
        "hook.essence",
        &["MEMOIR_HOOK_ESSENCE"],
        Kind::Flag,
        "true",
        "whether they give conventions, decisions, open ends and the last sessions when a session begins",
    ),
    setting(
        "hook.before_tool",
        &["MEMOIR_HOOK_BEFORE_TOOL"],
        Kind::Flag,
        "false",
        "whether they tell before a tool is called what is known of its file or of its failing command",
    ),
    setting(
        "hook.repeat_turns",
        &["MEMOIR_HOOK_REPEAT_TURNS"],
        Kind::Number(0, 10_000),
        "5",
        "nothing is given again within so many turns of the user",
    ),
    setting(
        "hook.budget_tokens",
        &["MEMOIR_HOOK_BUDGET_TOKENS"],
        Kind::Number(1, 2_400),
        "1000",
        "about so many tokens are given with a prompt at most",
    ),
    setting(
        "resume.inject",
        &["MEMOIR_RESUME_INJECT", "OPENVIKING_RESUME_ARCHIVE_INJECT"],
        Kind::Flag,
        "true",
        "whether a session that was sealed gets its latest archive's overview when it is taken up again",
    ),
    setting(
        "resume.token_budget",
        &["MEMOIR_RESUME_TOKEN_BUDGET", "OPENVIKING_RESUME_ARCHIVE_TOKEN_BUDGET"],
        Kind::Number(1, 1_000_000),
        "32000",
        "about so many tokens of archives are looked at for that",
    ),
    setting(
        "resume.chars_max",
        &["MEMOIR_RESUME_CHARS_MAX", "OPENVIKING_RESUME_ARCHIVE_MAX_CHARS"],
        Kind::Number(1, 1_000_000),
        "6000",
        "so many characters of the overview are given at most",
    ),
    setting(
        "compressor.enabled",
        &["MEMOIR_COMPRESSOR", "OPENVIKING_RECALL_COMPRESS"],
        Kind::Flag,
        "false",
        "whether `codex exec` makes a digest of what is recalled for a prompt; a named model turns it on too",
    ),
    setting(
        "compressor.model",
        &["MEMOIR_COMPRESSOR_MODEL", "OPENVIKING_RECALL_COMPRESS_MODEL"],
        Kind::Text,
        "",
        "the model that is tried first for that; `off` turns it off",
    ),
    setting(
        "compressor.thinking",
        &[
            "MEMOIR_COMPRESSOR_THINKING",
            "OPENVIKING_RECALL_COMPRESS_THINKING",
            "OPENVIKING_RECALL_COMPRESS_REASONING_EFFORT",
        ],
        Kind::Text,
        "",
        "its model_reasoning_effort, such as low; `default` leaves it to Codex, `off` turns the compressor off",
    ),
    setting(
        "compressor.detect",
        &["MEMOIR_COMPRESSOR_DETECT", "OPENVIKING_RECALL_COMPRESS_DETECT_ON_STARTUP"],
        Kind::Flag,
        "true",
        "whether each beginning of a session tries which model answers",
    ),
    setting(
        "compressor.detect_timeout_ms",
        &["MEMOIR_COMPRESSOR_DETECT_TIMEOUT_MS", "OPENVIKING_RECALL_COMPRESS_DETECT_TIMEOUT_MS"],
        Kind::Number(1, 600_000),
        "15000",
        "how long each model may take to answer then",
    ),
    setting(
        "compressor.detect_ttl_ms",
        &["MEMOIR_COMPRESSOR_DETECT_TTL_MS", "OPENVIKING_RECALL_COMPRESS_DETECT_TTL_MS"],
        Kind::Number(1, 31_536_000_000),
        "604800000",
        "how long it is believed which model answers",
    ),
    setting(
        "debug",
        &["MEMOIR_DEBUG", "OPENVIKING_DEBUG"],
        Kind::Flag,
        "false",
        "whether hooks write what they did into hook.log in the home: events and times, no texts",
    ),
    setting(
        "server.host",
        &["MEMOIR_SERVER_HOST"],
        Kind::Text,
        "127.0.0.1",
        "the address that `memoir serve` listens on",
    ),
    setting(
        "server.port",
        &["MEMOIR_SERVER_PORT"],
        Kind::Number(0, 65_535),
        "8420",
        "the port that `memoir serve` listens on",
    ),
    setting(
        "server.allowed_hosts",
        &["MEMOIR_SERVER_ALLOWED_HOSTS"],
        Kind::List,
        "",
        "further names under which clients may reach the server",
    ),
    setting(
        "server.body_bytes_max",
        &["MEMOIR_SERVER_BODY_BYTES_MAX"],
        Kind::Number(1024, 1 << 30),
        "67108864",
        "the largest request body",
    ),
    setting(
        "server.requests_per_second",
        &["MEMOIR_SERVER_REQUESTS_PER_SECOND"],
        Kind::Number(0, 1_000_000),
        "100",
        "requests a second from one address; 0 turns the limit off",
    ),
    setting(
        "server.burst",
        &["MEMOIR_SERVER_BURST"],
        Kind::Number(1, 1_000_000),
        "50",
        "requests at once before that limit bites",
    ),
    setting(
        "server.limit_loopback",
        &["MEMOIR_SERVER_LIMIT_LOOPBACK"],
        Kind::Flag,
        "false",
        "whether that limit also counts programs on this machine",
    ),
    setting(
        "server.keys",
        &["MEMOIR_SERVER_KEYS"],
        Kind::Tables,
        "",
        "keys of `memoir serve`: [[server.keys]] with key and scopes, or SCOPE+SCOPE:KEY,… in the environment",
    ),
    setting(
        "stats.prices",
        &[],
        Kind::Tables,
        "",
        "what models cost: [[stats.prices]] with model, input, cached and output, in dollars for a million tokens",
    ),
    setting("redact.rules", &[], Kind::Tables, "", "further rules: [[redact.rules]] with name and pattern"),
    setting("redact.allow", &[], Kind::List, "", "patterns of what is never redacted"),
];

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
    pub model_kind: Option<ChatKind>,
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
    /// Each value as text with where it came from, for `memoir config`.
    pub shown: BTreeMap<&'static str, (String, Origin)>,
}

impl Settings {
    /// Reads the settings of a home.
    pub fn load(home: &Home) -> Result<Settings> {
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
        let found = flatten(&table).map_err(|problem| Usage(format!("{}: {problem}", file.display())))?;
        Ok(Settings::from_values(home, &found)?)
    }

    /// What holds where `config.toml` says nothing, or nothing that can be understood.
    pub fn without_file(home: &Home) -> Result<Settings> {
        Ok(Settings::from_values(home, &BTreeMap::new())?)
    }

    fn from_values(home: &Home, file: &BTreeMap<String, Value>) -> Result<Settings, Usage> {
        let mut shown = BTreeMap::new();
        let mut values = BTreeMap::new();
        for setting in SETTINGS {
            let environment = setting.env.iter().find_map(|name| non_empty(name).map(|value| (*name, value)));
            let (value, origin) = match (environment, file.get(setting.key)) {
                (Some((name, text)), _) => (
                    from_text(setting, &text).map_err(|what| Usage(format!("{name} {what}")))?,
                    Origin::Environment(name),
                ),
                (None, Some(value)) => (value.clone(), Origin::File),
                (None, None) => (from_text(setting, setting.default).map_err(Usage)?, Origin::Default),
            };
            check(setting, &value).map_err(|what| {
                Usage(match origin {
                    Origin::Environment(name) => format!("`{name}` {what}"),
                    _ => format!("{}: `{}` {what}", home.config_file().display(), setting.key),
                })
            })?;
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
        let hooks = HookSettings {
            timeout_ms: if compressor.is_on && is_default("recall.timeout_ms") {
                TIMEOUT_WITH_COMPRESSOR_MS
            } else {
                number("recall.timeout_ms")
            },
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
            model_kind: ChatKind::parse(&text("model.kind")),
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
            prices: prices(values.get("stats.prices"))?,
            redact: memoir_redact::Settings {
                rules: redact_rules(values.get("redact.rules"))?,
                allow: list("redact.allow"),
            },
            shown,
        })
    }

    /// What the user does not want recorded.
    pub fn policy(&self) -> Result<Policy> {
        let paths = self.exclude_paths.iter().map(|path| in_home(path)).collect();
        let policy =
            Policy::new(paths, self.exclude_tools.clone(), &self.exclude_patterns, self.private_markers.clone());
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

/// Turns tables into dotted keys; an unknown one is an error that names the nearest known.
pub fn flatten(table: &toml::Table) -> Result<BTreeMap<String, Value>, String> {
    let mut found = BTreeMap::new();
    for (name, value) in table {
        let is_section =
            SETTINGS.iter().any(|setting| setting.key.split_once('.').is_some_and(|(section, _)| section == name));
        match value {
            Value::Table(inner) if is_section => {
                for (key, value) in inner {
                    insert(&mut found, format!("{name}.{key}"), value)?;
                }
            }
            value => insert(&mut found, name.clone(), value)?,
        }
    }
    Ok(found)
}

fn insert(found: &mut BTreeMap<String, Value>, key: String, value: &Value) -> Result<(), String> {
    find(&key)?;
    found.insert(key, value.clone());
    Ok(())
}

/// The setting of that name.
pub fn find(key: &str) -> Result<&'static Setting, String> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let meant = nearest(key, SETTINGS.iter().map(|setting| setting.key));
        let meant = meant
            .map_or_else(|| "; `memoir config` lists them all".to_owned(), |name| format!("; did you mean `{name}`?"));
        format!("unknown setting `{key}`{meant}")
    })
}

/// The value that a text means for a setting.
pub fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    Ok(match setting.kind {
        Kind::Text | Kind::Secret => Value::String(text.to_owned()),
        Kind::Number(..) => Value::Integer(text.parse().map_err(|_| format!("must be a whole number, not `{text}`"))?),
        Kind::Flag => Value::Boolean(flag(text).ok_or_else(|| format!("must be true or false, not `{text}`"))?),
        Kind::List => {
            Value::Array(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect())
        }
        Kind::Tables => {
            Value::Array(text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(Value::from).collect())
        }
    })
}

/// `1`, `on`, `yes` and their opposites are how others spell true and false.
fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "on" | "yes" => Some(true),
        "false" | "0" | "off" | "no" => Some(false),
        _ => None,
    }
}

/// Checks that a value fits its setting.
pub fn check(setting: &Setting, value: &Value) -> Result<(), String> {
    if let ("server_url", Some(url)) = (setting.key, value.as_str().filter(|url| !url.is_empty())) {
        return ServerUrl::parse(url).map(drop).map_err(|error| format!("is not a server address: {error}"));
    }
    match (setting.key, value.as_str().filter(|text| !text.is_empty())) {
        ("embeddings.url" | "model.url", Some(url)) => {
            return check_address(url).map_err(|error| format!("does not fit: {error}"));
        }
        ("model.kind", Some(kind)) if ChatKind::parse(kind).is_none() => {
            return Err(format!("must be openai or anthropic, not `{kind}`"));
        }
        _ => {}
    }
    let fits = match setting.kind {
        Kind::Text | Kind::Secret => value.is_str(),
        Kind::Number(least, most) => {
            return match value.as_integer().and_then(|n| u64::try_from(n).ok()) {
                Some(n) if (least..=most).contains(&n) => Ok(()),
                _ => Err(format!("must be a whole number from {least} to {most}, not `{value}`")),
            };
        }
        Kind::Flag => value.is_bool(),
        Kind::List => value.as_array().is_some_and(|items| items.iter().all(Value::is_str)),
        Kind::Tables => value.is_array(),
    };
    let expected = match setting.kind {
        Kind::Flag => "true or false",
        Kind::List => "a list of texts",
        Kind::Tables => "a list of tables",
        _ => "a text",
    };
    if setting.key == "capture.exclude_paths"
        && let Some(path) = strings(Some(value)).iter().find(|path| !in_home(path).is_absolute())
    {
        return Err(format!("must be whole paths, not `{path}`: begin with `/` or `~/`"));
    }
    if setting.key == "capture.exclude_patterns" {
        Policy::new(Vec::new(), Vec::new(), &strings(Some(value)), Vec::new()).map_err(|error| error.to_string())?;
    }
    if matches!(setting.key, "recall.blocked_kinds" | "recall.blocked_sources") {
        known_names(setting, value)?;
    }
    if fits { Ok(()) } else { Err(format!("must be {expected}, not {}", value.type_str())) }
}

/// Refuses a kind or a source that there is not.
fn known_names(setting: &Setting, value: &Value) -> Result<(), String> {
    let kinds = || EventKind::ALL.iter().map(|kind| kind.as_str());
    let sources = || Source::ALL.iter().map(|source| source.as_str());
    let known: Vec<&str> = if setting.key == "recall.blocked_kinds" { kinds().collect() } else { sources().collect() };
    let names = strings(Some(value));
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let meant = nearest(unknown, known.iter().copied());
    let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Err(format!("names `{unknown}`, which there is not{meant} (known are {})", known.join(", ")))
}

fn show(setting: &Setting, value: &Value) -> String {
    match (setting.kind, value) {
        (Kind::Secret, Value::String(text)) if !text.is_empty() => "(set)".to_owned(),
        (Kind::Tables, Value::Array(items)) => format!("({} given)", items.len()),
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(items)) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        (_, value) => value.to_string(),
    }
}

/// A path that may begin with `~`.
pub fn in_home(path: &str) -> PathBuf {
    let rest = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    match (rest, clients::user_home()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        _ => PathBuf::from(path),
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn prices(value: Option<&Value>) -> Result<Vec<Price>, Usage> {
    let entries = value.and_then(Value::as_array).into_iter().flatten();
    entries
        .map(|entry| {
            let dollars = |name: &str| match entry.get(name) {
                None => Some(0.0),
                Some(value) => {
                    value.as_float().or_else(|| value.as_integer().and_then(|n| f64::from_str(&n.to_string()).ok()))
                }
            };
            let price = entry.get("model").and_then(Value::as_str).and_then(|model| {
                Some(Price {
                    model: model.to_owned(),
                    input: dollars("input")?,
                    cached: dollars("cached")?,
                    cache_written: dollars("cache_written")?,
                    output: dollars("output")?,
                })
            });
            price
                .filter(|price| {
                    [price.input, price.cached, price.cache_written, price.output].iter().all(|d| *d >= 0.0)
                })
                .ok_or_else(|| {
                    Usage("config.toml: each of [[stats.prices]] needs a `model` and prices that are numbers".into())
                })
        })
        .collect()
}

fn redact_rules(value: Option<&Value>) -> Result<Vec<CustomRule>, Usage> {
    let rules = value.and_then(Value::as_array).into_iter().flatten();
    rules
        .map(|rule| {
            let field = |name| rule.get(name).and_then(Value::as_str).map(str::to_owned);
            match (field("name"), field("pattern")) {
                (Some(name), Some(pattern)) => Ok(CustomRule { name, pattern }),
                _ => Err(Usage("config.toml: each of [[redact.rules]] needs a `name` and a `pattern`".into())),
            }
        })
        .collect()
}

fn server_keys(value: Option<&Value>) -> Result<Vec<(String, Vec<Scope>)>, Usage> {
    let keys = value.and_then(Value::as_array).into_iter().flatten();
    let known = |scopes: Vec<String>| -> Result<Vec<Scope>, Usage> {
        scopes.iter().map(|name| Scope::parse(name).ok_or_else(|| unknown_scope(name))).collect()
    };
    keys.map(|entry| {
        if let Some(text) = entry.as_str() {
            let (scopes, key) = text
                .split_once(':')
                .ok_or_else(|| Usage("MEMOIR_SERVER_KEYS must look like ingest+read:KEY,admin:KEY".into()))?;
            return Ok((key.to_owned(), known(scopes.split('+').map(str::to_owned).collect())?));
        }
        let key = entry.get("key").and_then(Value::as_str);
        let key = key.ok_or_else(|| Usage("config.toml: each of [[server.keys]] needs a `key` and `scopes`".into()))?;
        Ok((key.to_owned(), known(strings(entry.get("scopes")))?))
    })
    .collect()
}

fn unknown_scope(name: &str) -> Usage {
    let known = Scope::ALL.map(Scope::as_str);
    let meant = nearest(name, known).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    Usage(format!("unknown scope `{name}` of a server key{meant} (known are {})", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(toml: &str) -> String {
        let home = Home::locate(Some(std::path::Path::new("/nowhere"))).unwrap();
        let table: toml::Table = toml.parse().unwrap();
        match flatten(&table) {
            Err(problem) => problem,
            Ok(found) => Settings::from_values(&home, &found).map(|_| String::new()).unwrap_or_else(|usage| usage.0),
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
