//! Things that stand in for each other: whoever has one of them for a purpose has no other of the same line.
//!
//! A newer statement often does not name what it replaces ("we switched to pnpm"). That pnpm and npm serve one end is
//! knowledge of the world; what is not listed here is judged by its words alone.

/// Things of one line, and the words that say what they are for.
struct Line {
    ends: &'static [&'static str],
    names: &'static [&'static str],
}

const fn line(ends: &'static [&'static str], names: &'static [&'static str]) -> Line {
    Line { ends, names }
}

const LINES: [Line; 28] = [
    line(&["package", "dependency", "manager"], &["npm", "pnpm", "yarn", "bun"]),
    line(&["package", "dependency", "manager", "python"], &["pip", "poetry", "uv", "pipenv", "pdm", "conda"]),
    line(
        &["ci", "build", "pipeline"],
        &[
            "jenkins",
            "github actions",
            "gitlab ci",
            "gitlab",
            "circleci",
            "travis",
            "buildkite",
            "teamcity",
            "azure pipelines",
            "bamboo",
            "woodpecker",
        ],
    ),
    line(
        &["database", "storage"],
        &[
            "postgres",
            "postgresql",
            "mysql",
            "mariadb",
            "sqlite",
            "mongodb",
            "mongo",
            "oracle",
            "cockroachdb",
            "dynamodb",
            "cassandra",
            "mssql",
        ],
    ),
    line(&["cache"], &["redis", "memcached", "valkey", "keydb", "dragonfly"]),
    line(&["queue", "event", "message", "broker"], &["kafka", "nats", "rabbitmq", "sqs", "pulsar", "kinesis"]),
    line(&["test", "runner"], &["jest", "vitest", "mocha", "jasmine", "ava"]),
    line(&["test", "runner"], &["pytest", "unittest", "nose"]),
    line(&["e2e", "browser", "test"], &["cypress", "playwright", "selenium", "puppeteer"]),
    line(&["linter", "lint"], &["eslint", "biome", "tslint", "oxlint", "ruff", "flake8", "pylint"]),
    line(&["formatter", "format"], &["prettier", "black", "dprint", "yapf", "biome", "ruff"]),
    line(&["bundler", "bundle"], &["webpack", "vite", "rollup", "esbuild", "parcel", "turbopack", "rspack"]),
    line(&["frontend", "framework"], &["react", "vue", "angular", "svelte", "solid", "preact", "ember"]),
    line(
        &["language"],
        &[
            "go",
            "golang",
            "rust",
            "python",
            "java",
            "kotlin",
            "swift",
            "typescript",
            "javascript",
            "ruby",
            "php",
            "scala",
            "elixir",
            "haskell",
            "c",
            "c++",
            "c#",
            "zig",
        ],
    ),
    line(&["container"], &["docker", "podman", "containerd"]),
    line(&["cluster"], &["kubernetes", "nomad", "swarm", "ecs"]),
    line(
        &["cloud", "hosting"],
        &["aws", "gcp", "azure", "hetzner", "digitalocean", "heroku", "vercel", "netlify", "fly.io", "cloudflare"],
    ),
    line(&["repository", "code"], &["github", "gitlab", "bitbucket", "gitea", "codeberg"]),
    line(&["editor", "ide"], &["vim", "neovim", "helix", "emacs", "vscode", "zed", "cursor", "sublime"]),
    line(&["indentation", "indent"], &["tabs", "spaces"]),
    line(&["shell"], &["bash", "zsh", "fish", "nushell"]),
    line(&["build"], &["make", "just", "bazel", "gradle", "maven", "cmake", "meson"]),
    line(&["date"], &["moment", "date-fns", "dayjs", "luxon"]),
    line(&["browser"], &["chrome", "firefox", "safari", "edge"]),
    line(&["api"], &["rest", "graphql", "grpc"]),
    line(&["chat"], &["slack", "teams", "discord", "mattermost"]),
    line(&["ticket", "issue"], &["jira", "linear", "trello", "asana"]),
    line(
        &["language"],
        &[
            "english",
            "german",
            "french",
            "spanish",
            "italian",
            "dutch",
            "portuguese",
            "chinese",
            "japanese",
            "deutsch",
            "englisch",
        ],
    ),
];

/// What is known of two things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinship {
    /// They serve one end.
    OneLine,
    /// They serve different ends.
    Strangers,
    /// One of them is known and the other is not.
    HalfKnown,
    /// Nothing is known of either.
    Unknown,
}

/// What two names, in small letters, are to each other.
pub(crate) fn kinship(a: &str, b: &str) -> Kinship {
    match (lines_of(a), lines_of(b)) {
        (a, b) if a.iter().any(|line| b.contains(line)) => Kinship::OneLine,
        (a, b) if a.is_empty() && b.is_empty() => Kinship::Unknown,
        (a, b) if a.is_empty() || b.is_empty() => Kinship::HalfKnown,
        _ => Kinship::Strangers,
    }
}

/// Whether anything is known of a name in small letters.
pub(crate) fn is_known(name: &str) -> bool {
    LINES.iter().any(|line| line.names.contains(&name))
}

/// The lines that a name in small letters is of, by their numbers.
pub(crate) fn lines_of(name: &str) -> Vec<usize> {
    let of = |(at, line): (usize, &Line)| line.names.contains(&name).then_some(at);
    LINES.iter().enumerate().filter_map(of).collect()
}

/// What a thing of that name is for.
pub(crate) fn ends_of(name: &str) -> impl Iterator<Item = &'static str> {
    lines_of(name).into_iter().filter_map(|at| LINES.get(at)).flat_map(|line| line.ends.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_serves_one_end_is_of_one_line() {
        assert_eq!(kinship("npm", "pnpm"), Kinship::OneLine);
        assert_eq!(kinship("npm", "docker"), Kinship::Strangers);
        assert_eq!(kinship("npm", "walrus"), Kinship::HalfKnown);
        assert_eq!(kinship("hawk", "walrus"), Kinship::Unknown);
        assert!(ends_of("jenkins").any(|end| end == "ci") && ends_of("walrus").next().is_none());
    }
}
