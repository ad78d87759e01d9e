//! What may be written in a work tree of git: a tool writes a private copy, and each changed path is judged on the way back like the write
//! of a built-in tool.
//!
//! So no tool writes the person's tree itself, where git, editors and agents would obey some files at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::capability::{Access, Denial, PathRules, ProjectPath, Reach, Standpoint, check_path_from, outermost, reach};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::workspace::{CopiedBack, Error, ProjectCopy};

/// What a tool may write in the project, and what it sees of it.
#[derive(Debug, Clone)]
pub struct ProjectWrites {
    /// The project's folder, without links.
    pub project: PathBuf,
    /// What the tool sees.
    pub parts: BTreeSet<Reach>,
    /// Who lets it write: what all rules of one of these allow.
    pub grants: Vec<Vec<PathRules>>,
}

impl ProjectWrites {
    /// Copies what the tool sees. `None` if the run is cancelled meanwhile.
    ///
    /// # Errors
    ///
    /// Fails when there is too much to copy, or no room for it.
    pub fn copy(&self, session: &Session, temp_dir: &Path, cancel: &CancelFlag) -> Result<Option<ProjectCopy>, Error> {
        let open = |root: &Path| session.open_files(root);
        ProjectCopy::make(&open, self.project.clone(), outermost(&self.parts), temp_dir, &|| cancel.is_set())
    }

    /// Brings into the project what the tool changed in its copy and may write.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be read any more.
    pub fn bring_back(
        &self,
        session: &Session,
        standpoint: &Standpoint,
        copy: &ProjectCopy,
        cancel: &CancelFlag,
    ) -> Result<CopiedBack, Error> {
        let open = |root: &Path| session.open_files(root);
        copy.bring_back(&open, &|path| self.judge(standpoint, path), &|| cancel.is_set())
    }

    fn judge(&self, standpoint: &Standpoint, path: &ProjectPath) -> Result<(), String> {
        let mut refused = None;
        for rules in &self.grants {
            match check_path_from(standpoint, rules, Access::Write, path) {
                Ok(()) => return Ok(()),
                // A rule that covers the path says more about it than one that does not.
                Err(denial @ Denial::Path { .. }) => refused = refused.or(Some(denial)),
                Err(denial) => refused = Some(denial),
            }
        }
        Err(refused.map_or_else(|| "nothing lets the tool write it".to_owned(), |denial| said_of(&denial)))
    }
}

/// Rules that let some paths of the project be written, with all below them; `.` is the whole project.
#[must_use]
pub fn rules_of(paths: impl IntoIterator<Item = String>) -> PathRules {
    let write = paths.into_iter().flat_map(|path| match path.trim_end_matches('/') {
        "." | "" => vec!["**".to_owned()],
        path => vec![path.to_owned(), format!("{path}/**")],
    });
    PathRules { read: Vec::new(), write: write.collect() }
}

/// Returns a path of the person's configuration as one of the project that is seen from its folder; none if it lies elsewhere.
#[must_use]
pub fn in_project(root: &Path, path: &Path) -> Option<String> {
    if path.is_relative() {
        return (!path.starts_with("~")).then(|| path.to_string_lossy().into_owned());
    }
    let below = path.strip_prefix(root).map(Path::to_path_buf).ok();
    let below = below.or_else(|| path.canonicalize().ok()?.strip_prefix(root).map(Path::to_path_buf).ok())?;
    Some(if below.as_os_str().is_empty() { ".".to_owned() } else { below.to_string_lossy().into_owned() })
}

/// What a tool sees that may write by these rules: what it may read or write.
#[must_use]
pub fn parts_of(grants: &[Vec<PathRules>]) -> BTreeSet<Reach> {
    grants.iter().flat_map(|rules| reach(rules, Access::Read)).collect()
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
