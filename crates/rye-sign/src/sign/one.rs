//! The bytes of one item: whose signature they carry, and the same bytes with a new one.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::locate::{LocateError, checked};
use super::error::Error;
use crate::format::{Finding, Profile, rules};
use crate::id::Timestamp;
use crate::trust::{
    LineState, Namespace, PublicKey, SignError, SignatureLine, Signed, Signer, SigningKey, Subject, Unverified,
};

/// An item's bytes, nothing known of their signature.
pub(super) type Raw = Signed<Vec<u8>, Unverified>;

/// How much longer an item is with its signature line, at most.
pub(super) const MOST_LINE: usize = 16 * 1024;

/// What whoever signs a valid item should know of it.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// The rules about legacy forms that it breaks.
    pub(super) legacy: Vec<&'static str>,
    /// What it says without effect, and what it hides.
    pub(super) idle: Vec<Finding>,
}

/// Validates an item, and returns its warnings.
///
/// # Errors
///
/// Fails on an item that is not valid.
pub(super) fn valid(raw: &Raw, path: &Path) -> Result<Remarks, LocateError> {
    let (_, findings) = checked(raw.subject(), raw.content(), Profile::Reference, path)?;
    let legacy = admitted(&findings, env!("CARGO_PKG_VERSION_MAJOR")).map_err(|findings| LocateError::Invalid {
        item_type: raw.subject().item_type,
        item_id: raw.subject().item_id.clone(),
        path: path.to_path_buf(),
        findings,
        text: String::from_utf8_lossy(raw.content()).into_owned(),
    })?;
    let idle = findings.into_iter().filter(|finding| rules::is_told_to_signer(finding.rule)).collect();
    Ok(Remarks { legacy, idle })
}

/// Returns the rules about legacy forms that an item breaks, or what it breaks of them where that is refused: from
/// version 1.0 of the program on.
fn admitted(findings: &[Finding], major: &str) -> Result<Vec<&'static str>, Vec<Finding>> {
    let legacy: Vec<&Finding> = findings.iter().filter(|finding| rules::is_legacy(finding.rule)).collect();
    if major != "0" && !legacy.is_empty() {
        return Err(legacy.into_iter().cloned().collect());
    }
    Ok(legacy.into_iter().map(|finding| finding.rule).collect::<BTreeSet<_>>().into_iter().collect())
}

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
    valid(raw, path)?;
    sign_valid(raw, signer, now)
}

/// Signs an item that is known to be valid.
///
/// # Errors
///
/// Fails on one that no line would hold in, and when the key refuses.
pub(super) fn sign_valid(raw: &Raw, signer: &dyn Signer, now: Timestamp) -> Result<(SignatureLine, Vec<u8>), Error> {
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

/// Returns the line of an unchanged item that this very key signed.
pub(super) fn line_by(raw: &Raw, key: &PublicKey) -> Option<SignatureLine> {
    fitting_line(raw).filter(|line| is_by(raw.subject(), line, key))
}

/// Tells whether a key made a line for this item, whatever the item holds by now.
pub(super) fn is_by(subject: &Subject, line: &SignatureLine, key: &PublicKey) -> bool {
    key.verifies(Namespace::Item, &subject.message(line.timestamp, &line.hash), line.signature)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::id::ItemType;

    #[test]
    fn legacy_forms_are_named_before_version_1_and_refused_from_it_on() {
        let text = "# Go\n\n```xml\n<directive name=\"go\" version=\"1.0.0\"><metadata><description>Go on</description>\
                    <category></category><author>ada</author><permissions><cap>rye.search.*</cap><cap>rye.load.*</cap>\
                    </permissions></metadata></directive>\n```\n\nGo.\n";
        let subject = "go".parse().unwrap();
        let subject = crate::trust::Subject {
            item_type: ItemType::Directive,
            item_id: subject,
            extension: "md".parse().unwrap(),
        };
        let (_, findings) =
            checked(&subject, text.as_bytes(), Profile::Reference, std::path::Path::new("go.md")).unwrap();
        assert_eq!(admitted(&findings, "0"), Ok(vec!["RYE-P007"]));
        let refused = admitted(&findings, "1").unwrap_err();
        assert_eq!(
            refused.iter().map(|finding| (finding.rule, finding.line)).collect::<Vec<_>>(),
            [("RYE-P007", 4); 2]
        );
        assert_eq!(admitted(&[], "1"), Ok(vec![]));
    }
}
