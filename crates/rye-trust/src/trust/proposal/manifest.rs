//! `trust.sig`: the manifest of a project's trust files, and the signatures over it.
//!
//! Text, line by line, in one spelling: the signed text is the read one. The envelopes below it are OpenSSH's, so
//! `ssh-keygen -Y sign -n rye-trust` makes them and `ssh-keygen -Y verify -n rye-trust` checks them.

use std::fmt;

use crate::id::Timestamp;
use crate::trust::key::sshsig::is_canonical;
use crate::trust::{
    ContentHash, MAX_TRUST_FILE_BYTES, ManifestFault, Namespace, PublicKey, SshSigError, TrustFile, verify_armored,
};

/// The first line of a manifest that leaves the configuration open.
const VERSION_1: &str = "rye-trust-v1";

/// The first line of a manifest that covers the configuration too.
const VERSION_2: &str = "rye-trust-v2";
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
    /// `.ai/config.toml`.
    pub config: ConfigDigest,
}

/// The statements about the project's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConfigDigest {
    /// Nothing: so it is in manifests of version 1.
    #[default]
    Open,
    /// The SHA-256 of the file, or that it does not exist.
    Covered(Option<ContentHash>),
}

/// What the roots sign: which files, in which version, when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Grows with every change.
    pub version: u64,
    /// When it was signed, to the second.
    pub signed_at: Timestamp,
    /// The commit that the project's history began with; none in manifests of version 1, and before the first commit.
    pub project: Option<String>,
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
    /// Returns the first file that is not the same in both. A configuration that one of them says nothing of is not compared.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<TrustFile> {
        let is_other = |file: &TrustFile| match file {
            TrustFile::AllowedSigners => self.allowed_signers != other.allowed_signers,
            TrustFile::Revoked => self.revoked != other.revoked,
            TrustFile::Policy => self.policy != other.policy,
            TrustFile::Config => match (self.config, other.config) {
                (ConfigDigest::Covered(one), ConfigDigest::Covered(another)) => one != another,
                (ConfigDigest::Open, _) | (_, ConfigDigest::Open) => false,
            },
        };
        TrustFile::ALL.into_iter().find(is_other)
    }
}

/// The lines of the files, `-` for one that does not exist.
impl fmt::Display for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |file: TrustFile, digest: Option<ContentHash>| match digest {
            Some(digest) => writeln!(f, "{file} {digest}"),
            None => writeln!(f, "{file} -"),
        };
        line(TrustFile::AllowedSigners, self.allowed_signers)?;
        line(TrustFile::Revoked, self.revoked)?;
        line(TrustFile::Policy, self.policy)?;
        match self.config {
            ConfigDigest::Open => Ok(()),
            ConfigDigest::Covered(digest) => line(TrustFile::Config, digest),
        }
    }
}

/// The manifest's text: what the roots sign, final newline included.
impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (version, signed_at) = (self.version, self.signed_at.to_seconds_text());
        let first = match self.digests.config {
            ConfigDigest::Open => VERSION_1,
            ConfigDigest::Covered(_) => VERSION_2,
        };
        write!(f, "{first}\nversion {version}\nsigned-at {signed_at}\n")?;
        match self.digests.config {
            ConfigDigest::Open => {}
            ConfigDigest::Covered(_) => writeln!(f, "project {}", self.project.as_deref().unwrap_or("-"))?,
        }
        write!(f, "{}", self.digests)
    }
}

impl Manifest {
    /// Reads a manifest at the start of a text and returns it with the rest of the text.
    fn parse(text: &str) -> Result<(Self, &str), ManifestFault> {
        let (first, below) = text.split_once('\n').unwrap_or((text, ""));
        let covers_config = match first {
            VERSION_1 => false,
            VERSION_2 => true,
            _ => return Err(malformed(1, format!("it must be `{VERSION_2}` or `{VERSION_1}`"))),
        };
        let (mut rest, mut at) = (below, 1);
        // Returns the value of the next line, with the line's number.
        let mut value = |name: &str| {
            at += 1;
            let wrong = || malformed(at, format!("it must be `{name}` and one value"));
            let (line, below) =
                rest.split_once('\n').ok_or_else(|| malformed(at, "the line is missing or cut short"))?;
            rest = below;
            let value = line.strip_prefix(name).and_then(|value| value.strip_prefix(' ')).ok_or_else(wrong)?;
            Ok::<_, ManifestFault>((at, value))
        };
        let (_, version) = value("version")?;
        let version = version.parse().ok().filter(|number: &u64| *number > 0 && number.to_string() == version);
        let version = version.ok_or_else(|| malformed(2, "the version must be a whole number from 1"))?;
        let (_, time) = value("signed-at")?;
        let signed_at = time.parse().ok().filter(|moment: &Timestamp| moment.to_seconds_text() == time);
        let signed_at = signed_at.ok_or_else(|| malformed(3, "the time must be written like 2026-03-17T01:41:08Z"))?;
        let project = if covers_config { project(value("project")?)? } else { None };
        let mut digest = |file: TrustFile| match value(file.as_str())? {
            (_, "-") => Ok(None),
            (at, digest) => digest.parse().map(Some).map_err(|_| {
                malformed(at, "the digest must be 64 lowercase hexadecimal digits, or `-` without a file")
            }),
        };
        let digests = Digests {
            allowed_signers: digest(TrustFile::AllowedSigners)?,
            revoked: digest(TrustFile::Revoked)?,
            policy: digest(TrustFile::Policy)?,
            config: match covers_config {
                true => ConfigDigest::Covered(digest(TrustFile::Config)?),
                false => ConfigDigest::Open,
            },
        };
        Ok((Self { version, signed_at, project, digests }, rest))
    }
}

impl SignedManifest {
    /// Begins with an unsigned manifest. Parts of a second are dropped.
    #[must_use]
    pub fn unsigned(version: u64, signed_at: Timestamp, digests: Digests) -> Self {
        let signed_at = Timestamp::from_milliseconds(signed_at.seconds() * 1000);
        Self { manifest: Manifest { version, signed_at, project: None, digests }, signatures: Vec::new() }
    }

    /// Names the project that it is for. Only an unsigned manifest can be given one.
    #[must_use]
    pub fn of_project(mut self, root_commit: Option<String>) -> Self {
        self.manifest.project = root_commit.filter(|_| self.signatures.is_empty());
        self
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
        let text = std::str::from_utf8(bytes).map_err(|_| malformed(1, "it is not UTF-8"))?;
        let (manifest, mut rest) = Manifest::parse(text)?;
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

    /// Returns the signed text.
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

/// Reads the value of the line `project`.
fn project((at, value): (usize, &str)) -> Result<Option<String>, ManifestFault> {
    let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    match value {
        "-" => Ok(None),
        id if matches!(id.len(), 40 | 64) && id.bytes().all(is_hexadecimal) => Ok(Some(id.to_owned())),
        _ => Err(malformed(at, "the project must be a commit id, or `-` before the first commit")),
    }
}

fn malformed(line: usize, reason: impl Into<String>) -> ManifestFault {
    ManifestFault::Malformed { line, reason: reason.into() }
}
