//! Running the clean filters of git's configuration for a thread: bounded, and in the person's repository, never in the
//! thread's tree, where a tool can lay out what a filter reads.

use std::collections::BTreeMap;
use std::time::Duration;

use super::change::MAX_FILE_BYTES;
use crate::git::{Repository, RunFilter};
use crate::process::{self, CancelFlag, ChildSpec, Limits, ResourceLimits};
use crate::session::Session;

/// How long a filter may take for a file.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How much of what a filter says is read, in bytes.
const MAX_STDERR: usize = 64 * 1024;

/// Where git looks for the shell too.
const SHELL: &str = "/bin/sh";

/// Returns what runs a filter's command. A running driver is stopped by `cancel`; one that begins later, for the last
/// commit of a thread, has only the bounds.
pub(in crate::thread) fn runner(session: &Session, repository: &Repository, cancel: &CancelFlag) -> RunFilter {
    let mut env = session.context().environment_for_git();
    // The command itself unsets the other variables that neither git nor a hook gets.
    for name in ["GIT_DIR", "GIT_WORK_TREE"] {
        env.remove(name);
    }
    let current_dir = repository.work_dir().unwrap_or_else(|| repository.git_dir()).to_owned();
    let cancel = cancel.clone();
    Box::new(move |command, bytes| {
        let spec = ChildSpec {
            program: SHELL.into(),
            args: vec!["-c".into(), command.into()],
            stdin: bytes.to_vec(),
            env: env.clone(),
            target_env: BTreeMap::new(),
            current_dir: current_dir.clone(),
            limits: Limits {
                timeout: TIMEOUT,
                max_stdout: usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX),
                max_stderr: MAX_STDERR,
                max_written: MAX_FILE_BYTES,
                resources: ResourceLimits::default(),
                ..Limits::default()
            },
            sandbox: None,
        };
        let cancel = if cancel.is_set() { CancelFlag::new() } else { cancel.clone() };
        let output = process::run(&spec, None, &cancel).ok()?;
        let is_whole = !output.stdout_truncated && output.flood.is_none();
        (output.exit_code == Some(0) && is_whole && !output.timed_out && !output.cancelled).then_some(output.stdout)
    })
}
