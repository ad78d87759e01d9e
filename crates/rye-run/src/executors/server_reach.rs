//! What an MCP server may read and write, by the person's configuration.
//!
//! Outside of threads a server that may write in the project works in a copy of the parts that it is granted, and sees nothing else of the
//! project.

use std::path::{Path, PathBuf};

use super::grants;
use super::judged_copy::{ProjectWrites, in_project};
use super::outer_folders;
use crate::capability::Access;
use crate::context::McpServer;
use crate::process::Error;
use crate::project::Project;

/// What a server may read and write.
#[derive(Debug, Default)]
pub(super) struct ServerReach {
    pub(super) reads: Vec<PathBuf>,
    pub(super) projects: Vec<PathBuf>,
    /// What it writes itself.
    pub(super) writes: Vec<PathBuf>,
    /// What it writes in a copy of the project.
    pub(super) copied: Option<ProjectWrites>,
    /// Whether it works in the project.
    pub(super) is_in_project: bool,
}

const OWN: &str = "no server reaches where this program keeps keys, trust and configuration, or what holds that";
const MISSING: &str = "what does not exist cannot be granted";
const LINKED: &str = "a link leads it out of the project";
const READS_GIT: &str = "no server reads a git folder";
const WRITES_GIT: &str = "no server writes a git folder, or a folder that contains the project";

impl ServerReach {
    /// Reads the grants of a server that works at `root`.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] for what no server may reach.
    pub(super) fn of(project: &Project, config: &McpServer, root: &Path) -> Result<Self, Error> {
        let whole_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let is_in_project = |path: &&PathBuf| in_project(&whole_root, path).is_some();
        let is_persons = project.repository().is_some() && !project.is_in_tree();
        let copied = is_persons.then(|| ProjectWrites::of(project, &whole_root, (&config.read, &config.write), None));
        let mut reach = Self { copied: copied.transpose()?.flatten(), ..Self::default() };
        let is_copied = reach.copied.is_some();
        reach.is_in_project = is_copied || config.read.iter().chain(&config.write).any(|path| is_in_project(&path));
        let reads = config.read.iter().map(|path| (path, Access::Read));
        let writes = config.write.iter().map(|path| (path, Access::Write));
        for (path, access) in reads.chain(writes).filter(|(path, _)| !(is_copied && is_in_project(path))) {
            reach.grant(project, (root, &whole_root), path, access)?;
        }
        Ok(reach)
    }

    fn grant(
        &mut self,
        project: &Project,
        (root, whole_root): (&Path, &Path),
        path: &Path,
        access: Access,
    ) -> Result<(), Error> {
        let named = grants::named(project.context(), Some(root), path);
        let is_relative = path.is_relative() && !path.starts_with("~");
        let whole = match (grants::resolved(project, &named)?, is_relative) {
            (Some(whole), _) => whole,
            // Not every project has it.
            (None, true) => return Ok(()),
            (None, false) => return Err(Error::Grant { path: named, reason: MISSING }),
        };
        let refused = |reason| Err(Error::Grant { path: whole.clone(), reason });
        let holds = |place: &Path| place.starts_with(&whole) || whole.starts_with(place);
        // A thread's tree lies in such a place, and is what the thread works on.
        let is_in_tree = project.is_in_tree() && whole.starts_with(whole_root);
        let is_own = |place: &Path| if is_in_tree { place.starts_with(&whole) } else { holds(place) };
        if is_relative && !whole.starts_with(whole_root) {
            return refused(LINKED);
        }
        if project.context().own_places().iter().any(|place| is_own(&place.path)) {
            return refused(OWN);
        }
        let repository = project.repository();
        let git = repository.iter().flat_map(|git| [git.git_dir().to_owned(), git.common_dir().to_owned()]);
        let has_git = git.filter_map(|path| path.canonicalize().ok()).any(|git| holds(&git));
        match (access, whole == whole_root) {
            (Access::Write, _) if has_git || whole_root.starts_with(&whole) => return refused(WRITES_GIT),
            (Access::Write, _) => {
                if !is_in_tree {
                    outer_folders::check(project, &whole)?;
                }
                self.writes.push(whole);
            }
            // Without what its git folder holds.
            (Access::Read, true) => self.projects.push(whole),
            (Access::Read, false) if has_git => return refused(READS_GIT),
            (Access::Read, false) => self.reads.push(whole),
        }
        Ok(())
    }
}
