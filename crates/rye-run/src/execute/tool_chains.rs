//! What presets give the tools of a thread, and what its tools are told that miss a program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::executors::ToolChains;
use super::error::Error;
use super::shell::Granted;
use super::start::Program;
use super::tool::ToolRun;
use crate::process::{self, PrivateScript, Profile};

/// What helps a program of a thread that misses another one.
const HINT: &str = "a thread's tree has no ignored files: `rye doctor` says what the user can share (`threads.share`)";

/// The codes by which a shell says that a program cannot be run, or is not found.
const NOT_RUN: [i32; 2] = [126, 127];

impl ToolRun<'_> {
    /// Prepares what presets give a tool of a thread. Returns the program of the thread's tree that the call names, if it is one.
    pub(super) fn of_tool_chains(
        &self,
        program: &Program,
        granted: Granted<'_>,
        script: &PrivateScript,
        folder: &Path,
        (env, target_env): (&mut BTreeMap<String, String>, &mut BTreeMap<String, String>),
    ) -> Result<Option<PathBuf>, Error> {
        let Some(chains) = ToolChains::of(self.project()) else { return Ok(None) };
        chains.prepare(script).map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?;
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut variables = chains.variables(&folder);
        // What the tool sets itself counts.
        variables.retain(|name, _| !target_env.contains_key(name));
        target_env.extend(variables);
        if !granted.takes_tree_programs() {
            return Ok(None);
        }
        if let Some(programs) = chains.programs(&folder) {
            let path = env.get("PATH").cloned().unwrap_or_default();
            env.insert("PATH".to_owned(), format!("{}:{path}", programs.display()));
        }
        Ok(match (program, granted.profile()) {
            (Program::Named(name), Profile::Program) => chains.program(name, &folder),
            (Program::Named(_) | Program::Interpreter(_), _) => None,
        })
    }

    /// Adds a hint to what a tool of a thread returned, if it says that a program could not be run.
    pub(super) fn with_hint(&self, mut result: Value, exit_code: Option<i32>) -> Value {
        let is_missing = exit_code.is_some_and(|code| NOT_RUN.contains(&code));
        if self.project().is_in_tree()
            && is_missing
            && let Some(result) = result.as_object_mut()
        {
            result.insert("hint".to_owned(), HINT.into());
        }
        result
    }

    /// Says why a program is not started.
    pub(super) fn not_started(&self, source: process::Error) -> Error {
        let item_id = self.item_id.clone();
        match source {
            process::Error::ProgramNotFound { .. } if self.project().is_in_tree() => {
                Error::NotInTree { item_id, hint: HINT, source }
            }
            source => Error::Process { item_id, source },
        }
    }
}
