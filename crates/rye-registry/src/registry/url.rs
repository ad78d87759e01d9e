//! Where a registry may be: a folder, what git fetches over ssh or https, or static files of a web server.

use std::path::Path;

use super::error::Error;
use crate::net::{Endpoint, EndpointError};

/// What the address of static files begins with, as cargo writes `sparse+`.
const STATIC: &str = "static+";

/// Tells whether an address is that of static files: such a registry is read, and not written or read as a whole.
#[must_use]
pub fn is_static(url: &str) -> bool {
    static_url(url).is_some()
}

/// Returns the address of static files without what marks it.
pub(super) fn static_url(url: &str) -> Option<&str> {
    url.strip_prefix(STATIC)
}

/// Takes what a person names as the address of a registry; a folder becomes absolute.
///
/// # Errors
///
/// Fails on any other kind of address, and on one that holds a password.
pub fn registry_url(from: &Path, text: &str) -> Result<String, Error> {
    let wrong = |reason| Error::Url { text: without_password(text), reason };
    if text.is_empty() || text.starts_with('-') || text.contains(char::is_control) {
        return Err(wrong("it is empty, begins with `-`, or contains control characters"));
    }
    if let Some(url) = static_url(text) {
        return match url.parse::<Endpoint>() {
            Ok(endpoint) => Ok(format!("{STATIC}{endpoint}")),
            Err(EndpointError::HasPart { part: "user or password" }) => Err(wrong("it contains a user or a password")),
            Err(_) => Err(wrong("static files are read over `https`, and over `http` from this machine")),
        };
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme {
            "https" | "ssh" if has_password(rest) => Err(wrong("it contains a password; let git ask for it")),
            "file" | "https" | "ssh" => Ok(text.to_owned()),
            _ => Err(wrong("only a folder, `file`, `ssh`, `https` and `static+https` are supported")),
        };
    }
    if let Some((host, _)) = text.split_once(':').filter(|(host, _)| !host.contains('/')) {
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_@".contains(&byte);
        let is_one = !host.is_empty() && host.bytes().all(is_host) && !text.contains("::");
        return if is_one { Ok(text.to_owned()) } else { Err(wrong("it is not of the form `user@host:path`")) };
    }
    let folder = from.join(text).canonicalize().map_err(|_| wrong("no such folder"))?;
    folder.to_str().map(str::to_owned).ok_or_else(|| wrong("it is not UTF-8"))
}

fn has_password(rest: &str) -> bool {
    let host = rest.split('/').next().unwrap_or_default();
    host.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
}

/// Leaves out who logs in.
fn without_password(text: &str) -> String {
    let shown = match text.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1))) {
        Some((scheme, rest)) => format!("{scheme}://…@{rest}"),
        None => text.to_owned(),
    };
    shown.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn folders_ssh_and_https_are_addresses_and_nothing_that_runs_a_command_is() {
        let url = |text: &str| registry_url(Path::new("/"), text);
        for text in [
            "https://example.org/team.git",
            "ssh://git@example.org/team",
            "git@example.org:team.git",
            "file:///srv/team",
        ] {
            assert_eq!(url(text).unwrap(), text);
        }
        assert_eq!(url("tmp").unwrap(), "/tmp");
        for (text, read) in [
            ("static+https://example.org/team/", "static+https://example.org/team"),
            ("static+https://example.org", "static+https://example.org"),
            ("static+http://127.0.0.1:8000/team", "static+http://127.0.0.1:8000/team"),
        ] {
            assert_eq!(url(text).unwrap(), read);
        }
        for text in [
            "static+http://example.org/team",
            "static+file:///srv/team",
            "static+ssh://example.org/team",
            "static+https://example.org/team?x",
            "static+static+https://example.org",
            "static+",
        ] {
            assert!(url(text).is_err(), "{text}");
        }
        let refused = url("static+https://ada:secret@example.org/x").unwrap_err().to_string();
        assert!(!refused.contains("secret") && refused.contains("…@example.org/x"), "{refused}");
        for text in
            ["", "--upload-pack=x", "ext::sh -c true", "http://example.org/x", "a b:c", "no-such-folder", "a\nb:c"]
        {
            assert!(url(text).is_err(), "{text}");
        }
        let refused = url("https://ada:secret@example.org/x").unwrap_err().to_string();
        assert!(!refused.contains("secret") && refused.contains("…@example.org/x"), "{refused}");
    }
}
