//! Where requests may go: parsed once, so that nothing else has to be checked later.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use reqwest::Url;

/// The beginning of an address: https to anywhere, or http to this machine. No user, query or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(Url);

/// Why an address is not usable for requests.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum EndpointError {
    /// It cannot be read.
    #[error("`{text}` is not a URL: {reason}")]
    NotAUrl { text: String, reason: String },
    /// What is sent could be read on the way.
    #[error("{}", not_secure(text))]
    NotSecure { text: String },
    /// It has a part that it may not have; it is not shown, since it may be a password.
    #[error("a URL for requests has no {part}")]
    HasPart { part: &'static str },
}

fn not_secure(text: &str) -> String {
    if text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:")) {
        "plain http is allowed only on this machine (use `https://…`)".to_owned()
    } else {
        format!("unsupported URL `{text}` (use `https://…`)")
    }
}

/// Parses a URL that names no user and no password, and repeats none in an error.
pub(super) fn anonymous(text: &str) -> Result<Url, EndpointError> {
    let refused = EndpointError::HasPart { part: "user or password" };
    match Url::parse(text) {
        Ok(url) if url.username().is_empty() && url.password().is_none() => Ok(url),
        Ok(_) => Err(refused),
        Err(_) if text.contains('@') => Err(refused),
        Err(error) => Err(EndpointError::NotAUrl { text: text.to_owned(), reason: error.to_string() }),
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let has = |part| Err(EndpointError::HasPart { part });
        let url = anonymous(text)?;
        if url.query().is_some() {
            return has("query");
        }
        if url.fragment().is_some() {
            return has("fragment");
        }
        let endpoint = Self(url);
        match endpoint.0.scheme() {
            "https" if endpoint.0.has_host() => Ok(endpoint),
            "http" if endpoint.is_local() => Ok(endpoint),
            _ => Err(EndpointError::NotSecure { text: text.to_owned() }),
        }
    }
}

impl Endpoint {
    /// Returns the host that is asked: its name or address, and its port if that is not the scheme's own.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Tells whether it is on this machine: `localhost`, or an address of the loopback.
    #[must_use]
    pub fn is_local(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        address.map_or(host == "localhost", |address| address.is_loopback())
    }

    /// Returns the address of a place below it. `path` begins with `/`, and cannot lead out of it.
    pub(super) fn join(&self, path: &str) -> Option<Url> {
        let is_plain = |part: &str| !matches!(part, "." | "..") && !part.contains(['?', '#', '\\', '%']);
        let rest = path.strip_prefix('/').filter(|rest| rest.split('/').all(is_plain))?;
        let mut url = self.0.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}/{rest}"));
        Some(url)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn requests_go_to_https_or_to_this_machine() {
        for good in [
            "https://api.anthropic.com",
            "https://api.openai.com/v1",
            "https://10.0.0.7:8443/v1/",
            "http://localhost:11434/v1",
            "http://127.0.0.1:8000",
            "http://127.9.9.9",
            "http://[::1]:8000/v1",
        ] {
            assert!(good.parse::<Endpoint>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "api.anthropic.com",
            "http://api.anthropic.com",
            "http://10.0.0.7",
            "http://localhost.example.com",
            "http://127.0.0.1.example.com",
            "http://[::2]",
            "ftp://localhost",
            "file:///etc/passwd",
            "https://",
        ] {
            assert!(bad.parse::<Endpoint>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_may_be_a_password_is_not_repeated() {
        for bad in
            ["https://ada:geheim@example.com", "https://geheim@", "http://ada:geheim@exam ple", "https://x/?key=geheim"]
        {
            let told = bad.parse::<Endpoint>().unwrap_err().to_string();
            assert!(!told.contains("geheim"), "{told}");
        }
    }

    #[test]
    fn a_path_stays_below_its_endpoint() {
        let endpoint: Endpoint = "https://example.com:8443/v1/".parse().unwrap();
        assert_eq!(endpoint.to_string(), "https://example.com:8443/v1");
        assert_eq!(endpoint.host(), "example.com:8443");
        let joined = |path: &str| endpoint.join(path).map(|url| url.to_string());
        assert_eq!(joined("/chat/completions").as_deref(), Some("https://example.com:8443/v1/chat/completions"));
        for bad in ["chat", "", "/../x", "/a/./b", "/a?b", "/a#b", "/a\\b", "/%2e%2e/x"] {
            assert_eq!(joined(bad), None, "{bad}");
        }
        let plain: Endpoint = "https://example.com".parse().unwrap();
        assert_eq!(
            plain.join("/v1/messages").map(|url| url.to_string()).as_deref(),
            Some("https://example.com/v1/messages")
        );
        // With any path, the host stays.
        assert_eq!(
            plain.join("//evil.example/x").map(|url| url.host_str().map(str::to_owned)),
            Some(Some("example.com".into()))
        );
    }
}
