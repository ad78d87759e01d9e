//! A skill of a registry: its files go where clients read them, and its manifest to `.ai/skills`.

use std::convert::Infallible;

use super::super::error::Error as PullError;
use super::super::place::{SkillTarget, check_others, place};
use super::super::write::{Change, put_in_place};
use super::error::Error;
use super::options::Options;
use super::target::{self, Target};
use crate::format;
use crate::format::registry_files::{Lock, LockedSignature, LockedSkill, SkillOrigin};
use crate::id::{ItemType, Segment, Space};
use crate::item::{FileEntry, ItemFiles, SkillContent, SkillManifest, is_skill_name};
use crate::project::Project;
use crate::registry::{Package, Release};
use crate::trust::{ContentHash, PublicKey};
use crate::workspace::Staged;

/// Checks the existing skill, and refuses local changes.
pub(super) fn look(
    project: &Project,
    options: &Options,
    lock: &Lock,
    release: &Release,
    package: &Package,
) -> Result<Target, Error> {
    let (id, space) = (&release.id, options.space);
    let manifest = manifest(release, package)?;
    let after = manifest.digest();
    let folder = place(project, space, lock, options.to.as_ref(), id)?;
    let files = files(&manifest, package);
    check(release, &files)?;
    let skill = SkillTarget::look(project, space, id, &folder, &files)?;
    let (digest, before) = (skill.present.digest, skill.present.signed());
    let locked = lock.find(ItemType::Skill, id).map(|entry| entry.sha256);
    let is_locked = before.is_some_and(|bytes| Some(ContentHash::of(bytes)) == locked);
    let is_other = before.is_some_and(|bytes| bytes != package.item()) && !is_locked;
    let signed_here = before.and_then(format::skill_manifest).map(|manifest| manifest.digest());
    let is_ours = skill.present.is_known(lock.skill(id), after) || is_locked && signed_here == digest;
    if (is_other || !is_ours) && !options.force {
        return Err(PullError::LocalChange { item_type: ItemType::Skill, item_id: id.clone(), space }.into());
    }
    check_others(project, space, lock, (id, &folder), after)?;
    let is_same = before == Some(package.item()) && digest == Some(after);
    let status = target::status(lock, release, before.is_some(), is_same);
    let before = before.map(<[u8]>::to_vec);
    Ok(Target { status, before, elsewhere: None, companions: Vec::new(), skill: Some(skill) })
}

/// Refuses a package that is not one of a skill: publishing makes none, but a registry may have one.
fn check(Release { id, version, .. }: &Release, files: &SkillContent) -> Result<(), PullError> {
    let name = id.name();
    if !is_skill_name(name) {
        return Err(PullError::Name { name: name.to_owned() });
    }
    let faults = files.folder.faults();
    if !faults.is_empty() {
        return Err(PullError::Faulty { source_shown: format!("{id}@={version}"), faults });
    }
    Ok(())
}

/// Reads the manifest of a package, which was checked to be one.
fn manifest(release: &Release, package: &Package) -> Result<SkillManifest, Error> {
    let (item_type, item_id, space) = (ItemType::Skill, release.id.clone(), Space::Project);
    Ok(format::skill_manifest(package.item()).ok_or(PullError::LocalChange { item_type, item_id, space })?)
}

/// Puts a skill into its place: the folder as a whole, then its manifest. The returned guard is kept until the lock is
/// written.
pub(super) fn write(
    project: &Project,
    space: Space,
    release: &Release,
    package: &Package,
    target: &Target,
) -> Result<Option<Staged>, Error> {
    let Some(SkillTarget { present, .. }) = &target.skill else { return Ok(None) };
    let files = files(&manifest(release, package)?, package);
    let change = Change { id: &release.id, present, files: Some(&files), signature: Some(package.item()) };
    Ok(put_in_place(project, space, &change)?)
}

fn files(manifest: &SkillManifest, package: &Package) -> SkillContent {
    let Ok(read) = SkillContent::read("", &PackagedFiles { manifest, package });
    read
}

/// The files of a package, each with the mode that the manifest says.
struct PackagedFiles<'p> {
    manifest: &'p SkillManifest,
    package: &'p Package,
}

impl ItemFiles for PackagedFiles<'_> {
    type Error = Infallible;

    fn names(&self) -> Vec<String> {
        self.manifest.files.iter().map(|file| file.path.clone()).collect()
    }

    fn entry(&self, name: &str, most: u64) -> Result<Option<FileEntry>, Infallible> {
        let file = self.manifest.files.iter().find(|file| file.path == name);
        let bytes = self.package.companions().find(|(path, _)| *path == name).map(|(_, bytes)| bytes);
        Ok(file.zip(bytes).map(|(file, bytes)| match bytes.len() as u64 {
            size if size > most => FileEntry::Large { size },
            _ => FileEntry::File { executable: file.executable, bytes: bytes.to_vec() },
        }))
    }
}

/// Says in the lock where a skill lies, and what lies there.
pub(super) fn record(
    lock: &mut Lock,
    registry: &Segment,
    (release, package, target): (&Release, &Package, &Target),
    key: &PublicKey,
) -> Result<(), Error> {
    let Some(SkillTarget { present, .. }) = &target.skill else { return Ok(()) };
    let manifest = manifest(release, package)?;
    lock.put_skill(LockedSkill {
        id: release.id.clone(),
        version: manifest.version,
        folder: present.folder.clone(),
        digest: manifest.digest(),
        signed: Some(LockedSignature { signer: key.fingerprint(), sha256: release.sha256 }),
        origin: SkillOrigin::Registry(registry.clone()),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::format::manifest_text;
    use crate::item::SkillFile;
    use crate::registry;
    use crate::trust::Subject;

    /// Makes the release of a package, however bad, and its files.
    fn packaged(id: &str, files: &[(&str, &str)]) -> (Release, SkillContent) {
        let id: crate::id::ItemId = id.parse().unwrap();
        let listed = |(path, text): &(&str, &str)| SkillFile {
            path: (*path).to_owned(),
            executable: false,
            size: text.len() as u64,
            sha256: ContentHash::of(text.as_bytes()),
        };
        let version = "1.0.0".parse().unwrap();
        let files_listed = files.iter().map(listed).collect();
        let manifest = SkillManifest { id: id.clone(), version: Some(version), source: None, files: files_listed };
        let mut contents = vec![(format!("{}.sig", id.name()), manifest_text(&manifest).into_bytes())];
        contents.extend(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())));
        let package = Package::of(contents);
        let subject = Subject { item_type: ItemType::Skill, item_id: id, extension: "sig".parse().unwrap() };
        let folder = super::files(&manifest, &package);
        (registry::release(&subject, version, &package, Vec::new()), folder)
    }

    #[test]
    fn what_cannot_be_a_skill_is_not_pulled() {
        let check = |id: &str, files: &[(&str, &str)]| {
            let (release, folder) = packaged(id, files);
            check(&release, &folder).map_err(|error| error.to_string())
        };
        let text = ("SKILL.md", "---\nname: pdf\ndescription: x\n---\n");
        assert_eq!(check("team/pdf", &[text]), Ok(()));
        for (id, files, said) in [
            ("team/Pdf", &[text][..], "cannot be the name of a skill"),
            ("team/read_pdf", &[text], "cannot be the name of a skill"),
            ("team/pdf", &[("notes.md", "x")], "RYE-A027"),
            ("team/pdf", &[("A/x", "x"), text, ("a/y", "y")], "RYE-A032"),
            ("team/pdf", &[text, ("a/.gitattributes", "* text eol=crlf\n")], "RYE-A029"),
            ("team/pdf", &[text, ("x", "version https://git-lfs.github.com/spec/v1\n")], "RYE-A035"),
        ] {
            let error = check(id, files).unwrap_err();
            assert!(error.contains(said), "{id}: {error}");
        }
    }
}
