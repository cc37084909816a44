//! Whose process is at the other end of a loopback connection. A port, unlike a file, has no permissions: where no key
//! is set, this is what keeps other users of the machine away from the journal.

use std::net::{IpAddr, SocketAddr};

/// Who a caller without a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The user who runs the server, or root, who can read the journal anyway.
    Ours,
    /// Another user.
    Other,
    /// This system does not tell.
    Unknown,
}

/// The owner of the process at `peer`, which is connected to `local` here. Who is gone already is nobody of ours.
#[cfg(target_os = "linux")]
pub(crate) fn owner_of(peer: SocketAddr, local: SocketAddr) -> Owner {
    let me = rustix::process::geteuid().as_raw();
    let in_file = |table: &str, peer, local| uid_in(&std::fs::read_to_string(table).ok()?, peer, local);
    let uid = match (peer.ip(), local.ip()) {
        // A client may speak IPv4 through a socket of IPv6.
        (IpAddr::V4(theirs), IpAddr::V4(ours)) => in_file("/proc/self/net/tcp", peer, local).or_else(|| {
            let mapped = |ip: std::net::Ipv4Addr, port| SocketAddr::new(ip.to_ipv6_mapped().into(), port);
            in_file("/proc/self/net/tcp6", mapped(theirs, peer.port()), mapped(ours, local.port()))
        }),
        _ => in_file("/proc/self/net/tcp6", peer, local),
    };
    match uid {
        Some(uid) if uid == me || uid == 0 => Owner::Ours,
        _ => Owner::Other,
    }
}

/// The owner of the process at `peer`.
#[cfg(not(target_os = "linux"))]
pub(crate) fn owner_of(_peer: SocketAddr, _local: SocketAddr) -> Owner {
    Owner::Unknown
}

/// The user of the socket that is bound to `peer` and connected to `local`, in the system's table of sockets. A socket
/// that nobody holds any more stands there as root's, without an inode.
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only Linux has such a table"))]
fn uid_in(table: &str, peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    let (theirs, ours) = (in_table(peer), in_table(local));
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let found = fields.next()? == theirs && fields.next()? == ours;
        let (uid, inode) = (fields.nth(4)?, fields.nth(1)?);
        (found && inode != "0").then(|| uid.parse().ok()).flatten()
    })
}

/// An address as the table writes it: each word of the address in the machine's own byte order.
fn in_table(address: SocketAddr) -> String {
    let word = |bytes: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(bytes));
    let ip = match address.ip() {
        IpAddr::V4(ip) => word(ip.octets()),
        IpAddr::V6(ip) => {
            let octets = ip.octets();
            octets.chunks_exact(4).filter_map(|part| part.try_into().ok()).map(word).collect()
        }
    };
    format!("{ip}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_endian = "little")]
    #[test]
    fn the_owner_stands_in_the_line_of_the_other_end() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
               0: 0100007F:20E4 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 1\n\
               1: 0100007F:C350 0100007F:20E4 01 00000000:00000000 00:00000000 00000000 65534        0 2\n\
               2: 0100007F:C352 0100007F:20E4 05 00000000:00000000 00:00000000 00000000     0        0 0\n";
        let (peer, local) = ("127.0.0.1:50000".parse().unwrap(), "127.0.0.1:8420".parse().unwrap());
        assert_eq!(uid_in(table, peer, local), Some(65534));
        assert_eq!(uid_in(table, "127.0.0.1:50001".parse().unwrap(), local), None);
        assert_eq!(uid_in(table, "127.0.0.1:50002".parse().unwrap(), local), None, "its process is gone");
        assert_eq!(in_table("[::1]:8420".parse().unwrap()), "00000000000000000000000001000000:20E4");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn our_own_connection_is_ours() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = std::net::TcpListener::bind(address) else { continue };
            let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (_accepted, peer) = listener.accept().unwrap();
            assert_eq!(owner_of(peer, stream.peer_addr().unwrap()), Owner::Ours);
            let local = stream.peer_addr().unwrap();
            drop(stream);
            assert_eq!(owner_of(peer, local), Owner::Other, "whoever it was is gone");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn who_speaks_ipv4_through_a_socket_of_ipv6_is_known() {
        use rustix::net::{AddressFamily, SocketType, connect, socket};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let Ok(client) = socket(AddressFamily::INET6, SocketType::STREAM, None) else { return };
        let mapped = std::net::Ipv4Addr::LOCALHOST.to_ipv6_mapped();
        connect(&client, &SocketAddr::new(mapped.into(), local.port())).unwrap();
        let (_accepted, peer) = listener.accept().unwrap();
        assert_eq!(owner_of(peer, local), Owner::Ours);
    }
}
