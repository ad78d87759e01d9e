//! A skill of a registry: its files go where clients read them, and its manifest to `.ai/skills`.

use std::collections::BTreeMap;

use super::error::Error;
use super::options::Options;
use super::skills;
use super::target::{SkillTarget, Status, Target};
use crate::format;
use crate::format::registry_files::{Lock, LockedSignature, LockedSkill, SkillOrigin};
use crate::id::{ItemId, ItemType, Segment, Space};
use crate::item::{EntryKind, Item, SkillEntry, SkillFolder, SkillManifest};
use crate::ops::locate::Session;
use crate::registry::{Package, Release, UpstreamFolder};
use crate::trust::{ContentHash, PublicKey};
use crate::workspace::Staged;

/// Looks at what is in the place of a skill, and refuses local changes.
pub(super) fn look(
    session: &Session,
    options: &Options,
    lock: &Lock,
    release: &Release,
    package: &Package,
) -> Result<Target, Error> {
    let Release { id, version, .. } = release;
    let manifest = manifest(release, package)?;
    let folder = place(session, options, lock, id)?;
    let digest = skills::digest_here(session, options.space, &folder).map_err(|error| failed(id, error))?;
    let before = skills::signature_here(session, options.space, id).map_err(|error| failed(id, error))?;
    let locked = lock.skill(id);
    let signed_here = before.as_deref().and_then(|bytes| read(release, bytes)).map(|manifest| manifest.digest());
    let is_locked = |bytes: &[u8]| {
        let sha256 = Some(ContentHash::of(bytes));
        lock.find(ItemType::Skill, id).map(|entry| entry.sha256) == sha256
    };
    let is_ours = |digest: ContentHash| {
        let was_pulled = locked.is_some_and(|locked| locked.folder == folder && locked.digest == digest);
        digest == manifest.digest()
            || was_pulled
            || signed_here == Some(digest) && before.as_deref().is_some_and(is_locked)
    };
    let is_other = before.as_deref().is_some_and(|bytes| bytes != package.item() && !is_locked(bytes));
    if (is_other || digest.is_some_and(|digest| !is_ours(digest))) && !options.force {
        return Err(Error::LocalChange { item_type: ItemType::Skill, item_id: id.clone(), space: options.space });
    }
    let is_same = before.as_deref() == Some(package.item()) && digest == Some(manifest.digest());
    let status = match (&before, digest) {
        (None, None) => Status::Added,
        _ if is_same => Status::Unchanged,
        _ if lock.find(ItemType::Skill, id).is_some_and(|entry| entry.version > *version) => Status::Downgraded,
        (None, Some(_)) => Status::Added,
        (Some(_), _) => Status::Replaced,
    };
    let skill = Some(SkillTarget { folder, before: digest });
    Ok(Target { status, before, elsewhere: None, companions: Vec::new(), skill })
}

/// Finds the folder of a skill: that of the lock, that which was asked for, where it lies already, or the first of `skills.paths`.
fn place(session: &Session, options: &Options, lock: &Lock, id: &ItemId) -> Result<String, Error> {
    let known = session.skill_paths(options.space);
    if let Some(path) = options.to.as_ref().filter(|path| !known.contains(path)) {
        let known = known.iter().map(|path| format!("`{path}`")).collect();
        return Err(Error::NotSkillFolder { path: path.to_string(), known });
    }
    if let Some(locked) = lock.skill(id) {
        return Ok(locked.folder.clone());
    }
    let there = session.places_of_skill(options.space, id)?.into_iter().next().map(|place| place.path);
    let first = session.context().config().skills.paths.first();
    let wanted = options.to.as_ref().map(|path| format!("{path}/{}", id.name()));
    let usual = || first.map_or_else(|| ".claude/skills".to_owned(), ToString::to_string);
    let folder = wanted.or(there).unwrap_or_else(|| format!("{}/{}", usual(), id.name()));
    match lock.skills().iter().find(|other| other.folder == folder) {
        Some(other) => Err(Error::SkillFolderTaken { folder, other: other.id.clone() }),
        None => Ok(folder),
    }
}

fn failed(id: &ItemId, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::SkillPlace { id: id.clone(), source: Box::new(error) }
}

/// Reads the manifest of a package, which was checked to be one.
fn manifest(release: &Release, package: &Package) -> Result<SkillManifest, Error> {
    let changed =
        || Error::LocalChange { item_type: ItemType::Skill, item_id: release.id.clone(), space: Space::Project };
    read(release, package.item()).ok_or_else(changed)
}

fn read(release: &Release, bytes: &[u8]) -> Option<SkillManifest> {
    match format::parse_bytes(ItemType::Skill, &release.extension, bytes).item {
        Some(Item::Skill(manifest)) => Some(*manifest),
        _ => None,
    }
}

/// Puts a skill into its place: the folder as a whole, then its manifest. What is returned is kept until the lock is written.
pub(super) fn write(
    session: &Session,
    space: Space,
    release: &Release,
    package: &Package,
    target: &Target,
) -> Result<Option<Staged>, Error> {
    let Some(SkillTarget { folder, before }) = &target.skill else { return Ok(None) };
    let files = files(folder, &manifest(release, package)?, package);
    let change = skills::Change {
        id: &release.id,
        folder,
        before: *before,
        files: Some(&files),
        signature_before: target.before.as_deref(),
        signature_after: Some(package.item()),
    };
    skills::place(session, space, &change).map_err(|error| failed(&release.id, error))
}

fn files(folder: &str, manifest: &SkillManifest, package: &Package) -> UpstreamFolder {
    let bytes: BTreeMap<String, Vec<u8>> =
        package.companions().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
    let entry = |file: &crate::item::SkillFile| {
        let bytes = bytes.get(&file.path)?;
        Some(SkillEntry { path: file.path.clone(), kind: EntryKind::file(file.executable, bytes) })
    };
    let entries = manifest.files.iter().filter_map(entry).collect();
    UpstreamFolder { folder: SkillFolder { path: folder.to_owned(), entries, is_cut: false }, bytes }
}

/// Says in the lock where a skill lies, and what lies there.
pub(super) fn record(
    lock: &mut Lock,
    registry: &Segment,
    (release, package, target): (&Release, &Package, &Target),
    key: &PublicKey,
) -> Result<(), Error> {
    let Some(SkillTarget { folder, .. }) = &target.skill else { return Ok(()) };
    let manifest = manifest(release, package)?;
    lock.put_skill(LockedSkill {
        id: release.id.clone(),
        version: manifest.version,
        folder: folder.clone(),
        digest: manifest.digest(),
        signed: Some(LockedSignature { signer: key.fingerprint(), sha256: release.sha256 }),
        origin: SkillOrigin::Registry(registry.clone()),
    });
    Ok(())
}
