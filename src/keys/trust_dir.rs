//! The folder of trust decisions: `$XDG_CONFIG_HOME/rye/trust/allowed_signers`.
//!
//! A file in OpenSSH's format, so that stock git and ssh-keygen read it too. What a project brings never counts here.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{KeyName, KeyStore, KeysError};
use crate::context::Context;
use crate::trust::{Namespace, PublicKey, TrustedKey, TrustedKeys, allowed_signers_line, parse_allowed_signers};

/// The folder of trust decisions.
#[derive(Debug)]
pub struct TrustDir {
    dir: PathBuf,
}

impl TrustDir {
    /// Names the folder; nothing is read yet.
    ///
    /// # Errors
    ///
    /// Fails when there is no home folder.
    pub fn new(ctx: &Context) -> Result<Self, KeysError> {
        Ok(Self { dir: ctx.config_dir()?.join("trust") })
    }

    /// Returns the path of the decisions' file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.dir.join("allowed_signers")
    }

    /// Reads the decisions: none when there is no file.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read or understood in full, and when anybody may change it: whoever can write
    /// here decides what runs.
    pub fn read(&self) -> Result<Vec<TrustedKey>, KeysError> {
        refuse_writable_by_others(&self.dir)?;
        refuse_writable_by_others(&self.path())?;
        read_allowed_signers(&self.path()).map(Option::unwrap_or_default)
    }

    /// Adds keys that are not there yet and returns those added. Commit point: the rename over the old file.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read or written.
    pub fn add(&self, keys: &[TrustedKey]) -> Result<Vec<TrustedKey>, KeysError> {
        let _lock = self.lock()?;
        let known = self.read()?;
        let is_known = |key: &TrustedKey| known.iter().any(|other| same_decision(key, other));
        let new: Vec<TrustedKey> = keys.iter().filter(|key| !is_known(key)).cloned().collect();
        if !new.is_empty() {
            self.append(&new)?;
        }
        Ok(new)
    }

    /// Gathers everything the person trusts: their own key, their decisions, and the agent key for recognition.
    ///
    /// # Errors
    ///
    /// Fails when a key or the file cannot be read.
    pub fn trusted_keys(&self, store: &KeyStore) -> Result<TrustedKeys, KeysError> {
        let mut keys = TrustedKeys::default();
        if let Some(own) = own_key(store)? {
            keys.add(own);
        }
        let agent = store.find_public(KeyName::Agent)?;
        if let Some(agent) = agent {
            keys.set_agent(agent);
        }
        // A line for the agent's key must not make a model's signature a person's.
        self.read()?.into_iter().filter(|key| Some(key.key) != agent).for_each(|key| keys.add(key));
        Ok(keys)
    }

    /// Writes the file by which stock git verifies what the agent signed, and returns its path.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be written.
    pub fn write_git_allowed_signers(&self, agent: &PublicKey) -> Result<PathBuf, KeysError> {
        let path = self.dir.join("git_allowed_signers");
        let line = allowed_signers_line(&TrustedKey {
            namespaces: vec![Namespace::Git.as_str().to_owned()],
            ..TrustedKey::new(*agent, "rye-agent", "")
        });
        let text = format!("{line}\n");
        if fs::read_to_string(&path).is_ok_and(|known| known == text) {
            return Ok(path);
        }
        let _locked = self.lock()?;
        self.replace(&path, &text)?;
        Ok(path)
    }

    /// Makes the folder and locks it, so that of two programs adding at once neither loses what the other added.
    fn lock(&self) -> Result<fs::File, KeysError> {
        let io = |source| KeysError::Io { action: "write", path: self.dir.clone(), source };
        fs::create_dir_all(&self.dir).map_err(io)?;
        let folder = fs::File::open(&self.dir).map_err(io)?;
        folder.lock().map_err(io)?;
        Ok(folder)
    }

    fn append(&self, new: &[TrustedKey]) -> Result<(), KeysError> {
        let path = self.path();
        let io = |source| KeysError::Io { action: "write", path: path.clone(), source };
        let mut text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(io)?,
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for key in new {
            text.push_str(&allowed_signers_line(key));
            text.push('\n');
        }
        self.replace(&path, &text)
    }

    /// Writes a file of the folder. Commit point: the rename of a synced temporary file; then the folder is synced.
    fn replace(&self, path: &Path, text: &str) -> Result<(), KeysError> {
        let io = |source| KeysError::Io { action: "write", path: path.to_path_buf(), source };
        let mut file = tempfile::NamedTempFile::new_in(&self.dir).map_err(io)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(io)?;
        file.persist(path).map_err(|error| io(error.error))?;
        fs::File::open(&self.dir).and_then(|folder| folder.sync_all()).map_err(io)
    }
}

/// Reads an allowed_signers file, if it exists.
///
/// # Errors
///
/// Fails when it cannot be read or understood in full.
pub fn read_allowed_signers(path: &Path) -> Result<Option<Vec<TrustedKey>>, KeysError> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(KeysError::Io { action: "read", path: path.to_path_buf(), source }),
        Ok(text) => Ok(Some(parse_allowed_signers(&text, &path.display().to_string())?)),
    }
}

/// Refuses a file or folder that everybody may write to; what does not exist is fine.
fn refuse_writable_by_others(path: &Path) -> Result<(), KeysError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.mode() & 0o002 != 0 => {
            Err(KeysError::WritableByOthers { path: path.to_path_buf(), mode: metadata.mode() & 0o7777 })
        }
        _ => Ok(()),
    }
}

fn own_key(store: &KeyStore) -> Result<Option<TrustedKey>, KeysError> {
    Ok(store.find_public(KeyName::Person)?.map(|key| TrustedKey::new(key, "you", "your own key")))
}

fn same_decision(a: &TrustedKey, b: &TrustedKey) -> bool {
    TrustedKey { origin: String::new(), ..a.clone() } == TrustedKey { origin: String::new(), ..b.clone() }
}
