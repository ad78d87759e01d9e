//! What a child may reach: the paths it is given, and no other process, no network but a proxy, no privilege.
//!
//! The confiner (`confine.rs`) applies it to itself before it becomes the target, so it confines all that the target
//! starts. Files and scopes are Landlock's, system calls seccomp's; both are needed. A kernel that has too little of
//! either has no sandbox, nor has a system other than Linux, and [`Sandbox::is_supported`] says so before anything is
//! run.

#[cfg(target_os = "linux")]
mod carve;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod itself;
#[cfg(target_os = "linux")]
mod kernel_files;
#[cfg_attr(not(target_os = "linux"), path = "sandbox/other_systems.rs")]
mod linux;
mod mount_table;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg_attr(not(target_os = "linux"), path = "sandbox/no_name_space.rs")]
mod name_space;
#[cfg_attr(not(target_os = "linux"), path = "sandbox/no_network.rs")]
pub(super) mod network;
#[cfg(target_os = "linux")]
mod private_folders;
#[cfg(target_os = "linux")]
mod privileges;
mod profile;
mod reach;
#[cfg(target_os = "linux")]
mod system_calls;

use std::path::{Path, PathBuf};

pub use mount_table::MountTable;
pub(super) use name_space::NameSpace;
pub use profile::{MOST_SOCKETS, Profile};
pub use reach::{Cover, PROXY_PORT, Sandbox};

/// Returns the folder that a program needs besides its own file: where it was installed, with its libraries.
pub fn installation(program: &Path) -> PathBuf {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    // Packages of Node are next to those that they need.
    if let Some(packages) = program.ancestors().skip(1).find(|folder| folder.ends_with("node_modules")) {
        return packages.to_owned();
    }
    let folder = program.parent().unwrap_or(&program);
    let is_of_programs = folder.file_name().is_some_and(|name| name == "bin");
    match folder.parent().filter(|_| is_of_programs) {
        // A folder of programs in the root or a home folder says nothing of the rest there.
        Some(prefix) if prefix.join("lib").is_dir() && prefix.parent().is_some() => prefix.to_owned(),
        Some(_) | None => program,
    }
}
