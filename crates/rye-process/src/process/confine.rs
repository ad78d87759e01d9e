//! The hidden verb: this program sets its own limits, enters the sandbox and then becomes the target.
//!
//! Its command line is written by `child.rs` only:
//! `__confine [--keep=<parent>] [--processes=<number>] [--way-out=<descriptor>] [--<limit>=<number>]… [--variables=<descriptor>] [--sandbox=<profile> [--network] [--sockets=<number>] [--read=<path>]… [--project=<path>]… [--without=<path>]… [--cover=<path> --with=<path>]… [--hide=<path> --with=<path>]… [--write=<path>]…] -- <program> <argument>…`. A limit
//! is never raised above what the process has. No core dump is ever written, and the target dies with the parent. With
//! `--keep`, this process is the keeper (`keep.rs`) of a copy of it that does the rest.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::RawFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::descriptors;
use super::error::Error;
use super::keep::keep;
use super::keeper_flags::{KEEP, Kept, PROCESSES, VARIABLES, WAY_OUT};
use super::limits::ResourceLimits;
use super::sandbox::{NameSpace, Sandbox};
use super::variables;

/// Performs the hidden verb on the arguments after it. Returns only as the keeper, with the exit code of what it kept.
///
/// # Errors
///
/// Fails when the arguments are wrong, the process cannot be confined, or the target cannot be started.
pub fn confine_main(args: &[OsString]) -> Result<u8, Error> {
    let wrong = |reason| Error::ConfineArguments { reason };
    if let Some(parent) = args.first().and_then(|flag| flag.to_str()?.strip_prefix(KEEP)) {
        limit("core dumps", Resource::Core, Some(0), 0)?;
        let parent = parent.parse().map_err(|_| wrong(format!("`{parent}` is not a process")))?;
        let confined = parse(&args[1..]).map_err(wrong)?;
        let most = confined.most_processes.and_then(|most| usize::try_from(most).ok());
        return match keep(parent, confined.sandbox.as_ref(), most)? {
            Kept::Ended(code) => Ok(code),
            Kept::Target(name_space) => Err(confine_and_exec(&confined, name_space)),
        };
    }
    Err(confine_and_exec(&parse(args).map_err(wrong)?, NameSpace::Shared))
}

/// Confines this process and replaces it by `program`. Returns only when it failed; earlier settings stay.
fn confine_and_exec(confined: &Confined<'_>, name_space: NameSpace) -> Error {
    let Confined { limits, most_processes, way_out, variables, sandbox, program, args } = confined;
    most_processes.iter().for_each(|most| name_space.limit(*most));
    let variables =
        match variables.map_or_else(|| Ok(BTreeMap::new()), |from| variables::receive(descriptors::take(from))) {
            Ok(variables) => variables,
            Err(source) => return Error::Confine { what: "the variables of the tool", source },
        };
    let inherits = |source| Error::Confine { what: "what the tool inherits", source };
    if let Err(error) = confine(limits).and_then(|()| descriptors::close_with_exec().map_err(inherits)).and_then(|()| {
        sandbox.as_ref().map_or(Ok(()), |sandbox| sandbox.apply(name_space != NameSpace::Shared, *way_out))
    }) {
        return error;
    }
    let source = Command::new(program).args(*args).envs(variables).exec();
    Error::Start { program: program.clone(), source }
}

fn confine(limits: &ResourceLimits) -> Result<(), Error> {
    die_with_parent()?;
    // Away from the person's terminal, and with a group that the keeper can signal. The leader of a group already has
    // one.
    let _ = rustix::process::setsid();
    end_first();
    limit("core dumps", Resource::Core, Some(0), 0)?;
    // The soft limit's signal comes a second before the hard limit's kill.
    limit("processor time", Resource::Cpu, limits.cpu_seconds, 1)?;
    limit("address space", Resource::As, limits.address_space_bytes, 0)?;
    limit("file size", Resource::Fsize, limits.file_size_bytes, 0)?;
    limit("open files", Resource::Nofile, limits.open_files, 0)
}

/// Where memory becomes scarce, the kernel ends a tool before other programs: not all that it has the kernel make counts as
/// its own (shared memory that no process has in its tables, data in pipes).
#[cfg(target_os = "linux")]
fn end_first() {
    // In a sandbox of this program it is so already, and not to be written.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Other systems decide by themselves.
#[cfg(not(target_os = "linux"))]
const fn end_first() {}

/// Lowers a limit to `value`, and its ceiling to `slack` more.
fn limit(what: &'static str, resource: Resource, value: Option<u64>, slack: u64) -> Result<(), Error> {
    let Some(value) = value else { return Ok(()) };
    let had = getrlimit(resource);
    let within = |wanted: u64, bound: Option<u64>| Some(bound.map_or(wanted, |bound| wanted.min(bound)));
    let maximum = within(value.saturating_add(slack), had.maximum);
    let current = within(value, maximum);
    setrlimit(resource, Rlimit { current, maximum }).map_err(|code| Error::Confine { what, source: code.into() })
}

/// Asks the kernel to kill the target when the thread that waits for it is gone, however it went.
#[cfg(target_os = "linux")]
fn die_with_parent() -> Result<(), Error> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|code| Error::Confine { what: "its life to its parent's", source: code.into() })
}

/// Other systems have no such thing.
#[cfg(not(target_os = "linux"))]
fn die_with_parent() -> Result<(), Error> {
    Ok(())
}

/// What the command line says.
struct Confined<'a> {
    limits: ResourceLimits,
    most_processes: Option<u64>,
    way_out: Option<RawFd>,
    variables: Option<RawFd>,
    sandbox: Option<Sandbox>,
    program: PathBuf,
    args: &'a [OsString],
}

/// Tells whether a number can be that of a descriptor that was opened for this process.
const fn is_inherited(number: &RawFd) -> bool {
    const STDERR: RawFd = 2;
    *number > STDERR
}

/// Reads the command line after the verb.
fn parse(args: &[OsString]) -> Result<Confined<'_>, String> {
    let end = args.iter().position(|argument| argument == "--").ok_or("no `--` before the program")?;
    let (mut limits, mut variables, mut sandbox) = (ResourceLimits::default(), None, None);
    let (mut most_processes, mut way_out) = (None, None);
    for flag in &args[..end] {
        if let Some(number) =
            flag.to_str().and_then(|flag| flag.strip_prefix(VARIABLES)?.parse().ok().filter(is_inherited))
        {
            variables = Some(number);
            continue;
        }
        if let Some(most) = flag.to_str().and_then(|flag| flag.strip_prefix(PROCESSES)?.parse().ok()) {
            most_processes = Some(most);
            continue;
        }
        if let Some(number) = flag.to_str().and_then(|flag| flag.strip_prefix(WAY_OUT)?.parse().ok()) {
            way_out = Some(number);
            continue;
        }
        let taken = flag.to_str().and_then(|flag| limits.take_flag(flag));
        let taken = taken.or_else(|| Sandbox::take_flag(&mut sandbox, flag));
        taken.ok_or_else(|| format!("`{}` is neither a limit nor part of a sandbox", flag.to_string_lossy()))?;
    }
    let (program, args) = args[end + 1..].split_first().ok_or("no program after `--`")?;
    Ok(Confined { limits, most_processes, way_out, variables, sandbox, program: PathBuf::from(program), args })
}
