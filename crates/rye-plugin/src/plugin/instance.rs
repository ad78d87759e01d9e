//! One opened plugin: who it is, where it came from, and how it is asked.
//!
//! Every question and answer is JSON; every fault of an answer becomes an error that names the plugin. Deliberately
//! independent of the requests: these are for the two kinds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rye_plugin_abi::message::CODE_PANIC;
use rye_plugin_abi::table::{KIND_PROVIDER, KIND_TOOL_KIND, OP_DESCRIBE, STATUS_ANSWER, STATUS_FAILURE};
use rye_plugin_abi::{Description, FailurePayload, Table};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Error;
use super::installed::{Checked, InstalledError, Store};
use super::library::Entry;
use super::place::{self, Accepted, Program};
use crate::format::plugin_manifest::Needs;

/// Where a plugin's code came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A dynamic library, opened from this path.
    Library(PathBuf),
    /// The copy linked into the program, because no library was found.
    Linked,
    /// The library of an installed plugin, whose folder this is.
    Installed(PathBuf),
}

/// An opened plugin with a checked table. Copies are cheap; all mean the same loaded code.
#[derive(Debug, Clone)]
pub struct Plugin {
    entry: Entry,
    origin: Origin,
    /// What an installed plugin declared; the program's own declare nothing.
    needs: Option<Arc<Needs>>,
}

impl Plugin {
    /// Opens one library as the plugin of a crate (named with underscores), if it is as safe as the executable's own.
    ///
    /// # Errors
    ///
    /// A fault of the executable, the file, the library or its table.
    pub fn open(path: &Path, crate_name: &str, executable: &Path) -> Result<Self, Error> {
        let accepted = place::accept(path.to_owned(), &Program::of(executable)?)?;
        let missing = || Error::Read { path: path.to_owned(), source: std::io::ErrorKind::NotFound.into() };
        Self::load(accepted.ok_or_else(missing)?, crate_name)
    }

    /// Opens an installed plugin, or one that is to be installed: exactly the bytes that were checked, whatever lies in the
    /// file's place by now. Its table and its description must say what its manifest says.
    ///
    /// # Errors
    ///
    /// A fault of the library, its table or its description.
    pub fn open_checked(checked: &Checked, store: &Store) -> Result<Self, Error> {
        let manifest = checked.library.manifest();
        let plugin = || manifest.name.to_string();
        let path = store.path(&manifest.name);
        let sealed = store.seal(checked.library.bytes());
        let sealed = sealed.map_err(|source: InstalledError| Error::Installed { plugin: plugin(), source })?;
        // The private copy, where it is one, stays until the library is loaded.
        let accepted = Accepted { path: sealed.path.clone().unwrap_or_else(|| path.clone()), file: sealed.file };
        let entry = Entry::load(accepted, &manifest.crate_name)?;
        let needs = Some(Arc::new(manifest.needs.clone()));
        let opened = Self { entry, origin: Origin::Installed(path), needs };
        let opened = opened.expect(manifest.kind.number(), manifest.name.as_str())?;
        let Description { version, mut extensions, .. } = opened.describe()?;
        let mut declared = manifest.needs.extensions.clone();
        extensions.sort();
        declared.sort();
        let differs = |what, found, declared| Err(Error::OtherThanManifest { plugin: plugin(), what, found, declared });
        if version != manifest.version.to_string() {
            return differs("version", version, manifest.version.to_string());
        }
        if extensions != declared {
            return differs("extensions", extensions.join(" "), declared.join(" "));
        }
        Ok(opened)
    }

    /// What an installed plugin declared that it needs; the program's own declare nothing.
    pub(super) fn needs(&self) -> Option<&Needs> {
        self.needs.as_deref()
    }

    /// The plugin's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Where the plugin's code came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Asks the plugin who it is.
    ///
    /// # Errors
    ///
    /// Any error of a call, and [`Error::WrongName`] if its answer and its table differ.
    pub fn describe(&self) -> Result<Description, Error> {
        let description: Description = self.ask(OP_DESCRIBE, &serde_json::json!({}))?;
        match description.name == self.name() {
            true => Ok(description),
            false => Err(Error::WrongName { plugin: self.name().to_owned(), found: description.name }),
        }
    }

    /// Loads a judged file as the plugin of a crate.
    pub(super) fn load(accepted: Accepted, crate_name: &str) -> Result<Self, Error> {
        let origin = Origin::Library(accepted.path.clone());
        Ok(Self { entry: Entry::load(accepted, crate_name)?, origin, needs: None })
    }

    /// Takes the copy of a plugin that is linked into the program.
    pub(super) fn linked(table: &'static Table, crate_name: &str) -> Result<Self, Error> {
        Ok(Self { entry: Entry::linked(table, crate_name)?, origin: Origin::Linked, needs: None })
    }

    /// Gives the plugin back if it is of this kind.
    pub(super) fn of_kind(self, kind: u32) -> Result<Self, Error> {
        match self.entry.kind == kind {
            true => Ok(self),
            false => {
                let Entry { name: plugin, kind: found, .. } = self.entry;
                Err(Error::WrongKind { plugin, found, expected: kind_name(kind) })
            }
        }
    }

    /// Gives the plugin back if it is of this kind and name.
    pub(super) fn expect(self, kind: u32, name: &str) -> Result<Self, Error> {
        let plugin = self.of_kind(kind)?;
        match plugin.name() == name {
            true => Ok(plugin),
            false => Err(Error::WrongName { plugin: name.to_owned(), found: plugin.entry.name }),
        }
    }

    /// Asks one question and reads the answer.
    pub(super) fn ask<Q: Serialize, A: DeserializeOwned>(&self, op: u32, question: &Q) -> Result<A, Error> {
        self.read(self.answer(op, question)?)
    }

    /// Asks one question whose answer has a member that is told apart by `kind`; only the known ones are read.
    pub(super) fn ask_tagged<Q: Serialize, A: DeserializeOwned>(
        &self,
        op: u32,
        question: &Q,
        member: &'static str,
        known: &[&str],
    ) -> Result<A, Error> {
        let answer = self.answer(op, question)?;
        match answer[member]["kind"].as_str() {
            Some(kind) if !known.contains(&kind) => {
                Err(Error::UnknownAnswer { plugin: self.name().to_owned(), member, found: kind.to_owned() })
            }
            _ => self.read(answer),
        }
    }

    fn answer<Q: Serialize>(&self, op: u32, question: &Q) -> Result<Value, Error> {
        let plugin = || self.name().to_owned();
        let request = serde_json::to_vec(question).map_err(|source| Error::Request { plugin: plugin(), source })?;
        let (status, bytes) = self.entry.exchange(op, &request)?;
        let parse = || serde_json::from_slice(&bytes).map_err(|source| Error::NotJson { plugin: plugin(), source });
        match status {
            STATUS_ANSWER => parse(),
            STATUS_FAILURE => Err(self.failure(parse()?)),
            status => Err(Error::UnknownStatus { plugin: plugin(), status }),
        }
    }

    fn read<A: DeserializeOwned>(&self, answer: Value) -> Result<A, Error> {
        serde_json::from_value(answer).map_err(|source| Error::WrongShape { plugin: self.name().to_owned(), source })
    }

    fn failure(&self, payload: Value) -> Error {
        let plugin = self.name().to_owned();
        match self.read::<FailurePayload>(payload).map(|payload| payload.error) {
            Err(problem) => problem,
            Ok(failure) if failure.code == CODE_PANIC => Error::Panicked { plugin, message: failure.message },
            Ok(failure) => Error::Reported { plugin, code: failure.code, message: failure.message },
        }
    }
}

/// What a kind is called in messages.
pub(super) fn kind_name(kind: u32) -> &'static str {
    match kind {
        KIND_PROVIDER => "provider",
        KIND_TOOL_KIND => "tool kind",
        _ => "unknown kind",
    }
}
