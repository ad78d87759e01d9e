//! `permissions`: what a directive may do in the end, and which line grants it.
//!
//! Judged for a chain of directives, the one asked about first: its own grants (or those of the nearest that declares
//! any) are narrowed by every other one that declares permissions, by what a caller allows, and by the person's policy.
//! Patterns are compared as patterns, so a grant that is cut in part is said to be, with the patterns that cut it. For
//! inspection: nothing has to be signed.

mod caller;

use serde::Serialize;

use super::extends;
use super::locate::{LocateError, Purpose, Session};
use crate::capability::{Access, Capability, Policy, path_patterns};
use crate::format::{self, Grant, Granted, Position};
use crate::id::{ItemId, ItemType};
use crate::item::{Acknowledge, Item, Risk};
use crate::trust::Verdict;
use crate::workspace::Candidate;

pub use caller::{Caller, CallerError};

/// What a directive may do.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Always `directive`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its file.
    pub path: String,
    /// What its signature is worth.
    pub verdict: Verdict,
    /// The directives whose permissions count, this one first.
    pub chain: Vec<ItemId>,
    /// The file of the caller's permissions, where some are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Whether any of them declares permissions; if not, nothing is allowed.
    pub declared: bool,
    /// Those of the chain that have errors: what these are about grants nothing, and none of them can be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_error: Vec<ItemId>,
    /// The calls it is granted, in the order of the file.
    pub calls: Vec<CallGrant>,
    /// The path rules of the whole chain, and what the others leave of each; with none, the whole project.
    pub paths: Vec<PathGrant>,
}

/// A granted pattern of calls, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallGrant {
    /// The pattern.
    pub capability: Capability,
    /// The tier of the most dangerous call it covers.
    pub risk: Risk,
    /// Whether its author acknowledges that risk; only elevated and unrestricted ones have to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<bool>,
    /// The reason the author gives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is left of it in the end.
    pub status: Status,
    /// The line that grants it.
    pub granted_by: Line,
    /// What cuts it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_by: Vec<Cut>,
}

/// What is left of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All of it.
    Allowed,
    /// All of it, each time a person agrees.
    Asked,
    /// Some of it.
    Partly,
    /// Nothing.
    Denied,
}

/// What cuts a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum Cut {
    /// A pattern of `permissions.deny`.
    Deny {
        /// The pattern.
        pattern: Capability,
        /// Whether it covers the whole grant.
        whole: bool,
    },
    /// A pattern of `permissions.ask`.
    Ask {
        /// The pattern.
        pattern: Capability,
        /// Whether it covers the whole grant.
        whole: bool,
    },
    /// Another directive of the chain, which allows only these patterns of it.
    Directive {
        /// The directive.
        item_id: ItemId,
        /// What of it the two have in common; empty when nothing.
        allows: Vec<Capability>,
    },
    /// The caller, who allows only these patterns of it.
    Caller {
        /// The caller's file.
        path: String,
        /// What of it the two have in common; empty when nothing.
        allows: Vec<Capability>,
    },
}

/// A granted pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathGrant {
    /// What may be done.
    pub access: Access,
    /// The pattern.
    pub pattern: String,
    /// What is left of it in the end.
    pub status: Status,
    /// The line that grants it.
    pub granted_by: Line,
    /// What cuts it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_by: Vec<PathCut>,
}

/// Another directive of the chain, which allows only these patterns of a granted one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathCut {
    /// The directive.
    pub item_id: ItemId,
    /// What of it the two have in common; empty when nothing.
    pub allows: Vec<String>,
}

/// A line of a directive's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The directive.
    pub item_id: ItemId,
    /// Its file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// One directive of a chain, with what its text grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    item_id: ItemId,
    extends: Option<ItemId>,
    path: String,
    text: String,
    declares: bool,
    in_error: bool,
    grants: Vec<Grant>,
    acknowledged: Vec<Acknowledge>,
}

/// Tells what a directive may do, and what a caller's permissions leave of that.
///
/// # Errors
///
/// Fails when the directive, or one that it extends, cannot be found, or its text says too little to tell.
pub fn permissions(session: &Session, item_id: &ItemId, caller: Option<&Caller>) -> Result<Outcome, extends::Error> {
    let located = session.locate(ItemType::Directive, item_id, None, Purpose::Use)?;
    let leaf = Link::read(&located.candidate, located.signed.content())?;
    let chain = extends::follow(
        leaf,
        |link| (link.item_id.clone(), link.extends.clone()),
        |by, base| extends::find(session, by, "extends", ItemType::Directive, base),
        |_, id| {
            let base = session.locate(ItemType::Directive, id, None, Purpose::Use)?;
            Ok(Link::read(&base.candidate, base.signed.content())?)
        },
    )?;
    let verdict = match located.signed.verify(&session.keys()) {
        Ok(verified) => verified.verdict(),
        Err(fault) => fault.verdict(),
    };
    let policy = &session.policy()?;
    Ok(Outcome {
        item_type: ItemType::Directive,
        item_id: item_id.clone(),
        path: located.candidate.path.display().to_string(),
        verdict,
        chain: chain.iter().map(|link| link.item_id.clone()).collect(),
        caller: caller.map(shown),
        declared: chain.iter().any(|link| link.declares),
        in_error: chain.iter().filter(|link| link.in_error).map(|link| link.item_id.clone()).collect(),
        calls: calls(&chain, caller, policy),
        paths: paths(&chain),
    })
}

impl Link {
    /// Reads what a directive's file grants.
    ///
    /// # Errors
    ///
    /// Fails with the findings when the text is too broken to be a directive.
    pub fn read(candidate: &Candidate, bytes: &[u8]) -> Result<Self, LocateError> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let parsed = format::parse_bytes(candidate.item_type, &candidate.extension, bytes);
        let Some(Item::Directive(directive)) = parsed.item else {
            return Err(LocateError::Invalid {
                item_type: candidate.item_type,
                item_id: candidate.id.clone(),
                path: candidate.path.clone(),
                findings: parsed.findings,
                text,
            });
        };
        Ok(Self {
            item_id: candidate.id.clone(),
            extends: directive.extends,
            path: candidate.path.display().to_string(),
            declares: directive.permissions.is_some(),
            in_error: format::has_errors(&parsed.findings),
            grants: format::grants(&text),
            acknowledged: directive.acknowledged,
            text,
        })
    }

    fn line(&self, grant: &Grant) -> Line {
        let Position { line, column } = Position::of(&self.text, grant.span.start);
        Line { item_id: self.item_id.clone(), path: self.path.clone(), line, column }
    }

    /// Returns the patterns of calls it grants, each with the grant it stands in.
    fn calls(&self) -> impl Iterator<Item = (&Capability, &Grant)> {
        self.grants.iter().filter_map(|grant| match &grant.granted {
            Granted::Call(capability) => Some((capability, grant)),
            Granted::Path(..) => None,
        })
    }

    /// Returns the path rules it has, each with the grant it stands in.
    fn paths(&self) -> impl Iterator<Item = (Access, &str, &Grant)> {
        self.grants.iter().filter_map(|grant| match &grant.granted {
            Granted::Path(access, pattern) => Some((*access, pattern.as_str(), grant)),
            Granted::Call(_) => None,
        })
    }

    /// Finds what of a path pattern this directive allows; `None` when that is all of it, as where it has no rule. What
    /// may be written may be read.
    fn cut_path(&self, access: Access, pattern: &str) -> Option<PathCut> {
        self.paths().next()?;
        let own: Vec<&str> = self
            .paths()
            .filter(|(own, ..)| *own == access || *own == Access::Write)
            .map(|(_, pattern, _)| pattern)
            .collect();
        if own.iter().any(|own| path_patterns::includes(own, pattern)) {
            return None;
        }
        let common = own.into_iter().filter(|own| path_patterns::overlaps(own, pattern)).map(str::to_owned);
        Some(PathCut { item_id: self.item_id.clone(), allows: common.collect() })
    }

    /// Finds why the author takes a risk, if they say so.
    fn reason(&self, risk: Risk) -> Option<String> {
        let named = self.acknowledged.iter().find(|named| risk > Risk::Write && named.risk >= risk)?;
        Some(named.reason.clone())
    }

    fn cut(&self, capability: &Capability) -> Option<Cut> {
        let allows = common(self.calls().map(|(own, _)| own), capability)?;
        Some(Cut::Directive { item_id: self.item_id.clone(), allows })
    }
}

fn shown(caller: &Caller) -> String {
    caller.path().display().to_string()
}

fn caller_cut(caller: &Caller, capability: &Capability) -> Option<Cut> {
    let allows = common(&caller.capabilities().calls, capability)?;
    Some(Cut::Caller { path: shown(caller), allows })
}

/// Finds the patterns that allow some of a pattern; `None` when one of them allows all of it.
fn common<'c>(patterns: impl IntoIterator<Item = &'c Capability>, capability: &Capability) -> Option<Vec<Capability>> {
    let touching: Vec<&Capability> = patterns.into_iter().filter(|own| own.overlaps(capability)).collect();
    let is_whole = touching.iter().any(|own| own.includes(capability));
    (!is_whole).then(|| touching.into_iter().cloned().collect())
}

/// Judges the grants of the first directive of a chain that declares any.
#[must_use]
pub fn calls(chain: &[Link], caller: Option<&Caller>, policy: &Policy) -> Vec<CallGrant> {
    let mut declaring = chain.iter().filter(|link| link.declares);
    let Some(first) = declaring.next() else { return Vec::new() };
    let others: Vec<&Link> = declaring.collect();
    let judged = |(capability, grant): (&Capability, &Grant)| {
        let cut_by: Vec<Cut> = others
            .iter()
            .filter_map(|link| link.cut(capability))
            .chain(caller.and_then(|caller| caller_cut(caller, capability)))
            .chain(configured(policy, capability))
            .collect();
        let risk = Risk::of(capability);
        CallGrant {
            capability: capability.clone(),
            risk,
            acknowledged: (risk > Risk::Write).then(|| first.reason(risk).is_some()),
            reason: first.reason(risk),
            status: status(&cut_by),
            granted_by: first.line(grant),
            cut_by,
        }
    };
    first.calls().map(judged).collect()
}

/// Finds the configured patterns that touch a grant.
fn configured(policy: &Policy, capability: &Capability) -> Vec<Cut> {
    let touching = |patterns: &[Capability]| -> Vec<(Capability, bool)> {
        let touching = patterns.iter().filter(|pattern| pattern.overlaps(capability));
        touching.map(|pattern| (pattern.clone(), pattern.includes(capability))).collect()
    };
    let denied = touching(&policy.deny).into_iter().map(|(pattern, whole)| Cut::Deny { pattern, whole });
    let asked = touching(&policy.ask).into_iter().map(|(pattern, whole)| Cut::Ask { pattern, whole });
    denied.chain(asked).collect()
}

fn status(cuts: &[Cut]) -> Status {
    let denies = |cut: &Cut| match cut {
        Cut::Deny { whole, .. } => *whole,
        Cut::Directive { allows, .. } | Cut::Caller { allows, .. } => allows.is_empty(),
        Cut::Ask { .. } => false,
    };
    let narrows = |cut: &Cut| !matches!(cut, Cut::Ask { whole: true, .. });
    if cuts.iter().any(denies) {
        Status::Denied
    } else if cuts.iter().any(narrows) {
        Status::Partly
    } else if cuts.is_empty() {
        Status::Allowed
    } else {
        Status::Asked
    }
}

/// Gathers the path rules of a chain: a tool may touch what the rules of every directive that has any allow.
#[must_use]
pub fn paths(chain: &[Link]) -> Vec<PathGrant> {
    let of = |link: &Link| -> Vec<PathGrant> {
        let rules = link.paths().map(|(access, pattern, grant)| {
            let others = chain.iter().filter(|other| other.item_id != link.item_id);
            let cut_by: Vec<PathCut> = others.filter_map(|other| other.cut_path(access, pattern)).collect();
            let status = path_status(&cut_by);
            PathGrant { access, pattern: pattern.to_owned(), status, granted_by: link.line(grant), cut_by }
        });
        rules.collect()
    };
    chain.iter().flat_map(of).collect()
}

fn path_status(cuts: &[PathCut]) -> Status {
    if cuts.iter().any(|cut| cut.allows.is_empty()) {
        Status::Denied
    } else if cuts.is_empty() {
        Status::Allowed
    } else {
        Status::Partly
    }
}
