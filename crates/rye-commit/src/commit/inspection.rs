//! The look at what a commit would take, before git makes it.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;

use super::{Error, Prepared, git};
use crate::git::{CommitId, Content, Git};
use crate::keys::KeysError;
use crate::locate::LocateError;
use crate::redact::{Cleared, Inspector, MOST_BYTES};
use crate::workspace::Site;

impl Prepared<'_> {
    /// Looks at what would be committed, before anybody is asked.
    ///
    /// # Errors
    ///
    /// Fails on secrets that nothing lets through, and when something cannot be read.
    pub fn clear(&self) -> Result<Cleared, Error> {
        let inspector = self.project.context().inspector(&self.options.allow_secrets).map_err(KeysError::from)?;
        self.inspected(&git(self.project, &self.repository)?, inspector)
    }

    /// Looks once more, after the question: files may have changed.
    pub(super) fn clear_again(&self, git: &Git, cleared: &Cleared) -> Result<Cleared, Error> {
        let inspector = self.project.context().inspector_after(cleared.passed()).map_err(KeysError::from)?;
        self.inspected(git, inspector)
    }

    fn inspected(&self, git: &Git, mut inspector: Inspector) -> Result<Cleared, Error> {
        inspector.look("the message", None, self.options.message.join("\n\n").as_bytes());
        let head = self.repository.head()?.commit_id().cloned();
        let mut files: BTreeSet<String> = self.along.files.iter().cloned().collect();
        files.extend(self.plan.items.iter().map(|item| item.change.path.clone()));
        if self.paths.is_empty() {
            let mut from: Vec<CommitId> = head.iter().cloned().collect();
            if self.repository.is_merging() {
                from.push(self.repository.resolve("MERGE_HEAD")?);
            }
            self.repository.inspect_tree(&mut inspector, git, &from, &git.write_tree()?)?;
        }
        for path in &self.paths {
            files.extend(self.repository.staged_below(path, None)?.into_iter().map(|entry| entry.path));
            files.insert(path.clone());
        }
        for path in files.iter().filter(|path| !path.is_empty()) {
            let entry = head.as_ref().map(|head| self.repository.entry_at(head, path)).transpose()?.flatten();
            let before = entry.map(|entry| self.repository.content(git, &entry.blob_id)).transpose()?;
            self.look_at(&mut inspector, path, before.as_ref())?;
        }
        Ok(inspector.finish()?)
    }

    /// Looks at a file of the work tree. A removed one is not committed, and a folder has its files in the index.
    fn look_at(&self, inspector: &mut Inspector, path: &str, before: Option<&Content>) -> Result<(), Error> {
        let root = self.project.root()?;
        let place = root.join(path);
        let unread = |source| LocateError::from(Site::unread(path, source));
        let found = match fs::symlink_metadata(&place) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
            found => found.map_err(unread)?,
        };
        if before.is_none() && !found.is_dir() {
            inspector.look_at_name(path);
        }
        let before = || before.map_or(Ok(None), Content::open);
        if found.is_symlink() {
            let target = fs::read_link(&place).map_err(unread)?;
            inspector.look_through(path, before, target.as_os_str().as_encoded_bytes()).map_err(unread)?;
        } else if found.is_file() && found.len() > MOST_BYTES {
            inspector.too_large(path);
        } else if found.is_file() {
            let site = Site::open(root).map_err(LocateError::from)?;
            if let Some(after) = site.open_file(path).map_err(LocateError::from)? {
                inspector.look_through(path, before, after).map_err(unread)?;
            }
        }
        Ok(())
    }
}
