//! Where a tool wants to go, and which addresses it reaches there.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use crate::capability::NamedBy;

/// The longest name that there is (RFC 1035).
const MOST_NAME: usize = 253;

/// A host and a port of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// A name in lower case without a dot at its end, or an address without brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

impl Destination {
    /// Reads `host:port`, or `host` where a port goes without saying.
    pub(super) fn parse(authority: &str, usual: Option<u16>) -> Option<Self> {
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                (address, port.strip_prefix(':'))
            }
            None => authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                port.parse().ok().filter(|port| *port > 0)?
            }
            Some(_) => return None,
            None => usual?,
        };
        let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        (!host.is_empty() && host.len() <= MOST_NAME && host.bytes().all(is_name)).then_some(Self { host, port })
    }

    /// As in a request: without a port that is the default over http.
    pub(super) fn as_authority(&self) -> String {
        match self.port {
            80 => self.bracketed(),
            _ => self.to_string(),
        }
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.bracketed(), self.port)
    }
}

/// Tells whether a tool reaches an address at which a host was found. A DNS server may answer with an address of this
/// machine, or of a service next to it that gives out credentials: these are reached only by their address. A pattern,
/// which names unknown hosts, leads to no private network either.
pub(super) fn is_reachable(address: IpAddr, by: NamedBy) -> bool {
    let address = within(address);
    match by {
        NamedBy::Address => true,
        NamedBy::Name => !is_of_this_machine(address) && !is_own(address),
        NamedBy::Pattern => !is_of_this_machine(address) && !is_private(address) && !is_own(address),
    }
}

/// All addresses of a name are ones that it may not lead to.
#[derive(Debug, thiserror::Error)]
#[error(
    "its addresses are those of this machine, of a cloud's credentials, or for a pattern of a private network: name the address itself"
)]
pub(super) struct NotReached;

/// Tells whether an address is one of this machine's interfaces: only these can be bound to. Nothing is sent.
fn is_own(address: IpAddr) -> bool {
    UdpSocket::bind((address, 0)).is_ok()
}

/// The address that is embedded in another one.
fn within(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        // NAT64 (RFC 6052).
        IpAddr::V6(six) if six.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0] => {
            let [.., a, b, c, d] = six.octets();
            Ipv4Addr::new(a, b, c, d).into()
        }
        address => address,
    }
}

/// Where clouds answer their machines with credentials, besides 169.254.169.254.
const OF_CLOUDS: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

fn is_of_this_machine(address: IpAddr) -> bool {
    let is_nowhere = address.is_unspecified() || address.is_loopback() || address.is_multicast();
    is_nowhere
        || OF_CLOUDS.contains(&address)
        || match address {
            IpAddr::V4(four) => four.is_link_local() || four.is_broadcast() || four.octets()[0] == 0,
            IpAddr::V6(six) => six.is_unicast_link_local(),
        }
}

fn is_private(address: IpAddr) -> bool {
    match address {
        // The last is shared by the customers of one provider (RFC 6598).
        IpAddr::V4(four) => {
            four.is_private()
                || (four.octets()[0] == 100 && four.octets()[1] & 0xc0 == 64)
                || four.octets()[..3] == [192, 0, 0]
        }
        IpAddr::V6(six) => six.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_name_leads_neither_to_this_machine_nor_a_pattern_to_its_network() {
        for (address, by_name, by_pattern) in [
            ("93.184.216.34", true, true),
            ("2606:2800:220:1:248:1893:25c8:1946", true, true),
            ("10.0.0.1", true, false),
            ("172.16.0.1", true, false),
            ("192.168.1.1", true, false),
            ("100.64.0.1", true, false),
            ("fd00::1", true, false),
            ("192.0.0.8", true, false),
            ("100.100.100.200", false, false),
            ("fd00:ec2::254", false, false),
            ("127.0.0.1", false, false),
            ("127.8.0.1", false, false),
            ("0.0.0.0", false, false),
            ("0.1.2.3", false, false),
            ("169.254.169.254", false, false),
            ("255.255.255.255", false, false),
            ("224.0.0.1", false, false),
            ("::1", false, false),
            ("::", false, false),
            ("fe80::1", false, false),
            ("::ffff:127.0.0.1", false, false),
            ("::ffff:10.0.0.1", true, false),
            ("64:ff9b::a9fe:a9fe", false, false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            assert_eq!(is_reachable(address, NamedBy::Name), by_name, "{address}");
            assert_eq!(is_reachable(address, NamedBy::Pattern), by_pattern, "{address}");
            assert!(is_reachable(address, NamedBy::Address));
        }
    }
}
