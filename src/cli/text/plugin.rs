//! Installed plugins, and planned installations.

use super::{Cell, Page, Table, count, one_line};
use crate::ops::plugins::{
    Change, Info, InstallOutcome, ListOutcome, RemoveOutcome, SignOutcome, SignStatus, VerifyOutcome, VerifyStatus,
};

/// Shows all that is known of a plugin.
pub(in crate::cli) fn write_info(page: &mut Page<'_>, info: &Info) {
    page.line(format!("{} {}, a {} for contract version {}", info.name, info.version, info.kind, info.abi));
    page.line(format!("  {}", one_line(&info.description)));
    let signed_by = &info.signed_by;
    let principals = one_line(&signed_by.principals.join(", "));
    let mut rows = vec![
        ("license", one_line(&info.license)),
        ("library", format!("{} for {}, {} bytes", info.file, info.target, info.size)),
        ("sha256", info.sha256.to_string()),
        ("signed by", format!("{principals}, {} (key {})", signed_by.fingerprint, signed_by.key_id)),
        ("signed at", info.signed_at.to_string()),
    ];
    let needs = &info.needs;
    let lists = [("extensions", &needs.extensions), ("programs", &needs.programs), ("hosts", &needs.hosts)];
    rows.extend(lists.iter().filter(|(_, list)| !list.is_empty()).map(|(key, list)| (*key, list.join(" "))));
    if !needs.note.is_empty() {
        rows.push(("note", one_line(&needs.note)));
    }
    rows.extend(info.path.as_ref().map(|path| ("folder", path.display().to_string())));
    rows.into_iter().for_each(|(key, value)| page.line(format!("  {key:<10} {value}")));
}

/// Shows what would be installed.
pub(in crate::cli) fn write_review(page: &mut Page<'_>, outcome: &InstallOutcome) {
    write_info(page, &outcome.plugin);
    if let Some(before) = outcome.before {
        page.line(format!("  {:<10} {before}", "replaces"));
    }
    if let Some(fingerprint) = &outcome.before_signed_by {
        page.line(format!("  {:<10} another key signed the installed version: {fingerprint}", "signer"));
    }
    page.line("A plugin is native code: it can do everything that you can.");
}

/// Asks for what [`write_review`] shows.
pub(in crate::cli) fn install_question(outcome: &InstallOutcome) -> String {
    let Info { name, version, .. } = &outcome.plugin;
    match outcome.change {
        Change::Installed | Change::Replaced | Change::Unchanged => format!("install the plugin `{name}` {version}"),
        Change::Upgraded => format!("upgrade the plugin `{name}` to {version}"),
        Change::Downgraded => format!("downgrade the plugin `{name}` to {version}"),
    }
}

/// Reports the installed plugin.
pub(in crate::cli) fn write_installed(page: &mut Page<'_>, outcome: &InstallOutcome) {
    let Info { name, version, .. } = &outcome.plugin;
    let word = match outcome.change {
        Change::Installed => "Installed",
        Change::Upgraded => "Upgraded",
        Change::Downgraded => "Downgraded",
        Change::Replaced => "Replaced",
        Change::Unchanged => "Unchanged",
    };
    let from = outcome.before.filter(|before| before != version);
    let from = from.map(|before| format!("{before} -> ")).unwrap_or_default();
    page.line(format!("{word} {name} {from}{version}"));
}

/// Writes one row per installed plugin.
pub(in crate::cli) fn write_list(page: &mut Page<'_>, outcome: &ListOutcome) {
    let mut table = Table::new(vec!["STATE", "NAME", "VERSION", "KIND", "SIGNED BY", "DESCRIPTION"]);
    for listed in &outcome.plugins {
        let state = match listed.plugin {
            Some(_) => Cell::new(listed.state),
            None => Cell::with(listed.state, |paint, text| paint.red(text)),
        };
        let name = Cell::with(&listed.name, |paint, text| paint.bold(text));
        let mut row = vec![state, name];
        match &listed.plugin {
            Some(info) => row.extend([
                Cell::new(info.version),
                Cell::dim(info.kind),
                Cell::new(one_line(&info.signed_by.principals.join(", "))),
                Cell::new(one_line(&info.description)),
            ]),
            None => row.extend([
                Cell::new(""),
                Cell::new(""),
                Cell::new(""),
                Cell::new(one_line(listed.reason.as_deref().unwrap_or_default())),
            ]),
        }
        table.row(row);
    }
    page.table(&table);
}

/// Writes the findings of a check.
pub(in crate::cli) fn write_verified(page: &mut Page<'_>, outcome: &VerifyOutcome) {
    let mut table = Table::new(vec!["STATE", "NAME", "FINDING"]);
    for finding in &outcome.findings {
        table.row(vec![Cell::new(finding.state), Cell::new(&finding.name), Cell::new(&finding.message)]);
    }
    if outcome.status == VerifyStatus::Ok {
        table = Table::new(vec!["STATE", "CHECKED"]);
        table.row(vec![Cell::new("ok"), Cell::new(count(outcome.checked, "plugin"))]);
    }
    page.table(&table);
}

/// Reports the removed plugin.
pub(in crate::cli) fn write_removed(page: &mut Page<'_>, outcome: &RemoveOutcome) {
    page.line(format!("Removed {}", outcome.name));
}

/// Reports the signed plugin.
pub(in crate::cli) fn write_signed(page: &mut Page<'_>, outcome: &SignOutcome) {
    let word = match outcome.status {
        SignStatus::Signed => "signed",
        SignStatus::Unchanged => "unchanged",
    };
    let mut table = Table::new(vec!["STATE", "NAME", "VERSION", "KEY"]);
    let columns = [word.to_owned(), outcome.name.to_string(), outcome.version.to_string(), outcome.key_id.to_string()];
    table.row(columns.map(Cell::new).into());
    page.table(&table);
    for library in &outcome.libraries {
        page.line(format!(
            "  {} for {}, {} bytes, sha256 {}",
            library.file, library.target, library.size, library.sha256
        ));
    }
}
