//! A git repository with another person's skills: fetched by the person's own git into a bare repository in the cache,
//! one for each URL.
//!
//! A branch or tag is asked for by its full name, so that one name never means two commits. Only its commit is fetched, with the trees
//! and then the files that are read, where the repository offers that (`part`); history comes when two commits are compared. Fetched
//! commits stay under `refs/rye/seen/ID`. The work on one repository holds the lock of its folder in
//! the state directory. A damaged cache is made again.

mod error;
mod files;
mod part;

use std::fs::File;
use std::path::{Path, PathBuf};

pub use error::UpstreamError;

use super::bare::{Transport, opened_at, remove};
use super::registries_toml;
use crate::context::Context;
use crate::git::{self, CommitId, Git, RemoteRef, Repository};
use crate::id::GitSource;
use crate::trust::ContentHash;

/// Where fetched commits stay.
const SEEN: &str = "refs/rye/seen/";

/// The most commits that are looked through to tell which of two came first.
const MAX_HISTORY: usize = 200_000;

/// How one commit of a repository came to be the one that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// It is the same commit.
    Same,
    /// It came from the other one.
    Newer,
    /// The other one came from it.
    Older,
    /// Neither came from the other, or the other one is gone.
    Apart,
}

/// A repository that is fetched from.
#[derive(Debug)]
pub struct Upstream<'c> {
    url: String,
    folder: PathBuf,
    cache: Repository,
    git: Git,
    ctx: &'c Context,
    transport: Transport,
    /// Whether nothing more is fetched.
    is_offline: bool,
    _lock: File,
}

impl<'c> Upstream<'c> {
    /// Opens the cache of a repository, made now if missing, and waits for other programs that work with it.
    pub fn open(ctx: &'c Context, transport: &Transport, url: &str) -> Result<Self, UpstreamError> {
        let digest = ContentHash::of(url.as_bytes()).to_string();
        let name = &digest[..32];
        let of_registry = UpstreamError::of_registry;
        let state = ctx.state_dir().map_err(|error| of_registry(error.into()))?.join("upstreams").join(name);
        let lock = registries_toml::lock(&state).map_err(of_registry)?;
        let folder = ctx.cache_dir().map_err(|error| of_registry(error.into()))?.join("upstreams").join(name);
        let (cache, git) = opened_at(ctx, transport, &folder).map_err(of_registry)?;
        let (url, transport) = (url.to_owned(), transport.clone());
        Ok(Self { url, folder, cache, git: git.for_upstream(), ctx, transport, is_offline: false, _lock: lock })
    }

    /// Makes the path of a repository of this machine absolute.
    ///
    /// # Errors
    ///
    /// Fails when the folder is missing, or its path cannot be written in one line.
    pub fn absolute(from: &Path, source: &GitSource) -> Result<GitSource, UpstreamError> {
        if !source.is_plain_path() {
            return Ok(source.clone());
        }
        let unknown = || UpstreamError::NoRepository { path: source.url().to_owned() };
        let folder = from.join(source.url()).canonicalize().map_err(|_| unknown())?;
        let folder = folder.to_str().ok_or_else(unknown)?;
        Ok(source.in_repository(folder)?)
    }

    /// Has it fetch nothing more: only what was fetched before is read.
    #[must_use]
    pub fn offline(self) -> Self {
        Self { is_offline: true, ..self }
    }

    /// Returns where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Fetches a branch, a tag or a commit, or the default branch, and returns its commit. A full commit id that was fetched before is not
    /// fetched again.
    ///
    /// # Errors
    ///
    /// Fails when the repository is not reached, has no such revision, or has a branch and a tag of that name with different commits.
    pub fn fetch(&mut self, source: &GitSource) -> Result<CommitId, UpstreamError> {
        match self.fetched(source) {
            Err(UpstreamError::Git(_)) => {
                self.make_again()?;
                self.fetched(source)
            }
            fetched => fetched,
        }
    }

    /// Makes the cache again, empty: all of it comes from the repository.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be removed or made.
    pub fn make_again(&mut self) -> Result<(), UpstreamError> {
        remove(&self.folder).map_err(UpstreamError::of_registry)?;
        let opened = opened_at(self.ctx, &self.transport, &self.folder);
        let (cache, git) = opened.map_err(UpstreamError::of_registry)?;
        (self.cache, self.git) = (cache, git.for_upstream());
        Ok(())
    }

    /// Returns a commit that was fetched before; none if it was not, or is damaged.
    #[must_use]
    pub fn cached(&self, commit_id: &CommitId) -> Option<CommitId> {
        self.cache.commit_info(commit_id).ok().map(|_| commit_id.clone())
    }

    /// Fetches a commit by its id, or what `rev` leads to where the repository no longer gives it out; none if it is gone.
    ///
    /// # Errors
    ///
    /// Fails when the repository is not reached.
    pub fn fetch_commit(&mut self, commit_id: &CommitId, rev: &GitSource) -> Result<Option<CommitId>, UpstreamError> {
        if let Some(commit_id) = self.cached(commit_id) {
            return Ok(Some(commit_id));
        }
        let refspec = format!("+{commit_id}:{SEEN}{commit_id}");
        if self.fetch_tip(&refspec).is_ok() {
            return Ok(self.cached(commit_id));
        }
        // A server may give out by id only what a ref leads to.
        match self.fetch(rev) {
            Ok(_) | Err(UpstreamError::UnknownRevision { .. }) => Ok(self.cached(commit_id)),
            Err(error) => Err(error),
        }
    }

    fn fetched(&self, source: &GitSource) -> Result<CommitId, UpstreamError> {
        let Some(rev) = source.rev() else {
            let head = self.remote_refs(&["HEAD"])?;
            let head = head.first().ok_or_else(|| UpstreamError::Empty { url: self.url.clone() })?;
            return self.fetch_ref(head);
        };
        let names = match rev.starts_with("refs/") {
            true => vec![rev.to_owned()],
            false => vec![format!("refs/tags/{rev}"), format!("refs/heads/{rev}")],
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if let Ok(commit_id) = CommitId::parse(rev) {
            let gone = || UpstreamError::UnknownRevision { url: self.url.clone(), rev: rev.to_owned() };
            return match self.cached(&commit_id) {
                Some(commit_id) => Ok(commit_id),
                None => self.fetch_id(&commit_id)?.ok_or_else(gone),
            };
        }
        let found = self.remote_refs(&names)?;
        match found.as_slice() {
            [] if is_short_id(rev) => self.fetch_short_id(rev),
            [] => Err(UpstreamError::UnknownRevision { url: self.url.clone(), rev: rev.to_owned() }),
            [one] => self.fetch_ref(one),
            several => {
                let commits = several.iter().map(|one| self.fetch_ref(one)).collect::<Result<Vec<_>, _>>()?;
                if commits.iter().all(|commit_id| *commit_id == commits[0]) {
                    return Ok(commits[0].clone());
                }
                Err(UpstreamError::Ambiguous { url: self.url.clone(), rev: rev.to_owned() })
            }
        }
    }

    /// Fetches a commit by its id, and where the server does not allow that, all branches and tags.
    fn fetch_id(&self, commit_id: &CommitId) -> Result<Option<CommitId>, UpstreamError> {
        let refspec = format!("+{commit_id}:{SEEN}{commit_id}");
        if self.fetch_tip(&refspec).is_err() {
            self.fetch_all_commits()?;
        }
        Ok(self.cached(commit_id))
    }

    fn fetch_ref(&self, remote: &RemoteRef) -> Result<CommitId, UpstreamError> {
        let kept = format!("{SEEN}{}", remote.object_id);
        let refspec = format!("+{}:{kept}", remote.name);
        self.fetch_tip(&refspec).map_err(|error| self.unreached(error))?;
        Ok(self.cache.resolve(&kept)?)
    }

    fn remote_refs(&self, names: &[&str]) -> Result<Vec<RemoteRef>, UpstreamError> {
        self.git.remote_refs(&self.url, names).map_err(|error| self.unreached(error))
    }

    fn unreached(&self, error: git::Error) -> UpstreamError {
        UpstreamError::unreached(&self.url, error)
    }

    /// Tells the relation of a commit to another one of the same repository.
    ///
    /// # Errors
    ///
    /// Fails when history is damaged or too long.
    pub fn order(&self, commit_id: &CommitId, other: &CommitId) -> Result<Order, UpstreamError> {
        if commit_id == other {
            return Ok(Order::Same);
        }
        if self.cached(other).is_none() || !self.has_history(&[commit_id, other])? {
            return Ok(Order::Apart);
        }
        if self.cache.is_ancestor(other, commit_id, MAX_HISTORY)? {
            return Ok(Order::Newer);
        }
        let is_older = self.cache.is_ancestor(commit_id, other, MAX_HISTORY)?;
        Ok(if is_older { Order::Older } else { Order::Apart })
    }
}

/// Tells whether a text may be the beginning of a commit's id.
fn is_short_id(rev: &str) -> bool {
    (7..40).contains(&rev.len()) && rev.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
