//! From what a person calls a key to the key: its id, its fingerprint, its holder, or a file with its public half.

use std::path::Path;

use super::add::{Input, read_keys};
use super::{Error, WorkTree};
use crate::context::Context;
use crate::id::nearest;
use crate::keys::{KeyName, KeyStore, TrustDir};
use crate::project::Project;
use crate::trust::{PublicKey, RevocationList, TrustedKey, is_principal, parse_allowed_signers};

/// The least digits of a key's id or fingerprint that name it.
const SHORTEST: usize = 4;

/// A key with a decision, or the person's own.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) key: PublicKey,
    pub(super) principals: Vec<String>,
    /// Which it is, if it is one of the person's two keys.
    pub(super) own: Option<&'static str>,
}

impl Known {
    /// Makes sure that some line names the key: the person's own keys have none, and need none.
    pub(super) fn check_lines(&self, lines: &[TrustedKey], place: &'static str) -> Result<(), Error> {
        let key_id = || self.key.key_id();
        match self.own {
            _ if lines.iter().any(|line| line.key == self.key) => Ok(()),
            Some(name) => Err(Error::Own { key_id: key_id(), name }),
            None => Err(Error::NoLine { key_id: key_id(), place }),
        }
    }
}

/// Finds the one key that a name means.
pub(super) fn find(project: &Project, name: &str) -> Result<Known, Error> {
    let known = every(project)?;
    let is_named = |known: &&Known| {
        known.key.key_id().as_str() == name
            || known.key.fingerprint() == name
            || known.principals.iter().flat_map(|principals| principals.split(',')).any(|one| one.trim() == name)
    };
    let mut meant: Vec<&Known> = known.iter().filter(is_named).collect();
    let is_file = || project.context().current_dir().join(name).is_file();
    if meant.is_empty() && !is_file() {
        meant = known.iter().filter(|known| begins_with(&known.key, name)).collect();
    }
    match meant.as_slice() {
        [one] => Ok((*one).clone()),
        [] => in_file(project.context(), name, &known),
        several => Err(Error::Ambiguous {
            name: name.to_owned(),
            key_ids: several.iter().map(|known| known.key.key_id()).collect(),
        }),
    }
}

/// Tells whether a name is the beginning of a key's id or fingerprint, and long enough for one.
fn begins_with(key: &PublicKey, name: &str) -> bool {
    let digits = name.trim_start_matches("SHA256:");
    let fingerprint = key.fingerprint();
    digits.len() >= SHORTEST
        && (key.key_id().as_str().starts_with(name)
            || fingerprint.starts_with(name)
            || fingerprint.trim_start_matches("SHA256:").starts_with(name))
}

fn in_file(ctx: &Context, name: &str, known: &[Known]) -> Result<Known, Error> {
    let path = Path::new(name);
    if !ctx.current_dir().join(path).is_file() {
        return Err(unknown(name, known));
    }
    let input = Input::File(path.to_path_buf());
    let mut keys = read_keys(ctx, &input)?;
    keys.dedup_by_key(|key| key.key.fingerprint());
    match keys.as_slice() {
        [one] => Ok(known.iter().find(|known| known.key == one.key).cloned().unwrap_or_else(|| Known {
            key: one.key,
            principals: Vec::from_iter(is_principal(&one.principal).then(|| one.principal.clone())),
            own: None,
        })),
        several => Err(Error::Ambiguous {
            name: name.to_owned(),
            key_ids: several.iter().map(|key| key.key.key_id()).collect(),
        }),
    }
}

fn unknown(name: &str, known: &[Known]) -> Error {
    // Too short to be taken, and perhaps unique today only.
    let begun = known.iter().map(|known| known.key.key_id().to_string()).find(|id| id.starts_with(name));
    if let Some(id) = begun.filter(|_| !name.is_empty()) {
        return Error::Unknown { name: name.to_owned(), nearest: Some(id) };
    }
    let mut names = Vec::new();
    for known in known {
        names.push(known.key.key_id().to_string());
        names.push(known.key.fingerprint());
        names.extend(known.principals.iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()));
    }
    // A shared domain makes no name near.
    let local = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
    let is_near = |found: &&str| nearest(&local(name), [local(found).as_str()]).is_some();
    let nearest = nearest(name, names.iter().map(String::as_str)).filter(is_near).map(str::to_owned);
    Error::Unknown { name: name.to_owned(), nearest }
}

/// Gathers every key of the person's files, of what they accepted, and of what the project at hand proposes.
fn every(project: &Project) -> Result<Vec<Known>, Error> {
    let ctx = project.context();
    let (store, dir) = (KeyStore::new(ctx)?, TrustDir::new(ctx)?);
    let mut every = Vec::new();
    for name in [KeyName::Person, KeyName::Agent] {
        let own = store.find_public(name)?;
        every.extend(own.map(|key| Known {
            key,
            principals: vec![if name == KeyName::Person { "you" } else { "rye-agent" }.to_owned()],
            own: Some(name.as_str()),
        }));
    }
    project.keys().iter().for_each(|key| insert(&mut every, key.key, Some(&key.principal)));
    dir.decisions()?.iter().for_each(|key| insert(&mut every, key.key, Some(&key.principal)));
    insert_revoked(&mut every, &dir.revoked()?);
    if let Some((keys, revoked)) = proposed(project) {
        keys.iter().for_each(|key| insert(&mut every, key.key, Some(&key.principal)));
        insert_revoked(&mut every, &revoked);
    }
    Ok(every)
}

/// Reads what the project proposes as far as it can be read, signed or not.
fn proposed(project: &Project) -> Option<(Vec<TrustedKey>, RevocationList)> {
    let files = WorkTree::open(project).and_then(|work_tree| work_tree.read()).ok()?;
    let signers = files.allowed_signers.unwrap_or_default();
    let keys = parse_allowed_signers(signers, "", &project.context().zone()).keys;
    let revoked = RevocationList::parse(&files.revoked.unwrap_or_default(), "").unwrap_or_default();
    Some((keys, revoked))
}

fn insert_revoked(every: &mut Vec<Known>, list: &RevocationList) {
    list.iter().for_each(|revoked| insert(every, revoked.key, None));
}

fn insert(every: &mut Vec<Known>, key: PublicKey, principal: Option<&str>) {
    let at = every.iter().position(|known| known.key == key).unwrap_or_else(|| {
        every.push(Known { key, principals: Vec::new(), own: None });
        every.len() - 1
    });
    let known = &mut every[at].principals;
    known.extend(principal.filter(|name| !known.iter().any(|known| known == name)).map(str::to_owned));
}
