//! Which key a person signs with: `--key`, then `RYE_SIGNING_KEY`, then their own, made on first use.

use std::path::Path;

use super::store::read_private;
use super::{KeyName, KeyStore, KeysError};
use crate::context::Context;
use crate::trust::SigningKey;

/// The key a person's signatures are made with.
#[derive(Debug)]
pub struct PersonKey {
    /// The key.
    pub key: SigningKey,
    /// Whether it was made just now: something to tell.
    pub created: bool,
}

/// Picks the key. `named` is a path, or the name of a key of the store; an agent's key is no person's.
///
/// # Errors
///
/// Fails when the key is missing, readable by others, or unusable.
pub fn person_key(ctx: &Context, store: &KeyStore, named: Option<&str>) -> Result<PersonKey, KeysError> {
    let found = |key| PersonKey { key, created: false };
    match (named, ctx.variable("RYE_SIGNING_KEY")) {
        (Some("person"), _) | (None, None) => {
            let (key, created) = store.find_or_create(ctx, KeyName::Person)?;
            Ok(PersonKey { key, created })
        }
        (Some(path), _) => from_file(&ctx.current_dir().join(path), path).map(found),
        (None, Some(text)) if text.starts_with("-----BEGIN") => from_text(text).map(found),
        (None, Some(path)) => from_file(&ctx.current_dir().join(path), path).map(found),
    }
}

fn from_file(path: &Path, name: &str) -> Result<SigningKey, KeysError> {
    if path.exists() { read_private(path) } else { Err(KeysError::Missing { name: name.to_owned() }) }
}

fn from_text(text: &str) -> Result<SigningKey, KeysError> {
    SigningKey::from_text(text).map_err(|source| KeysError::Key { path: "RYE_SIGNING_KEY".into(), source })
}
