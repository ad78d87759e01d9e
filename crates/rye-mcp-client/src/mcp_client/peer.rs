//! The server that is asked: its name, and how what it says is repeated.

use crate::redact::{Redacted, Redactor};

/// How much of what a server says is repeated, in bytes.
const MOST: usize = 300;

/// The server that is asked.
#[derive(Debug)]
pub struct Peer {
    name: String,
    /// Replaces the secrets that it was given.
    secrets: Redactor,
}

impl Peer {
    /// Names a server, and what replaces the secrets that it was given.
    #[must_use]
    pub const fn new(name: String, secrets: Redactor) -> Self {
        Self { name, secrets }
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the beginning of what it said.
    pub(super) fn beginning(&self, said: &str) -> String {
        let said: Redacted<'_> = self.secrets.redacted(said.trim());
        let short = said.beginning(MOST);
        format!("{short}{}", if short.len() < said.as_str().len() { "…" } else { "" })
    }

    /// Returns the end of what it said.
    pub(super) fn end(&self, said: &str) -> String {
        self.secrets.redacted(said.trim()).end(MOST).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::Secret;

    /// A secret that lies across the bound is replaced whole.
    #[test]
    fn what_a_server_says_is_shortened_without_its_secrets() {
        let value = "k9-Qa7-Xb2-Yc9-Zd4-We6";
        let peer = Peer::new("x".to_owned(), Redactor::of_values([Secret::new("KEY".to_owned(), value)]));
        for length in 0..2 * MOST {
            let (before, behind) = ("a ".repeat(length / 2), " b".repeat(length / 2));
            let said = format!("{before}{value}{behind}");
            for shown in [peer.beginning(&said), peer.end(&said)] {
                let told =
                    value.as_bytes().windows(4).find(|part| shown.as_bytes().windows(4).any(|shown| shown == *part));
                assert!(told.is_none(), "{length}: {shown}");
            }
        }
        assert_eq!((peer.beginning(" short ").as_str(), peer.end(" short ").as_str()), ("short", "short"));
        assert!(peer.beginning(&"x".repeat(400)).ends_with("x…"));
    }
}
