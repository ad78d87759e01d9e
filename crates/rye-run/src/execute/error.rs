//! Why an item cannot be executed.

use std::path::PathBuf;

use thiserror::Error;

use super::super::locate::LocateError;
use super::super::{executors, extends};
use crate::capability::Denial;
use crate::format::schema::SchemaFault;
use crate::format::template::TemplateError;
use crate::id::{ItemId, ItemType};
use crate::item::{CompanionPath, InputError, Takes, Tool};
use crate::net::EndpointError;
use crate::plugin;
use crate::process;
use crate::workspace;

/// Why an item cannot be executed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// It cannot be found or used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A path rule does not let the tool write there.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// What it extends or names cannot be used.
    #[error(transparent)]
    Extends(#[from] extends::Error),
    /// Its inputs are wrong.
    #[error("invalid inputs for {item_type} `{item_id}`: {source}")]
    Inputs {
        item_type: ItemType,
        item_id: ItemId,
        /// What it takes.
        takes: Vec<Takes>,
        #[source]
        source: InputError,
    },
    /// A placeholder has no value.
    #[error("the text of directive `{item_id}` cannot be filled in: {source}")]
    Template {
        item_id: ItemId,
        #[source]
        source: TemplateError,
    },
    /// A tool's parameters do not fit its schema.
    #[error("invalid parameters for tool `{item_id}`: {}", shown(faults))]
    Parameters {
        item_id: ItemId,
        /// The faults, each with its place.
        faults: Vec<SchemaFault>,
        /// What it takes.
        takes: Vec<Takes>,
    },
    /// Nothing can run the tool.
    #[error("tool `{item_id}` cannot be run: {reason}")]
    NoKind { item_id: ItemId, reason: String },
    /// A file that the tool needs next to it does not match its header.
    #[error("the companion `{path}` of tool `{item_id}` is not the file its header names")]
    Companion {
        item_id: ItemId,
        /// The path from the tool's folder.
        path: CompanionPath,
        /// Why it cannot be read; none when its digest is another one.
        #[source]
        source: Option<workspace::Error>,
    },
    /// A plugin failed.
    #[error("tool `{item_id}` cannot be run: {source}")]
    Plugin {
        item_id: ItemId,
        #[source]
        source: plugin::Error,
    },
    /// The project could not be copied for a tool that may write in it.
    #[error("tool `{item_id}` may write in the project, which cannot be copied for it or back")]
    Copy {
        item_id: ItemId,
        #[source]
        source: workspace::Error,
    },
    /// A tool's request goes to an address that none may go to.
    #[error("tool `{item_id}` cannot be run: {source}")]
    Address {
        item_id: ItemId,
        #[source]
        source: EndpointError,
    },
    /// The person's configuration does not let the tool use a secret, or not for this host.
    #[error("secret `{secret}` is not bound to host `{host}` and tool `{item_id}`")]
    Unbound {
        secret: String,
        item_id: ItemId,
        host: String,
        /// The file of the configuration, which could allow it.
        config: PathBuf,
    },
    /// The MCP server of the tool cannot be used.
    #[error("tool `{item_id}` cannot be run: {source}")]
    Server {
        item_id: ItemId,
        #[source]
        source: executors::ServerError,
    },
    /// The MCP server lists the tool otherwise than when the person looked at it, or no longer.
    #[error("tool `{item_id}` was not called: the MCP server `{server}` {} `{tool}`", changed(*is_there))]
    ServerChanged {
        item_id: ItemId,
        server: String,
        /// The tool's name at the server.
        tool: String,
        /// Whether it still lists one of this name.
        is_there: bool,
    },
    /// A secret that the tool needs is missing.
    #[error("tool `{item_id}` needs the secret `{secret}`, which is not set")]
    NoSecret {
        secret: String,
        item_id: ItemId,
        /// The file that could hold it.
        path: PathBuf,
    },
    /// A thread's tool names a program that is not found.
    #[error("tool `{item_id}` cannot be run: {source}; {hint}")]
    NotInTree {
        item_id: ItemId,
        /// What may help.
        hint: &'static str,
        #[source]
        source: process::Error,
    },
    /// The child process could not be run.
    #[error("tool `{item_id}` cannot be run: {source}")]
    Process {
        item_id: ItemId,
        #[source]
        source: process::Error,
    },
}

impl Error {
    /// Makes the error of a tool kind that cannot plan: a fault of the parameters is told as what the schema finds.
    pub(super) fn of_plan(item_id: &ItemId, tool: &Tool, source: plugin::Error) -> Self {
        match source {
            plugin::Error::Reported { code, message, .. } if code == executors::PARAMETERS => {
                let faults = vec![SchemaFault { path: String::new(), message }];
                Self::Parameters { item_id: item_id.clone(), faults, takes: takes(tool) }
            }
            source => Self::Plugin { item_id: item_id.clone(), source },
        }
    }
}

/// Lists what a tool takes.
pub(super) fn takes(tool: &Tool) -> Vec<Takes> {
    tool.offered_schema().as_ref().map(Takes::of_schema).unwrap_or_default()
}

const fn changed(is_there: bool) -> &'static str {
    if is_there { "changed the definition of" } else { "no longer lists" }
}

fn shown(faults: &[SchemaFault]) -> String {
    let sentence = |fault: &SchemaFault| match fault.path.as_str() {
        "" => fault.message.clone(),
        path => format!("{path}: {}", fault.message),
    };
    faults.iter().map(sentence).collect::<Vec<_>>().join("; ")
}
