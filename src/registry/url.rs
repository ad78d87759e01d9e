//! Where a registry may be: a folder, or what git fetches over ssh or https.

use std::path::Path;

use super::error::Error;

/// Takes what a person names as the address of a registry; a folder becomes absolute.
///
/// # Errors
///
/// Fails on any other kind of address, and on one that holds a password.
pub fn registry_url(from: &Path, text: &str) -> Result<String, Error> {
    let wrong = |reason| Error::Url { text: without_password(text), reason };
    if text.is_empty() || text.starts_with('-') || text.contains(char::is_control) {
        return Err(wrong("it is empty, begins with `-`, or holds control characters"));
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme {
            "https" | "ssh" if has_password(rest) => Err(wrong("it holds a password; let git ask for it")),
            "file" | "https" | "ssh" => Ok(text.to_owned()),
            _ => Err(wrong("only a folder, `file`, `ssh` and `https` are supported")),
        };
    }
    if let Some((host, _)) = text.split_once(':').filter(|(host, _)| !host.contains('/')) {
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_@".contains(&byte);
        let is_one = !host.is_empty() && host.bytes().all(is_host) && !text.contains("::");
        return if is_one { Ok(text.to_owned()) } else { Err(wrong("it is not of the form `user@host:path`")) };
    }
    let folder = from.join(text).canonicalize().map_err(|_| wrong("there is no such folder"))?;
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
        for text in
            ["", "--upload-pack=x", "ext::sh -c true", "http://example.org/x", "a b:c", "no-such-folder", "a\nb:c"]
        {
            assert!(url(text).is_err(), "{text}");
        }
        let refused = url("https://ada:secret@example.org/x").unwrap_err().to_string();
        assert!(!refused.contains("secret") && refused.contains("…@example.org/x"), "{refused}");
    }
}
