//! What an accept is about to change in the work tree, written down before the first change, so that the next program
//! can finish the accept or undo it.
//!
//! It lies in the work tree's own git folder, in `rye/accept/journal`. **It exists from the rename of that folder**, with all its
//! content flushed, and is gone with another rename. The id of the commit is added before `HEAD` moves to it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::lock::folder;
use super::plan::{Step, Version};
use crate::git::CommitId;
use crate::id::ThreadId;
use crate::workspace::{Held, replace_file};

/// The format's version.
const FORMAT: u32 = 1;

/// The journal of an accept.
#[derive(Debug)]
pub(super) struct Journal {
    folder: PathBuf,
}

/// A journal that was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) journal: Journal,
    pub(super) thread_id: ThreadId,
    /// Where `HEAD` was.
    pub(super) head: Option<CommitId>,
    /// Where it was to go.
    pub(super) commit: Option<CommitId>,
    /// The message.
    pub(super) message: String,
    pub(super) steps: Vec<Step>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    v: u32,
    thread_id: ThreadId,
    head: Option<CommitId>,
    message: String,
    steps: Vec<NotedStep>,
}

#[derive(Debug, Serialize, Deserialize)]
struct NotedStep {
    path: String,
    before: Option<Version>,
    after: Option<Version>,
    committed: bool,
    is_conflict: bool,
    from: Kind,
    to: Kind,
}

/// What a path holds, without its content: that is in a file of its own.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Nothing,
    File,
    Executable,
    Link,
}

/// Returns the name under which the new content of a step waits in its folder.
pub(super) fn other_name(step: usize) -> String {
    format!(".rye-tmp-accept-{step}")
}

impl Journal {
    /// Writes the journal.
    pub(super) fn begin(
        git_dir: &Path,
        thread_id: &ThreadId,
        head: Option<&CommitId>,
        message: &str,
        steps: &[Step],
    ) -> Result<Self, Error> {
        let parent = folder(git_dir);
        let (draft, folder) = (parent.join("journal.tmp"), parent.join("journal"));
        let failed = |source| Error::Journal { path: draft.clone(), source };
        fs::create_dir_all(&draft).map_err(failed)?;
        for (number, step) in steps.iter().enumerate() {
            put(&draft.join(format!("{number}.from")), &step.from).map_err(failed)?;
            put(&draft.join(format!("{number}.to")), &step.to).map_err(failed)?;
        }
        let noted = |step: &Step| NotedStep {
            path: step.path.as_str().to_owned(),
            before: step.before.clone(),
            after: step.after.clone(),
            committed: step.committed,
            is_conflict: step.stages.is_some(),
            from: kind(&step.from),
            to: kind(&step.to),
        };
        let note = Note {
            v: FORMAT,
            thread_id: thread_id.clone(),
            head: head.cloned(),
            message: message.to_owned(),
            steps: steps.iter().map(noted).collect(),
        };
        let text = serde_json::to_vec(&note).map_err(|error| failed(error.into()))?;
        fs::write(draft.join("journal.json"), text).map_err(failed)?;
        sync(&draft.join("journal.json")).and_then(|()| sync(&draft)).map_err(failed)?;
        fs::rename(&draft, &folder).and_then(|()| sync(&parent)).map_err(failed)?;
        Ok(Self { folder })
    }

    /// Notes down the commit that `HEAD` is about to move to.
    pub(super) fn note_commit(&self, commit_id: &CommitId) -> Result<(), Error> {
        Ok(replace_file(&self.folder.join("commit"), commit_id.as_str().as_bytes())?)
    }

    /// Removes the journal: all of it was done or undone.
    pub(super) fn end(&self) -> Result<(), Error> {
        let gone = self.folder.with_extension("done");
        let failed = |source| Error::Journal { path: self.folder.clone(), source };
        fs::rename(&self.folder, &gone).map_err(failed)?;
        sync(self.folder.parent().unwrap_or(&self.folder)).map_err(failed)?;
        // A leftover here means nothing, and the next accept removes it.
        let _ = fs::remove_dir_all(gone);
        Ok(())
    }

    /// Finds the journal of an accept that was cut short, and removes what means nothing any more.
    pub(super) fn find(git_dir: &Path) -> Result<Option<Found>, Error> {
        let parent = folder(git_dir);
        for name in ["journal.tmp", "journal.done"] {
            let path = parent.join(name);
            match fs::remove_dir_all(&path) {
                Err(source) if source.kind() != ErrorKind::NotFound => return Err(Error::Journal { path, source }),
                _ => {}
            }
        }
        let folder = parent.join("journal");
        let path = folder.join("journal.json");
        let failed = |source| Error::Journal { path: path.clone(), source };
        let text = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text.map_err(failed)?,
        };
        let damaged = |source| Error::Damaged { path: path.clone(), source };
        let mut note: Note = serde_json::from_slice(&text).map_err(damaged)?;
        if note.v != FORMAT {
            return Err(failed(io::Error::from(ErrorKind::Unsupported)));
        }
        let commit = match fs::read_to_string(folder.join("commit")) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            text => Some(text.map_err(failed)?.parse().map_err(|_| failed(ErrorKind::InvalidData.into()))?),
        };
        let mut steps = Vec::new();
        for (number, noted) in std::mem::take(&mut note.steps).into_iter().enumerate() {
            let held = |kind, name| taken(kind, &folder.join(format!("{number}.{name}"))).map_err(failed);
            steps.push(Step {
                path: noted.path.parse().map_err(|_| failed(ErrorKind::InvalidData.into()))?,
                before: noted.before,
                after: noted.after,
                committed: noted.committed,
                from: held(noted.from, "from")?,
                to: held(noted.to, "to")?,
                stages: noted.is_conflict.then(Default::default),
            });
        }
        let journal = Self { folder: folder.clone() };
        let Note { thread_id, head, message, .. } = note;
        Ok(Some(Found { journal, thread_id, head, commit, message, steps }))
    }
}

/// Tells whether a journal is there that is not another thread's.
pub(super) fn may_be_of(git_dir: &Path, thread_id: &ThreadId) -> bool {
    #[derive(Deserialize)]
    struct Whose {
        thread_id: ThreadId,
    }
    match fs::read(folder(git_dir).join("journal").join("journal.json")) {
        Err(error) => error.kind() != ErrorKind::NotFound,
        Ok(text) => serde_json::from_slice(&text).map_or(true, |whose: Whose| whose.thread_id == *thread_id),
    }
}

const fn kind(held: &Held) -> Kind {
    match held {
        Held::Nothing => Kind::Nothing,
        Held::File { executable: false, .. } => Kind::File,
        Held::File { executable: true, .. } => Kind::Executable,
        Held::Link { .. } => Kind::Link,
    }
}

fn put(path: &Path, held: &Held) -> io::Result<()> {
    match held {
        Held::Nothing => Ok(()),
        Held::File { bytes, .. } | Held::Link { target: bytes } => fs::write(path, bytes).and_then(|()| sync(path)),
    }
}

fn taken(kind: Kind, path: &Path) -> io::Result<Held> {
    Ok(match kind {
        Kind::Nothing => Held::Nothing,
        Kind::File => Held::File { bytes: fs::read(path)?, executable: false },
        Kind::Executable => Held::File { bytes: fs::read(path)?, executable: true },
        Kind::Link => Held::Link { target: fs::read(path)? },
    })
}

/// Flushes a file or a folder.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
