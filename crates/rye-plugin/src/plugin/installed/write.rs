//! Installing and removing a plugin.
//!
//! The files are written and synced in a folder `.rye-tmp-…` of the store. **The commit point is one rename**: to the plugin's
//! name where nothing has it, or an exchange of both folders where a version is installed. Killed before it, the old state is
//! whole; killed after it, the new one is. A leftover is a folder `.rye-tmp-…`, which the next install removes.
//! Removing is the other way round: a rename to such a name, then the folder goes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::{Checked, InstalledError, Store};
use crate::format::plugin_manifest::{PLUGIN_MANIFEST, PLUGIN_SIGNATURE, PluginName};

/// The prefix of names of unfinished folders.
const DRAFT: &str = ".rye-tmp-";

/// A plugin that was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its folder.
    pub path: PathBuf,
}

impl Store {
    /// Installs the checked bytes of a plugin, in the place of the version that is installed.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be written, and when others could have written it.
    pub fn install(&self, checked: &Checked) -> Result<Installed, InstalledError> {
        let _lock = self.lock()?;
        let manifest = checked.library.manifest();
        let target = self.path(&manifest.name);
        let draft = self.make_draft()?;
        let library = &checked.library.checked().library()?.file;
        let files = [
            (library.as_str(), checked.library.bytes()),
            (PLUGIN_SIGNATURE, &checked.signature),
            (PLUGIN_MANIFEST, &checked.manifest),
        ];
        for (name, bytes) in files {
            write(&draft.join(name), bytes)?;
        }
        sync(&draft)?;
        self.put(&draft, &target)?;
        sync(self.dir())?;
        // After the exchange this is the version before.
        remove_all(&draft);
        Ok(Installed { path: target })
    }

    /// Removes a plugin, whether it counts or not.
    ///
    /// # Errors
    ///
    /// Fails when it is not installed or cannot be removed.
    pub fn remove(&self, name: &PluginName) -> Result<(), InstalledError> {
        let _lock = self.lock()?;
        let path = self.path(name);
        self.expect(name)?;
        let draft = self.dir().join(self.unused()?);
        fs::rename(&path, &draft).map_err(|source| InstalledError::Io { action: "remove", path, source })?;
        sync(self.dir())?;
        remove_all(&draft);
        Ok(())
    }

    /// Puts a whole folder in place.
    fn put(&self, draft: &Path, target: &Path) -> Result<(), InstalledError> {
        let rename = |flags| renameat_with(CWD, draft, CWD, target, flags);
        let renamed = match rename(RenameFlags::NOREPLACE) {
            Err(Errno::EXIST | Errno::NOTEMPTY) => rename(RenameFlags::EXCHANGE),
            // Not every file system can: a plain rename replaces no folder with files in it.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::rename(draft, target),
            renamed => renamed,
        };
        renamed.map_err(|code| match code {
            Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::NOTEMPTY | Errno::EXIST => {
                InstalledError::Exchange { path: target.to_owned() }
            }
            code => InstalledError::Io { action: "write", path: target.to_owned(), source: code.into() },
        })
    }

    /// Makes the store, unless it is there, and locks it until the lock is dropped. Leftovers of killed programs are
    /// removed.
    fn lock(&self) -> Result<File, InstalledError> {
        let failed = |source| InstalledError::Io { action: "write", path: self.dir().to_owned(), source };
        let is_new = fs::symlink_metadata(self.dir()).is_err();
        DirBuilder::new().recursive(true).mode(0o700).create(self.dir()).map_err(failed)?;
        if let (true, Some(above)) = (is_new, self.dir().parent()) {
            sync(above)?;
        }
        self.check_dir()?;
        let folder = File::open(self.dir()).map_err(failed)?;
        folder.lock().map_err(failed)?;
        for entry in fs::read_dir(self.dir()).map_err(failed)?.flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT)) {
                remove_all(&entry.path());
            }
        }
        Ok(folder)
    }

    fn make_draft(&self) -> Result<PathBuf, InstalledError> {
        let path = self.dir().join(self.unused()?);
        let failed = |source| InstalledError::Io { action: "write", path: path.clone(), source };
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        Ok(path)
    }

    /// Returns a name that nothing has.
    fn unused(&self) -> Result<String, InstalledError> {
        let random: [u8; 8] = self.ctx.random()?;
        Ok(format!("{DRAFT}{:016x}", u64::from_le_bytes(random)))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), InstalledError> {
    let written = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    written().map_err(|source| InstalledError::Io { action: "write", path: path.to_owned(), source })
}

fn sync(folder: &Path) -> Result<(), InstalledError> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|source| InstalledError::Io { action: "write", path: folder.to_owned(), source })
}

/// Removes a folder, or whatever is in its place. Files that cannot be removed stay, and do not count as a plugin.
fn remove_all(path: &Path) {
    if fs::remove_dir_all(path).is_err_and(|error| error.kind() != ErrorKind::NotFound) {
        drop(fs::remove_file(path));
    }
}
