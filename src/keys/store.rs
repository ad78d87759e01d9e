//! The folder of private keys.
//!
//! Commit point of a new key: the finished, synced temporary file gets its name, which fails when the name is taken.
//! Two programs that start at once both end with the same key. The public half is written after, by the one whose
//! private half counts.

use std::fs::{self, DirBuilder, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};

use super::KeysError;
use crate::context::Context;
use crate::trust::{PublicKey, SigningKey};

/// Which of the two keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyName {
    /// The person's.
    Person,
    /// The agent's.
    Agent,
}

/// The folder `$XDG_CONFIG_HOME/rye/keys`.
#[derive(Debug)]
pub struct KeyStore {
    dir: PathBuf,
}

impl KeyName {
    /// Returns the file name of the private key.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}

impl KeyStore {
    /// Names the folder; nothing is read yet.
    ///
    /// # Errors
    ///
    /// Fails when there is no home folder.
    pub fn new(ctx: &Context) -> Result<Self, KeysError> {
        Ok(Self { dir: ctx.config_dir()?.join("keys") })
    }

    /// Returns the path of a key's file.
    #[must_use]
    pub fn path(&self, name: KeyName) -> PathBuf {
        self.dir.join(name.as_str())
    }

    /// Reads a key, if there is one.
    ///
    /// # Errors
    ///
    /// Fails when the file or the folder can be read by others, or the file is no usable key.
    pub fn find(&self, name: KeyName) -> Result<Option<SigningKey>, KeysError> {
        let path = self.path(name);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(KeysError::Io { action: "read", path, source }),
            Ok(_) => {
                check_mode(&self.dir)?;
                read_private(&path).map(Some)
            }
        }
    }

    /// Reads the public half of a key, if there is one.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::find`].
    pub fn find_public(&self, name: KeyName) -> Result<Option<PublicKey>, KeysError> {
        Ok(self.find(name)?.map(|key| key.public()))
    }

    /// Reads a key, or makes it. Returns whether it was made now.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::find`], and when the folder cannot be written.
    pub fn find_or_create(&self, ctx: &Context, name: KeyName) -> Result<(SigningKey, bool), KeysError> {
        if let Some(key) = self.find(name)? {
            return Ok((key, false));
        }
        match self.create(ctx, name) {
            Err(KeysError::Exists { path }) => Ok((read_private(&path)?, false)),
            created => Ok((created?, true)),
        }
    }

    /// Makes a new key.
    ///
    /// # Errors
    ///
    /// Fails when a key of that name exists, or the folder cannot be written.
    pub fn create(&self, ctx: &Context, name: KeyName) -> Result<SigningKey, KeysError> {
        let seed = zeroize::Zeroizing::new(ctx.random::<32>()?);
        let key = SigningKey::from_seed(&seed);
        let path = self.path(name);
        self.create_dir()?;
        let comment = format!("rye {} key", name.as_str());
        let public = format!("{} {comment}\n", key.public().to_openssh());
        self.write(&path, 0o600, key.to_openssh(&comment).as_bytes(), |file, path| file.persist_noclobber(path))?;
        self.write(&path.with_extension("pub"), 0o644, public.as_bytes(), |file, path| file.persist(path))?;
        Ok(key)
    }

    fn create_dir(&self) -> Result<(), KeysError> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.dir).map_err(|source| KeysError::Io {
            action: "create",
            path: self.dir.clone(),
            source,
        })?;
        check_mode(&self.dir)?;
        // A home folder may be a git repository: `git add .` there must not take the keys.
        match self.write(&self.dir.join(".gitignore"), 0o600, b"*\n", |file, path| file.persist_noclobber(path)) {
            Err(KeysError::Exists { .. }) => Ok(()),
            written => written,
        }
    }

    /// Writes a file, whole or not at all; `place` gives the finished file its name.
    fn write(&self, path: &Path, mode: u32, bytes: &[u8], place: Place) -> Result<(), KeysError> {
        let io = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AlreadyExists => KeysError::Exists { path: path.to_path_buf() },
            _ => KeysError::Io { action: "write", path: path.to_path_buf(), source },
        };
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(&self.dir)
            .map_err(io)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(io)?;
        place(file, path).map_err(|error| io(error.error))?;
        fs::File::open(&self.dir).and_then(|dir| dir.sync_all()).map_err(io)
    }
}

/// Gives a finished temporary file its name.
type Place = fn(NamedTempFile, &Path) -> Result<fs::File, PersistError>;

/// Reads a private key from any file, with its mode checked.
///
/// # Errors
///
/// Fails when the file can be read by others or is no usable key.
pub(super) fn read_private(path: &Path) -> Result<SigningKey, KeysError> {
    let io = |source| KeysError::Io { action: "read", path: path.to_path_buf(), source };
    let file = fs::File::open(path).map_err(io)?;
    check_bits(path, file.metadata().map_err(io)?.mode())?;
    let text = zeroize::Zeroizing::new(std::io::read_to_string(file).map_err(io)?);
    SigningKey::from_text(&text).map_err(|source| KeysError::Key { path: path.to_path_buf(), source })
}

fn check_mode(path: &Path) -> Result<(), KeysError> {
    let metadata =
        fs::metadata(path).map_err(|source| KeysError::Io { action: "read", path: path.to_path_buf(), source })?;
    check_bits(path, metadata.mode())
}

fn check_bits(path: &Path, mode: u32) -> Result<(), KeysError> {
    if mode & 0o077 == 0 { Ok(()) } else { Err(KeysError::LooseMode { path: path.to_path_buf(), mode: mode & 0o7777 }) }
}
