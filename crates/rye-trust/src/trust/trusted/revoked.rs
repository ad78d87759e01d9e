//! Revoked keys: OpenSSH public keys, one a line, as `ssh-keygen -Y verify -r` and git's `gpg.ssh.revocationFile` read.
//!
//! Read strictly: a line that was skipped would be a key that still counts.

use thiserror::Error;

use super::allowed_signers::is_key_type;
use crate::trust::{KeyError, MAX_TRUST_FILE_BYTES, PublicKey};

/// How OpenSSH's binary revocation lists begin.
const KRL_MAGIC: &[u8] = b"SSHKRL\n\0";

/// Keys whose signatures are always bad, whatever date they claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RevocationList {
    keys: Vec<RevokedKey>,
}

/// One revoked key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedKey {
    /// The key.
    pub key: PublicKey,
    /// The comment behind it on its line: the holder, or the reason.
    pub comment: String,
}

/// A list that cannot be read.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum RevocationError {
    /// It is a KRL.
    #[error("`{origin}` is a binary revocation list (KRL); only public keys, one a line, can be read")]
    Binary { origin: String },
    /// It is not a list of keys, or it is endless.
    #[error("`{origin}` is not a list of public keys: {reason}")]
    NoList { origin: String, reason: String },
    /// A line is not a key.
    #[error("line {line} of `{origin}` cannot be read: {reason}")]
    Line {
        origin: String,
        /// The line, from 1.
        line: usize,
        reason: &'static str,
        /// The key parser's message, where the key is at fault.
        #[source]
        source: Option<KeyError>,
    },
}

impl RevocationList {
    /// Reads a whole file. `origin` names it in messages.
    ///
    /// # Errors
    ///
    /// Fails on a KRL and on the first line that is neither a comment nor a key this program knows.
    pub fn parse(bytes: &[u8], origin: &str) -> Result<Self, RevocationError> {
        let no_list = |reason: &str| RevocationError::NoList { origin: origin.to_owned(), reason: reason.to_owned() };
        if bytes.starts_with(KRL_MAGIC) {
            return Err(RevocationError::Binary { origin: origin.to_owned() });
        }
        if bytes.len() > MAX_TRUST_FILE_BYTES {
            return Err(no_list(&format!("it is larger than {MAX_TRUST_FILE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| no_list("it is not UTF-8"))?;
        let mut list = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong =
                |(reason, source)| RevocationError::Line { origin: origin.to_owned(), line: index + 1, reason, source };
            list.insert(parse_line(line).map_err(wrong)?);
        }
        Ok(list)
    }

    /// Adds a key; tells whether it was not there yet.
    pub fn insert(&mut self, revoked: RevokedKey) -> bool {
        let is_new = !self.contains(&revoked.key);
        if is_new {
            self.keys.push(revoked);
        }
        is_new
    }

    /// Tells whether a key is in the list.
    #[must_use]
    pub fn contains(&self, key: &PublicKey) -> bool {
        self.keys.iter().any(|revoked| revoked.key == *key)
    }

    /// Returns the keys in the order of the file, each once.
    pub fn iter(&self) -> impl Iterator<Item = &RevokedKey> {
        self.keys.iter()
    }

    /// Returns the text with the keys that OpenSSH knows: any other line would be an error to it.
    #[must_use]
    pub fn for_openssh(&self) -> String {
        let known = self.keys.iter().filter(|revoked| revoked.key.is_ssh());
        known.map(|revoked| format!("{}\n", revoked.line())).collect()
    }

    /// Returns the file's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.keys.iter().map(|revoked| format!("{}\n", revoked.line())).collect()
    }
}

impl RevokedKey {
    /// Returns the key's line without newline.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.key.to_openssh(), self.comment).trim_end().to_owned()
    }
}

fn parse_line(line: &str) -> Result<RevokedKey, (&'static str, Option<KeyError>)> {
    if line.contains(|c: char| c.is_control() && c != '\t') {
        return Err(("it contains a control character", None));
    }
    let mut parts = line.splitn(3, [' ', '\t']);
    let (Some(algorithm), Some(key)) = (parts.next().filter(|word| is_key_type(word)), parts.next()) else {
        return Err(("it is not a public key", None));
    };
    let key = PublicKey::of_any_type(&format!("{algorithm} {key}"))
        .map_err(|error| ("its key cannot be used", Some(error)))?;
    Ok(RevokedKey { key, comment: parts.next().unwrap_or_default().trim().to_owned() })
}
