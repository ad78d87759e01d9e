//! The bytes of one item: whose signature they carry, and the same bytes with a new one.

use std::path::Path;

use super::super::locate::checked;
use super::Error;
use crate::format::Profile;
use crate::id::Timestamp;
use crate::trust::{LineState, Namespace, PublicKey, SignatureLine, Signed, SigningKey, Subject, Unverified};

/// An item's bytes, nothing known of their signature.
pub(super) type Raw = Signed<Vec<u8>, Unverified>;

/// Validates an item and signs it: its new line and its new bytes, or nothing if this key signed it as it stands.
///
/// # Errors
///
/// Fails on an item that is not valid, and on one that no line would hold in.
pub(super) fn signed(
    raw: &Raw,
    path: &Path,
    key: &SigningKey,
    now: Timestamp,
) -> Result<Option<(SignatureLine, Vec<u8>)>, Error> {
    if line_by(raw, &key.public()).is_none() {
        return signed_anew(raw, path, key, now).map(Some);
    }
    // What is signed may have become invalid under newer rules: that is told too.
    checked(raw.subject(), raw.content(), Profile::Reference, path)?;
    Ok(None)
}

/// Validates an item and signs it, whoever signed it before.
///
/// # Errors
///
/// As [`signed`].
pub(super) fn signed_anew(
    raw: &Raw,
    path: &Path,
    key: &SigningKey,
    now: Timestamp,
) -> Result<(SignatureLine, Vec<u8>), Error> {
    let subject = raw.subject();
    checked(subject, raw.content(), Profile::Reference, path)?;
    let unsignable =
        |source| Error::Unsignable { item_type: subject.item_type, item_id: subject.item_id.clone(), source };
    raw.sign(key, now).map_err(unsignable)
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
