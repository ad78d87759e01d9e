//! `key`: the person's and the agent's keys.

use serde::Serialize;

use crate::context::Context;
use crate::keys::{KeyInfo, KeyName, KeyStore, KeysError};
use crate::trust::{KeyId, PublicKey, TrustedKey, allowed_signers_line};

/// The keys there are.
#[derive(Debug, Clone, Serialize)]
pub struct ListOutcome {
    /// Each key.
    pub keys: Vec<KeyInfo>,
}

/// A form a public key can be exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportForm {
    /// One line, as in `id_ed25519.pub`.
    OpenSsh,
    /// SubjectPublicKeyInfo as PEM.
    Pem,
    /// A line of an allowed_signers file.
    AllowedSigners,
}

/// A public key as text.
#[derive(Debug, Clone, Serialize)]
pub struct ExportOutcome {
    /// The key's id.
    pub key_id: KeyId,
    /// The text, newline included.
    pub text: String,
}

/// Makes the keys that are missing, and returns both.
///
/// # Errors
///
/// Fails when a key cannot be read or written.
pub fn generate(ctx: &Context) -> Result<ListOutcome, KeysError> {
    Ok(ListOutcome { keys: KeyStore::new(ctx)?.ensure(ctx)? })
}

/// Lists the keys there are.
///
/// # Errors
///
/// Fails when a key cannot be read.
pub fn list(ctx: &Context) -> Result<ListOutcome, KeysError> {
    Ok(ListOutcome { keys: KeyStore::new(ctx)?.list()? })
}

/// Writes the public half of a key as text.
///
/// # Errors
///
/// Fails when there is no such key or it cannot be read.
pub fn export(
    ctx: &Context,
    name: KeyName,
    form: ExportForm,
    principal: Option<&str>,
) -> Result<ExportOutcome, KeysError> {
    let missing = || KeysError::Missing { name: name.as_str().to_owned() };
    let key = KeyStore::new(ctx)?.find_public(name)?.ok_or_else(missing)?;
    let text = match form {
        ExportForm::OpenSsh => format!("{} rye {} key\n", key.to_openssh(), name.as_str()),
        ExportForm::Pem => key.to_spki_pem(),
        ExportForm::AllowedSigners => format!("{}\n", allowed_signers(key, principal.unwrap_or(name.as_str()))),
    };
    Ok(ExportOutcome { key_id: key.key_id(), text })
}

fn allowed_signers(key: PublicKey, principal: &str) -> String {
    allowed_signers_line(&TrustedKey::new(key, principal, ""))
}
