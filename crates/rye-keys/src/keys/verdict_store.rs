//! The verdicts of earlier runs on disk, and the secret they are keyed with.
//!
//! The secret is `$XDG_CONFIG_HOME/rye/keys/verdict_secret`, guarded as the private keys are; the entries are one file
//! for each project in `$XDG_CACHE_HOME/rye/verdicts/`. All of it is a convenience: without a usable secret there is no
//! cache, and a failure here only costs time. Commit point: the rename of a finished temporary file. Two runs that end
//! at once leave the entries of one of them.

use std::fs::{self, DirBuilder};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::{KeyStore, KeysError};
use crate::context::Context;
use crate::trust::{Blake3Hash, CacheSecret};

/// More entries than this are not read: 32 MiB.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The stored verdicts of one project.
#[derive(Debug)]
pub struct VerdictStore {
    secret: CacheSecret,
    path: PathBuf,
}

impl VerdictStore {
    /// Opens the verdicts of the project at `root`. None without a secret that only this person can read.
    #[must_use]
    pub fn open(ctx: &Context, root: &Path) -> Option<Self> {
        Self::named(ctx, root, "")
    }

    /// Opens what is remembered of the history of the project at `root`, next to its verdicts.
    #[must_use]
    pub fn of_history(ctx: &Context, root: &Path) -> Option<Self> {
        Self::named(ctx, root, "-history")
    }

    fn named(ctx: &Context, root: &Path, suffix: &str) -> Option<Self> {
        let secret = secret(ctx).ok()??;
        let name = Blake3Hash::of(root.as_os_str().as_encoded_bytes());
        Some(Self { secret, path: ctx.cache_dir().ok()?.join("verdicts").join(format!("{name}{suffix}")) })
    }

    /// Returns what the entries are keyed with.
    #[must_use]
    pub const fn secret(&self) -> &CacheSecret {
        &self.secret
    }

    /// Reads the entries: none if the file is missing or unreadable.
    #[must_use]
    pub fn read(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let read = fs::File::open(&self.path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
        if read.is_ok() { bytes } else { Vec::new() }
    }

    /// Replaces the entries.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be written: nothing is lost by that.
    pub fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(bytes)?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Reads the secret, or makes it in a folder of keys that is there already: looking at a project makes no keys.
fn secret(ctx: &Context) -> Result<Option<CacheSecret>, KeysError> {
    let store = KeyStore::new(ctx)?;
    if let Some(bytes) = store.local_secret()? {
        return Ok(CacheSecret::read(&bytes));
    }
    if !store.exists() {
        return Ok(None);
    }
    let secret = CacheSecret::new(ctx.random()?);
    match store.write_local_secret(secret.as_bytes()) {
        Err(KeysError::Exists { .. }) => Ok(store.local_secret()?.and_then(|bytes| CacheSecret::read(&bytes))),
        written => written.map(|()| Some(secret)),
    }
}
