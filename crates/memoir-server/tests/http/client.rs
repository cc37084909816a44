//! A small HTTP client that sends exactly what it is told to.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Status and code of an error, after checking that it has the one shape.
    pub fn error(&self) -> (u16, String) {
        let body = self.json();
        let fields = body.as_object().unwrap();
        for name in ["code", "message", "details", "retry_after", "request_id"] {
            assert!(fields.contains_key(name), "{name} is missing in {body}");
        }
        assert_eq!(fields["request_id"].as_str(), self.header("x-request-id"));
        assert!(!fields["message"].as_str().unwrap().is_empty());
        (self.status, fields["code"].as_str().unwrap().to_owned())
    }

    pub fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// One request over a connection of its own; the headers given replace the usual ones.
pub fn send(address: SocketAddr, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&[u8]>) -> Answer {
    let mut stream = connect(address);
    write_request(&mut stream, address, method, path, headers, body);
    if method == "HEAD" { read_head(&mut stream).0 } else { read_answer(&mut stream) }
}

pub fn write_request(
    stream: &mut TcpStream,
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) {
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    let given = |name: &str| headers.iter().any(|(found, _)| found.eq_ignore_ascii_case(name));
    if !given("host") {
        head += &format!("host: {address}\r\n");
    }
    if !given("content-type") {
        head += "content-type: application/json\r\n";
    }
    if !given("content-length")
        && !given("transfer-encoding")
        && let Some(body) = body
    {
        head += &format!("content-length: {}\r\n", body.len());
    }
    for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
        head += &format!("{name}: {value}\r\n");
    }
    head += "accept: application/json\r\n\r\n";
    // A server may refuse before it has read everything: what counts is its answer.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.unwrap_or_default()));
}

pub fn read_answer(stream: &mut TcpStream) -> Answer {
    let (mut answer, length) = read_head(stream);
    let mut chunk = [0u8; 16 * 1024];
    while answer.body.len() < length {
        let read = stream.read(&mut chunk).unwrap();
        assert!(read > 0, "the body ended early");
        answer.body.extend_from_slice(&chunk[..read]);
    }
    answer
}

/// The answer as far as it came with its head, and how long its body is to be.
fn read_head(stream: &mut TcpStream) -> (Answer, usize) {
    let mut bytes = Vec::new();
    let mut chunk = [0u8; 16 * 1024];
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        let read = stream.read(&mut chunk).unwrap();
        assert!(read > 0, "the connection ended after {:?}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&chunk[..read]);
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    (Answer { status, headers, body: bytes[head_end + 4..].to_vec() }, length)
}
