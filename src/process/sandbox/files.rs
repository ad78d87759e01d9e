//! Landlock: which files a child reaches, that it connects to nothing, and that it signals no process outside.

use std::fs;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use rustix::fs::FileType;

use super::super::error::Error;
use super::mounts::itself;

/// The folders of the system that every program may read and run.
const SYSTEM: [&str; 8] = ["/bin", "/lib", "/lib32", "/lib64", "/nix/store", "/opt", "/sbin", "/usr"];
/// The settings of the system.
const SETTINGS: &str = "/etc";
/// What programs expect of the kernel, to be read.
const KERNEL: [&str; 5] = ["/proc", "/sys/devices/system/cpu", "/dev/random", "/dev/urandom", "/dev/zero"];
/// Folders that programs write into without keeping the data.
const SINKS: [&str; 2] = ["/dev/full", "/dev/null"];

/// What must be there: with it, no file is reached, renamed or cut short that is not granted.
const LEAST: ABI = ABI::V3;
/// Features that are used if available: the network by TCP, devices, sockets without a file, signals.
const BEST: ABI = ABI::V6;

pub(super) fn is_supported() -> Result<(), Error> {
    ruleset().map(drop).map_err(|error| missing(&error))
}

pub(super) fn restrict(
    projects: &[PathBuf],
    reads: &[PathBuf],
    writes: &[PathBuf],
    ports: Range<u16>,
) -> Result<(), Error> {
    let read = AccessFs::from_read(BEST);
    let sink = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let mut ruleset = ruleset().map_err(|error| missing(&error))?;
    for path in SYSTEM.iter().chain(&KERNEL).map(PathBuf::from).chain(settings()) {
        ruleset = granted(ruleset, PathFd::new(path).ok(), read)?;
    }
    for path in SINKS {
        ruleset = granted(ruleset, PathFd::new(path).ok(), sink)?;
    }
    for path in projects {
        // A right to a folder is one to all below it: listing the top shows names in the git folder.
        ruleset = granted(ruleset, itself(path), AccessFs::ReadDir.into())?;
        for path in parts(path) {
            ruleset = granted(ruleset, itself(&path), read)?;
        }
    }
    for path in reads {
        ruleset = granted(ruleset, itself(path), read)?;
    }
    for path in writes {
        ruleset = granted(ruleset, itself(path), AccessFs::from_all(BEST) & !AccessFs::IoctlDev)?;
    }
    for port in ports {
        ruleset = ruleset.add_rule(NetPort::new(port, AccessNet::ConnectTcp)).map_err(|error| missing(&error))?;
    }
    ruleset.restrict_self().map(drop).map_err(|error| missing(&error))
}

/// What lies in a project, but its git folder.
fn parts(project: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(project).into_iter().flatten().flatten();
    entries.filter(|entry| !entry.file_name().eq_ignore_ascii_case(".git")).map(|entry| entry.path()).collect()
}

fn ruleset() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(BEST))?
        .handle_access(AccessNet::from_all(BEST))?
        .scope(Scope::from_all(BEST))?
        .create()
}

/// Grants what a path led to. A dangling path is not granted.
fn granted(
    ruleset: RulesetCreated,
    file: Option<impl AsFd>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, Error> {
    let Some(file) = file else { return Ok(ruleset) };
    let found = rustix::fs::fstat(&file).map_err(|code| Error::Confine { what: "files", source: code.into() })?;
    let access = match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => access,
        _ => access & AccessFs::from_file(BEST),
    };
    ruleset.add_rule(PathBeneath::new(file, access)).map_err(|error| missing(&error))
}

/// The settings of the system that may be read: those that every user may read. Modes say nothing to their owner, the
/// superuser.
fn settings() -> Vec<PathBuf> {
    let folder = PathBuf::from(SETTINGS);
    if !rustix::process::geteuid().is_root() {
        return vec![folder];
    }
    let mut shared = Vec::new();
    share(folder, &mut shared);
    shared
}

/// Adds a folder, or the part of it that every user may read.
fn share(folder: PathBuf, shared: &mut Vec<PathBuf>) -> bool {
    let begun = shared.len();
    let mut is_whole = true;
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        // A link adds nothing to what it leads to.
        let Some(found) = entry.metadata().ok().filter(|found| !found.is_symlink()) else { continue };
        let mode = found.permissions().mode();
        is_whole &= match (found.is_dir(), mode & 0o5) {
            (true, 0o5) => share(entry.path(), shared),
            (false, bits) if bits & 0o4 != 0 => {
                shared.push(entry.path());
                true
            }
            (true | false, _) => false,
        };
    }
    if is_whole {
        shared.truncate(begun);
        shared.push(folder);
    }
    is_whole
}

fn missing(error: &RulesetError) -> Error {
    Error::NoSandbox { reason: format!("Landlock: {error}") }
}
