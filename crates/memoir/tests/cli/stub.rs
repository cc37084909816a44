//! Servers that misbehave as they are told to.

use crate::support::Server;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server that reads each request, does what it is told with the connection, and counts.
pub fn stub(act: impl Fn(usize, TcpStream) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let act = Arc::new(act);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (act, n) = (Arc::clone(&act), counter.fetch_add(1, Ordering::SeqCst));
            std::thread::spawn(move || act(n, stream));
        }
    });
    (url, count)
}

/// Reads one whole request.
pub fn request(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 65536];
    loop {
        let read = stream.read(&mut chunk).unwrap_or(0);
        bytes.extend_from_slice(&chunk[..read]);
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let wanted = head.map(|head| {
            let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
            let length =
                text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            head + 4 + length.unwrap_or(0)
        });
        if read == 0 || wanted.is_some_and(|wanted| bytes.len() >= wanted) {
            return bytes;
        }
    }
}

pub fn answer_with(status: &'static str, body: &'static str) -> (String, Arc<AtomicUsize>) {
    stub(move |_, mut stream| {
        request(&mut stream);
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(format!("{head}{body}").as_bytes());
    })
}

/// Passes requests on to a server and swallows every second answer.
pub fn forgetful(server: &Server) -> String {
    let port = server.port;
    let (url, _) = stub(move |n, mut stream| {
        let asked = String::from_utf8(request(&mut stream)).unwrap();
        let close = asked.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        let mut onward = TcpStream::connect(("127.0.0.1", port)).unwrap();
        onward.write_all(close.as_bytes()).unwrap();
        let mut answer = Vec::new();
        onward.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        if n % 2 == 1 {
            let _ = stream.write_all(&answer);
        }
    });
    url
}
