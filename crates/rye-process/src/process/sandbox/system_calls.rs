//! seccomp: which system calls a child may make. What is not in the table answers as if the kernel did not have it.
//!
//! Landlock judges how files are opened, made, moved and removed. It does not judge who changes the mode, the owner or the
//! times of a file (mounts do, where they can), nor sockets other than TCP's, nor rings of calls that the kernel performs by itself.
//! So every call is in one of three classes: allowed (`system_calls/calls.rs`, and by its arguments `system_calls/arguments.rs`);
//! refused with "operation not permitted" (the same calls with other arguments, and `system_calls/refused.rs`); and unknown,
//! which is everything else, those of newer kernels too: libraries take an older call then.

mod arguments;
mod calls;
mod refused;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter};

use self::arguments::{by_arguments, rules};
use self::calls::{ALLOWED, ALLOWED_HERE};
use self::refused::REFUSED;
use super::super::error::Error;
use super::profile::{Class, Profile};

/// What decides besides the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Mounts keep the target from changing what it may not.
    pub(super) is_read_only: bool,
    /// The target has a network of its own.
    pub(super) has_network: bool,
}

pub(super) fn is_supported() -> Result<(), Error> {
    programs(Profile::Script, Surroundings { is_read_only: false, has_network: false }).map(drop)
}

pub(super) fn restrict(profile: Profile, surroundings: Surroundings) -> Result<(), Error> {
    for program in programs(profile, surroundings)? {
        apply_filter(&program).map_err(|error| missing(&error))?;
    }
    Ok(())
}

/// Two filters, as one has one answer. The last one is asked first, and of two errors its own counts: it answers that a call
/// is unknown, and leaves the known ones to the first.
fn programs(profile: Profile, surroundings: Surroundings) -> Result<[BpfProgram; 2], Error> {
    let has = |class: Class| {
        profile.row().calls.contains(&class)
            && match class {
                Class::Modes => surroundings.is_read_only,
                Class::Tcp => surroundings.has_network,
                Class::Files
                | Class::Memory
                | Class::Processes
                | Class::Signals
                | Class::Time
                | Class::Events
                | Class::Pairs
                | Class::Confinement => true,
            }
    };
    // A call without rules is one whatever its arguments are.
    let mut known: BTreeMap<i64, Vec<SeccompRule>> = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let mut allowed: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for (class, call, arguments) in by_arguments() {
        known.insert(*call, Vec::new());
        if has(*class) {
            allowed.entry(*call).or_default().extend(rules(arguments).map_err(|error| missing(&error))?);
        }
    }
    for (class, calls) in ALLOWED.iter().chain(ALLOWED_HERE) {
        for call in *calls {
            known.insert(*call, Vec::new());
            if has(*class) {
                allowed.insert(*call, Vec::new());
            }
        }
    }
    Ok([program(allowed, libc::EPERM)?, program(known, libc::ENOSYS)?])
}

/// A filter that allows calls, and answers all others with an error.
fn program(allowed: BTreeMap<i64, Vec<SeccompRule>>, otherwise: libc::c_int) -> Result<BpfProgram, Error> {
    let otherwise = SeccompAction::Errno(otherwise.unsigned_abs());
    let filter = SeccompFilter::new(allowed, otherwise, SeccompAction::Allow, architecture()?);
    filter.and_then(BpfProgram::try_from).map_err(|error| missing(&error))
}

/// The machines that have a table here.
fn architecture() -> Result<TargetArch, Error> {
    match std::env::consts::ARCH {
        "x86_64" => Ok(TargetArch::x86_64),
        "aarch64" => Ok(TargetArch::aarch64),
        other => Err(missing(&format!("rye has no table of system calls for {other}"))),
    }
}

fn missing(error: &dyn std::fmt::Display) -> Error {
    Error::NoSandbox { reason: format!("seccomp: {error}") }
}
