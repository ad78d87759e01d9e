//! A private copy of a project, or of parts of it, for a tool that may write there: what passes its caller's judgement comes back.
//!
//! The copy has no git folder and nothing of the program's own. A file that another process changed in the project meanwhile keeps
//! that change. What comes back is written as built-in tools write, so no git folder is made or changed.
//!
//! Each file comes back by a rename of its own: a kill in between leaves some of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::copies::CopyLimits;
use super::error::{Doing, Error};
use super::for_tools::{IsIgnored, Known};
use super::project_dir::ProjectDir;
use super::snapshot::{Changes, FileState, LeftOut, Snapshot, SnapshotLimits};
use super::tool_copies::How;
use crate::capability::{ProjectPath, Reach};
use crate::context::PrivateFolder;
use crate::trust::Blake3Hash;

/// How much is copied for a tool: what a file system shares counts as files only.
const COPY: CopyLimits = CopyLimits { max_bytes: 2 << 30, max_files: 200_000 };
/// How much of the copy is compared.
const COMPARED: SnapshotLimits =
    SnapshotLimits { max_files: 200_000, max_file_bytes: 64 << 20, max_total_bytes: 4 << 30 };

/// Opens a folder with the project's files for tools.
pub type OpenFiles<'a> = &'a dyn Fn(&Path) -> Result<ProjectDir, Error>;

/// Says why a path is not written, if it is not.
pub type Judge<'a> = &'a dyn Fn(&ProjectPath) -> Result<(), String>;

/// What ends the making of a copy early.
#[derive(Clone, Copy)]
pub struct Stops<'a> {
    /// Whether nobody wants the copy any more.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// Whether the search for git folders takes too long: then there is no copy.
    pub is_late: &'a dyn Fn() -> bool,
}

/// A private copy of a project.
#[derive(Debug)]
pub struct ProjectCopy {
    project: PathBuf,
    /// Where the copy is; it goes with this value.
    root: PathBuf,
    _folder: PrivateFolder,
    copy: ProjectDir,
    /// The copied parts.
    parts: BTreeSet<Reach>,
    known: Known,
    before: Snapshot,
}

/// What came back of a private copy, and what did not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CopiedBack {
    /// The files that were written, sorted.
    pub written: Vec<ProjectPath>,
    /// The files that were removed, sorted.
    pub removed: Vec<ProjectPath>,
    /// The omitted files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<NotCopied>,
}

/// A path that a tool changed and that did not come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCopied {
    /// The path.
    pub path: String,
    /// Why, in words.
    pub reason: String,
}

impl ProjectCopy {
    /// Copies parts of the project at `project` into a folder among the temporary files; what git ignores as far as it fits. `None` if that
    /// is stopped meanwhile.
    ///
    /// # Errors
    ///
    /// Fails when there is too much to copy, or no room for it.
    pub fn make(
        open_files: OpenFiles<'_>,
        project: PathBuf,
        parts: BTreeSet<Reach>,
        temp_dir: &Path,
        (is_ignored, stops): (IsIgnored<'_>, Stops<'_>),
    ) -> Result<Option<Self>, Error> {
        let made = |source| Error::Io { doing: Doing::Write, path: temp_dir.to_owned(), source };
        let folder = PrivateFolder::create(temp_dir).map_err(made)?;
        let root = folder.path().canonicalize().map_err(made)?;
        let copy = open_files(&root)?;
        let (known, before) = (Known::default(), Snapshot::default());
        let mut made = Self { project, root, _folder: folder, copy, parts, known, before };
        Ok(made.renew(open_files, is_ignored, stops)?.then_some(made))
    }

    /// Returns where the tool works.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the copy what the project is now, whatever a tool left in it. False if that is stopped meanwhile.
    ///
    /// # Errors
    ///
    /// Fails when there is too much to copy, and when project or copy cannot be read or written.
    pub fn renew(
        &mut self,
        open_files: OpenFiles<'_>,
        is_ignored: IsIgnored<'_>,
        Stops { is_stopped, is_late }: Stops<'_>,
    ) -> Result<bool, Error> {
        let beside = self.root.parent().unwrap_or(&self.root);
        let trash = PrivateFolder::create(beside);
        let trash = trash.map_err(|source| Error::Io { doing: Doing::Write, path: beside.to_owned(), source })?;
        let from = open_files(&self.project)?;
        let is_wanted = || !is_stopped();
        let how = How { trash: trash.path(), is_ignored, limits: COPY, is_wanted: &is_wanted, is_late };
        let roots = (self.project.as_path(), self.root.as_path());
        let is_done = from.copy_for_tools(&self.parts, roots, &self.copy, &mut self.known, how)?;
        self.before = self.copy.snapshot(&[ProjectPath::default()], &COMPARED)?;
        Ok(is_done)
    }

    /// Returns what the tool does not see of the project, as it is too large.
    #[must_use]
    pub fn unseen(&self) -> Vec<NotCopied> {
        let unseen = |path: &String| NotCopied { path: path.clone(), reason: UNSEEN.to_owned() };
        self.known.too_large.iter().map(unseen).collect()
    }

    /// Brings into the project what the tool changed and `judge` lets pass.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be read any more.
    pub fn bring_back(
        &self,
        open_files: OpenFiles<'_>,
        judge: Judge<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<CopiedBack, Error> {
        let after = self.copy.snapshot(&[ProjectPath::default()], &COMPARED)?;
        let Changes { written, removed, oversized, left_out } = Snapshot::changes(&self.before, &after);
        let to = open_files(&self.project)?;
        let goes_on = || if is_stopped() { Err("the run was stopped".to_owned()) } else { Ok(()) };
        let mut back = CopiedBack::default();
        for path in written {
            match goes_on().and_then(|()| judge(&path)).and_then(|()| self.bring(&to, &path)) {
                Ok(()) => back.written.push(path),
                Err(reason) => back.left_out(path.to_string(), reason),
            }
        }
        oversized.iter().for_each(|path| back.left_out(path.to_string(), "it is too large".to_owned()));
        left_out.into_iter().for_each(|(path, reason)| back.left_out(path, said(reason).to_owned()));
        // A missing file may be an omitted one, under another name.
        let is_whole = back.left_out.is_empty();
        for path in removed {
            let done = if is_whole { goes_on() } else { Err(KEPT.to_owned()) };
            match done.and_then(|()| judge(&path)).and_then(|()| self.remove(&to, &path)) {
                Ok(()) => back.removed.push(path),
                Err(reason) => back.left_out(path.to_string(), reason),
            }
        }
        back.left_out.extend(self.unseen());
        Ok(back)
    }

    fn bring(&self, to: &ProjectDir, path: &ProjectPath) -> Result<(), String> {
        let said = |error: Error| error.to_string();
        let new = self.copy.read(path, COMPARED.max_file_bytes).map_err(said)?.bytes;
        match self.before.files.get(path) {
            Some(before) => to.replace(path, &unchanged(to, path, before)?, &new).map_err(said)?,
            None => to.create_within(path, &new, self.copy.mode(path)).map_err(said)?,
        }
        let executable = self.copy.is_executable(path);
        if to.is_executable(path) != executable {
            to.set_executable(path, executable).map_err(said)?;
        }
        Ok(())
    }

    fn remove(&self, to: &ProjectDir, path: &ProjectPath) -> Result<(), String> {
        let before = self.before.files.get(path).ok_or("it is too large")?;
        to.remove(path, &unchanged(to, path, before)?).map_err(|error| error.to_string())
    }
}

impl CopiedBack {
    fn left_out(&mut self, path: String, reason: String) {
        self.left_out.push(NotCopied { path, reason });
    }
}

/// Returns the content of a file of the project, if it is still the copied one.
fn unchanged(to: &ProjectDir, path: &ProjectPath, before: &FileState) -> Result<Vec<u8>, String> {
    let found = to.read(path, COMPARED.max_file_bytes).map_err(|error| error.to_string())?.bytes;
    let is_same = Blake3Hash::of(&found) == before.blake3;
    is_same.then_some(found).ok_or_else(|| "it was changed in the project meanwhile".to_owned())
}

/// Why something is missing in the copy.
const UNSEEN: &str = "git ignores it, and it is too large to be copied for the tool, which did not see it";

/// Why a file is not removed.
const KEPT: &str = "it is kept, as something else was left out, which it may have become";

const fn said(reason: LeftOut) -> &'static str {
    match reason {
        LeftOut::NestedRepository => "it is a git repository",
        LeftOut::Symlink => "it is a symlink",
        LeftOut::NotRegular => "it is not a file",
        LeftOut::Unnameable => "its name is not UTF-8, or holds a backslash",
        LeftOut::TooDeep => "it lies too deep",
        LeftOut::Unreadable => "it cannot be read",
    }
}
