//! Homes that the product's own commands fill.

use super::gunzip;
use crate::process;
use anyhow::{Context as _, Result};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{SqliteJournal, SqliteOptions};
use memoir_model::Embedder;
use memoir_recall::Meaning;
use memoir_redact::Redactor;
use memoir_vectors::{VectorMeaning, Vectors};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// A home, and the names that its sessions have in the set.
pub struct Home {
    pub journal: SqliteJournal,
    pub index: Index,
    pub meaning: Option<Arc<dyn Meaning>>,
    dir: PathBuf,
    names: HashMap<String, Vec<String>>,
}

impl Home {
    /// Opens what a command has filled.
    pub fn open(dir: &Path, names: HashMap<String, Vec<String>>) -> Result<Home> {
        let clock = Arc::new(|| 1_794_960_000_000);
        let journal = SqliteJournal::open(&dir.join("journal.db"), SqliteOptions::long_lived(), clock)?;
        let index = Index::open(&dir.join("index"), IndexOptions::default());
        index.catch_up(&journal, &mut |_, _| true)?;
        Ok(Home { journal, index, meaning: None, dir: dir.to_owned(), names })
    }

    /// What the set calls a session.
    pub fn names_of(&self, session: &str) -> Vec<String> {
        self.names.get(session).cloned().unwrap_or_else(|| vec![session.to_owned()])
    }
}

/// A home for each group of questions, or one for all.
pub struct Homes(BTreeMap<String, Home>);

impl Homes {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The home of a group.
    pub fn of(&self, group: &str) -> Result<&Home> {
        self.0.get(group).or_else(|| self.0.values().next()).context("there is no home")
    }

    /// Makes vectors of what is said in each home, with that model, and lets recall ask it.
    pub fn embed(&mut self, model: &Arc<dyn Embedder>) -> Result<()> {
        let redactor = Arc::new(Redactor::builtin());
        for home in self.0.values_mut() {
            let vectors = Arc::new(Vectors::open(&home.dir.join(format!("vectors-{}", model.model()))));
            vectors.catch_up(&home.journal, &redactor, &**model, &mut |_, _| true)?;
            let meaning = VectorMeaning::new(vectors, Arc::clone(model), Arc::clone(&redactor));
            home.meaning = Some(Arc::new(meaning));
        }
        Ok(())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Home)> {
        self.0.iter()
    }
}

/// A home for each conversation, or one for all.
pub fn of_chats(memoir: &Path, data: &Path, homes: &Path, pooled: bool) -> Result<Homes> {
    let mut groups: BTreeMap<String, String> = BTreeMap::new();
    for line in gunzip(&data.join("events.jsonl.gz"))?.lines() {
        let value: Value = serde_json::from_str(line)?;
        let topic = value.get("topic_id").and_then(Value::as_str).unwrap_or_default();
        let group = groups.entry(if pooled { "all".to_owned() } else { topic.to_owned() }).or_default();
        group.push_str(line);
        group.push('\n');
    }
    let set = data.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut opened = BTreeMap::new();
    for (group, lines) in groups {
        let home = homes.join(format!("{set}-{}", group.replace('/', "-")));
        if !home.join("journal.db").exists() {
            ingest(memoir, &home, &lines)?;
        }
        opened.insert(group, Home::open(&home, HashMap::new())?);
    }
    Ok(Homes(opened))
}

/// Records capture events with `memoir ingest`.
pub fn ingest(memoir: &Path, home: &Path, lines: &str) -> Result<()> {
    std::fs::create_dir_all(home)?;
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), lines)?;
    let ingest = ["ingest", "--max-event-bytes", "4194304"];
    process::run(Command::new(memoir).args(ingest).env("MEMOIR_HOME", home), Some(file.path()))?;
    Ok(())
}

/// One home with all sessions, imported as an agent left them.
pub fn of_sessions(memoir: &Path, data: &Path, homes: &Path) -> Result<Homes> {
    let set = data.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (home, files) = (homes.join(set), homes.join(format!("{set}-sessions")));
    let fresh = !home.join("journal.db").exists();
    std::fs::create_dir_all(&files)?;
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    for entry in std::fs::read_dir(data.join("sessions"))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let target = files.join(&name);
        if !target.exists() {
            std::fs::write(&target, gunzip(&path)?)?;
        }
        let text = std::fs::read_to_string(&target)?;
        let stem = name.trim_end_matches(".jsonl").trim_end_matches(".json").to_owned();
        names.entry(session_in(&text).unwrap_or_else(|| stem.clone())).or_default().push(stem);
    }
    if fresh {
        let mut import = Command::new(memoir);
        import.arg("import").arg("--path").arg(&files).env("MEMOIR_HOME", &home);
        process::run(&mut import, None)?;
    }
    Ok(Homes(BTreeMap::from([(set.to_owned(), Home::open(&home, names)?)])))
}

/// The session id that the first record with one names.
fn session_in(text: &str) -> Option<String> {
    let named = |value: &Value| value.get("sessionId").and_then(Value::as_str).map(str::to_owned);
    serde_json::from_str::<Value>(text).ok().as_ref().and_then(named).or_else(|| {
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|value| named(&value))
    })
}
