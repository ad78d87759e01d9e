//! A script that may write the whole project, outside of threads: it runs in a private copy, and what passes the checks comes back.
//!
//! The copy has no git folder and nothing of the program's own. Each changed path is judged like the write of a
//! built-in tool, and a file that another process changed meanwhile keeps that change. Of a tool that failed nothing
//! comes back.
//!
//! Each file comes back by a rename of its own: a kill in between leaves some of them.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::capability::{Access, Denial, PathRules, ProjectPath, Standpoint, check_path_from};
use crate::context::PrivateFolder;
use crate::process::CancelFlag;
use crate::session::Session;
use crate::trust::Blake3Hash;
use crate::workspace::{
    self, Changes, CopyLimits, Doing, Error, FileState, LeftOut, ProjectDir, Snapshot, SnapshotLimits,
};

/// How much is copied for a tool: what a file system shares counts as files only.
const COPY: CopyLimits = CopyLimits { max_bytes: 2 << 30, max_files: 200_000 };
/// How much of the copy is compared.
const COMPARED: SnapshotLimits =
    SnapshotLimits { max_files: 200_000, max_file_bytes: 64 << 20, max_total_bytes: 4 << 30 };

/// A private copy of a project.
#[derive(Debug)]
pub(super) struct WholeProject {
    project: PathBuf,
    /// Where the copy is; it goes with this value.
    root: PathBuf,
    _folder: PrivateFolder,
    copy: ProjectDir,
    before: Snapshot,
    /// Rules of paths, all of which must allow what comes back.
    rules: Vec<PathRules>,
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

impl WholeProject {
    /// Copies a project for a tool whose writes are judged by `rules`. `None` if the run is cancelled meanwhile.
    ///
    /// # Errors
    ///
    /// Fails when there is too much to copy, or no room for it.
    pub(super) fn copy(
        session: &Session,
        project: PathBuf,
        rules: Vec<PathRules>,
        temp_dir: &Path,
        cancel: &CancelFlag,
    ) -> Result<Option<Self>, Error> {
        let made = |source| Error::Io { doing: Doing::Write, path: temp_dir.to_owned(), source };
        let folder = PrivateFolder::create(temp_dir).map_err(made)?;
        let root = folder.path().canonicalize().map_err(made)?;
        let copy = session.open_files(&root)?;
        let copied =
            session.open_files(&project)?.copy_for_tools((&project, &root), &copy, COPY, &|| !cancel.is_set())?;
        if copied.is_none() {
            return Ok(None);
        }
        let before = copy.snapshot(&[ProjectPath::default()], &COMPARED)?;
        Ok(Some(Self { project, root, _folder: folder, copy, before, rules }))
    }

    /// Returns where the tool works.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Brings into the project what the tool changed.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be read any more.
    pub(super) fn copy_back(
        &self,
        session: &Session,
        standpoint: &Standpoint,
        cancel: &CancelFlag,
    ) -> Result<CopiedBack, Error> {
        let after = self.copy.snapshot(&[ProjectPath::default()], &COMPARED)?;
        let Changes { written, removed, oversized, left_out } = Snapshot::changes(&self.before, &after);
        let to = session.open_files(&self.project)?;
        let permitted = |path: &ProjectPath| {
            check_path_from(standpoint, &self.rules, Access::Write, path).map_err(|denial| said_of(&denial))
        };
        let mut back = CopiedBack::default();
        for path in written {
            let done = not_stopped(cancel).and_then(|()| permitted(&path)).and_then(|()| self.bring(&to, &path));
            match done {
                Ok(()) => back.written.push(path),
                Err(reason) => back.left_out(path.to_string(), reason),
            }
        }
        oversized.iter().for_each(|path| back.left_out(path.to_string(), "it is too large".to_owned()));
        left_out.into_iter().for_each(|(path, reason)| back.left_out(path, said(reason).to_owned()));
        // A missing file may be an omitted one, under another name.
        let is_whole = back.left_out.is_empty();
        for path in removed {
            let done = if is_whole { not_stopped(cancel) } else { Err(KEPT.to_owned()) };
            match done.and_then(|()| permitted(&path)).and_then(|()| self.remove(&to, &path)) {
                Ok(()) => back.removed.push(path),
                Err(reason) => back.left_out(path.to_string(), reason),
            }
        }
        Ok(back)
    }

    fn bring(&self, to: &ProjectDir, path: &ProjectPath) -> Result<(), String> {
        let said = |error: workspace::Error| error.to_string();
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

/// Why a file is not removed.
const KEPT: &str = "it is kept, as something else was left out, which it may have become";

fn not_stopped(cancel: &CancelFlag) -> Result<(), String> {
    if cancel.is_set() { Err("the run was stopped".to_owned()) } else { Ok(()) }
}

/// Says why a path is not written, without naming it again.
fn said_of(denial: &Denial) -> String {
    match denial {
        Denial::CodePlace { rule, .. } => {
            format!("other programs execute or follow this file, and no write permission names it, such as `{rule}`")
        }
        Denial::Path { .. } => "no declared path covers it".to_owned(),
        denial => denial.for_people(),
    }
}

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
