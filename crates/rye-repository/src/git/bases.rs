//! What the next commit of this work tree will build on, and what keeps one from being made.
//!
//! A merge that waits for its commit has further parents in `MERGE_HEAD`; a commit being picked has its changes from
//! `CHERRY_PICK_HEAD`. Content that such a commit has already is not a change of the next one's author.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    io::{ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use gix::objs::Kind;

use super::{BlobId, CommitId, Error, Repository, TreeId};
use crate::context::bounded;

/// Where git notes down, one id a line, what goes into the next commit in addition to `HEAD`.
const PENDING: [&str; 2] = ["MERGE_HEAD", "CHERRY_PICK_HEAD"];

/// What git keeps in the folder of a work tree while something is not ended, and what that is.
const UNFINISHED: [(&str, &str); 7] = [
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("SQUASH_MSG", "squashed merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("sequencer", "sequence of picks"),
];

/// What git writes while it merges, picks, reverts or unstashes, and removes with the commit.
const WAITING: [&str; 3] = ["MERGE_MSG", "SQUASH_MSG", MIXED];

/// Where git notes down, an id at the beginning of each line, what was fetched and where `HEAD` was.
const NOTED: [&str; 2] = ["FETCH_HEAD", "ORIG_HEAD"];

/// How much of such a file is read, in bytes.
const MOST_NOTED: u64 = 1024 * 1024;

/// How much of a file is read that may be a ref, in bytes.
const MOST_OF_REF: u64 = 4096;

/// Where each work tree has refs for itself, in its git folder. They are never packed.
const OWN_REFS: [&str; 3] = ["refs/bisect", "refs/rewritten", "refs/worktree"];

/// The tree that git made of both sides of a merge: each side is listed by itself.
const MIXED: &str = "AUTO_MERGE";

/// How deep the folders of such refs are looked into.
const DEEPEST: usize = 8;

impl Repository {
    /// Lists the commits that changes of the next one are told from: `HEAD`, and those being merged or picked. None on an
    /// unborn branch.
    ///
    /// # Errors
    /// [`Error::ReadRef`], or [`Error::InvalidId`] for a file that holds no ids.
    pub fn bases(&self) -> Result<Vec<CommitId>, Error> {
        let mut bases: Vec<CommitId> = self.head()?.commit_id().cloned().into_iter().collect();
        for name in PENDING {
            let text = match bounded::read_text(&self.git_dir().join(name), MOST_NOTED) {
                Err(error) if error.is_missing() => continue,
                text => text.map_err(|source| Error::ReadRef { name: name.to_owned(), source: source.into() })?,
            };
            for line in text.lines() {
                bases.push(CommitId::parse(line.trim_end())?);
            }
        }
        Ok(bases)
    }

    /// Lists sources of content from outside of this branch: every ref, also those of other work trees and those next
    /// to `HEAD`, all entries of the stash, the records of a fetch, a reset, a merge or a pick, and the `HEAD` of every
    /// work tree; each object once, by the first of its names.
    ///
    /// # Errors
    /// [`Error::ReadRef`].
    pub fn other_tips(&self) -> Result<Vec<(String, Tip)>, Error> {
        let refs = self.references_below("refs/", |found| {
            let name = found.name().as_bstr().to_string();
            // A symbolic ref is listed by its own name, and a dangling one has no files.
            Ok(found.clone().peel_to_id().ok().map(|id| (name, id.detach())))
        })?;
        let mut ids: Vec<(String, gix::ObjectId)> = refs.into_iter().flatten().collect();
        let native = |text: &str| CommitId::parse(text).ok().and_then(|commit_id| self.native(commit_id.to_gix()).ok());
        // Older entries of the stash are in its reflog alone.
        let stash = noted(self.common_dir(), "logs/refs/stash")?.unwrap_or_default();
        let entries = stash.lines().filter_map(|line| native(line.split(' ').nth(1)?));
        ids.extend(entries.map(|id| ("refs/stash".to_owned(), id)));
        for (tree, git_dir) in self.all_git_dirs() {
            for name in NOTED.into_iter().chain(PENDING).chain(["HEAD"]) {
                let (is_here, is_head) = (git_dir == self.git_dir(), name == "HEAD");
                if is_here && is_head {
                    continue;
                }
                let Some(text) = noted(&git_dir, name)? else { continue };
                // A branch is listed by its name; an invalid id leads nowhere.
                let found = text.lines().filter_map(|line| native(line.split_whitespace().next()?));
                let name = if is_here { name.to_owned() } else { tree.clone() };
                ids.extend(found.map(|id| (name.clone(), id)));
            }
            for path in own_refs(&git_dir) {
                // A symbolic one leads to a ref that is listed by its own name.
                let Some(id) = beginning(&path).as_deref().and_then(native) else { continue };
                let name = path.strip_prefix(&git_dir).unwrap_or(&path).display().to_string();
                ids.push((if git_dir == self.git_dir() { name } else { tree.clone() }, id));
            }
        }
        let mut known = BTreeSet::new();
        ids.retain(|(_, id)| known.insert(*id));
        let mut tips = Vec::new();
        for (name, id) in ids {
            let kind_of = |id| {
                let header = self.inner.try_find_header(id);
                let header = header.map_err(|error| Error::ReadRef { name: name.clone(), source: error.into() })?;
                Ok::<_, Error>(header.map(|header| header.kind()))
            };
            let (id, kind) = match kind_of(id)? {
                Some(Kind::Tag) => (self.tagged(id), kind_of(self.tagged(id))?),
                kind => (id, kind),
            };
            match kind {
                Some(Kind::Commit) => tips.push((name, Tip::Commit(CommitId::from_gix(id)))),
                Some(Kind::Tree) => tips.push((name, Tip::Tree(TreeId::from_gix(id)))),
                Some(Kind::Blob) => tips.push((name, Tip::Blob(BlobId::from_gix(id)))),
                // A missing object is not a source of content.
                Some(Kind::Tag) | None => {}
            }
        }
        Ok(tips)
    }

    /// Returns what a tag leads to; the tag itself where that cannot be told.
    fn tagged(&self, id: gix::ObjectId) -> gix::ObjectId {
        let end = self.inner.find_object(id).ok().and_then(|tag| tag.peel_tags_to_end().ok());
        end.map_or(id, |end| end.id)
    }

    /// Lists the git directories of all work trees, each with what to call it.
    fn all_git_dirs(&self) -> Vec<(String, PathBuf)> {
        let mut dirs = vec![("the main work tree".to_owned(), self.common_dir().to_owned())];
        for entry in fs::read_dir(self.common_dir().join("worktrees")).into_iter().flatten().flatten() {
            dirs.push((format!("the work tree {}", entry.file_name().display()), entry.path()));
        }
        if dirs.iter().all(|(_, dir)| dir != self.git_dir()) {
            dirs.push(("this work tree".to_owned(), self.git_dir().to_owned()));
        }
        dirs
    }

    /// Tells whether what `git merge --squash` brought waits for its commit.
    pub fn is_squashing(&self) -> bool {
        self.git_dir().join("SQUASH_MSG").exists()
    }

    /// Tells whether what git picked or merged without a commit of its own waits for one: git takes these files away with it.
    pub fn is_mixing(&self) -> bool {
        WAITING.iter().any(|name| self.git_dir().join(name).symlink_metadata().is_ok())
    }

    /// Tells whether a merge waits for its commit: then git takes no single files.
    pub fn is_merging(&self) -> bool {
        self.git_dir().join(PENDING[0]).exists()
    }

    /// Names what git has begun here and not ended, if anything: the next commit belongs to it.
    pub fn unfinished(&self) -> Option<&'static str> {
        let is_there = |(name, _): &&(&str, &str)| self.git_dir().join(name).symlink_metadata().is_ok();
        UNFINISHED.iter().find(is_there).map(|(_, what)| *what)
    }

    /// Returns the lock of the index, if it is held or was left behind.
    pub fn index_lock(&self) -> Option<PathBuf> {
        Some(self.git_dir().join("index.lock")).filter(|lock| lock.exists())
    }
}

/// What a name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tip {
    /// A commit, with all that it builds on.
    Commit(CommitId),
    /// A folder, by a tag of its own.
    Tree(TreeId),
    /// A file, by a tag of its own.
    Blob(BlobId),
}

/// Lists the files that may be refs of one work tree: those next to its `HEAD`, named in capitals, and those in folders
/// that it shares with no other.
fn own_refs(git_dir: &Path) -> Vec<PathBuf> {
    let is_root = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        !["HEAD", MIXED].contains(&name)
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'))
    };
    let entries = fs::read_dir(git_dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_root).collect();
    let mut folders: Vec<_> = OWN_REFS.iter().map(|folder| (git_dir.join(folder), 0)).collect();
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => folders.push((entry.path(), depth + 1)),
                _ => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}

/// Returns the first word of a small file; `None` without the file.
fn beginning(path: &Path) -> Option<String> {
    path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    fs::File::open(path).and_then(|file| file.take(MOST_OF_REF).read_to_end(&mut bytes)).ok()?;
    String::from_utf8_lossy(&bytes).split_whitespace().next().map(str::to_owned)
}

/// Reads what git noted down in a file, if there is one.
fn noted(git_dir: &Path, name: &str) -> Result<Option<String>, Error> {
    let failed = |source: std::io::Error| Error::ReadRef { name: name.to_owned(), source: source.into() };
    let path = git_dir.join(name);
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => {}
        _ => return Ok(None),
    }
    let mut bytes = Vec::new();
    fs::File::open(&path).and_then(|file| file.take(MOST_NOTED + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > MOST_NOTED {
        return Err(failed(std::io::Error::new(ErrorKind::FileTooLarge, "more than 1 MiB")));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
