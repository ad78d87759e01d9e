//! An item that gets another id: whose signature it carries, and the person's new one under the new id.

use std::path::Path;

use super::agent_writes::digest;
use super::error::Error;
use super::one::{Raw, line_by, signed};
use crate::context::Context;
use crate::id::Timestamp;
use crate::keys::{AgentWritten, KeysError};
use crate::trust::{LineState, PublicKey, Signed, Signer, Subject, Unverified};

/// Whose signature an item carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// The person's, over the unchanged item.
    Own,
    /// None.
    Nobody,
    /// Another person's, or one of another version of the item.
    Other,
}

/// Tells whose signature an item carries.
#[must_use]
pub fn holder(raw: &Signed<Vec<u8>, Unverified>, key: &PublicKey) -> Holder {
    match raw.split().line {
        LineState::Absent | LineState::Legacy => Holder::Nobody,
        LineState::Present(_) if line_by(raw, key).is_some() => Holder::Own,
        LineState::Present(_) | LineState::Malformed { .. } | LineState::Doubled => Holder::Other,
    }
}

/// Validates the bytes of an item and signs them; nothing is written.
///
/// # Errors
///
/// Fails on an item that is not valid, on one that no line would hold in, and when the key refuses.
pub fn sign_bytes(
    subject: &Subject,
    bytes: Vec<u8>,
    path: &Path,
    signer: &dyn Signer,
    now: Timestamp,
) -> Result<Vec<u8>, Error> {
    let raw: Raw = Signed::new(subject.clone(), bytes);
    signed(&raw, path, signer, now).map(|(_, bytes)| bytes)
}

/// Tells whether an agent is known to have written an item, whatever line it carries.
pub fn is_by_agent(ctx: &Context, raw: &Signed<Vec<u8>, Unverified>) -> Result<bool, KeysError> {
    let written = AgentWritten::new(ctx)?.read()?;
    Ok(written.is_some_and(|written| written.contains(&digest(raw).to_string())))
}
