//! The words that names are judged by.

/// Words after which a name is about a secret, not one: `password_hint`, `token_count`, `secret_name`.
#[rustfmt::skip]
pub(super) const TAILS_KEPT: &[&str] = &[
    "value", "val", "base", "pem", "base64", "b64", "plain", "plaintext", "raw", "str", "string", "text", "txt",
    "hex", "old", "new", "current", "default", "prod", "production", "dev", "development", "test", "testing",
    "staging", "stage", "live", "local", "env", "v1", "v2", "v3", "sandbox", "primary", "secondary", "main",
    "override", "header",
];

/// Words before a secret word that make the name a verb or a question.
#[rustfmt::skip]
pub(super) const HEADS_DROPPED: &[&str] = &[
    "is", "has", "show", "hide", "forgot", "forgotten", "no", "needs", "need", "require", "requires", "required",
    "use", "uses", "enable", "enabled", "disable", "disabled", "allow", "allows", "validate", "verify", "check",
    "get", "set", "add", "create", "generate", "parse", "read", "load", "fetch", "delete", "remove", "revoke",
    "rotate", "invalid", "wrong", "missing", "min", "max", "num", "update", "reset", "change", "toggle", "find",
    "make", "build", "handle", "ask", "prompt", "expect", "total", "count", "per", "should", "can", "hash",
    "encrypt", "decrypt", "mask", "redact", "strip", "store", "save",
];

/// Words before `token` that belong to text, pages or grammars.
#[rustfmt::skip]
pub(super) const TOKEN_HEADS_DROPPED: &[&str] = &[
    "next", "page", "previous", "prev", "continuation", "continue", "csrf", "xsrf", "sync", "design", "input",
    "output", "n", "first", "last", "cancel", "cancellation", "start", "end", "stop", "eos", "bos", "pad", "unk",
    "special", "completion", "cached", "cache", "write", "reasoning", "thinking", "budget", "used", "remaining",
    "estimated", "lex", "lookahead", "peek", "comment", "image", "audio", "vocab", "color", "syntax", "keyword",
    "identifier", "whitespace", "punctuation", "operator", "authenticity", "media", "non", "context", "creation",
    "delimiter", "sep", "cls", "position", "resume", "pagination", "scroll", "marker", "stage", "erc20", "nft",
    "governance", "spl", "mint", "sale", "ts", "tt", "css", "theme", "template", "semantic", "placeholder",
    "idempotency",
];

/// Words before `key` that make it an API key or a cryptographic key.
#[rustfmt::skip]
pub(super) const KEY_HEADS: &[&str] = &[
    "api", "secret", "private", "access", "encryption", "signing", "signature", "master", "auth", "license",
    "account", "shared", "service", "deploy", "subscription", "webhook", "admin", "hmac", "consumer", "cipher",
    "crypto", "symmetric", "aes", "rsa", "jwt", "ingest", "ingestion", "integration", "routing", "client", "app",
    "application", "storage", "management", "security", "session", "decryption", "apis", "sdk", "ssh", "server",
    "instrumentation", "sas", "token", "cookie", "write", "user", "project", "live", "restricted", "devops", "root",
    "wallet", "maps", "transit", "unseal", "recovery", "host", "preshared", "psk", "pre", "wpa", "provision",
    "device",
];

/// Words before `key` that make it a place in a table or a map.
#[rustfmt::skip]
pub(super) const KEY_HEADS_DROPPED: &[&str] = &[
    "public", "pub", "primary", "foreign", "sort", "partition", "cache", "hash", "range", "object", "unique",
    "index", "row", "group", "dict", "map", "registry", "lookup", "react", "translation", "i18n", "query", "route",
    "hot", "shortcut", "short", "tab", "enter", "arrow", "escape", "any", "press", "s3", "bucket", "file", "dedup",
    "dedupe", "idempotency", "config", "setting", "settings", "env", "header", "meta", "metadata", "data", "json",
    "state", "store", "item", "list", "node", "record", "field", "column", "property", "attribute", "composite",
    "natural", "surrogate", "candidate", "parent", "child", "by", "per", "the", "this", "a", "an", "of", "each",
    "string", "integrity", "checksum", "commit", "git", "lock", "mutex", "redis", "memo", "feature", "flag",
    "event", "message", "topic", "shard", "rate", "limit", "restore", "prefix", "sync", "locale", "label", "block",
    "tree", "content", "version", "gpg", "pgp", "correlation",
];
