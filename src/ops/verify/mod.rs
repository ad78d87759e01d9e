//! `verify`: every item's signature, all findings in one pass. It cannot pass by accident: no item at all is an
//! outcome of its own.
//!
//! Items come from the work tree or, with a revision, straight from git objects, whose hashes are checked while they
//! are read; a repository that rewrites its history on reading is refused.

mod cached;
mod files;
mod judge;

use std::path::PathBuf;

use serde::Serialize;
use thiserror::Error;

use self::cached::Cached;
use self::judge::{Judged, Judgement};
use super::locate::{LocateError, Locator};
use crate::format::{Severity, rules};
use crate::git::CommitId;
use crate::id::{ItemId, ItemType};
use crate::keys::read_allowed_signers;
use crate::trust::{Fault, Subject, TrustedKeys, Uncovered, Verdict};

/// What to verify.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ids or paths; empty means every item of the project.
    pub only: Vec<String>,
    /// A revision instead of the work tree.
    pub rev: Option<String>,
    /// The only keys to trust, from a file, instead of the person's.
    pub allowed_signers: Option<PathBuf>,
    /// Judge everything anew, whatever earlier runs found.
    pub no_cache: bool,
    /// Let signatures of version 1 count, with a warning each.
    pub allow_legacy: bool,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Whether all is well, something was found, or there was nothing to verify.
    pub status: Status,
    /// How many items were checked.
    pub checked: usize,
    /// How many items got each verdict.
    pub summary: Summary,
    /// Everything that is not well.
    pub findings: Vec<Finding>,
}

/// What a verification came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every item is signed by a trusted key and unchanged, or legacy and allowed.
    Ok,
    /// Some item is not.
    Findings,
    /// There was no item.
    Empty,
}

/// How many items got each verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Signed by a trusted key, and unchanged.
    pub good: usize,
    /// Compiled into the program.
    pub builtin: usize,
    /// Signed by a trusted key in version 1.
    pub legacy: usize,
    /// Without a signature.
    pub unsigned: usize,
    /// Changed after signing.
    pub tampered: usize,
    /// Signed by a key that is not trusted.
    pub untrusted: usize,
    /// Signed by a key outside its validity.
    pub retired: usize,
    /// Signed by a revoked key.
    pub revoked: usize,
    /// Older than the base's. This version compares with no base: always 0.
    pub rolled_back: usize,
    /// Signed by fewer people than the policy demands.
    pub missing_countersignature: usize,
    /// Removed, so that another item takes effect. This version compares with no base: always 0.
    pub unshadowed: usize,
}

/// One thing that is not well.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// The rule's stable id.
    pub rule: &'static str,
    /// The item's verdict; none for a file that is no item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// How bad it is.
    pub severity: Severity,
    /// The item's type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_type: Option<ItemType>,
    /// The item's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// The file.
    pub path: String,
    /// The line of the signature.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What a signature of version 1 does not cover.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncovered: Vec<Uncovered>,
    /// What to do.
    pub hint: String,
    /// The revision it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
}

/// Why nothing can be verified.
#[derive(Debug, Error)]
pub enum Error {
    /// The file of allowed signers does not exist.
    #[error("there is no file `{}`", path.display())]
    NoAllowedSigners {
        /// The file.
        path: PathBuf,
    },
    /// Nothing fits.
    #[error("no item of the project fits `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
    },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// Verifies the project's items.
///
/// # Errors
///
/// Fails when the repository or the keys cannot be read, or an id or path fits nothing.
pub fn verify(locator: &Locator<'_>, options: &Options) -> Result<Outcome, Error> {
    let keys = trusted(locator, options)?;
    let (files, commit_id) = match &options.rev {
        None => (files::work_tree(locator)?, None),
        Some(rev) => {
            let (files, commit_id) = files::revision(locator, rev)?;
            (files, Some(commit_id))
        }
    };
    let files = files::selected(locator, files, &options.only)?;
    let cached = if options.no_cache { None } else { Cached::open(locator, &keys)? };
    let judged = judge::all(locator, &keys, cached.as_ref(), files)?;
    if let Some(cached) = cached {
        cached.keep(&judged);
    }
    let mut outcome = Outcome { status: Status::Ok, checked: 0, summary: Summary::default(), findings: Vec::new() };
    judged.into_iter().for_each(|file| count(file, commit_id.as_ref(), &mut outcome));
    if options.allow_legacy {
        outcome.allow_legacy();
    }
    outcome.status = status(&outcome);
    Ok(outcome)
}

/// Takes the keys of the named file and no others, or else the person's: a pipeline must not depend on the machine.
fn trusted(locator: &Locator<'_>, options: &Options) -> Result<TrustedKeys, Error> {
    let Some(path) = &options.allowed_signers else { return Ok(locator.keys().clone()) };
    let path = locator.context().current_dir().join(path);
    let read = read_allowed_signers(&path).map_err(LocateError::from)?;
    let mut keys = TrustedKeys::default();
    read.ok_or(Error::NoAllowedSigners { path })?.into_iter().for_each(|key| keys.add(key));
    Ok(keys)
}

fn status(outcome: &Outcome) -> Status {
    if outcome.findings.iter().any(|finding| finding.severity == Severity::Error) {
        Status::Findings
    } else if outcome.checked == 0 {
        Status::Empty
    } else {
        Status::Ok
    }
}

fn count(file: Judged, commit_id: Option<&CommitId>, outcome: &mut Outcome) {
    match file.judgement {
        Judgement::Stray { reason, severity } => outcome.findings.push(stray(file.path, &reason, severity, commit_id)),
        Judgement::Good { .. } => {
            outcome.checked += 1;
            outcome.summary.count(Verdict::Good);
        }
        Judgement::Bad { subject, line, fault } => {
            outcome.checked += 1;
            outcome.summary.count(fault.verdict());
            outcome.findings.push(finding(&subject, line, file.path, &fault, commit_id));
        }
    }
}

impl Outcome {
    /// Turns what is only legacy into warnings.
    fn allow_legacy(&mut self) {
        let legacy = self.findings.iter_mut().filter(|finding| finding.rule == "RYE-S009");
        legacy.for_each(|finding| finding.severity = Severity::Warning);
    }
}

impl Summary {
    const fn count(&mut self, verdict: Verdict) {
        let counter = match verdict {
            Verdict::Good => &mut self.good,
            Verdict::Builtin => &mut self.builtin,
            Verdict::Legacy => &mut self.legacy,
            Verdict::Unsigned => &mut self.unsigned,
            Verdict::Tampered => &mut self.tampered,
            Verdict::Untrusted => &mut self.untrusted,
            Verdict::Retired => &mut self.retired,
            Verdict::Revoked => &mut self.revoked,
            Verdict::RolledBack => &mut self.rolled_back,
            Verdict::MissingCountersignature => &mut self.missing_countersignature,
            Verdict::Unshadowed => &mut self.unshadowed,
        };
        *counter += 1;
    }
}

fn finding(subject: &Subject, line: usize, path: String, fault: &Fault, commit_id: Option<&CommitId>) -> Finding {
    Finding {
        rule: fault.rule(),
        verdict: Some(fault.verdict()),
        severity: Severity::Error,
        item_type: Some(subject.item_type),
        item_id: Some(subject.item_id.clone()),
        path,
        line,
        message: format!("{subject}: {fault}"),
        uncovered: if let Fault::Legacy { uncovered, .. } = fault { uncovered.clone() } else { Vec::new() },
        hint: hint(subject, fault),
        commit_id: commit_id.cloned(),
    }
}

/// Says what to do about a fault, with a command that works as pasted.
#[must_use]
pub fn hint(subject: &Subject, fault: &Fault) -> String {
    let sign = format!("`rye sign {} {}`", subject.item_type, subject.item_id);
    match fault {
        Fault::Unsigned => format!("review it, then run {sign}"),
        Fault::UntrustedKey { .. } => {
            "if you trust whoever holds that key, save their public key and run `rye trust add their_key.pub`"
                .to_owned()
        }
        Fault::AgentSigned => format!("review what the agent wrote, then run {sign}"),
        Fault::OutsideValidity { .. } => format!("have it signed again by a key that is valid now: {sign}"),
        Fault::Legacy { .. } => format!("review the whole file, then run {sign}"),
        Fault::Revoked { .. } => {
            format!("whoever held that key may not have signed this: review it, then sign with another key: {sign}")
        }
        Fault::RolledBack { .. } => {
            format!("restore the newer one; if the older is wanted, review it, then run {sign}")
        }
        Fault::MissingCountersignatures { .. } => {
            "ask somebody else whose signature counts to review it and to sign it too".to_owned()
        }
        Fault::Unshadowed => {
            let (item_type, item_id) = (subject.item_type, &subject.item_id);
            format!("put it back, or look at what takes effect now: `rye load {item_type} {item_id}`")
        }
        _ => format!("review the change, then run {sign}"),
    }
}

fn stray(path: String, reason: &str, severity: Severity, commit_id: Option<&CommitId>) -> Finding {
    let is_unusable = severity == Severity::Error;
    Finding {
        rule: if is_unusable { rules::UNUSABLE_ITEM.id } else { rules::NOT_AN_ITEM.id },
        verdict: None,
        severity,
        item_type: None,
        item_id: None,
        path,
        line: 1,
        message: format!("this file {} an item: {reason}", if is_unusable { "cannot be used as" } else { "is not" }),
        uncovered: Vec::new(),
        hint: "rename it or move it out of the folder".to_owned(),
        commit_id: commit_id.cloned(),
    }
}
