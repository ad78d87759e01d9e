//! A thread's branch: one signed commit per turn, without touching the index, the work tree or `HEAD`.
//!
//! Commit points: the thread exists from the creation of its ref, a turn from the move of it. Objects are durable
//! before the ref moves.

use std::collections::BTreeMap;

use super::thread_json::Record;
use super::transcript;
use crate::capability::{ProjectPath, Token};
use crate::event::Event;
use crate::git::{BranchUpdate, Cause, CommitId, Identity, NewCommit, Repository, TreeEdit, TreeId, Writer};
use crate::id::{ThreadId, Timestamp};
use crate::machine::SetupRecord;
use crate::thread::error::Error;
use crate::thread::tree::Change;
use crate::trust::{Namespace, SigningKey};

/// How many turns share a folder of the tree.
const BUCKET: u32 = 100;

/// The branch of a running thread.
pub(in crate::thread) struct Branch {
    repository: Repository,
    name: String,
    tip: Option<CommitId>,
    tree: Option<TreeId>,
    thread_id: ThreadId,
    author: Identity,
    committer: Identity,
    created: bool,
}

/// What one commit adds.
pub(in crate::thread) struct Addition<'a> {
    pub(in crate::thread) turn: u32,
    pub(in crate::thread) events: &'a [Event],
    pub(in crate::thread) files: BTreeMap<ProjectPath, Change>,
    /// Further paths, as they are to become.
    pub(in crate::thread) edits: Vec<TreeEdit>,
    pub(in crate::thread) artifacts: BTreeMap<String, Vec<u8>>,
    /// With the first commit, and when they are issued again: what the thread may do.
    pub(in crate::thread) tokens: Option<&'a [Token]>,
    /// With the first commit: what its machine is made of.
    pub(in crate::thread) setup: Option<&'a SetupRecord>,
    pub(in crate::thread) transcript: Option<String>,
    pub(in crate::thread) now: Timestamp,
}

/// Who a thread's commits name.
pub(in crate::thread) struct People {
    pub(in crate::thread) author: Identity,
    pub(in crate::thread) committer: Identity,
}

/// Returns the full name of a thread's branch.
pub(in crate::thread) fn name(prefix: &str, thread_id: &ThreadId) -> String {
    format!("{}{thread_id}", ThreadId::branches(prefix))
}

/// Returns the thread of a branch below the folder of all threads' branches.
pub(in crate::thread) fn thread_id(name: &str, folder: &str) -> Option<ThreadId> {
    name.strip_prefix(folder)?.parse().ok()
}

/// Returns the path of a file in a thread's folder in the tree.
pub(in crate::thread) fn path(thread_id: &ThreadId, name: &str) -> String {
    format!("{}/{name}", thread_id.folder())
}

/// Returns the path of a turn's events in the thread's folder.
pub(in crate::thread) fn turn_file(turn: u32) -> String {
    format!("turns/{:02}/{turn:04}.jsonl", turn / BUCKET)
}

impl Branch {
    /// Names a branch that starts at `base`; nothing is written yet.
    pub(in crate::thread) fn new(
        repository: Repository,
        name: String,
        thread_id: ThreadId,
        base: Option<CommitId>,
        people: People,
    ) -> Result<Self, Error> {
        let tree = base.as_ref().map(|base| repository.tree_of(base)).transpose()?;
        let People { author, committer } = people;
        Ok(Self { repository, name, tip: base, tree, thread_id, author, committer, created: false })
    }

    /// Takes up a branch that exists, at its tip.
    pub(in crate::thread) fn existing(
        repository: Repository,
        name: String,
        thread_id: ThreadId,
        tip: CommitId,
        people: People,
    ) -> Result<Self, Error> {
        Ok(Self { created: true, ..Self::new(repository, name, thread_id, Some(tip), people)? })
    }

    /// Returns the branch's full name.
    pub(in crate::thread) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the last commit: the base, before the first.
    pub(in crate::thread) const fn tip(&self) -> Option<&CommitId> {
        self.tip.as_ref()
    }

    /// Tells whether the branch exists already.
    pub(in crate::thread) const fn is_created(&self) -> bool {
        self.created
    }

    /// Returns the repository that the branch is in.
    pub(in crate::thread) const fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Commits what a turn added and moves the branch, or creates it.
    pub(in crate::thread) fn commit(
        &mut self,
        record: &Record,
        addition: Addition<'_>,
        key: &SigningKey,
    ) -> Result<(), Error> {
        let mut writer = self.repository.writer();
        let new = self.new_commit(&mut writer, record, addition)?;
        let sign = |commit: &[u8]| -> Result<String, Cause> { Ok(key.sign_armored(Namespace::Git, commit)) };
        let commit_id = writer.commit(&new, Some(&sign))?;
        let subject = new.message.lines().next().unwrap_or_default().to_owned();
        let update =
            BranchUpdate { name: &self.name, commit_id: &commit_id, message: &subject, committer: &new.committer };
        match &self.tip {
            Some(tip) if self.created => writer.advance_branch(tip, update)?,
            _ => writer.create_branch(update)?,
        }
        self.created = true;
        self.advance(commit_id, new.tree_id);
        Ok(())
    }

    /// Returns the commit that [`Branch::commit`] would sign, and its bytes; moves nothing.
    pub(in crate::thread) fn derive(
        &self,
        record: &Record,
        addition: Addition<'_>,
    ) -> Result<(NewCommit, Vec<u8>), Error> {
        let mut writer = self.repository.writer();
        let new = self.new_commit(&mut writer, record, addition)?;
        let payload = writer.payload(&new)?;
        Ok((new, payload))
    }

    /// Goes on from a commit.
    pub(in crate::thread) fn advance(&mut self, commit_id: CommitId, tree_id: TreeId) {
        self.tip = Some(commit_id);
        self.tree = Some(tree_id);
    }

    fn new_commit(&self, writer: &mut Writer<'_>, record: &Record, addition: Addition<'_>) -> Result<NewCommit, Error> {
        let message = transcript::message(record, addition.turn, addition.events);
        let seconds = addition.now.seconds();
        let edits = self.edits(writer, record, addition)?;
        Ok(NewCommit {
            tree_id: writer.tree(self.tree.as_ref(), &edits)?,
            parents: self.tip.iter().cloned().collect(),
            // Whoever answers now; a fallback may have taken over.
            author: Identity::new(&record.model, &self.author.email).at(seconds),
            committer: self.committer.at(seconds),
            message,
        })
    }

    fn edits(&self, writer: &mut Writer<'_>, record: &Record, addition: Addition<'_>) -> Result<Vec<TreeEdit>, Error> {
        let mut files = vec![(self.path("thread.json"), pretty(record)?, false)];
        let turn = addition.turn;
        files.push((self.path(&turn_file(turn)), lines(addition.events)?, false));
        if let Some(tokens) = addition.tokens {
            files.push((self.path("token.json"), pretty(&tokens)?, false));
        }
        if let Some(setup) = addition.setup {
            files.push((self.path("setup.json"), pretty(setup)?, false));
        }
        if let Some(transcript) = addition.transcript {
            files.push((self.path("transcript.md"), transcript.into_bytes(), false));
        }
        for (digest, bytes) in addition.artifacts {
            files.push((self.path(&format!("artifacts/{digest}")), bytes, false));
        }
        let mut edits = addition.edits;
        for (path, change) in addition.files {
            match change {
                Change::Written { bytes, stored, executable } => {
                    files.push((path.as_str().to_owned(), stored.unwrap_or(bytes), executable));
                }
                Change::Link { blob_id } => edits.push(TreeEdit::Link { path: path.as_str().to_owned(), blob_id }),
                Change::Removed => edits.push(TreeEdit::Remove { path: path.as_str().to_owned() }),
            }
        }
        for (path, bytes, executable) in files {
            let blob_id = writer.blob(&bytes)?;
            edits.push(TreeEdit::Upsert { path, executable, blob_id });
        }
        Ok(edits)
    }

    fn path(&self, name: &str) -> String {
        path(&self.thread_id, name)
    }
}

fn pretty<T: serde::Serialize>(value: &T) -> Result<Vec<u8>, Error> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(Error::Encode)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn lines(events: &[Event]) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    for event in events {
        serde_json::to_writer(&mut bytes, event).map_err(Error::Encode)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
