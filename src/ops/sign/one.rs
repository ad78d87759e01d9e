//! The bytes of one item: whose signature they carry, and the same bytes with a new one.

use std::path::Path;

use super::super::locate::checked;
use super::Error;
use crate::format::Profile;
use crate::id::Timestamp;
use crate::trust::{
    LineState, Namespace, PublicKey, SignError, SignatureLine, Signed, Signer, SigningKey, Subject, Unverified,
};

/// An item's bytes, nothing known of their signature.
pub(super) type Raw = Signed<Vec<u8>, Unverified>;

/// Validates an item and signs it, whoever signed it before: its new line and its new bytes.
///
/// # Errors
///
/// Fails on an item that is not valid, on one that no line would hold in, and when the key refuses.
pub(super) fn signed(
    raw: &Raw,
    path: &Path,
    signer: &dyn Signer,
    now: Timestamp,
) -> Result<(SignatureLine, Vec<u8>), Error> {
    checked(raw.subject(), raw.content(), Profile::Reference, path)?;
    raw.sign(signer, now).map_err(|error| failure(raw, error))
}

/// Makes sure that a line would hold in an item. That does not depend on the key, so the person's stays where it is.
///
/// # Errors
///
/// Fails when it would not.
pub(super) fn check_signable(raw: &Raw) -> Result<(), Error> {
    let signed = raw.sign(&SigningKey::from_seed(&[0; 32]), Timestamp::from_milliseconds(0));
    signed.map(drop).map_err(|error| failure(raw, error))
}

fn failure(raw: &Raw, error: SignError) -> Error {
    let Subject { item_type, item_id, .. } = raw.subject().clone();
    match error {
        SignError::Unsignable(source) => Error::Unsignable { item_type, item_id, source },
        SignError::Signer(error) => Error::Signer(error),
    }
}

/// Returns the line of an item, if its hash is that of the bytes; whose it is stays open.
pub(super) fn fitting_line(raw: &Raw) -> Option<SignatureLine> {
    let split = raw.split();
    match &split.line {
        LineState::Present(line) if split.covered() == line.hash => Some(line.clone()),
        _ => None,
    }
}

/// Returns the line of an item that this very key signed as it stands.
pub(super) fn line_by(raw: &Raw, key: &PublicKey) -> Option<SignatureLine> {
    fitting_line(raw).filter(|line| is_by(raw.subject(), line, key))
}

/// Tells whether a key made a line for this item, whatever the item holds by now.
pub(super) fn is_by(subject: &Subject, line: &SignatureLine, key: &PublicKey) -> bool {
    key.verifies(Namespace::Item, &subject.message(line.timestamp, &line.hash), line.signature)
}
