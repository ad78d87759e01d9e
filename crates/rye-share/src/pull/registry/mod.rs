//! Items of registries: a version of each, with all that it needs, put into a space.
//!
//! [`plan`] fetches, checks and chooses, and writes nothing into a space; [`perform`] writes the decision to trust, the namespaces,
//! companions, items and last the lock. Commit point of each file: the rename of a flushed temporary file; a run that was killed is
//! completed by the same command.

mod changes;
mod error;
mod files;
mod options;
mod outcome;
mod outdated;
mod powers;
mod resolve;
mod skill;
mod sources;
mod target;
mod update;

pub use self::changes::ItemChange;
use self::changes::more_powers;
pub use self::error::Error;
pub use self::files::{LooseFile, write_files};
pub use self::options::{Mode, Options, Wanted};
use self::outcome::entry;
pub use self::outcome::{NewTrust, Outcome, Plan, PlannedItem, Pulled};
pub use self::outdated::{OutdatedItem, Standing, outdated_items};
use self::resolve::{Chosen, resolve};
use self::sources::{Origin, Sources, namespace_of};
pub use self::update::updatable;
use super::error::Error as PullError;
use super::lock;
use super::plan::{decide, decision, judged};
use crate::format::registry_files::{Lock, LockEntry};
use crate::id::ItemType;
use crate::project::Project;
use crate::registry::{Package, Release, edit_known};
use crate::session::Session;
use crate::trust::{Subject, TrustedKey};

/// Finds out what would be pulled, and whose keys would have to be trusted for it.
///
/// # Errors
///
/// Fails when a registry cannot be read or fails a check, when no version will do, and when something else is in an item's
/// place.
pub fn plan(session: &Session, options: &Options) -> Result<Plan, Error> {
    let project = session.project();
    let lock = lock::read(project, options.space)?;
    let of_lock = options.wanted.is_empty();
    if of_lock && !options.mode.is_locked {
        return Err(Error::NothingNamed);
    }
    if of_lock && project.workspace().lock_file(options.space)?.is_none() {
        return Err(Error::NoLock { path: lock::shown(options.space) });
    }
    if of_lock && lock.entries().is_empty() {
        return Ok(Plan { items: Vec::new(), trust: Vec::new(), space: options.space, lock, is_locked: true });
    }
    let sources = Sources::new(session, options)?;
    let mut plan =
        Plan { items: Vec::new(), trust: Vec::new(), space: options.space, lock, is_locked: options.mode.is_locked };
    let chosen = resolve(&sources, options, &plan.lock)?;
    if options.to.is_some() && chosen.iter().all(|one| one.version.release.item_type != ItemType::Skill) {
        return Err(PullError::Flag { flag: "--to", what: "items that are not skills" }.into());
    }
    for chosen in chosen {
        let source = sources.open(&chosen.registry)?;
        let package = source.package(&chosen.version)?;
        let is_other = is_other(&sources, &plan.lock, &chosen)?;
        add(project, options, &mut plan, (chosen, Origin::of(&source)), package, is_other)?;
    }
    Ok(plan)
}

fn add(
    project: &Project,
    options: &Options,
    plan: &mut Plan,
    (chosen, origin): (Chosen, Origin),
    package: Package,
    is_other: bool,
) -> Result<(), Error> {
    let release = &chosen.version.release;
    if is_other && (options.mode.is_locked || !options.force) {
        let (item_type, item_id, registry) = (release.item_type, release.id.clone(), chosen.registry);
        return Err(Error::LockMismatch { item_type, item_id, registry });
    }
    let (item_type, item_id, extension) = (release.item_type, release.id.clone(), release.extension.clone());
    let subject = Subject { item_type, item_id, extension };
    let (verdict, unknown) = judged(project, options.space, subject, package.item())?;
    if unknown {
        let (registry, key) = (chosen.registry.clone(), chosen.version.key);
        let wanted = NewTrust { namespace: namespace_of(&release.id)?, fingerprint: key.fingerprint(), registry, key };
        if !plan.trust.contains(&wanted) {
            plan.trust.push(wanted);
        }
    }
    let target = match release.item_type {
        ItemType::Skill => skill::look(project, options, &plan.lock, release, &package)?,
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => {
            target::look(project, options, &plan.lock, release, &package)?
        }
    };
    let Chosen { registry, version, deprecated, is_needed, .. } = chosen;
    plan.items.push(PlannedItem { registry, origin, version, package, target, verdict, deprecated, is_needed });
    Ok(())
}

/// Tells whether the lock has other bytes for a version, or has it from another registry.
fn is_other(sources: &Sources<'_>, lock: &Lock, chosen: &Chosen) -> Result<bool, Error> {
    let Release { item_type, id, version, sha256, .. } = &chosen.version.release;
    match lock.find(*item_type, id).filter(|entry| entry.version == *version) {
        Some(entry) => Ok(entry.sha256 != *sha256 || sources.of_entry(entry)? != chosen.registry),
        None => Ok(false),
    }
}

/// Writes the plan. With `trusts` the keys of [`Plan::trust`] count from now on for their namespaces.
///
/// # Errors
///
/// Fails with [`PullError::LockMoved`], and nothing written, when another program pulled since the plan was made. Fails when a
/// decision or a file cannot be written, or a file changed meanwhile. Files written before stay.
pub fn perform(project: &Project, plan: &Plan, trusts: bool) -> Result<Outcome, Error> {
    let _held = lock::hold(project, plan.space, &plan.lock)?;
    if trusts {
        decide(project, &plan.trust.iter().map(NewTrust::decision).collect::<Vec<_>>())?;
    }
    // A project's lock, which the person did not confirm, does not say where a namespace of the person's comes from.
    if !plan.is_locked {
        edit_known(project.context(), |list| -> Result<(), Error> {
            for item in &plan.items {
                let namespace = namespace_of(&item.version.release.id)?;
                list.namespaces.entry(namespace).or_insert_with(|| item.registry.clone());
            }
            Ok(())
        })?;
    }
    let (mut pulled, mut staged) = (Vec::new(), Vec::new());
    for item in &plan.items {
        staged.extend(item.write(project, plan.space)?);
        pulled.push(item.pulled(plan.space, more_powers(item), trusts));
    }
    let mut lock = plan.lock.clone();
    for item in &plan.items {
        renamed(&mut lock, item);
        lock.put(entry(item, &plan.lock));
        let what = (&item.version.release, &item.package, &item.target);
        skill::record(&mut lock, &item.origin.name, what, &item.version.key)?;
    }
    let path = lock::write(project, plan.space, &plan.lock, &lock)?;
    for old in staged {
        old.finish()?;
    }
    Ok(Outcome { pulled, lock: path })
}

/// Says of entries of format 1, which have the registry by the person's name for it, which one it is.
fn renamed(lock: &mut Lock, item: &PlannedItem) {
    let is_of_it = |entry: &&LockEntry| entry.registry_key.is_none() && entry.registry == item.registry;
    let entries: Vec<LockEntry> = lock.entries().iter().filter(is_of_it).cloned().collect();
    for entry in entries {
        lock.put(LockEntry { registry: item.origin.name.clone(), registry_key: item.origin.key.clone(), ..entry });
    }
}

impl NewTrust {
    fn decision(&self) -> TrustedKey {
        let (registry, namespace) = (self.registry.to_string(), self.namespace.to_string());
        decision(self.key, format!("{namespace}@{registry}"), registry, namespace)
    }
}
