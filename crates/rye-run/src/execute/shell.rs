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
use crate::process::{Error, MOST_SOCKETS, PROXY_PORT, Profile, Sandbox};
use crate::project::Project;

/// The profile of one call, and what it is granted besides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Granted<'a> {
    project: &'a Project,
    profile: Profile,
    shell: Option<&'a ShellProgram>,
}

impl<'a> Granted<'a> {
    /// Finds the grants for the program of a call.
    pub(super) fn of(run: &ToolRun<'a>, program: &Program) -> Self {
        let (profile, name) = match (program, run.space, run.item_id.as_str()) {
            (Program::Named(program), Space::System, shell::RUN) => (Profile::Program, Some(program.as_str())),
            (Program::Named(_), Space::System, shell::TEST_RUN) => (Profile::Tests, Some(shell::TESTS)),
            (Program::Named(_) | Program::Interpreter(_), Space::System | Space::User | Space::Project, _) => {
                (Profile::Script, None)
            }
        };
        let configured = &run.project().context().config().shell;
        let shell = name.and_then(|name| configured.get(&name.parse().ok()?));
        Self { project: run.project(), profile, shell }
    }

    /// What the command of `tree.setup` gets: nothing of any program's.
    pub(super) const fn to_set_up(project: &'a Project) -> Self {
        Self { project, profile: Profile::Setup, shell: None }
    }

    /// Returns what kind of child it is.
    pub(super) const fn profile(self) -> Profile {
        self.profile
    }

    /// Tells whether programs of the thread's own tree may be started by name: never with what the configuration grants a program of
    /// another place.
    pub(super) const fn takes_tree_programs(self) -> bool {
        match self.profile {
            Profile::Program => self.shell.is_none(),
            Profile::Tests => true,
            Profile::Script | Profile::Server | Profile::Setup => false,
        }
    }

    /// Returns the program, where the configuration says which.
    pub(super) fn program(self) -> Option<PathBuf> {
        self.shell?.program.as_deref().map(|path| self.named(path))
    }

    /// Returns the hosts that it reaches, if there are any grants.
    pub(super) fn hosts(self) -> Option<Vec<HostRule>> {
        self.shell.map(|shell| shell.hosts.clone())
    }

    /// Returns the variables that it gets.
    pub(super) fn variables(self) -> BTreeMap<String, String> {
        let value = |value: &String| match value.starts_with("~/") {
            true => self.named(Path::new(value)).display().to_string(),
            false => value.clone(),
        };
        let named = self.shell.into_iter().flat_map(|shell| &shell.env);
        named.map(|(name, text)| (name.clone(), value(text))).collect()
    }

    /// Returns the Unix sockets that it reaches and that exist, with the variables that tell it where.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] for a path that no tool may reach.
    pub(super) fn sockets(self) -> Result<Vec<(String, PathBuf)>, Error> {
        let mut sockets = Vec::new();
        let named = self.shell.into_iter().flat_map(|shell| &shell.sockets);
        for (name, path) in named.take(usize::from(MOST_SOCKETS)) {
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
        let Some(shell) = self.shell else { return Ok(()) };
        for path in &shell.read {
            if let Some(path) = grants::resolved(self.project, &self.named(path))? {
                in_project::check_own(self.project, &path)?;
                sandbox.reads.push(path);
            }
        }
        for path in &shell.write {
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
