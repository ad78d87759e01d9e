//! The whole address of one request: https to anywhere, or http to this machine.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

use super::endpoint::{Endpoint, EndpointError, anonymous};
use crate::capability::HostRule;

/// Scheme, host, port, path and query, as they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    url: Url,
    origin: Endpoint,
}

impl FromStr for Address {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let has = |part| Err(EndpointError::HasPart { part });
        let url = anonymous(text)?;
        if url.fragment().is_some() {
            return has("fragment");
        }
        let origin = url.origin().ascii_serialization().parse()?;
        Ok(Self { url, origin })
    }
}

impl Address {
    /// Returns scheme, host and port.
    #[must_use]
    pub const fn origin(&self) -> &Endpoint {
        &self.origin
    }

    /// Returns the host as rules name it: in lower case, an address without brackets.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        // Every scheme that is let through has one of its own.
        self.url.port_or_known_default().unwrap_or(443)
    }

    /// Returns the rule that names this host at this port alone; none for a host that no rule can name.
    #[must_use]
    pub fn rule(&self) -> Option<HostRule> {
        self.rule_text().parse().ok()
    }

    /// Returns how a rule names this host: with its port where that is not one of the usual ones.
    #[must_use]
    pub fn rule_text(&self) -> String {
        match self.port() {
            443 | 80 => self.bracketed(),
            port => format!("{}:{port}", self.bracketed()),
        }
    }

    /// Returns host and port, as they are recorded.
    #[must_use]
    pub fn authority(&self) -> String {
        format!("{}:{}", self.bracketed(), self.port())
    }

    fn bracketed(&self) -> String {
        let host = self.host();
        if host.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6()) { format!("[{host}]") } else { host }
    }

    pub(super) const fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.as_str())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_address_names_its_host_as_rules_do() {
        for (text, host, port, rule) in [
            ("https://API.example.org/x?y=1", "api.example.org", 443, "api.example.org"),
            ("https://api.example.org./x", "api.example.org", 443, "api.example.org"),
            ("https://api.example.org:8443/", "api.example.org", 8443, "api.example.org:8443"),
            ("http://127.0.0.1:8000/x", "127.0.0.1", 8000, "127.0.0.1:8000"),
            ("http://[::1]/x", "::1", 80, "[::1]"),
            ("https://0x7f.1/x", "127.0.0.1", 443, "127.0.0.1"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host().as_str(), address.port()), (host, port), "{text}");
            assert_eq!(address.rule_text(), rule);
            assert!(address.rule().unwrap().names(host, port).is_some(), "{text}");
        }
        for text in
            ["http://example.org/", "https://ada@example.org/", "https://example.org/#x", "file:///etc/passwd", "x"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
