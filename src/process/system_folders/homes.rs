//! The homes that lie in folders of the system: a service's in `/opt`, say.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

/// Where the system lists its users (passwd(5)), and how much of it is read.
const USERS: &str = "/etc/passwd";
const MOST_BYTES: u64 = 1024 * 1024;

/// Returns the homes in these folders, without links: the person's, and those of users who own the folder that is named as
/// theirs. Users of the system have `/bin` and the like, which is the superuser's.
pub(super) fn below(roots: &[PathBuf], own: Option<&Path>) -> Vec<PathBuf> {
    let mut text = String::new();
    let read = fs::File::open(USERS).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text));
    let users = text.lines().filter(|_| read.is_ok()).filter_map(home);
    let me = geteuid().as_raw();
    let is_home = |user: u32, found: &Path| {
        user != 0 && (user == me || fs::metadata(found).is_ok_and(|found| found.uid() == user))
    };
    let named = users.filter_map(|(user, home)| {
        let home = home.canonicalize().ok()?;
        is_home(user, &home).then_some(home)
    });
    let homes = named.chain(own.and_then(|home| home.canonicalize().ok()));
    homes.filter(|home| roots.iter().any(|root| home.starts_with(root))).collect()
}

/// Takes a line apart: name, password, number, group, comment, home, shell.
fn home(line: &str) -> Option<(u32, PathBuf)> {
    let mut words = line.split(':').skip(2);
    let user = words.next()?.parse().ok()?;
    words.nth(2).filter(|home| home.starts_with('/')).map(|home| (user, home.into()))
}
