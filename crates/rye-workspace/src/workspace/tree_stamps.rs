//! What the file system says of the entries of a tree, to find out later whether a process changed one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::capability::ProjectPath;

/// What changes when an entry does: its kind and mode, and but for folders its inode, size and times.
type Stamp = (u32, Option<(u64, u64, [i64; 4])>);

/// The entries of a tree at one time, but those in some folders.
#[derive(Debug, PartialEq, Eq)]
pub struct TreeStamps(BTreeMap<PathBuf, Stamp>);

impl TreeStamps {
    /// Looks at every entry of the tree at `root` outside of the folders `but`. No link is followed.
    ///
    /// # Errors
    ///
    /// Fails when an entry cannot be looked at.
    pub fn of(root: &Path, but: &[ProjectPath]) -> io::Result<Self> {
        let (mut stamps, mut left) = (BTreeMap::new(), vec![PathBuf::new()]);
        while let Some(folder) = left.pop() {
            for entry in fs::read_dir(root.join(&folder))? {
                let path = folder.join(entry?.file_name());
                let found = fs::symlink_metadata(root.join(&path))?;
                if found.is_dir() {
                    stamps.insert(path.clone(), (found.mode(), None));
                    if !but.iter().any(|but| path == Path::new(but.as_str())) {
                        left.push(path);
                    }
                    continue;
                }
                let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
                stamps.insert(path, (found.mode(), Some((found.ino(), found.size(), times))));
            }
        }
        Ok(Self(stamps))
    }

    /// Returns a path that is not as it was: changed, new, or gone.
    #[must_use]
    pub fn difference(&self, later: &Self) -> Option<PathBuf> {
        let paths = self.0.keys().chain(later.0.keys());
        paths.into_iter().find(|path| self.0.get(*path) != later.0.get(*path)).cloned()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::symlink;

    use super::*;

    type Change = fn(&Path);

    #[test]
    fn what_is_changed_outside_of_the_folders_is_found() {
        let changes: [(&str, Change); 6] = [
            ("src/a", |root| fs::write(root.join("src/a"), "x").unwrap()),
            ("src/a", |root| fs::remove_file(root.join("src/a")).unwrap()),
            ("new", |root| fs::write(root.join("new"), "x").unwrap()),
            ("src/link", |root| symlink("/", root.join("src/link")).unwrap()),
            ("deps", |root| fs::remove_dir_all(root.join("deps")).unwrap()),
            ("empty", |root| fs::create_dir(root.join("empty")).unwrap()),
        ];
        for (path, change) in changes {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path();
            fs::create_dir_all(root.join("src")).unwrap();
            fs::create_dir_all(root.join("deps/bin")).unwrap();
            fs::write(root.join("src/a"), "a").unwrap();
            let stamps = || TreeStamps::of(root, &["deps".parse().unwrap()]).unwrap();
            let before = stamps();
            fs::write(root.join("deps/bin/run"), "made").unwrap();
            assert_eq!(before.difference(&stamps()), None);
            change(root);
            assert_eq!(before.difference(&stamps()).as_deref(), Some(Path::new(path)));
        }
    }
}
