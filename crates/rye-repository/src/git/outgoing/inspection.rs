//! Looking for secrets in what goes out: in the new contents and names of a tree, and in all that a push sends.
//!
//! Every object of a push is looked at once, whatever the number of commits. Only where something is found, the commits that touch its path
//! tell whether the version before has it as well.

use std::collections::BTreeSet;
use std::io::Read;

use gix::objs::{Kind, TreeRefIter};

use super::content::Content;
use super::listing::Sent;
use crate::git::{
    BlobId, CommitId, Error, Git, Mode, Repository, TreeChange, TreeEntry, TreeId, read::corrupt, walk::join,
};
use crate::redact::{Inspector, MOST_BYTES};

/// The most entries of a tree that are looked at.
const MAX_ENTRIES: usize = 2_000_000;

/// The most paths with finds whose commits are asked for, and the most commits of each. Beyond them all counts as new.
const MAX_PATHS: usize = 200;
const MAX_COMMITS: usize = 10_000;

/// How many tags may name each other.
const MAX_TAGS: usize = 100;

/// How many digits of an id name a commit or tag.
const DIGITS: usize = 12;

impl Repository {
    /// Has an inspector look at what a tree has that none of `from` has.
    ///
    /// # Errors
    /// As [`changes_below`](Self::changes_below), and when a content cannot be read.
    pub fn inspect_tree(
        &self,
        inspector: &mut Inspector,
        git: &Git,
        from: &[CommitId],
        tree_id: &TreeId,
    ) -> Result<(), Error> {
        let changes = self.changes_to_tree(from, tree_id, MAX_ENTRIES)?;
        changes.iter().try_for_each(|change| self.inspect_change(inspector, git, change))
    }

    /// Has an inspector look at everything that `tips` lead to and none of `known` does: messages, names and contents.
    ///
    /// # Errors
    /// As [`find_sent`](Git::find_sent), and when something cannot be read.
    pub fn inspect_commits(
        &self,
        inspector: &mut Inspector,
        git: &Git,
        tips: &[CommitId],
        known: &[String],
    ) -> Result<(), Error> {
        let mut inspection = Inspection::new(self, git, inspector);
        git.find_sent(self, tips, known, |sent| inspection.look(&sent).map(|()| None::<()>))?;
        inspection.finish(tips, known)
    }

    /// Has an inspector look at a tag, if an id is one of a tag, and at those that it names: at their headers and messages.
    ///
    /// # Errors
    /// As [`tags_at`](Self::tags_at).
    pub fn inspect_tags(&self, inspector: &mut Inspector, id: &str) -> Result<(), Error> {
        for (id, bytes) in self.tags_at(id)? {
            inspector.look(&format!("tag {}", &id[..DIGITS]), None, &bytes);
        }
        Ok(())
    }

    /// Reads a tag as it is stored, if an id is one of a tag, and those that it names; each with its id.
    ///
    /// # Errors
    /// Fails when one cannot be read, and when there are too many.
    pub fn tags_at(&self, id: &str) -> Result<Vec<(String, Vec<u8>)>, Error> {
        let (mut id, mut tags) = (BlobId::parse(id)?.to_gix(), Vec::new());
        while self.kind_of(id)? == Some(Kind::Tag) {
            if tags.len() == MAX_TAGS {
                return Err(Error::TooManyEntries { path: format!("tag {id}"), limit: MAX_TAGS });
            }
            let bytes = self.object(id, Kind::Tag)?;
            let target = gix::objs::TagRefIter::from_bytes(&bytes, id.kind()).target_id();
            let target = target.map_err(|error| corrupt(id, error))?;
            tags.push((id.to_string(), bytes));
            id = target;
        }
        Ok(tags)
    }

    fn inspect_change(&self, inspector: &mut Inspector, git: &Git, change: &TreeChange) -> Result<(), Error> {
        let Some(after) = &change.after else { return Ok(()) };
        if change.before.is_none() {
            inspector.look_at_name(&change.path);
        }
        if has_content(after) {
            let former = change.before.as_ref().filter(|entry| has_content(entry)).map(|entry| &entry.blob_id);
            self.inspect_blob(inspector, git, &change.path, former, &after.blob_id)?;
        }
        Ok(())
    }

    fn inspect_blob(
        &self,
        inspector: &mut Inspector,
        git: &Git,
        path: &str,
        former: Option<&BlobId>,
        blob_id: &BlobId,
    ) -> Result<(), Error> {
        let content = self.content(git, blob_id)?;
        if self.is_too_large(&content, blob_id)? {
            inspector.too_large(path);
            return Ok(());
        }
        let former = former.map(|former| self.content(git, former)).transpose()?;
        // What is at its remote does not go out from here; without a former content, all of the new one counts as new.
        let Some(after) = content.open().map_err(|error| content.unread(&error))? else { return Ok(()) };
        let before = || former.as_ref().map_or(Ok(None), Content::open);
        inspector.look_through(path, before, after).map_err(|error| content.unread(&error))
    }

    fn is_too_large(&self, content: &Content, blob_id: &BlobId) -> Result<bool, Error> {
        match content {
            Content::Large(_) => Ok(self.size_of(blob_id)? > MOST_BYTES),
            Content::Whole(_) | Content::Promised => Ok(false),
        }
    }

    /// Reads the names in a tree, bytes that are not UTF-8 replaced.
    fn names_of(&self, tree_id: &TreeId) -> Result<Vec<String>, Error> {
        let id = tree_id.to_gix();
        let data = self.object(id, Kind::Tree)?;
        let name = |entry: Result<gix::objs::tree::EntryRef<'_>, _>| {
            entry.map(|entry| entry.filename.to_string()).map_err(|error| corrupt(id, error))
        };
        TreeRefIter::from_bytes(&data, id.kind()).map(name).collect()
    }
}

/// A look at everything that a push sends.
#[derive(Debug)]
pub struct Inspection<'a> {
    repository: &'a Repository,
    git: &'a Git,
    inspector: &'a mut Inspector,
    /// The paths with a find in their last name.
    names: BTreeSet<String>,
    /// The blobs with a find, each with a path of it.
    blobs: BTreeSet<(String, BlobId)>,
}

impl<'a> Inspection<'a> {
    /// Begins to look.
    pub fn new(repository: &'a Repository, git: &'a Git, inspector: &'a mut Inspector) -> Self {
        Self { repository, git, inspector, names: BTreeSet::new(), blobs: BTreeSet::new() }
    }

    /// Looks at an object.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub fn look(&mut self, sent: &Sent<'_>) -> Result<(), Error> {
        match sent {
            Sent::Commit(commit_id) => self.look_at_commit(commit_id),
            Sent::Tree(tree_id, path) => self.look_at_tree(tree_id, path),
            Sent::Blob(blob_id, path) => {
                let content = self.repository.content(self.git, blob_id)?;
                self.look_at_blob(blob_id, path, &content)
            }
        }
    }

    /// Looks at a blob whose content is read already.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    pub fn look_at_blob(&mut self, blob_id: &BlobId, path: &str, content: &Content) -> Result<(), Error> {
        let unread = |error: std::io::Error| content.unread(&error);
        let is_too_large = self.repository.is_too_large(content, blob_id)?;
        let Some(bytes) = content.open().map_err(unread)? else { return Ok(()) };
        if is_too_large || self.inspector.finds(bytes).map_err(unread)? {
            self.blobs.insert((path.to_owned(), blob_id.clone()));
        }
        Ok(())
    }

    fn look_at_commit(&mut self, commit_id: &CommitId) -> Result<(), Error> {
        let info = self.repository.commit_info(commit_id)?;
        let short = &commit_id.as_str()[..DIGITS];
        self.inspector.look(&format!("message of {short}"), None, info.message.as_bytes());
        for (role, signature) in [("author", &info.author), ("committer", &info.committer)] {
            let who = format!("{} <{}>", signature.identity.name, signature.identity.email);
            self.inspector.look(&format!("{role} of {short}"), None, who.as_bytes());
        }
        let others = other_headers(&self.repository.raw_commit(commit_id)?);
        self.inspector.look(&format!("headers of {short}"), None, &others);
        Ok(())
    }

    fn look_at_tree(&mut self, tree_id: &TreeId, path: &str) -> Result<(), Error> {
        let names = match self.repository.names_of(tree_id) {
            Err(Error::Promised { .. }) => return Ok(()),
            names => names?,
        };
        if self.finds(names.join("\n").as_bytes()) {
            let found = names.into_iter().filter(|name| self.inspector.finds(name.as_bytes()).unwrap_or(true));
            let found: Vec<String> = found.map(|name| join(path, &name)).collect();
            self.names.extend(found);
        }
        Ok(())
    }

    fn finds(&self, bytes: impl Read) -> bool {
        self.inspector.finds(bytes).unwrap_or(true)
    }

    /// Ends the look: tells what is new of the finds.
    ///
    /// # Errors
    /// Fails when commits or contents cannot be read.
    pub fn finish(mut self, tips: &[CommitId], known: &[String]) -> Result<(), Error> {
        let paths = self.names.iter().chain(self.blobs.iter().map(|(path, _)| path));
        let paths: BTreeSet<String> = paths.filter(|path| is_plain(path)).take(MAX_PATHS).cloned().collect();
        for path in &paths {
            self.look_at_path(tips, known, path)?;
        }
        // What no commit was seen to bring counts as new.
        for name in std::mem::take(&mut self.names) {
            self.inspector.look_at_name(&name);
        }
        for (path, blob_id) in std::mem::take(&mut self.blobs) {
            self.repository.inspect_blob(self.inspector, self.git, &path, None, &blob_id)?;
        }
        Ok(())
    }

    /// Looks at each version of a path that a commit brings.
    fn look_at_path(&mut self, tips: &[CommitId], known: &[String], path: &str) -> Result<(), Error> {
        let repository = self.repository;
        let commits = self.git.commits_changing(tips, known, path, MAX_COMMITS)?;
        let (mut is_new, mut is_there) = (false, commits.is_empty());
        for commit_id in &commits {
            let parents = repository.commit_info(commit_id)?.parents;
            let had: Vec<bool> =
                parents.iter().map(|parent| repository.has_at(parent, path)).collect::<Result<_, _>>()?;
            is_there |= repository.has_at(commit_id, path)?;
            is_new |= repository.has_at(commit_id, path)? && !had.contains(&true);
            let Some(after) = repository.entry_at(commit_id, path)? else { continue };
            let before: Vec<Option<TreeEntry>> =
                parents.iter().map(|parent| repository.entry_at(parent, path)).collect::<Result<_, _>>()?;
            if !before.contains(&Some(after.clone())) {
                self.blobs.remove(&(path.to_owned(), after.blob_id.clone()));
                let before = before.into_iter().next().flatten();
                let change = TreeChange { path: path.to_owned(), before, after: Some(after) };
                repository.inspect_change(self.inspector, self.git, &change)?;
            }
        }
        // A name that commits only keep is at a tip as well.
        if commits.is_empty() {
            is_there =
                tips.iter().map(|tip| repository.has_at(tip, path)).collect::<Result<Vec<_>, _>>()?.contains(&true);
        }
        if is_there && !is_new && commits.len() < MAX_COMMITS {
            self.names.remove(path);
        }
        Ok(())
    }
}

/// Returns the headers of a stored commit that are looked at nowhere else: signatures with their comments, tags that were merged, and
/// those that git does not know.
fn other_headers(commit: &[u8]) -> Vec<u8> {
    const LOOKED_AT: [&[u8]; 4] = [b"tree ", b"parent ", b"author ", b"committer "];
    let lines = commit.split_inclusive(|byte| *byte == b'\n').take_while(|line| *line != b"\n");
    lines.filter(|line| !LOOKED_AT.iter().any(|name| line.starts_with(name))).flatten().copied().collect()
}

/// Tells whether a path can be asked for.
fn is_plain(path: &str) -> bool {
    !path.is_empty() && !path.contains([char::REPLACEMENT_CHARACTER, '\n', '\0'])
}

const fn has_content(entry: &TreeEntry) -> bool {
    match entry.mode {
        Mode::File | Mode::Executable | Mode::Symlink => true,
        Mode::Tree | Mode::Submodule => false,
    }
}
