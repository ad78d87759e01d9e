//! An open repository and the facts about it.
//!
//! Cheap to clone (object store and configuration are shared); one clone per worker, it is not `Sync`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{CommitId, Error, GitEnvironment, Identity, Unusable, environment::Role};

/// An open git repository: see [`Repository::discover`], [`Repository::open`], [`Repository::init`].
#[derive(Debug, Clone)]
pub struct Repository {
    pub(super) inner: gix::Repository,
    common_dir: PathBuf,
    pub(super) environment: GitEnvironment,
}

/// A repository that OS threads share: each takes a handle of its own.
#[derive(Debug, Clone)]
pub struct SharedRepository {
    inner: gix::ThreadSafeRepository,
    common_dir: PathBuf,
    environment: GitEnvironment,
}

impl SharedRepository {
    /// Returns a handle for one OS thread. Cheap: object store and configuration are shared.
    #[must_use]
    pub fn handle(&self) -> Repository {
        let (common_dir, environment) = (self.common_dir.clone(), self.environment.clone());
        Repository { inner: self.inner.to_thread_local(), common_dir, environment }
    }

    /// Returns the top folder of the work tree, or `None` in a bare repository.
    #[must_use]
    pub fn work_dir(&self) -> Option<&Path> {
        self.inner.work_tree.as_deref()
    }
}

/// Where `HEAD` is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Head {
    /// On a branch without commits.
    Unborn {
        /// The full name, such as `refs/heads/main`.
        branch: String,
    },
    /// On a branch.
    Branch {
        /// The full name, such as `refs/heads/main`.
        name: String,
        /// Its commit.
        commit_id: CommitId,
    },
    /// On no branch.
    Detached {
        /// The commit.
        commit_id: CommitId,
    },
}

impl Head {
    /// Returns the commit, unless the branch is unborn.
    pub fn commit_id(&self) -> Option<&CommitId> {
        match self {
            Self::Unborn { .. } => None,
            Self::Branch { commit_id, .. } | Self::Detached { commit_id } => Some(commit_id),
        }
    }
}

/// The hash that names objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ObjectFormat {
    /// 40 hexadecimal digits, computed with collision detection.
    Sha1,
    /// 64 hexadecimal digits.
    Sha256,
}

impl ObjectFormat {
    /// Returns git's word for it: `sha1` or `sha256`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }

    /// Returns how many digits an id has.
    pub(super) const fn digits(self) -> usize {
        match self {
            Self::Sha1 => 40,
            Self::Sha256 => 64,
        }
    }
}

impl Repository {
    pub(super) fn new(inner: gix::Repository, environment: GitEnvironment) -> Self {
        let named = inner.common_dir();
        // A linked work tree names it by a detour (`.git/worktrees/NAME/../..`).
        let detour = named != inner.git_dir();
        let common_dir = detour.then(|| named.canonicalize().ok()).flatten().unwrap_or_else(|| named.to_owned());
        Self { inner, common_dir, environment }
    }

    /// Gives the repository to be shared.
    pub fn into_shared(self) -> SharedRepository {
        let Self { inner, common_dir, environment } = self;
        SharedRepository { inner: inner.into_sync(), common_dir, environment }
    }

    /// Returns a handle that keeps the objects it writes in memory: it reads them back, and the repository stays as it is.
    #[must_use]
    pub fn in_memory(&self) -> Self {
        let inner = self.inner.clone().with_object_memory();
        Self { inner, common_dir: self.common_dir.clone(), environment: self.environment.clone() }
    }

    /// Returns the top folder of the work tree, or `None` in a bare repository.
    pub fn work_dir(&self) -> Option<&Path> {
        self.inner.workdir()
    }

    /// Returns the top folder of the work tree.
    ///
    /// # Errors
    /// [`Unusable::Bare`] if there is none.
    pub fn require_work_dir(&self) -> Result<&Path, Error> {
        self.work_dir().ok_or_else(|| Unusable::Bare { git_dir: self.git_dir().to_owned() }.into())
    }

    /// Returns this work tree's own git directory: `HEAD` and index lie there.
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// Returns the git directory shared by all work trees: objects and branches lie there.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Lists the folders of objects, by their paths without links: its own, and those it borrows from.
    pub fn object_folders(&self) -> Vec<PathBuf> {
        let store = self.inner.objects.store_ref();
        // An unreadable part is missing, which is reported when one of its objects is needed.
        let borrowed = store.alternate_db_paths().unwrap_or_default();
        let folders = std::iter::once(store.path().to_owned()).chain(borrowed);
        folders.filter_map(|folder| folder.canonicalize().ok()).collect()
    }

    /// Tells whether the repository has no work tree.
    pub fn is_bare(&self) -> bool {
        self.work_dir().is_none()
    }

    /// Tells whether its configuration says that it has no work tree. The git folder of a work tree elsewhere says otherwise.
    pub fn is_declared_bare(&self) -> bool {
        let config = self.inner.config_snapshot();
        config.boolean("core.bare") == Some(true) && config.string("core.worktree").is_none()
    }

    /// Tells whether there is any ref.
    ///
    /// # Errors
    /// [`Error::ReadRef`].
    pub fn has_refs(&self) -> Result<bool, Error> {
        Ok(!self.references_below("refs/", |_| Ok(()))?.is_empty())
    }

    /// Tells whether history was cut off (`git clone --depth`).
    pub fn is_shallow(&self) -> bool {
        // An unreadable file of cut points cannot prove that history is whole.
        self.inner.is_shallow().unwrap_or(true)
    }

    /// Returns the hash that names objects here.
    pub fn object_format(&self) -> ObjectFormat {
        match self.inner.object_hash() {
            gix::hash::Kind::Sha256 => ObjectFormat::Sha256,
            _ => ObjectFormat::Sha1,
        }
    }

    /// Returns where `HEAD` is.
    ///
    /// # Errors
    /// [`Error::ReadRef`] if it cannot be read or leads to a broken ref.
    pub fn head(&self) -> Result<Head, Error> {
        let failed = |error: gix::Error| Error::ReadRef { name: "HEAD".into(), source: error.into() };
        let head = self.inner.head().map_err(failed)?;
        let name = head.referent_name().map(|name| name.as_bstr().to_string());
        let id = head.id().map(CommitId::from_gix);
        match (name, id) {
            (Some(name), Some(commit_id)) => Ok(Head::Branch { name, commit_id }),
            (Some(branch), None) => Ok(Head::Unborn { branch }),
            (None, Some(commit_id)) => Ok(Head::Detached { commit_id }),
            (None, None) => Err(Error::ReadRef { name: "HEAD".into(), source: "it names nothing".into() }),
        }
    }

    /// Returns who makes commits here by variables and configuration, or `None` if name or address is not set.
    pub fn committer(&self) -> Option<Identity> {
        self.environment.identity(Role::Committer, &self.inner.config_snapshot())
    }

    /// Returns who writes changes here by variables and configuration, or `None` if name or address is not set.
    pub fn author(&self) -> Option<Identity> {
        self.environment.identity(Role::Author, &self.inner.config_snapshot())
    }

    /// Returns whom git names as the author of a commit made in a folder, in a repository or not.
    #[must_use]
    pub fn author_in(dir: &Path, environment: &GitEnvironment) -> Option<Identity> {
        match Self::discover(dir, environment) {
            Ok(Some(repository)) => repository.author(),
            Ok(None) | Err(_) => environment.identity(Role::Author, &environment.load_globals(dir).ok()?),
        }
    }

    /// Tells whether git signs each commit here (`commit.gpgSign`).
    pub fn signs_commits(&self) -> bool {
        self.inner.config_snapshot().boolean("commit.gpgSign").unwrap_or(false)
    }

    /// Tells whether git knows an SSH key to sign with (`user.signingKey`, `gpg.ssh.defaultKeyCommand`).
    pub fn has_ssh_key(&self) -> bool {
        let config = self.inner.config_snapshot();
        let is_ssh = |key: String| key.contains('/') || key.starts_with("ssh-") || key.starts_with("key::");
        let is_named = config.string("user.signingKey").is_some_and(|key| is_ssh(key.to_string()));
        is_named || config.string("gpg.ssh.defaultKeyCommand").is_some()
    }

    /// Refuses a repository in which reading an object or a parent may be answered with another: replacements
    /// (`refs/replace/`) and grafts (`info/grafts`). Reading here follows neither; other git programs do, so whoever
    /// verifies history for them asks this first.
    ///
    /// # Errors
    /// [`Error::ReplaceRefs`], [`Error::Grafts`], or [`Error::ReadRef`].
    pub fn refuse_rewrites(&self) -> Result<(), Error> {
        if let Some(name) = self.names_below("refs/replace/")?.into_iter().next() {
            return Err(Error::ReplaceRefs { name });
        }
        let path = self.common_dir().join("info").join("grafts");
        if path.exists() { Err(Error::Grafts { path }) } else { Ok(()) }
    }
}
