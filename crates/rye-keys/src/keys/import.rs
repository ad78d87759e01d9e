//! Taking a key from elsewhere as the person's.
//!
//! A key that is replaced is kept in `retired/`, with both halves and under its id, before anything else happens: its
//! signatures stay explicable. Commit point: where the new key is a file, its rename over the old one; where an
//! ssh-agent holds it, the removal of the old private half. In between the old key counts, since `NAME.pub` is not read
//! while `NAME` is there.

use std::fs;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::read::{comment_in, find_key};
use super::store::{NEW, REPLACED, held_at, make_private_dir, public_path, sync};
use super::{KeyInfo, KeyName, KeyStore, KeysError, PersonKey};
use crate::trust::KeyText;

/// What a replaced key is called.
const RETIRED: &str = "retired";

/// What became of a key that was taken from elsewhere.
#[derive(Debug)]
pub enum Import {
    /// It was the person's key before, and nothing was written.
    Unchanged,
    /// It is the person's key now; another one was replaced by it, or none.
    Imported(Option<KeyInfo>),
}

/// The work for a key.
enum Step {
    Nothing,
    Put,
    Replace(Box<KeyText>),
}

impl KeyStore {
    /// Makes `new` the person's key, after it was seen to open. It replaces another one only with `replace`.
    ///
    /// # Errors
    ///
    /// Fails when another key would be replaced without being told to, when the new key cannot be opened, and when the
    /// folder cannot be read or written.
    pub fn import(&self, new: &PersonKey, replace: bool) -> Result<Import, KeysError> {
        if let Step::Nothing = self.step(new, replace)? {
            return Ok(Import::Unchanged);
        }
        new.open()?;
        let _lock = self.lock()?;
        // Another process may have been faster while the passphrase was typed.
        let replaced = match self.step(new, replace)? {
            Step::Nothing => return Ok(Import::Unchanged),
            Step::Put => None,
            Step::Replace(old) => Some(self.retire(&old)?),
        };
        let comment = [new.path().to_path_buf(), public_path(new.path())]
            .iter()
            .find_map(|path| comment_in(path, &new.text().public()));
        self.put(new.text(), comment)?;
        Ok(Import::Imported(replaced))
    }

    fn step(&self, new: &PersonKey, replace: bool) -> Result<Step, KeysError> {
        let Some(old) = self.stored(KeyName::Person)? else { return Ok(Step::Put) };
        let new_only_completes =
            matches!((&old, new.text()), (KeyText::Public(_), KeyText::Open(_) | KeyText::Locked(_)));
        match old.public() == new.text().public() {
            true if new_only_completes => Ok(Step::Put),
            true => Ok(Step::Nothing),
            false if replace => Ok(Step::Replace(Box::new(old))),
            false => Err(KeysError::OtherKey { key_id: old.public().key_id(), from: new.path().to_path_buf() }),
        }
    }

    /// Writes the key. What it says of its holder stays with the public half, which others get to see.
    fn put(&self, new: &KeyText, comment: Option<String>) -> Result<(), KeysError> {
        let name = KeyName::Person;
        let path = self.path(name);
        if let Some(text) = private_text(new) {
            self.write(&path, 0o600, text.as_bytes(), REPLACED)?;
        }
        self.write_public(name, &new.public(), &comment.unwrap_or_else(|| name.comment()), REPLACED)?;
        if let KeyText::Public(_) = new { remove(&path) } else { Ok(()) }
    }

    /// Keeps a copy of a key under its id. A copy that is there already is as good.
    fn retire(&self, old: &KeyText) -> Result<KeyInfo, KeysError> {
        let dir = self.retired_dir();
        make_private_dir(&dir)?;
        let path = dir.join(old.public().key_id().as_str());
        if let Some(text) = private_text(old) {
            self.keep(&path, 0o600, &text)?;
        }
        let public = format!("{} {}, retired\n", old.public().to_openssh(), KeyName::Person.comment());
        self.keep(&public_path(&path), 0o644, &public)?;
        Ok(KeyInfo::of(RETIRED, old, held_at(&path, old)))
    }

    fn keep(&self, path: &Path, mode: u32, text: &str) -> Result<(), KeysError> {
        match self.write(path, mode, text.as_bytes(), NEW) {
            Err(KeysError::Exists { .. }) => Ok(()),
            written => written,
        }
    }

    /// Describes the copies of the person's keys that were replaced, by their ids.
    pub fn retired(&self) -> Result<Vec<KeyInfo>, KeysError> {
        let dir = self.retired_dir();
        let io = |source| KeysError::Io { action: "read", path: dir.clone(), source };
        let entries = match fs::read_dir(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(io)?,
        };
        let mut ids = Vec::new();
        for entry in entries {
            let path = entry.map_err(io)?.path();
            ids.extend(path.extension().is_some_and(|extension| extension == "pub").then(|| path.with_extension("")));
        }
        ids.sort();
        let described = |path: PathBuf| {
            let key = match find_key(&path)? {
                None => find_key(&public_path(&path))?,
                private => private,
            };
            Ok(key.map(|key| KeyInfo::of(RETIRED, &key, held_at(&path, &key))))
        };
        ids.into_iter().filter_map(|path| described(path).transpose()).collect()
    }
}

/// Returns a private half as it is written into a file, if it is at hand.
fn private_text(key: &KeyText) -> Option<Zeroizing<String>> {
    match key {
        KeyText::Open(key) => Some(key.to_openssh(&KeyName::Person.comment())),
        KeyText::Locked(key) => Some(key.to_openssh()),
        KeyText::Public(_) => None,
    }
}

/// Removes a file, for good. One that is not there is fine.
fn remove(path: &Path) -> Result<(), KeysError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(KeysError::Io { action: "remove", path: path.to_path_buf(), source }),
        Ok(()) => path.parent().map_or(Ok(()), sync),
    }
}
