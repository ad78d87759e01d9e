//! What stock git reads: `git_allowed_signers` and `git_revoked`, made anew from the decisions whenever one changes.
//!
//! git knows no scope, so the files of the folder itself hold only what counts everywhere, and each accepted project
//! has files of its own next to its pin, with the additional keys of that project. A revoked key is in no file of
//! signers. The agent's key is in both, since it signs the commits of threads.

use std::path::PathBuf;

use super::files::{read, replace};
use super::{Accepted, Project, TrustDir, own_key};
use crate::keys::{KeyName, KeyStore, KeysError};
use crate::trust::{Namespace, PublicKey, RevocationList, Scope, TrustedKey, with_signers};

/// The files that git's configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitFiles {
    /// For `gpg.ssh.allowedSignersFile`.
    pub allowed_signers: PathBuf,
    /// For `gpg.ssh.revocationFile`.
    pub revoked: PathBuf,
}

impl TrustDir {
    /// Returns the files to name for a project: its own, if something was accepted for it.
    #[must_use]
    pub fn git_files(&self, project: Option<&Project>) -> GitFiles {
        let own = project.map(|project| GitFiles::in_dir(self.project_dir(project)));
        own.filter(|files| files.allowed_signers.exists()).unwrap_or_else(|| GitFiles::in_dir(self.dir.clone()))
    }

    /// Makes the files anew where they are not as they should be, and returns those that count everywhere.
    pub fn write_git_files(&self, store: &KeyStore) -> Result<GitFiles, KeysError> {
        let is_current =
            |(path, text): &(PathBuf, String)| read(path).is_ok_and(|old| old == Some(text.clone().into()));
        if !self.for_git(store)?.iter().all(is_current) {
            let _lock = self.lock()?;
            for (path, text) in self.for_git(store)?.iter().filter(|file| !is_current(file)) {
                replace(path, text)?;
            }
        }
        Ok(GitFiles::in_dir(self.dir.clone()))
    }

    /// Returns each file with what it should hold, lists of revoked keys first.
    fn for_git(&self, store: &KeyStore) -> Result<Vec<(PathBuf, String)>, KeysError> {
        let agent = store.find_public(KeyName::Agent)?;
        let (revoked, keys) = (self.revoked()?, self.everywhere(store, agent)?);
        let mut files = GitFiles::in_dir(self.dir.clone()).holding(&keys, &revoked);
        for (folder, accepted) in self.every_project()? {
            let (mut keys, mut revoked) = (keys.clone(), revoked.clone());
            if let Some(Accepted { proposal, .. }) = accepted {
                keys.extend(proposal.keys().iter().filter(|key| Some(key.key) != agent).cloned());
                for key in proposal.revoked().iter() {
                    revoked.insert(key.clone());
                }
            }
            files.extend(GitFiles::in_dir(folder).holding(&keys, &revoked));
        }
        files.sort_by_key(|(path, _)| path.ends_with("git_allowed_signers"));
        Ok(files)
    }

    /// Returns the keys whose commits count in any repository, and the agent's for those of threads.
    fn everywhere(&self, store: &KeyStore, agent: Option<PublicKey>) -> Result<Vec<TrustedKey>, KeysError> {
        let decisions = self.read()?.into_iter().filter(|key| Some(key.key) != agent);
        let agent = agent.map(|agent| TrustedKey::new(agent, "rye-agent", ""));
        Ok(own_key(store)?.into_iter().chain(decisions).chain(agent).collect())
    }
}

impl GitFiles {
    fn in_dir(dir: PathBuf) -> Self {
        Self { allowed_signers: dir.join("git_allowed_signers"), revoked: dir.join("git_revoked") }
    }

    /// Puts keys and revoked keys into the two files.
    fn holding(self, keys: &[TrustedKey], revoked: &RevocationList) -> Vec<(PathBuf, String)> {
        let for_commits = |key: &&TrustedKey| {
            key.key.is_ssh() && !key.is_of_forge() && !revoked.contains(&key.key) && key.permits(Namespace::Git)
        };
        let line = |key: &TrustedKey| TrustedKey {
            namespaces: vec![Namespace::Git.as_str().to_owned()],
            scope: Scope::Everything,
            ..key.clone()
        };
        let lines: Vec<TrustedKey> = keys.iter().filter(for_commits).map(line).collect();
        vec![(self.revoked, revoked.for_openssh()), (self.allowed_signers, with_signers("", &lines))]
    }
}
