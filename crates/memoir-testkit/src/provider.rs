//! A provider of models on loopback: embeds texts, answers prompts, and misbehaves as it is told.
//!
//! Speaks OpenAI's `/v1/embeddings` and `/v1/chat/completions` and Anthropic's `/v1/messages`. Texts of like words get
//! near vectors: each word's stem, hashed, turns the vector into a direction of its own.

use crate::model::http;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const JSON: &str = "application/json";

/// How the provider behaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// Well.
    Ok,
    /// It takes the request and never answers.
    Hang,
    /// It sends a byte of its answer from time to time.
    Drip(Duration),
    /// It sends its head a byte at a time.
    DripHead(Duration),
    /// It answers after that time.
    Slow(Duration),
    /// It fails with that status and says this.
    Status(u16, String),
    /// It fails like that whenever a text is longer than so many bytes.
    LongerFails(u16, usize),
    /// It fails like that so many times, asking to try again at once, and then behaves.
    BusyFor(usize),
    /// Its answer is no JSON.
    NotJson,
    /// Its answer is JSON and nothing else.
    OtherJson,
    /// A vector is missing.
    WrongCount,
    /// The vectors are of different lengths.
    WrongDimension,
    /// Two vectors have one number.
    WrongOrder,
    /// A vector has `NaN` in it.
    NaN,
    /// A vector has a number that no float can hold.
    Infinite,
    /// A vector is all zeros.
    Zeros,
    /// The vectors are empty.
    Empty,
    /// Its answer does not end.
    Huge,
    /// It leads elsewhere.
    Redirect(String),
    /// It hangs up without a word.
    HangUp,
}

/// A request that the provider got.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The path.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The texts that were to be embedded.
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().cloned().unwrap_or_default();
        input.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

struct State {
    dimension: Mutex<usize>,
    mode: Mutex<Mode>,
    answer: Mutex<String>,
    asked: Mutex<Vec<Asked>>,
    live: Mutex<Vec<TcpStream>>,
    stop: AtomicBool,
}

/// A running provider; it stops when dropped.
pub struct Provider {
    state: Arc<State>,
    address: SocketAddr,
    door: Option<JoinHandle<()>>,
}

impl Provider {
    /// Starts one whose vectors have that many numbers.
    pub fn start(dimension: usize) -> Provider {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on loopback");
        let address = listener.local_addr().expect("the port that was bound");
        let state = Arc::new(State {
            dimension: Mutex::new(dimension),
            mode: Mutex::new(Mode::Ok),
            answer: Mutex::new("It is so [e1].".to_owned()),
            asked: Mutex::default(),
            live: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let door = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Provider { state, address, door: Some(door) }
    }

    /// Its address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on it behaves like this.
    pub fn set(&self, mode: Mode) {
        *self.state.mode.lock().unwrap() = mode;
    }

    /// From now on its vectors have that many numbers.
    pub fn set_dimension(&self, dimension: usize) {
        *self.state.dimension.lock().unwrap() = dimension;
    }

    /// From now on it says this to any prompt.
    pub fn set_answer(&self, answer: &str) {
        answer.clone_into(&mut self.state.answer.lock().unwrap());
    }

    /// Every request so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.state.asked.lock().unwrap().clone()
    }

    /// Every text that it was to embed so far, in the order of arrival.
    pub fn texts(&self) -> Vec<String> {
        self.asked().iter().flat_map(Asked::texts).collect()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.state.stop.store(true, Ordering::Relaxed);
        for stream in self.state.live.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // The door waits in accept; one more visitor lets it see that it shall close.
        if TcpStream::connect(self.address).is_ok()
            && let Some(door) = self.door.take()
        {
            let _ = door.join();
        }
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        if let (Ok(copy), Ok(())) = (stream.try_clone(), stream.set_nodelay(true)) {
            self.live.lock().unwrap().push(copy);
            let _ = self.answer(stream);
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    fn answer(&self, mut stream: &TcpStream) -> io::Result<()> {
        let Some(request) = http::Request::read(stream)? else { return Ok(()) };
        let body: Value = serde_json::from_slice(&request.plain_body()?).unwrap_or_default();
        let asked = Asked { path: request.path, headers: request.headers, body };
        self.asked.lock().unwrap().push(asked.clone());
        let mode = self.mode.lock().unwrap().clone();
        let fail = |status: u16, said: &str| {
            http::send(stream, status, JSON, &json!({"error": {"message": said, "type": "scripted"}}).to_string())
        };
        match mode {
            Mode::Hang => self.nap(Duration::from_secs(600)),
            Mode::HangUp => {}
            Mode::Status(status, said) => return fail(status, &said),
            Mode::LongerFails(status, bytes) if asked.texts().iter().any(|text| text.len() > bytes) => {
                return fail(status, "the input is too long");
            }
            Mode::BusyFor(times) => {
                *self.mode.lock().unwrap() = if times > 1 { Mode::BusyFor(times - 1) } else { Mode::Ok };
                stream.write_all(
                    b"HTTP/1.1 429 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                )?;
            }
            Mode::Redirect(to) => {
                let head = format!("HTTP/1.1 307 Elsewhere\r\nlocation: {to}\r\ncontent-length: 0\r\n");
                stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes())?;
            }
            Mode::NotJson => return http::send(stream, 200, "text/html", "<html>It works!</html>"),
            Mode::OtherJson => return http::send(stream, 200, JSON, r#"{"ok":true}"#),
            Mode::Huge => self.send_without_end(stream)?,
            Mode::Slow(delay) => {
                self.nap(delay);
                return http::send(stream, 200, JSON, &self.said(&asked, &Mode::Ok));
            }
            Mode::Drip(pause) => {
                let body = self.said(&asked, &Mode::Ok);
                let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {JSON}\r\ncontent-length: {}\r\n\r\n", body.len());
                stream.write_all(head.as_bytes())?;
                self.drip(stream, body.as_bytes(), pause)?;
            }
            Mode::DripHead(pause) => {
                self.drip(stream, format!("HTTP/1.1 200 OK\r\nx-long: {}", "x".repeat(1000)).as_bytes(), pause)?;
            }
            mode => return http::send(stream, 200, JSON, &self.said(&asked, &mode)),
        }
        Ok(())
    }

    fn said(&self, asked: &Asked, mode: &Mode) -> String {
        let answer = self.answer.lock().unwrap().clone();
        if asked.path.ends_with("/chat/completions") {
            let message = json!({"role": "assistant", "content": answer});
            return json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).to_string();
        }
        if asked.path.ends_with("/messages") {
            return json!({"role": "assistant", "content": [{"type": "text", "text": answer}]}).to_string();
        }
        let dimension = *self.dimension.lock().unwrap();
        let vectors: Vec<Vec<f32>> = asked.texts().iter().map(|text| embedding(text, dimension)).collect();
        embeddings_json(vectors, mode)
    }

    fn send_without_end(&self, mut stream: &TcpStream) -> io::Result<()> {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n[")?;
        let piece = "0.123456789,".repeat(8192);
        while !self.stop.load(Ordering::Relaxed) {
            stream.write_all(piece.as_bytes())?;
        }
        Ok(())
    }

    fn drip(&self, mut stream: &TcpStream, bytes: &[u8], pause: Duration) -> io::Result<()> {
        for byte in bytes {
            stream.write_all(&[*byte])?;
            self.nap(pause);
        }
        Ok(())
    }

    fn nap(&self, length: Duration) {
        const STEP: Duration = Duration::from_millis(10);
        let mut left = length;
        while !left.is_zero() && !self.stop.load(Ordering::Relaxed) {
            thread::sleep(left.min(STEP));
            left = left.saturating_sub(STEP);
        }
    }
}

fn embeddings_json(mut vectors: Vec<Vec<f32>>, mode: &Mode) -> String {
    match mode {
        Mode::WrongCount => drop(vectors.pop()),
        Mode::WrongDimension => vectors.iter_mut().skip(1).for_each(|vector| vector.truncate(vector.len() - 1)),
        Mode::Zeros => vectors.iter_mut().for_each(|vector| vector.fill(0.0)),
        Mode::Empty => vectors.iter_mut().for_each(Vec::clear),
        _ => {}
    }
    // The order of the list is not the order of the texts: the number counts.
    let entries: Vec<Value> = vectors
        .iter()
        .enumerate()
        .rev()
        .map(|(at, vector)| {
            let index = if *mode == Mode::WrongOrder { 0 } else { at };
            json!({"object": "embedding", "index": index, "embedding": vector})
        })
        .collect();
    let text = json!({"object": "list", "model": "scripted", "data": entries}).to_string();
    match mode {
        Mode::NaN => text.replacen("\"embedding\":[", "\"embedding\":[NaN,", 1),
        Mode::Infinite => text.replacen("\"embedding\":[", "\"embedding\":[1e300,", vectors.len()),
        _ => text,
    }
}

/// The vector of a text: near to that of a text with like words.
pub fn embedding(text: &str, dimension: usize) -> Vec<f32> {
    let mut vector = vec![0.001_f32; dimension];
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut seed = stem(&word.to_lowercase())
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        for number in &mut vector {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *number += ((seed >> 40) as f32 / (1_u32 << 24) as f32) - 0.5;
        }
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter().map(|number| number / length).collect()
}

/// A word without its usual endings.
fn stem(word: &str) -> &str {
    let cut = ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending));
    cut.filter(|stem| stem.chars().count() >= 3).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_texts_get_near_vectors() {
        let near =
            |a: &str, b: &str| -> f32 { embedding(a, 64).iter().zip(&embedding(b, 64)).map(|(a, b)| a * b).sum() };
        assert!((near("deploy the server", "deploy the server") - 1.0).abs() < 1e-5);
        assert!(near("deploys the servers", "deployed server") > 0.6);
        assert!(near("deploy the server", "pasta with tomatoes") < 0.4);
    }
}
