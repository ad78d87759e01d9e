//! Why the tools of a server are not imported.

use thiserror::Error;

use super::super::executors::ServerError;
use super::super::locate::LocateError;
use super::super::sign;
use crate::workspace;

/// Why the tools of a server are not imported.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The project is missing, or its items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// A wrapper cannot be signed.
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// The project's items cannot be changed.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// A wrapper cannot be written.
    #[error("cannot write `{path}`")]
    Write {
        path: String,
        #[source]
        source: workspace::Error,
    },
    /// The server lists no tool of a name that was given.
    #[error("the MCP server `{server}` lists no tool `{tool}`")]
    NoSuchTool { server: String, tool: String },
}
