//! Whom the person trusts, and what a project proposes.

use std::path::Path;

use super::{Cell, Page, Table, one_line, quoted};
use crate::ops::decisions::{
    AcceptOutcome, AcceptStatus, AddOutcome, EditOutcome, KeyState, ListOutcome, ListedKey, ProjectState,
    ProposalStatus, ProposeOutcome, ProposeStatus, Renamed, Trusted,
};
use crate::trust::{ChangeKind, TrustChange};

/// Writes decisions that are new.
pub(in crate::cli) fn write_added(page: &mut Page<'_>, outcome: &AddOutcome) {
    let mut table = Table::new(vec!["PRINCIPAL", "KEY ID", "FINGERPRINT", "USES"]);
    for key in &outcome.keys {
        table.row(named(key));
    }
    page.table(&table);
    for Renamed { key, was } in &outcome.renamed {
        let (was, now) = (one_line(was), one_line(&key.principal));
        page.line(format!("{} {} {}: {was} is {now} now", page.paint().green("renamed"), key.key_id, key.fingerprint));
    }
}

/// Writes every decision, and every revoked key that none is about.
pub(in crate::cli) fn write_list(page: &mut Page<'_>, outcome: &ListOutcome) {
    let mut table = Table::new(vec!["PRINCIPAL", "KEY ID", "FINGERPRINT", "USES", "STATE", "SOURCE"]).with_whole_last();
    for key in &outcome.keys {
        let mut row = named(&key.key);
        row.extend([state(key), Cell::dim(page.path(&key.key.origin))]);
        table.row(row);
    }
    let is_listed = |id| outcome.keys.iter().any(|key| key.key.key_id == id && key.state == KeyState::Revoked);
    for key in outcome.revoked.iter().filter(|key| !is_listed(key.key_id.clone())) {
        table.row(vec![
            Cell::with(&key.comment, |paint, text| paint.bold(text)),
            Cell::new(&key.key_id),
            Cell::dim(&key.fingerprint),
            Cell::new(&key.reach),
            Cell::with("revoked", |paint, text| paint.red(text)),
            Cell::dim(page.path(&key.origin)),
        ]);
    }
    page.table(&table);
}

fn named(key: &Trusted) -> Vec<Cell> {
    vec![
        Cell::with(&key.principal, |paint, text| paint.bold(text)),
        Cell::new(&key.key_id),
        Cell::dim(&key.fingerprint),
        Cell::new(&key.reach),
    ]
}

fn state(key: &ListedKey) -> Cell {
    let Trusted { valid_after, valid_before, .. } = &key.key;
    match (key.state, valid_after, valid_before) {
        (KeyState::Revoked, ..) => Cell::with("revoked", |paint, text| paint.red(text)),
        (KeyState::Retired, _, Some(end)) => Cell::new(format!("retired {end}")),
        (KeyState::NotYet, Some(begin), _) => Cell::new(format!("from {begin}")),
        (_, _, Some(end)) => Cell::new(format!("until {end}")),
        _ => Cell::new("trusted"),
    }
}

/// Writes what a proposal would change, one line each.
pub(in crate::cli) fn write_changes(page: &mut Page<'_>, changes: &[TrustChange]) {
    for TrustChange { change, key_id, fingerprint, text } in changes {
        let (sign, word) = words(*change);
        let names = [key_id.as_ref().map(ToString::to_string), fingerprint.clone()];
        let key: String = names.into_iter().flatten().map(|name| format!(" {name}")).collect();
        let line = format!("{sign} {word}{key}: {}", one_line(text));
        page.line(match sign {
            "+" => page.paint().green(&line),
            "-" => page.paint().red(&line),
            _ => line,
        });
    }
    if changes.is_empty() {
        page.line("nothing changes but the version");
    }
}

const fn words(change: ChangeKind) -> (&'static str, &'static str) {
    match change {
        ChangeKind::KeyAdded => ("+", "key"),
        ChangeKind::KeyRemoved => ("-", "key"),
        ChangeKind::KeyNarrowed => ("~", "key narrowed"),
        ChangeKind::KeyWidened => ("~", "key widened"),
        ChangeKind::KeyChanged => ("~", "key changed"),
        ChangeKind::RootAdded => ("+", "root"),
        ChangeKind::RootRemoved => ("-", "root"),
        ChangeKind::Revoked => ("+", "revoked"),
        ChangeKind::Unrevoked => ("-", "revoked"),
        ChangeKind::RootSigners => ("~", "roots"),
        ChangeKind::RuleAdded => ("+", "rule"),
        ChangeKind::RuleRemoved => ("-", "rule"),
        ChangeKind::ConfigAdded => ("+", "setting"),
        ChangeKind::ConfigRemoved => ("-", "setting"),
    }
}

/// Writes the accepted proposal.
pub(in crate::cli) fn write_accepted(page: &mut Page<'_>, outcome: &AcceptOutcome) {
    let word = match outcome.status {
        AcceptStatus::Unchanged => "unchanged",
        AcceptStatus::Withdrawn => "withdrawn",
        AcceptStatus::Proposed | AcceptStatus::Accepted => "accepted",
    };
    let version = outcome.version.unwrap_or_default();
    page.line(format!("{} version {version} for `{}`", page.paint().green(word), outcome.path.display()));
}

/// Writes the proposal.
pub(in crate::cli) fn write_proposed(page: &mut Page<'_>, outcome: &ProposeOutcome) {
    let word = match outcome.status {
        ProposeStatus::Proposed => "proposed",
        ProposeStatus::Countersigned => "countersigned",
        ProposeStatus::Unchanged => "unchanged",
    };
    let signers = outcome.signed_by.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
    page.line(format!("{} version {}, signed by {signers}", page.paint().green(word), outcome.version));
    if outcome.accepted {
        page.line(format!("{} version {} for this project", page.paint().green("accepted"), outcome.version));
    }
}

/// Writes what became of a decision.
pub(in crate::cli) fn write_edited(page: &mut Page<'_>, outcome: &EditOutcome, done: &str) {
    let holders = one_line(&outcome.principals.join(", "));
    page.line(format!("{} {} {holders}", page.paint().green(done), outcome.key_id).trim_end());
}

/// Reports the state of a proposal; `None` without anything to do, unless everything is to be reported.
pub(in crate::cli) fn proposal(state: &ProjectState, everything: bool) -> Option<String> {
    let fault = state.fault.as_deref().map(|fault| format!(": {fault}")).unwrap_or_default();
    let version = |version: Option<u64>| version.map(|version| format!(" (version {version})")).unwrap_or_default();
    let proposed = version(state.proposed.as_ref().and_then(|proposed| proposed.version));
    let accepted = version(state.accepted.as_ref().and_then(|accepted| accepted.version));
    match state.status {
        ProposalStatus::Proposed => {
            Some(format!("this project proposes trusted keys{proposed}; `rye trust accept` shows them and asks"))
        }
        ProposalStatus::Accepted => {
            everything.then(|| format!("the trust files of this project are accepted{accepted}"))
        }
        ProposalStatus::Changed if state.fault.is_some() => {
            let version = state.accepted.as_ref().and_then(|accepted| accepted.version);
            let in_force =
                version.map_or_else(|| "what you accepted".to_owned(), |version| format!("version {version}"));
            Some(format!("{in_force} stays in force: the new proposal is invalid{fault}"))
        }
        ProposalStatus::Changed => Some(format!(
            "this project proposes a change{proposed} of what you accepted{accepted}, which stays in force; `rye trust accept` shows it and asks"
        )),
        ProposalStatus::Unusable => everything.then(|| format!("what this project proposes cannot be accepted{fault}")),
    }
}

/// Says that something was accepted for the same project at other places.
pub(in crate::cli) fn elsewhere(state: &ProjectState) -> Option<String> {
    let is_needed = state.accepted.is_none() && !state.elsewhere.is_empty();
    let places = state.elsewhere.iter().map(|path| format!("`{}`", one_line(path))).collect::<Vec<_>>().join(", ");
    is_needed.then(|| {
        format!("what you accepted at {places} does not count here: another clone, or one that moved, is accepted anew")
    })
}

/// Says which accepted proposals for another history or place still count.
pub(in crate::cli) fn left_behind(state: &ProjectState) -> Option<String> {
    let places = state.left_behind.iter().map(|place| format!("`{}`", one_line(place))).collect::<Vec<_>>().join(", ");
    (!places.is_empty()).then(|| {
        format!(
            "the policy and the revoked keys that you accepted at {places} stay in force here, its trusted keys do not: \
             run `rye trust accept` for this history, or `rye trust accept --withdraw` to drop them"
        )
    })
}

/// Says how stock git takes the same decisions.
pub(in crate::cli) fn git_commands(outcome: &ListOutcome) -> String {
    let path = |path: &Path| quoted(&path.display().to_string());
    format!(
        "for stock git: `git config gpg.ssh.allowedSignersFile {}` and `git config gpg.ssh.revocationFile {}`",
        path(&outcome.git_allowed_signers),
        path(&outcome.git_revoked),
    )
}
