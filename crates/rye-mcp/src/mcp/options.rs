//! How a server is started.

use serde_json::Value;

use super::error::Failure;
use crate::permissions::Caller;

/// How the server is started.
#[derive(Debug)]
pub struct Options {
    /// The permissions of the connection; none means those of the configuration, or else the usual ones.
    pub permissions: Option<Caller>,
    /// Turns a failure into what `--json` prints of it.
    pub report: fn(Failure) -> Value,
}
