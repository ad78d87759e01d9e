//! Fetching no more of a repository than is read: one commit without its history, trees without their files, and then the files of one
//! folder. A server that offers less sends more.

use std::collections::BTreeSet;

use super::super::outage::Unreached;
use super::{SEEN, Upstream, UpstreamError};
use crate::git::{self, BlobId, CommitId, Extent, RemoteRef};

/// Where all branches and tags are kept.
const ALL: [&str; 2] = ["+refs/heads/*:refs/rye/all/heads/*", "+refs/tags/*:refs/rye/all/tags/*"];

impl Upstream<'_> {
    /// Fetches a ref or a commit, without its history unless the cache has that of others.
    pub(super) fn fetch_tip(&self, refspec: &str) -> Result<(), git::Error> {
        if self.has_whole_history() {
            return self.git.fetch(&self.url, &[refspec]);
        }
        match self.git.fetch_part(&self.url, &[refspec], Extent::Tip) {
            // Some servers know neither depth nor filters.
            Err(git::Error::Command { stderr, .. }) if Unreached::of(&stderr).is_none() => {
                self.git.fetch(&self.url, &[refspec])
            }
            fetched => fetched,
        }
    }

    /// Tells whether the cache has commits with all of their history.
    fn has_whole_history(&self) -> bool {
        let has_commits = ["refs/rye/seen", "packed-refs"].iter().any(|name| self.folder.join(name).exists());
        has_commits && !self.cache.is_shallow()
    }

    /// Fetches all commits that a branch or a tag leads to.
    pub(super) fn fetch_all_commits(&self) -> Result<(), UpstreamError> {
        let extent = if self.cache.is_shallow() { Extent::History } else { Extent::Commits };
        let fetched = match self.git.fetch_part(&self.url, &ALL, extent) {
            Err(git::Error::Command { stderr, .. }) if Unreached::of(&stderr).is_none() => {
                self.git.fetch(&self.url, &ALL)
            }
            fetched => fetched,
        };
        fetched.map_err(|error| self.unreached(error))
    }

    /// Fetches the one commit whose id begins like this: what a branch or a tag names, else one of their history.
    pub(super) fn fetch_short_id(&self, rev: &str) -> Result<CommitId, UpstreamError> {
        let refs = self.git.all_remote_refs(&self.url).map_err(|error| self.unreached(error))?;
        let named: Vec<&RemoteRef> = refs.iter().filter(|one| one.object_id.starts_with(rev)).collect();
        let ids: BTreeSet<&str> = named.iter().map(|one| one.object_id.as_str()).collect();
        if let (Some(first), 1) = (named.first(), ids.len()) {
            // The commit of a tag is listed behind the tag itself.
            let name = first.name.trim_end_matches("^{}").to_owned();
            let commit_id = self.fetch_ref(&RemoteRef { name, object_id: first.object_id.clone() })?;
            if commit_id.as_str().starts_with(rev) {
                return Ok(commit_id);
            }
        }
        self.fetch_all_commits()?;
        let unknown = |_| UpstreamError::UnknownRevision { url: self.url.clone(), rev: rev.to_owned() };
        let commit_id = self.cache.resolve(rev).map_err(unknown)?;
        match commit_id.as_str().starts_with(rev) {
            true => Ok(commit_id),
            false => Err(UpstreamError::UnknownRevision { url: self.url.clone(), rev: rev.to_owned() }),
        }
    }

    /// Makes sure that the history of commits is here. Where nothing is fetched it may not be.
    pub(super) fn has_history(&self, commits: &[&CommitId]) -> Result<bool, UpstreamError> {
        if !self.cache.is_shallow() {
            return Ok(true);
        }
        if self.is_offline {
            return Ok(false);
        }
        let refspecs: Vec<String> = commits.iter().map(|id| format!("+{id}:{SEEN}{id}")).collect();
        let refspecs: Vec<&str> = refspecs.iter().map(String::as_str).collect();
        if self.git.fetch_part(&self.url, &refspecs, Extent::History).is_err() {
            self.fetch_all_commits()?;
        }
        Ok(!self.cache.is_shallow())
    }

    /// Reads trees of a commit, which are fetched if they are not here.
    pub(super) fn with_trees<T>(
        &self,
        commit_id: &CommitId,
        read: impl Fn() -> Result<T, git::Error>,
    ) -> Result<T, git::Error> {
        match read() {
            Err(git::Error::Promised { .. } | git::Error::MissingObject { .. }) if !self.is_offline => {
                let tree_id = self.cache.tree_of(commit_id)?;
                self.git.fetch_objects(&self.url, &[tree_id.to_string()])?;
                read()
            }
            read => read,
        }
    }

    /// Fetches those of some files that are not here.
    pub(super) fn bring(&self, blob_ids: &[BlobId]) -> Result<(), UpstreamError> {
        let lacking: Vec<String> = self.cache.lacking(blob_ids).iter().map(ToString::to_string).collect();
        if lacking.is_empty() || self.is_offline {
            return Ok(());
        }
        self.git.fetch_objects(&self.url, &lacking).map_err(|error| self.unreached(error))
    }
}
