//! Answers requests from the script, and writes down what was asked and how much of the answer went out.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::reply::{Reply, Spoken, spoken};
use super::seen::{Api, Purpose, Seen, Sent};
use super::{gemini, http, messages, new_id, responses, schema};

pub(super) const SCRIPT_IS_OVER: &str = "The script is over.";
const JSON: &str = "application/json";

pub(super) struct Server {
    script: Mutex<Vec<Slot>>,
    seen: Mutex<Vec<Seen>>,
    live: Mutex<Vec<TcpStream>>,
    stop: AtomicBool,
}

struct Slot {
    reply: Reply,
    used: bool,
}

impl Server {
    pub fn new(script: Vec<Reply>) -> Server {
        let slots = script.into_iter().map(|reply| Slot { reply, used: false }).collect();
        Server {
            script: Mutex::new(slots),
            seen: Mutex::default(),
            live: Mutex::default(),
            stop: AtomicBool::new(false),
        }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn replies_left(&self) -> usize {
        self.script.lock().unwrap().iter().filter(|slot| !slot.used && !slot.reply.always).count()
    }

    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        for stream in self.live.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Answers one connection; a client that leaves half-way is no failure.
    pub fn serve(&self, stream: &TcpStream) {
        if let (Ok(copy), Ok(())) = (stream.try_clone(), stream.set_nodelay(true)) {
            self.live.lock().unwrap().push(copy);
            let _ = self.answer(stream);
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let Some(request) = http::Request::read(stream)? else { return Ok(()) };
        let text = String::from_utf8_lossy(&request.plain_body()?).into_owned();
        let api = Api::of(&request.path).filter(|_| request.method == "POST");
        let mut seen = Seen {
            method: request.method,
            path: request.path,
            headers: request.headers,
            body: serde_json::from_str(&text).unwrap_or_default(),
            client: api.map(Api::client),
            purpose: Purpose::Other,
            reply: None,
            sent: Sent::Nothing,
            text,
            said: Vec::new(),
        };
        let Some(api) = api else { return self.answer_beside(stream, seen) };
        seen.purpose = seen.purpose_of(api);
        let (index, reply) = self.choose(api, &seen);
        seen.reply = index;
        match said(api, &reply, &seen) {
            Ok(said) => seen.said = said,
            Err(trouble) => {
                eprintln!("model: {trouble}");
                self.note(seen);
                return http::send(stream, 400, JSON, &failure(400, &trouble));
            }
        }
        let number = self.note(seen.clone());
        let sent = self.send(stream, api, &reply, &seen);
        self.seen.lock().unwrap()[number].sent = sent;
        Ok(())
    }

    /// Requests that are no call of a model.
    fn answer_beside(&self, stream: &TcpStream, mut seen: Seen) -> io::Result<()> {
        let path = seen.path.split('?').next().unwrap_or_default().to_owned();
        let tokens = seen.text.len() / 4;
        let (status, body) = if path.ends_with("/count_tokens") || path.ends_with(":countTokens") {
            seen.purpose = Purpose::Count;
            (200, json!({"input_tokens": tokens, "totalTokens": tokens}).to_string())
        } else if seen.header("upgrade").is_some() {
            // Codex falls back to plain HTTP at once for this status, and only after seconds for others.
            (426, failure(426, "no WebSocket here"))
        } else if seen.method == "HEAD" {
            (200, String::new())
        } else {
            (404, failure(404, "not found"))
        };
        self.note(seen);
        http::send(stream, status, JSON, &body)
    }

    fn note(&self, seen: Seen) -> usize {
        let mut all = self.seen.lock().unwrap();
        all.push(seen);
        all.len() - 1
    }

    fn choose(&self, api: Api, seen: &Seen) -> (Option<usize>, Reply) {
        if let Some(wanted) = api.wanted_schema(&seen.body) {
            return (None, super::text(schema::minimal_instance(wanted).to_string()));
        }
        let mut script = self.script.lock().unwrap();
        let found = script.iter_mut().enumerate().find(|(_, slot)| !slot.used && slot.reply.answers(seen));
        if let Some((index, slot)) = found {
            slot.used = !slot.reply.always;
            return (Some(index), slot.reply.clone());
        }
        let text = match seen.purpose {
            // What Claude and Gemini look for in a summary; Codex takes any text.
            Purpose::Compaction => "<summary>A summary.</summary><state_snapshot>A summary.</state_snapshot>",
            Purpose::Side => "A title",
            Purpose::Turn | Purpose::Agent | Purpose::Count | Purpose::Other => SCRIPT_IS_OVER,
        };
        (None, super::text(text))
    }

    fn send(&self, stream: &TcpStream, api: Api, reply: &Reply, seen: &Seen) -> Sent {
        if !self.nap(reply.delay) {
            return Sent::Nothing;
        }
        if let Some((status, message)) = &reply.failure {
            let _ = http::send(stream, *status, JSON, &failure(*status, message));
            return Sent::Nothing;
        }
        let (said, usage, body, path) = (&seen.said, reply.usage, &seen.body, seen.path.as_str());
        let streamed = seen.body["stream"] == true || path.contains(":streamGenerateContent");
        if !streamed {
            let whole = match api {
                Api::Responses => responses::whole(said, usage, body),
                Api::Messages => messages::whole(said, usage, body),
                Api::Gemini => gemini::whole(said, usage, path),
            };
            let done = http::send(stream, 200, JSON, &whole.to_string());
            return if done.is_ok() { Sent::Whole } else { Sent::Nothing };
        }
        let events = match api {
            Api::Responses => responses::events(said, usage, body),
            Api::Messages => messages::events(said, usage, body),
            Api::Gemini => gemini::events(said, usage, path),
        };
        self.send_events(stream, &events, reply)
    }

    fn send_events(&self, stream: &TcpStream, events: &[Value], reply: &Reply) -> Sent {
        if http::begin_events(stream).is_err() {
            return Sent::Nothing;
        }
        for (count, event) in events.iter().enumerate() {
            let cut = reply.events_max.is_some_and(|max| count >= max);
            if cut || http::send_event(stream, event["type"].as_str(), &event.to_string()).is_err() {
                return if count == 0 { Sent::Nothing } else { Sent::Part };
            }
            if !self.nap(reply.pause) {
                return Sent::Part;
            }
        }
        // Some clients hang up as soon as they have the last event.
        let _ = http::end_events(stream);
        Sent::Whole
    }

    /// Sleeps unless the model is stopped; whether it was not.
    fn nap(&self, length: Duration) -> bool {
        const STEP: Duration = Duration::from_millis(10);
        let end = Instant::now() + length;
        while !self.stopped() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(STEP));
        }
        false
    }
}

fn said(api: Api, reply: &Reply, seen: &Seen) -> Result<Vec<Spoken>, String> {
    let (offered, prefix) = match api {
        Api::Responses => (responses::offered(&seen.body), "call_"),
        Api::Messages => (messages::offered(&seen.body), "toolu_"),
        Api::Gemini => (gemini::offered(&seen.body), "call_"),
    };
    spoken(reply, &offered, || new_id(prefix))
}

/// An error that each of the clients understands.
fn failure(status: u16, message: &str) -> String {
    json!({
        "type": "error",
        "error": {"type": "scripted_error", "code": status, "status": "SCRIPTED", "message": message},
    })
    .to_string()
}
