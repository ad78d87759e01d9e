//! A private work tree of a thread: detached, linked to the repository, outside of the person's own tree.
//!
//! Stock git knows it (`git worktree list` shows it, locked). Its `.git` file names the administrative folder, which no tool
//! may write: whoever looks into the tree with stock git obeys no file of a tool's. Only tools see another file in its place
//! (`git_command` of `rye-run`), which names the git folder for tools (`tools_folder.rs`). Where a tool can replace the file, it is
//! read once, before anything runs in the tree: later the handle that was opened then names the git folder, the index and the
//! work tree.
//!
//! Commit points: the tree exists from the rename of its administrative folder, and is usable once the folder for tools is
//! made, last; it is gone when the administrative folder is gone, removed last. Killed in between, it is a leftover, which
//! [`Repository::linked_trees`] finds.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use gix::{
    config::{File as ConfigFile, Source as ConfigSource},
    index::{
        File,
        entry::{Flags, Mode as IndexMode},
    },
};

use super::tree::text;
use super::{
    Cause, CommitId, Error, Repository,
    difference::{Comparison, IsSame},
    discover::{checked, regular_text},
    obstacles::{self, Obstacle},
    removal::remove_folder,
    tools_folder,
};

/// The prefix of names of a thread's tree.
const PREFIX: &str = "rye-";

/// The suffix of names of an administrative folder while it is being made.
const DRAFT: &str = ".tmp";

/// A private work tree.
#[derive(Debug)]
pub struct LinkedTree {
    pub(super) repository: Repository,
    /// The index as it was checked out. A tool's `git add` changes the one on the disk.
    pub(super) index: File,
    pub(super) work_dir: PathBuf,
    git_dir: PathBuf,
    /// The repositories in it, whose files are not the thread's to change.
    pub(super) foreign: Vec<Foreign>,
}

/// A repository of its own in a tree, whose files are not the thread's to change.
#[derive(Debug)]
pub(super) struct Foreign {
    /// Its folder.
    pub(super) path: String,
    pub(super) difference: Difference,
    /// Whether its files are there.
    pub(super) is_filled: bool,
}

/// How a path of a tree differs from the commit that was checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// A file is new, or has other content or another executable bit.
    Written,
    /// A file is gone.
    Removed,
    /// A symbolic link, pipe, socket or device is there.
    NotRegular,
    /// A folder is a git repository of its own.
    NestedRepository,
    /// A `.git` is there, and no repository: git passes it over.
    GitName,
    /// Something lies where a submodule belongs.
    InSubmodule,
    /// A folder lay deeper, or had a longer path, than git's comparison goes. It was removed.
    TooDeep,
    /// The name is not UTF-8; the path is one to be shown.
    Unnameable,
}

impl Difference {
    const fn of(obstacle: Obstacle) -> Self {
        match obstacle {
            Obstacle::NotRegular => Self::NotRegular,
            Obstacle::TooDeep => Self::TooDeep,
        }
    }
}

impl Repository {
    /// Checks `base` out into a new folder `rye-NAME` below `folder` (absolute; made with all above it if missing).
    /// `reason` is what `git worktree list --verbose` says about it. Branches below `hidden` are not shown to tools.
    ///
    /// # Errors
    /// [`Error::Tree`]; a partial tree is removed.
    pub fn add_tree(
        &self,
        folder: &Path,
        name: &str,
        base: &CommitId,
        reason: &str,
        hidden: &str,
        should_stop: &AtomicBool,
    ) -> Result<LinkedTree, Error> {
        let name = format!("{PREFIX}{name}");
        let (work_dir, git_dir) = (folder.join(&name), self.common_dir().join("worktrees").join(&name));
        // Missing objects of the repository are reported as anywhere else.
        let failed = |source: Cause| match source.downcast::<Error>() {
            Ok(error) => *error,
            Err(source) => Error::Tree { action: "make", path: work_dir.clone(), source },
        };
        if fs::symlink_metadata(&work_dir).is_ok() || fs::symlink_metadata(&git_dir).is_ok() {
            return Err(failed(io::Error::from(ErrorKind::AlreadyExists).into()));
        }
        let filled = self
            .register(&name, &work_dir, &git_dir, base, reason)
            .map_err(failed)
            .and_then(|()| Self::open(&work_dir, &self.environment))
            .and_then(|linked| linked.fill(base, should_stop).map_err(failed).map(|index| (linked, index)))
            .and_then(|(linked, index)| match linked.make_tools_folder(base, hidden) {
                Ok(()) => Ok((linked, index)),
                Err(error) => Err(failed(error)),
            });
        match filled {
            Ok((repository, index)) => Ok(LinkedTree { repository, index, work_dir, git_dir, foreign: Vec::new() }),
            Err(error) => {
                // The first failure is the better answer.
                let _ = remove(&work_dir, &git_dir);
                Err(error)
            }
        }
    }

    /// Makes the administrative folder, whole or not at all, then the empty work tree that names it.
    fn register(
        &self,
        name: &str,
        work_dir: &Path,
        git_dir: &Path,
        base: &CommitId,
        reason: &str,
    ) -> Result<(), Cause> {
        let dot_git = work_dir.join(gix::discover::DOT_GIT_DIR);
        let draft = self.common_dir().join("rye").join(format!("{name}{DRAFT}"));
        fs::create_dir_all(&draft)?;
        for (file, text) in [
            ("HEAD", base.to_string()),
            ("commondir", "../..".to_owned()),
            ("gitdir", dot_git.display().to_string()),
            ("locked", reason.to_owned()),
        ] {
            fs::write(draft.join(file), format!("{text}\n"))?;
        }
        self.copy_settings(&draft)?;
        fs::create_dir_all(git_dir.parent().unwrap_or(git_dir))?;
        fs::rename(&draft, git_dir)?;
        fs::create_dir_all(work_dir.parent().unwrap_or(work_dir))?;
        fs::DirBuilder::new().mode(0o700).create(work_dir)?;
        fs::write(dot_git, tools_folder::link(git_dir))?;
        Ok(())
    }

    /// Gives a new tree what this work tree has of its own: settings, and what a sparse checkout shows.
    fn copy_settings(&self, draft: &Path) -> Result<(), Cause> {
        let settings = self.git_dir().join("config.worktree");
        if settings.is_file() {
            let mut config = ConfigFile::from_path_no_includes(settings, ConfigSource::Worktree)?;
            for key in ["core.bare", "core.worktree"] {
                if let Ok(mut values) = config.raw_values_mut(key) {
                    values.delete_all();
                }
            }
            config.write_to(&mut fs::File::create(draft.join("config.worktree"))?)?;
        }
        let patterns = self.git_dir().join("info/sparse-checkout");
        if patterns.is_file() {
            fs::create_dir_all(draft.join("info"))?;
            fs::copy(patterns, draft.join("info/sparse-checkout"))?;
        }
        Ok(())
    }

    /// Lists the trees that [`add_tree`](Self::add_tree) made and that were not removed, by name.
    ///
    /// # Errors
    /// [`Error::Tree`] when the folder of work trees cannot be read.
    pub fn linked_trees(&self) -> Result<Vec<(String, LeftTree)>, Error> {
        let mut trees = Vec::new();
        for (folder, suffix) in [("worktrees", ""), ("rye", DRAFT)] {
            for git_dir in folders_in(&self.common_dir().join(folder))? {
                let name = git_dir.file_name().and_then(|name| name.to_str());
                let Some(name) = name.and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(suffix)) else {
                    continue;
                };
                // `…/rye-NAME/.git`; a draft names a folder that is not there yet.
                let link = regular_text(&git_dir.join("gitdir")).unwrap_or_default();
                let work_dir = Path::new(link.trim_end()).parent().map(Path::to_owned);
                let is_ours = |dir: &PathBuf| leads_back(dir, &git_dir);
                trees.push((name.to_owned(), LeftTree { work_dir: work_dir.filter(is_ours), git_dir }));
            }
        }
        trees.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(trees)
    }
}

/// A tree that is there, without a handle on it.
#[derive(Debug)]
pub struct LeftTree {
    /// Where its files are, if that is known.
    work_dir: Option<PathBuf>,
    git_dir: PathBuf,
}

impl LeftTree {
    /// Removes it.
    ///
    /// # Errors
    /// [`Error::Tree`].
    pub fn remove(self) -> Result<(), Error> {
        let work_dir = self.work_dir.unwrap_or_else(|| self.git_dir.join("no-work-tree"));
        remove(&work_dir, &self.git_dir)
    }
}

impl LinkedTree {
    /// Returns the folder with the files.
    pub fn work_dir(&self) -> &Path {
        &self.work_dir
    }

    /// Returns what its `.git` file says.
    pub fn link(&self) -> String {
        tools_folder::link(&self.git_dir)
    }

    /// Returns a handle on the repository as this tree sees it: index, ignore rules and submodules are the tree's own.
    pub const fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Compares the files with the commit that was checked out by index and file times; `is_same` tells whether git would
    /// store a file that was touched as that blob. Ignored files and what a sparse checkout leaves out are passed over;
    /// nothing of a nested repository is opened.
    ///
    /// # Errors
    /// [`Error::Status`], or [`Error::Tree`].
    pub fn differences(&self, is_same: &mut IsSame<'_>) -> Result<BTreeMap<String, Difference>, Error> {
        // A file that git's comparison would not survive is useless.
        let obstacles = obstacles::clear(&self.work_dir)?.into_iter();
        let mut differences: BTreeMap<String, Difference> =
            obstacles.map(|(path, obstacle)| (path, Difference::of(obstacle))).collect();
        let differing = self.repository.differing(&self.index, Comparison::None, is_same)?;
        differences.extend(differing.unnameable.into_iter().map(|path| (path, Difference::Unnameable)));
        differences.extend(differing.git_names.into_iter().map(|path| (path, Difference::GitName)));
        for path in differing.paths {
            let difference = self.difference(&path);
            differences.insert(path, difference);
        }
        // Files from other repositories are compared separately.
        differences.retain(|path, _| !self.foreign.iter().any(|foreign| is_at_or_below(path, &foreign.path)));
        let index = &self.index;
        // Git skips files outside of a sparse checkout, even if they exist.
        for entry in index.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE)) {
            let path = text(entry.path(index));
            if fs::symlink_metadata(self.work_dir.join(&path)).is_ok() {
                let difference = self.difference(&path);
                differences.insert(path, difference);
            }
        }
        for entry in index.entries().iter().filter(|entry| entry.mode == IndexMode::COMMIT) {
            let path = text(entry.path(index));
            if self.foreign.iter().any(|foreign| foreign.is_filled && foreign.path == path) {
                continue;
            }
            let is_empty = fs::read_dir(self.work_dir.join(&path)).map_or(true, |mut names| names.next().is_none());
            match is_empty {
                true => differences.remove(&path),
                false => differences.insert(path, Difference::InSubmodule),
            };
        }
        Ok(differences)
    }

    /// Reports a path that differs from the checkout.
    fn difference(&self, path: &str) -> Difference {
        // A link that took the place of a folder hides nothing of the tree's.
        let is_behind_link = Path::new(path)
            .ancestors()
            .skip(1)
            .any(|above| fs::symlink_metadata(self.work_dir.join(above)).is_ok_and(|found| found.is_symlink()));
        if is_behind_link {
            return Difference::Removed;
        }
        match fs::symlink_metadata(self.work_dir.join(path)) {
            Err(_) => Difference::Removed,
            Ok(found) if found.is_file() => Difference::Written,
            Ok(found) if found.is_dir() => {
                // A folder in the place of a file: its files are named separately.
                let is_repository = fs::symlink_metadata(self.work_dir.join(path).join(".git")).is_ok();
                if is_repository { Difference::NestedRepository } else { Difference::Removed }
            }
            Ok(_) => Difference::NotRegular,
        }
    }

    /// Checks that what git reads of the tree's git folder is regular files: a pipe would be waited for without end.
    ///
    /// # Errors
    /// [`Error::NotRegular`].
    pub fn check_files(&self) -> Result<(), Error> {
        checked(&self.git_dir).map(drop)
    }

    /// Removes the tree.
    ///
    /// # Errors
    /// [`Error::Tree`].
    pub fn remove(self) -> Result<(), Error> {
        remove(&self.work_dir, &self.git_dir)
    }

    /// Forgets a tree whose folder was replaced. Of what took its place only a link or an empty folder is removed.
    ///
    /// # Errors
    /// [`Error::Tree`].
    pub fn abandon(self) -> Result<(), Error> {
        // Leftovers do not belong to the tree.
        let _ = match fs::symlink_metadata(&self.work_dir) {
            Ok(found) if found.is_dir() => fs::remove_dir(&self.work_dir),
            _ => fs::remove_file(&self.work_dir),
        };
        remove_folder(&self.git_dir)
    }
}

/// Tells whether a tree belongs to an administrative folder. That of a copied repository names the tree of the original.
/// A `.git` that a tool replaced has no owner any more, nor has one that does not exist yet. Earlier versions named the folder
/// for tools in it.
fn leads_back(work_dir: &Path, git_dir: &Path) -> bool {
    let Ok(link) = regular_text(&work_dir.join(gix::discover::DOT_GIT_DIR)) else { return true };
    let named = link.trim_end().strip_prefix("gitdir: ").map(Path::new);
    match (named.and_then(|named| named.canonicalize().ok()), git_dir.canonicalize()) {
        (Some(named), Ok(git_dir)) => {
            let named = if named.ends_with(tools_folder::NAME) { named.parent().unwrap_or(&named) } else { &named };
            named == git_dir || named.file_name().is_none_or(|name| Some(name) != git_dir.file_name())
        }
        _ => true,
    }
}

/// Lists a folder; nothing if it is missing.
fn folders_in(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source: io::Error| Error::Tree { action: "look for", path: folder.to_owned(), source: source.into() };
    match fs::read_dir(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Vec::new()),
        entries => entries.map_err(failed)?.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect(),
    }
}

/// Removes a tree's files, then its administrative folder.
fn remove(work_dir: &Path, git_dir: &Path) -> Result<(), Error> {
    remove_folder(work_dir).and_then(|()| remove_folder(git_dir))
}

/// Tells whether a path is, or lies below, a folder.
pub(super) fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
