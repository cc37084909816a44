//! Asks a server and the spool how they are, as data for whoever shows it.

use crate::accept::whole_sentence;
use crate::client::{Answer, Client, Sent, explain};
use crate::deliver::clean_reason;
use crate::names::Names;
use crate::spool::{Spool, SpoolListing};
use crate::wire::{Destination, ErrorBody, RecallAnswer, RecallRequest, Sender, encode};
use memoir_event::{Content, Event, Json, Kind, Source, Time, Visibility};
use memoir_redact::Redactor;
use serde_json::{Value, json};

const START: &str = "start it with `memoir serve`, or correct --server-url";
const KEY: &str = "set MEMOIR_SERVER_API_KEY to a key the server knows";

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is in order.
    pub ok: bool,
    /// What was found, redacted.
    pub detail: String,
    /// What to do about it, if it is not in order.
    pub fix: Option<String>,
}

impl Check {
    fn good(name: &'static str, detail: impl Into<String>) -> Check {
        Check { name, ok: true, detail: detail.into(), fix: None }
    }

    fn bad(name: &'static str, detail: impl Into<String>, fix: &str) -> Check {
        Check { name, ok: false, detail: detail.into(), fix: Some(fix.to_owned()) }
    }
}

/// How to find out whether records would be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestProbe {
    /// By sending one, as scratch material.
    Write,
    /// By asking for nothing, which needs a key just the same and writes nothing.
    AuthOnly,
}

/// Everything a recorder needs: server up, server ready, spool writable, records taken.
pub fn check_remote(
    client: &Client,
    spool: &Spool,
    names: &Names,
    redactor: &Redactor,
    probe: IngestProbe,
) -> Vec<Check> {
    let doctor = Doctor { client, redactor, names };
    let mut checks = vec![doctor.status("health", "/health"), doctor.status("readiness", "/readiness")];
    checks.push(check_spool(spool));
    match probe {
        IngestProbe::Write => checks.push(doctor.write()),
        IngestProbe::AuthOnly => {
            checks.push(doctor.auth());
            checks.push(Check::good("raw_ingest", "skipped by --skip-raw-ingest-probe"));
        }
    }
    checks
}

/// Whether the spool can be written, and what waits in it.
pub fn check_spool(spool: &Spool) -> Check {
    if let Err(error) = spool.probe() {
        return Check::bad("spool", whole_sentence(&error), "make it private and writable, or choose another");
    }
    let dir = spool.dir().display();
    match SpoolListing::read(spool.dir()) {
        Err(error) => Check::bad("spool", whole_sentence(&error), "check the directory's permissions"),
        Ok(held) if held.quarantined > 0 => Check::bad(
            "spool",
            format!("{} records wait and {} files are set aside in {dir}", held.records, held.quarantined),
            "look at the `.bad-` files there, then delete them",
        ),
        Ok(held) if held.records > 0 => Check::good(
            "spool",
            format!("writable at {dir}; {} records wait, `memoir spool flush` delivers them", held.records),
        ),
        Ok(_) => Check::good("spool", format!("writable at {dir}")),
    }
}

struct Doctor<'a> {
    client: &'a Client,
    redactor: &'a Redactor,
    names: &'a Names,
}

impl Doctor<'_> {
    fn status(&self, name: &'static str, path: &str) -> Check {
        match self.client.get(path) {
            Err(reason) => Check::bad(name, self.unreachable(&reason), START),
            Ok(answer) if (200..300).contains(&answer.status) => match serde_json::from_str::<Value>(&answer.body) {
                Ok(body) => Check::good(name, self.clean(&format!("server returned {body}"))),
                Err(_) => Check::bad(name, "the answer is not JSON", "point --server-url at a memoir server"),
            },
            Ok(answer) if answer.status == 404 => {
                Check::bad(name, self.clean(&explain(&answer, None)), "point --server-url at a memoir server")
            }
            Ok(answer) => Check::bad(name, self.clean(&explain(&answer, None)), "look into the server's log"),
        }
    }

    /// Sends one record that nobody is shown unless he asks for scratch material.
    fn write(&self) -> Check {
        let name = "raw_ingest";
        let session = format!("recorder-doctor-{}", self.names.uuid());
        let mut event =
            Event::new(Source::Recorder, &session, Kind::SessionSummary, Content::Text("memoir doctor probe".into()));
        event.visibility = Visibility::PrivateScratch;
        event.adapter = Some("doctor".to_owned());
        event.time = Some(Time::from_ms(self.names.now_ms()));
        event.metadata = Some(Json::from_value(&json!({"doctor_probe": true})));
        let record = encode(&event, Sender { cwd: None, to: Destination::Server }, Some(&self.names.uuid()));
        match self.client.send(&[record], None) {
            Sent::Stored => Check::good(name, "accepted 1 record"),
            Sent::Denied { reason } => Check::bad("auth", self.clean(&reason), KEY),
            Sent::Later { reason, .. } if reason.starts_with("HTTP 429") => {
                Check::bad(name, self.clean(&reason), "wait a moment, or raise the server's rate limit")
            }
            Sent::Later { reason, .. } => Check::bad(name, self.unreachable(&reason), START),
            Sent::Misdirected { reason } => {
                Check::bad(name, self.clean(&reason), "point --server-url at a memoir server")
            }
            Sent::Refused(why) => Check::bad(name, self.clean(&why.reason), "update the older of server and recorder"),
        }
    }

    /// Asks for no records at all.
    fn auth(&self) -> Check {
        let name = "auth";
        let request = RecallRequest {
            limit: 0,
            session_id: Some(format!("recorder-doctor-auth-probe-{}", self.names.uuid())),
            ..RecallRequest::default()
        };
        let body = serde_json::to_vec(&request).unwrap_or_default();
        let answer = match self.client.post("/v1/recall/raw", &body, None) {
            Ok(answer) => answer,
            Err(reason) => return Check::bad(name, self.unreachable(&reason), START),
        };
        match answer.status {
            200..=299 if serde_json::from_str::<RecallAnswer>(&answer.body).is_ok() => {
                Check::good(name, "auth-protected raw recall probe accepted")
            }
            200..=299 => Check::bad(name, "the answer is no recall", "point --server-url at a memoir server"),
            401 | 403 => Check::bad(name, self.said(&answer), KEY),
            429 => Check::bad(name, self.said(&answer), "wait a moment, or raise the server's rate limit"),
            500..=599 => Check::bad(name, self.said(&answer), "look into the server's log"),
            _ => Check::bad(name, self.said(&answer), "point --server-url at a memoir server"),
        }
    }

    fn said(&self, answer: &Answer) -> String {
        let body = serde_json::from_str::<ErrorBody>(&answer.body).ok();
        self.clean(&explain(answer, body.as_ref()))
    }

    fn unreachable(&self, reason: &str) -> String {
        self.clean(&format!("{}: {reason}", self.client.url()))
    }

    fn clean(&self, text: &str) -> String {
        clean_reason(text, self.redactor)
    }
}
