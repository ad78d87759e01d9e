//! What the person's configuration grants a program that `rye/shell/run` runs: `[shell.NAME]`.
//!
//! It counts for that tool of the program's own alone, whose calls are judged by the program: no other tool gets more by starting it. What
//! `rye/test/run` starts is granted `[shell.tests]`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::in_project;
use super::start::Program;
use super::tool::ToolRun;
use crate::capability::{HostRule, shell};
use crate::context::ShellProgram;
use crate::executors::grants;
use crate::id::Space;
use crate::process::{Error, MOST_SOCKETS, PROXY_PORT, Sandbox};
use crate::project::Project;

/// The grants of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Granted<'a> {
    project: &'a Project,
    shell: &'a ShellProgram,
}

impl<'a> Granted<'a> {
    /// Finds the grants for the program of a call.
    pub(super) fn of(run: &ToolRun<'a>, program: &Program) -> Option<Self> {
        let Program::Named(program) = program else { return None };
        let name = match (run.space, run.item_id.as_str()) {
            (Space::System, shell::RUN) => program,
            (Space::System, shell::TEST_RUN) => shell::TESTS,
            (Space::System | Space::User | Space::Project, _) => return None,
        };
        let shell = run.project().context().config().shell.get(&name.parse().ok()?)?;
        Some(Self { project: run.project(), shell })
    }

    /// Returns the program, where the configuration says which.
    pub(super) fn program(self) -> Option<PathBuf> {
        self.shell.program.as_deref().map(|path| self.named(path))
    }

    /// Returns the hosts that it reaches.
    pub(super) fn hosts(self) -> Vec<HostRule> {
        self.shell.hosts.clone()
    }

    /// Returns the variables that it gets.
    pub(super) fn variables(self) -> BTreeMap<String, String> {
        let value = |value: &String| match value.starts_with("~/") {
            true => self.named(Path::new(value)).display().to_string(),
            false => value.clone(),
        };
        self.shell.env.iter().map(|(name, text)| (name.clone(), value(text))).collect()
    }

    /// Returns the Unix sockets that it reaches and that exist, with the variables that tell it where.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] for a path that no tool may reach.
    pub(super) fn sockets(self) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut sockets = Vec::new();
        for (name, path) in self.shell.sockets.iter().take(usize::from(MOST_SOCKETS)) {
            if let Some(path) = grants::resolved_socket(self.project, &self.named(path))? {
                in_project::check_own(self.project, &path)?;
                sockets.push((name.clone(), path));
            }
        }
        Ok(sockets)
    }

    /// Adds files and folders to a sandbox. A path that does not exist grants nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] for a path that no tool may reach.
    pub(super) fn share(self, sandbox: &mut Sandbox) -> Result<(), Error> {
        for path in &self.shell.read {
            if let Some(path) = grants::resolved(self.project, &self.named(path))? {
                in_project::check_own(self.project, &path)?;
                sandbox.reads.push(path);
            }
        }
        for path in &self.shell.write {
            if let Some(path) = grants::resolved(self.project, &self.named(path))? {
                in_project::check_write(self.project, &path)?;
                sandbox.writes.push(path);
            }
        }
        for _ in self.sockets()? {
            sandbox.network = true;
            sandbox.sockets += 1;
        }
        Ok(())
    }

    /// Puts the home folder in the place of `~`.
    fn named(self, path: &Path) -> PathBuf {
        grants::named(self.project.context(), None, path)
    }
}

/// Returns the variables that tell a program the addresses of its sockets, in their order.
pub(super) fn addresses(sockets: &[(String, PathBuf)]) -> impl Iterator<Item = (String, String)> {
    let ports = PROXY_PORT + 1..;
    sockets.iter().zip(ports).map(|((name, _), port)| (name.clone(), format!("tcp://127.0.0.1:{port}")))
}
