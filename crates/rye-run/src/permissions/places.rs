//! Paths and hosts: what of the rules of a directive the others of its chain leave.

use serde::Serialize;

use super::link::{Line, Link, Status};
use crate::capability::{Access, HostRule, path_patterns};
use crate::format::{Grant, Granted};
use crate::id::ItemId;
use crate::item::Risk;

/// A granted pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathGrant {
    /// What may be done.
    pub access: Access,
    /// The pattern.
    pub pattern: String,
    /// Its effective rest.
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

/// A granted host, and its effective rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostGrant {
    /// The rule.
    pub host: HostRule,
    /// The reason the author gives for the risk, if they acknowledge it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its effective rest.
    pub status: Status,
    /// The line that grants it.
    pub granted_by: Line,
    /// What cuts it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_by: Vec<PathCut>,
}

impl Link {
    /// Returns its path rules, each with its grant.
    fn paths(&self) -> impl Iterator<Item = (Access, &str, &Grant)> {
        self.grants.iter().filter_map(|grant| match &grant.granted {
            Granted::Path(access, pattern) => Some((*access, pattern.as_str(), grant)),
            Granted::Call(_) | Granted::Host(_) => None,
        })
    }

    /// Returns its hosts, each with its grant.
    fn hosts(&self) -> impl Iterator<Item = (&HostRule, &Grant)> {
        self.grants.iter().filter_map(|grant| match &grant.granted {
            Granted::Host(rule) => Some((rule, grant)),
            Granted::Call(_) | Granted::Path(..) => None,
        })
    }

    /// Finds what of a rule of hosts this directive allows; `None` when that is all of it.
    fn cut_host(&self, rule: &HostRule) -> Option<PathCut> {
        if self.hosts().any(|(own, _)| own.includes(rule)) {
            return None;
        }
        let common = self.hosts().filter(|(own, _)| rule.includes(own)).map(|(own, _)| own.to_string());
        Some(PathCut { item_id: self.item_id.clone(), allows: common.collect() })
    }

    /// Finds what of a path pattern this directive allows; `None` when that is all of it, as where it has no rule. A
    /// writable path is readable.
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

/// Judges the hosts of the first directive of a chain that declares permissions: every other one that declares some must name them, too.
#[must_use]
pub fn hosts(chain: &[Link]) -> Vec<HostGrant> {
    let mut declaring = chain.iter().filter(|link| link.declares);
    let Some(first) = declaring.next() else { return Vec::new() };
    let others: Vec<&Link> = declaring.collect();
    let judged = |(rule, grant): (&HostRule, &Grant)| {
        let cut_by: Vec<PathCut> = others.iter().filter_map(|link| link.cut_host(rule)).collect();
        HostGrant {
            host: rule.clone(),
            reason: first.reason(Risk::Elevated),
            status: path_status(&cut_by),
            granted_by: first.line(grant),
            cut_by,
        }
    };
    first.hosts().map(judged).collect()
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
