//! What accepting a thread would do, as values: the taken changes, the omitted ones, the obstacles.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::capability::ProjectPath;
use crate::git::{BlobId, CommitId, Head, Indexed, Mode, TreeEntry};
use crate::id::{ThreadId, ThreadName};
use crate::redact::Passed;
use crate::sign::TakenItem;
use crate::thread::record::Outcome;
use crate::thread::tree::DiffKind;
use crate::workspace::Held;

/// The size above which no file is accepted, in bytes: a thread records none above 8 MiB, and line ends may be added.
pub(super) const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What to accept.
#[derive(Debug, Clone)]
pub struct AcceptOptions {
    /// The thread.
    pub thread: ThreadName,
    /// Only these files and folders, from the current folder; none means everything.
    pub paths: Vec<String>,
    /// Commit these, too, which would be left out.
    pub commit: Vec<String>,
    /// The secrets that may be accepted, each by the name that the refusal gives it.
    pub allow_secrets: Vec<String>,
    /// The message, a paragraph each; without any the directive is named.
    pub message: Vec<String>,
    /// Leave conflicts in the work tree and the index, and commit nothing.
    pub merge: bool,
}

/// A version of a file, as git has it.
pub(super) type Version = (Mode, BlobId);

/// A path that is taken.
#[derive(Debug, Clone, Serialize)]
pub struct Taken {
    /// From the top of the work tree.
    pub path: String,
    /// Its planned result.
    pub change: DiffKind,
    /// Whether it is in the commit; otherwise it changes in the work tree alone.
    pub committed: bool,
    /// The path that it had before, if it only moved; that one is in the list, too, as removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The kind of file it becomes, if not a plain one as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub becomes: Option<Becomes>,
}

/// The kind of file a path becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Becomes {
    /// A symlink, new or with another target.
    Symlink {
        /// Where it leads.
        target: String,
    },
    /// A file that can be executed, and could not before.
    Executable,
    /// A file that cannot be executed any more.
    NotExecutable,
    /// A file in the place of a symlink.
    File,
}

/// For people.
impl fmt::Display for Becomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symlink { target } => write!(f, "symlink to `{target}`"),
            Self::Executable => f.write_str("executable"),
            Self::NotExecutable => f.write_str("no longer executable"),
            Self::File => f.write_str("file in place of a symlink"),
        }
    }
}

/// A path that is left out.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// From the top of the work tree.
    pub path: String,
    /// Why.
    pub reason: Why,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Why a path is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Its content runs code on the person's machine, or instructs an agent there.
    RunsCode,
    /// It holds trust, settings or plugins.
    Settings,
    /// The person does not want to sign it.
    NotSigned,
    /// It is an item that is not valid.
    InvalidItem,
    /// It is an item, and with conflicts nothing is signed.
    ItemDuringMerge,
    /// It is a submodule.
    Submodule,
    /// It lies in a submodule or another repository.
    Repository,
    /// Its name cannot be written here.
    Unnameable,
    /// The branch has it already.
    OnBranch,
    /// The work tree has it already, uncommitted.
    InWorkTree,
}

impl Why {
    /// Tells whether the person has the change already.
    pub(super) const fn is_there(self) -> bool {
        matches!(self, Self::OnBranch | Self::InWorkTree)
    }

    /// Tells whether the path is accepted if it is named.
    pub(super) const fn is_taken_by_name(self) -> bool {
        match self {
            Self::RunsCode | Self::Settings | Self::NotSigned => true,
            Self::InvalidItem
            | Self::ItemDuringMerge
            | Self::Submodule
            | Self::Repository
            | Self::Unnameable
            | Self::OnBranch
            | Self::InWorkTree => false,
        }
    }
}

/// For people.
impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::RunsCode => "runs code on your machine",
            Self::Settings => "trust, settings or plugins",
            Self::NotSigned => "not signed by you",
            Self::InvalidItem => "invalid item",
            Self::ItemDuringMerge => "item; accept it after the merge",
            Self::Submodule => "submodule",
            Self::Repository => "in another repository",
            Self::Unnameable => "unsupported name",
            Self::OnBranch => "already on your branch",
            Self::InWorkTree => "already in your work tree",
        })
    }
}

impl LeftOut {
    /// Leaves a path out.
    pub(super) fn new(path: impl Into<String>, reason: Why) -> Self {
        Self { path: path.into(), reason, detail: None }
    }
}

/// Something of the person's that is in the way.
#[derive(Debug, Clone, Serialize)]
pub struct Obstacle {
    /// From the top of the work tree.
    pub path: String,
    /// The present entry.
    pub reason: InTheWay,
}

/// The obstacle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InTheWay {
    /// Changes that are not committed.
    Uncommitted,
    /// Staged changes.
    Staged,
    /// A file that git does not track.
    Untracked,
    /// A file that git ignores.
    Ignored,
    /// A folder.
    Folder,
    /// A file or symlink where a folder must be.
    OnTheWay,
    /// A sparse checkout leaves it out.
    Sparse,
    /// A name that some file systems take for the same.
    Twin {
        /// That name.
        name: String,
    },
    /// The file system refuses.
    Unwritable {
        /// Why.
        why: String,
    },
}

/// For people.
impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.reason {
            InTheWay::Uncommitted => write!(f, "`{path}` has uncommitted changes"),
            InTheWay::Staged => write!(f, "`{path}` has staged changes"),
            InTheWay::Untracked => write!(f, "it would overwrite the untracked file `{path}`"),
            InTheWay::Ignored => write!(f, "it would overwrite the ignored file `{path}`"),
            InTheWay::Folder => write!(f, "`{path}` is a folder"),
            InTheWay::OnTheWay => write!(f, "`{path}` is below a file or symlink"),
            InTheWay::Sparse => write!(f, "`{path}` is outside of the sparse checkout"),
            InTheWay::Twin { name } => write!(f, "`{path}` differs from `{name}` only by case"),
            InTheWay::Unwritable { why } => write!(f, "`{path}` cannot be written: {why}"),
        }
    }
}

/// A path that the thread and the current branch both changed.
#[derive(Debug, Clone, Serialize)]
pub struct Conflict {
    /// From the top of the work tree.
    pub path: String,
    /// How.
    pub kind: ConflictKind,
    /// The path that the branch moved it to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

/// How two changes do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// The same lines changed.
    Content,
    /// Both added the file.
    BothAdded,
    /// The branch removed what the thread changed.
    RemovedHere,
    /// The thread removed what the branch changed.
    RemovedByThread,
    /// They are not text files of one kind, or are not to be merged.
    NotMergeable,
    /// The thread began with the person's uncommitted version, which is gone.
    Reverted,
}

/// For people.
impl fmt::Display for ConflictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Content => "both changed it",
            Self::BothAdded => "both added it",
            Self::RemovedHere => "removed on your branch",
            Self::RemovedByThread => "removed by the thread",
            Self::NotMergeable => "both changed it, not mergeable",
            Self::Reverted => "the thread began with your uncommitted version, which is gone",
        })
    }
}

/// What becomes of one path.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) path: ProjectPath,
    /// What the branch and the index have.
    pub(super) before: Option<Version>,
    /// What the commit gets.
    pub(super) after: Option<Version>,
    /// Whether it goes into commit and index.
    pub(super) committed: bool,
    /// What the work tree has, and gets.
    pub(super) from: Held,
    pub(super) to: Held,
    /// For the index, where the changes do not fit: the common version, ours, theirs.
    pub(super) stages: Option<[Option<Version>; 3]>,
}

impl Step {
    /// Tells what becomes of the path.
    pub(super) const fn change(&self) -> DiffKind {
        match (&self.from, &self.to) {
            (Held::Nothing, _) => DiffKind::Added,
            (_, Held::Nothing) => DiffKind::Removed,
            (_, _) => DiffKind::Changed,
        }
    }

    /// Tells what kind of file the path becomes, if that is news.
    fn becomes(&self) -> Option<Becomes> {
        let mode = |version: &Option<Version>| version.as_ref().map(|(mode, _)| *mode);
        match (mode(&self.before), mode(&self.after), &self.to) {
            (_, Some(Mode::Symlink), Held::Link { target }) => {
                Some(Becomes::Symlink { target: String::from_utf8_lossy(target).into_owned() })
            }
            (Some(Mode::Symlink), Some(Mode::File | Mode::Executable), _) => Some(Becomes::File),
            (None | Some(Mode::File), Some(Mode::Executable), _) => Some(Becomes::Executable),
            (Some(Mode::Executable), Some(Mode::File), _) => Some(Becomes::NotExecutable),
            (_, _, _) => None,
        }
    }
}

/// The state of the files in the list that the person agrees to.
#[derive(Debug)]
pub(super) struct Agreed {
    pub(super) head: Head,
    pub(super) indexed: BTreeMap<String, Indexed>,
}

/// What accepting a thread would do; nothing is written yet.
#[derive(Debug)]
pub struct Acceptance {
    pub(super) thread: Outcome,
    /// The thread's first commit: it has what the thread began with.
    pub(super) first: CommitId,
    /// What it was found with.
    pub(super) agreed: Agreed,
    pub(super) steps: Vec<Step>,
    pub(super) items: Vec<TakenItem>,
    pub(super) message: Vec<String>,
    /// The secrets that the person lets through.
    pub(super) passed: Passed,
    /// The omitted changes.
    pub left_out: Vec<LeftOut>,
    /// What does not fit.
    pub conflicts: Vec<Conflict>,
}

impl Acceptance {
    /// Returns the thread.
    #[must_use]
    pub const fn thread_id(&self) -> &ThreadId {
        &self.thread.thread_id
    }

    /// Returns the name of the thread: with its remote, if it was fetched.
    #[must_use]
    pub fn name(&self) -> ThreadName {
        self.thread.name()
    }

    /// Lists the taken changes.
    #[must_use]
    pub fn taken(&self) -> Vec<Taken> {
        let mut gone: Vec<&Step> = self.steps.iter().filter(|step| step.change() == DiffKind::Removed).collect();
        let mut taken = Vec::new();
        for step in &self.steps {
            let moved =
                |old: &&Step| step.committed && old.committed && step.after.is_some() && old.before == step.after;
            let from = gone.iter().position(moved).filter(|_| step.change() == DiffKind::Added);
            taken.push(Taken {
                path: step.path.to_string(),
                change: step.change(),
                committed: step.committed,
                from: from.map(|place| gone.remove(place).path.to_string()),
                becomes: step.becomes(),
            });
        }
        taken
    }

    /// Returns the items that the person would sign.
    #[must_use]
    pub fn items(&self) -> &[TakenItem] {
        &self.items
    }

    /// Leaves out the items that would be signed.
    pub fn leave_items(&mut self) {
        let items: Vec<String> = self.items.drain(..).map(|item| item.path().to_owned()).collect();
        self.steps.retain(|step| !items.iter().any(|path| path == step.path.as_str()));
        self.left_out.extend(items.into_iter().map(|path| LeftOut::new(path, Why::NotSigned)));
    }

    /// Tells whether nothing is taken.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the branch that the commit goes onto; none when `HEAD` is detached.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        match &self.agreed.head {
            Head::Branch { name, .. } | Head::Unborn { branch: name } => Some(name),
            Head::Detached { .. } => None,
        }
    }
}

/// Takes an entry of a tree for a version.
pub(super) fn version(entry: Option<&TreeEntry>) -> Option<Version> {
    entry.map(|entry| (entry.mode, entry.blob_id.clone()))
}
