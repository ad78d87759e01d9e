//! Installing a plugin from a folder: everything is read and checked once, shown, and then that is written.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, Info};
use crate::format::plugin_manifest::{Manifest, PluginName};
use crate::id::Version;
use crate::plugin::{Checked, InstalledError, Plugin, PluginFolder, Plugins, Store};
use crate::session::Session;

/// What to install.
#[derive(Debug, Clone)]
pub struct InstallOptions {
    /// The folder with the plugin.
    pub folder: PathBuf,
    /// Whether it may take the place of a later version.
    pub allow_downgrade: bool,
}

/// The effect of an installation on the installed plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is new.
    Installed,
    /// It takes the place of an earlier version.
    Upgraded,
    /// It takes the place of a later version.
    Downgraded,
    /// It takes the place of the same version with other bytes, or of one that does not count.
    Replaced,
    /// The same bytes are installed.
    Unchanged,
}

/// A plugin that was looked at and can be installed.
#[derive(Debug)]
pub struct Review {
    store: Store,
    checked: Checked,
    outcome: InstallOutcome,
}

/// A plugin that was, or would be, installed.
#[derive(Debug, Clone, Serialize)]
pub struct InstallOutcome {
    /// What that does.
    pub change: Change,
    /// The plugin.
    #[serde(flatten)]
    pub plugin: Info,
    /// The version that was installed before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Version>,
    /// The fingerprint of the key that signed the former version, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_signed_by: Option<String>,
}

/// Reads and checks the plugin in a folder. Nothing of it runs yet.
///
/// # Errors
///
/// Says why it cannot be installed.
pub fn review(session: &Session, options: &InstallOptions) -> Result<Review, Error> {
    let ctx = session.context();
    let folder = ctx.current_dir().join(&options.folder);
    let wrong = |fault| Error::Install { folder: options.folder.clone(), fault };
    let (keys, store) = (session.project().keys(), Store::new(ctx)?);
    store.check_can_open().map_err(wrong)?;
    let checked = PluginFolder::open(&folder).and_then(|opened| opened.check(&keys)).map_err(wrong)?;
    let manifest = checked.library.manifest();
    let (name, version) = (manifest.name.clone(), manifest.version);
    if Plugins::is_own(name.as_str()) {
        return Err(Error::OwnName { name: name.to_string() });
    }
    check_extensions(session, &store, manifest)?;
    let plugin = Info::of(checked.library.checked(), Some(store.path(&name))).map_err(|fault| wrong(fault.into()))?;
    let mut outcome = InstallOutcome { change: Change::Installed, plugin, before: None, before_signed_by: None };
    if store.has(&name) {
        outcome.change = Change::Replaced;
        // One that does not count any more can be replaced by one that does.
        if let Ok(before) = store.read(&name, &keys) {
            let (installed, key) = (before.library.manifest().version, before.library.checked().key());
            outcome.before = Some(installed);
            let is_other = key != checked.library.checked().key();
            outcome.before_signed_by = is_other.then(|| key.fingerprint());
            outcome.change = match version.cmp(&installed) {
                std::cmp::Ordering::Greater => Change::Upgraded,
                std::cmp::Ordering::Less => Change::Downgraded,
                std::cmp::Ordering::Equal if before.is_same(&checked) => Change::Unchanged,
                std::cmp::Ordering::Equal => Change::Replaced,
            };
        } else if let Ok(draft) = store.draft(&name) {
            outcome.before = Some(draft.version());
            if version < draft.version() {
                outcome.change = Change::Downgraded;
            }
        }
    }
    match (outcome.change, outcome.before) {
        (Change::Downgraded, Some(installed)) if !options.allow_downgrade => {
            Err(Error::Older { name: name.to_string(), installed, offered: version })
        }
        _ => Ok(Review { store, checked, outcome }),
    }
}

impl Review {
    /// Returns what would be installed.
    #[must_use]
    pub const fn outcome(&self) -> &InstallOutcome {
        &self.outcome
    }

    /// Opens the library from the bytes that were checked, to see that it is what its manifest says, and installs these bytes.
    ///
    /// # Errors
    ///
    /// Fails when it is not, and when it cannot be written.
    pub fn install(self) -> Result<InstallOutcome, Error> {
        if self.outcome.change != Change::Unchanged {
            Plugin::open_checked(&self.checked, &self.store)?;
            self.store.install(&self.checked)?;
        }
        Ok(self.outcome)
    }
}

/// A file is run by one plugin.
fn check_extensions(session: &Session, store: &Store, manifest: &Manifest) -> Result<(), Error> {
    for extension in &manifest.needs.extensions {
        let own = session.plugins()?.own_kind_for(extension)?;
        let by = match own {
            Some(by) => Some(by),
            None => installed_taker(store, &manifest.name, extension)?,
        };
        if let Some(by) = by {
            return Err(Error::Taken { extension: extension.clone(), by });
        }
    }
    Ok(())
}

fn installed_taker(store: &Store, own: &PluginName, extension: &str) -> Result<Option<String>, InstalledError> {
    let takes = |name: &&PluginName| {
        *name != own
            && store.draft(name).is_ok_and(|draft| draft.needs().extensions.iter().any(|taken| taken == extension))
    };
    Ok(store.names()?.iter().find(takes).map(ToString::to_string))
}
