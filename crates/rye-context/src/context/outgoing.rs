//! The secrets of this installation, and the inspector of what goes out: it knows the person's secrets, and the test secrets that their own configuration lets through.

use std::collections::BTreeSet;

use super::{Context, ContextError, McpServer};
use crate::redact::{Inspector, Passed, Redactor, Secret};

/// The variable by which `commit` and `thread accept` tell the `pre-commit` hook that they looked for secrets, and that a flag let one
/// through.
pub const INSPECTED_VARIABLE: &str = "RYE_INSPECTED_COMMIT";

/// The secrets of the built-in provider documents.
const BUILT_IN: [&str; 2] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

impl Context {
    /// Makes the inspector of one command, which lets the findings through that the command names.
    ///
    /// # Errors
    ///
    /// Fails when a secret cannot be read: what is not known cannot be found.
    pub fn inspector(&self, allowed: &[String]) -> Result<Inspector, ContextError> {
        Ok(Inspector::new(self.redactor()?, self.config().outgoing.test_secrets.clone(), allowed))
    }

    /// Makes the redactor that knows the secrets of the built-in provider documents and of the person's configuration.
    ///
    /// # Errors
    ///
    /// As [`inspector`](Self::inspector).
    pub fn redactor(&self) -> Result<Redactor, ContextError> {
        let config = self.config();
        let mut names: BTreeSet<&str> = BUILT_IN.into_iter().collect();
        names.extend(config.secrets.keys().map(String::as_str));
        names.extend(config.mcp_servers.values().flat_map(McpServer::secrets).map(String::as_str));
        let mut known = Vec::new();
        for name in names {
            if let Some(secret) = self.secret(name)? {
                known.push(Secret::new(name.to_owned(), secret.reveal()));
            }
        }
        Ok(Redactor::new(known))
    }

    /// Makes the inspector of a later look, which lets through what the first one let through.
    ///
    /// # Errors
    ///
    /// As [`inspector`](Self::inspector).
    pub fn inspector_after(&self, passed: &Passed) -> Result<Inspector, ContextError> {
        Ok(self.inspector(&[])?.after(passed))
    }
}
