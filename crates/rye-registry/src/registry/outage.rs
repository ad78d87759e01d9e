//! Why a registry was not reached, as far as the words of git and of this program's client say.

use std::fmt;

/// Why a registry was not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreached {
    /// No such host, or no network to ask.
    Host,
    /// Nothing answers there.
    Server,
    /// The user may not read or write there.
    Access,
    /// The host's key is not known, or another one than before.
    HostKey,
    /// The server's certificate is not one that counts here.
    Certificate,
    /// The server has no such repository.
    Repository,
}

/// What git, ssh, curl and `net` say, the most telling first.
const WORDS: [(&str, Unreached); 23] = [
    ("Host key verification failed", Unreached::HostKey),
    ("REMOTE HOST IDENTIFICATION HAS CHANGED", Unreached::HostKey),
    ("Could not resolve host", Unreached::Host),
    ("Temporary failure in name resolution", Unreached::Host),
    ("Connection refused", Unreached::Server),
    ("Connection timed out", Unreached::Server),
    ("Operation timed out", Unreached::Server),
    ("No route to host", Unreached::Server),
    ("Network is unreachable", Unreached::Server),
    ("Failed to connect to", Unreached::Server),
    ("SSL certificate problem", Unreached::Certificate),
    ("certificate verification failed", Unreached::Certificate),
    ("Permission denied (", Unreached::Access),
    ("Authentication failed", Unreached::Access),
    ("could not read Username", Unreached::Access),
    ("The requested URL returned error: 403", Unreached::Access),
    ("does not appear to be a git repository", Unreached::Repository),
    (NOT_FOUND, Unreached::Repository),
    ("its name is not known", Unreached::Host),
    ("connection refused", Unreached::Server),
    ("the network does not reach it", Unreached::Server),
    ("nothing answered in time", Unreached::Server),
    ("its certificate", Unreached::Certificate),
];

/// What a server says of a repository that it does not have.
const NOT_FOUND: &str = "' not found";

impl Unreached {
    /// Reads what git said; `None` for unknown messages.
    #[must_use]
    pub fn of(said: &str) -> Option<Self> {
        // Where objects are missing, git says of them that they are not found.
        let is_said = |words: &str| said.contains(words) && (words != NOT_FOUND || said.contains("repository '"));
        WORDS.into_iter().find(|(words, _)| is_said(words)).map(|(_, why)| why)
    }
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Host => "unknown host, or no network",
            Self::Server => "the server does not answer",
            Self::Access => "permission denied",
            Self::HostKey => "the host's key is not the known one",
            Self::Certificate => "the server's certificate is not trusted",
            Self::Repository => "no git repository there",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_ssh_and_curl_say_is_told_apart() {
        for (said, why) in [
            ("ssh: Could not resolve hostname x.invalid: Name or service not known", Some(Unreached::Host)),
            ("fatal: unable to access 'https://x/': Could not resolve host: x", Some(Unreached::Host)),
            ("ssh: connect to host localhost port 1: Connection refused", Some(Unreached::Server)),
            ("Failed to connect to localhost port 1 after 0 ms", Some(Unreached::Server)),
            (
                "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
                Some(Unreached::Access),
            ),
            ("fatal: could not read Username for 'https://x': terminal prompts disabled", Some(Unreached::Access)),
            ("Host key verification failed.\nfatal: Could not read from remote repository.", Some(Unreached::HostKey)),
            ("server certificate verification failed. CAfile: none", Some(Unreached::Certificate)),
            ("fatal: '/srv/team' does not appear to be a git repository", Some(Unreached::Repository)),
            ("remote: Not Found\nfatal: repository 'https://x/y/' not found", Some(Unreached::Repository)),
            ("fatal: something else", None),
        ] {
            assert_eq!(Unreached::of(said), why, "{said}");
        }
    }
}
