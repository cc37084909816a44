//! The rate limit: a token bucket for each client address.

use crate::settings::{Rate, RatedClients};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The most addresses that are remembered; beyond it, whoever has waited longest is forgotten.
const ADDRESSES_MAX: usize = 4096;

pub(crate) struct RateLimit {
    rate: Rate,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

struct Bucket {
    tokens: f64,
    at: Instant,
}

impl RateLimit {
    pub(crate) fn new(rate: Rate) -> RateLimit {
        RateLimit { rate, buckets: Mutex::new(HashMap::new()) }
    }

    /// Takes a token of that client; if there is none, says how long to wait for one.
    pub(crate) fn take(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        let client = client.to_canonical();
        if self.rate.clients == RatedClients::Remote && client.is_loopback() {
            return Ok(());
        }
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= ADDRESSES_MAX && !buckets.contains_key(&network(client)) {
            self.make_room(&mut buckets, now);
        }
        let burst = f64::from(self.rate.burst);
        let bucket = buckets.entry(network(client)).or_insert(Bucket { tokens: burst, at: now });
        bucket.tokens = self.filled(bucket, now);
        bucket.at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.tokens) / f64::from(self.rate.requests_per_second)))
    }

    fn filled(&self, bucket: &Bucket, now: Instant) -> f64 {
        let grown = now.saturating_duration_since(bucket.at).as_secs_f64() * f64::from(self.rate.requests_per_second);
        (bucket.tokens + grown).min(f64::from(self.rate.burst))
    }

    /// Forgets whose bucket is full again: nothing is lost by it. If all are in use, forgets the oldest.
    fn make_room(&self, buckets: &mut HashMap<IpAddr, Bucket>, now: Instant) {
        buckets.retain(|_, bucket| self.filled(bucket, now) < f64::from(self.rate.burst));
        if buckets.len() >= ADDRESSES_MAX
            && let Some(oldest) = buckets.iter().min_by_key(|(_, bucket)| bucket.at).map(|(client, _)| *client)
        {
            buckets.remove(&oldest);
        }
    }
}

/// One client of IPv6 has a whole /64.
fn network(client: IpAddr) -> IpAddr {
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(clients: RatedClients) -> RateLimit {
        RateLimit::new(Rate { requests_per_second: 2, burst: 3, clients })
    }

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let limit = limit(RatedClients::All);
        let (client, start) = ("10.0.0.1".parse().unwrap(), Instant::now());
        assert!((0..3).all(|_| limit.take(client, start).is_ok()));
        assert_eq!(limit.take(client, start), Err(Duration::from_millis(500)));
        assert!(limit.take("10.0.0.2".parse().unwrap(), start).is_ok());
        assert!(limit.take(client, start + Duration::from_millis(500)).is_ok());
        assert!(limit.take(client, start + Duration::from_millis(501)).is_err());
    }

    #[test]
    fn this_machine_is_not_counted_unless_asked_for() {
        let local: IpAddr = "::ffff:127.0.0.1".parse().unwrap();
        let remote_only = limit(RatedClients::Remote);
        assert!((0..9).all(|_| remote_only.take(local, Instant::now()).is_ok()));
        let all = limit(RatedClients::All);
        assert!((0..9).any(|_| all.take(local, Instant::now()).is_err()));
    }

    #[test]
    fn addresses_of_one_network_share_a_bucket_and_the_number_of_buckets_is_bounded() {
        let limit = limit(RatedClients::All);
        let now = Instant::now();
        let in_network = |n: u128| IpAddr::V6(Ipv6Addr::from_bits(0x2001 << 112 | n));
        assert!((0..3).all(|n| limit.take(in_network(n), now).is_ok()));
        assert!(limit.take(in_network(9), now).is_err());
        for n in 0..2 * ADDRESSES_MAX as u128 {
            let _ = limit.take(in_network(n << 64), now);
        }
        assert!(limit.buckets.lock().unwrap().len() <= ADDRESSES_MAX);
    }
}
