//! Skills that a commit would take otherwise than they are signed: a commit signs no skill by itself, and takes none that its
//! manifest does not fit, nor a manifest without the files that it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::super::locate::{
    CommitTree, LocateError, SkillsInTree, expanded_staged, skill_paths_in, staged_skill_paths, subject_at,
};
use super::change::{Changes, Reach, lies_in};
use super::error::Error;
use super::skill_entries::{Taken, by_skill, differing};
use super::staged_tree::StagedTree;
use crate::capability::ProjectPath;
use crate::context::{ContextError, ProjectConfig};
use crate::format;
use crate::git::{BlobId, CommitId, InWorkTree, Mode, Repository, StagedEntry, TreeEntry, TreeFiles};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};
use crate::item::{ATTRIBUTES, FileEntry, ItemFiles, SkillFault, SkillFolder, SkillManifest};
use crate::project::Project;
use crate::trust::{TrustFile, trust_file_path};
use crate::workspace::{FolderFiles, MAX_CONFIG_BYTES, MAX_ITEM_BYTES, SkillPaths, SkillPlace, is_alike};

/// The most files that a folder of skills may hold in a commit.
const MAX_ENTRIES: usize = 200_000;

/// Finds the skills that a commit would take in another state than that which is signed, where folder or manifest is
/// new to it. `staged` has the staged files below `.ai`, and `changes` those that the commit takes of them and of the
/// work tree.
///
/// # Errors
///
/// Fails when index, objects or files cannot be read.
pub(super) fn faults(
    project: &Project,
    reach: Reach<'_>,
    staged: &[StagedEntry],
    changes: &Changes,
) -> Result<Vec<LocateError>, Error> {
    let repository = project.require_repository()?;
    let head = repository.head()?.commit_id().cloned();
    let commit = Commit { project, repository, head, reach };
    let config = match commit.config(staged)? {
        Ok(config) => config,
        Err(error) => return Ok(vec![error]),
    };
    let manifests = commit.manifests(staged, changes)?;
    let config_before = commit.config_before()?;
    let configs = [config, config_before.clone()];
    let asks = configs.iter().flatten().any(|config| config.skills.paths.is_some());
    // Whoever removes the last manifest, or the setting, does not end the judgement by it.
    if !asks && manifests.before.is_empty() && manifests.after.is_empty() {
        return Ok(Vec::new());
    }
    let (mut paths, known_faults) = commit.skill_paths()?;
    let [config, _] = configs;
    let named = |config: Option<ProjectConfig>| config.and_then(|config| config.skills.paths).unwrap_or_default();
    let expand = |paths| expanded_staged(&commit.repository, None, paths);
    paths.required.extend(expand(named(config))?);
    // Of the folders that only the last commit names, those skills count that are not signed.
    let left: BTreeSet<ProjectPath> =
        expand(named(config_before))?.into_iter().filter(|path| !paths.required.contains(path)).collect();
    paths.required.extend(left.iter().cloned());
    let mut names = manifests.changed(&commit.repository);
    let mut folders: BTreeMap<String, Vec<SkillFolder>> = BTreeMap::new();
    let mut places: Vec<(String, String, Vec<Taken>)> = Vec::new();
    let mut required: BTreeSet<String> = BTreeSet::new();
    for (path, is_offered) in paths.iter() {
        let (before, after) = (commit.before(path)?, commit.after(path)?);
        let count = before.len() + after.len();
        names.extend(differing(path, before, &after));
        if count > 0 {
            let skills = by_skill(path, after).into_iter().map(|(name, taken)| (name, path.to_string(), taken));
            let skills = skills.filter(|(name, ..)| !left.contains(path) || !manifests.has(name));
            // Offered skills come last: they count if they are signed, and no other folder has the name.
            let is_counted = |name: &String| !is_offered || manifests.has(name) && !required.contains(name);
            let skills: Vec<_> = skills.filter(|(name, ..)| is_counted(name)).collect();
            required.extend(skills.iter().filter(|_| !is_offered).map(|(name, ..)| name.clone()));
            places.extend(skills);
        }
    }
    for (name, path, taken) in places.into_iter().filter(|(name, ..)| names.contains(name)) {
        folders.entry(name.clone()).or_default().push(commit.folder(&path, &name, &taken)?);
    }
    let mut faults = Vec::new();
    for name in names {
        let of_name = folders.remove(&name).unwrap_or_default();
        faults.extend(commit.fault(&name, (&of_name, !required.contains(&name)), &manifests)?);
    }
    faults.extend(commit.places(&paths, &manifests, known_faults)?);
    Ok(faults)
}

/// A commit that is about to be made.
struct Commit<'a> {
    project: &'a Project,
    repository: Repository,
    head: Option<CommitId>,
    reach: Reach<'a>,
}

/// The files of a skill as a commit would have them: from objects, and those that are named from the work tree.
struct TakenFiles<'r> {
    stored: TreeFiles<'r>,
    here: Option<(FolderFiles, BTreeSet<String>)>,
}

impl ItemFiles for TakenFiles<'_> {
    type Error = LocateError;

    fn names(&self) -> Vec<String> {
        let here = self.here.iter().flat_map(|(_, names)| names.iter().cloned());
        self.stored.names().into_iter().chain(here).collect()
    }

    fn entry(&self, name: &str, most: u64) -> Result<Option<FileEntry>, LocateError> {
        match &self.here {
            Some((files, names)) if names.contains(name) => Ok(files.entry(name, most)?),
            Some(_) | None => Ok(self.stored.entry(name, most)?),
        }
    }
}

/// The manifests that the last commit has, and those that the next would have, by their paths.
struct Manifests {
    before: BTreeMap<String, BlobId>,
    after: BTreeMap<String, Bytes>,
}

/// The bytes of a manifest.
enum Bytes {
    Blob(BlobId),
    Here(Vec<u8>),
}

impl Manifests {
    /// Tells whether the commit would have a manifest for a skill.
    fn has(&self, name: &str) -> bool {
        self.after.keys().any(|path| subject_at(path).is_some_and(|subject| subject.item_id.name() == name))
    }

    /// Returns the names of the skills whose manifests the commit changes.
    fn changed(&self, repository: &Repository) -> BTreeSet<String> {
        let id = |bytes: &Bytes| match bytes {
            Bytes::Blob(blob_id) => blob_id.clone(),
            Bytes::Here(bytes) => repository.blob_id_of(bytes),
        };
        let is_same = |path: &String| self.before.get(path) == self.after.get(path).map(id).as_ref();
        let paths = self.before.keys().chain(self.after.keys()).filter(|path| !is_same(path));
        paths.filter_map(|path| Some(subject_at(path)?.item_id.name().to_owned())).collect()
    }
}

impl Commit<'_> {
    const fn index_file(&self) -> Option<&Path> {
        if let Reach::Staged(index_file) = self.reach { index_file } else { None }
    }

    /// Finds the folders of skills here, in the index and in the last commit; with what is wrong with those of the last commit.
    fn skill_paths(&self) -> Result<(SkillPaths, Vec<(String, SkillFault)>), Error> {
        let mut paths = self.project.skill_paths(Space::Project)?;
        paths.extend(staged_skill_paths(&self.repository, self.index_file())?);
        let Some(head) = &self.head else { return Ok((paths, Vec::new())) };
        let known = skill_paths_in(&self.repository, head)?;
        let faults = known.faults();
        paths.extend(known);
        Ok((paths, faults))
    }

    /// Reads the project's configuration as it is staged. One that the commit brings must be one that can be used.
    fn config(&self, staged: &[StagedEntry]) -> Result<Result<Option<ProjectConfig>, LocateError>, Error> {
        let path = trust_file_path(TrustFile::Config.as_str());
        let Some(entry) = staged.iter().find(|entry| entry.path == path) else { return Ok(Ok(None)) };
        let before = match &self.head {
            Some(head) => self.repository.entry_at(head, &path)?,
            None => None,
        };
        let is_new = before.is_none_or(|before| (before.mode, &before.blob_id) != (entry.mode, &entry.blob_id));
        let bytes = self.repository.blob_within(&entry.blob_id, MAX_CONFIG_BYTES)?.unwrap_or_default();
        match ProjectConfig::parse(Path::new(&path), &bytes) {
            Ok(config) => Ok(Ok(Some(config))),
            Err(error) if is_new => Ok(Err(ContextError::from(error).into())),
            Err(_) => Ok(Ok(None)),
        }
    }

    /// Reads the configuration of the last commit; none where it cannot be used.
    fn config_before(&self) -> Result<Option<ProjectConfig>, Error> {
        let path = trust_file_path(TrustFile::Config.as_str());
        let Some(head) = &self.head else { return Ok(None) };
        let Some(entry) = self.repository.entry_at(head, &path)? else { return Ok(None) };
        let bytes = self.repository.blob_within(&entry.blob_id, MAX_CONFIG_BYTES)?.unwrap_or_default();
        Ok(ProjectConfig::parse(Path::new(&path), &bytes).ok())
    }

    /// Finds what the commit brings into the place of skills, and the last one does not have.
    fn places(
        &self,
        paths: &SkillPaths,
        manifests: &Manifests,
        mut before: Vec<(String, SkillFault)>,
    ) -> Result<Vec<LocateError>, Error> {
        let tops = paths.iter().filter_map(|(path, _)| path.as_str().split('/').next());
        let tops: BTreeSet<&str> = tops.chain([ATTRIBUTES]).collect();
        let is_wanted = |name: &str| tops.iter().any(|top| name == *top || is_alike(name, top));
        let root = self.project.root()?;
        let after = StagedTree::read((&self.repository, self.head.as_ref(), root), self.reach, is_wanted)?;
        if let Some(commit_id) = &self.head {
            let tree = CommitTree { repository: &self.repository, commit_id };
            before.extend(SkillsInTree::read(&tree, &paths.nameable(), |name| manifests.has(name))?.faults());
        }
        let after = SkillsInTree::read(&after, paths, |name| manifests.has(name))?;
        let brought = after.faults().filter(|fault| !before.contains(fault));
        Ok(brought.map(|(path, fault)| LocateError::SkillPlace { path: path.into(), fault }).collect())
    }

    fn manifests(&self, staged: &[StagedEntry], changes: &Changes) -> Result<Manifests, Error> {
        let folder = format!("{SPACE_FOLDER}/{}", ItemType::Skill.folder());
        let is_manifest = |path: &str| {
            path.starts_with(&folder) && subject_at(path).is_some_and(|subject| subject.item_type == ItemType::Skill)
        };
        let is_file = |mode: Mode| matches!(mode, Mode::File | Mode::Executable);
        let mut before = BTreeMap::new();
        if let Some(head) = &self.head {
            let entries = self.repository.entries_below(head, &folder, MAX_ENTRIES)?.into_iter();
            let entries = entries.filter(|entry| is_file(entry.mode) && is_manifest(&entry.path));
            before.extend(entries.map(|entry| (entry.path, entry.blob_id)));
        }
        let mut after: BTreeMap<String, Bytes> = BTreeMap::new();
        match self.reach {
            // Such a commit ignores files that are only staged.
            Reach::Paths(_) => after.extend(before.iter().map(|(path, id)| (path.clone(), Bytes::Blob(id.clone())))),
            Reach::Staged(_) | Reach::All => {
                let entries = staged.iter().filter(|entry| is_file(entry.mode) && is_manifest(&entry.path));
                after.extend(entries.map(|entry| (entry.path.clone(), Bytes::Blob(entry.blob_id.clone()))));
            }
        }
        changes.removed.iter().for_each(|path| drop(after.remove(path)));
        let changed = changes.changed.iter().filter(|change| is_manifest(&change.path));
        after.extend(changed.map(|change| (change.path.clone(), Bytes::Here(change.raw.content().clone()))));
        Ok(Manifests { before, after })
    }

    /// Lists what the last commit has below a path.
    fn before(&self, path: &ProjectPath) -> Result<BTreeSet<Taken>, Error> {
        let Some(head) = &self.head else { return Ok(BTreeSet::new()) };
        let entries = self.repository.entries_below(head, path.as_str(), MAX_ENTRIES)?.into_iter();
        Ok(entries.map(|entry| Taken { path: entry.path, mode: entry.mode, blob_id: Some(entry.blob_id) }).collect())
    }

    /// Lists what the commit would have below a path.
    fn after(&self, path: &ProjectPath) -> Result<Vec<Taken>, Error> {
        let staged = self.repository.staged_below(path.as_str(), self.index_file())?.into_iter();
        let Reach::Paths(named) = self.reach else {
            let taken = |entry: StagedEntry| Taken { path: entry.path, mode: entry.mode, blob_id: Some(entry.blob_id) };
            return Ok(staged.map(taken).collect());
        };
        // Of named files, those that git knows, as they are in the work tree; of all others the last commit's version.
        let mut after: Vec<Taken> = self.before(path)?.into_iter().collect();
        after.retain(|taken| !lies_in(&taken.path, named));
        for StagedEntry { path, mode, blob_id, in_work_tree, .. } in staged.filter(|it| lies_in(&it.path, named)) {
            match in_work_tree {
                InWorkTree::Absent => {}
                InWorkTree::Same | InWorkTree::LeftOut => after.push(Taken { path, mode, blob_id: Some(blob_id) }),
                InWorkTree::Different => after.push(Taken { path, mode, blob_id: None }),
            }
        }
        after.sort();
        Ok(after)
    }

    /// Reads a folder as the commit would have it.
    fn folder(&self, path: &str, name: &str, taken: &[Taken]) -> Result<SkillFolder, Error> {
        let folder = format!("{path}/{name}");
        let is_here = |taken: &&Taken| taken.blob_id.is_none();
        let here = if taken.iter().any(|taken| is_here(&taken)) { self.here(&folder)? } else { None };
        let names =
            taken.iter().filter(is_here).filter_map(|taken| taken.path.strip_prefix(&folder)?.strip_prefix('/'));
        let entry = |Taken { path, mode, blob_id }: &Taken| {
            Some(TreeEntry { path: path.clone(), mode: *mode, blob_id: blob_id.clone()? })
        };
        let stored = TreeFiles::new(&self.repository, &folder, taken.iter().filter_map(entry));
        let here = here.map(|here| (here, names.map(str::to_owned).collect()));
        Ok(SkillFolder::read(&folder, &TakenFiles { stored, here })?)
    }

    /// Reads a folder as it is in the work tree; none where it cannot be read.
    fn here(&self, folder: &str) -> Result<Option<FolderFiles>, LocateError> {
        let place = SkillPlace::of(folder);
        match self.project.skill_files(Space::Project, &place) {
            Ok(files) => Ok(Some(files)),
            Err(LocateError::Workspace(error)) if error.of_one_file().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Says what keeps a skill from being committed. Of folders that are only offered, one that is signed is enough.
    fn fault(
        &self,
        name: &str,
        (folders, is_offered): (&[SkillFolder], bool),
        manifests: &Manifests,
    ) -> Result<Option<LocateError>, Error> {
        let mut own = Vec::new();
        for (path, bytes) in &manifests.after {
            let Some(subject) = subject_at(path).filter(|subject| subject.item_id.name() == name) else { continue };
            let bytes = match bytes {
                Bytes::Blob(blob_id) => self.repository.blob_within(blob_id, MAX_ITEM_BYTES)?.unwrap_or_default(),
                Bytes::Here(bytes) => bytes.clone(),
            };
            own.push((subject.item_id, format::skill_manifest(&bytes), bytes));
        }
        let Some(item_id) = own.first().map(|(id, ..)| id.clone()).or_else(|| name.parse().ok()) else {
            return Ok(None);
        };
        let first = folders.first().map(|folder| folder.path.clone()).unwrap_or_default();
        let fault = match (own.is_empty(), folders.is_empty()) {
            (true, true) => return Ok(None),
            (true, false) => {
                LocateError::SkillUnsigned { item_id: item_id.clone(), path: PathBuf::from(first), signed_as: None }
            }
            (false, true) => changed(&item_id, "", vec![SkillFault::NoFolder]),
            (false, false) => {
                let compared = |folder: &SkillFolder| -> Vec<SkillFault> {
                    let of = |(_, manifest, _): &(ItemId, Option<SkillManifest>, Vec<u8>)| match manifest {
                        Some(manifest) => folder.compare(manifest),
                        None => vec![SkillFault::NoManifest],
                    };
                    own.iter().flat_map(of).collect()
                };
                if is_offered && folders.iter().any(|folder| compared(folder).is_empty()) {
                    return Ok(None);
                }
                let mut compared = folders.iter().map(|folder| (folder, compared(folder)));
                let Some((folder, faults)) = compared.find(|(_, faults)| !faults.is_empty()) else { return Ok(None) };
                changed(&item_id, &folder.path, faults)
            }
        };
        let is_staged = |id: &ItemId, here: &[u8]| own.iter().any(|(known, _, bytes)| known == id && bytes == here);
        let paths = self.not_staged(name, folders, is_staged)?;
        let is_ignored = !self.repository.ignored(paths.iter().map(String::as_str))?.is_empty();
        Ok(Some(if paths.is_empty() { fault } else { LocateError::SkillNotStaged { item_id, paths, is_ignored } }))
    }

    /// Returns what of a skill is not taken as it is in the work tree, if folders and manifests fit each other there.
    fn not_staged(
        &self,
        name: &str,
        folders: &[SkillFolder],
        is_taken: impl Fn(&ItemId, &[u8]) -> bool,
    ) -> Result<Vec<String>, Error> {
        let project = self.project;
        let known = project.known_skills(Space::Project)?.into_iter();
        let (mut paths, mut signed) = (BTreeSet::new(), Vec::new());
        let mut places = Vec::new();
        for skill in known.filter(|skill| skill.candidate.id.name() == name && skill.has_manifest) {
            let bytes = project.workspace().read(&skill.candidate).map_err(LocateError::from)?;
            let path = super::super::locate::project_path(&skill.candidate);
            let Some(manifest) = format::skill_manifest(&bytes) else { return Ok(Vec::new()) };
            signed.push(manifest);
            if !is_taken(&skill.candidate.id, &bytes) {
                paths.insert(path);
            }
            places = skill.places;
        }
        for place in &places {
            let here = project.skill_folder(Space::Project, place)?;
            if !signed.iter().all(|manifest| here.compare(manifest).is_empty()) {
                return Ok(Vec::new());
            }
            if !folders.iter().any(|folder| folder.path == here.path && folder.files() == here.files()) {
                paths.insert(place.path.clone());
            }
        }
        Ok(if places.is_empty() { Vec::new() } else { paths.into_iter().collect() })
    }
}

fn changed(item_id: &ItemId, path: &str, faults: Vec<SkillFault>) -> LocateError {
    LocateError::SkillChanged { item_id: item_id.clone(), path: PathBuf::from(path), faults }
}
