//! Session files that a hook had no time to read: a mark for each, and whoever comes next does the work.

use crate::fork::is_unread_fork;
use crate::import::{Format, Found, ImportError, Importer, SourceFile};
use memoir_event::Client;
use memoir_journal::{Cursor, Journal, JournalError};
use memoir_redact::Redactor;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// So many marks may wait; beyond them an import finds the files anyway.
const MARKS_MAX: usize = 10_000;

/// The directory of marks.
#[derive(Debug, Clone)]
pub struct Pending {
    dir: PathBuf,
}

/// One mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The client.
    pub client: Client,
    /// The session file.
    pub path: PathBuf,
    /// The directory in which the session works.
    #[serde(default)]
    pub cwd: Option<String>,
    /// Whether the client said that the session is over.
    #[serde(default)]
    pub is_ended: bool,
}

impl Pending {
    /// Marks in `dir`, which is created when the first is left.
    pub const fn new(dir: PathBuf) -> Pending {
        Pending { dir }
    }

    /// Leaves a mark; one for each file is enough.
    pub fn leave(&self, mark: &Mark, redactor: &Redactor) -> io::Result<()> {
        let text = serde_json::to_string(mark).unwrap_or_default();
        // A path that looks like a secret is not worth a mark: the next import finds the file.
        if redactor.text(&text) != text {
            return Ok(());
        }
        fs::create_dir_all(&self.dir)?;
        let hash = blake3::hash(mark.path.to_string_lossy().as_bytes()).to_hex();
        let name: String = hash.chars().take(32).collect();
        let partial = self.dir.join(format!(".{name}-{}", std::process::id()));
        fs::write(&partial, text)?;
        fs::rename(&partial, self.dir.join(format!("{name}.json")))
    }

    /// The marks that wait.
    pub fn list(&self) -> Vec<(PathBuf, Mark)> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let marks = entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "json")).take(MARKS_MAX);
        marks
            .filter_map(|entry| {
                let path = entry.path();
                let mark = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str(&text).ok());
                if mark.is_none() {
                    let _ = fs::remove_file(&path);
                }
                Some((path, mark?))
            })
            .collect()
    }

    /// How many wait.
    pub fn count(&self) -> usize {
        fs::read_dir(&self.dir).map_or(0, |entries| {
            entries.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "json")).count()
        })
    }

    /// Reads the marked files for about that long: together, for what one of them says may matter to another. Says how
    /// many events were stored.
    pub fn work_off(&self, importer: &Importer<'_>, budget: Duration) -> Result<u64, ImportError> {
        let begun = Instant::now();
        let mut found = Found::default();
        let mut marks = Vec::new();
        for (path, mark) in self.list() {
            match file_of(mark.client, &mark.path, mark.cwd.as_deref()) {
                Some(file) => {
                    marks.push((path, file.clone()));
                    found.files.push(file);
                }
                None => self.count_gone(importer.journal, &path)?,
            }
        }
        if marks.is_empty() {
            return Ok(0);
        }
        let over = AtomicBool::new(false);
        let within = Importer { stop: &over, ..*importer };
        let summary = within.import(found, &mut |_| {
            if begun.elapsed() >= budget || importer.stop.load(Ordering::Relaxed) {
                over.store(true, Ordering::Relaxed);
            }
        })?;
        // The next one goes on with those that are left: what was read to its end is done.
        let is_done = |file: &SourceFile| !summary.stopped || importer.is_read(file).unwrap_or(false);
        for (mark, _) in marks.iter().filter(|(_, file)| is_done(file)) {
            let _ = fs::remove_file(mark);
        }
        Ok(summary.stored)
    }

    /// A session file was to be read and is gone: what hooks did not see of it is lost, and that is told.
    fn count_gone(&self, journal: &dyn Journal, mark: &Path) -> Result<(), JournalError> {
        let sequence = gone(journal)? + 1;
        journal.append(&[], &[Cursor { stream: GONE.to_owned(), sequence, position: String::new() }])?;
        let _ = fs::remove_file(mark);
        Ok(())
    }

    /// Reads a little of what is marked, the oldest first, as much as a hook has time for. Says whether anything is left.
    pub fn work_off_a_little(&self, importer: &Importer<'_>, bytes_max: u64) -> Result<bool, ImportError> {
        let mut marks = self.list();
        marks.sort_by_cached_key(|(path, _)| modified(path));
        for (path, mark) in marks {
            let Some(file) = file_of(mark.client, &mark.path, mark.cwd.as_deref()) else {
                self.count_gone(importer.journal, &path)?;
                continue;
            };
            let session = mark.path.file_stem().unwrap_or_default().to_string_lossy();
            if is_unread_fork(importer, &session, &file)? {
                continue;
            }
            self.read_a_little(importer, (&path, &file), bytes_max)?;
            break;
        }
        Ok(self.count() > 0)
    }

    fn read_a_little(
        &self,
        importer: &Importer<'_>,
        (path, file): (&Path, &SourceFile),
        bytes_max: u64,
    ) -> Result<(), ImportError> {
        let read = importer.catch_up_any(file, bytes_max)?;
        for portion in read.portions {
            importer.journal.append(&portion.batch, &portion.cursors)?;
        }
        if read.is_whole {
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

/// The cursor that counts session files that were gone before anybody read them.
const GONE: &str = "pending|gone";

/// How many session files were gone before anybody read them.
pub fn gone(journal: &dyn Journal) -> Result<u64, JournalError> {
    Ok(journal.cursor(GONE)?.map_or(0, |cursor| cursor.sequence))
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

/// The session file that a hook names, if it is there and is one.
pub fn file_of(client: Client, path: &Path, cwd: Option<&str>) -> Option<SourceFile> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let name = path.file_name()?.to_str()?;
    let format = match client {
        Client::Codex => Format::CodexRollout,
        Client::Claude => Format::ClaudeTranscript,
        Client::Gemini if name.ends_with(".json") => Format::GeminiChatJson,
        Client::Gemini => Format::GeminiChat,
        Client::Copilot => Format::CopilotEvents,
        Client::Opencode => return None,
    };
    // A chat does not say where it happened; its place or the hook does.
    let cwd = if client == Client::Gemini { cwd.map(str::to_owned) } else { None };
    Some(SourceFile::new(path, format, cwd, &metadata))
}
