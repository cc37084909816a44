//! A scripted model on loopback that the real clients take for their service.
//!
//! Owns the wire formats and the memory of what was asked and said. It knows nothing of how a client is started.

mod gemini;
mod heard;
mod history;
pub(crate) mod http;
mod messages;
mod reply;
mod responses;
mod schema;
mod seen;
mod server;
#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

pub use heard::{Heard, Said};
pub use reply::{Reply, Usage, shell, status, text, tool};
pub use seen::{Purpose, Seen, Sent};

use crate::Client;
use server::Server;

/// A running model; it stops when dropped.
pub struct Model {
    server: Arc<Server>,
    port: u16,
    door: Option<JoinHandle<()>>,
}

impl Model {
    /// Starts a model on a free port of loopback; each request takes the first reply that is for it and not used up.
    pub fn start(script: Vec<Reply>) -> Model {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on loopback");
        let port = listener.local_addr().expect("the port that was bound").port();
        let server = Arc::new(Server::new(script));
        let shared = Arc::clone(&server);
        let door = thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stopped() {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Model { server, port, door: Some(door) }
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address without a path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<Seen> {
        self.server.seen()
    }

    /// How many replies of the script wait to be used; those that are never used up do not count.
    pub fn replies_left(&self) -> usize {
        self.server.replies_left()
    }

    /// Waits until this holds for the requests so far; false when it does not within the limit.
    pub fn wait_until(&self, limit: Duration, holds: impl Fn(&[Seen]) -> bool) -> bool {
        let end = Instant::now() + limit;
        loop {
            if holds(&self.requests()) {
                return true;
            }
            if Instant::now() > end {
                return false;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The main conversations of a client: each word, call and result once, in the order in which they occurred.
    ///
    /// What a client repeats (retries, the history in each request, after resume, fork or compaction) and what it adds
    /// itself (context, reminders, summaries) is left out.
    pub fn transcript(&self, client: Client) -> Vec<Heard> {
        heard::transcript(&self.requests(), client).into_iter().filter(|heard| heard.agent.is_none()).collect()
    }

    /// The same for the sub-agents of a client.
    pub fn agent_transcript(&self, client: Client) -> Vec<Heard> {
        heard::transcript(&self.requests(), client).into_iter().filter(|heard| heard.agent.is_some()).collect()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server.stop();
        // The door waits in accept; one more visitor lets it see that it shall close.
        if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok()
            && let Some(door) = self.door.take()
        {
            let _ = door.join();
        }
    }
}

/// An id that no other call of this or another run of the tests makes.
fn new_id(prefix: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    format!("{prefix}{nanos:016x}{:08x}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A text in two pieces, as a stream brings it.
fn halves(text: &str) -> impl Iterator<Item = &str> {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|half| !half.is_empty())
}
