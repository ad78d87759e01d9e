//! Reading a plugin's folder: each file once, from the folder that was opened, as a regular file of bounded size.
//!
//! # Invariants
//!
//! - No link in a file's place is followed, and no pipe or device is waited for.
//! - The checked, shown, copied and opened bytes are the ones read here. No path is opened a second time.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use super::InstalledError;
use crate::format::plugin_manifest::{
    CheckedLibrary, CheckedManifest, Draft, MAX_PLUGIN_LIBRARY_BYTES, MAX_PLUGIN_MANIFEST_BYTES,
    MAX_PLUGIN_SIGNATURE_BYTES, Manifest, PLUGIN_MANIFEST, PLUGIN_SIGNATURE, PluginFault, check_manifest,
    plugin_manifest, plugin_manifest_draft,
};
use crate::trust::{ContentHash, Namespace, PublicKey, TrustedKeys, verify_armored};

/// The prefix of names of files that are not in place yet.
const DRAFT: &str = ".rye-tmp-";

/// A folder with a plugin, opened.
#[derive(Debug)]
pub struct PluginFolder {
    path: PathBuf,
    folder: OwnedFd,
}

/// A plugin whose signature and library were checked, with the bytes of its files.
#[derive(Debug)]
pub struct Checked {
    /// The library, with its checked manifest.
    pub library: CheckedLibrary,
    /// The bytes of the manifest.
    pub(super) manifest: Vec<u8>,
    /// The bytes of its signature.
    pub(super) signature: Vec<u8>,
}

impl Checked {
    /// Tells whether both are the same bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.manifest == other.manifest
            && self.signature == other.signature
            && self.library.bytes() == other.library.bytes()
    }
}

impl PluginFolder {
    /// Opens a folder that a person named. A link to it is followed.
    ///
    /// # Errors
    ///
    /// Fails when it does not exist or is not a folder.
    pub fn open(path: &Path) -> Result<Self, InstalledError> {
        Self::open_with(path, OFlags::empty())
    }

    /// Opens a folder, and no link to one.
    pub(super) fn open_real(path: &Path) -> Result<Self, InstalledError> {
        Self::open_with(path, OFlags::NOFOLLOW)
    }

    fn open_with(path: &Path, more: OFlags) -> Result<Self, InstalledError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | more;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(folder) => Ok(Self { path: path.to_owned(), folder }),
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => {
                Err(InstalledError::NotAFolder { path: path.to_owned() })
            }
            Err(code) => Err(InstalledError::Io { action: "read", path: path.to_owned(), source: code.into() }),
        }
    }

    /// Reads the manifest as its author wrote it.
    pub fn draft(&self) -> Result<Draft, InstalledError> {
        let bytes = self.read(PLUGIN_MANIFEST, MAX_PLUGIN_MANIFEST_BYTES)?;
        Ok(plugin_manifest_draft(&bytes).map_err(|reason| PluginFault::Manifest { reason })?)
    }

    /// Reads and checks the plugin.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be read, and says why the plugin does not count.
    pub fn check(&self, keys: &TrustedKeys) -> Result<Checked, InstalledError> {
        let (checked, manifest, signature) = self.checked_manifest(keys)?;
        let file = checked.library()?.file.clone();
        let bytes = self.read(&file, MAX_PLUGIN_LIBRARY_BYTES)?;
        Ok(Checked { library: checked.with_library(bytes)?, manifest, signature })
    }

    /// Returns the manifest, if it is complete and this key signed it.
    pub fn signed_by(&self, key: &PublicKey) -> Result<Option<Manifest>, InstalledError> {
        let (manifest, signature) = self.read_both()?;
        let envelope = String::from_utf8(signature.unwrap_or_default()).unwrap_or_default();
        let is_by = verify_armored(&envelope, Namespace::Plugin, &manifest).is_ok_and(|signer| signer == *key);
        Ok(plugin_manifest(&manifest).ok().filter(|_| is_by))
    }

    /// Writes manifest and signature. Each is replaced in one step; killed between both, the signature does not fit, and signing
    /// again mends it.
    pub fn write_signed(&self, manifest: &str, signature: &str) -> Result<(), InstalledError> {
        for (name, text) in [(PLUGIN_MANIFEST, manifest), (PLUGIN_SIGNATURE, signature)] {
            let failed = |source| InstalledError::Io { action: "write", path: self.path.join(name), source };
            self.replace(name, text.as_bytes()).map_err(failed)?;
        }
        Ok(())
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = format!("{DRAFT}{name}");
        // Left by a killed run.
        let _ = rustix::fs::unlinkat(&self.folder, &draft, AtFlags::empty());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut file = File::from(rustix::fs::openat(&self.folder, &draft, flags, Mode::from_raw_mode(0o644))?);
        file.write_all(bytes)?;
        file.sync_all()?;
        rustix::fs::renameat(&self.folder, &draft, &self.folder, name)?;
        Ok(rustix::fs::fsync(&self.folder)?)
    }

    /// Returns digest and size of a library.
    pub fn measure(&self, file: &str) -> Result<(ContentHash, u64), InstalledError> {
        let bytes = self.read(file, MAX_PLUGIN_LIBRARY_BYTES)?;
        Ok((ContentHash::of(&bytes), bytes.len() as u64))
    }

    fn checked_manifest(&self, keys: &TrustedKeys) -> Result<(CheckedManifest, Vec<u8>, Vec<u8>), InstalledError> {
        let (manifest, signature) = self.read_both()?;
        let checked = check_manifest(&manifest, signature.as_deref(), keys)?;
        Ok((checked, manifest, signature.unwrap_or_default()))
    }

    /// Reads the manifest and its signature, if there is one.
    fn read_both(&self) -> Result<(Vec<u8>, Option<Vec<u8>>), InstalledError> {
        let manifest = self.read(PLUGIN_MANIFEST, MAX_PLUGIN_MANIFEST_BYTES)?;
        let signature = match self.read(PLUGIN_SIGNATURE, MAX_PLUGIN_SIGNATURE_BYTES) {
            Err(InstalledError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => None,
            read => Some(read?),
        };
        Ok((manifest, signature))
    }

    /// Reads a file: regular, of at most `most` bytes.
    fn read(&self, name: &str, most: u64) -> Result<Vec<u8>, InstalledError> {
        let path = || self.path.join(name);
        let failed = |source| InstalledError::Io { action: "read", path: path(), source };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            // The error code for a link in the file's place depends on the system.
            Err(Errno::LOOP | Errno::MLINK | Errno::NXIO) => return Err(InstalledError::NotAFile { path: path() }),
            Err(code) => return Err(failed(code.into())),
        };
        let found = file.metadata().map_err(failed)?;
        if !found.is_file() {
            return Err(InstalledError::NotAFile { path: path() });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(found.len().min(most)).unwrap_or_default());
        file.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > most {
            return Err(InstalledError::TooLarge { path: path(), most });
        }
        Ok(bytes)
    }
}
