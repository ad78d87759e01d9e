//! Why an MCP server cannot be used.

use std::path::PathBuf;

use thiserror::Error;

use crate::context::ContextError;
use crate::mcp_client;
use crate::net::EndpointError;
use crate::process;
use crate::workspace;

/// Why a server cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ServerError {
    /// The configuration does not declare it.
    #[error("the configuration declares no MCP server `{server}`")]
    Undeclared {
        server: String,
        config: PathBuf,
        /// The lines that declare it, if the project's `.mcp.json` has it.
        lines: Option<String>,
    },
    /// A secret or variable that it gets is missing.
    #[error("the MCP server `{server}` gets `{secret}`, which is not set")]
    NoSecret {
        server: String,
        secret: String,
        /// The file that could hold it.
        path: PathBuf,
    },
    /// Its program, or what it may reach, cannot be used.
    #[error("the MCP server `{server}` cannot be started")]
    Process {
        server: String,
        #[source]
        source: process::Error,
    },
    /// Its address is not usable for requests.
    #[error("the address of the MCP server `{server}` is wrong")]
    Address {
        server: String,
        #[source]
        source: EndpointError,
    },
    /// The project could not be copied for it or back.
    #[error("the MCP server `{server}` may write in the project, which cannot be copied for it or back")]
    Copy {
        server: String,
        #[source]
        source: workspace::Error,
    },
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// It gave no answer.
    #[error(transparent)]
    Client(#[from] mcp_client::Error),
}
