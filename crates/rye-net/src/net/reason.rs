//! Why an exchange failed, in words of this program: the libraries below name their own layers.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::iter::successors;

use rustls::{CertificateError, Error as Tls};

use super::reachable::NotReached;

/// Why an exchange failed, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Error for Reason {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Reason {
    /// Puts an error of a library into words, by the innermost cause that says something.
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        let chain: Vec<&(dyn Error + 'static)> = successors(Some(error), |&error| error.source()).collect();
        let known = chain.iter().rev().find_map(|&error| tls(error).or_else(|| system(error)));
        if chain.iter().any(|error| is_not_reached(*error)) {
            return Self(NotReached.to_string());
        }
        let looked_up = chain.iter().any(|error| error.to_string().starts_with("dns error"));
        match known {
            _ if looked_up => Self("its name is not known, or the network is down".to_owned()),
            Some(words) => Self(words),
            None => Self(plain(&chain)),
        }
    }
}

/// Tells whether a name led only to where it may not lead.
fn is_not_reached(error: &(dyn Error + 'static)) -> bool {
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    error.is::<NotReached>() || inner.is_some_and(|inner| inner.is::<NotReached>())
}

/// Words for a failure of the system.
fn system(error: &(dyn Error + 'static)) -> Option<String> {
    let error = error.downcast_ref::<io::Error>()?;
    if let Some(inner) = error.get_ref() {
        return tls(inner).or_else(|| system(inner));
    }
    Some(match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe | ErrorKind::ConnectionAborted => {
            "the connection was closed".to_owned()
        }
        ErrorKind::UnexpectedEof => "the connection ended too soon".to_owned(),
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable => "the network does not reach it".to_owned(),
        ErrorKind::TimedOut => "nothing answered in time".to_owned(),
        kind => kind.to_string(),
    })
}

/// Words for a failure of TLS.
fn tls(error: &(dyn Error + 'static)) -> Option<String> {
    Some(match error.downcast_ref::<Tls>()? {
        Tls::InvalidCertificate(certificate) => match certificate {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "its certificate has expired",
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another name"
            }
            CertificateError::UnknownIssuer => {
                "its certificate has an unknown issuer (`net.roots = \"system\"` in the configuration trusts this machine's)"
            }
            _ => "its certificate is not valid",
        }
        .to_owned(),
        Tls::InvalidMessage(_) => "it does not speak TLS".to_owned(),
        other => format!("TLS failed ({other})"),
    })
}

/// Other errors: a failure of HTTP, in the words of the innermost cause.
fn plain(chain: &[&(dyn Error + 'static)]) -> String {
    let told = chain.last().map(ToString::to_string).unwrap_or_default();
    match told.as_str() {
        "connection closed before message completed" => "the connection ended before the answer did".to_owned(),
        "invalid HTTP version parsed" | "invalid HTTP status-code parsed" | "invalid HTTP header parsed" => {
            "it does not speak HTTP".to_owned()
        }
        told if told.contains("end of file") || told.contains("unexpected EOF") || told.contains("IncompleteBody") => {
            "the connection ended before the answer did".to_owned()
        }
        told => told.to_owned(),
    }
}
