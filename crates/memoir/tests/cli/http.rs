//! A client for the tests: one request, one answer, no proxy, no retry.

use crate::support::Server;
use serde_json::Value;
use std::time::Duration;

pub struct Answer {
    pub status: u16,
    pub request_id: String,
    pub body: Value,
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .proxy(None)
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(30)))
        .build()
        .into()
}

fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Answer, ureq::Error> {
    let mut response = response?;
    let status = response.status().as_u16();
    let request_id = response.headers().get("x-request-id").map_or("", |id| id.to_str().unwrap()).to_owned();
    let text = response.body_mut().read_to_string()?;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(Answer { status, request_id, body })
}

pub fn get(server: &Server, path: &str, key: Option<&str>) -> Answer {
    let mut request = agent().get(format!("{}{path}", server.url())).header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    answer(request.call()).unwrap()
}

pub fn post(server: &Server, path: &str, key: Option<&str>, body: &Value) -> Answer {
    try_post(&server.url(), path, key, body).unwrap()
}

/// For servers that may be gone at any moment.
pub fn try_post(url: &str, path: &str, key: Option<&str>, body: &Value) -> Result<Answer, ureq::Error> {
    let mut request = agent()
        .post(format!("{url}{path}"))
        .header("content-type", "application/json")
        .header("accept", "application/json");
    if let Some(key) = key {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    answer(request.send(body.to_string()))
}
