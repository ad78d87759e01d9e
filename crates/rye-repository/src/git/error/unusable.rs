//! Repositories that are not worked in, whatever is in them.

use std::path::PathBuf;

/// Why a repository is not worked in.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Unusable {
    /// The repository keeps its refs in a store that cannot be read here.
    #[error("the repository at `{}` uses `extensions.refStorage = {format}`, only `files` is supported", git_dir.display())]
    Reftable {
        git_dir: PathBuf,
        /// The value of `extensions.refStorage`, usually `reftable`.
        format: String,
    },
    /// The repository belongs to someone else and was not declared safe.
    #[error("the repository at `{}` is owned by another user", path.display())]
    Ownership {
        /// The work tree, or the git directory of a bare repository.
        path: PathBuf,
    },
    /// A folder that looks like a bare repository was named, and lies in a work tree.
    #[error("`{}` looks like a bare repository inside the work tree `{}`: it is not opened", git_dir.display(), work_dir.display())]
    BareInside {
        git_dir: PathBuf,
        /// The top folder of the work tree.
        work_dir: PathBuf,
    },
    /// A bare repository, and the person's configuration allows none.
    #[error("`{}` is a bare repository, which the git configuration does not allow here", git_dir.display())]
    BareDenied { git_dir: PathBuf },
    /// The work tree that the repository names is not the folder that holds its `.git`.
    #[error(
        "the repository at `{}` names another work tree, `{}`: only the folder that contains `.git` is used",
        path.display(), work_tree.display()
    )]
    WorkTreeElsewhere {
        /// Where it was found.
        path: PathBuf,
        /// What `core.worktree` leads to.
        work_tree: PathBuf,
    },
    /// A work tree was needed and the repository has none.
    #[error("the repository at `{}` is bare: it has no work tree", git_dir.display())]
    Bare { git_dir: PathBuf },
}
