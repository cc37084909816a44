//! How a server is set up: where it listens, whom it lets in, and the limit of everything it takes.

use crate::auth::ApiKey;
use memoir_recall::Blocked;
use memoir_record::Policy;
use memoir_session::CommitRules;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// The largest body, as clients of the raw journal expect it.
pub const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Whom the rate limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatedClients {
    /// Clients on other machines.
    Remote,
    /// Every client, also those on this machine.
    All,
}

/// A token bucket for each client address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How fast the bucket fills.
    pub requests_per_second: u32,
    /// How much it holds.
    pub burst: u32,
    /// Whom it counts.
    pub clients: RatedClients,
}

impl Default for Rate {
    fn default() -> Rate {
        Rate { requests_per_second: 100, burst: 50, clients: RatedClients::Remote }
    }
}

/// How a server is set up.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// The address or name to listen on.
    pub host: String,
    /// The port; 0 lets the system choose one.
    pub port: u16,
    /// The keys that are let in; with none, only a loopback address may be listened on.
    pub keys: Vec<ApiKey>,
    /// Further names under which clients may reach this server, with or without a port.
    pub allowed_hosts: Vec<String>,
    /// The largest request body.
    pub body_bytes_max: usize,
    /// The bodies that may be in memory at once, all together.
    pub bodies_bytes_max: usize,
    /// The largest answer; a page that would be longer ends early and says where to go on.
    pub answer_bytes_max: usize,
    /// What is not to be recorded of conversations that plugins tell.
    pub policy: Policy,
    /// When a session is taken for ended.
    pub commit_rules: CommitRules,
    /// The most records in a batch.
    pub records_max: usize,
    /// The most events on a page.
    pub page_max: usize,
    /// The rate limit; none turns it off.
    pub rate: Option<Rate>,
    /// What no reader gets.
    pub blocked: Blocked,
    /// The most connections; further ones wait to be accepted.
    pub connections_max: usize,
    /// The most requests at once; further ones are told to come again.
    pub requests_max: usize,
    /// How many blocking threads may work on the journal, half of them for writing.
    pub blocking_threads: usize,
    /// How long a client may take to send a request's head, and how long a connection may idle.
    pub head_timeout: Duration,
    /// How long a client may take to send a body.
    pub body_timeout: Duration,
    /// How long requests in flight may take once the server is told to stop.
    pub shutdown_grace: Duration,
}

impl Default for ServerSettings {
    fn default() -> ServerSettings {
        ServerSettings {
            host: "127.0.0.1".to_owned(),
            port: 8420,
            keys: Vec::new(),
            allowed_hosts: Vec::new(),
            body_bytes_max: BODY_BYTES_MAX,
            bodies_bytes_max: 2 * BODY_BYTES_MAX,
            answer_bytes_max: 16 * 1024 * 1024,
            policy: Policy::default(),
            commit_rules: CommitRules::default(),
            records_max: 10_000,
            page_max: 1_000,
            rate: Some(Rate::default()),
            blocked: Blocked::default(),
            connections_max: 512,
            requests_max: 64,
            blocking_threads: 4,
            head_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(60),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

/// Why a server did not start or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The name to listen on has no address.
    #[error("cannot find an address for `{host}`: {reason}")]
    Resolve {
        /// The name.
        host: String,
        /// What the system says.
        reason: String,
    },
    /// Others could reach the server and nothing would stop them.
    #[error("listening on {address} lets other machines in, so it needs a key: set one, or listen on 127.0.0.1")]
    KeyNeeded {
        /// The address.
        address: IpAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {reason}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        reason: String,
    },
    /// A setting that cannot work.
    #[error("`{setting}` must be at least {least}")]
    TooSmall {
        /// Its name.
        setting: &'static str,
        /// The least it can be.
        least: usize,
    },
}

impl ServerSettings {
    /// Refuses what cannot work.
    pub(crate) fn check(&self) -> Result<(), ServerError> {
        let least = [
            ("body_bytes_max", self.body_bytes_max, 1),
            ("bodies_bytes_max", self.bodies_bytes_max, self.body_bytes_max),
            ("answer_bytes_max", self.answer_bytes_max, 1),
            ("records_max", self.records_max, 1),
            ("page_max", self.page_max, 1),
            ("connections_max", self.connections_max, 1),
            ("requests_max", self.requests_max, 1),
            ("blocking_threads", self.blocking_threads, 2),
        ];
        let rate = self.rate.map_or(1, |rate| rate.requests_per_second.min(rate.burst));
        if rate == 0 {
            return Err(ServerError::TooSmall { setting: "rate", least: 1 });
        }
        least.into_iter().try_for_each(|(setting, value, least)| {
            if value < least { Err(ServerError::TooSmall { setting, least }) } else { Ok(()) }
        })
    }

    /// Refuses an address that other machines reach while no key keeps them out.
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), ServerError> {
        if self.keys.is_empty() && !address.to_canonical().is_loopback() {
            return Err(ServerError::KeyNeeded { address });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_loopback_address_is_open_without_a_key() {
        let open = ServerSettings::default();
        for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            assert!(open.check_address(address.parse().unwrap()).is_ok(), "{address}");
        }
        for address in ["0.0.0.0", "::", "192.168.1.4", "::ffff:10.0.0.1"] {
            let error = open.check_address(address.parse().unwrap()).unwrap_err().to_string();
            assert!(error.contains("needs a key") && !error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_setting_that_cannot_work_is_named() {
        let settings = ServerSettings { blocking_threads: 0, ..ServerSettings::default() };
        assert_eq!(settings.check().unwrap_err().to_string(), "`blocking_threads` must be at least 2");
        let rate = Some(Rate { burst: 0, ..Rate::default() });
        assert!(ServerSettings { rate, ..ServerSettings::default() }.check().is_err());
        assert!(ServerSettings::default().check().is_ok());
    }
}
