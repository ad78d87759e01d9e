//! The folder of private keys.
//!
//! `NAME` is a private key in OpenSSH's form and `NAME.pub` its public half. Where only `NAME.pub` is there, an
//! ssh-agent holds the other. Commit point of a new key: the finished, synced temporary file gets its name, which fails
//! when the name is taken. Two programs that start at once both end with the same key. The public half is written after,
//! by the one whose private half counts.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};
use zeroize::Zeroizing;

use super::KeysError;
use super::read::{check_bits, check_mode, comment_in, find_key};
use crate::context::{Context, OwnFolder};
use crate::trust::{KeyError, KeyText, Passphrase, PublicKey, SigningKey};

/// The file of the secret that keys the caches of this machine.
const LOCAL_SECRET: &str = "verdict_secret";

/// The prefix of names of a temporary file.
const DRAFT: &str = ".new-";

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
    /// The configuration folder it lies in.
    own: OwnFolder,
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

    /// Returns the comment of a key without the name of a holder.
    #[must_use]
    pub fn comment(self) -> String {
        format!("rye {} key", self.as_str())
    }
}

impl KeyStore {
    /// Names the folder; nothing is read yet.
    ///
    /// # Errors
    ///
    /// Fails when there is no home folder.
    pub fn new(ctx: &Context) -> Result<Self, KeysError> {
        Ok(Self { dir: ctx.config_dir()?.join("keys"), own: ctx.own_config()? })
    }

    /// Returns the path of a private key's file.
    #[must_use]
    pub fn path(&self, name: KeyName) -> PathBuf {
        self.dir.join(name.as_str())
    }

    /// Returns the file that holds as much of a key as is here.
    #[must_use]
    pub fn held_at(&self, name: KeyName, key: &KeyText) -> PathBuf {
        held_at(&self.path(name), key)
    }

    pub(super) fn retired_dir(&self) -> PathBuf {
        self.dir.join("retired")
    }

    /// Reads a key as far as it can be read without its passphrase, if there is one.
    ///
    /// # Errors
    ///
    /// Fails when the file or the folder can be read by others or written by another user, or the file is not a usable
    /// key.
    pub fn stored(&self, name: KeyName) -> Result<Option<KeyText>, KeysError> {
        let path = self.path(name);
        let there = |path: &Path| fs::symlink_metadata(path).is_ok();
        if !there(&path) && !there(&public_path(&path)) {
            return Ok(None);
        }
        check_mode(&self.dir)?;
        self.own.check(&path)?;
        match find_key(&path)? {
            Some(KeyText::Public(_)) => Err(KeysError::Key { path, source: KeyError::PublicHalf }),
            Some(key) => Ok(Some(key)),
            None => self.stored_public(name),
        }
    }

    fn stored_public(&self, name: KeyName) -> Result<Option<KeyText>, KeysError> {
        let path = public_path(&self.path(name));
        self.own.check(&path)?;
        match find_key(&path)? {
            Some(KeyText::Public(key)) => Ok(Some(KeyText::Public(key))),
            Some(_) => Err(KeysError::Key { path, source: KeyError::NoKey }),
            None => Ok(None),
        }
    }

    /// Reads a key that can sign by itself, if there is one.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::stored`], and when the key has a passphrase or its public half only.
    pub fn find(&self, name: KeyName) -> Result<Option<SigningKey>, KeysError> {
        self.stored(name)?.map(|key| self.open(name, key)).transpose()
    }

    /// Reads the public half of a key, if there is one.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::stored`].
    pub fn find_public(&self, name: KeyName) -> Result<Option<PublicKey>, KeysError> {
        Ok(self.stored(name)?.map(|key| key.public()))
    }

    /// Reads a key, or makes it. Returns whether it was made now.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::find`], and when the folder cannot be written.
    pub fn find_or_create(&self, ctx: &Context, name: KeyName) -> Result<(SigningKey, bool), KeysError> {
        let (key, created) = self.stored_or_created(ctx, name)?;
        Ok((self.open(name, key)?, created))
    }

    /// Reads a key as far as it can be read without its passphrase, or makes it. Returns whether it was made now.
    pub(super) fn stored_or_created(&self, ctx: &Context, name: KeyName) -> Result<(KeyText, bool), KeysError> {
        if let Some(key) = self.stored(name)? {
            if has_leftovers(&self.dir) {
                // Files that cannot be removed now are removed later by a user who can.
                drop(self.lock());
            }
            return Ok((key, false));
        }
        match self.create(ctx, name) {
            Err(KeysError::Exists { path }) => {
                self.stored(name)?.map(|key| (key, false)).ok_or(KeysError::Exists { path })
            }
            created => created.map(|key| (KeyText::Open(key), true)),
        }
    }

    fn open(&self, name: KeyName, key: KeyText) -> Result<SigningKey, KeysError> {
        let closed = |source| Err(KeysError::Key { path: self.path(name), source });
        match key {
            KeyText::Open(key) => Ok(key),
            KeyText::Locked(_) => closed(KeyError::Encrypted),
            KeyText::Public(_) => closed(KeyError::PublicHalf),
        }
    }

    /// Makes a new key.
    ///
    /// # Errors
    ///
    /// Fails when a key of that name exists, or the folder cannot be written.
    pub fn create(&self, ctx: &Context, name: KeyName) -> Result<SigningKey, KeysError> {
        self.create_as(ctx, name, |key| Ok(key.to_openssh(&name.comment())))
    }

    /// Makes a new key behind a passphrase, which must not be empty.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::create`].
    pub fn create_protected(
        &self,
        ctx: &Context,
        name: KeyName,
        passphrase: &Passphrase,
    ) -> Result<SigningKey, KeysError> {
        self.create_as(ctx, name, |key| {
            Ok(key.to_openssh_protected(&name.comment(), passphrase, ctx.random()?, ctx.random()?))
        })
    }

    fn create_as(
        &self,
        ctx: &Context,
        name: KeyName,
        written: impl FnOnce(&SigningKey) -> Result<Zeroizing<String>, KeysError>,
    ) -> Result<SigningKey, KeysError> {
        let key = drafted(ctx)?;
        self.write_new(name, &key.public(), &written(&key)?)?;
        Ok(key)
    }

    /// Writes a key that was made in memory.
    pub(super) fn keep_new(&self, name: KeyName, key: &SigningKey) -> Result<(), KeysError> {
        self.write_new(name, &key.public(), &key.to_openssh(&name.comment()))
    }

    fn write_new(&self, name: KeyName, key: &PublicKey, text: &Zeroizing<String>) -> Result<(), KeysError> {
        let _lock = self.lock()?;
        if self.stored(name)?.is_some() {
            return Err(KeysError::Exists { path: self.path(name) });
        }
        self.write(&self.path(name), 0o600, text.as_bytes(), NEW)?;
        self.write_public(name, key, &name.comment(), REPLACED)
    }

    /// Returns what an imported key says of its holder; none for a key that was made here, which says nothing.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::stored`].
    pub fn comment(&self, name: KeyName) -> Result<Option<String>, KeysError> {
        let Some(key) = self.find_public(name)? else { return Ok(None) };
        let comment = comment_in(&public_path(&self.path(name)), &key);
        Ok(comment.filter(|comment| *comment != name.comment()))
    }

    /// Lists the keys whose file is missing.
    #[must_use]
    pub fn missing(&self) -> Vec<KeyName> {
        let is_there = |path: PathBuf| path.symlink_metadata().is_ok();
        let is_missing = |name: &KeyName| !is_there(self.path(*name)) && !is_there(public_path(&self.path(*name)));
        [KeyName::Person, KeyName::Agent].into_iter().filter(is_missing).collect()
    }

    /// Tells whether the folder is there.
    pub(super) fn exists(&self) -> bool {
        self.dir.is_dir()
    }

    /// Reads the secret that keys this machine's own caches, if there is one.
    pub(super) fn local_secret(&self) -> Result<Option<Zeroizing<Vec<u8>>>, KeysError> {
        let path = self.dir.join(LOCAL_SECRET);
        let io = |source| KeysError::Io { action: "read", path: path.clone(), source };
        let file = match fs::File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(io)?,
        };
        check_mode(&self.dir)?;
        self.own.check(&path)?;
        check_bits("private key", &path, file.metadata().map_err(io)?.mode())?;
        let mut bytes = Zeroizing::new(Vec::new());
        file.take(64).read_to_end(&mut bytes).map_err(io)?;
        Ok(Some(bytes))
    }

    /// Writes that secret, unless there is one.
    pub(super) fn write_local_secret(&self, bytes: &[u8]) -> Result<(), KeysError> {
        check_mode(&self.dir)?;
        self.own.check(&self.dir)?;
        // The holder of the lock removes temporary files.
        let _lock = self.lock()?;
        self.write(&self.dir.join(LOCAL_SECRET), 0o600, bytes, |file, path| file.persist_noclobber(path))
    }

    pub(super) fn write_public(
        &self,
        name: KeyName,
        key: &PublicKey,
        comment: &str,
        place: Place,
    ) -> Result<(), KeysError> {
        let text = format!("{} {comment}\n", key.to_openssh());
        self.write(&public_path(&self.path(name)), 0o644, text.as_bytes(), place)
    }

    /// Makes the folder and locks it, so that of two programs making or replacing a key one waits for the other.
    /// Leftovers of a killed program are removed: every file of the folder is written under the lock.
    pub(super) fn lock(&self) -> Result<File, KeysError> {
        make_private_dir(&self.dir)?;
        self.own.check(&self.dir)?;
        let io = |source| KeysError::Io { action: "write", path: self.dir.clone(), source };
        let folder = File::open(&self.dir).map_err(io)?;
        folder.lock().map_err(io)?;
        remove_leftovers(&self.dir).and_then(|()| remove_leftovers(&self.retired_dir())).map_err(io)?;
        // A home folder may be a git repository: `git add .` there must not take the keys.
        match self.write(&self.dir.join(".gitignore"), 0o600, b"*\n", NEW) {
            Ok(()) | Err(KeysError::Exists { .. }) => Ok(folder),
            Err(error) => Err(error),
        }
    }

    /// Writes a file of the folder, whole or not at all; `place` gives the finished file its name.
    pub(super) fn write(&self, path: &Path, mode: u32, bytes: &[u8], place: Place) -> Result<(), KeysError> {
        let io = |source: std::io::Error| match source.kind() {
            std::io::ErrorKind::AlreadyExists => KeysError::Exists { path: path.to_path_buf() },
            _ => KeysError::Io { action: "write", path: path.to_path_buf(), source },
        };
        let folder = path.parent().unwrap_or(&self.dir);
        let mut file = tempfile::Builder::new()
            .prefix(DRAFT)
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(folder)
            .map_err(io)?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(io)?;
        place(file, path).map_err(|error| io(error.error))?;
        sync(folder)
    }
}

/// Makes a key in memory.
pub(super) fn drafted(ctx: &Context) -> Result<SigningKey, KeysError> {
    Ok(SigningKey::from_seed(&Zeroizing::new(ctx.random::<32>()?)))
}

/// Lists the temporary files of a folder; none if the folder is missing.
fn leftovers(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let is_draft = entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT));
        if is_draft && entry.file_type()?.is_file() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn has_leftovers(dir: &Path) -> bool {
    leftovers(dir).is_ok_and(|found| !found.is_empty())
}

/// Removes the temporary files of a folder that is locked.
fn remove_leftovers(dir: &Path) -> std::io::Result<()> {
    leftovers(dir)?.into_iter().try_for_each(fs::remove_file)
}

/// Gives a finished temporary file its name.
pub(super) type Place = fn(NamedTempFile, &Path) -> Result<File, PersistError>;

/// The name must be free.
pub(super) const NEW: Place = |file, path| file.persist_noclobber(path);

/// The name may be taken: its former owner is gone.
pub(super) const REPLACED: Place = |file, path| file.persist(path);

/// Returns the file of a key's public half.
pub(super) fn public_path(private: &Path) -> PathBuf {
    private.with_added_extension("pub")
}

/// Returns the one of a key's two files that holds as much of it as is here.
pub(super) fn held_at(private: &Path, key: &KeyText) -> PathBuf {
    match key {
        KeyText::Open(_) | KeyText::Locked(_) => private.to_path_buf(),
        KeyText::Public(_) => public_path(private),
    }
}

/// Makes a folder that is closed to others, unless it is there already.
pub(super) fn make_private_dir(dir: &Path) -> Result<(), KeysError> {
    let io = |source| KeysError::Io { action: "create", path: dir.to_path_buf(), source };
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
    check_mode(dir)
}

/// Makes changes of a folder's names survive a crash.
pub(super) fn sync(dir: &Path) -> Result<(), KeysError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|source| KeysError::Io {
        action: "write",
        path: dir.to_path_buf(),
        source,
    })
}
