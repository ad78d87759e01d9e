//! What the installed hooks do.
//!
//! No question is asked here: the caller asks about pending items, or stops the commit. The index is the one that git
//! names in `GIT_INDEX_FILE`; for `git commit PATH` that is a copy, and items signed in it are put into the next index
//! as well, or it would look changed afterwards.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::super::sign::{Item, Plan, Reach, Staging, changes, complete};
use super::{Error, git};
use crate::context::{INSPECTED_VARIABLE, PROVEN_VARIABLE};
use crate::draft::Draft;
use crate::git::{CommitId, Repository, TreeId};
use crate::keys::KeysError;
use crate::project::Project;
use crate::proof::{Proof, prove};
use crate::trust::{PublicKey, Signer};

/// How git begins the name of the copy of the index that `git commit PATH` works on.
const COPY: &str = "next-index-";

/// Items that are staged, new to the commit, and not all signed.
#[derive(Debug)]
pub struct Staged<'a> {
    project: &'a Project,
    repository: Repository,
    index_file: Option<PathBuf>,
    plan: Plan,
}

/// What the hook signed.
#[derive(Debug, Serialize)]
pub struct Signed {
    /// The items whose content is new, as they are in the index now.
    pub items: Vec<Item>,
    /// What is left to tell of the commit's verification.
    #[serde(flatten)]
    pub proof: Proof,
}

impl<'a> Staged<'a> {
    /// Finds the staged items that `own` would sign; none without any. Asks for no private key.
    ///
    /// # Errors
    ///
    /// Fails, and so stops the commit, outside of a repository, with conflicts in items, on items that are not valid, and
    /// when index or objects cannot be read.
    pub fn find(project: &'a Project, own: Option<PublicKey>) -> Result<Option<Self>, Error> {
        let repository = project.require_repository()?;
        let index_file = named_index(project);
        let reach = Reach::Staged(index_file.as_deref());
        let mut plan = Plan::of(project, changes(project, reach)?, reach, own)?;
        if !plan.failures.is_empty() {
            return Err(Error::Invalid { failures: std::mem::take(&mut plan.failures) });
        }
        Ok(plan.signs().then_some(Self { project, repository, index_file, plan }))
    }

    /// Returns what would be signed.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Signs it: the caller has the person's consent to the pending items.
    ///
    /// # Errors
    ///
    /// Fails, and so stops the commit, when something cannot be signed or written, and when the commit would not verify, with files
    /// and index as they were.
    pub fn sign(self, signer: &dyn Signer) -> Result<Signed, Error> {
        let Self { project, repository, index_file, plan } = self;
        let index_file = index_file.as_deref();
        let mut proof = Proof::default();
        let items = plan.sign(project, &repository, signer, |staging| {
            let draft = Draft::copy(&repository, index_file)?;
            let git = git(project)?.with_index_file(draft.path());
            staging.perform(&git)?;
            proof = prove_tree(project, &repository, git.write_tree()?, Some(signer.public()))?;
            stage(project, &repository, index_file, staging)
        })?;
        Ok(Signed { items, proof })
    }
}

/// Looks for secrets in what is staged.
///
/// # Errors
///
/// Fails, and so stops the commit, on secrets that nothing lets through, and when something cannot be read.
pub fn inspect_staged(project: &Project) -> Result<(), Error> {
    let ctx = project.context();
    if ctx.variable(INSPECTED_VARIABLE).is_some() {
        return Ok(());
    }
    let repository = project.require_repository()?;
    let git = git(project)?;
    let index_file = named_index(project).unwrap_or_else(|| repository.git_dir().join("index"));
    let mut from: Vec<CommitId> = repository.head()?.commit_id().into_iter().cloned().collect();
    if repository.is_merging() {
        from.push(repository.resolve("MERGE_HEAD")?);
    }
    let mut inspector = ctx.inspector(&[]).map_err(KeysError::from)?;
    repository.inspect_tree(&mut inspector, &git, &from, &git.tree_in(&index_file)?)?;
    inspector.finish().map_err(|leaks| Error::StagedLeaks { leaks })?;
    Ok(())
}

/// Verifies the staged tree as `rye commit` does before git makes the commit. A commit that is amended is judged by what it replaces:
/// git does not tell its hook of the flag.
///
/// # Errors
///
/// Fails, and so stops the commit, on findings that no parent has, and when the tree cannot be judged.
pub fn prove_staged(project: &Project, own: Option<PublicKey>) -> Result<Proof, Error> {
    let repository = project.require_repository()?;
    let draft = Draft::copy(&repository, named_index(project).as_deref())?;
    let tree_id = git(project)?.with_index_file(draft.path()).write_tree()?;
    prove_tree(project, &repository, tree_id, own)
}

fn prove_tree(
    project: &Project,
    repository: &Repository,
    tree_id: TreeId,
    own: Option<PublicKey>,
) -> Result<Proof, Error> {
    if project.context().variable(PROVEN_VARIABLE) == Some(tree_id.as_str()) {
        return Ok(Proof::default());
    }
    let parents = match repository.head()?.commit_id().cloned() {
        Some(_) if repository.is_merging() => repository.bases()?,
        head => head.into_iter().collect(),
    };
    Ok(prove((project, own), repository, tree_id, parents)?)
}

/// Returns the index that git names.
fn named_index(project: &Project) -> Option<PathBuf> {
    let ctx = project.context();
    ctx.variable("GIT_INDEX_FILE").map(|path| ctx.current_dir().join(path))
}

/// Writes the notes of the last commit, and of those before it where they are missing. The commit is made: a failure
/// stops nothing, and the next one makes up for it.
///
/// # Errors
///
/// Fails outside of a repository, and when the notes cannot be written.
pub fn post_commit(project: &Project) -> Result<Option<CommitId>, Error> {
    let repository = project.require_repository()?;
    let Some(last) = repository.head()?.commit_id().cloned() else { return Ok(None) };
    Ok(complete(project, &repository, &last)?)
}

/// Puts the signed items into the index being committed, and into the one that takes its place where that is another.
fn stage(
    project: &Project,
    repository: &Repository,
    index_file: Option<&Path>,
    staging: &Staging,
) -> Result<(), Error> {
    let Some(index_file) = index_file else { return Ok(staging.perform(&git(project)?)?) };
    let is_copy = index_file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(COPY));
    staging.perform(&git(project)?.with_index_file(index_file))?;
    match repository.index_lock().filter(|_| is_copy) {
        Some(to_come) => Ok(staging.perform(&git(project)?.with_index_file(&to_come))?),
        None => Ok(()),
    }
}
