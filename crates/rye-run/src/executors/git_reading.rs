//! What tools and servers read of a project's git folder: history, and nothing that may hold credentials. In a thread it is the git folder
//! for tools, without threads. Nothing of it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git::Repository;
use crate::process::{Cover, Error, PrivateScript, Sandbox};
use crate::project::Project;

/// What a script may read of a git folder: what git commands need that read history. Not its configuration and hooks, nor its logs, in
/// which `git pull` writes the URL it was given with the password in it, nor the folder of this program.
const READ: [&str; 12] = [
    "HEAD",
    "ORIG_HEAD",
    "commondir",
    "gitdir",
    "index",
    "info/attributes",
    "info/exclude",
    "info/sparse-checkout",
    "objects",
    "packed-refs",
    "refs",
    "shallow",
];

/// What git reads in the place of a file of the git folder: the configuration without credentials, or in a thread the link to the git
/// folder for tools.
#[derive(Debug)]
pub struct ReadableGit(PrivateScript);

impl ReadableGit {
    /// Prepares it in a private folder of its own; none without a repository.
    ///
    /// # Errors
    ///
    /// [`Error::Script`] when it cannot be written.
    pub fn prepare(project: &Project, temp_dir: &Path) -> Result<Option<Self>, Error> {
        let script = match project.is_in_tree() {
            true => link(project, temp_dir)?,
            false => git_config(project, temp_dir)?,
        };
        Ok(script.map(Self))
    }

    /// Adds what can be read to a sandbox, and returns what that is of git folders.
    pub fn share(&self, project: &Project, sandbox: &mut Sandbox) -> BTreeSet<PathBuf> {
        let Some(repository) = project.repository() else { return BTreeSet::new() };
        let with = self.0.path().canonicalize().unwrap_or_else(|_| self.0.path().to_owned());
        let shared: BTreeSet<PathBuf> = match project.private_tree() {
            Some(tree) => {
                let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
                sandbox.covers.push(Cover { path: tree.join(".git"), with });
                repository.object_folders().into_iter().chain(repository.tools_folder(&tree)).collect()
            }
            None => {
                let git = git_folders(&repository);
                cover_config(sandbox, &git, Some(&with));
                parts_of_git(&repository, &git).into_iter().collect()
            }
        };
        sandbox.reads.extend(shared.iter().cloned());
        shared
    }

    /// Returns the file, which must be there as long as it is read.
    #[must_use]
    pub fn into_script(self) -> PrivateScript {
        self.0
    }
}

/// Returns the variables by which git writes nothing and asks nothing.
#[must_use]
pub fn variables() -> BTreeMap<String, String> {
    let variables = [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_CONFIG_NOSYSTEM", "1")];
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// Writes what a tool sees in the place of the tree's `.git` file into a private folder of its own.
///
/// # Errors
///
/// [`Error::Script`].
pub fn link(project: &Project, temp_dir: &Path) -> Result<Option<PrivateScript>, Error> {
    let (Some(repository), Some(tree)) = (project.repository(), project.private_tree()) else { return Ok(None) };
    let link = repository.tools_link(tree);
    link.map(|link| PrivateScript::create(temp_dir, "link", link.as_bytes())).transpose()
}

/// Writes the configuration that git gets outside of threads into a private folder of its own.
///
/// # Errors
///
/// [`Error::Script`].
pub fn git_config(project: &Project, temp_dir: &Path) -> Result<Option<PrivateScript>, Error> {
    let repository = project.repository().filter(|_| !project.is_in_tree());
    repository.map(|repository| PrivateScript::create(temp_dir, "config", &repository.config_for_tools())).transpose()
}

/// The git folder of the project, and the one that it shares with other work trees.
#[must_use]
pub fn git_folders(repository: &Repository) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [repository.git_dir(), repository.common_dir()]
        .into_iter()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    folders.dedup();
    folders
}

/// Returns what git commands need that read.
#[must_use]
pub fn parts_of_git(repository: &Repository, git: &[PathBuf]) -> Vec<PathBuf> {
    let mut parts: Vec<PathBuf> = git.iter().flat_map(|folder| READ.map(|name| folder.join(name))).collect();
    parts.extend(repository.object_folders());
    if let Ok(root) = repository.work_dir().unwrap_or(repository.git_dir()).canonicalize() {
        // Of a linked work tree it is a file that leads to the folder; a folder is not taken as a file.
        let link = root.join(".git");
        parts.extend(link.is_file().then_some(link));
    }
    parts
}

/// Has git read another configuration.
pub fn cover_config(sandbox: &mut Sandbox, git: &[PathBuf], git_config: Option<&Path>) {
    if let (Some(common), Some(config)) = (git.last(), git_config) {
        sandbox.covers.push(Cover { path: common.join("config"), with: config.to_owned() });
    }
}
