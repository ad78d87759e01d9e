//! What no sandbox opens, whatever it is granted: the places of this program's own, by any link, name or mount; git folders in the
//! project, under any name, but for what git commands need that read; and in the folders of the system homes, git folders, the project,
//! and what other users may not read.
//!
//! Of a folder that is granted for reading they are taken out. A folder that is granted for writing cannot be taken apart, as a tool
//! makes files in it: there something empty is mounted over them, and where no mounts can be made the call is refused by name.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{CancelFlag, Cover, Deadline, Error, MountTable, Sandbox, kept_out, system_folders};
use crate::project::Project;
use crate::workspace::{self, OwnPlaces, closed_places, is_closed};

/// The most entries of granted folders that are looked at for another name of a file.
const MOST_ENTRIES: usize = 200_000;

/// How long a search for git folders may take.
pub(super) const SEARCH_TIME: Duration = Duration::from_secs(30);

/// The most bytes of all paths that are taken out: the system limits how much a program is started with.
const MOST_BYTES: usize = 1 << 20;

const OWN: &str = "no tool may reach where this program keeps keys, trust and configuration, or what holds that";
const PROJECT: &str = "it leads to the project, where a tool writes only what is judged";
const TOO_MANY: &str = "a file of this program's own or of the git folder has several names (hard links), and too many files lie here to find them";
const GIT: &str = "no tool may reach a git folder, or trust, threads, settings and plugins below `.ai`";
const TOO_MUCH: &str = "it has more than 2,000,000 files or 4,096 git folders, too many to keep a tool from git folders: give the tool folders of the project to read";
const TOO_SLOW: &str =
    "the search for its git folders took longer than 30 seconds: give the tool folders of the project to read";
const STOPPED: &str = "the call was stopped during the search for its git folders";
const TOO_LONG: &str = "the paths of its git folders have more than 1 MiB in all, too much to keep a tool from them: give the tool folders of the project to read";
const CLOSED: &str = "a file of this program's own or of the git folder has several names (hard links), and this folder cannot be searched for them";

/// The places, by all their paths.
#[derive(Debug)]
pub struct KeptAway {
    /// Those of the program's own, there or not.
    own: BTreeSet<PathBuf>,
    /// The files of the program's own, and those of the git folder that may hold credentials, that have several names.
    several: BTreeSet<(u64, u64)>,
    /// The git folders of the project.
    git: BTreeSet<PathBuf>,
    /// The folders of the project.
    project: BTreeSet<PathBuf>,
    /// What else is taken out of the system's folders.
    others: BTreeSet<PathBuf>,
}

impl KeptAway {
    /// Looks for them.
    ///
    /// # Errors
    ///
    /// [`Error::Confine`] when there are too many to tell, and where the system does not list its mounts.
    pub fn of(project: &Project) -> Result<Self, Error> {
        let ctx = project.context();
        let unknown = |source| Error::Confine { what: "what a tool reaches", source };
        // The program itself lies among other programs, and is no secret.
        let places: Vec<_> = ctx.own_places().into_iter().filter(|place| place.path != ctx.program()).collect();
        let repository = project.repository();
        let folders = || repository.iter().flat_map(|git| [git.git_dir(), git.common_dir()]);
        let found = OwnPlaces::find(&places).and_then(|found| found.with_git_files(folders()));
        let found = found.map_err(|error| unknown(std::io::Error::other(error)))?;
        let mounts = MountTable::read().map_err(unknown)?;
        let by_all_paths = |paths: Vec<PathBuf>| -> BTreeSet<PathBuf> {
            let others: Vec<PathBuf> = paths.iter().flat_map(|path| mounts.other_paths(path)).collect();
            paths.into_iter().chain(others).collect()
        };
        let mut own = by_all_paths(found.ends().cloned().collect());
        own.extend(in_tree(project, &own));
        Ok(Self {
            own,
            several: found.of_several_names(),
            git: by_all_paths(folders().filter_map(|path| path.canonicalize().ok()).collect()),
            project: by_all_paths(project.program_free()),
            others: by_all_paths(kept_out(ctx)),
        })
    }

    /// Tells whether a path is, or lies in, a place of the program's own.
    #[must_use]
    pub fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| path.starts_with(own))
    }

    /// Makes sure that a tool may write some folders itself, outside of work trees.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] for one that is, lies in or contains a place of the program's own or the project, by whatever path, there or not.
    pub fn check_outside(&self, folders: &[PathBuf]) -> Result<(), Error> {
        let meets = |folder: &Path, place: &PathBuf| place.starts_with(folder) || folder.starts_with(place);
        for folder in folders {
            if self.own.iter().any(|own| meets(folder, own)) {
                return Err(Error::Grant { path: folder.clone(), reason: OWN });
            }
            if self.project.iter().chain(&self.git).any(|project| meets(folder, project)) {
                return Err(Error::Grant { path: folder.clone(), reason: PROJECT });
            }
        }
        Ok(())
    }

    /// Takes the places out of a sandbox. In `private`, a folder of the tool's own, it makes what is seen in their place where that is
    /// needed. `of_git` is what the program itself grants of git folders: any other grant of what lies in one is refused.
    ///
    /// # Errors
    ///
    /// [`Error::Grant`] where another name of a place may not have been found, and for what is named in a place; [`Error::Script`] when
    /// nothing can be made.
    pub fn keep_from(
        &self,
        sandbox: &mut Sandbox,
        private: &Path,
        of_git: &BTreeSet<PathBuf>,
        cancel: &CancelFlag,
    ) -> Result<(), Error> {
        let several = self.other_names(sandbox)?;
        let own: BTreeSet<&PathBuf> = self.own.iter().chain(&several).collect();
        let writes = sandbox.writes.iter();
        let written: BTreeSet<PathBuf> =
            writes.flat_map(|folder| outermost(own.iter().filter(|own| is_below(own, folder)))).collect();
        for path in written {
            if let Ok(found) = path.symlink_metadata() {
                let with = nothing(private, found.is_dir())?;
                sandbox.hides.push(Cover { path, with });
            }
        }
        let kept: BTreeSet<&PathBuf> = own.iter().copied().chain(&self.git).collect();
        let all: BTreeSet<&PathBuf> = kept.iter().copied().chain(&self.project).chain(&self.others).collect();
        // What a person names is granted, but for what nobody is.
        let named = sandbox.reads.iter().chain(&sandbox.projects);
        let of_named = named.flat_map(|granted| outermost(kept.iter().filter(|path| is_below(path, granted))));
        let of_system = system_folders().into_iter();
        let of_system = of_system.flat_map(|granted| outermost(all.iter().filter(|path| path.starts_with(&granted))));
        let of_project = self.closed_in_project(sandbox, of_git, cancel)?;
        let without: BTreeSet<PathBuf> = of_named.chain(of_system).chain(of_project).collect();
        if without.iter().map(|path| path.as_os_str().len()).sum::<usize>() > MOST_BYTES {
            let path = self.project.iter().next().cloned().unwrap_or_default();
            return Err(Error::Grant { path, reason: TOO_LONG });
        }
        sandbox.without = without.into_iter().collect();
        Ok(())
    }

    /// Looks in what is granted of the project for places that no tool reads.
    fn closed_in_project(
        &self,
        sandbox: &Sandbox,
        of_git: &BTreeSet<PathBuf>,
        cancel: &CancelFlag,
    ) -> Result<BTreeSet<PathBuf>, Error> {
        let mut folders = BTreeSet::new();
        for granted in sandbox.reads.iter().chain(&sandbox.projects).filter(|granted| !of_git.contains(*granted)) {
            // In a tree that lies in the git folder the tree counts.
            let around = self
                .project
                .iter()
                .filter(|project| granted.starts_with(project))
                .max_by_key(|path| path.iter().count());
            let is_of_git =
                |git: &PathBuf| granted.starts_with(git) && around.is_none_or(|around| !around.starts_with(git));
            // A `.git` file of a linked work tree holds a path.
            let is_link = around.is_some_and(|around| *granted == around.join(".git")) && granted.is_file();
            if is_link {
                continue;
            }
            let refused = || Err(Error::Grant { path: granted.clone(), reason: GIT });
            if self.git.iter().any(is_of_git) {
                return refused();
            }
            match around {
                Some(project) if is_closed(project, granted) => return refused(),
                Some(_) => drop(folders.insert(granted)),
                None => folders.extend(self.project.iter().filter(|project| project.starts_with(granted))),
            }
        }
        let folders = outermost(folders.iter());
        let path = folders.first().cloned().unwrap_or_default();
        let deadline = Deadline::after(SEARCH_TIME);
        closed_places(folders, &|| cancel.is_set() || deadline.is_over()).map_err(|error| {
            let reason = match error {
                workspace::Error::Stopped { .. } if cancel.is_set() => STOPPED,
                workspace::Error::Stopped { .. } => TOO_SLOW,
                _ => TOO_MUCH,
            };
            Error::Grant { path, reason }
        })
    }

    /// Looks in granted folders, but for the system's, for other names of the program's own files. There are none but where a person made
    /// them.
    fn other_names(&self, sandbox: &Sandbox) -> Result<Vec<PathBuf>, Error> {
        if self.several.is_empty() {
            return Ok(Vec::new());
        }
        let Sandbox { reads, projects, writes, .. } = sandbox;
        let system = system_folders();
        let is_named = |path: &&PathBuf| !system.iter().any(|folder| path.starts_with(folder));
        let mut folders: Vec<PathBuf> = reads.iter().chain(projects).chain(writes).filter(is_named).cloned().collect();
        let (mut names, mut seen) = (Vec::new(), 0);
        while let Some(folder) = folders.pop() {
            let listed = std::fs::read_dir(&folder);
            if listed.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied) {
                return Err(Error::Grant { path: folder, reason: CLOSED });
            }
            for entry in listed.into_iter().flatten().flatten() {
                seen += 1;
                if seen > MOST_ENTRIES {
                    return Err(Error::Grant { path: folder, reason: TOO_MANY });
                }
                match entry.metadata() {
                    Ok(found) if found.is_dir() => folders.push(entry.path()),
                    Ok(found) if self.several.contains(&(found.dev(), found.ino())) => names.push(entry.path()),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        Ok(names)
    }
}

/// Returns an empty file or folder.
fn nothing(private: &Path, is_folder: bool) -> Result<PathBuf, Error> {
    let path = private.join(if is_folder { ".rye-no-folder" } else { ".rye-no-file" });
    let made = if is_folder { std::fs::create_dir(&path) } else { std::fs::write(&path, "") };
    match made {
        Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Error::Script { file_name: path.display().to_string(), folder: private.to_owned(), source })
        }
        Ok(()) | Err(_) => Ok(path),
    }
}

/// The same places in a thread's tree: what git has of them was checked out there.
fn in_tree(project: &Project, own: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let whole = |path: &Path| path.canonicalize().ok();
    let (Some(tree), Some(persons)) = (project.private_tree().and_then(whole), project.persons_tree().and_then(whole))
    else {
        return Vec::new();
    };
    own.iter().filter_map(|path| Some(tree.join(path.strip_prefix(&persons).ok()?))).collect()
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path != folder && path.starts_with(folder)
}

/// Leaves out what lies in another one. The paths are sorted, so that what lies in a folder comes right after it.
fn outermost<'p>(paths: impl Iterator<Item = &'p &'p PathBuf>) -> Vec<PathBuf> {
    let mut outermost: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !outermost.last().is_some_and(|last| path.starts_with(last)) {
            outermost.push(PathBuf::clone(path));
        }
    }
    outermost
}
