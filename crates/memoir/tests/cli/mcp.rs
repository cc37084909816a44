//! `memoir mcp`: real processes that speak JSON-RPC on their standard input and output, and the same over HTTP.

mod http;
mod registering;
mod stdio;
mod tools;

use crate::process::Running;
use crate::support::Home;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

/// A client of `memoir mcp`.
pub struct Client {
    running: Running,
    next: u64,
    /// What each request carries in its `_meta`.
    pub meta: Value,
}

impl Client {
    /// Starts the server and introduces itself.
    pub fn start(command: Command, name: &str) -> Client {
        Client::able(command, name, json!({}))
    }

    /// The same, of a client that can do these things.
    pub fn able(command: Command, name: &str, capabilities: Value) -> Client {
        let mut client = Client::silent(command);
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": name, "version": "1"},
        });
        let answer = client.ask("initialize", params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "memoir", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// Starts the server and says nothing.
    pub fn silent(command: Command) -> Client {
        Client { running: Running::start(command), next: 0, meta: json!({}) }
    }

    /// Writes one line.
    pub fn send(&mut self, line: &str) -> bool {
        self.running.write(format!("{line}\n"))
    }

    /// Asks and waits for the answer to that.
    pub fn ask(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".to_owned(), self.meta.clone());
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        self.answer(&json!(id))
    }

    /// Waits for the answer to a request of that id.
    pub fn answer(&self, id: &Value) -> Value {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            for line in self.running.out_so_far().lines() {
                let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                if message["id"] == *id {
                    return message;
                }
            }
            assert!(Instant::now() < deadline, "no answer to {id}: {}", self.running.out_so_far());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the server has asked something for the so manieth time, and gives the last question.
    pub fn asked(&self, method: &str, times: usize) -> Value {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let said = self.running.out_so_far();
            let messages = said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            let asked: Vec<Value> = messages.filter(|message| message["method"] == method).collect();
            if asked.len() == times {
                return asked.last().unwrap().clone();
            }
            assert!(asked.len() < times && Instant::now() < deadline, "{method}: {said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// How often the server has asked something so far.
    pub fn times_asked(&self, method: &str) -> usize {
        let said = self.running.out_so_far();
        let is_of_method =
            |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|message| message["method"] == method);
        said.lines().filter(is_of_method).count()
    }

    /// Calls a tool and gives its result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert!(answer["result"]["content"].is_array(), "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed, and gives its text.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        text_of(&result)
    }

    /// Calls a tool that must refuse, and gives what it says.
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        text_of(&result)
    }

    pub fn running(&mut self) -> &mut Running {
        &mut self.running
    }

    /// Closes the input and waits for the end.
    pub fn leave(mut self) -> crate::support::Ran {
        self.running.close_input();
        self.running.finish()
    }
}

/// A client in that home.
pub fn client(home: &Home) -> Client {
    Client::start(home.command(&["mcp"]), "tester")
}

/// The text of a tool's result.
pub fn text_of(result: &Value) -> String {
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

/// A turn of a session at a time.
pub fn said(session: &str, at: &str, text: &str) -> Value {
    json!({"session_id": session, "event_type": "user_message", "content": text, "timestamp": at, "source": "codex"})
}

/// The first id that stands in a text.
pub fn id_in(text: &str) -> String {
    let is_id = |word: &&str| word.len() == 24 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(is_id).unwrap_or_else(|| panic!("no id in {text}")).to_owned()
}
