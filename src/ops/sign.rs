//! `sign`: validate an item, then put a signature line into its file.
//!
//! Commit point: the rename of the finished file over the old one. What does not validate is never signed, an item
//! that is signed already stays byte for byte as it is, and nothing but the line changes. Legacy forms are named, and
//! refused from version 1.0 of the program on (docs/migration.md).

use std::collections::BTreeSet;

use serde::Serialize;
use thiserror::Error;

use super::locate::{LocateError, Located, Locator, Purpose, checked};
use crate::format::{Finding, Profile, rules};
use crate::id::{ItemId, ItemType, Space, Timestamp, glob};
use crate::trust::{
    ContentHash, KeyId, PublicKey, SignError, SignatureLine, Signer, SignerError, SigningKey, Unsignable,
};
use crate::workspace::{self, Candidate, Expected};

/// What to sign.
#[derive(Debug, Clone)]
pub struct Options {
    /// The type; none means every type.
    pub item_type: Option<ItemType>,
    /// Ids, or patterns of ids with `*` and `?`; empty means all.
    pub patterns: Vec<String>,
    /// Look, but write nothing.
    pub check: bool,
}

/// What was signed.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// `failed` if any failed, else `signed` if any changed, else `unchanged`.
    pub status: Status,
    /// The items, in order.
    pub items: Vec<Item>,
    /// What is wrong with those that failed.
    #[serde(skip)]
    pub failures: Vec<LocateError>,
}

/// What became of one item, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It was signed by this key already.
    Unchanged,
    /// It was signed now (with `check`: it would be).
    Signed,
    /// It is not valid.
    Failed,
}

/// One item.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The space.
    pub space: Space,
    /// The file.
    pub path: String,
    /// What became of it.
    pub status: Status,
    /// The rules about legacy forms that it breaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legacy: Vec<&'static str>,
    /// Its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The fields of a signature line.
#[derive(Debug, Clone, Serialize)]
pub struct Signature {
    /// When.
    pub timestamp: Timestamp,
    /// Over what.
    pub hash: ContentHash,
    /// The signature itself.
    pub signature: String,
    /// By which key.
    pub key_id: KeyId,
    /// The format's version.
    pub version: u32,
}

/// Why nothing can be signed.
#[derive(Debug, Error)]
pub enum Error {
    /// Nothing fits the patterns.
    #[error("no item of the project or the user fits `{pattern}`")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// A signature line would not hold in this file.
    #[error("{item_type} `{item_id}` cannot carry a signature line")]
    Unsignable {
        /// The type.
        item_type: ItemType,
        /// The id.
        item_id: ItemId,
        /// Why not.
        #[source]
        source: Unsignable,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The file cannot be written.
    #[error("cannot sign {item_type} `{item_id}`")]
    Write {
        /// The type.
        item_type: ItemType,
        /// The id.
        item_id: ItemId,
        /// Why not.
        #[source]
        source: workspace::Error,
    },
    /// The item cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// Signs items with the key of `signer`, which is asked for nothing but signatures: where all is signed already, or
/// with `check`, it stays closed.
///
/// # Errors
///
/// Fails when a pattern fits nothing or a file cannot be read or written. An item that is not valid does not keep the
/// others from being signed: it is reported in the outcome.
pub fn sign(locator: &Locator<'_>, options: &Options, signer: &dyn Signer) -> Result<Outcome, Error> {
    let mut outcome = Outcome { status: Status::Unchanged, items: Vec::new(), failures: Vec::new() };
    for candidate in matching(locator, options)? {
        let located = locator.locate(candidate.item_type, &candidate.id, Some(candidate.space), Purpose::Author)?;
        let item = match sign_one(locator, &located, options.check, signer) {
            Ok(item) => item,
            Err(Error::Locate(failure @ LocateError::Invalid { .. })) => {
                outcome.failures.push(failure);
                item(&located.candidate, Status::Failed, None)
            }
            Err(error) => return Err(error),
        };
        outcome.status = outcome.status.max(item.status);
        outcome.items.push(item);
    }
    Ok(outcome)
}

fn sign_one(locator: &Locator<'_>, located: &Located, check: bool, signer: &dyn Signer) -> Result<Item, Error> {
    let (candidate, signed) = (&located.candidate, &located.signed);
    let (_, findings) = checked(signed.subject(), signed.content(), Profile::Reference, &candidate.path)?;
    let legacy = admitted(&findings, env!("CARGO_PKG_VERSION_MAJOR")).map_err(|findings| LocateError::Invalid {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        path: candidate.path.clone(),
        findings,
        text: String::from_utf8_lossy(signed.content()).into_owned(),
    })?;
    if let Some(line) = signed_by(located, signer.public()) {
        return Ok(Item { legacy, ..item(candidate, Status::Unchanged, Some(&line)) });
    }
    let failed = |error| match error {
        SignError::Unsignable(source) => {
            Error::Unsignable { item_type: candidate.item_type, item_id: candidate.id.clone(), source }
        }
        SignError::Signer(error) => Error::Signer(error),
    };
    let now = locator.context().now();
    if check {
        // Whether a line would hold does not depend on the key, so the person's stays where it is.
        signed.sign(&SigningKey::from_seed(&[0; 32]), now).map_err(failed)?;
        return Ok(Item { legacy, ..item(candidate, Status::Signed, None) });
    }
    let (line, bytes) = signed.sign(signer, now).map_err(failed)?;
    write(locator, located, &bytes)?;
    Ok(Item { legacy, ..item(candidate, Status::Signed, Some(&line)) })
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

fn write(locator: &Locator<'_>, located: &Located, bytes: &[u8]) -> Result<(), Error> {
    let Candidate { space, item_type, id, extension, .. } = &located.candidate;
    locator
        .workspace()
        .write_item(*space, *item_type, id, extension, bytes, Expected::Content(located.signed.content()))
        .map(drop)
        .map_err(|source| Error::Write { item_type: *item_type, item_id: id.clone(), source })
}

/// Returns the line of an item that this very key signed as it stands.
fn signed_by(located: &Located, key: PublicKey) -> Option<SignatureLine> {
    let mut only = crate::trust::TrustedKeys::default();
    only.add(crate::trust::TrustedKey::new(key, "", ""));
    located.signed.judge_line(&only).ok()
}

/// Finds the files the patterns name: the nearest of the project's and the user's for each id, by type and id.
fn matching(locator: &Locator<'_>, options: &Options) -> Result<Vec<Candidate>, Error> {
    if options.patterns.is_empty() {
        let mut items = own_items(locator, options.item_type)?;
        items.retain(|item| item.space == Space::Project || locator.workspace().root(Space::Project).is_none());
        return Ok(items);
    }
    let mut items = Vec::new();
    for pattern in &options.patterns {
        let found = fitting(locator, options.item_type, pattern)?;
        if found.is_empty() {
            return Err(Error::NoMatch { pattern: pattern.clone() });
        }
        items.extend(found);
    }
    items.sort_by(|a, b| (a.item_type, &a.id).cmp(&(b.item_type, &b.id)));
    items.dedup();
    Ok(items)
}

/// Finds the files of one pattern. An id is looked up where it must be; only a true pattern needs the whole listing.
fn fitting(locator: &Locator<'_>, item_type: Option<ItemType>, pattern: &str) -> Result<Vec<Candidate>, Error> {
    let (Some(item_type), Ok(id)) = (item_type, pattern.parse::<ItemId>()) else {
        let mut items = own_items(locator, item_type)?;
        items.retain(|item| glob::matches(pattern, item.id.as_str()));
        return Ok(items);
    };
    let found = locator.workspace().candidates(item_type, &id).map_err(LocateError::from)?;
    let own = found.into_iter().find(|candidate| candidate.space != Space::System);
    if own.is_none() {
        // Says that nobody has it, and which id was probably meant.
        locator.locate(item_type, &id, None, Purpose::Author)?;
    }
    Ok(own.into_iter().collect())
}

/// Lists the nearest of the project's and the user's items for each id.
fn own_items(locator: &Locator<'_>, item_type: Option<ItemType>) -> Result<Vec<Candidate>, Error> {
    let mut items = locator.workspace().list(item_type, None).map_err(LocateError::from)?.items;
    items.retain(|candidate| candidate.space != Space::System);
    items.dedup_by(|a, b| a.item_type == b.item_type && a.id == b.id);
    Ok(items)
}

fn item(candidate: &Candidate, status: Status, line: Option<&SignatureLine>) -> Item {
    Item {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        space: candidate.space,
        path: candidate.path.display().to_string(),
        status,
        legacy: Vec::new(),
        signature: line.map(|line| Signature {
            timestamp: line.timestamp,
            hash: line.hash,
            signature: line.signature_text(),
            key_id: line.key_id.clone(),
            version: 2,
        }),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

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
