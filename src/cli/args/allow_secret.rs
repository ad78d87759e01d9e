//! The flag that lets one secret out.

use clap::Args;

use super::values::name;

/// The secrets that may go out.
#[derive(Debug, Args)]
pub(in crate::cli) struct AllowSecret {
    /// Let one secret out, which the refusal names so; for a test secret, see `outgoing.test_secrets`
    #[arg(long = "allow-secret", value_name = "FILE:LINE:COLUMN", value_parser = name())]
    names: Vec<String>,
}

impl AllowSecret {
    /// Returns the names.
    pub(in crate::cli) fn names(&self) -> &[String] {
        &self.names
    }
}
