//! The plugins that can be asked under the present trust: the program's own, then the installed ones.
//!
//! An installed plugin is looked for only when none of the program's own has the name or takes the extension. It is checked
//! before it is opened, and whether its signer still counts each time it is asked for: a server that runs for days notices that a
//! key was revoked. An opened plugin stays that version until the process ends.

use std::sync::{Arc, PoisonError};

use super::installed::{InstalledError, Store};
use super::kept::Kept;
use super::{Error, Plugin, Plugins, Provider, ToolKind, kind_name, names};
use crate::error::with_causes;
use crate::format::plugin_manifest::{PluginKind, PluginName};
use crate::trust::TrustedKeys;

/// The plugins that can be asked under the present trust.
#[derive(Debug, Clone)]
pub struct Available<'p> {
    plugins: &'p Plugins,
    keys: Arc<TrustedKeys>,
}

impl<'p> Available<'p> {
    /// Puts plugins under the present trust.
    #[must_use]
    pub const fn new(plugins: &'p Plugins, keys: Arc<TrustedKeys>) -> Self {
        Self { plugins, keys }
    }

    /// The provider of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPlugin`], or a fault of its library.
    pub fn provider(&self, name: &str) -> Result<Provider, Error> {
        match self.installed(PluginKind::Provider, name)? {
            Some(plugin) => Provider::new(plugin),
            None => self.plugins.provider(name),
        }
    }

    /// The tool kind of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPlugin`], or a fault of its library.
    pub fn tool_kind(&self, name: &str) -> Result<ToolKind, Error> {
        match self.installed(PluginKind::ToolKind, name)? {
            Some(plugin) => ToolKind::new(plugin),
            None => self.plugins.tool_kind(name),
        }
    }

    /// The tool kind that takes files with this extension, which is given without its dot.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownExtension`], or a fault of the library of a tool kind.
    pub fn tool_kind_for_extension(&self, extension: &str) -> Result<ToolKind, Error> {
        let (unknown, store) = match (self.plugins.tool_kind_for_extension(extension), &self.plugins.store) {
            (Err(unknown @ Error::UnknownExtension { .. }), Some(store)) => (unknown, store),
            (found, _) => return found,
        };
        let names = store.names().map_err(Error::Store)?;
        let (mut takers, unread) = takers(store, names, extension);
        match (takers.pop(), takers.is_empty()) {
            (None, _) => Err(unread.unwrap_or(unknown)),
            (Some(name), true) => self.tool_kind(name.as_str()),
            (Some(last), false) => {
                let plugins = takers.into_iter().chain([last]).map(|name| name.to_string()).collect();
                Err(Error::AmbiguousExtension { extension: extension.to_owned(), plugins })
            }
        }
    }

    /// Returns the tool kind of the program's own that takes an extension.
    ///
    /// # Errors
    ///
    /// A fault of the library of a tool kind.
    pub fn own_kind_for(&self, extension: &str) -> Result<Option<String>, Error> {
        match self.plugins.tool_kind_for_extension(extension) {
            Ok(kind) => Ok(Some(kind.name().to_owned())),
            Err(Error::UnknownExtension { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the installed plugin of a name and kind; none if the program has one itself, or none is installed.
    fn installed(&self, kind: PluginKind, name: &str) -> Result<Option<Plugin>, Error> {
        let (Some(store), false, Ok(name)) = (&self.plugins.store, Plugins::is_own(name), name.parse::<PluginName>())
        else {
            return Ok(None);
        };
        // Held while a library is opened: a second OS thread waits.
        let mut kept = self.plugins.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let plugin = match kept.get(&name) {
            Some(Kept::Opened(checked, plugin)) => {
                checked.check_again(&self.keys).map_err(|fault| of(name.as_str(), fault.into()))?;
                plugin.clone()
            }
            Some(Kept::Refused(reason)) => {
                return Err(Error::Refused { plugin: name.to_string(), reason: reason.clone() });
            }
            None if !store.has(&name) => return Err(self.unknown(store, kind, &name)),
            None => {
                let checked = store.read(&name, &self.keys).map_err(|source| of(name.as_str(), source))?;
                let (manifest, found) = (checked.library.checked().clone(), checked.library.manifest().kind);
                if found != kind {
                    let (plugin, expected) = (name.to_string(), kind_name(kind.number()));
                    return Err(Error::WrongKind { plugin, found: found.number(), expected });
                }
                let opened = Plugin::open_checked(&checked, store);
                let (keep, opened) = match opened {
                    Ok(plugin) => (Kept::Opened(Box::new(manifest), plugin.clone()), Ok(plugin)),
                    Err(error) => (Kept::Refused(with_causes(&error)), Err(error)),
                };
                kept.insert(name, keep);
                opened?
            }
        };
        plugin.of_kind(kind.number()).map(Some)
    }

    fn unknown(&self, store: &Store, kind: PluginKind, name: &PluginName) -> Error {
        let own = names(kind.number()).map(str::to_owned);
        let installed = store.names().unwrap_or_default().into_iter().map(|name| name.to_string());
        let known = own.chain(installed).collect();
        Error::UnknownPlugin { kind: kind_name(kind.number()), name: name.to_string(), known }
    }
}

/// Returns the plugins that say that they take an extension, and the fault of the first that cannot be read: it may
/// take it, too. Whether one counts is found out when it is opened.
fn takers(store: &Store, names: Vec<PluginName>, extension: &str) -> (Vec<PluginName>, Option<Error>) {
    let (mut takers, mut unread) = (Vec::new(), None);
    for name in names {
        match store.draft(&name) {
            Ok(draft) if draft.needs().extensions.iter().any(|taken| taken == extension) => takers.push(name),
            Ok(_) => {}
            Err(source) => unread = unread.or_else(|| Some(of(name.as_str(), source))),
        }
    }
    (takers, unread)
}

fn of(plugin: &str, source: InstalledError) -> Error {
    Error::Installed { plugin: plugin.to_owned(), source }
}
