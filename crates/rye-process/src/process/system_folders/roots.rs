//! Which folders of the system every program may read.

use std::path::{Path, PathBuf};

/// The folders with programs and libraries.
const PROGRAMS: [&str; 9] = ["/bin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/usr"];

/// The settings of the system.
pub(in super::super) const SETTINGS: &str = "/etc";

/// All files of the store are for everybody, by the rules of Nix: there is nothing to look for.
const STORE: &str = "/nix/store";

/// The folders with programs by paths without links, each once.
pub(in super::super) fn roots() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = PROGRAMS.iter().filter_map(|path| Path::new(path).canonicalize().ok()).collect();
    roots.sort();
    // `/bin` is a link to `/usr/bin` on most systems.
    roots.dedup_by(|later, earlier| later.starts_with(earlier));
    roots
}

/// The folders that are looked through.
pub(super) fn surveyed() -> Vec<PathBuf> {
    roots().into_iter().filter(|root| root != Path::new(STORE)).collect()
}
