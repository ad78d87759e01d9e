//! The commits that a push sends: none brings a file of a thread's record, or a secret.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::Error;
use super::record::{is_record, is_record_in, is_record_object};
use crate::context::Context;
use crate::git::{self, BlobId, CommitId, Content, Git, Inspection, Repository, Sent};
use crate::keys::KeysError;
use crate::redact::{Inspector, Passed};

/// Where a thread's commits keep its record.
pub(super) const RECORDS: &str = ".ai/threads";

/// How many commits that touch records are looked at at once, and how many entries of each.
const MAX_COMMITS: usize = 1_000;
pub(super) const MAX_ENTRIES: usize = 100_000;

/// What is named in the place of a path if a commit itself has a record.
const MESSAGE: &str = "its message";

/// The null id in the input of a `pre-push` hook.
const NOTHING: char = '0';

/// A line that git tells the hook.
pub(super) struct Line<'a> {
    pub(super) local: &'a str,
    pub(super) id: &'a str,
    pub(super) there: &'a str,
    pub(super) id_there: &'a str,
}

impl<'a> Line<'a> {
    /// Reads a line. One that says something else is an error: what is not read is not judged.
    pub(super) fn parse(line: &'a str) -> Result<Self, Error> {
        // A local ref is what the person wrote, such as `HEAD^{/some words}`.
        let [id_there, there, id, local] = line.rsplitn(4, ' ').collect::<Vec<_>>()[..] else {
            let reason = "expected a local ref, its id, a remote ref and its id".to_owned();
            return Err(git::Error::CommandOutput { command: "git push".to_owned(), reason }.into());
        };
        Ok(Self { local, id, there, id_there })
    }
}

/// Tells whether an id says that the object is missing.
pub(super) fn is_nothing(id: &str) -> bool {
    id.trim_matches(NOTHING).is_empty()
}

/// What is judged of a push.
pub(super) struct Pushed<'a> {
    /// Everything but what is shared on purpose.
    pub(super) sent: &'a [&'a Line<'a>],
    /// The threads that `thread push` shares: only secrets are looked for.
    pub(super) shared: &'a [&'a Line<'a>],
    /// The secrets that were let through.
    pub(super) passed: &'a Passed,
}

/// The commits that a push sends.
pub(super) struct Commits<'a> {
    repository: &'a Repository,
    git: &'a Git,
    remote: &'a str,
    /// The commits that the remote has.
    known: Vec<String>,
    /// The files of the records of threads that are here.
    records: BTreeSet<BlobId>,
    /// The files that are of no record.
    judged: RefCell<BTreeSet<BlobId>>,
}

impl<'a> Commits<'a> {
    /// Takes the ids that the remote has, and the files of the records that are here.
    pub(super) fn new(
        repository: &'a Repository,
        git: &'a Git,
        remote: &'a str,
        known: Vec<String>,
        records: BTreeSet<BlobId>,
    ) -> Self {
        Self { repository, git, remote, known, records, judged: RefCell::default() }
    }

    /// Takes the ids that the remote says it has. Tells whether one of them is new and here.
    pub(super) fn learn(&mut self, ids: Vec<String>) -> bool {
        let known: BTreeSet<&String> = self.known.iter().collect();
        let is_new = |id: &&String| !known.contains(id) && self.repository.resolve(id).is_ok();
        let new: Vec<String> = ids.iter().filter(is_new).cloned().collect();
        let has_new = !new.is_empty();
        self.known.extend(new);
        has_new
    }

    /// Fails if a record of a thread that is not shared, or a secret, is among them.
    ///
    /// # Errors
    ///
    /// [`Error::Record`] and [`Error::Leaks`]; [`Error::Untold`] and [`Error::Unseen`] where it cannot be told.
    pub(super) fn judge(&self, ctx: &Context, pushed: &Pushed<'_>) -> Result<(), Error> {
        let Pushed { sent, shared, passed } = *pushed;
        let mut inspector = ctx.inspector_after(passed).map_err(KeysError::from)?;
        self.inspect_shared(&mut inspector, shared)?;
        self.check(sent, Some(&mut inspector)).map_err(|error| match error {
            Error::Record { name, remote, commit_id, path } => {
                Error::Record { name, remote, commit_id, path: inspector.shown(&path) }
            }
            error => error,
        })?;
        self.check_tags(sent)?;
        self.inspect_refs(&mut inspector, sent)?;
        self.inspect_refs(&mut inspector, shared)?;
        inspector.finish()?;
        Ok(())
    }

    /// Looks for secrets in the threads that are shared.
    fn inspect_shared(&self, inspector: &mut Inspector, shared: &[&Line<'_>]) -> Result<(), Error> {
        if shared.is_empty() {
            return Ok(());
        }
        let tips: Result<Vec<CommitId>, git::Error> =
            shared.iter().map(|line| self.repository.resolve(line.id)).collect();
        let inspected = tips.and_then(|tips| self.repository.inspect_commits(inspector, self.git, &tips, &self.known));
        inspected.map_err(|source| Error::Unseen { name: names(shared), remote: self.remote.to_owned(), source })
    }

    /// Fails if a record of a thread is among them. All refs are looked at together, for secrets as well, and in halves only to name the
    /// one that fails.
    fn check(&self, sent: &[&Line<'_>], inspector: Option<&mut Inspector>) -> Result<(), Error> {
        if sent.is_empty() {
            return Ok(());
        }
        let tips: Result<Vec<CommitId>, git::Error> =
            sent.iter().map(|line| self.repository.resolve(line.id)).collect();
        let found = tips.and_then(|tips| match self.first_record(&tips)? {
            Some(found) => Ok(Some(found)),
            None => self.moved_record(&tips, inspector),
        });
        let Err(error) = self.told(sent, found) else { return Ok(()) };
        if sent.len() > 1 {
            let (first, second) = sent.split_at(sent.len() / 2);
            self.check(first, None).and_then(|()| self.check(second, None))?;
        }
        Err(error)
    }

    /// Makes a sentence of what was found in what some refs lead to.
    fn told(&self, sent: &[&Line<'_>], found: Result<Option<(CommitId, String)>, git::Error>) -> Result<(), Error> {
        let (name, remote) = (names(sent), self.remote.to_owned());
        match found {
            Ok(None) => Ok(()),
            Ok(Some((commit_id, path))) => Err(Error::Record { name, remote, commit_id, path }),
            Err(source) => Err(Error::Untold { name, remote, source }),
        }
    }

    /// Fails if a tag says what a thread's record says.
    fn check_tags(&self, sent: &[&Line<'_>]) -> Result<(), Error> {
        for line in sent.iter().filter(|line| line.id != line.id_there) {
            let found = self.repository.tags_at(line.id).and_then(|tags| {
                let tag = tags.iter().find(|(_, bytes)| is_record_object(bytes));
                tag.map(|(id, _)| Ok((self.repository.resolve(line.id)?, format!("tag {id}")))).transpose()
            });
            self.told(&[line], found)?;
        }
        Ok(())
    }

    /// Looks for secrets in the names of new refs, and in tags.
    fn inspect_refs(&self, inspector: &mut Inspector, sent: &[&Line<'_>]) -> Result<(), Error> {
        for line in sent {
            if is_nothing(line.id_there) {
                inspector.look_at_name(line.there);
            }
            if line.id != line.id_there {
                let inspected = self.repository.inspect_tags(inspector, line.id);
                let (name, remote) = (line.local.to_owned(), self.remote.to_owned());
                inspected.map_err(|source| Error::Unseen { name, remote, source })?;
            }
        }
        Ok(())
    }

    fn first_record(&self, tips: &[CommitId]) -> Result<Option<(CommitId, String)>, git::Error> {
        let changing = self.git.commits_changing(tips, &self.known, RECORDS, MAX_COMMITS)?;
        for commit_id in &changing {
            let parents = self.repository.commit_info(commit_id)?.parents;
            let changes = self.repository.changes_below(&parents, commit_id, RECORDS, MAX_ENTRIES)?;
            if let Some(change) = changes.into_iter().find(|change| change.after.is_some()) {
                return Ok(Some((commit_id.clone(), change.path)));
            }
        }
        if changing.len() < MAX_COMMITS {
            return Ok(None);
        }
        Err(git::Error::TooManyEntries { path: RECORDS.to_owned(), limit: MAX_COMMITS })
    }

    /// Finds a file of a record under another path, by its content; in the same pass, an inspector looks at all objects.
    fn moved_record(
        &self,
        tips: &[CommitId],
        inspector: Option<&mut Inspector>,
    ) -> Result<Option<(CommitId, String)>, git::Error> {
        let mut inspection = inspector.map(|inspector| Inspection::new(self.repository, self.git, inspector));
        let look = |sent: Sent<'_>| {
            let Sent::Blob(blob_id, path) = sent else {
                inspection.iter_mut().try_for_each(|inspection| inspection.look(&sent))?;
                return self.record_in_commit(&sent);
            };
            let content = self.repository.content(self.git, &blob_id)?;
            inspection.iter_mut().try_for_each(|inspection| inspection.look_at_blob(&blob_id, path, &content))?;
            Ok(self.is_record(blob_id, &content)?.then(|| (None, path.to_owned())))
        };
        match self.git.find_sent(self.repository, tips, &self.known, look)? {
            Some((Some(commit_id), path)) => Ok(Some((commit_id, path))),
            Some((None, path)) => {
                let changing = self.git.commits_changing(tips, &self.known, &path, MAX_COMMITS)?;
                Ok(changing.last().or(tips.last()).map(|commit_id| (commit_id.clone(), path)))
            }
            None => {
                inspection.map_or(Ok(()), |inspection| inspection.finish(tips, &self.known))?;
                Ok(None)
            }
        }
    }

    /// Finds a record in what a commit says: in its message, or in a header.
    fn record_in_commit(&self, sent: &Sent<'_>) -> Result<Option<(Option<CommitId>, String)>, git::Error> {
        let Sent::Commit(commit_id) = sent else { return Ok(None) };
        let is_record = is_record_object(&self.repository.raw_commit(commit_id)?);
        Ok(is_record.then(|| (Some(commit_id.clone()), MESSAGE.to_owned())))
    }

    fn is_record(&self, blob_id: BlobId, content: &Content) -> Result<bool, git::Error> {
        if self.records.contains(&blob_id) {
            return Ok(true);
        }
        if self.judged.borrow().contains(&blob_id) {
            return Ok(false);
        }
        let unread = |error| content.unread(&error);
        let is_record = match content {
            Content::Whole(bytes) => is_record(bytes),
            Content::Large(_) => match content.open().map_err(unread)? {
                Some(bytes) => is_record_in(bytes).map_err(unread)?,
                None => false,
            },
            Content::Promised => false,
        };
        if !is_record {
            self.judged.borrow_mut().insert(blob_id);
        }
        Ok(is_record)
    }
}

/// Lists the names of refs, as they are put between backticks.
fn names(sent: &[&Line<'_>]) -> String {
    sent.iter().map(|line| line.local).collect::<Vec<_>>().join("`, `")
}
