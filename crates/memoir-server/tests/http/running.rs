//! A server in this process, over a journal in a directory of its own.

use crate::client::{Answer, send};
use memoir_index::Index;
use memoir_journal::{Clock, Journal, SqliteJournal, SqliteOptions};
use memoir_redact::Redactor;
use memoir_server::{Parts, ServerError, ServerSettings, serve};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// 2026-06-01T12:00:00Z.
pub const START_MS: i64 = 1_780_315_200_000;

pub struct Running {
    pub address: SocketAddr,
    pub journal: Arc<dyn Journal>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
    home: Option<TempDir>,
}

pub fn settings() -> ServerSettings {
    ServerSettings { port: 0, ..ServerSettings::default() }
}

/// A clock that moves one millisecond each time it is looked at.
pub fn ticking() -> Clock {
    let now = AtomicI64::new(START_MS);
    Arc::new(move || now.fetch_add(1, Ordering::Relaxed))
}

pub fn journal(home: &TempDir, clock: &Clock) -> Arc<dyn Journal> {
    let path = home.path().join("journal.db");
    Arc::new(SqliteJournal::open(&path, SqliteOptions::long_lived(), Arc::clone(clock)).unwrap())
}

/// A server with the usual settings.
pub fn start() -> Running {
    start_with(settings())
}

pub fn start_with(settings: ServerSettings) -> Running {
    start_over(settings, |journal| journal)
}

/// A server over whatever `wrap` makes of a real journal.
pub fn start_over(settings: ServerSettings, wrap: impl FnOnce(Arc<dyn Journal>) -> Arc<dyn Journal>) -> Running {
    let home = tempfile::tempdir().unwrap();
    let clock = ticking();
    let journal = wrap(journal(&home, &clock));
    let index = Arc::new(Index::open(&home.path().join("index"), memoir_index::IndexOptions::default()));
    let redactor = Arc::new(Redactor::builtin());
    let paused = home.path().join("paused");
    let is_paused = Arc::new(move || paused.exists());
    let let_go = Arc::new(|_: &str| Ok(0));
    let is_alive = Arc::new(|_: &memoir_session::Process| false);
    let parts =
        Parts { journal: Arc::clone(&journal), redactor, index, clock, meaning: None, is_paused, let_go, is_alive };
    let (stop, stopped) = oneshot::channel();
    let (tell, told) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let bound = move |address| tell.send(address).unwrap();
        let result = runtime.block_on(serve(settings, parts, bound, async {
            let _ = stopped.await;
        }));
        runtime.shutdown_background();
        result
    });
    let address = told.recv().expect("the server starts");
    Running { address, journal, stop: Some(stop), thread: Some(thread), home: Some(home) }
}

impl Running {
    pub fn get(&self, path: &str) -> Answer {
        send(self.address, "GET", path, &[], None)
    }

    pub fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        send(self.address, "GET", path, headers, None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_with(path, &[], body)
    }

    pub fn post_with(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        send(self.address, "POST", path, headers, Some(body.to_string().as_bytes()))
    }

    pub fn delete_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        send(self.address, "DELETE", path, headers, None)
    }

    /// Stores records and returns their ids.
    pub fn store(&self, records: &[Value]) -> Vec<String> {
        let answer = self.post("/v1/encode/raw/batch", &batch(records));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let results = answer.json()["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["record_id"].as_str().unwrap().to_owned()).collect()
    }

    pub fn recall(&self, request: &Value) -> Vec<Value> {
        let answer = self.post("/v1/recall/raw", request);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["records"].as_array().unwrap().clone()
    }

    /// Has nothing recorded from now on, or everything again.
    pub fn pause(&self, is_paused: bool) {
        let file = self.home().join("paused");
        if is_paused { std::fs::write(file, "").unwrap() } else { std::fs::remove_file(file).unwrap() }
    }

    pub fn home(&self) -> &std::path::Path {
        self.home.as_ref().unwrap().path()
    }

    pub fn tell_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Waits until the server has returned; gives its home back.
    pub fn wait(&mut self) -> Option<TempDir> {
        self.tell_to_stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
        self.home.take()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.wait();
        }
    }
}

pub fn batch(records: &[Value]) -> Value {
    json!({"header": null, "records": records})
}

/// A record as the recorder sends it, with nothing optional.
pub fn record(session: &str, text: &str) -> Value {
    json!({
        "header": null, "session_id": session, "turn_id": null, "topic_id": null, "source": "conversation",
        "speaker": "user", "visibility": "normal", "secrecy_level": "sensitive",
        "content": {"blocks": [{"modality": "text", "format": "text/plain", "data": text.as_bytes(), "embedding": null}],
                    "summary": null},
        "metadata": {"event_type": "user_message", "recorder": "cerememory-recorder", "recorder_cwd": "/home/dev/shop"},
        "meta": null
    })
}

/// The same with a time, so that sending it twice is one record.
pub fn timed(session: &str, text: &str, observed_at: &str) -> Value {
    let mut record = record(session, text);
    record["metadata"]["observed_at"] = observed_at.into();
    record
}

pub fn set(mut record: Value, field: &str, value: impl Into<Value>) -> Value {
    record[field] = value.into();
    record
}

/// The text of a recalled record.
pub fn text_of(record: &Value) -> String {
    let data = record["content"]["blocks"][0]["data"].as_array().unwrap();
    let bytes = data.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect();
    String::from_utf8(bytes).unwrap()
}
