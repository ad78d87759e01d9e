//! The bare repository of a mirror: how git is run in it, how it is opened or made, and what tells that it is damaged.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::memory;
use crate::context::Context;
use crate::git::{self, Git, GitEnvironment, Identity, Repository, Signature, Terminal, Wait};
use crate::id::Segment;

/// How git is run.
#[derive(Debug, Clone)]
pub struct Transport {
    /// The program git, found outside of the project.
    pub program: PathBuf,
    /// Whether it may ask for credentials and show progress.
    pub terminal: Terminal,
    /// How its end is waited for.
    pub wait: Wait,
}

/// Opens a mirror, or makes it; a broken one is made again.
pub(super) fn opened(ctx: &Context, transport: &Transport, name: &Segment) -> Result<(Repository, Git), Error> {
    opened_at(ctx, transport, &memory::mirror_folder(ctx, name)?)
}

/// Opens a bare repository in a folder of the cache, or makes it; a broken one is made again.
pub(super) fn opened_at(ctx: &Context, transport: &Transport, folder: &Path) -> Result<(Repository, Git), Error> {
    let environment = GitEnvironment::from_context(ctx);
    let mirror = match Repository::open_bare(folder, &environment) {
        Ok(mirror) => mirror,
        Err(_) => {
            remove(folder)?;
            Repository::init_bare(folder, &environment)?
        }
    };
    // With any value of `safe.bareRepository`: this one is named.
    let git = Git::new(&transport.program, &mirror, &ctx.environment_for_git())
        .with_variable("GIT_DIR", &folder.display().to_string())
        .with_terminal(transport.terminal)
        .quiet()
        .waited_for_by(transport.wait);
    Ok((mirror, git))
}

pub(super) fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { action: "remove", path: folder.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

/// Tells whether an error is one of the mirror: what gix cannot read there, and what git says of objects that are there and
/// cannot be used.
pub(super) fn is_damage(error: &Error) -> bool {
    const WORDS: [&str; 8] = [
        "not a git repository: '",
        "bad object",
        "corrupt",
        "missing blob",
        "missing tree",
        "missing commit",
        "unable to unpack",
        "inflate: ",
    ];
    match error {
        Error::Git(_) => true,
        Error::Fetch { source: git::Error::Command { stderr, .. }, .. } => {
            WORDS.iter().any(|word| stderr.contains(word)) && !stderr.contains("remote: ")
        }
        _ => false,
    }
}

/// Returns who makes commits in a registry, now.
pub(super) fn committer(ctx: &Context, repository: &Repository) -> Signature {
    let identity = repository.committer().unwrap_or_else(|| Identity::new("rye", "rye@localhost"));
    identity.at(ctx.now().seconds())
}
