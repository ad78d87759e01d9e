//! What a directive may do.

use std::fmt::Display;
use std::path::PathBuf;

use super::{Cell, Page, Table};
use crate::capability::ALWAYS_ASKED;
use crate::item::Risk;
use crate::ops::permissions::{CallGrant, Cut, HostGrant, Line, Outcome, PathGrant, ProgramGrant, Status};

/// Writes one row per grant.
pub(in crate::cli) fn write(page: &mut Page<'_>, outcome: &Outcome) {
    let mut table = Table::new(vec!["STATUS", "GRANT", "RISK", "GRANTED BY", "REASON"]);
    for grant in &outcome.calls {
        table.row(call(page, grant));
    }
    for grant in &outcome.paths {
        table.row(path(page, grant));
    }
    for grant in &outcome.hosts {
        table.row(host(page, grant));
    }
    page.table(&table);
}

fn call(page: &Page<'_>, grant: &CallGrant) -> Vec<Cell> {
    let what = Cell::with(&grant.capability, |paint, text| paint.bold(text));
    vec![left(grant.status), what, risk(grant), line(page, &grant.granted_by), Cell::new(because(page, grant))]
}

fn left(status: Status) -> Cell {
    match status {
        Status::Allowed => Cell::with("allowed", |paint, text| paint.green(text)),
        Status::Asked => Cell::with("asked", |paint, text| paint.yellow(text)),
        Status::Partly => Cell::with("partly", |paint, text| paint.yellow(text)),
        Status::Denied => Cell::with("denied", |paint, text| paint.red(text)),
    }
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
        Cut::Ask { pattern, .. } if pattern.as_str() == ALWAYS_ASKED => {
            format!("`{pattern}` is always asked about, unless `permissions.unasked` covers it")
        }
        Cut::Ask { pattern, .. } => format!("`permissions.ask` has `{pattern}`"),
        Cut::Directive { item_id, allows } => narrower(item_id, allows),
        Cut::Caller { path, allows } => narrower(page.path(path), allows),
    });
    let programs = grant.programs.iter().filter_map(granted);
    let reasons = grant.reason.iter().map(|reason| format!("reason: {reason}"));
    cuts.chain(programs).chain(reasons).collect::<Vec<_>>().join("; ")
}

/// Says what the configuration grants a program.
fn granted(program: &ProgramGrant) -> Option<String> {
    let ProgramGrant { program: name, read, write, hosts, sockets, is_root } = program;
    let paths = |word: &'static str, paths: &[PathBuf]| {
        let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        (!paths.is_empty()).then(|| format!("{word} {}", paths.join(", ")))
    };
    let hosts: Vec<String> = hosts.iter().map(|host| format!("`{host}`")).collect();
    let hosts = (!hosts.is_empty()).then(|| format!("reaches {}", hosts.join(", ")));
    let root = is_root.then(|| "which makes it root on this machine".to_owned());
    let parts = [paths("reads", read), paths("writes", write), hosts, paths("connects to", sockets), root];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("`shell.{name}`: {}", parts.join(", ")))
}

/// Says what another of the chain leaves of a grant.
fn narrower(who: impl Display, allows: &[impl Display]) -> String {
    if allows.is_empty() {
        return format!("`{who}` allows none of it");
    }
    let allows: Vec<String> = allows.iter().map(|pattern| format!("`{pattern}`")).collect();
    format!("`{who}` allows {}", allows.join(", "))
}

fn path(page: &Page<'_>, grant: &PathGrant) -> Vec<Cell> {
    let what = Cell::with(format!("{} {}", grant.access, grant.pattern), |paint, text| paint.bold(text));
    let cuts: Vec<String> = grant.cut_by.iter().map(|cut| narrower(&cut.item_id, &cut.allows)).collect();
    vec![left(grant.status), what, Cell::dim("-"), line(page, &grant.granted_by), Cell::new(cuts.join("; "))]
}

fn host(page: &Page<'_>, grant: &HostGrant) -> Vec<Cell> {
    let what = Cell::with(format!("network {}", grant.host), |paint, text| paint.bold(text));
    let risk = match &grant.reason {
        Some(_) => Cell::with(format!("{}, acknowledged", Risk::Elevated), |paint, text| paint.yellow(text)),
        None => Cell::with(format!("{}, not acknowledged", Risk::Elevated), |paint, text| paint.red(text)),
    };
    let cuts = grant.cut_by.iter().map(|cut| narrower(&cut.item_id, &cut.allows));
    let cuts: Vec<String> = cuts.chain(grant.reason.iter().map(|reason| format!("reason: {reason}"))).collect();
    vec![left(grant.status), what, risk, line(page, &grant.granted_by), Cell::new(cuts.join("; "))]
}

fn line(page: &Page<'_>, line: &Line) -> Cell {
    Cell::dim(format!("{}:{}", page.path(&line.path), line.line))
}
