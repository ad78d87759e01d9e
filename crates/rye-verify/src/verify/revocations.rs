//! Keys that are revoked whoever judges: by the person, and by a file that the caller names.

use std::path::{Path, PathBuf};

use super::super::locate::LocateError;
use super::error::Error;
use crate::context::bounded;
use crate::keys::{KeysError, TrustDir};
use crate::project::Project;
use crate::trust::{KeyId, MAX_TRUST_FILE_BYTES, RevocationList};

/// Keys that count for nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Revoked {
    /// Those of the person.
    own: RevocationList,
    /// Where they lie.
    own_path: PathBuf,
    /// Those of the file.
    given: RevocationList,
}

impl Revoked {
    /// Reads the person's list, and the file if one is named.
    pub(super) fn read(project: &Project, file: Option<&Path>) -> Result<Self, Error> {
        let dir = TrustDir::new(project.context()).map_err(LocateError::from)?;
        let own = dir.revoked().map_err(LocateError::from)?;
        let given = file.map(|path| given(project.context().current_dir().join(path)));
        Ok(Self { own, own_path: dir.revoked_path(), given: given.transpose()?.unwrap_or_default() })
    }

    /// Returns all of them.
    pub(super) fn all(&self) -> RevocationList {
        let mut all = self.own.clone();
        for key in self.given.iter() {
            all.insert(key.clone());
        }
        all
    }

    /// Tells whether the person revoked a key.
    pub(super) fn is_own(&self, key_id: &KeyId) -> bool {
        self.own.iter().any(|revoked| revoked.key.key_id() == *key_id)
    }

    /// Says that the person revoked a key, and where; `None` if another person did.
    pub(super) fn because(&self, key_id: &KeyId) -> Option<String> {
        self.is_own(key_id).then(|| format!("you revoked this key, in `{}`", self.own_path.display()))
    }
}

fn given(path: PathBuf) -> Result<RevocationList, Error> {
    match bounded::read(&path, MAX_TRUST_FILE_BYTES as u64) {
        Err(error) if error.is_missing() => Err(Error::NoRevoked { path }),
        Err(error) => Err(LocateError::from(KeysError::from(error)).into()),
        Ok(bytes) => Ok(RevocationList::parse(&bytes, &path.display().to_string())?),
    }
}
