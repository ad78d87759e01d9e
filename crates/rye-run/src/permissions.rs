//! `permissions`: what a directive may do in the end, and which line grants it.
//!
//! Judged for a chain of directives, the one asked about first: its own grants (or those of the nearest that declares
//! any) are narrowed by every other one that declares permissions, by what a caller allows, and by the person's policy.
//! Patterns are compared as patterns, so a grant that is cut in part is said to be, with the patterns that cut it. For
//! inspection: nothing has to be signed.

mod caller;
mod link;
mod places;
mod programs;

use serde::Serialize;

use super::extends;
use super::locate::Purpose;
use crate::capability::{Capability, Policy};
use crate::format::Grant;
use crate::id::{ItemId, ItemType};
use crate::item::Risk;
use crate::project::Project;
use crate::trust::Verdict;

pub use caller::{Caller, CallerError};
pub use link::{Line, Link, Status};
pub use places::{HostGrant, PathCut, PathGrant, hosts, paths};
pub use programs::ProgramGrant;

/// What a directive may do.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Always `directive`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Its file.
    pub path: String,
    /// The verdict of its signature.
    pub verdict: Verdict,
    /// The directives whose permissions count, this one first.
    pub chain: Vec<ItemId>,
    /// The file of the caller's permissions, where some are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Whether any of them declares permissions; if not, nothing is allowed.
    pub declared: bool,
    /// Those of the chain that have errors: their faulty parts grant nothing, and none of them can be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub in_error: Vec<ItemId>,
    /// The calls it is granted, in the order of the file.
    pub calls: Vec<CallGrant>,
    /// The path rules of the whole chain, and what the others leave of each; with none, the whole project.
    pub paths: Vec<PathGrant>,
    /// The hosts of the first of the chain that declares permissions; with none, its tools have no network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostGrant>,
}

/// A granted pattern of calls, and its effective rest.
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
    /// Its effective rest.
    pub status: Status,
    /// The line that grants it.
    pub granted_by: Line,
    /// What cuts it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_by: Vec<Cut>,
    /// What the configuration grants the programs that it lets be run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramGrant>,
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
    /// A pattern of `permissions.ask`, or one that always needs an approval.
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

/// Tells what a directive may do, and what a caller's permissions leave of that.
///
/// # Errors
///
/// Fails when the directive, or one that it extends, cannot be found, or its text says too little to tell.
pub fn permissions(project: &Project, item_id: &ItemId, caller: Option<&Caller>) -> Result<Outcome, extends::Error> {
    let located = project.locate(ItemType::Directive, item_id, None, Purpose::Use)?;
    let leaf = Link::read(&located.candidate, located.signed.content())?;
    let chain = extends::follow(
        leaf,
        |link| (link.item_id.clone(), link.extends.clone()),
        |by, base| extends::find(project, by, "extends", ItemType::Directive, base),
        |_, id| {
            let base = project.locate(ItemType::Directive, id, None, Purpose::Use)?;
            Ok(Link::read(&base.candidate, base.signed.content())?)
        },
    )?;
    let verdict = match located.signed.verify(&project.keys()) {
        Ok(verified) => verified.verdict(),
        Err(fault) => fault.verdict(),
    };
    let policy = &project.policy()?;
    let config = project.context().config();
    let mut calls = calls(&chain, caller, policy);
    calls.iter_mut().for_each(|grant| grant.programs = programs::programs(config, &grant.capability));
    Ok(Outcome {
        item_type: ItemType::Directive,
        item_id: item_id.clone(),
        path: located.candidate.path.display().to_string(),
        verdict,
        chain: chain.iter().map(|link| link.item_id.clone()).collect(),
        caller: caller.map(shown),
        declared: chain.iter().any(|link| link.declares),
        in_error: chain.iter().filter(|link| link.in_error).map(|link| link.item_id.clone()).collect(),
        calls,
        paths: paths(&chain),
        hosts: hosts(&chain),
    })
}

fn shown(caller: &Caller) -> String {
    caller.path().display().to_string()
}

fn directive_cut(link: &Link, capability: &Capability) -> Option<Cut> {
    let allows = common(link.calls().map(|(own, _)| own), capability)?;
    Some(Cut::Directive { item_id: link.item_id.clone(), allows })
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
            .filter_map(|link| directive_cut(link, capability))
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
            programs: Vec::new(),
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
    let always = policy.always_asked().filter(|always| always.overlaps(capability));
    let always = always.map(|always| Cut::Ask { whole: always.includes(capability), pattern: always });
    denied.chain(always).chain(asked).collect()
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
