//! What would change if one proposal took the place of another, told to the person who is to accept it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trust::{KeyId, Namespace, Proposal, PublicKey, Require, RevokedKey, TrustedKey};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustChange {
    /// Of which kind.
    pub change: ChangeKind,
    /// The key it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
    /// OpenSSH's fingerprint of that key, by which people compare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The change in words.
    pub text: String,
}

/// What sort of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A key comes to count.
    KeyAdded,
    /// A key no longer counts.
    KeyRemoved,
    /// A key counts for less, or for a shorter time.
    KeyNarrowed,
    /// A key counts for more, or for a longer time.
    KeyWidened,
    /// A key counts under another name, or for other uses.
    KeyChanged,
    /// A key comes to sign changes of the trust files.
    RootAdded,
    /// A key no longer signs changes of the trust files.
    RootRemoved,
    /// A key's signatures become bad.
    Revoked,
    /// A key's signatures are no longer bad.
    Unrevoked,
    /// Another number of roots is needed.
    RootSigners,
    /// A rule of the policy comes to hold.
    RuleAdded,
    /// A rule of the policy no longer holds.
    RuleRemoved,
    /// A line comes into the project's configuration.
    ConfigAdded,
    /// A line is no longer in the project's configuration.
    ConfigRemoved,
}

impl TrustChange {
    fn of(change: ChangeKind, key: Option<&PublicKey>, text: String) -> Self {
        Self { change, key_id: key.map(PublicKey::key_id), fingerprint: key.map(PublicKey::fingerprint), text }
    }
}

/// Lists what changes from `before` (`None`: nothing was accepted) to `after`: keys, roots, revoked keys, policy,
/// configuration.
#[must_use]
pub fn trust_changes(before: Option<&Proposal>, after: &Proposal) -> Vec<TrustChange> {
    let mut changes = key_changes(before.map_or(&[], Proposal::keys), after.keys());
    changes.extend(revocation_changes(before, after));
    changes.extend(policy_changes(before, after));
    changes.extend(config_changes(before, after));
    changes
}

fn key_changes(before: &[TrustedKey], after: &[TrustedKey]) -> Vec<TrustChange> {
    let (old, new) = (by_key(before), by_key(after));
    let (mut changes, mut roots) = (Vec::new(), Vec::new());
    for (name, lines) in &new {
        match old.get(name) {
            None => changes.extend(lines.iter().map(|line| of_line(ChangeKind::KeyAdded, line))),
            Some(known) => changes.extend(line_change(known, lines)),
        }
        let was_root = old.get(name).is_some_and(|lines| is_root(lines));
        if is_root(lines) != was_root {
            let kind = if was_root { ChangeKind::RootRemoved } else { ChangeKind::RootAdded };
            roots.push(root_change(kind, lines));
        }
    }
    for (_, lines) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        changes.extend(lines.iter().map(|line| of_line(ChangeKind::KeyRemoved, line)));
        if is_root(lines) {
            roots.push(root_change(ChangeKind::RootRemoved, lines));
        }
    }
    changes.extend(roots);
    changes
}

/// Gathers the lines of each key.
fn by_key(keys: &[TrustedKey]) -> BTreeMap<String, Vec<&TrustedKey>> {
    let mut lines: BTreeMap<String, Vec<&TrustedKey>> = BTreeMap::new();
    for key in keys {
        lines.entry(key.key.fingerprint()).or_default().push(key);
    }
    lines
}

fn is_root(lines: &[&TrustedKey]) -> bool {
    lines.iter().any(|line| line.names_use(Namespace::Trust))
}

fn root_change(kind: ChangeKind, lines: &[&TrustedKey]) -> TrustChange {
    let (key, principal) = lines.first().map_or((None, ""), |line| (Some(line.key), line.principal.as_str()));
    let says = if kind == ChangeKind::RootAdded { "signs" } else { "no longer signs" };
    TrustChange::of(kind, key.as_ref(), format!("{principal} {says} changes of the trust files"))
}

fn of_line(change: ChangeKind, line: &TrustedKey) -> TrustChange {
    TrustChange::of(change, Some(&line.key), format!("{}: {}", line.principal, reach(line)))
}

/// Says how the lines of one key changed, if they did.
fn line_change(before: &[&TrustedKey], after: &[&TrustedKey]) -> Option<TrustChange> {
    let within = |some: &[&TrustedKey], others: &[&TrustedKey]| {
        some.iter().all(|line| others.iter().any(|other| covers(other, line)))
    };
    let change = match (within(after, before), within(before, after)) {
        (true, true) => return None,
        (true, false) => ChangeKind::KeyNarrowed,
        (false, true) => ChangeKind::KeyWidened,
        (false, false) => ChangeKind::KeyChanged,
    };
    let shown = |lines: &[&TrustedKey]| {
        lines.iter().map(|line| format!("{}: {}", line.principal, reach(line))).collect::<Vec<_>>().join("; ")
    };
    let key = after.first().map(|line| line.key);
    Some(TrustChange::of(change, key.as_ref(), format!("{} (was {})", shown(after), shown(before))))
}

/// Tells whether what `inner` allows is allowed by `outer` too.
fn covers(outer: &TrustedKey, inner: &TrustedKey) -> bool {
    // What a list with patterns lets through is not compared.
    let is_plain = |line: &TrustedKey| !line.namespaces.iter().any(|name| name.contains(['!', '*', '?']));
    let has_all = || inner.namespaces.iter().all(|name| outer.namespaces.contains(name));
    let uses = outer.namespaces.is_empty()
        || outer.namespaces == inner.namespaces
        || !inner.namespaces.is_empty() && is_plain(inner) && is_plain(outer) && has_all();
    let begins = outer.valid_after.is_none_or(|outer| inner.valid_after.is_some_and(|inner| inner >= outer));
    let ends = outer.valid_before.is_none_or(|outer| inner.valid_before.is_some_and(|inner| inner <= outer));
    outer.principal == inner.principal && uses && begins && ends
}

/// Says what a key may sign, and when.
fn reach(line: &TrustedKey) -> String {
    let named = |name: &String| match name.as_str() {
        "rye" => "items".to_owned(),
        "git" => "commits".to_owned(),
        "rye-trust" => "trust files".to_owned(),
        "git-turns" => "turns of threads".to_owned(),
        other => other.to_owned(),
    };
    let mut text = match line.namespaces.as_slice() {
        [] => "items and commits".to_owned(),
        names => names.iter().map(named).collect::<Vec<_>>().join(", "),
    };
    text.extend(line.valid_after.map(|moment| format!(", from {moment}")));
    text.extend(line.valid_before.map(|moment| format!(", until {moment}")));
    text
}

fn revocation_changes(before: Option<&Proposal>, after: &Proposal) -> Vec<TrustChange> {
    let known = |proposal: Option<&Proposal>, key: &PublicKey| {
        proposal.is_some_and(|proposal| proposal.revoked().contains(key))
    };
    let change = |change, revoked: &RevokedKey| {
        let comment = if revoked.comment.is_empty() { "no reason is given" } else { &revoked.comment };
        TrustChange::of(change, Some(&revoked.key), comment.to_owned())
    };
    let added = after.revoked().iter().filter(|revoked| !known(before, &revoked.key));
    let gone = before.into_iter().flat_map(|before| before.revoked().iter());
    let gone = gone.filter(|revoked| !known(Some(after), &revoked.key));
    let added = added.map(|revoked| change(ChangeKind::Revoked, revoked));
    added.chain(gone.map(|revoked| change(ChangeKind::Unrevoked, revoked))).collect()
}

fn policy_changes(before: Option<&Proposal>, after: &Proposal) -> Vec<TrustChange> {
    let said = |change, text| TrustChange::of(change, None, text);
    let old = before.map_or(1, |before| before.policy().root_signers());
    let new = after.policy().root_signers();
    let roots = (old != new)
        .then(|| said(ChangeKind::RootSigners, format!("a change of the trust files needs {new} roots (was {old})")));
    let (then, now) = (before.map(|before| before.policy().passes()).unwrap_or_default(), after.policy().passes());
    let pass = |was: bool, is: bool, what: &str| {
        let change = if is { ChangeKind::RuleRemoved } else { ChangeKind::RuleAdded };
        (was != is).then(|| said(change, format!("a commit that {what} does not pass")))
    };
    let forge = pass(then.forge, now.forge, "only a forge signed");
    let x509 = pass(then.x509, now.x509, "has an X.509 signature");
    let rules = before.map_or(&[][..], |before| before.policy().rules());
    let added = after.policy().rules().iter().filter(|rule| !rules.contains(rule));
    let gone = rules.iter().filter(|rule| !after.policy().rules().contains(rule));
    let added = added.map(|rule| said(ChangeKind::RuleAdded, demand(rule)));
    roots
        .into_iter()
        .chain(forge)
        .chain(x509)
        .chain(added)
        .chain(gone.map(|rule| said(ChangeKind::RuleRemoved, demand(rule))))
        .collect()
}

/// Compares the lines of the configurations, as far as manifests cover them.
fn config_changes(before: Option<&Proposal>, after: &Proposal) -> Vec<TrustChange> {
    let text = |proposal: Option<&Proposal>| {
        let covered = proposal.filter(|proposal| proposal.covers_config()).and_then(Proposal::config);
        String::from_utf8_lossy(covered.unwrap_or_default()).into_owned()
    };
    let (before, after) = (text(before), text(Some(after)));
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    let (old, new) = (lines(&before), lines(&after));
    let change = |change, line: &String| TrustChange::of(change, None, format!(".ai/config.toml: `{line}`"));
    let added = new.iter().filter(|line| !old.contains(line)).map(|line| change(ChangeKind::ConfigAdded, line));
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| change(ChangeKind::ConfigRemoved, line));
    added.chain(gone).collect()
}

fn demand(rule: &Require) -> String {
    let items = rule.item_type.map_or_else(|| "items".to_owned(), |item_type| format!("{item_type} items"));
    let people = if rule.signers == 1 { "1 person".to_owned() } else { format!("{} people", rule.signers) };
    let of = rule.principals.as_ref().map(|names| format!(" of {}", names.join(", "))).unwrap_or_default();
    format!("{items} `{}` must be signed by {people}{of}", rule.pattern)
}
