//! What moves and what changes with it, worked out before anything is written.

use super::companions::companions;
use super::error::Error;
use super::naming::Naming;
use super::options::Options;
use super::outcome::{Change, Mention, Plan};
use crate::capability::{Call, Consent, Denial, Policy, Primary};
use crate::format::{Profile, Renamed, own_id, parse, registry_files, rename};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Node};
use crate::locate::{LocateError, Located, Purpose, checked, shown_path, subject};
use crate::project::Project;
use crate::registry::RESERVED;
use crate::sign::{Holder, holder, is_by_agent};
use crate::trust::{PublicKey, Signed};
use crate::workspace::Candidate;

/// Works out what moving an item changes; `key` is the person's.
pub(super) fn plan(project: &Project, options: &Options, key: &PublicKey) -> Result<Plan, Error> {
    let Options { item_type, from, to, .. } = options;
    let located = allowed(project, options)?;
    let space = located.candidate.space;
    let lock = project.workspace().lock_file(space)?.and_then(|bytes| registry_files::lock(&bytes).ok());
    let is_pulled = |candidate: &Candidate| {
        lock.as_ref().and_then(|lock| lock.find(candidate.item_type, &candidate.id)).map(|entry| entry.registry.clone())
    };
    if let Some(registry) = is_pulled(&located.candidate) {
        return Err(Error::Pulled { item_type: *item_type, item_id: from.clone(), registry });
    }
    let naming = Naming::read(project, *item_type, from, to)?;
    let (mut moved, mut references, mut mentions, mut pulled) = (None, Vec::new(), Vec::new(), Vec::new());
    let mut warnings = freed(&project.policy()?, *item_type, from, to);
    for candidate in project.workspace().list(None, Some(space))?.items {
        let is_moved = candidate.item_type == *item_type && candidate.id == *from;
        // Files written by an earlier, killed run are compared in one piece.
        if candidate.item_type == *item_type && candidate.id == *to {
            continue;
        }
        let bytes = match project.workspace().read(&candidate) {
            Ok(bytes) => bytes,
            Err(error) if error.of_one_file().is_some() && !is_moved => continue,
            Err(error) => return Err(error.into()),
        };
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        let renamed = renamed(&naming, &candidate, text);
        let path = shown_path(&candidate);
        warnings
            .extend(patterns(&candidate, &renamed.text, options).into_iter().map(|said| format!("`{path}`: {said}")));
        if let (Some(reference), None) = (renamed.left.first(), is_pulled(&candidate)) {
            return Err(Error::Reference { path, reference: reference.clone() });
        }
        if is_pulled(&candidate).is_some() {
            pulled.extend(mention(&path, &renamed.lines));
            continue;
        }
        // An id of one segment is the item's own name, too.
        if !is_moved || from.namespace().is_some() {
            mentions.extend(mention(&path, &renamed.mentions));
        }
        if is_moved {
            moved = Some(change(project, candidate, bytes, renamed, Some(to), key)?);
        } else if !renamed.lines.is_empty() {
            references.push(change(project, candidate, bytes, renamed, None, key)?);
        }
    }
    let Some(mut moved) = moved else {
        project.require_named_checked_out(options.from.as_str())?;
        return Err(unknown(options).into());
    };
    decide_signatures(std::iter::once(&mut moved).chain(&mut references), options)?;
    let (moved, _) = moved;
    let companions = companions(project, &moved.candidate, &moved.old, to)?;
    let there = there(project, &moved, to, key)?;
    let references = references.into_iter().map(|(change, _)| change).collect();
    Ok(Plan { moved, to: to.clone(), there, companions, references, mentions, pulled, warnings })
}

fn unknown(Options { item_type, from, .. }: &Options) -> LocateError {
    let (item_type, item_id) = (*item_type, from.clone());
    LocateError::Unknown { item_type, item_id, space: None, suggestion: None, instead: None }
}

/// Decides which of the changed items are signed anew, and refuses what would end somebody else's signature.
fn decide_signatures<'a>(
    changes: impl Iterator<Item = &'a mut (Change, Holder)>,
    Options { item_type, from, to, sign }: &Options,
) -> Result<(), Error> {
    let mut others = Vec::new();
    for (change, holder) in changes {
        change.is_signed = *sign || *holder == Holder::Own;
        if *holder == Holder::Other && !sign {
            others.push(change.path.clone());
        }
        if change.is_signed || change.candidate.id == *from {
            // Unsigned items have to be valid, too, under its new id.
            checked(&change.subject, &change.new, Profile::Reference, std::path::Path::new(&change.new_path))?;
        }
    }
    if others.is_empty() {
        return Ok(());
    }
    Err(Error::NotYours { paths: others, item_type: *item_type, from: from.clone(), to: to.clone() })
}

/// Finds the item, and refuses ids that nothing is moved from or to.
fn allowed(project: &Project, Options { item_type, from, to, .. }: &Options) -> Result<Located, Error> {
    let namespace = to.as_str().split('/').next().unwrap_or_default();
    if to == from {
        return Err(Error::SameId { item_type: *item_type, item_id: to.clone() });
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(namespace)) && to.namespace().is_some() {
        return Err(Error::Reserved { item_id: to.clone(), namespace: namespace.to_owned() });
    }
    if *item_type == ItemType::Skill {
        return Err(Error::Skill { from: from.clone(), to: to.clone() });
    }
    let located = project.locate(*item_type, from, None, Purpose::Author)?;
    if located.candidate.space == Space::System {
        return Err(Error::BuiltIn { item_type: *item_type, item_id: from.clone() });
    }
    Ok(located)
}

fn renamed(naming: &Naming<'_>, candidate: &Candidate, text: &str) -> Renamed {
    let node = Node { item_type: candidate.item_type, item_id: candidate.id.clone() };
    let swaps = naming.swaps(&node);
    rename(&subject(candidate), text, &swaps.words, &|reference| naming.is_meant(&candidate.id, &swaps, reference))
}

fn change(
    project: &Project,
    candidate: Candidate,
    old: Vec<u8>,
    renamed: Renamed,
    to: Option<&ItemId>,
    key: &PublicKey,
) -> Result<(Change, Holder), Error> {
    let raw = Signed::new(subject(&candidate), old.clone());
    let holder = holder(&raw, key);
    let is_by_agent = is_by_agent(project.context(), &raw)?;
    let (path, mut new_candidate, mut text) = (shown_path(&candidate), candidate.clone(), renamed.text);
    if let Some(to) = to {
        text = own_id(&subject(&candidate), &text, to);
        new_candidate.id = to.clone();
        new_candidate.path = moved_path(&candidate, to);
    }
    let (subject, new_path) = (subject(&new_candidate), shown_path(&new_candidate));
    let (new, lines) = (text.into_bytes(), renamed.lines);
    let change = Change { candidate, subject, old, new, path, new_path, lines, is_signed: false, is_by_agent };
    Ok((change, holder))
}

/// Returns the path to show of an item under another id.
fn moved_path(candidate: &Candidate, to: &ItemId) -> std::path::PathBuf {
    let depth = candidate.path_in_space().components().count();
    let space = candidate.path.ancestors().nth(depth).unwrap_or(&candidate.path);
    space.join(Candidate { id: to.clone(), ..candidate.clone() }.path_in_space())
}

/// Returns the file that has the new id already, where it is what this run would write; refuses any other.
fn there(project: &Project, moved: &Change, to: &ItemId, key: &PublicKey) -> Result<Option<Vec<u8>>, Error> {
    let Candidate { space, item_type, id, extension, .. } = &moved.candidate;
    let Some(there) = project.workspace().candidates(*item_type, to)?.into_iter().next() else { return Ok(None) };
    if there.space == *space && there.extension == *extension {
        let bytes = project.workspace().read(&there)?;
        let raw = Signed::new(subject(&there), bytes.clone());
        let is_ours = holder(&raw, key) == if moved.is_signed { Holder::Own } else { Holder::Nobody };
        if is_ours && raw.split().body() == Signed::new(moved.subject.clone(), moved.new.clone()).split().body() {
            return Ok(Some(bytes));
        }
    }
    Err(Error::Exists { item_type: *item_type, from: id.clone(), path: shown_path(&there) })
}

fn mention(path: &str, lines: &[usize]) -> Option<Mention> {
    (!lines.is_empty()).then(|| Mention { path: path.to_owned(), lines: lines.to_vec() })
}

/// Names the patterns of a directive's permissions that cover the item under one of its ids only.
fn patterns(candidate: &Candidate, text: &str, Options { item_type, from, to, .. }: &Options) -> Vec<String> {
    if candidate.item_type != ItemType::Directive {
        return Vec::new();
    }
    let Some(Item::Directive(directive)) = parse(candidate.item_type, &candidate.extension, text).item else {
        return Vec::new();
    };
    let calls = directive.permissions.iter().flat_map(|permissions| &permissions.calls);
    let mut said = Vec::new();
    for pattern in calls.filter(|call| call.as_str().contains(['*', '?', '['])) {
        let covers =
            |id: &ItemId| Primary::ALL.map(|primary| pattern.covers(&Call::on(primary, *item_type, id.clone())));
        let (before, after) = (covers(from), covers(to));
        if before.contains(&true) && !after.contains(&true) {
            said.push(format!("the permission `{pattern}` covers `{from}` and does not cover `{to}`"));
        } else if after.contains(&true) && !before.contains(&true) {
            said.push(format!("the permission `{pattern}` covers `{to}` and did not cover `{from}`"));
        }
    }
    said
}

/// Names the configured patterns that cover the item under its old id only: under the new one it would be free.
fn freed(policy: &Policy, item_type: ItemType, from: &ItemId, to: &ItemId) -> Vec<String> {
    let strictness = |primary: Primary, id: &ItemId| match policy.check(&Call::on(primary, item_type, id.clone())) {
        Err(Denial::Configured { pattern, .. }) => (2, Some(pattern)),
        Ok(Consent::Needed { pattern }) => (1, Some(pattern)),
        Ok(Consent::Given) | Err(_) => (0, None),
    };
    let freed = Primary::ALL.into_iter().filter_map(|primary| {
        let (before, pattern) = strictness(primary, from);
        pattern.filter(|_| strictness(primary, to).0 < before)
    });
    let mut warnings: Vec<String> = freed
        .map(|pattern| format!("the configured pattern `{pattern}` covers `{from}` and does not cover `{to}`"))
        .collect();
    warnings.dedup();
    warnings
}
