//! Making a registry: a bare git repository with one commit on `main`.
//!
//! Commit point: the move of `refs/heads/main`. Killed before it, an empty bare repository is left, in which the next attempt
//! goes on.

use std::path::Path;

use super::append::edits;
use super::bare::committer;
use super::error::Error;
use super::layout::{BRANCH, Top};
use super::line::Entry;
use super::log::{Files, extended};
use super::state::State;
use crate::context::{Context, bounded};
use crate::format::registry_files::{RegistryConfig, registry_config_text};
use crate::git::{BranchUpdate, CommitId, GitEnvironment, NewCommit, Repository};
use crate::trust::{ContentHash, Signer};

/// The largest git configuration that is looked at, in bytes.
const MAX_CONFIG_BYTES: u64 = 64 * 1024;

/// Makes a registry in a folder (absolute), which does not exist or is an empty bare repository; returns its first commit.
///
/// # Errors
///
/// Fails when there is a registry or something else, the folder cannot be written, or the key does not sign.
pub fn create(ctx: &Context, dir: &Path, config: &RegistryConfig, signer: &dyn Signer) -> Result<CommitId, Error> {
    let environment = GitEnvironment::from_context(ctx);
    let is_taken = dir.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let repository = if is_taken { empty(dir, &environment)? } else { Repository::init_bare(dir, &environment)? };
    if repository.branch(BRANCH)?.is_some() {
        return Err(Error::Exists { path: dir.to_path_buf() });
    }
    if is_taken && (!repository.is_declared_bare() || repository.has_refs()? || has_work_tree(dir)) {
        return Err(Error::NotEmpty { path: dir.to_path_buf() });
    }
    let init = Entry::Init {
        name: config.name.clone(),
        claims: config.claims,
        sha256: ContentHash::of(registry_config_text(config).as_bytes()),
        key: signer.public().to_openssh(),
    };
    let made = extended(Err(State::new(config.clone())), &[init], ctx.now(), signer);
    let (files, _) = made.map_err(|error| Error::extend(&config.name, error))?;
    let mut writer = repository.writer();
    let edits = edits(&mut writer, Top::Tree, [&Files::new(), &files], &[])?;
    let committer = committer(ctx, &repository);
    let commit = NewCommit {
        tree_id: writer.tree(None, &edits)?,
        parents: Vec::new(),
        author: committer.clone(),
        committer: committer.clone(),
        message: format!("registry: begin `{}`\n", config.name),
    };
    let commit_id = writer.commit(&commit, None)?;
    let message = "rye registry init";
    match writer.create_branch(BranchUpdate { name: BRANCH, commit_id: &commit_id, message, committer: &committer }) {
        Err(crate::git::Error::AlreadyExists { .. }) => Err(Error::Exists { path: dir.to_path_buf() }),
        made => Ok(made.map(|()| commit_id)?),
    }
}

/// Tells whether a git folder is that of a work tree, here or elsewhere: such a one has no `.git` in its name after
/// `git init --separate-git-dir`, and may have no commit yet.
fn has_work_tree(dir: &Path) -> bool {
    ["commondir", "gitdir", "index", "logs/HEAD", "modules", "worktrees"].iter().any(|name| dir.join(name).exists())
}

/// Opens a folder that has something in it: an empty bare repository, or a folder that cannot become a registry.
fn empty(dir: &Path, environment: &GitEnvironment) -> Result<Repository, Error> {
    let config = bounded::read_text(&dir.join("config"), MAX_CONFIG_BYTES).unwrap_or_default();
    let is_sha256 = |line: &str| line.to_ascii_lowercase().replace(char::is_whitespace, "") == "objectformat=sha256";
    if config.lines().any(is_sha256) {
        return Err(Error::ObjectFormat { url: dir.display().to_string() });
    }
    Repository::open_bare(dir, environment).map_err(|_| Error::NotEmpty { path: dir.to_path_buf() })
}
