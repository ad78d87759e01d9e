//! What the plans of both pullers have in common: what becomes of an item, what its signature is worth, and whom the person
//! trusts by it.

use serde::Serialize;

use super::error::Error;
use crate::id::Space;
use crate::keys::TrustDir;
use crate::project::Project;
use crate::trust::{ContentHash, Fault, Namespace, PublicKey, Scope, Signed, Subject, TrustedKey, Verdict};

/// What becomes of an item's file, or of a skill's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is new.
    Added,
    /// It takes the place of another one.
    Replaced,
    /// It takes the place of a later version.
    Downgraded,
    /// It was there.
    Unchanged,
}

/// Judges a signature as it would be judged in the space once the lock has it, and tells whether only a decision is missing.
pub(super) fn judged(
    project: &Project,
    space: Space,
    subject: Subject,
    bytes: &[u8],
) -> Result<(Verdict, bool), Error> {
    let (item_type, item_id) = (subject.item_type, subject.item_id.clone());
    let mut keys = (*project.keys()).clone();
    keys.add_pulled(space, item_type, item_id.clone(), ContentHash::of(bytes));
    match Signed::new(subject, bytes.to_vec()).in_space(space).judge_line(&keys) {
        Ok(_) => Ok((Verdict::Good, false)),
        Err(fault @ Fault::UntrustedKey { .. }) => Ok((fault.verdict(), true)),
        Err(fault) => Err(Error::Refused { item_type, item_id, fault }),
    }
}

/// Trusts a key for items of one namespace of a source, and for nothing else.
pub(super) fn decision(key: PublicKey, principal: String, registry: String, namespace: String) -> TrustedKey {
    TrustedKey {
        namespaces: vec![Namespace::Item.as_str().to_owned()],
        scope: Scope::Namespace { registry, namespace },
        ..TrustedKey::new(key, principal, "")
    }
}

/// Writes decisions to trust down.
pub(super) fn decide(project: &Project, decisions: &[TrustedKey]) -> Result<(), Error> {
    if !decisions.is_empty() {
        TrustDir::new(project.context())?.add(decisions)?;
    }
    Ok(())
}
