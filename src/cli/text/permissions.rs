//! What a directive may do.

use std::fmt::Display;

use super::{Cell, Page, Table};
use crate::capability::Capability;
use crate::item::Risk;
use crate::ops::permissions::{CallGrant, Cut, Line, Outcome, PathGrant, Status};

/// Writes one row per grant.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["LEFT", "GRANT", "RISK", "GRANTED BY", "BECAUSE"]);
    for grant in &outcome.calls {
        table.row(call(page, grant));
    }
    for grant in &outcome.paths {
        table.row(path(page, grant));
    }
    page.table(&table);
}

fn call(page: &Page<'_>, grant: &CallGrant) -> Vec<Cell> {
    let status = match grant.status {
        Status::Allowed => Cell::with("allowed", |paint, text| paint.green(text)),
        Status::Asked => Cell::with("asked", |paint, text| paint.yellow(text)),
        Status::Partly => Cell::with("partly", |paint, text| paint.yellow(text)),
        Status::Denied => Cell::with("denied", |paint, text| paint.red(text)),
    };
    let what = Cell::with(&grant.capability, |paint, text| paint.bold(text));
    vec![status, what, risk(grant), line(page, &grant.granted_by), Cell::new(because(page, grant))]
}

fn risk(grant: &CallGrant) -> Cell {
    match (grant.risk, grant.acknowledged) {
        (Risk::Safe | Risk::Write, _) => Cell::dim(grant.risk),
        (risk, Some(true)) => Cell::with(format!("{risk}, acknowledged"), |paint, text| paint.yellow(text)),
        (risk, _) => Cell::with(format!("{risk}, not acknowledged"), |paint, text| paint.red(text)),
    }
}

/// Says what cuts a grant, or why its risk is taken.
fn because(page: &Page<'_>, grant: &CallGrant) -> String {
    let cuts = grant.cut_by.iter().map(|cut| match cut {
        Cut::Deny { pattern, .. } => format!("`permissions.deny` has `{pattern}`"),
        Cut::Ask { pattern, .. } => format!("`permissions.ask` has `{pattern}`"),
        Cut::Directive { item_id, allows } => narrower(item_id, allows),
        Cut::Caller { path, allows } => narrower(page.path(path), allows),
    });
    let cuts: Vec<String> = cuts.chain(grant.reason.iter().map(|reason| format!("reason: {reason}"))).collect();
    cuts.join("; ")
}

fn narrower(who: impl Display, allows: &[Capability]) -> String {
    let allows: Vec<String> = allows.iter().map(|pattern| format!("`{pattern}`")).collect();
    let what = if allows.is_empty() { "none of it".to_owned() } else { allows.join(", ") };
    format!("`{who}` allows {what}")
}

fn path(page: &Page<'_>, grant: &PathGrant) -> Vec<Cell> {
    let allowed = Cell::with("allowed", |paint, text| paint.green(text));
    let what = Cell::with(format!("{} {}", grant.access, grant.pattern), |paint, text| paint.bold(text));
    vec![allowed, what, Cell::dim("-"), line(page, &grant.granted_by), Cell::new("")]
}

fn line(page: &Page<'_>, line: &Line) -> Cell {
    Cell::dim(format!("{}:{}", page.path(&line.path), line.line))
}
