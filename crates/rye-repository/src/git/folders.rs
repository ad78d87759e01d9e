//! The folders of a commit, of the index and of what a commit changes, each by its path: in which of them something may lie that is
//! looked for by names.
//!
//! Links and submodules are listed as well, since a checkout can make them lead to a folder. Characters that are not UTF-8 are replaced.

use std::path::Path;

use gix::{
    bstr::ByteSlice,
    index::entry::Mode as IndexMode,
    objs::{Kind, TreeRefIter, tree::EntryKind},
};

use super::{CommitId, Error, Repository, read::corrupt, stage::mode_of, tree::text, walk::join};

/// The most folders that are listed.
const MOST_FOLDERS: usize = 200_000;

/// The longest path of a folder, in bytes: no checkout has a longer one.
const LONGEST_PATH: usize = 4096;

/// The most entries that are compared to find what a commit changes.
const MOST_COMPARED: usize = 2_000_000;

/// A folder, or something that can lead to one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KnownFolder {
    /// From the top.
    pub path: String,
    /// Whether it is a symbolic link or a submodule.
    pub is_link: bool,
}

impl Repository {
    /// Lists the folders, links and submodules of a commit.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`] for more than 200,000; otherwise as [`commit_info`](Self::commit_info).
    pub fn folders(&self, commit_id: &CommitId) -> Result<Vec<KnownFolder>, Error> {
        let mut found = Vec::new();
        self.add_folders("", self.tree_of(commit_id)?.to_gix(), &mut found)?;
        Ok(found)
    }

    /// Lists the folders, links and submodules in the index; `index_file` is the one a git hook was told, `None` the work tree's own.
    ///
    /// # Errors
    /// [`Error::ReadIndex`], and as [`folders`](Self::folders).
    pub fn indexed_folders(&self, index_file: Option<&Path>) -> Result<Vec<KnownFolder>, Error> {
        let Some(index) = self.index_at(index_file)? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut last = String::new();
        for entry in index.entries() {
            let path = entry.path(&index).to_str_lossy();
            if entry.mode == IndexMode::DIR {
                let prefix = path.trim_end_matches('/');
                put_above(&format!("{prefix}/"), &mut last, &mut found);
                self.add_folders(prefix, entry.id, &mut found)?;
                continue;
            }
            put_above(&path, &mut last, &mut found);
            if mode_of(entry.mode).is_some_and(super::Mode::is_link) {
                found.push(KnownFolder { path: path.into_owned(), is_link: true });
            }
            check_count(found.len())?;
        }
        Ok(found)
    }

    /// Lists the paths that a commit changes, given its parents, each with whether it has a link or a submodule there.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below).
    pub fn changed_paths(&self, parents: &[CommitId], commit_id: &CommitId) -> Result<Vec<KnownFolder>, Error> {
        let changes = self.changes_below(parents, commit_id, "", MOST_COMPARED)?.into_iter();
        let is_link = |entry: &super::TreeEntry| entry.mode.is_link();
        Ok(changes
            .map(|change| KnownFolder { is_link: change.after.as_ref().is_some_and(is_link), path: change.path })
            .collect())
    }

    /// Adds what lies below the folder `above` with this tree.
    fn add_folders(&self, above: &str, tree: gix::ObjectId, found: &mut Vec<KnownFolder>) -> Result<(), Error> {
        let mut folders = vec![(above.to_owned(), tree)];
        while let Some((folder, id)) = folders.pop() {
            let data = self.object(id, Kind::Tree)?;
            for entry in TreeRefIter::from_bytes(&data, self.inner.object_hash()) {
                let entry = entry.map_err(|error| corrupt(id, error))?;
                let path = join(&folder, &text(entry.filename));
                let is_link = match entry.mode.kind() {
                    EntryKind::Blob | EntryKind::BlobExecutable => continue,
                    EntryKind::Link | EntryKind::Commit => true,
                    EntryKind::Tree => false,
                };
                if path.len() > LONGEST_PATH {
                    let path = path.chars().take(60).collect();
                    return Err(Error::UnsafePath { path, reason: format!("it is longer than {LONGEST_PATH} bytes") });
                }
                if !is_link {
                    folders.push((path.clone(), entry.oid.to_owned()));
                }
                found.push(KnownFolder { path, is_link });
                check_count(found.len())?;
            }
        }
        Ok(())
    }
}

impl KnownFolder {
    /// Lists the folders that paths lie in, and those of the paths that are links.
    #[must_use]
    pub fn around(paths: &[Self]) -> Vec<Self> {
        let (mut found, mut last) = (Vec::new(), String::new());
        for known in paths {
            put_above(&known.path, &mut last, &mut found);
            found.extend(known.is_link.then(|| known.clone()));
        }
        found
    }
}

/// Adds the folders that a path lies in, except those that the `last` one lay in as well.
fn put_above(path: &str, last: &mut String, found: &mut Vec<KnownFolder>) {
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    if above == last {
        return;
    }
    for end in above.match_indices('/').map(|(at, _)| at).chain([above.len()]).filter(|end| *end > 0) {
        let is_known = last.starts_with(&above[..end]) && matches!(last.as_bytes().get(end), None | Some(b'/'));
        if !is_known {
            found.push(KnownFolder { path: above[..end].to_owned(), is_link: false });
        }
    }
    above.clone_into(last);
}

const fn check_count(count: usize) -> Result<(), Error> {
    if count > MOST_FOLDERS {
        return Err(Error::TooManyEntries { path: String::new(), limit: MOST_FOLDERS });
    }
    Ok(())
}
