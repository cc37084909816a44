//! As much of HTTP/1.1 as the clients need: one request per connection, answers whole or in chunks.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The most that a request body may have; clients send whole conversations.
const BODY_BYTES_MAX: usize = 256 << 20;
const HEADERS_MAX: usize = 200;

/// A request as it stands on the wire.
pub(crate) struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one request; none when the peer sent nothing.
    pub fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
        let mut input = BufReader::new(stream);
        let first = line(&mut input)?;
        let mut words = first.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let mut headers = Vec::new();
        loop {
            let line = line(&mut input)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| broken("a header without a colon"))?;
            headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
            if headers.len() > HEADERS_MAX {
                return Err(broken("too many headers"));
            }
        }
        let mut request = Request { method: method.into(), path: path.into(), headers, body: Vec::new() };
        if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            (&*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = request.read_body(&mut input)?;
        Ok(Some(request))
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn read_body(&self, input: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        let chunked = self.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        loop {
            let bytes = match chunked {
                true => usize::from_str_radix(line(input)?.split(';').next().unwrap_or_default().trim(), 16)
                    .map_err(|_| broken("a chunk without a size"))?,
                false => self.header("content-length").map_or(Ok(0), str::parse).map_err(|_| broken("no length"))?,
            };
            let start = body.len();
            if bytes > BODY_BYTES_MAX - start {
                return Err(broken("a body that is too long"));
            }
            body.resize(start + bytes, 0);
            input.read_exact(&mut body[start..])?;
            if chunked {
                line(input)?;
            }
            if !chunked || bytes == 0 {
                return Ok(body);
            }
        }
    }

    /// The body without its compression.
    pub fn plain_body(&self) -> io::Result<Vec<u8>> {
        match self.header("content-encoding") {
            Some("zstd") => zstd::decode_all(&*self.body),
            None | Some("identity") => Ok(self.body.clone()),
            Some(other) => Err(broken(&format!("a body with the unknown encoding {other}"))),
        }
    }
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    const LINE_BYTES_MAX: u64 = 1 << 20;
    let mut line = String::new();
    input.take(LINE_BYTES_MAX).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Sends a whole answer.
pub(crate) fn send(mut stream: &TcpStream, status: u16, kind: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status} Scripted\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes())
}

/// Begins an answer of server-sent events.
pub(super) fn begin_events(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )
}

/// Sends one event in a chunk of its own.
pub(super) fn send_event(mut stream: &TcpStream, name: Option<&str>, data: &str) -> io::Result<()> {
    if hung_up(stream) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    let event = format!("{name}data: {data}\n\n");
    stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
}

/// Ends an answer of events, so that the client knows it to be complete.
pub(super) fn end_events(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}

/// Whether the client has gone: what is written to it would vanish without an error.
fn hung_up(stream: &TcpStream) -> bool {
    if stream.set_nonblocking(true).is_err() {
        return true;
    }
    let peeked = stream.peek(&mut [0]);
    let back = stream.set_nonblocking(false);
    match peeked {
        Ok(0) => true,
        Ok(_) => back.is_err(),
        Err(error) => back.is_err() || error.kind() != io::ErrorKind::WouldBlock,
    }
}
