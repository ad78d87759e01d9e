//! The mounts that this process sees: by which other paths a file or folder is reached.
//!
//! A folder that is bound to a second place has two paths, and no link leads from one to the other. What lies in a layer of an overlay is
//! seen in the overlay, too.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

/// Where the kernel lists them (proc_pid_mountinfo(5)).
const TABLE: &str = "/proc/self/mountinfo";

/// The mounts, the later over the earlier.
#[derive(Debug, Default)]
pub struct MountTable(Vec<Mount>);

/// One mount.
#[derive(Debug)]
struct Mount {
    id: u64,
    /// The number of the file system's device.
    device: String,
    /// The folder of the file system that is seen.
    root: PathBuf,
    /// Where it is seen.
    at: PathBuf,
    /// Of an overlay, the folders that it joins.
    layers: Vec<PathBuf>,
}

impl MountTable {
    /// Reads the table.
    ///
    /// # Errors
    ///
    /// Fails where the kernel shows none: then nobody knows what is reached by which path.
    pub fn read() -> io::Result<Self> {
        Ok(Self::parse(&std::fs::read(TABLE)?))
    }

    fn parse(text: &[u8]) -> Self {
        Self(text.split(|byte| *byte == b'\n').filter_map(Mount::parse).collect())
    }

    /// Returns the other paths of what lies at an absolute path without links, whether it is there or not.
    #[must_use]
    pub fn other_paths(&self, path: &Path) -> Vec<PathBuf> {
        self.others(path, mount_of(path))
    }

    /// The same, where the mount is known that the path leads into.
    fn others(&self, path: &Path, id: Option<u64>) -> Vec<PathBuf> {
        let at = |mount: &&Mount| path.starts_with(&mount.at);
        let longest = self.0.iter().filter(at).max_by_key(|mount| mount.at.components().count());
        let own = self.0.iter().find(|mount| Some(mount.id) == id && at(mount)).or(longest);
        let mut paths: Vec<PathBuf> = self.0.iter().filter_map(|mount| mount.in_layer(path)).collect();
        if let Some(own) = own {
            let within = own.root.join(path.strip_prefix(&own.at).unwrap_or(path));
            let seen_by = |mount: &Mount| Some(mount.at.join(within.strip_prefix(&mount.root).ok()?));
            paths.extend(self.0.iter().filter(|mount| mount.device == own.device).filter_map(seen_by));
        }
        paths.retain(|other| other != path);
        paths.sort();
        paths.dedup();
        paths
    }
}

/// Returns the number of the mount that a path, or the nearest folder above it that is there, leads into: one mount may hide another.
#[cfg(target_os = "linux")]
fn mount_of(path: &Path) -> Option<u64> {
    let mount = |path: &Path| statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::MNT_ID).ok();
    let found = path.ancestors().find_map(mount)?;
    (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
}

#[cfg(not(target_os = "linux"))]
fn mount_of(_: &Path) -> Option<u64> {
    None
}

impl Mount {
    /// Takes one line apart: number, parent, device, root, place, options, more of them up to a hyphen, kind, source, options of the file
    /// system.
    fn parse(line: &[u8]) -> Option<Self> {
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let id = std::str::from_utf8(words.first()?).ok()?.parse().ok()?;
        let device = String::from_utf8(words.get(2)?.to_vec()).ok()?;
        let end = words.iter().position(|word| *word == b"-")?;
        let is_overlay = words.get(end + 1) == Some(&&b"overlay"[..]);
        let options = words.get(end + 3).filter(|_| is_overlay).copied().unwrap_or_default();
        let (root, at) = (unescaped(words.get(3)?), unescaped(words.get(4)?));
        Some(Self { id, device, root, at, layers: layers(options) })
    }

    /// Returns where the overlay shows what lies at a path, if that is in one of its layers.
    fn in_layer(&self, path: &Path) -> Option<PathBuf> {
        let below = self.layers.iter().find_map(|layer| path.strip_prefix(layer).ok())?;
        Some(self.at.join(below.strip_prefix(self.root.strip_prefix("/").ok()?).unwrap_or(below)))
    }
}

/// Returns the folders that an overlay joins.
fn layers(options: &[u8]) -> Vec<PathBuf> {
    let options = options.split(|byte| *byte == b',');
    let value = |option: &[u8]| {
        let at = option.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (&option[..at], &option[at + 1..]);
        [&b"lowerdir"[..], b"lowerdir+", b"upperdir"].contains(&name).then(|| value.to_vec())
    };
    let folders: Vec<Vec<u8>> = options.filter_map(value).collect();
    folders.iter().flat_map(|folders| folders.split(|byte| *byte == b':')).map(unescaped).collect()
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
        33 31 8:1 /home /tmp/homes rw - ext4 /dev/a rw\n\
        34 22 0:50 / /mnt/o rw - overlay o rw,lowerdir=/srv/base:/home/ada/.config,upperdir=/var/up,workdir=/var/w\n\
        35 22 0:51 / /home/bob rw - tmpfs tmpfs rw\n\
        36 22 8:1 /real /home/bob/x rw - ext4 /dev/a rw\n\
        37 36 0:52 / /home/bob/x/y rw - tmpfs tmpfs rw\nnonsense\n";

    #[test]
    fn every_path_by_which_a_mount_leads_to_a_place_is_found() {
        let table = MountTable::parse(LINES);
        let others = |path: &str| table.others(Path::new(path), None);
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let of_keys = ["/mnt/o/rye/keys", "/opt/k", "/srv/b x/rye/keys", "/tmp/homes/ada/.config/rye/keys"];
        assert_eq!(others("/home/ada/.config/rye/keys"), paths(&of_keys));
        let person = ["/home/ada/.config/rye/keys/person", "/srv/b x/rye/keys/person"];
        let of_person = [person[0], person[1], "/tmp/homes/ada/.config/rye/keys/person"];
        assert_eq!(others("/opt/k/person"), paths(&of_person));
        assert_eq!(others("/home/ada/.config"), paths(&["/mnt/o", "/srv/b x", "/tmp/homes/ada/.config"]));
        assert_eq!(others("/var/up/a"), paths(&["/mnt/o/a"]));
        assert_eq!(others("/tmp/x"), paths(&[]));
        assert_eq!(others("/etc/passwd"), paths(&[]));
        assert_eq!(MountTable::default().other_paths(Path::new("/a")), paths(&[]));
        // The kernel knows which of two mounts hides the other.
        assert_eq!(table.others(Path::new("/home/bob/x/y/z"), Some(36)), paths(&["/real/y/z"]));
        assert_eq!(table.others(Path::new("/home/bob/x/y/z"), None), paths(&[]));
    }
}
