//! Why a thread's tree can be used no longer: the thread ends with that as its error.

use crate::error::with_causes;
use crate::git;
use crate::machine::ending;
use crate::thread::error::Error;

/// The codes of [`Fault`]s.
pub(in crate::thread) const FAULTS: [&str; 3] = ending::TREE;

/// Why a tree can be used no longer.
#[derive(Debug, Clone)]
pub(in crate::thread) struct Fault {
    /// A stable word.
    pub(in crate::thread) code: &'static str,
    /// One sentence.
    pub(in crate::thread) message: String,
}

impl Fault {
    /// The folder is another one.
    pub(super) fn of_replacement() -> Self {
        let message = "a tool moved, removed or replaced the folder that the thread works in".to_owned();
        Self { code: FAULTS[0], message }
    }

    /// Its git files cannot be read.
    pub(super) fn of_git_files(error: &git::Error) -> Self {
        Self { code: FAULTS[1], message: with_causes(error) }
    }

    /// A tool made of it what cannot be compared.
    ///
    /// # Errors
    ///
    /// Hands back an error whose cause is not the tree.
    pub(super) fn of_comparison(error: Error) -> Result<Self, Error> {
        match error {
            Error::Git(git::Error::Status { .. } | git::Error::Tree { .. })
            | Error::Workspace(_)
            | Error::Tree { .. } => Ok(Self { code: FAULTS[1], message: with_causes(&error) }),
            error => Err(error),
        }
    }

    /// The tools changed too many files to go on.
    pub(super) fn of_too_many(count: usize, most: usize) -> Self {
        let message = format!(
            "the tools changed {count} files in the thread's tree, and a thread records at most {most}: have git ignore what they generate (`.gitignore`)"
        );
        Self { code: FAULTS[2], message }
    }
}
