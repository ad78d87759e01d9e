//! The folder of trust decisions: `$XDG_CONFIG_HOME/rye/trust`.
//!
//! - `allowed_signers`: keys that count for everything; `revoked`: keys that never count
//! - `namespaces/REGISTRY/NAMESPACE`: keys that count for ids below that namespace
//! - `projects/…`: proposals of projects that were accepted (`projects`)
//! - `git_allowed_signers`, `git_revoked`: made from all of these, for stock git (`for_git`)
//!
//! Everything is in OpenSSH's formats, so that stock git and ssh-keygen read it too. Trust files of a project do not
//! count before they are here. Every write holds the folder's lock, so that of two programs neither loses what the
//! other decided; a file or folder that another user can change is not trusted. Commit point: the rename of a synced
//! temporary file.

mod dir;
mod files;
mod for_git;
mod project_files;
mod projects;

use std::path::{Path, PathBuf};

use self::files::{replace, text};
use super::{KeyName, KeyStore, KeysError};
use crate::context::{Context, bounded};
use crate::id::{Segment, Timestamp, Zone};
use crate::trust::{
    AllowedSigners, MAX_TRUST_FILE_BYTES, PublicKey, RevocationList, RevokedKey, Scope, TrustedKey, TrustedKeys,
    parse_allowed_signers, remove_signer, rename_signer, retire_signer, with_revoked, with_signers,
};

pub use dir::TrustDir;
pub use for_git::GitFiles;
pub use project_files::{ProjectFiles, project_config};
pub use projects::{Accepted, Project};

impl TrustDir {
    /// Names the folder; nothing is read yet.
    ///
    /// # Errors
    ///
    /// Fails when there is no home folder.
    pub fn new(ctx: &Context) -> Result<Self, KeysError> {
        Ok(Self { dir: ctx.config_dir()?.join("trust"), own: ctx.own_config()?, zone: ctx.zone() })
    }

    /// Returns the path of the file of keys that count for everything.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.dir.join("allowed_signers")
    }

    /// Returns the path of the list of revoked keys.
    #[must_use]
    pub fn revoked_path(&self) -> PathBuf {
        self.dir.join("revoked")
    }

    /// Returns the file that decisions of a scope are written in; none for a project's, which are accepted as a whole.
    #[must_use]
    pub fn path_of(&self, scope: &Scope) -> Option<PathBuf> {
        match scope {
            Scope::Everything => Some(self.path()),
            Scope::Namespace { registry, namespace } => Some(self.namespaces().join(registry).join(namespace)),
            Scope::Project => None,
        }
    }

    /// Reads the decisions that count for everything: none without a file.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read or understood in full, and when another user may change it: the writer
    /// decides which programs run.
    pub fn read(&self) -> Result<Vec<TrustedKey>, KeysError> {
        self.signers(&self.path(), &Scope::Everything)
    }

    /// Reads every decision of the person's, whatever its scope.
    ///
    /// # Errors
    ///
    /// As [`TrustDir::read`].
    pub fn decisions(&self) -> Result<Vec<TrustedKey>, KeysError> {
        let mut decisions = Vec::new();
        for (scope, path) in self.decision_files()? {
            decisions.extend(self.signers(&path, &scope)?);
        }
        Ok(decisions)
    }

    fn decision_files(&self) -> Result<Vec<(Scope, PathBuf)>, KeysError> {
        let mut files = vec![(Scope::Everything, self.path())];
        files.extend(self.namespace_files()?);
        Ok(files)
    }

    /// Reads the revoked keys.
    ///
    /// # Errors
    ///
    /// As [`TrustDir::read`].
    pub fn revoked(&self) -> Result<RevocationList, KeysError> {
        let path = self.revoked_path();
        let bytes = self.bytes(&path)?.unwrap_or_default();
        Ok(RevocationList::parse(&bytes, &path.display().to_string())?)
    }

    /// Gathers everything that counts: the person's own key, their decisions and revocations, what they accepted for
    /// `project`, and the agent key for recognition.
    pub fn trusted_keys(&self, store: &KeyStore, project: Option<&Project>) -> Result<TrustedKeys, KeysError> {
        let mut keys = TrustedKeys::default();
        if let Some(own) = own_key(store)? {
            keys.add(own);
        }
        let agent = store.find_public(KeyName::Agent)?;
        if let Some(agent) = agent {
            keys.set_agent(agent);
        }
        for (scope, path) in self.decision_files()? {
            let mut file = self.file(&path, &scope)?;
            file.keys.retain(|key| Some(key.key) != agent);
            keys.add_file(file);
        }
        keys.revoke(&self.revoked()?, &Scope::Everything);
        if let Some(accepted) = project.map(|project| self.accepted(project)).transpose()?.flatten() {
            accepted.proposal.join(&mut keys);
        }
        Ok(keys)
    }

    /// Adds keys that are not there yet, each to the file of its scope, and returns those added.
    pub fn add(&self, keys: &[TrustedKey]) -> Result<Vec<TrustedKey>, KeysError> {
        let _lock = self.lock()?;
        let mut added: Vec<TrustedKey> = Vec::new();
        for key in keys {
            let Some(path) = self.path_of(&key.scope) else { continue };
            let known = self.signers(&path, &key.scope)?;
            if !known.iter().any(|known| same_decision(known, key)) {
                replace(&path, with_signers(&text(&path, self.bytes(&path)?)?, std::slice::from_ref(key)))?;
                added.push(key.clone());
            }
        }
        Ok(added)
    }

    /// Gives the lines of a key in the file of its scope the holder that it names, and returns those that changed, as they
    /// were.
    pub fn rename(&self, key: &TrustedKey) -> Result<Vec<TrustedKey>, KeysError> {
        let _lock = self.lock()?;
        let Some(path) = self.path_of(&key.scope) else { return Ok(Vec::new()) };
        let mut before = self.signers(&path, &key.scope)?;
        before.retain(|known| known.key == key.key && known.principal != key.principal);
        if !before.is_empty() {
            let old = text(&path, self.bytes(&path)?)?;
            replace(&path, rename_signer(&old, (&path.display().to_string(), &self.zone), &key.key, &key.principal))?;
        }
        Ok(before)
    }

    /// Ends the validity of a key on each of its lines, and returns the files that changed.
    pub fn retire(&self, key: &PublicKey, at: Timestamp) -> Result<Vec<PathBuf>, KeysError> {
        self.edit(|text, origin| retire_signer(text, (origin, &self.zone), key, at))
    }

    /// Takes out each line of a key, and returns the files that changed.
    pub fn remove(&self, key: &PublicKey) -> Result<Vec<PathBuf>, KeysError> {
        self.edit(|text, origin| remove_signer(text, (origin, &self.zone), key))
    }

    /// Takes back every decision about namespaces of a registry, and returns the namespaces.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be removed.
    pub fn remove_registry(&self, registry: &Segment) -> Result<Vec<String>, KeysError> {
        let _lock = self.lock()?;
        let mut ended = Vec::new();
        for (scope, path) in self.namespace_files()? {
            if let Scope::Namespace { registry: own, namespace } = scope
                && own == registry.as_str()
            {
                replace(&path, "")?;
                ended.push(namespace);
            }
        }
        Ok(ended)
    }

    /// Revokes a key; tells whether it was not revoked yet.
    pub fn revoke(&self, revoked: &RevokedKey) -> Result<bool, KeysError> {
        let _lock = self.lock()?;
        let path = self.revoked_path();
        let old = text(&path, self.bytes(&path)?)?;
        let new = with_revoked(&old, &path.display().to_string(), revoked)?;
        if new == old {
            return Ok(false);
        }
        replace(&path, &new).map(|()| true)
    }

    /// Changes every file of decisions.
    fn edit(&self, change: impl Fn(&str, &str) -> String) -> Result<Vec<PathBuf>, KeysError> {
        let _lock = self.lock()?;
        let mut changed = Vec::new();
        let others = self.namespace_files()?.into_iter().map(|(_, path)| path);
        for path in std::iter::once(self.path()).chain(others) {
            let old = text(&path, self.bytes(&path)?)?;
            let new = change(&old, &path.display().to_string());
            if new != old {
                replace(&path, &new)?;
                changed.push(path);
            }
        }
        Ok(changed)
    }

    fn signers(&self, path: &Path, scope: &Scope) -> Result<Vec<TrustedKey>, KeysError> {
        Ok(self.file(path, scope)?.keys)
    }

    fn file(&self, path: &Path, scope: &Scope) -> Result<AllowedSigners, KeysError> {
        let bytes = self.bytes(path)?.unwrap_or_default();
        let mut file = parse_allowed_signers(bytes, &path.display().to_string(), &self.zone);
        file.keys.iter_mut().for_each(|key| key.scope = scope.clone());
        Ok(file)
    }

    fn namespaces(&self) -> PathBuf {
        self.dir.join("namespaces")
    }

    /// Returns the files of namespaces. A file with another name, such as an editor's copy, decides nothing.
    fn namespace_files(&self) -> Result<Vec<(Scope, PathBuf)>, KeysError> {
        let mut files = Vec::new();
        for registry in self.names(&self.namespaces())? {
            let folder = self.namespaces().join(&registry);
            for namespace in self.names(&folder)? {
                let scope = Scope::of_namespace(&format!("{registry}/{namespace}"));
                files.extend(scope.map(|scope| (scope, folder.join(namespace))));
            }
        }
        Ok(files)
    }
}

/// Reads an allowed_signers file, if it exists. `zone` is that of times which name none.
///
/// # Errors
///
/// Fails when it cannot be read.
pub fn read_allowed_signers(path: &Path, zone: &Zone) -> Result<Option<AllowedSigners>, KeysError> {
    let bytes = match bounded::read(path, MAX_TRUST_FILE_BYTES as u64) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes?,
    };
    Ok(Some(parse_allowed_signers(bytes, &path.display().to_string(), zone)))
}

fn own_key(store: &KeyStore) -> Result<Option<TrustedKey>, KeysError> {
    Ok(store.find_public(KeyName::Person)?.map(|key| TrustedKey::new(key, "you", "your own key")))
}

fn same_decision(a: &TrustedKey, b: &TrustedKey) -> bool {
    TrustedKey { origin: String::new(), ..a.clone() } == TrustedKey { origin: String::new(), ..b.clone() }
}
