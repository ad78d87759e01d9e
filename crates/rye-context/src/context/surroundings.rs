//! What a context is made of: where the process was started, which program it is, its environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use super::ContextError;

/// What a context is made of. The program asks the operating system for it; tests make their own.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The folder the process was started in, absolute.
    pub current_dir: PathBuf,
    /// The path of the running program.
    pub program: PathBuf,
    /// The environment. The program itself knows only some of these, and an empty value counts as not set.
    pub variables: BTreeMap<String, String>,
}

impl Surroundings {
    /// Asks the operating system.
    ///
    /// # Errors
    ///
    /// Fails when the current folder is gone, or the program does not know its own path.
    #[expect(clippy::disallowed_methods, reason = "this is the door to the environment")]
    pub fn of_this_process() -> Result<Self, ContextError> {
        let current_dir = std::env::current_dir().map_err(ContextError::CurrentDir)?;
        let program = std::env::current_exe().map_err(ContextError::Program)?;
        let text = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        Ok(Self { current_dir, program, variables: std::env::vars_os().filter_map(text).collect() })
    }
}
