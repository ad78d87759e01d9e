//! The plugin host: finds, opens and asks the plugins that are part of the program, and those that a person installed.
//!
//! - [`Plugins`]: the program's plugins, each opened when first asked for.
//! - [`Available`]: the same, and the installed ones that the present trust allows.
//! - [`Store`]: the folder of installed plugins.
//! - [`Plugin`], [`Origin`]: one opened plugin, and where its code came from.
//! - [`Provider`], [`ToolKind`]: typed conversations with the two kinds of plugin.
//!
//! # Invariants
//!
//! - A library that is found but may not be opened is an error; only where none is found is the linked copy used.
//! - Both go through the same table and the same code.
//! - Of an installed plugin, exactly the bytes are opened that were checked. No constructor of one that does not count runs.
//! - Nothing is ever unloaded, so no pointer into a library goes stale.
//!
//! Performs nothing a plugin asks for. Native code is not contained by this: a plugin runs with the program's rights.

mod available;
mod error;
mod installed;
mod instance;
mod kept;
mod library;
mod place;
mod provider;
mod tool_kind;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rye_plugin_abi::Table;
use rye_plugin_abi::table::{KIND_PROVIDER, KIND_TOOL_KIND};

pub use available::Available;
pub use error::Error;
pub use installed::{Checked, Installed, InstalledError, PluginFolder, Store};
pub use instance::{Origin, Plugin};
pub use library::ANSWER_LIMIT;
pub use provider::Provider;
pub use tool_kind::ToolKind;

use instance::kind_name;
use kept::Kept;
use place::{Accepted, Program};

use crate::error::with_causes;
use crate::format::plugin_manifest::PluginName;

/// A plugin that is part of the program.
struct Part {
    crate_name: &'static str,
    name: &'static str,
    kind: u32,
    linked: &'static Table,
}

const PARTS: [Part; 8] = [
    Part { crate_name: "rye_provider_steps", name: "steps", kind: KIND_PROVIDER, linked: &rye_provider_steps::TABLE },
    Part {
        crate_name: "rye_provider_scripted",
        name: "scripted",
        kind: KIND_PROVIDER,
        linked: &rye_provider_scripted::TABLE,
    },
    Part {
        crate_name: "rye_provider_anthropic",
        name: "anthropic",
        kind: KIND_PROVIDER,
        linked: &rye_provider_anthropic::TABLE,
    },
    Part {
        crate_name: "rye_provider_openai",
        name: "openai",
        kind: KIND_PROVIDER,
        linked: &rye_provider_openai::TABLE,
    },
    Part { crate_name: "rye_tool_script", name: "script", kind: KIND_TOOL_KIND, linked: &rye_tool_script::TABLE },
    Part { crate_name: "rye_tool_command", name: "command", kind: KIND_TOOL_KIND, linked: &rye_tool_command::TABLE },
    Part { crate_name: "rye_tool_http", name: "http", kind: KIND_TOOL_KIND, linked: &rye_tool_http::TABLE },
    Part { crate_name: "rye_tool_mcp", name: "mcp", kind: KIND_TOOL_KIND, linked: &rye_tool_mcp::TABLE },
];

/// The program's plugins, each opened when first asked for and kept.
#[derive(Debug)]
pub struct Plugins {
    program: Program,
    slots: [Mutex<Slot>; PARTS.len()],
    /// Where the person's plugins are; `None` without a folder for them.
    store: Option<Store>,
    kept: Mutex<BTreeMap<PluginName, Kept>>,
}

/// The place of one plugin. A library costs a file descriptor for good, so it is opened once, also when it is refused.
#[derive(Debug, Default)]
enum Slot {
    #[default]
    Unopened,
    Opened(Plugin),
    Refused(String),
}

impl Plugins {
    /// Prepares the plugins of a program; opens none yet.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if the executable cannot be looked at.
    pub fn of_program(executable: &Path) -> Result<Self, Error> {
        let kept = Mutex::default();
        Ok(Self { program: Program::of(executable)?, slots: Default::default(), store: None, kept })
    }

    /// Adds the plugins that a person installed; looks at none yet.
    #[must_use]
    pub fn with_installed(self, store: Store) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Tells whether a plugin of the program has this name, whatever its kind.
    #[must_use]
    pub fn is_own(name: &str) -> bool {
        PARTS.iter().any(|part| part.name == name)
    }

    /// The provider of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPlugin`], or a fault of its library.
    pub fn provider(&self, name: &str) -> Result<Provider, Error> {
        Provider::new(self.plugin(KIND_PROVIDER, name)?)
    }

    /// The tool kind of this name.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPlugin`], or a fault of its library.
    pub fn tool_kind(&self, name: &str) -> Result<ToolKind, Error> {
        ToolKind::new(self.plugin(KIND_TOOL_KIND, name)?)
    }

    /// The tool kind that takes files with this extension, which is given without its dot.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownExtension`], or a fault of the library of a tool kind.
    pub fn tool_kind_for_extension(&self, extension: &str) -> Result<ToolKind, Error> {
        let mut known = Vec::new();
        for name in names(KIND_TOOL_KIND) {
            let tool_kind = self.tool_kind(name)?;
            let extensions = tool_kind.describe()?.extensions;
            if extensions.iter().any(|taken| taken == extension) {
                return Ok(tool_kind);
            }
            known.extend(extensions);
        }
        Err(Error::UnknownExtension { extension: extension.to_owned(), known })
    }

    fn plugin(&self, kind: u32, name: &str) -> Result<Plugin, Error> {
        let index = PARTS.iter().position(|part| part.kind == kind && part.name == name);
        let index = index.ok_or_else(|| Error::UnknownPlugin {
            kind: kind_name(kind),
            name: name.to_owned(),
            known: names(kind).map(str::to_owned).collect(),
        })?;
        let part = &PARTS[index];
        // Held while a library is opened: a second OS thread waits.
        let mut slot = self.slots[index].lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Slot::Opened(plugin) => return Ok(plugin.clone()),
            Slot::Refused(reason) => {
                return Err(Error::Refused { plugin: part.name.to_owned(), reason: reason.clone() });
            }
            Slot::Unopened => {}
        }
        let file = place::find(&self.program, part.crate_name)?;
        match Self::open(part, file) {
            Ok(plugin) => {
                *slot = Slot::Opened(plugin.clone());
                Ok(plugin)
            }
            Err(error) => {
                *slot = Slot::Refused(with_causes(&error));
                Err(error)
            }
        }
    }

    fn open(part: &Part, file: Option<Accepted>) -> Result<Plugin, Error> {
        let plugin = match file {
            Some(file) => Plugin::load(file, part.crate_name)?,
            None => Plugin::linked(part.linked, part.crate_name)?,
        };
        plugin.expect(part.kind, part.name)
    }
}

fn names(kind: u32) -> impl Iterator<Item = &'static str> {
    PARTS.iter().filter(move |part| part.kind == kind).map(|part| part.name)
}
