//! The command of `tree.setup`: what an accepted project has run in the tree of a thread before its first call.
//!
//! It is held by a sandbox, whatever the configuration says of tools: it reads the paths that it names, writes the folders that it
//! makes and a private folder, and reaches the hosts that it names.

use std::ffi::OsString;
use std::os::fd::OwnedFd;

use thiserror::Error;

use super::super::executors::{self, ToolChains};
use super::bounds::Bounds;
use super::confinement::{self, Confinement};
use super::script::stopped_for;
use super::shell::Granted;
use crate::capability::{HostRule, PathRules, ProjectPath};
use crate::context::ContextError;
use crate::net::{Proxy, Relay};
use crate::process::{self, CancelFlag, ChildOutput, ChildSpec, PrivateScript, Profile};
use crate::redact::Redactor;
use crate::session::Session;

/// The most bytes of its output that are told.
const MOST_TOLD: usize = 4 * 1024;

/// A command to run in the tree of a thread.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetUp<'a> {
    /// The program's name, and its arguments.
    pub(super) command: &'a [String],
    /// The hosts that it reaches.
    pub(super) hosts: &'a [HostRule],
    /// Patterns for the paths of the tree that it reads.
    pub(super) reads: &'a [String],
    /// The folders that it makes.
    pub(super) folders: &'a [ProjectPath],
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct SetUpEnd {
    /// Whether it ended well.
    pub(super) is_done: bool,
    /// How it ended, in words.
    pub(super) ending: String,
    /// The end of what it wrote.
    pub(super) said: String,
    /// The hosts that it asked for and does not name.
    pub(super) refused_hosts: Vec<String>,
}

/// Why a command cannot be run.
#[derive(Debug, Error)]
pub(super) enum SetUpError {
    /// There is no folder for temporary files.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// It cannot be started, or not be held.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// It is never run without a sandbox.
    #[error("a set-up runs in a sandbox only, which {reason}")]
    NoSandbox { reason: String },
}

/// Runs the command in the tree of the session. What is known as a secret is taken out of its words.
///
/// # Errors
///
/// Fails when nothing was run.
pub(super) fn set_up(
    session: &Session,
    set_up: SetUp<'_>,
    secrets: &Redactor,
    cancel: &CancelFlag,
) -> Result<SetUpEnd, SetUpError> {
    let (ctx, project) = (session.context(), session.project());
    let no_tree = || SetUpError::NoSandbox { reason: "needs the tree of a thread".to_owned() };
    let tree = project.private_tree().ok_or_else(no_tree)?;
    let private = PrivateScript::create(&ctx.temp_dir()?, "set-up", b"")?;
    let (name, args) = set_up.command.split_first().ok_or_else(no_tree)?;
    let refused = project.program_free();
    let path = ctx.variable("PATH").unwrap_or_default();
    let program = process::find_program(name, path, &process::as_paths(&refused))?;
    let write = set_up.folders.iter().map(|folder| format!("{folder}/**")).collect();
    let (paths, hosts) = ([PathRules { read: set_up.reads.to_vec(), write }], [set_up.hosts.to_vec()]);
    let bounds = Bounds { paths: Some(&paths), hosts: &hosts, secrets, ..Bounds::usual(cancel) };
    let granted = Granted::to_set_up(project);
    let held = confinement::of_tool(project, &program, private.folder(), None, None, granted, &bounds)?;
    let (sandbox, hosts) = match held {
        Confinement::In { sandbox, hosts, .. } => (sandbox, hosts),
        Confinement::Unwanted => {
            return Err(SetUpError::NoSandbox { reason: "`sandbox` of the configuration turns off".to_owned() });
        }
        Confinement::Missing(error) => return Err(SetUpError::NoSandbox { reason: error.to_string() }),
    };
    let mut env = executors::environment::clean(project, private.folder());
    if !hosts.is_empty() {
        env.extend(executors::environment::way_out());
    }
    let spec = ChildSpec {
        sandbox: Some(sandbox),
        program,
        args: args.iter().map(OsString::from).collect(),
        stdin: Vec::new(),
        env,
        target_env: ToolChains::of(project).map(|chains| chains.homes()).unwrap_or_default(),
        current_dir: tree.to_owned(),
        limits: Profile::Setup.limits(),
    };
    let mut proxy = None;
    let serve = |listener, listeners: Vec<OwnedFd>| {
        proxy = Proxy::serve(listener, hosts).ok();
        Relay::serve(listeners.into_iter().zip(Vec::new()).collect())
    };
    let waiting = process::Waiting { cancel, said: None };
    let output = process::run_with_way_out(&spec, Some(ctx.program()), waiting, serve)?;
    let asked = proxy.map(|proxy| proxy.asked()).unwrap_or_default();
    let refused_hosts = asked.into_iter().filter(|asked| !asked.is_allowed).map(|asked| asked.host).collect();
    Ok(SetUpEnd { refused_hosts, ..ended(output, secrets) })
}

/// Says how the command ended, with the end of what it said.
fn ended(mut output: ChildOutput, secrets: &Redactor) -> SetUpEnd {
    let stopped = stopped_for(&output);
    let ending = match (&stopped, output.cancelled, output.timed_out, output.exit_code) {
        (Some(stopped), ..) => format!("was {stopped}"),
        (None, true, ..) => "was stopped".to_owned(),
        (None, false, true, _) => "took too long".to_owned(),
        (None, false, false, Some(code)) => format!("ended with exit code {code}"),
        (None, false, false, None) => format!("was ended by signal {}", output.signal.unwrap_or_default()),
    };
    let is_done = stopped.is_none() && !output.cancelled && !output.timed_out && output.exit_code == Some(0);
    let both = [std::mem::take(&mut output.stdout), b"\n".to_vec(), std::mem::take(&mut output.stderr)].concat();
    let said = secrets.redacted_bytes(&both, false).end(MOST_TOLD).trim().to_owned();
    SetUpEnd { is_done, ending, said, refused_hosts: Vec::new() }
}
