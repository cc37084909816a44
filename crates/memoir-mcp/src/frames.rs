//! Messages on their way in and out: what comes in is looked at line by line, so that one that is no message is answered,
//! and lines of answers never mix.

use crate::stdio::LINE_BYTES_MAX;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// So much may be on its way between the parts of this process.
const PIPE_BYTES: usize = 64 << 10;
/// So many complaints may wait to be written; whoever sends more waits.
const COMPLAINTS_MAX: usize = 16;

/// What JSON-RPC calls a text that is no JSON.
const PARSE_ERROR: i32 = -32_700;
/// And a message that is none of its own.
const INVALID_REQUEST: i32 = -32_600;

/// What a server reads and writes in the place of the client's own ends; `done` is told when all is written.
pub(crate) struct Frames {
    pub input: DuplexStream,
    pub output: DuplexStream,
    pub done: tokio::task::JoinHandle<()>,
}

impl Frames {
    /// Between a client and a server.
    pub fn between(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Frames {
        let (to_server, from_client) = tokio::io::duplex(PIPE_BYTES);
        let (to_client, from_server) = tokio::io::duplex(PIPE_BYTES);
        let (complain, complaints) = channel(COMPLAINTS_MAX);
        tokio::spawn(pass_on(input, to_server, complain));
        Frames { input: from_client, output: to_client, done: tokio::spawn(write(from_server, output, complaints)) }
    }
}

/// Passes messages on, and complains of what is none. Ends with the client.
async fn pass_on(input: impl AsyncRead + Send + Unpin, mut to_server: DuplexStream, complain: Sender<Value>) {
    let mut input = BufReader::new(input);
    let mut line: Vec<u8> = Vec::new();
    loop {
        line.clear();
        let room = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX);
        match (&mut input).take(room).read_until(b'\n', &mut line).await {
            Ok(read) if read > 0 => {}
            _ => return,
        }
        let problem = if line.len() >= LINE_BYTES_MAX && !line.ends_with(b"\n") {
            if skip_line(&mut input).await.is_err() {
                return;
            }
            Some(error(INVALID_REQUEST, "the message is too long"))
        } else {
            let said = line.trim_ascii();
            let is_json = || serde_json::from_slice::<Value>(said).is_ok();
            (!said.is_empty() && !is_json()).then(|| error(PARSE_ERROR, "Parse error"))
        };
        let passed = match problem {
            Some(problem) => complain.send(problem).await.is_ok(),
            None => to_server.write_all(&line).await.is_ok(),
        };
        if !passed {
            return;
        }
    }
}

/// Drops the rest of a line.
async fn skip_line(input: &mut (impl AsyncBufReadExt + Unpin)) -> std::io::Result<()> {
    loop {
        let there = input.fill_buf().await?;
        let (end, is_end) = match there.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (there.len(), there.is_empty()),
        };
        input.consume(end);
        if is_end {
            return Ok(());
        }
    }
}

fn error(code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}})
}

/// Writes whole lines, those of the server and complaints, until the server has said all that it has to say.
async fn write(from_server: DuplexStream, mut output: impl AsyncWrite + Send + Unpin, mut complaints: Receiver<Value>) {
    let mut from_server = BufReader::new(from_server);
    let mut line: Vec<u8> = Vec::new();
    let mut may_complain = true;
    loop {
        let text = tokio::select! {
            // A line that is half read stays: the next look goes on with it.
            read = from_server.read_until(b'\n', &mut line) => match read {
                Ok(read) if read > 0 || !line.is_empty() => std::mem::take(&mut line),
                _ => break,
            },
            complaint = complaints.recv(), if may_complain => match complaint {
                Some(complaint) => format!("{complaint}\n").into_bytes(),
                None => {
                    may_complain = false;
                    continue;
                }
            },
        };
        if output.write_all(&text).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
    while let Ok(complaint) = complaints.try_recv() {
        if output.write_all(format!("{complaint}\n").as_bytes()).await.is_err() {
            return;
        }
    }
    let _ = output.flush().await;
}
