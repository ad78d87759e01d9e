//! Where skills lie: the folders of `skills.paths`, and the folders in them that hold a `SKILL.md`.

use std::collections::BTreeSet;

use rustix::fs::FileType;

use super::paths::SkillPaths;
use crate::capability::{ProjectPath, folded, is_taken_for};
use crate::id::Space;
use crate::item::{SKILL_FILE, SkillFault, is_git_folder, is_skill_name, is_taken_for_attributes, resolve_link};
use crate::workspace::Workspace;
use crate::workspace::error::{Doing, Error};
use crate::workspace::folder::{Folder, Name};

/// The most links that are followed one after the other.
const MOST_LINKS: usize = 40;

/// How deep a `SKILL.md` that belongs to no skill is looked for, below a folder in that of all skills.
pub const DEEPEST_SKILL_FILE: usize = 8;

/// The folder of a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillPlace {
    /// The skill's name: that of the folder.
    pub name: String,
    /// Whether it is only offered: an unsigned one is a warning.
    pub is_offered: bool,
    /// The path from the top of the project, or of the person's home folder.
    pub path: String,
}

/// The skills of a space, by where they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillPlaces {
    /// The folders, by name and path. Offered ones are here if no other folder has the name.
    pub places: Vec<SkillPlace>,
    /// The other offered folders.
    pub set_aside: Vec<SkillPlace>,
    /// What a client may take for a skill and cannot be one, by its path.
    pub faults: Vec<(String, SkillFault)>,
    /// The same where skills are only offered.
    pub offered_faults: Vec<(String, SkillFault)>,
}

impl SkillPlace {
    /// Makes the place of a folder by its path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        Self { name, is_offered: false, path: path.to_owned() }
    }
}

impl Workspace {
    /// Finds the skills of a space in the folders of `paths`. Folders that do not exist hold none.
    ///
    /// # Errors
    ///
    /// Fails when the project has no folder, and on what the operating system refuses.
    pub fn skill_places(&self, space: Space, paths: &SkillPaths) -> Result<SkillPlaces, Error> {
        self.places(space, paths, None)
    }

    /// Finds the folders of one skill, by its name, and faults in them or on the way to them; it looks into no others.
    ///
    /// # Errors
    ///
    /// As [`Workspace::skill_places`].
    pub fn places_of_skill(&self, space: Space, paths: &SkillPaths, name: &str) -> Result<SkillPlaces, Error> {
        self.places(space, paths, Some(name))
    }

    /// Returns the folder that the path of a skill's folder means, `P/NAME` for a `P` that `is_skill_path` knows: where a part of it
    /// is a link to another one of these, that one. Any other link stays, and is refused by whoever opens the path.
    ///
    /// # Errors
    ///
    /// Fails on what the operating system refuses.
    pub fn linked_skill(
        &self,
        space: Space,
        is_skill_path: impl Fn(&ProjectPath) -> bool,
        path: &str,
    ) -> Result<String, Error> {
        let Some(root) = self.root(space) else { return Ok(path.to_owned()) };
        let Some(top) = Error::absent_is_none(Folder::open_root(root, root))? else { return Ok(path.to_owned()) };
        let mut path = path.to_owned();
        // Links that lead in a circle end here, too.
        for _ in 0..MOST_LINKS {
            match followed(&top, &is_skill_path, &path)? {
                Some(next) => path = next,
                None => break,
            }
        }
        Ok(path)
    }

    fn places(&self, space: Space, paths: &SkillPaths, only: Option<&str>) -> Result<SkillPlaces, Error> {
        let mut found = SkillPlaces { faults: paths.faults(), ..SkillPlaces::default() };
        let Some(root) = self.root(space) else { return Ok(found) };
        let top = match (space, Folder::open_root(root, root)) {
            // A person's home folder may be missing, and so is their `.ai` then.
            (Space::User, Err(Error::NotFound { .. })) => return Ok(found),
            (Space::Project | Space::User | Space::System, top) => top?,
        };
        for (path, is_offered) in paths.iter() {
            let mut here = SkillPlaces::default();
            let outer =
                paths.submodules.iter().find(|module| is_at_or_below(path.as_str(), module)).map(String::as_str);
            // A commit has a submodule and nothing in it, and a person's own folders are in no commit.
            let is_in_commits = space == Space::Project;
            if let Some(module) = outer.filter(|_| is_in_commits) {
                here.faults.push((module.to_owned(), SkillFault::Repository { path: String::new() }));
            } else if let Some(folder) = here.way(&top, path, (&paths.required, is_in_commits))? {
                here.attributes(&folder, path.as_str())?;
                here.enter(&folder, path, (&paths.required, only))?;
                here.leave_submodules(&paths.submodules, path, only);
            }
            found.take_in(here, is_offered);
        }
        found.settle();
        Ok(found)
    }
}

impl SkillPlaces {
    /// Returns the faults about the skill with a name: those in its place, and paths that some file system takes for
    /// one of its folders.
    #[must_use]
    pub fn faults_of(&self, name: &str) -> Vec<(String, SkillFault)> {
        let places: Vec<&str> =
            self.places.iter().filter(|place| place.name == name).map(|place| place.path.as_str()).collect();
        let concerns = |(path, fault): &&(String, SkillFault)| {
            let (above, last) = path.rsplit_once('/').unwrap_or(("", path));
            match fault {
                SkillFault::Collides { other, .. } => {
                    let way = join(above, other);
                    places.iter().any(|place| place.strip_prefix(&way).is_some_and(|rest| rest.starts_with('/')))
                }
                SkillFault::Attributes { .. } => {
                    let is_below = |place: &&str| place.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'));
                    above.is_empty() && !places.is_empty() || places.iter().any(is_below)
                }
                _ => last == name,
            }
        };
        self.faults.iter().filter(concerns).cloned().collect()
    }

    /// Takes in what one folder of skills has. Of one that only offers skills, faults on the way are no faults: no agent goes it.
    pub fn take_in(&mut self, here: Self, is_offered: bool) {
        self.places.extend(here.places.into_iter().map(|place| SkillPlace { is_offered, ..place }));
        if is_offered {
            let is_told =
                |(_, fault): &(String, SkillFault)| matches!(fault, SkillFault::FolderName { .. } | SkillFault::Nested);
            self.offered_faults.extend(here.faults.into_iter().filter(is_told));
        } else {
            self.faults.extend(here.faults);
        }
    }

    /// Sorts what was found, and sets offered folders aside whose name another folder has.
    pub fn settle(&mut self) {
        self.places.sort();
        let required = self.places.iter().filter(|place| !place.is_offered).map(|place| place.name.clone());
        let required: BTreeSet<String> = required.collect();
        let is_other = |place: &mut SkillPlace| place.is_offered && required.contains(&place.name);
        self.set_aside.extend(self.places.extract_if(.., is_other));
        self.faults.sort_by(|a, b| a.0.cmp(&b.0));
        self.faults.dedup();
    }

    /// Goes the way to a folder of skills; `None` if it does not lead to one.
    fn way(
        &mut self,
        top: &Folder,
        path: &ProjectPath,
        (paths, is_in_commits): (&BTreeSet<ProjectPath>, bool),
    ) -> Result<Option<Folder>, Error> {
        let mut folder = top.descend([])?;
        let mut parts: Vec<&str> = Vec::new();
        for part in path.parts() {
            self.alike(&folder, &parts.join("/"), part)?;
            self.attributes(&folder, &parts.join("/"))?;
            match folder.step(part) {
                Ok(next) if is_in_commits && next.is_repository()? => {
                    let here = join(&parts.join("/"), part);
                    self.faults.push((here, SkillFault::Repository { path: String::new() }));
                    return Ok(None);
                }
                Ok(next) => folder = next,
                Err(Error::Symlink { .. }) => {
                    let target = led(&folder, &parts, path.as_str())?;
                    if !target.is_some_and(|target| is_other_path(paths, path, &target)) {
                        let here = join(&parts.join("/"), part);
                        self.faults.push((here, SkillFault::Link { path: String::new() }));
                    }
                    return Ok(None);
                }
                Err(Error::NotFound { .. } | Error::NotDirectory { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
            parts.push(part);
        }
        Ok(Some(folder))
    }

    /// Takes submodules in a folder of skills for faults, and not for skills.
    fn leave_submodules(&mut self, submodules: &BTreeSet<String>, path: &ProjectPath, only: Option<&str>) {
        let is_here = |module: &str| {
            let name = module.strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('/'));
            name.is_some_and(|name| !name.contains('/') && only.is_none_or(|only| only == name))
        };
        for module in submodules.iter().filter(|module| is_here(module)) {
            self.places.retain(|place| place.path != *module);
            self.faults.retain(|(fault, _)| fault != module);
            self.faults.push((module.clone(), SkillFault::Repository { path: String::new() }));
        }
    }

    /// Finds files that some file system takes for one with attributes, whatever they hold.
    fn attributes(&mut self, folder: &Folder, above: &str) -> Result<(), Error> {
        for name in folder.names()? {
            if let Name::Text(name) = name
                && is_taken_for_attributes(&name)
            {
                self.faults.push((join(above, &name), SkillFault::Attributes { path: String::new() }));
            }
        }
        Ok(())
    }

    /// Finds names that some file system takes for a part of the way to a folder of skills.
    fn alike(&mut self, folder: &Folder, above: &str, part: &str) -> Result<(), Error> {
        for name in folder.names()? {
            let Name::Text(name) = name else { continue };
            if name != part && is_alike(&name, part) {
                let fault = SkillFault::Collides { path: String::new(), other: part.to_owned() };
                self.faults.push((join(above, &name), fault));
            }
        }
        Ok(())
    }

    /// Looks at one folder of `skills.paths`.
    fn enter(
        &mut self,
        folder: &Folder,
        path: &ProjectPath,
        (paths, only): (&BTreeSet<ProjectPath>, Option<&str>),
    ) -> Result<(), Error> {
        let is_meant = |name: &Name| only.is_none_or(|only| matches!(name, Name::Text(name) if name == only));
        for (name, kind) in folder.entries()?.into_iter().filter(|(name, _)| is_meant(name)) {
            let here = |name: &str| join(path.as_str(), name);
            match (name, kind) {
                (Name::Text(name), FileType::Directory) => {
                    // Another folder of `skills.paths` is looked at by itself.
                    if here(&name).parse().is_ok_and(|below: ProjectPath| paths.contains(&below)) {
                        continue;
                    }
                    let inside = match folder.step(&name) {
                        Ok(inside) => inside,
                        Err(Error::NotFound { .. }) => continue,
                        Err(error) => match error.of_one_file() {
                            Some((_, reason)) => {
                                let fault = SkillFault::Unreadable { path: String::new(), reason };
                                self.faults.push((here(&name), fault));
                                continue;
                            }
                            None => return Err(error),
                        },
                    };
                    match (inside.has_skill_file()?, is_skill_name(&name)) {
                        (true, true) => self.places.push(SkillPlace::of(&here(&name))),
                        (true, false) => self.faults.push((here(&name), SkillFault::FolderName { name })),
                        (false, _) if inside.holds_skill_file(DEEPEST_SKILL_FILE)? => {
                            self.faults.push((here(&name), SkillFault::Nested));
                        }
                        (false, _) => {}
                    }
                }
                (Name::Text(name), FileType::Symlink) => {
                    let parts: Vec<&str> = path.parts().collect();
                    let target = led(folder, &parts, &here(&name))?;
                    self.faults.extend(link_fault(|other| paths.contains(other), here(&name), target));
                }
                (Name::Text(name), FileType::RegularFile) if folded(&name) == folded(SKILL_FILE) => {
                    self.faults.push((here(&name), SkillFault::Nested));
                }
                (Name::Lossy(name), FileType::Directory | FileType::Symlink) => {
                    self.faults.push((here(&name), SkillFault::FolderName { name }));
                }
                (Name::Text(_) | Name::Lossy(_), _) => {}
            }
        }
        Ok(())
    }
}

/// Tells whether some file system takes a name for another one.
#[must_use]
pub fn is_alike(name: &str, other: &str) -> bool {
    folded(name) == folded(other) || is_taken_for(name, &folded(other))
}

impl Folder {
    /// Tells whether this is the top of a repository.
    fn is_repository(&self) -> Result<bool, Error> {
        Ok(self.names()?.iter().any(|name| matches!(name, Name::Text(name) if is_git_folder(name))))
    }

    /// Tells whether a file that is taken for `SKILL.md` lies at most so deep in this folder.
    fn holds_skill_file(&self, deep: usize) -> Result<bool, Error> {
        if self.has_skill_file()? {
            return Ok(true);
        }
        if deep == 0 {
            return Ok(false);
        }
        for (name, kind) in self.entries()? {
            let Name::Text(name) = name else { continue };
            if kind == FileType::Directory
                && let Ok(inside) = self.step(&name)
                && inside.holds_skill_file(deep - 1)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Tells whether some file system takes a name in this folder for `SKILL.md`.
    fn has_skill_file(&self) -> Result<bool, Error> {
        let is_it = |name: &Name| matches!(name, Name::Text(name) if folded(name) == folded(SKILL_FILE));
        Ok(self.names()?.iter().any(is_it))
    }

    /// Reads where the symbolic link `name` leads; a target that is not UTF-8 is unknown.
    fn link_target(&self, name: &str) -> Result<String, Error> {
        let read = rustix::fs::readlinkat(&self.dir, name, Vec::new());
        let target = read.map_err(|code| Error::of(Doing::Read, &self.path.join(name), code))?;
        Ok(target.into_string().unwrap_or_default())
    }
}

/// Returns what is wrong with a link in the place of a skill; none for one to the same skill in another folder of skills.
#[must_use]
pub fn link_fault(
    is_skill_path: impl Fn(&ProjectPath) -> bool,
    link: String,
    target: Option<String>,
) -> Option<(String, SkillFault)> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    match target {
        Some(target) if is_same_skill(is_skill_path, &link, &target) => None,
        Some(target) if target.contains('/') && name(&target) == name(&link) => {
            Some((link, SkillFault::LinkElsewhere { to: target }))
        }
        Some(_) | None => Some((link, SkillFault::Link { path: String::new() })),
    }
}

/// Returns where a path leads whose part behind `parts` is a link in `folder`; none if it leads out of the top.
fn led(folder: &Folder, parts: &[&str], path: &str) -> Result<Option<String>, Error> {
    let above = parts.join("/");
    let rest = path[above.len()..].trim_start_matches('/');
    let (link, rest) = rest.split_once('/').unwrap_or((rest, ""));
    Ok(resolve_link(&above, &folder.link_target(link)?).map(|target| join(&target, rest)))
}

/// Follows the first link on the way to a skill's folder; `None` without a link, or if it does not lead to the same
/// skill in another folder of `paths`.
fn followed(top: &Folder, is_skill_path: impl Fn(&ProjectPath) -> bool, path: &str) -> Result<Option<String>, Error> {
    let (mut folder, mut parts) = (top.descend([])?, Vec::new());
    for part in path.split('/') {
        match folder.step(part) {
            Ok(next) => folder = next,
            Err(Error::Symlink { .. }) => {
                let target = led(&folder, &parts, path)?;
                return Ok(target.filter(|target| is_same_skill(is_skill_path, path, target)));
            }
            Err(Error::NotFound { .. } | Error::NotDirectory { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        parts.push(part);
    }
    Ok(None)
}

/// Tells whether a link on the way to a folder of `paths` leads to another one of them.
#[must_use]
pub fn is_other_path(paths: &BTreeSet<ProjectPath>, path: &ProjectPath, target: &str) -> bool {
    target.parse::<ProjectPath>().is_ok_and(|target| target != *path && paths.contains(&target))
}

/// Tells whether a path is that of a skill's folder of the same name in another folder that `is_skill_path` knows.
#[must_use]
fn is_same_skill(is_skill_path: impl Fn(&ProjectPath) -> bool, path: &str, other: &str) -> bool {
    let split = |path: &str| path.rsplit_once('/').map(|(above, name)| (above.to_owned(), name.to_owned()));
    let (Some((above, name)), Some((other, last))) = (split(path), split(other)) else { return false };
    last == name && other != above && other.parse().is_ok_and(|other: ProjectPath| is_skill_path(&other))
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => format!("{folder}/{name}"),
    }
}
