//! `trust.sig`: the manifest of a project's trust files, and the signatures over it.
//!
//! Text, line by line, in one spelling: what was signed is what is read. The envelopes below it are OpenSSH's, so
//! `ssh-keygen -Y sign -n rye-trust` makes them and `ssh-keygen -Y verify -n rye-trust` checks them.

use std::fmt;

use crate::id::Timestamp;
use crate::trust::key::sshsig::is_canonical;
use crate::trust::{
    ContentHash, MAX_TRUST_FILE_BYTES, ManifestFault, Namespace, PublicKey, SshSigError, TrustFile, verify_armored,
};

const FIRST_LINE: &str = "rye-trust-v1";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// The most signatures below a manifest.
const MAX_SIGNATURES: usize = 64;

/// The SHA-256 of each trust file that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digests {
    /// `allowed_signers`.
    pub allowed_signers: Option<ContentHash>,
    /// `revoked`.
    pub revoked: Option<ContentHash>,
    /// `policy.toml`.
    pub policy: Option<ContentHash>,
}

/// What the roots sign: which files, in which version, when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change.
    pub version: u64,
    /// When it was signed, to the second.
    pub signed_at: Timestamp,
    /// The files.
    pub digests: Digests,
}

/// A manifest with its signatures: the file `trust.sig`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedManifest {
    manifest: Manifest,
    signatures: Vec<(PublicKey, String)>,
}

impl Digests {
    /// Returns the digest of one file.
    #[must_use]
    pub const fn get(&self, file: TrustFile) -> Option<ContentHash> {
        match file {
            TrustFile::AllowedSigners => self.allowed_signers,
            TrustFile::Revoked => self.revoked,
            TrustFile::Policy => self.policy,
        }
    }
}

/// The lines of the files, `-` for one that does not exist.
impl fmt::Display for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TrustFile::ALL.into_iter().try_for_each(|file| match self.get(file) {
            Some(digest) => writeln!(f, "{file} {digest}"),
            None => writeln!(f, "{file} -"),
        })
    }
}

/// The manifest's text: what the roots sign, final newline included.
impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, signed_at) = (self.version, self.signed_at.to_seconds_text());
        write!(f, "{FIRST_LINE}\nversion {version}\nsigned-at {signed_at}\n{}", self.digests)
    }
}

impl Manifest {
    /// Reads a manifest at the start of a text and returns it with the rest of the text.
    fn parse(text: &str) -> Result<(Self, &str), ManifestFault> {
        let mut rest = text;
        let mut value = |at: usize, name: &str| {
            let wrong = || malformed(at, format!("it must be `{name}` and one value"));
            let (line, below) =
                rest.split_once('\n').ok_or_else(|| malformed(at, "the line is missing or cut short"))?;
            rest = below;
            line.strip_prefix(name).and_then(|value| value.strip_prefix(' ')).ok_or_else(wrong)
        };
        let version = value(2, "version")?;
        let version = version.parse().ok().filter(|number: &u64| *number > 0 && number.to_string() == version);
        let version = version.ok_or_else(|| malformed(2, "the version must be a whole number from 1"))?;
        let time = value(3, "signed-at")?;
        let signed_at = time.parse().ok().filter(|moment: &Timestamp| moment.to_seconds_text() == time);
        let signed_at = signed_at.ok_or_else(|| malformed(3, "the time must be written like 2026-03-17T01:41:08Z"))?;
        let mut digest = |at: usize, file: TrustFile| match value(at, file.as_str())? {
            "-" => Ok(None),
            digest => digest.parse().map(Some).map_err(|_| {
                malformed(at, "the digest must be 64 lowercase hexadecimal digits, or `-` where there is no file")
            }),
        };
        let digests = Digests {
            allowed_signers: digest(4, TrustFile::AllowedSigners)?,
            revoked: digest(5, TrustFile::Revoked)?,
            policy: digest(6, TrustFile::Policy)?,
        };
        Ok((Self { version, signed_at, digests }, rest))
    }
}

impl SignedManifest {
    /// Begins with a manifest that nobody signed yet. Parts of a second are dropped.
    #[must_use]
    pub fn unsigned(version: u64, signed_at: Timestamp, digests: Digests) -> Self {
        let signed_at = Timestamp::from_milliseconds(signed_at.seconds() * 1000);
        Self { manifest: Manifest { version, signed_at, digests }, signatures: Vec::new() }
    }

    /// Reads a `trust.sig` and checks that every signature in it fits the manifest. Whether those who made them may
    /// is another question.
    ///
    /// # Errors
    ///
    /// Fails when it is written in another way, too large, or when a signature does not fit.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestFault> {
        if bytes.len() > MAX_TRUST_FILE_BYTES {
            return Err(malformed(1, format!("it is larger than {MAX_TRUST_FILE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| malformed(1, "it is no UTF-8"))?;
        let below = text.strip_prefix(FIRST_LINE).and_then(|text| text.strip_prefix('\n'));
        let below = below.ok_or_else(|| malformed(1, format!("it must be `{FIRST_LINE}`")))?;
        let (manifest, mut rest) = Manifest::parse(below)?;
        let mut signed = Self { manifest, signatures: Vec::new() };
        while !rest.is_empty() {
            let here = |reason: &str| malformed(text[..text.len() - rest.len()].lines().count() + 1, reason);
            let (envelope, below) = envelope(rest).ok_or_else(|| here("here must be an SSH signature"))?;
            let before = signed.signatures.len();
            signed.add(envelope)?;
            if signed.signatures.len() == before {
                return Err(here("the key of this signature has signed above"));
            }
            rest = below;
        }
        Ok(signed)
    }

    /// Adds an armored signature over the manifest; one by the same key is replaced.
    ///
    /// # Errors
    ///
    /// Fails when it does not fit, or when there are too many.
    pub fn add(&mut self, envelope: &str) -> Result<PublicKey, ManifestFault> {
        let number = self.signatures.len() + 1;
        let wrong = |reason| ManifestFault::Signature { number, reason };
        let (envelope, rest) = self::envelope(envelope).ok_or_else(|| wrong(SshSigError::Malformed))?;
        if !rest.is_empty() || !is_canonical(envelope) {
            return Err(wrong(SshSigError::Malformed));
        }
        let key = verify_armored(envelope, Namespace::Trust, self.message().as_bytes()).map_err(wrong)?;
        let known = self.signatures.iter_mut().find(|(known, _)| *known == key);
        match known {
            Some((_, known)) => envelope.clone_into(known),
            None if number > MAX_SIGNATURES => {
                return Err(malformed(1, format!("it has more than {MAX_SIGNATURES} signatures")));
            }
            None => self.signatures.push((key, envelope.to_owned())),
        }
        Ok(key)
    }

    /// Returns what is signed.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the text that the signatures are over.
    #[must_use]
    pub fn message(&self) -> String {
        self.manifest.to_string()
    }

    /// Returns the keys that signed.
    pub fn keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.signatures.iter().map(|(key, _)| key)
    }

    /// Returns the file's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let envelopes: String = self.signatures.iter().map(|(_, envelope)| envelope.as_str()).collect();
        self.message() + &envelopes
    }
}

/// Takes one armored envelope, its final newline included, off the start of a text.
fn envelope(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(BEGIN)?.strip_prefix('\n')?;
    let end = inside.find(END)?;
    let below = inside[end + END.len()..].strip_prefix('\n')?;
    Some(text.split_at(text.len() - below.len()))
}

fn malformed(line: usize, reason: impl Into<String>) -> ManifestFault {
    ManifestFault::Malformed { line, reason: reason.into() }
}
