//! Everything that can go wrong at the door to git, one variant per thing a caller or a person can act on.

mod unusable;

pub use unusable::Unusable;

use std::path::PathBuf;

use super::oid::{BlobId, CommitId, InvalidId};

/// A cause from below the door, its type hidden; `source()` leads on to the `std::io::Error` where there is one.
pub type Cause = Box<dyn std::error::Error + Send + Sync + 'static>;

/// Errors in a repository.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The folder holds no usable repository, or its configuration does not parse.
    #[error("cannot open the git repository at `{}`", path.display())]
    Open {
        path: PathBuf,
        #[source]
        source: Cause,
    },
    /// The repository's configuration cannot be read, or does not parse.
    #[error("cannot read the git configuration `{}`", path.display())]
    Config {
        path: PathBuf,
        #[source]
        source: Cause,
    },
    /// A new repository could not be made.
    #[error("cannot create a git repository at `{}`", path.display())]
    Init {
        path: PathBuf,
        #[source]
        source: Cause,
    },
    /// The repository is not one that is worked in.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// A file of the git directory is a pipe, a socket or a device, which may never end.
    #[error("cannot open the git repository: `{}` is {kind}, not a regular file", path.display())]
    NotRegular {
        path: PathBuf,
        /// What it is.
        kind: &'static str,
    },
    /// Objects are replaced by others, so the read object is not the named one.
    #[error("the repository replaces objects through `{name}`, so its history cannot be verified")]
    ReplaceRefs {
        /// The first such ref.
        name: String,
    },
    /// Parents of commits are replaced by a file.
    #[error("the repository rewrites history through `{}`, so it cannot be verified", path.display())]
    Grafts { path: PathBuf },
    /// A revision names nothing, or nothing that leads to a commit.
    #[error("unknown revision `{revision}`")]
    UnknownRevision {
        revision: String,
        #[source]
        source: Cause,
    },
    /// A name means several refs, or a ref and an object, and they are different commits.
    #[error("`{revision}` is ambiguous: it may be {}", either(names))]
    AmbiguousRevision {
        revision: String,
        /// The object's id, if there is one, then the full names of the refs in git's order; two or more.
        names: Vec<String>,
    },
    /// A tag is named by its short name where it would judge.
    #[error("`{revision}` is the tag `{tag}` here, and no branch")]
    ShortTag { revision: String, tag: String },
    /// A text is not an object id.
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    /// An id belongs to a repository of another object format.
    #[error("the object id `{id}` is not of this repository's format, `{format}`")]
    ForeignId {
        id: String,
        /// `sha1` or `sha256`.
        format: &'static str,
    },
    /// A range is not of the one form there is.
    #[error("invalid range `{range}`: expected `A..B`")]
    InvalidRange { range: String },
    /// An object is not in the repository, and nothing explains it: damage.
    #[error("the object `{id}` is not in the repository")]
    MissingObject { id: String },
    /// History that is needed was cut off (`git clone --depth`); `git fetch --unshallow` brings it.
    #[error("the commit `{id}` is beyond the point where this shallow clone ends")]
    Shallow {
        /// The commit that is not there.
        id: String,
    },
    /// An object was left out of this partial clone (`git clone --filter`); `git fetch --refetch --no-filter REMOTE`
    /// brings all of them.
    #[error("the object `{id}` was left out of this partial clone")]
    Promised {
        id: String,
        /// The remote that has it.
        remote: String,
    },
    /// An object may be where this repository borrows objects from, but that place is gone (`git clone --shared`).
    #[error("the object `{id}` is not here, and the objects borrowed from `{path}` are gone", path = path.display())]
    MissingAlternate {
        id: String,
        /// The folder that `objects/info/alternates` names.
        path: PathBuf,
    },
    /// An object cannot be read, or its content does not hash to its id, or does not parse.
    #[error("the object `{id}` is damaged")]
    CorruptObject {
        id: String,
        #[source]
        source: Cause,
    },
    /// An object is of another kind than needed.
    #[error("the object `{id}` is a {actual}, not a {expected}")]
    WrongKind {
        id: String,
        /// `blob`, `tree` or `commit`.
        expected: &'static str,
        /// What it is.
        actual: String,
    },
    /// A path must not enter or leave a tree: absolute, with `..`, with `.git`, twice in one tree, or not UTF-8.
    #[error("the path `{path}` is not allowed in a tree: {reason}")]
    UnsafePath {
        /// The path, bytes that are not UTF-8 replaced.
        path: String,
        reason: String,
    },
    /// A file that another process may have written is larger than any valid one.
    #[error("the object {id} is larger than {limit} bytes and is not read")]
    TooLarge {
        id: String,
        /// The most that is read.
        limit: u64,
    },
    /// A note cannot be joined with lines: it is larger than a reader takes, or would be.
    #[error("the note on {object_id} is larger than {limit} bytes")]
    NoteTooLarge {
        object_id: String,
        /// The most that is read.
        limit: usize,
    },
    /// The machine has no memory for an object.
    #[error("not enough memory to read the object {id}")]
    NoMemory {
        id: String,
        /// What could not be had.
        #[source]
        source: Cause,
    },
    /// A tree is too much to be written out.
    #[error("the tree has more than {entries} files and folders, or paths of more than {path_bytes} bytes in all")]
    TooLargeTree {
        /// The most files and folders.
        entries: u64,
        /// The most bytes of their paths.
        path_bytes: u64,
    },
    /// A listing is larger than the caller allows.
    #[error("more than {limit} entries below `{path}`")]
    TooManyEntries { path: String, limit: usize },
    /// A search in history is larger than the caller allows.
    #[error("more than {limit} commits to search")]
    TooManyCommits { limit: usize },
    /// A ref's name is not allowed.
    #[error("`{name}` is not a valid ref name")]
    InvalidRefName {
        name: String,
        #[source]
        source: Cause,
    },
    /// A ref cannot be read.
    #[error("cannot read the ref `{name}`")]
    ReadRef {
        /// The full name, or the prefix being listed.
        name: String,
        #[source]
        source: Cause,
    },
    /// A ref points to another ref, so moving it would move that one.
    #[error("the ref `{name}` is symbolic: it points to `{target}`")]
    SymbolicRef { name: String, target: String },
    /// A ref that must be new exists.
    #[error("the ref `{name}` already exists")]
    AlreadyExists { name: String },
    /// A ref is not where the caller last saw it; read it again, build on it and retry.
    #[error("the ref `{name}` has moved since it was read")]
    Moved {
        name: String,
        /// Where it is now; `None` if it was deleted.
        actual: Option<CommitId>,
    },
    /// A lock did not go away: another program holds it, or died holding it.
    #[error(
        "the ref `{name}` is locked by `{path}`; if no git program is running, remove it with `rm '{path}'`",
        path = path.display()
    )]
    Locked { name: String, path: PathBuf },
    /// A ref's name is a folder of another's.
    #[error("the ref `{name}` cannot exist together with `{blocking}`")]
    NameConflict { name: String, blocking: String },
    /// A thread's private work tree cannot be made, found or removed.
    #[error("cannot {action} the thread's work tree `{}`", path.display())]
    Tree {
        /// `make`, `look for` or `remove`.
        action: &'static str,
        path: PathBuf,
        #[source]
        source: Cause,
    },
    /// A work tree shows this branch, so moving it would make that work tree look changed.
    #[error("the branch `{name}` is checked out at `{}`", work_tree.display())]
    CheckedOut { name: String, work_tree: PathBuf },
    /// The signer refused or failed.
    #[error("cannot sign the commit")]
    Sign {
        #[source]
        source: Cause,
    },
    /// An object could not be written; nothing half written is left.
    #[error("cannot write to the object database")]
    WriteObject {
        #[source]
        source: Cause,
    },
    /// A ref could not be moved.
    #[error("cannot write the ref `{name}`")]
    WriteRef {
        name: String,
        #[source]
        source: Cause,
    },
    /// A file could not be made durable.
    #[error("cannot flush `{}` to the disk", path.display())]
    Sync {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A blob that should be in a tree is only in memory of the caller or in another repository.
    #[error("the blob `{blob_id}` is not in the repository")]
    MissingBlob { blob_id: BlobId },
    /// The index cannot be read.
    #[error("cannot read the index `{}`", path.display())]
    ReadIndex {
        path: PathBuf,
        #[source]
        source: Cause,
    },
    /// Another git program works on the index, or died doing so.
    #[error("the index is locked by `{}`", path.display())]
    IndexLocked { path: PathBuf },
    /// The program `git` is missing or cannot be started.
    #[error("cannot start `{}`", program.display())]
    Start {
        program: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Neither the configuration nor the environment names whom commits are by.
    #[error("git does not know your name and address, which each commit has")]
    NoIdentity,
    /// A git command failed.
    #[error("`{command}` {ending}{}", said(stderr))]
    Command {
        /// The command and what it was about, such as `git push origin`.
        command: String,
        /// `ended with 128`, or `was ended by signal 9`.
        ending: String,
        /// The last lines it wrote to stderr, unless it wrote them to the person's terminal.
        stderr: String,
    },
    /// A git command wrote something that cannot be understood, or too much.
    #[error("`{command}` wrote what cannot be understood: {reason}")]
    CommandOutput { command: String, reason: String },
    /// The state of the work tree cannot be told.
    #[error("cannot read the state of the work tree at `{}`", work_dir.display())]
    Status {
        work_dir: PathBuf,
        #[source]
        source: Cause,
    },
}

/// Returns what a command said last, as the end of a sentence.
fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// Returns names as the choice they leave.
fn either(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
