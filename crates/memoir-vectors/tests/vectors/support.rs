use memoir_event::{Content, Event, Identity, Kind, Source};
use memoir_journal::{Admission, Chosen, Depth, Forgetting, Journal, Seq, SqliteJournal, SqliteOptions};
use memoir_model::{Embedder, ModelError};
use memoir_redact::Redactor;
use memoir_testkit::provider::embedding;
use memoir_vectors::{CatchUp, Made, Probe, Vectors};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A journal and the place of its vectors, in a directory of their own.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub journal: SqliteJournal,
}

pub fn home() -> Home {
    let dir = tempfile::tempdir().unwrap();
    let journal = open(&dir.path().join("journal.db"));
    Home { dir, journal }
}

pub fn open(path: &Path) -> SqliteJournal {
    SqliteJournal::open(path, SqliteOptions::long_lived(), Arc::new(|| 1_778_400_000_000)).unwrap()
}

impl Home {
    pub fn vectors_dir(&self) -> PathBuf {
        self.dir.path().join("vectors")
    }

    pub fn vectors(&self) -> Vectors {
        Vectors::open(&self.vectors_dir())
    }

    pub fn append(&self, events: Vec<Event>) {
        let redactor = Redactor::builtin();
        let admission = Admission::new(&redactor, self.journal.hasher().clone());
        let batch: Vec<_> = events.into_iter().map(|event| admission.admit(event)).collect();
        self.journal.append(&batch, &[]).unwrap();
    }

    /// Appends what a user said.
    pub fn say(&self, texts: &[&str]) {
        self.append(texts.iter().map(|text| message(Kind::UserMessage, text)).collect());
    }

    /// Appends so many different things.
    pub fn say_many(&self, from: usize, count: usize) {
        let texts: Vec<String> = (from..from + count).map(text).collect();
        self.say(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }

    pub fn forget(&self, name: &str, seqs: &[Seq], depth: Depth) {
        let chosen = Chosen::Events(seqs.to_vec());
        let wish = Forgetting { name: name.into(), chosen, depth, asked: "it".into(), reason: None, by: None };
        self.append(wish.into_events());
    }

    pub fn catch_up(&self, vectors: &Vectors, model: &dyn Embedder) -> CatchUp {
        vectors.catch_up(&self.journal, &Redactor::builtin(), model, &mut |_, _| true).unwrap()
    }

    /// The events near to a text, the best first.
    pub fn near(&self, vectors: &Vectors, model: &Fake, text: &str, k: usize) -> Vec<Seq> {
        let (vector, journal) = (embedding(text, model.dimension), self.journal.identity().unwrap());
        let probe = Probe { vector: &vector, model: &model.name, journal: &journal };
        vectors.near(&probe, k, &mut |_| true).into_iter().map(|(seq, _)| seq).collect()
    }

    /// All events that have a vector.
    pub fn all(&self, vectors: &Vectors, model: &Fake) -> Vec<Seq> {
        let mut seqs = self.near(vectors, model, "anything", 10_000);
        seqs.sort_unstable();
        seqs
    }

    /// The files of the store, without locks.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.vectors_dir()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> =
            paths.filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with('.')).collect();
        files.sort();
        files
    }
}

pub fn text(n: usize) -> String {
    format!("number{n} thing{} about{} the word{}", n * 7, n % 13, n * 31)
}

pub fn message(kind: Kind, text: &str) -> Event {
    let mut event = Event::new(Source::Recorder, "s", kind, Content::Text(text.to_owned()));
    event.repo = "repo".to_owned();
    event.identities = vec![Identity::Explicit];
    event
}

/// A capture of an item that its client names: a longer text is a revision.
pub fn item(id: &str, text: &str) -> Event {
    let mut event = Event::new(Source::Recorder, "s", Kind::AssistantMessage, Content::Text(text.to_owned()));
    event.identities = vec![Identity::Item { id: id.to_owned(), block: 0 }];
    event
}

pub fn made(vectors: u64, rebuilt: bool) -> Made {
    Made { vectors, rebuilt, ..Made::default() }
}

/// A model in the process, which remembers what it was asked.
pub struct Fake {
    pub name: String,
    pub dimension: usize,
    pub asked: Mutex<Vec<String>>,
    /// It fails once it was asked for so many texts.
    pub fails_after: usize,
}

impl Fake {
    pub fn new(name: &str, dimension: usize) -> Fake {
        Fake { name: name.into(), dimension, asked: Mutex::default(), fails_after: usize::MAX }
    }

    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Embedder for Fake {
    fn model(&self) -> &str {
        &self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut asked = self.asked.lock().unwrap();
        if asked.len() + texts.len() > self.fails_after {
            return Err(ModelError::Unreachable { host: "nowhere".into(), reason: "it is gone".into() });
        }
        asked.extend(texts.iter().map(|text| (*text).to_owned()));
        Ok(texts.iter().map(|text| embedding(text, self.dimension)).collect())
    }
}
