//! A small HTTP server that answers as a script says and remembers what it was asked.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Request {
    pub path: String,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn records(&self) -> Vec<serde_json::Value> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        body["records"].as_array().unwrap().clone()
    }

    pub fn texts(&self) -> Vec<String> {
        self.records().iter().map(text_of).collect()
    }
}

pub fn text_of(record: &serde_json::Value) -> String {
    let data = record["content"]["blocks"][0]["data"].as_array().unwrap();
    String::from_utf8(data.iter().map(|byte| u8::try_from(byte.as_u64().unwrap()).unwrap()).collect()).unwrap()
}

pub fn key_of(record: &serde_json::Value) -> String {
    record["metadata"]["idempotency_key"].as_str().unwrap().to_owned()
}

pub enum Reply {
    /// Stores the records and says so.
    Stored,
    /// Stores the records, but the answer gets lost.
    StoredThenDrop,
    /// Stores the records and answers with something else.
    StoredThenSay(&'static str),
    Status(u16, String),
    RetryAfter(u16, u64),
    Drop,
    Hang(Duration),
}

#[derive(Default)]
struct State {
    requests: Vec<Request>,
    /// Idempotency key to text; a key that comes again stores nothing.
    stored: HashMap<String, String>,
    repeats: usize,
}

pub struct Stub {
    pub url: String,
    state: Arc<Mutex<State>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Stub {
    /// Serves until dropped; `script` gets the number of the request, from 0, and the request.
    pub fn start(script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let stopped = Arc::new(AtomicBool::new(false));
        let script = Arc::new(script);
        let thread = std::thread::spawn({
            let (state, stopped) = (state.clone(), stopped.clone());
            move || {
                for stream in listener.incoming() {
                    if stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    let (state, script) = (state.clone(), script.clone());
                    let stream = stream.unwrap();
                    std::thread::spawn(move || serve(&stream, &state, &*script));
                }
            }
        });
        Stub { url, state, stopped, thread: Some(thread) }
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.lock().unwrap().requests.clone()
    }

    /// The texts that are stored, sorted.
    pub fn stored(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.state.lock().unwrap().stored.values().cloned().collect();
        texts.sort();
        texts
    }

    /// How many records came a second time.
    pub fn repeats(&self) -> usize {
        self.state.lock().unwrap().repeats
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.url.trim_start_matches("http://"));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// An address where nobody listens.
pub fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

fn serve(stream: &TcpStream, state: &Mutex<State>, script: &dyn Fn(usize, &Request) -> Reply) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read_request(&mut reader) {
        let number = {
            let mut state = state.lock().unwrap();
            state.requests.push(request.clone());
            state.requests.len() - 1
        };
        let (status, header, body) = match script(number, &request) {
            Reply::Stored => (200, String::new(), store(&request, state)),
            Reply::StoredThenSay(body) => {
                store(&request, state);
                (200, String::new(), body.to_owned())
            }
            Reply::StoredThenDrop => {
                store(&request, state);
                return;
            }
            Reply::Status(status, body) => (status, String::new(), body),
            Reply::RetryAfter(status, seconds) => (status, format!("retry-after: {seconds}\r\n"), String::new()),
            Reply::Drop => return,
            Reply::Hang(time) => {
                std::thread::sleep(time);
                return;
            }
        };
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{header}content-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = stream;
        if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).is_err() {
            return;
        }
    }
}

fn store(request: &Request, state: &Mutex<State>) -> String {
    let mut state = state.lock().unwrap();
    let mut results = Vec::new();
    for record in request.records() {
        if state.stored.insert(key_of(&record), text_of(&record)).is_some() {
            state.repeats += 1;
        }
        results.push(serde_json::json!({
            "record_id": "019a0000-0000-7000-8000-000000000001", "session_id": record["session_id"],
            "visibility": record["visibility"], "secrecy_level": record["secrecy_level"],
        }));
    }
    serde_json::json!({ "results": results }).to_string()
}

fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { path, headers, body })
}
