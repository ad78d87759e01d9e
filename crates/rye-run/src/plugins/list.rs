//! Installed plugins: listed, described, checked, removed.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, Info};
use crate::error::with_causes;
use crate::format::plugin_manifest::PluginName;
use crate::plugin::{self, InstalledError, Store};
use crate::project::Project;

/// The installed plugins.
#[derive(Debug, Clone, Serialize)]
pub struct ListOutcome {
    /// Each plugin, by name.
    pub plugins: Vec<Listed>,
}

/// A plugin that is installed.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// Its name.
    pub name: PluginName,
    /// `good`, or the word for its fault.
    pub state: &'static str,
    /// Its fault, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its facts, if it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plugin: Option<Info>,
}

/// How a check of installed plugins ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerifyStatus {
    /// Every plugin counts.
    Ok,
    /// One or more do not.
    Findings,
    /// None is installed.
    Empty,
}

/// A check of installed plugins.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyOutcome {
    /// How it ended.
    pub status: VerifyStatus,
    /// How many plugins were checked.
    pub checked: usize,
    /// The plugins that do not count.
    pub findings: Vec<Finding>,
}

/// A plugin that does not count.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// Its name.
    pub name: PluginName,
    /// The word for its fault.
    pub state: &'static str,
    /// Its fault, in a sentence.
    pub message: String,
}

/// A plugin that was removed.
#[derive(Debug, Clone, Serialize)]
pub struct RemoveOutcome {
    /// Its name.
    pub name: PluginName,
    /// The folder that it was in.
    pub path: PathBuf,
}

/// Lists the installed plugins. Nothing of it runs.
pub fn list(project: &Project) -> Result<ListOutcome, Error> {
    let store = Store::new(project.context())?;
    let plugins = store.names()?.into_iter().map(|name| listed(project, &store, name)).collect();
    Ok(ListOutcome { plugins })
}

fn listed(project: &Project, store: &Store, name: PluginName) -> Listed {
    match read(project, store, &name) {
        Ok(plugin) => Listed { name, state: "good", reason: None, plugin: Some(plugin) },
        Err(error) => Listed { name, state: word(&error), reason: Some(with_causes(&error)), plugin: None },
    }
}

/// Tells of an installed plugin that counts. Nothing of it runs.
///
/// # Errors
///
/// Fails when it is not installed or does not count.
pub fn info(project: &Project, name: &PluginName) -> Result<Info, Error> {
    let store = Store::new(project.context())?;
    read(project, &store, name).map_err(|source| match source {
        InstalledError::Unknown { .. } => Error::Installed(source),
        source => Error::Plugin(plugin::Error::Installed { plugin: name.to_string(), source }),
    })
}

fn read(project: &Project, store: &Store, name: &PluginName) -> Result<Info, InstalledError> {
    let checked = store.read(name, &project.keys())?;
    Ok(Info::of(checked.library.checked(), Some(store.path(name)))?)
}

/// Checks installed plugins: signature, signer, digest, and who can write their files. Nothing of them runs.
///
/// # Errors
///
/// Fails when the folder of plugins cannot be read, and when the plugin that is named is not installed.
pub fn verify(project: &Project, name: Option<&PluginName>) -> Result<VerifyOutcome, Error> {
    let store = Store::new(project.context())?;
    let names = match name {
        Some(name) => vec![name.clone()],
        None => store.names()?,
    };
    let mut findings = Vec::new();
    for name in &names {
        match store.read(name, &project.keys()) {
            Ok(_) => {}
            Err(error @ InstalledError::Unknown { .. }) => return Err(error.into()),
            Err(error) => {
                findings.push(Finding { name: name.clone(), state: word(&error), message: with_causes(&error) });
            }
        }
    }
    let status = match (names.len(), findings.len()) {
        (0, _) => VerifyStatus::Empty,
        (_, 0) => VerifyStatus::Ok,
        (_, _) => VerifyStatus::Findings,
    };
    Ok(VerifyOutcome { status, checked: names.len(), findings })
}

/// Checks that this program can open libraries at all.
///
/// # Errors
///
/// Fails in a program that is linked statically.
pub fn check_can_open(project: &Project) -> Result<(), Error> {
    Ok(Store::new(project.context())?.check_can_open()?)
}

/// Checks that a plugin is installed, whether it counts or not.
///
/// # Errors
///
/// Fails when it is not.
pub fn check_installed(project: &Project, name: &PluginName) -> Result<(), Error> {
    Ok(Store::new(project.context())?.expect(name)?)
}

/// Removes a plugin, whether it counts or not.
///
/// # Errors
///
/// Fails when it is not installed or cannot be removed.
pub fn remove(project: &Project, name: &PluginName) -> Result<RemoveOutcome, Error> {
    let store = Store::new(project.context())?;
    store.remove(name)?;
    Ok(RemoveOutcome { name: name.clone(), path: store.path(name) })
}

/// Returns the word for a plugin's fault.
fn word(error: &InstalledError) -> &'static str {
    match error {
        InstalledError::Fault(fault) => fault.word(),
        InstalledError::Io { .. } | InstalledError::Context(_) | InstalledError::Copy(_) => "unreadable",
        InstalledError::NotAFolder { .. }
        | InstalledError::NotAFile { .. }
        | InstalledError::TooLarge { .. }
        | InstalledError::Misplaced { .. } => "malformed",
        InstalledError::Writable { .. } | InstalledError::Foreign { .. } | InstalledError::Nowhere { .. } => "exposed",
        InstalledError::Unknown { .. } | InstalledError::Static | InstalledError::Exchange { .. } => "unusable",
    }
}
