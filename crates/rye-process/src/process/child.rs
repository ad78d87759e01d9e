//! Running one child process to its end, whatever it does.
//!
//! The environment is exactly the given one. Data goes in on stdin and comes out bounded. On timeout, on cancellation
//! and when it writes far more than is kept, the process group gets SIGTERM, and SIGKILL two seconds later; too many
//! processes or too much memory end it at once. When the child itself has ended, its keeper kills what it left,
//! wherever that went. Without a keeper only the rest of its group is killed, before the child is reaped: until then
//! the group's number cannot belong to anyone else.

#![expect(clippy::disallowed_methods, reason = "timeouts are measured here and recorded nowhere")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::descendants;
use super::descriptors;
use super::error::Error;
use super::keeper_flags::{CONFINE_VERB, END, KEEP, PROCESSES, VARIABLES, WAY_OUT};
use super::kept_output::Cut;
use super::last_line::LastLine;
use super::limits::{Excess, Limits};
use super::pipes::{Collector, StreamBounds, feed};
use super::program::check_executable;
use super::sandbox::{Sandbox, network};
use super::signals::CancelFlag;
use super::variables;

/// From the polite signal to the other one.
const GRACE: Duration = Duration::from_secs(2);
/// How long a pipe may stay open after the child's group is gone.
const DRAIN: Duration = Duration::from_millis(500);
/// How long a keeper may take to end what it keeps.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often cancellation is looked for.
const TICK: Duration = Duration::from_millis(20);
/// The same for a child that stays, whose processes and memory are counted as often.
const RESIDENT_TICK: Duration = Duration::from_millis(100);

/// A child process to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildSpec {
    /// The program, by its absolute path.
    pub program: PathBuf,
    /// Its arguments: no data, which may exceed what a command line holds.
    pub args: Vec<OsString>,
    /// What it reads on stdin.
    pub stdin: Vec<u8>,
    /// Its whole environment, but for `target_env`.
    pub env: BTreeMap<String, String>,
    /// Variables that only the program itself gets, not what confines it: these may say what a program loads when it starts, and
    /// be secret. They are on no command line.
    pub target_env: BTreeMap<String, String>,
    /// The folder it runs in.
    pub current_dir: PathBuf,
    /// Its bounds.
    pub limits: Limits,
    /// What it may reach; without a sandbox all that this program may.
    pub sandbox: Option<Sandbox>,
}

/// How a child ended and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildOutput {
    /// Its exit code, if it exited.
    pub exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Whether it was stopped because its time was over.
    pub timed_out: bool,
    /// Whether it was stopped because the run was cancelled.
    pub cancelled: bool,
    /// The bound that it exceeded with what it wrote, in bytes; it was stopped for that.
    pub flood: Option<u64>,
    /// The limit of all its processes together that it exceeded; it was stopped for that.
    pub excess: Option<Excess>,
    /// Its standard output: of a long one the beginning and the end.
    pub stdout: Vec<u8>,
    /// Its standard error: of a long one the beginning and the end.
    pub stderr: Vec<u8>,
    /// Where the middle of its standard output is missing.
    pub stdout_cut: Option<Cut>,
    /// Where the middle of its standard error is missing.
    pub stderr_cut: Option<Cut>,
    /// Whether it wrote more to standard output, or a process that it left behind still could.
    pub stdout_truncated: bool,
    /// Whether a process that it left behind still held standard output open.
    pub stdout_held_open: bool,
    /// Whether it wrote more to standard error.
    pub stderr_truncated: bool,
    /// From its start to its end.
    pub duration: Duration,
}

/// The pipes of a child.
pub(super) struct Pipes {
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
    pub(super) stderr: Option<ChildStderr>,
}

/// A way to wait for a child.
#[derive(Debug, Clone, Copy)]
pub struct Waiting<'a> {
    /// Stops it when set.
    pub cancel: &'a CancelFlag,
    /// Gets the last line of its stderr while it runs.
    pub said: Option<&'a LastLine>,
}

/// Why a child was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    TimedOut,
    Cancelled,
    Flooded,
    Exceeded(Excess),
}

/// Runs a child to its end. `confiner` is this very program, which sets the resource limits on itself, enters the sandbox and
/// then becomes the target; without one the limits are not set, and no sandbox can be asked for.
///
/// # Errors
///
/// [`Error::NoSandbox`] when there is a sandbox to enter and this system has none. Otherwise fails when the program is
/// not an executable file or cannot be started, or when the operating system loses the child. A child that fails, is
/// killed or stopped is an output.
pub fn run(spec: &ChildSpec, confiner: Option<&Path>, cancel: &CancelFlag) -> Result<ChildOutput, Error> {
    run_with_way_out(spec, confiner, Waiting { cancel, said: None }, |_, _| ())
}

/// Runs a child as [`run`] does. When its sandbox has a network, `serve` gets the socket that listens at [`super::PROXY_PORT`] there, and those
/// at the ports behind it; its return value is dropped when the child has ended.
///
/// # Errors
///
/// As [`run`], and [`Error::NoNetwork`] when there is to be a network and this system makes none.
pub fn run_with_way_out<G>(
    spec: &ChildSpec,
    confiner: Option<&Path>,
    Waiting { cancel, said }: Waiting<'_>,
    serve: impl FnOnce(OwnedFd, Vec<OwnedFd>) -> G,
) -> Result<ChildOutput, Error> {
    let start = Instant::now();
    let Started { mut child, listener, others, is_lost } = started(spec, confiner)?;
    let _served = listener.map(|listener| serve(listener, others));
    if let Some(stdin) = child.stdin.take() {
        feed(stdin, spec.stdin.clone());
    }
    let Limits { max_stdout, max_stderr, max_written, .. } = spec.limits;
    let kept = |kept| StreamBounds { kept, written: max_written };
    let (out, err) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let is_set = |flood: &AtomicBool| flood.load(Ordering::SeqCst);
    let stdout = child.stdout.take().map(|pipe| Collector::start(pipe, kept(max_stdout), &out, None));
    let stderr = child.stderr.take().map(|pipe| Collector::start(pipe, kept(max_stderr), &err, said.cloned()));
    let (status, stopped) =
        supervise(&mut child, start, spec, confiner.is_some(), cancel, TICK, || is_set(&out) || is_set(&err))?;
    if is_lost && stopped.is_none() {
        return Err(no_network(io::ErrorKind::PermissionDenied.into()));
    }
    let duration = start.elapsed();
    let drained_by = Instant::now() + DRAIN;
    let stdout = stdout.map(|collector| collector.finish(drained_by)).unwrap_or_default();
    let stderr = stderr.map(|collector| collector.finish(drained_by)).unwrap_or_default();
    Ok(ChildOutput {
        exit_code: status.code(),
        signal: status.signal(),
        timed_out: stopped == Some(Stopped::TimedOut),
        cancelled: stopped == Some(Stopped::Cancelled),
        flood: (is_set(&out) || is_set(&err)).then_some(max_written),
        excess: match stopped {
            Some(Stopped::Exceeded(excess)) => Some(excess),
            Some(Stopped::TimedOut | Stopped::Cancelled | Stopped::Flooded) | None => None,
        },
        stdout: stdout.bytes,
        stderr: stderr.bytes,
        stdout_cut: stdout.cut,
        stderr_cut: stderr.cut,
        stdout_truncated: stdout.truncated,
        stdout_held_open: stdout.held_open,
        stderr_truncated: stderr.truncated,
        duration,
    })
}

/// A child that was started, and the sockets of its way out.
struct Started {
    child: Child,
    listener: Option<OwnedFd>,
    others: Vec<OwnedFd>,
    /// Whether it should have a way out and has none.
    is_lost: bool,
}

/// Starts a child, with a way out where its sandbox has one.
fn started(spec: &ChildSpec, confiner: Option<&Path>) -> Result<Started, Error> {
    check_executable(&spec.program)?;
    if spec.sandbox.is_some() {
        Sandbox::is_supported()?;
        confiner.ok_or_else(|| Error::NoSandbox { reason: "nothing applies it".to_owned() })?;
    }
    let has_network = spec.sandbox.as_ref().is_some_and(|sandbox| sandbox.network);
    let way = if has_network { Some(network::way().map_err(|code| no_network(code.into()))?) } else { None };
    let (ours, theirs) = way.unzip();
    let child = spawn(spec, confiner, theirs.as_ref())?;
    drop(theirs);
    let mut listeners = ours.as_ref().and_then(network::receive).unwrap_or_default().into_iter();
    let listener = listeners.next();
    let is_lost = has_network && listener.is_none();
    Ok(Started { child, listener, others: listeners.collect(), is_lost })
}

const fn no_network(source: io::Error) -> Error {
    Error::NoNetwork { source }
}

/// Starts a child, hands its pipes over, and waits for its end; it has no time of its own. Stops it when `cancel` is set.
///
/// # Errors
///
/// As [`run_with_way_out`].
pub(super) fn attended(
    spec: &ChildSpec,
    confiner: &Path,
    cancel: &CancelFlag,
    serve: impl FnOnce(OwnedFd),
    piped: impl FnOnce(Pipes) -> Result<(), ()>,
) -> Result<ExitStatus, Error> {
    let start = Instant::now();
    let Started { mut child, listener, others: _, is_lost } = started(spec, Some(confiner))?;
    if let Some(listener) = listener {
        serve(listener);
    }
    if is_lost {
        cancel.cancel();
    }
    let pipes = Pipes { stdin: child.stdin.take(), stdout: child.stdout.take(), stderr: child.stderr.take() };
    if piped(pipes).is_err() {
        cancel.cancel();
    }
    supervise(&mut child, start, spec, true, cancel, RESIDENT_TICK, || false).map(|(status, _)| status)
}

fn spawn(spec: &ChildSpec, confiner: Option<&Path>, way_out: Option<&OwnedFd>) -> Result<Child, Error> {
    let failed = |source| Error::Start { program: spec.program.clone(), source };
    let variables = confiner.filter(|_| !spec.target_env.is_empty()).map(|_| variables::send(&spec.target_env));
    let variables = variables.transpose().map_err(failed)?;
    let mut command = command(spec, confiner, way_out, variables.as_ref());
    way_out.into_iter().chain(&variables).for_each(|passed| descriptors::pass_on(&mut command, passed));
    command
        .env_clear()
        .envs(&spec.env)
        .envs(spec.target_env.iter().filter(|_| confiner.is_none()))
        .current_dir(&spec.current_dir)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)
}

fn command(
    spec: &ChildSpec,
    confiner: Option<&Path>,
    way_out: Option<&OwnedFd>,
    variables: Option<&OwnedFd>,
) -> Command {
    let mut command = Command::new(confiner.unwrap_or(&spec.program));
    if confiner.is_some() {
        command.arg(CONFINE_VERB).arg(format!("{KEEP}{}", std::process::id()));
        command.arg(format!("{PROCESSES}{}", spec.limits.max_processes));
        command.args(way_out.map(|way_out| format!("{WAY_OUT}{}", way_out.as_raw_fd())));
        command.args(spec.limits.resources.flags());
        command.args(variables.map(|variables| format!("{VARIABLES}{}", variables.as_raw_fd())));
        command.args(spec.sandbox.iter().flat_map(Sandbox::flags)).arg("--").arg(&spec.program);
    }
    command.args(&spec.args);
    command
}

/// Waits for the child, stopping it when its time is over, the run is cancelled or it floods, and clears its group.
fn supervise(
    child: &mut Child,
    start: Instant,
    spec: &ChildSpec,
    is_kept: bool,
    cancel: &CancelFlag,
    tick: Duration,
    floods: impl Fn() -> bool,
) -> Result<(ExitStatus, Option<Stopped>), Error> {
    let group = Pid::from_child(child);
    let ended = watch(group);
    let deadline = start.checked_add(spec.limits.timeout);
    let must_stop = || {
        let cause = if cancel.is_set() { Some(Stopped::Cancelled) } else { floods().then_some(Stopped::Flooded) };
        cause.or_else(|| is_kept.then(|| excess(group, &spec.limits)).flatten().map(Stopped::Exceeded))
    };
    let stopped = wait_or_stop(&ended, deadline, tick, must_stop);
    if let Some(cause) = stopped {
        let has_ended = |wait| ended.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
        let is_polite = !matches!(cause, Stopped::Exceeded(_));
        let mut is_over = is_polite && {
            signal(group, Signal::TERM);
            has_ended(GRACE)
        };
        if !is_over && is_kept {
            signal(group, END);
            is_over = has_ended(PATIENCE);
        }
        if !is_over {
            signal(group, Signal::KILL);
            // In case it moved to another group. Not reaped yet, its number is still its own.
            let _ = child.kill();
            // It cannot refuse; only the kernel can keep it.
            let _ = ended.recv();
        }
    }
    signal(group, Signal::KILL);
    let status = child.wait().map_err(|source| Error::Wait { program: spec.program.clone(), source })?;
    Ok((status, stopped))
}

/// Tells through a channel when the child has ended, and leaves it to be reaped.
fn watch(child: Pid) -> Receiver<()> {
    let (sender, ended) = channel();
    thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(child), options).is_err_and(|code| code == Errno::INTR) {}
        // Dropping the sender says the same.
        drop(sender);
    });
    ended
}

/// Returns the limit that the keeper's descendants exceed together.
fn excess(keeper: Pid, limits: &Limits) -> Option<Excess> {
    // The first process of a name space is the keeper's own.
    let most = limits.max_processes + 1;
    let found = descendants::of(keeper, most, limits.max_memory);
    if found.processes > most {
        return Some(Excess::Processes(limits.max_processes));
    }
    (found.memory > limits.max_memory).then_some(Excess::Memory(limits.max_memory))
}

fn wait_or_stop(
    ended: &Receiver<()>,
    deadline: Option<Instant>,
    tick: Duration,
    must_stop: impl Fn() -> Option<Stopped>,
) -> Option<Stopped> {
    loop {
        if let Some(cause) = must_stop() {
            return Some(cause);
        }
        let left = deadline.map_or(tick, |deadline| deadline.saturating_duration_since(Instant::now()));
        match ended.recv_timeout(left.min(tick)) {
            Err(RecvTimeoutError::Timeout) if left.is_zero() => return Some(Stopped::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

/// Signals the whole group. A group that is gone needs none.
fn signal(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}
