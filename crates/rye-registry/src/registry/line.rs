//! One line of a registry: an act with its order, time and actor, signed (docs/formats.md, section 12).
//!
//! A line is canonical JSON (RFC 8785), so that each has one spelling: a read line is written again and compared byte
//! by byte, which also refuses members that are unknown or there twice. Pure: no file is read here.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use serde::{Deserialize, Serialize};

use crate::format::registry_files::Claims;
use crate::id::{Extension, ItemId, ItemType, Requirement, Segment, Timestamp, Version};
use crate::trust::{
    Blake3Hash, ContentHash, KeyId, Namespace, PublicKey, RawSignature, Signer, SignerError, canonical_json,
};

/// The version of the format.
const VERSION: u32 = 1;

/// The longest line, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 32 * 1024;
/// The most items that one item may need.
pub const MAX_NEEDS: usize = 64;
/// The most owners of a namespace.
pub const MAX_OWNERS: usize = 32;
/// The longest reason of a deprecation, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 400;

/// What a line says was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum Entry {
    /// The registry was made: always the first line.
    Init {
        /// Its name.
        name: Segment,
        /// Who may claim a namespace.
        claims: Claims,
        /// The SHA-256 of its `config.toml`.
        sha256: ContentHash,
        /// The key that made it, as OpenSSH writes it.
        key: String,
    },
    /// Nothing changed: the registry is kept by whoever signs this.
    Renew {},
    /// A namespace was claimed, or got other owners.
    Owners {
        /// The namespace.
        namespace: Segment,
        /// The keys of all of its owners from now on, as OpenSSH writes them.
        owners: Vec<String>,
    },
    /// A version was published.
    Publish(Release),
    /// A version is no longer chosen.
    Yank(Target),
    /// A version that was yanked is chosen again.
    Unyank(Target),
    /// An item is no longer recommended.
    Deprecate {
        /// The type.
        #[serde(rename = "type")]
        item_type: ItemType,
        /// The id.
        id: ItemId,
        /// What to use instead, or why; empty takes an earlier deprecation back.
        message: String,
    },
}

/// A version of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// The type.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The id.
    pub id: ItemId,
    /// The extension of the item's file.
    pub extension: Extension,
    /// The version.
    pub version: Version,
    /// The SHA-256 of the item's file.
    pub sha256: ContentHash,
    /// The BLAKE3 of the package's manifest.
    pub blake3: Blake3Hash,
    /// The size of all files of the package, in bytes.
    pub size: u64,
    /// What the item needs, sorted.
    pub deps: Vec<Need>,
    /// The oldest version of this program that will do; none if every one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_rye: Option<Version>,
}

impl Release {
    /// Tells whether this version of the program will do.
    #[must_use]
    pub fn is_for_this_program(&self) -> bool {
        let own: Version =
            env!("CARGO_PKG_VERSION").parse().expect("because the program has a version of three numbers");
        self.requires_rye.is_none_or(|oldest| oldest <= own)
    }
}

/// An item that another one needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Need {
    /// The id.
    pub id: ItemId,
    /// The type.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// Which versions will do.
    pub version: OrderedRequirement,
}

/// A requirement of a sorted list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OrderedRequirement(pub Requirement);

impl PartialOrd for OrderedRequirement {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedRequirement {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.to_string().cmp(&other.0.to_string())
    }
}

/// A version that was published before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The type.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The id.
    pub id: ItemId,
    /// The version.
    pub version: Version,
}

/// A line, read; whether its signer may say this is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its place among all lines of the registry, from 0.
    pub seq: u64,
    /// What it says.
    pub entry: Entry,
    /// When its signer says it was made.
    pub published_at: Timestamp,
    /// The key that signed it.
    pub key_id: KeyId,
    signature: RawSignature,
}

#[derive(Serialize, Deserialize)]
struct Written {
    v: u32,
    seq: u64,
    #[serde(flatten)]
    entry: Entry,
    published_at: Timestamp,
    key_id: KeyId,
    #[serde(skip_serializing_if = "Option::is_none")]
    sig: Option<String>,
}

#[derive(Deserialize)]
struct Version1 {
    v: u32,
}

impl Line {
    /// Makes a line and signs it.
    ///
    /// # Errors
    ///
    /// Fails when the signer makes no signature.
    pub fn signed(seq: u64, entry: Entry, now: Timestamp, signer: &dyn Signer) -> Result<Self, SignerError> {
        let published_at = Timestamp::from_milliseconds(now.seconds() * 1000);
        let key_id = signer.public().key_id();
        let mut line = Self { seq, entry, published_at, key_id, signature: RawSignature([0; 64]) };
        line.signature = signer.sign(Namespace::Registry, &line.message())?;
        Ok(line)
    }

    /// Reads a line without its newline.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_LINE_BYTES {
            return Err(format!("it is longer than {MAX_LINE_BYTES} bytes"));
        }
        let Version1 { v } = serde_json::from_slice(bytes).map_err(|_| "it is not a line of a registry".to_owned())?;
        if v != VERSION {
            let words = if v > VERSION { "newer" } else { "unknown" };
            return Err(format!("it has the {words} version {v} (this version of rye reads version {VERSION})"));
        }
        let written: Written = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let signature = written.sig.as_deref().and_then(|text| URL_SAFE.decode(text).ok());
        let signature = signature.and_then(|bytes| bytes.try_into().ok()).ok_or("its signature is malformed")?;
        let Written { seq, entry, published_at, key_id, .. } = written;
        let line = Self { seq, entry, published_at, key_id, signature: RawSignature(signature) };
        if line.bytes() != bytes {
            return Err("it is not canonical JSON, or has an unknown member".to_owned());
        }
        line.check_bounds().map_err(str::to_owned)?;
        Ok(line)
    }

    fn check_bounds(&self) -> Result<(), &'static str> {
        match &self.entry {
            Entry::Publish(release) if release.deps.len() > MAX_NEEDS => Err("it names too many needed items"),
            Entry::Publish(release) if !release.deps.windows(2).all(|pair| pair[0] < pair[1]) => {
                Err("its needed items are not sorted")
            }
            Entry::Publish(release) if !release.extension.suits(release.item_type) => {
                Err("its extension does not suit its type")
            }
            Entry::Owners { owners, .. } if owners.is_empty() || owners.len() > MAX_OWNERS => {
                Err("it names no owner, or too many")
            }
            Entry::Deprecate { message, .. }
                if message.len() > MAX_MESSAGE_BYTES || message.contains(char::is_control) =>
            {
                Err("its message is too long, or has several lines")
            }
            Entry::Init { .. }
            | Entry::Renew {}
            | Entry::Owners { .. }
            | Entry::Publish(_)
            | Entry::Yank(_)
            | Entry::Unyank(_)
            | Entry::Deprecate { .. } => Ok(()),
        }
    }

    /// Returns the line's bytes, without a newline: a leaf of the tree.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.written(Some(URL_SAFE.encode(self.signature.0)))
    }

    /// Tells whether a key signed the line.
    #[must_use]
    pub fn is_by(&self, key: &PublicKey) -> bool {
        self.key_id == key.key_id() && key.verifies(Namespace::Registry, &self.message(), self.signature)
    }

    fn message(&self) -> Vec<u8> {
        self.written(None)
    }

    fn written(&self, sig: Option<String>) -> Vec<u8> {
        let Self { seq, entry, published_at, key_id, .. } = self.clone();
        canonical_json(&Written { v: VERSION, seq, entry, published_at, key_id, sig })
            .expect("because texts and whole numbers are always JSON")
    }
}

impl Entry {
    /// Returns the namespace that it is about; none for the registry itself.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::Init { .. } | Self::Renew {} => None,
            Self::Owners { namespace, .. } => Some(namespace.as_str()),
            Self::Publish(Release { id, .. })
            | Self::Yank(Target { id, .. })
            | Self::Unyank(Target { id, .. })
            | Self::Deprecate { id, .. } => id.namespace(),
        }
    }
}
