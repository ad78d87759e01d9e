//! The mounts that this process sees: by which other paths a file or folder is reached.
//!
//! A folder that is bound to a second place has two paths, and no link leads from one to the other.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// Where the kernel lists them (proc_pid_mountinfo(5)).
const TABLE: &str = "/proc/self/mountinfo";

/// The mounts, the later over the earlier.
#[derive(Debug, Default)]
pub struct MountTable(Vec<Mount>);

/// One mount.
#[derive(Debug)]
struct Mount {
    /// The number of the file system's device.
    device: String,
    /// The folder of the file system that is seen.
    root: PathBuf,
    /// Where it is seen.
    at: PathBuf,
}

impl MountTable {
    /// Reads the table; it is empty on a system that has none.
    #[must_use]
    pub fn read() -> Self {
        Self::parse(&std::fs::read(TABLE).unwrap_or_default())
    }

    fn parse(text: &[u8]) -> Self {
        Self(text.split(|byte| *byte == b'\n').filter_map(Mount::parse).collect())
    }

    /// Returns the other paths of what lies at an absolute path without links, whether it is there or not.
    #[must_use]
    pub fn other_paths(&self, path: &Path) -> Vec<PathBuf> {
        let nearest = self.0.iter().filter(|mount| path.starts_with(&mount.at));
        let Some(own) = nearest.max_by_key(|mount| mount.at.components().count()) else { return Vec::new() };
        let within = own.root.join(path.strip_prefix(&own.at).unwrap_or(path));
        let seen_by = |mount: &Mount| Some(mount.at.join(within.strip_prefix(&mount.root).ok()?));
        let others = self.0.iter().filter(|mount| mount.device == own.device);
        let mut paths: Vec<PathBuf> = others.filter_map(seen_by).filter(|other| other != path).collect();
        paths.sort();
        paths.dedup();
        paths
    }
}

impl Mount {
    /// Takes one line apart: number, parent, device, root, place, options.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.split(|byte| *byte == b' ').skip(2);
        let device = String::from_utf8(words.next()?.to_vec()).ok()?;
        Some(Self { device, root: unescaped(words.next()?), at: unescaped(words.next()?) })
    }
}

/// The kernel writes spaces, line ends and backslashes as `\` and three octal digits.
fn unescaped(word: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => (bytes.push(byte), rest = &after[3..]),
            None => (bytes.push(*first), rest = after),
        };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &[u8] = b"22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw\n\
        30 22 8:1 /home/ada/.config /srv/b\\040x rw - ext4 /dev/a rw\n\
        31 22 0:44 / /tmp rw - tmpfs tmpfs rw\n\
        32 22 8:1 /home/ada/.config/rye/keys /opt/k rw - ext4 /dev/a rw\n\
        33 31 8:1 /home /tmp/homes rw - ext4 /dev/a rw\nnonsense\n";

    #[test]
    fn every_path_by_which_a_mount_leads_to_a_place_is_found() {
        let table = MountTable::parse(LINES);
        let others = |path: &str| table.other_paths(Path::new(path));
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let of_keys = ["/opt/k", "/srv/b x/rye/keys", "/tmp/homes/ada/.config/rye/keys"];
        assert_eq!(others("/home/ada/.config/rye/keys"), paths(&of_keys));
        let to_person = ["/home/ada/.config/rye/keys/person", "/srv/b x/rye/keys/person"];
        assert_eq!(
            others("/opt/k/person"),
            paths(&[to_person[0], to_person[1], "/tmp/homes/ada/.config/rye/keys/person"])
        );
        assert_eq!(others("/home/ada/.config"), paths(&["/srv/b x", "/tmp/homes/ada/.config"]));
        assert_eq!(others("/tmp/x"), paths(&[]));
        assert_eq!(others("/etc/passwd"), paths(&[]));
        assert_eq!(MountTable::default().other_paths(Path::new("/a")), paths(&[]));
    }
}
