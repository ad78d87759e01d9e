//! Which kind of signature a commit has that is not judged here: OpenPGP, X.509, or SSH by a key that cannot be used.
//!
//! Invariants:
//! - A kind is a name and no verdict: nothing here is verified, and no kind makes a signature count.
//! - Only one whole armour has a kind. What is damaged, doubled, unknown, or has text beside it, has none, and neither
//!   has an SSH signature by an Ed25519 key, which is judged.
//!
//! Limit: of OpenPGP and X.509 the armour alone is read, as git does to choose the program that verifies it.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::trust::Namespace;

/// A kind of signature that other programs verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureKind {
    /// OpenPGP, as by `gpg`.
    OpenPgp,
    /// X.509 (S/MIME), as by `gpgsm`, `smimesign` or `gitsign`.
    X509,
    /// SSH, by a certificate or a weak key.
    Ssh {
        /// The type of the key, as OpenSSH names it.
        key_type: &'static str,
    },
}

impl SignatureKind {
    /// Reads the kind of a commit's signature; `None` for what is judged here and for what is no signature.
    #[must_use]
    pub fn of(armored: &str) -> Option<Self> {
        let (label, body) = taken_apart(armored)?;
        match label {
            "PGP SIGNATURE" | "PGP MESSAGE" => Some(Self::OpenPgp),
            "SIGNED MESSAGE" | "CERTIFICATE" | "PKCS7" | "CMS" => Some(Self::X509),
            // Git rejects carriage returns in this one.
            "SSH SIGNATURE" if !armored.contains('\r') => key_type(&body).map(|key_type| Self::Ssh { key_type }),
            _ => None,
        }
    }

    /// Returns the word for this kind.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenPgp => "openpgp",
            Self::X509 => "x509",
            Self::Ssh { .. } => "ssh",
        }
    }

    /// Returns the type of the key of an SSH signature.
    #[must_use]
    pub const fn key_type(self) -> Option<&'static str> {
        match self {
            Self::Ssh { key_type } => Some(key_type),
            Self::OpenPgp | Self::X509 => None,
        }
    }
}

impl fmt::Display for SignatureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenPgp => f.write_str("OpenPGP signature"),
            Self::X509 => f.write_str("X.509 signature"),
            Self::Ssh { key_type } => write!(f, "SSH signature by an `{key_type}` key"),
        }
    }
}

/// Takes an armour apart: its label, and the lines between the first and the last one.
fn taken_apart(armored: &str) -> Option<(&str, Vec<&str>)> {
    let mut lines = armored.trim_end().lines().map(str::trim_end);
    let label = lines.next()?.strip_prefix("-----BEGIN ")?.strip_suffix("-----")?;
    let end = lines.next_back()?.strip_prefix("-----END ")?.strip_suffix("-----")?;
    let body: Vec<&str> = lines.collect();
    let is_one = body.iter().all(|line| !line.starts_with("-----"));
    let has_content = body.iter().any(|line| !line.is_empty());
    (label == end && is_one && has_content).then_some((label, body))
}

/// A type of key that OpenSSH signs with, and that is not judged here.
struct KeyType {
    name: &'static str,
    /// How many texts the key has after its name; a certificate has more behind them.
    texts: usize,
    is_certificate: bool,
    /// What its signatures may be called.
    algorithms: &'static [&'static str],
}

const fn plain(name: &'static str, texts: usize, algorithms: &'static [&'static str]) -> KeyType {
    KeyType { name, texts, is_certificate: false, algorithms }
}

/// A certificate has a nonce before the texts of its key.
const fn certificate(name: &'static str, texts: usize, algorithms: &'static [&'static str]) -> KeyType {
    KeyType { name, texts: texts + 1, is_certificate: true, algorithms }
}

const P256: &[&str] = &["ecdsa-sha2-nistp256"];
const P384: &[&str] = &["ecdsa-sha2-nistp384"];
const P521: &[&str] = &["ecdsa-sha2-nistp521"];
const RSA: &[&str] = &["rsa-sha2-256", "rsa-sha2-512"];
const SK_ED25519: &[&str] = &["sk-ssh-ed25519@openssh.com"];
const SK_P256: &[&str] = &["sk-ecdsa-sha2-nistp256@openssh.com", "webauthn-sk-ecdsa-sha2-nistp256@openssh.com"];

const KEY_TYPES: &[KeyType] = &[
    plain("ecdsa-sha2-nistp256", 2, P256),
    plain("ecdsa-sha2-nistp384", 2, P384),
    plain("ecdsa-sha2-nistp521", 2, P521),
    plain("ssh-rsa", 2, RSA),
    plain("sk-ssh-ed25519@openssh.com", 2, SK_ED25519),
    plain("sk-ecdsa-sha2-nistp256@openssh.com", 3, SK_P256),
    certificate("ssh-ed25519-cert-v01@openssh.com", 1, &["ssh-ed25519"]),
    certificate("ecdsa-sha2-nistp256-cert-v01@openssh.com", 2, P256),
    certificate("ecdsa-sha2-nistp384-cert-v01@openssh.com", 2, P384),
    certificate("ecdsa-sha2-nistp521-cert-v01@openssh.com", 2, P521),
    certificate("ssh-rsa-cert-v01@openssh.com", 2, RSA),
    certificate("sk-ssh-ed25519-cert-v01@openssh.com", 2, SK_ED25519),
    certificate("sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", 3, SK_P256),
];

/// Reads the type of the key in a whole SSHSIG envelope (OpenSSH, PROTOCOL.sshsig) that was made for commits.
fn key_type(body: &[&str]) -> Option<&'static str> {
    let bytes = STANDARD.decode(body.concat()).ok()?;
    let mut envelope = Fields(bytes.strip_prefix(b"SSHSIG")?);
    let version = envelope.number()?;
    let (mut key, namespace, _reserved) = (Fields(envelope.text()?), envelope.text()?, envelope.text()?);
    let (hash, mut signature) = (envelope.text()?, Fields(envelope.text()?));
    let is_for_commits = version == 1 && namespace == Namespace::Git.as_str().as_bytes();
    let is_whole = matches!(hash, b"sha256" | b"sha512") && envelope.0.is_empty();
    let (name, algorithm) = (key.text()?, signature.text()?);
    let found = KEY_TYPES.iter().find(|key_type| key_type.name.as_bytes() == name)?;
    let is_by_it = found.algorithms.iter().any(|known| known.as_bytes() == algorithm);
    (is_for_commits && is_whole && is_by_it && found.fits(key) && has_signature(signature)).then_some(found.name)
}

impl KeyType {
    /// Tells whether a key is written as those of this type are, from behind its name on.
    fn fits(&self, mut key: Fields<'_>) -> bool {
        let has_texts = (0..self.texts).all(|_| key.text().is_some_and(|text| !text.is_empty()));
        has_texts && key.0.is_empty() != self.is_certificate
    }
}

/// Tells whether there is a signature behind the name of its algorithm. Those of security keys have flags and a counter
/// behind it.
fn has_signature(mut signature: Fields<'_>) -> bool {
    signature.text().is_some_and(|text| !text.is_empty())
}

/// Bytes that are read field by field, as SSH writes them (RFC 4251, section 5).
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Vec<u8> {
        let length = u32::try_from(bytes.len()).unwrap_or_default();
        [&length.to_be_bytes()[..], bytes].concat()
    }

    fn key(name: &str, texts: usize) -> Vec<u8> {
        [text(name.as_bytes()), text(b"text").repeat(texts)].concat()
    }

    fn envelope(key: &[u8], namespace: &str, hash: &str, algorithm: &str) -> Vec<u8> {
        let signature = [text(algorithm.as_bytes()), text(b"signature")].concat();
        let parts = [text(key), text(namespace.as_bytes()), text(b""), text(hash.as_bytes()), text(&signature)];
        [&b"SSHSIG\0\0\0\x01"[..], &parts.concat()].concat()
    }

    fn of(envelope: &[u8]) -> Option<SignatureKind> {
        let body = STANDARD.encode(envelope);
        SignatureKind::of(&format!("-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n"))
    }

    #[test]
    fn every_type_of_key_that_openssh_signs_with_is_named() {
        for KeyType { name, texts, is_certificate, algorithms } in KEY_TYPES {
            for algorithm in *algorithms {
                let mut key = key(name, *texts);
                key.extend(is_certificate.then_some(0));
                let kind = of(&envelope(&key, "git", "sha512", algorithm));
                assert_eq!(kind, Some(SignatureKind::Ssh { key_type: name }), "{name} {algorithm}");
            }
        }
    }

    #[test]
    fn an_envelope_that_is_not_whole_has_no_kind() {
        let p256 = key("ecdsa-sha2-nistp256", 2);
        let whole = envelope(&p256, "git", "sha512", "ecdsa-sha2-nistp256");
        assert!(of(&whole).is_some());
        for length in 0..whole.len() {
            assert_eq!(of(&whole[..length]), None, "{length}");
        }
        let others = [
            [&whole[..], b"\0"].concat(),
            envelope(&key("ecdsa-sha2-nistp256", 1), "git", "sha512", "ecdsa-sha2-nistp256"),
            envelope(&key("ecdsa-sha2-nistp256", 3), "git", "sha512", "ecdsa-sha2-nistp256"),
            envelope(&p256, "file", "sha512", "ecdsa-sha2-nistp256"),
            envelope(&p256, "git", "sha1", "ecdsa-sha2-nistp256"),
            envelope(&p256, "git", "sha512", "ssh-ed25519"),
            envelope(&key("ssh-rsa", 2), "git", "sha512", "ssh-rsa"),
            envelope(&key("ssh-ed25519", 1), "git", "sha512", "ssh-ed25519"),
            envelope(&key("ssh-ed25519", 1), "git", "sha512", "ecdsa-sha2-nistp256"),
            envelope(&key("ssh-dss", 4), "git", "sha512", "ssh-dss"),
            envelope(&key("anything else", 2), "git", "sha512", "anything else"),
        ];
        for (nth, other) in others.iter().enumerate() {
            assert_eq!(of(other), None, "{nth}");
        }
    }

    #[test]
    fn an_armour_has_a_kind_only_whole_and_alone() {
        let block = |label: &str| format!("-----BEGIN {label}-----\n\nwsBc\n=AbCd\n-----END {label}-----\n");
        let kinds = [
            ("PGP SIGNATURE", SignatureKind::OpenPgp),
            ("PGP MESSAGE", SignatureKind::OpenPgp),
            ("SIGNED MESSAGE", SignatureKind::X509),
            ("CERTIFICATE", SignatureKind::X509),
            ("PKCS7", SignatureKind::X509),
            ("CMS", SignatureKind::X509),
        ];
        for (label, kind) in kinds {
            let whole = block(label);
            assert_eq!(SignatureKind::of(&whole), Some(kind), "{label}");
            assert_eq!(SignatureKind::of(&format!("{}\r\n\n", whole.replace('\n', "\r\n"))), Some(kind), "{label}");
            let bad = [
                format!("trust me\n{whole}"),
                format!("\n{whole}"),
                format!("{whole}more\n"),
                whole.repeat(2),
                whole.replace("-----END", "END"),
                whole.replace("-----END", "-----END OF"),
                whole.replace("\nwsBc\n=AbCd\n", ""),
                whole.lines().next().unwrap_or_default().to_owned(),
            ];
            for bad in bad {
                assert_eq!(SignatureKind::of(&bad), None, "{bad}");
            }
        }
        for label in ["PGP PUBLIC KEY BLOCK", "PGP SIGNED MESSAGE", "PRIVATE KEY", "SIGNATURE", ""] {
            assert_eq!(SignatureKind::of(&block(label)), None, "{label}");
        }
        assert_eq!(SignatureKind::of(""), None);
    }
}
