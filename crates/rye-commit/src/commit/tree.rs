//! The tree that git is about to commit, made of a copy of the index: the person's index is not touched for it.

use std::collections::BTreeSet;

use super::super::sign::Staging;
use super::Prepared;
use super::error::Error;
use crate::draft::Draft;
use crate::git::{CommitId, Git, InWorkTree, TreeId};
use crate::id::{ItemPath, SPACE_FOLDER};

/// The most files that a named folder may hold in a commit.
const MAX_ENTRIES: usize = 200_000;

impl Prepared<'_> {
    /// Makes the tree that git is about to commit, once the signed files are written.
    pub(super) fn tree(&self, git: &Git, staging: &Staging) -> Result<TreeId, Error> {
        let draft = Draft::copy(&self.repository, None)?;
        let git = git.clone().with_index_file(draft.path());
        self.stage(&git, staging)?;
        let head = self.repository.head()?.commit_id().cloned();
        if !self.paths.is_empty() {
            self.limit(&git, head.as_ref(), &draft)?;
        }
        let tree_id = git.write_tree()?;
        self.check_attributes(&git, head.as_ref(), &draft)?;
        Ok(tree_id)
    }

    /// Leaves in a copy of the index what a commit of named paths takes: of named files those that git knows, as they are in the work
    /// tree, and of all others what the last commit has.
    fn limit(&self, git: &Git, head: Option<&CommitId>, draft: &Draft) -> Result<(), Error> {
        let named: Vec<String> = self.paths.iter().chain(&self.along.files).cloned().collect();
        let files = self.known_below(&named, head, draft)?;
        git.reset_index(head)?;
        Ok(git.take_files(&files.iter().map(String::as_str).collect::<Vec<_>>())?)
    }

    /// Makes sure that no attributes of the tree change the bytes of its items in every clone, unless the last commit has the same. The
    /// copy of the index is not used after it.
    fn check_attributes(&self, git: &Git, head: Option<&CommitId>, draft: &Draft) -> Result<(), Error> {
        let changed = || -> Result<BTreeSet<String>, Error> {
            let staged = self.repository.staged_at_top(|top| top == SPACE_FOLDER, Some(draft.path()), false)?;
            let paths = staged.iter().map(|entry| entry.path.as_str());
            let items: Vec<&str> =
                paths.filter(|path| ItemPath::in_project(path).is_some_and(|it| it.is_ok())).collect();
            Ok(git.changed_by_staged_attributes(&items)?)
        };
        let now = changed()?;
        if now.is_empty() {
            return Ok(());
        }
        git.reset_index(head)?;
        match now.difference(&changed()?).next() {
            Some(path) => Err(Error::Attributes { path: path.clone() }),
            None => Ok(()),
        }
    }

    /// Returns the parents of the commit.
    pub(super) fn parents(&self) -> Result<Vec<CommitId>, Error> {
        let head = self.repository.head()?.commit_id().cloned();
        Ok(match head {
            Some(head) if self.options.amend => self.repository.commit_info(&head)?.parents,
            Some(_) if self.repository.is_merging() => self.repository.bases()?,
            head => head.into_iter().collect(),
        })
    }

    /// Lists the files at and below paths that the index or the last commit has, without those that a sparse checkout leaves out.
    fn known_below(&self, named: &[String], head: Option<&CommitId>, draft: &Draft) -> Result<Vec<String>, Error> {
        let (mut files, mut left_out) = (BTreeSet::new(), BTreeSet::new());
        for path in named {
            for entry in self.repository.staged_below(path, Some(draft.path()))? {
                match entry.in_work_tree {
                    InWorkTree::LeftOut => drop(left_out.insert(entry.path)),
                    InWorkTree::Same | InWorkTree::Different | InWorkTree::Absent => drop(files.insert(entry.path)),
                }
            }
            if !path.is_empty() && self.repository.is_indexed(path, draft.path())? {
                files.insert(path.clone());
            }
            let Some(head) = head else { continue };
            files.extend(self.repository.entries_below(head, path, MAX_ENTRIES)?.into_iter().map(|entry| entry.path));
            if !path.is_empty() && self.repository.entry_at(head, path)?.is_some() {
                files.insert(path.clone());
            }
        }
        Ok(files.difference(&left_out).cloned().collect())
    }
}
