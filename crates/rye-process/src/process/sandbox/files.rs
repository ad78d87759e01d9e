//! Landlock: which files a child reaches, that it connects to nothing, and that it signals no process outside.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, Scope,
};

use rustix::fs::FileType;

use super::super::error::Error;
use super::super::system_folders::{SETTINGS, roots};
use super::carve::{Piece, pieces};
use super::itself::itself;
use super::private_folders::PrivateFolders;
use super::reach::Sandbox;

/// What must be there: with it, no file is reached, renamed or cut short that is not granted.
const LEAST: ABI = ABI::V3;
/// Features that are used if available: the network by TCP, devices, sockets without a file, signals.
const BEST: ABI = ABI::V6;

pub(super) fn is_supported() -> Result<(), Error> {
    ruleset().map(drop).map_err(|error| missing(&error))
}

/// Grants what a sandbox says. `covered` are files that have another one in their place.
pub(super) fn restrict(
    sandbox: &Sandbox,
    covered: &[PathBuf],
    private: &PrivateFolders,
    ports: Range<u16>,
) -> Result<(), Error> {
    let (without, row) = (&sandbox.without.iter().cloned().collect(), sandbox.profile.row());
    let (listed, all): (IsListed<'_>, IsListed<'_>) = (&|folder| private.lets_list(folder), &|_| true);
    let read = AccessFs::from_read(BEST);
    let sink = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let mut ruleset = ruleset().map_err(|error| missing(&error))?;
    for path in row.kernel {
        ruleset = granted(ruleset, PathFd::new(path).ok(), read)?;
    }
    for path in roots() {
        ruleset = granted_without(ruleset, &path, without, listed)?;
    }
    let without_private = sandbox.without.iter().chain(private.settings()).cloned().collect();
    ruleset = granted_without(ruleset, Path::new(SETTINGS), &without_private, listed)?;
    for path in row.sinks {
        ruleset = granted(ruleset, PathFd::new(path).ok(), sink)?;
    }
    for path in &sandbox.projects {
        // A right to a folder is one to all below it: listing the top shows names in the git folder.
        ruleset = granted(ruleset, itself(path), AccessFs::ReadDir.into())?;
        for path in parts(path) {
            ruleset = granted_without(ruleset, &path, without, all)?;
        }
    }
    for path in &sandbox.reads {
        ruleset = granted_without(ruleset, path, without, all)?;
    }
    for path in covered {
        ruleset = granted(ruleset, itself(path), read)?;
    }
    for path in &sandbox.writes {
        // No device is its own to make or to command.
        let devices = AccessFs::IoctlDev | AccessFs::MakeChar | AccessFs::MakeBlock;
        ruleset = granted(ruleset, itself(path), AccessFs::from_all(BEST) & !devices)?;
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

/// Tells whether a folder may be listed of which a part is kept out.
type IsListed<'a> = &'a dyn Fn(&Path) -> bool;

/// Grants a path to be read, but for what lies in it and is kept out.
fn granted_without(
    mut ruleset: RulesetCreated,
    path: &Path,
    without: &BTreeSet<PathBuf>,
    is_listed: IsListed<'_>,
) -> Result<RulesetCreated, Error> {
    let (read, list) = (AccessFs::from_read(BEST), AccessFs::ReadDir.into());
    pieces(path, without, &mut |piece, folder, found| {
        let access = match piece {
            Piece::File => read & AccessFs::from_file(BEST),
            Piece::Whole => read,
            Piece::Names if is_listed(folder) => list,
            Piece::Names => return Ok(()),
        };
        (&mut ruleset).add_rule(PathBeneath::new(found, access)).map(drop).map_err(|error| missing(&error))
    })?;
    Ok(ruleset)
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

fn missing(error: &RulesetError) -> Error {
    Error::NoSandbox { reason: format!("Landlock: {error}") }
}
