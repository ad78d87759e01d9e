//! `registry`: make one, say which are used, look at one, check all of it, and change it.
//!
//! Commit points: making a registry is the move of its branch; a change of the list the rename of `registries.toml`; a change
//! of a registry the move of its branch, as for `publish`.

mod change;
mod checkpoint;
mod error;
mod outcome;
mod verify;

use std::path::{Path, PathBuf};

pub use self::change::{Change, OwnerChange, change, check, read_owner};
pub use self::checkpoint::checkpoint;
pub use self::error::Error;
pub use self::outcome::{
    ChangeOutcome, ChangeStatus, CheckpointOutcome, Info, InitOutcome, ItemInfo, KnownOutcome, ListOutcome,
    NamespaceInfo, VerifyOutcome,
};
pub use self::verify::verify;
use crate::format::registry_files::{Claims, KnownRegistry, RegistryConfig};
use crate::git::Terminal;
use crate::id::{Age, Segment};
use crate::keys::TrustDir;
use crate::project::Project;
use crate::registry::{self, Registry, Sparse, create, edit_known, forget, is_static, known, registry_url};
use crate::session::Session;
use crate::trust::Signer;

/// What to make.
#[derive(Debug, Clone)]
pub struct InitOptions {
    /// The folder.
    pub dir: PathBuf,
    /// Its name; none means that of the folder.
    pub name: Option<Segment>,
    /// Who may claim a namespace.
    pub claims: Claims,
    /// After how long without a new line it counts as stale.
    pub max_age: Option<Age>,
}

/// Makes a registry in a folder; its first line is signed by `signer`.
///
/// # Errors
///
/// Fails when there is a registry or something else, and when the key does not sign.
pub fn init(project: &Project, options: &InitOptions, signer: &dyn Signer) -> Result<InitOutcome, Error> {
    let ctx = project.context();
    let path = ctx.current_dir().join(&options.dir);
    let name = options.name.clone().or_else(|| name_of(&path)).ok_or_else(|| Error::NoName { path: path.clone() })?;
    let config = RegistryConfig { name, claims: options.claims, reserved: Vec::new(), max_age: options.max_age };
    let commit_id = create(ctx, &path, &config, signer)?;
    let path = path.canonicalize().unwrap_or(path).display().to_string();
    Ok(InitOutcome {
        name: config.name,
        path,
        claims: config.claims,
        commit_id,
        fingerprint: signer.public().fingerprint(),
    })
}

/// Takes the name of a registry from that of its folder: `team.git` is `team`.
fn name_of(path: &Path) -> Option<Segment> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".git").unwrap_or(name).parse().ok()
}

/// Lists the registries that the person uses.
pub fn list(project: &Project) -> Result<ListOutcome, Error> {
    let list = known(project.context())?;
    let registries = list.registries.into_iter().map(|known| {
        let from = list.namespaces.iter().filter(|(_, registry)| **registry == known.name);
        let namespaces = from.map(|(namespace, _)| namespace.clone()).collect();
        KnownOutcome { name: known.name, url: known.url, namespaces, ended: Vec::new() }
    });
    Ok(ListOutcome { registries: registries.collect() })
}

/// Adds a registry, after it passed every check; of static files, after its checkpoint was proven.
///
/// # Errors
///
/// Fails when the address is not one, the name is taken, or the registry cannot be fetched or fails a check.
pub fn add(session: &Session, name: &Segment, url: &str, terminal: Terminal) -> Result<KnownOutcome, Error> {
    let ctx = session.context();
    let added = KnownRegistry { name: name.clone(), url: registry_url(ctx.current_dir(), url)? };
    let taken = |other: &KnownRegistry| {
        Error::from(registry::Error::NameTaken { name: other.name.clone(), url: other.url.clone() })
    };
    let is_same = |other: &&KnownRegistry| other.name.as_str().eq_ignore_ascii_case(name.as_str());
    match known(ctx)?.registries.iter().find(is_same) {
        Some(other) if *other != added => return Err(taken(other)),
        _ => {}
    }
    let transport = || -> Result<_, Error> { Ok(session.transport(terminal)?) };
    match is_static(&added.url) {
        true => Sparse::fetch(ctx, &added, transport).map_err(not_added)?.accept()?,
        false => drop(Registry::open(ctx, &transport()?, &added)?.refresh().map_err(Error::NotAdded)?),
    }
    edit_known(ctx, |list| match list.registries.iter().find(is_same) {
        Some(other) if *other != added => Err(taken(other)),
        Some(_) => Ok(()),
        None => {
            list.registries.push(added.clone());
            Ok(())
        }
    })?;
    Ok(KnownOutcome { name: added.name, url: added.url, namespaces: Vec::new(), ended: Vec::new() })
}

fn not_added(error: Error) -> Error {
    match error {
        Error::Registry(error) => Error::NotAdded(error),
        error => error,
    }
}

/// Takes a registry out of the list, with the namespaces that came from it and the keys that count for them, and
/// forgets its recorded state. The registry itself stays, and so do the files that were pulled from it.
///
/// # Errors
///
/// Fails when the name is unknown, or a file cannot be written.
pub fn remove(project: &Project, name: &Segment) -> Result<KnownOutcome, Error> {
    let ctx = project.context();
    let mut removed = None;
    edit_known(ctx, |list| -> Result<(), Error> {
        let found = registry::find(list, name)?.clone();
        list.registries.retain(|known| known.name != *name);
        let of_it = |registry: &Segment| registry == name;
        let namespaces = list.namespaces.iter().filter(|(_, registry)| of_it(registry)).map(|(name, _)| name.clone());
        let namespaces = namespaces.collect();
        list.namespaces.retain(|_, registry| !of_it(registry));
        removed = Some(KnownOutcome { name: found.name, url: found.url, namespaces, ended: Vec::new() });
        Ok(())
    })?;
    let ended = TrustDir::new(ctx)?.remove_registry(name)?;
    forget(ctx, name)?;
    let removed = removed.map(|removed| KnownOutcome { ended, ..removed });
    removed.ok_or_else(|| registry::Error::Unknown { name: name.to_string(), nearest: None }.into())
}

/// Tells what a registry holds.
///
/// # Errors
///
/// Fails when it cannot be fetched, or fails a check.
pub fn info(session: &Session, name: Option<&Segment>, terminal: Terminal) -> Result<Info, Error> {
    let known = choose(session.project(), name)?;
    let mut registry = Registry::open(session.context(), &session.transport(terminal)?, &known)?;
    let snapshot = registry.refresh()?;
    Ok(outcome::info(&known, &snapshot))
}

/// Finds the registry that is meant: the one of the name, or the only one.
fn choose(project: &Project, name: Option<&Segment>) -> Result<KnownRegistry, Error> {
    let list = known(project.context())?;
    match (name, list.registries.as_slice()) {
        (Some(name), _) => Ok(registry::find(&list, name)?.clone()),
        (None, [only]) => Ok(only.clone()),
        (None, []) => Err(Error::NoRegistry),
        (None, several) => {
            Err(Error::WhichRegistry { names: several.iter().map(|known| format!("`{}`", known.name)).collect() })
        }
    }
}
