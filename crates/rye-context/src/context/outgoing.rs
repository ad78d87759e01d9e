//! The secrets of this installation, and the inspector of what goes out: it knows the person's secrets and Rye's own private keys, and the
//! test secrets that their own configuration lets through.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use zeroize::Zeroizing;

use super::{ConfigError, Context, ContextError, McpServer, bounded};
use crate::redact::{Inspector, Passed, Redactor, Secret};

/// The variable by which `commit` and `thread accept` tell the `pre-commit` hook that they looked for secrets, and that a flag let one
/// through.
pub const INSPECTED_VARIABLE: &str = "RYE_INSPECTED_COMMIT";

/// The variable by which `commit` tells the `pre-commit` hook which tree it has verified.
pub const PROVEN_VARIABLE: &str = "RYE_PROVEN_TREE";

/// The folders of private keys, in the person's configuration.
const KEY_FOLDERS: [&str; 2] = ["keys", "keys/retired"];

/// The variable that has a private key, or the path of one.
const KEY_VARIABLE: &str = "RYE_SIGNING_KEY";

/// What a key has in it, and a path has not.
const KEY_TEXT: &str = "-----BEGIN ";

/// The largest file of a private key, in bytes. A larger one is something else.
const MOST_OF_KEY: u64 = 64 * 1024;

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

    /// Makes the redactor that knows the secrets of the built-in provider documents and of the person's configuration, and Rye's own
    /// private keys.
    ///
    /// # Errors
    ///
    /// As [`inspector`](Self::inspector).
    pub fn redactor(&self) -> Result<Redactor, ContextError> {
        let config = self.config();
        let mut names: BTreeSet<&str> = BUILT_IN.into_iter().collect();
        names.extend(config.secrets.keys().map(String::as_str));
        names.extend(config.mcp_servers.values().flat_map(McpServer::secrets).map(String::as_str));
        let mut known = self.own_keys()?;
        for name in names {
            if let Some(secret) = self.secret(name)? {
                known.push(Secret::new(name.to_owned(), secret.reveal()));
            }
        }
        Ok(Redactor::new(known))
    }

    /// Reads Rye's own private keys, retired ones too, and the secret of remembered verdicts. None is there before the first one is made.
    ///
    /// # Errors
    ///
    /// Fails when one cannot be read: what is not known cannot be found.
    pub fn own_keys(&self) -> Result<Vec<Secret>, ContextError> {
        let mut keys = Vec::new();
        for folder in KEY_FOLDERS {
            keys.extend(keys_in(&self.config_dir()?.join(folder))?);
        }
        match self.variable_named(KEY_VARIABLE) {
            Some(text) if text.contains(KEY_TEXT) => {
                keys.push(Secret::of_key(Zeroizing::new(text.as_bytes().to_vec())));
            }
            Some(path) => keys.extend(key_at(&self.current_dir().join(path))?),
            None => {}
        }
        Ok(keys)
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

/// Reads each file of a folder of keys but public halves.
fn keys_in(folder: &Path) -> Result<Vec<Secret>, ContextError> {
    let failed = |source| ContextError::from(ConfigError::Read { path: folder.to_owned(), source });
    let entries = match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut keys = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_none_or(|extension| extension != "pub") {
            keys.extend(key_at(&path)?);
        }
    }
    Ok(keys)
}

/// Reads a file that may be a private key; none if it is missing or cannot be one.
fn key_at(path: &Path) -> Result<Option<Secret>, ContextError> {
    let is_key = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() <= MOST_OF_KEY);
    if !is_key {
        return Ok(None);
    }
    match bounded::read(path, MOST_OF_KEY) {
        // A temporary file that is gone by now.
        Err(error) if error.is_missing() => Ok(None),
        read => Ok(Some(Secret::of_key(Zeroizing::new(read?)))),
    }
}
