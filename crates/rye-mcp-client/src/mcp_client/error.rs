//! Why a server gave no answer.

use thiserror::Error;

use crate::net;
use crate::process;

/// Why a server gave no answer. A server's text is shortened, without the secrets that the server was given; escaping is for
/// the output.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Its program cannot be started.
    #[error("cannot start the MCP server `{server}`")]
    Start {
        server: String,
        #[source]
        source: process::Error,
    },
    /// It ended, or closed its output.
    #[error("the MCP server `{server}` ended{}", said_last(said))]
    Ended {
        server: String,
        /// The end of its standard error.
        said: String,
    },
    /// It took too long.
    #[error("the MCP server `{server}` did not answer `{method}` in time{}", said_last(said))]
    Timeout {
        server: String,
        /// What it was asked.
        method: &'static str,
        /// The last line of its standard output that is not a message.
        said: String,
    },
    /// The run is to stop.
    #[error("the call was stopped")]
    Cancelled,
    /// It sent more than is read.
    #[error("the MCP server `{server}` sent too much: {what}")]
    Flood {
        server: String,
        /// What there was too much of.
        what: String,
    },
    /// It does not speak the protocol.
    #[error("the MCP server `{server}` does not keep to the protocol: {reason}")]
    Malformed { server: String, reason: String },
    /// It answered with an error.
    #[error("the MCP server `{server}` refused `{method}`: {message} (code {code})")]
    Refused {
        server: String,
        /// What it was asked.
        method: &'static str,
        code: i64,
        message: String,
    },
    /// It answered over HTTP with a status other than success.
    #[error("the MCP server `{server}` answered with status {status}{}", said_last(said))]
    Status { server: String, status: u16, said: String },
    /// It cannot be reached over HTTP.
    #[error("the MCP server `{server}` cannot be asked")]
    Net {
        server: String,
        #[source]
        source: net::Error,
    },
}

impl Error {
    /// Tells whether the connection is still good.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        match self {
            Self::Refused { .. } => true,
            Self::Start { .. }
            | Self::Ended { .. }
            | Self::Timeout { .. }
            | Self::Cancelled
            | Self::Flood { .. }
            | Self::Malformed { .. }
            | Self::Status { .. }
            | Self::Net { .. } => false,
        }
    }
}

fn said_last(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said: {said}") }
}
