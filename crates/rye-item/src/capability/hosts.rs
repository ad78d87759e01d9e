//! Which hosts a tool in the sandbox may reach.

use core::net::{IpAddr, Ipv6Addr};
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The ports that a rule without one means: https and http.
const USUAL_PORTS: [u16; 2] = [443, 80];

/// The longest name that there is.
const LONGEST: usize = 253;

/// A host, or all below a domain, with the port that may be reached there.
///
/// `api.example.org` (ports 443 and 80), `api.example.org:8443`, `*.example.org` (not `example.org` itself), `127.0.0.1:5432`, `[::1]:80`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostRule {
    host: Named,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Named {
    Host(String),
    Below(String),
    Address(IpAddr),
}

/// How a rule names the host that it lets be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamedBy {
    /// By a pattern.
    Pattern,
    /// By its name.
    Name,
    /// By its address, or as this machine: `localhost`.
    Address,
}

/// A text that is not a rule of hosts.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` names no host: {reason}")]
pub struct HostRuleError {
    /// The text as given.
    pub text: String,
    /// The fault.
    pub reason: &'static str,
}

impl HostRule {
    /// Tells how this rule names the host at a port; `None` if it does not. `host` is a name or an address, in lower case.
    #[must_use]
    pub fn names(&self, host: &str, port: u16) -> Option<NamedBy> {
        let is_port = self.port.map_or_else(|| USUAL_PORTS.contains(&port), |own| own == port);
        if !is_port {
            return None;
        }
        match &self.host {
            Named::Host(name) if name == host && name == "localhost" => Some(NamedBy::Address),
            Named::Host(name) => (name == host).then_some(NamedBy::Name),
            Named::Below(domain) => {
                let before = host.strip_suffix(domain.as_str())?.strip_suffix('.')?;
                (!before.is_empty() && host.parse::<IpAddr>().is_err()).then_some(NamedBy::Pattern)
            }
            Named::Address(own) => (host.parse() == Ok(*own)).then_some(NamedBy::Address),
        }
    }
}

impl HostRule {
    /// Tells whether this rule names every host that another one does, at every port.
    #[must_use]
    pub fn includes(&self, other: &Self) -> bool {
        let is_host = match (&self.host, &other.host) {
            (Named::Below(domain), Named::Host(name)) => {
                name.strip_suffix(domain.as_str()).is_some_and(|before| before.len() > 1 && before.ends_with('.'))
            }
            (Named::Below(wide), Named::Below(domain)) => {
                wide == domain || domain.strip_suffix(wide.as_str()).is_some_and(|before| before.ends_with('.'))
            }
            (own, other) => own == other,
        };
        let is_port = match (self.port, other.port) {
            (None, None) => true,
            (None, Some(port)) => USUAL_PORTS.contains(&port),
            (Some(own), port) => Some(own) == port,
        };
        is_host && is_port
    }
}

/// Which hosts a tool may reach: those that all rules of one of these grants name. A grant has layers, of which every one must name a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules {
    grants: Vec<Vec<Vec<HostRule>>>,
}

impl HostRules {
    /// Adds a grant. One without a layer, or with a layer that names nothing, grants nothing.
    #[must_use]
    pub fn or(mut self, layers: Vec<Vec<HostRule>>) -> Self {
        if !layers.is_empty() && layers.iter().all(|layer| !layer.is_empty()) {
            self.grants.push(layers);
        }
        self
    }

    /// Tells whether no host at all is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// Tells how a host is named at a port: of the layers of a grant the vaguest counts, of the grants the most exact.
    #[must_use]
    pub fn names(&self, host: &str, port: u16) -> Option<NamedBy> {
        let best = |layer: &Vec<HostRule>| layer.iter().filter_map(|rule| rule.names(host, port)).max();
        self.grants.iter().filter_map(|layers| layers.iter().map(best).min().flatten()).max()
    }
}

/// The rules of the last layers, which are the nearest.
impl fmt::Display for HostRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.grants.iter().filter_map(|layers| layers.last()).flatten();
        let rules: Vec<String> = rules.map(|rule| format!("`{rule}`")).collect();
        f.write_str(&rules.join(", "))
    }
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(text: &str) -> Result<Self, HostRuleError> {
        let refuse = |reason| HostRuleError { text: text.chars().take(80).collect(), reason };
        if text.contains("://") || text.contains('/') {
            return Err(refuse("write the host alone, without `https://` and path"));
        }
        let (host, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((address, rest)) => {
                let address: Ipv6Addr = address.parse().map_err(|_| refuse("an address in brackets must be IPv6"))?;
                let port = (!rest.is_empty()).then(|| rest.strip_prefix(':').unwrap_or("no port"));
                (Named::Address(address.into()), port)
            }
            None if text.matches(':').count() > 1 => return Err(refuse("write an IPv6 address in brackets")),
            None => {
                let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
                (named(host).map_err(refuse)?, port)
            }
        };
        let port = port.map(|port| {
            Some(port)
                .filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
                .and_then(|port| port.parse().ok())
                .filter(|port| *port > 0)
                .ok_or_else(|| refuse("a port is a number from 1 to 65535"))
        });
        Ok(Self { host, port: port.transpose()? })
    }
}

fn named(host: &str) -> Result<Named, &'static str> {
    if host == "*" {
        return Err("all hosts at once cannot be named; write a domain such as `*.example.org`");
    }
    if let Ok(address) = host.parse() {
        return Ok(Named::Address(address));
    }
    let host = host.to_ascii_lowercase();
    let (name, below) = host.strip_prefix("*.").map_or((host.as_str(), false), |domain| (domain, true));
    let is_label = |label: &str| {
        let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(is_of_a_name)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if name.len() > LONGEST || !name.split('.').all(is_label) {
        return Err(
            "a name has letters, digits and hyphens between dots; another alphabet is written in its `xn--` form",
        );
    }
    // A text that only looks like an address would be taken for one elsewhere.
    if name
        .rsplit('.')
        .next()
        .is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x"))
    {
        return Err("an address has four numbers from 0 to 255");
    }
    match below {
        true if !name.contains('.') => Err("a pattern needs a domain of two names or more, such as `*.example.org`"),
        true => Ok(Named::Below(name.to_owned())),
        false => Ok(Named::Host(name.to_owned())),
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Named::Host(name) => f.write_str(name)?,
            Named::Below(domain) => write!(f, "*.{domain}")?,
            Named::Address(IpAddr::V6(address)) => write!(f, "[{address}]")?,
            Named::Address(address) => write!(f, "{address}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

crate::id::serde_as_text!(HostRule);

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn named(rule: &str, host: &str, port: u16) -> Option<NamedBy> {
        rule.parse::<HostRule>().unwrap().names(host, port)
    }

    #[test]
    fn a_rule_names_its_host_at_its_ports() {
        for (rule, host, port, by) in [
            ("api.example.org", "api.example.org", 443, Some(NamedBy::Name)),
            ("API.Example.ORG", "api.example.org", 80, Some(NamedBy::Name)),
            ("api.example.org", "api.example.org", 8443, None),
            ("api.example.org:8443", "api.example.org", 8443, Some(NamedBy::Name)),
            ("api.example.org:8443", "api.example.org", 443, None),
            ("api.example.org", "xapi.example.org", 443, None),
            ("api.example.org", "api.example.org.evil.net", 443, None),
            ("*.example.org", "a.b.example.org", 443, Some(NamedBy::Pattern)),
            ("*.example.org", "example.org", 443, None),
            ("*.example.org", "evilexample.org", 443, None),
            ("*.example.org", ".example.org", 443, None),
            ("localhost:8000", "localhost", 8000, Some(NamedBy::Address)),
            ("127.0.0.1:5432", "127.0.0.1", 5432, Some(NamedBy::Address)),
            ("127.0.0.1:5432", "localhost", 5432, None),
            ("[::1]:80", "::1", 80, Some(NamedBy::Address)),
            ("[::1]", "0:0:0:0:0:0:0:1", 443, Some(NamedBy::Address)),
        ] {
            assert_eq!(named(rule, host, port), by, "{rule} {host}:{port}");
        }
    }

    #[test]
    fn what_names_no_host_is_refused() {
        for text in [
            "",
            "*",
            "*.org",
            "*.*.example.org",
            "a.*.org",
            "https://example.org",
            "example.org/x",
            "example.org:0",
            "example.org:https",
            "example.org:",
            "example.org:+80",
            "::1",
            "[::1",
            "[::1]80",
            "[example.org]",
            "-a.org",
            "a..org",
            "a.org.",
            "ü.org",
            "1.2.3",
            "127.1",
            "0x7f.0x1",
            "a b",
            "user@example.org",
        ] {
            assert!(text.parse::<HostRule>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_rule_includes_those_that_name_less() {
        let includes = |wide: &str, narrow: &str| wide.parse::<HostRule>().unwrap().includes(&narrow.parse().unwrap());
        for (wide, narrow) in
            [("a.org", "a.org"), ("a.org", "a.org:443"), ("*.a.org", "b.a.org"), ("*.a.org", "*.b.a.org:80")]
        {
            assert!(includes(wide, narrow), "{wide} {narrow}");
            assert_eq!(includes(narrow, wide), wide == narrow, "{narrow} {wide}");
        }
        for (one, other) in
            [("*.a.org", "a.org"), ("a.org:1", "a.org:2"), ("*.a.org", "ba.org"), ("1.2.3.4", "1.2.3.5")]
        {
            assert!(!includes(one, other), "{one} {other}");
        }
    }

    #[test]
    fn a_rule_is_printed_as_it_is_read() {
        for text in ["api.example.org", "*.example.org:8443", "127.0.0.1", "[::1]:80"] {
            assert_eq!(text.parse::<HostRule>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn every_layer_must_name_a_host() {
        let layer = |rules: &[&str]| rules.iter().map(|rule| rule.parse().unwrap()).collect::<Vec<HostRule>>();
        let (wide, narrow) = (layer(&["*.example.org", "b.net"]), layer(&["a.example.org"]));
        let names = |layers: &[Vec<HostRule>], host: &str| HostRules::default().or(layers.to_vec()).names(host, 443);
        let layers = [wide.clone(), narrow];
        assert_eq!(names(&layers, "a.example.org"), Some(NamedBy::Pattern));
        assert_eq!(names(&layers, "b.net"), None);
        assert_eq!(names(&[wide.clone(), Vec::new()], "b.net"), None);
        assert_eq!(names(&[], "b.net"), None);
        let either = HostRules::default().or(layers.to_vec()).or(vec![layer(&["a.example.org"])]);
        assert_eq!(either.names("a.example.org", 443), Some(NamedBy::Name));
        assert_eq!(either.to_string(), "`a.example.org`, `a.example.org`");
    }
}
