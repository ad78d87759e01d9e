//! The plugins that a person installed: `$XDG_DATA_HOME/rye/plugins/NAME/{plugin.toml, plugin.toml.sig, LIBRARY}`.
//!
//! A project cannot bring one. The folders belong to the person alone, and are refused to tools and scripts as everything in
//! that place is. Each plugin is checked whenever it is read: signature, signer, digest.
//!
//! Deliberately does not ask and does not show: that is for the command line.

mod error;
mod folder;
mod loader;
mod sealed_file;
mod write;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

pub use error::InstalledError;
pub use folder::{Checked, PluginFolder};
pub(super) use sealed_file::Sealed;
pub use write::Installed;

use crate::context::{Context, OwnFolder};
use crate::format::plugin_manifest::{CheckedManifest, Draft, PluginName};
use crate::trust::TrustedKeys;

/// The name of the folder below the person's data.
const FOLDER: &str = "plugins";

/// The folder of installed plugins.
#[derive(Debug, Clone)]
pub struct Store {
    ctx: Context,
    dir: PathBuf,
    own: OwnFolder,
}

impl Store {
    /// Names the folder; looks at nothing yet.
    ///
    /// # Errors
    ///
    /// Fails when the folder for the person's data is unknown.
    pub fn new(ctx: &Context) -> Result<Self, InstalledError> {
        let (data, own) = (ctx.data_dir()?, ctx.own_data()?);
        Ok(Self { ctx: ctx.clone(), dir: data.join(FOLDER), own })
    }

    /// Returns the folder of a plugin.
    #[must_use]
    pub fn path(&self, name: &PluginName) -> PathBuf {
        self.dir.join(name.as_str())
    }

    /// Returns the names of the installed plugins, sorted. Entries that are not named like a plugin are skipped.
    ///
    /// # Errors
    ///
    /// Fails when the folder cannot be read, and when others could have written it.
    pub fn names(&self) -> Result<Vec<PluginName>, InstalledError> {
        self.check_dir()?;
        let failed = |source| InstalledError::Io { action: "read", path: self.dir.clone(), source };
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name().into_string().ok();
            names.extend(name.and_then(|name| name.parse::<PluginName>().ok()));
        }
        names.sort();
        Ok(names)
    }

    /// Tells whether a plugin is installed; whether it counts is another question.
    #[must_use]
    pub fn has(&self, name: &PluginName) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// Checks that a plugin is installed.
    ///
    /// # Errors
    ///
    /// Fails when it is not, and when the folder cannot be read.
    pub fn expect(&self, name: &PluginName) -> Result<(), InstalledError> {
        if self.has(name) {
            return Ok(());
        }
        let known = self.names()?.iter().map(ToString::to_string).collect();
        Err(InstalledError::Unknown { name: name.to_string(), known })
    }

    /// Reads the manifest of an installed plugin without any check.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn draft(&self, name: &PluginName) -> Result<Draft, InstalledError> {
        self.open(name)?.draft()
    }

    /// Reads and checks an installed plugin.
    ///
    /// # Errors
    ///
    /// Fails when it is not installed, cannot be read, others could have written it, or it does not count.
    pub fn read(&self, name: &PluginName, keys: &TrustedKeys) -> Result<Checked, InstalledError> {
        let read = || self.open(name)?.check(keys);
        let checked = match read() {
            // Replaced by another version while it was read.
            Err(InstalledError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => read()?,
            checked => checked?,
        };
        expect_name(name, checked.library.checked())?;
        Ok(checked)
    }

    fn open(&self, name: &PluginName) -> Result<PluginFolder, InstalledError> {
        let path = self.path(name);
        self.expect(name)?;
        self.check_dir()?;
        self.own.check(&path)?;
        PluginFolder::open_real(&path)
    }

    /// A link in the folder's place would lead to where tools may write.
    fn check_dir(&self) -> Result<(), InstalledError> {
        self.own.check(&self.dir)?;
        match fs::symlink_metadata(&self.dir) {
            Ok(found) if !found.is_dir() => Err(InstalledError::NotAFolder { path: self.dir.clone() }),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Checks that this program can open libraries at all.
    ///
    /// # Errors
    ///
    /// Fails in a program that is linked statically.
    pub fn check_can_open(&self) -> Result<(), InstalledError> {
        if loader::is_static(self.ctx.program()) { Err(InstalledError::Static) } else { Ok(()) }
    }

    /// Keeps checked bytes where no file can be swapped for them.
    pub(super) fn seal(&self, bytes: &[u8]) -> Result<Sealed, InstalledError> {
        self.check_can_open()?;
        Sealed::new(bytes, || Ok(self.ctx.temp_dir()?))
    }

    fn dir(&self) -> &Path {
        &self.dir
    }
}

fn expect_name(name: &PluginName, checked: &CheckedManifest) -> Result<(), InstalledError> {
    let found = &checked.manifest().name;
    if found == name {
        return Ok(());
    }
    Err(InstalledError::Misplaced { folder: name.to_string(), name: found.to_string() })
}
