//! Where clients keep their sessions, and every file there.

use super::format::Format;
use memoir_event::Client;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// Directories below this depth are no client's.
const DEPTH_MAX: usize = 8;

/// Where each client keeps its sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientDirs {
    /// `$CODEX_HOME`, or `~/.codex`.
    pub codex: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`, or `~/.claude`.
    pub claude: Option<PathBuf>,
    /// `.gemini` in `$GEMINI_CLI_HOME`, or in the user's home.
    pub gemini: Option<PathBuf>,
    /// `$COPILOT_HOME`, or `~/.copilot`.
    pub copilot: Option<PathBuf>,
    /// `opencode` in `$XDG_DATA_HOME`, or in `~/.local/share`.
    pub opencode: Option<PathBuf>,
}

impl ClientDirs {
    /// The directory of a client.
    pub fn of(&self, client: Client) -> Option<&Path> {
        match client {
            Client::Codex => self.codex.as_deref(),
            Client::Claude => self.claude.as_deref(),
            Client::Gemini => self.gemini.as_deref(),
            Client::Copilot => self.copilot.as_deref(),
            Client::Opencode => self.opencode.as_deref(),
        }
    }
}

/// What to import.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only these clients; none means all.
    pub clients: Vec<Client>,
    /// These files and directories instead of where clients keep theirs.
    pub paths: Vec<PathBuf>,
    /// Only files that were written to since then, in milliseconds since 1970.
    pub since_ms: Option<i64>,
}

impl Wanted {
    /// Every file that is wanted.
    pub fn find(&self, dirs: &ClientDirs) -> Found {
        let is_wanted = |client: Client| self.clients.is_empty() || self.clients.contains(&client);
        let mut found = Found::default();
        let mut take = |more: Found| {
            found.files.extend(more.files);
            found.unreadable.extend(more.unreadable);
        };
        if self.paths.is_empty() {
            let clients = Client::ALL.iter().copied().filter(|client| is_wanted(*client));
            clients.filter_map(|client| Some((client, dirs.of(client)?))).for_each(|(client, dir)| {
                take(Found::of_client(client, dir));
            });
        }
        self.paths.iter().for_each(|path| take(Found::of_path(path)));
        let since_ms = self.since_ms.unwrap_or(i64::MIN);
        found.mark_copies();
        found.files.retain(|file| is_wanted(file.format.client()) && file.modified_ms >= since_ms);
        found
    }
}

/// Says what a file is, by its path and name, and in which directory its session worked, if its place tells.
type Judge<'a> = &'a mut dyn FnMut(&Path, &str) -> Option<(Format, Option<String>)>;

/// A file to import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub format: Format,
    /// The directory that its session worked in, where the place of the file tells.
    pub cwd: Option<String>,
    /// How large it is.
    pub bytes: u64,
    /// When it was last written to, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Whether it is a copy of another one that is there, too.
    pub is_copy: bool,
}

/// The files of a client, and what could not be looked into.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, by path.
    pub files: Vec<SourceFile>,
    /// What could not be looked into.
    pub unreadable: Vec<Unreadable>,
}

/// A directory or file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// The client that it belongs to, where its place tells.
    pub client: Option<Client>,
    /// Where it is.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl Found {
    /// Every session file of a client.
    pub fn of_client(client: Client, dir: &Path) -> Found {
        let mut found = Found::default();
        match client {
            Client::Codex => {
                for name in ["sessions", "archived_sessions"] {
                    found.walk(&dir.join(name), &mut |path, name| {
                        let is_rollout =
                            name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"));
                        // Where both are there, the plain one counts.
                        let is_double = name.ends_with(".zst") && path.with_extension("").exists();
                        (is_rollout && !is_double).then_some((Format::CodexRollout, None))
                    });
                }
            }
            Client::Claude => found.walk(&dir.join("projects"), &mut |path, name| {
                let in_results = path.components().any(|part| part.as_os_str() == "tool-results");
                (name.ends_with(".jsonl") && name != "journal.jsonl" && !in_results)
                    .then_some((Format::ClaudeTranscript, None))
            }),
            Client::Gemini => found.gemini(dir),
            Client::Copilot => found.walk(&dir.join("session-state"), &mut |_, name| {
                (name == "events.jsonl").then_some((Format::CopilotEvents, None))
            }),
            Client::Opencode => found.walk_one(dir, &mut |_, name| {
                (name.starts_with("opencode") && name.ends_with(".db")).then_some((Format::OpencodeDatabase, None))
            }),
        }
        found.files.sort_by(|a, b| a.path.cmp(&b.path));
        found.unreadable.iter_mut().for_each(|one| one.client = Some(client));
        found
    }

    /// Rollouts of the same home, or beside a file that is in none, whose names pass.
    pub(super) fn beside(path: &Path, passes: &dyn Fn(&str) -> bool) -> Found {
        let mut found = Found::default();
        let mut judge = |_: &Path, name: &str| {
            (name.starts_with("rollout-") && passes(name)).then_some((Format::CodexRollout, None))
        };
        let is_top =
            |dir: &&Path| dir.file_name().is_some_and(|name| name == "sessions" || name == "archived_sessions");
        match path.ancestors().find(is_top).and_then(Path::parent) {
            Some(home) => {
                ["sessions", "archived_sessions"].iter().for_each(|dir| found.walk(&home.join(dir), &mut judge))
            }
            None => path.parent().into_iter().for_each(|dir| found.walk_one(dir, &mut judge)),
        }
        found
    }

    /// A file or directory that somebody names.
    pub fn of_path(path: &Path) -> Found {
        let mut found = Found::default();
        if path.is_dir() {
            found.walk(path, &mut |path, name| {
                let is_data = [".jsonl", ".jsonl.zst", ".json", ".db"].iter().any(|end| name.ends_with(end));
                is_data.then(|| Format::of_file(path)).flatten().map(|format| (format, project_root(path)))
            });
            if found.files.is_empty() && found.unreadable.is_empty() {
                found.fail(path, &"no session file that memoir knows is in it");
            }
        } else {
            found.named(path);
        }
        found.files.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Of files with the same name, which stand for the same session, one goes by its name and the others by their
    /// places: they may differ, and each is read to its own end.
    fn mark_copies(&mut self) {
        let archived = |file: &SourceFile| file.path.components().any(|part| part.as_os_str() == "archived_sessions");
        let mut firsts: HashMap<String, usize> = HashMap::new();
        for (at, file) in self.files.iter().enumerate() {
            let Some(name) = file.rollout_name() else { continue };
            let rank = |file: &SourceFile| (archived(file), file.path.clone());
            let first = firsts.entry(name).or_insert(at);
            if *first != at && self.files.get(*first).is_some_and(|known| rank(file) < rank(known)) {
                *first = at;
            }
        }
        for (at, file) in self.files.iter_mut().enumerate() {
            let first = file.rollout_name().and_then(|name| firsts.get(&name).copied());
            file.is_copy = first.is_some_and(|first| first != at);
        }
    }

    fn named(&mut self, path: &Path) {
        // What is no plain file is never opened: a pipe would keep us waiting.
        let metadata = match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => return self.fail(path, &"it is no file"),
            Err(error) => return self.fail(path, &error),
        };
        match Format::of_file(path) {
            Some(format) => self.files.push(SourceFile::new(path, format, project_root(path), &metadata)),
            None => match fs::File::open(path) {
                Ok(_) => self.fail(path, &"it is no session file that memoir knows"),
                Err(error) => self.fail(path, &error),
            },
        }
    }

    fn fail(&mut self, path: &Path, reason: &dyn std::fmt::Display) {
        self.unreadable.push(Unreadable { client: None, path: path.to_owned(), reason: reason.to_string() });
    }

    /// Chats by project: the directory of a project has a file that names it, or an index does.
    fn gemini(&mut self, dir: &Path) {
        let tmp = dir.join("tmp");
        let names = projects_by_name(&dir.join("projects.json"));
        let Ok(entries) = fs::read_dir(&tmp) else { return };
        for entry in entries.flatten() {
            let project = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let root = read_root(&project.join(".project_root"))
                .or_else(|| names.iter().find(|(_, known)| *known == name).map(|(path, _)| path.clone()))
                .or_else(|| names.iter().find(|(path, _)| sha256_hex(path) == name).map(|(path, _)| path.clone()));
            self.walk(&project.join("chats"), &mut |path, name| {
                let is_agent = path.parent().and_then(Path::file_name).is_some_and(|name| name != "chats");
                let format = match () {
                    () if name.ends_with(".jsonl") && (name.starts_with("session-") || is_agent) => Format::GeminiChat,
                    () if name.ends_with(".json") && name.starts_with("session-") => Format::GeminiChatJson,
                    () => return None,
                };
                Some((format, root.clone()))
            });
            self.walk_one(&project, &mut |_, name| (name == "logs.json").then(|| (Format::GeminiLog, root.clone())));
        }
    }

    /// Every file below a directory, each once: first what lies there, then what links lead to that lies elsewhere.
    fn walk(&mut self, dir: &Path, judge: Judge<'_>) {
        let (mut dirs, mut links) = (Vec::new(), Vec::new());
        self.walk_down(dir, 0, &mut dirs, &mut links, judge);
        if links.is_empty() {
            return;
        }
        let real = |path: &PathBuf| fs::canonicalize(path).ok();
        let mut walked: HashSet<PathBuf> = dirs.iter().filter_map(real).collect();
        let home = real(&dir.to_owned());
        let mut taken: HashSet<PathBuf> = self.files.iter().filter_map(|file| real(&file.path)).collect();
        // Links behind links come to the end: each leads to a directory that was not walked yet, or nowhere.
        let mut links = VecDeque::from(links);
        while let Some(link) = links.pop_front() {
            match real(&link) {
                Some(target) if target.is_dir() => {
                    if walked.contains(&target) {
                        continue;
                    }
                    if home.as_ref().is_some_and(|home| home.starts_with(&target)) {
                        self.fail(&link, &"it leads to a directory that it lies in itself");
                        walked.insert(target);
                        continue;
                    }
                    let (mut dirs, mut more, from) = (Vec::new(), Vec::new(), self.files.len());
                    self.walk_down(&link, 0, &mut dirs, &mut more, judge);
                    walked.extend(dirs.iter().filter_map(real));
                    links.extend(more);
                    let found = self.files.split_off(from.min(self.files.len()));
                    self.files.extend(
                        found.into_iter().filter(|file| real(&file.path).is_none_or(|path| taken.insert(path))),
                    );
                }
                Some(target) if taken.contains(&target) => {}
                target => {
                    self.take(&link, judge);
                    taken.extend(target);
                }
            }
        }
    }

    /// What lies in a directory: files are taken, links are left for later.
    fn walk_down(
        &mut self,
        dir: &Path,
        depth: usize,
        dirs: &mut Vec<PathBuf>,
        links: &mut Vec<PathBuf>,
        judge: Judge<'_>,
    ) {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) => {
                if error.kind() != std::io::ErrorKind::NotFound {
                    self.fail(dir, &error);
                }
                return;
            }
        };
        dirs.push(dir.to_owned());
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_symlink() => links.push(path),
                Ok(kind) if kind.is_dir() && depth < DEPTH_MAX => self.walk_down(&path, depth + 1, dirs, links, judge),
                Ok(kind) if kind.is_dir() => self.fail(&path, &"it lies too deep for a client's"),
                _ => self.take(&path, judge),
            }
        }
    }

    fn walk_one(&mut self, dir: &Path, judge: Judge<'_>) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| !kind.is_dir()) {
                self.take(&entry.path(), judge);
            }
        }
    }

    fn take(&mut self, path: &Path, judge: Judge<'_>) {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return };
        // Looked at before it is judged, which may open it: a pipe would keep us waiting.
        let metadata = fs::metadata(path);
        if metadata.as_ref().is_ok_and(|metadata| !metadata.is_file()) {
            return;
        }
        let Some((format, cwd)) = judge(path, &name) else { return };
        match metadata {
            Ok(metadata) => self.files.push(SourceFile::new(path, format, cwd, &metadata)),
            Err(error) => self.fail(path, &error),
        }
    }
}

impl SourceFile {
    /// The file at that path.
    pub fn new(path: &Path, format: Format, cwd: Option<String>, metadata: &fs::Metadata) -> SourceFile {
        let stamp = super::position::Stamp::of(metadata);
        let modified_ms = i64::try_from(stamp.modified_ns / 1_000_000).unwrap_or(0);
        SourceFile { path: path.to_owned(), format, cwd, bytes: stamp.bytes, modified_ms, is_copy: false }
    }

    /// The name of a rollout, packed or not: it keeps it wherever it goes.
    pub(super) fn rollout_name(&self) -> Option<String> {
        let name = self.path.file_name().filter(|_| self.format == Format::CodexRollout)?.to_string_lossy();
        Some(name.strip_suffix(".zst").unwrap_or(&name).to_owned())
    }

    /// Whether it is the rollout of that thread.
    pub(super) fn is_of_thread(&self, thread: &str) -> bool {
        self.rollout_name().is_some_and(|name| name.contains(thread))
    }
}

/// The project that a chat's directory names.
fn project_root(path: &Path) -> Option<String> {
    path.ancestors().skip(1).take(4).find_map(|dir| read_root(&dir.join(".project_root")))
}

fn read_root(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|root| !root.is_empty() && root.len() < 4096)
}

fn projects_by_name(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let projects = value.get("projects").and_then(|projects| projects.as_object());
    let named = |(path, name): (&String, &serde_json::Value)| Some((path.clone(), name.as_str()?.to_owned()));
    projects.into_iter().flatten().filter_map(named).collect()
}

fn sha256_hex(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
