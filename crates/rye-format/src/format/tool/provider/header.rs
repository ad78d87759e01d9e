//! The further headers of a provider document: static, and none that authenticates or that the transport writes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::fault::{ProviderError, joined, wrong};
use crate::item::Auth;

/// The most headers of a document.
const MOST: usize = 32;
/// The longest name and value, in bytes.
const LONGEST: usize = 1024;

/// Headers that the transport or the wire format writes.
const WRITTEN: [&str; 19] = [
    "accept",
    "accept-encoding",
    "anthropic-version",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "origin",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "via",
    "date",
];

/// Words of the names of headers that authenticate.
const AUTHENTICATING: [&str; 14] = [
    "apikey",
    "auth",
    "authenticate",
    "authentication",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "key",
    "password",
    "proxy",
    "secret",
    "signature",
    "token",
];

/// Reads the headers.
pub(super) fn read(map: &Map<String, Value>, auth: Option<&Auth>) -> Result<BTreeMap<String, String>, ProviderError> {
    if map.len() > MOST {
        return Err(wrong("headers", "a map of at most 32 headers"));
    }
    map.iter().map(|(name, value)| Ok((name.clone(), header(name, value, auth)?))).collect()
}

fn header(name: &str, value: &Value, auth: Option<&Auth>) -> Result<String, ProviderError> {
    let refused = |reason| Err(ProviderError::Header { name: name.to_owned(), reason });
    if !is_name(name) || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return refused("a name has lower-case letters, digits and `-`");
    }
    if WRITTEN.contains(&name) {
        return refused("the program writes that header itself");
    }
    let authenticates = name.split('-').any(|word| AUTHENTICATING.contains(&word));
    if authenticates || auth.is_some_and(|auth| auth.header == name) {
        return refused("`auth` names the secret that authenticates, and its header");
    }
    match value {
        Value::String(text) if !text.is_empty() && text.trim() == text && is_printable(text) => Ok(text.clone()),
        _ => Err(wrong(&joined("headers", name), "printable ASCII, without blanks around it")),
    }
}

/// Tells whether a text can be the name of a header.
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && name.len() <= LONGEST && !name.starts_with('-') && name.bytes().all(is_part)
}

/// Tells whether a text can be in the value of a header.
pub(super) fn is_printable(text: &str) -> bool {
    text.len() <= LONGEST && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
