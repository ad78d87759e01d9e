//! `publish`: put a version of an item, with all that it needs, into a registry.
//!
//! Two steps, so that a person can agree to exactly what becomes public: [`plan`] reads, validates and checks, and writes
//! nothing; [`publish`] reads again, refuses what differs from the plan, and adds all lines in one commit. Commit point: the
//! move of the registry's branch.

mod destination;
mod elsewhere;
mod error;
mod needs;
mod options;
mod outcome;
mod parcel;
mod skill;

use self::destination::Destination;
pub use self::error::Error;
use self::needs::{Wanted, closure};
pub use self::options::Options;
pub use self::outcome::{Outcome, Plan, Planned, Status};
use self::parcel::Packaged;
pub use self::skill::SkillPreview;
use crate::id::{ItemId, ItemType, Requirement, Segment, Version};
use crate::item::Item;
use crate::locate::LocateError;
use crate::project::Project;
use crate::redact::{Cleared, Passed};
use crate::registry::{
    Addition, Entry, MAX_NEEDS, Need, OrderedRequirement, Package, Registry, Release, Snapshot, State, edit_known,
    file_name, known, release,
};
use crate::session::Session;
use crate::trust::{ContentHash, PublicKey, Signed, Signer, TrustedKey, TrustedKeys};
use crate::workspace::Candidate;

/// Finds out what would be published, where, and under which key. Nothing is written but the mirror.
///
/// # Errors
///
/// Fails when an item is not there, not valid, not signed by `key`, has secrets, or cannot be published under its id or version; and when
/// the registry cannot be read.
pub fn plan(session: &Session, options: &Options, key: &PublicKey) -> Result<Plan, Error> {
    let destination = Destination::choose(session.context(), options)?;
    let wanted = closure(session.project(), options)?;
    let packages = packages(session.project(), options, &wanted, key)?;
    let packages = elsewhere::marked(session, options, &destination, packages)?;
    let mut plan = match &destination {
        Destination::Known(known) => {
            let transport = session.transport(options.terminal)?;
            let mut registry = Registry::open(session.context(), &transport, known)?;
            let snapshot = registry.refresh()?;
            planned(&destination, Some(snapshot.log.state()), packages, key)
        }
        Destination::New { .. } => planned(&destination, None, packages, key),
    }?;
    plan.passed = clear(session, options, &plan)?.passed().clone();
    Ok(plan)
}

/// Looks for secrets in what would be published.
fn clear(session: &Session, options: &Options, plan: &Plan) -> Result<Cleared, Error> {
    let mut inspector = session.context().inspector(&options.allow_secrets).map_err(LocateError::from)?;
    for item in plan.items.iter().filter(|item| item.status == Status::Published) {
        item.package.files().for_each(|(path, bytes)| inspector.look(path, None, bytes));
    }
    Ok(inspector.finish()?)
}

/// Publishes the plan, with the key of `signer`.
///
/// # Errors
///
/// As [`plan`]; and when an item changed since, the key does not sign, or the registry refuses the push.
pub fn publish(session: &Session, options: &Options, plan: &Plan, signer: &dyn Signer) -> Result<Outcome, Error> {
    let ctx = session.context();
    let key = signer.public();
    let wanted = closure(session.project(), options)?;
    let packages = packages(session.project(), options, &wanted, &key)?;
    let packages = elsewhere::marked(session, options, &plan.destination, packages)?;
    check_unchanged(plan, &packages)?;
    let known = plan.destination.ready(ctx, signer)?;
    let transport = session.transport(options.terminal)?;
    let mut registry = Registry::open(ctx, &transport, &known)?;
    let appended = registry.append(signer, &plan.passed, |snapshot: &Snapshot| -> Result<Addition, Error> {
        let current = planned(&plan.destination, Some(snapshot.log.state()), packages.clone(), &key)?;
        Ok(addition(&current, &key))
    })?;
    let (snapshot, is_new) = match appended {
        Some(appended) => (appended.snapshot, true),
        None => (registry.cached()?, false),
    };
    // From now on the namespaces come from there, whatever another registry has.
    edit_known(ctx, |list| -> Result<(), Error> {
        for one in packages.iter().filter(|one| one.elsewhere.is_none()) {
            if let Some(namespace) = one.release.id.namespace().and_then(|namespace| namespace.parse().ok()) {
                list.namespaces.entry(namespace).or_insert_with(|| known.name.clone());
            }
        }
        Ok(())
    })?;
    Ok(outcome::published(plan, &snapshot, is_new))
}

/// Makes the package of each item, needed ones first.
fn packages(project: &Project, options: &Options, wanted: &[Wanted], key: &PublicKey) -> Result<Vec<Packaged>, Error> {
    let mut keys = TrustedKeys::default();
    keys.add(TrustedKey::new(*key, "you", ""));
    let packaged = wanted.iter().map(|one| packaged(project, one, wanted, &keys));
    let mut packages = packaged.collect::<Result<Vec<_>, _>>()?;
    // Its needs may be published already, and are recorded in its own file.
    if let Some(main) = packages.last_mut() {
        main.release.requires_rye = options.requires_rye;
        main.skill = options.skill.as_ref().map(|signed| skill::preview(signed, &main.package));
    }
    Ok(packages)
}

fn packaged(project: &Project, one: &Wanted, all: &[Wanted], keys: &TrustedKeys) -> Result<Packaged, Error> {
    let Candidate { item_type, id, .. } = one.located.candidate.clone();
    let signed: &Signed<_, _> = &one.located.signed;
    let fault = signed.judge_line(keys).err();
    let line_ends = fault.as_ref().and_then(|fault| project.line_ends(&one.located.candidate, signed.subject(), fault));
    let version = version_of(one)?;
    let mut files = vec![(main_path(&one.located.candidate), signed.content().clone())];
    if let Item::Tool(tool) = &one.item {
        for companion in &tool.companions {
            let path = companion.path.as_str();
            let bytes = project.workspace().read_beside(one.located.candidate.space, item_type, &id, path)?;
            if ContentHash::of(&bytes) != companion.sha256 {
                return Err(Error::Companion { item_id: id, path: path.to_owned() });
            }
            files.push((companion.path.to_string(), bytes));
        }
    }
    if let Item::Skill(manifest) = &one.item {
        files.extend(skill::files(project, &one.located.candidate, manifest)?);
    }
    let needs = one.needs.iter().map(|(of, id)| need(*of, id, all)).collect::<Result<Vec<_>, _>>()?;
    if needs.len() > MAX_NEEDS {
        return Err(Error::TooMany { item_type, item_id: id, most: MAX_NEEDS });
    }
    let package = Package::of(files);
    let mut needs = needs;
    needs.sort();
    let release = release(signed.subject(), version, &package, needs);
    Ok(Packaged { release, package, fault, line_ends, elsewhere: None, skill: None })
}

fn main_path(candidate: &Candidate) -> String {
    file_name(&candidate.id, candidate.extension.as_str())
}

fn version_of(one: &Wanted) -> Result<Version, Error> {
    let Candidate { item_type, id, .. } = &one.located.candidate;
    one.item.version().ok_or_else(|| Error::NoVersion { item_type: *item_type, item_id: id.clone() })
}

/// An item is needed in the version that is here, or a later one that is compatible.
fn need(item_type: ItemType, id: &ItemId, all: &[Wanted]) -> Result<Need, Error> {
    let here = all.iter().find(|one| one.located.candidate.item_type == item_type && one.located.candidate.id == *id);
    let requirement = match here.map(version_of).transpose()? {
        Some(version) => format!("^{version}").parse().unwrap_or(Requirement::ANY),
        None => Requirement::ANY,
    };
    Ok(Need { id: id.clone(), item_type, version: OrderedRequirement(requirement) })
}

/// Compares packages with what the registry has; `state` is `None` for a registry that does not exist yet.
fn planned(
    destination: &Destination,
    state: Option<&State>,
    packages: Vec<Packaged>,
    key: &PublicKey,
) -> Result<Plan, Error> {
    let mut items = Vec::new();
    for one in packages {
        let status = status(destination, state, &one, key)?;
        let Packaged { release, package, elsewhere, skill, .. } = one;
        items.push(Planned { release, package, status, elsewhere, skill });
    }
    let registry = destination.name().clone();
    let fresh = |item: &&Planned| item.status == Status::Published;
    let namespaces = items.iter().filter(fresh).filter_map(|item| item.release.id.namespace());
    let mut claims: Vec<Segment> = namespaces
        .filter(|namespace| state.is_none_or(|state| state.owners(namespace).is_empty()))
        .filter_map(|namespace| namespace.parse().ok())
        .collect();
    claims.sort();
    claims.dedup();
    let destination = destination.clone();
    Ok(Plan { items, claims, registry, fingerprint: key.fingerprint(), destination, passed: Passed::default() })
}

fn status(destination: &Destination, state: Option<&State>, one: &Packaged, key: &PublicKey) -> Result<Status, Error> {
    if one.elsewhere.is_some() {
        return Ok(Status::Unchanged);
    }
    let release = &one.release;
    let Release { item_type, id, version, .. } = release.clone();
    let registry = destination.name().clone();
    let Some(namespace) = id.namespace().map(str::to_owned) else {
        return Err(Error::NoNamespace { item_type, item_id: id });
    };
    let is_reserved = match state {
        Some(state) => state.is_reserved(&namespace),
        None => State::new(destination.config()).is_reserved(&namespace),
    };
    if is_reserved {
        return Err(Error::Reserved { item_type, item_id: id, namespace });
    }
    let published = state.and_then(|state| state.published(item_type, &id)?.versions.get(&version));
    match published {
        Some(there) if there.release.blake3 == release.blake3 => return Ok(Status::Unchanged),
        Some(_) => return Err(Error::Published { item_type, item_id: id, version, registry }),
        None => {}
    }
    // The publisher signs only for new parts.
    if let Some(fault) = one.fault.clone() {
        let line_ends = one.line_ends.clone().map(Box::new);
        return Err(Error::Signature { item_type, item_id: id, fault, line_ends });
    }
    if state.is_some_and(|state| !state.may_publish(&namespace, key)) {
        let fingerprint = key.fingerprint();
        return Err(Error::NotOwner { item_type, item_id: id, namespace, registry, fingerprint });
    }
    Ok(Status::Published)
}

/// Returns the lines and objects of the new parts.
fn addition(plan: &Plan, key: &PublicKey) -> Addition {
    let claim = |namespace: &Segment| Entry::Owners { namespace: namespace.clone(), owners: vec![key.to_openssh()] };
    let fresh: Vec<&Planned> = plan.items.iter().filter(|item| item.status == Status::Published).collect();
    if fresh.is_empty() {
        return Addition::default();
    }
    let published = fresh.iter().map(|item| Entry::Publish(item.release.clone()));
    let entries = plan.claims.iter().map(claim).chain(published).collect();
    let objects = fresh.iter().flat_map(|item| item.package.objects()).collect();
    let last = &fresh[fresh.len() - 1].release;
    let message = format!("publish: {} {} {}", last.item_type, last.id, last.version);
    Addition { entries, objects, message }
}

fn check_unchanged(plan: &Plan, packages: &[Packaged]) -> Result<(), Error> {
    let is_same = |(item, packaged): (&Planned, &Packaged)| item.release == packaged.release;
    if plan.items.len() == packages.len() && plan.items.iter().zip(packages).all(is_same) {
        return Ok(());
    }
    let Release { item_type, id, .. } = plan.main().release.clone();
    Err(Error::Changed { item_type, item_id: id })
}

/// Returns the registries that a person uses, for whoever shows them.
pub fn registries(project: &Project) -> Result<Vec<Segment>, Error> {
    Ok(known(project.context())?.registries.into_iter().map(|known| known.name).collect())
}
