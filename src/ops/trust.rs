//! `trust`: whom the person trusts, and where each decision is written.

use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use crate::context::Context;
use crate::id::Timestamp;
use crate::keys::{KeyName, KeyStore, KeysError, TrustDir};
use crate::trust::{KeyError, KeyId, PublicKey, TrustedKey, parse_allowed_signers};

/// The trusted keys.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Each decision.
    pub keys: Vec<Trusted>,
    /// The file decisions are written to.
    pub path: PathBuf,
}

/// One decision.
#[derive(Debug, Clone, Serialize)]
pub struct Trusted {
    /// The id signature lines carry.
    pub key_id: KeyId,
    /// Who holds the key.
    pub principal: String,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// How far the decision reaches.
    pub reach: String,
    /// From when the key's signatures count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_after: Option<Timestamp>,
    /// Until when they count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_before: Option<Timestamp>,
    /// Where it is written.
    pub origin: String,
}

/// Why a key cannot be trusted.
#[derive(Debug, Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The file holds no key.
    #[error("`{}` holds no OpenSSH public key and no allowed_signers lines", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What the key parser said.
        #[source]
        source: Option<KeyError>,
    },
    /// A private key was named where its public half belongs.
    #[error("`{}` holds a private key; trust is given to public keys", path.display())]
    Private {
        /// The file.
        path: PathBuf,
    },
    /// The key is that of the person's own agent.
    #[error("`{}` holds the key of your own agent, whose signatures count only in its threads", path.display())]
    Agent {
        /// The file.
        path: PathBuf,
    },
    /// Keys or trust files cannot be read or written.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

/// Lists whom the person trusts.
///
/// # Errors
///
/// Fails when a key or the trust file cannot be read.
pub fn list(ctx: &Context) -> Result<Outcome, Error> {
    let dir = TrustDir::new(ctx)?;
    let keys = dir.trusted_keys(&KeyStore::new(ctx)?)?;
    Ok(Outcome { keys: keys.iter().map(described).collect(), path: dir.path() })
}

/// Trusts the keys in a file, for everything. Returns those that are new. A model never approves its own work, so the
/// agent's own key is refused.
///
/// # Errors
///
/// Fails when the file holds no key, or the decision cannot be written.
pub fn add(ctx: &Context, file: &Path, principal: Option<&str>) -> Result<Outcome, Error> {
    let path = ctx.current_dir().join(file);
    let text = std::fs::read_to_string(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    let dir = TrustDir::new(ctx)?;
    let keys = keys_in(&text, &path, principal)?;
    let agent = KeyStore::new(ctx)?.find_public(KeyName::Agent)?;
    if keys.iter().any(|key| Some(key.key) == agent) {
        return Err(Error::Agent { path });
    }
    let added = dir.add(&keys)?;
    Ok(Outcome { keys: added.iter().map(described).collect(), path: dir.path() })
}

fn keys_in(text: &str, path: &Path, principal: Option<&str>) -> Result<Vec<TrustedKey>, Error> {
    if text.contains("PRIVATE KEY-----") {
        return Err(Error::Private { path: path.to_path_buf() });
    }
    let origin = path.display().to_string();
    match PublicKey::from_openssh(text) {
        Ok(key) => Ok(vec![TrustedKey::new(key, principal.unwrap_or_else(|| comment(text)), origin)]),
        Err(source) => match parse_allowed_signers(text, &origin) {
            Ok(keys) if !keys.is_empty() => Ok(keys),
            _ => Err(Error::NoKey { path: path.to_path_buf(), source: Some(source) }),
        },
    }
}

/// Takes the first word of a key's comment as its holder.
fn comment(text: &str) -> &str {
    text.split_whitespace().nth(2).unwrap_or("unnamed")
}

fn described(key: &TrustedKey) -> Trusted {
    Trusted {
        key_id: key.key.key_id(),
        principal: key.principal.clone(),
        fingerprint: key.key.fingerprint(),
        reach: key.reach(),
        valid_after: key.valid_after,
        valid_before: key.valid_before,
        origin: key.origin.clone(),
    }
}
