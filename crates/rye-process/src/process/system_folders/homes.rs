//! The homes of users: a service's may lie in a folder of the system.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// Where the system lists its users (passwd(5)), and how much of it is read.
const USERS: &str = "/etc/passwd";
const MOST_BYTES: u64 = 1024 * 1024;

/// Returns the homes by paths without links: the person's, and those of users who own the folder that is named as theirs. Users of the
/// system have `/bin` and the like, which is the superuser's.
pub(super) fn all(own: Option<&Path>) -> Vec<PathBuf> {
    let mut text = Vec::new();
    let _ = fs::File::open(USERS).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut text));
    let me = geteuid().as_raw();
    let is_owner = |user: u32, found: &Path| user != 0 && fs::metadata(found).is_ok_and(|found| found.uid() == user);
    let named = text.split(|byte| *byte == b'\n').filter_map(home).filter_map(|(user, home)| {
        let home = home.canonicalize().ok()?;
        (user == me || is_owner(user, &home)).then_some(home)
    });
    named.chain(own.and_then(|home| home.canonicalize().ok())).collect()
}

/// Takes a line apart, of which names and comments may have any bytes: name, password, number, group, comment, home, shell.
fn home(line: &[u8]) -> Option<(u32, PathBuf)> {
    let mut words = line.split(|byte| *byte == b':').skip(2);
    let user = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    words.nth(2).filter(|home| home.starts_with(b"/")).map(|home| (user, OsStr::from_bytes(home).into()))
}
